"""Which file of a program is the one to run."""

from __future__ import annotations

import ast
from pathlib import Path


def with_main_last(files: dict[str, str]) -> dict[str, str]:
    """The files with the one that is run at the end: the guarded one, or the one that nobody imports."""
    imported = {word for text in files.values() for word in imports(text)}
    roots = [name for name in files if Path(name).stem not in {*imported, "__init__"}] or list(files)
    main = next((name for name in roots if "__main__" in files[name]), roots[-1])
    return {**{name: text for name, text in files.items() if name != main}, main: files[main]}


def imports(text: str) -> set[str]:
    """The words of all that is imported: of `from pack.part import name`, each of the three."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {word for each in node.names for word in each.name.split(".")}
        elif isinstance(node, ast.ImportFrom):
            found |= {*(node.module or "").split("."), *(each.name for each in node.names)}
    return found
