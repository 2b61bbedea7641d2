"""scheduler-before-optimizer: the first learning rate is skipped."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import SchedulerFirst, SchedulerIdle
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, block_of
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source


_IDLE = {
    "never": "nothing steps `{scheduler}`: the learning rate of `{optimizer}` stays as it is",
    "other": "`{scheduler}` changes the learning rate of an optimizer that never steps: another one, which has the same"
    " parameters, does",
    "per batch": "`{scheduler}` is as long as there are epochs, and steps with each batch: it is over in the first epochs, or turns"
    " back. Step it once per epoch",
    "per epoch": "`{scheduler}` counts the batches of all epochs, and steps once per epoch: it never gets beyond its beginning."
    " Step it with each batch",
    "made anew": "`{scheduler}` is made anew in each iteration, and steps once: it never gets beyond its first step. Make it before the loop",
    "no metric": "`{scheduler}` watches a metric, and `step()` is given none: torch raises a `TypeError`",
    "epoch watched": "`{scheduler}` watches the number of the epoch in place of a metric: it only grows, and the learning rate"
    " falls whatever the loss does",
}

_RAISES = frozenset({"no metric"})


@rule("scheduler-before-optimizer", on=SchedulerFirst, level="warning")
def scheduler_before_optimizer(event: SchedulerFirst) -> Iterator[Finding]:
    """Report at the step of the scheduler, or where it is made."""
    if isinstance(event, SchedulerIdle):
        is_step = event.site is not event.step
        yield Finding(
            _IDLE[event.problem].format(scheduler=event.scheduler, optimizer=event.optimizer),
            event.site,
            Confidence.CERTAIN if event.problem in _RAISES else Confidence.LIKELY,
            level="error" if event.problem in _RAISES else "",
            notes=(Note(event.step, f"`{event.scheduler}` is made here"),) if is_step else (),
        )
        return
    yield Finding(
        f"`{event.scheduler}` steps before `{event.optimizer}` does: the first value of the learning rate is skipped",
        event.site,
        Confidence.CERTAIN,
        fixes=_swap(event),
        notes=(Note(event.step, f"`{event.optimizer}` steps here"),),
    )


def _swap(event: SchedulerFirst) -> tuple[Fix, ...]:
    """Move the statement behind that of the optimizer, where both stand in one block."""
    source, first, second = event.site.source, event.statement, event.step_statement
    if event.step.calls != event.site.calls:
        one, other = repairs.where_they_part(event.site, event.step)
        if one.source is not source or other.source is not source:
            return ()
        moved = repairs.moved_behind(
            source, repairs.statement_of(source, one.node), repairs.statement_of(source, other.node)
        )
        return fixes(Fix(f"Step `{event.scheduler}` after `{event.optimizer}`", moved, Applicability.UNSAFE))
    if not (isinstance(first, ast.Expr) and isinstance(second, ast.Expr)) or event.step.source is not source:
        return ()
    behind = _in_block_of(source, second, first)
    if behind is None:
        return ()
    moved = edits(
        rewrite.delete_statement(source, first), rewrite.insert_after(source, behind, source.slice(first))
    )
    return fixes(Fix(f"Step `{event.scheduler}` after `{event.optimizer}`", moved, Applicability.UNSAFE))


def _in_block_of(source: Source, step: ast.stmt, scheduler: ast.stmt) -> ast.stmt | None:
    """The statement of the scheduler's block that the optimizer's step is or stands in, as in a loop over batches."""
    block = block_of(source, scheduler) or []
    around = {id(each) for each in (step, *ancestors(source, step))}
    found = next((each for each in block if id(each) in around), None)
    return None if found is scheduler or isinstance(found, (ast.If, ast.While, ast.Try)) else found
