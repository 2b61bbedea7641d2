"""Import statements: project modules are run once, everything else is a name of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import limits, priors, program_moments
from devls.engine.core.joins import Contents
from devls.engine.python import names, narrowing
from devls.values.state import MISSING
from devls.values.value import Const, Deferred, LibraryName, ModuleValue, Sequence, Symbol, TupleValue

if TYPE_CHECKING:
    import ast

    from devls.engine.core.machine import Machine
    from devls.values.value import Scope


def run_import(m: Machine, node: ast.Import) -> bool:
    for alias in node.names:
        root = alias.name.split(".")[0]
        if alias.asname:
            names.bind(m, alias.asname, _module(m, alias.name) or _of_library(m, alias.name))
            continue
        module = _module(m, alias.name)
        top = _module(m, root) if module is not None and root != alias.name else module
        names.bind(m, root, top or module or _of_library(m, root))
    return True


def run_import_from(m: Machine, node: ast.ImportFrom) -> bool:
    name, level = node.module or "", node.level
    if level:
        name, level = _from_torch(m, name, level)
    deferred = m.modules.is_library(m.source.path)
    for alias in node.names:
        if alias.name == "*":
            _import_all(m, name, level)
        elif deferred:
            value = Deferred(m.source.path, name, level, alias.name)
            names.bind(m, alias.asname or alias.name, value)
        else:
            if not level and name == m.library.canonical(name) and _load(m, name, 0) is None:
                program_moments.library_name_imported(m, alias, name)
            bound = alias.asname or alias.name
            if not level and _is_object(m, name, bound):
                names.bind(m, bound, Symbol((narrowing.UNDEFINED, m.source.path, bound), bound))
            else:
                names.bind(m, bound, _member(m, name, level, alias.name, node))
    return True


def _is_object(m: Machine, module: str, bound: str) -> bool:
    """Whether a name stands for an object of a module that is nowhere to be seen."""
    return _outside(m, module) and priors.is_object_imported(m, bound) and _load(m, module, 0) is None


def _from_torch(m: Machine, name: str, level: int) -> tuple[str, int]:
    """A relative import, as the absolute one that it is where torch itself is looked at: what torch does is known."""
    package = m.modules.in_torch(m.source.path)
    if package is None:
        return name, level
    parts = package.split(".")[: 1 - level or None]
    return (".".join([*parts, name] if name else parts), 0) if parts else (name, level)


def read(m: Machine, owner: Scope, name: str, value: object) -> object:
    """The value of a name that was found in a scope: what a library has imported there is looked up only now."""
    if not isinstance(value, Deferred):
        return value
    # Before looking: two modules may each have the name from the other.
    m.state.set(owner, name, m.unknown(text=name))
    found: object
    if value.name is None:
        found = _load(m, value.module, value.level, value.importer) or _of_library(m, value.module)
    else:
        found = _member(m, value.module, value.level, value.name, None, value.importer)
    m.state.set(owner, name, found)
    return found


def _module(m: Machine, name: str) -> object | None:
    if m.modules.is_library(m.source.path) and m.modules.find(
        name, 0, m.source.path, outside=_outside(m, name)
    ):
        return Deferred(m.source.path, name, 0, None)
    return _load(m, name, 0)


def _load(m: Machine, name: str, level: int, importer: str | None = None) -> ModuleValue | None:
    return m.modules.load(m, name, level, importer=importer, outside=_outside(m, name))


def _outside(m: Machine, name: str) -> bool:
    return not m.library.knows(name.partition(".")[0])


def _of_library(m: Machine, name: str) -> LibraryName:
    return LibraryName(m.library.canonical(name))


def _member(
    m: Machine, module_name: str, level: int, name: str, node: ast.AST | None, importer: str | None = None
) -> object:
    """Binding of `from module import name`."""
    module = _load(m, module_name, level, importer)
    if module is not None:
        found = m.state.get(module.scope, name, MISSING)
        if found is not MISSING:
            return read(m, module.scope, name, found)
        return m.modules.submodule(m, module, name) or m.unknown(node, name)
    if level:
        return m.unknown(node, name)
    # By its full name: `torch.nn.modules.module` is the space of `torch.nn`, whose name has no `modules` in it.
    return m.library.attribute(LibraryName(module_name), name)


def _import_all(m: Machine, name: str, level: int) -> None:
    module = _load(m, name, level)
    if module is None:
        for each in m.library.public_names(name) if not level else ():
            names.bind(m, each, m.library.attribute(_of_library(m, name), each))
        return
    public = _public(m, module)
    m.state.work += limits.WORK_OF_STARRED * len(public)
    m.pay()
    scope = m.frame.scope
    here = (
        m.state.get_all(scope, public)
        if scope is not None and not scope.redirects
        else [MISSING] * len(public)
    )
    for each, value, bound in zip(public, m.state.get_all(module.scope, public), here, strict=True):
        if value is MISSING:  # `__all__` may name modules of the package
            found = m.modules.submodule(m, module, each)
            if found is not None:
                names.bind(m, each, found)
        elif value is not bound:  # what came by another way is there
            names.bind(m, each, value)


def _public(m: Machine, module: ModuleValue) -> list[str]:
    """Names that a star imports: those in `__all__`, if it can be read; else all without an underscore."""
    listed = m.resolve(m.state.get(module.scope, "__all__"))
    items: tuple[object, ...] | None = listed.items if isinstance(listed, TupleValue) else None
    if isinstance(listed, Sequence):
        contents = m.state.get(listed, "#items")
        items = contents.items if isinstance(contents, Contents) and contents.element is None else None
    names = [each.value for each in items or () if isinstance(each, Const) and isinstance(each.value, str)]
    if items is not None and len(names) == len(items):
        return names
    return [name for name in sorted(module.scope.names) if not name.startswith("_")]
