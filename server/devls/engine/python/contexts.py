"""`with`: grad modes, default devices, and everything else that is entered."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.events import GradModeWithoutEffect
from devls.engine.python import assignments, calls, classes, modes, narrowing
from devls.values.conditions import Either, apply, either, leaves, negation
from devls.values.state import AMBIENT, ERROR_EXPECTED
from devls.values.value import FALSE, NONE, TRUE, BoundMethod, DeviceValue, InstanceValue, LibraryName, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Frame, LoopFrame
    from devls.values.state import Layer
    from devls.values.value import FunctionValue


def run_with(m: Machine, node: ast.With | ast.AsyncWith) -> bool:
    before = {slot: m.state.get(AMBIENT, slot, default) for slot, default in modes.DEFAULTS.items()}
    frame = m.frame
    loop = frame.loops[-1] if frame.loops else None
    marks = (len(frame.returns), len(loop.breaks) if loop else 0, len(loop.continues) if loop else 0)
    alive = _run_items(m, node, 0)
    _left_early(m, frame, loop, marks, before)
    for slot, value in before.items():
        if m.state.get(AMBIENT, slot, modes.DEFAULTS[slot]) != value:
            m.state.set(AMBIENT, slot, value)
    return alive


def _run_items(m: Machine, node: ast.With | ast.AsyncWith, index: int) -> bool:
    """Enter the contexts from one on, run the body, and leave them."""
    if index == len(node.items):
        return m.run(node.body)
    item = node.items[index]
    block = Block(m, node, index)
    m.block = block
    value = m.resolve(m.eval(item.context_expr))
    m.block = None
    if block.alive is not None:  # a context manager of the project's own has run it where it yields
        if block.returned is not None:
            m.frame.returns.append((m.state.layer, block.returned))
        return block.alive and block.returned is None
    exits: list[Callable[[bool], object]] = []
    entered = enter(m, item.context_expr, value, exits)
    if item.optional_vars is not None:
        assignments.assign(m, item.optional_vars, entered, None)
    start = None
    if _catches(item.context_expr, value):
        m.state.fork()
        start = m.state.fork()
    ways = _ways_out(m)
    alive = _run_items(m, node, index + 1)
    raised = not alive and _ways_out(m) == ways
    if start is not None and not alive:
        return _goes_on(m, start, raised=raised)
    left = [leave(raised) for leave in exits]
    return alive or (raised and any(m.truth(m.resolve(each)) is not False for each in left))


def _ways_out(m: Machine) -> int:
    """How many ways, but the end and what is raised, have led out of the blocks that are run now."""
    frame = m.frame
    return len(frame.returns) + sum(len(each.breaks) + len(each.continues) for each in frame.loops[-1:])


def _goes_on(m: Machine, start: Layer, *, raised: bool) -> bool:
    """The exception is caught: later code sees the state before the block, or that at its end."""
    ends = [m.state.layer] if raised else []
    m.state.restore(start)
    m.state.fork()
    ends.append(m.state.layer)
    m.state.restore(start)
    m.join(ends)
    return True


class Block:
    """Body of a `with`, to be run at the yield of its context manager's function."""

    def __init__(self, m: Machine, node: ast.With | ast.AsyncWith, index: int) -> None:
        self.call = node.items[index].context_expr
        self.alive: bool | None = None
        """Whether its end is reached; None as long as it was not run."""
        self.returned: object = None
        """Value of its `return`, if that is the only way out of it: the context manager goes on before it takes
        effect.
        """
        self._raised = False
        self._node = node
        self._index = index
        self._frames, self._loops, self._calls_end_at = len(m.frames), len(m.loops), m.calls_end_at

    def of(self, _m: Machine, function: FunctionValue) -> Block | None:
        """Continuation that a function called for it runs at its yields."""
        return self if function.kind == "context" else None

    def run(self, m: Machine, value: object) -> None:
        """Run it in the frame that it stands in, with what was yielded."""
        inner = (m.frames, m.loops, m.calls_end_at)
        m.frames, m.loops = m.frames[: self._frames], m.loops[: self._loops]
        m.calls_end_at = self._calls_end_at
        statement = m.frame.statement
        try:
            target = self._node.items[self._index].optional_vars
            if target is not None:
                assignments.assign(m, target, value, None)
            mark, ways = len(m.frame.returns), _ways_out(m)
            alive = _run_items(m, self._node, self._index + 1)
            self._raised = not alive and _ways_out(m) == ways
            if not alive and len(m.frame.returns) == mark + 1:
                layer, self.returned = m.frame.returns.pop()
                m.state.restore(layer)
            self.alive = alive or bool(self.alive)
        finally:
            m.frame.statement = statement
            m.frames, m.loops, m.calls_end_at = inner

    def raises(self) -> bool:
        """Whether it has ended by an exception, which is raised where the function yields."""
        return self._raised

    def over(self, *, alive: bool) -> None:
        """The function has ended; where it goes on behind an exception, it has caught it."""
        if self._raised and alive:
            self.alive = True


