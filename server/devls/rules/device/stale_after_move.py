"""stale-after-move: what was taken from a module before it was moved is used after that."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import Cause, DevicesMixed
from devls.rules import repairs
from devls.rules.device import wording
from devls.rules.rule import Finding, Note, fixes, rule
from devls.syntax.layout import block_of
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("stale-after-move", on=DevicesMixed, level="error")
def stale_after_move(event: DevicesMixed) -> Iterator[Finding]:
    """Report where the old one is used."""
    if event.cause is not Cause.STALE:
        return
    stray, anchor = event.stray, event.anchor
    what = f"the buffer `{event.attribute}`" if event.attribute else "a module's tensors"
    note = "the module is moved here, and makes a new one" if event.attribute else "it is taken here"
    yield Finding(
        f"{wording.named(stray.text)} was taken from {what} before the module was moved, and is still"
        f" {wording.place(stray, event.comparison.left)}; {wording.named(anchor.text)} is"
        f" {wording.place(anchor, event.comparison.right)}: {wording.consequence(event)}",
        event.site,
        wording.confidence(event),
        fixes=(*_taken_later(event), *wording.move_stray(event)),
        notes=(
            *((Note(event.attribute_site, note),) if event.attribute_site is not None else ()),
            *wording.notes(anchor),
        ),
    )


def _taken_later(event: DevicesMixed) -> tuple[Fix, ...]:
    """`average = Average(model)` behind the `model.to(device)` that it stands before, in the function that has both."""
    move = event.anchor.step
    if move is None or move.kind != "moved" or not isinstance(move.site.node, ast.Call):
        return ()
    source, function = move.site.source, move.site.node.func
    at = repairs.statement_of(source, move.site.node)
    block = block_of(source, at) if at is not None else None
    used = next(
        (
            each
            for each in (*event.site.calls, event.site)
            if each.source is source and each.calls == move.site.calls
        ),
        None,
    )
    if block is None or at not in block or used is None or not isinstance(function, ast.Attribute):
        return ()
    user = repairs.statement_of(source, used.node)
    module, above = source.slice(function.value), block[: block.index(at)]
    names = repairs.read_by(user) if user is not None else set[str]()
    taken = [
        each
        for each in above
        if isinstance(each, ast.Assign)
        and repairs.bound_by(each) & names
        and module in repairs.read_by(each)
        and module not in repairs.bound_by(each)
    ]
    if len(taken) != 1 or any(
        repairs.bound_by(taken[0]) & repairs.read_by(each) for each in above[above.index(taken[0]) + 1 :]
    ):
        return ()
    moved = repairs.moved_behind(source, taken[0], at)
    fix = Fix("Take it after the move", moved, Applicability.UNSAFE)
    return repairs.elsewhere(fixes(fix), source)
