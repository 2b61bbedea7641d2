"""Experiments for further rules about devices: where there is no card, what has to be on the CPU, what has no memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from devls.questions.building import NoQuestionError, raising, showing, warning
from devls.questions.tensors import device_name, name_for

if TYPE_CHECKING:
    from devls.engine.core.events.calls import (
        DeviceDemanded,
        GeneratorElsewhere,
        HostArgument,
        LoaderOffHost,
        MetaMoved,
        OldSpelling,
        TransferRepeated,
    )
    from devls.engine.core.events.protocols import CurrentCardTaken
    from devls.engine.core.machine import Machine
    from devls.probe.experiment import Experiment
    from devls.questions.building import Builder


def hard_coded_device(event: DeviceDemanded, _machine: Machine) -> Experiment:
    """CUDA by name, where there is none."""
    if event.how == "autocast":
        use = 'with torch.autocast("{}", dtype=torch.bfloat16):\n    torch.ones(2)'
        return warning(use.format("cuda"), "CUDA is not available", control=use.format("cpu"))
    if event.how == "torch.cuda":
        name = event.text.split("(")[0].rpartition(".")[2]
        given = "0" if name == "set_device" else ""
        code, control = f"torch.cuda.{name}({given})", "torch.cuda.is_available()"
        return raising(code, "AssertionError|RuntimeError|AttributeError", "", control=control)
    code, control = {
        "cuda()": ("torch.ones(2).cuda()", "torch.ones(2).cpu()"),
        "device=": ('torch.ones(2, device="cuda")', 'torch.ones(2, device="cpu")'),
    }.get(event.how, ('torch.ones(2).to("cuda")', 'torch.ones(2).to("cpu")'))
    return raising(code, "AssertionError|RuntimeError", "CUDA|NVIDIA", control=control)


def generator_device(event: GeneratorElsewhere, machine: Machine) -> Experiment:
    """A draw on one device, with a generator of another."""
    if device_name(event.generator_place) != "cpu" or device_name(event.place) == "cpu":
        raise NoQuestionError("generators of an accelerator are not pretended")
    found = machine.library.operation(f"torch.{event.operation}")
    draws = ("rand", "randn", "randperm", "randint")
    draw = event.operation if found is not None and event.operation in draws else "rand"
    arguments = {"randint": "0, 2, (2,)"}.get(draw, "2")
    code = f'generator = torch.Generator()\ntorch.{draw}({arguments}, device="{{}}", generator=generator)'
    return raising(
        code.format("cuda"),
        "RuntimeError",
        "device type for generator",
        control=code.format("cpu"),
        accelerator=True,
    )


def legacy_device_api(event: OldSpelling, _machine: Machine) -> Experiment:
    """The old name, on a torch without a card."""
    short = event.name.removeprefix("torch.")
    if not all(part.isidentifier() for part in short.split(".")):
        raise NoQuestionError("it is no name")
    if "Variable" in event.name:
        head = "import torch\nfrom torch.autograd import Variable"
        use = "Variable(torch.ones(2){})"
        return warning(
            use.format(", volatile=True"), "volatile was removed", control=use.format(""), head=head
        )
    if event.breaks:
        return raising(
            f"torch.{short}([1.0, 2.0])",
            "TypeError|RuntimeError",
            "not available|not compiled|NVIDIA",
            control="torch.tensor([1.0, 2.0])",
        )
    replacement = event.replacement.removeprefix("torch.")
    if not all(part.isidentifier() for part in replacement.split(".")) or not replacement:
        raise NoQuestionError("nothing is written down for what takes its place")
    if not short.startswith(("cuda.amp", "cpu.amp")):
        raise NoQuestionError(f"nothing is written down for the arguments of `{short}`")
    arguments = event.arguments if event.arguments in ('"cuda"', '"cpu"', "'cuda'", "'cpu'") else ""
    return warning(f"torch.{short}()", "deprecated", control=f"torch.{replacement}({arguments})")


def lengths_on_accelerator(event: HostArgument, _machine: Machine) -> Experiment:
    """The argument, on an accelerator."""
    name = name_for(event.operand.text, "lengths", ("batch",))
    made_so = {
        "pack_padded_sequence": (
            f'{name} = torch.tensor([2, 1], device="{{0}}")',
            f'torch.nn.utils.rnn.pack_padded_sequence(torch.ones(2, 2, 1, device="{{0}}"), {name}, batch_first=True)',
        ),
        "tensor_split": (
            f'{name} = torch.tensor([1], device="{{0}}")',
            f"torch.tensor_split(torch.ones(2), {name})",
        ),
    }.get(event.operation)
    if made_so is None:
        raise NoQuestionError(f"nothing is written down for `{event.operation}`")
    code = "\n".join(made_so)
    text = "CPU|cpu"
    return raising(
        code.format("cuda"), "RuntimeError|TypeError", text, control=code.format("cpu"), accelerator=True
    )


def pinned_accelerator_tensor(event: HostArgument, _machine: Machine) -> Experiment:
    """The tensor, pinned."""
    x = name_for(event.operand.text, "x")
    return raising(
        f'{x} = torch.ones(2, device="cuda")\n{x}.pin_memory()',
        "RuntimeError",
        "only dense CPU tensors can be pinned",
        # Pinning itself is not pretended, and needs a card.
        control=f'{x} = torch.ones(2, device="cuda").cpu()\n{x}.is_pinned()',
        accelerator=True,
    )


def meta_transfer(event: MetaMoved, _machine: Machine) -> Experiment:
    """Objects without memory, asked to bring it along."""
    name = name_for(event.text, "model" if event.is_module else "x")
    made_so = (
        f'{name} = torch.nn.Linear(2, 2, device="meta")\n'
        if event.is_module
        else f'{name} = torch.zeros(2, device="meta")\n'
    )
    moved = f'{name}.to_empty(device="cpu")' if event.is_module else f'torch.empty_like({name}, device="cpu")'
    return raising(
        f'{made_so}{name}.to("cpu")',
        "NotImplementedError",
        "Cannot copy out of meta tensor",
        control=made_so + moved,
    )


def current_card_taken(event: CurrentCardTaken, _machine: Machine) -> Experiment:
    """A tensor of the second card, brought back by `.cuda()`, or one of its type."""
    made_so = 'x = torch.ones(2, device="cuda:1")\n'
    if event.like:
        return showing(
            f"{made_so}y = torch.ones(2).type(x.type())",
            "y.device == x.device",
            False,
            control=f"{made_so}y = torch.ones(2).to(x)",
            accelerator=True,
        )
    return showing(
        f"{made_so}y = x.cpu().cuda()",
        "y.device == x.device",
        False,
        control=f"{made_so}y = x.cpu().to(x.device)",
        accelerator=True,
    )


def default_device_trap(event: LoaderOffHost, _machine: Machine) -> Experiment:
    """Functions that draw an order, under a default device that is not the CPU."""
    drawn_by = "RandomSampler" if event.drawn_by == "sampler" else "DataLoader"
    given = "" if event.drawn_by == "sampler" else ", shuffle=True"
    code = f'torch.set_default_device("{{}}")\nnext(iter({drawn_by}(list(range(4)){given})))'
    return raising(
        code.format("cuda"),
        "RuntimeError",
        "device type for generator",
        control=code.format("cpu"),
        accelerator=True,
        head=f"import torch\nfrom torch.utils.data import {drawn_by}",
    )


def transfer_in_loop(event: TransferRepeated, _machine: Machine) -> Experiment:
    """Whether moving the same tensor twice gives the same copy."""
    x = name_for(event.text, "x", ("copies",))
    made_so = f"{x} = torch.ones(2)\n"
    moves = f'copies = [{x}.to("cuda") for _ in range(2)]'
    return showing(
        made_so + moves,
        "copies[0] is copies[1]",
        False,
        control=f'{made_so}{x} = {x}.to("cuda")\n{moves}',
        accelerator=True,
    )


BUILDERS: dict[str, Builder[Any]] = {
    "current-card-taken": current_card_taken,
    "default-device-trap": default_device_trap,
    "transfer-in-loop": transfer_in_loop,
    "generator-device": generator_device,
    "hard-coded-device": hard_coded_device,
    "legacy-device-api": legacy_device_api,
    "lengths-on-accelerator": lengths_on_accelerator,
    "meta-transfer": meta_transfer,
    "pinned-accelerator-tensor": pinned_accelerator_tensor,
}
