"""The catalog's files and the text of their records.

An operation is two strings, its parameters and its effects:

    "input~;other~;*;alpha=1;out=None"      "tensor yes rank=broadcast dtype=promoted writes=out"

Parameters are separated by ";". A letter after the name is the role (`!` exact, `~` element, `[]` list, `&` copies,
`#` index, `?` free), "*" begins the keyword-only ones, "*name" and "**name" collect, and "=..." is a default that is no constant.
Effects are the result kind, what becomes of the graph, and words `key=value`; `saves=?` says that nobody knows.
"""

from __future__ import annotations

import functools
import json
import os
from typing import Any, cast

from devls.library.effects import (
    REQUIRED,
    Differentiable,
    Dtype,
    Operation,
    Parameter,
    Passing,
    Rank,
    Result,
    Role,
)
from devls.values.weights import NAMES_KEPT

DATA = os.path.join(os.path.dirname(__file__), "data")  # noqa: PTH118, PTH120  pathlib takes longer to import
ROLES = {
    "!": Role.EXACT,
    "~": Role.ELEMENT,
    "]": Role.LIST,
    "&": Role.COPIES,
    "#": Role.INDEX,
    "?": Role.FREE,
}
CONSTANTS: dict[str, object] = {
    "None": None, "True": True, "False": False, "...": ..., "0": 0, "1": 1, "-1": -1,
}  # fmt: skip

LARGE = frozenset(("torch", "torch.Tensor", "torch.nn.functional"))
"""Namespaces with a file of their own, which holds short names; `others` holds the names of all others in full."""


def _read(name: str) -> Any:
    with open(os.path.join(DATA, f"{name}.json"), "rb") as file:  # noqa: PTH118, PTH123
        return json.loads(file.read())


@functools.cache
def _operations(file: str) -> dict[str, list[str]]:
    return cast("dict[str, list[str]]", _read(f"operations/{file}"))


def operation(name: str) -> list[str] | None:
    """The two strings of an operation or of one overload ("torch.max.dim"); None when there is none."""
    space, _, short = name.rpartition(".")
    if space in LARGE:
        return _operations(space).get(short)
    space, _, base = space.rpartition(".")
    found = _operations(space).get(f"{base}.{short}") if space in LARGE else None
    return found or _operations("others").get(name)


def operations() -> list[str]:
    """The names of all operations and overloads."""
    large = [f"{space}.{name}" for space in sorted(LARGE) for name in _operations(space)]
    return [*large, *_operations("others")]


@functools.cache
def surroundings() -> dict[str, str]:
    """Effects of what is no operation on tensors, by name."""
    groups = cast("dict[str, dict[str, str]]", _read("surroundings"))
    return {
        f"{space}.{name}": effects
        for effects, spaces in groups.items()
        for space, names in spaces.items()
        for name in names.split()
    }


@functools.lru_cache(maxsize=NAMES_KEPT)
def overload_labels(name: str) -> tuple[str, ...]:
    """The labels of an operation's further overloads, in the order to try them."""
    return tuple(_overloads().get(name, "").split())


@functools.cache
def _overloads() -> dict[str, str]:
    return cast("dict[str, str]", _read("overloads"))


@functools.cache
def aliases() -> dict[str, str]:
    """Other spellings, of modules and of names, to public ones."""
    return cast("dict[str, str]", _read("aliases"))


@functools.cache
def layers() -> dict[str, dict[str, Any]]:
    """The records of the layers by name."""
    return cast("dict[str, dict[str, Any]]", _read("layers"))


@functools.cache
def deprecated() -> dict[str, str]:
    """Replacements of old names."""
    return cast("dict[str, str]", _read("deprecated"))


@functools.cache
def removed() -> frozenset[str]:
    """Names that the oldest supported torch has, and this one has not."""
    return frozenset(cast("dict[str, list[str]]", _read("versions"))["removed"])


@functools.cache
def added() -> tuple[str, frozenset[str]]:
    """The oldest supported torch, and the names that it lacks and this one has."""
    versions = _read("versions")
    return str(versions["torch"]), frozenset(cast("list[str]", versions["added"]))


@functools.cache
def optimizers() -> dict[str, list[str]]:
    """Constructor, state and flags of the optimizers by name."""
    return cast("dict[str, list[str]]", _read("optimizers"))


@functools.lru_cache(maxsize=NAMES_KEPT)
def members(space: str) -> frozenset[str] | None:
    """The names in a namespace, or None when it is not known."""
    text = _names().get(space)
    return None if text is None else frozenset(text.split())


@functools.cache
def _names() -> dict[str, str]:
    return cast("dict[str, str]", _read("names"))


def decoded_operation(name: str, parameters: str, effects: str) -> Operation:
    """An operation from its two strings."""
    result, differentiable, *rest = effects.split()
    words = dict(word.partition("=")[::2] for word in rest)
    always, _, others = words.get("saves", "").partition("|")
    others, _, own = others.partition("|")
    saves, only_if_other, for_put = _saves(always, others)
    return Operation(
        name,
        decoded_parameters(parameters),
        Result(result),
        Differentiable(differentiable),
        tuple(Differentiable(each) for each in _listed(words.get("outputs", ""))),
        saves,
        only_if_other,
        for_put,
        _listed(words.get("writes", "")),
        Rank(words.get("rank", "unknown")),
        Dtype(words.get("dtype", "unknown")),
        "sync" in words,
        words.get("deprecated", "").replace("+", " "),
        _listed(own),
        _listed(words.get("fields", "")),
    )


_SELECTORS = {"index", "indices", "mask"}


def _saves(everything: str, conditional: str) -> tuple[tuple[str, ...] | None, bool, bool]:
    """Saved tensors, and whether only for the gradient of another operand.

    The text names what is saved and, after "|", which of it only for another operand's gradient (which of it only for its
    own stands after a second "|", and has been taken off). `Operation` has one
    flag for all: it is set when the first is so (the dividend of a division), otherwise those are left out (the
    result of a power, which only the exponent's gradient needs). The third is set where that is an index: nothing is
    saved then but for the gradient of what is put into the first operand.
    """
    if everything == "?":
        return None, False, False
    names, only_if_other = _listed(everything), _listed(conditional)
    inputs = [name for name in names if name != "internal" and not name.startswith("result")]
    if only_if_other and set(only_if_other) <= _SELECTORS:
        return names, False, True
    if inputs and inputs[0] in only_if_other:
        return names, True, False
    return tuple(name for name in names if name not in only_if_other), False, False


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()


@functools.cache
def decoded_parameters(text: str) -> tuple[Parameter, ...]:
    """A signature from its text."""
    found = []
    passing = Passing.EITHER
    for part in text.split(";") if text else ():
        if part == "*":
            passing = Passing.KEYWORD
            continue
        head, equals, default_text = part.partition("=")
        role = ROLES.get(head[-1], Role.OTHER)
        name = head.rstrip("!~[]&#?")
        default: object = _constant(default_text) if equals else REQUIRED
        if name.startswith("**"):
            found.append(Parameter(name[2:], role, Passing.KEYWORDS, ()))
        elif name.startswith("*"):
            found.append(Parameter(name[1:], role, Passing.REST, ()))
            passing = Passing.KEYWORD
        else:
            found.append(Parameter(name, role, passing, default))
    return tuple(found)


def _constant(text: str) -> object:
    if text in CONSTANTS:
        return CONSTANTS[text]
    if text[:1] == text[-1:] == "'" and "\\" not in text:
        return text[1:-1]
    import ast  # noqa: PLC0415  few get here, and it takes longer to import than the catalog to read

    return ast.literal_eval(text)
