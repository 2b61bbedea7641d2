"""What is reported, and how loudly: defaults, `[tool.devls]` of the nearest pyproject.toml, flags and settings."""

from __future__ import annotations

import functools
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

FAMILIES = ("device", "autograd", "training", "comments")
LEVELS = ("error", "warning", "info", "off")
FILE_NAME = "pyproject.toml"

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
    """What holds for one file. Rules are named by rule or by family; a rule's own entry wins."""

    levels: tuple[tuple[str, str], ...] = ()
    """(rule or family, "error" | "warning" | "info" | "off")."""
    select: tuple[str, ...] = ()
    """Only these are reported; all if empty. A rule named here is reported even if it is off by default."""
    ignore: tuple[str, ...] = ()
    """These are not reported, whatever `select` says."""
    exclude: tuple[str, ...] = ()
    """Patterns as in .gitignore, relative to `root`, of files that are not checked unless named."""
    show_possible: bool = False
    """Whether findings on some path only are shown."""
    src: tuple[str, ...] = ()
    """Folders (absolute paths) in which the project's modules are looked for, besides the file's own."""
    torch_version: str = ""
    """The oldest release of torch ("2.4") that the project supports; empty: the one in its environment."""
    root: str = ""
    """The folder of the pyproject.toml; empty if there is none."""
    problems: tuple[ConfigProblem, ...] = ()

    @staticmethod
    def load(path: str, known: Collection[str] = ()) -> Config:
        """The configuration of a file or folder: that of the nearest pyproject.toml with a `[tool.devls]`.

        `known` are the names of rules; if there are any, other names are problems. Never raises.
        """
        start = Path(path).absolute()
        for folder in (start, *start.parents):
            config = _load_file(str(folder / FILE_NAME), _stamp(folder / FILE_NAME), frozenset(known))
            if config is not None:
                return config
        return Config()

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


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


# A check of a folder asks for the same few files once per file it checks.
@functools.lru_cache(maxsize=256)
def _load_file(path: str, stamp: tuple[int, int] | None, known: frozenset[str]) -> Config | None:
    """The configuration in one file; None if it has none."""
    if stamp is None:
        return None
    root = str(Path(path).parent)
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        return Config(root=root, problems=(ConfigProblem(path, "", f"cannot be read: {error.strerror}"),))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return Config(root=root, problems=(ConfigProblem(path, "", f"is not valid TOML: {error}"),))
    tool = content.get("tool")
    table = tool.get("devls") if isinstance(tool, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        return Config(root=root, problems=(ConfigProblem(path, "tool.devls", "has to be a table"),))
    return _apply(Config(root=root), table, path, root, known)


def _apply(config: Config, table: Mapping[str, Any], origin: str, root: str, known: frozenset[str]) -> Config:
    reader = _Reader(origin, known, "tool.devls." if origin.endswith(FILE_NAME) else "")
    changes: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name == "levels":
            changes["levels"] = tuple({**dict(config.levels), **reader.levels(key, value)}.items())
        elif name in ("select", "ignore"):
            changes[name] = reader.rules(key, value)
        elif name == "exclude":
            changes[name] = reader.strings(key, value)
        elif name == "src":
            folders = reader.strings(key, value)
            changes[name] = tuple(str(Path(root or ".", each).absolute()) for each in folders)
        elif name == "torch_version":
            changes[name] = reader.version(key, value)
        elif name == "show_possible":
            changes[name] = reader.flag(key, value, config.show_possible)
        else:
            reader.problem(key, "is not a known setting")
    return replace(config, **changes, problems=(*config.problems, *reader.problems))


class _Reader:
    """Reads values, and notes what is wrong with them."""

    def __init__(self, origin: str, known: frozenset[str], prefix: str) -> None:
        self.problems: list[ConfigProblem] = []
        self._origin, self._known, self._prefix = origin, known, prefix

    def problem(self, key: str, message: str) -> None:
        self.problems.append(ConfigProblem(self._origin, self._prefix + key, message))

    def flag(self, key: str, value: object, default: bool) -> bool:
        if isinstance(value, bool):
            return value
        self.problem(key, f"has to be true or false, not {value!r}")
        return default

    def version(self, key: str, value: object) -> str:
        if isinstance(value, str) and re.match(r"\d+\.\d+", value):
            return value
        self.problem(key, f'has to be a release such as "2.4", not {value!r}')
        return ""

    def strings(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)):
            self.problem(key, f"has to be a list of strings, not {value!r}")
            return ()
        for each in value:
            if not isinstance(each, str):
                self.problem(key, f"has to hold strings, not {each!r}")
        return tuple(each for each in value if isinstance(each, str))

    def rules(self, key: str, value: object) -> tuple[str, ...]:
        return tuple(name for name in self.strings(key, value) if self._is_known(key, name))

    def levels(self, key: str, value: object) -> dict[str, str]:
        if not isinstance(value, dict):
            self.problem(key, f'has to be a table such as {{"mixed-devices" = "error"}}, not {value!r}')
            return {}
        found = {}
        for name, level in value.items():
            if not self._is_known(f"{key}.{name}", str(name)):
                continue
            if level in LEVELS:
                found[str(name)] = str(level)
            else:
                self.problem(f"{key}.{name}", f"has to be one of {', '.join(LEVELS)}, not {level!r}")
        return found

    def _is_known(self, key: str, name: str) -> bool:
        if not self._known or name in self._known or name in FAMILIES:
            return True
        self.problem(key, f"there is no rule or family named {name!r}{_suggestion(name, self._known)}")
        return False


def _suggestion(name: str, known: Collection[str]) -> str:
    import difflib  # noqa: PLC0415  needed by mistakes only

    close = difflib.get_close_matches(name, [*known, *FAMILIES], 1)
    return f" (did you mean {close[0]!r}?)" if close else ""
