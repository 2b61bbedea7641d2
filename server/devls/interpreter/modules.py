"""`torch.nn.Module`: what is registered, what follows `.to`, and calls of library layers."""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING

from devls.interpreter import (
    distributions,
    mappings,
    mixing,
    not_results,
    observations,
    operations,
    optimizers,
    resizing,
    shapes,
)
from devls.interpreter.events import (
    FlagWithoutEffect,
    InvalidDevice,
    LayerBuiltInForward,
    LossClassCalled,
    ModulesUnregistered,
    ParameterLost,
    ParameterRebound,
)
from devls.interpreter.invocation import Invocation
from devls.interpreter.joins import Contents, Entries
from devls.interpreter.narrowing import device_of
from devls.library.effects import Differentiable, Operation, Result, Role
from devls.values.conditions import Either
from devls.values.devices import CPU, UNKNOWN_DEVICE, describe
from devls.values.graph import Node, Storage
from devls.values.history import Step
from devls.values.state import AMBIENT, MISSING
from devls.values.value import (
    FALSE,
    TRUE,
    BoundMethod,
    Const,
    InstanceValue,
    LibraryName,
    Mapping,
    NativeFunction,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.interpreter.machine import Machine
    from devls.values.conditions import Tree
    from devls.values.history import Site


WRAPPERS = frozenset(
    {
        "torch.nn.DataParallel",
        "torch.nn.parallel.DataParallel",
        "torch.nn.parallel.DistributedDataParallel",
        "torch.nn.parallel.distributed.DistributedDataParallel",
    }
)


def is_module_name(m: Machine, name: str) -> bool:
    """Whether a library class is a Module."""
    if name in ("torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module"):
        return True
    if name in WRAPPERS or name.endswith(("LightningModule", "PreTrainedModel", ".nn.Module")):
        return True
    return m.library.layer(name) is not None


def is_module(m: Machine, instance: InstanceValue) -> bool:
    """Whether an instance is a Module."""
    if instance.cls is not None:
        from devls.interpreter.classes import is_module_class  # noqa: PLC0415  a cycle otherwise

        return is_module_class(m, instance.cls)
    return is_module_name(m, instance.library)


def owned(m: Machine, instance: InstanceValue) -> bool:
    """Whether a framework owns the module's placement and loop."""
    if instance.cls is None:
        return False
    from devls.interpreter.classes import library_bases  # noqa: PLC0415  a cycle otherwise

    return any("LightningModule" in name or "lightning" in name for name in library_bases(m, instance.cls))


# Contents


def entries(m: Machine, instance: InstanceValue) -> list[tuple[str, object]]:
    """Names and values of what was set on a module, in order of setting."""
    names = m.state.get(instance, "#names", ())
    return [(name, m.resolve(m.state.get(instance, name, MISSING))) for name in names]  # type: ignore[attr-defined]


def set_slot(m: Machine, instance: InstanceValue, name: str, value: object) -> None:
    """Set an attribute and remember that it is there."""
    names = m.state.get(instance, "#names", ())
    if name not in names:  # type: ignore[operator]
        m.state.set(instance, "#names", (*names, name))  # type: ignore[misc]
    m.state.set(instance, name, value)


def children(m: Machine, instance: InstanceValue) -> list[tuple[str, InstanceValue]]:
    """Registered submodules."""
    found: list[tuple[str, InstanceValue]] = []
    for name, value in entries(m, instance):
        found += [
            (name, each)
            for each in (m.alternatives(value) if value is not MISSING else ())
            if isinstance(each, InstanceValue) and is_module(m, each)
        ]
    contents = m.state.get(instance, "#children")
    if isinstance(contents, Contents):
        for index, value in enumerate((*(contents.items or ()), contents.element)):
            found += [
                (str(index), each)
                for each in (m.alternatives(value) if value is not None else ())
                if isinstance(each, InstanceValue) and is_module(m, each)
            ]
    return found


def tensors(m: Machine, instance: InstanceValue) -> list[tuple[str, TensorValue, bool]]:
    """Registered tensors of a module itself: name, tensor, whether it is a buffer."""
    buffers = m.state.get(instance, "#buffers", frozenset())
    found: list[tuple[str, TensorValue, bool]] = []
    for name, value in entries(m, instance):
        for each in m.alternatives(value) if value is not MISSING else ():
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
    if id(instance) in seen:
        return
    seen.add(id(instance))
    yield instance
    for _, child in children(m, instance):
        yield from walk(m, child, seen)


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
    seen: set[int] = set()

    def visit(each: InstanceValue, prefix: str) -> None:
        if id(each) in seen:
            return
        seen.add(id(each))
        found.extend((f"{prefix}{name}", tensor, is_buffer) for name, tensor, is_buffer in tensors(m, each))
        for name, child in children(m, each):
            visit(child, f"{prefix}{name}.")

    visit(instance, "")
    return found


def is_whole(m: Machine, instance: InstanceValue) -> bool:
    """Whether we see all parameters: nothing below comes from code that we do not see."""
    for each in walk(m, instance):
        if m.state.get(each, "#open") is not None:
            return False
        for _, value in entries(m, each):
            if isinstance(value, Symbol) and value.hint not in ("number", "string", "bool"):
                return False
        contents = m.state.get(each, "#children")
        if isinstance(contents, Contents):
            for value in (*(contents.items or ()), contents.element):
                if isinstance(value, Symbol):
                    return False
    return True


def device(m: Machine, instance: InstanceValue) -> Tree | None:
    """Where a module's parameters are; None when it has none that we see, or they disagree."""
    found: Tree | None = None
    for each in walk(m, instance):
        for _, tensor, _is_buffer in tensors(m, each):
            here = m.device(tensor)
            if found is None:
                found = here
            elif found != here:
                return None
    return found


# Moving


def move(
    m: Machine, instance: InstanceValue, target: Tree, node: ast.AST, what: str, chosen: Site | None = None
) -> None:
    """`module.to(target)`: parameters stay the same objects, buffers are replaced."""
    step = Step(what, m.site(node), chosen=chosen, kind="moved")
    for each in walk(m, instance):
        for name, tensor, is_buffer in tensors(m, each):
            if is_buffer and m.resolve(m.state.get(each, name)) is tensor:
                moved = _copy(m, tensor, target, step)
                if mixing.compare_devices(m, m.device(tensor), target).verdict.value == "same":
                    continue
                m.state.set(tensor, "left behind", (step.site, name))
                set_slot(m, each, name, moved)
            else:
                m.state.set(tensor, "device", target)
                m.state.set(tensor, "device_step", step)
        m.state.set(each, "#moved", step)
        m.state.set(each, "moved to", target)
        _moved_by_own_code(m, each, target, step)


def _moved_by_own_code(m: Machine, instance: InstanceValue, target: Tree, step: Step) -> None:
    """A class that overrides `_apply` moves its plain tensors itself."""
    if instance.cls is None:
        return
    from devls.interpreter.classes import class_attribute  # noqa: PLC0415  a cycle otherwise

    if class_attribute(m, instance.cls, "_apply") is MISSING:
        return
    from devls.interpreter import calls  # noqa: PLC0415  a cycle otherwise

    method = calls.method_of(m, instance, "_apply")
    if method is None:
        return

    def move_one(arguments: list[object], _keywords: dict[str, object]) -> object:
        value = m.resolve(arguments[0]) if arguments else None
        return _copy(m, value, target, step) if isinstance(value, TensorValue) else value

    calls.call(m, method, [NativeFunction("move", move_one)], {}, None)


def _copy(m: Machine, tensor: TensorValue, target: Tree, step: Step) -> TensorValue:
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
            if is_buffer and m.resolve(m.state.get(each, name)) is tensor:
                set_slot(m, each, name, _copy(m, tensor, target, step))
            else:
                m.state.set(tensor, "device", target)
                m.state.set(tensor, "device_step", step)
        m.state.set(each, "#moved", step)
        m.state.set(each, "moved to", target)
        _moved_by_own_code(m, each, target, step)


def escaped(m: Machine, instance: InstanceValue) -> None:
    """Unknown code may have moved the module, and may clear its gradients."""
    if not is_module(m, instance):
        if m.library.optimizer(instance.library) is not None:
            for each in m.state.get(instance, "#parameters", ()):  # type: ignore[attr-defined]
                m.state.set(each, "#escaped", True)
        return
    for each in walk(m, instance):
        for _, tensor, _is_buffer in tensors(m, each):
            m.state.set(tensor, "#escaped", True)
            m.state.set(tensor, "device", UNKNOWN_DEVICE)


# Attributes


def set_attribute(
    m: Machine,
    target: ast.Attribute,
    owner: InstanceValue,
    name: str,
    value: object,
    node: ast.expr | None,
    *,
    augmented: bool = False,
) -> None:
    """`module.name = value`."""
    resolved = m.resolve(value)
    observations.module_given(m, target, owner, name, resolved)
    if name in ("requires_grad", "require_grad"):
        m.emit(
            FlagWithoutEffect(
                m.site(target),
                m.frame.statement,
                m.text(target.value),
                "a module has no such flag",
                target.value,
                name,
                node,
            )
        )
        m.state.set(owner, name, value)
        return
    before = m.state.get(owner, name, MISSING)
    if isinstance(resolved, TensorValue):
        if m.is_leaf(resolved) is False:
            m.state.set(resolved, "kept at", (m.site(target), node))
        lost = m.state.get(resolved, "parameter lost")
        if isinstance(lost, str):
            m.emit(ParameterLost(m.site(target), m.frame.statement, lost, name))
        buffers = m.state.get(owner, "#buffers", frozenset())
        if not resolved.is_parameter and name not in buffers and not augmented:  # type: ignore[operator]
            step = m.state.get(resolved, "device_step", resolved.device_step)
            if isinstance(step, Step) and step.kind in ("created", "parameter", "placed"):
                m.state.set(step, "attribute", (owner, name, m.site(target)))
    if isinstance(resolved, (Sequence, Mapping, TupleValue)):
        m.state.set(owner, f"set {name}", (m.site(target), node))
    if isinstance(resolved, InstanceValue):
        m.state.set(resolved, "built in forward", None)  # registered at the first call, and kept
        _replaced(m, target, before, resolved)
    if (
        isinstance(before, TensorValue)
        and before.is_parameter
        and isinstance(resolved, TensorValue)
        and not resolved.is_parameter
        and resolved.symbol is None
        and m.state.get(resolved, "parameter lost") is None
    ):
        value_node = node if isinstance(node, ast.expr) else None
        text = m.text(target)
        m.emit(
            ParameterRebound(
                m.site(target), m.frame.statement, text, value_node, under_no_grad=False, attribute=name
            )
        )
        return
    set_slot(m, owner, name, value)


def _replaced(m: Machine, target: ast.Attribute, before: object, after: InstanceValue) -> None:
    """`model.head = nn.Linear(...)`: an optimizer that has taken the old parameters keeps those."""
    before = None if before is MISSING else m.resolve(before)
    if not isinstance(before, InstanceValue) or before is after or not is_module(m, before):
        return
    if not any(m.state.get(each, "#optimized") is not None for each in parameters(m, before)):
        return
    new = [each for each in parameters(m, after) if m.state.get(each, "#optimized") is None]
    for each in new:
        m.state.set(each, "#replaced at", (m.site(target), m.frame.statement, m.text(target)))
    known = m.state.get(AMBIENT, "replaced parameters", ())
    m.state.set(AMBIENT, "replaced parameters", (*known, *new))  # type: ignore[misc]


def library_attribute(
    m: Machine, node: ast.expr, receiver_node: ast.expr | None, owner: InstanceValue, name: str
) -> object:
    """An attribute that an instance has from its library class; None if that is not known."""
    if is_module(m, owner):
        if name in METHODS:
            return BoundMethod(LibraryName(f"torch.nn.Module.{name}"), owner, receiver_node, name)
        if name == "training":
            return m.state.get(owner, "training", TRUE)
        if name in ("_parameters", "_buffers"):
            wanted = name == "_buffers"
            known: dict[object, object] = {
                key: value for key, value, buffered in tensors(m, owner) if buffered is wanted
            }
            return m.new_dict(known, None if is_whole(m, owner) else m.unknown())
        if name == "module" and owner.library in WRAPPERS:
            return m.state.get(owner, "#wrapped")
        if m.state.get(owner, "#any attribute") is not None:
            return m.unknown(node)
        if name == "device" and not owner.symbolic and (owner.cls is None or not _unknown_bases(m, owner)):
            m.emit(
                InvalidDevice(
                    m.site(node),
                    m.frame.statement,
                    "a Module has no attribute `device`",
                    f"next({m.text(receiver_node)}.parameters()).device" if receiver_node is not None else "",
                )
            )
            return m.unknown(node)
        if name == "device" and owned(m, owner):
            return _device_value(m, owner)
        if name in (
            "in_features",
            "out_features",
            "hidden_size",
            "embedding_dim",
            "num_embeddings",
            "num_layers",
        ):
            return Symbol(("attr", id(owner), name), name, hint="number", named=True)
        if owner.cls is None or not _unknown_bases(m, owner):
            return None
        return (
            BoundMethod(LibraryName(f"{owner.library}.{name}"), owner, receiver_node, name)
            if owned(m, owner)
            else None
        )
    if owner.cls is None:
        from devls.interpreter import frameworks  # noqa: PLC0415  a cycle otherwise

        placed = frameworks.attribute(owner, name)
        if placed is not None:
            return placed
        if owner.library.startswith(distributions.PREFIX):
            found = distributions.attribute(m, owner, name, node)
            if found is not None:
                return found
        return BoundMethod(LibraryName(f"{owner.library}.{name}"), owner, receiver_node, name)
    return None


def _device_value(m: Machine, owner: InstanceValue) -> object:
    from devls.values.value import DeviceValue  # noqa: PLC0415  one use

    here = device(m, owner)
    return m.unknown() if here is None else DeviceValue(here)


def _unknown_bases(m: Machine, owner: InstanceValue) -> bool:
    if owner.cls is None:
        return False
    from devls.interpreter.classes import library_bases  # noqa: PLC0415  a cycle otherwise

    return any(
        name == "?" or not (name.startswith(("torch.nn", "builtins.", "abc.", "typing.")))
        for name in library_bases(m, owner.cls)
    )


METHODS = frozenset(
    "to cuda cpu xpu half float double bfloat16 type to_empty parameters named_parameters buffers named_buffers children"
    " named_children modules named_modules train eval requires_grad_ zero_grad state_dict load_state_dict apply"
    " register_buffer register_parameter add_module register_module register_forward_hook register_forward_pre_hook"
    " register_full_backward_hook register_backward_hook share_memory get_parameter get_submodule get_buffer extra_repr"
    " append extend insert items keys values pop update clear __len__ forward compile _apply".split()
)


def left_open(m: Machine, instance: object) -> None:
    """A part of a constructor was not run: whatever it sets may be there."""
    if isinstance(instance, InstanceValue):
        for mark in ("#any attribute", "#open", "#initialized"):
            m.state.set(instance, mark, True)


# Construction


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
        mappings.fill(m, instance, call)
        return
    if instance.cls is not None and is_module(m, instance):
        from devls.interpreter.classes import library_bases  # noqa: PLC0415  a cycle otherwise

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
    fill(m, instance, call, call.name)
    not_results.loss_built(m, instance, call)
    frame = m.frame
    if (
        frame.function is not None
        and frame.function.name == "forward"
        and isinstance(frame.receiver, InstanceValue)
    ):
        m.state.set(instance, "built in forward", m.site(call.node))
    return instance


def _looks_like_loss_call(m: Machine, call: Invocation, name: str) -> bool:
    if not name.endswith("Loss") or len(call.arguments) < len(("input", "target")):
        return False
    first, second = (m.resolve(each) for each in call.arguments[:2])
    # No loss class takes two tensors at its first two places.
    return isinstance(first, TensorValue) and isinstance(second, TensorValue)


def fill(m: Machine, instance: InstanceValue, call: Invocation, name: str) -> None:
    """Register what a layer's constructor registers."""
    layer = m.library.layer(name)
    if layer is None:
        return
    wanted = call.keyword(m, "device")
    where = device_of(m, wanted) if wanted is not None else None
    if where is None:
        where = m.default_device() or CPU
    site = m.site(call.node)
    what = "built on the CPU" if where == CPU else f"built on `{describe(where)}`"
    step = Step(f"{what}: `{m.text(call.node)}`", site, kind="built")
    grad = Step("a parameter", site, kind="requires")
    given: dict[str, object] = {}
    for index, parameter in enumerate(layer.constructor):
        value = call.argument(index, parameter.name)
        if value is not None:
            given[parameter.name] = m.resolve(value)
    buffers: set[str] = set()
    for each in layer.tensors:
        if each.default_absent:
            value = given.get(each.name)
            if value is None or value == Const(None):
                continue
            tensor = m.tensor_of(value)
            if tensor is None:
                continue
        elif _is_absent(given, each.unless):
            continue
        else:
            tensor = TensorValue(
                device=where,
                requires_grad=not each.is_buffer,
                leaf=True,
                dtype=None
                if "dtype" in given
                else "float32"
                if each.name != "num_batches_tracked"
                else "int64",
                shape=resizing.parameter_shape(m, layer.name, each.name, given),
                nonscalar=each.name != "num_batches_tracked",
                storage=Storage(),
                is_parameter=not each.is_buffer,
                origin=site,
                device_step=step,
                grad_step=None if each.is_buffer else grad,
            )
        if each.is_buffer:
            buffers.add(each.name)
        set_slot(m, instance, each.name, tensor)
    if buffers:
        m.state.set(instance, "#buffers", frozenset(buffers))
    if layer.submodules:
        tensor = TensorValue(
            device=where,
            requires_grad=True,
            leaf=True,
            dtype="float32",
            nonscalar=True,
            storage=Storage(),
            is_parameter=True,
            origin=site,
            device_step=step,
            grad_step=grad,
        )
        set_slot(m, instance, "(inner)", tensor)
        m.state.set(instance, "#open", True)
        for value in call.arguments:
            found = m.resolve(value)
            if isinstance(found, InstanceValue) and is_module(m, found):
                set_slot(m, instance, f"(given {len(entries(m, instance))})", found)
    if layer.container:
        m.state.set(instance, "#children", _contained(m, call, layer.container))
    inplace = given.get("inplace")
    if inplace is not None:
        m.state.set(instance, "#inplace", inplace)
    if name in WRAPPERS and call.arguments:
        m.state.set(instance, "#wrapped", call.arguments[0])
        set_slot(m, instance, "module", call.arguments[0])
    m.state.set(instance, "#given", tuple(given.items()))


def _is_absent(given: dict[str, object], unless: str) -> bool:
    for part in unless.split(" or "):
        name, _, value = part.partition("=")
        if name in given and isinstance(given[name], Const) and str(given[name].value) == value:  # type: ignore[attr-defined]
            return True
    return False


def _contained(m: Machine, call: Invocation, container: str) -> Contents:
    from devls.interpreter import iteration  # noqa: PLC0415  a cycle otherwise

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
        m.state.set(
            result, "#children", Contents(None, m.any_of((*(contents.items or ()), contents.element)))
        )
        return result
    if isinstance(index, Const) and contents.items is not None:
        if isinstance(index.value, int) and -len(contents.items) <= index.value < len(contents.items):
            return contents.items[index.value]
        keyed = m.state.get(owner, f"[{index.value!r}]")
        if keyed is not None:
            return keyed
    found = m.any_of((*(contents.items or ()), contents.element))
    return m.unknown() if found is None else found


def set_item(m: Machine, owner: InstanceValue, index: object, value: object) -> None:
    """`module_list[i] = layer`."""
    contents = m.state.get(owner, "#children")
    if isinstance(contents, Contents):
        m.state.set(owner, "#children", Contents((*(contents.items or ()), value), contents.element))
        if isinstance(index, Const):
            m.state.set(owner, f"[{index.value!r}]", value)
    else:
        m.state.set(owner, f"[{getattr(index, 'value', '?')!r}]", value)


# Calls


def called(m: Machine, instance: InstanceValue, node: ast.AST | None) -> None:
    """A module's forward is about to run: layers in plain containers will be used unregistered."""
    if node is None:
        return
    registered = {id(each) for each in (*walk(m, instance), *parameters(m, instance))}
    for name, value in entries(m, instance):
        for held in m.alternatives(value):
            what = _unregistered(m, held, registered)
            if what and not m.state.get(instance, f"registered {name}"):
                mark = m.state.get(instance, f"set {name}")
                made = getattr(held, "origin", None) or m.site(node)
                site, assigned = mark if isinstance(mark, tuple) else (made, None)
                kind = (
                    held.kind
                    if isinstance(held, Sequence)
                    else "dict"
                    if isinstance(held, Mapping)
                    else "tuple"
                )
                m.emit(ModulesUnregistered(site, None, name, kind, what, assigned))
                _move_along(m, instance, held)


def _move_along(m: Machine, instance: InstanceValue, value: object) -> None:
    """Go on as if what a plain container holds were registered, and had followed the module."""
    target = m.state.get(instance, "moved to")
    if target is None:
        return
    for each in _held(m, value):
        resolved = m.resolve(each)
        if isinstance(resolved, InstanceValue) and is_module(m, resolved):
            for own in parameters(m, resolved):
                m.state.set(own, "device", target)
        elif isinstance(resolved, TensorValue) and resolved.is_parameter:
            m.state.set(resolved, "device", target)


def _held(m: Machine, value: object) -> tuple[object, ...]:
    """What a plain container holds, as far as we see it."""
    items: tuple[object, ...] = ()
    if isinstance(value, TupleValue):
        items = value.items
    elif isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents):
            items = (*(contents.items or ()), contents.element)
    elif isinstance(value, Mapping):
        held = m.state.get(value, "#entries")
        if isinstance(held, Entries):
            items = (*held.known.values(), held.rest)
    return items


