"""Run a call and say what torch did: the graph, shared storage, what was saved, ranks and dtypes."""

from __future__ import annotations

import signal
import warnings
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch.utils._pytree import tree_leaves

from catalog.samples import Call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from catalog.draft import Draft

LIMIT_SECONDS = 5


@dataclass
class Observed:
    """Effects of one call; inputs are named by the parameter they were bound to."""

    input_needs_grad: bool
    outputs: list[torch.Tensor]
    requires_grad: list[bool]
    floating: list[bool]
    aliases: list[bool]  # per output, whether it shares storage with an input
    is_input: list[bool]  # per output, whether it is an input object
    saved: set[str]
    written: set[str]
    ranks: dict[str, list[int]]
    result_type: str
    fields: tuple[str, ...] = ()  # of a named tuple
    inputs: dict[str, list[torch.Tensor]] = field(default_factory=dict)
    source: torch.Tensor | None = None  # of an in-place operation's operand, which is a copy

    def leaves(self) -> list[torch.Tensor]:
        """The tensors to differentiate with respect to."""
        found = [
            each
            for tensors in self.inputs.values()
            for each in tensors
            if each.requires_grad and each.is_leaf
        ]
        return [self.source, *found] if self.source is not None and self.source.requires_grad else found

    def roots(self) -> list[torch.Tensor]:
        """The outputs that have a graph."""
        return [each for each in self.outputs if each.requires_grad]

    def result_names(self) -> list[str]:
        """Names of the outputs in the catalog."""
        return (
            ["result"] if len(self.outputs) == 1 else [f"result{index}" for index in range(len(self.outputs))]
        )

    def named(self, name: str) -> list[torch.Tensor]:
        """The operands or the output of that name."""
        names = self.result_names()
        return [self.outputs[names.index(name)]] if name in names else self.inputs.get(name, [])

    def gradients(self) -> tuple[torch.Tensor | None, ...]:
        """Of all leaves, for ones."""
        ones = [torch.ones_like(each) for each in self.roots()]
        return torch.autograd.grad(self.roots(), self.leaves(), ones, allow_unused=True)


class TooSlowError(Exception):
    """A sample took longer than LIMIT_SECONDS."""


@contextmanager
def limited(seconds: int = LIMIT_SECONDS) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TooSlowError

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def bound(draft: Draft, call: Call) -> dict[str, list[torch.Tensor]]:
    """The tensors among the arguments, by parameter name."""
    names = [each for each in draft.parameters if each.passing in ("either", "rest")]
    found: dict[str, list[torch.Tensor]] = {}
    for index, value in enumerate(call.args):
        parameter = names[min(index, len(names) - 1)] if names else None
        name = (
            parameter.name
            if parameter and (index < len(names) or parameter.passing == "rest")
            else f"argument{index}"
        )
        found.setdefault(name, []).extend(_tensors(value))
    for name, value in call.kwargs.items():
        found.setdefault(name, []).extend(_tensors(value))
    return {name: tensors for name, tensors in found.items() if tensors}


