"""Views that torch does not let be written in place: expanded ones, one of several, and those made under no_grad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import priors

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.value import TensorValue

_FORBIDDEN: Final = "#forbidden"
"""The slot of a view that says why a write may be refused."""

_SPREADING: Final = frozenset(
    {
        "zero_",
        "fill_",
        "masked_fill_",
        "masked_scatter_",
        "index_put_",
        "index_fill_",
        "detach_",
        "item assignment",
    }
)
"""Writes that torch lets pass although several elements share their memory."""


def view_made(m: Machine, view: TensorValue, kind: str = "") -> None:
    """A view was made, one of `several`, `expanded`, or perhaps without a graph."""
    if kind == "expanded":
        m.state.set(view, _FORBIDDEN, kind)
    elif view.view_of is not None and m.grad_enabled() is False:
        m.state.set(view, _FORBIDDEN, "no_grad")
    elif kind == "several" and m.grad_enabled() is True:
        m.state.set(view, _FORBIDDEN, kind)


def expanded(m: Machine, base: TensorValue, view: TensorValue) -> None:
    """`base.expand(...)`: mark the result if several of its elements are one in memory.

    A size of 1 that is widened to a number known only by name counts: nobody expands to 1 on purpose.
    """
    if base.shape is None or view.shape is None or len(view.shape) < len(base.shape):
        return
    added = len(view.shape) - len(base.shape)
    before = (*(1 for _ in range(added)), *base.shape)
    if any(old == 1 and (new is None or new > 1) for old, new in zip(before, view.shape, strict=True)):
        view_made(m, view, "expanded")


def refused(m: Machine, how: str, tensor: TensorValue, *, needs: bool) -> str:
    """Why torch refuses a write to a view; "" if it does not."""
    kind = m.state.get(tensor, _FORBIDDEN)
    if not isinstance(kind, str):
        return ""
    if kind == "expanded":
        return "" if how in _SPREADING else kind
    if m.grad_enabled() is not True:
        return ""
    if kind == "several":
        in_graph = m.requires_grad(tensor) is True and m.is_leaf(tensor) is False
        return kind if in_graph and not priors.may_be_without_grad(m) else ""
    base = tensor.view_of
    return kind if needs or (base is not None and m.requires_grad(base) is True) else ""
