"""Arguments of the command line."""

from __future__ import annotations

import argparse
import os
import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from devls import __version__
from devls.cli import check_options
from devls.cli.complaints import did_you_mean
from devls.cli.formats import Style
from devls.cli.output import OutputError, let_go_of_output, writing_to_output
from devls.cli.outputs import Output
from devls.text.printable import escaped
from devls.values.facts import fact

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SHELLS = ("bash", "zsh", "fish")

_DESCRIPTION = """\
Find device and autograd pitfalls in PyTorch code, without running it.
Without arguments, devls is a language server on standard input and output.

commands:
{commands}

`devls COMMAND --help` tells more. `devls --check` is `devls check`."""

_EPILOG = """\
exit status: 0 nothing found, 1 findings, 2 wrong usage, wrong configuration, or an internal error,
130 interrupted"""


@dataclass(frozen=True)
class Options:
    """The command line, understood."""

    command: str
    """"serve", "check", "merge", "why", "traceback", "gradients", "map", "explain",
    "list-rules" or "completion"."""
    paths: tuple[str, ...] = ()
    line: int = 0
    """Which line `why` asks about, from 1."""
    cell: int = 0
    """The cell of a notebook that it is a line of, from 1; 0 for a file without cells."""
    as_json: bool = False
    """Whether `traceback` or `gradients` answers in JSON."""
    function: str = ""
    """The function or class that `gradients` and `map` ask about; "" for all of a file."""
    destination: str = "-"
    """The file that `map` writes; "-" for standard output."""
    rule: str = ""
    """Subjects of `explain`."""
    shell: str = ""
    """Whose script `completion` prints."""
    outputs: tuple[Output, ...] = (Output("human"),)
    statistics: bool = False
    style: Style = field(default_factory=Style)
    verbose: bool = False
    """Whether it is said what is used, how long it took, and what was not analyzed to its end."""
    overrides: dict[str, Any] = field(default_factory=dict)
    """Settings as `Config.merged` takes them."""
    stdin_filename: str = ""
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    config: tuple[str, ...] = ()
    """A file of settings, and settings as a line of one."""
    isolated: bool = False
    """Whether files of settings are passed over."""
    show_files: bool = False
    show_settings: bool = False
    force_exclude: bool = False
    """Whether what the configuration excludes is left out even if it is named."""
    baseline: str = ""
    """The file with findings that are not reported."""
    write_baseline: str = ""
    """The file that the findings are written to, in place of being reported."""
    diff_base: str = ""
    """The revision since which a line must have changed to be spoken of."""
    add_ignore: bool = False
    exit_zero: bool = False
    exit_non_zero_on_fix: bool = False
    fail_level: str = "info"
    """The lowest level of a finding for which the exit status is 1."""
    debug: bool = False
    probe: bool = False
    """Whether torch is asked about each finding."""
    shard: tuple[int, int] | None = None
    """Which part of the files is analyzed, from 1, and of how many; None: all."""
    executor: str = ""
    """Executor of the analyses ("dask://HOST:PORT"), if not processes on this machine."""
    watch: bool = False
    """Whether it is checked again when a file changes."""
    jobs: int = 0
    """How many processes analyze; 0: as many as there are cores."""
    cache: bool = True
    """Whether what earlier runs have found may be used, and kept for later ones."""
    python: str = ""
    """Whose torch; empty: the first that is found."""


_OPTIONS_ELSEWHERE = {
    "--add-noqa": "--add-ignore",
    "--extend-ignore": "--ignore",
    "--extend-select": "--select",
    "--fix-only": "--fix",
    "--show-fixes": "--diff",
    "--silent": "--quiet",
}
"""Options of other tools, of which another one is meant than the one that is spelt nearly so."""


