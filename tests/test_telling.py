"""Calls of functions that only tell somebody what something is called come to nothing, and are not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from devls.engine.core.machine import Machine
from devls.engine.driver.entry_points import run_file
from devls.engine.driver.logging_functions import only_tells
from devls.library.lookup import Library
from devls.project.modules import Modules
from devls.project.workspace import Workspace
from devls.values.value import FunctionValue

if TYPE_CHECKING:
    from pathlib import Path

TELLS = {
    "torch._C._log_api_usage_once(f'{thing.__class__.__name__}')": 2,
    "name = thing.__module__\n    if not name.startswith('a') and isinstance(thing, type):\n        name = 'b'\n"
    "    logging.info(f'{name} is used')\n    return": 8,
    "'''Say so.'''\n    logging.info('used')\n    return None": 4,
    "if thing.__name__:\n        logging.warning('used')\n    else:\n        pass": 4,
}

DOES_MORE = (
    "thing.name = 'used'",
    "thing.__name__ = 'used'\n    logging.info('used')",
    "logging.info(thing)",
    "logging.info('used', thing)",
    "logging.info('used', stacklevel=2)",
    "logging.info('used')\n    return thing",
    "logging.info(f'{thing.loss}')",
    "logging.info(f'{thing:.2f}')",
    "logging.info(f'{len(thing)}')",
    "thing('used')",
    "thing.info('used')",
    "tell('used')",
    "print('used')",
    "helper.tell('used')",
    "torch.set_default_device('cuda')",
    "torch.nn.Linear('used')",
    "torch.load('used')",
    "numpy.load('used')",
    "logging.Logger('used')",
    "for each in thing:\n        logging.info('used')",
    "global NAME\n    NAME = 'used'\n    logging.info('used')",
    "name = other = 'used'\n    logging.info('used')",
    "name, = 'used',\n    logging.info('used')",
    "name = -thing\n    logging.info('used')",
    "yield thing",
    "pass",
)


def steps_of(folder: Path, body: str) -> int:
    """The steps that are taken for a call of a function with a body without running it; 0 if it is run."""
    path = folder / "program.py"
    path.write_text(
        "import logging\nimport numpy\nimport torch\n\ndef tell(text):\n    pass\n\nclass helper:\n    tell = tell\n\n"
        f"def function(thing):\n    {body}\n"
    )
    workspace = Workspace([str(folder)])
    machine = Machine(Library(), Modules(workspace), lambda _: None)
    source = workspace.source(str(path))
    run_file(machine, source)
    scope = machine.frames[0].scope
    function = machine.state.get(scope, "function")
    assert isinstance(function, FunctionValue)
    return only_tells(machine, function)


@pytest.mark.parametrize("body", TELLS)
def test_what_only_tells_takes_the_steps_that_it_would_take(body: str, tmp_path: Path) -> None:
    assert steps_of(tmp_path, body) == TELLS[body]


@pytest.mark.parametrize("body", DOES_MORE)
def test_what_does_more_is_run(body: str, tmp_path: Path) -> None:
    assert steps_of(tmp_path, body) == 0
