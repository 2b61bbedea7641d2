"""What speaks against conversions to numpy that fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import HostRead
from devls.engine.evidence import batch_provenance, dual_backend, grad_mode, path_conditions
from devls.engine.evidence.presumptions import HALF, against, rests_on
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
    presumed: bool = False
    """Whether it requires grad as far as a model of which no code is seen has parameters to train."""


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
    "exports-module",
    "a method exports its module, which is done on the CPU",
    aspect="device",
    seen="tests/specs/meanwhile.md:451",
)
def exports_module(case: HostReadCase, m: Machine) -> bool:
    """Going by its name."""
    del case
    return any(
        each.symbolic and each.function is not None and batch_provenance.exports(each.function.name)
        for each in m.frames
    )


@against(
    HostRead,
    "written-for-both",
    "the code says what to do with arrays, and what with tensors",
    aspect="device",
    seen="tests/specs/numpy.md:356",
)
def written_for_both(case: HostReadCase, m: Machine) -> bool:
    """Whoever writes both sides gives numpy what torch would not take."""
    return case.how != ".numpy()" and dual_backend.is_meant(m.source, case.node)


@against(
    HostRead,
    "callers-disable-grad",
    "who calls the function wants numbers, and may have switched gradients off",
    aspect="grad",
    seen="tests/specs/numpy.md:155",
)
def callers_disable_grad(case: HostReadCase, m: Machine) -> bool:
    """Going by its name: in a package, or where the gradient is presumed."""
    return grad_mode.may_be_without_grad(m, in_packages=not case.presumed)


@rests_on(
    HostRead,
    "unseen-model-trained",
    "a model of which no code is seen has parameters that require grad",
    aspect="grad",
    weight=HALF,
    seen="tests/specs/fragments.md:318",
)
def unseen_model_trained(case: HostReadCase, m: Machine) -> int:
    """Nobody has switched gradients off around its call."""
    del m
    return int(case.presumed)


@rests_on(
    HostRead,
    "nothing-trains-here",
    "such a model is not trained in this file, and was not frozen elsewhere",
    aspect="grad",
    weight=HALF,
    seen="tests/specs/fragments.md:331",
)
def nothing_trains_here(case: HostReadCase, m: Machine) -> int:
    """What only runs a model may have been given one that needs no gradients: an embedder, a vocoder."""
    return int(case.presumed and "backward" not in m.source.text)
