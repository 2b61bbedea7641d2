"""checkpoint-reentrant: a checkpoint takes torch's older way where that trains nothing, or does not say which way it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.calls import CheckpointVague
from devls.rules.rule import Confidence, Finding, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("checkpoint-reentrant", on=CheckpointVague, level="warning")
def checkpoint_reentrant(event: CheckpointVague) -> Iterator[Finding]:
    """Report at the call; that it is left unsaid is a remark."""
    source = event.site.source
    if event.argument is not None:
        edit = rewrite.replace(source, event.argument, "False")
    else:
        edit = rewrite.add_argument(source, event.call, "use_reentrant=False")
    found = fixes(Fix("Use `use_reentrant=False`", edits(edit), Applicability.SAFE))
    if event.problem == "no grad":
        yield Finding(
            "no input of this checkpoint requires grad, so with `use_reentrant=True` its parameters get no gradient"
            " either: they are not trained",
            event.site,
            Confidence.CERTAIN,
            fixes=found,
        )
        return
    yield Finding(
        "torch warns where `use_reentrant` is not given: it has two kinds of checkpoints, and recommends `use_reentrant=False`",
        event.site,
        Confidence.CERTAIN,
        fixes=found,
        level="info",
    )
