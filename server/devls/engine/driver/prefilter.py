"""Whether a file can have anything to do with tensors: whether it names torch, or what is defined where torch is.

Most Python is not about tensors, and running it would find nothing. So a file is run only if its text speaks of torch or of
a library that hands out tensors, if it uses a method that means something on what is unknown (`loss.backward()`), or if
what it imports is defined in a file of the project that imports torch: directly, or by names that are handed on. All of
this is read off the text: whoever asks need not even have parsed it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, NamedTuple

from devls.engine.evidence import code_patterns
from devls.library.lookup import TENSOR_LIBRARIES
from devls.project.resolution import is_folder
from devls.text.reading import UnreadableFileError

if TYPE_CHECKING:
    from devls.project.modules import Modules
    from devls.syntax.source import Source


_LEVELS: Final = 3
"""From file to file no more names are followed: what main programs call may call what trains."""


class _Imports(NamedTuple):
    """Imports in the text of a file."""

    names: dict[str, tuple[str, int, str]]
    """By the name here: the module, how far above it is looked for, and the name there ("" for the module itself)."""
    stars: list[tuple[str, int]]
    defined: frozenset[str]
    """Definitions at its top, as far as the text shows."""
    tensors: bool
    """Whether a library that hands out tensors is among it: what such a file defines is taken to know them."""


class Reaching:
    """The files of a workspace, as to whether they have to do with tensors; as long as none of them changes."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._reaches: dict[Source, bool] = {}
        self._uses: dict[tuple[Source, int], bool] = {}
        self._users: dict[Source, frozenset[Source | None]] = {}
        self._imports: dict[Source, _Imports] = {}
        self._defining: dict[tuple[str, str], frozenset[Source | None]] = {}
        self._names: dict[str, dict[str, str]] = {}
        self._sources: dict[str, Source | None] = {}

    def reaches(self, source: Source) -> bool:
        """Whether running a file could tell anything."""
        known = self._reaches.get(source)
        if known is None:
            text = source.text
            known = self._reaches[source] = (
                "torch" in text
                or "reveal_value" in text
                or code_patterns.SPEAKS_OF_TENSORS.search(text) is not None
                or self._of(source).tensors
                or self._uses_tensors(source, _LEVELS)
            )
        return known

    def _uses_tensors(self, source: Source, levels: int) -> bool:
        """Whether something that a file imports is defined where torch is, or uses what is, so many files away."""
        known = self._uses.get((source, levels))
        if known is None:
            found = self._definitions(source)
            known = self._uses[source, levels] = (
                None in found
                or any(self._of(each).tensors for each in found if each is not None)
                or (
                    levels > 1
                    and any(self._uses_tensors(each, levels - 1) for each in found if each is not None)
                )
            )
        return known

    def _definitions(self, source: Source) -> frozenset[Source | None]:
        """The files of what a file imports; with None, if an installed package that uses torch is among them."""
        known = self._users.get(source)
        if known is not None:
            return known
        imports = self._of(source)
        found: set[Source | None] = set()
        read: dict[str, set[str]] | None = None
        for here, (module, level, name) in imports.names.items():
            path = self._find(module, level, source)
            if path is None:
                found |= self._outside(module, level)
                continue
            if name and name in self._bound(path):
                found |= self._definition(path, name)
                continue
            whole = path if not name else self._submodule(path, name)
            if whole is None:
                found |= self._definition(path, name)
                continue
            if read is None:
                read = {}
                for owner, attribute in code_patterns.ATTRIBUTE_READ.findall(source.text):
                    read.setdefault(owner, set()).add(attribute)
            for attribute in read.get(here, ()):
                found |= self._definition(whole, attribute)
        for module, level in imports.stars:
            path = self._find(module, level, source)
            found |= self._outside(module, level) if path is None else self._at(path)
        found.discard(source)
        known = self._users[source] = frozenset(found)
        return known

    def _definition(self, path: str, name: str) -> frozenset[Source | None]:
        """The files that may define a name of a module: its own, or those that it has the name from."""
        known = self._defining.get((path, name))
        if known is None:
            known = self._defining[path, name] = self._search(path, name, set())
        return known

    def _search(self, path: str, name: str, seen: set[tuple[str, str]]) -> frozenset[Source | None]:
        if (path, name) in seen:
            return frozenset()  # modules may each import the name from the other
        seen.add((path, name))
        bound = self._bound(path)
        place = bound.get(name)
        if place is None:
            inner = self._submodule(path, name)
            return (
                self._at(inner) if inner is not None else frozenset({None}) if "*" in bound else frozenset()
            )
        source = self._source(place)
        handed_on = None if source is None else self._of(source).names.get(name)
        if source is None or handed_on is None:
            return self._at(place)
        module, level, there = handed_on
        found = self._find(module, level, source)
        if found is None:
            return self._outside(module, level)
        if there and there in self._bound(found):
            return self._search(found, there, seen)
        inner = self._submodule(found, there) if there else found
        return self._search(found, there, seen) if inner is None else self._at(inner)

    def _bound(self, path: str) -> dict[str, str]:
        """The names that a module has, by what it says and by `import *`, with the module that says so.

        "*" stands for those of a package outside that uses torch.
        """
        known = self._names.get(path)
        if known is not None:
            return known
        found: dict[str, str] = {}
        waiting, seen = [path], {path}
        for each in waiting:
            source = self._source(each)
            if source is None:
                continue
            imports = self._of(source)
            for name in (*imports.defined, *imports.names):
                found.setdefault(name, each)
            for module, level in imports.stars:
                place = self._find(module, level, source)
                if place is None and self._outside(module, level):
                    found["*"] = each
                elif place is not None and place not in seen:
                    seen.add(place)
                    waiting.append(place)
        self._names[path] = found
        return found

    def _outside(self, module: str, level: int) -> frozenset[Source | None]:
        """Whether a module that is none of the project's is of a package that uses torch."""
        top = module.partition(".")[0]
        if level or top in sys.stdlib_module_names or self._modules.installed.find(module) is None:
            return frozenset()
        return frozenset({None})

    def _find(self, module: str, level: int, importer: Source) -> str | None:
        return self._modules.find(module, level, importer.path, beside=True)

    def _submodule(self, path: str, name: str) -> str | None:
        return self._modules.inside(path, name)

    def _at(self, path: str) -> frozenset[Source | None]:
        source = self._source(path)
        return frozenset() if source is None else frozenset({source})

    def _source(self, path: str) -> Source | None:
        if path not in self._sources:
            self._sources[path] = None if is_folder(path) else self._read(path)
        return self._sources[path]

    def _read(self, path: str) -> Source | None:
        try:
            return self._modules.workspace.source(path)
        except UnreadableFileError:
            return None

    def _of(self, source: Source) -> _Imports:
        found = self._imports.get(source)
        if found is None:
            found = self._imports[source] = _imports(source.text)
        return found


