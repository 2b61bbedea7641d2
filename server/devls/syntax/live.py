"""A file that is being edited: the tree is kept, and only what an edit touches is parsed again.

Nodes keep their identity as long as the code below them stays the same, and move along with it. Of a function only the
body is exchanged, so that whoever holds the function's node sees the new code. The result is the same tree, at the same
places, as from parsing the whole text anew.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from devls.syntax.nodes import LOOKED_AT, Asked, forget_trees, let_go, nodes_of
from devls.syntax.recovery import MAX_REPAIRS, mended, parse_tolerantly
from devls.syntax.source import Source
from devls.text.positions import LineIndex

if TYPE_CHECKING:
    from devls.syntax.recovery import SyntaxProblem


@dataclass
class Change:
    """Effect of an edit on a file."""

    head: int = 0
    """So many characters at the beginning of the text are as they were."""
    tail: int = 0
    """And so many at its end."""
    grown: int = 0
    """By so many characters the text is longer than before."""
    lines: int = 0
    """And by so many lines."""
    staying: int = 0
    """Lines below this one, from 1, are as they were."""
    moving: int = 0
    """Lines of the old text from this one on are as they were, on other lines."""
    bodies: set[ast.AST] = field(default_factory=set)
    """The functions whose bodies are others now, and the classes these are in."""
    lengths: dict[ast.AST, tuple[int, int]] = field(default_factory=dict)
    """How many lines functions have taken, and take now, that say the same as before."""
    shape: bool = False
    """Whether more has changed than bodies of functions."""

    def touches(self, looked_at: frozenset[ast.AST]) -> bool:
        """Whether something has changed of what a run has looked at; no run is without what is around functions."""
        return self.shape or not self.bodies.isdisjoint(looked_at)

    def moved_line(self, line: int) -> int | None:
        """On which line what is on a line of the old text (from 1) stands in the new one; None if it was edited."""
        if line < self.staying:
            return line
        return line + self.lines if line >= self.moving else None

    def moved(self, offset: int, length: int) -> int | None:
        """Offset in the new text of a character of the old one (of that length); None if it was edited."""
        if offset <= self.head:
            return offset
        return offset + self.grown if offset >= length - self.tail else None


class _OpenEndedError(Exception):
    """A part of a text does not parse by itself, but might with what follows."""


class _BrokenError(Exception):
    """A part of a text does not parse, whatever follows."""


class LiveSource(Source):
    """A Source whose text changes. Its tree is one object throughout."""

    is_edited = True

    def __init__(self, path: str, text: str) -> None:
        super().__init__(path, text)
        self._tree = ast.Module(body=[], type_ignores=[])
        self._read_anew(Change())

    @property
    def tree(self) -> ast.Module:
        """The tree; statements that do not parse are left out of it."""
        LOOKED_AT.add(self._tree)
        return self._tree

    @property
    def unwatched_tree(self) -> ast.Module:
        """The tree. That it was looked at is not remembered."""
        return self._tree

    @property
    def statements(self) -> list[ast.stmt]:
        """The statements at the top. That they were looked at is not remembered."""
        return self._tree.body

    @property
    def problems(self) -> tuple[SyntaxProblem, ...]:
        """Parts left out of the tree, with reasons."""
        return self._problems

    @cached_property
    def _sayings(self) -> dict[str, Asked]:
        return {}

    def says(self, text: str) -> bool:
        """Whether a text stands anywhere in the file. That this was asked is remembered."""
        found = self._sayings.get(text)
        if found is None:
            found = Asked(("says", self.path, text), lambda: text in self.text, text in self.text)
            self._sayings[text] = found
        LOOKED_AT.add(found)
        return found.answer is True

    @cached_property
    def snapshot(self) -> Source:
        """The text as it is now, for those who look at it while it changes."""
        found = Source(self.path, self.text)
        found.__dict__["index"] = self.index
        return found

    def edit(self, text: str) -> Change:
        """Have another text from here on; returns what is different."""
        change = _compare(self.text, text)
        before = self.index
        change.staying, change.moving = _lines_of(self.text, before, change)
        object.__setattr__(self, "text", text)
        for each in ("index", "snapshot", "_sayings"):
            self.__dict__.pop(each, None)
        change.lines = self.index.line_count - before.line_count
        forget_trees()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self._update(change)
            except (_OpenEndedError, _BrokenError, RecursionError, MemoryError):
                self._read_anew(change)
        if change.bodies or change.shape:
            change.bodies.add(self._tree)
        return change

    def _read_anew(self, change: Change) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree, self._problems = parse_tolerantly(self.text)
        try:
            body = _aligned(list(self._tree.body), tree.body, change)
        except RecursionError:  # nested too deep to be compared: all of it is new
            body, change.shape = tree.body, True
            change.bodies.update(each for each in ast.walk(self._tree) if isinstance(each, DEFINITIONS))
        self._tree.body[:] = body
        self._whole = self.text
        if self._problems:
            found = mended(self.text)
            # With too many problems the tree is empty, whatever could be repaired.
            self._whole = found[0] if found is not None and len(found[1]) < MAX_REPAIRS else "\0"
        self._lines = LineIndex(self._whole)

    def _update(self, change: Change) -> None:
        try:
            self._become(self.text, self.index, change)
        except (_OpenEndedError, _BrokenError):
            found = mended(self.text)
            if found is None or not found[1] or len(found[1]) >= MAX_REPAIRS:
                raise
            self._become(found[0], LineIndex(found[0]), change)
            self._problems = tuple(found[1])
        else:
            self._problems = ()

    def _become(self, text: str, lines: LineIndex, change: Change) -> None:
        """Let the tree be that of `text`, all of which parses.

        Raises:
            _OpenEndedError, _BrokenError: if it does not; then the tree is as it was.
        """
        if self._whole == "\0":
            raise _BrokenError
        if text != self._whole:
            window = _Window.between(self._whole, self._lines, text, lines)
            _Block(self._tree.body, 0, self._lines.line_count).update(window, change)
            self._whole = text
        self._lines = lines


@dataclass(frozen=True)
class _Window:
    """The lines in which two texts differ, counted from 0; `old_end` and `new_end` are the first behind them."""

    text: str
    lines: LineIndex
    start: int
    old_end: int
    new_end: int

    @staticmethod
    def between(old: str, old_lines: LineIndex, text: str, lines: LineIndex) -> _Window:
        found = _compare(old, text)
        start = min(old_lines.position(found.head)[0], lines.position(found.head)[0])
        old_end = old_lines.position(len(old) - found.tail)[0] + 1
        new_end = lines.position(len(text) - found.tail)[0] + 1
        return _Window(text, lines, start, old_end, new_end)

    @property
    def by(self) -> int:
        """How many lines have been added."""
        return self.new_end - self.old_end

    def part(self, first: int, last: int) -> str:
        """The lines from one up to another one."""
        return self.text[self.lines.line_start(first) : self.lines.line_start(last)]


@dataclass(frozen=True)
class _Block:
    """The statements of a file, a class or a function, on the lines from `first` up to `last`."""

    body: list[ast.stmt]
    first: int
    last: int
    indent: int | None = None
    kind: type[ast.stmt] = ast.ClassDef

    def update(self, window: _Window, change: Change) -> None:
        """Parse anew what stands in the window."""
        starts = [_first_line(each) for each in self.body]
        # A line that is put before a statement may belong to the one before it.
        low = sum(start < window.start for start in starts)
        low = max(low - 1, 0)
        high = sum(start < window.old_end for start in starts)
        while 0 < low < len(starts) and starts[low] <= (self.body[low - 1].end_lineno or 0) - 1:
            low -= 1  # both on one line
        while high < len(starts) and high and starts[high] <= (self.body[high - 1].end_lineno or 0) - 1:
            high += 1
        first = self.first if low == 0 and self.indent is None else starts[low] if starts else self.first
        last = starts[high] if high < len(starts) else self.last
        touched = self.body[low:high]
        if len(touched) == 1 and _inner(touched[0], last, window, change):
            self._shift(high, window.by)
            return
        try:
            found = self._parsed(window, first, last + window.by)
        except _OpenEndedError:
            if self.indent is not None:
                raise
            # A string or bracket may reach further down.
            high, last = len(self.body), self.last
            found = self._parsed(window, first, last + window.by)
            touched = self.body[low:]
        self._shift(high, window.by)
        self.body[low:high] = _aligned(touched, found, change)

    def _shift(self, begin: int, by: int) -> None:
        for each in self.body[begin:] if by else ():
            for node in _placed(each):
                node.lineno += by  # type: ignore[attr-defined]
                node.end_lineno += by  # type: ignore[attr-defined]

    def _parsed(self, window: _Window, first: int, last: int) -> list[ast.stmt]:
        """The statements on some lines, each where it stands in the whole text."""
        text = window.part(first, last)
        if self.indent is None:
            return _parse("\n" * first + text, last)
        tree = _parse("\n" * (first - 1) + _HEADERS[self.kind] + text, last)
        if len(tree) != 1 or not isinstance(tree[0], self.kind) or "\t" in text:
            raise _BrokenError
        found: list[ast.stmt] = getattr(tree[0], "body")  # noqa: B009  each of the three has one
        if found[0].col_offset != self.indent:
            raise _BrokenError
        return found


def _inner(statement: ast.stmt, last: int, window: _Window, change: Change) -> bool:
    """Update the body of a class or function, if that is where all of the change is."""
    if not isinstance(statement, Definition):
        return False
    assert isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))  # noqa: S101  seen above
    first, length, before = _first_line(statement.body[0]), _length(statement), len(change.bodies)
    if not statement.lineno - 1 < first < window.start or window.old_end > last:
        return False
    is_class = isinstance(statement, ast.ClassDef)
    # Whatever statements a function has are its body; those of a class are around functions.
    found = change if is_class else Change()
    try:
        _Block(statement.body, first, last, statement.body[0].col_offset, type(statement)).update(
            window, found
        )
    except (_OpenEndedError, _BrokenError):
        return False
    statement.end_lineno, statement.end_col_offset = _end(statement.body)
    vars(statement).pop(_PLACED, None)
    if is_class:
        if len(change.bodies) > before or change.shape:
            change.bodies.add(statement)
        return True
    if found.bodies or found.shape:
        change.bodies |= {statement, *found.bodies}
    elif _length(statement) != length:
        change.lengths[statement] = length, _length(statement)
    change.lengths.update(found.lengths)
    return True


_HEADERS: Final[dict[type[ast.stmt], str]] = {
    ast.ClassDef: "class _:\n",
    ast.FunctionDef: "def _():\n",
    ast.AsyncFunctionDef: "async def _():\n",
}


def _parse(text: str, last: int) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except SyntaxError as error:
        late = error.lineno is None or error.lineno >= last
        if late or any(each in error.msg for each in _OPEN_ENDED):
            raise _OpenEndedError from error
        raise _BrokenError from error
    except ValueError as error:
        raise _BrokenError from error


_OPEN_ENDED: Final = ("never closed", "triple-quoted", "EOF")


def _aligned(old: list[ast.stmt], new: list[ast.stmt], change: Change) -> list[ast.stmt]:
    """The new statements; those that say what they have said before are the old nodes, moved."""
    low, shorter = 0, min(len(old), len(new))
    while low < shorter and _stays(old[low], new[low], change):
        low += 1
    high = 0
    while high < shorter - low and _stays(old[-1 - high], new[-1 - high], change):
        high += 1
    kept, follow = old[:low], old[len(old) - high :]
    for each, other in zip((*kept, *follow), (*new[:low], *new[len(new) - high :]), strict=True):
        _move(each, other, change)
    before, after = old[low : len(old) - high], new[low : len(new) - high]
    if len(before) == len(after) == 1 and _exchanged(before[0], after[0], change):
        return [*kept, before[0], *follow]
    if before or after:
        change.shape = True
        change.bodies.update(
            node for each in before for node in ast.walk(each) if isinstance(node, DEFINITIONS)
        )
        let_go(before)
    return [*kept, *after, *follow]


def _stays(old: ast.stmt, new: ast.stmt, change: Change) -> bool:
    """Whether a statement says what it has said before, on the lines that have moved there.

    Of two lines that say the same, one may have come into the tree for the other.
    """
    return _same(old, new) and all(
        change.moved_line(one.lineno) in (other.lineno, None)
        for one, other in zip(nodes_of(old), nodes_of(new), strict=True)
        if isinstance(one, ast.stmt) and isinstance(other, ast.stmt)
    )


def _exchanged(old: ast.stmt, new: ast.stmt, change: Change) -> bool:
    """Give a function or class the body of its successor; False if more than that is different."""
    function = isinstance(old, (ast.FunctionDef, ast.AsyncFunctionDef))
    if type(old) is not type(new) or not (function or isinstance(old, ast.ClassDef)):
        return False
    assert isinstance(old, Definition) and isinstance(new, Definition)  # noqa: S101, PT018  seen above
    header = [each for each in old._fields if each != "body"]
    if not all(_same(getattr(old, each), getattr(new, each)) for each in header):
        return False
    for each in header:
        _move(getattr(old, each), getattr(new, each), change)
    _place(old, new)
    if function:
        let_go(old.body)
    old.body = new.body if function else _aligned(old.body, new.body, change)
    vars(old).pop(_PLACED, None)
    change.bodies.add(old)
    return True


DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
"""Units in which code is looked at."""

Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _same(one: object, other: object) -> bool:
    """Whether two nodes (or what is in their fields) say the same, wherever they stand."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, ast.AST):
        return all(_same(getattr(one, each, None), getattr(other, each, None)) for each in one._fields)
    return one == other and repr(one) == repr(other)  # 0.0 and -0.0


