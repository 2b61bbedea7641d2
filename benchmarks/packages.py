"""Real packages to measure on: fetched from the registry when asked for, kept in a folder of the caller's choice."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def fetch(name: str, folder: Path) -> Path:
    """The root that holds a package as it is installed, without what it depends on.

    Args:
        name: as the registry spells it, perhaps with `==version`.
        folder: where packages are kept between runs.
    """
    root = folder / name
    if not root.exists():
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "-qq",
                "--no-deps",
                "--no-compile",
                "--target",
                str(root),
                name,
            ],
            check=True,
        )
    return root


def version(root: Path) -> str:
    """Name and version of the package in a root, as its metadata folder spells it."""
    return next((each.name.removesuffix(".dist-info") for each in root.glob("*.dist-info")), root.name)


def files(root: Path) -> list[Path]:
    """The package's Python files in a fixed order, its own tests apart."""
    return sorted(
        each
        for each in root.rglob("*.py")
        if not {"tests", "test", "testing"} & set(each.relative_to(root).parts)
    )


def lines(paths: Iterable[Path]) -> int:
    """How many lines files have together."""
    return sum(each.read_bytes().count(b"\n") for each in paths)
