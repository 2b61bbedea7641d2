"""Kill devls while it writes, and take its room away: no file is damaged, and no later result is wrong.

    python scripts/strength_kill.py [--count 200] [--room 50] [--seed 0]

Each round makes files anew (large ones and many small ones), starts `devls --check --fix`, and kills it at a random moment,
most of them while files are written. Then each file holds its old text or its fixed one, whole. The same is done to checks
that keep their findings, after which a check has to find what one without a cache finds. If this process may mount a
full file system, `--fix` writes there every other time, else to files of limited size.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "server"))

from devls.cli import cache, writing  # noqa: E402
from devls.cli.arguments import parse  # noqa: E402
from devls.cli.main import run  # noqa: E402

ROOM = 2 * 1024 * 1024
"""Bytes of the small file system."""

FOUND = "import torch\n\nx = torch.ones(3)\n" + "x.cuda()\n" * 100
"""A file with many findings."""

MANY, LARGE = 40, 3
LINES = 100_000


@dataclass
class Tally:
    """Outcome of one kind of round."""

    rounds: int = 0
    killed: int = 0
    changed: int = 0
    """Rounds in which some file had been written, or kept, when the end came."""
    parts: int = 0
    """Files beside that were left."""
    wrong: list[str] = field(default_factory=list)


def project(folder: Path, *, lines: int = LINES, many: int = MANY) -> dict[Path, tuple[bytes, bytes]]:
    """Files with one fix each, by path: what they hold before and behind it."""
    found = {}
    for number in range(many + LARGE):
        filling = b"# filled up\n" * (lines if number < LARGE else 50)
        text = b"import torch\n\nx = torch.ones(3)\n%b\n" + filling + b"print(x)  # %d\n" % number
        found[folder / f"file{number}.py"] = text % b"x.cuda()", text % b"x = x.cuda()"
    return found


def write(files: dict[Path, tuple[bytes, bytes]]) -> None:
    for path, (before, _) in files.items():
        path.write_bytes(before)


def judge(files: dict[Path, tuple[bytes, bytes]], tally: Tally, label: str) -> None:
    """Count what is neither the old nor the new text."""
    held = {path: path.read_bytes() if path.exists() else None for path in files}
    tally.wrong += [f"{label}: {path.name}" for path in files if held[path] not in files[path]]
    tally.changed += any(held[path] == files[path][1] for path in files)
    for folder in {path.parent for path in files}:
        for part in folder.glob(".devls-fix-*.part"):
            tally.parts += 1
            part.unlink()


@dataclass
class Ended:
    """A process that has ended."""

    status: int
    """The exit status; of a killed one the signal's number, negative."""
    out: str
    err: str


class Devls:
    """`devls` in a process of its own, forked from this one: starting Python each time takes ten times as long."""

    def __init__(
        self,
        *flags: str,
        says: tuple[ModuleType, str] | None = None,
        size: int | None = None,
        deadly: bool = False,
    ) -> None:
        """Start it, with a limit on the `size` of files, perhaps a deadly one; it `says` when it begins to call a function."""
        # Pipes, which no limit on the size of files cuts off.
        (out, to_out), (err, to_err), (self._told, telling) = os.pipe(), os.pipe(), os.pipe()
        self._process = os.fork()
        if self._process == 0:
            status = 70
            try:  # nothing that stands behind this, in any caller, may run twice: it takes the files away
                os.dup2(to_out, 1)
                os.dup2(to_err, 2)
                os.closerange(3, telling)
                sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
                status = _child(flags, says and (*says, telling), size, deadly=deadly)
            except BaseException:  # noqa: BLE001  whatever it is, it is shown
                traceback.print_exc()
            finally:
                with contextlib.suppress(OSError):
                    sys.stderr.flush()
                os._exit(status)
        for each in (to_out, to_err, telling):
            os.close(each)
        self._read: dict[int, bytes] = {}
        self._readers = [threading.Thread(target=self._drain, args=(each,)) for each in (out, err)]
        self._order = out, err
        for reader in self._readers:
            reader.start()

    def _drain(self, stream: int) -> None:
        with os.fdopen(stream, "rb") as file:
            self._read[stream] = file.read()

    def says(self) -> None:
        """Wait until it begins."""
        os.read(self._told, 1)

    def ends(self, *, killed: bool = False) -> Ended:
        """Kill it, or wait for it."""
        if killed:
            os.kill(self._process, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])
        os.close(self._told)
        for reader in self._readers:
            reader.join()
        return Ended(status, *(self._read[each].decode("utf-8", "replace") for each in self._order))


def _child(
    flags: tuple[str, ...],
    says: tuple[ModuleType, str, int] | None,
    size: int | None,
    *,
    deadly: bool,
) -> int:
    if size is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    if deadly:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    if says is not None:
        _tell(*says)
    status = run(parse(["--check", *flags]))
    sys.stdout.flush()
    return status


def _tell(module: ModuleType, name: str, to: int) -> None:
    function = getattr(module, name)

    def told(*given: object) -> object:
        os.write(to, b"!")
        return function(*given)

    setattr(module, name, told)


def killed(flags: list[str], says: tuple[ModuleType, str], seconds: float | None) -> tuple[bool, float]:
    """Kill devls so long behind the start of a write. Returns whether it was killed, and how long it went on."""
    process = Devls(*flags, says=says)
    process.says()
    began = time.perf_counter()
    if seconds is not None:
        time.sleep(seconds)
    ended = process.ends(killed=seconds is not None)
    return ended.status == -signal.SIGKILL, time.perf_counter() - began


