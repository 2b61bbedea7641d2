"""Comments, strings, brackets and logical lines, also of code in the middle of being typed.

The standard library's `tokenize` gives up at the first broken place, and not at the same one in every
version of Python. Edits and suppressions need so few tokens that they are read directly.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from devls.syntax.nodes import asked_of_file, of_tree
from devls.text.edits import Range

if TYPE_CHECKING:
    from devls.syntax.source import Source

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\r\n]*)
    |(?P<prefix>(?<!\w)[rbuftRBUFT]{1,2})?(?P<quote>\"{3}|'{3}|\"|')
    |(?P<open>[(\[{])
    |(?P<close>[)\]}])
    |(?P<joined>\\(?:\r\n|\r|\n))
    |(?P<eol>\r\n|\r|\n)""",
    re.VERBOSE,
)

# Words that begin a statement and can stand nowhere in brackets: where one begins a line, an
# unclosed bracket above it is still being typed and does not swallow the rest of the file.
_STATEMENT = re.compile(
    r"[ \t\f]*(?:(?:def|class|import|return|with|while|try|except|finally|raise|assert|del|pass|break"
    r"|continue|global|nonlocal)\b|@)"
)

_PLAIN_REST = {
    '"': re.compile(r'(?:[^\\\r\n"]|\\(?:\r\n|.))*"?', re.DOTALL),
    "'": re.compile(r"(?:[^\\\r\n']|\\(?:\r\n|.))*'?", re.DOTALL),
    '"""': re.compile(r'(?:[^\\"]|\\.|"(?!""))*(?:""")?', re.DOTALL),
    "'''": re.compile(r"(?:[^\\']|\\.|'(?!''))*(?:''')?", re.DOTALL),
}

_FORMATTED = re.compile(r"\\N\{[^}\r\n]*\}|\\(?:\r\n|[^{])|\{\{|\{|\"{3}|'{3}|\"|'|\r|\n", re.DOTALL)
_FIELD = re.compile(
    r"(?P<prefix>(?<!\w)[rbuftRBUFT]{1,2})?(?P<quote>\"{3}|'{3}|\"|')|!=|[(\[{]|[)\]}]|:|\#[^\r\n]*|\r|\n"
)
_BLANKS = re.compile(r"[ \t\f]*")
_BLANK = re.compile(r"(?:[ \t\f\r\n]|\\(?:\r\n|\r|\n)|\#[^\r\n]*)*")


@dataclass(frozen=True)
class Lexed:
    """The text of one file, divided. Offsets are characters."""

    text: str
    comments: tuple[Range, ...]
    strings: tuple[Range, ...]
    brackets: dict[int, int]
    """From each bracket's offset to its partner's, both ways; unmatched ones are left out."""
    lines: tuple[Range, ...]
    """Logical lines without their line ends; a blank line is one, too."""

    @property
    def unfinished(self) -> int | None:
        """Offset of a string in triple quotes that takes in the rest of the text; None if each of them ends."""
        last = self.strings[-1] if self.strings else Range(0, 0)
        said = self.text[last.start : last.end].lstrip("rbuftRBUFT")
        if not said.startswith(('"""', "'''")):
            return None
        return None if len(said) >= len("'''" * 2) and said.endswith(said[:3]) else last.start

    def logical_line(self, offset: int) -> Range:
        """The logical line that holds `offset`."""
        index = bisect_right(self.lines, offset, key=lambda line: line.start) - 1
        return self.lines[max(0, index)]

    def string_at(self, offset: int) -> Range | None:
        """The string literal in whose inside `offset` lies."""
        index = bisect_right(self.strings, offset, key=lambda found: found.start) - 1
        if index >= 0 and self.strings[index].start < offset < self.strings[index].end:
            return self.strings[index]
        return None

    def after(self, offset: int) -> int:
        """The offset of the next character that is no blank, line end or comment."""
        found = _BLANK.match(self.text, offset)
        return found.end() if found else offset

    def before(self, offset: int) -> int:
        """The offset of the last such character before `offset`, or -1."""
        at = offset - 1
        while at >= 0:
            index = bisect_right(self.comments, at, key=lambda comment: comment.start) - 1
            if index >= 0 and self.comments[index].end > at:
                at = self.comments[index].start - 1
            elif self.text[at] in " \t\f\r\n" or self._is_joint(at):
                at -= 1
            else:
                break
        return at

    def _is_joint(self, at: int) -> bool:
        return self.text[at] == "\\" and self.text[at + 1 : at + 2] in ("\r", "\n")


def lexed(source: Source) -> Lexed:
    """Divide the text of `source`; remembered for the sources used last."""
    _unfinished(source)  # a quote that is opened somewhere else changes all that stands behind it
    return _lexed(source)


# The source at hand and a few related ones; fixes and suppressions of a file come together.
@of_tree(maxsize=8)
def _lexed(source: Source) -> Lexed:
    return lex(source.text)


