"""No test passes in which the engine fails, although a failure costs no more than one function."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from devls.engine.core import containment, limits

if TYPE_CHECKING:
    from collections.abc import Iterator

LOGGER = logging.getLogger(containment.__name__)


limits.SECONDS_PER_FILE = float("inf")  # type: ignore[misc]  findings of tests depend on no clock


class _Seen(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.failures: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.failures.append(logging.Formatter().format(record))


@pytest.fixture(autouse=True)
def _engine_does_not_fail(request: pytest.FixtureRequest) -> Iterator[None]:
    seen = _Seen()
    LOGGER.addHandler(seen)
    try:
        yield
    finally:
        LOGGER.removeHandler(seen)
    assert request.node.get_closest_marker("engine_fails") or not seen.failures, "\n".join(seen.failures)
