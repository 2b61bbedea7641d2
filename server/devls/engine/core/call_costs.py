"""Questions about what a call may cost: answered by the driver, which pays for the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.questions import question

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.value import FunctionValue


@question
def steps_of_logging_only(m: Machine, function: FunctionValue) -> int:
    """The steps of a call that only logs names, and so comes to nothing; 0 if it may come to something."""
    del m, function
    return 0


@question
def steps_where_devices_meet(m: Machine, arguments: list[object], keywords: dict[str, object]) -> int:
    """The steps that a call may take beyond its share, because what it is given comes from different places."""
    del m, arguments, keywords
    return 0
