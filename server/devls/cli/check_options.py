"""The options of `devls check`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from devls.cli.complaints import did_you_mean
from devls.cli.formats import Style
from devls.cli.outputs import MODULES, Output

if TYPE_CHECKING:
    import argparse

FAIL_LEVELS = ("error", "warning", "info")
FORMATS = tuple(MODULES)
MAX_JOBS = 256
MAX_SHARDS = 10_000
COLORS = ("auto", "always", "never")


def add(parser: argparse.ArgumentParser) -> None:
    """Let a parser know them."""
    parser.add_argument(
        "paths",
        nargs="*",
        type=_not_empty,
        metavar="PATH",
        help="files, folders, or `-` for standard input (default: the current folder)",
    )
    _add_files(parser)
    _add_settings(parser)
    _add_selection(parser)
    _add_output(parser)
    _add_fixes(parser)
    _add_torch(parser)
    _add_other(parser)


def _add_files(parser: argparse.ArgumentParser) -> None:
    which = parser.add_argument_group("which files are checked")
    which.add_argument(
        "--exclude",
        action="append",
        type=_not_empty,
        metavar="PATTERN",
        help="in place of the setting: as in .gitignore",
    )
    which.add_argument(
        "--extend-exclude",
        action="append",
        type=_not_empty,
        metavar="PATTERN",
        help="in addition to what is excluded",
    )
    which.add_argument(
        "--stdin-filename", type=_not_empty, metavar="NAME", help="the name of what is read from `-`"
    )
    which.add_argument("--show-files", action="store_true", help="print the files, and check none")
    which.add_argument(
        "--force-exclude", action="store_true", help="leave out what is excluded even if it is named"
    )


def _add_settings(parser: argparse.ArgumentParser) -> None:
    settings = parser.add_argument_group("settings")
    settings.add_argument(
        "--config",
        action="append",
        type=_not_empty,
        metavar="FILE|SETTING",
        help="a file of settings in place of those that are found, or a setting as it stands in one. May be repeated",
    )
    settings.add_argument("--isolated", action="store_true", help="pass over all files of settings")
    settings.add_argument(
        "--show-settings", action="store_true", help="print the settings of the first file, and check none"
    )


def _add_selection(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what is reported")
    what.add_argument(
        "--select", action="append", type=_not_empty, metavar="RULE", help="only these rules or families"
    )
    what.add_argument(
        "--ignore", action="append", type=_not_empty, metavar="RULE", help="not these rules or families"
    )
    _add_new(what)
    what.add_argument("--possible", action="store_true", help="also what happens on some path only")


def _add_new(what: argparse._ArgumentGroup) -> None:
    what.add_argument("--baseline", type=_not_empty, metavar="FILE", help="not the findings in this file")
    what.add_argument(
        "--write-baseline", type=_not_empty, metavar="FILE", help="write the findings to this file instead"
    )
    what.add_argument(
        "--diff-base",
        type=_not_empty,
        metavar="REV",
        help="only findings that lines changed since this revision have a part in, as git knows it",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("how it is reported")
    how.add_argument(
        "--output-format",
        action="append",
        type=_not_empty,
        metavar="FORMAT[=FILE]",
        help=f"{', '.join(FORMATS)} (default: human); with a file, in addition to what is printed. May be repeated",
    )
    how.add_argument(
        "-o",
        "--output-file",
        type=_not_empty,
        metavar="FILE",
        help="write to this file what would be printed",
    )
    how.add_argument("--statistics", action="store_true", help="count the findings of each rule instead")
    how.add_argument("--color", choices=COLORS, default="auto", help="default: auto, that is on terminals")
    how.add_argument("-q", "--quiet", action="store_true", help="print findings only")
    how.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="say what is used, how long it took, and what was not analyzed to its end",
    )
    _add_status(parser)


def _add_status(parser: argparse.ArgumentParser) -> None:
    status = parser.add_argument_group("exit status")
    status.add_argument("-e", "--exit-zero", action="store_true", help="exit with 0 in spite of findings")
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
    fixes.add_argument(
        "--add-ignore", action="store_true", help="write a comment beside each finding that silences it"
    )


def _add_torch(parser: argparse.ArgumentParser) -> None:
    torch = parser.add_argument_group("asking torch")
    torch.add_argument("--probe", action="store_true", help="have an installed torch confirm each finding")
    torch.add_argument(
        "--python",
        type=_not_empty,
        metavar="PATH",
        help="with --probe: the Python that has it (default: that of devls, of the active environment, of PATH)",
    )


def _add_other(parser: argparse.ArgumentParser) -> None:
    other = parser.add_argument_group("other")
    other.add_argument(
        "-n",
        "--no-cache",
        action="store_true",
        help="use nothing of earlier runs, and keep nothing for later ones",
    )
    other.add_argument(
        "--shard",
        type=_shard,
        metavar="K/N",
        help="analyze the K-th of N parts of the files, and write what was found for `devls merge`",
    )
    other.add_argument(
        "-j",
        "--jobs",
        type=_jobs,
        default=0,
        metavar="N",
        help="processes that analyze (default: one for each core)",
    )
    other.add_argument(
        "--executor",
        type=_executor,
        metavar="dask://HOST:PORT",
        help="analyze on the workers of a Dask cluster",
    )
    other.add_argument(
        "-w", "--watch", action="store_true", help="check again when a file changes, until Ctrl+C"
    )
    other.add_argument("--debug", action="store_true", help="print a traceback when devls itself fails")


def _not_empty(text: str) -> str:
    import argparse  # noqa: PLC0415  it is there already

    if not text.strip():
        raise argparse.ArgumentTypeError("is empty (a variable that is not set?)")
    return text


def _executor(text: str) -> str:
    import argparse  # noqa: PLC0415  it is there already

    host, _, port = text.removeprefix("dask://").rpartition(":")
    if not text.startswith("dask://") or not host or not port.isdecimal():
        raise argparse.ArgumentTypeError(f"has to be such as dask://127.0.0.1:8786, not {text!r}")
    return text


def _jobs(text: str) -> int:
    import argparse  # noqa: PLC0415  it is there already

    if not text.isdecimal() or not 1 <= int(text) <= MAX_JOBS:
        raise argparse.ArgumentTypeError(f"has to be a number from 1 to {MAX_JOBS}, not {text!r}")
    return int(text)


def understood(parser: argparse.ArgumentParser, given: argparse.Namespace) -> dict[str, Any]:
    """The fields of `Options` that follow from what was given.

    Raises:
        SystemExit: with status 2 after a complaint about options that do not go together.
    """
    paths = tuple(given.paths) or (".",)
    _refuse_contradictions(parser, given, paths)
    return {
        "paths": paths,
        **_reporting(parser, given),
        "overrides": {
            "select": _names(given.select),
            "ignore": _names(given.ignore),
            "exclude": given.exclude,
            "extend_exclude": given.extend_exclude,
            "show_possible": True if given.possible else None,
        },
        "stdin_filename": given.stdin_filename or "",
        "fix": given.fix,
        "unsafe_fixes": given.unsafe_fixes,
        "diff": given.diff,
        "config": tuple(given.config or ()),
        "isolated": given.isolated,
        "show_files": given.show_files,
        "show_settings": given.show_settings,
        "force_exclude": given.force_exclude,
        "add_ignore": given.add_ignore,
        "debug": given.debug,
        "probe": given.probe,
        "executor": given.executor or "",
        "watch": given.watch,
        "jobs": given.jobs,
        "shard": given.shard,
        "cache": not given.no_cache,
        "python": given.python or "",
    }


def _refuse_contradictions(
    parser: argparse.ArgumentParser, given: argparse.Namespace, paths: tuple[str, ...]
) -> None:
    """End with a complaint about options that do not go together."""
    if "-" in paths and len(paths) > 1:
        parser.error("`-` (standard input) cannot be checked together with other paths")
    if given.stdin_filename and "-" not in paths:
        parser.error("--stdin-filename goes with `-`: `devls check - --stdin-filename NAME`")
    if given.python and not given.probe:
        parser.error("--python goes with --probe: it names the Python whose torch is asked")
    if given.isolated and any("=" not in each for each in given.config or ()):
        parser.error("--isolated passes over all files of settings: it does not go with --config FILE")
    shows = [
        name for name in ("--show-files", "--show-settings") if getattr(given, name[2:].replace("-", "_"))
    ]
    if len(shows) > 1 or (shows and (_changes_something(given) or given.shard)):
        parser.error(
            f"{shows[0]} checks nothing: it goes neither with fixes and baselines, nor with another --show"
        )
    if given.watch and (shows or given.shard or "-" in paths or _writes_something(given)):
        parser.error(
            "--watch reports only: it does not go with fixes, --write-baseline, --shard, --show-... and `-`"
        )
    if given.executor and ("-" in paths or given.probe or given.watch):
        parser.error(
            "--executor analyzes files on other machines: it does not go with `-`, --probe and --watch"
        )
    if given.shard and (given.output_format or "-" in paths or _changes_something(given)):
        parser.error("--shard analyzes only; formats, baselines and fixes are for `devls merge` and later")
    if given.add_ignore and (given.fix or given.diff or "-" in paths):
        parser.error("--add-ignore writes into files: it does not go with --fix, --diff and `-`")
    if given.write_baseline and (given.fix or given.diff or given.add_ignore):
        parser.error(
            "--write-baseline changes no program: it does not go with --fix, --diff and --add-ignore"
        )


def _writes_something(given: argparse.Namespace) -> bool:
    return bool(given.fix or given.diff or given.add_ignore or given.write_baseline)


def _changes_something(given: argparse.Namespace) -> bool:
    return bool(_writes_something(given) or given.baseline or given.diff_base or given.probe)


def _shard(text: str) -> tuple[int, int]:
    import argparse  # noqa: PLC0415  it is there already

    number, _, count = text.partition("/")
    if number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count) <= MAX_SHARDS:
        return int(number), int(count)
    raise argparse.ArgumentTypeError(f"has to be such as 2/4, not {text!r}")


def add_merging(parser: argparse.ArgumentParser) -> None:
    """Let a parser know the options of `devls merge`."""
    parser.add_argument(
        "paths", nargs="+", type=_not_empty, metavar="FILE", help="what `devls check --shard K/N` has written"
    )
    _add_new(parser.add_argument_group("what is reported"))
    _add_output(parser)


def merging(parser: argparse.ArgumentParser, given: argparse.Namespace) -> dict[str, Any]:
    """The fields of `Options` that follow from the options of `devls merge`."""
    return {"paths": tuple(given.paths), **_reporting(parser, given)}


def _reporting(parser: argparse.ArgumentParser, given: argparse.Namespace) -> dict[str, Any]:
    return {
        "outputs": _outputs(parser, given),
        "statistics": given.statistics,
        "style": Style(given.color, given.quiet),
        "verbose": given.verbose,
        "baseline": given.baseline or "",
        "write_baseline": given.write_baseline or "",
        "diff_base": given.diff_base or "",
        "exit_zero": given.exit_zero,
        "exit_non_zero_on_fix": given.exit_non_zero_on_fix,
        "fail_level": given.fail_level,
    }


def _outputs(parser: argparse.ArgumentParser, given: argparse.Namespace) -> tuple[Output, ...]:
    """The formats with a file, in order, behind the one that is printed."""
    printed: list[str] = []
    files = []
    for each in given.output_format or ():
        name, equals, file = each.partition("=")
        if equals and not file:
            parser.error(f"argument --output-format: {each} names no file")
        if name not in FORMATS:
            parser.error(
                f"argument --output-format: there is no format {name!r}{did_you_mean(name, FORMATS)}; "
                f"choose from {', '.join(FORMATS)}"
            )
        if file:
            files.append(Output(name, file))
        else:
            printed.append(name)
    # The last one wins, as with other options: a script's own may be followed by the user's.
    first = Output(printed[-1] if printed else "human", given.output_file or "")
    if given.statistics and first.format not in ("human", "concise", "json"):
        parser.error(f"--statistics is printed as human, concise or json, not as {first.format}")
    places = [os.path.normpath(each.file) for each in (first, *files) if each.file]
    for each in places:
        if places.count(each) > 1:
            parser.error(f"--output-format and --output-file: {each} is the file of several formats")
    return (first, *files)


def _names(given: list[str] | None) -> list[str] | None:
    if given is None:
        return None
    return [name.strip() for each in given for name in each.split(",") if name.strip()]
