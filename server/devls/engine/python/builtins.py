"""Python's own functions, and the methods of lists, dicts and strings."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments
from devls.engine.core.events.events import InvalidDevice
from devls.engine.core.invocation import Invocation
from devls.engine.core.joins import Contents, Entries
from devls.engine.python import (
    classes,
    constant_folding,
    containers,
    mappings,
    narrowing,
    operators,
    slices,
    sorting,
    strings,
)
from devls.engine.torch import checkpoints
from devls.engine.torch.tensors import attributes as tensor_attributes
from devls.engine.torch.tensors import numpy_dtypes
from devls.values.conditions import Either
from devls.values.state import MISSING
from devls.values.value import (
    FALSE,
    NONE,
    TRUE,
    BoundMethod,
    ClassValue,
    Const,
    FunctionValue,
    InstanceValue,
    LibraryName,
    Mapping,
    PartialValue,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.machine import Machine


def call(m: Machine, call_: Invocation) -> object:
    """Call something of `builtins`, by name."""
    run = _FUNCTIONS.get(call_.name.removeprefix("builtins."))
    if run is not None:
        return run(m, call_)
    kind = call_.name.split(".")[1]
    if call_.is_method and kind in (
        "str",
        "bytes",
        "tuple",
        "list",
        "set",
        "dict",
        "iterator",
        "int",
        "float",
    ):
        if (
            kind in ("dict", "list", "tuple", "set")
            and call_.short_name in ("to", "cuda", "cpu")
            and not m.alternatives_called  # of something that is a list only perhaps, the author may have asked that
            and not any(
                frame.function is not None and "is_tensor" in frame.function.source.text for frame in m.frames
            )
        ):
            m.emit(
                InvalidDevice(
                    m.site(call_.node),
                    m.frame.statement,
                    f"a {kind} has no method `{call_.short_name}`",
                    _each_moved(m, call_, kind),
                )
            )
        if kind == "str":
            return Symbol(("string", m.fresh_number()), "a string", hint="string", named=True)
        return m.unknown(call_.node)
    if kind.endswith(("Error", "Exception", "Warning")):
        return m.unknown(call_.node)
    for value in call_.arguments:
        m.escape(value)
    return m.unknown(call_.node)


def _each_moved(m: Machine, call_: Invocation, kind: str) -> str:
    """How to move what is in a container, as it is written in the call for the container itself."""
    node = call_.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    receiver, whole = m.source.slice(node.func.value), m.source.slice(node)
    moved = whole[len(receiver) :]
    if not whole.startswith(receiver) or "\n" in whole:
        return ""
    if kind == "dict":
        return f"{{key: value{moved} for key, value in {receiver}.items()}}"
    items = f"each{moved} for each in {receiver}"
    return {"list": f"[{items}]", "tuple": f"tuple({items})", "set": f"{{{items}}}"}[kind]


def _number(m: Machine, call_: Invocation) -> object:
    """`float(t)`, `int(t)`, `bool(t)`: allowed on any device and with any grad."""
    value = m.resolve(call_.arguments[0]) if call_.arguments else Const(0)
    if isinstance(value, TensorValue):
        moments.contents_read(
            m, call_.node, value, m.text(call_.nodes[0] or call_.node) if call_.nodes else "the tensor"
        )
        moments.host_waits(m, call_.node, m.device(value))
    if isinstance(value, Const) and isinstance(value.value, (int, float, str)):
        return constant_folding.converted(call_.short_name, value.value) or m.unknown(call_.node)
    if call_.short_name == "bool":
        return narrowing.as_value(m.truth(value))
    named = isinstance(value, Symbol) and value.named
    key = value.key if isinstance(value, Symbol) and value.named else m.fresh_number()
    return Symbol((call_.short_name, key), "a number", hint="number", named=named)


def _quiet(m: Machine, call_: Invocation) -> object:
    """Reads its arguments and keeps nothing of them."""
    return m.unknown(call_.node) if call_.short_name != "print" else NONE


def _open(m: Machine, call_: Invocation) -> object:
    """A file, of which only the path matters."""
    path = checkpoints.path_of(m, call_.argument(0, "file"))
    return Symbol(("opened", path, m.fresh_number()), "a file")


def _length(m: Machine, call_: Invocation) -> object:
    value = m.resolve(call_.arguments[0]) if call_.arguments else None
    if isinstance(value, TupleValue):
        return Const(len(value.items))
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents) and contents.items is not None and contents.element is None:
            if containers.has_grown(m, value):
                return Symbol(("len", value, len(contents.items)), "a length", hint="number", named=True)
            return Const(len(contents.items))
    if isinstance(value, TensorValue) and value.shape and value.shape[0] is not None:
        return Const(value.shape[0])
    if isinstance(value, InstanceValue):
        contents = m.state.get(value, "#children")
        if isinstance(contents, Contents) and contents.items is not None:
            return Const(len(contents.items))
    if isinstance(value, Symbol) and value.named:
        return Symbol(("len", value.key), f"len({value.text})", hint="number", named=True)
    return Symbol(("len", m.fresh_number()), "a length", hint="number", named=True)


def _range(m: Machine, call_: Invocation) -> object:
    values = [m.resolve(each) for each in call_.arguments]
    numbers = [each.value for each in values if isinstance(each, Const) and isinstance(each.value, int)]
    count = constant_folding.count_of(numbers) if len(numbers) == len(values) else None
    if count is not None and count <= 3:
        return m.new_list(tuple(Const(each) for each in range(*numbers)), call_.node, "range")
    return Symbol(("range", m.fresh_number()), "a range", hint="range", named=True)


def _enumerate(m: Machine, call_: Invocation) -> object:
    from devls.engine.python import iteration  # noqa: PLC0415  a cycle otherwise

    if not call_.arguments:
        return m.unknown(call_.node)
    value = m.resolve(call_.arguments[0])
    items = iteration.items(m, value, None)
    result = m.new_list((), call_.node, "iterator")
    if items is not None:
        start = m.resolve(call_.argument(1, "start") or Const(0))
        first = start.value if isinstance(start, Const) and isinstance(start.value, int) else None
        pairs = tuple(
            TupleValue(((first is not None and constant_folding.kept(first + index)) or m.unknown(), item))
            for index, item in enumerate(items)
        )
        m.state.set(result, "#items", Contents(pairs))
        if iteration.is_made_later(m, value):
            iteration.made_later(m, result)
        return result
    m.state.set(result, "#lazy", ("enumerate", value, call_.nodes[0]))
    return result


def _zip(m: Machine, call_: Invocation) -> object:
    from devls.engine.python import iteration  # noqa: PLC0415  a cycle otherwise

    if "*" in call_.keywords:
        return iteration.transposed(m, call_.keywords["*"], call_.node)
    given, nodes = [m.resolve(each) for each in call_.arguments], call_.nodes
    result = m.new_list((), call_.node, "iterator")
    count = len(given)
    if (
        count > 1
        and isinstance(given[0], Sequence)
        and given[0].kind == "iterator"
        and given.count(given[0]) == count
    ):
        # One iterator, asked in turns: neighbours.
        found = iteration.items(m, given[0], nodes[0])
        rows = [None if found is None else found[n::count] for n in range(count)]
    else:
        rows = [
            iteration.fields(m, value) if isinstance(value, Either) else iteration.items(m, value, node)
            for value, node in zip(given, nodes, strict=False)
        ]
    of_parts = next((row for row in rows if row and all(_is_part(m, each) for each in row)), ())
    if of_parts:
        # What goes along with parameters or layers has an item for each (gradients, sizes, copies, devices).
        rows = [
            [iteration.element(m, value, node, n) for n in range(len(of_parts))] if row is None else row
            for row, value, node in zip(rows, given, nodes, strict=False)
        ]
    if rows and all(row is not None for row in rows):
        m.state.set(
            result, "#items", Contents(tuple(TupleValue(tuple(each)) for each in zip(*rows, strict=False)))
        )
        if any(iteration.is_made_later(m, each) for each in given):
            iteration.made_later(m, result)
        return result
    # What was an iterator has given its items here.
    kept = [value if row is None else TupleValue(tuple(row)) for row, value in zip(rows, given, strict=False)]
    m.state.set(result, "#lazy", ("zip", tuple(kept), tuple(nodes)))
    return result


def _is_part(m: Machine, value: object) -> bool:
    from devls.engine.torch.nn import registry  # noqa: PLC0415  a cycle otherwise

    if isinstance(value, InstanceValue):
        return registry.is_module(m, value)
    return isinstance(value, TensorValue) and value.is_parameter


def _sequence(m: Machine, call_: Invocation) -> object:
    from devls.engine.python import iteration  # noqa: PLC0415  a cycle otherwise

    kind = call_.short_name
    if not call_.arguments:
        return (
            TupleValue(())
            if kind == "tuple"
            else m.new_list((), call_.node, "set" if "set" in kind else "list")
        )
    value = m.resolve(call_.arguments[0])
    items = iteration.items(m, value, None)
    if items is not None:
        if kind == "reversed":
            items = items[::-1]
        elif kind == "sorted" and len(items) > 1:
            items = sorting.ordered(m, items, call_)
        if kind == "tuple":
            return m.new_tuple(tuple(items))
        return m.new_list(
            tuple(items),
            call_.node,
            "set" if "set" in kind else "iterator" if kind in ("iter", "reversed") else "list",
        )
    if kind == "iter":
        return value
    result = m.new_list((), call_.node, "iterator" if kind == "reversed" else "list")
    contents = m.state.get(value, "#items") if isinstance(value, Sequence) else None
    if isinstance(contents, Contents) and m.state.get(value, "#lazy") is None:
        m.state.set(result, "#items", contents)
    else:
        m.state.set(result, "#items", Contents(None, iteration.element(m, value, call_.nodes[0], 0)))
    iteration.used_up(m, value)
    escaped = m.state.get(value, "#escaped") if isinstance(value, (Sequence, Mapping)) else None
    if escaped is not None:
        m.state.set(result, "#escaped", escaped)
    return result


def make_dict(m: Machine, call_: Invocation) -> object:
    """`dict(...)`."""
    made = mappings.given(call_.keywords)
    if call_.arguments:
        value = mappings.plain(m, m.resolve(call_.arguments[0]))
        entries = m.state.get(value, "#entries") if isinstance(value, Mapping) else None
        if not isinstance(entries, Entries):
            pairs = _pairs(m, value)
            entries = Entries(pairs or {}, m.unknown() if pairs is None else None)
        made = mappings.overlaid(m, entries, made) if call_.keywords else entries
    return m.new_dict(made, node=call_.node)


def _pairs(m: Machine, value: object) -> dict[object, object] | None:
    """Keys and values of a sequence of pairs, where all of them are known."""
    from devls.engine.python import iteration  # noqa: PLC0415  a cycle otherwise

    rows = iteration.items(m, value, None)
    found: dict[object, object] = {}
    for row in rows or ():
        if not isinstance(row, TupleValue) or len(row.items) != len("kv"):
            return None
        key = mappings.key_of(m.resolve(row.items[0]))
        if key is None:
            return None
        found[key] = row.items[1]
    return None if rows is None else found


def _sum(m: Machine, call_: Invocation) -> object:
    from devls.engine.python import iteration  # noqa: PLC0415  a cycle otherwise

    if not call_.arguments:
        return m.unknown(call_.node)
    value = m.resolve(call_.arguments[0])
    items = iteration.items(m, value, None)
    if items is None:
        items = [iteration.element(m, value, call_.nodes[0], 0)]
        iteration.used_up(m, value)
    total: object = call_.argument(1, "start") or Const(0)
    for item in items:
        total = operators.binary(
            m, call_.node, "__add__", call_.node, total, call_.nodes[0] or call_.node, item
        )
    return total


def _map(m: Machine, call_: Invocation) -> object:
    from devls.engine.python import calls, iteration  # noqa: PLC0415  a cycle otherwise

    if len(call_.arguments) < 2:
        return m.unknown(call_.node)
    items = iteration.items(m, call_.arguments[1], call_.nodes[1])
    result = m.new_list((), call_.node, "iterator")
    if items is not None and len(call_.arguments) == 2 and len(items) <= 6:
        m.state.set(
            result,
            "#items",
            Contents(tuple(calls.call(m, call_.arguments[0], [each], {}, call_.node) for each in items)),
        )
        iteration.made_later(m, result)
        return result
    elements = [
        iteration.element(m, value, node, 0)
        for value, node in zip(call_.arguments[1:], call_.nodes[1:], strict=False)
    ]
    m.state.set(result, "#items", Contents(None, calls.call(m, call_.arguments[0], elements, {}, call_.node)))
    return result


def _filter(m: Machine, call_: Invocation) -> object:
    from devls.engine.python import calls, iteration  # noqa: PLC0415  a cycle otherwise

    if len(call_.arguments) < 2:
        return m.unknown(call_.node)
    items = iteration.items(m, call_.arguments[1], call_.nodes[1])
    result = m.new_list((), call_.node, "iterator")
    if items is None:
        m.state.set(
            result, "#items", Contents(None, iteration.element(m, call_.arguments[1], call_.nodes[1], 0))
        )
        return result
    kept: list[object] = []
    exact = True
    function = m.resolve(call_.arguments[0])
    for item in items:
        test = m.truth(item if function == NONE else calls.call(m, function, [item], {}, call_.node))
        if test is False:
            continue
        exact = exact and test is True
        kept.append(item)
    m.state.set(
        result,
        "#items",
        Contents(tuple(kept)) if exact else Contents(None, m.any_of(tuple(kept)) or m.unknown()),
    )
    return result


HAS_NEXT: Final = "#has next"
"""The slot of a call of `next` that says that there is something to be had: it raises no StopIteration.

