"""Which losses give gradients to which parameters: for `devls gradients` and `devls map`."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING

from devls.engine.core.events.protocols import BackwardTold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from devls.engine.core.events.events import Event
    from devls.engine.core.events.protocols import ParameterTold
    from devls.syntax.source import Source

_MARKS = {True: "yes", False: "no", None: "?"}


class UnknownNameError(Exception):
    """The file defines nothing of the name that was asked about."""


class Tables:
    """What was told of the backwards of a file, each place once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int, int], BackwardTold] = {}

    def listen(self, event: Event) -> None:
        """Take note of a backward; of several times at one place those count that agree."""
        if isinstance(event, BackwardTold):
            before = self._found.get(event.site.key)
            if before is not None and before.site.calls and not event.site.calls:
                return  # what a call of the program has shown is so; the function by itself comes behind it
            self._found[event.site.key] = event if before is None else _joined(before, event)

    def within(self, source: Source, name: str) -> list[BackwardTold]:
        """The backwards of a file, in a function or class of it if that is named, in order.

        Raises:
            UnknownNameError: if there is no such function or class.
        """
        spans = [(0, len(source.text.splitlines()) + 1)]
        if name:
            spans = list(_spans(source.tree, name))
            if not spans:
                raise UnknownNameError(name)
        found = [each for each in self._found.values() if each.site.source.path == source.path]
        inside = [each for each in found if any(first <= each.site.key[1] <= last for first, last in spans)]
        return sorted(inside, key=lambda each: each.site.key)


def _spans(tree: ast.Module, name: str) -> Iterator[tuple[int, int]]:
    """The lines of what a name like `train` or `Trainer.step` means."""
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        prefix, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                path = f"{prefix}{child.name}"
                if path == name:
                    yield child.lineno, child.end_lineno or child.lineno
                waiting.append((f"{path}.", child))
            else:
                waiting.append((prefix, child))


def _joined(one: BackwardTold, other: BackwardTold) -> BackwardTold:
    """What holds each time: a loop comes to the same place more than once."""
    known = {each.name: each for each in one.parameters}
    rows: list[ParameterTold] = []
    for each in other.parameters:
        before = known.pop(each.name, each)
        agree = before.gets == each.gets
        rows.append(each if agree else type(each)(each.name, None, "in some iterations", None, each.device))
    return type(other)(other.site, other.statement, other.loss, (*known.values(), *rows))


def _places(found: BackwardTold) -> str:
    return f"line {found.site.key[1]}"


def _groups(found: BackwardTold) -> Iterator[tuple[str, ParameterTold, int]]:
    """Modules whose parameters all have the same answer are one row."""
    rows: dict[tuple[str, object, str], list[ParameterTold]] = {}
    for each in found.parameters:
        owner = each.name.rpartition(".")[0] or each.name
        rows.setdefault((owner, each.gets, each.why), []).append(each)
    for (owner, _, _), held in rows.items():
        yield (held[0].name if len(held) == 1 else owner), held[0], len(held)


def as_text(tables: list[BackwardTold], name: str) -> str:
    """One table for each backward."""
    parts = []
    for found in tables:
        lines = [f"{name}:{found.site.key[1]}: {found.loss}.backward()"]
        rows = list(_groups(found))
        width = max([len(each) for each, _, _ in rows], default=0)
        for row, told, count in rows:
            why = told.why
            if told.place is not None:
                why = f"{why} (line {told.place.key[1]})"
            number = f"  {count} parameters" if count > 1 else ""
            note = f"  {why}" if why else ""
            lines.append(f"    {row:<{width}}  {_MARKS[told.gets]:<3}{number}{note}")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts) if parts else f"{name}: no backward is called here.\n"


def as_json(tables: list[BackwardTold], name: str) -> str:
    """The same for programs: `gradient` is true, false, or null where that is not known."""
    return (
        json.dumps(
            [
                {
                    "filename": name,
                    "line": found.site.key[1],
                    "loss": found.loss,
                    "parameters": [
                        {
                            "name": each.name,
                            "gradient": each.gets,
                            "why": each.why,
                            "line": None if each.place is None else each.place.key[1],
                            "device": each.device,
                        }
                        for each in found.parameters
                    ],
                }
                for found in tables
            ],
            indent=2,
        )
        + "\n"
    )


def as_mermaid(tables: list[BackwardTold]) -> str:
    """A flowchart: gradients flow from losses to modules, dotted where they are cut."""
    lines = ["flowchart LR"]
    modules: dict[str, str] = {}
    devices: dict[str, list[str]] = {}
    for number, found in enumerate(tables):
        lines.append(f"    loss{number}([{_quoted(f'{found.loss}, {_places(found)}')}])")
        for row, told, _ in _groups(found):
            key = modules.setdefault(row, f"m{len(modules)}")
            if key not in devices.setdefault(told.device, []):
                devices[told.device].append(key)
                lines.append(f"    {key}[{_quoted(f'{row}<br/>{told.device}')}]")
            lines.append(f"    {_edge(f'loss{number}', key, told)}")
    lines += _colours(devices)
    return "\n".join(lines) + "\n"


def _edge(loss: str, module: str, told: ParameterTold) -> str:
    if told.gets:
        return f"{loss} --> {module}"
    if told.gets is None:
        return f"{loss} -. {_quoted('?')} .-> {module}"
    where = "" if told.place is None else f" (line {told.place.key[1]})"
    return f"{loss} -. {_quoted(told.why + where)} .-x {module}"


_FILLS = (
    "#dbeafe,stroke:#1d4ed8",
    "#dcfce7,stroke:#15803d",
    "#fef3c7,stroke:#b45309",
    "#f3e8ff,stroke:#7e22ce",
)
"""Colours of devices: dark text on them can be read in light and in dark themes."""


def _colours(devices: dict[str, list[str]]) -> Iterable[str]:
    for number, keys in enumerate(devices.values()):
        yield f"    classDef d{number} fill:{_FILLS[number % len(_FILLS)]},color:#111827"
        yield f"    class {','.join(keys)} d{number}"


def _quoted(text: str) -> str:
    """Text in a label: mermaid has entities for what means something to it."""
    return '"' + text.replace("#", "#35;").replace('"', "#quot;").replace("`", "#96;") + '"'
