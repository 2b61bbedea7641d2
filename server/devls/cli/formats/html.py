"""A page for people who were not there: each finding with its code, its story and its fix, in one file that needs no other.

Nothing of a program gets into the page unescaped, and the page loads nothing.
"""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Final

from devls import __version__
from devls.analysis import CALL, Severity
from devls.cli import pages
from devls.cli.formats.html_style import SCRIPT, STYLE
from devls.cli.report import counted, plural, verdict
from devls.text.edits import Applicability, Range, apply_edits
from devls.text.printable import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from devls.analysis import Diagnostic, Related
    from devls.cli.report import Report
    from devls.syntax.source import Source
    from devls.text.edits import Fix

_AROUND: Final = 2
"""Lines of a program shown above and below one that is spoken of."""

_MAX_LINES: Final = 6
"""Of one place that reaches over several lines."""

_HOW: Final = {
    Applicability.SAFE: "safe",
    Applicability.UNSAFE: "unsafe: to be looked at",
    Applicability.DISPLAY: "by hand",
}


def render(report: Report) -> str:
    """The whole page, with its last line end."""
    body = [*_head(report), *_findings(report)]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>devls: {plural(len(report.diagnostics), 'finding')}</title>\n"
        f"<style>{STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + f"\n<script>{SCRIPT}</script>\n"
        "</body>\n</html>\n"
    )


def _head(report: Report) -> Iterator[str]:
    found = report.diagnostics
    hit = {each.path for each in found}
    checked = max(len(hit), report.checked)
    yield "<header><h1>devls</h1>"
    if found:
        yield f"<p>{plural(len(found), 'finding')} in {len(hit)} of {plural(checked, 'file')}.</p>"
    else:
        yield f"<p>Nothing found in {plural(checked, 'file')}.</p>"
    yield "</header>"
    if not found:
        return
    levels = Counter(each.severity for each in found)
    yield '<form class="filters">'
    for level in Severity:
        if levels[level]:
            yield (
                f'<label class="{level.value}"><input type="checkbox" name="level" value="{level.value}" checked> '
                f"{counted(levels[level], level)}</label>"
            )
    yield '<input type="search" name="words" placeholder="rule, file or words" aria-label="Filter findings">'
    yield '<span class="left" role="status"></span></form>'
    yield "<main>"
    yield '<section class="overview"><div>'
    yield from _table("Rule", [(each.rule, _title(each.rule)) for each in found])
    yield "</div><div>"
    yield from _table("File", [(report.shown(each.path), "") for each in found])
    yield "</div></section>"


def _title(rule: str) -> str:
    page = pages.page(rule)
    return "" if page is None else page.summary


