"""What is known of the expression at a place, told as Markdown.

Told is what concerns devices and gradients: tensors, modules, devices, what holds them, optimizers and loaders. Of all else
an editor's other servers know more.
"""

from __future__ import annotations

import ast
import contextlib
from typing import TYPE_CHECKING, Final

from devls.engine.checks import gradient_tables
from devls.engine.core.describe import describe, device_text, flag, shape_text
from devls.engine.core.joins import Contents, Entries
from devls.engine.torch.nn import registry
from devls.values.conditions import Either, leaves
from devls.values.facts import fact
from devls.values.history import Step
from devls.values.value import (
    DeviceValue,
    InstanceValue,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Seen
    from devls.syntax.source import Source
    from devls.text.edits import Range
    from devls.values.state import Layer

_LOADER: Final = "torch.utils.data.DataLoader"


@fact
class Told:
    """What is known, and of which expression."""

    node: ast.expr
    range: Range
    markdown: str


@fact
class _Facts:
    """What a tensor is like in one call of the function it stands in."""

    caller: str
    device: str
    needs: str
    leaf: str
    shape: str
    dtype: str


def hover(machine: Machine, source: Source, offset: int) -> Told | None:
    """The smallest expression around an offset of which something is known, and what that is."""
    best: tuple[int, ast.expr, Range] | None = None
    called: dict[ast.expr, ast.Call] = {}
    line = source.index.position(offset)[0] + 1
    for node in machine.values:
        if not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        if isinstance(node, ast.Call):
            called[node.func] = node
        found = source.range(node)
        if not found.start <= offset <= found.end or isinstance(node, ast.Constant):
            continue
        # On the name of an attribute or method, the whole `a.b` or `a.b(...)` is meant.
        if isinstance(node, ast.Attribute) and offset < source.range(node.value).end:
            continue
        size = found.end - found.start
        if best is None or size < best[0]:
            best = (size, node, found)
    if best is None:
        return None
    _, node, where = best
    call = called.get(node)
    if call is None:
        return _told(machine, source, node, where)
    if isinstance(node, ast.Attribute) and node.attr in _OF_METHODS:
        told = _OF_METHODS[node.attr](machine, source, call, node)
        if told is not None:
            return told
    # On the name of what is called, its result is meant.
    return _told(machine, source, call, source.range(call))


def _told(machine: Machine, source: Source, node: ast.expr, where: Range) -> Told | None:
    text = " ".join(source.slice(node).split())
    calls = machine.seen_in.get(node, {})
    if len(calls) > 1:
        markdown = _of_calls(machine, text, calls)
        if markdown is not None:
            return Told(node, where, markdown)
    value, layer = machine.values[node]
    with _as_of(machine, layer):
        markdown = _value(machine, text, machine.resolve(value))
        return None if markdown is None else Told(node, where, markdown)


@contextlib.contextmanager
def _as_of(machine: Machine, layer: Layer) -> Iterator[None]:
    """Read what was true at a point of the run."""
    before = machine.state.layer
    machine.state.restore(layer)
    try:
        yield
    finally:
        machine.state.restore(before)


def _transfer(machine: Machine, source: Source, call: ast.Call, func: ast.Attribute) -> Told | None:
    """What a `.to(...)` of a module or a tensor does; None for anything else."""
    value, layer = machine.values.get(func.value, (None, None))
    if layer is None:
        return None
    with _as_of(machine, layer):
        receiver = machine.resolve(value)
    name = " ".join(source.slice(func.value).split())
    text = " ".join(source.slice(call).split())
    if isinstance(receiver, InstanceValue):
        told = (
            f"`{text}` moves the parameters and buffers of the **module** in place, and returns the module itself.\n\n"
            f"`{name} = {text}` and `{text}` alone do the same; to keep a copy where it was, use"
            f" `copy.deepcopy({name}).{func.attr}(...)`."
        )
    elif isinstance(receiver, TensorValue):
        told = (
            f"`{text}` returns a **tensor** on the device asked for and leaves `{name}` as it is"
            f" (it returns `{name}` itself when it is there already).\n\nUse its result: `{name} = {text}`."
        )
    else:
        return None
    return Told(call, source.range(call), told)


def _gradients(machine: Machine, source: Source, call: ast.Call, func: ast.Attribute) -> Told | None:
    """What `loss.backward()` reaches, or `optimizer.step()` uses; None for anything else."""
    value, layer = machine.values.get(func.value, (None, None))
    if layer is None:
        return None
    with _as_of(machine, layer):
        receiver = machine.resolve(value)
        rows: list[str] = []
        if isinstance(receiver, TensorValue) and func.attr == "backward":
            rows = _reached(machine, receiver)
        elif isinstance(receiver, InstanceValue) and machine.library.optimizer(receiver.library) is not None:
            used, missing = gradient_tables.filled(machine, receiver)
            rows = [f"- gradients have come to {_listed(used)}"] if used else []
            rows += [f"- and to none of {_listed(missing)}"] if missing and used else []
    text = " ".join(source.slice(call).split())
    return Told(call, source.range(call), "\n".join([f"`{text}`", "", *rows])) if rows else None


def _reached(machine: Machine, tensor: TensorValue) -> list[str]:
    """The parameters that a loss has gradients to, and those that were cut."""
    reached, cuts, is_open = gradient_tables.flow(machine, tensor)
    if not reached and not cuts:
        return []
    more = ", and perhaps more that is not seen" if is_open else ""
    rows = [f"- gradients reach {_listed(reached)}{more}"] if reached else []
    for name, step in list(cuts.items())[:_MOST_ROWS]:
        rows.append(f"- not {name}: {step.what} ({step.site.line})")
    return rows


def _listed(counts: dict[str, int]) -> str:
    shown = [f"{name}: {count}" for name, count in list(counts.items())[:_MOST_ROWS]]
    left = sum(list(counts.values())[_MOST_ROWS:])
    return ", ".join(shown) + (f", and {left} others" if left else "")


_MOST_ROWS: Final = 8

_OF_METHODS: Final = {
    "backward": _gradients,
    "cpu": _transfer,
    "cuda": _transfer,
    "step": _gradients,
    "to": _transfer,
}
"""What is said of a call instead of its result, by the method."""


def _value(machine: Machine, text: str, value: object) -> str | None:
    if isinstance(value, Either):
        tensor = machine.tensor_of(value, infer=False)
        if tensor is None:
            kinds = dict.fromkeys(
                describe(machine, each) for each in leaves(value) if _concerns(machine, each)
            )
            return f"`{text}`: " + " or ".join(f"`{kind}`" for kind in kinds) if kinds else None
        value = tensor
    if isinstance(value, Symbol) and value.hint == "tensor":
        value = machine.as_tensor(value)
    if isinstance(value, TensorValue):
        return _tensor(machine, text, value)
    if isinstance(value, DeviceValue):
        return f"`{text}`: device **{device_text(value.device)}**"
    if isinstance(value, InstanceValue):
        return _instance(machine, text, value)
    return f"`{text}`: {describe(machine, value)}" if _concerns(machine, value) else None


def _concerns(machine: Machine, value: object, depth: int = 3) -> bool:
    """Whether a value is, or holds, something that has a device or a graph."""
    value = machine.resolve(value)
    if isinstance(value, (TensorValue, DeviceValue)):
        return True
    if isinstance(value, Symbol):
        return value.hint == "tensor"
    if isinstance(value, InstanceValue):
        return registry.is_module(machine, value)
    return depth > 0 and any(_concerns(machine, each, depth - 1) for each in _held(machine, value))


def _held(machine: Machine, value: object) -> Iterator[object]:
    if isinstance(value, TupleValue):
        yield from value.items
    elif isinstance(value, Sequence):
        contents = machine.state.get(value, "#items")
        if isinstance(contents, Contents):
            yield from (*(contents.items or ()), contents.element)
    elif isinstance(value, Mapping):
        entries = machine.state.get(value, "#entries")
        if isinstance(entries, Entries):
            yield from (*entries.known.values(), entries.rest)


def _tensor(machine: Machine, text: str, tensor: TensorValue) -> str:
    told = _facts_told(text, tensor, [_facts(machine, tensor, "")], _history(machine, tensor))
    rows = _reached(machine, tensor) if tensor.shape == () and not tensor.is_parameter else []
    return "\n".join([told, "", "Gradients:", "", *rows]) if rows else told


def _of_calls(machine: Machine, text: str, calls: dict[object, Seen]) -> str | None:
    """What a tensor is like in each call of the function it stands in; None if that is the same, or no tensor."""
    seen: list[_Facts] = []
    sites = [each.calls for each in calls.values()]
    # The innermost call that tells them apart: `model(x)` in `train` and in `test`, rather than the calls of those.
    depths = range(1, min(map(len, sites)) + 1)
    differing = next((depth for depth in depths if len({each[-depth].node for each in sites}) > 1), None)
    tensor = None
    for each in calls.values():
        with _as_of(machine, each.layer):
            tensor = machine.tensor_of(machine.resolve(each.value), infer=False)
            if tensor is None or differing is None:
                return None
            site = each.calls[-differing]
            elsewhere = "" if site.source is machine.recorded else f"{_name(site.source)}:"
            seen.append(_facts(machine, tensor, f"{elsewhere}{site.line.removeprefix('line ')}"))
    if tensor is None or len({(each.device, each.needs) for each in seen}) == 1:
        return None
    return _facts_told(text, tensor, seen, [])


def _facts(machine: Machine, tensor: TensorValue, caller: str) -> _Facts:
    return _Facts(
        caller,
        device_text(machine.device(tensor)),
        _word(flag(machine.requires_grad(tensor))),
        _word(flag(machine.is_leaf(tensor))),
        shape_text(tensor) if tensor.shape is not None else "",
        tensor.dtype if tensor.dtype not in (None, "float") else "",
    )


def _facts_told(text: str, tensor: TensorValue, seen: list[_Facts], history: list[str]) -> str:
    kind = "Parameter" if tensor.is_parameter else "Tensor"

    def row(tell: Callable[[_Facts], str]) -> str:
        by_answer: dict[str, list[str]] = {}
        for each in seen:
            by_answer.setdefault(tell(each), []).append(each.caller)
        if len(by_answer) == 1:
            return next(iter(by_answer))
        return ", or ".join(
            f"{answer} when called at line {' and '.join(dict.fromkeys(callers))}"
            for answer, callers in by_answer.items()
        )

    rows = [
        f"`{text}`: **{kind}** on {row(lambda each: f'**{each.device}**')}",
        "",
        f"- requires grad: {row(lambda each: each.needs + (f' (leaf: {each.leaf})' if each.needs != 'no' else ''))}",
    ]
    for name, answers in (("shape", {each.shape for each in seen}), ("dtype", {each.dtype for each in seen})):
        if len(answers) == 1 and (answer := answers.pop()):
            rows.append(f"- {name}: `{answer}`")
    if history:
        rows += ["", "History:", "", *history]
    return "\n".join(rows)


def _word(flag_text: str) -> str:
    return {"True": "yes", "False": "no"}.get(flag_text, "not known")


def _history(machine: Machine, tensor: TensorValue) -> list[str]:
    rows: list[tuple[tuple[str, int, int], str]] = []
    for slot, step in (("device_step", tensor.device_step), ("grad_step", tensor.grad_step)):
        found = machine.state.get(tensor, slot, step)
        if isinstance(found, Step):
            rows += [(each.site.key, _happened(machine, each)) for each in found.story()[-4:]]
    return list(dict.fromkeys(text for _, text in sorted(rows, key=lambda row: row[0])))


def _happened(machine: Machine, step: Step) -> str:
    source = step.site.source
    elsewhere = "" if source is machine.recorded else f" of {_name(source)}"
    return f"- {step.site.line}{elsewhere}: {step.what}"


def _name(source: Source) -> str:
    return source.path.replace("\\", "/").rpartition("/")[2]


def _instance(machine: Machine, text: str, value: InstanceValue) -> str | None:
    if registry.is_module(machine, value):
        return _module(machine, text, value)
    if value.library == _LOADER:
        return f"`{text}`: **DataLoader**: its batches are on the **cpu**, until they are moved"
    if machine.library.optimizer(value.library) is not None:
        return f"`{text}`: **Optimizer** `{value.library.rpartition('.')[2]}`"
    return None


def _module(machine: Machine, text: str, value: InstanceValue) -> str:
    name = value.cls.name if value.cls is not None else value.library.rpartition(".")[2]
    here = registry.device(machine, value)
    owned = registry.parameters(machine, value)
    frozen = sum(1 for each in owned if machine.requires_grad(each) is False)
    training = machine.state.get(value, "training")
    place = device_text(here) if here is not None else ""
    # Of a module that is looked at by itself, nobody knows more than that.
    known = place not in ("", "the module's device")
    rows = [f"`{text}`: **Module** `{name}`" + (f" on **{place}**" if known else ""), ""]
    if owned:
        rows.append(f"- parameters seen: {len(owned)}" + (f", of which frozen: {frozen}" if frozen else ""))
    if training is not None:
        rows.append(
            f"- mode: {'train' if machine.truth(training) is True else 'eval' if machine.truth(training) is False else 'not known'}"
        )
    moved = machine.state.get(value, "#moved")
    if isinstance(moved, Step):
        rows.append(_happened(machine, moved))
    return "\n".join(rows).rstrip()
