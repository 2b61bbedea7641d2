"""What speaks against conversions to numpy that fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import HostRead
from devls.engine.evidence import grad_mode, path_conditions
from devls.engine.evidence.presumptions import against
from devls.values.facts import fact

if TYPE_CHECKING:
    import ast

    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.values.devices import Comparison


@fact
class HostReadCase:
    """One conversion, and where the tensor is, compared with the CPU."""

    node: ast.expr
    how: str
    operand: Operand
    comparison: Comparison


@against(
    HostRead,
    "place-is-tested",
    "where it stays on an accelerator something else is found to be on none",
    aspect="device",
    seen="tests/specs/evidence.md:9",
)
def place_is_tested(case: HostReadCase, m: Machine) -> bool:
    """`if x.is_cuda`."""
    del m
    return any(path_conditions.whereabouts(test) for test, _ in case.comparison.conditions)


@against(
    HostRead,
    "callers-disable-grad",
    "who calls the function wants numbers, and may have switched gradients off",
    aspect="grad",
    seen="tests/specs/numpy.md:155",
)
def callers_disable_grad(case: HostReadCase, m: Machine) -> bool:
    """Going by its name, in a package."""
    del case
    return grad_mode.may_be_without_grad(m, in_packages=True)
