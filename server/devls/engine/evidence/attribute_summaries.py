"""Summaries of attributes that constructors leave empty and other methods of the class fill.

`self.hidden = None`, which `reset` replaces; `self.log_probs = []`, which `act` fills; what `build` makes and the constructor
does not mention. If one place of the class writes such an attribute, its method is run once on the new instance, and
its result is there for all methods. If several do, or one that is not followed, the value is unknown.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Final

from devls.engine.core import limits
from devls.engine.core.joins import Contents, Entries
from devls.engine.core.slots import set_slot
from devls.engine.evidence import code_patterns
from devls.engine.python import classes
from devls.engine.torch.nn import registry
from devls.syntax.nodes import of_tree, walk
from devls.values.conditions import Condition, either
from devls.values.devices import UnknownDevice
from devls.values.state import MISSING
from devls.values.value import (
    NONE,
    ClassValue,
    FunctionValue,
    InstanceValue,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source
    from devls.values.state import Key

    Run = Callable[[FunctionValue, InstanceValue], bool]
    """Runs a method on an instance, unheard; True if it came to its end."""

_EMPTY: Final = frozenset({"list", "dict", "set", "deque", "defaultdict", "OrderedDict"})

_LEFT: Final = "#left behind"
"""The slot of an instance for what methods leave in it, and in the objects that it holds."""

_SEEN: Final = 2
"""How deep containers are looked into: a list of tuples of tensors."""


def by_methods(m: Machine, instance: InstanceValue, run: Run) -> None:
    """Find out what the methods of a new instance leave in it, and of what it holds that is no module."""
    found: list[tuple[InstanceValue, dict[str, dict[str, object]]]] = []
    for each in (instance, *(value for _, value in registry.entries(m, instance))):
        if isinstance(each, InstanceValue) and (each is instance or not registry.is_module(m, each)):
            left = _left_in(m, each, run)
            if left:
                found.append((each, left))
    if found:
        m.state.set(instance, _LEFT, found)


def before_run(m: Machine, instance: InstanceValue, running: str) -> None:
    """A method is about to run by itself: the others have run before.

    An attribute that only the same method writes is found as it was made.
    """
    for each, left in m.state.get(instance, _LEFT, ()):  # type: ignore[attr-defined]
        for name, by_method in left.items():
            others = [
                value for method, value in by_method.items() if method != running or each is not instance
            ]
            if len(others) == 1 and others[0] is not None:
                _put(m, each, name, others[0])
            elif others:
                _unknown(m, each, name)
            else:
                _as_it_was(m, each, name)


def _left_in(m: Machine, instance: InstanceValue, run: Run) -> dict[str, dict[str, object]]:
    """Of the attributes in which the constructor has left nothing: what each method that writes one leaves, None if unknown."""
    cls = instance.cls
    if cls is None or m.state.get(instance, "#any attribute") is not None or classes.has_unseen_base(m, cls):
        return {}
    order = classes.linearize(m, cls)
    nothing = {
        name
        for each in order
        for name in _perhaps_written(each.node, each.source)
        if _is_left_empty(m, instance, name)
    }
    if not nothing:
        return {}
    places: dict[str, tuple[str, ...]] = {}
    for each in order:
        written = places_of_writing(each.node, each.source, frozenset(nothing))
        if written is None:
            return {}
        for name, methods in written:
            places[name] = (*places.get(name, ()), *methods)
    left: dict[str, dict[str, object]] = {}
    wanted: dict[str, list[str]] = {}
    for name, methods in places.items():
        left[name] = dict.fromkeys(methods)
        if _written_elsewhere(m, order, name):
            left[name][""] = None
        else:
            for method in left[name]:
                if methods.count(method) == 1:
                    wanted.setdefault(method, []).append(name)
    for method, mine in list(wanted.items())[: limits.WRITERS]:
        _run_writer(m, instance, method, {name: left[name] for name in mine}, run)
    return left


def _run_writer(
    m: Machine, instance: InstanceValue, method: str, left: dict[str, dict[str, object]], run: Run
) -> None:
    """Run a method, and keep what it leaves in some attributes."""
    function = None if instance.cls is None else classes.class_attribute(m, instance.cls, method)
    if not isinstance(function, FunctionValue) or function.kind != "function":
        return
    facts: dict[Key, object] = {}
    below = m.state.fork()
    if run(function, instance):
        written = m.state.written_since(below)
        for name, by_method in left.items():
            value = by_method[method] = _told(m, m.resolve(m.state.get(instance, name)))
            if value is not None:
                objects = set(map(id, _within(m, value)))
                # what is put there after the constructor is told where it was made

                facts.update(
                    {
                        key: each
                        for key, each in written.items()
                        if id(key[0]) in objects and key[1] != "attribute"
                    }
                )
    m.state.restore(below)
    for (owner, slot), value in facts.items():
        m.state.set(owner, slot, value)


def _put(m: Machine, instance: InstanceValue, name: str, value: object) -> None:
    """The result of a method is there: in a list any number of times, and instead of None perhaps not yet."""
    before = m.resolve(m.state.get(instance, name, MISSING))
    if isinstance(before, TensorValue):
        if isinstance(value, TensorValue) and m.device(value) == before.device:
            # Whichever of the two it is, it is there; told of is the one that the constructor itself has made.
            if before.device_step is not None and before.device_step.site.calls:
                set_slot(m, instance, name, value)
            else:
                m.state.set(before, "device", before.device)
    elif isinstance(before, Sequence):
        contents = m.state.get(value, "#items")
        assert isinstance(contents, Contents)  # noqa: S101  told as a list
        items = (*(contents.items or ()), *(() if contents.element is None else (contents.element,)))
        m.state.set(before, "#items", Contents(None, m.any_of(items, items=True)))
    elif isinstance(before, Mapping):
        entries = m.state.get(value, "#entries")
        assert isinstance(entries, Entries)  # noqa: S101  told as a dict
        rest = (*entries.known.values(), *(() if entries.rest is None else (entries.rest,)))
        m.state.set(before, "#entries", Entries({}, m.any_of(rest, items=True)))
    elif before is MISSING and _class_value(m, instance, name) is MISSING:
        set_slot(m, instance, name, value)
    else:
        not_yet = Condition(("left behind", id(instance), name), f"`self.{name}` is None")
        set_slot(m, instance, name, either(not_yet, NONE, value))


def _as_it_was(m: Machine, instance: InstanceValue, name: str) -> None:
    """Nobody but the running method replaces a tensor of the constructor's: it finds it where that has made it."""
    kept = m.resolve(m.state.get(instance, name))
    if isinstance(kept, TensorValue):
        m.state.set(kept, "device", kept.device)


