"""After an edit the file parses, and its tree is the one that was meant."""

from __future__ import annotations

import ast
import calendar
import random
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from devls.syntax import bindings, rewrite
from devls.syntax.layout import indent_unit
from devls.syntax.source import Source
from devls.text.edits import Edit, Range, apply_edits

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAMS = {
    "operators": "y = (a + b) * -c ** 2 if d else not e\nz = lambda x: x if x else (y)\n(yield_) = [*a, -b]\n",
    "calls": "f(a)\nf((a))\nf(a, *b, k=c, **d)\nf(\n    a,\n    b,  # why\n)\nf(\n    a + b  # why\n)\nf()\nf( )\nf(# c\n)\n",
    "generators": "f(x for x in y)\nf((x for x in y))\nf((x for x in (y)), 1)\ng = (x for x in y if x)\n",
    "tuples": "a, b = (c), (d)\nx = (1, 2)\nreturn_ = 1, 2\nfor i in a, b: pass\nx[1, 2:3, ...] = y\n",
    "numbers": "x = 1\ny = 1.5 + 2j\nz = 'a' 'b'\nw = -1\nt = True and None\n",
    "one-line": "if a: b\nif a: b; c\nelif d: e\nelse: f\nclass A: x = 1; y = 2\nfor i in j: k\nwhile a: b; c;\n",
    "semicolons": "a; b\nc;\nd; e; f  # why\nif x:\n    g; h\n    i;\n",
    "blocks": (
        "def f(x):\n    '''Doc.'''\n    with a as b, (c) as d:\n        try:\n            g(x)  # why\n"
        "        except (A, B) as e:\n            raise\n        else:\n            pass\n        finally:\n"
        "            h\n    return (x)\n\n\n@decorate(1)\n@other\nclass A(B):\n    x: int = 1\n\n    async def f(self):\n"
        "        await self.x\n        # tail\n    # outer\n"
    ),
    "strings": 's = f("""a\n  b""", """\nc""")\nif a:\n    t = f(\n"""x\ny""",\n        1)\n    u\n',
    "continued": "x = a + \\\n    b\nassert (  # why (\n    a\n    # more )\n    + b\n), c\nif a and \\\n   b:\n    c\n",
    "non-ascii": "é = ü + 'ß€😀'; ö = f(é, 'é')  # é\nif é: ö\nx = é + (ü)\n",
    "formatted": "print(f'{a + b} {a.b!r:>{w}} é {f(x)}', f\"{a['k']}\")\n",
    "dicts": "d = {a: b, **c, 'x': [i for i in (a) if i]}\ns = {a, *b}\nl = [i async for i in a]\nd[a:b] += c[0]\n",
    "keywords": "return_(1)if(a)else(b)\nx = not(a)\nassert(a)\ny = a if(b)else c\nz = 1 if(a, b)else 2\n",
    "walrus": "f(a := b)\nif (n := len(a)) > 1: n\nx = [y := 1, y ** 2]\nf(k=(a := 1))\n",
    "match": "match x:\n    case A.b: c\n    case B(y.z): d\n    case [1, w] if w: e\n",
    "last": "if a:\n\tb\n\tif c:\n\t\td",
    "future": '"""Doc."""\nfrom __future__ import annotations\nimport os\nx = 1\n',
}
VARIANTS = {
    "as-is": lambda text: text,
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "tabs": lambda text: text.replace("    ", "\t"),
    "no-newline": lambda text: text.rstrip("\n"),
}
SOURCES = [
    pytest.param(vary(text), id=f"{name}-{variant}")
    for name, text in PROGRAMS.items()
    for variant, vary in VARIANTS.items()
]
REAL = [Path(module.__file__).read_text(encoding="utf-8") for module in (calendar, shlex)]


def is_read(node: ast.AST) -> bool:
    return not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class Exchange(ast.NodeTransformer):
    """Puts something else in the place of the one node."""

    def __init__(self, node: ast.AST, other: ast.AST | list[ast.stmt]) -> None:
        self.node, self.other = node, other

    def visit(self, node: ast.AST) -> ast.AST:
        return self.other if node is self.node else self.generic_visit(node)


def shape(tree: ast.AST) -> str:
    """Essence of a tree: an unparsed and parsed one, as joined strings are cut anew."""
    return ast.dump(ast.parse(ast.unparse(ast.fix_missing_locations(tree))))


