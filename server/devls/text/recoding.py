"""Edited text back to bytes, with the bytes of all that was not edited as they were.

Encoding the whole text anew is not enough: UTF-7 and `raw_unicode_escape` have several spellings of one character, and
a file may hold those that Python's encoders do not choose.
"""

from __future__ import annotations

import codecs
import difflib
import re
from typing import TYPE_CHECKING

from devls.text.decoding import UndecodableError, decode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from devls.text.decoding import Encoding

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_BYTE_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class UnencodableError(ValueError):
    """A text cannot be written in the encoding of its file. Its text is a clause for a user."""


def recode(data: bytes, after: str) -> bytes:
    """The bytes of a Python file that held `data`, when its text is `after`: same encoding, same mark, same line ends.

    Raises:
        UndecodableError: if `data` is no text.
        UnencodableError: if the encoding lacks a character of `after`, or would not give `after` when read again.
    """
    before, encoding = decode(data)
    if before == after:
        return data
    message = f"its encoding ({encoding.name}) cannot hold the fixed text"
    try:
        # Nearly all files are in an encoding with one spelling, where this is all there is to do.
        same = encoding.encode(before) == data
        result = encoding.encode(after) if same else _by_parts(data, after, encoding)
        kept = decode(result) == (after, encoding)
    except (UnicodeError, UndecodableError):
        raise UnencodableError(message) from None
    if not kept:
        raise UnencodableError(message)
    return result


def _by_parts(data: bytes, after: str, encoding: Encoding) -> bytes:
    """Only the parts of lines that differ are encoded; these encodings begin anew with each line."""
    mark = codecs.BOM_UTF8 if encoding.byte_order_mark else b""
    old: list[bytes] = _BYTE_LINES.findall(data.removeprefix(mark))
    before = [line.decode(encoding.name) for line in old]
    new: list[str] = _LINES.findall(after)
    result = [mark]
    for kind, first, last, start, end in difflib.SequenceMatcher(None, before, new).get_opcodes():
        if kind == "equal":
            result += old[first:last]
        else:
            result.append(_changed(old[first:last], before[first:last], "".join(new[start:end]), encoding))
    return b"".join(result)


def _changed(old: Sequence[bytes], before: Sequence[str], after: str, encoding: Encoding) -> bytes:
    data, text = b"".join(old), "".join(before)
    head = _common(text, after)
    tail = _common(text[head:][::-1], after[head:][::-1])
    boundaries = _boundaries(data, encoding)
    start = max(each for each in boundaries if each <= head)
    # A tail that does not begin between two characters that stand for themselves is encoded, too.
    end = min(each for each in boundaries if each >= max(len(text) - tail, start))
    middle = after[start : len(after) - (len(text) - end)]
    return data[: boundaries[start]] + middle.encode(encoding.name) + data[boundaries[end] :]


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


def _boundaries(data: bytes, encoding: Encoding) -> dict[int, int]:
    """Places where `data` can be cut: numbers of characters, and of the bytes that these take."""
    decoder = codecs.getincrementaldecoder(encoding.name)()
    clean = decoder.getstate()
    count, found = 0, {0: 0}
    for offset in range(len(data)):
        count += len(decoder.decode(data[offset : offset + 1], final=offset == len(data) - 1))
        if offset == len(data) - 1 or decoder.getstate() == clean:
            found[count] = offset + 1
    return found
