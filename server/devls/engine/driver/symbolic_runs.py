"""Runs of single functions on symbols: their frame, their steps, and the state that they leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import budget, containment, limits, program_moments
from devls.engine.core.machine_types import Frame
from devls.engine.driver.initial_state import fill_empty, make_neutral
from devls.engine.driver.isolation import alone
from devls.engine.driver.symbolic_arguments import bind_symbols
from devls.engine.evidence import (
    attribute_summaries,
    global_writes,
    method_effects,
)
from devls.engine.evidence.accelerator_use import may_be_accelerated
from devls.engine.evidence.deferred import PresumedFindings
from devls.engine.python import calls
from devls.engine.torch.nn import calls as module_calls
from devls.engine.torch.nn import registry
from devls.values.graph import next_serial
from devls.values.value import (
    FunctionValue,
    InstanceValue,
    Scope,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.driver.isolation import Place
    from devls.values.state import Layer


def name_of(function: FunctionValue) -> str:
    """A function, in a sentence."""
    of_class = "" if function.cls is None else f"{function.cls.name}."
    return f"the function `{of_class}{function.name}`"


def begin_budget(m: Machine, place: Place) -> None:
    """Give one run its steps."""
    m.state.work = m.told = 0
    m.run_ends_at = max(0, m.steps_left - limits.STEPS_PER_RUN)
    if m.allowance is not None:
        m.allowance.begin_run(m, place.length, place.most)


def run_by_itself(
    m: Machine,
    place: Place,
    function: FunctionValue,
    receiver: InstanceValue | None = None,
    *,
    plausible: bool | None = None,
) -> None:
    """Run a function on symbols, from the state at the end of the main program; nothing of it stays."""
    if m.steps_left <= 0:
        return
    below = m.state.fork()
    frames, loops = m.frames, m.loops
    make_neutral(m)
    frame = _frame_of(m, function, receiver, plausible)
    global_writes.forget_late(m)
    if receiver is not None:
        attribute_summaries.before_run(m, receiver, function.name)
    fill_empty(m, function, receiver)
    bind_symbols(m, frame, function, receiver)
    if receiver is not None:
        method_effects.modules_moved(m, receiver, function)
    begin_budget(m, place)

    result: object = m.unknown()

    def run() -> None:
        if receiver is not None and function.name == "forward" and registry.is_module(m, receiver):
            module_calls.called(m, receiver, function.node)
        nonlocal result
        result = calls.run_frame(m, frame, function)
        program_moments.run_returned(m, function, receiver, result)
        if m.notes.wait_for_end():  # what nobody else holds is known, then
            m.escape(result)
            for _, value in registry.entries(m, receiver) if receiver is not None else ():
                m.escape(value)

    whole = containment.guarded(m, function.source, function.definition, name_of(function), run)
    if m.allowance is not None:
        m.allowance.end_run(m)
    if whole:
        program_moments.run_ended(m, function, result)
    budget.pay_for_told(m)
    m.notes.drop()
    m.frames, m.loops = frames, loops
    leave(m, below)


def leave(m: Machine, below: Layer) -> None:
    """Go back to where a run began; hovers come back to where it has been."""
    if m.recorded is None:
        m.state.abandon(below)
    else:
        m.state.restore(below)


def run_unheard(m: Machine, function: FunctionValue, receiver: InstanceValue, plausible: bool | None) -> bool:
    """Run a method on symbols for what it leaves behind, and tell nobody; True if it came to its end.

    The few steps that it may take are beside all accounts: what others may spend does not depend on it.
    """
    frames, loops, began, steps = m.frames, m.loops, m.run_began, m.steps_left
    sets = m.executed, m.built_with, m.call_facts
    m.executed, m.built_with, m.call_facts = set(sets[0]), set(sets[1]), set(sets[2])
    waiting = m.notes.of(PresumedFindings).waiting
    presumed, untold, ends_at, work = len(waiting), m.untold, m.run_ends_at, m.state.work
    frame = _frame_of(m, function, receiver, plausible)

    def run() -> None:
        m.run_ends_at = max(ends_at, m.steps_left - limits.STEPS_OF_WRITER)
        m.muted += 1
        bind_symbols(m, frame, function, receiver)
        calls.run_frame(m, frame, function)

    with alone(m):
        what = f"{name_of(function)}, run beforehand"
        whole = containment.guarded(m, function.source, function.definition, what, run)
    m.run_ends_at, m.run_began, m.untold, m.steps_left, m.state.work = ends_at, began, untold, steps, work
    m.executed, m.built_with, m.call_facts = sets
    del waiting[presumed:]
    m.frames, m.loops = frames, loops
    return whole


def _frame_of(
    m: Machine, function: FunctionValue, receiver: InstanceValue | None, plausible: bool | None
) -> Frame:
    frame = Frame(
        Scope("function", function.source, function.scope, function.scope.globals),
        function.source,
        (),
        function,
        receiver,
    )
    frame.symbolic = True
    frame.plausible = plausible if plausible is not None else may_be_accelerated(m, function)
    frame.scope.function = function
    m.run_began = next_serial()
    m.freed_in_run = set()
    return frame
