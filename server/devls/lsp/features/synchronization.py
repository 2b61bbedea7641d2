"""The client's documents: opened, changed, saved, closed."""

from __future__ import annotations

import logging
from pathlib import PurePath
from typing import TYPE_CHECKING

from lsprotocol import types

from devls.lsp import convert
from devls.lsp.features import diagnostics, rule_names, workspace_check
from devls.lsp.scheduler import BACKGROUND_DELAY, TYPING_DELAY, TYPING_PAUSE
from devls.lsp.state import Snapshot

if TYPE_CHECKING:
    from devls.lsp.server import DevlsServer
    from devls.lsp.state import Document

_logger = logging.getLogger(__name__)


def register(server: DevlsServer) -> None:
    """Follow the client's documents."""
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(did_save)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)


def did_open(ls: DevlsServer, params: types.DidOpenTextDocumentParams) -> None:
    """Analyse at once."""
    item = params.text_document
    if PurePath(convert.path_of(item.uri)).name in rule_names.FILES:
        ls.open_settings[item.uri] = item.text
    if item.language_id != "python":
        return
    opened(ls, ls.documents.open(item.uri, item.version, item.text))


def opened(ls: DevlsServer, document: Document) -> None:
    """Analyse a document for the first time."""
    ls.buffers.open(document.path, document.snapshot.opened)
    ls.scheduler.invalidate(document, 0)
    diagnostics.called_from(ls, document.path)
    workspace_check.opened(ls, document.path)


def did_change(ls: DevlsServer, params: types.DidChangeTextDocumentParams) -> None:
    """Analyse when the typing pauses."""
    uri = params.text_document.uri
    document = ls.documents.get(uri)
    if uri in ls.open_settings:
        changed_text = convert.apply_changes(ls.open_settings[uri], params.content_changes, ls.positions)
        ls.open_settings[uri] = changed_text
    if document is None:
        return
    before = document.snapshot
    text = convert.apply_changes(before.text, params.content_changes, ls.positions)
    document.snapshot = Snapshot(before.path, params.text_document.version, text)
    changed(ls, document)


def changed(ls: DevlsServer, document: Document) -> None:
    """Analyse a document that has another text now, at once or when the typing pauses, and then those that use it."""
    is_new = ls.buffers.open(document.path, document.snapshot.opened)
    # The first change after a pause may be the only one; and what it costs is nothing beside the pause.
    typing = ls.scheduler.since_changed(document) < TYPING_PAUSE
    ls.scheduler.invalidate(document, TYPING_DELAY if typing else 0)
    ls.scheduler.make_way()
    for other in diagnostics.contributors(ls, document):
        ls.scheduler.invalidate(other, BACKGROUND_DELAY)
    if is_new or not document.followed:  # otherwise somebody waits for the same call already
        document.followed = True
        ls.spawn(_follow(ls, document))


async def _follow(ls: DevlsServer, changed: Document) -> None:
    """Let the other documents see a change that is not saved yet, if they use what changed."""
    stale = await ls.worker.submit(ls.engine.stale)
    changed.followed = False
    for other in ls.documents:
        if other is not changed and other.path in stale:
            other.follows = True
            ls.scheduler.invalidate(other, BACKGROUND_DELAY)


async def did_save(ls: DevlsServer, params: types.DidSaveTextDocumentParams) -> None:
    """Let the documents that use this one see what has changed since they were analysed."""
    await saved(ls, ls.documents.get(params.text_document.uri))


async def saved(ls: DevlsServer, document: Document | None) -> None:
    """Analyse the other documents that have not seen what has changed."""
    stale = await ls.worker.submit(ls.engine.stale)
    others = [each for each in ls.documents if each is not document and each.path in stale]
    for other in others:
        ls.scheduler.invalidate(other, BACKGROUND_DELAY)
    if others:
        diagnostics.ask_again(ls)
    if document is not None:
        workspace_check.changed(ls, [document.path])


def did_close(ls: DevlsServer, params: types.DidCloseTextDocumentParams) -> None:
    """Forget the buffer, and take its findings back."""
    ls.open_settings.pop(params.text_document.uri, None)
    closed(ls, params.text_document.uri)


def closed(ls: DevlsServer, uri: str) -> None:
    """Forget the document with this URI."""
    document = ls.documents.close(uri)
    if document is not None:
        ls.scheduler.closed(document)
        ls.buffers.close(document.path)
        diagnostics.withdraw(ls, document)
        diagnostics.called_from(ls, document.path)
        workspace_check.changed(ls, [document.path])
