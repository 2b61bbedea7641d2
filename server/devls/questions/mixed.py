"""Operations on tensors of two devices."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from devls.engine.core.events.events import Cause
from devls.library.effects import REQUIRED, Role
from devls.questions import operations
from devls.questions.building import NoQuestionError, raising
from devls.questions.tensors import dtype_of, like, made, name_for, sizes, two_devices
from devls.values.value import InstanceValue

if TYPE_CHECKING:
    from devls.engine.core.events.events import DevicesMixed, Operand
    from devls.engine.core.machine import Machine
    from devls.probe.experiment import Experiment

# Torch's texts for mixed devices differ between operations; each names the devices, or the types of both.
_RAISES = "RuntimeError|TypeError|ValueError"
_TEXTS = "device|cuda"
_RECURRENT = ("LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell")


def mixed(event: DevicesMixed, machine: Machine) -> Experiment:
    """The operation, on one tensor on each of the two devices."""
    left, right = two_devices(event.comparison.left, event.comparison.right)
    if "meta" in (str(event.comparison.left), str(event.comparison.right)):
        raise NoQuestionError("what is on `meta` has no values to compute with")
    own = next(
        (each for each in (event.stray, event.anchor) if each.tensor.is_parameter and each.node is None), None
    )
    name = operations.layer_of(machine, own.tensor) if own is not None else ""
    if event.operation == "step":
        program = _optimizer
    elif own is not None and name:
        program = partial(_layer, event, own, name)
    else:
        program = partial(_operation, machine, event)
    return raising(program(left, right), _RAISES, _TEXTS, control=program(right, right), accelerator=True)


def _operation(machine: Machine, event: DevicesMixed, left: str, right: str) -> str:
    short = event.operation
    stray, anchor = event.stray, event.anchor
    first = name_for(stray.text, "a")
    names = first, name_for(anchor.text, "b", (first,))
    sign, in_place = operations.operator(short)
    in_place = in_place or (short.endswith("_") and not sign)
    shapes = _shapes(stray, anchor, short)
    lines = [
        f"{name} = {_operand(machine, each, short, device, shape, in_place=in_place)}"
        for each, name, device, shape in zip((stray, anchor), names, (left, right), shapes, strict=True)
    ]
    if event.cause is Cause.ATTRIBUTE:
        attribute = f"module.{names[0]}"
        value = lines[0].partition(" = ")[2]
        lines[0] = f'module = torch.nn.Module()\n{attribute} = {value}\nmodule.to("{right}")'
        names = attribute, names[1]
    return "\n".join((*lines, _statement(machine, event, names, sign, in_place=in_place)))


def _statement(
    machine: Machine, event: DevicesMixed, names: tuple[str, str], sign: str, *, in_place: bool
) -> str:
    short = event.operation
    first, second = _ordered(event.stray, event.anchor, names)
    if sign:
        return f"{first} {sign}= {second}" if in_place else f"{first} {sign} {second}"
    if short == "index":
        return f"{first}[{second}]"
    if short == "index_put":
        return f"{first}[[0, 1]] = {second}"
    if short == "grad":
        return f"{first}.grad = {second}"
    if short == "forward":
        return f"{_without_parameters(machine, event)}()({first}, {second})"
    operation = operations.find(machine, short)
    if operation is None:
        return _some_model(machine, event, names)
    lists = {each.name for each in operation.parameters if each.role is Role.LIST}
    if event.stray.parameter == event.anchor.parameter or lists & {
        event.stray.parameter,
        event.anchor.parameter,
    }:
        given = {next(iter(lists), event.stray.parameter): f"[{first}, {second}]"}
    else:
        given = {event.stray.parameter: names[0], event.anchor.parameter: names[1]}
    return operations.call(operation, given, names[1])


def _some_model(machine: Machine, event: DevicesMixed, names: tuple[str, str]) -> str:
    """A call of a module of which nothing is known but where it computes: a plain one stands for it."""
    node = event.site.node
    known = machine.library.exists(f"torch.{event.operation}")
    if known or not isinstance(node, ast.Call) or event.stray.node not in node.args:
        raise NoQuestionError(f"`{event.operation}` is not described")
    stray, anchor = names
    return f"model = torch.nn.Linear({stray}.shape[-1], 2).to({anchor}.device)\nmodel({stray})"


def _without_parameters(machine: Machine, event: DevicesMixed) -> str:
    """The class of a layer that has no tensors of its own, a loss, as far as values are recorded."""
    node = event.site.node
    value = machine.values.get(node.func, (None,))[0] if isinstance(node, ast.Call) else None
    for each in machine.alternatives(value):
        layer = machine.library.layer(each.library) if isinstance(each, InstanceValue) else None
        if (
            layer is not None
            and layer.name.startswith("torch.")
            and all(given.default is not REQUIRED for given in layer.constructor)
        ):
            return layer.name
    raise NoQuestionError("the layer is not one of torch's own")


def _ordered(stray: Operand, anchor: Operand, names: tuple[str, str]) -> tuple[str, str]:
    """Names in the order in which the operands stand in the program."""
    places = [
        (getattr(each.node, "lineno", 0), getattr(each.node, "col_offset", 0)) for each in (stray, anchor)
    ]
    return names if places[0] <= places[1] else (names[1], names[0])


def _shapes(stray: Operand, anchor: Operand, short: str) -> list[tuple[int, ...]]:
    """Shapes for both operands, the known one for the other where only one is."""
    pair = (stray, anchor)
    special = [operations.needed(short, each.parameter) for each in pair]
    found = []
    for each, other, wanted in zip(pair, pair[::-1], special, strict=True):
        shape, theirs = each.tensor.shape, other.tensor.shape
        if wanted is not None:
            found.append(wanted[0])
        elif any(special) or not theirs:
            found.append(sizes(shape))
        elif shape is None:
            found.append(sizes(theirs))
        else:
            # Sizes that are not known are those of the other one, counted from the right as broadcasting does.
            beside = (None,) * (len(shape) - len(theirs)) + theirs[-len(shape) :] if shape else ()
            found.append(sizes([a if a is not None else b for a, b in zip(shape, beside, strict=True)]))
    return found


def _operand(
    machine: Machine, each: Operand, short: str, device: str, shape: tuple[int, ...], *, in_place: bool
) -> str:
    wanted = operations.needed(short, each.parameter)
    dtype = dtype_of(each.tensor) or (wanted[1] if wanted is not None else "")
    if in_place:  # nothing but the devices is to be in the way
        return made(shape, dtype=dtype, device=device)
    if short == "index" and each.parameter != "input" and device != "cpu":
        return made(shape[:1] or (2,), dtype=dtype if dtype == "bool" else "int64", device=device)
    return like(machine, each.tensor, device=device, shape=shape, dtype=dtype)


def _layer(event: DevicesMixed, own: Operand, name: str, left: str, right: str) -> str:
    """The layer on one device, its input on the other."""
    build, shape, dtype = operations.layer(name, own.parameter, own.tensor.shape)
    other = event.anchor if own is event.stray else event.stray
    place, elsewhere = (left, right) if own is event.stray else (right, left)
    text = name_for(other.text, "x", ("batch",))
    label = name_for(own.text.removeprefix("self."), "layer", (text, "batch"))
    lines = [f'{label} = {build}.to("{place}")']
    inputs = text
    if name in _RECURRENT and other.parameter == "hx":
        state = (1, 1, 2) if not name.endswith("Cell") else (2, 2)
        lines.append(f"batch = {made(shape, device=place)}")
        lines.append(f"{text} = {made(state, device=elsewhere)}")
        inputs = f"batch, ({text}, {text})" if name.startswith("LSTM") else f"batch, {text}"
    else:
        lines.append(f"{text} = {made(shape, dtype=dtype, device=elsewhere)}")
        if name == "Bilinear":
            inputs = f"{text}, {text}"
    return "\n".join((*lines, f"{label}({inputs})"))


def _optimizer(left: str, right: str) -> str:
    """The state of an optimizer stays where it was when the parameters move."""
    step = "optimizer.zero_grad()\nmodel(torch.ones(1, 2, device={!r})).sum().backward()\noptimizer.step()"
    return "\n".join(
        (
            f'model = torch.nn.Linear(2, 1).to("{left}")',
            "optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)",
            step.format(left),
            f'model.to("{right}")',
            step.format(right),
        )
    )
