"""Python's own functions, and the methods of lists, dicts and strings."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from devls.engine.core import library_semantics, moments
from devls.engine.core.events.events import InvalidDevice
from devls.engine.python import (
    constant_folding,
    containers,
    entries,
    iterables,
    iteration,
    narrowing,
    reflection,
    slices,
    strings,
)
from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk
from devls.values.value import (
    FALSE,
    NONE,
    TRUE,
    Const,
    DeviceValue,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.invocation import Invocation
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
            and not getattr(
                m.resolve(call_.receiver), "fields", ()
            )  # what is lacking of a named one is told as such
            and not any(
                frame.function is not None and frame.function.source.says("is_tensor") for frame in m.frames
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
    items = f"each{moved} for each in {receiver}"
    all_moved = {
        "dict": f"{{key: value{moved} for key, value in {receiver}.items()}}",
        "list": f"[{items}]",
        "tuple": f"tuple({items})",
        "set": f"{{{items}}}",
    }[kind]
    if _is_one_of_several(m, node.func.value):
        return f"{all_moved} if isinstance({receiver}, {kind}) else {whole}"
    return all_moved


def _is_one_of_several(m: Machine, node: ast.expr) -> bool:
    """Whether a name stands for each item of a loop or a comprehension: others may be tensors."""
    return isinstance(node, ast.Name) and any(
        isinstance(one, ast.Name) and one.id == node.id
        for each in ancestors(m.source, node)
        for target in _targets(each)
        for one in walk(target)
    )


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return [each.target for each in node.generators]
    return [node.target] if isinstance(node, (ast.For, ast.AsyncFor)) else []


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
        told = narrowing.as_value(m.truth(value))
        return m.unknown(call_.node) if told is None else told
    named = isinstance(value, Symbol) and value.named
    key = value.key if isinstance(value, Symbol) and value.named else m.fresh_number()
    number = Symbol((call_.short_name, key), "a number", hint="number", named=named)
    if isinstance(value, TensorValue):
        m.state.set(number, "read from", value)
        m.state.set(number, "read at", m.site(call_.node))
    else:
        library_semantics.number_computed(m, number, value)
    return number


def _quiet(m: Machine, call_: Invocation) -> object:
    """Reads its arguments and keeps nothing of them."""
    return m.unknown(call_.node) if call_.short_name != "print" else NONE


def _open(m: Machine, call_: Invocation) -> object:
    """A file, of which only the path matters."""
    path = library_semantics.path_of(m, call_.argument(0, "file"))
    return Symbol(("opened", path, m.fresh_number()), "a file")


def _extreme(m: Machine, call_: Invocation) -> object:
    values = [m.resolve(each) for each in call_.arguments]
    if values and all(isinstance(each, Const) and isinstance(each.value, (int, float)) for each in values):
        numbers = [each.value for each in values if isinstance(each, Const)]
        return Const((max if call_.short_name == "max" else min)(numbers))  # type: ignore[type-var]  # one of them
    if len(values) == 1 and isinstance(values[0], (Sequence, TupleValue, TensorValue)):
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
    if isinstance(value, DeviceValue) and call_.short_name == "str":
        return replace(value, as_text=True)  # a device's string names the same device
    return Symbol(("string", m.fresh_number()), "a string", hint="string", named=True)


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
    if call_.short_name == "format" and isinstance(owner, Const) and isinstance(owner.value, str):
        values = [m.resolve(each) for each in call_.arguments[1:]]
        whole = len(values) == 1 and not call_.keywords
        filled = strings.filled(m, owner.value, values[0], call_.node) if whole else None
        if filled is not None:
            return filled
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
    "len": iterables.length, "range": iterables.make_range, "enumerate": iterables.make_enumerate, "zip": iterables.make_zip, "slice": slices.construct,
    "list": iterables.make_sequence, "tuple": iterables.make_sequence, "set": iterables.make_sequence, "frozenset": iterables.make_sequence, "sorted": iterables.make_sequence,
    "reversed": iterables.make_sequence, "iter": iterables.make_sequence, "dict": entries.make, "sum": iterables.total, "map": iterables.make_map, "filter": iterables.make_filter,
    "next": iterables.next_item, "isinstance": reflection.test_instance, "hasattr": reflection.test_attribute, "getattr": reflection.read_attribute, "setattr": reflection.write_attribute,
    "type": reflection.type_of, "max": _extreme, "min": _extreme, "any": reflection.all_or_any, "all": reflection.all_or_any, "callable": reflection.test_callable,
    "input": _quiet, "open": _open, "ord": _quiet, "chr": _quiet, "issubclass": reflection.all_or_any, "vars": reflection.attributes_of,
    "list.append": containers.append, "list.insert": containers.append, "set.add": containers.append, "list.extend": containers.extend, "list.appendleft": containers.append,
    "set.update": containers.extend, "list.pop": containers.pop, "list.popleft": containers.pop, "dict.pop": containers.pop, "list.clear": containers.clear, "dict.clear": containers.clear,
    "set.clear": containers.clear, "list.sort": containers.reorder, "list.reverse": containers.reverse, "list.remove": containers.reorder, "list.rotate": containers.reorder, "dict.popitem": containers.pop_item, "set.discard": _nothing,
    "set.remove": _nothing, "dict.get": containers.get, "dict.setdefault": containers.get, "dict.__getitem__": containers.entry, "dict.__setitem__": containers.set_entry, "dict.keys": containers.keys, "dict.values": containers.values,
    "dict.items": containers.items, "dict.update": containers.update, "list.copy": containers.copy, "dict.copy": containers.copy, "set.copy": containers.copy,
    "str.format": _format, "str.startswith": _format, "str.endswith": _format, "str.lower": _format, "str.upper": _format,
    "str.isdigit": _format, "str.isnumeric": _format, "str.isdecimal": _format, "str.strip": _format, "str.split": _format, "str.splitlines": _format, "str.rsplit": _format, "str.title": _format,
}  # fmt: skip
