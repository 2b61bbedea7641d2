"""Facts about the expression at a place, as Markdown.

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
from devls.engine.torch import data
from devls.engine.torch.autograd import graph_walk
from devls.engine.torch.nn import registry
from devls.hovers.calls import BACKWARD, OF_NAMES, of_receiver
from devls.values.conditions import Either, leaves
from devls.values.facts import fact
from devls.values.history import Step
from devls.values.value import (
    DeviceValue,
    InstanceValue,
    LibraryName,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Seen
    from devls.syntax.source import Source
    from devls.text.edits import Range
    from devls.values.state import Layer

_LOADER: Final = "torch.utils.data.DataLoader"


@fact
class Told:
    """A hover's text and its expression."""

    node: ast.expr
    range: Range
    markdown: str


@fact
class _Facts:
    """State of a tensor or a module in one call or one round of the code around it."""

    kind: str
    place: str
    rows: dict[str, str]
    when: dict[object, str]
    """When that is: by the loop, or by nothing for the call."""


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
    named = _of_name(machine, source, node, where)
    if call is None or named is not None:
        return named or _told(machine, source, node, where)
    if isinstance(node, ast.Attribute):
        told = _of_method(machine, source, call, node)
        if told is not None:
            return told
    result = _told(machine, source, call, source.range(call))
    value = _receiver(machine, node)
    if isinstance(value, InstanceValue) and registry.is_module(machine, value):
        module = _told(machine, source, node, where)
        if module is not None and result is not None:
            return Told(result.node, where, f"{module.markdown}\n\nThis call returns:\n\n{result.markdown}")
        return module
    # On the name of any other thing that is called, its result is meant.
    return result


def _of_name(machine: Machine, source: Source, node: ast.expr, where: Range) -> Told | None:
    """Text for a name of torch about which there is more to say than the result of its call."""
    value = machine.values[node][0] if node in machine.values else None
    text = OF_NAMES.get(value.name) if isinstance(value, LibraryName) else None
    if text is None:
        return None
    return Told(node, where, f"`{' '.join(source.slice(node).split())}`\n\n{text}")


def _of_method(machine: Machine, source: Source, call: ast.Call, func: ast.Attribute) -> Told | None:
    """Effect of a method on its receiver here; None if there is nothing to say but its result."""
    if func.attr in _OF_METHODS:
        told = _OF_METHODS[func.attr](machine, source, call, func)
        if told is not None:
            return told
    _, layer = machine.values.get(func.value, (None, None))
    if layer is None:
        return None
    receiver = _receiver(machine, func.value)
    name, text = (" ".join(source.slice(each).split()) for each in (func.value, call))
    with as_of(machine, layer):
        markdown = of_receiver(machine, receiver, func.attr, name, text)
    if markdown is None:
        return None
    result = _told(machine, source, call, source.range(call)) if func.attr == "forward" else None
    returned = f"\n\nThis call returns:\n\n{result.markdown}" if result else ""
    return Told(call, source.range(call), markdown + returned)


def _receiver(machine: Machine, node: ast.expr) -> object:
    """The value of an expression, as it was when it was read."""
    value, layer = machine.values.get(node, (None, None))
    if layer is None:
        return None
    with as_of(machine, layer):
        return machine.resolve(value)


def _told(machine: Machine, source: Source, node: ast.expr, where: Range) -> Told | None:
    text = " ".join(source.slice(node).split())
    ways = machine.seen_in.get(node, {})
    if len(ways) > 1:
        markdown = _of_ways(machine, text, list(ways.values()))
        if markdown is not None:
            return Told(node, where, markdown)
    value, layer = machine.values[node]
    with as_of(machine, layer):
        markdown = _value(machine, text, machine.resolve(value))
        return None if markdown is None else Told(node, where, markdown)


@contextlib.contextmanager
def as_of(machine: Machine, layer: Layer) -> Iterator[None]:
    """Read what was true at a point of the run."""
    before = machine.state.layer
    machine.state.restore(layer)
    try:
        yield
    finally:
        machine.state.restore(before)


