"""How the running code can name the device on which something is: what a fix writes."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

from devls.engine.core import limits
from devls.engine.evidence import code_patterns
from devls.engine.python.narrowing import device_of
from devls.engine.torch.nn import registry
from devls.syntax.layout import ancestors
from devls.syntax.nodes import of_tree
from devls.values.conditions import Either, leaves
from devls.values.devices import UNKNOWN_DEVICE, KnownDevice, NamedDevice, UnknownDevice
from devls.values.history import Step
from devls.values.value import Const, DeviceValue, InstanceValue, Symbol, TensorValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.value import Scope


def expression_for(m: Machine, anchor: Operand, line: int, *, strict: bool = False) -> str:
    """An expression for the anchor's device that can be evaluated on a line of the running function."""
    node = None if _moved_after(m, anchor.step, line) else anchor.node
    if isinstance(node, ast.Name) and node.id != "_" and bound_before(m, node.id, line, strict=strict):
        return f"{node.id}.device"
    if (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and bound_before(m, node.value.id, line, strict=strict)
    ):
        return f"{node.value.id}.{node.attr}.device"
    if (
        node is not anchor.node
        and isinstance(anchor.device, NamedDevice)
        and _is_named(m, anchor.device, line)
    ):
        return anchor.device.text
    named = "" if isinstance(anchor.device, UnknownDevice) else _in_scopes(m, anchor, line, strict=strict)
    if named:
        return named
    if isinstance(anchor.device, KnownDevice):
        return _of_module_given(m, anchor) or f'"{anchor.device}"'
    if isinstance(node, (ast.Name, ast.Attribute)) and not strict:
        return f"{m.text(node)}.device"
    if isinstance(anchor.device, NamedDevice) and _is_named(m, anchor.device, line):
        return anchor.device.text
    if (
        node is None
        and not strict
        and anchor.tensor.is_parameter
        and code_patterns.DOTTED_NAME.fullmatch(anchor.text)
    ):
        return f"next({anchor.text}.parameters()).device"
    return "" if isinstance(anchor.device, UnknownDevice) else _of_a_module(m, anchor, line)


def _is_named(m: Machine, device: NamedDevice, line: int) -> bool:
    """Whether the text of a device is an expression that can be evaluated on a line."""
    root = device.text.split(".")[0]
    return (
        code_patterns.DOTTED_NAME.fullmatch(device.text) is not None
        and _is_seen(m, root)
        and bound_before(m, root, line, strict=True)
    )


def _moved_after(m: Machine, step: object, line: int) -> bool:
    """Whether a tensor was moved to its device between a line and the statement that runs: before, it was elsewhere."""
    frame = m.frames[-1]
    return (
        isinstance(step, Step)
        and step.kind == "moved"
        and step.site.source is frame.source
        and line < getattr(step.site.node, "lineno", 0) <= getattr(frame.statement, "lineno", 0)
    )


def _in_scopes(m: Machine, anchor: Operand, line: int, *, strict: bool) -> str:
    """A name for the device itself, here or on `self`; else a tensor of the running function that is there."""
    scope: Scope | None = m.frame.scope
    while scope is not None:
        tensors: list[str] = []
        for name in sorted(scope.names - {"_"}) if len(scope.names) <= limits.NAMES_TRIED else ():
            value = m.resolve(m.state.get(scope, name))
            if isinstance(value, (TensorValue, Symbol)):
                tensor = m.tensor_of(value, infer=isinstance(value, Symbol) and value.hint == "tensor")
                if (
                    tensor is not None
                    and m.device(tensor) == anchor.device
                    and bound_before(m, name, line, strict=True)
                    and not _moved_after(m, m.state.get(tensor, "device_step", tensor.device_step), line)
                ):
                    tensors.append(name)
            device = _device_given(m, value)
            if device is not None and device == anchor.device and bound_before(m, name, line, strict=strict):
                return name
        own = scope is m.frame.scope
        if own and (found := _of_self(m, anchor, line)):
            return found
        if found := _of_options(m, scope, anchor, line):
            return found
        if tensors and (own or scope.parent is None):
            # An argument is there whatever happens.
            given = [each for each in tensors if each in _arguments(m)]
            return f"{(given or tensors)[0]}.device"
        scope = scope.parent
    return ""


def _of_options(m: Machine, scope: Scope, anchor: Operand, line: int) -> str:
    """`args.device`, where an object that a name stands for keeps that device."""
    for name in sorted(scope.names - {"_"}) if len(scope.names) <= limits.NAMES_TRIED else ():
        value = m.resolve(m.state.get(scope, name))
        if not isinstance(value, (InstanceValue, Symbol)) or not bound_before(m, name, line, strict=True):
            continue
        kept = m.resolve(m.state.get(value, "device"))
        if kept is not None and _device_given(m, kept) == anchor.device:
            return f"{name}.device"
    return ""


def _of_self(m: Machine, anchor: Operand, line: int) -> str:
    """`self.device`, where the method's own object has that device."""
    receiver, first = m.frame.receiver, _arguments(m)[:1]
    if not isinstance(receiver, InstanceValue) or not first:
        return ""
    return next(
        (
            f"{first[0]}.{name}"
            for name, value in _set_on(m, receiver, first[0], line)
            if (device := _device_given(m, value)) is not None and device == anchor.device
        ),
        "",
    )


def on_self(m: Machine, anchor: Operand, place: ast.AST) -> str:
    """The same at a place in another method of the running method's class."""
    frame = m.frame
    receiver, function = frame.receiver, frame.function
    if not isinstance(receiver, InstanceValue) or receiver.cls is None or function is None:
        return ""
    if function.cls is not receiver.cls:
        return ""
    home = next((each for each in ancestors(frame.source, place) if isinstance(each, ast.FunctionDef)), None)
    if home is None or not any(each is home for each in receiver.cls.node.body):
        return ""
    first = next((each.arg for each in home.args.args), "")
    for name, value in _attributes(m, receiver, home, first, getattr(place, "lineno", 0)):
        if (device := _device_given(m, value)) is not None and device == anchor.device:
            return f"{first}.{name}"
    return ""


