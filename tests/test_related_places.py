"""Places that a finding shows beside its own, where the pages do not ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checking import analyze, line_of
from devls.text.excerpt import LONGEST_MESSAGE, fitted
from forms import read_forms
from pages import all_pages

if TYPE_CHECKING:
    from pathlib import Path


READ_BY_A_CALLER = """\
import torch
from torch import nn


def steered(x, table):
    return x * table.cos()


class Array(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.ones(3)

    def forward(self, x):
        table = self.table
        return steered(x, table)


def located(x, device):
    return Array().to(device)(x.to(device))
"""


def test_where_a_caller_reads_the_attribute(tmp_path: Path) -> None:
    found = analyze({"example.py": READ_BY_A_CALLER}, tmp_path)["example.py"]
    (finding,) = [each for each in found if each.rule == "unregistered-tensor"]
    lines = [line_of(READ_BY_A_CALLER, near.range.start) for near in finding.related]
    assert lines[0] == READ_BY_A_CALLER.split("\n").index("        table = self.table") + 1
    assert finding.related[0].message == "`self.table` is read here"


HANDED_ON = """\
import torch
import torchaudio


class Detector:
    def __init__(self, device):
        self.device = torch.device(device)

    def louder(self, chunks):
        edge = torch.ones(1, 1).to(self.device)
        return torch.cat([chunks, edge])

    def read(self, path):
        signal, rate = torchaudio.load(path)
        print(rate)
        parts = signal.reshape(1, -1)
        return self.louder(parts)

    def read_here(self, path):
        signal, rate = torchaudio.load(path)
        return torch.cat([signal, torch.ones(rate, 1).to(self.device)])
"""


def test_where_what_another_function_has_made_goes_on(tmp_path: Path) -> None:
    found = analyze({"example.py": HANDED_ON}, tmp_path)["example.py"]
    lines = HANDED_ON.split("\n")
    goes_on = {
        each.rule: [
            line_of(HANDED_ON, near.range.start) for near in each.related if "goes on" in near.message
        ]
        for each in found
        if lines[line_of(HANDED_ON, each.range.start) - 1].strip().startswith("return torch.cat([chunks")
    }
    assert goes_on == {"mixed-devices": [lines.index("        parts = signal.reshape(1, -1)") + 1]}
    here = [
        each
        for each in found
        if line_of(HANDED_ON, each.range.start) > lines.index("    def read_here(self, path):")
    ]
    assert here
    assert not any("goes on" in near.message for each in here for near in each.related)


USED_UP = """\
import torch
from torch import nn

model = nn.Linear(4, 2)
params = filter(lambda p: p.requires_grad, model.parameters())
print(sum(p.numel() for p in params))
optimizer = torch.optim.SGD(params, lr=0.1)
"""


def test_where_an_iterator_has_given_its_last_item(tmp_path: Path) -> None:
    (finding,) = analyze({"example.py": USED_UP}, tmp_path)["example.py"]
    assert finding.rule == "optimizer-parameters"
    assert "line 6 has used it up" in finding.message
    assert [line_of(USED_UP, near.range.start) for near in finding.related] == [6, 5]  # and made


MET_BY_A_CALLEE = """\
import torch
from torch import nn


class Factors(nn.Module):
    def __init__(self, u, v):
        super().__init__()
        self.u = nn.Parameter(u)
        self.v = nn.Parameter(v)

    def forward(self):
        return self.u @ self.v

    def loss(self, x, found):
        return torch.pow(x - found, 2).sum()


def fit(x: torch.Tensor):
    model = Factors(torch.randn(4, 2), torch.randn(2, 4))
    return model.loss(x, model())
"""


def test_what_a_callee_meets_is_named(tmp_path: Path) -> None:
    found = analyze({"example.py": MET_BY_A_CALLEE}, tmp_path)["example.py"]
    (finding,) = [each for each in found if each.rule == "mixed-devices"]
    assert finding.message.startswith("`found` is on the CPU")
    assert finding.related[0].message.startswith("`found`: created on the CPU")


KEPT_BY_A_CLASS = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 3)
        self.state = None

    def forward(self, x):
        out, last = self.rnn(x, self.state)
        self.state = last
        return out


net = Net()
for _ in range(3):
    net(torch.ones(2, 1, 3)).sum().backward()
"""


def test_where_a_class_keeps_what_carries_a_graph(tmp_path: Path) -> None:
    (finding,) = analyze({"example.py": KEPT_BY_A_CLASS}, tmp_path)["example.py"]
    assert finding.rule == "hidden-state-carried"
    said = {line_of(KEPT_BY_A_CLASS, near.range.start): near.message for near in finding.related}
    assert said[13] == "`net.state` is kept here, with its graph"


MOVED_LENGTHS = """\
import torch
from torch.nn.utils.rnn import pack_padded_sequence

device = torch.device("cuda")


def moved(batch):
    return {name: each.to(device) for name, each in batch.items()}


batch = moved({"x": torch.ones(2, 3, 1), "lengths": torch.tensor([3, 2])})
pack_padded_sequence(batch["x"], batch["lengths"], batch_first=True)
"""


def test_where_lengths_have_moved(tmp_path: Path) -> None:
    (finding,) = analyze({"example.py": MOVED_LENGTHS}, tmp_path)["example.py"]
    assert finding.rule == "lengths-on-accelerator"
    assert 8 in [line_of(MOVED_LENGTHS, near.range.start) for near in finding.related]


BATCH = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)).to(device)
loader = DataLoader(TensorDataset(torch.ones(8, 3), torch.zeros(8, dtype=torch.long)), batch_size=4)
for images, labels in loader:
    out = model(images)
    loss = nn.functional.cross_entropy(out, labels)
