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
from devls.engine.evidence import use_of_names
from devls.engine.python.classes import library_bases, linearize
from devls.engine.torch.nn import registry
from devls.syntax.nodes import walk
from devls.values.devices import CPU, META, UNKNOWN_DEVICE, KnownDevice
from devls.values.graph import Node
from devls.values.value import (
    FALSE,
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
    from devls.engine.core.moments import WalkedGraph
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


_SOFTMAX: Final = {"softmax": "softmax twice", "sigmoid": "bounded scores", "relu": "scores without sign"}
_LOG: Final = {"softmax": "no logarithm", "sigmoid": "no logarithm", "linear": "raw scores"}
_DIVERGENCE: Final = {"softmax": "divergence of probabilities", "linear": "divergence of scores"}
_SIGMOID: Final = {
    "sigmoid": "sigmoid twice",
    "softmax": "sigmoid of softmax",
    "relu": "sigmoid of relu",
}
_BINARY: Final = {
    "linear": "no sigmoid",
    "log_softmax": "no sigmoid",
    "logsoftmax": "no sigmoid",
    "logsigmoid": "no sigmoid",
}

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
    if (
        problem is None
        and table is _LOG
        and activation in ("log_softmax", "logsoftmax")
        and not _is_over_classes(m, value, graph)
    ):
        problem = "other dimension"
    if problem is not None:
        m.emit(
            ActivationDoubled(
                m.site(node), m.frame.statement, loss, activation, problem, operand, graph.site, built
            )
        )


@training_moments.layer_called.on
def layer_called(m: Machine, instance: InstanceValue, call: Invocation) -> None:
    """A layer is called, perhaps a loss."""
    if call.name.endswith("LogSoftmax.forward"):
        given = m.state.get(instance, "#given")
        m.state.set(call.node, _DIM, dict(given).get("dim") if isinstance(given, tuple) else None)
    if call.arguments and call.name.endswith("Loss.forward"):
        name = call.name.removesuffix(".forward").rpartition(".")[2]
        loss_computed(
            m, name, call.arguments[0], call.nodes[0] if call.nodes else None, call.node, instance.origin
        )
        _of_signs(m, name, call)
        if name in _KL:
            given = m.state.get(instance, "#given")
            settings = dict(given) if isinstance(given, tuple) else {}
            _divergence_computed(m, name, call, log_target=settings.get("log_target", NONE))


def loss(m: Machine, call: Invocation) -> None:
    """A loss function is called."""
    loss_computed(m, call.short_name, call.argument(0, "input"), call.argument_node(0, "input"), call.node)
    _of_signs(m, call.short_name, call)
    if call.short_name in _KL:
        _divergence_computed(m, call.short_name, call, log_target=call.argument(5, "log_target") or NONE)


_DIM: Final = "#dimension"
"""The slot of a call that says over which dimension a layer has taken a softmax there."""


_KL: Final = frozenset({"kl_div", "KLDivLoss"})


def _divergence_computed(m: Machine, loss: str, call: Invocation, *, log_target: object) -> None:
    """A divergence that is given what has no graph: a teacher's logarithms as its target, or probabilities first."""
    given = [
        m.tensor_of(call.argument(index, name), infer=False) for index, name in enumerate(("input", "target"))
    ]
    first, target = (
        None if each is None or m.node(each) is not None else _called_last(each) for each in given
    )
    problem = ""
    if target == "log_softmax" and m.resolve(log_target) in (FALSE, NONE):
        problem = "logarithms as target"
    elif first == "softmax":
        problem = "divergence of probabilities"
    tensor = given[1] if problem == "logarithms as target" else given[0]
    if problem and tensor is not None:
        index = given.index(tensor)
        operand = call.argument_node(index, ("input", "target")[index])
        kind = "log_softmax" if index else "softmax"
        m.emit(
            ActivationDoubled(
                m.site(call.node), m.frame.statement, loss, kind, problem, operand, tensor.origin
            )
        )


def _called_last(tensor: TensorValue) -> str:
    """The name of the function that has made a tensor."""
    node = tensor.origin.node if tensor.origin is not None else None
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _is_over_classes(m: Machine, value: object, made: Node) -> bool:
    """Whether a softmax was taken over the second dimension, as far as that and the number of dimensions are known."""
    tensor, node = m.tensor_of(value, infer=False), made.site.node
    rank = (
        None if tensor is None or m.node(tensor) is not made else tensor.rank
    )  # its dimensions were not exchanged
    held = m.resolve(m.state.get(node, _DIM))
    dim = held.value if isinstance(held, Const) else None
    if isinstance(node, ast.Call) and m.state.get(node, _DIM) is None:
        method = (
            isinstance(node.func, ast.Attribute) and node.func.attr == "log_softmax" and len(node.args) < 2
        )
        named = next((each.value for each in node.keywords if each.arg == "dim"), None)
        places = node.args[:1] if method and len(node.args) == 1 and named is None else node.args[1:2]
        given = named or next(iter(places), None)
        dim = _number(given)
    if rank is None or rank < 2 or not isinstance(dim, int):
        return True
    return (dim + rank if dim < 0 else dim) == 1


def _number(node: ast.expr | None) -> int | None:
    """A whole number that is written down."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


# Losses whose targets are signs


SIGNS: Final = {
    "MarginRankingLoss": 2,
    "margin_ranking_loss": 2,
    "CosineEmbeddingLoss": 2,
    "cosine_embedding_loss": 2,
    "HingeEmbeddingLoss": 1,
    "hinge_embedding_loss": 1,
    "SoftMarginLoss": 1,
    "soft_margin_loss": 1,
}
"""Losses whose targets are 1 and -1, with the position of the target. The rule's page runs each on torch."""

_KEEPS_ZERO: Final = frozenset(
    "float double half long int to type type_as view reshape squeeze unsqueeze flatten clone detach cpu cuda".split()
)


def _of_signs(m: Machine, loss: str, call: Invocation) -> None:
    """A loss that wants signs is given zeros and ones."""
    position = SIGNS.get(loss)
    if position is None:
        return
    value, node = call.argument(position, "target"), call.argument_node(position, "target")
    tensor = m.tensor_of(value, infer=False)
    zeros = None if tensor is None else _zeros_of(m, tensor, node, 4)
    if zeros is not None and tensor is not None:
        event = ActivationDoubled(
            m.site(call.node), m.frame.statement, loss, zeros, "no signs", node, tensor.origin
        )
        m.emit(event)


def _zeros_of(m: Machine, tensor: TensorValue | None, node: ast.expr | None, depth: int) -> str | None:
    """The call that made a tensor of zeros, or of zeros and ones: a comparison, `zeros`, `randint(2, ...)`; None if anything else has."""
    if tensor is not None:
        if tensor.dtype == "bool":
            return "comparison"
        if tensor.node is not None or tensor.origin is None or m.version(tensor) != 0:
            return None
        node = tensor.origin.node if isinstance(tensor.origin.node, ast.expr) else None
    if isinstance(node, ast.Compare):
        return "comparison"
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or depth == 0:
        return None
    name = node.func.attr
    if name in ("zeros", "zeros_like", "new_zeros"):
        return name
    if name in ("randint", "bernoulli"):
        bounds = [_number(each) for each in node.args[:2]]
        return name if name == "bernoulli" or bounds[:1] == [2] or bounds == [0, 2] else None
    if name not in _KEEPS_ZERO:
        return None
    inner = node.func.value
    if isinstance(inner, (ast.Name, ast.Attribute)) and use_of_names.is_plain(inner):
        held = use_of_names.looked_up(m, inner)
        return _zeros_of(m, held, inner, depth - 1) if isinstance(held, TensorValue) else None
    return _zeros_of(m, None, inner, depth - 1)


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
