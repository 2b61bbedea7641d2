"""Nodes that an operation adds to the graph, and the tensors it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, priors
from devls.engine.core.events.events import ParameterRebound
from devls.engine.torch.tensors.shapes import can_require_grad
from devls.library.effects import Differentiable, Dtype, Operation, Role
from devls.values.conditions import Either, Tree, any_of, both, negation
from devls.values.graph import Node, Saved, Storage
from devls.values.history import Step
from devls.values.value import (
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    import ast

    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine

    Wanted = dict[TensorValue, Tree]
    """Operands, and whether they require grad: it is asked of each several times in one operation."""


def needs_grad(
    m: Machine, operation: Operation, tensors: list[TensorValue], *, open_operands: bool
) -> tuple[Tree, Wanted]:
    """Whether the result requires grad; and of the operands, which it depends on."""
    wanted: Tree = False
    known: Wanted = {}
    for each in tensors:
        if each.dtype is not None and can_require_grad(each.dtype) is False:
            continue
        known[each] = own = m.requires_grad(each)
        wanted = any_of(wanted, own)
    if open_operands:
        wanted = any_of(wanted, None)
    if operation.differentiable is Differentiable.NO:
        return False, known
    enabled = m.grad_enabled()
    needs = both(enabled, wanted)
    if operation.differentiable is Differentiable.UNKNOWN and needs is not False:
        needs = both(needs, None)
    return needs, known


def grad_step(
    m: Machine,
    operation: Operation,
    node: ast.expr,
    tensors: list[TensorValue],
    needs: Tree,
    known: Wanted,
) -> Step | None:
    """Why a result requires grad, or which operation cut it off."""
    first = None
    cuts = needs is False and operation.differentiable is Differentiable.NO
    for each in tensors:
        own = known[each] if each in known else m.requires_grad(each)
        if own is True or (cuts and type(own) is Either and own.then is True):
            first = each
            break
    if first is not None:
        before = m.state.get(first, "grad_step", first.grad_step) if first.written else first.grad_step
        if needs is False:
            short = operation.name.rpartition(".")[2]
            what = "grad mode is off here, so no graph is recorded"
            if operation.differentiable is Differentiable.NO:
                what = f"`{short}` has no gradient"
            elif m.grad_enabled() is True:
                what = "the result is of integers, which have no gradient"
            return Step(what, m.site(node), before, kind="cut", of=tuple(tensors))  # type: ignore[arg-type]
        return before  # type: ignore[return-value]
    return _cut_before(m, tensors)


def _cut_before(m: Machine, tensors: list[TensorValue]) -> Step | None:
    """The cut behind the first operand that has one; what others were cut from comes along."""
    first: Step | None = None
    others: list[Step] = []
    for each in tensors:
        step = m.state.get(each, "grad_step", each.grad_step) if each.written else each.grad_step
        if not isinstance(step, Step) or step.kind not in ("cut", "number"):
            continue
        if first is None:
            first = step
        elif step is not first and step.of and step not in first.of:
            others.append(step)
    if first is None or not others or len(first.of) >= _CUTS:
        return first
    return Step(first.what, first.site, first.before, first.chosen, first.kind, of=(*first.of, *others))


_CUTS: Final = 16
"""So many things that one result was cut from are remembered."""


def saved_names(
    m: Machine, operation: Operation, operands: list[tuple[Role, Operand]]
) -> list[tuple[str, TensorValue | None]] | None:
    """Tensors that backward will need: (name, tensor), the tensor None for the result; None if unknown."""
    if operation.saves is None:
        return None
    found: list[tuple[str, TensorValue | None]] = []
    for name in operation.saves:
        if name.startswith("result"):
            found.append((name, None))
            continue
        for _, each in operands:
            if each.parameter != name:
                continue
            if name in operation.saves_only_if_itself_requires_grad:
                if m.wants_gradient(each.tensor) is True:
                    found.append((name, each.tensor))
                continue
            # A factor is saved for the gradient of the other factors; a bias is none.
            if operation.saves_only_if_other_requires_grad and not any(
                m.wants_gradient(other.tensor) is True
                for _, other in operands
                if other is not each and other.parameter in operation.saves
            ):
                continue
            if operation.saves_for_what_is_put and not any(
                m.wants_gradient(other.tensor) is True for _, other in operands[1:]
            ):
                continue
            found.append((name, each.tensor))
    return found


def record(
    m: Machine,
    operation: Operation,
    node: ast.expr,
    operands: list[tuple[Role, Operand]],
    needs: Tree,
    result: TensorValue,
    known: Wanted,
    more_inputs: list[TensorValue] | None = None,
    *,
    open_edge: bool = False,
    results: list[TensorValue] | None = None,
    arguments: dict[str, object] | None = None,
) -> Node | None:
    """The graph node of a result that may require grad; of several, `results` are all of them ("result1" is the second)."""
    if needs is False:
        return None
    names = saved_names(m, operation, operands)
    saved = _saved(m, names or [], result, results)
    if needs is True and saved:
        kept = [each.tensor for each in saved]
        for _, operand in operands:
            if operand.tensor in kept:
                moments.saved_for_backward(m, node, operand)
    given = [
        each
        for role, operand in operands
        for each in (all_items(m, operand.tensor) if role is Role.LIST else (operand.tensor,))
    ]
    given += more_inputs or ()
    asked = [known[each] if each in known else m.requires_grad(each) for each in given]
    inputs = tuple([each for each, wanted in zip(given, asked, strict=True) if wanted is not False])
    gradient = {Differentiable.ZERO: "zero", Differentiable.FAILS: "fails"}.get(
        operation.differentiable, "yes"
    )
    return Node(
        operation.name,
        inputs,
        m.site(node),
        tuple(saved),
        None if names is None else _keeps(operation, operands, saved, asked),
        # A tensor that may require grad does so because of an unseen operand.
        open_edge or needs is None or len([each for each in inputs if each.symbol is not None]) > 0,
        gradient,
        tuple(map(m.node, inputs)),  # type: ignore[arg-type]
        _given(arguments, inputs) if needs is None and arguments is not None else (),
        _apart(given, asked, arguments),
    )


def _given(arguments: dict[str, object], inputs: tuple[TensorValue, ...]) -> tuple[tuple[str, object], ...]:
    """Arguments of an operation by the names of its parameters; a method without arguments is given its receiver."""
    return tuple(arguments.items()) or tuple(("self", each) for each in inputs)


def _apart(
    given: list[TensorValue], asked: list[Tree], arguments: dict[str, object] | None
) -> tuple[object, ...]:
    """Operands that get no gradients, and what may be a number that was read from a tensor."""
    found: list[object] = [each for each, wanted in zip(given, asked, strict=True) if wanted is False]
    if arguments:
        found += [each for each in arguments.values() if type(each) is Symbol]
    return tuple(found)


def _saved(
    m: Machine,
    names: list[tuple[str, TensorValue | None]],
    result: TensorValue,
    results: list[TensorValue] | None,
) -> list[Saved]:
    """Tensors that a node saves: operands, or results."""
    saved: list[Saved] = []
    for name, tensor in names:
        kept = tensor
        if kept is None and results is None:
            kept = result
        elif kept is None and results is not None:
            place = int(name.removeprefix("result") or 0)
            kept = results[place] if place < len(results) else None
        if kept is not None and kept.storage is not None:
            saved.append(Saved(kept, kept.storage, m.version(kept), name))
    return saved


def _keeps(
    operation: Operation, operands: list[tuple[Role, Operand]], saved: list[Saved], wanted: list[Tree]
) -> bool | None:
    """Whether a node holds buffers that a backward frees; None where it depends on what requires grad."""
    # A Python number is saved too: `x * 2` cannot be walked twice; `x % 2` can, its gradient needs no divisor.
    with_number = (
        operation.saves_only_if_other_requires_grad
        and len(operands) == 1
        and operation.name.rpartition(".")[2] not in ("fmod", "remainder", "__mod__")
    )
    internal = "internal" in (operation.saves or ())  # something of its own, as a dropout mask
    keeps = bool(saved) or with_number or internal
    if not keeps and operation.saves and any(each is not True and each is not False for each in wanted):
        return None  # it depends on whether the other operand requires grad
    return keeps


def all_items(m: Machine, tensor: TensorValue) -> list[TensorValue]:
    """The tensors that an item of a list may be: an operation on the whole list takes every one of them."""
    node = m.node(tensor)
    if isinstance(node, Node) and node.operation == "item":
        return [item for each in node.inputs for item in all_items(m, each)]
    return [tensor]


def first_exact(operands: list[tuple[Role, Operand]]) -> list[tuple[Role, Operand]]:
    """The operands of a write: what is written stays where it is, even if it is a 0-dim tensor on the CPU."""
    return [(Role.EXACT, operands[0][1]), *operands[1:]] if operands else operands


MAY_COPY = frozenset({"contiguous", "reshape", "reshape_as", "flatten", "ravel", "unflatten"})


def one(
    m: Machine,
    operation: Operation,
    node: ast.expr,
    tensors: list[TensorValue],
    operands: list[tuple[Role, Operand]],
    needs: Tree,
    known: Wanted,
    common: dict[str, object],
    more_inputs: list[TensorValue] | None,
    *,
    view: bool,
    open_edge: bool = False,
    arguments: dict[str, object] | None = None,
) -> TensorValue:
    base = tensors[0] if view and tensors else None
    if common["dtype"] is not None and can_require_grad(common["dtype"]) is False:  # type: ignore[arg-type]
        needs = False
    if operation.name.rpartition(".")[2] in MAY_COPY:
        base = None  # a view or a copy: nothing may be concluded from sharing memory
    may_share = view and base is None and bool(tensors)
    result = TensorValue(
        # Without a graph a view still requires grad where its base does, and a copy does not.
        requires_grad=None
        if may_share and m.grad_enabled() is not True and m.requires_grad(tensors[0]) is not False
        else needs,
        leaf=negation(needs),
        storage=base.storage if base is not None else Storage(),
        view_of=(base.view_of or base) if base is not None else None,
        may_share=tensors[0].view_of or tensors[0].may_share or tensors[0] if may_share else None,
        origin=m.site(node),
        grad_step=grad_step(m, operation, node, tensors + (more_inputs or []), needs, known),
        **common,  # type: ignore[arg-type]
    )
    result.node = record(
        m,
        operation,
        node,
        operands,
        needs,
        result,
        known,
        more_inputs,
        open_edge=open_edge,
        arguments=arguments,
    )
    return result


def many(
    m: Machine,
    operation: Operation,
    node: ast.expr,
    tensors: list[TensorValue],
    operands: list[tuple[Role, Operand]],
    needs: Tree,
    known: Wanted,
    common: dict[str, object],
    more_inputs: list[TensorValue] | None,
    *,
    open_edge: bool = False,
) -> TupleValue:
    made: list[TensorValue] = []
    indices = "int64" if operation.dtype is Dtype.INDICES else None
    kinds = operation.outputs or (operation.differentiable,)
    for each in kinds:
        differs = each is Differentiable.NO
        made.append(
            TensorValue(
                requires_grad=False if differs else needs,
                leaf=True if differs else negation(needs),
                storage=Storage(),
                origin=m.site(node),
                grad_step=grad_step(m, operation, node, tensors, False if differs else needs, known),
                **({**common, "dtype": indices} if differs else common),  # type: ignore[arg-type]
            )
        )
    # The outputs of one operation share its node: walking one frees it for all.
    graph = [result for each, result in zip(kinds, made, strict=True) if each is not Differentiable.NO]
    if graph:
        shared = record(
            m,
            operation,
            node,
            operands,
            needs,
            graph[0],
            known,
            more_inputs,
            open_edge=open_edge,
            results=made,
        )
        for result in graph:
            result.node = shared
    return TupleValue(tuple(made), operation.fields)


# A tensor is told to require grad, or no longer to: `tensor.requires_grad = ...`, `requires_grad_()`, `detach_()`


def begins(m: Machine, tensor: TensorValue, *, wanted: object) -> None:
    """A tensor is made to require grad of which that is not known, or that a loop has bound anew.

    A tensor that was not computed begins a graph. A computed one begins one, or has one already and stays as it is.
    """
    rebound = m.state.get(tensor, "#rebound")
    if wanted is True and isinstance(rebound, ParameterRebound) and rebound.under_no_grad:
        m.state.set(tensor, "#rebound", None)  # it had no graph, so it is a leaf from now on
    if wanted is True and m.requires_grad(tensor) is None:
        node = m.node(tensor)
        computed = (
            Node(node.operation, (), node.site, (), keeps=None, open=True) if isinstance(node, Node) else None
        )
        m.state.set(tensor, "leaf", True if computed is None else None)
        m.state.set(tensor, "node", computed)


def perhaps_the_base_too(m: Machine, tensor: TensorValue, *, wanted: object) -> None:
    """A flag was set on what may be the very tensor that it was made of (`x.contiguous()`, `x.to(device)`), or one of two."""
    for base in (tensor.may_share, *(tensor.sides or ())[1:]):
        if base is None or (m.requires_grad(base) is wanted and m.is_leaf(base) is True):
            continue
        m.state.set(base, "requires_grad", None)
        m.state.set(base, "leaf", None if m.is_leaf(base) is not True else True)


# Views that torch does not let be written in place: expanded ones, one of several, and those made under no_grad


_FORBIDDEN: Final = "#forbidden"
"""The slot of a view that says why a write may be refused."""

_SPREADING: Final = frozenset(
    {
        "zero_",
        "fill_",
        "masked_fill_",
        "masked_scatter_",
        "index_put_",
        "index_fill_",
        "detach_",
        "item assignment",
    }
)
"""Writes that torch lets pass although several elements share their memory."""


def view_made(m: Machine, view: TensorValue, kind: str = "") -> None:
    """A view was made, one of `several`, `expanded`, or perhaps without a graph."""
    if kind == "expanded":
        m.state.set(view, _FORBIDDEN, kind)
    elif view.view_of is not None and m.grad_enabled() is False:
        m.state.set(view, _FORBIDDEN, "no_grad")
    elif kind == "several" and m.grad_enabled() is True:
        m.state.set(view, _FORBIDDEN, kind)


def expanded_view(m: Machine, base: TensorValue, view: TensorValue) -> None:
    """`base.expand(...)`: mark the result if several of its elements are one in memory.

    A size of 1 that is widened to a number known only by name counts: nobody expands to 1 on purpose.
    """
    if base.shape is None or view.shape is None or len(view.shape) < len(base.shape):
        return
    added = len(view.shape) - len(base.shape)
    before = (*(1 for _ in range(added)), *base.shape)
    if any(old == 1 and (new is None or new > 1) for old, new in zip(before, view.shape, strict=True)):
        view_made(m, view, "expanded")


def write_refused(m: Machine, how: str, tensor: TensorValue, *, needs: bool) -> str:
    """Why torch refuses a write to a view; "" if it does not."""
    kind = m.state.get(tensor, _FORBIDDEN)
    if not isinstance(kind, str):
        return ""
    if kind == "expanded":
        return "" if how in _SPREADING else kind
    if m.grad_enabled() is not True:
        return ""
    if kind == "several":
        in_graph = m.requires_grad(tensor) is True and m.is_leaf(tensor) is False
        return kind if in_graph and not priors.may_be_without_grad(m) else ""
    base = tensor.view_of
    return kind if needs or (base is not None and m.requires_grad(base) is True) else ""
