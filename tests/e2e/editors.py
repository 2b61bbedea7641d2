"""Paths of the editors that the tests drive, and the failure if one is missing."""

from __future__ import annotations

import os
import shutil
import warnings
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = Path(__file__).resolve().parent / "programs"
ARTIFACTS = ROOT / "artifacts" / "e2e"
INSTALLED = Path(os.environ.get("DEVLS_TEST_EDITORS") or ROOT / ".test-editors")


def missing(what: str, remedy: str) -> NoReturn:
    """Fail under CI=true; elsewhere skip, and say so in the summary of warnings as well."""
    text = f"{what} is missing, so its end-to-end test did not run: {remedy}"
    if os.environ.get("CI") == "true":
        pytest.fail(text, pytrace=False)
    warnings.warn(text, stacklevel=2)
    pytest.skip(text)


def neovim() -> str:
    return shutil.which("nvim") or missing(
        "Neovim", "install it as nvim, or run scripts/setup_editors.sh neovim"
    )


def chromium() -> str:
    names = (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    return found or missing("Chromium", "install it, or run scripts/setup_editors.sh vscode")


def node() -> str:
    """A Node recent enough for VS Code's server."""
    program = INSTALLED / "bin" / "node"
    return str(program) if program.is_file() else missing("Node 24", "run scripts/setup_editors.sh node")


def code_server() -> str:
    entry = INSTALLED / "code-server" / "node_modules" / "code-server" / "out" / "node" / "entry.js"
    return str(entry) if entry.is_file() else missing("VS Code", "run scripts/setup_editors.sh vscode")


def extension_package() -> Path:
    """The packaged extension; the newest, where several versions lie there."""
    packages = sorted((ROOT / "dist").glob("devls-*.vsix"), key=lambda path: path.stat().st_mtime)
    return packages[-1] if packages else missing("The packaged extension", "run make package")
