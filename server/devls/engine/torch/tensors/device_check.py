"""The device check of an operation, and the story of an operand that fails it."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, limits, moments, priors
from devls.engine.core.events.events import Operand
from devls.engine.core.moments import Mismatch
from devls.engine.python import narrowing
from devls.library.effects import Role
from devls.values.call_facts import OutputMoved
from devls.values.conditions import ACCELERATOR_PRESENT, Condition, Either, apply, combined, leaves, negation
from devls.values.devices import (
    CPU,
    MENDED_DEVICE,
    SAME,
    UNKNOWN,
    UNKNOWN_DEVICE,
    Comparison,
    NamedDevice,
    UnknownDevice,
    Verdict,
    compare,
)
from devls.values.facts import fact
from devls.values.history import Site, Step
from devls.values.value import TensorValue

if TYPE_CHECKING:
    from collections.abc import Hashable

    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree

CONFLICTS = (Verdict.DIFFERENT, Verdict.WHEN_ACCELERATED)


RENAMED: Final = "#renamed"


MADE_OF: Final = "made of"
"""Begins the key of a symbol of which no more is known than what it was made of."""

OF_NO_TENSOR: Final = "#of no tensor"
"""The slot of a step that says that a tensor was made of an argument that may be a tensor, and was none."""


@fact
class Renamed:
    """Place that gave the result of moving a module a second name; whether it left an accelerator there."""

    site: Site
    new: str
    old: str
    off: bool


def operand(
    m: Machine, tensor: TensorValue, node: ast.expr | None, parameter: str = "", text: str = ""
) -> Operand:
    """An operand as events show it, but for its story."""
    if node is None or text:
        return Operand(node, tensor, m.device(tensor), text or parameter or "a tensor", parameter=parameter)
    return Operand(node, tensor, m.device(tensor), "", parameter=parameter, source=m.frames[-1].source)


def step_of(m: Machine, tensor: TensorValue) -> Step | None:
    """How a tensor came to be where it is."""
    if tensor.symbol is not None and tensor.symbol.part_of is not None:
        left = priors.batch_part_step(m, tensor)
        if left is not None:
            return left
    return m.state.get(tensor, "device_step", tensor.device_step)  # type: ignore[return-value]


@library_semantics.display_made.answer
def put_together(m: Machine, values: list[tuple[object, ast.expr]]) -> None:
    """A container is written down: a tensor in it that is not moved there, while others are, may have been forgotten."""
    tensors = [(each, node) for each, node in values if isinstance(each, TensorValue)]
    if len(tensors) < 2 or not any(_moved_by(m, each, node) for each, node in tensors):
        return
    for each, node in tensors:
        if not isinstance(node, ast.Call):
            m.state.set(each, "passed over", m.site(node))


def _moved_by(m: Machine, tensor: TensorValue, node: ast.expr) -> bool:
    step = m.state.get(tensor, "device_step", tensor.device_step)
    return isinstance(step, Step) and step.kind == "moved" and step.site.node is node


def check(
    m: Machine,
    node: ast.AST,
    operation: str,
    operands: list[tuple[Role, Operand]],
    *,
    layer: bool = False,
) -> tuple[Tree, Operand | None, bool]:
    """Compare the operands of one operation.

    Returns the device of the result, the operand that decides it, and whether a conflict was found.
    """
    if not operands:
        return UNKNOWN_DEVICE, None, False
    anchor = _anchor(operands)
    for _, each in operands:
        if each.device is MENDED_DEVICE:
            return MENDED_DEVICE, anchor, True
    if layer:
        # The layer decides where things are; its inputs are what strays.
        own = next((each for _, each in operands if each.node is None), anchor)
        weight = _taken_for_copy(m, own)
        if weight is not own:
            operands = [(role, weight if each is own else each) for role, each in operands]
        anchor = weight
    conflict: tuple[Role, Operand, Comparison] | None = None
    for role, each in operands:
        if each is anchor:
            continue
        comparison = compare_devices(m, each.device, anchor.device)
        if comparison.verdict not in CONFLICTS:
            continue
        if _exempt(
            role,
            each,
            anchor,
            comparison,
            fixed=any(one is Role.EXACT and other is anchor for one, other in operands),
        ):
            continue
        conflict = (role, each, comparison)
        break
    if conflict is None:
        if not layer and _may_be_cpu_scalars(operands):
            return _of_scalars(operands), anchor, False
        return anchor.device, anchor, False
    found_role, other, comparison = conflict
    stray, target = other, anchor
    # An index follows what it is an index into.
    if _on_cpu(comparison.right) and not _on_cpu(comparison.left) and found_role is not Role.INDEX:
        stray, target = anchor, other
        comparison = turned(comparison)
    moments.mismatch_found(m, Mismatch(node, operation, stray, target, comparison, layer))
    if not layer:
        _find_others(m, node, operation, operands, stray, target)
    # Inputs of one module belong together: what its result meets may have been left behind with them.
    given = layer and not stray.tensor.is_parameter
    return UNKNOWN_DEVICE if given else MENDED_DEVICE, anchor, True


def _find_others(
    m: Machine,
    node: ast.AST,
    operation: str,
    operands: list[tuple[Role, Operand]],
    stray: Operand,
    target: Operand,
) -> None:
    """Tell of what else is not where the target is: who moves the first one alone meets it next."""
    for role, each in operands[: limits.OPERANDS_TOLD]:
        if each is not stray and each is not target and role is not Role.INDEX:
            tell_if_astray(m, node, operation, role, each, target)


def tell_if_astray(
    m: Machine, node: ast.AST, operation: str, role: Role, each: Operand, target: Operand
) -> None:
    """Say that an operand is not where another one is, if torch would mind."""
    comparison = compare_devices(m, each.device, target.device)
    if comparison.verdict in CONFLICTS and not _exempt(role, each, target, comparison, fixed=False):
        moments.mismatch_found(m, Mismatch(node, operation, each, target, comparison, beside=True))


def turned(comparison: Comparison) -> Comparison:
    """The same, seen from the other side."""
    return replace(comparison, left=comparison.right, right=comparison.left)


def _taken_for_copy(m: Machine, weight: Operand) -> Operand:
    """The weight of a layer that was taken off its device on one path, under a second name (`best = model.cpu()`).

    Whoever did so goes on to use the first name: there it is where the second one was sent.
    """
    if not isinstance(weight.device, Either):
        return weight
    mark = m.state.resolve(m.state.get(weight.tensor, RENAMED))
    return replace(weight, device=CPU) if isinstance(mark, Renamed) and mark.off else weight


def compare_devices(m: Machine, left: Tree, right: Tree) -> Comparison:
    """Compare two devices here, with what asserts have taught, and tests that led here."""
    if left is right or left == right:
        return SAME
    for pair in (("equal", left, right), ("equal", right, left)):
        test = Condition.known(pair)
        if test is not None and m.state.assumed(test) is True:
            return SAME
    if m.state.get(left, "agrees") == right or m.state.get(right, "agrees") == left:
        return SAME
    found = compare(left, right, m.state.assumed)
    if found.verdict is Verdict.WHEN_ACCELERATED and any(
        isinstance(leaf, NamedDevice) and _is_elsewhere(m, each)
        for each, leaf in ((left, found.left), (right, found.right))
    ):
        return UNKNOWN
    if found.verdict in CONFLICTS and m.state.assumed(ACCELERATOR_PRESENT) is False:
        return UNKNOWN  # what is on an accelerator has shown by then that there is one
    return found


def _is_elsewhere(m: Machine, device: Tree) -> bool:
    """Whether the path has found that a device which is one of several is not CUDA, or is the CPU."""
    if not isinstance(device, Either):
        return False
    for kind, found in (("cuda", False), ("cpu", True)):
        test = m.truth(narrowing.is_cuda(m, device, kind))
        if test is found or (
            isinstance(test, Either) and m.state.assumed(combined(negation(test))) is (not found)
        ):
            return True
    return False


def _may_be_cpu_scalars(operands: list[tuple[Role, Operand]]) -> bool:
    """Whether nothing but what may be a 0-dim tensor on the CPU is combined. A generator costs a call for each item."""
    for role, each in operands:  # noqa: SIM110  see above
        if role is not Role.ELEMENT or not _may_be_cpu_scalar(each):
            return False
    return True


def _anchor(operands: list[tuple[Role, Operand]]) -> Operand:
    """The operand whose device the result will have: the first that is not an exempt scalar."""
    if operands[0][0] is Role.EXACT:
        for role, _ in operands[1:]:
            if role is not Role.FREE:
                break
        else:
            return operands[0][1]
    for role, each in operands:
        if role is Role.INDEX:
            continue
        if role is Role.ELEMENT and _may_be_cpu_scalar(each):
            continue
        if not isinstance(each.device, UnknownDevice):
            return each
    for role, each in operands:
        if role is not Role.INDEX and not (role is Role.ELEMENT and _may_be_cpu_scalar(each)):
            return each
    return operands[0][1]


def _of_scalars(operands: list[tuple[Role, Operand]]) -> Tree:
    """Device of the result of operands that may all be 0-dim tensors on the CPU: that of the first that is not."""
    device: Tree = CPU
    for _, each in operands:
        device = apply(
            lambda one, other: other if one == CPU else one, device, each.device, too_many=UNKNOWN_DEVICE
        )
    return device


def _may_be_cpu_scalar(each: Operand) -> bool:
    tensor = each.tensor
    if tensor.nonscalar or (tensor.shape is not None and tensor.shape != ()):
        return False
    if type(each.device) is not Either:
        return each.device == CPU
    return CPU in leaves(each.device)


_INTEGERS: Final = frozenset({"int64", "int32", "int16", "int8"})
"""A 0-dim index of these is read as the number that it is, wherever it lies."""


def _exempt(role: Role, each: Operand, anchor: Operand, comparison: Comparison, *, fixed: bool) -> bool:
    """Torch's own exemptions: 0-dim CPU tensors in elementwise operations, CPU indices; the anchor may be `fixed`."""
    cpu_side = each if _on_cpu(comparison.left) else anchor if _on_cpu(comparison.right) else None
    if role is Role.FREE:
        return True
    if role is Role.INDEX:
        return cpu_side is each or (each.tensor.shape == () and each.tensor.dtype in _INTEGERS)
    if role is Role.ELEMENT and cpu_side is not None and (cpu_side is each or not fixed):
        return not _has_dimensions(cpu_side.tensor, comparison)
    return False


