"""Tables of what the machine does with a kind of syntax, and with a kind of value.

`python/` fills in the statements and expressions, and what is done with Python's own values; `torch/` does the same for tensors
and modules. Whoever runs code looks up the class of the node or of the value, so that a floor need not know those above it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

K = TypeVar("K")
R = TypeVar("R")
F = TypeVar("F", bound="Callable[..., Any]")


class Table(dict[K, "Callable[..., R]"], Generic[K, R]):
    """Functions by what they are for: the class of a value, or the name of an attribute."""

    def of(self, *keys: K) -> Callable[[F], F]:
        """Register a function for some keys: `@ITEMS.of(TensorValue)`.

        Raises:
            ValueError: if there is another function for one of them.
        """

        def register(function: F) -> F:
            for key in keys:
                if key in self:
                    raise ValueError(f"there are two functions for {key}")
                self[key] = function
            return function

        return register


STATEMENTS: Final[dict[type[ast.stmt], Callable[..., bool]]] = {}
"""Runs a statement: `(m, node)`. Returns whether some path goes on behind it."""

EXPRESSIONS: Final[dict[type[ast.expr], Callable[..., object]]] = {}
"""Evaluates an expression: `(m, node)`."""

ATTRIBUTES: Final[Table[type, object]] = Table()
"""Reads an attribute: `(m, node, receiver_node, owner, name)`, by the class of the owner."""

ATTRIBUTE_TESTS: Final[Table[type, object]] = Table()
"""Answers `hasattr`: `(m, owner, name)`, by the class of the owner; None where that is not known."""

ATTRIBUTE_WRITES: Final[Table[type, None]] = Table()
"""Sets an attribute: `(m, target, owner, name, value, node)`, by the class of the owner."""

CALLS: Final[Table[type, object]] = Table()
"""Calls a value: `(m, function, arguments, keywords, node, nodes, keyword_nodes)`, by the class of what is called."""

ITEMS: Final[Table[type, object]] = Table()
"""Reads an item: `(m, node, owner, index)`, by the class of the owner."""

ITEM_WRITES: Final[Table[type, None]] = Table()
"""Sets an item: `(m, target, owner, index, value, node)`, by the class of the owner."""

METHOD_CALLS: Final[Table[type, object]] = Table()
"""Calls a bound method: the same as `CALLS`, by the class of the function that is bound."""

NAMES_WRITTEN: Final[Table[str, None]] = Table()
"""Effect of setting an attribute on its owners: `(m, target, owner, value, node)`, by the attribute's name."""

ROWS: Final[Table[type, object]] = Table()
"""One item of what is iterated or unpacked: `(m, owner, node)`, by the class of the owner."""
