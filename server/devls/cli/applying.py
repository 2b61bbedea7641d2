"""Write what a check has changed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from devls.cli.report import plural
from devls.syntax.notebook import NotebookError, NotebookSource
from devls.syntax.notebook_file import with_codes
from devls.text.decoding import UndecodableError, decode
from devls.text.printable import escaped, escaped_lines
from devls.text.reading import UnreadableFileError, read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from devls.cli import fixing
    from devls.cli.check import Check
    from devls.cli.complaints import Complaints
    from devls.syntax.source import Source


def write(fixed: fixing.Fixed, check: Check, complaints: Complaints) -> int:
    """Write what was fixed; what cannot be written is said, and is checked as it is. Returns how many findings are fixed."""
    written = _write_all(fixed.sources, "fixed", check, complaints)
    return sum(fixed.counts.get(path, 0) for path in written)


def add_comments(check: Check, complaints: Complaints) -> None:
    """Write a comment beside each finding that silences it."""
    from devls.cli import ignoring  # noqa: PLC0415  few ask

    changed = ignoring.add_comments(check)
    written = _write_all(changed, "changed", check, complaints)
    complaints.say(f"comments were added in {plural(len(written), 'file')}.")


def _write_all(
    changed: Mapping[str, tuple[Source, Source]], done: str, check: Check, complaints: Complaints
) -> list[str]:
    """Write files, given before and after, by path; returns the paths of those that could be written."""
    from devls.cli import writing  # noqa: PLC0415  most runs change nothing

    written, unwritten = [], []
    for path, (before, after) in changed.items():
        name = check.names[path]
        try:
            links = writing.rewrite(path, *_texts(check, before, after))
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


def fixed_input(check: Check, fixed: fixing.Fixed) -> str:
    """Text of standard input, with its fixes."""
    (path,) = check.names
    return _texts(check, *fixed.sources[path])[1] if path in fixed.sources else str(check.given)


def _texts(check: Check, before: Source, after: Source) -> tuple[str, str]:
    """Contents of a file, before and after.

    Raises:
        UnwrittenError: if a notebook is not what was checked.
    """
    from devls.cli.writing import CHANGED, UnwrittenError  # noqa: PLC0415  most runs change nothing

    if not isinstance(before, NotebookSource) or not isinstance(after, NotebookSource):
        return before.text, after.text
    try:
        text = decode(read(before.path))[0] if check.given is None else check.given
        there = NotebookSource.read(before.path, text)
        if there.cells != before.cells:
            raise UnwrittenError(CHANGED)
        codes = {
            new.number: new.code
            for old, new in zip(before.cells, after.cells, strict=True)
            if old.code != new.code
        }
        return text, with_codes(text, codes)
    except (UndecodableError, UnreadableFileError, NotebookError):
        raise UnwrittenError(CHANGED) from None


def print_differences(check: Check, fixed: fixing.Fixed, complaints: Complaints) -> None:
    """Print what fixes change, as a patch; of a notebook that changed meanwhile it is said that there is none."""
    from devls.cli.writing import UnwrittenError  # noqa: PLC0415  as above

    seen = sys.stdout.isatty()
    for path, sources in fixed.sources.items():
        try:
            before, after = _texts(check, *sources)
            if not seen and check.given is None:
                before, after = _written(path, before, after)
        except UnwrittenError as error:
            complaints.say(f"{check.names[path]} is not fixed: {error}.")
            check.failed = True
            continue
        said = _difference(escaped(check.names[path]), before, after)
        if seen:
            sys.stdout.write(escaped_lines(said))
        else:  # applying it needs each byte as it is; looking at it does not
            sys.stdout.flush()
            sys.stdout.buffer.write(said.encode("utf-8", _OTHER_BYTES))


_OTHER_BYTES: Final = "surrogateescape"
"""How a patch, which is bytes, holds those of a file in another encoding than UTF-8."""


def _written(path: str, before: str, after: str) -> tuple[str, str]:
    """The bytes of a file with these two texts, as `_OTHER_BYTES` has them.

    Raises:
        UnwrittenError: if it has another text now, or its encoding lacks a character of `after`.
    """
    from devls.cli.writing import CHANGED, UnwrittenError  # noqa: PLC0415  as above
    from devls.text.recoding import UnencodableError, recode  # noqa: PLC0415  as above

    try:
        data = read(path)
        if decode(data)[0] != before:
            raise UnwrittenError(CHANGED)
        fixed = recode(data, after)
    except (UndecodableError, UnreadableFileError):
        raise UnwrittenError(CHANGED) from None
    except UnencodableError as error:
        raise UnwrittenError(str(error)) from None
    return data.decode("utf-8", _OTHER_BYTES), fixed.decode("utf-8", _OTHER_BYTES)


def _difference(name: str, before: str, after: str) -> str:
    import difflib  # noqa: PLC0415  needed by --diff only

    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{name}", f"b/{name}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _lines(text: str) -> list[str]:
    """The lines of a text as a patch has them: nothing but a line feed ends one."""
    lines = text.split("\n")
    return [*(f"{each}\n" for each in lines[:-1]), *filter(None, lines[-1:])]
