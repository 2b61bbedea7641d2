"""What is held against the engine, and what is not."""

from __future__ import annotations

from against_torch.comparing import Figures, Run, contradictions, run_on_torch

HANDLED = """\
import torch

x, y = torch.ones(3), torch.ones(3, device="cuda:0")
try:
    z = x + 1
except RuntimeError:
    z = x + y
"""
RUN = frozenset({1, 3, 4, 5})


def test_a_handler_that_was_not_run_may_be_wrong() -> None:
    figures = Figures()
    assert not list(contradictions(HANDLED, [Run("", 0, {}, (), RUN)], figures))
    assert figures.programs == 1


def test_a_handler_that_some_run_came_through_is_right() -> None:
    """If torch had run it without an error, the report would be a false alarm."""
    runs = [Run("", 0, {}, (), RUN), Run("", 0, {}, (), RUN | {7})]
    (found,) = contradictions(HANDLED, runs, Figures())
    assert found.startswith("false alarm mixed-devices, line 7")


def test_what_stands_elsewhere_is_not_excused_by_a_try() -> None:
    text = HANDLED.replace("    z = x + y\n", "    z = x\nw = x + y\n")
    (found,) = contradictions(text, [Run("", 0, {}, (), RUN)], Figures())
    assert found.startswith("false alarm mixed-devices, line 8")


def test_what_a_loop_sees_of_a_generator_that_raised_is_of_before() -> None:
    """The engine goes on: what it says of the last round stands behind what torch has refused."""
    text = """\
import torch

x, y = torch.ones(3, requires_grad=True), torch.ones(3, device="cuda:0")


def parts(a, b):
    yield a
    yield a + b
    yield a.detach()


for each in parts(x, y):
    reveal_value(each)
"""
    programs = {"raises": text, "runs": text.replace(', device="cuda:0"', "")}
    for name, runs in run_on_torch(programs).items():
        assert not list(contradictions(programs[name], runs, Figures()))


def test_torch_says_which_lines_it_ran_and_survives_a_program() -> None:
    """Of a program that ends the process nothing is known; those beside it are run all the same."""
    runs = run_on_torch({"ends it": "import os\nos._exit(3)\n", "handled": HANDLED})
    assert runs["ends it"] == []
    (run,) = runs["handled"]
    assert not run.raised
    assert run.ran - {0} == RUN  # what is told before the first line has the number 0
    figures = Figures()
    assert not list(contradictions("", [], figures))
    assert (figures.programs, figures.died) == (0, 1)


def test_a_program_leaves_no_default_device_behind() -> None:
    """Copies of what is on a device would go to the default one."""
    leaves = """\
import torch

with torch.device("cpu"):
    torch.set_default_device("cuda:0")


def parts():
    with torch.device("cuda:0"):
        yield torch.ones(2)


first = next(parts())
kept = parts()
next(kept)
"""
    copies = """\
import torch

x = torch.tensor(torch.ones(2, device="cuda:0"))
reveal_value(x)
y = torch.ones(2)
reveal_value(y)
"""
    (run,) = run_on_torch({"leaves": leaves, "copies": copies})["copies"]
    assert [each["device"] for each in run.shown.values()] == ["cuda:0", "cpu"]
