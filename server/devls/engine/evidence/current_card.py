"""Several cards of one kind: `.cuda()` means the current one, which need not be where an argument is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import priors
from devls.engine.evidence import naming_priors
from devls.syntax.layout import parents
from devls.values.conditions import Condition
from devls.values.devices import CPU, NamedDevice
from devls.values.history import Step
from devls.values.state import AMBIENT
from devls.values.value import NONE, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree


@priors.device_meant_by_cuda.answer
def meant_by_cuda(m: Machine, call: Invocation, tensor: TensorValue) -> tuple[NamedDevice, bool] | None:
    """`.cuda()` on a tensor that came from an argument's device, or where an argument was seen to be on some card."""
    if call.short_name != "cuda" or not isinstance(call.node, ast.Call) or not m.frame.symbolic:
        return None
    given = call.argument(1, "device")
    if (given is not None and m.resolve(given) != NONE) or m.state.get(AMBIENT, "cuda index") is not None:
        return None
    if m.device(tensor) != CPU:
        return None
    back = _brought_from(m, tensor)
    meant = back or _seen_on_a_card(m)
    return None if meant is None or not meant.may_accelerate else (meant, back is not None)


@priors.device_meant_by_type.answer
def meant_by_type(
    m: Machine, call: Invocation, tensor: TensorValue, name: Symbol
) -> tuple[Tree, NamedDevice | None, str] | None:
    """`.type(x.type())`: the name of a type says which kind of device, but not which of them."""
    found = m.state.get(name, "type of")
    if not isinstance(found, tuple):
        return None
    other, text = found
    device: Tree = m.device(other)
    vague = (
        m.device(tensor) == CPU
        and isinstance(device, NamedDevice)
        and device.may_accelerate
        and not device.type
        and not _goes_on_moving(m, call.node)
    )
    return device, device if vague and isinstance(device, NamedDevice) else None, text


def _goes_on_moving(m: Machine, node: ast.expr) -> bool:
    """Whether what a call gives is moved in the same breath: `x.type(y.type()).to(y.device)` ends on the right card."""
    above = parents(m.source).get(node)
    return isinstance(above, ast.Attribute) and above.attr in ("to", "cuda")


def _brought_from(m: Machine, tensor: TensorValue) -> NamedDevice | None:
    """The argument's device that a tensor on the host was moved away from."""
    step = m.state.get(tensor, "device_step", tensor.device_step)
    if not isinstance(step, Step) or step.what != "moved to the CPU" or step.before is None:
        return None
    if step.before.kind != "parameter":
        return None
    return next((each for each in _arguments(m) if each.text == f"{_name(step.before)}.device"), None)


def _name(step: Step) -> str:
    node = step.site.node
    return node.arg if isinstance(node, ast.arg) else ""


def _seen_on_a_card(m: Machine) -> NamedDevice | None:
    """The device of an argument that this path has found to be a card."""
    for each in _arguments(m):
        if m.state.assumed(Condition(("device type", each.key, "cuda"), "")) is True:
            return each
    return None


def _no_tensors(m: Machine) -> set[str]:
    """The arguments that are said to be of other classes: the device of a task is one that somebody has chosen."""
    if m.frame.function is None:
        return set()
    spec = m.frame.function.node.args
    return {
        each.arg
        for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)
        if each.annotation is not None
        and naming_priors.TENSOR_ANNOTATION.search(ast.unparse(each.annotation)) is None
    }


def _arguments(m: Machine) -> list[NamedDevice]:
    """The devices of the running function's arguments, and of its other variables."""
    scope = m.frame.scope
    found: dict[NamedDevice, None] = {}
    others = _no_tensors(m)
    for name in sorted(scope.names - others):
        value = m.resolve(m.state.get(scope, name))
        device: object = None
        if isinstance(value, Symbol) and value.named:
            tensor = m.inferred.get(value)  # asking where something is does not make it a tensor
            device = _of_argument(value) if tensor is None else m.device(tensor)
        elif isinstance(value, TensorValue):
            device = m.device(value)
        if isinstance(device, NamedDevice) and not device.chosen:
            found[device] = None
    return list(found)


def _of_argument(value: Symbol) -> NamedDevice:
    return NamedDevice(("attr", value.key, "device"), f"{value.text}.device", value.plausible, chosen=False)
