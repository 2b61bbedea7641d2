"""Notebooks on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from devls.cli.arguments import Options, parse
from devls.cli.main import run
from devls.syntax.notebook import NotebookError, NotebookSource

if TYPE_CHECKING:
    from pathlib import Path


def notebook(*cells: str, language: str = "python") -> str:
    """A notebook's text; cells that begin with `#md` are prose."""
    made = [
        {
            "cell_type": "markdown" if code.startswith("#md") else "code",
            "source": code.splitlines(keepends=True),
        }
        for code in cells
    ]
    return json.dumps({"cells": made, "metadata": {"kernelspec": {"language": language}}, "nbformat": 4})


MIXED = "b = torch.zeros(2, device='cpu')\na + b"
CELLS = (
    "#md A title",
    "%matplotlib inline\nimport torch",
    "!pip install x\na = torch.zeros(2, device='cuda:0')",
    MIXED,
)


def check(folder: Path, capsys: pytest.CaptureFixture[str], text: str, *flags: str) -> tuple[int, str, str]:
    (folder / "a.ipynb").write_text(text, encoding="utf-8")
    options = parse(["--check", str(folder), *flags])
    assert isinstance(options, Options)
    status = run(options)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_findings_are_named_by_cell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = check(tmp_path, capsys, notebook(*CELLS), "--output-format", "concise")
    assert (status, err) == (1, "")
    assert out.startswith("a.ipynb:cell 4:2:1: error[mixed-devices] ")
    _, out, _ = check(tmp_path, capsys, notebook(*CELLS), "--output-format", "json")
    (found,) = json.loads(out)
    assert found["location"] == {"row": 2, "column": 1, "cell": 4}
    assert found["fixes"] == []
    assert found["related"][0]["location"]["cell"] == 4
    _, out, _ = check(tmp_path, capsys, notebook(*CELLS))
    assert "a.ipynb:cell 4:2:1" in out
    assert "\n    2 │ a + b" in out


def test_what_is_timed_is_found_where_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "import torch\na = torch.zeros(2, device='cuda:0')\n%time b = a + torch.zeros(2, device='cpu')\n%time a.to('cpu')\nb"
    _, out, _ = check(tmp_path, capsys, notebook(code), "--output-format", "concise")
    assert out.startswith("a.ipynb:cell 1:3:11: error[mixed-devices] ")
    assert out.count("a.ipynb:cell") == 1  # whoever times something may well have no use for it


def test_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = notebook("import torch\nx = torch.zeros(2)\nx.to('cuda:0')\ny = x + 1")
    status, _, _ = check(tmp_path, capsys, text, "--fix", "--unsafe-fixes")
    assert status == 1
    assert (tmp_path / "a.ipynb").read_text(encoding="utf-8") == text


def test_what_a_cell_shows_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = (
        "import torch\nx = torch.zeros(2)\nx.to('cuda:0')",
        "x.to('cuda:0')",
        "x.to('cuda:0')\n\n# the end",
    )
    assert check(tmp_path, capsys, notebook(*shown))[0] == 0
    assert check(tmp_path, capsys, notebook("import torch\nx = torch.zeros(2)\nx.to('cuda:0')\nx"))[0] == 1


def test_what_does_not_parse_is_said_by_cell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = notebook("x = 1", "#md", "y = 2\nz = (")
    status, out, err = check(tmp_path, capsys, broken, "--output-format", "concise")
    assert (status, err) == (1, "")
    assert "a.ipynb:cell 3:2:1: error[syntax-error] this cannot be parsed" in out


@pytest.mark.parametrize(
    ("cell", "left"),
    [
        ("%matplotlib inline\nx = 1", ["pass", "x = 1"]),
        ("%%bash\nls $x", ["", ""]),
        ("%%time\nx = 1", ["", "x = 1"]),
        ("if x:\n    !ls\ny = 1", ["if x:", "    pass", "y = 1"]),
        ("!ls \\\n  -l \\\n  -a\nx = 1 + \\\n  2", ["pass", "", "", "x = 1 + \\", "  2"]),
        ("files = !ls", ["files = None"]),
        ("%time  y, z = f(x)", ["pass;  y, z = f(x)"]),
        ("if x:\n\t%time y = f(x)", ["if x:", "\tpass; y = f(x)"]),
        ("%time y = f(x) if", ["pass"]),
        ("%time f(x)", ["pass"]),
        ("%time x == f(x)", ["pass"]),
        ("%timeit y = f(x)", ["pass"]),
        ("y = 2\nz = (\nw = 1", ["y = 2", "pass", "w = 1"]),
        ("t = %timeit -o f()", ["t = None"]),
        ("torch.add?", ["pass"]),
        ("?torch.add", ["pass"]),
        ("x = (5\n% 3)", ["x = (5", "% 3)"]),
        ('x = """\n%s\n"""', ['x = """', "%s", '"""']),
        ("await f()", ["await f()"]),
    ],
)
def test_what_is_no_python_is_blank(cell: str, left: list[str]) -> None:
    assert NotebookSource.read("a.ipynb", notebook(cell)).text.splitlines() == left


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cells": 3}'])
def test_what_is_no_notebook(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NotebookError):
        NotebookSource.read("a.ipynb", text)
    status, out, err = check(tmp_path, capsys, text, "--output-format", "concise")
    assert "a.ipynb:1:1: error[unreadable-file] the file is not checked: it is not a notebook" in out
    assert (status, err) == (1, "")


def test_a_notebook_in_another_language_is_no_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = check(tmp_path, capsys, notebook("x <- 1", language="R"))
    assert (status, out) == (0, "Nothing was checked.\n")
    assert "a.ipynb is not checked: it is a notebook in R." in err
