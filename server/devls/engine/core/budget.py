"""Budget for running the bodies of called functions, so that the cost of a file stays in proportion.

Every function of a file runs once by itself, which costs what is written there. The runs of a call are repeated in each
caller and each caller's caller: without a bound, most of the time would go where helpers call each other. So a file has
steps in proportion to its lines: some for what the program calls, and some for its functions by themselves. Of these
each has a share by its length, and what one does not need is left to those that follow; when it is used up, the
function still runs to its end, but of what it calls only short bodies, and nothing that these call. Nor may one call
take all that is left. A call that is not run has an unknown result, and its arguments escape.
"""

from __future__ import annotations

import ast
from time import thread_time
from typing import TYPE_CHECKING, Final

from devls.engine.core import limits
from devls.engine.core.machine_types import Cancelled, OutOfSteps
from devls.engine.core.questions import question
from devls.syntax.nodes import of_tree, walk
from devls.values.value import Object, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source
    from devls.values.value import FunctionValue


_STEP: Final = 16
"""Lines by which what a long file may spend grows at a time."""

LONG: Final = 200
"""Lines from which on a file is a long one; a shorter one is soon run anew."""


class Allowance:
    """The steps for calls in one file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.is_program = True
        """Whether it is the file's body that runs now."""
        count = source.text.count("\n") + 1
        # In steps, so that a line more or less seldom changes what all runs of a long file may spend.
        self.lines = self._lines = count if count < LONG else -(-count // _STEP) * _STEP
        self._left = limits.STEPS_OF_RUNS + limits.STEPS_OF_RUNS_PER_LINE * self._lines
        self._began = 0
        self.budget = 0
        """Budget of the current run for calls."""
        self.forced: int | None = None
        """Budget of a run that is repeated beside all accounts."""
        self.least = self.most = 0
        """By how much the closest call was allowed (more than 0), and by how much the closest was not (0 or less)."""
        self.method_left_out = False
        """Whether the run under way has come to a method that was not run."""
        self.meetings = 0
        """Calls that the run under way may still make beyond its steps, of what is given things from two places."""

    def begin_program(self, m: Machine) -> None:
        """The file's body runs from here on."""
        steps = limits.CALLS_OF_PROGRAM + limits.CALLS_OF_PROGRAM_PER_LINE * self._lines
        self._begin(m, steps)

    def begin_run(self, m: Machine, length: int, most: int | None) -> None:
        """Something of a length in lines runs by itself from here on, which may spend `most` if that is less than its share."""
        if self.forced is not None:
            self._begin(m, self.forced)
            return
        budget = self.budget_of(length, most)
        self._lines -= length
        self._began = m.steps_left
        self._begin(m, budget)

    def budget_of(self, length: int, most: int | None) -> int:
        """Budget for calls of a run of that length, were it to begin now."""
        self.is_program = False
        share = max(self._left, 0) * length // max(length, self._lines, 1)
        return share if most is None else min(share, most)

    def skip_run(self, m: Machine, length: int, steps: int, told: int) -> None:
        """A run that has taken so many steps, and has told so many events, is not repeated: it would do the same."""
        self.is_program = False
        self._lines -= length
        self._left -= steps
        m.steps_left -= steps + limits.STEPS_OF_EVENT * told

    def forget_closest(self) -> None:
        """Look for the closest calls from here on."""
        self.least, self.most = limits.STEPS_PER_FILE, -limits.STEPS_PER_FILE

    def _begin(self, m: Machine, budget: int) -> None:
        self.budget = budget
        self.forget_closest()
        m.calls_end_at = m.steps_left - budget
        self.method_left_out = False
        self.meetings = limits.MEETINGS

    def end_run(self, m: Machine) -> None:
        """Runs that have begun are over."""
        if self.forced is None:
            self._left -= self._began - m.steps_left


def look_up(m: Machine) -> None:
    """See whether somebody has cancelled the run, or the file has taken so long that it ends here.

    The second is the last resort, for what no step and no work has counted.
    """
    if m.cancelled is not None and m.cancelled():
        raise Cancelled
    _be_in_time(m)


def _be_in_time(m: Machine) -> None:
    if thread_time() > m.late_at:
        m.steps_left = 0
        raise OutOfSteps


def begin_module(m: Machine, source: Source) -> float:
    """Give the body of a module what it may spend; returns the time."""
    m.steps_left, m.run_ends_at, m.state.work = limits.STEPS_PER_MODULE, 0, 0
    of_lines = limits.CALLS_OF_SMALL_MODULE + limits.CALLS_OF_MODULE_PER_LINE * source.text.count("\n")
    m.allowance, m.calls_end_at = None, limits.STEPS_PER_MODULE - min(limits.CALLS_OF_MODULE, of_lines)
    begun = thread_time()
    m.late_at = begun + limits.SECONDS_PER_FILE
    return begun


def end_module(m: Machine, begun: float) -> None:
    """Go on with what has imported a module, which does not pay for its time: a package has hundreds of modules."""
    m.late_at += thread_time() - begun


def pay_for_event(m: Machine) -> None:
    """Pay for an event before it is made."""
    _be_in_time(m)
    m.state.work += limits.WORK_OF_EVENT
    m.told += 1


def pay_for_told(m: Machine) -> None:
    """Pay for the events of a run that has ended, which had a budget of its own, out of what others may spend."""
    m.steps_left -= limits.STEPS_OF_EVENT * m.told
    m.told_before += m.told
    m.told = 0


def allows(m: Machine, function: FunctionValue) -> bool:
    """Whether a call of a function may run its body."""
    allowance = m.allowance
    first = (
        allowance is not None
        and allowance.is_program
        and function.definition not in m.executed
        and function.source is allowance.source
    )
    if first:
        # The first run of a body from the program is what the file is analyzed for: it comes on top.
        m.calls_end_at -= limits.STEPS_PER_LINE * lines(function.node)
    left = m.steps_left - m.calls_end_at
    if allowance is not None:
        if left > 0:
            allowance.least = min(allowance.least, left)
        else:
            allowance.most = max(allowance.most, left)
    if first or left > 0:
        return True
    # A short body costs hardly more than the question; but its callees may be many more.
    return not m.frames[-1].beyond_allowance and _is_short(function) and _keeps_to_itself(m, function)


def _keeps_to_itself(m: Machine, function: FunctionValue) -> bool:
    """Whether a function uses nothing but its arguments, or is a method that only reads.

    Calls may take out of an object what others put into it: no longer seen once a method has been left out.
    """
    if function.cls is not None and (
        m.allowance is None or m.allowance.method_left_out or not _only_reads(function.node)
    ):
        return False
    globals_ = function.scope.globals
    return not any(
        isinstance(m.state.get(globals_, name), (Object, TensorValue)) for name in _read_names(function.node)
    )


@of_tree(maxsize=256)
def _only_reads(node: ast.AST) -> bool:
    """Whether a method writes to nothing but names of its own, and calls nothing for its effect."""
    return not any(
        isinstance(getattr(each, "ctx", None), (ast.Store, ast.Del))
        if isinstance(each, (ast.Attribute, ast.Subscript))
        else isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)
        for each in walk(node)
    )


