"""Texts that stand in the program, taken for what is written in them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, priors
from devls.engine.python import constant_folding, narrowing
from devls.values.value import Const, Symbol

if TYPE_CHECKING:
    import ast

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


BEGINS: Final = "text that begins"
"""The first part of the key of a text of which only the beginning is known."""

_FIELD: Final = re.compile(r"%[ds]|\{\}")


def begun(m: Machine, beginning: str, rest: object, node: ast.expr | ast.stmt, *, ends: bool) -> Symbol:
    """A text with a known beginning, as f"cuda:{index}"; `ends` says that nothing follows `rest`, which is not known."""
    if beginning == "cuda:" and ends:
        text = m.text(node).strip("f\"'")
        return Symbol(("cuda index", narrowing.key_of(m, rest)), text, hint="string", named=True)
    return Symbol((BEGINS, beginning, m.fresh_number()), "a string", hint="string", named=True)


def beginning_of(value: object) -> str | None:
    """The known beginning of a text that is not known whole."""
    key = value.key if isinstance(value, Symbol) else None
    return key[1] if isinstance(key, tuple) and key[:1] == (BEGINS,) and isinstance(key[1], str) else None


def filled(m: Machine, template: str, value: object, node: ast.expr | ast.stmt) -> object:
    """`template % value`, or `template.format(value)`, of one field; None where there are more, or others."""
    fields = list(_FIELD.finditer(template))
    others = template.count("%") + template.count("{")
    if len(fields) != 1 or others != 1:
        return None
    before, after = template[: fields[0].start()], template[fields[0].end() :]
    text = constant_folding.text(value.value) if isinstance(value, Const) else None
    if text is not None:
        return constant_folding.joined([before, text, after])
    return begun(m, before, value, node, ends=not after) if before else None


def combined(m: Machine, method: str, left: str, right: object, node: ast.expr | ast.stmt) -> object:
    """`left % right` and `left + right`, where `left` is a text that is known; None for other operators."""
    if method == "__mod__":
        return filled(m, left, right, node)
    if method == "__add__" and left and isinstance(right, Symbol) and right.hint == "string":
        return begun(m, left, right, node, ends=True)
    return None


def loads(m: Machine, call: Invocation) -> object:
    """`json.loads(text)`: what a constant says; of any other text, what somebody has chosen."""
    text = m.resolve(call.arguments[0]) if len(call.arguments) == 1 and not call.keywords else None
    if (
        not isinstance(text, Const)
        or not isinstance(text.value, str)
        or not constant_folding.is_small(text.value)
    ):
        return library_semantics.unknown_call(m, call)
    try:
        return _value(m, json.loads(text.value), call)
    except (ValueError, RecursionError):
        return library_semantics.unknown_call(m, call)


def split(m: Machine, text: object, separator: object, call: Invocation) -> object:
    """`text.split(separator)` of constants; None where they are not."""
    if not isinstance(text, Const) or not isinstance(separator, Const):
        return None
    if not isinstance(text.value, str) or not isinstance(separator.value, str) or not separator.value:
        return None
    parts = constant_folding.split(text.value, separator.value)
    return None if parts is None else m.new_list(tuple(parts), call.node)


def path_of_option(m: Machine, key: object, arguments: list[object]) -> object:
    """`options.layer.split(".")`: the way to a part of something, as it is for who runs the program without arguments."""
    if not isinstance(key, tuple) or key[0] != "attr" or key[2] != "split" or not m.program_runs:
        return None
    if len(arguments) != 1 or m.resolve(arguments[0]) != Const("."):
        return None
    text = priors.default_of_option(m, key[1])
    if (
        text is None
        or not isinstance(text.value, str)
        or not all(_is_part(each) for each in text.value.split("."))
    ):
        return None
    return m.new_list(tuple(map(Const, text.value.split("."))))


def _is_part(text: str) -> bool:
    return text.isidentifier() or text.isdigit()


def _value(m: Machine, found: object, call: Invocation) -> object:
    if isinstance(found, dict):
        return m.new_dict({key: _value(m, each, call) for key, each in found.items()}, None, call.node)
    if isinstance(found, list):
        return m.new_list(tuple(_value(m, each, call) for each in found), call.node)
    return constant_folding.kept(found) or m.unknown(call.node)
