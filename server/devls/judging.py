"""From what happened to what is shown: events go to the rules, and their findings become diagnostics."""

from __future__ import annotations

import ast
import enum
import itertools
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from devls.config import COMMAND_LINE_RULES
from devls.engine.core.events.events import Event, Evidence, Revealed, SilencedNothing, UnknownRuleNamed
from devls.rules.rule import RULES, Confidence
from devls.syntax import bindings, rewrite
from devls.syntax.layout import place_after
from devls.syntax.nodes import is_gone
from devls.syntax.suppressions import COMMENTS_TOLD, corrected, find_suppressions
from devls.text.edits import Edit, Fix, Range, with_first
from devls.text.excerpt import fitted
from devls.values.history import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from devls.config import Config
    from devls.engine.core.machine import Machine
    from devls.probe.experiment import Experiment
    from devls.rules.rule import Finding, Rule
    from devls.syntax.live import Change
    from devls.syntax.source import Source
    from devls.syntax.suppressions import Suppression


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
"""Notes about the calls that led to the place of a finding."""


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
    evidence: tuple[Evidence, ...] = field(default=(), compare=False, repr=False)
    """Presumptions about unseen code: those that a finding rests on, and, if it was silenced, those against it."""
    ways: tuple[Related, ...] = field(default=(), compare=False, repr=False)
    """The calls by which the places that explain it were entered, where these are not those of the finding."""
    question: Experiment | None = field(default=None, compare=False, repr=False)
    """The program that has torch show what is claimed; only where the analyzer was told to make questions."""
    unit: str = field(default="", compare=False, repr=False)
    """The function, or the cause, whose findings of this rule are told as one; empty where each is told."""

    def is_graver_than(self, other: Diagnostic) -> bool:
        """Whether it is shown at a higher level: one file may show more of a place than another one does."""
        levels = list(Severity)
        return levels.index(self.severity) < levels.index(other.severity)


def _ways(finding: Finding) -> tuple[Related, ...]:
    """The innermost call that has led to each of a finding's other places and not to the finding itself."""
    ours = {(call.source.path, call.key) for call in (*finding.site.calls, finding.site)}
    found: list[Related] = []
    for note in finding.notes:
        theirs = [call for call in note.site.calls if (call.source.path, call.key) not in ours]
        found += [Related(call.source.path, _range(call), WAY) for call in theirs[-1:]]
    return tuple(dict.fromkeys(found))


WAY: Final = "it came by this call"
"""Note about the call by which another place of a finding was entered."""


Found = dict[tuple[str, str, Range], tuple["Source", Diagnostic]]
"""Diagnostics by rule, path and place, and the source that each stands in."""


RAISED_WHEN_RUN: Final = Evidence(
    "raised-when-run", "the notebook keeps this error as the output of a cell, and goes on", "against"
)
"""Evidence of an error that is there to be seen: it is told as information."""


