"""`torch.nn.Module`: what is registered, what follows `.to`, and calls of library layers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, training_moments
from devls.engine.core.describe import device_text
from devls.engine.core.joins import Contents, Entries
from devls.engine.core.slots import entries_of, set_slot
from devls.engine.python import classes
from devls.engine.torch.tensors import device_check, shapes
from devls.values.conditions import Either, apply, leaves
from devls.values.devices import CPU, UNKNOWN_DEVICE, describe
from devls.values.graph import Node, Storage
from devls.values.history import Step
from devls.values.state import MISSING
from devls.values.value import (
    FALSE,
    NONE,
    InstanceValue,
    LibraryName,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Iterator

    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.history import Site


SEEN = sys.stdlib_module_names.union("builtins torch typing_extensions numpy sklearn gym gymnasium".split())
"""Packages of classes that are Modules if the engine says so, and else are not."""

WRAPPERS = frozenset(
    {
        "torch.nn.DataParallel",
        "torch.nn.parallel.DataParallel",
        "torch.nn.parallel.DistributedDataParallel",
        "torch.nn.parallel.distributed.DistributedDataParallel",
    }
)


_MODULES = frozenset(
    {
        "torch.nn.Module",
        "torch.nn.modules.Module",
        "torch.nn.modules.module.Module",
        "torch.jit.ScriptModule",
        "torch.jit._script.ScriptModule",
    }
)

MADE_ON_CPU: Final = "#made on the cpu"
"""The slot of a module of which no code is seen that says where it was made, if that was on the CPU."""

PARTS: Final = "#parts"
"""The slot of a model of which no code is seen that holds the modules which the program has given it."""


def given_parts(m: Machine, model: object) -> tuple[InstanceValue, ...]:
    """The modules that the program has given to a model of which no code is seen, on any path that leads here."""
    ways = leaves(m.state.get(model, PARTS, ()))
    return tuple(
        dict.fromkeys(
            part for way in ways if isinstance(way, tuple) for part in way if isinstance(part, InstanceValue)
        )
    )


def unseen_owner(m: Machine, parameters: object) -> Symbol | None:
    """The model of which no code is seen whose `parameters()` something is; None of anything else."""
    contents = m.state.get(parameters, "#items") if isinstance(parameters, Sequence) else None
    element = m.resolve(contents.element) if isinstance(contents, Contents) else None
    symbol = element.symbol if isinstance(element, TensorValue) else element
    key = symbol.key if isinstance(symbol, Symbol) else None
    return Symbol(key[1], "") if isinstance(key, tuple) and key[0] == "parameter of" else None


def is_unseen_parameter(symbol: Symbol | None) -> bool:
    """Whether something stands for the parameters of a module of which no code is seen."""
    return symbol is not None and isinstance(symbol.key, tuple) and symbol.key[0] == "parameter of"


PARAMETER_OF: Final = "a parameter of "
"""How the text of such a symbol begins; that of the module follows."""


def model_of(part: TensorValue | Node) -> str:
    """The model of which no code is seen that has computed something, or whose parameter it is, by its text."""
    if isinstance(part, TensorValue):
        return "" if part.symbol is None else part.symbol.text.removeprefix(PARAMETER_OF)
    return part.operation


IS_MODULE: Final = "#is module"
"""The slot of a symbol that says that it surely is a module, not by its name."""


@library_semantics.is_module_name.answer
def is_module_name(m: Machine, name: str) -> bool:
    """Whether a library class is a Module."""
    if name in _MODULES:
        return True
    if name in WRAPPERS or name.endswith(("LightningModule", "PreTrainedModel", ".nn.Module")):
        return True
    return m.library.layer(name) is not None


is_module = classes.is_module


def owned(m: Machine, instance: InstanceValue) -> bool:
    """Whether a framework owns the module's placement and loop."""
    if instance.cls is None:
        return False
    return any(
        "LightningModule" in name or "lightning" in name for name in classes.library_bases(m, instance.cls)
    )


def forward_running(m: Machine) -> int | None:
    """How many calls led to the innermost `forward` of a module that is running; None if none is.

    Not one that is building another module of the project: what a constructor builds, it registers.
    """
    for frame in reversed(m.frames):
        function = frame.function
        if function is None or function.name == "__init__":
            return None
        if function.name == "forward" and isinstance(frame.receiver, InstanceValue):
            return len(frame.calls)
    return None


entries = entries_of


def set_child(m: Machine, instance: InstanceValue, index: int, value: object) -> None:
    """`setattr(sequential, "1", layer)`: one of the layers is another one from now on."""
    contents = m.state.get(instance, "#children")
    if isinstance(contents, Contents) and contents.items is not None and index < len(contents.items):
        items = (*contents.items[:index], value, *contents.items[index + 1 :])
        m.state.set(instance, "#children", Contents(items, contents.element))


