"""Results of earlier runs are used if nothing has changed, and only then."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from devls import files
from devls.analysis import Analysis, Analyzer
from devls.cli import cache
from devls.cli.arguments import parse
from devls.cli.main import run
from devls.config import Config

if TYPE_CHECKING:
    from collections.abc import Callable

HELPER = "import torch\n\ndef made():\n    return torch.zeros(3)\n"
PROGRAM = 'from helper import made\nimport torch\n\nmade() + torch.ones(3, device="cuda")\n'
OTHER = "import torch\n\ntorch.ones(3)\n"

Checked = tuple[list[dict[str, Any]], list[str]]


@pytest.fixture
def check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Checked]:
    """Checks a project of three files; returns what was found, and the names of the files that were analyzed for it."""
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    for name, text in (("helper.py", HELPER), ("program.py", PROGRAM), ("other.py", OTHER)):
        Path(name).write_text(text)
    analyzed: list[str] = []
    analyze = Analyzer.analyze

    def noted(self: Analyzer, path: str, **given: Any) -> Analysis:
        analyzed.append(Path(path).name)
        return analyze(self, path, **given)

    monkeypatch.setattr(Analyzer, "analyze", noted)

    def call(*flags: str) -> Checked:
        analyzed.clear()
        assert run(parse(["--check", "--output-format", "json", *flags, "."])) in (0, 1)
        return json.loads(capsys.readouterr().out), sorted(analyzed)

    return call


def kept(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / cache.FOLDER).glob("*"))


def content_of(file: Path) -> Any:
    return json.loads(file.read_bytes().partition(b"\n")[2])


ALL = ["helper.py", "other.py", "program.py"]


def test_nothing_is_analyzed_twice(check: Callable[..., Checked]) -> None:
    found, analyzed = check()
    assert analyzed == ALL
    assert [each["code"] for each in found] == ["mixed-devices"]
    assert found[0]["fixes"]
    assert check() == (found, [])


def test_what_used_a_changed_file_is_analyzed_again(check: Callable[..., Checked]) -> None:
    found, _ = check()
    Path("helper.py").write_text(HELPER.replace("zeros(3)", 'zeros(3, device="cuda")'))
    assert check() == ([], ["helper.py", "program.py"])
    Path("helper.py").write_text(HELPER)
    assert check() == (found, ["helper.py", "program.py"])


def test_content_counts_and_not_its_time(check: Callable[..., Checked]) -> None:
    check()
    Path("helper.py").touch()
    assert check()[1] == []


def test_a_file_that_was_looked_for_in_vain_has_come(check: Callable[..., Checked]) -> None:
    Path("other.py").write_text(
        'from late import made\nimport torch\n\nmade() + torch.ones(3, device="cuda")\n'
    )
    found, _ = check()
    assert check()[1] == []
    Path("late.py").write_text(HELPER)
    more, analyzed = check()
    assert analyzed == ["late.py", "other.py"]
    assert len(more) == len(found) + 1


def test_a_folder_that_becomes_a_package_changes_what_names_mean(check: Callable[..., Checked]) -> None:
    Path("inner").mkdir()
    Path("inner/program.py").write_text(PROGRAM)
    Path("inner/helper.py").write_text(HELPER)
    check()
    Path("inner/__init__.py").write_text("")
    assert check()[1] == ["__init__.py", "helper.py", "program.py"]


def test_the_configuration_counts(check: Callable[..., Checked]) -> None:
    check()
    assert check("--ignore", "mixed-devices") == ([], ALL)
    Path("pyproject.toml").write_text('[tool.devls]\nignore = ["mixed-devices"]\n')
    assert check() == ([], ALL)


def test_another_devls_believes_nothing(
    check: Callable[..., Checked], monkeypatch: pytest.MonkeyPatch
) -> None:
    check()
    monkeypatch.setattr("devls.__version__", "99")
    assert check()[1] == ALL


def test_the_version_of_torch_counts(check: Callable[..., Checked]) -> None:
    version = Path(".venv/lib/python3.11/site-packages/torch/version.py")
    version.parent.mkdir(parents=True)
    Path(".venv/pyvenv.cfg").touch()
    Path("other.py").write_text("import torch\n\ntorch.accelerator.current_accelerator()\n")
    for number, told in (("1.9.0", True), ("2.9.0", False), ("1.9.0", True)):
        version.write_text(f"__version__ = '{number}'\n")
        found, analyzed = check("--ignore", "mixed-devices")
        assert analyzed == ALL
        assert {each["code"] for each in found} == ({"no-such-torch-name"} if told else set())
        assert check("--ignore", "mixed-devices") == (found, [])


def test_no_cache_neither_reads_nor_writes(check: Callable[..., Checked], tmp_path: Path) -> None:
    check("--no-cache")
    assert kept(tmp_path) == []
    check()
    before = [each.read_bytes() for each in kept(tmp_path)]
    Path("other.py").write_text(OTHER * 2)
    assert check("--no-cache")[1] == ALL
    assert [each.read_bytes() for each in kept(tmp_path)] == before


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"setting": 1}'])
def test_a_broken_file_is_no_cache(check: Callable[..., Checked], tmp_path: Path, content: bytes) -> None:
    found, _ = check()
    for each in kept(tmp_path):
        each.write_bytes(content)
    assert check() == (found, ALL)
    assert check() == (found, [])


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"setting":' * 50_000, b"9" * 5_000])
def test_what_python_cannot_read_is_no_cache(
    check: Callable[..., Checked], tmp_path: Path, content: bytes
) -> None:
    found, _ = check()
    for each in kept(tmp_path):
        cache._write(each, content)
    assert check() == (found, ALL)
    assert check() == (found, [])


@pytest.mark.parametrize("kind", ["a pipe", "itself", "/dev/zero", "a folder"])
def test_what_is_no_file_is_no_cache(check: Callable[..., Checked], tmp_path: Path, kind: str) -> None:
    found, _ = check()
    (file,) = kept(tmp_path)
    make: dict[str, Callable[[], object]] = {
        "a pipe": lambda: os.mkfifo(file),
        "itself": lambda: file.symlink_to(file.name),
        "/dev/zero": lambda: file.symlink_to("/dev/zero"),
        "a folder": file.mkdir,
    }
    file.unlink()
    make[kind]()
    assert check() == (found, ALL)
    assert check() == (found, ALL if kind == "a folder" else [])  # nothing takes the place of a folder


def test_what_is_too_large_is_no_cache(
    check: Callable[..., Checked], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, _ = check()
    (file,) = kept(tmp_path)
    monkeypatch.setattr(cache, "MAX_BYTES", file.stat().st_size - 1)
    assert check() == (found, ALL)


def test_a_broken_entry_is_analyzed_again(check: Callable[..., Checked], tmp_path: Path) -> None:
    found, _ = check()
    (file,) = kept(tmp_path)
    content = content_of(file)
    for path, entry in content["files"].items():
        if path.endswith("program.py"):
            entry["found"][0][0].pop("message")
        elif path.endswith("other.py"):
            entry["uses"] = "none"
    cache._write(file, json.dumps(content).encode())
    assert check() == (found, ["other.py", "program.py"])


def test_a_place_that_cannot_be_written_is_no_failure(check: Callable[..., Checked], tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    found, _ = check()
    assert check() == (found, ALL)


def test_fixing_starts_anew(check: Callable[..., Checked]) -> None:
    check()
    assert check("--fix", "--unsafe-fixes")[1]
    assert check() == ([], ["program.py"])


def test_what_was_not_used_lately_goes(
    check: Callable[..., Checked], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check()
    (mine,) = kept(tmp_path)
    mine.with_name(f"{'0' * 32}.findings").write_text("x" * 1000)
    monkeypatch.setattr(cache, "MAX_BYTES", mine.stat().st_size + 500)
    Path("other.py").write_text(OTHER * 2)
    check()
    assert kept(tmp_path) == [mine]
    assert check()[1] == []


def test_only_files_of_its_own_are_removed(
    check: Callable[..., Checked], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_BYTES", 10)
    own = tmp_path / "cache" / cache.FOLDER
    own.mkdir(parents=True)
    names = ["notes.json", "data.part", f"{'0' * 32}.json", f"{'0' * 32}.findings"]
    theirs = [folder / name for folder in (own.parent, own) for name in names]
    theirs.remove(own / names[-1])
    for each in theirs:
        each.write_text("somebody's")
    link = own / f"{'1' * 32}.findings"
    link.symlink_to(own / "notes.json")
    check()
    assert {each.read_text() for each in (*theirs, link)} == {"somebody's"}


def test_parts_go_when_nobody_writes_them_any_more(check: Callable[..., Checked], tmp_path: Path) -> None:
    own = tmp_path / "cache" / cache.FOLDER
    own.mkdir(parents=True)
    old, new = own / "part-old.findings", own / "part-new.findings"
    for each in (old, new):
        each.write_text("x")
    os.utime(old, (0, 0))
    check()
    assert (old.exists(), new.exists()) == (False, True)


def test_a_flipped_bit_is_no_finding(check: Callable[..., Checked], tmp_path: Path) -> None:
    found, _ = check()
    (file,) = kept(tmp_path)
    good = file.read_bytes()
    for offset in [*range(40), *range(40, len(good), len(good) // 40)]:
        changed = bytearray(good)
        changed[offset] ^= 1
        file.write_bytes(changed)
        assert check() == (found, ALL)


def test_a_message_that_was_changed_is_not_printed(check: Callable[..., Checked], tmp_path: Path) -> None:
    found, _ = check()
    for each in (tmp_path / "cache").rglob("*"):
        if each.is_file():
            each.write_bytes(each.read_bytes().replace(b"is on", b"is in"))
    assert check() == (found, ALL)


@pytest.mark.parametrize("limit", [0, 100])
def test_without_room_there_is_no_cache_and_nothing_left(
    check: Callable[..., Checked], tmp_path: Path, limit: int
) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        found, _ = check()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert kept(tmp_path) == []
    assert check() == (found, ALL)


@pytest.mark.parametrize("changed", ["program.py", "helper.py"])
def test_what_changes_during_a_run_is_not_kept_as_it_is_later(
    check: Callable[..., Checked], monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    original = cache.Cache.put
    later = {"program.py": OTHER, "helper.py": HELPER.replace("zeros(3)", 'zeros(3, device="cuda")')}

    def put(self: cache.Cache, path: str, analysis: Analysis) -> None:
        if path.endswith("program.py"):
            Path(changed).write_text(later[changed])
        original(self, path, analysis)

    with monkeypatch.context() as patched:
        patched.setattr(cache.Cache, "put", put)
        assert [each["code"] for each in check()[0]] == ["mixed-devices"]
    found, analyzed = check()
    assert found == []
    assert "program.py" in analyzed


def test_a_file_that_changes_before_it_is_asked_for_is_analyzed(
    check: Callable[..., Checked], monkeypatch: pytest.MonkeyPatch
) -> None:
    check()
    original = cache.Cache.get

    def get(self: cache.Cache, path: str) -> Analysis | None:
        if path.endswith("program.py"):
            Path(path).write_text("\n" + OTHER)
        return original(self, path)

    monkeypatch.setattr(cache.Cache, "get", get)
    assert check() == ([], ["program.py"])


def test_kill_while_findings_are_kept_changes_no_later_result(
    check: Callable[..., Checked], tmp_path: Path
) -> None:
    found, _ = check()
    (file,) = kept(tmp_path)
    size = file.stat().st_size
    for limit in (0, 1, 20, 33, 34, 100, size // 2, size - 1):
        Path("other.py").write_text(f"{OTHER}# {limit}\n")
        process = os.fork()
        if process == 0:
            with contextlib.suppress(BaseException):
                signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # which ends the process behind so many bytes
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
                check()
            os._exit(0)
        assert os.WTERMSIG(os.waitpid(process, 0)[1]) == signal.SIGXFSZ
        assert check("--output-format", "json")[0] == found


def test_the_folder_is_where_the_platform_has_it() -> None:
    assert cache.folder({"DEVLS_CACHE_DIR": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"}, "linux") == Path(
        "/a"
    )
    assert cache.folder({"XDG_CACHE_HOME": "/b", "HOME": "/c"}, "linux") == Path("/b/devls")
    assert cache.folder({"XDG_CACHE_HOME": "relative", "HOME": "/c"}, "linux") == Path("/c/.cache/devls")
    assert cache.folder({"HOME": "/c"}, "darwin") == Path("/c/Library/Caches/devls")
    assert cache.folder({"LOCALAPPDATA": "/d"}, "win32") == Path("/d/devls/Cache")
    assert cache.folder({}, "linux") is None


def test_a_new_caller_is_seen(check: Callable[..., Checked]) -> None:
    boxes = (
        "import torch\n\ndef rescaled(boxes: torch.Tensor, device=None):\n"
        "    return boxes * torch.tensor([1.0, 2.0])\n"
    )
    caller = "from boxes import rescaled\n\ndef detect(model, x):\n    return rescaled(model(x).cpu())\n"
    Path("boxes.py").write_text(boxes)
    Path("caller.py").write_text(caller)
    assert [each["code"] for each in check()[0]] == ["mixed-devices"]
    assert check()[1] == []
    Path("late.py").write_text(caller.replace(".cpu()", ""))
    found, analyzed = check()
    assert analyzed == ["boxes.py", "late.py"]
    assert sorted(each["code"] for each in found) == ["mixed-devices", "tensor-created-off-device"]
    Path("late.py").unlink()
    found, analyzed = check()
    assert analyzed == ["boxes.py"]
    assert [each["code"] for each in found] == ["mixed-devices"]


@pytest.mark.parametrize("numbers", [[], [0], [7, 8, 9], [1000, 3, 64]])
def test_numbers_are_kept_as_bits(numbers: list[int]) -> None:
    assert int(cache._bits(numbers), 16) == sum(1 << each for each in numbers)


def test_named_files_of_a_package_have_one_place_for_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("package", "package/a", "package/b", "scripts"):
        Path(folder).mkdir()
        if folder != "scripts":
            Path(folder, "__init__.py").touch()
        for name in ("x.py", "y.py"):
            Path(folder, name).touch()
    names = sorted(str(each) for each in Path().rglob("*.py"))
    for given in (names, names[::-1]):
        selection = files.select(given, lambda _: Config())
        assert selection.roots == [str(tmp_path), str(tmp_path / "scripts")]
        assert len(selection.names) == len(names)
