"""Functions with a backward of their own: how they are called, and where they keep what backward needs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.calls import FunctionMisused
from devls.engine.python import classes
from devls.syntax.nodes import walk
from devls.values.history import Site
from devls.values.value import ClassValue, FunctionValue, InstanceValue, TensorValue, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


def called(m: Machine, instance: InstanceValue, node: ast.expr | None) -> None:
    """`MyFunction()(x)`: torch has only kept `apply`, whether or not `forward` is static."""
    cls = instance.cls
    if cls is None or not isinstance(node, ast.Call):
        return
    if isinstance(classes.class_attribute(m, cls, "forward"), FunctionValue) and not isinstance(
        classes.class_attribute(m, cls, "__call__"), FunctionValue
    ):
        m.emit(FunctionMisused(m.site(node), m.frame.statement, cls.name, "called", value=node.func))


def applied(m: Machine, call: Invocation) -> None:
    """`MyFunction.apply(x)` of an `x` that requires grad, which `forward` puts on `ctx` for `backward` to read.

    Only what is given and kept unchanged is told: torch would watch it, had it been saved.
    """
    cls = m.resolve(call.receiver)
    if not isinstance(cls, ClassValue) or "*" in call.keywords or call.keywords:
        return
    if m.grad_enabled() is not True or m.state.get(cls, "#ctx judged"):
        return
    forward = classes.class_attribute(m, cls, "forward")
    backward = classes.class_attribute(m, cls, "backward")
    if not isinstance(forward, FunctionValue) or not isinstance(backward, FunctionValue):
        return
    if not isinstance(forward.node, ast.FunctionDef) or not isinstance(backward.node, ast.FunctionDef):
        return
    names = [each.arg for each in forward.node.args.args]
    own = [each.arg for each in backward.node.args.args[:1]]
    if len(names) < 2 or not own:
        return
    _written_unmarked(m, call, cls, forward, names)
    tensors = {
        name
        for name, value in zip(names[1:], call.arguments[1:], strict=False)
        if _needs_grad(m, value) and not _rebound(forward.node, name)
    }
    returned = {
        each.value.id
        for each in forward.node.body[-1:]
        if isinstance(each, ast.Return) and isinstance(each.value, ast.Name) and each.value.id not in names
    }
    if not any(_needs_grad(m, each) for each in call.arguments[1:]):
        returned = set()
    for each in forward.node.body:
        if (
            isinstance(each, ast.Assign)
            and len(each.targets) == 1
            and isinstance(target := each.targets[0], ast.Attribute)
            and isinstance(target.value, ast.Name)
            and target.value.id == names[0]
            and isinstance(each.value, ast.Name)
            and each.value.id in tensors | returned
            and _reads(backward.node, own[0], target.attr)
        ):
            m.state.set(cls, "#ctx judged", True)
            place = Site(forward.source, each, ())
            m.emit(
                FunctionMisused(
                    place,
                    None,
                    cls.name,
                    "result on ctx" if each.value.id in returned else "tensor on ctx",
                    applied=m.site(call.node),
                    value=each.value,
                )
            )


def checked(m: Machine, call: Invocation) -> None:
    """`gradcheck(function, inputs)`: differences of numbers in single precision tell nothing."""
    given, node = m.resolve(call.argument(1, "inputs")), call.argument_node(1, "inputs")
    items = given.items if isinstance(given, TupleValue) else (given,)
    if set(call.keywords) - {"inputs"} or len(call.arguments) > len(("function", "inputs")) or node is None:
        return
    for each in items:
        tensor = m.tensor_of(each, infer=False)
        if isinstance(tensor, TensorValue) and tensor.dtype == "float32" and m.requires_grad(tensor) is True:
            made = tensor.origin
            site, text = m.site(call.node), m.text(node)
            m.emit(FunctionMisused(site, m.frame.statement, text, "single precision", applied=made))
            return


def _written_unmarked(
    m: Machine, call: Invocation, cls: ClassValue, forward: FunctionValue, names: list[str]
) -> None:
    """`forward` writes in place to what it was given with a graph, and torch is not told by `mark_dirty`."""
    body = forward.node
    if not isinstance(body, ast.FunctionDef) or _reads(body, names[0], "mark_dirty"):
        return
    given = {
        name
        for name, value in zip(names[1:], call.arguments[1:], strict=False)
        if _needs_grad(m, value) and not _rebound(body, name)
    }
    for each in walk(body) if given else ():
        written = each.func if isinstance(each, ast.Call) else None
        if (
            isinstance(written, ast.Attribute)
            and isinstance(written.value, ast.Name)
            and written.value.id in given
            and written.attr.endswith("_")
            and not written.attr.endswith("__")
            and m.library.operation(f"torch.Tensor.{written.attr}") is not None
        ):
            m.state.set(cls, "#ctx judged", True)
            place = Site(forward.source, written, ())
            applied = m.site(call.node)
            m.emit(FunctionMisused(place, None, cls.name, "not marked", applied=applied, value=written.value))
            return


def _needs_grad(m: Machine, value: object) -> bool:
    tensor = m.tensor_of(value, infer=False)
    return isinstance(tensor, TensorValue) and tensor.symbol is None and m.requires_grad(tensor) is True


def _rebound(function: ast.FunctionDef, name: str) -> bool:
    return any(
        isinstance(each, ast.Name) and each.id == name and not isinstance(each.ctx, ast.Load)
        for each in walk(function)
    )


def _reads(function: ast.FunctionDef, ctx: str, attribute: str) -> bool:
    return any(
        isinstance(each, ast.Attribute)
        and each.attr == attribute
        and isinstance(each.value, ast.Name)
        and each.value.id == ctx
        for each in walk(function)
    )
