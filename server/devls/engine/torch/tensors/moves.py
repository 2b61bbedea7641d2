"""`.to`, `.cuda`, `.cpu`: where something is asked to be."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, notes, priors
from devls.engine.core.events.calls import MetaMoved
from devls.engine.python import strings
from devls.engine.python.narrowing import device_of
from devls.engine.torch.tensors import device_arguments, device_check
from devls.engine.torch.tensors.shapes import can_require_grad, dtype_name
from devls.syntax.nodes import LOOKED_AT
from devls.values.call_facts import ResultMoved
from devls.values.conditions import (
    ACCELERATOR_PRESENT,
    Condition,
    Either,
    apply,
    cases,
    either,
    negation,
    resolve,
)
from devls.values.devices import (
    CPU,
    META,
    UNKNOWN_DEVICE,
    Verdict,
    compare_known,
    describe,
    parse_device,
)
from devls.values.graph import Node, Storage
from devls.values.history import Step
from devls.values.value import (
    FALSE,
    NONE,
    Const,
    DeviceValue,
    InstanceValue,
    LibraryName,
    Symbol,
    TensorValue,
)

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.history import Site


@notes.record
class ProgramMoves(notes.Record):
    """Whether the program moves anything off the CPU: then it uses accelerators."""

    __slots__ = ("moves",)

    ADDED = ("moves",)

    ASKED: Final = ast.Pass()
    """Stands in `LOOKED_AT` for the question."""

    def __init__(self) -> None:
        self.moves = 0  # how often

    def asked(self) -> bool:
        """The answer, for whoever depends on it from here on."""
        LOOKED_AT.add(self.ASKED)
        return self.moves > 0

    def isolated(self) -> ProgramMoves:
        """All runs are shown the same."""
        return self

    def size(self) -> int:
        """It is asked for later."""
        return min(self.moves, 1)


def target_of(m: Machine, call: Invocation) -> tuple[Tree | None, str | None]:
    """The device and the dtype that `.to(...)` and its kin ask for; None for what they leave."""
    device, dtype = _asked_of(m, call)
    if m.program_runs and device not in (None, CPU, UNKNOWN_DEVICE):
        m.notes.of(ProgramMoves).moves += 1
    return device, dtype


def _asked_of(m: Machine, call: Invocation) -> tuple[Tree | None, str | None]:
    name = call.short_name
    if name == "cpu":
        return CPU, None
    if name in ("cuda", "xpu"):
        return device_arguments.accelerator(m, call, name), None
    if name in _DTYPE_METHODS:
        return None, _DTYPE_METHODS[name]
    dtype: str | None = None
    device: Tree | None = None
    given = m.resolve(call.keywords.get("dtype", NONE))
    if given != NONE:
        dtype = dtype_name(given) or "?"
    for value, node in [
        *zip(call.arguments[1:], call.nodes[1:], strict=False),
        *(
            (call.keywords[key], call.keyword_nodes.get(key))
            for key in ("device", "other")
            if key in call.keywords
        ),
    ]:
        resolved = m.resolve(value)
        if isinstance(resolved, Symbol) and resolved.hint == "tensor":
            resolved = m.as_tensor(resolved)
        found = dtype_name(resolved)
        if found is not None:
            dtype = found
            continue
        if resolved in (Const(True), Const(False)) or is_of_torch(resolved):
            continue
        if isinstance(resolved, TensorValue):
            device, dtype = (
                m.device(resolved),
                resolved.dtype if resolved.dtype not in (None, "float") else "?",
            )
            continue
        if _is_some_dtype(resolved):
            dtype = "?"
            continue
        if device is None:
            if (
                isinstance(resolved, Const)
                and isinstance(resolved.value, str)
                and _is_moved(m, call, resolved.value)
            ):
                device_arguments.check_device_string(m, call.node, resolved.value, node)
            elif (
                isinstance(resolved, Symbol)
                and resolved.hint == "string"
                and _is_moved(m, call, strings.beginning_of(resolved) or "")
            ):
                device_arguments.check_device_beginning(m, call.node, resolved, node)
            device = device_of(m, resolved)
    return device, dtype


def is_of_torch(value: object) -> bool:
    """Whether an argument is a constant of torch's, such as a memory format: torch itself names no device."""
    return isinstance(value, LibraryName) and value.name.partition(".")[0] == "torch"


