"""Operands that are no results: a method that was not called, a loss that was built of tensors."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, program_moments, training_moments
from devls.engine.core.events.calls import NotCallable
from devls.engine.core.events.events import LossClassCalled, NotCalled
from devls.engine.core.joins import Contents
from devls.engine.evidence import use_of_names
from devls.engine.torch.functions import tensors
from devls.engine.torch.nn.state_dicts import LOADED
from devls.engine.torch.table import SPECIAL
from devls.engine.torch.tensors.attributes import METHODS_OF_TENSORS_ONLY
from devls.syntax.layout import parents
from devls.values.conditions import Either, leaves
from devls.values.devices import NamedDevice, UnknownDevice
from devls.values.graph import Node
from devls.values.history import Site
from devls.values.value import (
    BoundMethod,
    Const,
    InstanceValue,
    LibraryName,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


@training_moments.layer_built.on
def loss_built(m: Machine, instance: InstanceValue, call: Invocation) -> None:
    """A loss was built with what may be tensors at its first two places: arithmetic with it will tell."""
    if not call.name.endswith("Loss") or len(call.arguments) < len(("input", "target")):
        return
    if all(isinstance(m.resolve(each), Symbol) for each in call.arguments[:2]):
        m.state.set(instance, "#built of unknowns", (m.site(call.node), m.frame.statement, call.short_name))


def _is_method(m: Machine, name: str) -> bool:
    if name.rpartition(".")[2] in ("values", "indices"):
        return False  # of a sparse tensor they are methods, of the result of `max` they are not
    return m.library.operation(name) is not None or name in SPECIAL


def _of_tensor(m: Machine, value: object) -> bool:
    """Whether it is a method of what is a tensor for sure, and not merely taken for one."""
    receiver = m.resolve(value.receiver) if isinstance(value, BoundMethod) else None
    return isinstance(receiver, TensorValue) and receiver.symbol is None


def _may_be_another(m: Machine, receiver: object) -> bool:
    """Whether it was computed from what somebody gave: an array has a `size` that is a number, a layer such a `stride`."""
    value = m.resolve(receiver)
    return isinstance(value, TensorValue) and any(
        isinstance(each, NamedDevice | UnknownDevice) for each in leaves(m.device(value))
    )


def _is_surely_method(m: Machine, value: BoundMethod, name: str) -> bool:
    """Whether a name of `torch.Tensor` is a method of this receiver: it is a tensor for sure, or only tensors have that name."""
    if not _is_method(m, name):
        return False
    symbol = getattr(m.resolve(value.receiver), "symbol", None)
    if symbol is not None and not tensors.is_given_as_tensor(symbol):
        return value.name in METHODS_OF_TENSORS_ONLY
    return not (name.endswith((".size", ".stride")) and _may_be_another(m, value.receiver))


_OWN: Final = frozenset({"torch", "builtins", "symbol", "super()", "collections"})


def _is_known_method(m: Machine, value: BoundMethod, name: str) -> bool:
    """Whether a name of a library is that of a method; of other libraries' classes it may be a property, which does something."""
    if name.startswith("torch.Tensor."):
        return _is_surely_method(m, value, name)
    if name.startswith("numpy."):
        return False  # functions have the names of what arrays have: `shape`, `size`, `real`
    if name.startswith("builtins."):
        return callable(getattr(getattr(builtins, name.split(".")[1], None), value.name, None))
    return name.partition(".")[0] in _OWN or m.library.operation(name) is not None


@program_moments.attribute_dropped.on
def dropped(m: Machine, statement: ast.Expr, node: ast.Attribute, value: object) -> None:
    """A method stands alone on a line and is not called."""
    if (
        isinstance(value, BoundMethod)
        and isinstance(value.function, LibraryName)
        and _is_known_method(m, value, value.function.name)
    ):
        m.emit(NotCalled(m.site(node), statement, m.text(node), node))


@moments.operands_given.on
def operands_given(m: Machine, call: Invocation) -> None:
    """An operation on tensors is operands_given a method of one, or a list of them (`torch.cat`)."""
    sides = [
        (each, node)
        for value, node in zip(call.arguments, call.nodes, strict=False)
        if node
        for each in _with_items(m, m.resolve(value))
    ]
    operands(m, call.node, [each for each in sides if _of_tensor(m, each[0])])


def _with_items(m: Machine, value: object) -> tuple[object, ...]:
    """A value, or what a list of it holds."""
    if isinstance(value, TupleValue):
        return tuple(m.resolve(each) for each in value.items)
    contents = m.state.get(value, "#items") if isinstance(value, Sequence) else None
    if not isinstance(contents, Contents):
        return (value,)
    return tuple(m.resolve(each) for each in (*(contents.items or ()), contents.element))


