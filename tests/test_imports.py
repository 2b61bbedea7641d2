"""Imports run one way; and if they did not, the contracts would say so."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

BREACHES = {
    "imports run one way": ("text/edits.py", "import devls.syntax.source"),
    "the engine's floors import downwards only": (
        "engine/core/limits.py",
        "import devls.engine.driver.isolation",
    ),
    "rules do not know each other": (
        "rules/device/mixed_devices.py",
        "import devls.rules.autograd.numpy_on_grad",
    ),
    "config needs text only of devls, and probe nothing": ("config.py", "import devls.syntax.source"),
    "the two sides of the probe share its protocol only": ("probe/client.py", "import devls.probe.worker"),
    "torch is imported by the probe's worker only": ("cli/report.py", "import torch"),
    "pygls and lsprotocol are imported by lsp only": ("hovers/__init__.py", "import lsprotocol"),
    "jedi is imported by lsp.signatures only": ("project/modules.py", "import jedi"),
}
"""By the beginning of each contract's name, a file and an import in it that breaks the contract."""


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the `devls` in a folder against the contracts of this project."""
    program = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONIOENCODING": "utf-8", "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_contracts_are_kept() -> None:
    ran = lint(ROOT / "server")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for name in BREACHES:
        assert any(line.startswith(name) and " KEPT" in line for line in ran.stdout.splitlines()), ran.stdout


def test_each_contract_can_be_broken(tmp_path: Path) -> None:
    copy = tmp_path / "devls"
    shutil.copytree(ROOT / "server" / "devls", copy, ignore=shutil.ignore_patterns("__pycache__", "*.json"))
    for file, line in BREACHES.values():
        text = (copy / file).read_text("utf-8")
        (copy / file).write_text(f"{text}\n{line}\n", "utf-8")
    (copy / "newcomer.py").write_text("", "utf-8")
    ran = lint(tmp_path)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    broken = [line for line in ran.stdout.splitlines() if " BROKEN" in line]
    for name in BREACHES:
        assert any(line.startswith(name) for line in broken), ran.stdout
    assert "newcomer" in ran.stdout, "a new package has to find its place in the picture"


def test_circles_stay_small() -> None:
    script = ROOT / "scripts" / "import_graph.py"
    ran = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, encoding="utf-8", check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


_IMPORT_EACH = """
import importlib, os, sys
for name in sys.stdin.read().split():
    child = os.fork()
    if not child:
        try:
            importlib.import_module(name)
        except BaseException as error:
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(
    not hasattr(os, "fork"), reason="Windows has no fork: a process for each module takes minutes"
)
def test_each_module_of_the_engine_can_be_imported_first() -> None:
    server = ROOT / "server"
    names = [
        ".".join(path.relative_to(server).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted((server / "devls" / "engine").rglob("*.py"))
    ]
    assert len(names) > 100
    ran = subprocess.run(
        [sys.executable, "-c", _IMPORT_EACH],
        input="\n".join(names),
        env={**os.environ, "PYTHONPATH": str(server)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert not ran.stdout, ran.stdout
