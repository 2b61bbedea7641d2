"""Gradients that nobody needs, and gradients that stay switched off."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devls.engine.checks.walked_graphs import WalkedGraphs
from devls.engine.core import notes, program_moments, training_moments
from devls.engine.core.events.events import EvalKeepsGraph, GradModeWithoutEffect
from devls.engine.core.joins import Contents, Entries
from devls.engine.evidence import assert_only, batch_provenance
from devls.engine.python.classes import library_bases
from devls.engine.torch.nn import registry
from devls.syntax.layout import parents
from devls.syntax.nodes import of_tree, walk
from devls.values.conditions import Condition, leaves
from devls.values.facts import fact
from devls.values.graph import Node
from devls.values.history import Site
from devls.values.state import AMBIENT, ASSUMED, MISSING
from devls.values.value import (
    FALSE,
    NONE,
    Const,
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
        """Whoever holds a result when the run is over may call backward."""
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
    frame, model = m.frame, instance
    if node is None or not isinstance(node, ast.Call) or m.grad_enabled() is not True:
        return
    if m.resolve(m.state.get(model, "training")) != FALSE or not registry.is_module(m, model) or m.silent:
        return
    if frame.function is None and not frame.loops:
        return
    if any(
        isinstance(each.receiver, InstanceValue) and registry.is_module(m, each.receiver) for each in m.frames
    ):
        return  # a part of a model: the whole one is judged
    if _is_layer_of(m, model, node.func):
        return  # one layer of a model (`model.embedding(ids)`): what it keeps is little
    if any(m.requires_grad(each) is not False for each in tensors_in(m, arguments)):
        return  # the gradient of the input may be what is wanted
    if m.state.get(model, _DIFFERENTIATES) is not None:
        return
    graph = next((each for each in map(m.node, tensors_in(m, [result])) if isinstance(each, Node)), None)
    if graph is None or not all(m.requires_grad(each) is True for each in tensors_in(m, [result])):
        return
    whole = _decorable(m, frame)
    if whole is None and frame.function is not None and _is_detached(m, node):
        return  # a step of training that needs a value without its graph, and says so
    if in_unit_test(m):
        return  # on a little data; what that keeps goes with it
    if frame.function is not None and assert_only.only(m.source, frame.function.node, node):
        return  # it tests the model: what that keeps goes with it
    event = EvalKeepsGraph(m.site(node), frame.statement, m.text(node.func), whole)
    m.notes.of(Evaluations).waiting.append(Evaluation(event, graph, frame, model))


_DIFFERENTIATES: Final = "#differentiates"
"""The slot of a module that computes gradients itself when it is called: they have to be on, then."""


@training_moments.gradients_asked.on
def differentiated(m: Machine, call: Invocation) -> None:
    """Gradients are computed: by each module that is being called, too."""
    del call
    for frame in m.frames:
        receiver = frame.receiver
        if isinstance(receiver, InstanceValue) and registry.is_module(m, receiver):
            m.state.set(receiver, _DIFFERENTIATES, True)


def _is_detached(m: Machine, node: ast.expr) -> bool:
    """Whether what comes of a call is detached at once, or what is picked of that: `net(x).max(1)[0].detach()`."""
    above = parents(m.source)
    found: ast.AST | None = node
    while found is not None:
        outer = above.get(found)
        if isinstance(outer, ast.Attribute) and outer.attr == "detach":
            return True
        picks = (
            isinstance(outer, ast.Attribute)
            or (isinstance(outer, ast.Subscript) and outer.value is found)
            or (isinstance(outer, ast.Call) and outer.func is found)
        )
        found = outer if picks else None
    return False


def _is_layer_of(m: Machine, layer: InstanceValue, named: ast.expr) -> bool:
    """Whether a module is a single layer, and is named as an attribute of a model."""
    if layer.cls is not None or not isinstance(named, ast.Attribute) or not isinstance(named.value, ast.Name):
        return False
    owner = m.resolve(m.state.get(m.frame.scope, named.value.id))
    return (
        isinstance(owner, InstanceValue) and registry.is_module(m, owner) and not registry.children(m, layer)
    )


@program_moments.unseen_code_returned.on
def unknown_called(m: Machine, function: Symbol, arguments: list[object], node: ast.expr | None) -> None:
    """A model that we know only by name was called: the same, going by what becomes of its result."""
    evaluations = m.notes.of(Evaluations)
    if evaluations.waiting:
        _given_both(m, evaluations, arguments)
    frame, model = m.frame, function
    if not isinstance(node, ast.Call) or m.grad_enabled() is not True or frame.function is None:
        return
    called, key, method = model.key, model.key, ""
    if isinstance(key, tuple) and key[0] == "attr" and not isinstance(m.state.get(model, "eval at"), tuple):
        model, method = Symbol(key[1], ""), str(key[2])  # `model.encode(x)`
    if not isinstance(m.state.get(model, "eval at"), tuple) or is_unit_test(frame.function):
        return  # in train mode; or whoever calls it compares two models, on a little data
    if m.silent or _decorable(m, frame) is None or assert_only.only(m.source, frame.function.node, node):
        return
    event = EvalKeepsGraph(m.site(node), frame.statement, m.text(node.func), _decorable(m, frame))
    found = Evaluation(event, None, frame, model, method, called, tuple(map(m.resolve, arguments)))
    if not method or (_collects(m, frame.function, found) and node.args):
        evaluations.waiting.append(found)


def _given_both(m: Machine, evaluations: Evaluations, arguments: list[object]) -> None:
    """Code that is not seen is given what a model was given, and what came of it: it may want the gradient of the one by the other."""
    values = [m.resolve(each) for each in arguments]
    results = {_called_for(each.key) for each in values if isinstance(each, Symbol)} - {None}
    if results:
        evaluations.waiting = [
            each
            for each in evaluations.waiting
            if each.key not in results or not any(value in each.given for value in values)
        ]


def _called_for(key: Hashable) -> Hashable:
    """The key of what was called for the result that has a key; None for what is none."""
    return key[1] if isinstance(key, tuple) and key[0] == "result" else None


def backward_called(m: Machine) -> None:
    """Backward through something: in eval mode it may be through what an unknown model has computed."""
    evaluations = m.notes.of(Evaluations)
    evaluations.waiting = [
        each
        for each in evaluations.waiting
        if each.node is not None or m.state.get(each.model, "eval at") is None
    ]


_EVALUATES: Final = re.compile(
    r"eval|valid|(^|_)(val|test|infer\w*|predict\w*|score|accuracy|benchmark)(_|$)", re.IGNORECASE
)
"""Functions whose callers want numbers, going by what they are called."""


def may_be_without_grad(m: Machine, *, in_packages: bool = False) -> bool:
    """Whether something runs by itself whose callers want numbers: they may have switched gradients off.

    That it does so its name tells, or an option that was asked for on the way (`if fcn_test:`). With `in_packages` only what lies
    in a package and is not called in its own file: who calls it from elsewhere is out of sight. Of that also what is given all
    the data and does not train.
    """
    running = [each.function for each in m.frames if each.function is not None]
    root = next((each for each in m.frames if each.function is not None), None)
    if root is None or not root.symbolic or _goes_back(running[0].node):
        return False
    if in_packages and not m.modules.workspace.exists(str(Path(root.source.path).parent / "__init__.py")):
        return False
    named = [
        each
        for each in running
        if _EVALUATES.search(each.name) or (in_packages and _goes_through_data(each.node))
    ]
    if named:
        return not in_packages or not any(each.name in _called_by_others(each.source.tree) for each in named)
    return any(
        slot == ASSUMED
        and value is True
        and isinstance(owner, Condition)
        and any(_EVALUATES.search(word) for word in _WORD.findall(owner.text))
        for (owner, slot), value in m.state.written_since(None).items()
    )


_WORD: Final = re.compile(r"\w+")


@of_tree(maxsize=64)
def _called_by_others(tree: ast.Module) -> frozenset[str]:
    """The names of what a file calls: of methods those of other objects than `self`, which only passes on what it is asked."""
    called = (each.func for each in walk(tree) if isinstance(each, ast.Call))
    return frozenset(
        each.attr if isinstance(each, ast.Attribute) else each.id
        for each in called
        if isinstance(each, ast.Name)
        or (
            isinstance(each, ast.Attribute)
            and not (isinstance(each.value, ast.Name) and each.value.id == "self")
            and not isinstance(each.value, ast.Call)
        )
    )


@of_tree(maxsize=256)
def _goes_through_data(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    return any(batch_provenance.gives_data(each.arg) for each in (*node.args.posonlyargs, *node.args.args))


@of_tree(maxsize=256)
def _goes_back(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Attribute) and each.attr in ("backward", "grad") for each in walk(node))


@of_tree(maxsize=256)
def _compares(source: Source, node: ast.AST) -> bool:
    """Whether a function asserts that two ways come to the same."""
    if not source.mentions(node, "allclose", "assert_close"):
        return False
    names = {each.attr for each in walk(node) if isinstance(each, ast.Attribute)}
    asserts = any(isinstance(each, ast.Assert) for each in walk(node))
    return bool(names & {"assert_close", "assert_allclose"}) or (asserts and "allclose" in names)


def is_unit_test(function: FunctionValue) -> bool:
    """Whether a function tests code, not a model: it looks at one small result, and what that keeps goes with it."""
    if _compares(function.source, function.node):
        return True
    if function.cls is not None and function.cls.name.endswith(("TestCase", "TestBase")):
        return True
    return (
        function.name.lstrip("_").startswith("test_")
        or (function.cls is not None and _holds_tests(function.cls.definition))
    ) and _is_among_tests(function.source.path)


def in_unit_test(m: Machine) -> bool:
    """Whether what runs was called by a unit test, or is one, or a method that helps those of its class."""
    return any(each.function is not None and is_unit_test(each.function) for each in m.frames)


def _is_among_tests(path: str) -> bool:
    """Whether a file is one of tests, going by its name and its folders."""
    parts = path.replace("\\", "/").split("/")
    return (
        parts[-1].startswith("test_")
        or parts[-1].endswith("_test.py")
        or bool({"test", "tests"} & set(parts[:-1]))
    )


@of_tree(maxsize=256)
def _holds_tests(cls: ast.ClassDef) -> bool:
    """Whether a class is one of unit tests; what evaluates a model may have a `test_step`."""
    named = "Test" in cls.name or any("Test" in ast.unparse(each) for each in cls.bases)
    return named and any(
        isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name.startswith("test_")
        for each in cls.body
    )


@program_moments.run_ended.on
def ended_by_itself(m: Machine, function: FunctionValue, result: object) -> None:
    """A function has run on symbols: whoever calls it may have switched gradients off, unless it trains as well."""
    evaluations = m.notes.of(Evaluations)
    if m.notes.of(WalkedGraphs).trains:
        run_ended(m)
    elif evaluations.waiting and not is_unit_test(function):
        named = _EVALUATES.search(function.name) is not None
        here = [each for each in evaluations.waiting if each.frame.function is function]
        m.presumed_findings += [
            (function.node, each.event)
            for each in here
            if (each.node is None and (named or _collects(m, function, each)))
            or _only_looks(m, function, each, result)
        ]
    evaluations.waiting.clear()


_AS_IT_IS: Final = frozenset({"cpu", "to", "flatten", "squeeze", "view", "reshape", "float"})


def _stripped(node: ast.expr) -> ast.expr:
    """What a chain of moves and reshapes begins with."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _AS_IT_IS:
        node = node.func.value
    return node


