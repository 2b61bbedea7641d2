"""Try to knock the analyzer over: `python scripts/strength_code.py [FOLDER...] --count 2000 --seed 1`.

Analyzes mutants of real files, random Python, and bombs, each in a forked worker with bounds on memory and time. Prints
every internal error (contained or not) with the text that shows it, every file over ten seconds, and the peak of memory.
Exit status 1 if there was any of the first two.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import logging
import os
import random
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "scripts")]

from strength import bombs, grammar, mutants  # noqa: E402

from devls.analysis import Analyzer  # noqa: E402
from devls.config import Config  # noqa: E402
from devls.project.definitions import Definitions, environments  # noqa: E402
from devls.project.workspace import Workspace  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SLOW: Final = 10.0
"""Seconds of processor time that no file may take."""

BATCH: Final = 20
"""Programs of one worker."""


@dataclass(frozen=True)
class Program:
    """One program to analyze."""

    kind: str
    name: str
    text: str


@dataclass
class Figures:
    """Seen so far."""

    done: Counter[str] = field(default_factory=Counter)
    errors: list[tuple[Program, str]] = field(default_factory=list)
    slow: list[tuple[Program, float]] = field(default_factory=list)
    slowest: dict[str, tuple[float, str]] = field(default_factory=dict)
    peak: int = 0
    """Bytes."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "folders", nargs="*", help="where real files lie, rather than in examples, tests and torch"
    )
    parser.add_argument("--count", type=int, default=2000, help="mutants; a quarter as many are generated")
    parser.add_argument("--generated", type=int, help="generated programs (default: a quarter of --count)")
    parser.add_argument("--bombs", type=int, help="bombs (default: 15 for each 100 of --count)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--memory", type=int, default=2048, help="MiB that a worker may take")
    parser.add_argument("--keep", default="", metavar="FOLDER", help="write what fails there")
    options = parser.parse_args()
    figures = Figures()
    analyze = _analyzer()
    for batch in _batches(_programs(options)):
        _run(batch, analyze, options.memory << 20, figures)
        if sys.stderr.isatty():
            print(f"\r{sum(figures.done.values())}", end="", file=sys.stderr)
    return _report(figures, options.keep)


def _programs(options: argparse.Namespace) -> Iterator[Program]:
    count = options.count
    places = _real_files(options.folders)
    for seed in range(options.seed, options.seed + count):
        chance = random.Random(seed)
        path = chance.choice(chance.choice(places))
        text = path.read_text(encoding="utf-8", errors="replace")
        yield Program("mutant", f"{seed} of {path.name}", mutants.mutant(text, chance))
    generated = count // 4 if options.generated is None else options.generated
    for seed in range(options.seed, options.seed + generated):
        yield Program("generated", str(seed), grammar.program(random.Random(seed)))
    how_many = count * 15 // 100 if options.bombs is None else options.bombs
    for seed in range(options.seed, options.seed + how_many):
        name, text = bombs.bomb(random.Random(seed))
        yield Program("bomb", f"{seed} {name}", text)


_LONGEST: Final = 60_000
"""Characters of a file to mutate."""


def _real_files(folders: list[str]) -> list[list[Path]]:
    """The files of each place, all of which have some: a mutant is as likely to come from one place as from another.

    Raises:
        SystemExit: if there are none in a place.
    """
    installed = [str(Path(each) / "torch") for each in environments((str(ROOT),))]
    places = folders or [str(ROOT / "examples"), str(ROOT / "tests"), *filter(os.path.isdir, installed)]
    found = {place: sorted(filter(_is_short, Path(place).glob("**/*.py"))) for place in places}
    if empty := [place for place, files in found.items() if not files]:
        raise SystemExit(f"no Python files in {', '.join(empty)}")
    return list(found.values())


def _is_short(path: Path) -> bool:
    return path.is_file() and path.stat().st_size < _LONGEST


def _batches(programs: Iterable[Program]) -> Iterator[list[Program]]:
    batch: list[Program] = []
    for each in programs:
        batch.append(each)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


class _Log(logging.Handler):
    """Keeps what was logged of errors that were contained."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(logging.Formatter().format(record))


class _analyzer:  # noqa: N801  it is called
    """Analyzes one text, as the command line does."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.log = _Log()
        logging.getLogger("devls").addHandler(self.log)
        logging.getLogger("devls").propagate = False
        self("import torch\n")  # what all analyses share is there before the workers are

    def __call__(self, text: str) -> str:
        """Failures."""
        path = str(Path(self.folder.name) / "program.py")
        workspace = Workspace((self.folder.name,))
        workspace.open(path, text)
        installed = Definitions(environments(workspace.roots))
        analyzer = Analyzer(workspace, lambda _: Config(), hovers=False, installed=installed)
        self.log.seen.clear()
        try:
            analyzer.analyze(path)
        except Exception:  # noqa: BLE001  whatever it is, it is what we look for
            return traceback.format_exc()
        return "\n".join(self.log.seen)


