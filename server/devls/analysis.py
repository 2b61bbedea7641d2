"""The one door: analyze a file of a workspace, get diagnostics and hovers."""

from __future__ import annotations

import contextlib
import sys
from collections import deque
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from devls import rules
from devls.engine.core import limits
from devls.engine.core.containment import Cut
from devls.engine.core.events.events import Evidence
from devls.engine.core.machine import Machine
from devls.engine.core.machine_types import Cancelled
from devls.engine.driver.entry_points import asks_the_same, run_file
from devls.engine.driver.incremental import KeptRuns
from devls.engine.driver.isolation import Listener
from devls.engine.driver.prefilter import Reaching
from devls.hovers import hover
from devls.hovers.hints import Hint, hints
from devls.judging import CALL, Collector, Diagnostic, Found, Related, Severity
from devls.library.lookup import Library
from devls.project.modules import Modules
from devls.project.workspace import normalize
from devls.syntax.live import LiveSource
from devls.text.edits import with_further
from devls.values.weights import NAMES_KEPT

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from devls.config import Config
    from devls.engine.core.events.events import Event
    from devls.probe.experiment import Experiment
    from devls.project.definitions import Definitions
    from devls.project.workspace import Workspace
    from devls.syntax.live import Change
    from devls.syntax.source import Source
    from devls.text.edits import Range
    from devls.values.state import Layer

__all__ = [
    "CALL",
    "Analysis",
    "AnalysisCancelled",
    "Analyzer",
    "Cut",
    "Diagnostic",
    "Evidence",
    "Hint",
    "Hover",
    "Related",
    "Severity",
    "merge",
]


@dataclass(frozen=True)
class Hover:
    """Facts about the expression at `range`, as Markdown."""

    range: Range
    markdown: str
    question: Callable[[], Experiment] | None = field(default=None, compare=False, repr=False)
    """Makes the program that has torch do what stands there, on such operands."""


@dataclass(frozen=True)
class Analysis:
    """Outcome of one run over one file."""

    path: str
    source: Source
    diagnostics: tuple[Diagnostic, ...] = ()
    """Those that stand in this file, in order."""
    elsewhere: tuple[Diagnostic, ...] = ()
    """Those that running this file showed in other files of the project."""
    _hover: Callable[[int], Hover | None] | None = field(default=None, repr=False)
    cuts: tuple[Cut, ...] = ()
    """Parts of this file, and of those that it uses, whose analysis was cut short."""
    silenced: tuple[Diagnostic, ...] = ()
    """Findings of this file that presumptions silenced; only where the analyzer was told to keep it."""
    partial: bool = False
    """Whether some of it was found before the last edit, and has only moved: another analysis will tell."""
    _hints: Callable[[Callable[[], bool]], tuple[Hint, ...] | None] | None = field(default=None, repr=False)

    def hover(self, offset: int) -> Hover | None:
        """Facts about the smallest expression around a character offset."""
        return self._hover(offset) if self._hover else None

    def hints(self, cancelled: Callable[[], bool]) -> tuple[Hint, ...] | None:
        """Facts about the names that are bound; None if `cancelled` came to return True, or the text is another."""
        return self._hints(cancelled) if self._hints else ()


def merge(analyses: Iterable[Analysis], paths: Iterable[str]) -> dict[str, list[Diagnostic]]:
    """The findings in each of `paths`, in order, each once, whichever file's analysis showed them.

    The analysis of a file itself comes first, and wins over that of another file at the same place, unless it is less
    severe. A fix that only the other one knows is taken over; the words stay, as an editor shows them. A finding in a
    file that is not among them is told at the call that leads there.
    """
    found: dict[str, dict[object, Diagnostic]] = {path: {} for path in paths}
    analyses = list(analyses)
    own = (each for analysis in analyses for each in analysis.diagnostics)
    elsewhere = sorted((each for analysis in analyses for each in analysis.elsewhere), key=_way)
    for each in (*own, *(_told_here(each, found) for each in elsewhere)):
        if each.path in found:
            told = found[each.path].setdefault((each.rule, each.range), each)
            if each.is_graver_than(told):
                found[each.path][each.rule, each.range] = each
            elif each.fixes and not told.fixes and not told.is_graver_than(each):
                found[each.path][each.rule, each.range] = replace(told, fixes=each.fixes)
    return {
        path: _one_per_unit(sorted(unique.values(), key=lambda each: (each.range, each.rule)))
        for path, unique in found.items()
    }


def _way(finding: Diagnostic) -> tuple[object, ...]:
    """The order in which ways to a finding are preferred, whichever file was analyzed first: short ones, then by their places."""
    related = tuple((each.path, each.range, each.message) for each in finding.related)
    return len(related), related, finding.message, tuple(each.title for each in finding.fixes)


