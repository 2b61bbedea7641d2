"""What is known of the expression under the cursor."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from devls.lsp.server import DevlsServer

_logger = logging.getLogger(__name__)

PATIENCE = 1.5
"""Seconds that a hover waits for the analysis; who still rests on the word by then gets it by moving the mouse."""


def register(server: DevlsServer) -> None:
    """Answer hovers."""
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)


async def hover(ls: DevlsServer, params: types.HoverParams) -> types.Hover | None:
    """Answer from the analysis of the text as it is now, or not at all."""
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    outcome = await ls.scheduler.current(document, PATIENCE)
    if outcome is None:
        return None
    index = outcome.analysis.source.index
    try:
        found = outcome.analysis.hover(ls.positions.offset(index, params.position))
    except Exception:
        _logger.exception("no hover in %s", document.path)
        return None
    if found is None:
        return None
    text = ls.client_capabilities.text_document
    formats = (text.hover.content_format if text and text.hover else None) or [types.MarkupKind.Markdown]
    kind = types.MarkupKind.Markdown if types.MarkupKind.Markdown in formats else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, found.markdown), ls.positions.range(index, found.range))
