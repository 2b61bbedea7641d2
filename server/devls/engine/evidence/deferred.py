"""Presumptions that the end of all runs settles: what calls in sight have shown of functions and parameters."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.evidence import init_reachability

if TYPE_CHECKING:
    from collections.abc import Hashable
    from collections.abc import Set as AbstractSet

    from devls.engine.evidence.callers import Elsewhere

ONE_OF: Final = "one of"
"""What begins several things that are presumed together: one that is not so is enough."""

WEAKLY: Final = "weakly"
"""What begins something that is presumed of what is not certain anyway: not worth reading other files."""


def shown_otherwise(called: AbstractSet[Hashable], told: Hashable, elsewhere: Elsewhere) -> bool:
    """Whether calls show that something presumed is not so, of a function (a node) or of a parameter (its key).

    Functions that nobody calls with gradients keep no graph; a parameter that is given tensors on the CPU, and none from
    elsewhere, is on no accelerator, nor is one that is handed on where it is given such tensors. Of what a function returns
    the same is kept that would be told. What runs only while modules are built runs before they are moved.

    Other files are asked last: what has run is known, and they have to be read.
    """
    if isinstance(told, tuple) and told[0] == WEAKLY:
        return _shown_here(called, told[1])
    together = told[1:] if isinstance(told, tuple) and told[0] == ONE_OF else (told,)
    return any(_shown_here(called, each) for each in together) or any(
        map(elsewhere.shows_otherwise, together)
    )


def _shown_here(called: AbstractSet[Hashable], told: Hashable) -> bool:
    if isinstance(told, tuple) and told[0] == ONE_OF:
        return any(_shown_here(called, each) for each in told[1:])
    if init_reachability.is_shown(told):
        return True
    return told in called or (not isinstance(told, ast.AST) and _on_host(called, told, set()))


def _on_host(called: AbstractSet[Hashable], parameter: Hashable, seen: set[Hashable]) -> bool:
    if ("elsewhere", parameter) in called:
        return False
    seen.add(parameter)
    handed_on = [
        each[2]
        for each in called
        if isinstance(each, tuple)
        and each[0] == "handed on"
        and each[1] == parameter
        and each[2] != parameter
    ]
    shown = handed_on or ("on the host", parameter) in called or ("not given", parameter) in called
    return bool(shown) and all(each in seen or _on_host(called, each, seen) for each in handed_on)
