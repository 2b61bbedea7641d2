"""Run many random programs on torch, in one process, and hold what the engine says of each against it."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from checking import line_of
from devls.analysis import Analyzer, Severity
from devls.config import Config
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from torch_programs import Outcome


ERRORS: Mapping[str, tuple[str, frozenset[str]]] = {
    "device": (
        r"same device|Expected all tensors|on the CPU|same type of device|should be either on cpu|to be on (the )?(cpu|cuda)",
        frozenset(
            {"mixed-devices", "input-off-module-device", "tensor-created-off-device", "unregistered-tensor"}
        ),
    ),
    "twice": (
        "backward through the graph a second time",
        frozenset({"backward-twice", "hidden-state-carried"}),
    ),
    "leaf": (
        "leaf Variable that requires grad|leaf variable has been moved|is a view and is being modified inplace|created in no_grad mode",
        frozenset({"inplace-on-leaf"}),
    ),
    "saved": ("modified by an inplace operation", frozenset({"inplace-breaks-backward"})),
    "no graph": ("does not require grad and does not have a grad_fn", frozenset({"backward-without-graph"})),
    "not scalar": ("implicitly created only for scalar outputs", frozenset({"backward-on-non-scalar"})),
    "numpy": (
        "Can't call numpy|can't convert cuda|can't convert .* device type",
        frozenset({"numpy-on-grad", "host-read-on-device"}),
    ),
}
"""Errors of torch that devls has rules for: the text, and the rules."""


def _kind_of(raised: str) -> str:
    if not raised:
        return ""
    return next((kind for kind, (text, _) in ERRORS.items() if re.search(text, raised)), "other")


@dataclass
class Run:
    """Outcome of one path through a program on torch."""

    raised: str
    line: int
    shown: dict[int, dict[str, str]]
    caught: Sequence[tuple[int, str]] = ()
    """All errors in a program that handles any, by line."""
    ran: frozenset[int] = frozenset()
    """The lines that were run; only for programs that handle errors."""

    @property
    def kind(self) -> str:
        """Which of `ERRORS` was raised; "" for none, "other" for one that no rule is about."""
        return _kind_of(self.raised)


@dataclass
class Figures:
    """Counts over programs."""

    programs: int = 0
    died: int = 0
    """Programs that ended torch's process; nothing is known of what they do."""
    clean: int = 0
    values: int = 0
    opinions: Counter[str] = field(default_factory=Counter)
    raised: Counter[str] = field(default_factory=Counter)
    reported: Counter[str] = field(default_factory=Counter)
    missed: dict[str, list[str]] = field(default_factory=dict)


