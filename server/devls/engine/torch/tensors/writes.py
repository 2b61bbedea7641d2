"""In-place writes: leaves that forbid them, what was saved for backward, views and their bases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import moments
from devls.engine.core.events.events import LeafWritten, StaleStep
from devls.engine.torch.autograd import backward, graph_construction
from devls.values.conditions import any_of, both, negation
from devls.values.graph import Node, Saved
from devls.values.value import TensorValue

if TYPE_CHECKING:
    import ast

    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.library.effects import Operation, Role
    from devls.values.conditions import Tree


def touch(
    m: Machine, tensor: TensorValue, node: ast.AST, *, by_step: bool = False, perhaps: bool = False
) -> None:
    """A tensor's memory changes (or `perhaps` does): what saved it before will notice in backward."""
    m.state.set(tensor.storage, "version", ("perhaps", m.fresh_number()) if perhaps else m.fresh_number())
    m.state.set(tensor.storage, "written", (m.site(node), by_step))
    if not by_step:
        moments.memory_written(m, tensor, node)


def leaf_written(m: Machine, node: ast.expr | ast.stmt, how: str, text: str, tensor: TensorValue) -> bool:
    """Report an in-place write that torch refuses; True when it does."""
    if m.grad_enabled() is not True or m.requires_grad(tensor) is not True:
        return False
    base = tensor.view_of
    leaf = tensor if base is None else base
    if m.is_leaf(leaf) is not True or (base is not None and m.requires_grad(base) is not True):
        return False
    event = LeafWritten(m.site(node), m.frame.statement, text, how, is_view=base is not None, tensor=leaf)
    if m.alternatives_called:
        m.refused.append(event)  # of one of several, the author may know which it is not
        return False
    moments.leaf_write_refused(m, event)
    return True


_RESHAPING: Final = frozenset(
    "squeeze_ unsqueeze_ t_ transpose_ swapaxes_ swapdims_ resize_ resize_as_ as_strided_ set_".split()
)
"""Methods that change a tensor's shape, whatever they do to the numbers."""


_OVERWRITES: Final = frozenset({"fill_", "copy_", "item assignment"})
"""Writes after which nothing need be left of the numbers before, so that a gradient does not add up over steps."""


def written(
    m: Machine,
    node: ast.expr,
    how: str,
    target: Operand,
    operation: Operation,
    operands: list[tuple[Role, Operand]],
    needs: Tree,
    saved: list[tuple[str, TensorValue | None]] | None,
) -> TensorValue:
    """An in-place operation: the tensor itself, with a new version and perhaps a graph."""
    tensor = target.tensor
    refused = leaf_written(m, node, how, target.text, tensor)
    owner = m.state.get(tensor, "grad of")
    if isinstance(owner, TensorValue) and ("zero" in how or how in _OVERWRITES):
        m.state.set(owner, "grad", "none")
        if owner.symbol is not None:
            backward.clear_unseen(m)
    if how in _RESHAPING:
        # Values are the same on all paths: a shape that one of them changes is known on none.
        tensor.shape, tensor.nonscalar = None, False
    touch(m, tensor, node)
    moments.written_in_place(m, node, target.text, tensor, "written")
    if refused:
        return tensor
    forbidden = graph_construction.write_refused(m, how, tensor, needs=needs is True)
    if forbidden:
        if not m.alternatives_called:  # of one of several, the author may know which it is not
            moments.view_write_refused(m, node, forbidden, target.text, tensor)
        return tensor
    _stepped_by_hand(m, node, target.text, tensor)
    if m.grad_enabled() is False:
        return tensor
    joined = any_of(m.requires_grad(tensor), needs)
    if joined is not False and needs is not False:
        before = m.node(tensor)
        _record(m, node, tensor, operation, operands, joined, saved)
        graph = m.node(tensor)
        if isinstance(graph, Node):
            moments.write_recorded(
                m, node, target.text, tensor, before if isinstance(before, Node) else None, graph
            )
    return tensor


