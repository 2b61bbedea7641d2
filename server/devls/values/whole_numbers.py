"""Values that are whole numbers though nobody knows which: sizes, lengths, indices."""

from __future__ import annotations

from typing import Final

from devls.values.value import Const, Symbol

_COUNTS: Final = frozenset({"size", "len", "index", "ndim", "shape", "int"})
_OF_WHOLE: Final = frozenset(f"__{name}__" for name in "add sub mul floordiv mod".split())


def is_whole_number(value: object) -> bool:
    """Whether a value, or the key of a symbol, is an `int`: a size, a length, an index, or computed from such alone."""
    if isinstance(value, Const):
        return type(value.value) is int
    key: object = value.key if isinstance(value, Symbol) else value
    if not isinstance(key, tuple) or not key:
        return False
    if key[0] in ("item", "part"):
        return isinstance(key[1], tuple) and bool(key[1]) and key[1][0] in ("range", "shape")
    return key[0] in _COUNTS or (key[0] in _OF_WHOLE and all(map(is_whole_number, key[1:])))
