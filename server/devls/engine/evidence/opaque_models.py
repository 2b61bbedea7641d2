"""Models of which we see no code: what they most likely do with devices.

A model that was moved is where it was moved to, and computes there; one of which we do not know
where it is computes where its inputs are.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, priors, program_moments
from devls.engine.core.events.events import FlagWithoutEffect
from devls.engine.evidence import (
    batch_provenance,
    loaded_batches,
    naming_priors,
    use_of_modules,
    use_of_names,
)
from devls.engine.python import classes
from devls.engine.torch import checkpoints
from devls.engine.torch.functions import surroundings
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors import device_check
from devls.library.effects import Role
from devls.syntax.layout import dotted
from devls.syntax.nodes import of_tree, walk
from devls.values.conditions import Either, leaves
from devls.values.devices import CPU, UNKNOWN_DEVICE, NamedDevice, describe
from devls.values.history import Site, Step
from devls.values.value import Const, InstanceValue, Symbol, TensorValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source
    from devls.values.conditions import Tree
    from devls.values.value import FunctionValue


@priors.is_model.answer
def is_module_like(m: Machine, owner: Symbol) -> bool:
    """Whether an unknown thing is a Module, going by how it is used and what it is called."""
    if owner.hint == "module" or m.state.get(owner, "is module") is not None:
        return True
    if owner.hint or owner in m.inferred or m.state.get(owner, "has shape") is True:
        return False
    return _is_said_to_be_module(m, owner) or _is_part_called(m, owner)


@priors.is_loss.answer
def is_loss(m: Machine, function: Symbol, arguments: list[object], node: ast.expr | None = None) -> bool:
    """Whether something unknown computes a loss of what it is given, by its name or by a backward on what it returns."""
    called = dotted(node.func) if isinstance(node, ast.Call) else ""
    if not arguments or function.hint or naming_priors.FUNCTION.search(function.text):
        return False
    if naming_priors.COMPUTES_LOSS.search(function.text):
        return True
    computes = any(m.tensor_of(each, infer=False) is not None or is_computed(m, each) for each in arguments)
    # A model that computes its loss itself may be given texts, or what it moves.
    if not computes or is_module_like(m, function):
        return False
    return any(use_of_modules.is_called_as_loss(m, each) for each in {function.text, called} - {""})


def _is_said_to_be_module(m: Machine, owner: Symbol) -> bool:
    """Whether its annotation says so, its name, or what the code around asks it for."""
    named = owner.hint == "module" or _sounds_like_module(owner.text)
    return named or use_of_modules.is_used_as_module(m, owner)


def _is_part_called(m: Machine, owner: Symbol) -> bool:
    """Whether `forward` calls what its module was given when it was built, or what its class does not set: that is a part."""
    key, frame = owner.key, m.frames[-1]
    module = frame.receiver
    if _is_of_lone_forward(m, owner):
        return naming_priors.FUNCTION.search(owner.text) is None
    if (
        type(key) is not tuple
        or frame.function is None
        or frame.function.name not in ("forward", "__init__")
        or not isinstance(module, InstanceValue)
        or module.cls is None
        or not registry.is_module(m, module)
    ):
        return False
    if key[0] == "parameter":
        return key[2] in use_of_modules.parts_called(module.cls.node)
    return (
        frame.function.name == "forward"
        and key[0] == "attr"
        and key[1] == id(module)
        and m.state.get(module, "#open") is None
        and not any(map(library_semantics.is_unseen, classes.library_bases(m, module.cls)))
    )


def _is_of_lone_forward(m: Machine, owner: Symbol) -> bool:
    """Whether something is an attribute of `self` in a `forward` of which the class is not shown."""
    function, key = m.frames[-1].function, owner.key
    if function is None or function.name != "forward" or function.cls is not None:
        return False
    whole = key[1] if type(key) is tuple and key[0] == "attr" else None
    return type(whole) is tuple and whole[0] == "parameter" and whole[2] == "self"


@functools.lru_cache(maxsize=1024)
def _sounds_like_module(text: str) -> bool:
    if naming_priors.MODEL.search(text):
        return naming_priors.FUNCTION.search(text) is None
    return naming_priors.MAKES_MODEL.search(text) is not None


def is_saved_module(symbol: Symbol) -> bool:
    """Whether something is read from a checkpoint under the name of a model: `checkpoint["model"]`."""
    key = symbol.key
    if (
        not isinstance(key, tuple)
        or len(key) != 3
        or key[0] != "item"
        or not checkpoints.is_read_from_load(key)
    ):
        return False
    name = key[2].value if isinstance(key[2], Const) else None
    return isinstance(name, str) and naming_priors.MODEL.search(name) is not None


@priors.is_model_made.answer
def is_model_made(m: Machine, call: ast.expr, arguments: list[object]) -> bool:
    """Whether what a class makes is called, and is moved, named like a model, asked for its parameters, or kept in a list by a module."""
    statement = m.frames[-1].statement
    if arguments and use_of_modules.is_put_into_list(m, call):
        return True
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    value, moved = statement.value, False
    while isinstance(value, ast.Call) and value is not call and isinstance(value.func, ast.Attribute):
        moved = moved or use_of_names.moves(value)
        value = value.func.value  # `Net(...).to(device).train()`
    target = statement.targets[0]
    return value is call and use_of_modules.is_called_as_model(m, target, moved=moved)


@priors.is_model_called.answer
def is_model_called(m: Machine, function: Symbol, node: ast.expr | None) -> bool:
    """Whether what has no name of its own, such as a result or an entry, is called by that of a model, or as models are."""
    name = dotted(node.func) if isinstance(node, ast.Call) else ""
    if not name or name == function.text or function.hint or function in m.inferred:
        return False
    return _sounds_like_module(name) or use_of_modules.is_called_like_module(m, name)


@priors.is_moved_as_model.answer
def is_moved_as_model(m: Machine, owner: Symbol, node: ast.expr) -> bool:
    """Whether an unknown thing that is moved is a model, going by that, its name, or what it is called from now on."""
    return (
        is_module_like(m, owner)
        or assigned_to_module_name(m, node)
        or is_saved_module(owner)
        or (isinstance(owner.key, tuple) and owner.key[0] == surroundings.OF_HUB)
    )


def assigned_to_module_name(m: Machine, node: ast.expr) -> bool:
    """Whether a call is the right side of `model = ...`."""
    statement = m.frame.statement
    if not isinstance(statement, ast.Assign) or statement.value is not node or len(statement.targets) != 1:
        return False
    return bool(naming_priors.MODEL.search(m.text(statement.targets[0])))


def shown(m: Machine) -> bool:
    """Whether the program has shown what the running function is given."""
    return m.frame.function is not None and m.frame.function.node in m.executed_by_program


@program_moments.flag_set.on
def flag_set(
    m: Machine,
    target: ast.Attribute,
    owner: object,
    name: str,
    node: ast.expr | None,
    problem: str = "a module has no such flag",
) -> None:
    """`model.requires_grad = False`: a new attribute, which nobody reads."""
    if shown(m) and m.state.get(owner, registry.IS_MODULE) is None:
        return
    m.emit(
        FlagWithoutEffect(
            m.site(target), m.frame.statement, m.text(target.value), problem, target.value, name, node
        )
    )


@priors.model_loaded.answer
def model_of(m: Machine, loaded: TensorValue, symbol: Symbol) -> object:
    """A loaded value that is called: a model, at the location of the load."""
    if not checkpoints.is_loaded(m, symbol):
        return loaded
    step = m.state.get(loaded, "device_step", loaded.device_step)
    m.state.set(symbol, "is module", True)
    if isinstance(step, Step):
        m.state.set(symbol, "#module device", (m.device(loaded), step.site))
    return symbol


@priors.device_of_model_result.answer
def result_device(
    m: Machine,
    function: Symbol,
    arguments: list[object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keywords: Mapping[str, object],
) -> Tree | None:
    """Device of the results of an unknown model; its inputs are checked against where it was moved.

    None where nothing speaks for any place.
    """
    tensors = [
        (tensor, argument)
        for at, (value, argument) in enumerate(zip(arguments, nodes, strict=False))
        if (tensor := m.tensor_of(value, infer=_is_said_to_be_one(m, value, first=at == 0))) is not None
    ]
    if is_loss(m, function, arguments, node) and not isinstance(
        m.state.get(function, "#module device"), tuple
    ):
        compared = _device_of_loss(m, function, arguments, node, nodes)
        if compared is not None or not is_module_like(m, function):
            return compared
    if node is not None and len(arguments) > 1 and naming_priors.COMPUTES_LOSS.search(function.text):
        _check_loss(m, function, arguments, node, nodes)
    placed = m.state.get(function, "#module device")
    made = m.state.get(function, registry.MADE_ON_CPU) if placed is None else None
    # A value made by a constructor before a method runs by itself is a part of its module, and moves along.
    kept = any(each.symbolic for each in m.frames) and function.serial < m.run_began
    if isinstance(made, Site) and not kept and use_of_modules.is_never_moved(m, node):
        placed = (CPU, made)
    if isinstance(placed, tuple):
        device, site = placed
        if node is not None and isinstance(site, Site):
            tensors += loaded_batches.named_inputs(m, node, keywords)
            apart = _check_inputs(m, function, device, site, node, tensors, made=placed[1] is made)
            if apart:
                return None
        return device if batch_provenance.is_somewhere(device) else None
    seen = m.frame.function is not None and m.frame.function.node in m.executed_by_program
    given = (
        function.named
        and function.plausible
        and not _called_for_its_effect(m, function, node)
        # A part that is no more than called may as well be a function, and take some of it from the CPU.
        and (_is_said_to_be_module(m, function) or not _is_part_called(m, function))
    )
    place = None
    if given and node is not None and function.site is not None and not seen:
        # Its caller has put it somewhere: what this function makes without asking where is on the CPU.
        parameters = Symbol(("parameter of", function.key), f"a parameter of {function.text}")
        place = NamedDevice(("attr", parameters.key, "device"), f"{function.text}'s device", chosen=False)
        fresh = [each for each in tensors if each[0].symbol is None]
        _check_inputs(m, function, place, function.site, node, fresh, given=True)
    devices = [m.device(tensor) for tensor, _ in tensors]
    if all(each == UNKNOWN_DEVICE for each in devices):
        return place
    if batch_provenance.is_somewhere(devices[0]) and all(each == devices[0] for each in devices):
        return devices[0]
    return None


def _device_of_loss(
    m: Machine, function: Symbol, arguments: list[object], node: ast.expr | None, nodes: list[ast.expr | None]
) -> Tree | None:
    """Device of a loss: that of the model's prediction, which all other operands must share."""
    predicted = m.tensor_of(arguments[0])
    if predicted is None or not batch_provenance.is_somewhere(m.device(predicted)):
        return None
    if node is None or len(arguments) < 2:
        return m.device(predicted)
    _check_loss(m, function, arguments, node, nodes)
    operands = [(Role.EXACT, device_check.operand(m, predicted, nodes[0]))]
    for value, argument in zip(arguments[1:], nodes[1:], strict=False):
        tensor = m.tensor_of(value, infer=False)
        if tensor is not None and tensor.symbol is None:
            operands.append((Role.ELEMENT, device_check.operand(m, tensor, argument)))
    return device_check.check(m, node, function.text, operands)[0]


