"""Subjects of undecided tests: which of them speak for a finding that depends on them, and which against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devls.engine.evidence import naming_priors
from devls.engine.python.narrowing import TYPE_OF
from devls.values.conditions import Condition, Either, apply, implied, leaves, parts
from devls.values.devices import CPU, UNKNOWN_DEVICE, NamedDevice, accelerating_choices
from devls.values.value import Const, LibraryName, Scope, Symbol, TensorValue

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.devices import Comparison


def devices(test: Tree) -> bool:
    """Whether a test, or one of those that it combines, asks for devices."""
    if isinstance(test, Either):
        return any(devices(each) for each in (test.condition, test.then, test.otherwise))
    return isinstance(test, Condition) and (
        naming_priors.SPEAKS_OF_DEVICES.search(test.text) is not None or devices(parts(test))
    )


def kinds(test: Tree) -> bool:
    """Whether a test, or one of those that it combines, asks of what class something is."""
    if isinstance(test, Either):
        return any(kinds(each) for each in (test.condition, test.then, test.otherwise))
    if not isinstance(test, Condition) or not isinstance(test.key, tuple):
        return False
    if test.key[0] == "equal":
        return any(_of_a_type(each) for each in test.key[1:])  # `type(x).__module__ == "numpy"`
    return test.key[0] == "isinstance" or kinds(parts(test))


def of_release(value: object) -> bool:
    """Whether something was read from the version of a library, or from a test of it: `int(torch.__version__[0]) > 0`."""
    if isinstance(value, Either):
        return any(of_release(each) for each in (value.condition, value.then, value.otherwise))
    if isinstance(value, Condition):
        return of_release(value.key) or of_release(parts(value))
    if isinstance(value, Symbol):
        return of_release(value.key)
    if not isinstance(value, tuple):
        return False
    if len(value) == 3 and value[0] == "attr" and isinstance(value[1], LibraryName):
        return bool(value[2] == "__version__")
    return any(of_release(each) for each in value)


def numbers(test: Condition) -> bool:
    """Whether a test asks whether something is a Python number, and no more: who gives one gives tensors beside it."""
    key = test.key
    if not isinstance(key, tuple) or key[0] != "isinstance":
        return False
    classes = key[2] if isinstance(key[2], tuple) else (key[2],)
    return all(each in _NUMBERS for each in classes)


_NUMBERS: Final = frozenset(
    {"builtins.int", "builtins.float", "builtins.bool", "numbers.Number", "numbers.Real"}
)


def _of_a_type(key: object) -> bool:
    """Whether a key is that of what `type(x)` gives, or of an attribute of that."""
    while isinstance(key, tuple) and key and key[0] == "attr":
        key = key[1]
    return isinstance(key, tuple) and bool(key) and key[0] == TYPE_OF


def emptiness(test: Condition, *, side: bool) -> bool:
    """Whether a side of a test says that something has no elements: `x.shape[0] == 0`, `not len(x)`."""
    key = test.key
    if not isinstance(key, tuple):
        return False
    if side:
        return key[0] == "equal" and key[2:] == (Const(0),) and (_of_a_size(key[1]) or "numel()" in test.text)
    return key[0] == "truth" and (_of_a_size(key[1]) or "numel()" in test.text)


def _of_a_size(key: object) -> bool:
    """Whether a key is that of a length, of an item of a shape, or of what `size(0)` and `numel()` give."""
    if not isinstance(key, tuple) or len(key) < len(("len", "x")):
        return False
    if key[0] in ("item", "part"):
        owner = key[1]
        return isinstance(owner, tuple) and (
            owner[0] == "shape" or (owner[0] == "attr" and owner[2] == "shape")
        )
    if key[0] == "result":
        method = key[1]
        return (
            isinstance(method, tuple) and method[0] == "attr" and method[2] in ("size", "numel", "nelement")
        )
    return key[0] in ("len", "size")


def of_no_case(m: Machine, conditions: tuple[tuple[Condition, bool], ...]) -> bool:
    """Whether something was compared with one value after the other, on the way here or before, and is none of them."""
    compared = {sides for test, side in conditions if not side and (sides := _compared(test))}
    if not compared:
        return False
    asked = {one for one, _ in compared}
    compared |= {
        sides
        for test, value in m.state.assumptions()
        if not value and (sides := _compared(test)) is not None and sides[0] in asked
    }
    return len(compared) > len(asked)


def _compared(test: Condition) -> tuple[Hashable, Hashable] | None:
    """Operands of a test; None if it is no comparison."""
    key = test.key
    return (key[1], key[2]) if isinstance(key, tuple) and key[0] == "equal" else None


def ruled_out(m: Machine, comparison: Comparison) -> bool:
    """Whether tests that led here have found, taken together, that what is said to be elsewhere is on the CPU.

    `self.device = device if device is not None else x.device`, then `if self.device.type == "cpu"`: of each of the two devices
    it is known only together with the other test.
    """
    other = comparison.right if comparison.left == CPU else comparison.left
    if not isinstance(other, NamedDevice) or CPU not in (comparison.left, comparison.right):
        return False
    combined = {test: value for test, value in m.state.assumptions() if parts(test) is not None}
    if not combined:
        return False
    return implied(
        Condition(("device type", other.key, "cpu"), ""), {**combined, **dict(comparison.conditions)}
    )


def declined(m: Machine) -> bool:
    """Whether what runs stands under a test that has not put something on an accelerator which it puts there if it comes out otherwise.

    `x = torch.zeros(3).cuda() if self.dp else torch.zeros(3)`, then `if not self.dp:`: whatever the option is called, it says whether
    accelerators are used, and somebody moves the module, or gives tensors of that place, only where they are.
    """
    return any(
        m.state.assumed(test) is (not side)
        for frame in m.frames
        for owner in (frame.scope, frame.receiver)
        for value in _kept(m, owner)
        for test, side in _choices(m, value)
    )


def _kept(m: Machine, owner: object) -> Iterable[object]:
    """Values of variables or attributes, whatever the path has decided."""
    names = owner.names if isinstance(owner, Scope) else m.state.get(owner, "#names", ())
    return (m.state.get(owner, name) for name in names)  # type: ignore[attr-defined]


def _choices(m: Machine, value: object) -> set[tuple[Condition, bool]]:
    """The tests, and how they come out, that put something on an accelerator, or made it there before somebody moved its module."""
    tensors = [each for each in leaves(value) if isinstance(each, TensorValue)]
    found = {one for each in tensors for one in accelerating_choices(each.device)}
    if type(value) is Either and tensors:
        found |= accelerating_choices(apply(_made_on, value, too_many=UNKNOWN_DEVICE))
    return found.union(*(accelerating_choices(m.state.get(each, "device")) for each in tensors))


def _made_on(value: object) -> Tree:
    return value.device if isinstance(value, TensorValue) else UNKNOWN_DEVICE
