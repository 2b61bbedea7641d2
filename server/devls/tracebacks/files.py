"""Find the files that the frames of a traceback name, also if it was printed on another machine."""

from __future__ import annotations

import ast
import itertools
import re
from dataclasses import dataclass
from pathlib import Path, PurePath, PureWindowsPath
from typing import TYPE_CHECKING, Final

from devls.syntax.nodes import of_kind
from devls.text import reading
from devls.text.reading import UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from devls.project.workspace import Workspace
    from devls.syntax.source import Source
    from devls.tracebacks.parsing import Frame

_LIBRARY: Final = re.compile(r"site-packages|dist-packages|[\\/]lib[\\/]python3|^<|^/usr/lib/", re.IGNORECASE)
_PASSED_OVER: Final = frozenset({"node_modules", "site-packages", "__pycache__", "build", "dist"})
_MOST_FILES: Final = 20_000
"""How many files of a folder are looked through for a name."""
_MOST_NOTEBOOKS: Final = 50
_PROOF: Final = 3
"""So many lines do not all stand in files of the same names by chance."""
_WORD: Final = re.compile(r"\w+")
_MANY_WORDS: Final = 6
"""So many names and numbers are not those of `main()` and `loss.backward()`, which stand in any program."""


@dataclass(frozen=True)
class Place:
    """A line (from 1) of a file that is there."""

    path: str
    line: int


def located(frames: Iterable[Frame], locator: Locator) -> tuple[Place, ...]:
    """The lines of the frames that are there, in their order; empty where texts like theirs may stand there by chance.

    Lines have moved since if a file was changed, and then alike: one or two that stand elsewhere prove nothing, unless they say much.
    """
    found = [(each, place) for each in frames if (place := locator.place(each)) is not None]
    shifts = [0 if _is_cell(each) else place.line - each.line for each, place in found]
    apart = 0 not in shifts and len({*shifts}) == len(shifts)
    words = sum(len(_WORD.findall(each.text)) for each, _ in found)
    if any(shifts) and len(shifts) < _PROOF and (apart or words < _MANY_WORDS):
        return ()
    return tuple(place for _, place in found)


def stands_as_told(frames: Iterable[Frame], locator: Locator) -> bool:
    """Whether a line stands at the number that a traceback tells: where none does, the file is another one, or was changed."""
    found = ((each, locator.place(each)) for each in frames)
    return any(place is not None and (_is_cell(each) or place.line == each.line) for each, place in found)


class Locator:
    """Finds frames below a folder."""

    def __init__(self, workspace: Workspace, folder: str) -> None:
        """Look below `folder`, and read files through `workspace`."""
        self._workspace = workspace
        self._folder = folder
        self._by_name: dict[str, list[str]] | None = None

    def place(self, frame: Frame) -> Place | None:
        """Position of a frame; None for a library, and for what cannot be found."""
        if is_library(frame):
            return None
        for path in self._candidates(frame):
            line = self._line(path, frame)
            if line:
                return Place(path, line)
        return None

    def _candidates(self, frame: Frame) -> Iterator[str]:
        """Files that may be meant, the likeliest first."""
        if _is_cell(frame):
            yield from itertools.islice(self._named(".ipynb"), _MOST_NOTEBOOKS)
            return
        written = Path(frame.path).expanduser() if frame.path.startswith("~") else Path(frame.path)
        path = written if written.is_absolute() else Path(self._folder) / written
        if self._workspace.exists(str(path)):
            yield str(path)
            return
        parts = _parts(frame.path)
        yield from sorted(self._named(parts[-1]), key=lambda each: -_shared(_parts(each), parts))

    def _named(self, name: str) -> Iterable[str]:
        if self._by_name is None:
            self._by_name = {}
            for path in itertools.islice(_below(self._folder), _MOST_FILES):
                key = ".ipynb" if path.endswith(".ipynb") else PurePath(path).name
                self._by_name.setdefault(key, []).append(path)
        return self._by_name.get(name, ())

    def _line(self, path: str, frame: Frame) -> int:
        """The line that a frame means in a file, by its text, nearest to its number; 0 if it is not there."""
        try:
            source = self._workspace.source(path)
        except UnreadableFileError:
            return 0
        index = source.index
        count = index.line_count
        if not frame.text:
            return frame.line if frame.path and frame.line <= count else 0
        fitting = [
            line
            for line in range(1, count + 1)
            if index.line_text(line - 1).strip() == frame.text and _is_in(source, line, frame.function)
        ]
        return min(fitting, key=lambda line: abs(line - frame.line), default=0)


def _is_in(source: Source, line: int, function: str) -> bool:
    """Whether a line stands in a function of a name, as far as a traceback tells it."""
    if not function or (function.startswith("<") and function != "<module>"):
        return True
    scopes: list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef] = []
    scopes += of_kind(source.tree, ast.FunctionDef)
    scopes += of_kind(source.tree, ast.AsyncFunctionDef)
    scopes += of_kind(source.tree, ast.ClassDef)
    around = [each for each in scopes if each.lineno <= line <= (each.end_lineno or 0)]
    innermost = max(around, key=lambda each: each.lineno, default=None)
    if innermost is not None and line == innermost.lineno:
        return True  # the head of a function runs in what is around it, its body on one line in itself
    return function.rpartition(".")[2] == ("<module>" if innermost is None else innermost.name)


def is_library(frame: Frame) -> bool:
    """Whether a frame is of an installed package, or of Python itself."""
    return bool(frame.path) and _LIBRARY.search(frame.path) is not None


def _is_cell(frame: Frame) -> bool:
    return not frame.path or "ipykernel_" in frame.path


def _below(folder: str) -> Iterator[str]:
    for inside, folders, files in reading.walk(folder):
        folders[:] = [each for each in folders if each not in _PASSED_OVER and not each.startswith(".")]
        for each in files:
            if each.endswith((".py", ".ipynb")):
                yield str(Path(inside, each))


def _parts(path: str) -> tuple[str, ...]:
    return PureWindowsPath(path).parts  # which splits at slashes of both kinds


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many parts two paths have in common at their ends."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
