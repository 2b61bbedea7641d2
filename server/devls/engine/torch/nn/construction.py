"""Library modules as they are made: parameters, buffers, containers."""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, training_moments
from devls.engine.core.events.events import LossClassCalled
from devls.engine.core.invocation import Invocation
from devls.engine.core.joins import Contents, Entries
from devls.engine.core.slots import set_slot
from devls.engine.python import entries, iteration, mappings
from devls.engine.python.classes import library_bases
from devls.engine.python.narrowing import device_of
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors import shape_rules
from devls.syntax.layout import parents
from devls.values.conditions import Either
from devls.values.devices import CPU, describe
from devls.values.facts import fact
from devls.values.graph import Storage
from devls.values.history import Site, Step
from devls.values.value import (
    Const,
    InstanceValue,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.library.effects import Layer
    from devls.values.conditions import Tree


_COUNTS: Final = frozenset(
    "in_features out_features in_channels out_channels num_features num_embeddings embedding_dim".split()
)
"""Arguments of which layers make the shapes of their parameters: what was given there is a number."""


@library_semantics.construct.answer
def library_init(
    m: Machine,
    instance: InstanceValue,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
) -> None:
    """The constructor of the library class that an instance derives from."""
    m.state.set(instance, "#initialized", True)
    if mappings.of(m, instance) is not None:
        call = Invocation(
            "builtins.dict", arguments, keywords, node or m.placeholder(), [None] * len(arguments)
        )
        entries.fill(m, instance, call)
        return
    if instance.cls is not None and registry.is_module(m, instance):
        for name in sorted(library_bases(m, instance.cls)):
            layer = m.library.layer(name)
            if layer is not None:
                call = Invocation(name, arguments, keywords, node or m.placeholder(), [None] * len(arguments))
                fill(m, instance, call, name)
                return
            if not name.startswith(("torch.nn", "builtins.", "abc.", "typing.")):
                m.state.set(instance, "#open", True)
                for value in (*arguments, *keywords.values()):
                    m.escape(value)


def construct(m: Machine, call: Invocation) -> object:
    """`nn.Linear(...)` and all other library layers."""
    instance = InstanceValue(None, m.library.canonical(call.name), m.site(call.node))
    layer = m.library.layer(call.name)
    if layer is not None and _looks_like_loss_call(m, call, layer.name):
        m.emit(LossClassCalled(m.site(call.node), m.frame.statement, call.short_name, call.node))  # type: ignore[arg-type]
        return m.unknown(call.node)
    if layer is not None and _is_given_tensor(m, call, layer):
        m.emit(
            LossClassCalled(m.site(call.node), m.frame.statement, call.short_name, call.node, is_layer=True)  # type: ignore[arg-type]
        )
        return m.unknown(call.node)
    fill(m, instance, call, call.name)
    training_moments.layer_built(m, instance, call)
    depth = registry.forward_running(m)
    if depth is not None:
        site = m.site(call.node)
        # If a helper builds it, `forward` calls the helper.
        m.state.set(instance, "built in forward", site.calls[depth] if depth < len(site.calls) else site)
    return instance


def _looks_like_loss_call(m: Machine, call: Invocation, name: str) -> bool:
    if not name.endswith("Loss") or len(call.arguments) < len(("input", "target")):
        return False
    first, second = (m.resolve(each) for each in call.arguments[:2])
    # No loss class takes two tensors at its first two places.
    return isinstance(first, TensorValue) and isinstance(second, TensorValue)


def _is_given_tensor(m: Machine, call: Invocation, layer: Layer) -> bool:
    """Whether a layer without parameters is built of what it should be called with; losses take tensors as weights."""
    if layer.tensors or layer.name.endswith(("Loss", ".Identity")) or len(call.arguments) != 1:
        return False
    given = m.resolve(call.arguments[0])
    return (
        isinstance(given, TensorValue)
        and isinstance(call.node, ast.Call)
        and (bool(given.nonscalar) or m.requires_grad(given) is True)
        and not _is_called(m, call.node)
    )


def _is_called(m: Machine, node: ast.Call) -> bool:
    """Whether what is built is called at once: `nn.Softmax(scores)(x)`."""
    above = parents(m.source).get(node)
    return isinstance(above, ast.Call) and above.func is node


def fill(m: Machine, instance: InstanceValue, call: Invocation, name: str) -> None:
    """Register what a layer's constructor registers."""
    layer = m.library.layer(name)
    if layer is None:
        return
    given: dict[str, object] = {}
    for index, parameter in enumerate(layer.constructor):
        value = call.argument(index, parameter.name)
        if value is not None:
            given[parameter.name] = m.resolve(value) if type(value) in (Either, Symbol) else value
            if parameter.name in _COUNTS and type(given[parameter.name]) is Symbol:
                m.state.set(given[parameter.name], "#a size", True)
    # Of activations and containers, six layers in ten, there are no tensors to tell of: telling took 1 % of an analysis.
    if layer.tensors or layer.submodules:
        birth = _birth(m, call)
        _register_tensors(m, instance, layer, given, birth)
        if layer.submodules:
            _register_submodules(m, instance, call, birth)
    if layer.container:
        contents = _contained(m, call, layer.container)
        if name.rpartition(".")[2] in _OF_PARAMETERS:
            birth = _birth(m, call)
            items = contents.items and tuple(
                item_of(m, instance, each, birth.site) for each in contents.items
            )
            contents = Contents(items, item_of(m, instance, contents.element, birth.site))
        m.state.set(instance, "#children", contents)
        _name_layers(m, call, instance)
        for listed in _lists_given(m, call):
            m.state.set(listed, GIVEN_TO, instance)
    inplace = given.get("inplace")
    if inplace is not None:
        m.state.set(instance, "#inplace", inplace)
    if name in registry.WRAPPERS and call.arguments:
        m.state.set(instance, "#wrapped", call.arguments[0])
        set_slot(m, instance, "module", call.arguments[0])
    m.state.set(instance, "#given", tuple(given.items()))


@fact
class _Birth:
    """Device of a layer's tensors, and the steps that tell of it."""

    device: Tree
    site: Site
    placed: Step
    requires_grad: Step


def _birth(m: Machine, call: Invocation) -> _Birth:
    wanted = call.keyword(m, "device")
    where = device_of(m, wanted) if wanted is not None else None
    if where is None:
        where = m.default_device() or CPU
    site = m.site(call.node)
    built = "built on the CPU" if where == CPU else f"built on `{describe(where)}`"
    return _Birth(
        where,
        site,
        Step(f"{built}: `{m.text(call.node)}`", site, kind="built"),
        Step("a parameter", site, kind="requires"),
    )


def _register_tensors(
    m: Machine, instance: InstanceValue, layer: Layer, given: dict[str, object], birth: _Birth
) -> None:
    """Register the parameters and buffers that the catalog names."""
    buffers: set[str] = set()
    for each in layer.tensors:
        tensor: TensorValue | None
        if each.default_absent:
            value = given.get(each.name)
            tensor = None if value is None or value == Const(None) else m.tensor_of(value)
        elif _is_absent(layer, given, each.unless):
            tensor = None
        else:
            counts = each.name == "num_batches_tracked"
            tensor = TensorValue(
                device=birth.device,
                requires_grad=not each.is_buffer,
                leaf=True,
                dtype=None if "dtype" in given else "int64" if counts else "float32",
                shape=shape_rules.parameter_shape(m, layer.name, each.name, given),
                nonscalar=not counts,
                storage=Storage(),
                is_parameter=not each.is_buffer,
                origin=birth.site,
                device_step=birth.placed,
                grad_step=None if each.is_buffer else birth.requires_grad,
            )
        if tensor is None:
            continue
        if each.is_buffer:
            buffers.add(each.name)
        set_slot(m, instance, each.name, tensor)
    if buffers:
        m.state.set(instance, "#buffers", frozenset(buffers))


def _register_submodules(m: Machine, instance: InstanceValue, call: Invocation, birth: _Birth) -> None:
    """One parameter stands for all that the layers inside have, beside the modules that were given."""
    tensor = TensorValue(
        device=birth.device,
        requires_grad=True,
        leaf=True,
        dtype="float32",
        nonscalar=True,
        storage=Storage(),
        is_parameter=True,
        origin=birth.site,
        device_step=birth.placed,
        grad_step=birth.requires_grad,
    )
    set_slot(m, instance, "(inner)", tensor)
    m.state.set(instance, "#open", True)
    for value in call.arguments:
        found = m.resolve(value)
        if isinstance(found, InstanceValue) and registry.is_module(m, found):
            set_slot(m, instance, f"(given {len(registry.entries(m, instance))})", found)


def _name_layers(m: Machine, call: Invocation, instance: InstanceValue) -> None:
    """The names that a dictionary gives to layers; those of other containers are their numbers."""
    given = m.resolve(call.arguments[0]) if call.arguments else None
    held = m.state.get(given, "#entries") if isinstance(given, Mapping) else None
    contents = m.state.get(instance, "#children")
    if isinstance(held, Entries) and held.rest is None:
        registry.name_children(m, instance, held.known)
    elif given is None or not instance.library.endswith("Dict"):
        numbers = range(len(contents.items or ())) if isinstance(contents, Contents) else ()
        m.state.set(instance, "#child names", tuple(map(str, numbers)))


_OF_PARAMETERS: Final = frozenset({"ParameterDict", "ParameterList"})


def item_of(m: Machine, container: InstanceValue, value: object, site: Site | None = None) -> object:
    """Item as a container keeps it: one of parameters makes a Parameter of a plain tensor."""
    short = container.library.rpartition(".")[2]
    if short not in _OF_PARAMETERS or not container.library.startswith("torch."):
        return value
    tensor = m.resolve(value)
    if isinstance(tensor, Either):
        return m.select(
            Either(tensor.condition, True, False),
            item_of(m, container, tensor.then, site),
            item_of(m, container, tensor.otherwise, site),
        )
    if not isinstance(tensor, TensorValue) or tensor.is_parameter:
        return value
    site = site or tensor.origin or container.origin
    result = copy.copy(tensor)
    result.is_parameter = True
    result.requires_grad = True
    result.leaf = True
    result.node = None
    result.device = m.device(tensor)
    if site is not None:
        before = tensor.device_step
        result.device_step = Step(f"a parameter of `{site.text or short}`", site, before, kind="built")
        result.grad_step = Step("a parameter", site, kind="requires")
    return result


def _is_absent(layer: Layer, given: dict[str, object], unless: str) -> bool:
    """Whether an option that was given, or its default, takes a tensor away: `unless` is "bias=False or ..."."""
    defaults = {each.name: each.default for each in layer.constructor}
    for part in unless.split(" or "):
        name, _, value = part.partition("=")
        option = given.get(name, Const(defaults.get(name)))
        if name and isinstance(option, Const) and str(option.value) == value:
            return True
    return False


GIVEN_TO: Final = "#given to"
"""The slot of a list that says which container of modules was made of all that is in it."""


def _lists_given(m: Machine, call: Invocation) -> list[Sequence]:
    """The lists that a container is made of: `Sequential(*layers)`, `ModuleList(layers)`."""
    nodes = [each.value for each in getattr(call.node, "args", ()) if isinstance(each, ast.Starred)]
    named = (m.eval(each) for each in nodes if isinstance(each, (ast.Name, ast.Attribute)))
    return [each for each in map(m.resolve, (*named, *call.arguments)) if isinstance(each, Sequence)]


def _contained(m: Machine, call: Invocation, container: str) -> Contents:
    if container == "sequential":
        if len(call.arguments) == 1:
            only = m.resolve(call.arguments[0])
            if isinstance(only, Mapping):
                held = m.state.get(only, "#entries")
                if isinstance(held, Entries):
                    return Contents(tuple(held.known.values()), held.rest)
        if "*" in call.keywords:
            return Contents(None, m.any_of((*call.arguments, call.keywords["*"])))
        return Contents(tuple(call.arguments))
    if not call.arguments:
        return Contents(())
    value = m.resolve(call.arguments[0])
    if isinstance(value, Mapping):
        held = m.state.get(value, "#entries")
        if isinstance(held, Entries):
            return Contents(
                tuple(held.known.values()) if held.rest is None else None,
                None if held.rest is None else m.any_of((*held.known.values(), held.rest)),
            )
    items = iteration.items(m, value, None)
    if items is not None:
        return Contents(tuple(items))
    return Contents(None, iteration.element(m, value, None, 0))


def item(m: Machine, owner: InstanceValue, index: object, node: ast.expr) -> object | None:
    """`module_list[i]`, `module_dict[key]`, `sequential[i]`."""
    contents = m.state.get(owner, "#children")
    if not isinstance(contents, Contents):
        return None
    if isinstance(node, ast.Slice):
        result = InstanceValue(None, owner.library, owner.origin)
        m.state.set(result, "#children", _sliced(m, contents, node))
        return result
    if isinstance(index, Const) and contents.items is not None:
        if isinstance(index.value, int) and -len(contents.items) <= index.value < len(contents.items):
            return contents.items[index.value]
        names = registry.child_names(m, owner) or ()
        if index.value in names:
            return contents.items[names.index(index.value)]
        keyed = m.state.get(owner, f"[{index.value!r}]")
        if any(each is keyed for each in contents.items):  # else a join has made one of it and others
            return keyed
    found = m.any_of((*(contents.items or ()), contents.element))
    return m.unknown() if found is None else found


def _sliced(m: Machine, contents: Contents, node: ast.Slice) -> Contents:
    bounds = [
        None if each is None else m.resolve(m.eval(each)) for each in (node.lower, node.upper, node.step)
    ]
    plain = all(
        each is None or (isinstance(each, Const) and isinstance(each.value, (int, type(None))))
        for each in bounds
    )
    numbers = [each.value if isinstance(each, Const) else None for each in bounds]
    if contents.items is None or contents.element is not None or not plain or numbers[2] == 0:
        return Contents(None, m.any_of((*(contents.items or ()), contents.element)))
    return Contents(contents.items[slice(*numbers)])  # type: ignore[arg-type]


@library_semantics.set_item_of_instance.answer
def set_item(m: Machine, owner: InstanceValue, index: object, value: object) -> None:
    """`module_list[i] = layer`."""
    value = item_of(m, owner, value)
    contents = m.state.get(owner, "#children")
    if isinstance(contents, Contents):
        names = registry.child_names(m, owner)
        m.state.set(owner, "#children", _with_item(m, owner, contents, index, value))
        if names is not None and isinstance(index, Const) and isinstance(index.value, str):
            added = () if index.value in names else (index.value,)
            registry.name_children(m, owner, (*names, *added))
        if isinstance(index, Const) and not isinstance(index.value, int):
            m.state.set(owner, f"[{index.value!r}]", value)
    else:
        m.state.set(owner, f"[{getattr(index, 'value', '?')!r}]", value)


def _with_item(
    m: Machine, owner: InstanceValue, contents: Contents, index: object, value: object
) -> Contents:
    """The children once one of them is another; a name that is new comes last."""
    items = contents.items
    if items is None:
        return Contents(None, m.any_of((contents.element, value)))
    where: int | None = None
    if isinstance(index, Const) and isinstance(index.value, int):
        where = index.value if -len(items) <= index.value < len(items) else None
    elif isinstance(index, Const):
        names = registry.child_names(m, owner) or ()
        before = (
            items[names.index(index.value)]
            if index.value in names
            else m.state.get(owner, f"[{index.value!r}]")
        )
        where = next((number for number, each in enumerate(items) if each is before), None)
    elif items:
        return Contents(None, m.any_of((*items, contents.element, value)))
    if where is None:
        return Contents((*items, value), contents.element)
    replaced = list(items)
    replaced[where] = value
    return Contents(tuple(replaced), contents.element)
