"""A question to torch with what to make of the answer: a made-up program, and what a claim says happens when it runs."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devls.probe.protocol import Answer


class Verdict(enum.Enum):
    """Meaning of torch's answer for the claim; its value is the word in JSON output."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    NOT_RUN = "not-run"


@dataclass(frozen=True)
class Experiment:
    """A program for torch, and what the claim behind it expects.

    Without `code` there is nothing to be run, and `why_not` says why. Otherwise `raises` is filled (the program raises
    that) or `shows` (the program binds `r`, and `repr(r)` is `value`), or neither: then nothing is claimed, and the
    answer is only told.
    """

    code: str = ""
    raises: str = ""
    """Names of exception types, separated by "|"."""
    text: str = ""
    """Parts of messages, separated by "|", one of which is in the exception's."""
    shows: str = ""
    """Definition of `r`, as an expression of the program."""
    value: str = ""
    control: str = ""
    """The same program as it is meant to be: running it shows that the question can have another answer."""
    accelerator: bool = False
    """Whether `cuda` has to be there; otherwise the program runs on the torch as it is."""
    why_not: str = ""
    guessed: bool = False
    """Some of the program is no more than likely (a shape that is not known): not all errors are the user's."""


@dataclass(frozen=True)
class Said:
    """Torch's answer to an experiment."""

    verdict: Verdict
    says: str
    """The exception with its message, the value, or why nothing was run."""
    snippet: str = ""
    torch: str = ""
    """The version that was asked; empty where none was."""
    outcome: str = ""
    """How the program ended: "value", "raised", or, where that says nothing of torch, empty."""


def judge(experiment: Experiment, answer: Answer | None, *, torch: str = "", problem: str = "") -> Said:
    """Verdict of an answer on a claim; `problem` is why there is none.

    An exception that nobody expected speaks neither for nor against: the made-up program may be at fault.
    """
    if not experiment.code:
        return Said(Verdict.NOT_RUN, experiment.why_not)
    if answer is None:
        return Said(Verdict.NOT_RUN, problem or "there is no torch to ask", experiment.code)
    says, verdict = answer.said, Verdict.NOT_RUN
    if answer.died:
        says = f"the program could not be run to its end: {answer.died}"
    elif experiment.raises:
        if answer.raised in experiment.raises.split("|") and any(
            part in answer.text for part in experiment.text.split("|")
        ):
            verdict = Verdict.CONFIRMED
        elif not answer.raised:
            verdict, says = Verdict.REFUTED, "nothing is raised"
    elif experiment.shows and not answer.raised:
        says = f"`{experiment.shows}` is {answer.value}"
        verdict = Verdict.CONFIRMED if answer.value == experiment.value else Verdict.REFUTED
    outcome = "" if answer.died else "raised" if answer.raised else "value"
    return Said(verdict, says, experiment.code, torch, outcome)


def worth_saying(experiment: Experiment, said: Said) -> bool:
    """Whether an answer tells somebody who did not ask something about their own program."""
    if not said.torch or said.outcome != "raised" or said.verdict is Verdict.CONFIRMED:
        return bool(said.torch and said.outcome)
    if experiment.raises or experiment.shows or said.says.startswith("NotImplementedError"):
        return False  # the question failed, not the program it is about
    # Whether gradients are on at a place is not in the question.
    about_devices = "device" in said.says or "cuda" in said.says
    return (about_devices or not experiment.guessed) and "grad" not in said.says
