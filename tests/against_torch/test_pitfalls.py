"""Pitfalls of operations, one small program each: torch's error, and devls's finding.

Each program is run on torch with a pretended accelerator. An empty text is "nothing is raised", an empty rule "nothing is said".
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from devls.analysis import Analyzer, Severity
from devls.config import Config
from devls.project.workspace import Workspace
from devls.values.devices import PLUGGED_IN, parse_device
from torch_programs import Outcome, Program, run_programs

HEAD = """\
import copy

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

"""


class Fact(NamedTuple):
    """A program, the fragment of what torch raises, and the rule that reports something in it."""

    name: str
    code: str
    raises: str
    rule: str


FACTS = [
    Fact(
        "a queue that is cut keeps the graph of what fell out",
        """\
layer, found = nn.Linear(2, 2), []

class Queue:
    kept = torch.zeros(2, 2)

    def push(self, new):
        self.kept = torch.cat([new, self.kept])[:2]

queue = Queue()
for _ in range(5):
    new = layer(torch.ones(2, 2))
    new.sum().backward()
    queue.push(new)
node = queue.kept.grad_fn
while node is not None and node.next_functions:
    found.append(node.name())
    node = node.next_functions[-1][0]
raise ValueError(f"{sum('Cat' in each for each in found)} joins are kept")
""",
        "5 joins are kept",
        "grad-kept-alive",
    ),
    Fact(
        "result of a move dropped",
        """\
x = torch.ones(2)
x.to("cuda:0")
assert x.device.type == "cpu"
""",
        "",
        "discarded-transfer",
    ),
    Fact(
        "parameter moved",
        """\
p = nn.Parameter(torch.ones(2)).to("cuda:0")
assert not isinstance(p, nn.Parameter) and not p.is_leaf
""",
        "",
        "",
    ),
    Fact(
        "leaf moved",
        """\
x = torch.ones(2, requires_grad=True).to("cuda:0")
(x * 2).sum().backward()
assert x.grad is None
""",
        "",
        "leaf-lost-by-transfer",
    ),
    Fact("no such device", 'torch.ones(2, device="Cuda")', "Expected one of cpu", "invalid-device"),
    Fact("gpu", 'torch.ones(2, device="gpu")', "Expected one of cpu", "invalid-device"),
    Fact("malformed", 'torch.ones(2, device="cuda0")', "Invalid device string", "invalid-device"),
    Fact("empty", 'torch.ones(2, device="")', "must not be empty", "invalid-device"),
    Fact(
        "compared with text",
        """\
x = torch.ones(2, device="cuda:0")
assert not (x.device == "cuda")
""",
        "",
        "device-compared-wrongly",
    ),
    Fact(
        "compared with an unindexed device",
        """\
x = torch.ones(2, device="cuda:0")
assert x.device != torch.device("cuda")
""",
        "",
        "device-compared-wrongly",
    ),
    Fact("model.device", "nn.Linear(2, 2).device", "has no attribute", "invalid-device"),
    Fact("to on dict", '{"a": torch.ones(2)}.to("cuda:0")', "has no attribute", "invalid-device"),
    Fact("legacy constructor", 'torch.Tensor([1.0], device="cuda")', "legacy constructor", "invalid-device"),
    Fact("torch.cuda.copy", "torch.cuda.copy(torch.ones(2))", "has no attribute", "no-such-torch-name"),
    Fact("torch.cuda.clear_cache", "torch.cuda.clear_cache()", "has no attribute", "no-such-torch-name"),
    Fact("module.to(long)", "nn.Linear(2, 2).to(torch.long)", "only accepts floating", ""),
    Fact(
        "plain attribute",
        """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(3)
    def forward(self, x):
        return x * self.scale
Net().to("cuda:0")(torch.ones(3, device="cuda:0"))
""",
        "to be on the same device",
        "unregistered-tensor",
    ),
    Fact(
        "plain 0-dim attribute",
        """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.tensor(2.0)
    def forward(self, x):
        return x * self.scale
