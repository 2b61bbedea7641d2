"""Fixes that have to look further than the statement they change: torch runs what they make of a program."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from checking import write_files
from devls.analysis import Analyzer
from devls.cli.check import Check
from devls.cli.complaints import Complaints
from devls.cli.fixing import apply_fixes
from devls.config import Config
from devls.project.workspace import Workspace
from devls.text.edits import Applicability

if TYPE_CHECKING:
    from pathlib import Path

NUMBERED = """import torch
from torch import nn


class Branches(nn.Module):
    def __init__(self, sizes=(1, 3)):
        super().__init__()
        self.branches = {size: nn.Conv1d(2, 2, size) for size in sizes}

    def forward(self, x):
        return sum(branch(x).sum() for branch in self.branches.values())


net = Branches()
net(torch.ones(1, 2, 5)).backward()
print(len(list(net.parameters())))
"""

PAIRED = """import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.blocks = []
        for _ in range(depth):
            norm = nn.LayerNorm(width)
            self.blocks.append((norm, nn.Linear(width, width)))

    def forward(self, x):
        for norm, mix in self.blocks:
            x = x + mix(norm(x))
        return x


net = Stack(3, 2)
net(torch.ones(1, 3)).sum().backward()
print(len(list(net.parameters())))
"""

SCALED = """import torch
from torch import nn


class Scales(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.scales = [(nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(1))) for _ in range(count)]

    def forward(self, x):
        for scale, shift in self.scales:
            x = x * scale + shift
        return x


net = Scales(2)
net(torch.ones(1, 3)).sum().backward()
print(len(list(net.parameters())))
"""

LATE = """import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for _ in range(3):
    loss = model(torch.ones(4, 2)).sum()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
scaler.update()
print("done")
"""


CUT = """import torch

w = torch.ones(3, requires_grad=True)


def parts():
    yield (w * 2).sum()
    yield (w * 3).sum()


losses = torch.tensor([each.item() for each in parts()], device=w.device, requires_grad=True)
losses.sum().backward()
print(w.grad.tolist())
"""


LATER = """import torch

w = torch.ones(4, requires_grad=True)


class Near:
    def __call__(self, chances):
        chances[1:] = 0.0
        chances[0] *= 2.0
        return chances


chances = Near()(torch.sigmoid(w))
chances.sum().backward()
print(w.grad.tolist()[1:])
"""

INFERRED = """import torch
from torch import nn

net = nn.Linear(3, 2)


@torch.inference_mode()
def encoded():
    return torch.ones(4, 3).tanh(), torch.zeros(4, dtype=torch.int64) + 1


x, y = encoded()
loss = nn.functional.cross_entropy(net(x), y)
loss.backward()
print(len(net.weight.grad))
"""

INFERRED_ABOVE = """import torch
from torch import nn

net, fast = nn.Linear(3, 2), torch.inference_mode()
with fast:
    x = torch.ones(4, 3).tanh()
net(x[1:]).sum().backward()
print(len(net.weight.grad))
"""

USED_UP = {
    "net.py": """import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        self.a.requires_grad_(False)

    def trainable(self):
        return filter(lambda p: p.requires_grad, self.parameters())
""",
    "train.py": """import torch

from net import Net


def describe(params):
    print(sum(p.numel() for p in params))


def made(params):
    return torch.optim.SGD(params, lr=0.1)


weights = Net().trainable()
describe(weights)
print(len(made(weights).param_groups[0]["params"]))
""",
}

NAMED = {
    "measures.py": """def compactness(points):
    distances = (points - points.mean(0)).pow(2).sum(-1)
    return distances.mean
""",
    "train.py": """import torch

from measures import compactness

terms = {"compact": compactness(torch.zeros(3, 2))}
weights = {"compact": 0.5}
print(float(sum(weights[name] * each for name, each in terms.items())))
""",
}


WRAPPED = """import torch
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
w = Variable(torch.zeros(2), requires_grad=True).to(device)
(w + 1).pow(2).sum().backward()
print(w.grad.tolist())
"""

READ = """import torch


def added(x):
    noise = torch.frombuffer(bytearray(8), dtype=torch.float32)
    return x + noise


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(added(torch.ones(2).to(device)).tolist())
"""

KEPT = {
    "losses.py": """from torch import nn


class Perceptual:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())

    def __call__(self, x, y):
        return (self.net(x) - self.net(y)).abs().mean()
