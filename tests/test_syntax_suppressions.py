"""Comments that silence findings: found where they count, and written where they count."""

from __future__ import annotations

import pytest

from devls.syntax.source import Source
from devls.syntax.suppressions import disable_edit, find_suppressions
from devls.text.edits import Range, apply_edits


def silenced(text: str, needle: str, rule: str = "mixed-devices", family: str = "device") -> bool:
    start = text.index(needle)
    found = Range(start, start + len(needle))
    return find_suppressions(Source("a.py", text)).matching(rule, found, family) is not None


@pytest.mark.parametrize(
    "comment",
    [
        "# devls: ignore",
        "# devls: ignore[mixed-devices]",
        "# devls: ignore [other, mixed-devices]",
        "#devls:ignore[mixed-devices,other]",
        "# devls: ignore[device] because the stand-in has one device",
        "# type: ignore  # devls: ignore[mixed-devices]",
        "# devls: ignore -- known",
    ],
)
def test_silences_on_its_line(comment: str) -> None:
    assert silenced(f"before = 1\na + b  {comment}\nafter = 2", "a + b")
    assert not silenced(f"a + b\nx = 1  {comment}\n", "a + b")
    assert not silenced(f"x = 1  {comment}\na + b\n", "a + b")


@pytest.mark.parametrize(
    "comment",
    [
        "# devls: ignore[other]",
        "# devls: ignored",
        "# devls ignore",
        "# devls: ignore[]",
        "# devls: ignore[mix",
    ],
)
def test_does_not_silence(comment: str) -> None:
    assert not silenced(f"a + b  {comment}\n", "a + b")


def test_only_comments_count() -> None:
    assert not silenced('a + b; s = "# devls: ignore"', "a + b")
    assert not silenced('s = f"""\n# devls: ignore {a + b}"""', "a + b")
    assert not silenced('a + b; s = f"{x:#x} # devls: ignore"', "a + b")


CALL = """\
result = call(
    first,
    a + b,{middle}
    last,
){end}
"""


def test_lines_of_a_statement() -> None:
    mark = "  # devls: ignore"
    assert silenced(CALL.format(middle=mark, end=""), "a + b")
    assert silenced(CALL.format(middle="", end=mark), "a + b")
    assert not silenced(CALL.format(middle=mark, end=""), "first")


def test_a_comment_in_a_body_is_not_about_the_loop() -> None:
    text = "for i in x:\n    y  # devls: ignore\n    z"
    assert not silenced(text, text)
    assert silenced(text.replace("x:", "x:  # devls: ignore"), "for i in x:  # devls: ignore\n    y")


def test_whole_file() -> None:
    assert silenced("# devls: ignore-file\nx = 1\na + b\n", "a + b")
    assert silenced("a + b\n# devls: ignore-file[mixed-devices]\n", "a + b")
    assert not silenced("# devls: ignore-file[other]\na + b\n", "a + b")


def test_half_typed_code() -> None:
    assert silenced("a + b  # devls: ignore\nx = (1,\ny = '\n", "a + b")
    assert silenced("x = (1,\na + b  # devls: ignore\ny = 2\n", "a + b")
    assert not silenced("a + b\nx = (1,\ny = 2  # devls: ignore\n", "a + b")
    assert silenced("f(\ndef g():\n    a + b  # devls: ignore\n", "a + b")


def test_what_was_no_use_and_what_is_not_known() -> None:
    text = "a + b  # devls: ignore[mixed-devices, nonsense]\nc  # devls: ignore\nd  # devls: ignroe\n"
    found = find_suppressions(Source("a.py", text))
    used = found.matching("mixed-devices", Range(0, 5))
    assert used is not None
    assert [each.line for each in found.unused([used])] == [1]
    (unknown,) = found.unknown({"mixed-devices"})
    assert text[unknown.range.start : unknown.range.end] == unknown.name == "nonsense"
    assert "ignroe" in found.malformed[0].message


def disabled(text: str, line: int, rule: str = "mixed-devices") -> str:
    return apply_edits(text, [disable_edit(Source("a.py", text), line, rule)])


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("a\nb\n", 1, "a\nb  # devls: ignore[mixed-devices]\n"),
        ("a\r\nb  \r\n", 1, "a\r\nb  # devls: ignore[mixed-devices]\r\n"),
        ("é", 0, "é  # devls: ignore[mixed-devices]"),
        ("a  # why", 0, "a  # why  # devls: ignore[mixed-devices]"),
        ("a  # devls: ignore[x] why", 0, "a  # devls: ignore[x, mixed-devices] why"),
        ("a  # devls: ignore[ x , ]", 0, "a  # devls: ignore[ x, mixed-devices , ]"),
        ("a  # devls: ignore[mixed-devices]", 0, "a  # devls: ignore[mixed-devices]"),
        ("a  # devls: ignore", 0, "a  # devls: ignore"),
        ('f("""x\ny""", a)\nz', 0, 'f("""x\ny""", a)  # devls: ignore[mixed-devices]\nz'),
        ("a + \\\n    b\nc", 0, "a + \\\n    b  # devls: ignore[mixed-devices]\nc"),
        ("f(a,\n  b)\n", 0, "f(a,  # devls: ignore[mixed-devices]\n  b)\n"),
        ("a", 99, "a  # devls: ignore[mixed-devices]"),
    ],
)
def test_disable(text: str, line: int, expected: str) -> None:
    after = disabled(text, line)
    assert after == expected
    start = Source("a.py", after).index.line_start(min(line, after.count("\n")))
    assert find_suppressions(Source("a.py", after)).matching("mixed-devices", Range(start, start + 1))


def test_comments_are_not_looked_for_without_the_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devls.syntax.suppressions.lexed", None)
    assert find_suppressions(Source("a.py", "x = 1  # fine\n")).items == ()


def test_more_names_than_there_are_rules() -> None:
    """Each would be a finding of its own on one long line, which takes the square of their number."""
    found = find_suppressions(Source("a.py", "x = 1  # devls: ignore[" + "a b," * 60 + "]\n"))
    assert found.items == ()
    (malformed,) = found.malformed
    assert "more than 100 rules" in malformed.message
