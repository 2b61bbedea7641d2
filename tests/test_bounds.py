"""Whatever a program makes large stays within bounds that are counted, never timed; and one failure costs one function."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import logging
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

import pytest

from checking import holds_in_bounded_time
from devls.analysis import AnalysisCancelled, Analyzer
from devls.config import Config
from devls.engine.checks import move_places
from devls.engine.core import budget, containment, limits
from devls.engine.core.joins import Contents, Entries, merge_tensors
from devls.engine.core.machine import Machine
from devls.engine.driver import entry_points
from devls.engine.driver.entry_points import run_file
from devls.engine.python import constant_folding, expressions, operators, statements
from devls.library.lookup import Library
from devls.project.modules import Modules
from devls.project.workspace import Workspace
from devls.syntax import layout, rewrite
from devls.syntax.source import Source
from devls.syntax.suppressions import COMMENTS_TOLD, disable_file_edit
from devls.text import excerpt as excerpts
from devls.text.excerpt import excerpt
from devls.text.reading import UnreadableFileError
from devls.values.conditions import Condition
from devls.values.devices import CPU, CUDA
from devls.values.state import State
from devls.values.value import Const, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import SupportsLenAndGetItem

    from devls.analysis import Analysis

_T = TypeVar("_T")
ROOT = Path(__file__).parent.parent
CONFLICT = "x = torch.ones(2, device='cuda')\ny = torch.ones(2)\nx + y\n"
"""Ends in a finding."""


def analysis(text: str, folder: Path) -> Analysis:
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    return Analyzer(Workspace((str(folder),)), lambda _: Config()).analyze(str(path))


def machine_of(text: str, folder: Path) -> Machine:
    """A machine that has run a program."""
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    workspace = Workspace((str(folder),))
    machine = Machine(Library(), Modules(workspace, lambda _: (), None), lambda _: None)
    run_file(machine, workspace.source(str(path)))
    return machine


def value_of(text: str, folder: Path, name: str = "a") -> object:
    machine = machine_of(text, folder)
    return machine.resolve(machine.state.get(machine.frames[0].scope, name))


def size(value: object) -> int:
    """Parts of a value, those of its parts included."""
    if isinstance(value, TupleValue):
        return 1 + sum(map(size, value.items))
    if isinstance(value, Symbol):
        return size(value.key)
    if isinstance(value, Const):
        return value.value.bit_length() if type(value.value) is int else len(str(value.value))
    return 1 + sum(map(size, value)) if isinstance(value, tuple) else 1


def repeated(start: str, step: str, times: int = 30) -> str:
    return f"import os, torch\n{start}\n" + f"{step}\n" * times


GROWTH = {
    "whole numbers": ("a = 3", "a = a * a"),
    "whole numbers in place": ("a = 3", "a *= a"),
    "whole numbers by adding": ("a = 3 ** 40", "a = a + a\na = a * a"),
    "texts": ("a = 'ab'", "a = a + a"),
    "bytes": ("a = b'ab'", "a = a + a"),
    "bytes in place": ("a = b'ab'", "a += a\na *= 2"),
    "f-strings": ("a = 'ab'", "a = f'{a}{a}'"),
    "numbers in f-strings": ("a = 3", "a = int(f'{a}{a}')"),
    "tuples": ("a = (1, 2)", "a = a + a"),
    "spread tuples": ("a = (1, 2)", "a = (*a, *a)"),
    "tuples of lists": ("a = (1, 2)", "a = tuple(list(a) + list(a))"),
    "nested tuples": ("a = (1, 2)", "a = (a, a)"),
    "deep tuples": ("a = (1, 2)", "a = (a,)\n" * 40),
    "tuples of alternatives": ("a = (1, 2)", "a = (a, a) if os.environ.get('x') else (a,)"),
    "symbols": ("a = os.getcwd()", "a = len(a) + len(a)"),
    "attributes": ("a = os.getcwd()", "a = a.next\n" * 40),
    "items": ("a = os.getcwd()", "a = a[a[0]]\n" * 40),
    "negations": ("a = os.getcwd()", "a = -a\n" * 40),
    "comparisons": ("a = os.getcwd()", "a = (a < a) + (a < 3)"),
}


@pytest.mark.parametrize("name", GROWTH)
def test_values_stop_growing(tmp_path: Path, name: str) -> None:
    start, step = GROWTH[name]
    most = max(limits.INTEGER_BITS, limits.TEXT_LENGTH, limits.TUPLE_WEIGHT, limits.KEY_WEIGHT)
    assert size(value_of(repeated(start, step), tmp_path)) <= 2 * most


def test_parameters_stop_growing(tmp_path: Path) -> None:
    text = "def f(a: int, b: int):\n" + "    a = a + b\n    b = a * a\n" * 40 + "    reveal_value(a)\n"
    assert not analysis(text, tmp_path).cuts


def test_sizes_are_those_that_torch_has() -> None:
    assert TensorValue(shape=(2, limits.LARGEST_SIZE)).shape is not None
    assert TensorValue(shape=(2, limits.LARGEST_SIZE + 1)).shape is None
    assert TensorValue(shape=(1,) * limits.RANK).shape is not None
    assert TensorValue(shape=(1,) * (limits.RANK + 1)).shape is None


def test_containers_keep_so_many_apart() -> None:
    most = limits.SEVERAL
    assert len(Contents((Const(1),) * most).items or ()) == most
    assert Contents((Const(1),) * (most + 1)).items is None
    assert Entries(dict.fromkeys(range(most + 1), Const(1))).rest is not None


FOLDED = [
    ("__add__", 2, 3, 5),
    ("__iadd__", "a", "b", "ab"),
    ("__mul__", 1 << 600, 1 << 600, None),
    ("__add__", "a" * 6_000, "b" * 6_000, None),
    ("__mul__", "a", 10**10, None),
    ("__pow__", 2, 10, 1024),
    ("__pow__", 9, 9**9, None),
    ("__pow__", -8, 0.5, None),
    ("__pow__", 0, -1, None),
    ("__lshift__", 1, 10**10, None),
    ("__truediv__", 10**300, 3, 10**300 / 3),
    ("__add__", 1.0, 10**305 * 10**4, None),
    ("__mod__", "%1000000000d", 3, None),
]


@pytest.mark.parametrize(("method", "left", "right", "result"), FOLDED)
def test_folding(method: str, left: object, right: object, result: object) -> None:
    found = constant_folding.binary(method, left, right)
    assert (None if found is None else found.value) == result


def test_nothing_else_computes_with_constants() -> None:
    assert not any(hasattr(operators, each) for each in ("_fold", "_folded"))


NOT_COMPUTED = [
    "a = 9 ** 9 ** 9",
    "a = 1 << 10 ** 10",
    "a = 'a' * 10 ** 10",
    "a = b'a' * 10 ** 10",
    "a = (0,) * 10 ** 10",
    "a = '%1000000000d' % 3",
    "a = '{:>9999999999}'.format(3)",
    "a = f'{3:>9999999999}'",
    "a = format(3, '>9999999999')",
    "a = 'a'.ljust(10 ** 10)",
    "a = ''.join(['a'] * 10 ** 9)",
    "a = bytes(10 ** 10)",
    "a = list(range(10 ** 30))",
    "a = len(range(10 ** 30))",
    "a = enumerate(range(3), 10 ** 400)",
    "a = (1, 2)[::0]",
    "a = [1, 2][:10 ** 40:0]",
    "a = int('9' * 5000)",
    "a = float(10 ** 400)",
    f"a = 0x{'f' * 20_000}\nb = str(a)\nc = f'{{a}}'",
    f"a = '{'x' * 20_000}'",
    "a = torch.ones(9 ** 40, 9 ** 40).numel()",
]


@pytest.mark.parametrize("statement", NOT_COMPUTED)
def test_what_is_large_is_not_computed(tmp_path: Path, statement: str) -> None:
    found = analysis(f"import torch\n{statement}\n{CONFLICT}", tmp_path)
    assert [each.rule for each in found.diagnostics] == ["mixed-devices"]
    assert not found.cuts


LOOPS = {
    "of parameters": ("for p# in net.parameters():", "items.append(t)\nentries[u] = t"),
    "of tensors": ("for t# in tensors:", "net(t).sum().backward()\noptimizer.step()"),
    "of lists": ("for i# in [[1, 2], [3, 4], [5, 6]]:", "if i0 == u:\n    a = t\nif a is u:\n    b = a"),
}


@pytest.mark.parametrize("name", LOOPS)
def test_work_in_nested_loops_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(limits, "STEPS_PER_FILE", 6_000)
    monkeypatch.setattr(limits, "FREE_WORK", 10_000)
    head, body = LOOPS[name]
    lines = [
        "import os, torch",
        "from torch import nn",
        "net = nn.Sequential(*[nn.Linear(2, 2) for _ in range(3)], nn.Linear(2, 2), nn.Linear(2, 2))",
        "t, u, a, items, entries = torch.ones(2), os.environ, 0, [], {}",
        "tensors = [t, t * 2, t * 3]",
        "optimizer = torch.optim.SGD(net.parameters(), 0.1)",
        *("    " * level + head.replace("#", str(level)) for level in range(8)),
        *("    " * 8 + each for each in body.splitlines()),
    ]
    machine = machine_of("\n".join(lines) + "\n", tmp_path)
    assert machine.state.work < 2.1 * limits.FREE_WORK  # what a statement has begun it ends
    assert [each.what for each in machine.cuts.values()][:1] == ["the main program"]


def test_any_of_many_tensors_has_few_cases(tmp_path: Path) -> None:
    machine = machine_of("", tmp_path)
    tensor = TensorValue(device=CPU, requires_grad=False, leaf=True)
    for number in range(100):
        other = TensorValue(
            device=(CUDA, CPU)[number % 2], requires_grad=number % 2 == 0, leaf=number % 2 != 0
        )
        tensor = merge_tensors(machine, Condition.fresh("one of several"), tensor, other)
        for tree in (tensor.device, tensor.requires_grad, tensor.leaf):
            assert getattr(tree, "size", 1) <= limits.TREE_CASES


@pytest.mark.parametrize("count", [200, 400])
def test_long_chains_of_elif_are_run(tmp_path: Path, count: int) -> None:
    tests = "".join(f"elif a == {number}:\n    b = {number}\n" for number in range(count))
    found = analysis(f"import os, torch\na = os.getcwd()\nif not a:\n    b = 0\n{tests}{CONFLICT}", tmp_path)
    assert [each.rule for each in found.diagnostics] == ["mixed-devices"]
    assert not found.cuts


def test_many_cases_are_joined_in_groups(tmp_path: Path) -> None:
    cases = "".join(
        f"    case {number}:\n        b = c{number} = torch.ones({number})\n" for number in range(400)
    )
    machine = machine_of(f"import os, torch\nmatch os.getcwd():\n{cases}d = b\n", tmp_path)
    assert not machine.cuts
    assert machine.state.work < 60_000  # one by one it is more than 100 000
    assert isinstance(machine.state.get(machine.frames[0].scope, "d"), (Symbol, TensorValue))


def test_what_a_decided_path_knows_after_elif(tmp_path: Path) -> None:
    text = "import os\nu = os.getcwd()\nif u == 'a':\n    a = 1\nelif 1 < 2:\n    a = 1\nelif u == 'b':\n    a = 3\nelse:\n    a = 4\n"
    assert value_of(text, tmp_path) == Const(1)


def chained(head: str, each: str, count: int) -> str:
    """A class of which each derives from those before it, an object of the last one as a key, and a finding."""
    links = "".join(
        each.replace("#1", str(n - 1)).replace("#2", str(n - 2)).replace("#", str(n)) for n in range(2, count)
    )
    used = f"a = C{count - 1}()\na.x\nb = {{a: 1}}\nb[a]\n"
    return f"import os, torch\nfrom dataclasses import dataclass\n{head}{links}{used}{CONFLICT}"


PLAIN_CLASSES = "class C0(object): pass\nclass C1(C0): pass\n"
CHAINS = {
    "one after another": (PLAIN_CLASSES, "class C#(C#1): pass\n"),
    "of two": (PLAIN_CLASSES, "class C#(C#1, C#2): pass\n"),
    "of modules": (PLAIN_CLASSES.replace("object", "torch.nn.Module"), "class C#(C#1, C#2): pass\n"),
    "diamonds": (PLAIN_CLASSES, "class A#(C#1): pass\nclass B#(C#1): pass\nclass C#(A#, B#): pass\n"),
    "defined twice": (
        PLAIN_CLASSES,
        "if os.environ.get('#'):\n    class C#(C#1): pass\nelse:\n    class C#(C#1): pass\n",
    ),
    "perhaps another": (PLAIN_CLASSES, "class C#(C#1): pass\nif os.environ.get('#'):\n    class C#(C#, C#2): pass\n"),
    "data": (
        "@dataclass\nclass C0:\n    x: int = 0\n@dataclass\nclass C1(C0):\n    y: int = 0\n",
        "@dataclass\nclass C#(C#1, C#2):\n    z#: int = 0\n",
    ),
    "of many": (PLAIN_CLASSES, f"class C#({', '.join(['C#1', *(f'U{n}' for n in range(99))])}): pass\n"),
}  # fmt: skip


def calls_of(text: str, folder: Path) -> int:
    """How many functions are called, in Python or in C, to analyze a program."""
    count = 0

    def listen(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(listen)
    try:
        analysis(text, folder)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", CHAINS)
def test_chains_of_classes_cost_what_they_are_long(tmp_path: Path, name: str) -> None:
    calls_of(chained(*CHAINS[name], 8), tmp_path)  # what is read once and kept
    none, few, more = (calls_of(chained(*CHAINS[name], count), tmp_path) for count in (2, 11, 20))
    assert more - none < 5 * (few - none)  # each asks all that it derives from


MISTAKES = {
    "in the program": "x + y\n",
    "in functions": "def f#(x: torch.Tensor):\n    return x.cuda() + torch.ones(2)\n",
    "on one line": "x + y; ",
    "in comments": "a = 1  # devls: ignore[mixed-devices]\n",
    "with names": "a# = x + torch.ones(2)\n",
    "in place": "w# = torch.ones(2, requires_grad=True).exp()\nw#.add_(1)\nw#.sum().backward()\n",
    "without effect": "def f#(x):\n    torch.no_grad()\n    return x\n",
    "of backwards": "l# = (torch.ones(2, requires_grad=True) ** 2).sum()\nl#.backward()\nl#.backward()\n",
    "of functions": (
        "class F#(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.x = x\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g * ctx.x\n"
        "F#.apply(torch.ones(2, requires_grad=True)).sum().backward()\n"
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_cost_what_they_are_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(limits, "NAMES_TRIED", 20)

    def cost(count: int) -> int:
        return calls_of(
            f"import torch\n{CONFLICT}" + "".join(MISTAKES[name].replace("#", str(n)) for n in range(count)),
            tmp_path,
        )

    cost(30)  # what is read once and kept
    none, few, more = map(cost, (30, 130, 430))
    assert more - none < 5.2 * (few - none)  # four times as many


def class_of_lists(count: int) -> str:
    """A class that keeps layers in so many lists, none of which registers them."""
    lists = "".join(f"        self.a{n} = [nn.Linear(2, 2)]\n" for n in range(count))
    head = "import torch\nfrom torch import nn\nclass M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    return f"{head}{lists}    def forward(self, x):\n        return self.a0[0](x)\nM()(torch.ones(2))\n"


def decided_cases(count: int) -> str:
    """A function in which each finding is behind the tests of all those before."""
    cases = "".join(
        f"        case c{n} if c{n}.sum() > {n}:\n            y = x.cuda() + torch.ones(2)\n"
        for n in range(count)
    )
    return f"import torch\ndef f(x):\n    match x:\n{cases}    return y\nf(torch.ones(2))\n"


def backward_in_turn(count: int) -> str:
    """Losses that share a part whose graph is freed by the first of them, in a file with so many other variables."""
    others = "".join(f"a{n} = {n}\n" for n in range(count))
    deep = "h = h * 2\n" * 20
    return f"import torch\n{others}h = torch.ones(2, requires_grad=True).exp()\nh.sum().backward()\n{deep}h.sum().backward()\n"


def undecided_elifs(count: int) -> str:
    """Tests each of which stands below those before it, with a finding each."""
    tests = "".join(
        f"    {'elif' if n else 'if'} k == {n}:\n        x = x.cuda() + torch.ones({n})\n"
        for n in range(count)
    )
    return f"import os, torch\ndef f(x, k):\n{tests}    return x\nf(torch.ones(2), os.getcwd())\n"


def sum_of_mistakes(count: int) -> str:
    """Operands each of which stands below those after it, with a fix that puts something around all before it."""
    return f"import torch\nx = torch.ones(2)\ny = {' + '.join(['x', 'x.cuda()'] * (count // 2))}\n"


def classes_of_many_bases(count: int) -> str:
    """Classes of thirty bases, the first of which is not known."""
    bases = [", ".join(f"C{other}" for other in range(n - 1, max(-1, n - 30), -1)) for n in range(count)]
    links = "".join(
        f"class C{n}({bases[n]}):\n    def f(self, x):\n        return self.f(super().f(x))\n"
        for n in range(1, count)
    )
    return f"import foo, torch\nclass C0(foo.C): pass\n{links}C{count - 1}().f(torch.ones(2))\n"


def functions_of_one_default(count: int) -> str:
    """Functions that use one tensor of the program, with a finding each."""
    functions = "".join(f"def f{n}(x, y=a):\n    return x + y\n" for n in range(count))
    calls = "".join(f"f{n}(b)\n" for n in range(count))
    return f"import torch\na = torch.zeros(3)\nb = torch.zeros(3, device='cuda')\n{functions}{calls}"


def gradients_of_non_leaves(count: int) -> str:
    """Findings each of which is mended by a line before it, in a file without blocks."""
    reads = "".join(f"g{n} = y.grad\n" for n in range(count))
    return f"import torch\nx = torch.ones(3, requires_grad=True)\ny = x * 2\ny.sum().backward()\n{reads}"


def modes_of_one_block(count: int) -> str:
    """Grad modes each of which could be entered for the rest of the block."""
    return "import torch\n" + "torch.no_grad()\n" * count


def moves_dropped(count: int) -> str:
    """Moves whose results are dropped, before calls of which each could meet them."""
    drops, calls = "x.to('cuda')\n" * count, "f(x)\n" * (5 * count)
    return f"import torch\nx = torch.ones(2)\n{drops}{calls}"


def lists_of_losses(count: int) -> str:
    """Losses that are put into a list each, which is read after each."""
    body = "".join("    kept.append(m(x).sum())\n    np.mean(kept)\n" for _ in range(count))
    return f"import numpy as np, torch\nm = torch.nn.Linear(2, 2)\nx, kept = torch.ones(2), []\nfor _ in range(9):\n{body}"


def methods_without_callers(count: int) -> str:
    """Methods of one class, whose callers are looked for in it."""
    body = "".join(
        f"    def f{n}(self, x: torch.Tensor):\n        return torch.bucketize(x, torch.zeros(3))\n"
        for n in range(count)
    )
    return f"import torch\nclass C:\n{body}"


def losses_of_one_name(count: int) -> str:
    """Sums of losses that are given one name, which is read often before each."""
    read = "    print(l.item()" + ", l.item()" * 20 + ")\n"
    body = f"    l = F.mse_loss(m(x), x) + F.l1_loss(m(x), x).detach()\n{read}    l.backward()\n" * count
    return f"import torch, torch.nn.functional as F\nm = torch.nn.Linear(2, 2)\ndef train(x):\n{body}"


def moves_of_one_function(count: int) -> str:
    """Calls in a function whose moves tell where their arguments belong."""
    body = "    add(x, torch.ones(2))\n" * count
    return (
        "import torch\ndef add(a, b):\n    return a + b\ndef train(device):\n    x = torch.ones(2).to(device)\n"
        f"{body}train(torch.device('cuda'))\n"
    )


def mistakes_under_comments(count: int) -> str:
    """Mistakes that each of many comments silences."""
    return "# devls: ignore-file[mixed-devices]\n" * count + f"import torch\n{CONFLICT}" + "x + y\n" * count


def modules_of_one_method(count: int) -> str:
    """Methods of one name, each of which each class could call while it is built."""
    body = "".join(
        f"class L{n}(torch.nn.Module):\n def __init__(s):\n  super().__init__()\n  s.m = torch.nn.Linear(3, 3)\n"
        f" def run(s, b): return s.m(b) + torch.zeros(3)\n def start(s): L{n}().run(s)\n"
        for n in range(count)
    )
    return f"import torch\n{body}"


LONG_TEXTS = {
    lists_of_losses: 6,
    moves_dropped: 6,
    class_of_lists: 6,
    decided_cases: 6,
    backward_in_turn: 6,
    undecided_elifs: 8,  # those above each are gone through once
    sum_of_mistakes: 6,
    classes_of_many_bases: 6,
    methods_without_callers: 4.5,
    losses_of_one_name: 4.5,
    moves_of_one_function: 5,
    mistakes_under_comments: 6,
    modules_of_one_method: 6,
}


@pytest.mark.parametrize("made", LONG_TEXTS)
def test_what_is_long_costs_what_it_is_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Callable[[int], str]
) -> None:
    monkeypatch.setattr(limits, "NAMES_TRIED", 10)
    calls_of(made(10), tmp_path)  # what is read once and kept
    none, few, more = (calls_of(made(count), tmp_path) for count in (10, 40, 130))
    assert more - none < LONG_TEXTS[made] * (few - none)  # four times as many


@pytest.mark.parametrize("made", [functions_of_one_default, modes_of_one_block, gradients_of_non_leaves])
def test_findings_of_one_block_stop_looking_through_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Callable[[int], str]
) -> None:
    monkeypatch.setattr(move_places, "_USES", 10)
    monkeypatch.setattr(rewrite, "_LINES_MOVED", 10)
    calls_of(made(5), tmp_path)  # what is read once and kept
    monkeypatch.setattr(layout, "_UNTIL_BLOCK", 10)
    few, some, more = (calls_of(made(each), tmp_path) for each in (40, 80, 120))
    assert more - some < 1.25 * (some - few)


def test_names_of_a_statement_left_out_are_not_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Names(list[str]):
        def __contains__(self, _name: object) -> bool:
            raise AssertionError("once for each name")

    monkeypatch.setattr(statements, "names_changed", lambda _node: Names(["x", "x()", "y()"]))
    calls_of('x = y = [0]\n"left out"\nprint(x, y)\n', tmp_path)


def test_numbers_in_many_brackets_are_read_once(tmp_path: Path) -> None:
    few, more = (
        calls_of(f"import torch\ntorch.tensor({'[' * depth}1.0{']' * depth})\n", tmp_path)
        for depth in (4, 16)
    )
    assert more - few < 10_000  # it doubled with each


@pytest.mark.parametrize(
    "read", ["torch.tensor(a)", "torch.as_tensor(a)", "np.array(a)", "np.asarray(a)", "x[a]"]
)
@pytest.mark.parametrize("pair", ["[a, a]", "(a, a)"])
def test_data_that_holds_itself_twice_again_and_again_is_read_once(
    tmp_path: Path, read: str, pair: str
) -> None:
    few, more = (
        calls_of(
            f"import numpy as np, torch\nx = torch.ones(2)\na = {pair[0]}x, 1.0{pair[-1]}\n"
            f"{f'a = {pair}{chr(10)}' * depth}{read}\n",
            tmp_path,
        )
        for depth in (4, 14)
    )
    assert more - few < 10_000  # it doubled with each


def test_lists_that_hold_one_another_are_looked_into_once(tmp_path: Path) -> None:
    _, few, more = (
        calls_of(
            "import torch\nl = [torch.ones(2)]\n" + "l.append(l)\n" * width + "torch.tensor(l)\n", tmp_path
        )
        for width in (5, 5, 20)  # the first reads what is read once and kept
    )
    assert more - few < 4_000  # the fourth power of the width


def test_long_code_is_shortened_in_few_looks() -> None:
    code = " + ".join(f"f{number}(value, other)" for number in range(200))
    calls = 0

    def listen(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(listen)
    try:
        excerpt(code)
    finally:
        sys.setprofile(None)
    assert calls < 5_000  # forty looks are 50 000


@pytest.mark.parametrize(
    "made",
    [
        "def f{n}(x): return torch.ones(2) + w\n",
        "def f(x): return x + w\nf(v)\n",
        "class A{n}:\n  def f(self, x): return torch.ones(2) + w\n",
        "def f{n}(x): return torch.ones(2, requires_grad=True).numpy()\n",
        "def f{n}(x):\n  y = torch.ones(2, requires_grad=True)\n  y[0] = 1\n",
    ],
)
def test_a_file_of_mistakes_is_not_gone_through_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str
) -> None:
    monkeypatch.setattr(limits, "STEPS_PER_FILE", 6_000)
    monkeypatch.setattr(limits, "FREE_WORK", 0)
    head = "import torch\nv = torch.ones(2)\nw = torch.ones(2, device='cuda')\n"
    found = analysis(head + "".join(made.replace("{n}", str(n)) for n in range(300)), tmp_path)
    assert 20 < len(found.diagnostics) < 250
    assert found.cuts


def test_a_file_that_takes_too_long_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = itertools.count()
    monkeypatch.setattr(limits, "SECONDS_PER_FILE", 100)
    for module in (budget, entry_points):
        monkeypatch.setattr(module, "thread_time", lambda: next(now))
    filler = "n = 1\n" * 2_000
    found = analysis(
        f"import torch\n{CONFLICT}{filler}x.numpy()\ndef f(x):\n    x.cuda().numpy()\n", tmp_path
    )
    assert [each.rule for each in found.diagnostics] == ["mixed-devices"]
    assert containment.REST in {each.what for each in found.cuts}


def test_modules_take_no_time_from_what_imports_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = itertools.count()
    monkeypatch.setattr(limits, "SECONDS_PER_FILE", 30)
    for module in (budget, entry_points):
        monkeypatch.setattr(module, "thread_time", lambda: next(now))
    for number in range(20):
        (tmp_path / f"m{number}.py").write_text("n = 1\n" * 100)
    imports = "".join(f"import m{number}\n" for number in range(20))
    found = analysis(f"{imports}import torch\n{CONFLICT}", tmp_path)
    assert ([each.rule for each in found.diagnostics], found.cuts) == (["mixed-devices"], ())


@pytest.mark.parametrize("each", ["@wrap\ndef f#(): pass\n", "f# = wrap(print)\n"])
def test_modules_have_few_steps_for_what_they_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, each: str
) -> None:
    monkeypatch.setattr(limits, "STEPS_PER_MODULE", 12_000)
    monkeypatch.setattr(limits, "CALLS_OF_SMALL_MODULE", limits.CALLS_OF_MODULE)
    long = "def wrap(f):\n" + "    n = 1\n" * 60 + "    def g(*a): return f(*a)\n    return g\n"

    def cost(count: int) -> int:
        made = "".join(each.replace("#", str(n)) for n in range(count))
        (tmp_path / "m.py").write_text(long + made, encoding="utf-8")
        return calls_of("import torch, m\nx = torch.ones(2)\n", tmp_path)

    cost(5)  # what is read once and kept
    none, few, more = map(cost, (0, 50, 150))
    assert more - few < few - none  # twice as many


def test_fields_that_are_made_pay_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STEPS_PER_FILE", 2_000)
    classes = "".join(
        f"@dataclass\nclass D{n}(D{n - 1}):\n    f{n}: object = field(default_factory=D{n - 1})\n"
        for n in range(1, 13)
    )
    head = "import torch\nfrom dataclasses import dataclass, field\n@dataclass\nclass D0:\n    x: int = 0\n"
    assert analysis(f"{head}{classes}D12()\nx = torch.ones(2)\n", tmp_path).cuts


def test_a_long_sum_is_cut_at_a_glance(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    brackets = excerpts._brackets
    monkeypatch.setattr(excerpts, "_brackets", lambda text: looks.append(text) or brackets(text))
    assert excerpt(" + ".join(f"f{n}(a, b)" for n in range(200))).endswith("...")
    assert len(looks) == 1


def test_so_many_names_in_comments_are_corrected(tmp_path: Path) -> None:
    text = "".join(f"x = 1  # devls: ignore[mixed-device{number}]\n" for number in range(200))
    messages = [
        each.message for each in analysis(text, tmp_path).diagnostics if "mixed-device" in each.message
    ]
    corrected = ["mixed-devices" in each for each in messages]
    assert corrected == [True] * 100 + [False] * 100


@pytest.mark.parametrize("innermost", ["torch.nn.Sequential()", "torch.nn.Sequential(torch.nn.Linear(2, 2))"])
def test_layers_that_are_held_twice_again_and_again(tmp_path: Path, innermost: str) -> None:
    """Torch runs the innermost of thirty such a thousand million times."""
    twice = "m = torch.nn.Sequential(m, m)\n" * 30
    found = analysis(
        f"import torch\nm = {innermost}\n{twice}def f():\n    {CONFLICT.replace(chr(10), '; ')}\nm(torch.ones(2))\n",
        tmp_path,
    )
    assert [each.what for each in found.cuts] == ["the main program"]
    assert [each.rule for each in found.diagnostics] == ["tensor-created-off-device"]


def test_so_many_tests_of_a_path_are_looked_at() -> None:
    state = State()
    made = [Condition(("a test of", number), str(number)) for number in range(600)]
    for each in made:
        state.assume(each, value=True)
    assert [test for test, _ in state.assumptions()] == made[-200:]
    assert state.assumed(made[0])


LOSS = "l = net(torch.ones(2)).sum()\nl.backward()\n"
WORK = {
    "optimizers of one model": "o# = torch.optim.SGD(net.parameters(), lr=0.1)\n" + LOSS,
    "mistakes": "x + y\n",
}


@pytest.mark.parametrize("name", WORK)
def test_what_asks_all_before_it_is_paid_for(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FREE_WORK", 100_000)  # so that all of it is still seen
    head = f"import torch\nnet = torch.nn.Linear(2, 2)\n{CONFLICT}"

    def work(count: int) -> int:
        text = head + "".join(WORK[name].replace("#", str(n)) for n in range(count))
        return machine_of(text, tmp_path).state.work

    none, few, more = map(work, (0, 40, 160))
    assert more - none > (40 * 100 if name == "mistakes" else 5 * (few - none))


def test_a_statement_that_takes_long_is_given_up_within(tmp_path: Path) -> None:
    """As soon as an editor has sent another text."""
    twice = "m = torch.nn.Sequential(m, m)\n" * 30
    path = tmp_path / "program.py"
    path.write_text(f"import torch\nm = torch.nn.ReLU()\n{twice}m(torch.ones(2))\n", encoding="utf-8")
    asked = iter([False] * 20)
    with pytest.raises(AnalysisCancelled):
        Analyzer(Workspace((str(tmp_path),)), lambda _: Config()).analyze(
            str(path), cancelled=lambda: next(asked, True)
        )


@pytest.mark.parametrize("kind", ["mutants", "grammar", "bombs"])
def test_programs_that_nobody_would_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """A few of those that `make fuzz-strength` makes by the thousand."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    make = importlib.import_module(f"strength.{kind}")
    real = sorted((ROOT / "examples").glob("**/*.py"))
    for seed in range(12):
        chance = random.Random(seed)  # noqa: S311  no secrets
        if kind == "mutants":
            text = make.mutant(chance.choice(real).read_text(encoding="utf-8"), chance)
        else:
            text = make.program(chance) if kind == "grammar" else make.bomb(chance)[1]
        assert not [each for each in analysis(text, tmp_path).cuts if each.failed], text


