"""Rules, and the findings that they yield."""

from __future__ import annotations

import enum
import itertools
import re
from typing import TYPE_CHECKING, Any, Final

from devls.values.facts import fact

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterable

    from devls.engine.core.events.events import Event
    from devls.text.edits import Edit, Fix
    from devls.values.history import Site

URL: Final = "https://github.com/devls/devls/blob/main/server/devls/rules/{family}/{module}.md"


class Confidence(enum.Enum):
    """How sure a finding is; its value is shown."""

    CERTAIN = "certain"  # on every path
    LIKELY = "likely"  # trusts that a name means what it says, or that an accelerator will be used
    POSSIBLE = "possible"  # on some path; off unless asked for


@fact
class Note:
    """A place that explains a finding."""

    site: Site
    message: str


@fact
class Finding:
    """Statement of a rule: at `site`, or at the event's own place."""

    message: str
    site: Site
    confidence: Confidence = Confidence.CERTAIN
    fixes: tuple[Fix, ...] = ()
    notes: tuple[Note, ...] = ()
    level: str = ""  # another default level than the rule's own
    until: ast.AST | None = None  # the finding reaches to the end of this node
    unit: str = ""  # of what there is one finding in a file, at the first place of it: a function, a cause


Check = "Callable[[Any], Iterable[Finding]]"


@fact
class Rule:
    """One pitfall: a function on one kind of event, with its page beside it."""

    name: str
    family: str
    on: type[Event]
    check: Callable[[Any], Iterable[Finding]]
    level: str

    @property
    def module(self) -> str:
        """The name of the rule's Python module and of its page, without suffix."""
        return self.name.replace("-", "_")

    @property
    def page(self) -> str:
        """The rule's page, in Markdown."""
        from importlib import resources  # noqa: PLC0415  it brings half of the library along, and few ask

        package = f"devls.rules.{self.family}"
        return resources.files(package).joinpath(f"{self.module}.md").read_text(encoding="utf-8")

    @property
    def summary(self) -> str:
        """The page's one sentence."""
        for paragraph in self.page.split("\n\n")[1:]:
            return " ".join(paragraph.split())
        return ""

    @property
    def url(self) -> str:
        """Address of the rule's page."""
        return URL.format(family=self.family, module=self.module)


RULES: Final[dict[str, Rule]] = {}


def rule(
    name: str, *, on: type[Event], level: str = "warning"
) -> Callable[[Callable[[Any], Iterable[Finding]]], Callable[[Any], Iterable[Finding]]]:
    """Register a function as the rule `name`, run on every event of type `on`."""

    def register(check: Callable[[Any], Iterable[Finding]]) -> Callable[[Any], Iterable[Finding]]:
        family = check.__module__.split(".")[-2]
        RULES[name] = Rule(name, family, on, check, level)
        return check

    return register


def edits(*found: Edit | None) -> tuple[Edit, ...]:
    """Those edits that could be made, if all could."""
    made = tuple(each for each in found if each is not None)
    return made if len(made) == len(found) else ()


def fixes(*found: Fix) -> tuple[Fix, ...]:
    """Those fixes that have edits, which can be made together."""
    return tuple(
        each
        for each in found
        if each.edits
        and not _overlap(each.edits)
        and not any(_EXCERPT.search(edit.text) for edit in each.edits)
    )


_EXCERPT: Final = re.compile(r"[({]\.\.\.[)}]|(?<![\w\])])\[\.\.\.\]")
"""Code with something left out, as messages show it: it may not be written into a file. `x[...]` is an index."""


def _overlap(found: tuple[Edit, ...]) -> bool:
    """Whether two edits change the same text, as where one wants what another takes away."""
    places = sorted(each.range for each in set(found))
    return any(one.end > other.start for one, other in itertools.pairwise(places))
