"""Give `devls --check` bad files, folders, settings, patterns, notebooks, encodings and names, each beside two good files.

Each input is made in a folder of its own and checked by a process of its own, with limits of time and memory. Printed are the
inputs that ended in an internal error, took too long or too much memory, lost a finding of the good files, or commanded the
terminal; exit status 1 if there is one. `--count N` takes N of them, drawn with `--seed`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bad_texts import CELLS, CONFIGURATIONS, NAMES, NOTEBOOKS, PATTERNS, SOURCES

if TYPE_CHECKING:
    import resource
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parent.parent

GOOD = 'import torch\n{imports}\nx = torch.ones(2)\ny = x + torch.ones(2, device="cuda")\n'
IMPORTS = "import helper\nfrom package import part\nfrom package.part import this\n"
FOUND = "mixed-devices"

REFUSED = "nothing was checked: the configuration has to be put right first"

SECONDS = 10.0
KILLED_AFTER = 60.0
MEGABYTES = 1024
FORMATS = ("json", "human", "concise", "github")


@dataclass(frozen=True)
class Case:
    """One bad input: how to make it in a folder that has the good files, and how to check that folder."""

    name: str
    make: Callable[[Path], None] = lambda _: None
    arguments: tuple[str, ...] = (".",)
    environment: dict[str, str] = field(default_factory=dict)
    keeps: bool = True
    """Whether the good files are still checked."""


@dataclass
class Ran:
    """Outcome of one input."""

    seconds: float
    """Of a processor: the machine may have other work. A process that waits is killed after `KILLED_AFTER`."""
    megabytes: float
    troubles: list[str]


# --- what a path can be ------------------------------------------------------------------------------------------------


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # addresses are short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(20 * 1024**3)


def _closed(path: Path) -> None:
    path.write_text("x = 1\n")
    path.chmod(0)


def _circle(path: Path) -> None:
    other = path.with_name(f"other_{path.name}")
    path.symlink_to(other.name)
    other.symlink_to(path.name)


KINDS: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "socket": _socket,
    "20 GB": _sparse,
    "closed": _closed,
    "circle": _circle,
    "itself": lambda path: path.symlink_to(path.name),
    "nowhere": lambda path: path.symlink_to("nothing at all"),
    "its folder": lambda path: path.symlink_to("."),
    "root": lambda path: path.symlink_to("/"),
    "/dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "/dev/full": lambda path: path.symlink_to("/dev/full"),
    "/dev/stdin": lambda path: path.symlink_to("/dev/stdin"),
    "/proc/self/mem": lambda path: path.symlink_to("/proc/self/mem"),
    "binary": lambda path: path.write_bytes(bytes(range(256)) * 100),
    "random": lambda path: path.write_bytes(random.Random(1).randbytes(200_000)),
}

_SITE = ".venv/lib/python3.11/site-packages"

PLACES = (
    "bad.py",
    "bad.ipynb",
    ".gitignore",
    "sub/.gitignore",
    "pyproject.toml",
    "__init__.py",
    "helper.py",
    "package/__init__.py",
    "package/part.py",
    "torch.py",
    "package",
    ".git",
    f"{_SITE}/bad.pth",
    f"{_SITE}/__editable___bad_finder.py",
    f"{_SITE}/torch/version.py",
    f"{_SITE}/helper/__init__.py",
    ".venv",
)

FINDERS = (
    "MAPPING = " + "{" * 50_000,
    "MAPPING = {1, 2}",
    "MAPPING = {{}: 1}",
    "MAPPING = {'package': 'a\\0b'}",
    "MAPPING = {'package': '/dev/zero', 'helper': 7}",
    "MAPPING = {'package': " + "-" * 100_000 + "1}",
)
PATH_FILES = (
    "a\0b\n",
    "x" * 100_000,
    "/dev/zero\n/proc/self/fd\n..\n.\n" * 100,
    "\udc80".encode("utf-8", "replace").decode(),
)


def _at(place: str, kind: Callable[[Path], None]) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if _SITE in place:
            (folder / ".venv" / "pyvenv.cfg").touch()
        kind(path)

    return make


def _holding(place: str, data: str | bytes) -> Callable[[Path], None]:
    content = data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape")
    return _at(place, lambda path: path.write_bytes(content) and None)


# --- folders and names -------------------------------------------------------------------------------------------------


def _nested(folder: Path, name: str, depth: int) -> None:
    here = Path.cwd()
    os.chdir(folder)
    try:
        for _ in range(depth):
            Path(name).mkdir()
            os.chdir(name)
        Path("x.py").write_text("x = 1\n")
    finally:
        os.chdir(here)


def _many(folder: Path, count: int) -> None:
    (folder / "many").mkdir()
    for number in range(count):
        (folder / "many" / f"f{number}.py").touch()


def _links(folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    for number in range(50):
        (folder / "a" / "b" / f"up{number}").symlink_to("../..")
        (folder / "a" / f"file{number}.py").symlink_to("../good.py")


def _named(name: str, *, folder: bool) -> Callable[[Path], None]:
    def make(inside: Path) -> None:
        path = inside / name
        if folder:
            path.mkdir()
            path /= "bad.py"
        path.write_text("import torch\nx = (\ntorch.ones(2) + torch.ones(2, device='cuda')\n")

    return make


# --- all of them -------------------------------------------------------------------------------------------------------


def cases() -> Iterator[Case]:
    for kind, make in KINDS.items():
        for place in PLACES:
            if (place, kind) == ("torch.py", "closed"):
                continue  # root reads it, and what is named torch then is not torch
            yield Case(f"{place} is {kind}", _at(place, make))
        if kind != "root":
            yield Case(f"{kind}, named", _at("bad.py", make), ("bad.py", "."))
    for name, text in SOURCES.items():
        yield Case(f"source: {name}", _holding("bad.py", text))
    for name, text in list(SOURCES.items())[::4]:
        yield Case(f"imported: {name}", _holding("helper.py", text))
    for name, text in NOTEBOOKS.items():
        yield Case(f"notebook: {name}", _holding("bad.ipynb", text))
    for name, code in CELLS.items():
        cells = [{"cell_type": "code", "source": each} for each in (code, "import torch", code)]
        yield Case(f"cell: {name}", _holding("bad.ipynb", json.dumps({"cells": cells})))
    for name, text in CONFIGURATIONS.items():
        yield Case(f"configuration: {name}", _holding("pyproject.toml", text))
        yield Case(f"inner configuration: {name}", _holding("sub/pyproject.toml", text))
    for pattern in PATTERNS:
        exclude = f"[tool.devls]\nexclude = [{json.dumps(pattern)}]\n"
        yield Case(f"ignored: {pattern[:30]!r}", lambda at, p=pattern: _patterns(at, f"{p}\n"))
        yield Case(f"excluded: {pattern[:30]!r}", _holding("pyproject.toml", exclude))
    for text in FINDERS:
        yield Case(f"finder: {text[:30]}", _holding(f"{_SITE}/__editable___bad_finder.py", text))
    for text in PATH_FILES:
        yield Case(f".pth: {text[:10]!r}", _holding(f"{_SITE}/bad.pth", text))
    yield from _of_folders()
    yield from _of_environments()


def _patterns(folder: Path, lines: str) -> None:
    (folder / ".git").mkdir()
    (folder / ".gitignore").write_text(lines, encoding="utf-8")
    (folder / ("a" * 250 + ".py")).touch()
    _nested(folder, "a", 60)


def _of_folders() -> Iterator[Case]:
    for number, name in enumerate(NAMES):
        arguments = (".", "--output-format", FORMATS[number % len(FORMATS)])
        yield Case(f"file {name[:20]!a}", _named(name + ".py", folder=False), arguments)
        yield Case(f"folder {name[:20]!a}", _named(name, folder=True), arguments)
    for depth in (99, 150, 900, 1900):
        yield Case(f"{depth} folders", lambda at, depth=depth: _nested(at, "d", depth))
    yield Case("folders with long names", lambda at: _nested(at, "d" * 250, 40))
    yield Case("3000 files", lambda at: _many(at, 3000))
    yield Case("links to folders above", _links)
    for missing in (
        "",
        "nothing.py",
        "x" * 300,
        "x/" * 3000,
        "good.py/x",
        "\x1b[2J",
        "a\n::error::b",
        "\udcff",
        "*",
        "~",
    ):
        yield Case(f"named {missing[:20]!a}", arguments=(".", missing), keeps=bool(missing))
    yield Case("files named twice", arguments=(".", "good.py", "./good.py", "sub/../good.py", "sub"))
    yield Case("/dev/zero, named", arguments=(".", "/dev/zero", "/dev/null", "/dev/full", "/dev/stdin"))
    yield Case("/dev/zero as standard input", arguments=("-",), keeps=False)


def _of_environments() -> Iterator[Case]:
    for name, values in {
        "COLUMNS": ("0", "1", "-1", "\u00b2", "x", "9" * 30),
        "LINES": ("0", "\u00b2"),
        "VIRTUAL_ENV": ("/dev/zero", "/proc/self/fd", "x" * 5000, "\x1b", "/", "nothing"),
        "CONDA_PREFIX": ("/dev/null/x", "."),
        "PYTHONIOENCODING": ("ascii", "latin-1", "utf-16"),
        "LC_ALL": ("C", "nothing"),
        "TERM": ("dumb", "nothing", ""),
        "FORCE_COLOR": ("1",),
        "HOME": ("", "/nothing", "/dev/null"),
        "PYTHONUTF8": ("0", "1"),
        "PYTHONOPTIMIZE": ("2",),
    }.items():
        for value in values:
            yield Case(
                f"{name}={value[:20]!a}",
                arguments=(".", "--output-format", "human"),
                environment={name: value},
            )
    for value in ("/dev/null", "/dev/null/x", "/proc/self", "good.py", "x" * 5000, "sub", "\x1b", "."):
        yield Case(
            f"DEVLS_CACHE_DIR={value[:20]!a}",
            environment={"DEVLS_CACHE_DIR": value},
            arguments=(".", "--cached"),
        )


# --- running them ------------------------------------------------------------------------------------------------------


def run(case: Case, within: Path) -> Ran:
    """Make one input and check it."""
    folder = within / "input"
    (folder / "sub").mkdir(parents=True)
    (folder / "good.py").write_text(GOOD.format(imports=IMPORTS))
    (folder / "sub" / "good_too.py").write_text(GOOD.format(imports=""))
    case.make(folder)
    wanted = [each for each in case.arguments if each != "--cached"]
    source = Path("/dev/zero" if "-" in wanted else "/dev/null")
    arguments = wanted if len(wanted) < len(case.arguments) else [*wanted, "--no-cache"]
    if "--output-format" not in arguments:
        arguments += ["--output-format", "json"]
    out, err = within / "out", within / "err"
    with out.open("wb") as stdout, err.open("wb") as stderr, source.open("rb") as stdin:
        began = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-c", START, "--check", *arguments],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT / "server"),
                "DEVLS_CACHE_DIR": str(within / "cache"),
                **case.environment,
            },
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        status, usage = _waited_for(process, began)
        seconds = usage.ru_utime + usage.ru_stime
    encoding = case.environment.get("PYTHONIOENCODING", "utf-8")
    encoding = "utf-16" if encoding == "utf-16" else "utf-8"
    said = out.read_bytes().decode(encoding, "replace"), err.read_bytes().decode(encoding, "replace")
    ran = Ran(seconds, usage.ru_maxrss / 1024, list(_troubles(case, status, *said)))
    if seconds > SECONDS:
        ran.troubles.append(f"{seconds:.0f} s")
    if ran.megabytes > MEGABYTES:
        ran.troubles.append(f"{ran.megabytes:.0f} MB")
    return ran


START = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30));"
    "from devls.__main__ import main; sys.exit(main())"
)


def _waited_for(process: subprocess.Popen[bytes], began: float) -> tuple[int, resource.struct_rusage]:
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage
        if time.monotonic() - began > KILLED_AFTER:
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.01)


def _troubles(case: Case, status: int, out: str, err: str) -> Iterator[str]:
    if status not in (0, 1, 2):
        yield f"exit status {status}"
    for sign in ("Traceback", "internal error", "devls itself failed", "Fatal Python"):
        if sign in err:
            yield f"{sign}: {err[max(0, err.find(sign) - 60) : err.find(sign) + 140].strip()!r}"
    if not all(each.isprintable() for each in err.split("\n")):
        yield f"control characters on standard error: {err[:200]!r}"
    colours = "FORCE_COLOR" in case.environment
    if not colours and not all(each.isprintable() for each in out.split("\n")):
        yield f"control characters on standard output: {out[:200]!r}"
    if any(each.lstrip().startswith("::") and "title=devls" not in each for each in (out + err).split("\n")):
        yield "a forged workflow command"
    # A configuration that cannot be used ends a check before it begins, so that nobody takes it for a clean one.
    refused = status == 2 and REFUSED in err and "pyproject.toml" in err
    if case.keeps and not refused:
        lost = [name for name in ("good.py", "good_too.py") if not _tells(out, name)]
        if lost:
            yield f"no finding in {' and '.join(lost)}: {err[:200]!r}"


def _tells(out: str, name: str) -> bool:
    """Whether a finding of a good file is there: its name and the rule's, near each other in each of the formats."""
    at = out.find(name)
    while at >= 0:
        if FOUND in out[max(0, at - 400) : at + 400]:
            return True
        at = out.find(name, at + 1)
    return False