def _run(batch: list[Program], analyze: _analyzer, memory: int, figures: Figures) -> None:
    """Analyze some programs in workers, a new one where one was ended."""
    left = list(batch)
    while left:
        left = left[_work(left, analyze, memory, figures) :]


def _work(batch: list[Program], analyze: _analyzer, memory: int, figures: Figures) -> int:
    """Analyze programs in one worker; returns how many are done with, the one that ended it included."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _child(batch, analyze, memory, writing)
    os.close(writing)
    done, status, left = 0, "", bytearray()
    with os.fdopen(reading, "rb", buffering=0) as stream:
        while done < len(batch):
            line = _line(stream.fileno(), child, 4 * SLOW, left)
            if line is None or not line:
                status = "no answer" if line is None else "the worker died"
                break
            _told(batch[done], json.loads(line), figures)
            done += 1
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    _, code = os.waitpid(child, 0)
    if status:
        print(f"{batch[done].kind} {batch[done].name}: {status}", flush=True)
        figures.done[batch[done].kind] += 1
        if status == "no answer":
            figures.slow.append((batch[done], 4 * SLOW))
        else:
            figures.errors.append((batch[done], f"{status} ({code})"))
        done += 1
    return done


def _line(stream: int, child: int, seconds: float, left: bytearray) -> bytes | None:
    """One line; nothing at the end, and None when it takes too long. `left` is what was read beyond it.

    Counted are seconds of processor time of the child, or ten times as many by the clock: other work may be beside it.
    """
    end, used = time.monotonic() + 10 * seconds, _processor_time(child)
    while b"\n" not in left:
        ready, _, _ = select.select([stream], [], [], 1.0)
        if not ready:
            if time.monotonic() > end or _processor_time(child) - used > seconds:
                return None
            continue
        more = os.read(stream, 1 << 16)
        if not more:
            return b""
        left += more
    line, _, rest = bytes(left).partition(b"\n")
    left[:] = rest
    return line


def _processor_time(process: int) -> float:
    """Seconds that a process that is not waited for yet has computed."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _child(batch: list[Program], analyze: _analyzer, memory: int, writing: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.collect()
    gc.freeze()
    for each in batch:
        before = time.process_time()
        error = analyze(each.text)
        gc.collect()
        told = [
            time.process_time() - before,
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            error,
        ]
        os.write(writing, json.dumps(told).encode() + b"\n")
    os._exit(0)


def _told(program: Program, told: list[object], figures: Figures) -> None:
    seconds, peak, error = float(str(told[0])), int(str(told[1])), str(told[2])
    figures.done[program.kind] += 1
    figures.peak = max(figures.peak, peak)
    figures.slowest[program.kind] = max(figures.slowest.get(program.kind, (0.0, "")), (seconds, program.name))
    if error:
        figures.errors.append((program, error))
        print(f"{program.kind} {program.name}: {error.strip().splitlines()[-1]}", flush=True)
    if seconds > SLOW:
        figures.slow.append((program, seconds))
        print(f"{program.kind} {program.name}: {seconds:.1f} s", flush=True)


def _report(figures: Figures, keep: str) -> int:
    shown = Counter(error.strip() for _, error in figures.errors)
    for error, times in shown.most_common(8):
        print(f"\n{times} times:\n{error[-1500:]}")
    for folder in [Path(keep)] if keep else []:
        folder.mkdir(parents=True, exist_ok=True)
        for program, _ in (*figures.errors, *figures.slow):
            (folder / f"{program.kind} {program.name}.py").write_text(
                program.text, encoding="utf-8", errors="replace"
            )
    kinds = ", ".join(
        f"{count} {kind}s" if kind != "generated" else f"{count} generated"
        for kind, count in figures.done.items()
    )
    slowest = ", ".join(
        f"{kind} {seconds:.1f} s ({name})" for kind, (seconds, name) in figures.slowest.items()
    )
    print(f"{kinds}: {len(figures.errors)} internal errors, {len(figures.slow)} over {SLOW:.0f} s")
    print(f"slowest: {slowest}; peak of memory: {figures.peak >> 20} MiB")
    return 1 if figures.errors or figures.slow else 0


if __name__ == "__main__":
    sys.exit(main())
