"""A catalog record while it is being put together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

NO_DEFAULT = object()
OTHER_DEFAULT = ...


@dataclass
class DraftParameter:
    """A parameter; `role` and `passing` are the values of the enums in `devls.library.effects`."""

    name: str
    role: str = "other"
    passing: str = "either"
    default: Any = NO_DEFAULT

    def copy(self, **changes: Any) -> DraftParameter:
        """The same with some fields changed."""
        return replace(self, **changes)


@dataclass
class Draft:
    """An operation; the strings are the values of the enums in `devls.library.effects`."""

    name: str
    parameters: list[DraftParameter] = field(default_factory=list)
    result: str = "unknown"
    differentiable: str = "unknown"
    outputs: list[str] = field(default_factory=list)
    saves: list[str] | None = None
    conditional: list[str] = field(default_factory=list)  # saved only for the gradient of another operand
    own: list[str] = field(default_factory=list)  # saved only for its own gradient
    writes: list[str] = field(default_factory=list)
    rank: str = "unknown"
    dtype: str = "unknown"
    synchronizes: bool = False
    deprecated: str = ""
    fields: list[str] = field(default_factory=list)  # of a named tuple that is returned
    pointwise: bool = False
    grounds: str = ""  # "declared", "by hand", "signature": where the effects came from

    def parameter(self, name: str) -> DraftParameter | None:
        """The parameter of that name."""
        return next((each for each in self.parameters if each.name == name), None)

    def tensors(self) -> list[DraftParameter]:
        """The parameters that take tensors."""
        return [each for each in self.parameters if each.role != "other"]
