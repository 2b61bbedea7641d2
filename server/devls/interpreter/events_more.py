"""What the interpreter says happened, continued: protocols of torch that were not kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from devls.interpreter.events import Event

if TYPE_CHECKING:
    import ast


@dataclass(frozen=True, eq=False)
class NoSuchName(Event):
    """A module of torch was asked for a name that it does not have."""

    space: str  # "torch.cuda"
    name: str
    suggestion: str  # the nearest name there is, or ""
    node: ast.Attribute | ast.alias
