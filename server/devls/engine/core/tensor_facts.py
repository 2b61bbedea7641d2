"""Facts about tensors that change: where they are, whether they require grad, their graph; and the tensors that a value holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import priors
from devls.engine.core.joins import Contents, Entries
from devls.values.conditions import Either, Tree, any_of, both, either, negation
from devls.values.devices import CPU, UNKNOWN_DEVICE
from devls.values.graph import Node, Storage
from devls.values.state import AMBIENT, MISSING, resolved
from devls.values.value import Const, InstanceValue, Mapping, Sequence, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.engine.core.machine import Machine
    from devls.values.value import Sides


TAKEN_FOR_PARAMETER: Final = "#taken for a parameter"
"""Slot of a tensor that stands for the Parameter made of it, so that its graph goes on."""

PARTS_MOVED: Final = "#parts put back"
"""Slot of a structure of tensors, be it known as such or not, of which parts were put back elsewhere."""

_PARTS_REPLACED: Final = "#parts replaced"
"""The slot of a structure that says when any of its parts may have been replaced."""

_OTHER_PARTS: Final = "#other parts"
"""The slot of a structure of which single parts were replaced, with the device of the others."""

PART_OF: Final = "#part of"
"""The slot of a part that holds the structure."""


def device(m: Machine, tensor: TensorValue) -> Tree:
    """Current device of a tensor; of a structure, whose parts were moved by themselves, nobody knows one."""
    if tensor.symbol is not None and tensor.written and m.state.get(tensor, PARTS_MOVED) is not None:
        return UNKNOWN_DEVICE
    if tensor.view_of is None or tensor.is_parameter:
        found = m.state.get(tensor, "device", MISSING) if tensor.written else MISSING
        if found is not MISSING:
            # As everywhere in this file: a test here instead of a call of `resolve`, which seldom has anything to do.
            return found if type(found) is not Either else resolved(found, m.state.now)
        if tensor.sides is not None:
            condition, one, other = tensor.sides
            # One that has moved in place (with its module) has moved under this name, too.
            if any(m.state.get(each, "device", MISSING) is not MISSING for each in (one, other)):
                tree = either(condition, device(m, one), device(m, other))
                return m.state.resolve(tree)
    if tensor.symbol is not None and tensor.symbol.part_of is not None:
        found = priors.device_of_batch_part(m, tensor)
        if found is not None:
            return m.state.resolve(found)
    found = tensor.device
    return found if type(found) is not Either else resolved(found, m.state.now)


def requires_grad(m: Machine, tensor: TensorValue) -> Tree:
    """Whether a tensor requires grad now: True, False, None or a tree of them."""
    own = (
        m.state.get(tensor, "requires_grad", tensor.requires_grad) if tensor.written else tensor.requires_grad
    )
    if type(own) is Either:
        own = resolved(own, m.state.now)
    if tensor.sides is not None and _side_differs(m, tensor.sides, "requires_grad", own):
        condition, one, other = tensor.sides
        return m.state.resolve(either(condition, requires_grad(m, one), requires_grad(m, other)))
    if own is True:
        switched_off = tensor.may_share is not None and requires_grad(m, tensor.may_share) is False
        return None if switched_off else own
    # A view requires grad as soon as its base does.
    if tensor.view_of is not None:
        return any_of(own, requires_grad(m, tensor.view_of))
    if tensor.may_share is not None:
        return any_of(own, both(requires_grad(m, tensor.may_share), None))
    return own


def _side_differs(m: Machine, sides: Sides, slot: str, own: Tree) -> bool:
    """Whether what may be the very same tensor was changed in place since two paths met."""
    if not isinstance(own, bool):
        return False
    waiting, seen = [*sides[1:]], set[TensorValue]()
    while waiting:
        each = waiting.pop()
        if m.state.get(each, slot, own) is (not own):
            return True
        if each.sides is not None and each not in seen:
            seen.add(each)  # paths that part again and again meet in the same tensors
            waiting += each.sides[1:]
    return False


def cases(tensor: TensorValue) -> list[TensorValue]:
    """The tensors that one may be where paths have met, each once; itself if there is no other."""
    waiting, found, seen = [tensor], list[TensorValue](), set[TensorValue]()
    while waiting:
        each = waiting.pop()
        if each not in seen:
            seen.add(each)
            if each.sides is None:
                found.append(each)
            else:
                waiting += each.sides[1:]
    return found


def wants_gradient(m: Machine, tensor: TensorValue) -> Tree:
    """Whether a gradient is computed for a tensor: not for a view made under no_grad, though its base requires grad."""
    own = (
        m.state.get(tensor, "requires_grad", tensor.requires_grad) if tensor.written else tensor.requires_grad
    )
    if type(own) is Either:
        own = resolved(own, m.state.now)
    if tensor.view_of is not None and own is False and _rebased(m, tensor) is None:
        return None if version(m, tensor) != 0 else False
    return requires_grad(m, tensor)


def is_leaf(m: Machine, tensor: TensorValue) -> Tree:
    """Whether a tensor is a leaf of the graph now."""
    own = m.state.get(tensor, "leaf", tensor.leaf) if tensor.written else tensor.leaf
    if type(own) is Either:
        own = resolved(own, m.state.now)
    if tensor.sides is not None and _side_differs(m, tensor.sides, "leaf", own):
        condition, one, other = tensor.sides
        return m.state.resolve(either(condition, is_leaf(m, one), is_leaf(m, other)))
    if own is True and _rebased(m, tensor) is not None:
        return None if tensor.view_of is None else negation(requires_grad(m, tensor.view_of))
    if (
        own is True
        and tensor.view_of is not None
        and version(m, tensor) != 0
        and requires_grad(m, tensor.view_of) is not False
    ):
        return None  # once the memory is written, a view takes part in its base's graph
    if own is True and tensor.view_of is not None and tensor.view_of.may_share is not None:
        perhaps = requires_grad(m, tensor) is not False and is_leaf(m, tensor.view_of) is not True
        return None if perhaps else own
    if own is False and tensor.may_share is not None and requires_grad(m, tensor.may_share) is False:
        return None  # `contiguous` returned the tensor itself, perhaps, and that was detached
    return own


def node(m: Machine, tensor: TensorValue) -> object:
    """Operation that computed a tensor, or that last wrote to the memory that it is a view of."""
    own = m.state.get(tensor, "node", tensor.node) if tensor.written else tensor.node
    base = _rebased(m, tensor)
    if base is None:
        return own
    if tensor.view_of is None:
        mine = (own,) if isinstance(own, Node) else ()
        return Node("torch.Tensor.view", (), base.site, (), keeps=None, open=True, edges=mine)
    return Node("torch.Tensor.view", (tensor.view_of,), base.site, (), keeps=False, edges=(base,))


def _rebased(m: Machine, tensor: TensorValue) -> Node | None:
    """The graph of the base of a view (or of what may be one), where it is newer than the view's own."""
    owner = tensor.view_of or tensor.may_share
    if owner is None:
        return None
    own = m.state.get(tensor, "node", tensor.node) if tensor.written else tensor.node
    base = m.state.get(owner, "node", owner.node) if owner.written else owner.node
    since = own.serial if isinstance(own, Node) else tensor.serial
    return base if isinstance(base, Node) and base.serial > since else None


