"""Joins of the states of two paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import limits
from devls.values.conditions import (
    Condition,
    Either,
    Tree,
    any_of,
    apply,
    combined,
    either,
    leaves,
    parts,
    size,
)
from devls.values.devices import CPU, UNKNOWN_DEVICE
from devls.values.graph import Node, Storage
from devls.values.state import AMBIENT, MISSING
from devls.values.value import FALSE, TRUE, Const, Sides, TensorValue, TupleValue, Value, unknown
from devls.values.weights import SEVERAL

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.history import Step
    from devls.values.state import Key


class Contents:
    """Contents of a list: its items one by one, or one value that stands for all.

    No more items are kept apart than bounds allow. No element: nothing is known to be in it beyond its items.
    """

    __slots__ = ("element", "items")

    def __init__(self, items: tuple[object, ...] | None = (), element: object = None) -> None:
        if items is not None and len(items) > SEVERAL:
            items, element = None, unknown()
        self.items = items
        self.element = element

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contents) and self.items == other.items and self.element == other.element

    def __hash__(self) -> int:
        return hash((self.items, self.element))


class Entries:
    """Contents of a dict: entries under constant keys, and one value for all others.

    No more entries are kept apart than bounds allow. No rest: there are no other keys. `there` tells when a known key is
    there; most always are.
    """

    __slots__ = ("known", "rest", "there")

    def __init__(
        self, known: dict[object, object], rest: object = None, there: dict[object, Tree] | None = None
    ) -> None:
        if len(known) > SEVERAL:
            known, rest, there = {}, unknown(), None
        self.known = known
        self.rest = rest
        self.there: dict[object, Tree] = {} if there is None else there

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Entries)
            and self.known == other.known
            and self.rest == other.rest
            and self.there == other.there
        )

    def __hash__(self) -> int:
        return hash(tuple(self.known))

    def put(self, key: object, value: object) -> Entries:
        """These entries with another one, which is there for certain."""
        return Entries({**self.known, key: value}, self.rest, _without(self.there, key))

    def without(self, key: object) -> Entries:
        """These entries but for one."""
        return Entries(_without(self.known, key), self.rest, _without(self.there, key))

    def holds(self, key: object) -> Tree:
        """Whether a key is there; None if that is not known."""
        if key in self.known:
            return self.there.get(key, True)
        return False if self.rest is None else None

    def truth(self) -> Tree:
        """Whether there is an entry, of those that are known."""
        found: Tree = False
        for key in self.known:
            if key not in self.there:
                return True
            found = any_of(found, self.there[key])
        return found


def key_told(key: object) -> object:
    """The value that has a key of `Entries.known`."""
    if isinstance(key, tuple):
        return TupleValue(tuple(map(key_told, key)))
    return key if isinstance(key, Value) else Const(key)


def _without(entries: dict[object, Tree], key: object) -> dict[object, Tree]:
    return {each: value for each, value in entries.items() if each != key} if key in entries else entries


_UNITED = frozenset(
    {
        "#names",
        "#parameters",
        "optimizers",
        "#given",
        "evaluated",
        "called",
        "saved to",
        "replaced parameters",
        "#forward hooks",
        "#forward pre hooks",
        "gradient hooks",
        "accumulated hooks",
        "#put",
    }
)
"""Slots that list what is there: after a join all of it may be."""

_TOLD = frozenset(
    {
        "device_step",
        "copied at",
        "passed over",
        "attribute",
        "grad_step",
        "written",
        "grad site",
        "cleared at",
        "#wasted",
        "#moved",
        "#parts put back",
        "#renamed",
        "open backward",
        "last",
    }
)
"""Slots that only tell the story: one of the two sides' will do."""


_OF_MODES: Final[dict[str, object]] = {"grad": True, "inference": False, "device": CPU}
"""Modes of a program that has set none."""


def default_of(owner: object, slot: str) -> object:
    """Value of a slot before anything was written to it."""
    if isinstance(owner, TensorValue):
        if slot == "requires_grad":
            return owner.requires_grad
        if slot == "device":
            return owner.device
        if slot == "node":
            return owner.node
        if slot == "leaf":
            return owner.leaf
        if slot == "grad":
            return "none"
    if slot == "version":
        return 0
    if owner is AMBIENT:
        return _OF_MODES.get(slot, MISSING)
    return MISSING