def _imports(text: str) -> _Imports:
    names: dict[str, tuple[str, int, str]] = {}
    stars: list[tuple[str, int]] = []
    text = f"\n{text}"
    for match in code_patterns.FROM_IMPORT.finditer(text):
        dots, module, listed = match.groups()
        for each in code_patterns.COMMENT.sub("", listed).strip("()").replace("\\", " ").split(","):
            words = each.split()
            if words and words[0] == "*":
                stars.append((module, len(dots)))
            elif words:
                names[words[-1]] = (module, len(dots), words[0])
    for match in code_patterns.PLAIN_IMPORT.finditer(text):
        for each in match[1].replace("\\", " ").split(","):
            words = each.split()
            if len(words) > 1:
                names[words[-1]] = (words[0], 0, "")
            elif words:
                top = words[0].partition(".")[0]
                names[top] = (top, 0, "")  # `import a.b` binds `a`; what is read of it may be a module
    modules = {module.partition(".")[0] for module, level, _ in names.values() if not level}
    modules |= {module.partition(".")[0] for module, level in stars if not level}
    tensors = any(each in TENSOR_LIBRARIES or each.startswith("torch") for each in modules)
    defined = frozenset(
        function or variable for function, variable in code_patterns.DEFINED_NAME.findall(text)
    )
    return _Imports(names, stars, defined, tensors)
