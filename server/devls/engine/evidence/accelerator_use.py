"""Expectations that code works on an accelerator, or on the host by contract: what its file, class and name say."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.events import DevicesMixed
from devls.engine.evidence import batch_provenance, code_patterns, init_reachability, test_code
from devls.engine.evidence.presumptions import against
from devls.engine.python import classes
from devls.engine.torch import checkpoints
from devls.syntax.nodes import asked, of_kind, of_tree, walk

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.evidence.mismatch_presumptions import MismatchCase
    from devls.project.workspace import Workspace
    from devls.syntax.source import Source
    from devls.values.value import (
        ClassValue,
        FunctionValue,
    )

_BASES_ON_THE_HOST: Final = ("Transform", "Dataset", "Sampler", "Collator", "Tokenizer")
"""The same of a base, whose classes are called after what they do; a Module may transform wherever it is moved."""

_SPEAK_OF_DEVICES: Final = ("device", "cuda", "accelerat", "gpu")

_ASKS_FOR_DEVICES: Final = frozenset({"device", "is_cuda", "get_device"})
"""Attributes: a function that asks where a tensor is expects it to be anywhere."""


def may_be_accelerated(m: Machine, function: FunctionValue) -> bool:
    """Whether the arguments of a function may well be on an accelerator."""
    path = m.source.path.replace("\\", "/").rpartition("/")[2]
    name = function.name
    cls = function.cls.name if function.cls is not None else ""
    if not is_meant_for_devices(m, function.source):
        return False
    if function.source.says("quantiz") and code_patterns.QUANTIZES.search(
        function.source.slice(function.node)
    ):
        return False
    if test_code.helps_tests(m.source) or test_code.of_data(m, m.source):
        return False
    if function.source.mentions(function.node, *_ASKS_FOR_DEVICES) and _asks_where_tensors_are(function.node):
        return True
    return not (
        batch_provenance.works_on_host(name)
        or batch_provenance.works_on_host(cls)
        or batch_provenance.works_on_host(path)
    )


def is_meant_for_devices(m: Machine, source: Source) -> bool:
    """Whether a file is meant for several devices: it speaks of them, or is deep inside a library, which others use."""
    workspace = m.modules.workspace
    return asked(("is meant for devices", source.path), lambda: _is_meant(workspace, source))


@of_tree(maxsize=256)
def _is_meant(workspace: Workspace, source: Source) -> bool:
    folder = Path(source.path).parent
    return (
        speaks_of_devices(source.text)
        or all(workspace.exists(str(each / "__init__.py")) for each in (folder, folder.parent))
        or _is_for_others(source)
    )


def speaks_of_devices(text: str) -> bool:
    """Whether a text has a word that names devices."""
    text = text.lower()
    return any(each in text for each in _SPEAK_OF_DEVICES)


def _is_for_others(source: Source) -> bool:
    """Whether a file defines modules or functions and runs nothing: whoever imports them decides where they compute."""
    return checkpoints.only_defines(source) and any(map(_is_for_tensors, source.statements))


def _is_for_tensors(definition: ast.stmt) -> bool:
    """Whether a definition computes for others.

    A class that can only be called mostly prepares single samples, and one that trains is a program of its own.
    """
    if isinstance(definition, ast.ClassDef):
        if any(ast.unparse(each).rpartition(".")[2] == "Module" for each in definition.bases):
            return True
        named = [each.name for each in definition.body if isinstance(each, ast.FunctionDef)]
        return not all(each.startswith("__") for each in named) and not any(
            each.attr == "backward" for each in of_kind(definition, ast.Attribute)
        )
    return isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef))


@of_tree(maxsize=256)
def _asks_where_tensors_are(node: ast.AST) -> bool:
    """Whether a function looks at the device of one of its arguments: whoever wrote it thought of accelerators."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    spec = node.args
    names = {each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)} - {
        "self",
        "cls",
        "args",
        "opt",
    }
    return any(
        isinstance(each, ast.Attribute)
        and each.attr in _ASKS_FOR_DEVICES
        and isinstance(each.value, ast.Name)
        and each.value.id in names
        for each in walk(node)
    )


@of_tree(maxsize=256)
def _computes_with_numpy(source: Source, cls: ast.ClassDef) -> bool:
    """Whether objects of a class are called, and compute with numpy then, naming no device: transforms of a data set do."""
    called = next(
        (each for each in cls.body if isinstance(each, ast.FunctionDef) and each.name == "__call__"), None
    )
    if called is None or source.mentions(cls, "cuda", "device", "backward"):
        return False
    aliases = {
        name.asname or name.name
        for each in source.statements
        if isinstance(each, ast.Import)
        for name in each.names
        if name.name == "numpy"
    }
    return any(
        isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id in aliases
        for each in walk(called)
    )


def prepares_data(m: Machine, cls: ClassValue) -> bool:
    """Whether a class works on the host by contract."""
    if (
        batch_provenance.works_on_host(cls.name)
        or test_code.of_data(m, cls.source)
        or test_code.helps_tests(cls.source)
    ):
        return True
    if _computes_with_numpy(cls.source, cls.node) and not classes.is_module_class(m, cls):
        return True
    bases = classes.linearize(m, cls)
    if any(each.name.endswith(_BASES_ON_THE_HOST) for each in bases) and not classes.is_module_class(m, cls):
        return True
    return any("Dataset" in base or "transforms" in base for base in classes.library_bases(m, cls))


@against(
    DevicesMixed,
    "scripts-on-host",
    "the scripts that use the file never speak of an accelerator, and neither does the file",
    seen="tests/specs/evidence.md:934",
)
def scripts_on_host(case: MismatchCase, m: Machine) -> bool:
    """That somebody moves a module or an argument is a guess, which those say nothing for who make it.

    A function that builds the model which it runs has nobody else to move it: there the files that run are enough.
    """
    if not init_reachability.follows(case.comparison.right):
        return False
    return checkpoints.is_script_on_host(m, m.frames[0].source) or (
        case.layer
        and _is_built_here(m, case)
        and not any(map(checkpoints.asks_for_accelerators, _running(m)))
    )


def _is_built_here(m: Machine, case: MismatchCase) -> bool:
    """Whether a function has built what is on the CPU since it began: what a method builds belongs to its object."""
    root = next((each.function for each in m.frames if each.function is not None), None)
    made = case.whole
    return root is not None and root.cls is None and made.is_parameter and made.serial >= m.run_began


def _running(m: Machine) -> set[Source]:
    """The files of the functions that are running."""
    return {each.source for each in m.frames}