def merge(machine: Machine, condition: Condition, a: object, b: object, key: Key) -> object:
    """The value of one slot after two paths met."""
    owner, slot = key
    merged = differing
    if a is MISSING or b is MISSING:
        known = b if a is MISSING else a
        # Most of what only one side has written had nothing before.
        default = (
            default_of(owner, slot)
            if type(owner) is TensorValue or owner is AMBIENT or slot == "version"
            else MISSING
        )
        if default is MISSING:
            # A variable that only one side binds is bound where it is read, or Python raises.
            # Marks (freed, escaped, ...) that only one side made are conditional.
            if (
                isinstance(known, (Value, Either, Contents, Entries, frozenset))
                or slot in _UNITED
                or slot in _TOLD
            ):
                return known
            return either(condition, a if a is not MISSING else None, b if b is not MISSING else None)
        merged = merge_values
        if a is MISSING:
            a = default
        if b is MISSING:
            b = default
    if key[1] == "node":
        return _merge_nodes(a, b)
    if key[1] in _UNITED and isinstance(a, tuple) and isinstance(b, tuple):
        return tuple(dict.fromkeys((*a, *b)))
    if key[1] in _TOLD:
        return a if b is None else b
    return merged(machine, condition, a, b)


def added(before: object, after: object) -> object:
    """Value of a slot when a module that once left `after` there is run where `before` is.

    Of containers nothing is lost: two modules that each put something into one list did not see each other's.
    """
    if isinstance(before, Entries) and isinstance(after, Entries):
        return Entries({**before.known, **after.known}, before.rest if after.rest is None else after.rest)
    if isinstance(before, Contents) and isinstance(after, Contents):
        if before.items is None or after.items is None:
            return after if before.items is not None else before
        new = tuple(item for item in after.items if item not in before.items)
        return Contents((*before.items, *new), before.element if after.element is None else after.element)
    if isinstance(before, tuple) and isinstance(after, tuple):
        return tuple(dict.fromkeys((*before, *after)))
    return after


def _merge_nodes(a: object, b: object) -> object:
    if a is b:
        return a
    inputs = tuple(
        TensorValue(requires_grad=True, leaf=False, node=each) for each in (a, b) if isinstance(each, Node)
    )
    site = next((each.site for each in (a, b) if isinstance(each, Node)), None)
    if site is None:
        return None  # no node on either side, or conditions of such
    return Node("join", inputs, site, keeps=False, open=True)


def merge_values(
    machine: Machine, condition: Condition, a: object, b: object, *, items: bool = False
) -> object:
    """Two values under one condition; `items` if they are two items of one list, and the list holds both."""
    if a is b or a == b:
        return a
    return differing(machine, condition, a, b, items=items)


def differing(machine: Machine, condition: Condition, a: object, b: object, *, items: bool = False) -> object:
    """The same of two values that are known to differ."""
    kind = type(a)
    if kind is not type(b) or kind not in _MERGED:
        return _either_of(machine, condition, a, b)
    if isinstance(a, TensorValue) and isinstance(b, TensorValue) and a.is_parameter == b.is_parameter:
        return merge_tensors(machine, condition, a, b, items=items)
    if isinstance(a, TupleValue) and isinstance(b, TupleValue) and len(a.items) == len(b.items):
        return TupleValue(
            tuple(
                merge_values(machine, condition, x, y, items=items)
                for x, y in zip(a.items, b.items, strict=True)
            )
        )
    if isinstance(a, Contents) and isinstance(b, Contents):
        return _merge_contents(machine, condition, a, b)
    if isinstance(a, Entries) and isinstance(b, Entries):
        return _merge_entries(machine, condition, a, b)
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return a | b
    return _either_of(machine, condition, a, b)


_MERGED = frozenset({TensorValue, TupleValue, Contents, Entries, frozenset})
"""Kinds of values of which two can be one of the same kind."""


def _either_of(machine: Machine, condition: Condition, a: object, b: object) -> object:
    result = either(condition, a, b)
    if size(result) > limits.VALUE_CASES:
        if all(each in (TRUE, FALSE) for each in leaves(result)):
            test = combined(apply(lambda each: each == TRUE, result, too_many=None))
            return machine.unknown_like(a, b) if parts(test) is None else Either(test, TRUE, FALSE)
        return machine.unknown_like(a, b)
    return result


def _merge_contents(machine: Machine, condition: Condition, a: Contents, b: Contents) -> Contents:
    if a.items is not None and b.items is not None and len(a.items) == len(b.items):
        return Contents(
            tuple(merge_values(machine, condition, x, y) for x, y in zip(a.items, b.items, strict=True)),
            a.element if b.element is None else b.element,
        )
    every = (*(a.items or ()), *(b.items or ()), a.element, b.element)
    element = summary(machine, condition, every, items=True)
    return Contents(None, element)


