"""run_mutant.py ID: run the specs, the rule pages and the forms of pitfalls with one mistake in the engine (none, if ID is empty); says who noticed.

A process of its own, because the mistake has to be there before anything is imported. Prints `killed by BLOCK` or
`survived`.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "server")]

from mutation.mutants import PACKAGE, Mutant, mutants  # noqa: E402  it is found by the path above

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


class Planted(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module its changed code."""

    def __init__(self, mutant: Mutant, code: object) -> None:
        self._name = "devls." + mutant.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        self._code = code

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        return importlib.util.spec_from_loader(name, self) if name == self._name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code, module.__dict__)  # noqa: S102  the engine's own code


def killed_by(seed: str) -> str | None:
    """The first block that a test complains of, in an order of its own for each mutant."""
    import test_corpus as forms  # noqa: PLC0415  the mistake is there by now
    import test_rule_pages as pages  # noqa: PLC0415
    from test_specs import all_specs, test_spec  # noqa: PLC0415

    blocks = [(test_spec, each) for each in all_specs()] + [(pages.test_block, each) for each in pages.BLOCKS]
    blocks += [
        (pages.test_preferred_fix_gives_the_fixed_block, each)
        for each in pages.FIXED
        if not each.fixed.by_hand
    ]
    blocks += [(forms.test_found_and_quiet_when_meant, each) for each in forms.FORMS]
    random.Random(seed).shuffle(blocks)  # noqa: S311
    for test, block in blocks:
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(block, Path(folder))
            except Exception:  # noqa: BLE001  an assertion, or whatever a wrong engine raises
                return block.id
    return None


def main(wanted: str) -> str:
    if wanted:
        plant(wanted)
    try:
        killer = killed_by(wanted)
    except Exception as error:  # noqa: BLE001  the engine cannot even be imported
        return f"killed by {type(error).__name__}"
    return f"killed by {killer}" if killer else "survived"


def plant(wanted: str) -> None:
    """Let the engine be imported with a mistake."""
    path = PACKAGE / wanted.partition(":")[0]
    mutant, tree = next((each, tree) for each, tree in mutants(path) if each.id == wanted)
    sys.meta_path.insert(0, Planted(mutant, compile(tree(), str(path), "exec")))


if __name__ == "__main__":
    print(main(sys.argv[1]))
