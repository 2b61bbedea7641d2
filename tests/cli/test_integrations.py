"""Integrations of other services: the hook and the action, as far as a shell can run them."""

from __future__ import annotations

import ast
import configparser
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from devls import __main__ as entry
from devls.cli.arguments import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

ROOT = Path(__file__).resolve().parent.parent.parent
SERVER = Path(entry.__file__).parent.parent


def loaded(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def test_the_hook_leaves_out_what_is_excluded(devls: Callable[..., Ran]) -> None:
    """pre-commit names the files that are staged, whatever the configuration says of them."""
    (hook,) = loaded(".pre-commit-hooks.yaml")
    Path("old").mkdir()
    for name in ("a.py", "old/b.py", "made_c.py"):
        Path(name).write_text("bad\n")
    Path("pyproject.toml").write_text("[tool.devls]\nexclude = ['old/', 'made_*.py']\n")
    program, *options = hook["entry"].split()
    assert program == "devls"
    ran = devls(*options, "--output-format", "concise", "a.py", "old/b.py", "made_c.py")
    assert ran.out == "a.py:1:1: error[mixed-devices] [*] `bad` is wrong\n"
    assert devls("check", "old/b.py", "made_c.py").status == 1
    assert devls("check", "--force-exclude", "old").out == "Nothing was checked.\n"


@pytest.fixture
def action(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the action's step that checks, on a machine where devls is installed."""
    inside = tmp_path / "temp" / "devls" / "bin"
    inside.mkdir(parents=True)
    program = inside / "devls"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m devls "$@"\n')
    program.chmod(0o755)
    described = loaded("action.yml")
    (step,) = [each for each in described["runs"]["steps"] if each["name"] == "Check"]
    bash = shutil.which("bash")
    assert bash is not None

    def run(**given: str) -> subprocess.CompletedProcess[str]:
        inputs = {name: given.get(name, str(each["default"])) for name, each in described["inputs"].items()}
        wanted = {"PATHS": "paths", "ARGS": "args", "SARIF": "sarif-file"}
        assert step["env"] == {name: f"${{{{ inputs.{each} }}}}" for name, each in wanted.items()}
        (tmp_path / "code").mkdir(exist_ok=True)
        return subprocess.run(
            [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=tmp_path / "code",
            env={
                **os.environ,
                **{name: inputs[each] for name, each in wanted.items()},
                "RUNNER_TEMP": str(tmp_path / "temp"),
                "PYTHONPATH": str(SERVER),
            },
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_the_action(action: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path) -> None:
    assert action().returncode == 0
    for name in ("a", "b"):
        (tmp_path / "code" / name).mkdir()
        (tmp_path / "code" / name / "x.py").write_text("import torch\n\nx = torch.zeros(1)\nx.to('cuda')\n")
    ran = action(paths="a b", args="--fail-level warning")
    assert ran.returncode == 1
    assert ran.stdout.count("::warning title=devls (discarded-transfer),file=") == 2
    found = json.loads((tmp_path / "code" / "devls.sarif").read_text())
    assert len(found["runs"][0]["results"]) == 2
    assert action(paths="a", args="--fail-level error").returncode == 0


def test_commands_in_the_documentation_of_services_are_commands() -> None:
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    lines = [
        line.strip().removeprefix("$ ").removeprefix("- ").removeprefix("run: ") for line in page.splitlines()
    ]
    commands = [line.split()[1:] for line in lines if line.startswith("devls check") and "|" not in line]
    assert len(commands) >= 3
    for command in commands:
        parse(command)


def test_the_snippets_for_tox_and_nox_run_commands() -> None:
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    (ini,) = re.findall(r"```ini\n(.*?)```", page, re.DOTALL)
    (nox,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    tox = configparser.ConfigParser()
    tox.read_string(ini)
    program, *words = tox["testenv:devls"]["commands"].replace("{posargs}", "-q").split()
    calls = [node for node in ast.walk(ast.parse(nox)) if isinstance(node, ast.Call)]
    (run,) = [call.args for call in calls if ast.unparse(call.func) == "session.run"]
    typed = [each.value for each in run if isinstance(each, ast.Constant)]
    assert typed == [program, *words[:-1]] == ["devls", "check", "src"]
    assert parse(words).style.quiet