class Collector:
    """Gives events to the rules, and makes diagnostics of what they find."""

    def __init__(self, config: Config, is_library: Callable[[str], bool]) -> None:
        self._config = config
        self._is_library = is_library
        self.machine: Machine | None = None
        """Source of the questions to torch, if there are to be any."""
        self.sees_old_code = False
        """Whether what happens may be about code that is not there any more; then it is not shown."""
        self._by_event: dict[type[Event], list[Rule]] = {}
        self._found: Found = {}
        self._all: Found = {}
        self._silenced: Found = {}
        self._in_calls: set[object] = set()  # places whose values calls of the program have shown

    def listen(self, event: Event) -> None:
        """Let the rules judge an event."""
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
        key = ("revealed-value", source.path, where)
        if key in self._in_calls and not event.site.calls:
            return  # what a call of the program has shown is so; a run of the function by itself comes behind it
        if event.site.calls:
            self._in_calls.add(key)
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
        if self.sees_old_code and any(
            is_gone(each.node)
            for site in (finding.site, *(note.site for note in finding.notes))
            for each in (site, *site.calls)
        ):
            return
        if self._is_library(source.path):
            return  # the code of others is there to be understood, not to be judged
        where = source.range(finding.site.node)
        if finding.until is not None:
            where = Range(where.start, source.range(finding.until).end)
        key = (rule.name, source.path, where)
        if key in (self._silenced if event.silenced else self._found):
            if rule.name in _MEETINGS and not event.silenced:  # another operand of the same operation
                known = self._found[key][1]
                both = with_first(known.fixes, self._made_ours(finding))
                self._found[key] = (source, replace(known, fixes=both))
            return
        related = [Related(note.site.source.path, _range(note.site), note.message) for note in finding.notes]
        shown = level == "error" and _is_shown_to_raise(finding.site)
        related += [
            Related(call.source.path, _range(call), CALL) for call in reversed(finding.site.calls[-3:])
        ]
        (self._silenced if event.silenced else self._found)[key] = (
            source,
            Diagnostic(
                rule.name,
                Severity.INFO if shown else Severity(level),
                fitted(finding.message),
                source.path,
                where,
                tuple(related),
                self._made_ours(finding),
                rule.url,
                finding.confidence.value,
                (*event.evidence, RAISED_WHEN_RUN) if shown else event.evidence,
                ways=_ways(finding),
                question=self._question(rule, event),
                unit=finding.unit,
            ),
        )

    def _made_ours(self, finding: Finding) -> tuple[Fix, ...]:
        """The fixes of a finding whose edits name what is bound there; the code of others is not changed."""
        here, found = finding.site.source, list[Fix]()
        sources = {here.path: here}
        for note in finding.notes:
            sources |= {each.source.path: each.source for each in (note.site, *note.site.calls)}
        sources |= {each.source.path: each.source for each in finding.site.calls}
        for fix in finding.fixes:
            path = fix.path or here.path
            if path != here.path and self._is_library(path):
                continue
            source = sources.get(path)
            changes = fix.edits if source is None else bindings.naming_what_is_bound(source, fix.edits)
            if changes:
                how = rewrite.as_safe(source, changes, fix.applicability)
                found.append(Fix(fix.title, changes, how, "" if path == here.path else path))
        return tuple(found)

    def restart(self, *, sees_old_code: bool = False) -> None:
        """Forget what was found."""
        self._found, self._all, self._silenced = {}, {}, {}
        self.sees_old_code = sees_old_code

    def begin(self) -> None:
        """From here on, what is found is for `end` to return."""
        self._found = {}

    def end(self) -> Found:
        """Findings since `begin`."""
        found, self._found = self._found, {}
        return found

    def again(self, found: Found) -> None:
        """Take as found what `end` has returned. Of several findings of a rule at one place, the first stays."""
        for key, each in found.items():
            self._all.setdefault(key, each)

    def moved(self, found: Found, change: Change, length: int, path: str) -> tuple[Found, bool]:
        """The same after an edit of a file's text, which was of that length, as far as it was not itself edited.

        Returns also whether that is all of it.
        """
        if not found:
            return found, True
        result: Found = {}
        for source, diagnostic in found.values():
            other = _moved(diagnostic, change, length, path)
            if other is not None:
                result[(other.rule, other.path, other.range)] = (source, other)
        return result, len(result) == len(found)

    def _question(self, rule: Rule, event: Event) -> Experiment | None:
        """The question to torch in the current state: later on it would be another one."""
        if self.machine is None:
            return None
        from devls import questions  # noqa: PLC0415  only where somebody may ask

        return questions.about(rule.name, event, self.machine)

    def judge_comments(self, source: Source, *, whole: bool = True) -> None:
        """Look for comments in the analyzed file that name what there is not and, if all of it was run, that silence nothing."""
        suppressions = find_suppressions(source)
        if not suppressions.items and not suppressions.malformed:
            return
        known = {*RULES, *(rule.family for rule in RULES.values())}
        unknown = suppressions.unknown({*known, *COMMAND_LINE_RULES})[:COMMENTS_TOLD]
        corrections = corrected((each.name for each in unknown), known)
        for named in unknown:
            self._said_of(
                source,
                named.range,
                lambda site, each=named: UnknownRuleNamed(  # type: ignore[misc]
                    site, None, each.name, each.range, "", corrections.get(each.name, "")
                ),
            )
        for malformed in suppressions.malformed[:COMMENTS_TOLD]:
            self._said_of(
                source,
                malformed.range,
                lambda site, each=malformed: UnknownRuleNamed(  # type: ignore[misc]
                    site, None, "", each.range, each.message, ""
                ),
            )
        used = {
            found
            for where, diagnostic in {**self._found, **self._all}.values()
            if where is source
            and (
                found := suppressions.matching(
                    diagnostic.rule,
                    diagnostic.range,
                    RULES[diagnostic.rule].family if diagnostic.rule in RULES else "",
                )
            )
        }
        unused = (each for each in suppressions.unused(used) if not self._may_be_needed(each, known))
        for item in itertools.islice(unused, COMMENTS_TOLD) if whole else ():
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

    def silenced(self) -> list[Diagnostic]:
        """Findings silenced by presumptions, in order of place, unless another path confirms them."""
        kept = [each for key, (_, each) in self._silenced.items() if key not in self._found]
        return sorted(kept, key=lambda each: (each.path, each.range, each.rule))

    def diagnostics(self) -> list[Diagnostic]:
        """Findings left after suppressions, in order of place."""
        shown: list[Diagnostic] = []
        silenced = set[tuple[str, Range]]()
        found = {**self._found, **self._all}
        made = {(path, place) for rule, path, place in found if rule == "tensor-created-off-device"}
        suppressions = {each: find_suppressions(each) for each in {source for source, _ in found.values()}}
        for source, diagnostic in found.values():
            if _follows(diagnostic, made):
                continue
            family = RULES[diagnostic.rule].family if diagnostic.rule in RULES else ""
            # A comment does not silence findings about itself.
            if (
                family == "comments"
                or suppressions[source].matching(diagnostic.rule, diagnostic.range, family) is None
            ):
                shown.append(diagnostic)
            elif _is_cause(diagnostic):
                silenced.add((diagnostic.path, diagnostic.range))
        shown = [each for each in shown if not _follows_from(each, silenced)]
        return _by_cure(_by_cause(sorted(shown, key=lambda each: (each.path, each.range, each.rule))))


