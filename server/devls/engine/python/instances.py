"""Objects of classes of the project: how they are made."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import library_semantics, program_moments
from devls.engine.core.joins import Entries
from devls.engine.core.transfer import CALLS
from devls.engine.python import calls, classes, iteration, mappings
from devls.engine.python.classes import NAMED_TUPLE
from devls.values.state import MISSING
from devls.values.value import NONE, ClassValue, Const, FunctionValue, InstanceValue, Scope, Symbol

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


@CALLS.of(ClassValue)
def instantiate(
    m: Machine,
    cls: ClassValue,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None] | None = None,
    keyword_nodes: dict[str, ast.expr] | None = None,
) -> object:
    """Call a class: a new instance, its `__init__` run."""
    del nodes, keyword_nodes
    bases = classes.library_bases(m, cls)
    if any(name in ("enum.Enum", "enum.IntEnum", "enum.StrEnum") for name in bases):
        return m.unknown(node)
    instance = InstanceValue(cls, next(iter(sorted(bases)), ""), m.site(node) if node is not None else None)
    if any(
        name.startswith("torch.autograd.Function") or name == "torch.autograd.function.Function"
        for name in bases
    ):
        return instance
    mappings.prepare(m, instance, bases)
    init = classes.class_attribute(m, cls, "__init__")
    if isinstance(init, FunctionValue):
        calls.call_function(m, init, [instance, *arguments], keywords, node, receiver=instance)
    elif cls.dataclass_fields is not None:
        program_moments.dataclass_made(m, cls, arguments, keywords)
        fill_fields(m, cls, instance, arguments, keywords)
        post = classes.class_attribute(m, cls, "__post_init__")
        if isinstance(post, FunctionValue):
            calls.call_function(m, post, [instance], {}, node, receiver=instance)
    else:
        library_semantics.construct(m, instance, arguments, keywords, node)
    new = classes.class_attribute(m, cls, "__new__")
    if isinstance(new, FunctionValue):
        return m.unknown(node)
    return instance


def fill_fields(
    m: Machine, cls: ClassValue, instance: InstanceValue, arguments: list[object], keywords: dict[str, object]
) -> None:
    """Effect of the `__init__` that `dataclass` has written."""
    rest = list(arguments)
    for name, _annotation, default in cls.dataclass_fields or ():
        if name in keywords:
            value = keywords[name]
        elif rest:
            value = rest.pop(0)
        elif default is not None:
            value = m.state.get(cls.scope, name, MISSING)
            if value is MISSING:
                value = classes.class_attribute(m, cls, name)
            if isinstance(value, InstanceValue) and value.library in ("dataclasses.field", "pydantic.Field"):
                value = _field_default(m, value)
            if value is MISSING:
                value = m.unknown()
        else:
            value = Symbol(("field", id(instance), name), name, named=True)
        m.state.set(instance, name, value)


def _field_default(m: Machine, field: InstanceValue) -> object:
    factory = m.state.get(field, "default_factory")
    if factory is not None:
        m.tick()  # one that makes objects with such fields in turn doubles what is made
        return calls.call(m, factory, [], {}, None)
    default = m.state.get(field, "default")
    return m.unknown() if default is None else default


# Calls of the standard library that make classes, or objects of any


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
    return instantiate(m, value.cls, [], given, call.node)
