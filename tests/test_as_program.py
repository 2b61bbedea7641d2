"""A file that has run as a module is not run again as a program, unless it could do anything else then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from devls.analysis import Analyzer
from devls.config import Config
from devls.engine.core.machine import Machine
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence
    from pathlib import Path

PROGRAM = "import lib\nimport torch\n"

FUNCTION = """\
import torch

TABLE = {"mean": torch.zeros(3)}

def used(x):
    return x.cuda() + TABLE["mean"]
"""

LOUD = FUNCTION + '\nones = torch.ones(3, device="cuda") + TABLE["mean"]\n'

MAIN = FUNCTION + '\nif __name__ == "__main__":\n    torch.ones(3, device="cuda") + TABLE["mean"]\n'

CYCLE = "import program\n" + FUNCTION

KEPT = (
    FUNCTION
    + "\nw = torch.zeros(3, requires_grad=True)\nkept = []\nfor _ in range(9):\n    kept.append((w * 2).sum())\n"
)


@pytest.mark.parametrize(
    ("text", "again"),
    [(FUNCTION, False), (LOUD, True), (MAIN, True), (CYCLE, False), (KEPT, True)],
    ids=["quiet", "loud", "main", "cycle", "kept"],
)
def test_what_is_found_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, *, again: bool
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    lib = tmp_path / "lib.py"
    lib.write_text(text)
    bodies: list[Sequence[ast.stmt]] = []
    run = Machine.run

    def noted(self: Machine, body: Sequence[ast.stmt]) -> bool:
        bodies.append(body)
        return run(self, body)

    monkeypatch.setattr(Machine, "run", noted)
    workspace = Workspace([str(tmp_path)])
    analyzer = Analyzer(workspace, lambda _: Config(), hovers=False)
    analyzer.analyze(str(tmp_path / "program.py"))
    bodies.clear()
    found = analyzer.analyze(str(lib)).diagnostics
    second = workspace.source(str(lib)).tree.body[1]
    assert any(second in body for body in bodies) is again
    alone = Analyzer(Workspace([str(tmp_path)]), lambda _: Config(), hovers=True).analyze(str(lib))
    assert found == alone.diagnostics
    assert found
