"""Facts learned from tests: conditions keyed by values, so that equal tests agree."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.python import classes, names
from devls.values.conditions import Condition, Either, combined, either, negation, size
from devls.values.devices import (
    CUDA,
    CURRENT_CARD,
    UNKNOWN_DEVICE,
    KnownDevice,
    NamedDevice,
    parse_device,
)
from devls.values.value import (
    FALSE,
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
    from collections.abc import Callable, Iterable

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


def may_compare_tensors(test: Condition) -> bool:
    """Whether a test is a comparison of what is not known: of tensors its result is a tensor, not True or False."""
    key = test.key
    return isinstance(key, tuple) and bool(key) and key[0] in ("equal", "order")


TYPE_OF: Final = "#type of"
"""The slot of what `type(x)` gives: `x`."""

OF_SIZES: Final = "a comparison of sizes"
"""The text of tests by which something that was kept is found to fit no longer."""


def found_to_fit(m: Machine) -> bool:
    """Whether this path has found sizes to be the same."""
    return any(
        value and test.text == OF_SIZES and isinstance(test.key, tuple) and test.key[0] == "equal"
        for test, value in m.state.assumptions()
    )


def key_of(m: Machine, value: object) -> object:
    """Identity of a value in a condition."""
    if isinstance(value, Symbol):
        return value.key
    if isinstance(value, Const):
        return value
    if isinstance(value, (DeviceValue, TupleValue)):
        return value  # equal ones are the same; a number would be that of another one, once this one is gone
    if isinstance(value, Value):
        return id(value)
    return ("fresh", m.fresh_number())


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
    key = symbol.key
    for each in names:  # asked at every call of something unknown, and a generator takes twice the time
        test = Condition.known(("isinstance", key, each))
        if test is not None and m.state.assumed(test) is outcome:
            return True
    return False


_NO_TENSORS: Final = ("torch.nn.Module", "builtins.list", "builtins.tuple", "builtins.dict", "numpy.ndarray")


def type_of(m: Machine, value: object) -> Symbol:
    """The type of an object that is of no class of the project's; that of a layer of torch's has its name."""
    found = Symbol((TYPE_OF, key_of(m, value)), "a type", hint="object")
    m.state.set(found, TYPE_OF, value)
    if isinstance(value, InstanceValue) and not value.symbolic and m.library.layer(value.library) is not None:
        m.state.set(found, "__name__", Const(value.library.rpartition(".")[2]))
    return found


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
    if isinstance(cls, Symbol) and not isinstance(value, Symbol):
        pair = (value, m.state.get(cls, TYPE_OF))  # `isinstance(x, type(y))`
        if all(type(each) is TensorValue and each.symbol is None and not each.is_parameter for each in pair):
            return TRUE
        return test_of(("isinstance", key_of(m, value), cls.key), "isinstance")
    name = cls.name if isinstance(cls, LibraryName) else ""
    ask = _IS_INSTANCE.get(type(value), _is_instance_of_builtin)
    return ask(m, value, cls, name)


def _is_unknown_instance(m: Machine, value: Symbol, cls: object, name: str) -> object:
    if name in TENSOR_CLASSES and isinstance(value.key, tuple) and value.key[0] in _NUMBERS:
        return FALSE  # read from a tensor, or counted
    if name == "torch.nn.Module" and m.state.get(value, "is module") is True:
        return TRUE  # it was moved, or asked for parameters
    return test_of(("isinstance", value.key, name or id(cls)), f"isinstance({value.text}, ...)")


def _is_tensor_instance(_m: Machine, value: TensorValue, cls: object, name: str) -> object:
    if name == "torch.nn.Parameter":
        return TRUE if value.is_parameter else FALSE
    if name in TENSOR_CLASSES:
        return TRUE
    if value.symbol is not None:
        return test_of(("isinstance", value.symbol.key, name or id(cls)), "isinstance")
    return FALSE


def _is_device_instance(m: Machine, value: DeviceValue, cls: object, name: str) -> object:
    if name == "torch.device" or name.startswith("builtins."):
        return TRUE if name in ("torch.device", "builtins.object") else FALSE
    return _is_instance_of_builtin(m, value, cls, name)


def _is_object_instance(m: Machine, value: InstanceValue, cls: object, name: str) -> object:
    found = _instance_of(m, value, cls, name)
    if found is not None:
        return TRUE if found else FALSE
    return test_of(("isinstance", id(value), name or id(cls)), "isinstance")


def _is_instance_of_builtin(m: Machine, value: object, cls: object, name: str) -> object:
    """The answer for constants, containers, functions and whatever else there is."""
    abstract = _ABSTRACT.get(name.rpartition(".")[2]) if name.startswith(_OF_ABSTRACT) else None
    kinds = _python_type(value)
    if abstract is not None and kinds is not None:
        return TRUE if any(each in abstract for each in kinds) else FALSE
    if name.startswith("builtins.") and kinds is not None:
        return TRUE if name.removeprefix("builtins.") in kinds else FALSE
    if isinstance(value, (Const, TupleValue, Sequence, Mapping, FunctionValue)) and (
        name in TENSOR_CLASSES or name in _NO_CONTAINERS or isinstance(cls, ClassValue)
    ):
        return FALSE
    return test_of(("isinstance", key_of(m, value), name or id(cls)), "isinstance")


_IS_INSTANCE: Final[dict[type, Callable[..., object]]] = {
    Symbol: _is_unknown_instance,
    TensorValue: _is_tensor_instance,
    DeviceValue: _is_device_instance,
    InstanceValue: _is_object_instance,
}


_NUMBERS: Final = frozenset({"number", "len", "size", "ndim", "shape", "index"})
"""Prefix of the keys of Python's counts: such a value is no tensor."""

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