def _merge_entries(machine: Machine, condition: Condition, a: Entries, b: Entries) -> Entries:
    known = {
        key: merge_values(machine, condition, a.known[key], b.known[key])
        if key in a.known and key in b.known
        else a.known.get(key, b.known.get(key))
        for key in a.known | b.known
    }
    rest = (
        a.rest
        if b.rest is None
        else b.rest
        if a.rest is None
        else merge_values(machine, condition, a.rest, b.rest)
    )
    there: dict[object, Tree] = {}
    if a.there or b.there or a.known.keys() != b.known.keys():
        for key in known:
            ours, theirs = a.holds(key), b.holds(key)
            test = True if ours is None or theirs is None else either(condition, ours, theirs)
            if test is not True and size(test) <= limits.VALUE_CASES:
                there[key] = test
    return Entries(known, rest, there)


def summary(
    machine: Machine, condition: Condition, values: tuple[object, ...], *, items: bool = False
) -> object:
    """One value that stands for any of several; `items` if they all are in one list."""
    result: object = None
    seen: list[object] = []
    for value in values:
        if value is None or value in seen:
            continue
        seen.append(value)
        if len(seen) > limits.VALUE_CASES:
            return machine.unknown_like(result, value)
        # Which one it is depends on nothing that we track: each gets a condition of its own.
        test = condition if len(seen) == 2 else machine.fresh_condition("one of several")
        result = value if result is None else merge_values(machine, test, result, value, items=items)
    return result


def merge_tensors(
    m: Machine, condition: Condition, a: TensorValue, b: TensorValue, *, items: bool = False
) -> TensorValue:
    """One tensor that is `a` where the condition holds and `b` where not; see `merge_values` for `items`."""
    node: Node | None = None
    node_a, node_b = m.node(a), m.node(b)
    if isinstance(node_a, Node) or isinstance(node_b, Node) or a.is_parameter or b.is_parameter:
        site = next((each.site for each in (node_a, node_b) if isinstance(each, Node)), a.origin or b.origin)
        node = (
            node_a
            if isinstance(node_a, Node) and node_a is node_b
            else Node("item" if items else "join", (a, b), site, keeps=False, open=True)  # type: ignore[arg-type]
        )
    shape = a.shape
    if a.shape != b.shape:
        shape = None
        if a.shape is not None and b.shape is not None and len(a.shape) == len(b.shape):
            shape = tuple(x if x == y else None for x, y in zip(a.shape, b.shape, strict=True))
    cpu_step = a.device_step if a.device_step is not None else b.device_step
    return TensorValue(
        device=_within(either(condition, m.device(a), m.device(b)), UNKNOWN_DEVICE),
        requires_grad=_within(either(condition, m.requires_grad(a), m.requires_grad(b)), None),
        leaf=_within(either(condition, m.is_leaf(a), m.is_leaf(b)), None),
        node=node,
        dtype=a.dtype if a.dtype == b.dtype else None,
        shape=shape,
        nonscalar=min(a.nonscalar, b.nonscalar),
        storage=a.storage if a.storage is b.storage else Storage(),
        view_of=a.view_of if a.view_of is b.view_of else None,
        may_share=a.may_share or b.may_share or (None if a.view_of is b.view_of else a.view_of or b.view_of),
        sides=Sides(condition, a, b),
        is_parameter=a.is_parameter and b.is_parameter,
        inference=a.inference and b.inference,
        origin=a.origin or b.origin,
        device_step=_step_of_cpu(a, b) or cpu_step,
        grad_step=a.grad_step or b.grad_step,
        symbol=a.symbol if a.symbol == b.symbol else None,
    )


def _within(tree: Tree, unknown_: Tree) -> Tree:
    """A tree, unless it has too many cases."""
    return unknown_ if type(tree) is Either and size(tree) > limits.TREE_CASES else tree


def _step_of_cpu(a: TensorValue, b: TensorValue) -> Step | None:
    """The history that a conflict will want to tell: that of the side on a plain device."""
    for each in (a, b):
        if str(each.device) == "cpu" and each.device_step is not None:
            return each.device_step
    for each in (a, b):
        if each.device_step is not None and each.device_step.kind == "created":
            return each.device_step  # of what was joined before
    return None
