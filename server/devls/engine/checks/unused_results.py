"""Results nobody uses, hooks that return nothing, comparisons of devices that never hold, and modes that last longer than their function."""

from __future__ import annotations

import ast
from bisect import bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from devls.engine.core import notes, program_moments, training_moments
from devls.engine.core.events.calls import ComputedForNothing, HookGivesNothing
from devls.engine.core.events.events import DeviceCompared, GradModeWithoutEffect, ResultDiscarded
from devls.engine.core.joins import Contents
from devls.engine.evidence import use_of_names
from devls.engine.python import narrowing
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors import device_check
from devls.library.effects import Rank, Result
from devls.syntax.layout import parents
from devls.syntax.nodes import of_kind, of_tree, walk
from devls.values.conditions import leaves
from devls.values.devices import CPU, KnownDevice, parse_device
from devls.values.history import Site
from devls.values.state import AMBIENT
from devls.values.value import (
    NONE,
    BoundMethod,
    Const,
    DeviceValue,
    FunctionValue,
    InstanceValue,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import Frame
    from devls.syntax.source import Source


_PURE_MOVES = frozenset(
    {
        "to",
        "cuda",
        "cpu",
        "xpu",
        "detach",
        "clone",
        "float",
        "double",
        "half",
        "long",
        "int",
        "bool",
        "contiguous",
        "type",
        "type_as",
        "requires_grad",
        "bfloat16",
    }
)


_MOVES: Final = frozenset({"to", "cuda", "cpu", "xpu"})


@program_moments.result_dropped.on
def result_dropped(m: Machine, statement: ast.Expr, node: ast.Call, value: object) -> None:
    """An expression statement whose value goes nowhere."""
    resolved = m.resolve(value)
    if isinstance(resolved, InstanceValue) and resolved.library in (
        "torch.no_grad",
        "torch.enable_grad",
        "torch.inference_mode",
    ):
        m.emit(
            GradModeWithoutEffect(
                m.site(node), statement, "not entered", resolved.library.rpartition(".")[2], node
            )
        )
        return
    whole = statement.value is node
    if whole and isinstance(node.func, ast.Attribute) and node.func.attr not in _PURE_MOVES:
        _computed_for_nothing(m, statement, node, node.func, resolved)
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in (_PURE_MOVES if whole else _MOVES):
        return
    if not isinstance(resolved, TensorValue) or not isinstance(
        node.func.value, (ast.Name, ast.Attribute, ast.Subscript)
    ):
        return  # nobody could use a temporary anyway: it is made for the effect
    receiver = m.resolve(m.state.get(resolved, "moved from"))
    if not isinstance(receiver, TensorValue):
        return
    if receiver.symbol is not None and not _is_tensor(m, node, node.func.attr, receiver, receiver.symbol):
        return
    if receiver.symbol is not None and (
        narrowing.is_no_tensor(m, receiver.symbol) or _is_no_tensor(m, node.func.value, receiver.symbol)
    ):
        return
    calls = _calls_of_host(m, node, resolved) if node.func.attr in _MOVES else []
    text = m.text(node.func.value)
    beside = dict.fromkeys(name for name, call in calls if text in map(m.text, call.args))
    m.emit(
        ResultDiscarded(
            m.site(node),
            statement,
            node.func.attr,
            text,
            node.func.value,
            moved=node.func.attr in _MOVES,
            tensor=receiver,
            target=_target(m, statement, node),
            beside=tuple(beside),
            on_host=bool(calls),
        )
    )


_CALLS_BEHIND: Final = 500
"""Calls that are looked at behind a move whose result is dropped: a file may drop thousands."""


def _calls_of_host(m: Machine, node: ast.Call, moved: TensorValue) -> list[tuple[str, ast.Call]]:
    """Calls in the rest of the function of modules on the CPU, each with its name: what is moved elsewhere cannot meet them."""
    function = m.frame.function
    found: list[tuple[str, ast.Call]] = []
    behind = _calls_of_names(m.source.tree if function is None else function.node)
    first = bisect_right(behind, node.lineno, key=itemgetter(0))
    for _, name, call in behind[first : first + _CALLS_BEHIND]:
        value = m.resolve(m.state.get(m.frame.scope, name))
        module = value if isinstance(value, InstanceValue) and registry.is_module(m, value) else None
        here = registry.device(m, module) if module is not None else None
        if here == CPU and device_check.compare_devices(m, m.device(moved), here).verdict in (
            device_check.CONFLICTS
        ):
            found.append((name, call))
    return found


@of_tree(maxsize=64)
def _calls_of_names(around: ast.AST) -> list[tuple[int, str, ast.Call]]:
    """Calls of names, in the order of their lines, each with its line and the name."""
    calls = (
        (each.lineno, each.func.id, each)
        for each in of_kind(around, ast.Call)
        if isinstance(each.func, ast.Name)
    )
    return sorted(calls, key=itemgetter(0))


def _target(m: Machine, statement: ast.Expr, node: ast.Call) -> str:
    """Target for a statement's value, so that later reads of the same names see the moved one; "" if there is none.

    Of a tuple the first part says it for all, if all are moved.
    """
    parts = statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]
    moved = [
        each.func.value
        for each in parts
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr in _PURE_MOVES
    ]
    if len(moved) < len(parts) or parts[0] is not node or len(set(map(ast.dump, moved))) < len(moved):
        return ""
    if isinstance(moved[0], ast.Name) and use_of_names.is_a_part_walked(
        m.frame.source, statement, moved[0].id
    ):
        return ""
    return ", ".join(map(m.text, moved))


