"""Between character offsets and lines with columns, in each unit that somebody counts in."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

# The only line ends Python's tokenizer and the LSP agree on; `str.splitlines` knows
# many more (form feed, U+2028, ...) and would number lines differently from `ast`.
_LINE_END = re.compile(r"\r\n|\r|\n")

_HIGH_SURROGATE_AREA = 0x10000  # code points from here on take two UTF-16 units


_MOST_DIGITS = 18


def whole_number(text: str) -> int | None:
    """A number that is written in few ASCII digits: `int` refuses thousands of them, and other characters that `isdigit` takes (`²`)."""
    return int(text) if len(text) <= _MOST_DIGITS and text.isascii() and text.isdigit() else None


class LineIndex:
    """Line starts of one text. Lines and columns count from 0; offsets are characters."""

    __slots__ = ("_ascii", "_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        if "\r" in text:
            self._starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
        else:  # the same, at a third of the price: each edit of a text asks for it
            self._starts = [0, *accumulate(map((1).__add__, map(len, text.split("\n"))))]
            self._starts.pop()
        self._ascii = text.isascii()

    @property
    def line_count(self) -> int:
        """How many lines there are; an empty text has one."""
        return len(self._starts)

    def line_start(self, line: int) -> int:
        """The offset of a line's first character; past the last line, the text's length."""
        if line < 0:
            return 0
        return self._starts[line] if line < len(self._starts) else len(self._text)

    def line_text(self, line: int) -> str:
        """One line without its line end."""
        return self._text[self.line_start(line) : self.line_start(line + 1)].rstrip("\r\n")

    def position(self, offset: int) -> tuple[int, int]:
        """Offset to (line, column in characters)."""
        offset = max(0, min(offset, len(self._text)))
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]

    def offset(self, line: int, column: int) -> int:
        """(line, column in characters) to offset, clamped to the line."""
        start = self.line_start(line)
        return min(start + max(0, column), start + len(self.line_text(line)))

    def offset_from_utf8(self, line: int, column: int) -> int:
        """(line, column in UTF-8 bytes, as `ast` counts) to offset."""
        start = self.line_start(line)
        if self._ascii:
            return min(start + column, len(self._text))
        head = self._text[start : self.line_start(line + 1)].encode("utf-8", "surrogatepass")
        return start + len(head[:column].decode("utf-8", "ignore"))

    def offset_from_utf16(self, line: int, column: int) -> int:
        """(line, column in UTF-16 units, as most editors count) to offset, clamped."""
        if self._ascii:
            return self.offset(line, column)
        start, units = self.line_start(line), 0
        text = self.line_text(line)
        for index, character in enumerate(text):
            if units >= column:
                return start + index
            units += 2 if ord(character) >= _HIGH_SURROGATE_AREA else 1
        return start + len(text)

    def utf16_position(self, offset: int) -> tuple[int, int]:
        """Offset to (line, column in UTF-16 units)."""
        line, column = self.position(offset)
        if self._ascii:
            return line, column
        start = self._starts[line]
        head = self._text[start : start + column]
        return line, column + sum(ord(character) >= _HIGH_SURROGATE_AREA for character in head)
