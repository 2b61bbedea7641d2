"""Notebooks on the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from devls.cli import fixing
from devls.cli.arguments import Options, parse
from devls.cli.main import run
from devls.syntax.notebook import NotebookError, NotebookSource
from devls.syntax.notebook_file import with_codes
from devls.text.edits import Edit, Range

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran


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


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("pip install torch", 0),
        ("rm -r $folder\n", 0),
        ("  cd ../data", 0),
        ("pipe install torch", 1),
        ("rm.x y", 1),
        ("pip install torch\nimport torch", 1),
    ],
)
def test_a_cell_of_one_line_may_be_a_magic_without_its_sign(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cell: str, told: int
) -> None:
    """IPython looks for magics without a sign in cells of one line only."""
    status, out, _ = check(tmp_path, capsys, notebook("import torch", cell))
    assert (status, out.count("[syntax-error]")) == (told, told)


def test_what_was_considered_is_asked_by_cell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.ipynb"
    file.write_text(notebook(*CELLS), encoding="utf-8")

    def why(place: str) -> tuple[int, str]:
        status = run(parse(["why", f"{file}{place}"]))
        captured = capsys.readouterr()
        return status, captured.out + captured.err

    status, told = why(":cell 4:2:1")
    assert status == 0
    assert f"{file}:cell 4:2: mixed-devices is reported, as certain." in told
    assert why(":cell 2:2") == (0, f"{file}:cell 2:2: nothing was considered here.\n")
    assert why(":2") == (2, f"devls: write `devls why '{file}:cell N:LINE'`.\n")
    file.with_suffix(".py").write_text("x = 1\n")
    file = file.with_suffix(".py")
    assert why(":cell 1:1") == (2, f"devls: {file} has no cells.\n")


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
    (fix,) = found["fixes"]
    assert fix["edits"][0]["location"] == {"row": 2, "column": 6, "cell": 4}
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


# Text that no edit touches stays, whatever the file's form.
WRITTEN = {
    "as Jupyter writes it": {"indent": 1, "ensure_ascii": False},
    "on one line": {"separators": (",", ":")},
    "with escapes": {"indent": 2, "ensure_ascii": True},
}


def with_outputs(*cells: str | list[str]) -> dict[str, Any]:
    made = [
        {
            "cell_type": "code",
            "execution_count": 3,
            "id": f"c{number}",
            "metadata": {"tags": ["é"], "source": ["x.to(d)"]},
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["x.to(d)\n", "1.0e-7 \u2028"]}],
            "source": code,
        }
        for number, code in enumerate(cells)
    ]
    prose = {"cell_type": "markdown", "metadata": {}, "source": ["x.to(d)\n"]}
    return {"cells": [prose, *made], "metadata": {"x": 1.50}, "nbformat": 4, "nbformat_minor": 5}


@pytest.mark.parametrize("form", WRITTEN)
@pytest.mark.parametrize("whole", [False, True])
def test_fixes_change_the_code_alone(devls: Callable[..., Ran], form: str, whole: bool) -> None:
    cells = (
        ["# é\n", "%time 3\n", "x.to(d)\n", "!ls\n", "1"],
        ["x.to(d);1"],
        ["good\n"],
        ["%%time\n", "y.to(d)\n", "2"],
    )
    codes = ["".join(each) if whole else each for each in cells]
    before = json.dumps(with_outputs(*codes), **WRITTEN[form]) + "\n \n"
    path = Path("a.ipynb")
    path.write_bytes(before.encode())
    patch = devls("check", "--diff").out
    ran = devls("check", "--fix", "--output-format", "concise")
    assert (ran.status, ran.err) == (0, "")
    after = path.read_bytes().decode()
    if whole:
        expected = [each.replace("x.to(d)", "x = x.to(d)").replace("y.to", "y = y.to") for each in codes]
    else:
        expected = [
            [line.replace("x.to", "x = x.to").replace("y.to", "y = y.to") for line in each] for each in cells
        ]
    assert after == json.dumps(with_outputs(*expected), **WRITTEN[form]) + "\n \n"
    path.write_bytes(before.encode())
    assert devls("check", "-", "--stdin-filename", "a.ipynb", "--fix", stdin=before.encode()).out == after
    subprocess.run(["git", "apply", "-"], input=patch.encode(), check=True)
    assert path.read_bytes().decode() == after


def test_odd_spellings_of_a_notebook_stay() -> None:
    text = r""" {"cells" :[ {"source": ["lost"], "cell_type":"code","source" : [ "\u0061 = 1\n" , "b\/c\n",
        "d" ] }, {"source":[],"cell_type":"code"} ], "x": NaN}"""
    assert with_codes(text, {1: "a = 1\nb/c\ne\r\nf"}) == text.replace(',\n        "d"', r' , "e\r\n" , "f"')
    changed = with_codes(text, {1: "a = 1\nb/c\ne"})
    assert changed == text.replace('"d"', '"e"')
    assert with_codes(text, {2: "x\ny", 1: "a = 1\n"}).count(r'["x\n", "y"]') == 1
    for wrong in ("{}", "[]", "{", text.replace("[]", "[1"), text.replace('"source":[]', '"sauce":[]')):
        with pytest.raises(NotebookError):
            with_codes(wrong, {2: "x"})
    with pytest.raises(NotebookError):
        with_codes(text, {3: "x"})


def edited(cells: list[str], old: str, new: str) -> list[str] | None:
    """The cells in which a part of their program is replaced."""
    source = NotebookSource.of_cells("a.ipynb", list(enumerate(cells, 1)))
    start = source.text.index(old)
    changed = source.edited([Edit(Range(start, start + len(old)), new)])
    return None if changed is None else [each.code for each in changed.cells]


@pytest.mark.parametrize(
    ("cells", "old", "new", "left"),
    [
        (["a\nb", "c"], "b", "B", ["a\nB", "c"]),
        (["a\nb", "c"], "b\n", "", ["a", "c"]),
        (["a", "c"], "a\n", "", ["", "c"]),
        (["a\nb", "c"], "b\n", "x\ny\n", ["a\nx\ny", "c"]),
        (["a\r\nb", "c"], "a\n", "x\ny\n", ["x\r\ny\r\nb", "c"]),
        (["a", "c"], "a\nc", "x", None),  # of two cells
        (["%x\na", "c"], "pass", "x", None),  # of a magic
        (["%x\na", "c"], "pass\na", "x", None),
        (["a\ufffd", "c"], "a", "x", None),  # the file has something else there
    ],
)
def test_edits_of_cells(cells: list[str], old: str, new: str, left: list[str] | None) -> None:
    assert edited(cells, old, new) == left


@pytest.mark.parametrize(
    ("cells", "line", "left"),
    [
        (["a", "b"], 0, ["x\na", "b"]),
        (["a", "b"], 1, ["a", "x\nb"]),
        (["a", "b"], 2, ["a", "b\nx"]),
        (["a", ""], 2, ["a", "x"]),
        (["%m\na"], 0, ["x\n%m\na"]),
        (["%%time\na"], 0, None),
        (["%%time\na"], 1, ["%%time\nx\na"]),
    ],
)
def test_lines_that_are_put_into_cells(cells: list[str], line: int, left: list[str] | None) -> None:
    source = NotebookSource.of_cells("a.ipynb", list(enumerate(cells, 1)))
    start = source.index.line_start(line)
    changed = source.edited([Edit(Range(start, start), "x\n")])
    assert (None if changed is None else [each.code for each in changed.cells]) == left


def test_a_notebook_that_changed_meanwhile_is_left_alone(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process saves it while it is checked."""
    path, other = Path("a.ipynb"), notebook("x.to(d)\n1", "more")
    apply = fixing.apply_fixes

    def meanwhile(*args: Any, **options: Any) -> fixing.Fixed:
        fixed = apply(*args, **options)
        path.write_text(other)
        return fixed

    monkeypatch.setattr(fixing, "apply_fixes", meanwhile)
    for flag in ("--fix", "--diff"):
        path.write_text(notebook("x.to(d)\n1"))
        ran = devls("check", flag)
        assert ran.status == 2
        assert "devls: a.ipynb is not fixed: it changed while it was checked.\n" in ran.err
        assert path.read_text() == other