def _is_some_dtype(value: object) -> bool:
    """Whether an argument that is not known is a dtype, by its name: a module that is out of sight may have either."""
    if isinstance(value, LibraryName):
        return value.name.lower().endswith("dtype")
    return isinstance(value, Symbol) and (value.hint == "dtype" or value.text.endswith("dtype"))


_KINDS_OF_DEVICES: Final = ("gpu", "cuda", "cpu", "mps", "xpu", "tpu")
"""How texts begin that mean a device, or are meant to."""


def _is_moved(m: Machine, call: Invocation, text: str) -> bool:
    """Whether `x.to("...")` moves something: what is not known may have a `to` of its own, which takes other texts."""
    receiver = m.resolve(call.receiver) if call.is_method else None
    symbol = receiver.symbol if isinstance(receiver, TensorValue) else receiver
    known = not isinstance(symbol, Symbol) or symbol.hint in ("tensor", "module")
    return known or text.lstrip().lower().startswith(_KINDS_OF_DEVICES)


def names_no_device(m: Machine, call: Invocation) -> bool:
    """Whether something that is not known to be torch's is asked for another text than a device: `length.to("km")`."""
    given = [each.value for each in map(m.resolve, call.arguments[1:2]) if isinstance(each, Const)]
    return any(
        isinstance(each, str) and parse_device(each) is None and not _is_moved(m, call, each)
        for each in given
    )


def _with_accelerator(condition: Condition) -> bool | None:
    return True if condition == ACCELERATOR_PRESENT else None


def _another(before: str | None, after: str | None) -> bool:
    """Whether a dtype is another one for sure, so that what has it is a copy."""
    return None not in (before, after) and "float" not in (before, after) and before != after


def _makes_copy(move: _Move) -> bool:
    """Whether a move gives another tensor for sure: what requires grad is no tensor of numbers that cannot."""
    if _another(move.tensor.dtype, move.result_dtype):
        return True
    casts = move.dtype is not None and move.needs is not False
    return casts and can_require_grad(move.result_dtype) is False


def _ways(m: Machine, before: Tree, after: Tree) -> tuple[Tree, ...]:
    """Both devices where it depends on the way through the program whether they differ; nothing else."""
    if before == after:
        return ()
    found = tuple(resolve(resolve(each, m.state.assumed), _with_accelerator) for each in (before, after))
    verdicts = {compare_known(one, other) for _, (one, other) in cases(*found)}
    return found if {Verdict.SAME, Verdict.DIFFERENT} <= verdicts else ()


def _leaf_after_move(before: Tree, after: Tree, was_leaf: Tree, needs: Tree) -> Tree:
    """Whether the result is a leaf on one way: the tensor itself where the device is the same."""
    verdict = compare_known(before, after)
    if verdict is Verdict.SAME:
        return was_leaf
    return None if needs is None or verdict is Verdict.UNKNOWN else not needs


def chosen_at(m: Machine, call: Invocation) -> Site | None:
    """Creation of the device that a call is given."""
    values = (m.resolve(each) for each in (*call.arguments[1:], *call.keywords.values()))
    return next((each.origin for each in values if isinstance(each, DeviceValue)), None)


_DTYPE_METHODS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "long": "int64", "int": "int32",
    "short": "int16", "bool": "bool", "byte": "uint8", "char": "int8", "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip


@dataclass(eq=False, repr=False)
class _Move:
    """One move of a tensor: where from, where to, and whether it makes a copy."""

    call: Invocation
    site: Site
    tensor: TensorValue
    needs: Tree  # whether the tensor requires grad
    before: Tree
    target: Tree | None  # what is asked for; None where only a dtype is
    dtype: str | None  # "?" for one that is not known
    verdict: Verdict
    copies: bool  # whether `copy=` is asked for

    @property
    def device(self) -> Tree:
        """Device of the result."""
        return self.before if self.target is None else self.target

    @property
    def unchanged(self) -> bool:
        """Whether the result is the tensor itself."""
        same_dtype = self.dtype is None or self.dtype == self.tensor.dtype
        return self.verdict is Verdict.SAME and same_dtype and not self.copies

    @property
    def elsewhere(self) -> bool:
        """Whether the result is on another device, where there is an accelerator."""
        return self.verdict in (Verdict.DIFFERENT, Verdict.WHEN_ACCELERATED)

    @property
    def result_dtype(self) -> str | None:
        """The dtype of the result, None if it is not known."""
        return self.tensor.dtype if self.dtype is None else (None if self.dtype == "?" else self.dtype)

    @property
    def may_be_nothing(self) -> bool:
        """Whether nothing is asked for but a dtype that the tensor may have: the tensor itself comes back then."""
        return self.verdict is Verdict.SAME and not self.copies and self.dtype_may_stay

    @property
    def dtype_may_stay(self) -> bool:
        """Whether the dtype may be the same, for all that is known of both."""
        return self.dtype == "?" or self.tensor.dtype in (None, "float")


