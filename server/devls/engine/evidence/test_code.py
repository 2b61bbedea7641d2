"""Role of code by the folder of its file: it prepares data, or helps to test."""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devls.engine.core import priors
from devls.syntax.nodes import of_tree, walk

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source
    from devls.values.value import FunctionValue

_DATA_SETS: Final = frozenset({"dataset", "datasets"})
"""Folders of what reads and prepares data."""

_DATA: Final = ("data", "dataset", "datasets")

_TRANSFORMS: Final = "transforms"
"""A folder of what prepares data, where data lies beside or above it; there are others, of what distributions go through."""


def of_data(m: Machine, source: Source) -> bool:
    """Whether a file lies among what reads and prepares data, on the CPU: that knows of no accelerator."""
    near = _near(source.path)
    if not near or near & _DATA_SETS:
        return bool(near)
    found = m.beside_data.get(source)
    if found is None:
        found = m.beside_data[source] = _beside_data(m, Path(source.path))
    return found


@functools.lru_cache(maxsize=64)
def _near(path: str) -> frozenset[str]:
    """Which of the folders that say something are the two that a file lies in."""
    return (_DATA_SETS | {_TRANSFORMS}) & set(Path(path).parts[-3:-1])


def _beside_data(m: Machine, path: Path) -> bool:
    folder = path.parent if path.parent.name == _TRANSFORMS else path.parent.parent
    above = folder.parent
    return above.name in _DATA or any(
        m.modules.workspace.exists(str(above / each / "__init__.py")) for each in _DATA
    )


@functools.lru_cache(maxsize=64)
def _helps(path: str) -> bool:
    place = Path(path)
    return place.parent.name in ("test", "tests", "testing") or place.stem.endswith("_test")


def helps_tests(source: Source) -> bool:
    """Whether a file lies beside tests, or tests: what it defines is given what they make."""
    return _helps(source.path)


@of_tree(maxsize=256)
def _compares(source: Source, node: ast.AST) -> bool:
    """Whether a function asserts that two ways come to the same."""
    if not source.mentions(node, "allclose", "assert_close"):
        return False
    names = {each.attr for each in walk(node) if isinstance(each, ast.Attribute)}
    asserts = any(isinstance(each, ast.Assert) for each in walk(node))
    return bool(names & {"assert_close", "assert_allclose"}) or (asserts and "allclose" in names)


@priors.is_unit_test.answer
def is_unit_test(function: FunctionValue) -> bool:
    """Whether a function tests code, not a model: it looks at one small result, and what that keeps goes with it."""
    if _compares(function.source, function.node):
        return True
    if function.cls is not None and function.cls.name.endswith(("TestCase", "TestBase")):
        return True
    return (
        function.name.lstrip("_").startswith("test_")
        or (function.cls is not None and _holds_tests(function.cls.definition))
    ) and _is_among_tests(function.source.path)


def in_unit_test(m: Machine) -> bool:
    """Whether what runs was called by a unit test, or is one, or a method that helps those of its class."""
    return any(each.function is not None and is_unit_test(each.function) for each in m.frames)


def _is_among_tests(path: str) -> bool:
    """Whether a file is one of tests, going by its name and its folders."""
    parts = path.replace("\\", "/").split("/")
    return (
        parts[-1].startswith("test_")
        or parts[-1].endswith("_test.py")
        or bool({"test", "tests"} & set(parts[:-1]))
    )


@of_tree(maxsize=256)
def _holds_tests(cls: ast.ClassDef) -> bool:
    """Whether a class is one of unit tests; what evaluates a model may have a `test_step`."""
    named = "Test" in cls.name or any("Test" in ast.unparse(each) for each in cls.bases)
    return named and any(
        isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name.startswith("test_")
        for each in cls.body
    )


def checks_itself(m: Machine) -> bool:
    """Whether a method asserts what its own module comes to, for inputs that it makes: nobody does that elsewhere than where it is made."""
    return any(
        each.symbolic and each.function is not None and is_unit_test(each.function) for each in m.frames
    )
