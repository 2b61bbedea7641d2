"""Messages between the two sides of the probe: JSON objects, one per line.

The only module both sides import; it imports nothing of devls or torch. The worker greets once, then answers each
question, in order.
"""

from __future__ import annotations

from dataclasses import dataclass

LONGEST = 4000
"""Characters of a value or a message; nobody reads more."""


@dataclass(frozen=True)
class Greeting:
    """The worker's first line: it can be asked, or why it cannot."""

    torch: str = ""
    """The version of the torch that answers."""
    problem: str = ""
    """With a version: no accelerator can be pretended. Without: nothing can be asked at all."""
    forks: bool = False
    """Whether each program runs in a process of its own, so that one worker answers both kinds of questions."""


@dataclass(frozen=True)
class Question:
    """Run a program that devls has made up (never the user's file) and tell what `r` is afterwards."""

    id: int
    code: str
    accelerator: bool = False
    """Whether `cuda` is the stand-in."""
    wall_s: float = 3.0
    """Seconds of wall time before the answer is "timeout"."""
    cpu_s: int = 5
    memory_mb: int = 512
    """Memory the program may take beyond what the worker has (Linux only)."""


@dataclass(frozen=True)
class Answer:
    """Outcome of a run; exactly one of `value`, `raised` and `died` is filled."""

    id: int
    value: str = ""
    """`repr(r)`, at most `LONGEST` characters."""
    raised: str = ""
    """Name of the exception's type."""
    text: str = ""
    """Its message, at most `LONGEST` characters."""
    died: str = ""
    """"timeout", "signal 6", "exit 7", ...: nothing can be said but that."""

    @property
    def said(self) -> str:
        """The outcome as Python prints it."""
        if self.died:
            return self.died
        if self.raised:
            return f"{self.raised}: {self.text}" if self.text else self.raised
        return self.value
