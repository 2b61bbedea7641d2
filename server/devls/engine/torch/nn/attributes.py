"""Attributes of modules: what assigning one registers, and what reading one gives."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, tensor_facts, training_moments
from devls.engine.core.events.events import FlagWithoutEffect, InvalidDevice, ParameterLost, ParameterRebound
from devls.engine.core.slots import set_slot
from devls.engine.python import entries
from devls.engine.python.classes import library_bases
from devls.engine.torch import checkpoints, distributions, frameworks, optim, optimizer_construction
from devls.engine.torch.nn import registry as modules
from devls.syntax.nodes import walk
from devls.text.positions import whole_number
from devls.values.conditions import Condition, leaves
from devls.values.graph import Node
from devls.values.history import Step
from devls.values.state import AMBIENT, MISSING
from devls.values.value import (
    TRUE,
    BoundMethod,
    Const,
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
    from devls.engine.core.joins import Entries
    from devls.engine.core.machine import Machine


def _is_an_option_of_its_own(m: Machine, owner: InstanceValue, name: str, node: ast.expr | None) -> bool:
    """Whether a module keeps what its constructor was given: `self.requires_grad = requires_grad`."""
    frame = m.frame
    return (
        frame.receiver is owner
        and frame.function is not None
        and isinstance(node, ast.Name)
        and node.id == name
        and any(
            each.arg == name
            for each in (*frame.function.node.args.args, *frame.function.node.args.kwonlyargs)
        )
    )


_BOUND: Final = "#bound"
"""Slot of a parameter: whether a module has it as an attribute, by the tests under which it was set."""


@library_semantics.set_attribute_of_module.answer
def set_attribute(
    m: Machine,
    target: ast.Attribute,
    owner: InstanceValue,
    name: str,
    value: object,
    node: ast.expr | None,
    *,
    augmented: bool = False,
) -> None:
    """`module.name = value`."""
    resolved = m.resolve(value)
    training_moments.module_attribute_set(m, target, owner, name, resolved)
    if name in ("requires_grad", "require_grad"):
        _set_flag(m, target, owner, name, value, node)
        return
    if (place := whole_number(name)) is not None:
        modules.set_child(m, owner, place, value)
        return
    before = m.state.get(owner, name, MISSING)
    if isinstance(resolved, (Symbol, TensorValue)) and not _counts(before):
        checkpoints.kept(m, node, resolved)
    if isinstance(resolved, TensorValue):
        _keep_tensor(m, target, owner, name, resolved, node, augmented=augmented)
        if resolved.is_parameter:
            m.state.set(resolved, _BOUND, True)
    if any(isinstance(each, (Sequence, Mapping, TupleValue)) for each in leaves(resolved)):
        m.state.set(owner, f"set {name}", (m.site(target), node))
    if isinstance(resolved, InstanceValue):
        m.state.set(resolved, "built in forward", None)  # registered at the first call, and kept
        _replaced(m, target, before, resolved)
    if _rebinds_parameter(m, before, resolved):
        m.emit(
            ParameterRebound(
                m.site(target),
                m.frame.statement,
                m.text(target),
                node if isinstance(node, ast.expr) else None,
                under_no_grad=False,
                attribute=name,
                computed=isinstance(resolved, TensorValue) and m.requires_grad(resolved) is True,
            )
        )
        return
    set_slot(m, owner, name, value)


def _set_flag(
    m: Machine,
    target: ast.Attribute,
    owner: InstanceValue,
    name: str,
    value: object,
    node: ast.expr | None,
) -> None:
    """`module.requires_grad = flag`: an attribute like any other, which torch does not read."""
    if not _is_an_option_of_its_own(m, owner, name, node):
        m.emit(
            FlagWithoutEffect(
                m.site(target),
                m.frame.statement,
                m.text(target.value),
                "a module has no such flag",
                target.value,
                name,
                node,
            )
        )
    m.state.set(owner, name, value)


def _keep_tensor(
    m: Machine,
    target: ast.Attribute,
    owner: InstanceValue,
    name: str,
    tensor: TensorValue,
    node: ast.expr | None,
    *,
    augmented: bool,
) -> None:
    """Remember where a module has been given a tensor, as a plain attribute or as a lost parameter."""
    if m.is_leaf(tensor) is False:
        m.state.set(tensor, "kept at", (m.site(target), node))
    lost = m.state.get(tensor, "parameter lost")
    if node is not None and lost is None and not augmented and _is_computed_of_new_parameter(m, tensor, node):
        lost = " ".join(m.text(node).split())
    if isinstance(lost, str):
        m.emit(ParameterLost(m.site(target), m.frame.statement, lost, name, tensor.origin))
    buffers = m.state.get(owner, "#buffers", frozenset())
    if not tensor.is_parameter and name not in buffers and not augmented:  # type: ignore[operator]
        step = m.state.get(tensor, "device_step", tensor.device_step)
        if isinstance(step, Step) and step.kind in ("created", "parameter", "placed"):
            step = _own_step(m, owner, name, tensor, step)
            m.state.set(step, "attribute", (owner, name, m.site(target)))


def _is_computed_of_new_parameter(m: Machine, tensor: TensorValue, node: ast.expr) -> bool:
    """Whether an expression makes a Parameter and computes with it at once: `nn.Parameter(x) * 0.02`."""
    graph = m.node(tensor)
    if not isinstance(graph, Node) or tensor.is_parameter or m.is_leaf(tensor) is not False:
        return False
    inside = walk(node)
    return any(
        each.is_parameter and each.origin is not None and each.origin.node in inside for each in graph.inputs
    )


def _rebinds_parameter(m: Machine, before: object, after: object) -> bool:
    """Whether the name of a parameter is bound to a plain tensor, which torch refuses."""
    return (
        isinstance(before, TensorValue)
        and before.is_parameter
        and isinstance(after, TensorValue)
        and not after.is_parameter
        and after.symbol is None
        and m.state.get(after, "parameter lost") is None
        and m.state.get(after, tensor_facts.TAKEN_FOR_PARAMETER) is None
        and m.state.resolve(m.state.get(before, _BOUND, True)) is not None
    )


def _counts(before: object) -> bool:
    """Whether an attribute holds a number, or a text, so that what replaces it is no tensor either."""
    return all(isinstance(each, Const) and each.value is not None for each in leaves(before))


def _own_step(m: Machine, owner: object, name: str, tensor: TensorValue, step: Step) -> Step:
    """The step that tells of this attribute: what is computed from another one of the same object shares that one's so far."""
    marks = [each for each in leaves(m.state.get(step, "attribute")) if isinstance(each, tuple)]
    if not any(mark[0] is owner and mark[1] != name for mark in marks):
        return step
    own = Step(step.what, step.site, step.before, step.chosen, step.kind)
    m.state.set(own, "made", m.state.get(step, "made"))
    m.state.set(tensor, "device_step", own)
    return own


