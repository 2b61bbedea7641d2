"""Devices of results: whether the one that a function returns is the same on every path."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import program_moments
from devls.engine.core.events.protocols import ResultElsewhere
from devls.engine.core.joins import Contents, Entries
from devls.engine.evidence import init_reachability, judgement, path_conditions
from devls.engine.evidence.deferred import PresumedFindings
from devls.engine.evidence.returned_presumptions import ReturnedCase
from devls.engine.torch.tensors import device_check
from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk
from devls.values.call_facts import Confirmed, MadeByDefaultOnHost, OnAccelerator, ResultMoved, Together
from devls.values.conditions import cases, leaves
from devls.values.devices import CPU, NamedDevice
from devls.values.history import Step
from devls.values.state import MISSING
from devls.values.value import Mapping, Sequence, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.engine.core.machine import Machine
    from devls.engine.evidence.judgement import Judgement
    from devls.values.call_facts import Premise
    from devls.values.conditions import Assumptions
    from devls.values.value import FunctionValue, InstanceValue


@program_moments.run_returned.on
def returned(m: Machine, function: FunctionValue, receiver: InstanceValue | None, result: object) -> None:
    """A function that ran by itself has returned: its result is where its arguments are, or on the CPU."""
    del receiver
    if isinstance(function.node, ast.Lambda):
        return
    for tensor, beside in _tensors(m, result, 2):
        step = m.state.get(tensor, "device_step", tensor.device_step)
        if isinstance(step, Step) and _is_made_by(function, tensor, step):
            _judge(m, function, tensor, step, beside)


def _is_made_by(function: FunctionValue, tensor: TensorValue, step: Step) -> bool:
    """Whether a function itself has made a tensor, which it returns as it is."""
    if step.kind != "created" or step.site.calls:
        return False
    if tensor.dtype == "int64":
        return False  # indices: torch takes them from the CPU, wherever what they select from is
    return step.site.source is function.source and isinstance(step.site.node, ast.Call)


def _judge(
    m: Machine, function: FunctionValue, tensor: TensorValue, step: Step, beside: tuple[object, ...]
) -> None:
    """Report a tensor that is returned on the CPU, where on other paths the result is on an argument's device."""
    node = step.site.node
    assert isinstance(node, ast.Call)  # noqa: S101  just looked
    places = leaves(m.device(tensor))
    elsewhere = (*places, *beside)
    other = next(
        (each for each in elsewhere if isinstance(each, NamedDevice) and each.may_accelerate), None
    ) or _device_compared_with(m, function, node)
    if other is None:
        filled = _device_of_contents(m, step)
        if filled is not None:
            target = _target(function, filled, step)
            event = ResultElsewhere(
                step.site,
                None,
                _text(step),
                function.name,
                filled,
                target,
                filled=True,
                takes_device=step.takes_device,
            )
            # Callers may move the result, or prepare data on the CPU.
            filled_there = OnAccelerator(device_check.parameter_of(filled))
            premises = Together(ResultMoved(node), filled_there, MadeByDefaultOnHost())
            m.notes.of(PresumedFindings).waiting.append((premises, event))
        return
    if CPU not in places or not _within(node, function.node):
        return
    target = _target(function, other, step)
    event = ResultElsewhere(
        step.site, None, _text(step), function.name, other, target, takes_device=step.takes_device
    )
    resting_on = _premises(function, node, other)
    weighed = judgement.judge(m, ResultElsewhere, ReturnedCase(function, tensor, step))
    _tell(m, weighed, event, Together(*resting_on))


def _tell(m: Machine, weighed: Judgement, event: ResultElsewhere, premise: Premise) -> None:
    """Report it, once all has run: calls may show it to be otherwise."""
    if weighed.silenced:
        judgement.emit(m, weighed, lambda: event)
    else:
        m.notes.of(PresumedFindings).waiting.append((Confirmed(premise), judgement.marked(event, weighed)))


def _premises(function: FunctionValue, made: ast.Call, other: NamedDevice) -> list[Premise]:
    """Presumptions that calls may refute."""
    found: list[Premise] = [MadeByDefaultOnHost()]
    if (given := device_check.parameter_of(other)) is not None:
        found.append(OnAccelerator(given))
    if (built := init_reachability.key_of(function, other)) is not None:
        found.append(built)
    if function.name.startswith("_"):
        # Nobody else calls it: where the file's own calls move what they get, that is what it is meant for.
        found.append(ResultMoved(made))
    return found


