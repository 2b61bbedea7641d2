"""`def` and `class`: what they bind, and what decorators make of it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import containment
from devls.engine.python import classes, names
from devls.engine.python import decorators as decorating
from devls.syntax.nodes import of_tree, walk
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
    from devls.engine.core.machine import Machine

    Field = tuple[str, ast.expr | None, ast.expr | None]
    """The name of a field, its annotation, its default."""

_PROPERTIES = frozenset({"builtins.property", "functools.cached_property", "abc.abstractproperty"})


def run_function(m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    function = classes.make_function(m, node)
    value: object = function
    plain: object = function
    for decorator in reversed(node.decorator_list):
        applied = m.resolve(m.eval(decorator))
        value = _decorate(m, value, applied, decorator)
        if not isinstance(applied, FunctionValue):
            plain = _decorate(m, plain, applied, decorator)
        elif _changes_mode(applied):
            plain = None
    names.bind(m, node.name, value)
    if isinstance(plain, FunctionValue) and getattr(value, "definition", None) is not node:
        m.state.set(m.frame.scope, f"def {node.name}", plain)
    return True


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


def _decorate(m: Machine, value: object, applied: object, decorator: ast.expr) -> object:
    if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter"):
        # The property itself was bound before, and stays.
        name = value.name if isinstance(value, FunctionValue) else ""
        before = m.state.get(m.frame.scope, name)
        if decorator.attr == "setter":
            m.state.set(m.frame.scope, f"{classes.SETTER}{name}", value)
        return before if isinstance(before, FunctionValue) else value
    if not isinstance(value, FunctionValue):
        return value
    if isinstance(applied, LibraryName):
        if applied.name == "builtins.staticmethod":
            return classes.replaced(value, kind="static")
        if applied.name == "builtins.classmethod":
            return classes.replaced(value, kind="class")
        if applied.name in _PROPERTIES:
            return classes.replaced(value, kind="property")
        if applied.name in classes.GRAD_MODES:
            return classes.replaced(value, grad_mode=classes.GRAD_MODES[applied.name])
        if applied.name in ("contextlib.contextmanager", "contextlib.asynccontextmanager"):
            return classes.replaced(value, kind="context")
        return value
    if isinstance(applied, InstanceValue) and applied.library in classes.GRAD_MODES:
        return under_grad_mode(m, applied, value)
    return decorating.called(m, applied, value, decorator, FunctionValue, BoundMethod, InstanceValue)


def under_grad_mode(m: Machine, applied: InstanceValue, function: FunctionValue) -> FunctionValue:
    """`torch.no_grad()(function)`: the function, whose calls run in that mode."""
    mode = classes.GRAD_MODES[applied.library]
    if mode == "set_grad_enabled":
        enabled = m.truth(m.state.get(applied, "#argument"))
        mode = "enable_grad" if enabled is True else "no_grad" if enabled is False else ""
    elif mode == "inference_mode" and m.truth(m.state.get(applied, "#argument", Const(True))) is False:
        mode = "enable_grad"
    return classes.replaced(function, grad_mode=mode) if mode else function


def run_class(m: Machine, node: ast.ClassDef) -> bool:
    bases = _bases(m, node)
    for keyword in node.keywords:
        m.eval(keyword.value)
    scope = Scope("class", m.source, m.frame.scope, m.frame.scope.globals)
    decorators = [m.resolve(m.eval(decorator)) for decorator in node.decorator_list]
    cls = ClassValue(node, scope, m.source, bases, _fields(node, bases, decorators))
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
                m.state.set(scope, slot, classes.replaced(value, scope=outer, cls=cls))
    if LibraryName("enum.Enum") in bases and len(bases) == 1:
        classes.make_members(m, cls)
    bound: object = cls
    for applied, decorator in zip(reversed(decorators), reversed(node.decorator_list), strict=True):
        bound = decorating.called(m, applied, bound, decorator, ClassValue)
    names.bind(m, node.name, bound)
    return True


def _bases(m: Machine, node: ast.ClassDef) -> tuple[object, ...]:
    """Bases of a class; something unknown if they are too many."""
    bases = tuple(
        m.resolve(m.eval(base.value if isinstance(base, ast.Starred) else base)) for base in node.bases
    )
    cut = bool(bases) and classes.too_many(bases)
    if cut or m.cuts:
        reason = "it derives from too many classes" if cut else ""
        containment.note(m, m.source, node, f"the class `{node.name}`", reason)
    return (m.unknown(),) if cut else bases


def _fields(
    node: ast.ClassDef, bases: tuple[object, ...], decorators: list[object]
) -> tuple[Field, ...] | None:
    """The fields of a dataclass, or of what is like one; None for other classes."""
    applied = {
        each.name if isinstance(each, LibraryName) else each.library
        for each in decorators
        if isinstance(each, (LibraryName, InstanceValue))
    }
    is_dataclass = not applied.isdisjoint(_DATACLASSES) or any(
        isinstance(base, LibraryName) and base.name in _FIELD_CLASSES for base in bases
    )
    fields: dict[str, Field] = {}
    for base in reversed(bases):
        if isinstance(base, ClassValue) and base.dataclass_fields is not None:
            is_dataclass = True
            fields.update((field[0], field) for field in base.dataclass_fields)
    if not is_dataclass:
        return None
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
            if any(each.startswith("attr") for each in applied):
                fields.pop(name, None)  # there it comes last
            fields[name] = (name, statement.annotation, statement.value)
    return tuple(fields.values())


_DATACLASSES = frozenset(
    {"dataclasses.dataclass", "attr.s", "attr.define", "attrs.define", "pydantic.dataclasses.dataclass"}
)
_FIELD_CLASSES = frozenset({"typing.NamedTuple", "pydantic.BaseModel"})
