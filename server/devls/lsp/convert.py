"""Between devls' offsets and findings and the protocol's positions and diagnostics."""

from __future__ import annotations

import functools
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls import uris

from devls import rules
from devls.analysis import Severity
from devls.project.workspace import normalize
from devls.rules.rule import RULES
from devls.text.edits import Applicability, Range
from devls.text.positions import LineIndex
from devls.values.weights import NAMES_KEPT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from devls.analysis import Diagnostic, Related
    from devls.config import ConfigProblem
    from devls.syntax.source import Source
    from devls.text.edits import Edit, Fix

SOURCE_NAME = "devls"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


def path_of(uri: str) -> str:
    """The path behind a URI. A document that is no file (`untitled:`), or has no valid URI, is known by its URI."""
    try:
        path = uris.to_fs_path(uri)
        return normalize(path) if path and "\0" not in path else uri
    except ValueError:  # an address that is none: `file://[x/y.py`
        return uri


def uri_of(path: str) -> str:
    """The URI of a path, for a document the client has not named itself."""
    return uris.from_fs_path(path) or path


@dataclass(frozen=True)
class Positions:
    """Converts between offsets and the columns in the unit agreed on with the client."""

    encoding: types.PositionEncodingKind | str = types.PositionEncodingKind.Utf16

    def position(self, index: LineIndex, offset: int) -> types.Position:
        """From a character offset."""
        line, column = index.position(offset)
        if self.encoding == types.PositionEncodingKind.Utf16:
            line, column = index.utf16_position(offset)
        elif self.encoding == types.PositionEncodingKind.Utf8:
            column = len(index.line_text(line)[:column].encode("utf-8", "surrogatepass"))
        return types.Position(line, column)

    def offset(self, index: LineIndex, position: types.Position) -> int:
        """To a character offset, clamped to the line."""
        if self.encoding == types.PositionEncodingKind.Utf8:
            end = index.line_start(position.line) + len(index.line_text(position.line))
            return min(end, index.offset_from_utf8(position.line, position.character))
        if self.encoding == types.PositionEncodingKind.Utf32:
            return index.offset(position.line, position.character)
        return index.offset_from_utf16(position.line, position.character)

    def range(self, index: LineIndex, found: Range) -> types.Range:
        """From a range of character offsets."""
        return types.Range(self.position(index, found.start), self.position(index, found.end))

    def text_edit(self, index: LineIndex, edit: Edit) -> types.TextEdit:
        """From an edit of the text that `index` is about."""
        return types.TextEdit(self.range(index, edit.range), edit.text)


def apply_changes(
    text: str, changes: Iterable[types.TextDocumentContentChangeEvent], positions: Positions
) -> str:
    """Return `text` after the client's changes, each of which counts in the text left by the one before.

    The text is divided into lines once, so that 10,000 changes of a long file take a tenth of a second. Lines end where the
    protocol says; form feeds and other characters at which `str.splitlines` divides do not end one.
    """
    lines = _lines(text)
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            _replace(lines, change, positions)
        else:
            lines = _lines(change.text)
    return "".join(lines)


_LINE_END = re.compile(r"\r\n|\r|\n")


def _lines(text: str) -> list[str]:
    """The lines with their ends; the last one has none, and may be empty."""
    if "\r" not in text:
        *ended, last = text.split("\n")
        return [*(f"{line}\n" for line in ended), last]
    ends = [found.end() for found in _LINE_END.finditer(text)]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


def _replace(lines: list[str], change: types.TextDocumentContentChangePartial, positions: Positions) -> None:
    """Make one change in a list of lines."""
    first, start = _within(lines, change.range.start, positions)
    last, end = max((first, start), _within(lines, change.range.end, positions))
    text = lines[first][:start] + change.text + lines[last][end:]
    if first and text.startswith("\n") and lines[first - 1].endswith("\r"):
        first -= 1  # the two are one line end now
        text = lines[first] + text
    found = _lines(text)
    if last + 1 < len(lines):
        found.pop()  # what follows is a line of its own
    lines[first : last + 1] = found


def _within(lines: list[str], position: types.Position, positions: Positions) -> tuple[int, int]:
    """The line of a position, and the characters before it in there; a position outside is moved to the nearest one."""
    if position.line >= len(lines):
        return len(lines) - 1, len(lines[-1])
    line = max(0, position.line)
    place = types.Position(0, max(0, position.character))
    return line, positions.offset(LineIndex(lines[line]), place)


def moved(found: Range, old: str, new: str) -> Range | None:
    """Position of a range of `old` in `new`, if all that changed lies on one side of it."""
    head = _common_prefix(old, new)
    if found.end <= head:
        return found
    tail = min(_common_prefix(old[::-1], new[::-1]), len(old) - head, len(new) - head)
    if found.start >= len(old) - tail:
        by = len(new) - len(old)
        return Range(found.start + by, found.end + by)
    return None


