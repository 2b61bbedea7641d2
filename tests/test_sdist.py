"""The source distribution holds the server, its documentation, and tests that run with what lies in it."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

try:
    import tomllib
except ModuleNotFoundError:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def packed() -> set[str]:
    """The files of the repository that hatch packs, going by pyproject.toml."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = GitIgnoreSpec.from_lines(settings["tool"]["hatch"]["build"]["targets"]["sdist"]["include"])
    return set(wanted.match_files(listed.stdout.splitlines()))


def test_it_holds_the_server_and_stays_small(packed: set[str]) -> None:
    assert {
        "README.md",
        "LICENSE",
        "pyproject.toml",
        "server/devls/__main__.py",
        "server/devls/py.typed",
    } <= packed
    assert len(packed) <= 700


def test_its_tests_import_only_what_lies_in_it(packed: set[str]) -> None:
    tests = [each for each in packed if each.startswith("tests/") and each.endswith(".py")]
    assert any(Path(each).name.startswith("test_") for each in tests)
    for path in tests:
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            if not isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            names = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [each.name for each in node.names]
            )
            for name in names:
                beside = f"tests/{name.replace('.', '/')}.py"
                assert not (ROOT / beside).exists() or beside in packed, f"{path} imports {name}"
