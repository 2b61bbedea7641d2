"""The page of findings: all there, well-formed, and nothing of a program unescaped."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

VOID = frozenset({"meta", "input"})


class Page(HTMLParser):
    """The elements of a page; fails where they are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for each in set(self.open):
            self.texts.setdefault(each, []).append(data)

    def text(self, tag: str) -> str:
        return "".join(self.texts.get(tag, []))

    def count(self, tag: str) -> int:
        return sum(each == tag for each, _ in self.elements)


@pytest.fixture
def page(devls: Callable[..., Ran]) -> Callable[..., Page]:
    def call(**files: str) -> Page:
        for name, text in files.items():
            Path(f"{name}.py").write_text(text, encoding="utf-8")
        ran = devls("check", "--output-format", "html")
        assert ran.out.startswith("<!doctype html>\n")
        assert ran.out.endswith("</html>\n")
        return Page(ran.out)

    return call


def test_each_finding_has_its_code_its_story_and_its_fix(page: Callable[..., Page]) -> None:
    found = page(a="origin\n\nx = bad + 1\n", b="x.to(d)\n", c="good\n")
    assert found.count("article") == 2
    assert found.text("header") == "devls\n2 findings in 2 of 3 files.\n"
    assert [each for each in found.texts["h2"] if each.strip()] == ["a.py", "b.py"]
    assert "1origin" in found.text("li")
    assert "created on the CPU" in found.text("li")
    assert "+x = good + 1" in found.text("pre")
    assert "-x = bad + 1" in found.text("pre")
    assert "bad" in found.text("mark")
    assert "safe" in found.text("small")
    assert ("a", {"href": "https://rules/mixed-devices"}) in found.elements


def test_nothing_found(page: Callable[..., Page]) -> None:
    found = page(a="good\n")
    assert found.text("header") == "devls\nNothing found in 1 file.\n"
    assert found.count("article") == 0


def test_a_program_is_text(page: Callable[..., Page], devls: Callable[..., Ran]) -> None:
    Path("<b>&.py").write_text("'</pre><script>alert(1)</script>\x1b', bad\n", encoding="utf-8")
    found = page(a="bad  # \u202e\n")
    assert found.count("script") == 1
    assert "<b>&.py" in found.text("h2")
    assert "'</pre><script>alert(1)</script>\\x1b', bad" in found.text("pre")
    assert "\\u202e" in found.text("pre")
    raw = devls("check", "--output-format", "html").out
    assert "\x1b" not in raw
    assert "\u202e" not in raw


def test_it_loads_nothing(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\n")
    text = devls("check", "--output-format", "html").out
    assert not {"src", "srcset", "action"} & {name for _, each in Page(text).elements for name in each}
    assert "@import" not in text
    assert "url(" not in text


def test_files_that_cannot_be_read_or_parsed(page: Callable[..., Page]) -> None:
    Path("binary.py").write_bytes(b"\0")
    found = page(half="x = (\n")
    assert found.count("article") == 2
    assert "the file is not checked" in found.text("p")
