"""Objects whose attributes or items are a dictionary's: classes derived from `dict`, namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.core import limits
from devls.engine.core.joins import Entries
from devls.engine.python import classes
from devls.values.conditions import any_of, size
from devls.values.state import MISSING
from devls.values.value import (
    ClassValue,
    Const,
    InstanceValue,
    LibraryName,
    Mapping,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine

DICTS: Final = frozenset(
    {
        "builtins.dict",
        "collections.OrderedDict",
        "collections.UserDict",
        "collections.defaultdict",
        "typing.Dict",
        "typing.OrderedDict",
    }
)

METHODS: Final = frozenset("get items keys values pop popitem setdefault update copy clear".split())


def prepare(m: Machine, instance: InstanceValue, bases: frozenset[str]) -> bool:
    """Give an instance of a class derived from `dict` the entries that it keeps; False for all others."""
    if bases.isdisjoint(DICTS):
        return False
    m.state.set(instance, "#mapping", m.new_dict({}))
    return True


def of(m: Machine, value: object) -> Mapping | None:
    """The entries of an instance that is a dict."""
    found = m.state.get(value, "#mapping") if isinstance(value, InstanceValue) else None
    return found if isinstance(found, Mapping) else None


def holds_data(m: Machine, instance: InstanceValue) -> bool:
    """Whether an instance keeps its entries in its attribute `data`, as a `UserDict` does."""
    return (
        of(m, instance) is not None
        and instance.cls is not None
        and "collections.UserDict" in classes.library_bases(m, instance.cls)
    )


def put(m: Machine, instance: InstanceValue, value: object) -> None:
    """`self.data = {...}` of a `UserDict`: its entries are others from now on."""
    given = m.resolve(value)
    m.state.set(instance, "#mapping", given if isinstance(given, Mapping) else m.new_dict({}, m.unknown()))


def plain(m: Machine, value: object) -> object:
    """A value, or the dictionary that it is underneath."""
    return of(m, value) or value


def key_of(value: object) -> object:
    """Key that distinguishes an entry: a constant, an object that equals itself alone, a tuple of such; or None."""
    if isinstance(value, Const):
        return value.value if value.value is not None else value
    if isinstance(value, TensorValue):
        return (
            value if value.sides is None and value.symbol is None else None
        )  # one tensor, and not one of several
    if isinstance(value, InstanceValue):
        return value if value.library == "enum.Enum" or _equals_itself_alone(value) else None
    if isinstance(value, TupleValue):
        keys = tuple(map(key_of, value.items))
        return None if None in keys else keys
    return None


def _equals_itself_alone(instance: InstanceValue) -> bool:
    """Whether two objects of a class are never equal: neither it nor a library has said when they are."""
    if instance.symbolic:
        return False
    if instance.cls is None:
        return instance.library.startswith(_COMPARED_BY_IDENTITY)
    classes_of: set[object] = set()
    pending: list[object] = [instance.cls]
    while pending:
        each = pending.pop()
        if isinstance(each, ClassValue):
            if each.dataclass_fields is not None or not each.scope.names.isdisjoint({"__eq__", "__hash__"}):
                return False
            if each not in classes_of:
                classes_of.add(each)
                pending += each.bases
        elif not isinstance(each, LibraryName) or not each.name.startswith(_COMPARED_BY_IDENTITY):
            return False
    return True


_COMPARED_BY_IDENTITY: Final = ("torch.nn.", "torch.optim.", "builtins.object", "abc.", "typing.Generic")
"""Prefixes of the names of library classes whose objects equal nothing but themselves."""


def given(keywords: dict[str, object]) -> Entries:
    """Entries that the keywords of a call put into a dict."""
    known: dict[object, object] = {key: each for key, each in keywords.items() if not key.startswith("*")}
    return Entries(known, keywords.get("**"))


def overlaid(m: Machine, below: Entries, above: Entries) -> Entries:
    """Contents of a dict once the entries of another were put over its own, as in `{**below, **above}`.

    Whatever has a key that is not known may have replaced any of those below.
    """
    known, there = dict(below.known), dict(below.there)
    if above.rest is not None:
        for key, value in below.known.items():
            if above.holds(key) is not True:
                known[key] = m.any_of((value, above.rest))
    for key, value in above.known.items():
        holds = above.holds(key)
        if key not in below.known:
            known[key] = value
            if holds is not True and below.rest is None:
                there[key] = holds
            continue
        known[key] = value if holds is True else m.select(holds, value, known[key])
        if key in there:
            there[key] = any_of(there[key], holds)
            if there[key] is True or size(there[key]) > limits.VALUE_CASES:
                del there[key]
    rests = tuple(each for each in (below.rest, above.rest) if each is not None)
    return Entries(known, m.any_of(rests) if rests else None, there)


def attribute(m: Machine, owner: InstanceValue, name: str) -> object:
    """An entry that is read as an attribute, after `self.__dict__ = self`; MISSING if there is none."""
    mapping = of(m, owner)
    if mapping is None or m.state.get(owner, "#entries are attributes") is not True:
        return MISSING
    entries = m.state.get(mapping, "#entries")
    return entries.known.get(name, MISSING) if isinstance(entries, Entries) else MISSING


def namespace(m: Machine, call: Invocation) -> object:
    """`SimpleNamespace(a=1, **options)`: an object with these attributes, and no others if they are all known."""
    instance = InstanceValue(None, call.name, m.site(call.node))
    values = dict(call.keywords)
    if call.arguments:
        entries = m.state.get(m.resolve(call.arguments[0]), "#entries")
        if isinstance(entries, Entries):
            values |= {key: each for key, each in entries.known.items() if isinstance(key, str)}
    for name, value in values.items():
        if not name.startswith("*"):
            m.state.set(instance, name, value)
    m.state.set(instance, "#names", tuple(name for name in values if not name.startswith("*")))
    return instance


NAMESPACES: Final = frozenset({"types.SimpleNamespace", "argparse.Namespace"})


def bound(name: str) -> LibraryName:
    """The method of `dict` with a name."""
    return LibraryName(f"builtins.dict.{name}")


def key_at_hand(m: Machine, owner: object) -> Symbol:
    """Whichever key of a dictionary a loop is at: it knows which dictionary that is."""
    return Symbol(("key", m.fresh_number(), owner), "key", hint="string")


def all_keys(m: Machine, owner: object) -> Symbol:
    """The keys of a dictionary, not all of which are known; their items know which dictionary that is."""
    return Symbol(("keys", m.fresh_number(), owner), "keys", hint="string")


def keys_of(index: object) -> object:
    """The dictionary whose keys a symbol takes on, if it is one that does."""
    key = index.key if isinstance(index, Symbol) else None
    if isinstance(key, tuple) and key and key[0] == "item":
        key = key[1]
    return key[2] if isinstance(key, tuple) and len(key) == 3 and key[0] in ("key", "keys") else None
