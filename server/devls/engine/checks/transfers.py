"""Transfers to devices: dtypes that a device does not know, copies that are still under way, worker processes, waits."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, notes, program_moments, training_moments
from devls.engine.core.events.events import ResultDiscarded
from devls.engine.core.events.transfers import DtypeNotThere, PlacedByWorker, ReadUnsynchronized, WaitedInLoop
from devls.engine.evidence import use_of_names
from devls.engine.python import calls
from devls.engine.python.loops import now_and_then
from devls.engine.torch import data
from devls.engine.torch.functions import surroundings
from devls.engine.torch.tensors import device_check
from devls.values.call_facts import GivenOnHost
from devls.values.conditions import leaves
from devls.values.devices import CPU, KnownDevice, NamedDevice, Verdict
from devls.values.graph import next_serial
from devls.values.history import Step
from devls.values.state import AMBIENT
from devls.values.value import TRUE, BoundMethod, Const, FunctionValue, InstanceValue, TensorValue, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.events.events import Operand
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import LoopFrame
    from devls.library.effects import Role
    from devls.values.conditions import Tree
    from devls.values.history import Site


class Worker:
    """The code of a worker process that is running, muted."""

    def __init__(self, loader: Site, function: str) -> None:
        self.loader = loader
        self.function = function
        self.events: list[PlacedByWorker] = []


@notes.record
class TransferNotes(notes.Record):
    """Transfers between the host and the devices that are under way."""

    __slots__ = ("copies_under_way", "worker")

    def __init__(self) -> None:
        self.worker: Worker | None = None
        """The worker process whose code is running, if any."""
        self.copies_under_way = False
        """Whether anything was sent to the CPU without waiting."""

    def isolated(self) -> TransferNotes:
        """A function may read what the program has sent."""
        found = TransferNotes()
        found.copies_under_way = self.copies_under_way
        return found


# Dtypes

_UNSUPPORTED_DTYPES: Final = {"mps": frozenset({"float64", "complex128"})}
"""Metal has no 64-bit floating point numbers."""


@moments.placed.on
def placed(m: Machine, node: ast.AST, device: Tree, dtype: str | None, made: TensorValue | None) -> None:
    """A tensor was created on, or moved to, a device: `made` is what was moved, if something was."""
    if dtype in ("float64", "complex128"):
        _dtype(m, node, device, dtype, made.origin if made is not None else None, made)
    worker = m.notes.of(TransferNotes).worker
    if worker is not None:
        _by_worker(m, worker, node, device, moved=made is not None)


@training_moments.module_moving.on
def module_placed(m: Machine, call: Invocation, owner: InstanceValue, device: Tree) -> None:
    """`module.to(device)`: of a module that has been told to compute with other numbers."""
    found = m.state.get(owner, "#cast")
    if isinstance(found, tuple):
        dtype, site = found
        _dtype(m, call.node, device, dtype, site, None, is_module=True)


def _dtype(
    m: Machine,
    node: ast.AST,
    device: Tree,
    dtype: str,
    site: Site | None,
    moved: TensorValue | None,
    *,
    is_module: bool = False,
) -> None:
    places = leaves(m.state.resolve(device))
    place = next(
        (
            each
            for each in places
            if isinstance(each, KnownDevice) and dtype in _UNSUPPORTED_DTYPES.get(each.type, frozenset())
        ),
        None,
    )
    if place is None:
        return
    call = node if isinstance(node, ast.Call) else None
    receiver = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
    given = next((each.value for each in call.keywords if each.arg == "dtype"), None) if call else None
    shown = receiver if (moved is not None or is_module) and receiver is not None else node
    m.emit(
        DtypeNotThere(
            m.site(node),
            m.frame.statement,
            m.text(shown),
            str(place),
            dtype,
            len(places) == 1,
            call,
            receiver if moved is not None or is_module else None,
            given,
            site,
            is_module,
            moved is not None and m.state.get(moved, "#from numpy") is True,
        )
    )


# Copies that are under way


@moments.moved.on
def forgotten(m: Machine, call: Invocation, before: Tree, result: TensorValue) -> None:
    """A part of a container was moved, and bound to the name of a loop that is bound anew in the next round."""
    del before
    statement, node = m.frame.statement, call.node
    if not isinstance(statement, ast.Assign) or statement.value is not node or len(statement.targets) != 1:
        return
    target, tensor = statement.targets[0], m.state.get(result, "moved from")
    if (
        not isinstance(target, ast.Name)
        or not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or not isinstance(tensor, TensorValue)
        or not (tensor.symbol is None or tensor.symbol.hint == "tensor" or m.state.get(tensor, "is tensor"))
    ):
        return
    if not use_of_names.is_forgotten(m.frame.source, statement, target.id):
        return
    m.emit(
        ResultDiscarded(
            m.site(node), statement, node.func.attr, target.id, node.func.value, moved=True, tensor=tensor
        )
    )


@moments.moved.on
def sent(m: Machine, call: Invocation, before: Tree, result: TensorValue) -> None:
    """A copy to the CPU that nobody waits for: `x.to("cpu", non_blocking=True)`; one that is waited for comes after it."""
    if result.device != CPU:
        return
    if call.keyword(m, "non_blocking") != TRUE:
        if (
            m.notes.of(TransferNotes).copies_under_way
            and device_check.compare_devices(m, before, CPU).verdict is not Verdict.SAME
        ):
            synchronized(m)
        return
    comparison = device_check.compare_devices(m, before, CPU)
    if comparison.verdict not in device_check.CONFLICTS:
        return
    if isinstance(comparison.left, NamedDevice) and not comparison.left.chosen:
        return  # an argument's own device: whoever calls decides
    m.notes.of(TransferNotes).copies_under_way = True
    mark = (
        m.site(call.node),
        call.keyword_nodes.get("non_blocking"),
        comparison.verdict is Verdict.WHEN_ACCELERATED,
        next_serial(),
    )
    m.state.set(result, "#arriving", mark)


@training_moments.synchronized.on
def synchronized(m: Machine) -> None:
    """Something waits for the device, and with it for all copies that were under way."""
    m.state.set(AMBIENT, "#synchronized", next_serial())


@moments.computed.on
def computed(
    m: Machine, node: ast.expr, operation: str, operands: list[tuple[Role, Operand]], *, reads: bool
) -> None:
    """An operation needs the numbers of its operands."""
    del operation
    if reads and m.notes.of(TransferNotes).copies_under_way:
        for _, each in operands:
            read(m, node, each.tensor, each.text)


@moments.contents_read.on
def read(m: Machine, node: ast.AST, tensor: TensorValue, text: str) -> None:
    """The host looks at the numbers in a tensor."""
    if not m.notes.of(TransferNotes).copies_under_way:
        return
    base = tensor.view_of or tensor
    mark = m.state.resolve(m.state.get(base, "#arriving"))
    if not isinstance(mark, tuple):
        return
    moved, argument, accelerated, serial = mark
    waited = m.state.get(AMBIENT, "#synchronized")
    m.state.set(base, "#arriving", None)
    if waited is not None and not (isinstance(waited, int) and waited < serial):
        return
    m.emit(ReadUnsynchronized(m.site(node), m.frame.statement, text, moved, argument, accelerated))


# Workers


@training_moments.loader_built.on
def worker_starts(m: Machine, call: Invocation) -> None:
    """A loader is made: what its worker processes are going to run."""
    collated = m.resolve(call.keywords.get("collate_fn"))
    if isinstance(collated, BoundMethod):
        collated = collated.function
    if isinstance(collated, FunctionValue):
        # A loader gives it what the data set holds, before anybody moves a batch.
        m.call_facts |= {
            GivenOnHost(("parameter", id(collated.definition), each.arg))
            for each in collated.definition.args.args
        }
    notes_of_run = m.notes.of(TransferNotes)
    count = surroundings.unless_told(m, call.keyword(m, "num_workers"))
    context = call.keyword(m, "multiprocessing_context")
    if (
        not (isinstance(count, Const) and isinstance(count.value, int) and count.value > 0)
        or (context is not None and context != Const("fork"))
        or m.state.get(AMBIENT, "#starts anew") is not None
        or notes_of_run.worker is not None
        or m.muted
    ):
        return
    here = m.state.fork()
    m.muted += 1
    notes_of_run.worker = worker = Worker(m.site(call.node), "__getitem__")
    found = worker.events
    try:
        dataset = call.argument(0, "dataset")
        item = data.dataset_item(m, dataset, None) if dataset is not None else None
        collate = m.resolve(call.keywords.get("collate_fn"))
        if isinstance(collate, FunctionValue):
            samples = m.new_list((item if item is not None else m.unknown(),), call.node)
            worker.function = "collate_fn"
            calls.call(m, collate, [samples], {}, call.node)
        elif item is not None and not found:
            _stored_on_accelerator(m, worker, call, item)
    finally:
        notes_of_run.worker = None
        m.muted -= 1
        m.state.restore(here)
    for event in found[:1]:
        m.emit(event)


def _by_worker(m: Machine, worker: Worker, node: ast.AST, device: Tree, *, moved: bool) -> None:
    comparison = device_check.compare_devices(m, device, CPU)
    if comparison.verdict not in device_check.CONFLICTS:
        return
    if isinstance(comparison.left, NamedDevice) and not comparison.left.chosen:
        return
    call = node if isinstance(node, ast.Call) else None
    receiver = call.func.value if moved and call and isinstance(call.func, ast.Attribute) else None
    worker.events.append(
        PlacedByWorker(
            m.site(node),
            m.frame.statement,
            m.text(receiver if receiver is not None else node),
            worker.function,
            comparison.left,
            comparison.verdict is Verdict.WHEN_ACCELERATED,
            worker.loader,
            call,
            receiver,
        )
    )


def _stored_on_accelerator(m: Machine, worker: Worker, call: Invocation, item: object) -> None:
    """Items that were put on an accelerator beforehand, and are handed out by each worker."""
    value = m.resolve(item)
    for each in value.items if isinstance(value, TupleValue) else (value,):
        tensor = m.resolve(each)
        if not isinstance(tensor, TensorValue):
            continue
        comparison = device_check.compare_devices(m, m.device(tensor), CPU)
        step = m.state.get(tensor, "device_step", tensor.device_step)
        if comparison.verdict not in device_check.CONFLICTS or not isinstance(step, Step):
            continue
        if isinstance(comparison.left, NamedDevice) and not comparison.left.chosen:
            continue
        made = step.site.node if isinstance(step.site.node, ast.Call) else None
        moved = step.kind == "moved" and made is not None and isinstance(made.func, ast.Attribute)
        worker.events.append(
            PlacedByWorker(
                step.site,
                None,
                " ".join(step.site.source.slice(step.site.node).split())[:60],
                "__getitem__",
                comparison.left,
                comparison.verdict is Verdict.WHEN_ACCELERATED,
                m.site(call.node),
                made,
                made.func.value
                if moved and made is not None and isinstance(made.func, ast.Attribute)
                else None,
            )
        )
        return


# Waiting

_WAITS: Final[notes.LoopNote[dict[ast.AST, tuple[Site, str, bool]]]] = notes.LoopNote(dict)
"""The places where each iteration of a loop waits for the device: site, text, and whether only with an accelerator."""


@moments.host_waits.on
def waits(m: Machine, node: ast.AST, device: Tree) -> None:
    """The program goes on only when the device has computed a number: `.item()`, `print(x)`, `if x:`."""
    comparison = device_check.compare_devices(m, device, CPU)
    if comparison.verdict not in device_check.CONFLICTS:
        return
    synchronized(m)
    if not m.loops or m.muted or (isinstance(comparison.left, NamedDevice) and not comparison.left.chosen):
        return

    if not now_and_then(m):
        accelerated = comparison.verdict is Verdict.WHEN_ACCELERATED
        _WAITS.of(m.loops[-1])[node] = (m.site(node), m.text(node), accelerated)


@program_moments.loop_ended.on
def loop_ended(m: Machine, loop: LoopFrame) -> None:
    """Judge how often each step has waited."""
    found = list(_WAITS.take(loop).values()) if loop.trains else []
    if len(found) > 1:
        m.emit(
            WaitedInLoop(
                found[0][0],
                None,
                tuple(text for _, text, _ in found),
                tuple(site for site, _, _ in found),
                any(accelerated for _, _, accelerated in found),
            )
        )
