"""Two operands on different devices, as presumptions see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from devls.values.devices import NamedDevice

if TYPE_CHECKING:
    import ast

    from devls.engine.core.events.events import Cause, Operand
    from devls.values.devices import Comparison
    from devls.values.history import Site, Step
    from devls.values.value import InstanceValue, TensorValue


@dataclass
class MismatchCase:
    """One mismatch, and what is known of why its stray operand is where it is."""

    node: ast.AST
    operation: str
    stray: Operand
    anchor: Operand
    comparison: Comparison
    layer: bool
    cause: Cause
    attribute: str = ""  # the name of the plain attribute, or the second one of a module
    attribute_site: Site | None = None  # where it was assigned
    owner: InstanceValue | None = None  # whose plain attribute the stray is
    owner_attribute: str = ""  # and under which name
    old_name: str = ""
    creation: ast.Call | None = None  # the factory call, if the running function has made the stray
    creation_site: Site | None = None

    @property
    def step(self) -> Step | None:
        """How the stray came to be where it is."""
        return self.stray.step

    @property
    def created(self) -> bool:
        """Whether the stray is where a factory has put it."""
        return self.step is not None and self.step.kind == "created"

    @property
    def whole(self) -> TensorValue:
        """The tensor that the stray is a view of, or itself."""
        return self.stray.tensor.view_of or self.stray.tensor

    @property
    def from_caller(self) -> bool:
        """Whether the other operand is where an argument is, which whoever calls has chosen."""
        right = self.comparison.right
        return isinstance(right, NamedDevice) and not right.chosen
