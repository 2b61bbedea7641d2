"""Moments of training: what happens to modules, optimizers, loaders and devices as a whole.

Announced by `torch/`. See `core/moments.py` for how to subscribe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.moments import moment

if TYPE_CHECKING:
    import ast

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.history import Step
    from devls.values.value import InstanceValue, Symbol, TensorValue

# Modules


@moment
def layer_built(m: Machine, instance: InstanceValue, call: Invocation) -> None:
    """A layer, or a loss, of the library was constructed."""


@moment
def layer_called(m: Machine, instance: InstanceValue, call: Invocation) -> None:
    """A layer of the library is about to compute; the call is by the name of its operation (`torch.nn.Linear.forward`)."""


@moment
def wrapper_called(m: Machine, wrapper: InstanceValue, wrapped: object, node: ast.expr) -> None:
    """A wrapper of a module (`DataParallel`) is about to call it."""


@moment
def module_attribute_set(
    m: Machine, target: ast.expr, owner: InstanceValue, name: str, value: object
) -> None:
    """An attribute of a module is about to be set, or a buffer is about to be registered by the call that `target` is."""


@moment
def module_moving(m: Machine, call: Invocation, owner: InstanceValue, device: Tree) -> None:
    """A module is about to be moved to a device."""


@moment
def module_placed(m: Machine, instance: InstanceValue, device: Tree, step: Step) -> None:
    """A module was moved to a device, or is where its user puts it: its parameters and buffers are there."""


@moment
def part_moved(m: Machine, owner: Symbol, device: Tree, node: ast.expr, text: str) -> None:
    """Something unknown, perhaps a part of a batch, was taken for a tensor and moved; `text` names it."""


@moment
def parameter_flag_set(m: Machine, parameter: TensorValue, node: ast.AST, wanted: object) -> None:
    """A parameter is about to be frozen, or to be trained again."""


@moment
def wrapped(m: Machine, wrapper: InstanceValue, module: object) -> None:
    """`DataParallel(module)`: a wrapper was made that calls a module."""


@moment
def weights_loaded(
    m: Machine,
    call: Invocation,
    owner: InstanceValue,
    other: object,
    copied: list[tuple[str, TensorValue, TensorValue]],
) -> None:
    """`owner.load_state_dict(other.state_dict())`: parameters have the values of others now.

    `copied` has the name of each, the parameter, and what it was copied from, which may be itself.
    """


@moment
def tensor_copied(m: Machine, tensor: TensorValue, copy: TensorValue) -> None:
    """A tensor was copied by `copy.deepcopy`, perhaps with what holds it."""


@moment
def unseen_model_given(m: Machine, node: ast.expr, model: str, tensor: TensorValue) -> None:
    """A model of which we do not see the code is given a tensor while gradients are on; `model` is its text."""


@moment
def body_skipped(m: Machine) -> None:
    """The body of a function that is seen is not run: it may do anything that such code does."""


# Gradients and optimizers


@moment
def gradients_asked(m: Machine, call: Invocation) -> None:
    """`torch.autograd.grad` is about to compute gradients."""


@moment
def optimizer_built(m: Machine, optimizer: InstanceValue, parameters: list[TensorValue]) -> None:
    """An optimizer was constructed for parameters."""


@moment
def gradients_cleared(m: Machine, optimizer: object, node: ast.expr) -> None:
    """`optimizer.zero_grad()`; the optimizer may be known by name only."""


@moment
def stepped(m: Machine, optimizer: object, node: ast.expr, text: str) -> None:
    """`optimizer.step()`: an optimizer, perhaps known by name only, is about to change its parameters."""


@moment
def stepped_in_vain(
    m: Machine, optimizer: InstanceValue, node: ast.expr, text: str, parameters: list[TensorValue]
) -> None:
    """An optimizer, which `text` names, steps when none of its parameters has a gradient, or has had one."""


@moment
def scheduler_built(m: Machine, scheduler: InstanceValue, optimizer: object, call: Invocation) -> None:
    """A learning-rate scheduler was constructed for an optimizer."""


@moment
def hook_called(m: Machine, function: object, result: object) -> None:
    """Torch has called a hook, which has given a result."""


@moment
def sampled(m: Machine, result: TensorValue, parameters: list[TensorValue], kind: str) -> None:
    """A distribution of a `kind` was asked for numbers without a graph; it is given by these tensors."""


@moment
def unseen_scaler_stepped(m: Machine, call: ast.Call, optimizer: ast.expr) -> None:
    """`scaler.step(optimizer)` of something unknown whose `scale` made the loss of the last backward."""


@moment
def unseen_scaler_unscales(m: Machine) -> None:
    """`scaler.unscale_(optimizer)` of such an object."""


@moment
def checkpointed(m: Machine, call: Invocation) -> None:
    """`torch.utils.checkpoint.checkpoint(function, *args)` is about to call the function."""


@moment
def function_applied(m: Machine, call: Invocation) -> None:
    """`MyFunction.apply(...)` of a `torch.autograd.Function` is about to run."""


# Data and devices


@moment
def loader_built(m: Machine, call: Invocation) -> None:
    """A `DataLoader` is constructed."""


@moment
def sampler_built(m: Machine, call: Invocation) -> None:
    """A `RandomSampler` is constructed."""


@moment
def synchronized(m: Machine) -> None:
    """The program waits for all that a device was told to do: `torch.cuda.synchronize()`."""
