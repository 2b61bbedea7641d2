"""frozen-in-vain: a flag that freezes nothing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import FlagWithoutEffect
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("frozen-in-vain", on=FlagWithoutEffect, level="warning")
def frozen_in_vain(event: FlagWithoutEffect) -> Iterator[Finding]:
    """Report at the assignment, or at the comparison that was to be one."""
    if event.problem in _OTHERS:
        yield _other(event)
        return
    found: tuple[Fix, ...] = ()
    source = event.site.source
    if (
        isinstance(event.statement, ast.Assign)
        and event.value is not None
        and "of a leaf" not in event.problem
        and "flag of its own" not in event.problem
    ):
        code = f"{source.slice(event.receiver)}.requires_grad_({source.slice(event.value)})"
        edit = rewrite.replace(source, event.statement, code)
        found = fixes(Fix(f"Use `{code}`", edits(edit), Applicability.UNSAFE))
    elif "of a leaf" in event.problem:
        found = _detached(event)
    effect = "torch raises" if "of a leaf" in event.problem else "nothing is frozen"
    yield Finding(
        f"`{event.text}.{event.attribute} = ...`: {event.problem}, so {effect}",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
    )


def _detached(event: FlagWithoutEffect) -> tuple[Fix, ...]:
    """`x = x.detach()` in the place of `x.requires_grad = False`: so torch says itself."""
    source, statement, value = event.site.source, event.statement, event.value
    if (
        not isinstance(statement, ast.Assign)
        or not isinstance(event.receiver, ast.Name)
        or not isinstance(value, ast.Constant)
        or value.value is not False
        or len(statement.targets) > 1
        or not repairs.is_read_later(source, statement, event.receiver.id)
    ):
        return ()
    code = f"{event.receiver.id} = {event.receiver.id}.detach()"
    return fixes(Fix(f"Use `{code}`", edits(rewrite.replace(source, statement, code)), Applicability.UNSAFE))


_OTHERS = {
    "compared": "`{text}.{attribute} == ...` compares, and sets nothing",
    "wrapped before": "the flag of `{text}` is set after `DistributedDataParallel` has wrapped it, which waits for its gradient: torch"
    " raises in the next iteration. Set it before",
    "wrapped frozen": "`{text}` was frozen when `DistributedDataParallel` wrapped it: no gradient of it is exchanged, and the copies part."
    " Set the flag before",
    "setting": "`{text}.{attribute} = ...` changes nothing: the settings of an optimizer are in its `param_groups`",
}


def _other(event: FlagWithoutEffect) -> Finding:
    source = event.site.source
    found: tuple[Fix, ...] = ()
    if event.problem == "compared" and event.value is not None and isinstance(event.statement, ast.Expr):
        code = f"{source.slice(event.receiver)}.{event.attribute} = {source.slice(event.value)}"
        edit = rewrite.replace(source, event.statement, code)
        found = fixes(Fix(f"Set it: `{code}`", edits(edit), Applicability.UNSAFE))
    return Finding(
        _OTHERS[event.problem].format(text=event.text, attribute=event.attribute),
        event.site,
        Confidence.CERTAIN,
        fixes=found,
    )
