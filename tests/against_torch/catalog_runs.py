"""Every row of the catalog that can be run, run: torch's own samples, bound to the row's parameters."""

from __future__ import annotations

import functools
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from devls.library import catalog, records

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.library.effects import Operation

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from catalog.build import from_text
from catalog.observe import Observed, TooSlowError, is_inplace, minds, observe, walked_twice
from catalog.samples import Call, calls

__all__ = ["Call", "Observed", "Row", "minds", "rows", "walked_twice"]

SAMPLES = 6


@dataclass
class Row:
    """A row of the catalog, and what torch did when it was called."""

    operation: Operation
    draft: Any
    function: Callable[..., Any]
    runs: list[tuple[Call, Observed]]

    @property
    def name(self) -> str:
        return self.operation.name

    @property
    def inplace(self) -> bool:
        return is_inplace(self.name)

    def again(self, call: Call, only: str | None = None, *, hooks: bool = True) -> Observed | None:
        """One call anew; None when torch refuses it."""
        try:
            return observe(self.function, self.draft, call, only=only, inplace=self.inplace, hooks=hooks)
        except (Exception, TooSlowError):  # noqa: BLE001  whatever a sample runs into
            return None

    def plain(self) -> list[tuple[Call, Observed]]:
        """The runs whose result is of the row's kind: a tensor, or several."""
        several = self.operation.result.value in ("tensors", "views")
        return [(c, o) for c, o in self.runs if (o.result_type in ("Tensor", "Parameter")) != several]

    def in_graph(self) -> list[tuple[Call, Observed]]:
        return [(call, seen) for call, seen in self.plain() if seen.input_needs_grad and seen.outputs]


@functools.cache
def rows() -> dict[str, Row]:
    """The rows with at least one call that torch accepts, by name; overloads under their own names."""
    warnings.simplefilter("ignore")
    found = {}
    for name, (function, samples) in calls().items():
        for operation in catalog.overloads(name):
            record = records.operation(operation.name)
            if record is None:
                continue
            draft = from_text(operation.name, *record)
            row = Row(operation, draft, function, [])
            for call in samples:
                if len(row.runs) < SAMPLES and _meant(name, operation, call):
                    seen = row.again(call)
                    if seen is not None:
                        row.runs.append((call, seen))
            if row.runs:
                found[operation.name] = row
    return found


def _meant(name: str, operation: Operation, call: Call) -> bool:
    if len(catalog.overloads(name)) == 1:
        return True
    flags = [isinstance(each, torch.Tensor) for each in call.args]
    meant = catalog.resolve(name, flags, call.kwargs)
    if meant is not operation:
        return False
    return len(call.args) + len(call.kwargs) <= len(operation.parameters)
