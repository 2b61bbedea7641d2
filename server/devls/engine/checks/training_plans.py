"""Objects made for training that do not train: parameters that no optimizer holds, schedulers that nothing steps."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.checks.missing_detach import COPY_OF
from devls.engine.core import moments, notes, program_moments, training_moments
from devls.engine.core.events.events import OptimizerGiven
from devls.engine.core.events.protocols import SchedulerIdle
from devls.engine.python import iteration
from devls.engine.python.iterables import COUNT
from devls.engine.torch import optimizer_construction
from devls.engine.torch.nn import registry
from devls.engine.torch.nn.calls import BUILT_LATE
from devls.syntax.layout import ancestors, assigned_to
from devls.syntax.nodes import walk
from devls.values.conditions import leaves
from devls.values.facts import fact
from devls.values.value import TRUE, Const, InstanceValue, TensorValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import LoopFrame
    from devls.engine.core.moments import WalkedGraph
    from devls.values.graph import Node
    from devls.values.history import Site
    from devls.values.value import FunctionValue

_SCHEDULERS: Final = "torch.optim.lr_scheduler."


@fact
class Plan:
    """A scheduler as it was made: for which optimizer, and for how many steps."""

    optimizer: InstanceValue
    text: str
    horizon: object
    per_batch: bool  # it counts the batches of an epoch
    repeats: bool  # it does the same again and again, so often


@notes.record
class Plans(notes.Record):
    """Schedulers and optimizers of a run, and the parameters that have got gradients and are in no optimizer."""

    __slots__ = (
        "around",
        "called",
        "driven",
        "evaluated",
        "frozen",
        "open",
        "optimizers",
        "reached",
        "schedulers",
        "stepped",
        "unfrozen",
    )

    def __init__(self) -> None:
        self.schedulers: dict[InstanceValue, Plan] = {}
        self.driven: dict[InstanceValue, Site] = {}  # schedulers that step, or that another one steps
        self.optimizers: list[InstanceValue] = []
        self.stepped: dict[InstanceValue, Site] = {}
        self.around: set[int] = set()  # loops with a loop in them in which an optimizer steps
        self.reached: dict[TensorValue, bool] = {}  # whether what is trained lies before them
        self.called: dict[InstanceValue, None] = {}  # modules that are called from outside of modules
        self.evaluated: set[InstanceValue] = set()  # layers that have run in eval mode
        self.frozen: dict[InstanceValue, Site] = {}  # layers in train mode, and where they ran
        self.unfrozen: dict[TensorValue, Site] = {}  # parameters in no optimizer that are to be trained again
        self.open = False

    def waits_for_end(self) -> bool:
        """A later statement may step, or hand parameters to an optimizer."""
        return bool(self.schedulers or self.reached or self.frozen or self.unfrozen)


@training_moments.body_skipped.on
def body_skipped(m: Machine) -> None:
    """Code that is not run may step whatever there is."""
    m.notes.of(Plans).open = True


# Schedulers


_HORIZONS: Final = {
    "CosineAnnealingLR": (1, "T_max"),
    "PolynomialLR": (1, "total_iters"),
    "LinearLR": (3, "total_iters"),
    "OneCycleLR": (2, "total_steps"),
    "StepLR": (1, "step_size"),
}


@training_moments.scheduler_built.on
def scheduler_built(m: Machine, scheduler: InstanceValue, optimizer: object, call: Invocation) -> None:
    """Remember a scheduler; those that it is given are stepped by it."""
    record = m.notes.of(Plans)
    for value in (*call.arguments, *call.keywords.values()):
        for each in iteration.items(m, value, None) or ():
            inner = m.resolve(each)
            if isinstance(inner, InstanceValue) and inner.library.startswith(_SCHEDULERS):
                record.driven[inner] = m.site(call.node)
    if not isinstance(optimizer, InstanceValue):
        return
    horizon = _HORIZONS.get(call.short_name)
    value = None if horizon is None else call.argument(*horizon)
    statement = m.frame.statement
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    text = m.text(target) if isinstance(target, (ast.Name, ast.Attribute)) else call.short_name
    steps = m.resolve(call.keywords.get("steps_per_epoch", Const(1)))
    plan = Plan(
        optimizer,
        text,
        None if value is None else m.resolve(value),
        steps != Const(1),
        call.short_name == "StepLR",
    )
    record.schedulers[scheduler] = plan


def scheduler_steps(m: Machine, call: Invocation) -> None:
    """`scheduler.step()`."""
    scheduler, record = m.resolve(call.receiver), m.notes.of(Plans)
    if not isinstance(scheduler, InstanceValue):
        record.open = True
        return
    told = scheduler in record.driven
    record.driven[scheduler] = m.site(call.node)
    plan = record.schedulers.get(scheduler)
    if plan is None or told or len(call.arguments) > 1 or call.keywords or m.muted:
        return
    problem = ""
    if _is_per_batch(m, call.node, plan.horizon, repeats=plan.repeats):
        problem = "per batch"
    elif plan.per_batch and m.loops and m.loops[-1].number in record.around:
        problem = "per epoch"
    if problem:
        _idle(m, scheduler, plan, problem, record.driven[scheduler])


def _is_per_batch(m: Machine, node: ast.AST, horizon: object, *, repeats: bool) -> bool:
    """Whether a step stands in a loop inside the one that goes as often as a schedule is long."""
    if horizon is None or horizon in (Const(1), Const(None)) or len(m.loops) < 2:
        return False
    inner = m.loops[-1]
    if _count(m, inner) == Const(1) or not any(
        _fits(_count(m, each), horizon, repeats=repeats) for each in m.loops[:-1]
    ):
        return False
    if not isinstance(inner.node, (ast.For, ast.AsyncFor)) or _count(m, inner) == horizon:
        return False
    for each in ancestors(m.source, node):
        if each is inner.node:
            return True
        if isinstance(each, (ast.If, ast.While, ast.FunctionDef)):
            return False
    return False


def _fits(count: object, horizon: object, *, repeats: bool) -> bool:
    """Whether a schedule is as long as a loop; one that repeats itself may do so several times in it."""
    if repeats and isinstance(count, Const) and isinstance(horizon, Const):
        rounds, length = count.value, horizon.value
        return isinstance(rounds, int) and isinstance(length, int) and 1 < length <= rounds
    return count == horizon


def _count(m: Machine, loop: LoopFrame) -> object:
    """How often a loop over a `range` goes round, if that is known."""
    iterable = m.resolve(loop.iterable)
    found = m.state.get(iterable, COUNT)
    if found is None and isinstance(loop.node, ast.For) and loop.exact:
        items = iteration.items(m, iterable, None)
        return None if items is None else Const(len(items))
    return m.resolve(found)


def _idle(m: Machine, scheduler: InstanceValue, plan: Plan, problem: str, step: Site) -> None:
    if scheduler.origin is None:
        return
    text = optimizer_construction.name_of(m, plan.optimizer)
    site = step if problem.startswith("per") else scheduler.origin
    m.emit(SchedulerIdle(site, None, plan.text, text, scheduler.origin, None, problem))


def _schedulers_ended(m: Machine, record: Plans) -> None:
    """Tell of schedulers that nothing has stepped, and of those of optimizers that do not step."""
    for scheduler, plan in record.schedulers.items():
        optimizer, step = plan.optimizer, record.driven.get(scheduler)
        if any(m.state.get(each, "#escaped") is not None for each in (scheduler, optimizer)):
            continue
        if scheduler.serial <= m.run_began:
            continue
        if step is None and optimizer in record.stepped:
            _idle(m, scheduler, plan, "never", record.stepped[optimizer])
        elif step is not None and optimizer not in record.stepped:
            own = set(held_by(m, optimizer))
            if any(own and own == set(held_by(m, each)) for each in record.stepped):
                _idle(m, scheduler, plan, "other", step)


def held_by(m: Machine, optimizer: InstanceValue) -> Sequence[TensorValue]:
    """The parameters of an optimizer."""
    held = m.state.resolve(m.state.get(optimizer, "#parameters", ()))
    return held if isinstance(held, tuple) else ()


# Parameters that get gradients, and that no optimizer holds


@training_moments.optimizer_built.on
def optimizer_built(m: Machine, optimizer: InstanceValue, parameters: list[TensorValue]) -> None:
    """An optimizer holds parameters."""
    del parameters
    m.notes.of(Plans).optimizers.append(optimizer)


@training_moments.stepped.on
def stepped(m: Machine, optimizer: object, node: ast.expr, text: str) -> None:
    """An optimizer steps."""
    del text
    record = m.notes.of(Plans)
    record.around.update(each.number for each in m.loops[:-1])
    if isinstance(optimizer, InstanceValue):
        record.stepped.setdefault(optimizer, m.site(node))
    else:
        record.open = True


@program_moments.instance_called.on
def instance_called(
    m: Machine, instance: InstanceValue, arguments: Sequence[object], node: ast.expr | None, result: object
) -> None:
    """A module is called, from outside of modules perhaps."""
    del arguments, node, result
    called = m.notes.of(Plans).called
    if instance not in called and registry.forward_running(m) is None and registry.is_module(m, instance):
        called[instance] = None


@moments.graph_walked.on
def graph_walked(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward fills gradients: of parameters that an optimizer holds, and of others."""
    del invocation
    record = m.notes.of(Plans)
    if graph.ahead or not graph.accumulates or not record.optimizers:
        return
    held = {each for each in graph.leaves if m.state.get(each, "#optimized") is not None}
    free = [
        each
        for each in graph.leaves
        if each not in held
        and (each.is_parameter or m.state.get(each, _PLAIN) is not None)
        and each.symbol is None
        and each.sides is None
    ]
    if not held or not free:
        return
    behind = _behind_trained(graph, held)
    for each in free:
        uses = any(_meets(node, each, behind) for node in behind)
        record.reached[each] = record.reached.get(each, False) or uses


