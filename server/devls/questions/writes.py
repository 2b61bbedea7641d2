"""Experiments for the rules about what is written in place, or past the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from devls.questions import operations
from devls.questions.building import raising, showing
from devls.questions.operations import LEAF
from devls.questions.tensors import made, name_for, sizes

if TYPE_CHECKING:
    from devls.engine.core.events.events import (
        LeafWritten,
        ParameterRebound,
        SavedOverwritten,
    )
    from devls.engine.core.events.protocols import (
        DataWritten,
        ForbiddenViewWritten,
        InferenceTensorUsed,
    )
    from devls.engine.core.machine import Machine
    from devls.probe.experiment import Experiment
    from devls.questions.building import Builder


def data_attribute(event: DataWritten, _machine: Machine) -> Experiment:
    """The gradient, when what backward needs, or a result, was changed behind its back."""
    if event.of_result:
        return showing(
            f"{LEAF}\ny = w * 5\ny.data.clamp_(max=2)\ny.sum().backward()",
            "bool((w.grad == 0).all())",
            False,
            control=f"{LEAF}\ny = w * 5\ny = y.clamp(max=2)\ny.sum().backward()",
        )
    made_so = f"{LEAF}\ny = w.exp()\n"
    right = "torch.equal(w.grad, torch.exp(w.detach()))"
    return showing(
        f"{made_so}y.data.mul_(2)\ny.sum().backward()",
        right,
        False,
        control=f"{made_so}y.detach().clone().mul_(2)\ny.sum().backward()",
    )


def inference_tensor(event: InferenceTensorUsed, _machine: Machine) -> Experiment:
    """A tensor made in inference mode, used outside of it."""
    x = "x" if event.problem == "given" else name_for(event.text, "x", ("w",))
    made_so = f"{LEAF}\nwith torch.inference_mode():\n    {x} = torch.ones((2, 2))\n"
    copied = f"{made_so}{x} = {x}.clone()\n"
    use = {
        "saved": f"w * {x}",
        "given": f"torch.nn.Linear(2, 2)({x})",
        "written": f"{x}.add_(1)",
        "requires grad": f"{x}.requires_grad_()",
    }[event.problem]
    return raising(made_so + use, "RuntimeError", "nference", control=copied + use)


def inplace_breaks_backward(event: SavedOverwritten, machine: Machine) -> Experiment:
    """Use of the tensor that the operation saved, written before backward."""
    if event.by_step:
        made_so = (
            "first, second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)\n"
            "optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)\n"
            "loss = second(first(torch.ones(1, 2))).sum()\n"
        )
        code, control = (
            f"{made_so}loss.backward(retain_graph=True)\noptimizer.step()\nloss.backward()",
            f"{made_so}loss.backward(retain_graph=True)\nloss.backward()\noptimizer.step()",
        )
    else:
        leaf, value = operations.uses(machine, event.node.operation, "torch.exp(w)")
        result = event.saved.what.startswith("result") or value == "torch.exp(w)"
        made_so = f"{leaf}\nx = w * 1\n" if not result else f"{leaf}\n"
        value = (
            value
            if result
            else value.replace("(w", "(x").replace("w *", "x *").replace("* w", "* x").replace(", w", ", x")
        )
        written = "y" if result else "x"
        code = f"{made_so}y = {value}\n{written}.add_(1)\ny.sum().backward()"
        control = f"{made_so}y = {value}\n{written} = {written} + 1\ny.sum().backward()"
    return raising(code, "RuntimeError", "modified by an inplace operation", control=control)


def inplace_on_leaf(event: LeafWritten, _machine: Machine) -> Experiment:
    """The write, to a leaf or a view of one."""
    w = name_for(event.text, "w", ("leaf",))
    made_so = f"{w} = {made(sizes(event.tensor.shape), requires_grad=True)}\n"
    how = "add_(1)" if not event.how.startswith("__i") else ""
    write = f"{w}.{how}" if how else f"{w} += 1"
    if event.is_view:
        made_so, write = f"leaf = {made(sizes(event.tensor.shape), requires_grad=True)}\n", "leaf[:1].add_(1)"
    elif event.how == "item assignment":
        write = f"{w}[0] = 1"
    return raising(
        made_so + write,
        "RuntimeError",
        "a leaf Variable that requires grad|a view of a leaf Variable that requires grad",
        control=f"{made_so}with torch.no_grad():\n    {write}",
    )


def inplace_on_view(event: ForbiddenViewWritten, _machine: Machine) -> Experiment:
    """The write, to a view of this kind."""
    x = name_for(event.text, "x", ("w", "rest"))
    if event.why == "expanded":
        made_so = f"{x} = torch.ones((2, 1)).expand(2, 2)"
        return raising(
            f"{made_so}\n{x}.add_(1)",
            "RuntimeError",
            "more than one element of the written-to tensor refers to a single memory location",
            control=f"{made_so}.clone()\n{x}.add_(1)",
        )
    if event.why == "several":
        made_so = f"{LEAF}\n{x}, rest = (w * 2).unbind()\n"
        text = "is a view and is being modified inplace"
    else:
        made_so = f"{LEAF}\nwith torch.no_grad():\n    {x} = w.view(4)\n"
        text = "is being modified inplace"
    return raising(f"{made_so}{x} += 1", "RuntimeError", text, control=f"{made_so}{x} = {x} + 1")


def parameter_rebound(event: ParameterRebound, _machine: Machine) -> Experiment:
    """Value of the name after the update."""
    w = name_for(event.name, "w")
    made_so = f"{w} = torch.ones(2, requires_grad=True)\n({w} * 2).sum().backward()\n"
    if event.under_no_grad:
        code = f"{made_so}with torch.no_grad():\n    {w} = {w} - 0.1 * {w}.grad"
        shown, value = f"{w}.requires_grad", False
    else:
        code = f"{made_so}{w} = {w} - 0.1 * {w}.grad"
        shown, value = f"{w}.is_leaf", False
    return showing(code, shown, value, control=f"{made_so}with torch.no_grad():\n    {w} -= 0.1 * {w}.grad")


BUILDERS: dict[str, Builder[Any]] = {
    "data-attribute": data_attribute,
    "inference-tensor-in-autograd": inference_tensor,
    "inplace-breaks-backward": inplace_breaks_backward,
    "inplace-on-leaf": inplace_on_leaf,
    "inplace-on-view": inplace_on_view,
    "parameter-rebound": parameter_rebound,
}
