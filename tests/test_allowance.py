"""The cost of a file is bounded by its length; all of its statements are run all the same."""

from __future__ import annotations

import functools
import gc
import importlib
import inspect
import pkgutil
from typing import TYPE_CHECKING, Any

import pytest

import devls
from devls import analysis
from devls.config import Config
from devls.engine.core import budget, limits
from devls.engine.core.events.events import (
    DevicesMixed,
    EvalKeepsGraph,
    Event,
    HostRead,
    ModulesUnregistered,
    Revealed,
    StaleStep,
)
from devls.engine.core.events.protocols import TrainedInEvalMode
from devls.engine.core.machine import Machine
from devls.engine.driver.entry_points import run_file
from devls.engine.torch.autograd import hooks
from devls.library.lookup import Library
from devls.project import definitions, mentions, modules
from devls.project.modules import Modules
from devls.project.workspace import Workspace
from devls.values.conditions import Condition
from devls.values.state import State

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def steps_and_revealed(folder: Path, text: str) -> tuple[int, list[str]]:
    """Cost of running a program, and the values that it reveals."""
    steps, told = _run(folder, text)
    return steps, [each.text for each in told if isinstance(each, Revealed)]


def told_of(folder: Path, text: str) -> list[Event]:
    """Events of a program, in order."""
    return _run(folder, text)[1]


def _run(folder: Path, text: str) -> tuple[int, list[Event]]:
    path = folder / "program.py"
    path.write_text(text)
    workspace = Workspace([str(folder)])
    told: list[Event] = []
    machine = Machine(Library(), Modules(workspace), told.append)
    run_file(machine, workspace.source(str(path)))
    return limits.STEPS_PER_FILE - machine.steps_left, told


def doubling(depth: int) -> str:
    """Functions of which each calls the next one twice."""
    functions = [f"def f{n}(x):\n    return f{n + 1}(x) + f{n + 1}(x)\n" for n in range(depth)]
    return "import torch\n" + "".join(functions) + f"def f{depth}(x):\n    return x + 1\n"


def test_calls_that_double_at_each_level_cost_no_more_than_the_file_may(tmp_path: Path) -> None:
    text = doubling(12) + "f0(torch.zeros(2))\n"
    steps, _ = steps_and_revealed(tmp_path, text)
    lines = text.count("\n") + 1
    per_file = limits.CALLS_OF_PROGRAM + limits.STEPS_OF_RUNS
    per_line = limits.CALLS_OF_PROGRAM_PER_LINE + limits.STEPS_OF_RUNS_PER_LINE + 6 * limits.STEPS_PER_LINE
    allowed = per_file + per_line * lines
    assert steps <= allowed < 2**12


def test_each_body_is_run_however_much_the_calls_before_it_took(tmp_path: Path) -> None:
    text = doubling(12) + "f0(torch.zeros(2))\ndef last(x: torch.Tensor):\n    reveal_value(x.cpu())\n"
    _, revealed = steps_and_revealed(tmp_path, text)
    assert revealed == ["Tensor device=cpu requires_grad=? is_leaf=? shape=? dtype=?"]


def test_the_first_call_of_each_function_of_the_file_comes_on_top(tmp_path: Path) -> None:
    helper = "def helper():\n    return torch.zeros(3)\n"
    text = doubling(12) + helper + "f0(torch.zeros(2))\nreveal_value(helper())\n"
    _, revealed = steps_and_revealed(tmp_path, text)
    assert revealed == ["Tensor device=cpu requires_grad=False is_leaf=True shape=(3,) dtype=float32"]


LATE = """
class late:
    def made(self):
        '''What is said of a method
        costs nothing,
        and there
        may be
        any number
        of lines
        of it.
        '''
        return torch.zeros(3)

    def kept(self):
        self.last = torch.zeros(3)
        return self.last

    def use(self):
        reveal_value(self.made())
        reveal_value(self.kept())
"""


STALE = """
class part:
    def renew(self):
        a = 1
        b = 2
        c = 3
        d = 4
        e = 5
        f = 6
        g = 7
        self.last = torch.zeros(3)

    def made(self):
        return torch.zeros(3)

    def use(self):
        reveal_value(self.made())
        self.renew()
        reveal_value(self.made())
"""