def _replaced(m: Machine, target: ast.Attribute, before: object, after: InstanceValue) -> None:
    """`model.head = nn.Linear(...)`: an optimizer that has taken the old parameters keeps those."""
    before = None if before is MISSING else m.resolve(before)
    if not isinstance(before, InstanceValue) or before is after or not modules.is_module(m, before):
        return
    old = modules.parameters(m, before)
    if any(m.state.get(each, "#optimized") is not None for each in old):
        note_replaced(
            m, target, after, trained=any(m.state.get(each, "grad site") is not None for each in old)
        )


def note_replaced(
    m: Machine, target: ast.Attribute | ast.Subscript, after: InstanceValue, *, trained: bool
) -> None:
    """A module takes the place of one whose parameters an optimizer has taken: those of the new one are not in it."""
    new = [each for each in modules.parameters(m, after) if m.state.get(each, "#optimized") is None]
    for each in new:
        m.state.set(each, "#replaced at", (m.site(target), m.frame.statement, m.text(target), trained))
    known = m.state.get(AMBIENT, "replaced parameters", ())
    m.state.set(AMBIENT, "replaced parameters", (*known, *new))  # type: ignore[misc]


@library_semantics.attribute_of_instance.answer
def library_attribute(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, owner: InstanceValue, name: str
) -> object:
    """An attribute that an instance has from its library class; None if that is not known."""
    if name == "state" and m.library.optimizer(owner.library) is not None:
        optim.state_taken(m, owner)
    if modules.is_module(m, owner):
        return _module_attribute(m, node, receiver_node, owner, name)
    if owner.cls is None:
        placed = frameworks.attribute(owner, name)
        if placed is not None:
            return placed
        if owner.library.startswith(distributions.PREFIX):
            found = distributions.attribute(m, owner, name, node)
            if found is not None:
                return found
        return BoundMethod(LibraryName(f"{owner.library}.{name}"), owner, receiver_node, name)
    return optimizer_construction.inherited_method(m, owner, name)


