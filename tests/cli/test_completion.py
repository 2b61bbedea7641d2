"""The scripts of `devls completion`, as bash runs them."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from devls.cli import completion
from devls.cli.arguments import COMMANDS, SHELLS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ran

# What bash itself does when the tab key is pressed.
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
    """What bash offers for the last of the words behind `devls`."""
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
