"""Read `specs/**/*.md`: what the interpreter believes, shown by `reveal_value`.

Each ` ```py ` block is a program of its own. In it

    reveal_value(x)  # revealed: Tensor device=cpu ...

states the message of the `revealed-value` diagnostic on that line, and

    print(x.cpu().numpy())  # error: [numpy-on-grad]

the rules (with commas between several) that report an error or a warning there; nothing else may be reported. A line `# file: name.py` starts another file, as in
rule pages (see `pages`); the last file is the program. A block ` ```py not-run ` cannot be run on torch, because it needs
what is not there, or would not end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pages import split_files

SPECS = Path(__file__).parent / "specs"

_OTHER_FENCE = re.compile(r"^```(?!py( not-run)?[ \t]*$)\w.*$", re.MULTILINE)
_FENCE = re.compile(r"^```py(?P<info> not-run)?[ \t]*\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_REPORTED = re.compile(r"[ \t]*# error: \[(?P<rules>[a-z, -]+)\][ \t]*$")
_REVEALED = re.compile(r"[ \t]*# revealed: (?P<text>.*?)[ \t]*$")


@dataclass(frozen=True)
class Spec:
    """One block: its files, and per file and line (from 1) what is revealed there and which rule reports."""

    id: str
    files: dict[str, str]
    revealed: tuple[tuple[str, int, str], ...]
    reported: tuple[tuple[str, int, str], ...] = ()
    not_run: bool = False

    @property
    def main(self) -> str:
        """The file that is the program."""
        return list(self.files)[-1]

    @property
    def module(self) -> str:
        """Its name for `import`."""
        return self.main.removesuffix(".py").replace("/", ".")


def all_specs(folder: Path = SPECS) -> list[Spec]:
    """Every block of every page under `specs/`."""
    return [spec for path in sorted(folder.rglob("*.md")) for spec in read_specs(path, folder)]


def read_specs(path: Path, folder: Path) -> list[Spec]:
    """The blocks of one page."""
    text = path.read_text(encoding="utf-8")
    if found := _OTHER_FENCE.search(text):
        msg = f"{path.name}: a block of {found[0]!r} would not be read"
        raise ValueError(msg)
    specs = list[Spec]()
    for fence in _FENCE.finditer(text):
        files = split_files(fence["code"])
        revealed, reported = list[tuple[str, int, str]](), list[tuple[str, int, str]]()
        for name, code in files.items():
            lines = code.splitlines()
            revealed += [
                (name, number, found["text"])
                for number, line in enumerate(lines, 1)
                if (found := _REVEALED.search(line))
            ]
            reported += [
                (name, number, rule.strip())
                for number, line in enumerate(lines, 1)
                if (found := _REPORTED.search(line))
                for rule in found["rules"].split(",")
            ]
            files[name] = "".join(_REPORTED.sub("", _REVEALED.sub("", line)) + "\n" for line in lines)
        number = text.count("\n", 0, fence.start()) + 1
        where = f"{path.relative_to(folder).as_posix()}:{number}"
        specs.append(Spec(where, files, tuple(revealed), tuple(reported), bool(fence["info"])))
    return specs
