"""Effects of a call on its receiver, or on the block that it opens.

Each sentence is held against torch in tests/test_hovers.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core.describe import device_text
from devls.engine.torch.nn import registry
from devls.values.value import InstanceValue, TensorValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.machine import Machine


def of_receiver(machine: Machine, receiver: object, method: str, name: str, call: str) -> str | None:
    """Effect of a method on this receiver, in the current state; None if there is nothing to say.

    `name` is the receiver's text, `call` that of the whole call.
    """
    if isinstance(receiver, TensorValue):
        of_tensor = _OF_TENSORS.get(method)
        return None if of_tensor is None else of_tensor(machine, receiver, name, call)
    if not isinstance(receiver, InstanceValue):
        return None
    if registry.is_module(machine, receiver):
        of_module = _OF_MODULES.get(method)
        return None if of_module is None else of_module(machine, receiver, name, call)
    if machine.library.optimizer(receiver.library) is not None and method in _OF_OPTIMIZERS:
        return f"`{call}` {_OF_OPTIMIZERS[method]}"
    return None


def _detached(machine: Machine, tensor: TensorValue, name: str, call: str) -> str:
    told = f"`{call}` returns a tensor that shares its memory with `{name}` and does not require grad."
    if machine.requires_grad(tensor) is False:
        return f"{told}\n\n`{name}` does not require grad here, so that nothing is cut."
    if machine.requires_grad(tensor) is True:
        return (
            f"{told}\n\nNo gradient of what is computed from it comes to `{name}`, which keeps its own graph."
        )
    return told


def _flagged(machine: Machine, tensor: TensorValue, name: str, call: str) -> str:
    before = {True: " It requires grad already.", False: " Before, it does not require grad."}
    now = before.get(machine.requires_grad(tensor) is True, "") if _decided(machine, tensor) else ""
    return f"`{call}` sets `requires_grad` of `{name}` in place, and returns `{name}` itself.{now}"


def _decided(machine: Machine, tensor: TensorValue) -> bool:
    return isinstance(machine.requires_grad(tensor), bool)


def _read(machine: Machine, tensor: TensorValue, name: str, call: str) -> str:
    where = device_text(machine.device(tensor))
    told = f"`{call}` gives plain Python numbers: they carry no graph."
    if where == "cpu" or "?" in where or " or " in where:
        return told
    return f"{told} `{name}` is on **{where}**: the program waits until what computes it is done."


def _mode(*, training: bool) -> Callable[[Machine, InstanceValue, str, str], str]:
    does = (
        "Dropout drops, and batch norm uses the statistics of the batch."
        if training
        else "Dropout passes all through, and batch norm uses its running statistics."
    )
    asked = "train" if training else "eval"

    def told(machine: Machine, module: InstanceValue, name: str, call: str) -> str:
        before = machine.truth(machine.state.get(module, "training"))
        now = "" if before is None else f" Before, `{name}` is in {'train' if before else 'eval'} mode."
        argument = call.rpartition("(")[2].rstrip(")").strip()
        if argument:
            return f"`{call}` sets the mode of the module and of all in it, in place, and returns the module.{now}"
        return (
            f"`{call}` puts the module and all in it into {asked} mode, in place, and returns the module. {does}{now}"
            "\n\nGradients are recorded as before: only `torch.no_grad()` and its like change that."
        )

    return told


def _module_flagged(machine: Machine, module: InstanceValue, name: str, call: str) -> str:
    owned = len(registry.parameters(machine, module))
    many = f" ({owned} are seen)" if owned else ""
    return (
        f"`{call}` sets `requires_grad` of all parameters of `{name}`{many} in place, and returns the module."
    )


def _module_cleared(_machine: Machine, _module: InstanceValue, name: str, call: str) -> str:
    return f"`{call}` sets `.grad` of all parameters of `{name}` to None, those that no optimizer holds among them."


def _forward(_machine: Machine, _module: InstanceValue, name: str, call: str) -> str:
    arguments = call.partition(".forward")[2]
    return f"`{call}` runs the module's `forward` alone. `{name}{arguments}` does the same and runs its hooks, too."


_OF_TENSORS: Final[dict[str, Callable[[Machine, TensorValue, str, str], str]]] = {
    "detach": _detached,
    "item": _read,
    "requires_grad_": _flagged,
    "tolist": _read,
}

_OF_MODULES: Final[dict[str, Callable[[Machine, InstanceValue, str, str], str]]] = {
    "eval": _mode(training=False),
    "forward": _forward,
    "requires_grad_": _module_flagged,
    "train": _mode(training=True),
    "zero_grad": _module_cleared,
}

_OF_OPTIMIZERS: Final = {
    "step": (
        "changes the parameters that the optimizer holds in place, each by its `.grad`."
        " A parameter whose `.grad` is None stays as it is."
    ),
    "zero_grad": (
        "sets `.grad` of the parameters that the optimizer holds to None. Without it, the next `backward()` adds to"
        " what is there."
    ),
}

BACKWARD: Final = (
    "adds to `.grad` of the leaves that require grad, and frees what the graph has saved,"
    " unless `retain_graph=True` is given."
)

OF_NAMES: Final = {
    "torch.no_grad": (
        "In here no graph is recorded: results do not require grad, whatever they are computed from.\n\n"
        "Tensors that were there before keep their `requires_grad`, and modules their mode: dropout goes on to drop"
        " until `eval()`."
    ),
    "torch.inference_mode": (
        "In here no graph is recorded, as in `torch.no_grad()`. What is made in here is an inference tensor:"
        " no later graph can save it for backward; its `clone()`, made outside, can be saved."
    ),
    "torch.enable_grad": "In here graphs are recorded again, also inside of `torch.no_grad()`.",
    "torch.nn.DataParallel": (
        "Wraps the module, which is its `.module`. Names in its `state_dict()` begin with `module.`.\n\n"
        "Each call copies the module to all devices of `device_ids`: what `forward` sets on `self` is lost there."
        " The module has to be on the first of them."
    ),
}
"""Texts about names of torch, at any place."""
