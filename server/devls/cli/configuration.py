"""The configuration of each file of one command, and what is wrong with it."""

from __future__ import annotations

import contextlib
import json
import os
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from devls import settings
from devls.cli import pages
from devls.cli.complaints import CommandError
from devls.config import Config, parsed
from devls.files import shown
from devls.project.workspace import normalize
from devls.text.printable import escaped
from devls.text.reading import UnreadableFileError, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.cli.arguments import Options
    from devls.cli.complaints import Complaints
    from devls.config import ConfigProblem


class Configuration:
    """Looks up what holds for a file, each folder once."""

    def __init__(self, options: Options, complaints: Complaints) -> None:
        """Understand the options.

        Raises:
            CommandError: if `--config` is neither a file nor settings.
        """
        self._here = str(Path.cwd())
        self._isolated = options.isolated
        self._only = ""
        """The file that was named; empty: those that are found."""
        self._given: dict[str, Any] = {}
        for each in options.config:
            if os.path.exists(each) or "=" not in each:  # noqa: PTH110
                self._only = each
            else:
                self._given |= _settings_in(each)
        if self._only and not os.path.isfile(self._only):  # noqa: PTH113
            raise CommandError(
                f"--config {self._only}: there is no such file, and a setting is `name = value`"
            )
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
        given = Config().merged(self._given, self._known).problems
        for each in given:
            self._complaints.say(f"--config: {each.key}: {each.message}.")
        mistakes = Config().merged(self._overrides, self._known).problems
        for each in mistakes:
            self._complaints.say(f"--{each.key.replace('_', '-')}: {each.message}.")
        return bool(given or mistakes)

    def of(self, path: str) -> Config:
        """Configuration of a file; for a folder, that of the files in the one around it."""
        known = self._of_file.get(path)
        if known is None:
            folder = os.path.dirname(normalize(path))  # noqa: PTH120  asked for each import
            known = self._of_file[path] = self._in(folder).of_file(normalize(path))
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
            loaded = self._loaded(folder)
            config = loaded.merged(self._given, self._known).merged(self._overrides, self._known)
            # The values of the options have been checked.
            config = replace(config, root=config.root or self._here, problems=loaded.problems)
            self._of_folder[folder] = config
        return config

    def _loaded(self, folder: str) -> Config:
        if self._only:
            return Config.load_file(self._only, self._here, self._known)
        return Config() if self._isolated else Config.load(folder, self._known)


def _settings_in(text: str) -> dict[str, Any]:
    """Settings given as options.

    Raises:
        CommandError: if it is no TOML.
    """
    try:
        return parsed(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"--config {text!r} is neither a file nor a setting: {error}") from None


def written(config: Config) -> str:
    """The settings of a file as a devls.toml that has the same effect where `config.root` is."""
    lines = [f"# {escaped(config.file) or 'no file of settings'}"]
    names = {each.name for each in fields(config)}
    for setting in settings.SETTINGS:
        name = setting.name.replace("-", "_")
        if name in names:
            lines.append(f"{setting.name} = {_toml(getattr(config, name), setting.kind)}")
    return "\n".join(lines) + "\n"


def _toml(value: Any, kind: str) -> str:
    if kind == "rules-by-pattern":
        return _inline({pattern: _toml(rules, "rules") for pattern, rules in value})
    if kind == "levels":
        return _inline({name: _toml(level, "") for name, level in value})
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(each, '') for each in value)}]"
    # Strings and truth values are written in TOML as in JSON, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _inline(values: dict[str, str]) -> str:
    said = ", ".join(f"{json.dumps(name, ensure_ascii=False)} = {value}" for name, value in values.items())
    return f"{{ {said} }}" if said else "{}"


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
        text = read_text(problem.file)
    except UnreadableFileError:
        return 0
    return line_of(text, problem.key.split("."))


_MAX_CHARACTERS = 64 * 1024
"""Of a file in which lines are looked for; those that people write have a tenth."""

_MAX_PARSED = 2 * _MAX_CHARACTERS
"""Characters that are parsed for one key, in parts of the file: a tenth of a second."""


def line_of(text: str, keys: list[str]) -> int:
    """The line, from 1, on which a TOML file gives a key its value; of a key with dots of its own, that of the table.

    It ends the first part of the file that parses and has the key. 0 if none has, or if that takes too long to tell.
    """
    if len(text) > _MAX_CHARACTERS:
        return 0
    lines = text.splitlines(keepends=True)
    left = _MAX_PARSED
    for end in range(len(keys), 0, -1):
        for number, line in enumerate(lines):
            if keys[end - 1] not in line:
                continue
            found, left = _has_from(lines, number, keys[:end], left)
            if found:
                return number + 1
            if left < 0:
                return 0
    return 0


def _has_from(lines: list[str], number: int, keys: list[str], left: int) -> tuple[bool, int]:
    """Whether the first part of a file that ends with a line, or behind it, and parses, has a key; and the characters left to parse."""
    for end in range(number + 1, len(lines) + 1):
        part = "".join(lines[:end])
        left -= len(part)
        if left < 0:
            break
        with contextlib.suppress(
            ValueError, RecursionError
        ):  # raised in the middle of a value of several lines
            return _has(parsed(part), keys), left
    return False, left


def _has(content: object, keys: list[str]) -> bool:
    for each in keys:
        if not isinstance(content, dict) or each not in content:
            return False
        content = content[each]
    return True
