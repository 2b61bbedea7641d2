"""Selection and levels of findings: defaults, devls.toml or `[tool.devls]` in a pyproject.toml, flags, settings."""

from __future__ import annotations

import functools
import os
import re
import reprlib
import sys
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover
    import tomli as tomllib

from devls import settings
from devls.text.patterns import MAX_PATTERNS, Patterns
from devls.text.reading import UnreadableFileError, read

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

FAMILIES = settings.FAMILIES
LEVELS = settings.LEVELS
COMMAND_LINE_RULES = settings.COMMAND_LINE_RULES

FILE_NAME = "pyproject.toml"
OWN_NAME = "devls.toml"
"""A file of settings alone; in one folder it comes before a pyproject.toml."""

MAX_EXTENDED = 10
"""Files that extend one another."""

MAX_FILE_BYTES = 1024 * 1024
"""Of a pyproject.toml. Python's TOML parser needs seconds for one of this size, and nobody writes one of a tenth."""

MAX_PROBLEMS = 20
"""Of one file, that are named."""

MAX_SRC = 50
"""Folders in `src`: each import of each file looks into all of them."""

# Not worth a look in anybody's project: what tools install, build or remember.
NEVER_CHECKED = (
    ".*/",
    "__pycache__/",
    "__pypackages__/",
    "node_modules/",
    "site-packages/",
    "venv/",
    "*.egg-info/",
)


@dataclass(frozen=True)
class ConfigProblem:
    """A value that cannot be used, and is not; everything else is."""

    file: str
    """The path of the file, or what the values came from: "command line", "editor settings"."""
    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.key}: {self.message}" if self.key else f"{self.file}: {self.message}"


