"""grad-of-non-leaf: `.grad` stays None on what is no leaf."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter.events import GradRead
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("grad-of-non-leaf", on=GradRead, level="warning")
def grad_of_non_leaf(event: GradRead) -> Iterator[Finding]:
    """Report at the read."""
    if event.lost:
        return
    text = event.text
    found: tuple[Fix, ...] = ()
    if event.backward is not None and isinstance(event.receiver, (ast.Name, ast.Attribute)):
        edit = rewrite.insert_before(event.site.source, event.backward, f"{text}.retain_grad()")
        found = fixes(
            Fix(f"Call `{text}.retain_grad()` before the backward", edits(edit), Applicability.SAFE)
        )
    made = event.tensor.origin
    yield Finding(
        f"`{text}` is not a leaf: its `.grad` is None after backward, unless `{text}.retain_grad()` is called before",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        notes=(Note(made, f"`{text}` is the result of an operation"),) if made is not None else (),
    )
