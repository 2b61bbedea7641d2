"""Installed packages: where their source is found, and that it is understood, not judged."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pathspec import GitIgnoreSpec

from checking import holds_in_bounded_time, write_files
from devls.analysis import Analyzer
from devls.config import Config
from devls.project import modules as modules_of
from devls.project.definitions import Definitions, environments
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    from devls.analysis import Analysis


SITE = "lib/python3.11/site-packages"


def run(main: str, installed: dict[str, str], folder: Path) -> Analysis:
    """Analyze a program in a project, with packages in an environment beside it."""
    write_files({"project/main.py": main}, folder)
    write_files({f"env/{SITE}/{name}": text for name, text in installed.items()}, folder)
    analyzer = Analyzer(
        Workspace((str(folder / "project"),)),
        lambda _: Config(),
        hovers=False,
        installed=Definitions([str(folder / "env" / SITE)]),
    )
    return analyzer.analyze(str(folder / "project/main.py"))


def revealed(analysis: Analysis) -> list[str]:
    return [each.message for each in analysis.diagnostics if each.rule == "revealed-value"]


HELPER = {
    "helper/__init__.py": "from .tensors import make\nfrom . import heavy\n",
    "helper/tensors.py": "import torch\nfrom .settings import DEVICE\ndef make(n):\n    return torch.zeros(n, device=DEVICE)\n",
    "helper/settings.py": 'DEVICE = "cuda:0"\n',
    "helper/heavy.py": "import torch\nraise RuntimeError\n",
}


def test_what_a_library_makes(tmp_path: Path) -> None:
    main = "import helper\nfrom helper import make\nreveal_value(make(2).device)\nreveal_value(helper.make(3).device)\n"
    assert revealed(run(main, HELPER, tmp_path)) == ["Device cuda:0", "Device cuda:0"]


def test_only_what_is_used_is_run(tmp_path: Path) -> None:
    write_files({f"env/{SITE}/{name}": text for name, text in HELPER.items()}, tmp_path)
    write_files({"main.py": "from helper import make\n"}, tmp_path)
    analyzer = Analyzer(
        Workspace((str(tmp_path),)),
        lambda _: Config(),
        installed=Definitions([str(tmp_path / "env" / SITE)]),
    )
    analyzer.analyze(str(tmp_path / "main.py"))
    ran = [path.rpartition("/")[2] for path in analyzer._modules.ran]
    assert ran == ["__init__.py", "tensors.py"]


def test_a_package_without_torch_is_not_run(tmp_path: Path) -> None:
    plain = {"plain/__init__.py": "x = 1\n"}
    assert revealed(run("import plain\nreveal_value(plain.x)\n", plain, tmp_path)) == ["plain.x"]


@pytest.mark.parametrize("filler", ["\n", " \n", "\f\n", " ", "\t", "import\n", "from\n", "import ", "\r\n"])
def test_whether_a_package_uses_torch_is_told_in_one_look(tmp_path: Path, filler: str) -> None:
    """Looking from each blank line through all behind it takes minutes, in one call of a regular expression."""
    text = filler * (190_000 // len(filler)) + "# torch\n"
    write_files({"odd/__init__.py": text, "even/__init__.py": "\n\f  import  torch\n"}, tmp_path)

    def told() -> bool:
        found = Definitions([str(tmp_path)])
        return found.find("odd") is None and found.find("even") is not None

    assert holds_in_bounded_time(told)


MIXED = "import torch\ndef add(x):\n    return x + torch.zeros(2, device='cuda:0')\nadd(torch.zeros(2))\n"


def test_libraries_are_not_judged(tmp_path: Path) -> None:
    analysis = run("import torch, odd\ny = odd.add(torch.ones(2))\n", {"odd.py": MIXED}, tmp_path)
    assert analysis.diagnostics == ()
    assert analysis.elsewhere == ()
    # The same in the project's own file is found.
    (tmp_path / "own").mkdir()
    (tmp_path / "own/odd.py").write_text(MIXED)
    own = Analyzer(Workspace((str(tmp_path / "own"),)), lambda _: Config()).analyze(
        str(tmp_path / "own/odd.py")
    )
    assert [each.rule for each in own.diagnostics] == ["mixed-devices"]


def test_the_project_wins_and_is_nothing_to_a_library(tmp_path: Path) -> None:
    installed = {
        "lib.py": "import torch\nimport helper\ny = helper.x\n",
        "helper.py": "import torch\nx = 2\n",
    }
    write_files({"project/helper.py": "x = 1\n"}, tmp_path)
    main = "import helper, lib\nreveal_value(helper.x)\nreveal_value(lib.y)\n"
    assert revealed(run(main, installed, tmp_path)) == ["1", "2"]


def test_a_call_that_takes_long_is_unknown_and_the_program_goes_on(tmp_path: Path) -> None:
    body = "".join(f"    x = x + {n}\n" for n in range(4000))
    main = (
        "import torch, slow\nx = torch.zeros(2)\ny = slow.slow(x)\nreveal_value(y)\nreveal_value(x.device)\n"
    )
    found = revealed(run(main, {"slow.py": f"import torch\ndef slow(x):\n{body}    return x\n"}, tmp_path))
    assert found == ["Unknown", "Device cpu"]


def test_no_more_modules_than_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modules_of, "MODULES_OF_A_PACKAGE", 2)
    installed = {"big/__init__.py": "import torch\n"}
    installed |= {f"big/m{n}.py": f"x = {n}\n" for n in range(3)}
    main = "".join(f"from big.m{n} import x as x{n}\nreveal_value(x{n})\n" for n in range(3))
    assert revealed(run(main, installed, tmp_path))[:2] == ["0", "big.m1.x"]


@pytest.mark.parametrize("name", ["torch", "os", "numpy", "lightning", "accelerate"])
def test_what_is_known_better_is_not_read(tmp_path: Path, name: str) -> None:
    analysis = run(
        f"import {name}\nreveal_value({name}.mine)\n", {f"{name}.py": "import torch\nmine = 1\n"}, tmp_path
    )
    assert revealed(analysis) == [f"{name}.mine"]


def test_editable_installs(tmp_path: Path) -> None:
    write_files(
        {
            "one/src/first/__init__.py": "import torch\n",
            "two/second/__init__.py": "import torch\n",
            f"env/{SITE}/one.pth": f"import os; raise SystemExit\n# a comment\n{tmp_path}/one/src\n",
            f"env/{SITE}/__editable___two_finder.py": "import sys\nMAPPING: dict[str, str] = "
            + repr({"second": f"{tmp_path}/two/second"})
            + "\nraise SystemExit\n",
            f"env/{SITE}/__editable___bad_finder.py": "MAPPING = {f()}\n",
            f"env/{SITE}/third.py": "import torch\n",
        },
        tmp_path,
    )
    installed = Definitions([str(tmp_path / "env" / SITE)])
    places = {
        "first": "one/src/first/__init__.py",
        "second": "two/second/__init__.py",
        "third": f"env/{SITE}/third.py",
    }
    for name, place in places.items():
        assert installed.find(name) == str(tmp_path / place)
        assert installed.owner(str(tmp_path / place)) == name
        assert installed.is_editable(str(tmp_path / place)) is (name != "third")
    assert installed.find("fourth") is None
    assert installed.owner(str(tmp_path / "main.py")) is None


def test_which_environments_are_looked_at(tmp_path: Path) -> None:
    write_files(
        {
            "active/lib/python3.11/site-packages/a.py": "",
            "project/.venv/pyvenv.cfg": "",
            "project/.venv/lib/python3.12/site-packages/b.py": "",
            "project/venv/lib/python3.12/site-packages/no_environment.py": "",
        },
        tmp_path,
    )
    (tmp_path / "project/.git").mkdir()
    (tmp_path / "project/src").mkdir()
    found = environments([str(tmp_path / "project/src")], {"VIRTUAL_ENV": str(tmp_path / "active")})
    assert found[:2] == [
        str(tmp_path / "active/lib/python3.11/site-packages"),
        str(tmp_path / "project/.venv/lib/python3.12/site-packages"),
    ]
    assert found[2:] == environments([], {})
    assert len(found) == 3


def test_nothing_is_imported(tmp_path: Path) -> None:
    run("import helper\nfrom helper import heavy\n", HELPER, tmp_path)
    assert "helper" not in sys.modules


NEW_NAMES = """
import torch
from torch import accelerator

