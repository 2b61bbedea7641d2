"""Classes that libraries make: the items of named tuples, the members of enumerations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.python import classes
from devls.values.state import MISSING
from devls.values.value import (
    BoundMethod,
    ClassValue,
    Const,
    FunctionValue,
    InstanceValue,
    LibraryName,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine

NAMED_TUPLE: Final = LibraryName("typing.NamedTuple")


def items(m: Machine, value: InstanceValue) -> list[object] | None:
    """The items of a named tuple, in order; None for what is none."""
    if value.cls is None or value.cls.dataclass_fields is None:
        return None
    if NAMED_TUPLE.name not in classes.library_bases(m, value.cls):
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
