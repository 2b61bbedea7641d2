"""Files of settings, and the options that stand in for them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from devls.analysis import Analyzer
from devls.config import Config
from devls.rules.rule import RULES
from devls.settings import SETTINGS, schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran


def write(**files: str) -> None:
    for name, text in files.items():
        path = Path(name.replace("__", "/").replace("_toml", ".toml").replace("_py", ".py"))
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)


@pytest.fixture
def found(devls: Callable[..., Ran]) -> Callable[..., list[str]]:
    """The rules and files of what a check finds."""

    def call(*argv: str, here: str = "") -> list[str]:
        ran = devls("check", "--output-format", "json", *argv, here=here)
        assert ran.status in (0, 1), ran.err
        return [f"{each['code']} {each['filename']}" for each in json.loads(ran.out)]

    return call


def test_a_file_of_its_own(found: Callable[..., list[str]]) -> None:
    write(a_py="bad\nchain\n", devls_toml="ignore = ['device']\n")
    assert found() == ["backward-twice a.py"]
    write(pyproject_toml="[tool.devls]\nignore = ['autograd']\n")
    assert found() == ["backward-twice a.py"]
    write(sub__a_py="bad\nchain\n", sub__pyproject_toml="[tool.devls]\nignore = ['autograd']\n")
    assert found() == ["backward-twice a.py", "mixed-devices sub/a.py"]


def test_a_mistake_in_it(devls: Callable[..., Ran]) -> None:
    write(a_py="bad\n", devls_toml="\nignroe = ['device']\n")
    ran = devls("check")
    assert ran.status == 2
    assert "devls.toml:2: ignroe: is not a known setting (did you mean 'ignore'?)" in ran.err


def test_extended_settings(found: Callable[..., list[str]]) -> None:
    write(
        base_toml="ignore = ['backward-twice']\nlevels = { device = 'info', autograd = 'info' }\nexclude = ['old/']\n",
        sub__devls_toml="extend = '../base.toml'\nextend-exclude = ['new/']\nlevels = { device = 'error' }\n",
        sub__a_py="bad\nchain\nstuck\n",
        sub__old__b_py="bad\n",
        sub__new__b_py="bad\n",
    )
    assert found("sub") == ["mixed-devices sub/a.py", "numpy-on-grad sub/a.py"]
    config = Config.load("sub/a.py")
    assert dict(config.levels) == {"device": "error", "autograd": "info"}
    assert config.root == str(Path("sub").absolute())
    # A file that is extended is read again when it has changed.
    write(base_toml="ignore = ['numpy-on-grad', 'backward-twice']\n")
    assert found("sub") == ["mixed-devices sub/a.py", "mixed-devices sub/old/b.py"]


KINDS: dict[str, Callable[[Path], object]] = {
    "itself": lambda path: path.symlink_to(path.name),
    "/dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "a pipe": os.mkfifo,
    "a folder": Path.mkdir,
    "too large": lambda path: path.write_text("#" * (1024 * 1024 + 1)),
}
REASONS = {
    "itself": "too many levels of symbolic links",
    "/dev/zero": "it is not a regular file",
    "a pipe": "it is not a regular file",
    "a folder": "it is a folder",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["pyproject.toml", "devls.toml", ".gitignore"])
def test_what_lies_in_the_place_of_settings(devls: Callable[..., Ran], name: str, kind: str) -> None:
    write(a_py="bad\n")
    KINDS[kind](Path(name))
    ran = devls("check", "--no-cache", "--output-format", "concise")
    size = "256 KB" if name == ".gitignore" else "1 MB"
    said = f"is not used: {REASONS.get(kind, f'it is larger than {size}')}."
    if name == ".gitignore":
        assert ran.err == f"devls: .gitignore {said}\n"
    elif kind == "itself":
        assert ran.err == ""  # as where there is none
    else:
        assert ran.err.startswith(f"devls: {name}: {said}\n")
        assert (ran.status, ran.out) == (2, "")
        return
    assert (ran.status, ran.out.startswith("a.py:1:1")) == (1, True)


@pytest.mark.parametrize(
    "src", ["x" * 300, "x/" * 3000, "/dev/zero", "/proc/self/fd", "a.py", "itself", "pipe"]
)
def test_folders_of_modules_that_are_none(devls: Callable[..., Ran], src: str) -> None:
    Path("itself").symlink_to("itself")
    os.mkfifo("pipe")
    write(
        a_py="import torch, helper\nhelper.f()\ntorch.ones(2) + torch.ones(2, device='cuda')\n",
        devls_toml=f"src = ['{src}']\n",
    )
    ran = devls("check", "--no-cache", "--output-format", "concise", analyzer=Analyzer)
    assert (ran.status, ran.err, "mixed-devices" in ran.out) == (1, "", True)


def test_a_folder_whose_settings_devls_fails_on_costs_that_folder(
    devls: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(a_py="bad\n", sub__b_py="bad\n", z__c_py="bad\n")
    load = Config.load

    def failing(folder: str, *given: Any) -> Config:
        if folder.endswith("sub"):
            raise ZeroDivisionError
        return load(folder, *given)

    monkeypatch.setattr(Config, "load", failing)
    ran = devls("check", "--no-cache", "--output-format", "concise")
    assert [each.split(":")[0] for each in ran.out.splitlines()] == ["a.py", "z/c.py"]
    assert ran.err == "devls: sub is not looked into, because devls itself failed: ZeroDivisionError().\n"
    assert ran.status == 2


def test_settings_that_extend_themselves_or_nothing(devls: Callable[..., Ran]) -> None:
    write(a_py="bad\n", devls_toml="extend = 'b.toml'\n", b_toml="extend = 'devls.toml'\n")
    ran = devls("check")
    assert (ran.status, ran.out) == (2, "")
    assert "devls.toml:1: extend: leads back to a file that is extended" in ran.err
    write(devls_toml="extend = 'nowhere.toml'\n")
    assert "nowhere.toml: does not exist" in devls("check").err
    write(devls_toml="extend = 3\n")
    assert "devls.toml:1: extend: has to be the path of a file, not 3" in devls("check").err


def test_what_is_ignored_in_some_files(found: Callable[..., list[str]]) -> None:
    write(
        devls_toml="[per-file-ignores]\n'tests/' = ['device']\n'made_*.py' = ['numpy-on-grad']\n",
        a_py="bad\nstuck\n",
        made_a_py="bad\nstuck\n",
        tests__deep__a_py="bad\nstuck\n",
    )
    kept = [
        "mixed-devices a.py",
        "numpy-on-grad a.py",
        "mixed-devices made_a.py",
        "numpy-on-grad tests/deep/a.py",
    ]
    assert found() == kept
    # A rule that is ignored for all files is ignored in these, too.
    assert found("--ignore", "numpy-on-grad") == [each for each in kept if "numpy" not in each]
    assert found("tests/deep/a.py", here="") == kept[-1:]


def test_which_files_are_checked(devls: Callable[..., Ran]) -> None:
    write(
        devls_toml="include = ['src/', '*.pyw']\nexclude = ['old_*.py']\n",
        src__a_py="bad\n",
        src__old_b_py="bad\n",
        c_py="bad\n",
    )
    Path("d.pyw").write_text("bad\n")
    Path("src/data.txt").write_text("bad\n")

    def shown(*argv: str) -> list[str]:
        ran = devls("check", "--show-files", *argv)
        assert ran.status == 0
        return ran.out.splitlines()

    assert shown() == ["d.pyw"]
    write(devls_toml="exclude = ['old_*.py']\n")
    assert shown() == ["c.py", "src/a.py"]
    assert shown("--extend-exclude", "c.py") == ["src/a.py"]
    assert shown("--exclude", "c.py") == ["src/a.py", "src/old_b.py"]
    assert shown("src/old_b.py") == ["src/old_b.py"]
    write(devls_toml="exclude = ['old_*.py']\nforce-exclude = true\n")
    assert shown("src/old_b.py", "c.py") == ["c.py"]


def test_what_is_excluded_beside_the_settings(devls: Callable[..., Ran]) -> None:
    write(
        sub__pyproject_toml="[tool.devls]\nexclude = ['old_*.py']\n", sub__old_a_py="bad\n", sub__a_py="bad\n"
    )
    for argv, here, shown in ((("sub",), "", "sub/a.py"), ((), "sub", "a.py"), ((".",), "", "sub/a.py")):
        assert devls("check", "--show-files", *argv, here=here).out == f"{shown}\n"


def test_one_file_in_place_of_those_that_are_found(found: Callable[..., list[str]]) -> None:
    write(a_py="bad\nchain\n", devls_toml="ignore = ['device']\n", other__x_toml="ignore = ['autograd']\n")
    assert found("--config", "other/x.toml") == ["mixed-devices a.py"]
    assert found("--isolated") == ["mixed-devices a.py", "backward-twice a.py"]
    assert found("--config", "ignore = ['autograd']") == ["mixed-devices a.py"]
    assert found("--isolated", "--config", "levels.device = 'off'") == ["backward-twice a.py"]
    assert found("--config", "ignore=['autograd']", "--ignore", "device") == ["backward-twice a.py"]
    write(project__pyproject_toml="[tool.devls]\nignore = ['autograd']\n")
    assert found("--config", "project/pyproject.toml") == ["mixed-devices a.py"]


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("--config", "nowhere.toml"), "--config nowhere.toml: there is no such file"),
        (("--config", "ignore = "), "--config 'ignore = ' is neither a file nor a setting"),
        (("--config", "ignroe = []"), "--config: ignroe: is not a known setting (did you mean 'ignore'?)"),
        (("--isolated", "--config", "x.toml"), "--isolated passes over all files of settings"),
    ],
)
def test_options_that_are_wrong(devls: Callable[..., Ran], argv: tuple[str, ...], says: str) -> None:
    ran = devls("check", *argv)
    assert (ran.status, ran.out) == (2, "")
    assert says in ran.err


def test_settings_are_shown_as_a_file_of_them(devls: Callable[..., Ran]) -> None:
    text = """\
