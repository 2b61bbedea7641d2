"""Data loading, wrappers, configuration and the standard library."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, moments, training_moments
from devls.engine.core.joins import Contents
from devls.engine.core.slots import set_slot
from devls.engine.python import builtins, calls, iteration, narrowing
from devls.engine.torch import checkpoints, data, optimizer_construction
from devls.engine.torch.nn import construction as module_construction
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors import writes
from devls.values.devices import UNKNOWN_DEVICE, describe
from devls.values.graph import Storage
from devls.values.history import Step
from devls.values.value import (
    NONE,
    TRUE,
    ClassValue,
    Const,
    FunctionValue,
    InstanceValue,
    LibraryName,
    NativeFunction,
    PartialValue,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


def drawn(m: Machine, call: Invocation) -> object:
    """`random.choice(items)`: one of them."""
    return iteration.element(m, call.argument(0, "seq"), call.node, 0)


def several_drawn(m: Machine, call: Invocation) -> object:
    """`random.sample(items, k)`, `random.choices(items)`: some of them, in a list."""
    items = m.resolve(call.argument(0, "population"))
    if not isinstance(items, Sequence):
        return m.unknown(call.node)
    made = m.new_list((), call.node)
    m.state.set(made, "#items", Contents(None, iteration.element(m, items, call.node, 0)))
    return made


DISTRIBUTED_SAMPLER: Final = "torch.utils.data.distributed.DistributedSampler"


def data_loader(m: Machine, call: Invocation) -> object:
    result = InstanceValue(None, "torch.utils.data.DataLoader", m.site(call.node))
    dataset = call.argument(0, "dataset")
    training_moments.loader_built(m, call)
    m.state.set(result, "dataset", m.unknown() if dataset is None else dataset)
    if data.holds_elsewhere(m, dataset):
        m.state.set(result, data.HELD_ELSEWHERE, True)
    if "collate_fn" in call.keywords:
        m.state.set(result, "collate_fn", call.keywords["collate_fn"])
    if "sampler" in call.keywords:
        m.state.set(result, "sampler", call.keywords["sampler"])
    return result


def random_sampler(m: Machine, call: Invocation) -> object:
    training_moments.sampler_built(m, call)
    return InstanceValue(None, "torch.utils.data.RandomSampler", m.site(call.node))


def distributed_sampler(m: Machine, call: Invocation) -> object:
    """A sampler that gives each process its part of the data."""
    sampler = InstanceValue(None, DISTRIBUTED_SAMPLER, m.site(call.node))
    shuffle = call.argument(3, "shuffle")
    m.state.set(sampler, "shuffle", TRUE if shuffle is None else shuffle)
    return sampler


def tensor_dataset(m: Machine, call: Invocation) -> object:
    result = InstanceValue(None, "torch.utils.data.TensorDataset", m.site(call.node))
    m.state.set(result, "dataset items", tuple(call.arguments))
    return result


def random_split(m: Machine, call: Invocation) -> object:
    result = m.new_list((), call.node)
    part = InstanceValue(None, "torch.utils.data.Subset", m.site(call.node))
    m.state.set(part, "#argument", call.arguments[0] if call.arguments else m.unknown())
    m.state.set(result, "#items", Contents(None, part))
    return result


def checkpoint(m: Machine, call: Invocation) -> object:
    """`checkpoint(function, *args)`: the function's result, its graph not walked into."""
    keywords = {
        key: value
        for key, value in call.keywords.items()
        if key not in ("use_reentrant", "preserve_rng_state")
    }
    if not call.arguments:
        return m.unknown(call.node)
    training_moments.checkpointed(m, call)
    return calls.call(m, call.arguments[0], call.arguments[1:], keywords, call.node, call.nodes[1:])


def first_argument(_m: Machine, call: Invocation) -> object:
    """Returns what it is given, for our purposes: `torch.compile`, `tqdm`."""
    if call.arguments:
        return call.arguments[0]
    return next(iter(call.keywords.values()), NONE)


OF_HUB: Final = "hub"
"""Begins the key of what `torch.hub.load` has given: a model as soon as it is moved."""


def hub_load(m: Machine, call: Invocation) -> object:
    """`torch.hub.load`: a model, a table of words, or several things."""
    return Symbol((OF_HUB, m.fresh_number()), f"{call.short_name}(...)")


