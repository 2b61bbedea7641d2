"""Losses that compare each prediction with every target, because one of the two has a dimension more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import moments
from devls.engine.core.events.protocols import LossBroadcast
from devls.values.graph import Node
from devls.values.value import TensorValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.core.moment_facts import WalkedGraph

_LOSSES: Final = frozenset(
    "mse_loss l1_loss smooth_l1_loss huber_loss mseloss l1loss smoothl1loss huberloss".split()
)
_DIFFERENCES: Final = frozenset({"sub", "rsub"})
_OF_EACH: Final = frozenset({"pow", "abs", "square", "mul"})
_AFFINE: Final = frozenset({"linear", "bilinear", "matmul", "mm", "addmm"})


def _name(node: Node) -> str:
    return node.operation.removesuffix(".forward").rpartition(".")[2].strip("_").lower()


@moments.graph_passed.on
def graph_passed(m: Machine, graph: WalkedGraph) -> None:
    """A backward has gone through a loss."""
    for node in graph.nodes:
        name = _name(node)
        if name not in _LOSSES and name not in _DIFFERENCES:
            continue
        operands = [each for each in (*node.inputs, *node.apart) if isinstance(each, TensorValue)]
        if len(operands) != 2:
            continue
        for column, row in (operands, operands[::-1]):
            if _broadcasts(column.shape, row.shape) and _is_prediction(m, column):
                if name in _DIFFERENCES and not _is_reduced(graph, node):
                    continue
                m.emit(
                    LossBroadcast(
                        node.site, None, _shown(column.shape), _shown(row.shape), column.origin, row.origin
                    )
                )
                return


def _broadcasts(column: tuple[int | None, ...] | None, row: tuple[int | None, ...] | None) -> bool:
    """Whether these are (n, 1) and (n,), with more than one n for all that is known, and the same."""
    if column is None or row is None or len(column) != 2 or len(row) != 1 or column[1] != 1:
        return False
    return 1 not in (column[0], row[0]) and (column[0] == row[0] or None in (column[0], row[0]))


def _is_prediction(m: Machine, tensor: TensorValue) -> bool:
    """Whether a layer gives the column: nobody has made one of a vector to compare all with all."""
    node = m.node(tensor)
    while isinstance(node, Node) and len(node.inputs) == 1 and node.inputs[0].shape == tensor.shape:
        node = node.edges[0] if node.edges else None
    return isinstance(node, Node) and _name(node) in _AFFINE


def _is_reduced(graph: WalkedGraph, difference: Node) -> bool:
    """Whether a difference is squared, or made positive, and then summed: nothing else is done with it."""
    of_each = [node for node in graph.nodes if difference in node.edges]
    sums = [node for node in graph.nodes if any(each in node.edges for each in of_each)]
    return (
        bool(sums)
        and all(_name(each) in _OF_EACH for each in of_each)
        and all(_name(each) in ("mean", "sum") for each in sums)
    )


def _shown(shape: tuple[int | None, ...] | None) -> str:
    sizes = ["n" if each is None else str(each) for each in shape or ()]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"
