r"""Read and write the pages of `tests/regression/`: one Markdown file for each set of programs.

A program with a mistake has its class, the lines of which a finding has to touch one, its files, and the corrected twin as
unified differences; a file without one is the same in both:

    ## aa001: tensor-created-off-device

    Lines: `bug/losses.py` 8, 22; `bug/train.py` 23
    Known: missed

    ```py bug/losses.py
    ...
    ```
    ```diff
    --- bug/losses.py
    +++ fixed/losses.py
    @@ -5,7 +5,7 @@
    ...
    ```

A correct program has the class `clean` and its files alone. A program of one file is `bug.py` (and `fixed.py`) or `clean.py`;
one of several lies in the folder of that name. `Known` says what devls gets wrong today: a mistake is `missed`, or the correct
program is `noisy`.

A page is as `page_of` writes it, byte for byte: that keeps differences between versions small. Context that is an empty line has no
blank in front of it, so that editors that strip trailing blanks leave it alone.
"""

from __future__ import annotations

import ast
import difflib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from checking import write_files

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER: Final = Path(__file__).parent / "regression"

CLEAN: Final = "clean"

_FENCE: Final = "```"
_HUNK: Final = re.compile(r"@@ -(?P<line>\d+)(?:,\d+)? \+\d+(?:,\d+)? @@$")
_SPOTS: Final = re.compile(r"`(?P<file>[^`]+)` (?P<lines>\d+(?:, \d+)*)(?:; |$)")


class PageError(ValueError):
    """A page does not follow the form above."""


@dataclass(frozen=True)
class Program:
    """A correct program, or one with a mistake and its corrected twin; texts by path below the program's folder."""

    set: str
    name: str
    mistake: str = CLEAN
    lines: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """By file: lines (from 1) of which a finding has to touch one."""
    known: tuple[str, ...] = ()
    broken: dict[str, str] = field(default_factory=dict)
    """The files with the mistake; empty for a correct program."""
    correct: dict[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.set}/{self.name}"

    @property
    def row(self) -> dict[str, Any]:
        """Its line of the index that goes with a set's files."""
        row: dict[str, Any] = {"id": self.name, "kind": "bug" if self.broken else CLEAN}
        if self.broken:
            row |= {"class": self.mistake}
            row |= {"bug_lines": {name.removeprefix("bug/"): [*spots] for name, spots in self.lines.items()}}
        if self.known:
            row |= {"known": [*self.known]}
        return row

    @property
    def files(self) -> dict[str, str]:
        """All its files, by their paths below the folder of a set that is laid out."""
        if self.broken:
            return {f"cases/{self.name}/{path}": text for path, text in (self.broken | self.correct).items()}
        return {f"clean/{self.name}{path.removeprefix('clean')}": text for path, text in self.correct.items()}


def target(files: dict[str, str]) -> str:
    """The file or the folder that a program is: all its files lie below it."""
    return next(iter(files)).partition("/")[0]


def importable(files: dict[str, str]) -> dict[str, str]:
    """The files by their paths below the folder from which they import each other."""
    return {path.partition("/")[2] or path: text for path, text in files.items()}


def all_programs() -> list[Program]:
    """Those of every set, in the order of the pages."""
    return [each for path in sorted(FOLDER.glob("set_*.md")) for each in read_set(path)]


def read_set(path: Path) -> list[Program]:
    """The programs of one page."""
    return list(_programs(path.stem, path.read_text(encoding="utf-8").split("\n")))


def _programs(name: str, lines: list[str]) -> Iterator[Program]:
    found: Program | None = None
    twins: dict[str, tuple[str, str]] = {}
    number = 0
    while number < len(lines):
        line, number = lines[number], number + 1
        if line.startswith("## "):
            if found is not None:
                yield _complete(found, twins)
            program, _, mistake = line[3:].partition(": ")
            found, twins = Program(name, program, mistake), {}
        elif found is None:
            continue
        elif line.startswith("Lines: "):
            for each in _SPOTS.finditer(line[7:]):
                found.lines[each["file"]] = tuple(map(int, each["lines"].split(", ")))
        elif line.startswith("Known: "):
            found = Program(
                name, found.name, found.mistake, found.lines, tuple(line[7:].split(", ")), found.broken
            )
        elif line.startswith(_FENCE):
            end = lines.index(_FENCE, number)
            block, number, info = lines[number:end], end + 1, line[len(_FENCE) :]
            if info.startswith("py "):
                found.broken[info[3:]] = "\n".join([*block, ""])
            elif info == "diff":
                before, after = block[0].removeprefix("--- "), block[1].removeprefix("+++ ")
                try:
                    twins[before] = after, _patched(found.broken[before], block[2:])
                except (PageError, KeyError) as error:
                    raise PageError(f"{name}.md:{number}: {found.name}: {error}") from error
    if found is not None:
        yield _complete(found, twins)


