"""Replace what a file holds: all of it or nothing, whatever happens meanwhile.

The new content is written beside the file, brought to the disk, and renamed onto it: who reads the file, and who finds it
behind a crash or on a full disk, sees the old content or the new one. A process that is killed leaves at most the file
beside it, `.devls-fix-*.part`, which no run takes for Python.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
import signal
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devls.text.decoding import UndecodableError, decode
from devls.text.reading import MAX_FILE_BYTES
from devls.text.recoding import UnencodableError, recode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

PREFIX: Final = ".devls-fix-"
SUFFIX: Final = ".part"

CHANGED: Final = "it changed while it was checked"


class UnwrittenError(Exception):
    """A file could not be replaced and holds what it held. Its text is a clause for a user."""


def rewrite(path: str, before: str, after: str) -> int:
    """Let the Python file at `path`, whose text is `before`, have the text `after`.

    Of a link, the file that it leads to is replaced. Encoding, mode, owner and extended attributes stay. Other hard links to
    the file keep the old text: what is written into a file that they share could be cut off halfway.

    Returns:
        How many such other links there are.

    Raises:
        UnwrittenError: if nothing was written: the file has another text, or cannot be replaced as it has to be.
    """
    target = Path(os.path.realpath(path))
    try:
        with _signals_later():
            return _rewrite(target, before, after)
    except UndecodableError:
        raise UnwrittenError(CHANGED) from None
    except UnencodableError as error:
        raise UnwrittenError(str(error)) from None
    except OSError as error:
        raise UnwrittenError(_reason(error, target)) from None


@contextlib.contextmanager
def written(path: str) -> Iterator[TextIO]:
    """A stream in UTF-8, whose text becomes all that a file holds when the block ends, and is gone if the block fails.

    Devices, pipes and files that this process has open are written through, as is a file whose place takes no other one.
    Any other file is as it was where this fails.

    Raises:
        OSError: if it cannot be written.
    """
    if _is_stream(path):
        with Path(path).open("w", encoding="utf-8", errors=_SPELT) as stream:
            yield stream
        return
    held = io.BytesIO()
    text = io.TextIOWrapper(held, encoding="utf-8", errors=_SPELT)
    yield text
    text.flush()
    with _signals_later():
        _put(Path(os.path.realpath(path)), held.getvalue())


_SPELT: Final = "backslashreplace"
"""Handler of characters that UTF-8 lacks, such as half of a pair in the name of a file."""


def _is_stream(path: str) -> bool:
    """Whether something else reads or writes there, so that another file in its place would not do."""
    try:
        status = Path(path).stat()
    except OSError:
        return False
    if not stat.S_ISREG(status.st_mode):
        return True
    # /dev/stdout, and all the names of a file that a shell has opened, for more than this command maybe
    with contextlib.suppress(OSError):
        for each in os.listdir("/dev/fd"):  # noqa: PTH208  numbers, not paths
            with contextlib.suppress(OSError):
                if os.path.samestat(os.fstat(int(each)), status):
                    return True
    return False


def _put(target: Path, data: bytes) -> None:
    status = None
    with contextlib.suppress(FileNotFoundError), target.open("r+b") as file:
        status = os.fstat(file.fileno())
    try:
        _replace(target, status, data)
    except UnwrittenError:  # it has another owner, and can be written all the same
        target.write_bytes(data)
    except OSError as error:
        if status is None or error.errno not in _NO_OTHER:
            raise
        target.write_bytes(data)


_NO_OTHER: Final = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)
"""A file may be written whose folder takes no other one, or that is a mount point."""


def _rewrite(target: Path, before: str, after: str) -> int:
    # A file that may not be written stays, though its folder would allow it to be replaced.
    with target.open("r+b") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            raise UnwrittenError(CHANGED)
        data = file.read()
    text, _ = decode(data)
    if text == after:
        return 0  # by another of its names, or by another run
    if text != before:
        raise UnwrittenError(CHANGED)
    _replace(target, status, recode(data, after), data)
    return status.st_nlink - 1


def _replace(target: Path, status: os.stat_result | None, after: bytes, before: bytes | None = None) -> None:
    """Let a file hold `after`; it has that status, or there is none. If `before` is given, it has to hold that until then."""
    part = _beside(target, 0o600 if status else 0o666)
    try:
        with part.open("wb") as file:
            if status is not None:
                _dress(file.fileno(), part, target, status)
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        if status is not None and before is not None:
            _check_unchanged(target, status, before)
        part.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    _bring_names_to_disk(target.parent)


def _bring_names_to_disk(folder: Path) -> None:
    """Have the disk know which file has which name; where that cannot be, the old file may be back behind a loss of power."""
    with contextlib.suppress(OSError):  # Windows opens no folders
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _beside(target: Path, mode: int) -> Path:
    part = target.with_name(f"{PREFIX}{os.urandom(8).hex()}{SUFFIX}")
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    return part


def _dress(handle: int, part: Path, target: Path, status: os.stat_result) -> None:
    """Give the new file the owner, the mode and the extended attributes of the old one."""
    if sys.platform != "win32":
        mine = os.fstat(handle)
        if (mine.st_uid, mine.st_gid) != (status.st_uid, status.st_gid):
            try:
                os.fchown(handle, status.st_uid, status.st_gid)
            except OSError:
                raise UnwrittenError("its owner could not be kept") from None
    # The times are copied, too; what is written next makes it a file of now.
    shutil.copystat(target, part)


def _check_unchanged(target: Path, status: os.stat_result, before: bytes) -> None:
    now = target.stat()
    same = (now.st_dev, now.st_ino, now.st_mode) == (status.st_dev, status.st_ino, status.st_mode)
    if not same or target.read_bytes() != before:
        raise UnwrittenError(CHANGED)


@contextlib.contextmanager
def _signals_later() -> Iterator[None]:
    """Let signals that end the program wait until the file beside is gone again."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _reason(error: OSError, target: Path) -> str:
    said = error.strerror or type(error).__name__
    if error.filename is not None and error.filename2 is None and Path(error.filename) != target:
        return f"a file beside it could not be written ({said})"
    return f"it could not be written ({said})"