Net().to("cuda:0")(torch.ones(3, device="cuda:0"))
""",
        "",
        "",
    ),
    Fact(
        "modules in a list",
        """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = [nn.Linear(3, 3)]
    def forward(self, x):
        return self.parts[0](x)
Net().to("cuda:0")(torch.ones(1, 3, device="cuda:0"))
""",
        "to be on the same device",
        "unregistered-module",
    ),
    Fact(
        "factory in forward",
        """\
class Net(nn.Module):
    def forward(self, x):
        return x + torch.zeros(3)
Net().to("cuda:0")(torch.ones(3, device="cuda:0"))
""",
        "to be on the same device",
        "tensor-created-off-device",
    ),
    Fact(
        "input on the CPU",
        'nn.Linear(3, 3).to("cuda:0")(torch.ones(1, 3))',
        "to be on the same device",
        "input-off-module-device",
    ),
    Fact(
        "model on the CPU",
        'nn.Linear(3, 3)(torch.ones(1, 3, device="cuda:0"))',
        "to be on the same device",
        "input-off-module-device",
    ),
    Fact(
        "matmul",
        'torch.ones(2, 2, device="cuda:0") @ torch.ones(2, 2)',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "einsum",
        'torch.einsum("ij,jk->ik", torch.ones(2, 2, device="cuda:0"), torch.ones(2, 2))',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "0-dim CPU",
        """\
y = torch.ones(3, device="cuda:0") * torch.tensor(2.0)
assert y.is_cuda
""",
        "",
        "",
    ),
    Fact(
        "0-dim CPU added in place",
        """\
y = torch.ones(3, device="cuda:0")
y += torch.tensor(2.0)
""",
        "",
        "",
    ),
    Fact(
        "0-dim CUDA with a CPU vector",
        'torch.ones(3) * torch.tensor(2.0, device="cuda:0")',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "0-dim CPU += 0-dim CUDA",
        """\
a = torch.tensor(0.0)
a += torch.tensor(2.0, device="cuda:0")
""",
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "one element",
        'torch.ones(3, device="cuda:0") * torch.ones(1)',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "clamp",
        'torch.ones(3, device="cuda:0").clamp(min=torch.tensor(0.5))',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "matmul of 0-dim",
        'torch.dot(torch.ones(3, device="cuda:0"), torch.ones(3))',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "total",
        """\
total = torch.tensor(0.0)
total = total + torch.tensor(1.0, device="cuda:0")
assert total.is_cuda
""",
        "",
        "",
    ),
    Fact("CPU index", 'torch.ones(3, device="cuda:0")[torch.tensor([0, 1])]', "", ""),
    Fact("CPU mask", 'torch.ones(3, device="cuda:0")[torch.tensor([True, False, True])]', "", ""),
    Fact(
        "CUDA index",
        'torch.ones(3)[torch.tensor([0, 1], device="cuda:0")]',
        "indices should be either",
        "mixed-devices",
    ),
    Fact(
        "values of an indexed write",
        """\
x = torch.ones(3, device="cuda:0")
x[torch.tensor([0, 1])] = torch.zeros(2)
""",
        "for value tensor",
        "mixed-devices",
    ),
    Fact(
        "slice write",
        """\
x = torch.ones(3, device="cuda:0")
x[1:] = torch.zeros(2)
x[0] = torch.zeros(())
""",
        "",
        "",
    ),
    Fact(
        "gather",
        'torch.ones(2, 2, device="cuda:0").gather(0, torch.zeros(2, 2, dtype=torch.long))',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "index_select",
        'torch.ones(3, device="cuda:0").index_select(0, torch.tensor([0]))',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "scatter_",
        'torch.ones(3, device="cuda:0").scatter_(0, torch.tensor([0]), 1.0)',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "index_add_",
        'torch.ones(3, device="cuda:0").index_add_(0, torch.tensor([0]), torch.ones(1, device="cuda:0"))',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "embedding",
        'nn.Embedding(4, 3).to("cuda:0")(torch.tensor([0, 1]))',
        "to be on the same device",
        "input-off-module-device",
    ),
    Fact(
        "where",
        'torch.where(torch.ones(3, dtype=torch.bool, device="cuda:0"), torch.ones(3, device="cuda:0"), torch.zeros(3))',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "where, numbers",
        """\
