"""Steps right behind a clearing: in between no backward has note_gradients_filled the gradients again, so that nothing changes.

This goes by the order of calls alone, whatever is known of the parameters: for optimizers and models of which we see no code.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Final

from devls.engine.checks.gradient_ledger import Ledger
from devls.engine.core import library_semantics, moments, notes, program_moments, training_moments
from devls.engine.core.events.events import GradientsLost, StepWithoutGradients
from devls.engine.evidence import naming_priors
from devls.engine.python import classes, loops
from devls.engine.torch import optim, optimizer_construction
from devls.engine.torch.nn import registry
from devls.engine.torch.optim import FILLED
from devls.engine.torch.tensors.attributes import REMOVED
from devls.syntax.layout import parents
from devls.syntax.nodes import bound_in, of_tree, walk
from devls.values.conditions import leaves
from devls.values.graph import next_serial
from devls.values.history import Site
from devls.values.state import AMBIENT
from devls.values.value import InstanceValue, Symbol

if TYPE_CHECKING:
    from collections.abc import Collection

    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import LoopFrame
    from devls.values.value import FunctionValue, TensorValue

_STEPS: Final = "#steps"
"""The slot of `optimizer.step` in the code that has the optimizer which it was when it was called."""

STEPPED: Final = "stepped by"
"""The slot of the surroundings that says when an optimizer last stepped, and which."""


@moments.backward_begins.on
def backward_begins(m: Machine, call: ast.expr, root: TensorValue, text: str, *, accumulates: bool) -> None:
    """A backward fills gradients, unless it only computes some."""
    del root, text
    if accumulates:
        note_gradients_filled(m, m.site(call))


def note_gradients_filled(m: Machine, site: Site | None) -> None:
    """A backward was called, or gradients were written by hand, or by code that we do not see."""
    m.state.set(AMBIENT, FILLED, (next_serial(), site))


@program_moments.gradient_assigned.on
def gradient_assigned(m: Machine, target: ast.Attribute, owner: object) -> None:
    """`parameter.grad = value`."""
    del target, owner
    note_gradients_filled(m, None)


@training_moments.body_skipped.on
def body_skipped(m: Machine) -> None:
    """Code that is not run may call backward."""
    note_gradients_filled(m, None)


@program_moments.unseen_code_called.on
def unknown_called(m: Machine, function: object, *, is_module: bool) -> None:
    """Code that we do not see has run: it may have called backward, unless it computes for somebody else's."""
    if not is_module and not (isinstance(function, Symbol) and _computes(function.text)):
        note_gradients_filled(m, None)


@functools.lru_cache(maxsize=4096)
def _computes(text: str) -> bool:
    return naming_priors.COMPUTES_LOSS.search(text) is not None


@training_moments.gradients_cleared.on
def cleared(m: Machine, optimizer: object, node: ast.expr) -> None:
    """`optimizer.zero_grad()`."""
    if not isinstance(optimizer, (InstanceValue, Symbol)):
        return
    last = m.state.resolve(m.state.get(AMBIENT, FILLED))
    stepped = m.state.resolve(m.state.get(optimizer, "#last step"))
    fresh = None
    if (
        isinstance(last, tuple)
        and (not isinstance(stepped, int) or last[0] > stepped)
        and not _used_by_another(m, optimizer, last[0])
    ):
        fresh = last[1]
    m.state.set(optimizer, "#cleared", (next_serial(), m.site(node), m.frame.statement, fresh))
    if isinstance(optimizer, InstanceValue) and isinstance(fresh, (Site, type(None))) and not m.frame.calls:
        held = m.state.resolve(m.state.get(AMBIENT, _CLEARED, ()))
        if isinstance(held, tuple) and len(held) < _MOST_CLEARED:
            mark = (optimizer, next_serial(), m.site(node), m.frame.statement)
            m.state.set(AMBIENT, _CLEARED, (*held, mark))
    if isinstance(optimizer, Symbol) and m.loops and not m.silent:
        _cleared_in_each_round(m, optimizer, node)
    if m.loops and isinstance(fresh, Site) and not m.silent:
        _NEVER_USED.of(m.loops[-1]).append((optimizer, m.site(node), m.frame.statement, fresh))


