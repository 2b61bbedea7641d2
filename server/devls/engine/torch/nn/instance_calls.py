"""Calls of objects: modules with their hooks, and all others with a `__call__`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import program_moments
from devls.engine.core.transfer import CALLS
from devls.engine.python import calls, classes, definitions
from devls.engine.torch.autograd import functions as custom_functions
from devls.engine.torch.autograd import hooks
from devls.engine.torch.nn import calls as module_calls
from devls.engine.torch.nn import train_mode
from devls.values.state import MISSING
from devls.values.value import BoundMethod, FunctionValue, InstanceValue

if TYPE_CHECKING:
    import ast

    from devls.engine.core.machine import Machine


@CALLS.of(InstanceValue)
def call_instance(
    m: Machine,
    instance: InstanceValue,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    """`instance(...)`, and the hooks that are registered for it."""
    if instance.library.startswith("torch.autograd."):
        custom_functions.called(m, instance, node)
    train_mode.used(m, instance, node)
    if m.state.get(instance, "#hooked") is True:
        arguments = hooks.before_forward(m, instance, arguments, node)
        nodes = (nodes + [None] * len(arguments))[: len(arguments)]
    result = _run(m, instance, arguments, keywords, node, nodes, keyword_nodes)
    if m.state.get(instance, "#hooked") is True:
        result = hooks.after_forward(m, instance, arguments, result, node)
    program_moments.instance_called(m, instance, (*arguments, *keywords.values()), node, result)
    return result


def _run(
    m: Machine,
    instance: InstanceValue,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    """`instance(...)`: `__call__`, or `forward` of a module."""
    if instance.library in classes.GRAD_MODES and len(arguments) == 1:
        function = m.resolve(arguments[0])
        return (
            definitions.under_grad_mode(m, instance, function)
            if isinstance(function, FunctionValue)
            else m.unknown(node)
        )
    if instance.cls is not None:
        method = classes.class_attribute(m, instance.cls, "__call__")
        if isinstance(method, FunctionValue):
            return calls.call_function(m, method, [instance, *arguments], keywords, node, receiver=instance)
        # Of a base that is not seen the code is the rest of a Module's: who calls an instance means its `forward`.
        if classes.is_module(m, instance) or classes.has_unseen_base(m, instance.cls):
            forward = m.state.get(instance, "forward", MISSING)
            if forward is MISSING:
                forward = classes.class_attribute(m, instance.cls, "forward")
            if isinstance(forward, FunctionValue):
                module_calls.called(m, instance, node)
                return calls.call_function(
                    m, forward, [instance, *arguments], keywords, node, receiver=instance
                )
            if isinstance(forward, BoundMethod):
                return calls.call(m, forward, arguments, keywords, node, nodes, keyword_nodes)
    return module_calls.call_library_module(m, instance, arguments, keywords, node, nodes, keyword_nodes)
