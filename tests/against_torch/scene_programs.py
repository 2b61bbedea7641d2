"""Random programs of a third style: scenes, as people write them, put together; objects, aliases, training, autograd.

A scene is a text with blanks; what it leaves behind the next ones use. The same seed always gives the same program. In a scene

    <<one||another>>    is one of several, innermost first
    $v, $m, $s          is a tensor (a vector of 3, a matrix of 3 by 3, a scalar); $v1 is the same one throughout the scene
    {v}, {m}, {s}       is an expression of that shape
    DEV, OTHER          is the device of the scene's tensors, and any device
    FLAG                is a test that nobody who only reads can decide
    name00              is a name of its own in each scene
    => v name, ...      says at the end what it leaves
"""

from __future__ import annotations

import random
import re
import textwrap
from dataclasses import dataclass, field

from against_torch import scenes_autograd, scenes_modules, scenes_python, scenes_tensors

LENGTH = 5
RISK = 0.02
SIZES = {"v": "3", "m": "3, 3", "s": "()"}
SCENES = (*scenes_python.SCENES, *scenes_tensors.SCENES, *scenes_autograd.SCENES, *scenes_modules.SCENES)
HEAD = """import contextlib
import copy
import functools
import itertools
import math
import os
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint
"""
_CHOICE = re.compile(r"<<((?:(?!<<|>>).)*)>>", re.DOTALL)
_OPERAND = re.compile(r"\$([vms])(\d?)")
_EXPRESSION = re.compile(r"\{([vms])\}")

SAME = (
    "{0} + 1", "{0} * 2.0", "-{0}", "{0}.clone()", "{0}.detach()", "{0}.tanh()", "torch.sigmoid({0})", "F.relu({0})", "{0}.abs()",
    "{0} * {1}", "{0} + {1}", "{0} - {1}", "torch.where({0} > 0, {0}, {1})", "torch.where({0} > 0, {0}, 0.0)", "{0}.clamp(min=0)",
    "torch.maximum({0}, {1})", "{0}.exp().log1p()", "torch.lerp({0}, {1}, 0.5)", "{0}.masked_fill({0} < 0, 0.0)", "{0}.float()",
    "torch.zeros_like({0})", "{0}.new_ones({0}.shape)", "{0}.to({1}.device)", "{0}.type_as({1})", "({0} > 0).float()", "{0}.flip(0)",
    "torch.stack([{0}, {1}]).mean(0)", "sum([{0}, {1}])", "{0}.pow(2)", "{0} ** 3", "2 / ({0}.abs() + 1)", "{0}.sign()", "{0}.round()",
    "{0}.view({0}.shape)", "{0}.reshape({0}.size())", "{0}.contiguous()", "torch.randn_like({0})", "{0}.roll(1, 0)", "{0}.data",
    "torch.atleast_1d({0})", "{0}.nan_to_num()", "{0}.addcmul({0}, {1}, value=0.5)", "torch.rsqrt({0}.abs() + 1)", "{0}.requires_grad_()",
)  # fmt: skip
OTHERS = {
    "v": (
        "$m[0]", "$m.sum(0)", "$m.mean(dim=1)", "$m.diagonal()", "$m @ $v", "$m[:, 1]", "torch.arange(3.0, device=DEV)", "$s.expand(3)",
        "$m.max(dim=0).values", "F.softmax($v, dim=0)", "torch.cat([$v, $v])[:3]", "torch.stack([$s, $s, $s])", "$m[1].squeeze()",
        "F.linear($v, $m)", "$v[torch.tensor([2, 1, 0])]", "$m.sum(1, keepdim=True).squeeze(1)", "torch.eye(3, device=DEV)[0]",
        "F.normalize($v, dim=0)", "$m.view(-1)[:3]", "$m.chunk(3)[1][0]", "F.layer_norm($v, (3,))", "$v.unsqueeze(0).squeeze(0)",
        "$m.sort(dim=1)[0][0]", "$m.gather(0, torch.zeros(1, 3, dtype=torch.long, device=DEV))[0]", "$m.topk(1, dim=1)[0].flatten()",
    ),
    "m": (
        "torch.outer($v, $v)", "$m @ $m", "$m.t()", "$v[None, :] * $v[:, None]", "$v.expand(3, 3)", "torch.stack([$v, $v, $v])", "$m.mT",
        "$m.softmax(-1)", "torch.eye(3, device=DEV)", "torch.diag($v)", "torch.addmm($m, $m, $m)", "F.dropout($m, 0.5)", "$m.triu()",
        "$m.permute(1, 0)", "$m[[2, 1, 0]]", "$m.view(3, 3).transpose(0, 1)", "$m.cumsum(0)", "F.log_softmax($m, 1)", "$v.repeat(3, 1)",
        "torch.einsum('ij,j->ij', $m, $v)", "F.normalize($m)", "$m.unflatten(0, (3, 1)).squeeze(1)", "torch.vstack([$v, $v, $v])",
        "torch.cat([$m[:1], $m[1:]])", "$m.index_select(0, torch.tensor([0, 1, 2], device=DEV))", "torch.cdist($m, $m)",
    ),
    "s": (
        "$v.sum()", "$m.mean()", "$v.norm()", "$v @ $v", "$m.max()", "F.mse_loss($v, $v)", "$m.trace()", "$v[0]", "$v.prod()", "$m[0, 1]",
        "torch.tensor(1.5, device=DEV)", "torch.tensor(2.0)", "$m.std()", "F.cross_entropy($m, torch.tensor([0, 1, 2], device=DEV))",
        "$v.mean().sqrt()", "torch.linalg.norm($m)", "torch.dot($v, $v)", "$v.logsumexp(0)", "F.l1_loss($v, $v.detach())", "$m.sum().abs()",
        "$v.max(dim=0)[0]", "F.binary_cross_entropy_with_logits($v, torch.ones_like($v))", "$v.var()", "F.cosine_similarity($v, $v, dim=0)",
    ),
}  # fmt: skip


