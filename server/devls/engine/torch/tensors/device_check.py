"""The device check of an operation, and the story of an operand that fails it."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics
from devls.engine.core.events.events import Cause, DevicesMixed, Operand
from devls.engine.driver.isolation import ONE_OF, WEAKLY
from devls.engine.evidence import (
    attribute_reassignment,
    batch_provenance,
    confidence,
    init_reachability,
    moved_since,
    path_conditions,
)
from devls.engine.python import narrowing
from devls.library.effects import Role
from devls.syntax.layout import ancestors
from devls.syntax.nodes import of_tree, walk
from devls.values.conditions import Condition, Either, apply, cases, combined, leaves, negation
from devls.values.devices import (
    CPU,
    SAME,
    UNKNOWN,
    UNKNOWN_DEVICE,
    Comparison,
    NamedDevice,
    UnknownDevice,
    Verdict,
    compare,
)
from devls.values.history import Site, Step
from devls.values.value import NONE, InstanceValue, Mapping, Sequence, TensorValue, TupleValue

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


@dataclass(frozen=True)
class Renamed:
    """Where the result of moving a module was given a second name; whether it was taken off an accelerator there."""

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
    return batch_provenance.part_step(m, tensor) or m.state.get(tensor, "device_step", tensor.device_step)  # type: ignore[return-value]


def told(m: Machine, each: Operand) -> Operand:
    """An operand with its story, which there is no need to know of before there is something to tell."""
    step = each.step or step_of(m, each.tensor)
    over = m.state.get(each.tensor, "passed over")
    copied = m.state.get(step, "copied at") if isinstance(step, Step) else None
    if not isinstance(copied, Site):
        copied = None  # on some ways only
    return Operand(each.node, each.tensor, each.device, each.text, step, each.parameter, over, copied)  # type: ignore[arg-type]


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
        if not layer and all(role is Role.ELEMENT and _may_be_cpu_scalar(each) for role, each in operands):
            return _of_scalars(operands), anchor, False
        return anchor.device, anchor, False
    found_role, other, comparison = conflict
    stray, target = other, anchor
    # An index follows what it is an index into.
    if _on_cpu(comparison.right) and not _on_cpu(comparison.left) and found_role is not Role.INDEX:
        stray, target = anchor, other
        comparison = turned(comparison)
    report(m, node, operation, stray, target, comparison, layer=layer)
    return UNKNOWN_DEVICE, anchor, True


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


def _anchor(operands: list[tuple[Role, Operand]]) -> Operand:
    """The operand whose device the result will have: the first that is not an exempt scalar."""
    if operands[0][0] is Role.EXACT and all(role is Role.FREE for role, _ in operands[1:]):
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
    """Where the result of operands is that may all be 0-dim tensors on the CPU: where the first is that is not."""
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


def checks_itself(m: Machine) -> bool:
    """Whether a method asserts what its own module comes to, for inputs that it makes: nobody does that elsewhere than where it is made."""
    from devls.engine.checks.eval_graph import is_unit_test  # noqa: PLC0415  a cycle otherwise

    return any(
        each.symbolic and each.function is not None and is_unit_test(each.function) for each in m.frames
    )


def _reads_on_host(m: Machine, step: Step | None) -> bool:
    """Whether who has made the stray reads what comes of it with numpy, and never speaks of any place: all of that is on the CPU."""
    if step is None or step.kind != "created":
        return False
    site = step.site.calls[0] if step.site.calls else step.site
    return any(
        each.symbolic
        and each.function is not None
        and each.function.source is site.source
        and site.node in walk(each.function.node)
        and _only_numpy(each.function.node)
        for each in m.frames
    )


@of_tree(maxsize=256)
def _only_numpy(node: ast.AST) -> bool:
    names = {each.attr for each in walk(node) if isinstance(each, ast.Attribute)}
    named = names | {each.arg for each in walk(node) if isinstance(each, (ast.arg, ast.keyword)) and each.arg}
    return "numpy" in names and not any(_PLACES.search(each) for each in named)


_PLACES: Final = re.compile(r"device|^(cuda|cpu|to|xpu|is_cuda)$")


def report(
    m: Machine,
    node: ast.AST,
    operation: str,
    stray: Operand,
    anchor: Operand,
    comparison: Comparison,
    *,
    layer: bool = False,
) -> None:
    """Say that devices were mixed, with the most useful cause."""
    stray, anchor = told(m, stray), told(m, anchor)
    cause, attribute = Cause.OTHER, ""
    creation: ast.Call | None = None
    creation_site = None
    attribute_site = None
    old_name = ""
    step = stray.step
    mark = m.state.get(step, "attribute") if step is not None else None
    if isinstance(mark, tuple) and isinstance(mark[0], InstanceValue):
        cause, attribute, attribute_site = Cause.ATTRIBUTE, str(mark[1]), mark[2]
        if mark[0].cls is not None and attribute in attribute_reassignment.moved_by_hand(mark[0].cls.node):
            return  # the class sees to it where it thinks right
        if attribute_reassignment.otherwise(m, attribute):
            return  # it stands for nothing until the other case has been through
    elif stray.tensor.is_parameter or (step is not None and step.kind == "built"):
        cause = Cause.MODULE
    elif step is not None and step.kind == "created":
        cause = Cause.CREATED
        creation_site = step.site
        frame = m.frame
        if (
            frame.function is not None
            and step.site.source is frame.source
            and step.site.calls == frame.calls
            and isinstance(step.site.node, ast.Call)
        ):
            creation = step.site.node
    if cause in (Cause.OTHER, Cause.CREATED) and layer and anchor.tensor.is_parameter and creation is None:
        cause = Cause.LAYER_INPUT
    if layer and stray.tensor.is_parameter:
        cause = Cause.MODULE
    if step is not None and step.kind == "state":
        cause = Cause.STATE
    elif cause in (Cause.OTHER, Cause.MODULE) and not stray.tensor.is_parameter:
        left = m.state.get(stray.tensor, "left behind")
        if isinstance(left, tuple):
            cause, attribute, attribute_site = Cause.STALE, str(left[1]), left[0]
        elif (
            step is not None and step.kind == "built" and stray.tensor.origin is not None and creation is None
        ):
            stayed = moved_since.where_they_were(m, stray.tensor)
            cause, attribute_site = (Cause.OTHER, None) if stayed else (Cause.STALE, stray.tensor.origin)
    marks = (m.state.resolve(m.state.get(each.tensor, RENAMED)) for each in (anchor, stray))
    renamed = next((each for each in marks if isinstance(each, Renamed)), None)
    if layer and renamed is not None:
        attribute_site, attribute, old_name = renamed.site, renamed.new, renamed.old
        cause = Cause.RENAMED
    if any(test.text == "one of several" for test, _ in comparison.conditions):
        return  # which of several it was is not known
    if path_conditions.of_no_case(m, comparison.conditions):
        return  # what stands there before one of several cases is found
    if any(side and test.text.endswith("device is None") for test, side in comparison.conditions):
        return  # `device=None` leaves the choice to the caller: it is the caller that forgot
    if any(path_conditions.emptiness(test, side=side) for test, side in comparison.conditions):
        return  # what is made where there is nothing meets no other
    if comparison.verdict is Verdict.WHEN_ACCELERATED and (checks_itself(m) or _reads_on_host(m, step)):
        return
    whole = stray.tensor.view_of or stray.tensor
    made = m.state.get(step, "made") if step is not None and step.kind == "created" else None
    elsewhere = creation is None or (step is not None and not confidence.within(m, step.site))
    of_class = isinstance(made, TensorValue) and 0 in (made.shape or ()) and elsewhere
    if of_class or (0 in (whole.shape or ()) and (cause is Cause.ATTRIBUTE or stray.node is creation)):
        return  # without elements it stands for something that is not there
    if cause is Cause.ATTRIBUTE and whole.shape == (1,) and narrowing.found_to_fit(m):
        return  # one number that stands for nothing, and no sizes are like its own
    if not whole.nonscalar and attribute_reassignment.holds_another(m, stray.node):
        return  # what it is compared with is what it holds for want of something else
    if stray.node is anchor.node and isinstance(stray.node, (ast.ListComp, ast.GeneratorExp)):
        return  # what one expression makes of each item of a list: what differs is where the list is from
    sides = ((stray.device, comparison.left), (anchor.device, comparison.right))
    if any(
        test.text == narrowing.OF_SIZES and any(_decides(test, *each) for each in sides)
        for test, _ in comparison.conditions
    ):
        return  # what is kept until it fits no longer: whether the first one ever fits is not known
    if (
        step is not None
        and step.kind == "created"
        and any(
            path_conditions.kinds(test) and not path_conditions.numbers(test)
            for tests, _ in cases(stray.device)
            for test in tests
        )
    ) or _of_no_tensor(anchor.device):
        return  # made of an array or of numbers, where tensors are taken too: who gives arrays gives no others
    if step is not None and m.state.get(step, OF_NO_TENSOR) is not None:
        return  # the same, on the way where it is made
    from_caller = isinstance(comparison.right, NamedDevice) and not comparison.right.chosen
    either_way = comparison.always and not from_caller
    if path_conditions.ruled_out(m, comparison):
        return
    if from_caller and _arrays_too(m, anchor):
        return  # a function that takes arrays as well, which it brings to the CPU, is given tensors that are there
    if not either_way and any(path_conditions.devices(test) for test in comparison.free):
        return  # a test of some device: how it relates to these two is more than we follow
    if init_reachability.follows(comparison.right) and path_conditions.declined(m):
        return  # who has no accelerator used here has not put the module, or the argument, on one
    site, met = m.site(node), stray
    if from_caller and _kept_on_host(m, comparison.right):
        return  # the program does this before it moves anything
    if from_caller and creation is None and cause is not Cause.ATTRIBUTE:
        if step is None or step.kind not in ("built", "created") or stray.tensor.serial < m.run_began:
            return  # an argument that nobody says is anywhere else
        if step.kind == "built" and not stray.tensor.is_parameter and not confidence.within(m, step.site):
            return  # what a module gives out that nobody here moves: who gives the argument may have moved the module
        # The running function has made, or had made, what stays on the CPU: told where it meets the argument.
        if site.calls:
            site, stray = site.calls[0], replace(stray, node=None, parameter="")
    from devls.engine.evidence import device_expressions  # noqa: PLC0415  a cycle otherwise

    origin_call, origin_target = _origin(m, stray, anchor, cause)
    given = [*node.args, *(each.value for each in node.keywords)] if isinstance(node, ast.Call) else []
    all_of_list = stray.parameter == "tensors" and any(each is stray.node for each in given)
    if m.silent:
        return
    event = DevicesMixed(
        site,
        m.frame.statement,
        operation,
        stray,
        anchor,
        comparison,
        cause,
        possible=confidence.is_weak(m, node, met, anchor, comparison, cause, made_here=creation is not None),
        target=device_expressions.expression_for(m, anchor, getattr(node, "lineno", 0)),
        attribute=attribute,
        attribute_site=attribute_site,
        attribute_read=_read_by_caller(m, mark[0], attribute) if cause is Cause.ATTRIBUTE else None,  # type: ignore[index]
        creation=creation,
        creation_site=creation_site,
        old_name=old_name,
        origin_call=origin_call,
        origin_target=origin_target,
        all_of_list=all_of_list,
        part_of=_part_of(m, stray) if not all_of_list else "",
        written=_is_written(node, operation, stray),
        creation_target="" if creation is None else _where_created(m, anchor, creation),
    )
    # That a parameter is on an accelerator is presumed, and that a method is called when its module was moved: other functions of
    # the file may show that it is not so.
    parameter = parameter_of(comparison.right) or parameter_of(comparison.left)
    built = init_reachability.key(m, comparison.right, comparison.left)
    beside = _made_beside(m, step) if parameter is not None else None
    sent_on = (SENT_ON, node) if parameter is not None and CPU in leaves(anchor.device) else None
    presumed = [each for each in (parameter, built, beside, sent_on) if each is not None]
    if not presumed:
        m.emit(event)
    else:
        together = presumed[0] if len(presumed) == 1 else (ONE_OF, *presumed)
        m.presumed_findings.append(((WEAKLY, together) if event.possible else together, event))


READS: Final = "reads"
"""What begins the key of a presumption that a method, which has made what meets an argument here, does not read its own by numpy."""


SENT_ON: Final = "sent on"
"""Begins the key of a presumption that nobody moves what comes of an operation with what stands on the CPU in place of an argument.

