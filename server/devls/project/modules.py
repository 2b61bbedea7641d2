"""The project's modules: found by name, run once per content, shared by all who import them.

The traces of running a module are of two kinds. Its own values (variables, objects it made) go into `Modules.base`,
below every state. Its changes of others (a registry that it entered itself in, the default device) are its *effects*:
they happen again in every program that imports it, and in no other.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from devls.project.definitions import Definitions
from devls.project.import_cycles import ImportCycles
from devls.project.mentions import Mentions
from devls.project.resolution import (
    candidates,
    folder_above,
    full_name,
    holds_modules,
    in_site_packages,
    is_folder,
    packages_entered,
    search_path,
)
from devls.syntax.nodes import LOOKED_AT, questions
from devls.syntax.source import Source
from devls.text.reading import UnreadableFileError
from devls.values.facts import fact
from devls.values.state import AMBIENT
from devls.values.value import ModuleValue, Scope
from devls.values.weights import NAMES_KEPT

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterable

    from devls.project.import_cycles import Library
    from devls.project.workspace import Workspace
    from devls.syntax.live import Change
    from devls.values.call_facts import CallFact
    from devls.values.state import Key, State
    from devls.values.value import ClassValue, Symbol, TensorValue

MODULES_OF_A_PACKAGE: Final = 60
"""Of one installed package no more modules are run. The questions of a program to a library seldom pass a dozen of
them.
"""


@dataclass(eq=False, repr=False)
class Functions:
    """Record of functions while code was run: the nodes of those that were called."""

    executed: set[ast.AST] = field(default_factory=set)
    built_with: set[ast.AST] = field(default_factory=set)
    """By constructors."""
    call_facts: set[CallFact] = field(default_factory=set)
    """Observations of their calls."""

    inferred: dict[Symbol, TensorValue] = field(default_factory=dict)
    """Types that unknown values were taken for on the way."""
    other_device: bool = False
    """Whether another default device was set on the way."""
    notes: object = None
    """The notes of checks that were left."""


@fact
class Ran:
    """Result of running a module's body."""

    written: dict[Key, object]
    functions: Functions
    """Functions that it called."""
    quiet: bool
    """Whether it came to its end, and there was nothing to tell of it or to keep in mind."""


class Runner(Protocol):
    """Interface of the machine to the modules: its state, running a module's body, repeating its effects."""

    state: State
    untold: int

    @property
    def source(self) -> Source: ...

    @property
    def library(self) -> Library: ...

    def run_module(self, source: Source, scope: Scope) -> Ran: ...

    def repeat(self, effects: dict[Key, object]) -> None: ...

    def recall(self, functions: Functions) -> None: ...

    def met_modules(self) -> None: ...


@dataclass(eq=False, repr=False)
class _Loaded:
    source: Source
    module: ModuleValue
    own: set[Key] = field(default_factory=set)
    looked_at: frozenset[ast.AST] = frozenset()
    """The definitions whose code was looked at while it was run."""
    effects: dict[Key, object] = field(default_factory=dict)
    whole: bool = False
    """Whether its body has come to an end; import cycles meet modules of which it has not."""
    functions: Functions | None = None
    quiet: bool = False
    """See `Ran`."""
    entry: str | None = None
    """The module by which the import cycle was entered that it is part of."""


@fact
class _Search:
    """How a name was looked for: where it was found, and where else it could have been."""

    found: str | None
    looked: tuple[str, ...]


