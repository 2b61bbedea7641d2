"""Reading attributes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, priors, program_moments
from devls.engine.core.transfer import ATTRIBUTES
from devls.engine.python import calls, classes, imports, instances, mappings, narrowing
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
    Sequence,
    SuperValue,
    Symbol,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.machine import Machine


def read_attribute(m: Machine, node: ast.Attribute, owner: object) -> object:
    """`owner.name` as it is written, of an owner that was evaluated."""
    if isinstance(owner, LibraryName):
        program_moments.library_name_read(m, node, owner.name)
    return get_attribute(m, node, node.value, owner, node.attr)


def get_attribute(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, owner: object, name: str
) -> object:
    """`owner.name`."""
    kind: type = type(owner)
    if kind is Either or kind is Symbol:
        owner = m.resolve(owner)
        kind = type(owner)
        if isinstance(owner, Either):
            return m.select(
                Either(owner.condition, True, False),
                get_attribute(m, node, receiver_node, owner.then, name),
                get_attribute(m, node, receiver_node, owner.otherwise, name),
            )
    run = ATTRIBUTES.get(kind)
    return m.unknown(node) if run is None else run(m, node, receiver_node, owner, name)


@ATTRIBUTES.of(LibraryName)
def _library_attribute(
    m: Machine, _node: ast.expr, _receiver_node: ast.expr | None, owner: LibraryName, name: str
) -> object:
    if name == "__version__":
        return Symbol(("attr", owner, name), f"{owner.name}.{name}", named=True, hint="string")
    return m.library.attribute(owner, name)


@ATTRIBUTES.of(ModuleValue)
def _global_of_module(
    m: Machine, node: ast.expr, _receiver_node: ast.expr | None, owner: ModuleValue, name: str
) -> object:
    value = m.state.get(owner.scope, name, MISSING)
    if value is not MISSING:
        return imports.read(m, owner.scope, name, value)
    found = m.modules.submodule(m, owner, name)
    return m.unknown(node) if found is None else found


@ATTRIBUTES.of(DeviceValue)
def _device_attribute(
    m: Machine, _node: ast.expr, _receiver_node: ast.expr | None, owner: DeviceValue, name: str
) -> object:
    if name == "type":
        return narrowing.device_type(m, owner.device)
    return Symbol(("device attribute", owner, name), name, hint="number")


@ATTRIBUTES.of(Sequence, Mapping, TupleValue, Const)
def _method_of_builtin(
    m: Machine,
    node: ast.expr,
    receiver_node: ast.expr | None,
    owner: Sequence | Mapping | TupleValue | Const,
    name: str,
) -> object:
    text = "tuple"
    if isinstance(owner, TupleValue):
        if name in owner.fields[: len(owner.items)]:
            return owner.items[owner.fields.index(name)]
        if owner.fields and not hasattr(tuple, name):
            program_moments.attribute_lacking(m, node, owner, name, receiver_node)
    else:
        text = type(owner.value).__name__ if isinstance(owner, Const) else owner.kind
    return BoundMethod(LibraryName(f"builtins.{text}.{name}"), owner, receiver_node, name)


@ATTRIBUTES.of(FunctionValue, BoundMethod)
def _function_attribute(
    m: Machine,
    node: ast.expr,
    receiver_node: ast.expr | None,
    owner: FunctionValue | BoundMethod,
    name: str,
) -> object:
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


@ATTRIBUTES.of(InstanceValue)
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
        known = priors.attributes_as_dict(m, owner) if classes.is_module(m, owner) else {}
        return m.new_dict(known, m.unknown())
    if owner.cls is not None:
        found = classes.class_attribute(m, owner.cls, name)
        if found is not MISSING:
            return _bound(m, found, owner, receiver_node, node)
    if name == "__class__" and not owner.symbolic:  # a symbolic one may be of a class that derives from it
        return narrowing.type_of(m, owner) if owner.cls is None else owner.cls
    if owner.library not in mappings.NAMESPACES:  # these have what they are given, and no more
        library = library_semantics.attribute_of_instance(m, node, receiver_node, owner, name)
        if library is not None:
            return library
    mapping = mappings.of(m, owner)
    if mapping is not None and name in mappings.METHODS:
        return BoundMethod(mappings.bound(name), mapping, receiver_node, name)
    if owner.cls is not None:
        getter = classes.class_attribute(m, owner.cls, "__getattr__")
        if isinstance(getter, FunctionValue) and not classes.is_module(m, owner):
            return calls.call_function(m, getter, [owner, Const(name)], {}, None, receiver=owner)
        if getter in (LibraryName("builtins.dict.get"), LibraryName("builtins.dict.__getitem__")) and mapping:
            return calls.call(m, BoundMethod(getter, mapping), [Const(name)], {}, None)
        if getter is not MISSING:
            return Symbol(("attr", id(owner), name), name)
    return _not_known(m, node, receiver_node, owner, name)


def _not_known(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, owner: InstanceValue, name: str
) -> Symbol:
    """An attribute that was set by code that we did not run, or an error of the user's that is not ours to report."""
    found = Symbol(
        ("attr", id(owner), name),
        f"{m.text(receiver_node) if receiver_node is not None else 'self'}.{name}",
        named=True,
        hint="device" if is_device(name) else "",
        site=m.site(node) if owner.symbolic else None,
        plausible=False,
    )
    if owner.cls is not None and classes.has_unseen_base(m, owner.cls):
        m.state.set(found, "#receiver", owner)
    elif classes.is_module(m, owner):
        m.state.set(found, OWNER, owner)
    return found


