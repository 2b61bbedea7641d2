"""Files as the user sees them: open buffers over the disk."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from devls.syntax.live import LiveSource
from devls.syntax.notebook import SUFFIX, NotebookError, NotebookSource
from devls.syntax.source import Source
from devls.text.decoding import UndecodableError, decode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from devls.syntax.live import Change

# A program written by hand is far smaller; what is larger is data with a `.py` at its end, and
# would keep the editor waiting for seconds.
MAX_FILE_BYTES = 5 * 1024 * 1024


class UnreadableFileError(Exception):
    """The text of a file cannot be had. Its text is a sentence for a user, `reason` the clause behind "because"."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"Cannot read {path}: {reason}.")
        self.path = path
        self.reason = reason


class Workspace:
    """The project's files. Paths that come in may be relative; those that are kept are absolute and normal.

    A Source stays the same object as long as its text does, and with `editing` as long as its file is open. Not for use from several threads.
    """

    def __init__(self, roots: Sequence[str] = (), *, editing: bool = False) -> None:
        """Make a workspace; with `editing`, an open file is one Source throughout, whose text changes."""
        self._editing = editing
        self.edits: dict[str, list[tuple[Change, str]]] = {}
        """What has happened to such Sources since somebody last looked here: each edit, and the text before it."""
        self._roots = tuple(normalize(root) for root in roots)
        self._open: dict[str, Source] = {}
        self._disk: dict[str, tuple[tuple[int, int], Source]] = {}

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders of the project."""
        return self._roots

    def open(self, path: str, text: str | NotebookSource) -> None:
        """Let `text` win over the disk, now or as it changes; a notebook's program is taken as it is."""
        path = normalize(path)
        if isinstance(text, NotebookSource):
            self._open[path] = text
            return
        before = self._open.get(path)
        if before is None:
            cached = self._disk.get(path)
            before = cached[1] if cached else None
        if before is not None and before.text == text:
            self._open[path] = before
        elif isinstance(before, LiveSource):
            old = before.text
            self.edits.setdefault(path, []).append((before.edit(text), old))
        else:
            self._open[path] = LiveSource(path, text) if self._editing else Source(path, text)

    def close(self, path: str) -> None:
        """Go back to what the disk says; a file that is not open stays so."""
        path = normalize(path)
        self._open.pop(path, None)
        self.edits.pop(path, None)

    def is_open(self, path: str) -> bool:
        """Whether a buffer wins over the disk."""
        return normalize(path) in self._open

    @property
    def opened(self) -> tuple[str, ...]:
        """The paths of the files that have a buffer."""
        return tuple(self._open)

    def loaded(self, path: str) -> Source | None:
        """What `source` gave last for a file on disk, by absolute path, whatever it holds now; None before that."""
        known = self._disk.get(path)
        return known[1] if known else None

    def exists(self, path: str) -> bool:
        """Whether there is a buffer or a regular file."""
        if self._open and normalize(path) in self._open:
            return True
        return os.path.isfile(path)  # noqa: PTH113  asked for each import; pathlib takes thrice as long

    def source(self, path: str) -> Source:
        """The file's text: of its buffer, else from disk, read again when its time or size has changed.

        Raises:
            UnreadableFileError: if there is none: the file is missing, a folder, not permitted, binary, not in
                its encoding, or larger than `MAX_FILE_BYTES`.
        """
        path = normalize(path)
        opened = self._open.get(path)
        if opened is not None:
            return opened
        try:
            status = Path(path).stat()
        except (OSError, ValueError) as error:
            self._disk.pop(path, None)
            raise UnreadableFileError(path, _reason(error)) from None
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._disk.get(path)
        if known and known[0] == stamp:
            return known[1]
        text = _read(path, status)
        # A notebook's text says nothing of cells between those with code, by which its places are named.
        same = known is not None and known[1].text == text and not path.endswith(SUFFIX)
        source = known[1] if known and same else _made(path, text)
        self._disk[path] = (stamp, source)
        return source


def normalize(path: str) -> str:
    """An absolute path without `.` and `..`; links stay as they are, and so does the URI of an unsaved buffer."""
    if (
        ":" in path
        and not Path(path).anchor
        and path.partition(":")[0] in ("untitled", "vscode-notebook-cell")
    ):
        return path
    return os.path.normpath(os.path.join(os.getcwd(), path))  # noqa: PTH109, PTH118  pathlib keeps `..`


def _read(path: str, status: os.stat_result) -> str:
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableFileError(path, "it is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFileError(path, "it is not a regular file")
    if status.st_size > MAX_FILE_BYTES:
        limit = MAX_FILE_BYTES // 1024 // 1024
        raise UnreadableFileError(path, f"it is larger than {limit} MB")
    try:
        return decode(Path(path).read_bytes())[0]
    except OSError as error:
        raise UnreadableFileError(path, _reason(error)) from None
    except UndecodableError as error:
        raise UnreadableFileError(path, str(error)) from None


def _made(path: str, text: str) -> Source:
    if not path.endswith(SUFFIX):
        return Source(path, text)
    try:
        return NotebookSource.read(path, text)
    except NotebookError as error:
        raise UnreadableFileError(path, str(error)) from None


def _reason(error: Exception) -> str:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return "it does not exist"
    if isinstance(error, PermissionError):
        return "permission denied"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__
