"""Analyze the files of one command."""

from __future__ import annotations

import contextlib
import gc
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from devls.analysis import merge
from devls.cli import unchecked
from devls.cli.outcomes import Collected, Outcome
from devls.cli.report import Report
from devls.cli.stored import restored, restored_finding, stored, stored_finding
from devls.config import Config
from devls.syntax.notebook import SUFFIX, NotebookSource
from devls.syntax.source import TREES
from devls.text.reading import UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from devls.analysis import Analysis, Analyzer, Diagnostic
    from devls.cli.cache import Cache
    from devls.cli.complaints import Complaints
    from devls.cli.dask_workers import DaskPool
    from devls.cli.narrowing import Narrowing
    from devls.cli.parallel import Pool
    from devls.cli.progress import Progress
    from devls.engine.core.containment import Cut
    from devls.project.workspace import Workspace
    from devls.syntax.source import Source
    from devls.text.edits import Fix


class Check:
    """Analyses of a set of files, kept up to date as fixes change them."""

    def __init__(
        self,
        analyzer: Analyzer,
        workspace: Workspace,
        names: Mapping[str, str],
        complaints: Complaints,
        *,
        config_for: Callable[[str], Config] = lambda _: Config(),
        debug: bool = False,
        verbose: bool = False,
    ) -> None:
        self.names = names
        self.workspace = workspace
        self.findings: dict[str, list[Diagnostic]] = {}
        """By path, for each of the files, whether it could be analyzed or not."""
        self.failed = False
        """Whether devls itself failed on a file; the others are analyzed all the same."""
        self.analyses: dict[str, Analysis] = {}
        """Of the files that could be analyzed when it was last tried."""
        self.given: str | None = None
        """The text on standard input, if that is what is checked."""
        self.cache: Cache | None = None
        """Results of earlier runs, if they are to be used."""
        self._analyzer = analyzer
        self._config_for = config_for
        self._unchecked: dict[str, list[Diagnostic]] = {}
        """Messages about files that cannot be read or parsed, by path."""
        self._complaints = complaints
        self._debug = debug
        self.pool: Pool | DaskPool | None = None
        """Analyzer of many files at once."""
        self.narrowing: Narrowing | None = None
        """Filter of the findings that are not to be reported."""
        self.draw: Callable[[str], str] | None = None
        """Draws where the gradients of a file flow, if that is to be shown."""
        self.progress: Progress | None = None
        """Display of the first run's progress."""
        self._verbose = verbose

    def run(self) -> None:
        """Analyze all files anew."""
        self._run(self.names)
        self._save()

    def used(self) -> set[str]:
        """The files that the analyses have read or looked for, there or not."""
        here = {each for path in self.names for each in self._analyzer.used_by(path)}
        return here if self.cache is None else here | self.cache.used()

    def _save(self) -> None:
        if self.cache is not None:
            with contextlib.suppress(Exception):  # the next run takes longer
                self.cache.save()

    def change(self, sources: Mapping[str, Source]) -> None:
        """Let `sources` stand for files, and analyze these anew, and those whose analysis spoke of them."""
        for path, source in sources.items():
            self.workspace.open(path, source if isinstance(source, NotebookSource) else source.text)
            self._analyzer.changed(path)
        speak = {
            path
            for path, each in self.analyses.items()
            if any(_paths(found) & sources.keys() for found in (*each.diagnostics, *each.elsewhere))
        }
        self._run([path for path in self.names if path in sources or path in speak])

    def reopen(self, paths: Iterable[str]) -> None:
        """Take the texts of `paths` from the disk again, and analyze all files anew."""
        for path in paths:
            self.workspace.close(path)
            self._analyzer.changed(path)
        self.run()

    def _run(self, paths: Iterable[str]) -> None:
        paths = list(paths)
        elsewhere = self._analyzed_elsewhere(paths)
        for number, path in enumerate(paths):
            self._tell_progress(number, path)
            analysis = self._taken(elsewhere[path]) if path in elsewhere else self._kept(path)
            self._keep(path, analysis)
        if self.progress is not None:
            self.progress.end()
        self.judge()

    def _tell_progress(self, done: int, path: str) -> None:
        if self.progress is not None:
            self.progress.at(done, self.names[path])

    def _analyzed_elsewhere(self, paths: Sequence[str]) -> dict[str, Outcome]:
        """Results of other processes for files that no earlier run has analyzed; open texts exist here only."""
        if self.pool is None or self.workspace.opened:
            return {}
        found = {}
        wanted = [path for path in paths if self.cache is None or not self.cache.has(path)]
        for outcome in self.pool.outcomes(wanted):
            found[outcome.path] = outcome
            self._tell_progress(len(found), outcome.path)
        return found

    def outcome(self, path: str) -> Outcome:
        """Analyze one file for another process, whose complaints are collected."""
        before, self.failed = self.failed, False
        lines = self._complaints.lines if isinstance(self._complaints, Collected) else []
        said = len(lines)
        analysis = self._kept(path)
        outcome = Outcome(
            path,
            None if analysis is None else stored(analysis),
            [stored_finding(each) for each in self._unchecked.get(path, ())],
            self.failed,
            tuple(lines[said:]),
            None if self.cache is None else self.cache.entry(path),
        )
        self.failed |= before
        return outcome

    def _taken(self, outcome: Outcome) -> Analysis | None:
        """The analysis that was made elsewhere, with all that goes with it."""
        for each in outcome.said:
            self._complaints.say(each)
        self.failed |= outcome.failed
        self._unchecked.pop(outcome.path, None)
        if outcome.unchecked:
            self._unchecked[outcome.path] = [restored_finding(each) for each in outcome.unchecked]
        if self.cache is not None and outcome.entry is not None:
            self.cache.adopt(outcome.path, outcome.entry)
        source = self.source_of(outcome.path)
        if outcome.found is None or source is None:
            return None
        return restored(source, outcome.found)

    def outcomes(self, paths: Sequence[str]) -> Iterator[Outcome]:
        """Analyze some of the files for another machine."""
        elsewhere = self._analyzed_elsewhere(paths)
        for number, path in enumerate(paths):
            self._tell_progress(number, path)
            outcome = elsewhere.get(path) or self.outcome(path)
            if path in elsewhere and self.cache is not None and outcome.entry is not None:
                self.cache.adopt(path, outcome.entry)
            yield outcome
        if self.progress is not None:
            self.progress.end()
        self._save()

    def take(self, outcomes: Iterable[Outcome]) -> None:
        """Let what was found elsewhere be the result."""
        for outcome in outcomes:
            self._keep(outcome.path, self._taken(outcome))
        self.judge()

    def _keep(self, path: str, analysis: Analysis | None) -> None:
        if analysis is None:
            self.analyses.pop(path, None)
        else:
            self.analyses[path] = self._with_possible_fixes(analysis)

    def _with_possible_fixes(self, analysis: Analysis) -> Analysis:
        """The analysis without the fixes that a notebook cannot take: those that reach beyond a cell, or into a magic."""
        about = (*analysis.diagnostics, *analysis.elsewhere)
        if not any((fix.path or each.path).endswith(SUFFIX) for each in about for fix in each.fixes):
            return analysis
        kept = [
            replace(each, fixes=tuple(fix for fix in each.fixes if self._can_take(fix, each.path)))
            for each in about
        ]
        count = len(analysis.diagnostics)
        return replace(analysis, diagnostics=tuple(kept[:count]), elsewhere=tuple(kept[count:]))

    def _can_take(self, fix: Fix, path: str) -> bool:
        source = self.source_of(fix.path or path)
        return not isinstance(source, NotebookSource) or source.can_take(fix.edits)

    def judge(self) -> None:
        """Make the findings of the analyses that there are."""
        self.findings = merge(
            [self.analyses[path] for path in self.names if path in self.analyses], self.names
        )
        told = set[str]()
        for path in [each for each in self.names if each in self._unchecked]:
            found = unchecked.once(self._unchecked[path], told)
            self.findings[path] = sorted(
                [*found, *self.findings[path]], key=lambda each: (each.range, each.rule)
            )
        if self.narrowing is not None:
            self.findings = self.narrowing.of(self.findings, self.source_of)

    def _kept(self, path: str) -> Analysis | None:
        """The analysis of a file, of an earlier run if it would be the same."""
        known = None if self.cache is None else self.cache.get(path)
        if known is not None:
            return known
        analysis = self._analyze(path)
        whole = analysis is not None and path not in self._unchecked and not _failed(analysis)
        if self.cache is not None and analysis is not None and whole:
            with contextlib.suppress(Exception):  # whatever it is, what was found counts
                self.cache.put(path, analysis)
        _sweep()
        return analysis

    def report(self, fixed: int = 0) -> Report:
        """Text that is ready to be printed."""
        found = tuple(each for path in self.names for each in self.findings.get(path, ()))
        maps = {} if self.draw is None else {path: self.draw(path) for path in {each.path for each in found}}
        return Report(
            found, self._sources(found), self._all_names(found), len(self.analyses), fixed, maps=maps
        )

    def _analyze(self, path: str) -> Analysis | None:
        name = self.names[path]
        self._unchecked.pop(path, None)
        try:
            analysis = self._analyzer.analyze(path)
            config, hiding = self._config_for(path), self._analyzer.hides_torch(path)
            broken = [
                *unchecked.of_source(analysis.source, config),
                *unchecked.of_encoding(analysis.source, config),
                *unchecked.of_hidden(analysis.source, hiding, config),
            ]
            failed = _failed(analysis)
            self.failed |= bool(failed)
            self._say_cuts(analysis.cuts if self._verbose else failed)
        except UnreadableFileError as error:
            if error.foreign:
                self._complaints.say(f"{name} is not checked: {error.reason}.")
                return None
            self._unchecked[path] = unchecked.of_unreadable(path, error.reason, self._config_for(path))
            return None
        except Exception as error:  # noqa: BLE001  whatever it is, the other files are checked
            self.failed = True
            said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            hint = "" if self._debug else " (--debug shows where)"
            self._complaints.say(f"{name} is not checked, because devls itself failed: {said}{hint}")
            if self._debug:
                self._complaints.trace()
            return None
        if broken:
            self._unchecked[path] = broken
        return analysis

    def _say_cuts(self, cuts: Iterable[Cut]) -> None:
        for cut in cuts:
            where = self.names.get(cut.path, cut.path)
            self._complaints.say(f"{where}:{cut.line}: {cut.what} is not analyzed to its end: {cut.reason}.")

    def _sources(self, findings: Iterable[Diagnostic]) -> dict[str, Source]:
        paths = {each for found in findings for each in _paths(found)}
        sources = {path: self.source_of(path) for path in paths}
        return {path: source for path, source in sources.items() if source is not None}

    def source_of(self, path: str) -> Source | None:
        """The source at a path; None if it cannot be read."""
        try:
            return self.workspace.source(path)
        except UnreadableFileError:
            return None  # a related place in a file that went away is printed without its line

    def _all_names(self, findings: Iterable[Diagnostic]) -> dict[str, str]:
        from devls.files import shown  # noqa: PLC0415  files imports what only a check of folders needs

        others = {each for found in findings for each in _paths(found)} - set(self.names)
        return {**self.names, **{path: shown(path) for path in others}}


def _failed(analysis: Analysis) -> list[Cut]:
    """Parts of a file on which devls itself has failed: their findings are missing."""
    return [each for each in analysis.cuts if each.failed]


def _sweep() -> None:
    """Free what analyses have left in cycles, if that may be much; what is left then is not looked at again.

    Trees stay and are most of what there is. They are not counted: looking at all of them once takes as long as parsing.
    """
    if gc.get_count()[0] - TREES.objects > _OBJECTS:
        gc.collect()
        gc.freeze()
        TREES.objects = 0


_OBJECTS: Final = 500_000
"""New objects from which on it is worth looking for those in cycles: some hundred megabytes at most."""


def _paths(found: Diagnostic) -> set[str]:
    return {
        found.path,
        *(each.path for each in found.related),
        *(each.path for each in found.fixes if each.path),
    }
