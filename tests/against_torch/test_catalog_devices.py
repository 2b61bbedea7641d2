"""The catalog's roles, held against torch with a pretended accelerator: what may not stay behind on the CPU."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from against_torch.comparing import ERRORS
from checking import line_of
from devls.analysis import Analyzer
from devls.config import Config
from devls.project.workspace import Workspace

# The lengths are copied to the host by some implementations and not by others: the catalog lets them be anywhere.
# The joint weight of an attention whose weights are apart is an empty tensor, which nothing reads.
UNDECIDED = {
    "torch.nn.functional.ctc_loss",
    "torch.ctc_loss",
    "torch.nn.functional.multi_head_attention_forward",
}


def _answer(script: str) -> Any:
    path = Path(__file__).with_name(script)
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(path)], capture_output=True, text=True, check=True, timeout=300
    )
    return json.loads(run.stdout.splitlines()[-1])


def test_roles() -> None:
    answer = _answer("catalog_devices.py")
    print(f"{answer['tried']} parameters of operations tried on another device than the rest")
    wrong = [
        f"{name}: the catalog says {parameter} is {role}, torch refuses it elsewhere: {refused}"
        for name, parameter, role, refused in answer["disagreements"]
        if name not in UNDECIDED
    ]
    assert not wrong, "\n".join(wrong)
    assert answer["tried"] > 800


def _reported(text: str) -> set[int]:
    """The lines on which devls finds tensors that may not meet."""
    workspace = Workspace(("/nowhere",))
    workspace.open("/nowhere/program.py", text)
    analysis = Analyzer(workspace, lambda _path: Config(), hovers=False).analyze("/nowhere/program.py")
    return {
        line_of(text, each.range.start) for each in analysis.diagnostics if each.rule in ERRORS["device"][1]
    }


def test_one_tensor_left_on_the_cpu() -> None:
    """Each of torch's operator samples, with each of its tensors left behind in turn: devls says what torch says."""
    programs = _answer("mixed_devices.py")
    agreed, wrong = 0, []
    for each in programs:
        lines, reported = each["text"].splitlines(), _reported(each["text"])
        for number, refused in each["verdicts"].items():
            if (int(number) in reported) == refused:
                agreed += 1
            else:
                wrong.append(f"{each['name']}: torch refuses: {refused}: {lines[int(number) - 1]}")
    share = agreed / (agreed + len(wrong))
    print(
        f"{len(programs)} operations, {agreed + len(wrong)} calls: the same verdict for {share:.2%}",
        *wrong,
        sep="\n",
    )
    assert len(programs) > 180
    assert share >= 0.99