_MEETINGS: Final = frozenset({"mixed-devices", "input-off-module-device"})
"""Rules that tell one mistake: something meets the rest on the wrong device."""

_WRITTEN: Final = "inplace-breaks-backward"
"""The rule that tells of a write where it stands, and at the backward that fails for it."""

_KINDS: Final = {"numpy-on-grad": "grad-kept-alive"}
"""Rules that tell a mistake of another one where it raises."""

_SHOWN: Final = 3
"""How many more places are shown that one fix mends as well."""


def _is_cause(found: Diagnostic) -> bool:
    """Whether what is found explains why something is on the wrong device later on."""
    return found.rule in RULES and RULES[found.rule].on.explains_mismatches


def _follows_from(found: Diagnostic, causes: set[tuple[str, Range]]) -> bool:
    """Whether something meets the rest on the wrong device because of one of these transfers that were dropped."""
    return found.rule in _MEETINGS and any((near.path, near.range) in causes for near in found.related)


def _by_cause(found: list[Diagnostic]) -> list[Diagnostic]:
    """One finding for a transfer whose result is dropped, and for what meets the rest on the wrong device for that."""
    dropped = {(each.path, each.range): each for each in found if _is_cause(each)}
    symptoms: dict[tuple[str, Range], list[Diagnostic]] = {}
    for each in found:
        places = {(near.path, near.range) for near in each.related} if each.rule in _MEETINGS else set()
        for place in places & dropped.keys():
            symptoms.setdefault(place, []).append(each)
    led = [each for several in symptoms.values() for each in several]
    return [
        _with_symptoms(each, symptoms.get((each.path, each.range), ()) if _is_cause(each) else ())
        for each in found
        if each not in led
    ]


def _with_symptoms(cause: Diagnostic, symptoms: Sequence[Diagnostic]) -> Diagnostic:
    """A cause that tells what follows from it, and is as grave as that."""
    for each in symptoms:
        cause = replace(cause, severity=each.severity) if each.is_graver_than(cause) else cause
    told = tuple(Related(each.path, each.range, each.message) for each in symptoms[:_SHOWN])
    return replace(cause, related=(*cause.related, *told)) if told else cause


