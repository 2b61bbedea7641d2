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
    if event.role == "copy":
        yield Finding(
            f"`{text}` comes from a copy of the trained network, and is in the graph: backward also computes gradients of"
            " the copy, which nothing uses",
            event.site,
            Confidence.LIKELY,
            fixes=found,
            notes=(Note(event.backward, "backward goes through it here"),),
        )
        return
    if event.role == "evaluated":
        yield Finding(
            f"`{text}` comes from a model in eval mode and is in the graph: the loss also moves this model towards the other"
            " one, and the optimizer holds its parameters. Detach it",
            event.site,
            Confidence.LIKELY,
            fixes=found,
            notes=(
                Note(event.other, "it is computed here"),
                Note(event.backward, "and backward goes through both"),
            ),
        )
        return
    if event.role == "ratio":
        yield Finding(
            f"`{text}` is in the graph as `{event.parts[1]}` is, and says the same of the same actions: their gradients cancel, and"
            " the policy learns nothing from the ratio. Detach it",
            event.site,
            Confidence.CERTAIN,
            fixes=found,
            notes=(
                Note(event.other, "it is computed here"),
                Note(event.backward, "and backward goes through both"),
            ),
        )
        return
    if event.role == "target":
        if not any(_REWARD.search(each) for each in event.parts):
            return
        yield Finding(
            f"the target `{text}` is in the graph: backward also moves the target towards the prediction, not only the"
            " prediction towards the target. Detach it",
            event.site,
            Confidence.CERTAIN,
            fixes=found,
            notes=(
                Note(event.other, "it is compared with the value here"),
                Note(event.backward, "and backward goes through both"),
            ),
        )
        return
    yield Finding(
        f"`{text}` weights a log-probability and is in the graph: the policy's loss also trains what made this"
        " estimate. Detach it",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        notes=(
            Note(event.other, "it is computed here"),
            Note(event.backward, "and backward goes through it"),
        ),
    )
