"""Module names to candidate paths, as Python would look for them from a file of the project.

A path that ends with a separator is a folder without an `__init__.py`: a namespace package.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_MARKERS: Final = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
"""Names in the top folder of a project."""

_INSTALLED: Final = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


def candidates(name: str, places: Sequence[str]) -> Iterator[str]:
    """Candidate paths of a module in some folders, best first."""
    parts = name.split(".") if name else []
    for place in places:
        yield from _in(place, parts)
    # As in Python, a folder counts only where there is nothing better on the whole path.
    for place in places:
        yield os.path.join(place, *parts, "")


def folder_above(folder: str, level: int) -> str:
    """Folder of a relative import with so many dots, in a module of a folder."""
    for _ in range(level - 1):
        folder = os.path.dirname(folder)
    return folder


def search_path(folder: str, roots: Sequence[str], *, beside: bool = True) -> list[str]:
    """The script's own folder, the folder above its package, the roots and the project's top, and their `src`.

    A module of a package may be a script all the same: its own folder counts too, unless it is not `beside`, because
    the name is also that of a library. A package's `torch.py` does not stand in for torch.
    """
    top = top_of_package(folder)
    found = [folder, top] if beside else [top]
    project = project_of(top)
    for root in (*roots, project) if project else roots:
        # Folders between the root and the file: scripts import siblings of a folder above.
        inside = top
        while inside.startswith(root) and len(inside) > len(root):
            inside = os.path.dirname(inside)
            found.append(inside)
        found += [root, os.path.join(root, "src")]
    places = list(dict.fromkeys(found))
    return places if beside else [each for each in places if top_of_package(each) == each]


def top_of_package(folder: str) -> str:
    """The folder above the outermost package that a folder is in; the folder itself if it is no package."""
    while os.path.exists(os.path.join(folder, "__init__.py")):
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return folder


def project_of(folder: str) -> str | None:
    """The nearest folder above that looks like the top of a project."""
    while True:
        if any(os.path.exists(os.path.join(folder, marker)) for marker in _MARKERS):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def can_be_installed(path: str, exists: Callable[[str], bool]) -> bool:
    """Whether the project that a file belongs to says how it is installed: others may import what is in it."""
    project = project_of(top_of_package(os.path.dirname(path)))
    return project is not None and any(exists(os.path.join(project, each)) for each in _BUILD_FILES)


_BUILD_FILES: Final = ("setup.py", "setup.cfg", "pyproject.toml")


def _in(folder: str, parts: Sequence[str]) -> Iterator[str]:
    base = os.path.join(folder, *parts)
    yield os.path.join(base, "__init__.py")
    if parts:
        yield f"{base}.py"
        # Stubs say less than the code: they are for what has none (extension modules).
        yield os.path.join(base, "__init__.pyi")
        yield f"{base}.pyi"


def modules_in(folder: str, parts: Sequence[str]) -> Iterator[str]:
    """The files below a folder of the search path that are the module with these names, best first."""
    yield from (path for path in _in(folder, parts) if os.path.isfile(path))


def is_folder(path: str) -> bool:
    """Whether a candidate is a folder, for a namespace package."""
    return path.endswith(os.sep)


def holds_modules(folder: str) -> bool:
    """Whether there are modules in a folder or in one in it: others hold data, whatever their names."""
    try:
        with os.scandir(folder) as scanned:
            entries = list(scanned)
    except (OSError, ValueError):
        return False
    # By path: what `os.scandir` gives raises errors of links to themselves.
    if any(each.name.endswith(".py") and os.path.isfile(each.path) for each in entries):
        return True
    inner = (os.path.join(each.path, "__init__.py") for each in entries if not _is_surely_a_file(each))
    return any(os.path.exists(path) for path in inner)


def _is_surely_a_file(entry: os.DirEntry[str]) -> bool:
    """Whether a look at what lies in an entry can be saved: folders of data have many files."""
    return not (entry.is_symlink() or entry.is_dir(follow_symlinks=False))


def in_site_packages(path: str) -> str | None:
    """The installed package (its folder, or its only file) that a file is part of; None if it lies in no such place."""
    for name in _INSTALLED:
        place, found, inside = path.rpartition(name)
        if found:
            return place + found + inside.partition(os.sep)[0]
    return None


def packages_above(path: str, depth: int) -> list[str]:
    """The `__init__.py` of the `depth` packages around a module's file, outermost first."""
    folder = path if is_folder(path) else os.path.dirname(path)
    if is_folder(path) or os.path.basename(path).startswith("__init__."):
        folder = os.path.dirname(folder.rstrip(os.sep))
    found = list[str]()
    for _ in range(depth):
        found.insert(0, os.path.join(folder, "__init__.py"))
        folder = os.path.dirname(folder)
    return found


def packages_entered(path: str, name: str, importer: str, exists: Callable[[str], bool]) -> list[str]:
    """The packages around a module that a file enters by importing it by that name, outermost first."""
    around = packages_above(path, name.count("."))
    return [
        each
        for each in around
        if not importer.startswith(os.path.join(os.path.dirname(each), "")) and exists(each)
    ]


def full_name(path: str) -> str:
    """The name of a module, with those of the packages around it."""
    inside = os.path.relpath(path, top_of_package(os.path.dirname(path))).partition(".py")[0]
    return inside.removesuffix(f"{os.sep}__init__").replace(os.sep, ".")