def _is_short(function: FunctionValue) -> bool:
    """Whether a body is short without the lines that cost nothing; one is not looked through that could hardly be."""
    node = function.node
    least = lines(node) - _said(node)
    most = limits.LINES_OF_SHORT_BODY
    return least <= most or (
        least <= 4 * most and function.source.mentions(node, "raise") and lines(node) - idle(node) <= most
    )


@of_tree(maxsize=256)
def idle(node: ast.AST) -> int:
    """How many lines of a function cost nothing: its docstring, and what it raises with messages."""
    return _said(node) + sum(lines(each) for each in walk(node) if isinstance(each, ast.Raise))


def _said(node: ast.AST) -> int:
    body = getattr(node, "body", None)
    first = body[0] if isinstance(body, list) else None
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return lines(first) if first is not None and is_text else 0


def shortened(node: ast.AST, old: int, new: int) -> bool:
    """Whether a function may count as short now and did not when it had `old` lines, or the other way, with the same docstring."""
    spare, most = idle(node), limits.LINES_OF_SHORT_BODY
    # How long what it raises was before nobody has kept.
    return (old - spare <= most) is not (new - spare <= most) or spare > _said(node)


def left_out(m: Machine, function: FunctionValue) -> None:
    """A body is not run: of a method, its objects are not known as well as before.

    A constructor leaves other objects alone.
    """
    if m.allowance is not None and function.cls is not None and function.name != "__init__":
        m.allowance.method_left_out = True


@of_tree(maxsize=256)
def _read_names(node: ast.AST) -> frozenset[str]:
    return frozenset(each.id for each in walk(node) if isinstance(each, ast.Name))


def begin_call(m: Machine) -> int:
    """A body runs from here on, which may take a part of what is left; returns what `calls_end_at` was."""
    ends_at = m.calls_end_at
    m.calls_end_at += (m.steps_left - ends_at) // limits.CALL_SHARE
    return ends_at


def lines(node: ast.AST) -> int:
    """How many lines a node stands on."""
    return node.end_lineno - node.lineno + 1  # type: ignore[attr-defined, no-any-return]


# Questions about what a call may cost: answered by the driver, which pays for the runs


@question
def steps_of_logging_only(m: Machine, function: FunctionValue) -> int:
    """The steps of a call that only logs names, and so comes to nothing; 0 if it may come to something."""
    del m, function
    return 0


@question
def steps_where_devices_meet(m: Machine, arguments: list[object], keywords: dict[str, object]) -> int:
    """The steps that a call may take beyond its share, because what it is given comes from different places."""
    del m, arguments, keywords
    return 0
