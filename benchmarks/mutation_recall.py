"""Plant one bug at a time in real packages, and see whether devls reports it.

    python benchmarks/mutation_recall.py [--each 40] [--seed 7] [--packages FOLDER] [--kind K] [-v] [NAME ...]

A mutant is one edit in one file; only that file is analyzed, within its package, as `devls --check FILE` does. It is
found if there is an error or warning that the file did not have before the edit.

Kinds, and which sites are left out because the edit harms nobody (all rules are applied by the functions below):

* factory: `device=` is dropped from a torch factory outside `__init__`. Left out: the device is None or the CPU; the
  tensor is read on the host or moved in the same expression (`.item()`, `.tolist()`, `.numpy()`, `.to`, `.cuda`,
  `.cpu`); it is an index (torch takes those from the CPU), there or by a name that serves as an index only; it has no
  dimension (`torch.tensor(<no list>)`), which element-wise operations accept; functions that make example inputs.
* to: `x = x.to(device)` becomes `x.to(device)`. Left out: a Module, by its name, annotation or the class it was made
  of, and what has a `.to` that works in place (batch encodings).
* detach: `.detach()` is dropped. Left out: what has no history: lexically inside `no_grad`, right after a call of a
  function so decorated in the same file, `.data`, results of comparisons, arguments of a function that calls no
  module; and what never meets a gradient: read by `.item()`, `.tolist()` or for its shape only.
* zero_grad: the statement is dropped. Left out: the same function clears the same gradients elsewhere.
* no_grad: the `with` or the decorator is dropped. Left out: nothing computed inside is kept (assigned to what is read
  after the block, appended, returned, written in place); only factories, initializers and shapes are inside; there is
  another `no_grad` around.
* buffer: `self.register_buffer("x", v)` becomes `self.x = v`. Left out: v is None; no other method reads `self.x`;
  the class moves it itself.
* modulelist: `self.x = nn.ModuleList(v)` becomes `self.x = list(v)`. Left out: what is built is in turn handed to a
  module; the list is never filled in this file.
"""

from __future__ import annotations

import argparse
import ast
import collections
import random
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import packages

from devls.analysis import Analyzer
from devls.config import Config
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAMES = ["vit-pytorch", "denoising-diffusion-pytorch", "torchvision", "x-transformers", "stable-baselines3"]
FACTORIES = frozenset(
    "zeros ones full empty eye arange linspace logspace rand randn randint randperm tensor as_tensor".split()
)
MODULE_NAMES = re.compile(
    r"(model|net|network|module|encoder|decoder|backbone|head|unet|vae|ema|critic|actor|policy|criterion|generator"
    r"|discriminator|transform|layer|perceiver|quantizer|vgg|embed|clip)s?\d*$",
    re.IGNORECASE,
)
IN_PLACE_MOVES = re.compile(r"(encoding|inputs|batch|data|graph)$", re.IGNORECASE)
EXAMPLES = re.compile(r"example|dummy|fake_input|get_demo", re.IGNORECASE)


@dataclass(frozen=True)
class Mutant:
    """One edit: what it is, where, and the text after it."""

    kind: str
    path: Path
    line: int
    text: str


