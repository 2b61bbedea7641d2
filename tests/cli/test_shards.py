"""`--shard` and `devls merge`: several machines find what one finds."""

from __future__ import annotations

import json
import pickle
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from devls import __main__ as entry
from devls.cli import dask_workers, parallel
from devls.cli.main import _analyzer
from devls.cli.shards import part

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

FILES = {
    "a.py": "origin\nbad\n",
    "b.py": "import other\n",
    "c.py": "x = (\nbad\n",
    "d.py": "x.to(d)\n",
    "e/f.py": "stuck\n",
    "other.py": "near\n",
}


@pytest.fixture
def program(devls: Callable[..., Ran]) -> None:
    del devls  # it makes the folder
    for name, text in FILES.items():
        Path("one", name).parent.mkdir(exist_ok=True, parents=True)
        Path("one", name).write_text(text)
    Path("one", "g.py").write_bytes(b"\0")


@pytest.fixture
def parts(devls: Callable[..., Ran], program: None) -> list[str]:
    del program
    names = []
    for number in (1, 2, 3):
        ran = devls("check", "--shard", f"{number}/3", "--output-file", f"../{number}.part", here="one")
        assert (ran.status, ran.out, ran.err) == (0, "", "")
        names.append(f"../{number}.part")
    return names


@pytest.mark.parametrize("output_format", ["human", "json", "sarif"])
def test_the_same_is_found(devls: Callable[..., Ran], parts: list[str], output_format: str) -> None:
    whole = devls("check", "--output-format", output_format, here="one")
    assert whole.status == 1
    # Elsewhere the program lies in another folder, and the parts come in any order.
    shutil.copytree("one", "two")
    merged = devls("merge", *reversed(parts), "--output-format", output_format, here="two")
    assert (merged.status, merged.out, merged.err) == (whole.status, whole.out, whole.err)


def test_processes_divide_a_part(
    devls: Callable[..., Ran], parts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "MIN_BYTES", 0)
    for number in (1, 2, 3):
        ran = devls("check", "--shard", f"{number}/3", "--jobs", "2", here="one")
        assert ran.out == Path(f"{number}.part").read_text()
    assert parts


def test_merging_has_the_options_of_reporting(devls: Callable[..., Ran], parts: list[str]) -> None:
    assert devls("merge", *parts, "--fail-level", "error", "--statistics", here="one").status == 1
    assert devls("merge", *parts, "--write-baseline", "base.json", here="one").status == 0
    assert devls("merge", *parts, "--baseline", "base.json", here="one").status == 0


def test_merging_writes_over_no_code(devls: Callable[..., Ran], parts: list[str]) -> None:
    ran = devls("merge", *parts, "--output-file", "a.py", here="one")
    assert (ran.status, Path("one/a.py").read_text()) == (2, FILES["a.py"])


@pytest.mark.usefixtures("program")
def test_what_fails_on_one_machine_fails_the_whole(devls: Callable[..., Ran]) -> None:
    Path("one/h.py").write_text("crash\n")
    for number in (1, 2):
        devls("check", "--shard", f"{number}/2", "--output-file", f"../{number}.part", here="one")
    ran = devls("merge", "../1.part", "../2.part", here="one")
    assert ran.status == 2
    assert "h.py is not checked, because devls itself failed" in ran.err


def test_parts_that_make_no_whole(devls: Callable[..., Ran], parts: list[str]) -> None:
    def says(*argv: str) -> str:
        ran = devls("merge", *argv, here="one")
        assert (ran.status, ran.out) == (2, "")
        return ran.err

    assert "parts are missing: 2/3" in says(parts[0], parts[2])
    shutil.copy("1.part", "again.part")
    assert "a part is there twice" in says(*parts, "../again.part")
    assert "nowhere is not merged: it does not exist" in says("nowhere")
    assert "a.py is no part of a check" in says("a.py")
    Path("one/d.py").write_text("changed\n")
    assert "d.py is not what was analyzed" in says(*parts)
    Path("one/new.py").write_text("good\n")
    devls("check", "--shard", "2/3", "--output-file", "../2.part", here="one")
    assert "are parts of different checks" in says(*parts)
    content = json.loads(Path("1.part").read_text())
    Path("1.part").write_text(json.dumps({**content, "version": "0.0.1"}))
    assert "was written by devls 0.0.1" in says(*parts)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20])
def test_every_file_is_in_one_part(count: int) -> None:
    names = [f"{number}.py" for number in range(10)]
    assert [each for number in range(count) for each in part(names, number + 1, count)] == names


@pytest.mark.parametrize(
    "argv", [("--shard", "0/2"), ("--shard", "3/2"), ("--shard", "1"), ("--shard", "1/2", "--fix")]
)
def test_parts_that_there_are_not(devls: Callable[..., Ran], argv: tuple[str, ...]) -> None:
    assert devls("check", *argv).status == 2


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ('"severity": "error"', '"severity": "none"'),
        ('"found": [', '"found": 7, "others": ['),
        ('"digest"', '"diges"'),
        ('"path": "a.py"', '"path": {}'),
        ("`bad` is wrong", "`bad` is right"),
        ('"failed": false', '"failed": []'),
        ('"shard"', '"other"'),
        ('"checksum"', '"other"'),
    ],
)
def test_a_part_that_has_changed_on_its_way(
    devls: Callable[..., Ran], parts: list[str], was: str, becomes: str
) -> None:
    text = Path("1.part").read_text()
    assert was in text
    Path("1.part").write_text(text.replace(was, becomes, 1))
    ran = devls("merge", *parts, here="one")
    assert (ran.status, ran.out) == (2, "")
    assert "1.part is damaged" in ran.err or "1.part is no part of a check" in ran.err


