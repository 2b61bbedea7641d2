"""What is known of the expression at a place, told as Markdown."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devls.interpreter import modules
from devls.interpreter.describe import describe, device_text, flag, shape_text
from devls.values.conditions import Either, leaves
from devls.values.history import Step
from devls.values.value import DeviceValue, InstanceValue, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.interpreter.machine import Machine
    from devls.syntax.source import Source
    from devls.text.edits import Range


@dataclass(frozen=True)
class Told:
    """What is known, and of which expression."""

    node: ast.expr
    range: Range
    markdown: str


def hover(machine: Machine, source: Source, offset: int) -> Told | None:
    """The smallest expression around an offset of which something is known, and what that is."""
    best: tuple[int, ast.expr, Range] | None = None
    line = source.index.position(offset)[0] + 1
    for node in machine.values:
        if not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
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
    return _told(machine, source, node, where)


def _told(machine: Machine, source: Source, node: ast.expr, where: Range) -> Told | None:
    value, layer = machine.values[node]
    before = machine.state.layer
    machine.state.restore(layer)
    try:
        call = _call_of(machine, node)
        if call is not None:
            return Told(call, source.range(call), _transfer(machine, source, call))
        value = machine.resolve(value)
        text = " ".join(source.slice(node).split())
        told = _value(machine, text, value)
        return None if told is None else Told(node, where, told)
    finally:
        machine.state.restore(before)


def _call_of(machine: Machine, node: ast.expr) -> ast.Call | None:
    """The `.to(...)` call whose method name `node` is, if it is one on a module."""
    if not (isinstance(node, ast.Attribute) and node.attr in ("to", "cuda", "cpu")):
        return None
    for each in machine.values:
        if isinstance(each, ast.Call) and each.func is node:
            receiver = machine.resolve(machine.values.get(node.value, (None,))[0])
            if isinstance(receiver, (InstanceValue, TensorValue)):
                return each
    return None


def _transfer(machine: Machine, source: Source, call: ast.Call) -> str:
    assert isinstance(call.func, ast.Attribute)  # noqa: S101  the caller has looked
    receiver_node = call.func.value
    receiver = machine.resolve(machine.values[receiver_node][0])
    name = " ".join(source.slice(receiver_node).split())
    text = " ".join(source.slice(call).split())
    if isinstance(receiver, InstanceValue):
        return (
            f"`{text}` moves the parameters and buffers of the **module** in place, and returns the module itself.\n\n"
            f"`{name} = {text}` and `{text}` alone do the same; to keep a copy where it was, use"
            f" `copy.deepcopy({name}).{call.func.attr}(...)`."
        )
    return (
        f"`{text}` returns a **tensor** on the device asked for and leaves `{name}` as it is"
        f" (it returns `{name}` itself when it is there already).\n\nUse its result: `{name} = {text}`."
    )


def _value(machine: Machine, text: str, value: object) -> str | None:
    if isinstance(value, Either):
        tensor = machine.tensor_of(value, infer=False)
        if tensor is None:
            kinds = dict.fromkeys(describe(machine, each) for each in leaves(value))
            return None if "Unknown" in kinds else f"`{text}`: " + " or ".join(f"`{kind}`" for kind in kinds)
        value = tensor
    if isinstance(value, TensorValue):
        return _tensor(machine, text, value)
    if isinstance(value, InstanceValue) and modules.is_module(machine, value):
        return _module(machine, text, value)
    if isinstance(value, DeviceValue):
        return f"`{text}`: device **{device_text(value.device)}**"
    if isinstance(value, Symbol) and value.hint == "tensor":
        return _tensor(machine, text, machine.as_tensor(value))
    if isinstance(value, Symbol):
        return None
    told = describe(machine, value)
    return None if told in ("Unknown", "None") else f"`{text}`: {told}"


def _tensor(machine: Machine, text: str, tensor: TensorValue) -> str:
    kind = "Parameter" if tensor.is_parameter else "Tensor"
    needs = flag(machine.requires_grad(tensor))
    leaf = flag(machine.is_leaf(tensor))
    rows = [
        f"`{text}`: **{kind}** on **{device_text(machine.device(tensor))}**",
        "",
        f"- requires grad: {_word(needs)}" + (f" (leaf: {_word(leaf)})" if needs != "False" else ""),
    ]
    if tensor.shape is not None:
        rows.append(f"- shape: `{shape_text(tensor)}`")
    if tensor.dtype not in (None, "float"):
        rows.append(f"- dtype: `{tensor.dtype}`")
    history = _history(machine, tensor)
    if history:
        rows += ["", "History:", ""]
        rows += history
    return "\n".join(rows)


def _word(flag_text: str) -> str:
    return {"True": "yes", "False": "no"}.get(flag_text, "not known")


def _history(machine: Machine, tensor: TensorValue) -> list[str]:
    rows: list[tuple[tuple[str, int, int], str]] = []
    for slot, step in (("device_step", tensor.device_step), ("grad_step", tensor.grad_step)):
        found = machine.state.get(tensor, slot, step)
        if isinstance(found, Step):
            rows += [
                (each.site.key, f"- line {each.site.key[1]}: {each.what}") for each in found.story()[-4:]
            ]
    return list(dict.fromkeys(text for _, text in sorted(rows, key=lambda row: row[0])))


def _module(machine: Machine, text: str, value: InstanceValue) -> str:
    name = value.cls.name if value.cls is not None else value.library.rpartition(".")[2]
    here = modules.device(machine, value)
    owned = modules.parameters(machine, value)
    frozen = sum(1 for each in owned if machine.requires_grad(each) is False)
    training = machine.state.get(value, "training")
    rows = [
        f"`{text}`: **Module** `{name}`" + (f" on **{device_text(here)}**" if here is not None else ""),
        "",
    ]
    if owned:
        rows.append(f"- parameters seen: {len(owned)}" + (f", of which frozen: {frozen}" if frozen else ""))
    if training is not None:
        rows.append(
            f"- mode: {'train' if machine.truth(training) is True else 'eval' if machine.truth(training) is False else 'not known'}"
        )
    moved = machine.state.get(value, "#moved")
    if isinstance(moved, Step):
        rows.append(f"- line {moved.site.key[1]}: {moved.what}")
    return "\n".join(rows)
