"""frozen-in-vain: a flag that freezes nothing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import FlagWithoutEffect
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("frozen-in-vain", on=FlagWithoutEffect, level="warning")
def frozen_in_vain(event: FlagWithoutEffect) -> Iterator[Finding]:
    """Report at the assignment."""
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
    effect = "torch raises" if "of a leaf" in event.problem else "nothing is frozen"
    yield Finding(
        f"`{event.text}.{event.attribute} = ...`: {event.problem}, so {effect}",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
    )