def children(m: Machine, instance: InstanceValue) -> list[tuple[str, InstanceValue]]:
    """Registered submodules."""
    found: list[tuple[str, InstanceValue]] = []
    for name, value in entries(m, instance):
        if type(value) is InstanceValue:
            if is_module(m, value) or _may_be_one(m, value):
                found.append((name, value))
        elif type(value) is Either:
            found += [
                (name, each)
                for each in m.alternatives(value)
                if isinstance(each, InstanceValue) and (is_module(m, each) or _may_be_one(m, each))
            ]
    contents = m.state.get(instance, "#children")
    if isinstance(contents, Contents):
        names = child_names(m, instance) or ()
        for index, value in enumerate((*(contents.items or ()), contents.element)):
            found += [
                (names[index] if index < len(names) else str(index), each)
                for each in (m.alternatives(value) if value is not None else ())
                if isinstance(each, InstanceValue) and (is_module(m, each) or _may_be_one(m, each))
            ]
    return found


def _may_be_one(m: Machine, instance: InstanceValue) -> bool:
    """Whether an object of the project derives from a class that is not seen: if that is a module's, it follows its owner."""
    if instance.cls is None:
        return False
    return classes.has_unseen_base(m, instance.cls)


def child_names(m: Machine, instance: InstanceValue) -> tuple[str, ...] | None:
    """The names of a container's layers, one for each, where all of them are known."""
    names, contents = m.state.get(instance, "#child names"), m.state.get(instance, "#children")
    if not isinstance(names, tuple) or not isinstance(contents, Contents):
        return None
    return names if contents.element is None and len(names) == len(contents.items or ()) else None


def name_children(m: Machine, instance: InstanceValue, names: Iterable[object]) -> None:
    """Remember under which names a container has its layers, which are its attributes as well."""
    known = tuple(each for each in names if isinstance(each, str))
    m.state.set(instance, "#child names", known)
    contents = m.state.get(instance, "#children")
    if isinstance(contents, Contents) and len(known) == len(contents.items or ()):
        for name, child in zip(known, contents.items or (), strict=True):
            m.state.set(instance, name, child)


def tensors(m: Machine, instance: InstanceValue) -> list[tuple[str, TensorValue, bool]]:
    """Registered tensors of a module itself: name, tensor, whether it is a buffer."""
    buffers = m.state.get(instance, "#buffers", frozenset())
    found: list[tuple[str, TensorValue, bool]] = []
    for name, value in entries(m, instance):
        for each in m.alternatives(value) if type(value) is Either else (value,):
            if isinstance(each, TensorValue):
                if each.is_parameter:
                    found.append((name, each, False))
                elif name in buffers:  # type: ignore[operator]
                    found.append((name, each, True))
    contents = m.state.get(instance, "#children")
    if isinstance(contents, Contents):
        for value in (*(contents.items or ()), contents.element):
            found += [
                ("parameter", each, False)
                for each in (m.alternatives(value) if value is not None else ())
                if isinstance(each, TensorValue) and each.is_parameter
            ]
    return found


def walk(m: Machine, instance: InstanceValue, seen: set[int] | None = None) -> Iterator[InstanceValue]:
    """A module and all modules below it."""
    seen = set() if seen is None else seen
    # Generators within each other would pass each module through all levels above it.
    under_way = [iter([("", instance)])]
    while under_way:
        for _, each in under_way[-1]:
            if id(each) not in seen:
                seen.add(id(each))
                yield each
                under_way.append(iter(children(m, each)))
                break
        else:
            under_way.pop()


def walk_named(
    m: Machine, instance: InstanceValue, prefix: str = "", seen: set[int] | None = None
) -> Iterator[tuple[str, InstanceValue]]:
    """A module and all modules below it, with their names, as torch composes them: "", "encoder", "encoder.0"."""
    seen = set() if seen is None else seen
    if id(instance) in seen:
        return
    seen.add(id(instance))
    yield prefix, instance
    for name, child in children(m, instance):
        yield from walk_named(m, child, f"{prefix}.{name}" if prefix else name, seen)


def holds_nothing(m: Machine, instance: InstanceValue) -> bool:
    """Whether a module surely has neither parameters nor buffers: activations and losses of torch, containers of such."""
    return all(
        each.cls is None
        and (layer := m.library.layer(each.library)) is not None
        and not any(not tensor.default_absent or _is_set(m, each, tensor.name) for tensor in layer.tensors)
        and not tensors(m, each)
        and _knows_children(m, each)
        for each in walk(m, instance)
    )


