"""Tensors on the pretended devices, and how operations on them run."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import enable_reentrant_dispatch
from torch.utils._mode_utils import no_dispatch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from devls.probe.standin.checks import check, named_tensors
from devls.probe.standin.names import INNER

if TYPE_CHECKING:
    from collections.abc import Sequence

_CPU = torch.device("cpu")
_COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd  # noqa: SLF001  what torch makes of other operations


class StandInTensor(torch.Tensor):  # type: ignore[misc]
    """A tensor torch takes to be on a pretended device; `held` is the CPU tensor with its values."""

    held: torch.Tensor

    def __new__(cls, held: torch.Tensor, device: torch.device) -> StandInTensor:  # noqa: PYI034  Self needs 3.11
        """Wrap `held`, with its size, strides and dtype."""
        wrapper: StandInTensor = torch.Tensor._make_wrapper_subclass(  # noqa: SLF001  documented for subclasses
            cls,
            held.size(),
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            layout=held.layout,
            device=device,
            requires_grad=False,
        )
        return wrapper

    def __init__(self, held: torch.Tensor, device: torch.device) -> None:
        del device  # known to torch since `__new__`
        self.held = held

    __torch_function__ = torch._C._disabled_torch_function_impl  # noqa: SLF001  documented for subclasses

    @classmethod
    def __torch_dispatch__(
        cls,
        func: torch._ops.OpOverload,
        types: object,
        args: Sequence[object] = (),
        kwargs: dict[str, object] | None = None,
    ) -> Any:
        """Run an operation that has a stand-in among its arguments."""
        del types
        return run(func, args, kwargs or {})

    def __deepcopy__(self, memo: dict[int, object]) -> Any:
        """As `Tensor` does it; of a view with an offset it would read memory where there is none."""
        if self.storage_offset() == 0 or not self.is_leaf or id(self) in memo:
            return super().__deepcopy__(memo)
        made = self.detach().clone().requires_grad_(self.requires_grad)
        made.grad = None if self.grad is None else self.grad.__deepcopy__(memo)
        memo[id(self)] = made
        return made

    def __format__(self, spec: str) -> str:
        """As `Tensor` does it, of itself but not of its subclasses: a tensor of one number is formatted as that."""
        return format(self.detach().item(), spec) if self.dim() == 0 else object.__format__(self, spec)


class Factories(TorchDispatchMode):  # type: ignore[misc]
    """Runs the operations no stand-in takes part in, but which may make one: factories, copies from the CPU."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Otherwise torch wraps this class so that the first operation imports its compiler: five seconds.
        return False

    def __torch_dispatch__(
        self,
        func: torch._ops.OpOverload,
        types: object,
        args: Sequence[object] = (),
        kwargs: dict[str, object] | None = None,
    ) -> Any:
        """Run an operation on plain tensors."""
        del types
        return run(func, args, kwargs or {})


def run(function: torch._ops.OpOverload, args: Sequence[object], kwargs: dict[str, object]) -> Any:
    """Check the devices, run the operation on the held tensors, and put the result where CUDA would.

    Raises:
        RuntimeError: what torch would raise on a real device.
    """
    if torch.is_inference_mode_enabled() and function.has_kernel_for_dispatch_key(_COMPOSITE):
        # Only there torch asks for `to` or `expand_as` as a whole; their parts give back the tensor itself, or views.
        with enable_reentrant_dispatch():
            return function._op_dk(_COMPOSITE, *args, **kwargs)  # noqa: SLF001
    tensors = named_tensors(function, args, kwargs)
    check(function, tensors)
    base: str = function._schema.name.partition("::")[2]  # noqa: SLF001
    if base in ("pin_memory", "_pin_memory"):
        raise RuntimeError("cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned")
    device = _result_device(base, tensors, (*args, *kwargs.values()))
    result = function(
        *(_held(value) for value in args), **{name: _held(value) for name, value in kwargs.items()}
    )
    if torch.Tag.inplace_view in function.tags and device is not None and device.type == INNER:
        with no_dispatch():  # `squeeze_`, `t_`: the outer tensor has to get the new sizes, too
            function(*args, **kwargs)
    for _, tensor in tensors:
        if isinstance(tensor, StandInTensor) and result is tensor.held and tensor.device == device:
            return tensor  # nothing was to do: `dropout` in eval mode
    if device is not None and device.type == INNER:
        # In inference mode, too, a view of a tensor from outside is one that has versions.
        kept = function.is_view and not any(tensor.is_inference() for _, tensor in tensors)
        with torch.inference_mode(mode=False) if kept else contextlib.nullcontext():
            result = (
                _wrapped(result, device)
                if isinstance(result, torch.Tensor)
                else tree_map(lambda value: _wrapped(value, device), result)
            )
    return _written_argument(function, args, kwargs, result)


def _result_device(
    base: str, tensors: Sequence[tuple[str, torch.Tensor]], flat: Sequence[object]
) -> torch.device | None:
    in_place = base.endswith("_") and not base.endswith("__")
    if in_place and tensors:
        return tensors[0][1].device
    for value in flat:
        if isinstance(value, torch.device):
            return value
    return next((tensor.device for _, tensor in tensors if isinstance(tensor, StandInTensor)), None)


def _held(value: Any) -> Any:
    if isinstance(value, StandInTensor):
        return value.held
    if isinstance(value, torch.device) and value.type == INNER:
        return _CPU
    if isinstance(value, (list, tuple)) and value:
        return type(value)(_held(each) for each in value)
    return value


def _wrapped(value: object, device: torch.device) -> object:
    if isinstance(value, torch.Tensor) and not isinstance(value, StandInTensor):
        return StandInTensor(value, device)
    return value


def _written_argument(
    function: torch._ops.OpOverload, args: Sequence[object], kwargs: dict[str, object], result: object
) -> object:
    """In-place operations and `out=` have to return the very tensor they wrote."""
    if result is None or isinstance(result, (tuple, list)):
        return result
    for index, argument in enumerate(function._schema.arguments):  # noqa: SLF001
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = args[index] if index < len(args) else kwargs.get(argument.name)
            if isinstance(value, torch.Tensor):
                return value
    return result