"""


def test_what_one_fix_mends_is_one_finding(tmp_path: Path) -> None:
    (found,) = analyze({"example.py": BATCH}, tmp_path)["example.py"]
    assert found.rule == "input-off-module-device"
    (also,) = [each for each in found.related if "`labels` is" in each.message]
    assert also.message == "`labels` is on the CPU, but `out` is on cuda"
    assert line_of(BATCH, also.range.start) == BATCH.count("\n")


# Messages are read at a glance: on every page and in every form of a mistake, and however long the code is


PROGRAMS = {block.id: block.files for page in all_pages() for block in page.blocks}
PROGRAMS |= {form.id: {"example.py": form.broken} for form in read_forms()}

LONG = """import torch


def confusion(self, prediction, label):
    matrix = torch.zeros(self.number_of_class, self.number_of_class)
    ones = label * self.number_of_class
    return matrix + (ones.to(label.device) + self.number_of_class * ones)
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_messages_are_short(name: str, tmp_path: Path) -> None:
    for found in analyze(PROGRAMS[name], tmp_path).values():
        for each in found:
            if each.rule != "revealed-value":
                assert len(each.message) <= LONGEST_MESSAGE, each.message


def test_long_code_makes_no_long_message(tmp_path: Path) -> None:
    (found,) = analyze({"example.py": LONG}, tmp_path)["example.py"]
    assert found.rule == "tensor-created-off-device"
    assert len(found.message) <= LONGEST_MESSAGE
    assert found.message.endswith("torch raises whenever an accelerator is used")


def test_code_is_shortened_longest_first() -> None:
    code = f"make({', '.join(f'part_{each}' for each in range(12))})"
    message = f"`{code}` is on the CPU, and `x` is not: {'so ' * 35}torch raises"
    assert fitted(message).startswith("`make(...)` is on the CPU, and `x` is not")
    assert fitted("`x` is fine") == "`x` is fine"


def test_words_are_left_as_they_are() -> None:
    words = "torch raises " * 20
    assert fitted(f"`x` and {words}") == f"`x` and {words}"


RESUMED = """\
import json

import torch
from torch import nn


def main():
    params = json.load(open("params.json"))
    if params["path"] is not None:
        kept = torch.load(params["path"], map_location="cpu")
        net, optimizer, scheduler = kept["net"], kept["optimizer"], kept["scheduler"]
    else:
        net = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    for _ in range(2):
        scheduler.step()
        optimizer.zero_grad()
        net(torch.ones(1, 2)).sum().backward()
        optimizer.step()


main()
"""


def test_an_optimizer_that_is_made_on_one_way_has_its_name(tmp_path: Path) -> None:
    found = analyze({"example.py": RESUMED}, tmp_path)["example.py"]
    said = [each.message for each in found if each.rule == "scheduler-before-optimizer"]
    assert said == [
        "`scheduler` steps before `optimizer` does: the first value of the learning rate is skipped"
    ]
