"""One bad file, folder, setting or pattern costs that one, and says so; nothing of it commands a terminal or a log."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from devls import __main__ as entry
from devls import files
from devls.analysis import Diagnostic, Related, Severity
from devls.cli import outputs
from devls.cli.complaints import Complaints
from devls.cli.formats import Style
from devls.cli.report import Report
from devls.config import Config
from devls.probe.experiment import Said, Verdict
from devls.project.definitions import Definitions, environments
from devls.project.mentions import Mentions
from devls.project.resolution import holds_modules
from devls.project.workspace import Workspace
from devls.syntax.source import Source
from devls.text.edits import Edit, Fix, Range

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

SERVER = Path(entry.__file__).parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SERVER)}
COMMAND = (sys.executable, "-m", "devls")


def checked(devls: Callable[..., Ran], *argv: str) -> tuple[list[str], list[str], int]:
    """The files with findings, what was said, and the exit status."""
    ran = devls("--check", "--no-cache", "--output-format", "json", *(argv or (".",)))
    return [each["filename"] for each in json.loads(ran.out)], ran.err.splitlines(), ran.status


def test_files_that_are_none(devls: Callable[..., Ran], tmp_path: Path) -> None:
    Path("good.py").write_text("bad\n")
    os.mkfifo("pipe.py")
    Path("self.py").symlink_to("self.py")
    Path("zero.py").symlink_to("/dev/zero")
    Path(".#good.py").symlink_to("somebody@somewhere")
    Path("folder.py").mkdir()
    Path("linked.py").symlink_to("folder.py")
    found, said, status = checked(devls)
    assert found == ["good.py"]
    assert said == [
        "devls: pipe.py is not checked: it is not a regular file.",
        "devls: self.py is not checked: too many levels of symbolic links.",
        "devls: zero.py is not checked: it is not a regular file.",
    ]
    assert status == 1
    long = "x" * 300
    found, said, status = checked(devls, "good.py", "pipe.py", "self.py", long, "a\0b", f"{tmp_path}/nothing")
    assert found == ["good.py", "pipe.py"]
    assert said == [
        "devls: self.py cannot be read: too many levels of symbolic links.",
        f"devls: {long} cannot be read: file name too long.",
        "devls: a\\x00b cannot be read: embedded null byte.",
        f"devls: {tmp_path}/nothing does not exist.",
    ]
    assert status == 2


def test_folders_in_one_another(devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("good.py").write_text("bad\n")
    monkeypatch.setattr(files, "MAX_DEPTH", 3)
    deep = Path("a/b/c/d")
    deep.mkdir(parents=True)
    (deep.parent / "x.py").write_text("bad\n")
    (deep / "y.py").write_text("bad\n")
    found, said, _ = checked(devls)
    assert found == ["a/b/c/x.py", "good.py"]
    assert said == ["devls: a/b/c/d is not looked into: 3 folders are above it."]


def test_a_folder_that_cannot_be_read(devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("closed").mkdir()
    Path("failing").mkdir()
    Path("good.py").write_text("bad\n")
    scan = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied")
        if path.endswith("failing"):
            raise ZeroDivisionError
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found, said, status = checked(devls)
    assert found == ["good.py"]
    assert said == [
        "devls: closed is not looked into: permission denied.",
        "devls: failing is not looked into, because devls itself failed: ZeroDivisionError().",
    ]
    assert status == 2


@pytest.mark.parametrize("named", ["failing", "failing/bad.py"])
def test_a_configuration_on_which_devls_fails(
    named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("failing").mkdir()
    for each in ("failing/bad.py", "good.py"):
        Path(each).write_text("bad\n")

    def config_for(path: str) -> Config:
        if "failing" in path:
            raise ZeroDivisionError
        return Config()

    selected = files.select(["good.py", named], config_for)
    assert list(selected.names.values()) == ["good.py"]
    assert selected.failed
    assert selected.complaints == [
        f"{named} is not checked, because devls itself failed: ZeroDivisionError()"
    ]


def test_bad_patterns(devls: Callable[..., Ran]) -> None:
    Path("good.py").write_text("bad\n")
    Path("out.py").write_text("bad\n")
    Path(".gitignore").write_text(
        "!\nfoo\\\r\n[z-a].py\n**/a/" + "**/a/" * 50 + "b\n" + "*o" * 90 + "!\nout.py\n"
    )
    found, said, status = checked(devls)
    assert found == ["good.py"]
    assert said == [
        "devls: .gitignore:1: the pattern '!' is not used: it names nothing.",
        "devls: .gitignore:2: the pattern 'foo\\\\' is not used: nothing follows its last backslash.",
        "devls: .gitignore:3: the pattern '[z-a].py' is not used: bad character range z-a.",
    ]
    assert status == 1
    Path(".gitignore").unlink()
    os.mkfifo(".gitignore")
    assert checked(devls)[1] == ["devls: .gitignore is not used: it is not a regular file."]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = " + "[" * 20_000, "is not used: it is nested too deeply"),
        ("a = " + "9" * 5000, "is not valid TOML"),
        ("a = 1\n\nb = ]", "(at line 3, column 5)"),
        ("\n" + "a." * 50_000 + "b = 1", "a key has more than 64 parts (at line 2)"),
        ("#" * (1024 * 1024 + 1), "is not used: it is larger than 1 MB"),
        ("[tool.devls]\nsrc = ['\\u0000']".replace("'", '"'), "tool.devls.src: '\\x00' is no path"),
        ("[tool.devls]\nsrc = [" + "'a'," * 60 + "]", "at most 50 folders, not 60"),
        ("[tool.devls]\nexclude = ['[z-a].py']", "tool.devls.exclude: '[z-a].py' is not used: bad character"),
        ("[tool.devls]\nselect" + ".a" * 60 + " = 1", "has to be a list of strings, not {'a': {"),
        ("[tool.devls]\n" + "".join(f"x{each} = 1\n" for each in range(60)), "more is wrong with it"),
    ],
)
def test_bad_configuration(devls: Callable[..., Ran], text: str, says: str) -> None:
    Path("good.py").write_text("bad\n")
    Path("pyproject.toml").write_text(text)
    ran = devls("check", "--no-cache")
    assert (ran.status, ran.out) == (2, "")
    *said, last = ran.err.splitlines()
    assert last == "devls: nothing was checked: the configuration has to be put right first."
    assert says in said[-1]
    assert said[-1].startswith("devls: pyproject.toml:")
    assert len(said) <= 21
    assert max(map(len, said)) < 600


def test_a_configuration_that_is_no_file(devls: Callable[..., Ran]) -> None:
    Path("good.py").write_text("bad\n")
    os.mkfifo("pyproject.toml")
    ran = devls("check", "--no-cache")
    assert (ran.status, ran.out) == (2, "")
    assert "devls: pyproject.toml: is not used: it is not a regular file.\n" in ran.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" * 100_000, "it is nested too deeply for a notebook"),
        ('{"cells": ' + '[{"a":' * 50_000, "it is nested too deeply for a notebook"),
        ('{"cells": [], "metadata": {"kernelspec": {"language": [1]}}}', "in a language without a name"),
        ("9" * 5000, "it is not a notebook"),
    ],
)
def test_bad_notebooks(devls: Callable[..., Ran], text: str, says: str) -> None:
    Path("good.py").write_text("bad\n")
    Path("a.ipynb").write_text(text)
    ran = devls("check", "--no-cache", "--output-format", "concise")
    assert (ran.status, ran.err) == (1, "")
    bad, good = ran.out.splitlines()
    assert bad.startswith("a.ipynb:1:1: error[unreadable-file]")
    assert says in bad
    assert good.startswith("good.py:")


def test_a_notebook_in_a_language_of_control_characters(devls: Callable[..., Ran]) -> None:
    Path("a.ipynb").write_text('{"cells": [], "metadata": {"kernelspec": {"language": "\\u001b[2J"}}}')
    assert checked(devls) == ([], ["devls: a.ipynb is not checked: it is a notebook in \\x1b[2J."], 0)


def test_cells_that_hold_no_text(devls: Callable[..., Ran]) -> None:
    cells = [
        {"cell_type": "code", "source": source}
        for source in ({"a": 1}, [1, "bad\n", None], "x = '\ud800'\nbad", "\0")
    ]
    Path("a.ipynb").write_text(json.dumps({"cells": cells}))
    ran = devls("check", "--no-cache", "--output-format", "json")
    assert [each["code"] for each in json.loads(ran.out)] == [
        "mixed-devices",
        "mixed-devices",
        "syntax-error",
    ]


def test_many_classes_in_one_another(devls: Callable[..., Ran]) -> None:
    Path("good.py").write_text("bad\n")
    Path("deep.py").write_text(
        "".join(f"{' ' * each}class C{each}:\n" for each in range(600)) + " " * 600 + "pass\n"
    )
    ran = devls("check", "--no-cache", "--output-format", "concise")
    assert (ran.status, ran.err) == (1, "")
    deep, good = ran.out.splitlines()
    assert "this cannot be parsed: too many levels of indentation" in deep
    assert good.startswith("good.py:")


def test_what_lies_in_an_environment(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    for kind in ("{}.pth", "__editable__{}_finder.py"):
        os.mkfifo(site / kind.format("pipe"))
        (site / kind.format("a")).symlink_to(kind.format("a"))
        (site / kind.format("zero")).symlink_to("/dev/zero")
    for number, text in enumerate(
        ("MAPPING = " + "{" * 9000 + "}" * 9000, "MAPPING = {1, 2}", "MAPPING = {{}: 1}")
    ):
        (site / f"__editable__{number}_finder.py").write_text(text)
    (site / "torch").mkdir()
    os.mkfifo(site / "torch" / "version.py")
    (site / "package").mkdir()
    (site / "package" / "__init__.py").touch()
    os.mkfifo(site / "package" / "a.py")
    assert environments([], {"VIRTUAL_ENV": str(tmp_path)})[0] == str(site)
    assert environments([], {"VIRTUAL_ENV": "x" * 5000}) == environments([], {})
    definitions = Definitions([str(site)])
    assert definitions.torch_version == ""
    assert definitions.find("package") is None


def test_who_says_a_name(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("name\n")
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "zero.py").symlink_to("/dev/zero")
    (tmp_path / "self.py").symlink_to("self.py")
    for depth in range(1, 1200):
        tmp_path.joinpath(*["d"] * depth).mkdir()
    try:
        mentions = Mentions(Workspace([str(tmp_path)]))
        assert mentions.answer("name", str(tmp_path)) == (str(tmp_path / "a.py"),)
    finally:
        subprocess.run(["rm", "-r", str(tmp_path / "d")], check=True)  # shutil is recursive, too


def test_links_to_themselves_among_modules(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to("a.py")
    assert not holds_modules(str(tmp_path))
    assert not holds_modules("a\0b")
    (tmp_path / "b.py").touch()
    assert holds_modules(str(tmp_path))


EVIL = "\x1b[31m\u202e\x9b"
NAME = "a\n::error file=b.py::forged\x1b.py"


@pytest.fixture
def evil() -> Report:
    """A finding that holds what commands a terminal wherever text of the user's can be."""
    source = Source("/a", f"x = 1 # {EVIL}\ny = 2 # {EVIL}\n")
    fix = Fix(f"write {EVIL}", (Edit(Range(0, 1), f"z{EVIL}"),), path="/gone")
    here = Fix(f"write {EVIL}", (Edit(Range(0, 1), f"z{EVIL}"),))
    related = (
        Related("/gone", Range(0, 1), f"made {EVIL}"),
        Related("/a", Range(20, 22), f"seen {EVIL}"),
        Related("/b", Range(0, 1), "called from here"),
        Related("/a", Range(0, 12), "called from here"),
    )
    found = [
        Diagnostic(
            "rule", Severity.ERROR, f"message {EVIL}\n::error::forged", "/a", Range(0, 10), related, (each,)
        )
        for each in (here, fix)
    ]
    said = Said(Verdict.CONFIRMED, says=f"says {EVIL}", snippet=f"snippet {EVIL}\n", torch="2.9")
    names = {"/a": NAME, "/b": f"b{NAME}", "/gone": f"gone{NAME}"}
    return Report(tuple(found), {"/a": source}, names, 1, said=dict.fromkeys(found, said))


