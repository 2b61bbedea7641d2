"""Code in messages: on one line, and short."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 60
"""Characters of code in a message: a line of a terminal has room for it and for what is said of it."""

_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}

_BRACKET: Final = re.compile(r"[()\[\]{}]")

_LOOKED_AT: Final = 20_000
"""Characters of code that are looked at; of a longer one the end is left out first."""

_READ: Final = 4_000
"""Characters that are read to empty brackets: each emptied one takes another look at all of the text, and the first two are free."""

_LEFT_BY_LINES: Final = re.compile(r"(?<=[(\[{])\n|,?\n(?=[)\]}])")
"""Rest of a line's end behind a bracket, or before one: nothing on one line needs it."""

_LONG: Final = 600
"""Characters of code that is cut at once if no emptied bracket will do: operands of a long sum are looked at one by one."""

LONGEST_MESSAGE: Final = 200
"""Characters of a message: more is not read."""

_CODE: Final = re.compile(r"`([^`]+)`")

_SHORTEST: Final = 20
"""Code of fewer characters is left as it is, however long a message is."""


def fitted(message: str) -> str:
    """A message in which code is shortened, the longest first, until it is no longer than can be read at a glance."""
    while (over := len(message) - LONGEST_MESSAGE) > 0:
        longest = max((each[1] for each in _CODE.finditer(message)), key=len, default="")
        shorter = excerpt(longest, max(_SHORTEST, len(longest) - over))
        if len(shorter) >= len(longest):
            return message
        message = message.replace(f"`{longest}`", f"`{shorter}`")
    return message


def excerpt(code: str, longest: int = LONGEST) -> str:
    """Code on one line; where it is long, `...` stands for what is in some of its brackets, as little as will do.

    Brackets in strings count like others: the worst that comes of it is that something else is left out.
    """
    lines = [" ".join(line.split()) for line in code[:_LOOKED_AT].split("\n")]
    text = " ".join(_LEFT_BY_LINES.sub("", "\n".join(filter(None, lines))).split())
    for _ in range(max(2, _READ // max(1, len(text)))):
        if len(text) <= longest and len(code) <= _LOOKED_AT:
            return text
        inside = sorted(_brackets(text), key=lambda each: each[1] - each[0])
        if not inside or (len(text) > _LONG and _outside(text, inside) > longest):
            break
        begins, ends = next((each for each in inside if _without(text, each) <= longest), inside[-1])
        text = f"{text[:begins]}...{text[ends:]}"
    return text if len(text) <= longest and len(code) <= _LOOKED_AT else f"{text[: longest - 3]}..."


def _without(text: str, inside: tuple[int, int]) -> int:
    """How long a text is without what is in a pair of brackets."""
    return len(text) - (inside[1] - inside[0]) + len("...")


def _outside(text: str, inside: list[tuple[int, int]]) -> int:
    """How long a text is without what is in any of its brackets."""
    left, behind = len(text), 0
    for begins, ends in sorted(inside):
        if begins >= behind:
            left -= ends - begins - len("...")
            behind = ends
    return left


def _brackets(text: str) -> list[tuple[int, int]]:
    """Ranges of the contents of brackets that hold more than the dots would take."""
    found: list[tuple[int, int]] = []
    open_at: list[int] = []
    for each in _BRACKET.finditer(text):
        place, character = each.start(), each.group()
        if character in _CLOSING:
            open_at.append(place)
        elif open_at and character == _CLOSING[text[open_at[-1]]]:
            begins = open_at.pop() + 1
            if place - begins > len("..."):
                found.append((begins, place))
    return found
