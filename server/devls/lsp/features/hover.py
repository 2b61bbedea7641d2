"""Hover of the expression under the cursor."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from typing import TYPE_CHECKING

from lsprotocol import types

from devls.lsp.features import rule_names
from devls.lsp.scheduler import AT_ONCE, GIVEN_UP
from devls.lsp.torch import part
from devls.probe.experiment import worth_saying
from devls.text.edits import Range

if TYPE_CHECKING:
    from typing import TypeAlias

    from devls.analysis import Hover
    from devls.lsp.server import DevlsServer
    from devls.lsp.worker import Outcome
    from devls.probe.experiment import Experiment
    from devls.syntax.source import Source

    _Known: TypeAlias = tuple[Hover | None, Experiment | None, Range | None]

_logger = logging.getLogger(__name__)

PATIENCE = 1.5
"""Seconds after a change that a hover waits for the analysis, and that finding out about the expression may take; who still
rests on the word by then gets it by moving the mouse. Nobody waits while the engine is busy with something else."""

TORCH_PATIENCE = 0.3
"""Seconds that a hover waits for torch, which takes a tenth of one; an answer that comes later is there the next time.
While torch is still being imported, nobody waits."""


SIGNATURE_PATIENCE = 1.0
"""Seconds that a hover waits for jedi, which may take some for the first name of a large package."""

_NAME = re.compile(r"[^\W\d]\w*")


def register(server: DevlsServer) -> None:
    """Answer hovers."""
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)


async def hover(ls: DevlsServer, params: types.HoverParams) -> types.Hover | None:
    """Answer from the analysis of the text as it is now, or not at all."""
    document = ls.documents.around(params.text_document.uri)
    named = rule_names.told_of(ls, params.text_document.uri, params.position)
    if document is None or named is not None:
        return named
    position = document.snapshot.inside(params.text_document.uri, params.position)
    outcome = await ls.scheduler.current(document, PATIENCE)
    if outcome is None:
        return None
    index = outcome.analysis.source.index
    try:
        known = await _asked(ls, outcome, ls.positions.offset(index, position))
    except Exception:
        _logger.exception("no hover in %s", document.path)
        return None
    if known is None:
        return None
    found, experiment, place = known
    texts = [found.markdown] if found else []
    if experiment is not None and ls.settings.asks_torch(document.path):
        said = await ls.torch.ask(experiment, TORCH_PATIENCE if ls.torch.warm else 0)
        if said is not None and worth_saying(experiment, said):
            texts.append(part(said))
    if not texts and (place := _name_at(outcome.analysis.source, ls.positions.offset(index, position))):
        texts = await _signature(ls, document.path, outcome.analysis.source, place)
    if not texts or place is None:
        return None
    text = ls.client_capabilities.text_document
    formats = (text.hover.content_format if text and text.hover else None) or [types.MarkupKind.Markdown]
    kind = types.MarkupKind.Markdown if types.MarkupKind.Markdown in formats else types.MarkupKind.PlainText
    shown = document.snapshot.located(document.uri, ls.positions.range(index, place)).range
    return types.Hover(types.MarkupContent(kind, "\n\n---\n\n".join(texts)), shown)


def _name_at(source: Source, offset: int) -> Range | None:
    """The name around an offset, if there is one."""
    line = source.index.position(offset)[0]
    start = source.index.line_start(line)
    for each in _NAME.finditer(source.index.line_text(line)):
        if each.start() <= offset - start <= each.end():
            return Range(start + each.start(), start + each.end())
    return None


async def _signature(ls: DevlsServer, path: str, source: Source, place: Range) -> list[str]:
    """Jedi's account of a name that the engine has nothing to say of."""
    if not ls.settings.tells_signatures(path):
        return []
    row, column = source.index.position(place.start)
    said = await ls.signatures.ask((path, source.text, row + 1, column), SIGNATURE_PATIENCE)
    return [said] if said else []


async def _asked(ls: DevlsServer, outcome: Outcome, offset: int) -> _Known | None:
    """Facts at an offset; None if the engine does not come to it, or takes too long."""
    begun = threading.Event()

    def ask() -> _Known:
        begun.set()
        return _known(outcome, offset)

    ls.scheduler.make_way(GIVEN_UP)
    # The engine's thread: nothing is known of the values before somebody asks.
    future = ls.worker.submit(ask)
    await asyncio.wait({future}, timeout=AT_ONCE)
    if begun.is_set():
        await asyncio.wait({future}, timeout=PATIENCE)
    if future.done():
        return future.result()
    future.cancel()
    return None


def _known(outcome: Outcome, offset: int) -> _Known:
    found = outcome.analysis.hover(offset)
    return found, *_question(outcome, offset, found)


def _question(outcome: Outcome, offset: int, found: Hover | None) -> tuple[Experiment | None, Range | None]:
    """Question to torch: about a finding at this place, else about the expression; and the hover's range."""
    for each in outcome.analysis.diagnostics if outcome.shown else ():
        asked = each.question
        if asked is not None and asked.code and each.range.start <= offset <= each.range.end:
            return asked, found.range if found else each.range
    if found is None:
        return None, None
    experiment = found.question() if found.question is not None else None
    return experiment if experiment is not None and experiment.code else None, found.range
