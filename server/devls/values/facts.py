"""Classes of which nothing is ever changed, as cheap as such classes can be.

A frozen dataclass refuses to be changed while the program runs, which takes a call for each field of each object that is
made, and a good part of the time of a start to define. Here the type checker refuses instead, and what makes the objects of a
class is written when the first one is made: of most kinds of events there is none.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[object], object]:
        """Nothing, while the program runs: it has it from Python 3.11 on only."""
        return lambda function: function


_C = TypeVar("_C")

_WAITING: Final[set[type]] = set()
"""Classes of which no object was made yet."""


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def fact(cls: type[_C]) -> type[_C]:
    """Make a class one of facts: made of its annotated fields, compared by identity if it says nothing else, never changed."""

    def first(self: object, *arguments: object, **keywords: object) -> None:
        for each in reversed(cls.__mro__):
            if each in _WAITING:
                _define(each)
        type(self).__init__(self, *arguments, **keywords)

    cls.__init__ = first  # type: ignore[method-assign]
    _WAITING.add(cls)
    return cls


def _define(cls: type) -> None:
    """Write what makes the objects of a class: for a twin of it, because another thread may be making one just now."""
    own = {name: each for name, each in vars(cls).items() if name not in _OF_THE_CLASS}
    twin: Any = dataclass(eq=False, repr=False)(type(cls.__name__, cls.__bases__, own))
    for name, each in own.items():
        if isinstance(each, Field):
            if name in vars(twin):
                setattr(cls, name, vars(twin)[name])
            else:
                delattr(cls, name)
    for name in ("__dataclass_fields__", "__dataclass_params__", "__match_args__"):
        setattr(cls, name, vars(twin)[name])
    cls.__init__ = twin.__init__  # type: ignore[misc]
    _WAITING.discard(cls)


_OF_THE_CLASS: Final = frozenset({"__dict__", "__init__", "__weakref__"})


__all__ = ["fact", "field"]