class SizesNear60(random.Random):
    """Chance that chooses the same sizes each time."""

    def choice(self, seq: SupportsLenAndGetItem[_T]) -> _T:
        sizes = [each for each in (seq[number] for number in range(len(seq))) if isinstance(each, int)]
        return min(sizes, key=lambda each: abs(each - 60)) if sizes else super().choice(seq)


@pytest.mark.parametrize("part", range(4))
def test_each_kind_of_bomb_takes_so_many_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    monkeypatch.setattr(limits, "STEPS_PER_FILE", 6_000)
    monkeypatch.setattr(limits, "FREE_WORK", 10_000)
    bombs = importlib.import_module("strength.bombs")
    calls_of(CONFLICT, tmp_path)  # what is read once and kept
    texts = {name: bombs.named(name, SizesNear60(0)) for name in bombs.names()[part::4]}
    assert len(texts) > 15
    assert not [
        name
        for name, text in texts.items()
        if not holds_in_bounded_time(lambda text=text: calls_of(text, tmp_path) < 1_000_000)  # type: ignore[misc]
    ]


@pytest.mark.parametrize("part", range(4))
def test_texts_that_are_hard_to_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    """The shorter ones of those that `scripts/strength_inputs.py` has checked."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    sources: dict[str, str | bytes] = importlib.import_module("bad_texts").SOURCES
    short = [name for name, text in sources.items() if len(text) < 12_000]
    assert len(short) > 50
    path = tmp_path / "program.py"
    for name in short[part::4]:
        text = sources[name]
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        analyzer = Analyzer(Workspace((str(tmp_path),)), lambda _: Config())
        with contextlib.suppress(UnreadableFileError):
            assert not [each for each in analyzer.analyze(str(path)).cuts if each.failed], name


class Watched(str):
    """A text that counts who looks for another one in it."""

    __slots__ = ()
    looked: ClassVar[int] = 0

    def __contains__(self, key: str, /) -> bool:
        Watched.looked += 1
        return super().__contains__(key)


def test_a_call_does_not_search_the_file(tmp_path: Path) -> None:
    """A file of some megabytes has a hundred thousand of them."""

    def looks(count: int) -> int:
        text = "import torch\nx = torch.ones(2)\n" + "y = x.cuda() + x\n" * count
        machine = Machine(Library(), Modules(Workspace((str(tmp_path),)), lambda _: (), None), lambda _: None)
        Watched.looked = 0
        run_file(machine, Source(str(tmp_path / "program.py"), Watched(text)))
        return Watched.looked

    assert looks(60) == looks(20)


@pytest.mark.parametrize("name", ["²", "9" * 5000])
def test_names_that_only_look_like_numbers(tmp_path: Path, name: str) -> None:
    layer = "torch.nn.Linear(2, 2)"
    text = f"import torch\nm = torch.nn.Sequential({layer})\nsetattr(m, '{name}', {layer})\nm._modules['{name}'] = {layer}\n"
    found = analysis(f"{text}torch.device('cuda:{name}')\n{CONFLICT}", tmp_path)
    assert not found.cuts
    assert [each.rule for each in found.diagnostics] == ["invalid-device", "mixed-devices"]


@pytest.mark.parametrize("name", CHAINS)
def test_one_class_is_so_many_classes(tmp_path: Path, name: str) -> None:
    text = chained(*CHAINS[name], 400)
    found = analysis(text, tmp_path)
    assert [each.rule for each in found.diagnostics] == ["mixed-devices"]
    assert {each.reason for each in found.cuts} == {"it derives from too many classes"}
    assert not any(each.failed for each in found.cuts)
    lines = text.splitlines()
    assert all(f"{each.what.split('`')[1]}(" in lines[each.line - 1] for each in found.cuts)


def test_a_class_past_the_bound_derives_from_something_unknown(tmp_path: Path) -> None:
    count = limits.CLASSES_OF_ONE
    text = chained("class C0:\n    a = 3\nclass C1(C0): pass\n", "class C#(C#1): pass\n", count + 1)
    machine = machine_of(f"{text}c, d = C{count - 1}.a, C{count}.a\n", tmp_path)
    get, scope = machine.state.get, machine.frames[0].scope
    assert get(scope, "c") == Const(3)
    assert isinstance(get(scope, "d"), Symbol)
    assert [each.what for each in machine.cuts.values()] == [f"the class `C{count}`"]


NESTED = {
    "f-strings": ("f'{", "x", "}'"),
    "formats": ("f'{x:" + "{x:" * 400, "x", "}'"),
    "brackets": ("(", "x", ")"),
    "lists": ("[", "x", "]"),
    "unary": ("-", "x", ""),
    "lambdas": ("lambda: ", "x", ""),
    "attributes": ("", "x", ".a"),
    "calls": ("", "x", "()"),
    "sums": ("", "x", " + x"),
    "tests": ("", "x", " or (x and y)"),
}

LONG = {
    "a sum": " + ".join(["1"] * 3_000),
    "a sum of unknown values": " + ".join(["os.environ"] * 1_000),
    "a text": " + ".join(["'a'"] * 3_000),
    "a test": " and ".join(["1"] * 3_000),
    "an undecided test": " or ".join(["os.environ"] * 3_000),
    "a choice": "1 if [] else " * 600 + "2",
    "an undecided choice": "1 if os.environ else " * 600 + "2",
    "a chain of calls": "torch.ones(2)" + ".cpu()" * 1_200,
    "a chain of unknown calls": "os.environ" + ".get(1)" * 1_200,
}


@pytest.mark.parametrize("name", LONG)
def test_what_is_long_costs_nothing_of_the_program(tmp_path: Path, name: str) -> None:
    found = analysis(f"import os, torch\nvalue = {LONG[name]}\n{CONFLICT}", tmp_path)
    assert ([each.rule for each in found.diagnostics], found.cuts) == (["mixed-devices"], ())


@pytest.mark.parametrize("depth", [60, 400, 3_000])
@pytest.mark.parametrize("name", NESTED)
def test_what_is_nested_deep_costs_no_function(tmp_path: Path, name: str, depth: int) -> None:
    opening, inner, closing = NESTED[name]
    deep = f"def f(x, y):\n    return {opening * depth}{inner}{closing * depth}\n"
    found = analysis(f"import torch\n{deep}def g():\n    return 1 .detach\n{CONFLICT}", tmp_path)
    assert "mixed-devices" in [each.rule for each in found.diagnostics] or found.source.problems


# One failure costs one function


FAILS = f"""\
import torch

