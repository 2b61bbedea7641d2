"""The abstract autograd graph.

Nodes are immutable and shared by all paths; whether a node was freed, a storage's version
and a leaf's `.grad` are facts of the state.
"""

from __future__ import annotations

import itertools
from dataclasses import field
from typing import TYPE_CHECKING, Final

from devls.values.facts import fact

if TYPE_CHECKING:
    from devls.values.conditions import Tree
    from devls.values.history import Site
    from devls.values.value import TensorValue


next_serial: Final = itertools.count(1).__next__
"""Numbers in the order in which the interpreter made things."""


class Storage:
    """The memory that a tensor and its views share. Compared by identity."""

    __slots__ = ()


@fact
class Saved:
    """A tensor that a node keeps for backward, at the version it had then."""

    tensor: TensorValue
    storage: Storage
    version: object
    what: str  # "result" or the parameter's name


@fact
class Node:
    """One recorded operation.

    `inputs` are the tensors it was computed from; an operand that we do not know is
    an open edge (`open`): what lies behind it may be anything.
    `keeps` is True when it saved something, False when not, None when nobody knows.
    `given` holds what an operation with an open edge was given, by parameter.
    """

    operation: str
    inputs: tuple[TensorValue, ...]
    site: Site
    saved: tuple[Saved, ...] = ()
    keeps: bool | None = None
    open: bool = False
    gradient: Tree = field(default="yes")  # "yes", "zero" or "fails"
    edges: tuple[Node | None, ...] = ()  # the inputs' own nodes, as they were then
    given: tuple[tuple[str, object], ...] = ()
    apart: tuple[object, ...] = ()  # operands that get no gradients, and numbers that were read from tensors
    serial: int = field(default_factory=next_serial)
