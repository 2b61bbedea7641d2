"""Calls as they are written: what is called, and with which arguments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core.describe import describe
from devls.engine.core.events.events import Revealed
from devls.engine.core.joins import Entries
from devls.engine.python import calls, iteration, mappings
from devls.values.value import LibraryName, Mapping, SuperValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


def eval_call(m: Machine, node: ast.Call) -> object:
    """`function(*arguments, **keywords)`."""
    if m.steps_left - 1 <= m.run_ends_at or m.cancelled is not None:
        m.tick()
    else:
        m.steps_left -= 1
    if type(node.func) is ast.Name:
        if node.func.id == "reveal_value" and len(node.args) == 1:
            return _reveal(m, node)
        if node.func.id == "super":
            return _super(m, node)
    function = m.eval(node.func)
    arguments: list[object] = []
    nodes: list[ast.expr | None] = []
    keywords: dict[str, object] = {}
    keyword_nodes: dict[str, ast.expr] = {}
    for argument in node.args:
        if type(argument) is ast.Starred:
            value = m.eval(argument.value)
            inner = iteration.items(m, value, argument.value)
            if inner is None:
                if function == _ZIP and len(node.args) == 1:
                    found = iteration.columns(m, value, node)
                    if found is not None:
                        return found
                keywords["*"] = iteration.element(m, value, argument.value, 0)
            else:
                arguments += inner
                nodes += [None] * len(inner)
        else:
            arguments.append(m.eval(argument))
            nodes.append(argument)
    for keyword in node.keywords:
        value = m.eval(keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
            keyword_nodes[keyword.arg] = keyword.value
            continue
        resolved = mappings.plain(m, m.resolve(value))
        entries = m.state.get(resolved, "#entries") if isinstance(resolved, Mapping) else None
        if isinstance(entries, Entries):
            keywords.update({key: each for key, each in entries.known.items() if isinstance(key, str)})
            if entries.rest is not None:
                keywords["**"] = entries.rest
        else:
            keywords["**"] = m.unknown()
    return calls.call(m, function, arguments, keywords, node, nodes, keyword_nodes)


_ZIP: Final = LibraryName("builtins.zip")


def _reveal(m: Machine, node: ast.Call) -> object:
    value = m.eval(node.args[0])
    m.emit(Revealed(m.site(node), m.frames[-1].statement, describe(m, value)))
    return value


def _super(m: Machine, node: ast.Call) -> object:
    for argument in node.args:
        m.eval(argument)
    for frame in reversed(m.frames):
        if frame.function is not None and frame.function.cls is not None:
            return SuperValue(frame.function.cls, frame.receiver)
    return m.unknown(node)