def test_no_method_runs_whatever_the_calls_before_took_once_one_was_left_out(tmp_path: Path) -> None:
    _, revealed = steps_and_revealed(tmp_path, doubling(60) + "f0(torch.zeros(2))\n" + STALE)
    assert revealed == [
        "Tensor device=cpu requires_grad=False is_leaf=True shape=(3,) dtype=float32",
        "Unknown",
    ]


def test_short_methods_that_only_read_run_whatever_the_calls_before_took(tmp_path: Path) -> None:
    _, revealed = steps_and_revealed(tmp_path, doubling(60) + "f0(torch.zeros(2))\n" + LATE)
    assert revealed == [
        "Tensor device=cpu requires_grad=False is_leaf=True shape=(3,) dtype=float32",
        "Unknown",
    ]


TRAINING = """
from torch import nn


class Net(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(2, 2), nn.BatchNorm1d(2))

    def begin(self):
        self.lines = []
        self.lines.append("a")
        self.lines.append("b")
        self.lines.append("c")
        self.lines.append("d")
        self.lines.append("e")
        self.lines.append("f")
        self.MODE()
        self[1].eval()
        return self


for _ in range(3):
    f0(torch.zeros(2))
    f0(torch.zeros(2))
    f0(torch.zeros(2))
    f0(torch.zeros(2))
    f0(torch.zeros(2))
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    model.begin()
    loss = model(torch.rand(4, 2)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.eval()
"""


def test_what_a_body_that_is_not_run_may_have_done_to_a_mode_is_not_known(tmp_path: Path) -> None:
    def modes(text: str) -> list[str]:
        path = tmp_path / "training.py"
        path.write_text(text)
        workspace = Workspace([str(tmp_path)])
        told: list[Event] = []
        run_file(Machine(Library(), Modules(workspace), told.append), workspace.source(str(path)))
        return [each.model for each in told if isinstance(each, TrainedInEvalMode)]

    starts = doubling(12) + TRAINING.replace("MODE", "train")
    assert modes(starts) == []
    # A run of all of it shows that it does nothing of the kind.
    does_not = "import torch\n" + TRAINING.replace("MODE", "parameters").replace("f0(", "abs(")
    assert set(modes(does_not)) == {"model"}


LONG_HELPER = "def helper(x):\n" + "    x = x + 1\n" * limits.LINES_OF_SHORT_BODY + "    return x.cpu()\n"


def test_the_calls_of_a_function_that_only_computes_are_not_followed(tmp_path: Path) -> None:
    text = "import torch\n" + LONG_HELPER + "def f(x: torch.Tensor):\n    reveal_value(helper(x))\n"
    _, revealed = steps_and_revealed(tmp_path, text)
    assert revealed == ["Unknown"]


def test_those_of_one_that_moves_or_makes_something_are_and_those_of_a_forward(tmp_path: Path) -> None:
    moves = "def f(x: torch.Tensor):\n    x = x.detach()\n    reveal_value(helper(x).device)\n"
    makes = "def g(x: torch.Tensor):\n    y = torch.optim.SGD([x])\n    reveal_value(helper(x).device)\n"
    module = "class M(torch.nn.Module):\n    def forward(self, x):\n        reveal_value(helper(x).device)\n"
    for each in (moves, makes, module):
        _, revealed = steps_and_revealed(tmp_path, "import torch\n" + LONG_HELPER + each)
        assert revealed == ["Device cpu"], each


def test_where_an_exception_is_raised_nothing_is_made(tmp_path: Path) -> None:
    checks = "def f(x: torch.Tensor):\n    if x is None:\n        raise ValueError(x)\n    reveal_value(helper(x))\n"
    _, revealed = steps_and_revealed(tmp_path, "import torch\n" + LONG_HELPER + checks)
    assert revealed == ["Unknown"]


def test_a_call_runs_beyond_all_steps_where_what_it_is_given_comes_from_two_places(tmp_path: Path) -> None:
    deep = "".join(f"    x = f0(x)\n    y = x + {n}\n" for n in range(3))
    helpers = (
        "def meet(x, y):\n"
        + "".join(f"    x = x + {n}\n" for n in range(10))
        + "    reveal_value(y)\n    return x\n"
    )
    head = doubling(12) + helpers + "def alone(x: torch.Tensor, z: torch.Tensor, device):\n" + deep
    for given, expected in (
        ("torch.zeros(3)", ["Tensor device=cpu requires_grad=False is_leaf=True shape=(3,) dtype=float32"]),
        ("torch.zeros(3, device=z.device)", []),
        ("z", []),
    ):
        _, revealed = steps_and_revealed(tmp_path, head + f"    return meet(z, {given})\n")
        assert [each for each in revealed if each.startswith("Tensor")][:1] == expected