def _by_cure(found: list[Diagnostic]) -> list[Diagnostic]:
    """One finding for all places of a file that one and the same fix is offered for, which are one mistake: the others are beside it."""
    first: dict[object, int] = {}
    kept = list[Diagnostic]()
    more: dict[int, list[Related]] = {}
    for each in found:
        if each.fixes and each.fixes[0].edits:
            kind = "" if each.rule in _MEETINGS else _KINDS.get(each.rule, each.rule)
            key = (kind, each.path, each.fixes[0].path or each.path, each.fixes[0].edits)
            place = first.setdefault(key, len(kept))
            if place < len(kept):
                other = each
                if each.rule in _KINDS and each.is_graver_than(kept[place]):
                    other, kept[place] = kept[place], each  # the other one tells what it leads to
                elif kind != _WRITTEN and _stands_behind_cure(each) and not _stands_behind_cure(kept[place]):
                    other, kept[place] = kept[place], each  # not the call of what is mended
                said = other.message.partition(": ")[0]
                more.setdefault(place, []).append(Related(other.path, other.range, said))
                continue
        kept.append(each)
    for place, others in more.items():
        kept[place] = replace(kept[place], related=(*kept[place].related, *others[:_SHOWN]))
    return kept


def _stands_behind_cure(found: Diagnostic) -> bool:
    """Whether a finding stands behind the place where its fix begins."""
    return found.range.start >= min(each.range.start for each in found.fixes[0].edits)


def _follows(diagnostic: Diagnostic, made: set[tuple[str, Range]]) -> bool:
    """Whether something is told already where a tensor was made on the CPU: making it elsewhere mends both."""
    if diagnostic.rule == "result-off-device":
        return (diagnostic.path, diagnostic.range) in made
    meets = diagnostic.rule in ("mixed-devices", "input-off-module-device") and diagnostic.related
    return bool(meets) and (diagnostic.related[0].path, diagnostic.related[0].range) in made


_SAYS_LINES: Final = re.compile(r"\bline (\d+)")


def _with_lines(message: str, change: Change, path: str, paths: set[str]) -> str | None:
    """A message that speaks of lines, as it is after an edit of the file at `path`; None if that cannot be said.

    `paths`: the files of which it may speak.
    """
    if not change.lines or path not in paths or not _SAYS_LINES.search(message):
        return message
    lines = {number: change.moved_line(int(number)) for number in _SAYS_LINES.findall(message)}
    if len(paths) > 1 or None in lines.values():
        return None
    return _SAYS_LINES.sub(lambda found: f"line {lines[found[1]]}", message)


def _moved(diagnostic: Diagnostic, change: Change, length: int, path: str) -> Diagnostic | None:
    """A diagnostic after an edit; None where it, or what it points to, was edited."""
    paths = {diagnostic.path, *(each.path for each in diagnostic.related)}
    said = [diagnostic.range] if diagnostic.path == path else []
    said += [each.range for each in diagnostic.related if each.path == path]

    def moved(place: Range, where: str) -> Range | None:
        return place_after(place, change, length, said) if where == path else place

    message = _with_lines(diagnostic.message, change, path, paths)
    if message is None:
        return None
    place = moved(diagnostic.range, diagnostic.path)
    if place is None:
        return None
    related = list[Related]()
    for near in diagnostic.related:
        there = moved(near.range, near.path)
        if there is None:
            return None
        told = _with_lines(near.message, change, path, paths)
        if told is None:
            return None
        related.append(replace(near, range=there, message=told))
    fixes = list[Fix]()
    for fix in diagnostic.fixes:
        edits = list[Edit]()
        for edit in fix.edits:
            there = moved(edit.range, fix.path or diagnostic.path)
            if there is None:
                return None
            edits.append(replace(edit, range=there))
        fixes.append(replace(fix, edits=tuple(edits)))
    return replace(diagnostic, range=place, message=message, related=tuple(related), fixes=tuple(fixes))


def _is_shown_to_raise(site: Site) -> bool:
    """Whether a line stands in a notebook that keeps its error as an output, and in which later cells were run."""
    first = getattr(site.node, "lineno", 1)
    return site.source.has_raised(first, getattr(site.node, "end_lineno", None) or first)


def _range(site: Site) -> Range:
    return site.source.range(site.node)
