"""Files as the user sees them: open buffers over the disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from devls.syntax.live import LiveSource
from devls.syntax.notebook import SUFFIX, ForeignNotebookError, NotebookError, NotebookSource
from devls.syntax.source import OutlinedSource, Source
from devls.text.decoding import UndecodableError, decode
from devls.text.reading import UnreadableFileError, read, status_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from devls.syntax.live import Change


class Workspace:
    """The project's files. Paths that come in may be relative; those that are kept are absolute and normal.

    A Source stays the same object as long as its text does, and with `editing` as long as its file is open. Not for use from several threads.
    """

    def __init__(self, roots: Sequence[str] = (), *, editing: bool = False) -> None:
        """Make a workspace; with `editing`, an open file is one Source throughout, whose text changes."""
        self.editing = editing
        """Whether an open file is one Source throughout, whose text changes."""
        self.edits: dict[str, list[tuple[Change, str]]] = {}
        """Edits of such Sources since the last look here: each edit, and the text before it."""
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
            self._open[path] = LiveSource(path, text) if self.editing else Source(path, text)

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
        """Last result of `source` for a file on disk, by absolute path, whatever it holds now; None before that."""
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
                its encoding, or larger than `reading.MAX_FILE_BYTES`.
        """
        path = normalize(path)
        opened = self._open.get(path)
        if opened is not None:
            return opened
        try:
            status = status_of(path)
        except UnreadableFileError:
            self._disk.pop(path, None)
            raise
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._disk.get(path)
        if known and known[0] == stamp:
            return known[1]
        text = _text(path)
        # A notebook's text says nothing of cells between those with code, by which its places are named.
        same = known is not None and known[1].text == text and not path.endswith(SUFFIX)
        source = known[1] if known and same else self._made(path, text)
        self._disk[path] = (stamp, source)
        return source

    def _made(self, path: str, text: str) -> Source:
        if not path.endswith(SUFFIX):
            return OutlinedSource(path, text) if self.editing else Source(path, text)
        try:
            return NotebookSource.read(path, text)
        except NotebookError as error:
            foreign = isinstance(error, ForeignNotebookError)
            raise UnreadableFileError(path, str(error), foreign=foreign) from None


def normalize(path: str) -> str:
    """An absolute path without `.` and `..`; links stay as they are, and so does the URI of an unsaved buffer."""
    if (
        ":" in path
        and not Path(path).anchor
        and path.partition(":")[0] in ("untitled", "vscode-notebook-cell")
    ):
        return path
    # The working folder, which may have been removed, is asked for only where it matters; pathlib keeps `..`.
    return os.path.normpath(path if Path(path).is_absolute() else os.path.join(os.getcwd(), path))  # noqa: PTH109, PTH118


def _text(path: str) -> str:
    try:
        return decode(read(path))[0]
    except UndecodableError as error:
        foreign = isinstance(error, ForeignNotebookError)
        raise UnreadableFileError(path, str(error), foreign=foreign) from None
