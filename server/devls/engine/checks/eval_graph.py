"""Gradients that nobody needs, and gradients that stay switched off."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.checks.walked_graphs import WalkedGraphs
from devls.engine.core import moments, notes, program_moments, tensor_facts, training_moments
from devls.engine.core.events.events import EvalKeepsGraph, GradModeWithoutEffect
from devls.engine.core.joins import Contents, Entries
from devls.engine.evidence import grad_mode, judgement, test_code
from devls.engine.evidence.deferred import PresumedFindings
from devls.engine.evidence.evaluation_presumptions import DIFFERENTIATES, EvaluationCase, only_asserts
from devls.engine.python.classes import library_bases
from devls.engine.torch.nn import registry
from devls.syntax.layout import parents
from devls.syntax.nodes import walk
from devls.values.call_facts import CalledWithoutGrad
from devls.values.conditions import leaves
from devls.values.facts import fact
from devls.values.graph import Node
from devls.values.history import Site
from devls.values.state import AMBIENT, MISSING
from devls.values.value import (
    FALSE,
    NONE,
    FunctionValue,
    InstanceValue,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable
    from collections.abc import Sequence as AbstractSequence

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Frame
    from devls.syntax.source import Source

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
    if m.resolve(m.state.get(model, "training")) != FALSE or not registry.is_module(m, model) or m.silent:
        return
    frame = m.frame
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
    case = EvaluationCase(model, node, tuple(arguments), may_train=whole is None)
    weighed = judgement.judge(m, EvalKeepsGraph, case)
    event = EvalKeepsGraph(m.site(node), frame.statement, m.text(node.func), whole)
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
        model, method = Symbol(key[1], ""), str(key[2])  # `model.encode(x)`
    if not isinstance(m.state.get(model, "eval at"), tuple) or test_code.is_unit_test(frame.function):
        return  # in train mode; or whoever calls it compares two models, on a little data
    if (
        m.silent
        or _function_without_training(m, frame) is None
        or only_asserts(m.source, frame.function.node, node)
    ):
        return
    event = EvalKeepsGraph(
        m.site(node), frame.statement, m.text(node.func), _function_without_training(m, frame)
    )
    given = tuple(map(m.resolve, arguments))
    found = Evaluation(event, None, frame, model, method, called, given, _entered(m, model))
    if not method or (_appends_results(frame.function, found) and node.args):
        evaluations.waiting.append(found)


def _entered(m: Machine, model: InstanceValue | Symbol) -> Site | None:
    """The place where a model was put into eval mode."""
    mark = m.state.resolve(m.state.get(model, "eval at"))
    return mark[0] if isinstance(mark, tuple) and isinstance(mark[0], Site) else None


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
        if each.node is not None or m.state.get(each.model, "eval at") is None
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
            if (each.node is None and (named or _appends_results(function, each)))
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


def _evaluates_in_loop(function: FunctionValue, each: Evaluation) -> bool:
    """Whether a function that is named for evaluation sets eval mode itself, and calls the model for each of several batches."""
    if (
        not grad_mode.named_for_evaluation(function.name)
        or each.entered is None
        or each.entered.node not in walk(function.node)
    ):
        return False
    above = parents(function.source)
    loop: ast.AST | None = above.get(each.event.site.node)
    while loop is not None and loop is not function.node:
        if isinstance(loop, ast.For):
            return not (
                isinstance(loop.iter, ast.Call)
                and isinstance(loop.iter.func, ast.Name)
                and loop.iter.func.id == "range"
            )
        loop = above.get(loop)
    return False


def _returns_numbers_only(m: Machine, function: FunctionValue, each: Evaluation, result: object) -> bool:
    """Whether a function, or the `__init__` of its class, has put the model into eval mode, and numbers come out."""
    site = each.entered
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
    if m.resolve(result) == NONE:
        # Values in attributes may be for code that wants gradients.
        return home is function.node and not any(
            isinstance(one, (ast.Attribute, ast.Subscript)) and isinstance(one.ctx, ast.Store)
            for one in walk(function.node)
        )
    held = tensor_facts.tensors_in(m, [result])
    return not _may_hold_tensors(m, result) and all(m.requires_grad(one) is False for one in held)


def _function_without_training(m: Machine, frame: Frame) -> ast.AST | None:
    """The running function, when all of it may run without gradients."""
    function = frame.function
    if function is None or isinstance(function.node, ast.Lambda):
        return None
    if m.state.get(frame.scope.globals, "torch", MISSING) is MISSING:
        return None
    names = {each.attr for each in walk(function.node) if isinstance(each, ast.Attribute)}
    return None if names & _TRAINS else function.node


@program_moments.function_ended.on
def function_ended(
    m: Machine, frame: Frame, function: FunctionValue, result: object, grad_before: object
) -> None:
    """A function has returned, perhaps with gradients that it has switched off."""
    _returned(m, frame, result)
    if grad_before is True and not function.grad_mode and m.state.get(AMBIENT, "grad", True) is not True:
        _left_off(m, frame, function, result)


def _returned(m: Machine, frame: Frame, result: object) -> None:
    """A result is for the caller to use: its evaluation is the caller's from now on."""
    evaluations = m.notes.of(Evaluations)
    if evaluations.waiting and any(each.frame is frame for each in evaluations.waiting):
        if any(
            m.requires_grad(each) is not False for each in tensor_facts.tensors_in(m, [result])
        ) or _may_hold_tensors(m, result):
            left = (_returned_by_unknown_model(m, frame, each) for each in evaluations.waiting)
            evaluations.waiting = [each for each in left if each is not None]
        behind = _nodes_behind(m, tensor_facts.tensors_in(m, [result]))
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
    if function is not None and (_appends_results(function, each) or _evaluates_in_loop(function, each)):
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
    return EvalKeepsGraph(frame.calls[-1], m.frame.statement, event.model, whole, within)


