"""Positions, edits and bytes."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devls.text.decoding import Encoding, UndecodableError, decode
from devls.text.edits import Edit, Range, apply_edits
from devls.text.positions import LineIndex

TEXTS = st.text(alphabet="ab\n\ré😀\f\u2028", max_size=30)


@given(TEXTS)
def test_positions_go_there_and_back(text: str) -> None:
    index = LineIndex(text)
    for offset in range(len(text) + 1):
        line, column = index.position(offset)
        assert index.line_start(line) + column == offset
        head = text[index.line_start(line) : offset]
        assert index.utf16_position(offset) == (line, len(head.encode("utf-16-le")) // 2)
        assert index.offset_from_utf8(line, len(head.encode())) == offset
        if "\r" not in head and "\n" not in head:
            assert index.offset_from_utf16(*index.utf16_position(offset)) == offset


@given(TEXTS, st.integers(-3, 40), st.integers(-3, 40))
def test_positions_outside_are_clamped(text: str, line: int, column: int) -> None:
    index = LineIndex(text)
    assert 0 <= index.offset(line, column) <= len(text)
    assert 0 <= index.offset_from_utf16(line, column) <= len(text)


def test_only_python_line_ends_divide() -> None:
    index = LineIndex("a\fb\u2028c\r\nd\re\n")
    assert [index.line_text(line) for line in range(index.line_count)] == ["a\fb\u2028c", "d", "e", ""]


def test_edits() -> None:
    edits = [Edit(Range(4, 4), "!"), Edit(Range(0, 1), "A"), Edit(Range(4, 4), "!")]
    assert apply_edits("abcd", edits) == "Abcd!"
    with pytest.raises(ValueError, match="overlap at offset 1"):
        apply_edits("abcd", [Edit(Range(0, 2), ""), Edit(Range(1, 3), "")])


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", Encoding()),
        ("é = 1".encode(), "é = 1", Encoding()),
        (codecs.BOM_UTF8 + b"x", "x", Encoding("utf-8", byte_order_mark=True)),
        (b"# -*- coding: latin-1 -*-\n\xe9", "# -*- coding: latin-1 -*-\n\xe9", Encoding("iso8859-1")),
        (
            b"#!/bin/sh\r\n# vim: fileencoding=cp1252\r\n\x80",
            "#!/bin/sh\r\n# vim: fileencoding=cp1252\r\n€",
            Encoding("cp1252"),
        ),
        (b"x = 1\n# coding: latin-1\n", "x = 1\n# coding: latin-1\n", Encoding()),
        (b"\n\n# coding: nonsense\n", "\n\n# coding: nonsense\n", Encoding()),
    ],
)
def test_decode(data: bytes, text: str, encoding: Encoding) -> None:
    assert decode(data) == (text, encoding)
    assert encoding.encode(text) == data


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"x\0", "binary"),
        (b"x = 1\ny = '\xe9'", r"not valid utf-8 \(line 2\)"),
        (b"# coding: klingon\n", "klingon"),
        (b"# coding: hex\n", "hex"),
        (b"# coding: rot13\n", "rot13"),
        (codecs.BOM_UTF8 + b"# coding: latin-1\n", "byte order mark"),
    ],
)
def test_what_cannot_be_decoded(data: bytes, says: str) -> None:
    with pytest.raises(UndecodableError, match=says):
        decode(data)
