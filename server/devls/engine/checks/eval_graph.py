"""Gradients that nobody needs, and gradients that stay switched off."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.checks.walked_graphs import WalkedGraphs, nodes_behind
from devls.engine.core import moments, notes, program_moments, tensor_facts, training_moments
from devls.engine.core.events.events import EvalKeepsGraph
from devls.engine.evidence import grad_mode, judgement, test_code
from devls.engine.evidence.deferred import PresumedFindings
from devls.engine.evidence.evaluation_presumptions import (
    DIFFERENTIATES,
    EvaluationCase,
    is_computed_by_module,
    is_of_environment,
    only_asserts,
    runs_over_batches,
)
from devls.engine.python.classes import library_bases
from devls.engine.torch.nn import registry
from devls.syntax.layout import ancestors, parents
from devls.syntax.nodes import walk
from devls.values.call_facts import CalledWithoutGrad
from devls.values.facts import fact
from devls.values.graph import Node
from devls.values.history import Site
from devls.values.state import AMBIENT, MISSING
from devls.values.value import (
    FALSE,
    NONE,
    FunctionValue,
    InstanceValue,
    Symbol,
    TensorValue,
)

if TYPE_CHECKING:
    from collections.abc import Hashable
    from collections.abc import Sequence as AbstractSequence

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Frame

_TRAINS: Final = frozenset(
    {"backward", "step", "grad", "requires_grad_", "grad_fn", "retain_grad", "register_hook"}
)
"""Attributes in whose company a function must not lose its gradients, or the graph that it looks at."""


@fact
class Evaluation:
    """One call of a model in eval mode whose result carries a graph; judged when the program has ended."""

    event: EvalKeepsGraph
    node: Node | None  # None for a model of which we see no code
    frame: Frame
    model: InstanceValue | Symbol
    method: str = ""  # of a model that is not seen: what of it was called, if not itself
    key: Hashable = None  # of such a model: that of what was called, which the key of its result has
    given: tuple[object, ...] = ()  # and what it was given
    entered: Site | None = None  # where the model was put into eval mode, if that was seen


@notes.record
class Evaluations(notes.Record):
    """Calls of models in eval mode, until it is known what becomes of their results."""

    __slots__ = ("waiting",)

    def __init__(self) -> None:
        self.waiting: list[Evaluation] = []

    def size(self) -> int:
        """Those of a module are judged with the program."""
        return len(self.waiting)

    def waits_for_end(self) -> bool:
        """Code that holds a result when the run is over may call backward."""
        return bool(self.waiting)

    def drop(self) -> None:
        """Nothing is judged."""
        self.waiting.clear()


@program_moments.instance_called.on
def called(
    m: Machine,
    instance: InstanceValue,
    arguments: AbstractSequence[object],
    node: ast.expr | None,
    result: object,
) -> None:
    """A module was called: keep in mind what it computed in eval mode with gradients on."""
    model = instance
    if node is None or not isinstance(node, ast.Call) or m.grad_enabled() is not True:
        return
    frame = m.frame
    in_eval_mode = m.resolve(m.state.get(model, "training")) == FALSE
    if not (in_eval_mode or _only_evaluates(m, frame, node)) or not registry.is_module(m, model) or m.silent:
        return
    if frame.function is None and not frame.loops:
        return
    graph = next(
        (each for each in map(m.node, tensor_facts.tensors_in(m, [result])) if isinstance(each, Node)), None
    )
    unseen = isinstance(m.resolve(result), Symbol) and any(
        m.requires_grad(each) is True for each in registry.parameters(m, model)
    )  # its `forward` is not run again here
    known = graph is not None and all(
        m.requires_grad(each) is True for each in tensor_facts.tensors_in(m, [result])
    )
    if not (known or unseen):
        return
    whole = _function_without_training(m, frame)
    case = EvaluationCase(model, node, tuple(arguments), whole is None, by_name=not in_eval_mode)
    weighed = judgement.judge(m, EvalKeepsGraph, case)
    event = EvalKeepsGraph(m.site(node), frame.statement, m.text(node.func), whole, in_eval_mode)
    if weighed.silenced:
        judgement.emit(m, weighed, lambda: event)
        return
    judgement.marked(event, weighed)
    m.notes.of(Evaluations).waiting.append(Evaluation(event, graph, frame, model, entered=_entered(m, model)))


@training_moments.gradients_asked.on
def differentiated(m: Machine, call: Invocation) -> None:
    """Gradients are computed: by each module that is being called, too."""
    del call
    for frame in m.frames:
        receiver = frame.receiver
        if isinstance(receiver, InstanceValue) and registry.is_module(m, receiver):
            m.state.set(receiver, DIFFERENTIATES, True)


@program_moments.unseen_code_returned.on
def unknown_called(m: Machine, function: Symbol, arguments: list[object], node: ast.expr | None) -> None:
    """A model that we know only by name was called: the same, going by what becomes of its result."""
    evaluations = m.notes.of(Evaluations)
    if evaluations.waiting:
        _drop_where_given_with_inputs(m, evaluations, arguments)
    frame, model = m.frame, function
    if not isinstance(node, ast.Call) or m.grad_enabled() is not True or frame.function is None:
        return
    called, key, method = model.key, model.key, ""
    if isinstance(key, tuple) and key[0] == "attr" and not isinstance(m.state.get(model, "eval at"), tuple):
        method = str(key[2])  # `model.encode(x)`
        model = Symbol(key[1], model.text.removesuffix(f".{method}"), named=model.named)
    in_eval_mode = isinstance(m.state.get(model, "eval at"), tuple)
    if not in_eval_mode and is_computed_by_module(m, model, function, arguments):
        model, method = function, ""
        ahead = _only_evaluates(m, frame, node)
    else:
        ahead = False
    differentiates = m.state.get(model, DIFFERENTIATES) is True
    if not (in_eval_mode or ahead) or differentiates or test_code.is_unit_test(frame.function):
        return  # in train mode; or whoever calls it compares two models, on a little data
    if (
        m.silent
        or _function_without_training(m, frame) is None
        or only_asserts(m.source, frame.function.node, node)
    ):
        return
    event = EvalKeepsGraph(
        m.site(node), frame.statement, m.text(node.func), _function_without_training(m, frame), in_eval_mode
    )
    given = tuple(map(m.resolve, arguments))
    if ahead:
        weighed = judgement.judge(m, EvalKeepsGraph, EvaluationCase(model, node, given, False, by_name=True))
        if weighed.silenced:
            return
        judgement.marked(event, weighed)
    found = Evaluation(event, None, frame, model, method, called, given, _entered(m, model))
    if not method or (_appends_results(frame.function, found) and node.args):
        evaluations.waiting.append(found)


def _only_evaluates(m: Machine, frame: Frame, node: ast.Call) -> bool:
    """Whether a call for one of several batches runs by itself in a function that is named for evaluation and trains nothing."""
    function = frame.function
    if function is None or not frame.symbolic or not grad_mode.named_for_evaluation(function.name):
        return False
    return _function_without_training(m, frame) is not None and runs_over_batches(
        function.source, node, function.node
    )


def _entered(m: Machine, model: InstanceValue | Symbol) -> Site | None:
    """The place where a model was put into eval mode, by itself or with the whole that it is a part of."""
    wholes = m.state.get(AMBIENT, "evaluated", ())
    for owner in (model, *(wholes if isinstance(wholes, tuple) else ())):
        mark = m.state.resolve(m.state.get(owner, "eval at"))
        if (
            isinstance(mark, tuple)
            and isinstance(mark[0], Site)
            and (owner is model or _is_part_of(m, owner, model))
        ):
            return mark[0]
    return None


def _is_part_of(m: Machine, whole: object, model: InstanceValue | Symbol) -> bool:
    return isinstance(whole, InstanceValue) and any(each is model for each in registry.walk(m, whole))


def _drop_where_given_with_inputs(m: Machine, evaluations: Evaluations, arguments: list[object]) -> None:
    """Code that is not seen is given what a model was given, and what came of it: it may want the gradient of the one by the other."""
    values = [m.resolve(each) for each in arguments]
    results = {_callee_key(each.key) for each in values if isinstance(each, Symbol)} - {None}
    if results:
        evaluations.waiting = [
            each
            for each in evaluations.waiting
            if each.key not in results or not any(value in each.given for value in values)
        ]


@program_moments.unseen_code_given.on
def given_to_unseen(
    m: Machine, function: object, arguments: AbstractSequence[object], node: ast.expr | None
) -> None:
    """Code that is not seen is given something."""
    del function, node
    given_with_model(m, arguments)


@program_moments.given_to_library.on
def given_with_model(m: Machine, arguments: AbstractSequence[object]) -> None:
    """A function is given a model and what was computed of it: it may want gradients, as a step of an inner loop does."""
    evaluations = m.notes.of(Evaluations)
    if not evaluations.waiting:
        return
    values = [m.resolve(each) for each in arguments]
    if any(
        (isinstance(each, TensorValue) and m.requires_grad(each) is not False and not each.is_parameter)
        or (isinstance(each, Symbol) and _callee_key(each.key) is not None)
        for each in values
    ):
        for each in evaluations.waiting:
            if each.model in values:
                m.state.set(each.model, DIFFERENTIATES, True)
        evaluations.waiting = [each for each in evaluations.waiting if each.model not in values]


def _callee_key(key: Hashable) -> Hashable:
    """The key of what was called for the result that has a key; None for what is none."""
    return key[1] if isinstance(key, tuple) and key[0] == "result" else None


@moments.backward_begins.on
def backward_begins(m: Machine, call: ast.expr, root: TensorValue, text: str, *, accumulates: bool) -> None:
    """Backward through something: in eval mode it may be through what an unknown model has computed."""
    del call, root, text, accumulates
    evaluations = m.notes.of(Evaluations)
    evaluations.waiting = [
        each
        for each in evaluations.waiting
        if each.node is not None or (each.event.in_eval_mode and m.state.get(each.model, "eval at") is None)
    ]


@program_moments.run_ended.on
def judge_run(m: Machine, function: FunctionValue, result: object) -> None:
    """A function has run on symbols: whoever calls it may have switched gradients off, unless it trains as well."""
    evaluations = m.notes.of(Evaluations)
    if m.notes.of(WalkedGraphs).trains:
        run_ended(m)
    elif evaluations.waiting and not test_code.is_unit_test(function):
        named = grad_mode.named_for_evaluation(function.name)
        here = [each for each in evaluations.waiting if each.frame.function is function]
        m.notes.of(PresumedFindings).waiting += [
            (CalledWithoutGrad(function.node), each.event)
            for each in here
            if (each.node is None and each.event.in_eval_mode and (named or _appends_results(function, each)))
            or _returns_numbers_only(m, function, each, result)
        ]
    evaluations.waiting.clear()


_AS_IT_IS: Final = frozenset({"cpu", "to", "flatten", "squeeze", "view", "reshape", "float"})


def _without_moves(node: ast.expr) -> ast.expr:
    """The expression that a chain of moves and reshapes begins with."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _AS_IT_IS:
        node = node.func.value
    return node


