"""Results of earlier runs of `devls --check`, kept in the user's cache folder.

A file's findings are taken from there as long as all they were made of is the same: devls itself, the Python it runs on, the
configuration, the installed packages, torch's version, and the *content* of every file that the analysis has read, or has
looked for in vain.
Times of change are not believed, but for those of devls and of `site-packages`.

All that is known of the files below the same folders stands in one file, which is written anew and put in place as a
whole: runs at the same time do not see each other's halves, and the last one wins. It begins with a checksum of the rest.
An entry that cannot be read, or is not as it was written, is ignored.

These files lie in a folder of their own, and only what is named as they are is ever removed there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import devls
from devls.cli.stored import restored, stored
from devls.project.definitions import Definitions
from devls.project.resolution import holds_modules, is_folder
from devls.syntax.notebook import SUFFIX
from devls.text.decoding import UndecodableError, decode
from devls.text.reading import UnreadableFileError, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from devls.analysis import Analysis, Analyzer
    from devls.config import Config
    from devls.project.workspace import Workspace
    from devls.syntax.source import Source

VARIABLE: Final = "DEVLS_CACHE_DIR"

MAX_BYTES: Final = 128 * 1024 * 1024
"""Of all files in the folder; those that were used least lately go first."""

FOLDER: Final = "findings"
"""The name of the folder that holds nothing but what is written here."""

_SUFFIX: Final = ".findings"
_NAME: Final = re.compile(r"[0-9a-f]{32}\.findings")
_PART: Final = re.compile(r"part-\w+\.findings")

_ABANDONED: Final = 24 * 60 * 60
"""Seconds after which nobody is still writing a part: the run was cut off."""

_SEARCH: Final = "search path of "
"""Prefix of a folder in the table of dependencies: modules are looked for from there."""

_NAMING: Final = "files that say "
"""The same before a name and a folder: of which files below it the name's callers were asked."""


def folder(variables: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """Path of this user's cache folder, as the platform has it; None if there is no such place."""
    if variables.get(VARIABLE):
        return Path(variables[VARIABLE])
    if platform == "win32":
        local = variables.get("LOCALAPPDATA")
        return Path(local, "devls", "Cache") if local else None
    given = variables.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given, "devls")
    home = variables.get("HOME")
    if not home:
        return None
    return Path(home, "Library", "Caches", "devls") if platform == "darwin" else Path(home, ".cache", "devls")


@dataclass(frozen=True)
class Entry:
    """Answer of another process's cache for a file that was analyzed there."""

    content: dict[str, Any]
    likes: dict[str, str]
    """All that the analysis was made of, and what it was like."""


def opened(
    workspace: Workspace, analyzer: Analyzer, config_for: Callable[[str], Config], *, reads: bool = True
) -> Cache | None:
    """The cache for a workspace; None if there is no place for one. One that does not read makes entries for another."""
    place = folder()
    return None if place is None else Cache(place, workspace, analyzer, config_for, reads=reads)


