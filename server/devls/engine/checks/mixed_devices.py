"""Operands of one operation on different devices."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from devls.engine.checks import batch_places, mismatch_cause, move_places
from devls.engine.core import budget, limits, moments
from devls.engine.core.events.events import Cause, DevicesMixed
from devls.engine.evidence import confidence as _  # noqa: F401  registers its entries
from devls.engine.evidence import device_expressions, init_reachability, judgement, loaded_batches
from devls.engine.evidence.deferred import PresumedFindings, as_possible
from devls.engine.torch.tensors import device_check
from devls.engine.torch.tensors.device_check import parameter_of
from devls.library.effects import Role
from devls.syntax.layout import ancestors, parents
from devls.values.call_facts import (
    Confirmed,
    MadeByDefaultOnHost,
    OnAccelerator,
    OutputMoved,
    ReadsByNumpy,
    Together,
    Unconfirmed,
    Weak,
)
from devls.values.conditions import leaves
from devls.values.devices import CPU, NamedDevice
from devls.values.value import LibraryName, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.engine.core.moments import Mismatch
    from devls.engine.evidence.judgement import Judgement
    from devls.engine.evidence.mismatch_presumptions import MismatchCase
    from devls.values.call_facts import Premise
    from devls.values.history import Site, Step

_ARITHMETIC: Final = (ast.BinOp, ast.Compare)
_METHODS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


@moments.mismatch_found.on
def found(m: Machine, mismatch: Mismatch) -> None:
    """Say that devices were mixed, with the most useful cause."""
    _tell(m, mismatch)
    if not mismatch.beside and not m.silent:
        _look_beside(m, mismatch)


def _look_beside(m: Machine, mismatch: Mismatch) -> None:
    """Look at what else is combined with the result: `x * a + b`, where `b` is not there either."""
    above, inner = parents(m.source), mismatch.node
    for _level in range(0 if mismatch.layer else limits.OPERANDS_TOLD):
        around = above.get(inner)
        if not isinstance(around, (*_ARITHMETIC, ast.Call)):
            return
        for role, each in _combined_by(m, around):
            value = m.resolve(m.eval(each)) if each is not inner and isinstance(each, ast.Name) else None
            if isinstance(value, TensorValue):
                there = device_check.operand(m, value, each)
                device_check.tell_if_astray(
                    m, mismatch.node, mismatch.operation, role, there, mismatch.anchor
                )
        inner = around


def _combined_by(m: Machine, node: ast.AST) -> list[tuple[Role, ast.expr]]:
    """The operands of an expression, as far as all of them have to be on one device."""
    if isinstance(node, ast.Compare):
        return [(Role.ELEMENT, each) for each in (node.left, *node.comparators)]
    if isinstance(node, ast.BinOp):
        role = Role.EXACT if isinstance(node.op, ast.MatMult) else Role.ELEMENT
        return [(role, node.left), (role, node.right)]
    root = node.func if isinstance(node, ast.Call) else None
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(node, ast.Call) or not isinstance(root, ast.Name):
        return []
    called = m.resolve(m.eval(node.func)) if isinstance(m.resolve(m.eval(root)), LibraryName) else None
    operation = m.library.operation(called.name) if isinstance(called, LibraryName) else None
    if operation is None:
        return []
    given = zip(operation.parameters, node.args, strict=False)
    return [(each.role, value) for each, value in given if each.role in (Role.EXACT, Role.ELEMENT)]


def _tell(m: Machine, mismatch: Mismatch) -> None:
    case = mismatch_cause.explained(m, mismatch)
    weighed = judgement.judge(m, DevicesMixed, case)
    if weighed.silenced and not m.keeps_silenced:
        return
    if m.silent:
        return
    event = judgement.marked(_event(m, case, weighed), weighed)
    presumed = [] if weighed.silenced else _presumed(m, case)
    if not presumed:
        m.emit(event)
    else:
        together = presumed[0] if len(presumed) == 1 else Together(*presumed)
        budget.pay_for_event(m)
        waiting = m.notes.of(PresumedFindings).waiting
        if weighed.weak:
            waiting.append((Weak(together), event))
        elif _is_told_by_calls(case):
            waiting.append((Confirmed(together), event))
            waiting.append((Unconfirmed(together), as_possible(event)))
        else:
            waiting.append((together, event))


def _is_told_by_calls(case: MismatchCase) -> bool:
    """Whether one side is where the caller of the function has put an argument, and nobody has named that place."""
    sides = (case.comparison.right, case.comparison.left)
    return any(
        isinstance(each, NamedDevice) and not each.chosen and parameter_of(each) is not None for each in sides
    )


def _event(m: Machine, case: MismatchCase, weighed: Judgement) -> DevicesMixed:
    """An event, with the places where it can be mended."""
    node, anchor, creation, cause = case.node, case.anchor, case.creation, case.cause
    site, stray = _told_at(m, case)
    given = [*node.args, *(each.value for each in node.keywords)] if isinstance(node, ast.Call) else []
    all_of_list = stray.parameter == "tensors" and any(each is stray.node for each in given)
    return DevicesMixed(
        site,
        m.frame.statement,
        case.operation,
        stray,
        anchor,
        # Of a callee that is one of several, this one may never be called.
        replace(case.comparison, always=case.comparison.always and not m.alternatives_called),
        cause,
        possible=weighed.weak,
        target=device_expressions.expression_for(m, anchor, getattr(node, "lineno", 0)),
        attribute=case.attribute,
        attribute_site=case.attribute_site,
        attribute_read=mismatch_cause.read_by_caller(m, case.owner, case.attribute)
        if cause is Cause.ATTRIBUTE
        else None,
        creation=creation,
        creation_site=case.creation_site,
        old_name=case.old_name,
        origin=move_places.origin(m, node, stray, anchor, cause),
        boundary=batch_places.boundary(m, node, case.stray, anchor, cause),
        all_of_list=all_of_list,
        part_of="" if all_of_list else mismatch_cause.part_of(m, stray),
        may_be_no_tensor=_may_be_no_tensor(m, case.operation, case.stray, anchor),
        written=mismatch_cause.is_written(node, case.operation, stray),
        creation_target="" if creation is None else mismatch_cause.where_created(m, anchor, creation),
    )


def _may_be_no_tensor(m: Machine, operation: str, stray: Operand, anchor: Operand) -> bool:
    """Whether nothing shows that the stray is a tensor: code that is not seen takes it along with what was moved."""
    value, step = stray.tensor.symbol, anchor.step
    if value is None or value.part_of is None or value.hint == "tensor" or step is None:
        return False
    if stray.step is not None and stray.step.kind == loaded_batches.AS_LOADED[0]:
        return False  # the first input of a model, or an operand of torch
    return step.kind == "moved" and m.library.operation(m.library.canonical(operation)) is None


def _told_at(m: Machine, case: MismatchCase) -> tuple[Site, Operand]:
    """Place of the report, and its subject.

    A value made in the running function is told where it meets the argument.
    """
    site, stray = m.site(case.node), case.stray
    had_made = case.from_caller and case.creation is None and case.cause is not Cause.ATTRIBUTE
    if had_made and site.calls:
        return site.calls[0], replace(stray, node=None, named=stray.text, parameter="")
    return site, stray


def _presumed(m: Machine, case: MismatchCase) -> list[Premise]:
    """Premises that other functions of the file may refute.

    That a parameter is on an accelerator is presumed, and that a method is called when its module was moved.
    """
    comparison, anchor = case.comparison, case.anchor
    parameter = parameter_of(comparison.right) or parameter_of(comparison.left)
    built = init_reachability.key(m, comparison.right, comparison.left)
    beside = _made_beside(m, case.step) if parameter is not None else None
    sent_on = OutputMoved(case.node) if parameter is not None and CPU in leaves(anchor.device) else None
    accelerated = None if parameter is None else OnAccelerator(parameter)
    by_default = None if m.program_runs or not _made_by_default(case.step) else MadeByDefaultOnHost()
    return [each for each in (accelerated, built, beside, sent_on, by_default) if each is not None]


def _made_by_default(step: Step | None) -> bool:
    """Whether a factory, or a layer, was given no device."""
    return step is not None and step.kind in ("created", "built")


def _made_beside(m: Machine, step: Step | None) -> ReadsByNumpy | None:
    """The method of the running one's class that has made the stray, if it may read its own by numpy: both are given what is in one place."""
    function = m.frame.function
    if step is None or function is None or function.cls is None or step.site.source is not function.source:
        return None
    makers = (each for each in ancestors(step.site.source, step.site.node) if isinstance(each, _METHODS))
    maker = next(makers, None)
    if maker is None or maker is function.definition or maker not in function.cls.definition.body:
        return None
    return ReadsByNumpy(maker)
