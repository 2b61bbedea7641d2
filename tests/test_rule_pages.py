"""Every example on every rule page is what the page says it is, to the analyzer."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest

from checking import analyze, line_of
from devls.analysis import Diagnostic, Severity
from devls.text.edits import apply_edits
from pages import SECTIONS, Block, Mark, Page, PageError, Torch, all_pages, read_page

if TYPE_CHECKING:
    from pathlib import Path

PAGES = all_pages()
BLOCKS = [block for page in PAGES for block in page.blocks]


def findings(files: dict[str, str], folder: Path, rule: str) -> dict[str, list[Diagnostic]]:
    """Findings, without remarks of other rules that accuse nobody (severity info)."""
    shown = analyze(files, folder)
    return {
        name: [d for d in diagnostics if d.severity is not Severity.INFO or d.rule == rule]
        for name, diagnostics in shown.items()
    }


def where(files: dict[str, str], found: dict[str, list[Diagnostic]]) -> list[tuple[str, int, str]]:
    return sorted(
        (name, line_of(files[name], diagnostic.range.start), diagnostic.rule)
        for name, diagnostics in found.items()
        for diagnostic in diagnostics
    )


def said(found: dict[str, list[Diagnostic]]) -> str:
    return "\n".join(f"{d.rule}: {d.message}" for diagnostics in found.values() for d in diagnostics)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.id)
def test_block(block: Block, tmp_path: Path) -> None:
    rule = block.page.removesuffix(".md").replace("_", "-")
    found = findings(block.files, tmp_path, rule)
    expected = sorted((mark.file, mark.line, mark.rule) for mark in block.marks)
    assert where(block.files, found) == expected, said(found)
    for mark in block.marks:
        on_line = [
            diagnostic.message
            for diagnostic in found[mark.file]
            if diagnostic.rule == mark.rule
            and line_of(block.files[mark.file], diagnostic.range.start) == mark.line
        ]
        assert any(mark.text in message for message in on_line), on_line


FIXED = [block for block in BLOCKS if block.fixed is not None]


@pytest.mark.parametrize("block", [b for b in FIXED if not b.fixed.by_hand], ids=lambda block: block.id)
def test_preferred_fix_gives_the_fixed_block(block: Block, tmp_path: Path) -> None:
    rule = block.page.removesuffix(".md").replace("_", "-")
    after = dict(block.files)
    for name, diagnostics in findings(block.files, tmp_path, rule).items():
        edits = [edit for diagnostic in diagnostics for fix in diagnostic.fixes[:1] for edit in fix.edits]
        after[name] = apply_edits(after[name], edits)
    assert block.fixed is not None
    assert after == block.fixed.files


@pytest.mark.parametrize("block", FIXED, ids=lambda block: block.id)
def test_fixed_block_is_clean(block: Block, tmp_path: Path) -> None:
    assert block.fixed is not None
    rule = block.page.removesuffix(".md").replace("_", "-")
    found = findings(block.fixed.files, tmp_path, rule)
    assert where(block.fixed.files, found) == [], said(found)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.rule)
def test_page_is_complete(page: Page) -> None:
    lines = page.text.splitlines()
    assert lines[0] == f"# {page.rule}"
    assert lines[2].endswith(".")
    assert not lines[3], "one sentence, on one line, says what the rule finds"
    assert [line[3:] for line in lines if line.startswith("## ")] == list(SECTIONS)
    assert any(block.marks and block.fixed for block in page.blocks)
    assert any(not block.marks for block in page.blocks)
    for block in page.blocks:
        quiet = ("Why is this bad?", "What is not reported")
        assert block.section in (("Example",) if block.marks else quiet), block.id


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.rule)
def test_page_stands_beside_its_rule(page: Page) -> None:
    importlib.import_module(f"devls.rules.{page.family}.{page.path.stem}")


def test_what_a_page_says(tmp_path: Path) -> None:
    path = tmp_path / "device" / "some_rule.md"
    path.parent.mkdir()
    path.write_text(
        "# some-rule\n\nIt finds.\n\n## Example\n\n"
        '```py raises="RuntimeError: no, \\"not\\" so" on=cpu\n'
        '# file: helpers.py\nx = 1\n# file: train.py\nimport helpers\ny = 2  # error: "why"\nz = 3 # error[other]\n```\n'
        "```py fixed by-hand run='y'\ny = 3\n```\n\n## What is not reported\n\n```py\ny = 4  # errors are fine\n```\n"
    )
    page = read_page(path)
    marked, silent = page.blocks
    assert (page.rule, page.family) == ("some-rule", "device")
    assert marked.files == {"helpers.py": "x = 1\n", "train.py": "import helpers\ny = 2\nz = 3\n"}
    assert marked.main == "train.py"
    assert marked.marks == (Mark("train.py", 2, "some-rule", "why"), Mark("train.py", 3, "other"))
    assert marked.torch == Torch(accelerator=False, raises='RuntimeError: no, "not" so')
    assert marked.fixed is not None
    assert marked.fixed.by_hand
    assert marked.fixed.torch == Torch(accelerator=True, run="y")
    assert (silent.marks, silent.section, silent.line) == ((), "What is not reported", 21)
    assert silent.files == {"example.py": "y = 4  # errors are fine\n"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```py\nx = 1  # error\n```\n", "has to say what torch does"),
        ("```py fixd\nx = 1\n```\n", "'fixd' is not known"),
        ("```py on=moon\nx = 1\n```\n", "on=moon"),
        ("```py fixed\nx = 1\n```\n", "follows a marked one"),
        ("```py\nx = 1\n# file: a.py\n```\n", "before the first"),
    ],
)
def test_malformed_pages_are_refused(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "some_rule.md"
    path.write_text(text)
    with pytest.raises(PageError, match=complaint):
        read_page(path)
