"""Mistakes in how modules are called, moved and wrapped, and in how losses are computed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import limits, moments, priors, program_moments, training_moments
from devls.engine.core.events.calls import (
    ActivationDoubled,
    ForwardNamed,
    MetaMoved,
    ModuleUninitialized,
    WrappedOffDevice,
)
from devls.engine.core.events.protocols import LossBroadcast
from devls.engine.core.invocation import Invocation
from devls.engine.python.classes import library_bases, linearize
from devls.engine.torch.nn import registry
from devls.syntax.nodes import walk
from devls.values.devices import CPU, META, UNKNOWN_DEVICE, KnownDevice
from devls.values.graph import Node
from devls.values.value import (
    NONE,
    Const,
    InstanceValue,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.core.moment_facts import WalkedGraph
    from devls.values.conditions import Tree
    from devls.values.history import Site


@program_moments.forward_called.on
def forward_named(m: Machine, owner: object, receiver: ast.expr | None, node: ast.expr | None) -> None:
    """`model.forward(x)`: hooks are skipped."""
    if (
        receiver is None
        or node is None
        or not isinstance(owner, InstanceValue)
        or not isinstance(node, ast.Call)
    ):
        return
    if (isinstance(receiver, ast.Name) and receiver.id == "self") or isinstance(receiver, ast.Call):
        return  # the class's own business; `super().forward(x)` has to be written so

    if registry.is_module(m, owner):
        hooked = m.state.get(owner, "#hooked") is True
        m.emit(ForwardNamed(m.site(node), m.frame.statement, m.text(receiver), node.func, hooked))


@training_moments.module_attribute_set.on
def attribute_set_before_init(
    m: Machine, target: ast.expr, owner: InstanceValue, name: str, value: object
) -> None:
    """`self.name = layer`, or `self.register_buffer("name", tensor)`, perhaps before `Module.__init__` has made room for it."""
    if owner.cls is None or m.state.get(owner, "#initialized") is not None:
        return
    frame = next((each for each in reversed(m.frames) if each.receiver is owner), None)
    if frame is None or frame.function is None or frame.function.name != "__init__" or frame is not m.frame:
        return

    if not registry.is_module(m, owner) or any(
        not each.startswith(("torch.nn.", "builtins.", "abc.", "typing."))
        for each in library_bases(m, owner.cls)
    ):
        return
    if any(each.arg == "metaclass" for cls in linearize(m, owner.cls) for each in cls.node.keywords):
        return  # what makes the instances may have called `Module.__init__` first
    if isinstance(target, ast.Call):
        what = "buffer"
    elif isinstance(value, InstanceValue) and registry.is_module(m, value):
        what = "module"
    elif isinstance(value, TensorValue) and value.is_parameter:
        what = "parameters"
    elif isinstance(value, Symbol) and priors.is_model(m, value) and not _initializes(frame.function.node):
        what = "module"
    else:
        return
    m.state.set(owner, "#initialized", True)
    presumed = isinstance(value, Symbol)
    m.emit(ModuleUninitialized(m.site(target), m.frame.statement, name, frame.function.node, what, presumed))


def _initializes(constructor: ast.AST) -> bool:
    """Whether a constructor runs that of a base anywhere."""
    return any(isinstance(each, ast.Attribute) and each.attr == "__init__" for each in walk(constructor))


@training_moments.module_moving.on
def module_moved(m: Machine, call: Invocation, owner: InstanceValue, device: Tree) -> None:
    """`module.to(device)`."""
    if call.short_name == "to_empty":
        return  # which is how to do it
    if registry.device(m, owner) != META or device in (META, UNKNOWN_DEVICE):
        return
    node = call.node if isinstance(call.node, ast.Call) else None
    text = m.text(call.receiver_node or call.node)
    m.emit(MetaMoved(m.site(call.node), m.frame.statement, text, is_module=True, call=node))


@training_moments.wrapper_called.on
def wrapper_called(m: Machine, wrapper: InstanceValue, wrapped: object, node: ast.expr) -> None:
    """`DataParallel(module)(x)`: the module has to be on the first of the devices."""
    module = m.resolve(wrapped)
    if not wrapper.library.endswith(".DataParallel") or not isinstance(module, InstanceValue):
        return
    here = registry.device(m, module)
    if not isinstance(here, KnownDevice) or not registry.parameters(m, module):
        return
    index = _first_index(m, wrapper)
    if here != CPU and (here.type != "cuda" or here.index in (None, index) or index is None):
        return
    made = m.state.get(wrapper, "#wrap")
    first = '"cuda:0"'
    argument: ast.expr | None = None
    if isinstance(made, Invocation) and isinstance(made.node, ast.Call):
        argument = made.argument_node(0, "module")
        ids = made.argument_node(1, "device_ids")
        if isinstance(ids, (ast.List, ast.Tuple)):
            if len(ids.elts) == 1:
                return  # for a single device the constructor moves the module
            if ids.elts:
                text = m.text(ids.elts[0])
                first = f'"cuda:{text}"' if text.isdigit() else text
        elif isinstance(ids, ast.Name):
            first = f"{ids.id}[0]"
    m.emit(
        WrappedOffDevice(
            m.site(node),
            m.frame.statement,
            wrapper.library.rpartition(".")[2],
            m.text(argument) if argument is not None else "the module",
            argument,
            wrapper.origin,
            first,
            str(here),
        )
    )
    target = KnownDevice("cuda", 0)
    for each in registry.parameters(m, module):
        m.state.set(each, "device", target)  # go on as if it had been moved


def _first_index(m: Machine, wrapper: InstanceValue) -> int | None:
    """The first of the cards that a module was wrapped for, if it is written down; 0 where none is named."""
    made = m.state.get(wrapper, "#wrap")
    given = made.argument(1, "device_ids") if isinstance(made, Invocation) else None
    value = m.resolve(given) if given is not None else NONE
    if value == NONE:
        return 0
    contents = m.state.get(value, "#items") if isinstance(value, Sequence) else None
    items = value.items if isinstance(value, TupleValue) else getattr(contents, "items", None)
    first = m.resolve(items[0]) if items else None
    return first.value if isinstance(first, Const) and isinstance(first.value, int) else None


_SOFTMAX: Final = {"softmax": "softmax twice"}
_LOG: Final = {"softmax": "no logarithm", "sigmoid": "no logarithm", "linear": "raw scores"}
_DIVERGENCE: Final = {"softmax": "divergence of probabilities", "linear": "divergence of scores"}
_SIGMOID: Final = {"sigmoid": "sigmoid twice", "softmax": "sigmoid of softmax"}
_BINARY: Final = {"linear": "no sigmoid", "log_softmax": "no sigmoid", "logsigmoid": "no sigmoid"}

_GIVEN: Final[dict[str, dict[str, str]]] = {
    "cross_entropy": _SOFTMAX,
    "CrossEntropyLoss": _SOFTMAX,
    "nll_loss": _LOG,
    "NLLLoss": _LOG,
    "kl_div": _DIVERGENCE,
    "KLDivLoss": _DIVERGENCE,
    "binary_cross_entropy_with_logits": _SIGMOID,
    "BCEWithLogitsLoss": _SIGMOID,
    "binary_cross_entropy": _BINARY,
    "BCELoss": _BINARY,
}
"""By the loss, and by what its first argument has been computed by: what is wrong with that. The rule's page runs each on torch."""

