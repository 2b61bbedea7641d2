"""What a loss is a sum of, where code that we do not see has made the terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.values.value import Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine

TERMS: Final = "#terms"
"""The slot of a result that holds what it is a sum, or a multiple, of."""

_MOST: Final = 16
"""Terms of one loss that are looked at."""


def terms_of(m: Machine, root: TensorValue) -> list[TensorValue]:
    """The terms of a loss of which we do not know whether they carry a graph: results of code that we do not see."""
    found: list[TensorValue] = []
    stack: list[object] = [root]
    seen: set[object] = set()
    while stack and len(found) < _MOST:
        each = stack.pop()
        if each in seen:
            continue  # a sum in place is a term of itself
        seen.add(each)
        terms = m.state.get(each, TERMS, ())
        if isinstance(each, TensorValue) and each.symbol is not None:
            terms = terms or m.state.get(each.symbol, TERMS, ())
        for term in terms if isinstance(terms, tuple) else ():
            stack.append(term)
            tensor = m.tensor_of(term) if not isinstance(term, Symbol) or not term.named else None
            if tensor is not None and m.requires_grad(tensor) is None:
                found.append(tensor)
    return found
