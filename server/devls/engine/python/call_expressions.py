"""Calls as they are written: what is called, and with which arguments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import limits
from devls.engine.core.describe import describe
from devls.engine.core.events.events import Revealed
from devls.engine.core.joins import Entries
from devls.engine.python import attributes, binding, calls, classes, iteration, mappings
from devls.values.value import (
    ClassValue,
    InstanceValue,
    LibraryName,
    Mapping,
    SuperValue,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


def eval_call(m: Machine, node: ast.Call) -> object:
    """`function(*arguments, **keywords)`."""
    if type(node.func) is ast.Attribute and type(node.func.value) is ast.Call:
        return _eval_chain(m, node)
    _step(m)
    if type(node.func) is ast.Name:
        if node.func.id == "reveal_value" and len(node.args) == 1:
            return _reveal(m, node)
        if node.func.id == "super":
            return _super(m, node)
    return _eval_called(m, node, m.eval(node.func))


def _eval_chain(m: Machine, node: ast.Call) -> object:
    """`value.first().second()`, from the left: of links there may be more than calls in one another."""
    links: list[tuple[ast.Call, ast.Attribute]] = []
    inner: ast.expr = node
    while type(inner) is ast.Call and type(inner.func) is ast.Attribute:
        links.append((inner, inner.func))
        inner = inner.func.value
    value = m.eval(inner)
    for call, method in reversed(links):
        _step(m)
        function = attributes.read_attribute(m, method, value)
        if m.recorded is not None:
            m.record(method, function)
        value = _eval_called(m, call, function)
        if m.recorded is not None and call is not node:  # that one is recorded by who asks for it
            m.record(call, value)
    return value


def _step(m: Machine) -> None:
    if m.steps_left - 1 <= m.run_ends_at or m.steps_left & limits.STEPS_UNLOOKED == 1:
        m.tick()
    else:
        m.steps_left -= 1


def _eval_called(m: Machine, node: ast.Call, function: object) -> object:
    """Evaluate the arguments of a call, and call."""
    arguments: list[object] = []
    nodes: list[ast.expr | None] = []
    keywords: dict[str, object] = {}
    for argument in node.args:
        if type(argument) is not ast.Starred:
            arguments.append(m.eval(argument))
            nodes.append(argument)
            continue
        if len(node.args) == 1 and function == _ZIP:
            return _zip_rows(m, node, function, argument.value)
        value = m.eval(argument.value)
        inner = iteration.items(m, value, argument.value)
        if inner is None or len(arguments) + len(inner) > limits.ARGUMENTS:
            keywords["*"] = iteration.element(m, value, argument.value, 0)
        else:
            arguments += inner
            nodes += [None] * len(inner)
    keyword_nodes = _add_keywords(m, node, keywords) if node.keywords else {}
    if type(function) in binding.OF_PROJECT and binding.is_not_reached(m, node, function):
        return m.unknown(node)
    return calls.call(m, function, arguments, keywords, node, nodes, keyword_nodes)


def _zip_rows(m: Machine, node: ast.Call, function: object, spread: ast.expr) -> object:
    """`zip(*rows)`: the columns, even where not all rows are known."""
    value = m.eval(spread)
    rows = iteration.items(m, value, spread)
    keywords: dict[str, object] = {}
    if rows is None:
        found = iteration.columns(m, value, node)
        if found is not None:
            return found
        keywords["*"] = iteration.element(m, value, spread, 0)
    keyword_nodes = _add_keywords(m, node, keywords)
    return calls.call(m, function, rows or [], keywords, node, [None] * len(rows or ()), keyword_nodes)


def _add_keywords(m: Machine, node: ast.Call, keywords: dict[str, object]) -> dict[str, ast.expr]:
    """Evaluate what is given by keyword, and by `**`; returns the expressions of the former."""
    nodes: dict[str, ast.expr] = {}
    for keyword in node.keywords:
        value = m.eval(keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
            nodes[keyword.arg] = keyword.value
            continue
        resolved = mappings.plain(m, m.resolve(value))
        entries = m.state.get(resolved, "#entries") if isinstance(resolved, Mapping) else None
        if isinstance(entries, Entries):
            keywords.update({key: each for key, each in entries.known.items() if isinstance(key, str)})
            if entries.rest is not None:
                keywords["**"] = entries.rest
        else:
            keywords["**"] = m.unknown()
    return nodes


_ZIP: Final = LibraryName("builtins.zip")


def _reveal(m: Machine, node: ast.Call) -> object:
    value = m.eval(node.args[0])
    m.emit(Revealed(m.site(node), m.frames[-1].statement, describe(m, value)))
    return value


def _super(m: Machine, node: ast.Call) -> object:
    given = [m.resolve(m.eval(argument)) for argument in node.args]
    after, receiver = given if len(given) == 2 else (None, None)
    if isinstance(after, ClassValue) and isinstance(receiver, InstanceValue):
        # In a method it may be another class than its own: those between the two are passed over.
        cls = receiver.cls
        if cls is not None and after in classes.linearize(m, cls):
            return SuperValue(after, receiver)
    for frame in reversed(m.frames):
        if frame.function is not None and frame.function.cls is not None:
            return SuperValue(frame.function.cls, frame.receiver)
    return m.unknown(node)
