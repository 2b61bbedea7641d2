"""Runs that are worth their cost: files without tensors, functions that do nothing with them, logging, and modules that
ran before.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from devls import analysis
from devls.analysis import Analyzer
from devls.config import Config
from devls.engine.core.events.events import Revealed
from devls.engine.core.machine import Machine
from devls.engine.driver.call_costs import only_tells
from devls.engine.driver.entry_points import run_file
from devls.engine.driver.inlining import acts, touches
from devls.engine.driver.prefilter import Reaching
from devls.library import lookup, stubs
from devls.library.effects import Result
from devls.library.lookup import Library
from devls.project.modules import Modules
from devls.project.workspace import Workspace
from devls.syntax.source import Source
from devls.values.value import FunctionValue
from regression_sets import all_programs, importable
from specs_reader import all_specs

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from devls.engine.core.events.events import Event


MAKER = "import torch\ndef make(n):\n    return torch.zeros(n)\nclass Net(torch.nn.Module):\n    pass\n"


def _reaches(tmp_path: Path, files: Mapping[str, str], asked: str = "main.py") -> bool:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    workspace = Workspace([str(tmp_path)])
    return Reaching(Modules(workspace)).reaches(workspace.source(str(tmp_path / asked)))


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n",
        "from torch import nn\n",
        "import torchvision\n",
        "def f():\n    import timm\n",
        "def train(loss):\n    loss.backward()\n",
        "def place(x, device):\n    return x.to(device)\n",
        "def evaluate(net):\n    net.eval()\n",
        "class Net(nn.Module):\n    pass\n",
        "def act(x):\n    return F.relu(x)\n",
        "x = 1\nreveal_value(x)\n",
    ],
)
def test_a_file_that_speaks_of_torch_is_run(tmp_path: Path, text: str) -> None:
    assert _reaches(tmp_path, {"main.py": text})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "import os\nprint(os.getcwd())\n",
        "import numpy as np\ndef mean(x):\n    return np.mean(x).item()\n",
        "from other import helper\nhelper(3)\n",
        "import nowhere\nnowhere.call()\n",
        "def total(batch):\n    batch.device_count = 1\n    return batch.total()\n",
    ],
)
def test_a_file_without_tensors_is_not(tmp_path: Path, text: str) -> None:
    assert not _reaches(tmp_path, {"main.py": text, "other.py": "def helper(n):\n    return n + 1\n"})


@pytest.mark.parametrize(
    "files",
    [
        {"main.py": "from maker import make\nprint(make(3) + 1)\n"},
        {"main.py": "import maker\nprint(maker.make(3))\n"},
        {"main.py": "import maker as m\nprint(m.make(3))\n"},
        {"main.py": "from maker import *\nprint(make(3))\n"},
        {"main.py": "from maker import (  # what makes\n    Net,\n    make as made,\n)\n"},
        {"main.py": "from app import run\nrun()\n", "app.py": "import maker\ndef run():\n    maker.make(3)\n"},
        {"main.py": "from pack import make\n", "pack/__init__.py": "from .inner import make\n", "pack/inner.py": MAKER},
        {"main.py": "from pack import inner\ninner.make(2)\n", "pack/__init__.py": "", "pack/inner.py": MAKER},
        {"main.py": "import pack.inner\npack.inner.make(2)\n", "pack/__init__.py": "", "pack/inner.py": MAKER},
        {
            "main.py": "from pack import make\n",
            "pack/__init__.py": "from .one import *\n",
            "pack/one.py": "from .two import *\nfrom . import *\n",
            "pack/two.py": MAKER,
        },
    ],
)  # fmt: skip
def test_names_are_followed_to_where_they_are_defined(tmp_path: Path, files: dict[str, str]) -> None:
    assert _reaches(tmp_path, {"maker.py": MAKER, **files})
    without = MAKER.replace("torch", "other")
    files = {name: text.replace("torch", "other") for name, text in files.items()}
    assert not _reaches(tmp_path, {"maker.py": without, **files})


def test_what_stands_beside_a_name_does_not_matter(tmp_path: Path) -> None:
    files = {
        "main.py": "from pack import count\nimport pack\nprint(count(3), pack.count(2))\n",
        "pack/__init__.py": "from .counting import count\nfrom .making import make\n",
        "pack/counting.py": "def count(n):\n    return n\n",
        "pack/making.py": MAKER,
    }
    assert not _reaches(tmp_path, files)


def test_the_answer_does_not_depend_on_what_was_asked_before(tmp_path: Path) -> None:
    files = {
        "a.py": "from b import *\n",
        "b.py": "from a import *\nfrom maker import *\n",
        "maker.py": MAKER,
        "main.py": "from a import make\n",
        "first.py": "from b import make\n",
    }
    assert _reaches(tmp_path, files)
    workspace = Workspace([str(tmp_path)])
    for order in (("main.py", "first.py"), ("first.py", "main.py")):
        reaching = Reaching(Modules(workspace))
        assert all(reaching.reaches(workspace.source(str(tmp_path / each))) for each in order)


def test_a_change_elsewhere_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main, helper = tmp_path / "main.py", tmp_path / "helper.py"
    main.write_text("from helper import make\nmake(3)\n", encoding="utf-8")
    helper.write_text("def make(n):\n    return n\n", encoding="utf-8")
    workspace = Workspace([str(tmp_path)])
    analyzer = Analyzer(workspace, lambda _: Config(), hovers=False)
    ran: list[str] = []
    monkeypatch.setattr(analysis, "run_file", lambda _machine, source, *_: ran.append(Path(source.path).name))
    analyzer.analyze(str(main))
    assert ran == []
    assert str(helper) in analyzer.used_by(str(main))
    workspace.open(str(helper), MAKER)
    assert str(main) in analyzer.changed(str(helper))
    analyzer.analyze(str(main))
    assert ran == ["main.py"]


def test_whoever_wants_to_see_values_has_them_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main = tmp_path / "main.py"
    main.write_text("x = 1\n", encoding="utf-8")
    ran: list[object] = []
    monkeypatch.setattr(analysis, "run_file", lambda *_: ran.append(1))
    Analyzer(Workspace([str(tmp_path)]), lambda _: Config()).analyze(str(main))
    assert ran


def test_problems_and_comments_are_told_all_the_same(tmp_path: Path) -> None:
    main = tmp_path / "main.py"
    main.write_text("x = 1  # devls: ignore[no-such-rule]\ndef (\n", encoding="utf-8")
    found = Analyzer(Workspace([str(tmp_path)]), lambda _: Config(), hovers=False).analyze(str(main))
    assert "unknown-rule" in {each.rule for each in found.diagnostics}
    assert found.source.problems


def test_libraries_that_give_tensors_are_known() -> None:
    tensors = {
        Result.TENSOR,
        Result.TENSORS,
        Result.VIEW,
        Result.VIEWS,
        Result.NEW,
        Result.LIKE,
        Result.CPU_TENSOR,
        Result.MODULE,
    }
    giving = {
        root
        for root in stubs._files()
        if any(
            each.effects.startswith(f"{one.value} ")
            for each in stubs._entries(root).values()
            for one in tensors
        )
    }
    described = {each for each in giving if not each.startswith("torch")}
    assert described - {"numpy"} <= lookup.TENSOR_LIBRARIES
    assert lookup._LEFT_ALONE <= lookup.TENSOR_LIBRARIES


def test_specs_that_tell_something_are_run() -> None:
    left_out = 0
    for spec in all_specs():
        workspace = Workspace(["/nowhere"])
        for name, text in spec.files.items():
            workspace.open(f"/nowhere/{name}", text)
        if not Reaching(Modules(workspace)).reaches(workspace.source(f"/nowhere/{spec.main}")):
            left_out += 1
            assert not spec.revealed, spec.id
            assert not spec.reported, spec.id
    assert left_out < 20


def test_files_that_are_left_out_would_tell_nothing() -> None:
    left_out = 0
    for each in (each for program in all_programs() for each in (program.broken, program.correct)):
        files = {f"/nowhere/{name}": text for name, text in importable(each).items()}
        workspace = Workspace(["/nowhere"])
        for path, text in files.items():
            workspace.open(path, text)
        reaching = Reaching(Modules(workspace))
        for path in files:
            if not reaching.reaches(workspace.source(path)):
                left_out += 1
                found = Analyzer(workspace, lambda _: Config()).analyze(path)
                assert not found.diagnostics, path
                assert not found.elsewhere, path
    assert left_out > 10


# Which runs of functions and classes by themselves are worth their cost, going by what they do


BUILD = {
    "class": "return Net(depth)",
    "name": "net = Net(depth)\n    net.load_state_dict(weights.get())\n    return net",
    "docstring": "'''A model, on the device of its loss.'''\n    layers = []\n    layers.append(Block())\n    return Net(layers)",
    "several": "net = Net(depth)\n    return net, depth",
}
DO_MORE = {
    "moves": "net = Net(depth)\n    net.to('cuda')\n    return net",
    "device": "net = Net(depth, device=depth)\n    return net",
    "writes": "net = Net(depth)\n    nn.init.zeros_(net.weight)\n    return net",
    "makes": "net = Net(torch.zeros(depth))\n    return net",
    "trains": "net = Net(depth)\n    loss = net(depth).sum()\n    return loss.backward()",
    "calls": "net = Net(depth)\n    return net(weights)",
    "keeps": "net = Net(depth)\n    net.load_state_dict(weights.get())",
}


def _function(body: str) -> tuple[Source, ast.stmt]:
    source = Source("program.py", f"def make(depth, weights):\n    {body}\n")
    return source, source.tree.body[0]


@pytest.mark.parametrize("body", BUILD.values(), ids=BUILD)
def test_who_only_builds_a_model_and_hands_it_back_does_not_act(body: str) -> None:
    assert not acts(*_function(body))


@pytest.mark.parametrize("body", DO_MORE.values(), ids=DO_MORE)
def test_who_does_more_with_it_acts(body: str) -> None:
    assert acts(*_function(body))


def test_what_a_docstring_tells_of_is_not_done() -> None:
    assert not touches(*_function("'''Nothing is moved to a device.'''\n    return depth + 1"))
    assert touches(*_function("return depth.to('cuda')"))


DATA = """
import torch
from torch.utils.data import Dataset

