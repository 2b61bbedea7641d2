"""What a test teaches: conditions keyed by values, so that equal tests agree."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics
from devls.engine.core.joins import Contents, Entries
from devls.engine.python import classes, mappings
from devls.syntax.nodes import walk
from devls.values.conditions import IS_NONE, Condition, Either, apply, combined, either, negation
from devls.values.devices import (
    CPU,
    CUDA,
    CURRENT_CARD,
    UNKNOWN_DEVICE,
    KnownDevice,
    NamedDevice,
    parse_device,
)
from devls.values.state import ASSUMED
from devls.values.value import (
    FALSE,
    NONE,
    TRUE,
    ClassValue,
    Const,
    DeviceValue,
    FunctionValue,
    InstanceValue,
    LibraryName,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.engine.core.machine import Machine


def as_value(tree: object) -> object:
    """A tree of True, False and None as a value; a side of it that is not known is a test of its own, all of it None."""
    if isinstance(tree, Either):
        then, otherwise = as_value(tree.then), as_value(tree.otherwise)
        key = tree.condition.key
        return either(
            tree.condition,
            test_of(("not known", key, True), "what is not known") if then is None else then,
            test_of(("not known", key, False), "what is not known") if otherwise is None else otherwise,
        )
    if tree is True:
        return TRUE
    return FALSE if tree is False else tree


def test_of(key: object, text: str) -> Either:
    """The value of an undecided test."""
    return Either(Condition(key, text), TRUE, FALSE)


def compare(m: Machine, node: ast.Compare) -> object:
    """A comparison; chains are undecided."""
    left = m.eval(node.left)
    if len(node.ops) != 1:
        for each in node.comparators:
            m.eval(each)
        return test_of(("fresh", m.fresh_number()), "a comparison")
    right = m.eval(node.comparators[0])
    return compare_values(m, node, node.ops[0], left, right)


def may_compare_tensors(test: Condition) -> bool:
    """Whether a test is a comparison of what is not known: of tensors its result is a tensor, not True or False."""
    key = test.key
    return isinstance(key, tuple) and bool(key) and key[0] in ("equal", "order")


TYPE_OF: Final = "#type of"
"""The slot of what `type(x)` gives: `x`."""

OF_SIZES: Final = "a comparison of sizes"
"""The text of tests by which something that was kept is found to fit no longer."""


def _told(result: object, node: ast.AST) -> object:
    """An undecided comparison; one of sizes says so."""
    if isinstance(result, Either) and result.condition.text == "a comparison" and _reads_sizes(node):
        result.condition.text = OF_SIZES
    return result


def found_to_fit(m: Machine) -> bool:
    """Whether this path has found sizes to be the same."""
    return any(
        slot == ASSUMED
        and value is True
        and isinstance(owner, Condition)
        and owner.text == OF_SIZES
        and isinstance(owner.key, tuple)
        and owner.key[0] == "equal"
        for (owner, slot), value in m.state.written_since(None).items()
    )


def _reads_sizes(node: ast.AST) -> bool:
    return any(
        isinstance(each, ast.Attribute) and each.attr in ("shape", "size", "numel") for each in walk(node)
    )


def compare_values(m: Machine, node: ast.Compare, op: ast.cmpop, left: object, right: object) -> object:
    left, right = m.resolve(left), m.resolve(right)
    kind = type(op)
    if isinstance(left, Either):
        return m.select(
            Either(left.condition, True, False),
            compare_values(m, node, op, left.then, right),
            compare_values(m, node, op, left.otherwise, right),
        )
    if kind in _OF_SAMENESS:
        for asked, cls in ((left, right), (right, left)):
            typed = m.state.get(asked, TYPE_OF) if type(asked) is Symbol else None
            if typed is not None and isinstance(cls, (LibraryName, ClassValue)):
                # Of a subclass it does not hold, but who asks so thinks of none.
                return _flip(is_instance(m, typed, cls), negate=isinstance(op, (ast.IsNot, ast.NotEq)))
    if kind is ast.Is or kind is ast.IsNot:
        return _flip(same_object(m, left, right), negate=kind is ast.IsNot)
    if isinstance(right, Either):
        return m.select(
            Either(right.condition, True, False),
            compare_values(m, node, op, left, right.then),
            compare_values(m, node, op, left, right.otherwise),
        )
    if kind is ast.Eq or kind is ast.NotEq:
        return _flip(_told(equal(m, left, right), node), negate=kind is ast.NotEq)
    if kind is ast.In or kind is ast.NotIn:
        return _flip(_contains(m, left, right), negate=kind is ast.NotIn)
    if isinstance(left, Const) and isinstance(right, Const):
        decided = _order(op, left.value, right.value)
        if decided is not None:
            return TRUE if decided else FALSE
    found = test_of(("order", type(op).__name__, key_of(m, left), key_of(m, right)), "a comparison")
    return _told(found, node)


_OF_SAMENESS: Final = frozenset({ast.Is, ast.IsNot, ast.Eq, ast.NotEq})


def _flip(value: object, *, negate: bool) -> object:
    if not negate:
        return value
    if isinstance(value, Either):
        return either(value.condition, _flip(value.then, negate=True), _flip(value.otherwise, negate=True))
    return FALSE if value == TRUE else TRUE


def key_of(m: Machine, value: object) -> object:
    """What identifies a value in a condition."""
    if isinstance(value, Symbol):
        return value.key
    if isinstance(value, Const):
        return value
    if isinstance(value, (DeviceValue, TupleValue)):
        return value  # equal ones are the same; a number would be that of another one, once this one is gone
    if isinstance(value, Value):
        return id(value)
    return ("fresh", m.fresh_number())


def same_object(m: Machine, left: object, right: object) -> object:
    """`left is right` as a value."""
    if left == NONE:
        left, right = right, left
    if right == NONE:
        if left == NONE:
            return TRUE
        if isinstance(left, Symbol):
            if left.hint in ("tensor!", "not-none"):
                return FALSE
            return test_of((IS_NONE, left.key), f"{left.text} is None")
        owner = m.state.get(left, "grad of") if isinstance(left, TensorValue) else None
        if isinstance(owner, TensorValue) and m.state.get(owner, "grad", "none") not in (
            "fresh",
            "mixed",
            "used",
        ):
            return test_of(("no grad", m.fresh_number()), "there is no gradient")
        return FALSE
    if isinstance(left, Const) and isinstance(right, Const):
        return TRUE if left == right else FALSE
    alike = _same_dtype(m, left, right)
    if alike is not None:
        return TRUE if alike else FALSE
    if isinstance(left, Symbol) or isinstance(right, Symbol):
        return test_of(("is", key_of(m, left), key_of(m, right)), "an identity test")
    if (
        isinstance(left, InstanceValue)
        and isinstance(right, InstanceValue)
        and not (left.symbolic or right.symbolic)
    ):
        return TRUE if left is right else FALSE
    return TRUE if left is right else test_of(("fresh", m.fresh_number()), "an identity test")


_OTHER_DTYPES: Final = ("set_default_dtype", "set_default_tensor_type", "autocast")
"""A file that speaks of these computes in dtypes that are not followed."""


def _same_dtype(m: Machine, left: object, right: object) -> bool | None:
    """Whether two dtypes are the same one, whatever they are called; None if that is not what they are."""
    if not (isinstance(left, LibraryName) and isinstance(right, LibraryName)):
        return None
    if not (left.name.startswith("torch.") and right.name.startswith("torch.")):
        return None
    first, second = library_semantics.dtype_name(left), library_semantics.dtype_name(right)
    if first is None or second is None or any(each in m.source.text for each in _OTHER_DTYPES):
        return None
    return first == second


def equal(m: Machine, left: object, right: object) -> object:
    """`left == right` as a value."""
    alike = _same_dtype(m, left, right)
    if alike is not None:
        return TRUE if alike else FALSE
    if (
        isinstance(left, InstanceValue)
        and isinstance(right, InstanceValue)
        and left.library == right.library == "enum.Enum"
    ):
        return TRUE if left is right else FALSE
    if isinstance(left, Const) and isinstance(right, Const):
        try:
            return TRUE if left.value == right.value else FALSE
        except TypeError:
            return FALSE
    if isinstance(left, DeviceValue) and isinstance(right, DeviceValue):
        return apply(_equal_devices, left.device, right.device, too_many=m.unknown())
    if NONE in (left, right):
        return same_object(m, left, right)
    if isinstance(left, LibraryName) and left.name.startswith("builtins."):
        if isinstance(right, LibraryName) and right.name.startswith(("builtins.", "torch.")):
            return TRUE if left == right else FALSE  # `type(x) == PackedSequence` of what is a plain tuple
        if isinstance(right, ClassValue):
            return FALSE
    if isinstance(left, TupleValue) and isinstance(right, TupleValue):
        alike_ = _equal_items(m, left, right)
        if alike_ is not None:
            return alike_
    if isinstance(left, Const):
        left, right = right, left
    plain = isinstance(right, Const) and isinstance(right.value, (str, int, float))
    if plain and isinstance(left, (TupleValue, Sequence, Mapping)):
        return FALSE
    text = "a comparison"
    if isinstance(left, Symbol) and isinstance(right, Const):
        text = f"{left.text} == {right.value!r}"
        if right.value in (True, False) and isinstance(right.value, bool):
            truth = m.truth(left)
            return as_value(truth if right.value else negation(truth))
        if isinstance(left.key, tuple) and left.key[0] == "device type":
            return test_of((*left.key, right.value), text)  # the same test as `is_cuda`
        if (
            right.value in _KINDS
            and isinstance(left.key, tuple)
            and left.key[0] == "attr"
            and left.key[2] == "type"
        ):
            return test_of(("device type", left.key[1], right.value), text)  # so it is a device
    return test_of(("equal", key_of(m, left), key_of(m, right)), text)


_KINDS: Final = frozenset({"cpu", "cuda", "mps", "xpu"})


def _equal_items(m: Machine, left: TupleValue, right: TupleValue) -> object | None:
    """Whether two tuples (shapes are some) are equal; None if that is not known."""
    if len(left.items) != len(right.items):
        return FALSE
    found: object | None = TRUE
    for one, other in zip(left.items, right.items, strict=True):
        same = _equal_plain(m, m.resolve(one), m.resolve(other))
        if same == FALSE:
            return FALSE
        found = same if found == TRUE else found
    return found


def _equal_plain(m: Machine, one: object, other: object) -> object | None:
    """Whether numbers, texts, dtypes or tuples of them are equal; None for what is compared otherwise, or not known."""
    if isinstance(one, Const) and isinstance(other, Const):
        return equal(m, one, other)
    if isinstance(one, TupleValue) and isinstance(other, TupleValue):
        return _equal_items(m, one, other)
    alike = _same_dtype(m, one, other)
    return None if alike is None else TRUE if alike else FALSE


def _among(m: Machine, item: object, items: tuple[object, ...]) -> object | None:
    """Whether `item` is one of `items`; None if that is not known."""
    found = [_equal_plain(m, item, m.resolve(each)) for each in items]
    return TRUE if TRUE in found else FALSE if all(each == FALSE for each in found) else None


def _equal_devices(a: object, b: object) -> object:
    if isinstance(a, KnownDevice) and isinstance(b, KnownDevice):
        if a.type != b.type:
            return FALSE
        return TRUE if a == b else test_of(("equal", a, b), "a comparison of devices")
    if a == b and isinstance(a, NamedDevice):
        return TRUE
    for one, other in ((a, b), (b, a)):
        if isinstance(one, NamedDevice) and other == CPU:
            if one.type:
                return FALSE  # of a type that is known to be another
            return test_of(("device type", one.key, "cpu"), f"{one.text} is cpu")  # the CPU has no number
    return test_of(("equal", a, b), "a comparison of devices")


def _contains(m: Machine, item: object, container: object) -> object:
    items = container.items if isinstance(container, TupleValue) else None
    if isinstance(container, Sequence):
        contents = m.state.get(container, "#items")
        if isinstance(contents, Contents) and contents.element is None:
            items = contents.items
    decided = None if items is None else _among(m, item, items)
    if decided is not None:
        return decided
    entries = m.state.get(container, "#entries") if isinstance(container, Mapping) else None
    key = mappings.key_of(item) if isinstance(entries, Entries) else None
    if isinstance(entries, Entries) and key is not None:
        held = entries.holds(key)
        if held is not None:
            return as_value(held)
    text, part = (each.value if isinstance(each, Const) else None for each in (container, item))
    if isinstance(text, str) and isinstance(part, str):
        return TRUE if part in text else FALSE
    names = [each.text for each in (item, container) if isinstance(each, Symbol)]
    if isinstance(item, Const) and item.value in ("cuda", "mps", "cpu", "xpu"):
        names.insert(0, str(item.value))  # a device's name is looked for: a test of some device
    return test_of(("in", key_of(m, item), key_of(m, container)), " in ".join(names) or "a membership test")


def _order(op: ast.cmpop, left: object, right: object) -> bool | None:
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return None
    if isinstance(op, ast.Lt):
        return left < right
    if isinstance(op, ast.LtE):
        return left <= right
    if isinstance(op, ast.Gt):
        return left > right
    if isinstance(op, ast.GtE):
        return left >= right
    return None


TENSOR_CLASSES = frozenset(
    {"torch.Tensor", "torch.FloatTensor", "torch.nn.Parameter", "torch.autograd.Variable"}
)


MODULE_IF: Final = "#module if"
"""The slot of something unknown with the test that has asked whether it is a module."""


def is_no_tensor(m: Machine, symbol: Symbol) -> bool:
    """Whether the path has found that something unknown is a list, an array or the like: `isinstance(x, list)`."""
    return _is_found(m, symbol, _NO_TENSORS, outcome=True) or _is_found(
        m, symbol, TENSOR_CLASSES, outcome=False
    )


def are_no_tensors(m: Machine, value: Either) -> bool:
    """The same of what is one of several things, of which some may be tensors: on this path it is none of those."""
    test = m.truth(is_instance(m, value, LibraryName("torch.Tensor")))
    return test is False or (
        isinstance(test, Either)
        and (m.state.assumed(combined(test)) is False or m.state.assumed(combined(negation(test))) is True)
    )


def is_found_a_tensor(m: Machine, symbol: Symbol) -> bool:
    """Whether the path has found that something unknown is a tensor, whatever else has had its place."""
    return _is_found(m, symbol, TENSOR_CLASSES, outcome=True)


def _is_found(m: Machine, symbol: Symbol, names: Iterable[str], *, outcome: bool) -> bool:
    """Whether the path has asked if something unknown is an instance of one of some classes, with that outcome."""
    tests = (Condition.known(("isinstance", symbol.key, each)) for each in names)
    return any(test is not None and m.state.assumed(test) is outcome for test in tests)


_NO_TENSORS: Final = ("torch.nn.Module", "builtins.list", "builtins.tuple", "builtins.dict", "numpy.ndarray")


def is_instance(m: Machine, value: object, cls: object) -> object:
    """`isinstance(value, cls)` as a value."""
    value, cls = m.resolve(value), m.resolve(cls)
    if isinstance(value, Either):
        return m.select(
            Either(value.condition, True, False),
            is_instance(m, value.then, cls),
            is_instance(m, value.otherwise, cls),
        )
    if isinstance(cls, TupleValue):
        results = [is_instance(m, value, each) for each in cls.items]
        if TRUE in results:
            return TRUE
        if all(each == FALSE for each in results):
            return FALSE
        asked = tuple(each.name if isinstance(each, LibraryName) else id(each) for each in cls.items)
        return test_of(("isinstance", key_of(m, value), asked), "isinstance")
    name = cls.name if isinstance(cls, LibraryName) else ""
    if isinstance(value, Symbol):
        if name in TENSOR_CLASSES and isinstance(value.key, tuple) and value.key[0] in _NUMBERS:
            return FALSE  # read from a tensor, or counted
        key = name or id(cls)
        return test_of(("isinstance", value.key, key), f"isinstance({value.text}, ...)")
    if isinstance(cls, Symbol):
        pair = (value, m.state.get(cls, TYPE_OF))  # `isinstance(x, type(y))`
        if all(type(each) is TensorValue and each.symbol is None and not each.is_parameter for each in pair):
            return TRUE
        return test_of(("isinstance", key_of(m, value), cls.key), "isinstance")
    if isinstance(value, TensorValue):
        if name in TENSOR_CLASSES:
            if name == "torch.nn.Parameter":
                return TRUE if value.is_parameter else FALSE
            return TRUE
        if value.symbol is not None:
            return test_of(("isinstance", value.symbol.key, name or id(cls)), "isinstance")
        return FALSE
    if isinstance(value, DeviceValue) and (name == "torch.device" or name.startswith("builtins.")):
        return TRUE if name in ("torch.device", "builtins.object") else FALSE
    if isinstance(value, InstanceValue):
        found = _instance_of(m, value, cls, name)
        if found is not None:
            return TRUE if found else FALSE
        return test_of(("isinstance", id(value), name or id(cls)), "isinstance")
    abstract = _ABSTRACT.get(name.rpartition(".")[2]) if name.startswith(_OF_ABSTRACT) else None
    if abstract is not None:
        kinds = _python_type(value)
        if kinds is not None:
            return TRUE if any(each in abstract for each in kinds) else FALSE
    if name.startswith("builtins."):
        known = _python_type(value)
        if known is not None:
            short = name.removeprefix("builtins.")
            return TRUE if short in known else FALSE
    if isinstance(value, (Const, TupleValue, Sequence, Mapping, FunctionValue)) and (
        name in TENSOR_CLASSES or name in _NO_CONTAINERS or isinstance(cls, ClassValue)
    ):
        return FALSE
    return test_of(("isinstance", key_of(m, value), name or id(cls)), "isinstance")


_NUMBERS: Final = frozenset({"number", "len", "size", "ndim", "shape", "index"})
"""What begins the keys of what Python counts: whatever it is, it is no tensor."""

_NO_CONTAINERS: Final = frozenset(
    {"torch.nn.Module", "numpy.ndarray", "PIL.Image.Image", "pandas.DataFrame", "pandas.Series"}
)
"""Classes that no constant, list, dict or function of Python's own is an instance of."""

