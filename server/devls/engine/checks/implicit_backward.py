"""The backward that somebody will call: what a module's `forward` returns is trained through, sooner or later.

A library of modules has no training loop. Mistakes in backward itself (overwritten results, writes through `.data`,
gradients that are always zero) are mistakes for any trainer.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import program_moments, tensor_facts
from devls.engine.torch.autograd import backward
from devls.engine.torch.nn import registry
from devls.syntax.nodes import walk
from devls.values.call_facts import CalledWithoutGrad

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.value import FunctionValue, InstanceValue


_TRAINED: Final = frozenset({"forward", "training_step", "compute_loss"})
"""Methods of modules whose result somebody calls backward on."""


@program_moments.run_returned.on
def forward_ended(
    m: Machine, function: FunctionValue, receiver: InstanceValue | None, result: object
) -> None:
    """A module's `forward` was run by itself: walk the graph of what it returns, as backward will."""
    if receiver is None or not registry.is_module(m, receiver):
        return
    if function.name not in _TRAINED or m.grad_enabled() is not True or function.grad_mode:
        return
    if CalledWithoutGrad(function.definition) in m.call_facts and "backward" not in function.source.text:
        return  # the program that the file is makes the module, and only wants what comes out
    place = _returned(function.node)
    if place is None:
        return
    for tensor in tensor_facts.tensors_in(m, [result]):
        if m.requires_grad(tensor) is True and tensor.symbol is None:
            backward.walk_ahead(m, place, tensor)


def _returned(node: ast.AST) -> ast.expr | None:
    """The last expression that a function returns."""
    found = [each.value for each in walk(node) if isinstance(each, ast.Return) and each.value is not None]
    return found[-1] if found else None
