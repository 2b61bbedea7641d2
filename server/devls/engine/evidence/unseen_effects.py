"""Effects of unseen code on gradients: presumed by its name, and by its arguments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import program_moments
from devls.engine.evidence import naming_priors, opaque_models
from devls.engine.torch.autograd import backward
from devls.engine.torch.nn import registry
from devls.values.value import InstanceValue, Symbol

if TYPE_CHECKING:
    from collections.abc import Sequence as AbstractSequence

    from devls.engine.core.machine import Machine


@program_moments.unseen_code_given.on
def gradients_perhaps_cleared(
    m: Machine, function: object, arguments: AbstractSequence[object], node: ast.expr | None
) -> None:
    """Unseen code that may clear gradients has run: whose they are cannot be told."""
    if _may_clear_gradients(m, function, arguments, node):
        backward.not_run(m)


def _may_clear_gradients(
    m: Machine, function: object, arguments: AbstractSequence[object], node: ast.expr | None
) -> bool:
    """Whether code that we do not see, called for its effect, may clear gradients whose parameters we do not see either.

    It is given what trains or what is trained, or it calls others back, who were given that before.
    """
    statement = m.frame.statement
    if not isinstance(statement, ast.Expr) or statement.value is not node:
        return False
    name = function.text if isinstance(function, Symbol) else ""
    if naming_priors.CALLS_BACK.search(name):
        return True
    return naming_priors.CLEARS_NO_GRADIENTS.search(name) is None and any(
        _trains(m, each) for each in arguments
    )


def _trains(m: Machine, value: object) -> bool:
    """Whether something is a model or an optimizer, or an object of the program that holds one."""
    value = m.resolve(value)
    if isinstance(value, Symbol):
        return opaque_models.is_module_like(m, value) or naming_priors.is_named_like_optimizer(value.text)
    if not isinstance(value, InstanceValue) or value.cls is None:
        return False
    held = [m.resolve(each) for _, each in registry.entries(m, value)]
    return registry.is_module(m, value) or any(isinstance(each, Symbol) and _trains(m, each) for each in held)