class Parser(argparse.ArgumentParser):
    """Says how to get help below each complaint, in place of all options above it."""

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print what was asked for (argparse takes no notice of a full disk) or a complaint."""
        if file is not sys.stdout:
            super()._print_message(message, file)
            return
        try:
            with writing_to_output():
                file.write(message)
                file.flush()
        except BrokenPipeError:
            let_go_of_output()  # whoever reads has seen enough
        except OutputError as error:
            let_go_of_output()
            self.exit(2, f"devls: cannot write to standard output: {error}.\n")

    def error(self, message: str) -> NoReturn:
        """Print a complaint, and exit with 2."""
        self.exit(2, f"devls: {escaped(message)}{self._meant(message)}\nTry `{self.prog} --help`.\n")

    def _meant(self, message: str) -> str:
        """For an option that there is not, one that is spelt nearly so."""
        wrong = re.match(r"unrecognized arguments: (--[\w-]+)", message)
        if wrong is None:
            return ""
        known = self._option_string_actions
        elsewhere = _OPTIONS_ELSEWHERE.get(wrong[1])
        return did_you_mean(elsewhere if elsewhere in known else wrong[1], known)


@fact
class Command:
    """One command: what `--help` says of it, its options, and what is made of them."""

    summary: str
    add: Callable[[argparse.ArgumentParser], None]
    understood: Callable[[argparse.ArgumentParser, argparse.Namespace], Options]


def parse(argv: Sequence[str]) -> Options:
    """Read the command line.

    Raises:
        SystemExit: with status 2 after a complaint, with 0 after `--help` and `--version`.
    """
    argv = _without_end_of_options(argv)
    argv = _as_elsewhere(argv)
    first = argv[0] if argv else ""
    if first.startswith("-") or not argv or "--check" in argv:
        return _flat(argv)
    if first not in COMMANDS:
        _no_such_command(first, argv)
    command = COMMANDS[first]
    parser = Parser(f"devls {first}", description=_sentence(command.summary), allow_abbrev=False)
    command.add(parser)
    return command.understood(parser, parser.parse_intermixed_args(list(argv[1:])))


def _without_end_of_options(argv: Sequence[str]) -> list[str]:
    """The command line without its `--`: what stands behind it are paths, which are spelled so that none looks like an option."""
    at = list(argv).index("--") if "--" in argv else len(argv)
    paths = [f"./{each}" if each.startswith("-") and each != "-" else each for each in argv[at + 1 :]]
    return [*argv[:at], *paths]


def _as_elsewhere(argv: Sequence[str]) -> list[str]:
    """The command line with commands as they are here that other tools have under another name, unless it is a file's."""
    first = argv[0] if argv else ""
    if first not in _ELSEWHERE or os.path.exists(first):  # noqa: PTH110
        return list(argv)
    return [
        *(argv[1:2] if first == "help" else ()),
        _ELSEWHERE[first],
        *(argv[1:] if first == "rule" else ()),
    ]


_ELSEWHERE = {"help": "--help", "rule": "explain", "version": "--version"}


def _no_such_command(name: str, argv: Sequence[str]) -> NoReturn:
    parser = Parser("devls")
    # A name may hold what no path can.
    if os.path.exists(name) or {"/", os.sep, "."} & set(name):  # noqa: PTH110
        parser.error(f"to check files, write `devls check {' '.join(argv)}`")
    meant = did_you_mean(name, COMMANDS) or ", and no file or folder of that name either"
    parser.error(f"there is no command {name!r}{meant}")


def _flat(argv: Sequence[str]) -> Options:
    """The options without a command: `devls --check`, and the language server."""
    parser = flat_parser()
    # Intermixed: `devls --check a.py --fix b.py` is no mistake.
    given = parser.parse_intermixed_args(list(argv))
    if given.explain:
        return Options("explain", rule=given.explain)
    if given.list_rules:
        return Options("list-rules")
    if given.check:
        return _checking(parser, given)
    if given.paths:
        parser.error(f"to check files, write `devls check {' '.join(given.paths)}`")
    return Options("serve")


def _checking(parser: argparse.ArgumentParser, given: argparse.Namespace) -> Options:
    return Options("check", **check_options.understood(parser, given))


