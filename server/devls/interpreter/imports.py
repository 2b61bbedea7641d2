"""Import statements: project modules are run once, everything else is a name of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.interpreter import assignments, names
from devls.interpreter.joins import Contents
from devls.values.state import MISSING
from devls.values.value import Const, LibraryName, ModuleValue, Sequence, TupleValue

if TYPE_CHECKING:
    import ast

    from devls.interpreter.machine import Machine


def run_import(m: Machine, node: ast.Import) -> bool:
    for alias in node.names:
        module = m.modules.load(m, alias.name, 0)
        if alias.asname:
            assignments.bind(m, alias.asname, module or LibraryName(m.library.canonical(alias.name)))
            continue
        root = alias.name.split(".")[0]
        if module is not None:
            top = m.modules.load(m, root, 0) if root != alias.name else module
            assignments.bind(m, root, top or module)
        else:
            assignments.bind(m, root, LibraryName(m.library.canonical(root)))
    return True


def run_import_from(m: Machine, node: ast.ImportFrom) -> bool:
    name = node.module or ""
    module = m.modules.load(m, name, node.level)
    for alias in node.names:
        if alias.name == "*":
            if module is not None:
                _import_all(m, module)
            elif not node.level:
                for each in m.library.public_names(name):
                    assignments.bind(m, each, LibraryName(m.library.canonical(f"{name}.{each}")))
            continue
        target = alias.asname or alias.name
        value: object = None
        if module is not None:
            found = m.state.get(module.scope, alias.name, MISSING)
            value = found if found is not MISSING else m.modules.submodule(m, module, alias.name)
            if value is None:
                value = m.unknown(node, alias.name)
        elif node.level:
            value = m.unknown(node, alias.name)
        else:
            if name == m.library.canonical(name):
                names.check_import(m, alias, name)
            value = m.library.attribute(LibraryName(m.library.canonical(name)), alias.name)
        assignments.bind(m, target, value)
    return True


def _import_all(m: Machine, module: ModuleValue) -> None:
    for name in _public(m, module):
        value = m.state.get(module.scope, name, MISSING)
        if value is MISSING:  # `__all__` may name modules of the package
            value = m.modules.submodule(m, module, name)
        if value is not None:
            assignments.bind(m, name, value)


def _public(m: Machine, module: ModuleValue) -> list[str]:
    """What a star imports: the names in `__all__`, if it can be read; else all without an underscore."""
    listed = m.resolve(m.state.get(module.scope, "__all__"))
    items: tuple[object, ...] | None = listed.items if isinstance(listed, TupleValue) else None
    if isinstance(listed, Sequence):
        contents = m.state.get(listed, "#items")
        items = contents.items if isinstance(contents, Contents) and contents.element is None else None
    names = [each.value for each in items or () if isinstance(each, Const) and isinstance(each.value, str)]
    if items is not None and len(names) == len(items):
        return names
    return [name for name in sorted(module.scope.names) if not name.startswith("_")]
