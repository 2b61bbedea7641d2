"""Experiments for the rules about losses: what they are given, and what becomes of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from devls.questions.building import NoQuestionError, raising, showing

if TYPE_CHECKING:
    from devls.engine.core.events.calls import (
        ActivationDoubled,
    )
    from devls.engine.core.events.events import LossClassCalled
    from devls.engine.core.events.protocols import (
        GradientsMixed,
        LossBroadcast,
        LossNotScaled,
    )
    from devls.engine.core.machine import Machine
    from devls.probe.experiment import Experiment
    from devls.questions.building import Builder


def loss_class_called(event: LossClassCalled, machine: Machine) -> Experiment:
    """The constructor, given two tensors."""
    if machine.library.layer(f"torch.nn.{event.name}") is None:
        raise NoQuestionError("it is not one of torch's own losses")
    if event.is_layer:
        made_so = "x = torch.rand(2, 3, requires_grad=True)\n"
        return raising(
            f"{made_so}torch.nn.{event.name}(x).sum()",
            "RuntimeError|AttributeError|TypeError|ValueError",
            "",
            control=f"{made_so}torch.nn.{event.name}()(x).sum()",
        )
    made_so = "prediction, target = torch.rand(2, 3), torch.rand(2, 3)\n"
    if event.name in ("NLLLoss", "CrossEntropyLoss", "MultiMarginLoss"):
        made_so = "prediction, target = torch.rand(2, 3), torch.tensor([0, 1])\n"
    code = f"{made_so}loss = torch.nn.{event.name}(prediction, target)\n"
    return raising(
        f"{code}loss.backward()",
        "RuntimeError|AttributeError|TypeError|ValueError",
        "",
        control=f"{made_so}loss = torch.nn.{event.name}()(prediction.requires_grad_(), target)\nloss.backward()",
    )


_SCALES: Final = {
    "softmax twice": ("cross_entropy({}, label)", "torch.softmax(scores, dim=1)", "scores", "loss.item() > 0.1"),
    "no logarithm": (
        "nll_loss({}, label)", "torch.softmax(scores, dim=1)", "torch.log_softmax(scores, dim=1)", "loss.item() < 0",
    ),
    "raw scores": ("nll_loss({}, label)", "scores", "torch.log_softmax(scores, dim=1)", "loss.item() < 0"),
    "divergence of probabilities": (
        "kl_div({}, same, reduction='sum')",
        "torch.softmax(scores, dim=1)",
        "torch.log_softmax(scores, dim=1)",
        "loss.item() < -0.1",
    ),
    "divergence of scores": (
        "kl_div({}, same, reduction='sum')", "scores", "torch.log_softmax(scores, dim=1)", "loss.item() < -0.1",
    ),
    "sigmoid twice": (
        "binary_cross_entropy_with_logits({}, same.round())", "torch.sigmoid(scores)", "scores", "loss.item() > 0.1",
    ),
    "sigmoid of softmax": (
        "binary_cross_entropy_with_logits({}, same.round())", "torch.softmax(scores, dim=1)", "scores", "loss.item() > 0.1",
    ),
}  # fmt: skip
"""By what is wrong with what a loss is given: the loss, what it is given, what it wants, and how the difference shows."""


def activation_before_loss(event: ActivationDoubled, _machine: Machine) -> Experiment:
    """The loss of a prediction that could not be surer, of what was given and of what is wanted."""
    made_so = "scores = torch.tensor([[100.0, -100.0]])\nlabel = torch.tensor([0])\nsame = torch.softmax(scores, dim=1)\n"
    if event.problem == "no sigmoid":
        loss = "torch.nn.functional.binary_cross_entropy({}, same)"
        return raising(
            made_so + loss.format("scores"),
            "RuntimeError",
            "all elements of input should be between 0 and 1",
            control=made_so + loss.format("torch.sigmoid(scores)"),
        )
    call, given, wanted, shown = _SCALES[event.problem]
    loss = f"loss = torch.nn.functional.{call}"
    return showing(made_so + loss.format(given), shown, True, control=made_so + loss.format(wanted))


def accumulated_not_averaged(_event: LossNotScaled, _machine: Machine) -> Experiment:
    """The gradient of four parts of a batch, beside that of the whole."""
    made_so = (
        "model = torch.nn.Linear(2, 1, bias=False)\nbatch = torch.rand(8, 2)\n"
        "(whole,) = torch.autograd.grad(model(batch).mean(), model.weight)\n"
        "for part in batch.chunk(4):\n    "
    )
    return showing(
        f"{made_so}model(part).mean().backward()",
        "torch.allclose(model.weight.grad, 4 * whole)",
        True,
        control=f"{made_so}(model(part).mean() / 4).backward()",
    )


def gradients_of_another_loss(_event: GradientsMixed, _machine: Machine) -> Experiment:
    """Two losses of two layers, each for the step of one: whether the first is in the gradients of the second's step."""
    made_so = (
        "one, two = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)\nx = torch.ones(1, 1)\n"
        "loss = lambda: two(one(x)).sum()\nloss().backward()\ntwo.zero_grad()\n"
    )
    shown = "torch.equal(one.weight.grad, torch.autograd.grad(loss(), one.weight)[0])"
    return showing(
        made_so + "loss().backward()", shown, False, control=made_so + "one.zero_grad()\nloss().backward()"
    )


def loss_broadcast(_event: LossBroadcast, _machine: Machine) -> Experiment:
    """How many differences there are of three predictions and three targets."""
    made_so = "out, y = torch.ones(3, 1), torch.ones(3)\n"
    return showing(
        made_so + "n = (out - y).numel()", "n", 9, control=made_so + "n = (out.squeeze(1) - y).numel()"
    )


BUILDERS: dict[str, Builder[Any]] = {
    "loss-broadcast": loss_broadcast,
    "gradients-of-another-loss": gradients_of_another_loss,
    "accumulated-not-averaged": accumulated_not_averaged,
    "activation-before-loss": activation_before_loss,
    "loss-class-called": loss_class_called,
}
