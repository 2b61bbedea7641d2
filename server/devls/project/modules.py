"""The project's modules: found by name, run once per content, shared by all who import them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from devls.project.resolution import candidates, package_of
from devls.project.workspace import UnreadableFileError
from devls.values.value import ModuleValue, Scope

if TYPE_CHECKING:
    from devls.project.workspace import Workspace
    from devls.syntax.source import Source
    from devls.values.state import Key, State
    from devls.values.value import ClassValue


class Runner(Protocol):
    """What the modules need of the machine: its state, and how to run a module's body."""

    state: State
    importing: list[str]

    @property
    def source(self) -> Source: ...

    def run_module(self, source: Source, scope: Scope) -> None: ...


class Modules:
    """Modules by path. `base` holds what their bodies have written, below every state."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.base: dict[Key, object] = {}
        self.module_classes: dict[ClassValue, bool] = {}
        self._loaded: dict[str, tuple[Source, ModuleValue]] = {}
        self._paths: dict[tuple[str, str, int], str | None] = {}
        self.dependencies: dict[str, set[str]] = {}

    def find(self, name: str, level: int, importer: str) -> str | None:
        """The path of a module as seen from the file that imports it."""
        key = (name, os.path.dirname(importer), level)
        if key not in self._paths:
            self._paths[key] = next(
                (
                    path
                    for path in candidates(name, level, importer, self.workspace.roots)
                    if self.workspace.exists(path)
                ),
                None,
            )
        return self._paths[key]

    def load(self, machine: Runner, name: str, level: int) -> ModuleValue | None:
        """Run a project module, if it is one; None for what is not in the project."""
        importer = machine.source.path
        path = self.find(name, level, importer)
        if path is None:
            return None
        self.dependencies.setdefault(importer, set()).add(path)
        return self._load_path(machine, path, name)

    def _load_path(self, machine: Runner, path: str, name: str) -> ModuleValue | None:
        found = self._loaded.get(path)
        if found is not None:
            return found[1]
        try:
            source = self.workspace.source(path)
        except UnreadableFileError:
            return None
        scope = Scope("module", source, None, None)
        module = ModuleValue(name, scope)
        self._loaded[path] = (source, module)  # before running: import cycles see what is there so far
        machine.importing.append(path)
        try:
            machine.run_module(source, scope)
        finally:
            machine.importing.pop()
        return module

    def submodule(self, machine: Runner, module: ModuleValue, name: str) -> ModuleValue | None:
        """`package.name`, where that is a file."""
        package = package_of(module.scope.source.path)
        if package is None:
            return None
        for path in (os.path.join(package, f"{name}.py"), os.path.join(package, name, "__init__.py")):
            if self.workspace.exists(path):
                self.dependencies.setdefault(module.scope.source.path, set()).add(path)
                return self._load_path(machine, path, f"{module.name}.{name}")
        return None

    def forget_all(self) -> None:
        """Start anew, after some file changed on which others may depend."""
        self.base.clear()
        self.module_classes.clear()
        self._loaded.clear()
        self._paths.clear()
        self.dependencies.clear()

    def knows(self, path: str) -> bool:
        """Whether anything that is kept depends on a file, be it that it was not there."""
        return path in self._loaded or path in self._paths.values() or not self.workspace.exists(path)