@dataclass(frozen=True)
class Config:
    """Configuration of one file. Rules are named by rule or by family; a rule's own entry wins."""

    levels: tuple[tuple[str, str], ...] = ()
    """(rule or family, "error" | "warning" | "info" | "off")."""
    select: tuple[str, ...] = ()
    """Only these are reported; all if empty. A rule named here is reported even if it is off by default."""
    ignore: tuple[str, ...] = ()
    """These are not reported, whatever `select` says."""
    exclude: tuple[str, ...] = ()
    """Patterns as in .gitignore, relative to `root`, of files that are not checked unless named."""
    include: tuple[str, ...] = ()
    """Such patterns of the files that are checked in a folder; those that end in `.py` or `.ipynb` if there are none."""
    force_exclude: bool = False
    """Whether what is excluded is left out even if it is named."""
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Such patterns, each with what is ignored in the files that it matches; `of_file` is what holds for one."""
    show_possible: bool = False
    """Whether findings on some path only are shown."""
    src: tuple[str, ...] = ()
    """Folders (absolute paths) in which the project's modules are looked for, besides the file's own."""
    torch_version: str = ""
    """The oldest release of torch ("2.4") that the project supports; empty: the one in its environment."""
    root: str = ""
    """The folder of the file of settings; empty if there is none."""
    file: str = ""
    """The path of that file; empty if there is none."""
    problems: tuple[ConfigProblem, ...] = ()

    @staticmethod
    def load(path: str, known: Collection[str] = ()) -> Config:
        """The configuration of a file or folder: that of the nearest devls.toml, or pyproject.toml with a `[tool.devls]`.

        `known` are the names of rules; if there are any, other names are problems. Settings of single files are not in
        it: see `of_file`. Never raises.
        """
        start = Path(path).absolute()
        for folder in (start, *start.parents):
            for name in (OWN_NAME, FILE_NAME):
                file = os.path.join(folder, name)  # noqa: PTH118
                stamp = _stamp(file)
                if stamp is None:
                    continue
                table, problem = _table(file, stamp)
                if table is not None or problem is not None:
                    return _load_chain(_chain(file, stamp), "", frozenset(known))
        return Config()

    @staticmethod
    def load_file(file: str, root: str, known: Collection[str] = ()) -> Config:
        """The configuration in one file, with patterns relative to the folder `root`. Never raises."""
        file = os.path.abspath(file)  # noqa: PTH100  links stay as they are
        return _load_chain(_chain(file, _stamp(file)), root, frozenset(known))

    def of_file(self, path: str) -> Config:
        """Configuration of a single file."""
        if not self.per_file_ignores or not self.root:
            return self
        relative = os.path.relpath(path, self.root).replace(os.sep, "/")
        ignored = [
            name
            for pattern, names in self.per_file_ignores
            if _patterns(pattern).excludes(relative)
            for name in names
        ]
        return replace(self, ignore=(*self.ignore, *ignored)) if ignored else self

    def merged(
        self, overrides: Mapping[str, Any], known: Collection[str] = (), origin: str = "command line"
    ) -> Config:
        """With `overrides` over it: the keys of `[tool.devls]`; None and absent keys leave what is there.

        `select` and `ignore` replace; levels are united, key by key. `origin` is named in problems.
        """
        given = {key: value for key, value in overrides.items() if value is not None}
        return _apply(self, given, origin, self.root, frozenset(known))

    def level(self, rule: str, family: str, default: str) -> str:
        """The level at which a rule is reported, "off" if it is not."""
        if rule in self.ignore or (family in self.ignore and rule not in self.select):
            return "off"
        if self.select and rule not in self.select and family not in self.select:
            return "off"
        levels = dict(self.levels)
        level = levels.get(rule) or levels.get(family) or default
        if level == "off" and rule in self.select:
            return default if default != "off" else "warning"
        return level


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116  asked for each folder above each file
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


@functools.lru_cache(maxsize=2 * MAX_PATTERNS)  # each file asks all of a list, which others may follow
def _patterns(pattern: str) -> Patterns:
    return Patterns([pattern])


# A check of a folder asks for the same few files once per file it checks.
@functools.lru_cache(maxsize=256)
def _table(path: str, stamp: tuple[int, int] | None) -> tuple[dict[str, Any] | None, ConfigProblem | None]:
    """The settings in one file, as they are written; None if it has none, or what is wrong with it."""
    if stamp is None:
        return None, ConfigProblem(path, "", "does not exist")
    try:
        content = parsed(read(path, MAX_FILE_BYTES).decode("utf-8"))
    except UnreadableFileError as error:
        return None, ConfigProblem(path, "", f"is not used: {error.reason}")
    except RecursionError:
        return None, ConfigProblem(path, "", "is not used: it is nested too deeply")
    except (ValueError, OverflowError, MemoryError) as error:
        # Of a ValueError there are three: no UTF-8, no TOML, and a number that is too long for Python.
        said = f"is not valid TOML: {_short(str(error) or type(error).__name__)}"
        return None, ConfigProblem(path, "", said)
    if not path.endswith(FILE_NAME):
        return content, None
    tool = content.get("tool")
    table = tool.get("devls") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        return None, ConfigProblem(path, "tool.devls", "has to be a table")
    return table, None


def _chain(path: str, stamp: tuple[int, int] | None) -> tuple[tuple[str, tuple[int, int] | None], ...]:
    """A file and those that it extends, each with its stamp; one that is there already ends it."""
    chain = [(path, stamp)]
    while len(chain) <= MAX_EXTENDED:
        last, stamp = chain[-1]
        table, _ = _table(last, stamp)
        extended = table.get("extend") if table else None
        if not isinstance(extended, str) or "\0" in extended:
            break
        above = os.path.normpath(os.path.join(os.path.dirname(last), os.path.expanduser(extended)))  # noqa: PTH111, PTH118, PTH120
        seen = above in [each for each, _ in chain]
        chain.append((above, _stamp(above)))
        if seen:
            break
    return tuple(chain)


@functools.lru_cache(maxsize=256)
def _load_chain(
    chain: tuple[tuple[str, tuple[int, int] | None], ...], root: str, known: frozenset[str]
) -> Config:
    """The settings of files that extend one another, the first over the others."""
    first = chain[0][0]
    config = Config(root=root or str(Path(first).parent), file=first)
    if len(chain) > 1 and (chain[-1][0] in [each for each, _ in chain[:-1]] or len(chain) > MAX_EXTENDED):
        key = _prefix(first) + "extend"
        return replace(config, problems=(ConfigProblem(first, key, "leads back to a file that is extended"),))
    for path, stamp in reversed(chain):
        table, problem = _table(path, stamp)
        if problem is not None:
            config = replace(config, problems=(*config.problems, problem))
        elif table is not None:
            # Patterns are those of the file that is found; folders are named as seen from where they are written.
            config = _apply(config, table, path, str(Path(path).parent), known)
    return config


def _prefix(origin: str) -> str:
    return "tool.devls." if origin.endswith(FILE_NAME) else ""


def parsed(text: str) -> dict[str, Any]:
    """The content of a TOML file.

    Raises:
        ValueError: if it is none, or has keys of too many parts.
    """
    long = _LONG_KEY.search(text)
    if long:
        line = text.count("\n", 0, long.start()) + 1
        message = f"a key has more than {_KEY_PARTS} parts (at line {line})"
        raise ValueError(message)
    try:
        content: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said, end, _ = str(error).partition(" (at end of document)")
        if not end:
            raise
        message = f"{said} (at line {text.rstrip().count(chr(10)) + 1}, where it ends)"
        raise ValueError(message) from None
    return content


_KEY_PARTS = 64
# Python's parser takes the square of the number of parts: minutes for 100 KB.
_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){64}""")