ANOTHER: Final = "the same is true here"
"""Note about a further place of what is told once for a function."""


def _one_per_unit(found: list[Diagnostic]) -> list[Diagnostic]:
    """One finding, at the first place, for all of a rule that is told once for a function, or that one edit cures."""
    first: dict[object, int] = {}
    kept = list[Diagnostic]()
    for each in found:
        unit = each.unit or _cure(each)
        place = first.setdefault((each.rule, each.path, unit), len(kept)) if unit else len(kept)
        if place < len(kept):
            kept[place] = _with_another(kept[place], each)
        else:
            kept.append(each)
    return kept


def _cure(found: Diagnostic) -> tuple[object, ...]:
    """The edits of a finding's first fix: one cause may show at several places."""
    return (found.fixes[0].path, *found.fixes[0].edits) if found.fixes else ()


def _with_another(told: Diagnostic, other: Diagnostic) -> Diagnostic:
    """A finding that tells another one of its function as well, and those that this one tells."""
    further = (
        Related(other.path, other.range, ANOTHER),
        *(each for each in other.related if each.message == ANOTHER),
    )
    return replace(
        told,
        severity=other.severity if other.is_graver_than(told) else told.severity,
        related=(*told.related, *(each for each in further if each not in told.related)),
        fixes=(with_further(told.fixes[0], other.fixes[0]),)
        if told.fixes and other.fixes
        else told.fixes or other.fixes,
    )


def _told_here(finding: Diagnostic, paths: Container[str]) -> Diagnostic:
    """A finding of a file that nobody asked for, told where a file that was asked for calls into it."""
    if finding.path in paths:
        return finding
    call = next((each for each in finding.related if each.path in paths and each.message == CALL), None)
    if call is None:
        return finding
    there = Related(finding.path, finding.range, "it happens here")
    rest = tuple(each for each in finding.related if each is not call)
    return replace(finding, path=call.path, range=call.range, related=(there, *rest), fixes=())


