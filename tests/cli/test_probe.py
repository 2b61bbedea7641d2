"""`devls --check --probe`, through the process boundary."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SERVER = Path(__file__).parents[2] / "server"

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
        env={**os.environ, "PYTHONPATH": str(SERVER), **environment},
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
