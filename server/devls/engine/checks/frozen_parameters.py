"""Parameters that are frozen while others are trained: of layers that go on with their statistics, and of parts chosen to train."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.checks import gradient_ledger
from devls.engine.checks.training_plans import Plans, held_by, optimizers_in_view
from devls.engine.core import program_moments, training_moments
from devls.engine.core.events.calls import FrozenInTrainMode
from devls.engine.torch import optimizer_construction
from devls.engine.torch.nn import registry
from devls.values.history import Site, Step
from devls.values.value import FALSE, TRUE, Const

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.values.value import FunctionValue, InstanceValue


@training_moments.layer_called.on
def layer_called(m: Machine, instance: InstanceValue, call: Invocation) -> None:
    """A BatchNorm in train mode whose parameters are frozen."""
    if "BatchNorm" not in instance.library or m.muted:
        return
    if m.resolve(m.state.get(instance, "training", TRUE)) == FALSE:
        m.notes.of(Plans).evaluated.add(instance)
        return
    if m.grad_enabled() is not True:
        return
    own = registry.parameters(m, instance)
    if (
        own
        and all(m.requires_grad(each) is False and each.symbol is None for each in own)
        and m.resolve(m.state.get(instance, "training", TRUE)) == TRUE
    ):
        m.notes.of(Plans).frozen.setdefault(instance, m.site(call.node))


def _frozen_for_good(m: Machine, record: Plans) -> None:
    """Tell of one layer that ran in train mode while others were trained, and was frozen all the time."""
    for layer, called in record.frozen.items():
        own = registry.parameters(m, layer)
        step = m.state.get(own[0], "grad_step", own[0].grad_step) if own else None
        marked = m.state.resolve(m.state.get(own[0], "#frozen at")) if own else None
        site = marked if isinstance(marked, Site) else step.site if isinstance(step, Step) else layer.origin
        if (
            layer.serial > m.run_began
            and layer in record.evaluated  # statistics that nobody uses do no harm
            and record.stepped
            and isinstance(site, Site)
            and all(m.requires_grad(each) is False for each in own)
            and all(m.state.get(each, slot) is None for each in own for slot in ("#optimized", "#escaped"))
            and m.state.get(layer, "#escaped") is None
        ):
            m.emit(FrozenInTrainMode(site, None, layer.library.rpartition(".")[2], called))
            return


def _frozen_parts(m: Machine, record: Plans) -> None:
    """Tell of parts that were chosen out of a model for an optimizer, and are frozen from then to the end."""
    ledger = m.notes.of(gradient_ledger.Ledger)
    for optimizer in optimizers_in_view(m, record):
        held = set(held_by(m, optimizer))
        for root in record.called if optimizer.serial > m.run_began else ():
            own = registry.parameters(m, root)
            chosen = [each for each in own if each in held]
            if (
                0 < len(chosen) < min(len(own), len(held))
                and all(each in ledger.frozen and m.requires_grad(each) is False for each in chosen)
                and all(m.state.get(each, "#escaped") is None for each in chosen)
                and any(each in ledger.reached for each in held)
            ):
                text = optimizer_construction.name_of(m, optimizer)
                gradient_ledger.tell_unreached(m, optimizer, text, chosen)
                break


@program_moments.program_ended.on
def program_ended(m: Machine, *, whole: bool) -> None:
    """A program has ended."""
    record = m.notes.of(Plans)
    if whole and not record.open:
        _frozen_parts(m, record)
        _frozen_for_good(m, record)


@program_moments.run_ended.on
def run_ended(m: Machine, function: FunctionValue, result: object) -> None:
    """A function that was run by itself has ended: what it has made itself is judged, unless it gives that away."""
    del function
    record = m.notes.of(Plans)
    if not record.open and m.resolve(result) == Const(None):
        _frozen_parts(m, record)
