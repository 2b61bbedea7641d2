"""The editor's settings, by workspace folder, and the configuration of each file that follows from them."""

from __future__ import annotations

import fnmatch
import functools
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from devls import rules
from devls.config import NEVER_CHECKED, Config
from devls.rules.rule import RULES
from devls.settings import COMMAND_LINE_RULES, REVEALED
from devls.text.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEYS = ("levels", "select", "ignore")
"""The settings that are about what is reported."""

_INSTALLED = ("site-packages", "dist-packages")
"""Settings of files outside of all folders of the workspace."""


@dataclass(frozen=True)
class Settings:
    """Settings of the client, as it sent them. Immutable: the analysis thread reads it too."""

    roots: tuple[str, ...] = ()
    general: Mapping[str, Any] = field(default_factory=dict)
    """For files in no folder, and for folders without settings of their own."""
    by_root: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of(self, path: str) -> Mapping[str, Any]:
        """The settings of the innermost folder around a file."""
        return self.by_root.get(self._root_of(path), self.general)

    def config_for(self, path: str) -> Config:
        """The configuration of a file: the editor's settings over its project's."""
        return load_config(path, self.of(path))

    def shows(self, path: str) -> bool:
        """Whether findings in an open file are worth showing.

        Not in what tools have installed, where whoever jumps to a definition ends up, nor in what the project
        excludes.
        """
        folder = self._root_of(path)
        config = self.config_for(path)
        return not (_is_installed(path, folder) or _is_excluded(path, config.root, config.exclude))

    def asks_torch(self, path: str) -> bool:
        """Whether torch may be asked about a file: unless the client says no, or does not trust the workspace."""
        probe = self.of(path).get("probe")
        enabled = probe.get("enable") if isinstance(probe, dict) else None
        return enabled is not False and self.general.get("trusted") is not False

    def tells_signatures(self, path: str) -> bool:
        """Whether jedi may be asked about a file: if the client says that nobody else tells signatures, and trusts the workspace."""
        return self.of(path).get("signatures") is True and self.general.get("trusted") is not False

    def _root_of(self, path: str) -> str:
        around = [root for root in self.roots if PurePath(path).is_relative_to(root)]
        return max(around, key=len, default="")


def _is_installed(path: str, folder: str) -> bool:
    parts = PurePath(path).parts[len(PurePath(folder).parts) if folder else 0 : -1]
    patterns = [each.rstrip("/") for each in (NEVER_CHECKED if folder else _INSTALLED)]
    return any(fnmatch.fnmatchcase(part, pattern) for part in parts for pattern in patterns)


def _is_excluded(path: str, root: str, patterns: tuple[str, ...]) -> bool:
    if not patterns or not PurePath(path).is_relative_to(root):
        return False
    return Patterns(patterns).excludes(PurePath(path).relative_to(root).as_posix())


def load_config(path: str, settings: Mapping[str, Any]) -> Config:
    """The configuration of a file in its project, with the editor's settings over it. Never raises.

    An editor says its defaults too, where nobody has set anything: what is empty says nothing.
    """
    said = {key: settings[key] for key in _KEYS if settings.get(key)}
    return Config.load(path, _known()).merged(said, origin="editor settings").of_file(path)


@functools.cache
def _known() -> frozenset[str]:
    """The names of rules: any other name in a file of settings is a mistake."""
    rules.load()
    return frozenset({*RULES, *COMMAND_LINE_RULES, REVEALED})
