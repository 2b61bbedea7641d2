"""Sentences and fixes that several device rules share."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.rules.rule import Confidence, Note, edits, fixes
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix
from devls.values.devices import CPU, NamedDevice, Verdict, describe
from devls.values.history import Step

if TYPE_CHECKING:
    from devls.interpreter.events import DevicesMixed, Operand


def place(operand: Operand, device: object) -> str:
    """Where an operand is, in words."""
    del operand
    if device == CPU:
        return "on the CPU"
    if isinstance(device, NamedDevice):
        return f"on `{device}`"
    return f"on {describe(device)}"


def consequence(event: DevicesMixed) -> str:
    """What torch does about it."""
    if event.comparison.verdict is Verdict.WHEN_ACCELERATED:
        return "torch raises whenever an accelerator is used"
    return "torch raises"


def confidence(event: DevicesMixed) -> Confidence:
    """Certain only where both devices are known on every path."""
    if event.possible:
        return Confidence.POSSIBLE
    certain = event.comparison.verdict is Verdict.DIFFERENT and event.comparison.always
    return Confidence.CERTAIN if certain else Confidence.LIKELY


def notes(*operands: Operand) -> tuple[Note, ...]:
    """Where each side was made, and where it moved."""
    found: list[Note] = []
    for operand in operands:
        if not isinstance(operand.step, Step):
            continue
        for step in operand.step.story()[-2:]:
            found.append(Note(step.site, f"`{operand.text}`: {step.what}"))
            if step.chosen is not None and step.chosen.source is not step.site.source:
                found.append(Note(step.chosen, "the device is chosen here"))
        if operand.passed_over is not None:
            found.append(Note(operand.passed_over, "the others are moved here, and this one is not"))
    unique: dict[tuple[object, str], Note] = {}
    for note in found:
        unique.setdefault((note.site.key, note.message), note)
    return tuple(unique.values())


def move_stray(event: DevicesMixed) -> tuple[Fix, ...]:
    """Move the stray operand where it is used."""
    node, source = event.stray.node, event.site.source
    if not isinstance(node, ast.expr) or not event.target or isinstance(node, (ast.List, ast.Tuple)):
        return ()
    if isinstance(getattr(node, "ctx", None), ast.Store):
        return ()
    edit = rewrite.append(source, node, f".to({event.target})")
    title = f"Move `{event.stray.text}` to `{event.target}`"
    return fixes(Fix(title, edits(edit), Applicability.SAFE))


def create_there(event: DevicesMixed) -> tuple[Fix, ...]:
    """Give the factory that made the stray operand a device."""
    if event.creation is None or not event.creation_target:
        return ()
    edit = rewrite.add_argument(event.site.source, event.creation, f"device={event.creation_target}")
    title = f"Create it with `device={event.creation_target}`"
    return fixes(Fix(title, edits(edit), Applicability.SAFE))