def chain(m: Machine, call: Invocation) -> object:
    """`itertools.chain(a, b)`: the items of each."""
    found: list[object] = []
    whole = "*" not in call.keywords
    for value, node in zip(call.arguments, call.nodes, strict=False):
        items = iteration.items(m, value, node)
        if items is None:
            whole = False
            found.append(iteration.element(m, value, node, 0))
        else:
            found += items
    result = m.new_list((), call.node, "iterator")
    m.state.set(
        result, "#items", Contents(tuple(found)) if whole else Contents(None, m.any_of((*found, m.unknown())))
    )
    return result


def identity_decorator(m: Machine, call: Invocation) -> object:
    """A decorator factory that changes nothing that matters: `functools.wraps(f)`."""
    del m, call
    return NativeFunction("identity", lambda arguments, _keywords: arguments[0] if arguments else NONE)


def compile_(m: Machine, call: Invocation) -> object:
    if call.arguments:
        return call.arguments[0]
    return identity_decorator(m, call)


def partial(m: Machine, call: Invocation) -> object:
    if not call.arguments:
        return m.unknown(call.node)
    return PartialValue(call.arguments[0], tuple(call.arguments[1:]), dict(call.keywords))


def initialize(m: Machine, call: Invocation) -> object:
    """`nn.init.*`: writes under no_grad of its own, returns the tensor; `_calculate_correct_fan(...)` counts its sizes."""
    if call.short_name.startswith("_") and not call.short_name.endswith("_"):
        return m.unknown(call.node)
    tensor = m.tensor_of(call.arguments[0]) if call.arguments else None
    if tensor is None:
        return m.unknown(call.node)
    writes.touch(m, tensor, call.node)
    return tensor


def scheduler(m: Machine, call: Invocation) -> object:
    """A learning-rate scheduler keeps the optimizer, and touches no gradient."""
    result = InstanceValue(None, call.name, m.site(call.node))
    optimizer = call.argument(0, "optimizer")
    if optimizer is not None:
        m.state.set(result, "#optimizer", optimizer)
        m.state.set(m.resolve(optimizer), "has stepped", None)
        training_moments.scheduler_built(m, result, m.resolve(optimizer), call)
    return result


def printed(m: Machine, call: Invocation) -> object:
    """`print(x)`: of a tensor, the numbers."""
    for value, node in zip(call.arguments, call.nodes, strict=False):
        tensor = m.resolve(value)
        if isinstance(tensor, TensorValue):
            moments.contents_read(m, call.node, tensor, m.text(node) if node is not None else "the tensor")
            moments.host_waits(m, call.node, m.device(tensor))
    return NONE


def synchronize(m: Machine, _call: Invocation) -> object:
    """`torch.cuda.synchronize()`, `event.synchronize()`: whatever was under way has arrived."""
    training_moments.synchronized(m)
    return NONE


def nothing(_m: Machine, _call: Invocation) -> object:
    return NONE


def dataclass_fields(m: Machine, call: Invocation) -> object:
    """`dataclasses.fields(x)`: objects with a name each."""
    owner = m.resolve(call.arguments[0]) if call.arguments else NONE
    cls = owner.cls if isinstance(owner, InstanceValue) else owner
    if not isinstance(cls, ClassValue) or cls.dataclass_fields is None:
        return m.unknown(call.node)
    found: list[object] = []
    for name, _, _ in cls.dataclass_fields:
        each = InstanceValue(None, "dataclasses.Field", m.site(call.node))
        m.state.set(each, "name", Const(name))
        found.append(each)
    return TupleValue(tuple(found))


def parse_args(m: Machine, call: Invocation) -> object:
    """`parser.parse_args()`: options that the user of the program chooses."""
    receiver = call.receiver if call.is_method else None
    return Symbol(("options", id(receiver)), _target_name(m, "args"), named=True, plausible=True)


def add_argument(m: Machine, call: Invocation) -> object:
    """`parser.add_argument("--workers", default=4)`: what an option is, unless the user of the program says otherwise."""
    names = [each.value for each in map(m.resolve, call.arguments) if isinstance(each, Const)]
    options = [each for each in names if isinstance(each, str)]
    default, dest = call.keyword(m, "default"), call.keyword(m, "dest")
    flag = call.keyword(m, "action")
    if default is None and isinstance(flag, Const) and flag.value in ("store_true", "store_false"):
        default = Const(flag.value == "store_false")
    if isinstance(dest, Const):
        options = [str(dest.value)]
    if options and call.is_method and isinstance(default, Const):
        name = next((each for each in options if each.startswith("--")), options[0])
        name = name.lstrip("-").replace("-", "_")
        m.state.set(("options", id(call.receiver)), name, default)
        if (
            call.keyword(m, "type") in _NUMBERS
            and type(default.value) in (int, float)
            and "nargs" not in call.keywords
        ):
            m.state.set(("options", id(call.receiver)), f"{NUMBER}{name}", value=True)
    return m.unknown(call.node)


