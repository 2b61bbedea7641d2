"""What is told to require grad, or no longer to: `tensor.requires_grad = ...`, `requires_grad_()`, `detach_()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.values.graph import Node

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.value import TensorValue


def begins(m: Machine, tensor: TensorValue, *, wanted: object) -> None:
    """A tensor is made to require grad of which that is not known.

    What was not computed begins a graph. What was computed begins one, or has one already and stays as it is.
    """
    if wanted is True and m.requires_grad(tensor) is None:
        node = m.node(tensor)
        computed = (
            Node(node.operation, (), node.site, (), keeps=None, open=True) if isinstance(node, Node) else None
        )
        m.state.set(tensor, "leaf", True if computed is None else None)
        m.state.set(tensor, "node", computed)


def perhaps_the_base_too(m: Machine, tensor: TensorValue, *, wanted: object) -> None:
    """A flag was set on what may be the very tensor that it was made of (`x.contiguous()`, `x.to(device)`), or one of two."""
    for base in (tensor.may_share, *(tensor.sides or ())[1:]):
        if base is None or (m.requires_grad(base) is wanted and m.is_leaf(base) is True):
            continue
        m.state.set(base, "requires_grad", None)
        m.state.set(base, "leaf", None if m.is_leaf(base) is not True else True)
