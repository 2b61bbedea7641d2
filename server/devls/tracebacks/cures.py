"""The cure of a cause: the way to mend it after which the same error is not found on the lines of the traceback any more."""

from __future__ import annotations

import difflib
import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from devls.judging import Severity
from devls.text.edits import Applicability, Edit, Fix, Range, apply_edits
from devls.tracebacks.files import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from devls.analysis import Diagnostic
    from devls.project.workspace import Workspace
    from devls.tracebacks.ranking import Candidate

_WAYS: Final = 3
"""How many ways to mend a finding are tried."""
_MOST: Final = 6
"""How many findings one cure may mend: those that torch would raise next, one after the other."""
_WEAKER: Final = (Applicability.SAFE, Applicability.UNSAFE, Applicability.DISPLAY)


@dataclass(frozen=True)
class Trial:
    """A trial of a cure: in memory, nothing is written."""

    workspace: Workspace
    calls: tuple[Place, ...]
    """The lines that the traceback shows."""
    look: Callable[[tuple[Place, ...]], Sequence[Candidate]]
    """Findings for the lines at their new places."""
    changed: Callable[[str], object]
    """To be told of each file whose text has changed."""


def with_cure(first: Candidate, trial: Trial) -> Candidate:
    """The first candidate, with the way in front that helps, and that mends as well what torch would raise next."""
    fixes = first.finding.fixes
    if not fixes:
        return first
    known = {each.finding.message for each in trial.look(trial.calls)}
    for number, fix in enumerate(fixes[:_WAYS]):
        cure = _tried(first.finding, fix, trial, known) if fix.edits else None
        if cure is not None:
            others = (*fixes[:number], *fixes[number + 1 :])
            return replace(first, finding=replace(first.finding, fixes=(cure, *others)))
    return first


def _tried(found: Diagnostic, fix: Fix, trial: Trial, known: AbstractSet[str]) -> Fix | None:
    """A fix with all that has to come with it; None if the error would still be there, or another one in its place."""
    path = fix.path or found.path
    before = text = trial.workspace.source(path).text
    calls, how, safe = trial.calls, fix.edits, fix.applicability
    try:
        for more in range(_MOST):
            calls = tuple(_moved(each, path, text, how) for each in calls)
            text = apply_edits(text, how)
            trial.workspace.open(path, text)
            trial.changed(path)
            left = [
                each.finding
                for each in trial.look(calls)
                if _counts(each.finding) and (each.on_path or each.finding.message not in known)
            ]
            if not left:
                return fix if not more else _whole(fix, before, text, more, safe)
            then = next((each for each in left if _akin(each, found) and _edits(each, path)), None)
            if then is None:
                return None
            how = then.fixes[0].edits
            safe = max(safe, then.fixes[0].applicability, key=_WEAKER.index)
    finally:
        trial.workspace.close(path)
        trial.changed(path)
    return None


def _counts(found: Diagnostic) -> bool:
    return found.confidence != "possible" and found.severity is not Severity.INFO


def _akin(one: Diagnostic, other: Diagnostic) -> bool:
    """Whether two findings are of one kind, or of one value."""
    origins = {(each.path, each.range) for each in one.related[:1]}
    return one.rule == other.rule or bool(origins & {(each.path, each.range) for each in other.related[:1]})


def _edits(found: Diagnostic, path: str) -> bool:
    return bool(found.fixes and found.fixes[0].edits) and (found.fixes[0].path or found.path) == path


def _moved(call: Place, path: str, text: str, how: Iterable[Edit]) -> Place:
    """Position of a line after edits of the text at `path`."""
    if call.path != path:
        return call
    starts = list(itertools.accumulate(map(len, text.splitlines(keepends=True)), initial=0))
    start = starts[min(call.line, len(starts)) - 1]
    before = [each for each in how if each.range.end <= start]
    grown = sum(
        each.text.count("\n") - text[each.range.start : each.range.end].count("\n") for each in before
    )
    return Place(path, call.line + grown)


def _whole(fix: Fix, before: str, after: str, more: int, safe: Applicability) -> Fix:
    """One fix of all lines that have changed."""
    places = "1 more place" if more == 1 else f"{more} more places"
    return Fix(f"{fix.title}, and so in {places}", _differences(before, after), safe, fix.path)


def _differences(before: str, after: str) -> tuple[Edit, ...]:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = list(itertools.accumulate(map(len, old), initial=0))
    compared = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        Edit(Range(starts[first], starts[last]), "".join(new[begin:end]))
        for tag, first, last, begin, end in compared.get_opcodes()
        if tag != "equal"
    )
