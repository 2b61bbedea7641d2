"""Evidence against gradients that are added up over several backwards without scaling the losses down."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import LossNotScaled
from devls.engine.evidence import test_code
from devls.engine.evidence.presumptions import against
from devls.syntax.nodes import walk
from devls.values.facts import fact

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


@fact
class AccumulationCase:
    """A backward in a loop over as many parts as make one step."""

    loop: ast.For
    count: str  # the expression of how many these are


@against(
    LossNotScaled,
    "unit-test",
    "a test of two ways compares what both come to",
    seen="tests/specs/grad_modes.md:600",
)
def unit_test(case: AccumulationCase, m: Machine) -> bool:
    """Or a method that helps one."""
    del case
    return test_code.in_unit_test(m)


@against(
    LossNotScaled,
    "loop-divides",
    "the loop divides by that number, and code out of sight hands out the loss",
    seen="tests/specs/training_ahead.md:239",
)
def loop_divides(case: AccumulationCase, m: Machine) -> bool:
    """Whatever it is that is divided."""
    return _divides(m, case.loop, case.count)


def _divides(m: Machine, loop: ast.For, count: str) -> bool:
    """Whether the loop divides something by that number, before code that we do not see hands out what backward is called on."""
    return any(
        isinstance(each, (ast.BinOp, ast.AugAssign))
        and isinstance(each.op, ast.Div)
        and count in map(m.text, _factors(each.right if isinstance(each, ast.BinOp) else each.value))
        for each in walk(loop)
    )


def _factors(node: ast.expr) -> list[ast.expr]:
    """Factors of a divisor."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [*_factors(node.left), *_factors(node.right)]
    return [node]
