"""Calls of torch whose arguments are not what torch takes: what is seen of them before they run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.checks import mismatch_cause, module_use, torch_names, transfers
from devls.engine.core import moments, tensor_facts, training_moments
from devls.engine.core.events.calls import (
    BackwardKeepsGraph,
    CannotRequireGrad,
    CheckpointVague,
    GeneratorElsewhere,
    GradAskedOfConstant,
    GraphCopiedAsNumbers,
    HostArgument,
    LoaderOffHost,
    OldSpelling,
    TransferRepeated,
    ViewDetached,
)
from devls.engine.evidence import argument_facts, device_expressions, judgement, path_conditions
from devls.engine.python import narrowing
from devls.engine.python.narrowing import device_of
from devls.engine.torch import data
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors import device_check
from devls.engine.torch.tensors.shapes import can_require_grad
from devls.library.old_names import OLD_NAMES
from devls.syntax.nodes import walk
from devls.values.conditions import ACCELERATOR_PRESENT, Either, leaves
from devls.values.devices import CPU, NamedDevice, Verdict
from devls.values.history import Site, Step
from devls.values.state import AMBIENT
from devls.values.value import (
    NONE,
    TRUE,
    Const,
    InstanceValue,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


WATCHED: Final = ("synchronize", "set_start_method")
"""Last parts of names of functions that are looked at, whosever they are."""


def watches(name: str) -> bool:
    """Whether calls of a function are looked at, whatever it is given."""
    return name in _CALLS or name in OLD_NAMES


def before(m: Machine, call: Invocation) -> None:
    """A library function is about to be called: one that is watched, or one that is given keywords."""
    run = _CALLS.get(call.name)
    if run is not None:
        run(m, call)
    if "generator" in call.keywords:
        _generator_given(m, call)
    short = call.short_name
    if short == "synchronize":
        transfers.synchronized(m)
    elif short == "set_start_method" and m.resolve(call.argument(0, "method")) != Const("fork"):
        m.state.set(AMBIENT, "#starts anew", True)
    if call.name in OLD_NAMES:
        _old_name(m, call)


def _pinned(m: Machine, call: Invocation) -> None:
    _host_only(m, call, "pin_memory", call.receiver, call.receiver_node)


def _lengths(m: Machine, call: Invocation) -> None:
    given = call.argument(1, "lengths")
    _host_only(m, call, "pack_padded_sequence", given, call.argument_node(1, "lengths"))


def _sections(m: Machine, call: Invocation) -> None:
    given = call.argument(1, "indices_or_sections")
    _host_only(m, call, "tensor_split", given, call.argument_node(1, "indices_or_sections"))


def _host_only(m: Machine, call: Invocation, operation: str, value: object, node: ast.expr | None) -> None:
    tensor = m.tensor_of(value, infer=False) if value is not None else None
    if tensor is None:
        return
    comparison = device_check.compare_devices(m, m.device(tensor), CPU)
    if comparison.verdict not in device_check.CONFLICTS:
        return
    own = isinstance(comparison.left, NamedDevice) and not comparison.left.chosen
    if own and not _computed_beside(m, tensor, call):
        return  # an argument's own device: whoever calls decides
    if path_conditions.ruled_out(m, comparison):
        return
    weighed = judgement.judge(m, HostArgument, comparison)
    operand = device_check.operand(m, tensor, node)
    accelerated = comparison.verdict is Verdict.WHEN_ACCELERATED
    judgement.emit(
        m,
        weighed,
        lambda: HostArgument(
            m.site(call.node), m.frame.statement, operation, mismatch_cause.told(m, operand), accelerated
        ),
    )


def _computed_beside(m: Machine, tensor: TensorValue, call: Invocation) -> bool:
    """Whether something was computed here, where what the call is about is: if that is on an accelerator, so are both."""
    data = m.tensor_of(call.argument(0, "input"), infer=False)
    if tensor.symbol is not None or tensor.view_of is not None or data is None or data is tensor:
        return False
    place = m.device(data)
    if device_check.compare_devices(m, m.device(tensor), place).verdict is Verdict.SAME:
        return True
    # Layers compute where the module is, with inputs that are there: the first argument, of which the lengths are computed.
    function, receiver = m.frame.function, m.frame.receiver
    return (
        isinstance(place, NamedDevice)
        and function is not None
        and isinstance(receiver, InstanceValue)
        and registry.is_module(m, receiver)
        and len(function.node.args.args) > 1
        and device_check.parameter_of(m.device(tensor))
        == argument_facts.key_of(function.definition, function.node.args.args[1].arg)
    )


def _generator_given(m: Machine, call: Invocation) -> None:
    """A function that draws random numbers, given a generator."""
    generator = m.resolve(call.keywords["generator"])
    if isinstance(generator, Either) and NONE in (generator.then, generator.otherwise):
        # `gen = torch.Generator().manual_seed(seed) if seed is not None else None`
        one, other = generator.then, generator.otherwise
        test = Either(generator.condition, True, False)
        m.branch(
            test,
            lambda: _compare_with_generator(m, call, one),
            lambda: _compare_with_generator(m, call, other),
        )
    else:
        _compare_with_generator(m, call, generator)


_DRAWN_INTO: Final = frozenset(
    "uniform_ normal_ random_ bernoulli_ exponential_ cauchy_ log_normal_ geometric_".split()
)
"""Methods that fill a tensor with random numbers, which are drawn where it is."""


def _compare_with_generator(m: Machine, call: Invocation, generator: object) -> None:
    if not isinstance(generator, InstanceValue) or generator.library != "torch.Generator":
        return
    if not call.name.startswith("torch.") or call.name.startswith("torch.utils."):
        return
    operation = m.library.operation(call.name)
    drawn_into = call.is_method and call.short_name in _DRAWN_INTO
    if operation is None or (
        not drawn_into and (call.is_method or operation.result.value not in ("new", "like"))
    ):
        return
    own = m.state.get(generator, "device") or m.state.get(generator, "#argument")
    own_place = CPU if own is None else device_of(m, own)
    wanted = call.keyword(m, "device")
    tensor = next((each for each in map(m.resolve, call.arguments) if isinstance(each, TensorValue)), None)
    if wanted is not None and wanted != NONE:
        place = device_of(m, wanted)
    else:
        place = m.default_device() if tensor is None else m.device(tensor)
    if own_place is None or place is None or (wanted is None and "**" in call.keywords):
        return  # `**kwargs` may say where
    comparison = device_check.compare_devices(m, own_place, place)
    if comparison.verdict not in device_check.CONFLICTS:
        return
    made = generator.origin
    near = made is not None and made.source is m.source and made.calls == m.frame.calls
    creation = made.node if made is not None and near and isinstance(made.node, ast.Call) else None
    node = call.keyword_nodes.get("device")
    m.emit(
        GeneratorElsewhere(
            m.site(call.node),
            m.frame.statement,
            call.short_name,
            m.text(call.keyword_nodes.get("generator", call.node)),
            comparison.left,
            comparison.right,
            comparison.verdict is Verdict.WHEN_ACCELERATED,
            made,
            creation,
            _expression_valid_at(m, node, creation),
        )
    )


def _expression_valid_at(m: Machine, node: ast.expr | None, creation: ast.Call | None) -> str:
    """The expression of a device, if it means the same at another call above."""
    if creation is None or node is None:
        return ""
    if isinstance(node, ast.Constant):
        return m.text(node)

    bound = isinstance(node, ast.Name) and device_expressions.bound_before(
        m, node.id, creation.lineno, strict=True
    )
    return m.text(node) if bound else ""


@training_moments.loader_built.on
def loader_made(m: Machine, call: Invocation) -> None:
    """A `DataLoader` that shuffles while the default device is an accelerator."""
    if call.keyword(m, "shuffle") == TRUE and {"generator", "sampler", "**"}.isdisjoint(call.keywords):
        _draws_on_host(m, call, "loader")


@training_moments.sampler_built.on
def sampler_made(m: Machine, call: Invocation) -> None:
    """A `RandomSampler` without a generator while the default device is an accelerator."""
    if len(call.arguments) <= len(("data_source", "replacement", "num_samples")) and (
        {"generator", "**"}.isdisjoint(call.keywords)
    ):
        _draws_on_host(m, call, "sampler")


def _draws_on_host(m: Machine, call: Invocation, drawn_by: str) -> None:
    where = m.state.get(AMBIENT, "default set")
    if not isinstance(where, Site):
        return
    comparison = device_check.compare_devices(m, m.default_device(), CPU)
    if comparison.verdict not in device_check.CONFLICTS:
        return
    accelerated = comparison.verdict is Verdict.WHEN_ACCELERATED
    m.emit(LoaderOffHost(m.site(call.node), m.frame.statement, comparison.left, accelerated, where, drawn_by))


def _set_by(loop: ast.AST, receiver: ast.expr) -> bool:
    """Whether a loop gives a name a new value each time: of a list's items one stands for all."""
    root: ast.expr = receiver
    while isinstance(root, ast.Attribute):
        root = root.value
    return (
        isinstance(loop, (ast.For, ast.AsyncFor))
        and isinstance(root, ast.Name)
        and any(isinstance(each, ast.Name) and each.id == root.id for each in walk(loop.target))
    )


