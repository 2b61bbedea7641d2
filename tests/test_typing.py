"""Code that somebody is in the middle of typing: what it does not touch keeps its tree and its findings."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from checking import line_of
from devls.analysis import Analyzer
from devls.config import Config
from devls.project.workspace import Workspace
from devls.syntax.recovery import parse_tolerantly

if TYPE_CHECKING:
    from pathlib import Path

BEFORE = '''\
"""A program with a finding in each of its functions."""

import torch
from torch import nn


class Net(nn.Module):
    """A layer."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        return self.layer(x)


def dropped():
    x = torch.zeros(2)
    x.to("cuda:0")
    return x


def mixed():
    """Two devices."""
    a = torch.zeros(2, device="cuda:0")
    b = torch.zeros(2)
    return a + b


'''

TYPED = '''\
def train(model, loader, criterion, optimizer, device="cuda:0", epochs=3):
    """Train for some epochs.

    Returns the loss (a float).
    """
    losses = []  # of each step
    settings = {"clip": 1.0, "log": [1, 2, 3], "name": "it's"}
    for epoch in range(epochs):
        model.train()
        for step, (images, labels) in enumerate(loader):
            images, labels = images.to(device), labels.to(device)
            outputs = model(
                images,
                scale=settings["clip"],
            )
            loss = criterion(outputs, labels)
            optimizer.zero_grad()
            loss.backward()
            if step % 10 == 0 and epoch != 2:
                print(f"{epoch}: {loss.item():.3f} {settings['name']!r}")
            elif not step:
                continue
            else:
                pass
            optimizer.step()
            losses.append(loss.item())
    try:
        result = [each for each in losses if each > 0]
    except (ValueError, TypeError) as error:
        raise RuntimeError("no losses") from error
    finally:
        model.eval()
    with torch.no_grad():
        final = model(torch.ones(1, 3))
    return lambda: (sum(result) / len(result), final[..., -1] @ final.T)


'''

AFTER = """\
def walked_twice():
    w = torch.ones(3, requires_grad=True)
    loss = (w**2).sum()
    loss.backward()
    loss.backward()


@torch.no_grad()
def forgotten(x):
    x.detach()
    return x


if __name__ == "__main__":
    mixed()
    dropped()
    walked_twice()
"""


def shapes(tree: ast.Module) -> dict[str, str]:
    """Definitions at the top of a file, by name."""
    found = {}
    for node in tree.body:
        name = getattr(node, "name", None) or type(node).__name__
        if not isinstance(node, ast.Expr):
            found[name] = ast.dump(node)
    return found


def test_while_a_function_is_typed_all_others_keep_their_trees() -> None:
    whole = shapes(ast.parse(BEFORE + AFTER))
    lost = []
    for end in range(1, len(TYPED) + 1):
        tree, _ = parse_tolerantly(BEFORE + TYPED[:end] + "\n\n\n" + AFTER)
        here = shapes(tree)
        if any(here.get(name) != shape for name, shape in whole.items()):
            lost.append((end, TYPED[:end].splitlines()[-1]))
    assert lost == []


def test_what_was_typed_before_keeps_its_tree() -> None:
    text = BEFORE + TYPED + AFTER
    ends = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Expr):
            continue
        ends[getattr(node, "name", type(node).__name__)] = (node.end_lineno or 0, ast.dump(node))
    lost = []
    for end in range(1, len(text) + 1):
        typed = text[:end]
        here = shapes(parse_tolerantly(typed)[0])
        line = typed.count("\n")
        lost += [
            (name, typed.splitlines()[-1])
            for name, (last, shape) in ends.items()
            if last < line and name not in ("ImportFrom", "Import") and here.get(name) != shape
        ]
    assert lost == []


def findings(text: str, folder: Path) -> set[tuple[str, str, str]]:
    workspace = Workspace((str(folder),))
    workspace.open(str(folder / "a.py"), text)
    analyzer = Analyzer(workspace, lambda _: Config(), hovers=False)
    found = analyzer.analyze(str(folder / "a.py")).diagnostics
    lines = text.splitlines()
    return {(each.rule, lines[line_of(text, each.range.start) - 1], each.message) for each in found}


UNTOUCHED = {"discarded-transfer", "mixed-devices", "tensor-created-off-device", "backward-twice"}


@pytest.mark.parametrize("part", range(4))
def test_findings_do_not_flicker(tmp_path: Path, part: int) -> None:
    expected = findings(BEFORE + AFTER, tmp_path)
    assert UNTOUCHED & {rule for rule, *_ in expected} >= {"discarded-transfer", "backward-twice"}
    for end in range(part * len(TYPED) // 4, (part + 1) * len(TYPED) // 4, 9):
        found = findings(BEFORE + TYPED[:end] + "\n\n\n" + AFTER, tmp_path)
        assert expected <= found, TYPED[:end].splitlines()[-1:]
