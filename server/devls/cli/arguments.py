"""What may stand on the command line."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from devls import __version__
from devls.text.printable import escaped

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMATS = ("human", "json", "concise", "github")

_DESCRIPTION = """\
Find device and autograd pitfalls in PyTorch code, without running it.
Without arguments, devls is a language server on standard input and output."""

_WHY = """\
Say what was considered on a line: what is reported there, what that rests on, and what is not reported and why."""

_EPILOG = """\
`devls why FILE:LINE` says what was considered on a line, and what silenced it.

exit status: 0 nothing found, 1 findings, 2 wrong usage or an internal error,
130 interrupted"""


@dataclass(frozen=True)
class Options:
    """The command line, understood."""

    command: str
    """"serve", "check", "why", "explain" or "list-rules"."""
    paths: tuple[str, ...] = ()
    line: int = 0
    """Which line `why` asks about, from 1."""
    rule: str = ""
    """What `--explain` asks about."""
    output_format: str = "human"
    overrides: dict[str, Any] = field(default_factory=dict)
    """Settings as `Config.merged` takes them."""
    stdin_filename: str = ""
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    exit_zero: bool = False
    debug: bool = False
    verbose: bool = False
    """Whether it is said what was not analyzed to its end."""
    probe: bool = False
    """Whether torch is asked about each finding."""
    cache: bool = True
    """Whether what earlier runs have found may be used, and kept for later ones."""
    python: str = ""
    """Whose torch; empty: the first that is found."""


class _Parser(argparse.ArgumentParser):
    """Says how to get help below each complaint, in place of all options above it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"devls: {escaped(message)}\nTry `devls --help`.\n")


def parse(argv: Sequence[str]) -> Options:
    """Read the command line.

    Raises:
        SystemExit: with status 2 after a complaint, with 0 after `--help` and `--version`.
    """
    if list(argv[:1]) == ["why"]:
        return _why(argv[1:])
    parser = _parser()
    # Intermixed: `devls --check a.py --fix b.py` is no mistake.
    given = parser.parse_intermixed_args(list(argv))
    if given.explain:
        return Options("explain", rule=given.explain)
    if given.list_rules:
        return Options("list-rules")
    if not given.check:
        if given.paths:
            parser.error(f"to check files, write `devls --check {' '.join(given.paths)}`")
        return Options("serve")
    paths = tuple(given.paths) or (".",)
    if "-" in paths and len(paths) > 1:
        parser.error("`-` (standard input) cannot be checked together with other paths")
    if given.stdin_filename and "-" not in paths:
        parser.error("--stdin-filename goes with `-`: `devls --check - --stdin-filename NAME`")
    if given.python and not given.probe:
        parser.error("--python goes with --probe: it names the Python whose torch is asked")
    return Options(
        "check",
        paths,
        output_format=given.output_format,
        overrides={
            "select": _names(given.select),
            "ignore": _names(given.ignore),
            "show_possible": True if given.possible else None,
        },
        stdin_filename=given.stdin_filename or "",
        fix=given.fix,
        unsafe_fixes=given.unsafe_fixes,
        diff=given.diff,
        exit_zero=given.exit_zero,
        debug=given.debug,
        verbose=given.verbose,
        probe=given.probe,
        cache=not given.no_cache,
        python=given.python or "",
    )


def _why(argv: Sequence[str]) -> Options:
    """`devls why FILE:LINE`."""
    parser = _Parser("devls why", description=_WHY, allow_abbrev=False)
    parser.add_argument("place", metavar="FILE:LINE", help="a file, and a line of it, from 1")
    parser.add_argument("--debug", action="store_true", help="print a traceback when devls itself fails")
    given = parser.parse_args(list(argv))
    path, _, line = given.place.rpartition(":")
    if not path or not line.isascii() or not line.isdigit() or int(line) == 0:
        parser.error(f"{given.place} names no line: write `devls why FILE:LINE`")
    return Options("why", (path,), line=int(line), debug=given.debug)


def _names(given: list[str] | None) -> list[str] | None:
    if given is None:
        return None
    return [name.strip() for each in given for name in each.split(",") if name.strip()]


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        "devls",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="with --check: files, folders, or `-` for standard input (default: the current folder)",
    )
    parser.add_argument("--check", action="store_true", help="check files and folders")
    parser.add_argument("--version", action="version", version=f"devls {__version__}")
    parser.add_argument("--stdio", action="store_true", help=argparse.SUPPRESS)  # what some clients add

    what = parser.add_argument_group("what is reported")
    what.add_argument("--select", action="append", metavar="RULE", help="only these rules or families")
    what.add_argument("--ignore", action="append", metavar="RULE", help="not these rules or families")
    what.add_argument("--possible", action="store_true", help="also what happens on some path only")
    what.add_argument("--list-rules", action="store_true", help="print the rules, and exit")
    what.add_argument("--explain", metavar="RULE", help="print the page of a rule, and exit")

    how = parser.add_argument_group("how it is reported")
    how.add_argument("--output-format", choices=FORMATS, default="human", help="default: human")
    how.add_argument("--stdin-filename", metavar="NAME", help="the name of what is read from `-`")
    how.add_argument("--exit-zero", action="store_true", help="exit with 0 in spite of findings")

    fixes = parser.add_argument_group("fixes")
    fixes.add_argument("--fix", action="store_true", help="apply safe fixes")
    fixes.add_argument("--unsafe-fixes", action="store_true", help="with --fix or --diff: unsafe ones, too")
    fixes.add_argument(
        "--diff", action="store_true", help="print what --fix would change, and change nothing"
    )

    torch = parser.add_argument_group("asking torch")
    torch.add_argument("--probe", action="store_true", help="have an installed torch confirm each finding")
    torch.add_argument(
        "--python",
        metavar="PATH",
        help="with --probe: the Python that has it (default: that of devls, of the active environment, of PATH)",
    )

    other = parser.add_argument_group("other")
    other.add_argument(
        "--no-cache", action="store_true", help="use nothing of earlier runs, and keep nothing for later ones"
    )
    other.add_argument(
        "--verbose", action="store_true", help="say which functions were not analyzed to their end, and why"
    )
    other.add_argument("--debug", action="store_true", help="print a traceback when devls itself fails")
    return parser
