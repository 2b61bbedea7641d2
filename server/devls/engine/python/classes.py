"""Functions and classes as values; method resolution; making instances."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.python import assignments, mappings
from devls.engine.python import decorators as decorating
from devls.engine.torch.nn import construction as module_construction
from devls.engine.torch.nn import registry
from devls.syntax.nodes import of_tree, walk
from devls.values.conditions import Either
from devls.values.state import MISSING
from devls.values.value import (
    BoundMethod,
    ClassValue,
    Const,
    FunctionValue,
    InstanceValue,
    LibraryName,
    NativeFunction,
    Scope,
    Symbol,
    TupleValue,
)

if TYPE_CHECKING:
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

_PROPERTIES = frozenset({"builtins.property", "functools.cached_property", "abc.abstractproperty"})

_GENERIC = frozenset(
    {"typing.Generic", "typing_extensions.Generic", "typing.Protocol", "typing_extensions.Protocol"}
)

# Decorators under which a call of the name is still a call of the function, with the same result.


def run_function(m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    function = make_function(m, node)
    value: object = function
    plain: object = function
    for decorator in reversed(node.decorator_list):
        applied = m.resolve(m.eval(decorator))
        value = _decorate(m, value, applied, decorator)
        if not isinstance(applied, FunctionValue):
            plain = _decorate(m, plain, applied, decorator)
        elif _changes_mode(applied):
            plain = None
    assignments.bind(m, node.name, value)
    if isinstance(plain, FunctionValue) and getattr(value, "definition", None) is not node:
        m.state.set(m.frame.scope, f"def {node.name}", plain)
    return True


SETTER: Final = "setter of "
"""Before the name of a property: the slot of a class that holds the function that sets it."""


def own_function(m: Machine, scope: Scope, name: str) -> object:
    """What `def name` in a scope has defined, whatever function of the project decorates it."""
    found = m.state.get(scope, f"def {name}")
    return found if isinstance(found, FunctionValue) else m.state.get(scope, name, MISSING)


_MODES: Final = frozenset({"no_grad", "inference_mode", "set_grad_enabled", "enable_grad"})


def _changes_mode(decorator: FunctionValue) -> bool:
    """Whether a decorator runs what it decorates in a mode of its own."""
    return _names_mode(decorator.node)


@of_tree(maxsize=64)
def _names_mode(node: ast.AST) -> bool:
    return any(
        (isinstance(each, ast.Attribute) and each.attr in _MODES)
        or (isinstance(each, ast.Name) and each.id in _MODES)
        for each in walk(node)
    )


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


def _decorate(m: Machine, value: object, applied: object, decorator: ast.expr) -> object:
    if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter"):
        # The property itself was bound before, and stays.
        name = value.name if isinstance(value, FunctionValue) else ""
        before = m.state.get(m.frame.scope, name)
        if decorator.attr == "setter":
            m.state.set(m.frame.scope, f"{SETTER}{name}", value)
        return before if isinstance(before, FunctionValue) else value
    if not isinstance(value, FunctionValue):
        return value
    if isinstance(applied, LibraryName):
        if applied.name == "builtins.staticmethod":
            return replaced(value, kind="static")
        if applied.name == "builtins.classmethod":
            return replaced(value, kind="class")
        if applied.name in _PROPERTIES:
            return replaced(value, kind="property")
        if applied.name in GRAD_MODES:
            return replaced(value, grad_mode=GRAD_MODES[applied.name])
        if applied.name in ("contextlib.contextmanager", "contextlib.asynccontextmanager"):
            return replaced(value, kind="context")
        return value
    if isinstance(applied, InstanceValue) and applied.library in GRAD_MODES:
        mode = GRAD_MODES[applied.library]
        if mode == "set_grad_enabled":
            enabled = m.truth(m.state.get(applied, "#argument"))
            mode = "enable_grad" if enabled is True else "no_grad" if enabled is False else ""
        elif mode == "inference_mode" and m.truth(m.state.get(applied, "#argument", Const(True))) is False:
            mode = "enable_grad"
        return replaced(value, grad_mode=mode) if mode else value
    return decorating.called(m, applied, value, decorator, FunctionValue, BoundMethod, InstanceValue)


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


def run_class(m: Machine, node: ast.ClassDef) -> bool:
    bases = tuple(
        m.resolve(m.eval(base.value if isinstance(base, ast.Starred) else base)) for base in node.bases
    )
    for keyword in node.keywords:
        m.eval(keyword.value)
    scope = Scope("class", m.source, m.frame.scope, m.frame.scope.globals)
    is_dataclass = False
    decorators = [m.resolve(m.eval(decorator)) for decorator in node.decorator_list]
    for applied in decorators:
        if isinstance(applied, LibraryName):
            is_dataclass = is_dataclass or applied.name in _DATACLASSES
        elif isinstance(applied, InstanceValue):
            is_dataclass = is_dataclass or applied.library in _DATACLASSES
    if any(isinstance(base, LibraryName) and base.name in _FIELD_CLASSES for base in bases):
        is_dataclass = True
    fields: list[tuple[str, ast.expr | None, ast.expr | None]] = []
    for base in bases:
        if isinstance(base, ClassValue) and base.dataclass_fields is not None:
            is_dataclass = True
            fields += base.dataclass_fields
    if is_dataclass:
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name = statement.target.id
                fields = [field for field in fields if field[0] != name]
                fields.append((name, statement.annotation, statement.value))
    cls = ClassValue(node, scope, m.source, bases, tuple(fields) if is_dataclass else None)
    outer = m.frame.scope
    m.frame.scope = scope
    try:
        m.run(node.body)
    finally:
        m.frame.scope = outer
    for name in scope.names:
        for slot in (name, f"def {name}"):
            value = m.state.get(scope, slot)
            if isinstance(value, FunctionValue) and value.scope is scope:
                m.state.set(scope, slot, replaced(value, scope=outer, cls=cls))
    if LibraryName("enum.Enum") in bases and len(bases) == 1:
        from devls.engine.python import special_classes  # noqa: PLC0415  a cycle otherwise

        special_classes.make_members(m, cls)
    bound: object = cls
    for applied, decorator in zip(reversed(decorators), reversed(node.decorator_list), strict=True):
        bound = decorating.called(m, applied, bound, decorator, ClassValue)
    assignments.bind(m, node.name, bound)
    return True


_DATACLASSES = frozenset(
    {"dataclasses.dataclass", "attr.s", "attr.define", "attrs.define", "pydantic.dataclasses.dataclass"}
)
_FIELD_CLASSES = frozenset({"typing.NamedTuple", "pydantic.BaseModel"})


def linearize(m: Machine, cls: ClassValue) -> list[ClassValue]:
    """The classes we can see, in the order in which attributes are looked up."""
    known = m.class_orders.get(cls)
    if known is not None:
        return known
    found: list[ClassValue] = [cls]
    for base in cls.bases:
        for each in m.alternatives(base):
            if isinstance(each, ClassValue):
                for inherited in linearize(m, each):
                    # A class shared by two bases is looked up after both.
                    if inherited in found:
                        found.remove(inherited)
                    found.append(inherited)
    if all(isinstance(base, (ClassValue, LibraryName)) for each in found for base in each.bases):
        m.class_orders[cls] = found  # on every path the same
    return found


def library_bases(m: Machine, cls: ClassValue) -> set[str]:
    """Names of the library classes a class derives from; "?" for what is not known."""
    found: set[str] = set()
    for each in linearize(m, cls):
        for base in each.bases:
            for value in m.alternatives(base):
                if isinstance(value, LibraryName):
                    found.add(value.name)
                elif not isinstance(value, ClassValue):
                    found.add("?")
    return found


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
        known = any(registry.is_module_name(m, name) for name in library_bases(m, cls))
        m.modules.module_classes[cls] = known
    return known


def has_unseen_base(m: Machine, cls: ClassValue) -> bool:
    """Whether a class derives from one of which nothing is known, so that its instances may be Modules."""
    known = m.modules.unseen_bases.get(cls)
    if known is None:
        known = any(map(registry.is_unseen, library_bases(m, cls))) and not is_module_class(m, cls)
        m.modules.unseen_bases[cls] = known
    return known


def instantiate(
    m: Machine,
    cls: ClassValue,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
) -> object:
    """Call a class: a new instance, its `__init__` run."""
    from devls.engine.python import calls  # noqa: PLC0415  a cycle otherwise

    bases = library_bases(m, cls)
    if any(name in ("enum.Enum", "enum.IntEnum", "enum.StrEnum") for name in bases):
        return m.unknown(node)
    instance = InstanceValue(cls, next(iter(sorted(bases)), ""), m.site(node) if node is not None else None)
    if any(
        name.startswith("torch.autograd.Function") or name == "torch.autograd.function.Function"
        for name in bases
    ):
        return instance
    mappings.prepare(m, instance, bases)
    init = class_attribute(m, cls, "__init__")
    if isinstance(init, FunctionValue):
        calls.call_function(m, init, [instance, *arguments], keywords, node, receiver=instance)
    elif cls.dataclass_fields is not None:
        from devls.engine.evidence import argument_facts  # noqa: PLC0415  a cycle otherwise

        argument_facts.made(m, cls, arguments, keywords)
        fill_fields(m, cls, instance, arguments, keywords)
        post = class_attribute(m, cls, "__post_init__")
        if isinstance(post, FunctionValue):
            calls.call_function(m, post, [instance], {}, node, receiver=instance)
    else:
        module_construction.library_init(m, instance, arguments, keywords, node)
    new = class_attribute(m, cls, "__new__")
    if isinstance(new, FunctionValue):
        return m.unknown(node)
    return instance


def fill_fields(
    m: Machine, cls: ClassValue, instance: InstanceValue, arguments: list[object], keywords: dict[str, object]
) -> None:
    """What the `__init__` does that `dataclass` has written."""
    rest = list(arguments)
    for name, _annotation, default in cls.dataclass_fields or ():
        if name in keywords:
            value = keywords[name]
        elif rest:
            value = rest.pop(0)
        elif default is not None:
            value = m.state.get(cls.scope, name, MISSING)
            if value is MISSING:
                value = class_attribute(m, cls, name)
            if isinstance(value, InstanceValue) and value.library in ("dataclasses.field", "pydantic.Field"):
                value = _field_default(m, value)
            if value is MISSING:
                value = m.unknown()
        else:
            value = Symbol(("field", id(instance), name), name, named=True)
        m.state.set(instance, name, value)


def _field_default(m: Machine, field: InstanceValue) -> object:
    from devls.engine.python import calls  # noqa: PLC0415  a cycle otherwise

    factory = m.state.get(field, "default_factory")
    if factory is not None:
        return calls.call(m, factory, [], {}, None)
    default = m.state.get(field, "default")
    return m.unknown() if default is None else default


__all__ = ["Either", "NativeFunction", "TupleValue", "instantiate", "linearize"]
