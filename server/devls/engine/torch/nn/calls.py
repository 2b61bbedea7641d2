"""Calls of modules: library layers, and what a call says about the device of what it is given."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import limits, priors, tensor_facts, training_moments
from devls.engine.core.events.events import LayerBuiltInForward, ModulesUnregistered
from devls.engine.core.invocation import Invocation
from devls.engine.core.joins import Contents, Entries
from devls.engine.python import calls
from devls.engine.python.classes import library_bases, linearize
from devls.engine.python.names import given_to
from devls.engine.python.reflection import HELD_BY_UNSEEN
from devls.engine.torch.nn import construction as module_construction
from devls.engine.torch.nn import recurrent, registration, registry
from devls.engine.torch.tensors import device_check, operations, writes
from devls.library.effects import Differentiable, Operation, Result, Role
from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk
from devls.values.conditions import Either, leaves
from devls.values.devices import CPU, UNKNOWN_DEVICE
from devls.values.history import Site, Step
from devls.values.value import (
    FALSE,
    TRUE,
    Const,
    InstanceValue,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from typing import TypeGuard

    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source


def called(m: Machine, instance: InstanceValue, node: ast.AST | None) -> None:
    """A module's forward is about to run: layers in plain containers will be used unregistered."""
    if node is not None:
        tell_unregistered(m, instance, node)


def tell_unregistered(m: Machine, instance: InstanceValue, node: ast.AST, missed: Site | None = None) -> bool:
    """Tell of layers in plain containers, which are taken for registered from here on; whether there are any."""
    found = False
    registered: set[int] | None = None
    any_held: bool | None = None
    for name, value in registry.entries(m, instance):
        for held in m.alternatives(value):
            if not isinstance(held, (Sequence, Mapping, TupleValue)):
                continue
            parts = _parts(m, held)
            if parts and registered is None:
                registered = registration.registered_with(m, instance)
            what = _unregistered(m, held, parts, registered or set())
            if what and not m.state.get(instance, f"registered {name}"):
                if any_held is None:
                    any_held = _may_hold_any(m, instance)
                if any_held:
                    return found
                if _registers(m, instance, name):
                    _move_along(m, instance, held)
                    continue
                marks = leaves(m.state.get(instance, f"set {name}"))  # in this case of several
                mark = next((each for each in marks if isinstance(each, tuple)), None)
                made = getattr(held, "origin", None) or m.site(node)
                site, assigned = mark if isinstance(mark, tuple) else (made, None)
                kind = (
                    held.kind
                    if isinstance(held, Sequence)
                    else "dict"
                    if isinstance(held, Mapping)
                    else "tuple"
                )
                if priors.is_kept_apart(m, held, assigned):
                    continue
                entries = m.state.get(held, "#entries") if isinstance(held, Mapping) else None
                named = not isinstance(entries, Entries) or all(isinstance(key, str) for key in entries.known)
                nested = _is_nested(m, held)
                unseen = bool(parts) and all(isinstance(each, Symbol) for each in parts)
                priors.layers_unregistered(
                    m,
                    ModulesUnregistered(
                        site,
                        None,
                        name,
                        kind,
                        what,
                        assigned,
                        named=named,
                        nested=nested,
                        missed=missed,
                        unseen=unseen,
                        made=made if made.calls != site.calls else None,
                    ),
                )
                _move_along(m, instance, held)
                found = True
    return found


def _may_hold_any(m: Machine, instance: InstanceValue) -> bool:
    """Whether a registered container was given more than can be told apart: what else holds modules may hold those."""
    kept = (m.state.get(each, "#children") for each in registry.walk(m, instance))
    return any(
        isinstance(contents, Contents) and any(isinstance(leaf, Symbol) for leaf in leaves(contents.element))
        for contents in kept
    )


def _registers(m: Machine, instance: InstanceValue, name: str) -> bool:
    """Whether the class itself makes a container of modules of an attribute in some case: `ModuleList(self.layers + self.heads)`."""
    return any(
        m.library.layer(f"torch.nn.{callee}") is not None
        for cls in (linearize(m, instance.cls) if instance.cls is not None else ())
        for callee in given_to(cls.node).get(name, ())
    )


def _move_along(m: Machine, instance: InstanceValue, value: object) -> None:
    """Go on as if what a plain container holds were registered, and had followed the module."""
    target = m.state.get(instance, "moved to")
    if target is None:
        return
    for each in _held(m, value):
        resolved = m.resolve(each)
        if isinstance(resolved, InstanceValue) and registry.is_module(m, resolved):
            for _, own, _ in registry.named(m, resolved):
                m.state.set(own, "device", target)
        elif isinstance(resolved, TensorValue) and resolved.is_parameter:
            m.state.set(resolved, "device", target)