""",
    "train.py": """import torch

from losses import Perceptual


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    criterion = Perceptual()
    x = torch.ones(2, 3, device=device)
    print(float(criterion(x, x)))


main()
""",
}

KEPT_ON_SELF = """import torch
from torch import nn


class Perceptual(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 3)

    def forward(self, x):
        return self.net(x).abs().mean()


class Trainer:
    def __init__(self, device):
        self.device = device
        self.loss = Perceptual()

    def fit(self, x):
        return self.loss(x.to(self.device)) * 0


trainer = Trainer(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
print(float(trainer.fit(torch.ones(2, 3))))
"""

SPREAD = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(5, 3)

    def forward(self, x):
        return self.fc(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Net()
if torch.cuda.device_count() > 1:
    model = nn.DataParallel(model)
    model.to(device)
print(len(model(torch.randn(4, 5).to(device))))
"""

BATCHES = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
loader = DataLoader(TensorDataset(torch.ones(8, 3), torch.zeros(8, dtype=torch.long)), batch_size=4)
for images, labels in loader:
    nn.functional.cross_entropy(model(images), labels).backward()
print(len(model.weight.grad))
"""

BESIDE = BATCHES.replace("    nn.", "    images = images.to(device, non_blocking=True)\n    nn.")

READ_ON_HOST = BATCHES.replace("    nn.", "    counted = labels.numpy().sum()\n    nn.")

DICTS = """import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)


def placed(batch, device):
    for key, value in batch.items():
        value.to(device)
    return batch


batch = placed({"x": torch.ones(4, 3), "y": torch.zeros(4, dtype=torch.long)}, device)
nn.functional.cross_entropy(model(batch["x"]), batch["y"]).backward()
print(len(model.weight.grad))
"""

WHOLE = """import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
rows = [{"x": torch.ones(3), "y": torch.zeros(2)} for _ in range(4)]
for batch in DataLoader(rows, batch_size=2):
    (model(batch["x"]) - batch["y"]).sum().backward()
print(len(model.weight.grad))
"""

MOVED_LATER = """import torch


def added(x, device):
    weights = torch.ones(3)
    x = x.to(device)
    return x + weights


print(len(added(torch.ones(3), torch.device("cuda" if torch.cuda.is_available() else "cpu"))))
"""

MASKED = """import torch
from torch import nn


def masked(x):
    mask = nn.Transformer.generate_square_subsequent_mask(x.size(1))
    return x + mask


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(len(masked(torch.ones(3, 3).to(device))))
"""

LOGGED = """import torch
from torch import nn


class History:
    def __init__(self):
        self.values = {"loss": [], "kl": []}

    def add(self, logs):
        for name, value in logs.items():
            self.values[name].append(value)


net, history = nn.Linear(2, 1), History()
for _ in range(3):
    loss = net(torch.ones(4, 2)).pow(2).mean()
    loss.backward()
    history.add({"loss": loss.item(), "kl": loss * 2})
print(len(history.values["kl"]))
"""

NESTED = """import torch


def placed(batch, device):
    return {name: value.to(device) for name, value in batch.items()}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
inner = {"ids": torch.ones(2), "mask": torch.ones(2)}
print(len(placed({"text": inner, "label": torch.zeros(3)}, device)["label"]))
"""

TAUGHT = """import torch
from torch import nn


class Distiller:
    def __init__(self, device):
        self.device = device
        self.teacher = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        self.student = nn.Linear(2, 3).to(device)

    def loss(self, x):
        with torch.no_grad():
            wanted = self.teacher(x)
        return (self.student(x) - wanted).pow(2).mean()


distiller = Distiller("cuda" if torch.cuda.is_available() else "cpu")
distiller.loss(torch.ones(4, 2).to(distiller.device)).backward()
print(len(distiller.student.weight.grad))
"""

EVALUATED = """import torch
from torch import nn

model = nn.Linear(2, 1)


def validate(rows):
    model.eval()
    outs, losses = [], []
    for x in rows:
        outs.append(model(x))
        losses.append(model(x).pow(2).mean())
    return torch.cat(outs), sum(losses)


optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    model.train()
    optimizer.zero_grad()
    model(torch.ones(3, 2)).pow(2).mean().backward()
    optimizer.step()
    outs, total = validate([torch.ones(3, 2), torch.zeros(3, 2)])
