"""The program's choice of a device, and calls that ask for an accelerator whatever was chosen."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from devls.engine.core import moments, notes, program_moments, tensor_facts
from devls.engine.core.events.calls import DeviceDemanded
from devls.engine.core.events.protocols import CurrentCardTaken
from devls.engine.evidence import judgement, naming_priors
from devls.engine.evidence.deferred import PresumedFindings
from devls.engine.python.narrowing import device_of
from devls.engine.torch import checkpoints
from devls.engine.torch.nn import registry
from devls.syntax.layout import parents
from devls.syntax.nodes import walk
from devls.syntax.source import shortened
from devls.values.call_facts import GivenToProcesses
from devls.values.conditions import ACCELERATOR_PRESENT, Either, leaves
from devls.values.devices import CPU, KnownDevice, NamedDevice
from devls.values.history import Site, Step
from devls.values.state import AMBIENT
from devls.values.value import Const, DeviceValue, InstanceValue, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


OF_PROCESSES: Final = "torch.distributed."
"""Processes on cards hand tensors on by NCCL, which takes them from CUDA only, whatever the program has chosen."""

_AUTOCAST: Final = frozenset({"torch.autocast", "torch.amp.autocast", "torch.amp.autocast_mode.autocast"})


WATCHED: Final = ("cuda", "to")
"""Methods that move what they are called on."""

_WANT_A_CARD: Final = frozenset(
    f"torch.cuda.{each}"
    for each in "reset_max_memory_allocated reset_peak_memory_stats set_device synchronize".split()
)
"""Functions that raise without CUDA, and are no questions about the card; `empty_cache` and `manual_seed` do nothing then."""


def watches(name: str) -> bool:
    """Whether calls of a function are looked at, whatever it is given."""
    named = name == "torch.device" or name in _AUTOCAST or name in _WANT_A_CARD
    return named or name.startswith(OF_PROCESSES)


@notes.record
class EarlyDemands(notes.Record):
    """Accelerators that a program asks for by name before it has chosen a device."""

    __slots__ = ("waiting",)

    ADDED = ("waiting",)

    def __init__(self) -> None:
        self.waiting: list[DeviceDemanded] = []

    def size(self) -> int:
        """Those of a module are judged with the program."""
        return len(self.waiting)

    def drop(self) -> None:
        """Nothing is judged."""
        self.waiting.clear()


@program_moments.program_ended.on
def chosen_later(m: Machine, *, whole: bool) -> None:
    """The main program is over: it may have chosen a device, in the same file, after it asked for CUDA by name."""
    del whole
    demands = m.notes.of(EarlyDemands)
    choice = m.state.resolve(m.state.get(AMBIENT, "device choice"))
    asks = m.state.get(AMBIENT, "asks for accelerators") is True
    flagged = _flagged(m)
    for each in demands.waiting if flagged is not None else ():
        if flagged is not None and each.site.source is flagged.source:
            m.emit(replace(each, chosen=flagged))
    if (
        flagged is None
        and asks
        and isinstance(choice, tuple)
        and isinstance(choice[0], Site)
        and "cuda" in choice[1]
    ):
        for each in demands.waiting:
            if each.site.source is choice[0].source:
                m.emit(replace(each, chosen=choice[0]))
    demands.waiting.clear()


def before(m: Machine, call: Invocation) -> None:
    """A library function is about to be called: does it choose a device, or demand one?"""
    short = call.short_name
    if short == "cuda" and call.is_method:
        given = call.argument(1, "device")
        number = m.resolve(given) if given is not None else Const(None)
        # `torch.cuda.current_device()` comes as a device; what others give by name is theirs to know.
        current = isinstance(number, DeviceValue) and isinstance(number.device, KnownDevice)
        if current or (isinstance(number, Const) and (number.value is None or isinstance(number.value, int))):
            _demanded(m, call, "cuda()", None)
    elif short == "to" and call.is_method:
        _asked(m, call, call.argument(1, "device"), call.argument_node(1, "device"), "to")
    elif call.name == "torch.device":
        _named(m, call, call.argument(0, "device"))
    elif call.name in _WANT_A_CARD:
        _card_wanted(m, call)
    elif call.name in _AUTOCAST:
        _autocast(m, call)
    elif call.name.startswith(OF_PROCESSES):
        _handed_on(m, call)
    elif "device" in call.keywords and call.name.startswith("torch."):
        _asked(m, call, call.keywords["device"], call.keyword_nodes.get("device"), "device=")


def _asked(m: Machine, call: Invocation, value: object, node: ast.expr | None, how: str) -> None:
    value = m.resolve(value)
    if isinstance(value, Const) and isinstance(value.value, str) and isinstance(node, ast.Constant):
        if value.value.split(":")[0] == "cuda":
            _demanded(m, call, how, node)
    elif isinstance(value, Const) and isinstance(value.value, str) and value.value.split(":")[0] == "cuda":
        given = _literal_given(m, value.value)
        if given is not None:
            _demanded(m, call, how, None, given)
    elif isinstance(value, Either):
        _chosen(m, call, value)
    elif (
        (isinstance(value, DeviceValue) and _is_left_to_framework(value))
        or (isinstance(value, Symbol) and (_is_option(value) or (how == "to" and _left_to_others(value))))
    ) and not isinstance(m.state.get(AMBIENT, "device choice"), tuple):
        m.state.set(AMBIENT, "device choice", (m.site(call.node), frozenset()))


def _literal_given(m: Machine, named: str) -> Site | None:
    """The nearest call on the way here that gives such a literal to the program's own code, which computes there."""
    for site in reversed(m.frame.calls):
        if isinstance(site.node, ast.Call):
            for each in (*site.node.args, *(keyword.value for keyword in site.node.keywords)):
                if isinstance(each, ast.Constant) and each.value == named:
                    return site
    return None