@moments.moving.on
def moved(m: Machine, node: ast.expr, receiver: ast.expr | None, tensor: TensorValue) -> None:
    """A tensor is moved to another device; perhaps the same one as in the last iteration, at the same place."""
    if (
        not m.loops
        or m.muted
        or not isinstance(receiver, (ast.Name, ast.Attribute))
        or tensor.symbol is not None
    ):
        return
    loop = m.loops[-1]
    if tensor.serial >= loop.number or tensor.is_parameter or _set_by(loop.node, receiver):
        return
    before = m.state.get(node, "#moved here")
    if isinstance(before, tuple) and before[0] is tensor and before[1] < loop.iteration:
        m.emit(TransferRepeated(m.site(node), m.frame.statement, m.text(receiver), tensor.origin))
    m.state.set(node, "#moved here", (tensor, loop.iteration))


def _old_name(m: Machine, call: Invocation) -> None:
    old = OLD_NAMES[call.name]
    if not isinstance(call.node, ast.Call) or (old.breaks and m.state.assumed(ACCELERATOR_PRESENT) is True):
        return
    if old.breaks and torch_names.is_one_of_several(m, call.node.func):
        return  # which of them it is was chosen before, and the other may be for where none is
    volatile = call.name.endswith(".Variable") and "volatile" in call.keywords
    advice = "`with torch.no_grad():`, as `volatile` has no effect any more" if volatile else old.advice
    m.emit(
        OldSpelling(
            m.site(call.node),
            m.frame.statement,
            call.name,
            advice,
            old.replacement,
            old.arguments,
            old.breaks or (volatile and call.keyword(m, "volatile") == TRUE and m.grad_enabled() is True),
            call.node,
            isinstance(m.state.get(AMBIENT, "device choice"), tuple),
            without_graph=m.grad_enabled() is False,
        )
    )