Who does so expects the argument to be where its stand-in is.
"""


def moved_on(m: Machine, tensor: TensorValue, target: Tree) -> None:
    """What an operation came to whose operands may be in different places is moved, and not to where an argument is."""
    if tensor.origin is not None and target != CPU and all(map(_is_no_argument, leaves(target))):
        m.called_without_grad.add((SENT_ON, tensor.origin.node))


def _is_no_argument(device: Tree) -> bool:
    return parameter_of(device) is None


def _made_beside(m: Machine, step: Step | None) -> Hashable | None:
    """The same, of the method of the running one's class that has made the stray: what is given to both is in one place."""
    function = m.frame.function
    if step is None or function is None or function.cls is None or step.site.source is not function.source:
        return None
    makers = (each for each in ancestors(step.site.source, step.site.node) if isinstance(each, _METHODS))
    maker = next(makers, None)
    if maker is None or maker is function.definition or maker not in function.cls.definition.body:
        return None
    return (READS, id(maker))


_METHODS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def _arrays_too(m: Machine, anchor: Operand) -> bool:
    """Whether something is, as a test of its kind came out, an argument or what was made of that on the CPU."""
    places: list[Tree] = [anchor.device]
    held = m.state.get(m.frame.scope, anchor.node.id) if isinstance(anchor.node, ast.Name) else None
    if isinstance(held, Either):
        places.append(apply(lambda each: m.device(each) if isinstance(each, TensorValue) else None, held))
    return any(
        place == CPU and any(map(path_conditions.kinds, tests))
        for tree in places
        for tests, (place,) in cases(tree)
    )