def _meets(node: Node, parameter: TensorValue, behind: set[Node]) -> bool:
    """Whether a node computes with a parameter, or with what was made of it alone, and with what is behind trained ones."""
    if not any(each in behind for each in node.edges):
        return False
    for tensor, edge in zip(node.inputs, node.edges, strict=False):
        below: Node | None = edge
        for _ in range(4):
            if tensor is parameter:
                return True
            if below is None or below in behind or len(below.inputs) != 1:
                break
            tensor, below = below.inputs[0], (below.edges or (None,))[0]  # noqa: PLW2901  one chain
    return False


@program_moments.stored.on
def stored(
    m: Machine,
    node: ast.AST,
    container: object,
    value: object,
    value_node: ast.expr | None,
    *,
    keyed: bool = False,
) -> None:
    """A parameter is put into a list: into that of a group of an optimizer, perhaps."""
    del node, container, value_node, keyed
    parameter = m.resolve(value)
    if isinstance(parameter, TensorValue) and parameter.is_parameter:
        m.state.set(parameter, _PUT, True)


_PUT: Final = "#put into a list"
_PLAIN: Final = "#plain attribute of a module"


@training_moments.module_attribute_set.on
def attribute_set(m: Machine, target: ast.expr, owner: InstanceValue, name: str, value: object) -> None:
    """`self.scale = torch.ones(3, requires_grad=True)`: asked for gradients where a module is made, and no Parameter."""
    del target, name
    if (
        isinstance(value, TensorValue)
        and not value.is_parameter
        and value.symbol is None
        and m.frame.receiver is owner
        and m.frame.function is not None
        and m.frame.function.name == "__init__"
        and m.requires_grad(value) is True
        and m.is_leaf(value) is True
    ):
        m.state.set(value, _PLAIN, True)