def _hook_registered(m: Machine, call: Invocation) -> None:
    tensor = m.tensor_of(call.receiver, infer=False)
    if tensor is None or tensor.symbol is not None or m.requires_grad(tensor) is not False:
        return
    if tensor.is_parameter and _is_seen_elsewhere(m, tensor):
        return  # it may have a graph by now, or another may be in its place
    step = m.state.get(tensor, "grad_step", tensor.grad_step)
    m.emit(
        GradAskedOfConstant(
            m.site(call.node),
            m.frame.statement,
            call.short_name,
            m.text(call.receiver_node or call.node),
            step if isinstance(step, Step) and step.kind == "cut" else None,
        )
    )


def _is_seen_elsewhere(m: Machine, tensor: TensorValue) -> bool:
    """Whether code that was not run has had a tensor, or one of those that it may be."""
    return m.state.get(tensor, "#escaped") is not None or any(
        isinstance(each, TensorValue) and _is_seen_elsewhere(m, each) for each in tensor.sides or ()
    )


def _detached(m: Machine, call: Invocation) -> None:
    tensor = m.tensor_of(call.receiver, infer=False)
    if tensor is None or tensor.view_of is None or tensor.symbol is not None or tensor.is_parameter:
        return
    node = m.node(tensor)
    if m.requires_grad(tensor) is not True or node is None or tensor.view_of.symbol is not None:
        return  # of what has no graph, or is merely taken for a tensor, it may be a view of a view that is none
    text = m.text(call.receiver_node or call.node)
    m.emit(ViewDetached(m.site(call.node), m.frame.statement, text, call.receiver_node, tensor.origin))


@moments.grad_asked_for.on
def requires_grad(m: Machine, node: ast.AST, how: str, dtype: str | None, literal: ast.expr | None) -> None:
    """Something of a known dtype is told to require grad."""
    if dtype is None or can_require_grad(dtype) is not False:
        return
    call = node if isinstance(node, ast.Call) else None
    m.emit(CannotRequireGrad(m.site(node), m.frame.statement, m.text(node), dtype, how, call, literal))