def check(
    text: str,
    kind: type[ast.AST],
    edit: Callable[[Source, ast.AST], Edit | None],
    meant: Callable[[ast.AST], ast.AST | list[ast.stmt]],
    rarely: float = 1.0,
) -> tuple[int, int]:
    """Edit each node of a kind. Returns how many were edited, and how many refused."""
    source = Source("a.py", text)
    done = refused = 0
    chance = random.Random(1)  # noqa: S311  which nodes are tried is no secret
    for index, node in enumerate(ast.walk(source.tree)):
        if not isinstance(node, kind) or chance.random() > rarely:
            continue
        found = edit(source, node)
        if found is None:
            refused += 1
            continue
        done += 1
        after = apply_edits(text, [found])
        tree = ast.parse(text)
        twin = list(ast.walk(tree))[index]
        expected = Exchange(twin, meant(twin)).visit(tree)
        where = ast.unparse(node)
        assert shape(ast.parse(after)) == shape(expected), f"{where!r} in {text!r} became {after!r}"
        assert text.count("\r\n") == 0 or after.count("\n") == after.count("\r\n")
    return done, refused


def attribute(node: ast.AST) -> ast.AST:
    return ast.Attribute(node, "zz", ast.Load())


def call_around(node: ast.AST) -> ast.AST:
    return ast.Call(ast.Name("w", ast.Load()), [node], [])


@pytest.mark.parametrize("text", SOURCES)
def test_append(text: str) -> None:
    check(text, ast.expr, lambda s, n: rewrite.append(s, n, ".zz"), attribute)


@pytest.mark.parametrize("text", SOURCES)
def test_wrap(text: str) -> None:
    check(text, ast.expr, lambda s, n: rewrite.wrap(s, n, "w(", ")") if is_read(n) else None, call_around)
    check(
        text,
        ast.expr,
        lambda s, n: rewrite.wrap(s, n, "-", "") if is_read(n) else None,
        lambda n: ast.UnaryOp(ast.USub(), n),
    )


@pytest.mark.parametrize(
    "by", ["w", "p + q", "p, q", "lambda: p", "(p).q", "p if q else r", "p := q", "(p, q)", "-p"]
)
@pytest.mark.parametrize("text", SOURCES)
def test_replace(text: str, by: str) -> None:
    check(
        text,
        ast.expr,
        lambda s, n: rewrite.replace(s, n, by) if is_read(n) else None,
        lambda _: expression(f"({by})"),
    )


@pytest.mark.parametrize("code", ["zz(1)", "zz = 1\nyy = 2", "with zz:\n    yy = 1"])
@pytest.mark.parametrize("text", SOURCES)
def test_insert(text: str, code: str) -> None:
    added = ast.parse(code).body
    check(text, ast.stmt, lambda s, n: rewrite.insert_before(s, n, code), lambda n: [*added, n])
    check(text, ast.stmt, lambda s, n: rewrite.insert_after(s, n, code), lambda n: [n, *added])


@pytest.mark.parametrize("text", SOURCES)
def test_delete_statement(text: str) -> None:
    source = Source("a.py", text)
    alone = {
        block[0]
        for node in ast.walk(source.tree)
        if not isinstance(node, ast.Module)
        for _, block in ast.iter_fields(node)
        if isinstance(block, list) and len(block) == 1
    }
    positions = {(node.lineno, node.col_offset, type(node)) for node in alone if isinstance(node, ast.stmt)}

    def meant(node: ast.AST) -> list[ast.stmt]:
        return [ast.Pass()] if (node.lineno, node.col_offset, type(node)) in positions else []

    def edit(source: Source, node: ast.AST) -> Edit | None:
        found = rewrite.delete_statement(source, node)
        return None if found and found.text == "pass" and node not in alone else found

    check(text, ast.stmt, edit, meant)


@pytest.mark.parametrize("text", SOURCES)
def test_add_argument(text: str) -> None:
    def keyword(node: ast.Call) -> ast.AST:
        return ast.Call(node.func, node.args, [*node.keywords, ast.keyword("zz", expression("x.device"))])

    def positional(node: ast.Call) -> ast.AST:
        return ast.Call(node.func, [*node.args, expression("zz")], node.keywords)

    check(text, ast.Call, lambda s, n: rewrite.add_argument(s, n, "zz=x.device"), keyword)
    check(text, ast.Call, lambda s, n: rewrite.add_argument(s, n, "zz"), positional)


@pytest.mark.parametrize("text", SOURCES)
def test_assign_result(text: str) -> None:
    target = ast.Name("zz", ast.Store())
    check(
        text,
        ast.Expr,
        lambda s, n: rewrite.assign_result(s, n, "zz"),
        lambda n: ast.Assign([target], n.value, lineno=1),
    )
    assert rewrite.assign_result(Source("a.py", "x = 1"), ast.parse("x = 1").body[0], "y") is None