def _cleared_in_each_round(m: Machine, optimizer: Symbol, node: ast.expr) -> None:
    """Report an optimizer of no seen parameters that steps in every n-th round only, and loses the gradients of the others."""
    states = set(leaves(m.state.resolve(m.state.get(optimizer, "grad", "none"))))
    backward = m.state.resolve(m.state.get(AMBIENT, "open backward"))
    step = optim.rare_step(m, optimizer)
    if (
        step is None
        or not isinstance(backward, tuple)
        or not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or "used" not in states
        or len(states) == 1
        or m.state.get(optimizer, "#escaped") is not None
        or not _is_within(m, m.loops[-1], backward[0])
        or not loops.stands_beside(m, backward[0])
        or not _all_step_rarely(m, optimizer)
    ):
        return
    loop = m.loops[-1].node
    apart = next((each for each in walk(loop) if isinstance(each, ast.If) and step in walk(each)), None)
    bodies = [loop, *(each.function.node for each in m.frames[-1:] if each.function is not None)]
    reads = any(
        isinstance(each, ast.Attribute) and each.attr in _USES - {"data"}
        for body in bodies
        for each in walk(body)
    )
    apart_from = frozenset(walk(apart)) if apart is not None else frozenset[ast.AST]()
    rarely_walked = any(each.node in apart_from for each in (backward[0], *backward[0].calls))
    if not reads and not rarely_walked and not _is_handed_on(loop, backward[0].node, apart_from):
        text = m.text(node.func.value)
        m.emit(GradientsLost(m.site(node), m.frame.statement, text, backward[0], step, now_and_then=True))


def _all_step_rarely(m: Machine, optimizer: Symbol) -> bool:
    """Whether other optimizers step in the same rounds only: one that trains in turns with others may wait for them."""
    stepped = [each[1] for each in leaves(m.state.resolve(m.state.get(AMBIENT, STEPPED))) if each]  # type: ignore[index]
    known = m.state.resolve(m.state.get(AMBIENT, "optimizers", ()))
    others = {*stepped, *(known if isinstance(known, tuple) else ())} - {optimizer}
    return all(optim.rare_step(m, each) is not None for each in others)


_NEVER_USED: Final[notes.LoopNote[list[tuple[InstanceValue | Symbol, Site, ast.stmt | None, Site]]]] = (
    notes.LoopNote(list)
)
"""Clearings in a loop of gradients that no step has used: the optimizer, where it is cleared, and the backward."""


_CLEARED: Final = "#cleared in this run"
"""The slot of the surroundings with the optimizers that the function which runs has cleared, in order, and where."""

_MOST_CLEARED: Final = 16
"""Clearings of one run that are remembered."""


@program_moments.run_returned.on
def run_returned(m: Machine, function: FunctionValue, receiver: InstanceValue | None, result: object) -> None:
    """Report an optimizer that a method clears before a backward, and that steps nowhere, where another one does step."""
    del result
    cleared = m.state.resolve(m.state.get(AMBIENT, _CLEARED, ()))
    last = m.state.resolve(m.state.get(AMBIENT, FILLED))
    if not isinstance(cleared, tuple) or not isinstance(last, tuple) or not isinstance(last[1], Site):
        return
    cls = function.cls
    if (
        receiver is None
        or cls is None
        or any(map(library_semantics.is_unseen, classes.library_bases(m, cls)))
    ):
        return
    for optimizer, serial, site, statement in cleared:
        call = site.node if site.node in walk(function.node) else None
        asked = (
            call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
        )
        backward = _next_backward(site, function.node)
        if (
            serial < last[0]
            and backward is not None
            and isinstance(asked, ast.Attribute)
            and m.state.resolve(m.state.get(optimizer, "#last step")) is None
            and m.state.get(optimizer, "#escaped") is None
            and _another_steps(m, optimizer, receiver)
            and not _is_handed_on(function.node, backward.node, _seen_calls(m, function.node))
            and _steps_nowhere(m, asked.attr)
        ):
            m.emit(GradientsLost(site, statement, m.text(asked), backward, never=True))


