"""Functions and classes as values; method resolution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, limits
from devls.values.conditions import Either, leaves
from devls.values.state import MISSING
from devls.values.value import (
    BoundMethod,
    ClassValue,
    Const,
    FunctionValue,
    InstanceValue,
    LibraryName,
    Scope,
)

if TYPE_CHECKING:
    import ast

    from devls.engine.core.machine import Machine

GRAD_MODES = {
    "torch.no_grad": "no_grad",
    "torch.inference_mode": "inference_mode",
    "torch.enable_grad": "enable_grad",
    "torch.autograd.no_grad": "no_grad",
    "torch.autograd.enable_grad": "enable_grad",
    "torch.set_grad_enabled": "set_grad_enabled",
    "torch.autograd.grad_mode.no_grad": "no_grad",
    "torch.autograd.inference_mode": "inference_mode",
    "torch.autograd.set_grad_enabled": "set_grad_enabled",
}

_GENERIC = frozenset(
    {"typing.Generic", "typing_extensions.Generic", "typing.Protocol", "typing_extensions.Protocol"}
)

SETTER: Final = "setter of "
"""Before the name of a property: the slot of a class that holds the function that sets it."""


def own_function(m: Machine, scope: Scope, name: str) -> object:
    """Definition by `def name` in a scope, whatever function of the project decorates it."""
    found = m.state.get(scope, f"def {name}")
    return found if isinstance(found, FunctionValue) else m.state.get(scope, name, MISSING)


def make_function(m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> FunctionValue:
    """A function value, its defaults evaluated now."""
    arguments = node.args
    scope = m.frame.scope
    each: Scope | None = scope
    while each is not None and each.kind in ("function", "class"):
        each.captured = True
        each = each.parent
    return FunctionValue(
        node,
        scope,
        m.source,
        tuple(m.eval(default) for default in arguments.defaults),
        tuple(None if default is None else m.eval(default) for default in arguments.kw_defaults),
    )


def replaced(
    value: FunctionValue,
    *,
    kind: str = "",
    grad_mode: str = "",
    scope: Scope | None = None,
    cls: ClassValue | None = None,
) -> FunctionValue:
    """The same function, decorated, or as the method of a class."""
    return FunctionValue(
        value.definition,
        scope or value.scope,
        value.source,
        value.defaults,
        value.keyword_defaults,
        cls or value.cls,
        kind or value.kind,
        grad_mode or value.grad_mode,
        value.opaque,
    )


def linearize(m: Machine, cls: ClassValue) -> list[ClassValue]:
    """The classes we can see, in the order in which attributes are looked up."""
    known = m.class_orders.get(cls)
    if known is not None:
        return known[0]
    order: list[ClassValue] = []
    entered: set[ClassValue] = set()
    pending = [(cls, False)]
    while pending:
        # From the last to the first: a class shared by two bases is looked up after both.
        each, left = pending.pop()
        if left:
            order.append(each)
        elif each not in entered:
            entered.add(each)
            pending.append((each, True))
            for base in each.bases:
                if type(base) is ClassValue:
                    if base not in entered:
                        pending.append((base, False))
                elif type(base) is Either:
                    pending += [(one, False) for one in m.alternatives(base) if isinstance(one, ClassValue)]
    order.reverse()
    m.state.work += sum(len(each.bases) for each in order)
    if not any(type(base) is Either for each in order for base in each.bases):
        m.class_orders[cls] = order, _libraries(m, order)  # on every path the same
    return order


def too_many(bases: tuple[object, ...]) -> bool:
    """Whether a class with these bases would be more classes than one may be, those of all paths together."""
    most = limits.CLASSES_OF_ONE
    found: set[ClassValue] = set()
    pending = [bases]
    while pending:
        values = pending.pop()
        if len(values) >= most:
            return True
        for value in values:
            for each in leaves(value) if type(value) is Either else (value,):
                if isinstance(each, ClassValue) and each not in found:
                    found.add(each)
                    pending.append(each.bases)
        if len(found) >= most:
            return True
    return False


def library_bases(m: Machine, cls: ClassValue) -> frozenset[str]:
    """Names of the library classes a class derives from; "?" for what is not known."""
    order = linearize(m, cls)
    known = m.class_orders.get(cls)
    return known[1] if known is not None else _libraries(m, order)


def _libraries(m: Machine, order: list[ClassValue]) -> frozenset[str]:
    """Names of the library classes that these derive from."""
    found: set[str] = set()
    for each in order:
        for base in each.bases:
            for value in m.alternatives(base) if type(base) is Either else (base,):
                if isinstance(value, LibraryName):
                    found.add(value.name)
                elif not isinstance(value, ClassValue):
                    found.add("?")
    return frozenset(found)


def is_generic(m: Machine, cls: ClassValue) -> bool:
    """Whether `cls[...]` is the class with its type parameters filled in: where it says so, or could be nothing else."""
    if class_attribute(m, cls, "__class_getitem__") is not MISSING:
        return False
    bases = library_bases(m, cls)
    if bases & _GENERIC or any(getattr(each.node, "type_params", ()) for each in linearize(m, cls)):
        return True
    told = any(each.node.keywords for each in linearize(m, cls))  # a metaclass may have items
    return not told and "?" not in bases and not any(name.startswith("enum.") for name in bases)


def class_attribute(m: Machine, cls: ClassValue, name: str, *, after: ClassValue | None = None) -> object:
    """An attribute of a class or its visible bases; MISSING if none has it."""
    order = linearize(m, cls)
    if after is not None and after in order:
        order = order[order.index(after) + 1 :]
    for each in order:
        value = m.state.get(each.scope, name, MISSING)
        if value is not MISSING:
            return value
    return MISSING


def is_module_class(m: Machine, cls: ClassValue) -> bool:
    """Whether instances are `torch.nn.Module`s, as far as we can see."""
    known = m.modules.module_classes.get(cls)
    if known is None:
        known = any(library_semantics.is_module_name(m, name) for name in library_bases(m, cls))
        m.modules.module_classes[cls] = known
    return known


def is_module(m: Machine, instance: InstanceValue) -> bool:
    """Whether an instance is a Module."""
    if instance.cls is not None:
        return is_module_class(m, instance.cls)
    return library_semantics.is_module_name(m, instance.library)


def has_unseen_base(m: Machine, cls: ClassValue) -> bool:
    """Whether a class derives from one of which nothing is known, so that its instances may be Modules."""
    known = m.modules.unseen_bases.get(cls)
    if known is None:
        known = any(map(library_semantics.is_unseen, library_bases(m, cls))) and not is_module_class(m, cls)
        m.modules.unseen_bases[cls] = known
    return known


def left_open(m: Machine, instance: object) -> None:
    """A part of a constructor was not run: whatever it sets may be there."""
    if isinstance(instance, InstanceValue):
        for mark in ("#any attribute", "#open", "#initialized"):
            m.state.set(instance, mark, True)


def method_of(m: Machine, instance: InstanceValue, name: str) -> BoundMethod | None:
    """A method that the instance's own class defines."""
    if instance.cls is None:
        return None
    found = class_attribute(m, instance.cls, name)
    if isinstance(found, FunctionValue):
        return BoundMethod(found, instance, None, name)
    return None


# Classes that libraries make: the items of named tuples, the members of enumerations


NAMED_TUPLE: Final = LibraryName("typing.NamedTuple")


def named_items(m: Machine, value: InstanceValue) -> list[object] | None:
    """The items of a named tuple, in order; None for what is none."""
    if value.cls is None or value.cls.dataclass_fields is None:
        return None
    if NAMED_TUPLE.name not in library_bases(m, value.cls):
        return None
    found = [m.state.get(value, name, MISSING) for name, *_ in value.cls.dataclass_fields]
    return None if MISSING in found else found


def make_members(m: Machine, cls: ClassValue) -> None:
    """Assignments in the body of an enumeration become its members."""
    for name in sorted(cls.scope.names):
        value = m.state.get(cls.scope, name, MISSING)
        if (
            name.startswith("_")
            or value is MISSING
            or isinstance(value, (FunctionValue, BoundMethod, ClassValue))
        ):
            continue
        member = InstanceValue(cls, "enum.Enum")
        m.state.set(member, "name", Const(name))
        m.state.set(member, "value", value)
        m.state.set(member, "_value_", value)
        m.state.set(cls.scope, name, member)