def _complete(found: Program, twins: dict[str, tuple[str, str]]) -> Program:
    """A program of which all has been read; `twins` are the corrected files, with their paths, by the path of the other."""
    if found.mistake == CLEAN:
        return Program(found.set, found.name, known=found.known, correct=found.broken)
    correct = dict(twins.get(path, (_twin(path), text)) for path, text in found.broken.items())
    return Program(found.set, found.name, found.mistake, found.lines, found.known, found.broken, correct)


def _twin(path: str) -> str:
    return "fixed" + path.removeprefix("bug")


def _patched(text: str, hunks: list[str]) -> str:
    """A text after the hunks of a unified difference; the context has to stand where they say."""
    before, after, at = text.split("\n"), list[str](), 0
    for hunk in hunks:
        head = _HUNK.match(hunk)
        if head:
            start = int(head["line"]) - 1
            after += before[at:start]
            at = start
            continue
        sign, line = hunk[:1] or " ", hunk[1:]
        if sign == "+":
            after.append(line)
            continue
        if before[at : at + 1] != [line]:
            raise PageError(f"line {at + 1} of the file is not {line!r}")
        at += 1
        if sign == " ":
            after.append(line)
    return "\n".join([*after, *before[at:]])


def page_of(name: str, programs: list[Program]) -> str:
    """The page of one set."""
    parts = [f"# Set {name.removeprefix('set_').upper()}\n"]
    for each in programs:
        parts.append(f"\n## {each.name}: {each.mistake}\n\n")
        if each.lines:
            spots = (f"`{path}` {', '.join(map(str, lines))}" for path, lines in each.lines.items())
            parts.append(f"Lines: {'; '.join(spots)}\n")
        if each.known:
            parts.append(f"Known: {', '.join(each.known)}\n")
        if each.lines or each.known:
            parts.append("\n")
        for path, text in (each.broken or each.correct).items():
            parts.append(_block(f"py {path}", text))
        for path, text in each.broken.items():
            twin = each.correct[_twin(path)]
            if twin != text:
                parts.append(_block("diff", _difference(path, text, twin)))
    return "".join(parts)


def _block(info: str, text: str) -> str:
    if not text.endswith("\n") or _FENCE in text:
        raise PageError(f"{info}: has to end with a line break, and cannot hold {_FENCE}")
    return f"{_FENCE}{info}\n{text}{_FENCE}\n"


def _difference(path: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.split("\n")[:-1], after.split("\n")[:-1], path, _twin(path), lineterm="", n=3
    )
    return "".join("\n" if line == " " else f"{line}\n" for line in lines)


def lay_out(programs: list[Program], folder: Path) -> None:
    """Write a set as files: its index, `cases/NAME/bug*` and `fixed*`, `clean/NAME*`, as benchmarks read it."""
    for each in programs:
        write_files(each.files, folder)
    index = "".join(json.dumps(each.row) + "\n" for each in programs)
    (folder / "index.jsonl").write_text(index, encoding="utf-8")


def gather(name: str, folder: Path) -> list[Program]:
    """The programs of a set that lies as files in a folder, as `lay_out` writes it.

    Raises:
        OSError: a file that the index names is not there.
    """
    rows = map(json.loads, (folder / "index.jsonl").read_text(encoding="utf-8").splitlines())
    return [_gathered(name, row, folder) for row in rows]


def _gathered(name: str, row: dict[str, Any], folder: Path) -> Program:
    known = tuple(row.get("known", ()))
    if row["kind"] != "bug":
        return Program(name, row["id"], known=known, correct=_texts(folder / CLEAN / row["id"], CLEAN))
    case = folder / "cases" / row["id"]
    broken, correct = _texts(case / "bug", "bug"), _texts(case / "fixed", "fixed")
    prefix = "" if target(broken) in broken else "bug/"
    lines = {f"{prefix}{path}": tuple(spots) for path, spots in row["bug_lines"].items()}
    return Program(name, row["id"], row["class"], lines, known, broken, correct)


def _texts(stem: Path, kind: str) -> dict[str, str]:
    """The file `stem.py`, or those below the folder `stem`; `kind` is what they are called in a page."""
    if not stem.is_dir():
        return {f"{kind}.py": stem.with_name(f"{stem.name}.py").read_text(encoding="utf-8")}
    paths = sorted(stem.rglob("*.py"))
    return {f"{kind}/{each.relative_to(stem).as_posix()}": each.read_text(encoding="utf-8") for each in paths}


# The file of a program that is run


def with_main_last(files: dict[str, str]) -> dict[str, str]:
    """The files with the one that is run at the end: the guarded one, or the one that nobody imports."""
    imported = {word for text in files.values() for word in imports(text)}
    roots = [name for name in files if Path(name).stem not in {*imported, "__init__"}] or list(files)
    main = next((name for name in roots if "__main__" in files[name]), roots[-1])
    return {**{name: text for name, text in files.items() if name != main}, main: files[main]}


def imports(text: str) -> set[str]:
    """The words of all that is imported: of `from pack.part import name`, each of the three; none of what does not parse."""
    found: set[str] = set()
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return found
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {word for each in node.names for word in each.name.split(".")}
        elif isinstance(node, ast.ImportFrom):
            found |= {*(node.module or "").split("."), *(each.name for each in node.names)}
    return found
