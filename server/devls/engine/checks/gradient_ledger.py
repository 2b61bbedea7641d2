"""The ledger of gradients: which trained parameters a loss depends on, which of them it has gradients to, and where others were cut.

A node of the graph remembers the operands that get no gradients, and a cut remembers what it was computed of. Nothing more is
kept while code runs: what lies behind a cut is walked when a backward has gone through the graph.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import limits, moments, notes, program_moments, training_moments
from devls.engine.core.events.protocols import GradientsMixed, ParametersUnreached, SummandCut
from devls.engine.core.joins import Entries
from devls.engine.evidence.batch_provenance import is_given
from devls.engine.python import iteration
from devls.engine.torch.nn import registry, train_mode
from devls.values.facts import fact
from devls.values.graph import Node, next_serial
from devls.values.history import Site, Step
from devls.values.value import InstanceValue, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.engine.core.moments import WalkedGraph
    from devls.values.value import FunctionValue


_CUT: Final = frozenset({"cut", "number"})


@notes.record
class Ledger(notes.Record):
    """The optimizers of a run, what backwards have reached, and where what they have not was cut."""

    __slots__ = ("cuts", "evaluated", "frozen", "open", "optimizers", "reached", "stepped", "told")

    def __init__(self) -> None:
        self.optimizers: dict[InstanceValue, list[TensorValue]] = {}
        self.stepped: dict[InstanceValue, str] = {}
        self.reached: set[TensorValue] = set()
        self.cuts: dict[TensorValue, Step] = {}
        self.frozen: set[TensorValue] = set()  # those that were so when an optimizer was given them
        self.evaluated: set[TensorValue] = set()  # of models in eval mode at a step: not to be trained
        self.open = False
        self.told: set[object] = set()  # the places of cuts that were told as those of a term

    def recall(self, module: notes.Record) -> None:
        """Of a module only whether it did something with gradients that is not followed."""
        self.open = self.open or (isinstance(module, Ledger) and module.open)

    def waits_for_end(self) -> bool:
        """A later backward may reach what none has reached so far."""
        return bool(self.stepped)


def cut_of(m: Machine, value: object) -> Step | None:
    """How something that gets no gradients was cut from what it was computed of."""
    if isinstance(value, Step):
        return value
    if isinstance(value, TensorValue):
        step = m.state.get(value, "grad_step", value.grad_step)
        return step if isinstance(step, Step) and step.kind in _CUT and step.of else None
    source = m.state.get(value, "read from") if isinstance(value, Symbol) else None
    if not isinstance(source, TensorValue):
        return None
    site = value.site or m.state.get(value, "read at")  # type: ignore[attr-defined]
    if not isinstance(site, Site):
        return None
    return Step("a number is read here, without its graph", site, kind="number", of=(source,))


def cuts_in(m: Machine, nodes: Sequence[Node] | dict[Node, None]) -> Iterator[Step]:
    """The cuts right behind the nodes of a graph."""
    for node in nodes:
        for each in node.apart:
            step = cut_of(m, each)
            if step is not None:
                yield step


def parameters_behind(m: Machine, step: Step) -> dict[TensorValue, Step]:
    """The parameters that require grad behind a cut, each with the cut that is nearest to it."""
    found = _behind(m, step).items()
    return {each: cut for each, cut in found if isinstance(each, TensorValue) and each.is_parameter}


def _behind(m: Machine, step: Step) -> dict[TensorValue | Node, Step]:
    """The parameters behind a cut, and the nodes of models of which no code is seen, each with the cut nearest to it."""
    found: dict[TensorValue | Node, Step] = {}
    waiting: list[tuple[object, Step]] = [(step, step)]
    seen: set[object] = {step}
    while waiting and len(seen) < limits.GRAPH_WALK:
        thing, nearest = waiting.pop()
        m.state.work += limits.WORK_OF_NODE
        more: tuple[object, ...] = ()
        if isinstance(thing, Step):
            more = thing.of
        elif isinstance(thing, Node):
            if thing.open and thing.keeps:
                found.setdefault(thing, nearest)
            more = (*thing.inputs, *thing.edges, *thing.apart)
        elif isinstance(thing, TensorValue):
            unseen = registry.is_unseen_parameter(thing.symbol)
            if thing.is_parameter or unseen:
                wanted = m.requires_grad(thing)
                if thing.sides is None and (wanted is True or (unseen and wanted is not False)):
                    found[thing] = _told_first(m, found.get(thing), nearest)
                continue
            behind = cut_of(m, thing)
            # A result of a cut has a step of its own; the first of several lies nearest to the parameters.
            more = (m.node(thing), *(() if behind is None else (behind,)), *(thing.sides or ())[1:])
        elif isinstance(thing, Symbol):
            computed = None if thing.computed is None else thing.computed.node
            more = (computed, cut_of(m, thing))
        for each in more:
            if each is not None and each not in seen:
                if not (isinstance(each, TensorValue) and each.is_parameter):
                    seen.add(each)  # several cuts may lie before one parameter
                waiting.append((each, each if isinstance(each, Step) else nearest))
    return found


def _told_first(m: Machine, one: Step | None, other: Step) -> Step:
    """Of two cuts before a parameter the one of what had a graph: what was computed without one was to have none, most often."""
    if one is None:
        return other
    return other if _had_graph(m, other) and not _had_graph(m, one) else one


def _had_graph(m: Machine, step: Step) -> bool:
    return any(isinstance(each, TensorValue) and m.node(each) is not None for each in step.of)


@training_moments.optimizer_built.on
def optimizer_built(m: Machine, optimizer: InstanceValue, parameters: list[TensorValue]) -> None:
    """An optimizer holds parameters."""
    record = m.notes.of(Ledger)
    record.optimizers[optimizer] = parameters
    record.frozen.update(each for each in parameters if m.requires_grad(each) is False)


@training_moments.stepped.on
def stepped(m: Machine, optimizer: object, node: ast.expr, text: str) -> None:
    """An optimizer uses gradients."""
    del node
    record = m.notes.of(Ledger)
    if isinstance(optimizer, InstanceValue) and optimizer in record.optimizers:
        record.stepped[optimizer] = text
        record.evaluated |= train_mode.parameters_in_eval(m)


@moments.graph_walked.on
def graph_walked(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward has reached parameters, and not what was cut."""
    del invocation
    record = m.notes.of(Ledger)
    if not graph.ahead:
        record.reached.update(graph.leaves)
    if graph.start is None or not graph.accumulates or graph.ahead:
        return
    record.open = record.open or any(is_open(m, node) for node in graph.nodes)
    for step in cuts_in(m, graph.nodes):
        for parameter, cut in parameters_behind(m, step).items():
            record.cuts[parameter] = _told_first(m, record.cuts.get(parameter), cut)
    summands(m, graph)


