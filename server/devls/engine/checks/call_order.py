"""Orders that torch asks for: scheduler after optimizer, clipping before the step; and functions that are to be told the mode."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.checks import call_arguments, device_selection, scaler_protocol, training_plans
from devls.engine.core import moments, training_moments
from devls.engine.core.events.calls import DropsInAnyMode, NotCallable
from devls.engine.core.events.protocols import ClippedTooLate, SchedulerFirst
from devls.engine.core.joins import Contents, Entries
from devls.engine.torch import checkpoints, optimizer_construction
from devls.engine.torch.nn import registry
from devls.syntax.layout import ancestors, block_of
from devls.syntax.nodes import walk
from devls.values.devices import CPU, KnownDevice
from devls.values.graph import next_serial
from devls.values.state import AMBIENT
from devls.values.value import FALSE, TRUE, Const, InstanceValue, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine

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
        scaler_protocol.scaler_called(m, call, call.receiver)
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
        and (strict := _strictness(m, call)) is not None
        and isinstance(entries, Entries)
        and all(isinstance(each, str) and each.startswith("module.") for each in entries.known)
        and all(name != "module" for name, _ in registry.children(m, owner))
    ):
        kind = "wrapped" if strict else "wrapped silently"
        m.emit(NotCallable(m.site(call.node), m.frame.statement, m.text(node), kind, "", of.origin))


def _strictness(m: Machine, call: Invocation) -> bool | None:
    """Whether all names have to fit; None where they need not and somebody is told which do, or where that is not known."""
    if len(call.arguments) + len(call.keywords) == len(("self", "state_dict")):
        return True
    given = set(call.keywords) - {"state_dict", "strict"}
    told = not isinstance(m.frame.statement, ast.Expr) or m.frame.statement.value is not call.node
    return None if given or told or m.resolve(call.argument(2, "strict")) != FALSE else False


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
    # An epoch that is named sets the rate of that epoch, whatever came before.
    named = bool(call.arguments[1:] or call.keywords)
    if named or not isinstance(scheduler, InstanceValue) or scheduler.library.endswith("ReduceLROnPlateau"):
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
    scaler_protocol.check_scaled(m, optimizer, node, text)
    if not isinstance(optimizer, InstanceValue):
        return
    text = optimizer_construction.name_of(m, optimizer, text)
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
        m.emit(
            SchedulerFirst(
                site, statement, scaler_protocol.owner_text(site), text, m.site(node), m.frame.statement
            )
        )


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
