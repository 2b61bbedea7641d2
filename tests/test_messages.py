"""Messages are read at a glance: on every page and in every form of a mistake, and however long the code is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checking import analyze
from devls.text.excerpt import LONGEST_MESSAGE, fitted
from forms import read_forms
from pages import all_pages

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = {block.id: block.files for page in all_pages() for block in page.blocks}
PROGRAMS |= {form.id: {"example.py": form.broken} for form in read_forms()}

LONG = """import torch


def confusion(self, prediction, label):
    matrix = torch.zeros(self.number_of_class, self.number_of_class)
    ones = label * self.number_of_class
    return matrix + (ones.to(label.device) + self.number_of_class * ones)
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_messages_are_short(name: str, tmp_path: Path) -> None:
    for found in analyze(PROGRAMS[name], tmp_path).values():
        for each in found:
            if each.rule != "revealed-value":
                assert len(each.message) <= LONGEST_MESSAGE, each.message


def test_long_code_makes_no_long_message(tmp_path: Path) -> None:
    (found,) = analyze({"example.py": LONG}, tmp_path)["example.py"]
    assert found.rule == "tensor-created-off-device"
    assert len(found.message) <= LONGEST_MESSAGE
    assert found.message.endswith("torch raises whenever an accelerator is used")


def test_code_is_shortened_longest_first() -> None:
    code = f"make({', '.join(f'part_{each}' for each in range(12))})"
    message = f"`{code}` is on the CPU, and `x` is not: {'so ' * 35}torch raises"
    assert fitted(message).startswith("`make(...)` is on the CPU, and `x` is not")
    assert fitted("`x` is fine") == "`x` is fine"


def test_words_are_left_as_they_are() -> None:
    words = "torch raises " * 20
    assert fitted(f"`x` and {words}") == f"`x` and {words}"