def _collects(m: Machine, function: FunctionValue, each: Evaluation) -> bool:
    """Whether a function puts a model into eval mode and, batch by batch, its results into a list."""
    mark = m.state.resolve(m.state.get(each.model, "eval at"))
    site = mark[0] if isinstance(mark, tuple) else None
    statement = each.event.statement
    if (
        not isinstance(site, Site)
        or site.node not in walk(function.node)
        or not isinstance(statement, ast.Expr)
        or not isinstance(statement.value, ast.Call)
        or not isinstance(statement.value.func, ast.Attribute)
        or statement.value.func.attr != "append"
        or len(statement.value.args) != 1
        or _stripped(statement.value.args[0]) is not each.event.site.node
    ):
        return False  # a loss of each batch may be for the caller's backward, all results of a model are to be looked at
    above = parents(function.source)
    loop: ast.AST | None = above.get(statement)
    while loop is not None and loop is not function.node:
        if isinstance(loop, ast.For):
            # What goes through numbers may well be one result that is built up step by step.
            return not (isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name))
        loop = above.get(loop)
    return False


def _only_looks(m: Machine, function: FunctionValue, each: Evaluation, result: object) -> bool:
    """Whether a function, or the `__init__` of its class, has put the model into eval mode, and numbers come out."""
    mark = m.state.resolve(m.state.get(each.model, "eval at"))
    site = mark[0] if isinstance(mark, tuple) else None
    if not isinstance(site, Site) or site.source is not function.source:
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
        # What is put into attributes may be for somebody who wants gradients.
        return home is function.node and not any(
            isinstance(one, (ast.Attribute, ast.Subscript)) and isinstance(one.ctx, ast.Store)
            for one in walk(function.node)
        )
    held = tensors_in(m, [result])
    return not _unknown_in(m, result) and all(m.requires_grad(one) is False for one in held)


