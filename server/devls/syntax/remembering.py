"""Remember what was made of texts, for so many characters of them: while somebody types, most parts of a file stay the same."""

from __future__ import annotations

import functools
import threading
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_F = TypeVar("_F", bound="Callable[..., Any]")

EACH: Final = 100
"""Characters that remembering one text costs beside its own."""


def of_texts(characters: int) -> Callable[[_F], _F]:
    """Remember what a function of texts has returned, the latest ones.

    Unlike those of `functools.lru_cache`, what is kept is bounded by its size: the parts of a file may be long. Several
    threads may call the function.
    """

    def remembering(function: _F) -> _F:
        known: dict[tuple[str, ...], Any] = {}
        lock = threading.Lock()
        left = characters

        @functools.wraps(function)
        def remembered(*texts: str) -> Any:
            nonlocal left
            with lock:
                if texts in known:
                    found = known[texts] = known.pop(texts)  # the latest one now
                    return found
            found = function(*texts)
            with lock:
                if texts not in known:
                    left -= _size(texts)
                    known[texts] = found
                while left < 0:
                    oldest = next(iter(known))
                    del known[oldest]
                    left += _size(oldest)
            return found

        return remembered  # type: ignore[return-value]

    return remembering


def _size(texts: tuple[str, ...]) -> int:
    return sum(map(len, texts)) + EACH