def _left_early(
    m: Machine, frame: Frame, loop: LoopFrame | None, marks: tuple[int, int, int], before: dict[str, object]
) -> None:
    """`return`, `break` and `continue` leave the block too: the modes are back where they lead."""
    frame.returns[marks[0] :] = [
        (m.state.ahead(layer, AMBIENT, before), value) for layer, value in frame.returns[marks[0] :]
    ]
    if loop is not None:
        for left, mark in ((loop.breaks, marks[1]), (loop.continues, marks[2])):
            left[mark:] = [m.state.ahead(layer, AMBIENT, before) for layer in left[mark:]]


def enter_on_stack(m: Machine, call: Invocation) -> object:
    """`stack.enter_context(context)`: it is left when the stack's own block ends."""
    if len(call.arguments) < 2:
        return m.unknown(call.node)
    value = m.resolve(call.arguments[1])
    entered = enter(m, call.node, value, [])
    return NONE if entered is value and isinstance(value, InstanceValue) and value.cls is None else entered


def enter_by_hand(m: Machine, call: Invocation) -> object:
    """`torch.no_grad().__enter__()`: the mode lasts until somebody calls `__exit__`."""
    value = m.resolve(call.receiver)
    m.state.set(value, "#mode before", m.grad_enabled())
    enter(m, call.node, value, [])
    return NONE


def leave_by_hand(m: Machine, call: Invocation) -> object:
    """`mode.__exit__(None, None, None)`: gradients are as they were before the mode was entered."""
    m.state.set(AMBIENT, "grad", m.state.get(m.resolve(call.receiver), "#mode before"))
    return NONE