_SAME_VALUES: Final = frozenset(
    "view reshape squeeze unsqueeze flatten unflatten to float double half type contiguous clone expand expand_as view_as permute"
    " transpose t index select slice item".split()
)
"""Operations that hand on the values that they are given, or some of them."""


def _made_by(m: Machine, tensor: TensorValue | None) -> tuple[str, Node] | None:
    """Operation that computed the values of a tensor, in whatever shape they are now; an affine layer is `linear`."""
    graph = m.node(tensor) if tensor is not None else None
    for _ in range(limits.GRAPH_WALK):
        if not isinstance(graph, Node):
            return None
        name = graph.operation.removesuffix(".forward").rpartition(".")[2].strip("_").lower()
        if name not in _SAME_VALUES or len(graph.inputs) != 1 or graph.open:
            return ("linear" if name in _AFFINE else name), graph
        graph = graph.edges[0] if graph.edges else None
    return None


_AFFINE: Final = frozenset({"linear", "bilinear", "conv1d", "conv2d", "conv3d"})


def loss_computed(
    m: Machine,
    loss: str,
    value: object,
    operand: ast.expr | None,
    node: ast.AST,
    built: Site | None = None,
) -> None:
    """A loss that has its activation built in, or wants to be given one."""
    table = _GIVEN.get(loss)
    made = None if table is None else _made_by(m, m.tensor_of(value, infer=False))
    if table is None or made is None:
        return
    activation, graph = made
    problem = table.get(activation)
    if problem is not None:
        m.emit(
            ActivationDoubled(
                m.site(node), m.frame.statement, loss, activation, problem, operand, graph.site, built
            )
        )