def _record(
    m: Machine,
    node: ast.expr,
    tensor: TensorValue,
    operation: Operation,
    operands: list[tuple[Role, Operand]],
    joined: Tree,
    saved: list[tuple[str, TensorValue | None]] | None,
) -> None:
    """A write becomes part of the graph of a tensor, and of what shares its memory; `joined`: whether that requires grad."""
    kept: list[Saved] = []
    for name, each in saved or ():
        held = tensor if each is None else each
        # The overwritten input is saved as it was; the result as it is now.
        version = m.version(held)
        if held.storage is not None and each is not tensor:
            kept.append(Saved(held, held.storage, version, name))
    inputs = tuple(each.tensor for _, each in operands if m.requires_grad(each.tensor) is not False)
    graph = Node(
        operation.name,
        inputs,
        m.site(node),
        tuple(kept),
        None if saved is None else bool(kept),
        any(each.symbol is not None for each in inputs),
        "yes",
        tuple(m.node(each) for each in inputs),  # type: ignore[misc]
        apart=tuple(each.tensor for _, each in operands if each.tensor not in inputs),
    )
    m.state.set(tensor, "node", graph)
    m.state.set(tensor, "requires_grad", joined)
    m.state.set(tensor, "leaf", negation(joined))
    if tensor.view_of is not None:
        _written_through(m, tensor, tensor.view_of, graph, joined)
        if tensor.view_of.may_share is not None:
            _perhaps_written_through(m, tensor.view_of.may_share, graph, joined)
    elif tensor.may_share is not None:
        _perhaps_written_through(m, tensor.may_share, graph, joined)
    for side in (tensor.sides or ())[1:]:
        _perhaps_written_through(m, side, graph, joined)


def _stepped_by_hand(m: Machine, node: ast.expr, text: str, tensor: TensorValue) -> None:
    """`w -= lr * w.grad` under no_grad is a step: the gradient has been used."""
    source = m.state.get(tensor, "moved from")
    leaf = source if isinstance(source, TensorValue) else tensor
    if m.state.get(leaf, "#grad read") is None or m.is_leaf(leaf) is not True:
        return
    if m.state.get(leaf, "#optimized") is not None:
        return  # an optimizer makes the steps: this is something else (a perturbation, a constraint)
    m.state.set(leaf, "#grad read", None)
    status = m.state.resolve(m.state.get(leaf, "grad", "none"))
    if status == "mixed" and m.state.get(leaf, "#escaped") is None and m.loops:
        site = m.state.get(leaf, "grad site")
        if isinstance(site, tuple):
            name = text.removesuffix(".data")  # another object each time, without a gradient
            m.emit(StaleStep(m.site(node), m.frame.statement, name, (site[0],), None, None, by_hand=True))
    if status in ("fresh", "mixed"):
        m.state.set(leaf, "grad", "used")


def _written_through(m: Machine, view: TensorValue, base: TensorValue, graph: Node, needs: Tree) -> None:
    """A value written to a view becomes part of its base, and of the base's graph."""
    before = m.node(base)
    whole = Node(
        "torch.Tensor.copy_slices", (view, base), graph.site, (), keeps=False, open=graph.open,
        edges=(graph, before if isinstance(before, Node) else None),
    )  # fmt: skip
    joined = any_of(m.requires_grad(base), needs)
    m.state.set(base, "requires_grad", joined)
    m.state.set(base, "leaf", negation(joined))
    m.state.set(base, "node", whole)


def _perhaps_written_through(m: Machine, base: TensorValue, graph: Node, needs: Tree) -> None:
    """The written value may be a view of `base`, or a copy of it."""
    if m.requires_grad(base) is True and m.is_leaf(base) is not True:
        return  # its graph may be another one, but there is one
    m.state.set(base, "requires_grad", any_of(m.requires_grad(base), both(needs, None)))
    m.state.set(base, "leaf", None if m.is_leaf(base) is not False else False)
    before = m.node(base)
    whole = Node(
        "torch.Tensor.copy_slices", (base,), graph.site, (), keeps=None, open=True,
        edges=(before if isinstance(before, Node) else None,),
    )  # fmt: skip
    m.state.set(base, "node", whole)
