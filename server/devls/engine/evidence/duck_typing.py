"""Attributes that code asks of a value by name: one that no tensor has shows that the value is none."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source

_SCOPES = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def more_than_of_tensors(m: Machine, source: Source, node: ast.AST, names: set[str]) -> bool:
    """Whether the class around some code, or else its function, reads something of one of these names that no tensor has: `graph.edge_index`."""
    scopes = [each for each in ancestors(source, node) if isinstance(each, _SCOPES)]
    return any(
        isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Load)
        and isinstance(each.value, ast.Name)
        and each.value.id in names
        and m.library.exists(f"torch.Tensor.{each.attr}") is False
        for each in (walk(scopes[-1]) if scopes else ())
    )
