"""Calls: evaluating arguments, binding them, running bodies we can see."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import budget, call_costs, limits, program_moments
from devls.engine.core.call_facts import CalledWithoutGrad
from devls.engine.core.events.events import Revealed
from devls.engine.core.joins import Contents, Entries
from devls.engine.core.machine_types import Frame, OutOfSteps
from devls.engine.evidence import argument_facts, method_effects, opaque_models
from devls.engine.python import builtins, classes, contexts, iteration, mappings, strings
from devls.engine.torch import checkpoints
from devls.engine.torch.autograd import backward, hooks
from devls.engine.torch.autograd import functions as custom_functions
from devls.engine.torch.nn import attributes as module_attributes
from devls.engine.torch.nn import calls as module_calls
from devls.engine.torch.nn import registry, train_mode
from devls.engine.torch.tensors import dispatch
from devls.values.conditions import Condition, Either
from devls.values.state import AMBIENT, MISSING, RETURNED
from devls.values.value import (
    NONE,
    BoundMethod,
    ClassValue,
    Const,
    FunctionValue,
    InstanceValue,
    LibraryName,
    Mapping,
    NativeFunction,
    PartialValue,
    Scope,
    SuperValue,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.events.events import Event
    from devls.engine.core.machine import Machine
    from devls.values.history import Site


def eval_call(m: Machine, node: ast.Call) -> object:
    if m.steps_left - 1 <= m.run_ends_at or m.cancelled is not None:
        m.tick()
    else:
        m.steps_left -= 1
    if type(node.func) is ast.Name:
        if node.func.id == "reveal_value" and len(node.args) == 1:
            return _reveal(m, node)
        if node.func.id == "super":
            return _super(m, node)
    function = m.eval(node.func)
    arguments: list[object] = []
    nodes: list[ast.expr | None] = []
    keywords: dict[str, object] = {}
    keyword_nodes: dict[str, ast.expr] = {}
    for argument in node.args:
        if type(argument) is ast.Starred:
            value = m.eval(argument.value)
            inner = iteration.items(m, value, argument.value)
            if inner is None:
                if function == _ZIP and len(node.args) == 1:
                    found = iteration.columns(m, value, node)
                    if found is not None:
                        return found
                keywords["*"] = iteration.element(m, value, argument.value, 0)
            else:
                arguments += inner
                nodes += [None] * len(inner)
        else:
            arguments.append(m.eval(argument))
            nodes.append(argument)
    for keyword in node.keywords:
        value = m.eval(keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
            keyword_nodes[keyword.arg] = keyword.value
            continue
        resolved = mappings.plain(m, m.resolve(value))
        entries = m.state.get(resolved, "#entries") if isinstance(resolved, Mapping) else None
        if isinstance(entries, Entries):
            keywords.update({key: each for key, each in entries.known.items() if isinstance(key, str)})
            if entries.rest is not None:
                keywords["**"] = entries.rest
        else:
            keywords["**"] = m.unknown()
    return call(m, function, arguments, keywords, node, nodes, keyword_nodes)


_ZIP: Final = LibraryName("builtins.zip")


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
    kind: object = type(function)
    if kind is Either or kind is Symbol:
        function = m.resolve(function)
        if isinstance(function, Either):
            return _call_one_of(m, function, arguments, keywords, node, nodes, keyword_nodes)
    nodes = nodes if nodes is not None else [None] * len(arguments)
    keyword_nodes = keyword_nodes or {}
    if type(function) is LibraryName:
        return dispatch.call_library(m, function.name, None, arguments, keywords, node, nodes, keyword_nodes)
    if type(function) is BoundMethod:
        return _call_method(m, function, arguments, keywords, node, nodes, keyword_nodes)
    if type(function) is FunctionValue:
        return call_function(m, function, arguments, keywords, node)
    if type(function) is ClassValue:
        return classes.instantiate(m, function, arguments, keywords, node)
    if isinstance(function, PartialValue):
        merged = {**function.keywords, **keywords}
        given = [*function.arguments, *arguments]
        return call(
            m,
            function.function,
            given,
            merged,
            node,
            [*([None] * len(function.arguments)), *nodes],
            keyword_nodes,
        )
    if isinstance(function, InstanceValue):
        if function.library.startswith("torch.autograd."):
            custom_functions.called(m, function, node)
        train_mode.used(m, function, node)
        if m.state.get(function, "#hooked") is True:
            arguments = hooks.before_forward(m, function, arguments, node)
            nodes = (nodes + [None] * len(arguments))[: len(arguments)]
        result = call_instance(m, function, arguments, keywords, node, nodes, keyword_nodes)
        if m.state.get(function, "#hooked") is True:
            result = hooks.after_forward(m, function, arguments, result, node)
        program_moments.instance_called(m, function, (*arguments, *keywords.values()), node, result)
        return result
    if isinstance(function, NativeFunction):
        return function.run(arguments, keywords)
    if isinstance(function, TensorValue) and function.symbol is not None:
        model = opaque_models.model_of(m, function, function.symbol)
        return call_unknown(m, model, arguments, keywords, node, nodes)
    return call_unknown(m, function, arguments, keywords, node, nodes)


def _call_method(
    m: Machine,
    method: BoundMethod,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    if isinstance(method.function, FunctionValue):
        receiver = method.receiver
        if method.name == "forward":
            program_moments.forward_called(m, receiver, method.receiver_node, node)
        return call_function(m, method.function, [receiver, *arguments], keywords, node, receiver=receiver)
    if isinstance(method.function, LibraryName):
        return dispatch.call_library(
            m, method.function.name, method, arguments, keywords, node, nodes, keyword_nodes
        )
    return call(m, method.function, arguments, keywords, node, nodes, keyword_nodes)


def call_unknown(
    m: Machine,
    function: object,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None] | None = None,
) -> object:
    """Code that we cannot see: what it is given escapes, what it returns is unknown."""
    is_module = isinstance(function, Symbol) and opaque_models.is_module_like(m, function)
    program_moments.unseen_code_called(m, function, is_module=is_module)
    receiver = m.state.get(function, "#receiver")
    if isinstance(receiver, InstanceValue):
        # A method of a base class that is not seen: `self.to(device)` moves it, if that is a Module.
        m.escape(receiver)
        registry.out_of_sight(m, receiver)
    if isinstance(function, Symbol) and is_module and node is not None:
        device = opaque_models.result_device(m, function, arguments, node, nodes or [])
        computed = opaque_models.computed(m, function, [*arguments, *keywords.values()], node)
        train_mode.called(m, function)
        program_moments.unseen_code_returned(m, function, arguments, node)
        checkpoints.called(m, node, function, arguments)
        return Symbol(
            ("result", function.key, m.fresh_number()),
            f"{function.text}(...)",
            site=m.site(node),
            device=device,
            computed=computed,
        )
    if isinstance(function, Symbol):
        opaque_models.method_called(m, function, arguments, node, nodes or [])
        _updated(m, function, arguments, keywords)
        path = strings.path_of_option(m, function.key, arguments)
        if path is not None:
            return path
    for value in (*arguments, *keywords.values()):
        m.escape(value)
    program_moments.unseen_code_given(m, function, [*arguments, *keywords.values()], node)
    if isinstance(function, Symbol):
        train_mode.called(m, function)
        program_moments.unseen_code_returned(m, function, arguments, node)
        checkpoints.called(m, node, function, arguments)
        # The state of a GradScaler is numbers, which lie nowhere, and so is that of a scheduler.
        if (
            function.text.endswith(".load_state_dict")
            and not (isinstance(node, ast.Call) and m.text(node.func).endswith(_OF_NUMBERS))
            and arguments
        ):
            checkpoints.used(m, node, arguments[0])
        dispatch.blur_graphs(m, arguments)
        _filled(m, arguments, node)
        return Symbol(
            ("result", function.key, m.fresh_number()),
            f"{function.text}(...)",
            site=m.site(node) if node is not None else None,
        )
    return m.unknown(node)


_OF_NUMBERS: Final = ("scaler.load_state_dict", "scheduler.load_state_dict")


def _updated(m: Machine, function: Symbol, arguments: list[object], keywords: dict[str, object]) -> None:
    """`batch.update({"image": image.to(device)})`: entries of a dict that we do not see are set."""
    key = function.key
    if not (isinstance(key, tuple) and len(key) == 3 and key[0] == "attr" and key[2] == "update"):
        return
    owner, entries = (
        Symbol(key[1], ""),
        m.state.get(m.resolve(arguments[0]), "#entries") if arguments else None,
    )
    known = entries.known if isinstance(entries, Entries) else {}
    for name, value in (*known.items(), *keywords.items()):
        if not arguments or name in known:
            m.state.set(owner, f"[{name!r}]", value)


_TO_BE_FILLED: Final = frozenset("zeros empty zeros_like empty_like new_zeros new_empty".split())


def _filled(m: Machine, arguments: list[object], node: ast.expr | None) -> None:
    """Code that we cannot see was called for its effect: what is blank and given to it is filled there, graph and all."""
    statement = m.frames[-1].statement
    if not isinstance(statement, ast.Expr) or statement.value is not node or len(arguments) < 2:
        return
    for each in (one for value in arguments for one in m.alternatives(value)):
        made = each.origin.node if isinstance(each, TensorValue) and each.origin is not None else None
        if (
            isinstance(made, ast.Call)
            and isinstance(made.func, ast.Attribute)
            and made.func.attr in _TO_BE_FILLED
            and m.requires_grad(each) is False  # type: ignore[arg-type]
        ):
            m.state.set(each, "requires_grad", None)


def call_instance(
    m: Machine,
    instance: InstanceValue,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    """`instance(...)`: `__call__`, or `forward` of a module."""
    if instance.cls is not None:
        method = classes.class_attribute(m, instance.cls, "__call__")
        if isinstance(method, FunctionValue):
            return call_function(m, method, [instance, *arguments], keywords, node, receiver=instance)
        if registry.is_module(m, instance):
            forward = m.state.get(instance, "forward", MISSING)
            if forward is MISSING:
                forward = classes.class_attribute(m, instance.cls, "forward")
            if isinstance(forward, FunctionValue):
                module_calls.called(m, instance, node)
                return call_function(m, forward, [instance, *arguments], keywords, node, receiver=instance)
            if isinstance(forward, BoundMethod):
                return call(m, forward, arguments, keywords, node, nodes, keyword_nodes)
    return module_calls.call_library_module(m, instance, arguments, keywords, node, nodes, keyword_nodes)


def method_of(m: Machine, instance: InstanceValue, name: str) -> BoundMethod | None:
    """A method that the instance's own class defines."""
    if instance.cls is None:
        return None
    found = classes.class_attribute(m, instance.cls, name)
    if isinstance(found, FunctionValue):
        return BoundMethod(found, instance, None, name)
    return None


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
        return call_unknown(m, function, arguments, keywords, node)
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
    running, building, definition = 0, False, function.definition
    for each in m.frames:
        caller = each.function
        if caller is not None:
            if caller.definition is definition:
                running += 1
            if each.constructs:
                building = True
    if m.program_runs or (m.allowance is not None and function.source is m.allowance.source):
        argument_facts.call(m, function, arguments, keywords, m.resolve(receiver))
    too_deep = len(m.frames) >= limits.CALL_DEPTH or running >= limits.SAME_FUNCTION_DEPTH
    granted = 0
    if not too_deep and not budget.allows(m, function):
        granted = call_costs.steps_where_devices_meet(m, arguments, keywords)
        too_deep = not granted
    if too_deep:
        budget.left_out(m, function)
        train_mode.not_run(m, (*arguments, *keywords.values()))
        if function.name != "forward":
            backward.not_run(m)
        for value in (*arguments, *keywords.values()):
            m.escape(value)
        if function.name != "forward":
            method_effects.method_not_run(m, function, receiver, (*arguments, *keywords.values()))
        if building and all(each.receiver is not receiver for each in m.frames):
            m.built_with.add(function.node)  # what a whole constructs calls of a part: that was not moved yet
        if building or function.name == "__init__":
            module_attributes.left_open(m, m.resolve(receiver))
        return opaque_models.not_run(m, function, receiver, arguments, node)
    if m.recorded is None and (steps := call_costs.steps_of_logging_only(m, function)):
        m.executed.add(function.node)
        m.steps_left -= steps - 1
        m.tick()
        return NONE
    calls: tuple[Site, ...] = m.frames[-1].calls
    if node is not None:
        calls = (*calls, m.site(node))
    frame = Frame(
        Scope("function", function.source, function.scope, function.scope.globals),
        function.source,
        calls,
        function,
        receiver,
    )
    if m.block is not None and m.block.call is node:
        frame.block, m.block = m.block.of(m, function), None
    frame.plausible = m.frames[-1].plausible
    frame.beyond_allowance = m.steps_left <= m.calls_end_at
    frame.scope.function = function
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


