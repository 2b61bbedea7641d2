"""Questions of the semantics of Python and torch about unseen code: answered in `evidence/`, by presumption."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.questions import question

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Mapping

    from devls.engine.core.events.events import ModulesUnregistered
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source
    from devls.values.conditions import Tree
    from devls.values.devices import NamedDevice
    from devls.values.history import Step
    from devls.values.value import Computed, Const, FunctionValue, InstanceValue, Symbol, TensorValue


@question
def as_loaded(m: Machine, symbol: Symbol) -> Step | None:
    """How a tensor of a batch came to be where its loader has put it together; None of anything else."""
    del m, symbol
    return None


@question
def attributes_as_dict(m: Machine, instance: InstanceValue) -> dict[object, object]:
    """Contents of `vars(module)`, hidden modules among them."""
    del m, instance
    return {}


@question
def batch_part_step(m: Machine, tensor: TensorValue) -> Step | None:
    """How a part of a batch came to be where it is, where another part was moved; None of anything else."""
    del m, tensor
    return None


@question
def by_default(m: Machine, tree: Tree) -> Tree:
    """A tree without the tests of options, which come out as their defaults have them."""
    del m
    return tree


@question
def default_of_option(m: Machine, key: object) -> Const | None:
    """The default of a command line option, by the key of what stands for it; None if it is not known."""


@question
def device_meant_by_cuda(
    m: Machine, call: Invocation, tensor: TensorValue
) -> tuple[NamedDevice, bool] | None:
    """Intended device of `x.cuda()`, if not the current card; and whether it came from there.

    The run goes on as if it were there.
    """
    del m, call, tensor
    return None


@question
def device_meant_by_type(
    m: Machine, call: Invocation, tensor: TensorValue, name: Symbol
) -> tuple[Tree, NamedDevice | None, str] | None:
    """Intended device of `x.type(y.type())`; the card that it is not said to be, if it is one; and the name of `y`."""
    del m, call, tensor, name
    return None


@question
def device_of_batch_part(m: Machine, tensor: TensorValue) -> Tree | None:
    """Device of a part of a batch, as far as it follows from those of its other parts; None if nothing follows."""


@question
def device_of_model_result(
    m: Machine,
    function: Symbol,
    arguments: list[object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keywords: Mapping[str, object],
) -> Tree | None:
    """Device of the result of an unseen model; None if that is not known."""


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
def is_evaluation_step(function: FunctionValue) -> bool:
    """Whether a function is one step of an evaluation, whose result somebody reports."""
    del function
    return False


@question
def is_in_tensors(m: Machine, symbol: Symbol) -> bool:
    """Whether something unknown is used as tensors are."""
    del m, symbol
    return False


@question
def is_kept_apart(m: Machine, held: object, written: object) -> bool:
    """Whether a container that was `written` down around a module holds it so that it is not registered."""
    del m, held, written
    return False


@question
def is_loss(m: Machine, function: Symbol, arguments: list[object], node: ast.expr | None = None) -> bool:
    """Whether a call of something unknown computes a loss of tensors."""
    del m, function, arguments, node
    return False


@question
def is_model(m: Machine, owner: Symbol) -> bool:
    """Whether something unknown is a module."""
    del m
    return owner.hint == "module"


@question
def is_model_called(m: Machine, function: Symbol, node: ast.expr | None) -> bool:
    """Whether something unknown is a module, going by the name by which it is called."""
    del m, function, node
    return False


@question
def is_model_made(m: Machine, call: ast.expr, arguments: list[object]) -> bool:
    """Whether an object of a class that is not seen is a module, going by what is done with it."""
    del m, call, arguments
    return False


@question
def is_object_made(m: Machine, call: ast.expr) -> bool:
    """Whether what a call of unseen code returns is asked for methods that nothing has which is computed: an object is made."""
    del m, call
    return False


@question
def is_object_imported(m: Machine, name: str) -> bool:
    """Whether what is imported under a name, from a module that is not seen, is a model, an optimizer, a loss or a loader."""
    del m, name
    return False


@question
def is_part_made(m: Machine, call: ast.expr) -> bool:
    """Whether an object of a class that is not seen is made a part of a module, whose `forward` calls it."""
    del m, call
    return False


@question
def item_handed_out(m: Machine, owner: Symbol, item: Symbol) -> None:
    """An item is taken of something unknown, which may be a loader."""
    del m, owner, item


@question
def layers_unregistered(m: Machine, event: ModulesUnregistered) -> None:
    """Tell that a module keeps layers or parameters in a plain container, with what that rests on."""
    m.emit(event)


@question
def is_moved_as_model(m: Machine, owner: Symbol, node: ast.expr) -> bool:
    """Whether something unknown that a call moves is a module, also by what its result is called."""
    del m, node
    return owner.hint == "module"


@question
def is_named_like_loader(name: str) -> bool:
    """Whether something hands out batches as they were put together, going by its name."""
    del name
    return False


@question
def is_named_like_model(name: str) -> bool:
    """Whether a variable holds a model, going by its name."""
    del name
    return False


@question
def is_named_like_noise(name: str) -> bool:
    """Whether a variable holds noise, which nobody trains, going by its name."""
    del name
    return False


@question
def is_named_like_optimizer(name: str) -> bool:
    """Whether a variable holds an optimizer, going by its name."""
    del name
    return False


@question
def is_read_back(source: Source, call: ast.Call, path: ast.expr | None) -> bool:
    """Whether what a file loads by a call from a path is what it has saved there itself."""
    del source, call, path
    return False


@question
def is_unit_test(function: FunctionValue) -> bool:
    """Whether a function tests code, not a model: on a little data, all of which goes with it."""
    del function
    return False


@question
def meant_by_unbound(m: Machine, name: str) -> object | None:
    """Meaning of a name that is read and that nothing has bound; None if that is not known."""


@question
def late_names_forgotten(m: Machine) -> None:
    """Names that functions set are forgotten in modules that the file has met since it was run."""


@question
def may_be_without_grad(m: Machine, *, in_packages: bool = False) -> bool:
    """Whether those who call what runs by itself may have switched gradients off."""
    del m, in_packages
    return False


@question
def may_have_parameters(m: Machine, module: InstanceValue) -> bool:
    """Whether the constructor of a module that was not run makes parameters."""
    del m, module
    return False


@question
def method_not_run(m: Machine, function: FunctionValue, receiver: object, given: Iterable[object]) -> None:
    """Effect of a method whose body is not run: the parts of its object that it moves are moved."""


@question
def model_loaded(m: Machine, loaded: TensorValue, symbol: Symbol) -> object:
    """Effect of calling a loaded object: a model that was saved as a whole."""
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
def speaks_of_saving(text: str) -> bool:
    """Whether a file has something to load, going by what it speaks of."""
    del text
    return False


@question
def tensors_tokenized(m: Machine, tokens: Symbol, node: ast.expr) -> None:
    """Unseen code was asked for tensors of a text or an image: `tokenizer(text, return_tensors="pt")`."""
    del m, tokens, node


@question
def unseen_method_called(
    m: Machine,
    function: Symbol,
    arguments: list[object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keywords: Mapping[str, object],
) -> None:
    """Something unknown was called that may be a method of a model: `model.to_device(x)`."""