def pad(x):
    return x

class Words(Dataset):
    def __init__(self, words):
        self.words = words

    def __getitem__(self, index):
        word = {body}
        reveal_value(word)
        return word
"""


def _revealed(folder: Path, text: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(text)
    workspace = Workspace([str(folder)])
    told: list[Event] = []
    run_file(Machine(Library(), Modules(workspace), told.append), workspace.source(str(path)))
    return [each.text for each in told if isinstance(each, Revealed)]


@pytest.mark.parametrize(
    ("body", "is_run"),
    [
        ("self.words[index].upper()", False),
        ("self.words[index].to('cuda')", True),  # has to do with devices
        ("self.model(self.words[index])", True),  # with a model
        ("pad(self.words[index])", True),  # shows what a function of the file is given
    ],
)
def test_a_class_that_prepares_data_is_looked_at_where_that_can_tell_something(
    tmp_path: Path, body: str, *, is_run: bool
) -> None:
    assert bool(_revealed(tmp_path, DATA.format(body=body))) is is_run


# Calls of functions that only tell somebody what something is called come to nothing, and are not run


TELLS = {
    "torch._C._log_api_usage_once(f'{thing.__class__.__name__}')": 2,
    "name = thing.__module__\n    if not name.startswith('a') and isinstance(thing, type):\n        name = 'b'\n"
    "    logging.info(f'{name} is used')\n    return": 8,
    "'''Say so.'''\n    logging.info('used')\n    return None": 4,
    "if thing.__name__:\n        logging.warning('used')\n    else:\n        pass": 4,
}

DOES_MORE = (
    "thing.name = 'used'",
    "thing.__name__ = 'used'\n    logging.info('used')",
    "logging.info(thing)",
    "logging.info('used', thing)",
    "logging.info('used', stacklevel=2)",
    "logging.info('used')\n    return thing",
    "logging.info(f'{thing.loss}')",
    "logging.info(f'{thing:.2f}')",
    "logging.info(f'{len(thing)}')",
    "thing('used')",
    "thing.info('used')",
    "tell('used')",
    "print('used')",
    "helper.tell('used')",
    "torch.set_default_device('cuda')",
    "torch.nn.Linear('used')",
    "torch.load('used')",
    "numpy.load('used')",
    "logging.Logger('used')",
    "for each in thing:\n        logging.info('used')",
    "global NAME\n    NAME = 'used'\n    logging.info('used')",
    "name = other = 'used'\n    logging.info('used')",
    "name, = 'used',\n    logging.info('used')",
    "name = -thing\n    logging.info('used')",
    "yield thing",
    "pass",
)


def steps_of(folder: Path, body: str) -> int:
    """The steps that are taken for a call of a function with a body without running it; 0 if it is run."""
    path = folder / "program.py"
    path.write_text(
        "import logging\nimport numpy\nimport torch\n\ndef tell(text):\n    pass\n\nclass helper:\n    tell = tell\n\n"
        f"def function(thing):\n    {body}\n"
    )
    workspace = Workspace([str(folder)])
    machine = Machine(Library(), Modules(workspace), lambda _: None)
    source = workspace.source(str(path))
    run_file(machine, source)
    scope = machine.frames[0].scope
    function = machine.state.get(scope, "function")
    assert isinstance(function, FunctionValue)
    return only_tells(machine, function)


@pytest.mark.parametrize("body", TELLS)
def test_what_only_tells_takes_the_steps_that_it_would_take(body: str, tmp_path: Path) -> None:
    assert steps_of(tmp_path, body) == TELLS[body]


@pytest.mark.parametrize("body", DOES_MORE)
def test_what_does_more_is_run(body: str, tmp_path: Path) -> None:
    assert steps_of(tmp_path, body) == 0


# A file that has run as a module is not run again as a program, unless it could do anything else then


PROGRAM = "import lib\nimport torch\n"

FUNCTION = """\
import torch

