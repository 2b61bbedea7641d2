"""Optimizers hold particular parameters from a particular moment; gradient scalers hand losses through when disabled."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import limits, moments, priors, program_moments, training_moments
from devls.engine.core.events.events import (
    GradientsLost,
    OptimizerGiven,
    StaleStep,
)
from devls.engine.core.joins import Entries
from devls.engine.core.moments import Mismatch
from devls.engine.python import calls, loops
from devls.engine.torch.autograd import backward as backward_pass
from devls.engine.torch.nn import train_mode
from devls.engine.torch.optimizer_construction import given_items, name_of
from devls.engine.torch.tensors import device_check, writes
from devls.engine.torch.tensors.grad_attribute import BACKWARD_USED
from devls.syntax.layout import dotted
from devls.values.conditions import apply, leaves
from devls.values.history import Site, Step
from devls.values.state import AMBIENT
from devls.values.value import (
    FALSE,
    Const,
    InstanceValue,
    Mapping,
    Symbol,
    TensorValue,
)

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.moments import WalkedGraph
    from devls.values.value import InstanceValue


FILLED: Final = "gradients filled"
"""The slot of the surroundings that says when gradients last came to be, and by which call."""


def _asks_once(instance: InstanceValue) -> bool:
    """Whether an optimizer that asks its closure several times was told to do so once: `max_iter=1`."""
    made = instance.origin.node if instance.origin is not None else None
    given = (
        [each for each in made.keywords if each.arg in ("max_iter", None)]
        if isinstance(made, ast.Call)
        else []
    )
    return any(not isinstance(each.value, ast.Constant) or each.value.value == 1 for each in given)


def call_method(m: Machine, call: Invocation, instance: InstanceValue, name: str) -> object:
    """A method of an optimizer."""
    if name == "step":
        closure = call.argument(1, "closure")
        if closure is not None and m.resolve(closure) != Const(None):
            # torch lets it record a graph, whatever the mode is here.
            mode = m.state.get(AMBIENT, "grad", True)
            m.state.set(AMBIENT, "grad", True)
            loss = calls.call(m, closure, [], {}, call.node)
            if instance.library.endswith(".LBFGS") and not _asks_once(instance):
                step(m, instance, call.node)  # it changes the parameters, and asks again
                loss = calls.call(m, closure, [], {}, call.node)
            m.state.set(AMBIENT, "grad", mode)
            step(m, instance, call.node)
            return loss
        step(m, instance, call.node)
        return m.unknown(call.node)
    if name == "zero_grad":
        zero_grad(m, instance, call.node)
        return Const(None)
    if name == "add_param_group":
        m.state.set(instance, "#whole", False)
        value = m.resolve(call.argument(1, "param_group"))
        entries = m.state.get(value, "#entries") if isinstance(value, Mapping) else None
        if isinstance(entries, Entries) and "params" in entries.known:
            items, _ = given_items(m, m.resolve(entries.known["params"]), set())
            before = m.state.get(instance, "#parameters", ())
            more = tuple(each for each in map(m.resolve, items) if isinstance(each, TensorValue))
            for each in more:
                m.state.set(each, "#optimized", True)
            m.state.set(instance, "#parameters", (*before, *more))  # type: ignore[misc]
        return Const(None)
    if name == "load_state_dict":
        for parameter in m.state.get(instance, "#parameters", ()):  # type: ignore[attr-defined]
            m.state.set((instance, parameter), "state device", m.device(parameter))
        m.state.set(instance, "loaded at", m.site(call.node))
        return Const(None)
    if name == "state_dict":
        return m.new_dict({}, m.unknown(), call.node)
    return m.unknown(call.node)


def statuses(m: Machine, instance: InstanceValue) -> list[tuple[TensorValue, str]]:
    """Each parameter with the state of its gradient; a state that depends on conditions is ""."""
    found = []
    for parameter in m.state.get(instance, "#parameters", ()):  # type: ignore[attr-defined]
        m.state.work += limits.WORK_OF_NODE
        if m.requires_grad(parameter) is False:
            continue
        status = m.state.resolve(m.state.get(parameter, "grad", "none"))
        escaped = m.state.get(parameter, "#escaped") is not None
        found.append((parameter, status if isinstance(status, str) and not escaped else ""))
    return found


def _is_used(m: Machine, backward: Site) -> bool:
    """Whether the gradients of a backward were used that others than an optimizer's parameters have got."""
    return any(
        isinstance(each, tuple) and each[0].node is backward.node
        for each in leaves(m.state.resolve(m.state.get(AMBIENT, BACKWARD_USED)))
    )