def test_comments_are_added_to_cells(devls: Callable[..., Ran]) -> None:
    Path("a.ipynb").write_text(notebook("%m\nbad", "x.to(d)\n1"))
    devls("check", "--add-ignore")
    codes = ["".join(each["source"]) for each in json.loads(Path("a.ipynb").read_text())["cells"]]
    assert codes == [
        "%m\nbad  # devls: ignore[mixed-devices]",
        "x.to(d)  # devls: ignore[discarded-transfer]\n1",
    ]


def test_what_other_programs_apply_is_no_edit_of_a_cell(devls: Callable[..., Ran]) -> None:
    Path("a.ipynb").write_text(notebook("x.to(d)\n1"))
    (found,) = json.loads(devls("check", "--output-format", "sarif").out)["runs"][0]["results"]
    (told,) = json.loads(devls("check", "--output-format", "rdjson").out)["diagnostics"]
    assert "fixes" not in found
    assert "suggestions" not in told
    assert devls("check", "-", "--stdin-filename", "b.ipynb", stdin=b"x.to(d)").err == (
        "devls: standard input is not checked: it is not a notebook.\n"
    )


def test_what_a_cell_shows_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = (
        "import torch\nx = torch.zeros(2)\nx.to('cuda:0')",
        "x.to('cuda:0')",
        "x.to('cuda:0')\n\n# the end",
    )
    assert check(tmp_path, capsys, notebook(*shown))[0] == 0
    assert check(tmp_path, capsys, notebook("import torch\nx = torch.zeros(2)\nx.to('cuda:0')\nx"))[0] == 1


def test_an_indented_cell_runs_as_in_jupyter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cells = ("import torch", " a = torch.zeros(2, device='cuda:0')\n if True:\n     a + torch.zeros(2)\n")
    status, out, _ = check(tmp_path, capsys, notebook(*cells), "--output-format", "concise")
    assert status == 1
    assert out.startswith("a.ipynb:cell 2:3:6: error[mixed-devices]"), out
    assert "syntax-error" not in out


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


def test_fixes_are_weighed_without_making_the_notebook_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    source = NotebookSource.read("a.ipynb", notebook("import torch", "a = 1\nb = 2"))
    monkeypatch.setattr(NotebookSource, "of_cells", None)
    within, beyond = Range(13, 14), Range(0, 14)
    assert source.can_take([Edit(within, "c"), Edit(within, "d")])
    assert not source.can_take([Edit(within, "c"), Edit(beyond, "d")])
