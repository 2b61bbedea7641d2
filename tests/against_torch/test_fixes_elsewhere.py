"""Fixes in another file than the finding's, and those that lie where a thing is kept: applied, the programs run on torch."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest

from devls.analysis import Analyzer, Severity
from devls.cli.check import Check
from devls.cli.complaints import Complaints
from devls.cli.fixing import apply_fixes
from devls.config import Config
from devls.project.workspace import Workspace

sys.path.insert(0, str(Path(__file__).parents[1]))

from checking import write_files
from torch_programs import Program, run_programs

ACT = """
    import torch

    class Agent:
        def __init__(self):
            self.net = torch.nn.Linear(2, 2)
    {0}
        def act(self, x):
    {1}
            return logits.log_softmax(-1)[0]
    """
LEARN = """
    import torch
    from part import Agent
    agent = Agent()
    loss = -agent.act(torch.ones(2))
    loss.backward()
    """
STATE = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.{0}(3, 4, batch_first=True)
            self.kept = None

        def forward(self, x):
    {1}
            return out.mean()
    """
STREAM = """
    import torch
    from part import Net
    net = Net()
    def epoch():
        for _ in range(3):
            loss = net(torch.randn(2, 5, 3))
            loss.backward()
    epoch()
    """
DROP = """
    import torch
    def drop(weights, p):
        keep = (torch.rand_like(weights) > p).float()
        {0}
        {1}
    """
DROPPED = """
    import torch
    from part import drop
    w = torch.randn(3, 4, requires_grad=True)
    (drop(w.softmax(-1), 0.1) @ torch.ones(4)).sum().backward()
    """
FINE_TUNE = """
    import torch
    from torch import nn
    import part

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(4, 4)
            self.head = nn.Linear(4, 10)
        def forward(self, x):
            return self.head(self.body(x))

    class Tuner:
        def __init__(self):
            self.model = Net()
    {0}

    def epoch(tuner):
        for _ in range(3):
            tuner.opt.zero_grad()
            tuner.model(torch.randn(2, 4)).mean().backward()
            tuner.opt.step()
    """
HEAD = """
    from torch import nn
    def named_head(model, n):
        model.head = nn.Linear(4, n)
    """
LOOP = """
    import torch
    from part import Meter
    w = torch.randn(3, requires_grad=True)
    meter = Meter()
    for step in range(4):
        loss = (w ** 2).sum()
        loss.backward()
        meter.log(loss=loss, step=step)
    """
METER = """
    class Meter:
        def __init__(self):
            self.seen = {{"loss": [], "step": []}}
            self.last = []
        def log(self, **given):
            for name, each in given.items():
                {0}
    """
SCALED = """
    import torch
    net = torch.nn.Linear(2, 1)
    class Step:
        def __init__(self, optimizer):
            self.optimizer = optimizer
            self.scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
        def one(self, loss):
            self.optimizer.zero_grad()
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
        def {0}(self):
            {1}
            self.scaler.update()
    step = Step(torch.optim.SGD(net.parameters(), lr=0.1))
    for epoch in range(2):
        for _ in range(3):
            step.one(net(torch.ones(2)).sum())
        step.{0}()
    """
ATTEND = """
    import torch
    class Attend(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 2)
            self.weights = None
        def forward(self, x):
            weights = self.layer(x).softmax(-1)
            self.weights = weights
            return weights
    """
COPY = """
    import copy
    import torch
    from part import Attend
    net = Attend()
    net(torch.ones(2)).sum().backward()
    best = copy.deepcopy(net)
    """
MOVED = """
    import torch
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.Adagrad(model.parameters())
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device)
    model(torch.ones(4, device=device)).sum().backward()
    optimizer.step()
    """
DICT = """
    import torch
    from torch import nn
    class Net(nn.Module):
        def __init__(self, {0}):
            super().__init__()
            self.parts = {{{1}}}
        def forward(self, x):
            for each in self.parts.values():
                x = each(x)
            return x
    net = Net()
    torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(2)).sum().backward()
    """

