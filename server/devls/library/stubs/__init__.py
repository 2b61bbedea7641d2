"""What surrounds torch (numpy, matplotlib, sklearn, pandas, ...), written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devls.library.effects import Operation


def operation(name: str) -> Operation | None:
    """The operation of that name, or None when no stub describes it."""
    del name
    return None


def host_reader(name: str) -> bool:
    """Whether the function turns tensor arguments into numpy arrays."""
    del name
    return False
