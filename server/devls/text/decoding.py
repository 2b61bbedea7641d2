"""Bytes of a Python file to text, and back to the same bytes where nothing was changed."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_DECLARED = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)
_BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_LINE_END = re.compile(rb"\r\n|\r|\n")

# Codecs for names on the network. Nobody writes programs in them, and punycode takes the square of its input's length.
_OF_HOSTS = frozenset({"idna", "punycode"})

_NO_TEXT = re.compile("[\0\ud800-\udfff]")


class UndecodableError(ValueError):
    """The bytes are not text in the encoding they claim. Its text is a sentence for a user."""


@dataclass(frozen=True)
class Encoding:
    """How a file's text is written down."""

    name: str = "utf-8"
    byte_order_mark: bool = False

    def encode(self, text: str) -> bytes:
        """The bytes of `text`.

        Raises:
            UnicodeEncodeError: if the encoding lacks one of its characters.
        """
        mark = codecs.BOM_UTF8 if self.byte_order_mark else b""
        return mark + text.encode(self.name)


def decode(data: bytes) -> tuple[str, Encoding]:
    """The text of a Python file, by its byte order mark and its encoding declaration (PEP 263).

    An encoding that is not known here is one that a package adds, nearly always over UTF-8: so the file is read.

    Raises:
        UndecodableError: if it holds NUL bytes, or does not follow its encoding.
    """
    if b"\0" in data:
        raise UndecodableError("it is a binary file")
    marked = data.startswith(codecs.BOM_UTF8)
    body = data.removeprefix(codecs.BOM_UTF8)
    declared = _declared(body)
    name = _codec(declared) or "utf-8"
    if name == "utf-8-sig":
        name = "utf-8"  # as Python's own reader has it; Python's codec of that name would add a mark at each write
    if name in _OF_HOSTS:
        raise UndecodableError(f"it declares an encoding that is not one of text: {declared}")
    if marked and name != "utf-8":
        message = f"it begins with the byte order mark of utf-8, but declares {name}"
        raise UndecodableError(message)
    try:
        text = body.decode(name)
    except UnicodeDecodeError as error:
        if _codec(declared) is None:
            raise UndecodableError(f"it declares an encoding that is not known: {declared}") from None
        line = data.count(b"\n", 0, error.start) + 1
        message = f"it is not valid {name} (line {line})"
        raise UndecodableError(message) from None
    except (LookupError, TypeError, AssertionError, ValueError):
        # A codec of Python that does not make text of bytes: rot13, hex, ...
        message = f"it declares an encoding that is not one of text: {declared}"
        raise UndecodableError(message) from None
    # Most files hold ASCII only: two looks in place of a search, which was 1 % of an analysis.
    # Escape sequences of unicode_escape and utf-7 can stand for anything.
    if ("\0" in text or not text.isascii()) and _NO_TEXT.search(text):
        message = f"it holds characters that Python takes from no file, by its encoding: {declared}"
        raise UndecodableError(message)
    return text, Encoding(name, marked)


def unknown_encoding(text: str) -> str | None:
    """The encoding that the text of a file declares, if Python has none of that name by itself."""
    declared = _declared(text[:1000].encode("utf-8", "replace"))
    return declared if _codec(declared) is None else None


def _codec(declared: str | None) -> str | None:
    """The name of Python's codec for a declared encoding; None if there is none."""
    try:
        return codecs.lookup(declared or "utf-8").name
    except LookupError:
        return None


def _declared(data: bytes) -> str | None:
    for line in _LINE_END.split(data[:1000], 2)[:2]:
        if found := _DECLARED.match(line):
            return found[1].decode("ascii")
        if not _BLANK_OR_COMMENT.match(line):
            break
    return None
