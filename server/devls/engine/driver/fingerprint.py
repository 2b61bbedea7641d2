"""State that a program has left, in a form that can be compared with that of another run.

Two runs never leave the same objects. Here each name of a module stands for what can be told of its value: definitions by
the nodes that they are made from, objects by what is in them and by the name they were first reached from. An unknown
value equals nothing, so that every reader of such a name sees a difference.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, ClassVar, Final

from devls.engine.core import limits
from devls.engine.core.joins import Contents, Entries
from devls.engine.evidence.deferred import ShownByProgram
from devls.engine.torch.tensors.moves import ProgramMoves
from devls.values.conditions import Condition, Either, apply
from devls.values.devices import KnownDevice, NamedDevice, UnknownDevice
from devls.values.facts import fact
from devls.values.history import Site, Step
from devls.values.state import ASSUMED, MISSING
from devls.values.value import (
    BoundMethod,
    ClassValue,
    Const,
    Deferred,
    DeviceValue,
    FunctionValue,
    InstanceValue,
    LibraryName,
    Mapping,
    ModuleValue,
    Scope,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from devls.engine.core.machine import Machine

_SAVED_TO: Final = "saved to"
_MOMENT: Final = "train at"

_PLAIN: Final = (
    str,
    int,
    float,
    complex,
    bytes,
    bool,
    type(None),
    Const,
    LibraryName,
    KnownDevice,
    UnknownDevice,
)


@fact
class Imprint:
    """The part of it that runs after the program can see."""

    names: dict[tuple[str, str], object]
    """Fingerprint of each name of each module, by the module's path."""
    surroundings: dict[tuple[str, str], object]
    other_device: bool
    moves: bool
    """See `ProgramMoves`; compared for those who have asked."""
    executed: frozenset[ast.AST]
    on_host: frozenset[object]

    def changed(self, other: Imprint) -> frozenset[str] | None:
        """The names that stand for something else in the other one; None if more is different."""
        if self.surroundings != other.surroundings or self.other_device is not other.other_device:
            return None
        return frozenset(
            key[1]
            for key in self.names.keys() | other.names.keys()
            if self.names.get(key, MISSING) != other.names.get(key, MISSING)
        )


def take(m: Machine, scopes: Iterable[tuple[str, Scope]]) -> Imprint:
    """Fingerprints of some modules now."""
    teller = _Teller(m)
    names = {
        (path, name): teller.tell(m.state.get(scope, name, MISSING), f"{path}:{name}")
        for path, scope in scopes
        for name in sorted(scope.names)
    }
    surroundings: dict[tuple[str, str], object] = {
        (owner if isinstance(owner, str) else f"{owner.text} there", slot): teller.held(
            slot, value, f"{owner}:{slot}"
        )
        for (owner, slot), value in m.state.written_since(None).items()
        if isinstance(owner, str) or (isinstance(owner, Symbol) and owner.named)
    }
    for key, saved in m.state.written_since(None).items():
        if key[1] == _SAVED_TO and isinstance(saved, tuple):
            surroundings[str(key[0]), _SAVED_TO] = len(
                saved
            )  # keys of paths, some of which are new in each run
        elif key[1] == ASSUMED and isinstance(key[0], Condition):
            surroundings[key[0].text, ASSUMED] = saved
    executed = frozenset(m.executed_by_program)
    shown = m.notes.of(ShownByProgram)
    return Imprint(
        names,
        surroundings,
        m.sets_default_device,
        m.notes.of(ProgramMoves).moves > 0,
        executed,
        frozenset((*shown.on_host, *shown.moved)),
    )