def _apply(config: Config, table: Mapping[str, Any], origin: str, root: str, known: frozenset[str]) -> Config:
    reader = _Reader(origin, known, _prefix(origin))
    changes: dict[str, Any] = {}
    added: tuple[str, ...] = ()
    for key, value in table.items():
        name = key.replace("_", "-")
        setting = _SETTINGS.get(name)
        if setting is None:
            reader.problem(key, f"is not a known setting{_similar(key, settings.NAMES)}")
        elif name == "extend-exclude":
            added = reader.patterns(key, value)
        elif name == "extend":
            reader.path(key, value)
        else:
            field = name.replace("-", "_")
            changes[field] = reader.value(setting.kind, key, value, getattr(config, field), root)
    if added:
        changes["exclude"] = (*changes.get("exclude", config.exclude), *added)
    return replace(config, **changes, problems=(*config.problems, *reader.problems))


_SETTINGS = {each.name: each for each in settings.SETTINGS}


class _Reader:
    """Reads values, and notes what is wrong with them."""

    def __init__(self, origin: str, known: frozenset[str], prefix: str) -> None:
        self.problems: list[ConfigProblem] = []
        self._origin, self._known, self._prefix = origin, known, prefix

    def problem(self, key: str, message: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(ConfigProblem(self._origin, self._prefix + key, message))
        elif len(self.problems) == MAX_PROBLEMS:
            self.problems.append(ConfigProblem(self._origin, "", "more is wrong with it, and not named"))

    def value(self, kind: str, key: str, value: object, before: Any, root: str) -> object:
        """Merged value of a setting; `before` is what it was so far."""
        if kind == "levels":
            return tuple({**dict(before), **self.levels(key, value)}.items())
        if kind == "rules-by-pattern":
            return (*before, *self.rules_by_pattern(key, value))
        if kind == "rules":
            return self.rules(key, value)
        if kind == "patterns":
            return self.patterns(key, value)
        if kind == "folders":
            return self.folders(key, value, root)
        return self.version(key, value) if kind == "release" else self.flag(key, value, before)

    def path(self, key: str, value: object) -> None:
        if not isinstance(value, str) or "\0" in value:
            self.problem(key, f"has to be the path of a file, not {_shown(value)}")

    def rules_by_pattern(self, key: str, value: object) -> list[tuple[str, tuple[str, ...]]]:
        if not isinstance(value, dict):
            self.problem(key, f'has to be a table such as {{"tests/" = ["device"]}}, not {_shown(value)}')
            return []
        for problem in Patterns(value).problems:
            self.problem(f"{key}.{problem.pattern}", f"is not used: {problem.reason}")
        self._require_patterns(key, value)
        used = islice(value.items(), MAX_PATTERNS)
        return [(pattern, self.rules(f"{key}.{pattern}", names)) for pattern, names in used]

    def flag(self, key: str, value: object, default: bool) -> bool:
        if isinstance(value, bool):
            return value
        self.problem(key, f"has to be true or false, not {_shown(value)}")
        return default

    def version(self, key: str, value: object) -> str:
        if isinstance(value, str) and re.match(r"\d+\.\d+", value):
            return value
        self.problem(key, f'has to be a release such as "2.4", not {_shown(value)}')
        return ""

    def strings(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)):
            self.problem(key, f"has to be a list of strings, not {_shown(value)}")
            return ()
        for each in value:
            if not isinstance(each, str):
                self.problem(key, f"has to hold strings, not {_shown(each)}")
        return tuple(each for each in value if isinstance(each, str))

    def patterns(self, key: str, value: object) -> tuple[str, ...]:
        found = self.strings(key, value)
        for each in Patterns(found).problems:
            self.problem(key, f"{_shown(each.pattern)} is not used: {each.reason}")
        self._require_patterns(key, found)
        return found

    def _require_patterns(self, key: str, lines: Iterable[str]) -> None:
        for each in lines:
            if not each.strip() or each.startswith("#"):
                self.problem(key, f"{_shown(each)} matches nothing: it is no pattern in a .gitignore either")

    def folders(self, key: str, value: object, root: str) -> tuple[str, ...]:
        named = self.strings(key, value)
        for each in named:
            if "\0" in each:
                self.problem(key, f"{_shown(each)} is no path")
        if len(named) > MAX_SRC:
            self.problem(key, f"has to name at most {MAX_SRC} folders, not {len(named)}")
        return tuple(str(Path(root or ".", each).absolute()) for each in named[:MAX_SRC] if "\0" not in each)

    def rules(self, key: str, value: object) -> tuple[str, ...]:
        return tuple(name for name in self.strings(key, value) if self._is_known(key, name))

    def levels(self, key: str, value: object) -> dict[str, str]:
        if not isinstance(value, dict):
            self.problem(key, f'has to be a table such as {{"mixed-devices" = "error"}}, not {_shown(value)}')
            return {}
        found = {}
        for name, level in value.items():
            if not self._is_known(f"{key}.{name}", str(name)):
                continue
            if level in LEVELS:
                found[str(name)] = str(level)
            else:
                self.problem(f"{key}.{name}", f"has to be one of {', '.join(LEVELS)}, not {_shown(level)}")
        return found

    def _is_known(self, key: str, name: str) -> bool:
        if not self._known or name in self._known or name in FAMILIES:
            return True
        if len(self.problems) > MAX_PROBLEMS:
            return False
        self.problem(key, f"there is no rule or family named {_shown(name)}{_suggestion(name, self._known)}")
        return False


def _shown(value: object) -> str:
    """A value in a message: the beginning of one that is long or deep."""
    return _short(reprlib.repr(value))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


_LONGEST = 200


def _suggestion(name: str, known: Collection[str]) -> str:
    if name.upper() == "ALL":
        return " (all rules are reported where `select` is empty)"
    return _similar(name, [*known, *FAMILIES])


def _similar(name: str, known: Collection[str]) -> str:
    import difflib  # noqa: PLC0415  needed by mistakes only

    close = difflib.get_close_matches(name, known, 1)
    return f" (did you mean {close[0]!r}?)" if close else ""
