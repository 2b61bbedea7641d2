"""Functions of Python that ask what something is, and what it has: `isinstance`, `hasattr`, `getattr`, `type`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, priors
from devls.engine.core.invocation import Invocation
from devls.engine.core.joins import Contents
from devls.engine.core.slots import entries_of
from devls.engine.core.transfer import ATTRIBUTE_TESTS
from devls.engine.python import (
    attribute_writes,
    attributes,
    classes,
    narrowing,
)
from devls.values.conditions import Either
from devls.values.state import MISSING
from devls.values.value import (
    FALSE,
    NONE,
    TRUE,
    BoundMethod,
    ClassValue,
    Const,
    FunctionValue,
    InstanceValue,
    LibraryName,
    Mapping,
    PartialValue,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


HELD_BY_UNSEEN: Final = "#held by unseen"
"""The slot of an object that was set as an attribute of something unknown."""


def test_instance(m: Machine, call_: Invocation) -> object:
    """`isinstance(x, cls)`."""
    if len(call_.arguments) != 2:
        return m.unknown(call_.node)
    found = narrowing.is_instance(m, call_.arguments[0], call_.arguments[1])
    value, cls = m.resolve(call_.arguments[0]), m.resolve(call_.arguments[1])
    if (
        isinstance(found, Either)
        and isinstance(value, Symbol)
        and isinstance(cls, ClassValue)
        and classes.is_module_class(m, cls)
    ):
        m.state.set(value, narrowing.MODULE_IF, found.condition)
    return found


def test_callable(m: Machine, call_: Invocation) -> object:
    """`callable(x)`, where it can be told."""
    found = is_callable(m, call_.arguments[0]) if call_.arguments else None
    return all_or_any(m, call_) if found is None else Const(found)


def is_callable(m: Machine, value: object) -> bool | None:
    """Whether something can be called; None where that is not known."""
    value = m.resolve(value)
    if isinstance(value, (FunctionValue, ClassValue, BoundMethod, PartialValue)):
        return True
    if isinstance(value, (Const, TensorValue, TupleValue, Sequence, Mapping)):
        return False
    return None


_TYPES = {"dict": dict, "list": list, "tuple": tuple, "set": set}


_OF_NAMED_TUPLES: Final = frozenset(
    {"_fields", "_asdict", "_replace", "_make", "_field_defaults", *dir(tuple)}
)
"""Attributes of every named tuple besides its fields."""


_OPTIMIZER: Final = "torch.optim.Optimizer"


def test_attribute(m: Machine, call_: Invocation) -> object:
    """`hasattr(x, name)`."""
    if len(call_.arguments) != 2:
        return m.unknown(call_.node)
    value, name = m.resolve(call_.arguments[0]), m.resolve(call_.arguments[1])
    if isinstance(value, Either):
        return m.select(
            Either(value.condition, True, False),
            *(
                test_attribute(m, Invocation("hasattr", [each, name], {}, call_.node, call_.nodes))
                for each in (value.then, value.otherwise)
            ),
        )
    if isinstance(value, InstanceValue) and isinstance(name, Const) and isinstance(name.value, str):
        return _has(m, value, name.value)
    if isinstance(value, Symbol):
        return _of_unknown(m, value, name)
    if isinstance(name, Const) and (has := ATTRIBUTE_TESTS.get(type(value))) is not None:
        return has(m, value, name.value)
    if isinstance(value, (Sequence, Mapping, TupleValue)) and isinstance(name, Const):
        kind = (
            value.kind if isinstance(value, Sequence) else "dict" if isinstance(value, Mapping) else "tuple"
        )
        if kind in _TYPES:
            return TRUE if name.value in dir(_TYPES[kind]) else FALSE
    if isinstance(value, Const) and isinstance(name, Const) and isinstance(name.value, str):
        return TRUE if hasattr(type(value.value), name.value) else FALSE
    if isinstance(value, LibraryName) and isinstance(name, Const):
        known = m.library.exists(f"{value.name}.{name.value}")
        return m.unknown() if known is None else TRUE if known else FALSE
    return m.unknown(call_.node)


def _of_unknown(m: Machine, value: Symbol, name: object) -> object:
    """The same of something unknown: what lacks an attribute that every tensor has is no tensor."""
    found = narrowing.test_of(
        ("hasattr", value.key, name if isinstance(name, Const) else m.fresh_number()), "hasattr"
    )
    if not isinstance(name, Const) or m.library.exists(f"{_TENSOR}.{name.value}") is not True:
        return found
    return m.select(m.truth(narrowing.is_instance(m, value, LibraryName(_TENSOR))), TRUE, found)


_TENSOR: Final = "torch.Tensor"


def _has(m: Machine, value: InstanceValue, name: str) -> object:
    """Whether an object has an attribute."""
    if m.state.get(value, name, MISSING) is not MISSING:
        return TRUE
    bases: set[str] = {value.library}
    if value.cls is not None:
        if classes.class_attribute(m, value.cls, name) is not MISSING:
            return TRUE
        bases = set(classes.library_bases(m, value.cls))
        if "typing.NamedTuple" in bases and name in _OF_NAMED_TUPLES:
            return TRUE
    kinds = {_OPTIMIZER if m.library.optimizer(each) is not None else each for each in bases}
    if classes.is_module(m, value):
        kinds.add("torch.nn.Module")
    if any(each.startswith("torch.") and m.library.exists(f"{each}.{name}") for each in kinds):
        return TRUE  # what its class has; others may have given it more
    if library_semantics.lacks_attribute(m, value, name):
        return FALSE
    return narrowing.test_of(("hasattr", id(value), Const(name)), "hasattr")


def read_attribute(m: Machine, call_: Invocation) -> object:
    """`getattr(x, name)`."""
    if len(call_.arguments) < 2:
        return m.unknown(call_.node)
    name = m.resolve(call_.arguments[1])
    if isinstance(name, Const) and isinstance(name.value, str):
        value = m.resolve(call_.arguments[0])
        if len(call_.arguments) > 2 and isinstance(value, InstanceValue):
            has = test_attribute(
                m, Invocation("hasattr", call_.arguments[:2], {}, call_.node, call_.nodes[:2])
            )
            if has != TRUE:
                return m.select(m.truth(has), m.unknown(), call_.arguments[2])
        return attributes.get_attribute(m, call_.node, call_.nodes[0], value, name.value)
    return _some_part(m, m.resolve(call_.arguments[0]), call_)


def _some_part(m: Machine, owner: object, call_: Invocation) -> object:
    """`getattr(model, name)` with a name that is not known: some part of a module that holds nothing but modules."""
    if isinstance(owner, InstanceValue) and classes.is_module(m, owner) and len(call_.arguments) == 2:
        held = [value for _, value in entries_of(m, owner)]
        if held and all(isinstance(each, InstanceValue) and classes.is_module(m, each) for each in held):
            return m.any_of(tuple(held))
    return m.unknown(call_.node)


def write_attribute(m: Machine, call_: Invocation) -> object:
    """`setattr(x, name, value)`."""
    if len(call_.arguments) == 3:
        name = m.resolve(call_.arguments[1])
        owner = m.resolve(call_.arguments[0])
        if isinstance(name, Const) and isinstance(name.value, str):
            target = ast.copy_location(
                ast.Attribute(call_.nodes[0] or call_.node, name.value, ast.Store()), call_.node
            )
            attribute_writes.set_attribute(m, target, owner, name.value, call_.arguments[2], call_.nodes[2])
        elif isinstance(owner, InstanceValue):
            classes.left_open(m, owner)
            library_semantics.set_under_unknown_name(m, owner, call_.arguments[2])
        elif isinstance(held := m.resolve(call_.arguments[2]), InstanceValue):
            m.state.set(held, HELD_BY_UNSEEN, True)
    return NONE


def attributes_of(m: Machine, call_: Invocation) -> object:
    """`vars(instance)`: its attributes. Writes through it are not followed."""
    owner = m.resolve(call_.arguments[0]) if call_.arguments else None
    if isinstance(owner, InstanceValue) and not owner.symbolic and classes.is_module(m, owner):
        return m.new_dict(priors.attributes_as_dict(m, owner), m.unknown(), call_.node)
    if not isinstance(owner, InstanceValue) or owner.symbolic:
        return m.new_dict({}, m.unknown(), call_.node)
    names = m.state.get(owner, "#names", ())
    assert isinstance(names, tuple)  # noqa: S101  written as such
    known: dict[object, object] = {
        name: m.state.get(owner, name) for name in names if not name.startswith("#")
    }
    return m.new_dict(known, None, call_.node)


def type_of(m: Machine, call_: Invocation) -> object:
    """`type(x)`."""
    value = m.resolve(call_.arguments[0]) if call_.arguments else None
    if isinstance(value, InstanceValue) and value.cls is not None:
        return value.cls
    if isinstance(value, (Sequence, Mapping, TupleValue)):
        kind = (
            value.kind if isinstance(value, Sequence) else "dict" if isinstance(value, Mapping) else "tuple"
        )
        if kind in _TYPES:
            return LibraryName(f"builtins.{kind}")
    if isinstance(value, (Symbol, TensorValue, InstanceValue, BoundMethod, Either)):
        return narrowing.type_of(m, value)
    return m.unknown(call_.node)


def all_or_any(m: Machine, call_: Invocation) -> object:
    """`all(...)`, `any(...)`: decided where each item is, one way or the other."""
    given = m.resolve(call_.arguments[0]) if len(call_.arguments) == 1 else None
    contents = m.state.get(given, "#items") if isinstance(given, Sequence) else None
    if isinstance(contents, Contents) and call_.short_name in ("all", "any"):
        items = [*(contents.items or ()), *(() if contents.element is None else (contents.element,))]
        truths = [m.truth(each) for each in items]
        neutral = call_.short_name == "all"
        if truths and all(each is neutral for each in truths):
            return TRUE if neutral else FALSE
    return narrowing.test_of(("fresh", m.fresh_number()), call_.short_name)
