"""For people: the lines of the program with what is wrong drawn below them."""

from __future__ import annotations

import functools
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.control import strip_control_codes
from rich.style import Style as Drawn
from rich.text import Text

from devls.analysis import Severity
from devls.cli.formats import Style
from devls.cli.formats.snippet import Glyphs, Label, Snippet, fitted, printable
from devls.cli.report import counted, plural, preferred
from devls.probe.experiment import Verdict
from devls.text.edits import Applicability, Edit, Range, apply_edits
from devls.text.positions import LineIndex
from devls.text.printable import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO

    from devls.analysis import Diagnostic, Related
    from devls.cli.formats import Page
    from devls.cli.report import Report
    from devls.probe.experiment import Said
    from devls.text.edits import Fix

PLAIN = Style()

STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}

_RELATED_STYLE = "blue"
_HOW = {
    Applicability.SAFE: "--fix",
    Applicability.UNSAFE: "--fix --unsafe-fixes",
    Applicability.DISPLAY: "by hand",
}

# The calls that led to a finding explain it less than the other places do: they share a line.
_CALL = "called from here"
_CALL_WIDTH = 40

_VERDICTS = {
    Verdict.CONFIRMED: ("confirms this", "green"),
    Verdict.REFUTED: ("refutes this", "red"),
    Verdict.NOT_RUN: ("was not asked", "dim"),
}

# Some messages of torch go on with a list of all devices, or a stack of C++.
_SAID_LINES = 4

_LONGEST_SIZE = 6

# Of the lines that a sentence goes on with.
_INDENT = Text("       ")

# Of more findings each has one line: nobody reads their code, and a generated file may have tens of thousands.
_SHOWN = 1_000

# A preview of what a fix writes is to be taken in at a glance.
_PREVIEW_LINES = 4


@dataclass(frozen=True)
class _Screen:
    """Whatever decides how a finding is drawn."""

    glyphs: Glyphs
    room: int
    """Columns of the terminal, at which sentences are broken; 0 where lines may be as long as they are."""
    linked: bool
    """Whether names of rules lead to their pages."""


def render(report: Report, stream: TextIO, style: Style = PLAIN) -> None:
    """Print everything, with colours if `style` says so, or `stream` is a terminal that wants them."""
    console = _console(stream, style.color)
    # Asked of the stream itself: colours that are forced go to files and logs, too.
    watched = stream.isatty()
    glyphs = Glyphs.of(getattr(stream, "encoding", None))
    screen = _Screen(glyphs, console.width if watched else 0, watched and console.color_system is not None)
    explained: set[str] = set()
    for number, found in enumerate(report.diagnostics):
        if number < _SHOWN:
            _write(console, _finding(report, found, screen, explains=found.rule not in explained))
            explained.add(found.rule)
        else:
            _write(console, _line_of(report, found))
    if not style.quiet:
        _write(console, fitted(_summary(report), Text(), Text(), screen.room))


def _write(console: Console, lines: Iterable[Text]) -> None:
    """Print lines as they are: at once, since each call of rich looks at the terminal anew."""
    if console.color_system is None:
        console.file.write("".join(f"{strip_control_codes(line.plain)}\n" for line in lines))
    else:
        console.print(Text("\n").join(lines), soft_wrap=True)


def explain(page: Page, stream: TextIO) -> None:
    """Print the page of a rule: as it is written, or typeset on a terminal."""
    console = _console(stream)
    if console.is_terminal:
        from rich.markdown import Markdown  # noqa: PLC0415  it brings a highlighter of all languages

        console.print(Markdown(page.markdown))
    else:
        stream.write(page.markdown)


def list_rules(pages: Sequence[Page], stream: TextIO) -> None:
    """Print the names of the rules by family, with what each finds."""
    console = _console(stream)
    width = max((len(page.name) for page in pages), default=0)
    family = ""
    for page in pages:
        if page.family != family:
            console.print(Text.assemble("\n" if family else "", (page.family, "bold")))
            family = page.family
        style = next((STYLES[each] for each in STYLES if each.value == page.level), "")
        level = (f"{page.level:8}", style) if page.level else ""
        console.print(Text.assemble(f"  {page.name:{width}}  ", level, page.summary), soft_wrap=True)


def _console(stream: TextIO, color: str = "auto") -> Console:
    # rich asks the environment unless it is told both sizes; with no columns it prints nothing.
    size = (None, None) if all(map(_is_usable, ("COLUMNS", "LINES"))) else (80, 25)
    console = functools.partial(
        Console, file=stream, highlight=False, markup=False, emoji=False, width=size[0], height=size[1]
    )
    if color == "always":
        # The 16 colours that every terminal has, whatever TERM and NO_COLOR say: it was asked for.
        return console(force_terminal=True, color_system="standard", no_color=False)
    return console(color_system=None) if color == "never" else console()


