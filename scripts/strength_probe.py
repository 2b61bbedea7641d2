"""Harm what can be harmed: `python scripts/strength_probe.py --count 200`.

Programs that do harm are run behind the guard; then clients are killed at random moments while torch answers them, and the processes
that are left are counted. Exit status 1 if a program did harm, or anything was left.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

from devls.probe.client import Probe  # noqa: E402
from probe.hostile import MARK, PROGRAMS, Surroundings, end_all, gone, marked  # noqa: E402

PATIENCE = 20.0
"""Seconds until a process that is left counts as left."""

CLIENT = """
import sys
from devls.probe.client import Probe
probe = Probe(sys.executable)
for number in range(10**6):
    probe.ask(f"r = {number}", accelerator=number % 2 == 0)
    if number == 1:
        print("warm", flush=True)
    probe.ask(f"import time; time.sleep(0.05); r = {number}", accelerator=number % 2 == 0)
    probe.ask(f"import ctypes, time; ctypes.CDLL(None).fork(); time.sleep(1000); r = {number}", wall_s=0.2)
    if number == LONG:
        probe.ask("import time; time.sleep(1000)", accelerator=number % 2 == 0, wall_s=1000.0)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20, help="how many clients are killed")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    harm = sum(
        hostile(fork=fork, accelerator=accelerator)
        for fork, accelerator in ((True, True), (True, False), (False, False))
    )
    return int(bool(harm + deaths(options.count, options.seed)))


def hostile(*, fork: bool, accelerator: bool) -> int:
    """Run all programs; how many did harm or left a process."""
    value, wrong, began = str(uuid.uuid4()), 0, time.perf_counter()
    os.environ[MARK] = value
    probe = Probe(sys.executable, fork=fork)
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, program) in enumerate(PROGRAMS.items()):
            around = Surroundings(Path(folder) / str(number))
            probe.ask("r = 'before'", accelerator=accelerator)
            answer = probe.ask(around.filled(program), accelerator=accelerator, wall_s=5.0)
            left = [each for each in marked(value) if _outlives(each)]
            after = probe.ask(f"r = {name!r}", accelerator=accelerator)
            harm = around.harm(answer) or ("processes are left" if left else "")
            if not harm and (after is None or after.value != repr(name)):
                harm = f"no answer afterwards: {after or probe.problem}"
            if harm:
                wrong += 1
                print(f"{name}: {harm}: {answer}")
            around.close()
    probe.close()
    left = 0 if gone(value, PATIENCE) else len(marked(value))
    del os.environ[MARK]
    took = time.perf_counter() - began
    print(
        f"fork {fork}, accelerator {accelerator}: {len(PROGRAMS)} programs, {wrong} did harm, {left} processes left; {took:.0f} s"
    )
    return wrong + left


def _outlives(process: int) -> bool:
    """Whether a process is none of the worker's two: its program has ended, so that nothing else may be there."""
    try:
        command = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return False
    return command[0] != "Z" and os.getpgid(process) == process and int(command[1]) != os.getpid()


def deaths(count: int, seed: int) -> int:
    """Kill clients; how many processes are left in all."""
    chance, left, slowest, at_once = random.Random(seed), 0, 0.0, 0
    for _ in range(count):
        value = str(uuid.uuid4())
        environment = {**os.environ, MARK: value, "PYTHONPATH": str(ROOT / "server")}
        program = CLIENT.replace("LONG", str(chance.randrange(1, 5)))
        client = subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE)
        if chance.random() < 0.8:  # otherwise while torch is imported
            client.stdout.readline()
        time.sleep(chance.uniform(0, 1.0))
        client.kill()
        client.wait()
        client.stdout.close()
        killed = time.perf_counter()
        most = len(marked(value))
        at_once += most
        if not gone(value, PATIENCE):
            left += len(marked(value))
            end_all(value)
        slowest = max(slowest, time.perf_counter() - killed)
    print(
        f"{count} clients killed: {at_once} processes right after it, {left} left, the last one gone after {slowest:.2f} s"
    )
    return left


if __name__ == "__main__":
    sys.exit(main())