UNBUILT = """
from torch import nn

class Inner(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(size))

class Nested(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.inner = nn.Sequential(nn.ReLU(), Inner(size))

class Without(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.act, self.norm = nn.ReLU(), nn.BatchNorm1d(size, affine=False)
        self.size = size

class Frozen(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(size, size)
        self.layer.requires_grad_(False)

class Net(nn.Module):
    def __init__(self, kind):
        super().__init__()
        f0(f0(torch.zeros(2)))
        self.layers = [kind(3), kind(3)]

    def forward(self, x):
        return x

for each in (Inner, Nested, Without, Frozen):
    each(3)
f0(torch.zeros(2))
net = Net(KIND)
net(torch.zeros(2))
"""


@pytest.mark.parametrize(
    ("kind", "unregistered"), [("Inner", 1), ("Nested", 1), ("Without", 0), ("Frozen", 0)]
)
def test_modules_that_were_not_built_have_the_parameters_that_their_classes_surely_make(
    tmp_path: Path, kind: str, unregistered: int
) -> None:
    text = doubling(12) + UNBUILT.replace("KIND", kind)
    told = told_of(tmp_path, text)
    assert sum(isinstance(each, ModulesUnregistered) for each in told) == unregistered


def test_what_the_constructor_of_a_base_moves_may_be_moved_where_it_was_not_run(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(
        doubling(12) + "class Engine:\n"
        "    def __init__(self, config):\n"
        "        self.device = torch.device(config['device'])\n"
        "        self.model.to(self.device)\n"
    )
    own = (
        "import torch\n"
        "from torch import nn\n"
        "from engine import Engine, f0\n"
        "class Own(Engine):\n"
        "    def __init__(self, config):\n"
        "        self.model = nn.Linear(3, 2)\n"
        "        self.other = nn.Linear(3, 2)\n"
        + 40 * "        f0(torch.zeros(2))\n"
        + "        super().__init__(config)\n"
    )
    run = "own = Own({'device': 'cuda'})\nreveal_value(own.model.bias)\nreveal_value(own.other.bias)\n"
    _, revealed = steps_and_revealed(tmp_path, own + run)
    assert [each.split()[1] for each in revealed] == ["device=?", "device=cpu"]


# Nothing grows with the number of edits, or of runs: what is kept of texts and paths that are gone is bounded


KEPT = 40
EDITS = 200

OF_DATA = {"decoded_parameters", "_operations"}
"""Caches of what the catalog says: it is as large as it is."""


def caches() -> Iterator[functools._lru_cache_wrapper[object]]:
    """Caches of the results of functions, in all modules but those of the probe."""
    for found in pkgutil.walk_packages(devls.__path__, "devls."):
        if ".probe" in found.name or found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for each in vars(module).values():
            if isinstance(each, functools._lru_cache_wrapper) and each.__module__ == found.name:
                yield each


def test_what_is_remembered_of_texts_is_bounded() -> None:
    unbounded = {
        f"{each.__module__}.{each.__name__}"
        for each in caches()
        if each.cache_parameters()["maxsize"] is None and inspect.signature(each).parameters
    }
    assert {each for each in unbounded if each.rpartition(".")[2] not in OF_DATA} == set()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that few edits come to."""
    for module in (analysis, definitions, modules):
        monkeypatch.setattr(module, "NAMES_KEPT", KEPT)
    monkeypatch.setattr(mentions, "NAMES_FOLLOWED", KEPT)


@pytest.mark.usefixtures("small")
def test_edits_leave_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "program.py")
    workspace = Workspace((str(tmp_path),), editing=True)
    analyzer = analysis.Analyzer(workspace, lambda _: Config(), installed=definitions.Definitions(()))
    for number in range(EDITS):
        text = (
            f"import torch\nimport lib{number}.a\nfrom . import b{number}\n"
            f"def f{number}(x, y: Kind{number}):\n    return x.cuda() + torch.ones(2) + lib{number}.c(x)\n"
        )
        workspace.open(path, text)
        analyzer.changed(path)
        found = analyzer.analyze(path)
    assert [each.rule for each in found.diagnostics] == ["tensor-created-off-device"]
    kept = analyzer._modules
    looked = sum(map(len, kept._uses.values()))
    assert looked < 3 * KEPT
    assert len(kept._searches) <= 3 * KEPT
    assert len(kept.installed._found) <= KEPT


TYPED = f"""
import torch
from torch import nn

{"# what nobody edits" * 300}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x) + EDIT

