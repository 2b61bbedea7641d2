"""Two names for one memory, where two different contents were meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import moments
from devls.engine.core.events.protocols import MemoryShared
from devls.engine.core.joins import Contents
from devls.values.history import Site
from devls.values.value import Sequence, Symbol, TensorValue

if TYPE_CHECKING:
    import ast

    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.library.effects import Role

ONTO_ITSELF: Final = "#copied onto itself"
"""The slot of a parameter that another module shares, although it was given the weights of this one as if it had its own."""

_COMPARES: Final = frozenset(
    {"sub", "rsub", "eq", "ne", "equal", "allclose", "isclose", "dist", "mse_loss", "l1_loss"}
)
"""What says how two tensors differ: of one memory nobody has to ask."""


@moments.detached.on
def shared(m: Machine, node: ast.AST, tensor: TensorValue, result: TensorValue) -> None:
    """`x.detach()`, `x.data`: the result is the memory of `x`."""
    m.state.set(result, "#memory of", (tensor, m.version(tensor), m.site(node)))


def _owner(m: Machine, tensor: TensorValue) -> tuple[TensorValue, object, Site | None]:
    """Whose memory it is; which write it had seen when it was taken from there, and where that was."""
    version, site = m.version(tensor), None
    for _ in range(3):
        mark = m.state.resolve(m.state.get(tensor, "#memory of"))
        if not isinstance(mark, tuple):
            break
        tensor, version, site = mark
    return tensor, version, site


@moments.computed.on
def compared(m: Machine, node: ast.expr, operation: str, operands: list[tuple[Role, Operand]]) -> None:
    """An operation on two tensors: is one of them what the other was before it changed?"""
    if operation.strip("_") not in _COMPARES or m.muted:
        return
    first, second = (_owner(m, each.tensor) for _, each in operands)
    if first[0] is not second[0] or first[0].symbol is not None:
        return
    (_, one), (_, another) = operands
    now = m.version(first[0])
    for kept, operand, other in ((first, one, another), (second, another, one)):
        if kept[2] is not None and isinstance(kept[1], int) and isinstance(now, int) and kept[1] != now:
            m.emit(
                MemoryShared(m.site(node), m.frame.statement, "compared", other.text, operand.text, kept[2])
            )
            return


def stored(
    m: Machine, node: ast.AST, container: Sequence, value: object, value_node: ast.expr | None
) -> None:
    """A tensor is put into a list: for the second time, changed in place since the first, or beside what it was added to."""
    tensor = m.resolve(value)
    if m.muted or value_node is None:
        return
    contents = m.state.get(container, "#items")
    held = (*(contents.items or ()), contents.element) if isinstance(contents, Contents) else ()
    if isinstance(tensor, (TensorValue, Symbol)):
        _put_beside(m, node, container, tensor, held)
    if not isinstance(tensor, TensorValue):
        return
    owner, _, _ = _owner(m, tensor)
    if owner.symbol is not None or m.state.get(owner, "grad of") is not None:
        return
    now = m.version(owner)
    before = m.state.resolve(m.state.get(owner, "#put into"))
    place = Site(m.source, value_node, m.frame.calls)
    m.state.set(owner, "#put into", (container, now, tensor, place))
    if not m.loops or not isinstance(before, tuple) or before[0] is not container:
        return
    if (
        isinstance(before[1], int)
        and isinstance(now, int)
        and before[1] != now
        and any(each is before[2] for each in held)
    ):
        m.emit(
            MemoryShared(m.site(node), m.frame.statement, "stored", m.text(node), m.text(value_node), place)
        )


def added(m: Machine, tensor: TensorValue, value: object) -> None:
    """`tensor += value`."""
    if m.state.get(tensor, "#put into") is not None:
        m.state.set(tensor, "#added", value)


def _put_beside(
    m: Machine, node: ast.AST, container: Sequence, part: TensorValue | Symbol, held: tuple[object, ...]
) -> None:
    """A part is put beside another one, to which it has been added in place: that one is a sum now."""
    for each in held:
        if not isinstance(each, TensorValue) or m.state.resolve(m.state.get(each, "#added")) is not part:
            continue
        mark = m.state.resolve(m.state.get(each, "#put into"))
        if isinstance(mark, tuple) and mark[0] is container and mark[1] != m.version(each):
            text = " ".join(mark[3].text.split())
            m.emit(MemoryShared(m.site(node), m.frame.statement, "summed", m.text(node), text, mark[3]))