torch.where(torch.ones(3, dtype=torch.bool, device="cuda:0"), torch.ones(3, device="cuda:0"), 0.0)
torch.where(torch.ones(3, dtype=torch.bool, device="cuda:0"), torch.ones(3, device="cuda:0"), torch.tensor(0.0))
""",
        "",
        "",
    ),
    Fact(
        "where, condition",
        'torch.where(torch.tensor(True), torch.ones(3, device="cuda:0"), torch.zeros(3, device="cuda:0"))',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "cat",
        'torch.cat([torch.ones(3, device="cuda:0"), torch.ones(3)])',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "stack",
        'torch.stack([torch.ones(3, device="cuda:0"), torch.ones(3)])',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "masked_fill",
        'torch.ones(3, device="cuda:0").masked_fill(torch.ones(3, dtype=torch.bool), 0.0)',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "loss weight",
        'nn.CrossEntropyLoss(weight=torch.ones(3))(torch.rand(2, 3, device="cuda:0"), torch.zeros(2, dtype=torch.long, device="cuda:0"))',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "loss weight moved",
        'nn.CrossEntropyLoss(weight=torch.ones(3)).to("cuda:0")(torch.rand(2, 3, device="cuda:0"), torch.zeros(2, dtype=torch.long, device="cuda:0"))',
        "",
        "",
    ),
    Fact(
        "target",
        'F.cross_entropy(torch.rand(2, 3, device="cuda:0"), torch.zeros(2, dtype=torch.long))',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "hidden state",
        'nn.LSTM(3, 3).to("cuda:0")(torch.ones(1, 1, 3, device="cuda:0"), (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3)))',
        "Input and hidden tensors",
        "input-off-module-device",
    ),
    Fact(
        "lstm input",
        'nn.LSTM(3, 3).to("cuda:0")(torch.ones(1, 1, 3))',
        "Input and parameter tensors",
        "input-off-module-device",
    ),
    Fact(
        "lengths",
        'nn.utils.rnn.pack_padded_sequence(torch.ones(2, 1, 3, device="cuda:0"), torch.tensor([2], device="cuda:0"))',
        "1D CPU int64",
        "lengths-on-accelerator",
    ),
    Fact(
        "tensor_split",
        'torch.ones(4, device="cuda:0").tensor_split(torch.tensor([1], device="cuda:0"))',
        "to be on cpu",
        "lengths-on-accelerator",
    ),
    Fact(
        "shapes only",
        """\
x, y = torch.ones(2, 2, device="cuda:0"), torch.ones(4)
y.view_as(x), y.reshape_as(x), torch.ones(2).expand_as(x)
torch.broadcast_tensors(torch.ones(2, device="cuda:0"), torch.ones(2))
torch.atleast_1d(torch.ones(2, device="cuda:0"), torch.ones(2))
""",
        "",
        "",
    ),
    Fact(
        "convolution",
        'nn.Conv2d(1, 1, 1).to("cuda:0")(torch.ones(1, 1, 2, 2))',
        "should be the same",
        "input-off-module-device",
    ),
    Fact(
        "convolution on the CPU",
        'nn.Conv2d(1, 1, 1)(torch.ones(1, 1, 2, 2, device="cuda:0"))',
        "should be the same",
        "input-off-module-device",
    ),
    Fact(
        "two cards",
        'torch.ones(3, device="cuda:0") + torch.ones(3, device="cuda:1")',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact("copy_", 'torch.ones(3, device="cuda:0").copy_(torch.zeros(3))', "", ""),
    Fact(
        "load_state_dict",
        """\
