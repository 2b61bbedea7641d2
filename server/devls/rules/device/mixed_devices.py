"""mixed-devices: one operation is given tensors on different devices."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from devls.engine.core.events.events import Cause, DevicesMixed
from devls.rules.device import wording
from devls.rules.rule import Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


_SPECIAL = frozenset(
    {Cause.LAYER_INPUT, Cause.ATTRIBUTE, Cause.MODULE, Cause.STATE, Cause.RENAMED, Cause.STALE}
)
"""Causes with rules of their own."""


@rule("mixed-devices", on=DevicesMixed, level="error")
def mixed_devices(event: DevicesMixed) -> Iterator[Finding]:
    """Report what no more special rule explains."""
    if event.cause in _SPECIAL or (event.cause is Cause.CREATED and event.creation is not None):
        return
    stray, anchor = event.stray, event.anchor
    own = f".{stray.parameter}" if stray.node is None and stray.parameter.isidentifier() else ""
    yield Finding(
        f"`{stray.text}{own}` is {wording.place(stray, event.comparison.left)}, but {wording.named(anchor.text)} is"
        f" {wording.place(anchor, event.comparison.right)}: {wording.consequence(event)}",
        event.site,
        wording.confidence(event),
        fixes=_all_ways(event),
        notes=wording.notes(stray, anchor),
    )


def _all_ways(event: DevicesMixed) -> tuple[Fix, ...]:
    """All that mends it: one tensor is moved, of a whole list the one that is not like the others is made there."""
    here, there = wording.move_stray(event), wording.create_there(event)
    if event.stray.step is not None and event.stray.step.kind == "built":
        # A module that nothing moves has computed it: perhaps that was forgotten, and perhaps it is meant.
        here = tuple(replace(each, applicability=Applicability.UNSAFE) for each in here)
    first = (*there, *here) if event.all_of_list else (*here, *there)
    origin = wording.move_at_origin(event)
    # A result of another function is mended there.
    ways = (
        (*origin, *first) if event.stray.node is not None and event.origin is not None else (*first, *origin)
    )
    made, given = wording.create_beside(event), wording.move_given(event)
    return (*made, *wording.move_batch(event), *given, *ways, *_move_layer(event))


def _move_layer(event: DevicesMixed) -> tuple[Fix, ...]:
    """`criterion.to(x.device)(x, y)`, where the stray is a tensor of `criterion` itself."""
    source, call = event.site.source, event.site.node
    if (
        not isinstance(call, ast.Call)
        or not isinstance(call.func, (ast.Name, ast.Attribute))
        or not event.target
    ):
        return ()
    layer = source.slice(call.func)
    if event.stray.text != layer and not event.stray.text.startswith(f"{layer}."):
        return ()
    edit = rewrite.append(source, call.func, f".to({event.target})")
    return fixes(Fix(f"Move `{layer}` to `{event.target}`", edits(edit), Applicability.SAFE))
