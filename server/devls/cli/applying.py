"""Write what a check has changed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from devls.cli.report import plural
from devls.text.printable import escaped, escaped_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from devls.cli import fixing
    from devls.cli.check import Check
    from devls.cli.complaints import Complaints


def write(fixed: fixing.Fixed, check: Check, complaints: Complaints) -> int:
    """Write what was fixed; what cannot be written is said, and is checked as it is. Returns how many findings are fixed."""
    written = _write_all(fixed.texts, "fixed", check, complaints)
    return sum(fixed.counts.get(path, 0) for path in written)


def add_comments(check: Check, complaints: Complaints) -> None:
    """Write a comment beside each finding that silences it."""
    from devls.cli import ignoring  # noqa: PLC0415  few ask

    texts = ignoring.add_comments(check)
    written = _write_all(texts, "changed", check, complaints)
    complaints.say(f"comments were added in {plural(len(written), 'file')}.")


def _write_all(
    texts: Mapping[str, tuple[str, str]], done: str, check: Check, complaints: Complaints
) -> list[str]:
    """Write texts, given before and after, by path; returns the paths of those that could be written."""
    from devls.cli import writing  # noqa: PLC0415  most runs change nothing

    written, unwritten = [], []
    for path, (before, after) in texts.items():
        name = check.names[path]
        try:
            links = writing.rewrite(path, before, after)
        except writing.UnwrittenError as error:
            complaints.say(f"{name} is not {done}: {error}.")
            unwritten.append(path)
            continue
        written.append(path)
        if links:
            complaints.say(f"{name} is {done} under this name only: it has other hard links.")
    if unwritten:
        check.failed = True
        check.reopen(unwritten)
    return written


def print_differences(check: Check, fixed: fixing.Fixed) -> None:
    """Print what fixes change, as a patch."""
    for path, (before, after) in fixed.texts.items():
        said = _difference(escaped(check.names[path]), before, after)
        # Who applies it needs each character as it is; who looks at it does not.
        sys.stdout.write(escaped_lines(said) if sys.stdout.isatty() else said)


def _difference(name: str, before: str, after: str) -> str:
    import difflib  # noqa: PLC0415  needed by --diff only

    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name}", f"b/{name}"
    )
    return "".join(
        line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