a, b = nn.Linear(2, 2).to("cuda:0"), nn.Linear(2, 2)
a.load_state_dict(b.state_dict())
""",
        "",
        "",
    ),
    Fact(
        "==", 'torch.ones(3, device="cuda:0") == torch.ones(3)', "to be on the same device", "mixed-devices"
    ),
    Fact(
        "equal",
        'torch.equal(torch.ones(3, device="cuda:0"), torch.ones(3))',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "allclose",
        'torch.allclose(torch.ones(3, device="cuda:0"), torch.ones(3))',
        "to be on the same device",
        "mixed-devices",
    ),
    Fact(
        "generator",
        'torch.rand(2, device="cuda:0", generator=torch.Generator())',
        "for generator",
        "generator-device",
    ),
    Fact("numpy", 'torch.ones(3, device="cuda:0").numpy()', "can't convert cuda:0", "host-read-on-device"),
    Fact(
        "asarray", 'np.asarray(torch.ones(3, device="cuda:0"))', "can't convert cuda:0", "host-read-on-device"
    ),
    Fact("np.exp", 'np.exp(torch.ones(3, device="cuda:0"))', "can't convert cuda:0", "host-read-on-device"),
    Fact(
        "optimizer before the move",
        """\
m = nn.Linear(2, 2)
o = torch.optim.Adam(m.parameters())
m.to("cuda:0")
m(torch.ones(1, 2, device="cuda:0")).sum().backward()
o.step()
""",
        "",
        "",
    ),
    Fact(
        "Adagrad",
        """\
m = nn.Linear(2, 2)
o = torch.optim.Adagrad(m.parameters())
m.to("cuda:0")
m(torch.ones(1, 2, device="cuda:0")).sum().backward()
o.step()
""",
        "to be on the same device",
        "optimizer-before-move",
    ),
    Fact(
        "state before the move",
        """\
m = nn.Linear(2, 2)
o = torch.optim.Adam(m.parameters())
m(torch.ones(1, 2)).sum().backward()
o.step()
m.to("cuda:0")
o.zero_grad()
m(torch.ones(1, 2, device="cuda:0")).sum().backward()
o.step()
""",
        "to be on the same device",
        "optimizer-before-move",
    ),
    Fact(
        "plain SGD",
        """\
m = nn.Linear(2, 2)
o = torch.optim.SGD(m.parameters(), lr=0.1)
m(torch.ones(1, 2)).sum().backward()
o.step()
m.to("cuda:0")
o.zero_grad()
m(torch.ones(1, 2, device="cuda:0")).sum().backward()
o.step()
""",
        "",
        "",
    ),
    Fact(
        "gradient of another device",
        """\
x = torch.ones(3, device="cuda:0", requires_grad=True)
x.grad = torch.ones(3)
""",
        "attempting to assign a gradient",
        "mixed-devices",
    ),
    Fact(
        "default device",
        """\
with torch.device("cuda:0"):
    a = torch.from_numpy(np.ones(2))
    b = torch.tensor([1.0])
assert not a.is_cuda and b.is_cuda
""",
        "",
        "",
    ),
    Fact(
        "leaf += 1",
        """\
x = torch.ones(3, requires_grad=True)
x += 1
""",
        "a leaf Variable",
        "inplace-on-leaf",
    ),
    Fact(
        "leaf mul_",
        """\
x = torch.ones(3, requires_grad=True)
x.mul_(2)
""",
        "a leaf Variable",
        "inplace-on-leaf",
    ),
    Fact(
        "leaf under no_grad",
        """\
x = torch.ones(3, requires_grad=True)
with torch.no_grad():
    x += 1
    x.mul_(2)
""",
        "",
        "",
    ),
    Fact(
        "view of a leaf",
        """\
x = torch.ones(3, requires_grad=True)
x[0] = 5
""",
        "a view of a leaf Variable",
        "inplace-on-leaf",
    ),
    Fact(
        "view().add_",
        """\
x = torch.ones(3, requires_grad=True)
x.view(-1).add_(1)
""",
        "a view of a leaf Variable",
        "inplace-on-leaf",
    ),
    Fact(
        "exp result",
        """\
