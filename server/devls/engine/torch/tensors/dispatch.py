"""Calls of library functions: who runs them, by their names."""

from __future__ import annotations

import ast
import dataclasses
import functools
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments
from devls.engine.core.invocation import Invocation, NotGivenError
from devls.engine.core.transfer import CALLS, METHOD_CALLS
from devls.engine.python import builtins, classes, iterables
from devls.engine.torch import optim, optimizer_construction, table, unknown_calls
from devls.engine.torch.nn import construction as module_construction
from devls.engine.torch.nn import methods as module_methods
from devls.engine.torch.tensors import (
    host,
    numpy_dtypes,
    operations,
)
from devls.library import catalog
from devls.library.effects import Operation, Result
from devls.values.value import (
    NONE,
    BoundMethod,
    InstanceValue,
    LibraryName,
    Symbol,
    TensorValue,
)
from devls.values.weights import NAMES_KEPT

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.machine import Machine


@CALLS.of(LibraryName)
def _call_name(
    m: Machine,
    function: LibraryName,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    return call_library(m, function.name, None, arguments, keywords, node, nodes, keyword_nodes)


@METHOD_CALLS.of(LibraryName)
def _call_bound(
    m: Machine,
    method: BoundMethod,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    name = method.function.name  # type: ignore[attr-defined]
    return call_library(m, name, method, arguments, keywords, node, nodes, keyword_nodes)


def call_library(
    m: Machine,
    name: str,
    method: BoundMethod | None,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    """Call something of torch, numpy, Python or any other library."""
    if node is None:
        node = m.placeholder()
    if method is not None:
        arguments = [method.receiver, *arguments]
        nodes = [method.receiver_node, *nodes]
    call = Invocation(name, arguments, keywords, node, nodes, keyword_nodes, method is not None)
    run = _by_name(name)
    try:
        if keywords or moments.is_watched(name):
            moments.library_called(m, call)
        result = _call(m, call, method) if run is None else run(m, call)
    except NotGivenError:
        result = unknown_calls.unknown_call(m, call)
    if name.startswith("numpy."):
        numpy_dtypes.made(m, call, result)
    return result


@functools.lru_cache(maxsize=NAMES_KEPT)
def _by_name(name: str) -> Callable[[Machine, Invocation], object] | None:
    """Handler of the calls of a name, whatever its receiver and arguments; None for most operations on tensors."""
    run = table.SPECIAL.get(name) or table.by_prefix(name)
    if run is not None:
        return run
    if name.startswith("builtins."):
        return builtins.call
    if catalog.layer(name) is not None:
        return module_construction.construct
    return None if catalog.optimizer(name) is None else optimizer_construction.construct


def _call(m: Machine, call: Invocation, method: BoundMethod | None) -> object:
    name, node, arguments, keywords = call.name, call.node, call.arguments, call.keywords
    if method is not None and isinstance(method.receiver, InstanceValue):
        if name.startswith("torch.nn.Module."):
            return module_methods.call(m, call)
        if m.library.optimizer(method.receiver.library) is not None:
            return optim.call_method(m, call, method.receiver, method.name)
    if method is None and name.startswith("torch.nn.Module.") and arguments:
        module = m.resolve(arguments[0])  # `nn.Module.add_module(self, name, layer)`
        if isinstance(module, InstanceValue) and classes.is_module(m, module):
            return module_methods.call(m, call)
    if m.library.reads_on_host(name):
        return host.read_all(m, call)
    operation = m.library.operation(name)
    if name in ("numpy.ndarray.to", "numpy.ndarray.cuda", "numpy.ndarray.cpu") and not m.alternatives_called:
        numpy_dtypes.moved(m, call)
        return m.unknown(node)
    if operation is None and name.startswith("numpy."):
        if name in ("numpy.random.default_rng", "numpy.random.RandomState"):
            return InstanceValue(None, "numpy.random.Generator", m.site(node))
        return host.result_of_numpy(m, call)
    if operation is not None and _of_something_else(method, operation, keywords):
        return unknown_calls.unknown_call(m, call)
    if operation is not None:
        if not keywords.keys().isdisjoint(_OF_NUMPY):
            call = _under_names_of_torch(call, operation)
            keywords = call.keywords
        if operation.result in operations.OPAQUE or (not operation.parameters and m.library.surrounds(name)):
            return _opaque(m, operation, call)
        positional = [
            m.tensor_of(each, infer=False) is not None
            or (_is_sliced(call.nodes[index : index + 1]) if index else _may_be_tensor(m, each))
            for index, each in enumerate(arguments)
        ]
        operation = m.library.resolve(name, positional, list(keywords)) or operation
        return operations.perform(m, operation, call)
    return unknown_calls.unknown_call(m, call)


_OF_ANY: Final = frozenset({"*", "**", "axis", "keepdims", "dtype", "device", "out", "memory_format"})
"""Keywords that methods of tensors take beside their parameters, some of them under numpy's names."""


_OF_NUMPY: Final = {"axis": "dim", "keepdims": "keepdim"}
"""Keywords of numpy that functions of torch take for theirs."""


def _under_names_of_torch(call: Invocation, operation: Operation) -> Invocation:
    """Read keywords of numpy as torch does: `torch.max(x, axis=1, keepdims=True)` is told a `dim`, and has two results."""
    known = {each.name for each in operation.parameters}
    names = {old: new for old, new in _OF_NUMPY.items() if old not in known and new not in call.keywords}
    keywords = {names.get(name, name): value for name, value in call.keywords.items()}
    nodes = {names.get(name, name): node for name, node in call.keyword_nodes.items()}
    return dataclasses.replace(call, keywords=keywords, keyword_nodes=nodes)


def _of_something_else(method: BoundMethod | None, operation: Operation, keywords: dict[str, object]) -> bool:
    """Whether what is merely taken for a tensor is asked for what no tensor's method takes: `loader.new(num_workers=0)`."""
    receiver = None if method is None else method.receiver
    if not keywords or not isinstance(receiver, TensorValue) or receiver.symbol is None:
        return False
    known = {each.name for each in operation.parameters}
    return receiver.symbol.hint != "tensor" and not known.issuperset(keywords.keys() - _OF_ANY)


def _may_be_tensor(m: Machine, value: object) -> bool:
    """Whether the first argument is something unknown: what functions of torch are about is a tensor, most often."""
    value = m.resolve(value)
    return isinstance(value, Symbol) and value.hint not in ("number", "string", "bool")


def _is_sliced(nodes: list[ast.expr | None]) -> bool:
    """Whether an argument is cut out of something: `y[:, :2]` is no number, whatever `y` is."""
    node = nodes[0] if nodes else None
    if not isinstance(node, ast.Subscript):
        return False
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return any(isinstance(each, ast.Slice) for each in parts)


def _opaque(m: Machine, operation: Operation, call: Invocation) -> object:
    """Names that are no operations on tensors: some are known to leave their arguments alone."""
    harmless = operation.result in (Result.NUMBER, Result.STRING, Result.OBJECT) and not operation.writes
    if operation.result in (Result.NUMBER, Result.STRING):
        return operations.compute(m, operation, call.node, [], {})
    if operation.result is Result.RANGE:
        return iterables.make_range(m, call)
    if operation.result in operations.MODULES:
        return unknown_calls.unseen_module(
            m, call.node, call.short_name, on_cpu=operation.result is Result.CPU_MODULE
        )
    if call.short_name[:1].isupper():
        return unknown_calls.unknown_call(m, call)
    if harmless:
        kind = "object" if operation.result is Result.OBJECT else ""
        return Symbol(m.unknown(call.node).key, "?", hint=kind)
    result = unknown_calls.unknown_call(m, call)
    if call.name.startswith("torch.nn.utils.") and call.arguments:
        module = m.resolve(call.arguments[0])
        if isinstance(module, InstanceValue):
            # `spectral_norm`, `weight_norm`: the weight is computed now, from parameters under other names.
            m.state.set(module, "#open", True)
            m.state.set(module, "weight", m.unknown(call.node))
    if operation.result is Result.WRAPPER and call.arguments:
        return call.arguments[0]
    return NONE if operation.result is Result.NONE else result
