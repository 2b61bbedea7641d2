"""Programs that import a file and set another default device, by the text of the files of a project."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devls.syntax.nodes import nodes_of, of_tree

if TYPE_CHECKING:
    from devls.project.modules import Modules
    from devls.syntax.source import Source

_ON_THE_WAY: Final = 8
"""So many files between a program and the file that is asked about are followed: each of them has to be read."""


def is_set(modules: Modules, source: Source) -> bool:
    """Whether a program that imports this file, be it through others, sets a default device, itself or by what it imports."""
    setters = {
        each.path
        for name in _SETTERS
        for each in modules.mentions.of(name, source.path) or ()
        if _sets_default_device(each)
    }
    waiting = [source] if setters else []
    for file in waiting:
        name = _module_name(file.path)
        naming = modules.mentions.of(name, source.path)
        launched = any(_imports(modules, file, _module_name(each), each) for each in setters)
        if launched or (file.path in setters and file is not source):
            return True
        if naming is None:  # of so many files that say its name one may import a setter that lies beside it
            return any(Path(each).parent == Path(file.path).parent for each in setters)
        if len(waiting) <= _ON_THE_WAY:
            waiting += [
                each for each in naming if each not in waiting and _imports(modules, each, name, file.path)
            ]
    return False


_SETTERS: Final = ("set_default_tensor_type", "set_default_device")


@of_tree(maxsize=256)
def _sets_default_device(source: Source) -> bool:
    """Whether a file sets a default device, or a default type of tensors, that is not plainly the CPU's."""
    return any(
        isinstance(each, ast.Call)
        and isinstance(each.func, (ast.Attribute, ast.Name))
        and ast.unparse(each.func).rpartition(".")[2] in _SETTERS
        and not any(_is_of_host(given) for given in each.args)
        for statement in source.statements
        if source.mentions(statement, *_SETTERS)
        for each in nodes_of(statement)
    )


def _is_of_host(given: ast.expr) -> bool:
    """Whether what is given to set a default is the CPU, or a type of tensors there."""
    said = given.value if isinstance(given, ast.Constant) else ast.unparse(given)
    if not isinstance(said, str):
        return True
    return said == "cpu" or (said.startswith("torch.") and "cuda" not in said and "device" not in said)


def _module_name(path: str) -> str:
    """The last part of the name by which others import a file."""
    file = Path(path)
    return file.parent.name if file.stem == "__init__" else file.stem


def _imports(modules: Modules, source: Source, name: str, path: str) -> bool:
    """Whether a file imports another one, whose module has that name: one that cannot be found may be it."""
    for statement in source.statements:
        if not source.mentions(statement, name):
            continue
        for each in nodes_of(statement):
            if isinstance(each, ast.Import):
                found = [(alias.name, 0) for alias in each.names]
            elif isinstance(each, ast.ImportFrom):
                whole = each.module or ""
                parts = (".".join(filter(None, (whole, alias.name))) for alias in each.names)
                found = [(dotted, each.level) for dotted in (whole, *parts)]
            else:
                continue
            for dotted, level in found:
                if dotted.rpartition(".")[2] != name:
                    continue
                there = modules.find(dotted, level, source.path, beside=True)
                if there is None or there == path:
                    return True
    return False