def _held(m: Machine, value: object) -> tuple[object, ...]:
    """Visible contents of a plain container, those of its tuples too: `[(norm, layer), ...]`."""
    held: list[object] = []
    for each in _items(m, value):
        found = m.resolve(each)
        held += found.items if isinstance(found, TupleValue) and not found.fields else (each,)
    return tuple(held)


def _is_nested(m: Machine, value: object) -> bool:
    return any(isinstance(m.resolve(each), TupleValue) for each in _items(m, value))


def _items(m: Machine, value: object) -> tuple[object, ...]:
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
    if any(isinstance(each, (Symbol, Either)) for each in items):
        # Items that were put there one after the other, if they are too many to tell apart.
        items = (*items, *m.state.get(value, "#put", ()))  # type: ignore[misc]
    return items


def _is_for_tests(source: Source) -> bool:
    """Whether a file holds helpers for tests: nobody trains a model that is there, nor moves it."""
    folders = source.path.replace("\\", "/").split("/")[-3:-1]
    return "testing" in folders or folders[-1:] == ["tests"]


def _is_built_once(built: object) -> bool:
    """Whether a layer is built under a test of an attribute that is set beside it: `if not self.ready: ...; self.ready = True`."""
    if not isinstance(built, Site):
        return False
    for each in ancestors(built.source, built.node):
        if isinstance(each, (ast.FunctionDef, ast.ClassDef)):
            return False
        if isinstance(each, ast.If):
            asked = {one.attr for one in walk(each.test) if isinstance(one, ast.Attribute)}
            stored = {
                one.attr
                for statement in each.body
                for one in walk(statement)
                if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
            }
            if asked & stored:
                return True
    return False


def _is_frozen(m: Machine, instance: InstanceValue) -> bool:
    return all(m.requires_grad(each) is False for each in registry.parameters(m, instance))


def _parts(m: Machine, value: object) -> list[InstanceValue | TensorValue | Symbol]:
    """The modules and parameters that a plain container holds, as far as we see it; modules of unseen classes, too."""
    held = (m.resolve(each) for each in _held(m, value))
    return [each for each in held if _is_part(each, m)]


def _is_part(value: object, m: Machine) -> TypeGuard[InstanceValue | TensorValue | Symbol]:
    if isinstance(value, InstanceValue):
        return registry.is_module(m, value)
    return (isinstance(value, TensorValue) and value.is_parameter) or _is_made_unseen(value, m)


def _is_made_unseen(value: object, m: Machine) -> TypeGuard[Symbol]:
    """Whether something is a module of a class that is not seen, and was made by it."""
    return (
        type(value) is Symbol
        and value.hint == "module"
        and m.state.get(value, registry.MADE_ON_CPU) is not None
    )


def _is_held_elsewhere(m: Machine, part: object) -> bool:
    """Whether code that is not seen, or was not run, may have registered a part."""
    escaped = isinstance(part, TensorValue) and m.state.get(part, "#escaped") is not None
    return escaped or m.state.get(part, HELD_BY_UNSEEN) is not None