def _unknown(m: Machine, instance: InstanceValue, name: str) -> None:
    """Somebody may have put something there: of what is None it is not known any more."""
    before = m.resolve(m.state.get(instance, name, MISSING))
    if before == NONE or (before is MISSING and _class_value(m, instance, name) == NONE):
        symbol = Symbol(("attr", id(instance), name), f"self.{name}", named=True, plausible=False)
        set_slot(m, instance, name, symbol)


def _told(m: Machine, value: object, depth: int = _SEEN) -> object:
    """A value of which there is something to tell: tensors that were made there, or containers of some; else None."""
    if isinstance(value, TensorValue):
        known = not isinstance(m.device(value), UnknownDevice) or m.requires_grad(value) is True
        return value if known and value.symbol is None and not value.is_parameter else None
    if depth and isinstance(value, (Sequence, Mapping, TupleValue)):
        return value if any(_told(m, each, depth - 1) is not None for each in _items(m, value)) else None
    return None


def _items(m: Machine, value: object) -> list[object]:
    found: list[object] = []
    if isinstance(value, TupleValue):
        found = list(value.items)
    elif isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents):
            found = [*(contents.items or ()), contents.element]
    elif isinstance(value, Mapping):
        entries = m.state.get(value, "#entries")
        if isinstance(entries, Entries):
            found = [*entries.known.values(), entries.rest]
    return [m.resolve(each) for each in found if each is not None]


def _within(m: Machine, value: object, depth: int = _SEEN + 1) -> Iterator[object]:
    """An object and what it is made of, as far as the state has something to say of it."""
    yield value
    if isinstance(value, TensorValue):
        yield value.storage
        yield m.state.get(value, "device_step", value.device_step)
    elif depth:
        for each in _items(m, value):
            yield from _within(m, each, depth - 1)


def _is_left_empty(m: Machine, instance: InstanceValue, name: str) -> bool:
    """Whether there is nothing in an attribute once the instance is made: None, an empty container, or no such attribute.

    Or a tensor, which is of no use any more where another method has begun anew.
    """
    value = m.state.get(instance, name, MISSING)
    if isinstance(value, TensorValue):
        return value.symbol is None and not value.is_parameter and not registry.is_module(m, instance)
    if type(value) in (InstanceValue, TupleValue, FunctionValue, Symbol):
        return False  # nearly always
    value = m.resolve(value)
    if name in m.state.get(instance, "#buffers", ()):  # type: ignore[operator]
        return False  # a tensor that is put there moves with its module
    if value is MISSING:
        return _class_value(m, instance, name) in (MISSING, NONE)
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        return isinstance(contents, Contents) and contents.items == () and contents.element is None
    if isinstance(value, Mapping):
        entries = m.state.get(value, "#entries")
        return isinstance(entries, Entries) and not entries.known and entries.rest is None
    return value == NONE


def _class_value(m: Machine, instance: InstanceValue, name: str) -> object:
    return MISSING if instance.cls is None else m.resolve(classes.class_attribute(m, instance.cls, name))


@functools.lru_cache(maxsize=64)
def set_from_outside(text: str) -> frozenset[str]:
    """The attributes that the code of a file sets of something else than `self`."""
    return frozenset(code_patterns.WRITES_FROM_OUTSIDE.findall(text))


