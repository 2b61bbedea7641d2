"""Calls of optimizers, schedulers, samplers and queues that torch refuses, or that do not do what they are for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, notes, program_moments, training_moments
from devls.engine.core.events.calls import ForwardNamed, FunctionMisused, NotCallable
from devls.engine.core.events.events import FlagWithoutEffect, GraphCopied, OptimizerGiven
from devls.engine.core.events.protocols import ClosureLacking, OrderRepeated, SchedulerIdle
from devls.engine.core.invocation import Invocation
from devls.engine.evidence import use_of_names
from devls.engine.python import classes, iteration
from devls.engine.torch import checkpoints, optimizer_construction
from devls.engine.torch.functions.custom_functions import CONTEXT
from devls.engine.torch.nn import registry
from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk
from devls.values.conditions import leaves
from devls.values.state import AMBIENT
from devls.values.value import FALSE, NONE, FunctionValue, InstanceValue, TensorValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Frame, LoopFrame
    from devls.engine.core.moments import WalkedGraph
    from devls.values.history import Site

_SAMPLER: Final = "DistributedSampler"
_QUEUES: Final = frozenset({"Queue", "SimpleQueue", "JoinableQueue"})
_SAVES: Final = frozenset({"torch.save", "torch.load"})
_SAVED: Final = "#saved whole"
"""The slot of the surroundings with the files that hold a module, by their paths."""


@moments.watches
def is_watched(name: str) -> bool:
    """Whether each call of a library function is looked at here."""
    return name in _SAVES or name.endswith((f"{_SAMPLER}.set_epoch", *(f".{each}.put" for each in _QUEUES)))


@moments.library_called.on
def before(m: Machine, call: Invocation) -> None:
    """A library function is about to be called."""
    name = call.name
    if name.endswith(".step") and name.startswith("torch.optim.") and len(call.arguments) > 0:
        owner = m.resolve(call.receiver)
        if isinstance(owner, InstanceValue) and {"*", "**"}.isdisjoint(call.keywords):
            _steps(m, call, owner)
    elif name.endswith(f"{_SAMPLER}.set_epoch"):
        m.state.set(m.resolve(call.receiver), _TOLD, True)
    elif name.endswith(".put") and "multiprocessing" in name:
        _sent(m, call)
    elif name in _SAVES:
        _saved_or_loaded(m, call)


# Arguments that `step` needs


def _steps(m: Machine, call: Invocation, owner: InstanceValue) -> None:
    kind = m.library.optimizer(owner.library)
    if m.loops and kind is None:
        _note_step(m, owner)
    if owner.library.endswith(".ReduceLROnPlateau"):
        _plateau_steps(m, call, owner)
    elif kind is not None and kind.needs_closure:
        closure = m.resolve(call.argument(1, "closure")) if call.argument(1, "closure") is not None else NONE
        problem = "none" if closure == NONE else "gives nothing" if _gives_nothing(closure) else ""
        if problem:
            text = m.text(call.receiver_node) if call.receiver_node is not None else "the optimizer"
            m.emit(ClosureLacking(m.site(call.node), m.frame.statement, text, problem))


def _gives_nothing(closure: object) -> bool:
    """Whether a function never returns a value."""
    node = closure.node if isinstance(closure, FunctionValue) else None
    return (
        isinstance(node, ast.FunctionDef)
        and not node.decorator_list
        and all(each.value is None for each in walk(node) if isinstance(each, ast.Return))
        and not any(isinstance(each, (ast.Yield, ast.YieldFrom, ast.Raise)) for each in walk(node))
    )


def _plateau_steps(m: Machine, call: Invocation, scheduler: InstanceValue) -> None:
    """`scheduler.step()` without the number that it is to watch, or with that of the epoch."""
    given, node = call.argument(1, "metrics"), call.argument_node(1, "metrics")
    problem = "no metric" if given is None else "epoch watched" if _counts(m, node) else ""
    if problem and scheduler.origin is not None:
        receiver = call.receiver_node
        text = m.text(receiver) if receiver is not None else "the scheduler"
        m.emit(SchedulerIdle(m.site(call.node), None, text, "", scheduler.origin, None, problem))


def _counts(m: Machine, node: ast.expr | None) -> bool:
    """Whether a name is that by which a loop around counts its rounds: a number that always grows."""
    if not isinstance(node, ast.Name):
        return False
    around = set(ancestors(m.source, node))
    return any(
        loop.node in around
        and isinstance(loop.node, ast.For)
        and isinstance(loop.node.target, ast.Name)
        and iteration.is_range(m.resolve(loop.iterable))
        and [each for each in _stored(loop.node) if each.id == node.id] == [loop.node.target]
        for loop in m.loops
    )


def _stored(loop: ast.For) -> Iterator[ast.Name]:
    for each in walk(loop):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each


# Optimizers and schedulers that are made anew in each iteration


_MADE: Final[notes.LoopNote[dict[InstanceValue, int]]] = notes.LoopNote(dict)
"""By what an iteration has made: how often it has stepped in the loop itself."""

_OFTEN: Final = 1000
"""Stands for the steps of a loop inside."""


@training_moments.optimizer_built.on
def optimizer_built(m: Machine, optimizer: InstanceValue, parameters: list[TensorValue]) -> None:
    """An optimizer is made, in a loop perhaps."""
    if m.loops and not m.silent and parameters and not _is_made_on_purpose(m, optimizer.origin):
        started = m.loops[-1].number
        if all(each.serial < started and each.symbol is None for each in parameters):
            _MADE.of(m.loops[-1])[optimizer] = 0


@training_moments.scheduler_built.on
def scheduler_built(m: Machine, scheduler: InstanceValue, optimizer: object, call: Invocation) -> None:
    """A scheduler is made, in a loop perhaps."""
    if (
        m.loops
        and not m.silent
        and isinstance(optimizer, InstanceValue)
        and optimizer.serial < m.loops[-1].number
        and not _is_made_on_purpose(m, scheduler.origin)
        and not {"last_epoch", "*", "**"} & set(call.keywords)
    ):
        _MADE.of(m.loops[-1])[scheduler] = 0


def _is_made_on_purpose(m: Machine, made: Site | None) -> bool:
    """Whether something is made in some iterations only, or each time in the way that the loop is about."""
    places = [] if made is None else [(each.source, each.node) for each in (*made.calls, made)]
    loop = m.loops[-1].node
    bound = (
        {each.id for each in walk(loop.target) if isinstance(each, ast.Name)}
        if isinstance(loop, ast.For)
        else set()
    )
    return (
        m.frame.undecided > 0
        or any(
            isinstance(around, (ast.If, ast.IfExp, ast.Try, ast.BoolOp))
            for source, node in places[-1:]
            for around in _up_to_loop(ancestors(source, node))
        )
        or any(
            isinstance(each, ast.Name) and each.id in bound and isinstance(call, ast.Call)
            for _, call in places
            if call in walk(loop)
            for each in walk(call)
        )
    )


def _up_to_loop(above: Iterable[ast.AST]) -> list[ast.AST]:
    found: list[ast.AST] = []
    for each in above:
        if isinstance(each, (ast.For, ast.While, ast.FunctionDef)):
            break
        found.append(each)
    return found


def _note_step(m: Machine, stepped: InstanceValue) -> None:
    for loop in m.loops:
        made = _MADE.of(loop) if loop.noted else {}
        if stepped in made:
            made[stepped] += 1 if loop is m.loops[-1] else _OFTEN


@training_moments.stepped.on
def stepped(m: Machine, optimizer: object, node: ast.expr, text: str) -> None:
    """An optimizer steps."""
    del node, text
    if m.loops and isinstance(optimizer, InstanceValue):
        _note_step(m, optimizer)


def _made_anew(m: Machine, loop: LoopFrame) -> None:
    """Tell of one that has stepped once before the next one takes its place."""
    for made, steps in _MADE.take(loop).items():
        if (
            steps != 1
            or made.origin is None
            or any(m.state.get(made, slot) is not None for slot in ("#escaped", "loaded at", "#put into"))
        ):
            continue
        if made.library.startswith("torch.optim.lr_scheduler."):
            m.emit(SchedulerIdle(made.origin, None, _target(made.origin), "", made.origin, None, "made anew"))
            return
        kind = m.library.optimizer(made.library)
        if kind is not None and (kind.state != "none" or m.state.get(made, "#momentum") is True):
            text = optimizer_construction.name_of(m, made)
            m.emit(OptimizerGiven(made.origin, None, text, "made anew", text, None))
            return


def _target(made: Site) -> str:
    node = made.node
    return " ".join(made.source.slice(node.func).split()) if isinstance(node, ast.Call) else "the scheduler"


# Attributes that nothing reads


@program_moments.replaced.on
def replaced(
    m: Machine, target: ast.Attribute | ast.Subscript, old: object, value: object, node: ast.expr
) -> None:
    """`optimizer.lr = 0.01`: the settings are in `param_groups`, and nothing reads this."""
    del old, value
    if not isinstance(target, ast.Attribute):
        return
    owner = use_of_names.looked_up(m, target.value) if use_of_names.is_plain(target.value) else None
    kind = (
        m.library.optimizer(owner.library) if isinstance(owner, InstanceValue) and owner.cls is None else None
    )
    if kind is not None and target.attr in kind.settings and not _is_read(m, target.attr):
        text = m.text(target.value)
        event = FlagWithoutEffect(
            m.site(target), m.frame.statement, text, "setting", target.value, target.attr, node
        )
        m.emit(event)


def _is_read(m: Machine, name: str) -> bool:
    """Whether the file reads an attribute of this name."""
    return any(
        isinstance(each, ast.Attribute) and each.attr == name and isinstance(each.ctx, ast.Load)
        for each in walk(m.source.tree)
    )


@program_moments.comparison_dropped.on
def comparison_dropped(m: Machine, statement: ast.Expr, node: ast.Compare) -> None:
    """`parameter.requires_grad == False`, as a statement: it sets nothing."""
    target = node.left
    if (
        not isinstance(target, ast.Attribute)
        or len(node.ops) != 1
        or not isinstance(node.ops[0], ast.Eq)
        or (m.frame.function is None and not m.loops)
        or not use_of_names.is_plain(target.value)
    ):
        return
    owner = use_of_names.looked_up(m, target.value)
    if isinstance(owner, (TensorValue, InstanceValue)):
        text = m.text(target.value)
        problem, value = "compared", node.comparators[0]
        m.emit(FlagWithoutEffect(m.site(node), statement, text, problem, target.value, target.attr, value))


# The order of a sampler that is the same in each epoch


_TOLD: Final = "#told the epoch"

_REPEATED: Final[notes.LoopNote[dict[InstanceValue, Site]]] = notes.LoopNote(dict)
"""By the samplers whose loaders have been walked inside of a loop: where the loader is made."""


@program_moments.loop_ended.on
def loop_ended(m: Machine, loop: LoopFrame) -> None:
    """A loop over a loader is over, or one over epochs."""
    if not loop.noted and not m.loops:
        return
    _made_anew(m, loop)
    for sampler, site in _REPEATED.take(loop).items():
        if m.state.get(sampler, _TOLD) is None and m.state.get(sampler, "#escaped") is None:
            m.emit(OrderRepeated(sampler.origin or site, None, site))
    if not m.loops or m.silent:
        return
    for loader in m.alternatives(loop.iterable):
        if (
            isinstance(loader, InstanceValue)
            and loader.origin is not None
            and loader.serial < m.loops[-1].number
            and m.state.get(loader, "#escaped") is None
        ):
            for each in leaves(m.state.get(loader, "sampler")):
                if isinstance(each, InstanceValue) and _shuffles(m, each) and loop.trains:
                    _REPEATED.of(m.loops[-1])[each] = loader.origin


def _shuffles(m: Machine, sampler: InstanceValue) -> bool:
    return sampler.library.endswith(f".{_SAMPLER}") and m.resolve(m.state.get(sampler, "shuffle")) != FALSE


# Files, queues, functions


def _saved_or_loaded(m: Machine, call: Invocation) -> None:
    """A module that is saved as a whole, and read as if it were weights only."""
    files = m.state.resolve(m.state.get(AMBIENT, _SAVED, ()))
    known = files if isinstance(files, tuple) else ()
    if call.name == "torch.save":
        saved, path = m.resolve(call.argument(0, "obj")), checkpoints.path_of(m, call.argument(1, "f"))
        others = tuple(each for each in known if each[0] != path)
        whole = isinstance(saved, InstanceValue) and registry.is_module(m, saved)
        m.state.set(AMBIENT, _SAVED, (*others, (path, m.site(call.node))) if whole else others)
        return
    path = checkpoints.path_of(m, call.argument(0, "f"))
    place = next((site for each, site in known if each == path), None)
    node = call.argument_node(0, "f")
    if place is not None and node is not None and {"weights_only", "**"}.isdisjoint(call.keywords):
        m.emit(NotCallable(m.site(call.node), m.frame.statement, m.text(node), "whole", "", place))


def _sent(m: Machine, call: Invocation) -> None:
    """`queue.put(x)` of a tensor in a graph."""
    tensor = m.tensor_of(call.argument(1, "obj"), infer=False)
    node = call.argument_node(1, "obj")
    if (
        tensor is not None
        and node is not None
        and tensor.symbol is None
        and m.requires_grad(tensor) is True
        and m.is_leaf(tensor) is False
    ):
        m.emit(
            GraphCopied(
                m.site(call.node),
                m.frame.statement,
                m.text(node),
                argument=node,
                made=tensor.origin,
                sent=True,
            )
        )


@program_moments.function_ended.on
def function_ended(
    m: Machine, frame: Frame, function: FunctionValue, result: object, grad_before: object
) -> None:
    """`MyFunction.forward(None, x)`: its own gradient is not used."""
    if function.cls is None or function.name != "forward" or grad_before is not True or not frame.calls:
        return
    names = [each.arg for each in function.node.args.args]
    context = m.resolve(m.state.get(frame.scope, names[0])) if names else None
    is_none = context == NONE
    is_object = isinstance(context, InstanceValue) and (context.cls is not None or context.library != CONTEXT)
    if not (is_none or is_object):
        return
    backward = classes.class_attribute(m, function.cls, "backward")
    made = m.tensor_of(result, infer=False)
    if (
        made is not None
        and m.requires_grad(made) is True
        and isinstance(backward, FunctionValue)
        and "torch.autograd.Function" in classes.library_bases(m, function.cls)
    ):
        m.emit(FunctionMisused(frame.calls[-1], m.frame.statement, function.cls.name, "forward"))


# Modules that are wrapped for several processes


_WRAPPED: Final = "#wrapped by"
"""The slot of a module, and of its parameters, with the wrapper that adds up gradients of all processes."""

_THROUGH: Final = "#called through"
"""The slot of a wrapper with the call in which it has called its module last."""


@notes.record
class WrappedCalls(notes.Record):
    """Calls of wrapped modules past their wrappers."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: dict[InstanceValue, tuple[Site, ast.stmt | None, ast.expr]] = {}