def _unregistered(
    m: Machine, value: object, parts: list[InstanceValue | TensorValue | Symbol], registered: set[int]
) -> str:
    """Tell "modules" or "parameters" when a plain container holds some that are registered nowhere else."""
    if isinstance(value, Sequence):
        if id(m.state.get(value, module_construction.GIVEN_TO)) in registered:
            return ""
        if m.state.get(value, "#holds modules") is not None:
            return "modules"
    if isinstance(value, Mapping) and any(id(each) in registered for each in parts):
        return ""  # `self.backbone = self.choices[name]`: the one that was chosen is registered, and others are not used
    for each in parts:
        meant = tensor_facts.cases(each) if isinstance(each, TensorValue) else (each,)
        if all(id(one) in registered or _is_held_elsewhere(m, one) for one in meant):
            continue
        if isinstance(each, TensorValue):
            return "parameters"
        if isinstance(each, Symbol):
            return "modules"
        # One that is frozen is kept out of the module's own parameters on purpose.
        if priors.may_have_parameters(m, each) or (registry.parameters(m, each) and not _is_frozen(m, each)):
            return "modules"
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
    if node is None:
        node = m.placeholder()
    name = instance.library
    if instance.cls is not None:
        name = next((each for each in sorted(library_bases(m, instance.cls)) if m.library.layer(each)), name)
    wrapped = m.state.get(instance, "#wrapped")
    if wrapped is not None:
        training_moments.wrapper_called(m, instance, wrapped, node)
        arguments = [_scattered(m, value, wrapped, node) for value in arguments]
        keywords = {name: _scattered(m, value, wrapped, node) for name, value in keywords.items()}
        return calls.call(m, wrapped, arguments, keywords, node, nodes, keyword_nodes)
    layer = m.library.layer(name)
    if layer is None:
        for value in (*arguments, *keywords.values()):
            m.escape(value)
        return m.unknown(node, f"{name.rpartition('.')[2]}(...)")
    built = m.state.get(instance, "built in forward")
    if isinstance(built, Either):  # on each path in another place, or registered on one
        built = None if None in leaves(built) else next(iter(leaves(built)))
    if built is not None and registry.parameters(m, instance) and registry.forward_running(m) is not None:
        made = instance.origin
        if made is not None and made.calls == m.frame.calls:
            built = made  # a helper of `forward` that builds it and uses it is where the mistake is
        if not _is_for_tests(m.frame.source) and not any(map(_is_built_once, (built, instance.origin))):
            kind, place = name.rpartition(".")[2], registry.device(m, instance)
            on_host = place is not None and all(leaf == CPU for leaf in leaves(place))
            m.emit(LayerBuiltInForward(built, m.frame.statement, kind, node, instance.origin, on_host))  # type: ignore[arg-type]
            for _, own, _ in registry.named(m, instance):
                m.state.set(own, BUILT_LATE, True)
        for each in registry.walk(m, instance):
            m.state.set(each, "built in forward", None)
        _follow(m, instance, m.tensor_of(arguments[0]) if arguments else None)
    if layer.container == "sequential":
        contents = m.state.get(instance, "#children")
        if (
            not isinstance(contents, Contents)
            or contents.items is None
            or contents.element is not None
            or any(isinstance(m.resolve(each), Symbol) for each in contents.items)
        ):
            return _open_sequence(m, instance, contents, arguments, node, nodes)
        passed: object = arguments[0] if arguments else keywords.get("input")
        given = nodes[0] if arguments and nodes else keyword_nodes.get("input")
        for child in contents.items:
            # One that holds another twice, which does so again, runs the innermost a million times, in one statement.
            m.state.work += limits.WORK_OF_NODE
            m.pay()
            passed = calls.call(m, child, [m.unknown() if passed is None else passed], {}, node, [given])
        return passed
    return call_layer(m, instance, layer.forward, arguments, keywords, node, nodes, keyword_nodes)


BUILT_LATE: Final = "#built in forward"
"""Slot of the parameters of a layer that was told to be new in every forward."""


def _follow(m: Machine, instance: InstanceValue, tensor: TensorValue | None) -> None:
    """Go on as if the layer had been registered, and so moved: one mistake is reported once."""
    if tensor is not None:
        for _, own, _ in registry.named(m, instance):
            m.state.set(own, "device", m.device(tensor))


_NESTED: Final = 3
"""Containers within each other that a parallel wrapper's inputs are followed into."""


