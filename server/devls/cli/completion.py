"""`devls completion`: scripts by which shells complete commands, options and names of rules."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from devls.cli import pages
from devls.cli.arguments import COMMANDS, flat_parser
from devls.cli.check_options import FORMATS
from devls.config import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Iterable

_FILES = ("PATH", "FILE", "FILE|SETTING")
"""The words that stand for paths in `--help`."""


class MissingError(Exception):
    """The package that writes the scripts is not installed."""


def script(shell: str) -> str:
    """The script for a shell: "bash", "zsh" or "fish".

    Raises:
        MissingError: if shtab is not installed.
    """
    try:
        import shtab  # noqa: PLC0415  needed by this command only
    except ImportError:
        raise MissingError("`devls completion` needs the package shtab") from None
    parser = _parser()
    for each in _all_actions(parser):
        if each.metavar in _FILES:
            each.complete = shtab.FILE  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell=shell))


def _parser() -> argparse.ArgumentParser:
    """One parser of everything that may be typed, with names of rules as choices."""
    parser = flat_parser()
    known = sorted(pages.rule_names())
    # shtab takes the first positional argument for the command.
    for each in [each for each in parser._actions if each.dest == "paths"]:  # noqa: SLF001
        parser._remove_action(each)  # noqa: SLF001
    commands = parser.add_subparsers(metavar="COMMAND")
    for name, command in COMMANDS.items():
        command.add(commands.add_parser(name, help=command.summary, description=command.summary))
    for each in _all_actions(parser):
        if each.dest == "output_format":
            each.metavar, each.choices = None, FORMATS
        if each.metavar == "RULE":
            # A metavar would hide the choices from shtab.
            each.metavar = None
            each.choices = known if each.dest in ("rule", "explain") else [*FAMILIES, *known]
    return parser


def _all_actions(parser: argparse.ArgumentParser) -> Iterable[argparse.Action]:
    for each in parser._actions:  # noqa: SLF001  the only way to them
        if isinstance(each, argparse._SubParsersAction):  # noqa: SLF001
            for inner in dict.fromkeys(each.choices.values()):
                yield from _all_actions(inner)
        yield each
