"""Attributes of tensors."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, tensor_facts, training_moments
from devls.engine.core.events.events import (
    FlagWithoutEffect,
    GraphCutHidden,
)
from devls.engine.core.events.protocols import FlagOfStateDict
from devls.engine.core.transfer import ATTRIBUTE_TESTS, ATTRIBUTE_WRITES, ATTRIBUTES
from devls.engine.python import narrowing
from devls.engine.torch.autograd import backward as backward_pass
from devls.engine.torch.autograd import graph_construction
from devls.engine.torch.tensors import device_check, grad_attribute
from devls.engine.torch.tensors.shapes import REAL_OF
from devls.library.effects import Role
from devls.syntax.layout import parents
from devls.values.conditions import both, negation
from devls.values.graph import Node, Storage, next_serial
from devls.values.history import Site, Step
from devls.values.state import MISSING
from devls.values.value import (
    FALSE,
    NONE,
    TRUE,
    BoundMethod,
    Const,
    DeviceValue,
    LibraryName,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine

METHODS_OF_TENSORS_ONLY: Final = frozenset(
    "backward requires_grad_ retain_grad unsqueeze squeeze masked_fill masked_fill_ softmax log_softmax argmax contiguous"
    " expand_as view_as detach_ sigmoid tanh matmul bmm permute new_zeros new_ones new_full new_tensor new_empty"
    " is_floating_point scatter_ scatter_add_ gather index_select index_add_ numel ndimension long unfold clamp clamp_"
    " type_as masked_select masked_scatter_ index_fill_ mT is_contiguous".split()
)
"""Methods that among everything with attributes only tensors have: calling one says what the receiver is."""

HINT_AT_TENSORS: Final = METHODS_OF_TENSORS_ONLY | frozenset(
    "size shape dim ndim view detach is_cuda expand flatten".split()
)
"""Attributes of next to nothing but tensors and arrays."""


def _turned(name: str, shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
    if name in ("T", "H"):
        return shape[::-1]
    return (*shape[:-2], *shape[:-3:-1]) if name in ("mT", "mH") else shape


@ATTRIBUTES.of(TensorValue)
def get(m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str) -> object:
    """`tensor.name`."""
    read = _READ.get(name)
    if read is not None:
        return read(m, node, receiver_node, tensor, name)
    if (
        tensor.symbol is not None
        and tensor.symbol.hint != "tensor"
        and m.library.operation(f"torch.Tensor.{name}") is None
    ):
        if name in ("to", "cuda", "cpu", "detach", "numpy", "backward"):
            return BoundMethod(LibraryName(f"torch.Tensor.{name}"), tensor, receiver_node, name)
        # Not a tensor after all: a batch, whose parts are where it is, or a pipeline, which has settings.
        if name in SETTINGS:
            return Symbol(("part", id(tensor), name), f"{tensor.symbol.text}.{name}", hint="object")
        return tensor_facts.part(m, tensor, ("attr", name), f"{tensor.symbol.text}.{name}")
    own = m.state.get(tensor, own_slot(name), MISSING)
    if own is not MISSING:
        return own
    return BoundMethod(LibraryName(f"torch.Tensor.{name}"), tensor, receiver_node, name)


def _device(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str
) -> object:
    del node, receiver_node, name
    step = m.state.get(tensor, "device_step", tensor.device_step)
    return DeviceValue(m.device(tensor), of_tensor=True, step=step if isinstance(step, Step) else None)


def _requires_grad(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str
) -> object:
    del name
    saved = m.state.get(tensor, "#of state dict")
    if isinstance(saved, Site) and m.requires_grad(tensor) is False:
        text = m.text(receiver_node) if receiver_node is not None else "this"
        m.emit(FlagOfStateDict(m.site(node), m.frame.statement, text, saved))
    return _flag(tensor, m.requires_grad(tensor), "requires grad")


def _is_leaf(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str
) -> object:
    del node, receiver_node, name
    return _flag(tensor, m.is_leaf(tensor), "is a leaf")


def _is_on(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str
) -> object:
    """`is_cuda` and its kin."""
    del node, receiver_node
    return narrowing.is_cuda(m, m.device(tensor), name[3:])


def _never(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str
) -> object:
    """Properties that no tensor here has: sparse, quantized, without numbers."""
    del m, node, receiver_node, tensor, name
    return Const(False)


def _data(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str
) -> object:
    del receiver_node
    if tensor.symbol is not None and _is_keyed_by_text(m, node):
        return tensor_facts.part(m, tensor, ("attr", name), f"{tensor.symbol.text}.{name}")
    return _detached(m, node, tensor, "`.data` is outside the graph")


def _is_keyed_by_text(m: Machine, node: ast.expr) -> bool:
    """Whether an attribute is asked for an item by a text, as no tensor can be: `graph.nodes["user"].data["h"]`."""
    above = parents(m.source).get(node)
    key = above.slice if isinstance(above, ast.Subscript) and above.value is node else None
    return isinstance(key, ast.Constant) and isinstance(key.value, str)


def _part_of_complex(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str
) -> object:
    """`real` and `imag`."""
    del receiver_node
    if name == "real" and tensor.dtype is not None and not tensor.dtype.startswith("complex"):
        return tensor
    half = view(m, node, tensor, tensor.shape)
    half.dtype = REAL_OF.get(tensor.dtype or "")
    if tensor.dtype is None and m.is_leaf(half) != m.is_leaf(tensor):
        half.leaf = None  # of a tensor that is not complex, the real part is the tensor itself
    return half


def _transposed(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str
) -> object:
    """`T`, `mT` and those that take the conjugate, too."""
    del receiver_node
    if name != "T" and tensor.shape == ():
        return tensor
    turned = view(m, node, tensor, None if tensor.shape is None else _turned(name, tensor.shape))
    if name != "T" and tensor.shape is None and m.is_leaf(turned) != m.is_leaf(tensor):
        turned.leaf = None  # of a tensor without dimensions these are the tensor itself
    return turned


def _shape_of(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str
) -> object:
    del m, node, receiver_node, name
    if tensor.shape is None:
        return Symbol(("shape", id(tensor)), "a shape", hint="number", named=True)
    return TupleValue(
        tuple(
            Const(size)
            if size is not None
            else Symbol(("size", id(tensor), index), "a size", named=True, hint="number")
            for index, size in enumerate(tensor.shape)
        )
    )


def _rank(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str
) -> object:
    del m, node, receiver_node, name
    if tensor.rank is not None:
        return Const(tensor.rank)
    return Symbol(("ndim", id(tensor)), "ndim", hint="number")


def _dtype(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str
) -> object:
    del m, node, receiver_node, name
    if tensor.dtype is not None and tensor.dtype != "float":
        return LibraryName(f"torch.{tensor.dtype}")
    return Symbol(("dtype", id(tensor)), "dtype", hint="dtype")


def _number(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str
) -> object:
    del m, node, receiver_node
    return Symbol((name, id(tensor)), name, hint="number")


def _grad_fn(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, tensor: TensorValue, name: str
) -> object:
    del receiver_node, name
    if m.requires_grad(tensor) is False or m.is_leaf(tensor) is True:
        return NONE
    return m.unknown(node)


def own_slot(name: str) -> str:
    """The slot of an attribute that the program has given to a tensor, apart from what devls keeps of it under names of its own."""
    return f".{name}"


@ATTRIBUTE_TESTS.of(TensorValue)
def has(m: Machine, tensor: TensorValue, name: object) -> object:
    """`hasattr(tensor, name)`."""
    if m.state.get(tensor, own_slot(str(name)), MISSING) is not MISSING:
        return TRUE
    known = m.library.exists(f"torch.Tensor.{name}")
    return FALSE if known is False and tensor.symbol is None else TRUE if known else m.unknown()


SETTINGS: Final = frozenset({"config", "cfg", "hparams"})
"""Attributes that hold numbers and names, which nothing moves, whatever they are of."""


def _flag(tensor: TensorValue, tree: object, text: str) -> object:
    value = narrowing.as_value(tree)
    return narrowing.test_of((text, id(tensor)), text) if value is None else value


def _detached(m: Machine, node: ast.expr, tensor: TensorValue, why: str) -> TensorValue:
    """A view without a graph."""
    before = m.state.get(tensor, "grad_step", tensor.grad_step)
    # A graph through which a backward has gone has done what it was there for, and leaves after a step begin one of their own.
    graph = m.node(tensor)
    walked = isinstance(graph, Node) and (
        m.state.get(graph, "freed") is not None or grad_attribute.is_update(m, tensor)
    )
    result = TensorValue(
        device=m.device(tensor),
        requires_grad=False,
        leaf=True,
        dtype=tensor.dtype,
        shape=tensor.shape,
        nonscalar=tensor.nonscalar,
        # `.data` has a version of its own: writes through it are not noticed by backward.
        storage=Storage() if why.startswith("`.data`") else tensor.storage,
        origin=m.site(node),
        device_step=m.state.get(tensor, "device_step", tensor.device_step),  # type: ignore[arg-type]
        grad_step=Step(
            why,
            m.site(node),
            before if isinstance(before, Step) else None,
            kind="walked" if walked else "cut",
            of=(tensor,),
        )
        if m.requires_grad(tensor) is not False
        else tensor.grad_step,
        symbol=tensor.symbol if tensor.symbol is not None and tensor.symbol.hint != "tensor" else None,
    )
    owner = m.state.get(tensor, "grad of")
    if isinstance(owner, TensorValue):
        m.state.set(result, "grad of", owner)
    m.state.set(result, "moved from", tensor)
    moments.detached(m, node, tensor, result)
    return result


detached = _detached


def view(
    m: Machine, node: ast.expr, tensor: TensorValue, shape: tuple[int | None, ...] | None
) -> TensorValue:
    """A view in the graph of its base."""
    needs = both(m.grad_enabled(), m.requires_grad(tensor))
    result = TensorValue(
        device=m.device(tensor),
        requires_grad=needs,
        leaf=negation(needs),
        dtype=tensor.dtype,
        shape=shape,
        storage=tensor.storage,
        view_of=tensor.view_of or tensor,
        origin=m.site(node),
        device_step=m.state.get(tensor, "device_step", tensor.device_step),  # type: ignore[arg-type]
        grad_step=tensor.grad_step,
        symbol=tensor.symbol if tensor.symbol is not None and tensor.symbol.hint != "tensor" else None,
    )
    if needs is not False:
        result.node = Node(
            "torch.Tensor.view",
            (tensor,),
            m.site(node),
            (),
            keeps=False,
            edges=(m.node(tensor),),  # type: ignore[arg-type]
        )
    return result


@ATTRIBUTE_WRITES.of(TensorValue)
def set_(
    m: Machine, target: ast.Attribute, tensor: TensorValue, name: str, value: object, node: ast.expr | None
) -> None:
    """`tensor.name = value`."""
    write = _WRITE.get(name)
    if write is not None:
        write(m, target, tensor, m.resolve(value), node)
    else:
        m.state.set(tensor, own_slot(name), value)


PARAMETER_OF: Final = "#parameter of"
"""The slot of a tensor that a Parameter was made of."""


def note_flag_taken(
    m: Machine, tensor: TensorValue, node: ast.AST, receiver: ast.expr | None, wanted: object
) -> None:
    """A flag is taken from what a state_dict holds, which has none: the parameters keep theirs."""
    saved = m.state.get(tensor, "#of state dict")
    if wanted is False and isinstance(saved, Site) and m.requires_grad(tensor) is False:
        text = m.text(receiver) if receiver is not None else "this"
        m.emit(FlagOfStateDict(m.site(node), m.frame.statement, text, saved, taken=True))


def _set_requires_grad(
    m: Machine, target: ast.Attribute, tensor: TensorValue, value: object, node: ast.expr | None
) -> None:
    wanted = m.truth(value)
    if (
        wanted is True
        and m.requires_grad(tensor) is False
        and not tensor.is_parameter
        and _was_cut(m, tensor)
    ):
        m.emit(
            GraphCutHidden(
                m.site(target),
                m.frame.statement,
                "requires_grad = True",
                m.text(target.value),
                tensor.grad_step,
            )
        )
    if m.is_leaf(tensor) is False and m.requires_grad(tensor) is True and wanted is False:
        _flag_without_effect(m, target, "requires_grad", "only the flag of a leaf can be set", node)
        return
    if wanted is False and m.requires_grad(tensor) is False and m.state.get(tensor, PARAMETER_OF) is not None:
        _flag_without_effect(
            m, target, "requires_grad", "the Parameter made of it has a flag of its own", node
        )
    note_flag_taken(m, tensor, target, target.value, wanted)
    if tensor.is_parameter:
        training_moments.parameter_flag_set(m, tensor, target, wanted)
    graph_construction.begins(m, tensor, wanted=wanted)
    graph_construction.perhaps_the_base_too(m, tensor, wanted=wanted)
    m.state.set(tensor, "requires_grad", wanted)
    if wanted is False and tensor.is_parameter:
        text = f"`{m.text(target)} = False` freezes it"
        m.state.set(tensor, "grad_step", Step(text, m.site(target), kind="cut"))


def _set_require_grad(
    m: Machine, target: ast.Attribute, tensor: TensorValue, value: object, node: ast.expr | None
) -> None:
    if (
        m.truth(value) is False
        and m.requires_grad(tensor) is False
        and m.state.get(tensor, PARAMETER_OF) is None
    ):
        m.state.set(tensor, own_slot("require_grad"), value)
        return  # it needs no freezing
    _flag_without_effect(m, target, "require_grad", "a tensor has no such flag: it is `requires_grad`", node)


def _flag_without_effect(
    m: Machine, target: ast.Attribute, name: str, problem: str, node: ast.expr | None
) -> None:
    text = m.text(target.value)
    m.emit(FlagWithoutEffect(m.site(target), m.frame.statement, text, problem, target.value, name, node))


REMOVED: Final = "#gradient removed"
"""The slot of a tensor that says when its gradient was set to None."""


def _set_grad(
    m: Machine, target: ast.Attribute, tensor: TensorValue, value: object, node: ast.expr | None
) -> None:
    """A gradient has to be where its tensor is."""
    m.state.set(tensor, "grad", "none" if value == NONE else "fresh")
    if value == NONE:
        m.state.set(tensor, REMOVED, next_serial())
    if tensor.symbol is not None:
        backward_pass.clear_unseen(m)
    m.state.set(tensor, "grad value", None)
    if isinstance(value, TensorValue):
        device_check.check(
            m,
            target,
            "grad",
            [
                (Role.EXACT, device_check.operand(m, tensor, target.value)),
                (Role.EXACT, device_check.operand(m, value, node)),
            ],
        )


def _set_data(
    m: Machine, target: ast.Attribute, tensor: TensorValue, value: object, node: ast.expr | None
) -> None:
    del node
    other = m.tensor_of(value)
    if other is not None:
        moments.data_assigned(m, target, tensor, other)
        m.state.set(tensor, "device", m.device(other))
        m.state.set(tensor, "device_step", other.device_step)


_WRITE: Final = {
    "requires_grad": _set_requires_grad,
    "require_grad": _set_require_grad,
    "grad": _set_grad,
    "data": _set_data,
}
"""Handler of setting an attribute that means something to torch."""


def _was_cut(m: Machine, tensor: TensorValue) -> bool:
    step = m.state.get(tensor, "grad_step", tensor.grad_step)
    return isinstance(step, Step) and step.kind == "cut" and tensor.shape == ()


_READ: Final = {
    "device": _device,
    "requires_grad": _requires_grad,
    "is_leaf": _is_leaf,
    "is_cuda": _is_on,
    "is_mps": _is_on,
    "is_xpu": _is_on,
    "is_sparse": _never,
    "is_meta": _never,
    "is_quantized": _never,
    "grad": grad_attribute.read,
    "data": _data,
    "real": _part_of_complex,
    "imag": _part_of_complex,
    "T": _transposed,
    "mT": _transposed,
    "H": _transposed,
    "mH": _transposed,
    "shape": _shape_of,
    "ndim": _rank,
    "dtype": _dtype,
    "itemsize": _number,
    "nbytes": _number,
    "layout": _number,
    "names": _number,
    "grad_fn": _grad_fn,
}
"""Handler of reading an attribute that all tensors have."""
