"""Moments of a run: places where the engine says that something happens, to whoever has subscribed.

A moment is declared as a function without a body: its parameters are plain arguments, its docstring says when it comes. The
engine calls it; checks subscribe with `@moment.on`. The engine knows no subscriber, and what a subscriber returns is ignored.
A moment without subscribers costs one call and one test.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, Generic, ParamSpec

from devls.values.facts import fact
from devls.values.weights import NAMES_KEPT

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

    from devls.engine.core.events.events import LeafWritten, Operand
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.library.effects import Role
    from devls.values.conditions import Tree
    from devls.values.devices import Comparison, NamedDevice
    from devls.values.graph import Node
    from devls.values.value import TensorValue

P = ParamSpec("P")


@fact
class Mismatch:
    """Two operands of one operation that are on different devices, at least on some way."""

    node: ast.AST
    operation: str
    stray: Operand  # the one that is not where the result would be
    anchor: Operand
    comparison: Comparison  # of the stray's device with the anchor's
    layer: bool = False  # the anchor is a parameter of the layer that is called
    beside: bool = False  # another operand has been told of before, in the same expression


@fact
class WalkedGraph:
    """The nodes and leaves that one backward has reached from its root."""

    call: ast.expr
    root: TensorValue
    receiver: ast.expr | None  # the expression of the root
    text: str  # what the root is called
    start: Node | None  # the root's own node, if it is known
    nodes: dict[Node, None]  # in the order of the walk
    leaves: list[TensorValue]
    open: bool  # whether there may be more, out of sight
    accumulates: bool = True  # fills `.grad`, as `autograd.grad` does not
    whole: bool = True  # goes to all leaves, as `autograd.grad` does not
    kept: bool = False  # its buffers stay for another one, as `autograd.grad` may have it
    ahead: bool = False  # backward is not called here, but will be
    beside: tuple[Node, ...] = ()  # graphs of what is returned beside the root


class Moment(Generic[P]):
    """One kind of moment, and who has subscribed to it, in the order of subscription."""

    # As with questions, the slot is what a call of the instance calls: a single subscriber itself, which most moments have.
    __slots__ = ("__call__", "doc", "name", "subscribers")

    __call__: Callable[P, None]

    def __init__(self, name: str, doc: str | None) -> None:
        self.name = name
        self.doc = doc
        self.subscribers: list[Callable[P, None]] = []
        self.__call__ = self._tell

    def on(self, subscriber: Callable[P, None]) -> Callable[P, None]:
        """Subscribe a function: `@stepped.on`."""
        self.subscribers.append(subscriber)
        self.__call__ = subscriber if len(self.subscribers) == 1 else self._tell
        return subscriber

    def _tell(self, *args: P.args, **kwargs: P.kwargs) -> None:
        for subscriber in self.subscribers:
            subscriber(*args, **kwargs)


def moment(declaration: Callable[P, None]) -> Moment[P]:
    """Declare a moment: `@moment`, above a function that has a docstring only."""
    return Moment(declaration.__name__, declaration.__doc__)


_WATCHES: Final[list[Callable[[str], bool]]] = []


def watches(predicate: Callable[[str], bool]) -> Callable[[str], bool]:
    """Say of which library functions each call is to be announced, by their names; of others those with keywords are."""
    _WATCHES.append(predicate)
    return predicate


@functools.lru_cache(maxsize=NAMES_KEPT)
def is_watched(name: str) -> bool:
    """Whether somebody looks at all calls of a library function: at those of most nobody does."""
    return any(watched(name) for watched in _WATCHES)


# Moments of tensors and of their graph


@moment
def number_indexed(m: Machine, node: ast.Subscript, tensor: TensorValue) -> None:
    """A tensor that has no dimensions, or of which none are known, is indexed by a number that stands there."""


@moment
def backward_begins(m: Machine, call: ast.expr, root: TensorValue, text: str, *, accumulates: bool) -> None:
    """A backward, or the computation of gradients, from `root` is asked for; `text` names the root."""


@moment
def computed(
    m: Machine, node: ast.expr, operation: str, operands: list[tuple[Role, Operand]], *, reads: bool
) -> None:
    """An operation is about to compute; `reads`: it needs the numbers of its operands."""


@moment
def contents_read(m: Machine, node: ast.AST, tensor: TensorValue, text: str) -> None:
    """The host looks at what is in a tensor, which `text` names."""


@moment
def current_card_taken(m: Machine, node: ast.expr, meant: NamedDevice, *, back: bool, like: str) -> None:
    """A tensor is brought to the current card where another one is meant: back, or where what has the type of `like` is."""


@moment
def data_assigned(m: Machine, target: ast.Attribute, tensor: TensorValue, source: TensorValue) -> None:
    """`tensor.data = source`: a tensor takes over the memory of another one."""


@moment
def detached(m: Machine, node: ast.AST, tensor: TensorValue, result: TensorValue) -> None:
    """A tensor was taken out of its graph: the result has its memory, and that of `.data` a version of its own."""


@moment
def grad_asked_for(m: Machine, node: ast.AST, how: str, dtype: str | None, literal: ast.expr | None) -> None:
    """A tensor of a dtype is told to require grad; `literal` is the expression of its numbers, if it is made of some."""


@moment
def graph_passed(m: Machine, graph: WalkedGraph) -> None:
    """A backward has gone through a graph without an error; what its nodes have saved is there still."""


@moment
def graph_walked(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward has looked at the whole graph; `invocation` is the call of `Tensor.backward`, if it is one."""


