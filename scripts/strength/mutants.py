"""Mutants of real files: lines and tokens deleted, repeated and swapped, and code that is half typed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

_TOKEN: Final = re.compile(r"\w+|[^\w\s]|\s+")


def mutant(text: str, random: Random) -> str:
    """The text after a few random changes."""
    for _ in range(random.choice([1, 1, 2, 3, 8])):
        text = random.choice(_CHANGES)(text, random)
    return text


def _lines(text: str, random: Random) -> tuple[list[str], int]:
    lines = text.splitlines(keepends=True) or [""]
    return lines, random.randrange(len(lines))


def _delete_line(text: str, random: Random) -> str:
    lines, at = _lines(text, random)
    return "".join(lines[:at] + lines[at + random.choice([1, 1, 5]) :])


def _repeat_line(text: str, random: Random) -> str:
    lines, at = _lines(text, random)
    return "".join(lines[:at] + [lines[at]] * random.choice([2, 2, 40]) + lines[at + 1 :])


def _swap_lines(text: str, random: Random) -> str:
    lines, at = _lines(text, random)
    other = random.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]
    return "".join(lines)


def _half_typed(text: str, random: Random) -> str:
    """A line that ends in the middle, as while somebody writes it."""
    lines, at = _lines(text, random)
    line = lines[at].rstrip("\n")
    cut = random.randint(0, len(line))
    typed = line[:cut] + random.choice(["", "", ".", "(", "[", "=", "'", '"""', " for ", "\\", "{"])
    return "".join([*lines[:at], typed + "\n", *lines[at + 1 :]])


def _cut_off(text: str, random: Random) -> str:
    return text[: random.randint(0, len(text))]


def _indent(text: str, random: Random) -> str:
    lines, at = _lines(text, random)
    lines[at] = (
        random.choice(["    ", "\t", "  "]) + lines[at] if random.random() < 0.5 else lines[at].lstrip()
    )
    return "".join(lines)


def _tokens(change: Callable[[list[str], int, Random], Sequence[str]]) -> Callable[[str, Random], str]:
    """A change of the tokens of some lines around a random one."""

    def changed(text: str, random: Random) -> str:
        lines, at = _lines(text, random)
        tokens = _TOKEN.findall(lines[at])
        if tokens:
            lines[at] = "".join(change(tokens, random.randrange(len(tokens)), random))
        return "".join(lines)

    return changed


def _delete(tokens: list[str], at: int, _random: Random) -> Sequence[str]:
    return tokens[:at] + tokens[at + 1 :]


def _repeat(tokens: list[str], at: int, _random: Random) -> Sequence[str]:
    return tokens[: at + 1] + tokens[at:]


def _swap(tokens: list[str], at: int, random: Random) -> Sequence[str]:
    other = random.randrange(len(tokens))
    tokens[at], tokens[other] = tokens[other], tokens[at]
    return tokens


_OTHERS: Final = (
    "None 0 -1 self torch x () [] {} * ** lambda: 1e999 'cuda' not await yield := ... super() 9**9**9".split(
        " "
    )
)


def _replace(tokens: list[str], at: int, random: Random) -> Sequence[str]:
    tokens[at] = random.choice(_OTHERS)
    return tokens


_CHANGES: Final[list[Callable[[str, Random], str]]] = [
    _delete_line, _repeat_line, _swap_lines, _half_typed, _half_typed, _cut_off, _indent,
    _tokens(_delete), _tokens(_repeat), _tokens(_swap), _tokens(_replace), _tokens(_replace),
]  # fmt: skip
