"""Devices of parameters, as calls and combinations in a body show them.

That what a function is given is on an accelerator is presumed when it runs by itself. The facts kept here, in
`Machine.call_facts`, are asked for when all has run (`deferred.shown_otherwise`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import program_moments, tensor_facts
from devls.engine.evidence import batch_provenance, loaded_batches, path_conditions
from devls.engine.evidence.deferred import ShownByProgram
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors import device_check
from devls.values.call_facts import GivenElsewhere, GivenMoved, GivenOnHost, HandedOn, NotGiven
from devls.values.conditions import Either, cases, leaves
from devls.values.devices import CPU, KnownDevice, NamedDevice
from devls.values.value import NONE, Const, InstanceValue, Symbol, TensorValue

if TYPE_CHECKING:
    import ast
    from collections.abc import Hashable, Mapping

    from devls.engine.core.machine import Machine
    from devls.values.value import ClassValue, FunctionValue


def key_of(definition: ast.AST, name: str) -> Hashable:
    """Stand-in for a parameter of a function, or for a field of a data class."""
    return ("parameter", id(definition), name)


@program_moments.function_called.on
def call(
    m: Machine,
    function: FunctionValue,
    arguments: list[object],
    keywords: dict[str, object],
    receiver: object = None,
) -> None:
    """A function is called: which of its parameters are given tensors on the CPU, and which are so by the program."""
    spec = function.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    given = {**dict(zip(names, arguments, strict=False)), **keywords}
    module = receiver if function.name == "forward" and isinstance(receiver, InstanceValue) else None
    _given(m, function.definition, given, module)
    if function.name.startswith("_") and not any(each in keywords for each in ("*", "**")):
        # Nobody else calls it: what none of the calls gives is not there.
        m.call_facts.update(
            [NotGiven(key_of(function.definition, name)) for name in names if name not in given]
        )


@program_moments.dataclass_made.on
def made(m: Machine, cls: ClassValue, arguments: list[object], keywords: dict[str, object]) -> None:
    """An instance of a data class is made: the same of its fields."""
    names = [name for name, *_ in cls.dataclass_fields or ()]
    _given(m, cls.definition, {**dict(zip(names, arguments, strict=False)), **keywords})


@program_moments.met_tensor.on
def beside_data(m: Machine, value: Symbol, other: TensorValue) -> None:
    """A value combined with data that a loader hands out, and that nobody has moved, is on the data's device."""
    if batch_provenance.of_data(device_check.parameter_behind(value.key)):
        given = device_check.parameter_of(m.device(other))
        if given is not None:
            m.call_facts.add(GivenOnHost(given))


def _given(
    m: Machine, definition: ast.AST, given: Mapping[str, object], module: InstanceValue | None = None
) -> None:
    for name, each in given.items():
        kind = type(each)
        value = m.resolve(each) if kind is Either or kind is Symbol else each
        if isinstance(value, InstanceValue) or (isinstance(value, Const) and value.value is not None):
            continue
        key = key_of(definition, name)
        if value == NONE:
            m.call_facts.add(NotGiven(key))
            continue
        if isinstance(value, Symbol):
            behind = device_check.parameter_behind(value.key) or _input_of_caller(m)
            made = value.text.endswith("(...)") and batch_provenance.prepared(value)
            if value.device == CPU or made or loaded_batches.is_put_together(m, value):
                m.call_facts.add(GivenOnHost(key))
            elif behind is not None:
                m.call_facts.add(HandedOn(key, behind))
            elif _is_chosen(value.device):
                m.call_facts |= {GivenElsewhere(key), GivenMoved(key)}
            elif GivenElsewhere(key) not in m.call_facts:
                # A module that is on the CPU takes what is there.
                at_home = module is not None and registry.device(m, module) == CPU
                m.call_facts.add(GivenOnHost(key) if at_home else GivenElsewhere(key))
            continue
        if type(value) is TensorValue and type(place := m.device(value)) is not Either and place != CPU:
            # By far most tensors are in one place, and not on the CPU.
            origin = device_check.parameter_of(place)
            m.call_facts.add(GivenElsewhere(key) if origin is None else HandedOn(key, origin))
            if origin is None and _is_chosen(place):
                m.call_facts.add(GivenMoved(key))
            continue
        tensors = tensor_facts.tensors_in(m, [value])
        if tensors and all(m.device(tensor) == CPU for tensor in tensors):
            m.call_facts.add(GivenOnHost(key))
            if m.program_runs:
                m.notes.of(ShownByProgram).on_host.add(key)
            continue
        if tensors and _of_arrays_too(m, value):
            m.call_facts.add(GivenOnHost(key))
            continue
        origins = {
            device_check.parameter_of(place)
            for tensor in tensors
            for place in leaves(m.device(tensor))
            if place != CPU  # made there where it was not given as a tensor
        }
        # An argument that a caller hands on is where the caller was given it.
        m.call_facts |= {
            GivenElsewhere(key) if origin is None else HandedOn(key, origin) for origin in origins
        }
        if None in origins and any(_is_chosen(m.device(tensor)) for tensor in tensors):
            m.call_facts.add(GivenMoved(key))


def _is_chosen(place: object) -> bool:
    """Whether a place is one that somebody has named, and not the CPU."""
    return any(
        isinstance(each, NamedDevice) or (isinstance(each, KnownDevice) and each != CPU)
        for each in leaves(place)
    )


def _of_arrays_too(m: Machine, value: object) -> bool:
    """Whether something was made of an array, on the CPU, where it was one: who takes arrays is given tensors that are there."""
    return any(
        place == CPU and any(map(path_conditions.kinds, (*tests, *others)))
        for tests, (each,) in cases(value)
        if isinstance(each, TensorValue)
        for others, (place,) in cases(m.device(each))
    )


def _input_of_caller(m: Machine) -> Hashable | None:
    """The first input of the module that is running: what it computes out of sight is in the same place."""
    function = m.frame.function
    if function is None or function.name != "forward" or len(function.node.args.args) < len(("self", "x")):
        return None
    return key_of(function.definition, function.node.args.args[1].arg)