@asked_of_file(maxsize=8)
def _unfinished(source: Source) -> int | None:
    return _lexed(source).unfinished


def lex(text: str) -> Lexed:
    """Divide `text`. Never raises; an unclosed string ends with its line, a triple-quoted one with the text."""
    comments: list[Range] = []
    strings: list[Range] = []
    brackets: dict[int, int] = {}
    lines: list[Range] = []
    unclosed: list[int] = []
    ends: list[tuple[Range, int]] = []  # line ends in the current logical line, and the depth there
    line_start = at = 0
    while found := _TOKEN.search(text, at):
        at = found.end()
        if found["quote"]:
            at = _string_end(text, at, found["quote"], found["prefix"] or "")
            strings.append(Range(found.start(), at))
        elif found["comment"]:
            comments.append(Range(*found.span()))
        elif found["open"]:
            unclosed.append(found.start())
        elif found["close"]:
            if unclosed and text[unclosed[-1]] + found["close"] in ("()", "[]", "{}"):
                opened = unclosed.pop()
                brackets[opened] = found.start()
                brackets[found.start()] = opened
        elif found["eol"]:
            ends.append((Range(*found.span()), len(unclosed)))
            if unclosed and _STATEMENT.match(text, at):
                lines += _unclosed_lines(text, line_start, ends)
                unclosed.clear()
            elif not unclosed:
                lines.append(Range(line_start, found.start()))
            else:
                continue
            line_start = at
            ends.clear()
    last = (Range(len(text), len(text)), len(unclosed))
    lines += _unclosed_lines(text, line_start, [*ends, last]) if unclosed else [Range(line_start, len(text))]
    return Lexed(text, tuple(comments), tuple(strings), brackets, tuple(lines))


def _unclosed_lines(text: str, start: int, ends: list[tuple[Range, int]]) -> list[Range]:
    """Divide what an unclosed bracket swallowed: it reaches as far as the lines are indented deeper."""
    lines: list[Range] = []
    limit = _code_start(text, start) - start
    base: int | None = None
    for end, depth in ends:
        at = _code_start(text, end.end)
        leaves = at - end.end <= limit and text[at : at + 1] not in (")", "]", "}", "\r", "\n", "#", "")
        if end.end == len(text) or (leaves if base is None else depth <= base):
            lines.append(Range(start, end.start))
            base = depth if base is None else base
            start = end.end
    if start < ends[-1][0].end:
        lines.append(Range(start, ends[-1][0].start))
    return lines


def _code_start(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


_NESTED: Final = 50
"""Strings in fields of one another that are looked into: Python allows 150 at most, and nobody writes three."""


def _string_end(text: str, at: int, quote: str, prefix: str, level: int = 0) -> int:
    """End of the string whose opening quote ends at `at`; `level` is in how many fields of others it stands."""
    if level < _NESTED and ("f" in prefix.lower() or "t" in prefix.lower()):
        return _formatted_end(text, at, quote, level)
    rest = _PLAIN_REST[quote].match(text, at)
    return rest.end() if rest else at


def _formatted_end(text: str, at: int, quote: str, level: int) -> int:
    while found := _FORMATTED.search(text, at):
        at = found.end()
        if found[0] == quote:
            return at
        if found[0].startswith(quote):  # `"""` where `"` ends the string
            return found.start() + 1
        if found[0] in ("\r", "\n") and len(quote) == 1:
            return found.start()
        if found[0] == "{":
            at, ended = _field_end(text, at, quote, level)
            if ended:
                return at
    return len(text)


def _field_end(text: str, at: int, quote: str, level: int) -> tuple[int, bool]:
    """End of a `{...}`, and whether the whole string ends there, unfinished."""
    depth = 0
    while found := _FIELD.search(text, at):
        at = found.end()
        piece = found[0]
        if piece in ("\r", "\n"):
            if len(quote) == 1:
                return found.start(), True
        elif found["quote"]:
            if found["quote"] == quote and len(quote) == 3:
                return at, True
            at = _string_end(text, at, found["quote"], found["prefix"] or "", level + 1)
        elif piece in "([{":
            depth += 1
        elif piece in ")]}":
            if depth == 0:
                return at, False
            depth -= 1
        elif piece == ":" and depth == 0:
            return _specification_end(text, at, quote, level)
    return len(text), True


def _specification_end(text: str, at: int, quote: str, level: int) -> tuple[int, bool]:
    stop = re.compile(rf"[{{}}\r\n]|{quote}")
    while found := stop.search(text, at):
        at = found.end()
        if found[0] == "{" and level < _NESTED:
            at, ended = _field_end(text, at, quote, level + 1)
            if ended:
                return at, True
        elif found[0] == "}":
            return at, False
        elif found[0] == quote:
            return at, True
        elif len(quote) == 1:
            return found.start(), True
    return len(text), True