def is_open(m: Machine, node: Node) -> bool:
    """Whether a node may lead to parameters out of sight: what a function was given before can know of none that it makes."""
    if not node.open or node.operation in ("join", "item"):
        return False
    unknown = [each for each in node.inputs if m.requires_grad(each) is not True]
    symbols = [each.symbol for each in unknown]
    if not unknown:
        given = [m.resolve(value) for _, value in node.given]
        symbols = [each for each in given if isinstance(each, Symbol) and each.hint != "number"]
        if not symbols:
            return all(each.symbol is None for each in node.inputs)
    return not all(each is not None and is_given(each) for each in symbols)


# Summands of a loss


_LINEAR: Final = frozenset(
    {"add", "radd", "iadd", "sub", "rsub", "isub", "neg", "mul", "rmul", "div", "truediv", "stack", "scale"}
)
_REDUCES: Final = frozenset({"sum", "mean"})
_PLUS: Final = frozenset({"add", "radd", "iadd"})
_ADDS: Final = _PLUS | {"sub", "rsub", "isub", "stack"}


def _name(node: Node) -> str:
    return node.operation.rpartition(".")[2].strip("_")


def summands(m: Machine, graph: WalkedGraph) -> None:
    """Report the terms of a sum that depend on what is trained, and have no gradients."""
    record, adds = m.notes.of(Ledger), _PLUS if graph.ahead else _ADDS
    waiting = [graph.start]
    seen: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        m.state.work += limits.WORK_OF_NODE
        name = _name(node)
        if name in _REDUCES or node.operation in ("join", "item"):
            waiting += [
                each
                for each in node.edges
                if each is not None and _name(each) in ("stack", "join", "item", *_ADDS)
            ]
            continue
        if name not in _LINEAR:
            continue
        waiting += node.edges
        for each in node.apart if name in adds else ():
            _summand(m, graph, record, node, each)


