"""`devls --check`: what is checked, what is said, and how it ends."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from devls import __main__ as entry
from devls.analysis import Analyzer
from devls.cli import parallel

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

SERVER = Path(entry.__file__).parent.parent

LOCATION = {
    "type": "object",
    "properties": {"row": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}},
    "required": ["row", "column"],
    "additionalProperties": False,
}
SPAN = {"location": LOCATION, "end_location": LOCATION}
FIX = {
    "type": "object",
    "properties": {
        "applicability": {"enum": ["safe", "unsafe", "display"]},
        "message": {"type": "string"},
        "edits": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"content": {"type": "string"}, **SPAN},
                "required": ["content", "location", "end_location"],
            },
        },
    },
    "required": ["applicability", "message", "edits"],
}
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "code": {"type": "string"},
            "severity": {"enum": ["error", "warning", "info"]},
            "message": {"type": "string"},
            "filename": {"type": "string"},
            "url": {"type": "string"},
            **SPAN,
            "related": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"filename": {"type": "string"}, "message": {"type": "string"}, **SPAN},
                    "required": ["filename", "message", "location", "end_location"],
                },
            },
            "fix": {"anyOf": [{"type": "null"}, FIX]},
            "fixes": {"type": "array", "items": FIX},
        },
        "required": [
            "code",
            "severity",
            "message",
            "filename",
            "location",
            "end_location",
            "url",
            "related",
            "fix",
            "fixes",
        ],
    },
}


def found(ran: Ran) -> list[tuple[str, int, int, str]]:
    rows = json.loads(ran.out)
    return [(row["filename"], *row["location"].values(), row["code"]) for row in rows]


def as_json(devls: Callable[..., Ran], *argv: str, **more: Any) -> list[tuple[str, int, int, str]]:
    return found(devls("--check", "--output-format", "json", *argv, **more))


def test_exit_status(devls: Callable[..., Ran]) -> None:
    Path("good.py").write_text("good\n")
    Path("bad.py").write_text("bad\n")
    assert devls("--check", "good.py").status == 0
    assert devls("--check", "bad.py").status == 1
    assert devls("--check", "bad.py", "--exit-zero").status == 0
    assert devls("--check", "bad.py", "nowhere.py").status == 2


def test_json_is_as_promised(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text('origin\né = "ß😀" + bad\nhint\n', encoding="utf-8")
    ran = devls("--check", "a.py", "--output-format", "json")
    jsonschema.validate(json.loads(ran.out), SCHEMA)
    bad, hint = json.loads(ran.out)
    assert bad["location"] == {"row": 2, "column": 12}
    assert bad["end_location"] == {"row": 2, "column": 15}
    assert bad["related"][0]["filename"] == "a.py"
    assert bad["url"] == "https://rules/mixed-devices"
    assert bad["fix"] == bad["fixes"][0]
    assert bad["fix"]["edits"][0]["content"] == "good"
    assert hint["fix"]["applicability"] == "display"
    assert hint["severity"] == "info"
    assert devls("--check", "--output-format", "json", "a.py", "--ignore", "device").out == "[]\n"


def test_files_are_named_as_they_were_given(devls: Callable[..., Ran], tmp_path: Path) -> None:
    for name in ("sub/a.py", "sub/b.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("bad\n")
    assert [row[0] for row in as_json(devls, "sub")] == ["sub/a.py", "sub/b.py"]
    assert [row[0] for row in as_json(devls, "./sub/../sub/b.py", "sub")] == ["sub/b.py", "sub/a.py"]
    assert [row[0] for row in as_json(devls, str(tmp_path / "sub" / "a.py"))] == ["sub/a.py"]
    os.chdir(tmp_path / "sub")
    (tmp_path / "c.py").write_text("bad\n")
    assert [row[0] for row in as_json(devls, "../c.py")] == ["../c.py"]
    assert [row[0] for row in as_json(devls, str(tmp_path / "c.py"))] == [str(tmp_path / "c.py")]


def test_what_is_left_out_of_folders(devls: Callable[..., Ran], tmp_path: Path) -> None:
    for name in (
        "a.py",
        "notes.txt",
        ".venv/lib/v.py",
        "pkg/__pycache__/c.py",
        "node_modules/n.py",
        "out/o.py",
        "pkg/made.py",
        "pkg/kept_made.py",
        "pkg/excluded/e.py",
        "deep/out/d.py",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text("bad\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("/out/\n*made.py\n")
    (tmp_path / "pkg" / ".gitignore").write_text("!kept_made.py\n")
    (tmp_path / "pyproject.toml").write_text('[tool.devls]\nexclude = ["excluded/"]\n')
    assert [row[0] for row in as_json(devls, ".")] == ["a.py", "deep/out/d.py", "pkg/kept_made.py"]
    assert [row[0] for row in as_json(devls, "pkg")] == ["pkg/kept_made.py"]
    assert [row[0] for row in as_json(devls)] == [row[0] for row in as_json(devls, ".")]
    # A path that is named is checked.
    assert [row[0] for row in as_json(devls, "pkg/made.py", ".venv/lib/v.py", "notes.txt")] == [
        "pkg/made.py",
        ".venv/lib/v.py",
        "notes.txt",
    ]
    assert [row[0] for row in as_json(devls, "out")] == ["out/o.py"]
    assert [row[0] for row in as_json(devls, "pkg/excluded")] == ["pkg/excluded/e.py"]


def test_links_that_go_round(devls: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("bad\n")
    (tmp_path / "again").symlink_to(tmp_path)
    assert [row[0] for row in as_json(devls, ".")] == ["a.py"]


def test_selection(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\nchain\nstuck\n")
    assert [row[3] for row in as_json(devls, "a.py", "--select", "autograd")] == [
        "backward-twice",
        "numpy-on-grad",
    ]
    chosen = as_json(devls, "a.py", "--select", "device,autograd", "--ignore", "backward-twice")
    assert [row[3] for row in chosen] == ["mixed-devices", "numpy-on-grad"]
    wrong = devls("--check", "a.py", "--select", "mixed-device")
    assert wrong.status == 2
    assert (
        "--select: there is no rule or family named 'mixed-device' (did you mean 'mixed-devices'?)"
        in wrong.err
    )


def test_configuration_and_its_mistakes(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\nchain\n")
    Path("pyproject.toml").write_text('[tool.devls]\nignore = ["device"]\nselect = 3\n')
    ran = devls("--check", "a.py", "--output-format", "json")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.count("pyproject.toml:3: tool.devls.select: has to be a list") == 1
    assert "nothing was checked" in ran.err


def test_other_files_findings(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("import other\n")
    Path("b.py").write_text("import other\n")
    Path("other.py").write_text("bad\nnear\n")
    assert as_json(devls, "a.py") == []
    ran = devls("--check", ".", "--output-format", "concise")
    assert ran.out.splitlines() == [
        "other.py:1:1: error[mixed-devices] [*] `bad` is wrong",
        "other.py:2:1: error[mixed-devices] seen from a.py",
    ]


def test_what_cannot_be_checked_costs_nothing_else(devls: Callable[..., Ran]) -> None:
    Path("binary.py").write_bytes(b"\0")
    Path("coded.py").write_text("# coding: future_fstrings\nx = <br/>\nbad\n")
    Path("half.py").write_text("x = (\nbad\n")
    Path("z.py").write_text("bad\n")
    ran = devls("--check", ".", "--output-format", "concise")
    assert ran.status == 1
    assert ran.out.splitlines() == [
        "binary.py:1:1: error[unreadable-file] the file is not checked: it is a binary file",
        "coded.py:1:1: info[unreadable-file] the file is read as UTF-8: Python knows its encoding only where a package adds it: future_fstrings",
        "coded.py:2:1: info[syntax-error] this cannot be parsed: invalid syntax; the rest of the file is checked",
        "coded.py:3:1: error[mixed-devices] [*] `bad` is wrong",
        "half.py:1:1: error[syntax-error] this cannot be parsed: '(' was never closed; the rest of the file is checked",
        "half.py:2:1: error[mixed-devices] [*] `bad` is wrong",
        "z.py:1:1: error[mixed-devices] [*] `bad` is wrong",
    ]
    assert ran.err == ""


def test_a_crash_is_named_and_the_rest_is_checked(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("crash\n")
    Path("b.py").write_text("bad\n")
    ran = devls("--check", ".", "--output-format", "json")
    assert ran.status == 2
    assert [row[0] for row in found(ran)] == ["b.py"]
    assert "a.py is not checked, because devls itself failed: ZeroDivisionError" in ran.err
    assert "Traceback" not in ran.err
    assert "Traceback" in devls("--check", ".", "--debug").err


def test_what_was_not_analyzed_to_its_end_is_said_if_asked(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("long, bad\n")
    assert devls("--check", ".", "--output-format", "concise").err == ""
    ran = devls("--check", ".", "--output-format", "concise", "--verbose")
    assert ran.status == 1
    assert ran.err.startswith(
        "devls: a.py:1: the function `long` is not analyzed to its end: it takes too many steps.\n"
    )


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_devls_failed_on_is_said_and_never_kept(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    monkeypatch.setattr(parallel, "MIN_BYTES", 0)
    monkeypatch.setenv("DEVLS_CACHE_DIR", str(Path.cwd() / "cache"))
    Path("a.py").write_text("partly, long, bad\n")
    Path("b.py").write_text("good\n")
    for _ in range(2):
        ran = devls("--check", ".", "--output-format", "concise", "--jobs", jobs)
        assert (ran.status, ran.out.count("\n")) == (2, 1)
        said = "devls: a.py:2: the function `partly` is not analyzed to its end: devls itself failed: KeyError: 'x'.\n"
        assert ran.err == said


def test_standard_input(devls: Callable[..., Ran]) -> None:
    assert as_json(devls, "-", stdin=b"bad\n") == [("<stdin>", 1, 1, "mixed-devices")]
    named = as_json(devls, "-", "--stdin-filename", "sub/x.py", stdin=b"# coding: latin-1\n'\xe9', bad\n")
    assert named == [("sub/x.py", 2, 6, "mixed-devices")]
    assert devls("--check", "-", stdin=b"\xff").status == 2


@pytest.mark.parametrize(
    "argv",
    [
        ["a.py"],
        ["--check", "-", "a.py"],
        ["--check", "a.py", "--stdin-filename", "x"],
        ["--check", "--output-format", "xml"],
        ["--nonsense"],
        ["--explain", "nonsense"],
        *(
            [
                ["check", option, " "]
                for option in ("--output-file", "--exclude", "--select", "--baseline", "--config")
            ]
        ),
        ["check", ""],
        ["check", "--config", "include = ['']"],
        ["check", "--show-files", "--show-settings"],
        ["check", "--show-settings", "--fix"],
    ],
)
def test_wrong_usage(devls: Callable[..., Ran], argv: list[str]) -> None:
    ran = devls(*argv)
    assert ran.status == 2
    assert ran.err.startswith("devls: ")
    assert ran.out == ""


def test_options_and_paths_in_any_order(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\n")
    assert len(as_json(devls, "--no-cache", "a.py")) == 1
    assert devls("a.py", "--check", "--output-format=concise", "--no-cache").out.startswith("a.py:1:1")


def test_github(devls: Callable[..., Ran]) -> None:
    Path("a,b.py").write_text("x\nbad\n")
    ran = devls("--check", "a,b.py", "--output-format", "github")
    assert ran.out == (
        "::error title=devls (mixed-devices),file=a%2Cb.py,line=2,endLine=2,col=1,endColumn=4"
        "::a,b.py:2:1: `bad` is wrong\n"
    )


def test_version_explain_and_list(devls: Callable[..., Ran]) -> None:
    assert devls("--version").out.startswith("devls 0.")
    page = devls("--explain", "backward-twice")
    assert page.status == 0
    assert page.out.startswith("# backward-twice\n")
    assert "```python\n" in page.out
    assert "raises=" not in page.out
    listed = devls("--list-rules").out
    assert {"device", "autograd", "training"} <= set(listed.splitlines())
    assert "  backward-twice" in listed


PROBE = """
import sys
from devls.cli.arguments import parse
from devls.cli.main import run
run(parse(sys.argv[1:]))
heavy = {"pygls", "lsprotocol", "jedi", "parso", "torch", "numpy"} | ({"rich"} if "json" in sys.argv else set())
print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize("output_format", ["json", "human"])
def test_start_up_imports_little(tmp_path: Path, output_format: str) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    ran = subprocess.run(
        [sys.executable, "-c", PROBE, "--check", ".", "--output-format", output_format],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SERVER)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr == "[]\n"


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        ran = subprocess.run(
            [sys.executable, "-m", "devls", "--check", "a.py"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(SERVER)},
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ran.stderr == ""
    assert ran.returncode == 1


def test_an_ascii_terminal(tmp_path: Path) -> None:
    (tmp_path / "ä.py").write_text("x = (\n", encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "devls", "--check", "ä.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SERVER), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 1, ran.stderr
    assert b"never closed" in ran.stdout


def test_what_happens_in_a_file_that_nobody_asked_for(tmp_path: Path) -> None:
    """It is told at the call that leads there, without fixes of the other file's text."""
    net = "from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layer = nn.Linear(2, 2)\n\n    def forward(self, x):\n        return self.layer(x)\n"
    main = 'import torch\nfrom net import Net\n\nmodel = Net().to("cuda")\nout = model(torch.ones(1, 2))\n'
    (tmp_path / "net.py").write_text(net)
    (tmp_path / "main.py").write_text(main)

    (alone,) = real_findings(tmp_path, "main.py")
    assert (alone["filename"], alone["location"]["row"], alone["fixes"]) == ("main.py", 5, [])
    assert (alone["related"][0]["filename"], alone["related"][0]["location"]["row"]) == ("net.py", 10)
    (there,) = real_findings(tmp_path, "main.py", "net.py")
    assert (there["filename"], there["location"]["row"]) == ("net.py", 10)


def test_the_worse_of_two_views_of_a_place_is_shown(tmp_path: Path) -> None:
    """Only the script shows that the layer has hooks; the file of the layer cannot know."""
    net = "from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.inner = nn.Linear(2, 2)\n\n    def forward(self, x):\n        return self.inner.forward(x)\n"
    main = "import torch\nfrom net import Net\n\nnet = Net()\n{}net(torch.zeros(2, 2))\n"
    (tmp_path / "net.py").write_text(net)
    levels = []
    for hook in ("", "net.inner.register_forward_hook(print)\n"):
        (tmp_path / "main.py").write_text(main.format(hook))
        (found,) = real_findings(tmp_path, ".")
        assert (found["filename"], found["location"]["row"]) == ("net.py", 10)
        levels.append(found["severity"])
    assert levels == ["info", "warning"]


def real_findings(folder: Path, *names: str) -> list[dict[str, Any]]:
    """Output of the command itself on real code."""
    ran = subprocess.run(
        [sys.executable, "-m", "devls", "--check", "--no-cache", "--output-format", "json", *names],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SERVER)},
        capture_output=True,
        text=True,
        check=False,
    )
    return list(json.loads(ran.stdout))


