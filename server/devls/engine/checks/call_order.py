"""Orders that torch asks for: scheduler after optimizer, and the steps of a GradScaler; and functions that are to be told the mode."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.checks import call_arguments, device_selection, training_plans
from devls.engine.core import moments, training_moments
from devls.engine.core.events.calls import DropsInAnyMode, NotCallable
from devls.engine.core.events.protocols import ClippedTooLate, ScalerMisused, SchedulerFirst
from devls.engine.core.joins import Contents, Entries
from devls.engine.evidence import use_of_names
from devls.engine.torch import checkpoints, optim, optimizer_construction
from devls.engine.torch.nn import registry
from devls.engine.torch.nn.methods import HALF
from devls.syntax.layout import ancestors, block_of
from devls.syntax.nodes import walk
from devls.values.conditions import leaves
from devls.values.devices import CPU, KnownDevice
from devls.values.graph import next_serial
from devls.values.history import Site
from devls.values.state import AMBIENT
from devls.values.value import TRUE, Const, InstanceValue, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.moment_facts import WalkedGraph

OF_SCALING: Final = ("scaled backward", "unscaled backward", "clipped scaled", "gradients unscaled")
"""Slots of the surroundings that remember the gradients until a scaler steps."""

_SCALED_BY: Final = "#scaled by"
"""Slot of the surroundings with the scaler that has scaled a loss last."""

_SCALE = "torch.amp.GradScaler.scale"
_CLIPS = frozenset({"torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_"})


_DROPS: Final = frozenset(
    f"torch.nn.functional.{name}"
    for name in "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split()
)
"""Functions that drop numbers unless they are told that nobody trains."""


@moments.library_called.on
def before(m: Machine, call: Invocation) -> None:
    """A library function is about to be called: one that is watched, or one that is given keywords."""
    name = call.name
    call_arguments.before(m, call)
    device_selection.before(m, call)
    # The state of a scaler is numbers, which lie nowhere; None has no such method.
    stateful = not name.startswith("builtins.") and "GradScaler" not in name
    if stateful and name.endswith(".load_state_dict") and len(call.arguments) > 1:
        by_optimizer = name.startswith("torch.optim.")
        _check_entries(m, call)
        if not _is_on_accelerator_anyway(m, call.receiver):
            checkpoints.used(m, call.node, call.arguments[1], by_optimizer=by_optimizer)
    elif name == "torch.save":
        checkpoints.saved(m, call)
    elif name in checkpoints.COPIES:
        checkpoints.copied(m, call)
    elif name.startswith("torch.optim.lr_scheduler.") and name.endswith(".step"):
        training_plans.scheduler_steps(m, call)
        _scheduler_steps(m, call)
    elif "GradScaler." in name and isinstance(call.receiver, InstanceValue):
        _scaler_called(m, call, call.receiver)
    elif name in _CLIPS:
        _gradients_clipped(m, call)
    elif name in _DROPS:
        _drops_in_any_mode(m, call)


def _check_entries(m: Machine, call: Invocation) -> None:
    """`model.load_state_dict("model.pt")`: a path is given where its contents belong, or entries with a wrapper's names."""
    owner, given = m.resolve(call.receiver), m.resolve(call.arguments[1])
    node = call.argument_node(1, "state_dict")
    if not isinstance(owner, InstanceValue) or not registry.is_module(m, owner) or node is None:
        return
    of, entries = m.state.get(given, "state dict"), m.state.get(given, "#entries")
    if isinstance(given, Const) and isinstance(given.value, str):
        m.emit(NotCallable(m.site(call.node), m.frame.statement, m.text(node), "path", "", None))
    elif (
        isinstance(of, InstanceValue)
        and of.library.endswith("DataParallel")
        and m.state.get(of, "#escaped") is None
        and not owner.library.endswith("DataParallel")
        and len(call.arguments) + len(call.keywords) == len(("self", "state_dict"))
        and isinstance(entries, Entries)
        and all(isinstance(each, str) and each.startswith("module.") for each in entries.known)
        and all(name != "module" for name, _ in registry.children(m, owner))
    ):
        m.emit(NotCallable(m.site(call.node), m.frame.statement, m.text(node), "wrapped", "", of.origin))


