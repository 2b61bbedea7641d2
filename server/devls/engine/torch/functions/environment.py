"""Devices and what is asked about them; defaults that hold for the whole program."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.python import narrowing
from devls.engine.torch.tensors import device_arguments
from devls.syntax.nodes import walk
from devls.values.conditions import ACCELERATOR_PRESENT, Either, leaves
from devls.values.devices import CPU, CUDA, UNKNOWN_DEVICE, KnownDevice, NamedDevice
from devls.values.state import AMBIENT
from devls.values.value import (
    FALSE,
    NONE,
    TRUE,
    ClassValue,
    Const,
    DeviceValue,
    FunctionValue,
    InstanceValue,
    LibraryName,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


def device(m: Machine, call: Invocation) -> object:
    """`torch.device(...)`."""
    given = call.argument(0, "device") or call.keywords.get("type")
    if given is None:
        return DeviceValue(UNKNOWN_DEVICE)
    resolved = m.resolve(given)
    argument = call.argument_node(0, "device")
    for each in leaves(resolved) if not device_arguments.may_be_set_by_others(m, argument) else ():
        if isinstance(each, Const) and isinstance(each.value, str):
            written = _written(argument, each.value) if each is not resolved else argument
            device_arguments.check_device_string(m, call.node, each.value, written)
        elif isinstance(each, Symbol):
            device_arguments.check_device_beginning(
                m, call.node, each, argument if each is resolved else None
            )
    index = call.argument(1, "index")
    found = narrowing.device_of(m, resolved)
    if index is not None and isinstance(found, KnownDevice):
        number = m.resolve(index)
        found = (
            KnownDevice(found.type, number.value)
            if isinstance(number, Const) and isinstance(number.value, int)
            else found
        )
    if isinstance(resolved, Symbol) and resolved.hint == "string" and not isinstance(found, NamedDevice):
        found = NamedDevice(resolved.key, resolved.text)
    return DeviceValue(UNKNOWN_DEVICE if found is None else found, origin=m.site(call.node))


def _written(node: ast.expr | None, text: str) -> ast.expr | None:
    """Place of one of several strings in an expression."""
    return next(
        (each for each in walk(node) if isinstance(each, ast.Constant) and each.value == text)
        if node is not None
        else iter(()),
        None,
    )


def accelerator_present(m: Machine, call: Invocation) -> object:
    if m.frame.function is not None:
        m.state.set(AMBIENT, "accelerator asked for", (m.site(call.node), m.frame.function.node))
    return narrowing.as_value(Either(ACCELERATOR_PRESENT, True, False))


def mps_present(m: Machine, _call: Invocation) -> object:
    del m
    return narrowing.test_of("mps present", "mps is available")


def device_count(_m: Machine, call: Invocation) -> object:
    return Symbol(("zero unless", ACCELERATOR_PRESENT), f"{call.name}()", hint="number", named=True)


def current_device(m: Machine, _call: Invocation) -> object:
    index = m.state.get(AMBIENT, "cuda index")
    return DeviceValue(CUDA) if index is None else index


def current_accelerator(_m: Machine, _call: Invocation) -> object:
    return DeviceValue(NamedDevice("current accelerator", "torch.accelerator.current_accelerator()"))


def set_cuda_device(m: Machine, call: Invocation) -> object:
    m.state.set(AMBIENT, "cuda index", call.argument(0, "device"))
    return NONE


def set_default_device(m: Machine, call: Invocation) -> object:
    found = narrowing.device_of(m, call.arguments[0]) if call.arguments else CPU
    m.state.set(AMBIENT, "device", found)
    m.state.set(AMBIENT, "default set", m.site(call.node))
    m.sets_default_device = True
    return NONE


def set_default_tensor_type(m: Machine, call: Invocation) -> object:
    value = m.resolve(call.arguments[0]) if call.arguments else NONE
    name = value.name if isinstance(value, LibraryName) else str(getattr(value, "value", ""))
    m.state.set(
        AMBIENT, "device", CUDA if "cuda" in name else CPU if name.startswith("torch.") else UNKNOWN_DEVICE
    )
    m.state.set(AMBIENT, "tensor type", m.state.get(AMBIENT, "device"))
    m.sets_default_device |= "cuda" in name
    return NONE


def instance(m: Machine, call: Invocation) -> object:
    """An object of a library class of which only the first argument matters."""
    result = InstanceValue(None, call.name, m.site(call.node))
    if call.arguments:
        m.state.set(result, "#argument", call.arguments[0])
    for key, value in call.keywords.items():
        m.state.set(result, key, value)
    return result


def is_function(m: Machine, call: Invocation) -> object:
    """`inspect.isfunction(x)`: only what a `def` or a `lambda` has made."""
    value = m.resolve(call.arguments[0]) if call.arguments else NONE
    if isinstance(value, FunctionValue):
        return TRUE
    known = isinstance(value, (Const, TensorValue, TupleValue, Sequence, Mapping, ClassValue, InstanceValue))
    return FALSE if known else narrowing.test_of(("fresh", m.fresh_number()), "isfunction")


def is_tensor(m: Machine, call: Invocation) -> object:
    return narrowing.is_instance(
        m, call.arguments[0] if call.arguments else NONE, LibraryName("torch.Tensor")
    )


def not_traced(m: Machine, call: Invocation) -> object:
    """`torch.jit.is_scripting()`: no, where Python runs what is written; what is decorated to be compiled may be."""
    function = m.frame.function
    decorators = getattr(function.node, "decorator_list", ()) if function is not None else ()
    return m.unknown(call.node) if decorators else FALSE
