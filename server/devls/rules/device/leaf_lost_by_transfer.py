"""leaf-lost-by-transfer: moving a leaf that requires grad returns a non-leaf."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import LeafLost
from devls.rules.device import wording
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Edit, Fix, Range

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("leaf-lost-by-transfer", on=LeafLost, level="warning")
def leaf_lost_by_transfer(event: LeafLost) -> Iterator[Finding]:
    """Report at the transfer, where the leaf was lost."""
    yield Finding(
        f"`{event.how}` returns a new tensor, which is no leaf: its `.grad` stays None, and an optimizer refuses it",
        event.moved,
        Confidence.LIKELY,
        fixes=_keep_leaf(event),
        notes=(Note(event.site, "its gradient is wanted here"),),
    )


def _keep_leaf(event: LeafLost) -> tuple[Fix, ...]:
    """Make it where it belongs, or make the moved tensor the leaf."""
    source, call = event.moved.source, event.moved.node
    if (
        source is not event.site.source
        or not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Attribute)
    ):
        return ()
    found = []
    made = call.func.value
    device = _target(source.slice(call.args[0])) if len(call.args) == 1 and call.func.attr == "to" else ""
    if call.func.attr == "cuda" and not call.args:
        device = '"cuda"'
    if (
        isinstance(made, ast.Call)
        and device
        and not call.keywords
        and "requires_grad" in {k.arg for k in made.keywords}
        and wording.takes_device(event.made, made)
    ):
        given = rewrite.add_argument(source, made, f"device={device}")
        behind = Edit(Range(source.range(made).end, source.range(call).end), "")
        found.append(Fix(f"Make it with `device={device}`", edits(given, behind), Applicability.SAFE))
    leaf = rewrite.append(source, call, ".detach().requires_grad_()")
    found.append(Fix("Make the moved tensor the leaf", edits(leaf), Applicability.UNSAFE))
    return fixes(*found)


def _target(text: str) -> str:
    return "" if text.startswith("torch.") and "device" not in text else text
