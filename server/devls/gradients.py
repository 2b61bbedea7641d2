"""Which losses give gradients to which parameters: for `devls gradients`, `devls map`, the page of findings, and editors."""

from __future__ import annotations

import ast
import json
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devls.config import Config
from devls.engine.core.events.protocols import BackwardTold
from devls.project.workspace import Workspace
from devls.text.printable import escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from devls.analysis import Analysis, Analyzer
    from devls.engine.core.events.events import Event
    from devls.engine.core.events.protocols import ParameterTold
    from devls.syntax.source import Source

_MARKS = {True: "yes", False: "no", None: "?"}


class UnknownNameError(Exception):
    """The file defines nothing of the name that was asked about."""


class Tables:
    """Facts about the backwards of a file, each place once."""

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


def tables_of(
    path: str,
    make_analyzer: Callable[..., Analyzer],
    rules: Collection[str],
    workspace: Workspace | None = None,
) -> tuple[Tables, Analysis]:
    """Reach of the backwards of a file, by an analysis of its own; `rules` are the names that settings may say.

    Raises:
        UnreadableFileError: if there is no such file, or it is no text.
    """
    folder = str(Path(path).parent)
    config = Config.load(folder, frozenset(rules)).of_file(path)
    analyzer = make_analyzer(workspace or Workspace((folder,)), lambda _path: config)
    tables = Tables()
    analyzer.told = tables.listen
    return tables, analyzer.analyze(path)


def drawn(path: str, make_analyzer: Callable[..., Analyzer], rules: Collection[str]) -> str:
    """Gradient flow of a file, as `as_svg` draws it; empty where it is unknown."""
    try:
        tables, analysis = tables_of(path, make_analyzer, rules)
    except Exception:  # noqa: BLE001  whatever it is: the page is of use without
        return ""
    return as_svg(tables.within(analysis.source, ""))


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
    """The facts that hold each time: a loop comes to the same place more than once."""
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


_ROW: Final = 44
"""Height of a box with the room below it, in pixels."""

_BOX: Final = 120, 330
"""Width of a box, at least and at most."""

_LETTER: Final = 8
"""Width of a letter."""

_GAP: Final = 160
"""Between losses and modules, where the lines are."""

_MOST_ROWS: Final = 60
"""Modules in one drawing: more could not be read."""

_MOST_LETTERS: Final = 38
"""Of a name in a box."""


def as_svg(tables: list[BackwardTold]) -> str:
    """The same as a drawing for the page of findings: lines from losses to modules, dashed where they are cut."""
    modules: dict[str, str] = {}
    lines: list[tuple[int, int, ParameterTold]] = []
    cuts: list[str] = []
    for number, found in enumerate(tables):
        for row, told, _ in _groups(found):
            if row not in modules and len(modules) == _MOST_ROWS:
                continue
            place = [*modules].index(row) if row in modules else len(modules)
            modules[row] = told.device
            lines.append((number, place, told))
            if not told.gets:
                cuts.append(_cut(found, row, told))
    if not modules:
        return ""
    losses = [(found.loss, _places(found)) for found in tables]
    box = _width_of(text for each in (*losses, *modules.items()) for text in each)
    drawn = [_line(box, *each) for each in lines]
    drawn += [_box(0, box, row, *each, "loss") for row, each in enumerate(losses)]
    drawn += [_box(box + _GAP, box, row, *each, "module") for row, each in enumerate(modules.items())]
    width, height = 2 * box + _GAP, _ROW * max(len(tables), len(modules))
    about = "Solid: gradients arrive. Dashed: none do. Dotted: not known."
    return (
        f'<svg role="img" aria-label="Which losses give gradients to which modules" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{"".join(drawn)}</svg>'
        f"<p><small>{about}</small></p>{'<ul>' if cuts else ''}{''.join(cuts)}{'</ul>' if cuts else ''}"
    )


def _width_of(texts: Iterable[str]) -> int:
    """Width of boxes that some texts stand in: two of them are to fit beside the code."""
    least, most = _BOX
    return max(least, min(most, 20 + _LETTER * max(map(len, texts), default=0)))


def _box(left: int, width: int, row: int, name: str, below: str, style: str) -> str:
    top = row * _ROW + 2
    short = name if len(name) <= _MOST_LETTERS else f"{name[: _MOST_LETTERS - 1]}\N{HORIZONTAL ELLIPSIS}"
    return (
        f'<g class="{style}"><title>{_text(name)}</title><rect x="{left + 1}" y="{top}" width="{width - 2}" height="{_ROW - 6}" rx="6"/>'
        f'<text x="{left + 10}" y="{top + 16}">{_text(short)}</text>'
        f'<text class="below" x="{left + 10}" y="{top + 32}">{_text(below)}</text></g>'
    )


def _line(box: int, loss: int, module: int, told: ParameterTold) -> str:
    begin, end = (each * _ROW + _ROW // 2 for each in (loss, module))
    style = {True: "reached", False: "cut", None: "unknown"}[told.gets]
    middle = box + _GAP // 2
    path = f"M{box} {begin}C{middle} {begin} {middle} {end} {box + _GAP} {end}"
    return f'<path class="{style}" d="{path}"><title>{_text(told.why or style)}</title></path>'


def _cut(found: BackwardTold, row: str, told: ParameterTold) -> str:
    where = "" if told.place is None else f" (line {told.place.key[1]})"
    none = "gets none" if told.gets is False else "is not known to get any"
    why = ": " + _CODE.sub(r"<code>\1</code>", _text(told.why)) if told.why else ""
    return f"<li><code>{_text(row)}</code> {none} of <code>{_text(found.loss)}</code>, {_places(found)}{why}{where}</li>"


_CODE: Final = re.compile("`([^`]+)`")


def _text(text: str) -> str:
    return escape(escaped(text))