def _is_tensor(m: Machine, call: ast.Call, method: str, tensor: TensorValue, symbol: Symbol) -> bool:
    """Whether what is taken for a tensor is one: it is said to be, was found to be, or is used as one."""
    if symbol.hint == "tensor" or m.state.get(tensor, "is tensor"):
        return True
    return method in ("to", "cuda") and use_of_names.is_tensor_of_batch(m, call, symbol)


def _is_no_tensor(m: Machine, named: ast.expr, symbol: Symbol) -> bool:
    """Whether what is taken for a tensor, under the name that it has here or was given by, is asked for what no tensor has."""
    names = {each.id for each in (named,) if isinstance(each, ast.Name)} | {symbol.text}
    return use_of_names.more_than_of_tensors(m, m.source, named, names)


_CALLED_FOR_EFFECT: Final = frozenset(
    {"matmul", "mm", "bmm", "requires_grad_", "item", "tolist", "contiguous"}
)
"""Methods that are also called for the time they take, or to see whether they succeed."""


def _computed_for_nothing(
    m: Machine, statement: ast.Expr, node: ast.Call, function: ast.Attribute, result: object
) -> None:
    """`x.squeeze(0)` as a statement: a new tensor that nobody gets."""
    name = function.attr
    if (
        name.endswith("_")
        or name in _CALLED_FOR_EFFECT
        or not isinstance(function.value, (ast.Name, ast.Attribute))
    ):
        return
    if not isinstance(result, TensorValue) or result.origin is None or result.origin.node is not node:
        return
    operation = m.library.operation(f"torch.Tensor.{name}")
    if operation is None or operation.result not in (Result.TENSOR, Result.VIEW) or operation.writes:
        return
    if operation.rank in (Rank.SCALAR, Rank.REDUCED) and not node.args and not node.keywords:
        return  # one number of all that a tensor holds is no other state of it: all of it was to be read, or waited for
    if _only_repeated(m, statement):
        return
    m.muted += 1
    receiver = m.resolve(m.eval(function.value))
    m.muted -= 1
    if not isinstance(receiver, TensorValue) or (
        receiver.symbol is not None and receiver.symbol.hint != "tensor"
    ):
        return
    text = m.text(function.value)
    m.emit(ComputedForNothing(m.site(node), statement, name, function.value, text, receiver))


