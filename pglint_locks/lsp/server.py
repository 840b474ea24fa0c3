"""The server: requests and notifications of the protocol, and who answers them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from pglint_locks import __version__, engine
from pglint_locks.findings import PAGES_URL
from pglint_locks.lsp import actions, directives, hover
from pglint_locks.lsp.analysis import CONFIGURATION_FILES, Analysis, Configurations
from pglint_locks.lsp.diagnostics import SOURCE, diagnostic
from pglint_locks.lsp.documents import Document, path_of
from pglint_locks.lsp.positions import UTF16, preferred
from pglint_locks.paths import working_directory
from pglint_locks.rules import RULES

EXPLAIN = "pglint-locks.explain"


class Server(LanguageServer):
    """The state of a session: the open documents, and what the client can do."""

    def __init__(self, configurations: Configurations) -> None:
        super().__init__("pglint-locks", __version__, types.TextDocumentSyncKind.Incremental)
        self.documents: dict[str, Document] = {}
        self.encoding: str = UTF16
        self._configurations = configurations
        self.analysis = Analysis(working_directory(), configurations)
        self.pulls = False
        self.hints = False
        self._told: set[str] = set()

    def begin(self, params: types.InitializeParams) -> None:
        """Take over what the client can do, and what it wants."""
        capabilities = params.capabilities
        general, text = capabilities.general, capabilities.text_document
        self.encoding = preferred(general.position_encodings if general else None)
        self.pulls = text is not None and text.diagnostic is not None
        options = params.initialization_options
        self.hints = isinstance(options, dict) and bool(options.get("inlayHints"))
        folders = params.workspace_folders or []
        root = folders[0].uri if folders else params.root_uri
        if root:
            self.analysis = Analysis(path_of(root), self._configurations)

    def open(self, item: types.TextDocumentItem) -> None:
        """A document is open from now on."""
        path = path_of(item.uri)
        name = self.analysis.name_of(path)
        self.documents[item.uri] = Document(
            item.uri, path, name, item.version, item.text, self.encoding
        )
        self.publish(item.uri)

    def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """What is to be said of a document."""
        document = self.documents.get(uri)
        if document is None:
            return []
        found = self.analysis.findings(document)
        self._tell_errors()
        return [diagnostic(finding, document) for finding in found]

    def publish(self, uri: str) -> None:
        """Send what is to be said to a client that does not ask for it."""
        document = self.documents.get(uri)
        if document is not None and not self.pulls:
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, self.diagnostics(uri), document.version)
            )

    def reload(self) -> None:
        """Configuration has changed: look at every document again."""
        self.analysis.reload()
        self._told.clear()
        for uri, document in self.documents.items():
            document.forget()
            self.publish(uri)
        if self.pulls:
            self.workspace_diagnostic_refresh(None)

    def _tell_errors(self) -> None:
        """Show what is wrong with configuration files, each once."""
        for message in self.analysis.errors:
            if message not in self._told:
                self._told.add(message)
                kind = types.MessageType.Error
                self.window_show_message(types.ShowMessageParams(kind, f"{SOURCE}: {message}"))
        self.analysis.errors.clear()


def make_server(configurations: Configurations) -> Server:
    """A server with everything that it answers; `configurations` are those below a folder."""
    server = Server(configurations)
    _answer_lifecycle(server)
    _answer_documents(server)
    _answer_questions(server)
    return server


def _answer_lifecycle(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.begin(params)

    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace else None
        if watching is not None and watching.dynamic_registration:
            watchers = [types.FileSystemWatcher(f"**/{name}") for name in CONFIGURATION_FILES]
            server.client_register_capability(
                types.RegistrationParams(
                    [
                        types.Registration(
                            "pglint-locks-configuration",
                            types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                            types.DidChangeWatchedFilesRegistrationOptions(watchers),
                        )
                    ]
                )
            )

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(_: types.DidChangeWatchedFilesParams) -> None:
        server.reload()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(_: types.DidChangeConfigurationParams) -> None:
        server.reload()

    @server.command(EXPLAIN)
    def explain(*arguments: Any) -> None:
        pages = {rule.code: rule.url for rule in RULES}
        code = arguments[0] if arguments else None
        server.window_show_document(
            types.ShowDocumentParams(pages.get(str(code), PAGES_URL), external=True)
        )


def _answer_documents(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.open(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        if uri in server.documents:
            server.documents[uri].change(params.text_document.version, params.content_changes)
            server.publish(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        if Path(params.text_document.uri).name in CONFIGURATION_FILES:
            server.reload()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        if server.documents.pop(uri, None) is not None and not server.pulls:
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(
            inter_file_dependencies=False, workspace_diagnostics=False, identifier=SOURCE
        ),
    )
    def diagnose(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        return types.RelatedFullDocumentDiagnosticReport(
            server.diagnostics(params.text_document.uri)
        )


def _answer_questions(server: Server) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=actions.KINDS)
    )
    def act(params: types.CodeActionParams) -> Sequence[types.CodeAction]:
        document = server.documents.get(params.text_document.uri)
        settings = server.analysis.settings(document) if document is not None else None
        if document is None or settings is None:
            return []
        found = server.analysis.fixable(document)
        place = document.span(params.range)
        return list(actions.actions(document, place, found, settings, params.context.only))

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def point(params: types.HoverParams) -> types.Hover | None:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return None
        offset = document.places.offset(params.position)
        page = directives.page_at(document, offset)
        if page is not None:
            return _hover(page[1], document.places.range(page[0]))
        settings = server.analysis.settings(document)
        if settings is None:
            return None
        offset -= document.lead
        for span, clause in engine.clauses_in(document.text, document.name, settings):
            if span.start <= offset <= span.end:
                return _hover(hover.about(clause), document.range(span))
        return None

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["[", ","])
    )
    def complete(params: types.CompletionParams) -> list[types.CompletionItem]:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return []
        return directives.completions(document, document.places.offset(params.position))

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def hint(params: types.InlayHintParams) -> list[types.InlayHint]:
        document = server.documents.get(params.text_document.uri)
        settings = server.analysis.settings(document) if document is not None else None
        if document is None or settings is None or not server.hints:
            return []
        wanted = document.span(params.range)
        return [
            types.InlayHint(document.range(span).end, hover.hint(clause), padding_left=True)
            for span, clause in engine.clauses_in(document.text, document.name, settings)
            if span.touches(wanted)
        ]


def _hover(text: str, place: types.Range) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), place)