def _behind_trained(graph: WalkedGraph, held: set[TensorValue]) -> set[Node]:
    """The nodes that compute with something that trained parameters have had a part in."""
    found: set[Node] = set()
    order = list(graph.nodes)[::-1]
    for _ in range(3):
        before = len(found)
        for node in order:
            if any(each in held for each in node.inputs) or any(each in found for each in node.edges):
                found.add(node)
        if len(found) == before:
            break
    return found


@training_moments.parameter_flag_set.on
def parameter_flag_set(m: Machine, parameter: TensorValue, node: ast.AST, wanted: object) -> None:
    """A parameter that was frozen when the optimizer was made is to be trained from here on."""
    record = m.notes.of(Plans)
    if (
        wanted is True
        and record.stepped
        and parameter.symbol is None
        and False in leaves(m.requires_grad(parameter))
        and m.state.get(parameter, "#optimized") is None
    ):
        record.unfrozen.setdefault(parameter, m.site(node))


def _unfrozen_in_vain(m: Machine, record: Plans, built: list[InstanceValue]) -> None:
    """Tell of parameters that are trained again while no optimizer holds them, but others of the same model."""
    for parameter, site in record.unfrozen.items():
        if parameter.serial <= m.run_began or any(
            m.state.get(parameter, slot) is not None for slot in _EXEMPT
        ):
            continue
        roots = [each for each in record.called if parameter in registry.parameters(m, each)]
        own = [each for root in roots for each in registry.parameters(m, root)]
        if parameter in record.reached or any(m.state.get(each, "#optimized") is not None for each in own):
            node = site.node.value if isinstance(site.node, ast.Attribute) else site.node
            text, optimizer = " ".join(site.source.slice(node).split()), built[0]
            named = optimizer_construction.name_of(m, optimizer)
            m.emit(OptimizerGiven(site, None, named, "unfrozen", text, None, None, optimizer.origin))
            return


