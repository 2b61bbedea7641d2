"""Apply fixes, round by round, and keep only those that help."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from devls.cli.report import preferred
from devls.syntax.source import Source
from devls.text.edits import Applicability, apply_edits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from devls.analysis import Diagnostic
    from devls.cli.check import Check
    from devls.text.edits import Edit, Fix

# A fix may uncover the next finding, and that one's fix another; a longer chain is a pair of
# fixes that undo each other.
MAX_ROUNDS = 10

# What is kept for nothing, or recorded for nothing, is known when all graphs are whole: where another
# fix mends a cut, the same tensors are needed.
_WHEN_MENDED = frozenset(
    {"grad-kept-alive", "eval-keeps-graph", "retain-graph-leak", "gradients-cleared-too-early"}
)


@dataclass(frozen=True)
class Fixed:
    """What applying fixes did."""

    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Before and after, by path, of the files that changed."""
    counts: dict[str, int] = field(default_factory=dict)
    """How many findings were fixed, by path of the file that was edited for it."""


@dataclass(frozen=True)
class _Chosen:
    """A fix that is tried."""

    finding: Diagnostic
    fix: Fix

    @property
    def path(self) -> str:
        """Of the file that is edited."""
        return self.fix.path or self.finding.path

    @property
    def key(self) -> tuple[str, str, str, tuple[Edit, ...]]:
        return self.finding.path, self.finding.rule, self.finding.message, self.fix.edits


def apply_fixes(check: Check, *, unsafe: bool) -> Fixed:
    """Fix what can be fixed in the workspace of `check`, which has run, and has run anew afterwards.

    A fix after which the file does not parse, or the finding is still there, is withdrawn. Nothing is written to disk.
    """
    allowed = (Applicability.SAFE, Applicability.UNSAFE) if unsafe else (Applicability.SAFE,)
    original: dict[str, Source] = {}
    withdrawn: set[object] = set()
    counts: Counter[str] = Counter()
    for _ in range(MAX_ROUNDS):
        chosen = _without_later(_compatible(check.findings, allowed, withdrawn))
        sources = {path: check.workspace.source(path) for path in {each.path: None for each in chosen}}
        if not sources:
            break
        original = {**sources, **original}
        while True:
            applied = {
                path: _apply(source, [each for each in chosen if each.path == path], withdrawn)
                for path, source in sources.items()
            }
            check.change({path: text for path, (text, _) in applied.items()})
            done = [each for _, batch in applied.values() for each in batch]
            useless = {
                each.key
                for each in done
                if each.path not in check.analyses
                or _remains(each, done, check.findings.get(each.finding.path, ()))
            }
            if not useless:
                break
            withdrawn |= useless
            chosen = [each for each in chosen if each.key not in useless]
        counts.update({path: len(batch) for path, (_, batch) in applied.items()})
    if original:
        check.run()
    texts = {path: (source.text, check.workspace.source(path).text) for path, source in original.items()}
    return Fixed({path: pair for path, pair in texts.items() if pair[0] != pair[1]}, counts)


def _without_later(chosen: list[_Chosen]) -> list[_Chosen]:
    """Only what comes first, where some of it does."""
    return [each for each in chosen if each.finding.rule not in _WHEN_MENDED] or chosen


def _compatible(
    findings: Mapping[str, Sequence[Diagnostic]],
    allowed: tuple[Applicability, ...],
    withdrawn: set[object],
) -> list[_Chosen]:
    """The preferred fixes that can be applied together; of two that meet, the first.

    Files that are not among those checked are left alone.
    """
    chosen: list[_Chosen] = []
    edits: dict[str, set[Edit]] = {path: set() for path in findings}
    for found in (each for batch in findings.values() for each in batch):
        fix = preferred(found, *allowed)
        if fix is None or not fix.edits or _Chosen(found, fix).key in withdrawn:
            continue
        there = edits.get(fix.path or found.path)
        # An edit that another fix makes, too (a new import), is made once.
        if there is None or any(_meet(new, old) for new in fix.edits for old in there if new != old):
            continue
        chosen.append(_Chosen(found, fix))
        there.update(fix.edits)
    return chosen


def _meet(one: Edit, other: Edit) -> bool:
    return one.range.start <= other.range.end and other.range.start <= one.range.end


def _apply(source: Source, batch: list[_Chosen], withdrawn: set[object]) -> tuple[str, list[_Chosen]]:
    """The text with the fixes after which it parses as well as before; the others are withdrawn."""
    text = apply_edits(source.text, [edit for each in batch for edit in each.fix.edits])
    if _parses(source, text):
        return text, batch
    good = [each for each in batch if _parses(source, apply_edits(source.text, each.fix.edits))]
    withdrawn |= {each.key for each in batch if each not in good}
    text = apply_edits(source.text, [edit for each in good for edit in each.fix.edits])
    return (text, good) if _parses(source, text) else (source.text, [])


def _parses(before: Source, text: str) -> bool:
    return len(Source(before.path, text).problems) <= len(before.problems)


def _remains(tried: _Chosen, batch: list[_Chosen], findings: Sequence[Diagnostic]) -> bool:
    """Whether the finding is still there, as far as its place can be followed through the edits."""
    edits = {edit for each in batch if each.path == tried.finding.path for edit in each.fix.edits}
    start = tried.finding.range.start
    first, last = _moved(start, edits)
    return any(
        each.rule == tried.finding.rule
        and first <= each.range.start <= last
        and each.message == tried.finding.message
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
