"""The settings that a project may have: the one list of them, from which the reader, the schema and the documentation are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Collection

FAMILIES: Final = ("device", "autograd", "training", "comments")
LEVELS: Final = ("error", "warning", "info", "off")

COMMAND_LINE_RULES: Final = ("syntax-error", "unreadable-file", "hidden-torch")
"""Reports of the command line itself: no rules of the analyzer, but named like them in settings and comments."""

REVEALED: Final = "revealed-value"
"""Report of `reveal_value(...)`: no rule, but it can be named like one."""


@dataclass(frozen=True)
class Setting:
    """One setting of `[tool.devls]` or a devls.toml."""

    name: str
    kind: str
    """How its value is read: one of the keys of `_KINDS`, "rules", "levels" or "rules-by-pattern"."""
    summary: str
    example: str
    """A value, as TOML has it."""


SETTINGS: Final = (
    Setting(
        "select", "rules", "Report these rules or families only; all if empty.", '["device", "autograd"]'
    ),
    Setting(
        "ignore",
        "rules",
        "Never report these rules or families, whatever is selected.",
        '["host-read-on-device"]',
    ),
    Setting(
        "levels",
        "levels",
        "The level of a rule or a family. A rule's own entry wins.",
        '{ training = "info" }',
    ),
    Setting(
        "per-file-ignores",
        "rules-by-pattern",
        "Rules or families that are not reported in files that a pattern matches.",
        '{ "tests/" = ["hard-coded-device"] }',
    ),
    Setting("show-possible", "flag", "Report also what happens on some path only.", "true"),
    Setting(
        "include",
        "patterns",
        "Patterns of the files that are checked in a folder; `*.py` and `*.ipynb` if empty.",
        '["*.py", "*.ipynb"]',
    ),
    Setting(
        "exclude",
        "patterns",
        "Patterns, as in .gitignore, of files and folders that are not checked unless they are named.",
        '["notebooks/", "old_*.py"]',
    ),
    Setting(
        "extend-exclude",
        "patterns",
        "Patterns in addition to `exclude`, also to the one of a file that is extended.",
        '["generated/"]',
    ),
    Setting("force-exclude", "flag", "Leave out what is excluded even if it is named.", "true"),
    Setting(
        "src",
        "folders",
        "Folders in which modules are looked for, besides the file's own, the project's and its `src`.",
        '["python"]',
    ),
    Setting(
        "torch-version",
        "release",
        "The oldest torch to support; the one that is installed in the environment if empty.",
        '"2.4"',
    ),
    Setting(
        "extend",
        "path",
        "A file whose settings hold where this one has none; a path as seen from this file.",
        '"../pyproject.toml"',
    ),
)

NAMES: Final = tuple(each.name for each in SETTINGS)

_STRINGS: Final = {"type": "array", "items": {"type": "string"}}
_KINDS: Final[dict[str, dict[str, Any]]] = {
    "flag": {"type": "boolean"},
    "patterns": {"type": "array", "items": {"type": "string", "pattern": r"^(?!#).*\S"}},
    "folders": _STRINGS,
    "path": {"type": "string"},
    "release": {"type": "string", "pattern": r"^\d+\.\d+"},
}


def schema(rules: Collection[str]) -> dict[str, Any]:
    """The JSON schema of a devls.toml, which is also that of `[tool.devls]`; `rules` are the names of all rules."""
    named = {"type": "array", "items": {"$ref": "#/definitions/rule"}}
    kinds = {
        **_KINDS,
        "rules": named,
        "rules-by-pattern": {"type": "object", "additionalProperties": named},
        "levels": {
            "type": "object",
            "propertyNames": {"$ref": "#/definitions/rule"},
            "additionalProperties": {"enum": list(LEVELS)},
        },
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://raw.githubusercontent.com/devls/devls/main/docs/devls.schema.json",
        "title": "Settings of devls",
        "description": "The content of a devls.toml, and of [tool.devls] in a pyproject.toml.",
        "type": "object",
        "properties": {each.name: {"description": each.summary, **kinds[each.kind]} for each in SETTINGS},
        "additionalProperties": False,
        "definitions": {
            "rule": {
                "description": "The name of a rule or of a family.",
                "enum": [*FAMILIES, *sorted({*rules, *COMMAND_LINE_RULES, REVEALED})],
            }
        },
    }
