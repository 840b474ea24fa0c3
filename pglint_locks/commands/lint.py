"""Lints files and standard input, each with its own settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pglint_locks.commands.fix import Fixing
from pglint_locks.commands.streams import read_standard_input, remark
from pglint_locks.config import Config, Configs, Settings
from pglint_locks.discovery import Discovery, FoundFile, excluded_by
from pglint_locks.errors import UsageError
from pglint_locks.findings import Finding, SuppressedFinding
from pglint_locks.paths import absolute, shown

if TYPE_CHECKING:
    from pglint_locks.run import Run


class Lint:
    """Lints with each file's own settings, and remembers them by the file's shown name."""

    def __init__(self, configs: Configs, cwd: Path) -> None:
        self._configs = configs
        self._cwd = cwd
        self.settings: dict[str, Settings] = {}

    def files(self, files: Sequence[FoundFile], changed: Mapping[str, str]) -> Run:
        """The run of files; `changed` are the texts of some, by name."""
        from pglint_locks.engine import lint_files

        return lint_files(files, self.settings_for, changed)

    def with_standard_input(
        self, run: Run, found: Discovery, config: Config, fixing: Fixing
    ) -> Run:
        """The run of the files, and standard input added to it.

        Under `--fix` what comes in goes out, fixed if it can be.
        """
        from pglint_locks.engine import lint_text
        from pglint_locks.run import FileError
        from pglint_locks.sources.decode import UnreadableTextError, decode

        try:
            data = read_standard_input()  # in any case: who writes it should not fail
        except UsageError as error:
            add_error(found, error)
            return run
        fixing.output = data
        given = config["stdin-filename"]
        name = shown(Path(given), self._cwd) if given else "<stdin>"
        path = absolute(Path(given or name), self._cwd)
        try:
            settings = self.settings_for(FoundFile(path, name))
            reason = excluded_by(path, self._configs, self._cwd) if given else None
        except UsageError as error:
            add_error(found, error)
            return run
        if reason:
            if not config["quiet"]:
                remark(f"{name} is excluded by {reason}; it is not read")
            return run
        try:
            source = decode(name, data)
        except UnreadableTextError as error:
            unread = FileError(name, str(error))
            return run._replace(errors=(*run.errors, unread))
        text = source.mark + source.text
        if fixing.is_wanted:
            text = fixing.text(text, name, settings)
        own = lint_text(text, name, settings)
        return run._replace(
            findings=tuple(
                sorted((*run.findings, *own.findings), key=lambda finding: finding.sort_key)
            ),
            files=run.files + own.files,
            statements=run.statements + own.statements,
            clauses=run.clauses + own.clauses,
            clauses_by_kind=Counter(run.clauses_by_kind) + Counter(own.clauses_by_kind),
            not_analysed=(*run.not_analysed, *own.not_analysed),
            errors=(*run.errors, *own.errors),
            suppressed=(*run.suppressed, *own.suppressed),
            schema_unread=tuple(dict.fromkeys((*run.schema_unread, *own.schema_unread))),
            planned=run.planned + own.planned,
            unplanned=(*run.unplanned, *own.unplanned),
            remarks=tuple(dict.fromkeys((*run.remarks, *own.remarks))),
        )

    def shown(self, run: Run) -> list[Finding]:
        """The findings of a run that are not below the severity threshold."""
        return [finding for finding in run.findings if self._shows(finding)]

    def silenced(self, run: Run) -> tuple[SuppressedFinding, ...]:
        """The suppressed findings of a run that are not below the severity threshold."""
        return tuple(each for each in run.suppressed if self._shows(each.finding))

    def _shows(self, finding: Finding) -> bool:
        return finding.severity >= self.settings[finding.source.name].severity_threshold

    def settings_for(self, file: FoundFile) -> Settings:
        """The settings of a file, by where it stands."""
        if file.name not in self.settings:
            config = self._configs.above(file.path.parent)
            self.settings[file.name] = config.settings(file.path)
        return self.settings[file.name]


def add_error(found: Discovery, error: UsageError) -> None:
    """Note a broken configuration file, unless that was done while looking for files."""
    if str(error) not in found.errors:
        found.errors.append(str(error))