def _common_prefix(one: str, other: str) -> int:
    # By halving: comparing slices is far faster than comparing characters.
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def diagnostic(
    found: Diagnostic,
    source: Source,
    version: int,
    positions: Positions,
    locate: Callable[[Related], types.Location | None],
    others: Mapping[str, Source],
) -> types.Diagnostic:
    """One finding as the client sees it.

    `data` carries all that the code actions need, so that asking for them never waits for an analysis. `others` are the files
    as the analysis has read them; fixes of what is not among them are left out.
    """
    data: dict[str, Any] = {
        "rule": found.rule,
        "version": version,
        "fixes": [
            fix_data(fix, edited, positions)
            for fix in found.fixes
            if (edited := others.get(fix.path) if fix.path else source) is not None
        ],
        "offset": found.range.start if found.question is not None and found.question.code else None,
    }
    related = [(locate(each), each.message) for each in found.related]
    page = page_of(found.rule) or found.url
    link = types.CodeDescription(page) if "://" in page else None
    return types.Diagnostic(
        range=positions.range(source.index, found.range),
        message=found.message,
        severity=_SEVERITIES[found.severity],
        code=found.rule,
        code_description=link,
        source=SOURCE_NAME,
        related_information=[
            types.DiagnosticRelatedInformation(location, message)
            for location, message in related
            if location is not None
        ],
        data=data,
    )


@functools.lru_cache(maxsize=NAMES_KEPT)
def page_of(rule: str) -> str:
    """The URI of a rule's page, as it lies in this installation; empty where it is no file."""
    known = RULES.get(rule)
    path = Path(rules.__file__).with_name(known.family) / f"{known.module}.md" if known else None
    return uri_of(str(path)) if path is not None and path.is_file() else ""


def config_problem(found: ConfigProblem, text: str, positions: Positions) -> types.Diagnostic:
    """Errors of a file of settings, on the line of the setting, or at the place where parsing fails."""
    index = LineIndex(text)
    line = min(_line_of_setting(found, text), index.line_count - 1)
    start = index.line_start(line)
    message = f"{found.key}: {found.message}" if found.key else found.message
    return types.Diagnostic(
        range=positions.range(index, Range(start, start + len(index.line_text(line).rstrip()))),
        message=message,
        severity=types.DiagnosticSeverity.Warning,
        source=SOURCE_NAME,
    )


def _line_of_setting(found: ConfigProblem, text: str) -> int:
    """The line (counted from 0) that says most of a key's path; the one named by a parser where there is no key."""
    named = re.search(r"\bat line (\d+)", found.message)
    if not found.key:
        at_the_end = max(0, len(text.splitlines()) - 1) if "end of document" in found.message else 0
        return int(named[1]) - 1 if named else at_the_end
    best, place, table = 0, 0, ""
    for number, line in enumerate(text.splitlines()):
        header = re.match(r"\s*\[([^\[\]]+)\]", line)
        setting = re.match(r"\s*([\w.\"'-]+)\s*=", line)
        if header is not None:
            path = table = header[1].strip()
        elif setting is not None:
            path = f"{table}.{setting[1]}" if table else setting[1]
        else:
            continue
        path = path.replace('"', "").replace("'", "")
        if len(path) > best and f"{found.key}.".startswith(f"{path}."):
            best, place = len(path), number
    return place


def fix_data(fix: Fix, edited: Source, positions: Positions) -> dict[str, Any]:
    """A fix as plain JSON: `title`, `applicability` and `edits` (protocol text edits).

    Those of another file have its `path`, and `seen`, the fingerprint of its text.
    """
    edits = []
    for edit in fix.edits:
        found = positions.range(edited.index, edit.range)
        edits.append(
            {
                "range": {
                    "start": {"line": found.start.line, "character": found.start.character},
                    "end": {"line": found.end.line, "character": found.end.character},
                },
                "newText": edit.text,
            }
        )
    where = {"path": fix.path, "seen": fingerprint(edited.text)} if fix.path else {}
    return {"title": fix.title, "applicability": fix.applicability.value, "edits": edits, **where}


def fingerprint(text: str) -> int:
    """A number that tells whether a text is still the one whose edits are known."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def edits_from(data: Mapping[str, Any]) -> list[types.TextEdit]:
    """The text edits of `fix_data`.

    Raises:
        KeyError, TypeError: if `data` is not what `fix_data` made.
    """
    return [
        types.TextEdit(
            types.Range(
                types.Position(**edit["range"]["start"]),
                types.Position(**edit["range"]["end"]),
            ),
            edit["newText"],
        )
        for edit in data["edits"]
    ]


def offered(data: Mapping[str, Any]) -> bool:
    """Whether a fix can be applied as it is, not only shown."""
    return data.get("applicability") != Applicability.DISPLAY.value
