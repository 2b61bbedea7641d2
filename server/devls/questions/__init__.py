"""Questions that torch can answer, made of what the analysis believes.

A finding becomes the smallest program that shows what it claims, filled with the finding's own values: devices, shapes,
dtypes, whether gradients are required, the operation. An expression becomes the operation on operands in the state that
the analysis says they are in. The parts of a program are data: numbers, names of torch that the catalog knows, and
variables' names that are checked to be nothing else. Never the user's code.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from devls.engine.core.events.events import DevicesMixed
from devls.probe.experiment import Experiment
from devls.questions import autograd, device, expressions, graphs, losses, places, training, writes
from devls.questions.building import NOT_WRITTEN, NoQuestionError
from devls.questions.mixed import mixed
from devls.questions.unwritten import is_written

if TYPE_CHECKING:
    import ast
    from typing import Any

    from devls.engine.core.events.events import Event
    from devls.engine.core.machine import Machine
    from devls.questions.building import Builder

_logger = logging.getLogger(__name__)

BUILDERS: dict[str, Builder[Any]] = {
    **autograd.BUILDERS,
    **writes.BUILDERS,
    **graphs.BUILDERS,
    **device.BUILDERS,
    **places.BUILDERS,
    **training.BUILDERS,
    **losses.BUILDERS,
}
"""By rule; rules about mixed devices need none of their own."""

NOT_CONFIRMABLE = {
    "async-host-read": "when a copy arrives is not pretended",
    "cuda-in-worker": "a card that does not survive a fork is not pretended",
    "mps-dtype": "what Metal lacks is not pretended",
    "sync-in-loop": "how long something waits is not pretended",
    "same-order-each-epoch": "several processes are not pretended",
    "data-parallel-device": "replicating a module on several accelerators is not pretended",
    "unknown-rule": "it is about a comment",
    "unused-ignore": "it is about a comment",
}
"""Rules that torch cannot be asked about, with the reason."""


def about(rule: str, event: Event, machine: Machine) -> Experiment:
    """The experiment that shows what a rule says of an event; the machine is in the state of that moment."""
    build: Builder[Any] | None = mixed if isinstance(event, DevicesMixed) else BUILDERS.get(rule)
    if build is None or not is_written(event):
        return Experiment(why_not=NOT_CONFIRMABLE.get(rule, NOT_WRITTEN))
    try:
        return build(event, machine)
    except NoQuestionError as error:
        return Experiment(why_not=str(error))
    except Exception:
        # It is made in the middle of the analysis, whose findings must not be lost for it.
        _logger.exception("no question for %s", rule)
        return Experiment(why_not="devls failed to make a question of this")


def of_expression(node: ast.expr, machine: Machine) -> Experiment:
    """The experiment that does what an expression does; the machine is in the state of that moment."""
    return expressions.of_expression(node, machine)