@pytest.mark.parametrize("text", SOURCES)
def test_wrap_statement(text: str) -> None:
    guard = ast.withitem(expression("zz()"))
    check(
        text,
        ast.stmt,
        lambda s, n: rewrite.wrap_statement(s, n, "with zz():"),
        lambda n: ast.With([guard], [n]),
    )


@pytest.mark.parametrize("text", REAL, ids=["calendar", "shlex"])
def test_real_code(text: str) -> None:
    some = 12 / max(1, text.count("\n"))
    guard = ast.withitem(expression("zz()"))
    added = ast.parse("zz = 1").body
    check(text, ast.expr, lambda s, n: rewrite.append(s, n, ".zz"), attribute, some / 2)
    check(
        text,
        ast.expr,
        lambda s, n: rewrite.wrap(s, n, "w(", ")") if is_read(n) else None,
        call_around,
        some / 2,
    )
    check(text, ast.stmt, lambda s, n: rewrite.insert_before(s, n, "zz = 1"), lambda n: [*added, n], some)
    check(text, ast.stmt, lambda s, n: rewrite.insert_after(s, n, "zz = 1"), lambda n: [n, *added], some)
    check(
        text,
        ast.stmt,
        lambda s, n: rewrite.wrap_statement(s, n, "with zz():"),
        lambda n: ast.With([guard], [n]),
        some,
    )


@pytest.mark.parametrize("name", ["calls", "formatted", "continued", "one-line", "semicolons"])
def test_names_are_never_refused(name: str) -> None:
    source = Source("a.py", PROGRAMS[name])
    stored = sum(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) for node in ast.walk(source.tree)
    )
    done, refused = check(
        PROGRAMS[name],
        ast.Name,
        lambda s, n: rewrite.wrap(s, n, "w(", ")") if is_read(n) else None,
        call_around,
    )
    assert refused == stored
    assert done


def edited(text: str, edit: Callable[[Source, ast.AST], Edit | None], needle: str) -> str | None:
    """`text` after editing the outermost node that is written as `needle`."""
    source = Source("a.py", text)
    node = next(
        each
        for each in ast.walk(source.tree)
        if isinstance(each, (ast.expr, ast.stmt)) and source.slice(each) == needle
    )
    found = edit(source, node)
    return apply_edits(text, [found]) if found else None


@pytest.mark.parametrize(
    ("text", "needle", "after"),
    [
        ("y = x", "x", "y = x.cpu()"),
        ("f(a + b)", "a + b", "f((a + b).cpu())"),
        ("f((a + b))", "a + b", "f((a + b).cpu())"),
        ("y = (\n    a + b  # why\n)", "a + b", "y = (\n    a + b  # why\n).cpu()"),
        ("x = 'é' + z", "z", "x = 'é' + z.cpu()"),
        ("print(f'{a} {b + c}')", "b + c", "print(f'{a} {(b + c).cpu()}')"),
    ],
)
def test_append_looks_like_written_by_hand(text: str, needle: str, after: str) -> None:
    assert edited(text, lambda s, n: rewrite.append(s, n, ".cpu()"), needle) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("f()", "f(device=d)"),
        ("f(a)", "f(a, device=d)"),
        ("f(a,)", "f(a, device=d)"),
        ("f(\n    a,\n    b,  # why\n)", "f(\n    a,\n    b,  # why\n    device=d,\n)"),
        ("f(\n    a  # why\n)", "f(\n    a, device=d  # why\n)"),
        ("f(x for x in y)", "f((x for x in y), device=d)"),
        ("f(a, device=None)", None),
        ("f(a, **k)", "f(a, **k, device=d)"),
    ],
)
def test_add_argument_looks_like_written_by_hand(text: str, after: str | None) -> None:
    assert edited(text, lambda s, n: rewrite.add_argument(s, n.value, "device=d"), text) == after


@pytest.mark.parametrize(
    ("text", "needle", "after"),
    [
        ("if a:\n  b  # why\n  c", "b", "if a:\n  with g:\n    b  # why\n  c"),
        (
            "def f():\n\tx = f(1,\n\t\t2)\n",
            "x = f(1,\n\t\t2)",
            "def f():\n\twith g:\n\t\tx = f(1,\n\t\t\t2)\n",
        ),
        ('x = """\na\n"""\n', 'x = """\na\n"""', 'with g:\n    x = """\na\n"""\n'),
        ("a; b", "a", None),
        ("if a: b", "b", None),
    ],
)
def test_wrap_statement_looks_like_written_by_hand(text: str, needle: str, after: str | None) -> None:
    assert edited(text, lambda s, n: rewrite.wrap_statement(s, n, "with g:"), needle) == after