def fixes_killed(folder: Path, count: int, chance: random.Random) -> Tally:
    """Kill `--fix` while it writes, in turn among large files and among small ones."""
    tally, shortest = Tally(), dict.fromkeys((LINES, LINES // 100), 60.0)
    flags, says = ["--fix", "--no-cache", str(folder)], (writing, "rewrite")
    while tally.killed < count and tally.rounds < 4 * count:
        lines = list(shortest)[tally.rounds % 2]
        files = project(folder, lines=lines)
        write(files)
        first = tally.rounds < len(shortest)
        was, went_on = killed(flags, says, None if first else chance.uniform(0, shortest[lines]))
        if not was:
            shortest[lines] = min(shortest[lines], went_on)
        tally.rounds += 1
        tally.killed += was
        judge(files, tally, f"kill {tally.rounds}")
    return tally


def without_room(folder: Path, count: int, chance: random.Random) -> Tally:
    """`--fix` where there is no room for what it writes: files stay whole, which it says, and it ends with 2."""
    tally = Tally()
    mounted = _mounted(folder)
    print(f"without room: {'a full file system, and ' if mounted else ''}a limit on the size of files")
    try:
        for number in range(count):
            _without_room(folder, f"room {number}", chance, tally, full=mounted and number % 2 == 0)
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)
    return tally


def _without_room(folder: Path, label: str, chance: random.Random, tally: Tally, *, full: bool) -> None:
    files = project(folder, lines=LINES // 10, many=8)
    for each in folder.iterdir():
        each.unlink()
    write(files)
    largest = max(len(after) for _, after in files.values())
    if full:
        free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
        (folder / "filler").write_bytes(b"x" * max(0, free - chance.randrange(largest)))
    limit = None if full else chance.randrange(largest)
    ran = Devls("--fix", "--no-cache", str(folder), size=limit).ends()
    tally.rounds += 1
    judge(files, tally, label)
    for path, (before, _) in files.items():
        said = f"{path} is not fixed: it could not be written" in ran.err
        if (path.exists() and path.read_bytes() == before) is not said:
            tally.wrong.append(f"{label}: what is said of {path.name}")
    if ran.status != (2 if " is not fixed" in ran.err else 0):
        tally.wrong.append(f"{label}: exit status {ran.status}: {ran.err[-800:]}")


def _mounted(folder: Path) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "devls-strength", str(folder)]
    return os.geteuid() == 0 and subprocess.run(command, capture_output=True, check=False).returncode == 0


def caches_killed(folder: Path, count: int, chance: random.Random) -> Tally:
    """Data kept when a check is killed never changes the results of a later one."""
    tally = Tally()
    files = [folder / f"file{number}.py" for number in range(12)]
    for path in files:
        path.write_text(FOUND)
    place = folder.with_name("cache")
    os.environ[cache.VARIABLE] = str(place)
    shortest = killed([str(folder)], (cache, "_write"), None)[1]
    size = next(place.glob(f"{cache.FOLDER}/*")).stat().st_size
    while tally.killed < count and tally.rounds < 4 * count:
        if tally.rounds % 20 == 0:
            shutil.rmtree(place, ignore_errors=True)
        path = chance.choice(files)
        path.write_text(FOUND.replace("x.cuda()\n", "", chance.randrange(100)))
        if tally.rounds % 2:
            was, went_on = killed([str(folder)], (cache, "_write"), chance.uniform(0, shortest))
            shortest = shortest if was else min(shortest, went_on)
        else:  # a write is short: to end in the middle of one, it is ended by what it writes
            was = Devls(str(folder), size=chance.randrange(size), deadly=True).ends().status < 0
        tally.rounds += 1
        tally.killed += was
        for each in place.glob(f"{cache.FOLDER}/part-*"):
            tally.parts += 1
            each.unlink()
        tally.changed += any(place.glob(f"{cache.FOLDER}/*"))
        if _found(folder) != _found(folder, "--no-cache"):
            tally.wrong.append(f"cache {tally.rounds}")
    return tally


def _found(folder: Path, *flags: str) -> list[dict[str, object]]:
    ended = Devls("--output-format", "json", *flags, str(folder)).ends()
    return json.loads(ended.out)  # type: ignore[no-any-return]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--count", type=int, default=200, help="kills of --fix, and of checks that keep findings"
    )
    parser.add_argument("--room", type=int, default=50, help="runs of --fix without room")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        for label, number, part in (
            ("killed while files are fixed", options.count, fixes_killed),
            ("fixed without room", options.room, without_room),
            ("killed while findings are kept", options.count, caches_killed),
        ):
            folder = Path(name, part.__name__, "project")
            folder.mkdir(parents=True)
            Path(name, "warm.py").write_text(FOUND)
            with contextlib.redirect_stdout(io.StringIO()):
                run(
                    parse(["--check", "--no-cache", str(Path(name, "warm.py"))])
                )  # children find all modules loaded
            tally = part(folder, number, chance)
            wrong += tally.wrong
            print(
                f"{label}: {tally.rounds} rounds, {tally.killed} killed, {tally.changed} with something written,"
                f" {tally.parts} parts left, {len(tally.wrong)} wrong",
                flush=True,
            )
    for each in wrong:
        print(each)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
