"""Evidence against evaluations that keep a graph which nobody walks."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import priors, tensor_facts
from devls.engine.core.events.events import EvalKeepsGraph
from devls.engine.evidence import test_code
from devls.engine.evidence.presumptions import against, rests_on
from devls.engine.torch.nn import registry
from devls.syntax.layout import Parents, ancestors, parents
from devls.syntax.nodes import walk
from devls.values.facts import fact
from devls.values.value import InstanceValue, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source


DIFFERENTIATES: Final = "#differentiates"
"""The slot of a module that computes gradients itself when it is called: they have to be on, then."""


@fact
class EvaluationCase:
    """One call of a model in eval mode whose result carries a graph."""

    model: InstanceValue | Symbol
    node: ast.Call
    given: tuple[object, ...]
    may_train: bool  # whether the running function also does what trains
    by_name: bool = False  # whether that is an evaluation only says the name of the running function


@against(
    EvalKeepsGraph,
    "part-of-model",
    "it is a part of a model, the whole of which is judged",
    seen="tests/specs/modules.md:678",
)
def part_of_model(case: EvaluationCase, m: Machine) -> bool:
    """A method of a module is running."""
    del case
    return any(
        isinstance(each.receiver, InstanceValue) and registry.is_module(m, each.receiver) for each in m.frames
    )


@against(
    EvalKeepsGraph,
    "layer-of-model",
    "it is one layer of a model, and keeps little",
    seen="tests/specs/grad_modes.md:435",
)
def layer_of_model(case: EvaluationCase, m: Machine) -> bool:
    """`model.embedding(ids)`."""
    return isinstance(case.model, InstanceValue) and _is_layer_of(m, case.model, case.node.func)


@against(
    EvalKeepsGraph,
    "input-gradient-wanted",
    "the gradient of the input may be what is wanted",
    seen="tests/specs/gradients.md:238",
)
def input_gradient_wanted(case: EvaluationCase, m: Machine) -> bool:
    """It requires grad, or may and the function also does what trains."""
    wanted = (m.requires_grad(each) for each in tensor_facts.tensors_in(m, case.given))
    return any(each is True or (each is not False and case.may_train) for each in wanted)


@against(
    EvalKeepsGraph,
    "module-differentiates",
    "the module computes gradients itself when it is called",
    seen="tests/specs/grad_modes.md:435",
)
def module_differentiates(case: EvaluationCase, m: Machine) -> bool:
    """They have to be on, then."""
    return m.state.get(case.model, DIFFERENTIATES) is not None


@against(
    EvalKeepsGraph,
    "detached-at-once",
    "a value without its graph is needed, and the code says so: the graph is gone before anything else runs",
    seen="tests/specs/training_ahead.md:369",
)
def detached_at_once(case: EvaluationCase, m: Machine) -> bool:
    """`net(x).max(1)[0].detach()` in a step of training, `y = net(x)` and then `y = y.detach()`."""
    function = m.frame.function
    return function is not None and (
        (case.may_train and _is_detached(m.source, case.node))
        or _is_replaced(m.source, function.node, case.node)
    )


@against(
    EvalKeepsGraph,
    "unit-test",
    "a unit test runs on a little data, and what that keeps goes with it",
    seen="tests/specs/grad_modes.md:600",
)
def unit_test(case: EvaluationCase, m: Machine) -> bool:
    """Or a method that helps one."""
    del case
    return test_code.in_unit_test(m)


@against(
    EvalKeepsGraph,
    "only-asserted",
    "the result is only asserted on: it tests the model",
    seen="tests/specs/unknown_models.md:1288",
)
def only_asserted(case: EvaluationCase, m: Machine) -> bool:
    """The values that it keeps go with it."""
    function = m.frame.function
    return function is not None and only_asserts(m.source, function.node, case.node)


@rests_on(
    EvalKeepsGraph,
    "named-for-evaluation",
    "who calls a function that is named for evaluation, and gives numbers only, wants no gradients",
    weight=0,
    seen="rules/eval_keeps_graph.md:81",
)
def named_for_evaluation(case: EvaluationCase, m: Machine) -> int:
    """The model is in training mode there, or in one that is not known."""
    del m
    return int(case.by_name)


# Predicates of the entries


def _is_detached(source: Source, node: ast.expr) -> bool:
    """Whether what comes of a call is detached at once, or what is picked of that: `net(x).max(1)[0].detach()`."""
    above = parents(source)
    found: ast.AST | None = node
    while found is not None:
        outer = above.get(found)
        if isinstance(outer, ast.Attribute) and outer.attr in ("detach", "data"):
            return True
        picks = (
            isinstance(outer, ast.Attribute)
            or (isinstance(outer, ast.Subscript) and outer.value is found)
            or (isinstance(outer, ast.Call) and outer.func is found)
        )
        found = outer if picks else None
    return False


def _is_replaced(source: Source, function: ast.AST, call: ast.expr) -> bool:
    """Whether the names of a result are read behind the call to take the result without its graph in its place, if at all."""
    above = parents(source)
    replaced = False
    for name in _assigned(_statement(above, call)):
        reads = [
            each
            for each in walk(function)
            if isinstance(each, ast.Name)
            and isinstance(each.ctx, ast.Load)
            and each.id == name
            and each.lineno > call.lineno
        ]
        first = min(reads, key=lambda each: (each.lineno, each.col_offset), default=None)
        if first is not None:
            if not _is_detached(source, first) or _assigned(_statement(above, first)) != {name}:
                return False
            replaced = True
    return replaced


def _is_layer_of(m: Machine, layer: InstanceValue, named: ast.expr) -> bool:
    """Whether a module is a single layer, and is named as an attribute of a model."""
    if layer.cls is not None or not isinstance(named, ast.Attribute) or not isinstance(named.value, ast.Name):
        return False
    owner = m.resolve(m.state.get(m.frame.scope, named.value.id))
    return (
        isinstance(owner, InstanceValue) and registry.is_module(m, owner) and not registry.children(m, layer)
    )


# Results that nothing but `assert` looks at


def only_asserts(source: Source, function: ast.AST, call: ast.expr) -> bool:
    """Whether a function asserts something of what a call returns, or of what it computes of that, and uses it for nothing else."""
    if not source.mentions(function, "assert"):
        return False
    above = parents(source)
    names = _assigned(_statement(above, call))
    asserted = False
    while True:
        more = set[str]()
        for each in walk(function):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id in names:
                statement = _statement(above, each)
                if isinstance(statement, ast.Assert):
                    asserted = True
                elif each.lineno > call.lineno:
                    assigned = _assigned(statement)
                    if not assigned:
                        return False  # it is used
                    more |= assigned
        if more <= names:
            return asserted
        names |= more


def _statement(above: Parents, node: ast.AST) -> ast.AST | None:
    found: ast.AST | None = node
    while found is not None and not isinstance(found, ast.stmt):
        found = above.get(found)
    return found


def _assigned(statement: ast.AST | None) -> set[str]:
    """The names that an assignment binds, if it does nothing else."""
    if not isinstance(statement, ast.Assign):
        return set()
    targets = [each for target in statement.targets for each in walk(target)]
    if any(isinstance(each, (ast.Attribute, ast.Subscript)) for each in targets):
        return set()
    return {each.id for each in targets if isinstance(each, ast.Name)}


def runs_over_batches(source: Source, call: ast.AST, function: ast.AST) -> bool:
    """Whether a call stands in a loop of a function, and the innermost is none over a range of numbers."""
    for each in ancestors(source, call):
        if each is function:
            return False
        if isinstance(each, ast.While):
            return True
        if isinstance(each, ast.For):
            over = each.iter
            return not (
                isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "range"
            )
    return False


def is_of_environment(source: Source, named: ast.Attribute) -> bool:
    """Whether what is named returns several things: `state, reward, done, _ = env.step(action)`, which no optimizer does."""
    above = parents(source)
    call = above.get(named)
    outer = above.get(call) if isinstance(call, ast.Call) and call.func is named else None
    return named.attr == "step" and isinstance(outer, ast.Assign) and isinstance(outer.targets[0], ast.Tuple)


def is_computed_by_module(m: Machine, model: Symbol, function: Symbol, arguments: list[object]) -> bool:
    """Whether something unknown is a module, or a method of one, and computes of a tensor or a batch."""
    if not priors.is_model(m, model) or priors.is_loss(m, function, arguments):
        return False
    given = map(m.resolve, arguments)
    return any(
        isinstance(each, TensorValue) or (isinstance(each, Symbol) and model is function) for each in given
    )
