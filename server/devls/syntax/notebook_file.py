"""The file of a notebook with other code in its cells: all else stays as it is, to the byte."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from devls.syntax.notebook import NotebookError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BLANK: Final = re.compile(r"[ \t\n\r]*")
_LINES: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_DECODER: Final = json.JSONDecoder(strict=False)


def with_codes(text: str, codes: Mapping[int, str]) -> str:
    """A notebook's file in which some cells, by their number from 1, have other code.

    Raises:
        NotebookError: if the text is no notebook, or a cell is not there or has no code.
    """
    try:
        places = {
            number: _source(text, start) for number, start in enumerate(_cells(text), 1) if number in codes
        }
        parts, done = [], 0
        for number, (start, end) in places.items():
            parts += [text[done:start], _written(text[start:end], codes[number], escapes=text.isascii())]
            done = end
    except (ValueError, KeyError, IndexError, RecursionError):
        raise NotebookError("it is not a notebook") from None
    if len(places) != len(codes):
        raise NotebookError("it has lost a cell")
    return "".join([*parts, text[done:]])


def _cells(text: str) -> list[int]:
    """Starts of the cells. A key that is there twice counts as it stands last, as everywhere in JSON."""
    start = {key: start for key, start, _ in _members(text, _after(text, 0))}["cells"]
    return [start for start, _ in _elements(text, start)]


def _source(text: str, at: int) -> tuple[int, int]:
    """Range of a cell's code in the file."""
    found = {key: (start, end) for key, start, end in _members(text, at)}
    if "source" not in found:
        raise ValueError
    return found["source"]


def _after(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """The keys of an object, and where the value of each begins and ends."""
    if text[at] != "{":
        raise ValueError
    at = _after(text, at + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        start = _after(text, _after(text, at) + 1)
        end = _DECODER.raw_decode(text, start)[1]
        yield key, start, end
        at = _next(text, end)


def _elements(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Ranges of the elements of an array."""
    if text[at] != "[":
        raise ValueError
    at = _after(text, at + 1)
    while text[at] != "]":
        end = _DECODER.raw_decode(text, at)[1]
        yield at, end
        at = _next(text, end)


def _next(text: str, end: int) -> int:
    """Start of the next member, or of the bracket that closes them."""
    at = _after(text, end)
    return _after(text, at + 1) if text[at] == "," else at


def _written(before: str, code: str, *, escapes: bool) -> str:
    """Code in the form of what it replaces: a string, or a list of lines of which those that stay are written as they were."""
    if before.startswith('"'):
        return json.dumps(code, ensure_ascii=escapes)
    places = list(_elements(before, 0))
    known = {str(json.loads(before[start:end], strict=False)): before[start:end] for start, end in places}
    lines = [known.get(line) or json.dumps(line, ensure_ascii=escapes) for line in _LINES.findall(code)]
    starts, ends = [start for start, _ in places], [end for _, end in places]
    # Between the brackets and the lines: what there was; the last one closes.
    gaps = [before[end:start] for end, start in zip([1, *ends], [*starts, len(before) - 1], strict=True)]
    head, tail = (gaps[0], gaps[-1]) if places else ("", "")
    if len(lines) != len(places):
        usual = gaps[1] if len(places) > 1 else f",{head}" if "\n" in head else ", "
        gaps = [head, *[usual] * (len(lines) - 1), tail]
    written = "".join(f"{gap}{line}" for gap, line in zip(gaps, lines, strict=False))
    return f"[{written}{tail}]"
