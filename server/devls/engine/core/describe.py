"""How a value is shown: in `reveal_value`, hovers and messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core import library_semantics
from devls.engine.core.joins import Contents, Entries, key_told
from devls.values.conditions import Either, leaves
from devls.values.devices import describe as describe_device
from devls.values.value import (
    BoundMethod,
    ClassValue,
    Const,
    DeviceValue,
    FunctionValue,
    InstanceValue,
    LibraryName,
    Mapping,
    ModuleValue,
    PartialValue,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


def flag(tree: object) -> str:
    """A tree of True, False and None."""
    if isinstance(tree, Either):
        found = set(leaves(tree))
        return "?" if len(found) > 1 else flag(found.pop())
    return "?" if tree is None else str(tree)


def shape_text(tensor: TensorValue) -> str:
    """A shape as torch prints it, `?` for a size that is not known."""
    if tensor.shape is None:
        return "?"
    sizes = ["?" if size is None else str(size) for size in tensor.shape]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def device_text(device: object) -> str:
    """A device; an accelerator without an index is the current one."""
    text = describe_device(device)
    return "cuda:0" if text == "cuda" else text


def describe(m: Machine, value: object) -> str:
    """One line that says what is known of a value."""
    value = m.resolve(value)
    if isinstance(value, Either):
        tensor = m.tensor_of(value, infer=False)
        parts = dict.fromkeys(describe(m, each) for each in m.alternatives(value))
        del tensor
        return " | ".join(parts)
    if isinstance(value, TensorValue):
        kind = "Parameter" if value.is_parameter else "Tensor"
        dtype = value.dtype if value.dtype not in (None, "float") else "?"
        return (
            f"{kind} device={device_text(m.device(value))} requires_grad={flag(m.requires_grad(value))}"
            f" is_leaf={flag(m.is_leaf(value))} shape={shape_text(value)} dtype={dtype}"
        )
    if isinstance(value, DeviceValue):
        return f"Device {describe_device(value.device)}"
    if isinstance(value, InstanceValue):
        return _instance(m, value)
    if isinstance(value, Const):
        return repr(value.value)
    if isinstance(value, TupleValue):
        inner = ", ".join(describe(m, each) for each in value.items)
        return f"({inner},)" if len(value.items) == 1 else f"({inner})"
    if isinstance(value, (Sequence, Mapping)):
        return _container(m, value)
    if isinstance(value, FunctionValue):
        return f"Function {value.name}"
    if isinstance(value, ClassValue):
        return f"Class {value.name}"
    if isinstance(value, (LibraryName, ModuleValue)):
        return value.name
    if isinstance(value, BoundMethod):
        return f"Method {value.name}"
    if isinstance(value, PartialValue):
        return "Partial"
    if isinstance(value, Symbol):
        if value.hint == "tensor":
            return describe(m, m.as_tensor(value))
        return {
            "number": "Number", "string": "String", "bool": "Bool", "module": "Module device=?", "device": "Device ?",
        }.get(value.hint, "Unknown")  # fmt: skip
    return "Unknown"


def _instance(m: Machine, value: InstanceValue) -> str:
    known = library_semantics.describe_instance(m, value)
    if known is not None:
        return known
    if value.cls is not None:
        return f"Instance {value.cls.name}"
    if value.library == "numpy.ndarray":
        return "Array"
    return f"Instance {value.library.rpartition('.')[2]}"


def _container(m: Machine, value: Sequence | Mapping) -> str:
    contents = m.state.get(value, "#items" if isinstance(value, Sequence) else "#entries")
    if isinstance(contents, Contents):
        items = [describe(m, each) for each in contents.items or ()]
        if contents.element is not None or contents.items is None:
            items.append(f"*{describe(m, contents.element)}" if contents.element is not None else "*?")
        return f"{value.kind}[{', '.join(items)}]"
    if isinstance(contents, Entries):
        pairs = [f"{describe(m, key_told(key))}: {describe(m, each)}" for key, each in contents.known.items()]
        if contents.rest is not None:
            pairs.append(f"*: {describe(m, contents.rest)}")
        return f"{{{', '.join(pairs)}}}"
    return value.kind
