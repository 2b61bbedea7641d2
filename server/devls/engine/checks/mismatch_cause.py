"""Why an operand is on the wrong device, and how each came to be where it is, as far as their histories tell."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.events import Cause, Operand
from devls.engine.evidence import device_expressions
from devls.engine.evidence.mismatch_presumptions import MismatchCase
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors.device_check import RENAMED, Renamed, step_of
from devls.syntax.nodes import walk
from devls.values.conditions import Either, leaves
from devls.values.graph import Node
from devls.values.history import Site
from devls.values.value import NONE, InstanceValue, Mapping, Sequence, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.core.moments import Mismatch
    from devls.values.value import TensorValue


def told(m: Machine, each: Operand) -> Operand:
    """An operand with its story, which there is no need to know of before there is something to tell."""
    step = each.step or step_of(m, each.tensor)
    over = m.state.get(each.tensor, "passed over")
    copied = next(
        (
            found
            for held in (step, each.tensor)
            if held is not None and isinstance(found := m.state.get(held, "copied at"), Site)
        ),
        None,  # on some ways only, too
    )
    return replace(each, step=step, passed_over=over, copied=copied)  # type: ignore[arg-type]


def explained(m: Machine, mismatch: Mismatch) -> MismatchCase:
    """A mismatch, with the most useful cause."""
    case = MismatchCase(
        mismatch.node,
        mismatch.operation,
        told(m, mismatch.stray),
        told(m, mismatch.anchor),
        mismatch.comparison,
        mismatch.layer,
        Cause.OTHER,
    )
    _find_origin(m, case)
    _find_layer(m, case)
    _find_stale(m, case)
    _find_renamed(m, case)
    return case


def _find_origin(m: Machine, case: MismatchCase) -> None:
    """An attribute of a module, a parameter, or what a factory has made."""
    step, stray = case.step, case.stray
    mark = m.state.get(step, "attribute") if step is not None else None
    if isinstance(mark, tuple) and isinstance(mark[0], InstanceValue):
        case.cause, case.owner, case.owner_attribute = Cause.ATTRIBUTE, mark[0], str(mark[1])
        case.attribute, case.attribute_site = case.owner_attribute, mark[2]
    elif stray.tensor.is_parameter or (step is not None and step.kind == "built"):
        case.cause = Cause.MODULE
    elif step is not None and step.kind == "created":
        case.cause, case.creation_site = Cause.CREATED, step.site
        if _made_here(m, step.site) and isinstance(step.site.node, ast.Call):
            case.creation = step.site.node


def _made_here(m: Machine, site: Site) -> bool:
    """Whether something was made by the running function itself."""
    frame = m.frame
    return frame.function is not None and site.source is frame.source and site.calls == frame.calls


def _find_layer(m: Machine, case: MismatchCase) -> None:
    """The input of a layer, its parameters, or the state of an optimizer."""
    del m
    cause = case.cause
    if (
        cause in (Cause.OTHER, Cause.CREATED)
        and case.layer
        and case.anchor.tensor.is_parameter
        and case.creation is None
    ):
        case.cause = Cause.LAYER_INPUT
    if case.layer and case.stray.tensor.is_parameter:
        case.cause = Cause.MODULE
    if case.step is not None and case.step.kind == "state":
        case.cause = Cause.STATE


def _find_stale(m: Machine, case: MismatchCase) -> None:
    """Something was taken from a module before that was moved."""
    tensor, step = case.stray.tensor, case.step
    if case.cause not in (Cause.OTHER, Cause.MODULE) or tensor.is_parameter:
        return
    left = m.state.get(tensor, "left behind")
    if isinstance(left, tuple):
        case.cause, case.attribute, case.attribute_site = Cause.STALE, str(left[1]), left[0]
    elif step is not None and step.kind == "built" and tensor.origin is not None and case.creation is None:
        stayed = m.state.get(step, registry.LEFT) is None or where_they_were(m, tensor)
        case.cause, case.attribute_site = (Cause.OTHER, None) if stayed else (Cause.STALE, tensor.origin)


def _find_renamed(m: Machine, case: MismatchCase) -> None:
    """A module that was moved under a second name, which is called by its first."""
    marks = (m.state.resolve(m.state.get(each.tensor, RENAMED)) for each in (case.anchor, case.stray))
    renamed = next((each for each in marks if isinstance(each, Renamed)), None)
    if case.layer and renamed is not None:
        case.attribute_site, case.attribute, case.old_name = renamed.site, renamed.new, renamed.old
        case.cause = Cause.RENAMED


# Whether what was computed of a module's parameters lies elsewhere because these have been moved since


_STEPS: Final = 32
"""Nodes that are looked at behind a value: what is taken of a module before it is moved is seldom computed far."""


def where_they_were(m: Machine, tensor: TensorValue) -> bool:
    """Whether a value was computed of parameters, and all of them are still where it is: nobody has moved them."""
    found = False
    stack, seen = [m.node(tensor)], set[Node]()
    while stack and len(seen) < _STEPS:
        node = stack.pop()
        if not isinstance(node, Node) or node in seen:
            continue
        seen.add(node)
        for each in node.inputs:
            if each.is_parameter:
                if m.device(each) != m.device(tensor):
                    return False
                found = True
        stack += node.edges
    return found


# Places for a fix of mixed devices, and its text there


def part_of(m: Machine, stray: Operand) -> str:
    """Kind of the expression that holds the stray, as the two states of an LSTM, or a value that may be None."""
    if isinstance(stray.node, ast.Attribute) and isinstance(stray.node.value, ast.Name):
        owner = m.resolve(m.state.get(m.frames[-1].scope, stray.node.value.id))
        kept = m.resolve(m.state.get(owner, stray.node.attr)) if isinstance(owner, InstanceValue) else None
        return "none" if isinstance(kept, Either) and NONE in leaves(kept) else ""
    name = stray.node.id if isinstance(stray.node, ast.Name) else ""
    value = m.resolve(m.state.get(m.frames[-1].scope, name)) if name else None
    if isinstance(value, TupleValue):
        return "tuple"
    return "list" if isinstance(value, Sequence) else "dict" if isinstance(value, Mapping) else ""


def read_by_caller(m: Machine, owner: object, attribute: str) -> Site | None:
    """Reads of attributes of its own in a method that is waiting for the running function."""
    for frame in m.frames[:-1]:
        if frame.receiver is not owner or frame.function is None:
            continue
        for each in walk(frame.function.node):
            if isinstance(each, ast.Attribute) and each.attr == attribute and isinstance(each.ctx, ast.Load):
                return Site(frame.source, each, frame.calls)
    return None


def where_created(m: Machine, anchor: Operand, creation: ast.Call) -> str:
    """An expression for the anchor's device at a call, which may stand above the running function."""
    function = m.frames[-1].function
    here = device_expressions.on_self(m, anchor, creation)
    if here:
        return here
    if function is None or function.node.lineno <= creation.lineno <= (function.node.end_lineno or 0):
        return device_expressions.expression_for(m, anchor, creation.lineno, strict=True)
    inner, m.frames = m.frames, m.frames[:1]
    try:
        if m.frame.source is not inner[-1].source:
            return ""
        unnamed = Operand(None, anchor.tensor, anchor.device, anchor.text)
        return device_expressions.expression_for(m, unnamed, creation.lineno, strict=True)
    finally:
        m.frames = inner


def is_written(node: ast.AST, operation: str, stray: Operand) -> bool:
    """Whether the operation writes to the stray, so that a copy of it would be no help."""
    if isinstance(node, ast.AugAssign):
        return stray.node is node.target
    if stray.parameter == "out":
        return True
    short = operation.rpartition(".")[2]
    return (
        short.endswith("_")
        and not short.startswith("_")
        and isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.value is stray.node
    )
