"""Experiments for the rules about devices."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from devls.engine.core.describe import flag
from devls.questions.building import NoQuestionError, raising, showing
from devls.questions.tensors import device_name, like, made, name_for

if TYPE_CHECKING:
    from devls.engine.core.events.events import (
        DeviceCompared,
        HostRead,
        InvalidDevice,
        LayerBuiltInForward,
        LeafLost,
        ModulesUnregistered,
        ParameterLost,
        ResultDiscarded,
    )
    from devls.engine.core.events.protocols import LoadedUnmapped, NoSuchName, ResultElsewhere
    from devls.engine.core.machine import Machine
    from devls.probe.experiment import Experiment
    from devls.questions.building import Builder


def discarded_transfer(event: ResultDiscarded, machine: Machine) -> Experiment:
    """The tensor is where it was."""
    x = name_for(event.receiver_text, "x")
    if event.operation == "detach":
        made_so = f"{x} = torch.ones((2, 2), requires_grad=True)"
        return showing(
            f"{made_so}\n{x}.detach()",
            f"{x}.requires_grad",
            True,
            control=f"{made_so}\n{x} = {x}.detach()",
        )
    here = device_name(machine.device(event.tensor))
    target = "cpu" if here != "cpu" or event.operation == "cpu" else "cuda"
    if target == here:
        here = "cuda"
    move = f'{x}.to("{target}")' if event.operation == "to" else f"{x}.{event.operation}()"
    made_so = f"{x} = {like(machine, event.tensor, device=here)}"
    if event.operation not in ("to", "cpu", "cuda"):
        raise NoQuestionError(f"`.{event.operation}` goes where no accelerator can be pretended")
    shown = f"{x}.device.type"
    value = "cpu" if here == "cpu" else "cuda"
    return showing(f"{made_so}\n{move}", shown, value, control=f"{made_so}\n{x} = {move}", accelerator=True)


def host_read_on_device(event: HostRead, machine: Machine) -> Experiment:
    """The conversion, of a tensor on the accelerator."""
    return host_read(event, machine, device="cuda")


def host_read(event: HostRead, machine: Machine, *, device: str) -> Experiment:
    """A conversion to numpy."""
    x = name_for(event.operand.text, "x")
    tensor = like(machine, event.operand.tensor, device=device)
    if flag(machine.requires_grad(event.operand.tensor)) != "True" and event.needs_grad:
        tensor = made((2, 2), device=device, requires_grad=True)
    convert, head = f"{x}.numpy()", "import torch"
    if event.conversion is None:
        # Whatever library it is, this is how it asks for the numbers.
        convert, head = f"numpy.asarray({x})", "import numpy\nimport torch"
    text = "can't convert cuda" if device != "cpu" else "that requires grad"
    fixed = ".detach().cpu()" if device != "cpu" else ".detach()"
    return raising(
        f"{x} = {tensor}\n{convert}",
        "TypeError|RuntimeError",
        text,
        control=f"{x} = ({tensor}){fixed}\n{convert}",
        accelerator=device != "cpu",
        head=head,
    )


def invalid_device(event: InvalidDevice, _machine: Machine) -> Experiment:
    """The device, or the attribute, that is not there."""
    value = event.argument.value if isinstance(event.argument, ast.Constant) else None
    if event.problem.startswith("torch has no device"):
        text = event.problem.removeprefix("torch has no device ")
        return raising(
            f"torch.device({_literal(text)})",
            "RuntimeError",
            "device",
            control='torch.device("cpu")',
        )
    if "takes no device" in event.problem and isinstance(value, str):
        return raising(
            f"torch.ones(2).cuda({value!r})",
            "RuntimeError",
            "must be cuda device",
            control="torch.ones(2).cpu()",
        )
    if "takes a device first" in event.problem:
        return raising(
            f"torch.ones(2).cuda({event.problem.rpartition('and ')[2].split()[0] == 'True'})",
            "TypeError",
            "must be torch.device, not bool",
            control="torch.ones(2).cpu()",
        )
    if "makes tensors on" in event.problem:
        name = event.problem.split("`")[1].removeprefix("torch.")
        if not all(part.isidentifier() for part in name.split(".")):
            raise NoQuestionError("it is no name")
        return raising(
            f'torch.{name}([1.0, 2.0], device="cuda")',
            "RuntimeError|TypeError",
            "legacy constructor expects device type|device type",
            control='torch.as_tensor([1.0, 2.0], device="cpu")',
        )
    if "no attribute `device`" in event.problem:
        made_so = "module = torch.nn.Linear(2, 2)\n"
        return raising(
            f"{made_so}module.device",
            "AttributeError",
            "no attribute 'device'",
            control=f"{made_so}next(module.parameters()).device",
        )
    if "has no method" in event.problem:
        kind, method = event.problem.split()[1], event.problem.rpartition("`")[0].rpartition("`")[2]
        things = {"list": "[torch.ones(2)]", "tuple": "(torch.ones(2),)", "dict": '{"x": torch.ones(2)}'}
        if kind in things and method.isidentifier():
            argument = '"cpu"' if method == "to" else ""
            return raising(
                f"{things[kind]}.{method}({argument})",
                "AttributeError",
                f"no attribute '{method}'",
                control=f"torch.ones(2).{method}({argument})",
                accelerator=True,
            )
    raise NoQuestionError("nothing is written down for this device")


def _literal(text: str) -> str:
    """A string literal taken from a message, as a literal again."""
    try:
        return repr(str(ast.literal_eval(text)))
    except (ValueError, SyntaxError):
        raise NoQuestionError("the name of the device is not known") from None


def device_compared_wrongly(event: DeviceCompared, _machine: Machine) -> Experiment:
    """The comparison, of a device that it is meant to find equal."""
    node = event.site.node
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        raise NoQuestionError("the comparison is not a plain one")
    made_so = 'x = torch.ones(2, device="cuda")\ny = torch.ones(2, device="cuda")\n'
    operator = node.ops[0]
    if isinstance(operator, (ast.Is, ast.IsNot)):
        sign, meant = ("is", "==") if isinstance(operator, ast.Is) else ("is not", "!=")
        code, control, expected = f"x.device {sign} y.device", f"x.device {meant} y.device", sign != "is"
    else:
        sign = "==" if isinstance(operator, ast.Eq) else "!="
        of_torch = any(isinstance(each, ast.Call) for each in (node.left, *node.comparators))
        other = 'torch.device("cuda")' if of_torch else '"cuda"'
        code, control, expected = f"x.device {sign} {other}", f'x.device.type {sign} "cuda"', sign != "=="
    return showing(
        f"{made_so}same = {code}", "same", expected, control=f"{made_so}same = {control}", accelerator=True
    )


def no_such_torch_name(event: NoSuchName, _machine: Machine) -> Experiment:
    """The name, asked of the module."""
    if not all(part.isidentifier() for part in (*event.space.split("."), event.name)):
        raise NoQuestionError("it is no name")
    if event.only_raises:
        return raising(
            f"{event.space}.{event.name}(torch.eye(2))",
            "RuntimeError|TypeError",
            "",
            control=f"{event.suggestion}(torch.eye(2), *[torch.eye(2)] * {event.name in ('lstsq', 'solve'):d})",
        )
    return raising(
        f"{event.space}.{event.name}",
        "AttributeError",
        event.name,
        control=f"{event.space}.{event.suggestion}" if event.suggestion.isidentifier() else event.space,
        head=f"import {event.space}" if event.space != "torch" else "import torch",
    )


def load_without_map_location(_event: LoadedUnmapped, _machine: Machine) -> Experiment:
    """A file whose tensors were saved from a card, read where there is none."""
    # The location of a card's storage in a file is all that saving it takes.
    made_so = (
        'torch.serialization.register_package(0, lambda storage: "cuda:0", lambda storage, place: None)\n'
        "file = io.BytesIO()\n"
        'torch.save({"weight": torch.ones(2)}, file)\n'
        "file.seek(0)\n"
    )
    return raising(
        f"{made_so}torch.load(file)",
        "RuntimeError",
        "Attempting to deserialize object on a CUDA device",
        control=f'{made_so}torch.load(file, map_location="cpu")',
        head="import io\nimport torch",
    )


def leaf_lost_by_transfer(event: LeafLost, _machine: Machine) -> Experiment:
    """The gradient of what moving a leaf has returned."""
    x = name_for(event.text, "x")
    method = next((each for each in ("double", "half", "cuda", "float") if f".{each}(" in event.how), "to")
    move = f'.{method}("cuda")' if method == "to" else f".{method}()"
    if method == "float":
        move = ".double()"
    return showing(
        f"{x} = torch.ones(2, requires_grad=True){move}\n({x} * 2).sum().backward()",
        f"{x}.grad",
        None,
        control=f"{x} = torch.ones(2){move}.requires_grad_()\n({x} * 2).sum().backward()",
        accelerator=True,
        head="import warnings\nimport torch\nwarnings.simplefilter('ignore')",
    )


def parameter_lost_by_transfer(event: ParameterLost, _machine: Machine) -> Experiment:
    """A module's parameters, when one was moved before it was assigned."""
    weight = name_for(event.attribute, "weight")
    method = "double()" if not any(word in event.how for word in (".to", ".cuda")) else 'to("cuda")'
    return showing(
        f"module = torch.nn.Module()\nmodule.{weight} = torch.nn.Parameter(torch.ones(2)).{method}",
        "len(list(module.parameters()))",
        0,
        control=f"module = torch.nn.Module()\nmodule.{weight} = torch.nn.Parameter(torch.ones(2).{method})",
        accelerator=True,
    )


