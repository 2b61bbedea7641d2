"""Findings of one cause are one finding, at the place of its mend, with the places that follow from it beside."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from checking import analyze, line_of, write_files
from devls.analysis import ANOTHER, Analyzer
from devls.cli.check import Check, merge
from devls.cli.complaints import Complaints
from devls.config import Config
from devls.project.workspace import Workspace
from devls.text.edits import Range

if TYPE_CHECKING:
    from pathlib import Path


def told(text: str, folder: Path) -> list[tuple[str, int, dict[int, str], list[str]]]:
    """Of each finding its rule, its line, what it says of other lines, and the titles of its fixes."""
    return [
        (
            each.rule,
            line_of(text, each.range.start),
            {line_of(text, near.range.start): near.message for near in each.related},
            [fix.title for fix in each.fixes],
        )
        for each in analyze({"example.py": text}, folder)["example.py"]
    ]


DROPPED = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)


def step(x):
    x.to(device)
    return net(x)


step(torch.ones(4, 3))
"""


def test_a_dropped_transfer_is_told_once(tmp_path: Path) -> None:
    ((rule, line, near, fixes),) = told(DROPPED, tmp_path)
    assert (rule, line) == ("discarded-transfer", 9)
    assert near[10].startswith("`x` is on the CPU")
    assert fixes == ["Assign it: `x = x.to(device)`"]
    (found,) = analyze({"example.py": DROPPED}, tmp_path)["example.py"]
    assert found.severity.value == "error"  # as what follows from it


RESHAPED = DROPPED.replace("    x.to(device)\n", "    x = x.reshape(-1, 3)\n    x.to(device)\n")


def test_a_dropped_transfer_of_what_was_computed_is_told_once(tmp_path: Path) -> None:
    ((rule, line, near, fixes),) = told(RESHAPED, tmp_path)
    assert (rule, line) == ("discarded-transfer", 10)
    assert near[11].startswith("`x` is on the CPU")
    assert fixes == ["Assign it: `x = x.to(device)`"]


