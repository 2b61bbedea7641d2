"""What speaks against writes to leaves that torch refuses while gradients are recorded."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from devls.engine.core.events.events import LeafWritten
from devls.engine.evidence import grad_mode
from devls.engine.evidence.presumptions import against
from devls.syntax.nodes import walk

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


@against(
    LeafWritten,
    "inside-a-library",
    "a function deep inside a library runs by itself that nobody in its file calls",
    seen="tests/projects/callers:6",
)
def inside_a_library(event: LeafWritten, m: Machine) -> bool:
    """Whether gradients are on there is for those to say who call it from other files."""
    del event
    root = next((each for each in m.frames if each.function is not None), None)
    if root is None or root.function is None or not root.symbolic or root.function.cls is not None:
        return False
    folder = Path(root.source.path).parent
    if not all(m.modules.workspace.exists(str(each / "__init__.py")) for each in (folder, folder.parent)):
        return False
    inside = {id(each) for each in walk(root.function.node)}
    return not any(
        isinstance(each, (ast.Name, ast.Attribute))
        and (each.id if isinstance(each, ast.Name) else each.attr) == root.function.name
        for each in walk(root.source.tree)
        if id(each) not in inside
    )


@against(
    LeafWritten,
    "callers-disable-grad",
    "who calls the function wants numbers, and may have switched gradients off",
    seen="tests/specs/numpy.md:155",
)
def callers_disable_grad(event: LeafWritten, m: Machine) -> bool:
    """Going by its name, in a package."""
    del event
    return grad_mode.may_be_without_grad(m, in_packages=True)
