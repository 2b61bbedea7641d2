"""Train and eval mode over time."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import limits, priors, training_moments
from devls.engine.core.events.calls import ModeForgotten
from devls.engine.core.events.protocols import TrainedInEvalMode
from devls.engine.torch.nn import registry
from devls.syntax.nodes import of_tree, walk
from devls.values.conditions import leaves
from devls.values.graph import next_serial
from devls.values.state import AMBIENT
from devls.values.value import FALSE, TRUE, InstanceValue, Symbol, TensorValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import LoopFrame
    from devls.values.history import Site

_DIFFERENT_IN_EVAL: Final = (
    "Dropout",
    "BatchNorm",
    "InstanceNorm",
    "Transformer",
    "MultiheadAttention",
    "RReLU",
)


def changed(m: Machine, owner: object, node: ast.expr, mode: object) -> None:
    """`model.eval()`, `model.train(mode)`."""
    if not isinstance(owner, (InstanceValue, Symbol)):
        return
    if mode == FALSE and _restored(m):
        return
    if isinstance(mode, Symbol) and _evaluates_unless_told(m, mode):
        mode = FALSE
    m.state.set(owner, "eval at", (m.site(node), m.frame.statement, next_serial()) if mode == FALSE else None)
    if mode == FALSE:
        known = m.state.get(AMBIENT, "evaluated", ())
        if owner not in known:  # type: ignore[operator]
            m.state.set(AMBIENT, "evaluated", (*known, owner))  # type: ignore[misc]
        return
    m.state.set(owner, "train at", next_serial())
    if isinstance(owner, InstanceValue):
        for each in registry.walk(m, owner):
            m.state.set(each, "eval at", None)


def parameters_in_eval(m: Machine) -> set[TensorValue]:
    """The parameters of models that a call has put into eval mode, and that are in it now."""
    models = m.state.get(AMBIENT, "evaluated", ())
    return {
        parameter
        for model in models  # type: ignore[attr-defined]
        if isinstance(model, InstanceValue) and m.state.get(model, "eval at") is not None
        for parameter in registry.parameters(m, model)
    }


def _evaluates_unless_told(m: Machine, mode: Symbol) -> bool:
    """Whether a step of an evaluation runs that leaves a model in train mode only for whoever asks for it: `training=False`."""
    function = m.frame.function
    if function is None or not priors.is_evaluation_step(function):
        return False
    spec = function.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)][-len(function.defaults) or None :]
    defaults = dict(zip(names, function.defaults, strict=False))
    defaults.update(zip((each.arg for each in spec.kwonlyargs), function.keyword_defaults, strict=False))
    return any(
        default == FALSE and m.state.get(m.frame.scope, name) is mode for name, default in defaults.items()
    )


def not_run(m: Machine, values: Sequence[object]) -> None:
    """A body that we see is not run: it may train each model that it is given, or that its object holds."""
    training_moments.body_skipped(m)
    for value in values:
        owner = m.resolve(value)
        if isinstance(owner, InstanceValue) and m.state.get(owner, "#escaped") is None:
            for model in registry.held_modules(m, owner):
                for parameter in registry.parameters(m, model):
                    m.state.set(parameter, "#escaped", True)
    if not m.state.get(AMBIENT, "evaluated", ()):
        return
    for value in values:
        if isinstance(symbol := m.resolve(value), Symbol):
            m.state.set(symbol, "train at", next_serial())
        for model in registry.held_modules(m, value):
            for each in registry.walk(m, model):
                m.state.set(each, "train at", next_serial())


def _restored(m: Machine) -> bool:
    """Whether the running function calls `train` in a `finally`, on whichever way it is left, or writes modes by hand."""
    function = m.frame.function
    return function is not None and _puts_back(function.node)


@of_tree(maxsize=64)
def _puts_back(function: ast.AST) -> bool:
    nodes = walk(function)
    return any(
        isinstance(each, ast.Attribute) and each.attr == "training" and isinstance(each.ctx, ast.Store)
        for each in nodes
    ) or any(
        isinstance(each, ast.Attribute) and each.attr == "train"
        for block in nodes
        if isinstance(block, ast.Try)
        for statement in block.finalbody
        for each in walk(statement)
    )


def used(m: Machine, model: InstanceValue, node: ast.expr | None) -> None:
    """A model is called under `no_grad`: of one whose weights were loaded, nobody wants what dropout makes."""
    if m.loops and not registry.owned(m, model):
        _note_call(m, model)
    _used_after_training(m, model, node)
    loaded = m.state.get(model, "#loaded weights")
    if (
        not isinstance(loaded, tuple)
        or node is None
        or m.silent
        or m.grad_enabled() is not False
        or m.resolve(m.state.get(model, "training", TRUE)) != TRUE
        or m.state.get(model, "train at") is not None
        or m.state.get(model, "#escaped") is not None
        or registry.owned(m, model)
    ):
        return
    own = registry.parameters(m, model)
    if any(m.state.get(each, "grad", "none") != "none" for each in own):
        return  # it is trained
    layer = _different(m, model)
    if layer and isinstance(node, ast.Call):
        m.emit(ModeForgotten(m.site(node), m.frame.statement, m.text(node.func), layer, loaded[0], loaded[1]))
        m.state.set(model, "#loaded weights", None)


def _different(m: Machine, model: InstanceValue) -> str:
    """The name of a layer that makes a difference."""
    return next(
        (
            each.library.rpartition(".")[2]
            for each in registry.walk(m, model)
            if each.cls is None and any(word in each.library for word in _LIKELY_DIFFERENT)
        ),
        "",
    )


def _used_after_training(m: Machine, model: InstanceValue, node: ast.expr | None) -> None:
    """A model is called under `no_grad` behind the loop that has trained it, and nothing has called `eval` on it."""
    mark = m.state.get(model, "#trained in")
    if mark is None:
        return
    mark = m.state.resolve(mark)
    if (
        not isinstance(mark, tuple)
        or not isinstance(node, ast.Call)
        or m.muted
        or m.grad_enabled() is not False
        or m.state.resolve(m.state.get(AMBIENT, "grad", True)) is not False
        or m.resolve(m.state.get(model, "training", TRUE)) != TRUE
        or m.state.get(model, "#escaped") is not None
        or registry.owned(m, model)
    ):
        return
    if not m.program_runs and any(
        frame.symbolic and frame.function is not None and frame.function.node in m.executed_by_program
        for frame in m.frames
    ):
        return  # the program has shown in which mode it is
    if _is_given_noise(node):
        return
    site, number, serial = mark
    trained_since = m.state.get(model, "train at")
    if any(loop.trains or loop.number == number for loop in m.loops):
        return  # what a step of training does without gradients is a part of it
    if isinstance(trained_since, int) and trained_since > serial:
        return
    layer = _different(m, model)
    if layer and not any(
        frame.function is not None and frame.function.name == "forward" for frame in m.frames
    ):
        m.emit(
            ModeForgotten(m.site(node), m.frame.statement, m.text(node.func), layer, site, None, trained=True)
        )
    m.state.set(model, "#trained in", None)


def _is_given_noise(call: ast.Call) -> bool:
    """Whether a generator makes something of noise: that is looked at as often in the mode in which it is trained."""
    given = call.args[0] if call.args else None
    while isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and given.func.attr == "to":
        given = given.func.value
    name = given.attr if isinstance(given, ast.Attribute) else getattr(given, "id", "")
    return priors.is_named_like_noise(name)


_LIKELY_DIFFERENT: Final = ("Dropout", "BatchNorm")


def called(m: Machine, function: object) -> None:
    """Something unknown is called: a model, perhaps, in the mode that it was put into."""
    if (
        isinstance(function, Symbol)
        and m.state.get(function, "eval at") is not None
        and m.grad_enabled() is True
    ):
        m.state.set(function, "called with grad", next_serial())


def stepped(m: Machine, node: ast.expr, parameters: list[TensorValue] | None) -> None:
    """An optimizer steps: on `parameters`, or on what we do not know."""
    _note_training(m, node, parameters or [])
    for owner in m.state.get(AMBIENT, "evaluated", ()):  # type: ignore[attr-defined]
        found = _left_in_eval(m, owner)
        if found is None or not _trained(m, owner, found[1], parameters):
            continue
        (site, statement), loop = found
        start = loop.node.body[0] if isinstance(loop.node, (ast.For, ast.AsyncFor, ast.While)) else None
        here = site.calls == m.site(node).calls and site.source is m.source
        model = (
            site.source.slice(site.node.func.value)
            if isinstance(site.node, ast.Call) and isinstance(site.node.func, ast.Attribute)
            else "the model"
        )
        m.emit(
            TrainedInEvalMode(
                site, statement, model, m.site(node), start if here and loop in m.frame.loops else None
            )
        )
        m.state.set(owner, "eval at", None)


def _note_training(m: Machine, node: ast.expr, parameters: list[TensorValue]) -> None:
    """Remember of each model that is called as a whole by which loop it is trained."""
    if not m.loops:
        return
    for owner in m.state.get(AMBIENT, "called", ()):  # type: ignore[attr-defined]
        own = registry.parameters(m, owner)
        if own and all(each in parameters or m.requires_grad(each) is False for each in own):
            m.state.set(owner, "#trained in", (m.site(node), m.loops[-1].number, next_serial()))


def _note_call(m: Machine, model: InstanceValue) -> None:
    known = m.state.get(AMBIENT, "called", ())
    if model not in known and len(known) < limits.MODELS_WATCHED:  # type: ignore[operator,arg-type]
        m.state.set(AMBIENT, "called", (*known, model))  # type: ignore[misc]


def _left_in_eval(m: Machine, owner: object) -> tuple[tuple[Site, ast.stmt | None], LoopFrame] | None:
    """Place in an earlier iteration that put a module into eval mode, with nothing to undo it in the loop."""
    for mark in leaves(m.state.resolve(m.state.get(owner, "eval at"))):
        if not isinstance(mark, tuple):
            continue
        site, statement, serial = mark
        loop = next((each for each in m.loops if each.number <= serial < each.iteration), None)
        if loop is None:
            continue
        trained = [each for each in leaves(m.state.get(owner, "train at")) if isinstance(each, int)]
        if not any(each >= loop.number for each in trained):
            return (site, statement), loop
    return None


def _trained(m: Machine, owner: object, loop: LoopFrame, parameters: list[TensorValue] | None) -> bool:
    """Whether this iteration computes gradients of a module that behaves otherwise in eval mode."""
    if isinstance(owner, InstanceValue):
        if parameters is None or not registry.is_module(m, owner) or registry.owned(m, owner):
            return False
        own = registry.parameters(m, owner)
        return any(each in parameters for each in own) and _differs(m, owner)
    if isinstance(owner, Symbol) and m.state.get("backward", "last") is not None:
        return any(
            isinstance(each, int) and each >= loop.iteration
            for each in leaves(m.state.get(owner, "called with grad"))
        )
    return False


def _differs(m: Machine, owner: InstanceValue) -> bool:
    return not registry.is_whole(m, owner) or any(
        word in each.library
        for each in registry.walk(m, owner)
        if each.cls is None
        for word in _DIFFERENT_IN_EVAL
    )
