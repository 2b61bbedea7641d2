"""Methods of what is known only by name."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import priors, training_moments
from devls.engine.core.events.calls import MetaMoved
from devls.engine.core.joins import Contents
from devls.engine.torch import checkpoints, optim
from devls.engine.torch.functions import gradients, moves
from devls.engine.torch.nn import registry, train_mode
from devls.engine.torch.tensors import moves as placement
from devls.values.devices import META
from devls.values.value import (
    FALSE,
    NONE,
    TRUE,
    BoundMethod,
    Const,
    FunctionValue,
    Symbol,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


def symbol_to(m: Machine, call: Invocation) -> object:
    owner = call.receiver
    checkpoints.moved(m, call)
    if not isinstance(owner, Symbol):
        return moves.to(m, call)
    if _moves_parts(m, call):
        return m.unknown(call.node)
    if priors.is_moved_as_model(m, owner, call.node):
        target = placement.target_of(m, call)[0]
        placed = m.state.get(owner, "#module device")
        if isinstance(placed, tuple) and placed[0] == META and target not in (None, META):
            # Only a model that was moved there is known to be nowhere.
            text = m.text(call.receiver_node or call.node)
            node = call.node if isinstance(call.node, ast.Call) else None
            m.emit(MetaMoved(m.site(call.node), m.frame.statement, text, is_module=True, call=node))
        m.state.set(owner, "is module", True)
        if target is not None:
            m.state.set(owner, "#module device", (target, m.site(call.node)))
        return owner
    part = None if placement.names_no_device(m, call) else m.tensor_of(owner)
    if part is None:
        return m.unknown(call.node)
    before = m.device(part)
    result = placement.move_tensor(m, call, part)
    after = m.device(result)
    if after != before:  # else it was asked for a dtype
        written = call.receiver_node
        text = owner.text if written is None else m.text(written)
        training_moments.part_moved(m, owner, after, call.node, text)
    return result


def _moves_parts(m: Machine, call: Invocation) -> bool:
    """Whether a `to` takes names beside the device, as no tensor's and no module's does: `data.to(device, "x")` moves these alone."""
    given = [m.resolve(each) for each in call.arguments[2:]]
    return bool(given) and all(isinstance(each, Const) and isinstance(each.value, str) for each in given)


def symbol_mode(m: Machine, call: Invocation) -> object:
    m.state.set(call.receiver, "is module", True)
    checkpoints.used(m, call.node, call.receiver, whole=True)
    given = m.resolve(call.argument(1, "mode") or TRUE)
    train_mode.changed(m, call.receiver, call.node, FALSE if call.short_name == "eval" else given)
    return call.receiver


def symbol_step(m: Machine, call: Invocation) -> object:
    if optim.is_unseen_scaler(m, call.receiver) and isinstance(call.node, ast.Call) and call.node.args:
        training_moments.unseen_scaler_stepped(m, call.node, call.node.args[0])
        return gradients.scaler_step(m, call)
    if isinstance(call.receiver, Symbol) and isinstance(call.node, ast.Call) and _may_be_closures(m, call):
        optim.symbol_method(m, call.node, call.receiver, call.short_name)
    for value in call.arguments[1:]:
        m.escape(value)
    return m.unknown(call.node)


def _may_be_closures(m: Machine, call: Invocation) -> bool:
    """Whether a step is given at most what torch's optimizers take, something to call: others are given gradients."""
    given = [m.resolve(each) for each in call.arguments[1:]] if call.short_name == "step" else []
    return all(each == NONE or isinstance(each, (FunctionValue, BoundMethod)) for each in given)


def symbol_item(m: Machine, call: Invocation) -> object:
    """`x.item()`, `x.tolist()`: Python numbers, whether `x` is a tensor or an array."""
    return Symbol(("number", m.fresh_number()), m.text(call.node), hint="number", site=m.site(call.node))


def symbol_children(m: Machine, call: Invocation) -> object:
    """`model.children()`: modules, if the receiver is one."""
    owner = call.receiver
    if not isinstance(owner, Symbol) or not priors.is_model(m, owner):
        return m.unknown(call.node)
    part = Symbol(("part of", owner.key, m.fresh_number()), f"a part of {owner.text}", hint="module")
    name = Symbol(("key", m.fresh_number()), "a name", hint="string")
    item = TupleValue((name, part)) if call.short_name.startswith("named_") else part
    result = m.new_list((), call.node, "iterator")
    m.state.set(result, "#items", Contents(None, item))
    return result


def symbol_parameters(m: Machine, call: Invocation) -> object:
    """`model.parameters()`, and `model.named_parameters()`, which gives names beside them."""
    owner = call.receiver
    if not isinstance(owner, Symbol):
        return m.unknown(call.node)
    m.state.set(owner, "is module", True)
    result = m.new_list((), call.node, "iterator")
    item = Symbol(
        ("parameter of", owner.key),
        f"{registry.PARAMETER_OF}{owner.text}",
        named=owner.named,
        hint="tensor",
        plausible=call.short_name
        == "parameters",  # with their names they are looked at more often than computed with
        site=owner.site,
    )
    named = Symbol(("key", m.fresh_number()), "a name", hint="string")
    m.state.set(
        result,
        "#items",
        Contents(None, TupleValue((named, item)) if call.short_name == "named_parameters" else item),
    )
    return result
