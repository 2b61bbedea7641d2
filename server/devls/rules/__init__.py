"""One module per rule; its page lies beside it."""

from __future__ import annotations

from importlib import import_module

# Named one by one, in a generated file: listing a package needs the file system, which a zipped or bundled installation
# answers slowly or not at all.
from devls.rules.index import MODULES


def load() -> None:
    """Import every rule, so that each registers itself. Cheap when repeated."""
    for module in MODULES:
        import_module(f"{__name__}.{module}")
