"""Sources of installed packages: the only door to files outside of the project.

Everything here is read, nothing is run: no interpreter of an environment is started (its start-up files may be the
project's own), and no extension module is loaded. Additions to an environment's search path, by `.pth` files and by
finders that editable installs write, are read from their text. jedi, whose environments learn their search path from the
environment's own Python, and which takes seconds for a name that a large package hands on, tells signatures in a process of
its own (`lsp/signatures.py`).
"""

from __future__ import annotations

import ast
import functools
import os
import re
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devls.project.resolution import modules_in
from devls.text.reading import UnreadableFileError, read_start, read_text, walk
from devls.values.weights import NAMES_KEPT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_VARIABLES: Final = ("VIRTUAL_ENV", "CONDA_PREFIX")
_FOLDERS: Final = (".venv", "venv", "env", ".env")
"""Usual names of a project's environment."""

# Nothing that takes line ends stands at its beginning: from each of many blank lines it would go through all that follow.
_SPEAKS_OF_TORCH: Final = re.compile(rb"^[ \t\f]*(?:import|from)\s+torch\b", re.MULTILINE)

_LOOKED_INTO: Final = 60
"""Files of a package that are read to find out whether it uses torch. Those that do say so early."""

_FILE_BYTES: Final = 200_000

_TOOLS_BYTES: Final = 1024 * 1024
"""Of a `.pth` file or a finder: hundreds of editable packages fit in."""


def environments(roots: Iterable[str], variables: Mapping[str, str] = os.environ) -> list[str]:
    """The `site-packages` that programs in these folders are likely to use: active, beside them, or devls's own."""
    prefixes = [variables[name] for name in _VARIABLES if variables.get(name)]
    for root in roots:
        for folder in (Path(root), *Path(root).parents):
            places = (os.path.join(folder, each) for each in _FOLDERS)
            prefixes += [each for each in places if os.path.isfile(os.path.join(each, "pyvenv.cfg"))]
            if os.path.exists(os.path.join(folder, ".git")):
                break
    found = [each for prefix in prefixes for each in _site_packages(prefix)]
    return list(dict.fromkeys((*found, sysconfig.get_path("purelib"))))


def _site_packages(prefix: str) -> list[str]:
    lib = os.path.join(prefix, "lib")
    versions = [os.path.join(lib, each) for each in _names_in(lib) if each.startswith("python3")]
    places = (os.path.join(each, "site-packages") for each in (*versions, os.path.join(prefix, "Lib")))
    return [each for each in places if os.path.isdir(each)]


def _names_in(folder: str) -> list[str]:
    """Entries of a folder, in order; none of one that cannot be read."""
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):
        return []


class Definitions:
    """The packages of some `site-packages`. Results are remembered: installed packages change seldom."""

    def __init__(self, folders: Sequence[str] = ()) -> None:
        self._site = [os.path.realpath(each) for each in folders]
        self._found: dict[str, str | None] = {}
        self._tops: dict[str, str] = {}
        self._path: list[str] | None = None
        self._mapped: dict[str, str] = {}

    @property
    def folders(self) -> tuple[str, ...]:
        """The `site-packages` that are looked into."""
        return tuple(self._site)

    @functools.cached_property
    def torch_version(self) -> str:
        """The version of torch in the first place that has one, read from its text, never imported; "" if none has."""
        for folder in self._site:
            found = re.search(
                r"^__version__ = ['\"](\d+\.\d+[^'\"]*)",
                _text(os.path.join(folder, "torch", "version.py")),
                re.MULTILINE,
            )
            if found:
                return found[1]
        return ""

    def find(self, name: str) -> str | None:
        """The file of a module that uses torch, or whose package does; None if there is no such, or only its binary."""
        if name not in self._found:
            if len(self._found) >= NAMES_KEPT:
                self._found.clear()
            top = name.partition(".")[0]
            place = None if top in sys.stdlib_module_names or top == "torch" else self._place(top)
            self._found[name] = None if place is None else next(modules_in(place, name.split(".")), None)
        return self._found[name]

    def owner(self, path: str) -> str | None:
        """The name of the installed package that a file belongs to; None for a file of the project."""
        return next((top for folder, top in self._tops.items() if path.startswith(folder)), None)

    def is_editable(self, path: str) -> bool:
        """Whether a file's package is somebody's own, worked on in a place of its own."""
        return self.owner(path) is not None and not path.startswith(tuple(self._site))

    def _place(self, top: str) -> str | None:
        """The folder in which a package lies, if it uses torch."""
        for folder in self._search_path(top):
            module = next(modules_in(folder, [top]), None)
            if module is None:
                continue
            is_package = os.path.basename(module).startswith("__init__.")
            place = os.path.join(os.path.dirname(module), "") if is_package else module
            if not _uses_torch(place):
                return None
            self._tops[place] = top
            return folder
        return None

    def _search_path(self, top: str) -> Iterator[str]:
        if self._path is None:
            self._path = list(self._site)
            for folder in self._site:
                self._path += _added_by_pth(folder)
                self._mapped |= _mapped_by_finders(folder)
        if top in self._mapped:
            yield os.path.dirname(self._mapped[top])
        yield from self._path


def _added_by_pth(folder: str) -> Iterator[str]:
    """The folders that `.pth` files name. Their lines of code are passed over."""
    for name in _names_in(folder):
        if not name.endswith(".pth"):
            continue
        for line in _text(os.path.join(folder, name)).splitlines():
            path = os.path.join(folder, line.strip())
            if line.strip() and not line.startswith(("#", "import ", "import\t")) and os.path.isdir(path):
                yield os.path.normpath(path)


def _mapped_by_finders(folder: str) -> dict[str, str]:
    """Package names to their folders, as the finders of editable installs have them: `MAPPING = {...}`."""
    found = dict[str, str]()
    for name in _names_in(folder):
        if not (name.startswith("__editable__") and name.endswith("finder.py")):
            continue
        mapping = re.search(r"^MAPPING[^=\n]*=\s*(\{.*\})", _text(os.path.join(folder, name)), re.MULTILINE)
        try:
            pairs = ast.literal_eval(mapping[1]) if mapping else {}
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        if isinstance(pairs, dict):
            found |= {str(name): str(path) for name, path in pairs.items()}
    return found


def _text(path: str) -> str:
    """The text of a file that tools write, and keep short; "" if it cannot be read."""
    try:
        return read_text(path, _TOOLS_BYTES)
    except UnreadableFileError:
        return ""


def _uses_torch(place: str) -> bool:
    """Whether a module or package imports torch somewhere near its top; what does not has no tensors of its own."""
    for number, path in enumerate(_sources(place)):
        if number >= _LOOKED_INTO:
            return False
        try:
            text = read_start(path, _FILE_BYTES)
            if b"torch" in text and _SPEAKS_OF_TORCH.search(text):  # the search alone is 1 % of an analysis
                return True
        except UnreadableFileError:
            continue
    return False


def _sources(place: str) -> Iterator[str]:
    if not place.endswith(os.sep):
        yield place
        return
    for folder, inner, files in walk(place):
        inner.sort()
        yield from (os.path.join(folder, name) for name in sorted(files) if name.endswith(".py"))
