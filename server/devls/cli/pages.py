"""The rules and their pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import devls
from devls.config import FAMILIES

_FENCE = re.compile(r"^```py[^\n]*$", re.MULTILINE)
_MARK = re.compile(r'# error(?:\[[\w-]+\])?(?:: "[^"]*")?[ \t]*$', re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """A rule as a reader sees it."""

    name: str
    family: str
    level: str
    summary: str
    markdown: str


def rule_names() -> frozenset[str]:
    """The names of all rules."""
    return frozenset(_levels() or (page.name for page in pages()))


def pages() -> list[Page]:
    """The pages of all rules, by family and name."""
    levels = _levels()
    found = []
    for family in FAMILIES:
        for path in sorted(Path(devls.__file__).parent.joinpath("rules", family).glob("*.md")):
            name = path.stem.replace("_", "-")
            text = path.read_text(encoding="utf-8")
            found.append(Page(name, family, levels.get(name, ""), _summary(text), _for_readers(text)))
    return found


def _levels() -> dict[str, str]:
    """The default level of each rule; empty as long as there are pages only."""
    try:
        from devls.rules import load  # noqa: PLC0415  the rules and all they import
        from devls.rules.rule import RULES  # noqa: PLC0415
    except ImportError:
        return {}
    load()
    return {name: str(rule.level) for name, rule in RULES.items()}


def _summary(text: str) -> str:
    """The paragraph below the title."""
    paragraphs = [each.strip() for each in text.split("\n\n")]
    return " ".join(paragraphs[1].split()) if len(paragraphs) > 1 else ""


def _for_readers(text: str) -> str:
    """Without what the examples say to those who test them."""
    return _MARK.sub("# error", _FENCE.sub("```python", text))