def _is_on_accelerator_anyway(m: Machine, receiver: object) -> bool:
    """Whether what takes a state is on one known accelerator on all paths: elsewhere the program does not get so far."""
    owner = m.resolve(receiver)
    if not isinstance(owner, InstanceValue):
        return False
    held = m.state.get(owner, "#parameters", ())
    tensors = held if isinstance(held, tuple) and held else registry.parameters(m, owner)
    devices = {m.device(each) for each in tensors if isinstance(each, TensorValue)}
    return len(devices) == 1 and all(isinstance(each, KnownDevice) and each != CPU for each in devices)


@moments.watches
def is_watched(name: str) -> bool:
    """Whether anybody looks at calls of a library function, whatever it is given: of most nobody does."""
    return (
        name.rpartition(".")[2]
        in (*call_arguments.WATCHED, *device_selection.WATCHED, "load_state_dict", "step")
        or name in _CLIPS
        or name in _DROPS
        or name == "torch.save"
        or name in checkpoints.COPIES
        or "GradScaler." in name
        or call_arguments.watches(name)
        or device_selection.watches(name)
    )


# Schedulers


def _scheduler_steps(m: Machine, call: Invocation) -> None:
    scheduler = m.resolve(call.receiver)
    if not isinstance(scheduler, InstanceValue) or scheduler.library.endswith("ReduceLROnPlateau"):
        return
    optimizer = m.resolve(m.state.get(scheduler, "#optimizer"))
    if not isinstance(optimizer, InstanceValue) or m.state.get(optimizer, "#escaped") is not None:
        return
    if m.state.get(optimizer, "has stepped") is None and m.state.get(optimizer, "scheduled first") is None:
        mark = (m.site(call.node), m.frame.statement, next_serial())
        m.state.set(optimizer, "scheduled first", mark)


@training_moments.stepped.on
def optimizer_steps(m: Machine, optimizer: object, node: ast.expr, text: str) -> None:
    """An optimizer steps: its scheduler should not have stepped before, in this very iteration."""
    _check_scaled(m, optimizer, node, text)
    if not isinstance(optimizer, InstanceValue):
        return
    text = str(m.state.get(optimizer, "#text", text))
    m.state.set(AMBIENT, "stepped at", (m.site(node), m.frame.statement))
    mark = m.state.resolve(m.state.get(optimizer, "scheduled first"))
    m.state.set(optimizer, "scheduled first", None)
    m.state.set(optimizer, "has stepped", True)
    here = m.site(node)
    if not isinstance(mark, tuple):
        return
    site, statement, serial = mark
    one_step = (
        not m.program_runs
        and not m.loops
        and site.calls == here.calls
        and site.source is here.source
        and serial > m.run_began
    )  # a function that somebody calls for each step
    if one_step or any(serial >= loop.iteration for loop in m.loops):
        m.emit(SchedulerFirst(site, statement, _owner_text(site), text, m.site(node), m.frame.statement))


def _owner_text(site: Site) -> str:
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return " ".join(site.source.slice(node.func.value).split())
    return "the scheduler"


# Gradient scalers


def _scaler_called(m: Machine, call: Invocation, scaler: InstanceValue) -> None:
    short = call.short_name
    if optim.is_disabled_scaler(m, scaler):
        if short == "step":
            _reset_scaling(m)
        return
    if short == "update":
        _scaler_updates(m, call, scaler)
        m.state.set(scaler, "#stepped", ())
        m.state.set(scaler, "#unscaled", ())
    elif short == "scale":
        m.state.set(AMBIENT, _SCALED_BY, (scaler,))
    elif short in ("unscale_", "get_scale"):
        m.state.set(AMBIENT, "gradients unscaled", True)
        if short == "unscale_":
            _scaler_unscales(m, call, scaler)
    elif short == "step":
        _scaler_steps(m, call, scaler)


