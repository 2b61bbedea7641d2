"""Which findings are reported: all, or those that are new."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.cli.baseline import Baseline
from devls.cli.changes import Changes
from devls.cli.report import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from devls.analysis import Diagnostic
    from devls.cli.complaints import Complaints
    from devls.syntax.source import Source


class Narrowing:
    """Leaves out what a baseline holds, and what does not stand on changed lines."""

    def __init__(self, baseline: str, diff_base: str) -> None:
        """Read the baseline, and ask git what has changed since a revision; neither if its name is empty.

        Raises:
            BaselineError: if there is no such baseline.
            GitError: if git cannot say what has changed.
        """
        self._baseline = Baseline.read(baseline) if baseline else None
        self._file = baseline
        self._changes = Changes(diff_base) if diff_base else None

    def of(
        self, findings: Mapping[str, list[Diagnostic]], source_of: Callable[[str], Source | None]
    ) -> dict[str, list[Diagnostic]]:
        """Findings that are left, by path."""
        shown = [each for found in findings.values() for each in found]
        if self._baseline is not None:
            shown = self._baseline.without(shown, source_of)
        if self._changes is not None:
            shown = [each for each in shown if self._changes.touch(each, source_of)]
        left: dict[str, list[Diagnostic]] = {path: [] for path in findings}
        for each in shown:
            left[each.path].append(each)
        return left

    def say(self, complaints: Complaints, paths: Container[str]) -> None:
        """Say what a baseline has held back, and what of it is gone, of the files that were checked."""
        if self._baseline is None:
            return
        complaints.say(f"{plural(self._baseline.matched, 'finding')} of {self._file} not reported.")
        gone = self._baseline.gone(paths)
        if gone:
            said = "1 finding of it is" if gone == 1 else f"{gone} findings of it are"
            complaints.say(f"{said} gone; --write-baseline {self._file} forgets them.")
