"""missing-detach: a target or a weight that a model has estimated itself is in the graph of the loss."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.protocols import EstimateInGraph
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

_REWARD: Final = re.compile(r"(?i)rew|(?<![a-z])rs?(?![a-z])(?!\()")
"""Names that programs give the known part of a target. Other sums of this form may be meant (steps of a solver)."""


@rule("missing-detach", on=EstimateInGraph, level="warning")
def missing_detach(event: EstimateInGraph) -> Iterator[Finding]:
    """Report at the target, or where the weight is used."""
    made = event.made
    text = " ".join(event.site.source.slice(made).split())
    simple = isinstance(made, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    edit = rewrite.replace(
        event.site.source,
        made,
        f"{event.site.source.slice(made)}.detach()" if simple else f"({text}).detach()",
    )
    found = fixes(Fix("Detach it", edits(edit), Applicability.UNSAFE))
    told = _told(event, text)
    if told is None:
        return
    said, confidence, notes = told
    yield Finding(said, event.site, confidence, fixes=found, notes=notes)


def _told(event: EstimateInGraph, text: str) -> tuple[str, Confidence, tuple[Note, ...]] | None:
    """The message, how sure it is, and the other places; None for a sum that may be meant."""
    both = Note(event.backward, "and backward goes through both")
    computed = Note(event.other, "it is computed here")
    if event.role == "copy":
        said = (
            f"`{text}` comes from a copy of the trained network, and is in the graph: backward also computes gradients of"
            " the copy, which nothing uses"
        )
        return said, Confidence.LIKELY, (Note(event.backward, "backward goes through it here"),)
    if event.role == "evaluated":
        said = (
            f"`{text}` comes from a model in eval mode and is in the graph: the loss also moves this model towards the other"
            " one, and the optimizer holds its parameters. Detach it"
        )
        return said, Confidence.LIKELY, (computed, both)
    if event.role == "ratio":
        said = (
            f"`{text}` is in the graph as `{event.parts[1]}` is, and says the same of the same actions: their gradients cancel, and"
            " the policy learns nothing from the ratio. Detach it"
        )
        return said, Confidence.CERTAIN, (computed, both)
    if event.role == "target":
        if not any(_REWARD.search(each) for each in event.parts):
            return None
        said = (
            f"the target `{text}` is in the graph: backward also moves the target towards the prediction, not only the"
            " prediction towards the target. Detach it"
        )
        return said, Confidence.CERTAIN, (Note(event.other, "it is compared with the value here"), both)
    said = (
        f"`{text}` weights a log-probability and is in the graph: the policy's loss also trains what made this"
        " estimate. Detach it"
    )
    return said, Confidence.CERTAIN, (computed, Note(event.backward, "and backward goes through it"))
