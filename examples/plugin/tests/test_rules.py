"""Our rules pass what those of pglint-locks itself have to pass."""

from pathlib import Path

import pytest
from acme_locks import RULES

from pglint_locks.testing import cases


@pytest.mark.parametrize("case", cases(RULES, Path(__file__).parent / "fixtures"), ids=str)
def test_rule(case):
    """One of the things that must hold."""
    case.check()
