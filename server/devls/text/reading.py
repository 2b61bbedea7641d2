"""The only way files of the user are read: regular files, up to a size, with one kind of error.

A folder of the user may hold anything under any name: a named pipe that nobody writes to, a link to itself or to
`/dev/zero`, a terabyte. Reading one of them must cost that one file, never the run.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_FILE_BYTES: Final = 5 * 1024 * 1024
"""Of one file. A program written by hand is far smaller; what is larger is data with a `.py` at its end, and would keep
the editor waiting for seconds."""

MAX_DEPTH: Final = 100
"""Folders in one another that are looked into. No project has a third of them; each costs a look at all above it."""

_PART: Final = 1024 * 1024

# Without O_NONBLOCK, opening a pipe waits for a writer. Windows has neither the flag nor the pipe, but line ends.
_FLAGS: Final = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
)


class UnreadableFileError(Exception):
    """The text of a file cannot be had. Its text is a sentence for a user, `reason` the clause behind "because"."""

    def __init__(self, path: str, reason: str, *, missing: bool = False, foreign: bool = False) -> None:
        """Make an error; `missing` if there is nothing under that path, `foreign` if it is in another language."""
        super().__init__(f"Cannot read {path}: {reason}.")
        self.path = path
        self.reason = reason
        self.missing = missing
        self.foreign = foreign


def status_of(path: str) -> os.stat_result:
    """The status of a regular file, links followed.

    Raises:
        UnreadableFileError: if the file is missing, not permitted, or anything else than a regular file.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        missing = isinstance(error, (FileNotFoundError, NotADirectoryError))
        raise UnreadableFileError(path, reason_of(error), missing=missing) from None
    _require_regular(path, status)
    return status


def read(path: str, limit: int | None = None) -> bytes:
    """The content of a regular file of at most `limit` bytes (`MAX_FILE_BYTES` if None).

    Raises:
        UnreadableFileError: if the file is larger, or not to be had: see `status_of`.
    """
    limit = MAX_FILE_BYTES if limit is None else limit
    content = read_start(path, limit + 1)
    if len(content) > limit:
        raise UnreadableFileError(path, f"it is larger than {_size(limit)}")
    return content


def read_start(path: str, count: int) -> bytes:
    """The first `count` bytes of a regular file.

    Raises:
        UnreadableFileError: if the file is not to be had: see `status_of`.
    """
    status_of(path)  # opening a device is more than a look at it: some rewind, some ring
    try:
        file = os.open(path, _FLAGS)
        try:
            _require_regular(path, os.fstat(file))  # another one may have taken its place
            return _read_from(file, count)
        finally:
            os.close(file)
    except (OSError, ValueError) as error:
        raise UnreadableFileError(path, reason_of(error)) from None


def read_text(path: str, limit: int | None = None) -> str:
    """The text of a regular file in UTF-8, with U+FFFD for all that is none; line ends stay as they are.

    Raises:
        UnreadableFileError: as `read`.
    """
    return read(path, limit).decode("utf-8", "replace")


def walk(top: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """As `os.walk`: each folder below `top` with the names of its folders and its files, down to `MAX_DEPTH`.

    Whoever removes names of folders keeps them from being looked into. Links to folders are not followed, folders that
    cannot be read are passed over, and deep ones need no deep stack.
    """
    waiting = [(top, 0)]
    while waiting:
        inside, depth = waiting.pop()
        folders, files = list[str](), list[str]()
        try:
            with os.scandir(inside) as entries:
                for entry in entries:
                    (folders if _is_folder(entry) else files).append(entry.name)
        except (OSError, ValueError):
            continue
        yield inside, folders, files
        if depth < MAX_DEPTH:
            waiting += [(os.path.join(inside, each), depth + 1) for each in reversed(folders)]


def reason_of(error: Exception) -> str:
    """Why something cannot be read, as the clause behind "because"."""
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return "it does not exist"
    if isinstance(error, PermissionError):
        return "permission denied"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _require_regular(path: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableFileError(path, "it is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFileError(path, "it is not a regular file")


def _read_from(file: int, count: int) -> bytes:
    parts = list[bytes]()
    while count > 0:
        part = os.read(file, min(count, _PART))
        if not part:
            break
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _size(count: int) -> str:
    megabyte = 1024 * 1024
    return f"{count // megabyte} MB" if count >= megabyte else f"{count // 1024} KB"
