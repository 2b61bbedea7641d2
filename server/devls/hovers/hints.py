"""Inlay hints of the names that statements bind, in a few characters each: `: cuda ∇ (8, 10)`.

Hints are of assignments, loop targets, what a `with` binds, and parameters. A device, a gradient or a shape is told only where
every call and every round of a loop that comes there agrees on it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.describe import shape_text
from devls.engine.torch.nn import registry
from devls.hovers import as_of
from devls.values.conditions import leaves
from devls.values.devices import KnownDevice, describe
from devls.values.facts import fact
from devls.values.value import InstanceValue, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source


@fact
class Hint:
    """Facts about the value that a name is bound to."""

    offset: int
    """Behind the name, or behind its annotation."""
    annotated: bool
    device: str
    """Empty where it is not known."""
    gradient: bool
    """Whether it is known to require a gradient."""
    shape: str
    """Empty where nothing is known of it."""


@fact
class _Known:
    """Hint for a value."""

    device: str
    gradient: bool
    shape: str


def hints(machine: Machine, source: Source) -> Iterator[Hint]:
    """The hints of a file that a machine has run."""
    for name, end in _bound(source.tree):
        known = _known(machine, name)
        if known is not None and (known.device or known.gradient):
            offset = source.range(end).end
            annotated = end is not name or isinstance(name, ast.arg)
            yield Hint(offset, annotated, known.device, known.gradient, known.shape)
    receivers = {
        each.args.args[0]
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ClassDef)
        for each in node.body
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.args.args
    }
    for function in ast.walk(source.tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _of_parameters(machine, source, function, receivers)


def _bound(tree: ast.Module) -> Iterator[tuple[ast.Name, ast.expr]]:
    """The names that statements bind, each with the expression behind which its hint stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            found = [each for target in node.targets for each in _names(target)]
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            found = _names(node.target)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            found = [each for item in node.items if item.optional_vars for each in _names(item.optional_vars)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target, node.annotation
            continue
        else:
            continue
        yield from ((each, each) for each in found)


def _names(target: ast.expr) -> list[ast.Name]:
    if isinstance(target, ast.Name):
        return [target]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [each for item in target.elts for each in _names(item)]
    return _names(target.value) if isinstance(target, ast.Starred) else []


def _of_parameters(
    machine: Machine,
    source: Source,
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    receivers: set[ast.arg],
) -> Iterator[Hint]:
    """Hints of parameters, by the place that reads each first."""
    given = function.args
    named = (*given.posonlyargs, *given.args, *given.kwonlyargs)
    parameters = {each.arg: each for each in named if each not in receivers}
    first: dict[str, ast.Name] = {}
    for node in (node for statement in function.body for node in ast.walk(statement)):
        if isinstance(node, ast.Name) and node.id in parameters:
            known = first.get(node.id)
            if known is None or (node.lineno, node.col_offset) < (known.lineno, known.col_offset):
                first[node.id] = node
    for name, read in first.items():
        parameter = parameters[name]
        found = _known(machine, read) if isinstance(read.ctx, ast.Load) else None
        if found is None or not (found.device or found.gradient):
            continue
        begin = source.range(parameter).start
        end = source.range(parameter.annotation).end if parameter.annotation else begin + len(name)
        yield Hint(end, parameter.annotation is not None, found.device, found.gradient, found.shape)


def _known(machine: Machine, node: ast.expr) -> _Known | None:
    """Facts about an expression that hold in every call and round."""
    ways = machine.seen_in.get(node, {})
    moments = [(each.value, each.layer) for each in ways.values()]
    if not moments and node in machine.values:
        moments = [machine.values[node]]
    found: list[_Known] = []
    for value, layer in moments:
        with as_of(machine, layer):
            known = _of_value(machine, machine.resolve(value))
        if known is None:
            return None
        found.append(known)
    if not found:
        return None
    devices, shapes = ({each.device for each in found}, {each.shape for each in found})
    return _Known(
        devices.pop() if len(devices) == 1 else "",
        all(each.gradient for each in found),
        shapes.pop() if len(shapes) == 1 else "",
    )


def _of_value(machine: Machine, value: object) -> _Known | None:
    if isinstance(value, Symbol) and value.hint == "tensor":
        value = machine.as_tensor(value)
    tensor = machine.tensor_of(value, infer=False)
    if tensor is not None:
        shape = "" if tensor.shape is None else shape_text(tensor)
        return _Known(_place(machine.device(tensor)), machine.requires_grad(tensor) is True, shape)
    if isinstance(value, InstanceValue) and registry.is_module(machine, value):
        return _Known(_place(registry.device(machine, value)), gradient=False, shape="")
    return None


def _place(device: object) -> str:
    """A device, or those that the program chooses from; empty where one of them is not known."""
    return describe(device) if all(isinstance(each, KnownDevice) for each in leaves(device)) else ""
