"""`--diff-base`: which lines were changed since a revision, as git knows it."""

from __future__ import annotations

import difflib
import os
import subprocess
from typing import TYPE_CHECKING, Final

from devls.cli.complaints import CommandError
from devls.syntax.notebook import SUFFIX, NotebookError, NotebookSource
from devls.text.decoding import UndecodableError, decode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from devls.analysis import Diagnostic
    from devls.syntax.source import Source
    from devls.text.edits import Range

PATIENCE: Final = 60.0
"""Seconds for one question to git; it waits for ever where a file of the repository is a pipe."""


class GitError(CommandError):
    """Git cannot say what was changed."""


class Changes:
    """Changes of a working tree since the common ancestor of its HEAD and some revision."""

    def __init__(self, revision: str) -> None:
        """Ask git about the repository of the working folder.

        Raises:
            GitError: if there is no git, no repository, no such revision, or no common ancestor.
        """
        self._top = _said(["rev-parse", "--show-toplevel"], "this is no git repository").rstrip("\n")
        commit = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
        end = _said(commit, f"there is no revision {revision!r}").strip()
        ancestor = f"{revision!r} and HEAD have no common ancestor: a shallow clone needs more of its history"
        self._base = _said(["merge-base", end, "HEAD"], ancestor).strip()
        self._before = self._changed_files()
        self._lines: dict[str, tuple[Source, frozenset[int]]] = {}

    def _changed_files(self) -> dict[str, str]:
        """By the path of each changed file, its name in the base; empty for a new file."""
        options = ["--name-status", "-z", "-M", "--no-ext-diff", "--no-textconv"]
        fields = iter(
            _said(["-C", self._top, "diff", *options, self._base, "--"], "git diff failed").split("\0")
        )
        found = {}
        for status in fields:
            if not status:
                continue
            before = after = next(fields)
            if status[0] in "RC":
                after = next(fields)
            found[os.path.join(self._top, after)] = "" if status[0] == "A" else before  # noqa: PTH118
        listed = ["-C", self._top, "ls-files", "--others", "--exclude-standard", "-z"]
        for name in _said(listed, "git ls-files failed").split("\0"):
            if name:
                found[os.path.join(self._top, name)] = ""  # noqa: PTH118
        return found

    def touch(self, found: Diagnostic, source_of: Callable[[str], Source | None]) -> bool:
        """Whether a finding, or a place of its story, stands on a line that was changed, or beside one that is gone."""
        places = [(found.path, found.range), *((each.path, each.range) for each in found.related)]
        return any(self._touches(path, place, source_of) for path, place in places)

    def _touches(self, path: str, place: Range, source_of: Callable[[str], Source | None]) -> bool:
        name = self._named(path)
        if name is None:
            return False
        source = source_of(path)
        if source is None:
            return True  # it cannot be read, and could before, or not: somebody should look
        first, last = source.index.position(place.start)[0], source.index.position(place.end)[0]
        changed = self._changed_lines(path, name, source)
        return not changed.isdisjoint(range(first, last + 1))

    def _named(self, path: str) -> str | None:
        """The name in the base of a file that was changed; None of one that was not."""
        name = self._before.get(path)
        return self._before.get(os.path.realpath(path)) if name is None else name

    def _changed_lines(self, path: str, name: str, source: Source) -> frozenset[int]:
        """The lines of a text, from 0, that the base does not have."""
        known = self._lines.get(path)
        if known is None or known[0] is not source:
            before = self._program_before(name, notebook=path.endswith(SUFFIX)) if name else []
            after = source.text.split("\n")
            known = self._lines[path] = source, frozenset(_differing(before, after))
        return known[1]

    def _program_before(self, name: str, *, notebook: bool) -> list[str]:
        try:
            text = decode(_run(["-C", self._top, "show", f"{self._base}:{name}"]))[0]
            return (NotebookSource.read(name, text).text if notebook else text).split("\n")
        except (GitError, UndecodableError, NotebookError):
            return []  # what could not be read then is new now


def _differing(before: Sequence[str], after: Sequence[str]) -> set[int]:
    lines: set[int] = set()
    for kind, _, _, first, last in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "delete":
            lines |= {max(0, first - 1), min(first, len(after) - 1)}
        elif kind != "equal":
            lines |= set(range(first, last))
    return lines


def _said(arguments: Sequence[str], otherwise: str) -> str:
    try:
        return os.fsdecode(_run(arguments))
    except GitError as error:
        raise GitError(str(error) or otherwise) from None


def _run(arguments: Sequence[str]) -> bytes:
    """Output of git, which starts no program that the repository names for watching files.

    Raises:
        GitError: with a text if git cannot be started or does not answer, without one if it fails.
    """
    command = ["git", "-c", "core.fsmonitor=false", *arguments]
    try:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=PATIENCE
        ).stdout
    except subprocess.TimeoutExpired:
        raise GitError(f"git has not answered for {PATIENCE:.0f} seconds") from None
    except subprocess.CalledProcessError:
        raise GitError from None
    except OSError:
        raise GitError("--diff-base needs git") from None
