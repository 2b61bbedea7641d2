"""The catalog's layers and optimizers, held against torch: what they register, what a call does, when state is made."""

from __future__ import annotations

import functools
import inspect
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

from devls.engine.torch.tensors.shapes import _OF_ANY_RANK
from devls.library import catalog, records
from devls.library.effects import REQUIRED, Differentiable, Layer, OptimizerKind, Rank, Result
from devls.rules.device.layer_created_in_forward import STARTS_ALIKE

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from catalog.build import from_text
from catalog.layers import RECURRENT, built, forward_calls, observed_call
from catalog.observe import Observed, minds, walked_twice

LAYERS = sorted(records.layers())


def _class(name: str) -> type[torch.nn.Module]:
    found = getattr(torch.nn, name.rpartition(".")[2])
    assert isinstance(found, type)
    return found


def _layer(name: str) -> Layer:
    found = catalog.layer(name)
    assert found is not None
    return found


@functools.cache
def _runs(name: str) -> tuple[tuple[Any, ...], ...]:
    """Module, call and what it did, of the calls that torch accepts."""
    warnings.simplefilter("ignore")
    record = records.layers()[name]
    draft = from_text(f"{name}.forward", *record["forward"])
    found = []
    for module, call in forward_calls(_class(name)):
        seen = observed_call(draft, module, call)
        if seen is not None:
            found.append((draft, module, call, seen))
    return tuple(found)


def test_every_module_class_is_there() -> None:
    theirs = {
        f"torch.nn.{name}"
        for name, value in vars(torch.nn).items()
        if inspect.isclass(value) and issubclass(value, torch.nn.Module)
    }
    assert theirs == set(LAYERS)


@pytest.mark.parametrize("name", LAYERS)
def test_what_is_registered(name: str) -> None:
    """By default, and with each constructor option that takes a tensor away."""
    layer = _layer(name)
    module = built(_class(name))
    if module is None:
        assert not layer.tensors, f"{name} cannot be built, yet the catalog knows its tensors"
        return
    _compare(layer, module, {})
    defaults = inspect.signature(_class(name).__init__).parameters
    for option in {
        part.partition("=")[0] for each in layer.tensors for part in each.unless.split(" or ") if part
    }:
        value = True if name.rpartition(".")[2] in RECURRENT else defaults[option].default
        other = built(_class(name), **{option: not value})
        assert other is not None
        _compare(layer, other, {option: not value})


def _compare(layer: Layer, module: torch.nn.Module, options: dict[str, Any]) -> None:
    own = dict(module.named_parameters(recurse=False)) | dict(module.named_buffers(recurse=False))
    known = {each.name for each in layer.tensors}
    assert set(own) <= known, f"{layer.name}{options}: torch registers {sorted(set(own) - known)} too"
    names = inspect.signature(type(module).__init__).parameters
    for each in layer.tensors:
        settings = {"bias": True} | {n: p.default for n, p in names.items()} | options
        gone = any(
            str(settings.get(option)) == value
            for option, _, value in (part.partition("=") for part in each.unless.split(" or "))
            if option
        )
        present = not gone and not each.default_absent
        assert (each.name in own) == present, (
            f"{layer.name}{options}: {each.name} is registered: {each.name in own}"
        )
        if present:
            assert (each.name in dict(module.named_buffers(recurse=False))) == each.is_buffer, (
                f"{layer.name}: {each.name}"
            )


@pytest.mark.parametrize("name", LAYERS)
def test_constructor(name: str) -> None:
    layer = _layer(name)
    signature = inspect.signature(_class(name).__init__)
    if name.rpartition(".")[2] in RECURRENT:
        return  # *args there; the test above passes ours by name
    theirs = [each for each in signature.parameters.values() if each.name != "self"]
    assert [each.name for each in layer.constructor] == [each.name for each in theirs]
    for ours, their in zip(layer.constructor, theirs, strict=True):
        if their.kind not in (their.VAR_POSITIONAL, their.VAR_KEYWORD):
            assert (ours.default is REQUIRED) == (their.default is their.empty)
    module = built(_class(name))
    if module is not None and not layer.container:
        assert layer.submodules == any(True for _ in module.children())


@pytest.mark.parametrize("name", [each for each in LAYERS if "forward" in records.layers()[each]])
def test_call(name: str) -> None:
    """Result, graph, rank, and what backward needs unchanged."""
    layer = _layer(name)
    forward = layer.forward
    assert forward is not None
    if forward.result is Result.UNKNOWN:
        return
    lazy = getattr(_class(name), "cls_to_become", None)
    if lazy is not None:
        same = _layer(f"torch.nn.{lazy.__name__}").forward
        assert same is not None
        assert (forward.result, forward.saves) == (same.result, same.saves)
        return
    runs = _runs(name)
    assert runs, "no call of this layer ran"
    several = forward.result is Result.TENSORS
    for *_, seen in runs:
        assert (len(seen.outputs) > 1) == several
        assert (
            any(seen.requires_grad) == (forward.differentiable is Differentiable.YES)
            or not seen.input_needs_grad
        )
        if forward.rank is Rank.SAME and not several:
            assert seen.outputs[0].dim() == seen.ranks[forward.parameters[0].name][0]
    if forward.result is Result.VIEW:
        assert all(all(seen.aliases) for *_, seen in runs)
    if forward.result is Result.SELF:
        assert all(all(seen.is_input) for *_, seen in runs)
    _compare_saves(name, forward.saves, runs)


