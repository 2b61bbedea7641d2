"""Attributes of what we cannot see: what they say of it, and what setting one does."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import priors, program_moments, tensor_facts
from devls.engine.core.transfer import ATTRIBUTE_WRITES, ATTRIBUTES, ITEM_WRITES, NAMES_WRITTEN
from devls.engine.python import narrowing
from devls.engine.python.attributes import is_device
from devls.engine.python.reflection import HELD_BY_UNSEEN
from devls.engine.torch.autograd import backward
from devls.engine.torch.nn import attributes as nn_attributes
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors import attributes as tensor_attributes
from devls.engine.torch.tensors import indexing
from devls.syntax.layout import parents
from devls.values.state import AMBIENT, MISSING
from devls.values.value import NONE, BoundMethod, Const, InstanceValue, LibraryName, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine

METHODS: Final = frozenset(
    "to cuda cpu detach eval train step zero_grad parameters named_parameters children modules named_children named_modules numpy"
    " item tolist".split()
)
"""Methods that mean the same on whatever has them; table.py says what."""


@ATTRIBUTES.of(Symbol)
def get(m: Machine, node: ast.expr, receiver_node: ast.expr | None, owner: Symbol, name: str) -> object:
    """An attribute of something unknown: what was written there, else a symbol that agrees with itself."""
    if (value := m.state.get(owner, name, MISSING)) is not MISSING:
        return value
    if name not in nn_attributes.METHODS and narrowing.is_no_tensor(m, owner):
        return Symbol(("attr", owner.key, name), f"{owner.text}.{name}", named=owner.named, site=owner.site)
    if owner.hint == "tensor":
        return tensor_attributes.get(m, node, receiver_node, m.as_tensor(owner), name)
    if name in tensor_attributes.HINT_AT_TENSORS:
        m.state.set(owner, "has shape", True)
    if is_device(name):
        hint = "device"
    elif name in ("shape", "ndim", "dtype", "type", "name"):
        hint = "number"
    elif isinstance(owner.key, tuple) and owner.key[0] == "options":
        hint = "number" if m.state.get(owner.key, f"#number {name}") is True else ""
    else:
        hint = ""
    only_tensors = owner.hint not in ("module", "object") and (
        name in tensor_attributes.METHODS_OF_TENSORS_ONLY
        or (name in _SHARED_WITH_ARRAYS and _is_called_as_tensors_are(m, node, name))
    )
    if isinstance(getattr(node, "ctx", None), ast.Load) and only_tensors:
        return BoundMethod(LibraryName(f"torch.Tensor.{name}"), m.as_tensor(owner), receiver_node, name)
    if name == "data" and m.state.get(owner, backward.ROOT) is not None:
        return tensor_attributes.get(m, node, receiver_node, m.as_tensor(owner), name)
    if (
        (
            owner.device is not None
            or owner.computed is not None
            or (name not in METHODS and owner.part_of is not None and priors.is_in_tensors(m, owner))
        )
        and not owner.hint
        and (name == "grad" or m.library.operation(f"torch.Tensor.{name}") is not None)
    ):
        # The result of a model, or a part of a batch, is a tensor as soon as it is asked for attributes of tensors.
        return tensor_attributes.get(m, node, receiver_node, m.as_tensor(owner), name)
    if name == "is_cuda" or (
        owner.layer_key is not None and m.library.operation(f"torch.Tensor.{name}") is not None
    ):
        return tensor_attributes.get(m, node, receiver_node, m.as_tensor(owner), name)
    if name in METHODS and _is_called(m, node):
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


_PAIRS: Final = frozenset({"max", "min", "median", "mode", "topk", "kthvalue", "cummax", "cummin"})
_SHARED_WITH_ARRAYS: Final = _PAIRS | {"view"}
"""Methods of tensors that arrays have under the same names, and that are called in another way there."""


def _is_called_as_tensors_are(m: Machine, node: ast.expr, name: str) -> bool:
    """Whether a method is called as no method of an array is: `values, indices = x.max(1)`, `x.view(-1, 4)`."""
    holders = parents(m.frames[-1].source)
    call = holders.get(node)
    if not isinstance(call, ast.Call) or call.func is not node or not call.args:
        return False
    if name == "view":
        first = call.args[0].operand if isinstance(call.args[0], ast.UnaryOp) else call.args[0]
        return len(call.args) > 1 and isinstance(first, ast.Constant) and type(first.value) is int
    statement = holders.get(call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    return isinstance(target, ast.Tuple) and len(target.elts) == 2


def _is_called(m: Machine, node: ast.expr) -> bool:
    """Whether an attribute is called where it is read: `args.cuda` of an object that is not seen is no method of a tensor."""
    above = parents(m.frames[-1].source).get(node)
    return not isinstance(above, _READERS) or (isinstance(above, ast.Call) and above.func is node)


_READERS: Final = (
    ast.Call,
    ast.If,
    ast.IfExp,
    ast.While,
    ast.BoolOp,
    ast.UnaryOp,
    ast.Compare,
    ast.BinOp,
    ast.Subscript,
)
"""Nodes that do something with a value that nobody does with a method."""


_PARAMETERS: Final = ("weight", "bias")


def _is_item(owner: Symbol) -> bool:
    return isinstance(owner.key, tuple) and owner.key[0] == "item"


@ATTRIBUTE_WRITES.of(Symbol)
def set_(
    m: Machine,
    target: ast.Attribute,
    owner: Symbol,
    name: str,
    value: object,
    node: ast.expr | None,
) -> None:
    """`unknown.name = value`."""
    is_flag = name in ("requires_grad", "require_grad")
    if is_flag and priors.is_model(m, owner) and not narrowing.is_found_a_tensor(m, owner):
        program_moments.flag_set(m, target, owner, name, node, "a module has no such flag")
    if is_flag and owner.hint == "tensor":
        tensor_attributes.set_(m, target, m.as_tensor(owner), name, value, node)
        return
    if isinstance(value, TensorValue) and value.is_parameter and _is_item(owner):
        # The items of a list are alike: what is a parameter of one of them is a parameter of all.
        m.state.set(("alike", owner.key[1]), name, m.requires_grad(value))  # type: ignore[index]
    if name == "grad":
        backward.clear_unseen(m)
    _given(m, target, owner, value)
    m.state.set(owner, name, value)


@ITEM_WRITES.of(Symbol)
def set_item(
    m: Machine, target: ast.Subscript, owner: Symbol, index: object, value: object, node: ast.expr | None
) -> None:
    """`unknown[index] = value`."""
    if owner.hint == "tensor":
        ITEM_WRITES[TensorValue](m, target, m.as_tensor(owner), index, value, node)
        return
    _given(m, target, owner, value)
    if indexing.is_part_replaced(m, target, index, value) and not isinstance(value, Const):
        m.state.set(owner, tensor_facts.PARTS_MOVED, True)
        if not isinstance(index, Const):
            m.state.set(owner, "#escaped", True)  # each part may have been moved
    if isinstance(index, Const):
        m.state.set(owner, f"[{index.value!r}]", value)


def _given(m: Machine, target: ast.Attribute | ast.Subscript, owner: Symbol, value: object) -> None:
    """A module may be given to a model of which no code is seen, or to a part of one: `model.classifier[1] = nn.Linear(...)`."""
    if not isinstance(value, InstanceValue) or not registry.is_module(m, value):
        return
    for each in registry.walk(m, value):
        m.state.set(each, HELD_BY_UNSEEN, True)
    for own in registry.parameters(m, value):
        for one in tensor_facts.cases(own):
            m.state.set(one, HELD_BY_UNSEEN, True)
    whole = owner
    while isinstance(whole.key, tuple) and whole.key[0] in ("attr", "item"):
        whole = Symbol(whole.key[1], "")
    if m.state.get(whole, registry.MADE_ON_CPU) is not None:
        _part_given(m, target, whole, value)
    elif priors.is_model(m, owner):
        _part_given(m, target, owner, value)


def _part_given(
    m: Machine, target: ast.Attribute | ast.Subscript, owner: Symbol, part: InstanceValue
) -> None:
    """`model.fc = nn.Linear(...)` of a model that is not seen: it computes with that, and an optimizer may have the old one."""
    m.state.set(owner, registry.PARTS, (*registry.given_parts(m, owner), part))
    built = m.state.resolve(m.state.get(AMBIENT, "optimizers built", ()))
    if isinstance(built, tuple) and any(
        registry.unseen_owner(m, m.state.get(each, "#given")) == owner for each in built
    ):
        nn_attributes.note_replaced(m, target, part, trained=False)


@NAMES_WRITTEN.of("grad")
def _grad_set(
    m: Machine, target: ast.Attribute, owner: object, value: object, _node: ast.expr | None
) -> None:
    if m.resolve(value) == NONE:
        return
    program_moments.gradient_assigned(m, target, owner)
    if not isinstance(owner, TensorValue) or owner.symbol is not None:
        backward.open_backward(m, target)  # of a parameter that we do not see


@NAMES_WRITTEN.of("requires_grad_")
def _method_replaced(
    m: Machine, target: ast.Attribute, owner: object, value: object, node: ast.expr | None
) -> None:
    if isinstance(m.resolve(value), Const):
        problem = "this is a method, and is not called"
        program_moments.flag_set(m, target, owner, "requires_grad_", node, problem)
