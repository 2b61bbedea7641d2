"""Symbols for parameters: annotation, default, documentation and use say what each is likely to be."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Final

from devls.engine.evidence import (
    argument_facts,
    batch_provenance,
    code_patterns,
)
from devls.engine.python import classes
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors.attributes import HINT_AT_TENSORS
from devls.library.effects import Result, Role
from devls.syntax.nodes import of_kind, of_tree, walk
from devls.values.history import Site
from devls.values.value import (
    ClassValue,
    Const,
    FunctionValue,
    InstanceValue,
    Symbol,
    TensorValue,
    TupleValue,
)
from devls.values.weights import NAMES_KEPT

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Frame

_BESIDE_TENSORS: Final = frozenset(
    {"None", "float", "int", "bool", "complex", "Number", "Parameter", "nn.Parameter"}
)

NUMBERS = frozenset({"int", "float", "bool", "complex"})


def bind_symbols(m: Machine, frame: Frame, function: FunctionValue, receiver: InstanceValue | None) -> None:
    """Bind each parameter of a function to a symbol, and the first one of a method to its receiver.

    A parameter whose default is a tensor is that tensor: who leaves it out gets it.
    """
    spec = function.node.args
    names = [*spec.posonlyargs, *spec.args]
    first_default = len(names) - len(function.defaults)
    is_method = receiver is not None and function.kind != "static"
    takes_tensors = function.name == "forward" and receiver is not None and registry.is_module(m, receiver)
    takes_gradients = (
        function.name == "backward"
        and function.cls is not None
        and "torch.autograd.Function" in classes.library_bases(m, function.cls)
    )
    for index, each in enumerate(names):
        default = function.defaults[index - first_default] if index >= first_default else None
        if index == 0 and is_method:
            value: object = receiver if function.kind != "class" else function.cls
        elif isinstance(default, TensorValue):
            value = default
        else:
            value = _symbol(
                m, frame, function, each, default, forward=takes_tensors or (index > 0 and takes_gradients)
            )
        frame.scope.names.add(each.arg)
        m.state.set(frame.scope, each.arg, value)
    for index, each in enumerate(spec.kwonlyargs):
        frame.scope.names.add(each.arg)
        default = function.keyword_defaults[index]
        value = (
            default
            if isinstance(default, TensorValue)
            else _symbol(m, frame, function, each, default, forward=takes_tensors)
        )
        m.state.set(frame.scope, each.arg, value)
    if spec.vararg is not None:
        frame.scope.names.add(spec.vararg.arg)
        m.state.set(
            frame.scope,
            spec.vararg.arg,
            Symbol(
                ("arguments", id(function.node)),
                f"*{spec.vararg.arg}",
                named=True,
                plausible=frame.plausible,
                site=Site(function.source, spec.vararg, ()),
            ),
        )
    if spec.kwarg is not None:
        frame.scope.names.add(spec.kwarg.arg)
        m.state.set(frame.scope, spec.kwarg.arg, m.new_dict({}, m.unknown()))


def _symbol(
    m: Machine, frame: Frame, function: FunctionValue, argument: ast.arg, default: object, *, forward: bool
) -> Symbol:
    """A parameter's symbol: its annotation, default and name say what it is likely to be."""
    name = argument.arg
    annotation = _written(argument.annotation) if argument.annotation is not None else ""
    hint = ""
    if _is_tensor(annotation) or annotation.strip("'\"").rpartition(".")[2] == "Parameter":
        hint = "tensor"
    elif annotation in NUMBERS:
        hint = "number"
    elif annotation == "str":
        hint = "string"
    elif "device" in annotation or name == "device":
        hint = "device"
    elif annotation.removesuffix(" | None").endswith("dtype"):
        hint = "dtype"
    elif "Module" in annotation:
        hint = "module"
    elif annotation.startswith(("list", "List", "dict", "Dict", "tuple", "Tuple", "Sequence", "Callable")):
        hint = ""
    elif (cls := _annotated_class(m, function, annotation)) is not None:
        hint = "module" if classes.is_module_class(m, cls) else "object"
    elif isinstance(default, Const) and default.value is not None and default.value is not ...:
        hint = "string" if isinstance(default.value, str) else "number"
        if isinstance(default.value, str) and default.value.split(":")[0] in ("cpu", "cuda"):
            hint = "device"
    elif (
        not annotation
        and (name in _used_as_tensors(function.node) or _is_computed_with(m, function, name))
        and not _of_another_kind(m, function.node, name)
    ) or (forward and not annotation and not isinstance(default, TupleValue)):
        hint = "tensor"
    site = Site(function.source, argument, ())
    return Symbol(
        argument_facts.key_of(function.definition, name),
        name,
        named=True,
        hint=hint,
        plausible=frame.plausible and batch_provenance.is_expected(name),
        site=site,
    )


def _written(annotation: ast.expr) -> str:
    """The same as `ast.unparse`; most annotations are short."""
    if isinstance(annotation, ast.Name):
        return annotation.id
    if isinstance(annotation, ast.Attribute) and isinstance(annotation.value, ast.Name):
        return f"{annotation.value.id}.{annotation.attr}"
    if isinstance(annotation, ast.Subscript) and not isinstance(annotation.slice, ast.Tuple):
        return f"{_written(annotation.value)}[{_written(annotation.slice)}]"
    return ast.unparse(annotation)


