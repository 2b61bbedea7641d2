"""Standard input and output, which may be closed, full or gone."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import TYPE_CHECKING

from devls.text.reading import reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator


class OutputError(Exception):
    """Standard output takes nothing more, because of a full disk for instance. Its text is why."""


@contextlib.contextmanager
def writing_to_output() -> Iterator[None]:
    """Around what writes to standard output.

    Raises:
        OutputError: in place of what the system says, unless nobody reads any more (`BrokenPipeError`).
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(reason_of(error)) from None


def let_go_of_output() -> None:
    """Let standard output lead nowhere: Python flushes it once more at exit, and must not fail then."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def from_input(count: int) -> bytes:
    """At most so many bytes of standard input.

    Raises:
        OSError: if it cannot be read, or was closed by who started devls.
    """
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer.read(count)