def _card_wanted(m: Machine, call: Invocation) -> None:
    """`torch.cuda.synchronize()`: raises without CUDA, unless it is given a number below zero."""
    given = call.argument(0, "device")
    number = m.resolve(given) if given is not None else None
    if not (isinstance(number, Const) and isinstance(number.value, int) and number.value < 0):
        _demanded(m, call, "torch.cuda", None)


def _named(m: Machine, call: Invocation, value: object) -> None:
    """`torch.device(...)` of one of several, or of what the user or the caller names, is a choice."""
    _chosen(m, call, value)
    value = m.resolve(value)
    chosen = isinstance(m.state.get(AMBIENT, "device choice"), tuple)
    if not chosen and isinstance(value, Symbol) and (_is_option(value) or _left_to_others(value)):
        m.state.set(AMBIENT, "device choice", (m.site(call.node), frozenset()))


def _is_left_to_framework(value: DeviceValue) -> bool:
    """Whether it is the device that a framework has chosen: `accelerator.device`."""
    return not value.of_tensor and isinstance(value.device, NamedDevice) and value.device.chosen


def _is_option(value: Symbol) -> bool:
    """Whether it is an option of the command line, whose user chooses the device."""
    key = value.key
    return (
        isinstance(key, tuple)
        and len(key) == 3
        and key[0] == "attr"
        and isinstance(key[1], tuple)
        and key[1][:1] == ("options",)
    )


def _left_to_others(value: Symbol) -> bool:
    """Whether something is moved to a device that whoever calls or configures the program chooses."""
    return value.named and bool(naming_priors.CHOSEN_DEVICE.search(value.text))


def _chosen(m: Machine, call: Invocation, value: object) -> None:
    """A device that is the CPU in some case, and an accelerator in another, is a choice; one by default holds where it is made."""
    made = m.state.get(AMBIENT, "device choice")
    by_default = _is_default(m, value)
    value = m.resolve(value)
    if not isinstance(value, Either):
        return
    if isinstance(made, tuple) and (by_default or made[2:] != _BY_DEFAULT):
        return
    found = list(leaves(device_of(m, value)))
    if CPU in found and any(isinstance(each, KnownDevice) and each.is_accelerator for each in found):
        kinds = frozenset(each.type for each in found if isinstance(each, KnownDevice))
        m.state.set(
            AMBIENT, "device choice", (m.site(call.node), kinds, *(_BY_DEFAULT if by_default else ()))
        )
        if value.condition == ACCELERATOR_PRESENT:
            m.state.set(AMBIENT, "asks for accelerators", True)


_BY_DEFAULT: Final = ("by default",)
"""The rest of a choice that a parameter's default made: others who call the function choose for themselves."""


def _is_default(m: Machine, value: object) -> bool:
    """Whether the running function was given nothing, and has its default."""
    function = m.frame.function
    return function is not None and any(
        value is each for each in (*function.defaults, *function.keyword_defaults) if isinstance(each, Either)
    )


def _says_nothing(m: Machine, chosen: Site, choice: tuple[Any, ...]) -> bool:
    """Whether a choice is one of other accelerators only, or a default in another file."""
    return (choice[2:] == _BY_DEFAULT and chosen.source is not m.source) or _not_of_cuda(m, chosen, choice[1])


