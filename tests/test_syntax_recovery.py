"""Code in the middle of being typed keeps the rest of its tree, in place."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devls.syntax import recovery
from devls.syntax.recovery import MAX_REPAIRS, parse_tolerantly
from devls.syntax.source import Source

AROUND = "first = 1\n{}\nlast = 2\n"


def names(text: str) -> list[str]:
    return [node.id for node in ast.walk(Source("a.py", text).tree) if isinstance(node, ast.Name)]


@pytest.mark.parametrize(
    "broken",
    [
        "x.",
        "x = ",
        "print(x,",
        "f(a,\n  b c,\n  d)",
        "if x:",
        "if x:  # why",
        "if x",
        "with torch.no_grad()\n    y = 1",
        "def f(a, b c):\n    return a\n\n    # more",
        "class :\n    def f(self): pass",
        "for i in :\n    if x:\n        pass",
        "x = 'abc",
        "x = [1, 2",
        "x = )",
        "    y = 1",
        "if a:\n        b\n    c",
        "else:\n    x = 1",
        "import",
        "from torch import",
        "f'{x'",
        "def f(\n    a,\n",
        "@",
        "é = ('",
        "$",
    ],
)
def test_the_rest_stays(broken: str) -> None:
    text = AROUND.format(broken)
    tree, problems = parse_tolerantly(text)
    assert problems
    assert {"first", "last"} <= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    source = Source("a.py", text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in ("first", "last"):
            assert source.slice(node) == node.id


def test_a_header_that_waits_for_its_block_is_kept() -> None:
    assert sorted(names("def f():\n    with guard:\nx = 1\n")) == ["guard", "x"]


def test_a_block_goes_with_its_broken_header() -> None:
    assert names("with torch.no_grad(:\n    inside = 1\n\n    inside = 2\nafter = 1\n") == ["after"]


def test_line_ends_of_all_kinds_count() -> None:
    assert names("a = 1\r\nx = \r\nb = 2\rc = 3\r\n") == ["a", "b", "c"]


def test_what_is_no_python_gives_an_empty_tree() -> None:
    tree, problems = parse_tolerantly("this is no Python!\n" * 50)
    assert tree.body == []
    assert len(problems) == MAX_REPAIRS


def test_nul_and_deep_nesting_do_not_raise() -> None:
    assert parse_tolerantly("x = 1\0")[1]
    assert parse_tolerantly("(" * 5000)[1]


@given(st.text(alphabet="ab= \n\t():[]{}'\"\\#.,ifé@\r\f", max_size=60))
def test_never_raises(text: str) -> None:
    tree, problems = parse_tolerantly(text)
    assert isinstance(tree, ast.Module)
    assert len(problems) <= MAX_REPAIRS


PARTS = {
    "functions": "def f(a):\n    return '''\n\n\n'''\n\n",
    "decorated": "@a\n@b(\n    c\n)\nclass A:\n    x: int = 0\n\n    def f(self):\n        pass\n\n\nA()\n\n",
    "definitions in strings": "x = '''\n\ndef f():\n\nclass A:\n'''\ny = f'''\n\n@a\n'''\n\nasync def f():\n    pass\n\n",
    "definitions far from decorators": "@a\n\ndef f():\n    pass\n\n",
    "plain statements": "a = 1\ntry:\n    b\nexcept E:\n    c\nelse:\n    d\nfinally:\n    e\nelsewhere = (\nf,\n'''\\ng'''\n)\nh = \\\ni\n",
    "long headers": "if a:\n\n    b\n\nelse:\n    c\n\ndef f(): pass\n\n",
}


@pytest.mark.parametrize("name", PARTS)
def test_long_texts_are_parsed_as_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "PART", 300)
    for count in (1, 40, 41):
        text = f'"""A\n\n\ndef"""\n\n{PARTS[name] * count}z = 1'
        tree, problems = parse_tolerantly(text)
        assert not problems
        assert ast.dump(tree, include_attributes=True) == ast.dump(ast.parse(text), include_attributes=True)


def test_problems_in_long_texts_are_where_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    text = PARTS["functions"] * 40 + "def g(:\n    pass\n\n" + PARTS["functions"] * 40
    whole = parse_tolerantly(text)
    monkeypatch.setattr(recovery, "PART", 300)
    parts = parse_tolerantly(text)
    assert parts[1] == whole[1] != ()
    assert ast.dump(parts[0], include_attributes=True) == ast.dump(whole[0], include_attributes=True)


@pytest.mark.parametrize("name", ["functions", "plain statements"])
def test_no_call_of_the_parser_takes_all_of_a_long_text(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = []
    parse = ast.parse
    monkeypatch.setattr(
        ast, "parse", lambda text, *rest: lengths.append(len(text.lstrip("\n"))) or parse(text, *rest)
    )
    text = PARTS[name] * 10_000
    parse_tolerantly(text)
    assert sum(lengths) < 4 * len(text)
    assert max(lengths) < 3 * recovery.PART
