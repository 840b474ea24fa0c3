"""What files tell one another: the views and the models of ORMs that they define."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pglint_locks.config import Settings
from pglint_locks.linting.parts import is_foreign
from pglint_locks.model.queries.views import View, view_defined
from pglint_locks.sources.content import read_content
from pglint_locks.sources.orm.models import Models, files_needed, models_of, without_twins
from pglint_locks.sql.parse import Unparsed
from pglint_locks.sql.script import ParsedScript
from pglint_locks.text import SourceText

_MADE_BEFORE_VIEW = {"view", "materialized", "recursive", "temp", "temporary"}


def models_defined(using: Iterable[str], defining: Mapping[str, str]) -> Models:
    """The models that some texts of Python use, from files that may define them, by name."""
    from pglint_locks.sources.host.tree import read_tree

    models: Models = {}
    for name in files_needed(using, defining):
        try:
            models = models_of(read_tree(defining[name], "python"), name, models)
        except ImportError:
            return {}
    return without_twins(models, defining)


def views_defined(source: SourceText, settings: Settings) -> list[View]:
    """The views that the scripts of a file define."""
    views: list[View] = []
    for unit in read_content(source).scripts:
        script = ParsedScript.of_text(unit.text)
        if is_foreign(source.name, unit.text, script, settings):
            continue
        for index, chunk in enumerate(script.chunks):
            words = chunk.first_words
            if words[:1] == ("create",) and not _MADE_BEFORE_VIEW.isdisjoint(words):
                parsed = script.result(index)
                if not isinstance(parsed, Unparsed):
                    view = view_defined(parsed.node, parsed.parameters)
                    views += [view] if view is not None else []
    return views
