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
* detach: `.detach()` is dropped. Left out: what has no history (lexically inside `no_grad`, `.data`, comparisons, an
  argument that nothing is computed with before); and what does no harm here (see below).
* zero_grad: the statement is dropped. Left out: the same function clears the same gradients elsewhere.
* no_grad: the `with` or the decorator is dropped. Left out: another one is around; nothing but factories,
  initializers and shapes is inside, or a call of a function of this file that is without gradients itself; and what does
  no harm here (see below).
* buffer: `self.register_buffer("x", v)` becomes `self.x = v`. Left out: v is None or has no dimension; no other method
  reads `self.x`, or only to index with it (torch takes an index from the CPU), or through `.to` and `.type_as`.
* modulelist: `self.x = nn.ModuleList(v)` becomes `self.x = list(v)`. Left out: what is built is in turn handed to a
  module; the list is never filled in this file.
"""

from __future__ import annotations

import argparse
import ast
import collections
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from mutants import KINDS, File

from devls.analysis import Analyzer
from devls.config import Config
from devls.project.workspace import Workspace

NAMES = ["vit-pytorch", "denoising-diffusion-pytorch", "torchvision", "x-transformers", "stable-baselines3"]


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
        root = fetch(name, options.packages)
        files = [File(path) for path in files_of(root)]
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
    found = {
        kind: [sum(row[i] for (k, _), row in table.items() if k == kind) for i in (0, 1)] for kind in KINDS
    }
    for kind, (hits, count) in found.items():
        if count:
            print(f"{kind:12} {hits:4}/{count:<4} {hits / count:6.1%}")
    for name in dict.fromkeys(name for _, name in table):
        hits, count = (sum(row[i] for (_, n), row in table.items() if n == name) for i in (0, 1))
        if count:
            print(f"{name:30} {hits:4}/{count:<4} {hits / count:6.1%}")
    hits, count = (sum(row[i] for row in found.values()) for i in (0, 1))
    print(f"all {hits}/{count} = {hits / max(1, count):.1%}")


def fetch(name: str, folder: Path) -> Path:
    """The root that holds a package as it is installed, without what it depends on.

    Args:
        name: as the registry spells it, perhaps with `==version`.
        folder: where packages are kept between runs.
    """
    root = folder / name
    if not root.exists():
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "-qq",
                "--no-deps",
                "--no-compile",
                "--target",
                str(root),
                name,
            ],
            check=True,
        )
    return root


def version(root: Path) -> str:
    """Name and version of the package in a root, as its metadata folder spells it."""
    return next((each.name.removesuffix(".dist-info") for each in root.glob("*.dist-info")), root.name)


def files_of(root: Path) -> list[Path]:
    """The package's Python files in a fixed order, its own tests apart."""
    return sorted(
        each
        for each in root.rglob("*.py")
        if not {"tests", "test", "testing"} & set(each.relative_to(root).parts)
    )


if __name__ == "__main__":
    main()