class File:
    """A file's tree, who is above whom, and its text by offsets."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")
        self.tree = ast.parse(self.text)
        self.above = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self._lines = [0]
        for line in self.text.encode().splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._bytes = self.text.encode()

    def span(self, node: ast.AST) -> tuple[int, int]:
        start = self._lines[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        return start, self._lines[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def edited(self, start: int, end: int, new: str) -> str:
        """The text with bytes replaced; lines keep their numbers."""
        missing = self._bytes[start:end].count(b"\n") - new.count("\n")
        padding = "\\\n" * missing if missing > 0 else ""
        return (self._bytes[:start] + padding.encode() + new.encode() + self._bytes[end:]).decode()

    def source(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self._bytes[start:end].decode()

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.above:
            node = self.above[node]
            yield node

    def function(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        return next(
            (each for each in self.ancestors(node) if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))), None
        )

    def cls(self, node: ast.AST) -> ast.ClassDef | None:
        return next((each for each in self.ancestors(node) if isinstance(each, ast.ClassDef)), None)


def _text(node: ast.AST | None) -> str:
    return "" if node is None else ast.unparse(node)


def _off(node: ast.expr) -> bool:
    """Whether an expression is a mode without gradients."""
    return bool(re.search(r"\b(no_grad|inference_mode|set_grad_enabled\(False\))", _text(node)))


def _without_grad(file: File, node: ast.AST) -> bool:
    """Whether a place is inside a block or function without gradients."""
    for each in file.ancestors(node):
        if isinstance(each, (ast.With, ast.AsyncWith)) and any(_off(item.context_expr) for item in each.items):
            return True
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(_off(it) for it in each.decorator_list):
            return True
    return False


# One function per kind: sites of a file, harmless ones left out


def factory(file: File) -> Iterator[Mutant]:
    for node in ast.walk(file.tree):
        if not (isinstance(node, ast.Call) and re.fullmatch(r"(torch|th)\.\w+", _text(node.func))):
            continue
        keyword = next((each for each in node.keywords if each.arg == "device"), None)
        function = file.function(node)
        if keyword is None or function is None or _text(node.func).rpartition(".")[2] not in FACTORIES:
            continue
        if function.name in ("__init__", "__new__") or EXAMPLES.search(function.name):
            continue
        if re.fullmatch(r"None|'cpu'|torch\.device\('cpu'\)", _text(keyword.value)):
            continue
        first = node.args[0] if node.args else None
        if _text(node.func).endswith(("tensor",)) and not isinstance(
            first, (ast.List, ast.Tuple, ast.ListComp)
        ):
            continue
        parent = file.above[node]
        if isinstance(parent, ast.Attribute) and parent.attr in ("item", "tolist", "numpy", "to", "cuda", "cpu"):
            continue
        if _only_index(file, function, node, parent):
            continue
        start, end = file.span(keyword)
        before = file._bytes[:start].rstrip()
        after = file._bytes[end:]
        if before.endswith(b","):
            start = len(before) - 1
        elif after.lstrip().startswith(b","):
            end += len(after) - len(after.lstrip()) + 1
        yield Mutant("factory", file.path, node.lineno, file.edited(start, end, ""))


def _only_index(file: File, function: ast.AST, node: ast.Call, parent: ast.AST) -> bool:
    if isinstance(parent, ast.Tuple) and isinstance(file.above.get(parent), ast.Subscript):
        return True
    if isinstance(parent, ast.Subscript) and parent.slice is node:
        return True
    if not (isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name)):
        return False
    reads = [
        each
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and each.id == parent.targets[0].id and isinstance(each.ctx, ast.Load)
    ]
    if not reads:
        return True  # nobody reads it
    return all(
        any(isinstance(up, ast.Subscript) and read in ast.walk(up.slice) for up in file.ancestors(read)) for read in reads
    )


def to(file: File) -> Iterator[Mutant]:
    for node in ast.walk(file.tree):
        if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Call)):
            continue
        func, target = node.value.func, _text(node.targets[0])
        if not (isinstance(func, ast.Attribute) and _text(func.value) == target and func.attr in ("to", "cuda")):
            continue
        if func.attr == "to" and not re.search(r"device|cuda|\brank\b", _text(node.value)[len(target) :]):
            continue
        if MODULE_NAMES.search(target) or IN_PLACE_MOVES.search(target) or _made_as_module(file, node, target):
            continue
        start, end = file.span(node)
        yield Mutant("to", file.path, node.lineno, file.edited(start, end, file.source(node.value)))


def _made_as_module(file: File, node: ast.AST, target: str) -> bool:
    """Whether a name is annotated as a Module, or assigned from something spelled as a class."""
    scope = file.function(node) or file.tree
    for each in ast.walk(scope):
        if isinstance(each, ast.arg) and each.arg == target and "Module" in _text(each.annotation):
            return True
        if isinstance(each, ast.Assign) and _text(each.targets[0]) == target and isinstance(each.value, ast.Call):
            name = _text(each.value.func).rpartition(".")[2]
            if name[:1].isupper() or MODULE_NAMES.search(name):
                return True
    return False


def detach(file: File) -> Iterator[Mutant]:
    for node in ast.walk(file.tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "detach"):
            continue
        if node.args or _without_grad(file, node):
            continue
        receiver, parent, function = node.func.value, file.above[node], file.function(node)
        if isinstance(receiver, ast.Compare) or _text(receiver).endswith(".data"):
            continue
        if isinstance(parent, ast.Attribute) and parent.attr in ("item", "tolist", "shape", "size", "device", "dtype"):
            continue
        if function is None or (isinstance(receiver, ast.Name) and _has_no_history(function, receiver.id)):
            continue
        _, end = file.span(node)
        start = file._bytes.rindex(b".", 0, file._bytes.rindex(b"detach", 0, end))
        yield Mutant("detach", file.path, node.end_lineno or node.lineno, file.edited(start, end, ""))


def _has_no_history(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    """An argument that nothing computes with before: whether it has a history is the caller's affair."""
    arguments = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    stores = [
        each for each in ast.walk(function) if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)
    ]
    return name in arguments and len(stores) == 0


