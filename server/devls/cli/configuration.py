"""The configuration of each file of one command, and what is wrong with it."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from devls.cli import pages
from devls.cli.files import shown
from devls.config import Config, parsed
from devls.project.workspace import normalize
from devls.text.reading import UnreadableFileError, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.cli.arguments import Options
    from devls.cli.complaints import Complaints
    from devls.config import ConfigProblem


class Configuration:
    """Looks up what holds for a file, each folder once."""

    def __init__(self, options: Options, complaints: Complaints) -> None:
        self._overrides = options.overrides
        self._complaints = complaints
        self._known = pages.rule_names()
        self._of_folder: dict[str, Config] = {}
        self._of_file: dict[str, Config] = {}

    @property
    def files(self) -> list[str]:
        """The files that settings were taken from."""
        return sorted({each.file for each in self._of_folder.values() if each.file})

    def mistaken_options(self) -> bool:
        """Whether an option names what there is not; it is said."""
        mistakes = Config().merged(self._overrides, self._known).problems
        for each in mistakes:
            self._complaints.say(f"--{each.key}: {each.message}.")
        return bool(mistakes)

    def of(self, path: str) -> Config:
        """What holds for a file; of a folder, for the files in the one around it."""
        known = self._of_file.get(path)
        if known is None:
            folder = os.path.dirname(normalize(path))  # noqa: PTH120  asked for each import
            known = self._of_file[path] = self._in(folder)
        return known

    def mistaken(self, paths: Iterable[str]) -> bool:
        """Whether the configuration of any of some files is wrong; it is said, with its line."""
        mistakes = dict.fromkeys(each for path in paths for each in self.of(path).problems)
        for each in mistakes:
            self._complaints.say(f"{_told(each)}.")
        return bool(mistakes)

    def _in(self, folder: str) -> Config:
        config = self._of_folder.get(folder)
        if config is None:
            loaded = Config.load(folder, self._known)
            # What the options may hold has been looked at.
            config = replace(loaded.merged(self._overrides, self._known), problems=loaded.problems)
            self._of_folder[folder] = config
        return config


def _told(problem: ConfigProblem) -> str:
    """A problem with the place of its key, as far as it has one."""
    where = shown(problem.file) if os.path.isabs(problem.file) else problem.file  # noqa: PTH117  as it is
    line = _line_of(problem)
    where = f"{where}:{line}" if line else where
    return f"{where}: {problem.key}: {problem.message}" if problem.key else f"{where}: {problem.message}"


_LINE = re.compile(r"\(at line (\d+)")


def _line_of(problem: ConfigProblem) -> int:
    """The line of a problem, from 1; 0 if nobody knows."""
    said = _LINE.search(problem.message)
    if said:
        return int(said[1])
    if not problem.key:
        return 0
    try:
        return line_of(read_text(problem.file), problem.key.split("."))
    except UnreadableFileError:
        return 0


def line_of(text: str, keys: list[str]) -> int:
    """The line, from 1, on which a TOML file gives a key its value; 0 if it does not.

    It ends the first part of the file that parses and has the key.
    """
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if keys[-1] not in line:
            continue
        for end in range(number + 1, len(lines) + 1):
            try:
                content = parsed("".join(lines[:end]))
            except (ValueError, RecursionError):
                continue  # in the middle of a value of several lines
            if _has(content, keys):
                return number + 1
            break
    return 0


def _has(content: object, keys: list[str]) -> bool:
    for each in keys:
        if not isinstance(content, dict) or each not in content:
            return False
        content = content[each]
    return True
