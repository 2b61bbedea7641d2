"""Patterns as in .gitignore (https://git-scm.com/docs/gitignore#_pattern_format), matched in bounded time.

Each pattern becomes one regular expression. A star, or two between slashes, that is followed by another one takes as
little as it can, and never gives it back: what follows it has a fixed length, so that taking more cannot help. Without
that, a pattern such as `*a*a*a*b` takes hours for one name.

Regular expressions that are part of devls can be compiled when they are first used (`deferred`).
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_PATTERNS: Final = 2000
"""In one file. The largest of those in use have some hundreds."""

MAX_CHARACTERS: Final = 500
"""In one pattern."""


# A closing bracket at the beginning, and one behind a backslash, stands for itself.
_IN_BRACKETS: Final = re.compile(r"(\]?(?:[^\]\\]|\\.)*)\]", re.DOTALL)


class PatternError(ValueError):
    """A pattern cannot match anything. Its text is the clause behind "because"."""


@dataclass(frozen=True)
class PatternProblem:
    """A pattern that is passed over. Lines count from 1."""

    line: int
    pattern: str
    reason: str


class Patterns:
    """The patterns of one list, relative to one folder; the last one that matches decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Understand a list of patterns, one by one: a bad one costs only itself, and is one of `problems`."""
        self.problems: list[PatternProblem] = []
        self._last_first: list[tuple[bool, re.Pattern[str]]] = []
        for number, line in enumerate(lines, 1):
            if number > MAX_PATTERNS:
                self.problems.append(
                    PatternProblem(number, line, f"only {MAX_PATTERNS} patterns of one list are used")
                )
                break
            try:
                found = _understood(line)
            except PatternError as error:
                self.problems.append(PatternProblem(number, line, str(error)))
                continue
            if found is not None:
                self._last_first.insert(0, found)

    def decides(self, path: str) -> bool | None:
        """Whether a path itself is left out; None if no pattern speaks of it.

        A pattern for the contents of a folder does not apply to the folder.
        `path` is relative to the folder of the patterns, with slashes, one of them at its end if it is a folder.
        """
        for leaves_out, expression in self._last_first:
            if expression.match(path):
                return leaves_out
        return None

    def excludes(self, path: str) -> bool:
        """Whether a path is left out, or a folder above it: as git has it, nothing in a folder comes back then."""
        ends = [place for place, character in enumerate(path) if character == "/"]
        return any(self.decides(each) for each in (*(path[: end + 1] for end in ends), path))


def _understood(line: str) -> tuple[bool, re.Pattern[str]] | None:
    """Whether a pattern leaves out what it matches, and its regular expression; None for a line that says nothing.

    Raises:
        PatternError: if it can match nothing.
    """
    pattern = line if line.endswith("\\ ") else line.rstrip()
    if not pattern or pattern.startswith("#") or pattern == "/":
        return None
    if len(pattern) > MAX_CHARACTERS:
        raise PatternError(f"it is longer than {MAX_CHARACTERS} characters")
    negated = pattern.startswith("!")
    text = _Translation().expression(pattern[negated:])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of brackets in brackets, which will mean something one day
            return not negated, re.compile(text, re.DOTALL)
    except re.error as error:
        raise PatternError(error.msg) from None
    except (RecursionError, OverflowError):
        raise PatternError("it is too complicated") from None


class _Translation:
    """One pattern on its way to a regular expression."""

    def __init__(self) -> None:
        self._groups = 0

    def expression(self, pattern: str) -> str:
        """The regular expression of a pattern, without its `!`.

        Raises:
            PatternError: if it can match nothing.
        """
        name = pattern.removesuffix("/")
        *before, last = _stretches(_segments(name, anywhere="/" not in name))
        parts = [self._stretch(each, first=number == 0) for number, each in enumerate(before) if each]
        if not last:  # two stars at the end: all that is inside
            parts.append(".+?")
        elif before:
            # The last stretch has one place to stand: the end of the path.
            parts.append(f"(?:.*/)?{self._names(last)}")
        else:
            parts.append(self._names(last))
        return "".join(parts) + (r"/\Z" if pattern.endswith("/") else r"/?\Z")

    def _stretch(self, segments: list[str], *, first: bool) -> str:
        """Segments before two stars, and the slash behind them; other stretches than the first stand behind any folders."""
        names = f"{self._names(segments)}/"
        return names if first else self._kept(f"(?:[^/]+/)*?{names}")

    def _names(self, segments: list[str]) -> str:
        return "/".join(map(self._segment, segments))

    def _segment(self, segment: str) -> str:
        """A name between slashes."""
        if segment == "*":
            return "[^/]+"
        before, *others = _chunks(segment)
        if not others:
            return before
        *inner, end = others
        return before + "".join(self._kept(f"[^/]*?{each}") for each in inner if each) + f"[^/]*{end}"

    def _kept(self, expression: str) -> str:
        """An expression that never tries another way once it has matched: `(?>...)`, which Python 3.10 lacks."""
        self._groups += 1
        name = f"kept{self._groups}"
        return f"(?=(?P<{name}>{expression}))(?P={name})"


def _segments(name: str, *, anywhere: bool) -> list[str]:
    """The parts between the slashes; two stars that are one of them stand for any folders, and never twice in a row."""
    found = ["**" if len(each) > 1 and not each.strip("*") else each for each in name.split("/")]
    if not name:
        raise PatternError("it names nothing")
    if not found[0]:
        found = found[1:]
    if anywhere:  # without a slash before its end a pattern counts on every level
        found.insert(0, "**")
    if not found or "" in found:
        raise PatternError("it names nothing")
    return [each for number, each in enumerate(found) if each != "**" or found[number - 1 : number] != ["**"]]


def _stretches(segments: list[str]) -> list[list[str]]:
    """The segments between double stars; the first stretch stands at the beginning, and may be empty."""
    found: list[list[str]] = [[]]
    for each in segments:
        if each == "**":
            found.append([])
        else:
            found[-1].append(each)
    return found


def _chunks(segment: str) -> list[str]:
    """Texts between the stars of a segment, as regular expressions that match a fixed number of characters."""
    found = [""]
    at = 0
    while at < len(segment):
        character = segment[at]
        at += 1
        if character == "*":
            found.append("")
        elif character == "?":
            found[-1] += "[^/]"
        elif character == "[":
            at, expression = _bracket(segment, at)
            found[-1] += expression
        elif character == "\\":
            if at == len(segment):
                raise PatternError("nothing follows its last backslash")
            found[-1] += re.escape(segment[at])
            at += 1
        else:
            found[-1] += re.escape(character)
    return found


def _bracket(segment: str, start: int) -> tuple[int, str]:
    """End of a bracket whose contents begin at `start`, and its regular expression."""
    begins = start + (segment[start : start + 1] in ("!", "^"))
    found = _IN_BRACKETS.match(segment, begins)
    if found is None:
        raise PatternError("a bracket is not closed")
    # A range keeps its hyphen; all else that means something between brackets to `re` is to stand for itself.
    inside = re.sub(
        r"\\(.)|([\[\]^&|~])", lambda each: re.escape(each[1] or each[2]), found[1], flags=re.DOTALL
    )
    return found.end(), f"(?!/)[{'^' if begins > start else ''}{inside}]"


# Regular expressions of devls itself


class _Deferred:
    """A regular expression that is compiled when it is asked for something."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        # From here on each of these costs no more than that of the expression itself.
        vars(self).update({each: getattr(compiled, each) for each in _ASKED})
        return getattr(compiled, name)


_ASKED: Final = ("findall", "finditer", "flags", "fullmatch", "match", "search", "split", "sub", "subn")


def deferred(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The same as `re.compile`, but nothing is compiled before it is used: that took an eighth of a start."""
    return cast("re.Pattern[str]", _Deferred(pattern, flags))
