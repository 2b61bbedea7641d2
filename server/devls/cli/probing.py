"""`--probe`: have torch say what it thinks of each finding."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from devls.probe.experiment import Experiment
from devls.probe.interpreters import choose

if TYPE_CHECKING:
    from devls.cli.complaints import Complaints
    from devls.cli.report import Report


def asked(report: Report, python: str, complaints: Complaints) -> Report:
    """The report, with an answer to each finding; a Python that was not named must not lie in what is checked."""
    if not report.diagnostics:
        return replace(report, said={})
    inside = [str(Path.cwd()), *(str(Path(path).parent) for path in report.names)]
    probe, passed_over = choose(_program(python), forbidden=() if python else inside)
    if probe.problem:
        complaints.say(f"torch is not asked: {passed_over}. --python names the Python that has it.")
    nothing = Experiment(why_not="there is nothing to ask about this")
    try:
        said = {
            each: probe.conduct(nothing if each.question is None else each.question)
            for each in report.diagnostics
        }
    finally:
        probe.close()
    return replace(report, said=said)


def _program(python: str) -> str:
    """The program that a name or a path stands for in the current folder: torch is asked in another one."""
    if not python or os.path.dirname(python):  # noqa: PTH120  of the text as it was typed
        return python and os.path.abspath(python)  # noqa: PTH100  links are part of an environment
    return shutil.which(python) or os.path.abspath(python)  # noqa: PTH100
