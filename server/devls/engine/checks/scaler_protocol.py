"""The steps of a GradScaler: a scaled loss, unscaled gradients, a step through the scaler, an update."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, training_moments
from devls.engine.core.events.protocols import ScalerMisused
from devls.engine.evidence import use_of_names
from devls.engine.python import loops
from devls.engine.torch import optim
from devls.engine.torch.nn.methods import HALF
from devls.values.conditions import Either, leaves
from devls.values.history import Site
from devls.values.state import AMBIENT
from devls.values.value import TRUE, InstanceValue, Symbol

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.moments import WalkedGraph

OF_SCALING: Final = ("scaled backward", "unscaled backward", "clipped scaled", "gradients unscaled")
"""Slots of the surroundings that remember the gradients until a scaler steps."""

_UPDATED_RARELY: Final = "#updated now and then"
"""Slot of a scaler with the number of the loop that updates it in every n-th round."""

_SCALED_BY: Final = "#scaled by"
"""Slot of the surroundings with the scaler that has scaled a loss last."""

_SCALE = "torch.amp.GradScaler.scale"


def owner_text(site: Site) -> str:
    """The receiver of the call at a place, as it is written."""
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return " ".join(site.source.slice(node.func.value).split())
    return "the scheduler"


def scaler_called(m: Machine, call: Invocation, scaler: InstanceValue) -> None:
    """A method of a GradScaler is about to be called."""
    short = call.short_name
    if optim.is_disabled_scaler(m, scaler):
        if short == "step":
            _reset_scaling(m)
        return
    if short == "update":
        _scaler_updates(m, call, scaler)
        if m.loops and loops.now_and_then(m):
            m.state.set(scaler, _UPDATED_RARELY, m.loops[-1].number)
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
    rare = bool(m.loops) and (m.loops[-1].number,) in marks and not loops.now_and_then(m)
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
        ScalerMisused(m.site(call.node), m.frame.statement, "update alone", owner_text(m.site(call.node)), "")
    )


def _check_half(m: Machine, call: Invocation, scaler: InstanceValue, optimizer: object, text: str) -> None:
    """Gradients of parameters in half precision, which a scaler does not divide."""
    if not isinstance(optimizer, InstanceValue) or not _is_surely_enabled(m, scaler):
        return
    for each, status in optim.statuses(m, optimizer):
        half = each.dtype == "float16" or m.state.resolve(m.state.get(each, HALF)) is True
        if status == "fresh" and half:
            site = m.site(call.node)
            m.emit(ScalerMisused(site, m.frame.statement, "half", owner_text(site), text, each.origin))
            return


def _scaler_unscales(m: Machine, call: Invocation, scaler: InstanceValue) -> None:
    """`scaler.unscale_(optimizer)`: once for each optimizer between two updates."""
    optimizer, node = m.resolve(call.argument(1, "optimizer")), call.argument_node(1, "optimizer")
    before = m.state.resolve(m.state.get(scaler, "#unscaled", ()))
    if isinstance(before, Either) and _is_updated_rarely(m, scaler):
        # In most rounds nothing has updated since the last one.
        before = max((each for each in leaves(before) if isinstance(each, tuple)), key=len, default=())
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
        problem, related = (
            ("unscaled each round", None) if first.node is call.node else ("unscaled twice", first)
        )
        m.emit(ScalerMisused(site, m.frame.statement, problem, owner_text(site), named, related))


def _is_updated_rarely(m: Machine, scaler: InstanceValue) -> bool:
    """Whether the running loop updates a scaler in every n-th round only, and what runs is not limited to those."""
    marks = leaves(m.state.resolve(m.state.get(scaler, _UPDATED_RARELY)))
    return bool(m.loops) and m.loops[-1].number in marks and not loops.now_and_then(m)


def _scaler_steps(m: Machine, call: Invocation, scaler: InstanceValue) -> None:
    argument = call.argument(1, "optimizer")
    optimizer = m.resolve(argument)
    node = call.argument_node(1, "optimizer")
    text, optimizer_text = (
        owner_text(m.site(call.node)),
        m.text(node) if node is not None else "the optimizer",
    )
    hidden = m.state.get(scaler, "#escaped") is not None
    stepped = m.state.resolve(m.state.get(scaler, "#stepped", ()))
    if m.loops and loops.now_and_then(m):
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
        text, optimizer_text = owner_text(m.site(call)), m.text(optimizer)
        m.emit(ScalerMisused(site, statement, "clipped scaled", text, optimizer_text, m.site(call)))
    _reset_scaling(m)


@training_moments.unseen_scaler_unscales.on
def unseen_scaler_unscaled(m: Machine) -> None:
    """The gradients are as they are without a scaler."""
    m.state.set(AMBIENT, "gradients unscaled", True)


def check_scaled(m: Machine, optimizer: object, node: ast.expr, text: str) -> None:
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
