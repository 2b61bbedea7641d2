"""Files that have nothing to do with tensors are not run; all others are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from devls import analysis
from devls.analysis import Analyzer
from devls.config import Config
from devls.engine.driver.prefilter import Reaching
from devls.library import lookup, stubs
from devls.library.effects import Result
from devls.project.modules import Modules
from devls.project.workspace import Workspace
from regression_sets import all_programs, importable
from specs_reader import all_specs

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        path.stem
        for path in stubs._FOLDER.glob("*.toml")
        if any(f'"{each.value} ' in path.read_text(encoding="utf-8") for each in tensors)
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