@pytest.mark.parametrize("command", [("check",), ("--check",)])
def test_names_that_look_like_options(devls: Callable[..., Ran], command: tuple[str, ...]) -> None:
    for name in ("-q.py", "--fix.py", "a.py"):
        Path(name).write_text("bad\n")
    ran = devls(*command, "--output-format", "concise", "--", "-q.py", "--fix.py", "a.py")
    assert (ran.status, ran.out.count("error[mixed-devices]"), ran.err) == (1, 3, "")
    assert "-q.py:1:1" in ran.out
    assert devls("check", "--", "--fix").status == 2


KINDS = (
    "notebook:",
    "cell:",
    "configuration:",
    "inner configuration:",
    "ignored:",
    "excluded:",
    "finder:",
    ".pth:",
)


@pytest.mark.parametrize("part", range(6))
def test_a_bad_input_costs_itself(
    devls: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    """Some of those that `make fuzz-strength` gives to processes with limits: what they end in is judged as there."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "scripts"))
    inputs = importlib.import_module("strength_inputs")
    cases = list(inputs.cases())
    assert len(cases) > 500
    for number, case in enumerate([each for each in cases if each.name.startswith(KINDS)][part * 5 :: 30]):
        folder = tmp_path / str(number)
        (folder / "sub").mkdir(parents=True)
        (folder / "good.py").write_text(inputs.GOOD.format(imports=inputs.IMPORTS))
        (folder / "sub" / "good_too.py").write_text(inputs.GOOD.format(imports=""))
        case.make(folder)
        given = ("check", "--no-cache", "--output-format", "concise", ".")
        ran = devls(*given, here=str(folder), analyzer=Analyzer)
        assert not list(inputs._troubles(case, ran.status, ran.out, ran.err)), case.name
        subprocess.run(["rm", "-rf", str(folder)], check=True)  # deeper than Python's stack