def zero_grad(file: File) -> Iterator[Mutant]:
    for node in ast.walk(file.tree):
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            continue
        func = node.value.func
        if not (isinstance(func, ast.Attribute) and func.attr == "zero_grad"):
            continue
        function = file.function(node)
        same = [
            each
            for each in ast.walk(function or file.tree)
            if isinstance(each, ast.Call) and _text(each.func) == _text(func)
        ]
        if function is None or len(same) > 1 or function.name == "zero_grad":
            continue
        start, end = file.span(node)
        yield Mutant("zero_grad", file.path, node.lineno, file.edited(start, end, "pass"))


def no_grad(file: File) -> Iterator[Mutant]:
    for node in ast.walk(file.tree):
        if isinstance(node, ast.With) and len(node.items) == 1 and _is_no_grad(node.items[0].context_expr):
            if _without_grad(file, node) or not _kept(file, node, node.body):
                continue
            start, _ = file.span(node)
            _, end = file.span(node.items[0].context_expr)
            yield Mutant("no_grad", file.path, node.lineno, file.edited(start, end, "if True"))
        elif isinstance(node, ast.FunctionDef):
            for each in node.decorator_list:
                if not _is_no_grad(each) or _without_grad(file, node) or not _kept(file, node, node.body):
                    continue
                start, end = file.span(each)
                yield Mutant("no_grad", file.path, each.lineno, file.edited(start - 1, end, ""))


def _is_no_grad(node: ast.expr) -> bool:
    return bool(re.fullmatch(r"((torch|th)\.)?(no_grad|inference_mode)(\(\))?", _text(node)))


def _kept(file: File, node: ast.AST, body: list[ast.stmt]) -> bool:
    """Whether something that a graph could hang on is computed in a body, and outlives it."""
    computes = [
        each
        for statement in body
        for each in ast.walk(statement)
        if isinstance(each, ast.Call) and not re.search(r"\binit\b|trunc_normal|_init|^((torch|th)\.(zeros|ones|rand|arange|full|tensor)|print|len|range|isinstance|super)", _text(each.func))
    ]
    if not computes:
        return False
    written = any(
        (isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and re.search(r"[a-z]_$", each.func.attr) and not re.search(r"\binit\b", _text(each.func)))
        or isinstance(each, ast.AugAssign)
        or (isinstance(each, ast.Assign) and any(isinstance(it, (ast.Attribute, ast.Subscript)) for it in each.targets))
        or (isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr in ("append", "numpy"))
        or (isinstance(each, (ast.Return, ast.Yield)) and each.value is not None and not isinstance(each.value, ast.Constant))
        for statement in body
        for each in ast.walk(statement)
    )
    if written or isinstance(node, ast.FunctionDef):
        return written
    names = {each.id for statement in body for each in ast.walk(statement) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    function = file.function(node) or file.tree
    return any(
        isinstance(each, ast.Name) and each.id in names and isinstance(each.ctx, ast.Load) and each.lineno > (node.end_lineno or 0)  # type: ignore[attr-defined]
        for each in ast.walk(function)
    )


def buffer(file: File) -> Iterator[Mutant]:
    for node in ast.walk(file.tree):
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            continue
        call = node.value
        if _text(call.func) != "self.register_buffer" or len(call.args) < 2 or not isinstance(call.args[0], ast.Constant):
            continue
        cls, function, name = file.cls(node), file.function(node), str(call.args[0].value)
        if cls is None or function is None or _text(call.args[1]) == "None":
            continue
        reads = [each for each in ast.walk(cls) if isinstance(each, ast.Attribute) and _text(each) == f"self.{name}"]
        if not any(file.function(each) is not function and isinstance(each.ctx, ast.Load) for each in reads):
            continue
        if any(re.match(rf"self\.{name}\.(to|cuda)\(|self\.{name}\.type_as", _text(up)) for each in reads for up in list(file.ancestors(each))[:2]):
            continue
        start, end = file.span(node)
        yield Mutant("buffer", file.path, node.lineno, file.edited(start, end, f"self.{name} = {_text(call.args[1])}"))


def modulelist(file: File) -> Iterator[Mutant]:
    for node in ast.walk(file.tree):
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(node.targets) == 1):
            continue
        call, target = node.value, _text(node.targets[0])
        if _text(call.func).rpartition(".")[2] != "ModuleList" or not re.fullmatch(r"self\.\w+", target):
            continue
        cls = file.cls(node)
        if cls is None:
            continue
        text = _text(cls)
        if not call.args and not re.search(rf"{re.escape(target)}\.(append|extend|insert)\(|{re.escape(target)} \+=", text):
            continue
        if re.search(rf"Sequential\(\*{re.escape(target)}\)", text):
            continue
        start, end = file.span(call.func)
        yield Mutant("modulelist", file.path, node.lineno, file.edited(start, end, "list"))


