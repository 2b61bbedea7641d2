"""Run the analyzer over a few files in a folder of their own."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from devls.analysis import Analyzer
from devls.config import Config
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
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


def holds_in_bounded_time(claim: Callable[[], bool], seconds: int = 15) -> bool:
    """Whether a claim is true, asked in a process that ends after so many seconds of a processor.

    A regular expression that takes minutes cannot be interrupted here. Its tests need a tenth of a second.
    """
    import resource  # noqa: PLC0415  Windows has none

    process = os.fork()
    if process == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        status = 1
        with contextlib.suppress(Exception):
            status = int(not claim())
        os._exit(status)
    return os.waitpid(process, 0)[1] == 0