@training_moments.wrapped.on
def wrapped(m: Machine, wrapper: InstanceValue, module: object) -> None:
    """`DistributedDataParallel(module)`."""
    if wrapper.library.endswith("DistributedDataParallel") and isinstance(module, InstanceValue):
        made = m.state.get(wrapper, "#wrap")
        m.state.set(module, _WRAPPED, wrapper)
        if isinstance(made, Invocation) and {"find_unused_parameters", "**"}.isdisjoint(made.keywords):
            for each in registry.parameters(m, module):
                m.state.set(each, _WRAPPED, wrapper)


@training_moments.wrapper_called.on
def wrapper_called(m: Machine, wrapper: InstanceValue, wrapped: object, node: ast.expr) -> None:
    """The wrapper calls its module."""
    del wrapped
    m.state.set(wrapper, _THROUGH, node)


@program_moments.instance_called.on
def instance_called(
    m: Machine,
    instance: InstanceValue,
    arguments: Sequence[object],
    node: ast.expr | None,
    result: object,
) -> None:
    """`wrapper.module(x)`: no other process gets these gradients."""
    del arguments, result
    wrapper = m.state.get(instance, _WRAPPED)
    if (
        isinstance(wrapper, InstanceValue)
        and isinstance(node, ast.Call)
        and m.state.get(wrapper, _THROUGH) is not node
        and m.state.get(wrapper, "#escaped") is None
        and m.grad_enabled() is True
        and isinstance(node.func, ast.Attribute)  # another name may be that of the wrapper in other cases
        and use_of_names.is_plain(node.func)
        and use_of_names.looked_up(m, node.func.value) is wrapper
    ):
        m.notes.of(WrappedCalls).found[instance] = (m.site(node), m.frame.statement, node.func)


