"""Datasets, loaders, and rows of tensors."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, tensor_facts
from devls.engine.core.joins import Contents, Entries
from devls.engine.core.transfer import ROWS
from devls.engine.python import calls, classes, iteration
from devls.engine.python.classes import library_bases, linearize
from devls.engine.torch.autograd import graph_construction
from devls.engine.torch.nn import construction, registry
from devls.engine.torch.tensors import host
from devls.engine.torch.tensors.indexing import ONE_OF
from devls.syntax.nodes import walk
from devls.values.conditions import Either, both, negation
from devls.values.devices import CPU, UNKNOWN_DEVICE
from devls.values.graph import Node, Storage
from devls.values.history import Step
from devls.values.value import (
    Const,
    FunctionValue,
    InstanceValue,
    LibraryName,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine

LOADERS = frozenset({"torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"})


@ROWS.of(TensorValue)
def tensor_row(m: Machine, tensor: TensorValue, node: ast.expr | None) -> TensorValue:
    """One item of a tensor that is iterated or unpacked."""
    needs = both(m.grad_enabled(), m.requires_grad(tensor))
    result = TensorValue(
        device=m.device(tensor),
        requires_grad=needs,
        leaf=negation(needs),
        dtype=tensor.dtype,
        shape=tensor.shape[1:] if tensor.shape else None,
        nonscalar=tensor_facts.is_whole_batch(tensor),
        storage=tensor.storage,
        view_of=tensor.view_of or tensor,
        inference=tensor.inference,
        origin=m.site(node) if node is not None else tensor.origin,
        device_step=tensor.device_step,
        grad_step=tensor.grad_step,
        symbol=Symbol(("row", id(tensor), m.fresh_number()), f"an item of {tensor.symbol.text}")
        if tensor.symbol is not None and tensor.symbol.hint != "tensor"
        else None,
    )
    if tensor.shape is None:
        m.state.set(result, ONE_OF, True)
    if needs is not False and result.origin is not None:
        result.node = Node(
            "torch.Tensor.unbind",
            (tensor,),
            result.origin,
            (),
            keeps=False,
            edges=(m.node(tensor),),  # type: ignore[arg-type]
        )
    graph_construction.view_made(m, result, "several")
    return result


@library_semantics.items_of_instance.answer
def instance_items(m: Machine, value: InstanceValue) -> list[object] | None:
    """Items of an instance, where they are known one by one (ModuleList, ParameterList)."""
    contents = m.state.get(value, "#children")
    if isinstance(contents, Contents) and contents.items is not None and contents.element is None:
        if value.library.endswith("Dict"):
            names = registry.child_names(m, value)
            return None if names is None else [Const(each) for each in names]
        return list(contents.items)
    return None


@library_semantics.element_of_instance.answer
def instance_element(m: Machine, value: InstanceValue, node: ast.expr | None, number: int) -> object | None:
    """Items of a library object that is iterated; None when that is not known."""
    del number
    contents = m.state.get(value, "#children")
    if isinstance(contents, Contents):
        if value.library.endswith("Dict"):
            return Symbol(("key", m.fresh_number()), "key", hint="string")
        return m.any_of((*(contents.items or ()), contents.element))
    if value.library in LOADERS or any(base in LOADERS for base in _bases(m, value)):
        return _batch(m, value, node)
    if value.cls is None and m.state.get(value, "dataset items") is not None:
        return dataset_item(m, value, node)
    return None


def _bases(m: Machine, value: InstanceValue) -> frozenset[str]:
    if value.cls is None:
        return frozenset()
    return library_bases(m, value.cls)


def dataset_item(m: Machine, dataset: object, node: ast.expr | None) -> object | None:
    """`dataset[i]`."""
    dataset = m.resolve(dataset)
    if isinstance(dataset, InstanceValue):
        method = classes.method_of(m, dataset, "__getitem__")
        if method is not None:
            index = Symbol(("index", m.fresh_number()), "index", hint="number", named=True)
            return calls.call(m, method, [index], {}, node)
        method = classes.method_of(m, dataset, "__iter__")
        if method is not None:
            return iteration.element(m, calls.call(m, method, [], {}, node), node, 0)
        given = m.state.get(dataset, "dataset items")
        if isinstance(given, tuple):
            return TupleValue(
                tuple(
                    tensor_row(m, each, node) if isinstance(each, TensorValue) else m.unknown()
                    for each in map(m.resolve, given)
                )
            )
        inner = m.state.get(dataset, "#argument")
        if inner is not None and dataset.library.endswith(("Subset", "ConcatDataset")):
            return dataset_item(m, inner, node)
    if isinstance(dataset, (Sequence, TensorValue)):
        return iteration.element(m, dataset, node, 0)
    return None


def _batch(m: Machine, loader: InstanceValue, node: ast.expr | None) -> object:
    """One batch of a DataLoader."""
    sample = dataset_item(m, m.state.get(loader, "dataset"), node)
    collate = m.resolve(m.state.get(loader, "collate_fn", Const(None)))
    if not isinstance(collate, Const):
        samples = m.new_list((), node)
        m.state.set(samples, "#items", Contents(None, m.unknown() if sample is None else sample))
        return calls.call(m, collate, [samples], {}, node)
    if sample is None:
        # A class of the program's own may put its batches together in its own way.
        return cpu_structure(m, loader, node) if loader.cls is None else m.unknown(node)
    return _collate(m, sample, loader, node, 3)


def transforms_given(m: Machine, call: Invocation) -> None:
    """A chain of transforms calls the functions that it is given on what a data set reads, on the CPU."""
    for function in _functions_in(m, (*call.arguments, *call.keywords.values()), 3):
        symbol = Symbol(("read", m.fresh_number()), "what a data set reads")
        item = TensorValue(device=CPU, requires_grad=False, leaf=True, storage=Storage(), symbol=symbol)
        calls.call(m, function, [item], {}, call.node)


def _functions_in(m: Machine, values: Iterable[object], depth: int) -> Iterator[FunctionValue]:
    for value in values:
        for each in m.alternatives(value):
            if isinstance(each, FunctionValue):
                yield each
            elif depth and isinstance(each, TupleValue):
                yield from _functions_in(m, each.items, depth - 1)
            elif depth and isinstance(each, Sequence):
                contents = m.state.get(each, "#items")
                if isinstance(contents, Contents):
                    yield from _functions_in(m, (*(contents.items or ()), contents.element), depth - 1)


HELD_ELSEWHERE: Final = "#held elsewhere"
"""The slot of a loader whose data set held a tensor that is not on the CPU when the loader was made."""


def holds_elsewhere(m: Machine, dataset: object) -> bool:
    """Whether a data set holds a tensor that is not on the CPU, or was given one by the call that made it, if its class is not seen."""
    held = [
        value
        for each in m.alternatives(dataset)
        if isinstance(each, InstanceValue)
        for value in (
            m.state.get(each, "#argument"),
            *(value for _, value in registry.entries(m, each)),
        )
    ]
    return any(isinstance(each, TensorValue) and m.device(each) != CPU for each in map(m.resolve, held))


def may_be_elsewhere(m: Machine, loader: InstanceValue) -> bool:
    """Whether batches need not be on the CPU: the data set holds tensors elsewhere, or its class moves them itself."""
    return m.state.get(loader, HELD_ELSEWHERE) is True or any(
        isinstance(each, ast.Attribute) and each.attr in ("cuda", "to")
        for dataset in m.alternatives(m.state.get(loader, "dataset"))
        if isinstance(dataset, InstanceValue) and dataset.cls is not None
        for cls in linearize(m, dataset.cls)
        for each in walk(cls.node)
    )


def cpu_structure(m: Machine, loader: InstanceValue, node: ast.expr | None) -> TensorValue:
    """A batch of which only is known that a DataLoader made it: whatever is in it is on the CPU, or the default device."""
    site = loader.origin if loader.origin is not None else m.site(node) if node is not None else None
    return TensorValue(
        device=UNKNOWN_DEVICE if m.sets_default_device or may_be_elsewhere(m, loader) else CPU,
        requires_grad=False,
        leaf=True,
        storage=Storage(),
        origin=site,
        device_step=None
        if site is None
        else Step("a DataLoader gives batches on the CPU", site, kind="loaded"),
        symbol=Symbol((tensor_facts.WHOLE_BATCH, m.fresh_number()), "the batch"),
    )


def _collate(m: Machine, value: object, loader: InstanceValue, node: ast.expr | None, depth: int) -> object:
    value = m.resolve(value)
    if depth == 0:
        return m.unknown()
    if isinstance(value, TensorValue):
        site = loader.origin
        return TensorValue(
            device=m.device(value),
            requires_grad=m.requires_grad(value) if m.requires_grad(value) is not False else False,
            leaf=negation(m.requires_grad(value)),
            dtype=value.dtype,
            shape=(None, *value.shape) if value.shape is not None else None,
            nonscalar=True,
            storage=Storage(),
            origin=site,
            device_step=value.device_step
            if value.device_step is not None and m.device(value) != CPU
            else Step("a DataLoader gives batches on the CPU", site, kind="loaded")
            if site is not None
            else None,
        )
    if isinstance(value, TupleValue):
        # A list, which can be written to, as of old: only tuples with names stay what they are.
        return m.new_list(tuple(_collate(m, each, loader, node, depth - 1) for each in value.items), node)
    if isinstance(value, Mapping):
        entries = m.state.get(value, "#entries")
        if isinstance(entries, Entries):
            known = {key: _collate(m, each, loader, node, depth - 1) for key, each in entries.known.items()}
            rest = None if entries.rest is None else _collate(m, entries.rest, loader, node, depth - 1)
            return m.new_dict(Entries(known, rest, entries.there), node=node)
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents) and contents.items is not None:
            return m.new_list(
                tuple(_collate(m, each, loader, node, depth - 1) for each in contents.items), node
            )
    if isinstance(value, Const) and isinstance(value.value, str):
        return m.unknown()
    if isinstance(value, Either):
        return m.select(
            Either(value.condition, True, False),
            _collate(m, value.then, loader, node, depth - 1),
            _collate(m, value.otherwise, loader, node, depth - 1),
        )
    is_number = isinstance(value, (Const,)) or (isinstance(value, Symbol) and value.hint == "number")
    if is_number or (isinstance(value, InstanceValue) and value.library == "numpy.ndarray"):
        batch = cpu_structure(m, loader, node)
        return TensorValue(
            device=batch.device,
            requires_grad=False,
            leaf=True,
            nonscalar=True,
            storage=Storage(),
            origin=batch.origin,
            device_step=batch.device_step,
        )
    if isinstance(value, Symbol) and value.hint == "string":
        return m.unknown()
    return cpu_structure(m, loader, node)


@library_semantics.item_of_instance.answer
def library_item(m: Machine, owner: InstanceValue, index: object, node: ast.Subscript) -> object:
    """`owner[index]` of a library object."""
    part = construction.item(m, owner, index, node.slice)
    if part is not None:
        return part
    if owner.library == "numpy.ndarray":
        item = InstanceValue(None, "numpy.ndarray", owner.origin)
        m.state.set(item, "dtype", m.state.get(owner, "dtype"))
        if not isinstance(node.slice, (ast.Slice, ast.Tuple)):
            m.state.set(item, host.MAY_BE_NUMBER, True)  # of an array of one dimension
        return item
    found = dataset_item(m, owner, node)
    return m.unknown(node) if found is None else found


__all__ = ["LibraryName", "dataset_item", "tensor_row"]
