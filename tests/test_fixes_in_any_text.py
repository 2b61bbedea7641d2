"""A fix keeps the line ends, the indentation, the comments and the letters of the file, and settles."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from devls.analysis import Analyzer
from devls.cli.check import Check
from devls.cli.complaints import Complaints
from devls.cli.fixing import apply_fixes
from devls.config import Config
from devls.project.workspace import Workspace
from pages import Block, all_pages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BLOCKS = [
    block
    for page in all_pages()
    for block in page.blocks
    if block.fixed is not None and not block.fixed.by_hand and len(block.files) == 1
]


def with_windows_line_ends(text: str) -> str:
    return text.replace("\n", "\r\n")


def with_tabs(text: str) -> str:
    lines = []
    for line in text.splitlines(keepends=True):
        body = line.lstrip(" ")
        depth, rest = divmod(len(line) - len(body), 4)
        lines.append("\t" * depth + " " * rest + body)
    return "".join(lines)


def with_other_letters(text: str) -> str:
    """Letters of two, three and four bytes before everything, and in a function around it all."""
    return "# Größe 漢字 🎉\n" + text


def without_last_line_end(text: str) -> str:
    return text.removesuffix("\n")


WAYS = [with_windows_line_ends, with_tabs, with_other_letters, without_last_line_end]


def fixed(text: str, folder: Path) -> tuple[str, Check]:
    path = folder / "example.py"
    path.write_bytes(text.encode())
    workspace = Workspace((str(folder),))
    check = Check(Analyzer(workspace, lambda _: Config()), workspace, {str(path): "example.py"}, Complaints())
    check.run()
    apply_fixes(check, unsafe=True)
    return check.workspace.source(str(path)).text, check


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.id)
def test_fix_keeps_the_rest(block: Block, way: Callable[[str], str], tmp_path: Path) -> None:
    assert block.fixed is not None
    text, check = fixed(way(block.files[block.main]), tmp_path)
    ast.parse(text)
    wanted = block.fixed.files[block.fixed.main]
    if way is not with_tabs or "\t" in way(
        block.files[block.main]
    ):  # where nothing is indented nobody knows how
        wanted = way(wanted)
    assert text.rstrip("\r\n") == wanted.rstrip("\r\n")
    again = check.findings[str(tmp_path / "example.py")]
    assert not [each for each in again if each.rule == block.page.removesuffix(".md").replace("_", "-")]
