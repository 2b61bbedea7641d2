"""Stubs of packages around torch (numpy, matplotlib, sklearn, pandas, einops, torchvision, ...), written by hand.

One TOML file for a distribution, or for several small ones with a `+` between their names, read when one of its names is
first asked for. A file is a list of groups:

    [[group]]
    space = "numpy"                  # the names below are numpy.<name>
    why = "They call __array__."     # for the reader
    reads = true                     # tensor arguments are turned into numpy arrays, see `host_reader`
    parameters = "*args?"            # the texts of `devls.library.records`
    effects = "host-array no"
    names = "abs add all read_*"     # "*" stands for anything, where no name is written out

A file that begins with `partial = true` leaves the rest to the package's source, where that is installed.
A group with `layer = true` describes module classes: `parameters` and `effects` are those of calling an instance,
`buffers` names what it registers.
"""

from __future__ import annotations

import fnmatch
import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from devls.library.records import decoded_operation, decoded_parameters

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib
from devls.values.weights import NAMES_KEPT

if TYPE_CHECKING:
    from devls.library.effects import Layer, Operation

_FOLDER: Final = Path(__file__).parent


class _Entry(NamedTuple):
    parameters: str
    effects: str
    reads: bool
    constructor: str | None
    buffers: tuple[str, ...] = ()


def packages() -> frozenset[str]:
    """The packages that are described here as far as they matter, so that nobody has to read their source."""
    files = {path: path.read_text(encoding="utf-8") for path in set(_files().values())}
    return frozenset(root for root, path in _files().items() if not files[path].startswith("partial = true"))


def operation(name: str) -> Operation | None:
    """The operation of that name, or None when no stub describes it."""
    entry = _entry(name)
    if entry is None or entry.constructor is not None:
        return None
    return decoded_operation(name, entry.parameters, entry.effects)


def layer(name: str) -> Layer | None:
    """The module class (or callable object) of that name, or None when no stub describes it."""
    from devls.library.effects import Layer, LayerTensor  # noqa: PLC0415  only a few names get here

    entry = _entry(name)
    if entry is None or entry.constructor is None:
        return None
    forward = decoded_operation(f"{name}.forward", entry.parameters, entry.effects)
    buffers = tuple(LayerTensor(each, is_buffer=True) for each in entry.buffers)
    return Layer(name, decoded_parameters(entry.constructor), buffers, forward=forward)


def host_reader(name: str) -> bool:
    """Whether the function turns tensor arguments into numpy arrays."""
    entry = _entry(name)
    return entry is not None and entry.reads


def names(root: str) -> list[str]:
    """The names that the stub of a distribution describes."""
    return [name for name in _entries(root) if "*" not in name] if root in _files() else []


def _entry(name: str) -> _Entry | None:
    root = name.partition(".")[0]
    if root not in _files():
        return None
    found = _entries(root).get(name)
    return _by_pattern(root, name) if found is None else found


@functools.lru_cache(maxsize=NAMES_KEPT)
def _by_pattern(root: str, name: str) -> _Entry | None:
    patterns = (key for key in _entries(root) if "*" in key)
    return next((_entries(root)[key] for key in patterns if fnmatch.fnmatchcase(name, key)), None)


@functools.cache
def _files() -> dict[str, Path]:
    """The file of each distribution."""
    return {root: path for path in _FOLDER.glob("*.toml") for root in path.stem.split("+")}


@functools.lru_cache(maxsize=NAMES_KEPT)
def _entries(root: str) -> dict[str, _Entry]:
    content = tomllib.loads(_files()[root].read_text(encoding="utf-8"))
    found: dict[str, _Entry] = {}
    for group in content["group"]:
        constructor = group.get("constructor", "") if group.get("layer") else None
        entry = _Entry(
            group["parameters"],
            group["effects"],
            group.get("reads", False),
            constructor,
            tuple(group.get("buffers", "").split()),
        )
        for space in group["space"].split():
            if space.partition(".")[0] != root:
                continue
            for name in group["names"].split():
                found.setdefault(f"{space}.{name}", entry)
    return found