True where that is seen, `PRESUMED` where nothing is known of the module whose parameters are asked for.
"""

PRESUMED: Final = "presumed"


def _of_parameters(contents: Contents) -> object:
    """Whether these are parameters of a module: one of which nothing is known is taken to have some."""
    first = contents.items[0] if contents.items else contents.element
    if isinstance(first, TensorValue) and first.is_parameter:
        return True
    return (
        isinstance(first, Symbol)
        and isinstance(first.key, tuple)
        and first.key[0] == "parameter of"
        and PRESUMED
    )


def _next(m: Machine, call_: Invocation) -> object:
    from devls.engine.python import calls, iteration  # noqa: PLC0415  a cycle otherwise

    value = m.resolve(call_.arguments[0]) if call_.arguments else None
    if m.state.get(call_.node, HAS_NEXT):
        m.state.set(call_.node, HAS_NEXT, False)  # of another call of the same function
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents) and (there := _of_parameters(contents)):
            m.state.set(call_.node, HAS_NEXT, there)
        if isinstance(contents, Contents) and contents.items:
            if value.kind == "iterator":
                m.state.set(value, "#items", Contents(contents.items[1:], contents.element))
            return contents.items[0]
        if isinstance(contents, Contents) and contents.items == () and len(call_.arguments) > 1:
            return call_.arguments[1]
        asked = m.state.get(value, "#asked") is not None
        m.state.set(value, "#asked", True)
        return iteration.element(m, value, call_.nodes[0], int(asked))
    if isinstance(value, InstanceValue):
        method = calls.method_of(m, value, "__next__")
        if method is not None:
            return calls.call(m, method, [], {}, call_.node)
    return iteration.element(m, value, call_.nodes[0], 0)


def _isinstance(m: Machine, call_: Invocation) -> object:
    if len(call_.arguments) != 2:
        return m.unknown(call_.node)
    found = narrowing.is_instance(m, call_.arguments[0], call_.arguments[1])
    value, cls = m.resolve(call_.arguments[0]), m.resolve(call_.arguments[1])
    if (
        isinstance(found, Either)
        and isinstance(value, Symbol)
        and isinstance(cls, ClassValue)
        and classes.is_module_class(m, cls)
    ):
        m.state.set(value, narrowing.MODULE_IF, found.condition)
    return found


def _callable(m: Machine, call_: Invocation) -> object:
    """`callable(x)`, where it can be told."""
    found = is_callable(m, call_.arguments[0]) if call_.arguments else None
    return _any_all(m, call_) if found is None else Const(found)


def is_callable(m: Machine, value: object) -> bool | None:
    """Whether something can be called; None where that is not known."""
    value = m.resolve(value)
    if isinstance(value, (FunctionValue, ClassValue, BoundMethod, PartialValue)):
        return True
    if isinstance(value, (Const, TensorValue, TupleValue, Sequence, Mapping)):
        return False
    return None


_TYPES = {"dict": dict, "list": list, "tuple": tuple, "set": set}


_OF_NAMED_TUPLES: Final = frozenset(
    {"_fields", "_asdict", "_replace", "_make", "_field_defaults", *dir(tuple)}
)
"""What every named tuple has besides its fields."""


_OPTIMIZER: Final = "torch.optim.Optimizer"


def _hasattr(m: Machine, call_: Invocation) -> object:
    from devls.engine.torch.nn import registry  # noqa: PLC0415  a cycle otherwise

    if len(call_.arguments) != 2:
        return m.unknown(call_.node)
    value, name = m.resolve(call_.arguments[0]), m.resolve(call_.arguments[1])
    if isinstance(value, Either):
        return m.select(
            Either(value.condition, True, False),
            *(
                _hasattr(m, Invocation("hasattr", [each, name], {}, call_.node, call_.nodes))
                for each in (value.then, value.otherwise)
            ),
        )
    if isinstance(value, InstanceValue) and isinstance(name, Const) and isinstance(name.value, str):
        if m.state.get(value, name.value, MISSING) is not MISSING:
            return TRUE
        bases: set[str] = {value.library}
        if value.cls is not None:
            from devls.engine.python import classes  # noqa: PLC0415  a cycle otherwise

            if classes.class_attribute(m, value.cls, name.value) is not MISSING:
                return TRUE
            bases = set(classes.library_bases(m, value.cls))
            if "typing.NamedTuple" in bases and name.value in _OF_NAMED_TUPLES:
                return TRUE
        kinds = {_OPTIMIZER if m.library.optimizer(each) is not None else each for each in bases}
        if registry.is_module(m, value):
            kinds.add("torch.nn.Module")
        if any(each.startswith("torch.") and m.library.exists(f"{each}.{name.value}") for each in kinds):
            return TRUE  # what its class has; others may have given it more
        if value.library == "numpy.ndarray" and numpy_dtypes.lacks(m, name.value):
            return FALSE
        return narrowing.test_of(("hasattr", id(value), name), "hasattr")
    if isinstance(value, Symbol):
        return narrowing.test_of(
            ("hasattr", value.key, name if isinstance(name, Const) else m.fresh_number()), "hasattr"
        )
    if isinstance(value, TensorValue) and isinstance(name, Const):
        if m.state.get(value, tensor_attributes.own_slot(str(name.value)), MISSING) is not MISSING:
            return TRUE
        known = m.library.exists(f"torch.Tensor.{name.value}")
        return FALSE if known is False and value.symbol is None else TRUE if known else m.unknown()
    if isinstance(value, (Sequence, Mapping, TupleValue)) and isinstance(name, Const):
        kind = (
            value.kind if isinstance(value, Sequence) else "dict" if isinstance(value, Mapping) else "tuple"
        )
        if kind in _TYPES:
            return TRUE if name.value in dir(_TYPES[kind]) else FALSE
    if isinstance(value, Const) and isinstance(name, Const) and isinstance(name.value, str):
        return TRUE if hasattr(type(value.value), name.value) else FALSE
    if isinstance(value, LibraryName) and isinstance(name, Const):
        known = m.library.exists(f"{value.name}.{name.value}")
        return m.unknown() if known is None else TRUE if known else FALSE
    return m.unknown(call_.node)


def _getattr(m: Machine, call_: Invocation) -> object:
    from devls.engine.python import attributes  # noqa: PLC0415  a cycle otherwise

    if len(call_.arguments) < 2:
        return m.unknown(call_.node)
    name = m.resolve(call_.arguments[1])
    if isinstance(name, Const) and isinstance(name.value, str):
        value = m.resolve(call_.arguments[0])
        if len(call_.arguments) > 2 and isinstance(value, InstanceValue):
            has = _hasattr(m, Invocation("hasattr", call_.arguments[:2], {}, call_.node, call_.nodes[:2]))
            if has != TRUE:
                return m.select(m.truth(has), m.unknown(), call_.arguments[2])
        return attributes.get_attribute(m, call_.node, call_.nodes[0], value, name.value)
    return _some_part(m, m.resolve(call_.arguments[0]), call_)


def _some_part(m: Machine, owner: object, call_: Invocation) -> object:
    """`getattr(model, name)` with a name that is not known: some part of a module that holds nothing but modules."""
    from devls.engine.torch.nn import registry  # noqa: PLC0415  a cycle otherwise

    if isinstance(owner, InstanceValue) and registry.is_module(m, owner) and len(call_.arguments) == 2:
        held = [value for _, value in registry.entries(m, owner)]
        if held and all(isinstance(each, InstanceValue) and registry.is_module(m, each) for each in held):
            return m.any_of(tuple(held))
    return m.unknown(call_.node)


def _setattr(m: Machine, call_: Invocation) -> object:
    from devls.engine.python import attributes  # noqa: PLC0415  a cycle otherwise

    if len(call_.arguments) == 3:
        name = m.resolve(call_.arguments[1])
        owner = m.resolve(call_.arguments[0])
        if isinstance(name, Const) and isinstance(name.value, str):
            target = ast.copy_location(
                ast.Attribute(call_.nodes[0] or call_.node, name.value, ast.Store()), call_.node
            )
            attributes.set_attribute(m, target, owner, name.value, call_.arguments[2], call_.nodes[2])
        elif isinstance(owner, InstanceValue):
            from devls.engine.torch.nn import attributes as module_attributes  # noqa: PLC0415  a cycle otherwise

            module_attributes.left_open(m, owner)
    return NONE


def _vars(m: Machine, call_: Invocation) -> object:
    """`vars(instance)`: its attributes. What is written there is not followed."""
    from devls.engine.evidence import hidden_modules  # noqa: PLC0415  a cycle otherwise
    from devls.engine.torch.nn import registry  # noqa: PLC0415  a cycle otherwise

    owner = m.resolve(call_.arguments[0]) if call_.arguments else None
    if isinstance(owner, InstanceValue) and not owner.symbolic and registry.is_module(m, owner):
        return m.new_dict(hidden_modules.attributes(m, owner), m.unknown(), call_.node)
    if not isinstance(owner, InstanceValue) or owner.symbolic:
        return m.new_dict({}, m.unknown(), call_.node)
    names = m.state.get(owner, "#names", ())
    assert isinstance(names, tuple)  # noqa: S101  written as such
    known: dict[object, object] = {
        name: m.state.get(owner, name) for name in names if not name.startswith("#")
    }
    return m.new_dict(known, None, call_.node)


def _type(m: Machine, call_: Invocation) -> object:
    value = m.resolve(call_.arguments[0]) if call_.arguments else None
    if isinstance(value, InstanceValue) and value.cls is not None:
        return value.cls
    if isinstance(value, (Sequence, Mapping, TupleValue)):
        kind = (
            value.kind if isinstance(value, Sequence) else "dict" if isinstance(value, Mapping) else "tuple"
        )
        if kind in _TYPES:
            return LibraryName(f"builtins.{kind}")
    if isinstance(value, (Symbol, TensorValue, InstanceValue, BoundMethod, Either)):
        found = Symbol((narrowing.TYPE_OF, narrowing.key_of(m, value)), "a type", hint="object")
        m.state.set(found, narrowing.TYPE_OF, value)
        return found
    return m.unknown(call_.node)


def _extreme(m: Machine, call_: Invocation) -> object:
    values = [m.resolve(each) for each in call_.arguments]
    if values and all(isinstance(each, Const) and isinstance(each.value, (int, float)) for each in values):
        numbers = [each.value for each in values if isinstance(each, Const)]
        return Const((max if call_.short_name == "max" else min)(numbers))  # type: ignore[type-var]  # one of them
    if len(values) == 1 and isinstance(values[0], (Sequence, TupleValue, TensorValue)):
        from devls.engine.python import iteration  # noqa: PLC0415  a cycle otherwise

        items = iteration.items(m, values[0], call_.nodes[0])
        return iteration.element(m, values[0], call_.nodes[0], 0) if items is None else m.any_of(tuple(items))
    tensors = [each for each in values if isinstance(each, TensorValue)]
    if tensors:
        return m.any_of(tuple(values))
    return Symbol(("extreme", m.fresh_number()), "a number", hint="number" if len(values) > 1 else "")


def _nothing(_m: Machine, _call: Invocation) -> object:
    return NONE


def _string(m: Machine, call_: Invocation) -> object:
    value = m.resolve(call_.arguments[0]) if call_.arguments else Const("")
    text = (
        constant_folding.text(value.value) if isinstance(value, Const) and call_.short_name == "str" else None
    )
    if text is not None:
        return Const(text)
    from devls.values.value import DeviceValue  # noqa: PLC0415  one use

    if isinstance(value, DeviceValue) and call_.short_name == "str":
        return replace(value, as_text=True)  # a device's string names the same device
    return Symbol(("string", m.fresh_number()), "a string", hint="string", named=True)


def _any_all(m: Machine, call_: Invocation) -> object:
    """`all(...)`, `any(...)`: decided where each item is, one way or the other."""
    given = m.resolve(call_.arguments[0]) if len(call_.arguments) == 1 else None
    contents = m.state.get(given, "#items") if isinstance(given, Sequence) else None
    if isinstance(contents, Contents) and call_.short_name in ("all", "any"):
        items = [*(contents.items or ()), *(() if contents.element is None else (contents.element,))]
        truths = [m.truth(each) for each in items]
        neutral = call_.short_name == "all"
        if truths and all(each is neutral for each in truths):
            return TRUE if neutral else FALSE
    return narrowing.test_of(("fresh", m.fresh_number()), call_.short_name)


def _format(m: Machine, call_: Invocation) -> object:
    owner = call_.receiver
    if call_.short_name == "startswith" and isinstance(owner, Const) and isinstance(owner.value, str):
        prefix = m.resolve(call_.argument(1, "prefix"))
        if isinstance(prefix, Const) and isinstance(prefix.value, str):
            return TRUE if owner.value.startswith(prefix.value) else FALSE
    if call_.short_name in ("startswith", "endswith"):
        return narrowing.test_of(("fresh", m.fresh_number()), call_.short_name)
    if call_.short_name == "split" and len(call_.arguments) == 2:
        parts = strings.split(m, owner, m.resolve(call_.arguments[1]), call_)
        if parts is not None:
            return parts
    if isinstance(owner, Const) and isinstance(owner.value, str) and len(call_.arguments) == 1:
        if call_.short_name in ("isdigit", "isnumeric", "isdecimal"):
            return TRUE if getattr(owner.value, call_.short_name)() else FALSE
        if call_.short_name in ("lower", "upper", "strip", "title"):
            return constant_folding.of_text(call_.short_name, owner.value) or m.unknown(call_.node)
        if call_.short_name == "format" and not call_.keywords:
            return owner
    if call_.short_name in ("split", "splitlines", "rsplit"):
        return Symbol(("strings", m.fresh_number()), "strings", hint="string")
    return Symbol(("string", m.fresh_number()), "a string", hint="string", named=True)


_FUNCTIONS: dict[str, Callable[[Machine, Invocation], object]] = {
    "print": _quiet, "repr": _string, "str": _string, "id": _quiet, "hash": _quiet, "format": _string,
    "float": _number, "int": _number, "bool": _number, "round": _quiet, "abs": _quiet, "pow": _quiet,
    "len": _length, "range": _range, "enumerate": _enumerate, "zip": _zip, "slice": slices.construct,
    "list": _sequence, "tuple": _sequence, "set": _sequence, "frozenset": _sequence, "sorted": _sequence,
    "reversed": _sequence, "iter": _sequence, "dict": make_dict, "sum": _sum, "map": _map, "filter": _filter,
    "next": _next, "isinstance": _isinstance, "hasattr": _hasattr, "getattr": _getattr, "setattr": _setattr,
    "type": _type, "max": _extreme, "min": _extreme, "any": _any_all, "all": _any_all, "callable": _callable,
    "input": _quiet, "open": _open, "ord": _quiet, "chr": _quiet, "issubclass": _any_all, "vars": _vars,
    "list.append": containers.append, "list.insert": containers.append, "set.add": containers.append, "list.extend": containers.extend, "list.appendleft": containers.append,
    "set.update": containers.extend, "list.pop": containers.pop, "list.popleft": containers.pop, "dict.pop": containers.pop, "list.clear": containers.clear, "dict.clear": containers.clear,
    "set.clear": containers.clear, "list.sort": containers.reorder, "list.reverse": containers.reverse, "list.remove": containers.reorder, "list.rotate": containers.reorder, "dict.popitem": containers.pop_item, "set.discard": _nothing,
    "set.remove": _nothing, "dict.get": containers.get, "dict.setdefault": containers.get, "dict.__getitem__": containers.entry, "dict.__setitem__": containers.set_entry, "dict.keys": containers.keys, "dict.values": containers.values,
    "dict.items": containers.items, "dict.update": containers.update, "list.copy": containers.copy, "dict.copy": containers.copy, "set.copy": containers.copy,
    "str.format": _format, "str.startswith": _format, "str.endswith": _format, "str.lower": _format, "str.upper": _format,
    "str.isdigit": _format, "str.isnumeric": _format, "str.isdecimal": _format, "str.strip": _format, "str.split": _format, "str.splitlines": _format, "str.rsplit": _format, "str.title": _format,
}  # fmt: skip


__all__ = ["BoundMethod", "ClassValue", "Either", "FunctionValue", "PartialValue", "call"]
