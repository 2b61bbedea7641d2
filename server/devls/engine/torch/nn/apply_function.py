"""`module._apply(fn)`: what `to`, `cuda`, `half` and the like come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.slots import set_slot
from devls.engine.python import calls, classes
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors import device_check
from devls.values.devices import UNKNOWN_DEVICE
from devls.values.value import FALSE, InstanceValue, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


def apply_to_tensors(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    """`module._apply(fn)`: what is registered becomes what `fn` makes of it, in the modules below first."""
    function = m.resolve(call_.argument(1, "fn"))
    if isinstance(function, Symbol):
        m.escape(owner)
        return owner
    _apply(m, owner, function, recurse=call_.argument(2, "recurse") != FALSE)
    return owner


def _apply(m: Machine, owner: InstanceValue, function: object, *, recurse: bool = True) -> None:
    for _, child in registry.children(m, owner) if recurse else ():
        own = classes.method_of(m, child, "_apply")
        if own is not None:
            calls.call(m, own, [function], {}, None)
        else:
            _apply(m, child, function)
    for name, tensor, is_buffer in registry.tensors(m, owner):
        made = m.resolve(calls.call(m, function, [tensor], {}, None))
        if made is tensor:
            continue
        if not isinstance(made, TensorValue):
            m.state.set(tensor, "device", UNKNOWN_DEVICE)
        elif is_buffer and m.resolve(m.state.get(owner, name)) is tensor:
            set_slot(m, owner, name, made)
        else:
            # A parameter stays the same object, and has the data of what was made.
            m.state.set(tensor, "device", m.device(made))
            m.state.set(tensor, "device_step", m.state.get(made, "device_step", made.device_step))
            if m.state.get(tensor, device_check.RENAMED) is not None:
                m.state.set(tensor, device_check.RENAMED, None)
