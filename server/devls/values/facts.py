"""Classes of which nothing is ever changed, as cheap as such classes can be.

A frozen dataclass refuses to be changed while the program runs, which takes a call for each field of each object that is
made, and a good part of the time of a start to define. Here the type checker refuses instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[object], object]:
        """Nothing, while the program runs: it has it from Python 3.11 on only."""
        return lambda function: function


_C = TypeVar("_C")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def fact(cls: type[_C]) -> type[_C]:
    """Make a class one of facts: made of its annotated fields, compared by identity if it says nothing else, never changed."""
    return dataclass(eq=False, repr=False)(cls)


__all__ = ["fact", "field"]
