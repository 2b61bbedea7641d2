"""Which files a command line means."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from devls.config import NEVER_CHECKED, Config
from devls.project.workspace import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pathspec import GitIgnoreSpec

_SUFFIXES = (".py", ".ipynb")


@dataclass
class Selection:
    """The files to check, by absolute path, with the names to print them by."""

    names: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    """Paths that were named and do not exist."""
    roots: list[str] = field(default_factory=list)
    """The folders that were named, and those of the files that were."""


def select(paths: Sequence[str], config_for: Callable[[str], Config]) -> Selection:
    """Find the files under `paths`, in order, each once.

    A file that is named is taken whatever its name. Of a folder, taken are the files ending in `.py` or `.ipynb` that neither a
    .gitignore nor the configuration's `exclude` leaves out.
    """
    found = Selection()
    for path in paths:
        if Path(path).is_dir():
            found.roots.append(path)
            for each in _Walk(config_for).files(normalize(path)):
                found.names.setdefault(each, shown(each, path))
        elif Path(path).exists():
            found.roots.append(str(Path(path).parent))
            found.names.setdefault(normalize(path), shown(normalize(path), path))
        else:
            found.missing.append(path)
    # Who names a file of the project below imports as from here, as `python -m` does.
    here = str(Path.cwd())
    if here not in found.roots and any(Path(each).is_relative_to(here) for each in found.names):
        found.roots.append(here)
    return found


def shown(path: str, given: str = "") -> str:
    """How to print an absolute path: from the working directory, unless it is elsewhere and was not so given."""
    here = Path.cwd()
    if Path(path).is_relative_to(here):
        return str(Path(path).relative_to(here))
    if given and not Path(given).is_absolute():
        return os.path.relpath(path, here)
    return path


class _Walk:
    """One walk through a folder."""

    def __init__(self, config_for: Callable[[str], Config]) -> None:
        self._config_for = config_for
        self._specs: dict[tuple[str, ...], GitIgnoreSpec] = {}
        self._excludes = True  # whether the configuration's `exclude` counts

    def files(self, folder: str) -> Iterator[str]:
        """The files in a folder that was named, and is looked into even where it would be left out of another."""
        above = [str(each) for each in _inside_repository(Path(folder))]
        specs = [spec for each in above if (spec := self._ignored_in(each))]
        if _is_excluded(f"{folder}/", specs):
            specs = []
        self._excludes = not _is_excluded(f"{folder}/", [self._configured(folder)])
        yield from self._walk(folder, specs)

    def _walk(self, folder: str, specs: list[tuple[str, GitIgnoreSpec]]) -> Iterator[str]:
        own = self._ignored_in(folder)
        specs = [*specs, own] if own else specs
        always = [
            (folder, self._spec(NEVER_CHECKED)),
            *([self._configured(folder)] if self._excludes else []),
        ]
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            return  # a folder nobody may look into holds nothing to check
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_folder and not (entry.name.endswith(_SUFFIXES) and entry.is_file()):
                continue
            path = entry.path + "/" if is_folder else entry.path
            if any(_is_excluded(path, [spec]) for spec in always) or _is_excluded(path, specs):
                continue
            if is_folder:
                yield from self._walk(entry.path, specs)
            else:
                yield entry.path

    def _ignored_in(self, folder: str) -> tuple[str, GitIgnoreSpec] | None:
        try:
            text = Path(folder, ".gitignore").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
        return folder, self._spec(tuple(text.splitlines()))

    def _configured(self, folder: str) -> tuple[str, GitIgnoreSpec]:
        config = self._config_for(folder)
        return config.root or folder, self._spec(config.exclude)

    def _spec(self, patterns: tuple[str, ...]) -> GitIgnoreSpec:
        from pathspec import GitIgnoreSpec  # noqa: PLC0415  not needed for single files

        if patterns not in self._specs:
            self._specs[patterns] = GitIgnoreSpec.from_lines(patterns)
        return self._specs[patterns]


def _inside_repository(folder: Path) -> list[Path]:
    """The folders above `folder`, outermost first, up to the one that holds `.git`; none without one."""
    for depth, each in enumerate((folder, *folder.parents)):
        if (each / ".git").exists():
            return list(reversed(folder.parents[:depth]))
    return []


def _is_excluded(path: str, specs: list[tuple[str, GitIgnoreSpec]]) -> bool:
    """Whether the innermost pattern that speaks of `path` excludes it."""
    for folder, spec in reversed(specs):
        relative = os.path.relpath(path, folder).replace(os.sep, "/")
        said = spec.check_file(relative + "/" if path.endswith("/") else relative).include
        if said is not None:
            return said
    return False