print(len(outs))
"""

SCHEDULED = """import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
for _ in range(2):
    scheduler.step()
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.ones(3, 2)).pow(2).mean().backward()
        optimizer.step()
print(scheduler.get_last_lr()[0])
"""

STEPPED = """import torch


def stepped(weights, rate):
    return [each - rate * each.grad for each in weights]


weights = [torch.ones(2, requires_grad=True), torch.zeros(1, requires_grad=True)]
for _ in range(3):
    loss = (weights[0].sum() + weights[1] - 1).pow(2).sum()
    loss.backward()
    weights = stepped(weights, 0.1)
print(len(weights))
"""

TABLES = """import torch
from torch import nn


def tables(n):
    angle = torch.arange(n) / n
    return angle.cos(), angle.sin()


def turned(x, cos, sin):
    return x * cos + x.flip(-1) * sin


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    cos, sin = tables(3)
    print(len(turned(torch.ones(2, 3, device=device), cos, sin)))


main()
"""


READ_BY_NUMPY = """import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.ones(4, 3), torch.zeros(4)), batch_size=2)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
images, labels = next(iter(loader))
first = np.asarray(images[0])
out = model(images)
print(len(out), first.sum())
"""

COLLECTED = """import torch
from torch import nn

model = nn.Linear(2, 1)


def encoded(rows):
    found = []
    for row in rows:
        found.append(model(row))
    print(len(found), found[0].requires_grad)


encoded([torch.ones(3, 2), torch.zeros(3, 2)])
"""

EVALUATED_FOR = """import torch
from torch import nn


def validate(model, rows):
    model.eval()
    outs = [model(x) for x in rows]
    return torch.cat(outs)


def main():
    model = nn.Linear(2, 1)
    for _ in range(2):
        outs = validate(model, [torch.ones(3, 2), torch.zeros(3, 2)])
        print(len(outs))


main()
"""

OF_PARTS = """import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x * self.scale


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    flow = nn.Sequential(*[Layer() for _ in range(2)])
    x = torch.ones(3, 2, device=device)
    print(len(flow(x)))


main()
"""

RESUMED = """import argparse
import os
import tempfile

import torch
from torch import nn


def main():
    parser = argparse.ArgumentParser()
    args = parser.parse_args([])
    args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(2, 1).to(args.device)
    path = os.path.join(tempfile.gettempdir(), "devls-of-nobody.pt")
    if os.path.exists(path):
        model.load_state_dict(torch.load(path))
    print(len(model.state_dict()))


main()
"""

MISSPELT = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super(Net, self)._init_()
        self.layer = nn.Linear(2, 1)


print(len(list(Net().parameters())))
"""

CLAMPED = """import math

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return self.weight(x) * torch.maximum(self.scale, torch.tensor([0.5, 1.0]))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(len(Scaled().to(device)(torch.ones(3, 2, device=device))))
"""


PRETRAINED = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 4), nn.Linear(4, 20)

    def forward(self, x):
        return self.head(self.body(x))


def pretrain(model, optimizer):
    loss = nn.functional.cross_entropy(model(torch.ones(2, 3)), torch.tensor([19, 18]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


model = Net()
optimizer = torch.optim.Adam(model.parameters())
pretrain(model, optimizer)
model.head = nn.Linear(4, 2)
before = model.head.weight.detach().clone()
loss = nn.functional.cross_entropy(model(torch.ones(2, 3)), torch.tensor([0, 1]))
optimizer.zero_grad()
loss.backward()
optimizer.step()
print(torch.equal(before, model.head.weight))
"""

LEFT_OUT = """import torch
from torch import nn


class Coder:
    def __init__(self):
        self.encoder = nn.Linear(4, 2)
        self.decoder = nn.Linear(2, 4)
        self.optimizer = torch.optim.Adam(self.encoder.parameters(), lr=0.1)

    def step(self, x):
        loss = (self.decoder(self.encoder(x)) - x).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


coder = Coder()
before = coder.decoder.weight.detach().clone()
for _ in range(3):
    coder.step(torch.ones(2, 4))
print(torch.equal(before, coder.decoder.weight))
"""

FROZEN_WHOLE = """import torch
from torch import nn


def prepared(model):
    model[1] = nn.Linear(4, 2)
    for parameter in model.parameters():
        parameter.requires_grad = False
    return model


model = prepared(nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 9)))
model(torch.ones(2, 3)).sum().backward()
print([each.grad is not None for each in model.parameters()])
"""

DISTILLED = """import torch
from torch import nn


