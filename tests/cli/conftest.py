from __future__ import annotations

import io
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from fake import FakeAnalyzer

from devls.cli.arguments import parse
from devls.cli.main import run

if TYPE_CHECKING:
    from collections.abc import Callable

# Whoever runs the tests keeps his own cache. Checks in other processes inherit this one.
os.environ["DEVLS_CACHE_DIR"] = str(Path(tempfile.gettempdir(), "devls-tests-cache"))


@dataclass
class Ran:
    status: int
    out: str
    err: str


@pytest.fixture
def devls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """Runs a command in an empty folder, with the fake analyzer."""
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def call(*argv: str, stdin: bytes = b"", here: str = "", analyzer: type = FakeAnalyzer) -> Ran:
        before = Path.cwd()
        if here:
            os.chdir(tmp_path / here)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        try:
            status = run(parse(argv), analyzer)
        except SystemExit as end:
            status = int(end.code or 0)
        finally:
            os.chdir(before)
        return Ran(status, *capsys.readouterr())

    return call
