"""How a value is shown: in `reveal_value`, hovers and messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
    """One line that says what is known of a value; of containers in one another, as far as they are looked into."""
    return _Description(m).of(value)


_PARTS: Final = 500
"""Number of values that one description looks at: a container may hold another one many times."""


class _Description:
    """One description that is being made."""

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.left = _PARTS

    def of(self, value: object) -> str:
        """Say of a value; "..." where too much has been said."""
        self.left -= 1
        return _describe(self.m, value, self) if self.left > 0 else "..."


def _describe(m: Machine, value: object, whole: _Description) -> str:
    value = m.resolve(value)
    if isinstance(value, Either):
        tensor = m.tensor_of(value, infer=False)
        parts = dict.fromkeys(whole.of(each) for each in m.alternatives(value))
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
        inner = ", ".join(whole.of(each) for each in value.items)
        return f"({inner},)" if len(value.items) == 1 else f"({inner})"
    if isinstance(value, (Sequence, Mapping)):
        return _container(m, value, whole)
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
            return whole.of(m.as_tensor(value))
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


def _container(m: Machine, value: Sequence | Mapping, whole: _Description) -> str:
    contents = m.state.get(value, "#items" if isinstance(value, Sequence) else "#entries")
    if isinstance(contents, Contents):
        items = [whole.of(each) for each in contents.items or ()]
        if contents.element is not None or contents.items is None:
            items.append(f"*{whole.of(contents.element)}" if contents.element is not None else "*?")
        return f"{value.kind}[{', '.join(items)}]"
    if isinstance(contents, Entries):
        pairs = [f"{whole.of(key_told(key))}: {whole.of(each)}" for key, each in contents.known.items()]
        if contents.rest is not None:
            pairs.append(f"*: {whole.of(contents.rest)}")
        return f"{{{', '.join(pairs)}}}"
    return value.kind