def _note_loop(m: Machine, instance: InstanceValue) -> None:
    """The loop that runs trains; where an optimizer steps in some rounds only is noted."""
    m.loops[-1].trains = True
    note_rare_step(m, instance)


def _note_backward(m: Machine, found: list[tuple[TensorValue, str]]) -> None:
    """A step uses the gradients of a backward."""
    fresh = next((each for each, status in found if status == "fresh"), None)
    if fresh is not None:
        m.state.set(AMBIENT, BACKWARD_USED, m.state.resolve(m.state.get(fresh, "grad site")))


def step(m: Machine, instance: InstanceValue, node: ast.expr) -> None:
    """`optimizer.step()`: parameters change, and gradients have been used."""
    if m.loops:
        _note_loop(m, instance)
    text = _text(m, instance, node)
    training_moments.stepped(m, instance, node, text)
    found = statuses(m, instance)
    replaced = _check_replaced(m, text, instance)
    train_mode.stepped(m, node, [each for each, status in found if status not in ("none", "lost", "used")])
    exempt = replaced or m.state.get(instance, "#escaped") is not None
    if not found and not exempt and _all_frozen(m, instance):
        if instance.origin is not None:
            m.emit(OptimizerGiven(instance.origin, None, text, "frozen", text, None))
        m.state.set(instance, "#escaped", True)
        return
    _note_backward(m, found)
    mixed = [each for each, status in found if status == "mixed"]
    if m.state.get(instance, "#parameters", ()) == ():
        _step_unseen(m, node, instance, text)
    if mixed and not exempt:
        _stale(m, node, text, m.state.get(mixed[0], "grad site"))
    elif (
        found
        and not exempt
        and instance.serial > m.run_began
        and m.state.get(instance, "#whole")
        and m.state.get(AMBIENT, "open backward") is None
    ):
        if all(status == "none" for _, status in found) and not _first_of_several(m) and not _in_a_test(m):
            training_moments.stepped_in_vain(m, instance, node, text, [each for each, _ in found])
            m.state.set(instance, "stepped in vain", node)
        elif (
            all(status == "lost" for _, status in found)
            and m.state.get(instance, "stepped in vain") is not node
        ):
            cleared = m.state.resolve(m.state.get(found[0][0], "cleared at"))
            if isinstance(cleared, tuple):
                what = _cleared_by(cleared[0], text)
                m.emit(GradientsLost(cleared[0], cleared[1], what, None, m.frame.statement))
    wasted = m.state.get(instance, "#wasted")
    if isinstance(wasted, tuple) and not exempt:
        number, site, statement, backward = wasted
        if all(loop.number != number for loop in m.loops):
            m.emit(GradientsLost(site, statement, text, backward, m.frame.statement))
        m.state.set(instance, "#wasted", None)
    _check_state(m, instance, node, text)
    for parameter, status in found:
        if status in ("none", "lost") and not m.state.get(AMBIENT, "open backward"):
            continue  # a parameter without a gradient is skipped
        writes.touch(m, parameter, node, by_step=True, perhaps=status not in ("fresh", "used", "mixed"))
        m.state.set(
            parameter,
            "grad",
            apply(
                lambda each: {"fresh": "used", "mixed": "used"}.get(str(each), each),
                m.state.get(parameter, "grad", "none"),
            ),
        )
        m.state.set((instance, parameter), "state device", m.device(parameter))


def _in_a_test(m: Machine) -> bool:
    """Whether a test steps: for a scheduler that wants to be told after a step, or to have some state."""
    return m.frame.function is not None and priors.is_unit_test(m.frame.function)


def _first_of_several(m: Machine) -> bool:
    """Whether a loop is run for the first time, and backward was called: what it reaches may only come about in a later one."""
    return (
        bool(m.loops)
        and m.loops[-1].passes_started <= 1
        and not m.loops[-1].exact
        and m.state.get(AMBIENT, FILLED) is not None
    )