@training_moments.layer_called.on
def layer_called(m: Machine, instance: InstanceValue, call: Invocation) -> None:
    """A layer is called, perhaps a loss."""
    if call.arguments and call.name.endswith("Loss.forward"):
        name = call.name.removesuffix(".forward").rpartition(".")[2]
        loss_computed(
            m, name, call.arguments[0], call.nodes[0] if call.nodes else None, call.node, instance.origin
        )


def loss(m: Machine, call: Invocation) -> None:
    """A loss function is called."""
    loss_computed(m, call.short_name, call.argument(0, "input"), call.argument_node(0, "input"), call.node)


# Losses that compare each prediction with every target, because one of the two has a dimension more


_LOSSES: Final = frozenset(
    "mse_loss l1_loss smooth_l1_loss huber_loss mseloss l1loss smoothl1loss huberloss".split()
)
_DIFFERENCES: Final = frozenset({"sub", "rsub"})
_OF_EACH: Final = frozenset({"pow", "abs", "square", "mul"})
_SCORING: Final = frozenset({"linear", "bilinear", "matmul", "mm", "addmm"})


def _name(node: Node) -> str:
    return node.operation.removesuffix(".forward").rpartition(".")[2].strip("_").lower()


@moments.graph_passed.on
def graph_passed(m: Machine, graph: WalkedGraph) -> None:
    """A backward has gone through a loss."""
    for node in graph.nodes:
        name = _name(node)
        if name not in _LOSSES and name not in _DIFFERENCES:
            continue
        operands = [each for each in (*node.inputs, *node.apart) if isinstance(each, TensorValue)]
        if len(operands) != 2:
            continue
        for column, row in (operands, operands[::-1]):
            if _broadcasts(column.shape, row.shape) and _is_prediction(m, column):
                if name in _DIFFERENCES and not _is_reduced(graph, node):
                    continue
                m.emit(
                    LossBroadcast(
                        node.site, None, _shown(column.shape), _shown(row.shape), column.origin, row.origin
                    )
                )
                return


def _broadcasts(column: tuple[int | None, ...] | None, row: tuple[int | None, ...] | None) -> bool:
    """Whether these are (n, 1) and (n,), with more than one n for all that is known, and the same."""
    if column is None or row is None or len(column) != 2 or len(row) != 1 or column[1] != 1:
        return False
    return 1 not in (column[0], row[0]) and (column[0] == row[0] or None in (column[0], row[0]))


def _is_prediction(m: Machine, tensor: TensorValue) -> bool:
    """Whether a layer gives the column: nobody has made one of a vector to compare all with all."""
    node = m.node(tensor)
    while isinstance(node, Node) and len(node.inputs) == 1 and node.inputs[0].shape == tensor.shape:
        node = node.edges[0] if node.edges else None
    return isinstance(node, Node) and _name(node) in _SCORING


def _is_reduced(graph: WalkedGraph, difference: Node) -> bool:
    """Whether a difference is squared, or made positive, and then summed: nothing else is done with it."""
    of_each = [node for node in graph.nodes if difference in node.edges]
    sums = [node for node in graph.nodes if any(each in node.edges for each in of_each)]
    return (
        bool(sums)
        and all(_name(each) in _OF_EACH for each in of_each)
        and all(_name(each) in ("mean", "sum") for each in sums)
    )


def _shown(shape: tuple[int | None, ...] | None) -> str:
    sizes = ["n" if each is None else str(each) for each in shape or ()]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"
