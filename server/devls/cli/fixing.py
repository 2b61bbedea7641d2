"""Apply fixes, round by round, and keep only those that help."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from devls.analysis import Severity
from devls.text.edits import Applicability
from devls.values.facts import fact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from devls.analysis import Diagnostic
    from devls.cli.check import Check
    from devls.syntax.source import Source
    from devls.text.edits import Edit, Fix

# A fix may uncover the next finding, and that one's fix another; a longer chain after which there are
# no fewer findings than before is one of fixes that call for each other.
MAX_ROUNDS = 10

# Each leaves out more of what does not end; if that is not all, nothing is fixed.
MAX_ATTEMPTS = 4

_Kind: TypeAlias = tuple[str, str]
"""The path of a file that is edited, and the rule that it is edited for."""

# Useless graphs are known only when all graphs are whole: a fix that mends a cut elsewhere may need the same tensors.
_WHEN_MENDED = frozenset(
    {"grad-kept-alive", "eval-keeps-graph", "retain-graph-leak", "gradients-cleared-too-early"}
)

# A transfer that was dropped, or a module that was moved by mistake, has tensors meet that are apart: those
# are mended where they meet only if they are still apart.
_SYMPTOMS = frozenset({"mixed-devices", "input-off-module-device", "stale-after-move"})


@fact
class Fixed:
    """Outcome of applying fixes."""

    sources: dict[str, tuple[Source, Source]] = field(default_factory=dict)
    """Before and after, by path, of the files that changed."""
    counts: dict[str, int] = field(default_factory=dict)
    """How many findings were fixed, by path of the file that was edited for it."""


@fact
class _Chosen:
    """A fix that is tried."""

    finding: Diagnostic
    fix: Fix

    @property
    def path(self) -> str:
        """Of the file that is edited."""
        return self.fix.path or self.finding.path

    @property
    def kind(self) -> _Kind:
        """Fixes that are left out with it, where it does not end."""
        return self.path, self.finding.rule

    @property
    def key(self) -> tuple[str, str, str, tuple[Edit, ...]]:
        return self.finding.path, self.finding.rule, self.finding.message, self.fix.edits


def apply_fixes(check: Check, *, unsafe: bool) -> Fixed:
    """Fix what can be fixed in the workspace of `check`, which has run, and has run anew afterwards.

    A fix after which the file does not parse, the finding is still there, or there is a finding of a new kind that no
    further fix mends, is withdrawn for the next way to mend the finding. Fixes that undo one another, or call for one another
    without end, are left out: applying fixes again changes nothing. Nothing is written to disk.
    """
    original: dict[str, Source] = {}
    allowed = (Applicability.SAFE, Applicability.UNSAFE) if unsafe else (Applicability.SAFE,)
    counts = _applied(check, allowed, original)
    pairs = {path: (source, check.workspace.source(path)) for path, source in original.items()}
    return Fixed({path: pair for path, pair in pairs.items() if pair[0].text != pair[1].text}, counts)


def _applied(
    check: Check, allowed: tuple[Applicability, ...], original: dict[str, Source], *, again: bool = False
) -> Counter[str]:
    """Apply fixes, and those that they uncover, but for endless ones. Returns how many, by file.

    Args:
        check: what is fixed.
        allowed: which fixes are.
        original: the files that were touched, as they were: filled in.
        again: whether this is the second time, which tries whether it would change anything.
    """
    left_out: set[_Kind] = set()
    for _ in range(MAX_ATTEMPTS):
        run = _Run(check, allowed, left_out, original)
        endless = run.settle()
        if endless:
            left_out |= endless
            _restore(check, original)
            continue
        # A fresh start leaves nothing out, and may come to leave out something else.
        touched: dict[str, Source] = {}
        if left_out and not again and _applied(check, allowed, touched, again=True):
            original |= touched | original
            break
        return run.counts
    _restore(check, original)
    return Counter()


def _restore(check: Check, original: Mapping[str, Source]) -> None:
    check.change(original)
    check.run()


class _Run:
    """Fixes that are applied round by round until there are none, or until they are seen not to end."""

    def __init__(
        self,
        check: Check,
        allowed: tuple[Applicability, ...],
        left_out: AbstractSet[_Kind],
        original: dict[str, Source],
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._check = check
        self._allowed = allowed
        self._left_out = left_out
        self._original = original
        self._rounds: list[tuple[dict[str, str], set[_Kind]]] = []
        """Changes made before each round, and fixes applied in it."""
        self._fewest = self._number()
        self._known = self._rules()
        self._seen: list[set[str]] = []
        """The kinds of findings before each round."""
        self._idle = 0
        """For how many rounds there have not been fewer findings than ever."""

    def settle(self) -> AbstractSet[_Kind]:
        """Apply fixes until a fresh start would find nothing to apply. Returns those that kept it from that, if any."""
        while True:
            before = self._changed()
            endless = self._pass()
            if endless or before == self._changed():
                return endless or self._led_to_new()
            self._check.run()

    def _pass(self) -> AbstractSet[_Kind]:
        """Apply fixes until there are none but those that are of no use. Returns what does not end, if anything."""
        withdrawn: set[object] = set()
        while True:
            chosen = [
                each
                for each in _compatible(self._check.findings, self._allowed, withdrawn)
                if each.kind not in self._left_out
            ]
            if not chosen:
                return set()
            before, seen = self._changed(), self._rules()
            done = self._round(_without_later(chosen), withdrawn)
            if not done:
                continue
            self.counts.update(each.path for each in done)
            self._rounds.append((before, {each.kind for each in done}))
            self._seen.append(seen)
            self._idle = 0 if self._number() < self._fewest else self._idle + 1
            self._fewest = min(self._fewest, self._number())
            states = [state for state, _ in self._rounds]
            if self._changed() in states:
                return self._kinds(states.index(self._changed()))
            if self._idle >= MAX_ROUNDS:
                return self._kinds(-MAX_ROUNDS)

    def _kinds(self, first: int) -> AbstractSet[_Kind]:
        return set[_Kind]().union(*(kinds for _, kinds in self._rounds[first:]))

    def _led_to_new(self) -> AbstractSet[_Kind]:
        """Fixes applied since findings of a new kind appeared: all that may have led to them."""
        if self._rules() <= self._known:
            return set()
        first = max((place for place, rules in enumerate(self._seen) if rules <= self._known), default=0)
        return self._kinds(first)

    def _rules(self) -> set[str]:
        """The kinds of findings that somebody has to look at."""
        return {each.rule for each in self._all() if each.severity is not Severity.INFO}

    def _all(self) -> Iterator[Diagnostic]:
        return itertools.chain.from_iterable(self._check.findings.values())

    def _number(self) -> int:
        return sum(map(len, self._check.findings.values()))

    def _changed(self) -> dict[str, str]:
        """The texts that are not what they were."""
        texts = {path: self._check.workspace.source(path).text for path in self._original}
        return {path: text for path, text in texts.items() if text != self._original[path].text}

    def _round(self, chosen: list[_Chosen], withdrawn: set[object]) -> list[_Chosen]:
        """Apply fixes together, but for those that turn out not to help. Returns what was applied."""
        sources = {path: self._check.workspace.source(path) for path in {each.path: None for each in chosen}}
        for path, source in sources.items():
            self._original.setdefault(path, source)
        while True:
            applied = {
                path: _apply(source, [each for each in chosen if each.path == path], withdrawn)
                for path, source in sources.items()
            }
            self._check.change({path: edited for path, (edited, _) in applied.items()})
            done = [each for _, batch in applied.values() for each in batch]
            useless: set[object] = {
                each.key
                for each in done
                if each.path not in self._check.analyses
                or _remains(each, done, self._check.findings.get(each.finding.path, ()))
            }
            useless = useless or self._harmful(done, sources, withdrawn)
            if not useless:
                break
            withdrawn |= useless
            chosen = [each for each in chosen if each.key not in useless]
        return done

    def _harmful(
        self, done: list[_Chosen], sources: Mapping[str, Source], withdrawn: AbstractSet[object]
    ) -> set[object]:
        """Of fixes that were applied together, those that lead to a finding of a new kind for which there is no fix."""
        if not self._unmended(withdrawn):
            return set()
        if len(done) == 1:
            return {done[0].key}
        found = set[object]()
        for each in done:
            edited = sources[each.path].edited(each.fix.edits) or sources[each.path]
            self._check.change({**sources, each.path: edited})
            if self._unmended(withdrawn):
                found.add(each.key)
        return found or {each.key for each in done}

    def _unmended(self, withdrawn: AbstractSet[object]) -> bool:
        """Whether there is a finding of a kind that was not there, and no fix for it."""
        return any(
            each.rule not in self._known
            and each.severity is not Severity.INFO
            and _first_fix(each, self._allowed, withdrawn) is None
            for each in self._all()
        )


def _without_later(chosen: list[_Chosen]) -> list[_Chosen]:
    """Only what comes first: causes, then their symptoms, one for each origin, then what can be judged when all else is mended."""
    now = [each for each in chosen if each.finding.rule not in _WHEN_MENDED]
    causes = [each for each in now if each.finding.rule not in _SYMPTOMS]
    if causes:
        return causes
    if not now:
        # Nothing is recorded that could be kept if no gradients are wanted.
        return [each for each in chosen if each.finding.rule == "eval-keeps-graph"] or chosen
    of_origin: dict[object, _Chosen] = {}
    for each in now:
        related = each.finding.related
        of_origin.setdefault((related[0].path, related[0].range) if related else each.key, each)
    return list(of_origin.values())


def _compatible(
    findings: Mapping[str, Sequence[Diagnostic]],
    allowed: tuple[Applicability, ...],
    withdrawn: AbstractSet[object],
) -> list[_Chosen]:
    """The preferred fixes that can be applied together; of two that meet, the first.

    Files that are not among those checked are left alone.
    """
    chosen: list[_Chosen] = []
    edits: dict[str, set[Edit]] = {path: set() for path in findings}
    for found in (each for batch in findings.values() for each in batch):
        fix = _first_fix(found, allowed, withdrawn)
        if fix is None:
            continue
        there = edits.get(fix.path or found.path)
        # An edit that another fix makes, too (a new import), is made once.
        if there is None or any(_meet(new, old) for new in fix.edits for old in there if new != old):
            continue
        chosen.append(_Chosen(found, fix))
        there.update(fix.edits)
    return chosen


def _first_fix(
    found: Diagnostic, allowed: tuple[Applicability, ...], withdrawn: AbstractSet[object]
) -> Fix | None:
    """The preferred way to mend a finding, or the next one where that was withdrawn; None if it is not allowed."""
    left = (each for each in found.fixes if not each.edits or _Chosen(found, each).key not in withdrawn)
    fix = next(left, None)
    return fix if fix is not None and fix.edits and fix.applicability in allowed else None


def _meet(one: Edit, other: Edit) -> bool:
    return one.range.start <= other.range.end and other.range.start <= one.range.end


def _apply(source: Source, batch: list[_Chosen], withdrawn: set[object]) -> tuple[Source, list[_Chosen]]:
    """The file with the fixes after which it parses as well as before; the others are withdrawn."""
    edited = _edited(source, batch)
    if edited is not None:
        return edited, batch
    good = [each for each in batch if _edited(source, [each]) is not None]
    withdrawn |= {each.key for each in batch if each not in good}
    edited = _edited(source, good)
    return (source, []) if edited is None else (edited, good)


def _edited(source: Source, batch: list[_Chosen]) -> Source | None:
    """The file with some fixes; None if it does not parse as well as before."""
    edited = source.edited([edit for each in batch for edit in each.fix.edits])
    return None if edited is None or len(edited.problems) > len(source.problems) else edited


def _remains(tried: _Chosen, batch: list[_Chosen], findings: Sequence[Diagnostic]) -> bool:
    """Whether the finding is still there, as far as its place can be followed through the edits.

    A fix elsewhere that meets the rest at that place is another one.
    """
    edits = {edit for each in batch if each.path == tried.finding.path for edit in each.fix.edits}
    start = tried.finding.range.start
    first, last = _moved(start, edits)
    return any(
        each.rule == tried.finding.rule
        and first <= each.range.start <= last
        and each.message == tried.finding.message
        and not (each.rule in _SYMPTOMS and each.fixes and each.fixes[0].title != tried.fix.title)
        for each in findings
    )


def _moved(offset: int, edits: set[Edit]) -> tuple[int, int]:
    """Between which offsets a character can be after `edits`."""
    shift = sum(_growth(edit) for edit in edits if edit.range.end < offset)
    around = [edit for edit in edits if edit.range.start <= offset <= edit.range.end]
    first = min([offset, *(edit.range.start for edit in around)])
    last = max([offset, *(edit.range.end + max(0, _growth(edit)) for edit in around)])
    return first + shift, last + shift


def _growth(edit: Edit) -> int:
    return len(edit.text) - (edit.range.end - edit.range.start)
