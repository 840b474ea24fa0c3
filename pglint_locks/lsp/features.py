"""What the server answers, request by request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pglint_locks.configfile import FILE_NAMES
from pglint_locks.findings import PAGES_URL
from pglint_locks.lsp.documents import Document, path_of
from pglint_locks.lsp.greeting import EXPLAIN, FIX_ALL, REPORT, SOURCE, TRIGGERS
from pglint_locks.lsp.protocol import Plain
from pglint_locks.lsp.server import Server
from pglint_locks.plugins import known_rules
from pglint_locks.sources.kinds import SQL
from pglint_locks.text import Span

if TYPE_CHECKING:
    from pglint_locks.lsp.analysis import Analysed, Configurations, Unknown

_TELLING = (*(f"*{ending}" for ending in SQL.endings), "*.py", "*.ex", "*.prisma", "schema.rb")
_WATCHED = (*FILE_NAMES, "*baseline*.json", "*schema*.json", *_TELLING)


def make_server(configurations: Configurations, unknown: Unknown) -> Server:
    """A server with everything that it answers."""
    server = Server(configurations, unknown)
    _lifecycle(server)
    _documents(server)
    _diagnostics(server)
    _repairs(server)
    _reading(server)
    return server


def _lifecycle(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.begin(params)

    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace else None
        if watching is not None and watching.dynamic_registration:
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            watchers = [types.FileSystemWatcher(f"**/{name}") for name in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            registration = types.Registration(f"{SOURCE}-files", method, options)
            server.client_register_capability(types.RegistrationParams([registration]))
        await server.linting(lambda: server.analysis)
        await server.survey()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(params: types.DidChangeWatchedFilesParams) -> None:
        await server.look_again([path_of(each.uri) for each in params.changes])

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(_: types.DidChangeConfigurationParams) -> None:
        await server.reload()


def _documents(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        item, encoding = params.text_document, server.workspace.position_encoding
        server.documents[item.uri] = Document.opened(item, encoding)
        server.publish(item.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri, document = params.text_document.uri, server.documents.get(params.text_document.uri)
        if document is not None:
            version = params.text_document.version
            server.documents[uri] = document.changed(version, params.content_changes)
            server.publish(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        await server.look_again([path_of(params.text_document.uri)])

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        if server.documents.pop(uri, None) is None:
            return
        await server.linting(lambda: server.analysis.forget(uri))
        if not server.pulls and uri not in server.documents:
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def _diagnostics(server: Server) -> None:
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE
    )

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def diagnose(params: types.DocumentDiagnosticParams) -> Plain:
        return await server.pull(params)


def _repairs(server: Server) -> None:
    kinds = types.CodeActionOptions([types.CodeActionKind.QuickFix, FIX_ALL])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    async def act(params: types.CodeActionParams) -> list[types.CodeAction]:
        def found(analysed: Analysed) -> list[types.CodeAction]:
            from pglint_locks.lsp.actions import actions

            return list(actions(analysed, params, server.versions))

        return await server.ask(params.text_document.uri, found, with_fixes=True)

    @server.command(EXPLAIN)
    def explain(*arguments: Any) -> None:
        pages = {rule.code: rule.url for rule in known_rules()}
        url = pages.get(str(arguments[0]), PAGES_URL) if arguments else PAGES_URL
        window = server.client_capabilities.window
        if window is not None and window.show_document is not None:
            server.window_show_document(types.ShowDocumentParams(url, external=True))
        else:
            server.window_show_message(types.ShowMessageParams(types.MessageType.Info, url))

    @server.command(REPORT)
    async def report(*arguments: Any) -> str | None:
        def made(analysed: Analysed) -> list[str]:
            from pglint_locks.lsp.lock_report import lock_report

            return [lock_report(analysed)]

        reports = await server.ask(str(arguments[0]), made) if arguments else []
        return reports[0] if reports else None

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=TRIGGERS)
    )
    def complete(params: types.CompletionParams) -> list[types.CompletionItem]:
        from pglint_locks.lsp.directives import completions

        document = server.documents.get(params.text_document.uri)
        return completions(document, document.places.offset(params.position)) if document else []


def _reading(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def point(params: types.HoverParams) -> types.Hover | None:
        from pglint_locks.lsp.directives import page_at

        document = server.documents.get(params.text_document.uri)
        if document is None:
            return None
        offset = document.places.offset(params.position)
        page = page_at(document, offset)
        if page is not None:
            return _hover(server, page[1], document.places.range(page[0]))

        def found(analysed: Analysed) -> list[types.Hover]:
            from pglint_locks.lsp.hover import about
            from pglint_locks.text import SourceText

            document = analysed.document
            at = max(offset - document.lead, 0)
            source = SourceText(analysed.linter.name, document.body)
            seen = analysed.linter.clauses(document.body, Span(max(at - 1, 0), at + 1))
            inside = [each for each in seen if each.span.start <= at <= each.span.end]
            return [
                _hover(server, about(each, source), document.range(each.span)) for each in inside
            ]

        hovers = await server.ask(params.text_document.uri, found)
        return hovers[0] if hovers else None

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hint(params: types.InlayHintParams) -> list[types.InlayHint]:
        def found(analysed: Analysed) -> list[types.InlayHint]:
            from pglint_locks.lsp.hover import hint

            document = analysed.document
            return [
                types.InlayHint(document.range(each.span).end, hint(each.clause), padding_left=True)
                for each in analysed.linter.clauses(document.body, document.span(params.range))
            ]

        return await server.ask(params.text_document.uri, found) if server.hints else []


def _hover(server: Server, text: str, place: types.Range) -> types.Hover:
    from pglint_locks.lsp.hover import plain

    if server.reads_markdown:
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), place)
    return types.Hover(types.MarkupContent(types.MarkupKind.PlainText, plain(text)), place)
