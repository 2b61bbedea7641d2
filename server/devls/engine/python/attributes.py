"""Reading and writing attributes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import program_moments
from devls.engine.core.joins import Entries
from devls.engine.evidence import hidden_modules, opaque_models
from devls.engine.python import calls, classes, imports, mappings, narrowing
from devls.engine.torch.autograd import backward
from devls.engine.torch.nn import attributes as module_attributes
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors import attributes as tensor_attributes
from devls.values.conditions import Either
from devls.values.state import MISSING
from devls.values.value import (
    NONE,
    BoundMethod,
    ClassValue,
    Const,
    DeviceValue,
    FunctionValue,
    InstanceValue,
    LibraryName,
    Mapping,
    ModuleValue,
    NativeFunction,
    Object,
    Sequence,
    SuperValue,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.machine import Machine

SYMBOL_METHODS = frozenset(
    "to cuda cpu detach eval train step zero_grad parameters numpy item tolist".split()
)
"""Methods that mean the same on whatever has them; special.py says what."""


def get_attribute(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, owner: object, name: str
) -> object:
    """`owner.name`."""
    kind: object = type(owner)
    if kind is Either or kind is Symbol:
        owner = m.resolve(owner)
    # Those that are asked most come first, and by their very type: nothing is asked more often than this.
    if type(owner) is InstanceValue:
        return instance_attribute(m, node, receiver_node, owner, name)
    if type(owner) is LibraryName:
        return m.library.attribute(owner, name)
    if type(owner) is Symbol:
        return symbol_attribute(m, node, receiver_node, owner, name)
    if type(owner) is TensorValue:
        return tensor_attributes.get(m, node, receiver_node, owner, name)
    if isinstance(owner, Either):
        return m.select(
            Either(owner.condition, True, False),
            get_attribute(m, node, receiver_node, owner.then, name),
            get_attribute(m, node, receiver_node, owner.otherwise, name),
        )
    if isinstance(owner, ModuleValue):
        value = m.state.get(owner.scope, name, MISSING)
        if value is not MISSING:
            return imports.read(m, owner.scope, name, value)
        found = m.modules.submodule(m, owner, name)
        return m.unknown(node) if found is None else found
    if isinstance(owner, ClassValue):
        return _class_attribute(m, owner, name)
    if isinstance(owner, SuperValue):
        return _super_attribute(m, owner, name)
    if isinstance(owner, DeviceValue):
        if name == "type":
            from devls.engine.python.narrowing import device_type  # noqa: PLC0415  one use

            return device_type(m, owner.device)
        return Symbol(("device attribute", owner, name), name, hint="number")
    if isinstance(owner, TupleValue) and name in owner.fields[: len(owner.items)]:
        return owner.items[owner.fields.index(name)]
    if isinstance(owner, (Sequence, Mapping, TupleValue, Const)):
        text = owner.kind if isinstance(owner, Object) else "tuple"
        if isinstance(owner, Const):
            text = type(owner.value).__name__
        return BoundMethod(LibraryName(f"builtins.{text}.{name}"), owner, receiver_node, name)
    if isinstance(owner, (FunctionValue, BoundMethod)):
        inner = owner.function if isinstance(owner, BoundMethod) else owner
        if name == "__name__" and isinstance(inner, FunctionValue):
            return Const(inner.name)
        if name in ("__name__", "__qualname__", "__doc__", "__module__"):
            return Symbol(("name", id(owner), name), name, hint="string")
        value = m.state.get(owner, name, MISSING)
        if isinstance(owner, BoundMethod) and name == "__self__":
            return owner.receiver
        if value is MISSING and isinstance(owner, BoundMethod) and not name.startswith("__"):
            program_moments.method_attribute_read(m, node, owner, receiver_node)
        return m.unknown(node) if value is MISSING else value
    return m.unknown(node)


def instance_attribute(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, owner: InstanceValue, name: str
) -> object:
    """An attribute of an instance: its own, its class's, its library class's."""
    value = m.state.get(owner, name, MISSING)
    if value is not MISSING:
        return value
    value = mappings.attribute(m, owner, name)
    if value is not MISSING:
        return value
    if name == "data" and mappings.holds_data(m, owner):
        return mappings.of(m, owner)
    if name == "__dict__":
        m.state.set(owner, "#any attribute", True)
        known = hidden_modules.attributes(m, owner) if registry.is_module(m, owner) else {}
        return m.new_dict(known, m.unknown())
    if owner.cls is not None:
        found = classes.class_attribute(m, owner.cls, name)
        if found is not MISSING:
            return _bound(m, found, owner, receiver_node, node)
    if owner.library not in mappings.NAMESPACES:  # these have what they are given, and no more
        library = module_attributes.library_attribute(m, node, receiver_node, owner, name)
        if library is not None:
            return library
    mapping = mappings.of(m, owner)
    if mapping is not None and name in mappings.METHODS:
        return BoundMethod(mappings.bound(name), mapping, receiver_node, name)
    if owner.cls is not None:
        getter = classes.class_attribute(m, owner.cls, "__getattr__")
        if isinstance(getter, FunctionValue) and not registry.is_module(m, owner):
            return calls.call_function(m, getter, [owner, Const(name)], {}, None, receiver=owner)
        if getter in (LibraryName("builtins.dict.get"), LibraryName("builtins.dict.__getitem__")) and mapping:
            return calls.call(m, BoundMethod(getter, mapping), [Const(name)], {}, None)
        if getter is not MISSING:
            return Symbol(("attr", id(owner), name), name)
    # Set by code that we did not run, or an error of the user's that is not ours to report.
    found = Symbol(
        ("attr", id(owner), name),
        f"{m.text(receiver_node) if receiver_node is not None else 'self'}.{name}",
        named=True,
        hint="device" if _is_device(name) else "",
        site=m.site(node) if owner.symbolic else None,
        plausible=False,
    )
    if owner.cls is not None and classes.has_unseen_base(m, owner.cls):
        m.state.set(found, "#receiver", owner)
    return found


def _is_device(name: str) -> bool:
    return name == "device" or name.endswith("_device")


def _bound(
    m: Machine, value: object, owner: InstanceValue, receiver_node: ast.expr | None, node: ast.expr
) -> object:
    if isinstance(value, FunctionValue):
        if value.kind == "static":
            return value
        if value.kind == "class":
            return BoundMethod(value, owner.cls, receiver_node, value.name)
        if value.kind == "property":
            return calls.call_function(m, value, [owner], {}, node, receiver=owner)
        return BoundMethod(value, owner, receiver_node, value.name)
    return value


def _class_attribute(m: Machine, cls: ClassValue, name: str) -> object:
    value = classes.class_attribute(m, cls, name)
    if isinstance(value, FunctionValue) and value.kind == "class":
        return BoundMethod(value, cls, None, name)
    if value is not MISSING:
        return value
    if name in ("__name__", "__qualname__"):
        return Const(cls.name)
    if name == "apply" and any("autograd" in base for base in classes.library_bases(m, cls)):
        return BoundMethod(LibraryName("torch.autograd.Function.apply"), cls, None, "apply")
    # What only says that a class is abstract has nothing of its own to call.
    for base in sorted(classes.library_bases(m, cls), key=lambda each: (each.startswith(_ABSTRACT), each)):
        if base != "?":
            return m.library.attribute(LibraryName(base), name)
    return m.unknown()


_ABSTRACT: Final = ("abc.", "typing.", "builtins.")
"""Begin the names of bases that say what a class is like."""


def _filling(
    m: Machine, cls: ClassValue, instance: InstanceValue
) -> Callable[[list[object], dict[str, object]], object]:
    """The `__init__` of a data class, for an instance."""

    def run(arguments: list[object], keywords: dict[str, object]) -> object:
        classes.fill_fields(m, cls, instance, arguments, keywords)
        return NONE

    return run


def _super_attribute(m: Machine, value: SuperValue, name: str) -> object:
    if name == "__init__":
        # Wherever this leads: somebody has thought of it.
        m.state.set(value.receiver, "#initialized", True)
    receiver = value.receiver
    start = receiver.cls if isinstance(receiver, InstanceValue) and receiver.cls is not None else value.cls
    found = classes.class_attribute(m, start, name, after=value.cls)
    if isinstance(found, FunctionValue):
        if found.kind == "static":
            return found
        return BoundMethod(found, receiver, None, name)
    if found is not MISSING:
        return found
    if isinstance(receiver, InstanceValue):
        if name == "__init__":
            order = classes.linearize(m, start)
            written = (
                next(
                    (
                        each
                        for each in order[order.index(value.cls) + 1 :]
                        if each.dataclass_fields is not None
                    ),
                    None,
                )
                if value.cls in order
                else None
            )
            if written is not None:
                return NativeFunction(name, _filling(m, written, receiver))
            return BoundMethod(LibraryName("super().__init__"), receiver, None, name)
        if name == "__setattr__":
            return BoundMethod(LibraryName("builtins.object.__setattr__"), receiver, None, name)
        mapping = mappings.of(m, receiver)
        if mapping is not None:
            return BoundMethod(mappings.bound(name), mapping, None, name)
        library = module_attributes.library_attribute(m, ast.Name(name), None, receiver, name)
        if library is not None:
            return library
    return m.unknown()


def symbol_attribute(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, owner: Symbol, name: str
) -> object:
    """An attribute of something unknown: what was written there, else a symbol that agrees with itself."""
    value = m.state.get(owner, name, MISSING)
    if value is not MISSING:
        return value
    if owner.hint == "tensor":
        return tensor_attributes.get(m, node, receiver_node, m.as_tensor(owner), name)
    if name in tensor_attributes.HINT_AT_TENSORS:
        m.state.set(owner, "has shape", True)
    if _is_device(name):
        hint = "device"
    elif name in ("shape", "ndim", "dtype", "type", "name"):
        hint = "number"
    elif isinstance(owner.key, tuple) and owner.key[0] == "options":
        hint = "number" if m.state.get(owner.key, f"#number {name}") is True else ""
    else:
        hint = ""
    only_tensors = name in tensor_attributes.METHODS_OF_TENSORS_ONLY and owner.hint not in (
        "module",
        "object",
    )
    if isinstance(getattr(node, "ctx", None), ast.Load) and only_tensors:
        return BoundMethod(LibraryName(f"torch.Tensor.{name}"), m.as_tensor(owner), receiver_node, name)
    if (
        (owner.device is not None or owner.computed is not None)
        and not owner.hint
        and (name == "grad" or m.library.operation(f"torch.Tensor.{name}") is not None)
    ):
        # What a model returns is a tensor as soon as it is asked what tensors answer.
        return tensor_attributes.get(m, node, receiver_node, m.as_tensor(owner), name)
    if name == "is_cuda" or (
        owner.layer_key is not None and m.library.operation(f"torch.Tensor.{name}") is not None
    ):
        return tensor_attributes.get(m, node, receiver_node, m.as_tensor(owner), name)
    if name in SYMBOL_METHODS:
        return BoundMethod(LibraryName(f"symbol.{name}"), owner, receiver_node, name)
    found = Symbol(
        ("attr", owner.key, name),
        f"{owner.text}.{name}",
        named=owner.named,
        hint=hint,
        plausible=owner.plausible and name != "data",
        site=owner.site,
        device=owner.device,
        computed=owner.computed,
    )
    if (
        name in _PARAMETERS and _is_item(owner) and m.state.get(("alike", owner.key[1]), name) is True  # type: ignore[index]
    ):
        tensor = m.as_tensor(found)
        m.state.set(tensor, "requires_grad", value=True)
        m.state.set(tensor, "leaf", value=True)
    return found


_PARAMETERS: Final = ("weight", "bias")


def _is_item(owner: Symbol) -> bool:
    return isinstance(owner.key, tuple) and owner.key[0] == "item"


def set_attribute(
    m: Machine,
    target: ast.Attribute,
    owner: object,
    name: str,
    value: object,
    node: ast.expr | None,
    *,
    augmented: bool = False,
) -> None:
    """`owner.name = value`."""
    owner = m.resolve(owner)
    if name == "grad" and m.resolve(value) != NONE:
        program_moments.gradient_assigned(m, target, owner)
        if not isinstance(owner, TensorValue) or owner.symbol is not None:
            backward.open_backward(m, target)  # of a parameter that we do not see
    if name == "requires_grad_" and isinstance(m.resolve(value), Const):
        opaque_models.flag_set(m, target, owner, name, node, "this is a method, and is not called")
    if m.loops and node is not None and isinstance(owner, InstanceValue):
        program_moments.replaced(m, target, m.state.get(owner, name), value, node)
    if isinstance(owner, TensorValue):
        tensor_attributes.set_(m, target, owner, name, value, node)
        return
    if isinstance(owner, InstanceValue):
        if owner.cls is not None:
            setter = classes.class_attribute(m, owner.cls, f"{classes.SETTER}{name}")
            if isinstance(setter, FunctionValue):
                calls.call_function(m, setter, [owner, value], {}, None, receiver=owner)
                return
        if registry.is_module(m, owner):
            module_attributes.set_attribute(m, target, owner, name, value, node, augmented=augmented)
            return
        setter = MISSING
        if owner.cls is not None:
            setter = classes.class_attribute(m, owner.cls, "__setattr__")
        if isinstance(setter, FunctionValue):
            calls.call_function(m, setter, [owner, Const(name), value], {}, None, receiver=owner)
            if mappings.of(m, owner) is None and m.state.get(owner, name, MISSING) is MISSING:
                m.state.set(owner, name, m.unknown())
            return
        mapping = mappings.of(m, owner)
        if mapping is not None:
            if name == "data" and mappings.holds_data(m, owner):
                mappings.put(m, owner, value)
                return
            if name == "__dict__" and value is owner:
                m.state.set(owner, "#entries are attributes", True)
            elif setter == LibraryName("builtins.dict.__setitem__") or (
                m.state.get(owner, "#entries are attributes") is True
            ):
                calls.call(
                    m, BoundMethod(mappings.bound("__setitem__"), mapping), [Const(name), value], {}, None
                )
                return
        registry.set_slot(m, owner, name, value)
        m.state.set(owner, f"set {name}", m.site(target))
        kept = m.resolve(value)
        if isinstance(kept, InstanceValue) and m.state.get(kept, "built in forward") is not None:
            m.state.set(kept, "built in forward", None)  # the next call finds it there
        return
    if isinstance(owner, ModuleValue):
        m.state.set(owner.scope, name, value)
        return
    if isinstance(owner, ClassValue):
        owner.scope.names.add(name)
        m.state.set(owner.scope, name, value)
        return
    if isinstance(owner, Symbol):
        if (
            name in ("requires_grad", "require_grad")
            and opaque_models.is_module_like(m, owner)
            and not narrowing.is_found_a_tensor(m, owner)
        ):
            opaque_models.flag_set(m, target, owner, name, node)
        if name in ("requires_grad", "require_grad") and owner.hint == "tensor":
            tensor_attributes.set_(m, target, m.as_tensor(owner), name, value, node)
            return
        if isinstance(value, TensorValue) and value.is_parameter and _is_item(owner):
            # The items of a list are alike: what is a parameter of one of them is a parameter of all.
            m.state.set(("alike", owner.key[1]), name, m.requires_grad(value))  # type: ignore[index]
        if name == "grad":
            backward.clear_unseen(m)
        m.state.set(owner, name, value)
        return
    if isinstance(owner, (FunctionValue, BoundMethod, Object)):
        m.state.set(owner, name, value)
    if isinstance(owner, Either):
        several = m.alternatives(owner)
        others = [each for each in several if not isinstance(each, InstanceValue)]
        if name in ("requires_grad", "require_grad") and others:
            several = others  # of several things those are meant that have such a flag
        for each in several:
            if isinstance(each, (TensorValue, InstanceValue)):
                # Either of several: a weak write, the old value stays possible.
                before = m.state.get(each, name, MISSING)
                set_attribute(m, target, each, name, value, node, augmented=augmented)
                after = m.state.get(each, name, MISSING)
                if (
                    before is not MISSING
                    and after is not MISSING
                    and before != after
                    and isinstance(each, InstanceValue)
                ):
                    m.state.set(each, name, m.any_of((before, after)))


__all__ = ["Entries", "get_attribute", "set_attribute"]
