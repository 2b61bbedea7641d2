"""A real Neovim shows a finding, tells what is known on hover, and applies the quick fix."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from e2e import editors

PATIENCE = 300  # seconds for the whole session; it takes a few


@pytest.fixture(params=["train.py", "columns.py"])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    copy: Path = tmp_path / "project" / request.param
    copy.parent.mkdir()
    shutil.copyfile(editors.PROGRAMS / request.param, copy)
    return copy


@pytest.fixture
def seen(program: Path, tmp_path: Path) -> dict[str, Any]:
    """Observations of Neovim in a session with `program`; the session leaves the file saved with the fix applied."""
    report = tmp_path / "seen.json"
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        **os.environ,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "XDG_DATA_HOME": str(home),
        "XDG_STATE_HOME": str(home),
        "XDG_CACHE_HOME": str(home),
        "PYTHONPATH": str(editors.ROOT / "server"),
        "DEVLS_COMMAND": json.dumps([sys.executable, "-m", "devls"]),
        "DEVLS_FILE": str(program),
        "DEVLS_SEEN": str(report),
    }
    script = editors.ROOT / "tests" / "e2e" / "nvim" / "session.lua"
    command = [editors.neovim(), "--headless", "-u", "NONE", "-n", "-c", f"luafile {script}", "-c", "qall!"]
    ran = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    log = next(home.rglob("lsp.log"), None)
    account = f"{ran.stdout}{ran.stderr}\n{log.read_text() if log else ''}"
    assert report.is_file(), f"Neovim ended ({ran.returncode}) without a report:\n{account}"
    read: dict[str, Any] = json.loads(report.read_text("utf-8"))
    assert "trouble" not in read, f"{read['trouble']}\n{account}"
    return read


def test_a_finding_is_shown_explained_fixed_and_gone(program: Path, seen: dict[str, Any]) -> None:
    before = (editors.PROGRAMS / program.name).read_text("utf-8")
    found = [one for one in seen["diagnostics"] if one["user_data"]["lsp"]["code"] == "discarded-transfer"]
    assert len(found) == 1, seen["diagnostics"]
    assert seen["marked"] == "x.to(device)"
    assert found[0]["source"] == "devls"
    details = found[0]["user_data"]["lsp"]
    page = Path(url2pathname(urlsplit(details["codeDescription"]["href"]).path))
    assert page.read_text("utf-8").startswith("# discarded-transfer"), details
    assert details["relatedInformation"], details

    hover = seen["hover"]["result"]["contents"]
    assert hover["kind"] == "markdown"
    assert "cpu" in hover["value"], hover

    preferred = [action for action in seen["actions"] if action.get("isPreferred")]
    assert len(preferred) == 1, seen["actions"]
    fixed = before.replace("x.to(device)", "x = x.to(device)")
    assert program.read_text("utf-8") == fixed
    assert seen["left"] == [], "findings of the saved file"
    assert seen["exit_code"] == 0, "the server was told to shut down and exit"
