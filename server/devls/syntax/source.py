"""A Python file: its text, its tree, and the way from nodes to offsets."""

from __future__ import annotations

import ast
import gc
import threading
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from devls.syntax.nodes import asked, forget_trees, of_tree
from devls.syntax.recovery import parse_tolerantly
from devls.text.edits import Range, apply_edits
from devls.text.excerpt import excerpt
from devls.text.positions import LineIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from devls.syntax.recovery import SyntaxProblem
    from devls.text.edits import Edit

_T = TypeVar("_T")


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
    is_edited: ClassVar[bool] = False
    """Whether its text changes, so that those who ask about it have to ask again."""

    @cached_property
    def _parsed(self) -> tuple[ast.Module, tuple[SyntaxProblem, ...]]:
        return _parse(self.text)

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

    def answer(self, ask: Callable[[Source, ast.Module], _T]) -> _T:
        """Answer of one of the questions that are marked by `of_file`. That the tree was looked at is not remembered."""
        return ask(self, self.unwatched_tree)

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


_OF_FILES: Final[list[Callable[[Source, ast.Module], Any]]] = []


def of_file(ask: Callable[[Source, ast.Module], _T]) -> Callable[[Source], _T]:
    """Mark a question about a whole file, asked of most files that are imported, whose answer holds none of its nodes."""
    _OF_FILES.append(ask)
    return lambda source: source.answer(ask)


def asked_of(source: Source, key: Hashable, ask: Callable[[], _T]) -> _T:
    """Answer of a question about a file that nothing else answers (`nodes.asked`): of one that nobody edits, it stays."""
    return asked((key, source.path), ask) if source.is_edited else ask()


def _parse(text: str) -> tuple[ast.Module, tuple[SyntaxProblem, ...]]:
    with warnings.catch_warnings():
        # An invalid escape in the user's code is not ours to print.
        warnings.simplefilter("ignore")
        before = gc.get_count()[0]
        parsed = parse_tolerantly(text)
        TREES.objects += gc.get_count()[0] - before
        return parsed


class OutlinedSource(Source):
    """A Source that others import: of most of its functions nobody ever looks at the body.

    Those bodies are most of all trees that a server holds. They are let go before anybody has seen them, and parsed once
    more when somebody asks for the first; from then on the tree is as that of any other Source.
    """

    @cached_property
    def _parsed(self) -> tuple[ast.Module, tuple[SyntaxProblem, ...]]:
        parsed = _parse(self.text)
        self._answers: dict[object, Any] = {ask: ask(self, parsed[0]) for ask in _OF_FILES}
        forget_trees()  # walks of it are remembered with all their nodes
        _Unread(self.text).take(parsed[0])
        return parsed

    def answer(self, ask: Callable[[Source, ast.Module], _T]) -> _T:
        """What was answered when the tree was whole."""
        _ = self.tree
        found: _T = self._answers[ask]
        return found


class _Unread:
    """The functions of a file whose bodies nobody has asked for."""

    _reading: Final = threading.Lock()
    """Trees are read by the thread that analyzes, and by the one that answers an editor."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._functions: list[_Function] = []

    def take(self, tree: ast.Module) -> None:
        """Let the bodies of a tree go that nobody has seen yet."""
        # A body that is missing is looked for here; a class of its own would not be found where nodes go by theirs.
        for kind in (ast.FunctionDef, ast.AsyncFunctionDef):
            kind.__getattr__ = _missing  # type: ignore[union-attr]
        self._functions = list(_functions(tree.body))
        for each in self._functions:
            vars(each)[_UNREAD] = self
            del each.body

    def read(self) -> None:
        """Give all of them their bodies."""
        with self._reading:
            if not self._functions:
                return
            again = list(_functions(_parse(self._text)[0].body))
            if len(again) != len(self._functions):
                raise RecursionError  # so deep in a run that there is no room for the parser
            for each, other in zip(self._functions, again, strict=True):
                each.body = other.body
                del vars(each)[_UNREAD]
            self._functions = []


_UNREAD: Final = "_unread"
_SHORT: Final = 2
"""Lines of a body that is not worth being parsed twice."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _functions(body: list[ast.stmt]) -> Iterator[_Function]:
    """The functions at the top and in classes that are longer than a few lines."""
    for each in body:
        if isinstance(each, ast.ClassDef):
            yield from _functions(each.body)
        elif (
            isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))
            and (each.end_lineno or 0) - each.lineno > _SHORT
        ):
            yield each


def _missing(node: ast.AST, name: str) -> object:
    unread: _Unread | None = vars(node).get(_UNREAD)
    if unread is not None and name == "body":
        unread.read()
    if name == "body" and name in vars(node):  # perhaps since another thread has asked
        return vars(node)[name]
    raise AttributeError(name)


@of_tree(maxsize=8192)
def shortened(source: Source, node: ast.AST) -> str:
    """The text of a node on one line, shortened for messages."""
    return excerpt(source.slice(node))
