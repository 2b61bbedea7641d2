"""Setting attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import library_semantics, program_moments
from devls.engine.core.slots import set_slot
from devls.engine.core.transfer import ATTRIBUTE_WRITES, NAMES_WRITTEN
from devls.engine.python import calls, classes, mappings
from devls.values.conditions import Either
from devls.values.state import MISSING
from devls.values.value import (
    BoundMethod,
    ClassValue,
    Const,
    FunctionValue,
    InstanceValue,
    LibraryName,
    Mapping,
    ModuleValue,
    Scope,
    Sequence,
    TensorValue,
)

if TYPE_CHECKING:
    import ast

    from devls.engine.core.machine import Machine


def set_attribute(
    m: Machine,
    target: ast.Attribute,
    owner: object,
    name: str,
    value: object,
    node: ast.expr | None,
    *,
    augmented: bool = False,
) -> None:
    """`owner.name = value`."""
    owner = m.resolve(owner)
    meaning = NAMES_WRITTEN.get(name)
    if meaning is not None:
        meaning(m, target, owner, value, node)
    if m.loops and node is not None and isinstance(owner, InstanceValue):
        program_moments.replaced(m, target, m.state.get(owner, name), value, node)
    if isinstance(owner, InstanceValue):
        _set_of_instance(m, target, owner, name, value, node, augmented=augmented)
    elif isinstance(owner, Either):
        _set_of_one(m, target, owner, name, value, node, augmented=augmented)
    elif (run := ATTRIBUTE_WRITES.get(type(owner))) is not None:
        run(m, target, owner, name, value, node)


def _set_of_instance(
    m: Machine,
    target: ast.Attribute,
    owner: InstanceValue,
    name: str,
    value: object,
    node: ast.expr | None,
    *,
    augmented: bool,
) -> None:
    setter: object = MISSING
    if owner.cls is not None:
        setter = classes.class_attribute(m, owner.cls, f"{classes.SETTER}{name}")
        if isinstance(setter, FunctionValue):
            calls.call_function(m, setter, [owner, value], {}, None, receiver=owner)
            return
    if classes.is_module(m, owner):
        library_semantics.set_attribute_of_module(m, target, owner, name, value, node, augmented=augmented)
        return
    if owner.cls is not None:
        setter = classes.class_attribute(m, owner.cls, "__setattr__")
    if isinstance(setter, FunctionValue):
        calls.call_function(m, setter, [owner, Const(name), value], {}, None, receiver=owner)
        if mappings.of(m, owner) is None and m.state.get(owner, name, MISSING) is MISSING:
            m.state.set(owner, name, m.unknown())
        return
    mapping = mappings.of(m, owner)
    if mapping is not None and _is_entry(m, owner, mapping, setter, name, value):
        return
    set_slot(m, owner, name, value)
    m.state.set(owner, f"set {name}", m.site(target))
    kept = m.resolve(value)
    if isinstance(kept, TensorValue):
        m.state.set(kept, "kept at", (m.site(target), node))
    if isinstance(kept, InstanceValue) and m.state.get(kept, "built in forward") is not None:
        m.state.set(kept, "built in forward", None)  # the next call finds it there


def _is_entry(
    m: Machine, owner: InstanceValue, mapping: Mapping, setter: object, name: str, value: object
) -> bool:
    """Whether what is set is, or replaces, the entries of an object that is a dict: it has been put there."""
    if name == "data" and mappings.holds_data(m, owner):
        mappings.put(m, owner, value)
        return True
    if name == "__dict__" and value is owner:
        m.state.set(owner, "#entries are attributes", True)
        return False
    if setter == LibraryName("builtins.dict.__setitem__") or (
        m.state.get(owner, "#entries are attributes") is True
    ):
        calls.call(m, BoundMethod(mappings.bound("__setitem__"), mapping), [Const(name), value], {}, None)
        return True
    return False


def _set_of_one(
    m: Machine,
    target: ast.Attribute,
    owner: Either,
    name: str,
    value: object,
    node: ast.expr | None,
    *,
    augmented: bool,
) -> None:
    several = m.alternatives(owner)
    others = [each for each in several if not isinstance(each, InstanceValue)]
    if name in ("requires_grad", "require_grad") and others:
        several = others  # of several things those are meant that have such a flag
    for each in several:
        if isinstance(each, (TensorValue, InstanceValue)):
            # Either of several: a weak write, the old value stays possible.
            before = m.state.get(each, name, MISSING)
            set_attribute(m, target, each, name, value, node, augmented=augmented)
            after = m.state.get(each, name, MISSING)
            if (
                before is not MISSING
                and after is not MISSING
                and before != after
                and isinstance(each, InstanceValue)
            ):
                m.state.set(each, name, m.any_of((before, after)))


@ATTRIBUTE_WRITES.of(ModuleValue)
def _set_global(
    m: Machine,
    _target: ast.Attribute,
    owner: ModuleValue,
    name: str,
    value: object,
    _node: ast.expr | None,
) -> None:
    m.state.set(owner.scope, name, value)


@ATTRIBUTE_WRITES.of(ClassValue)
def _set_of_class(
    m: Machine, _target: ast.Attribute, owner: ClassValue, name: str, value: object, _node: ast.expr | None
) -> None:
    owner.scope.names.add(name)
    m.state.set(owner.scope, name, value)


@ATTRIBUTE_WRITES.of(FunctionValue, BoundMethod, Sequence, Mapping, Scope)
def _set_plainly(
    m: Machine, _target: ast.Attribute, owner: object, name: str, value: object, _node: ast.expr | None
) -> None:
    m.state.set(owner, name, value)
