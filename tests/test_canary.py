"""A workspace in which everything that can be run leaves a mark when it is: nothing does.

Its modules, its `sitecustomize`, its `.venv`, its `pyproject.toml`, the folders on PATH and PYTHONPATH: checked on the
command line with `--probe`, and in a language server that is asked for everything there is, none of it is run or imported.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from checking import line_of, write_files
from devls.analysis import Analysis, Analyzer
from devls.config import Config
from devls.project.workspace import Workspace
from devls.text.edits import apply_edits
from lsp.client import SERVER_PATH, Client, vscode

if TYPE_CHECKING:
    from devls.analysis import Diagnostic


TORCH = str(Path(sys.executable))

LEAVE = "import pathlib\n(pathlib.Path({folder!r}) / '{name}').touch()\n"

MODULES = (
    "train.py",
    "library.py",
    "sitecustomize.py",
    "usercustomize.py",
    "path/torch.py",
    "path/torch/__init__.py",
    "path/numpy.py",
    "path/sitecustomize.py",
    "json.py",
    "devls/__init__.py",
    "devls/probe/protocol.py",
    "conftest.py",
    "setup.py",
    ".venv/lib/python3/site-packages/sitecustomize.py",
    ".venv/lib/python3/site-packages/mark.pth",
    "site-packages/library2/__init__.py",
)

PROGRAM = """
import torch
import library
import library2

x = torch.ones(2, 3, device="cuda")
y = x + torch.zeros(2, 3)
x.cpu()
z = y.sum().item()
"""

PROJECT = """
[build-system]
requires = ["nothing"]
build-backend = "train"

