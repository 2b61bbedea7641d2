"""`--fix` leaves each file whole, old or new, whatever happens; and all but the text as it was."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import signal
import stat
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pytest
from fake import FakeAnalyzer

from devls.cli import writing
from devls.cli.arguments import parse
from devls.cli.main import run
from devls.text.decoding import decode
from devls.text.recoding import UnencodableError, recode

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

OLD = "x.to(d)\n" + "# filled\n" * 5000
NEW = "x = " + OLD


def parts() -> list[str]:
    return [each.name for each in Path().rglob("*") if each.name.endswith(writing.SUFFIX)]


def test_a_link_stays_and_what_it_leads_to_is_fixed(devls: Callable[..., Ran]) -> None:
    Path("real").mkdir()
    Path("real/a.py").write_text(OLD)
    Path("link.py").symlink_to("real/a.py")
    assert devls("--check", "link.py", "--fix").status == 0
    assert Path("link.py").readlink() == Path("real/a.py")
    assert Path("real/a.py").read_text() == NEW


def test_a_file_with_two_names_in_one_check_is_fixed_once(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text(OLD)
    Path("link.py").symlink_to("a.py")
    ran = devls("--check", ".", "--fix")
    assert (ran.status, ran.err) == (0, "")
    assert Path("a.py").read_text() == NEW


def test_mode_owner_and_attributes_stay(devls: Callable[..., Ran]) -> None:
    file = Path("a.py")
    file.write_text(OLD)
    with contextlib.suppress(OSError):
        os.chown(file, 4321, 4321)  # where tests may
    file.chmod(0o4751)
    with contextlib.suppress(OSError, AttributeError):
        os.setxattr(file, "user.devls", b"1")  # where the file system has them
    before = file.stat()
    attributes = os.listxattr(file) if hasattr(os, "listxattr") else []
    assert devls("--check", "a.py", "--fix").status == 0
    after = file.stat()
    assert after.st_ino != before.st_ino
    assert (after.st_uid, after.st_gid, after.st_mode) == (before.st_uid, before.st_gid, before.st_mode)
    assert (os.listxattr(file) if hasattr(os, "listxattr") else []) == attributes
    assert after.st_mtime_ns > before.st_mtime_ns


def test_an_owner_that_cannot_be_kept_keeps_the_file(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.py").write_text(OLD)

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    statuses = os.fstat
    theirs = Path("a.py").stat().st_ino

    def foreign(handle: int) -> os.stat_result:
        found = list(statuses(handle))
        found[4] += found[1] == theirs
        return os.stat_result(found)

    monkeypatch.setattr(os, "fchown", refused)
    monkeypatch.setattr(os, "fstat", foreign)
    ran = devls("--check", "a.py", "--fix")
    assert "a.py is not fixed: its owner could not be kept." in ran.err
    assert ran.status == 2
    assert Path("a.py").read_text() == OLD
    assert parts() == []


def test_other_hard_links_keep_the_old_text_and_that_is_said(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text(OLD)
    Path("copy.txt").hardlink_to("a.py")
    ran = devls("--check", "a.py", "--fix")
    assert (Path("a.py").read_text(), Path("copy.txt").read_text()) == (NEW, OLD)
    assert "a.py is fixed under this name only: it has other hard links." in ran.err
    assert ran.status == 0


def test_a_file_that_may_not_be_written_stays(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.py").write_text(OLD)
    Path("a.py").chmod(0o444)
    if os.geteuid() == 0:
        _as_nobody(monkeypatch)
    ran = devls("--check", "a.py", "--fix")
    assert Path("a.py").read_text() == OLD
    assert "a.py is not fixed: it could not be written (Permission denied)." in ran.err
    assert ran.status == 2
    assert parts() == []


def _as_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modes bind others than root: the open for writing is refused here as it would be there."""
    opened = Path.open

    def refusing(self: Path, mode: str = "r", **more: Any) -> IO[Any]:
        if "+" in mode:
            raise PermissionError(13, "Permission denied", str(self))
        return opened(self, mode, **more)

    monkeypatch.setattr(Path, "open", refusing)


