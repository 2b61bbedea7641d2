"""Knowledge of the engine at random places of real packages, and reasons for its gaps.

    python benchmarks/reveal_random.py [--places 1000] [--seed 7] [--packages FOLDER] [NAME ...]

Ground truth is mechanical. A place is an expression of which the text alone says what it is:

* tensor: the receiver of a method that only tensors have; a call of a `torch` or `torch.nn.functional` function that
  the catalog says returns one tensor; a parameter annotated `Tensor` where it is read first.
* module: `self.name` outside `__init__`, where the `__init__` of the same class assigns `self.name = nn.Layer(...)`.
* device: a name `device`, or an attribute `.device` of a name, where it is read.

Places are drawn at random, the same number from each package. Recognised means that the hover of devls at that place
says so. "not reached" means that no run came by.
"""

from __future__ import annotations

import argparse
import ast
import collections
import random
import signal
import sys
from pathlib import Path

from mutation_recall import fetch, files_of, version

from devls.engine.core.machine import Machine
from devls.engine.driver.entry_points import run_file
from devls.engine.torch.nn import registry
from devls.library import catalog
from devls.library.effects import Result
from devls.library.lookup import Library
from devls.project.modules import Modules
from devls.project.workspace import Workspace
from devls.values.value import DeviceValue, InstanceValue, Symbol, TensorValue

NAMES = ["vit-pytorch", "denoising-diffusion-pytorch", "torchvision", "timm", "torch-geometric"]
TENSOR_METHODS = frozenset(
    "backward requires_grad_ unsqueeze masked_fill masked_fill_ log_softmax contiguous expand_as view_as detach permute"
    " bmm new_zeros new_ones new_full scatter_add_ index_select numel expand chunk flatten_ type_as softmax".split()
)
Place = tuple[str, str, ast.expr]
"""Kind, file and expression."""


def places(path: Path) -> list[Place]:
    """All places of a file whose nature its text says."""
    tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
    aliases = _aliases(tree)
    found: list[Place] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            func = node.func
            if (
                isinstance(func, ast.Attribute)
                and func.attr in TENSOR_METHODS
                and _dotted(func.value, aliases) is None
            ) and not (isinstance(func.value, ast.Name) and func.value.id in ("self", "cls")):
                found.append(("tensor", str(path), func.value))
            name = _dotted(func, aliases)
            if name is not None and _returns_tensor(name):
                found.append(("tensor", str(path), node))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found += [("tensor", str(path), each) for each in _annotated(node)]
            found += [
                ("device", str(path), each)
                for each in ast.walk(node)
                if isinstance(each, ast.Name) and each.id == "device" and isinstance(each.ctx, ast.Load)
            ]
        elif isinstance(node, ast.Attribute) and node.attr == "device" and isinstance(node.ctx, ast.Load):
            if isinstance(node.value, ast.Name) and _dotted(node, aliases) is None:
                found.append(("device", str(path), node))
        elif isinstance(node, ast.ClassDef):
            found += [("module", str(path), each) for each in _layers(node, aliases)]
    unique = {(kind, each.lineno, each.col_offset, each.end_col_offset): each for kind, _, each in found}
    return [(key[0], str(path), each) for key, each in sorted(unique.items(), key=lambda pair: pair[0][1:])]


