"""Modules that another one holds without having registered them, and the code of its class that moves them itself."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import priors, tensor_facts, training_moments
from devls.engine.core.events.events import ModulesUnregistered
from devls.engine.core.joins import Contents
from devls.engine.evidence import attribute_reassignment, judgement, method_effects
from devls.engine.evidence.presumptions import rests_on
from devls.engine.python import calls, classes
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors import device_check
from devls.values.conditions import leaves
from devls.values.devices import CPU, UNKNOWN_DEVICE, Verdict
from devls.values.state import MISSING
from devls.values.value import InstanceValue, NativeFunction, TensorValue, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.history import Step


@priors.attributes_as_dict.answer
def attributes(m: Machine, instance: InstanceValue) -> dict[object, object]:
    """Entries of the `__dict__` of a module under names that it has: all but registered ones."""
    registered: set[object] = {tensor for _, tensor, _ in registry.tensors(m, instance)}
    registered.update(child for _, child in registry.children(m, instance))
    return {
        name: value
        for name, value in registry.entries(m, instance)
        if not any(each in registered for each in leaves(value))
    }


@rests_on(
    ModulesUnregistered,
    "called-in-list-is-layer",
    "what `forward` takes out of a list of the module, and calls, is a layer",
    weight=0,
    seen="tests/specs/fragments.md:826",
)
def called_in_list_is_layer(event: ModulesUnregistered, m: Machine) -> int:
    """Whatever its class is, of which no code is seen."""
    del m
    return int(event.unseen)


@priors.layers_unregistered.answer
def layers_unregistered(m: Machine, event: ModulesUnregistered) -> None:
    """Tell of it, with what it rests on."""
    judgement.emit(m, judgement.judge(m, ModulesUnregistered, event), lambda: event)


def moved_meanwhile(m: Machine, instance: InstanceValue) -> None:
    """Whoever has moved an instance has run its own methods, which move what it has not registered: `to`, `place`.

    A module that the program moves beside another instance of the class is moved beside this one, too.
    """
    if instance.cls is not None:
        method_effects.devices_chosen(m, instance, instance.cls)
    registered = set(registry.walk(m, instance))
    for _, value in registry.entries(m, instance):
        for each in registry.held_modules(m, value):
            if each not in registered and method_effects.is_moved_by_program(m, each):
                method_effects.forget_place(m, each)
    for cls in classes.linearize(m, instance.cls) if instance.cls is not None else ():
        for name in attribute_reassignment.moved_by_methods(cls.node, cls.source):
            for left in tensor_facts.tensors_in(m, [m.state.get(instance, name)]):
                if m.device(left) == CPU:
                    m.state.set(left, "device", UNKNOWN_DEVICE)
        for method, names in method_effects.moved_by_methods(cls.node, cls.source):
            if method in m.built_with:
                continue
            every = (
                [name for name, _ in registry.entries(m, instance)] if method_effects.ALL in names else names
            )
            for name in every:
                _forget_places(m, m.state.get(instance, name), registered)


@training_moments.module_placed.on
def moved_by_own_code(m: Machine, instance: InstanceValue, device: Tree, step: Step) -> None:
    """A class that overrides `_apply` moves itself what it has not registered: tensors and modules."""
    if instance.cls is None or classes.class_attribute(m, instance.cls, "_apply") is MISSING:
        return
    method = classes.method_of(m, instance, "_apply")
    if method is None:
        return

    def move_one(arguments: list[object], _keywords: dict[str, object]) -> object:
        value = m.resolve(arguments[0]) if arguments else None
        if (
            not isinstance(value, TensorValue)
            or device_check.compare_devices(m, m.device(value), device).verdict is Verdict.SAME
        ):
            return value
        return registry.copied(m, value, device, step)

    calls.call(m, method, [NativeFunction("move", move_one)], {}, None)
    # The effect of that code on the rest, by names that it keeps or beyond the bounds, is not known.
    registered = set(registry.walk(m, instance))
    for name, value in registry.entries(m, instance):
        for left in tensor_facts.tensors_in(m, [value]):
            if m.device(left) != CPU:
                continue
            if left.view_of is None:
                m.state.set(left, "device", UNKNOWN_DEVICE)
            else:  # a view stays where it was made
                m.state.set(instance, name, m.unknown())
        _forget_places(m, value, registered)


def _forget_places(m: Machine, value: object, registered: set[InstanceValue]) -> None:
    for each in registry.held_modules(m, value):
        if each not in registered:
            method_effects.forget_place(m, each)


@priors.is_kept_apart.answer
def on_purpose(m: Machine, held: object, written: object) -> bool:
    """Whether a module was put alone into a container that is written around its name: `self._ref = (reference,)`.

    There is no other reason for a container of one than to keep a module from being registered. The same of what a
    function has loaded or built: `self.clip = [load(name)]`.
    """
    if not isinstance(written, (ast.Tuple, ast.List)) or len(written.elts) != 1:
        return False
    contents = m.state.get(held, "#items")
    alone = isinstance(held, TupleValue) or (
        isinstance(contents, Contents) and contents.element is None and len(contents.items or ()) == 1
    )
    only = written.elts[0]
    if alone and isinstance(only, ast.Call):
        items = (
            held.items
            if isinstance(held, TupleValue)
            else contents.items
            if isinstance(contents, Contents)
            else ()
        )
        made = [each for item in items or () for each in m.alternatives(item)]
        return not any(isinstance(each, InstanceValue) and _made_by(each, only) for each in made)
    return alone and isinstance(only, ast.Name)


def _made_by(instance: InstanceValue, call: ast.Call) -> bool:
    """Whether a call is that of an object's class, and of no function that has made it elsewhere."""
    return instance.origin is not None and instance.origin.node is call