def _demanded(
    m: Machine, call: Invocation, how: str, argument: ast.expr | None, given: Site | None = None
) -> None:
    """An accelerator is asked for: here, or by a call on the way here that gives its name."""
    if not isinstance(call.node, ast.Call) or m.silent:
        return
    receiver = m.resolve(call.receiver) if call.is_method else None
    if isinstance(receiver, InstanceValue) and registry.holds_nothing(m, receiver):
        return  # where no CUDA is, torch moves what is in a module, one after the other, and does not ask before
    choice = m.state.resolve(m.state.get(AMBIENT, "device choice"))
    chosen = choice[0] if isinstance(choice, tuple) and isinstance(choice[0], Site) else None
    if isinstance(choice, tuple) and chosen is not None and _says_nothing(m, chosen, choice):
        chosen = None
    asked = m.state.resolve(m.state.get(AMBIENT, "accelerator asked for"))
    if chosen is None and isinstance(asked, tuple) and m.frame.function is not None:
        # Asked in this very function, or in one that gives the name: whoever wrote it means it to run without one.
        running = m.frames if given is not None else m.frames[-1:]
        asks = any(each.function is not None and asked[1] is each.function.node for each in running)
        chosen = asked[0] if asks else None
    if chosen is None and given is None and how == "to" and _may_be_anything(m, receiver):
        return
    m.state.set(AMBIENT, checkpoints.CUDA_DEMANDED, True)
    if how == "cuda()":
        _moved_under_flag(m, call, receiver)
        flag = _flag_above(m, call)
        if isinstance(flag, ast.Name) and naming_priors.SPEAKS_OF_ACCELERATORS.search(flag.id):
            return  # that flag is the choice, whatever it was computed of
    chosen = chosen or _flagged(m)
    if how == "torch.cuda" and chosen is not None and not _is_chosen_on_the_way(m, chosen):
        chosen = None  # a function that waits for a card may be called where there is one only
    weighed = judgement.judge(m, DeviceDemanded, call)
    if weighed.silenced and not m.keeps_silenced:
        return
    target = checkpoints.device_here(m, call.node.lineno) if chosen is not None and given is None else ""
    if chosen is not None and given is None and not target:
        target = _of_an_argument(m, call)
    event = DeviceDemanded(
        m.site(call.node) if given is None else given,
        m.frame.statement,
        how,
        m.text(call.node) if given is None else shortened(given.source, given.node),
        call.receiver_node if call.is_method else None,
        argument,
        chosen,
        target,
        in_constructor=_in_constructor(m),
        is_module=isinstance(receiver, InstanceValue) and registry.is_module(m, receiver),
    )
    judgement.marked(event, weighed)
    if chosen is None and m.program_runs and not weighed.silenced:
        m.notes.of(EarlyDemands).waiting.append(event)
    if chosen is None and given is not None:
        return  # a default of the caller's that no choice speaks against
    if m.source.says("distributed") and not weighed.silenced:
        m.notes.of(PresumedFindings).waiting.append(
            (GivenToProcesses(call.node), event)
        )  # until it is seen where that goes
    else:
        m.emit(event)


def _may_be_anything(m: Machine, receiver: object) -> bool:
    """Whether nothing shows that the receiver of `to` is a tensor or a module."""
    return (
        isinstance(receiver, Symbol)
        and receiver.hint not in ("tensor", "module")
        and m.state.get(receiver, "is module") is None
    )


_UNDER_FLAG: Final = "moved under a flag"


def _moved_under_flag(m: Machine, call: Invocation, receiver: object) -> None:
    """Note that a flag decides whether something leaves the CPU at all: `if use_gpu: model.cuda()`."""
    flag = _flag_above(m, call)
    if flag is None or not _is_on_cpu(m, receiver):
        return
    decided = [test for test, value in m.state.assumptions() if value and test.text == m.text(flag)]
    if any(naming_priors.SPEAKS_OF_ACCELERATORS.search(test.text) for test in decided):
        m.state.set(AMBIENT, _UNDER_FLAG, (m.site(call.node), m.frame.function))


def _flag_above(m: Machine, call: Invocation) -> ast.expr | None:
    """The flag of the nearest test around a call, if that has nothing else: `if use_gpu:` without an `else`."""
    above: ast.AST | None = call.node
    outer = parents(m.source)
    while above is not None and not isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        above = outer.get(above)
        if isinstance(above, ast.If):
            plain = not above.orelse and isinstance(above.test, (ast.Name, ast.Attribute))
            return above.test if plain else None
    return None


def _is_on_cpu(m: Machine, receiver: object) -> bool:
    """Whether a tensor, or a module as a whole, is on the CPU on this path."""
    if isinstance(receiver, InstanceValue):
        place = registry.device(m, receiver)
    else:
        place = m.device(receiver) if isinstance(receiver, TensorValue) else None
    return place is not None and m.state.resolve(place) == CPU


