"""Which files are checked of those in a folder."""

from __future__ import annotations

import os
import reprlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devls.config import NEVER_CHECKED, Config
from devls.project.resolution import top_of_package
from devls.project.workspace import normalize
from devls.text.patterns import Patterns
from devls.text.reading import MAX_DEPTH, UnreadableFileError, read_text, reason_of, status_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MAX_IGNORE_BYTES: Final = 256 * 1024
"""Of a .gitignore."""

SUFFIXES: Final = (".py", ".ipynb")


@dataclass(eq=False, repr=False)
class Selection:
    """The files to check, by absolute path, with the names to print them by."""

    names: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    """Paths that were named and are not to be had, with what to say of them."""
    roots: list[str] = field(default_factory=list)
    """The folders that were named, and those of the files that were, or of the packages that these are in."""
    complaints: list[str] = field(default_factory=list)
    """Files that were passed over, with reasons: sentences without their full stop."""
    failed: bool = False
    """Whether devls itself failed on a folder; the others are looked into all the same."""


def select(
    paths: Sequence[str], config_for: Callable[[str], Config], *, force_exclude: bool = False
) -> Selection:
    """Find the files under `paths`, in order, each once.

    A file that is named is taken whatever its name. Of a folder, taken are the files ending in `.py` or `.ipynb` that neither a
    .gitignore nor the configuration's `exclude` leaves out. With `force_exclude`, as an argument or a setting, `exclude` counts for what is named, too.
    """
    found = Selection()
    parents = set[str]()
    for path in paths:
        _add(path, config_for, found, parents, force=force_exclude)
    # In one order, whatever that of the names is; no module lies below a folder that is itself in a package.
    tops = sorted({top_of_package(each) for each in parents})
    found.roots += [each for each in tops if each not in found.roots]
    # A file that is named imports as from the folder of its project, as `python -m` does.
    here = str(Path.cwd())
    if here not in found.roots and any(Path(each).is_relative_to(here) for each in found.names):
        found.roots.append(here)
    return found


def _add(
    path: str, config_for: Callable[[str], Config], found: Selection, parents: set[str], *, force: bool
) -> None:
    """Add what was named: a file, whose folder joins `parents`, or the files of a folder."""
    walk = _Walk(config_for, found)
    try:
        if walk.leaves_out(normalize(path), force=force):
            return
        if os.path.isdir(path):  # noqa: PTH112  pathlib raises errors for names that are too long
            found.roots.append(path)
            for each in walk.files(normalize(path)):
                found.names.setdefault(each, shown(each, path))
        elif os.path.exists(path):  # noqa: PTH110
            parents.add(os.path.dirname(normalize(path)))  # noqa: PTH120
            found.names.setdefault(normalize(path), shown(normalize(path), path))
        else:
            found.missing[path] = _why_missing(path)
    except Exception as error:  # noqa: BLE001  whatever it is, what else was named is checked
        found.failed = True
        found.complaints.append(f"{path} is not checked, because devls itself failed: {error!r}")


def _why_missing(path: str) -> str:
    try:
        status_of(path)
    except UnreadableFileError as error:
        return "does not exist" if error.missing else f"cannot be read: {error.reason}"
    return "does not exist"  # it did not when it was looked for


def shown(path: str, given: str = "") -> str:
    """How to print an absolute path: from the working directory, unless it is elsewhere and was not so given."""
    here = Path.cwd()
    if Path(path).is_relative_to(here):
        return str(Path(path).relative_to(here))
    if given and not Path(given).is_absolute():
        return os.path.relpath(path, here)
    return path