def _transfer(machine: Machine, source: Source, call: ast.Call, func: ast.Attribute) -> Told | None:
    """Effect of a `.to(...)` of a module or a tensor; None for anything else."""
    value, layer = machine.values.get(func.value, (None, None))
    if layer is None:
        return None
    with as_of(machine, layer):
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
    """Parameters that `loss.backward()` reaches, or that `optimizer.step()` updates; None for anything else."""
    value, layer = machine.values.get(func.value, (None, None))
    if layer is None:
        return None
    text = " ".join(source.slice(call).split())
    with as_of(machine, layer):
        receiver = machine.resolve(value)
        rows: list[str] = []
        does = of_receiver(machine, receiver, func.attr, "", text) if func.attr == "step" else None
        if isinstance(receiver, TensorValue) and func.attr == "backward":
            does, rows = f"`{text}` {BACKWARD}", _reached(machine, receiver)
        elif isinstance(receiver, InstanceValue) and machine.library.optimizer(receiver.library) is not None:
            used, missing = gradient_tables.filled(machine, receiver)
            rows = [f"- gradients have come to {_listed(used)}"] if used else []
            rows += [f"- and to none of {_listed(missing)}"] if missing and used else []
    return Told(call, source.range(call), "\n".join([does, "", *rows]).rstrip()) if does else None


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
"""Texts about a call in place of its result, by the method."""


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
    told = _facts_told(text, [_facts_of_tensor(machine, tensor)], _history(machine, tensor))
    rows = _reached(machine, tensor) if tensor.shape == () and not tensor.is_parameter else []
    return "\n".join([told, "", "Gradients:", "", *rows]) if rows else told


def _of_ways(machine: Machine, text: str, ways: list[Seen]) -> str | None:
    """State of a value in each call and each round that comes to it; None if that is the same, or nothing is known."""
    seen: list[_Facts] = []
    when = _times(machine, ways)
    for each, times in zip(ways, when, strict=True):
        with as_of(machine, each.layer):
            facts = _facts(machine, machine.resolve(each.value))
        seen.append(_Facts(facts.kind, facts.place, facts.rows, times))
    if not any(each.place or each.rows for each in seen):
        return None
    if len({(each.kind, each.place, *(each.rows.get(row) for row in _TOLD_APART)) for each in seen}) == 1:
        return None
    return _facts_told(text, seen, [])


_TOLD_APART: Final = ("requires grad", "mode", "graph")


def _times(machine: Machine, ways: list[Seen]) -> list[dict[object, str]]:
    """In which call, and in which round of which loop, each was seen; only of what tells them apart."""
    sites = [each.calls for each in ways]
    # The innermost call that tells them apart: `model(x)` in `train` and in `test`, rather than the calls of those.
    depths = range(1, min(map(len, sites)) + 1)
    differing = next((depth for depth in depths if len({each[-depth].node for each in sites}) > 1), None)
    shared = [
        loop
        for loop in dict(ways[0].rounds)
        if all(loop in dict(each.rounds) for each in ways)
        and len({dict(each.rounds)[loop] > 1 for each in ways}) > 1
    ]
    found: list[dict[object, str]] = []
    for each in ways:
        times: dict[object, str] = {}
        if differing is not None:
            site = each.calls[-differing]
            elsewhere = "" if site.source is machine.recorded else f"{_name(site.source)}:"
            times[None] = f"{elsewhere}{site.line.removeprefix('line ')}"
        for loop, number in each.rounds:
            if loop in shared:
                line = getattr(loop, "lineno", 0)
                times[loop] = (
                    f"in the first round of the loop at line {line}" if number <= 1 else "in later rounds"
                )
        found.append(times)
    return found


def _facts(machine: Machine, value: object) -> _Facts:
    """Properties that can differ from time to time; no place and no rows if neither tensor nor module."""
    tensor = machine.tensor_of(value, infer=False)
    if tensor is not None:
        return _facts_of_tensor(machine, tensor)
    if isinstance(value, InstanceValue) and registry.is_module(machine, value):
        return _facts_of_module(machine, value)
    return _Facts(f"`{describe(machine, value)}`", "", {}, {})


