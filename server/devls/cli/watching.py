"""`--watch`: check again when a file has changed, until somebody presses Ctrl+C.

Times and sizes of files are compared, some times a second: no system has to tell, and what lies on a network counts as well. A
round takes from the cache what no change is about.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from devls import files
from devls.cli import checking
from devls.cli.complaints import FAILURE, NOTHING, CommandError, Complaints
from devls.cli.configuration import Configuration
from devls.cli.outcomes import Collected
from devls.cli.output import writing_to_output
from devls.cli.report import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.analysis import Analyzer
    from devls.cli.arguments import Options

_PAUSE: Final = 0.3
"""Seconds between two looks: less than anybody takes from an editor to a terminal."""

_SHARE: Final = 20
"""A look that takes long is followed by a pause of so many times as long."""

_CLEAR: Final = "\x1b[2J\x1b[3J\x1b[H"

_Stamps: TypeAlias = dict[str, tuple[int, int, int]]


def watch(
    options: Options,
    make_analyzer: Callable[..., Analyzer],
    complaints: Complaints,
    wait: Callable[[float], None] = time.sleep,
) -> int:
    """Check what the options name, again and again. Returns the exit status: that of an end that was wanted."""
    if not options.cache:
        options = replace(options, jobs=1)  # what other processes have read, the cache knows
    try:
        Configuration(options, complaints)
    except CommandError as error:
        complaints.say(f"{error}.")
        return FAILURE
    watched = _Files(options, wait)
    try:
        while True:
            before = watched.stamps()
            watched.used |= _round(options, make_analyzer)
            # A change in the meantime is none the less new.
            watched.wait_for_change(watched.stamps() | before)
    except KeyboardInterrupt:
        return NOTHING


def _round(options: Options, make_analyzer: Callable[..., Analyzer]) -> set[str]:
    """Check once. Returns the files that were read or looked for."""
    if sys.stdout.isatty():
        with writing_to_output():
            sys.stdout.write(_CLEAR)
    used = set[str]()
    complaints = Complaints()
    checking.check(options, make_analyzer, complaints, used)
    with writing_to_output():
        sys.stdout.flush()
    # `main.run` has switched the collector off, and `check` has set aside what stays: between rounds nothing stays.
    gc.unfreeze()
    gc.collect()
    if not options.style.quiet:
        complaints.say(f"watching {plural(len(_checked(options)), 'file')}; Ctrl+C ends.")
    return used


def _checked(options: Options) -> list[str]:
    """The files that are checked, and those that settings are taken from."""
    configuration = Configuration(options, Collected())
    selection = files.select(options.paths, configuration.of, force_exclude=options.force_exclude)
    return [*selection.names, *(each for each in configuration.files if each not in selection.names)]


class _Files:
    """Paths that are watched for changes."""

    def __init__(self, options: Options, wait: Callable[[float], None]) -> None:
        self.used = set[str]()
        """Files that were read or looked for, besides those that are checked."""
        self._options, self._wait = options, wait
        self._took = 0.0

    def stamps(self) -> _Stamps:
        """Outward state of each file that there is."""
        began = time.monotonic()
        found = _Stamps()
        for path in {*_checked(self._options), *self.used}:
            try:
                status = os.stat(path)  # noqa: PTH116  of all files, some times a second
            except (OSError, ValueError):
                continue
            found[path] = status.st_mtime_ns, status.st_size, status.st_ino
        self._took = time.monotonic() - began
        return found

    def wait_for_change(self, before: _Stamps) -> None:
        """Come back when something is not as it was, and has been left alone for a moment: files are written in parts."""
        now = self._later()
        while now == before:
            now = self._later()
        while (later := self._later()) != now:
            now = later

    def _later(self) -> _Stamps:
        self._wait(max(_PAUSE, _SHARE * self._took))
        return self.stamps()