KINDS: dict[str, Callable[[File], Iterator[Mutant]]] = {
    each.__name__: each for each in (factory, to, detach, zero_grad, no_grad, buffer, modulelist)
}


class Runner:
    """Analyzes files of one package; the package's other modules are run once."""

    def __init__(self, root: Path, timeout: int) -> None:
        self._workspace = Workspace([str(root)])
        self._config = Config()
        self._timeout = timeout
        self._renew()

    def _renew(self) -> None:
        self._analyzer = Analyzer(self._workspace, lambda _path: self._config, hovers=False)

    def findings(self, path: Path, text: str | None = None) -> set[tuple[str, str, int]] | None:
        """Rule, file and line of errors and warnings; None if it took too long."""
        if text is not None:
            self._workspace.open(str(path), text)
        signal.alarm(self._timeout)
        try:
            analysis = self._analyzer.analyze(str(path))
        except TimeoutError:
            self._renew()
            return None
        finally:
            signal.alarm(0)
            self._workspace.close(str(path))
        return {
            (each.rule, each.path, analysis.source.index.position(each.range.start)[0] + 1)
            for each in analysis.diagnostics
            if each.severity.value in ("error", "warning")
        }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--each", type=int, default=40, help="mutants per kind and package, at most")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--timeout", type=int, default=60, help="seconds per analysis")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--packages", type=Path, default=Path("build/packages"))
    parser.add_argument("-v", action="store_true", help="each mutant, not only the totals")
    options = parser.parse_args()

    def late(_signal: int, _frame: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, late)
    table: dict[tuple[str, str], list[int]] = collections.defaultdict(lambda: [0, 0])
    for name in options.names:
        root = packages.fetch(name, options.packages)
        files = [File(path) for path in packages.files(root)]
        runner = Runner(root, options.timeout)
        before: dict[Path, set[tuple[str, str, int]] | None] = {}
        for kind, sites in KINDS.items():
            if options.kind not in (None, kind):
                continue
            mutants = [each for file in files for each in sites(file)]
            chosen = random.Random(options.seed).sample(mutants, min(options.each, len(mutants)))
            for mutant in sorted(chosen, key=lambda each: (each.path, each.line)):
                ast.parse(mutant.text)
                if mutant.path not in before:
                    before[mutant.path] = runner.findings(mutant.path)
                began = time.process_time()
                after, base = runner.findings(mutant.path, mutant.text), before[mutant.path]
                new = set() if after is None or base is None else after - base
                table[kind, name][0] += bool(new)
                table[kind, name][1] += 1
                if options.v:
                    said = ", ".join(sorted(f"{rule}:{line}" for rule, _, line in new)) or (
                        "timeout" if after is None or base is None else "MISSED"
                    )
                    place = f"{mutant.path.relative_to(root)}:{mutant.line}"
                    print(f"  {kind} {place}: {said} ({time.process_time() - began:.1f} s)", flush=True)
            print(f"{name} {kind}: {table[kind, name]} of {len(mutants)} sites", flush=True)
    _tell(table)


def _tell(table: dict[tuple[str, str], list[int]]) -> None:
    found = {kind: [sum(row[i] for (k, _), row in table.items() if k == kind) for i in (0, 1)] for kind in KINDS}
    for kind, (hits, count) in found.items():
        if count:
            print(f"{kind:12} {hits:4}/{count:<4} {hits / count:6.1%}")
    for name in dict.fromkeys(name for _, name in table):
        hits, count = (sum(row[i] for (_, n), row in table.items() if n == name) for i in (0, 1))
        if count:
            print(f"{name:30} {hits:4}/{count:<4} {hits / count:6.1%}")
    hits, count = (sum(row[i] for row in found.values()) for i in (0, 1))
    print(f"all {hits}/{count} = {hits / max(1, count):.1%}")


if __name__ == "__main__":
    main()