_OF_ABSTRACT: Final = ("collections.abc.", "typing.", "numbers.")

_ITERABLE: Final = frozenset("list tuple dict set frozenset str bytes range iterator deque".split())

_ABSTRACT: Final = {
    "Mapping": frozenset({"dict"}),
    "MutableMapping": frozenset({"dict"}),
    "Sequence": frozenset("list tuple str bytes range deque".split()),
    "MutableSequence": frozenset({"list", "deque"}),
    "Set": frozenset({"set", "frozenset"}),
    "Iterable": _ITERABLE,
    "Collection": _ITERABLE - {"iterator"},
    "Sized": _ITERABLE - {"iterator"},
    "Number": frozenset({"int", "float", "complex", "bool"}),
    "Real": frozenset({"int", "float", "bool"}),
    "Integral": frozenset({"int", "bool"}),
}
"""Which of the built-in types are instances of an abstract one."""


def _python_type(value: object) -> tuple[str, ...] | None:
    if isinstance(value, Const):
        kind = type(value.value).__name__
        return ("bool", "int") if kind == "bool" else (kind,)
    if isinstance(value, TupleValue):
        return ("tuple",)
    if isinstance(value, Sequence):
        return (value.kind,)
    if isinstance(value, Mapping):
        return ("dict",)
    return None


