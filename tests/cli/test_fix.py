"""Changes written into files: fixes, and comments that silence."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fake import FakeAnalyzer

from devls import __main__ as entry
from devls.cli import applying
from devls.cli.arguments import parse
from devls.cli.main import run

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran


def test_only_safe_fixes_unless_asked(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("x.to(d)\nbad\n")
    ran = devls("--check", "a.py", "--fix")
    assert Path("a.py").read_text() == "x = x.to(d)\nbad\n"
    assert ran.status == 1
    assert "1 finding fixed." in ran.out
    ran = devls("--check", "a.py", "--fix", "--unsafe-fixes")
    assert Path("a.py").read_text() == "x = x.to(d)\ngood\n"
    assert (ran.status, ran.out) == (0, "Nothing found in 1 file. 1 finding fixed.\n")


def test_a_fix_may_uncover_the_next(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("f(chain, chain)\n")
    assert devls("--check", "a.py", "--fix").status == 0
    assert Path("a.py").read_text() == "f(good, good)\n"


def test_useless_and_broken_fixes_are_withdrawn(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("stuck\nx.to(d)\nbroken\nf(stuck, chain)\n")
    ran = devls("--check", "a.py", "--fix", "--output-format", "concise")
    assert Path("a.py").read_text() == "stuck\nx = x.to(d)\nbroken\nf(stuck, good)\n"
    assert [line.split()[1] for line in ran.out.splitlines()] == [
        "warning[numpy-on-grad]",
        "warning[grad-of-non-leaf]",
        "warning[numpy-on-grad]",
    ]


def test_fixes_that_undo_each_other_end(devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    import fake  # noqa: PLC0415

    words = {"ping": (*fake.WORDS["chain"][:2], "pong", fake.WORDS["chain"][3])}
    words["pong"] = (*words["ping"][:2], "ping", words["ping"][3])
    monkeypatch.setattr(fake, "WORDS", words)
    Path("a.py").write_text("ping\n")
    assert devls("--check", "a.py", "--fix").status == 1


def test_encoding_and_line_ends_stay(devls: Callable[..., Ran]) -> None:
    latin = b"# coding: latin-1\r\nx.to(d)  # \xe9\r\n"
    marked = b"\xef\xbb\xbfx.to(d)\n\r\nchain"
    Path("a.py").write_bytes(latin)
    Path("b.py").write_bytes(marked)
    assert devls("--check", ".", "--fix").status == 0
    assert Path("a.py").read_bytes() == latin.replace(b"x.to", b"x = x.to")
    assert Path("b.py").read_bytes() == marked.replace(b"x.to", b"x = x.to").replace(b"chain", b"good")


def test_diff_changes_nothing(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("x.to(d)\nbad")
    ran = devls("--check", "a.py", "--diff", "--unsafe-fixes")
    assert Path("a.py").read_text() == "x.to(d)\nbad"
    assert ran.status == 1
    assert ran.out == (
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-x.to(d)\n-bad\n\\ No newline at end of file\n"
        "+x = x.to(d)\n+good\n\\ No newline at end of file\n"
    )
    Path("a.py").write_text("bad\n")
    nothing = devls("--check", "a.py", "--diff")
    assert (nothing.status, nothing.out) == (0, "")


@pytest.mark.parametrize(
    "data",
    [
        b"y = 1\n\x0c\nx.to(d)\n# \x0b \x1c\n",
        "s = '\u2028'  # \x85\nx.to(d)\n".encode(),
        b"\xef\xbb\xbfx.to(d)\ny = 1",
        b"# coding: latin-1\nx.to(d)  # \xe9\n",
        b"# coding: utf-7\nx.to(d)  # +AOk-\n",
        b"y = 1\rx.to(d)\ry = 2\r",
        b"y = 1\r\nx.to(d)\r\n\x0c",
        b"y = 1\r\n\rx.to(d)",
    ],
)
def test_git_applies_a_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my a.py").write_bytes(data)
    printed = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed, encoding="ascii"))
    assert run(parse(["check", "my a.py", "--diff"]), FakeAnalyzer) == 1
    command = ["git", "apply", "--whitespace=nowarn"]
    ran = subprocess.run(command, input=printed.getvalue(), capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert Path("my a.py").read_bytes() == data.replace(b"x.to", b"x = x.to")


def test_there_is_no_difference_to_what_is_not_there(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.py").write_text("x.to(d)\n")
    texts = applying._texts

    def late(*given: Any) -> tuple[str, str]:
        Path("a.py").write_text("somebody typed this\n")
        return texts(*given)

    monkeypatch.setattr(applying, "_texts", late)
    ran = devls("check", "a.py", "--diff")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "devls: a.py is not fixed: it changed while it was checked.\n"


def test_standard_input_goes_to_standard_output(devls: Callable[..., Ran]) -> None:
    ran = devls("--check", "-", "--fix", stdin=b"x.to(d)\r\nbad\r\n")
    assert ran.out == "x = x.to(d)\r\nbad\r\n"
    assert "error[mixed-devices] <stdin>:2:1" in ran.err
    assert ran.status == 1


def test_a_file_that_changed_meanwhile_is_left_alone(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("x.to(d)\n")

    class Slow(FakeAnalyzer):
        def changed(self, path: str) -> None:
            Path(path).write_text("somebody typed this\n")

    ran = devls("--check", "a.py", "--fix", analyzer=Slow)
    assert Path("a.py").read_text() == "somebody typed this\n"
    assert "a.py is not fixed: it changed while it was checked." in ran.err
    assert ran.status == 2


def test_suggestions_to_be_finished_by_hand_are_never_applied(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("f(hint)\n")
    devls("--check", "a.py", "--fix", "--unsafe-fixes")
    assert Path("a.py").read_text() == "f(hint)\n"


# -- `--add-ignore`: comments beside what is found, on real rules.

SERVER = Path(entry.__file__).parent.parent

PROGRAM = '''\
import torch

x = torch.zeros(2)
x.to("cuda"); x.detach()
y = torch.ones(2).to("cuda") + x.add(
    1,
)
z = torch.ones(
    2, requires_grad=True
).numpy()
"""
text
"""
'''


def check(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "devls", "check", "--no-cache", "--output-format", "concise", *argv],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SERVER)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_finding_is_silenced(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(PROGRAM.replace("\n", "\r\n").encode())
    assert check(tmp_path).returncode == 1
    ran = check(tmp_path, "--add-ignore")
    assert (ran.returncode, ran.stdout) == (0, "")
    assert ran.stderr == "devls: comments were added in 1 file.\n"
    after = (tmp_path / "a.py").read_bytes().decode()
    commented = [line for line in after.split("\r\n") if "# devls: ignore[" in line]
    assert [line.partition("  # devls: ")[2] for line in commented] == [
        "ignore[discarded-transfer]",  # what follows is silenced with its cause
        "ignore[numpy-on-grad]",
    ]
    assert [line.partition("  # devls")[0] for line in after.split("\r\n")] == PROGRAM.split("\n")
    assert check(tmp_path).returncode == 0
    assert check(tmp_path, "--add-ignore").stderr == "devls: comments were added in 0 files.\n"
    assert (tmp_path / "a.py").read_bytes().decode() == after


def test_several_rules_on_one_line(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("x = 1\nbad, stuck\n")
    devls("check", "--add-ignore")
    assert Path("a.py").read_text() == "x = 1\nbad, stuck  # devls: ignore[numpy-on-grad, mixed-devices]\n"


def test_what_no_comment_silences_stays(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("x = (\n")
    ran = devls("check", "--add-ignore", "--output-format", "concise")
    assert ran.status == 1
    assert ran.out.startswith("a.py:1:1: error[syntax-error]")
    assert Path("a.py").read_text() == "x = (\n"


def test_only_what_is_new(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\n")
    devls("check", "--write-baseline", "base.json")
    Path("a.py").write_text("bad\nstuck\n")
    devls("check", "--baseline", "base.json", "--add-ignore")
    assert Path("a.py").read_text() == "bad\nstuck  # devls: ignore[numpy-on-grad]\n"


@pytest.mark.parametrize("other", ["--fix", "--diff", "-"])
def test_it_goes_alone(devls: Callable[..., Ran], other: str) -> None:
    assert devls("check", "--add-ignore", other, stdin=b"bad\n").status == 2
