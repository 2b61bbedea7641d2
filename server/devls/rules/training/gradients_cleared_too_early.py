"""gradients-cleared-too-early: gradients are gone before a step uses them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import GradientsLost, GradientsUnused, StepWithoutGradients
from devls.engine.core.events.protocols import ClippedTooLate, ClosureLacking, GradientsGone
from devls.rules import repairs
from devls.rules.mending import mended
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import block_of
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source
    from devls.text.edits import Edit


_CLOSURES = {
    "none": "`{}` computes the loss several times in one step: torch raises without a function that clears the gradients, computes"
    " them again, and returns the loss",
    "gives nothing": "the function that `{}` is given does not return the loss: torch raises",
}


@rule("gradients-cleared-too-early", on=GradientsUnused, level="warning")
def gradients_cleared_too_early(event: GradientsUnused) -> Iterator[Finding]:
    """Report at the clearing, at the step that comes before any backward, or at the clipping after it."""
    if isinstance(event, GradientsLost) and event.now_and_then:
        yield Finding(
            f"`{event.optimizer}` steps only in every n-th iteration, but is cleared in each: the gradients of the others are lost",
            event.site,
            Confidence.LIKELY,
            fixes=_clear_behind(event),
            notes=(Note(event.backward, "they are computed here"),) if event.backward is not None else (),
        )
    elif isinstance(event, GradientsLost) and event.never:
        yield Finding(
            f"`{event.optimizer}` is cleared in each iteration, and never steps: it trains nothing",
            event.site,
            Confidence.LIKELY,
            fixes=_step_behind(event),
            notes=(Note(event.backward, "its gradients are computed here"),)
            if event.backward is not None
            else (),
        )
    elif isinstance(event, GradientsLost):
        yield Finding(
            f"`{event.optimizer}` clears gradients that no step has used: the backward that computed them is lost",
            event.site,
            Confidence.LIKELY,
            fixes=_clear_before(event),
            notes=(Note(event.backward, "they were computed here"),) if event.backward is not None else (),
        )
    elif isinstance(event, StepWithoutGradients):
        yield _in_vain(event)
    elif isinstance(event, GradientsGone):
        yield Finding(
            f"`{event.text}` is None here: `zero_grad` has removed it",
            event.site,
            Confidence.CERTAIN,
            level="error",
            notes=(Note(event.cleared, "it is cleared here"),),
        )
    elif isinstance(event, ClosureLacking):
        yield Finding(
            _CLOSURES[event.problem].format(event.optimizer), event.site, Confidence.CERTAIN, level="error"
        )
    elif isinstance(event, ClippedTooLate):
        yield _clipped(event)


def _in_vain(event: StepWithoutGradients) -> Finding:
    """A step before any backward, or of parameters that none has reached."""
    if event.backward is None:
        why = "when its gradients have been removed" if event.removed else "before any backward"
        return Finding(
            f"`{event.optimizer}` steps {why}: no parameter has a gradient, and nothing changes",
            event.site,
            Confidence.LIKELY,
            fixes=_step_after(event),
        )
    called = Note(event.backward, "this backward reaches other parameters")
    if event.made is not None:
        return Finding(
            f"`{event.optimizer}` holds the parameters of `{event.twin}`, and none that a backward before its step reaches",
            event.made,
            Confidence.LIKELY,
            notes=(Note(event.site, f"`{event.optimizer}` steps here"), called),
        )
    if event.cut is None:
        return Finding(
            f"`{event.optimizer}` steps, but no backward so far reaches a parameter that it holds: nothing changes",
            event.site,
            Confidence.LIKELY,
            fixes=_step_after(event),
            notes=(called,),
        )
    return Finding(
        f"`{event.optimizer}` cannot change what it holds: {event.cut.what}, and no backward so far reaches its parameters",
        event.cut.site,
        Confidence.LIKELY,
        fixes=mended(event.cut, event.cut.site.source),
        notes=(Note(event.site, f"`{event.optimizer}` steps here"), called),
    )


def _clipped(event: ClippedTooLate) -> Finding:
    """Clipping that changes nothing, since it comes before the backward, or after the step."""
    source = event.site.source
    if event.early:
        moved = repairs.moved_behind(source, event.statement, event.step_statement)
        return Finding(
            "these gradients are clipped before the backward computes them: the clipping changes nothing",
            event.site,
            Confidence.LIKELY,
            fixes=fixes(Fix("Clip after the backward", moved, Applicability.UNSAFE)),
            notes=(Note(event.step, "the backward is here"),),
        )
    same = event.step.source is source and event.step.calls == event.site.calls
    moved = repairs.moved_before(source, event.statement, event.step_statement) if same else ()
    return Finding(
        "these gradients were used by a step before they are clipped here: the clipping changes nothing",
        event.site,
        Confidence.LIKELY,
        fixes=fixes(Fix("Clip before the step", moved, Applicability.UNSAFE)),
        notes=(Note(event.step, "the step is here"),),
    )


def _step_behind(event: GradientsLost) -> tuple[Fix, ...]:
    backward, source = event.backward, event.site.source
    if backward is None or backward.source is not source or backward.calls != event.site.calls:
        return ()
    walked = repairs.statement_of(source, backward.node)
    behind = None if walked is None else rewrite.insert_after(source, walked, f"{event.optimizer}.step()")
    return fixes(Fix("Step after the backward", edits(behind), Applicability.UNSAFE))


def _clear_behind(event: GradientsLost) -> tuple[Fix, ...]:
    """Clear them where a step has used them."""
    source, cleared = event.site.source, event.statement
    if event.step is None or not isinstance(cleared, ast.Expr):
        return ()
    gone = rewrite.delete_statement(source, cleared)
    behind = rewrite.insert_after(source, event.step, source.slice(cleared))
    return fixes(Fix("Clear them after the step", edits(gone, behind), Applicability.UNSAFE))


def _clear_before(event: GradientsLost) -> tuple[Fix, ...]:
    backward, source = event.backward, event.site.source
    moved: tuple[Edit, ...] = ()
    if backward is not None and backward.source is source and backward.calls == event.site.calls:
        moved = repairs.moved_before(source, event.statement, repairs.statement_of(source, backward.node))
    elif backward is not None:
        # Two methods of one: what is here of the backward is the call that leads to it.
        cleared, walked = repairs.where_they_part(event.site, backward)
        if cleared is event.site and walked.source is source:
            moved = repairs.moved_before(source, event.statement, repairs.statement_of(source, walked.node))
    if moved:
        return fixes(Fix("Clear them before the backward", moved, Applicability.UNSAFE))
    if backward is None and event.step is not None:
        moved = repairs.moved_behind(source, event.statement, event.step)
    moved = moved or repairs.moved_behind(source, event.statement, _step_below(source, event.statement))
    if moved:
        return fixes(Fix("Clear them after the step", moved, Applicability.UNSAFE))
    # Their place is a matter of the whole loop, which is asked for it when they are not cleared here.
    gone = (
        rewrite.delete_statement(source, event.statement) if isinstance(event.statement, ast.Expr) else None
    )
    return fixes(Fix("Do not clear them here", edits(gone), Applicability.UNSAFE))


def _step_below(source: Source, cleared: ast.stmt | None) -> ast.stmt | None:
    """The step of the same optimizer that follows in the same block."""
    block = block_of(source, cleared) if cleared is not None else None
    if block is None or cleared is None or not isinstance(cleared, ast.Expr):
        return None
    optimizer = _receiver(source, cleared.value)
    for each in block[block.index(cleared) + 1 :]:
        call = each.value if isinstance(each, (ast.Expr, ast.Assign)) else None
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "step"
            and optimizer in (_receiver(source, call), *(source.slice(given) for given in call.args))
        ):
            return each
    return None


def _receiver(source: Source, call: ast.expr) -> str:
    function = call.func if isinstance(call, ast.Call) else None
    return source.slice(function.value) if isinstance(function, ast.Attribute) else ""


def _step_after(event: StepWithoutGradients) -> tuple[Fix, ...]:
    """If a backward follows in the same block, the step belongs behind it."""
    source, step = event.site.source, event.statement
    block = block_of(source, step) if step is not None else None
    if block is None or step is None:
        return ()
    for each in block[block.index(step) + 1 :]:
        call = each.value if isinstance(each, ast.Expr) else None
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "backward"
        ):
            moved = repairs.moved_behind(source, step, each)
            return fixes(Fix("Step after the backward", moved, Applicability.UNSAFE))
    return ()
