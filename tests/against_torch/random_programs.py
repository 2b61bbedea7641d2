"""Small programs made by chance: tensors on two devices, gradients, moves, in-place writes, loops, functions, layers.

Most statements are legal, some are not: what torch does with them is the question. After each one the tensor it made
or changed is revealed. The same seed always gives the same program.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

DEVICES = ("cpu", "cuda:0")
SHAPES = ((), (3,), (2, 3))
ELEMENT_WISE = ("exp", "sin", "sigmoid", "relu", "neg", "abs", "clone", "tanh", "square")
IN_PLACE = ("mul_(2)", "add_(1)", "zero_()", "exp_()", "clamp_(min=0)")
LENGTH = 14
RISK = 0.08
"""How often a statement takes any operands, rather than some that go together."""


@dataclass
class Tensor:
    """What the generator remembers, to choose operands that mostly go together."""

    name: str
    shape: tuple[int, ...]
    device: str
    leaf_with_grad: bool = False


@dataclass
class Maker:
    """Writes one program."""

    seed: int
    lines: list[str] = field(default_factory=lambda: ["import torch", "from torch import nn", ""])
    tensors: list[Tensor] = field(default_factory=list)
    indent: str = ""
    count: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)  # noqa: S311  no secrets

    def program(self) -> str:
        """The text of the program."""
        for _ in range(3):
            self.factory()
        kinds = [
            *[self.binary] * 5,
            *[self.unary] * 4,
            *[self.move] * 3,
            *[self.factory] * 2,
            *[self.in_place] * 2,
            *[self.cut] * 2,
            *[self.reduce] * 2,
            self.backward,
            self.no_grad,
            self.loop,
            self.function,
            self.layer,
            self.aliased,
        ]
        for _ in range(LENGTH):
            self.chance.choice(kinds)()
        return "\n".join(self.lines) + "\n"

    # Pieces

    def say(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def new(self, expression: str, shape: tuple[int, ...], device: str, *, leaf: bool = False) -> None:
        """Assign to a new name, reveal it, and remember it."""
        self.count += 1
        made = Tensor(f"v{self.count}", shape, device, leaf)
        self.say(f"{made.name} = {expression}")
        self.say(f"reveal_value({made.name})")
        self.tensors.append(made)

    def some(self) -> Tensor:
        return self.chance.choice(self.tensors)

    def mate(self, other: Tensor) -> Tensor:
        """An operand that goes with `other`, mostly."""
        if self.chance.random() < RISK:
            fitting = [each for each in self.tensors if each.shape == other.shape or not each.shape]
        else:
            fitting = [
                each
                for each in self.tensors
                if each.device == other.device and (each.shape == other.shape or not each.shape)
            ]
        return self.chance.choice(fitting or [other])

    # Statements

    def factory(self) -> None:
        shape, device = self.chance.choice(SHAPES), self.chance.choice(DEVICES)
        leaf = self.chance.random() < 0.5
        arguments = [repr(list(shape))]
        if device != "cpu" or self.chance.random() < 0.3:
            arguments.append(f'device="{device}"')
        if leaf:
            arguments.append("requires_grad=True")
        self.new(
            f"torch.{self.chance.choice(('ones', 'rand'))}({', '.join(arguments)})", shape, device, leaf=leaf
        )

    def binary(self) -> None:
        left = self.some()
        right = self.mate(left)
        operator = self.chance.choice(("+", "-", "*", "*", "/"))
        self.new(f"{left.name} {operator} {right.name}", left.shape, left.device)

    def unary(self) -> None:
        tensor = self.some()
        if self.chance.random() < 0.2:
            self.new(
                f"{tensor.name} {self.chance.choice(('+ 1', '* 3', '** 2', '> 0'))}",
                tensor.shape,
                tensor.device,
            )
            if self.lines[-2].endswith("> 0"):
                self.tensors.pop()  # bool: no operand for what comes
            return
        self.new(f"{tensor.name}.{self.chance.choice(ELEMENT_WISE)}()", tensor.shape, tensor.device)

    def reduce(self) -> None:
        tensor = self.some()
        if len(tensor.shape) == 2 and self.chance.random() < 0.5:
            self.new(f"{tensor.name}.mean(dim=0)", tensor.shape[1:], tensor.device)
        else:
            self.new(f"{tensor.name}.{self.chance.choice(('sum', 'mean', 'max'))}()", (), tensor.device)

    def move(self) -> None:
        tensor, device = self.some(), self.chance.choice(DEVICES)
        how = {
            "cpu": (".cpu()", '.to("cpu")', ".to(torch.device('cpu'))"),
            "cuda:0": ('.cuda("cuda:0")', '.to("cuda:0")', ".to(device='cuda:0')"),
        }[device]
        self.new(f"{tensor.name}{self.chance.choice(how)}", tensor.shape, device)

    def cut(self) -> None:
        tensor = self.some()
        how = self.chance.choice((".detach()", ".data", ".detach().requires_grad_()", ".detach().clone()"))
        self.new(f"{tensor.name}{how}", tensor.shape, tensor.device)

    def in_place(self) -> None:
        legal = [each for each in self.tensors if not each.leaf_with_grad]
        tensor = self.chance.choice(legal or self.tensors) if self.chance.random() > RISK else self.some()
        if self.chance.random() < 0.4:
            self.say(f"{tensor.name} += {self.mate(tensor).name}")
        elif tensor.shape and self.chance.random() < 0.4:
            self.say(f"{tensor.name}[0] = 1.0")
        else:
            self.say(f"{tensor.name}.{self.chance.choice(IN_PLACE)}")
        self.say(f"reveal_value({tensor.name})")

    def backward(self) -> None:
        tensor = self.some()
        root = tensor.name if not tensor.shape else f"{tensor.name}.sum()"
        self.say(f"if {tensor.name}.requires_grad:")
        self.say(f"    {root}.backward({self.chance.choice(('', '', 'retain_graph=True'))})")

    def no_grad(self) -> None:
        self.block(f"with torch.{self.chance.choice(('no_grad()', 'no_grad()', 'enable_grad()'))}:")

    def loop(self) -> None:
        self.block(f"for _ in range({self.chance.choice((1, 2))}):")

    def block(self, head: str) -> None:
        if self.indent:
            return
        self.say(head)
        self.indent = "    "
        for _ in range(2):
            self.chance.choice((self.binary, self.unary, self.in_place, self.move))()
        self.indent = ""

    def function(self) -> None:
        left = self.some()
        right = self.mate(left)
        self.count += 1
        name = f"f{self.count}"
        body = self.chance.choice(("a * b", "(a + b).exp()", "a.detach() + b", "b * 2 - a"))
        self.say(f"def {name}(a, b):")
        self.say(f"    return {body}")
        shape = left.shape if left.shape == right.shape or not right.shape else right.shape
        self.new(f"{name}({left.name}, {right.name})", shape, left.device)

    def layer(self) -> None:
        fitting = [each for each in self.tensors if each.shape[-1:] == (3,)]
        if not fitting:
            return
        tensor = self.chance.choice(fitting)
        device = tensor.device if self.chance.random() > RISK else self.chance.choice(DEVICES)
        self.count += 1
        name = f"m{self.count}"
        self.say(f'{name} = nn.Linear(3, 3).to("{device}")')
        if self.chance.random() < 0.2:
            self.say(f"{name}.requires_grad_(False)")
        self.say(f"reveal_value({name}.weight)")
        self.new(f"{name}({tensor.name})", tensor.shape, device)

    def aliased(self) -> None:
        tensor = self.some()
        if tensor.shape:
            self.new(f"{tensor.name}[0]", tensor.shape[1:], tensor.device)
        else:
            self.new(f"{tensor.name}.view(1)", (1,), tensor.device)
            self.tensors.pop()  # shapes of one element go with nothing else


def program(seed: int) -> str:
    """The program of a seed."""
    return Maker(seed).program()