def _is_surely_enabled(m: Machine, scaler: InstanceValue) -> bool:
    return m.resolve(m.state.get(scaler, "enabled", TRUE)) == TRUE and m.state.get(scaler, "#escaped") is None


def _scaler_updates(m: Machine, call: Invocation, scaler: InstanceValue) -> None:
    """`scaler.update()` where nothing has stepped or unscaled since the last one, in this iteration or in those without a step."""
    stepped = m.state.resolve(m.state.get(scaler, "#stepped", ()))
    unscaled = m.state.resolve(m.state.get(scaler, "#unscaled", ()))
    marks = leaves(m.state.resolve(m.state.get(scaler, "#steps now and then")))
    rare = bool(m.loops) and (m.loops[-1].number,) in marks and not optim.now_and_then(m)
    if (
        not _is_surely_enabled(m, scaler)
        or m.state.resolve(m.state.get(AMBIENT, _SCALED_BY)) != (scaler,)
        or len(call.arguments) > 1
        or call.keywords
        or () not in leaves(unscaled)
        or not (rare or (stepped == unscaled == () and m.state.get(AMBIENT, "scaled backward") is not None))
    ):
        return
    m.emit(
        ScalerMisused(
            m.site(call.node), m.frame.statement, "update alone", _owner_text(m.site(call.node)), ""
        )
    )


def _check_half(m: Machine, call: Invocation, scaler: InstanceValue, optimizer: object, text: str) -> None:
    """Gradients of parameters in half precision, which a scaler does not divide."""
    if not isinstance(optimizer, InstanceValue) or not _is_surely_enabled(m, scaler):
        return
    for each, status in optim.statuses(m, optimizer):
        half = each.dtype == "float16" or m.state.resolve(m.state.get(each, HALF)) is True
        if status == "fresh" and half:
            site = m.site(call.node)
            m.emit(ScalerMisused(site, m.frame.statement, "half", _owner_text(site), text, each.origin))
            return


def _scaler_unscales(m: Machine, call: Invocation, scaler: InstanceValue) -> None:
    """`scaler.unscale_(optimizer)`: once for each optimizer between two updates."""
    optimizer, node = m.resolve(call.argument(1, "optimizer")), call.argument_node(1, "optimizer")
    before = m.state.resolve(m.state.get(scaler, "#unscaled", ()))
    if not isinstance(before, tuple) or not isinstance(optimizer, (InstanceValue, Symbol)):
        m.state.set(scaler, "#unscaled", None)
        return
    site = m.site(call.node)
    _check_half(m, call, scaler, optimizer, m.text(node) if node is not None else "the optimizer")
    first = next((place for each, place in before if each == optimizer), None)
    if first is None:
        m.state.set(scaler, "#unscaled", (*before, (optimizer, site)))
    elif m.state.get(scaler, "#escaped") is None:
        named = m.text(node) if node is not None else "the optimizer"
        m.emit(ScalerMisused(site, m.frame.statement, "unscaled twice", _owner_text(site), named, first))