def state_taken(m: Machine, instance: InstanceValue) -> None:
    """`optimizer.state` is read: whoever walks it may move it, and that is not followed."""
    for parameter in m.state.get(instance, "#parameters", ()):  # type: ignore[attr-defined]
        m.state.set((instance, parameter), "state device", None)


def _check_state(m: Machine, instance: InstanceValue, node: ast.expr, text: str) -> None:
    """State that was allocated on one device meets gradients on another."""
    kind = m.library.optimizer(instance.library)
    stateless = kind is None or (kind.state == "none" and m.state.get(instance, "#momentum") is None)
    if kind is None or (stateless and not m.state.get(instance, "loaded at")):
        return
    for parameter in m.state.get(instance, "#parameters", ()):  # type: ignore[attr-defined]
        held = m.state.get((instance, parameter), "state device")
        if held is None:
            continue
        now = m.device(parameter)
        comparison = device_check.compare_devices(m, held, now)
        if comparison.verdict in device_check.CONFLICTS:
            stray = device_check.operand(m, parameter, None, text=f"the state of `{text}`")
            moved = device_check.operand(m, parameter, None, text="the parameters")
            loaded = m.state.get(instance, "loaded at")
            built = Step(
                f"`{text}` was built before the model was moved",
                instance.origin or m.site(node),
                kind="state",
            )
            if isinstance(loaded, Site):
                built = Step("its state was loaded before the model was moved", loaded, kind="state")
            stray = type(stray)(None, parameter, held, stray.text, built, "state")
            moments.mismatch_found(m, Mismatch(node, "step", stray, moved, comparison))
            return


def _stale(m: Machine, node: ast.expr, text: str, site: object) -> None:
    backward, statement = site[:2] if isinstance(site, tuple) else (None, None)
    m.emit(
        StaleStep(
            m.site(node),
            m.frame.statement,
            text,
            (backward,) if isinstance(backward, Site) else (),
            statement,
            backward if isinstance(backward, Site) else None,
        )
    )


def zero_grad(m: Machine, instance: InstanceValue, node: ast.expr) -> None:
    """`optimizer.zero_grad()`."""
    training_moments.gradients_cleared(m, instance, node)
    found = statuses(m, instance)
    # Of parameters that are not seen the optimizer itself stands for the gradients.
    graded: list[object] = [each for each, _ in found]
    site = m.state.resolve(m.state.get(found[0][0], "grad site")) if found else None
    if not found and m.state.get(instance, "#parameters", ()) == ():
        graded, site = [instance], m.state.resolve(m.state.get(AMBIENT, "open backward"))
    # As long as it has not stepped, an optimizer is not told of backward: None.
    fresh = "fresh" if found else None
    unused = [
        each
        for each in graded
        if {"used", "fresh"} <= (states := set(leaves(m.state.resolve(m.state.get(each, "grad", "none")))))
        or {"used", fresh} <= states
    ]
    if m.state.get(instance, "#parameters", ()) == ():
        backward_pass.clear_unseen(m)
    if found and all(status == "fresh" for _, status in found) and m.loops:
        # Cleared where it was computed, and in the same loop; a clearing before another
        # loss's backward (GANs, actor and critic) is how gradients are kept apart.
        # These gradients were beside the point if another optimizer has stepped on that backward.
        if isinstance(site, tuple) and site[2] == m.loops[-1].number and not _is_used(m, site[0]):
            m.state.set(instance, "#wasted", (m.loops[-1].number, m.site(node), m.frame.statement, site[0]))
    elif graded and m.loops and m.state.get(instance, "#escaped") is None and not loops.now_and_then(m):
        # Stepping in every n-th iteration only, and clearing in each: what the others computed is thrown away.
        rare = rare_step(m, instance)
        if (
            len(unused) == len(graded)
            and rare
            and isinstance(site, tuple)
            and loops.stands_beside(m, site[0])
        ):
            text = _text(m, instance, node)
            m.emit(GradientsLost(m.site(node), m.frame.statement, text, site[0], rare, now_and_then=True))
    clear(m, [each for each, _ in found], node)


def _cleared_by(site: Site, optimizer: str) -> str:
    """Receiver of the clearing at this place, as it is written: an optimizer, or a module."""
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return site.source.slice(node.func.value)
    return optimizer


