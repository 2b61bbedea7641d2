"""The records of `torch.optim` classes: each takes a step and is looked at before and after."""

from __future__ import annotations

import inspect

import torch

from catalog.encode import parameters_text
from catalog.public import from_signature


def optimizers() -> dict[str, list[str]]:
    """Constructor, when state is made, and flags, by name."""
    found = {}
    for name in sorted(dir(torch.optim)):
        value = getattr(torch.optim, name)
        if (
            inspect.isclass(value)
            and issubclass(value, torch.optim.Optimizer)
            and value is not torch.optim.Optimizer
        ):
            draft = from_signature(name, value.__init__)
            if draft is None:
                raise TypeError(f"{name} has no signature")
            text = parameters_text([each for each in draft.parameters if each.name != "self"])
            closure = inspect.signature(value.step).parameters["closure"].default is inspect.Parameter.empty
            found[f"torch.optim.{name}"] = [text, state(value), "closure" if closure else ""]
    return found


def state(value: type[torch.optim.Optimizer]) -> str:
    """When tensors on the parameters' device are first made per parameter."""
    sparse = value is torch.optim.SparseAdam
    weight = torch.nn.Parameter(torch.ones(2, 2))
    optimizer = value([weight], lr=0.1)  # type: ignore[call-arg]
    if _has_tensors(optimizer):
        return "constructor"

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = (weight * weight).sum()
        if sparse:
            weight.grad = torch.ones(2, 2).to_sparse()
        else:
            loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)  # type: ignore[arg-type]
    return "step" if _has_tensors(optimizer) else "none"


def _has_tensors(optimizer: torch.optim.Optimizer) -> bool:
    return any(
        isinstance(v, torch.Tensor) and v.dim() > 0 for each in optimizer.state.values() for v in _flat(each)
    )


def _flat(state_of_one: dict[str, object]) -> list[object]:
    return [
        inner
        for value in state_of_one.values()
        for inner in (value if isinstance(value, (list, tuple)) else [value])
    ]