def _compare_saves(name: str, saves: tuple[str, ...] | None, runs: tuple[tuple[Any, ...], ...]) -> None:
    assert saves is not None
    runs = runs[:5]
    again = [
        seen for draft, module, call, _ in runs if (seen := observed_call(draft, module, call, hooks=False))
    ]
    walks = [walked_twice(seen) for seen in again]
    if not saves:
        assert walks.count(False) <= walks.count(True), f"{name}: torch refuses to walk it twice"
    elif True in walks or False in walks:
        assert False in walks, f"{name}: torch walks it twice"
    for each in saves:
        verdicts = [verdict for run in runs if (verdict := _minds(run, each)) is not None]
        assert True in verdicts or not verdicts, f"{name}: torch does not mind {each} modified"


def _minds(run: tuple[Any, ...], name: str) -> bool | None:
    draft, module, call, _ = run
    seen: Observed | None = observed_call(draft, module, call, hooks=False)
    return None if seen is None else minds(seen, name)


OPTIMIZERS = sorted(records.optimizers())


def _optimizer(name: str) -> OptimizerKind:
    found = catalog.optimizer(name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", [each for each in LAYERS if _layer(each).tensors])
def test_which_weights_are_the_same_at_each_start(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        torch, "manual_seed", lambda _seed: None
    )  # so that the second is made of other numbers
    first, second = (forward_calls(_class(name)) for _ in range(2))
    for (one, _), (other, _) in zip(first, second, strict=True):
        pairs = list(zip(one.parameters(), other.parameters(), strict=True))
        if pairs and not any(torch.nn.parameter.is_lazy(each) for each, _ in pairs):
            alike = all(torch.equal(*each) for each in pairs)
            assert alike is name.rpartition(".")[2].startswith(STARTS_ALIKE)


def test_every_optimizer_is_there() -> None:
    theirs = {
        f"torch.optim.{name}"
        for name, value in vars(torch.optim).items()
        if inspect.isclass(value)
        and issubclass(value, torch.optim.Optimizer)
        and value is not torch.optim.Optimizer
    }
    assert theirs == set(OPTIMIZERS)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizer(name: str) -> None:
    kind = _optimizer(name)
    value: Any = getattr(torch.optim, name.rpartition(".")[2])
    theirs = [each for each in inspect.signature(value.__init__).parameters.values() if each.name != "self"]
    assert [each.name for each in kind.constructor] == [each.name for each in theirs]
    needs = inspect.signature(value.step).parameters["closure"].default is inspect.Parameter.empty
    assert kind.needs_closure == needs

    weight = torch.nn.Parameter(torch.ones(2, 2))
    optimizer = value([weight], lr=0.1)
    assert _has_state(optimizer) == (kind.state == "constructor")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = (weight * weight).sum()
        loss.backward()
        if name.endswith("SparseAdam"):
            weight.grad = torch.ones(2, 2).to_sparse()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    assert _has_state(optimizer) == (kind.state != "none")


WITH_WEIGHTS = [
    name
    for name in LAYERS
    if (forward := _layer(name).forward) is not None
    and _layer(name).tensors
    and forward.rank in (Rank.SAME, Rank.UNKNOWN)
    and forward.name not in _OF_ANY_RANK
]


@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_what_comes_out_of_weights_has_a_dimension(name: str) -> None:
    """Such a layer refuses 0-dim inputs, or (embeddings) adds a dimension."""
    layer = built(_class(name))
    assert layer is not None
    count = len(
        [each for each in inspect.signature(layer.forward).parameters.values() if each.default is each.empty]
    )
    for each in (torch.tensor(0), torch.tensor(1.0)):
        try:
            result = layer(*[each] * count)
        except (RuntimeError, ValueError, IndexError, TypeError, AssertionError, NotImplementedError):
            continue
        first = result[0] if isinstance(result, tuple) else result
        assert first.dim() > 0


def _has_state(optimizer: torch.optim.Optimizer) -> bool:
    """Whether there are tensors of the parameters' kind, not only counters, per parameter."""
    values = [value for each in optimizer.state.values() for value in each.values()]
    flat = [inner for value in values for inner in (value if isinstance(value, (list, tuple)) else [value])]
    return any(isinstance(each, torch.Tensor) and each.dim() > 0 for each in flat)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_settings_are_in_the_groups_and_nowhere_else(name: str) -> None:
    optimizer = getattr(torch.optim, name.rpartition(".")[2])([torch.nn.Parameter(torch.ones(2, 2))])
    kind = catalog.optimizer(name)
    assert kind is not None
    assert kind.settings <= set(optimizer.param_groups[0])
    assert not [each for each in kind.settings if hasattr(optimizer, each)]