def _instance_of(m: Machine, value: InstanceValue, cls: object, name: str) -> bool | None:
    if value.cls is None:
        if isinstance(cls, ClassValue):
            return False
        if name == value.library:
            return True
        if name in TENSOR_CLASSES and (
            value.library.startswith("numpy.") or m.library.layer(value.library) is not None
        ):
            return False
        if name.startswith("torch.") and value.library.startswith("numpy."):
            return False
        if name == "torch.nn.Module":
            return m.library.layer(value.library) is not None or None
        if m.library.layer(value.library) is not None and m.library.layer(name) is not None:
            return False
        return None
    if isinstance(cls, ClassValue):
        return any(each is cls for each in classes.linearize(m, value.cls))
    bases = classes.library_bases(m, value.cls)
    if name in bases or (name == "builtins.tuple" and "typing.NamedTuple" in bases):
        return True
    return None if bases - {"torch.nn.Module", "builtins.object", "typing.NamedTuple"} else False


def learn_from_assert(m: Machine, test: ast.expr) -> None:
    """`assert a.device == b.device`: from here on they agree."""
    if (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Eq)
        and all(
            isinstance(side, ast.Attribute) and side.attr == "device"
            for side in (test.left, test.comparators[0])
        )
    ):
        left = m.resolve(m.eval(test.left))
        right = m.resolve(m.eval(test.comparators[0]))
        if isinstance(left, DeviceValue) and isinstance(right, DeviceValue):
            m.state.set(left.device, "agrees", right.device)