def _only_repeated(m: Machine, statement: ast.Expr) -> bool:
    """Whether a loop does the same again and again and nothing else: to warm up, or for the time it takes."""
    loop = parents(m.source).get(statement)
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
        return False
    return all(isinstance(each, ast.Expr) for each in loop.body) and not any(
        isinstance(each, ast.Name) and each.id == loop.target.id for part in loop.body for each in walk(part)
    )


@program_moments.compared.on
def devices_compared(m: Machine, node: ast.Compare, left: object, right: object) -> None:
    """`x.device == "cuda"` never holds, nor does `== torch.device("cuda")`, nor `is`."""
    if len(node.ops) != 1:
        return
    if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
        _identity_of_devices(m, node, left, right)
        return
    if isinstance(node.ops[0], (ast.In, ast.NotIn)):
        _device_among(m, node, left, right)
        return
    if not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
        return
    sign = "==" if isinstance(node.ops[0], ast.Eq) else "!="
    for side, other, side_node, other_node in (
        (left, right, node.left, node.comparators[0]),
        (right, left, node.comparators[0], node.left),
    ):
        if not isinstance(side, DeviceValue) or side.as_text or not _is_device_itself(side_node):
            continue
        problem = replacement = ""
        text, wanted = m.text(side_node), m.text(other_node)
        if isinstance(other, Const) and isinstance(other.value, str):
            if parse_device(other.value) is None:
                continue  # no device is called so ("auto"): whoever wrote it knows of strings there
            problem = f"a `torch.device` never equals a string such as `{wanted}`: compare `.type`, or with `torch.device(...)`"
            replacement = (
                f"str({text}) {sign} {wanted}" if ":" in other.value else f"{text}.type {sign} {wanted}"
            )
        elif side.of_tensor and isinstance(other, DeviceValue) and not other.of_tensor:
            device = other.device
            if isinstance(device, KnownDevice) and device.is_accelerator and device.index is None:
                problem = f"the device of a tensor has an index and never equals `{wanted}`, which has none: compare `.type`"
                replacement = f'{text}.type {sign} "{device.type}"'
        if (
            problem
            and not _also_compared_with_device(m, node, text)
            and not _only_saves_move(m, node, wanted)
        ):
            m.emit(DeviceCompared(m.site(node), m.frame.statement, text, problem, replacement))
            return


def _also_compared_with_device(m: Machine, node: ast.Compare, text: str) -> bool:
    """Whether the same test compares it with a device as well, for whoever gives one: `x == "cpu" or x == torch.device("cpu")`."""
    above = parents(m.source).get(node)
    return isinstance(above, ast.BoolOp) and any(
        isinstance(part, ast.Compare)
        and part is not node
        and [type(each) for each in part.ops] == [type(node.ops[0])]
        and m.text(part.left) == text
        and isinstance(m.resolve(m.eval(part.comparators[0])), DeviceValue)
        for part in above.values
    )


def _only_saves_move(m: Machine, node: ast.Compare, wanted: str) -> bool:
    """Whether a test does nothing but leave out a move to the device it compares with, which is none for what is there."""
    above = parents(m.source).get(node)
    return (
        isinstance(above, ast.If)
        and above.test is node
        and not above.orelse
        and all(
            isinstance(each, ast.Assign)
            and isinstance(each.value, ast.Call)
            and isinstance(each.value.func, ast.Attribute)
            and each.value.func.attr == "to"
            and [m.text(argument) for argument in each.value.args] == [wanted]
            for each in above.body
        )
    )


def _is_device_itself(node: ast.expr) -> bool:
    """Whether an expression stands for a device, and not for what `str` makes of one."""
    if isinstance(node, ast.Call):
        called = node.func
        return (called.id if isinstance(called, ast.Name) else "") not in ("str", "repr", "format")
    return isinstance(node, (ast.Attribute, ast.Name, ast.Subscript))


