"""Lines of a program with labels drawn below them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from devls.text.edits import Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from devls.syntax.source import Source

_TAB = "    "

# Fewer columns than that make a column of single words.
_LEAST_ROOM = 24

_WORD = re.compile(r"\S+\s*")

# Of a finding about several lines the first ones tell which it is.
_MAX_LINES_PER_LABEL = 3


_LONGEST_LINE = 800
"""Characters of a line that are shown: generated code may be one line."""

_BEFORE_LABEL = 200


@dataclass(frozen=True)
class Glyphs:
    """Characters that lines are drawn with."""

    bar: str = "\u2502"
    gap: str = "\u22ee"
    primary: str = "\u2501"
    secondary: str = "\u2500"
    arrow: str = "\u21b3"
    then: str = "\u2192"

    @staticmethod
    def of(encoding: str | None) -> Glyphs:
        """Box-drawing characters, or ASCII where the encoding lacks them."""
        try:
            "\u2502\u22ee\u2501\u2500\u21b3\u2192".encode(encoding or "utf-8")
        except (UnicodeEncodeError, LookupError):
            return Glyphs("|", ":", "^", "-", "->", ">")
        return Glyphs()


@dataclass(frozen=True)
class Label:
    """A range to be underlined, with what is said of it."""

    range: Range
    message: str
    style: str
    kind: str
    """"primary" or "secondary"."""


class Snippet:
    """The lines of one source that labels stand on, in order."""

    def __init__(self, source: Source, labels: Sequence[Label], glyphs: Glyphs, room: int = 0) -> None:
        """Labels are broken where `room` columns end, if it is not 0; lines of the program are not."""
        self._source, self._labels, self._glyphs, self._room = source, labels, glyphs, room

    def lines(self) -> Iterator[Text]:
        """The lines, numbered, with underlines; where some are left out, a mark."""
        index = self._source.index
        wanted: dict[int, list[Label]] = {}
        for label in self._labels:
            first, last = index.position(label.range.start)[0], index.position(label.range.end)[0]
            for line in range(first, min(last, first + _MAX_LINES_PER_LABEL - 1) + 1):
                wanted.setdefault(line, []).append(label)
        numbers = sorted(wanted)
        # Wide enough that the numbers of one finding stand below each other, and rarely move between findings.
        width = max(5, len(str(numbers[-1] + 1)) + 2)
        previous = None
        for line in numbers:
            if previous is not None and line == previous + 2:
                yield self._line(line - 1, width, self._window(line - 1, ()))
            elif previous is not None and line > previous + 2:
                yield Text(f"{'':{width}} {self._glyphs.gap}", "dim")
            window = self._window(line, wanted[line])
            yield self._line(line, width, window)
            yield from self._underlines(line, width, wanted[line], window)
            previous = line

    def _window(self, line: int, labels: Sequence[Label]) -> Range:
        """The columns that are shown of a line: all of them, or if it is long those around its most important label."""
        length = len(self._source.index.line_text(line))
        if length <= _LONGEST_LINE:
            return Range(0, length)
        chosen = min(labels, key=lambda each: (each.kind != "primary", each.range.start), default=None)
        start = 0 if chosen is None else chosen.range.start - self._source.index.line_start(line)
        begin = max(0, start - _BEFORE_LABEL)
        return Range(begin, min(length, begin + _LONGEST_LINE))

    def _line(self, line: int, width: int, window: Range) -> Text:
        text = self._source.index.line_text(line)
        cut = "..." if window.end < len(text) else ""
        shown = f"{'...' if window.start else ''}{printable(text[window.start : window.end])}{cut}"
        gap = " " if shown.strip() else ""
        number = self._source.place_of(line)[1] + 1
        return Text.assemble((f"{number:>{width}} {self._glyphs.bar}{gap}", "dim"), shown.rstrip())

    def _underlines(self, line: int, width: int, labels: Sequence[Label], window: Range) -> Iterator[Text]:
        """One row for each label, those further to the right first, so that each message has its row's end."""
        for label in sorted(labels, key=lambda each: (each.kind != "primary", -each.range.start)):
            text = self._source.index.line_text(line)
            start = self._source.index.line_start(line)
            indent = len(text) - len(text.lstrip())
            first = min(max(label.range.start - start, indent, window.start), window.end)
            last = max(min(label.range.end - start, len(text.rstrip()), window.end), window.start)
            before = cell_len(printable(text[window.start : first])) + (3 if window.start else 0)
            length = max(1, cell_len(printable(text[first:last])))
            mark = getattr(self._glyphs, label.kind) * length
            bar = (f"{'':{width}} {self._glyphs.bar} ", "dim")
            row = Text.assemble(bar, " " * before)
            row.append(mark, f"bold {label.style}" if label.kind == "primary" else label.style)
            begins = self._source.index.position(label.range.start)[0] == line
            if not label.message or not begins:
                yield row
                continue
            message = Text(label.message, label.style)
            below = row.cell_len + 1
            if self._room and self._room - below < min(_LEAST_ROOM, message.cell_len):
                yield row
                below = width + 3 + max(0, min(before, self._room - width - 3 - 2 * _LEAST_ROOM))
                row = Text.assemble(bar, " " * (below - width - 3))
            else:
                row.append(" ")
            yield from fitted(message, row, Text.assemble(bar, " " * (below - width - 3)), self._room)


def fitted(text: Text, first: Text, others: Text, room: int) -> Iterator[Text]:
    """A text behind `first`, and where `room` columns end, on further lines behind `others`; on one line if `room` is 0."""
    left = room - others.cell_len
    cuts, used = [], first.cell_len - others.cell_len
    if room and left >= _LEAST_ROOM:
        for word in _WORD.finditer(text.plain):
            if used and used + cell_len(word[0].rstrip()) > left:
                cuts.append(word.start())
                used = 0
            used += cell_len(word[0])
    for number, part in enumerate(text.divide(cuts)):
        if cuts:
            part.rstrip()
        yield Text.assemble(others if number else first, part)


def printable(text: str) -> str:
    """`text` as a terminal can show it: tabs as blanks, and no character that would command it."""
    return "".join(
        _TAB if each == "\t" else each if each.isprintable() else "\ufffd" for each in text.rstrip("\r\n")
    )