MOVED = [
    ("with a:\n    b\n    c(\n        1,\n    )  # why\nd\n", 1, "with a:\n    b\nc(\n    1,\n)  # why\nd\n"),
    ("with a:\n    # why\n    b\n    c\nd\n", 1, "with a:\n    # why\n    b\nc\nd\n"),
    ("if z:\n\twith a:\n\t\tb\n\t\tc", 0, "if z:\n\tb\n\tc"),
    ('with a:\n    b\n    c = """\n    d\n"""\n', 1, 'with a:\n    b\nc = """\n    d\n"""\n'),
    (
        "with a:\r\n    b\r\n    if c:\r\n        d\r\n\r\ne\r\n",
        1,
        "with a:\r\n    b\r\nif c:\r\n    d\r\n\r\ne\r\n",
    ),
    ("with a:  # why\n    b\n", 0, None),
    ("with a: b\n", 0, None),
    ("with a:\n    b; c\n", 1, None),
]


@pytest.mark.parametrize(
    ("text", "needle", "after"),
    [
        ("if a:\n    b\nelse:\n    c\nd\n", "c", "if a:\n    b\nd\n"),
        ("if a:\n    b\nelif e:\n    f\nelse:\n    c", "c", "if a:\n    b\nelif e:\n    f"),
        ("if a:\n    b\nelse:  # why\n    c\n", "c", "if a:\n    b\nelse:  # why\n    pass\n"),
        ("if a:\n    b\nelse: c\n", "c", "if a:\n    b\nelse: pass\n"),
        ("if a:\n    b\nelse:\n    c\n", "b", "if a:\n    pass\nelse:\n    c\n"),
        ("for a in e:\n    b\nelse:\n    c\n", "c", "for a in e:\n    b\nelse:\n    pass\n"),
    ],
)
def test_an_else_goes_with_its_only_statement(text: str, needle: str, after: str) -> None:
    assert edited(text, lambda s, n: rewrite.delete_statement(s, _statement(s, n)), needle) == after


def _statement(source: Source, node: ast.AST) -> ast.stmt:
    return next(
        each
        for each in ast.walk(source.tree)
        if isinstance(each, ast.stmt) and source.range(each) == source.range(node)
    )


@pytest.mark.parametrize(("text", "first", "after"), MOVED)
def test_statements_move_out_of_their_block(text: str, first: int, after: str | None) -> None:
    source = Source("a.py", text)
    block = next(each for each in ast.walk(source.tree) if isinstance(each, ast.With))
    edit = rewrite.move_out(source, block, block.body[first])
    assert (None if edit is None else apply_edits(text, [edit])) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("@a.b()\n@c\ndef f(): pass\n", "@c\ndef f(): pass\n"),
        ("class A:\n    @a.b\n    def f(self): pass\n", "class A:\n    def f(self): pass\n"),
        ("@a.b()  # why\ndef f(): pass\n", None),
    ],
)
def test_a_decorator_goes_with_its_line(text: str, after: str | None) -> None:
    source = Source("a.py", text)
    function = next(each for each in ast.walk(source.tree) if isinstance(each, ast.FunctionDef))
    edit = rewrite.delete_decorator(source, function.decorator_list[0])
    assert (None if edit is None else apply_edits(text, [edit])) == after


def test_the_indentation_is_that_of_most_blocks() -> None:
    other = "def f(x):\n      return x\n"
    source = Source("x.py", other + "\n".join(f"def f{number}(x):\n    return x\n" for number in range(3)))
    assert indent_unit(source) == "    "
    assert indent_unit(Source("y.py", other)) == "      "


