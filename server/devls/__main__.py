"""`devls`: without arguments the language server on stdio, with a command or `--check` the command line."""

# Little is imported here: until `main` has begun, Ctrl+C ends in a traceback of Python's own.
from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from devls.cli.arguments import Options

_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0 nothing found, 1 findings, 2 usage or internal error, 130 interrupted."""
    gc.disable()  # what is imported stays; who goes on to work decides when to look for what does not
    if argv is None:
        _let_interrupts_end_it()
        _open_closed_streams()
    # Imported here, because an editor waits for the server, and a check in a loop for neither.
    from devls.cli.arguments import parse  # noqa: PLC0415

    options = parse(sys.argv[1:] if argv is None else argv)
    if options.command == "serve":
        try:
            from devls.lsp.server import run as serve  # noqa: PLC0415
        except ModuleNotFoundError as error:
            missing = (error.name or "").partition(".")[0]
            sys.stderr.write(
                f"devls: the language server needs the package {missing}, which is not installed.\n"
            )
            return 2

        # See `cli.main`: trees are most of what there is, and stay.
        gc.set_threshold(50_000, 20, 100)
        gc.enable()
        serve()
        return 0
    status = _run(options, as_process=argv is None)
    if argv is None and not options.probe:  # whom torch was asked by ends in order
        _leave(status)
    return status


def _run(options: Options, *, as_process: bool) -> int:
    """Run a command other than `serve`; as a process, Ctrl+C is said while it works, and ends it before and behind that."""
    import signal  # noqa: PLC0415

    from devls.cli.main import run  # noqa: PLC0415

    if not as_process or signal.getsignal(signal.SIGINT) is not signal.SIG_DFL:
        return run(options)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        status = run(options)
    except KeyboardInterrupt:  # so late, or so early, that there is nothing left to say
        status = _INTERRUPTED
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return status


def _let_interrupts_end_it() -> None:
    """Have Ctrl+C end the process at once, as it ends others: half a start has nothing to put in order."""
    # The module in C below `signal`, which takes milliseconds to make enumerations of its numbers.
    import _signal  # type: ignore[import-not-found]  # noqa: PLC0415

    if (
        _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
    ):  # else somebody ignores it on purpose
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)


def _open_closed_streams() -> None:
    """Let standard streams that are closed lead nowhere: the next file that is opened would take their place."""
    for number, name in ((0, "stdin"), (1, "stdout"), (2, "stderr")):
        if _is_open(number):
            continue
        os.open(os.devnull, os.O_RDWR)  # it gets the lowest number that is free
        if number:  # who reads is to know that there is nothing, and Python has None in its place
            setattr(sys, name, open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _leave(status: int) -> NoReturn:
    """End the process now: taking apart all that an analysis has made, object by object, takes a tenth of its time."""
    import contextlib  # noqa: PLC0415

    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # whoever read is gone
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
