"""The catalog's roles, held against torch with a pretended accelerator: what may not stay behind on the CPU."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

# The lengths are copied to the host by some implementations and not by others: the catalog lets them be anywhere.
UNDECIDED = {"torch.nn.functional.ctc_loss"}


def test_roles() -> None:
    script = Path(__file__).with_name("catalog_devices.py")
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)], capture_output=True, text=True, check=True, timeout=300
    )
    answer = json.loads(run.stdout.splitlines()[-1])
    print(f"{answer['tried']} parameters of operations tried on another device than the rest")
    wrong = [
        f"{name}: the catalog says {parameter} is {role}, torch refuses it elsewhere: {refused}"
        for name, parameter, role, refused in answer["disagreements"]
        if name not in UNDECIDED
    ]
    assert not wrong, "\n".join(wrong)
    assert answer["tried"] > 800
