"""`--add-ignore`: comments that silence the findings that there are."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.config import COMMAND_LINE_RULES
from devls.rules.rule import RULES
from devls.syntax.suppressions import disable_edit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from devls.analysis import Diagnostic
    from devls.cli.check import Check
    from devls.syntax.source import Source


def add_comments(check: Check) -> dict[str, tuple[Source, Source]]:
    """Silence the findings of a check that has run, and let it run anew: nothing is written to disk.

    Returns the files that changed, before and after, by path. Findings that no comment can silence stay: those about
    comments and about whole files.
    """
    changed = {}
    for path, findings in check.findings.items():
        chosen = [each for each in findings if _can_be_silenced(each)]
        if not chosen:
            continue
        source = check.workspace.source(path)
        after = _commented(source, chosen)
        # A comment is no code: whatever else it may be there, it is not written.
        if after.text != source.text and _dump(source) == _dump(after):
            changed[path] = (source, after)
    if changed:
        check.change({path: after for path, (_, after) in changed.items()})
    return changed


def _can_be_silenced(found: Diagnostic) -> bool:
    rule = RULES.get(found.rule)
    return found.rule not in COMMAND_LINE_RULES and (rule is None or rule.family != "comments")


def _commented(source: Source, findings: Sequence[Diagnostic]) -> Source:
    now = source
    # From the last one up, so that the places of those above stay.
    for each in sorted(findings, key=lambda each: each.range, reverse=True):
        line = source.index.position(each.range.start)[0]
        now = now.edited([disable_edit(now, line, each.rule)]) or now
    return now


def _dump(source: Source) -> str:
    return ast.dump(source.tree)