OWNER: Final = "#owner"
"""The slot of what is not known of a module, with that module."""


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


@ATTRIBUTES.of(ClassValue)
def class_attribute(
    m: Machine, _node: ast.expr, _receiver_node: ast.expr | None, cls: ClassValue, name: str
) -> object:
    """An attribute of a class: its own, or that of a base."""
    value = classes.class_attribute(m, cls, name)
    if isinstance(value, FunctionValue) and value.kind == "class":
        return BoundMethod(value, cls, None, name)
    if value is not MISSING:
        return value
    if name in ("__name__", "__qualname__"):
        return Const(cls.name)
    if name == "apply" and any("autograd" in base for base in classes.library_bases(m, cls)):
        return BoundMethod(LibraryName("torch.autograd.Function.apply"), cls, None, "apply")
    # A base that only marks a class as abstract has nothing of its own to call.
    for base in sorted(classes.library_bases(m, cls), key=lambda each: (each.startswith(_ABSTRACT), each)):
        if base != "?":
            return m.library.attribute(LibraryName(base), name)
    return m.unknown()


_ABSTRACT: Final = ("abc.", "typing.", "builtins.")
"""Begin the names of bases that say what a class is like."""


def is_device(name: str) -> bool:
    """Whether an attribute is called as those are that hold a device."""
    return name == "device" or name.endswith("_device")


def _filling(
    m: Machine, cls: ClassValue, instance: InstanceValue
) -> Callable[[list[object], dict[str, object]], object]:
    """The `__init__` of a data class, for an instance."""

    def run(arguments: list[object], keywords: dict[str, object]) -> object:
        instances.fill_fields(m, cls, instance, arguments, keywords)
        return NONE

    return run


@ATTRIBUTES.of(SuperValue)
def super_attribute(
    m: Machine, _node: ast.expr, _receiver_node: ast.expr | None, value: SuperValue, name: str
) -> object:
    """`super().name`."""
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
    return _inherited(m, value, receiver, start, name) if isinstance(receiver, InstanceValue) else m.unknown()


def _inherited(
    m: Machine, value: SuperValue, receiver: InstanceValue, start: ClassValue, name: str
) -> object:
    """Attributes of an object from the classes of libraries that it derives from, and from `dataclass`."""
    if name == "__init__":
        order = classes.linearize(m, start)
        behind = order[order.index(value.cls) + 1 :] if value.cls in order else []
        written = next((each for each in behind if each.dataclass_fields is not None), None)
        if written is not None:
            return NativeFunction(name, _filling(m, written, receiver))
        return BoundMethod(LibraryName("super().__init__"), receiver, None, name)
    if name == "__setattr__":
        base = "torch.nn.Module" if classes.is_module(m, receiver) else "builtins.object"
        return BoundMethod(LibraryName(f"{base}.__setattr__"), receiver, None, name)
    mapping = mappings.of(m, receiver)
    if mapping is not None:
        return BoundMethod(mappings.bound(name), mapping, None, name)
    library = library_semantics.attribute_of_instance(m, ast.Name(name), None, receiver, name)
    return m.unknown() if library is None else library
