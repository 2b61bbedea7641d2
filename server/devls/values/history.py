"""Creation of a value, and the last change of its state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from devls.values.facts import fact

if TYPE_CHECKING:
    import ast

    from devls.syntax.source import Source


@dataclass(eq=False, slots=True)
class Site:
    """A place in a file, and the calls that led there (outermost first)."""

    source: Source
    node: ast.AST
    calls: tuple[Site, ...] = ()

    @property
    def text(self) -> str:
        """The source text of the place."""
        return self.source.slice(self.node)

    @property
    def key(self) -> tuple[str, int, int]:
        """Path, line and column (from 0), to order places by."""
        return (self.source.path, getattr(self.node, "lineno", 0), getattr(self.node, "col_offset", 0))

    @property
    def line(self) -> str:
        """Its line, as it is called in a sentence."""
        return self.source.line_named(self.key[1])


@fact
class Step:
    """One thing that happened to a value: "created on the CPU", "moved to `device`"."""

    what: str
    site: Site
    before: Step | None = None
    chosen: Site | None = None
    """Place that decided the device it was moved to, if known."""
    kind: str = ""  # "created", "moved", "cut", "requires", "attribute", "parameter", ...
    takes_device: bool = False
    """Whether the call that created it could have been given a `device`, as the catalog says."""
    of: tuple[object, ...] = ()
    """Of a cut: what it was computed of and has no gradients to, tensors and further cuts."""

    def first(self) -> Step:
        """The oldest step."""
        step = self
        while step.before is not None:
            step = step.before
        return step

    def story(self) -> list[Step]:
        """All steps, oldest first."""
        steps: list[Step] = []
        step: Step | None = self
        while step is not None:
            steps.append(step)
            step = step.before
        return steps[::-1]