@program_moments.method_attribute_read.on
def attribute_of_method_read(
    m: Machine, node: ast.expr, owner: BoundMethod, receiver: ast.expr | None
) -> None:
    """`x.cpu.numpy()`: an attribute of a method, where one of its result was meant."""
    if isinstance(node, ast.Attribute) and m.library.exists(f"torch.Tensor.{node.attr}") is False:
        return  # `mock.to.call_args`: no tensor has that, so it is none
    if receiver is not None and _of_tensor(m, owner):
        operands(m, node, [(owner, receiver)])


@program_moments.operands_met.on
def operands(
    m: Machine,
    node: ast.expr | ast.stmt,
    sides: Iterable[tuple[object, ast.expr]],
    *,
    compared: bool = False,
) -> None:
    """Neither a method of a tensor nor a module takes part in arithmetic: its result was meant."""
    for given_value, side in sides:
        value = given_value
        kind = type(value)
        if kind is Const or kind is Symbol or kind is TensorValue:
            continue  # most are
        if isinstance(value, Either):
            several = [m.resolve(each) for each in m.alternatives(value)]
            if not all(isinstance(each, BoundMethod) for each in several):
                continue
            value = several[0]
        if isinstance(value, InstanceValue) and not compared:
            built = m.state.get(value, "#built of unknowns")
            if (
                isinstance(built, tuple)
                and isinstance(built[0], Site)
                and isinstance(built[0].node, ast.Call)
            ):
                site, statement, name = built
                m.emit(LossClassCalled(site, statement, name, site.node))
        elif isinstance(value, BoundMethod) and isinstance(value.function, LibraryName):
            name = value.function.name
            if not name.startswith("torch.Tensor."):
                continue  # subclasses of Tensor have attributes of their own
            if not _of_tensor(m, value):
                continue  # what is merely taken for a tensor may be a problem with a `dim`, a transform with a `flip`
            if value.receiver_node is None or not _is_surely_method(m, value, name):
                continue
            receiver = value.receiver_node
            if isinstance(receiver, ast.Name) and use_of_names.more_than_of_tensors(
                m, m.source, receiver, {receiver.id}
            ):
                continue  # a graph has `col_indices`
            site = _named_at(m, value, side)
            named = site.node
            assert isinstance(named, ast.expr)  # noqa: S101  for the type checker
            statement = m.frame.statement if named is side else None
            text = m.text(named) if site.source is m.source else " ".join(site.text.split())
            used = None if named is side else m.site(side)
            m.emit(NotCalled(site, statement, text, named, m.text(node), used))


def _named_at(m: Machine, method: BoundMethod, side: ast.expr) -> Site:
    """Place that names a method of the tensor that is an operand at `side`.

    It is the operand itself, or the place where it was read, perhaps in another file.
    """
    if isinstance(side, ast.Attribute) and side.attr == method.name:
        return m.site(side)
    tensor, receiver = m.resolve(method.receiver), method.receiver_node
    node = m.node(tensor) if isinstance(tensor, TensorValue) else None
    origins = (node.site if isinstance(node, Node) else None, getattr(tensor, "origin", None))
    for source in dict.fromkeys((m.source, *(each.source for each in origins if isinstance(each, Site)))):
        named = parents(source).get(receiver) if receiver is not None else None
        if isinstance(named, ast.Attribute) and named.value is receiver:
            return m.site(named) if source is m.source else Site(source, named)
    return m.site(side)


# Callees that cannot be called


_TOLD: Final = "#told"
"""The slot of a result of `load_state_dict` that says that it was taken for the module: one mistake is told once."""


@program_moments.value_called.on
def value_called(m: Machine, value: object, node: ast.expr | None) -> None:
    """A tensor, a flag of one, or what `load_state_dict` has returned is called."""
    if not isinstance(node, ast.Call) or m.alternatives_called:
        return
    kind = ""
    if isinstance(value, TensorValue):
        # A value that is merely taken for a tensor may be anything.
        graph = m.node(value)
        computed = isinstance(graph, Node) and not graph.open and m.requires_grad(value) is True
        kind = "tensor" if computed and value.shape == () else ""
    elif isinstance(value, Const):
        kind = "bool" if isinstance(value.value, bool) and isinstance(node.func, ast.Attribute) else ""
    elif isinstance(value, TupleValue):
        kind = "loaded" if value.fields == LOADED and m.state.get(value, _TOLD) is None else ""
        m.state.set(value, _TOLD, True)
    if kind:
        made = value.origin if isinstance(value, TensorValue) else None
        m.emit(NotCallable(m.site(node), m.frame.statement, m.text(node.func), kind, "", made))


@program_moments.attribute_lacking.on
def attribute_lacking(
    m: Machine, node: ast.expr, owner: TupleValue, name: str, receiver: ast.expr | None
) -> None:
    """`model.load_state_dict(weights).eval()`."""
    if owner.fields == LOADED and receiver is not None and m.state.get(owner, _TOLD) is None:
        m.state.set(owner, _TOLD, True)
        m.emit(NotCallable(m.site(node), m.frame.statement, m.text(receiver), "loaded", name, None))