class Modules:
    """Modules by path. `base` holds what their bodies have written, below every state."""

    def __init__(
        self,
        workspace: Workspace,
        folders: Callable[[str], Iterable[str]] = lambda _: (),
        installed: Definitions | None = None,
        torch_version: Callable[[str], str] = lambda _: "",
    ) -> None:
        """Make the modules of a workspace.

        `folders` says where to look for the modules that a given file imports, `torch_version` for which torch it is meant.
        """
        self._torch_version = torch_version
        self.workspace = workspace
        self.mentions = Mentions(workspace)
        self.installed = installed or Definitions()
        self._folders = folders
        self.base: dict[Key, object] = {}
        self.module_classes: dict[ClassValue, bool] = {}
        self.unseen_bases: dict[ClassValue, bool] = {}
        self.ran: list[str] = []
        """The paths whose bodies were run, in order, each time that they were."""
        self.rebinding: dict[str, tuple[Source, Scope]] = {}
        """The modules of which a function sets names, or others may, by their paths."""
        self._loaded: dict[str, _Loaded] = {}
        self._cycles = ImportCycles(self)
        self._entered: dict[str, str] = {}
        """The modules of the import cycles that are being run, and by which each was entered."""
        self._searches: dict[tuple[str, str, int, bool], _Search] = {}
        self._most_searches = NAMES_KEPT
        self._paths: dict[tuple[str, tuple[str, ...], bool], list[str]] = {}
        self._uses: dict[str, set[str]] = {}
        self._outside: dict[str, set[str]] = {}  # the files of installed packages that each has used
        self._libraries: dict[str, bool] = {}
        self._in_torch: dict[str, str | None] = {}

    def in_torch(self, path: str) -> str | None:
        """The package of a file, if it is one of torch's own ("torch.nn.modules"), wherever torch is being worked on."""
        folder = os.path.dirname(path)
        if folder not in self._in_torch:
            above, torch, inner = f"{folder}/".replace(os.sep, "/").partition("/torch/")
            of_torch = torch and self.workspace.exists(f"{above}/torch/_tensor.py")
            self._in_torch[folder] = ".".join(["torch", *inner.split("/")[:-1]]) if of_torch else None
        return self._in_torch[folder]

    def _is_foreign(self, path: str, importer: str) -> bool:
        """Whether a file that lies where the project's modules do is none of them all the same.

        No module of torch is ever run for those that import it, even where torch itself is looked at: what torch does is
        known, and running one would be to run all, because every part imports every other. And packages that were
        installed in one place are nothing to each other.
        """
        if self.in_torch(path) is not None:
            return True
        package = in_site_packages(importer)
        return package is not None and in_site_packages(path) != package

    def torch_version(self, path: str) -> str:
        """The torch that a file is meant for: what its project says, else what is installed beside it; "" if unknown."""
        return self._torch_version(path) or self.installed.torch_version

    def find(
        self, name: str, level: int, importer: str, *, outside: bool = False, beside: bool = False
    ) -> str | None:
        """The path of a module as seen from the file that imports it, which depends on it from now on.

        `outside`: installed packages count as well; otherwise a name is one that the library knows, unless
        `beside`: then it may be that of a file in the same folder, be that a package.
        """
        if not level and self.is_library(importer):
            return (
                self._installed(name, importer) if outside else None
            )  # the project's modules are nothing to a library
        # A module of Python's own is never found beside a module of a package: `typing` is not the package's own.
        top, dot, _ = name.partition(".")
        known = not (level or outside or beside)
        if known and dot and self.find(top, 0, importer) is None:
            return None
        beside = not level and (outside or beside) and top not in sys.stdlib_module_names
        key = (name, os.path.dirname(importer), level, beside)
        search = self._searches.get(key)
        if search is None:
            places = [folder_above(key[1], level)] if level else self._places(importer, beside=beside)
            self._drop_searches()
            search = self._searches[key] = self._search(candidates(name, places))
        self._uses.setdefault(importer, set()).update(search.looked)
        if search.found is not None and self._is_foreign(search.found, importer):
            return None
        if known and search.found is not None and is_folder(search.found):
            return None  # as in Python: a folder without an `__init__.py` gives way to a package, wherever that is installed
        return (
            self._installed(name, importer)
            if search.found is None and outside and not level
            else search.found
        )

    def _drop_searches(self) -> None:
        """Forget, when there are many searches, those that no file depends on any more: an editor shows new names all the time."""
        if len(self._searches) < self._most_searches:
            return
        used = frozenset[str]().union(*self._uses.values())
        for key, search in list(self._searches.items()):
            if used.isdisjoint(search.looked):
                del self._searches[key]
        self._most_searches = max(NAMES_KEPT, 2 * len(self._searches))

    def _places(self, importer: str, *, beside: bool) -> list[str]:
        """The folders in which a file looks for what it imports; all files of a folder look in the same."""
        key = (os.path.dirname(importer), (*self._folders(importer), *self.workspace.roots), beside)
        found = self._paths.get(key)
        if found is None:
            found = self._paths[key] = search_path(key[0], key[1], beside=beside)
        return found

    def load(
        self, machine: Runner, name: str, level: int, *, importer: str | None = None, outside: bool = False
    ) -> ModuleValue | None:
        """Run a module of the project (or, `outside` of it, of a library whose source is at hand); None if it is neither."""
        importer = importer or machine.source.path
        path = self.find(name, level, importer, outside=outside)
        if path is None:
            return None
        self._load_packages(machine, path, name, importer)
        return self._load_path(machine, path, name)

    def is_library(self, path: str) -> bool:
        """Whether a file is part of an installed package."""
        known = self._libraries.get(path)
        if known is None:
            # A project that is installed in its own environment, in place, is no library to itself.
            own = self.installed.is_editable(path) and path.startswith(self.workspace.roots)
            known = self._libraries[path] = self.installed.owner(path) is not None and not own
        return known

    def search_path(self, importer: str) -> list[str]:
        """The folders in which the modules that a file imports are looked for, best first."""
        return search_path(os.path.dirname(importer), (*self._folders(importer), *self.workspace.roots))

    def _installed(self, name: str, importer: str) -> str | None:
        path = self.installed.find(name)
        if path is not None:
            self._outside.setdefault(importer, set()).add(path)
        if path is None or path in self._loaded:
            return path
        owner = self.installed.owner(path)
        running = sum(self.installed.owner(each) == owner for each in self._loaded)
        return path if running < MODULES_OF_A_PACKAGE else None

    def imported_by(self, path: str) -> list[Source]:
        """The project files that a file imports itself, as far as they have run."""
        return [
            self._loaded[each].source for each in sorted(self._uses.get(path, ())) if each in self._loaded
        ]

    def submodule(self, machine: Runner, module: ModuleValue, name: str) -> ModuleValue | None:
        """`package.name`, where that is a file."""
        path = self.find(name, 1, module.scope.source.path) if is_package(module) else None
        return None if path is None else self._load_path(machine, path, f"{module.name}.{name}")

    def inside(self, package: str, name: str) -> str | None:
        """The path of `package.name`, where that is a file; `package` is the path of a module."""
        if is_folder(package):
            return self.find(name, 1, f"{package}__init__.py")
        return self.find(name, 1, package) if os.path.basename(package).startswith("__init__.") else None

    def changed(self, path: str, edits: Iterable[Change] = ()) -> frozenset[str]:
        """Take note that a file's text has changed, or that it has come or gone.

        `edits`: what has happened to it since the last time, if its Source is the same as before.

        Returns the paths of the files that see it: those that import it, directly or by way of others, and what it is
        itself. Modules among them are run again when next asked for; all others are kept.
        """
        self._paths.clear()
        stale = {path} if self._is_stale(path) else set[str]()
        for change in edits:
            if path in self._loaded and change.shape:
                stale.add(path)
            stale |= {
                name for name, each in self._loaded.items() if not change.bodies.isdisjoint(each.looked_at)
            }
        for name, each in self._loaded.items() if edits else ():
            if not all(asked.holds for asked in questions(each.looked_at)):
                stale.add(name)
        for key, search in list(self._searches.items()):
            if path in search.looked and self._search(search.looked).found != search.found:
                # An importer that looked for it here has to look again: another file answers to the name now.
                del self._searches[key]
                stale |= {user for user, used in self._uses.items() if path in used}
        return self._forget(stale)

    def used_by(self, path: str) -> frozenset[str]:
        """The files that running a file has used or looked for, there or not, and those that they used in turn."""
        found, waiting = set[str](), [path]
        while waiting:
            path = waiting.pop()
            new = (self._uses.get(path, set()) | self._outside.get(path, set())) - found
            found |= new
            waiting += new
        return frozenset(found)

    def uses(self, path: str) -> frozenset[str]:
        """The files that running a file has used or looked for itself."""
        return frozenset(self._uses.get(path, ()))

    def scopes(self, path: str) -> list[tuple[str, Scope]]:
        """The variables of the project's modules that a file has used, by their paths."""
        used = sorted(
            each for each in self.used_by(path) if each in self._loaded and not self.is_library(each)
        )
        return [(each, self._loaded[each].module.scope) for each in used]

    def goes_on_using(self, path: str, used: frozenset[str]) -> None:
        """Take a file that has changed for one that uses these files still."""
        if used:
            self._uses.setdefault(path, set()).update(used)

    def forget(self, path: str) -> frozenset[str]:
        """Forget what a file has used, and what has seen it; returns whose analysis sees it."""
        return self._forget({path})

    def users(self, paths: Iterable[str]) -> set[str]:
        """The given files, and all files whose running has used one of them, be it by way of others."""
        found = set(paths)
        waiting = list(found)
        while waiting:
            used = waiting.pop()
            new = {user for user, uses in self._uses.items() if used in uses} - found
            found |= new
            waiting += new
        return found

    def _is_stale(self, path: str) -> bool:
        known = self._loaded.get(path)
        if known is None:
            return True
        return self.source_of(path) is not known.source

    def source_of(self, path: str) -> Source | None:
        """The text of a module; None if it cannot be had."""
        if is_folder(path):
            return Source(f"{path}__init__.py", "")
        try:
            return self.workspace.source(path)
        except UnreadableFileError:
            return None

    def _exists(self, path: str) -> bool:
        return holds_modules(path) if is_folder(path) else self.workspace.exists(path)

    def _search(self, places: Iterable[str]) -> _Search:
        looked = list[str]()
        for path in places:
            looked.append(path)
            if self._exists(path):
                return _Search(path, tuple(looked))
        return _Search(None, tuple(looked))

    def _load_packages(self, machine: Runner, path: str, name: str, importer: str) -> None:
        """Run the packages around a module first, as Python does; those around the importer have been run."""
        for package in packages_entered(path, name, importer, self.workspace.exists):
            self._uses.setdefault(importer, set()).add(package)
            self._load_path(machine, package, os.path.basename(os.path.dirname(package)))

    def _load_path(self, machine: Runner, path: str, name: str) -> ModuleValue | None:
        if path not in self._loaded:
            self._run_cycle(machine, path)
        known = self._loaded.get(path) or self._run(machine, path, name)
        if known is None:
            return None
        LOOKED_AT.update(known.looked_at)
        if not known.whole:
            machine.untold += 1  # whoever meets it so would find more another time
        for each in (known.entry, path):
            loaded = self._loaded.get(each) if each is not None else None
            if loaded is not None and loaded.functions is not None:
                machine.recall(loaded.functions)  # whoever ran it first has noted them
            effects = loaded.effects if loaded is not None else None
            if effects and machine.state.get(("module", each), _HAPPENED) is not True:
                machine.repeat({**effects, (("module", each), _HAPPENED): True})
        machine.met_modules()
        return known.module

    def as_program(self, machine: Runner, source: Source) -> Scope | None:
        """The scope of a file as running it has left it, if it was run as a module, and would do the same as a program."""
        known = self._loaded.get(source.path)
        if known is None or known.source is not source or not known.quiet or source.says("__main__"):
            return None
        self._load_path(machine, source.path, known.module.name)
        return known.module.scope

    def _run_cycle(self, machine: Runner, path: str) -> None:
        """Run the other modules of the import cycle that one is in first, from where Python enters it."""
        while path not in self._loaded and path not in self._entered:
            cycle = self._cycles.of(path, self._loaded, machine.library)
            if len(cycle) == 1:
                return
            entry, looked = self._cycles.entry(cycle, machine.library)
            self._uses.setdefault(entry, set()).update(looked)
            outer = self._entered
            self._entered = outer | dict.fromkeys(cycle, entry)
            try:
                if self._run(machine, entry, full_name(entry)) is None:
                    return
            finally:
                self._entered = outer

    def _run(self, machine: Runner, path: str, name: str) -> _Loaded | None:
        source = self.source_of(path)
        if source is None:
            return None
        scope = Scope("module", source, None, None)
        # Before running: import cycles see what is there so far.
        loaded = self._loaded[path] = _Loaded(source, ModuleValue(name, scope))
        loaded.entry = self._entered.get(path)
        self.ran.append(path)
        seen = set(LOOKED_AT)
        LOOKED_AT.clear()
        if any(source.says(each) for each in ("global ", "CUDA", "GPU")):
            self.rebinding[path] = source, scope
        try:
            ran = machine.run_module(source, scope)
        except BaseException:
            self._forget({path})
            raise
        loaded.looked_at = frozenset(LOOKED_AT)
        LOOKED_AT.update(seen)
        for key, value in ran.written.items():
            if key[0] is AMBIENT or key[1] in _OF_A_PATH or key in self.base:
                loaded.effects[key] = value
            else:
                self.base[key] = value
                loaded.own.add(key)
        loaded.whole = True
        loaded.functions, loaded.quiet = ran.functions, ran.quiet
        return loaded

    def _forget(self, stale: set[str]) -> frozenset[str]:
        """Forget some modules, and all that has seen them."""
        while True:
            stale = self.users(stale)
            touched = {key for path in stale if path in self._loaded for key in self._loaded[path].effects}
            # Two modules that have written to the same foreign object: the second saw what the first had left there.
            also = {
                path for path, each in self._loaded.items() if not touched.isdisjoint(each.effects)
            } - stale
            if not also:
                break
            stale |= also
        for path in stale:
            known = self._loaded.pop(path, None)
            self.rebinding.pop(path, None)
            for key in known.own if known else ():
                self.base.pop(key, None)
            self._uses.pop(path, None)
            self._outside.pop(path, None)
        self.module_classes.clear()
        self.unseen_bases.clear()
        self._cycles.forget(stale)
        return frozenset(stale)


_HAPPENED = "#happened"
"""Slot that says that a module's effects are part of a state."""

_OF_A_PATH = (_HAPPENED, "assumed")


def is_package(module: ModuleValue) -> bool:
    """Whether a module is the `__init__` of a package."""
    return os.path.basename(module.scope.source.path).startswith("__init__.")