def train(model: Net, batches):
    losses = []
    for x in batches:
        loss = model(x.cuda()).sum()
        loss.backward()
        losses.append(loss)
    return losses + EDIT

train(Net(), EDIT)
"""


def kept() -> tuple[int, int]:
    """How many objects there are, those in others among them, and how many characters in all texts."""
    gc.collect()
    tracked = gc.get_objects()
    every = {id(each): each for each in (*tracked, *gc.get_referents(*tracked))}
    return len(every), sum(len(each) for each in every.values() if type(each) is str)


def test_what_is_kept_grows_by_no_text_and_no_tree_of_an_edit(tmp_path: Path) -> None:
    """Some objects of each edit are kept for a while; its text has thousands of characters, and its tree hundreds of nodes."""
    path, edits = str(tmp_path / "program.py"), 40
    workspace = Workspace((str(tmp_path),), editing=True)
    analyzer = analysis.Analyzer(workspace, lambda _: Config(), installed=definitions.Definitions(()))

    def edit(number: int) -> None:
        workspace.open(path, TYPED.replace("EDIT", f"name{number}"))
        analyzer.changed(path)
        assert analyzer.analyze(path, soon=number % 2 == 0).diagnostics

    for number in range(12):
        edit(number)
    objects, characters = kept()
    for number in range(12, 12 + edits):
        edit(number)
    objects_now, characters_now = kept()
    assert objects_now - objects < 5 * edits
    assert characters_now - characters < 2_000 * edits


@pytest.mark.usefixtures("small")
def test_names_that_nobody_asks_for_any_more_are_not_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("n0, n1")
    asked = mentions.Mentions(Workspace((str(tmp_path),)))
    for number in range(EDITS):
        asked.begin(str(path))
        asked.of(f"n{number}", str(path))
        assert not asked.changed(str(path)) or number < 2
    (project,) = asked._projects.values()
    assert len(project.naming) <= KEPT + 1
    asked.of("n1", str(path))
    assert asked.changed(str(path)) == {str(path)}


def test_asking_what_a_path_has_decided_costs_what_was_decided() -> None:
    state = State()
    for number in range(5_000):
        state.set(number, "slot", number)
    known = Condition.fresh("known")
    state.assume(known, value=True)
    below = state.fork()
    for _ in range(1_000):  # runs that leave nothing
        before = state.fork()
        inner = state.fork()
        state.assume(Condition.fresh("of a run"), value=False)
        assert [value for _, value in state.assumptions()] == [True, False]
        state.restore(inner)
        state.abandon(before)
    work = state.work
    assert state.assumptions() == [(known, True)]
    assert state.work - work < 10
    state.restore(below)
    assert state.assumptions() == [(known, True)]


def test_hooks_that_register_hooks_and_call_their_module_are_paid_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call runs all hooks, of which each adds one and calls the module again: no body's steps pay for that."""
    called = 0
    call = hooks.calls.call

    def counted(*given: Any) -> object:
        nonlocal called
        called += 1
        return call(*given)

    monkeypatch.setattr(hooks.calls, "call", counted)
    registered = "model.register_forward_hook(hook)\n" * 60
    steps, _ = steps_and_revealed(
        tmp_path,
        "import torch\nmodel = torch.nn.Linear(3, 4)\n"
        f"def hook(m, a, o):\n    m.register_forward_hook(hook)\n    return m(a)\n{registered}model(torch.ones(2, 3))\n",
    )
    assert steps > 0
    assert called < limits.STEPS_PER_FILE


