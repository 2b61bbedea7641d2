"""Text without Python: positions, edits, bytes, code in messages, patterns, what is printed, and files that are read."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devls.text import reading
from devls.text.decoding import Encoding, UndecodableError, decode
from devls.text.edits import Edit, Range, apply_edits
from devls.text.excerpt import LONGEST, excerpt
from devls.text.patterns import MAX_CHARACTERS, MAX_PATTERNS, Patterns
from devls.text.positions import LineIndex
from devls.text.printable import escaped, escaped_lines
from devls.text.reading import UnreadableFileError, read, read_start, walk

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
        (b"# coding: future_fstrings\n'\xc3\xa9'", "# coding: future_fstrings\n'é'", Encoding()),
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
        (b"# coding: klingon\n# \xe9\n", "klingon"),
        (b"# coding: hex\n", "hex"),
        (b"# coding: rot13\n", "rot13"),
        (codecs.BOM_UTF8 + b"# coding: latin-1\n", "byte order mark"),
    ],
)
def test_what_cannot_be_decoded(data: bytes, says: str) -> None:
    with pytest.raises(UndecodableError, match=says):
        decode(data)


# Code in messages


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x.to(device)", "x.to(device)"),
        ("torch.zeros(\n    3,\n    4,\n)", "torch.zeros(3, 4)"),
        ("model(\n    x\n)", "model(x)"),
        ("a +\n    b", "a + b"),
        (
            "torch.full((1, 1, 1, max_episode_length - 1), discount * lam, dtype=torch.float)",
            "torch.full((...), discount * lam, dtype=torch.float)",
        ),
        (
            "self.first_linear.weight.data[: self.feat_dim, : self.feat_dim] * 0.5",
            "self.first_linear.weight.data[...] * 0.5",
        ),
        (f"f({'a, ' * 30}b)", "f(...)"),
        (f"f({'a, ' * 30}b)[{'c, ' * 30}d]", "f(...)[...]"),
        ("x" * 70, "x" * 57 + "..."),
        ("f(" + "x" * 70, "f(" + "x" * 55 + "..."),
        ("", ""),
    ],
)
def test_excerpt(code: str, expected: str) -> None:
    """Short, on one line, and with its brackets closed, where the code has them closed."""
    assert excerpt(code) == expected
    assert len(excerpt(code)) <= LONGEST


# Patterns as in .gitignore. Expected answers are those of `git check-ignore` (2.39)


@pytest.mark.parametrize(
    ("pattern", "matches", "passes"),
    [
        ("a", "a a/ b/a b/c/a/", "ab b/ab"),
        ("/a", "a a/", "b/a"),
        ("a/", "a/ b/a/", "a b/a"),
        ("a/b", "a/b a/b/", "b c/a/b"),
        ("*.py", "a.py b/a.py .py", "a.pyc"),
        ("*", "a a/ b/a", ""),
        ("a*b*c", "abc axbxc aabbcc", "acb abcd a/bc"),
        ("?b", "ab b/cb", "b aab /b"),
        ("[a-c]x", "ax cx d/bx", "dx -x x"),
        ("[!a-c]x", "dx -x", "ax x b/x"),
        ("[^a]x", "dx", "ax"),
        ("[]]x", "]x", "x"),
        ("[a\\]]x", "ax ]x", "\\x"),
        ("[[&~|^]x", "[x &x ~x |x ^x", "x"),
        ("**/a", "a b/a b/c/a", "ab"),
        ("**/a/b", "a/b c/a/b", "b a/c/b"),
        ("a/**", "a/b a/b/ a/b/c", "a a/"),
        ("a/**/b", "a/b a/c/b a/c/d/b", "ab a/cb"),
        ("a/**/b/**/c", "a/b/c a/x/b/y/z/c", "a/c b/c a/b"),
        ("***/a", "a b/a", "ab"),
        ("**/", "a/ a/b/", "a b/a"),
        ("a**b", "ab axxb", "a/b"),
        ("\\*", "* b/*", "a"),
        ("\\!a", "!a", "a"),
        ("\\#a", "#a", "a"),
        ("a\\ ", "a\u00a0".replace("\u00a0", "%20"), "a"),
        ("(a|b)+$", "(a|b)+$", "a ab"),
    ],
)
def test_what_a_pattern_matches(pattern: str, matches: str, passes: str) -> None:
    patterns = Patterns([pattern])
    assert patterns.problems == []
    named = {each.replace("%20", " "): True for each in matches.split()} | dict.fromkeys(passes.split())
    assert {path: patterns.decides(path) for path in named} == named


def test_the_last_one_decides_and_nothing_comes_back_in_a_folder() -> None:
    only_python = Patterns(["*", "!*/", "!*.py"])
    assert [only_python.decides(each) for each in ("a", "a/", "a/b.py", "a/b.c")] == [
        True,
        False,
        False,
        True,
    ]
    below = Patterns(["a/", "!a/b.py"])
    assert below.decides("a/b.py") is False
    assert below.excludes("a/b.py")
    assert not below.excludes("b/c.py")
    assert Patterns(["", "# a", "/", "  "]).decides("a") is None


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("!", "it names nothing"),
        ("//", "it names nothing"),
        ("foo\\", "nothing follows its last backslash"),
        ("[z-a].py", "bad character range"),
        ("[ab", "a bracket is not closed"),
        ("x" * (MAX_CHARACTERS + 1), "longer"),
    ],
)
def test_a_bad_pattern_costs_itself(pattern: str, reason: str) -> None:
    patterns = Patterns(["a", pattern, "b"])
    (problem,) = patterns.problems
    assert (problem.line, problem.pattern) == (2, pattern)
    assert reason in problem.reason
    assert patterns.decides("a")
    assert patterns.decides("b")


def test_too_many() -> None:
    patterns = Patterns(["a"] * (MAX_PATTERNS + 5))
    assert [each.line for each in patterns.problems] == [MAX_PATTERNS + 1]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 200 + "b", "a" * 255),
        ("**/a/" * 80 + "b", "a/" * 1500 + "c"),
        ("**/*a*a*a*b/**/*a*a*a*c", ("a" * 200 + "/") * 18),
        ("a" + "*" * 400 + "b", "a" * 255),
        ("[ab]*" * 90 + "c", "ab" * 120),
    ],
)
def test_patterns_that_took_hours(pattern: str, path: str) -> None:
    """Regular expressions that try all ways a star can match never end on these."""
    assert Patterns([pattern]).decides(path) is None


# Text of the user's files on a terminal, and in a log


def test_nothing_commands() -> None:
    assert escaped("a b\u3000é日本\u00a0") == "a b\u3000é日本\u00a0"
    assert escaped("\x1b[2J\n\r\t\0\x7f\x9b") == "\\x1b[2J\\n\\r\\t\\x00\\x7f\\x9b"
    assert escaped("\u202e\u2028\udc80") == "\\u202e\\u2028\\udc80"


def test_lines_stay() -> None:
    assert escaped_lines("a\tb\r\nc\x1b\n\rd\n") == "a\tb\r\nc\\x1b\n\\rd\n"


# The one way to read files of the user


def refusal(path: Path | str, limit: int | None = None) -> str:
    with pytest.raises(UnreadableFileError) as caught:
        read(str(path), limit)
    return caught.value.reason


def test_only_regular_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read(str(tmp_path / "a")) == b"12345"
    (tmp_path / "link").symlink_to("a")
    assert read(str(tmp_path / "link"), 5) == b"12345"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "dangling").symlink_to("nothing")
    assert refusal(tmp_path / "pipe") == "it is not a regular file"
    assert refusal(tmp_path / "self") == "too many levels of symbolic links"
    assert refusal(tmp_path / "zero") == "it is not a regular file"
    assert refusal(tmp_path / "dangling") == "it does not exist"
    assert refusal(tmp_path) == "it is a folder"
    assert refusal(tmp_path / ("x" * 300)) == "file name too long"
    assert "null" in refusal("a\0b")


def test_a_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345" * 1000)
    assert refusal(tmp_path / "a", 4096) == "it is larger than 4 KB"
    assert read_start(str(tmp_path / "a"), 7) == b"1234512"


def test_another_file_takes_the_place_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at it and its opening: it is looked at once more."""
    path = tmp_path / "a"
    path.write_bytes(b"1")
    known = path.stat()
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr(os, "stat", lambda _: known)
    assert refusal(path) == "it is not a regular file"


