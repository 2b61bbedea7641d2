"""Bombs: short programs whose values, structure or text grow without bound."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random


def bomb(random: Random) -> tuple[str, str]:
    """One bomb of a random kind and size, at the top of a file, in a function, a method or a loop: its name and text."""
    name = random.choice(list(_BOMBS))
    body = _BOMBS[name](random)
    places: list[Callable[[str, Random], str]] = [_at_top, _at_top, _in_function, _in_method, _in_loop]
    return name, random.choice(places)(body, random)


def named(name: str, random: Random) -> str:
    """The text of one kind of bomb, at the top of a file.

    Raises:
        KeyError: if there is no such kind.
    """
    return _at_top(_BOMBS[name](random), random)


def names() -> list[str]:
    """All kinds of bombs."""
    return list(_BOMBS)


_BEGIN: Final = "import os\nimport torch\nfrom torch import nn\n\n"
_END: Final = "\nx = torch.ones(2, device='cuda')\ny = torch.ones(2)\nx + y\n"


def _at_top(body: str, _random: Random) -> str:
    return _BEGIN + body + _END


def _in_function(body: str, random: Random) -> str:
    arguments = random.choice(["", "self", "a, b=2, *c, **d", "t: torch.Tensor"])
    return f"{_BEGIN}def run({arguments}):\n{textwrap.indent(body, '    ')}\n{_END}\nrun(1)\n"


def _in_method(body: str, _random: Random) -> str:
    lines = textwrap.indent(body, "        ")
    return f"{_BEGIN}class Net(nn.Module):\n    def forward(self, x):\n{lines}\n        return x\n{_END}\nNet()(x)\n"


def _in_loop(body: str, random: Random) -> str:
    head = random.choice(["for i in range(10):", "while os.environ:", "for i in (1, 2, 3, 4, 5):"])
    return f"{_BEGIN}{head}\n{textwrap.indent(body, '    ')}\n{_END}"


def _repeat(line: str, count: int) -> str:
    return "\n".join(line.replace("#", str(number)) for number in range(count))


def _growth(start: str, *steps: str) -> Callable[[Random], str]:
    """A start, and one of several steps that make it grow, over and over."""

    def text(random: Random) -> str:
        return f"{start}\n{_repeat(random.choice(steps), random.choice([10, 30, 60, 400]))}\nlen(a), a == a, str(a), {{a: 1}}"

    return text


def _literal(*texts: str) -> Callable[[Random], str]:
    return lambda random: random.choice(texts)


def _nested(opening: str, inner: str, closing: str) -> Callable[[Random], str]:
    def text(random: Random) -> str:
        depth = random.choice([20, 60, 85, 400, 3000])
        return f"a = {opening * depth}{inner}{closing * depth}"

    return text


def _chain(first: str, link: str, *, most: int = 4000) -> Callable[[Random], str]:
    def text(random: Random) -> str:
        return f"a = {first}{link * random.choice([50, 300, 900, most])}"

    return text


def _blocks(*heads: str, most: int = 19) -> Callable[[Random], str]:
    """Blocks in one another."""

    def text(random: Random) -> str:
        depth = random.choice([6, 8, 12, most])
        lines = ["    " * level + random.choice(heads).replace("#", str(level)) for level in range(depth)]
        return "\n".join([*lines, "    " * depth + "a = torch.ones(2).sum()", "    " * depth + "b = a + a"])

    return text


def _cases(head: str, each: str, *, start: str = "") -> Callable[[Random], str]:
    """One after another of something."""

    def text(random: Random) -> str:
        return "\n".join(
            each for each in (start, head, _repeat(each_, random.choice([50, 200, 600, 2000]))) if each
        )

    each_ = each
    return text


def _elifs(random: Random) -> str:
    count = random.choice([50, 200, 600, 2000])
    test = random.choice(["os.environ == #", "a == #", "a is torch.ones(#)", "len(a) > # and a"])
    return "a = os.getcwd()\nif a:\n    b = 1\n" + _repeat(f"elif {test}:\n    b = c# = torch.ones(#)", count)


def _matches(random: Random) -> str:
    count = random.choice([50, 300, 2000])
    pattern = random.choice(["#", "'#'", "[x, #]", "{'k': #}", "A(x=#)", "# | -#", "x if x == #"])
    return "match os.getcwd():\n" + _repeat(f"    case {pattern}:\n        b = torch.ones(#)", count)


def _classes(random: Random) -> str:
    count = random.choice([50, 150, 500])
    base = random.choice(["nn.Module", "object", "dict", "torch.autograd.Function"])
    body = random.choice(["pass", "def forward(self, x):\n        return super().forward(x)", "a = #"])
    return (
        f"class C0({base}):\n    pass\n"
        + "\n".join(f"class C{number + 1}(C{number}):\n    {body}" for number in range(count))
        + f"\nC{count}()"
    )


def _functions(random: Random) -> str:
    count = random.choice([20, 100, 400])
    body = random.choice(
        ["return f#(x) + f#(x)", "return [f#(x), f#(x)]", "yield from f#(x)", "return f#(f#(x))"]
    )
    return (
        "def f0(x):\n    return x\n"
        + "\n".join(f"def f{number + 1}(x):\n    {body.replace('#', str(number))}" for number in range(count))
        + f"\nf{count}(torch.ones(2))"
    )


def _paths(random: Random) -> str:
    """Many undecided tests in a row."""
    count = random.choice([20, 60, 300])
    body = random.choice(
        [
            "if os.environ.get('#'):\n    a = a.view(-1)\nelse:\n    a = a.t()",
            "if os.environ.get('#'):\n    a = (a, #)",
            "a = [a, #] if os.environ.get('#') else {'a': a}",
            "if os.environ.get('#'):\n    a = a.to('cuda')\nelse:\n    a = a.cpu()",
            "if os.environ.get('#'):\n    a = a + #",
            "try:\n    a = a.reshape(#)\nexcept ValueError:\n    a = torch.ones(#)\nfinally:\n    b = a",
            "if os.environ.get('#'):\n    a.requires_grad_()\n    a = a * 2",
            "a = a if os.environ.get('#') is None else not a",
            "a = a and os.environ.get('#') or a",
        ]
    )
    return "a = torch.ones(2)\n" + _repeat(body, count) + "\na.sum().backward()\nprint(a)"


_BOMBS: Final[dict[str, Callable[[Random], str]]] = {
    "integers": _growth(
        "a = 3", "a = a * a", "a *= a", "a = a ** a", "a = a << a", "a = a + a", "a **= 9", "a = a | a << 99"
    ),
    "floats": _growth(
        "a = 3.5", "a = a * a", "a = a ** a", "a = a % a", "a = a // 1e-300", "a = int(a * 1e300)"
    ),
    "texts": _growth(
        "a = 'ab'",
        "a = a + a",
        "a += a",
        "a = a * 9",
        "a = f'{a}{a}'",
        "a = '%s%s' % (a, a)",
        "a = a.join([a, a])",
        "a = a.replace('a', a)",
        "a = '{}{}'.format(a, a)",
        "a = a.ljust(len(a) * 9)",
        "a = a.expandtabs(9 ** 9)",
    ),
    "bytes": _growth(
        "a = b'ab'",
        "a = a + a",
        "a = a * 9",
        "a = a.join([a, a])",
        "a = bytes(9 ** 9)",
        "a = bytearray(10 ** 10)",
    ),
    "tuples": _growth(
        "a = (1, 2)",
        "a = a + a",
        "a += a",
        "a = a * 9",
        "a = (*a, *a)",
        "a = tuple(list(a) + list(a))",
        "a = (a, a)",
        "a = (a,)",
        "a = a, a, a",
        "a = tuple([a, a])",
        "a = (a, [a], {1: a})",
    ),
    "lists": _growth(
        "a = [1, 2]",
        "a = a + a",
        "a += a",
        "a = a * 9",
        "a *= 9",
        "a = [*a, *a]",
        "a.extend(a)",
        "a.append(a)",
        "a = [a, a]",
        "a = list(zip(a, a))",
        "a = list(enumerate(a))",
        "a = [(x, a) for x in a]",
        "a[0:0] = a",
        "a.append(#)",
        "a = sorted(a + a)",
        "a.insert(0, a)",
    ),
    "dicts": _growth(
        "a = {1: 2}",
        "a = {1: a, 2: a}",
        "a = {**a, #: a}",
        "a[#] = a",
        "a.update({#: a})",
        "a = a | {#: a}",
        "a = dict(a, b#=a)",
        "a = {(k, k): v for k, v in a.items()}",
        "a[a] = a",
        "a.setdefault(#, a)",
    ),
    "dict keys": _growth("a = 1", "a = (a, a)\nb = {a: 1}\nb[a]", "b = {a: 1, (a, #): 2}\na = (a, a)"),
    "sets": _growth(
        "a = {1}",
        "a = {a, #}",
        "a.add(#)",
        "a = a | {#}",
        "a.update(a)",
        "a = {*a, *a}",
        "a = frozenset([a, a])",
    ),
    "symbols": _growth(
        "a = os.getcwd()",
        "a = a + a",
        "a = a.a",
        "a = a[a]",
        "a = a(a)",
        "a = a[0]",
        "a = a, a\na, b = a",
        "a = a.b(a.c)",
        "a = len(a) + len(a)",
        "a = -a",
        "a = not a",
        "a = a < a",
        "a = a == a",
        "a = a or a",
        "a = int(a) * int(a)",
        "a = getattr(a, 'b')",
        "a = a if a else a.b",
        "a, a.b = a.b, a",
        "a = [a for a in a]",
        "a = max(a, a)",
        "a = a.shape[0] + a.shape[1]",
        "a = (a < 3) + (a > 4)",
    ),
    "parameters": lambda random: (
        "def f(a: int, b: int):\n"
        + _repeat(
            random.choice(
                [
                    "    a = a + a",
                    "    a = a * b; b = b - a",
                    "    a = a // b + b",
                    "    a = -a",
                    "    a = a[a:a]",
                    "    a = (a, b)[0] + a",
                ]
            ),
            random.choice([20, 60, 400]),
        )
        + "\n    return torch.ones(a).to(b)"
    ),
    "tensors": _growth(
        "a = torch.ones(2, 2, requires_grad=True)",
        "a = a.view(-1)",
        "a = a + a",
        "a = a[0]",
        "a = a.t()",
        "a.add_(a)",
        "a = torch.cat([a, a])",
        "a = torch.stack((a, a))",
        "a = a.expand(2, *a.shape)",
        "a = a.repeat(9, 9, 9)",
        "a = a.reshape(1, 2, 2)",
        "a = a.unsqueeze(0)",
        "a = a[None, ...]",
        "a = torch.ones(a.shape + a.shape)",
        "a.grad = a",
        "a = a.detach()",
        "a = a.split(1)",
        "a.data = a",
        "a = torch.ones(*a.shape, *a.shape)",
        "a.b = a",
        "a = a.contiguous().view(2, 2)",
    ),
    "shapes": _literal(
        "a = torch.ones(9 ** 99, 9 ** 99).numel()",
        "a = torch.ones(*range(10 ** 9))",
        "a = torch.ones([10 ** 9] * 99).reshape(-1)",
        "a = torch.ones(2).repeat(*[9] * 30)",
        "a = torch.eye(10 ** 12)[0].tolist()",
        "a = torch.ones(10 ** 9).unbind()",
        "a, *b = torch.ones(10 ** 9)",
        "a = [*torch.ones(10 ** 9)]",
        "a = torch.ones(10 ** 8, 1).split(1)",
        "a = torch.ones(10 ** 9).chunk(10 ** 8)",
        "a = torch.arange(10 ** 30)",
        "a = torch.ones((2,) * 10 ** 8)",
        "a = torch.ones(2).expand(*(1,) * 10 ** 9)",
        "a = torch.ones(-10 ** 30)",
        "a = torch.ones(2).view(0, -1)",
        "a = torch.meshgrid(*[torch.ones(2)] * 10 ** 7)",
    ),
    "powers": _literal(
        "a = 9 ** 9 ** 9",
        "a = 2 ** 10 ** 10",
        "a = pow(9, 9 ** 9)",
        "a = 10 ** 400 / 3",
        "a = (-8) ** 0.5",
        "a = 1 << 10 ** 10",
        "a = 0 ** -1",
        "a = 1e308 ** 9",
        "a = 2 ** -10 ** 9",
        "a = pow(3, 10 ** 9, 7)",
        "a = 1 >> -1",
        "a = 1 << -1",
        "a = True ** 10 ** 9",
        "a = 10 ** 5000\nprint(str(a), f'{a}', a)\nb = {a: a}\nb[a]",
        "a = int('9' * 5000)",
        "a = '%d' % 10 ** 5000",
        "a = round(10 ** 400, -300)",
        "a = 1.0 + 10 ** 400",
        "a = 10 ** 400 < 1.5",
        "a = float(10 ** 400)",
        "a = 10 ** 400 // 1.5",
        "a = hash(10 ** 400)",
    ),
    "formats": _literal(
        "a = '%1000000000d' % 3",
        "a = '{:>9999999999}'.format(3)",
        "a = f'{3:>9999999999}'",
        "a = format(3, '>9999999999')",
        "a = f'{3:{10 ** 9}}'",
        "a = '%*d' % (10 ** 9, 3)",
        "a = '%.999999999f' % 3",
        "a = 'a'.zfill(10 ** 10)",
        "a = 'a'.center(10 ** 10)",
        "a = b'%1000000000d' % 3",
        "a = f'{10 ** 5000}'",
        "a = str(10 ** 5000)",
        "a = f'{\"a\" * 10 ** 10}'",
        "a = '{0:{1}}'.format(1, 10 ** 9)",
        "a = repr('a' * 10 ** 10)",
    ),
    "repetitions": _literal(
        "a = 'a' * 10 ** 10",
        "a = [0] * 10 ** 10",
        "a = (0,) * 10 ** 10",
        "a = b'a' * 10 ** 10",
        "a = [[0] * 10 ** 5] * 10 ** 5",
        "a = 10 ** 10 * 'a'",
        "a = 10 ** 10 * (0, 1)",
        "a = 'a'\na *= 10 ** 10",
        "a = (0,)\na *= 10 ** 10",
        "a = [0] * -10 ** 10",
        "a = (None,) * 10 ** 9 + (1,)",
        "a = [nn.Linear(2, 2)] * 10 ** 9",
        "a = nn.Sequential(*[nn.Linear(2, 2)] * 10 ** 8)",
        "a = ['a'] * int('9' * 30)",
    ),
    "ranges": _literal(
        "a = range(10 ** 30)\nlen(a)",
        "a = list(range(10 ** 10))",
        "a = [x for x in range(10 ** 10)]",
        "a = range(0, 10 ** 30, 10 ** 29)",
        "a = [*range(10 ** 9)]",
        "a = tuple(range(10 ** 9))",
        "for a in range(10 ** 30): pass",
        "a = sum(range(10 ** 10))",
        "a = range(10 ** 30)[10 ** 20]",
        "a = dict.fromkeys(range(10 ** 9))",
        "a = list(map(str, range(10 ** 9)))",
        "a = enumerate(range(10 ** 9), 10 ** 400)",
        "a = range(1, 2, 0)",
        "a = range(-10 ** 40, 10 ** 40)",
        "a = slice(10 ** 40)",
        "a = [1, 2, 3][10 ** 40:]",
        "a = (1, 2)[-10 ** 40]",
        "a = 'abc'[10 ** 40]",
        "a = (1, 2)[::-10 ** 40]",
        "a = [1, 2][::0]",
        "a = torch.ones(2)[10 ** 40::10 ** 40]",
    ),
    "joins": _literal(
        "a = ''.join(['a' * 10 ** 9] * 10 ** 9)",
        "a = ('a' * 10 ** 6).join(['b'] * 10 ** 6)",
        "a = ','.join(map(str, range(10 ** 9)))",
        "a = os.path.join(*['a'] * 10 ** 8)",
        "a = ('a,' * 10 ** 7).split(',')",
        "a = 'a'.split('')",
        "a = ('ab' * 10 ** 8).upper()",
        "a = 'a' * 9999 == 'b' * 9999",
    ),
    "regular expressions": _literal(
        "import re\na = re.compile('(a+)+$').match('a' * 40 + 'b')",
        "import re\na = re.sub('(a*)*b', '', 'a' * 99)",
        "def a(x):\n    '''x ( ( ( (" + "~(" * 9000 + "'''",
        "a = '''" + " " * 60000 + "x'''",
        "# devls: " + "ignore " * 9000,
        "# noqa" + ":" * 90000,
        "def a(x):\n    '''" + "\n" * 20000 + ":param" + " " * 20000 + "'''",
        "x = 1  # type: " + "ignore[" * 20000,
        "# devls: ignore[" + "a," * 50000,
        "def a(x: '" + "Optional[" * 5000 + "Tensor'): pass",
    ),
    "huge literals": lambda random: (
        random.choice(
            [
                "a = 0x" + "f" * 200000,
                "a = '" + "x" * 2000000 + "'",
                "a = [" + "1, " * 100000 + "]",
                "a = (" + "1, " * 100000 + ")",
                "a = {" + _repeat("#: #,", 50000) + "}",
                "a = b'" + "x" * 2000000 + "'",
                "a = f'" + "{x}" * 20000 + "'",
                "a = torch.tensor([" + "[1, 2], " * 30000 + "])",
                "a = 1e" + "9" * 5000,
                "a = {" + "1, " * 50000 + "}",
                "a = f(" + "1, " * 30000 + ")",
                "a = dict(" + _repeat("a#=#,", 20000) + ")",
                "a = " + "x" * 200000,
                "a = x." + "y" * 200000,
                "a = (" + "(1, 2), " * 40000 + ")\na == a\n{a: a}",
                "a = torch.ones(" + "1, " * 20000 + ")\na.shape == a.shape",
                "a = nn.Sequential(" + "nn.Linear(2, 2), " * 5000 + ")\na(x)",
            ]
        )
        + "\nb = a\nb == a"
    ),
    "many names": _cases("", "a# = torch.ones(#)", start="from torch import *"),
    "many globals": lambda random: (
        (count := random.choice([200, 1500]))
        and _repeat("def f#():\n    global a#\n    a# = torch.ones(#)\n    f#()", count)
    ),
    "nested brackets": _nested("(", "1,", ")"),
    "nested lists": _nested("[", "torch.ones(2)", "]"),
    "nested calls": _nested("torch.relu(", "x", ")"),
    "nested dicts": _nested("{1: ", "2", "}"),
    "nested lambdas": _nested("lambda: ", "x", ""),
    "nested subscripts": _nested("x[", "0", "]"),
    "nested unary": _nested("-", "x", ""),
    "nested not": _nested("not ", "x", ""),
    "nested conditions": _nested("(1 if x else ", "x", ")"),
    "nested comprehensions": _nested("[y for y in ", "x", "]"),
    "nested f-strings": _nested("f'{", "x", "}'"),
    "attribute chain": _chain("x", ".a"),
    "call chain": _chain("x", ".relu()"),
    "method chain": _chain("torch.ones(2)", ".relu()"),
    "subscript chain": _chain("x", "[0]"),
    "addition chain": _chain("x", " + x"),
    "number chain": _chain("1", " * 99999999999"),
    "text chain": _chain("'a'", " + 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaa'"),
    "boolean chain": _chain("x", " and x.y"),
    "boolean chain of tests": _chain("x", " or (x and y)"),
    "comparison chain": _chain("x", " < x"),
    "implicit text chain": _chain("'a'", " 'aaaa'", most=40000),
    "loops": _blocks(
        "for i# in x:",
        "for i# in (1, 2, 3, 4, 5, 6):",
        "while x#:",
        "for i# in range(5):",
        "for i# in range(3):",
    ),
    "unrolled loops": _blocks("for i# in (1, 2, 3, 4, 5, 6):"),
    "loops over ranges": _blocks("for i# in range(#):"),
    "loops over data": _blocks("for i#, j# in x#:"),
    "whiles": _blocks("while x > #:", "while True:"),
    "ifs": _blocks("if x#:", "if os.environ.get('#'):", "if x == #:", most=60),
    "withs": _blocks("with torch.no_grad():", "with x#:", "with torch.autocast('cuda') as x#:", most=60),
    "functions in functions": _blocks("def f#(x):", "async def f#(x):", most=60),
    "classes in classes": _blocks("class C#:", "class C#(nn.Module):", most=90),
    "mixed blocks": _blocks(
        "for i# in x:",
        "if x#:",
        "with x#:",
        "def f#():",
        "class C#(nn.Module):",
        "while x:",
        "for i# in (1, 2):",
        most=40,
    ),
    "comprehension": lambda random: (
        "a = [1"
        + _repeat(
            random.choice([" for i# in x", " for i# in (1, 2, 3)", " for i# in range(9) if i#"]),
            random.choice([8, 30, 200]),
        ).replace("\n", "")
        + "]"
    ),
    "elif": _elifs,
    "match": _matches,
    "chained classes": _classes,
    "chained functions": _functions,
    "paths": _paths,
    "recursion": _literal(
        "def f(x):\n    return f((x, x))\nf(1)",
        "def f(x):\n    return f(f(x)) + f(f(x))\nf(torch.ones(2))",
        "def f(*a):\n    return f(*a, *a)\nf(1, 2)",
        "def f(**a):\n    return f(a=a, b=a)\nf()",
        "f = lambda g: g(g)\nf(f)",
        "class A:\n    def __getattr__(self, n):\n        return getattr(self, n + n)\nA().b",
        "class A:\n    def __call__(self, *a):\n        return self(self, *a)\nA()(1)",
        "import functools\na = print\n" + _repeat("a = functools.partial(a, a, a)", 60) + "\na()",
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = A()\n    def forward(self, x):\n        return self.a(self.a(x))\nA()(1)",
        "class A(A):\n    pass\nA()",
        "class A:\n    pass\nclass B(A):\n    pass\nA.__bases__ = (B,)\nA = B\nclass B(A): pass\nB()",
        "a = []\na.append(a)\nprint(a, a == a)\ntorch.stack(a)",
        "a = {}\na[1] = a\nprint(a)\na == a\nstr(a)",
        "class A(nn.Module): pass\na = A()\na.a = a\na.to('cuda')\na.parameters()\nlist(a.modules())",
        "def f():\n    yield from f()\nlist(f())",
        "def f(x=[]):\n    x.append(x)\n    return f(x)\nf()",
        "a = nn.ModuleList()\na.append(a)\na.cuda()",
        "import copy\na = []\na.append(a)\na = copy.deepcopy(a)",
        "a = nn.Sequential()\na.add_module('a', a)\na(x)",
        "def f(x):\n    def g(y):\n        return f(y)\n    return g\n" + "f(1)" + "(1)" * 60,
        "@f\n" * 60 + "def f(x):\n    return x",
        "a = nn.Linear(3, 4)\ndef f(m, *b):\n    m.register_forward_hook(f)\n    return m(b)\n"
        + "a.register_forward_hook(f)\n" * 60
        + "a(x)",
    ),
    "star arguments": _growth(
        "a = [1]",
        "f(*a, *a, **{'a': a})",
        "a = [*a, *a]\nprint(*a)",
        "def f#(*b):\n    return b\na = f#(*a, *a)",
    ),
    "strings as code": _literal(
        "a: '" + "[" * 5000 + "' = 1",
        "def f(x: '" + "(" * 5000 + "'): pass",
        "eval('1+' * 90000)",
        "exec('(' * 9000)",
        "def f(x: " + "a[" * 80 + "b" + "]" * 80 + "): pass",
        "def f(x" + ", y" * 3000 + "): pass".replace("y", "z"),
    ),
    "imports": _literal(
        "from . import " + ", ".join(f"a{n}" for n in range(3000)),
        "import " + ".".join(["a"] * 3000),
        "from " + "." * 3000 + " import a",
        _repeat("import a#.b.c", 1500),
        "from torch import " + ", ".join(f"a{n}" for n in range(3000)),
    ),
    "decorators": lambda random: (
        "@torch.no_grad()\n" * random.choice([50, 400]) + "def f(x):\n    return x\nf(x)"
    ),
    "many arguments": lambda random: (
        (count := random.choice([100, 1000]))
        and f"def f({', '.join(f'a{n}' for n in range(count))}): return a1\nf({', '.join('x' for _ in range(count))})"
    ),
    "many statements": _cases("", "x = x * 2\nx = x.to('cuda')\nx += y"),
    "many layers": lambda random: (
        "class N(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        + _repeat("        self.l# = nn.Linear(2, 2)", random.choice([100, 1000]))
        + "\n    def forward(self, x):\n"
        + _repeat("        x = self.l#(x)", random.choice([100, 1000]))
        + "\n        return x\nN()(x)"
    ),
    "deletions": _growth("a = [1]", "a = [1, 2]\ndel a[0]", "a = a\ndel a"),
    "targets": lambda random: (
        "a = " + "b = " * random.choice([100, 3000]) + "x\n" + "(" * 60 + "a," + "),"[:2] * 60 + " = x"
    ),
    "unpacking": _literal(
        "*a, = x\n" * 200,
        "a, (b, (c, (d, (e, *f)))) = x",
        ", ".join(f"a{n}" for n in range(3000)) + " = x",
        ", ".join(f"a{n}" for n in range(3000)) + " = torch.ones(3000)",
        "for " + ", ".join(f"a{n}" for n in range(2000)) + " in x: pass",
    ),
    "named expressions": _nested("(a := ", "x", ")"),
    "yields": lambda random: (
        "def g():\n"
        + _repeat(
            random.choice(["    yield #", "    x = yield x", "    yield from g()"]), random.choice([50, 2000])
        )
        + "\nfor a in g():\n    for b in g():\n        pass\nlist(g())"
    ),
    "tries": _blocks("try:\n" + "    pass" + "\nfinally:\n    pass\nif x#:", most=6),
}
"""By name, what writes the body of each kind."""
