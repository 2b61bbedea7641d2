"""What is true at one program point: a layered store of (object, slot) to value.

A fork adds a layer; a join walks both sides' layers down to their common ancestor and
merges what was written. Everything mutable lives here: variables, attributes, list contents,
requires_grad flags, versions, freed marks, `.grad`, grad mode, and the path's assumptions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.values.conditions import Condition, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from devls.values.conditions import Tree

Key = tuple[object, str]

MISSING: Final = object()
"""Nothing was ever written there."""

ASSUMED: Final = "assumed"
AMBIENT: Final = "ambient"  # the pseudo object whose slots are grad mode, default device, ...

_COMPACT_DEPTH: Final = 24
"""Layers that a chain may grow before it is compacted; lookups walk the chain."""


class Layer:
    """Writes on top of a parent. Never changed once something else was layered on it."""

    __slots__ = ("depth", "parent", "writes")

    def __init__(self, parent: Layer | None) -> None:
        self.parent = parent
        self.writes: dict[Key, object] = {}
        self.depth: int = 0 if parent is None else parent.depth + 1


class State:
    """The current point, as the top of a chain of layers over a frozen base."""

    __slots__ = ("base", "layer")

    def __init__(self, base: dict[Key, object] | None = None) -> None:
        self.base: dict[Key, object] = {} if base is None else base
        self.layer = Layer(None)

    def get(self, owner: object, slot: str, default: object = None) -> object:
        """What was last written to a slot."""
        key = (owner, slot)
        layer: Layer | None = self.layer
        while layer is not None:
            writes = layer.writes
            if key in writes:
                value = writes[key]
                return default if value is MISSING else value
            layer = layer.parent
        value = self.base.get(key, MISSING)
        return default if value is MISSING else value

    def set(self, owner: object, slot: str, value: object) -> None:
        """Write a slot."""
        self.layer.writes[(owner, slot)] = value

    def delete(self, owner: object, slot: str) -> None:
        """Make a slot missing."""
        self.layer.writes[(owner, slot)] = MISSING

    # Conditions

    def assume(self, condition: Condition, *, value: bool) -> None:
        """From here on, the condition is decided."""
        self.layer.writes[(condition, ASSUMED)] = value

    def assumed(self, condition: Condition) -> bool | None:
        """Whether the path has decided a condition, and how."""
        found = self.get(condition, ASSUMED)
        return found if isinstance(found, bool) else None

    def resolve(self, tree: Tree) -> Tree:
        """A tree without what the path has decided."""
        return resolve(tree, self.assumed)

    # Forks and joins

    def fork(self) -> Layer:
        """Start a new layer; returns the one below, to come back to."""
        below = self.layer
        self.layer = Layer(below)
        return below

    def restore(self, layer: Layer) -> None:
        """Continue from another point."""
        self.layer = layer

    def join(
        self,
        layers: Iterable[Layer],
        merge: Callable[[Condition, object, object, Key], object],
        fresh: Callable[[], Condition],
    ) -> None:
        """Continue from where any of `layers` (in program order) may have led."""
        pending = list(dict.fromkeys(layers))
        result = pending.pop()
        # Early returns come first: folding from the end meets each with the complement
        # of its own test, which keeps the test as the condition of what differs.
        while pending:
            result = self._join_two(pending.pop(), result, merge, fresh)
        self.layer = result

    def _join_two(
        self,
        left: Layer,
        right: Layer,
        merge: Callable[[Condition, object, object, Key], object],
        fresh: Callable[[], Condition],
    ) -> Layer:
        ancestor = _common_ancestor(left, right)
        ours, theirs = _writes_since(left, ancestor), _writes_since(right, ancestor)
        condition = _discriminating(ours, theirs) or fresh()
        self.layer = ancestor if ancestor is not None else Layer(None)
        joined = Layer(ancestor)
        writes = joined.writes
        # What is known of objects comes first: merging two values asks for it, as it is after the join.
        keys = sorted(ours.keys() | theirs.keys(), key=lambda key: key[1] not in _FACTS)
        facts = sum(key[1] in _FACTS for key in keys)
        for number, key in enumerate(keys):
            if number == facts:
                self.layer = joined
            below: object = None
            a = ours.get(key, self)
            b = theirs.get(key, self)
            if a is self or b is self:
                below = self.get(key[0], key[1], MISSING)
                a = below if a is self else a
                b = below if b is self else b
            if a is b:
                writes[key] = a
            elif key[1] == ASSUMED:
                if a == b:
                    writes[key] = a
                elif a is not MISSING or b is not MISSING:
                    writes[key] = MISSING
            elif a == b:
                writes[key] = a
            else:
                writes[key] = merge(condition, a, b, key)
        return joined

    def compact(self, marker: Layer | None) -> None:
        """Melt the layers above `marker` into one when the chain has grown long."""
        depth = 0 if marker is None else marker.depth
        if self.layer.depth - depth < _COMPACT_DEPTH:
            return
        melted = Layer(marker)
        melted.writes = _writes_since(self.layer, marker)
        self.layer = melted

    def written_since(self, marker: Layer | None) -> dict[Key, object]:
        """All writes on the way from `marker` to here."""
        return _writes_since(self.layer, marker)


_FACTS: Final = frozenset({"device", "requires_grad", "leaf", "node", ASSUMED})
"""Slots of tensors that hold no tensors themselves."""


def _writes_since(layer: Layer | None, ancestor: Layer | None) -> dict[Key, object]:
    chain: list[Layer] = []
    while layer is not None and layer is not ancestor:
        chain.append(layer)
        layer = layer.parent
    if len(chain) == 1:
        return chain[0].writes
    writes: dict[Key, object] = {}
    for each in reversed(chain):
        writes.update(each.writes)
    return writes


def _common_ancestor(left: Layer | None, right: Layer | None) -> Layer | None:
    while left is not right:
        if left is None or right is None:
            return None
        if left.depth > right.depth:
            left = left.parent
        elif right.depth > left.depth:
            right = right.parent
        else:
            left, right = left.parent, right.parent
    return left


def _discriminating(ours: dict[Key, object], theirs: dict[Key, object]) -> Condition | None:
    """A test that one side assumed to hold and the other not to hold."""
    for (owner, slot), value in ours.items():
        if slot == ASSUMED and isinstance(owner, Condition) and isinstance(value, bool):
            other = theirs.get((owner, slot))
            if isinstance(other, bool) and other is not value:
                return owner if value else _Negated.of(owner)
    return None


class _Negated(Condition):
    """Marks that the *first* side of a join is where the test does not hold."""

    __slots__ = ("inner",)

    def __init__(self, inner: Condition) -> None:
        super().__init__(("not", inner), f"not {inner.text}")
        self.inner = inner

    @staticmethod
    def of(inner: Condition) -> _Negated:
        return _Negated(inner)


def oriented(condition: Condition, then: object, otherwise: object) -> tuple[Condition, object, object]:
    """Undo the marking of a join whose first side is where the test fails."""
    if isinstance(condition, _Negated):
        return condition.inner, otherwise, then
    return condition, then, otherwise
