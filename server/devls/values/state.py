"""State at one program point: a layered store of (object, slot) to value.

A fork adds a layer; a join walks both sides' layers down to their common ancestor and
merges what was written. Everything mutable lives here: variables, attributes, list contents,
requires_grad flags, versions, freed marks, `.grad`, grad mode, and the path's assumptions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.values.conditions import IS_NONE, Condition, Either
from devls.values.graph import next_serial
from devls.values.value import Scope, TensorValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from devls.values.conditions import Tree

Key = tuple[object, str]

MISSING: Final = object()
"""Nothing was ever written there."""

ASSUMED: Final = "assumed"
AMBIENT: Final = "ambient"  # the pseudo object whose slots are grad mode, default device, ...
ERROR_EXPECTED: Final = "error expected"  # a slot of it: whether the code is there to raise, as in a test
STOPPED: Final = "stopped"  # a slot of it: whether Python has raised before on all ways that lead here

RETURNED: Final = (
    "return"  # the slot of a call's variables that holds what it returns: no variable is called that
)

_ABSENT: Final = object()  # not written at all, neither set nor deleted: the base answers


_WAYS: Final = 64
"""Ways that lead to one point and are joined one by one."""

_GROUP: Final = 16
"""So many of more are joined at a time."""

_LAST_TESTS: Final = 200
"""Tests of one path that are looked at: each finding may ask for all of them."""

_LOOKS: Final = 8
"""Slots that are looked at in the time that copying one takes."""


class Layer:
    """Writes between one point and the next.

    `diff` holds, for each slot written, the value on the other side of the layer: what was below while the state
    stands on or above the layer, and what the layer wrote while it stands elsewhere.
    """

    __slots__ = ("depth", "diff", "parent", "serial", "tested")

    def __init__(self, parent: Layer | None, tested: int = 0) -> None:
        self.parent = parent
        self.tested = tested
        """How many tests had been decided when it began."""
        self.serial = next_serial()
        self.diff: dict[Key, object] = {}
        self.depth: int = 0 if parent is None else parent.depth + 1


class State:
    """The current point, as the top of a chain of layers over a frozen base.

    Reading is what happens most, so that what is true here and now is one dict. Going to another point takes back
    what was written on the way down from here, and writes again what leads up to there.
    """

    __slots__ = ("base", "layer", "now", "taken_for_none", "tested", "torn", "work")

    def __init__(self, base: dict[Key, object] | None = None) -> None:
        self.base: dict[Key, object] = {} if base is None else base
        self.layer = Layer(None)
        self.now: dict[Key, object] = {}
        """State here and now, without the base. For reading, where a call of `get` would cost too much."""
        self.taken_for_none: set[int] = set()
        """The hashes of all that any path has taken for None. It is asked of each value, and of hardly any it was assumed."""
        self.tested: dict[Condition, None] = {}
        """The tests that any path has decided, but those that are abandoned: much fewer than there are slots."""
        self.torn = False
        """Whether it is, or has failed, on the way from one point to another: then nothing that it says is true."""
        self.work = 0
        """Work done here that grows with the size of the state: values copied, nodes walked. For whoever pays for
        it.
        """

    def get(self, owner: object, slot: str, default: object = None) -> object:
        """Last value written to a slot."""
        key = (owner, slot)
        # Most of what is asked for was never written: a test of a key costs half of what a call of `get` does.
        if key in self.now:
            value = self.now[key]
        elif key in self.base:
            value = self.base[key]
        else:
            return default
        return default if value is MISSING else value

    def set(self, owner: object, slot: str, value: object) -> None:
        """Write a slot."""
        if type(owner) is TensorValue:
            owner.written = True
        key = (owner, slot)
        now = self.now
        diff = self.layer.diff
        if key not in diff:
            diff[key] = now.get(key, _ABSENT)
        now[key] = value

    def get_all(self, owner: object, slots: Iterable[str]) -> list[object]:
        """Last values written to some slots of one object; MISSING where nothing was."""
        now, base = self.now, self.base
        return [now[key] if (key := (owner, slot)) in now else base.get(key, MISSING) for slot in slots]

    def write(self, values: Mapping[Key, object]) -> None:
        """Write several slots."""
        now, diff = self.now, self.layer.diff
        for key, value in values.items():
            if type(key[0]) is TensorValue:
                key[0].written = True
            if key not in diff:
                diff[key] = now.get(key, _ABSENT)
            now[key] = value

    def delete(self, owner: object, slot: str) -> None:
        """Make a slot missing."""
        self.set(owner, slot, MISSING)

    def discard(self, owner: object, slots: Iterable[str]) -> None:
        """Take back what was first written here, of an owner that nobody can ask any more."""
        now, diff = self.now, self.layer.diff
        for slot in slots:
            key = (owner, slot)
            if diff.get(key) is _ABSENT:
                del diff[key], now[key]

    def written_since(self, marker: Layer | None) -> dict[Key, object]:
        """All writes on the way from `marker` to here; from the base, if it is None, or on a path that was joined since."""
        if marker is None:
            self.work += len(self.now)
            return dict(self.now)
        found: dict[Key, object] = {}
        layer: Layer | None = self.layer
        while layer is not marker and layer is not None:
            self.work += len(layer.diff)
            found.update(layer.diff)
            layer = layer.parent
        if layer is None:
            return dict(self.now)
        return {key: self.now[key] for key in found}

    def assumptions(self) -> list[tuple[Condition, bool]]:
        """The tests that this path has decided, and how: the last ones."""
        now, tested = self.now, self.tested
        self.work += min(len(tested), len(now)) // _LOOKS
        if len(tested) > len(now):  # what runs have left, whose places are still asked for
            tested = {test: None for test, slot in now if slot == ASSUMED and type(test) is Condition}
        found: list[tuple[Condition, bool]] = []
        for test in reversed(tested):
            value = now.get((test, ASSUMED))
            if value is True or value is False:
                found.append((test, value))
                if len(found) == _LAST_TESTS:
                    break
        found.reverse()
        return found

    def before(self, marker: Layer, slot: str) -> dict[Key, object]:
        """Values of such slots at a point on the way here, of those that were written since."""
        found: dict[Key, object] = {}
        layer: Layer | None = self.layer
        while layer is not marker:
            if layer is None:  # the point is on a path that was joined since
                here, now = self.layer, dict(self.now)
                self.restore(marker)
                found = {(owner, slot): self.get(owner, slot) for owner, each in now if each == slot}
                self.restore(here)
                return found
            found.update({key: below for key, below in layer.diff.items() if key[1] == slot})
            layer = layer.parent
        return {key: self.base.get(key) if below is _ABSENT else below for key, below in found.items()}

    # Conditions

    def assume(self, condition: Condition, *, value: bool) -> None:
        """From here on, the condition is decided."""
        key = condition.key
        if value and type(key) is tuple and key[0] == IS_NONE:
            self.taken_for_none.add(hash(key[1]))
        self.tested[condition] = None
        slot = (condition, ASSUMED)
        diff = self.layer.diff
        if slot not in diff:
            diff[slot] = self.now.get(slot, _ABSENT)
        self.now[slot] = value

    def assumed(self, condition: Condition) -> bool | None:
        """Whether the path has decided a condition, and how."""
        # Modules leave no assumptions behind: the base need not be asked.
        found = self.now.get((condition, ASSUMED))
        return found if found is True or found is False else None

    def resolve(self, tree: Tree) -> Tree:
        """A tree without what the path has decided."""
        return tree if type(tree) is not Either else resolved(tree, self.now)

    # Forks and joins

    def fork(self) -> Layer:
        """Start a new layer; returns the one below, to come back to."""
        below = self.layer
        self.layer = Layer(below, len(self.tested))
        return below

    def moment(self) -> Layer:
        """The point that is true here and now, which what is written from here on does not change."""
        return self.fork() if self.layer.diff or self.layer.parent is None else self.layer.parent

    def restore(self, layer: Layer) -> None:
        """Continue from another point."""
        here, there = self.layer, layer
        if here is there:
            return
        now = self.now
        self.torn = True
        ahead: list[Layer] = []
        while here is not there:
            if here.depth >= there.depth:
                diff = here.diff
                self.work += len(diff)
                for key, below in diff.items():
                    diff[key] = now[key]
                    if below is _ABSENT:
                        del now[key]
                    else:
                        now[key] = below
                level, here = here.depth, here.parent  # type: ignore[assignment]  # all have one root
                if level > there.depth:
                    continue
            ahead.append(there)
            there = there.parent  # type: ignore[assignment]
        for each in reversed(ahead):
            diff = each.diff
            self.work += len(diff)
            for key, written in diff.items():
                diff[key] = now.get(key, _ABSENT)
                now[key] = written
        self.layer = layer
        self.torn = False

    def abandon(self, layer: Layer) -> None:
        """Continue from a point on the way here; nobody comes back to where the state is now."""
        now, here = self.now, self.layer
        self.torn = True
        tested = len(self.tested)
        while here is not layer:
            self.work += len(here.diff)
            for key, below in here.diff.items():
                if below is _ABSENT:
                    del now[key]
                else:
                    now[key] = below
            tested = here.tested
            here = here.parent  # type: ignore[assignment]  # all that runs by itself begins there
        while len(self.tested) > tested:
            self.tested.popitem()
        self.layer = layer
        self.torn = False

    def ahead(self, layer: Layer, owner: object, slots: dict[str, object]) -> Layer:
        """A point right behind another one, where some slots of an object are written; the state stays here."""
        found = Layer(layer, len(self.tested))
        for slot, value in slots.items():
            found.diff[(owner, slot)] = value
        return found

    def forget_tests(self) -> None:
        """Forget which tests were decided on paths that are no more."""
        now = self.now
        self.tested = {test: None for test in self.tested if (test, ASSUMED) in now}

    def written_elsewhere(self, layer: Layer, marker: Layer) -> dict[Key, object]:
        """All writes on a way that the state does not stand on, from `marker` to `layer`."""
        return {} if layer is marker else _writes_since(layer, marker)

    def go_on_with(self, below: Layer, end: Layer) -> None:
        """Have the way from `below` to `end` begin here, and go to its end; it has read nothing that is different here."""
        way: list[Layer] = []
        layer = end
        while layer is not below:
            way.append(layer)
            layer = layer.parent  # type: ignore[assignment]
        under = self.layer
        for each in reversed(way):
            each.parent, each.depth = under, under.depth + 1
            under = each
        self.restore(under)

    def join(
        self,
        layers: Iterable[Layer],
        merge: Callable[[Condition, object, object, Key], object],
        fresh: Callable[[], Condition],
    ) -> None:
        """Continue from where any of `layers` (in program order) may have led."""
        pending = list(dict.fromkeys(layers))
        while len(pending) > _WAYS:
            # Differences between so many are not kept apart anyway, and joining them one by one looks at all of it each
            # time.
            starts = range(0, len(pending), _GROUP)
            pending = [self._fold(pending[at : at + _GROUP], merge, fresh) for at in starts]
        self.restore(self._fold(pending, merge, fresh))

    def _fold(
        self,
        pending: list[Layer],
        merge: Callable[[Condition, object, object, Key], object],
        fresh: Callable[[], Condition],
    ) -> Layer:
        result = pending.pop()
        # Early returns come first: folding from the end meets each with the complement
        # of its own test, which keeps the test as the condition of what differs.
        while pending:
            result = self._join_two(pending.pop(), result, merge, fresh)
        return result

    def _join_two(
        self,
        left: Layer,
        right: Layer,
        merge: Callable[[Condition, object, object, Key], object],
        fresh: Callable[[], Condition],
    ) -> Layer:
        ancestor = _common_ancestor(left, right)
        self.restore(ancestor)
        ours, theirs, now = _writes_since(left, ancestor), _writes_since(right, ancestor), self.now
        if len(ours) == len(theirs) == 1:
            (key,) = ours
            if key[1] == ASSUMED and key in theirs and key not in now and ours[key] is not theirs[key]:
                self.fork()  # nothing but a test has told the sides apart
                return self.layer
        parted = min(_first(each, ancestor).serial for each in (left, right) if each is not ancestor)
        found = _discriminating(ours, theirs)
        condition = fresh() if found is None else found[0]
        # Facts about objects come first: merging two values asks for them, as they are after the join.
        keys = [*ours, *[key for key in theirs if key not in ours]]
        if found is not None and not found[1]:
            ours, theirs = theirs, ours  # the first side is the one where the test holds
        self.work += len(keys)
        rest: list[Key] = []
        facts: dict[Key, object] = {}
        for key in keys:
            owner, slot = key
            if slot == ASSUMED:
                # Assumptions of only one side hold no longer, as they did not before they parted.
                if key in now:
                    facts[key] = self._joined(key, ours, theirs, merge, condition)
                elif (
                    (value := ours.get(key)) is theirs.get(key) and value is not MISSING and value is not None
                ):
                    facts[key] = value
            elif slot in _FACTS:
                alone = (key in ours) is not (key in theirs)
                if alone and type(owner) is TensorValue and owner.serial > parted and owner.symbol is None:
                    # On the other side there is no such tensor.
                    facts[key] = ours[key] if key in ours else theirs[key]
                else:
                    facts[key] = self._joined(key, ours, theirs, merge, condition)
            elif type(owner) is not Scope or not owner.ended or slot == RETURNED:
                rest.append(key)
        self.fork()
        for (owner, slot), value in facts.items():
            self.set(owner, slot, value)
        diff = self.layer.diff
        base = self.base
        for key in rest:  # as `_joined` does, without a call for each
            below = now.get(key, _ABSENT)
            before = base.get(key, MISSING) if below is _ABSENT else below
            a, b = ours.get(key, before), theirs.get(key, before)
            if a is not b and a != b:
                a = merge(condition, a, b, key)
            if key not in diff:
                diff[key] = below
            now[key] = a
        return self.layer

    def _joined(
        self,
        key: Key,
        ours: dict[Key, object],
        theirs: dict[Key, object],
        merge: Callable[[Condition, object, object, Key], object],
        condition: Condition,
    ) -> object:
        a = ours.get(key, _ABSENT)
        b = theirs.get(key, _ABSENT)
        if a is _ABSENT or b is _ABSENT:
            below = self.now.get(key, _ABSENT)
            if below is _ABSENT:
                below = self.base.get(key, MISSING)
            a = below if a is _ABSENT else a
            b = below if b is _ABSENT else b
        if a is b:
            return a
        if key[1] == ASSUMED:
            return a if a == b else MISSING
        return a if a == b else merge(condition, a, b, key)


def resolved(tree: Tree, now: dict[Key, object]) -> Tree:
    """The same as `conditions.resolve` with what is assumed now; a look-up for each test, and no call."""
    while type(tree) is Either:
        known = now.get((tree.condition, ASSUMED))
        if known is True:
            tree = tree.then
        elif known is False:
            tree = tree.otherwise
        else:
            break
    else:
        return tree
    then, otherwise = tree.then, tree.otherwise
    if type(then) is Either:
        then = resolved(then, now)
    if type(otherwise) is Either:
        otherwise = resolved(otherwise, now)
    if then is tree.then and otherwise is tree.otherwise:
        return tree
    return then if then == otherwise else Either(tree.condition, then, otherwise)


_FACTS: Final = frozenset({"device", "requires_grad", "leaf", "node"})
"""Slots of tensors that hold no tensors themselves."""


def _writes_since(layer: Layer, ancestor: Layer) -> dict[Key, object]:
    """Writes on the way from `ancestor`, the current point, to `layer`."""
    chain: list[Layer] = []
    while layer is not ancestor:
        chain.append(layer)
        layer = layer.parent  # type: ignore[assignment]
    if len(chain) == 1:
        return chain[0].diff
    writes: dict[Key, object] = {}
    for each in reversed(chain):
        writes.update(each.diff)
    return writes


def _first(layer: Layer, ancestor: Layer) -> Layer:
    """The layer with which a side began."""
    while layer.parent is not ancestor and layer.parent is not None:
        layer = layer.parent
    return layer


def _common_ancestor(left: Layer, right: Layer) -> Layer:
    while left is not right:
        if left.depth > right.depth:
            left = left.parent  # type: ignore[assignment]
        elif right.depth > left.depth:
            right = right.parent  # type: ignore[assignment]
        else:
            left, right = left.parent, right.parent  # type: ignore[assignment]
    return left


def _discriminating(ours: dict[Key, object], theirs: dict[Key, object]) -> tuple[Condition, bool] | None:
    """A test that one side assumed to hold and the other not to hold; and whether it is ours on which it holds."""
    for key, value in ours.items():
        if key[1] == ASSUMED and (value is True or value is False):
            other = theirs.get(key)
            if (other is True or other is False) and other is not value and isinstance(key[0], Condition):
                return key[0], value
    return None