class _Walk:
    """One walk through a folder. Whatever is wrong in one folder costs that folder."""

    def __init__(self, config_for: Callable[[str], Config], found: Selection) -> None:
        self._config_for = config_for
        self._found = found
        self._known: dict[tuple[str, ...], Patterns] = {}
        self._excludes = True  # whether the configuration's `exclude` counts

    def leaves_out(self, path: str, *, force: bool) -> bool:
        """Whether the configuration's `exclude` speaks of a file or folder that was named, or of a folder above it."""
        if not force and not self._config_for(path).force_exclude:
            return False
        config = self._config_for(path)
        patterns = self._patterns(config.exclude)
        relative = _relative(path, config.root or os.path.dirname(path))  # noqa: PTH120
        is_folder = os.path.isdir(path)  # noqa: PTH112
        return relative is not None and patterns.excludes(f"{relative}/" if is_folder else relative)

    def files(self, folder: str) -> Iterator[str]:
        """The files in a folder that was named, and is looked into even where it would be left out of another."""
        above = [str(each) for each in _inside_repository(Path(folder))]
        lists = [each for outer in above if (each := self._ignored_in(outer))]
        if any(_is_excluded(f"{each}/", lists) for each in (*above[1:], folder)):
            lists = []
        top, patterns = self._configured(folder)
        relative = _relative(folder, top)
        self._excludes = relative is None or not patterns.excludes(f"{relative}/")
        yield from self._walk(folder, lists, 0)

    def _walk(self, folder: str, lists: list[tuple[str, Patterns]], depth: int) -> Iterator[str]:
        if depth > MAX_DEPTH:
            self._say(f"{shown(folder)} is not looked into: {MAX_DEPTH} folders are above it")
            return
        try:
            own = self._ignored_in(folder)
            lists = [*lists, own] if own else lists
            entries = self._entries(folder, lists)
        except OSError as error:
            self._say(f"{shown(folder)} is not looked into: {reason_of(error)}")
            return
        except Exception as error:  # noqa: BLE001  whatever it is, the other folders are checked
            self._found.failed = True
            self._say(f"{shown(folder)} is not looked into, because devls itself failed: {error!r}")
            return
        for path, is_folder in entries:
            if is_folder:
                yield from self._walk(path, lists, depth + 1)
            else:
                yield path

    def _entries(self, folder: str, lists: list[tuple[str, Patterns]]) -> list[tuple[str, bool]]:
        """The folders and files in a folder that are not left out, in order, each with whether it is a folder."""
        always = [(folder, self._patterns(NEVER_CHECKED))]
        if self._excludes:
            always.append(self._configured(folder))
        found = []
        with os.scandir(folder) as scanned:
            entries = sorted(scanned, key=lambda entry: entry.name)
        for entry in entries:
            is_folder = _is_folder(entry)
            if not is_folder and not self._includes(entry):
                continue
            path = entry.path + "/" if is_folder else entry.path
            if any(_is_excluded(path, [each]) for each in always) or _is_excluded(path, lists):
                continue
            if is_folder or self._is_file(entry):
                found.append((entry.path, is_folder))
        return found

    def _includes(self, entry: os.DirEntry[str]) -> bool:
        """Whether a file in a folder is one to check, if it is not left out."""
        config = self._config_for(entry.path)
        if not config.include:
            return entry.name.endswith(SUFFIXES)
        relative = _relative(entry.path, config.root or os.path.dirname(entry.path))  # noqa: PTH120
        return relative is not None and self._patterns(config.include).decides(relative) is True

    def _is_file(self, entry: os.DirEntry[str]) -> bool:
        """Whether there is a file to check behind a name that promises one; it is said if not."""
        if os.path.isdir(entry.path):  # noqa: PTH112  a link to a folder, which is looked into where it is
            return False
        try:
            status_of(entry.path)
        except UnreadableFileError as error:
            if not error.missing:  # links that lead nowhere: editors make some beside what they have open
                self._say(f"{shown(entry.path)} is not checked: {error.reason}")
            return False
        return True

    def _ignored_in(self, folder: str) -> tuple[str, Patterns] | None:
        path = os.path.join(folder, ".gitignore")  # noqa: PTH118
        if not os.path.lexists(path):
            return None
        try:
            text = read_text(path, MAX_IGNORE_BYTES)
        except UnreadableFileError as error:
            self._say(f"{shown(path)} is not used: {error.reason}")
            return None
        patterns = self._patterns(tuple(each.removesuffix("\r") for each in text.split("\n")))
        for each in patterns.problems:
            pattern = reprlib.repr(each.pattern)
            self._say(f"{shown(path)}:{each.line}: the pattern {pattern} is not used: {each.reason}")
        return folder, patterns

    def _configured(self, folder: str) -> tuple[str, Patterns]:
        """Exclusions that the configuration of a folder's files makes, with the folder they are relative to."""
        config = self._config_for(os.path.join(folder, "_"))  # noqa: PTH118
        return config.root or folder, self._patterns(config.exclude)

    def _patterns(self, lines: tuple[str, ...]) -> Patterns:
        if lines not in self._known:
            self._known[lines] = Patterns(lines)
        return self._known[lines]

    def _say(self, complaint: str) -> None:
        self._found.complaints.append(complaint)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _inside_repository(folder: Path) -> list[Path]:
    """The folders above `folder`, outermost first, up to the one that holds `.git`; none without one."""
    for depth, each in enumerate((folder, *folder.parents)):
        if os.path.exists(each / ".git"):  # noqa: PTH110  pathlib raises errors where permission is denied
            return list(reversed(folder.parents[:depth]))
    return []


def _is_excluded(path: str, lists: list[tuple[str, Patterns]]) -> bool:
    """Whether the innermost pattern that speaks of `path` itself excludes it."""
    for folder, patterns in reversed(lists):
        relative = _relative(path, folder)
        if relative is None:
            continue
        said = patterns.decides(relative + "/" if path.endswith("/") else relative)
        if said is not None:
            return said
    return False


def _relative(path: str, folder: str) -> str | None:
    """A path as seen from a folder that it is in, with slashes; None for that folder itself, and outside of it."""
    relative = os.path.relpath(path, folder).replace(os.sep, "/")
    return None if relative == "." or relative.split("/", 1)[0] == ".." else relative
