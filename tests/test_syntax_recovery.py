"""Code in the middle of being typed keeps the rest of its tree; comments that silence are found and written where they count."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checking import holds_in_bounded_time
from devls.syntax import recovery
from devls.syntax.recovery import MAX_REPAIRS, parse_tolerantly
from devls.syntax.source import Source
from devls.syntax.suppressions import disable_edit, find_suppressions
from devls.text.edits import Range, apply_edits

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
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_long_texts_are_parsed_as_one(name: str, line_end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "PART", 300)
    for count in (1, 40, 41):
        text = f'"""A\n\n\ndef"""\n\n{PARTS[name] * count}z = 1'.replace("\n", line_end)
        tree, problems = parse_tolerantly(text)
        assert not problems
        assert ast.dump(tree, include_attributes=True) == ast.dump(ast.parse(text), include_attributes=True)


@pytest.mark.parametrize("depth", [150, 200, 7000])
def test_what_is_nested_too_deep_is_called_so(depth: int) -> None:
    """Python's parser has a `MemoryError` for it, without a message."""
    _, problems = parse_tolerantly("x = " + "[1, " * depth + "]" * depth)
    assert [each.message.removesuffix("ly") for each in problems] in (
        ["it is nested too deep"],
        ["too many nested parentheses"],
        [],
    )


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "broken",
    [
        "def g(:\n    pass\n\n",
        "x = (\n",
        "'''\n",
        "  y = 1\n",
        "@a\n",
        "x = \\\n",
        "try:\n    a\n",
        "return ]\n",
    ],
)
def test_problems_in_long_texts_are_where_they_stand(
    broken: str, line_end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for before, after in ((40, 40), (40, 0), (0, 40), (1, 1)):
        text = PARTS["functions"] * before + broken + PARTS["functions"] * after
        text = text.replace("\n", line_end)
        monkeypatch.setattr(recovery, "PART", 10**6)
        whole = parse_tolerantly(text)
        monkeypatch.setattr(recovery, "PART", 300)
        parts = parse_tolerantly(text)
        assert parts[1] == whole[1]
        assert ast.dump(parts[0], include_attributes=True) == ast.dump(whole[0], include_attributes=True)


@pytest.mark.parametrize("end", ["", "def g(:\n    pass\n", "x = (\n", "x y\n"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["functions", "plain statements"])
def test_no_call_of_the_parser_takes_all_of_a_long_text(
    name: str, line_end: str, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths = []
    parse = ast.parse
    monkeypatch.setattr(
        ast, "parse", lambda text, *rest: lengths.append(len(text.lstrip("\n"))) or parse(text, *rest)
    )
    monkeypatch.setattr(recovery, "MAX_MENDED", 10_000)  # what is longer is not repaired
    text = (PARTS[name] * 3_000 + end).replace("\n", line_end)
    assert bool(parse_tolerantly(text)[1]) is bool(end)
    assert sum(lengths) < 4 * len(text)
    assert max(lengths) < 3 * recovery.PART


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


@pytest.mark.parametrize("above", ["", "\n", "# a comment\n", "    # a comment\n"])
def test_what_is_indented_as_a_whole_is_read_where_it_stands(above: str) -> None:
    text = f"{above}    def step(self, x):\n        self.x = x\n        return x.\n\n    def other(self):\n        return last\n"
    tree, problems = parse_tolerantly(text)
    first = above.count("\n") + 1
    assert [each.line for each in problems] == [first, first + 2]
    assert problems[0].message == "unexpected indent"
    assert [
        (each.name, each.lineno, each.col_offset) for each in tree.body if isinstance(each, ast.FunctionDef)
    ] == [
        ("step", first, 4),
        ("other", first + 4, 4),
    ]


@pytest.mark.parametrize(
    ("broken", "names"),
    [
        ("x, y[i].z, k[a] = f(b c)", "x y k"),
        ("x = self.net.cuda(async=True)  # y = 3", "x self.net()"),
        ("model.cuda(async=True)", "model()"),
        ("[a, b] = c d", "a b"),
        ("for a, (b, c) in enumerate(q z):\n    d = a\n    e.f += 1", "a b c d e.f"),
        ("with open(a b) as g, h(i j) as k:\n    pass", "g k"),
        ("def f(x y):\n    z = 3", "f"),
        ("print loss.data[0]", None),
        ("x == 3 4", None),
        ("raise ValueError, 'x = 3'", None),
    ],
)
def test_what_is_left_out_keeps_its_names(broken: str, names: str | None) -> None:
    for template in (AROUND, "if first:\n    {}\nlast = 2\n"):
        tree, problems = parse_tolerantly(template.format(broken.replace("\n", "\n    ")))
        assert problems
        found = [recovery.names_changed(each) for each in ast.walk(tree) if isinstance(each, ast.Expr)]
        assert found == ([] if names is None else [names.split()])


def test_names_of_a_long_line_are_read_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    original, read = recovery._targets, 0

    def counted(pieces: list[str]) -> list[str]:
        nonlocal read
        read += len(pieces)
        return original(pieces)

    monkeypatch.setattr(recovery, "_targets", counted)
    parse_tolerantly("for x in y z " + "a in b, " * 300)
    assert 0 < read < 3000


def test_classes_in_one_another_are_parsed_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not all that is inside once more at each level."""
    text = "".join(f"{' ' * level}class C{level}:\n" for level in range(600)) + " " * 600 + "pass\n"
    original, parsed = recovery._parse, 0

    def counted(part: str) -> tuple[ast.Module | None, recovery.SyntaxProblem | None]:
        nonlocal parsed
        parsed += len(part)
        assert parsed < 25 * len(text)
        return original(part)

    monkeypatch.setattr(recovery, "_parse", counted)
    assert [each.message for each in parse_tolerantly(text)[1]][:1] == ["too many levels of indentation"]
    assert parsed > len(text)


@pytest.mark.parametrize(
    "text", ["-" * 60_000 + "1", "x = (" + "*" * 60_000, "." * 60_000 + "$", "x y" + "+-" * 30_000]
)
def test_a_row_of_operators_is_gone_through_once(text: str) -> None:
    """From each of them to the end takes a minute, in one call of a regular expression."""
    assert holds_in_bounded_time(lambda: bool(parse_tolerantly(text)[1]))