def _remove(folder: Path) -> None:
    # Not by shutil: folders are deeper than Python's stack.
    subprocess.run(["chmod", "-R", "u+rwx", str(folder)], check=False, stderr=subprocess.DEVNULL)
    subprocess.run(["rm", "-rf", str(folder)], check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=0, help="how many inputs (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="which of them are drawn")
    parser.add_argument("--only", default="", help="those whose name holds this")
    options = parser.parse_args()
    chosen = [each for each in cases() if options.only in each.name]
    total = len(chosen)
    if options.count:
        random.Random(options.seed).shuffle(chosen)
        chosen = chosen[: options.count]
    bad, slowest, largest = 0, (0.0, ""), (0.0, "")
    for case in chosen:
        within = Path(tempfile.mkdtemp(prefix="strength-"))
        try:
            ran = run(case, within)
        finally:
            _remove(within)
        slowest, largest = max(slowest, (ran.seconds, case.name)), max(largest, (ran.megabytes, case.name))
        bad += bool(ran.troubles)
        for trouble in ran.troubles:
            print(f"{case.name}: {trouble}", flush=True)
    print(f"{len(chosen)} of {total} bad inputs: {bad} with trouble")
    print(f"slowest {slowest[0]:.1f} s ({slowest[1]}), largest {largest[0]:.0f} MB ({largest[1]})")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
