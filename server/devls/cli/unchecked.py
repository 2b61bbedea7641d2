"""Reports of files that cannot be checked: a check that saw nothing must not look like a clean one.

Editors say most of it by other means, so these are no rules of the analyzer. They can be ignored and given a level as others can.
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from devls.analysis import Diagnostic, Related, Severity
from devls.cli.formats import Page
from devls.config import COMMAND_LINE_RULES
from devls.syntax.suppressions import find_suppressions
from devls.text.decoding import unknown_encoding
from devls.text.edits import Range

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.config import Config
    from devls.syntax.source import Source

SYNTAX_ERROR, UNREADABLE_FILE, HIDDEN_TORCH = COMMAND_LINE_RULES

FAMILY: Final = "files"

_SYNTAX_PAGE: Final = """\
# syntax-error

A file cannot be parsed. devls leaves out the statements that are broken, and checks the rest of the file.

Python itself refuses the whole file, or a newer Python than the one that runs devls is needed to read it: devls knows the
syntax of the Python it runs on.

```python
x = (1, 2  # error
```

A file for Python 2 is information only, and so is an f-string that may be one of Python 3.12 where devls runs on an older one.

It is reported on the command line only; editors show errors of syntax by themselves. `--select` does not switch it off, since a
check of a file that cannot be parsed says little. `ignore = ["syntax-error"]` does, as does `# devls: ignore-file[syntax-error]`.
"""

_UNREADABLE_PAGE: Final = """\
# unreadable-file

A file that is to be checked cannot be read: permission is denied, it is binary or larger than 5 MB, it is no text in the encoding
that it declares, or a notebook is no valid one. Nothing of it was checked.

Of a file whose encoding Python knows only where a package adds it (`# -*- coding: future_fstrings -*-`) this is information: it is
checked as UTF-8.

It is reported on the command line only. `--select` does not switch it off; `ignore = ["unreadable-file"]` does, and `exclude`
keeps files from being read.
"""

_HIDDEN_PAGE: Final = """\
# hidden-torch

A module of the project has the name of the package torch, and is imported in its place. devls knows nothing of what such a
module does, so a check of the files that import it says little.

A script that lies beside a file `torch.py` gets that file from Python, too. Rename it. `torch.py` inside a package hides nothing.

```python
import torch  # error: torch.py lies beside this file
```

It is reported once for each such module, at its first import, and on the command line only. `--select` does not switch it off;
`ignore = ["hidden-torch"]` does.
"""

PAGES: Final = {
    SYNTAX_ERROR: Page(SYNTAX_ERROR, FAMILY, "error", "Part of a file that cannot be parsed", _SYNTAX_PAGE),
    UNREADABLE_FILE: Page(UNREADABLE_FILE, FAMILY, "error", "A file that cannot be read", _UNREADABLE_PAGE),
    HIDDEN_TORCH: Page(
        HIDDEN_TORCH, FAMILY, "error", "A module that is imported in place of torch", _HIDDEN_PAGE
    ),
}


_OF_PYTHON_2: Final = re.compile(
    r"Missing parentheses in call to '(?:print|exec)'|multiple exception types must be"
)


def _may_be_newer(message: str, line: str) -> bool:
    """Whether a problem is one of an f-string, which a newer Python may read: `f"{x["a"]}"`, or an expression of several lines."""
    unterminated = message.startswith("unterminated string literal") and _F_STRING.search(line)
    return message.startswith("f-string: ") or bool(unterminated)


_F_STRING: Final = re.compile(r"""(?<!\w)[rR]?[fF][rR]?["'][^"']{0,500}\{""")


def of_source(source: Source, config: Config) -> list[Diagnostic]:
    """The first problem of a file that does not parse; the others often follow from it."""
    level = _level(SYNTAX_ERROR, config)
    if not source.problems or level == "off":
        return []
    problem = source.problems[0]
    index = source.index
    line = min(problem.line, index.line_count) - 1
    text = index.line_text(line)
    start = index.line_start(line)
    where = Range(start + len(text) - len(text.lstrip()), start + len(text.rstrip()))
    if where.end < where.start:
        where = Range(start, start)
    items = find_suppressions(source).items
    if any(each.whole_file and each.covers(SYNTAX_ERROR) for each in items):
        return []
    rest = "the rest of the file is checked" if source.tree.body else "nothing of the file is checked"
    message = f"this cannot be parsed: {problem.message}; {rest}"
    if level == "error" and unknown_encoding(source.text) is not None:
        level = "info"  # what the package makes of it may be Python
    elif level == "error" and _OF_PYTHON_2.match(problem.message):
        level, message = "info", f"this is Python 2, which Python 3 cannot parse; {rest}"
    elif level == "error" and _may_be_newer(problem.message, text) and sys.version_info < (3, 12):
        # Python 3.12 takes quotes, backslashes and line breaks inside, where those before say no more than this.
        level, message = "info", f"this may need Python 3.12 to be parsed: {problem.message}; {rest}"
    return [Diagnostic(SYNTAX_ERROR, Severity(level), message, source.path, where)]


def of_encoding(source: Source, config: Config) -> list[Diagnostic]:
    """That a file is read as UTF-8 since what it declares is known to Python only where a package adds it."""
    level = _level(UNREADABLE_FILE, config)
    declared = unknown_encoding(source.text) if source.place_of(0)[0] is None else None
    if declared is None or level == "off":
        return []
    message = f"the file is read as UTF-8: Python knows its encoding only where a package adds it: {declared}"
    level = "info" if level == "error" else level
    return [Diagnostic(UNREADABLE_FILE, Severity(level), message, source.path, Range(0, 0))]


def of_hidden(source: Source, hiding: str | None, config: Config) -> list[Diagnostic]:
    """That a file imports a module of the project in place of torch, at its first import of it."""
    level = _level(HIDDEN_TORCH, config)
    if hiding is None or level == "off":
        return []
    first = next((node for node in ast.walk(source.tree) if _imports_torch(node)), None)
    if first is None or any(each.covers(HIDDEN_TORCH) for each in find_suppressions(source).items):
        return []
    message = (
        "this imports a module of the project in place of the package torch, of which nothing is known then"
    )
    where = Related(hiding, Range(0, 0), "this hides torch")
    return [Diagnostic(HIDDEN_TORCH, Severity(level), message, source.path, source.range(first), (where,))]


def _imports_torch(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return not node.level and (node.module or "").partition(".")[0] == "torch"
    return isinstance(node, ast.Import) and any(each.name.partition(".")[0] == "torch" for each in node.names)


def once(found: Iterable[Diagnostic], told: set[str]) -> list[Diagnostic]:
    """The findings without those about a module that was told of before; `told` is what was, and is filled in."""
    left = []
    for each in found:
        about = each.related[0].path if each.rule == HIDDEN_TORCH else ""
        if about not in told:
            left.append(each)
        if about:
            told.add(about)
    return left


def of_unreadable(path: str, reason: str, config: Config) -> list[Diagnostic]:
    """The finding about a file whose text cannot be had."""
    level = _level(UNREADABLE_FILE, config)
    if level == "off":
        return []
    return [
        Diagnostic(UNREADABLE_FILE, Severity(level), f"the file is not checked: {reason}", path, Range(0, 0))
    ]


def _level(rule: str, config: Config) -> str:
    """The level of a rule that stays selected whatever is."""
    return replace(config, select=()).level(rule, FAMILY, "error")
