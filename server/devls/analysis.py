"""The one door: analyze a file of a workspace, get diagnostics and hovers."""

from __future__ import annotations

import ast
import contextlib
import difflib
import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from devls import rules
from devls.hovers import hover
from devls.interpreter.events import Event, Revealed
from devls.interpreter.events_comments import SilencedNothing, UnknownRuleNamed
from devls.interpreter.machine import Machine
from devls.interpreter.machine_types import Cancelled
from devls.interpreter.runs import run_file
from devls.library.lookup import Library
from devls.project.modules import Modules
from devls.project.workspace import normalize
from devls.rules.rule import RULES, Confidence
from devls.syntax.suppressions import find_suppressions
from devls.text.edits import Range
from devls.values.history import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from devls.config import Config
    from devls.probe.experiment import Experiment
    from devls.project.definitions import Definitions
    from devls.project.workspace import Workspace
    from devls.rules.rule import Finding, Rule
    from devls.syntax.source import Source
    from devls.syntax.suppressions import Suppression
    from devls.text.edits import Fix
    from devls.values.state import Layer


class Severity(enum.Enum):
    """How a diagnostic is shown; its value is the word in JSON output."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Related:
    """Another place that explains a diagnostic."""

    path: str
    range: Range
    message: str


CALL: Final = "called from here"
"""What is said of the calls that led to the place of a finding."""


@dataclass(frozen=True)
class Diagnostic:
    """One finding, as it is shown. `fixes[0]`, if any, is the preferred one."""

    rule: str
    severity: Severity
    message: str
    path: str
    range: Range
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    url: str = ""
    confidence: str = "certain"
    question: Experiment | None = field(default=None, compare=False, repr=False)
    """The program that has torch show what is claimed; only where the analyzer was told to make questions."""


@dataclass(frozen=True)
class Hover:
    """What is known of the expression at `range`, as Markdown."""

    range: Range
    markdown: str
    question: Callable[[], Experiment] | None = field(default=None, compare=False, repr=False)
    """Makes the program that has torch do what stands there, on such operands."""


@dataclass(frozen=True)
class Analysis:
    """What one run over one file found."""

    path: str
    source: Source
    diagnostics: tuple[Diagnostic, ...] = ()
    """Those that stand in this file, in order."""
    elsewhere: tuple[Diagnostic, ...] = ()
    """Those that running this file showed in other files of the project."""
    _hover: Callable[[int], Hover | None] | None = field(default=None, repr=False)

    def hover(self, offset: int) -> Hover | None:
        """What is known of the smallest expression around a character offset."""
        return self._hover(offset) if self._hover else None


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
        """Make an analyzer; `installed` are the packages whose source may be read to know what they do."""
        rules.load()
        self._workspace = workspace
        self._config_for = config_for
        self._hovers = hovers
        self.questions = questions
        """Whether findings say what torch could be asked about them."""
        self._library = Library()
        self._modules = Modules(workspace, lambda path: config_for(path).src, installed)

    def analyze(self, path: str, *, cancelled: Callable[[], bool] | None = None) -> Analysis:
        """Analyze one file.

        Raises:
            UnreadableFileError: if its text cannot be had (see `Workspace.source`).
            AnalysisCancelled: if `cancelled` came to return True.
        """
        source = self._workspace.source(path)
        collector = _Collector(self._config_for(path), self._modules.is_library)
        machine = Machine(self._library, self._modules, collector.listen, cancelled)
        if self.questions:
            collector.machine = machine
        if self._hovers or self.questions:
            machine.recorded = source
        try:
            run_file(machine, source)
        except Cancelled as error:
            raise AnalysisCancelled from error
        collector.judge_comments(source)
        found = collector.diagnostics()
        here = tuple(each for each in found if each.path == source.path)
        elsewhere = tuple(each for each in found if each.path != source.path)
        show = (lambda offset: _shown(machine, source, offset)) if self._hovers else None
        return Analysis(source.path, source, here, elsewhere, show)

    def changed(self, path: str) -> frozenset[str]:
        """Take note that the text of `path` has changed, or that it has come or gone.

        Returns the paths of the files whose analysis sees it, itself among them; what is kept of all others stays.
        """
        return self._modules.changed(normalize(path))

    def used_by(self, path: str) -> frozenset[str]:
        """The files that the last analysis of `path` has used or looked for, be it in vain."""
        return self._modules.used_by(normalize(path))

    @property
    def installed_in(self) -> tuple[str, ...]:
        """The folders whose packages are read to know what they do."""
        return self._modules.installed.folders

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


class AnalysisCancelled(Exception):  # noqa: N818  a request to stop, not an error
    """The caller lost interest while the analysis ran."""


class _Collector:
    """Gives events to the rules, and makes diagnostics of what they find."""

    def __init__(self, config: Config, is_library: Callable[[str], bool]) -> None:
        self._config = config
        self._is_library = is_library
        self.machine: Machine | None = None
        """Where the questions to torch are made from, if there are to be any."""
        self._by_event: dict[type[Event], list[Rule]] = {}
        self._found: dict[tuple[str, str, Range], tuple[Source, Diagnostic]] = {}

    def listen(self, event: Event) -> None:
        if isinstance(event, Revealed):
            self._reveal(event)
            return
        listening = self._by_event.get(type(event))
        if listening is None:
            listening = [each for each in RULES.values() if issubclass(type(event), each.on)]
            self._by_event[type(event)] = listening
        for rule in listening:
            for finding in rule.check(event):
                self._add(rule, finding, event)

    def _reveal(self, event: Revealed) -> None:
        source = event.site.source
        where = source.range(event.site.node)
        self._found[("revealed-value", source.path, where)] = (
            source,
            Diagnostic("revealed-value", Severity.INFO, event.text, source.path, where),
        )

    def _add(self, rule: Rule, finding: Finding, event: Event) -> None:
        level = self._config.level(rule.name, rule.family, finding.level or rule.level)
        if level == "off":
            return
        if finding.confidence is Confidence.POSSIBLE and not self._config.show_possible:
            return
        source = finding.site.source
        if self._is_library(source.path):
            return  # the code of others is there to be understood, not to be judged
        where = source.range(finding.site.node)
        if finding.until is not None:
            where = Range(where.start, source.range(finding.until).end)
        key = (rule.name, source.path, where)
        if key in self._found:
            return
        related = [Related(note.site.source.path, _range(note.site), note.message) for note in finding.notes]
        related += [
            Related(call.source.path, _range(call), CALL) for call in reversed(finding.site.calls[-3:])
        ]
        self._found[key] = (
            source,
            Diagnostic(
                rule.name,
                Severity(level),
                finding.message,
                source.path,
                where,
                tuple(related),
                finding.fixes,
                rule.url,
                finding.confidence.value,
                self._question(rule, event),
            ),
        )

    def _question(self, rule: Rule, event: Event) -> Experiment | None:
        """What torch can be asked, in the state of now: later on it would be another one."""
        if self.machine is None:
            return None
        from devls import questions  # noqa: PLC0415  only where somebody may ask

        return questions.about(rule.name, event, self.machine)

    def judge_comments(self, source: Source) -> None:
        """Look for comments in the analyzed file that silence nothing, or name what there is not."""
        suppressions = find_suppressions(source)
        if not suppressions.items and not suppressions.malformed:
            return
        known = {*RULES, *(rule.family for rule in RULES.values())}
        for named in suppressions.unknown(known):
            close = difflib.get_close_matches(named.name, sorted(known), 1)
            self._said_of(
                source,
                named.range,
                lambda site, each=named, near=close: UnknownRuleNamed(  # type: ignore[misc]
                    site, None, each.name, each.range, "", near[0] if near else ""
                ),
            )
        for malformed in suppressions.malformed:
            self._said_of(
                source,
                malformed.range,
                lambda site, each=malformed: UnknownRuleNamed(  # type: ignore[misc]
                    site, None, "", each.range, each.message, ""
                ),
            )
        used = {
            found
            for where, diagnostic in self._found.values()
            if where is source
            and (
                found := suppressions.matching(
                    diagnostic.rule,
                    diagnostic.range,
                    RULES[diagnostic.rule].family if diagnostic.rule in RULES else "",
                )
            )
        }
        for item in suppressions.unused(used):
            if self._may_be_needed(item, known):
                continue
            text = source.text[item.range.start : item.range.end]
            self._said_of(
                source,
                item.range,
                lambda site, each=item, said=text: SilencedNothing(site, None, each.range, said),  # type: ignore[misc]
            )

    def _may_be_needed(self, item: Suppression, known: Collection[str]) -> bool:
        """Whether a comment may silence what is not reported in this run: rules that are off, names that are unknown."""
        if item.names is None:
            return bool(self._config.select or self._config.ignore)
        return any(
            each.name not in known
            or self._config.level(
                each.name, RULES[each.name].family if each.name in RULES else each.name, "error"
            )
            == "off"
            for each in item.names
        )

    def _said_of(self, source: Source, place: Range, make: Callable[[Site], Event]) -> None:
        """Let the rules judge what was found about a part of a comment."""
        index = source.index
        (row, column), (last, end) = index.position(place.start), index.position(place.end)
        node = ast.Pass(
            lineno=row + 1,
            col_offset=len(index.line_text(row)[:column].encode()),
            end_lineno=last + 1,
            end_col_offset=len(index.line_text(last)[:end].encode()),
        )
        self.listen(make(Site(source, node)))

    def diagnostics(self) -> list[Diagnostic]:
        """What is left after suppressions, in order of place."""
        shown: list[Diagnostic] = []
        for source, diagnostic in self._found.values():
            family = RULES[diagnostic.rule].family if diagnostic.rule in RULES else ""
            # What is said of a comment is not silenced by it.
            if (
                family == "comments"
                or find_suppressions(source).matching(diagnostic.rule, diagnostic.range, family) is None
            ):
                shown.append(diagnostic)
        return sorted(shown, key=lambda each: (each.path, each.range, each.rule))


@contextlib.contextmanager
def _back_in(machine: Machine, layer: Layer) -> Iterator[None]:
    """Let a machine that has run be in the state of an earlier moment for a while."""
    before = machine.state.layer
    machine.state.restore(layer)
    try:
        yield
    finally:
        machine.state.restore(before)


def _range(site: Site) -> Range:
    return site.source.range(site.node)