# -- `--executor`: the workers of a cluster, without the network between; `make long` has a real one


class Cluster:
    """Part of `distributed.Client` that devls uses: each piece of work goes through pickle, as on a network."""

    workers = 2
    loop = None
    folders: tuple[str, str] = ("", "")
    """A folder, and the one that a worker has in its place."""

    def __init__(self, address: str, **_: object) -> None:
        if address != "tcp://here:1":
            raise OSError("Timed out trying to connect")

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is left."""

    close = __exit__

    def wait_for_workers(self, count: int, timeout: float) -> None:
        if self.workers < count:
            raise TimeoutError(timeout)

    def nthreads(self) -> dict[str, int]:
        return {f"worker {number}": 1 for number in range(self.workers)}

    def submit(self, function: Any, request: bytes, **_: object) -> Any:
        work, folder, paths = pickle.loads(request)  # noqa: S301
        if self.folders[0]:
            folder = folder.replace(*self.folders)
        found = function(pickle.dumps((work, folder, paths)))
        return pickle.loads(pickle.dumps(found))  # noqa: S301


@pytest.fixture
def cluster(devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> type[Cluster]:
    del devls  # as above

    class Mine(Cluster):
        pass

    package: Any = ModuleType("distributed")
    package.Client, package.TimeoutError = Mine, TimeoutError
    package.as_completed = lambda futures, **_: [(None, each) for each in reversed(futures)]
    monkeypatch.setitem(sys.modules, "distributed", package)
    monkeypatch.setenv("PYTHONPATH", str(Path(entry.__file__).parent.parent))
    monkeypatch.setenv("DEVLS_CACHE_DIR", str(Path.cwd() / "cache"))
    return Mine


@pytest.fixture
def real(devls: Callable[..., Ran]) -> None:
    """A program for the analyzer that workers have."""
    del devls  # it makes the folder
    for name in "abc":
        Path(f"{name}.py").write_text("import torch\nimport json\n\nx = torch.zeros(1)\nx.to('cuda')\n")
    Path("json.py").write_text("print('taken')\nraise SystemExit(3)\n")
    Path("d.py").write_text("x = (\n")


@pytest.mark.usefixtures("cluster", "real")
def test_workers_find_the_same(devls: Callable[..., Ran]) -> None:
    wanted = devls("check", "--no-cache", "--output-format", "json", analyzer=_analyzer)
    assert wanted.status == 1
    for cache in ("--no-cache", "--quiet", "--quiet"):
        ran = devls(
            "check", cache, "--executor", "dask://here:1", "--output-format", "json", analyzer=_analyzer
        )
        assert (ran.status, ran.out, ran.err) == (1, wanted.out, "")
    ran = devls(
        "check",
        "--shard",
        "1/1",
        "--executor",
        "dask://here:1",
        "--output-file",
        "1.part",
        analyzer=_analyzer,
    )
    assert ran.status == 0
    assert devls("merge", "1.part", "--output-format", "json").out == wanted.out


@pytest.mark.usefixtures("real")
def test_a_cluster_that_does_not_do_it(
    devls: Callable[..., Ran], cluster: type[Cluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(executor: str = "dask://here:1") -> str:
        ran = devls("check", "--no-cache", "--executor", executor, analyzer=_analyzer)
        assert (ran.status, ran.out) == (2, "")
        return ran.err

    assert said("dask://there:1") == "devls: --executor dask://there:1: no scheduler answers there.\n"
    assert said("ray://here:1").startswith(
        "devls: argument --executor: has to be such as dask://127.0.0.1:8786"
    )
    cluster.workers = 0
    assert said() == "devls: --executor dask://here:1: the scheduler has no workers.\n"
    cluster.workers = 2
    here = str(Path.cwd())
    cluster.folders = (here, "/nowhere")
    assert said().endswith(
        "a worker has no folder /nowhere: the program has to be at the same place there.\n"
    )
    cluster.folders = ("", "")
    monkeypatch.setattr(dask_workers, "_PROGRAM", "print('x')\nraise ValueError('its reason')")
    assert said().endswith(".py: ValueError: its reason.\n")
    monkeypatch.undo()
    monkeypatch.chdir(here)
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert said() == "devls: --executor needs the package distributed: install devls[dask].\n"


@pytest.mark.usefixtures("real")
def test_a_worker_with_other_files(devls: Callable[..., Ran], cluster: type[Cluster]) -> None:
    submit = cluster.submit

    def elsewhere(self: Cluster, function: Any, request: bytes, **options: object) -> Any:
        found = submit(self, function, request, **options)
        return dask_workers.Part(found.version, found.outcomes, dict.fromkeys(found.digests, "another"))

    cluster.submit = elsewhere  # type: ignore[method-assign]
    ran = devls("check", "--no-cache", "--executor", "dask://here:1", analyzer=_analyzer)
    assert ran.status == 2
    assert "is not the same on a worker.\n" in ran.err
