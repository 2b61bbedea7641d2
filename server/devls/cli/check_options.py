"""The options of `devls check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

FAIL_LEVELS = ("error", "warning", "info")
FORMATS = ("human", "json", "concise", "github")


def add(parser: argparse.ArgumentParser) -> None:
    """Let a parser know them."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files, folders, or `-` for standard input (default: the current folder)",
    )
    _add_selection(parser)
    _add_output(parser)
    _add_fixes(parser)
    _add_torch(parser)
    _add_other(parser)


def _add_selection(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what is reported")
    what.add_argument("--select", action="append", metavar="RULE", help="only these rules or families")
    what.add_argument("--ignore", action="append", metavar="RULE", help="not these rules or families")
    what.add_argument("--possible", action="store_true", help="also what happens on some path only")


def _add_output(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("how it is reported")
    how.add_argument("--output-format", choices=FORMATS, default="human", help="default: human")
    how.add_argument("--stdin-filename", metavar="NAME", help="the name of what is read from `-`")
    _add_status(parser)


def _add_status(parser: argparse.ArgumentParser) -> None:
    status = parser.add_argument_group("exit status")
    status.add_argument("--exit-zero", action="store_true", help="exit with 0 in spite of findings")
    status.add_argument(
        "--exit-non-zero-on-fix", action="store_true", help="exit with 1 if anything was fixed, too"
    )
    status.add_argument(
        "--fail-level",
        choices=FAIL_LEVELS,
        default="info",
        help="exit with 1 for findings of this level and above only (default: info, that is all)",
    )


def _add_fixes(parser: argparse.ArgumentParser) -> None:
    fixes = parser.add_argument_group("fixes")
    fixes.add_argument("--fix", action="store_true", help="apply safe fixes")
    fixes.add_argument("--unsafe-fixes", action="store_true", help="with --fix or --diff: unsafe ones, too")
    fixes.add_argument(
        "--diff", action="store_true", help="print what --fix would change, and change nothing"
    )


def _add_torch(parser: argparse.ArgumentParser) -> None:
    torch = parser.add_argument_group("asking torch")
    torch.add_argument("--probe", action="store_true", help="have an installed torch confirm each finding")
    torch.add_argument(
        "--python",
        metavar="PATH",
        help="with --probe: the Python that has it (default: that of devls, of the active environment, of PATH)",
    )


def _add_other(parser: argparse.ArgumentParser) -> None:
    other = parser.add_argument_group("other")
    other.add_argument(
        "--no-cache", action="store_true", help="use nothing of earlier runs, and keep nothing for later ones"
    )
    other.add_argument("--debug", action="store_true", help="print a traceback when devls itself fails")


def understood(parser: argparse.ArgumentParser, given: argparse.Namespace) -> dict[str, Any]:
    """The fields of `Options` that follow from what was given.

    Raises:
        SystemExit: with status 2 after a complaint about options that do not go together.
    """
    paths = tuple(given.paths) or (".",)
    if "-" in paths and len(paths) > 1:
        parser.error("`-` (standard input) cannot be checked together with other paths")
    if given.stdin_filename and "-" not in paths:
        parser.error("--stdin-filename goes with `-`: `devls check - --stdin-filename NAME`")
    if given.python and not given.probe:
        parser.error("--python goes with --probe: it names the Python whose torch is asked")
    return {
        "paths": paths,
        "output_format": given.output_format,
        "overrides": {
            "select": _names(given.select),
            "ignore": _names(given.ignore),
            "show_possible": True if given.possible else None,
        },
        "stdin_filename": given.stdin_filename or "",
        "fix": given.fix,
        "unsafe_fixes": given.unsafe_fixes,
        "diff": given.diff,
        "exit_zero": given.exit_zero,
        "exit_non_zero_on_fix": given.exit_non_zero_on_fix,
        "fail_level": given.fail_level,
        "debug": given.debug,
        "probe": given.probe,
        "cache": not given.no_cache,
        "python": given.python or "",
    }


def _names(given: list[str] | None) -> list[str] | None:
    if given is None:
        return None
    return [name.strip() for each in given for name in each.split(",") if name.strip()]