def version(m: Machine, tensor: TensorValue) -> object:
    """Which write of its memory a tensor has seen last."""
    return m.state.get(tensor.storage, "version", 0)


def grad_enabled(m: Machine) -> Tree:
    """Whether operations record a graph here."""
    enabled = m.state.get(AMBIENT, "grad", True)
    return enabled if type(enabled) is not Either else resolved(enabled, m.state.now)


def default_device(m: Machine) -> Tree:
    """Device of the tensor of a factory without `device=`."""
    return m.state.get(AMBIENT, "device", CPU)


def tensors_in(
    m: Machine, values: Iterable[object], depth: int = 3, entered: set[int] | None = None
) -> list[TensorValue]:
    """The tensors that values are or hold; a container that is held several times is looked into once."""
    found: list[TensorValue] = []
    entered = set() if entered is None else entered
    for value in values:
        for each in m.alternatives(value):
            kind = type(each)
            if kind is TensorValue:
                found.append(each)  # type: ignore[arg-type]
            elif depth and kind is not Symbol and kind is not Const and id(each) not in entered:
                entered.add(id(each))
                found += tensors_in(m, _held(m, each), depth - 1, entered)
    return found


def _held(m: Machine, value: object) -> tuple[object, ...]:
    """Contents of a tuple, a list or a dict."""
    if isinstance(value, TupleValue):
        return value.items
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents):
            return (*(contents.items or ()), contents.element)
    if isinstance(value, Mapping):
        entries = m.state.get(value, "#entries")
        if isinstance(entries, Entries):
            return (*entries.known.values(), entries.rest)
    return ()