def _decides(test: Condition, device: Tree, place: Tree) -> bool:
    """Whether it takes a test to come out one way for something to be at a place; none of several may be there."""
    sides = {
        tests.get(test)
        for tests, (leaf,) in cases(device)
        if leaf == place and not any(each.text == "one of several" for each in tests)
    }
    return len(sides) == 1 and None not in sides


def _part_of(m: Machine, stray: Operand) -> str:
    """What the stray's expression is, if it is a name for something that holds it, as the two states of an LSTM, or may be None."""
    if isinstance(stray.node, ast.Attribute) and isinstance(stray.node.value, ast.Name):
        owner = m.resolve(m.state.get(m.frame.scope, stray.node.value.id))
        kept = m.resolve(m.state.get(owner, stray.node.attr)) if isinstance(owner, InstanceValue) else None
        return "none" if isinstance(kept, Either) and NONE in leaves(kept) else ""
    name = stray.node.id if isinstance(stray.node, ast.Name) else ""
    value = m.resolve(m.state.get(m.frame.scope, name)) if name else None
    if isinstance(value, TupleValue):
        return "tuple"
    return "list" if isinstance(value, Sequence) else "dict" if isinstance(value, Mapping) else ""


def _read_by_caller(m: Machine, owner: object, attribute: str) -> Site | None:
    """Where a method that is waiting for the running function reads an attribute of its own."""
    for frame in m.frames[:-1]:
        if frame.receiver is not owner or frame.function is None:
            continue
        for each in walk(frame.function.node):
            if isinstance(each, ast.Attribute) and each.attr == attribute and isinstance(each.ctx, ast.Load):
                return Site(frame.source, each, frame.calls)
    return None


