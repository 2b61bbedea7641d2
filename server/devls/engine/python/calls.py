"""Calls: binding arguments, running bodies we can see."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import budget, library_semantics, limits, program_moments
from devls.engine.core.joins import Contents
from devls.engine.core.machine_types import Frame, OutOfSteps
from devls.engine.core.transfer import CALLS, METHOD_CALLS
from devls.engine.python import modes
from devls.values.call_facts import CalledWithoutGrad
from devls.values.conditions import Condition, Either
from devls.values.state import AMBIENT, RETURNED
from devls.values.value import (
    NONE,
    BoundMethod,
    FunctionValue,
    InstanceValue,
    NativeFunction,
    PartialValue,
    Scope,
    Symbol,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.events.events import Event
    from devls.engine.core.machine import Machine
    from devls.values.history import Site


def _call_one_of(
    m: Machine,
    function: Either,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None] | None,
    keyword_nodes: dict[str, ast.expr] | None,
) -> object:
    """Call one of several; what torch refuses of each of them is refused whichever it is."""

    def refused_by(each: object) -> object:
        m.refused = []
        result = call(m, each, arguments, keywords, node, nodes, keyword_nodes)
        refusals.append(m.refused)
        return result

    refusals: list[list[Event]] = []
    m.alternatives_called += 1
    try:
        result = m.branch(
            Either(function.condition, True, False),
            lambda: refused_by(function.then),
            lambda: refused_by(function.otherwise),
        )
    finally:
        m.alternatives_called -= 1
        m.refused = refusals[0] if refusals and all(refusals) else []
    if not m.alternatives_called:
        for event in m.refused:
            m.emit(event)
        m.refused = []
    return result


def call(
    m: Machine,
    function: object,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None] | None = None,
    keyword_nodes: dict[str, ast.expr] | None = None,
) -> object:
    """Call any value. `node` is the call, `nodes` the argument expressions where there are some."""
    kind: type = type(function)
    if kind is Either or kind is Symbol:
        function = m.resolve(function)
        kind = type(function)
        if isinstance(function, Either):
            return _call_one_of(m, function, arguments, keywords, node, nodes, keyword_nodes)
    nodes = nodes if nodes is not None else [None] * len(arguments)
    run = CALLS.get(kind, call_unknown)
    return run(m, function, arguments, keywords, node, nodes, keyword_nodes or {})


def call_unknown(
    m: Machine,
    function: object,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    """Code that we cannot see: what it is given escapes, what it returns is unknown."""
    return CALLS[object](m, function, arguments, keywords, node, nodes, keyword_nodes)


@CALLS.of(BoundMethod)
def _call_method(
    m: Machine,
    method: BoundMethod,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    run = METHOD_CALLS.get(type(method.function))
    if run is not None:
        return run(m, method, arguments, keywords, node, nodes, keyword_nodes)
    return call(m, method.function, arguments, keywords, node, nodes, keyword_nodes)


@METHOD_CALLS.of(FunctionValue)
def _call_own_method(
    m: Machine,
    method: BoundMethod,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    _nodes: list[ast.expr | None],
    _keyword_nodes: dict[str, ast.expr],
) -> object:
    receiver, function = method.receiver, method.function
    assert isinstance(function, FunctionValue)  # noqa: S101  for the type checker
    if method.name == "forward":
        program_moments.forward_called(m, receiver, method.receiver_node, node)
    return call_function(m, function, [receiver, *arguments], keywords, node, receiver=receiver)


@CALLS.of(FunctionValue)
def _call_plain_function(
    m: Machine,
    function: FunctionValue,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    _nodes: list[ast.expr | None],
    _keyword_nodes: dict[str, ast.expr],
) -> object:
    return call_function(m, function, arguments, keywords, node)


@CALLS.of(PartialValue)
def _call_partial(
    m: Machine,
    function: PartialValue,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    merged = {**function.keywords, **keywords}
    given = [*function.arguments, *arguments]
    given_nodes = [*([None] * len(function.arguments)), *nodes]
    return call(m, function.function, given, merged, node, given_nodes, keyword_nodes)


@CALLS.of(NativeFunction)
def _call_native(
    _m: Machine,
    function: NativeFunction,
    arguments: list[object],
    keywords: dict[str, object],
    _node: ast.expr | None,
    _nodes: list[ast.expr | None],
    _keyword_nodes: dict[str, ast.expr],
) -> object:
    return function.run(arguments, keywords)


def call_function(
    m: Machine,
    function: FunctionValue,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    *,
    receiver: object = None,
) -> object:
    """Run a body that we can see on the actual arguments."""
    if function.source.path.endswith(".pyi"):  # a signature, whose body is somewhere else
        return call_unknown(m, function, arguments, keywords, node, [], {})
    if m.modules.is_library(function.source.path) and not m.modules.is_library(m.source.path):
        return _call_into_library(m, function, arguments, keywords, node, receiver)
    return _call_function(m, function, arguments, keywords, node, receiver)


def _call_into_library(
    m: Machine,
    function: FunctionValue,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    receiver: object,
) -> object:
    """Run the code of an installed package, within bounds of its own; it may do more than we have seen."""
    frames, loops, ends, muted = len(m.frames), len(m.loops), m.run_ends_at, m.muted
    below = m.state.fork()
    m.block = None  # a block of the program is not for the library's steps
    m.run_ends_at = max(ends, m.steps_left - limits.STEPS_IN_LIBRARY)
    try:
        result = _call_function(m, function, arguments, keywords, node, receiver)
    except OutOfSteps:
        if m.steps_left <= ends:
            raise
        m.state.restore(below)
        del m.frames[frames:], m.loops[loops:]
        m.muted = muted
        result = m.unknown(node)
    finally:
        m.run_ends_at = ends
    if not m.modules.installed.is_editable(function.source.path):
        for value in (*arguments, *keywords.values()):
            if value is not receiver:
                m.escape(value)
    return result


def _call_function(
    m: Machine,
    function: FunctionValue,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    receiver: object,
) -> object:
    if receiver is None and function.cls is not None and function.kind == "function" and arguments:
        # `Base.__init__(self, ...)` names its receiver itself.
        first = m.resolve(arguments[0])
        receiver = first if isinstance(first, InstanceValue) else None
    running, building = _under_way(m, function)
    if m.program_runs or (m.allowance is not None and function.source is m.allowance.source):
        program_moments.function_called(m, function, arguments, keywords, m.resolve(receiver))
    too_deep = len(m.frames) >= limits.CALL_DEPTH or running >= limits.SAME_FUNCTION_DEPTH
    granted = 0
    if not too_deep and not budget.allows(m, function):
        granted = budget.steps_where_devices_meet(m, arguments, keywords)
        too_deep = not granted
    if too_deep:
        budget.left_out(m, function)
        _note_grad_mode(m, function.node)
        return library_semantics.body_not_run(
            m, function, receiver, arguments, keywords, node, building=building
        )
    if m.recorded is None and (steps := budget.steps_of_logging_only(m, function)):
        m.executed.add(function.node)
        m.steps_left -= steps - 1
        m.tick()
        return NONE
    frame = _frame_for(m, function, node, receiver)
    if building:
        m.built_with.add(function.node)
    bind_arguments(m, frame.scope, function, arguments, keywords)
    ends_at = budget.begin_call(m)
    if granted:
        m.calls_end_at, frame.beyond_allowance = m.steps_left - granted, False
    try:
        return run_frame(m, frame, function)
    finally:
        m.calls_end_at = ends_at


def _under_way(m: Machine, function: FunctionValue) -> tuple[int, bool]:
    """How often a function is running already, and whether a constructor is."""
    running, building, definition = 0, False, function.definition
    for each in m.frames:
        caller = each.function
        if caller is not None:
            if caller.definition is definition:
                running += 1
            if each.constructs:
                building = True
    return running, building


def _frame_for(m: Machine, function: FunctionValue, node: ast.expr | None, receiver: object) -> Frame:
    """The frame that a call runs in, with the block that is for it, if there is one."""
    calls: tuple[Site, ...] = m.frames[-1].calls
    if node is not None:
        calls = (*calls, m.site(node))
    scope = Scope("function", function.source, function.scope, function.scope.globals)
    frame = Frame(scope, function.source, calls, function, receiver)
    if m.block is not None and m.block.call is node:
        frame.block, m.block = m.block.of(m, function), None
    frame.plausible = m.frames[-1].plausible
    frame.beyond_allowance = m.steps_left <= m.calls_end_at
    frame.scope.function = function
    return frame


def _note_grad_mode(m: Machine, called: ast.AST) -> object:
    """Keep in mind that a function is called where gradients are off, whether its body is run or not; gives the mode."""
    before = m.state.get(AMBIENT, "grad", True)
    if before is not True:
        m.call_facts.add(CalledWithoutGrad(called))
    return before


def run_frame(m: Machine, frame: Frame, function: FunctionValue) -> object:
    """Run a function's body in a frame whose parameters are bound; the joined result."""
    m.frames.append(frame)
    node = function.node
    m.executed.add(node)
    before = _note_grad_mode(m, node)
    was_inference: object = False
    if function.grad_mode:
        was_inference = m.state.get(AMBIENT, "inference", False)
        m.state.set(AMBIENT, "grad", function.grad_mode == "enable_grad")
        m.state.set(AMBIENT, "inference", function.grad_mode == "inference_mode")
    try:
        if isinstance(node, ast.Lambda):
            result = m.eval(node.body)
        else:
            alive = m.run(node.body)
            result = _result(m, frame, alive=alive)
            if frame.block is not None:
                frame.block.over(alive=alive or bool(frame.returns))
            if result == NONE and _is_for_others(node):
                result = m.unknown()
    finally:
        m.frames.pop()
        if function.grad_mode:
            m.state.set(AMBIENT, "grad", before)
            m.state.set(AMBIENT, "inference", was_inference)
    program_moments.function_ended(m, frame, function, result, before)
    m.pay()
    if not frame.scope.captured:
        frame.scope.ended = True
        m.state.discard(frame.scope, frame.scope.names)
    return result


