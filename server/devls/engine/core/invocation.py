"""One call of something of the library, with all that is known of its arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from devls.library.effects import REQUIRED, Passing, Role

if TYPE_CHECKING:
    import ast

    from devls.engine.core.machine import Machine
    from devls.library.effects import Operation, Parameter


class NotGivenError(Exception):
    """A call without the argument that what it calls is about: `torch.Tensor.to()`, or `torch.Tensor.to(*arguments)`."""


@dataclass(slots=True)
class Invocation:
    """`arguments[0]` is the receiver where there is one (`is_method`)."""

    name: str
    arguments: list[object]
    keywords: dict[str, object]
    node: ast.expr
    nodes: list[ast.expr | None]
    keyword_nodes: dict[str, ast.expr] = field(default_factory=dict)
    is_method: bool = False

    def argument(self, position: int, name: str) -> object:
        """An argument by position or name; None when it was not given."""
        if position < len(self.arguments):
            return self.arguments[position]
        return self.keywords.get(name)

    def argument_node(self, position: int, name: str) -> ast.expr | None:
        """The expression of an argument, if one stands there."""
        if position < len(self.nodes):
            return self.nodes[position]
        return self.keyword_nodes.get(name)

    @property
    def receiver(self) -> object:
        """The object that a method is called on.

        Raises:
            NotGivenError: if it is called on none, or on one that some stars hide.
        """
        if not self.arguments:
            raise NotGivenError
        return self.arguments[0]

    @property
    def receiver_node(self) -> ast.expr | None:
        """The expression of the receiver, if one stands there."""
        return self.nodes[0] if self.nodes else None

    @property
    def short_name(self) -> str:
        """The last part of the name, as the user writes it."""
        return self.name.rpartition(".")[2]

    def bind(self, operation: Operation) -> list[tuple[Parameter, object, ast.expr | None]]:
        """Parameters with the values given to them; what is not given is left out."""
        found: list[tuple[Parameter, object, ast.expr | None]] = []
        position = 0
        names = set()
        for parameter in operation.parameters:
            names.add(parameter.name)
            if parameter.passing is Passing.REST:
                while position < len(self.arguments):
                    found.append((parameter, self.arguments[position], self.nodes[position]))
                    position += 1
            elif parameter.passing is Passing.EITHER and position < len(self.arguments):
                found.append((parameter, self.arguments[position], self.nodes[position]))
                position += 1
            elif parameter.name in self.keywords:
                found.append(
                    (parameter, self.keywords[parameter.name], self.keyword_nodes.get(parameter.name))
                )
        return found

    def may_bring_tensors(self, operation: Operation) -> bool:
        """Whether `*more` of unknown length may bring a tensor that the operation computes with, and nothing else was given for."""
        if "*" not in self.keywords:
            return False
        given = len(self.arguments)
        own = [each for each in operation.parameters if each.passing is Passing.EITHER]
        return any(
            each.role in _COMPUTED_WITH and each.default is REQUIRED and each.name not in self.keywords
            for each in own[given:]
        )

    def keyword(self, m: Machine, name: str) -> object:
        """A keyword argument's value, resolved; None when it was not given."""
        value = self.keywords.get(name)
        return None if value is None else m.resolve(value)


_COMPUTED_WITH = frozenset({Role.EXACT, Role.ELEMENT, Role.LIST})
CHECKED_ROLES = frozenset({Role.EXACT, Role.ELEMENT, Role.LIST, Role.INDEX})