x = torch.ones(3, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
""",
        "modified by an inplace",
        "inplace-breaks-backward",
    ),
    Fact(
        "mul input",
        """\
x = torch.ones(3, requires_grad=True)
a = x * 1
y = a * a
a += 1
y.sum().backward()
""",
        "modified by an inplace",
        "inplace-breaks-backward",
    ),
    Fact(
        "add",
        """\
x = torch.ones(3, requires_grad=True)
y = x + 1
y += 1
y.sum().backward()
""",
        "",
        "",
    ),
    Fact(
        "step between",
        """\
m = nn.Linear(2, 2)
o = torch.optim.SGD(m.parameters(), lr=0.1)
h = nn.Sequential(m, nn.Linear(2, 2))
a = m(torch.ones(1, 2, requires_grad=True))
b = m(a)
a.sum().backward(retain_graph=True)
o.step()
b.sum().backward()
""",
        "modified by an inplace",
        "inplace-breaks-backward",
    ),
    Fact(
        ".data",
        """\
x = torch.ones(3, requires_grad=True)
y = x.exp()
y.data.mul_(2)
y.sum().backward()
""",
        "",
        "data-attribute",
    ),
    Fact(
        "detach",
        """\
x = torch.ones(3, requires_grad=True)
y = x.exp()
y.detach().mul_(2)
y.sum().backward()
""",
        "modified by an inplace",
        "inplace-breaks-backward",
    ),
    Fact(
        "unbind",
        """\
x = (torch.ones(3, requires_grad=True) * 2).unbind()
x[0].mul_(2)
""",
        "multiple views",
        "inplace-on-view",
    ),
    Fact(
        "expanded",
        """\
x = torch.ones(1).expand(3)
x.add_(1)
""",
        "more than one element",
        "inplace-on-view",
    ),
    Fact(
        "no_grad view",
        """\
x = torch.ones(3, requires_grad=True) * 2
with torch.no_grad():
    y = x[0]
y.mul_(2)
""",
        "created in no_grad mode",
        "inplace-on-view",
    ),
    Fact(
        "out=",
        """\
x = torch.ones(3, requires_grad=True)
torch.mul(x, 2, out=torch.empty(3))
""",
        "automatic differentiation",
        "",
    ),
    Fact(
        "numpy with a gradient",
        "torch.ones(3, requires_grad=True).numpy()",
        "Can't call numpy",
        "numpy-on-grad",
    ),
    Fact(
        "numpy under no_grad",
        """\
with torch.no_grad():
    torch.ones(3, requires_grad=True).numpy()
""",
        "",
        "",
    ),
    Fact(
        "item",
        """\
x = torch.ones((), requires_grad=True)
x.item(), x.tolist(), float(x), f"{x}"
""",
        "",
        "",
    ),
    Fact(
        "backward of a vector",
        "(torch.ones(3, requires_grad=True) * 2).backward()",
        "only for scalar outputs",
        "backward-on-non-scalar",
    ),
    Fact("a root of one element", "(torch.ones(1, requires_grad=True) * 2).backward()", "", ""),
    Fact(
        "twice",
        """\
x = torch.ones(3, requires_grad=True)
y = (x * 2).sum()
y.backward()
y.backward()
""",
        "a second time",
        "backward-twice",
    ),
    Fact(
        "twice over a sum",
        """\
x = torch.ones(3, requires_grad=True)
y = (x + 2).sum()
y.backward()
y.backward()
""",
        "",
        "",
    ),
    Fact(
        "shared part",
        """\
x = torch.ones(3, requires_grad=True)
h = x.exp()
(h * 2).sum().backward()
(h * 3).sum().backward()
""",
        "a second time",
        "backward-twice",
    ),
    Fact(
        "state carried",
        """\
cell = nn.GRUCell(2, 2)
h = torch.zeros(1, 2)
for _ in range(2):
    h = cell(torch.ones(1, 2), h)
    h.sum().backward()
""",
        "a second time",
        "hidden-state-carried",
    ),
    Fact(
        "grad twice",
        """\
x = torch.ones(3, requires_grad=True)
y = (x * x).sum()
torch.autograd.grad(y, x)
torch.autograd.grad(y, x)
""",
        "a second time",
        "backward-twice",
    ),
    Fact(
        "grad of no leaf",
        """\
x = torch.ones(3, requires_grad=True)
y = x * 2
y.sum().backward()
assert y.grad is None
""",
        "",
        "grad-of-non-leaf",
    ),
    Fact("retain_grad", "torch.ones(3).retain_grad()", "requires_grad=False", "hook-without-grad"),
    Fact(
        "unused",
        """\
x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
torch.autograd.grad((x * 2).sum(), y)
""",
        "not have been used",
        "",
    ),
    Fact(
        "constant", "(torch.ones(3) * 2).sum().backward()", "does not require grad", "backward-without-graph"
    ),
    Fact(
        "under no_grad",
        """\
x = torch.ones(3, requires_grad=True)
with torch.no_grad():
    y = (x * 2).sum()
y.backward()
""",
        "does not require grad",
        "backward-without-graph",
    ),
    Fact(
        "called under no_grad",
        """\
x = torch.ones(3, requires_grad=True)
y = (x * 2).sum()
with torch.no_grad():
    y.backward()
""",
        "",
        "",
    ),
    Fact(
        "argmax",
        """\
x = torch.ones(3, requires_grad=True)
x.argmax().float().backward()
""",
        "does not require grad",
        "backward-without-graph",
    ),
    Fact(
        "a number's backward",
        """\
x = torch.ones((), requires_grad=True)
(x * 2).item().backward()
""",
        "has no attribute",
        "backward-without-graph",
    ),
    Fact(
        "optimizer of no leaf",
        """\
x = torch.ones(3, requires_grad=True) * 2
torch.optim.SGD([x], lr=0.1)
""",
        "non-leaf Tensor",
        "optimizer-parameters",
    ),
    Fact("no parameters", "torch.optim.SGD([], lr=0.1)", "empty parameter list", "optimizer-parameters"),
    Fact(
        "a tensor",
        "torch.optim.SGD(torch.ones(3, requires_grad=True), lr=0.1)",
        "iterable of Tensors",
        "optimizer-parameters",
    ),
    Fact(
        "model.requires_grad",
        """\
m = nn.Linear(2, 2)
m.requires_grad = False
assert m.weight.requires_grad
""",
        "",
        "frozen-in-vain",
    ),
    Fact(
        "flag of no leaf",
        """\
y = torch.ones(3, requires_grad=True) * 2
y.requires_grad = False
""",
        "leaf variables",
        "frozen-in-vain",
    ),
    # So what they make is on the CPU, whatever they are given.
    Fact(
        "typed-constructor-elsewhere",
        "torch.LongTensor(torch.ones(2, dtype=torch.int64, device='meta'))",
        "device=cpu",
        "",
    ),
    Fact("called", "torch.ones(3).requires_grad()", "not callable", "taken-for-module"),
    Fact(
        "slot of a parameter",
        """\
m = nn.Linear(2, 2)
m.weight = torch.ones(2, 2)
""",
        "cannot assign",
        "parameter-rebound",
    ),
    Fact(
        "integers",
        "nn.Parameter(torch.ones(2, dtype=torch.long))",
        "Only Tensors of floating",
        "integer-requires-grad",
    ),
    Fact(
        "inference saved",
        """\
w = torch.ones(3, requires_grad=True)
with torch.inference_mode():
    x = torch.ones(3) * 2
w * x
""",
        "saved for backward",
        "inference-tensor-in-autograd",
    ),
    Fact(
        "inference added",
        """\
w = torch.ones(3, requires_grad=True)
with torch.inference_mode():
    x = torch.ones(3) * 2
w + x
""",
        "",
        "",
    ),
    Fact(
        "with no_grad",
        """\
with torch.no_grad:
    pass
""",
        "context manager",
        "grad-mode-without-effect",
    ),
    Fact(
        "detach_ on a view",
        "(torch.ones(3, requires_grad=True) * 2)[0].detach_()",
        "detach views",
        "detach-in-place-on-view",
    ),
    Fact(
        "deepcopy",
        "copy.deepcopy(torch.ones(3, requires_grad=True) * 2)",
        "deepcopy protocol",
        "deepcopy-of-graph",
    ),
    Fact(
        "sqrt result",
        """\
x = torch.ones(3, requires_grad=True)
y = x.sqrt()
y += 1
y.sum().backward()
""",
        "modified by an inplace",
        "inplace-breaks-backward",
    ),
    Fact(
        "rsqrt result",
        """\
x = torch.ones(3, requires_grad=True)
y = x.rsqrt()
y += 1
y.sum().backward()
""",
        "modified by an inplace",
        "inplace-breaks-backward",
    ),
    Fact(
        "tanh result",
        """\
x = torch.ones(3, requires_grad=True)
y = x.tanh()
y += 1
y.sum().backward()
""",
        "modified by an inplace",
        "inplace-breaks-backward",
    ),
    Fact(
        "sigmoid result",
        """\
x = torch.ones(3, requires_grad=True)
y = x.sigmoid()
y += 1
y.sum().backward()
""",
        "modified by an inplace",
        "inplace-breaks-backward",
    ),
    Fact(
        "relu result",
        """\
x = torch.ones(3, requires_grad=True)
y = x.relu()
y += 1
y.sum().backward()
""",
        "modified by an inplace",
        "inplace-breaks-backward",
    ),
    Fact(
        "neg result",
        """\
x = torch.ones(3, requires_grad=True)
y = x.neg()
y += 1
y.sum().backward()
""",
        "",
        "",
    ),
    Fact(
        "abs result",
        """\
x = torch.ones(3, requires_grad=True)
y = x.abs()
y += 1
y.sum().backward()
""",
        "",
        "",
    ),
    Fact(
        "cumsum(0).clone result",
        """\
x = torch.ones(3, requires_grad=True)
y = x.cumsum(0).clone()
y += 1
y.sum().backward()
""",
        "",
        "",
    ),
    Fact(
        "softmax result",
        """\
x = torch.ones(3, requires_grad=True)
y = x.softmax(0)
y += 1
y.sum().backward()
""",
        "modified by an inplace",
        "inplace-breaks-backward",
    ),
    Fact(
        "sin input",
        """\
x = torch.ones(3, requires_grad=True) * 1
y = x.sin()
x += 1
y.sum().backward()
""",
        "modified by an inplace",
        "inplace-breaks-backward",
    ),
    Fact(
        "log input",
        """\
x = torch.ones(3, requires_grad=True) * 1
y = x.log()
x += 1
y.sum().backward()
""",
        "modified by an inplace",
        "inplace-breaks-backward",
    ),
    Fact(
        "abs input",
        """\
x = torch.ones(3, requires_grad=True) * 1
y = x.abs()
x += 1
y.sum().backward()
""",
        "modified by an inplace",
        "inplace-breaks-backward",
    ),
    Fact(
        "neg input",
        """\
x = torch.ones(3, requires_grad=True) * 1
y = x.neg()
x += 1
y.sum().backward()
""",
        "",
        "",
    ),
    Fact(
        "exp input",
        """\
x = torch.ones(3, requires_grad=True) * 1
y = x.exp()
x += 1
y.sum().backward()
""",
        "",
        "",
    ),
    Fact(
        "pow input",
        """\
x = torch.ones(3, requires_grad=True) * 1
y = x ** 3
x += 1
y.sum().backward()
""",
        "modified by an inplace",
        "inplace-breaks-backward",
    ),
    Fact(
        "never",
        """\
x = torch.ones(3, requires_grad=True)
assert not any(y.requires_grad for y in (x.argmax(), x > 0, x.isnan(), x.long(), x.max(0)[1], x.topk(1)[1], x.sort()[1], torch.zeros_like(x), x.new_ones(3), x.nonzero(), x.count_nonzero(), F.one_hot(x.long())))
""",
        "",
        "",
    ),
    Fact(
        "zero",
        """\
x = torch.ones(3, requires_grad=True)
x.round().sum().backward()
assert not x.grad.any()
""",
        "",
        "gradient-always-zero",
    ),
    Fact(
        "heaviside",
        """\
x = torch.ones(3, requires_grad=True)
torch.heaviside(x, torch.ones(3)).sum().backward()
""",
        "is not implemented",
        "",
    ),
    Fact("hook", "torch.ones(3).register_hook(print)", "doesn't require gradient", "hook-without-grad"),
    Fact("meta", 'torch.ones(3, device="meta").to("cpu")', "no data", "meta-transfer"),
    Fact(
        "shape of the gradient",
        "(torch.ones(2, requires_grad=True) * 2).backward(torch.ones(3))",
        "Mismatch in shape",
        "",
    ),
    Fact(
        "optimizer.load_state_dict",
        """\
m = nn.Linear(2, 2).to("cuda:0")
a = torch.optim.Adam(m.parameters())
b = nn.Linear(2, 2)
o = torch.optim.Adam(b.parameters())
b(torch.ones(1, 2)).sum().backward()
o.step()
a.load_state_dict(o.state_dict())
m(torch.ones(1, 2, device="cuda:0")).sum().backward()
a.step()
""",
        "",
        "",
    ),
    Fact(
        "out on the CPU",
        'torch.add(torch.ones(2, device="cuda:0"), 1, out=torch.ones(2))',
        "same device",
        "mixed-devices",
    ),
    Fact(
        "one of two out on the CPU",
        """\
x = torch.eye(2, device="cuda:0")
factor = torch.ones(2, 2, device="cuda:0")
torch.linalg.cholesky_ex(x, out=(factor, torch.ones((), dtype=torch.int32)))
""",
        "same device",
        "mixed-devices",
    ),
    Fact(
        "out where the operands are",
        """\
x = torch.eye(2, device="cuda:0")
torch.matmul(x, x, out=torch.ones(2, 2, device="cuda:0"))
values, indices = torch.ones(2, device="cuda:0"), torch.ones(2, dtype=torch.long, device="cuda:0")
torch.max(x, dim=0, out=(values, indices))
""",
        "",
        "",
    ),
]
"""An error of torch that devls does not report has an empty rule: it is known to be missed."""


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    programs = [Program(fact.name, {"program.py": HEAD + fact.code + "\n"}) for fact in FACTS]
    return run_programs(programs, accelerator=True)


def test_names_are_different() -> None:
    assert len({fact.name for fact in FACTS}) == len(FACTS)


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.name)
def test_on_torch(fact: Fact, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[fact.name]
    assert not outcome.died
    assert (fact.raises in outcome.raised) if fact.raises else not outcome.raised


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.name)
def test_on_devls(fact: Fact) -> None:
    workspace = Workspace(("/nowhere",))
    workspace.open("/nowhere/program.py", HEAD + fact.code + "\n")
    analysis = Analyzer(workspace, lambda _path: Config(), hovers=False).analyze("/nowhere/program.py")
    found = {
        each.rule for each in analysis.diagnostics if each.severity in (Severity.ERROR, Severity.WARNING)
    }
    assert found == ({fact.rule} if fact.rule else set())


def test_devices_that_are_plugged_in() -> None:
    program = 'import torch\ntorch.utils.rename_privateuse1_backend("{0}")\nassert torch.device("{0}:0").index == 0\n'
    programs = [Program(name, {"program.py": program.format(name)}) for name in sorted(PLUGGED_IN)]
    found = run_programs(programs, accelerator=False)
    assert {name: outcome.raised + outcome.died for name, outcome in found.items()} == dict.fromkeys(
        PLUGGED_IN, ""
    )


def test_numbers_of_devices_that_are_read() -> None:
    texts = [f"cuda:{number}" for number in (0, 7, 10**9, 2**31 - 1, 2**31, 10**10, 10**50)]
    programs = [Program(each, {"program.py": f"import torch\ntorch.device({each!r})\n"}) for each in texts]
    found = run_programs(programs, accelerator=False)
    assert {each: "Could not parse device index" in found[each].raised for each in texts} == {
        each: parse_device(each) is None for each in texts
    }


def test_most_errors_are_reported() -> None:
    raised = [fact for fact in FACTS if fact.raises]
    missed = [fact.name for fact in raised if not fact.rule]
    print(f"{len(raised) - len(missed)} of {len(raised)} errors are reported; missed: {missed}")
    assert len(missed) <= 0.1 * len(raised)
