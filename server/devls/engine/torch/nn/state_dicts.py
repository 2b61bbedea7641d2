"""State dicts of modules: what is given out, and what is loaded."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import training_moments
from devls.engine.core.events.protocols import MemoryShared
from devls.engine.core.joins import Contents, Entries
from devls.engine.torch import checkpoints
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors import attributes as tensor_attributes
from devls.values.conditions import leaves
from devls.values.devices import UNKNOWN_DEVICE
from devls.values.graph import Storage
from devls.values.history import Site
from devls.values.value import (
    FALSE,
    InstanceValue,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


TAKEN: Final = "#taken as"
"""The slot of a tensor that has the dicts which `state_dict` has returned of its module."""

_KEPT: Final = 4
"""Dicts of one module that are remembered."""

OUTDATED: Final = "#stepped since"
"""The slot of a `state_dict` after whose taking an optimizer has changed what it holds."""


def taken_of(m: Machine, tensor: TensorValue) -> tuple[object, ...]:
    """Dicts in which a module was seen, on any way that leads here."""
    ways = leaves(m.state.get(tensor, TAKEN, ()))
    return tuple(dict.fromkeys(each for way in ways if isinstance(way, tuple) for each in way))


def state_dict(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    """`module.state_dict()`: a dict of what is registered, without graphs."""
    whole = registry.is_whole(m, owner)
    rest: object = None if whole else m.unknown()
    known: dict[object, object]
    keeps = call_.keyword(m, "keep_vars")
    if keeps is not None and keeps != FALSE:
        known = {name: tensor for name, tensor, _ in registry.named(m, owner)}
    else:
        known = {
            name: tensor_attributes.detached(m, call_.node, tensor, "`state_dict` holds no graph")
            for name, tensor, _ in registry.named(m, owner)
        }
        if (
            not whole
            and len(call_.arguments) == 1
            and "*" not in call_.keywords
            and "**" not in call_.keywords
        ):
            rest = TensorValue(requires_grad=False, leaf=True, storage=Storage(), origin=m.site(call_.node))
        for each in (*known.values(), rest):
            if isinstance(each, TensorValue):
                m.state.set(each, "#of state dict", m.site(call_.node))
    result = m.new_dict(known, rest, call_.node)
    m.state.set(result, "state dict", owner)
    for _, tensor, _ in registry.named(m, owner):
        m.state.set(tensor, TAKEN, (*taken_of(m, tensor), result)[-_KEPT:])
    return result


def load_state_dict(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    """`module.load_state_dict(entries)`: copies into what is registered."""
    if checkpoints.is_loaded(m, call_.argument(1, "state_dict")):
        m.state.set(owner, "#loaded weights", (m.site(call_.node), m.frame.statement))
    _loaded_itself(m, call_, owner)
    _copied_from(m, call_, call_.argument(1, "state_dict"), owner)
    if call_.keyword(m, "assign") not in (None, FALSE):
        _assigned(m, call_.argument(1, "state_dict"), owner)
    names = [m.new_list(()), m.new_list(())]
    for each in names:
        m.state.set(each, "#items", Contents(None, Symbol(("key", m.fresh_number()), "a key", hint="string")))
    return TupleValue(tuple(names), LOADED)


LOADED: Final = ("missing_keys", "unexpected_keys")
"""The fields of what `load_state_dict` returns."""


def _copied_from(m: Machine, call_: Invocation, given: object, owner: InstanceValue) -> None:
    """Announce of which parameters these have the values now: those of another module's `state_dict`."""
    given = m.resolve(given)
    entries = m.state.get(given, "#entries")
    if not isinstance(entries, Entries):
        return
    copied: list[tuple[str, TensorValue, TensorValue]] = []
    for name, tensor, _ in registry.named(m, owner):
        source = m.resolve(entries.known.get(name))
        if tensor.is_parameter and isinstance(source, TensorValue):
            copied.append((name, tensor, source))
    training_moments.weights_loaded(m, call_, owner, m.state.get(given, "state dict"), copied)


def _assigned(m: Machine, given: object, owner: InstanceValue) -> None:
    """`load_state_dict(..., assign=True)`: what is given takes the place of parameters and buffers, where it is."""
    entries = m.state.get(m.resolve(given), "#entries")
    known = entries.known if isinstance(entries, Entries) else {}
    for name, tensor, _ in registry.named(m, owner):
        found = m.tensor_of(known[name], infer=False) if name in known else None
        m.state.set(tensor, "device", UNKNOWN_DEVICE if found is None else m.device(found))


def _of_another_name(m: Machine, call_: Invocation, argument: ast.expr | None) -> bool:
    """Whether it is `one.load_state_dict(other.state_dict())`: nobody writes two names for one module there."""
    return (
        isinstance(argument, ast.Call)
        and isinstance(argument.func, ast.Attribute)
        and call_.receiver_node is not None
        and m.text(argument.func.value) != m.text(call_.receiver_node)
    )


def _loaded_itself(m: Machine, call_: Invocation, owner: InstanceValue) -> None:
    """Is a module given a `state_dict` whose tensors are its own memory? Then nothing changes."""
    argument = call_.argument_node(1, "state_dict")
    if not isinstance(argument, (ast.Name, ast.Attribute)) and not _of_another_name(m, call_, argument):
        return
    assert argument is not None  # noqa: S101  for the type checker
    own = {name: tensor for name, tensor, _ in registry.named(m, owner)}
    for each in m.alternatives(call_.argument(1, "state_dict")):
        entries = m.state.get(each, "#entries") if m.state.get(each, "state dict") is not None else None
        if (
            not isinstance(entries, Entries)
            or entries.rest is not None
            or not own
            or set(entries.known) != set(own)
        ):
            continue
        held = [(own[str(name)], m.resolve(tensor)) for name, tensor in entries.known.items()]
        if all(
            isinstance(there, TensorValue)
            and there.storage is here.storage
            and m.device(there) == m.device(here)
            for here, there in held
        ):
            taken = next(
                (
                    each
                    for each in leaves(m.state.get(held[0][1], "#of state dict"))
                    if isinstance(each, Site)
                ),
                None,
            )
            if taken is not None:
                text = m.text(call_.receiver_node or call_.node)
                how = "restored" if _has_changed(m, call_.argument(1, "state_dict")) else "loaded"
                m.emit(
                    MemoryShared(m.site(call_.node), m.frame.statement, how, text, m.text(argument), taken)
                )
            return


def _has_changed(m: Machine, given: object) -> bool:
    """Whether an optimizer has stepped since one of these dicts was taken."""
    return any(m.state.get(each, OUTDATED) is not None for each in m.alternatives(given))