def _appends_results(function: FunctionValue, each: Evaluation) -> bool:
    """Whether a function puts a model into eval mode and, batch by batch, its results into a list."""
    site, statement = each.entered, each.event.statement
    if (
        site is None
        or site.node not in walk(function.node)
        or not isinstance(statement, ast.Expr)
        or not isinstance(statement.value, ast.Call)
        or not isinstance(statement.value.func, ast.Attribute)
        or statement.value.func.attr != "append"
        or len(statement.value.args) != 1
        or _without_moves(statement.value.args[0]) is not each.event.site.node
    ):
        return False  # a loss of each batch may be for the caller's backward, all results of a model are to be looked at
    above = parents(function.source)
    loop: ast.AST | None = above.get(statement)
    while loop is not None and loop is not function.node:
        if isinstance(loop, ast.For):
            # A loop over numbers may well build one result step by step.
            return not (isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name))
        loop = above.get(loop)
    return False


def _evaluates_in_loop(m: Machine, function: FunctionValue, each: Evaluation) -> bool:
    """Whether a function that is named for evaluation calls a model for each of several batches, and its file sets eval mode."""
    site = each.entered
    if not grad_mode.named_for_evaluation(function.name) or site is None or each.method:
        return False
    if site.node not in walk(function.node) and not _is_set_by_program(m, function, site):
        return False
    return runs_over_batches(function.source, each.event.site.node, function.node)