PROGRAMS = {
    "decorated": (
        {"part.py": ACT.format("    @torch.no_grad()", "        logits = self.net(x)"), "main.py": LEARN},
        "part.py", "Linear(2, 2)\n    def act",
    ),
    "in a block": (
        {
            "part.py": ACT.format("", "        with torch.no_grad():\n                logits = self.net(x)"),
            "main.py": LEARN,
        },
        "part.py", "x):\n        logits = self.net(x)",
    ),
    "detached": (
        {"part.py": ACT.format("", "        logits = self.net(x).detach()"), "main.py": LEARN},
        "part.py", "logits = self.net(x)\n",
    ),
    "state of a GRU": (
        {
            "part.py": STATE.format("GRU", "        out, h = self.cell(x, self.kept)\n            self.kept = h"),
            "main.py": STREAM,
        },
        "part.py", "self.kept = h.detach()",
    ),
    "state of an LSTM": (
        {
            "part.py": STATE.format("LSTM", "        out, h = self.cell(x, self.kept)\n            self.kept = h"),
            "main.py": STREAM,
        },
        "part.py", "self.kept = tuple(each.detach() for each in h)",
    ),
    "state kept at once": (
        {
            "part.py": STATE.format("RNN", "        out, self.kept = self.cell(x, self.kept)"),
            "main.py": STREAM,
        },
        "part.py", "self.kept = self.kept.detach()",
    ),
    "written and returned": (
        {"part.py": DROP.format("weights *= keep", "return weights"), "main.py": DROPPED},
        "part.py", "weights = weights * keep",
    ),
    "written by a method": (
        {"part.py": DROP.format("weights.mul_(keep)", "return weights"), "main.py": DROPPED},
        "part.py", "weights = weights.mul(keep)",
    ),
    "optimizer made by a method": (
        {
            "part.py": HEAD,
            "main.py": dedent(FINE_TUNE).format(
                "        self.configure()\n"
                "    def configure(self):\n"
                "        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1)\n"
                "    def adapt(self):\n        part.named_head(self.model, 3)"
            )
            + "tuner = Tuner()\ntuner.adapt()\nepoch(tuner)\n",
        },
        "main.py", "part.named_head(self.model, 3)\n        self.configure()",
    ),
    "replaced behind the optimizer": (
        {
            "part.py": HEAD,
            "main.py": dedent(FINE_TUNE).format(
                "        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1)\n"
                "        part.named_head(self.model, 3)"
            )
            + "tuner = Tuner()\nepoch(tuner)\n",
        },
        "main.py", "        part.named_head(self.model, 3)\n        self.opt = ",
    ),
    "one of many": (
        {"part.py": METER.format("self.seen[name].append(each)"), "main.py": LOOP},
        "part.py", "append(each.detach() if torch.is_tensor(each) else each)",
    ),
    "update at the end of the epoch": (
        {"main.py": SCALED.format("close", "print(self.scaler.get_scale())")},
        "main.py", "step(self.optimizer)\n        self.scaler.update()",
    ),
    "update in another method": (
        {"main.py": SCALED.format("finish", "pass")},
        "main.py", "step(self.optimizer)\n        self.scaler.update()",
    ),
    "kept by another file": (
        {"part.py": ATTEND, "main.py": COPY},
        "part.py", "self.weights = weights.detach()",
    ),
    "what a move needs": (
        {"main.py": MOVED},
        "main.py", "model.to(device)\noptimizer = torch.optim.Adagrad(model.parameters())",
    ),
    "numbers as keys": (
        {"main.py": DICT.format("sizes=(1, 2)", "n: nn.Linear(2, 2) for n in sizes")},
        "main.py", "nn.ModuleDict({str(n): nn.Linear(2, 2) for n in sizes})",
    ),
    "counted keys": (
        {"main.py": DICT.format("sizes=3", "n: nn.Linear(2, 2) for n in range(3)")},
        "main.py", "nn.ModuleDict({str(n): nn.Linear(2, 2) for n in range(3)})",
    ),
    "texts as keys": (
        {"main.py": DICT.format('names=("a", "b")', "n: nn.Linear(2, 2) for n in names")},
        "main.py", "nn.ModuleDict({n: nn.Linear(2, 2) for n in names})",
    ),
}  # fmt: skip


def checked(files: dict[str, str], folder: Path) -> Check:
    """The findings in `files`, which are written to `folder`."""
    write_files(files, folder)
    workspace = Workspace((str(folder),))
    names = {str(folder / name): name for name in files}
    check = Check(Analyzer(workspace, lambda _path: Config()), workspace, names, Complaints())
    check.run()
    return check


