"""Programs that do harm are refused or survived, nobody is left when whoever asked is killed, and the stand-in behaves."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from devls.probe.client import Probe
from devls.probe.interpreters import candidates, choose, lies_inside
from probe.battery import CASES, Case
from probe.hostile import MARK, PROGRAMS, Surroundings, come, end_all, gone, marked
from torch_programs import Outcome, Program, run_programs

if TYPE_CHECKING:
    from collections.abc import Iterator


pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or ctypes.CDLL(None).syscall(444, None, 0, 1) < 1,
    reason="what Landlock and seccomp refuse is refused on Linux only",
)


WORKERS = 2
"""Processes of a probe between two questions: the one that imports torch, and its child with the stand-in."""


@pytest.fixture(scope="module")
def mark() -> str:
    """A value of `MARK` that all processes of the probe have."""
    return str(uuid.uuid4())


@pytest.fixture(scope="module")
def probe(mark: str) -> Iterator[Probe]:
    made = Probe(sys.executable)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(MARK, mark)
        assert made.ask("r = 'started'") is not None
    yield made
    made.close()
    assert gone(mark, 30.0)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_hostile_program_does_no_harm(name: str, probe: Probe, mark: str, tmp_path: Path) -> None:
    around = Surroundings(tmp_path / "folder")
    try:
        answer = probe.ask(around.filled(PROGRAMS[name]), wall_s=3.0)
        assert answer is not None
        assert not around.harm(answer), answer
    finally:
        around.close()
    after = probe.ask(f"r = {name!r}")
    assert after is not None
    assert after.value == repr(name)
    assert gone(mark, 30.0, but=WORKERS)


def test_questions_leave_no_processes_however_many_there_are(probe: Probe, mark: str) -> None:
    for number in range(8):
        answer = probe.ask(f"import torch; r = {number}", accelerator=number % 2 == 0)
        assert answer is not None
        assert answer.value == str(number)
        assert gone(mark, 30.0, but=WORKERS)
    assert len(marked(mark)) == WORKERS


STARTS = """
import ctypes, os
libc = ctypes.CDLL(None)
fork, clone = (57, 56) if os.uname().machine == "x86_64" else (-1, 220)
ways = (
    libc.fork, lambda: libc.syscall(fork), lambda: libc.syscall(clone, 17, 0, 0, 0, 0), lambda: libc.syscall(435, bytes(64), 64),
    lambda: libc.daemon(1, 1),
)
r = [way() for way in ways]
"""


@pytest.mark.parametrize("accelerator", [False, True])
def test_a_question_starts_no_process_in_any_way(probe: Probe, accelerator: bool) -> None:
    """A child would answer beside its parent, and what both say is no answer."""
    answer = probe.ask(STARTS, accelerator=accelerator)
    assert answer is not None
    assert answer.value == "[-1, -1, -1, -1, -1]", answer


FORKS = """
import ctypes, time
libc = ctypes.CDLL(None)
for _ in range(3):
    libc.fork()
END
"""


def test_a_question_is_one_process_as_long_as_it_runs(probe: Probe, mark: str) -> None:
    """Counted while it sleeps, and not only when its group has been ended."""
    most = 0
    code = FORKS.replace("END", "time.sleep(1000)")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(probe.ask, code, wall_s=1.0)
        while not asked.done():
            most = max(most, len(marked(mark)))
    answer = asked.result()
    assert answer is not None
    assert answer.died == "timeout"
    assert most == WORKERS + 1


@pytest.mark.parametrize("end", ["time.sleep(1000)", "r = 1", "1 / 0", "ctypes.string_at(0)"])
def test_processes_end_with_the_question_where_no_call_is_refused(tmp_path: Path, end: str) -> None:
    """The C library starts them without asking Python; all of a question's have one group."""
    value = str(uuid.uuid4())
    (tmp_path / "torch.py").write_text("__version__ = '9'\nTensor = tuple\ndef set_num_threads(_): pass\n")
    start = tmp_path / "start.py"
    start.write_text(
        "import os, platform, runpy, sys\nplatform.machine = lambda: 'another'\n"
        f"os.environ['{MARK}'] = '{value}'\nos.execve = None\nsys.argv = sys.argv[1:]\n"
        "sys.path.insert(0, '')\nrunpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    starter = tmp_path / "python"
    options = f"{MARK}={value} PYTHONPATH={tmp_path}"
    starter.write_text(
        '#!/bin/sh\nwhile [ "${1#-}" != "$1" ] || [ "$1" = utf8 ]; do shift; done\n'
        f'{options} exec {sys.executable} -S {start} "$@"\n'
    )
    starter.chmod(0o755)
    probe = Probe(str(starter))
    try:
        answer = probe.ask(FORKS.replace("END", end), accelerator=False, wall_s=0.5)
        assert answer is not None, probe.problem
        assert gone(value, 30.0, but=1)
        assert len(marked(value)) == 1
    finally:
        probe.close()
        end_all(value)


@pytest.mark.parametrize("closes", ["", "os.closerange(0, 64); "])
@pytest.mark.parametrize("accelerator", [False, True])
def test_nothing_is_left_of_a_client_that_is_killed_while_torch_answers(
    closes: str, accelerator: bool
) -> None:
    """The question would take longer than is waited for here: nobody but the system ends it."""
    value = str(uuid.uuid4())
    program = (
        "import sys; from devls.probe.client import Probe; p = Probe(sys.executable);"
        f"p.ask('r = 1', accelerator={accelerator}); print('warm', flush=True);"
        f"p.ask('import os, time; {closes}time.sleep(1000)', accelerator={accelerator}, wall_s=1000.0)"
    )
    environment = {**os.environ, MARK: value, "PYTHONPATH": os.pathsep.join(sys.path)}
    client = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment)
    try:
        assert client.stdout is not None
        assert client.stdout.readline() == b"warm\n"
        # The client, the worker, its child with the stand-in, and the question.
        assert come(value, 4 if accelerator else 3, 30.0)
        client.kill()
        client.wait()
        client.stdout.close()
        assert gone(value, 30.0)
    finally:
        end_all(value)


