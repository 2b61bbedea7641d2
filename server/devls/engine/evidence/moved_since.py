"""Whether what was computed of a module's parameters lies elsewhere because these have been moved since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.values.graph import Node

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.value import TensorValue

_STEPS: Final = 32
"""Nodes that are looked at behind a value: what is taken of a module before it is moved is seldom computed far."""


def where_they_were(m: Machine, tensor: TensorValue) -> bool:
    """Whether a value was computed of parameters, and all of them are still where it is: nobody has moved them."""
    found = False
    stack, seen = [m.node(tensor)], set[Node]()
    while stack and len(seen) < _STEPS:
        node = stack.pop()
        if not isinstance(node, Node) or node in seen:
            continue
        seen.add(node)
        for each in node.inputs:
            if each.is_parameter:
                if m.device(each) != m.device(tensor):
                    return False
                found = True
        stack += node.edges
    return found
