"""Positions in the client's unit, changes of a text, and findings that move along with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from devls.lsp import convert
from devls.lsp.convert import Positions
from devls.text.edits import Range
from devls.text.positions import LineIndex

UTF8, UTF16, UTF32 = (
    types.PositionEncodingKind.Utf8,
    types.PositionEncodingKind.Utf16,
    types.PositionEncodingKind.Utf32,
)

# All that protocol and Python might number lines differently by, and characters of each width.
texts = st.text(alphabet="ab \r\n\f\x1c\x85\u2028é漢😀", max_size=30)


@pytest.mark.parametrize(
    ("encoding", "column"), [(UTF8, 4 + 3 + 2 + 1), (UTF16, 2 + 1 + 1 + 1), (UTF32, 1 + 1 + 1 + 1)]
)
def test_columns_count_in_the_unit_agreed_on(encoding, column):
    text = "first\n😀漢é x\n"
    index, offset = LineIndex(text), text.index("x")
    positions = Positions(encoding)
    assert positions.position(index, offset) == types.Position(1, column)
    assert positions.offset(index, types.Position(1, column)) == offset


@pytest.mark.parametrize("encoding", [UTF8, UTF16, UTF32])
@pytest.mark.parametrize("text", ["ab\ncd\n", "a漢\ncd\n"])
def test_a_column_past_the_end_is_the_end_of_the_line(encoding, text):
    assert Positions(encoding).offset(LineIndex(text), types.Position(0, 99)) == 2


@pytest.mark.parametrize("encoding", [UTF8, UTF16, UTF32])
@given(text=texts, data=st.data())
def test_offsets_survive_the_way_to_the_client_and_back(encoding, text, data):
    index, positions = LineIndex(text), Positions(encoding)
    offset = data.draw(st.integers(0, len(text)))
    inside_line_end = 0 < offset < len(text) and text[offset - 1 : offset + 1] == "\r\n"
    if not inside_line_end:
        assert positions.offset(index, positions.position(index, offset)) == offset


@given(text=texts, new=texts, data=st.data())
def test_a_change_replaces_what_the_client_sees_there(text, new, data):
    boundaries = [each for each in range(len(text) + 1) if text[max(0, each - 1) : each + 1] != "\r\n"]
    start, end = sorted(data.draw(st.tuples(*[st.sampled_from(boundaries)] * 2)))
    place = Positions().range(LineIndex(text), Range(start, end))
    change = types.TextDocumentContentChangePartial(range=place, text=new)
    assert convert.apply_changes(text, [change], Positions()) == text[:start] + new + text[end:]


def test_each_change_counts_in_the_text_left_by_the_one_before():
    line = types.Range(types.Position(1, 0), types.Position(1, 1))
    changes = [
        types.TextDocumentContentChangeWholeDocument("a\nb\n"),
        types.TextDocumentContentChangePartial(types.Range(types.Position(0, 0), types.Position(0, 0)), "\n"),
        types.TextDocumentContentChangePartial(line, "x"),
    ]
    assert convert.apply_changes("whatever", changes, Positions()) == "\nx\nb\n"


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("one two three", "two"),
        ("one and two three", "two"),
        ("one two three four", "two"),
        ("two three", "two"),
        ("one to three", None),
        ("one three", None),
        ("", None),
    ],
)
def test_a_finding_moves_with_its_code(new, expected):
    old = "one two three"
    place = convert.moved(Range(4, 7), old, new)
    assert (new[place.start : place.end] if place else None) == expected


@given(before=texts, found=texts, after=texts, new_before=texts, new_after=texts)
def test_a_moved_range_covers_the_same_text(before, found, after, new_before, new_after):
    old, new = before + found + after, new_before + found + new_after
    place = convert.moved(Range(len(before), len(before) + len(found)), old, new)
    assert place is None or new[place.start : place.end] == found


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "vscode-notebook-cell:/a.ipynb#X", "git:/a.py?x"])
def test_a_document_that_is_no_file_is_known_by_its_uri(uri):
    assert convert.path_of(uri) == uri


def test_a_file_is_known_by_its_path():
    assert convert.path_of("file:///a%20b/%E6%BC%A2.py") == "/a b/漢.py"
    assert convert.path_of("file:///a/./b/../c.py") == "/a/c.py"
    assert convert.path_of(convert.uri_of("/a b/漢.py")) == "/a b/漢.py"