def _decorable(m: Machine, frame: Frame) -> ast.AST | None:
    """The running function, when all of it may run without gradients."""
    function = frame.function
    if function is None or isinstance(function.node, ast.Lambda):
        return None
    if m.state.get(frame.scope.globals, "torch", MISSING) is MISSING:
        return None
    names = {each.attr for each in walk(function.node) if isinstance(each, ast.Attribute)}
    return None if names & _TRAINS else function.node


def tensors_in(m: Machine, values: Iterable[object], depth: int = 3) -> list[TensorValue]:
    """The tensors that values are or hold."""
    found: list[TensorValue] = []
    for value in values:
        for each in m.alternatives(value):
            kind = type(each)
            if kind is TensorValue:
                found.append(each)  # type: ignore[arg-type]
            elif depth == 0 or kind is Symbol or kind is Const:
                continue
            elif isinstance(each, TupleValue):
                found += tensors_in(m, each.items, depth - 1)
            elif isinstance(each, Sequence):
                contents = m.state.get(each, "#items")
                if isinstance(contents, Contents):
                    found += tensors_in(m, (*(contents.items or ()), contents.element), depth - 1)
            elif isinstance(each, Mapping):
                entries = m.state.get(each, "#entries")
                if isinstance(entries, Entries):
                    found += tensors_in(m, (*entries.known.values(), entries.rest), depth - 1)
    return found


