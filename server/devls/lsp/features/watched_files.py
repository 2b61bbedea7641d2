"""Files that change on disk, without an editor's buffer in between."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from lsprotocol import types

from devls.config import FILE_NAME, OWN_NAME
from devls.lsp import convert
from devls.lsp.features import diagnostics, workspace_check
from devls.lsp.scheduler import BACKGROUND_DELAY

if TYPE_CHECKING:
    from devls.lsp.server import DevlsServer
    from devls.lsp.state import Document

PROJECT_FILES = (FILE_NAME, OWN_NAME)
_PATTERNS = ("**/*.py", "**/*.pyi", *(f"**/{name}" for name in PROJECT_FILES))


def register(server: DevlsServer) -> None:
    """Hear of files that change."""
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(did_change)


def registrations(ls: DevlsServer) -> list[types.Registration]:
    """Registration that asks a client for changes of files, if it supports this."""
    workspace = ls.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace else None
    if not (watching and watching.dynamic_registration):
        return []
    options = types.DidChangeWatchedFilesRegistrationOptions(
        [types.FileSystemWatcher(pattern) for pattern in _PATTERNS]
    )
    return [types.Registration("devls-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)]


async def did_change(ls: DevlsServer, params: types.DidChangeWatchedFilesParams) -> None:
    """Analyse the open documents anew that use what changed."""
    paths = [convert.path_of(event.uri) for event in params.changes]
    if any(PurePath(path).name in PROJECT_FILES for path in paths):
        ls.restart()
        return
    workspace_check.changed(ls, paths)
    if any(event.type != types.FileChangeType.Changed for event in params.changes):
        # Imports may lead elsewhere now, be it to a file that has a buffer.
        ls.worker.post(ls.engine.forget)
        _look_again(ls, list(ls.documents))
        return
    # The buffer of an open document wins over the disk, so that for these nothing has changed.
    paths = [path for path in paths if ls.documents.at(path) is None]
    if paths:
        ls.worker.post(lambda: ls.engine.changed(paths))
        stale = await ls.worker.submit(ls.engine.stale)
        _look_again(ls, [each for each in ls.documents if each.path in stale])


def _look_again(ls: DevlsServer, documents: list[Document]) -> None:
    for document in documents:
        ls.scheduler.invalidate(document, BACKGROUND_DELAY)
    if documents:
        diagnostics.ask_again(ls)
