"""Effects of other methods on an object before the one that runs by itself, such as moves of its values.

Only to where it stays: what a method moves to the CPU (`self.net.cpu()` before it is saved) is there for that method.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import priors, tensor_facts, training_moments
from devls.engine.core.joins import Entries
from devls.engine.evidence import attribute_reassignment, attribute_summaries
from devls.engine.evidence.deferred import ShownByProgram
from devls.engine.python import classes
from devls.engine.torch.nn import methods, registry
from devls.syntax.nodes import of_tree, walk
from devls.values.devices import CPU, UNKNOWN_DEVICE
from devls.values.value import (
    NONE,
    BoundMethod,
    DeviceValue,
    FunctionValue,
    InstanceValue,
    Mapping,
    Symbol,
    TensorValue,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source
    from devls.values.conditions import Tree
    from devls.values.value import ClassValue

_SPEAK_OF_MOVES: Final = (*(f".{each}" for each in sorted(methods.MOVES_ELSEWHERE)), "evice", "DEVICE")
_SAME_OBJECTS: Final = frozenset(
    "values items get children named_children modules named_modules to train eval float half double bfloat16"
    " requires_grad_".split()
)
_SAME_ITEMS: Final = frozenset({"zip", "enumerate", "list", "tuple", "filter", "reversed", "iter"})
ALL: Final = "*"
"""Stands for each attribute: `vars(self).values()`, `getattr(self, name)`."""

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def tensors_moved(m: Machine, instance: InstanceValue, cls: ClassValue, depth: int = 1) -> None:
    """Before a method runs, another may have moved a tensor that the constructor made, or put another in its place.

    The same of the methods of what the object holds, which whoever holds the same has called: `field.data.to(device)`.
    """
    kept_here = registry.entries(m, instance)
    for _, value in kept_here if depth else ():
        for held_ in m.alternatives(value):
            if (
                isinstance(held_, InstanceValue)
                and held_.cls is not None
                and not registry.is_module(m, held_)
            ):
                tensors_moved(m, held_, held_.cls, depth - 1)
    devices_chosen(m, instance, cls)
    tensors = {name: each for name, each in kept_here if isinstance(each, TensorValue)}
    for each in classes.linearize(m, cls) if tensors else ():
        moved = attribute_reassignment.moved_by_hand(each.node)
        for name in (moved | attribute_reassignment.replaced_later(each.node)) & tensors.keys():
            m.state.set(tensors[name], "device", UNKNOWN_DEVICE)
            if name not in moved:
                m.state.set(tensors[name], "requires_grad", None)
    for kept in tensors.values():
        if m.requires_grad(kept) is False:
            m.state.set(kept, "requires_grad", None)  # a class that derives from it may compute another


def tensors_follow(m: Machine, instance: InstanceValue, cls: ClassValue, device: Tree) -> None:
    """A module whose class has a `to` of its own takes along what that moves: `self.scale = self.scale.to(device)`."""
    for each in classes.linearize(m, cls):
        for method in each.node.body:
            if isinstance(method, _FUNCTIONS) and method.name in _MOVES:
                for name in attribute_reassignment.moved_by_hand(method):
                    kept = m.state.get(instance, name)
                    for tensor in m.alternatives(kept):
                        if isinstance(tensor, TensorValue) and not tensor.is_parameter:
                            m.state.set(tensor, "device", device)


_MOVES: Final = methods.MOVES_ELSEWHERE | {"_apply"}


def devices_chosen(m: Machine, instance: InstanceValue, cls: ClassValue) -> None:
    """Before a method runs, another may have been told a device: `def set_device(self, device): self.device = device`.

    An attribute that the constructor has left open, and that no method sets, is set by somebody else: `graph.device =
    x.device`.
    """
    kept = registry.entries(m, instance)
    devices = {name for name, each in kept if isinstance(each, DeviceValue)}
    left_open = {name for name, each in kept if each == NONE and "device" in name}
    for each in classes.linearize(m, cls) if devices or left_open else ():
        for name in attribute_reassignment.replaced_later(each.node) & devices:
            m.state.set(instance, name, DeviceValue(UNKNOWN_DEVICE))
        written = attribute_summaries.places_of_writing(each.node, each.source, frozenset(left_open))
        left_open -= {name for name, _ in written or ()}
    for name in left_open:
        m.state.set(instance, name, Symbol(("attr", id(instance), name), f"self.{name}", named=True))


@priors.method_not_run.answer
def method_not_run(m: Machine, function: FunctionValue, receiver: object, given: Iterable[object]) -> None:
    """A method that we see is not run: what it is given it may have put in place of what its object holds.

    Parts of its object that it moves (the constructor of a base: `self.net.to(device)`), be it tensors, are moved.
    """
    moves = function.name != "forward" and function.source.mentions(function.node, *_SPEAK_OF_MOVES)
    if moves and _replaces_items(function.node):
        for each in given:
            _parts_perhaps_moved(m, m.resolve(each))
    instance = m.resolve(receiver)
    if not isinstance(instance, InstanceValue):
        return
    _forget_rewritten(m, instance, function)
    if function.name == "forward":
        return  # it computes
    if moves:
        _own_perhaps_moved(m, instance, function)
    kept = registry.entries(m, instance)
    if any(m.requires_grad(each) is not False for each in tensor_facts.tensors_in(m, given)):
        _perhaps_computed(m, kept)
    if any(isinstance(m.resolve(each), (FunctionValue, BoundMethod)) for _, each in kept):
        # It holds a function, and may call it: that computes for the objects that wait for it.
        for frame in m.frames:
            if isinstance(frame.receiver, InstanceValue):
                theirs = registry.entries(m, frame.receiver)
                _perhaps_computed(m, theirs)
                for _, each in theirs:
                    for module in registry.held_modules(m, each, 0):
                        _perhaps_computed(m, registry.entries(m, module))


def _forget_rewritten(m: Machine, instance: InstanceValue, function: FunctionValue) -> None:
    """The tensors of an object that a method sets which is not run are others now: `self.last = loss.cpu()`."""
    for name in _set_by(function.node):
        kept = m.state.get(instance, name)
        if isinstance(kept, TensorValue) and not kept.is_parameter:
            m.state.set(instance, name, m.unknown())


@of_tree(maxsize=256)
def _set_by(method: ast.AST) -> frozenset[str]:
    """The attributes of its object that a method sets."""
    if not isinstance(method, _FUNCTIONS) or not method.args.args:
        return frozenset()
    owner = method.args.args[0].arg
    return frozenset(
        each.attr
        for each in walk(method)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Store)
        and isinstance(each.value, ast.Name)
        and each.value.id == owner
    )


def _own_perhaps_moved(m: Machine, instance: InstanceValue, function: FunctionValue) -> None:
    """Nobody knows where tensors and modules are that a method moves which is not run."""
    for name in _moved_by(function.node):
        value = m.state.get(instance, name)
        for module in registry.held_modules(m, value):
            forget_place(m, module)
        for each in m.alternatives(value):
            held = (item for _, item in registry.entries(m, each)) if isinstance(each, InstanceValue) else ()
            for tensor in (each, *held):
                if isinstance(tensor, TensorValue) and m.device(tensor) == CPU:
                    m.state.set(tensor, "device", UNKNOWN_DEVICE)


def _perhaps_computed(m: Machine, kept: Iterable[tuple[str, object]]) -> None:
    """Whether tensors that an object keeps are in a graph is not known any more."""
    for _, each in kept:
        if isinstance(each, TensorValue) and not each.is_parameter and m.requires_grad(each) is False:
            m.state.set(each, "requires_grad", None)


def modules_moved(m: Machine, instance: InstanceValue, function: FunctionValue) -> None:
    """Before a method runs, another may have moved modules that the constructor made: `self.net.to(device)`.

    Calls of the constructor itself came before: that is known.
    """
    if instance.cls is None or registry.is_module(m, instance):
        return
    _moved_by_class(m, instance, instance.cls, function.definition)
    for name, value in registry.entries(m, instance):
        other = m.resolve(value)
        if isinstance(other, InstanceValue) and other.cls is not None and not registry.is_module(m, other):
            _moved_by_class(m, other, other.cls, function.definition)
        for module in registry.held_modules(m, m.state.get(instance, name)):
            if is_moved_by_program(m, module):
                forget_place(m, module)


@training_moments.module_moving.on
def moved_by_program(m: Machine, call: Invocation, owner: InstanceValue, device: Tree) -> None:
    """The program moves a module: what the same expression makes elsewhere, somebody may have moved as well."""
    del call
    if m.program_runs and owner.origin is not None and device != CPU:
        m.notes.of(ShownByProgram).moved.add(id(owner.origin.node))


def is_moved_by_program(m: Machine, module: InstanceValue) -> bool:
    """Whether the program is seen to move a module that was made by the same expression."""
    return module.origin is not None and id(module.origin.node) in m.notes.of(ShownByProgram).moved


@of_tree(maxsize=256)
def _replaces_items(function: ast.AST) -> bool:
    """Whether a function replaces items of what it is given: `batch[key] = batch[key].to(device)`."""
    if not isinstance(function, _FUNCTIONS):
        return False
    given = {each.arg for each in (*function.args.posonlyargs, *function.args.args)}
    return any(
        isinstance(each, ast.Subscript)
        and isinstance(each.ctx, ast.Store)
        and isinstance(each.value, ast.Name)
        and each.value.id in given
        for each in walk(function)
    )


def _parts_perhaps_moved(m: Machine, given: object) -> None:
    """The parts of a structure may have been moved, one by one, and put back."""
    if isinstance(given, Mapping):
        m.state.set(given, "#entries", Entries({}, m.unknown()))
    elif isinstance(given, Symbol):
        m.state.set(given, tensor_facts.PARTS_MOVED, True)
    elif isinstance(given, TensorValue) and given.symbol is not None and given.symbol.hint != "tensor":
        tensor_facts.replace_part(m, given, None, None)


def _moved_by_class(m: Machine, instance: InstanceValue, own: ClassValue, running: ast.AST) -> None:
    for cls in classes.linearize(m, own):
        for method, names in moved_by_methods(cls.node, cls.source):
            if method is running or method in m.built_with:
                continue
            every = [name for name, _ in registry.entries(m, instance)] if ALL in names else names
            for name in every:
                for each in registry.held_modules(m, m.state.get(instance, name)):
                    forget_place(m, each)


def forget_place(m: Machine, module: InstanceValue) -> None:
    """Somebody may have moved a module from the CPU, where it was made."""
    for each in registry.walk(m, module):
        for _, tensor, _ in registry.tensors(m, each):
            if m.device(tensor) == CPU:
                m.state.set(tensor, "device", UNKNOWN_DEVICE)


@of_tree(maxsize=256)
def moved_by_methods(cls: ast.ClassDef, source: Source) -> tuple[tuple[ast.AST, frozenset[str]], ...]:
    """Of each method but the constructor the attributes of `self` that it moves: by themselves, or item by item."""
    found: list[tuple[ast.AST, frozenset[str]]] = []
    for method in cls.body:
        if not isinstance(method, _FUNCTIONS) or method.name == "__init__" or not method.args.args:
            continue
        if not source.mentions(method, *_SPEAK_OF_MOVES):
            continue
        names = _places(method, method.args.args[0].arg)
        if names:
            found.append((method, names))
    return tuple(found)


@of_tree(maxsize=256)
def _moved_by(method: ast.AST) -> frozenset[str]:
    if not isinstance(method, _FUNCTIONS) or not method.args.args:
        return frozenset()
    return _places(method, method.args.args[0].arg)


def _places(method: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> frozenset[str]:
    moved: set[str] = set()
    bound: dict[str, set[str]] = {}
    receivers: list[ast.expr] = []
    for each in walk(method):
        if isinstance(each, ast.Call):
            if isinstance(each.func, ast.Attribute) and each.func.attr in methods.MOVES_ELSEWHERE:
                receivers.append(each.func.value)
            elif _mentions_device(each):
                # A helper that moves what it is given: `place(self.net, self.device)`.
                moved |= set().union(*(_parts(argument, owner) for argument in each.args))
        elif isinstance(each, (ast.For, ast.AsyncFor, ast.comprehension)):
            _bind(bound, each.target, each.iter, owner)
        elif isinstance(each, ast.Assign):
            for target in each.targets:
                _bind(bound, target, each.value, owner)
    for receiver in receivers:
        moved |= _parts(receiver, owner)
        for each in walk(receiver):
            if isinstance(each, ast.Name):
                moved |= bound.get(each.id, set())
    return frozenset(moved)


def _bind(bound: dict[str, set[str]], target: ast.expr, value: ast.expr, owner: str) -> None:
    attributes = _parts(value, owner)
    for each in walk(target) if attributes else ():
        if isinstance(each, ast.Name):
            bound.setdefault(each.id, set()).update(attributes)


def _mentions_device(call: ast.Call) -> bool:
    given = (*call.args, *(each.value for each in call.keywords))
    return any(
        "device" in name.lower()
        for each in given
        for name in (each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", ""),)
    )


def _parts(node: ast.expr, owner: str) -> set[str]:
    """The attributes of `self` that an expression stands for, or is made of without computing anything from them."""
    if isinstance(node, ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id == owner:
            return {ALL if node.attr == "__dict__" else node.attr}
        return _parts(node.value, owner)
    inner: list[ast.expr] = []
    if isinstance(node, (ast.Subscript, ast.Starred)):
        inner = [node.value]
    elif isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        inner = node.elts
    elif isinstance(node, ast.Dict):
        inner = node.values
    elif isinstance(node, ast.BinOp):
        inner = [node.left, node.right]
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_OBJECTS:
            inner = [node.func.value]
        elif isinstance(node.func, ast.Name) and node.func.id in ("vars", "getattr"):
            whole = node.args and isinstance(node.args[0], ast.Name) and node.args[0].id == owner
            return {ALL} if whole else set()
        elif isinstance(node.func, ast.Name) and node.func.id in _SAME_ITEMS:
            inner = node.args
    return set().union(*(_parts(each, owner) for each in inner))
