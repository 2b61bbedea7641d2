"""Between devls' offsets and findings and the protocol's positions and diagnostics."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls import uris

from devls.analysis import Severity
from devls.project.workspace import normalize
from devls.text.edits import Applicability, Range
from devls.text.positions import LineIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from devls.analysis import Diagnostic, Related
    from devls.syntax.source import Source
    from devls.text.edits import Edit, Fix

SOURCE_NAME = "devls"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


def path_of(uri: str) -> str:
    """The path behind a URI; a document that is no file (`untitled:`) is known by its URI."""
    path = uris.to_fs_path(uri)
    return normalize(path) if path else uri


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

    pygls keeps a text of its own, but splits its lines at form feeds and other characters that the
    protocol does not take for line ends, so that its text drifts away from the editor's.
    """
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            index = LineIndex(text)
            start = positions.offset(index, change.range.start)
            end = max(start, positions.offset(index, change.range.end))
            text = text[:start] + change.text + text[end:]
        else:
            text = change.text
    return text


def moved(found: Range, old: str, new: str) -> Range | None:
    """Where a range of `old` stands in `new`, if all that changed lies on one side of it."""
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
    link = types.CodeDescription(found.url) if "://" in found.url else None
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