def _is_for_others(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method says what it gives, and does nothing: other classes do."""
    if any(not isinstance(each, ast.Pass) and not _says_only(each) for each in node.body):
        return False
    names = [
        each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "")
        for each in node.decorator_list
    ]
    given = node.returns
    return any(each.startswith("abstract") for each in names) or (
        given is not None and not (isinstance(given, ast.Constant) and given.value in (None, "None"))
    )


def _says_only(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _result(m: Machine, frame: Frame, *, alive: bool) -> object:
    returns = frame.returns
    if alive:
        returns.append((m.state.layer, NONE))
    if frame.yields:
        if returns:
            m.join([layer for layer, _ in returns])
        result = m.new_list((), None, "iterator")
        assert frame.function is not None  # noqa: S101  for the type checker
        if frame.function.kind == "context":
            return modes.paused(m, frame)
        if len(frame.yields) == limits.LOOP_PASSES and frame.yields_in_loop:
            m.state.set(result, "#lazy", ("yields", tuple(frame.yields), None))
            return result
        m.state.set(result, "#items", Contents(None, m.any_of(tuple(frame.yields))))
        return result
    if not returns:
        return m.unknown()  # every path raises
    if len(returns) == 1:
        m.state.restore(returns[0][0])
        return returns[0][1]
    # The result takes part in the join as a variable, so that it meets the same conditions.
    frame.scope.ended = not frame.scope.captured
    m.join([m.state.ahead(layer, frame.scope, {RETURNED: value}) for layer, value in returns])
    return m.resolve(m.state.get(frame.scope, RETURNED))


def bind_arguments(
    m: Machine, scope: Scope, function: FunctionValue, arguments: list[object], keywords: dict[str, object]
) -> None:
    """Bind actual arguments to parameters; what is not given takes its default, or is unknown."""
    spec = function.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    given = _by_place(m, function, arguments, names)
    left = dict(keywords)
    any_positional = left.pop("*", None)
    any_keyword = left.pop("**", None)
    state = m.state
    scope.names.update(names)
    first_default = len(names) - len(function.defaults)
    for index, name in enumerate(names):
        if index < len(given):
            value = given[index]
        elif name in left:
            value = left.pop(name)
        elif any_positional is not None or any_keyword is not None:
            value = any_positional if any_positional is not None else any_keyword
            if index >= first_default:
                condition = Condition(("given", m.fresh_number()), f"`{name}` is given")
                value = m.select(
                    Either(condition, True, False), value, function.defaults[index - first_default]
                )
        elif index >= first_default:
            value = function.defaults[index - first_default]
        else:
            value = m.unknown(text=name)
        state.set(scope, name, value)
    if spec.vararg is not None:
        extra = tuple(given[len(names) :])
        scope.names.add(spec.vararg.arg)
        rest = m.new_list(extra, None, "list") if any_positional is not None else TupleValue(extra)
        if any_positional is not None:
            state.set(rest, "#items", Contents(None, m.any_of((*extra, any_positional))))
        state.set(scope, spec.vararg.arg, rest)
    for index, each in enumerate(spec.kwonlyargs):
        scope.names.add(each.arg)
        default = function.keyword_defaults[index]
        if each.arg in left:
            value = left.pop(each.arg)
        elif default is None or (spec.vararg is None and len(given) > len(names)):
            value = any_keyword or m.unknown(text=each.arg)  # given by its place, Python takes none of it
        elif any_keyword is not None:
            condition = Condition(("given", m.fresh_number()), f"`{each.arg}` is given")
            value = m.select(Either(condition, True, False), any_keyword, default)
        else:
            value = default
        state.set(scope, each.arg, value)
    if spec.kwarg is not None:
        scope.names.add(spec.kwarg.arg)
        state.set(scope, spec.kwarg.arg, m.new_dict(dict(left.items()), any_keyword))


def _by_place(m: Machine, function: FunctionValue, arguments: list[object], names: list[str]) -> list[object]:
    """Arguments by place; of more than a function takes nobody knows which is meant for which parameter."""
    spec = function.node.args
    if spec.vararg is not None or len(arguments) <= len(names) + len(spec.kwonlyargs):
        return list(arguments)
    own = 1 if function.cls is not None and function.kind != "static" else 0
    for each in arguments[own:]:
        m.escape(each)
    return [*arguments[:own], *(m.unknown(text=each) for each in names[own:])]
