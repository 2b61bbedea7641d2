"""A loop over what a generator of the project yields: its body runs where the generator stops, as it does in Python.

Whatever the body changes (weights, graphs, modes) is changed before the generator goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import limits, program_moments
from devls.engine.core.machine_types import LoopFrame
from devls.engine.python import after_loops, assignments
from devls.values.graph import next_serial
from devls.values.state import AMBIENT

if TYPE_CHECKING:
    import ast

    from devls.engine.core.machine import Machine
    from devls.values.state import Layer
    from devls.values.value import FunctionValue

_KEPT = (("grad", True), ("inference", False))


class LoopBody:
    """The body of a `for`, to be run each time that the generator yields which the loop calls."""

    def __init__(self, m: Machine, node: ast.For | ast.AsyncFor) -> None:
        self.call: ast.expr = node.iter
        self._node = node
        self._frames, self._loops, self._calls_end_at = len(m.frames), len(m.loops), m.calls_end_at
        self._modes: list[tuple[str, object]] = []
        self._loop: LoopFrame | None = None
        self._before: Layer | None = None
        self._exits: list[Layer] = []
        self._over = False

    @property
    def has_run(self) -> bool:
        """Whether the generator has yielded anything."""
        return self._loop is not None

    def of(self, m: Machine, function: FunctionValue) -> LoopBody | None:
        """Continuation that a function called by the loop runs at its yields."""
        if function.kind == "context":
            return None
        if self._before is not None:
            return self  # handed on by the first one
        self._before = m.state.fork()
        self._modes = [(slot, m.state.get(AMBIENT, slot, default)) for slot, default in _KEPT]
        return self

    def handed_on(self, m: Machine, inner: ast.expr) -> tuple[object, bool]:
        """Items that `yield from inner` hands on, and whether a generator that it calls has run the body by itself."""
        done = 0 if self._loop is None else self._loop.passes_started
        outer, m.block, self.call = (m.block, self.call), self, inner
        value = m.eval(inner)
        m.block, self.call = outer
        return value, self._over or (self._loop is not None and self._loop.passes_started > done)

    def run(self, m: Machine, value: object) -> None:
        """One iteration, with what was yielded; none once it is over, or where there were enough."""
        if self._over or (self._loop is not None and self._loop.passes_started >= limits.UNROLLED_ITEMS):
            return
        inner = (m.frames, m.loops, m.calls_end_at)
        of_generator = m.frame.function
        m.frames, m.loops = m.frames[: self._frames], m.loops[: self._loops]
        m.calls_end_at = self._calls_end_at
        statement = m.frame.statement
        modes = [(slot, m.state.get(AMBIENT, slot, default)) for slot, default in _KEPT]
        if of_generator is not None and of_generator.grad_mode:
            # A decorator switches the mode back whenever the generator stops.
            for slot, mode in self._modes:
                m.state.set(AMBIENT, slot, mode)
        try:
            self._iteration(m, value)
        finally:
            if of_generator is not None and of_generator.grad_mode:
                for slot, mode in modes:
                    m.state.set(AMBIENT, slot, mode)
            m.frame.statement = statement
            m.frames, m.loops, m.calls_end_at = inner

    def raises(self) -> bool:
        """No exception of a loop's body is raised in the generator."""
        return False

    def over(self, *, alive: bool) -> None:
        """Nothing that a generator does at its end is about the body."""

    def _iteration(self, m: Machine, value: object) -> None:
        if self._loop is None:
            after_loops.forget_counters(m, self._node)
            self._loop = LoopFrame(self._node, next_serial())
        loop, frame = self._loop, m.frame
        frame.loops.append(loop)
        m.loops.append(loop)
        try:
            loop.breaks, loop.continues = [], []
            loop.start = m.state.fork()
            below = m.state.layer
            loop.iteration = next_serial()
            loop.passes_started += 1
            assignments.assign(m, self._node.target, value, None)
            done = m.run(self._node.body)
            layers = [*loop.continues, *([m.state.layer] if done else [])]
            self._exits += loop.breaks
            m.state.restore(below)
            if layers:
                m.join(layers)
                program_moments.iteration_ended(m, loop)
            else:
                self._over = True
        finally:
            frame.loops.pop()
            m.loops.pop()

    def end(self, m: Machine) -> bool:
        """The generator has come to its end; whether anything runs behind the loop."""
        assert self._loop is not None  # noqa: S101  for the type checker
        assert self._before is not None  # noqa: S101
        program_moments.loop_ended(m, self._loop)
        if not self._over:
            after_loops.forget_after(m, self._node, self._before)
            if m.run(self._node.orelse):
                self._exits.append(m.state.layer)
        if not self._exits:
            return False
        m.join(self._exits)
        return True
