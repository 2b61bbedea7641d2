"""Which Python to ask: the one that was named, or the first that has a torch.

No program that lies inside a folder that is only looked at is ever started, by whatever way it was found: a `.venv` in a
repository that somebody has just cloned is as much somebody else's program as all else in there.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from devls.probe.client import Probe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_LINKS = 40
"""As many links as systems follow before they call it a loop."""


@dataclass(frozen=True)
class Candidate:
    """A Python, and where the idea came from."""

    python: str
    source: str


def candidates(environment: Mapping[str, str] = os.environ) -> Iterator[Candidate]:
    """The Pythons to be asked if nobody has named one, best first."""
    if sys.executable and not sys.flags.no_site and importlib.util.find_spec("torch") is not None:
        yield Candidate(sys.executable, "the environment of devls")
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        folder = environment.get(variable, "")
        if folder and os.path.isabs(folder):  # noqa: PTH117  of the string as it is
            for name in ("bin/python", "Scripts/python.exe", "python.exe"):
                if (Path(folder) / name).is_file():
                    yield Candidate(str(Path(folder) / name), variable)
                    break
    names = ("python.exe",) if os.name == "nt" else ("python3", "python")
    for name in names:
        for folder in environment.get("PATH", "").split(os.pathsep):
            # A relative entry would make what runs depend on the folder that happens to be the current one.
            if os.path.isabs(folder) and os.access(Path(folder) / name, os.X_OK):  # noqa: PTH117
                yield Candidate(str(Path(folder) / name), "PATH")
                break


def lies_inside(program: str, folders: Sequence[str]) -> bool:
    """Whether a program lies inside one of the folders, by its own path or by any link on the way to the file that runs.

    Virtual environments are links to an interpreter outside, so the end of the chain alone would not tell.
    """
    # A home folder that is the workspace has the environments in it, too; no repository is that folder.
    home = Path.home()
    folders = [each for each in folders if not home.is_relative_to(Path(each).resolve())]
    roots = {Path(os.path.abspath(each)) for each in folders} | {Path(each).resolve() for each in folders}  # noqa: PTH100
    return any(place == root or root in place.parents for place in _chain(program) for root in roots)


def _chain(program: str) -> Iterator[Path]:
    current = Path(os.path.abspath(program))  # noqa: PTH100  links are to be seen, not followed
    for _ in range(_LINKS):
        yield current
        current = current.parent.resolve() / current.name
        yield current
        if not current.is_symlink():
            return
        current = Path(os.path.abspath(current.parent / os.readlink(current)))  # noqa: PTH100, PTH115


def choose(
    named: str = "",
    *,
    forbidden: Sequence[str] = (),
    environment: Mapping[str, str] = os.environ,
) -> tuple[Probe, str]:
    """A probe that can be asked, and why none of those tried before it could; with none left, one that says why.

    With a Python `named`, it is this one or none. Nothing inside the folders `forbidden` is started.
    """
    wanted = [Candidate(named, "the one that was named")] if named else list(candidates(environment))
    problems: list[str] = []
    seen: set[str] = set()
    for each in wanted:
        if each.python in seen:
            continue
        seen.add(each.python)
        # The Python that runs devls has been started already, by somebody who may.
        if each.python != sys.executable and lies_inside(each.python, forbidden):
            problems.append(f"{each.python} ({each.source}) lies inside what is checked, and is not started")
            continue
        probe = Probe(each.python)
        if probe.ask("r = None", accelerator=False) is not None:
            return probe, "; ".join(problems)
        probe.close()
        problems.append(f"{each.python} ({each.source}): {probe.problem or 'it does not answer'}")
    why_not = "; ".join(problems) or "no Python with a torch was found"
    return Probe(None, why_not=why_not), why_not