def flat_parser() -> argparse.ArgumentParser:
    """The parser of the options without a command."""
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:{width}}  {each.summary}" for name, each in COMMANDS.items())
    parser = Parser(
        "devls",
        usage="devls COMMAND [OPTION ...]\n       devls --check [OPTION ...] [PATH ...]\n       devls",
        description=_DESCRIPTION.format(commands=commands),
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--check", action="store_true", help="check files and folders")
    parser.add_argument("-V", "--version", action="version", version=f"devls {__version__}")
    parser.add_argument("--list-rules", action="store_true", help="print the rules, and exit")
    parser.add_argument("--explain", metavar="RULE", help="print the page of a rule, and exit")
    _add_stdio(parser)
    check_options.add(parser)
    return parser


def _add_stdio(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help=argparse.SUPPRESS)  # what some clients add


def _add_rule(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rule", metavar="RULE", help="the name of a rule")


def _add_shell(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell that the script is for")


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "place",
        metavar="FILE:LINE",
        help="a file, and a line of it, from 1; a column behind it is passed over",
    )
    parser.add_argument("--debug", action="store_true", help="print a traceback when devls itself fails")


def _asked_about(parser: argparse.ArgumentParser, given: argparse.Namespace) -> Options:
    path, _, line = given.place.rpartition(":")
    place, _, before = path.rpartition(":")
    if place and before.isdigit() and not os.path.exists(path):  # noqa: PTH110  a place as findings have it
        path, line = place, before
    if not path or not line.isascii() or not line.isdigit() or int(line) == 0:
        parser.error(f"{given.place} names no line: write `devls why FILE:LINE`")
    cell = re.search(r":cell ([1-9]\d{0,6})\Z", path, re.ASCII)
    if cell:
        path = path[: cell.start()]
    return Options("why", (path,), line=int(line), cell=int(cell[1]) if cell else 0, debug=given.debug)


def _add_traceback(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        default="-",
        help="a file with a traceback; standard input if left out",
    )
    parser.add_argument("--output-format", choices=("human", "json"), default="human", help="how to answer")
    parser.add_argument("--debug", action="store_true", help="print a traceback when devls itself fails")


def _add_definition(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("place", metavar="FILE[::NAME]", help="a file, and a function or class of it")
    parser.add_argument("--debug", action="store_true", help="print a traceback when devls itself fails")


def _add_gradients(parser: argparse.ArgumentParser) -> None:
    _add_definition(parser)
    parser.add_argument("--output-format", choices=("human", "json"), default="human", help="how to answer")


def _add_map(parser: argparse.ArgumentParser) -> None:
    _add_definition(parser)
    parser.add_argument(
        "--output", metavar="FILE", default="-", help="where to write; `-` for standard output"
    )


def _of_definition(command: str, given: argparse.Namespace) -> Options:
    path, _, name = given.place.partition("::")
    return Options(
        command,
        (path,),
        function=name,
        as_json=getattr(given, "output_format", "") == "json",
        destination=getattr(given, "output", "-"),
        debug=given.debug,
    )


def _add_nothing(parser: argparse.ArgumentParser) -> None:
    del parser


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


COMMANDS = {
    "check": Command("check files and folders", check_options.add, _checking),
    "merge": Command(
        "print what the parts of a check have found together",
        check_options.add_merging,
        lambda parser, given: Options("merge", **check_options.merging(parser, given)),
    ),
    "why": Command(
        "say what was considered on a line, what it rests on, and what silenced it",
        _add_place,
        _asked_about,
    ),
    "traceback": Command(
        "find the line that caused an error of torch, from its traceback",
        _add_traceback,
        lambda _, given: Options(
            "traceback", (given.file,), as_json=given.output_format == "json", debug=given.debug
        ),
    ),
    "gradients": Command(
        "tell which losses give gradients to which parameters, and why others get none",
        _add_gradients,
        lambda _, given: _of_definition("gradients", given),
    ),
    "map": Command(
        "draw the same as a flowchart of mermaid's",
        _add_map,
        lambda _, given: _of_definition("map", given),
    ),
    "explain": Command(
        "print the page of a rule", _add_rule, lambda _, given: Options("explain", rule=given.rule)
    ),
    "rules": Command("print the rules", _add_nothing, lambda _, __: Options("list-rules")),
    "server": Command(
        "be a language server on standard input and output", _add_stdio, lambda _, __: Options("serve")
    ),
    "completion": Command(
        "print a script that completes commands and options in a shell",
        _add_shell,
        lambda _, given: Options("completion", shell=given.shell),
    ),
}