def _is_set_by_program(m: Machine, function: FunctionValue, site: Site) -> bool:
    """Whether the file of a function sets eval mode for good, outside of all functions."""
    if site.source is not function.source or site.calls or m.program_runs:
        return False
    return not any(
        isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for each in ancestors(site.source, site.node)
    )


def _returns_numbers_only(m: Machine, function: FunctionValue, each: Evaluation, result: object) -> bool:
    """Whether a function, or the `__init__` of its class, has put the model into eval mode, and numbers come out."""
    site = each.entered
    if not each.event.in_eval_mode:
        return _leaves_numbers(m, function, result)
    if site is None or site.source is not function.source:
        return False
    node = site.calls[0].node if site.calls else site.node
    if node in walk(function.node):
        home: ast.AST = function.node
    else:
        init = None if function.cls is None else m.state.get(function.cls.scope, "__init__")
        if not isinstance(init, FunctionValue) or node not in walk(init.node):
            return False
        home = init.node
    if m.resolve(result) == NONE and home is not function.node:
        return False
    return _leaves_numbers(m, function, result)


def _leaves_numbers(m: Machine, function: FunctionValue, result: object) -> bool:
    """Whether nothing that a function leaves behind can carry a graph."""
    if m.resolve(result) == NONE:
        # Values in attributes may be for code that wants gradients.
        return not any(
            isinstance(one, (ast.Attribute, ast.Subscript)) and isinstance(one.ctx, ast.Store)
            for one in walk(function.node)
        )
    held = tensor_facts.tensors_in(m, [result])
    return not tensor_facts.may_hold_tensors(m, result) and all(m.requires_grad(one) is False for one in held)