def fails(x):
    FAIL_NOW

def mixes():
    {CONFLICT.strip().replace(chr(10), chr(10) + "    ")}

class Both:
    def fails(self):
        FAIL_NOW

    def mixes(self):
        {CONFLICT.strip().replace(chr(10), chr(10) + "        ")}

{CONFLICT}"""


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> type[Exception]:
    """Has the engine fail where a name is read that no program has."""
    error: type[Exception] = request.param
    read = expressions.EXPRESSIONS[expressions.ast.Name]

    def fail(m: Machine, node: expressions.ast.Name) -> object:
        if node.id == "FAIL_NOW":
            m.state.fork()
            m.muted += 1
            m.alternatives_called += 1
            raise error("on purpose")
        return read(m, node)

    monkeypatch.setitem(expressions.EXPRESSIONS, expressions.ast.Name, fail)
    return error


ERRORS = [KeyError, AssertionError, RecursionError, MemoryError]


@pytest.mark.engine_fails
@pytest.mark.parametrize("failing", ERRORS, indirect=True)
def test_a_failure_costs_the_function(
    tmp_path: Path, failing: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    found = analysis(FAILS, tmp_path)
    assert (
        len(found.diagnostics) == len(analysis(FAILS.replace("FAIL_NOW", "pass"), tmp_path).diagnostics) == 3
    )
    assert [(each.what, each.line) for each in found.cuts] == [
        ("the function `Both.fails`", 12),
        ("the function `fails`", 3),
    ]
    own = failing in (KeyError, AssertionError)
    assert [each.failed for each in found.cuts] == [own] * 2
    logged = [each for each in caplog.records if each.name == containment.__name__]
    assert [each.levelno for each in logged] == [logging.ERROR] * (2 if own else 0)


@pytest.mark.engine_fails
@pytest.mark.parametrize("failing", ERRORS, indirect=True)
def test_a_failure_in_the_program_costs_what_follows_there(tmp_path: Path, failing: type[Exception]) -> None:
    before, conflict = "import torch\nnet = torch.nn.Linear(2, 2)\n", CONFLICT.replace("x", "first")
    after = "net.to('cuda')\ndef f():\n    return net(torch.ones(2, device='cuda'))\n" + FAILS.replace(
        "FAIL_NOW", "pass"
    )
    found = analysis(f"{before}{conflict}if torch.cuda.is_available():\n    FAIL_NOW\n{after}", tmp_path)
    assert failing
    # That of before, and those of the functions that are defined afterwards; nothing of `net`, which may be anywhere.
    assert len(found.diagnostics) == 3
    assert [each.what for each in found.cuts] == ["the main program"]


@pytest.mark.engine_fails
@pytest.mark.parametrize("failing", [KeyError], indirect=True)
def test_a_failure_in_a_module_costs_what_follows_there(tmp_path: Path, failing: type[Exception]) -> None:
    (tmp_path / "other.py").write_text("FAIL_NOW\n", encoding="utf-8")
    found = analysis(f"import torch, other\nother.a(torch.ones(2))\n{CONFLICT}", tmp_path)
    assert failing
    assert [each.rule for each in found.diagnostics] == ["mixed-devices"]
    assert [each.what for each in found.cuts] == ["the body of the module"]


def test_a_function_that_takes_too_many_steps_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "STEPS_PER_RUN", 1_000)
    loops = "".join("    " * (level + 1) + f"for i{level} in (1, 2, 3, 4, 5, 6):\n" for level in range(8))
    text = f"import torch\ndef f(a):\n{loops}{'    ' * 9}a = a + 1\n{CONFLICT}"
    found = analysis(text, tmp_path)
    assert [each.rule for each in found.diagnostics] == ["mixed-devices"]
    assert [(each.what, each.reason) for each in found.cuts] == [
        ("the function `f`", "it takes too many steps")
    ]


MISTAKE = "y = torch.ones(2, device='cuda') + torch.ones(2)"
CUT = {
    "functions": "".join(f"def f{n}(x):\n    for i in x:\n        {MISTAKE}\n" for n in range(200)),
    "methods": "class C:\n" + "".join(f"    def f{n}(self, x):\n        {MISTAKE}\n" for n in range(200)),
    "loops": f"{MISTAKE}\n"
    + "".join(f"{'    ' * n}for i{n} in (1, 2, 3, 4, 5, 6):\n" for n in range(8))
    + f"{'    ' * 8}a = {{i0, i7}}\ndef f(x):\n    {MISTAKE}\n",
    "classes": "class C0: pass\n"
    + "".join(f"class C{n}(C{n - 1}):\n    def f{n}(self): {MISTAKE}\n" for n in range(1, 80)),
}
TELLS = """\
import sys
from pathlib import Path
from devls.analysis import Analyzer
from devls.config import Config
from devls.engine.core import limits
from devls.project.workspace import Workspace
limits.STEPS_PER_FILE, limits.FREE_WORK, limits.SECONDS_PER_FILE = 6_000, 10_000, float("inf")
for path in sorted(map(str, Path(sys.argv[1]).glob("*.py"))):
    found = Analyzer(Workspace((sys.argv[1],)), lambda _: Config()).analyze(path)
    assert found.diagnostics and found.cuts, path
    print(*found.diagnostics, *found.cuts, sep="\\n")