@program_moments.function_ended.on
def function_ended(
    m: Machine, frame: Frame, function: FunctionValue, result: object, grad_before: object
) -> None:
    """A function has returned, perhaps with gradients that it has switched off."""
    _returned(m, frame, result)
    if grad_before is True and not function.grad_mode and m.state.get(AMBIENT, "grad", True) is not True:
        _left_off(m, frame, function, result)


def _returned(m: Machine, frame: Frame, result: object) -> None:
    """What a function hands to its caller is for the caller to use."""
    evaluations = m.notes.of(Evaluations)
    if evaluations.waiting and any(each.frame is frame for each in evaluations.waiting):
        if any(m.requires_grad(each) is not False for each in tensors_in(m, [result])) or _unknown_in(
            m, result
        ):
            left = (_after_handing_out(m, frame, each) for each in evaluations.waiting)
            evaluations.waiting = [each for each in left if each is not None]
        behind = _behind(m, tensors_in(m, [result]))
        kept: list[Evaluation] = []
        for each in evaluations.waiting:
            if each.frame is frame and each.node in behind:
                handed = _handed_on(m, frame, each)
                kept += [handed] if handed is not None else []
            else:
                kept.append(each)
        evaluations.waiting = kept


STEPS: Final = re.compile(r"^_?(val|valid|validation|eval|evaluation|test)_step$")
"""One step of an evaluation: whoever runs it reports what it returns."""


