"""Comments that silence findings.

`# devls: ignore[rule, family]` silences what it names where it stands: on a line of the reported expression, or at
the end of the logical line in which that begins. `# devls: ignore` silences everything there, and
`# devls: ignore-file` (with or without brackets) in the whole file.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from devls.syntax.lexing import lexed
from devls.text.edits import Edit, Range

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from devls.syntax.source import Source

_MARK = "devls:"
_DIRECTIVE = re.compile(r"#[ \t]*devls:[ \t]*(?P<word>[\w-]*)(?:[ \t]*\[(?P<names>[^\]#]*)(?P<close>\]?))?")
MAX_NAMES = 100
"""In one comment. There are fewer rules."""

_NAME = re.compile(r"[^\s,]+")


@dataclass(frozen=True)
class Named:
    """A rule or family named in a comment, and where."""

    name: str
    range: Range


@dataclass(frozen=True)
class Suppression:
    """One comment. It silences everything if `names` is None."""

    range: Range
    """From the `#` to the end of the directive; an explanation behind it is left out."""
    line: int
    """Counted from 0."""
    whole_file: bool
    names: tuple[Named, ...] | None

    def covers(self, rule: str, family: str = "") -> bool:
        """Whether it speaks of a rule, by its name or its family's."""
        return self.names is None or any(each.name in (rule, family) for each in self.names)


@dataclass(frozen=True)
class Malformed:
    """A comment that says `devls:`, and then what nobody understands."""

    range: Range
    message: str


@dataclass(frozen=True)
class Suppressions:
    """The comments of one file that are about devls."""

    source: Source
    items: tuple[Suppression, ...] = ()
    malformed: tuple[Malformed, ...] = ()

    def matching(self, rule: str, found: Range, family: str = "") -> Suppression | None:
        """The comment that silences a finding; None if none does."""
        if not self.items:
            return None
        of_file, by_line = self._first_of
        places = [of_file, *(by_line[line] for line in self._lines_of(found) if line in by_line)]
        covering = [place[name] for place in places for name in (None, rule, family) if name in place]
        return min(covering, key=lambda each: each.range, default=None)

    @cached_property
    def _first_of(self) -> tuple[dict[str | None, Suppression], dict[int, dict[str | None, Suppression]]]:
        """By name, and None for all names, the first comment of the whole file, and the first of each line."""
        of_file: dict[str | None, Suppression] = {}
        by_line: dict[int, dict[str | None, Suppression]] = {}
        for each in sorted(self.items, key=lambda each: each.range):
            place = of_file if each.whole_file else by_line.setdefault(each.line, {})
            for name in (None,) if each.names is None else (named.name for named in each.names):
                place.setdefault(name, each)
        return of_file, by_line

    def unused(self, used: Collection[Suppression]) -> tuple[Suppression, ...]:
        """Those that are not among `used`, what `matching` gave for all findings."""
        return tuple(each for each in self.items if each not in used)

    def unknown(self, known: Collection[str]) -> tuple[Named, ...]:
        """The names in them that are neither a rule nor a family."""
        return tuple(name for each in self.items for name in each.names or () if name.name not in known)

    def _lines_of(self, found: Range) -> set[int]:
        index = self.source.index
        logical_end = index.position(lexed(self.source).logical_line(found.start).end)[0]
        first, last = index.position(found.start)[0], index.position(found.end)[0]
        # A finding about a whole loop is about its head: a comment in its body means something else.
        return {*range(first, min(last, logical_end) + 1), logical_end}


COMMENTS_TOLD = 1_000
"""Comments of one file of which the same is said: the others are named once these are gone."""

_CORRECTED = 100
"""Unknown names of one file for which the nearest known name is searched; each search takes half a millisecond."""


def corrected(unknown: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """The nearest known name of each unknown one that has any; of the first hundred unknown names only."""
    first = list(itertools.islice(dict.fromkeys(unknown), _CORRECTED))
    if not first:
        return {}
    import difflib  # noqa: PLC0415  needed by mistakes only

    names = sorted(known)
    near = {each: difflib.get_close_matches(each, names, 1) for each in first}
    return {each: found[0] for each, found in near.items() if found}


def find_suppressions(source: Source) -> Suppressions:
    """The comments of `source` that are about devls, also of code in the middle of being typed."""
    if _MARK not in source.text:
        return Suppressions(source)
    items: list[Suppression] = []
    malformed: list[Malformed] = []
    for comment in lexed(source).comments:
        for found in _DIRECTIVE.finditer(source.text, comment.start, comment.end):
            place = Range(*found.span())
            problem = _problem(found)
            if problem:
                malformed.append(Malformed(place, problem))
                continue
            names = None if found["names"] is None else tuple(_names(found))
            line = source.index.position(place.start)[0]
            items.append(Suppression(place, line, found["word"] == "ignore-file", names))
    return Suppressions(source, tuple(items), tuple(malformed))


def disable_edit(source: Source, line: int, rule: str) -> Edit:
    """A comment that silences `rule` for what is reported on `line` (counted from 0), or a longer one there.

    It stands at the end of the line, or of the logical line where the former is inside a string or ends with
    a backslash.
    """
    index, lex = source.index, lexed(source)
    line = max(0, min(line, index.line_count - 1))
    end = index.line_start(line) + len(index.line_text(line))
    if lex.string_at(end) is not None or source.text[end - 1 : end] == "\\":
        end = lex.logical_line(end).end
        line = index.position(end)[0]
    for each in find_suppressions(source).items:
        if each.line == line and not each.whole_file:
            return _extended(each, rule)
    code_end = index.line_start(line) + len(index.line_text(line).rstrip())
    gap = "  " if code_end > index.line_start(line) else ""
    return Edit(Range(code_end, end), f"{gap}# devls: ignore[{rule}]")


def disable_file_edit(source: Source, rule: str) -> Edit:
    """A comment that silences `rule` in the whole file, below the lines that have to come first."""
    for each in find_suppressions(source).items:
        if each.whole_file:
            return _extended(each, rule)
    index, line = source.index, 0
    while line < min(2, index.line_count - 1) and _COMES_FIRST.match(index.line_text(line)):
        line += 1
    at = index.line_start(line)
    end = "\r\n" if "\r\n" in source.text else "\n"
    return Edit(Range(at, at), f"# devls: ignore-file[{rule}]{end}")


_COMES_FIRST = re.compile(r"#!|[ \t\f]*#.*?coding[:=]")


def _extended(item: Suppression, rule: str) -> Edit:
    if not item.names:  # it silences everything already
        return Edit(Range(item.range.end, item.range.end), "")
    last = item.names[-1].range.end
    silenced = any(each.name == rule for each in item.names)
    return Edit(Range(last, last), "" if silenced else f", {rule}")


def _names(found: re.Match[str]) -> Iterator[Named]:
    start = found.start("names")
    for each in _NAME.finditer(found["names"]):
        yield Named(each[0], Range(start + each.start(), start + each.end()))


def _problem(found: re.Match[str]) -> str:
    if found["word"] not in ("ignore", "ignore-file"):
        return f"`{found['word']}` is not understood: write `ignore[rule]` or `ignore-file[rule]`"
    if found["names"] is not None and not found["close"]:
        return "the closing bracket is missing"
    if found["names"] is not None and not found["names"].strip():
        return "the brackets name no rule"
    if found["names"] is not None and len(_NAME.findall(found["names"])) > MAX_NAMES:
        return f"the brackets name more than {MAX_NAMES} rules"
    return ""