def _note_copy(m: Machine, move: _Move, before: object) -> None:
    """A moved copy was made of a tensor itself: where, should the tensor turn out to be where it was."""
    origin = move.tensor.origin
    if isinstance(before, Step) and origin is not None and origin.key == before.site.key:
        m.state.set(before, "copied at", move.site)
    else:
        m.state.set(move.tensor, "copied at", move.site)


def move_tensor(m: Machine, call: Invocation, tensor: TensorValue) -> TensorValue:
    """`tensor.to(...)`: the tensor itself where nothing changes, else a copy in its graph."""
    move = _asked_move(m, call, tensor)
    if (
        tensor.symbol is not None
        and tensor.symbol.hint != "tensor"
        and (move.target, move.dtype) == (None, None)
    ):
        return tensor
    _announce(m, move)
    if move.unchanged and not isinstance(move.before, Either) and not isinstance(move.device, Either):
        return tensor
    ways = (
        _ways(m, move.before, move.device) if not move.copies and move.dtype in (None, tensor.dtype) else ()
    )
    grads, leaf = _graph_after_move(m, move, ways)
    if move.before == UNKNOWN_DEVICE and move.target is not None:
        device_check.moved_on(m, tensor, move.target)
    before_step = m.state.get(tensor, "device_step", tensor.device_step)
    step = _step_of_move(m, move, before_step)
    if move.unchanged and tensor.is_parameter and not ways:
        return tensor
    result = _copy(m, move, step, grads, leaf, ways)
    m.state.set(result, "moved from", tensor)
    moments.moved(m, call, move.before, result)
    if move.elsewhere:
        _note_copy(m, move, before_step)
    return result


def _asked_move(m: Machine, call: Invocation, tensor: TensorValue) -> _Move:
    """Target of a call."""
    target, dtype = target_of(m, call)
    meant = priors.device_meant_by_cuda(m, call, tensor)
    if meant is not None:
        target, back = meant
        moments.current_card_taken(m, call.node, target, back=back, like="")
    before = m.device(tensor)
    copy = call.keyword(m, "copy")
    if (copy is None or isinstance(copy, Const)) and target is None and dtype is None:
        target = before
    verdict = Verdict.SAME if target is None else device_check.compare_devices(m, before, target).verdict
    site, needs = m.site(call.node), m.requires_grad(tensor)
    return _Move(call, site, tensor, needs, before, target, dtype, verdict, copy not in (None, FALSE))


def _announce(m: Machine, move: _Move) -> None:
    """Say that a tensor is about to be moved or cast."""
    call, tensor, dtype, device = move.call, move.tensor, move.dtype, move.device
    if move.elsewhere and device != CPU:
        moments.moving(m, call.node, call.receiver_node, tensor)
    if move.target is not None and move.verdict is not Verdict.SAME:
        moments.placed(m, call.node, device, tensor.dtype if dtype in (None, "?") else dtype, tensor)
    elif dtype not in (None, tensor.dtype):
        moments.placed(m, call.node, device, dtype, tensor)
    if move.before == META and device not in (META, UNKNOWN_DEVICE):
        text = m.text(call.receiver_node or call.node)
        node = call.node if isinstance(call.node, ast.Call) else None
        m.emit(MetaMoved(move.site, m.frame.statement, text, is_module=False, call=node))