def fixed(files: dict[str, str], folder: Path) -> tuple[dict[str, str], list[str]]:
    """The files after the first fix of each finding, and what is found then."""
    check = checked(files, folder)
    assert [each for found in check.findings.values() for each in found]
    apply_fixes(check, unsafe=True)
    left = [
        each.message
        for found in check.findings.values()
        for each in found
        if each.severity is not Severity.INFO
    ]
    return {name: check.workspace.source(path).text for path, name in check.names.items()}, left


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_fix_repairs_the_program(name: str, tmp_path: Path) -> None:
    files, where, wanted = PROGRAMS[name]
    texts, left = fixed({each: dedent(text) for each, text in files.items()}, tmp_path)
    assert wanted in texts[where]
    assert left == []


def test_torch_runs_them_all(tmp_path: Path) -> None:
    """Each raises nothing when fixed."""
    repaired = [
        Program(name, fixed({each: dedent(text) for each, text in files.items()}, tmp_path / name)[0])
        for name, (files, _, _) in PROGRAMS.items()
    ]
    ran = run_programs(repaired, accelerator=False)
    assert {name: each.raised for name, each in ran.items() if each.raised or each.died} == {}


def test_what_is_changed_for_the_caller_is_not_given_a_name_of_its_own(tmp_path: Path) -> None:
    """A function that returns nothing writes for whoever called it."""
    part = "def scale(weights):\n    weights *= 2\n"
    main = "import torch\nfrom part import scale\nw = torch.randn(3, requires_grad=True).softmax(0)\nout = w.exp()\nscale(out)\nout.sum().backward()\n"
    texts, left = fixed({"part.py": part, "main.py": main}, tmp_path)
    assert texts["part.py"] == part
    assert len(left) == 1


def test_training_is_not_switched_off_with_the_evaluation(tmp_path: Path) -> None:
    text = dedent("""
        import torch
        class Engine:
            def __init__(self, model):
                self.model, self.seen = model, []
                self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            def one(self, x):
                self.model.train()
                self.optimizer.zero_grad()
                self.model(x).mean().backward()
                self.optimizer.step()
            def evaluate(self, x):
                self.model.eval()
                self.last = self.model(x)
                return self.last.mean().item()
            def fit(self, batches):
                for x in batches:
                    self.one(x)
                    self.seen.append(self.evaluate(x))
        Engine(torch.nn.Linear(2, 2)).fit([torch.ones(1, 2)] * 3)
        """)
    texts, left = fixed({"main.py": text}, tmp_path)
    assert left == []
    assert "@torch.no_grad()\n    def evaluate" in texts["main.py"]
    assert "def fit(self, batches):\n        for x in batches:\n            self.one(x)" in texts["main.py"]


def test_a_replica_has_no_parameters_to_ask() -> None:
    """So that asking a module for its own is no safe fix."""
    text = (
        "import torch\nreplica = torch.nn.Linear(2, 2)._replicate_for_data_parallel()\n"
        "next(replica.parameters())\n"
    )
    (ran,) = run_programs([Program("replica", {"main.py": text})], accelerator=False).values()
    assert ran.raised.startswith("StopIteration")


def test_a_buffer_that_requires_a_gradient_is_no_leaf_once_its_module_is_converted() -> None:
    """So that a tensor which is trained is no buffer: it gets no gradient any more."""
    text = (
        "import torch\nfrom torch import nn\n"
        "class Net(nn.Module):\n"
        "    def __init__(self, weight):\n"
        "        super().__init__()\n"
        '        self.register_buffer("weight", weight)\n'
        "before = Net(torch.ones(3, requires_grad=True))\n"
        "after = Net(torch.ones(3, requires_grad=True)).to(torch.float64)\n"
        "after.weight.sum().backward()\n"
    )
    effect = "(before.weight.is_leaf, after.weight.is_leaf, after.weight.grad)"
    (ran,) = run_programs([Program("buffer", {"main.py": text}, effect=effect)], accelerator=False).values()
    assert ran.effect == "(True, False, None)"


def test_the_state_of_a_random_generator_has_to_be_on_the_cpu() -> None:
    """So that a checkpoint which holds one is loaded there."""
    text = 'import torch\nstate = torch.get_rng_state()\ntorch.set_rng_state(state)\ntorch.set_rng_state(state.to("meta"))\n'
    (ran,) = run_programs([Program("generator", {"main.py": text})], accelerator=False).values()
    assert ran.raised.startswith("TypeError: RNG state must be a torch.ByteTensor")
    assert ran.line == len(text.splitlines())
