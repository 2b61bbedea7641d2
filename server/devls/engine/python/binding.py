"""Calls that Python refuses before they run: the arguments do not fit the parameters."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.python import classes
from devls.values.state import AMBIENT, STOPPED
from devls.values.value import BoundMethod, ClassValue, FunctionValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


OF_PROJECT: Final = frozenset({FunctionValue, BoundMethod, ClassValue})
"""Kinds of values whose calls may run code of the project."""


def is_not_reached(m: Machine, node: ast.Call, function: object) -> bool:
    """Whether a call runs nothing: Python refuses it, and what stands behind it on this path, or has refused one before.

    It raises a TypeError for an argument too many, one that is missing, or one of a name that no parameter has.
    """
    if m.state.get(AMBIENT, STOPPED) is True:
        return True
    if not _is_refused(m, node, function):
        return False
    m.state.set(AMBIENT, STOPPED, True)
    return True


def _is_refused(m: Machine, node: ast.Call, function: object) -> bool:
    """Whether the arguments do not fit. Asked of functions and classes of the project that nothing has changed: no decorator or metaclass."""
    receivers, called = _bound(m, function)
    if called is None or called.opaque or m.modules.is_library(called.source.path):
        return False
    definition = called.definition
    if isinstance(definition, ast.Lambda) or called.source.path.endswith(".pyi"):
        return False
    if not _is_plain(called, definition) or any(isinstance(each, ast.Starred) for each in node.args):
        return False
    given = [each.arg for each in node.keywords if each.arg is not None]
    return len(given) == len(node.keywords) and not _fits(definition.args, receivers + len(node.args), given)


def _bound(m: Machine, function: object) -> tuple[int, FunctionValue | None]:
    """Function that a call runs, and how many arguments it is given before those that are written."""
    if isinstance(function, FunctionValue):
        return 0, function
    if isinstance(function, BoundMethod) and isinstance(function.function, FunctionValue):
        return 1, function.function
    if isinstance(function, ClassValue) and _is_plain_class(m, function):
        init = classes.class_attribute(m, function, "__init__")
        return 1, init if isinstance(init, FunctionValue) else None
    return 0, None


def _is_plain(function: FunctionValue, definition: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return not definition.decorator_list or (
        len(definition.decorator_list) == 1 and function.kind in ("static", "class")
    )


def _is_plain_class(m: Machine, cls: ClassValue) -> bool:
    """Whether its `__init__` alone says how it is called."""
    order = classes.linearize(m, cls)
    return (
        "?" not in classes.library_bases(m, cls)
        and not any(each.definition.decorator_list or each.definition.keywords for each in order)
        and not isinstance(classes.class_attribute(m, cls, "__new__"), FunctionValue)
    )


def _fits(spec: ast.arguments, count: int, given: list[str]) -> bool:
    """Whether so many arguments by place, and these by name, bind to the parameters."""
    by_place = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    by_name = {each.arg for each in (*spec.args, *spec.kwonlyargs)}
    filled = set(by_place[:count])
    required = by_place[: len(by_place) - len(spec.defaults)]
    required += [
        each.arg for each, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if default is None
    ]
    return (
        (spec.vararg is not None or count <= len(by_place))
        and (spec.kwarg is not None or by_name.issuperset(given))
        and not (filled & by_name).intersection(given)
        and all(each in filled or each in given for each in required)
    )
