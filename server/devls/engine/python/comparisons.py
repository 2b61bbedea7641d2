"""Comparisons: `==`, `is`, `in`, `<`, and what decides them."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics
from devls.engine.core.joins import Contents, Entries
from devls.engine.python import mappings, narrowing
from devls.syntax.nodes import walk
from devls.values.conditions import IS_NONE, Either, apply, either, negation
from devls.values.devices import CPU, KnownDevice, NamedDevice
from devls.values.value import (
    FALSE,
    NONE,
    TRUE,
    ClassValue,
    Const,
    DeviceValue,
    InstanceValue,
    LibraryName,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine


def compare(m: Machine, node: ast.Compare) -> object:
    """A comparison; chains are undecided."""
    left = m.eval(node.left)
    if len(node.ops) != 1:
        for each in node.comparators:
            m.eval(each)
        return narrowing.test_of(("fresh", m.fresh_number()), "a comparison")
    right = m.eval(node.comparators[0])
    return compare_values(m, node, node.ops[0], left, right)


def _told(result: object, node: ast.AST) -> object:
    """An undecided comparison; one of sizes says so."""
    if isinstance(result, Either) and result.condition.text == "a comparison" and _reads_sizes(node):
        result.condition.text = narrowing.OF_SIZES
    return result


def _reads_sizes(node: ast.AST) -> bool:
    return any(
        isinstance(each, ast.Attribute) and each.attr in ("shape", "size", "numel") for each in walk(node)
    )


def compare_values(m: Machine, node: ast.Compare, op: ast.cmpop, left: object, right: object) -> object:
    """`left op right` as a value."""
    left, right = m.resolve(left), m.resolve(right)
    kind = type(op)
    if isinstance(left, Either):
        return m.select(
            Either(left.condition, True, False),
            compare_values(m, node, op, left.then, right),
            compare_values(m, node, op, left.otherwise, right),
        )
    typed = _of_type(m, kind, left, right)
    if typed is not None:
        return _flip(typed, negate=kind in _NEGATIVE)
    if kind is ast.Is or kind is ast.IsNot:
        return _flip(same_object(m, left, right), negate=kind is ast.IsNot)
    if isinstance(right, Either):
        return m.select(
            Either(right.condition, True, False),
            compare_values(m, node, op, left, right.then),
            compare_values(m, node, op, left, right.otherwise),
        )
    counted = _counted(kind, left, right)
    if counted is not None:
        return m.resolve(counted)
    if kind is ast.Eq or kind is ast.NotEq:
        return _flip(_told(equal(m, left, right), node), negate=kind is ast.NotEq)
    if kind is ast.In or kind is ast.NotIn:
        return _flip(_contains(m, left, right), negate=kind is ast.NotIn)
    if isinstance(left, Const) and isinstance(right, Const):
        decided = _order(op, left.value, right.value)
        if decided is not None:
            return TRUE if decided else FALSE
    found = narrowing.test_of(
        ("order", type(op).__name__, narrowing.key_of(m, left), narrowing.key_of(m, right)), "a comparison"
    )
    return _told(found, node)


_TURNED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
}
"""What `b` is asked of `a` where this is asked of `a` and `b`."""


def _counted(op: type[ast.cmpop], left: object, right: object) -> object | None:
    """A comparison of a number that is 0 where a test fails, and 1 or more where it holds; None for all others."""
    if type(left) is Const and op in _TURNED:
        left, right, op = right, left, _TURNED[op]
    if op not in _TURNED or type(left) is not Symbol or left.zero_unless is None or type(right) is not Const:
        return None
    limit = right.value
    if not isinstance(limit, (int, float)):
        return None
    zero, one, many = (_holds(op, each, limit) for each in (0, 1, math.inf))
    if one is many and (limit < 1 or op not in (ast.Eq, ast.NotEq)):
        counted: object = TRUE if one else FALSE
    else:
        counted = narrowing.test_of(("order", op.__name__, left.key, limit), "a comparison")
    return either(left.zero_unless, counted, TRUE if zero else FALSE)


def _holds(op: type[ast.cmpop], left: float, right: float) -> bool:
    if op is ast.Eq or op is ast.NotEq:
        return (left == right) is (op is ast.Eq)
    return bool(_order(op(), left, right))


def _of_type(m: Machine, kind: type[ast.cmpop], left: object, right: object) -> object | None:
    """`type(x) is T`, `type(x) in (T, U)`, taken for `isinstance`: who asks so thinks of no subclass."""
    if kind in _OF_SAMENESS:
        pairs = [(left, right), (right, left)]
    elif kind in _OF_MEMBERS:
        pairs = [(left, _classes_in(m, right))]
    else:
        return None
    for asked, cls in pairs:
        if (
            isinstance(asked, LibraryName)
            and asked.name.startswith("builtins.")
            and isinstance(cls, TupleValue)
        ):
            return TRUE if asked in cls.items else FALSE
        typed = m.state.get(asked, narrowing.TYPE_OF) if type(asked) is Symbol else None
        if typed is not None and isinstance(cls, (LibraryName, ClassValue, TupleValue)):
            return narrowing.is_instance(m, typed, cls)
    return None


def _classes_in(m: Machine, container: object) -> TupleValue | None:
    """The items of a tuple, list or set that holds nothing but classes."""
    contents = m.state.get(container, "#items") if isinstance(container, Sequence) else None
    items = (
        container.items
        if isinstance(container, TupleValue)
        else contents.items
        if isinstance(contents, Contents)
        else None
    )
    found = tuple(m.resolve(each) for each in items or ())
    return TupleValue(found) if found and all(type(each) in _CLASSES for each in found) else None


_OF_SAMENESS: Final = frozenset({ast.Is, ast.IsNot, ast.Eq, ast.NotEq})
_OF_MEMBERS: Final = frozenset({ast.In, ast.NotIn})
_NEGATIVE: Final = frozenset({ast.IsNot, ast.NotEq, ast.NotIn})
_CLASSES: Final = frozenset({LibraryName, ClassValue})


def _flip(value: object, *, negate: bool) -> object:
    if not negate:
        return value
    if isinstance(value, Either):
        return either(value.condition, _flip(value.then, negate=True), _flip(value.otherwise, negate=True))
    return FALSE if value == TRUE else TRUE


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
            return narrowing.test_of((IS_NONE, left.key), f"{left.text} is None")
        owner = m.state.get(left, "grad of") if isinstance(left, TensorValue) else None
        if isinstance(owner, TensorValue) and m.state.get(owner, "grad", "none") not in (
            "fresh",
            "mixed",
            "used",
        ):
            return narrowing.test_of(("no grad", m.fresh_number()), "there is no gradient")
        return FALSE
    if isinstance(left, Const) and isinstance(right, Const):
        return TRUE if left == right else FALSE
    if (told := _same_class(left, right)) is not None:
        return told
    alike = _same_dtype(m, left, right)
    if alike is not None:
        return TRUE if alike else FALSE
    if isinstance(left, Symbol) or isinstance(right, Symbol):
        return narrowing.test_of(
            ("is", narrowing.key_of(m, left), narrowing.key_of(m, right)), "an identity test"
        )
    if (
        isinstance(left, InstanceValue)
        and isinstance(right, InstanceValue)
        and not (left.symbolic or right.symbolic)
    ):
        return TRUE if left is right else FALSE
    return TRUE if left is right else narrowing.test_of(("fresh", m.fresh_number()), "an identity test")


_OTHER_DTYPES: Final = ("set_default_dtype", "set_default_tensor_type", "autocast")
"""A file that speaks of these computes in dtypes that are not followed."""


def _same_dtype(m: Machine, left: object, right: object) -> bool | None:
    """Whether two dtypes are the same one, whatever they are called; None if that is not what they are."""
    if not (isinstance(left, LibraryName) and isinstance(right, LibraryName)):
        return None
    if not (left.name.startswith("torch.") and right.name.startswith("torch.")):
        return None
    first, second = library_semantics.dtype_name(left), library_semantics.dtype_name(right)
    if first is None or second is None or any(m.source.says(each) for each in _OTHER_DTYPES):
        return None
    return first == second


def equal(m: Machine, left: object, right: object) -> object:
    """`left == right` as a value."""
    decided = _decided(m, left, right)
    if decided is not None:
        return decided
    if isinstance(left, Const):
        left, right = right, left
    plain = isinstance(right, Const) and isinstance(right.value, (str, int, float))
    if plain and isinstance(left, (TupleValue, Sequence, Mapping)):
        return FALSE
    if isinstance(left, Symbol) and isinstance(right, Const):
        return _equals_constant(m, left, right)
    key = ("equal", narrowing.key_of(m, left), narrowing.key_of(m, right))
    return narrowing.test_of(key, "a comparison")


def _decided(m: Machine, left: object, right: object) -> object | None:
    """Whether two values are equal, where their kinds say how they are compared; None for all others."""
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
    if isinstance(left, DeviceValue) or isinstance(right, DeviceValue):
        one, other = (
            narrowing.device_of(m, each) if _may_be_device(each) else None for each in (left, right)
        )
        if one is not None and other is not None:
            return apply(_equal_devices, one, other, too_many=m.unknown())
    if NONE in (left, right):
        return same_object(m, left, right)
    if (told := _same_class(left, right)) is not None:
        return told
    if isinstance(left, TupleValue) and isinstance(right, TupleValue):
        return _equal_items(m, left, right)
    return None


def _same_class(left: object, right: object) -> object | None:
    """Whether a class of Python's own is another one: `type(x) is PackedSequence` of what is a plain tuple."""
    if not isinstance(left, LibraryName) or not left.name.startswith("builtins."):
        return None
    if isinstance(right, LibraryName) and right.name.startswith(("builtins.", "torch.")):
        return TRUE if left == right else FALSE
    return FALSE if isinstance(right, ClassValue) else None