class Torch:
    """A process that runs programs on torch with a pretended accelerator, for as long as the context lasts."""

    def __init__(self) -> None:
        self._process = self._started()

    def _started(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", str(Path(__file__).with_name("torch_server.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Torch:  # noqa: PYI034  Self needs 3.11
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def run(self, programs: Mapping[str, str]) -> dict[str, list[Run]]:
        """Outcomes of each program on torch, for every way its flags may be set; see `receive`."""
        self.send(programs)
        return self.receive(programs)

    def send(self, programs: Mapping[str, str]) -> None:
        """Let torch begin with programs; `receive` waits for what they did."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(list(programs.values())) + "\n")
        self._process.stdin.flush()

    def receive(self, programs: Mapping[str, str]) -> dict[str, list[Run]]:
        """Outcomes of the programs that were sent; no runs of a program that has ended torch's process.

        Raises:
            RuntimeError: if a process has ended that was given nothing to run, so that no program is to blame.
        """
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        if not answer:
            return self._again(programs)
        return {
            name: [
                Run(
                    raised,
                    line,
                    {int(number): each for number, each in shown.items()},
                    caught,
                    frozenset(ran),
                )
                for raised, line, shown, caught, ran in runs
            ]
            for name, runs in zip(programs, json.loads(answer), strict=True)
        }

    def _again(self, programs: Mapping[str, str]) -> dict[str, list[Run]]:
        """Run in halves what was under way when torch's process died, in new processes, until it is one program."""
        status = self._process.wait()
        if not programs:
            raise RuntimeError(f"torch's process ended with status {status}")
        self._process = self._started()
        names = list(programs)
        if len(names) == 1:
            return {names[0]: []}
        middle = len(names) // 2
        parts = ({name: programs[name] for name in part} for part in (names[:middle], names[middle:]))
        return {name: runs for part in parts for name, runs in self.run(part).items()}


def run_on_torch(programs: Mapping[str, str]) -> dict[str, list[Run]]:
    """Outcomes of each program on torch, in a process that ends afterwards."""
    with Torch() as torch:
        return torch.run(programs)


def contradictions(text: str, runs: Sequence[Run], figures: Figures) -> Iterator[str]:
    """Statements of the engine about a program that torch contradicts; counts go to `figures`."""
    if not runs:
        figures.died += 1
        return
    workspace = Workspace(("/nowhere",))
    workspace.open("/nowhere/program.py", text)
    try:
        analysis = Analyzer(workspace, lambda _path: Config(), hovers=False).analyze("/nowhere/program.py")
    except Exception as error:  # noqa: BLE001  whatever it is, the program at hand tells why
        frame = traceback.extract_tb(error.__traceback__)[-1]
        yield f"crash {type(error).__name__} at {frame.filename.rpartition('/')[2]}:{frame.lineno}, {error}"
        return
    figures.programs += 1
    figures.clean += not any(run.raised for run in runs)
    found: list[tuple[str, int]] = []
    for diagnostic in analysis.diagnostics:
        line = line_of(text, diagnostic.range.start)
        if diagnostic.rule == "revealed-value":
            yield from _values(text, line, diagnostic.message, runs, figures)
        elif diagnostic.severity is Severity.ERROR or diagnostic.rule == "unregistered-tensor":
            found.append((diagnostic.rule, line))
            kinds = {kind for kind, (_, rules) in ERRORS.items() if diagnostic.rule in rules}
            # Errors raised "whenever an accelerator is used" are not the subject of these programs.
            if (
                diagnostic.severity is Severity.ERROR
                and diagnostic.confidence == "certain"
                and kinds
                and not _left_out(text, runs, line)
                and not any(
                    _may_be(text, kinds, run, line, elsewhere=diagnostic.rule == "tensor-created-off-device")
                    for run in runs
                )
            ):
                raised = "; ".join(
                    f"line {run.line}: {run.raised[:80]}" if run.raised else "nothing" for run in runs
                )
                yield f"false alarm {diagnostic.rule}, line {line}: {diagnostic.message}\n    torch raised {raised}"
    # An error on some ways only is possible, not certain, and devls keeps quiet.
    everywhere = runs if len({run.kind for run in runs}) == 1 else ()
    for run in everywhere[:1]:
        kind = run.kind
        if kind in ("", "other"):
            continue
        figures.raised[kind] += 1
        if any(rule in ERRORS[kind][1] for rule, _ in found):
            figures.reported[kind] += 1
        else:
            figures.missed.setdefault(kind, []).append(f"line {run.line}: {run.raised[:90]}\n{listing(text)}")


def _may_be(program: str, kinds: set[str], run: Run, line: int, *, elsewhere: bool) -> bool:
    """Whether a run agrees with a report: it raised such an error, caught one, or ended before it came that far."""
    ended = bool(run.raised) and run.line <= line  # one line may be wrong in two ways
    # The body of a function stands before the call that torch did not come to.
    lines = program.splitlines()
    ended = ended or (run.kind == "other" and lines[line - 1].startswith(" "))
    # A mistake told at a tensor's creation is raised at its use; one line may be wrong in two ways.
    caught = any(number == line or (elsewhere and _kind_of(text) in kinds) for number, text in run.caught)
    return run.kind in kinds or caught or ended


def _left_out(program: str, runs: Sequence[Run], line: int) -> bool:
    """Whether torch did not come to a line because of how a `try` went: it stands behind what raised, or in a handler.

    A handler that is not run here is run when something else fails; a mistake in it is one.
    """
    if any(not run.ran or line in run.ran for run in runs):
        return False
    return any(
        isinstance(each, ast.Try) and each.lineno < line <= (each.end_lineno or 0)
        for each in ast.walk(ast.parse(program))
    )


def _values(text: str, line: int, believed: str, runs: Sequence[Run], figures: Figures) -> Iterator[str]:
    # In a loop that raised, the engine goes on to the end of a pass, and to a second one.
    lines = text.splitlines()
    passes = [
        run.shown[line]
        for run in runs
        if line in run.shown
        and not (run.raised and (_same_block(lines, line, run.line) or _in_generator(text, run.line)))
    ]
    if not passes:
        return
    figures.values += 1
    if not certain(believed):
        alternatives = believed.split(" | ")
        if len(alternatives) > 1 and all(certain(each) for each in alternatives):
            for true in passes:
                if not any(fits(each, true) for each in alternatives):
                    yield f"line {line}: {believed}\n    torch: {true}"
        return
    for name, value in fields(believed).items():
        figures.opinions[name] += "?" not in value
    for true in passes:
        if not fits(believed, true):
            yield f"line {line}: {believed}\n    torch: {true}"
            return


def _same_block(lines: Sequence[str], line: int, raised: int) -> bool:
    """Whether a line is in the block that raised, or in one that the raising line ended."""
    if not lines[line - 1].startswith(" "):
        return False
    return line <= raised or all(each.startswith(" ") for each in lines[raised - 1 : line])


def _in_generator(text: str, raised: int) -> bool:
    """Whether a line that raised is of a generator: a loop over that has seen what came before, and the engine goes on."""
    return any(
        isinstance(each, ast.FunctionDef)
        and each.lineno <= raised <= (each.end_lineno or 0)
        and any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in ast.walk(each))
        for each in ast.walk(ast.parse(text))
    )


