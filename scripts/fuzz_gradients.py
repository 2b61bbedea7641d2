"""Hold the ledger of gradients against torch on random training programs: `python scripts/fuzz_gradients.py --count 5000`.

Of each backward of each program torch says which parameters got a gradient by it, and `devls gradients` which it thinks do.
Prints contradicted programs, and how often there was an opinion. Exit status 1 if anything was contradicted.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import os
import random
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "server")]

from devls.analysis import Analyzer  # noqa: E402
from devls.config import Config  # noqa: E402
from devls.gradients import Tables  # noqa: E402
from devls.project.workspace import Workspace  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

Answers = dict[tuple[int, str], set[bool | None]]
"""By the line of a backward and the name of a parameter: what was said, each time."""

_HEAD = """\
import os

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    @torch.no_grad()
    def forward(self, x):
        return self.fc(x)


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        return self.one(x), self.two(x)


def helper(model, x):
    return torch.relu(model(x))


@torch.no_grad()
def silent(model, x):
    return model(x)


flag0 = os.environ.get("FLAG0") == "1"
flag1 = os.environ.get("FLAG1") == "1"
"""

_MODULES = (
    "nn.Linear(4, 4)",
    "nn.Sequential(nn.Linear(4, 4), nn.Tanh())",
    "Frozen()",
    "nn.Linear(4, 4).requires_grad_(False)",
    "nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])",
    "Two()",
    "nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))",
)

_SIMPLE = (
    "{v}.relu()", "{v} * {w}", "{v} + {w}", "{v} - {w}", "torch.exp({v} * 0.1)", "{v}.view(4, 3).reshape(3, 4)", "{v}.clone()",
    "torch.stack([{v}, {w}]).mean(0)", "torch.cat([{v}, {w}])[:3]", "{v}.sigmoid()", "{v}.to(torch.float32)", "{v}[[2, 1, 0]]",
    "torch.where({v} > 0, {v}, {w})", "({v}, {w})[0]", "nn.functional.softmax({v}, dim=1)",
)  # fmt: skip

_CUTS = (
    "{v}.detach()", "{v}.data", "torch.from_numpy({v}.detach().numpy())", "torch.tensor({v}.tolist())", "({v} > 0).float()",
    "{v}.argmax(1, keepdim=True).float() + torch.zeros(3, 4)", "{v} * {w}.detach()", "torch.tensor({v}.mean().item()) * {w}",
    "{v} + ({w} - {v}).detach()", "torch.zeros_like({v})", "{v}.mean().item() * {w}",
)  # fmt: skip


class Program:
    """One random program, in the making."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.lines = _HEAD.splitlines()
        self.values: list[str] = []
        self.modules: list[tuple[str, str]] = []
        self.indent = ""
        self.number = 0

    def say(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def fresh(self) -> str:
        self.number += 1
        return f"v{self.number}"

    def some(self) -> str:
        return self.chance.choice(self.values[-6:])

    def text(self) -> str:
        """The whole program."""
        for number in range(self.chance.randint(2, 4)):
            kind = self.chance.choice(_MODULES[: 2 + 5 * (self.chance.random() < 0.6)])
            self.say(f"m{number} = {kind}")
            self.modules.append((f"m{number}", kind))
        self.say("w0 = nn.Parameter(torch.randn(3, 4))")
        names = ", ".join(f"*{name}.parameters()" for name, _ in self.modules)
        self.say(f"optimizer = torch.optim.SGD([{names}, w0], lr=0.01)")
        if self.chance.random() < 0.5:
            self.say(f"for step in range({self.chance.choice((1, 2, 3, 20))}):")
            self.indent = "    "
        self.say("x = torch.randn(3, 4)")
        self.values = ["x", "w0"] if self.chance.random() < 0.4 else ["x"]
        for _ in range(self.chance.randint(1, 3)):
            for _ in range(self.chance.randint(2, 6)):
                self.statement()
            self.backward()
        return "\n".join(self.lines) + "\n"

    def statement(self) -> None:
        how = self.chance.random()
        if how < 0.45:
            self.applied()
        elif how < 0.65:
            self.computed(self.chance.choice(_SIMPLE))
        elif how < 0.8:
            self.computed(self.chance.choice(_CUTS))
        elif how < 0.88:
            self.under_no_grad()
        elif how < 0.94:
            self.on_a_flag()
        else:
            self.in_a_container()

    def computed(self, form: str) -> None:
        line, name = form.format(v=self.some(), w=self.some()), self.fresh()
        self.say(f"{name} = {line}")
        self.values.append(name)

    def applied(self) -> None:
        module, kind = self.chance.choice(self.modules)
        given, name = self.some(), self.fresh()
        if "ModuleList" in kind:
            self.say(f"{name} = {given}")
            self.say(f"for layer in {module}{self.chance.choice(('', '[:1]'))}:")
            self.say(f"    {name} = layer({name})")
        elif "Two" in kind:
            other = self.fresh()
            self.say(f"{name}, {other} = {module}({given})")
            self.values.append(other)
        else:
            form = self.chance.choice(
                (
                    "{m}({v})",
                    "{m}({v})",
                    "helper({m}, {v})",
                    "silent({m}, {v})",
                    "checkpoint({m}, {v}, use_reentrant=False)",
                )
            )
            self.say(f"{name} = {form.format(m=module, v=given)}")
        self.values.append(name)

    def under_no_grad(self) -> None:
        self.say(self.chance.choice(("with torch.no_grad():", "with torch.set_grad_enabled(False):")))
        before, self.indent = self.indent, self.indent + "    "
        for _ in range(self.chance.randint(1, 2)):
            self.applied()
        self.indent = before

    def on_a_flag(self) -> None:
        name, given = self.fresh(), self.some()
        module = next((each for each, kind in self.modules if "List" not in kind and "Two" not in kind), None)
        self.say(f"{name} = {given}")
        self.say(f"if flag{self.chance.randrange(2)}:")
        inner = f"{module}({name})" if module else f"{name} * w0"
        self.say(f"    {name} = {self.chance.choice((inner, f'{name}.detach()'))}")
        self.values.append(name)

    def in_a_container(self) -> None:
        name = self.fresh()
        form = self.chance.choice(
            (
                ("kept = [{v}]", "kept.append({w})", "{n} = sum(kept)"),
                ("kept = dict(a={v}, b={w})", "{n} = kept['b'] * 2"),
                ("{n} = {v}.clone()", "{n} += {w}"),
                ("{n} = torch.zeros(3, 4)", "{n}[0] = {v}[1]"),
                ("{n} = [each * 2 for each in ({v}, {w})][1]",),
                ("{n} = {v}.clone()", "{n}.mul_({w}.detach())"),
            )
        )
        first, second = self.some(), self.some()
        for line in form:
            self.say(line.format(n=name, v=first, w=second))
        self.values.append(name)

    def backward(self) -> None:
        name = self.fresh()
        terms = " + ".join(
            f"{self.some()}.{self.chance.choice(('mean()', 'sum()', 'pow(2).mean()'))}"
            for _ in range(self.chance.randint(1, 2))
        )
        self.say(f"{name} = {terms}")
        self.say(f"if {name}.requires_grad:")
        self.say(f"    {name}.backward(retain_graph=True)")
        if self.chance.random() < 0.5:
            self.say("optimizer.zero_grad()")


def answers_of_torch(text: str) -> Answers:
    """Torch's answers, on all paths that the flags allow."""
    import torch  # noqa: PLC0415  the engine goes without

    found: Answers = {}
    flags = [each for each in ("FLAG0", "FLAG1") if f"if {each.lower()}:" in text]
    original = torch.Tensor.backward
    for chosen in itertools.product("01", repeat=len(flags)):
        os.environ.update(dict(zip(flags, chosen, strict=True)))
        scope: dict[str, Any] = {"__name__": "__main__"}

        def backward(tensor: Any, *arguments: Any, scope: dict[str, Any] = scope, **keywords: Any) -> None:
            line = sys._getframe(1).f_lineno
            parameters = dict(_parameters(scope))
            before = {name: each.grad for name, each in parameters.items()}
            for each in parameters.values():
                each.grad = None
            original(tensor, *arguments, **keywords)
            for name, each in parameters.items():
                found.setdefault((line, name), set()).add(each.grad is not None)
                if each.grad is None:
                    each.grad = before[name]

        torch.Tensor.backward = backward  # type: ignore[method-assign, assignment]
        try:
            with contextlib.suppress(RuntimeError), contextlib.redirect_stdout(io.StringIO()):
                exec(compile(text, "program.py", "exec"), scope)  # noqa: S102  it was made here
        finally:
            torch.Tensor.backward = original  # type: ignore[method-assign]
    return found


def _parameters(scope: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each parameter under its first name: others may be names of the same one."""
    import torch  # noqa: PLC0415

    seen: set[int] = set()
    for name, value in scope.items():
        found = [(name, value)] if isinstance(value, torch.nn.Parameter) else []
        if isinstance(value, torch.nn.Module):
            found = [(f"{name}.{inner}", each) for inner, each in value.named_parameters()]
        for path, each in found:
            if id(each) not in seen:
                seen.add(id(each))
                yield path, each


def answers_of_devls(text: str, folder: Path) -> Answers:
    """Answers of `devls gradients`."""
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    analyzer = Analyzer(Workspace((str(folder),)), lambda _path: Config(), hovers=False)
    tables = Tables()
    analyzer.told = tables.listen
    source = analyzer.analyze(str(path)).source
    return {
        (told.site.key[1], each.name): {each.gets}
        for told in tables.within(source, "")
        for each in told.parameters
    }


@dataclass
class Figures:
    """Outcome of all programs."""

    asked: int = 0
    opinions: int = 0
    wrong: list[tuple[int, str]] = field(default_factory=list)


def compare(seed: int, folder: Path, figures: Figures) -> None:
    """Run one program on both."""
    text = Program(seed).text()
    truth, said = answers_of_torch(text), answers_of_devls(text, folder)
    for (line, name), true in truth.items():
        opinion = next(iter(said.get((line, name), {None})))
        figures.asked += len(true) == 1
        if opinion is None:
            continue
        figures.opinions += len(true) == 1
        if true != {opinion}:
            figures.wrong.append((seed, f"line {line}: {name}: devls says {opinion}, torch {sorted(true)}"))


def main() -> int:
    import tempfile  # noqa: PLC0415

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="how many programs")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--show", type=int, default=3, help="how many contradicted programs to print")
    options = parser.parse_args()
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.start, options.start + options.count):
            compare(seed, Path(folder), figures)
    for seed, message in figures.wrong[: options.show]:
        print(f"seed {seed}: {message}")
        for number, line in enumerate(Program(seed).text().splitlines(), 1):
            if number > len(_HEAD.splitlines()):
                print(f"{number:4} {line}")
    share = figures.opinions / max(1, figures.asked)
    print(
        f"{options.count} programs, {figures.asked} answers of torch that are the same on all ways,"
        f" an opinion on {share:.1%}, {len(figures.wrong)} contradicted"
    )
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
