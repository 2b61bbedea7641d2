"""Several files: who sees a change, what is run again, and how modules are found."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from checking import write_files
from devls.analysis import AnalysisCancelled, Analyzer
from devls.config import Config
from devls.engine.core.module_effects import Recalled
from devls.project.modules import Modules
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Project:
    """Files in a folder, and an analyzer for them that tells which modules it has run."""

    def __init__(self, folder: Path, files: dict[str, str], src: tuple[str, ...] = ()) -> None:
        write_files(files, folder)
        self.folder = folder
        self.workspace = Workspace((str(folder),))
        self.analyzer = Analyzer(
            self.workspace, lambda _: Config(src=tuple(str(folder / each) for each in src)), hovers=False
        )
        self._seen = 0

    def revealed(self, name: str = "main.py") -> list[str]:
        """Values revealed in a file, in order."""
        analysis = self.analyzer.analyze(str(self.folder / name))
        return [each.message for each in analysis.diagnostics if each.rule == "revealed-value"]

    def ran(self) -> list[str]:
        """The modules that were run since this was last asked."""
        ran = self.analyzer._modules.ran
        new, self._seen = ran[self._seen :], len(ran)
        return self.names(new)

    def names(self, paths: Iterable[str]) -> list[str]:
        """Paths as they were given."""
        return [path.removeprefix(f"{self.folder}/") for path in paths]

    def type(self, name: str, text: str) -> list[str]:
        """Change a file in the editor; returns the files that see it."""
        self.workspace.open(str(self.folder / name), text)
        return sorted(self.names(self.analyzer.changed(str(self.folder / name))))


CHAIN = {
    "config.py": 'device = "cuda:0"\n',
    "other.py": "size = 3\n",
    "make.py": "import torch, config\ndef make(n):\n    return torch.zeros(n, device=config.device)\n",
    "main.py": "from make import make\nfrom other import size\nreveal_value(make(size).device)\n",
    "stranger.py": "import other\nreveal_value(other.size)\n",
}


def test_modules_run_once(tmp_path: Path) -> None:
    project = Project(tmp_path, CHAIN)
    assert project.revealed() == ["Device cuda:0"]
    assert project.ran() == ["make.py", "config.py", "other.py"]
    assert project.revealed() == ["Device cuda:0"]
    assert project.revealed("stranger.py") == ["3"]
    assert project.ran() == []


def test_a_change_is_seen_by_those_who_depend_on_it_and_nobody_else(tmp_path: Path) -> None:
    project = Project(tmp_path, CHAIN)
    project.revealed()
    project.revealed("stranger.py")
    project.ran()
    assert project.type("config.py", 'device = "cuda:1"\n') == ["config.py", "main.py", "make.py"]
    assert project.revealed() == ["Device cuda:1"]
    assert project.ran() == ["make.py", "config.py"]
    assert project.type("other.py", "size = 4\n") == ["main.py", "other.py", "stranger.py"]
    assert project.revealed("stranger.py") == ["4"]
    assert project.ran() == ["other.py"]
    assert project.type("main.py", "x = 1\n") == ["main.py"]
    assert project.type("other.py", "size = 4\n") == []  # the same text


def test_a_file_that_comes_or_goes(tmp_path: Path) -> None:
    project = Project(
        tmp_path, {"main.py": "from late import x\nreveal_value(x)\n", "lib/late.py": "x = 1\n"}
    )
    assert project.revealed() == ["late.x"]
    assert project.type("late.py", "x = 2\n") == ["late.py", "main.py"]
    assert project.revealed() == ["2"]
    project.workspace.close(str(tmp_path / "late.py"))
    assert "main.py" in project.names(project.analyzer.changed(str(tmp_path / "late.py")))
    assert project.revealed() == ["late.x"]


def test_what_an_analysis_depends_on(tmp_path: Path) -> None:
    project = Project(tmp_path, {**CHAIN, "main.py": "import make\nimport missing\nmake.make(2)\n"})
    project.revealed()
    used = project.names(project.analyzer.used_by(str(tmp_path / "main.py")))
    assert {"make.py", "config.py", "missing.py"} <= set(used)
    assert "other.py" not in used


def test_import_cycles(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.py": "size = 2\nimport b\ndef twice():\n    return b.number() * 2\n",
            "b.py": "from a import size\nimport a\ndef number():\n    return a.size + size\n",
            "main.py": "import a\nreveal_value(a.twice())\n",
            "second.py": "import b\nreveal_value(b.number())\n",
        },
    )
    assert project.revealed() == ["8"]
    assert project.revealed("second.py") == ["4"]
    assert project.ran() == ["b.py", "a.py"]
    assert project.type("a.py", "size = 3\nimport b\ndef twice():\n    return b.number() * 2\n") == [
        "a.py",
        "b.py",
        "main.py",
        "second.py",
    ]
    assert project.revealed() == ["12"]
    assert project.revealed("second.py") == ["6"]


PACKAGE = {
    "pkg/__init__.py": "from .part import Part\n",
    "pkg/base.py": "from . import part\nclass Base:\n    size = 2\n",
    "pkg/part.py": "from .base import Base\nclass Part(Base):\n    pass\n",
    "pkg/whole.py": "from .base import Base\nreveal_value(Base.size)\n",
    "pkg/parts.py": "from .part import Part\nreveal_value(Part.size)\n",
}


@pytest.mark.parametrize("order", [("whole", "parts"), ("parts", "whole"), ("parts",)])
def test_a_cycle_is_entered_by_its_package(order: tuple[str, ...], tmp_path: Path) -> None:
    project = Project(tmp_path, PACKAGE)
    assert [project.revealed(f"pkg/{each}.py") for each in order] == [["2"]] * len(order)
    assert project.ran() == ["pkg/__init__.py", "pkg/part.py", "pkg/base.py"]


@pytest.mark.parametrize("first", ["base", "part"])
def test_a_cycle_without_a_package_around_it_has_one_entry(first: str, tmp_path: Path) -> None:
    files = {
        "a.py": "import b\nif b.size:\n    class A(b.B):\n        pass\n",
        "b.py": "try:\n    import a\nexcept ImportError:\n    pass\nsize = 2\nclass B:\n    size = 3\n",
        "base.py": "import b\nreveal_value(b.size)\n",
        "part.py": "import a\nreveal_value(a.A.size)\n",
    }
    project = Project(tmp_path, files)
    project.revealed(f"{first}.py")
    assert project.ran() == ["a.py", "b.py"]
    assert project.revealed("part.py") == ["3"]


def test_what_is_not_run_makes_no_cycle(tmp_path: Path) -> None:
    late = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\nif __name__ == '__main__':\n    import a\n"
    files = {
        "a.py": "import b\n",
        "b.py": f"{late}def later():\n    import a\n",
        "main.py": "import b\nreveal_value(b)\n",
    }
    project = Project(tmp_path, files)
    project.revealed()
    assert project.ran() == ["b.py"]


def test_where_no_package_decides_a_cycle_is_entered_where_it_can_run(tmp_path: Path) -> None:
    project = Project(tmp_path, {**PACKAGE, "pkg/__init__.py": ""})
    assert project.revealed("pkg/whole.py") == project.revealed("pkg/parts.py") == ["2"]
    assert project.ran()[:2] == ["pkg/part.py", "pkg/base.py"]


def test_where_a_cycle_is_entered_depends_on_the_packages_around_it(tmp_path: Path) -> None:
    files = {**PACKAGE, "pkg/late.py": "from .base import Base\n", "pkg/__init__.py": "from . import late\n"}
    project = Project(tmp_path, files)
    assert project.revealed("pkg/parts.py") == ["Unknown"]
    assert "pkg/parts.py" in project.type("pkg/__init__.py", "")
    assert project.revealed("pkg/parts.py") == ["2"]


def test_what_a_cycle_does_to_others_happens_with_each_of_its_modules(tmp_path: Path) -> None:
    files = {
        "registry.py": "names = []\n",
        "pkg/__init__.py": "import registry\nfrom . import one\nregistry.names.append('pkg')\n",
        "pkg/one.py": "from . import __name__ as name\nsize = 1\n",
        "main.py": "import registry\nimport pkg.one\nreveal_value(len(registry.names))\n",
        "other.py": "import registry\nfrom pkg import one\nreveal_value(len(registry.names))\n",
    }
    project = Project(tmp_path, files)
    assert project.revealed() == project.revealed("other.py") == project.revealed() == ["1"]


def test_a_cancelled_analysis_leaves_nothing_half_done(tmp_path: Path) -> None:
    body = "".join(f"x{n} = {n}\n" for n in range(300))
    project = Project(
        tmp_path,
        {
            "leaf.py": "one = 1\n",
            "long.py": f"import leaf\n{body}last = leaf.one\n",
            "main.py": "import long\nreveal_value(long.last)\n",
        },
    )
    asked = iter([False, True])
    with pytest.raises(AnalysisCancelled):
        project.analyzer.analyze(str(tmp_path / "main.py"), cancelled=lambda: next(asked))
    assert project.ran() == ["long.py", "leaf.py"]
    assert project.revealed() == ["1"]
    assert project.ran() == ["long.py"]  # the leaf was whole


REGISTRY = {
    "registry.py": "MODELS = {}\ndef register(f):\n    MODELS[f.__name__] = f\n    return f\n",
    "one.py": "from registry import register\n@register\ndef one():\n    return 1\n",
    "two.py": "from registry import register\n@register\ndef two():\n    return 2\n",
    "first.py": 'import one, two\nfrom registry import MODELS\nreveal_value(MODELS["one"]())\nreveal_value(MODELS["two"]())\n',
    "second.py": 'import two, one\nfrom registry import MODELS\nreveal_value(MODELS["one"]())\nreveal_value(MODELS["two"]())\n',
    "third.py": 'import registry\nreveal_value("one" in registry.MODELS)\n',
}


def test_what_a_module_does_to_others_happens_where_it_is_imported(tmp_path: Path) -> None:
    project = Project(tmp_path, REGISTRY)
    assert project.revealed("first.py") == ["1", "2"]
    assert project.revealed("second.py") == ["1", "2"]
    assert project.revealed("third.py") == ["False"]
    project.type("one.py", REGISTRY["one.py"].replace("return 1", "return 10"))
    assert project.revealed("first.py") == ["10", "2"]
    assert project.revealed("second.py") == ["10", "2"]


def test_modes_that_a_module_sets_hold_where_it_is_imported(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "settings.py": 'import torch\ntorch.set_default_device("cuda:0")\n',
            "with_it.py": "import torch, settings\nreveal_value(torch.zeros(2).device)\n",
            "through.py": "import torch\ndef use():\n    import settings\n    reveal_value(torch.zeros(2).device)\nuse()\n",
            "without.py": "import torch\nreveal_value(torch.zeros(2).device)\n",
        },
    )
    for _ in range(2):
        assert project.revealed("with_it.py") == ["Device cuda:0"]
        assert project.revealed("through.py") == ["Device cuda:0"]
        assert project.revealed("without.py") == ["Device cpu"]


@pytest.mark.parametrize(
    ("files", "src"),
    [
        ({"src/pkg/__init__.py": "", "src/pkg/a.py": "x = 1", "main.py": "from pkg.a import x"}, ()),
        ({"python/a.py": "x = 1", "main.py": "from a import x"}, ("python",)),
        ({"a.py": "x = 1", "tools/main.py": "from a import x"}, ()),
        ({"tools/a.py": "x = 1", "tools/main.py": "from a import x"}, ()),
        ({"pkg/__init__.py": "", "pkg/a.py": "x = 1", "pkg/main.py": "from .a import x"}, ()),
        ({"pkg/__init__.py": "from .a import x", "pkg/a.py": "x = 1", "main.py": "from pkg import x"}, ()),
        ({"pkg/__init__.py": "from .a import *", "pkg/a.py": "x = 1", "main.py": "from pkg import *"}, ()),
        (
            {
                "pkg/__init__.py": "",
                "pkg/a.py": "x = 1",
                "pkg/sub/__init__.py": "",
                "pkg/sub/main.py": "from ..a import x",
            },
            (),
        ),
        ({"space/inner/a.py": "x = 1", "main.py": "from space.inner.a import x"}, ()),
        ({"space/a.py": "x = 1", "main.py": "import space.a\nx = space.a.x"}, ()),
        ({"space/a.py": "x = 1", "main.py": "from space import a\nx = a.x"}, ()),
        ({"pkg/__init__.py": "", "pkg/a.py": "x = 1", "main.py": "import pkg.a as a\nx = a.x"}, ()),
        (
            {
                "pkg/__init__.py": "x = 1",
                "pkg/a.py": "from pkg import x as y",
                "main.py": "import pkg.a\nx = pkg.a.y",
            },
            (),
        ),
        ({"a.py": "x = 1\n__all__ = ['x']\ny = 2", "main.py": "x = 0\nfrom a import *"}, ()),
        ({"a.py": "_x = 1\n__all__ = ['_x']", "main.py": "from a import *\nx = _x"}, ()),
    ],
)
def test_how_modules_are_found(tmp_path: Path, files: dict[str, str], src: tuple[str, ...]) -> None:
    main = next(name for name in files if name.endswith("main.py"))
    files = {**files, main: f"{files[main]}\nreveal_value(x)\n", "pyproject.toml": ""}
    assert Project(tmp_path, files, src).revealed(main) == ["1"]


SHADOWING = {
    "package/__init__.py": "",
    "package/random.py": "def uniform(low, high):\n    return None\n",
    "package/first.py": "from random import uniform\nvalue = 1\n",
    "package/second.py": "import torch\nfrom random import uniform\nreveal_value(uniform(0, 1))\n",
    "scripts/random.py": "def uniform(low, high):\n    return None\n",
    "scripts/second.py": "from random import uniform\nreveal_value(uniform(0, 1))\n",
    "package/beside.py": "import torch\nplace = torch.device('cuda')\n",
    "package/third.py": "from beside import place\nvalue = 1\n",
    "package/fourth.py": "import torch\nfrom beside import place\nreveal_value(place)\n",
}


@pytest.mark.parametrize("before", [(), ("package/first.py", "package/third.py")])
def test_how_a_module_is_found_does_not_depend_on_who_looked_for_it_before(
    tmp_path: Path, before: tuple[str, ...]
) -> None:
    project = Project(tmp_path, SHADOWING)
    for each in before:
        project.revealed(each)
    # A module of Python's is not the package's, a script's folder comes before it, and other names may be of either.
    assert "None" not in project.revealed("package/second.py")
    assert project.revealed("scripts/second.py") == ["None"]
    assert project.revealed("package/fourth.py") == ["Device cuda"]


def test_stubs_are_signatures(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "native.pyi": "import torch\nsize: int\ndef make(n: int) -> torch.Tensor: ...\n",
            "both.py": "x = 1\n",
            "both.pyi": "x: int\n",
            "main.py": "import native, both\nreveal_value(native.make(2))\nreveal_value(native.size)\nreveal_value(both.x)\n",
        },
    )
    assert project.revealed() == ["Unknown", "Unknown", "1"]


def test_the_project_is_found_from_below(tmp_path: Path) -> None:
    write_files(
        {"setup.py": "", "models/net.py": "x = 1", "tools/deep/main.py": "from models.net import x"}, tmp_path
    )
    modules = Modules(Workspace((str(tmp_path / "tools" / "deep"),)))
    found = modules.find("models.net", 0, str(tmp_path / "tools/deep/main.py"), outside=True)
    assert found == str(tmp_path / "models/net.py")


def test_a_folder_of_data_is_no_package(tmp_path: Path) -> None:
    write_files({"wandb/run-1/files/log.txt": "", "main.py": "import wandb"}, tmp_path)
    assert Modules(Workspace((str(tmp_path),))).find("wandb", 0, str(tmp_path / "main.py")) is None


TORCH = {
    "torch/__init__.py": "from torch import nn as nn\nfrom .functional import norm\n",
    "torch/_tensor.py": "import torch\n",
    "torch/functional.py": "def norm(x):\n    return 1\n",
    "torch/nn/__init__.py": "from .modules import *\n",
    "torch/nn/modules/__init__.py": "from .linear import Linear\nfrom .module import Module\n",
    "torch/nn/modules/module.py": "from torch.functional import norm\nclass Module:\n    pass\n",
    "torch/nn/modules/linear.py": "import torch\nfrom .module import Module\nfrom ..modules import module\n"
    "from torch import functional\n\nclass Linear(Module):\n    pass\n\n"
    "reveal_value(torch.zeros(2))\nreveal_value(Module)\nreveal_value(module.Module)\nreveal_value(functional.norm)\n",
}


def test_what_torch_does_is_known_where_torch_itself_is_looked_at(tmp_path: Path) -> None:
    """Its parts import each other: whoever ran one of them would run all."""
    project = Project(tmp_path, TORCH)
    found = project.revealed("torch/nn/modules/linear.py")
    assert found[0].startswith("Tensor device=cpu")
    assert found[1:] == ["torch.nn.Module", "torch.nn.Module", "torch.norm"]
    assert project.ran() == []


def test_a_package_that_is_only_called_torch_is_run(tmp_path: Path) -> None:
    files = {name: text for name, text in TORCH.items() if name != "torch/_tensor.py"}
    project = Project(tmp_path, files)
    project.revealed("torch/nn/modules/linear.py")
    assert "torch/nn/modules/module.py" in project.ran()


def test_installed_packages_are_nothing_to_each_other(tmp_path: Path) -> None:
    site = "env/lib/python3.11/site-packages"
    files = {
        f"{site}/one/__init__.py": "from one.inner import device\nimport two\n"
        "reveal_value(device)\nreveal_value(two.device)\n",
        f"{site}/one/inner.py": 'import torch\ndevice = torch.device("cpu")\n',
        f"{site}/two.py": 'import torch\ndevice = torch.device("cpu")\n',
    }
    write_files(files, tmp_path)
    analyzer = Analyzer(Workspace((str(tmp_path / site),)), lambda _: Config(), hovers=False)
    analysis = analyzer.analyze(str(tmp_path / site / "one/__init__.py"))
    assert [each.message for each in analysis.diagnostics] == ["Device cpu", "two.device"]
    assert [path.rpartition("/")[2] for path in analyzer._modules.ran] == ["inner.py"]


def test_what_the_importer_has_run_is_not_kept_with_a_module(tmp_path: Path) -> None:
    files = {
        "program.py": "def own():\n    return 1\n\nown()\nimport lib\nreveal_value(lib.given)\n",
        "lib.py": "def made():\n    return 2\n\ngiven = made()\n",
    }
    project = Project(tmp_path, files)
    project.revealed("program.py")
    kept = project.analyzer._modules._loaded[str(tmp_path / "lib.py")].functions
    assert kept is not None
    assert {node.name for node in kept.executed if isinstance(node, ast.FunctionDef)} == {"made"}


def test_what_a_module_has_noted_is_taken_over_once_in_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    is_news = Recalled.is_news

    def noted(*arguments: object) -> bool:
        asked.append(is_news(*arguments))  # type: ignore[arg-type]
        return asked[-1]

    monkeypatch.setattr(Recalled, "is_news", noted)
    calls = "reveal_value(late())\n" * 20
    files = {
        "helper.py": "def run():\n    return 3\nrun()\n",
        "main.py": f"def late():\n    import helper\n    return helper.run()\n{calls}",
    }
    assert Project(tmp_path, files).revealed() == ["3"] * 20
    assert len(asked) > 20
    assert asked.count(True) < 6


def test_what_a_module_has_noted_is_taken_over_again_where_it_was_forgotten(tmp_path: Path) -> None:
    """Each function runs by itself, and leaves nothing behind."""
    function = "def run{0}(x):\n    import helper\n    return helper.moved(x)\n"
    files = {
        "helper.py": "import torch\ndef moved(x):\n    return x.to('cuda')\nshown = moved(torch.ones(2))\n",
        "main.py": function.format(1) + function.format(2) + "reveal_value(run2(run1([])))\n",
    }
    project = Project(tmp_path, files)
    first = project.revealed()
    project.type("main.py", files["main.py"] + "\n")
    assert project.revealed() == first
