"""`--shard K/N` and `devls merge`: one check, divided among machines.

Each machine analyzes a part of the files and writes down what it found, as JSON: `version` (of devls), `shard`, `names` (of all
files, in order), `files` (for each one that was analyzed, by name: `digest` of its text, `found`, `unchecked`, `failed`, `said`). Paths are
relative to the folder in which devls was started, as the machines need not have the program in the same place. `checksum` is that of
all the rest: a part travels, and what has changed on the way would be told as a finding.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import devls
from devls.cli.complaints import CommandError
from devls.cli.outcomes import Outcome
from devls.text.reading import UnreadableFileError, read, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from devls.cli.check import Check

MAX_BYTES: Final = 1024 * 1024 * 1024


class ShardError(CommandError):
    """Parts cannot be written, or do not make a whole."""


def part(paths: Sequence[str], number: int, count: int) -> list[str]:
    """The files of one part of several, which are numbered from 1: neighbours stay together, as they import the same modules."""
    return list(paths[len(paths) * (number - 1) // count : len(paths) * number // count])


def text(check: Check, shard: tuple[int, int]) -> str:
    """Results of one part of the files of a check, as they are written down."""
    here = str(Path.cwd())
    files = {}
    for outcome in check.outcomes(part(list(check.names), *shard)):
        each = _relocated(outcome, lambda inside: _relative(inside, here))
        files[_relative(outcome.path, here)] = {
            "digest": digest_of(outcome.path),
            "found": each.found,
            "unchecked": each.unchecked,
            "failed": each.failed,
            "said": each.said,
        }
    content = {
        "version": devls.__version__,
        "shard": shard,
        "names": {_relative(path, here): name for path, name in check.names.items()},
        "files": files,
    }
    return json.dumps({**content, "checksum": _checksum(content)}, indent=1) + "\n"


def _checksum(content: Mapping[str, object]) -> str:
    data = json.dumps({name: content[name] for name in ("shard", "names", "files")}, sort_keys=True)
    import hashlib  # noqa: PLC0415  few ask; it is 1 % of a start

    return hashlib.blake2b(data.encode(), digest_size=16).hexdigest()


def names_in(file: str) -> dict[str, str]:
    """The files of the whole check that a part belongs to: the names to print, by absolute path.

    Raises:
        ShardError: if the file is no part.
    """
    here = str(Path.cwd())
    return {_absolute(path, here): str(name) for path, name in _content(file)["names"].items()}


def merged(files: Sequence[str]) -> list[Outcome]:
    """Results of all parts of a check.

    Raises:
        ShardError: if they are not the parts of one check, one is missing or there twice, or a file has changed since.
    """
    here = str(Path.cwd())
    contents = {file: _content(file) for file in files}
    _require_whole(contents)
    outcomes = []
    for content in contents.values():
        for name, each in content["files"].items():
            path = _absolute(name, here)
            if each["digest"] != digest_of(path):
                raise ShardError(f"{name} is not what was analyzed: merge where the program is the same")
            outcome = Outcome(path, each["found"], each["unchecked"], each["failed"], tuple(each["said"]))
            outcomes.append(_relocated(outcome, lambda inside: _absolute(inside, here)))
    return outcomes


def _content(file: str) -> dict[str, Any]:
    try:
        content = json.loads(read_text(file, MAX_BYTES))
        if content["version"] != devls.__version__:
            raise ShardError(f"{file} was written by devls {content['version']}, this is {devls.__version__}")
        parts = {name: content[name] for name in ("shard", "names", "files")}
        if content["checksum"] != _checksum(parts):
            raise ShardError(f"{file} is damaged: it does not hold what was written")
    except UnreadableFileError as error:
        raise ShardError(f"{file} is not merged: {error.reason}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ShardError(f"{file} is no part of a check (`devls check --shard K/N` writes one)") from None
    return parts


def _require_whole(contents: Mapping[str, dict[str, Any]]) -> None:
    first, *others = contents
    count = contents[first]["shard"][1]
    for each in others:
        same = contents[each]["names"] == contents[first]["names"] and contents[each]["shard"][1] == count
        if not same:
            raise ShardError(f"{each} and {first} are parts of different checks")
    numbers = sorted(each["shard"][0] for each in contents.values())
    missing = sorted(set(range(1, count + 1)) - set(numbers))
    if missing:
        raise ShardError(f"parts are missing: {', '.join(f'{each}/{count}' for each in missing)}")
    if len(numbers) != count:
        raise ShardError("a part is there twice")


def digest_of(path: str) -> str:
    """Of what a file holds, or why that cannot be had."""
    try:
        import hashlib  # noqa: PLC0415  as above

        return hashlib.blake2b(read(path), digest_size=16).hexdigest()
    except UnreadableFileError as error:
        return error.reason  # the other machine could not read it either


def _relocated(outcome: Outcome, moved: Callable[[str], str]) -> Outcome:
    """The outcome with other paths."""

    def finding(found: dict[str, Any]) -> dict[str, Any]:
        related = [[moved(path), *rest] for path, *rest in found["related"]]
        fixes = [[*rest, moved(path) if path else ""] for *rest, path in found["fixes"]]
        return {**found, "path": moved(found["path"]), "related": related, "fixes": fixes}

    return Outcome(
        outcome.path,
        None if outcome.found is None else [[finding(each) for each in batch] for batch in outcome.found],
        [finding(each) for each in outcome.unchecked],
        outcome.failed,
        outcome.said,
    )


def _relative(path: str, here: str) -> str:
    """A path as seen from the working folder, with slashes, where it is not on another drive."""
    try:
        return os.path.relpath(path, here).replace(os.sep, "/")
    except ValueError:
        return path


def _absolute(path: str, here: str) -> str:
    return os.path.normpath(os.path.join(here, path))  # noqa: PTH118
