"""Objects of libraries that place and train what they are given: accelerate's `Accelerator`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core.invocation import Invocation
from devls.engine.torch.functions import gradients
from devls.engine.torch.nn import registry
from devls.values.devices import NamedDevice
from devls.values.value import DeviceValue, InstanceValue, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.machine import Machine

ACCELERATOR: Final = "accelerate.Accelerator"


def device_of(owner: InstanceValue) -> NamedDevice:
    """Device of the objects that an accelerator prepares."""
    return NamedDevice(("accelerator", id(owner)), "the accelerator's device")


def is_own_device(device: object) -> bool:
    """Whether a device is that of a framework, which also moves the batches of loaders that it has prepared."""
    key = device.key if isinstance(device, NamedDevice) else None
    return isinstance(key, tuple) and key[0] == "accelerator"


def attribute(owner: InstanceValue, name: str) -> object | None:
    """An attribute that is no method; None if nothing is known of it."""
    return DeviceValue(device_of(owner)) if owner.library == ACCELERATOR and name == "device" else None


def prepare(m: Machine, call: Invocation) -> object:
    """`accelerator.prepare(model, optimizer, loader)`: modules are moved, optimizers wrapped, loaders made anew."""
    owner = m.resolve(call.receiver)
    prepared = [_prepared(m, owner, m.resolve(each), call) for each in call.arguments[1:]]
    return prepared[0] if len(prepared) == 1 else TupleValue(tuple(prepared))


def _prepared(m: Machine, owner: object, value: object, call: Invocation) -> object:
    if isinstance(value, InstanceValue) and isinstance(owner, InstanceValue):
        if registry.is_module(m, value):
            registry.move(m, value, device_of(owner), call.node, "prepared by the accelerator")
            return value
        if m.library.optimizer(value.library) is not None:
            return value
    if isinstance(value, Symbol):
        return value
    m.escape(value)
    return m.unknown(call.node)


def backward(m: Machine, call: Invocation) -> object:
    """`accelerator.backward(loss)`: `loss.backward()`, scaled."""
    loss = call.argument(1, "loss")
    node = call.argument_node(1, "loss")
    tensor = None if loss is None else m.tensor_of(loss)
    if not isinstance(tensor, TensorValue):
        return m.unknown(call.node)
    keywords = {name: value for name, value in call.keywords.items() if name != "loss"}
    bound = Invocation(
        "torch.Tensor.backward", [tensor], keywords, call.node, [node], call.keyword_nodes, is_method=True
    )
    return gradients.backward(m, bound)


def unwrapped(m: Machine, call: Invocation) -> object:
    """`accelerator.unwrap_model(model)`."""
    return call.arguments[1] if len(call.arguments) > 1 else m.unknown(call.node)


METHODS: Final[dict[str, Callable[[Machine, Invocation], object]]] = {
    f"{ACCELERATOR}.prepare": prepare,
    f"{ACCELERATOR}.prepare_model": prepare,
    f"{ACCELERATOR}.prepare_optimizer": prepare,
    f"{ACCELERATOR}.backward": backward,
    f"{ACCELERATOR}.unwrap_model": unwrapped,
}