def _is_frozen(m: Machine, instance: InstanceValue) -> bool:
    return all(m.requires_grad(each) is False for each in parameters(m, instance))


def _unregistered(m: Machine, value: object, registered: set[int]) -> str:
    """Tell "modules" or "parameters" when a plain container holds some that are registered nowhere else."""
    for each in _held(m, value):
        resolved = m.resolve(each)
        if id(resolved) in registered:
            continue
        if isinstance(resolved, InstanceValue) and is_module(m, resolved) and _is_frozen(m, resolved):
            continue  # kept out of the module's own parameters on purpose
        if isinstance(resolved, InstanceValue) and is_module(m, resolved) and parameters(m, resolved):
            return "modules"
        if isinstance(resolved, TensorValue) and resolved.is_parameter:
            return "parameters"
    return ""


def call_library_module(
    m: Machine,
    instance: InstanceValue,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    """Call an instance of a library class."""
    from devls.interpreter import calls  # noqa: PLC0415  a cycle otherwise

    if node is None:
        node = m.placeholder()
    name = instance.library
    if instance.cls is not None:
        from devls.interpreter.classes import library_bases  # noqa: PLC0415  a cycle otherwise

        name = next((each for each in sorted(library_bases(m, instance.cls)) if m.library.layer(each)), name)
    wrapped = m.state.get(instance, "#wrapped")
    if wrapped is not None:
        observations.wrapper_called(m, instance, wrapped, node)
        arguments = [_scattered(m, value, wrapped, node) for value in arguments]
        return calls.call(m, wrapped, arguments, keywords, node, nodes, keyword_nodes)
    layer = m.library.layer(name)
    if layer is None:
        for value in (*arguments, *keywords.values()):
            m.escape(value)
        return m.unknown(node, f"{name.rpartition('.')[2]}(...)")
    if layer.container == "sequential":
        contents = m.state.get(instance, "#children")
        if (
            not isinstance(contents, Contents)
            or contents.items is None
            or contents.element is not None
            or any(isinstance(m.resolve(each), Symbol) for each in contents.items)
        ):
            return _open_sequence(m, instance, contents, arguments, node, nodes)
        passed: object = arguments[0] if arguments else m.unknown()
        for child in contents.items:
            passed = calls.call(m, child, [passed], {}, node, nodes[:1])
        return passed
    built = m.state.get(instance, "built in forward")
    if (
        built is not None
        and parameters(m, instance)
        and m.frame.function is not None
        and m.frame.function.name == "forward"
    ):
        m.emit(LayerBuiltInForward(built, m.frame.statement, name.rpartition(".")[2], node))  # type: ignore[arg-type]
        m.state.set(instance, "built in forward", None)
        _follow(m, instance, m.tensor_of(arguments[0], infer=False) if arguments else None)
    return call_layer(m, instance, layer.forward, arguments, keywords, node, nodes, keyword_nodes)


def _follow(m: Machine, instance: InstanceValue, tensor: TensorValue | None) -> None:
    """Go on as if the layer had been registered, and so moved: one mistake is reported once."""
    if tensor is not None:
        for own in parameters(m, instance):
            m.state.set(own, "device", m.device(tensor))


def _scattered(m: Machine, value: object, wrapped: object, node: ast.expr) -> object:
    """An input of a parallel wrapper, which puts it where the replica is."""
    tensor = m.resolve(value)
    module = m.resolve(wrapped)
    if not isinstance(tensor, TensorValue):
        return value
    here = device(m, module) if isinstance(module, InstanceValue) else None
    target = UNKNOWN_DEVICE if here is None or here == CPU else here
    return _copy(m, tensor, target, Step("the parallel wrapper moves its inputs", m.site(node), kind="moved"))


def _open_sequence(
    m: Machine,
    instance: InstanceValue,
    contents: object,
    arguments: list[object],
    node: ast.expr,
    nodes: list[ast.expr | None],
) -> object:
    """A Sequential of layers that are not known one by one: some layers of it, on its device."""
    tensor = m.tensor_of(arguments[0]) if arguments else None
    own = parameters(m, instance)
    placed, moved = m.state.get(instance, "moved to"), m.state.get(instance, "#moved")
    if not own and placed is not None and isinstance(moved, Step):
        # Layers of which we see nothing have been moved along.
        own = [TensorValue(device=placed, leaf=True, nonscalar=True, is_parameter=True, device_step=moved)]
    del contents
    operation = Operation("torch.nn.Sequential.forward", (), Result.TENSOR, Differentiable.YES, saves=None)
    operands = (
        [(Role.EXACT, mixing.operand(m, tensor, nodes[0] if nodes else None, "input"))]
        if tensor is not None
        else []
    )
    operands += [
        (Role.EXACT, mixing.operand(m, each, None, "weight", "the layer's weight")) for each in own[:1]
    ]
    return operations.compute(
        m, operation, node, operands, {}, open_operands=True, complete=False, layer=True, more_inputs=own
    )


_DROPOUTS = frozenset(
    {"Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"}
)


def call_layer(
    m: Machine,
    instance: InstanceValue,
    operation: Operation | None,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    """Call a library layer: its tensors and its inputs must be on one device."""
    if operation is None or operation.result is Result.UNKNOWN:
        for value in arguments:
            m.escape(value)
        inside = parameters(m, instance)
        if inside:
            unknown = Operation("torch.nn.Module.forward", (), Result.TENSOR, Differentiable.YES, saves=None)
            return operations.compute(
                m, unknown, node, [], {}, open_operands=True, complete=False, more_inputs=inside
            )
        return m.unknown(node)
    call = Invocation(operation.name, list(arguments), keywords, node, list(nodes), keyword_nodes)
    if arguments and operation.name.endswith("Loss.forward"):
        loss = operation.name.removesuffix(".forward").rpartition(".")[2]
        observations.loss_computed(m, loss, arguments[0], nodes[0] if nodes else None, node)
    bound = call.bind(operation)
    operands: list[tuple[Role, object]] = []
    open_operands = False
    given: dict[str, object] = dict(m.state.get(instance, "#given", ()))  # type: ignore[call-overload]
    for parameter, value, value_node in bound:
        given[parameter.name] = value
        if parameter.role in (Role.OTHER, Role.FREE):
            continue
        resolved = m.resolve(value)
        parts = resolved.items if isinstance(resolved, TupleValue) else (resolved,)
        for part in parts:
            tensor = m.tensor_of(part)
            if tensor is not None:
                role = Role.EXACT if parameter.role is Role.LIST else parameter.role
                operands.append((role, mixing.operand(m, tensor, value_node, parameter.name)))
            elif isinstance(m.resolve(part), (Symbol, Either)):
                open_operands = True
    own: list[TensorValue] = []
    label = _label(m, node, instance)
    for name, tensor, _is_buffer in tensors(m, instance):
        operands.append((Role.EXACT, mixing.operand(m, tensor, None, name.strip("()"), label)))
        own.append(tensor)
    inputs = operands[: len(operands) - len(own)]
    kind = operation.name.rpartition(".")[0].rpartition(".")[2]
    if kind in _DROPOUTS and inputs:
        mode = m.resolve(m.state.get(instance, "training", TRUE))
        if mode == FALSE:
            return inputs[0][1].tensor  # type: ignore[attr-defined]  # evaluation drops nothing
    inplace = m.state.get(instance, "#inplace")
    if inplace == TRUE and inputs:
        if kind in _DROPOUTS and m.resolve(given.get("p")) in (Const(0), Const(0.0)):
            return inputs[0][1].tensor  # type: ignore[attr-defined]  # nothing is written
        from devls.interpreter import training  # noqa: PLC0415  a cycle otherwise

        needs = m.requires_grad(inputs[0][1].tensor)  # type: ignore[attr-defined]
        return training.written(
            m,
            node,
            kind,
            inputs[0][1],  # type: ignore[arg-type]
            operation,
            inputs[:1],  # type: ignore[arg-type]
            needs,
            operations.kept_in_place(kind),
        )
    result = operations.compute(
        m,
        operation,
        node,
        operands,  # type: ignore[arg-type]
        given,
        open_operands=open_operands,
        complete=not open_operands,
        layer=bool(own),
    )
    return _with_cell_state(result) if operation.name == "torch.nn.LSTM.forward" else result


def _with_cell_state(result: object) -> object:
    """What an LSTM returns: the output, and its two states as a tuple of their own."""
    if (
        not isinstance(result, TupleValue)
        or len(result.items) != 2
        or not isinstance(result.items[1], TensorValue)
    ):
        return result
    hidden = result.items[1]
    cell = copy.copy(hidden)
    cell.storage = Storage()
    return TupleValue((result.items[0], TupleValue((hidden, cell))))


def _label(m: Machine, node: ast.expr, instance: InstanceValue) -> str:
    if isinstance(node, ast.Call):
        return m.text(node.func)
    return instance.library.rpartition(".")[2]


def call_method(m: Machine, call: Invocation) -> object:
    """A method of a Module."""
    from devls.interpreter import module_methods  # noqa: PLC0415  a cycle otherwise

    return module_methods.call(m, call)


__all__ = ["FALSE", "Node", "describe", "optimizers", "shapes"]