def _scaler_steps(m: Machine, call: Invocation, scaler: InstanceValue) -> None:
    argument = call.argument(1, "optimizer")
    optimizer = m.resolve(argument)
    node = call.argument_node(1, "optimizer")
    text, optimizer_text = (
        _owner_text(m.site(call.node)),
        m.text(node) if node is not None else "the optimizer",
    )
    hidden = m.state.get(scaler, "#escaped") is not None
    stepped = m.state.resolve(m.state.get(scaler, "#stepped", ()))
    if m.loops and optim.now_and_then(m):
        m.state.set(scaler, "#steps now and then", (m.loops[-1].number,))
    unscaled_before = m.state.resolve(m.state.get(scaler, "#unscaled", ()))
    if unscaled_before == ():
        _check_half(m, call, scaler, optimizer, optimizer_text)
    if isinstance(stepped, tuple):
        if optimizer in stepped and not hidden:
            m.emit(ScalerMisused(m.site(call.node), m.frame.statement, "no update", text, optimizer_text))
            stepped = tuple(each for each in stepped if each != optimizer)
        if isinstance(optimizer, (InstanceValue, Symbol)):
            m.state.set(scaler, "#stepped", (*stepped, optimizer))
    scaled = m.state.get(AMBIENT, "scaled backward")
    unscaled = m.state.resolve(m.state.get(AMBIENT, "unscaled backward"))
    if isinstance(unscaled, tuple) and scaled is None and not hidden:
        site, statement, receiver = unscaled
        m.emit(
            ScalerMisused(
                site, statement, "unscaled backward", text, optimizer_text, m.site(call.node), receiver
            )
        )
    clipped = m.state.resolve(m.state.get(AMBIENT, "clipped scaled"))
    if isinstance(clipped, tuple) and not hidden:
        site, statement = clipped
        m.emit(ScalerMisused(site, statement, "clipped scaled", text, optimizer_text, m.site(call.node)))
    _reset_scaling(m)


@training_moments.unseen_scaler_stepped.on
def unseen_scaler_steps(m: Machine, call: ast.Call, optimizer: ast.expr) -> None:
    """Something unknown that has scaled a loss steps an optimizer: it is a scaler, whatever it is called."""
    clipped = m.state.resolve(m.state.get(AMBIENT, "clipped scaled"))
    if isinstance(clipped, tuple):
        site, statement = clipped
        text, optimizer_text = _owner_text(m.site(call)), m.text(optimizer)
        m.emit(ScalerMisused(site, statement, "clipped scaled", text, optimizer_text, m.site(call)))
    _reset_scaling(m)


@training_moments.unseen_scaler_unscales.on
def unseen_scaler_unscaled(m: Machine) -> None:
    """The gradients are as they are without a scaler."""
    m.state.set(AMBIENT, "gradients unscaled", True)


def _check_scaled(m: Machine, optimizer: object, node: ast.expr, text: str) -> None:
    """An optimizer is stepped by itself while the gradients are still scaled."""
    scaled = m.state.resolve(m.state.get(AMBIENT, "scaled backward"))
    if (
        not isinstance(scaled, tuple)
        or m.state.get(AMBIENT, "gradients unscaled") is not None
        or m.state.get(AMBIENT, "unscaled backward") is not None
    ):
        return
    site, _, receiver = scaled
    called = receiver.func if isinstance(receiver, ast.Call) else None
    by = called.value if isinstance(called, ast.Attribute) and use_of_names.is_plain(called) else None
    scaler = None if by is None else use_of_names.looked_up(m, by)
    if (
        by is None
        or not isinstance(scaler, InstanceValue)
        or not scaler.library.endswith(".GradScaler")
        or not _is_surely_enabled(m, scaler)
        or (isinstance(optimizer, InstanceValue) and not _is_filled_by(m, optimizer, site))
    ):
        return  # what is not seen may be a part of the optimizer
    _reset_scaling(m)  # go on as if it were mended
    m.emit(ScalerMisused(m.site(node), m.frame.statement, "plain step", m.text(by), text, site))


def _is_filled_by(m: Machine, optimizer: InstanceValue, backward: Site) -> bool:
    """Whether a backward has filled gradients of what an optimizer holds, as far as all of that is seen."""
    fresh = (parameter for parameter, status in optim.statuses(m, optimizer) if status == "fresh")
    places = [m.state.resolve(m.state.get(parameter, "grad site")) for parameter in fresh]
    return m.state.get(optimizer, "#escaped") is None and any(
        isinstance(place, tuple) and place[0].node is backward.node for place in places
    )


