"""Follow statements of a program through the code: which file calls into which, while the engine runs them.

usage: trace_statements.py FILE LINE [LINE ...] [--quiet]

A crossing is a call from a function of one file to a function of another. Calls into `values`, `text` and `syntax`,
which hold data and decide nothing, are counted apart. `docs/life_of_a_finding.md` is written from this.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "server" / "devls"
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

from checking import analyze  # noqa: E402
from devls.engine.core.transfer import STATEMENTS  # noqa: E402

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable
    from types import FrameType

    from devls.engine.core.machine import Machine

DATA = ("values", "text", "syntax")
"""The packages whose modules hold data: every floor reads them."""


class Crossing(NamedTuple):
    """A call from one file into another, while a line of the program is run."""

    line: int
    caller: str
    called: str
    function: str

    @property
    def is_data(self) -> bool:
        """Whether either end only holds data."""
        return any(path.partition("/")[0] in DATA for path in (self.caller, self.called))


class Recorder:
    """Records the crossings of some lines of a program."""

    def __init__(self, lines: frozenset[int]) -> None:
        self._lines = lines
        self._line = 0
        self.crossings: list[Crossing] = []

    def install(self) -> None:
        """Wrap the engine's table of statements."""
        for kind, run in STATEMENTS.items():
            STATEMENTS[kind] = self._wrapped(run)

    def _wrapped(self, run: Callable[[Machine, ast.stmt], bool]) -> Callable[[Machine, ast.stmt], bool]:
        def recorded(m: Machine, node: ast.stmt) -> bool:
            if node.lineno not in self._lines or self._line:
                return run(m, node)
            self._line = node.lineno
            sys.setprofile(self._called)
            try:
                return run(m, node)
            finally:
                sys.setprofile(None)
                self._line = 0

        return recorded

    def _called(self, frame: FrameType, event: str, _argument: object) -> None:
        if event != "call" or frame.f_back is None:
            return
        called, caller = (Path(each.f_code.co_filename) for each in (frame, frame.f_back))
        if called != caller and all(each.is_relative_to(PACKAGE) for each in (called, caller)):
            names = (each.relative_to(PACKAGE).as_posix() for each in (caller, called))
            self.crossings.append(Crossing(self._line, *names, frame.f_code.co_name))


def main() -> int:
    """Print the crossings and their number; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("line", type=int, nargs="+")
    parser.add_argument("--quiet", action="store_true", help="print the figures only")
    options = parser.parse_args()
    recorder = Recorder(frozenset(options.line))
    recorder.install()
    with tempfile.TemporaryDirectory() as folder:
        analyze({"example.py": options.file.read_text(encoding="utf-8")}, Path(folder))
    deciding = [each for each in recorder.crossings if not each.is_data]
    for each in () if options.quiet else deciding:
        print(f"{each.line}: {each.caller} -> {each.called}: {each.function}")
    files = {path for each in deciding for path in (each.caller, each.called)}
    print(
        f"{len(deciding)} crossings between {len(files)} files, and {len(recorder.crossings) - len(deciding)}"
        f" from or to {', '.join(DATA)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