def _of_no_tensor(device: Tree) -> bool:
    """Whether a device is the CPU only where something is no tensor: `x.device if torch.is_tensor(x) else "cpu"`."""
    found = [any(map(path_conditions.kinds, tests)) for tests, (place,) in cases(device) if place == CPU]
    return bool(found) and all(found)


def _where_created(m: Machine, anchor: Operand, creation: ast.Call) -> str:
    """An expression for the anchor's device at a call, which may stand above the running function."""
    from devls.engine.evidence import device_expressions  # noqa: PLC0415  a cycle otherwise

    function = m.frame.function
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


def _kept_on_host(m: Machine, device: Tree) -> bool:
    """Whether a device is that of a parameter which the program, though it uses accelerators, gives CPU tensors."""
    if not isinstance(device, NamedDevice) or not m.program_moves:
        return False
    key = device.key[1] if isinstance(device.key, tuple) and len(device.key) > 1 else None
    while (
        isinstance(key, tuple) and len(key) > 1 and key[0] in ("item", "part") and key not in m.shown_on_host
    ):
        key = key[1]  # an item lies where all items of what was given do
    return key in m.shown_on_host


def _is_written(node: ast.AST, operation: str, stray: Operand) -> bool:
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


def _origin(m: Machine, stray: Operand, anchor: Operand, cause: Cause) -> tuple[ast.Call | None, str]:
    """The call of a running function that gave the stray or its module, and an expression for the device there."""
    from devls.engine.evidence import device_expressions  # noqa: PLC0415  a cycle otherwise

    if cause not in (Cause.MODULE, Cause.ATTRIBUTE, Cause.OTHER, Cause.CREATED) or stray.step is None:
        return None, ""
    if cause in (Cause.OTHER, Cause.CREATED) and stray.node is not None:
        return None, ""
    first = stray.step.story()[0]
    for frame in reversed(m.frames):
        depth = len(frame.calls)
        if first.site.calls[:depth] != frame.calls:
            continue
        place = first.site if len(first.site.calls) == depth else first.site.calls[depth]
        if (
            place.source is not m.source
            or frame.source is not m.source
            or not isinstance(place.node, ast.Call)
        ):
            return None, ""
        inner, m.frames = m.frames, [*m.frames[: m.frames.index(frame)], frame]
        try:
            target = device_expressions.expression_for(
                m, Operand(None, anchor.tensor, anchor.device, anchor.text), place.node.lineno, strict=True
            )
        finally:
            m.frames = inner
        return place.node, target
    return None, ""
