"""Read tracebacks as Python, IPython, pytest and torchrun print them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from devls.text.positions import whole_number

_COLOR: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_RANK: Final = re.compile(r"^\s*\[?(?:rank|default)?\d+\]?:\s?(?=\S|\s)")
"""Prefix that torchrun puts before each line of a process: `[rank0]: `, `[default0]:`, `0: `."""
_BEGIN: Final = re.compile(r"Traceback \(most recent call last\)")
_IN_WORKER: Final = "Original Traceback"
"""How torch begins the traceback of a worker process, inside of that of the process which reads its batches."""
_FRAME: Final = re.compile(r'^\s*File "(?P<path>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<function>.+))?$')
_CELL: Final = re.compile(
    r"^\s*(?:Cell )?(?:In|Input In) ?\[(?P<cell>\d+)\],? (?:line (?P<line>\d+)|in)(?:,? (?:in )?(?P<function>[\w.<>]+).*)?$"
)
_IPYTHON: Final = re.compile(r"^File (?P<path>[^\s\"]+?):(?P<line>\d+)(?:, in (?P<function>[\w.<>]+).*)?$")
_OLD_IPYTHON: Final = re.compile(
    r"^(?P<path>[~/.\w:\\-]\S*\.py|<ipython-input-[\w-]+>) in (?P<function>[\w.<>]+)(?:\(.*)?$"
)
_ARROW: Final = re.compile(r"^-+> ?(?P<line>\d+) ?(?P<text>.*)$")
_PYTEST_TEXT: Final = re.compile(r"^>\s{2,}(?P<text>\S.*)$")
_PYTEST_ERROR: Final = re.compile(r"^E\s+(?P<text>\S.*)$")
_PYTEST_PLACE: Final = re.compile(r"^(?P<path>[^\s:][^:\n]*\.py):(?P<line>\d+):(?: (?P<error>[\w.]+))?\s*$")
_ERROR: Final = re.compile(
    r"^(?P<error>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit|NotImplemented|Failure))"
    r"(?::\s?(?P<message>.*))?$"
)
_CARETS: Final = re.compile(r"^\s*[\^~]+\s*$")
_MOST_LINES: Final = 100_000
_MOST_MESSAGE: Final = 12


@dataclass(frozen=True)
class Frame:
    """One call of a traceback: where it stood, and the text of the line if it was printed."""

    path: str
    """As it was printed; empty for a cell of a notebook."""
    line: int
    """From 1; of a cell, within the cell."""
    function: str = ""
    text: str = ""


@dataclass(frozen=True)
class Raised:
    """An error with the calls that led to it, outermost first."""

    error: str
    """The name of its class, as printed."""
    message: str
    frames: tuple[Frame, ...]


@dataclass
class _Reader:
    """The state between two lines."""

    found: list[Raised] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    shown: str = ""
    """The line of source that pytest has marked."""
    error: tuple[str, str] | None = None
    """Text of the error that pytest has printed before the place."""
    continues: int = 0
    """How many lines more may belong to the last message."""


def parse(text: str) -> tuple[Raised, ...]:
    """All errors of a text, in its order; empty if it holds no traceback."""
    reader = _Reader()
    for line in text.splitlines()[:_MOST_LINES]:
        _read(reader, _plain(line))
    if reader.error is not None and reader.frames:
        _finish(reader, *reader.error)
    return tuple(reader.found)


def _plain(line: str) -> str:
    line = _COLOR.sub("", line).rstrip()
    return _RANK.sub("", line, count=1) if line.lstrip().startswith("[") else line


def _read(reader: _Reader, line: str) -> None:
    if _BEGIN.search(line):
        # A worker's own traceback goes on where the process that waits for it stood.
        outer = reader.found[-1].frames if line.startswith(_IN_WORKER) and reader.found else ()
        reader.frames, reader.continues, reader.error = [*outer], 0, None
    elif (frame := _frame(line)) is not None:
        reader.frames.append(frame)
        reader.continues = 0
    elif not _of_pytest(reader, line) and not _of_source(reader, line):
        _of_error(reader, line)


def _frame(line: str) -> Frame | None:
    for pattern in (_FRAME, _IPYTHON, _CELL, _OLD_IPYTHON):
        found = pattern.match(line)
        if found is not None:
            parts = found.groupdict()
            path = parts.get("path") or ""
            if path.startswith("<ipython-input"):
                path = ""
            return Frame(path, whole_number(parts.get("line") or "") or 0, parts["function"] or "")
    return None


def _of_source(reader: _Reader, line: str) -> bool:
    """A line of source below a frame, or beside an arrow."""
    if not reader.frames:
        return False
    last = reader.frames[-1]
    arrow = _ARROW.match(line)
    if arrow is not None:
        if not last.text:
            number = last.line or whole_number(arrow["line"]) or 0
            reader.frames[-1] = Frame(last.path, number, last.function, arrow["text"].strip())
        return True
    if line[:2] == "  " and not _CARETS.match(line) and not reader.continues:
        if last.line and not last.text and not line.lstrip()[:1].isdigit():
            reader.frames[-1] = Frame(last.path, last.line, last.function, line.strip())
        return True
    return False


def _of_pytest(reader: _Reader, line: str) -> bool:
    if (marked := _PYTEST_TEXT.match(line)) is not None:
        reader.shown = marked["text"].strip()
        return True
    if (told := _PYTEST_ERROR.match(line)) is not None:
        error = _ERROR.match(told["text"])
        if error is not None and reader.error is None:
            reader.error = error["error"], error["message"] or ""
        return True
    place = _PYTEST_PLACE.match(line)
    if place is None:
        return False
    reader.frames.append(Frame(place["path"], whole_number(place["line"]) or 0, "", reader.shown))
    reader.shown = ""
    if place["error"] and reader.error is not None:
        _finish(reader, *reader.error)
    return True


def _of_error(reader: _Reader, line: str) -> None:
    found = _ERROR.match(line)
    if found is not None and reader.frames:
        _finish(reader, found["error"], found["message"] or "")
        reader.continues = _MOST_MESSAGE
    elif reader.continues and line and reader.found:
        last = reader.found[-1]
        reader.found[-1] = Raised(last.error, f"{last.message}\n{line}".strip(), last.frames)
        reader.continues -= 1
    else:
        reader.continues = 0


def _finish(reader: _Reader, error: str, message: str) -> None:
    reader.found.append(Raised(error.rpartition(".")[2], message.strip(), tuple(reader.frames)))
    reader.frames, reader.error, reader.shown = [], None, ""
