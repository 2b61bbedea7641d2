"""The editor's settings, by workspace folder, and the configuration of each file that follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from devls.config import Config

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEYS = ("levels", "select", "ignore")
"""The settings that are about what is reported."""


@dataclass(frozen=True)
class Settings:
    """What the client said, as it said it. Immutable: the analysis thread reads it too."""

    roots: tuple[str, ...] = ()
    general: Mapping[str, Any] = field(default_factory=dict)
    """For files in no folder, and for folders without settings of their own."""
    by_root: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of(self, path: str) -> Mapping[str, Any]:
        """The settings of the innermost folder around a file."""
        around = [root for root in self.roots if PurePath(path).is_relative_to(root)]
        return self.by_root.get(max(around, key=len, default=""), self.general)

    def config_for(self, path: str) -> Config:
        """The configuration of a file: the editor's settings over its project's."""
        return load_config(path, self.of(path))


def load_config(path: str, settings: Mapping[str, Any]) -> Config:
    """The configuration of a file in its project, with the editor's settings over it. Never raises.

    An editor says its defaults too, where nobody has set anything: what is empty says nothing.
    """
    said = {key: settings[key] for key in _KEYS if settings.get(key)}
    return Config.load(path).merged(said, origin="editor settings")
