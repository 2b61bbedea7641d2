"""What the folder that a file lies in says of its code: that it prepares data, or helps to test."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source

_DATA_SETS: Final = frozenset({"dataset", "datasets"})
"""Folders of what reads and prepares data."""

_DATA: Final = ("data", "dataset", "datasets")

_TRANSFORMS: Final = "transforms"
"""A folder of what prepares data, where data lies beside or above it; there are others, of what distributions go through."""


def of_data(m: Machine, source: Source) -> bool:
    """Whether a file lies among what reads and prepares data, on the CPU: that knows of no accelerator."""
    near = _near(source.path)
    if not near or near & _DATA_SETS:
        return bool(near)
    found = m.beside_data.get(source)
    if found is None:
        found = m.beside_data[source] = _beside_data(m, Path(source.path))
    return found


@functools.lru_cache(maxsize=64)
def _near(path: str) -> frozenset[str]:
    """Which of the folders that say something are the two that a file lies in."""
    return (_DATA_SETS | {_TRANSFORMS}) & set(Path(path).parts[-3:-1])


def _beside_data(m: Machine, path: Path) -> bool:
    folder = path.parent if path.parent.name == _TRANSFORMS else path.parent.parent
    above = folder.parent
    return above.name in _DATA or any(
        m.modules.workspace.exists(str(above / each / "__init__.py")) for each in _DATA
    )


@functools.lru_cache(maxsize=64)
def _helps(path: str) -> bool:
    place = Path(path)
    return place.parent.name in ("test", "tests", "testing") or place.stem.endswith("_test")


def helps_tests(source: Source) -> bool:
    """Whether a file lies beside tests, or tests: what it defines is given what they make."""
    return _helps(source.path)