_SHOWS: str = """
import torch
from torch import nn


class Trainer:
    def __init__(self, width):
        self.model = nn.Linear(width, width)
        self.noise = torch.rand(4, width)

    def train(self, count):
        for epoch in range(count):
            {grad_mode}
                self.show(epoch)

    def show(self, epoch):
        self.model.eval()
        samples = self.model(self.noise)
        print(epoch, samples.cpu().data.numpy())


class Other:
    def show(self, epoch):
        print(epoch)
"""


@pytest.mark.parametrize(("grad_mode", "told"), [("with torch.no_grad():", 0), ("if epoch:", 1)])
def test_a_call_that_is_left_out_is_known_to_be_one_without_gradients(
    grad_mode: str, told: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "allows", lambda _m, _function: False)
    found = told_of(tmp_path, _SHOWS.format(grad_mode=grad_mode))
    assert sum(isinstance(each, EvalKeepsGraph) for each in found) == told


CLEARING = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(3, 3)
        self.decoder = unseen()

    def forward(self, x):
        #
        x = self.encoder(x)
        x = x + 1
        x = x + 1
        x = x + 1
        x = x + 1
        x = x + 1
        x = x + 1
        x = x + 1
        return self.decoder(x)
"""

CLEARED = """
import torch
from clearing import Net

net = Net()
optimizer = torch.optim.SGD(net.decoder.parameters(), 0.1)
while True:
    loss = net(torch.zeros(2, 3))
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("line", "told"), [("pass", True), ("self.zero_grad()", False)])
def test_a_forward_that_is_not_run_may_clear_gradients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, *, told: bool
) -> None:
    monkeypatch.setattr(limits, "CALLS_OF_PROGRAM", 0)
    monkeypatch.setattr(limits, "CALLS_OF_PROGRAM_PER_LINE", 0)
    (tmp_path / "clearing.py").write_text(CLEARING.replace("#", line))
    assert any(isinstance(each, StaleStep) for each in told_of(tmp_path, CLEARED)) is told


SPREAD = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = torch.nn.Linear(3, 3)
        self.head = torch.nn.Linear(3, 3)

    def forward(self, x):
        x = self.features(x)
        x = x + 1
        x = x + 2
        x = x + 3
        x = x + 4
        x = x + 5
        x = x + 6
        x = x + 7
        return self.head(x)

def train(batch):
    net = Net()
    # here
    net.cuda()
    return net(torch.ones(2, 3))
"""


def test_a_model_that_is_not_run_takes_its_input_to_a_part_that_is_spread_over_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("STEPS_OF_RUNS", "STEPS_OF_RUNS_PER_LINE", "MEETINGS"):
        monkeypatch.setattr(limits, name, 0)
    assert [each.operation for each in told_of(tmp_path, SPREAD) if isinstance(each, DevicesMixed)] == ["net"]
    spread = SPREAD.replace("# here", "net.features = torch.nn.DataParallel(net.features)")
    assert not [each for each in told_of(tmp_path, spread) if isinstance(each, DevicesMixed)]


def test_nothing_is_certain_of_one_of_several_that_may_be_called(tmp_path: Path) -> None:
    text = """
import sys
import torch

net = torch.nn.Linear(3, 3).cuda()
if len(sys.argv) > 1:
    net = torch.nn.DataParallel(net)
net(torch.ones(2, 3))
torch.nn.Linear(3, 3).cuda()(torch.ones(2, 3))
"""
    told = [each for each in told_of(tmp_path, text) if isinstance(each, DevicesMixed)]
    assert [each.comparison.always for each in told] == [False, True]


REWRITTEN = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x):
        x = self.layer(x)
        x = x + 1
        x = x + 2
        x = x + 3
        x = x + 4
        x = x + 5
        x = x + 6
        # here
        return x

def train(batch):
    net = Net().cuda()
    net.last = torch.zeros(3, device="cuda")
    net(batch)
    return net.last.numpy()
"""


def test_attributes_that_a_body_sets_which_is_not_run_are_not_what_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("STEPS_OF_RUNS", "STEPS_OF_RUNS_PER_LINE", "MEETINGS"):
        monkeypatch.setattr(limits, name, 0)
    assert [each.how for each in told_of(tmp_path, REWRITTEN) if isinstance(each, HostRead)] == [".numpy()"]
    text = REWRITTEN.replace("# here", "self.last = x.detach().cpu()")
    assert not [each for each in told_of(tmp_path, text) if isinstance(each, HostRead)]