def _is_chosen_on_the_way(m: Machine, chosen: Site) -> bool:
    """Whether the program runs up to here, or the running function itself chooses the device."""
    function = m.frame.function
    return m.program_runs or (
        function is not None and chosen.source is function.source and chosen.node in walk(function.node)
    )


def _flagged(m: Machine) -> Site | None:
    """The place where a flag of this run, or of this function, has decided about the accelerator."""
    for each in leaves(m.state.get(AMBIENT, _UNDER_FLAG)):
        if isinstance(each, tuple) and (m.program_runs or each[1] is m.frame.function is not None):
            found: Site = each[0]
            return found
    return None


def _not_of_cuda(m: Machine, chosen: Site, kinds: frozenset[str]) -> bool:
    """Whether another file chooses between the CPU and an accelerator other than CUDA: that is for code of its own."""
    return bool(kinds) and "cuda" not in kinds and chosen.source is not m.source


def _handed_on(m: Machine, call: Invocation) -> None:
    """Other processes are given something, or a list of such."""
    for tensor in tensor_facts.tensors_in(m, (*call.arguments, *call.keywords.values())):
        step = m.state.get(tensor, "device_step", tensor.device_step)
        if isinstance(step, Step):
            m.call_facts.add(GivenToProcesses(step.site.node))


def _of_an_argument(m: Machine, call: Invocation) -> str:
    """`x.device`, of a tensor that the running function is given: what it makes will meet that."""
    function = m.frame.function
    if function is None or _in_constructor(m):
        return ""
    spec = function.node.args
    given = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    # A device that the function speaks of already comes first, also where what is moved was that tensor in the beginning.
    named = {
        each.value.id
        for each in walk(function.node)
        if isinstance(each, ast.Attribute) and each.attr == "device" and isinstance(each.value, ast.Name)
    }
    named -= {each.id for each in (call.receiver_node,) if isinstance(each, ast.Name)}
    for name in sorted(given, key=lambda each: each not in named):
        value = m.resolve(m.state.get(m.frame.scope, name))
        if value is call.receiver and name not in named:
            continue
        tensor = isinstance(value, TensorValue) or (isinstance(value, Symbol) and value.hint == "tensor")
        if tensor or (name in named and isinstance(value, Symbol)):
            return f"{name}.device"
    for name in (each.arg for each in (*spec.posonlyargs, *spec.args)):
        value = m.resolve(m.state.get(m.frame.scope, name))
        if value is call.receiver:
            continue
        if isinstance(value, InstanceValue):
            if registry.is_module(m, value) and registry.parameters(m, value) and name != "self":
                return f"next({name}.parameters()).device"
        elif isinstance(value, Symbol) and value.hint == "module":
            return f"next({name}.parameters()).device"
    return ""


def _in_constructor(m: Machine) -> bool:
    """Whether a module is being built: it will be moved as a whole."""
    frame = m.frame
    return (
        frame.function is not None
        and frame.function.name == "__init__"
        and isinstance(frame.receiver, InstanceValue)
        and registry.is_module(m, frame.receiver)
    )


def _autocast(m: Machine, call: Invocation) -> None:
    """`torch.autocast("cuda")` in a program that may well have chosen another accelerator."""
    node = call.argument_node(0, "device_type")
    choice = m.state.resolve(m.state.get(AMBIENT, "device choice"))
    if not isinstance(node, ast.Constant) or not isinstance(choice, tuple):
        return
    if node.value not in choice[1] or len(choice[1] - {"cpu", node.value}) == 0:
        return  # where there is one accelerator, autocast for it does nothing on the CPU, as is usual
    weighed = judgement.judge(m, DeviceDemanded, call)
    if weighed.silenced and not m.keeps_silenced:
        return
    target = checkpoints.device_here(m, call.node.lineno)
    if target and not _is_device(m, target):
        target = ""
    judgement.emit(
        m,
        weighed,
        lambda: DeviceDemanded(
            m.site(call.node),
            m.frame.statement,
            "autocast",
            m.text(call.node),
            None,
            node,
            choice[0],
            f"{target}.type" if target else "",
        ),
    )


def _is_device(m: Machine, name: str) -> bool:
    """Whether a name of the running code is bound to a `torch.device`, and not to a string."""
    scope = m.frame.scope
    while scope is not None:
        if name in scope.names:
            return all(isinstance(each, DeviceValue) for each in leaves(m.resolve(m.state.get(scope, name))))
        if scope.parent is None:
            break
        scope = scope.parent
    return False


@moments.current_card_taken.on
def taken(m: Machine, node: ast.expr, meant: NamedDevice, *, back: bool, like: str) -> None:
    """A tensor is brought to the current card, and is meant to be where an argument is."""
    m.emit(CurrentCardTaken(m.site(node), m.frame.statement, meant.text, back, like=like))
