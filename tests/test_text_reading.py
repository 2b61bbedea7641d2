"""The one way to read files of the user."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devls.text import reading
from devls.text.decoding import UndecodableError, decode
from devls.text.reading import UnreadableFileError, read, read_start, walk


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