def _device_among(m: Machine, node: ast.Compare, left: object, right: object) -> None:
    """`device in ("cuda", "mps")`: a device is none of these strings."""
    items: tuple[object, ...] = right.items if isinstance(right, TupleValue) else ()
    if isinstance(right, Sequence):
        contents = m.state.get(right, "#items")
        if isinstance(contents, Contents) and contents.element is None:
            items = contents.items or ()
    texts = [each.value for each in items if isinstance(each, Const) and isinstance(each.value, str)]
    if not isinstance(left, DeviceValue) or left.as_text or not texts or len(texts) != len(items):
        return
    text, wanted = m.text(node.left), m.text(node.comparators[0])
    sign = "in" if isinstance(node.ops[0], ast.In) else "not in"
    exact = any(":" in each for each in texts)
    replacement = f"str({text}) {sign} {wanted}" if exact else f"{text}.type {sign} {wanted}"
    problem = f"a `torch.device` is never one of the strings in `{wanted}`: compare `.type`"
    m.emit(DeviceCompared(m.site(node), m.frame.statement, text, problem, replacement))


def _identity_of_devices(m: Machine, node: ast.Compare, left: object, right: object) -> None:
    if (
        isinstance(left, DeviceValue)
        and isinstance(right, DeviceValue)
        and (left.of_tensor or right.of_tensor)
        and not (left.as_text or right.as_text)
    ):
        sign = "==" if isinstance(node.ops[0], ast.Is) else "!="
        problem = "`.device` gives a new object at each access, so `is` never holds: compare with `==`"
        replacement = f"{m.text(node.left)} {sign} {m.text(node.comparators[0])}"
        m.emit(DeviceCompared(m.site(node), m.frame.statement, m.text(node.left), problem, replacement))


# Modes that last longer than their function


@program_moments.function_ended.on
def function_ended(
    m: Machine, frame: Frame, function: FunctionValue, result: object, grad_before: object
) -> None:
    """A function has returned, perhaps with gradients that it has switched off."""
    if grad_before is True and not function.grad_mode and m.state.get(AMBIENT, "grad", True) is not True:
        _left_off(m, frame, function, result)


def _left_off(m: Machine, frame: Frame, function: FunctionValue, result: object) -> None:
    """A function has ended: report gradients that it switched off for its callers too."""
    mode = m.grad_enabled()
    if mode is True:
        return
    found = m.state.get(AMBIENT, "grad set")
    if mode is not False:
        _left_off_by_early_return(m, frame, function, found)
        return
    if not isinstance(found, Site) or found.calls != frame.calls:
        return
    # A function that returns nothing may be the program, or there to switch; and what is set
    # elsewhere in the file may set this back.
    if m.resolve(result) == NONE or found.source is not function.source or len(_switches(found.source)) != 1:
        return
    if (
        isinstance(found.node, ast.Call)
        and not _awaits_with_grad_off(function, found.node)
        and not _is_given_the_mode(function, found.node)
    ):
        m.emit(GradModeWithoutEffect(found, frame.statement, "left off", "set_grad_enabled", found.node))