def _is_set(m: Machine, instance: InstanceValue, name: str) -> bool:
    return m.resolve(m.state.get(instance, name, NONE)) != NONE


def _knows_children(m: Machine, instance: InstanceValue) -> bool:
    contents = m.state.get(instance, "#children")
    return not isinstance(contents, Contents) or contents.items is not None


def parameters(m: Machine, instance: InstanceValue) -> list[TensorValue]:
    """All registered parameters, each once."""
    found: dict[TensorValue, None] = {}
    for each in walk(m, instance):
        for _, tensor, is_buffer in tensors(m, each):
            if not is_buffer:
                found[tensor] = None
    return list(found)


def named(m: Machine, instance: InstanceValue) -> list[tuple[str, TensorValue, bool]]:
    """All registered tensors with their full names, as in a state_dict."""
    found: list[tuple[str, TensorValue, bool]] = []
    _add_named(m, instance, "", found, set())
    return found


def _add_named(
    m: Machine,
    instance: InstanceValue,
    prefix: str,
    found: list[tuple[str, TensorValue, bool]],
    seen: set[int],
) -> None:
    if id(instance) in seen:
        return
    seen.add(id(instance))
    found.extend((f"{prefix}{name}", tensor, is_buffer) for name, tensor, is_buffer in tensors(m, instance))
    for name, child in children(m, instance):
        _add_named(m, child, f"{prefix}{name}.", found, seen)


def is_whole(m: Machine, instance: InstanceValue) -> bool:
    """Whether we see all parameters: nothing below comes from code that we do not see."""
    for each in walk(m, instance):
        if m.state.get(each, "#open") is not None or _may_be_one(m, each):
            return False
        if each.cls is not None and classes.class_attribute(m, each.cls, "__setattr__") is not MISSING:
            return False  # its own code decides what is registered
        for _, value in entries(m, each):
            if any(map(_may_be_module, leaves(value))):
                return False
        contents = m.state.get(each, "#children")
        if isinstance(contents, Contents):
            for value in (*(contents.items or ()), contents.element):
                if any(isinstance(leaf, LibraryName) or _may_be_module(leaf) for leaf in leaves(value)):
                    return False
    return True


def _may_be_module(value: object) -> bool:
    """Whether something unknown may be a module, with parameters of its own: an object of a class that is not seen, too."""
    if isinstance(value, Symbol):
        return value.hint not in ("number", "string", "bool")
    return isinstance(value, InstanceValue) and value.cls is None and is_unseen(value.library)


@library_semantics.is_unseen.answer
def is_unseen(name: str) -> bool:
    """Whether nothing is known of a class of a library: its objects may be modules."""
    return name in ("", "?") or name.partition(".")[0] not in SEEN


def device(m: Machine, instance: InstanceValue) -> Tree | None:
    """Device of a module's parameters; None when it has none that we see, or they disagree."""
    found: Tree | None = None
    for each in walk(m, instance):
        for _, tensor, _is_buffer in tensors(m, each):
            here = m.device(tensor)
            if found is None:
                found = here
            elif found != here:
                return None
    return found


@library_semantics.describe_instance.answer
def described(m: Machine, instance: InstanceValue) -> str | None:
    """A module on one line: where its parameters are."""
    if not is_module(m, instance):
        return None
    here = device(m, instance)
    return f"Module device={'?' if here is None else device_text(here)}"


def move(
    m: Machine, instance: InstanceValue, target: Tree, node: ast.AST, what: str, chosen: Site | None = None
) -> None:
    """`module.to(target)`: parameters stay the same objects, buffers are replaced."""
    step = Step(what, m.site(node), chosen=chosen, kind="moved")
    for each in walk(m, instance):
        for name, tensor, is_buffer in tensors(m, each):
            if is_buffer and _is_kept_as(m, each, name, tensor):
                moved = copied(m, tensor, target, step)
                if device_check.compare_devices(m, m.device(tensor), target).verdict.value == "same":
                    continue
                m.state.set(tensor, "left behind", (step.site, name))
                _put_instead(m, each, name, tensor, moved)
            else:
                if _goes_on_to(m, tensor, target):
                    m.state.set(tensor, TO_AND_FRO, step)
                left = m.state.get(tensor, "device_step", tensor.device_step)
                if isinstance(left, Step) and left.kind == "built":
                    m.state.set(left, LEFT, True)
                m.state.set(tensor, "device", target)
                m.state.set(tensor, "device_step", step)
                if m.state.get(tensor, device_check.RENAMED) is not None:
                    m.state.set(tensor, device_check.RENAMED, None)
        contents = m.state.get(each, "#children")
        for part in (*(contents.items or ()), contents.element) if isinstance(contents, Contents) else ():
            for leaf in leaves(m.resolve(part)):
                if isinstance(leaf, Symbol):
                    m.state.set(leaf, MADE_ON_CPU, None)  # a layer of which no code is seen moves along
        m.state.set(each, "#moved", step)
        m.state.set(each, "moved to", target)
        training_moments.module_placed(m, each, target, step)


