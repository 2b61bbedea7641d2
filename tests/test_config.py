"""Configuration: what is read, what wins, and what is said of mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from devls import config as config_module
from devls.config import Config
from devls.text.patterns import Patterns

if TYPE_CHECKING:
    from pathlib import Path

KNOWN = {"mixed-devices", "backward-twice", "numpy-on-grad"}


def write(folder: Path, text: str) -> str:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return str(folder / "pyproject.toml")


def test_nothing_to_read(tmp_path: Path) -> None:
    assert Config.load(str(tmp_path / "a.py"), KNOWN) == Config()


def test_everything(tmp_path: Path) -> None:
    write(
        tmp_path,
        """
        [tool.devls]
        select = ["device", "backward-twice"]
        ignore = ["numpy-on-grad"]
        exclude = ["data/"]
        show-possible = true
        src = ["lib"]
        torch-version = "2.4"
        [tool.devls.levels]
        device = "warning"
        mixed-devices = "info"
        """,
    )
    config = Config.load(str(tmp_path / "pkg" / "a.py"), KNOWN)
    assert config.problems == ()
    assert config.select == ("device", "backward-twice")
    assert config.ignore == ("numpy-on-grad",)
    assert config.exclude == ("data/",)
    assert config.show_possible
    assert config.torch_version == "2.4"
    assert config.src == (str(tmp_path / "lib"),)
    assert config.root == str(tmp_path)
    assert dict(config.levels) == {"device": "warning", "mixed-devices": "info"}


def test_the_nearest_file_with_a_table_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    write(tmp_path, "[tool.devls]\nignore = ['device']")
    write(tmp_path / "a", "[tool.ruff]\nline-length = 80")
    assert Config.load(str(inner)).ignore == ("device",)
    write(inner, "[tool.devls]\nignore = ['training']")
    assert Config.load(str(inner / "x.py")).ignore == ("training",)
    write(inner, "[tool.devls]\nignore = ['autograd', 'device']")
    assert Config.load(str(inner / "x.py")).ignore == ("autograd", "device")


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ("select = 'device'", "tool.devls.select", "list"),
        ("select = [1]", "tool.devls.select", "strings"),
        ("ignore = ['mixed-device']", "tool.devls.ignore", "did you mean 'mixed-devices'"),
        ("levels = 3", "tool.devls.levels", "table"),
        ("levels = {mixed-devices = 'loud'}", "tool.devls.levels.mixed-devices", "one of error"),
        ("levels = {what = 'off'}", "tool.devls.levels.what", "no rule"),
        ("show-possible = 'yes'", "tool.devls.show-possible", "true or false"),
        ("torch-version = 2.4", "tool.devls.torch-version", "a release"),
        ("colour = 1", "tool.devls.colour", "not a known setting"),
    ],
)
def test_mistakes_are_named_and_cost_nothing_else(tmp_path: Path, text: str, key: str, says: str) -> None:
    path = write(tmp_path, f"[tool.devls]\nexclude = ['kept']\n{text}\n")
    config = Config.load(str(tmp_path), KNOWN)
    (problem,) = config.problems
    assert (problem.file, problem.key) == (path, key)
    assert says in problem.message
    assert path in str(problem)
    assert config.exclude == ("kept",)


@pytest.mark.parametrize("text", ["[tool.devls", "[tool]\ndevls = 1", "\udce9"])
def test_a_broken_file_is_a_problem(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    config = Config.load(str(tmp_path), KNOWN)
    assert len(config.problems) == 1
    assert config.select == ()


def test_merged() -> None:
    base = Config(levels=(("device", "warning"),), ignore=("device",), show_possible=True)
    config = base.merged({"select": ["autograd"], "ignore": None, "levels": {"mixed-devices": "off"}}, KNOWN)
    assert config.select == ("autograd",)
    assert config.ignore == ("device",)
    assert config.show_possible
    assert dict(config.levels) == {"device": "warning", "mixed-devices": "off"}
    wrong = base.merged({"select": ["devise"]}, KNOWN, "editor settings")
    assert wrong.problems[0].file == "editor settings"
    assert wrong.problems[0].key == "select"
    assert Config().merged({"ignore": ["whatever"]}).problems == ()


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (Config(), "error"),
        (Config(select=("device",)), "error"),
        (Config(select=("mixed-devices",)), "error"),
        (Config(select=("autograd",)), "off"),
        (Config(ignore=("device",)), "off"),
        (Config(ignore=("mixed-devices",), select=("device",)), "off"),
        (Config(ignore=("device",), select=("mixed-devices",)), "error"),
        (Config(levels=(("device", "info"),)), "info"),
        (Config(levels=(("device", "off"), ("mixed-devices", "warning"))), "warning"),
        (Config(levels=(("device", "off"),), select=("mixed-devices",)), "error"),
    ],
)
def test_level(config: Config, expected: str) -> None:
    assert config.level("mixed-devices", "device", "error") == expected


def test_a_rule_that_is_off_by_default_can_be_selected() -> None:
    assert Config().level("rule", "device", "off") == "off"
    assert Config(select=("device",)).level("rule", "device", "off") == "off"
    assert Config(select=("rule",)).level("rule", "device", "off") == "warning"


def test_patterns_of_files_are_understood_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(config_module, "Patterns", lambda lines: made.append(lines) or Patterns(lines))
    config = Config(
        root=str(tmp_path), per_file_ignores=tuple((f"g{n}/*.py", ("device",)) for n in range(600))
    )
    for name in ("a.py", "b.py"):
        config.of_file(str(tmp_path / name))
    assert len(made) == 600


def test_only_so_many_patterns_of_files_are_asked() -> None:
    given = {"per-file-ignores": {f"h{n}/*.py": ["device"] for n in range(2_500)}}
    config = Config().merged(given)
    assert len(config.per_file_ignores) == 2_000
    assert config.problems