def _summand(m: Machine, graph: WalkedGraph, record: Ledger, node: Node, term: object) -> None:
    """One term of a loss that gets no gradients."""
    step = cut_of(m, term)
    if (
        step is None
        or (isinstance(term, TensorValue) and term.shape != ())
        or _is_detached(term, step, node.site)
    ):
        return
    behind, known = _behind(m, step), set(graph.leaves) if graph.ahead else record.reached
    trained: list[tuple[TensorValue | Node, Step]] = [
        (each, cut)
        for each, cut in behind.items()
        if isinstance(each, TensorValue) and (each in known or m.state.get(each, "#optimized") is not None)
    ]
    # A model of which no code is seen is trained where the same loss has gradients to something that it has computed.
    models = {each.operation for each in graph.nodes if each.open and each.keeps}
    trained = trained or [(each, cut) for each, cut in behind.items() if registry.model_of(each) in models]
    if not trained:
        return
    _, cut = next((each for each in trained if _had_graph(m, each[1])), trained[0])
    if graph.ahead and _detaches(cut.site.node):
        return  # the value may be all that whoever gets the result wants
    record.told.add(cut.site.key)
    if m.state.get(cut.site.node, "#cut told") is not None:
        return
    made = term.origin if isinstance(term, TensorValue) and term.origin is not None else cut.site
    parameters = tuple(_made(each for each, _ in trained))
    back, ahead = m.site(graph.call), graph.ahead
    m.emit(SummandCut(cut.site, None, cut, made, node.site, back, parameters, ahead))


def _is_detached(term: object, step: Step, total: Site) -> bool:
    """Whether a term is the result of `detach` itself, or a caller detaches an argument: `objective(U, V.detach())`."""
    origin = term.origin if isinstance(term, TensorValue) else None
    if origin is not None and _detaches(origin.node):
        return True
    callers = [each.node for each in total.calls if isinstance(each.node, ast.Call)]
    call = step.site.node
    return _detaches(call) and any(
        call in (*each.args, *(one.value for one in each.keywords)) for each in callers
    )