def _graph_after_move(m: Machine, move: _Move, ways: tuple[Tree, ...]) -> tuple[Tree, Tree]:
    """Whether the result of a move requires grad, and whether it is a leaf."""
    needs, enabled = move.needs, m.grad_enabled()
    grads: Tree = needs if enabled is True else False if enabled is False else None
    if can_require_grad(move.result_dtype) is False:
        grads = False
    if grads is False and enabled is False and needs is not False:
        may_be_itself = not move.copies and move.verdict is not Verdict.DIFFERENT
        if may_be_itself and (move.dtype in (None, move.tensor.dtype) or move.dtype_may_stay):
            # If nothing changes, the tensor itself comes back, as it is.
            return None, True if m.is_leaf(move.tensor) is True else None
    if grads is not False and (grads is True or needs is True):
        return grads, _leaf_in_graph(m, move, ways, grads)
    return grads, negation(grads)


def _leaf_in_graph(m: Machine, move: _Move, ways: tuple[Tree, ...], grads: Tree) -> Tree:
    """Whether the result of a move that is recorded, or may be, is a leaf: the tensor itself may come back."""
    was_leaf = m.is_leaf(move.tensor)
    if ways:
        return apply(_leaf_after_move, *ways, was_leaf, grads)
    if move.unchanged:
        return was_leaf
    if move.verdict is Verdict.WHEN_ACCELERATED or isinstance(move.device, Either):
        # On a machine without an accelerator the leaf itself comes back.
        return False if grads is True else negation(grads)
    if move.verdict is Verdict.UNKNOWN or move.may_be_nothing:
        return False if was_leaf is False else None
    return negation(grads)


def _step_of_move(m: Machine, move: _Move, before: object) -> Step | None:
    """How the result of a move came to be where it is; the host may wait for it."""
    call, device = move.call, move.device
    step = before if isinstance(before, Step) else None
    if move.target is None:
        return step
    waited = device == CPU and call.keyword(m, "non_blocking") in (None, FALSE)
    if waited and move.elsewhere:
        moments.host_waits(m, call.node, move.before)
    if step is not None and step.kind == "created":
        m.state.set(step, "moved on", True)
        if step.site.calls:
            m.call_facts.add(ResultMoved(step.site.node))
    if move.target == CPU:
        return Step("moved to the CPU", move.site, step, kind="moved", of=(move.tensor,))
    return Step(f"moved to `{describe(device)}`", move.site, step, chosen_at(m, call), kind="moved")


def _cut_by_dtype(move: _Move) -> Step | None:
    """How a cast to a dtype without gradients cuts the graph of what has one, or had one if somebody trains."""
    had_graph = move.needs is True or (isinstance(move.needs, Either) and move.needs.then is True)
    if not had_graph or can_require_grad(move.result_dtype) is not False:
        return None
    before = move.tensor.grad_step
    return Step(
        f"tensors of {move.result_dtype} have no gradient", move.site, before, kind="cut", of=(move.tensor,)
    )


def _copy(
    m: Machine, move: _Move, step: Step | None, grads: Tree, leaf: Tree, ways: tuple[Tree, ...]
) -> TensorValue:
    """The result of a move, which may share the memory of the tensor."""
    call, tensor, unchanged, dtype = move.call, move.tensor, move.unchanged, move.result_dtype
    result = TensorValue(
        device=move.device,
        requires_grad=grads,
        leaf=leaf,
        dtype=dtype,
        shape=tensor.shape,
        nonscalar=tensor.nonscalar,
        storage=tensor.storage if unchanged else Storage(),
        view_of=tensor.view_of if unchanged else None,
        may_share=None
        if move.verdict is Verdict.DIFFERENT or move.copies or _makes_copy(move)
        else tensor.view_of or tensor.may_share or tensor,
        is_parameter=tensor.is_parameter and unchanged and not ways,
        inference=tensor.inference and unchanged,
        origin=move.site,
        device_step=step,
        grad_step=_cut_by_dtype(move) or tensor.grad_step,
        symbol=tensor.symbol if tensor.symbol is not None and tensor.symbol.hint != "tensor" else None,
    )
    if grads is not False:
        unseen, edges = tensor.symbol is not None and move.needs is None, (m.node(tensor),)
        node = Node("torch.Tensor.to", (tensor,), move.site, (), keeps=False, open=unseen, edges=edges)  # type: ignore[arg-type]
        result.node = node
        if move.needs is True and leaf is not True and m.is_leaf(tensor) is True and not move.may_be_nothing:
            m.state.set(result, "leaf lost", m.text(call.node))
            if tensor.is_parameter:
                m.state.set(result, "parameter lost", m.text(call.node))
    return result


__all__ = ["InstanceValue", "either", "move_tensor", "target_of"]