def _seen_calls(m: Machine, function: ast.AST) -> list[ast.Call]:
    """The calls in a function of what the file defines, so that all that it does is seen."""
    seen = {each.name for each in walk(m.source.tree) if isinstance(each, ast.FunctionDef)}
    return [
        each
        for each in walk(function)
        if isinstance(each, ast.Call) and m.text(each.func).rpartition(".")[2] in seen
    ]


def _next_backward(site: Site, function: ast.AST) -> Site | None:
    """The first backward that is written below a place."""
    below = (
        each
        for each in walk(function)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr == "backward"
        and each.lineno >= getattr(site.node, "lineno", 0)
    )
    found = min(below, key=lambda each: each.lineno, default=None)
    return None if found is None else Site(site.source, found, site.calls)


def _another_steps(m: Machine, optimizer: InstanceValue, owner: InstanceValue) -> bool:
    """Whether another optimizer of an object has stepped in this run, and all others of it hold other parameters."""
    steps = leaves(m.state.resolve(m.state.get(AMBIENT, STEPPED)))
    held = [
        each
        for _, value in registry.entries(m, owner)
        if isinstance(each := m.resolve(value), InstanceValue) and m.state.get(each, "#given") is not None
    ]
    others = [
        each for each in held if m.library.optimizer(each.library) is not None and each is not optimizer
    ]
    return (
        optimizer in held
        and any(isinstance(mark, tuple) and mark[1] in others for mark in steps)
        and all(_hold_others_too(m, optimizer, each) for each in others)
    )


def _hold_others_too(m: Machine, one: InstanceValue | Symbol, other: InstanceValue | Symbol) -> bool:
    """Whether two optimizers hold no parameter in common, as far as is seen: those of two models of which no code is seen."""
    if _hold_others(m, one, other):
        return True
    if m.state.get(one, "#escaped") is not None or m.state.get(other, "#escaped") is not None:
        return False
    of_one, of_other = (registry.unseen_owner(m, m.state.get(each, "#given")) for each in (one, other))
    return (
        of_one is not None
        and of_other is not None
        and not optim.is_part(of_one.key, of_other.key)
        and of_one != of_other
    )


def _steps_nowhere(m: Machine, name: str) -> bool:
    """Whether what has this name as an attribute is only cleared, and nothing in its file takes gradients, or asks for it by name."""
    found = m.modules.mentions.of(name, m.source.path)
    if found is None or any(
        isinstance(each, ast.Attribute) and each.attr in _USES - {"data"} for each in walk(m.source.tree)
    ):
        return False
    return not any(_uses_attribute(each.tree, name) for each in {m.source, *found})


def _uses_attribute(code: ast.AST, name: str) -> bool:
    """Whether more is done than clearing with an attribute of this name."""
    nodes = list(walk(code))
    held = {each.value for each in nodes if isinstance(each, ast.Attribute) and each.attr in _HARMLESS}
    return any(
        (isinstance(each, ast.Constant) and each.value == name)
        or (
            isinstance(each, ast.Attribute)
            and each.attr == name
            and isinstance(each.ctx, ast.Load)
            and each not in held
        )
        for each in nodes
    )


@program_moments.loop_ended.on
def loop_ended(m: Machine, loop: LoopFrame) -> None:
    """Report an optimizer that is cleared in each round of a loop, and never steps."""
    for optimizer, site, statement, backward in _NEVER_USED.take(loop):
        receiver = (
            site.node.func.value
            if isinstance(site.node, ast.Call) and isinstance(site.node.func, ast.Attribute)
            else None
        )
        body = _code_around(m, site)
        if (
            receiver is not None
            and m.state.resolve(m.state.get(optimizer, "#last step")) is None
            and m.state.get(optimizer, "#escaped") is None
            and _is_within(m, loop, site)
            and _is_within(m, loop, backward)
            and _is_only_cleared(body, _home_of(m, site, body, receiver), ast.dump(receiver))
            and _only_others_step(m, body, optimizer)
            and not _is_handed_on(loop.node if site.calls == m.frame.calls else body, backward.node)
        ):
            m.emit(GradientsLost(site, statement, m.text(receiver), backward, never=True))
            return


