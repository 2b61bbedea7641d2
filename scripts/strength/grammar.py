"""Random Python: every kind of statement and expression, with names that torch programs use."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

_NAMES: Final = "a b c x y self model loss optimizer torch nn data batch device f cls args".split()
_ATTRIBUTES: Final = (
    "to cuda cpu shape grad data device backward step parameters T item append items view zero_grad weight size "
    "no_grad ones Linear Module forward detach numpy sum a b requires_grad __class__ __dict__ mean train eval tensor cat"
).split()
_CONSTANTS: Final[list[object]] = [
    0, 1, -1, 2, 3.5, 1e308, 10**30, True, False, None, "", "cpu", "cuda:0", "a b", b"", b"ab", ..., 1j, "{}", "%s", 10**400,
]  # fmt: skip
_DEPTH: Final = 4


def program(random: Random) -> str:
    """The text of one program."""
    writer = _Writer(random)
    tree = ast.Module(writer.body(random.randint(3, 25), 0), [])
    return "import torch\nfrom torch import nn\n" + ast.unparse(ast.fix_missing_locations(tree)) + "\n"


class _Writer:
    """Makes trees; not all that it makes is allowed by the compiler, but all of it parses."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def name(self) -> str:
        return self.random.choice(_NAMES)

    def names(self, most: int = 3) -> list[str]:
        return self.random.sample(_NAMES, self.random.randint(1, most))

    def some(self, depth: int, least: int = 0, most: int = 3) -> list[ast.expr]:
        return [self.expression(depth + 1) for _ in range(self.random.randint(least, most))]

    def with_stars(self, depth: int) -> list[ast.expr]:
        return [
            ast.Starred(each, ast.Load()) if self.random.random() < 0.1 else each for each in self.some(depth)
        ]

    def optional(self, depth: int) -> ast.expr | None:
        return self.expression(depth + 1) if self.random.random() < 0.5 else None

    def expression(self, depth: int = 0) -> ast.expr:
        if depth > _DEPTH or self.random.random() < 0.25:
            return ast.Name(self.name(), ast.Load()) if self.random.random() < 0.7 else self.constant()
        return self.random.choice(self.expressions())(depth)

    def constant(self) -> ast.expr:
        return ast.Constant(self.random.choice(_CONSTANTS))

    def expressions(self) -> list[Callable[[int], ast.expr]]:
        new, some, pick = self.expression, self.some, self.random.choice
        operators = [ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.BitOr, ast.BitAnd, ast.BitXor, ast.MatMult]  # fmt: skip
        tests = [ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot, ast.In, ast.NotIn]

        def compare(depth: int) -> ast.expr:
            sides = some(depth, 1, 3)
            return ast.Compare(new(depth + 1), [pick(tests)() for _ in sides], sides)

        def dictionary(depth: int) -> ast.expr:
            values = some(depth)
            return ast.Dict([self.optional(depth) for _ in values], values)

        def formatted(depth: int) -> ast.expr:
            parts: list[ast.expr] = [ast.Constant("cuda:")]
            spec = ast.JoinedStr([ast.Constant(">9999999999")]) if self.random.random() < 0.2 else None
            parts += [ast.FormattedValue(ast.Name(self.name(), ast.Load()), -1, spec) for _ in some(depth)]
            return ast.JoinedStr(parts)

        return [
            *[self.call] * 4,
            *[lambda depth: ast.Attribute(new(depth + 1), pick(_ATTRIBUTES), ast.Load())] * 4,
            *[lambda depth: ast.BinOp(new(depth + 1), pick(operators)(), new(depth + 1))] * 2,
            *[self.subscript] * 2,
            compare,
            dictionary,
            formatted,
            lambda depth: ast.BoolOp(pick([ast.And, ast.Or])(), some(depth, 2, 4)),
            lambda depth: ast.UnaryOp(pick([ast.Not, ast.USub, ast.UAdd, ast.Invert])(), new(depth + 1)),
            lambda depth: ast.Lambda(self.arguments(depth), new(depth + 1)),
            lambda depth: ast.IfExp(new(depth + 1), new(depth + 1), new(depth + 1)),
            lambda depth: ast.Tuple(self.with_stars(depth), ast.Load()),
            lambda depth: ast.List(self.with_stars(depth), ast.Load()),
            lambda depth: ast.Set(some(depth, 1)),
            lambda depth: pick([ast.ListComp, ast.SetComp, ast.GeneratorExp])(
                new(depth + 1), self.generators(depth)
            ),
            lambda depth: ast.DictComp(new(depth + 1), new(depth + 1), self.generators(depth)),
            lambda depth: ast.NamedExpr(ast.Name(self.name(), ast.Store()), new(depth + 1)),
            lambda depth: ast.Await(new(depth + 1)),
            lambda depth: ast.Yield(self.optional(depth)),
            lambda depth: ast.YieldFrom(new(depth + 1)),
        ]

    def call(self, depth: int) -> ast.expr:
        names = ["to", "device", "a", "dim", "size", "out", None]
        keywords = [ast.keyword(self.random.choice(names), each) for each in self.some(depth, 0, 2)]
        of_builtins = "len range zip map list dict tuple str int sum max isinstance getattr setattr super next iter".split()
        function: ast.expr = self.random.choice(
            [ast.Name(self.random.choice(of_builtins), ast.Load()), self.expression(depth + 1)]
        )
        if self.random.random() < 0.4:
            owner = self.random.choice(
                ["torch", "nn", "torch.Tensor", "x", "torch.optim", "torch.cuda", "torch.utils.data"]
            )
            function = ast.Attribute(ast.Name(owner, ast.Load()), self.random.choice(_ATTRIBUTES), ast.Load())
        return ast.Call(function, self.with_stars(depth), keywords)

    def subscript(self, depth: int) -> ast.expr:
        part = (
            ast.Slice(self.optional(depth), self.optional(depth), self.optional(depth))
            if self.random.random() < 0.4
            else self.expression(depth + 1)
        )
        return ast.Subscript(self.expression(depth + 1), part, ast.Load())

    def generators(self, depth: int) -> list[ast.comprehension]:
        return [
            ast.comprehension(self.target(), self.expression(depth + 1), self.some(depth, 0, 1), 0)
            for _ in range(self.random.randint(1, 2))
        ]

    def arguments(self, depth: int) -> ast.arguments:
        chosen = [ast.arg(each) for each in self.random.sample(_NAMES, 5)]
        cut = self.random.randint(0, 3)
        defaults = self.some(depth, 0, cut)[:cut]
        star = chosen[3] if self.random.random() < 0.3 else None
        stars = chosen[4] if self.random.random() < 0.3 else None
        only = chosen[cut:3] if star is not None else []
        return ast.arguments([], chosen[:cut], star, only, [None for _ in only], stars, defaults)

    def target(self, depth: int = 0) -> ast.expr:
        chance = self.random.random()
        if chance < 0.6 or depth > 1:
            return ast.Name(self.name(), ast.Store())
        if chance < 0.75:
            return ast.Attribute(
                ast.Name(self.name(), ast.Load()), self.random.choice(_ATTRIBUTES), ast.Store()
            )
        if chance < 0.85:
            return ast.Subscript(ast.Name(self.name(), ast.Load()), self.expression(3), ast.Store())
        return ast.Tuple([self.target(depth + 1) for _ in range(self.random.randint(1, 3))], ast.Store())

    def body(self, count: int, depth: int) -> list[ast.stmt]:
        return [self.statement(depth) for _ in range(count)] or [ast.Pass()]

    def block(self, depth: int) -> list[ast.stmt]:
        return self.body(self.random.randint(1, 4), depth + 1)

    def rest(self, depth: int) -> list[ast.stmt]:
        return self.block(depth) if self.random.random() < 0.3 else []

    def statement(self, depth: int) -> ast.stmt:
        simple = depth > 3 or self.random.random() < 0.5
        return self.random.choice(self.simple() if simple else self.compound(depth))()

    def simple(self) -> list[Callable[[], ast.stmt]]:
        new, pick = self.expression, self.random.choice
        return [
            *[lambda: ast.Assign([self.target() for _ in range(pick([1, 1, 2]))], new())] * 4,
            *[lambda: ast.Expr(new())] * 3,
            lambda: ast.AugAssign(
                ast.Name(self.name(), ast.Store()), pick([ast.Add, ast.Mult, ast.Pow, ast.LShift])(), new()
            ),
            lambda: ast.AnnAssign(ast.Name(self.name(), ast.Store()), new(), self.optional(0), 1),
            lambda: ast.Return(self.optional(0)),
            lambda: ast.Raise(self.optional(0)),
            lambda: ast.Assert(new(), self.optional(0)),
            lambda: ast.Delete([ast.Name(self.name(), ast.Del())]),
            lambda: ast.Global(self.names()),
            lambda: ast.Nonlocal(self.names()),
            ast.Pass,
            ast.Break,
            ast.Continue,
            lambda: ast.Import(
                [ast.alias(pick(["torch", "os", "numpy", "torch.nn", "missing"]), pick([None, "x"]))]
            ),
            lambda: ast.ImportFrom(
                pick(["torch", "torch.nn", None]), [ast.alias(pick(_ATTRIBUTES), None)], pick([0, 1])
            ),
        ]

    def compound(self, depth: int) -> list[Callable[[], ast.stmt]]:
        block, rest, new = (lambda: self.block(depth)), (lambda: self.rest(depth)), self.expression

        def function() -> ast.stmt:
            kind = self.random.choice([ast.FunctionDef, ast.FunctionDef, ast.AsyncFunctionDef])
            name = self.random.choice(
                ["f", "forward", "__init__", "__getitem__", "training_step", "__enter__", "__iter__"]
            )
            made = kind(name, self.arguments(2), block(), self.some(2, 0, 1), self.optional(3), None)
            made.type_params = []
            return made

        def of_class() -> ast.stmt:
            bases: list[ast.expr] = [ast.Attribute(ast.Name("nn", ast.Load()), "Module", ast.Load())]
            made = ast.ClassDef(
                self.name(), self.random.choice([[], bases, self.some(2)]), [], block(), self.some(2, 0, 1)
            )
            made.type_params = []  # type: ignore[attr-defined]
            return made

        def handler() -> ast.ExceptHandler:
            return ast.ExceptHandler(new(3), self.random.choice([None, "a"]), block())

        return [
            lambda: ast.If(new(), block(), rest()),
            lambda: ast.For(self.target(), new(), block(), rest(), None),
            lambda: ast.While(new(), block(), rest()),
            lambda: ast.With([ast.withitem(new(), self.random.choice([None, self.target()]))], block(), None),
            lambda: ast.Try(block(), [handler() for _ in range(self.random.randint(1, 2))], rest(), rest()),
            lambda: ast.Match(
                new(), [ast.match_case(self.pattern(), self.optional(2), block()) for _ in range(2)]
            ),
            lambda: ast.AsyncFor(self.target(), new(), block(), rest(), None),
            lambda: ast.AsyncWith([ast.withitem(new(), None)], block(), None),
            function,
            function,
            of_class,
        ]

    def pattern(self, depth: int = 0) -> ast.pattern:
        def inner() -> ast.pattern:
            return self.pattern(depth + 1)

        simple: list[Callable[[], ast.pattern]] = [
            lambda: ast.MatchValue(ast.Constant(self.random.choice([0, 1, "cpu", 3.5]))),
            lambda: ast.MatchSingleton(self.random.choice([None, True, False])),
            lambda: ast.MatchAs(None, self.name()),
        ]
        nested: list[Callable[[], ast.pattern]] = [
            lambda: ast.MatchSequence([inner(), ast.MatchStar(self.random.choice([None, "a"]))]),
            lambda: ast.MatchMapping([ast.Constant("a")], [inner()], self.random.choice([None, "b"])),
            lambda: ast.MatchClass(ast.Name(self.name(), ast.Load()), [inner()], ["a"], [inner()]),
            lambda: ast.MatchOr([ast.MatchValue(ast.Constant(1)), inner()]),
            lambda: ast.MatchAs(inner(), self.name()),
        ]
        return self.random.choice(simple if depth > 2 else simple + nested)()