def _written_elsewhere(m: Machine, order: list[ClassValue], name: str) -> bool:
    """Whether the files of some classes set an attribute of that name of something else than `self`, or in a class derived from the first."""
    if any(name in set_from_outside(each.source.text) for each in order):
        return True
    names = order[0].scope.globals
    for each in names.names:
        other = m.state.get(names, each)
        if isinstance(other, ClassValue) and other not in order and order[0] in classes.linearize(m, other):
            written = places_of_writing(other.node, other.source, frozenset({name}))
            if written is None or written:
                return True
    return False


@of_tree(maxsize=256)
def _perhaps_written(cls: ast.ClassDef, source: Source) -> frozenset[str]:
    """The attributes of `self` that a class seems to write outside of its constructor, by its text: asked of every class."""
    text = source.slice(cls)
    for each in cls.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            text = text.replace(source.slice(each), "")
    return frozenset(code_patterns.WRITES_ATTRIBUTE.findall(text))


@of_tree(maxsize=256)
def places_of_writing(
    cls: ast.ClassDef, source: Source, names: frozenset[str]
) -> tuple[tuple[str, tuple[str, ...]], ...] | None:
    """Of some attributes of `self` the methods that write them, each as often as it does; None if others may, too.

    The constructor counts for nothing, nor does what empties: `self.x = None`, `self.x = []`.
    """
    if source.mentions(cls, "setattr(", "vars(self", "__dict__"):
        return None
    found: dict[str, list[str]] = {}
    texts = [f".{name}" for name in sorted(names)]
    for method in cls.body:
        if (
            isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef))
            and method.name != "__init__"
            and method.args.args
            and source.mentions(method, *texts)
        ):
            owner = method.args.args[0].arg
            for each in walk(method):
                if isinstance(each, _WRITING):
                    for name in _written(each, owner):
                        if name in names:
                            found.setdefault(name, []).append(method.name)
    return tuple((name, tuple(methods)) for name, methods in found.items())


@of_tree(maxsize=64)
def emptying_methods(cls: ast.ClassDef, name: str) -> frozenset[str]:
    """The methods, but for the constructor, that empty a list which an attribute of `self` holds, or put another in its place."""
    return frozenset(
        method.name
        for method in cls.body
        if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) and method.name != "__init__"
        if method.args.args and any(_emptied(each, method.args.args[0].arg) == name for each in walk(method))
    )


def _emptied(node: ast.AST, owner: str) -> str:
    """The attribute that a node empties: `del self.x[:]`, `self.x.clear()`, `self.x = []`."""
    if isinstance(node, ast.Delete) and isinstance(node.targets[0], ast.Subscript):
        return _attribute(node.targets[0].value, owner)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "clear":
        return _attribute(node.func.value, owner)
    if isinstance(node, ast.Assign) and _empties(node.value):
        return _attribute(node.targets[0], owner)
    return ""


_WRITING: Final = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.NamedExpr,
    ast.For,
    ast.AsyncFor,
    ast.withitem,
    ast.Expr,
)


def _written(node: ast.AST, owner: str) -> Iterator[str]:
    """The attributes that a node writes: each as often as it does."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _targets(target, node.value, owner)
        if isinstance(node.value, ast.Attribute):
            # Another name for what is there: whatever is put there by that name.
            yield from _twice(_attribute(node.value, owner))
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
        if node.value is not None:
            yield from _targets(node.target, node.value, owner)
    elif isinstance(node, (ast.For, ast.AsyncFor)):
        yield from _targets(node.target, None, owner)
    elif isinstance(node, ast.withitem):
        if node.optional_vars is not None:
            yield from _targets(node.optional_vars, None, owner)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        if isinstance(called, ast.Attribute) and called.attr in code_patterns.PUTS:
            name = _attribute(called.value, owner) or _attribute(getattr(called.value, "value", None), owner)
            if name:
                yield name
        for argument in node.value.args:
            yield from _twice(_attribute(argument, owner))  # `heapq.heappush(self.items, x)`


def _twice(name: str) -> tuple[str, ...]:
    """A place that is not followed counts as several."""
    return (name, name) if name else ()


def _targets(target: ast.expr, value: ast.expr | None, owner: str) -> Iterator[str]:
    if isinstance(target, (ast.Tuple, ast.List)):
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else ()
        same = len(values) == len(target.elts)
        for number, each in enumerate(target.elts):
            yield from _targets(each, values[number] if same else None, owner)
    elif isinstance(target, ast.Subscript):
        name = _attribute(target.value, owner)
        if name:
            yield name
    else:
        name = _attribute(target, owner)
        if name and not (value is not None and _empties(value)):
            yield name


def _attribute(node: object, owner: str) -> str:
    """The name of `self.name`; else nothing."""
    return (
        node.attr
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == owner
        else ""
    )


def _empties(value: ast.expr) -> bool:
    """Whether an expression is None or an empty container."""
    if isinstance(value, ast.Constant):
        return value.value is None
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return not value.elts
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.Call):
        name = value.func.id if isinstance(value.func, ast.Name) else getattr(value.func, "attr", "")
        return name in _EMPTY and not [
            each for each in value.args if not isinstance(each, (ast.Name, ast.Lambda))
        ]
    return False