def enter(m: Machine, node: ast.expr, value: object, exits: list[Callable[[bool], object]]) -> object:
    """Enter one context manager, and return the value that `as` binds.

    A callback on `exits` runs at the end, and is told whether the block raises.
    """
    if _expects_error(m, node, value):
        m.state.set(AMBIENT, ERROR_EXPECTED, True)
    if isinstance(value, LibraryName) and value.name in classes.GRAD_MODES:
        m.emit(
            GradModeWithoutEffect(
                m.site(node), m.frame.statement, "not called", value.name.rpartition(".")[2], node
            )
        )
    grad = grad_effect(m, value, m.grad_enabled())
    m.state.set(AMBIENT, "grad", grad)
    if isinstance(value, InstanceValue) and classes.GRAD_MODES.get(value.library) == "inference_mode":
        m.state.set(AMBIENT, "inference", grad is False)
    if all(isinstance(each, DeviceValue) for each in leaves(value)):
        chosen = apply(lambda each: each.device if isinstance(each, DeviceValue) else None, value)
        m.state.set(AMBIENT, "device", chosen)
        m.sets_default_device = True
        return value
    if isinstance(value, InstanceValue) and value.library == modes.PAUSED:
        for slot, default in modes.DEFAULTS.items():
            m.state.set(AMBIENT, slot, m.state.get(value, f"#mode {slot}", default))
        return m.state.get(value, "#entered")
    if isinstance(value, InstanceValue):
        if value.library in ("torch.cuda.device", "torch.accelerator.device_index"):
            m.state.set(AMBIENT, "cuda index", m.state.get(value, "#argument"))
        elif value.library in _AUTOCAST:
            enabled = m.resolve(m.state.get(value, "enabled", TRUE))
            m.state.set(AMBIENT, "autocast", enabled != FALSE)
            m.state.set(AMBIENT, "autocast entered", m.site(node) if enabled == TRUE else None)
        method = classes.method_of(m, value, "__enter__") or classes.method_of(m, value, "__aenter__")
        if method is not None:
            leave = classes.method_of(m, value, "__exit__") or classes.method_of(m, value, "__aexit__")
            if leave is not None:
                exits.append(lambda raised: _leave(m, leave, node, raised=raised))
            return calls.call(m, method, [], {}, node)
        return value
    return value


def _expects_error(m: Machine, node: ast.expr, value: object) -> bool:
    """Whether a block is there to raise, or may: under `pytest.raises`, `assertRaises`, `contextlib.suppress`."""
    if isinstance(value, InstanceValue) and value.library == "contextlib.suppress":
        kinds = [m.resolve(m.eval(each)) for each in node.args] if isinstance(node, ast.Call) else []
        return any(isinstance(each, LibraryName) and each.name in _ERRORS_OF_OPERATIONS for each in kinds)
    return _catches(node, value)


def _catches(node: ast.expr, value: object) -> bool:
    """Whether what the block raises ends there, if it is of the right kind."""
    if isinstance(value, InstanceValue):
        return value.library in ("contextlib.suppress", "pytest.raises")
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in _ASSERTING


_ASSERTING: Final = frozenset({"assertRaises", "assertRaisesRegex"})
"""Methods of `unittest.TestCase` that give a context in which an error is raised."""

_ERRORS_OF_OPERATIONS: Final = frozenset(
    f"builtins.{name}" for name in ("RuntimeError", "TypeError", "Exception", "BaseException")
)
"""Kinds of errors that operations of libraries raise, and those above them: a `KeyError` is of a container."""

_AUTOCAST = frozenset(
    {
        "torch.autocast",
        "torch.amp.autocast",
        "torch.cuda.amp.autocast",
        "torch.cpu.amp.autocast",
        "torch.amp.autocast_mode.autocast",
    }
)


def _leave(m: Machine, method: BoundMethod, node: ast.expr, *, raised: bool) -> object:
    none = None if raised else narrowing.as_value(None)
    return calls.call(m, method, [none or m.unknown() for _ in range(3)], {}, node)


def grad_effect(m: Machine, value: object, current: object) -> object:
    """The grad mode inside a context manager."""
    value = m.resolve(value)
    if isinstance(value, Either):
        return either(
            value.condition, grad_effect(m, value.then, current), grad_effect(m, value.otherwise, current)
        )
    name = (
        value.library
        if isinstance(value, InstanceValue)
        else value.name
        if isinstance(value, LibraryName)
        else ""
    )
    mode = classes.GRAD_MODES.get(name)
    if mode is None:
        return current
    if mode == "enable_grad":
        return True
    if mode == "no_grad" or isinstance(value, LibraryName):
        return False
    argument = m.state.get(value, "#argument", TRUE)
    if not isinstance(argument, (Value, Either)):
        argument = TRUE
    enabled = m.truth(argument)
    if mode == "set_grad_enabled":
        return enabled
    # `inference_mode(False)` is no absence of a mode: it switches the graph on.
    return negation(enabled) if isinstance(enabled, Either) else enabled is False