def _set_on(m: Machine, receiver: InstanceValue, first: str, line: int) -> Iterator[tuple[str, object]]:
    """The attributes that the running method's object has on a line, with their values."""
    function = m.frame.function
    assert function is not None  # noqa: S101  whoever has a receiver runs a function
    if function.name == "__init__" and not isinstance(function.node, ast.Lambda):
        yield from _attributes(m, receiver, function.node, first, line)
        return
    for name, value in registry.entries(m, receiver):
        yield name, value
    if (value := m.resolve(m.state.get(receiver, "device"))) is not None:
        yield "device", value


def _attributes(
    m: Machine, receiver: InstanceValue, method: ast.FunctionDef | ast.AsyncFunctionDef, first: str, line: int
) -> Iterator[tuple[str, object]]:
    """Attributes that a method sets on its object above a line, each with its value now."""
    for statement in method.body:
        if statement.lineno >= line:
            return
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            if (
                isinstance(target, ast.Attribute)
                and isinstance(target.value, ast.Name)
                and target.value.id == first
            ):
                yield target.attr, m.resolve(m.state.get(receiver, target.attr))


def _of_a_module(m: Machine, anchor: Operand, line: int) -> str:
    """`next(model.parameters()).device`, of a module that the running function knows."""
    scope: Scope | None = m.frame.scope
    while scope is not None:
        for name in sorted(scope.names - {"_"}):
            value = m.resolve(m.state.get(scope, name))
            if not isinstance(value, InstanceValue) or not bound_before(m, name, line, strict=True):
                continue
            found = [(name, value)]
            if value is m.frame.receiver:
                found += [
                    (f"{name}.{attribute}", each)
                    for attribute, each in registry.entries(m, value)
                    if isinstance(each, InstanceValue)
                ]
            for text, each in found:
                held = registry.parameters(m, each) if registry.is_module(m, each) else []
                if held and all(m.device(one) == anchor.device for one in held):
                    return f"next({text}.parameters()).device"
            if (
                value is m.frame.receiver
                and m.frame.function is not None
                and m.frame.function.name != "__init__"
            ):
                for attribute, kept in registry.entries(m, value):
                    if isinstance(kept, TensorValue) and m.device(kept) == anchor.device:
                        return f"{name}.{attribute}.device"
        scope = scope.parent
    return ""


def _of_module_given(m: Machine, anchor: Operand) -> str:
    """The same of an argument of the running function, which other calls may give a module that is elsewhere."""
    for name in _arguments(m):
        value = m.resolve(m.state.get(m.frame.scope, name))
        if value is m.frame.receiver or not isinstance(value, InstanceValue):
            continue
        held = registry.parameters(m, value) if registry.is_module(m, value) else []
        if anchor.tensor in held and all(m.device(one) == anchor.device for one in held):
            return f"next({name}.parameters()).device"
    return ""


def _arguments(m: Machine) -> list[str]:
    function = m.frame.function
    if function is None:
        return []
    spec = function.node.args
    return [each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]


def _is_seen(m: Machine, name: str) -> bool:
    scope: Scope | None = m.frame.scope
    while scope is not None:
        if name in scope.names:
            return True
        scope = scope.parent
    return False


def _device_given(m: Machine, value: object) -> Tree | None:
    if isinstance(value, DeviceValue):
        return value.device
    if isinstance(value, Symbol) and value.hint == "device":
        return device_of(m, value)
    if isinstance(value, Const) and isinstance(value.value, str):
        return device_of(m, value) if value.value.split(":")[0] in ("cpu", "cuda", "mps", "xpu") else None
    if isinstance(value, Either) and all(isinstance(each, (DeviceValue, Const)) for each in leaves(value)):
        found = device_of(m, value)
        return None if found == UNKNOWN_DEVICE else found
    return None


def bound_before(m: Machine, name: str, line: int, *, strict: bool) -> bool:
    """Whether a name of the running function is sure to be bound before a line."""
    frame = m.frames[-1]
    function = frame.function
    if function is not None:
        spec = function.node.args
        if name in {each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}:
            return True
    if not strict:
        return True
    body = function.node if function is not None else frame.source.tree
    bound = _bindings(body).get(name)
    if bound is not None:
        return any(first < line <= last for first, last in bound)
    # Not bound in here: a name of an enclosing scope or of the module.
    return function is not None and name not in frame.scope.names


@of_tree(maxsize=64)
def _bindings(body: ast.AST) -> dict[str, list[tuple[int, int]]]:
    """The names that are bound in a body: the line of each binding, and the last one on which it is sure to have happened."""
    found: dict[str, list[tuple[int, int]]] = {}
    waiting: list[tuple[ast.AST, int]] = [(body, sys.maxsize)]
    while waiting:
        node, last = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, []).append((node.lineno, last))
        inside = last
        if isinstance(node, (ast.For, ast.AsyncFor)) or (
            isinstance(node, ast.While) and not _is_endless(node)
        ):
            # Behind a loop nothing of it may have run.
            inside = node.body[-1].end_lineno or last
        for each in ast.iter_child_nodes(node):
            behind = isinstance(each, ast.stmt) and each in getattr(node, "orelse", ())
            waiting.append((each, last if behind else inside))
    return found


def _is_endless(loop: ast.While) -> bool:
    return isinstance(loop.test, ast.Constant) and bool(loop.test.value)