def _may_be_device(value: object) -> bool:
    """Whether something is a device, or a name of which nothing else is known."""
    return isinstance(value, DeviceValue) or (
        type(value) is Symbol and value.named and value.hint in ("", "device")
    )


def _equals_constant(m: Machine, left: Symbol, right: Const) -> object:
    """Whether something unknown equals a constant: a test that says the same however it is written."""
    text = f"{left.text} == {right.value!r}"
    if right.value in (True, False) and isinstance(right.value, bool):
        truth = m.truth(left)
        told = narrowing.as_value(truth if right.value else negation(truth))
        return narrowing.test_of(("equal", left.key, right.value), text) if told is None else told
    if isinstance(left.key, tuple) and left.key[0] in _COUNTS and _is_negative(right.value):
        return FALSE
    if isinstance(left.key, tuple) and left.key[0] == "device type":
        return narrowing.test_of((*left.key, right.value), text)  # the same test as `is_cuda`
    if (
        right.value in _KINDS
        and isinstance(left.key, tuple)
        and left.key[0] == "attr"
        and left.key[2] == "type"
    ):
        return narrowing.test_of(("device type", left.key[1], right.value), text)  # so it is a device
    if right.value == "cpu" and left.named:
        return narrowing.test_of(("device type", left.key, "cpu"), text)  # the CPU has no number
    return narrowing.test_of(("equal", narrowing.key_of(m, left), narrowing.key_of(m, right)), text)


