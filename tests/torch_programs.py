"""Run small programs on torch, each in a process of its own, without paying for `import torch` each time.

Imported, it offers `run_programs` and does not import torch. Run as a script it is the other side: it imports torch
once (and, with `--accelerator`, the stand-in accelerator), reads programs as JSON from stdin, forks for each, and
writes their outcomes as JSON to stdout.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
import traceback
import types
import warnings
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TIME_LIMIT = 60  # seconds for one program; they take milliseconds, a hang must not stop the rest
_SERVER = Path(__file__).parent.parent / "server"


@dataclass(frozen=True)
class Program:
    """Files to write, the last of which is run; then `run` is executed and `effect` evaluated in its namespace.

    The namespace is that of `setting`, which is run before.
    """

    id: str
    files: dict[str, str]
    run: str = ""
    effect: str = ""
    setting: str = ""


@dataclass(frozen=True)
class Outcome:
    """Outcome of a program."""

    raised: str = ""
    """`Type: text`, or empty."""
    file: str = ""
    line: int = 0
    """The innermost line of the program's files that raised, and which of them."""
    warned: list[str] = field(default_factory=list)
    effect: str = ""
    """`repr` of the effect's value, or `raises Type: text` if evaluating it did."""
    trace: str = ""
    """The traceback as Python prints it."""
    died: str = ""
    """Why there is nothing else to tell."""


def run_programs(
    programs: Sequence[Program], *, accelerator: bool, at_once: int = 1, limit: int = TIME_LIMIT
) -> dict[str, Outcome]:
    """Run `programs`, some of them at the same time and none for more than `limit` seconds; outcomes by id.

    Raises:
        subprocess.CalledProcessError: if torch (or the stand-in) cannot be imported.
    """
    command = [
        sys.executable,
        "-W",
        "ignore",
        str(Path(__file__)),
        f"--at-once={at_once}",
        f"--limit={limit}",
        *(["--accelerator"] if accelerator else []),
    ]
    finished = subprocess.run(
        command,
        input=json.dumps([asdict(program) for program in programs]),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(_SERVER), *_packages()])},
    )
    return {key: Outcome(**outcome) for key, outcome in json.loads(finished.stdout).items()}


def _packages() -> list[str]:
    """The folders of more packages, which programs may import."""
    return [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []


def _execute(program: dict[str, Any], torch: Any) -> Outcome:
    main = list(program["files"])[-1]
    for name, text in program["files"].items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    sys.path.insert(0, str(Path.cwd()))
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    torch.manual_seed(0)
    raised, place, effect, trace = "", ("", 0), "", ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(program["setting"], module.__dict__)  # noqa: S102  ours, too
            exec(compile(program["files"][main], main, "exec"), module.__dict__)  # noqa: S102  our own examples
            if program["run"]:
                exec(compile(program["run"], "<run>", "exec"), module.__dict__)  # noqa: S102
        except Exception as error:  # noqa: BLE001  whatever an example raises is its outcome
            raised = f"{type(error).__name__}: {error}"
            trace = traceback.format_exc()
            frames = [
                (os.path.relpath(frame.filename), frame.lineno or 0)
                for frame in traceback.extract_tb(error.__traceback__)
            ]
            place = next((place for place in reversed(frames) if place[0] in program["files"]), place)
        if program["effect"]:
            try:
                effect = repr(eval(program["effect"], module.__dict__))  # noqa: S307
            except Exception as error:  # noqa: BLE001
                effect = f"raises {type(error).__name__}: {error}"
    warned = [f"{w.category.__name__}: {w.message}" for w in caught]
    return Outcome(raised, *place, warned, effect, trace)


@dataclass
class _Child:
    """A program that runs, the end of its pipe, and until when it may."""

    program: str
    process: int
    reader: int
    until: float

    def outcome(self) -> Outcome:
        """Text that it has written, if any; it is ended otherwise."""
        if not select.select([self.reader], [], [], 0)[0]:
            os.kill(self.process, 9)
        with os.fdopen(self.reader, encoding="utf-8") as pipe:
            text = pipe.read()
        status = os.waitpid(self.process, 0)[1]
        return Outcome(**json.loads(text)) if text else Outcome(died=f"wait status {status}")


def _in_child(program: dict[str, Any], torch: Any, context: Any, limit: int) -> _Child:
    """Fork, and run; the outcome comes through a pipe."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        quiet = os.open(os.devnull, os.O_RDWR)
        os.dup2(quiet, 1)  # what an example prints is not our output
        os.dup2(quiet, 2)
        with tempfile.TemporaryDirectory() as folder, context():
            os.chdir(folder)
            os.environ["TMPDIR"] = tempfile.tempdir = (
                folder  # what a program leaves there is not for the next one
            )
            outcome = _execute(program, torch)
        with os.fdopen(writer, "w", encoding="utf-8") as pipe:
            json.dump(asdict(outcome), pipe)
        os._exit(0)
    os.close(writer)
    return _Child(program["id"], child, reader, time.monotonic() + limit)


def _outcomes(
    programs: list[dict[str, Any]], torch: Any, context: Any, *, at_once: int, limit: int
) -> Iterator[tuple[str, Outcome]]:
    """Run programs, so many at once."""
    waiting, running = programs[::-1], list[_Child]()
    while waiting or running:
        while waiting and len(running) < at_once:
            running.append(_in_child(waiting.pop(), torch, context, limit))
        first = min(each.until for each in running)
        ready = select.select([each.reader for each in running], [], [], max(0.0, first - time.monotonic()))[
            0
        ]
        now = time.monotonic()
        for each in [one for one in running if one.reader in ready or one.until <= now]:
            running.remove(each)
            yield each.program, each.outcome()


def _serve(*, accelerator: bool, at_once: int, limit: int) -> None:
    import torch  # noqa: PLC0415  only this side pays for it

    torch.set_num_threads(1)
    # The first optimizer imports torch's compiler, which takes seconds: once here, rather than in every child.
    torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1).step()
    context: Any = contextlib.nullcontext
    if accelerator:
        from devls.probe.standin import pretend  # noqa: PLC0415

        context = pretend
        with pretend():
            torch.ones(2, device="cuda").sum().item()  # warms what every child would have to
    sys.argv[1:] = []  # programs read their own
    outcomes = _outcomes(json.load(sys.stdin), torch, context, at_once=at_once, limit=limit)
    json.dump({name: asdict(each) for name, each in outcomes}, sys.stdout)


if __name__ == "__main__":
    given = argparse.ArgumentParser()
    given.add_argument("--accelerator", action="store_true")
    given.add_argument("--at-once", type=int, required=True)
    given.add_argument("--limit", type=int, required=True)
    _serve(**vars(given.parse_args()))