class Cache:
    """The findings of earlier runs over the same folders."""

    def __init__(
        self,
        place: Path,
        workspace: Workspace,
        analyzer: Analyzer,
        config_for: Callable[[str], Config],
        *,
        reads: bool = True,
    ) -> None:
        """Read what there is for these folders below `place`. Never raises."""
        self._workspace = workspace
        self._analyzer = analyzer
        self._config_for = config_for
        name = _digest("\0".join(workspace.roots).encode("utf-8", "surrogatepass"))
        self._file = place / FOLDER / f"{name}{_SUFFIX}"
        self._setting = _setting(analyzer.installed_in)
        self._now: dict[str, str] = {}
        """State of the dependencies of analyses, as first looked at: contents of files, search paths."""
        self._texts: dict[str, tuple[Source, str]] = {}
        """The digests of texts that were analyzed."""
        self._likes: dict[str, str] = {}
        """State of the dependencies at the time when something was made of them."""
        self._unsteady: set[str] = set()
        """Things that changed while this run went on: nobody knows what was made of which."""
        self._kept: dict[str, dict[str, Any]] = {}
        """Of files that were asked for in this run, as they were found."""
        self._made: dict[str, tuple[set[str], dict[str, Any]]] = {}
        """Of files that were analyzed in this run: what the analysis was made of, and what it found."""
        self._table: list[str] = []
        self._known: dict[str, Any] = {}
        self._changed = 0
        """A bit for each thing in the table that is not what it was."""
        if reads:
            self._read()

    def get(self, path: str) -> Analysis | None:
        """The analysis of a file as an earlier run has made it, if it would come out the same now."""
        entry = self._known.get(path)
        try:
            if entry is None or entry["config"] != self._configured(path):
                return None
            if int(entry["uses"], 16) & self._changed:
                return None
            source = self._workspace.source(path)
            if self._text_of(source) != self._like(path):
                return None
            analysis = restored(source, entry["found"])
        except Exception:  # noqa: BLE001  whatever is wrong with it, it is no cache
            return None
        self._kept[path] = entry
        return analysis

    def has(self, path: str) -> bool:
        """Whether `get` may have something of a file."""
        entry = self._known.get(path)
        try:
            return entry is not None and not int(entry["uses"], 16) & self._changed
        except (KeyError, TypeError, ValueError):
            return False

    def put(self, path: str, analysis: Analysis) -> None:
        """Remember an analysis that has just been made; not of a file that has to be complained of."""
        if path.endswith(SUFFIX) or analysis.source.problems:
            return
        used = {path, *self._analyzer.used_by(path)}
        for each in list(used):
            if each.endswith((".py", ".pyi")):
                inside = os.path.dirname(each)
                used.add(_SEARCH + inside)
                # Whether a file lies deep in a package is asked as well.
                used |= {
                    os.path.join(inside, "__init__.py"),
                    os.path.join(os.path.dirname(inside), "__init__.py"),
                }
        used |= {f"{_NAMING}{name} {inside}" for name, inside in self._analyzer.asked_by(path)}
        self._texts[path] = analysis.source, _digest_of_text(analysis.source.text)
        for each in used:
            self._note(each, self._when_analyzed(each))
        entry = {"config": self._configured(path), "found": stored(analysis)}
        self._made[path] = used, entry

    def used(self) -> set[str]:
        """The files that all analyses of this run were made of, there or not."""
        kept = (self._used(entry) for entry in self._kept.values())
        made = (used for used, _ in self._made.values())
        return {each for used in (*kept, *made) for each in used if os.path.isabs(each)}

    def entry(self, path: str) -> Entry | None:
        """Entries that `put` has remembered of a file, for the cache of another process; None if that is nothing."""
        made = self._made.get(path)
        if made is None or not made[0].isdisjoint(self._unsteady):
            return None
        used, content = made
        return Entry(content, {each: self._likes[each] for each in used})

    def adopt(self, path: str, entry: Entry) -> None:
        """Remember what another process has analyzed."""
        for each, like in entry.likes.items():
            self._note(each, like)
        self._made[path] = set(entry.likes), entry.content

    def save(self) -> None:
        """Write down what this run knows, if that is more than what was known. Never raises."""
        with contextlib.suppress(OSError, ValueError, RecursionError, MemoryError):
            if not self._made:
                os.utime(self._file)
                return
            entries = {path: (self._used(entry), entry) for path, entry in self._kept.items()}
            for each in set[str]().union(*(used for used, _ in entries.values())):
                self._note(each, self._like(each))
            entries = {
                path: (used, entry)
                for path, (used, entry) in (entries | self._made).items()
                if used.isdisjoint(self._unsteady)
            }
            table = sorted(set[str]().union(*(used for used, _ in entries.values())))
            numbers = {each: number for number, each in enumerate(table)}
            content = {
                "setting": self._setting,
                "table": [[each, self._likes[each]] for each in table],
                "files": {
                    path: {**entry, "uses": _bits(numbers[each] for each in used)}
                    for path, (used, entry) in entries.items()
                },
            }
            _write(self._file, json.dumps(content, separators=(",", ":")).encode("ascii"))
            _prune(self._file.parent, self._file)

    def _read(self) -> None:
        try:
            content = json.loads(_read(self._file))
            if content["setting"] != self._setting:
                return
            table = [str(each) for each, _ in content["table"]]
            others = (
                number for number, (each, was) in enumerate(content["table"]) if self._like(each) != was
            )
            changed = int(_bits(others), 16)
            self._known = dict(content["files"])
            self._table, self._changed = table, changed
        except (OSError, ValueError, KeyError, TypeError, RecursionError, AttributeError):
            return

    def _used(self, entry: dict[str, Any]) -> set[str]:
        bits = int(entry["uses"], 16)
        held = bits.to_bytes(bits.bit_length() // 8 + 1, "little")
        table = self._table[: len(held) * 8]
        return {each for number, each in enumerate(table) if held[number >> 3] >> (number & 7) & 1}

    def _configured(self, path: str) -> str:
        return _digest(repr(self._config_for(path)).encode("utf-8", "surrogatepass"))

    def _like(self, thing: str) -> str:
        known = self._now.get(thing)
        if known is None:
            known = self._now[thing] = self._looked_at(thing)
        return known

    def _note(self, thing: str, like: str) -> None:
        if self._likes.setdefault(thing, like) != like:
            self._unsteady.add(thing)

    def _when_analyzed(self, thing: str) -> str:
        """State of a dependency: a text that was read counts as it was then, whatever the file holds now."""
        source = self._workspace.loaded(thing)
        return self._like(thing) if source is None else self._text_of(source)

    def _text_of(self, source: Source) -> str:
        known = self._texts.get(source.path)
        if known is None or known[0] is not source:
            known = self._texts[source.path] = source, _digest_of_text(source.text)
        return known[1]

    def _looked_at(self, thing: str) -> str:
        if thing.startswith(_SEARCH):
            inside = thing[len(_SEARCH) :]
            found = self._analyzer.search_path(os.path.join(inside, "_"))
            return _digest("\0".join(found).encode("utf-8", "surrogatepass"))
        if thing.startswith(_NAMING):
            name, _, inside = thing[len(_NAMING) :].partition(" ")
            naming = self._analyzer.naming(name, inside)
            return _digest("\0".join(naming).encode("utf-8", "surrogatepass"))
        if is_folder(thing):
            return "folder" if holds_modules(thing) else ""
        try:
            data = read(thing)
        except UnreadableFileError:
            return ""
        try:
            return _digest_of_text(decode(data)[0])
        except UndecodableError:
            return _digest(data)


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _digest_of_text(text: str) -> str:
    return _digest(text.encode("utf-8", "surrogatepass"))


def _setting(installed_in: Iterable[str]) -> str:
    """Common inputs of all analyses of a run: devls, Python, the installed packages."""
    places = tuple(installed_in)
    parts = [devls.__version__, sys.version, json.dumps([_changed_at(each) for each in places])]
    # It is written anew where torch is built in place, and the folder around does not change by that.
    parts.append(Definitions(places).torch_version)
    own = os.path.dirname(devls.__file__)
    for inside, folders, files in os.walk(own):
        folders[:] = sorted(each for each in folders if each != "__pycache__")
        parts += [json.dumps(_changed_at(os.path.join(inside, each))) for each in sorted(files)]
    return _digest("\0".join(parts).encode("utf-8", "surrogatepass"))


def _changed_at(path: str) -> tuple[str, int, int]:
    try:
        status = Path(path).stat()
    except OSError:
        return path, 0, 0
    return path, status.st_mtime_ns, status.st_size


def _read(file: Path) -> bytes:
    """Entries that `_write` has written.

    Raises:
        OSError: if there is no such file.
        ValueError: if that is not what it holds.
    """
    status = file.stat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
        raise ValueError("no file of findings")
    digest, _, content = file.read_bytes().partition(b"\n")
    if digest != _digest(content).encode():
        raise ValueError("not as it was written")
    return content


def _bits(numbers: Iterable[int]) -> str:
    """Small numbers as the bits of a large one, in hexadecimal digits: a file has looked for thousands of others."""
    found = bytearray()
    for each in numbers:
        place = each >> 3
        if place >= len(found):
            found.extend(bytes(place + 1 - len(found)))
        found[place] |= 1 << (each & 7)
    return f"{int.from_bytes(found, 'little'):x}"


def _write(file: Path, content: bytes) -> None:
    import tempfile  # noqa: PLC0415  most runs over what has not changed write nothing

    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(_SUFFIX, "part-", file.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(_digest(content).encode() + b"\n" + content)
        os.replace(name, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _prune(inside: Path, newest: Path) -> None:
    """Remove what was used least lately where there is too much, and what runs that were cut off have left."""
    found = []
    abandoned = time.time() - _ABANDONED
    for each in inside.iterdir():
        with contextlib.suppress(OSError):
            status = each.lstat()
            if not stat.S_ISREG(status.st_mode):
                continue
            if _NAME.fullmatch(each.name):
                found.append((each != newest, -status.st_mtime, status.st_size, each))
            elif _PART.fullmatch(each.name) and status.st_mtime < abandoned:
                each.unlink()
    total = 0
    for _, _, size, each in sorted(found, key=lambda item: item[:3]):
        total += size
        if total > MAX_BYTES:
            with contextlib.suppress(OSError):
                each.unlink()