@pytest.mark.parametrize("name", outputs.MODULES)
def test_nothing_is_printed_as_it_is(evil: Report, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert outputs.write(evil, (outputs.Output(name),), Style(), sys.stdout, Complaints())
    out = capsys.readouterr().out
    assert name != "human" or "\\x1b[31m" in out
    assert not set(out) & {"\x1b", "\u202e", "\x9b", "\r"}
    lines = out.splitlines()
    assert all("title=devls" in line for line in lines if line.startswith("::"))
    if name in ("concise", "github"):
        assert len(lines) == 2
    if name == "json":
        assert json.loads(out)[0]["filename"] == NAME  # programs have to find the file


def test_file_names_on_standard_error(devls: Callable[..., Ran]) -> None:
    Path(NAME).write_text("x = (\n")
    Path("crash\x1b.py").write_text("crash\n")
    os.mkfifo("p\n::error::x.py")
    _, said, _ = checked(devls)
    assert len(said) == 2
    assert all(each.startswith("devls: ") and each.isprintable() for each in said)
    assert checked(devls, "nothing\n::error::x")[1] == ["devls: nothing\\n::error::x does not exist."]
    assert "\x1b" not in devls("--check", "--debug", ".").err
    assert "\x1b" not in devls("a\x1b").err


def test_what_tells_of_one_file_names_it_on_one_line(devls: Callable[..., Ran]) -> None:
    name = "a\n##[error]\x1b[2Jforged.py"
    Path(name).write_text("x.to(d)\nloss.backward()\n")
    for argv in (("why", f"{name}:1"), ("why", f"{name}:2"), ("gradients", name), ("map", name)):
        ran = devls(*argv)
        assert ran.status == 0
        assert not any(line.startswith("##") for line in ran.out.splitlines())
        assert "\x1b" not in ran.out
    raised = f'Traceback (most recent call last):\n  File "{name}", line 1, in <module>\nRuntimeError: x\n'
    told = devls("traceback", "-", stdin=raised.encode())
    assert not any(line.startswith("##") for line in (told.out + told.err).splitlines())


def test_a_difference_names_a_file_on_one_line(devls: Callable[..., Ran]) -> None:
    Path("a\n+++ b.py").write_text("x.to(d)\n")
    out = devls("--check", "--diff", ".").out
    assert out.splitlines()[:2] == ["--- a/a\\n+++ b.py", "+++ b/a\\n+++ b.py"]


def test_standard_error_that_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w", buffering=1) as full:
        monkeypatch.setattr(sys, "stderr", full)
        Complaints().say("something")
        monkeypatch.undo()
        with pytest.raises(OSError, match="space"):
            full.flush()
        with pytest.raises(OSError, match="space"):
            full.close()


@pytest.mark.parametrize("variable", ["COLUMNS", "LINES"])
@pytest.mark.parametrize("size", ["0", "1", "-1", "²", "99999999999999999999"])
def test_terminals_of_odd_sizes(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, variable: str, size: str
) -> None:
    Path("a.py").write_text("bad\n")
    usual = devls("--check", "a.py").out
    monkeypatch.setenv(variable, size)
    assert devls("--check", "a.py").out == usual
    assert "mixed-devices" in devls("--list-rules").out


FULL = "devls: cannot write to standard output: no space left on device.\n"


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Outcome of a command, of which `devls` is one."""
    script = f'devls() {{ {sys.executable} -m devls "$@"; }}; {command}'
    return subprocess.run(
        ["sh", "-c", script], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("devls --check a.py >&-", 0, ""),
        ("devls --check a.py nothing.py 2>&-", 2, ""),
        ("devls --check - <&-", 2, "devls: standard input is not checked: it is closed.\n"),
        ("devls traceback <&-", 2, "devls: standard input is not read: it is closed.\n"),
        ("devls server <&-", 1, "standard input is closed: no editor can be heard\n"),
        ("devls --check - <&- >&- 2>&-", 2, ""),
        ("devls check --help | true", 0, ""),
        ("devls --check a.py >/dev/full", 2, FULL),
        ("devls --list-rules >/dev/full", 2, FULL),
        ("devls --version >/dev/full", 2, FULL),
        ("devls check --help >/dev/full", 2, FULL),
        ("devls --check - < /dev/zero", 2, "devls: standard input is not checked: it is larger than 5 MB.\n"),
        (
            "mkdir gone; cd gone; rmdir ../gone; devls --check .",
            2,
            "devls: the working folder does not exist any more.\n",
        ),
    ],
)
def test_odd_streams(tmp_path: Path, command: str, status: int, said: str) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    ran = shell(command, tmp_path)
    assert (ran.returncode, ran.stderr) == (status, said)


def test_a_closed_stream_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    """Messages for a closed standard error would land in whichever file is opened next."""
    (tmp_path / "a.py").write_text("x = 1\n")
    ran = shell("devls --check --verbose --output-format json a.py 2>&-", tmp_path)
    assert json.loads(ran.stdout) == []


INTERRUPTED_STARTING = """
import os, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from devls.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize("name", ["devls.cli.arguments", "argparse", "devls.cli.main", "devls.analysis"])
def test_an_interrupt_while_it_starts(tmp_path: Path, name: str) -> None:
    """The process ends by the signal, as programs in C do; shells make 130 of it."""
    # SIGINT is ignored if the tests run in the background, and children inherit that.
    was = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        ran = _interrupted_starting(tmp_path, name)
    finally:
        signal.signal(signal.SIGINT, was)
    assert (ran.returncode, ran.stderr) == (-signal.SIGINT, "")


def _interrupted_starting(tmp_path: Path, name: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", INTERRUPTED_STARTING.format(name=name), "--check", "."],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_interrupt_while_it_works(devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "select", interrupt)
    ran = devls("--check", ".")
    assert (ran.status, ran.err) == (130, "devls: interrupted.\n")


def test_modules_beside_what_is_checked(tmp_path: Path) -> None:
    """Modules that devls imports are never taken from the working folder; those that Python imports before it are out
    of its reach.
    """
    for name in (
        "argparse",
        "json",
        "ast",
        "gc",
        "rich",
        "tomllib",
        "dataclasses",
        "hashlib",
        "signal",
    ):
        (tmp_path / f"{name}.py").write_text("print('taken')\nraise SystemExit(3)\n")
    (tmp_path / "devls").mkdir()
    ran = subprocess.run(
        [*COMMAND, "--check", "."], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "taken" not in ran.stdout


def test_findings_depend_on_no_hash_seed_and_no_order(tmp_path: Path) -> None:
    """Nor on what was kept of an earlier run."""
    named = sorted(str(each) for each in (SERVER.parent / "examples").glob("*.py"))
    ways = {
        "alone": ("0", ["--no-cache", *named]),
        "another seed and order": ("1", ["--no-cache", *reversed(named)]),
        "cold": ("2", named),
        "warm": ("3", named),
    }
    found = {}
    for way, (seed, given) in ways.items():
        ran = subprocess.run(
            [*COMMAND, "--check", "--output-format", "json", *given],
            env={**ENVIRONMENT, "PYTHONHASHSEED": seed, "DEVLS_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        found[way] = sorted(json.dumps(each) for each in json.loads(ran.stdout))
    assert len(found["alone"]) > len(named)
    assert all(each == found["alone"] for each in found.values())


@pytest.mark.parametrize("pattern", ["[", "a[b"])
def test_a_pattern_by_which_no_file_is_chosen(devls: Callable[..., Ran], pattern: str) -> None:
    Path("good.py").write_text("bad\n")
    Path("pyproject.toml").write_text(f"[tool.devls]\ninclude = ['{pattern}']\n")
    ran = devls("check", "--no-cache")
    assert (ran.status, ran.out) == (2, "")
    assert f"tool.devls.include: '{pattern}' is not used: " in ran.err
