"""From torch's error to the line that caused it: for `devls traceback`."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from devls.cli.formats import Style, human, json_array
from devls.cli.report import Report
from devls.config import Config
from devls.project.workspace import Workspace
from devls.text.edits import Range
from devls.text.printable import escaped
from devls.text.reading import UnreadableFileError
from devls.tracebacks.cures import Trial, with_cure
from devls.tracebacks.errors import Family, family_of, named_in
from devls.tracebacks.files import Locator, Place, is_library, located, stands_as_told
from devls.tracebacks.parsing import Raised, parse
from devls.tracebacks.ranking import Candidate, ranked
from devls.tracebacks.trail import Step, returns_of, trail

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from devls.analysis import Analysis, Analyzer

_MOST_FILES = 20
"""How many files of one traceback are analyzed, the innermost first."""
_MOST_SHOWN = 3
_MOST_SHOWN_STEPS = 5
_MOST_FOLLOWED = 20
_WIDTH = 200
_BY_TRAIL = "The values of the line that raised came by here; nothing is known to be wrong there"


@dataclass(frozen=True)
class Answer:
    """Answer for one error."""

    raised: Raised
    family: Family | None
    calls: tuple[Place, ...]
    """The lines of files that are there, outermost first."""
    candidates: tuple[Candidate, ...] = ()
    trail: tuple[Step, ...] = ()
    """Bindings of the names that the innermost line reads, the nearest first."""

    @property
    def is_cause(self) -> bool:
        """Whether the first candidate lies on the way that the traceback shows."""
        return bool(self.candidates) and self.candidates[0].on_path


def chosen(text: str) -> Raised | None:
    """The error of a text that devls can say most of: the last of a kind it knows, else the last."""
    found = parse(text)
    known = [each for each in found if family_of(each.message)]
    return next(reversed(known or found), None)


def answer(
    raised: Raised, folder: str, make_analyzer: Callable[..., Analyzer], known: AbstractSet[str]
) -> tuple[Answer, Workspace]:
    """Analyze the files that a traceback names, and rank what is found in them."""
    workspace = Workspace((folder,))
    locator = Locator(workspace, folder)
    calls = located(raised.frames, locator)
    family = family_of(raised.message)
    if family is None:
        # Of what torch refuses for another reason, where its operands came from is all that there is to say.
        steps = _steps(raised, None, calls, None, workspace, _MOST_SHOWN_STEPS) if _in_torch(raised) else []
        return Answer(raised, None, calls, trail=tuple(steps)), workspace

    def config_for(path: str) -> Config:
        # A finding of some paths only may be just the one that has happened.
        return Config.load(str(Path(path).parent), known).merged({"show_possible": True}, known).of_file(path)

    analyzer = make_analyzer(workspace, config_for)
    analyzer.keeps_silenced = True
    paths = list(dict.fromkeys(place.path for place in reversed(calls)))[:_MOST_FILES]

    def look(there: tuple[Place, ...]) -> list[Candidate]:
        analyses = (_analysis(analyzer, path) for path in paths)
        known = [each for each in analyses if each is not None]
        return ranked(family, there, known, workspace, named_in(family, raised.message))

    found = look(calls)
    if found and not found[0].on_path:
        found = _met(found, _steps(raised, family, calls, None, workspace, _MOST_FOLLOWED), workspace)
    if found and found[0].on_path:
        found[0] = with_cure(found[0], Trial(workspace, calls, look, analyzer.changed))
    if not found and not stands_as_told(raised.frames, locator):
        # Lines of common texts stand in many files: without a cause they prove nothing.
        return Answer(raised, family, ()), workspace
    way = _way(raised, family, calls, found, workspace)
    return Answer(raised, family, calls, tuple(found), way), workspace


def _way(
    raised: Raised, family: Family, calls: tuple[Place, ...], found: list[Candidate], workspace: Workspace
) -> tuple[Step, ...]:
    """The trail of an error's line, if all lines of the traceback are there; without what the first candidate names."""
    place = found[0].finding if found and found[0].on_path else None
    where = place.range if place is not None and place.path == calls[-1].path else None
    steps = _steps(raised, family, calls, where, workspace, _MOST_SHOWN_STEPS)
    if not found:
        steps = [*returns_of(workspace, calls, named_in(family, raised.message)), *steps]
    named = set[tuple[str, int]]()
    if place is not None:
        named = {(place.path, place.range.start), *((each.path, each.range.start) for each in place.related)}
    return tuple(each for each in steps if (each.path, each.range.start) not in named)