def test_a_program_that_closes_the_pipe_and_goes_on_is_ended_in_time(probe: Probe) -> None:
    answer = probe.ask("import os, time; os.close(3); time.sleep(1000)", wall_s=1.0)
    assert answer is not None
    assert answer.died == "timeout"
    answer = probe.ask("import os; os.close(3); os._exit(7)", wall_s=60.0)
    assert answer is not None
    assert answer.died == "exit 7"


def test_what_torch_needs_is_there(probe: Probe) -> None:
    """Threads, modules that are imported late, random numbers, the time zone."""
    code = (
        "import torch, threading, time, os\n"
        "done = []\n"
        "thread = threading.Thread(target=lambda: done.append(1)); thread.start(); thread.join()\n"
        "import torch.nn.utils.prune, torch.distributions, sqlite3, json.tool\n"
        "x = torch.ones(2, 2, requires_grad=True, device='cuda'); (x @ x).sum().backward()\n"
        "r = (done, x.grad.sum().item(), len(os.urandom(4)), time.localtime() is not None, torch.rand(2).shape[0])"
    )
    answer = probe.ask(code, wall_s=60.0)
    assert answer is not None
    assert answer.value == "([1], 16.0, 4, True, 2)", answer


def test_where_calls_cannot_be_filtered_files_are_refused_still() -> None:
    code = (
        "import os, platform; platform.machine = lambda: 'another'\n"
        "from devls.probe.confinement import confine\nconfine()\n"
        "child = os.fork()\nif child == 0: os._exit(0)\nos.waitpid(child, 0)\n"
        "try: open('/etc/hosts')\nexcept PermissionError: print('refused')"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    assert ran.stdout == "refused\n", ran.stderr


def test_signals_to_others_are_refused_where_landlock_knows_of_none() -> None:
    code = (
        "import ctypes, os, fcntl, signal; from devls.probe import confinement\n"
        "confinement._SCOPES = 0; confinement.confine()\n"
        "libc = ctypes.CDLL(None, use_errno=True); own, parent = os.getpid(), os.getppid()\n"
        "calls = (62, 200, 234, 129, 297) if os.uname().machine == 'x86_64' else (129, 130, 131, 138, 240)\n"
        "data = (ctypes.c_int * 32)(0, 0, -1)\n"
        "given = ((parent, 0), (parent, 0), (parent, parent, 0), (parent, 0, data), (parent, parent, 0, data))\n"
        "print([libc.syscall(number, *each) for number, each in zip(calls, given)])\n"
        "a, b = os.pipe()\n"
        "print([libc.fcntl(a, *each) for each in ((8, parent), (10, 9), (15, (ctypes.c_int * 2)(1, parent)))])\n"
        "print(libc.fcntl(a, 3), libc.syscall(calls[2], own, own, 0), flush=True)\n"
        "os.abort()"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    assert ran.stdout.splitlines() == ["[-1, -1, -1, -1, -1]", "[-1, -1, -1]", "0 0"], ran.stderr
    assert ran.returncode == -signal.SIGABRT


# The Python whose torch is asked: which it is, and which are never started


def program(place: Path, mark: Path) -> Path:
    """A program that leaves a mark."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\ntouch {mark}\n")
    place.chmod(0o755)
    return place


def test_the_order(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    places = [
        program(tmp_path / name, mark) for name in ("venv/bin/python", "conda/bin/python", "bin/python3")
    ]
    environment = {
        "VIRTUAL_ENV": str(tmp_path / "venv"),
        "CONDA_PREFIX": str(tmp_path / "conda"),
        "PATH": f"relative:{tmp_path / 'bin'}",
    }
    assert [each.python for each in candidates(environment)] == [sys.executable, *map(str, places)]
    assert not mark.exists()


def test_what_lies_inside(tmp_path: Path) -> None:
    folder, outside = tmp_path / "project", tmp_path / "elsewhere"
    mark = tmp_path / "mark"
    inside = program(folder / ".venv/bin/python", mark)
    tool = program(outside / "python", mark)
    link_out = folder / "python"
    link_out.symlink_to(tool)
    link_in = outside / "link"
    link_in.symlink_to(inside)
    (outside / "folder").symlink_to(folder)
    for each in (inside, link_out, link_in, outside / "folder" / ".venv" / "bin" / "python"):
        assert lies_inside(str(each), [str(folder)]), each
    assert not lies_inside(str(tool), [str(folder)])
    # Nobody keeps a repository in the home folder itself, and many keep their environments there.
    assert not lies_inside(os.path.expanduser("~/x/bin/python"), [os.path.expanduser("~")])  # noqa: PTH111


def test_nothing_inside_is_started_however_it_was_found(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    folder = tmp_path / "project"
    inside = program(folder / ".venv/bin/python", mark)
    program(folder / "bin/python3", mark)
    program(folder / "bin/python", mark)
    environments = (
        {"VIRTUAL_ENV": str(folder / ".venv")},
        {"CONDA_PREFIX": str(folder / ".venv")},
        {"PATH": str(folder / "bin")},
    )
    for environment in environments:
        probe, passed_over = choose(forbidden=[str(folder)], environment=environment)
        probe.close()
        assert "lies inside" in passed_over or probe.python == sys.executable
    probe, passed_over = choose(str(inside), forbidden=[str(folder)], environment={})
    assert "lies inside" in probe.problem
    assert passed_over == probe.problem
    assert not mark.exists()
    # The same program is started where nothing forbids it.
    choose(str(inside), environment={})[0].close()
    assert mark.exists()


SCRIPTS = Path(__file__).parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import compare_accelerator as compare  # noqa: E402  found by the path above

HEAD = "import torch, torch.nn as nn, torch.nn.functional as F\n"


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    programs = [Program(case.name, {"case.py": HEAD + case.code}, effect="r") for case in CASES]
    return run_programs(programs, accelerator=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_behaviour(case: Case, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[case.name]
    assert not outcome.died, outcome
    if case.raises:
        kind, _, text = outcome.raised.partition(": ")
        assert kind == case.raises, outcome
        assert re.search(case.pattern, text), outcome
    else:
        assert not outcome.raised, outcome
        assert outcome.effect == repr(case.value), outcome


def test_the_stand_in_is_what_makes_them_so() -> None:
    """Without it the same code must not pass: the battery really asks about a second device."""
    program = Program("mixed", {"case.py": HEAD + 'r = torch.ones(2, device="cuda") + torch.ones(2)'})
    outcome = run_programs([program], accelerator=False)["mixed"]
    assert "same device" not in outcome.raised, outcome


def test_programs_share_no_folder_for_temporary_files() -> None:
    code = "import os, tempfile; r = os.listdir(tempfile.gettempdir()); open(tempfile.gettempdir() + '/left', 'w').close()"
    ran = run_programs([Program(each, {"a.py": code}, effect="r") for each in "ab"], accelerator=False)
    assert [each.effect for each in ran.values()] == ["['a.py']", "['a.py']"]


# The comparison of the stand-in with a real accelerator, as far as it goes without one


def test_without_a_card_it_says_so(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 0\n")
    python.chmod(0o755)
    ran = subprocess.run(
        [sys.executable, str(SCRIPTS / "compare_accelerator.py"), "--python", str(python)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 3, ran.stderr
    assert "no CUDA device" in ran.stdout


def test_both_sides_tell_what_happened() -> None:
    code = compare.HEAD + "r = torch.ones(2) + torch.ones(2, device='cuda')"
    assert compare.on_stand_in(sys.executable, code)[0] == "raises"
    assert compare.on_card(sys.executable, "r = 1") == ["gives", "1"]
    assert compare.on_card(sys.executable, "import os; os.abort()")[0] == "died"
    assert len(compare.programs()) > 150


def test_what_differs_from_run_to_run_does_not_count() -> None:
    one = compare.plain(["raises", "E: at 0x7f12\n  here\nCUDA kernel errors might be"])
    assert one == compare.plain(["raises", "E: at 0x99  here"])
    assert one != compare.plain(["gives", "E: at 0x99  here"])