_CALL_NO_STEPS: Final = frozenset("builtins abc typing torch sklearn".split())
"""Packages whose base classes leave it to the program to run such a step."""


def _after_handing_out(m: Machine, frame: Frame, each: Evaluation) -> Evaluation | None:
    """What is left of an evaluation by an unknown model when its result is handed out: that of the caller, or nothing."""
    if each.node is not None or each.frame is not frame:
        return each
    function, mark = frame.function, m.state.resolve(m.state.get(each.model, "eval at"))
    site = mark[0] if isinstance(mark, tuple) else None
    if function is not None and STEPS.search(function.name) and isinstance(site, Site):
        # It has put the model into eval mode by itself. Who calls a method of a base that is not seen, nobody knows.
        bases = library_bases(m, function.cls) if function.cls is not None else set()
        foreign = any(base.partition(".")[0] not in _CALL_NO_STEPS for base in bases)
        return each if not foreign and site.node in walk(function.node) else None
    if function is not None and _collects(m, function, each):
        return each
    caller = m.frame
    if (
        frame.symbolic
        or not frame.calls
        or caller.function is None
        or not isinstance(frame.calls[-1].node, ast.Call)
    ):
        return None
    event = EvalKeepsGraph(frame.calls[-1], caller.statement, each.event.model, _decorable(m, caller))
    return None if event.function is None else Evaluation(event, None, caller, each.model)


def _handed_on(m: Machine, frame: Frame, evaluation: Evaluation) -> Evaluation | None:
    """The same for the caller, which has the result now; None where nobody sees what becomes of it."""
    caller = m.frame
    if frame.symbolic or not frame.calls or (caller.function is None and not caller.loops):
        return None
    event = EvalKeepsGraph(frame.calls[-1], caller.statement, evaluation.event.model, _decorable(m, caller))
    return Evaluation(event, evaluation.node, caller, evaluation.model)


def _unknown_in(m: Machine, value: object, depth: int = 3) -> bool:
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
        if depth and any(item is not None and _unknown_in(m, item, depth - 1) for item in items):
            return True
    return False


def _behind(m: Machine, tensors: Iterable[TensorValue]) -> set[Node]:
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
        used = {*walked.nodes, *walked.kept, *_behind(m, escaped)}
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
        _left_off_on_a_way(m, frame, function, found)
        return
    if not isinstance(found, Site) or found.calls != frame.calls:
        return
    # Who returns nothing may well be the program, or there to switch; and what is set
    # elsewhere in the file may set this back.
    if m.resolve(result) == NONE or found.source is not function.source or len(_switches(found.source)) != 1:
        return
    if isinstance(found.node, ast.Call) and not _awaits_after(function, found.node):
        m.emit(GradModeWithoutEffect(found, frame.statement, "left off", "set_grad_enabled", found.node))


def _awaits_after(function: FunctionValue, switch: ast.Call) -> bool:
    """Whether a coroutine waits with gradients off: a mode is the thread's, and two tasks that both set it back leave it off."""
    return isinstance(function.node, ast.AsyncFunctionDef) and any(
        isinstance(each, ast.Await) and each.lineno > switch.lineno for each in walk(function.node)
    )


def _left_off_on_a_way(m: Machine, frame: Frame, function: FunctionValue, found: object) -> None:
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
