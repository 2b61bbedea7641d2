"""Facts about a module whose constructor was not run, because the steps for calls were used up: those of its class."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import priors
from devls.engine.python import classes
from devls.engine.torch.nn import registry
from devls.values.value import ClassValue, FunctionValue, InstanceValue, LibraryName, Scope

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine

_DEEP = 2
"""Classes within classes that are looked into: a block, its part, and the layers of that."""


@priors.may_have_parameters.answer
def has_parameters(m: Machine, module: InstanceValue) -> bool:
    """Whether a constructor that was not run, of a module or of a part of it, registers parameters whatever it is given."""
    return any(
        each.cls is not None and m.state.get(each, "#open") is not None and _makes_some(m, each.cls, _DEEP)
        for each in registry.walk(m, module)
    )


def _makes_some(m: Machine, cls: ClassValue, depth: int) -> bool:
    init = classes.class_attribute(m, cls, "__init__")
    if not isinstance(init, FunctionValue) or init.source.mentions(init.definition, "requires_grad"):
        return False
    statements = init.node.body if isinstance(init.node.body, list) else []
    return any(
        isinstance(each, ast.Assign)
        and isinstance(each.targets[0], ast.Attribute)
        and _has_some(m, init.scope.globals, each.value, depth)
        for each in statements
    )


def _has_some(m: Machine, names: Scope, node: ast.expr, depth: int) -> bool:
    """Whether an expression makes a parameter, or a module with some: a layer, an object of such a class, a chain of them."""
    if not isinstance(node, ast.Call):
        return False
    made = _named(m, names, node.func)
    if isinstance(made, ClassValue):
        return depth > 0 and classes.is_module_class(m, made) and _makes_some(m, made, depth - 1)
    if not isinstance(made, LibraryName):
        return False
    if made.name == "torch.nn.Sequential":
        return any(_has_some(m, names, each, depth) for each in node.args)
    layer = m.library.layer(made.name)
    return made.name == "torch.nn.Parameter" or (
        layer is not None
        and any(not (each.is_buffer or each.unless or each.default_absent) for each in layer.tensors)
    )


def _named(m: Machine, names: Scope, node: ast.expr) -> object:
    """Value of a name of the module, or of an attribute of one: `Linear`, `nn.Linear`."""
    if isinstance(node, ast.Name):
        return m.resolve(m.state.get(names, node.id))
    if isinstance(node, ast.Attribute):
        owner = _named(m, names, node.value)
        return m.library.attribute(owner, node.attr) if isinstance(owner, LibraryName) else None
    return None
