"""`devls`: without arguments the language server on stdio, with a command or `--check` the command line."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0 nothing found, 1 findings, 2 usage or internal error."""
    gc.disable()  # what is imported stays; who goes on to work decides when to look for what does not
    # Imported here, because an editor waits for the server, and a check in a loop for neither.
    from devls.cli.arguments import parse  # noqa: PLC0415

    options = parse(sys.argv[1:] if argv is None else argv)
    if options.command == "serve":
        from devls.lsp.server import run as serve  # noqa: PLC0415

        # See `cli.main`: trees are most of what there is, and stay.
        gc.set_threshold(50_000, 20, 100)
        gc.enable()
        serve()
        return 0
    from devls.cli.main import run  # noqa: PLC0415

    status = run(options)
    if argv is None and not options.probe:  # whom torch was asked by ends in order
        _leave(status)
    return status


def _leave(status: int) -> NoReturn:
    """End the process now: taking apart all that an analysis has made, object by object, takes a tenth of its time."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # whoever read is gone
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
