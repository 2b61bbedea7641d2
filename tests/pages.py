r"""Read a rule page: one Markdown file that is documentation and test at once.

A page `server/devls/rules/<family>/<rule_name>.md` has

    # rule-name

    One sentence that says what the rule finds.

    ## Why is this bad?     blocks without a mark may illustrate it
    ## Example              blocks with at least one `# error`, each followed by `Use instead:` and its `fixed` block
    ## What is not reported blocks without a mark, on which every rule is silent
    ## Fix safety

Marks inside a block, at the end of a line (they are cut off before the block is analyzed or run):

    y = x.numpy()  # error                       the page's rule reports this very line
    y = x.numpy()  # error: "requires grad"      ... and its message contains this text
    y = x.numpy()  # error[mixed-devices]        another rule reports it

A line `# file: name.py` at the start of a block, and further ones in it, divide the block into several files; the last
one is the program, the others are what it imports.

The words behind ` ```py ` are split as a shell would split them, and are not shown to readers:

    fixed                   the block before it, after the preferred fix of each finding; itself without findings
    fixed by-hand           the same, but the rule offers no fix: only "without findings" and the run are checked
    raises="Type: text"     running the block on torch raises this type (or `Type|Other`), and its message contains the text
    warns="text"            running it emits a warning that contains the text
    effect="expression"     the expression is true in the namespace of the program after the run (or after the raise)
    run="statement"         executed after the program, e.g. to call a function the block only defines
    on=cpu|accelerator      where it runs: really, or on the stand-in accelerator (the default for the family `device`)
    not-run="reason"        it is not run at all

A block with a mark has to say `raises`, `warns`, `effect` or `not-run`: no claim about torch without torch's word for it.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

RULES = Path(__file__).parent.parent / "server" / "devls" / "rules"

SECTIONS = ("Why is this bad?", "Example", "What is not reported", "Fix safety")

_FENCE = re.compile(r"^```py(?P<info>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r'[ \t]*# error(?:\[(?P<rule>[\w-]+)\])?(?:: "(?P<text>[^"]*)")?[ \t]*$')
_FILE = re.compile(r"^# file: (?P<name>\S+)\n", re.MULTILINE)
_FLAGS = {"fixed", "by-hand", "missed"}
_KEYS = {"raises", "warns", "effect", "run", "on", "not-run", "meant-not-run"}

MAIN = "example.py"


class PageError(ValueError):
    """A page does not follow the form above."""


@dataclass(frozen=True, order=True)
class Mark:
    """A finding a page expects: where (line from 1), by which rule, saying what."""

    file: str
    line: int
    rule: str
    text: str = ""


@dataclass(frozen=True)
class Torch:
    """Effects of running a block."""

    accelerator: bool
    raises: str = ""
    warns: str = ""
    effect: str = ""
    run: str = ""
    not_run: str = ""
    meant_not_run: str = ""
    """Of a form in `tests/pitfalls/`: why only the program with the mistake is run."""

    @property
    def is_claim(self) -> bool:
        return bool(self.raises or self.warns or self.effect or self.not_run)


@dataclass(frozen=True)
class Block:
    """One example: its files without marks, the marks, and its place in the page (line from 1)."""

    page: str
    line: int
    section: str
    files: dict[str, str]
    marks: tuple[Mark, ...]
    torch: Torch
    fixed: Block | None = None
    by_hand: bool = False
    """Of a fixed block: no fix of a finding leads here, a person does."""

    @property
    def id(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def main(self) -> str:
        """The name of the file that is run."""
        return list(self.files)[-1]


@dataclass(frozen=True)
class Page:
    """A rule page."""

    path: Path
    text: str
    blocks: tuple[Block, ...] = field(repr=False)

    @property
    def family(self) -> str:
        return self.path.parent.name

    @property
    def rule(self) -> str:
        return self.path.stem.replace("_", "-")


def _parse_info(info: str, where: str) -> tuple[set[str], dict[str, str]]:
    flags, values = set[str](), dict[str, str]()
    for word in shlex.split(info):
        key, equals, value = word.partition("=")
        if equals and key in _KEYS and key not in values:
            values[key] = value
        elif word in _FLAGS:
            flags.add(word)
        else:
            raise PageError(f"{where}: {word!r} is not known")
    if values.get("on", "cpu") not in ("cpu", "accelerator"):
        raise PageError(f"{where}: on={values['on']}")
    return flags, values


def read_torch(info: str, where: str, *, accelerator: bool) -> tuple[Torch, set[str]]:
    """Flags of the line that opens a block, and its statement about torch; `accelerator` is where it runs by default.

    Raises:
        PageError: for words that are not known.
    """
    flags, values = _parse_info(info, where)
    torch = Torch(
        accelerator=values.get("on", "accelerator" if accelerator else "cpu") == "accelerator",
        raises=values.get("raises", ""),
        warns=values.get("warns", ""),
        effect=values.get("effect", ""),
        run=values.get("run", ""),
        not_run=values.get("not-run", ""),
        meant_not_run=values.get("meant-not-run", ""),
    )
    return torch, flags


def split_files(code: str) -> dict[str, str]:
    """Divide a block at its `# file:` lines."""
    heads = list(_FILE.finditer(code))
    if not heads:
        return {MAIN: code}
    if heads[0].start():
        raise PageError("code before the first `# file:` line")
    ends = [*(head.start() for head in heads[1:]), len(code)]
    return {head["name"]: code[head.end() : end] for head, end in zip(heads, ends, strict=True)}


def read_marks(name: str, code: str, rule: str) -> tuple[str, list[Mark]]:
    """Cut the marks off a file's lines."""
    lines, marks = list[str](), list[Mark]()
    for number, line in enumerate(code.splitlines(), 1):
        if found := _MARK.search(line):
            marks.append(Mark(name, number, found["rule"] or rule, found["text"] or ""))
        lines.append(_MARK.sub("", line) + "\n")
    return "".join(lines), marks


def read_page(path: Path) -> Page:
    """Read one page.

    Raises:
        PageError: where it does not follow the form.
    """
    text = path.read_text(encoding="utf-8")
    family, rule = path.parent.name, path.stem.replace("_", "-")
    heads = [(found.start(), found[1]) for found in re.finditer(r"^## (.+)$", text, re.MULTILINE)]
    blocks = list[Block]()
    for fence in _FENCE.finditer(text):
        line = text.count("\n", 0, fence.start()) + 1
        where = f"{path.name}:{line}"
        torch, flags = read_torch(fence["info"], where, accelerator="device" in (family, rule))
        files, marks = dict[str, str](), list[Mark]()
        for name, code in split_files(fence["code"]).items():
            files[name], more = read_marks(name, code, rule)
            marks += more
        section = next((name for start, name in reversed(heads) if start < fence.start()), "")
        block = Block(path.name, line, section, files, tuple(marks), torch, by_hand="by-hand" in flags)
        if "fixed" not in flags:
            if marks and not torch.is_claim:
                raise PageError(f"{where}: a marked block has to say what torch does")
            blocks.append(block)
            continue
        if not blocks or blocks[-1].fixed is not None or not blocks[-1].marks or marks:
            raise PageError(f"{where}: a fixed block follows a marked one and has no mark of its own")
        broken = blocks.pop()
        blocks.append(
            Block(broken.page, broken.line, broken.section, broken.files, broken.marks, broken.torch, block)
        )
    return Page(path, text, tuple(blocks))


def all_pages() -> list[Page]:
    """Every rule page, by family and name."""
    return [read_page(path) for path in sorted(RULES.glob("*/*.md"))]
