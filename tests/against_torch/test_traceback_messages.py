"""Torch raises the messages that `devls traceback` knows."""

from __future__ import annotations

import pytest

from devls.tracebacks.errors import FAMILIES, family_of
from devls.tracebacks.parsing import parse
from torch_programs import Outcome, Program, run_programs

X = "import copy\nimport torch\nfrom torch import nn\nx = torch.ones(3, requires_grad=True)\nc = torch.ones(3, device='cuda')\n"
TWO_ARGUMENTS = """\
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k

    @staticmethod
    def backward(ctx, g):
        return g

F.apply(x, 2).sum().backward()
"""
PROGRAMS = {
    "devices-differ": ["c + torch.ones(3)", "nn.Linear(3, 3).cuda()(torch.ones(2, 3))", "torch.where(c > 0, c, torch.ones(3))"],
    "numpy-of-accelerator": ["c.numpy()"],
    "numpy-of-graph": ["x.numpy()", "(x * 2).numpy()"],
    "backward-twice": ["y = (x * x).sum()\ny.backward()\ny.backward()"],
    "modified-in-place": ["y = x.exp()\ny += 1\ny.sum().backward()"],
    "nothing-to-differentiate": ["torch.ones(1).backward()", "(x > 0).float().sum().backward()", "torch.ones(2).retain_grad()"],
    "not-a-scalar": ["(x * 2).backward()"],
    "leaf-written": ["x += 1", "x[0] = 1"],
    "view-written": ["a, b, d = (x * 2).unbind()\na += 1", "with torch.no_grad():\n    v = x[:2]\nv += 1", "x[:2].detach_()"],
    "inference-tensor": ["with torch.inference_mode():\n    i = torch.ones(3)\n(x * i).sum().backward()"],
    "copied-graph-tensor": ["copy.deepcopy(x * 2)"],
    "optimizer-arguments": ["torch.optim.SGD([x * 2], lr=1)", "torch.optim.SGD([], lr=1)", "torch.optim.SGD(x, lr=1)"],
    "flag-of-computed": ["y = x * 2\ny.requires_grad = False", "(x * 2).requires_grad_(False)"],
    "parameter-in-two-groups": ["w = nn.Parameter(x)\ntorch.optim.SGD([{'params': [w]}, {'params': [w]}], lr=1)"],
    "integer-grad": ["torch.ones(3, dtype=torch.int64, requires_grad=True)", "torch.arange(3).requires_grad_()"],
    "parameter-replaced": ["net = nn.Linear(2, 2)\nnet.weight = torch.ones(2, 2)"],
    "module-not-initialized": [
        "class A(nn.Module):\n    def __init__(self):\n        self.a = nn.Linear(2, 2)\nA()",
    ],
    "generator-elsewhere": ["torch.randn(3, device='cuda', generator=torch.Generator())"],
    "lengths-elsewhere": [
        "nn.utils.rnn.pack_padded_sequence(torch.ones(2, 2, 2, device='cuda'), torch.tensor([2, 1], device='cuda'))"
    ],
    "device-named-wrongly": ["torch.ones(3, device='gpu')", "torch.device('cuda0')"],
    "meta-tensor": ["torch.ones(3, device='meta').to('cpu')"],
    "hook-on-constant": ["torch.ones(3).register_hook(print)"],
    "method-not-called": ["x.sum + 1", "len(x.size)", "x.size[0]", "torch.cat([x.cos])"],
    "input-not-used": ["torch.autograd.grad((x * 2).sum(), x.clone().requires_grad_())"],
    "custom-function": [
        "class F(torch.autograd.Function):\n    def forward(self, x):\n        return x\nF()(x)",
        TWO_ARGUMENTS,
    ],
    "not-a-tensor": ["{'a': c}.to('cuda')", "[c].cuda()", "c.cpu().numpy().to('cuda')", "nn.Linear(2, 2).device", "x.sum().item().backward()"],
    "gradient-is-none": ["x.grad.zero_()"],
    "no-such-name": ["torch.nn.Lineer(2, 2)", "x.make_it_so()"],
    "loss-class-called": ["nn.MSELoss(torch.ones(3), torch.ones(3))"],
}  # fmt: skip
RAISED_ELSEWHERE = {
    "checkpoint-of-accelerator",
    "mixed-precision-order",
    "mps-double",
    "no-accelerator",
    "pinned-accelerator",
    "worker-uses-accelerator",
}
"""Errors that no CPU with a stand-in accelerator raises."""

CASES = [(name, place) for name, programs in PROGRAMS.items() for place in range(len(programs))]


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    programs = [Program(f"{name} {n}", {"a.py": X + PROGRAMS[name][n]}) for name, n in CASES]
    return run_programs(programs, accelerator=True)


@pytest.mark.parametrize(("name", "place"), CASES)
def test_a_message_is_known(name: str, place: int, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[f"{name} {place}"]
    assert outcome.trace, "it has to raise"
    (raised,) = parse(outcome.trace)
    family = family_of(raised.message)
    assert family is not None, raised.message
    assert family.id == name, raised.message


def test_each_family_is_raised_or_told_why_not() -> None:
    assert {each.id for each in FAMILIES} == set(PROGRAMS) | RAISED_ELSEWHERE


OLDER = {
    "devices-differ": [
        "Expected object of backend CPU but got backend CUDA for argument #4 'mat1'",
        "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same",
        "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! (when checking argument for argument index)",
        "Input and hidden tensors are not at the same device, found input tensor at cuda:0 and hidden tensor at cpu",
        "module must have its parameters and buffers on device cuda:0 (device_ids[0]) but found one of them on device: cpu",
    ],
    "numpy-of-graph": ["Can't call numpy() on Variable that requires grad. Use var.detach().numpy() instead."],
    "backward-twice": [
        "Trying to backward through the graph a second time, but the buffers have already been freed. Specify retain_graph=True"
    ],
    "no-accelerator": ["Torch not compiled with CUDA enabled", "Found no NVIDIA driver on your system."],
    "checkpoint-of-accelerator": ["Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False."],
    "worker-uses-accelerator": ["Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, ..."],
    "pinned-accelerator": ["cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned"],
    "mps-double": ["Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64."],
    "mixed-precision-order": ["unscale_() has already been called on this optimizer since the last update()."],
}  # fmt: skip


@pytest.mark.parametrize(("name", "message"), [(name, each) for name in OLDER for each in OLDER[name]])
def test_wordings_of_other_versions_and_machines(name: str, message: str) -> None:
    family = family_of(message)
    assert family is not None
    assert family.id == name


@pytest.mark.parametrize(
    "message", ["", "'x'", "list index out of range", "CUDA out of memory. Tried to allocate 2.00 GiB", "division by zero"]
)  # fmt: skip
def test_other_errors_are_not_claimed(message: str) -> None:
    assert family_of(message) is None
