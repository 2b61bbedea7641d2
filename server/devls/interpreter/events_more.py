"""What the interpreter says happened, continued: protocols of torch that were not kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from devls.interpreter.events import Event

if TYPE_CHECKING:
    import ast

    from devls.values.history import Site


@dataclass(frozen=True, eq=False)
class NoSuchName(Event):
    """A module of torch was asked for a name that it does not have."""

    space: str  # "torch.cuda"
    name: str
    suggestion: str  # the nearest name there is, or ""
    node: ast.Attribute | ast.alias


@dataclass(frozen=True, eq=False)
class LoadedUnmapped(Event):
    """What `torch.load` put wherever it was saved from reaches a module or an optimizer."""

    call: ast.Call
    target: str  # an expression for the device, valid at the call
    used: Site  # where it was loaded into something


@dataclass(frozen=True, eq=False)
class TrainedInEvalMode(Event):
    """An iteration trains a module that an earlier one has put into eval mode."""

    model: str
    step: Site
    loop: ast.stmt | None  # where `train()` belongs at the start, if that is in the same function


@dataclass(frozen=True, eq=False)
class SchedulerFirst(Event):
    """A scheduler steps before its optimizer ever has."""

    scheduler: str
    optimizer: str
    step: Site
    step_statement: ast.stmt | None


@dataclass(frozen=True, eq=False)
class ScalerMisused(Event):
    """A GradScaler is used half-way."""

    problem: str  # "no update", "unscaled backward", "clipped scaled"
    scaler: str
    optimizer: str
    related: Site | None = None  # the step
    receiver: ast.expr | None = None  # what backward is called on
