"""The server: which requests and notifications there are, and who answers them.

Messages are read in one thread, and documents linted in another: what is asked of a version
that is no more is not looked at.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from pglint_locks import __version__
from pglint_locks.configfile import FILE_NAMES
from pglint_locks.errors import UsageError
from pglint_locks.lsp.documents import Document, is_project, path_of
from pglint_locks.lsp.greeting import SOURCE
from pglint_locks.lsp.protocol import PARSE_ERROR, SERVER_CANCELLED, Plain, Protocol, is_unreadable
from pglint_locks.paths import working_directory

if TYPE_CHECKING:
    from pglint_locks.lsp.analysis import Analysed, Analysis, Configurations, Unknown
    from pglint_locks.lsp.project import Survey

T = TypeVar("T")


class Server(LanguageServer):
    """The state of a session: the open documents, and what the client can do."""

    protocol: Protocol

    def __init__(self, configurations: Configurations, unknown: Unknown) -> None:
        super().__init__(
            SOURCE,
            __version__,
            types.TextDocumentSyncKind.Incremental,
            protocol_cls=Protocol,
        )
        self.documents: dict[str, Document] = {}
        self.root = working_directory()
        self.pulls = self.hints = self.versions = self.surveys = False
        self.reads_markdown = True
        self._readers = configurations, unknown
        self._analysis: Analysis | None = None
        self._linting = ThreadPoolExecutor(1, "linting")
        self._surveying = ThreadPoolExecutor(1, "surveying")
        self._changes: list[Collection[Path] | None] = []
        self.is_ending = Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._told: set[str] = set()
        self._epoch = 0

    def begin(self, params: types.InitializeParams) -> None:
        """Take over what the client can do, and what it wants."""
        text, workspace = params.capabilities.text_document, params.capabilities.workspace
        self.pulls = text is not None and text.diagnostic is not None
        hover = text.hover if text is not None else None
        formats = hover.content_format if hover is not None else None
        self.reads_markdown = formats is None or types.MarkupKind.Markdown in formats
        edits = workspace.workspace_edit if workspace else None
        self.versions = edits is not None and bool(edits.document_changes)
        options = params.initialization_options
        self.hints = isinstance(options, dict) and options.get("inlayHints") is True
        folders = params.workspace_folders or []
        root = folders[0].uri if folders else params.root_uri
        if root is not None and root.startswith("file:"):
            self.root = path_of(root)
            self.surveys = is_project(self.root)

    # --- linting, in its thread -------------------------------------------------------

    @property
    def analysis(self) -> Analysis:
        """What lints: loaded when it is first asked for, to be ready before that."""
        if self._analysis is None:
            from pglint_locks.lsp.analysis import Analysis

            self._analysis = Analysis(self.root, *self._readers)
        return self._analysis

    async def linting(self, function: Callable[[], T]) -> T:
        """Have the linting thread call a function."""
        return await asyncio.get_running_loop().run_in_executor(self._linting, function)

    async def ask(
        self, uri: str, answer: Callable[[Analysed], list[T]], *, with_fixes: bool = False
    ) -> list[T]:
        """Have the linting thread answer from what is found in a document as it is now.

        Raises:
            JsonRpcException: the document has changed before the answer was there.
        """
        document = self.documents.get(uri)
        if document is None:
            return []

        def work() -> list[T] | None:
            if self.documents.get(uri) is not document:
                return None
            analysed = self.analysis.of(document, with_fixes=with_fixes)
            return [] if analysed is None else answer(analysed)

        result = await self.linting(work)
        self.tell(self.analysis.errors)
        if result is None or self.documents.get(uri) is not document:
            raise JsonRpcException("the document has changed", SERVER_CANCELLED)
        return result

    # --- telling ----------------------------------------------------------------------

    def tell(self, errors: list[str]) -> None:
        """Show what is wrong with configurations, each line once."""
        for message in dict.fromkeys(errors):
            if message not in self._told:
                self._told.add(message)
                shown = types.ShowMessageParams(types.MessageType.Error, f"{SOURCE}: {message}")
                self.window_show_message(shown)
        errors.clear()

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Have something done in the background."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def publish(self, uri: str) -> None:
        """Send what is found in a document to a client that does not ask for it."""
        if not self.pulls and uri in self.documents:
            self.run(self._publish(uri))

    async def _publish(self, uri: str) -> None:
        document = self.documents[uri]
        try:
            found = await self.ask(uri, _diagnostics)
        except JsonRpcException:
            return
        except Exception as error:  # the last ones stay
            self.tell([f"internal error: {error!r}; please report it"])
            return
        params = {"uri": uri, "version": document.version, "diagnostics": found}
        self.protocol.send({"method": types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, "params": params})

    async def pull(self, params: types.DocumentDiagnosticParams) -> Plain:
        """What is found in a document, or that it is what it was when the client last asked."""
        uri = params.text_document.uri
        document = self.documents.get(uri)
        result = f"{self._epoch}.{document.version}" if document else None
        if result is not None and params.previous_result_id == result:
            return Plain(kind="unchanged", resultId=result)
        items = await self.ask(uri, _diagnostics)
        return Plain(kind="full", items=items, **({"resultId": result} if result else {}))

    async def reload(self) -> None:
        """Configuration has changed: look at every document again."""
        await self.linting(lambda: self.analysis.reload())
        self._told.clear()
        self._refresh()
        await self.survey()

    async def look_again(self, changed: Collection[Path]) -> None:
        """Files were saved, made or dropped: they may be settings, or tell something."""
        settings = any(path.name in FILE_NAMES or path.suffix == ".json" for path in changed)
        if settings or not changed:
            await self.reload()
        else:
            await self.survey(changed)

    async def survey(self, changed: Collection[Path] | None = None) -> None:
        """Look at the other files of the workspace, and at every document if these tell more.

        `changed` are those that are another now, if not all of them may be.
        """
        if not self.surveys:
            return
        self._changes.append(changed)
        if len(self._changes) > 1:
            return  # seen to by whoever is at it
        while self._changes:
            taken = list(self._changes)
            paths = {path for each in taken for path in each or ()}
            try:
                await self._survey(None if None in taken else paths)
            finally:
                del self._changes[: len(taken)]

    async def _survey(self, changed: Collection[Path] | None) -> None:
        def look() -> Survey:
            return self.analysis.survey(changed, lambda: not self.is_ending.is_set())

        try:
            found = await asyncio.get_running_loop().run_in_executor(self._surveying, look)
            if await self.linting(lambda: self.analysis.take(found)):
                self._refresh()
        except UsageError:  # told of each document
            pass
        except Exception as error:
            self.tell([f"internal error: {error!r}; please report it"])

    def _refresh(self) -> None:
        """What is found may be another, in every document."""
        self._epoch += 1
        for uri in self.documents:
            self.publish(uri)
        workspace = self.client_capabilities.workspace
        refreshes = workspace.diagnostics if workspace else None
        if self.pulls and refreshes is not None and refreshes.refresh_support:
            self.workspace_diagnostic_refresh(None)

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ARG002
        """Answer what was no message, and leave the rest to the log."""
        if is_unreadable(error):
            self.protocol.fail(None, PARSE_ERROR, "this is no JSON")


def _diagnostics(analysed: Analysed) -> list[dict[str, Any]]:
    from pglint_locks.lsp.diagnostics import diagnostic

    return [diagnostic(finding, analysed.document) for finding in analysed.shown]
