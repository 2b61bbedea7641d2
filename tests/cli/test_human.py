"""Output for people."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from devls.analysis import Diagnostic, Related, Severity
from devls.cli.formats import Style, human
from devls.cli.formats.snippet import Glyphs, printable
from devls.cli.report import Report
from devls.syntax.source import Source
from devls.text.edits import Edit, Fix, Range

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran
    from devls.text.positions import LineIndex

PROGRAM = """\
origin = 1

def f():
\tx.to(d)
\té = "日本" + bad
"""

SHOWN = """\
warning[discarded-transfer] a.py:4:2
  `to` returns a copy
    4 │     x.to(d)
      │     ━━━━━━━
  fix: Keep the copy (--fix)
     + x = x.to(d)
  why: devls --explain discarded-transfer

error[mixed-devices] a.py:5:13
  `bad` is wrong
    1 │ origin = 1
      │ ────── created on the CPU
      ⋮
    5 │     é = "日本" + bad
      │                  ━━━
  fix: Write `good` (--fix --unsafe-fixes)
     + é = "日本" + good
  why: devls --explain mixed-devices

Found 1 error, 1 warning in 1 of 1 file. 1 can be fixed with --fix, 1 more with --unsafe-fixes.
"""


def test_the_whole_output(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text(PROGRAM, encoding="utf-8")
    assert devls("--check", "a.py").out == SHOWN


def test_nothing_found(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("good\n")
    Path("b.py").write_text("good\n")
    assert devls("--check", ".").out == "Nothing found in 2 files.\n"


def test_of_many_findings_the_last_have_one_line(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(human, "_SHOWN", 1)
    Path("a.py").write_text(PROGRAM, encoding="utf-8")
    whole = SHOWN.splitlines(keepends=True)
    assert devls("--check", "a.py").out == "".join(
        [*whole[:8], "error[mixed-devices] a.py:5:13 `bad` is wrong\n", whole[-1]]
    )


def test_colours(devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.py").write_text("bad\n")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31merror[mixed-devices]" in devls("--check", "a.py").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" not in devls("--check", "a.py").out


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def shown(
    report: Report,
    encoding: str = "utf-8",
    kind: type[io.TextIOWrapper] = io.TextIOWrapper,
    style: Style = human.PLAIN,
) -> str:
    stream = kind(io.BytesIO(), encoding=encoding, errors="backslashreplace", newline="\n")
    human.render(report, stream, style)
    stream.flush()
    return stream.buffer.getvalue().decode(encoding)


LONG = Report(
    (
        Diagnostic(
            "rule",
            Severity.ERROR,
            "a message of so many words that no terminal of sixty columns shows it on one line",
            "/a.py",
            Range(4, 8),
            (Related("/a.py", Range(0, 1), "a label that is longer than what is left of its line, too"),),
            (
                Fix(
                    "Write `good` in place of what stands there, which is wrong", (Edit(Range(4, 8), "good"),)
                ),
            ),
            url="https://rules/rule",
        ),
    ),
    {"/a.py": Source("/a.py", "x = call(a, b)\n")},
    {"/a.py": "a.py"},
    1,
)


def test_a_terminal_breaks_sentences_at_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    assert shown(LONG, kind=Terminal, style=Style("never")).splitlines() == [
        "error[rule] a.py:1:5",
        "  a message of so many words that no terminal of sixty",
        "  columns shows it on one line",
        "    1 │ x = call(a, b)",
        "      │     ━━━━",
        "      │ ─ a label that is longer than what is left of its",
        "      │   line, too",
        "  fix: Write `good` in place of what stands there, which is",
        "       wrong (--fix --unsafe-fixes)",
        "     + x = good(a, b)",
        "  why: devls --explain rule",
        "",
        "Found 1 error in 1 of 1 file. 1 can be fixed with --fix",
        "--unsafe-fixes.",
    ]
    monkeypatch.setenv("COLUMNS", "20")
    assert "  a message of so many words that" in shown(LONG, kind=Terminal)
    assert max(map(len, shown(LONG).splitlines())) > 60


def test_a_label_without_room_stands_below_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    text = f"{' ' * 50}x\n"
    found = Diagnostic(
        "rule",
        Severity.ERROR,
        "m",
        "/a.py",
        Range(50, 51),
        (Related("/a.py", Range(50, 51), "a label " * 5),),
    )
    lines = shown(
        Report((found,), {"/a.py": Source("/a.py", text)}, {}, 1), kind=Terminal, style=Style("never")
    ).splitlines()
    assert [line.rstrip() for line in lines[3:7]] == [
        f"      │ {' ' * 50}━",
        f"      │ {' ' * 50}─",
        "      │     a label a label a label a label a label",
        "  why: devls --explain rule",
    ]


def test_a_terminal_with_colours_gets_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    link = ";https://rules/rule\x1b\\"
    assert link in shown(LONG, kind=Terminal)
    assert link not in shown(LONG, kind=Terminal, style=Style("never"))
    # Colours that are forced go to files and logs, too.
    assert link not in shown(LONG, style=Style("always"))
    monkeypatch.setenv("TERM", "dumb")
    assert link not in shown(LONG, kind=Terminal)


def test_places_in_other_files_and_in_files_that_went_away() -> None:
    a, b = Source("/a.py", "use(x)\n"), Source("/b.py", "\n\nx = make()\n")
    related = (
        Related("/b.py", Range(2, 3), "made here"),
        Related("/gone.py", Range(0, 1), "imported here"),
        Related("/a.py", Range(4, 5), "seen here"),
    )
    found = Diagnostic("rule", Severity.INFO, "two\nlines", "/a.py", Range(0, 6), related)
    text = shown(Report((found,), {"/a.py": a, "/b.py": b}, {"/a.py": "a.py", "/b.py": "b.py"}, 1))
    assert text.splitlines()[3:13] == [
        "    1 │ use(x)",
        "      │ ━━━━━━",
        "      │     ─ seen here",
        "  ↳ b.py:3:1",
        "    3 │ x = make()",
        "      │ ─ made here",
        "  ↳ /gone.py:1:1",
        "      imported here",
        "  why: devls --explain rule",
        "",
    ]


def test_several_lines_and_empty_ranges() -> None:
    text = "f(\n    a,\n\n    b,\n    c,\n)\n"
    long = Diagnostic("rule", Severity.ERROR, "m", "/a.py", Range(0, len(text) - 1))
    empty = Diagnostic("rule", Severity.ERROR, "m", "/a.py", Range(len(text), len(text)))
    lines = shown(Report((long, empty), {"/a.py": Source("/a.py", text)}, {}, 1)).splitlines()
    assert lines[2:8] == [
        "    1 │ f(",
        "      │ ━━",
        "    2 │     a,",
        "      │     ━━",
        "    3 │",
        "      │ ━",
    ]


def test_an_ascii_stream() -> None:
    found = Diagnostic("rule", Severity.ERROR, "m", "/a.py", Range(0, 1))
    text = shown(Report((found,), {"/a.py": Source("/a.py", "x\n")}, {}, 1), "ascii")
    assert "    1 | x\n      | ^\n" in text
    assert Glyphs.of("no-such-encoding").bar == "|"


def test_nothing_in_a_program_commands_the_terminal() -> None:
    assert printable("a\x1b[31m\tb\x07\r\n") == "a\ufffd[31m    b\ufffd"


@pytest.mark.parametrize(
    ("text", "edits", "lines"),
    [
        ("if a:\n    b\n", [Edit(Range(10, 11), "c")], ["c"]),
        ("a\n", [Edit(Range(0, 0), "import torch\n"), Edit(Range(0, 1), "b")], ["import torch", "b"]),
        ("a\nb\n", [Edit(Range(1, 1), "\nwith x:\n    y")], ["with x:", "    y"]),
        ("a\nb\n", [Edit(Range(0, 2), "")], []),
        ("a\n", [Edit(Range(0, 1), "b"), Edit(Range(0, 1), "c")], []),
    ],
)
def test_preview_of_a_fix(text: str, edits: list[Edit], lines: list[str]) -> None:
    assert human.changed_lines(text, Fix("t", tuple(edits))) == lines


def test_calls_share_a_line() -> None:
    text = "def f():\n    bad\n\ndef g():\n    f(\n        1)\n\ng()\n"
    inner, outer = text.index("f(\n"), text.rindex("g()")
    calls = (
        Related("/a.py", Range(inner, inner + len("f(\n        1)")), "called from here"),
        Related("/a.py", Range(outer, outer + 3), "called from here"),
    )
    found = Diagnostic("rule", Severity.ERROR, "m", "/a.py", Range(13, 16), calls)
    lines = shown(Report((found,), {"/a.py": Source("/a.py", text)}, {}, 1)).splitlines()
    assert lines[4:6] == ["  called by: g() (line 8) → f( 1) (line 5)", "  why: devls --explain rule"]


def test_a_preview_looks_at_the_lines_of_the_fix_only(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# filled\n" * 5000 + "if a:\n    b\n" + "# filled\n" * 5000
    looked: list[int] = []
    index = human.LineIndex

    def measured(given: str) -> LineIndex:
        looked.append(len(given))
        return index(given)

    monkeypatch.setattr(human, "LineIndex", measured)
    at = text.index("b\n")
    assert human.changed_lines(text, Fix("t", (Edit(Range(at, at + 1), "c\n    d"),))) == ["c", "d"]
    assert looked == [len("    c\n    d\n")]


@pytest.mark.parametrize("end", ["\n", "\r"])
def test_a_preview_ends_with_its_line(end: str) -> None:
    text = end.join(["first", "a = b", "last"])
    at = text.index("b")
    assert human.changed_lines(text, Fix("t", (Edit(Range(at, at + 1), "c"),))) == ["a = c"]


def test_of_a_long_line_the_part_is_shown_that_is_told_of() -> None:
    text = "a = b; " * 5000 + "\n"
    at = text.index("b", 20_000)
    fix = Fix("t", (Edit(Range(at, at + 1), "c"),))
    found = Diagnostic("rule", Severity.ERROR, "m", "/a.py", Range(at, at + 1), (), (fix,))
    lines = shown(Report((found,), {"/a.py": Source("/a.py", text)}, {}, 1)).splitlines()
    code, mark = next((line, lines[at + 1]) for at, line in enumerate(lines) if line.startswith("    1 "))
    assert code[mark.index("\u2501")] == "b"
    assert code.endswith("...")
    (preview,) = (line for line in lines if line.startswith("     + "))
    assert "a = c; a = b" in preview
    assert len(preview) < 500