@moment
def host_read(
    m: Machine,
    node: ast.expr,
    how: str,
    operand: Operand,
    comparison: Comparison,
    conversion: ast.Call | None,
    *,
    inside: bool,
) -> None:
    """A tensor is converted to numpy, or given to code that does so, `inside` a container perhaps.

    The comparison is that of its device with the CPU.
    """


@moment
def host_waits(m: Machine, node: ast.AST, device: Tree) -> None:
    """The program goes on only when a device has computed a number: `.item()`, `print(x)`, `if x:`."""


@moment
def leaf_write_refused(m: Machine, event: LeafWritten) -> None:
    """A leaf that requires grad, or a view of one, is written in place while gradients are recorded."""


@moment
def library_called(m: Machine, call: Invocation) -> None:
    """A library function is about to be called: one that is watched, or one that is given keywords."""


@moment
def memory_written(m: Machine, tensor: TensorValue, node: ast.AST) -> None:
    """The memory of a tensor changes, and not by the step of an optimizer."""


@moment
def mismatch_found(m: Machine, mismatch: Mismatch) -> None:
    """The operands of an operation are on different devices."""


@moment
def moved(m: Machine, call: Invocation, before: Tree, result: TensorValue) -> None:
    """A copy of a tensor was made on another device, or may have been."""


@moment
def moving(m: Machine, node: ast.expr, receiver: ast.expr | None, tensor: TensorValue) -> None:
    """A tensor is about to be moved to an accelerator where it is not."""


@moment
def operands_given(m: Machine, call: Invocation) -> None:
    """An operation is given a bound method or a list."""


@moment
def placed(m: Machine, node: ast.AST, device: Tree, dtype: str | None, made: TensorValue | None) -> None:
    """A tensor is made on, or moved to, a device, or cast; `made` is what is moved or cast, if something is."""


@moment
def saved_for_backward(m: Machine, node: ast.expr, operand: Operand) -> None:
    """An operation that is recorded saves an operand."""


@moment
def view_write_refused(m: Machine, node: ast.expr, kind: str, text: str, tensor: TensorValue) -> None:
    """A view is written to, which torch refuses: one that is "expanded", one of "several", or made under "no_grad"."""


@moment
def write_recorded(
    m: Machine, node: ast.expr | ast.stmt, text: str, tensor: TensorValue, before: Node | None, graph: Node
) -> None:
    """A write in place became part of the graph of a tensor, which `text` names; `before` is what that was."""


@moment
def written_in_place(
    m: Machine, node: ast.expr | ast.stmt, text: str, tensor: TensorValue, problem: str
) -> None:
    """A tensor is `written` in place, or told to require grad."""