class _Teller:
    """Tells values, each object once."""

    def __init__(self, m: Machine) -> None:
        self._m = m
        self._seen: dict[object, str] = {}
        self._depth = 0
        self._slots: dict[object, list[tuple[str, object]]] | None = None

    def tell(self, value: object, path: str) -> object:
        """Fingerprint of a value that was reached on a path."""
        if value is MISSING or isinstance(value, _PLAIN):
            return (type(value), value)
        if isinstance(value, frozenset) and all(isinstance(each, str) for each in value):
            return value
        if isinstance(value, ast.AST):
            return value  # one of the tree, which stays the same unless it is edited
        if isinstance(value, tuple):
            return tuple(self.tell(each, f"{path}.{number}") for number, each in enumerate(value))
        key = ("symbol", value.key) if isinstance(value, Symbol) else id(value)
        seen = self._seen.get(key)
        if seen is not None:
            return ("same as", seen)
        if self._depth >= limits.DEPTH_COMPARED:
            return object()  # like no other
        self._seen[key] = path
        self._depth += 1
        try:
            return self._told(value, path)
        finally:
            self._depth -= 1

    def held(self, slot: str, value: object, path: str) -> object:
        """Fingerprint of a slot's value: of a mere moment, that there was one."""
        if slot == _MOMENT:
            # It is compared with moments that are told as they are, or with later ones.
            value = apply(lambda each: True if isinstance(each, int) else each, value, too_many=value)
        return self.tell(value, path)

    def _told(self, value: object, path: str) -> object:
        """A value that was not met before, by its kind."""
        describe = self._DESCRIBED.get(type(value))
        return object() if describe is None else describe(self, value, path)

    def _function(self, value: FunctionValue, path: str) -> object:
        made = (value.definition, value.kind, value.grad_mode, value.opaque, value.source.path)
        inner = self.tell((value.defaults, value.keyword_defaults, value.cls), path)
        return (made, inner, self._named(value.scope, path) if value.scope.kind == "function" else None)

    def _class(self, value: ClassValue, path: str) -> object:
        fields = tuple(each[0] for each in value.dataclass_fields or ())
        # Classes that a call makes have a node of their own each time.
        node = value.name if isinstance(value.definition.body[0], ast.Pass) else value.definition
        return (node, fields, self.tell(value.bases, path), self._named(value.scope, path))

    def _entries(self, value: Entries, path: str) -> object:
        told = (tuple(value.known.items()), value.rest, tuple(value.there.items()))
        return ("entries", self.tell(told, path))

    def _container(self, value: Sequence | Mapping, path: str) -> object:
        return (value.kind, self.tell(value.origin, path), self._contents(value, path))

    def _instance(self, value: InstanceValue, path: str) -> object:
        own = (value.library, value.symbolic)
        return (own, self.tell((value.cls, value.origin), path), self._contents(value, path))

    def _bound_method(self, value: BoundMethod, path: str) -> object:
        told = self.tell((value.function, value.receiver), path)
        return ("method", value.name, value.receiver_node, told)

    def _symbol(self, value: Symbol, path: str) -> object:
        if value.computed is not None:
            return object()
        told = (value.text, value.named, value.hint, value.plausible)
        parts = (value.device, value.part_of, value.site, self._m.inferred.get(value))
        return (told, self.tell(parts, path), self._contents(value, path))

    def _tensor(self, value: TensorValue, path: str) -> object:
        if value.node is not None:
            return object()
        kind = (value.dtype, value.nonscalar, value.is_parameter, value.inference, value.shape)
        facts = (
            value.device,
            value.requires_grad,
            value.leaf,
            value.view_of,
            value.may_share,
            value.sides,
            value.symbol,
        )
        steps = (value.origin, value.device_step, value.grad_step)
        written = self._contents(value, path), self._contents(value.storage, path)
        return (kind, self.tell((facts, steps), path), written)

    def _named(self, scope: Scope, path: str) -> object:
        # Once, as of each object: a thousand methods of classes in one function see the same thousand names.
        seen = self._seen.setdefault(("scope", id(scope)), path)
        if seen is not path:
            return ("same as", seen)
        get = self._m.state.get
        return tuple(
            (
                name,
                self.tell((get(scope, name, MISSING), get(scope, f"def {name}", MISSING)), f"{path}.{name}"),
            )
            for name in sorted(scope.names)
        )

    def _contents(self, owner: object, path: str) -> object:
        if self._slots is None:
            self._slots = {}
            state = self._m.state
            for known in (state.base, state.written_since(None)):
                for (each, slot), value in known.items():
                    self._slots.setdefault(each, []).append((slot, value))
        found = dict(self._slots.get(owner, ()))
        return tuple((slot, self.held(slot, found[slot], f"{path}.{slot}")) for slot in sorted(found))

    def _site(self, value: Site, path: str) -> object:
        return (value.source.path, value.node, self.tell(value.calls, path))

    def _step(self, value: Step, path: str) -> object:
        return (value.what, value.kind, self.tell((value.site, value.before, value.chosen), path))

    def _device(self, value: DeviceValue, path: str) -> object:
        return ("device", value.of_tensor, self.tell((value.device, value.origin, value.step), path))

    def _either(self, value: Either, path: str) -> object:
        return ("either", self.tell((value.condition, value.then, value.otherwise), path))

    _DESCRIBED: ClassVar[dict[type, Callable[[_Teller, Any, str], object]]] = {
        FunctionValue: _function,
        ClassValue: _class,
        ModuleValue: lambda _, value, __: (value.name, value.scope.source.path),
        Deferred: lambda _, value, __: (value.importer, value.module, value.level, value.name),
        DeviceValue: _device,
        NamedDevice: lambda _, value, __: (value.text, value.may_accelerate, value.chosen, value.type),
        Either: _either,
        Condition: lambda _, value, __: ("test", value.text),
        TupleValue: lambda self, value, path: ("tuple", self.tell(value.items, path)),
        Contents: lambda self, value, path: ("contents", self.tell((value.items, value.element), path)),
        Entries: _entries,
        Sequence: _container,
        Mapping: _container,
        InstanceValue: _instance,
        BoundMethod: _bound_method,
        Site: _site,
        Step: _step,
        Symbol: _symbol,
        TensorValue: _tensor,
    }
