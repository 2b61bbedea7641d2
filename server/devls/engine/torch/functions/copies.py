"""Deep copies: of tensors, modules and everything that holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import limits, priors, training_moments
from devls.engine.core.events.events import GraphCopied
from devls.engine.core.joins import Contents, Entries
from devls.engine.core.slots import set_slot
from devls.engine.torch.nn import registry
from devls.values.graph import Storage
from devls.values.value import (
    NONE,
    Const,
    InstanceValue,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


def deepcopy(m: Machine, call: Invocation) -> object:
    """`copy.deepcopy(x)`: new tensors and modules; torch refuses tensors that are no leaves."""
    value = m.resolve(call.arguments[0]) if call.arguments else NONE
    return _copied(m, value, call, {})


def _copied_entries(m: Machine, given: object, tensor: TensorValue) -> str:
    """Whether what is copied is a dict or a list in which a tensor lies."""
    given = m.resolve(given)
    if isinstance(given, Mapping):
        entries = m.state.get(given, "#entries")
        held = (*entries.known.values(), entries.rest) if isinstance(entries, Entries) else ()
        return "dict" if any(m.resolve(each) is tensor for each in held) else ""
    if isinstance(given, Sequence):
        contents = m.state.get(given, "#items")
        items = (*(contents.items or ()), contents.element) if isinstance(contents, Contents) else ()
        return "list" if any(m.resolve(each) is tensor for each in items) else ""
    return ""


def shallow(m: Machine, call: Invocation) -> object:
    """`copy.copy(x)`: another container or object with the same things in it; a module's copy shares its registers."""
    value = m.resolve(call.arguments[0]) if call.arguments else NONE
    if isinstance(value, Sequence):
        made = m.new_list((), call.node, value.kind)
        m.state.set(made, "#items", m.state.get(value, "#items"))
        return made
    if isinstance(value, Mapping):
        copied = m.new_dict({}, None, call.node)
        m.state.set(copied, "#entries", m.state.get(value, "#entries"))
        return copied
    if isinstance(value, InstanceValue) and value.cls is not None and not registry.is_module(m, value):
        another = InstanceValue(value.cls, value.library, m.site(call.node))
        for name, each in registry.entries(m, value):
            set_slot(m, another, name, each)
        return another
    return value


def _copied(
    m: Machine, value: object, call: Invocation, seen: dict[int, object], attribute: str = ""
) -> object:
    value = m.resolve(value)
    if id(value) in seen:
        return seen[id(value)]
    m.state.work += limits.WORK_OF_COPY
    if len(seen) >= limits.COPIED:
        return m.unknown(call.node)
    if isinstance(value, TensorValue):
        seen[id(value)] = result = _tensor_copied(m, value, call, attribute)
        return result
    if isinstance(value, InstanceValue) and (registry.is_module(m, value) or value.cls is not None):
        return _instance_copied(m, value, call, seen, attribute)
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        seen[id(value)] = made = m.new_list((), call.node, value.kind)
        if isinstance(contents, Contents):
            items = _items_copied(m, contents.items, call, seen, attribute)
            m.state.set(made, "#items", Contents(items, contents.element))
        return made
    if isinstance(value, Mapping):
        entries = m.state.get(value, "#entries")
        if isinstance(entries, Entries):
            seen[id(value)] = copied = m.new_dict(Entries({}, entries.rest, entries.there))
            entries_copied: dict[object, object] = {
                key: _copied(m, each, call, seen, attribute) for key, each in entries.known.items()
            }
            m.state.set(copied, "#entries", Entries(entries_copied, entries.rest, entries.there))
            return copied
    if isinstance(value, TupleValue):
        seen[id(value)] = items_of = TupleValue(
            tuple(_copied(m, each, call, seen, attribute) for each in value.items)
        )
        return items_of
    if isinstance(value, Symbol) and priors.is_model(m, value):
        return _model_copied(m, value)
    return value if isinstance(value, Const) else m.unknown(call.node)


def _tensor_copied(m: Machine, value: TensorValue, call: Invocation, attribute: str) -> TensorValue:
    """A leaf with memory of its own; a tensor that is in a graph cannot be copied."""
    if m.is_leaf(value) is False and m.requires_grad(value) is True and value.symbol is None:
        given = call.nodes[0]
        alone = given if m.resolve(call.arguments[0]) is value else None
        kept = m.state.get(value, "kept at")
        place, kept_value = kept if isinstance(kept, tuple) else (None, None)
        m.emit(
            GraphCopied(
                m.site(call.node),
                m.frame.statement,
                m.text(given or call.node),
                attribute,
                alone,
                value.origin,
                place,
                kept_value,
                _copied_entries(m, call.arguments[0], value),
            )
        )
    result = TensorValue(
        device=m.device(value),
        requires_grad=m.requires_grad(value),
        leaf=True,
        dtype=value.dtype,
        shape=value.shape,
        nonscalar=value.nonscalar,
        storage=Storage(),
        is_parameter=value.is_parameter,
        origin=m.site(call.node),
        device_step=m.state.get(value, "device_step", value.device_step),  # type: ignore[arg-type]
        grad_step=value.grad_step,
    )
    training_moments.tensor_copied(m, value, result)
    return result


def _instance_copied(
    m: Machine, value: InstanceValue, call: Invocation, seen: dict[int, object], attribute: str
) -> InstanceValue:
    """A module, or an instance of a class of the project, with copies of all that it holds."""
    copied = InstanceValue(value.cls, value.library, m.site(call.node))
    seen[id(value)] = copied
    for name, each in registry.entries(m, value):
        set_slot(m, copied, name, _copied(m, each, call, seen, attribute or name))
    contents = m.state.get(value, "#children")
    if isinstance(contents, Contents):
        items = _items_copied(m, contents.items, call, seen)
        element = None if contents.element is None else _copied(m, contents.element, call, seen)
        m.state.set(copied, "#children", Contents(items, element))
    for slot in ("#buffers", "training", "#given", "#open", "#inplace", "built in forward"):
        kept = m.state.get(value, slot)
        if kept is not None:
            m.state.set(copied, slot, kept)
    return copied


def _items_copied(
    m: Machine,
    items: tuple[object, ...] | None,
    call: Invocation,
    seen: dict[int, object],
    attribute: str = "",
) -> tuple[object, ...] | None:
    """Copies of the items of a list, if these are known."""
    return None if items is None else tuple(_copied(m, each, call, seen, attribute) for each in items)


def _model_copied(m: Machine, model: Symbol) -> Symbol:
    """A copy of a model of which we see no code: it is where that is, and in the same mode."""
    copied = Symbol(
        ("copy", model.key, m.fresh_number()),
        model.text,
        named=model.named,
        hint="module",
        plausible=model.plausible,
        site=model.site,
    )
    for slot in ("#module device", "eval at"):
        found = m.state.get(model, slot)
        if found is not None:
            m.state.set(copied, slot, found)
    return copied