@moments.graph_walked.on
def graph_walked(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward goes through a module that was called past its wrapper."""
    del invocation
    found = m.notes.of(WrappedCalls).found
    if not found or graph.ahead or not graph.accumulates:
        return
    leaves_ = set(graph.leaves)
    for module, (site, statement, receiver) in list(found.items()):
        if not leaves_.isdisjoint(registry.parameters(m, module)):
            del found[module]
            m.emit(ForwardNamed(site, statement, m.text(receiver), receiver, hooked=False, past_wrapper=True))


@training_moments.parameter_flag_set.on
def parameter_flag_set(m: Machine, parameter: TensorValue, node: ast.AST, wanted: object) -> None:
    """A parameter of a wrapped module is frozen, or trained again."""
    wrapper = m.state.get(parameter, _WRAPPED)
    if (
        isinstance(wrapper, InstanceValue)
        and isinstance(wanted, bool)
        and m.requires_grad(parameter) is not wanted
        and m.state.get(wrapper, "#escaped") is None
        and isinstance(node, (ast.Attribute, ast.Call))
    ):
        m.state.set(parameter, _WRAPPED, None)
        receiver = node.value if isinstance(node, ast.Attribute) else node.func
        problem = "wrapped before" if wanted is False else "wrapped frozen"
        event = FlagWithoutEffect(
            m.site(node), m.frame.statement, m.text(receiver), problem, receiver, "requires_grad", None
        )
        m.emit(event)