def distance(learned, taught):
    taught.requires_grad = False
    return (learned - taught).pow(2).mean()


teacher, student = nn.Linear(3, 2).eval(), nn.Linear(3, 2)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
for _ in range(2):
    x = torch.ones(4, 3)
    loss = distance(student(x), teacher(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(student.weight.grad is not None, teacher.weight.grad)
"""

ASKED = PRETRAINED.replace(
    "pretrain(model, optimizer)\nmodel", "print(model(torch.ones(2, 3)).shape[1])\nmodel"
)


@pytest.mark.parametrize(
    ("program", "printed", "there"),
    [
        (NUMBERED, "4", "nn.ModuleDict({str(size): nn.Conv1d"),
        (PAIRED, "8", "self.blocks.append(nn.ModuleList((norm, nn.Linear(width, width))))"),
        (SCALED, "4", "nn.ParameterList((nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(1))))"),
        (LATE, "done", "    scaler.update()\nprint"),
        (CUT, "[5.0, 5.0, 5.0]", "torch.stack([each for each in parts()])"),
        (LATER, "[0.0, 0.0, 0.0]", "        chances = chances.clone()\n        chances[1:] = 0.0"),
        (INFERRED, "2", "@torch.no_grad()"),
        (INFERRED_ABOVE, "2", "x[1:].clone()"),
        (USED_UP, "6\n2", "weights = list(Net().trainable())"),
        (NAMED, "0.0", "return distances.mean()"),
        (WRAPPED, "[2.0, 2.0]", "requires_grad=True).to(device).detach().requires_grad_()"),
        (KEPT, "0.0", "    criterion = Perceptual()\n    criterion.net.to(device)\n"),
        (KEPT_ON_SELF, "0.0", "self.loss = Perceptual().to(self.device)"),
        (SPREAD, "4", "    model.to(device)\nmodel.to(device)\n"),
        (BATCHES, "2", "    images, labels = images.to(device), labels.to(device)\n"),
        (BESIDE, "2", "True)\n    labels = labels.to(device, non_blocking=True)\n"),
        (READ_ON_HOST, "2", "    images = images.to(device)\n"),
        (READ_ON_HOST, "2", "labels.to("),
        (DICTS, "2", "        batch[key] = value.to(device)\n    return batch\n"),
        (WHOLE, "2", "batch = {key: value.to(device) for key, value in batch.items()}\n"),
        (TABLES, "2", "    cos, sin = cos.to(device), sin.to(device)\n"),
        (MOVED_LATER, "3", "torch.ones(3, device=device)"),
        (MASKED, "3", "generate_square_subsequent_mask(x.size(1), device=x.device)"),
        (LOGGED, "3", ".append(value.detach() if torch.is_tensor(value) else value)"),
        (NESTED, "3", " if isinstance(value, dict) else value.to(device)) for name"),
        (TAUGHT, "3", "self.teacher = nn.Sequential(nn.Linear(2, 3), nn.ReLU()).to(self.device)"),
        (EVALUATED, "6", "        outs.append(model(x))\n"),
        (SCHEDULED, "0.125", "        optimizer.step()\n    scheduler.step()\n"),
        (STEPPED, "2", "[(each - rate * each.grad).detach().requires_grad_() for each in weights]"),
        (READ, "[1.0, 1.0]", "dtype=torch.float32).to(x.device)"),
        (
            READ_BY_NUMPY,
            "2 3.0",
            "next(iter(loader))\nfirst = np.asarray(images[0])\nout = model(images.to(device))",
        ),
        (COLLECTED, "2 False", "@torch.no_grad()\ndef encoded"),
        (EVALUATED_FOR, "6\n6", "\n\n\n@torch.no_grad()\ndef validate"),
        (
            EVALUATED_FOR,
            "6\n6",
            "\n\n\ndef main():\n    model = nn.Linear(2, 1)\n    for _ in range(2):\n        outs = v",
        ),
        (OF_PARTS, "3", "nn.Sequential(*[Layer() for _ in range(2)]).to(device)"),
        (RESUMED, "2", "torch.load(path, map_location=args.device)"),
        (MISSPELT, "2", "super(Net, self).__init__()\n        self.layer"),
        (PRETRAINED, "False", "nn.Linear(4, 2)\noptimizer = torch.optim.Adam(model.parameters())\n"),
        (ASKED, "20\nFalse", "nn.Linear(4, 2)\noptimizer = torch.optim.Adam(model.parameters())\n"),
        (DISTILLED, "True None", "    taught = taught.detach()\n"),
        (
            DISTILLED,
            "True None",
            "        teacher_out = teacher(x)\n    loss = distance(student(x), teacher_out)\n",
        ),
        (LEFT_OUT, "False", "Adam([*self.encoder.parameters(), *self.decoder.parameters()], lr=0.1)"),
        (FROZEN_WHOLE, "[False, False, True, True]", "    model[1] = nn.Linear(4, 2)\n    return model"),
        (CLAMPED, "3", "torch.tensor([0.5, 1.0], device=self.scale.device)"),
    ],
)
def test_what_is_fixed_runs(program: str | dict[str, str], printed: str, there: str, tmp_path: Path) -> None:
    write_files({"train.py": program} if isinstance(program, str) else program, tmp_path)
    workspace = Workspace((str(tmp_path),))
    names = {str(path): path.name for path in tmp_path.glob("*.py")}
    check = Check(Analyzer(workspace, lambda _: Config()), workspace, names, Complaints())
    check.run()
    apply_fixes(check, unsafe=True)
    texts = {name: check.workspace.source(path).text for path, name in names.items()}
    assert any(there in text for text in texts.values())
    write_files(texts, tmp_path)
    ran = subprocess.run(
        [sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == printed


def test_a_dict_that_is_asked_for_its_numbers_is_left_alone(tmp_path: Path) -> None:
    """`ModuleDict` has no numbers for keys, and what asks for them would have to change, too."""
    program = NUMBERED + "print(net.branches[1])\n"
    write_files({"example.py": program}, tmp_path)
    workspace = Workspace((str(tmp_path),))
    (found,) = Analyzer(workspace, lambda _: Config()).analyze(str(tmp_path / "example.py")).diagnostics
    assert (found.rule, found.fixes) == ("unregistered-module", ())


WRITTEN_AS_DATA = """import torch
from torch import nn


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        self.layer.weight.data.mul_(torch.tensor([1.0, 0.0]))
        return self.layer(x)


net = Masked()
net(net(net(torch.ones(3, 2)))).sum().backward()
"""

CAPTIONED = """def train(criterion, loader, optimizer, device):
    for image, caption in loader:
        image = image.to(device)
        loss = criterion(image, caption)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""

DETACHED_LATE = """import torch
from torch import nn


class Coder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x, frozen=False):
        mean = self.layer(x)
        loss = mean.pow(2).sum()
        if frozen:
            mean.detach()
        return loss


Coder()(torch.ones(2), frozen=True).backward()
"""

DETACHED_FIRST = DETACHED_LATE.replace("return loss", "return loss + mean.sum()")


MADE_FOR_NOBODY = """import torch
from torch import nn


class Upsampled(nn.Module):
    def forward(self, x: torch.Tensor, batch=None):
        if batch is not None:
            batch = batch.repeat_interleave(2)
        else:
            batch = torch.zeros(len(x))
        return x, batch
"""


@pytest.mark.parametrize(
    ("program", "rule", "offered"),
    [
        (MADE_FOR_NOBODY, "result-off-device", []),  # there `batch` is None
        (DETACHED_LATE, "discarded-transfer", []),  # nothing reads the name any more
        (DETACHED_FIRST, "discarded-transfer", [Applicability.SAFE]),
        (WRITTEN_AS_DATA, "data-attribute", []),  # no tensor takes the place of a parameter
        (CAPTIONED, "mixed-devices", [Applicability.UNSAFE]),  # it may be a list of strings
    ],
)
def test_what_is_offered(program: str, rule: str, offered: list[Applicability], tmp_path: Path) -> None:
    write_files({"example.py": program}, tmp_path)
    workspace = Workspace((str(tmp_path),))
    (found,) = Analyzer(workspace, lambda _: Config()).analyze(str(tmp_path / "example.py")).diagnostics
    assert (found.rule, [each.applicability for each in found.fixes]) == (rule, offered)


BOUND_LATER = """import torch


class Experiment:
    def __init__(self, config):
        base = {"limit": torch.tensor([0.15])}
        self.config = {**base, **config}
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.rates = [torch.tensor([0.004]).to(self.device)]

    def rate(self):
        return torch.min(self.rates[0] * 2, self.config["limit"])


print(Experiment({}).rate())
"""

BOUND_BY_THE_PROGRAM = """import torch
from torch import nn


class Ensemble:
    def __init__(self, size, path, device):
        self.{0} = device
        self.model = nn.Linear(size, size).to(device)
        if path:
            self.load(path)

    def load(self, path):
        kept = torch.load(path)
        self.model.load_state_dict(kept["model"])


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    Ensemble(5, "model.pt", device)
"""

CLIPPED = """import numpy as np
import torch


class Policy:
    def __init__(self, device):
        self.low = torch.zeros(3, device=device)
        self.high = torch.ones(3, device=device)

    def noise(self, action):
        return np.clip(action, self.low, self.high)

    def bounds(self):
        return np.stack([self.low])
"""


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        (BOUND_LATER, '.config["limit"].to(self.device)', "device=self.device"),
        (BOUND_BY_THE_PROGRAM.replace("{0}", "device"), "torch.load(path, map_location=self.device)", ""),
        (BOUND_BY_THE_PROGRAM.replace("{0}", "place"), "torch.load(path)", "map_location=device"),
        (CLIPPED, "np.clip(action, self.low, self.high)", ""),
    ],
)
def test_safe_fixes_name_what_is_there_and_cure_alone(
    tmp_path: Path, text: str, wanted: str, unwanted: str
) -> None:
    path = tmp_path / "program.py"
    path.write_text(text)
    workspace = Workspace((str(tmp_path),))
    check = Check(Analyzer(workspace, lambda _: Config()), workspace, {str(path): "program.py"}, Complaints())
    check.run()
    assert any(check.findings.values())
    apply_fixes(check, unsafe=False)
    after = workspace.source(str(path)).text
    assert wanted in after
    assert not unwanted or unwanted not in after


