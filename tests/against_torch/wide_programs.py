"""More random programs, of another style than `random_programs`: many operations, many ways to organise code.

The same seed always gives the same program. Operands have one of a few shapes, so that most operations fit; which device a tensor
is on is remembered roughly, and one program in two uses the CPU alone.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from against_torch import wide_operations as tables

SHAPES = {"m": "3, 3", "v": "3", "c": "2, 3, 3", "s": "()"}
RISK = 0.04
LENGTH = 13
_OPERAND = re.compile(r"\{([abmnvwcdsik])\}")
_CLASS = {"n": "m", "w": "v", "d": "c"}


@dataclass
class Known:
    """What is remembered of a tensor: its name, the letter of its shape, where it is, whether it may not be written."""

    name: str
    shape: str
    device: str
    leaf: bool = False
    grad: bool = False


@dataclass
class Wide:
    """Lines, and the tensors they have made."""

    seed: int
    lines: list[str] = field(default_factory=list)
    known: list[Known] = field(default_factory=list)
    indent: str = ""
    count: int = 0
    flags: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed * 2 + 1)  # noqa: S311  no secrets
        self.devices = ("cpu",) if self.often(0.5) else ("cpu", "cuda:0")

    # Words

    def say(self, *lines: str) -> None:
        self.lines += [self.indent + each for each in lines]

    def often(self, share: float) -> bool:
        return self.chance.random() < share

    def pick(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def reveal(self, *names: str) -> None:
        self.say(*(f"reveal_value({each})" for each in names))

    def flag(self) -> str:
        """A test that nobody who only reads can decide."""
        number = self.chance.randrange(2)
        if number not in self.flags and not self.indent:
            self.flags.add(number)
            self.say(f'flag{number} = os.environ.get("FLAG{number}") == "1"')
        if number not in self.flags:
            return f'{self.pick("", "not ")}(os.environ.get("FLAG{number}") == "1")'
        return f"{self.pick('', '', 'not ')}flag{number}"

    # Tensors

    def make(self, shape: str = "", device: str = "", *, grad: bool | None = None) -> Known:
        """A new tensor."""
        shape = shape or self.pick("m", "m", "v", "v", "c", "s")
        device = device or self.chance.choice(self.devices)
        grad = self.often(0.5) if grad is None else grad
        made = Known(self.fresh("x"), shape, device, leaf=True, grad=grad)
        options = (f', device="{device}"' if device != "cpu" or self.often(0.2) else "") + (
            ", requires_grad=True" if grad else ""
        )
        size = SHAPES[shape]
        call = self.pick("rand", "randn", "ones", "zeros", "rand", "empty", "full")
        if call == "full":
            size, options = f"({size},)" if shape != "s" else "()", f", 0.5{options}"
        self.say(f"{made.name} = torch.{call}({size}{options})")
        if not self.indent:
            self.known.append(made)
        return made

    def some(self, letter: str = "a", device: str = "") -> Known:
        """A tensor of a shape, mostly on a device."""
        shapes = "mvcs" if letter in "ab" else _CLASS.get(letter, letter)
        fitting = [each for each in self.known if each.shape in shapes]
        if device and not self.often(RISK):
            fitting = [each for each in fitting if each.device == device or each.shape == "s"]
        if not fitting:
            return self.make(self.chance.choice(shapes), device)
        return self.chance.choice(fitting[-5:])

    def fill(self, template: str) -> tuple[str, dict[str, Known]]:
        """A template with operands that go together, mostly; which ones they are."""
        used: dict[str, Known] = {}
        device = ""

        def operand(found: re.Match[str]) -> str:
            nonlocal device
            letter = found[1]
            if letter == "i":
                place = device or self.chance.choice(self.devices)
                return f"torch.tensor([0, 1, 2]{f', device={place!r}' if place != 'cpu' else ''})"
            if letter == "k":
                if "a" not in used:
                    used["a"] = self.some("a", device)
                    device = device or ("" if used["a"].shape == "s" else used["a"].device)
                return f"({used['a'].name} > 0)"
            if letter not in used:
                wanted = used["a"].shape if letter == "b" and "a" in used else letter
                used[letter] = self.some(wanted, device)
                device = device or ("" if used[letter].shape == "s" else used[letter].device)
            return used[letter].name

        return _OPERAND.sub(operand, template), used

    def keep(self, name: str, shape: str, used: dict[str, Known]) -> None:
        """Remember a result."""
        device = next((each.device for each in used.values() if each.shape != "s"), self.devices[0])
        grad = any(each.grad for each in used.values())
        self.known.append(Known(name, shape, device, grad=grad))

    def expression(self) -> tuple[str, str, dict[str, Known]]:
        """An operation, the letter of its result's shape, its operands."""
        table, shape = self.chance.choices(
            [
                (tables.SAME, "a"), (tables.SCALAR, "s"), (tables.VECTOR, "v"), (tables.MATRIX, "m"), (tables.BATCH, "c"),
                (tables.OTHER, "?"), (tables.VIEWS, "?"),
            ],
            weights=(6, 3, 4, 4, 3, 4, 2),
        )[0]  # fmt: skip
        text, used = self.fill(self.chance.choice(table))
        return text, used["a"].shape if shape == "a" and "a" in used else "m" if shape == "a" else shape, used

    def compute(self) -> None:
        """Assign what an operation gives to a new name."""
        text, shape, used = self.expression()
        name = self.fresh("y")
        self.say(f"{name} = {text}")
        self.reveal(name)
        if shape in SHAPES and not self.indent:
            self.keep(name, shape, used)

    def again(self) -> None:
        """Rebind a name."""
        text, shape, used = self.expression()
        target = next((each for each in used.values() if each.shape == shape), None)
        if target is None or self.indent.count(" ") > 4:
            return
        self.say(f"{target.name} = {text}")
        target.leaf = False
        target.grad = any(each.grad for each in used.values())
        self.reveal(target.name)

    def write(self) -> None:
        """Write in place, mostly into what may be written."""
        text, used = self.fill(self.chance.choice((*tables.WRITES, *tables.TARGETS)))
        if any(each.leaf and each.grad for each in used.values()) and not self.often(RISK):
            return
        first = next(iter(used.values()), None)
        self.say(text.replace("+=", " += ").replace("-=", " -= ").replace("*=", " *= "))
        if first is not None:
            first.grad = first.grad or any(each.grad for each in used.values())
            self.reveal(first.name)

    def through_view(self) -> None:
        """Write through a view, or into what was viewed."""
        text, used = self.fill(self.chance.choice(tables.VIEWS))
        base = next(iter(used.values()))
        if base.leaf and base.grad and not self.often(RISK):
            self.say(f"{base.name} = {base.name}{self.pick('.clone()', ' * 1', '.detach()')}")
            base.leaf = False
        view = self.fresh("p")
        self.say(f"{view} = {text}")
        written = self.pick(view, view, base.name)
        value = self.some("s")
        self.say(
            self.pick(
                f"{written}.mul_(2)", f"{written}.zero_()", f"{written} += 1", f"{written}[0] = 0.5", f"{written}[...] = {value.name}",
                f"{written} *= {value.name}", f"{written}.fill_({value.name})", f"{written}.copy_({view}.detach() + 1)", f"{written}.data.add_(1)",
            )
        )  # fmt: skip
        self.reveal(view, base.name)

    def body(self, count: int = 2) -> None:
        """A few plain statements, one level deeper."""
        outer, self.indent = self.indent, self.indent + "    "
        before = len(self.lines)
        for _ in range(count):
            self.chance.choice([self.compute, self.compute, self.again, self.write, self.through_view])()
        if len(self.lines) == before:
            self.say("pass")
        self.indent = outer


def program(seed: int, length: int = LENGTH) -> str:
    """The program of a seed, of four statements to `length`."""
    from against_torch.wide_code import Code  # noqa: PLC0415  it builds on Wide

    return Code(seed).program(length)
