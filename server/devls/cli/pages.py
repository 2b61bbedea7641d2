"""The rules and their pages, for readers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from devls import rules, settings
from devls.cli import unchecked
from devls.cli.formats import Page
from devls.config import FAMILIES
from devls.rules.rule import RULES

if TYPE_CHECKING:
    from devls.rules.rule import Rule

_FENCE = re.compile(r"^```py[^\n]*$", re.MULTILINE)
_MARK = re.compile(r'# error(?:\[[\w-]+\])?(?:: "[^"]*")?[ \t]*$', re.MULTILINE)


def rule_names() -> frozenset[str]:
    """Names that can be selected, ignored and given a level, besides families."""
    rules.load()
    return frozenset({*RULES, *unchecked.PAGES, settings.REVEALED})


def page(name: str) -> Page | None:
    """The page of one rule; None if there is no such rule."""
    rules.load()
    return _page(RULES[name]) if name in RULES else unchecked.PAGES.get(name)


def pages() -> list[Page]:
    """The pages of all rules that the analyzer has, by family and name."""
    rules.load()
    return [
        _page(rule)
        for rule in sorted(RULES.values(), key=lambda each: (FAMILIES.index(each.family), each.name))
    ]


def _page(rule: Rule) -> Page:
    # Without what the examples say to those who test them.
    text = _MARK.sub("# error", _FENCE.sub("```python", rule.page))
    return Page(rule.name, rule.family, rule.level, rule.summary, text)
