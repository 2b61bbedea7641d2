"""Which files of the project name something, by their text.

Arguments of a function are shown by its callers, and these may stand in any file. So the whole project is asked, but
only about what something depends on: the answer is remembered until one of its files changes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from devls.project.resolution import project_of, top_of_package
from devls.text.reading import UnreadableFileError, read, walk

if TYPE_CHECKING:
    from devls.project.workspace import Workspace
    from devls.syntax.source import Source

MAX_FILES: Final = 4000
"""A project with more of them is not asked: reading them all once takes seconds."""

MAX_ENTRIES: Final = 40_000
"""Nor is one with more files of any kind: somebody's home, or a folder of data."""

MAX_BYTES: Final = 32 * 1024 * 1024
"""Of all files of a project together."""

MAX_NAMING: Final = 24
"""A name in more files than these is that of many things."""

_LEFT_OUT: Final = frozenset(
    {"__pycache__", "__pypackages__", "node_modules", "site-packages", "venv", "build"}
)
"""Folders whose files are not the project's, or are copies."""


NAMES_FOLLOWED = 256
"""Names of which is kept who says them, be it that nobody asks any more: each change of a file looks for all."""


@dataclass(eq=False, repr=False)
class _Project:
    """The Python files below a folder, and who of them says which name."""

    texts: dict[str, bytes] | None
    """Their contents: reading them anew for each name takes longer than all else. None if that is too much."""
    naming: dict[str, set[str]] = field(default_factory=dict)


class Mentions:
    """The files of a workspace by the names that they say."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._projects: dict[str, _Project] = {}
        self._asked: dict[str, set[tuple[str, str]]] = {}

    def of(self, name: str, asking: str) -> tuple[Source, ...] | None:
        """The files around the file `asking` that say a name, in order; None if that cannot be said.

        That file is among them, and its findings depend on the answer from now on.
        """
        if not os.path.isabs(asking):
            return None  # a buffer that was never saved belongs to no project
        paths: tuple[str, ...] | None = None
        for folder in self._folders(asking):
            self._asked.setdefault(asking, set()).add((name, folder))
            paths = self.answer(name, folder)
            if self._known(folder).texts is not None:
                break
        if paths is None:
            return None
        try:
            return tuple(self._workspace.source(path) for path in paths)
        except UnreadableFileError:
            return None

    def size(self, asking: str) -> int:
        """Number of the files around the file `asking`; 0 if there are too many to be asked."""
        if not os.path.isabs(asking):
            return 0
        texts = next(filter(None, (self._known(each).texts for each in self._folders(asking))), None)
        return 0 if texts is None else len(texts)

    def answer(self, name: str, folder: str) -> tuple[str, ...] | None:
        """The paths of the files below a folder that say a name, in order; None if there are too many."""
        project = self._known(folder)
        if project.texts is None:
            return None
        naming = project.naming.get(name)
        if naming is None:
            naming = {path for path, text in project.texts.items() if _says(text, name)}
            project.naming[name] = naming
        return tuple(sorted(naming)) if len(naming) <= MAX_NAMING else None

    def asked_by(self, path: str) -> frozenset[tuple[str, str]]:
        """The questions that what was found in a file depends on, each a name and a folder, for `answer`."""
        return frozenset(self._asked.get(path, ()))

    def begin(self, path: str) -> None:
        """A file is analyzed anew: what it has asked before is of no account."""
        self._asked.pop(path, None)

    def changed(self, path: str) -> frozenset[str]:
        """Take note that a file has changed, has come or is gone; returns the files that have asked about what it says or said."""
        touched = set[tuple[str, str]]()
        for folder, project in self._projects.items():
            if project.texts is None or not _is_in(path, folder):
                continue
            text = self._text(path) if self._workspace.exists(path) else None
            if text is None:
                project.texts.pop(path, None)
            else:
                project.texts[path] = text
            if len(project.naming) > NAMES_FOLLOWED:
                asked = {name for each in self._asked.values() for name, _ in each}
                project.naming = {name: each for name, each in project.naming.items() if name in asked}
            for name, naming in project.naming.items():
                said = path in naming
                if text is not None and _says(text, name):
                    naming.add(path)
                else:
                    naming.discard(path)
                if said or path in naming:
                    touched.add((name, folder))
        return frozenset(asking for asking, asked in self._asked.items() if not asked.isdisjoint(touched))

    def _folders(self, path: str) -> list[str]:
        """The folder of the project that a file belongs to: whoever checks it, and from where, the same ones are asked.

        Of a project that nothing marks it is the widest folder that was named and is not too large: they are in that order.
        """
        top = top_of_package(os.path.dirname(path))
        around = [root for root in self._workspace.roots if _is_below(top, root)]
        project = project_of(top)
        if project is None and around:
            return sorted(around, key=len)
        return [min((top, *around, *((project,) if project else ())), key=len)]

    def _known(self, folder: str) -> _Project:
        project = self._projects.get(folder)
        if project is None:
            project = self._projects[folder] = _Project(self._texts(folder))
        return project

    def _texts(self, folder: str) -> dict[str, bytes] | None:
        paths = _listed(folder)
        if paths is None:
            return None
        found, size = dict[str, bytes](), 0
        for path in (*paths, *(each for each in self._workspace.opened if _is_in(each, folder))):
            text = self._text(path)
            if text is not None:
                found[path] = text
                size += len(text)
            if size > MAX_BYTES:
                return None
        return found

    def _text(self, path: str) -> bytes | None:
        """Text of a file, in the coding that nearly all have: names are looked for in it, nothing else."""
        if self._workspace.is_open(path):
            return self._workspace.source(path).text.encode("utf-8", "replace")
        try:
            return read(path)
        except UnreadableFileError:
            return None


def _is_of_name(character: bytes) -> bool:
    return character.isalnum() or character == b"_"


def _says(text: bytes, name: str) -> bool:
    said = name.encode()
    at = text.find(said)
    while at >= 0:
        # Without a regular expression: each name would have one of its own compiled.
        behind = at + len(said)
        if not (_is_of_name(text[max(at - 1, 0) : at]) or _is_of_name(text[behind : behind + 1])):
            return True
        at = text.find(said, at + 1)
    return False


def _listed(folder: str) -> set[str] | None:
    """The Python files below a folder; None if there are too many of them, or of others."""
    found, entries = set[str](), 0
    for inside, folders, files in walk(folder):
        folders[:] = [each for each in folders if not _is_left_out(each)]
        entries += len(folders) + len(files)
        if "pyvenv.cfg" in files:
            folders.clear()
            continue
        found.update(os.path.join(inside, each) for each in files if each.endswith(".py"))
        if len(found) > MAX_FILES or entries > MAX_ENTRIES:
            return None
    return found


def _is_left_out(name: str) -> bool:
    return name in _LEFT_OUT or name.startswith(".")


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


def _is_in(path: str, folder: str) -> bool:
    """Whether a file belongs to those of a folder."""
    if not path.endswith(".py") or not _is_below(path, folder):
        return False
    return not any(map(_is_left_out, path[len(folder) :].split(os.sep)[:-1]))