def _code_around(m: Machine, site: Site) -> ast.AST:
    """The function that clears, or the program: of a method all of the file, where others may have the optimizer step."""
    if site.calls != m.frame.calls or m.frame.function is None:
        return site.source.tree
    return m.frame.function.node


def _is_within(m: Machine, loop: LoopFrame, site: Site) -> bool:
    """Whether something has happened in a loop, or in what that calls."""
    depth = len(m.frame.calls)
    here = site.calls[depth].node if len(site.calls) > depth else site.node
    return site.calls[:depth] == m.frame.calls and here in walk(loop.node)


_HARMLESS: Final = frozenset({"zero_grad", "param_groups", "state_dict", "load_state_dict"})
"""Attributes of an optimizer that let no parameter change."""

_USES: Final = frozenset({"grad", "_grad", "data"})
"""Attributes with which gradients may be used without the optimizer."""


def _home_of(m: Machine, site: Site, body: ast.AST, receiver: ast.expr) -> ast.AST:
    """The code in which an optimizer of this name is the same one: the function, or all of the file."""
    if site.calls != m.frame.calls:
        return site.source.tree
    function = m.frame.function
    if function is None or not isinstance(receiver, ast.Name):
        return m.source.tree
    arguments = {each.arg for each in walk(function.node) if isinstance(each, ast.arg)}
    return body if receiver.id in arguments | bound_in(function.node) else m.source.tree


def _only_others_step(m: Machine, body: ast.AST, optimizer: InstanceValue | Symbol) -> bool:
    """Whether all that steps is a known scheduler, or an optimizer that holds other parameters."""
    for each in walk(body):
        if not isinstance(each, ast.Attribute) or each.attr != "step":
            continue
        owner = m.state.resolve(m.state.get(each, _STEPS))
        if owner is None and isinstance(each.value, ast.Name):
            owner = m.resolve(m.state.get(m.frame.scope, each.value.id))
        if not isinstance(owner, InstanceValue) or not owner.library.startswith("torch.optim."):
            return False
        if not owner.library.startswith("torch.optim.lr_scheduler.") and not _hold_others_too(
            m, optimizer, owner
        ):
            return False
    return True


def _is_handed_on(loop: ast.AST, backward: ast.AST, known: Collection[ast.AST] = ()) -> bool:
    """Whether code behind a backward, beside what is `known`, is given the model, which it may change: something that the loop calls.

    Clipping its gradients does not count.
    """
    calls = [each for each in walk(loop) if isinstance(each, ast.Call)]
    called = {ast.dump(each.func) for each in calls}
    behind = [each for each in calls if each.lineno > getattr(backward, "lineno", 0) and each not in known]
    return any(
        ast.dump(given) in called
        for each in behind
        if not ast.unparse(each.func).rpartition(".")[2].startswith("clip_grad")
        for given in (*each.args, *(keyword.value for keyword in each.keywords))
    )


@of_tree(maxsize=64)
def _uses_of_gradients(body: ast.AST) -> frozenset[str]:
    """The expressions of which more is done than clearing, and "" where gradients may be used in other ways."""
    found: set[str] = set()
    held: set[ast.AST] = set()
    for each in walk(body):
        if isinstance(each, ast.Attribute):
            if each.attr in _USES:
                found.add("")
            if each.attr in _HARMLESS:
                held.add(each.value)
    for each in walk(body):
        if (
            isinstance(each, (ast.Name, ast.Attribute))
            and isinstance(each.ctx, ast.Load)
            and each not in held
        ):
            found.add(ast.dump(each))
    return frozenset(found)


def _is_only_cleared(body: ast.AST, home: ast.AST, optimizer: str) -> bool:
    """Whether nothing in a function, or in a program, uses gradients or hands the optimizer on."""
    return "" not in _uses_of_gradients(body) and optimizer not in _uses_of_gradients(home)


def _used_by_another(m: Machine, optimizer: InstanceValue | Symbol, since: int) -> bool:
    """Whether another optimizer has stepped since, which may hold the same parameters."""
    marks = leaves(m.state.resolve(m.state.get(AMBIENT, STEPPED)))
    return any(
        isinstance(mark, tuple)
        and mark[0] > since
        and mark[1] is not optimizer
        and not _hold_others_too(m, optimizer, mark[1])
        for mark in marks
    )