_NUMBERS: Final = (LibraryName("builtins.int"), LibraryName("builtins.float"))

NUMBER: Final = "#number "
"""Before the name of an option: the slot of a parser's options that says that it is a number, whatever is chosen."""


def unless_told(m: Machine, value: object) -> object:
    """A value; of an option of the program its default, if it has one."""
    if not isinstance(value, Symbol) or not isinstance(value.key, tuple) or value.key[0] != "attr":
        return value
    return m.state.get(value.key[1], str(value.key[2]), value)


def loaded_config(m: Machine, call: Invocation) -> object:
    """A configuration read from a file: each entry is something that somebody chose."""
    return Symbol(
        ("config", m.source.path, call.node.lineno, call.node.col_offset),
        _target_name(m, "config"),
        named=True,
        plausible=True,
    )


def _target_name(m: Machine, default: str) -> str:
    statement = m.frame.statement
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return default


def load(m: Machine, call: Invocation) -> object:
    """`torch.load(path, map_location=...)`: whatever was saved, where it was or where it is mapped."""
    where = call.keywords.get("map_location", call.arguments[1] if len(call.arguments) > 1 else None)
    symbol = Symbol(("loaded", m.fresh_number()), "the checkpoint", site=m.site(call.node))
    if where is None or m.resolve(where) == NONE:
        checkpoints.loaded(m, call, symbol)
        return symbol
    device_ = narrowing.device_of(m, where)
    if device_ is None or isinstance(m.resolve(where), (FunctionValue, LibraryName)):
        return symbol
    return TensorValue(
        device=device_,
        requires_grad=None,
        leaf=None,
        storage=Storage(),
        origin=m.site(call.node),
        device_step=Step(f"loaded to `{describe(device_)}`", m.site(call.node), kind="loaded"),
        symbol=symbol,
    )


def path(m: Machine, call: Invocation) -> object:
    """`os.path.join(...)`: the same path whenever the same parts are joined, and perhaps that of a file that comes with the code."""
    return (
        checkpoints.path_beside(m, call)
        or checkpoints.joined_path(m, call)
        or library_semantics.unknown_call(m, call)
    )


def data_parallel(m: Machine, call: Invocation) -> object:
    """A wrapper that calls the module it was given."""
    result = InstanceValue(None, call.name, m.site(call.node))
    if call.arguments:
        m.state.set(result, "#wrap", call)
        m.state.set(result, "#wrapped", call.arguments[0])
        set_slot(m, result, "module", call.arguments[0])
        _moved_to_the_only_device(m, call)
        training_moments.wrapped(m, result, m.resolve(call.arguments[0]))
    return result


def _moved_to_the_only_device(m: Machine, call: Invocation) -> None:
    """`DataParallel(module, device_ids=[0])` moves the module, where there is a GPU."""
    module, given = m.resolve(call.arguments[0]), call.argument(1, "device_ids")
    if given is None or not call.name.endswith(".DataParallel") or not isinstance(module, InstanceValue):
        return
    devices = iteration.items(m, m.resolve(given), None)
    if devices is not None and len(devices) == 1:
        for part in registry.walk(m, module):
            for _, tensor, _ in registry.tensors(m, part):
                m.state.set(tensor, "device", UNKNOWN_DEVICE)


def object_setattr(m: Machine, call: Invocation) -> object:
    receiver = m.resolve(call.arguments[0]) if call.arguments else NONE
    if len(call.arguments) >= 3:
        name = m.resolve(call.arguments[1])
        if isinstance(receiver, InstanceValue) and isinstance(name, Const) and isinstance(name.value, str):
            m.state.set(receiver, name.value, call.arguments[2])
    return NONE


def super_init(m: Machine, call: Invocation) -> object:
    """`super().__init__(...)` of a library class."""
    receiver = m.resolve(call.receiver)
    if isinstance(receiver, InstanceValue):
        module_construction.library_init(m, receiver, call.arguments[1:], call.keywords, call.node)
        optimizer_construction.inherited(m, receiver, call)
    return NONE


def builtin(m: Machine, call: Invocation, name: str) -> object:
    call.name = f"builtins.{name}"
    return builtins.call(m, call)


def default_dict(m: Machine, call: Invocation) -> object:
    """`defaultdict(list)`: every missing key holds what the factory makes."""
    rest = calls.call(m, call.arguments[0], [], {}, call.node) if call.arguments else None
    result = m.new_dict({}, rest, call.node)
    if call.arguments:
        m.state.set(result, "#factory", call.arguments[0])
    return result