"""


def test_what_is_cut_depends_on_no_hash_seed(tmp_path: Path) -> None:
    for name, text in CUT.items():
        (tmp_path / f"{name}.py").write_text(f"import torch\n{text}", encoding="utf-8")
    told = [
        subprocess.run(
            (sys.executable, "-c", TELLS, str(tmp_path)),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout.splitlines()
        for seed in ("1", "2")
    ]
    assert told[0] == told[1]


def test_modules_that_star_import_one_another_have_bounded_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "STEPS_PER_MODULE", 200)
    monkeypatch.setattr(limits, "FREE_WORK", 1_000)
    count, own = 12, 20
    for number in range(count):
        stars = "".join(f"from m{each} import *\n" for each in range(count))
        (tmp_path / f"m{number}.py").write_text(
            stars + "".join(f"x{number}_{each} = 1\n" for each in range(own))
        )
    found = analysis(f"import torch\nfrom m0 import *\n{CONFLICT}", tmp_path)
    assert [each.rule for each in found.diagnostics] == ["mixed-devices"]
    assert ("the body of the module", "it takes too many steps") in {
        (each.what, each.reason) for each in found.cuts
    }


# Values that hold one another many times


_DEEP = "d = [0]\n" + "d = [d, d]\n" * 60


@pytest.mark.parametrize(
    "text",
    [
        _DEEP + "import copy\nother = copy.deepcopy(d)\n",
        _DEEP.replace("[0]", "{0: 1}").replace("[d, d]", "{0: d, 1: d}")
        + "import copy\nother = copy.deepcopy(d)\n",
    ],
)
def test_a_copy_of_nested_containers_copies_each_once(text: str, tmp_path: Path) -> None:
    found = analysis("import torch\n" + text + CONFLICT, tmp_path)
    assert [each.rule for each in found.diagnostics] == ["mixed-devices"]


NESTED_DICTS = ["a = {0: a, 1: a}", "a = dict(k=a, l=a)", "a = [a, {0: a}]", "a = {**{0: a}, 1: (a, a)}"]
USES = [
    "str(a), f'{a}', len(a), a == a, hash(a)",
    "b = {**a, **a}\nc = dict(a)\nd = a | a",
    "b = [a.copy(), copy.copy(a), copy.deepcopy(a)]",
    "for k, v in a.items():\n    print(k, v)",
    "b = {k: v for k, v in a.items()}\nc = sorted(a)",
    "a.update(a)\na[0] = a\nos.environ[a] = a",
    "b = a if os.environ else {0: a}\nb == a",
    "net(a)\nnet.load_state_dict(a)\nx.to(a)",
    "torch.tensor(a)\ntorch.save(a, 'x')\ntorch.optim.SGD(a, 0.1)",
    "def moved(o):\n    return {k: moved(v) for k, v in o.items()} if isinstance(o, dict) else o.cuda()\nmoved(a)",
    "class C:\n    y = a\ndef f(z=a):\n    return z\nf(C().y)",
    "reveal_value(a)",
]


@pytest.mark.parametrize("step", NESTED_DICTS)
@pytest.mark.parametrize("use", USES)
def test_dicts_that_hold_one_another_twice_are_gone_through_once(tmp_path: Path, step: str, use: str) -> None:
    head = "import copy, os, torch\nnet = torch.nn.Linear(2, 2)\nx = torch.ones(2)\na = {0: x}\n"

    def cost(depth: int) -> int:
        return calls_of(head + f"{step}\n" * depth + f"{use}\n", tmp_path)

    cost(4)  # what is read once and kept
    few, some, more = map(cost, (8, 16, 24))
    assert more - some < 1.5 * (some - few) + 2_000  # it would double with each


@pytest.mark.parametrize("use", USES)
def test_dicts_that_hold_all_earlier_ones_are_gone_through_once(tmp_path: Path, use: str) -> None:
    head = "import copy, os, torch\nnet = torch.nn.Linear(2, 2)\nx = torch.ones(2)\na = {0: x}\n"

    def cost(count: int) -> int:
        steps = "".join(f"a = a | {{'k{number}': a}}\n" for number in range(count))
        return calls_of(head + steps + f"{use}\n", tmp_path)

    cost(4)  # what is read once and kept
    few, some, more = map(cost, (8, 16, 24))
    assert more - some < 2.5 * max(0, some - few) + 2_000


def test_a_description_of_nested_containers_is_cut(tmp_path: Path) -> None:
    found = analysis(_DEEP + "reveal_value(d)\n", tmp_path)
    assert [len(each.message) < 10_000 for each in found.diagnostics] == [True]


def test_a_tensor_of_many_joins_is_looked_into_once(tmp_path: Path) -> None:
    machine = machine_of("import torch\n", tmp_path)
    one, other = TensorValue(requires_grad=False), TensorValue(requires_grad=False)
    for number in range(60):
        tests = [Condition((side, number), "a test") for side in ("one", "other")]
        sides = (one, other)
        one, other = (TensorValue(requires_grad=False, sides=(test, *sides)) for test in tests)
    assert machine.requires_grad(one) is False


def test_a_range_to_infinity_has_no_length(tmp_path: Path) -> None:
    text = "import torch\nfor end in (float('inf'), float('nan'), 10**400):\n    torch.arange(end)\n    torch.arange(0, 1, end)\n"
    assert [each.rule for each in analysis(text + CONFLICT, tmp_path).diagnostics] == ["mixed-devices"]


def test_a_name_of_many_letters_is_gone_through_once(tmp_path: Path) -> None:
    name = "Aa" * 100_000
    text = (
        f"import torch\n\ndef f(x):\n    y = {name}\n    opt = Foo(3)\n    x.{name} = y\n    {name} = y\n    return y\n\n"
        f"class {name}b(torch.nn.Module):\n    def {name}(self, {name}):\n        self.{name} = {name}.cuda()\n\n"
    )
    assert holds_in_bounded_time(
        lambda: [each.rule for each in analysis(text + CONFLICT, tmp_path).diagnostics] == ["mixed-devices"]
    )


WRITTEN_OVER_AND_OVER = {
    "directives": "# devls: ignore[",
    "names of rules": "a, ",
    "what silences other tools": "noqa: ",
    "what silences types": "type: ignore[",
    "encodings": "coding",
    "blanks": " ",
    "tabs": " \t",
    "lines": "\n",
    "lines of names": "x\n",
    "lines of parameters": "x (\n",
    "parameters": ":param ",
    "lists": "- ",
    "types": "Optional[",
    "tensors": "x: Tensor, ",
    "attributes": "self.a, ",
    "items of attributes": "self.a[",
    "annotated attributes": "self.a: ",
    "items": "a[b] ",
    "capitals": "A",
    "words": "Aa",
    "names": "a.",
    "calls": "x.y(",
    "loops": "in a(",
    "assignments": "a = ",
    "imports": "from a import ",
    "operators": "(~",
}


@pytest.mark.parametrize("name", WRITTEN_OVER_AND_OVER)
def test_what_is_written_beside_code_is_gone_through_once(tmp_path: Path, name: str) -> None:
    """Comments, docstrings, annotations and type comments. From each word to the end takes minutes, in one call of a regular expression."""
    each = WRITTEN_OVER_AND_OVER[name]
    long = each * (80_000 // len(each))
    line = long.replace("\n", " ")
    documented = f'"""A.\n\n{long}z"""\n'
    text = (
        f"# {line}\nimport torch\nclass C(torch.nn.Module):\n  {documented}"
        f"  def f(self, x, y: '{line}'):\n    {documented}    # {line}\n"
        f"    a = x  # type: {line}\n    b: '{line}' = a\n    self.b = b\n    return b\n"
        f"  def forward(self, x):  # type: {line}\n    return self.f(x, x)\n"
        f"def build(x):\n  {documented}  a = C(x)  # type: {line}\n  return a\n"
    )

    def told() -> bool:
        found = analysis(text + CONFLICT, tmp_path)
        disable_file_edit(found.source, "mixed-devices")
        return [each.rule for each in found.diagnostics][-1:] == ["mixed-devices"] and not found.cuts

    assert holds_in_bounded_time(told)


def test_comments_that_silence_nothing_are_told_up_to_a_bound(tmp_path: Path) -> None:
    few, more = (
        analysis("# devls: ignore[device]\n" * count, tmp_path).diagnostics
        for count in (20, COMMENTS_TOLD + 5)
    )
    assert (len(few), len(more)) == (20, COMMENTS_TOLD)
    assert {each.rule for each in more} == {"unused-ignore"}


def test_a_ring_of_short_modules_that_call_one_another_has_bounded_work(tmp_path: Path) -> None:
    def cost(count: int) -> int:
        folder = tmp_path / str(count)
        folder.mkdir()
        for number in range(count):
            following = (number + 1) % count
            (folder / f"m{number}.py").write_text(
                "import torch\n"
                f"def f(x):\n    from m{following} import f as g\n    return g(g(x)).cuda()\n"
                "f(torch.zeros(3)).numpy()\n",
                encoding="utf-8",
            )
        return calls_of("import torch, m0\nx = torch.ones(2)\n", folder)

    few, more = map(cost, (10, 20))
    assert more < 3 * few < 3_000_000


def test_arguments_that_double_with_each_call_are_bounded(tmp_path: Path) -> None:
    functions = "".join(f"def f{n}(*a):\n    return f{n - 1}(*a, *a, *a)\n" for n in range(1, 18))
    head = "import torch\nx = torch.ones(2)\ndef f0(*a):\n    return a[0]\n"
    few, more = (calls_of(f"{head}{functions}f{n}(x, x)\n", tmp_path) for n in (5, 17))
    assert more < 10 * few
