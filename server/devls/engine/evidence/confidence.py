"""What a finding rests on beside what is seen: how much has to be presumed for it to be so.

A function that runs by itself is given symbols. That one of them, or the module, is on an accelerator is presumed of every finding
there, and holds wherever somebody has one. Whatever else has to come about for two sides to meet is presumed on top of that, and each
presumption is about other code, which may see to it that it does not hold. Common ones count half; as much as a whole one makes a
finding possible only.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.events import Cause
from devls.syntax.layout import ancestors
from devls.values.conditions import IS_NONE, Condition, Either, cases, parts
from devls.values.devices import NamedDevice, Verdict
from devls.values.history import Step

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.devices import Comparison
    from devls.values.history import Site

_HALF: Final = 1
_WHOLE: Final = 2
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def is_weak(
    m: Machine,
    node: ast.AST,
    stray: Operand,
    anchor: Operand,
    comparison: Comparison,
    cause: Cause,
    *,
    made_here: bool,
) -> bool:
    """Whether too much has to be presumed for two operands of what `node` does to be in different places.

    `made_here` says that the running function has made the stray.
    """
    if not _by_itself(m, comparison):
        return False
    step = stray.step
    of_run = made_here or (isinstance(step, Step) and step.kind == "created" and within(m, step.site))
    # One way through what runs makes the stray, however many tests there are on it: it was written to be taken.
    own = [test for test in comparison.free if of_run and not _depends(anchor.device, test)]
    presumed = _HALF if own else 0
    presumed += _of_tests(comparison, [test for test in comparison.free if test not in own])
    if anchor.node is None and _is_out_of_sight(comparison.right) and not _is_first(node, stray):
        presumed += _HALF
    if not of_run and _has_been_kept(stray, comparison.right, cause):
        presumed += _WHOLE
    return presumed >= _WHOLE


def _of_tests(comparison: Comparison, tests: Iterable[Condition]) -> int:
    """What it takes for tests to come out as they have to; nothing if the sides are apart however they do."""
    return 0 if comparison.always else sum(_HALF if _whether_given(test) else _WHOLE for test in tests)


def _by_itself(m: Machine, comparison: Comparison) -> bool:
    """Whether an accelerator is presumed, of a function that runs by itself: a program is what its own lines make of it."""
    return comparison.verdict is Verdict.WHEN_ACCELERATED and any(each.symbolic for each in m.frames)


def _whether_given(test: Tree) -> bool:
    """Whether a test, with all that it combines, only asks for what may be left out: `mask is None`."""
    if isinstance(test, Either):
        return all(_whether_given(each) for each in (test.condition, test.then, test.otherwise))
    if not isinstance(test, Condition):
        return True
    combined = parts(test)
    if combined is not None:
        return _whether_given(combined)
    return isinstance(test.key, tuple) and test.key[0] == IS_NONE


def _depends(device: Tree, test: Condition) -> bool:
    """Whether a test has to do with where something is."""
    return any(test in tests for tests, _ in cases(device))


def _is_out_of_sight(place: Tree) -> bool:
    """Whether it is where the parameters of a model are of which no code is seen: it may do with its inputs what it likes."""
    key = place.key if isinstance(place, NamedDevice) else None
    owner = key[1] if isinstance(key, tuple) and len(key) > 1 else None
    return isinstance(owner, tuple) and owner[:1] == ("parameter of",)


def _is_first(node: ast.AST, operand: Operand) -> bool:
    """Whether something is what a call is about, and not what it is given beside."""
    return isinstance(node, ast.Call) and operand.node in node.args[:1]


def _has_been_kept(stray: Operand, place: Tree, cause: Cause) -> bool:
    """Whether something was made elsewhere, and kept until it met an argument: whoever gives that may have moved it."""
    step = stray.step
    return (
        isinstance(place, NamedDevice)
        and not place.chosen
        and cause is not Cause.ATTRIBUTE
        and isinstance(step, Step)
        and step.kind == "created"
        and any(isinstance(each, _FUNCTIONS) for each in ancestors(step.site.source, step.site.node))
    )


def within(m: Machine, site: Site) -> bool:
    """Whether something happened in a function that is running, or was called by it."""
    first = site.calls[0] if site.calls else site
    return any(
        frame.function is not None
        and first.source is frame.function.source
        and frame.function.node.lineno <= first.key[1] <= (frame.function.node.end_lineno or 0)
        for frame in m.frames
    )