@dataclass
class Scenes:
    """Lines, and the tensors they have left: name, shape, device."""

    seed: int
    lines: list[str] = field(default_factory=list)
    known: list[tuple[str, str, str]] = field(default_factory=list)
    count: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed * 3 + 2)  # noqa: S311  no secrets
        self.devices = ("cpu",) if self.chance.random() < 0.45 else ("cpu", "cuda:0")
        self.before: list[str] = []

    def often(self, share: float) -> bool:
        return self.chance.random() < share

    def make(self, shape: str, device: str) -> str:
        """A new tensor, made before the scene."""
        self.count += 1
        name, size = f"t{self.count}", SIZES[shape]
        text = self.chance.choice(
            (
                "rand({})",
                "randn({})",
                "ones({})",
                "zeros({})",
                "full(({},), 0.5)" if shape != "s" else "full({}, 0.5)",
            )
        ).format(size)
        where = f', device="{device}"' if device != "cpu" or self.often(0.2) else ""
        grad = ", requires_grad=True" if self.often(0.5) else ""
        self.before.append(f"{name} = torch.{text[:-1]}{where}{grad})")
        if self.often(0.4):
            self.before.append(f"{name} = {name} {self.chance.choice(('* 1', '+ 0', '/ 2'))}")
        self.known.append((name, shape, device))
        return name

    def operand(self, shape: str, device: str) -> str:
        """A tensor of a shape, mostly on a device."""
        fitting = [
            name
            for name, its, where in self.known[-9:]
            if its == shape and (where == device or self.often(RISK))
        ]
        return self.chance.choice(fitting) if fitting and not self.often(0.25) else self.make(shape, device)

    def expression(self, shape: str, device: str, depth: int = 2) -> str:
        """An expression of a shape."""
        if depth == 0 or self.often(0.2):
            return self.operand(shape, device)
        if self.often(0.5):
            text = self.chance.choice(OTHERS[shape]).replace("DEV", f'"{device}"')
            return "(" + _OPERAND.sub(lambda found: self.expression(found[1], device, depth - 1), text) + ")"
        text = self.chance.choice(SAME)
        if shape == "s" and ("atleast" in text or "roll" in text or "flip" in text):
            return self.operand(shape, device)
        first = self.expression(shape, device, depth - 1)
        return f"({text.format(first, self.operand(shape, device))})"

    def filled(self, scene: str, device: str) -> str:
        """A scene with its blanks filled."""
        while _CHOICE.search(scene):
            scene = _CHOICE.sub(lambda found: self.chance.choice(found[1].split("||")), scene)
        given: dict[str, str] = {}

        def operand(found: re.Match[str]) -> str:
            if found[2] and found[0] in given:
                return given[found[0]]
            given[found[0]] = self.operand(found[1], device)
            return given[found[0]]

        scene = _OPERAND.sub(operand, scene)
        scene = _EXPRESSION.sub(lambda found: self.expression(found[1], device), scene)
        scene = scene.replace("FLAG", f'(os.environ.get("FLAG{self.chance.randrange(2)}") == "1")')
        scene = scene.replace("OTHER", f'"{self.chance.choice(self.devices)}"').replace("DEV", f'"{device}"')
        return re.sub(r"(?<=[A-Za-z_])00\b", str(self.count), scene)

    def play(self) -> None:
        """One scene, and what it needs before."""
        self.count += 1
        device = self.chance.choice(self.devices)
        text = self.filled(textwrap.dedent(self.chance.choice(SCENES)).strip("\n"), device)
        body, _, left = text.partition("\n=> ")
        lines = body.splitlines()
        around = self.chance.random()
        if around < 0.04:
            lines = [
                self.chance.choice(("with torch.no_grad():", "with torch.enable_grad():")),
                *_indented(lines),
            ]
        elif around < 0.08:
            shown = [each for each in lines if each.startswith("reveal_value")]
            kept = [re.sub(r"^( *)reveal_value.*", r"\1pass", each) for each in lines]
            lines = ["for turn in range(2):", *_indented(kept), *shown]
        elif around < 0.11:
            lines, left = [f"if {self.filled('FLAG', device)}:", *_indented(lines)], ""
        elif around < 0.15:
            lines, left = ["try:", *_indented(lines), "except RuntimeError as error:", "    print(error)"], ""
        elif around < 0.2 and "global " not in body:
            lines, left = [f"def act{self.count}():", *_indented(lines), f"act{self.count}()"], ""
            if re.search(r"^    (t\d+) (=|\+=|-=|\*=|/=) ", "\n".join(lines), re.MULTILINE):
                lines = textwrap.dedent("\n".join(lines[1:-1])).splitlines()
        self.lines += [*self.before, *lines]
        self.before = []
        for each in left.split(",") if left else ():
            shape, name = each.split()
            self.known.append((name, shape, device))

    def program(self, length: int) -> str:
        for _ in range(self.chance.randint(1, max(1, length))):
            self.play()
        body = "\n".join(self.lines)
        head = [
            line
            for line in HEAD.splitlines()
            if not line or line.startswith("import torch") or _used(line, body)
        ]
        return "\n".join([*head, body]) + "\n"


def _used(line: str, body: str) -> bool:
    names = line.partition(" import " if line.startswith("from") else "import ")[2].split(",")
    return any(re.search(rf"\b{each.split()[-1]}\b", body) for each in names)


def _indented(lines: list[str]) -> list[str]:
    return [f"    {each}" if each else each for each in lines]


def program(seed: int, length: int = LENGTH) -> str:
    """The program of a seed, of one scene to `length`."""
    return Scenes(seed).program(length)
