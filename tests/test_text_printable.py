"""Text of the user's files on a terminal, and in a log."""

from __future__ import annotations

from devls.text.printable import escaped, escaped_lines


def test_nothing_commands() -> None:
    assert escaped("a b\u3000é日本\u00a0") == "a b\u3000é日本\u00a0"
    assert escaped("\x1b[2J\n\r\t\0\x7f\x9b") == "\\x1b[2J\\n\\r\\t\\x00\\x7f\\x9b"
    assert escaped("\u202e\u2028\udc80") == "\\u202e\\u2028\\udc80"


def test_lines_stay() -> None:
    assert escaped_lines("a\tb\r\nc\x1b\n\rd\n") == "a\tb\r\nc\\x1b\n\\rd\n"
