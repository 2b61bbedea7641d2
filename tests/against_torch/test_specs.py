"""What the interpreter believes of tensors is what torch makes of the same program.

Every spec that can run is run, with a `reveal_value` that tells the truth; fields the interpreter leaves open (`?`, or
not mentioned) agree with anything. A line that is passed several times, and a spec that stops with an error, are
compared as far as they get: each revealed text has to fit one of the passes.
"""

from __future__ import annotations

import ast

import pytest
from specs_reader import Spec, all_specs
from torch_programs import Outcome, Program, run_programs

SPECS = [spec for spec in all_specs() if not spec.not_run]

PRELUDE = """\
import builtins, os, sys

shown = []


def reveal_value(value):
    import torch

    if isinstance(value, torch.Tensor):
        fields = {
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


def fits(believed: str, true: dict[str, str]) -> bool:
    """Whether a revealed text contradicts what torch has."""
    fields = dict(word.partition("=")[::2] for word in believed.replace(", ", ",").split()[1:] if "=" in word)
    for name, value in fields.items():
        wanted, found = value.replace(" ", ""), true.get(name, "?").replace(" ", "")
        if "?" in wanted and name == "shape":
            sizes, real = wanted.strip("()").split(","), found.strip("()").split(",")
            if wanted != "?" and (
                len(sizes) != len(real) or any(a not in ("?", b) for a, b in zip(sizes, real, strict=True))
            ):
                return False
        elif name == "device" and wanted == "cuda":
            if not found.startswith("cuda"):
                return False
        elif "?" not in (wanted, found) and wanted != found:
            return False
    return True


def certain(believed: str) -> bool:
    """Whether a revealed text is about one tensor, on a device with a name of torch's."""
    if not believed.startswith("Tensor "):
        return False
    device = dict(word.partition("=")[::2] for word in believed.split()).get("device", "?")
    return device == "?" or device.partition(":")[0] in ("cpu", "cuda", "mps", "meta")


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    # One program more, the last: it imports the spec as it stands, so that line numbers stay.
    programs = [
        Program(
            spec.id,
            {**spec.files, "prelude.py": PRELUDE, "run_spec.py": f"import prelude, {spec.module}\n"},
            effect="prelude.shown",
        )
        for spec in SPECS
    ]
    return run_programs(programs, accelerator=True)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
def test_spec_on_torch(spec: Spec, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[spec.id]
    assert not outcome.died, outcome
    shown: list[tuple[str, int, dict[str, str]]] = []
    if not outcome.effect.startswith("raises"):
        shown = ast.literal_eval(outcome.effect)
    for name, line, believed in spec.revealed:
        passes = [true for file, number, true in shown if (file, number) == (name, line)]
        if certain(believed) and passes:
            assert any(fits(believed, true) for true in passes), (line, believed, passes)
