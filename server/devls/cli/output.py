"""Standard output, which may be full or gone."""

from __future__ import annotations

import contextlib
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