def _steps(
    raised: Raised,
    family: Family | None,
    calls: tuple[Place, ...],
    where: Range | None,
    workspace: Workspace,
    most: int,
) -> list[Step]:
    """The trail of the line that raised, if all lines of the traceback are there."""
    own = [each for each in raised.frames if not is_library(each)]
    if not calls or len(calls) < len(own):
        return []
    unmoved = family is not None and family.id == "devices-differ"
    return trail(workspace, calls, where, unmoved=unmoved, most=most)


def _in_torch(raised: Raised) -> bool:
    """Whether it was raised by torch's own code."""
    return bool(raised.frames) and "/torch/" in raised.frames[-1].path.replace("\\", "/")


def _met(found: list[Candidate], steps: list[Step], workspace: Workspace) -> list[Candidate]:
    """The candidates; those that the trail comes by are on the path, and first."""
    lines = {(each.path, each.line) for each in steps}

    def first_line(each: Candidate) -> tuple[str, int]:
        index = workspace.source(each.finding.path).index
        return each.finding.path, index.position(each.finding.range.start)[0] + 1

    told = [replace(each, on_path=first_line(each) in lines) for each in found]
    return sorted(told, key=lambda each: not each.on_path)


def _analysis(analyzer: Analyzer, path: str) -> Analysis | None:
    try:
        return analyzer.analyze(path)
    except UnreadableFileError:
        return None


def report_of(told: Answer, workspace: Workspace, folder: str) -> Report:
    """The first candidates, as findings are printed."""
    shown = tuple(each.finding for each in told.candidates[:_MOST_SHOWN])
    paths = {place.path for place in told.calls}
    paths |= {each.path for each in told.trail}
    paths |= {path for each in shown for path in (each.path, *(other.path for other in each.related))}
    return Report(
        shown, {path: workspace.source(path) for path in paths}, {path: _name(path, folder) for path in paths}
    )


def as_text(told: Answer, report: Report) -> None:
    """Print an answer to standard output."""
    write = sys.stdout.write
    message = f"{told.raised.error}: {told.raised.message.splitlines()[0] if told.raised.message else ''}"
    write(f"{escaped(message[:_WIDTH])}\n")
    if told.calls:
        write(f"  raised from {_line(report, told.calls[-1].path, told.calls[-1].line)}\n")
    if told.family is not None:
        write(f"  {told.family.says}\n")
    write(f"\n{_lead(told)}\n")
    if report.diagnostics:
        write("\n")
        human.render(report, sys.stdout, Style(quiet=True))
    if told.trail:
        lead = "Before that, the values came by here" if told.is_cause else _BY_TRAIL
        write(f"\n{lead}, the nearest first:\n")
        for each in told.trail:
            write(f"  {_line(report, each.path, each.line)}\n")


def _line(report: Report, path: str, line: int) -> str:
    """A line of a file with its place, as it is printed."""
    index = report.sources[path].index
    start = index.line_start(line - 1)
    named = report.place(path, Range(start, start)).rpartition(":")[0]
    return f"{named}: {escaped(index.line_text(line - 1).strip()[:_WIDTH])}"


def as_json(told: Answer, report: Report) -> None:
    """Print an answer as one JSON object."""
    findings = json.loads(json_array.render(report))
    answered: dict[str, Any] = {
        "error": told.raised.error,
        "message": told.raised.message,
        "family": told.family.id if told.family else None,
        "explanation": told.family.says if told.family else None,
        "calls": [{"filename": report.name(each.path), "row": each.line} for each in told.calls],
        "cause": findings[0] if told.is_cause else None,
        "candidates": findings,
        "trail": [{"filename": report.name(each.path), "row": each.line} for each in told.trail],
    }
    sys.stdout.write(json.dumps(answered, indent=2) + "\n")


def _lead(told: Answer) -> str:
    """One sentence on how much is known."""
    if told.family is None:
        return "This is no error about devices or gradients that devls knows: it claims nothing."
    if not told.calls:
        return "None of the lines that the traceback shows is in the files here: run devls in the project's folder."
    if not told.candidates:
        return "devls finds no cause in the files that the traceback names."
    if not told.is_cause:
        return "devls finds no cause on the lines that the traceback shows. These are in the same files:"
    if len(told.candidates) == 1:
        return "The cause:"
    return "The likeliest cause, and others that fit:"


def _name(path: str, folder: str) -> str:
    inside = os.path.relpath(path, folder)
    return path if inside.startswith("..") else inside
