"""Commands beside options, the scripts by which shells complete them, and what torch is asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from devls import __main__ as entry
from devls.cli import completion
from devls.cli.arguments import COMMANDS, SHELLS, parse
from devls.cli.main import run

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran


SERVER = Path(entry.__file__).parent.parent


@pytest.mark.parametrize(
    ("command", "options"),
    [
        (["check"], ["--check"]),
        (["check", "a.py", "--select", "device"], ["--check", "a.py", "--select", "device"]),
        (
            ["check", "--fix", "a.py", "--no-cache", "b.py"],
            ["--check", "--fix", "a.py", "--no-cache", "b.py"],
        ),
        (["check", "check"], ["--check", "check"]),
        (["explain", "mixed-devices"], ["--explain", "mixed-devices"]),
        (["rules"], ["--list-rules"]),
        (["server"], []),
        (["server", "--stdio"], ["--stdio"]),
    ],
)
def test_commands_and_the_options_they_stand_for(command: list[str], options: list[str]) -> None:
    assert parse(command) == parse(options)


@pytest.mark.parametrize(
    ("argv", "same"),
    [
        (["rule", "mixed-devices"], ["explain", "mixed-devices"]),
        (["why", "a.py:3:7"], ["why", "a.py:3"]),
        (
            ["check", "-e", "-n", "-w", "-o", "f"],
            ["check", "--exit-zero", "--no-cache", "--watch", "--output-file", "f"],
        ),
    ],
)
def test_habits_of_other_tools(argv: list[str], same: list[str]) -> None:
    assert parse(argv) == parse(same)


@pytest.mark.parametrize(
    ("argv", "same"), [(["help"], ["--help"]), (["help", "why"], ["why", "--help"]), (["version"], ["-V"])]
)
def test_help_and_version_as_commands(devls: Callable[..., Ran], argv: list[str], same: list[str]) -> None:
    ran = devls(*argv)
    assert ran.status == 0
    assert ran == devls(*same)


def test_a_folder_named_like_a_command_is_checked() -> None:
    assert parse(["rules", "--check"]).paths == ("rules",)


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["chekc", "a.py"], "there is no command 'chekc' (did you mean 'check'?)"),
        (
            ["nothing-like-it"],
            "there is no command 'nothing-like-it', and no file or folder of that name either",
        ),
        (["no/such"], "to check files, write `devls check no/such`"),
        (["here.py"], "to check files, write `devls check here.py`"),
        (["rule"], "to check files, write `devls check rule`"),
        (["check", "--slect", "device"], "unrecognized arguments: --slect (did you mean '--select'?)"),
        (["explain"], "the following arguments are required: RULE"),
        (["check", "--extend-ignore", "device"], "--extend-ignore (did you mean '--ignore'?)"),
        (["check", "--add-noqa"], "--add-noqa (did you mean '--add-ignore'?)"),
        (["explain", "mixed-devics"], "(did you mean 'mixed-devices'?)"),
        (["explain", "MIXED-DEVICES"], "(did you mean 'mixed-devices'?)"),
        (["map", "here.py", "--output", "no/such/file"], "no/such/file is not written: it does not exist"),
        (["completion", "tcsh"], "invalid choice: 'tcsh'"),
        (["rules", "more"], "unrecognized arguments: more"),
    ],
)
def test_what_is_misspelt(devls: Callable[..., Ran], argv: list[str], says: str) -> None:
    Path("here.py").touch()
    Path("rule").mkdir()
    ran = devls(*argv)
    assert ran.status == 2
    assert says in ran.err
    assert ran.out == ""


def test_help_names_every_command(devls: Callable[..., Ran]) -> None:
    ran = devls("--help")
    assert ran.status == 0
    assert all(f"\n  {name} " in ran.out for name in COMMANDS)
    assert devls("check", "--help").out.startswith("usage: devls check ")


def test_reading_the_command_line_loads_no_engine() -> None:
    program = "import sys; from devls.cli.arguments import parse; parse(['check']); print('devls.analysis' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(SERVER)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "False\n"


def test_the_module_is_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n\nx = torch.zeros(1)\nx.to('cuda')\n")
    ran = subprocess.run(
        [sys.executable, "-m", "devls", "check", "--no-cache", "--output-format", "concise"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SERVER)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout.startswith("a.py:4:1: warning[discarded-transfer]")


@pytest.mark.parametrize(
    "command",
    [
        ["check", "."],
        ["check", "-"],
        ["check", "--watch", "."],
        ["check", "--diff", "."],
        ["why", "a.py:1"],
        ["gradients", "a.py"],
        ["map", "a.py"],
        ["merge", "a"],
    ],
)
def test_a_working_folder_that_is_gone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run(parse(command)) == 2
    assert capsys.readouterr() == ("", "devls: the working folder does not exist any more.\n")


ISOLATED = "import runpy, sys; sys.path.insert(0, {server!r}); runpy.run_module('devls', run_name='__main__', alter_sys=True)"


@pytest.mark.parametrize("name", ["contextlib", "argparse", "ast"])
def test_modules_of_a_folder_that_nobody_trusts_are_not_imported(tmp_path: Path, name: str) -> None:
    """With `-I`, as the README has it: even those that Python imports before it runs a module."""
    (tmp_path / f"{name}.py").write_text("raise SystemExit('taken')\n")
    (tmp_path / "a.py").write_text("x = 1\n")
    ran = subprocess.run(
        [sys.executable, "-I", "-c", ISOLATED.format(server=str(SERVER)), "check", "--no-cache", "a.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr, ran.stdout) == (0, "", "Nothing found in 1 file.\n")
    assert "`python -I -m devls`" in (SERVER.parent / "README.md").read_text("utf-8")


# -- The scripts of `devls completion`, as bash runs them.

# Steps of bash itself when the tab key is pressed.
ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMPREPLY=()
asked=$(complete -p devls | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$asked" devls "${@: -1}" "${@: -2:1}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "devls.bash"
    path.write_text(completion.script("bash"))
    return path


def completed(script: Path, *words: str) -> list[str]:
    """Completions that bash offers for the last of the words behind `devls`."""
    ran = subprocess.run(
        ["bash", "-c", ASK, "ask", str(script), "devls", *words],
        cwd=script.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr == ""
    return sorted(ran.stdout.split())


def test_commands_and_options(script: Path) -> None:
    assert completed(script, "") == sorted(COMMANDS)
    assert completed(script, "ch") == ["check"]
    assert completed(script, "--ch") == ["--check"]
    assert "--output-format" in completed(script, "check", "--out")


def test_values(script: Path) -> None:
    assert completed(script, "completion", "") == sorted(SHELLS)
    assert "concise" in completed(script, "check", "--output-format", "")
    assert completed(script, "explain", "mixed-d") == ["mixed-devices"]
    assert completed(script, "check", "--ignore", "autog") == ["autograd"]


def test_files(script: Path) -> None:
    script.with_name("train.py").touch()
    assert completed(script, "check", "tra") == ["train.py"]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_has_a_script(devls: Callable[..., Ran], shell: str) -> None:
    ran = devls("completion", shell)
    assert (ran.status, ran.err) == (0, "")
    assert all(name in ran.out for name in ("--output-format", "mixed-devices", *COMMANDS))


def test_without_the_package_that_writes_them(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    ran = devls("completion", "bash")
    assert ran.status == 2
    assert "needs the package shtab" in ran.err


@pytest.mark.parametrize(
    ("command", "without", "status", "says"),
    [
        (["check", "--output-format", "concise"], ("rich", "pygls", "jedi", "shtab"), 0, ""),
        (["check", "--output-format", "sarif"], ("rich", "pygls", "jedi", "shtab"), 0, ""),
        (["check"], ("rich",), 2, "devls: printing for people needs the package rich: "),
        (
            ["server"],
            ("pygls",),
            2,
            "devls: the language server needs the package pygls, which is not installed.\n",
        ),
    ],
)
def test_what_each_command_needs(
    tmp_path: Path, command: list[str], without: tuple[str, ...], status: int, says: str
) -> None:
    """A job that checks may do without most of what is installed beside devls."""
    missing = f"import sys; sys.modules.update(dict.fromkeys({without}))"
    program = f"{missing}; from devls.__main__ import main; sys.exit(main())"
    ran = subprocess.run(
        [sys.executable, "-c", program, *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SERVER)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr.startswith(says), bool(says)) == (status, True, bool(ran.stderr))


PROBED = Path(__file__).parents[2] / "server"

PROGRAM = """\
import torch