def is_cuda(m: Machine, device: object, kind: str, whole: object = None) -> object:
    """Whether a device is of a type, as a value; of one of several, asked again, the same one."""
    if isinstance(device, Either):
        whole = whole or device
        return m.select(
            Either(device.condition, True, False),
            is_cuda(m, device.then, kind, whole),
            is_cuda(m, device.otherwise, kind, whole),
        )
    if isinstance(device, KnownDevice):
        return TRUE if device.type == kind else FALSE
    if isinstance(device, NamedDevice) and device.type:
        return TRUE if device.type == kind else FALSE
    if isinstance(device, NamedDevice):
        return test_of(("device type", device.key, kind), f"{device.text} is {kind}")
    return test_of(("side is", whole, kind) if whole else ("fresh", m.fresh_number()), f"is on {kind}")


def device_type(m: Machine, device: object) -> object:
    """`device.type` as a value."""
    if isinstance(device, Either):
        return m.select(
            Either(device.condition, True, False),
            device_type(m, device.then),
            device_type(m, device.otherwise),
        )
    if isinstance(device, KnownDevice):
        return Const(device.type)
    if isinstance(device, NamedDevice):
        return Symbol(("device type", device.key), f"{device.text}.type", named=True, hint="string")
    return m.unknown()


def device_of(m: Machine, value: object) -> object:
    """The device tree that a value given as a device means; None for no device at all."""
    value = m.resolve(value)
    if isinstance(value, Either):
        then, otherwise = device_of(m, value.then), device_of(m, value.otherwise)
        if then is None or otherwise is None:
            return then or otherwise
        return either(value.condition, then, otherwise)
    if isinstance(value, DeviceValue):
        return value.device
    if isinstance(value, Const):
        if value.value is None:
            return None
        if isinstance(value.value, str):
            return parse_device(value.value) or UNKNOWN_DEVICE
        if isinstance(value.value, int) and not isinstance(value.value, bool):
            return KnownDevice("cuda", value.value)
        return UNKNOWN_DEVICE
    if isinstance(value, Symbol):
        if value.named:
            is_cuda_index = isinstance(value.key, tuple) and value.key[0] == "cuda index"
            current = is_cuda_index and value.key[1] == DeviceValue(CUDA)  # type: ignore[index]
            key = CURRENT_CARD if current else value.key
            return NamedDevice(key, value.text, type="cuda" if is_cuda_index else "")
        return UNKNOWN_DEVICE
    return UNKNOWN_DEVICE


__all__ = ["CPU", "as_value", "compare", "device_of", "device_type", "is_cuda", "is_instance", "test_of"]
