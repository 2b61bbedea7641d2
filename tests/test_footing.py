"""Findings that rest on more than one presumption are told to who asks for what is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checking import write_files
from devls.analysis import Analyzer
from devls.config import Config
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

_HEAD = "import torch\n\ndef placed(model, device):\n    return model.to(device)\n\n"
_BY_MODE = (
    "def by_mode(x: torch.Tensor, mode: str):\n"
    '    place = x * 2 if mode == "plain" else torch.ones(3)\n'
    "    return torch.stack([torch.zeros(3), place])\n"
)
_PLAIN = "def plain(x: torch.Tensor):\n    return torch.stack([torch.zeros(3), x * 2])\n"


@pytest.mark.parametrize(
    ("body", "asked", "told"),
    [
        (_BY_MODE, False, []),
        (_BY_MODE, True, ["possible"]),
        (_PLAIN, False, ["likely"]),
        (_PLAIN, True, ["likely"]),
    ],
)
def test_confidence(body: str, asked: bool, told: list[str], tmp_path: Path) -> None:
    write_files({"example.py": _HEAD + body}, tmp_path)
    analyzer = Analyzer(Workspace((str(tmp_path),)), lambda _path: Config(show_possible=asked))
    found = analyzer.analyze(str(tmp_path / "example.py")).diagnostics
    assert [each.confidence for each in found if each.rule == "tensor-created-off-device"] == told