def _facts_of_tensor(machine: Machine, tensor: TensorValue) -> _Facts:
    needs = _word(flag(machine.requires_grad(tensor)))
    leaf = f" (leaf: {_word(flag(machine.is_leaf(tensor)))})" if needs != "no" else ""
    rows = {"requires grad": needs + leaf}
    if needs == "yes" and (freed := graph_walk.freed_by(machine, tensor)) is not None:
        elsewhere = "" if freed.source is machine.recorded else f" of {_name(freed.source)}"
        rows["graph"] = f"freed by the backward at {freed.line}{elsewhere}"
    if tensor.shape is not None:
        rows["shape"] = f"`{shape_text(tensor)}`"
    if tensor.dtype not in (None, "float"):
        rows["dtype"] = f"`{tensor.dtype}`"
    kind = "**Parameter**" if tensor.is_parameter else "**Tensor**"
    return _Facts(kind, f"**{device_text(machine.device(tensor))}**", rows, {})


def _facts_told(text: str, seen: list[_Facts], history: list[str]) -> str:
    kinds = {each.kind for each in seen}
    if len(kinds) > 1:
        heads = [each.kind + (f" on {each.place}" if each.place else "") for each in seen]
        head = _row(heads, seen)
    else:
        place = _row([each.place for each in seen], seen)
        head = seen[0].kind + (f" on {place}" if place else "")
    rows = [f"`{text}`: {head}", ""]
    for name in dict.fromkeys(name for each in seen for name in each.rows):
        answers = [each.rows.get(name, "") for each in seen]
        if len(set(answers)) == 1 or name in _TOLD_APART:
            rows.append(f"- {name}: {_row(answers, seen)}")
    if history:
        rows += ["", "History:", "", *history]
    return "\n".join(rows).rstrip()


def _row(answers: list[str], seen: list[_Facts]) -> str:
    """An answer; where there are several, with the calls or the rounds of a loop in which each is right."""
    if len(set(answers)) == 1:
        return answers[0]
    for part in seen[0].when:
        by_time: dict[str, set[str]] = {}
        by_answer: dict[str, list[str]] = {}
        for answer, each in zip(answers, seen, strict=True):
            by_time.setdefault(each.when[part], set()).add(answer)
            by_answer.setdefault(answer, []).append(each.when[part])
        if all(len(each) == 1 for each in by_time.values()):
            begin = "when called at line " if part is None else ""
            return ", or ".join(
                f"{answer or 'not known'} {begin}{' and '.join(dict.fromkeys(times))}"
                for answer, times in by_answer.items()
            )
    return " or ".join(dict.fromkeys(filter(None, answers)))


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
        if data.may_be_elsewhere(machine, value):
            return f"`{text}`: **DataLoader**: its batches are where its data set has its tensors"
        return f"`{text}`: **DataLoader**: its batches are on the **cpu**, until they are moved"
    if machine.library.optimizer(value.library) is not None:
        return f"`{text}`: **Optimizer** `{value.library.rpartition('.')[2]}`"
    return None


def _module(machine: Machine, text: str, value: InstanceValue) -> str:
    moved = machine.state.get(value, "#moved")
    told = _facts_told(text, [_facts_of_module(machine, value)], [])
    return f"{told}\n{_happened(machine, moved)}" if isinstance(moved, Step) else told


def _facts_of_module(machine: Machine, value: InstanceValue) -> _Facts:
    name = value.cls.name if value.cls is not None else value.library.rpartition(".")[2]
    here = registry.device(machine, value)
    owned = registry.parameters(machine, value)
    frozen = sum(1 for each in owned if machine.requires_grad(each) is False)
    training = machine.state.get(value, "training")
    place = device_text(here) if here is not None else ""
    # Of a module that is looked at by itself, nobody knows more than that.
    known = place not in ("", "the module's device")
    rows: dict[str, str] = {}
    if owned:
        rows["parameters seen"] = f"{len(owned)}" + (f", of which frozen: {frozen}" if frozen else "")
    if training is not None:
        mode = machine.truth(training)
        rows["mode"] = "train" if mode is True else "eval" if mode is False else "not known"
    return _Facts(f"**Module** `{name}`", f"**{place}**" if known else "", rows, {})