def _reset_scaling(m: Machine) -> None:
    """Nothing has happened yet to the gradients of the next step."""
    for slot in OF_SCALING:
        m.state.set(AMBIENT, slot, None)


def _check_clipped_after_step(m: Machine, call: Invocation) -> None:
    """Gradients are clipped that a step has already used."""
    given = m.resolve(call.argument(0, "parameters"))
    contents = m.state.get(given, "#items")
    items = contents.items if isinstance(contents, Contents) and contents.element is None else None
    if isinstance(contents, Contents) and not contents.items and isinstance(contents.element, Symbol):
        _check_clipped_unseen(m, call, contents.element)
        return
    tensors = [each for each in map(m.resolve, items or ()) if isinstance(each, TensorValue)]
    if not tensors or len(tensors) != len(items or ()) or m.state.get(AMBIENT, "open backward") is not None:
        return
    if any(m.state.get(each, "#escaped") is not None for each in tensors):
        return
    found = {m.state.resolve(m.state.get(each, "grad", "none")) for each in tensors if m.requires_grad(each)}
    stepped = m.state.resolve(m.state.get(AMBIENT, "stepped at"))
    if found == {"used"} and isinstance(stepped, tuple):
        m.emit(ClippedTooLate(m.site(call.node), m.frame.statement, stepped[0], stepped[1]))


def _check_clipped_unseen(m: Machine, call: Invocation, given: Symbol) -> None:
    """The same for the parameters of a model of which we see no code, where one optimizer has all of them."""
    known = m.state.resolve(m.state.get(AMBIENT, "optimizers", ()))
    built = m.state.resolve(m.state.get(AMBIENT, "optimizers built", ()))
    stepped = m.state.resolve(m.state.get(AMBIENT, "stepped at"))
    if not isinstance(known, tuple) or len(known) != 1 or built != known or not isinstance(stepped, tuple):
        return
    optimizer = known[0]
    if not isinstance(optimizer, InstanceValue) or m.state.get(optimizer, "#escaped") is not None:
        return
    held = m.state.get(m.state.resolve(m.state.get(optimizer, "#given")), "#items")
    element = held.element if isinstance(held, Contents) and not held.items else None
    if not isinstance(element, Symbol) or element.key != given.key:
        return
    if m.state.resolve(m.state.get(optimizer, "grad", "none")) == "used":
        m.emit(ClippedTooLate(m.site(call.node), m.frame.statement, stepped[0], stepped[1]))


def _runs_under_autocast(m: Machine, call: ast.AST, text: str) -> None:
    """A backward, perhaps inside of `autocast`, which is meant for the forward alone."""
    entered = m.state.get(AMBIENT, "autocast entered")
    if m.state.get(AMBIENT, "autocast", False) is True and isinstance(entered, Site):
        m.emit(ScalerMisused(m.site(call), m.frame.statement, "under autocast", text, "", entered))


