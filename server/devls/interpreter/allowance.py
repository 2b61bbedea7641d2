"""What may be spent on running the bodies of called functions, so that a file costs what it is worth.

Every function of a file runs once by itself, which costs what is written there. What a call runs costs again, in
each caller and each caller's caller: without a bound, most of the time would go where most helpers call each other.
So a file has steps for calls in proportion to its lines. The program takes what it needs of one half; of the rest each
run has its share by its own length, and what one does not need is left to the next. A call may take no more of its run's
than leaves something to those that follow. What is not run has an unknown result, and what it was given escapes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter import limits

if TYPE_CHECKING:
    import ast

    from devls.interpreter.machine import Machine
    from devls.syntax.source import Source
    from devls.values.value import FunctionValue


class Allowance:
    """The steps for calls in one file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._lines = source.text.count("\n") + 1
        self._left = limits.CALLS_PER_FILE + limits.CALLS_PER_LINE * self._lines
        self._began = 0

    def begin_program(self, m: Machine) -> None:
        """The file's body runs from here on."""
        self._began = m.steps_left
        m.calls_end_at = m.steps_left - self._left // 2

    def begin_run(self, m: Machine, node: ast.AST) -> None:
        """A function runs by itself from here on."""
        length = lines(node)
        share = max(self._left, 0) * length // max(length, self._lines)
        self._lines -= length
        self._began = m.steps_left
        m.calls_end_at = m.steps_left - share

    def end_run(self, m: Machine) -> None:
        """What has begun is over."""
        self._left -= self._began - m.steps_left


def allows(m: Machine, function: FunctionValue) -> bool:
    """Whether a call of a function may run its body."""
    if function.node not in m.executed and m.allowance is not None and function.source is m.allowance.source:
        # The first run of a body is what the file is analyzed for: it comes on top.
        m.calls_end_at -= limits.STEPS_PER_LINE * lines(function.node)
        return True
    return m.steps_left > m.calls_end_at


def begin_call(m: Machine) -> int:
    """A body runs from here on, which may take a part of what is left; returns what `end_call` wants back."""
    ends_at = m.calls_end_at
    m.calls_end_at = m.steps_left - (m.steps_left - ends_at) * limits.CALL_SHARE[0] // limits.CALL_SHARE[1]
    return ends_at


def lines(node: ast.AST) -> int:
    """How many lines a node stands on."""
    return node.end_lineno - node.lineno + 1  # type: ignore[attr-defined, no-any-return]