def _table(head: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """How often each thing was found, the most frequent first; a click filters."""
    counts = Counter(rows)
    most = max(counts.values())
    yield f'<table><thead><tr><th>{head}</th><th class="number">Findings</th></tr></thead><tbody>'
    for (name, title), count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        about = f' title="{escape(title)}"' if title else ""
        yield (
            f'<tr><td><button type="button" class="pick"{about}>{escape(name)}</button></td>'
            f'<td class="number"><meter max="{most}" value="{count}"></meter> {count}</td></tr>'
        )
    yield "</tbody></table>"


def _findings(report: Report) -> Iterator[str]:
    if not report.diagnostics:
        yield "<main>"
    path = ""
    for number, found in enumerate(report.diagnostics, 1):
        if found.path != path:
            yield from _map(report, path)
            path = found.path
            yield f"<h2>{escape(report.shown(path))}</h2>"
        yield from _finding(report, found, number)
    yield from _map(report, path)
    yield "</main>"
    yield f"<footer>devls {escape(__version__)}</footer>"


def _map(report: Report, path: str) -> Iterator[str]:
    """Picture of the gradient flow of a file."""
    drawn = report.maps.get(path, "")
    if drawn:
        name = escape(report.shown(path))
        yield f'<details class="map" open><summary>Where gradients flow in {name}</summary>{drawn}</details>'


def _finding(report: Report, found: Diagnostic, number: int) -> Iterator[str]:
    level = found.severity.value
    place = report.place(found.path, found.range)
    yield f'<article id="finding-{number}" class="{level}" data-level="{level}">'
    yield (
        f'<h3><span class="level">{level}</span> <code class="rule">{escape(found.rule)}</code> '
        f'<a class="place" href="#finding-{number}">{escape(place)}</a></h3>'
    )
    yield f'<p class="message">{_prose(found.message)}{escape(verdict(report, found))}</p>'
    source = report.sources.get(found.path)
    if source is not None:
        yield _code(source, found.range, level)
    yield from _story(report, found)
    if found.fixes:
        yield from _fix(report, found, found.fixes[0])
    yield from _rule(found)
    yield "</article>"


def _prose(message: str) -> str:
    """A message with what stands in backticks as code."""
    parts = escaped(message).split("`")
    if len(parts) % 2 == 0:
        return escape("`".join(parts))
    return "".join(
        f"<code>{escape(each)}</code>" if at % 2 else escape(each) for at, each in enumerate(parts)
    )


def _story(report: Report, found: Diagnostic) -> Iterator[str]:
    """The places that explain a finding in order, and the calls that led there from the outermost on."""
    notes = [each for each in found.related if each.message != CALL]
    calls = [each for each in reversed(found.related) if each.message == CALL]
    if notes:
        yield "<h4>How it came about</h4><ol>"
        yield from (_step(report, each) for each in notes)
        yield "</ol>"
    if calls:
        yield "<h4>How the program gets there</h4><ol>"
        yield from (_step(report, each) for each in calls)
        yield "</ol>"


def _step(report: Report, place: Related) -> str:
    said = "" if place.message == CALL else _prose(place.message)
    source = report.sources.get(place.path)
    code = "" if source is None else _code(source, place.range, "related", around=0)
    return f'<li><span class="place">{escape(report.place(place.path, place.range))}</span> {said}{code}</li>'


def _code(source: Source, place: Range, style: str, around: int = _AROUND) -> str:
    """The lines of a place with those around, what is spoken of marked."""
    index = source.index
    first, last = index.position(place.start)[0], index.position(max(place.start, place.end))[0]
    last = min(last, first + _MAX_LINES - 1)
    cell = source.place_of(first)[0]
    rows = []
    for line in range(max(0, first - around), min(index.line_count, last + around + 1)):
        in_cell, number = source.place_of(line)
        if in_cell != cell:
            continue
        begin = index.line_start(line)
        text = index.line_text(line)
        start = (
            max(place.start - begin, len(text) - len(text.lstrip())) if first <= line <= last else len(text)
        )
        end = min(max(place.end - begin, start), len(text.rstrip())) if first <= line <= last else start
        before, inside, after = (_shown(each) for each in (text[:start], text[start:end], text[end:]))
        marked = f'<mark class="{style}">{inside}</mark>' if inside else ""
        rows.append(f'<span class="line"><i>{number + 1}</i>{before}{marked}{after}</span>')
    return f"<pre>{''.join(rows)}</pre>"


def _shown(text: str) -> str:
    return escape(escaped(text.expandtabs(4)))


def _fix(report: Report, found: Diagnostic, fix: Fix) -> Iterator[str]:
    where = f" in {escape(report.shown(fix.path))}" if fix.path else ""
    yield f"<h4>Fix</h4><p>{_prose(fix.title)}{where} <small>({_HOW[fix.applicability]})</small></p>"
    source = report.sources.get(fix.path or found.path)
    if source is None or not fix.edits:
        return
    try:
        after = apply_edits(source.text, fix.edits)
    except ValueError:
        return
    rows = [
        f'<span class="line {"added" if each[0] == "+" else "removed"}"><i>{each[0]}</i>{_shown(each[1:])}</span>'
        for each in _changed(source.text, after)
    ]
    if rows:
        yield f"<pre>{''.join(rows)}</pre>"


def _changed(before: str, after: str) -> Iterator[str]:
    """The lines that go, each behind a minus, and those that come, behind a plus."""
    import difflib  # noqa: PLC0415  few pages are made

    for line in difflib.unified_diff(before.split("\n"), after.split("\n"), n=0, lineterm=""):
        if line[:1] in "+-" and line[:3] not in ("+++", "---"):
            yield line.rstrip("\r")


def _rule(found: Diagnostic) -> Iterator[str]:
    page = pages.page(found.rule)
    if page is None:
        return
    link = f' <a href="{escape(found.url)}">More</a>' if found.url else ""
    yield f'<p class="about">{_prose(page.summary)}{link}</p>'
