"""Moments of a run: places where the engine says that something happens, to whoever has subscribed.

A moment is declared as a function without a body: its parameters are plain arguments, its docstring says when it comes. The
engine calls it; checks subscribe with `@moment.on`. The engine knows no subscriber, and what a subscriber returns is ignored.
A moment without subscribers costs one call and one test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, ParamSpec

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.value import TensorValue

P = ParamSpec("P")


class Moment(Generic[P]):
    """One kind of moment, and who has subscribed to it, in the order of subscription."""

    __slots__ = ("doc", "name", "subscribers")

    def __init__(self, name: str, doc: str | None) -> None:
        self.name = name
        self.doc = doc
        self.subscribers: list[Callable[P, None]] = []

    def on(self, subscriber: Callable[P, None]) -> Callable[P, None]:
        """Subscribe a function: `@stepped.on`."""
        self.subscribers.append(subscriber)
        return subscriber

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Tell all subscribers."""
        for subscriber in self.subscribers:
            subscriber(*args, **kwargs)


def moment(declaration: Callable[P, None]) -> Moment[P]:
    """Declare a moment: `@moment`, above a function that has a docstring only."""
    return Moment(declaration.__name__, declaration.__doc__)


@moment
def contents_read(m: Machine, node: ast.AST, tensor: TensorValue, text: str) -> None:
    """The host looks at what is in a tensor, which `text` names."""


@moment
def host_waits(m: Machine, node: ast.AST, device: Tree) -> None:
    """The program goes on only when a device has computed a number: `.item()`, `print(x)`, `if x:`."""