def listing(text: str) -> str:
    """A program with line numbers."""
    return "\n".join(f"{number:3} {line}" for number, line in enumerate(text.splitlines(), 1))


# Hold what the interpreter reveals of tensors against torch's own


PRELUDE = """\
import builtins, os, sys

shown = []


def reveal_value(value):
    import torch

    if isinstance(value, torch.Tensor):
        fields = {
            "kind": "Parameter" if isinstance(value, torch.nn.Parameter) else "Tensor",
            "device": str(value.device),
            "requires_grad": str(value.requires_grad),
            "is_leaf": str(value.is_leaf),
            "shape": str(tuple(value.shape)),
            "dtype": str(value.dtype).removeprefix("torch."),
        }
        caller = sys._getframe(1)
        shown.append((os.path.basename(caller.f_code.co_filename), caller.f_lineno, fields))
    return value


builtins.reveal_value = reveal_value
"""
"""Import it first; `shown` then holds (file, line, fields) of every tensor that was revealed."""


def shown(outcome: Outcome) -> list[tuple[str, int, dict[str, str]]]:
    """Values that a program with `effect="prelude.shown"` has revealed."""
    if not outcome.effect or outcome.effect.startswith("raises"):
        return []
    found: list[tuple[str, int, dict[str, str]]] = ast.literal_eval(outcome.effect)
    return found


def certain(believed: str) -> bool:
    """Whether a revealed text is about one tensor, on a device with a name of torch's or unknown."""
    if not believed.startswith(("Tensor ", "Parameter ")) or " | " in believed:
        return False
    device = fields(believed).get("device", "?")
    return device == "?" or all(
        each.partition(":")[0] in ("cpu", "cuda", "mps", "meta") for each in device.split("|")
    )


def fits(believed: str, true: dict[str, str]) -> bool:
    """Whether a revealed text agrees with torch; what it leaves open (`?`) agrees with anything."""
    if believed.startswith("Parameter") and true["kind"] != "Parameter":
        return False
    for name, wanted in fields(believed).items():
        found = true.get(name, "?").replace(" ", "")
        if "?" in (wanted, found):
            continue
        if name == "shape":
            sizes, real = wanted.strip("()").split(","), found.strip("()").split(",")
            if len(sizes) != len(real) or any(a not in ("?", b) for a, b in zip(sizes, real, strict=True)):
                return False
        elif name == "device":
            if not any(
                each == found or (each == "cuda" and found.startswith("cuda")) for each in wanted.split("|")
            ):
                return False
        elif wanted != found:
            return False
    return True


def fields(believed: str) -> dict[str, str]:
    """The words of a revealed text by name."""
    words = believed.replace(", ", ",").replace(" or ", "|").split()[1:]
    return dict(word.partition("=")[::2] for word in words if "=" in word)