def _evaluates_by_itself(m: Machine, frame: Frame) -> Site | None:
    """The function of a frame, if that puts a model into eval mode, and can run without gradients."""
    node = _function_without_training(m, frame)
    if node is None or not any(
        isinstance(each, ast.Attribute) and each.attr == "eval" for each in walk(node)
    ):
        return None
    return Site(frame.source, node)


def _may_hold_tensors(m: Machine, value: object, depth: int = 3) -> bool:
    """Whether something is returned of which we do not know that it is no tensor."""
    for each in m.alternatives(value):
        if isinstance(each, Symbol) and each.hint not in ("number", "string", "bool"):
            return True
        items: tuple[object, ...] = ()
        if isinstance(each, TupleValue):
            items = each.items
        elif isinstance(each, Sequence):
            contents = m.state.get(each, "#items")
            if isinstance(contents, Contents):
                items = (*(contents.items or ()), contents.element)
        elif isinstance(each, Mapping):
            entries = m.state.get(each, "#entries")
            if isinstance(entries, Entries):
                items = (*entries.known.values(), entries.rest)
        elif isinstance(each, InstanceValue):
            return True
        if depth and any(item is not None and _may_hold_tensors(m, item, depth - 1) for item in items):
            return True
    return False


def _nodes_behind(m: Machine, tensors: Iterable[TensorValue]) -> set[Node]:
    """All nodes that a backward of any of the tensors would walk."""
    seen: set[Node] = set()
    stack = [each for each in map(m.node, tensors) if isinstance(each, Node)]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += [each for each in node.edges if each is not None]
    return seen


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
        used = {*walked.nodes, *walked.kept, *_nodes_behind(m, escaped)}
        for each in evaluations.waiting:
            if each.node is None or each.node not in used:
                m.emit(each.event)
    evaluations.waiting.clear()


def _left_off(m: Machine, frame: Frame, function: FunctionValue, result: object) -> None:
    """A function has ended: report gradients that it switched off for its callers too."""
    mode = m.grad_enabled()
    if mode is True:
        return
    found = m.state.get(AMBIENT, "grad set")
    if mode is not False:
        _left_off_by_early_return(m, frame, function, found)
        return
    if not isinstance(found, Site) or found.calls != frame.calls:
        return
    # A function that returns nothing may be the program, or there to switch; and what is set
    # elsewhere in the file may set this back.
    if m.resolve(result) == NONE or found.source is not function.source or len(_switches(found.source)) != 1:
        return
    if isinstance(found.node, ast.Call) and not _awaits_with_grad_off(function, found.node):
        m.emit(GradModeWithoutEffect(found, frame.statement, "left off", "set_grad_enabled", found.node))


def _awaits_with_grad_off(function: FunctionValue, switch: ast.Call) -> bool:
    """Whether a coroutine waits with gradients off: a mode is the thread's, and two tasks that both set it back leave it off."""
    return isinstance(function.node, ast.AsyncFunctionDef) and any(
        isinstance(each, ast.Await) and each.lineno > switch.lineno for each in walk(function.node)
    )


def _left_off_by_early_return(m: Machine, frame: Frame, function: FunctionValue, found: object) -> None:
    """Gradients are switched off and on again, but for a `return` in between."""
    sites = {each for each in leaves(found) if isinstance(each, Site)}
    if len(sites) != 2 or isinstance(function.node, ast.Lambda):
        return
    # Only what each way comes by: not what is switched where it was asked for.
    always = [each.value for each in function.node.body if isinstance(each, ast.Expr)]
    off, on = sorted(sites, key=lambda each: getattr(each.node, "lineno", 0))
    flags = [
        flag.value
        for each in (off, on)
        if each.calls == frame.calls and each.node in always and isinstance(each.node, ast.Call)
        for flag in (*each.node.args, *(keyword.value for keyword in each.node.keywords))
        if isinstance(flag, ast.Constant)
    ]
    if flags == [False, True] and isinstance(off.node, ast.Call):
        m.emit(GradModeWithoutEffect(off, frame.statement, "left off", "set_grad_enabled", off.node, on))


def _switches(source: Source) -> list[ast.AST]:
    return [
        each
        for each in walk(source.tree)
        if isinstance(each, ast.Attribute) and each.attr == "set_grad_enabled"
    ]