def _hold_others(m: Machine, one: InstanceValue | Symbol, other: InstanceValue | Symbol) -> bool:
    """Whether two optimizers are seen to hold no parameter in common."""
    if not (m.state.get(one, "#whole") is True and m.state.get(other, "#whole") is True):
        return False
    held = m.state.get(one, "#parameters", ())
    return not set(held) & set(m.state.get(other, "#parameters", ()))  # type: ignore[call-overload]


@training_moments.stepped.on
def stepped(m: Machine, optimizer: object, node: ast.expr, text: str) -> None:
    """`optimizer.step()`."""
    if not isinstance(optimizer, (InstanceValue, Symbol)):
        return
    mark = m.state.resolve(m.state.get(optimizer, "#cleared"))
    m.state.set(optimizer, "#cleared", None)
    m.state.set(optimizer, "#last step", next_serial())
    m.state.set(AMBIENT, STEPPED, (next_serial(), optimizer))
    if isinstance(optimizer, Symbol) and m.loops:
        optim.note_rare_step(m, optimizer)
    if isinstance(node, ast.Call):
        m.state.set(node.func, _STEPS, optimizer)
    if not isinstance(mark, tuple) or m.state.get(optimizer, "#escaped") is True:
        return
    serial, site, statement, fresh = mark
    last = m.state.resolve(m.state.get(AMBIENT, FILLED))
    if last is not None and not (isinstance(last, tuple) and last[0] < serial):
        return  # on some way at least gradients have come since
    if m.state.get(optimizer, "#told of") is node:
        return
    if isinstance(fresh, Site):
        m.emit(GradientsLost(site, statement, text, fresh, m.frame.statement))
    elif _backward_follows(m, node):
        m.emit(StepWithoutGradients(m.site(node), m.frame.statement, text))
    m.state.set(optimizer, "#told of", node)


@training_moments.stepped_in_vain.on
def stepped_in_vain(
    m: Machine, optimizer: InstanceValue, node: ast.expr, text: str, parameters: list[TensorValue]
) -> None:
    """An optimizer steps, and no backward has reached any of its parameters: none was called, or each has reached others."""
    if m.state.get(optimizer, "#replaced") is not None:
        return  # that is told where the new ones are made
    known = m.notes.of(Ledger)
    last = m.state.resolve(m.state.get(AMBIENT, FILLED))
    marks = [m.state.resolve(m.state.get(each, REMOVED)) for each in parameters if each in known.reached]
    removed = isinstance(last, tuple) and any(isinstance(each, int) and each > last[0] for each in marks)
    backward = last[1] if isinstance(last, tuple) and isinstance(last[1], Site) and not removed else None
    cuts = [known.cuts[each] for each in parameters if each in known.cuts]
    cut = cuts[0] if cuts and backward is not None else None
    twin = next(
        (each for each, held in known.optimizers.items() if _holds_all(each, optimizer, held, parameters)),
        None,
    )
    made = optimizer.origin if twin is not None else None
    name = optimizer_construction.name_of(m, twin, "another optimizer") if twin is not None else ""
    m.emit(StepWithoutGradients(m.site(node), m.frame.statement, text, cut, backward, made, name, removed))


def _holds_all(
    other: InstanceValue, optimizer: InstanceValue, held: list[TensorValue], parameters: list[TensorValue]
) -> bool:
    return other is not optimizer and set(parameters) <= set(held)


def _backward_follows(m: Machine, node: ast.expr) -> bool:
    """Whether backward is called behind a step only, in the same loop or function: the order was confused."""
    function = m.frame.function
    body = m.source.tree if function is None else function.node
    home = _loop_around(m, node)
    lines = [
        each.lineno
        for each in walk(body)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr in ("backward", "grad")
        and _loop_around(m, each) is home
    ]
    return bool(lines) and min(lines) > node.lineno


def _loop_around(m: Machine, node: ast.AST) -> ast.AST | None:
    """The innermost loop or function that a node stands in."""
    above = parents(m.source)
    found: ast.AST | None = above.get(node)
    while found is not None and not isinstance(found, (ast.For, ast.While, ast.FunctionDef)):
        found = above.get(found)
    return found
