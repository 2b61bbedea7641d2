"""Methods of `torch.nn.Module`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import program_moments, training_moments
from devls.engine.core.joins import Contents, Entries
from devls.engine.core.slots import set_slot
from devls.engine.python import calls, classes
from devls.engine.torch import optim
from devls.engine.torch.autograd import backward, hooks
from devls.engine.torch.nn import calls as module_calls
from devls.engine.torch.nn import registration, registry, train_mode
from devls.engine.torch.nn.state_dicts import load_state_dict, state_dict
from devls.engine.torch.tensors import constructors, device_check, moves
from devls.engine.torch.tensors.shapes import can_require_grad, dtype_name
from devls.values.conditions import Either, apply
from devls.values.devices import CPU, UNKNOWN_DEVICE, NamedDevice
from devls.values.graph import Storage
from devls.values.history import Step
from devls.values.state import MISSING
from devls.values.value import (
    FALSE,
    TRUE,
    Const,
    InstanceValue,
    LibraryName,
    Mapping,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree


def call(m: Machine, call_: Invocation) -> object:
    owner = m.resolve(call_.receiver)
    assert isinstance(owner, InstanceValue)  # noqa: S101  the caller has looked
    run = _METHODS.get(call_.short_name)
    if run is None:
        for value in call_.arguments[1:]:
            m.escape(value)
        return m.unknown(call_.node)
    return run(m, call_, owner)


def _to(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    if call_.short_name != "to" and len(call_.arguments) > 1 and registry.holds_nothing(m, owner):
        return owner  # `nn.Dropout().cuda("cpu")`: there is none that would refuse
    target, dtype = moves.target_of(m, call_)
    if dtype is not None:
        m.state.set(owner, "#cast", (dtype, m.site(call_.node)))
        _forget_dtypes(m, owner, dtype)
    return _moved(m, call_, owner, target)


def _type(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    """`module.type(torch.cuda.FloatTensor)`: the old name of a type says where it goes; a dtype leaves it there."""
    asked = m.resolve(call_.argument(1, "dst_type"))
    if isinstance(asked, Symbol) and asked.hint != "dtype":
        target: Tree | None = UNKNOWN_DEVICE
    else:
        here = registry.device(m, owner)
        target = apply(lambda each: _place_named(each, here), asked, too_many=UNKNOWN_DEVICE)
    _dtype_only(m, call_, owner)
    return owner if target in (None, registry.device(m, owner)) else _moved(m, call_, owner, target)


def _place_named(type_: object, here: object) -> Tree:
    """Device of a module that is given a type now."""
    named = constructors.place_and_dtype(type_)
    if isinstance(type_, LibraryName) and not moves.is_of_torch(type_) and dtype_name(type_) is None:
        return UNKNOWN_DEVICE
    return here if named is None else named[0]


def _moved(m: Machine, call_: Invocation, owner: InstanceValue, target: Tree | None) -> InstanceValue:
    if target is not None:
        training_moments.module_moving(m, call_, owner, target)
        before = registry.device(m, owner)
        registry.move(
            m, owner, target, call_.node, f"`{m.text(call_.node)}` moved it", moves.chosen_at(m, call_)
        )
        _note_new_name(m, call_, owner, before)
    return owner


def _note_new_name(m: Machine, call_: Invocation, owner: InstanceValue, before: object) -> None:
    """`on_cpu = model.to("cpu")`: from now on one module has two names."""
    statement, receiver = m.frame.statement, call_.receiver_node
    now = m.state.get(owner, "moved to")
    if not (
        isinstance(statement, ast.Assign)
        and statement.value is call_.node
        and len(statement.targets) == 1
        and before != now
    ):
        return
    target = statement.targets[0]
    # `self.model = model.to(device)` is how models are kept; taking one off its device is what a copy would be made for.
    off = now == CPU and isinstance(before, (Either, NamedDevice)) and isinstance(target, _NAMES)
    if (isinstance(target, ast.Name) and isinstance(receiver, ast.Name)) or (
        off and isinstance(receiver, _NAMES)
    ):
        new, old = m.text(target), m.text(receiver)
        if new != old:
            mark = device_check.Renamed(m.site(statement.value), new, old, off)
            for tensor in registry.parameters(m, owner):
                m.state.set(tensor, device_check.RENAMED, mark)


_NAMES = (ast.Name, ast.Attribute)


def _dtype_only(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    dtype = "float64" if call_.short_name == "double" else None
    m.state.set(owner, "#cast", None if dtype is None else (dtype, m.site(call_.node)))
    _forget_dtypes(m, owner, "float16" if call_.short_name == "half" else dtype)
    return owner


def _forget_dtypes(m: Machine, owner: InstanceValue, dtype: str | None) -> None:
    """Floating point tensors of a module have another dtype now, on this path only: it is not known from here on."""
    for _, tensor, _ in registry.named(m, owner):
        if tensor.dtype is not None and can_require_grad(tensor.dtype):
            tensor.dtype = None
        if dtype == "float16" or m.state.get(tensor, HALF) is not None:
            m.state.set(tensor, HALF, dtype == "float16" or None)


HALF: Final = "#in half precision"
"""The slot of parameters of a module that was cast to float16."""


def _parameters(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    found: list[object] = list(registry.parameters(m, owner))
    if call_.keyword(m, "recurse") == FALSE:
        found = [tensor for _, tensor, is_buffer in registry.tensors(m, owner) if not is_buffer]
    if not found and owner.symbolic:
        # A request for the parameters of a class without any means those of its subclasses.
        here = m.state.get(owner, "moved to", UNKNOWN_DEVICE)
        found = [TensorValue(device=here, storage=Storage(), is_parameter=True, origin=m.site(call_.node))]
    return _iterator(m, owner, found, call_)


def _iterator(m: Machine, owner: InstanceValue, found: list[object], call_: Invocation) -> object:
    result = m.new_list((), call_.node, "iterator")
    if registry.is_whole(m, owner):
        m.state.set(result, "#items", Contents(tuple(found)))
    else:
        # There is more than we see: what is seen, and one more that stands for the rest.
        rest = m.unknown()
        if call_.short_name == "parameters":
            rest = Symbol(("parameter of", rest.key), "?")
        m.state.set(result, "#items", Contents(tuple(found), rest))
    return result


def _named_parameters(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    own = call_.keyword(m, "recurse") == FALSE
    every = call_.keyword(m, "remove_duplicate") == FALSE
    found: list[object] = []
    seen = set[TensorValue]()
    for name, tensor, is_buffer in (registry.tensors if own else registry.named)(m, owner):
        if not is_buffer and (every or tensor not in seen):  # one that is tied has its first name
            seen.add(tensor)
            found.append(TupleValue((Const(name), tensor)))
    return _iterator(m, owner, found, call_)


def _name(m: Machine, _name: str) -> object:
    # The prefix depends on where the module hangs: only that it is a string is known.
    return Symbol(("name", m.fresh_number()), "name", hint="string")


def _asked(m: Machine, call_: Invocation, owner: InstanceValue) -> list[InstanceValue]:
    """The modules whose buffers are asked for: with `recurse=False` those of the module itself."""
    return [owner] if call_.keyword(m, "recurse") == FALSE else list(registry.walk(m, owner))


def _buffers(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    found: list[object] = [
        tensor
        for each in _asked(m, call_, owner)
        for _, tensor, is_buffer in registry.tensors(m, each)
        if is_buffer
    ]
    return _iterator(m, owner, found, call_)


def _named_buffers(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    found: list[object] = [
        TupleValue((_name(m, name), tensor))
        for each in _asked(m, call_, owner)
        for name, tensor, is_buffer in registry.tensors(m, each)
        if is_buffer
    ]
    return _iterator(m, owner, found, call_)


def _children(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    return _iterator(m, owner, [child for _, child in registry.children(m, owner)], call_)


def _named_children(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    return _iterator(
        m, owner, [TupleValue((Const(name), child)) for name, child in registry.children(m, owner)], call_
    )


def _modules(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    return _iterator(m, owner, list(registry.walk(m, owner)), call_)


def _named_modules(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    found: list[object] = [
        TupleValue((_name(m, name) if "(" in name else Const(name), each))
        for name, each in registry.walk_named(m, owner)
    ]
    return _iterator(m, owner, found, call_)


def _train(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    mode = call_.argument(1, "mode")
    value = TRUE if mode is None else m.resolve(mode)
    for each in registry.walk(m, owner):
        m.state.set(each, "training", value)
    train_mode.changed(m, owner, call_.node, value)
    return owner


def _eval(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    for each in registry.walk(m, owner):
        m.state.set(each, "training", FALSE)
    train_mode.changed(m, owner, call_.node, FALSE)
    return owner


def _requires_grad(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    flag = call_.argument(1, "requires_grad")
    wanted = True if flag is None else m.truth(flag)
    for tensor in registry.parameters(m, owner):
        training_moments.parameter_flag_set(m, tensor, call_.node, wanted)
        m.state.set(tensor, "requires_grad", wanted)
        if wanted is False:
            step = Step(f"frozen: `{m.text(call_.node)}`", m.site(call_.node), kind="cut")
            m.state.set(tensor, "grad_step", step)
    return owner


def _zero_grad(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    optim.clear(m, registry.parameters(m, owner), call_.node)
    # Of the parts that are not seen, too; and an optimizer whose parameters are not seen may hold the others.
    backward.clear_unseen(m)
    return Const(None)


def _register_buffer(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    name = m.resolve(call_.argument(1, "name"))
    value = call_.argument(2, "tensor")
    if isinstance(name, Const) and isinstance(name.value, str) and value is not None:
        training_moments.module_attribute_set(m, call_.node, owner, name.value, value)
        buffers = m.state.get(owner, "#buffers", frozenset())
        m.state.set(owner, "#buffers", buffers | {name.value})  # type: ignore[operator]
        set_slot(m, owner, name.value, value)
    else:
        m.state.set(owner, "#open", True)
    return Const(None)


def _submodule(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    """`model.get_submodule("encoder.0")`: by its name; whatever the name, it is a module or torch raises."""
    name = m.resolve(call_.argument(1, "target"))
    if isinstance(name, Const):
        for path, each in registry.walk_named(m, owner):
            if path == name.value:
                return each
    found = Symbol(
        ("submodule", id(owner), m.fresh_number()), m.text(call_.node), hint="module", site=m.site(call_.node)
    )
    m.state.set(found, registry.IS_MODULE, True)
    return found


def _tensor_named(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    """`model.get_parameter("encoder.0.weight")`, `model.get_buffer(...)`."""
    name = m.resolve(call_.argument(1, "target"))
    wants_buffer = call_.short_name == "get_buffer"
    if isinstance(name, Const):
        for path, tensor, is_buffer in registry.named(m, owner):
            if path == name.value and is_buffer is wants_buffer:
                return tensor
    return m.unknown(call_.node)


def _apply(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    if len(call_.arguments) > 1:
        for each in list(registry.walk(m, owner))[:8]:
            calls.call(m, call_.arguments[1], [each], {}, call_.node)
    return owner


def _keys(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    names = registry.child_names(m, owner)
    if names is None:
        return m.unknown(call_.node)
    return _iterator(m, owner, [Const(each) for each in names], call_)


def _values(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    return _iterator(m, owner, [child for _, child in registry.children(m, owner)], call_)


def _items(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    known = registry.child_names(m, owner) is not None
    found: list[object] = [
        TupleValue((Const(name) if known else _name(m, name), child))
        for name, child in registry.children(m, owner)
    ]
    return _iterator(m, owner, found, call_)


def _forward(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    program_moments.forward_called(m, owner, call_.receiver_node, call_.node)
    return module_calls.call_library_module(
        m, owner, call_.arguments[1:], call_.keywords, call_.node, call_.nodes[1:], call_.keyword_nodes
    )


def _share(_m: Machine, _call: Invocation, owner: InstanceValue) -> object:
    return owner


def _length(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    contents = m.state.get(owner, "#children")
    if isinstance(contents, Contents) and contents.items is not None:
        return Const(len(contents.items))
    return m.unknown(call_.node)


def apply_to_tensors(m: Machine, call_: Invocation, owner: InstanceValue) -> object:
    """`module._apply(fn)`: what is registered becomes what `fn` makes of it, in the modules below first."""
    function = m.resolve(call_.argument(1, "fn"))
    if isinstance(function, Symbol):
        m.escape(owner)
        return owner
    _apply_all(m, owner, function, recurse=call_.argument(2, "recurse") != FALSE)
    return owner


def _apply_all(m: Machine, owner: InstanceValue, function: object, *, recurse: bool = True) -> None:
    for _, child in registry.children(m, owner) if recurse else ():
        own = classes.method_of(m, child, "_apply")
        if own is not None:
            calls.call(m, own, [function], {}, None)
        else:
            _apply_all(m, child, function)
    for name, tensor, is_buffer in registry.tensors(m, owner):
        made = m.resolve(calls.call(m, function, [tensor], {}, None))
        if made is tensor:
            continue
        if not isinstance(made, TensorValue):
            m.state.set(tensor, "device", UNKNOWN_DEVICE)
        elif is_buffer and m.resolve(m.state.get(owner, name)) is tensor:
            set_slot(m, owner, name, made)
        else:
            # A parameter stays the same object, and has the data of what was made.
            m.state.set(tensor, "device", m.device(made))
            m.state.set(tensor, "device_step", m.state.get(made, "device_step", made.device_step))
            if m.state.get(tensor, device_check.RENAMED) is not None:
                m.state.set(tensor, device_check.RENAMED, None)


_METHODS: dict[str, Callable[[Machine, Invocation, InstanceValue], object]] = {
    "to": _to,
    "cuda": _to,
    "cpu": _to,
    "xpu": _to,
    "to_empty": _to,
    "half": _dtype_only,
    "float": _dtype_only,
    "double": _dtype_only,
    "bfloat16": _dtype_only,
    "type": _type,
    "parameters": _parameters,
    "named_parameters": _named_parameters,
    "buffers": _buffers,
    "named_buffers": _named_buffers,
    "children": _children,
    "named_children": _named_children,
    "modules": _modules,
    "named_modules": _named_modules,
    "train": _train,
    "eval": _eval,
    "requires_grad_": _requires_grad,
    "zero_grad": _zero_grad,
    "register_buffer": _register_buffer,
    "register_parameter": registration.register,
    "add_module": registration.register,
    "register_module": registration.register,
    "append": registration.append,
    "insert": registration.append,
    "extend": registration.extend,
    "update": registration.extend,
    "get_submodule": _submodule,
    "get_parameter": _tensor_named,
    "get_buffer": _tensor_named,
    "state_dict": state_dict,
    "load_state_dict": load_state_dict,
    "apply": _apply,
    "_apply": apply_to_tensors,
    "register_forward_hook": hooks.on_module,
    "register_forward_pre_hook": hooks.on_module,
    "register_full_backward_hook": hooks.on_module,
    "register_backward_hook": hooks.on_module,
    "keys": _keys,
    "values": _values,
    "items": _items,
    "forward": _forward,
    "share_memory": _share,
    "compile": _share,
    "__len__": _length,
    "__setattr__": registration.set_attribute,
}

MOVES_ELSEWHERE: Final = frozenset(name for name, run in _METHODS.items() if run is _to) - {"cpu"}
"""The methods that may take a module from the CPU."""

__all__ = ["MISSING", "Either", "Entries", "LibraryName", "Mapping", "Sequence", "TensorValue", "call"]
