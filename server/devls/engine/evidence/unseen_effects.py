"""Effects of unseen code on gradients: presumed by its name, and by its arguments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, priors, program_moments, training_moments
from devls.engine.evidence import naming_priors, opaque_models, use_of_modules, use_of_names
from devls.engine.torch import checkpoints
from devls.engine.torch.autograd import backward
from devls.engine.torch.nn import registry
from devls.values.conditions import Condition, Either, any_of
from devls.values.graph import Node
from devls.values.history import Step
from devls.values.value import Computed, Const, InstanceValue, Symbol, TensorValue

if TYPE_CHECKING:
    from collections.abc import Sequence as AbstractSequence

    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree


@program_moments.unseen_code_given.on
def gradients_perhaps_cleared(
    m: Machine, function: object, arguments: AbstractSequence[object], node: ast.expr | None
) -> None:
    """Unseen code that may clear gradients has run: whose they are cannot be told."""
    if _may_clear_gradients(m, function, arguments, node):
        backward.not_run(m)


def _may_clear_gradients(
    m: Machine, function: object, arguments: AbstractSequence[object], node: ast.expr | None
) -> bool:
    """Whether code that we do not see, called for its effect, may clear gradients whose parameters we do not see either.

    It is given what trains or what is trained, or it calls others back, who were given that before.
    """
    statement = m.frame.statement
    if not isinstance(statement, ast.Expr) or statement.value is not node:
        return False
    name = function.text if isinstance(function, Symbol) else ""
    if naming_priors.CALLS_BACK.search(name):
        return True
    return naming_priors.CLEARS_NO_GRADIENTS.search(name) is None and any(
        _trains(m, each) for each in arguments
    )


def _trains(m: Machine, value: object) -> bool:
    """Whether something is a model or an optimizer, or an object of the program that holds one."""
    value = m.resolve(value)
    if isinstance(value, Symbol):
        return opaque_models.is_module_like(m, value) or naming_priors.is_named_like_optimizer(value.text)
    if not isinstance(value, InstanceValue) or value.cls is None:
        return False
    held = [m.resolve(each) for _, each in registry.entries(m, value)]
    return registry.is_module(m, value) or any(isinstance(each, Symbol) and _trains(m, each) for each in held)


TRAINED: Final = Condition(("trained",), "gradients are wanted")
"""Whether models of which we see no code are run to train them: so it is once backward is called."""


@priors.graph_of_model_result.answer
def computed(m: Machine, function: Symbol, arguments: list[object], node: ast.expr) -> Computed | None:
    """The graph behind what an unknown model returns: its parameters and its inputs; None if that is not known."""
    enabled = m.grad_enabled()
    if enabled is False:
        unrecorded = Node(f"{function.text}", (), m.site(node), (), keeps=True, open=True)
        off = Step(
            "grad mode is off here, so no graph is recorded", m.site(node), kind="cut", of=(unrecorded,)
        )
        return Computed(requires_grad=False, node=None, step=off)
    if m.state.get(function, "eval at") is not None or naming_priors.FROZEN_MODEL.search(function.text):
        return Computed(requires_grad=None, node=None)
    if enabled is not True or use_of_names.hands_out_items(m, function, node):
        return None
    for value in arguments:
        for each in m.alternatives(value):
            if isinstance(each, TensorValue):
                training_moments.unseen_model_given(
                    m, node, m.text(node.func) if isinstance(node, ast.Call) else "", each
                )
    inputs: list[TensorValue] = []
    for value in arguments:
        tensor = m.tensor_of(value, infer=False)
        behind = _result_of_unseen(m, value) if tensor is None else None
        if tensor is not None:
            inputs.append(tensor)
        elif behind is not None:
            inputs.append(behind)
        elif not isinstance(m.resolve(value), Const):
            m.escape(value)
    cut = _cut_prediction(m, function, arguments, node)
    if cut is not None:
        given = tuple(zip(("input", "target"), arguments, strict=False))
        return Computed(
            None, Node(function.text, tuple(inputs), m.site(node), (), keeps=False, given=given), cut
        )
    for part in registry.given_parts(m, function):
        inputs += registry.parameters(m, part)
    wanted: Tree = Either(TRAINED, True, False)
    if checkpoints.is_loaded(m, function) and not m.source.says("requires_grad"):
        wanted = (
            True  # a model that was saved as a whole: parameters require grad unless somebody says otherwise
        )
    for tensor in inputs:
        wanted = any_of(wanted, m.requires_grad(tensor) is True)
    edges = tuple(each if isinstance(each := m.node(tensor), Node) else None for tensor in inputs)
    # A function that the program has run was given the model itself then: what frees its graph has been told.
    keeps = None if opaque_models.shown(m) else True
    graph = Node(f"{function.text}", tuple(inputs), m.site(node), (), keeps=keeps, open=True, edges=edges)
    return Computed(wanted, graph)


def _cut_prediction(m: Machine, function: Symbol, arguments: list[object], node: ast.expr) -> Step | None:
    """How the prediction was cut from its model of which something unknown, and no module, computes a loss."""
    first = m.resolve(arguments[0]) if len(arguments) == 2 else None
    prediction = m.tensor_of(first, infer=opaque_models.is_computed(m, first))
    if (
        prediction is None
        or m.requires_grad(prediction) is not False
        or m.state.get(function, "is module") is not None
        or use_of_modules.is_used_as_module(m, function)
        or not opaque_models.is_loss(m, function, arguments, node)
    ):
        return None
    step = m.state.get(prediction, "grad_step", prediction.grad_step)
    return step if isinstance(step, Step) and step.kind == "cut" else None


def _result_of_unseen(m: Machine, value: object) -> TensorValue | None:
    """The graph of what another model has returned of which no code is seen, whatever else it is."""
    symbol = m.resolve(value)
    known = symbol.computed if isinstance(symbol, Symbol) else None
    if known is None or known.node is None:
        return None
    return TensorValue(requires_grad=known.requires_grad, leaf=False, node=known.node)


def requires_grad_if_trained(m: Machine, required: Tree, node: object) -> bool:
    """Whether something requires grad for no other reason than that a model of which no code is seen was run on tensors."""
    return (
        isinstance(required, Either)
        and required.condition == TRAINED
        and required.then is True
        and isinstance(node, Node)
        and m.source.says("torch")  # others have eager tensors, too
        and not m.source.says("requires_grad")
    )


@moments.backward_begins.on
def backward_begins(m: Machine, call: ast.expr, root: TensorValue, text: str, *, accumulates: bool) -> None:
    """Somebody trains here."""
    del call, root, text, accumulates
    m.state.assume(TRAINED, value=True)