def _tensors(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def storage(tensor: torch.Tensor) -> int | None:
    if tensor.layout != torch.strided:
        return None
    try:
        return int(tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):
        return None


def observe(
    function: Callable[..., Any],
    draft: Draft,
    call: Call,
    *,
    only: str | None = None,
    inplace: bool = False,
    extra: dict[str, torch.Tensor] | None = None,
    hooks: bool = True,
) -> Observed:
    """Run `call`; with `only`, let the tensors of that parameter alone require grad.

    In-place operations get non-leaf copies of their first argument, as torch refuses to modify leaves. `extra` are
    tensors that the function has of its own (a layer's parameters), by name. Without `hooks` nothing is seen of what
    is saved, but torch checks the versions of saved tensors, as it does not for hooked ones.
    """
    call = call.fresh()
    inputs = bound(draft, call)
    inputs.update({name: [tensor] for name, tensor in (extra or {}).items()})
    if only is not None:
        for name, tensors in inputs.items():
            for each in tensors:
                if each.is_leaf:
                    each.requires_grad_(name == only and (each.is_floating_point() or each.is_complex()))
    source = None
    if inplace and isinstance(call.args[0], torch.Tensor) and call.args[0].requires_grad:
        source = call.args[0]
        first = call.args[0].clone()
        call = Call((first, *call.args[1:]), call.kwargs)
        inputs = bound(draft, call)
    versions = {name: [each._version for each in tensors] for name, tensors in inputs.items()}
    if inplace:
        inputs.update({name: [tensor] for name, tensor in (extra or {}).items()})
    packed: list[torch.Tensor] = []

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        packed.append(tensor)
        return tensor

    watched = torch.autograd.graph.saved_tensors_hooks(pack, lambda each: each) if hooks else nullcontext()
    with warnings.catch_warnings(), watched, limited():
        warnings.simplefilter("ignore")
        result = function(*call.args, **call.kwargs)
    outputs = _tensors(result)
    owners = {storage(each): name for name, tensors in inputs.items() for each in tensors}
    owners.pop(None, None)
    objects = {id(each) for tensors in inputs.values() for each in tensors}
    return Observed(
        any(each.requires_grad for tensors in inputs.values() for each in tensors),
        outputs,
        [each.requires_grad for each in outputs],
        [each.is_floating_point() or each.is_complex() for each in outputs],
        [storage(each) in owners for each in outputs],
        [id(each) in objects for each in outputs],
        _saved_names(packed, owners, outputs, inplace=inplace, draft=draft, call=call),
        {name for name, tensors in inputs.items() if versions[name] != [each._version for each in tensors]},
        {name: [each.dim() for each in tensors] for name, tensors in inputs.items()},
        type(result).__name__,
        getattr(type(result), "__match_args__", ()) if isinstance(result, tuple) else (),
        inputs,
        source,
    )


def _saved_names(
    packed: list[torch.Tensor],
    owners: dict[Any, str],
    outputs: list[torch.Tensor],
    *,
    inplace: bool,
    draft: Draft,
    call: Call,
) -> set[str]:
    names: set[str] = set()
    results = {
        storage(each): "result" if len(outputs) == 1 else f"result{i}" for i, each in enumerate(outputs)
    }
    first = draft.parameters[0].name if draft.parameters else ""
    numbers = [
        p.name for p, value in zip(draft.parameters, call.args, strict=False)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and p.role != "other"
    ]  # fmt: skip
    for tensor in packed:
        where = storage(tensor)
        if where in owners:
            name = owners[where]
            names.add("result" if inplace and name == first else name)
        elif where in results:
            names.add(results[where])
        elif tensor.dim() == 0 and tensor.numel() == 1 and numbers:
            names.add(numbers[0])  # a number given where a tensor may be, wrapped
        else:
            names.add("internal")
    return names


def walked_twice(seen: Observed) -> bool | None:
    """Whether backward can be run twice over an unhooked run; None when not even once."""
    if not seen.roots() or not seen.leaves():
        return None
    for again in (False, True):
        try:
            seen.gradients()
        except RuntimeError as error:  # noqa: PERF203  twice
            return False if again and "second time" in str(error) else None
    return True


def minds(seen: Observed, name: str) -> bool | None:
    """Whether backward over an unhooked run raises once the operand or output `name` was modified; None if untried."""
    targets = seen.named(name)
    if not targets or not seen.roots() or not seen.leaves() or (any(seen.aliases) and not seen.written):
        return None
    with torch.no_grad():
        for target in targets:
            try:
                target.zero_() if target.dtype == torch.bool else target.add_(0)
            except RuntimeError:  # noqa: PERF203  few
                return None  # expanded, or of a dtype without arithmetic
    try:
        seen.gradients()
    except RuntimeError as error:
        return "modified by an inplace operation" in str(error) or None
    return False


# Running the samples of an operation, and letting torch refuse some


def run_all(function: Callable[..., Any], draft: Draft, calls: list[Call]) -> list[tuple[Call, Observed]]:
    """The calls that torch accepts, with what they did."""
    seen = [(call, attempt(function, draft, call)) for call in calls]
    return [(call, each) for call, each in seen if each is not None]


def attempt(
    function: Callable[..., Any], draft: Draft, call: Call, *, only: str | None = None, hooks: bool = True
) -> Observed | None:
    """Effects of one call; None when torch refuses it.

    That may happen with a sibling's sample, or a single differentiable input.
    """
    try:
        return observe(function, draft, call, only=only, inplace=is_inplace(draft.name), hooks=hooks)
    except (Exception, TooSlowError):  # noqa: BLE001  whatever a sample runs into
        return None


def is_inplace(name: str) -> bool:
    short = name.rpartition(".")[2]
    if short.startswith("__"):
        return short.startswith("__i") and short not in ("__invert__", "__index__", "__int__")
    return (
        short.endswith("_") and not name.startswith("torch.nn.init") and not name.startswith("torch.nn.utils")
    )
