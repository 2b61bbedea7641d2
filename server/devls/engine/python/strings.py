"""Texts that stand in the program, taken for what is written in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from devls.engine.core import library_semantics, priors
from devls.engine.python import constant_folding
from devls.values.value import Const

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


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