def _device_compared_with(m: Machine, function: FunctionValue, made: ast.Call) -> NamedDevice | None:
    """The device on which a new tensor has to be: `if self.mask.device != x.device: self.mask = torch.ones(...)`."""
    wanted = _owner_compared_with(function.node, made)
    if wanted:
        for symbol, tensor in m.inferred.items():
            if symbol.text == wanted and device_check.parameter_behind(symbol.key) == symbol.key:
                device = m.device(tensor)
                return device if isinstance(device, NamedDevice) and device.may_accelerate else None
    return None


def _owner_compared_with(function: ast.AST, made: ast.Call) -> str:
    """The name whose device what is kept is asked for, where it is kept no longer if that is another one."""
    for test in walk(function):
        if not isinstance(test, ast.If):
            continue
        kept = [
            ast.unparse(target)
            for each in test.body
            if isinstance(each, ast.Assign) and made in walk(each)
            for target in each.targets
        ]
        for each in walk(test.test) if kept else ():
            sides = [each.left, *each.comparators] if isinstance(each, ast.Compare) else []
            owners = [
                ast.unparse(side.value)
                for side in sides
                if isinstance(side, ast.Attribute) and side.attr == "device"
            ]
            if len(owners) == len(sides) == 2 and owners[0] != owners[1] and set(owners) & set(kept):
                return next(owner for owner in owners if owner not in kept)
    return ""


def _device_of_contents(m: Machine, step: Step) -> NamedDevice | None:
    """Device of all values written into a new tensor of an argument's sizes, if it is that of an argument."""
    filled = cases(m.state.get(step, "filled from", MISSING))
    found = {place for tests, (place,) in filled if not _of_nothing(tests) and place not in (MISSING, None)}
    device = found.pop() if len(found) == 1 else None
    if not isinstance(device, NamedDevice) or not device.may_accelerate:
        return None
    alike = m.state.get(step, "sized like")
    arguments = m.inferred.values() if isinstance(alike, frozenset) else ()
    sized = any(id(each) in alike for each in arguments)  # type: ignore[operator]
    return device if sized and any(m.device(each) == device for each in arguments) else None


def _of_nothing(tests: Assumptions) -> bool:
    """Whether something has no elements on a way: what is put in there stands for nothing."""
    return any(path_conditions.emptiness(test, side=side) for test, side in tests.items())


def _text(step: Step) -> str:
    """The factory's code on one line."""
    return " ".join(step.site.text.split())[:60]


def _target(function: FunctionValue, device: NamedDevice, made: Step) -> str:
    """`x.device`, where `x` is an argument, and made where no test asks whether it was given."""
    root = device.text.split(".")[0]
    spec = function.node.args
    known = {each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
    if root not in known or device.text != f"{root}.device" or _is_asked_for(root, made):
        return ""
    return device.text


def _is_asked_for(name: str, made: Step) -> bool:
    """Whether something is made under a test of a name for None: `if mask is None: mask = torch.ones(...)`."""
    inner = made.site.node
    for each in ancestors(made.site.source, inner):
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
        if isinstance(each, (ast.If, ast.IfExp)) and each.test is not inner and _tests(each.test, name):
            return True
        inner = each
    return False


def _tests(test: ast.expr, name: str) -> bool:
    """Whether a test asks whether a name is None, or anything: `x is None`, `not x`, `x and y`."""
    if isinstance(test, ast.BoolOp):
        return any(_tests(each, name) for each in test.values)
    if isinstance(test, ast.UnaryOp):
        return _tests(test.operand, name)
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        test = test.left
    return isinstance(test, ast.Name) and test.id == name


def _within(node: ast.AST, function: ast.AST) -> bool:
    return node in walk(function)  # nodes are compared by identity


def _tensors(m: Machine, value: object, depth: int) -> Iterator[tuple[TensorValue, tuple[object, ...]]]:
    """The tensors in a result, each with the places of what models have made that is returned in its stead."""
    found = m.alternatives(value)
    beside: tuple[object, ...] = ()
    for tests, (each,) in cases(m.resolve(value)):
        if any(path_conditions.kinds(test) for test in tests):
            beside = ()  # what is returned for numbers or arrays is on no device
            break
        if isinstance(each, Symbol) and each.device is not None:
            beside += tuple(leaves(each.device))
    for each in found:
        if isinstance(each, TensorValue):
            yield each, beside
        elif depth and isinstance(each, TupleValue):
            for item in each.items:
                yield from _tensors(m, item, depth - 1)
        elif depth and isinstance(each, Sequence):
            contents = m.state.get(each, "#items")
            if isinstance(contents, Contents) and contents.element is not None:
                yield from _tensors(m, contents.element, depth - 1)
        elif depth and isinstance(each, Mapping):
            entries = m.state.get(each, "#entries")
            for item in entries.known.values() if isinstance(entries, Entries) else ():
                yield from _tensors(m, item, depth - 1)


__all__ = ["returned"]
