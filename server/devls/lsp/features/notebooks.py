"""The client's notebooks: opened, changed, saved, closed. Each is one document, whose text is the program of its cells."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lsprotocol import types

from devls.lsp import convert
from devls.lsp.features import diagnostics, synchronization
from devls.lsp.notebooks import NotebookSnapshot, OpenNotebook

if TYPE_CHECKING:
    from devls.lsp.server import DevlsServer
    from devls.lsp.state import Document

# All their cells: whoever is told of the third one counts the prose, too.
OPTIONS = types.NotebookDocumentSyncOptions([types.NotebookDocumentFilterWithNotebook("*")], save=True)

SCHEMES = ("file", "untitled")
"""Others are of a notebook as it once was, beside the one that is edited, or of an interactive window."""


def register(server: DevlsServer) -> None:
    """Follow the client's notebooks."""
    server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)(did_save)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)(did_close)


def did_open(ls: DevlsServer, params: types.DidOpenNotebookDocumentParams) -> None:
    """Analyse at once."""
    item = params.notebook_document
    if urlsplit(item.uri).scheme not in SCHEMES:
        return
    _forget(ls, item.uri)
    notebook = ls.notebooks[item.uri] = OpenNotebook.of(item.cells, params.cell_text_documents)
    snapshot = NotebookSnapshot.of(convert.path_of(item.uri), item.version, notebook.cells)
    document = ls.documents.take_in(item.uri, snapshot)
    _know_cells(ls, document)
    synchronization.opened(ls, document)


def did_change(ls: DevlsServer, params: types.DidChangeNotebookDocumentParams) -> None:
    """Analyse when the typing pauses. That a cell has run changes nothing."""
    uri, changes = params.notebook_document.uri, params.change.cells
    document, notebook = ls.documents.get(uri), ls.notebooks.get(uri)
    if document is None or notebook is None or changes is None:
        return
    notebook.change(changes, ls.positions)
    before, cells = document.snapshot, notebook.cells
    if isinstance(before, NotebookSnapshot) and before.cells == tuple(cells):
        return
    # VS Code's version of a notebook stays what it is while somebody types in a cell.
    version = max(before.version + 1, params.notebook_document.version)
    document.snapshot = NotebookSnapshot.of(before.path, version, cells)
    _know_cells(ls, document)
    for gone in set(before.uris(uri)) - set(document.snapshot.uris(uri)):
        ls.documents.holders.pop(gone, None)
        notebook.quiet.pop(gone, None)
        diagnostics.clear(ls, gone)
    synchronization.changed(ls, document)


async def did_save(ls: DevlsServer, params: types.DidSaveNotebookDocumentParams) -> None:
    """Look at what has changed meanwhile, as with each save."""
    await synchronization.saved(ls, ls.documents.get(params.notebook_document.uri))


def did_close(ls: DevlsServer, params: types.DidCloseNotebookDocumentParams) -> None:
    """Forget the notebook, and take the findings back of all its cells."""
    _forget(ls, params.notebook_document.uri)


def _forget(ls: DevlsServer, uri: str) -> None:
    if ls.notebooks.pop(uri, None) is not None:
        for cell in [cell for cell, holder in ls.documents.holders.items() if holder == uri]:
            del ls.documents.holders[cell]
        synchronization.closed(ls, uri)


def _know_cells(ls: DevlsServer, document: Document) -> None:
    ls.documents.holders.update(dict.fromkeys(document.snapshot.uris(document.uri), document.uri))