BLOCKS = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3)
        self.norm = nn.BatchNorm2d(3)

    def forward(self, x):
        return self.norm(self.conv(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = []
        for _ in range(2):
            self.blocks.append(Block())

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


net = Net().cuda()
net(torch.rand(4, 3, 8, 8).cuda())
"""


def test_buffers_of_listed_blocks_are_no_case_of_their_own(tmp_path: Path) -> None:
    ((rule, line, near, _),) = (each for each in told(BLOCKS, tmp_path) if each[0] != "hard-coded-device")
    assert (rule, line) == ("unregistered-module", 18)
    assert near[20] == "the modules are put in here"


def test_what_follows_is_silenced_with_its_cause(tmp_path: Path) -> None:
    text = DROPPED.replace("x.to(device)\n", "x.to(device)  # devls: ignore[discarded-transfer]\n")
    assert not told(text, tmp_path)


STATE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 4, batch_first=True)

    def forward(self, x, state):
        out, state = self.rnn(x, state)
        return out, state.detach()


def run(device):
    net = Net().to(device)
    state = torch.zeros(1, 2, 4)
    for x in torch.rand(5, 2, 6, 3, device=device):
        out, state = net(x, state)
    return out


run(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
"""


def test_a_state_that_is_handed_on_is_moved_where_it_begins(tmp_path: Path) -> None:
    ((_, _, _, fixes),) = told(STATE, tmp_path)
    assert fixes[0] == "Move it to `device` where `torch.zeros(...)` makes it"


def test_a_state_that_the_host_reads_is_moved_where_it_is_met(tmp_path: Path) -> None:
    text = STATE.replace("    return out\n", "    return out, state.numpy()\n")
    assert "Move it to" not in told(text, tmp_path)[0][3][0]


CARRIED = """\
import torch
from torch import nn

cell = nn.GRUCell(3, 4)
optimizer = torch.optim.SGD(cell.parameters(), 0.1)
state = torch.zeros(2, 4)
for x in torch.rand(5, 2, 3):
    state = cell(x, state)
    optimizer.zero_grad()
    state.sum().backward()
    optimizer.step()
"""


def test_where_a_state_is_handed_on(tmp_path: Path) -> None:
    ((rule, line, near, _),) = told(CARRIED, tmp_path)
    assert (rule, line) == ("hidden-state-carried", 10)
    assert "`state` is handed on from here" in near[8]


FROZEN = """\
import torch
from torch import nn

net = nn.Linear(3, 1)
for each in net.parameters():
    each.requires_grad = False
net(torch.rand(2, 3)).sum().backward()
"""


def test_where_all_was_frozen(tmp_path: Path) -> None:
    ((rule, line, near, _),) = told(FROZEN, tmp_path)
    assert (rule, line) == ("backward-without-graph", 7)
    assert near == {6: "`each.requires_grad = False` freezes it"}


REBOUND = """\
import torch

x, w = torch.rand(5), torch.zeros(1, requires_grad=True)
for step in range(3):
    (w * x - 1).square().mean().backward()
    with torch.no_grad():
        w = w - 0.1 * w.grad
        w.grad.zero_()
"""


def test_where_the_gradient_of_a_new_tensor_is_missed(tmp_path: Path) -> None:
    ((rule, line, near, _),) = told(REBOUND, tmp_path)
    assert (rule, line) == ("parameter-rebound", 7)
    assert near == {8: "its `.grad` is None here"}


def test_a_leaf_again_is_missed_by_nobody(tmp_path: Path) -> None:
    text = REBOUND.replace("        w.grad.zero_()\n", "    w.requires_grad_()\n    print(w.grad is None)\n")
    assert not told(text, tmp_path)


LISTED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = []
        for _ in range(2):
            self.layers.append(nn.Linear(3, 3))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


net = Net()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
net(torch.rand(2, 3)).sum().backward()
optimizer.step()
"""


def test_layers_that_an_optimizer_misses_are_told_where_they_are_kept(tmp_path: Path) -> None:
    ((rule, line, near, fixes),) = told(LISTED, tmp_path)
    assert (rule, line) == ("unregistered-module", 8)
    assert near[19] == "so that the optimizer gets none here"
    assert fixes == ["Use `nn.ModuleList`"]


ASKED = """\
import torch
from torch import nn

critic = nn.Linear(2, 1)


def penalty(real, fake):
    mixed = 0.5 * real + 0.5 * fake.detach()
    score = critic(mixed)
    (slope,) = torch.autograd.grad(score.sum(), mixed, create_graph=True)
    return (slope.norm(dim=1) - 1).square().mean()


penalty(torch.rand(4, 2), torch.rand(4, 2)).backward()
"""


def test_what_a_gradient_is_asked_of_begins_to_require_one(tmp_path: Path) -> None:
    ((rule, line, _, fixes),) = told(ASKED, tmp_path)
    assert (rule, line) == ("backward-without-graph", 10)
    assert fixes[0] == "Ask for its gradient: `mixed.requires_grad_()`"


KEPT_DEEP = """\
import torch
from torch import nn


class Centred(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        return x - self.mean


net = nn.Sequential(nn.Linear(3, 4), Centred(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for x in torch.rand(5, 2, 3):
    loss = net(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_what_a_layer_keeps_is_cut_where_it_is_kept(tmp_path: Path) -> None:
    found = told(KEPT_DEEP, tmp_path)
    ((line, near, fixes),) = [each[1:] for each in found if each[0] == "hidden-state-carried"]
    assert line == 20
    assert "`net.1.mean` is kept here, with its graph" in near[11]
    assert fixes == ["Keep it without its graph: `.detach()`"]


BEFORE_THE_LOOP = """\
import torch
from torch import nn

policy = nn.Linear(3, 2)
optimizer = torch.optim.SGD(policy.parameters(), 0.1)
x = torch.rand(4, 3)
scores = policy(x).log_softmax(1)
old = scores + 1
for epoch in range(3):
    loss = (policy(x).log_softmax(1) - old).exp().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_what_was_computed_before_the_loop_is_cut_there(tmp_path: Path) -> None:
    ((rule, line, near, fixes),) = told(BEFORE_THE_LOOP, tmp_path)
    assert (rule, line) == ("backward-twice", 12)
    assert near[8] == "`old` was computed before the loop"
    assert fixes == ["Cut it before the loop: `old = old.detach()`"]


PAIRS = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
for a, b, same in DataLoader(TensorDataset(torch.rand(8, 3), torch.rand(8, 3), torch.rand(8)), batch_size=4):
    a, same = a.to(device), same.to(device)
    print((net(a) - net(b)).norm(dim=1) - same)
"""


def test_the_part_of_a_batch_that_was_left_out_is_moved_beside_the_others(tmp_path: Path) -> None:
    ((_, _, _, fixes),) = told(PAIRS, tmp_path)
    assert fixes[0] == "Move `b` to `device` from here on"


def test_a_graph_that_another_file_has_walked_is_kept_there(tmp_path: Path) -> None:
    inner = """\
import torch


def slopes(loss, weights):
    return torch.autograd.grad(loss, weights)
"""
    outer = """\
import torch
from inner import slopes

weight = torch.ones(3, requires_grad=True)
loss = weight.square().sum()
slopes(loss, [weight])
loss.backward()
"""
    found = analyze({"inner.py": inner, "example.py": outer}, tmp_path)["example.py"]
    ((fix,),) = [each.fixes for each in found if each.rule == "backward-twice"]
    assert fix.path.endswith("inner.py")
    assert "retain_graph=True" in fix.edits[0].text


ADVERSARIAL = """\
import torch
from torch import nn

maker, judge = nn.Linear(3, 2), nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())
making = torch.optim.SGD(maker.parameters(), 0.1)
judging = torch.optim.SGD(judge.parameters(), 0.1)
for real in torch.rand(4, 5, 2):
    fake = maker(torch.rand(5, 3)).tanh()
    judging.zero_grad()
    loss = judge(fake).mean() - judge(real).mean()
    loss.backward()
    judging.step()
    making.zero_grad()
    judge(fake).mean().neg().backward()
    making.step()
"""


def test_gradients_that_are_cleared_unused_want_no_graph(tmp_path: Path) -> None:
    ((rule, line, near, fixes),) = told(ADVERSARIAL, tmp_path)
    assert (rule, line) == ("backward-twice", 14)
    assert near[10] == "the first graph goes through `fake` here"
    assert fixes[0] == "Keep the first graph out of it: `fake.detach()`"


def test_a_graph_whose_gradients_are_used_is_kept(tmp_path: Path) -> None:
    text = ADVERSARIAL.replace("    judging.step()\n    making.zero_grad()\n", "")
    found = [each for each in told(text, tmp_path) if each[0] == "backward-twice"]
    ((_, _, _, fixes),) = found
    assert fixes == ["Keep the graph in the first call: `retain_graph=True`"]


STEPPED = """\
import torch
from torch.nn.functional import mse_loss


def step(net, x, y):
    with torch.no_grad():
        out = net(x)
    loss = mse_loss(out, y)
    loss.backward()
"""
STEPS = """\
import torch
from torch import nn
from stepped import step

step(nn.Linear(3, 2), torch.rand(4, 3), torch.rand(4, 2))
"""


def test_of_two_files_that_tell_of_a_place_the_one_counts_that_can_mend_it(tmp_path: Path) -> None:
    write_files({"stepped.py": STEPPED, "steps.py": STEPS}, tmp_path)
    workspace = Workspace((str(tmp_path),))
    names = {str(tmp_path / name): name for name in ("stepped.py", "steps.py")}
    check = Check(Analyzer(workspace, lambda _: Config()), workspace, names, Complaints())
    check.run()
    (found,) = check.findings[str(tmp_path / "stepped.py")]
    assert [each.title for each in found.fixes] == ["Compute it outside of `torch.no_grad()`"]


UNREDUCED = """\
import torch
from torch import nn

net, criterion = nn.Linear(3, 2), nn.MSELoss(reduction="none")
loss = criterion(net(torch.rand(4, 3)), torch.rand(4, 2))
loss.backward()
"""


def test_what_has_kept_the_elements_of_a_loss_apart(tmp_path: Path) -> None:
    ((rule, line, near, _),) = told(UNREDUCED, tmp_path)
    assert (rule, line) == ("backward-on-non-scalar", 6)
    assert near == {4: "the elements are kept apart as this says", 5: "`loss` is computed here"}


LOGGED = """\
import copy

import torch
from torch import nn

net, log = nn.Linear(3, 2), {}
out = net(torch.rand(4, 3))
log["loss"] = out.sum().item()
log["out"] = out
best = copy.deepcopy(log)
"""


def test_where_a_graph_was_put_into_what_is_copied(tmp_path: Path) -> None:
    ((rule, line, near, _),) = told(LOGGED, tmp_path)
    assert (rule, line) == ("deepcopy-of-graph", 10)
    assert near == {9: "it is put into `log` here", 7: "it was computed here"}


def test_the_words_of_a_files_own_analysis_stay_when_only_another_ones_has_a_fix(tmp_path: Path) -> None:
    write_files({"stepped.py": STEPPED, "steps.py": STEPS}, tmp_path)
    analyzer = Analyzer(Workspace((str(tmp_path),)), lambda _: Config())
    path = str(tmp_path / "stepped.py")
    there = analyzer.analyze(str(tmp_path / "steps.py"))
    (mended,) = there.elsewhere
    own = replace(mended, message="as the file alone shows it", fixes=())
    (told_of,) = merge([replace(there, path=path, diagnostics=(own,)), there], [path])[path]
    assert (told_of.message, told_of.fixes) == (own.message, mended.fixes)


def test_what_one_edit_cures_is_one_finding_whichever_files_show_it(tmp_path: Path) -> None:
    write_files({"stepped.py": STEPPED, "steps.py": STEPS}, tmp_path)
    analyzer = Analyzer(Workspace((str(tmp_path),)), lambda _: Config())
    path = str(tmp_path / "stepped.py")
    there = analyzer.analyze(str(tmp_path / "steps.py"))
    (found,) = there.elsewhere
    before = replace(found, range=Range(0, 4), message="at another place")
    (first,) = merge([replace(there, path=path, diagnostics=(before,)), there], [path])[path]
    assert (first.message, first.fixes) == (before.message, found.fixes)
    assert [(each.range, each.message) for each in first.related[-1:]] == [(found.range, ANOTHER)]
    other = replace(before, fixes=())
    assert len(merge([replace(there, path=path, diagnostics=(other,)), there], [path])[path]) == 2