def _check_loss(
    m: Machine, function: Symbol, arguments: list[object], node: ast.expr, nodes: list[ast.expr | None]
) -> None:
    """A loss compares what a model predicts with a part of the batch: one that was left behind while the other was moved."""
    predicted = m.tensor_of(arguments[0])
    wanted = m.resolve(arguments[1])
    if predicted is None or not isinstance(wanted, Symbol) or wanted.part_of is None or len(nodes) < 2:
        return
    if m.state.get(wanted.part_of, "#parts moved") is None or naming_priors.FUNCTION.search(function.text):
        return
    if not batch_provenance.is_somewhere(m.device(predicted)):
        return
    target = m.as_tensor(wanted)
    operands = [
        (Role.EXACT, device_check.operand(m, predicted, nodes[0])),
        (Role.EXACT, device_check.operand(m, target, nodes[1])),
    ]
    device_check.check(m, node, function.text, operands)


def _is_said_to_be_one(m: Machine, value: object, *, first: bool) -> bool:
    """Whether something is annotated or documented as a tensor, or what a model has returned somewhere.

    The first part of a batch that a model is given is one, too: others may be strings.
    """
    found = m.resolve(value)
    return isinstance(found, Symbol) and (
        found.hint == "tensor"
        or (found.computed is not None and found.device is not None)
        or (first and loaded_batches.as_loaded(m, found) is not None)
    )