LEFT: Final = "#left"
"""The slot of the step by which a layer was built that says that its parameters have been moved since."""

TO_AND_FRO: Final = "#to and fro"
"""The slot of a parameter that has been moved to one device, and on to another later."""


def _goes_on_to(m: Machine, tensor: TensorValue, target: Tree) -> bool:
    """Whether a tensor was moved before, and now goes to the CPU, or comes from there."""
    before, here = m.resolve(m.state.get(tensor, "device_step")), m.device(tensor)
    if not isinstance(before, Step) or before.kind != "moved" or here == target:
        return False
    return CPU in (here, target)


def _is_kept_as(m: Machine, owner: InstanceValue, name: str, tensor: TensorValue) -> bool:
    """Whether an attribute is a tensor, in some case at least."""
    return any(each is tensor for each in leaves(m.resolve(m.state.get(owner, name))))


def _put_instead(
    m: Machine, owner: InstanceValue, name: str, tensor: TensorValue, other: TensorValue
) -> None:
    """Let an attribute be another tensor where it was this one: in some case it may be none."""
    value = m.resolve(m.state.get(owner, name))
    set_slot(m, owner, name, apply(lambda each: other if each is tensor else each, value, too_many=other))


def copied(m: Machine, tensor: TensorValue, target: Tree, step: Step) -> TensorValue:
    return TensorValue(
        device=target,
        requires_grad=m.requires_grad(tensor),
        leaf=m.is_leaf(tensor),
        dtype=tensor.dtype,
        shape=tensor.shape,
        nonscalar=tensor.nonscalar,
        storage=Storage(),
        origin=tensor.origin,
        device_step=Step(step.what, step.site, tensor.device_step, step.chosen, kind="moved"),
        grad_step=tensor.grad_step,
    )


def place_symbolically(m: Machine, instance: InstanceValue, target: Tree, site_node: ast.AST) -> None:
    """A module whose user will move it: its tensors are wherever that is."""
    step = Step("the module's parameters follow `.to(device)`", m.site(site_node), kind="placed")
    for each in walk(m, instance):
        for name, tensor, is_buffer in tensors(m, each):
            if is_buffer and _is_kept_as(m, each, name, tensor):
                _put_instead(m, each, name, tensor, copied(m, tensor, target, step))
            else:
                m.state.set(tensor, "device", target)
                m.state.set(tensor, "device_step", step)
        m.state.set(each, "#moved", step)
        m.state.set(each, "moved to", target)
        training_moments.module_placed(m, each, target, step)


@library_semantics.instance_escaped.answer
def escaped(m: Machine, instance: InstanceValue) -> None:
    """Unknown code may have moved the module, and may clear its gradients."""
    if not is_module(m, instance):
        if m.library.optimizer(instance.library) is not None:
            for each in m.state.get(instance, "#parameters", ()):  # type: ignore[attr-defined]
                m.state.set(each, "#escaped", True)
        return
    out_of_sight(m, instance)


def out_of_sight(m: Machine, instance: InstanceValue) -> None:
    """Unknown code may have moved what an instance holds, if it is a Module."""
    for each in walk(m, instance):
        for _, tensor, _is_buffer in tensors(m, each):
            m.state.set(tensor, "#escaped", True)
            m.state.set(tensor, "device", UNKNOWN_DEVICE)


__all__ = ["FALSE", "Node", "describe", "shapes"]


def held_modules(m: Machine, value: object, depth: int = 2) -> Iterator[InstanceValue]:
    """The modules that an attribute stands for: one, several in a container, or those that another object holds."""
    for each in m.alternatives(m.resolve(value)):
        inner: tuple[object, ...] = ()
        if isinstance(each, InstanceValue):
            if is_module(m, each):
                yield each
                continue
            inner = tuple(one for _, one in entries(m, each))
        elif isinstance(each, TupleValue):
            inner = each.items
        elif isinstance(each, Sequence):
            contents = m.state.get(each, "#items")
            if isinstance(contents, Contents):
                inner = (*(contents.items or ()), contents.element)
        elif isinstance(each, Mapping):
            found = m.state.get(each, "#entries")
            if isinstance(found, Entries):
                inner = tuple(found.known.values())
        if depth:
            for item in inner:
                yield from held_modules(m, item, depth - 1)