def run_frame(m: Machine, frame: Frame, function: FunctionValue) -> object:
    """Run a function's body in a frame whose parameters are bound; the joined result."""
    m.frames.append(frame)
    node = function.node
    m.executed.add(node)
    before = m.state.get(AMBIENT, "grad", True)
    if before is not True:
        m.call_facts.add(CalledWithoutGrad(node))
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
            if result == NONE and _is_for_others(node):
                result = m.unknown()
    finally:
        m.frames.pop()
        if function.grad_mode:
            m.state.set(AMBIENT, "grad", before)
            m.state.set(AMBIENT, "inference", was_inference)
    program_moments.function_ended(m, frame, function, result, before)
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
            return contexts.paused(m, frame)
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
    given = list(arguments)
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


def _reveal(m: Machine, node: ast.Call) -> object:
    from devls.engine.core.describe import describe  # noqa: PLC0415  one use

    value = m.eval(node.args[0])
    m.emit(Revealed(m.site(node), m.frames[-1].statement, describe(m, value)))
    return value


def _super(m: Machine, node: ast.Call) -> object:
    for argument in node.args:
        m.eval(argument)
    for frame in reversed(m.frames):
        if frame.function is not None and frame.function.cls is not None:
            return SuperValue(frame.function.cls, frame.receiver)
    return m.unknown(node)


__all__ = ["Const", "TensorValue", "builtins", "call", "call_function", "eval_call"]
