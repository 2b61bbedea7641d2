"""Questions: what a floor asks of code on higher floors, which it does not import.

A question is declared as a function whose body is the answer of somebody who knows nothing. A higher floor gives the real
answer with `@question.answer`; there is one. So semantics of Python can ask what torch makes of a tensor, and semantics of torch
can ask what may be presumed of code that is not there, while imports run one way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


class Question(Generic[P, R]):
    """One question, and the function that answers it."""

    # A slot of this name is what a call of the instance calls: the answer itself, with no call and no packing of arguments
    # between. Questions and moments were 3 % of the calls of an analysis when they passed their arguments on.
    __slots__ = ("__call__", "answered", "doc", "name")

    __call__: Callable[P, R]

    def __init__(self, name: str, doc: str | None, unanswered: Callable[P, R]) -> None:
        self.name = name
        self.doc = doc
        self.__call__ = unanswered
        self.answered = False

    def answer(self, function: Callable[P, R]) -> Callable[P, R]:
        """Have a function answer from now on: `@question.answer`.

        Raises:
            ValueError: if another function does so already.
        """
        if self.answered:
            raise ValueError(f"{self.name} is answered twice")
        self.__call__ = function
        self.answered = True
        return function


def question(declaration: Callable[P, R]) -> Question[P, R]:
    """Declare a question: `@question`, above a function that returns what is said without knowledge."""
    return Question(declaration.__name__, declaration.__doc__, declaration)
