"""`--add-ignore`: comments beside what is found, on real rules."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from devls import __main__ as entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

SERVER = Path(entry.__file__).parent.parent

PROGRAM = '''\
import torch

x = torch.zeros(2)
x.to("cuda"); x.detach()
y = torch.ones(2).to("cuda") + x.add(
    1,
)
"""
text
"""
'''


def check(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "devls", "check", "--no-cache", "--output-format", "concise", *argv],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SERVER)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_finding_is_silenced(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(PROGRAM.replace("\n", "\r\n").encode())
    assert check(tmp_path).returncode == 1
    ran = check(tmp_path, "--add-ignore")
    assert (ran.returncode, ran.stdout) == (0, "")
    assert ran.stderr == "devls: comments were added in 1 file.\n"
    after = (tmp_path / "a.py").read_bytes().decode()
    assert after.count("# devls: ignore[") == 1  # what follows is silenced with its cause
    assert [line.partition("  # devls")[0] for line in after.split("\r\n")] == PROGRAM.split("\n")
    assert check(tmp_path).returncode == 0
    assert check(tmp_path, "--add-ignore").stderr == "devls: comments were added in 0 files.\n"
    assert (tmp_path / "a.py").read_bytes().decode() == after


def test_several_rules_on_one_line(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("x = 1\nbad, stuck\n")
    devls("check", "--add-ignore")
    assert Path("a.py").read_text() == "x = 1\nbad, stuck  # devls: ignore[numpy-on-grad, mixed-devices]\n"


def test_what_no_comment_silences_stays(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("x = (\n")
    ran = devls("check", "--add-ignore", "--output-format", "concise")
    assert ran.status == 1
    assert ran.out.startswith("a.py:1:1: error[syntax-error]")
    assert Path("a.py").read_text() == "x = (\n"


def test_only_what_is_new(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\n")
    devls("check", "--write-baseline", "base.json")
    Path("a.py").write_text("bad\nstuck\n")
    devls("check", "--baseline", "base.json", "--add-ignore")
    assert Path("a.py").read_text() == "bad\nstuck  # devls: ignore[numpy-on-grad]\n"


@pytest.mark.parametrize("other", ["--fix", "--diff", "-"])
def test_it_goes_alone(devls: Callable[..., Ran], other: str) -> None:
    assert devls("check", "--add-ignore", other, stdin=b"bad\n").status == 2