[tool.devls]
python = ".venv/bin/python"
interpreter = ".venv/bin/python"
src = ["__import__('train')"]
"""


@pytest.fixture
def marks(tmp_path):
    """The folder where marks are left; the workspace is beside it."""
    marks, root = tmp_path / "marks", tmp_path / "workspace"
    marks.mkdir()
    for name in MODULES:
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(LEAVE.format(folder=str(marks), name=name.replace("/", "-")))
    with (root / "train.py").open("a") as program:
        program.write(PROGRAM)
    for name in (
        ".venv/bin/python",
        ".venv/bin/python3",
        "bin/python",
        "bin/python3",
        "python",
        "python3",
        "git",
    ):
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f'#!/bin/sh\ntouch {marks}/{name.replace("/", "-")}\nexec {sys.executable} "$@"\n')
        target.chmod(0o755)
    (root / ".venv" / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).parent}\n")
    (root / "pyproject.toml").write_text(PROJECT)
    return marks


def environment(root: Path) -> dict[str, str]:
    """Environment of a shell that somebody has led astray: all of it points into the workspace."""
    return {
        **os.environ,
        "VIRTUAL_ENV": str(root / ".venv"),
        "CONDA_PREFIX": str(root / ".venv"),
        "PATH": os.pathsep.join([str(root / "bin"), ".", str(root), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join([str(root / "path"), str(root)]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def left(marks: Path) -> list[str]:
    return sorted(each.name for each in marks.iterdir())


def test_the_marks_are_left_when_something_is_run(marks: Path) -> None:
    root = marks.parent / "workspace"
    subprocess.run([sys.executable, "library.py"], cwd=root, check=False)
    subprocess.run(["python3", "-c", ""], cwd=root, env=environment(root), check=False)
    assert {"library.py", "bin-python3", "path-sitecustomize.py"} <= set(left(marks))


@pytest.mark.parametrize("argv", [(), ("--probe",), ("--probe", "--output-format", "json"), ("--fix",)])
def test_a_check_runs_nothing(marks: Path, argv: tuple[str, ...]) -> None:
    root = marks.parent / "workspace"
    refused = check(root, argv)
    assert refused.returncode == 2, refused.stderr  # there are no such settings
    project = root / "pyproject.toml"
    known = [line for line in PROJECT.splitlines() if not line.startswith(("python =", "interpreter ="))]
    project.write_text("\n".join(known), "utf-8")
    ran = check(root, argv)
    assert ran.returncode == (0 if "--fix" in argv else 1), ran.stderr
    assert "--fix" in argv or "tensor-created-off-device" in ran.stdout or "mixed-devices" in ran.stdout, (
        ran.stdout
    )
    if "--probe" in argv:
        assert "confirm" in ran.stdout
    assert left(marks) == []


def check(root: Path, argv: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    # `-P` and no PYTHONPATH of the workspace: how the `devls` command itself is started is not devls' doing.
    start = f"import sys; sys.path.insert(0, {str(SERVER_PATH)!r}); from devls.__main__ import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-I", "-c", start, "--check", ".", *argv],
        cwd=root,
        env=environment(root),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("chosen", "trusted"),
    [("outside", False), ("inside", False), ("none", False), ("outside", None), ("none", None)],
)
def test_a_language_server_runs_nothing(marks: Path, chosen: str, *, trusted: bool | None) -> None:
    root = marks.parent / "workspace"
    settings: dict[str, object] = {} if trusted is None else {"trusted": trusted}
    if chosen == "outside":
        settings["interpreter"] = TORCH
    elif chosen == "inside":
        settings["interpreter"] = str(root / ".venv/bin/python")
    start = f"import sys; sys.path.insert(0, {str(SERVER_PATH)!r}); from devls.__main__ import main; sys.exit(main())"
    client = Client(
        [
            "env",
            f"--chdir={root}",
            *(f"{k}={v}" for k, v in environment(root).items()),
            sys.executable,
            "-I",
            "-c",
            start,
        ],
        vscode(pull=True),
        root,
        settings={"": settings},
    )
    uri = client.open((root / "train.py").as_uri(), (root / "train.py").read_text())
    found = client.pull(uri)
    assert found
    for each in found:
        for action in client.actions(uri, [each]):
            if action["title"] == "Ask torch":
                said = client.request("workspace/executeCommand", action["command"])
                assert trusted is None
                assert "torch 2" in said
    for line in range(12):
        for column in (0, 4, 6, 10):
            client.hover(uri, line, column)
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    client.pull(uri)
    assert client.leave() == 0, client.log
    assert left(marks) == []


# The misunderstandings that devls began with, each held as a check


def run(text: str, folder: Path) -> Analysis:
    write_files({"train.py": text}, folder)
    return Analyzer(Workspace((str(folder),)), lambda _path: Config()).analyze(str(folder / "train.py"))


def only(analysis: Analysis, rule: str) -> Diagnostic:
    (found,) = analysis.diagnostics
    assert found.rule == rule
    return found


def fixed(analysis: Analysis, diagnostic: Diagnostic) -> str:
    return apply_edits(analysis.source.text, diagnostic.fixes[0].edits)


def test_a_dropped_transfer_of_a_tensor_is_reported_and_of_a_module_is_not(tmp_path: Path) -> None:
    analysis = run(
        "import torch\n"
        "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "model = torch.nn.Linear(10, 1)\n"
        "model.to(device)\n"
        "x = torch.randn(4, 10)\n"
        "x.to(device)\n",
        tmp_path,
    )
    found = only(analysis, "discarded-transfer")
    assert line_of(analysis.source.text, found.range.start) == 6
    assert fixed(analysis, found).endswith("x = x.to(device)\n")


def test_tensors_on_two_devices_are_reported_with_both_origins(tmp_path: Path) -> None:
    analysis = run(
        "import torch\n"
        "a = torch.tensor([1.0, 2.0], device='cuda')\n"
        "b = torch.tensor([3.0, 4.0])\n"
        "c = a + b\n",
        tmp_path,
    )
    found = only(analysis, "mixed-devices")
    assert line_of(analysis.source.text, found.range.start) == 4
    assert {line_of(analysis.source.text, each.range.start) for each in found.related} == {2, 3}
    assert "`b` is on the CPU" in found.message
    assert "`a` is on cuda" in found.message


def test_numpy_of_a_tensor_that_requires_grad_offers_detach(tmp_path: Path) -> None:
    analysis = run(
        "import torch\nw = torch.tensor([1.0, 2.0], requires_grad=True)\narray = (w * 2).numpy()\n", tmp_path
    )
    found = only(analysis, "numpy-on-grad")
    assert "(w * 2).detach().numpy()" in fixed(analysis, found)


def test_the_gradient_of_a_non_leaf_offers_retain_grad(tmp_path: Path) -> None:
    analysis = run(
        "import torch\n"
        "w = torch.tensor([1.0, 2.0], requires_grad=True)\n"
        "x = w * 3\n"
        "x.sum().backward()\n"
        "print(x.grad)\n",
        tmp_path,
    )
    found = only(analysis, "grad-of-non-leaf")
    assert "x.retain_grad()\nx.sum().backward()" in fixed(analysis, found)


def test_a_second_backward_is_explained(tmp_path: Path) -> None:
    analysis = run(
        "import torch\n"
        "w = torch.tensor([1.0, 2.0], requires_grad=True)\n"
        "loss = (w**2).sum()\n"
        "loss.backward()\n"
        "loss.backward()\n",
        tmp_path,
    )
    found = only(analysis, "backward-twice")
    assert line_of(analysis.source.text, found.range.start) == 5
    told = {line_of(analysis.source.text, each.range.start): each.message for each in found.related}
    assert "freed" in told[4]
    assert "pow" in told[3]


def test_moving_a_module_with_and_without_assignment_is_explained_as_the_same(tmp_path: Path) -> None:
    text = (
        "import torch\n"
        "device = torch.device('cuda')\n"
        "model = torch.nn.Linear(10, 1)\n"
        "model.to(device)\n"
        "model = model.to(device)\n"
    )
    analysis = run(text, tmp_path)
    assert analysis.diagnostics == ()
    hovers = [analysis.hover(offset) for offset in (text.index(".to(") + 2, text.rindex(".to(") + 2)]
    for found in hovers:
        assert found is not None
        assert "in place, and returns the module itself" in found.markdown
        assert "`model = model.to(device)` and `model.to(device)` alone do the same" in found.markdown


def test_a_layer_that_is_new_in_each_forward_is_on_the_cpu_only_if_nobody_places_it(tmp_path: Path) -> None:
    model = (
        "import torch\nfrom torch import nn\n"
        "class Model(nn.Module):\n    def forward(self, x):\n        return LAYER(x)\n"
    )
    told = {
        made: only(run(model.replace("LAYER", made), tmp_path), "layer-created-in-forward").message
        for made in ("nn.Linear(4, 4)", "nn.Linear(4, 4, device=x.device)", "nn.Linear(4, 4).to(x.device)")
    }
    assert [each.endswith("and on the CPU") for each in told.values()] == [True, False, False]
