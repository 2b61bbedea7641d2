"""`--baseline`: findings that were there before, and are not reported until they are gone.

The file is JSON: an object with `version` and `findings`, each with `mark` (see `fingerprints.mark`), and `code`, `filename` and
`count` for people who read it. It is sorted, so that versions of it can be compared.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import TYPE_CHECKING, Final

from devls.cli.complaints import CommandError
from devls.cli.fingerprints import mark
from devls.text.reading import UnreadableFileError, read_text, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from devls.analysis import Diagnostic
    from devls.syntax.source import Source

VERSION: Final = 1

MAX_BYTES: Final = 64 * 1024 * 1024


class BaselineError(CommandError):
    """A baseline cannot be read or written."""


class Baseline:
    """The findings that a file holds, by their marks."""

    def __init__(self, file: str, marks: Counter[str], names: dict[str, str]) -> None:
        """Make a baseline: how often each mark may be found, and the file of each, as seen from the baseline's folder."""
        self._top = os.path.dirname(os.path.abspath(file))  # noqa: PTH100, PTH120  links stay as they are
        self._marks = marks
        self._names = names
        self._left = marks
        """Those that were not found when it was last asked."""

    @staticmethod
    def read(file: str) -> Baseline:
        """Read a file that `write` has written.

        Raises:
            BaselineError: if there is none, or it is no baseline.
        """
        try:
            content = json.loads(read_text(file, MAX_BYTES))
            if content["version"] != VERSION:
                raise BaselineError(f"{file} is a baseline of another version of devls")
            findings = content["findings"]
            marks = Counter({str(each["mark"]): int(each["count"]) for each in findings})
            names = {str(each["mark"]): str(each["filename"]) for each in findings}
        except UnreadableFileError as error:
            hint = "; --write-baseline writes it" if error.missing else ""
            raise BaselineError(f"{file} is not used as a baseline: {error.reason}{hint}") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise BaselineError(f"{file} is not a baseline") from None
        return Baseline(file, marks, names)

    @property
    def matched(self) -> int:
        """How many findings were held back when it was last asked."""
        return self._marks.total() - self._left.total()

    def gone(self, paths: Container[str]) -> int:
        """How many of its findings in some files there were not, when it was last asked."""
        top = self._top
        return sum(
            count
            for each, count in self._left.items()
            if os.path.normpath(os.path.join(top, self._names[each])) in paths  # noqa: PTH118
        )

    def without(
        self, findings: Iterable[Diagnostic], source_of: Callable[[str], Source | None]
    ) -> list[Diagnostic]:
        """The findings that it does not hold. Of more equal ones than it holds, the first are held back."""
        left = self._marks.copy()
        shown = []
        for found in findings:
            each = _mark(found, self._top, source_of)
            if left[each] > 0:
                left[each] -= 1
            else:
                shown.append(found)
        self._left = left
        return shown


def write(file: str, findings: Iterable[Diagnostic], source_of: Callable[[str], Source | None]) -> int:
    """Write findings to a file; returns how many.

    Raises:
        BaselineError: if it cannot be written.
    """
    top = os.path.dirname(os.path.abspath(file))  # noqa: PTH100, PTH120
    counts = Counter((_name(each, top), each.rule, _mark(each, top, source_of)) for each in findings)
    content = {
        "version": VERSION,
        "findings": [
            {"filename": name, "code": rule, "count": count, "mark": found}
            for (name, rule, found), count in sorted(counts.items())
        ],
    }
    from devls.cli.writing import written  # noqa: PLC0415  most baselines are read

    try:
        with written(file) as stream:
            stream.write(json.dumps(content, indent=1) + "\n")
    except OSError as error:
        raise BaselineError(f"{file} is not written: {reason_of(error)}") from None
    return counts.total()


def _name(found: Diagnostic, top: str) -> str:
    """A file as seen from the baseline, wherever devls is started."""
    return os.path.relpath(found.path, top).replace(os.sep, "/")


def _mark(found: Diagnostic, top: str, source_of: Callable[[str], Source | None]) -> str:
    return mark(found, _name(found, top), source_of(found.path))
