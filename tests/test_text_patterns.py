"""Patterns as in .gitignore. What is expected is what `git check-ignore` says (2.39)."""

from __future__ import annotations

import pytest

from devls.text.patterns import MAX_CHARACTERS, MAX_PATTERNS, Patterns


@pytest.mark.parametrize(
    ("pattern", "matches", "passes"),
    [
        ("a", "a a/ b/a b/c/a/", "ab b/ab"),
        ("/a", "a a/", "b/a"),
        ("a/", "a/ b/a/", "a b/a"),
        ("a/b", "a/b a/b/", "b c/a/b"),
        ("*.py", "a.py b/a.py .py", "a.pyc"),
        ("*", "a a/ b/a", ""),
        ("a*b*c", "abc axbxc aabbcc", "acb abcd a/bc"),
        ("?b", "ab b/cb", "b aab /b"),
        ("[a-c]x", "ax cx d/bx", "dx -x x"),
        ("[!a-c]x", "dx -x", "ax x b/x"),
        ("[^a]x", "dx", "ax"),
        ("[]]x", "]x", "x"),
        ("[a\\]]x", "ax ]x", "\\x"),
        ("[[&~|^]x", "[x &x ~x |x ^x", "x"),
        ("**/a", "a b/a b/c/a", "ab"),
        ("**/a/b", "a/b c/a/b", "b a/c/b"),
        ("a/**", "a/b a/b/ a/b/c", "a a/"),
        ("a/**/b", "a/b a/c/b a/c/d/b", "ab a/cb"),
        ("a/**/b/**/c", "a/b/c a/x/b/y/z/c", "a/c b/c a/b"),
        ("***/a", "a b/a", "ab"),
        ("**/", "a/ a/b/", "a b/a"),
        ("a**b", "ab axxb", "a/b"),
        ("\\*", "* b/*", "a"),
        ("\\!a", "!a", "a"),
        ("\\#a", "#a", "a"),
        ("a\\ ", "a\u00a0".replace("\u00a0", "%20"), "a"),
        ("(a|b)+$", "(a|b)+$", "a ab"),
    ],
)
def test_what_a_pattern_matches(pattern: str, matches: str, passes: str) -> None:
    patterns = Patterns([pattern])
    assert patterns.problems == []
    named = {each.replace("%20", " "): True for each in matches.split()} | dict.fromkeys(passes.split())
    assert {path: patterns.decides(path) for path in named} == named


def test_the_last_one_decides_and_nothing_comes_back_in_a_folder() -> None:
    only_python = Patterns(["*", "!*/", "!*.py"])
    assert [only_python.decides(each) for each in ("a", "a/", "a/b.py", "a/b.c")] == [
        True,
        False,
        False,
        True,
    ]
    below = Patterns(["a/", "!a/b.py"])
    assert below.decides("a/b.py") is False
    assert below.excludes("a/b.py")
    assert not below.excludes("b/c.py")
    assert Patterns(["", "# a", "/", "  "]).decides("a") is None


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("!", "it names nothing"),
        ("//", "it names nothing"),
        ("foo\\", "nothing follows its last backslash"),
        ("[z-a].py", "bad character range"),
        ("[ab", "a bracket is not closed"),
        ("x" * (MAX_CHARACTERS + 1), "longer"),
    ],
)
def test_a_bad_pattern_costs_itself(pattern: str, reason: str) -> None:
    patterns = Patterns(["a", pattern, "b"])
    (problem,) = patterns.problems
    assert (problem.line, problem.pattern) == (2, pattern)
    assert reason in problem.reason
    assert patterns.decides("a")
    assert patterns.decides("b")


def test_too_many() -> None:
    patterns = Patterns(["a"] * (MAX_PATTERNS + 5))
    assert [each.line for each in patterns.problems] == [MAX_PATTERNS + 1]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 200 + "b", "a" * 255),
        ("**/a/" * 80 + "b", "a/" * 1500 + "c"),
        ("**/*a*a*a*b/**/*a*a*a*c", ("a" * 200 + "/") * 18),
        ("a" + "*" * 400 + "b", "a" * 255),
        ("[ab]*" * 90 + "c", "ab" * 120),
    ],
)
def test_patterns_that_took_hours(pattern: str, path: str) -> None:
    """Regular expressions that try all ways a star can match never end on these."""
    assert Patterns([pattern]).decides(path) is None
