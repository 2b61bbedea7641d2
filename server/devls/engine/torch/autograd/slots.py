"""Slots of the state that several modules use."""

from __future__ import annotations

from typing import Final

FILLED: Final = "gradients filled"
"""The slot of the surroundings that says when gradients last came to be, and by which call."""
