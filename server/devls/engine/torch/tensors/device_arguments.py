"""Devices that calls are given: strings that torch rejects, and the card that is meant without a number."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import InvalidDevice
from devls.engine.python import strings
from devls.engine.python.narrowing import device_of
from devls.syntax.nodes import asked_of_file
from devls.values.devices import CUDA, UNKNOWN_DEVICE, KnownDevice, parse_device
from devls.values.state import AMBIENT
from devls.values.value import Const

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source
    from devls.values.conditions import Tree


def check_device_string(m: Machine, node: ast.expr, text: str, argument: ast.expr | None) -> None:
    """Report a device string that torch rejects."""
    _check_known(m, node, text, text, argument)


def check_device_beginning(m: Machine, node: ast.expr, value: object, argument: ast.expr | None) -> None:
    """Report a device string of which the type is known, and the index is not: `f"gpu:{index}"`."""
    beginning = strings.beginning_of(value)
    if beginning is not None and ":" in beginning:
        _check_known(m, node, beginning.partition(":")[0], f"{beginning}...", argument)


def _check_known(m: Machine, node: ast.expr, text: str, written: str, argument: ast.expr | None) -> None:
    """Report a device string that torch rejects for `text`, which is all of what is written, or its type."""
    if parse_device(text) is not None or may_be_set_by_others(m, argument):
        return
    lowered = text.strip().lower().replace(" ", "")
    nearest = {"gpu": "cuda", "cuda0": "cuda:0", "cuda:": "cuda"}.get(lowered, lowered)
    suggestion = nearest if parse_device(nearest) is not None else ""
    m.emit(
        InvalidDevice(
            m.site(node),
            m.frame.statement,
            f"torch has no device {written!r}",
            f'"{suggestion}"' if suggestion and written is text else "",
            argument,
        )
    )


def may_be_set_by_others(m: Machine, argument: ast.expr | None) -> bool:
    """Whether a function reads it from settings that another file has made: whoever calls it may have set them before."""
    root = argument
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    return (
        not m.program_runs
        and root is not argument
        and isinstance(root, ast.Name)
        and root.id in _imported(m.frame.source)
    )


@asked_of_file(maxsize=64)
def _imported(source: Source) -> frozenset[str]:
    """The names that a file has from others."""
    return frozenset(
        alias.asname or alias.name.partition(".")[0]
        for each in source.statements
        if isinstance(each, (ast.Import, ast.ImportFrom))
        for alias in each.names
    )


def current_card(m: Machine) -> Tree:
    """The card that CUDA is without a number: what `torch.cuda.set_device` or `with torch.cuda.device` have chosen."""
    current = m.state.get(AMBIENT, "cuda index")
    if current is None:
        return CUDA
    found = device_of(m, current)
    return UNKNOWN_DEVICE if found is None else found


def accelerator(m: Machine, call: Invocation, name: str) -> Tree:
    """The device that `.cuda()`, `.xpu()` and the like move to, with the argument they are given."""
    given = call.argument(1, "device")
    value = None if given is None else m.resolve(given)
    if value is None or value == Const(None):
        return current_card(m) if name == "cuda" else KnownDevice(name)
    if isinstance(value, Const) and isinstance(value.value, bool):
        # `cuda(async=True)` of old, as it was once written without the keyword.
        m.emit(
            InvalidDevice(
                m.site(call.node),
                m.frame.statement,
                f"`.{name}()` takes a device first, and {value.value} is not one",
                "",
                call.argument_node(1, "device"),
            )
        )
        return CUDA if name == "cuda" else KnownDevice(name)
    if isinstance(value, Const) and isinstance(value.value, str) and not value.value.startswith(name):
        m.emit(
            InvalidDevice(
                m.site(call.node),
                m.frame.statement,
                f"`.{name}()` takes no device {value.value!r}",
                "",
                call.argument_node(1, "device"),
            )
        )
        return UNKNOWN_DEVICE
    if isinstance(value, Const) and isinstance(value.value, int):
        return KnownDevice(name, value.value)
    found = device_of(m, value)
    return UNKNOWN_DEVICE if found is None else found
