"""Sorting: what comes first, where the keys say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import limits
from devls.engine.python import calls
from devls.values.value import NONE, Const, FunctionValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


def ordered(m: Machine, items: list[object], call_: Invocation) -> list[object]:
    """The items of `sorted(items, key=...)`; each of them may be any where the keys are not known."""
    keys = _keys(m, items, call_)
    backwards = m.resolve(call_.keywords.get("reverse", Const(value=False)))
    if keys is not None and isinstance(backwards, Const):
        try:
            order = sorted(range(len(items)), key=lambda n: keys[n], reverse=bool(backwards.value))  # type: ignore[arg-type,return-value]
        except TypeError:
            return items  # what cannot be compared: torch has no part in it
        return [items[n] for n in order]
    if all(isinstance(each, Const) for each in items):
        return items
    return [m.any_of(tuple(items)) for _ in items]


def _keys(m: Machine, items: list[object], call_: Invocation) -> list[object] | None:
    """What is compared, where all of that is known."""
    function = m.resolve(call_.keywords.get("key", NONE))
    if function != NONE:
        if not isinstance(function, FunctionValue) or len(items) > limits.UNROLLED_ITEMS:
            return None
        items = [m.resolve(calls.call(m, function, [each], {}, None)) for each in items]
    constants = [each.value for each in items if isinstance(each, Const)]
    return list(constants) if len(constants) == len(items) else None