@functools.lru_cache(maxsize=NAMES_KEPT)
def _is_tensor(annotation: str) -> bool:
    """Whether an annotation leaves nothing but tensors, or what tensors can be made of as they are: numbers, None."""
    if "Tensor" not in annotation:
        return False
    inner = annotation.strip("'\"")
    for opening in ("Optional[", "Union["):
        inner = inner.replace(f"typing.{opening}", opening).replace(opening, "").replace("]", "")
    kinds = [each.strip() for each in inner.replace("|", ",").split(",")]
    return all("[" not in each and (each in _BESIDE_TENSORS or "Tensor" in each) for each in kinds)


def _annotated_class(m: Machine, function: FunctionValue, annotation: str) -> ClassValue | None:
    """The class of the project that an annotation names; none where its objects may be tensors."""
    name = annotation.strip("'\"")
    found = m.resolve(m.state.get(function.scope.globals, name)) if name.isidentifier() else None
    if not isinstance(found, ClassValue):
        return None
    bases = classes.library_bases(m, found)
    return None if "?" in bases or any("Tensor" in each for each in bases) else found


@of_tree(maxsize=256)
def _used_as_tensors(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    """Parameters that are documented as tensors, or of which the body asks what only tensors (and arrays) answer."""
    said = "" if isinstance(node, ast.Lambda) else ast.get_docstring(node) or ""
    documented = set(code_patterns.DOCUMENTED_TENSOR.findall(said))
    return frozenset(
        documented
        | {
            root.id
            for each in of_kind(node, ast.Attribute)
            if each.attr in HINT_AT_TENSORS and (root := _computed_from(each.value)) is not None
        }
    )


def _is_computed_with(m: Machine, function: FunctionValue, name: str) -> bool:
    """Whether the body gives a parameter, or that times a number, to a function of torch that takes a tensor and no number."""
    return any(
        operation is not None
        and operation.result is Result.TENSOR
        and operation.parameters[:1]
        and operation.parameters[0].role in (Role.EXACT, Role.ELEMENT)
        for called in _given_to_torch(function.node).get(name, ())
        for operation in (m.library.operation(called),)
    )


_OF_TORCH: Final = {"torch": "torch", "F": "torch.nn.functional"}


@of_tree(maxsize=256)
def _given_to_torch(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> dict[str, tuple[str, ...]]:
    """By parameter that is never bound again: the functions of torch that are called with it, or with that times a number, first."""
    found: dict[str, tuple[str, ...]] = {}
    stored: set[str] = set()
    for each in walk(node):
        if isinstance(each, ast.Name):
            if not isinstance(each.ctx, ast.Load):
                stored.add(each.id)
        elif isinstance(each, ast.Call) and each.args and isinstance(each.func, ast.Attribute):
            owner = each.func.value
            module = _OF_TORCH.get(owner.id) if isinstance(owner, ast.Name) else None
            given = None if module is None else _computed_from(each.args[0])
            if given is not None:
                found[given.id] = (*found.get(given.id, ()), f"{module}.{each.func.attr}")
    return {name: called for name, called in found.items() if name not in stored}


def _of_another_kind(
    m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str
) -> bool:
    """Whether a parameter is asked for what no tensor has: some class with a `.to` or a `.detach` of its own."""
    attributes, tested = _asked_for(node)
    return name not in tested and any(
        m.library.exists(f"torch.Tensor.{each}") is False for each in attributes.get(name, ())
    )


@of_tree(maxsize=256)
def _asked_for(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> tuple[dict[str, set[str]], frozenset[str]]:
    """The attributes that are read from each name, and the names that the body itself tests for what they are."""
    attributes: dict[str, set[str]] = {}
    tested: set[str] = set()
    others: set[int] = set()
    for each in walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
            if isinstance(each.ctx, ast.Load):
                attributes.setdefault(each.value.id, set()).add(each.attr)
            else:
                tested.add(each.value.id)  # an attribute that is made here
        elif isinstance(each, ast.Call) and isinstance(each.func, ast.Name):
            if each.func.id in ("isinstance", "hasattr", "getattr", "type"):
                tested |= {argument.id for argument in each.args[:1] if isinstance(argument, ast.Name)}
        elif isinstance(each, ast.Assign):
            of_its_own = _computed_by_itself(each.value)
            tested |= {
                target.id  # another value under the same name; `x = x.expand(...)` is of the same kind
                for target in each.targets
                if isinstance(target, ast.Name) and target.id != of_its_own
            }
            others |= {id(target) for target in each.targets}
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and id(each) not in others:
            tested.add(each.id)
    return attributes, frozenset(tested)


def _computed_by_itself(node: ast.expr) -> str:
    """The name of what a method of it gives: `x` of `x.expand(...)`."""
    called = node.func if isinstance(node, ast.Call) else None
    owner = called.value if isinstance(called, ast.Attribute) else None
    return owner.id if isinstance(owner, ast.Name) else ""


def _computed_from(node: ast.expr) -> ast.Name | None:
    """The name that an arithmetic expression with numbers is about: `x`, `(x - 1)`, `-x`."""
    while True:
        if isinstance(node, ast.UnaryOp):
            node = node.operand
        elif isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
            node = node.left
        elif isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant):
            node = node.right
        else:
            return node if isinstance(node, ast.Name) else None
