"""How modules and parameters become a part of a module: by name, by a container's methods, as an attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import library_semantics, tensor_facts
from devls.engine.core.joins import Contents, Entries, key_told
from devls.engine.core.slots import set_slot
from devls.engine.python import iteration, reflection
from devls.engine.torch.nn import construction, registry
from devls.values.conditions import leaves
from devls.values.value import Const, InstanceValue, Mapping, Sequence, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


def register(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    """`module.add_module(name, part)`, `module.register_parameter(name, part)`."""
    name = m.resolve(call_.argument(1, "name"))
    value = (
        call_.arguments[2]
        if len(call_.arguments) > 2
        else call_.keywords.get("module", call_.keywords.get("param"))
    )
    layer = m.library.layer(owner.library)
    if layer is not None and layer.container == "sequential" and value is not None:
        # It takes part in the call.
        _append_child(m, owner, value, name.value if isinstance(name, Const) else None)
    elif (
        isinstance(name, Const)
        and isinstance(name.value, str)
        and value is not None
        and layer is not None
        and owner.library.endswith("ModuleDict")
    ):
        construction.set_item(m, owner, name, value)
    elif isinstance(name, Const) and isinstance(name.value, str) and value is not None:
        set_slot(m, owner, name.value, value)
    elif value is not None:
        _append_child(m, owner, value)
    return Const(None)


def append(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    """`modules.append(part)`, `modules.insert(place, part)`."""
    if len(call_.arguments) > 1:
        _append_child(m, owner, call_.arguments[-1])
    return owner


def extend(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    """`modules.extend(parts)`: of a list whose length is not known, all that it may hold."""
    given = m.resolve(call_.arguments[1]) if len(call_.arguments) > 1 else None
    if isinstance(given, Mapping):
        return _update(m, given, owner)
    items = iteration.items(m, given, None) if given is not None else None
    if items is None and isinstance(given, Sequence):
        contents = m.state.get(given, "#items")
        if isinstance(contents, Contents):
            items = [*(contents.items or ()), *(() if contents.element is None else (contents.element,))]
            m.state.set(given, construction.GIVEN_TO, owner)
    for each in items if items is not None else [m.unknown()]:
        _append_child(m, owner, each)
    return owner


def _update(m: Machine, given: Mapping, owner: InstanceValue) -> object:
    """`modules.update(layers)`: each under its key."""
    entries = m.state.get(given, "#entries")
    if not isinstance(entries, Entries):
        entries = Entries({}, m.unknown())
    for key, value in entries.known.items():
        construction.set_item(m, owner, key_told(key), value)
    if entries.rest is not None:
        construction.set_item(m, owner, m.unknown(), entries.rest)
    return owner


def set_attribute(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    """`nn.Module.__setattr__(module, name, value)`, which `super().__setattr__` is: it registers as `setattr` does."""
    del owner
    return reflection.write_attribute(m, call_)


@library_semantics.set_under_unknown_name.answer
def registered_under_unknown_name(m: Machine, owner: InstanceValue, value: object) -> None:
    """A module or a parameter that is set as an attribute of a module is registered, whatever its name.

    An item that a loop takes from a list is one of several: some round registers each of them.
    """
    if not registry.is_module(m, owner):
        return
    for found in m.alternatives(value):
        _note_list(m, owner, found)
        of_module = isinstance(found, InstanceValue) and registry.is_module(m, found)
        if of_module or (isinstance(found, TensorValue) and found.is_parameter):
            _append_child(m, owner, found)


def registered_with(m: Machine, instance: InstanceValue) -> set[int]:
    """Parts registered with a module, or with one whose method has called it: they follow its moves."""
    found = {id(each) for each in registry.walk(m, instance)}
    found |= {id(one) for each in registry.parameters(m, instance) for one in tensor_facts.cases(each)}
    for frame in m.frames:
        if isinstance(frame.receiver, InstanceValue) and registry.is_module(m, frame.receiver):
            found |= {id(each) for each in registry.walk(m, frame.receiver)}
    kept = (each for _, value in registry.entries(m, instance) for each in m.alternatives(value))
    return found | {id(each) for each in kept if isinstance(each, Symbol)}


def _note_list(m: Machine, owner: InstanceValue, value: object) -> None:
    """Whoever registers some item of a list under a name made for it, does so with all."""
    for listed in leaves(m.state.get(value, iteration.ONE_OF)) if isinstance(value, Symbol) else ():
        if isinstance(listed, Sequence):
            m.state.set(listed, construction.GIVEN_TO, owner)


def _append_child(m: Machine, owner: InstanceValue, value: object, name: object = None) -> None:
    _note_list(m, owner, m.resolve(value))
    value = construction.item_of(m, owner, value)
    names = registry.child_names(m, owner)
    contents = m.state.get(owner, "#children")
    if not isinstance(contents, Contents):
        contents = Contents(())
    if contents.items is not None:
        m.state.set(owner, "#children", Contents((*contents.items, value), contents.element))
        if names is not None:
            registry.name_children(m, owner, (*names, str(len(names)) if name is None else name))
    else:
        m.state.set(owner, "#children", Contents(None, m.any_of((contents.element, value))))