@moments.graph_walked.on
def walked(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward has walked a graph: of a scaled loss, or of a plain one."""
    del invocation
    if graph.accumulates:
        _runs_under_autocast(m, graph.call, graph.text)
    unseen = optim.scaler_behind(graph.root) is not None
    scaled = unseen or any(node.operation == _SCALE for node in graph.nodes)
    mark = (m.site(graph.call), m.frame.statement, graph.receiver)
    m.state.set(AMBIENT, "scaled backward" if scaled else "unscaled backward", mark)


def _check_clipped_before_backward(m: Machine, call: Invocation) -> bool:
    """Gradients are clipped between their clearing and the backward of the same block: there are none."""
    statement = m.frame.statement
    block = block_of(m.source, statement) if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if block is None or statement is None or call.node is not getattr(statement, "value", None):
        return False
    at = block.index(statement)
    before = [name for each in block[:at] for name, _ in _methods_called(each)]
    behind = [(name, node) for each in block[at + 1 :] for name, node in _methods_called(each)]
    order = [each for each in before if each in ("zero_grad", "backward", "step")]
    unused = "backward" in order and "step" not in order[len(order) - order[::-1].index("backward") :]
    walked = next((node for name, node in behind if name == "backward"), None)
    names = [name for name, _ in behind]
    if (
        unused
        or order[-1:] != ["zero_grad"]
        or walked is None
        or "step" not in names[names.index("backward") :]
    ):
        return False
    m.emit(ClippedTooLate(m.site(call.node), statement, m.site(walked), _holder(block, walked), early=True))
    return True


def _methods_called(statement: ast.stmt) -> list[tuple[str, ast.Call]]:
    """The methods that a statement calls, in the order in which they are written."""
    return [
        (each.func.attr, each)
        for each in walk(statement)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute)
    ]


def _holder(block: list[ast.stmt], node: ast.AST) -> ast.stmt | None:
    """The statement of a block that a node stands in."""
    return next((each for each in block if node in walk(each)), None)


def _gradients_clipped(m: Machine, call: Invocation) -> None:
    optimizer_construction.clipped(m, call)
    if not _check_clipped_before_backward(m, call):
        _check_clipped_after_step(m, call)
    scaled = m.state.resolve(m.state.get(AMBIENT, "scaled backward"))
    if isinstance(scaled, tuple) and m.state.get(AMBIENT, "gradients unscaled") is None:
        m.state.set(AMBIENT, "clipped scaled", (m.site(call.node), m.frame.statement))


def _drops_in_any_mode(m: Machine, call: Invocation) -> None:
    """`F.dropout(x, 0.5)` in a module: it drops numbers in eval mode, too."""
    if not isinstance(call.node, ast.Call) or m.silent:
        return
    receiver, function = m.frame.receiver, m.frame.function
    given, rate = call.argument(2, "training"), call.argument_node(1, "p")
    arguments = {each.arg for each in walk(function.node) if isinstance(each, ast.arg)} if function else set()
    if (
        given is not None
        or {"*", "**"} & set(call.keywords)
        or not isinstance(receiver, InstanceValue)
        or not registry.is_module(m, receiver)
        or m.resolve(call.argument(1, "p")) in (Const(0), Const(0.0))
        or (isinstance(rate, ast.Name) and rate.id in arguments)  # who calls says how much to drop
        or not any(each.function is not None and each.function.name == "forward" for each in m.frames)
        or _asks_for_mode(m, call.node)
    ):
        return
    m.emit(DropsInAnyMode(m.site(call.node), m.frame.statement, m.text(call.node.func), call.node))


@training_moments.layer_called.on
def layer_called(m: Machine, instance: InstanceValue, call: Invocation) -> None:
    """`nn.Dropout(0.5)(x)` in `forward`: a new layer is in train mode, whatever its owner is in."""
    del call
    made = instance.origin
    if (
        not instance.library.startswith(("torch.nn.Dropout", "torch.nn.AlphaDropout"))
        or m.state.get(instance, "built in forward") is None
        or made is None
        or not isinstance(made.node, ast.Call)
        or made.calls != m.frame.calls
        or made.source is not m.source
        or m.silent
        or not isinstance(m.frame.receiver, InstanceValue)
        or not registry.is_module(m, m.frame.receiver)
        or m.resolve(m.state.get(instance, "training", TRUE)) != TRUE
        or any(isinstance(each, ast.Attribute) and each.attr == "training" for each in walk(made.node))
        or _asks_for_mode(m, made.node)
    ):
        return
    text = m.text(made.node.func)
    m.emit(DropsInAnyMode(made, m.frame.statement, text, made.node, is_layer=True))


def _asks_for_mode(m: Machine, node: ast.AST) -> bool:
    """Whether a place is reached after a test of `training`, which has an own branch for it."""
    tests = (each.test for each in ancestors(m.source, node) if isinstance(each, (ast.If, ast.IfExp)))
    return any(
        isinstance(part, ast.Attribute) and part.attr == "training" for test in tests for part in walk(test)
    )
