"""Device and gradient of what names are bound to, shown behind them by editors whose users ask for it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from devls.analysis import Hint
    from devls.lsp.server import DevlsServer
    from devls.lsp.state import Document
    from devls.lsp.worker import Outcome

_logger = logging.getLogger(__name__)

PATIENCE = 5.0
"""Seconds after a change that the client waits for the analysis; later it is told to ask again."""

DEVICE, GRADIENT = "device", "device-and-gradient"
"""Values of `devls.inlayHints`, beside `off`."""


def register(server: DevlsServer) -> None:
    """Answer requests for hints."""
    server.feature(types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintOptions(resolve_provider=False))(
        inlay_hints
    )


async def inlay_hints(ls: DevlsServer, params: types.InlayHintParams) -> list[types.InlayHint] | None:
    """The hints in a range of the text as it is now; none where they are switched off."""
    uri = params.text_document.uri
    document = ls.documents.around(uri)
    kind = ls.settings.of(document.path).get("inlayHints") if document else None
    if document is None or kind not in (DEVICE, GRADIENT):
        return []
    outcome = await ls.scheduler.current(document, PATIENCE)
    found = await _hints(ls, document, outcome) if outcome is not None and outcome.shown else ()
    if outcome is None or found is None:
        document.hints_wanted = True
        return None
    index, made = outcome.analysis.source.index, []
    start, end = (document.snapshot.inside(uri, each) for each in (params.range.start, params.range.end))
    for each in found:
        position = ls.positions.position(index, each.offset)
        text = label(each, gradient=kind == GRADIENT)
        if text and start <= position <= end:
            place = document.snapshot.located(document.uri, types.Range(position, position))
            if place.uri == uri:
                made.append(types.InlayHint(place.range.start, text, tooltip=tooltip(each)))
    return made


async def _hints(ls: DevlsServer, document: Document, outcome: Outcome) -> tuple[Hint, ...] | None:
    """The hints of an analysis; None where the text changes before they are known."""
    generation = document.generation
    try:
        # The run that finds them is given up where somebody types on.
        return await ls.worker.submit(
            lambda: outcome.analysis.hints(lambda: document.closed or document.generation != generation)
        )
    except Exception:
        _logger.exception("no hints in %s", document.path)
        return ()


def ask_again(ls: DevlsServer, document: Document) -> None:
    """Have the client ask anew whom an analysis was not ready for."""
    workspace = ls.client_capabilities.workspace
    able = workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support
    if document.hints_wanted and able:
        document.hints_wanted = False
        ls.workspace_inlay_hint_refresh(None)


def label(hint: Hint, *, gradient: bool) -> str:
    """The few characters that stand behind a name; empty where they would say nothing."""
    parts = [hint.device]
    if gradient:
        parts += ["∇" if hint.gradient else "", hint.shape]
    text = " ".join(filter(None, parts))
    return text and (f" {text}" if hint.annotated else f": {text}")


def tooltip(hint: Hint) -> str:
    """The same in words."""
    said = [f"on {hint.device}" if hint.device else "", "requires a gradient" if hint.gradient else ""]
    said.append(f"of shape {hint.shape}" if hint.shape else "")
    return ", ".join(filter(None, said))