class Analyzer:
    """Analyzes files of one workspace, keeping what several of them share."""

    def __init__(
        self,
        workspace: Workspace,
        config_for: Callable[[str], Config],
        *,
        hovers: bool = True,
        installed: Definitions | None = None,
        questions: bool = False,
    ) -> None:
        """Make an analyzer; `installed` are the packages whose source may be read to know what they do.

        If open files of the workspace are about to be edited, what their runs have come to is kept, and their hovers
        are worked out when somebody asks for one: in the thread that analyzes.
        """
        rules.load()
        sys.setrecursionlimit(max(limits.RECURSION, sys.getrecursionlimit()))
        self._workspace = workspace
        self._config_for = config_for
        self._hovers = hovers
        self.keeps_silenced = False
        """Whether findings are kept, too, that presumptions speak against: see `Analysis.silenced`."""
        self.told: Callable[[Event], None] | None = None
        """A listener to all events, those of `devls gradients` among them."""
        self.questions = questions
        """Whether findings say what torch could be asked about them."""
        self._library = Library()
        self._live: dict[str, _Live] = {}
        self._recordings: deque[_Recording] = deque()
        """The last ones that were made, for hovers: a machine that keeps all values is as large as ten that do not."""
        self._modules = Modules(
            workspace,
            lambda path: config_for(path).src,
            installed,
            lambda path: config_for(path).torch_version,
        )
        self._reaching = Reaching(self._modules)

    def analyze(
        self, path: str, *, cancelled: Callable[[], bool] | None = None, soon: bool = False
    ) -> Analysis:
        """Analyze one file.

        `soon`: of an open file that was edited, only what can be said soon; see `Analysis.partial`.

        Raises:
            UnreadableFileError: if its text cannot be had (see `Workspace.source`).
            AnalysisCancelled: if `cancelled` came to return True.
        """
        source = self._workspace.source(path)
        if isinstance(source, LiveSource):
            return self._analyze_live(source, cancelled, soon=soon)
        self._modules.mentions.begin(source.path)
        collector = Collector(self._config_for(path), self._modules.is_library)
        if not (self._hovers or self.questions or self._reaching.reaches(source)):
            collector.judge_comments(source)
            told = _told(collector, source, source)
            source.forget_tree()
            return told
        machine = Machine(self._library, self._modules, self.told or collector.listen, cancelled)
        machine.keeps_silenced = self.keeps_silenced
        machine.keeps_gradients = self.told is not None
        if self.questions:
            collector.machine = machine
        recording = _Recording(source)
        if (self._hovers or self.questions) and not self._workspace.editing:
            machine.recorded = source
            recording.machine = machine
        try:
            run_file(machine, source)
        except Cancelled as error:
            raise AnalysisCancelled from error
        show = partial(self._hover, recording, source) if self._hovers else None
        collector.judge_comments(source, whole=not machine.cuts)
        known = partial(self._hints, recording, source) if self._hovers else None
        told = _told(collector, source, source, show, known, cuts=machine.cuts.values())
        if machine.recorded is None:
            machine.end()
            if self._modules.in_torch(source.path) is not None:
                source.forget_tree()  # nobody imports it
        return told

    def _analyze_live(
        self, source: LiveSource, cancelled: Callable[[], bool] | None, *, soon: bool
    ) -> Analysis:
        """Analyze an open file, from what its last analysis has left."""
        path, config = source.path, self._config_for(source.path)
        live = self._live.get(path)
        if live is None or live.source is not source or live.config != config:
            live = self._live[path] = _Live(source, config, Collector(config, self._modules.is_library))
            self._modules.mentions.begin(path)  # runs that are kept go on depending on what they have asked
        collector, runs = live.collector, live.runs
        machine = runs.begin(source, soon=soon)
        if machine is None:
            machine = Machine(self._library, self._modules, collector.listen)
        collector.machine = machine if self.questions else None
        machine.cancelled = cancelled
        collector.restart(sees_old_code=soon)
        try:
            run_file(machine, source, runs)
        except Cancelled as error:
            raise AnalysisCancelled from error
        if runs.partial:
            collector.again(live.comments)
        else:
            collector.begin()
            collector.judge_comments(source, whole=not machine.cuts)
            live.comments = collector.end()
            collector.again(live.comments)
        shown = source.snapshot
        show = partial(self._hover, live.recording, shown) if self._hovers else None
        known = partial(self._hints, live.recording, shown) if self._hovers else None
        if machine.state.torn:
            del self._live[path]  # nothing to go on from
        cuts = machine.cuts.values()
        return _told(collector, source, shown, show, known, partially=runs.partial, cuts=cuts)

    def _hover(self, recording: _Recording, shown: Source, offset: int) -> Hover | None:
        """Facts at an offset of a file; None if it has been edited since."""
        recorded = self._recorded(recording, shown)
        return None if recorded is None else _shown(recorded, recording.source, offset)

    def _hints(
        self, recording: _Recording, shown: Source, cancelled: Callable[[], bool]
    ) -> tuple[Hint, ...] | None:
        """The hints of a file; None if it has been edited since, or nobody wants them any more."""
        recorded = self._recorded(recording, shown, cancelled)
        return None if recorded is None else tuple(hints(recorded, recording.source))

    def _recorded(
        self, recording: _Recording, shown: Source, cancelled: Callable[[], bool] | None = None
    ) -> Machine | None:
        """A machine that has run the present text and kept all values; None if that is not the one shown."""
        source = recording.source
        if isinstance(source, LiveSource) and source.snapshot is not shown:
            return None
        if recording.machine is None:
            machine = Machine(self._library, self._modules, _nobody, cancelled)
            machine.recorded = source
            try:
                run_file(machine, source)
            except Cancelled:
                return None
            machine.cancelled = None
            recording.machine = machine
            if recording in self._recordings:
                self._recordings.remove(recording)
            self._recordings.append(recording)
            if len(self._recordings) > RECORDINGS_KEPT:
                self._recordings.popleft().machine = None
        return recording.machine

    def changed(self, path: str) -> frozenset[str]:
        """Take note that the text of `path` has changed, or that it has come or gone.

        Returns the paths of the files whose analysis sees it, itself among them; what is kept of all others stays.
        """
        path = normalize(path)
        self._reaching = Reaching(self._modules)
        edits = self._workspace.edits.pop(path, [])
        naming = self._modules.mentions.changed(path)
        text = self._workspace.source(path).text if edits else ""
        texts = [*(before for _, before in edits[1:]), text]
        if edits and not all(
            asks_the_same(before, after, change) for (change, before), after in zip(edits, texts, strict=True)
        ):
            for live in self._live.values():
                live.runs.forget()
        uses, used = self._modules.uses(path), self._modules.used_by(path)
        users = self._modules.users({path})
        stale = set(self._modules.changed(path, [change for change, _ in edits]))
        if edits and path in self._live:
            if len(uses) > NAMES_KEPT:
                # Most of it was imported while somebody typed, by lines that are gone.
                del self._live[path]
                stale |= self._modules.forget(path)
            else:
                self._modules.goes_on_using(path, uses)
        for each, live in list(self._live.items()):
            if not edits and (each == path or each in stale):
                del self._live[each]
                continue
            if not used.isdisjoint(stale - {path}) if each == path else each in stale:
                live.runs.begin_anew()
            # Kept are the runs that have not seen what was edited.
            whole = [live.edited(path, change, len(before)) for change, before in edits]
            if not all(whole):
                stale.add(each)
        if edits:
            # An observer that is not kept run by run cannot tell its results of a kept run.
            stale |= {path, *(each for each in users if each not in self._live)}
        for each in naming & self._live.keys() if not edits else ():
            self._live[each].runs.ask_again()
        return frozenset(stale | naming)

    def repeated(self, path: str) -> int:
        """How many runs the last analysis of an open file has taken; all others were known."""
        live = self._live.get(normalize(path))
        return 0 if live is None else live.runs.repeated

    def used_by(self, path: str) -> frozenset[str]:
        """The files that the last analysis of `path` has used or looked for, be it in vain."""
        path = normalize(path)
        callers = {
            each for name, folder in self.asked_by(path) for each in self.naming(name, folder) if each != path
        }
        return self._modules.used_by(path).union(callers, *map(self._modules.uses, callers))

    def asked_by(self, path: str) -> frozenset[tuple[str, str]]:
        """The names whose callers the last analysis of `path` has asked about, each with the folder where it has."""
        return self._modules.mentions.asked_by(normalize(path))

    def naming(self, name: str, folder: str) -> tuple[str, ...]:
        """The files below a folder that say a name; none if there are too many."""
        return self._modules.mentions.answer(name, folder) or ()

    @property
    def installed_in(self) -> tuple[str, ...]:
        """The folders whose packages are read to know what they do."""
        return self._modules.installed.folders

    def hides_torch(self, path: str) -> str | None:
        """The path of what a file gets in place of the package torch, where a module of the project has that name."""
        return self._modules.find("torch", 0, path)

    def search_path(self, path: str) -> list[str]:
        """The folders in which the modules that a file imports are looked for, best first."""
        return self._modules.search_path(path)