def _is_given_the_mode(function: FunctionValue, switch: ast.Call) -> bool:
    """Whether an argument of the function says how gradients are switched: the next call may switch them on again."""
    spec = function.node.args
    given = {each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
    flags = (*switch.args, *(each.value for each in switch.keywords))
    return any(isinstance(each, ast.Name) and each.id in given for flag in flags for each in walk(flag))


def _awaits_with_grad_off(function: FunctionValue, switch: ast.Call) -> bool:
    """Whether a coroutine waits with gradients off: a mode is the thread's, and two tasks that both set it back leave it off."""
    return isinstance(function.node, ast.AsyncFunctionDef) and any(
        isinstance(each, ast.Await) and each.lineno > switch.lineno for each in walk(function.node)
    )


def _left_off_by_early_return(m: Machine, frame: Frame, function: FunctionValue, found: object) -> None:
    """Gradients are switched off and on again, but for a `return` in between."""
    sites = {each for each in leaves(found) if isinstance(each, Site)}
    if len(sites) != 2 or isinstance(function.node, ast.Lambda):
        return
    # Only what each way comes by: not what is switched where it was asked for.
    always = [each.value for each in function.node.body if isinstance(each, ast.Expr)]
    off, on = sorted(sites, key=lambda each: getattr(each.node, "lineno", 0))
    flags = [
        flag.value
        for each in (off, on)
        if each.calls == frame.calls and each.node in always and isinstance(each.node, ast.Call)
        for flag in (*each.node.args, *(keyword.value for keyword in each.node.keywords))
        if isinstance(flag, ast.Constant)
    ]
    if flags == [False, True] and isinstance(off.node, ast.Call):
        m.emit(GradModeWithoutEffect(off, frame.statement, "left off", "set_grad_enabled", off.node, on))


def _switches(source: Source) -> list[ast.AST]:
    return [
        each
        for each in walk(source.tree)
        if isinstance(each, ast.Attribute) and each.attr == "set_grad_enabled"
    ]


# Hooks


@notes.record
class Hooks(notes.Record):
    """Statements of hooks that have been told."""

    __slots__ = ("told",)

    def __init__(self) -> None:
        self.told: set[ast.Assign] = set()


@training_moments.hook_called.on
def hook_called(m: Machine, function: object, result: object) -> None:
    """A hook has returned nothing: what it has computed of its arguments last is for nobody."""
    own = function.function if isinstance(function, BoundMethod) else function
    if result != NONE or not isinstance(own, FunctionValue) or m.muted:
        return
    dead = _dead_result(own.node)
    record = m.notes.of(Hooks)
    if dead is not None and dead not in record.told:
        record.told.add(dead)
        name = dead.targets[0].id if isinstance(dead.targets[0], ast.Name) else ""
        m.emit(HookGivesNothing(_site(m, own, dead), None, name, own.name))


def _site(m: Machine, function: FunctionValue, node: ast.AST) -> Site:
    site = m.site(node)
    return type(site)(function.source, node, site.calls)


def _dead_result(function: ast.AST) -> ast.Assign | None:
    """The last statement of a function that returns nothing, where it binds a local name to what it has computed of arguments."""
    if not isinstance(function, ast.FunctionDef) or any(
        isinstance(each, (ast.Return, ast.Yield, ast.Global, ast.Nonlocal)) for each in walk(function)
    ):
        return None
    last = function.body[-1]
    while isinstance(last, ast.If) and not last.orelse:
        last = last.body[-1]
    if (
        not isinstance(last, ast.Assign)
        or len(last.targets) != 1
        or not isinstance(last.targets[0], ast.Name)
    ):
        return None
    given = {each.arg for each in function.args.args}
    for each in walk(function):
        target = each.targets[0] if isinstance(each, ast.Assign) else None
        if isinstance(each, ast.Assign) and isinstance(target, ast.Name) and _mentions(each.value, given):
            given.add(target.id)
    computes = not any(_has_effect(each) for each in walk(last.value) if isinstance(each, ast.Call))
    return last if computes and _mentions(last.value, given) else None


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(each, ast.Name) and each.id in names for each in walk(node))


def _has_effect(call: ast.Call) -> bool:
    """Whether a call is of a function that may be called for what it does."""
    function = call.func
    if isinstance(function, ast.Name):
        return function.id not in ("tuple", "list", "max", "min", "float")
    return not isinstance(function, ast.Attribute) or function.attr.endswith("_") or function.attr in _EFFECTS


_EFFECTS: Final = frozenset({"append", "add", "update", "write", "put", "log"})
