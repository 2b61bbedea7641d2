"""Destinations and formats of the findings."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devls import config
from devls.cli.output import writing_to_output
from devls.files import SUFFIXES
from devls.text.reading import UnreadableFileError, reason_of, status_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TextIO

    from devls.cli.complaints import Complaints
    from devls.cli.formats import Style
    from devls.cli.report import Report

MODULES: Final = {
    "human": "human",
    "concise": "concise",
    "json": "json_array",
    "github": "github",
    "gitlab": "gitlab",
    "junit": "junit",
    "rdjson": "rdjson",
    "sarif": "sarif",
    "html": "html",
}
"""The formats, and the modules that write them: imported when they are asked for, since some bring much along."""


@dataclass(frozen=True)
class Output:
    """One format, and the file it is written to; standard output if that is empty."""

    format: str
    file: str = ""


def write(
    report: Report, outputs: tuple[Output, ...], style: Style, stream: TextIO, complaints: Complaints
) -> bool:
    """Print a report, in each format where it belongs; `stream` is for those without a file.

    Returns whether all of it was written; it is said where not.
    """
    written = [
        _to(each.file, stream, complaints, lambda file, each=each: _render(report, each.format, style, file))  # type: ignore[misc]
        for each in outputs
    ]
    return all(written)


def would_lose_code(files: Iterable[str], checked: Iterable[str], complaints: Complaints) -> bool:
    """Whether a file that is to be written holds code, or settings, which is said: it has to stay."""
    code = _code_among(files, checked)
    if code:
        complaints.say(f"nothing was checked: {code} holds code or settings, and is not written over.")
    return bool(code)


def _code_among(files: Iterable[str], checked: Iterable[str]) -> str:
    """The first of some files that is named as code or settings are, or is one that is checked. Empty if none is."""
    there = {}
    for each in files:
        place = _place(each)
        if place is not None:
            if each.endswith((*SUFFIXES, ".pyi")) or Path(each).name in (config.FILE_NAME, config.OWN_NAME):
                return each
            there[place] = each
    return next((there[place] for path in checked if (place := _place(path)) in there), "") if there else ""


def _place(path: str) -> tuple[int, int] | None:
    """Identity of a file, whatever its name; None if there is no such file."""
    try:
        status = status_of(path)
    except UnreadableFileError:
        return None
    return status.st_dev, status.st_ino


def write_text(text: str, file: str, stream: TextIO, complaints: Complaints) -> bool:
    """Print a text to a file, or to `stream` if the file's name is empty. Returns whether it was written."""
    return _to(file, stream, complaints, lambda where: where.write(text))


def _to(name: str, stream: TextIO, complaints: Complaints, put: Callable[[TextIO], object]) -> bool:
    if not name:
        with writing_to_output():
            put(stream)
        return True
    from devls.cli import writing  # noqa: PLC0415  most runs write no file

    try:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        with writing.written(name) as file:
            put(file)
    except OSError as error:
        complaints.say(f"{name} is not written: {reason_of(error)}.")
        return False
    return True


def _render(report: Report, output_format: str, style: Style, stream: TextIO) -> None:
    if output_format == "human":
        from devls.cli.formats import human  # noqa: PLC0415  it brings rich along

        human.render(report, stream, style)
        return
    chosen = importlib.import_module(f"devls.cli.formats.{MODULES[output_format]}")
    stream.write(chosen.render(report))
