"""Run the analyzer over a few files in a folder of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.analysis import Analyzer
from devls.config import Config
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from devls.analysis import Diagnostic


def write_files(files: dict[str, str], folder: Path) -> None:
    """Write `files` (name to text) under `folder`."""
    for name, text in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def analyze(files: dict[str, str], folder: Path) -> dict[str, list[Diagnostic]]:
    """Write `files` under `folder` and analyze each; the diagnostics by file name."""
    write_files(files, folder)
    analyzer = Analyzer(Workspace((str(folder),)), lambda _path: Config())
    return {name: list(analyzer.analyze(str(folder / name)).diagnostics) for name in files}


def line_of(text: str, offset: int) -> int:
    """The line (from 1) of a character offset."""
    return text.count("\n", 0, offset) + 1