def _move(old: object, new: object, change: Change) -> None:
    """Let nodes stand where those that say the same stand."""
    if isinstance(old, list) and isinstance(new, list):
        for each, other in zip(old, new, strict=True):
            _move(each, other, change)
    elif isinstance(old, ast.AST) and isinstance(new, ast.AST):
        if isinstance(old, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            lengths = _length(old), _length(new)
            if lengths[0] != lengths[1]:
                change.lengths[old] = lengths
        _place(old, new)
        for name in old._fields:
            _move(getattr(old, name, None), getattr(new, name, None), change)


def _length(node: ast.AST) -> int:
    return (node.end_lineno or 0) - node.lineno + 1  # type: ignore[attr-defined, no-any-return]


def _place(old: ast.AST, new: ast.AST) -> None:
    for each in ("lineno", "col_offset", "end_lineno", "end_col_offset") if hasattr(old, "lineno") else ():
        setattr(old, each, getattr(new, each, None))


_PLACED: Final = "_placed"


def _placed(statement: ast.stmt) -> list[ast.AST]:
    """All nodes of a statement that have a place."""
    if isinstance(statement, ast.ClassDef):
        header = [each for each in ast.iter_child_nodes(statement) if each not in statement.body]
        own = [each for node in header for each in nodes_of(node) if hasattr(each, "lineno")]
        return [statement, *own, *(each for member in statement.body for each in _placed(member))]
    found: list[ast.AST] | None = vars(statement).get(_PLACED)
    if found is None:
        found = [each for each in nodes_of(statement) if hasattr(each, "lineno")]
        setattr(statement, _PLACED, found)
    return found


def _first_line(statement: ast.stmt) -> int:
    """The line, from 0, on which a statement begins, with its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)]) - 1


def _end(body: list[ast.stmt]) -> tuple[int | None, int | None]:
    return body[-1].end_lineno, body[-1].end_col_offset


def _compare(old: str, new: str) -> Change:
    shorter = min(len(old), len(new))
    head = _common(old, new, shorter)
    tail = _common_end(old, new, shorter - head)
    return Change(head, tail, len(new) - len(old))


def _lines_of(text: str, index: LineIndex, change: Change) -> tuple[int, int]:
    """Up to which line, and from which line on, a text stays what it is in a change."""
    (first, begin), (last, end) = index.position(change.head), index.position(len(text) - change.tail)
    ahead, behind = index.line_text(first)[begin:], index.line_text(last)[:end]
    return first + (1 if ahead.strip() else 2), last + (2 if behind.strip() else 1)


def _common(old: str, new: str, most: int) -> int:
    """How many characters two texts have in common from the beginning. Comparing slices is far faster than characters."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(old: str, new: str, most: int) -> int:
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]:
            low = middle
        else:
            high = middle - 1
    return low