_COUNTS: Final = frozenset({"index", "len"})
"""Numbers that are never negative: those of `enumerate`, and lengths."""


def _is_negative(value: object) -> bool:
    return isinstance(value, (int, float)) and value < 0


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
        return TRUE if a == b else narrowing.test_of(("equal", a, b), "a comparison of devices")
    if a == b and isinstance(a, NamedDevice):
        return TRUE
    for one, other in ((a, b), (b, a)):
        if isinstance(one, NamedDevice) and other == CPU:
            if one.type:
                return FALSE  # of a type that is known to be another
            return narrowing.test_of(
                ("device type", one.key, "cpu"), f"{one.text} is cpu"
            )  # the CPU has no number
    return narrowing.test_of(("equal", a, b), "a comparison of devices")


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
            return narrowing.as_value(held)
    text, part = (each.value if isinstance(each, Const) else None for each in (container, item))
    if isinstance(text, str) and isinstance(part, str):
        return TRUE if part in text else FALSE
    names = [each.text for each in (item, container) if isinstance(each, Symbol)]
    if isinstance(item, Const) and item.value in ("cuda", "mps", "cpu", "xpu"):
        names.insert(0, str(item.value))  # a device's name is looked for: a test of some device
    return narrowing.test_of(
        ("in", narrowing.key_of(m, item), narrowing.key_of(m, container)),
        " in ".join(names) or "a membership test",
    )


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