def layer_created_in_forward(event: LayerBuiltInForward, _machine: Machine) -> Experiment:
    """A module that builds its layer at each call has none to train."""
    del event
    head = "class Module(torch.nn.Module):\n"
    inside = "    def forward(self, x):\n        return {}(x)\n"
    use = "module = Module()\nmodule(torch.ones(2, 2))"
    init = "    def __init__(self):\n        super().__init__()\n        self.layer = torch.nn.Linear(2, 2)\n"
    return showing(
        head + inside.format("torch.nn.Linear(2, 2)") + use,
        "len(list(module.parameters()))",
        0,
        control=head + init + inside.format("self.layer") + use,
    )


def unregistered_module(event: ModulesUnregistered, _machine: Machine) -> Experiment:
    """Layers or parameters in a plain container that a module registers."""
    name = name_for(event.attribute, "parts")
    part = "torch.nn.Linear(2, 2)" if event.what == "modules" else "torch.nn.Parameter(torch.ones(2))"
    plain = {"list": f"[{part}]", "tuple": f"({part},)", "dict": f'{{"part": {part}}}'}
    registered = {
        ("dict", "modules"): "ModuleDict",
        ("dict", "parameters"): "ParameterDict",
        ("list", "parameters"): "ParameterList",
        ("tuple", "parameters"): "ParameterList",
    }.get((event.container, event.what), "ModuleList")
    if event.container not in plain:
        raise NoQuestionError(f"nothing is written down for a {event.container}")
    return showing(
        f"module = torch.nn.Module()\nmodule.{name} = {plain[event.container]}",
        "len(list(module.parameters()))",
        0,
        control=f"module = torch.nn.Module()\nmodule.{name} = torch.nn.{registered}({plain[event.container]})",
    )


def result_off_device(event: ResultElsewhere, _machine: Machine) -> Experiment:
    """Results of two paths of one function, joined."""
    del event
    results = 'results = [torch.ones(2, device="cuda"), torch.zeros(2{})]\ntorch.stack(results)'
    return raising(
        results.format(""),
        "RuntimeError",
        "same device",
        control=results.format(', device="cuda"'),
        accelerator=True,
    )


BUILDERS: dict[str, Builder[Any]] = {
    "device-compared-wrongly": device_compared_wrongly,
    "discarded-transfer": discarded_transfer,
    "host-read-on-device": host_read_on_device,
    "invalid-device": invalid_device,
    "layer-created-in-forward": layer_created_in_forward,
    "leaf-lost-by-transfer": leaf_lost_by_transfer,
    "load-without-map-location": load_without_map_location,
    "no-such-torch-name": no_such_torch_name,
    "parameter-lost-by-transfer": parameter_lost_by_transfer,
    "result-off-device": result_off_device,
    "unregistered-module": unregistered_module,
}
