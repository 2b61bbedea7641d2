"""Names in the program and its output: `cuda` in arguments, attributes, texts, and conversions to the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _device as default_device

from devls.probe.standin.names import INNER, outer_text, to_inner, to_outer
from devls.probe.standin.tensor import StandInTensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_GET_DEVICE = torch.Tensor.device.__get__
_GET_IS_CUDA = torch.Tensor.is_cuda.__get__
# In inference mode torch runs these past the dispatch mode that stands below, and loses whose views they are.
_TURNED: dict[object, Callable[[torch.Tensor], torch.Tensor]] = {
    torch.Tensor.T.__get__: lambda x: x.permute(*reversed(range(x.dim()))),
    torch.Tensor.mT.__get__: lambda x: x.transpose(-2, -1),
}
_FROM_DATA = (torch.tensor, torch.as_tensor, torch.asarray, torch.from_numpy)


class Front(TorchFunctionMode):  # type: ignore[misc]
    """Sits above every torch function and translates."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run one torch function as a program that sees `cuda` means it.

        Raises:
            TypeError: for a conversion to numpy.
            RuntimeError: what the operation raises, in words with `cuda`.
        """
        del types
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if name == "__get__":
            if func == _GET_DEVICE:
                return to_outer(func(*args))
            if func == _GET_IS_CUDA:
                return isinstance(args[0], StandInTensor)
            if func in _TURNED and torch.is_inference_mode_enabled():
                return _TURNED[func](args[0])
        if func is torch.Tensor.cuda:
            named = args[1] if len(args) > 1 else kwargs.get("device")
            return _run(torch.Tensor.to, (args[0], to_inner("cuda" if named is None else named)), {})
        if args and isinstance(args[0], StandInTensor) and name in _HOST:
            return _HOST[name](func, args[0], kwargs)
        self._place(func, kwargs)
        if func is torch.Tensor.to:
            args = (args[0], *(to_inner(value) if _names_device(value) else value for value in args[1:]))
        if func is torch.Tensor.new_tensor:
            func, args, kwargs = _as_factory(args[0], args[1:], kwargs)
        if func is torch.tensor and args and isinstance(args[0], (list, tuple)):
            args = (_values(args[0]), *args[1:])
        device = kwargs.get("device")
        if device is not None and device.type == INNER:
            generator = kwargs.get("generator")
            if generator is not None and generator.device.type == "cpu":
                raise RuntimeError("Expected a 'cuda' device type for generator but found 'cpu'")
            if func in _FROM_DATA:
                return _from_data(func, args, kwargs)
        return _run(func, args, kwargs)

    def _place(self, func: Callable[..., Any], kwargs: dict[str, Any]) -> None:
        """Translate `device=`, and fill it from the default device."""
        if "device" in kwargs:
            kwargs["device"] = to_inner(kwargs["device"])
        # torch's own mode for the default device always stands below this one, too late to be translated.
        current = default_device.CURRENT_DEVICE
        if (
            current is not None
            and kwargs.get("device") is None
            and func in default_device._device_constructors()  # noqa: SLF001  there is no public list
        ):
            kwargs["device"] = to_inner(current)


def variable(cls: Any, *args: Any, **kwargs: Any) -> Any:
    """Call `Variable`: its constructor asks no mode, and would put what it makes on the CPU."""
    data = args[0] if args else kwargs.get("data")
    if not isinstance(data, StandInTensor):
        return type.__call__(cls, *args, **kwargs)
    flag = args[1] if len(args) > 1 else kwargs.get("requires_grad", False)
    return data.detach().requires_grad_(bool(flag))


def _names_device(value: object) -> bool:
    return isinstance(value, (str, torch.device, int)) and not isinstance(value, bool)


def _as_factory(
    like: torch.Tensor, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], Sequence[Any], dict[str, Any]]:
    """`like.new_tensor(...)` as a call of `torch.tensor`."""
    return torch.tensor, args, {"dtype": like.dtype, "device": to_inner(like.device), **kwargs}


def _values(data: object) -> object:
    """Nested lists with the tensors in them read, as torch reads them."""
    if isinstance(data, (list, tuple)):
        return [_values(item) for item in data]
    return data.detach().cpu().tolist() if isinstance(data, StandInTensor) else data


def _from_data(func: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> torch.Tensor:
    requires_grad = kwargs.pop("requires_grad", False)
    # Said, because a default device would otherwise be filled in below, where nobody translates it.
    device, kwargs["device"] = kwargs["device"], "cpu"
    moved = _run(torch.Tensor.to, (func(*args, **kwargs).detach(), device), {})
    return moved.requires_grad_() if requires_grad else moved


def _numpy(func: Callable[..., Any], tensor: StandInTensor, kwargs: dict[str, Any]) -> Any:
    if kwargs.get("force"):
        return func(tensor.detach().cpu())
    raise TypeError(
        f"can't convert {to_outer(tensor.device)} device type tensor to numpy. "
        "Use Tensor.cpu() to copy the tensor to host memory first."
    )


def _tolist(func: Callable[..., Any], tensor: StandInTensor, kwargs: dict[str, Any]) -> Any:
    del func, kwargs
    return tensor.detach().cpu().tolist()


def _repr(func: Callable[..., Any], tensor: StandInTensor, kwargs: dict[str, Any]) -> str:
    del func, kwargs
    tail = f", device='{to_outer(tensor.device)}'"
    if tensor.grad_fn is not None:
        tail += f", grad_fn=<{type(tensor.grad_fn).__name__}>"
    elif tensor.requires_grad:
        tail += ", requires_grad=True"
    return f"{repr(tensor.detach().cpu())[:-1]}{tail})"


_HOST: dict[str, Callable[[Callable[..., Any], StandInTensor, dict[str, Any]], Any]] = {
    "__array__": _numpy,
    "__repr__": _repr,
    "numpy": _numpy,
    "tolist": _tolist,
}


def _run(func: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    try:
        return func(*args, **kwargs)
    except Exception as error:
        if error.args and isinstance(error.args[0], str) and "cuda" in error.args[0].lower():
            error.args = (outer_text(error.args[0]), *error.args[1:])
        raise
