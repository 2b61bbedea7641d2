"""Module names to candidate paths, as Python would look for them from a file of the project."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def candidates(name: str, level: int, importer: str, roots: Sequence[str]) -> Iterator[str]:
    """Where a module may lie, best first."""
    folder = os.path.dirname(importer)
    parts = name.split(".") if name else []
    if level:
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        yield from _in(folder, parts)
        return
    for root in _search_path(folder, roots):
        yield from _in(root, parts)


def _search_path(folder: str, roots: Sequence[str]) -> list[str]:
    """The script's own folder, the folder above its package, the roots, and their `src`."""
    found = [folder]
    top = folder
    while os.path.exists(os.path.join(top, "__init__.py")):
        top = os.path.dirname(top)
    found.append(top)
    for root in roots:
        # Folders between the root and the file: scripts import siblings of a folder above.
        inside = top
        while inside.startswith(root) and len(inside) > len(root):
            inside = os.path.dirname(inside)
            found.append(inside)
        found += [root, os.path.join(root, "src")]
    return list(dict.fromkeys(found))


def _in(folder: str, parts: Sequence[str]) -> Iterator[str]:
    base = os.path.join(folder, *parts)
    if parts:
        yield f"{base}.py"
    yield os.path.join(base, "__init__.py")


def package_of(path: str) -> str | None:
    """The folder of a package, given its `__init__.py`."""
    folder, name = os.path.split(path)
    return folder if name == "__init__.py" else None