def _function_without_training(m: Machine, frame: Frame) -> ast.AST | None:
    """The running function, when all of it may run without gradients."""
    function = frame.function
    if function is None or isinstance(function.node, ast.Lambda):
        return None
    if m.state.get(frame.scope.globals, "torch", MISSING) is MISSING:
        return None
    named = [each for each in walk(function.node) if isinstance(each, ast.Attribute) and each.attr in _TRAINS]
    return None if any(not is_of_environment(function.source, each) for each in named) else function.node


@program_moments.function_ended.on
def function_ended(
    m: Machine, frame: Frame, function: FunctionValue, result: object, grad_before: object
) -> None:
    """A result is for the caller to use: its evaluation is the caller's from now on."""
    del function, grad_before
    evaluations = m.notes.of(Evaluations)
    if evaluations.waiting and any(each.frame is frame for each in evaluations.waiting):
        if any(
            m.requires_grad(each) is not False for each in tensor_facts.tensors_in(m, [result])
        ) or tensor_facts.may_hold_tensors(m, result):
            left = (_returned_by_unknown_model(m, frame, each) for each in evaluations.waiting)
            evaluations.waiting = [each for each in left if each is not None]
        behind = nodes_behind(m, tensor_facts.tensors_in(m, [result]))
        kept: list[Evaluation] = []
        for each in evaluations.waiting:
            if each.frame is frame and each.node in behind:
                handed = _evaluation_of_caller(m, frame, each)
                kept += [handed] if handed is not None else []
            else:
                kept.append(each)
        evaluations.waiting = kept


_CALL_NO_STEPS: Final = frozenset("builtins abc typing torch sklearn".split())
"""Packages whose base classes leave it to the program to run such a step."""


def _returned_by_unknown_model(m: Machine, frame: Frame, each: Evaluation) -> Evaluation | None:
    """The evaluation by an unknown model when its result is returned: that of the caller, or none."""
    if each.node is not None or each.frame is not frame:
        return each
    function, site = frame.function, each.entered
    if function is not None and grad_mode.is_evaluation_step(function) and site is not None:
        # It has put the model into eval mode by itself. The callers of a method of an unseen base are not known.
        bases = library_bases(m, function.cls) if function.cls is not None else set()
        foreign = any(base.partition(".")[0] not in _CALL_NO_STEPS for base in bases)
        return each if not foreign and site.node in walk(function.node) else None
    if function is not None and (_appends_results(function, each) or _evaluates_in_loop(m, function, each)):
        return each
    caller = m.frame
    if (
        frame.symbolic
        or not frame.calls
        or caller.function is None
        or not isinstance(frame.calls[-1].node, ast.Call)
    ):
        return None
    event = _at_the_call(m, frame, each.event)
    if event.function is None:
        return None
    return Evaluation(event, None, caller, each.model, entered=each.entered)


def _evaluation_of_caller(m: Machine, frame: Frame, evaluation: Evaluation) -> Evaluation | None:
    """The same for the caller, which has the result now; None where nobody sees what becomes of it."""
    caller = m.frame
    if frame.symbolic or not frame.calls or (caller.function is None and not caller.loops):
        return None
    event = _at_the_call(m, frame, evaluation.event)
    return Evaluation(event, evaluation.node, caller, evaluation.model, entered=evaluation.entered)


def _at_the_call(m: Machine, frame: Frame, event: EvalKeepsGraph) -> EvalKeepsGraph:
    """The same as what the caller of a frame does."""
    within, whole = event.evaluating or _evaluates_by_itself(m, frame), _function_without_training(m, m.frame)
    return EvalKeepsGraph(frame.calls[-1], m.frame.statement, event.model, whole, event.in_eval_mode, within)


def _evaluates_by_itself(m: Machine, frame: Frame) -> Site | None:
    """The function of a frame, if that puts a model into eval mode, and can run without gradients."""
    node = _function_without_training(m, frame)
    if node is None or not any(
        isinstance(each, ast.Attribute) and each.attr == "eval" for each in walk(node)
    ):
        return None
    return Site(frame.source, node)


@program_moments.program_ended.on
def program_ended(m: Machine, *, whole: bool) -> None:
    """The main program is over: all of what it has computed is known, if it came to its end."""
    if whole:
        run_ended(m)


def run_ended(m: Machine) -> None:
    """Report the evaluations whose graphs nobody has walked, and nobody unknown can walk."""
    evaluations = m.notes.of(Evaluations)
    if evaluations.waiting:
        writes = m.state.written_since(None)
        escaped = [owner for owner, slot in writes if slot == "#escaped" and isinstance(owner, TensorValue)]
        walked = m.notes.of(WalkedGraphs)
        used = {*walked.nodes, *walked.kept, *nodes_behind(m, escaped)}
        for each in evaluations.waiting:
            if each.node is None or each.node not in used:
                m.emit(each.event)
    evaluations.waiting.clear()
