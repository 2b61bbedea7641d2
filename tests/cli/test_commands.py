"""`devls COMMAND`: the same as the options it stands for, and a hint for what is misspelt."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from devls import __main__ as entry
from devls.cli.arguments import COMMANDS, parse

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


def test_a_folder_named_like_a_command_is_checked() -> None:
    assert parse(["rules", "--check"]).paths == ("rules",)


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["chekc", "a.py"], "there is no command 'chekc' (did you mean 'check'?)"),
        (["nothing-like-it"], "to check files, write `devls check nothing-like-it`"),
        (["here.py"], "to check files, write `devls check here.py`"),
        (["rule"], "to check files, write `devls check rule`"),
        (["check", "--slect", "device"], "unrecognized arguments: --slect (did you mean '--select'?)"),
        (["explain"], "the following arguments are required: RULE"),
        (["explain", "mixed-devics"], "(did you mean 'mixed-devices'?)"),
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
