"""Questions of Python's semantics to the library: the answers are given where the library is modelled, in `torch/`.

Questions that depend on the class of one value alone are tables, in `transfer.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.questions import question

if TYPE_CHECKING:
    import ast

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.joins import Entries
    from devls.engine.core.machine import Machine
    from devls.values.value import FunctionValue, InstanceValue, TensorValue


@question
def attribute_of_instance(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, owner: InstanceValue, name: str
) -> object:
    """An attribute that an instance has from its library class; None if that is not known."""


@question
def body_not_run(
    m: Machine,
    function: FunctionValue,
    receiver: object,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    *,
    building: bool,
) -> object:
    """The result of a call whose body is not run, and what it may have done; `building` inside of a constructor."""
    del function, receiver, building
    for value in (*arguments, *keywords.values()):
        m.escape(value)
    return m.unknown(node)


Side = tuple["ast.expr", object, "TensorValue | None"]
"""One side of an operator: its expression, its value, and the tensor that this is."""


@question
def combine_tensors(m: Machine, node: ast.expr | ast.stmt, method: str, left: Side, right: Side) -> object:
    """The result of an operator of which one operand is a tensor."""
    del method, left, right
    return m.unknown(node)


@question
def combine_arrays(m: Machine, node: ast.AST, left: object, right: object) -> object | None:
    """The result of an operator of which one operand is an array of numpy; None if none is."""
    del m, node, left, right
    return None


@question
def construct(
    m: Machine,
    instance: InstanceValue,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
) -> None:
    """The constructor of the library class that an instance derives from."""


@question
def describe_instance(m: Machine, instance: InstanceValue) -> str | None:
    """One line that says what is known of an object of a library; None for what is described by its class."""


@question
def display_made(m: Machine, values: list[tuple[object, ast.expr]]) -> None:
    """A tuple or dict is written down that holds these values."""


@question
def dtype_name(value: object) -> str | None:
    """The one name of a dtype, whatever it is called; None for what is none."""


@question
def element_of_instance(
    m: Machine, value: InstanceValue, node: ast.expr | None, number: int
) -> object | None:
    """Items of a library object that is iterated; None when that is not known."""


@question
def instance_escaped(m: Machine, instance: InstanceValue) -> None:
    """Code that is not seen holds an object, and may have done anything to it."""


@question
def is_module_name(m: Machine, name: str) -> bool:
    """Whether a library class is a Module."""
    del m, name
    return False


@question
def is_unseen(name: str) -> bool:
    """Whether nothing is known of a class of a library: its objects may be modules."""
    return name in ("", "?")


@question
def item_of_instance(m: Machine, owner: InstanceValue, index: object, node: ast.Subscript) -> object:
    """`owner[index]` of a library object."""
    del owner, index
    return m.unknown(node)


@question
def items_of_instance(m: Machine, value: InstanceValue) -> list[object] | None:
    """Items of a library object, where they are known one by one."""


@question
def lacks_attribute(m: Machine, value: InstanceValue, name: str) -> bool:
    """Whether no object of a library's class has an attribute."""
    del m, value, name
    return False


@question
def negate_tensor(
    m: Machine, node: ast.expr, method: str, operand_node: ast.expr, tensor: TensorValue
) -> object:
    """The result of an operator with one operand: `-x`, `+x`, `~x`."""
    del method, operand_node, tensor
    return m.unknown(node)


@question
def number_computed(m: Machine, result: object, *operands: object) -> None:
    """A number was computed from others, which may have been read from tensors."""


@question
def path_of(m: Machine, value: object) -> object:
    """Identity of a file by the path that is given for it."""


@question
def registered_entry(m: Machine, module: object, entries: Entries, index: object, value: object) -> None:
    """`module._parameters[name] = value`: an entry was put among those that a module registers."""


@question
def set_attribute_of_module(
    m: Machine,
    target: ast.Attribute,
    owner: InstanceValue,
    name: str,
    value: object,
    node: ast.expr | None,
    *,
    augmented: bool,
) -> None:
    """`module.name = value`."""
    del target, node, augmented
    m.state.set(owner, name, value)


@question
def set_under_unknown_name(m: Machine, owner: InstanceValue, value: object) -> None:
    """`setattr(owner, name, value)` with a name that is not known."""


@question
def set_item_of_instance(m: Machine, owner: InstanceValue, index: object, value: object) -> None:
    """`owner[index] = value` of a library object."""


@question
def unknown_call(m: Machine, call: Invocation) -> object:
    """The result of a library function that nobody has described."""
    for value in (*call.arguments, *call.keywords.values()):
        m.escape(value)
    return m.unknown(call.node)