x = torch.ones(2, device="cuda")
y = x + torch.zeros(2)
x.to("cpu")
reveal_value(x)
"""


def devls(folder: Path, *argv: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(PROGRAM)
    return subprocess.run(
        [sys.executable, "-m", "devls", "--check", "train.py", *argv],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PROBED), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_json_says_what_torch_says(tmp_path: Path) -> None:
    ran = devls(tmp_path, "--probe", "--output-format", "json")
    assert ran.returncode == 1, ran.stderr
    first, second, revealed = (row["probe"] for row in json.loads(ran.stdout))
    assert first["verdict"] == second["verdict"] == "confirmed"
    assert first["torch"].startswith("2.")
    assert "Expected all tensors to be on the same device" in first["says"]
    assert second["says"] == "`x.device.type` is 'cuda'"
    compile(first["snippet"], "snippet", "exec")
    assert revealed["verdict"] == "not-run"
    assert revealed["snippet"] is None


def test_without_it_nothing_is_said(tmp_path: Path) -> None:
    assert "probe" not in json.loads(devls(tmp_path, "--output-format", "json").stdout)[0]


def test_people_see_the_answer_and_the_program(tmp_path: Path) -> None:
    out = devls(tmp_path, "--probe").stdout
    assert "confirms this: RuntimeError: Expected all tensors to be on the same device" in out
    assert "> import torch" in out
    assert "torch confirms 2." in out
    assert "confirmed)\n" in devls(tmp_path, "--probe", "--output-format", "concise").stdout


@pytest.mark.parametrize(
    ("python", "why"),
    [
        ("/no/such/python", "cannot start"),
        ("/bin/true", "it does not answer"),
        ("true", "it does not answer"),
        ("nowhere", "cannot start"),
    ],
)
def test_no_torch_to_ask_is_said_once(tmp_path: Path, python: str, why: str) -> None:
    ran = devls(tmp_path, "--probe", "--python", python, "--output-format", "json")
    assert ran.returncode == 1
    assert {row["probe"]["verdict"] for row in json.loads(ran.stdout)} == {"not-run"}
    assert ran.stderr.count("torch is not asked") == 1
    assert why in ran.stderr


def test_the_python_goes_with_the_probe(tmp_path: Path) -> None:
    ran = devls(tmp_path, "--python", sys.executable)
    assert ran.returncode == 2
    assert "--probe" in ran.stderr


def test_the_python_is_named_as_seen_from_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "env").symlink_to(sys.prefix)
    ran = devls(tmp_path, "--probe", "--python", "env/bin/python", "--output-format", "json")
    assert ran.stderr == ""
    assert json.loads(ran.stdout)[0]["probe"]["verdict"] == "confirmed"
