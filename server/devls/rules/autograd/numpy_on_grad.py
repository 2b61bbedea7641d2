"""numpy-on-grad: numpy refuses a tensor that requires grad."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import HostRead
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("numpy-on-grad", on=HostRead, level="error")
def numpy_on_grad(event: HostRead) -> Iterator[Finding]:
    """Report a conversion on the host; off it, host-read-on-device says both."""
    if event.off_host or not event.needs_grad:
        return
    operand = event.operand
    found: tuple[Fix, ...] = ()
    if event.inside:
        found = _where_put(event)
    elif isinstance(operand.node, ast.expr) and not isinstance(
        operand.node, (ast.List, ast.Tuple, ast.ListComp)
    ):
        edit = rewrite.append(event.site.source, operand.node, ".detach()")
        found = fixes(Fix("Insert `.detach()`", edits(edit), Applicability.SAFE))
    why = operand.tensor.grad_step
    put = () if event.put is None else (Note(event.put, "it is put there with its graph"),)
    sure = Confidence.LIKELY if event.presumed else Confidence.CERTAIN
    yield Finding(
        f"`{event.how}` cannot read `{operand.text}`, which requires grad: torch raises"
        ' "Can\'t call numpy() on Tensor that requires grad"',
        event.site,
        Confidence.POSSIBLE if event.possible else sure,
        fixes=found,
        notes=(
            *put,
            *((Note(why.site, f"it requires grad from here on: {why.what}"),) if why is not None else ()),
        ),
    )


def _where_put(event: HostRead) -> tuple[Fix, ...]:
    """What is put into a list that numpy reads, without its graph: a number where it is one."""
    put, tensor = event.put, event.operand.tensor
    if put is None or not isinstance(put.node, ast.expr):
        return ()
    ways = (".item()", ".detach()") if tensor.shape == () else (".detach()",)
    text = repairs.as_receiver(put.source, put.node)
    kept = (
        Fix(f"Keep `{text}{way}`", edits(rewrite.append(put.source, put.node, way)), Applicability.UNSAFE)
        for way in ways
    )
    return repairs.elsewhere(fixes(*kept), put.source)