UNDEFINED: Final = "undefined"
"""Begins the key of a symbol for a name that nothing in its file binds."""


def is_undefined(value: Symbol) -> bool:
    """Whether something is known by a name only that nothing binds, or is an attribute of that: `device`, `args.device`."""
    key = value.key
    while isinstance(key, tuple) and key[0] == "attr":
        key = key[1]
    return isinstance(key, tuple) and key[0] == UNDEFINED


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
        return NamedDevice(value.key, value.text) if is_undefined(value) else UNKNOWN_DEVICE
    return UNKNOWN_DEVICE


# Values of a name on either side of `isinstance(x, T)`, if there may be more than a test can tell apart


_NONE: Final = object()
"""Stands for no case at all."""

_FEW: Final = 2
"""Answers that one condition tells apart, and a join with it."""


def asks_for_union(m: Machine, test: ast.Call, answer: object) -> bool:
    """Whether a test asks a name of what kind it is, of which there are many: a join would forget which case had what answer."""
    many = type(answer) is Symbol or (type(answer) is Either and size(answer) > _FEW)
    return (
        many
        and bool(test.args)
        and isinstance(test.args[0], ast.Name)
        and m.text(test.func).rpartition(".")[2] in ("isinstance", "is_tensor")
        and isinstance(m.resolve(m.eval(test.args[0])), Either)
    )


def narrow_union(m: Machine, test: ast.Call, *, outcome: bool) -> None:
    """On the path with that outcome the name is none of the cases that answer otherwise."""
    name = test.args[0]
    cls = m.eval(test.args[1]) if len(test.args) > 1 else LibraryName("torch.Tensor")
    held = m.resolve(m.eval(name))
    left = _cases(m, held, cls, outcome=outcome)
    if isinstance(name, ast.Name) and left is not _NONE and left is not held:
        names.bind(m, name.id, left)


def _cases(m: Machine, value: object, cls: object, *, outcome: bool) -> object:
    if not isinstance(value, Either):
        answer = m.truth(is_instance(m, value, cls))
        return _NONE if answer is (not outcome) else value
    then, otherwise = (
        _cases(m, m.resolve(each), cls, outcome=outcome) for each in (value.then, value.otherwise)
    )
    if then is _NONE or otherwise is _NONE:
        return otherwise if then is _NONE else then
    unchanged = then is value.then and otherwise is value.otherwise
    return value if unchanged else Either(value.condition, then, otherwise)
