"""A Python file: its text, its tree, and the way from nodes to offsets."""

from __future__ import annotations

import gc
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from devls.syntax.nodes import of_tree
from devls.syntax.recovery import parse_tolerantly
from devls.text.edits import Range, apply_edits
from devls.text.excerpt import excerpt
from devls.text.positions import LineIndex

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

    from devls.syntax.recovery import SyntaxProblem
    from devls.text.edits import Edit


class _Trees:
    """How much there is of trees."""

    objects = 0
    """New objects, for whoever wants to know where the memory goes (`gc.get_count`) while the collector is switched off."""


TREES: Final = _Trees()


@dataclass(frozen=True, eq=False)
class Source:
    """One file's text. Compared by identity: a changed file is another Source."""

    path: str
    text: str

    @cached_property
    def _parsed(self) -> tuple[ast.Module, tuple[SyntaxProblem, ...]]:
        with warnings.catch_warnings():
            # An invalid escape in the user's code is not ours to print.
            warnings.simplefilter("ignore")
            before = gc.get_count()[0]
            parsed = parse_tolerantly(self.text)
            TREES.objects += gc.get_count()[0] - before
            return parsed

    @property
    def tree(self) -> ast.Module:
        """The tree; statements that do not parse are left out of it."""
        return self._parsed[0]

    @property
    def unwatched_tree(self) -> ast.Module:
        """The tree, for questions that are asked again after each edit (`nodes.asked`)."""
        return self.tree

    @property
    def statements(self) -> list[ast.stmt]:
        """The statements at the top, for those who look at some of them only."""
        return self.tree.body

    @cached_property
    def problems(self) -> tuple[SyntaxProblem, ...]:
        """Parts left out of the tree, with reasons."""
        return self._parsed[1]

    def has_raised(self, first: int, last: int) -> bool:
        """Whether the file itself shows that one of these lines (from 1) has raised when it was run, and was kept so."""
        del first, last
        return False

    def forget_tree(self) -> None:
        """Let go of the tree, which is most of what there is of a file. Whoever asks for it once more has it parsed again."""
        _ = self.problems
        vars(self).pop("_parsed", None)

    @cached_property
    def index(self) -> LineIndex:
        """Line starts, for positions."""
        return LineIndex(self.text)

    def edited(self, edits: Iterable[Edit]) -> Source | None:
        """The file with edits of its text; None if it cannot be edited so.

        Raises:
            ValueError: if two edits overlap.
        """
        return Source(self.path, apply_edits(self.text, edits))

    def place_of(self, line: int) -> tuple[int | None, int]:
        """Line (from 0) as a user finds it: the cell of a notebook, and the line in it."""
        return None, line

    def line_named(self, line: int) -> str:
        """Name of a line (from 1) in a sentence."""
        cell, number = self.place_of(line - 1)
        return f"line {line}" if cell is None else f"line {number + 1} of cell {cell}"

    def range(self, node: ast.AST) -> Range:
        """Position of a node that has one."""
        line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
        end_line, end_column = node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
        return Range(
            self.index.offset_from_utf8(line - 1, column),
            self.index.offset_from_utf8(end_line - 1, end_column),
        )

    def slice(self, node: ast.AST) -> str:
        """The source text of a node."""
        found = self.range(node)
        return self.text[found.start : found.end]

    @cached_property
    def _said(self) -> dict[str, bool]:
        return {}

    def says(self, text: str) -> bool:
        """Whether a text stands anywhere in the file: looked for once, since some ask at every call."""
        found = self._said.get(text)
        if found is None:
            found = self._said[text] = text in self.text
        return found

    def mentions(self, node: ast.AST, *texts: str) -> bool:
        """Whether any of some texts stands on the lines of a node: a hundred times cheaper than walking it in vain."""
        text, index = self.text, self.index
        start, end = index.line_start(node.lineno - 1), index.line_start(node.end_lineno)  # type: ignore[attr-defined]
        for each in texts:  # noqa: SIM110  asked all the time, and a generator takes longer
            if text.find(each, start, end) >= 0:
                return True
        return False


@of_tree(maxsize=8192)
def shortened(source: Source, node: ast.AST) -> str:
    """The text of a node on one line, shortened for messages."""
    return excerpt(source.slice(node))
