"""Common parts of the makers of experiments."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Final, TypeVar

from devls.probe.experiment import Experiment

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.machine import Machine

    T = TypeVar("T")
    Builder = Callable[[T, Machine], Experiment]


NOT_WRITTEN: Final = "no program is written down that shows this yet"
"""Why a rule that is new asks nothing."""


class NoQuestionError(Exception):
    """Nothing can be asked here; the message says why."""


def raising(
    code: str, raises: str, text: str, *, control: str, accelerator: bool = False, head: str = "import torch"
) -> Experiment:
    """A program that raises."""
    return Experiment(f"{head}\n{code}", raises, text, control=f"{head}\n{control}", accelerator=accelerator)


def showing(
    code: str,
    shows: str,
    value: object,
    *,
    control: str,
    accelerator: bool = False,
    head: str = "import torch",
) -> Experiment:
    """A program after which an expression has a value that it would not have if all was well."""
    return Experiment(
        f"{head}\n{code}\nr = {shows}",
        shows=shows,
        value=repr(value),
        control=f"{head}\n{control}\nr = {shows}",
        accelerator=accelerator,
    )


def warning(code: str, text: str, *, control: str, head: str = "import torch") -> Experiment:
    """A program that warns."""
    watch = "with warnings.catch_warnings(record=True) as caught:\n    warnings.simplefilter('always')\n"
    return showing(
        watch + indent(code, "    "),
        f"any({text!r} in str(each.message) for each in caught)",
        True,
        control=watch + indent(control, "    "),
        head=f"import warnings\n{head}",
    )
