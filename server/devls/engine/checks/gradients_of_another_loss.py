"""Optimizers that step on gradients which the loss of another optimizer has left, as a generator does on its discriminator's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.checks.gradient_ledger import Ledger
from devls.engine.core import moments, training_moments
from devls.engine.core.events.protocols import GradientsMixed
from devls.values.facts import fact
from devls.values.graph import next_serial
from devls.values.value import InstanceValue

if TYPE_CHECKING:
    import ast

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.moment_facts import WalkedGraph
    from devls.values.history import Site

_FILLED: Final = "#filled by"
"""The slot of a parameter that holds the backwards whose gradients are in it."""

_STEPPED: Final = "#stepped as"
"""The slot of an optimizer that says when it has stepped last, and under which name."""


@fact
class Backward:
    """One backward, and whose parameters it has reached."""

    site: Site
    text: str
    number: int
    optimizers: tuple[InstanceValue, ...]


@moments.graph_walked.on
def graph_walked(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward is about to add its gradients to those that are there."""
    del invocation
    known = m.notes.of(Ledger).optimizers
    if len(known) < 2 or graph.ahead or not graph.accumulates:
        return
    leaves = set(graph.leaves)
    reached = tuple(each for each, held in known.items() if not leaves.isdisjoint(held))
    this = Backward(m.site(graph.call), graph.text, next_serial(), reached)
    for optimizer in reached:
        for parameter in known[optimizer]:
            if parameter in leaves:
                before = m.state.resolve(m.state.get(parameter, _FILLED, ()))
                there = m.state.resolve(m.state.get(parameter, "grad", "none")) == "fresh"
                kept = before[-1:] if there and isinstance(before, tuple) else ()
                m.state.set(parameter, _FILLED, (*kept, this))


@training_moments.stepped.on
def stepped(m: Machine, optimizer: object, node: ast.expr, text: str) -> None:
    """An optimizer steps: on the gradients of two losses, of which another one's step has used the first already?"""
    if not isinstance(optimizer, InstanceValue):
        return
    m.state.set(optimizer, _STEPPED, (next_serial(), text))
    if m.state.get(optimizer, "#escaped") is not None:
        return
    for parameter in m.notes.of(Ledger).optimizers.get(optimizer, ()):
        filled = m.state.resolve(m.state.get(parameter, _FILLED, ()))
        fresh = m.state.resolve(m.state.get(parameter, "grad", "none")) == "fresh"
        if not fresh or not isinstance(filled, tuple) or len(filled) < 2:
            continue
        first, last = filled
        for other in first.optimizers:
            mark = m.state.resolve(m.state.get(other, _STEPPED))
            if (
                other is not optimizer
                and other in last.optimizers
                and isinstance(mark, tuple)
                and first.number < mark[0] < last.number
            ):
                m.emit(GradientsMixed(m.site(node), m.frame.statement, text, mark[1], first.site, last.site))
                m.state.set(parameter, _FILLED, ())
                return