def _shown(machine: Machine, source: Source, offset: int) -> Hover | None:
    told = hover(machine, source, offset)
    if told is None:
        return None

    def question() -> Experiment:
        from devls import questions  # noqa: PLC0415  few ask

        with _back_in(machine, machine.values[told.node][1]):
            return questions.of_expression(told.node, machine)

    return Hover(told.range, told.markdown, question)


RECORDINGS_KEPT: Final = 3
"""Files of which all values are kept: whoever asks about words asks about those in one file after another."""


class _Recording:
    """A file whose values are kept, for hovers, from the first one that is asked for."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.machine: Machine | None = None
        """One that has run the present text and kept all values."""


class _Live:
    """A file that is being edited, and what is known of its runs."""

    def __init__(self, source: LiveSource, config: Config, collector: Collector) -> None:
        self.source = source
        self.config = config
        self.collector = collector
        self.runs = KeptRuns(Listener(collector.begin, collector.end, collector.again, collector.moved))
        self.comments: Found = {}
        """Findings about comments."""
        self.recording = _Recording(source)

    def edited(self, path: str, change: Change, length: int) -> bool:
        """Take note of an edit of this or another file; returns whether all that is known stays true."""
        self.recording.machine = None
        self.comments = self.collector.moved(self.comments, change, length, path)[0]
        return self.runs.edited(path, change, length, own=path == self.source.path)


def _told(
    collector: Collector,
    source: Source,
    shown: Source,
    show: Callable[[int], Hover | None] | None = None,
    known: Callable[[Callable[[], bool]], tuple[Hint, ...] | None] | None = None,
    *,
    partially: bool = False,
    cuts: Iterable[Cut] = (),
) -> Analysis:
    found = _one_per_unit(collector.diagnostics())
    here = tuple(each for each in found if each.path == source.path)
    elsewhere = tuple(each for each in found if each.path != source.path)
    silenced = tuple(each for each in collector.silenced() if each.path == source.path)
    return Analysis(source.path, shown, here, elsewhere, show, tuple(cuts), silenced, partially, known)


def _nobody(event: Event) -> None:
    del event


class AnalysisCancelled(Exception):  # noqa: N818  a request to stop, not an error
    """The caller lost interest while the analysis ran."""


@contextlib.contextmanager
def _back_in(machine: Machine, layer: Layer) -> Iterator[None]:
    """Let a machine that has run be in the state of an earlier moment for a while."""
    before = machine.state.layer
    machine.state.restore(layer)
    try:
        yield
    finally:
        machine.state.restore(before)