def _has_dimensions(tensor: TensorValue, comparison: Comparison) -> bool:
    """Whether a tensor has dimensions for sure where devices differ: of two that it may be, there it is the one."""
    tests = dict(comparison.conditions)
    while not tensor.nonscalar:
        sides = tensor.sides
        side = None if sides is None else tests.get(sides.condition)
        if sides is None or side is None:
            return False
        tensor = sides.then if side else sides.otherwise
    return True


def _on_cpu(device: object) -> bool:
    return device == CPU


def moved_on(m: Machine, tensor: TensorValue, target: Tree) -> None:
    """The result of an operation on operands in different places is moved, and not to an argument's device."""
    if tensor.origin is not None and target != CPU and all(map(_is_no_argument, leaves(target))):
        m.call_facts.add(OutputMoved(tensor.origin.node))


def _is_no_argument(device: Tree) -> bool:
    return parameter_of(device) is None


def parameter_of(device: Tree) -> Hashable | None:
    """The parameter that a device is said to be of, or of an item of it."""
    return parameter_behind(
        device.key[1] if isinstance(device, NamedDevice) and isinstance(device.key, tuple) else None
    )


def parameter_behind(key: object) -> Hashable | None:
    """The parameter that a symbol's key is of, or of an item of it, or of what was made of it out of our sight."""
    while isinstance(key, tuple) and key[0] in ("item", "part", MADE_OF):
        key = key[1]
    return key if isinstance(key, tuple) and key[0] == "parameter" else None