reveal_value(torch.accelerator.is_available())
print(torch.nn.Buffer)
if hasattr(torch, "accelerator"):
    print(torch.accelerator)
"""


@pytest.mark.parametrize(
    ("version", "lacking"), [("2.4.1+cu121", True), ("2.3.0", True), ("2.9.1", False), ("", False)]
)
def test_names_that_the_installed_torch_lacks(version: str, lacking: bool, tmp_path: Path) -> None:
    """The version is read from the text that is installed; nothing is imported, and no version means any."""
    files = {"torch/version.py": f"__version__ = '{version}'\n"} if version else {}
    found = [
        each for each in run(NEW_NAMES, files, tmp_path).diagnostics if each.rule == "no-such-torch-name"
    ]
    assert bool(found) is lacking
    assert all(f"torch {version} has no" in each.message for each in found)
    assert any("torch.nn.Buffer" in each.message for each in found) is lacking


@pytest.mark.parametrize(("meant", "lacking"), [("2.4", True), ("2.13", False)])
def test_the_torch_that_a_project_supports(meant: str, lacking: bool, tmp_path: Path) -> None:
    """Modules of the project come before installed ones."""
    write_files({"main.py": "import torch\nprint(torch.nn.Buffer)\n"}, tmp_path)
    write_files({"torch/version.py": "__version__ = '2.4.0'\n"}, tmp_path / "site")
    analyzer = Analyzer(
        Workspace((str(tmp_path),)),
        lambda _: Config(torch_version=meant),
        installed=Definitions([str(tmp_path / "site")]),
    )
    rules = [each.rule for each in analyzer.analyze(str(tmp_path / "main.py")).diagnostics]
    assert ("no-such-torch-name" in rules) is lacking


# The source distribution holds the server, its documentation, and tests that run with what lies in it


try:
    import tomllib
except ModuleNotFoundError:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def packed() -> set[str]:
    """The files of the repository that hatch packs, going by pyproject.toml."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = GitIgnoreSpec.from_lines(settings["tool"]["hatch"]["build"]["targets"]["sdist"]["include"])
    return set(wanted.match_files(listed.stdout.splitlines()))


def test_it_holds_the_server_and_stays_small(packed: set[str]) -> None:
    assert {
        "README.md",
        "LICENSE",
        "pyproject.toml",
        "server/devls/__main__.py",
        "server/devls/py.typed",
    } <= packed
    assert len(packed) <= 700


def test_its_tests_import_only_what_lies_in_it(packed: set[str]) -> None:
    tests = [each for each in packed if each.startswith("tests/") and each.endswith(".py")]
    assert any(Path(each).name.startswith("test_") for each in tests)
    for path in tests:
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            if not isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            names = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [each.name for each in node.names]
            )
            for name in names:
                beside = f"tests/{name.replace('.', '/')}.py"
                assert not (ROOT / beside).exists() or beside in packed, f"{path} imports {name}"