@pytest.mark.parametrize("limit", [0, 1, 4000])
def test_where_there_is_no_room_the_file_stays_and_the_report_is_of_it(
    devls: Callable[..., Ran], limit: int
) -> None:
    Path("a.py").write_text(OLD)
    Path("b.py").write_text("x.to(d)\n" if limit > 100 else OLD)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        ran = devls("--check", ".", "--fix", "--output-format", "concise")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert Path("a.py").read_text() == OLD
    assert "a.py is not fixed: it could not be written (File too large)." in ran.err
    assert "a.py:1:1" in ran.out
    assert Path("b.py").read_text() == ("x = x.to(d)\n" if limit > 100 else OLD)
    assert ("b.py:1:1" in ran.out) == (limit < 100)
    assert ran.status == 2
    assert parts() == []


def test_what_is_new_is_on_the_disk_before_it_takes_the_place(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is renamed first may be empty behind a loss of power."""
    Path("a.py").write_text(OLD)
    synced, replaced = os.fsync, Path.replace
    steps: list[object] = []

    def sync(handle: int) -> None:
        if stat.S_ISREG(os.fstat(handle).st_mode):
            (part,) = parts()
            steps.append(("on the disk", Path(part).read_text() == NEW))
        synced(handle)

    def replace(self: Path, target: Path) -> Path:
        steps.append(("in its place", target.read_text() == OLD))
        return replaced(self, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", replace)
    assert devls("--check", "a.py", "--fix").status == 0
    assert steps == [("on the disk", True), ("in its place", True)]


def test_the_folder_is_brought_to_the_disk_when_the_file_is_in_its_place(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a loss of power takes the fix back, of some files and not of others."""
    for name in ("a.py", "sub/b.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(OLD)
    synced = os.fsync
    steps: list[tuple[str, str]] = []

    def sync(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            held = [
                each
                for each in (Path("a.py"), Path("sub/b.py"))
                if os.path.samestat(each.parent.stat(), os.fstat(handle))
            ]
            steps.extend((str(each), each.read_text()) for each in held)
        synced(handle)

    monkeypatch.setattr(os, "fsync", sync)
    assert devls("--check", ".", "--fix").status == 0
    assert steps == [("a.py", NEW), ("sub/b.py", NEW)]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_disk_that_is_full_when_all_is_written_leaves_the_file(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Many file systems look for room when they are told to bring a file to the disk."""
    Path("a.py").write_text(OLD)

    def full(_handle: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    ran = devls("--check", "a.py", "--fix", "--output-format", "concise")
    assert ran.err == f"devls: a.py is not fixed: it could not be written ({os.strerror(number)}).\n"
    assert (ran.status, ran.out.startswith("a.py:1:1")) == (2, True)
    assert Path("a.py").read_text() == OLD
    assert parts() == []


def test_what_is_not_written_is_not_counted(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text(OLD)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        ran = devls("--check", ".", "--fix")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "Found 1 warning in 1 of 1 file. 1 can be fixed" in ran.out


def test_a_file_that_changes_while_it_is_written_stays(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.py").write_text(OLD)
    synced = os.fsync

    def late(handle: int) -> None:
        synced(handle)
        Path("a.py").write_text("somebody typed this\n")

    monkeypatch.setattr(os, "fsync", late)
    ran = devls("--check", "a.py", "--fix")
    assert Path("a.py").read_text() == "somebody typed this\n"
    assert "a.py is not fixed: it changed while it was checked." in ran.err
    assert ran.status == 2
    assert parts() == []


def test_what_a_killed_run_left_is_no_python(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("x.to(d)\n")
    Path(f"{writing.PREFIX}abc{writing.SUFFIX}").write_text("x.to(d)\n")
    ran = devls("--check", ".", "--output-format", "concise")
    assert len(ran.out.splitlines()) == 1


@pytest.mark.parametrize(
    "data",
    [
        b"# coding: utf-7\r\ns = '+AOk-' '~\\\\'\r\nx.to(d)  # caf+AOkA6Q- ~ +AOk\ny = '~'",
        b"# coding: raw_unicode_escape\ns = '\\u00e9' + '\xe9'\nx.to(d)  # \\u00e9 \xe9\nq = '\\u0041'",
        b"# coding: unicode_escape\ns = '\\xe9'\nx.to(d)  # \\u00e9 \xe9\nq = '\\u0041'\r",
        "# coding: iso-2022-jp\ns = '日本'\nx.to(d)  # 日本\n".encode("iso-2022-jp"),
        b"\xef\xbb\xbf# coding: utf-8-sig\nx.to(d)\n",
        b"# coding: utf-8-sig\rx.to(d)\r\n",
    ],
)
def test_all_bytes_but_those_of_the_edit_stay(devls: Callable[..., Ran], data: bytes) -> None:
    Path("a.py").write_bytes(data)
    ran = devls("--check", "a.py", "--fix")
    assert ran.err == ""
    assert Path("a.py").read_bytes() == data.replace(b"x.to", b"x = x.to")


def test_what_an_encoding_cannot_hold_is_not_written() -> None:
    for data in (b"# coding: ascii\nx\n", b"# coding: raw_unicode_escape\nx = '\\u0041'\n"):
        text, _ = decode(data)
        with pytest.raises(UnencodableError, match="cannot hold the fixed text"):
            recode(data, text.replace("x", "é" if b"ascii" in data else "'\\u0042'", 1))


@pytest.mark.parametrize(
    "command",
    [
        ("check", "a.py", "--write-baseline", "out"),
        ("check", "a.py", "--output-file", "out"),
        ("check", "a.py", "--output-format=json=out"),
        ("check", "a.py", "--statistics", "--output-file", "out"),
        ("check", "a.py", "--shard", "1/1", "--output-file", "out"),
        ("map", "a.py", "--output", "out"),
    ],
)
def test_what_is_there_is_replaced_as_a_whole_or_not_at_all(
    devls: Callable[..., Ran], command: tuple[str, ...]
) -> None:
    Path("a.py").write_text("bad\n" * 100)
    Path("real").write_text("kept\n")
    Path("real").chmod(0o640)
    Path("out").symlink_to("real")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    for limit in (0, 5):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
        try:
            ran = devls(*command)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert (ran.status, ran.err) == (2, "devls: out is not written: file too large.\n")
        assert Path("real").read_text() == "kept\n"
        assert parts() == []
    assert devls(*command).status in (0, 1)
    assert Path("out").readlink() == Path("real")
    assert "kept" not in Path("real").read_text()
    assert stat.S_IMODE(Path("real").stat().st_mode) == 0o640
    assert parts() == []


def test_what_is_new_has_the_mode_of_a_new_file(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\n")
    Path("out").symlink_to("real")
    before = os.umask(0o027)
    try:
        assert devls("check", "a.py", "--write-baseline", "out").status == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE(Path("real").lstat().st_mode) == 0o640


def test_streams_are_written_through(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text("bad\n")
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    with Path("opened").open("w+") as opened:
        for name in ("pipe", "/dev/null", "opened", f"/dev/fd/{opened.fileno()}"):
            ran = devls("check", "a.py", "--output-format=concise", "--output-file", name)
            assert (ran.status, ran.err) == (1, "")
        opened.seek(0)
        assert opened.read().startswith("a.py:1:1")
        assert os.fstat(opened.fileno()).st_nlink == 1
    assert os.read(reader, 9) == b"a.py:1:1:"
    os.close(reader)
    assert stat.S_ISFIFO(Path("pipe").lstat().st_mode)
    assert parts() == []


@pytest.mark.parametrize("step", ["open", "replace", "fchown"])
def test_a_file_whose_place_takes_no_other_is_written_through(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    Path("a.py").write_text("bad\n")
    Path("out").write_text("kept\n" * 1000)
    theirs = Path("out").stat().st_ino
    statuses, opened = os.fstat, os.open

    def foreign(handle: int) -> os.stat_result:
        found = list(statuses(handle))
        found[4] += found[1] == theirs
        return os.stat_result(found)

    def refused(name: str, *more: Any) -> int:
        if step != "open" or str(name).endswith(writing.SUFFIX):
            raise PermissionError(13, "Permission denied", str(name))
        return opened(name, *more)

    if step == "fchown":
        monkeypatch.setattr(os, "fstat", foreign)
    monkeypatch.setattr(os, step, refused)
    assert devls("check", "a.py", "--write-baseline", "out").status == 0
    assert Path("out").read_text().startswith('{\n "version": 1')
    assert "kept" not in Path("out").read_text()
    assert Path("out").stat().st_ino == theirs
    assert parts() == []


def test_of_a_mount_point_it_is_said_that_it_cannot_be_written(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.py").write_text(OLD)

    def busy(self: Path, target: Path) -> None:
        raise OSError(16, "Device or resource busy", str(self), None, str(target))

    monkeypatch.setattr(Path, "replace", busy)
    ran = devls("--check", "a.py", "--fix")
    assert ran.err == "devls: a.py is not fixed: it could not be written (Device or resource busy).\n"
    assert Path("a.py").read_text() == OLD
    assert parts() == []


def _ends(child: Callable[[], None]) -> int:
    """Run `child` in a process of its own, and wait for it. Returns the signal that killed it, or 0."""
    process = os.fork()
    if process == 0:
        with contextlib.suppress(BaseException):
            child()
        os._exit(0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status := os.waitpid(process, 0)[1]) else 0


def _fixing() -> None:
    sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115  the process ends with it
    run(parse(["--check", ".", "--fix"]), FakeAnalyzer)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.chdir(tmp_path)
    return [tmp_path / f"{name}.py" for name in "abc"]


def test_kill_at_any_step_leaves_files_whole(files: list[Path]) -> None:
    step, killed = 0, signal.SIGKILL
    while killed:
        for each in files:
            each.write_text(OLD)
        step += 1

        def child(step: int = step) -> None:
            seen = 0

            def hook(event: str, arguments: tuple[object, ...]) -> None:
                nonlocal seen
                names = [each for each in arguments if isinstance(each, str)]
                if any(each.endswith((".py", writing.SUFFIX)) for each in names) and event != "import":
                    seen += 1
                    if seen == step:
                        os.kill(os.getpid(), signal.SIGKILL)

            sys.addaudithook(hook)
            _fixing()

        killed = _ends(child)
        assert {each.read_text() for each in files} <= {OLD, NEW}
        assert all(stat.S_ISREG(each.lstat().st_mode) for each in files)
        for each in parts():
            assert each.startswith(writing.PREFIX)
            Path(each).unlink()
    assert step > 10
    assert {each.read_text() for each in files} == {NEW}


@pytest.mark.parametrize("size", [1, 4096, 20_000, len(OLD)])
def test_kill_in_the_middle_of_a_write_leaves_files_whole(files: list[Path], size: int) -> None:
    for each in files:
        each.write_text(OLD)

    def child() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # which ends the process behind so many bytes
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _fixing()

    assert _ends(child) == signal.SIGXFSZ
    assert [each.read_text() for each in files] == [OLD] * 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_what_can_be_caught_leaves_nothing_beside(files: list[Path], number: int) -> None:
    files[0].write_text(OLD)

    def child() -> None:
        synced = os.fsync

        def late(handle: int) -> None:
            os.kill(os.getpid(), number)
            synced(handle)

        os.fsync = late
        _fixing()

    _ends(child)
    assert parts() == []
    assert files[0].read_text() == NEW