def note_rare_step(m: Machine, optimizer: InstanceValue | Symbol) -> None:
    """Keep in mind that an optimizer steps in some rounds of the running loop only, if that is how it stands there."""
    if loops.now_and_then(m):
        m.state.set(optimizer, "#steps now and then", (m.loops[-1].number, m.frame.statement))


def rare_step(m: Machine, optimizer: object) -> ast.stmt | None:
    """The statement in which an optimizer steps in some rounds of the running loop only, from a round that needs no step."""
    if loops.now_and_then(m):
        return None
    marks = leaves(m.state.resolve(m.state.get(optimizer, "#steps now and then")))
    return next(
        (each[1] for each in marks if isinstance(each, tuple) and each[0] == m.loops[-1].number), None
    )


def _all_frozen(m: Machine, instance: InstanceValue) -> bool:
    """Whether none of the parameters takes part in training."""
    held = m.state.get(instance, "#parameters", ())
    return (
        bool(held)
        and m.state.get(instance, "#whole") is True
        and all(
            each.symbol is None
            and each.is_parameter
            and m.requires_grad(each) is False
            and m.state.get(each, "#escaped") is None  # code that is not run may have changed that
            for each in held  # type: ignore[attr-defined]
        )
    )


def _check_replaced(m: Machine, text: str, optimizer: InstanceValue) -> bool:
    """Parameters that took the place of optimized ones, and have got gradients that no optimizer uses."""
    for parameter in m.state.get(AMBIENT, "replaced parameters", ()):  # type: ignore[attr-defined]
        # On a way that does not replace anything the new ones are not there, and have no gradients.
        places = leaves(m.state.resolve(m.state.get(parameter, "#replaced at")))
        place = next((each for each in places if isinstance(each, tuple)), None)
        status = set(leaves(m.state.resolve(m.state.get(parameter, "grad", "none")))) - {"none"}
        if m.state.get(parameter, "#optimized") is not None or not status or status - {"fresh", "mixed"}:
            continue
        if place is not None and m.state.get(parameter, "#escaped") is None:
            site, statement, name, trained = place
            made = optimizer.origin
            m.emit(OptimizerGiven(site, statement, text, "replaced", name, None, None, made, trained))
            m.state.set(optimizer, "#replaced", True)
            m.state.set(parameter, "#optimized", True)  # one of a module's parameters speaks for all
            m.state.set(AMBIENT, "replaced parameters", ())
            return True
    return False


def clear(m: Machine, parameters: list[TensorValue], node: ast.expr) -> None:
    """`.grad` of each is None again; what was there and never used is lost, by this call."""
    place = (m.site(node), m.frame.statement)
    for parameter in parameters:
        m.state.set(parameter, "cleared at", place)
        m.state.set(
            parameter,
            "grad",
            apply(lambda each: "lost" if each == "fresh" else "none", m.state.get(parameter, "grad", "none")),
        )


def _text(m: Machine, instance: InstanceValue, node: ast.expr) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return m.text(node.func.value)
    return name_of(m, instance)


def symbol_method(m: Machine, call: ast.Call, owner: Symbol, name: str) -> bool:
    """`optimizer.step()` or `.zero_grad()` on something that is called an optimizer."""
    if name == "zero_grad":
        training_moments.gradients_cleared(m, owner, call)
        known = m.state.get(AMBIENT, "optimizers", ())
        if _is_optimizer(call, owner) and _is_one_object(owner.key):
            # Its own parameters, other optimizers have others: but one may hold the other (`wrapper.optimizer.zero_grad()`).
            for each in (owner, *known):  # type: ignore[misc]
                if each is owner or (isinstance(each, Symbol) and is_part(owner.key, each.key)):
                    m.state.set(each, "grad", "none")
        elif any(_are_of_two_parts(owner.key, getattr(each, "key", None)) for each in known):  # type: ignore[attr-defined]
            # Of an object whose class is seen any name may be another one's, but for those of its parts.
            for each in (owner, *known):  # type: ignore[misc]
                if not _are_of_two_parts(owner.key, getattr(each, "key", None)):
                    m.state.set(each, "grad", "none")
        else:
            backward_pass.clear_unseen(m)
        return True
    if name != "step" or not _is_optimizer(call, owner):
        return False
    train_mode.stepped(m, call, None)
    text = m.text(call.func.value) if isinstance(call.func, ast.Attribute) else owner.text
    training_moments.stepped(m, owner, call, text)
    _step_unseen(m, call, owner, text)
    return True


