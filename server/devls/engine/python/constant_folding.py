"""Operators and functions of Python on constants, as long as what comes of them is small.

The one place where the engine computes with numbers and texts of the user. Each function returns None where the result would
pass a bound, where Python would raise, or where it is not worth computing: then nobody knows it.
"""

from __future__ import annotations

from typing import Final

from devls.engine.core import limits
from devls.values.value import Const

_WHOLE: Final = (int, bool)


def is_small(value: object) -> bool:
    """Whether a constant may be kept: whatever is done with it takes time in proportion to its length."""
    kind = type(value)
    if kind is int:
        return value.bit_length() <= limits.INTEGER_BITS  # type: ignore[attr-defined, no-any-return]
    if kind is str or kind is bytes:
        return len(value) <= limits.TEXT_LENGTH  # type: ignore[arg-type]
    return kind is not tuple and kind is not frozenset


def kept(value: object) -> Const | None:
    """A constant, if it may be kept."""
    return Const(value) if is_small(value) else None


def binary(method: str, left: object, right: object) -> Const | None:
    """`left op right` of constants that are kept; `method` is that of the operator, as `__add__`, or in place."""
    if not isinstance(left, (int, float, str)) or not isinstance(right, (int, float, str)):
        return None
    if isinstance(left, str) or isinstance(right, str):
        joins = "add" in method and isinstance(left, str) and isinstance(right, str)
        return kept(left + right) if joins else None  # type: ignore[operator]
    kind = method.strip("_").removeprefix("i") if method.startswith("__i") else method.strip("_")
    try:
        result = _number(kind, left, right)
    except (ArithmeticError, ValueError, TypeError):
        return None
    return None if result is None or isinstance(result, complex) else kept(result)


def _number(kind: str, left: float, right: float) -> object:
    """The result of an operator on numbers; None where it is not worth computing."""
    if kind == "add":
        return left + right
    if kind == "sub":
        return left - right
    if kind == "mul":
        return left * right
    if kind == "truediv":
        return left / right
    if kind == "floordiv":
        return left // right
    if kind == "mod":
        return left % right
    if kind == "pow" and abs(right) < limits.EXPONENT and abs(left) < limits.BASE:
        return left**right
    return None


def unary(operator: str, value: object) -> Const | None:
    """`-value`, `+value`, `~value` of a number, by the method of the operator."""
    if not isinstance(value, (int, float, complex)):
        return None
    if operator == "__neg__":
        return kept(-value)
    if operator == "__pos__":
        return kept(+value)
    return kept(~value) if isinstance(value, _WHOLE) else None


def converted(kind: str, value: object) -> Const | None:
    """`int(value)`, `float(value)`, `bool(value)`."""
    if not isinstance(value, (int, float, str)):
        return None
    try:
        return kept({"float": float, "int": int, "bool": bool}[kind](value))
    except (ValueError, OverflowError):
        return None


def text(value: object) -> str | None:
    """`str(value)`; of what is kept this is short."""
    return str(value) if is_small(value) else None


def joined(parts: list[str]) -> Const | None:
    """`"".join(parts)`."""
    return kept("".join(parts)) if sum(map(len, parts)) <= limits.TEXT_LENGTH else None


def of_text(name: str, value: str) -> Const | None:
    """A method of a text that takes nothing: `lower`, `upper`, `strip`, `title`."""
    return kept(getattr(value, name)())


def split(value: str, separator: str) -> list[Const] | None:
    """`value.split(separator)`; the separator is not empty."""
    found = value.split(separator) if len(value) <= limits.TEXT_LENGTH else ()
    return [Const(each) for each in found] or None


def count_of(numbers: list[int]) -> int | None:
    """`len(range(*numbers))`, whatever its size; None where Python would raise."""
    try:
        whole = range(*numbers)
    except (ValueError, TypeError):
        return None
    return max(0, -(-(whole.stop - whole.start) // whole.step))


def part(items: tuple[object, ...], bounds: list[int | None]) -> tuple[object, ...] | None:
    """`items[start:stop:step]`."""
    return None if len(bounds) > len("ijk") - 1 and bounds[-1] == 0 else items[slice(*bounds)]
