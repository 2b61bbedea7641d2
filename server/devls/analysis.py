"""The one door: analyze a file of a workspace, get diagnostics and hovers."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.config import Config
    from devls.project.workspace import Workspace
    from devls.syntax.source import Source
    from devls.text.edits import Fix, Range


class Severity(enum.Enum):
    """How a diagnostic is shown; its value is the word in JSON output."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Related:
    """Another place that explains a diagnostic."""

    path: str
    range: Range
    message: str


@dataclass(frozen=True)
class Diagnostic:
    """One finding, as it is shown. `fixes[0]`, if any, is the preferred one."""

    rule: str
    severity: Severity
    message: str
    path: str
    range: Range
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    url: str = ""
    confidence: str = "certain"


@dataclass(frozen=True)
class Hover:
    """What is known of the expression at `range`, as Markdown."""

    range: Range
    markdown: str


@dataclass(frozen=True)
class Analysis:
    """What one run over one file found."""

    path: str
    source: Source
    diagnostics: tuple[Diagnostic, ...] = ()
    """Those that stand in this file, in order."""
    elsewhere: tuple[Diagnostic, ...] = ()
    """Those that running this file showed in other files of the project."""
    _hover: Callable[[int], Hover | None] | None = field(default=None, repr=False)

    def hover(self, offset: int) -> Hover | None:
        """What is known of the smallest expression around a character offset."""
        return self._hover(offset) if self._hover else None


class Analyzer:
    """Analyzes files of one workspace, keeping what several of them share."""

    def __init__(self, workspace: Workspace, config_for: Callable[[str], Config]) -> None:
        self._workspace = workspace
        self._config_for = config_for

    def analyze(self, path: str, *, cancelled: Callable[[], bool] | None = None) -> Analysis:
        """Analyze one file.

        Raises:
            UnreadableFileError: if its text cannot be had (see `Workspace.source`).
            AnalysisCancelled: if `cancelled` came to return True.
        """
        del cancelled
        return Analysis(path, self._workspace.source(path))

    def changed(self, path: str) -> None:
        """Forget what depends on the text of `path`."""


class AnalysisCancelled(Exception):  # noqa: N818  a request to stop, not an error
    """The caller lost interest while the analysis ran."""