ATTACKED = """import torch


def robust(model, loader, options):
    model.eval()
    total = 0
    for x, y in loader:
        x = x + options["attack"](model=model, x=x, y=y)
        output = model(x)
        total += (output.argmax(1) == y).sum().item()
    return total


robust(torch.nn.Linear(2, 2), [(torch.ones(3, 2), torch.ones(3))], {"attack": print})
"""

BOTH_PHASES = """import torch


def fit(model, loaders, criterion, optimizer):
    for phase in ("train", "val"):
        model.train(phase == "train")
        for x, y in loaders[phase]:
            optimizer.zero_grad()
            outputs = model(x)
            loss = criterion(outputs, y)
            if phase == "train":
                loss.backward()
                optimizer.step()
            print(loss.item())


net = torch.nn.Linear(2, 2)
data = [(torch.ones(3, 2), torch.ones(3, 2))]
fit(net, {"train": data, "val": data}, torch.nn.MSELoss(), torch.optim.SGD(net.parameters(), lr=0.1))
"""


@pytest.mark.parametrize("text", [ATTACKED, BOTH_PHASES])
def test_nothing_that_needs_gradients_is_switched_off(tmp_path: Path, text: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(text)
    analysis = Analyzer(Workspace((str(tmp_path),)), lambda _: Config()).analyze(str(path))
    offered = [edit.text for each in analysis.diagnostics for fix in each.fixes for edit in fix.edits]
    assert not any("@torch.no_grad()" in each for each in offered)
    assert not any("outputs = model(x)" in each for each in offered)


ASKED_OF_ITSELF = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(3, 3)

    def forward(self, index: int):
        start = torch.zeros(1, 3)
        start[0, index] = 1
        return self.mix(start)


print(Net().to("cuda" if torch.cuda.is_available() else "cpu")(1))
"""


def test_a_module_is_asked_for_its_own_parameters_by_an_unsafe_fix(tmp_path: Path) -> None:
    """A replica under `DataParallel` has none."""
    path = tmp_path / "program.py"
    path.write_text(ASKED_OF_ITSELF)
    analysis = Analyzer(Workspace((str(tmp_path),)), lambda _: Config()).analyze(str(path))
    asking = [
        fix
        for each in analysis.diagnostics
        for fix in each.fixes
        if any("next(self." in edit.text for edit in fix.edits)
    ]
    assert asking
    assert all(each.applicability is Applicability.UNSAFE for each in asking)
