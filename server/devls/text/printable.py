"""Text of the user's files, and names of them, made safe to print.

A terminal obeys control characters, a log reads a line end as the end of a message, and characters that turn the direction of
writing show code that is not there (https://trojansource.codes). None of them is ever printed as it is.
"""

from __future__ import annotations

import re
import unicodedata


def escaped(text: str) -> str:
    r"""`text` on one line; what cannot be seen as Python writes it in a string: `\x1b`, `\n`, `\u202e`."""
    if text.isprintable():
        return text
    return "".join(each if _is_visible(each) else _written(each) for each in text)


def escaped_lines(text: str) -> str:
    """The same, but for line ends and tabs, which stay."""
    return _BETWEEN.sub(lambda found: escaped(found[0]), text)


_BETWEEN = re.compile(r"(?:[^\t\r\n]|\r(?!\n))+")


def _is_visible(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs"  # blanks of all widths


def _written(character: str) -> str:
    return repr(character)[1:-1]