def _module_attribute(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, owner: InstanceValue, name: str
) -> object:
    """An attribute that a module has from `torch.nn.Module` or from its layer class; None if that is not known."""
    if name in METHODS:
        return BoundMethod(LibraryName(f"torch.nn.Module.{name}"), owner, receiver_node, name)
    if name == "training":
        return m.state.get(owner, "training", TRUE)
    if name in ("_parameters", "_buffers", "_modules"):
        return _registry_dict(m, owner, name)
    if name == "module" and owner.library in modules.WRAPPERS:
        return m.state.get(owner, "#wrapped")
    if m.state.get(owner, "#any attribute") is not None:
        text = m.text(receiver_node) if receiver_node is not None else "self"
        return Symbol(("attr", id(owner), name), f"{text}.{name}")
    asked = Condition.known(("hasattr", id(owner), Const(name)))
    if asked is not None and m.state.assumed(asked) is True:
        return Symbol(("attr", id(owner), name), name)
    if name == "device" and not owner.symbolic and (owner.cls is None or not _unknown_bases(m, owner)):
        m.emit(
            InvalidDevice(
                m.site(node),
                m.frame.statement,
                "a Module has no attribute `device`",
                f"next({m.text(receiver_node)}.parameters()).device" if receiver_node is not None else "",
            )
        )
        return m.unknown(node)
    if name == "device" and modules.owned(m, owner):
        return _device_value(m, owner)
    if name in _AS_GIVEN:
        given = dict(m.state.get(owner, "#given", ()))  # type: ignore[call-overload]
        if name in given:
            return given[name]
    if name in _NUMBERS:
        return Symbol(("attr", id(owner), name), name, hint="number", named=True)
    if owner.cls is None or not _unknown_bases(m, owner) or not modules.owned(m, owner):
        return None
    return BoundMethod(LibraryName(f"{owner.library}.{name}"), owner, receiver_node, name)


def _registry_dict(m: Machine, owner: InstanceValue, name: str) -> Mapping:
    """`module._parameters`, `_buffers` or `_modules`: a dict that is written through to the module."""
    held: dict[object, object]
    if name == "_modules":
        held = dict(modules.children(m, owner))
    else:
        held = {
            key: value
            for key, value, buffered in modules.tensors(m, owner)
            if buffered is (name == "_buffers")
        }
    found = m.new_dict(held, None if modules.is_whole(m, owner) else m.unknown())
    m.state.set(found, entries.REGISTRY_OF, owner)
    return found


def _device_value(m: Machine, owner: InstanceValue) -> object:
    here = modules.device(m, owner)
    return m.unknown() if here is None else DeviceValue(here)


def _unknown_bases(m: Machine, owner: InstanceValue) -> bool:
    if owner.cls is None:
        return False
    return any(
        name == "?" or not (name.startswith(("torch.nn", "builtins.", "abc.", "typing.")))
        for name in library_bases(m, owner.cls)
    )


_NUMBERS: Final = frozenset(
    {"in_features", "out_features", "hidden_size", "embedding_dim", "num_embeddings", "num_layers"}
)
_AS_GIVEN: Final = _NUMBERS | frozenset(
    "in_channels out_channels groups num_features num_channels num_groups input_size batch_first bidirectional embed_dim"
    " num_heads p eps".split()
)
"""Attributes in which layers keep an argument of that name, as it was given. Sizes of kernels are made tuples of; they
are not here.
"""

METHODS = frozenset(
    "to cuda cpu xpu half float double bfloat16 type to_empty parameters named_parameters buffers named_buffers children"
    " named_children modules named_modules train eval requires_grad_ zero_grad state_dict load_state_dict apply"
    " register_buffer register_parameter add_module register_module register_forward_hook register_forward_pre_hook"
    " register_full_backward_hook register_backward_hook share_memory get_parameter get_submodule get_buffer extra_repr"
    " append extend insert items keys values pop update clear __len__ __setattr__ forward compile _apply".split()
)


@library_semantics.registered_entry.answer
def entry_put(m: Machine, module: object, entries: Entries, index: object, value: object) -> None:
    """`module._parameters[name] = value`: the module has that in the place of what it had, which need not be a Parameter.

    Under a name that is not known it may be in the place of any.
    """
    names = [index.value] if isinstance(index, Const) else list(entries.known)
    if not isinstance(index, Const) and isinstance(module, InstanceValue):
        library_semantics.set_under_unknown_name(m, module, value)
    for name in names:
        if not isinstance(module, InstanceValue) or not isinstance(name, str):
            continue
        known = m.resolve(value)
        followed = isinstance(index, Const) and (
            isinstance(known, InstanceValue) or (isinstance(known, TensorValue) and known.is_parameter)
        )
        place = whole_number(name)
        if isinstance(known, InstanceValue) and place is not None:
            modules.set_child(m, module, place, known if followed else m.unknown())
        else:
            set_slot(m, module, name, known if followed else m.unknown())