select = ["device"]
ignore = ["numpy-on-grad"]
levels = { mixed-devices = "info" }
per-file-ignores = { "te'st\\"s/" = ["device"] }
exclude = ["old/"]
show-possible = true
torch-version = "2.4"
"""
    write(a_py="bad\n", devls_toml=text)
    ran = devls("check", "--show-settings", "--extend-exclude", "more/")
    assert ran.status == 0
    assert ran.out.startswith(f"# {Path('devls.toml').absolute()}\n")
    wanted: dict[str, Any] = tomllib.loads(text) | {"exclude": ["old/", "more/"]}
    shown = tomllib.loads(ran.out)
    assert {name: shown[name] for name in wanted} == wanted
    assert devls("check", "--show-settings", "--isolated").out.startswith("# no file of settings\n")


def test_the_schema_knows_every_setting() -> None:
    known = schema(RULES)
    jsonschema.Draft7Validator.check_schema(known)
    for each in SETTINGS:
        jsonschema.validate(tomllib.loads(f"{each.name} = {each.example}"), known)
    assert set(known["properties"]) == {each.name for each in SETTINGS}


@pytest.mark.parametrize(
    "text",
    [
        "selct = []",
        "select = ['devise']",
        "levels = { device = 'loud' }",
        "exclude = 'a'",
        "include = ['']",
        "exclude = ['# a']",
        "show-possible = 1",
    ],
)
def test_the_schema_and_the_reader_refuse_the_same(tmp_path: Path, text: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(text), schema(RULES))
    (tmp_path / "devls.toml").write_text(text)
    assert Config.load(str(tmp_path / "a.py"), frozenset(RULES)).problems