def test_walking_needs_no_deep_stack(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.py").touch()
    (tmp_path / "here").symlink_to(tmp_path)
    found = [
        (Path(inside).name, sorted(folders), sorted(files)) for inside, folders, files in walk(str(tmp_path))
    ]
    assert found[0] == (tmp_path.name, ["a", "b"], ["here"])
    assert sorted(found[1:]) == [("a", [], ["x.py"]), ("b", ["c"], []), ("c", [], [])]
    assert list(walk(str(tmp_path / "nothing"))) == []
    deep = tmp_path
    for _ in range(reading.MAX_DEPTH + 20):
        deep /= "d"
    deep.mkdir(parents=True)
    assert len(list(walk(str(tmp_path / "d")))) == reading.MAX_DEPTH + 1


@pytest.mark.parametrize(
    "data",
    [
        b"# coding: raw_unicode_escape\nx = '\\ud800'\n",
        b"# coding: unicode_escape\nx = '\\x00'\n",
        b"# coding: utf-7\nx = '+AAA-'\n",
        b"# coding: punycode\nx=1-" + b"abcz" * 1_000_000,
        b"# coding: idna\nx = 1\n",
    ],
)
def test_encodings_that_make_no_program(data: bytes) -> None:
    with pytest.raises(UndecodableError, match="encoding"):
        decode(data)