def _is_usable(variable: str) -> bool:
    """Whether rich can use a size in the environment, or passes over it: digits such as \u00b2 are no number."""
    given = os.environ.get(variable, "")
    return not given.isdigit() or (given.isdecimal() and len(given) < _LONGEST_SIZE and int(given) > 0)


def _finding(report: Report, found: Diagnostic, screen: _Screen, *, explains: bool) -> Iterator[Text]:
    style, glyphs = STYLES[found.severity], screen.glyphs
    head = Text(f"{found.severity.value}[{found.rule}]", f"bold {style}")
    if screen.linked and found.url:
        head.stylize(Drawn(link=found.url))
    yield Text.assemble(head, (f" {report.place(found.path, found.range)}", "bold"))
    for line in found.message.split("\n"):
        yield from fitted(Text(escaped(line)), Text("  "), Text("  "), screen.room)
    labels = [Label(found.range, "", style, "primary")]
    others: dict[str, list[Label]] = {}
    for each in found.related:
        if each.message == _CALL:
            continue
        label = Label(each.range, escaped(each.message), _RELATED_STYLE, "secondary")
        (labels if each.path == found.path else others.setdefault(each.path, [])).append(label)
    if found.path in report.sources:
        yield from Snippet(report.sources[found.path], labels, glyphs, screen.room).lines()
    for path, theirs in others.items():
        for label in theirs[:1]:
            yield Text(f"  {glyphs.arrow} {report.place(path, label.range)}", "bold")
        if path in report.sources:
            yield from Snippet(report.sources[path], theirs, glyphs, screen.room).lines()
        else:
            yield from (Text(f"      {label.message}") for label in theirs)
    calls = [each for each in found.related if each.message == _CALL]
    if calls:
        told = f" {glyphs.then} ".join(_call(report, found, each) for each in reversed(calls))
        yield from fitted(Text(told), Text("  called by: ", "bold"), _INDENT, screen.room)
    if found.fixes:
        yield from _fix(report, found, found.fixes[0], screen.room)
    if report.said is not None:
        yield from _torch(report.said[found])
    if explains:
        yield Text(f"  why: devls --explain {found.rule}", "dim")
    yield Text()


def _line_of(report: Report, found: Diagnostic) -> Iterator[Text]:
    """A finding without its code."""
    first = escaped(found.message.partition("\n")[0])
    place = report.place(found.path, found.range)
    yield Text(f"{found.severity.value}[{found.rule}] {place} {first}", STYLES[found.severity])
    if report.said is not None:
        yield from _torch(report.said[found])


def _torch(said: Said) -> Iterator[Text]:
    """The verdict with torch's own words, and the program that was run."""
    words, style = _VERDICTS[said.verdict]
    if said.torch and said.verdict is Verdict.NOT_RUN:
        words = "has no answer to this"
    version = f"torch {said.torch}" if said.torch else "torch"
    lines = printable_lines(said.says)
    yield Text.assemble((f"  {version} {words}: ", f"bold {style}"), lines[0] if lines else "")
    yield from (Text(f"     {line}") for line in lines[1:])
    yield from (Text(f"     > {printable(line)}", "dim") for line in said.snippet.rstrip().splitlines())


def printable_lines(text: str) -> list[str]:
    """The first lines of a text that may be long, as a terminal can show them."""
    return [printable(line) for line in text.splitlines()[:_SAID_LINES]]


def _call(report: Report, found: Diagnostic, call: Related) -> str:
    """A call on one line: what is written there, and where that is."""
    source = report.sources.get(call.path)
    written = " ".join(source.text[call.range.start : call.range.end].split()) if source else ""
    if len(written) > _CALL_WIDTH:
        written = written[: _CALL_WIDTH - 3] + "..."
    row, _ = report.position(call.path, call.range.start)
    cell = report.cell(call.path, call.range.start)
    within = "" if cell is None else f"cell {cell}, "
    where = f"{within}line {row}" if call.path == found.path else f"{report.shown(call.path)}:{row}"
    return f"{printable(written)} ({where})"


