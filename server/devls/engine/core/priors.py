"""What may be presumed of code that is not there: asked on lower floors, answered in `evidence/`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.questions import question

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.value import Computed, Const, FunctionValue, InstanceValue, Symbol, TensorValue


@question
def attributes_as_dict(m: Machine, instance: InstanceValue) -> dict[object, object]:
    """What is known of `vars(module)`, hidden modules among it."""
    del m, instance
    return {}


@question
def default_of_option(m: Machine, key: object) -> Const | None:
    """The default of a command line option, by the key of what stands for it; None if it is not known."""


@question
def device_of_batch_part(m: Machine, tensor: TensorValue) -> Tree | None:
    """Where a part of a batch is, as far as that follows from where others of its parts are; None if nothing follows."""


@question
def device_of_model_result(
    m: Machine,
    function: Symbol,
    arguments: list[object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
) -> Tree | None:
    """Where the result of a model is of which no code is seen; None if that is not known."""


@question
def graph_of_model_result(
    m: Machine, function: Symbol, arguments: list[object], node: ast.expr
) -> Computed | None:
    """The graph behind what a model returns of which no code is seen; None if that is not known."""


@question
def is_batch_part(symbol: Symbol) -> bool:
    """Whether something unknown is a part of a batch: it has an axis for the items."""
    del symbol
    return False


@question
def is_in_tensors(m: Machine, symbol: Symbol) -> bool:
    """Whether something unknown is used as tensors are."""
    del m, symbol
    return False


@question
def is_model(m: Machine, owner: Symbol) -> bool:
    """Whether something unknown is a module."""
    del m
    return owner.hint == "module"


@question
def late_names_forgotten(m: Machine) -> None:
    """Names that functions set are forgotten in modules that the file has met since it was run."""


@question
def method_not_run(m: Machine, function: FunctionValue, receiver: object, given: Iterable[object]) -> None:
    """What a method may have done whose body is not run: what it moves of its object is moved."""


@question
def model_loaded(m: Machine, loaded: TensorValue, symbol: Symbol) -> object:
    """What is called where something that was loaded is: a model that was saved as a whole."""
    del m, symbol
    return loaded


@question
def result_not_run(
    m: Machine, function: FunctionValue, receiver: object, arguments: list[object], node: ast.expr | None
) -> object:
    """The result of a function whose body is not run."""
    del function, receiver, arguments
    return m.unknown(node)


@question
def unseen_method_called(
    m: Machine,
    function: Symbol,
    arguments: list[object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
) -> None:
    """Something unknown was called that may be a method of a model: `model.to_device(x)`."""