def _scattered(m: Machine, value: object, wrapped: object, node: ast.expr, depth: int = 0) -> object:
    """An input of a parallel wrapper, which puts it, and what its containers hold, where the replica is."""
    tensor = m.resolve(value)
    module = m.resolve(wrapped)

    def put(each: object) -> object:
        return _scattered(m, each, wrapped, node, depth + 1)

    if isinstance(tensor, Either):
        test = Either(tensor.condition, True, False)
        return m.select(
            test, *(_scattered(m, each, wrapped, node, depth) for each in (tensor.then, tensor.otherwise))
        )
    if isinstance(tensor, TupleValue) and depth < _NESTED:
        return TupleValue(tuple(map(put, tensor.items)), tensor.fields)
    if isinstance(tensor, Sequence) and depth < _NESTED:
        contents = m.state.get(tensor, "#items")
        if isinstance(contents, Contents):
            made = m.new_list((), node, tensor.kind)
            items = None if contents.items is None else tuple(map(put, contents.items))
            m.state.set(made, "#items", Contents(items, put(contents.element)))
            return made
    if isinstance(tensor, Mapping) and depth < _NESTED:
        entries = m.state.get(tensor, "#entries")
        if isinstance(entries, Entries):
            known = {key: put(each) for key, each in entries.known.items()}
            return m.new_dict(Entries(known, put(entries.rest), entries.there))
    if isinstance(tensor, Symbol) and priors.is_in_tensors(m, tensor):
        tensor = m.as_tensor(tensor)
    if not isinstance(tensor, TensorValue):
        return value
    here = registry.device(m, module) if isinstance(module, InstanceValue) else None
    target = UNKNOWN_DEVICE if here is None or here == CPU else here
    return registry.copied(
        m, tensor, target, Step("the parallel wrapper moves its inputs", m.site(node), kind="moved")
    )


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
    own = registry.parameters(m, instance)
    placed, moved = m.state.get(instance, "moved to"), m.state.get(instance, "#moved")
    if not own and placed is not None and isinstance(moved, Step):
        # Layers of which we see nothing have been moved along.
        own = [TensorValue(device=placed, leaf=True, nonscalar=True, is_parameter=True, device_step=moved)]
    del contents
    operation = Operation("torch.nn.Sequential.forward", (), Result.TENSOR, Differentiable.YES, saves=None)
    operands = (
        [(Role.EXACT, device_check.operand(m, tensor, nodes[0] if nodes else None, "input"))]
        if tensor is not None
        else []
    )
    operands += [
        (Role.EXACT, device_check.operand(m, each, None, "weight", "the layer's weight")) for each in own[:1]
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
        return _call_undescribed(m, instance, arguments, node)
    call = Invocation(operation.name, list(arguments), keywords, node, list(nodes), keyword_nodes)
    training_moments.layer_called(m, instance, call)
    given: dict[str, object] = dict(m.state.get(instance, "#given", ()))  # type: ignore[call-overload]
    inputs, open_operands = _inputs(m, call, operation, given)
    own = [(name, tensor) for name, tensor, _is_buffer in registry.tensors(m, instance)]
    label = _label(m, node, instance) if own else ""
    operands = inputs + [
        (Role.EXACT, device_check.operand(m, tensor, None, name.strip("()"), label)) for name, tensor in own
    ]
    kind = operation.name.rpartition(".")[0].rpartition(".")[2]
    perhaps_itself = False
    if kind in _DROPOUTS and inputs:
        mode = m.resolve(m.state.get(instance, "training", TRUE))
        # Those for channels give a batch an extra dimension and take it away again, or not.
        perhaps_itself = mode not in (TRUE, FALSE) or (mode == FALSE and kind.endswith("d"))
        if mode == FALSE and not perhaps_itself:
            return inputs[0][1].tensor  # evaluation drops nothing
    if m.state.get(instance, "#inplace") == TRUE and inputs:
        if kind in _DROPOUTS and m.resolve(given.get("p")) in (Const(0), Const(0.0)):
            return inputs[0][1].tensor  # nothing is written
        first = inputs[0][1]
        needs = m.requires_grad(first.tensor)
        return writes.written(
            m, node, kind, first, operation, inputs[:1], needs, operations.kept_in_place(kind)
        )
    result = operations.compute(
        m,
        operation,
        node,
        operands,
        given,
        open_operands=open_operands,
        complete=not open_operands,
        layer=bool(own),
    )
    if perhaps_itself and isinstance(result, TensorValue) and m.requires_grad(result) is not False:
        result.leaf = None
    return (
        recurrent.finished(m, operation.name, given, result) if operation.name in recurrent.LAYERS else result
    )


def _call_undescribed(m: Machine, instance: InstanceValue, arguments: list[object], node: ast.expr) -> object:
    """Call a layer of which the catalog does not say what it returns."""
    for value in arguments:
        m.escape(value)
    inside = registry.parameters(m, instance)
    if not inside:
        return m.unknown(node)
    unknown = Operation("torch.nn.Module.forward", (), Result.TENSOR, Differentiable.YES, saves=None)
    return operations.compute(
        m, unknown, node, [], {}, open_operands=True, complete=False, more_inputs=inside
    )


def _inputs(
    m: Machine, call: Invocation, operation: Operation, given: dict[str, object]
) -> tuple[list[tuple[Role, Operand]], bool]:
    """The tensors among the arguments, and whether others may be; `given` gets each argument by its parameter."""
    inputs: list[tuple[Role, Operand]] = []
    is_open = call.may_bring_tensors(operation)
    for parameter, value, value_node in call.bind(operation):
        given[parameter.name] = value
        if parameter.role in (Role.OTHER, Role.FREE):
            continue
        resolved = m.resolve(value)
        for part in resolved.items if isinstance(resolved, TupleValue) else (resolved,):
            tensor = m.tensor_of(part)
            if tensor is not None:
                role = Role.EXACT if parameter.role is Role.LIST else parameter.role
                inputs.append((role, device_check.operand(m, tensor, value_node, parameter.name)))
            elif isinstance(found := m.resolve(part), (Symbol, Either, InstanceValue)):
                is_open = is_open or not isinstance(found, InstanceValue) or operations.is_open(found)
    return inputs, is_open


def _label(m: Machine, node: ast.expr, instance: InstanceValue) -> str:
    if isinstance(node, ast.Call):
        return m.text(node.func)
    return instance.library.rpartition(".")[2]
