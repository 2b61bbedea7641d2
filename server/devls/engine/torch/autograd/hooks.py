"""Hooks: functions that torch calls where a module is called, or where a gradient comes by.

They run where torch would run them: what a forward hook keeps is the output of that call, and what a backward hook keeps is
there after the backward, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import limits, training_moments
from devls.engine.python import calls
from devls.values.state import AMBIENT
from devls.values.value import (
    NONE,
    BoundMethod,
    FunctionValue,
    InstanceValue,
    PartialValue,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    import ast

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.torch.autograd.graph_walk import Walk

HANDLE: Final = "torch.utils.hooks.RemovableHandle"

_FORWARD: Final = "#forward hooks"
_BEFORE: Final = "#forward pre hooks"
_BACKWARD: Final = "gradient hooks"
_ACCUMULATED: Final = "accumulated hooks"

_SLOTS: Final = {
    "register_forward_hook": _FORWARD,
    "register_forward_pre_hook": _BEFORE,
}

_RUN: Final = (FunctionValue, BoundMethod, PartialValue)


def on_module(m: Machine, call: Invocation, owner: InstanceValue) -> object:
    """`module.register_..._hook(function)`; gives the handle."""
    m.state.set(owner, "#hooked", True)
    function = m.resolve(call.argument(1, "hook"))
    slot = _SLOTS.get(call.short_name)
    if slot is None:
        return _registered(m, call, AMBIENT, _BACKWARD, (owner, function))
    # An argument given by keyword is handed to the function, too: its arguments cannot be told then.
    if set(call.keywords) - {"hook", "prepend"} or not isinstance(function, _RUN):
        m.escape(function)
        return m.unknown(call.node)
    return _registered(m, call, owner, slot, (owner, function))


def on_tensor(m: Machine, call: Invocation) -> object:
    """`tensor.register_hook(function)` and its kin; gives the handle."""
    tensor = m.tensor_of(call.receiver)
    function = m.resolve(call.argument(1, "hook"))
    if tensor is None:
        return m.unknown(call.node)
    slot = _ACCUMULATED if call.short_name == "register_post_accumulate_grad_hook" else _BACKWARD
    return _registered(m, call, AMBIENT, slot, (tensor, function))


def _registered(
    m: Machine, call: Invocation, holder: object, slot: str, entry: tuple[object, object]
) -> object:
    known = m.state.get(holder, slot, ())
    assert isinstance(known, tuple)  # noqa: S101  written below only
    if not isinstance(entry[1], _RUN):
        m.escape(entry[1])
        return m.unknown(call.node)
    m.state.set(holder, slot, (*known, entry))
    handle = InstanceValue(None, HANDLE, m.site(call.node))
    m.state.set(handle, "#hook", (holder, slot, entry))
    return handle


def removed(m: Machine, call: Invocation) -> object:
    """`handle.remove()`."""
    found = m.state.get(m.resolve(call.receiver), "#hook")
    if isinstance(found, tuple):
        holder, slot, entry = found
        known = m.state.get(holder, slot, ())
        assert isinstance(known, tuple)  # noqa: S101  written above only
        m.state.set(holder, slot, tuple(each for each in known if each is not entry))
    return NONE


def before_forward(
    m: Machine, instance: InstanceValue, arguments: list[object], node: ast.expr | None
) -> list[object]:
    """Run the hooks that see the arguments of a call; gives those that `forward` gets."""
    for _, function in _of(m, instance, _BEFORE):
        given = m.resolve(_run(m, function, [instance, TupleValue(tuple(arguments))], node))
        if isinstance(given, TupleValue):
            arguments = list(given.items)
        elif given != NONE:
            arguments = [given]
    return arguments


def after_forward(
    m: Machine, instance: InstanceValue, arguments: list[object], result: object, node: ast.expr | None
) -> object:
    """Run the hooks that see the result of a call; gives what the caller gets."""
    for _, function in _of(m, instance, _FORWARD):
        given = m.resolve(_run(m, function, [instance, TupleValue(tuple(arguments)), result], node))
        if given != NONE:
            result = given
    return result


def backward_ended(m: Machine, call: ast.expr, walk: Walk, *, accumulated: bool, graph: bool) -> None:
    """Run the hooks on the gradients that a backward has computed, and on the leaves that it has accumulated them in.

    Nothing records there, unless there is to be a graph of the gradients.
    """
    registered = (_of(m, AMBIENT, _BACKWARD), _of(m, AMBIENT, _ACCUMULATED) if accumulated else ())
    if not any(registered):
        return
    mode = m.state.get(AMBIENT, "grad", True)
    if not graph:
        m.state.set(AMBIENT, "grad", False)
    for owner, function in registered[0]:
        if isinstance(owner, TensorValue):
            if m.node(owner) in walk.seen or any(each is owner for each in walk.leaves):
                _run(m, function, [_gradient(m, owner)], call)
        else:
            unknown = m.unknown(call)
            _run(m, function, [owner, unknown, unknown], call)
    for owner, function in registered[1]:
        if any(each is owner for each in walk.leaves):
            _run(m, function, [owner], call)
    m.state.set(AMBIENT, "grad", mode)


def _run(m: Machine, function: object, arguments: list[object], node: ast.expr | None) -> object:
    """Call a hook, which may register more of them and call what they belong to: no statement pays for that."""
    m.state.work += limits.WORK_OF_OPERATION
    m.pay()
    result = calls.call(m, function, arguments, {}, node)
    training_moments.hook_called(m, function, m.resolve(result))
    return result


def _gradient(m: Machine, tensor: TensorValue) -> TensorValue:
    return TensorValue(
        device=m.device(tensor),
        requires_grad=False,
        leaf=True,
        dtype=tensor.dtype,
        shape=tensor.shape,
        nonscalar=tensor.nonscalar,
        device_step=tensor.device_step,
    )


def _of(m: Machine, holder: object, slot: str) -> tuple[tuple[object, object], ...]:
    found = m.state.get(holder, slot, ())
    return found if isinstance(found, tuple) else ()