def _is_optimizer(call: ast.Call, owner: Symbol) -> bool:
    """Whether something unknown is named like an optimizer, by itself or where it is called: what a call has returned has no name."""
    called = dotted(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    return priors.is_named_like_optimizer(owner.text) or (
        bool(called) and priors.is_named_like_optimizer(called)
    )


UNSEEN_SCALER: Final = "#unseen scaler"
"""The slot of the surroundings with the key of what is unknown and has scaled a loss."""


def scaler_behind(root: TensorValue) -> object:
    """The key of the unknown object that has scaled a loss, `scaler.scale(loss)`; None where there is none."""
    key = root.symbol.key if root.symbol is not None else None
    called = key[1] if isinstance(key, tuple) and key[0] == "result" else None
    return called[1] if isinstance(called, tuple) and called[0] == "attr" and called[2] == "scale" else None


@moments.graph_walked.on
def loss_scaled(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward of a loss that something unknown has scaled: that is a scaler, whatever it is called."""
    del invocation
    scaler = scaler_behind(graph.root)
    if scaler is not None:
        m.state.set(AMBIENT, UNSEEN_SCALER, (scaler,))


def is_unseen_scaler(m: Machine, value: object) -> bool:
    """Whether something unknown has scaled the loss of a backward."""
    return isinstance(value, Symbol) and m.state.resolve(m.state.get(AMBIENT, UNSEEN_SCALER)) == (value.key,)


@program_moments.unseen_code_returned.on
def unseen_scaler_called(
    m: Machine, function: Symbol, arguments: list[object], node: ast.expr | None
) -> None:
    """`scaler.unscale_(optimizer)`."""
    del arguments, node
    key = function.key
    if (
        isinstance(key, tuple)
        and key[0] == "attr"
        and key[2] == "unscale_"
        and m.state.resolve(m.state.get(AMBIENT, UNSEEN_SCALER)) == (key[1],)
    ):
        training_moments.unseen_scaler_unscales(m)


def is_part(key: object, whole: object) -> bool:
    """Whether a symbol is an attribute of another one, or of an attribute of it, or the other way round."""
    for inner, outer in ((key, whole), (whole, key)):
        each: object = inner
        while isinstance(each, tuple) and each and each[0] == "attr":
            each = each[1]
            if each == outer:
                return True
    return False


def _is_one_object(key: object) -> bool:
    """Whether a symbol names one object whenever it is read: an attribute of an argument, not an item of a list."""
    while isinstance(key, tuple) and key and key[0] == "attr":
        key = key[1]
    return isinstance(key, tuple) and bool(key) and key[0] in ("parameter", "field", "unknown")


def _are_of_two_parts(one: object, two: object) -> bool:
    """Whether they are the same attribute of two attributes of one object: `self.actor.optimizer`, `self.critic.optimizer`."""
    match one, two:
        case ("attr", ("attr", whole, part), name), ("attr", ("attr", other_whole, other), other_name):
            return (whole, name) == (other_whole, other_name) and part != other
    return False


def _step_unseen(m: Machine, node: ast.expr, owner: object, text: str) -> None:
    """A step of an optimizer whose parameters we do not see: one state stands for all of their gradients."""
    known = m.state.get(AMBIENT, "optimizers", ())
    if owner not in known:  # type: ignore[operator]
        m.state.set(AMBIENT, "optimizers", (*known, owner))  # type: ignore[misc]
        m.state.set(owner, "grad", "fresh" if m.state.get(AMBIENT, "open backward") else "none")
    status = m.state.resolve(m.state.get(owner, "grad", "none"))
    if status == "mixed" and m.state.get(owner, "#escaped") is None and m.loops:
        _stale(m, node, text, m.state.get(AMBIENT, "open backward"))
    if isinstance(status, str) or any(leaf == "fresh" for leaf in leaves(status)):
        m.state.set(
            owner, "grad", apply(lambda each: {"fresh": "used", "mixed": "used"}.get(str(each), each), status)
        )


# Gradient scalers (`torch.amp.GradScaler`)


def is_disabled_scaler(m: Machine, scaler: InstanceValue) -> bool:
    """Whether a scaler was made with `enabled=False`, and hands everything through."""
    return m.resolve(m.state.get(scaler, "enabled")) == FALSE
