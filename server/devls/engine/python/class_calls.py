"""Calls of the standard library that make classes, or objects of any: `namedtuple`, `dataclasses.replace`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.joins import Entries
from devls.engine.python import instances, iteration, mappings
from devls.engine.python.classes import NAMED_TUPLE
from devls.values.state import MISSING
from devls.values.value import NONE, ClassValue, Const, InstanceValue, Scope

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


def named_tuple(m: Machine, call: Invocation) -> object:
    """`namedtuple("Name", fields)`: a class with these fields."""
    given = m.resolve(call.argument(1, "field_names"))
    if isinstance(given, Const) and isinstance(given.value, str):
        names: list[object] = list(given.value.replace(",", " ").split())
    else:
        names = [m.resolve(each) for each in iteration.items(m, given, None) or ()]
        names = [each.value for each in names if isinstance(each, Const)]
    if not names:
        return m.unknown(call.node)
    title = m.resolve(call.argument(0, "typename"))
    name = str(title.value) if isinstance(title, Const) else "Tuple"
    body: list[ast.stmt] = [ast.copy_location(ast.Pass(), call.node)]
    node = ast.copy_location(ast.ClassDef(name, [], [], body, []), call.node)
    scope = Scope("class", m.source, m.frame.scope, m.frame.scope.globals)
    return ClassValue(node, scope, m.source, (NAMED_TUPLE,), tuple((str(each), None, None) for each in names))


def replaced(m: Machine, call: Invocation) -> object:
    """`dataclasses.replace(x, field=...)`: another object, whose other fields are those of the first."""
    value = m.resolve(call.arguments[0]) if call.arguments else NONE
    if not isinstance(value, InstanceValue) or value.cls is None or value.cls.dataclass_fields is None:
        return m.unknown(call.node)
    fields = {name: m.state.get(value, name, MISSING) for name, *_ in value.cls.dataclass_fields}
    kept: dict[object, object] = {name: each for name, each in fields.items() if each is not MISSING}
    made = mappings.overlaid(m, Entries(kept), mappings.given(call.keywords))
    given = {str(name): each for name, each in made.known.items()}
    return instances.instantiate(m, value.cls, [], given, call.node)
