"""Running the samples of an operation, and letting torch refuse some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from catalog.observe import Observed, TooSlowError, observe

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.draft import Draft
    from catalog.samples import Call


def run_all(function: Callable[..., Any], draft: Draft, calls: list[Call]) -> list[tuple[Call, Observed]]:
    """The calls that torch accepts, with what they did."""
    seen = [(call, attempt(function, draft, call)) for call in calls]
    return [(call, each) for call, each in seen if each is not None]


def attempt(
    function: Callable[..., Any], draft: Draft, call: Call, *, only: str | None = None, hooks: bool = True
) -> Observed | None:
    """Effects of one call; None when torch refuses it.

    That may happen with a sibling's sample, or a single differentiable input.
    """
    try:
        return observe(function, draft, call, only=only, inplace=is_inplace(draft.name), hooks=hooks)
    except (Exception, TooSlowError):  # noqa: BLE001  whatever a sample runs into
        return None


def is_inplace(name: str) -> bool:
    short = name.rpartition(".")[2]
    if short.startswith("__"):
        return short.startswith("__i") and short not in ("__invert__", "__index__", "__int__")
    return (
        short.endswith("_") and not name.startswith("torch.nn.init") and not name.startswith("torch.nn.utils")
    )