def _detaches(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "detach"


def _made(parts: Iterable[TensorValue | Node]) -> Iterator[Site]:
    """Places where parameters were made, or unseen models were run, each once."""
    seen: set[object] = set()
    for each in parts:
        origin = each.site if isinstance(each, Node) else each.origin
        if origin is not None and origin.key not in seen:
            seen.add(origin.key)
            yield origin


# Parameters that no loss reaches


@program_moments.unseen_code_given.on
def unseen_code_given(
    m: Machine, function: object, arguments: Sequence[object], node: ast.expr | None
) -> None:
    """Code that we do not see may run a backward on what is in a graph."""
    del function, node
    for value in arguments:
        for each in m.alternatives(value):
            if isinstance(each, TensorValue) and m.requires_grad(each) is not False:
                m.notes.of(Ledger).open = True


@program_moments.gradient_assigned.on
def gradient_assigned(m: Machine, target: ast.Attribute, owner: object) -> None:
    """Gradients may come from anywhere: those of a backward are gone."""
    del target
    m.notes.of(Ledger).open = True
    if isinstance(owner, TensorValue):
        m.state.set(owner, _FILLED, ())


@training_moments.body_skipped.on
def body_skipped(m: Machine) -> None:
    """Code that is not run may call backward."""
    m.notes.of(Ledger).open = True


@program_moments.items_passed_over.on
def items_passed_over(m: Machine, items: Sequence[object]) -> None:
    """Layers, or tensors in a graph, of which only some are followed."""
    for item in items:
        for each in m.alternatives(item):
            if isinstance(each, (InstanceValue, TupleValue)) or (
                isinstance(each, TensorValue) and m.requires_grad(each) is not False
            ):
                m.notes.of(Ledger).open = True
                return


@program_moments.program_ended.on
def program_ended(m: Machine, *, whole: bool) -> None:
    """A program has ended."""
    if whole:
        _ended(m)


@program_moments.run_ended.on
def run_ended(m: Machine, function: FunctionValue, result: object) -> None:
    """A function that was run by itself has ended."""
    del function, result
    _ended(m)


def _ended(m: Machine) -> None:
    """Report what optimizers hold and no loss has reached."""
    record = m.notes.of(Ledger)
    stepped, record.stepped = record.stepped, {}
    if record.open:
        return
    for optimizer, text in stepped.items():
        held = record.optimizers[optimizer]
        if (
            optimizer.serial <= m.run_began
            or m.state.get(optimizer, "#whole") is None
            or any(m.state.get(optimizer, slot) is not None for slot in ("#escaped", "#replaced"))
            or not any(each in record.reached for each in held)
        ):
            continue
        made = {_place(each.origin) for each in held if each in record.reached and each.origin is not None}
        missed = [
            each for each in held
            if each not in record.reached and each not in record.evaluated and each.is_parameter and each.symbol is None and each.sides is None
            and m.state.get(each, "#escaped") is None and each.serial > m.run_began
            and each.origin is not None and (_place(each.origin) not in made or each in record.cuts)
            and (each not in record.cuts or record.cuts[each].site.key not in record.told)
        ]  # fmt: skip
        if m.state.get(optimizer, "#whole") is not True:
            missed = [each for each in missed if each in record.cuts]  # others may be copied by unseen code
        frozen = [each for each in missed if m.requires_grad(each) is False]
        missed = [each for each in missed if each not in frozen]
        group = _frozen_group(m, optimizer, [each for each in frozen if each in record.frozen])
        if missed or group:
            tell_unreached(m, optimizer, text, missed or group)


def _place(origin: Site) -> tuple[ast.AST, ...]:
    """Where something was made, and by which calls: two modules of one class have their layers from one place."""
    return (origin.node, *(each.node for each in origin.calls))


def _frozen_group(m: Machine, optimizer: InstanceValue, frozen: list[TensorValue]) -> list[TensorValue]:
    """The parameters of a group all of which are frozen: one among others is left out of training, a group is made to train."""
    if not frozen:
        return []
    groups = m.resolve(m.state.get(optimizer, "param_groups"))
    found = iteration.items(m, groups, None) or []
    for group in found if len(found) > 1 else []:
        entries = m.state.get(group, "#entries")
        held = m.resolve(entries.known.get("params")) if isinstance(entries, Entries) else None
        parameters = iteration.items(m, held, None) or []
        if parameters and all(each in frozen for each in parameters):
            return [each for each in parameters if isinstance(each, TensorValue)]
    return []


def tell_unreached(m: Machine, optimizer: InstanceValue, text: str, missed: list[TensorValue]) -> None:
    """Tell of one optimizer; what was cut is told where it was cut."""
    record = m.notes.of(Ledger)
    cuts = [record.cuts[each] for each in missed if each in record.cuts]
    cut = cuts[0] if cuts else None
    frozen = all(m.requires_grad(each) is False for each in missed)
    if optimizer.origin is not None:
        m.emit(
            ParametersUnreached(
                optimizer.origin,
                None,
                text,
                cut,
                tuple(_made(missed)),
                len(missed),
                len(record.optimizers[optimizer]) if m.state.get(optimizer, "#whole") is True else 0,
                frozen,
            )
        )


# Optimizers that step on gradients which the loss of another optimizer has left, as a generator does on its discriminator's


_FILLED: Final = "#filled by"
"""The slot of a parameter that holds the backwards whose gradients are in it."""

_STEPPED: Final = "#stepped as"
"""The slot of an optimizer that says when it has stepped last, and under which name."""


@fact
class Backward:
    """One backward, and whose parameters it has reached."""

    site: Site
    text: str
    number: int
    optimizers: tuple[InstanceValue, ...]
    apart: frozenset[InstanceValue]  # those whose parameters its loss depends on behind a cut only


@moments.graph_walked.on
def gradients_left(m: Machine, graph: WalkedGraph, invocation: Invocation | None) -> None:
    """A backward is about to add its gradients to those that are there."""
    del invocation
    known = m.notes.of(Ledger).optimizers
    if len(known) < 2 or graph.ahead or not graph.accumulates:
        return
    leaves = set(graph.leaves)
    reached = tuple(each for each, held in known.items() if not leaves.isdisjoint(held))
    steps = [*cuts_in(m, graph.nodes), *_walked_before(m, graph.nodes)]
    behind = {each for step in steps for each in parameters_behind(m, step) if each not in leaves}
    apart = frozenset(each for each, held in known.items() if not behind.isdisjoint(held)).difference(reached)
    this = Backward(m.site(graph.call), graph.text, next_serial(), reached, apart)
    m.state.work += len(known)
    for optimizer in reached:
        m.state.work += len(known[optimizer])
        for parameter in known[optimizer]:
            if parameter in leaves:
                before = m.state.resolve(m.state.get(parameter, _FILLED, ()))
                there = m.state.resolve(m.state.get(parameter, "grad", "none")) == "fresh"
                kept = before[-1:] if there and isinstance(before, tuple) else ()
                m.state.set(parameter, _FILLED, (*kept, this))


def _walked_before(m: Machine, nodes: dict[Node, None]) -> Iterator[Step]:
    """Places at which operands were detached whose own graph a backward had walked before."""
    for node in nodes:
        for each in node.apart:
            step = m.state.get(each, "grad_step", each.grad_step) if isinstance(each, TensorValue) else None
            if isinstance(step, Step) and step.kind == "walked" and step.of:
                yield step


@training_moments.stepped.on
def stepped_on_others(m: Machine, optimizer: object, node: ast.expr, text: str) -> None:
    """An optimizer steps: on the gradients of two losses, of which another one's step has used the first already?"""
    if not isinstance(optimizer, InstanceValue):
        return
    m.state.set(optimizer, _STEPPED, (next_serial(), text))
    if m.state.get(optimizer, "#escaped") is not None:
        return
    for parameter in m.notes.of(Ledger).optimizers.get(optimizer, ()):
        filled = m.state.resolve(m.state.get(parameter, _FILLED, ()))
        fresh = m.state.resolve(m.state.get(parameter, "grad", "none")) == "fresh"
        if not fresh or not isinstance(filled, tuple) or len(filled) < 2:
            continue
        first, last = filled
        for other in first.optimizers:
            mark = m.state.resolve(m.state.get(other, _STEPPED))
            if (
                other is not optimizer
                and (other in last.optimizers or other in last.apart)
                and isinstance(mark, tuple)
                and first.number < mark[0] < last.number
            ):
                m.emit(GradientsMixed(m.site(node), m.frame.statement, text, mark[1], first.site, last.site))
                m.state.set(parameter, _FILLED, ())
                return