def test_insertions_use_the_indentation_of_the_file() -> None:
    text = "if a:\n\tb\n"
    assert (
        edited(text, lambda s, n: rewrite.insert_after(s, n, "if c:\n    d"), "b")
        == "if a:\n\tb\n\tif c:\n\t\td\n"
    )


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("x = 1\n", "import torch\n\nx = 1\n"),
        ("import os\nx = 1\n", "import os\nimport torch\nx = 1\n"),
        ("import torch\nx = 1\n", "import torch\nx = 1\n"),
        ('"""Doc."""\nx = 1\n', '"""Doc."""\n\nimport torch\nx = 1\n'),
        (
            '"""Doc."""\nfrom __future__ import annotations\n',
            '"""Doc."""\nfrom __future__ import annotations\nimport torch\n',
        ),
        (
            "#!/usr/bin/env python\n# License\n\nx = 1\n",
            "#!/usr/bin/env python\n# License\n\nimport torch\n\nx = 1\n",
        ),
        ("# nothing", "# nothing\nimport torch\n"),
        ("import os; x = 1\r\n", "import os; import torch; x = 1\r\n"),
        ("", "import torch\n"),
    ],
)
def test_add_import(text: str, after: str) -> None:
    assert apply_edits(text, rewrite.add_import(Source("a.py", text), "import torch")) == after


@pytest.mark.parametrize(
    ("text", "inserted", "after"),
    [
        ("import torch\nx\n", "torch.f(", "import torch\ntorch.f(x\n"),
        ("import os\nx\n", "torch.f(", "import os\nimport torch\ntorch.f(x\n"),
        ("from a import *\nx\n", "torch.f(", "from a import *\ntorch.f(x\n"),
        ("import os\nx\n", "os.f(", "import os\nos.f(x\n"),
        ("import os\nx\n", "nn.f(", None),
        ("def f():\n    import torch\nx\n", "torch.f(", None),
        ("def f():\n    import torch\n    x\n", "torch.f(", "def f():\n    import torch\n    torch.f(x\n"),
        ("def f(torch):\n    x\n", "torch.f(", "def f(torch):\n    torch.f(x\n"),
        ("y.x\n", "f().", "y.f().x\n"),
        ("x\n", "[each for each in 'torch' if each.torch] + g(torch=len(", None),
        (
            "g = 1\nx\n",
            "[one for one in 'torch'] + g(torch=len(",
            "g = 1\n[one for one in 'torch'] + g(torch=len(x\n",
        ),
        ("ª = 1\nx\n", "ª.f(", "ª = 1\nª.f(x\n"),  # Python reads it as `a`
        (
            "import os\n" * 99 + "import torch\nx\n",
            "torch.f(",
            "import os\n" * 99 + "import torch\ntorch.f(x\n",
        ),
        ("import os\n" * 99 + "class torch:\n    a = 1\nx\n", "a.f(", None),
        ("x\n", "with torch.g() as y:\n    y(", "import torch\n\nwith torch.g() as y:\n    y(x\n"),
        ("import torch as t\ndef f():\n    x\n", "torch.f(", "import torch as t\ndef f():\n    t.f(x\n"),
        (
            "import torch as t\ndef f(t):\n    x\n",
            "torch.f(",
            "import torch as t\nimport torch\ndef f(t):\n    torch.f(x\n",
        ),
        (
            "import torch as t\nt = 1\ndef f():\n    x\n",
            "torch.f(",
            "import torch as t\nimport torch\nt = 1\ndef f():\n    torch.f(x\n",
        ),
        (
            "import torch as t\ndef f():\n    x\n",
            "'torch.f' + torch.f(",
            "import torch as t\nimport torch\ndef f():\n    'torch.f' + torch.f(x\n",
        ),
    ],
)
def test_new_text_names_what_is_bound(text: str, inserted: str, after: str | None) -> None:
    source, at = Source("a.py", text), text.rindex("x\n")
    made = bindings.naming_what_is_bound(source, (Edit(Range(at, at), inserted),))
    assert (apply_edits(text, made) if made else None) == after


def test_refusals() -> None:
    assert edited("if a: b\nelif c: d", lambda s, n: rewrite.insert_before(s, n, "x"), "elif c: d") is None
    assert edited("if a: b", lambda s, n: rewrite.insert_after(s, n, "with x:\n    y"), "b") is None
    assert edited("f'{a}'", lambda s, n: rewrite.append(s, n, ".to('cpu')"), "a") is None
    assert edited("match x:\n  case a.b: pass", lambda s, n: rewrite.append(s, n, ".c"), "a.b") is None
    assert edited("f(*a)", lambda s, n: rewrite.append(s, n, ".c"), "*a") is None
    assert edited("x = 1", lambda s, n: rewrite.append(s, n, ".c"), "x") is None
    assert edited("x = y", lambda s, n: rewrite.replace(s, n, "1 +"), "y") is None
    assert (
        edited("f(y, x=1)", lambda s, _: rewrite.append(s, ast.parse("f(y)").body[0].value, ".c"), "y")
        is None
    )