def copied(m: Machine, call: Invocation) -> None:
    """`torch.tensor(x)` of a tensor in a graph, or of several."""
    argument = call.argument_node(0, "data")
    given = m.resolve(call.argument(0, "data"))
    if isinstance(given, Either) and narrowing.are_no_tensors(m, given):
        return
    tensor = m.tensor_of(given, infer=isinstance(given, Symbol) and given.computed is not None)
    listed = tensor is None and isinstance(given, (Sequence, TupleValue))
    if isinstance(given, Either) and any(
        isinstance(each, (Symbol, InstanceValue)) for each in leaves(given) if each is not tensor
    ):
        return  # or an array: who tells them apart copies what is none of the tensors
    if listed:
        items = tensor_facts.tensors_in(m, [given])
        tensor = next(
            (each for each in items if m.requires_grad(each) is True and m.is_leaf(each) is False), None
        )
    if (
        tensor is None
        or (
            tensor.symbol is not None
            and (tensor.symbol.computed is None or narrowing.is_no_tensor(m, tensor.symbol))
        )
        or argument is None
        or "requires_grad" in call.keywords
        or True not in leaves(m.requires_grad(tensor))
        or m.grad_enabled() is not True
        or not isinstance(call.node, ast.Call)
    ):
        return
    m.state.set(call.node, "#cut told", True)
    m.emit(
        GraphCopiedAsNumbers(
            m.site(call.node),
            m.frame.statement,
            call.short_name,
            m.text(argument),
            argument,
            call.node,
            listed,
        )
    )


def _backward(m: Machine, call: Invocation) -> None:
    given = call.keyword(m, "create_graph")
    if given == Const(True) and isinstance(call.node, ast.Call):
        node = call.keyword_nodes.get("create_graph")
        m.emit(BackwardKeepsGraph(m.site(call.node), m.frame.statement, "create_graph", call.node, node))


@training_moments.checkpointed.on
def checkpointed(m: Machine, call: Invocation) -> None:
    """`torch.utils.checkpoint.checkpoint(function, *args, use_reentrant=...)`."""
    if not isinstance(call.node, ast.Call) or "**" in call.keywords:
        return
    reentrant = call.keyword(m, "use_reentrant")
    site, statement = m.site(call.node), m.frame.statement
    function = m.resolve(call.arguments[0])
    argument = call.keyword_nodes.get("use_reentrant")
    given = [m.tensor_of(each, infer=False) for each in call.arguments[1:]]
    if (
        reentrant in (None, TRUE)
        and m.grad_enabled() is True
        and isinstance(function, InstanceValue)
        and registry.is_module(m, function)
        and any(m.requires_grad(each) is True for each in registry.parameters(m, function))
        and given
        and all(each is not None and m.requires_grad(each) is False for each in given)
        and not (m.frame.symbolic and any(each is not None and each.symbol is not None for each in given))
    ):
        m.emit(CheckpointVague(site, statement, "no grad", call.node, argument))
    elif reentrant is None:
        m.emit(CheckpointVague(site, statement, "unsaid", call.node, None))


_CALLS: Final[dict[str, Callable[[Machine, Invocation], None]]] = {
    "torch.nn.functional.cross_entropy": module_use.loss,
    "torch.nn.functional.binary_cross_entropy_with_logits": module_use.loss,
    "torch.nn.functional.nll_loss": module_use.loss,
    "torch.nn.functional.kl_div": module_use.loss,
    "torch.nn.functional.binary_cross_entropy": module_use.loss,
    **{f"torch.nn.functional.{name}": module_use.loss for name in module_use.SIGNS},
    "torch.Tensor.pin_memory": _pinned,
    "torch.nn.utils.rnn.pack_padded_sequence": _lengths,
    "torch.tensor_split": _sections,
    "torch.Tensor.tensor_split": _sections,
    "torch.Tensor.register_hook": _hook_registered,
    "torch.Tensor.retain_grad": _hook_registered,
    "torch.Tensor.detach_": _detached,
    "torch.tensor": copied,
    "torch.Tensor.backward": _backward,
    **{
        f"torchvision.transforms.{version}{name}": data.transforms_given
        for version in ("", "v2.")
        for name in ("Compose", "Lambda", "RandomApply", "RandomChoice", "RandomOrder")
    },
}