@priors.unseen_method_called.answer
def method_called(
    m: Machine,
    function: Symbol,
    arguments: list[object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keywords: Mapping[str, object],
) -> None:
    """`model.generate(ids)`: methods that run a model check what they run it on; what they do with the rest is theirs to say."""
    key = function.key
    if not (isinstance(key, tuple) and len(key) == 3 and key[0] == "attr" and isinstance(key[2], str)):
        return
    if (
        not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or not naming_priors.RUNS_MODEL.fullmatch(key[2])
    ):
        return
    owner = Symbol(
        key[1],
        function.text.removesuffix(f".{key[2]}"),
        named=function.named,
        plausible=function.plausible,
        site=function.site or m.site(node.func),
    )
    searches = (
        key[2].startswith(("encode", "decode"))
        and naming_priors.SEARCH_OR_TABLE.search(owner.text) is not None
    )
    if searches and m.state.get(owner, "is module") is None:
        return
    if is_module_like(m, owner):
        runs = next(
            (at for at, each in enumerate(arguments) if m.tensor_of(each, infer=False) is not None), 0
        )
        result_device(m, owner, arguments[: runs + 1], node, nodes[: runs + 1], keywords)


def _called_for_its_effect(m: Machine, function: Symbol, node: ast.expr | None) -> bool:
    """Whether it is a method of something else of which nobody wants a result: `sentence.set_embedding(x)`."""
    statement = m.frame.statement
    if not isinstance(statement, ast.Expr) or statement.value is not node or not isinstance(node, ast.Call):
        return False
    called = node.func
    return (
        isinstance(called, ast.Attribute)
        and function.text.endswith(f".{called.attr}")
        and not (isinstance(called.value, ast.Name) and called.value.id == "self")
    )


@priors.result_not_run.answer
def not_run(
    m: Machine, function: FunctionValue, receiver: object, arguments: list[object], node: ast.expr | None
) -> Symbol:
    """The result of a body that is not run is unknown; but a model wants its first input where its parameters are."""
    module = m.resolve(receiver)
    if function.name != "forward" or not isinstance(module, InstanceValue) or not isinstance(node, ast.Call):
        return _made_of(m, function, arguments, node)
    device = registry.device(m, module)
    weight = next(iter(registry.parameters(m, module)), None)
    moved = m.state.get(module, "#moved")
    has_weights = weight is not None or not registry.is_whole(m, module)
    if (
        device in (None, UNKNOWN_DEVICE) and isinstance(moved, Step) and has_weights
    ):  # of parts of which we see nothing
        device = m.state.get(module, "moved to")
        weight = TensorValue(device=device, is_parameter=True, nonscalar=True, device_step=moved)
    if weight is None or device is None or all(leaf in (CPU, UNKNOWN_DEVICE) for leaf in leaves(device)):
        return _made_of(m, function, arguments, node)
    text = m.text(node.func)
    # A part that is spread over cards takes what it is given there itself.
    spread = any(m.state.get(each, "#wrapped") is not None for each in registry.walk(m, module))
    if not spread and not _places_its_inputs(function.source, function.node):
        tensor = m.tensor_of(arguments[1], infer=False) if len(arguments) > 1 and node.args else None
        # Arguments after the first input, and integers, may be indices, which torch takes from the CPU too.
        if tensor is not None and tensor.dtype not in ("int64", "int32", "bool"):
            own = (Role.EXACT, device_check.operand(m, weight, None, text=text))
            device_check.check(
                m, node, text, [own, (Role.EXACT, device_check.operand(m, tensor, node.args[0]))], layer=True
            )
    return _made_of(m, function, arguments, node)


def _made_of(m: Machine, function: FunctionValue, arguments: list[object], node: ast.expr | None) -> Symbol:
    """Not known, but for where it is: what a body makes that is not run, and moves nothing, is where what it is given is."""
    prepares = batch_provenance.works_on_host(function.name)
    found = m.unknown(node, f"{function.name}(...)" if prepares else "")
    for each in arguments if not _places_its_inputs(function.source, function.node) else ():
        value = m.resolve(each)
        if isinstance(value, Symbol):
            given = device_check.parameter_behind(value.key)
        else:
            given = device_check.parameter_of(m.device(value)) if isinstance(value, TensorValue) else None
        if given is not None:
            return Symbol((device_check.MADE_OF, given, found.key), "?")
    return found


_PLACES: Final = ("to", "cuda", "cpu", "device", "type_as", "to_device")
_OF_PLACES: Final = tuple(f".{each}" for each in _PLACES)


@of_tree(maxsize=256)
def _places_its_inputs(source: Source, node: ast.AST) -> bool:
    """Whether a `forward` that is not run says something of devices: then it may take inputs from anywhere."""
    return source.mentions(node, *_OF_PLACES) and any(
        isinstance(each, ast.Attribute) and each.attr in _PLACES for each in walk(node)
    )


def is_computed(m: Machine, value: object) -> bool:
    """Whether a model of which no code is seen has made something, with a graph or without."""
    symbol = m.resolve(value)
    return isinstance(symbol, Symbol) and symbol.computed is not None


def _may_be_anywhere(m: Machine, tensor: TensorValue, node: ast.expr | None) -> bool:
    """Whether code out of sight may well take a tensor from the CPU: places, or sizes that were made where none were given.

    One axis of int32 is no labels, which are int64, but lengths: `pack_padded_sequence` wants those on the CPU.
    """
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    if tensor.dtype == "int32" and (tensor.shape is None or len(tensor.shape) == 1):
        return True
    return naming_priors.INDEX.search(name) is not None or (
        naming_priors.SIZE.search(name) is not None and isinstance(m.device(tensor), Either)
    )


def _is_of_loader(tensor: TensorValue) -> bool:
    """Whether something is of a batch that a DataLoader has collated, which is seen."""
    return tensor.device_step is not None and tensor.device_step.kind == "loaded"


def _check_inputs(
    m: Machine,
    function: Symbol,
    device: Tree,
    site: Site,
    node: ast.expr,
    tensors: list[tuple[TensorValue, ast.expr | None]],
    *,
    made: bool = False,
    given: bool = False,
) -> bool:
    """Whether inputs of a model are apart from the device that it was moved to, is made on, or that its caller has given it."""
    story = f"was moved to `{describe(device)}`"
    if made or given:
        story = "is made on the CPU" if made else "comes from the caller"
    # A value made by a method that other classes define has no name of its own.
    nameless = function.text == "?" or function.text.endswith("(...)")
    name = m.text(node.func) if nameless and isinstance(node, ast.Call) else function.text
    step = Step(f"`{name}` {story}", site, kind=use_of_modules.MADE_UNSEEN if made else "moved")
    weight = TensorValue(device=device, is_parameter=True, nonscalar=True, device_step=step)
    operands: list[tuple[Role, Operand]] = [
        (Role.EXACT, device_check.operand(m, weight, None, text=f"the parameters of {name}"))
    ]
    operands += [
        (Role.EXACT, device_check.operand(m, tensor, argument))
        for tensor, argument in tensors
        if (tensor.symbol is None or tensor.symbol.part_of is not None or _is_of_loader(tensor))
        and not _may_be_anywhere(m, tensor, argument)
    ]
    return len(operands) > 1 and device_check.check(m, node, name, operands, layer=True)[2]