def _fix(report: Report, found: Diagnostic, fix: Fix, room: int) -> Iterator[Text]:
    where = _place_of(report, found, fix)
    title = f"{fix.title} ({where})" if where else fix.title
    told = Text.assemble(escaped(title), (f" ({_HOW[fix.applicability]})", "dim"))
    yield from fitted(told, Text("  fix: ", "bold green"), _INDENT, room)
    source = report.sources.get(fix.path or found.path)
    if source is None:
        return
    for line in changed_lines(source.text, fix)[:_PREVIEW_LINES]:
        yield Text.assemble(("     + ", "green"), (printable(line), "green"))


def _place_of(report: Report, found: Diagnostic, fix: Fix) -> str:
    """Place of a fix that does not change the lines that the finding shows."""
    path = fix.path or found.path
    rows = [report.position(path, each.range.start)[0] for each in fix.edits[:1]]
    spans = [found.range] if found.path == path else []
    spans += [each.range for each in found.related if each.path == path]
    shown = {report.position(path, place)[0] for span in spans for place in (span.start, span.end)}
    row = next((f"line {each}" for each in rows if each not in shown and path in report.sources), "")
    if not fix.path:
        return row
    return f"in {report.name(path)}, {row}" if row else f"in {report.name(path)}"


def changed_lines(text: str, fix: Fix) -> list[str]:
    """The lines that a fix writes, without the indentation they share."""
    written = []
    shift = 0
    text, edits = _around(text, fix.edits)
    try:
        index = LineIndex(apply_edits(text, edits))
    except ValueError:
        return []
    for edit in sorted(set(edits)):
        start = edit.range.start + shift
        body = edit.text.strip("\r\n")
        lead = len(edit.text) - len(edit.text.lstrip("\r\n"))
        shift += len(edit.text) - (edit.range.end - edit.range.start)
        if body:
            first, last = (index.position(start + lead + each)[0] for each in (0, len(body)))
            written += [line for line in range(first, last + 1) if line not in written]
    lines = [index.line_text(line).expandtabs(4).rstrip() for line in sorted(written)]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return [line[margin:] for line in lines]


_NEAR = 200
"""Characters of a line that are shown before and after what a fix changes: a file may be one line."""

_LINE_END = re.compile(r"\r|\n")


def _around(text: str, edits: Iterable[Edit]) -> tuple[str, list[Edit]]:
    """The lines that some edits are about, and the edits of these: a file may be long, and have many fixes."""
    ranges = [each.range for each in edits]
    start = min((each.start for each in ranges), default=0)
    end = max((each.end for each in ranges), default=0)
    near = max(0, start - _NEAR)
    begin = max(text.rfind("\n", near, start), text.rfind("\r", near, start)) + 1 or near
    head = "..." if begin == near > 0 else ""
    line_end = _LINE_END.search(text, end, end + _NEAR)
    stop = min(end + _NEAR, len(text)) if line_end is None else line_end.end()
    tail = "..." if line_end is None and stop < len(text) else ""
    shift = len(head) - begin
    moved = [Edit(Range(each.range.start + shift, each.range.end + shift), each.text) for each in edits]
    return f"{head}{text[begin:stop]}{tail}", moved


def _summary(report: Report) -> Text:
    if not report.checked and not report.diagnostics:
        return Text("Nothing was checked.")
    if not report.diagnostics:
        said = f"Nothing found in {plural(report.checked, 'file')}."
        return Text.assemble((said, "green"), _fixed(report))
    text = Text("Found ")
    counts = [
        (severity, sum(each.severity is severity for each in report.diagnostics)) for severity in Severity
    ]
    for number, (severity, count) in enumerate(each for each in counts if each[1]):
        text.append(", " if number else "").append(counted(count, severity), f"bold {STYLES[severity]}")
    hit = len({each.path for each in report.diagnostics})
    text.append(f" in {hit} of {plural(max(hit, report.checked), 'file')}.{_fixed(report)}")
    if report.said is not None:
        verdicts = [each.verdict for each in report.said.values()]
        text.append(f" torch confirms {verdicts.count(Verdict.CONFIRMED)}")
        refuted = verdicts.count(Verdict.REFUTED)
        text.append(f" and refutes {refuted}." if refuted else ".")
    safe = sum(preferred(each, Applicability.SAFE) is not None for each in report.diagnostics)
    unsafe = sum(preferred(each, Applicability.UNSAFE) is not None for each in report.diagnostics)
    if safe:
        text.append(f" {safe} can be fixed with --fix")
        text.append(f", {unsafe} more with --unsafe-fixes." if unsafe else ".")
    elif unsafe:
        text.append(f" {unsafe} can be fixed with --fix --unsafe-fixes.")
    return text


def _fixed(report: Report) -> str:
    return f" {plural(report.fixed, 'finding')} fixed." if report.fixed else ""
