"""Small programs made by chance: tensors on two devices, gradients, moves, in-place writes, loops, functions, layers.

Most statements are legal, some are not: what torch does with them is the question. After each one the tensor it made
or changed is revealed. The same seed always gives the same program. A program may read up to two flags from the
environment (FLAG0, FLAG1), which nobody who only reads it can know.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

DEVICES = ("cpu", "cuda:0")
SHAPES = ((), (3,), (3,), (2, 3), (2, 3), (3, 3))
LENGTH = 14
RISK = 0.08
"""How often a statement takes any operands, rather than some that go together."""

Shape = tuple[int, ...]


@dataclass
class Tensor:
    """Memory of the generator, to choose operands that mostly go together."""

    name: str
    shape: Shape
    device: str
    kind: str = "float"  # "float", "int", "bool"
    grad: bool = False
    leaf: bool = True


@dataclass
class Maker:
    """Names, lines and choices; `random_statements` adds what to write."""

    seed: int
    lines: list[str] = field(default_factory=list)
    tensors: list[Tensor] = field(default_factory=list)
    models: list[tuple[str, str, int, int]] = field(default_factory=list)
    indent: str = ""
    count: int = 0
    flags: int = 0
    graph: bool = True

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)  # noqa: S311  no secrets

    def say(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def new(
        self,
        expression: str,
        shape: Shape,
        device: str,
        *,
        kind: str = "float",
        grad: bool = False,
        leaf: bool | None = None,
        keep: bool = True,
    ) -> Tensor:
        """Assign to a new name, reveal it, and remember it."""
        made = Tensor(self.fresh("v"), shape, device, kind, grad, not grad if leaf is None else leaf)
        self.say(f"{made.name} = {expression}")
        self.reveal(made.name)
        if keep:
            self.tensors.append(made)
        return made

    def reveal(self, name: str) -> None:
        self.say(f"reveal_value({name})")

    def often(self, share: float) -> bool:
        return self.chance.random() < share

    def pick(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def some(self, kind: str = "float", *, ranks: tuple[int, ...] = (0, 1, 2)) -> Tensor:
        """A tensor of that kind and rank; one is made when there is none."""
        fitting = [each for each in self.tensors if each.kind == kind and len(each.shape) in ranks]
        if fitting:
            # Programs work with the latest tensor.
            return self.chance.choice(fitting[-6:] if self.often(0.7) else fitting)
        shape = self.chance.choice([each for each in SHAPES if len(each) in ranks])
        device = self.chance.choice(DEVICES)
        call = {"float": "torch.rand", "int": "torch.ones", "bool": "torch.ones"}[kind]
        dtype = {"float": "", "int": ", dtype=torch.long", "bool": ", dtype=torch.bool"}[kind]
        return self.new(f'{call}({list(shape)}, device="{device}"{dtype})', shape, device, kind=kind)

    def mate(self, other: Tensor, *, same_shape: bool = False, kind: str = "float") -> Tensor:
        """An operand that goes with `other`, mostly."""
        fitting = [
            each
            for each in self.tensors
            if each.kind == kind
            and (
                each.shape == other.shape
                or (not same_shape and (not each.shape or each.shape == other.shape[1:]))
            )
            and (each.device == other.device or not each.shape or self.often(RISK))
        ]
        return self.chance.choice(fitting or [other])


def program(seed: int, length: int = LENGTH) -> str:
    """The program of a seed, of four statements to `length`."""
    from against_torch.random_statements import Statements  # noqa: PLC0415  it builds on Maker

    return Statements(seed).program(length)