def optimizers_in_view(m: Machine, record: Plans) -> list[InstanceValue]:
    """Optimizers that have stepped; none if what some of a run hold is not known."""
    if any(
        m.state.get(each, "#whole") is not True or m.state.get(each, "#escaped") is not None
        for each in record.optimizers
    ):
        return []
    return [each for each in record.optimizers if each in record.stepped]


def _left_out(m: Machine, record: Plans) -> None:
    """Tell of parameters that get gradients, and that nothing steps."""
    built = optimizers_in_view(m, record)
    if not built:
        return
    _unfrozen_in_vain(m, record, built)
    told: set[object] = set()
    for parameter, after in record.reached.items():
        if (
            parameter.serial <= m.run_began
            or parameter.origin is None
            or m.requires_grad(parameter) is not True
            or any(m.state.get(parameter, slot) is not None for slot in _EXEMPT)
        ):
            continue
        owner = _owner(m, record, parameter, after=after, built=built)
        if owner is None or owner.origin is None or owner.origin.key in told:
            continue
        told.add(owner.origin.key)
        if owner is parameter and _is_put_under_key(owner.origin):
            continue
        late = all(parameter.serial > each.serial for each in built)
        made = owner.origin
        text = " ".join(made.source.slice(assigned_to(made.source, made.node) or made.node).split())
        optimizer = optimizer_construction.name_of(m, built[0])
        problem = "added later" if late else "left out"
        problem = "plain" if m.state.get(parameter, _PLAIN) is not None else problem
        m.emit(OptimizerGiven(made, None, optimizer, problem, text, None, None, built[0].origin))


def _is_put_under_key(made: Site) -> bool:
    """Whether what is made at a place is put under a key by its name, `parts[name] = weight`: into a ParameterDict, perhaps."""
    named = assigned_to(made.source, made.node)
    name = None if named is None else ast.dump(named).replace("Store()", "Load()")
    around = ancestors(made.source, made.node)
    return name is not None and any(
        isinstance(each, ast.Assign)
        and any(isinstance(target, ast.Subscript) for target in each.targets)
        and ast.dump(each.value) == name
        for each in walk(around[-2] if len(around) > 1 else made.source.tree)
    )


_EXEMPT: Final = ("#optimized", "#grad seen", "#escaped", "#replaced at", COPY_OF, _PUT, BUILT_LATE)


def _owner(
    m: Machine, record: Plans, parameter: TensorValue, *, after: bool, built: list[InstanceValue]
) -> InstanceValue | TensorValue | None:
    """Module of which no optimizer holds anything, part that was added, or single parameter."""
    roots = [each for each in record.called if parameter in registry.parameters(m, each)]
    for root in roots:
        own = registry.parameters(m, root)
        if any(m.state.get(each, "#optimized") is not None for each in own):
            # A part of a model is often left as it is; what was made later is not left out on purpose.
            return parameter if all(parameter.serial > each.serial for each in built) else None
    if not roots:
        return parameter
    root = max(roots, key=lambda each: len(list(registry.walk(m, each))))  # the outermost
    in_use = m.resolve(m.state.get(root, "training", TRUE)) == TRUE
    loaded = any(m.state.get(each, "#loaded weights") is not None for each in registry.walk(m, root))
    # A model that is put into train mode by a call is to be trained, whatever comes after it.
    trained = after or m.state.get(root, "train at") is not None
    return root if trained and in_use and not loaded and registry.is_whole(m, root) else None


@program_moments.program_ended.on
def program_ended(m: Machine, *, whole: bool) -> None:
    """A program has ended."""
    record = m.notes.of(Plans)
    if whole and not record.open:
        _schedulers_ended(m, record)
        _left_out(m, record)
    record.schedulers, record.reached, record.unfrozen = {}, {}, {}


@program_moments.run_ended.on
def run_ended(m: Machine, function: FunctionValue, result: object) -> None:
    """A function that was run by itself has ended: what it has made itself is judged, unless it gives that away."""
    del function
    record = m.notes.of(Plans)
    if not record.open and m.resolve(result) == Const(None):
        _left_out(m, record)
    record.schedulers, record.reached, record.unfrozen = {}, {}, {}