TABLE = {"mean": torch.zeros(3)}

def used(x):
    return x.cuda() + TABLE["mean"]
"""

LOUD = FUNCTION + '\nones = torch.ones(3, device="cuda") + TABLE["mean"]\n'

MAIN = FUNCTION + '\nif __name__ == "__main__":\n    torch.ones(3, device="cuda") + TABLE["mean"]\n'

CYCLE = "import program\n" + FUNCTION

KEPT = (
    FUNCTION
    + "\nw = torch.zeros(3, requires_grad=True)\nkept = []\nfor _ in range(9):\n    kept.append((w * 2).sum())\n"
)


@pytest.mark.parametrize(
    ("text", "again"),
    [(FUNCTION, False), (LOUD, True), (MAIN, True), (CYCLE, False), (KEPT, True)],
    ids=["quiet", "loud", "main", "cycle", "kept"],
)
def test_what_is_found_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, *, again: bool
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    lib = tmp_path / "lib.py"
    lib.write_text(text)
    bodies: list[Sequence[ast.stmt]] = []
    run = Machine.run

    def noted(self: Machine, body: Sequence[ast.stmt]) -> bool:
        bodies.append(body)
        return run(self, body)

    monkeypatch.setattr(Machine, "run", noted)
    workspace = Workspace([str(tmp_path)])
    analyzer = Analyzer(workspace, lambda _: Config(), hovers=False)
    analyzer.analyze(str(tmp_path / "program.py"))
    bodies.clear()
    found = analyzer.analyze(str(lib)).diagnostics
    second = workspace.source(str(lib)).tree.body[1]
    assert any(second in body for body in bodies) is again
    alone = Analyzer(Workspace([str(tmp_path)]), lambda _: Config(), hovers=True).analyze(str(lib))
    assert found == alone.diagnostics
    assert found