def may_hold_tensors(m: Machine, value: object, depth: int = 3) -> bool:
    """Whether something is returned of which we do not know that it is no tensor."""
    values: Iterable[object] = (value,)
    entered = set[int]()
    for _ in range(depth + 1):
        held: list[object] = []
        for one in values:
            for each in m.alternatives(one):
                if isinstance(each, InstanceValue):
                    return True
                if isinstance(each, Symbol):
                    if each.hint not in ("number", "string", "bool"):
                        return True
                elif id(each) not in entered:
                    entered.add(id(each))
                    held += [item for item in _held(m, each) if item is not None]
        values = held
    return False


# Structures of tensors


WHOLE_BATCH: Final = "batch"
"""Begins the key of the symbol of a batch that a DataLoader has collated of items that are not seen."""


def is_whole_batch(tensor: TensorValue) -> bool:
    """Whether something stands for all that a DataLoader has collated: each tensor in it has an axis for the items."""
    key = None if tensor.symbol is None else tensor.symbol.key
    return isinstance(key, tuple) and key[0] == WHOLE_BATCH


def part(m: Machine, tensor: TensorValue, key: object, text: str) -> TensorValue:
    """A part of something that may be a tensor or a structure of tensors, on the same device."""
    slot = f"part {key} {m.state.get(tensor, _PARTS_REPLACED, 0)}"
    found = m.state.get(tensor, slot)
    if isinstance(found, TensorValue):
        return found
    device = m.state.get(tensor, _OTHER_PARTS, MISSING)
    result = TensorValue(
        device=m.device(tensor) if device is MISSING else m.state.resolve(device),
        requires_grad=m.requires_grad(tensor),
        leaf=m.is_leaf(tensor),
        nonscalar=is_whole_batch(tensor),
        storage=Storage(),
        origin=tensor.origin,
        device_step=tensor.device_step,
        grad_step=tensor.grad_step,
        symbol=Symbol(("part", id(tensor), key), text),
    )
    m.state.set(tensor, slot, result)
    m.state.set(result, PART_OF, tensor)
    return result


def replace_part(m: Machine, tensor: TensorValue, key: object, value: object) -> None:
    """Put something into what has turned out to be a structure: as the part of a key, or of any key if that is None.

    A tensor takes a copy of what is put in; a dict or a list takes it as it is, on the device where it is.
    """
    here: Tree = m.device(tensor)
    place: Tree = UNKNOWN_DEVICE
    grad: Tree = None
    if isinstance(value, TensorValue):
        place, grad = m.device(value), m.requires_grad(value)
    elif isinstance(value, Const):
        place, grad = here, False
    if key is None:
        m.state.set(tensor, _PARTS_REPLACED, m.fresh_number())
    if key is None or m.state.get(tensor, _OTHER_PARTS, MISSING) is MISSING:
        m.state.set(tensor, _OTHER_PARTS, UNKNOWN_DEVICE if key is None else here)
    if key is not None:
        if not isinstance(value, TensorValue):
            put = Symbol(("part", id(tensor), m.fresh_number()), "what was put there")
            value = TensorValue(
                device=place, requires_grad=grad, leaf=grad is False, storage=Storage(), symbol=put
            )
        m.state.set(tensor, f"part {key} {m.state.get(tensor, _PARTS_REPLACED, 0)}", value)
    whole: object = tensor
    while isinstance(whole, TensorValue):
        if grad is not False:
            m.state.set(whole, "requires_grad", None)
        if place != here and (place != UNKNOWN_DEVICE or here == CPU):
            m.state.set(whole, PARTS_MOVED, True)
        whole = m.state.get(whole, PART_OF)