def _aliases(tree: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(
                {
                    each.asname or each.name.split(".")[0]: each.name
                    if each.asname
                    else each.name.split(".")[0]
                    for each in node.names
                    if each.name.split(".")[0] == "torch"
                }
            )
        elif (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").split(".")[0] == "torch"
            and not node.level
        ):
            found.update({each.asname or each.name: f"{node.module}.{each.name}" for each in node.names})
    return found


def _dotted(node: ast.expr, aliases: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return aliases.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value, aliases)
        return None if owner is None else f"{owner}.{node.attr}"
    return None


def _returns_tensor(name: str) -> bool:
    if not name.startswith("torch.") or name.count(".") > 3:
        return False
    operation = catalog.operation(catalog.canonical(name))
    return operation is not None and operation.result in (Result.NEW, Result.LIKE, Result.TENSOR, Result.VIEW)


def _annotated(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    wanted = {
        each.arg
        for each in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        if each.annotation is not None and ast.unparse(each.annotation).rpartition(".")[2] == "Tensor"
    }
    found: dict[str, ast.expr] = {}
    reads = [
        each for each in ast.walk(function) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    ]
    for each in sorted(reads, key=lambda name: (name.lineno, name.col_offset)):
        if each.id in wanted:
            found.setdefault(each.id, each)
    return list(found.values())


def _layers(cls: ast.ClassDef, aliases: dict[str, str]) -> list[ast.expr]:
    methods = [each for each in cls.body if isinstance(each, ast.FunctionDef)]
    layers: set[str] = set()
    for method in methods:
        if method.name != "__init__":
            continue
        for node in ast.walk(method):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                name = _dotted(node.value.func, aliases)
                if name is not None and catalog.layer(catalog.canonical(name)) is not None:
                    layers |= {
                        each.attr
                        for each in node.targets
                        if isinstance(each, ast.Attribute) and _is_self(each.value)
                    }
    return [
        node
        for method in methods
        if method.name != "__init__"
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute)
        and node.attr in layers
        and _is_self(node.value)
        and isinstance(node.ctx, ast.Load)
    ]


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


class Tracing(Machine):
    """A machine that remembers why it did not know something."""

    reasons: dict[object, str]

    def unknown(self, node: ast.AST | None = None, text: str = "") -> Symbol:
        """As the machine does, with who asked for it."""
        symbol = super().unknown(node, text)
        caller = sys._getframe(1)
        where = f"{Path(caller.f_code.co_filename).stem}.{caller.f_code.co_name}"
        what = ""
        for local in ("name", "call", "call_", "callee", "function", "value"):
            each = caller.f_locals.get(local)
            each = getattr(each, "name", each)
            if isinstance(each, str):
                what = each
                break
            if each is not None and what == "":
                what = type(each).__name__
        self.reasons[symbol.key] = f"{where}({what})"
        return symbol


def reason(m: Tracing, value: object) -> str:
    """Why a value is not known, in a few words; the last part in brackets says where that began."""
    value = m.resolve(value)
    if not isinstance(value, Symbol):
        return type(value).__name__
    key = value.key
    trail = ""
    while isinstance(key, tuple) and key and key[0] == "attr":
        trail = f".{key[2]}{trail}"
        key = key[1]
    kind = str(key[0]) if isinstance(key, tuple) and key else str(key)
    if kind == "unknown":
        return f"{m.reasons.get(key, 'unknown')}{' attribute' if trail else ''}"
    return f"{kind}{' attribute' if trail else ''}{'' if not value.hint else f' hint={value.hint}'}"


def recognised(m: Machine, kind: str, value: object) -> bool:
    """Whether a value is of the kind that the text says."""
    value = m.resolve(value)
    if kind == "tensor":
        if isinstance(value, Symbol):
            return value.hint == "tensor" or value in m.inferred
        return isinstance(m.tensor_of(value, infer=False), TensorValue)
    if kind == "module":
        return any(
            isinstance(each, InstanceValue) and registry.is_module(m, each) for each in m.alternatives(value)
        )
    return any(
        isinstance(each, DeviceValue) or (isinstance(each, Symbol) and each.hint == "device")
        for each in m.alternatives(value)
    )


def measure(root: Path, chosen: list[Place], timeout: int) -> list[tuple[str, str, ast.expr, str]]:
    """For each place: its kind, file, expression, and "" if it was recognised, else why not."""
    told = []
    by_file: dict[str, list[Place]] = collections.defaultdict(list)
    for each in chosen:
        by_file[each[1]].append(each)
    for path, wanted in by_file.items():
        workspace = Workspace([str(root)])
        m = Tracing(Library(), Modules(workspace), lambda _event: None)
        m.reasons = {}
        m.recorded = source = workspace.source(path)
        signal.alarm(timeout)
        try:
            run_file(m, source)
        except TimeoutError:
            told += [(kind, path, node, "timeout") for kind, _, node in wanted]
            continue
        finally:
            signal.alarm(0)
        known = {
            (type(node), node.lineno, node.col_offset, node.end_lineno, node.end_col_offset): node
            for node in m.values
        }
        for kind, _, node in wanted:
            found = known.get(
                (type(node), node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            )
            if found is None:
                told.append((kind, path, node, "not reached"))
                continue
            value, layer = m.values[found]
            m.state.restore(layer)
            told.append((kind, path, node, "" if recognised(m, kind, value) else reason(m, value)))
    return told


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--places", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--timeout", type=int, default=60, help="seconds per file")
    parser.add_argument("--packages", type=Path, default=Path("build/packages"))
    parser.add_argument("-v", action="store_true", help="each place that was not recognised")
    options = parser.parse_args()

    def late(_signal: int, _frame: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, late)
    reasons: collections.Counter[str] = collections.Counter()
    total: collections.Counter[str] = collections.Counter()
    good: collections.Counter[str] = collections.Counter()
    for name in options.names:
        root = fetch(name, options.packages)
        everywhere = [each for path in files_of(root) for each in places(path)]
        count = options.places // len(options.names)
        chosen = random.Random(options.seed).sample(everywhere, min(count, len(everywhere)))
        ours: collections.Counter[str] = collections.Counter()
        right: collections.Counter[str] = collections.Counter()
        for kind, path, node, why in measure(root, chosen, options.timeout):
            ours[kind] += 1
            right[kind] += not why
            if why:
                reasons[f"{kind}: {why}"] += 1
                if options.v:
                    place = f"{Path(path).relative_to(root)}:{node.lineno}"
                    print(f"  {place} {ast.unparse(node)[:50]!r}: {kind}, {why}")
        shares = ", ".join(f"{kind} {right[kind]}/{ours[kind]}" for kind in sorted(ours))
        print(f"{version(root)}: {shares} of {len(everywhere)} places", flush=True)
        total += ours
        good += right
    for kind in sorted(total):
        print(f"{kind}: {good[kind]}/{total[kind]} = {good[kind] / total[kind]:.1%}")
    print(f"all: {good.total()}/{total.total()} = {good.total() / max(1, total.total()):.1%}")
    for why, count in reasons.most_common(25):
        print(f"{count:4} {why}")


if __name__ == "__main__":
    main()
