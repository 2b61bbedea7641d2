"""Compare the stand-in accelerator with a real one: the same programs on both, and what came out differently.

    compare_accelerator.py [--python PATH]

The programs are those of the battery (`tests/probe/battery.py`) and the facts about an accelerator (`tests/probe/facts.md`).
They run twice with the torch of PATH (default: this Python's): on the stand-in, and as they are. The exit status is 3,
with a message, if there is no CUDA device; 1 stands for differences, 0 for none.

Texts are compared without numbers of lines and addresses; that a message names kernels differently (`wrapper_CUDA_mm`) counts.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

HEAD = (
    "import copy\nimport numpy as np\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
)

# The real side: each program in a process that torch and CUDA are new to, since a CUDA context does not survive a fork.
REAL = """\
import json, sys
namespace = {}
try:
    exec(sys.stdin.read(), namespace)
    print(json.dumps(["gives", repr(namespace.get("r"))]))
except Exception as error:
    print(json.dumps(["raises", f"{type(error).__name__}: {error}"]))
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    there = cards(given.python)
    if not there:
        print("There is no CUDA device here that torch can use: nothing was compared.")
        print("The stand-in was only held against torch's own tables and messages (tests/probe).")
        return 3
    print(f"{there} CUDA device(s) with the torch of {given.python}")
    differences = compared = 0
    for name, code in programs():
        if there < 2 and "cuda:1" in code:
            continue
        real, pretended = on_card(given.python, code), on_stand_in(given.python, code)
        compared += 1
        if plain(real) != plain(pretended):
            differences += 1
            print(f"\n{name}\n  real:     {' '.join(real)[:300]}\n  stand-in: {' '.join(pretended)[:300]}")
    print(f"\n{compared} programs, {differences} differences")
    return int(differences > 0)


def cards(python: str) -> int:
    """How many CUDA devices the torch of a Python can use."""
    code = "import torch; print(torch.cuda.device_count() if torch.cuda.is_available() else 0)"
    ran = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return int(ran.stdout) if ran.returncode == 0 and ran.stdout.strip().isdigit() else 0


def programs() -> list[tuple[str, str]]:
    """Names and programs, from both sources."""
    from probe.battery import CASES  # noqa: PLC0415  found by the path set above
    from probe.test_facts import FACTS  # noqa: PLC0415

    found = [(case.name, HEAD + case.code) for case in CASES]
    return found + [(fact.name, HEAD + fact.code) for fact in FACTS if fact.accelerator]


def on_card(python: str, code: str) -> list[str]:
    """The real side."""
    ran = subprocess.run([python, "-c", REAL], input=code, capture_output=True, text=True, check=False)
    lines = ran.stdout.strip().splitlines()
    return json.loads(lines[-1]) if ran.returncode == 0 and lines else ["died", str(ran.returncode)]


def on_stand_in(python: str, code: str) -> list[str]:
    """The stand-in, in a process of its own like the real side."""
    enter = f"import sys\nsys.path.insert(0, {str(ROOT / 'server')!r})\nfrom devls.probe.standin import pretend\ncontext = pretend()\ncontext.__enter__()\n"
    ran = subprocess.run(
        [python, "-c", enter + REAL.replace("import json, sys\n", "import json\n")],
        input=code,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = ran.stdout.strip().splitlines()
    return json.loads(lines[-1]) if ran.returncode == 0 and lines else ["died", str(ran.returncode)]


def plain(outcome: list[str]) -> tuple[str, str]:
    """An outcome without what differs from run to run."""
    kind, text = outcome
    text = (
        re.sub(r"0x[0-9a-f]+", "0x", text).partition("\nCUDA kernel errors")[0].partition("\nSearch for")[0]
    )
    return kind, " ".join(text.split())


if __name__ == "__main__":
    sys.exit(main())
