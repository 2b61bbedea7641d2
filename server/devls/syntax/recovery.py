"""Parse code that somebody is in the middle of typing."""

from __future__ import annotations

import ast
import keyword
import re
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from devls.syntax.lexing import lex
from devls.syntax.remembering import of_texts
from devls.text.positions import LineIndex

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class SyntaxProblem:
    """Python's message about a statement that does not parse. Lines count from 1."""

    message: str
    line: int


# Each repair costs one more parse; a file with more broken places than this is
# not Python, and the analysis of what would be left is worth nothing.
MAX_REPAIRS = 8

MAX_JOINED = 4
"""Parts that are tried together before one is taken for broken: more are seldom torn apart by one string."""

MAX_MENDED = 500_000
"""Characters of a text that is repaired, which takes seconds for so many. A file that people type into is a tenth as
long.
"""

MAX_NESTED = 8
"""Classes in one another whose methods are repaired one by one. Each level parses all that is inside once more."""

PART = 50_000
"""Characters that are parsed in one call: so many take some twenty milliseconds."""

_PART_BEGINS = re.compile(r"\n(?!(?:elif|else|except|finally)\b)(?=[^\W\d]|@)")
_LINE_END = re.compile(r"\r\n|\r|\n")

_HEADER = re.compile(
    r"[ \t\f]*(?:async[ \t]+)?(?:def|class|if|elif|else|for|while|with|try|except|finally|match|case)\b"
)
_WITHOUT_BODY = re.compile(r"expected an indented block.* on line (\d+)")


def parse_tolerantly(text: str) -> tuple[ast.Module, tuple[SyntaxProblem, ...]]:
    """The tree of all that parses, and what does not. Never raises.

    Nodes of the tree have their positions in `text`: repairs replace lines, and move none. Each statement at the
    top, and each method of a broken class, is repaired by itself: a quote or a bracket that is still open reaches no
    further than that.
    """
    tree, problem = _parse_in_parts(text)
    if tree is not None:
        return tree, ()
    if problem is None:  # pragma: no cover  one or the other
        return _NOTHING, ()
    if len(text) > MAX_MENDED:
        return _NOTHING, (problem,)
    try:
        repaired, problems = mended(text)
    except (RecursionError, MemoryError):  # what cannot be parsed may be nested too deep to be divided, too
        return _NOTHING, (problem,)
    if len(problems) >= MAX_REPAIRS:
        return _NOTHING, tuple(problems[:MAX_REPAIRS])
    # What Python says of the whole text comes first: a part that was taken out may say something else of itself.
    return _parse_in_parts(repaired)[0] or _NOTHING, (
        problem,
        *(each for each in problems if each.line != problem.line),
    )


def mended(text: str) -> tuple[str, list[SyntaxProblem]]:
    """A text that does not parse with its broken parts repaired, and what was wrong with them.

    One longer than `MAX_MENDED` comes back as it is, with its first problem.
    """
    if len(text) > MAX_MENDED:
        problem = _parse(text)[1]
        return text, [] if problem is None else [problem]
    lines = _LINE_END.split(text) if "\r" in text else text.split("\n")
    first = next((number for number, each in enumerate(lines) if _CODE.match(each)), None)
    if first is None or not lines[first].startswith((" ", "\t")):
        lines, problems = _mended(lines, "")
        return "\n".join(lines), problems
    # A method, or the body of a loop, that was pasted as it stood in its file.
    lines, problems = _mended(without_leading_indent(lines, first), "")
    return "\n".join(lines), [SyntaxProblem("unexpected indent", first + 1), *problems]


_CODE = re.compile(r"[ \t\f]*[^\s#]")


def without_leading_indent(lines: list[str], first: int) -> list[str]:
    """The lines without the indentation of the first, as IPython takes it away from all of a cell.

    Form feeds stand for it, which Python's tokenizer leaves out of an indentation: all columns stay.
    """
    width = len(lines[first]) - len(lines[first].lstrip(" \t"))
    indent = lines[first][:width]
    if not indent:
        return lines
    return ["\f" * width + each[width:] if each.startswith(indent) else each for each in lines]


_NOTHING = ast.Module(body=[], type_ignores=[])


def _mended(lines: list[str], indent: str, depth: int = 0) -> tuple[list[str], list[SyntaxProblem]]:
    """The statements of one block, repaired one by one. Problems are numbered from the first of `lines`."""
    parts = _divided(lines, indent)
    mended: list[str] = []
    problems: list[SyntaxProblem] = []
    at = 0
    while at < len(parts):
        taken, result, found = _next_part(parts, at, indent, depth)
        problems += [replace(each, line=each.line + len(mended)) for each in found]
        mended += result
        at += taken
    return mended, problems


def _next_part(
    parts: list[list[str]], at: int, indent: str, depth: int
) -> tuple[int, list[str], list[SyntaxProblem]]:
    """How many parts belong together from one on, their lines when repaired, and what was wrong with them."""
    # Text in a string or brackets may look like the beginning of a statement.
    joined = range(1, min(MAX_JOINED, len(parts) - at) + 1)
    for taken in chain(joined, (each for each in _until_closed(parts, at) if each not in joined)):
        lines = [line for part in parts[at : at + taken] for line in part]
        if _problem_in("\n".join(lines), indent) is None:
            return taken, lines, []
    return 1, *_repaired(parts[at], indent, depth)


def _until_closed(parts: list[list[str]], at: int) -> Iterator[int]:
    """How many parts a string takes that is open at the end of the first one: a docstring has lines like statements."""
    for quotes in ('"""', "'''"):
        if sum(line.count(quotes) for line in parts[at]) % 2:
            for taken in range(2, len(parts) - at + 1):
                if any(quotes in line for line in parts[at + taken - 1]):
                    yield taken
                    break


def _repaired(lines: list[str], indent: str, depth: int) -> tuple[list[str], list[SyntaxProblem]]:
    problems: list[SyntaxProblem] = []
    body = _body_of_class(lines, indent) if depth < MAX_NESTED else None
    if body is not None:
        start, inner = body
        members, problems = _mended(lines[start:], inner, depth + 1)
        lines = [*lines[:start], *members]
        problems = [replace(each, line=each.line + start) for each in problems]
    for _ in range(min(MAX_REPAIRS, 2 * MAX_MENDED // (sum(map(len, lines)) + len(lines)))):
        problem = _problem_in("\n".join(lines), indent)
        if problem is None:
            return lines, problems
        problems.append(problem)
        text = _repair("\n".join(lines), problem)
        if text is None:
            break
        lines = text.split("\n")
    if _problem_in("\n".join(lines), indent) is None:
        return lines, problems
    return [f"{indent}pass" if indent else "", *[""] * (len(lines) - 1)], problems[:1]


def _divided(lines: list[str], indent: str) -> list[list[str]]:
    """Lines, divided before each that looks like the beginning of a statement of this block."""
    parts: list[list[str]] = [[]]
    decorated, width = False, len(indent)
    for line in lines:
        begins = (
            line[width : width + 1] not in _WITHIN
            and line.startswith(indent)
            and _BEGINNING.match(line, width) is not None
        )
        if begins and not decorated and any(each.strip() for each in parts[-1]):
            parts.append([])
        if begins:
            decorated = line.startswith("@", len(indent))
        parts[-1].append(line)
    return parts


_WITHIN = ("", " ", "\t", ")", "]", "}", "#", '"', "'")  # most lines: a look at one character tells

_BEGINNING = re.compile(r"(?!(?:else|elif|except|finally|case|and|or|not|in|is)\b)[^\W\d]|@")

_CLASS = re.compile(r"[ \t]*class\b[^#]*:[ \t]*(?:#.*)?$")


def _body_of_class(lines: list[str], indent: str) -> tuple[int, str] | None:
    """Start of a class's body, and its indentation; None for what is no class."""
    for number, line in enumerate(lines):
        if line.startswith(f"{indent}@") or not line.strip():
            continue
        if not _CLASS.match(line):
            return None
        inner = next((_indent(each) for each in lines[number + 1 :] if each.strip()), "")
        return (number + 1, inner) if inner.startswith(indent) and inner != indent else None
    return None


@of_texts(2**20)  # while somebody types, nearly all parts of a file are those of a moment ago
def _problem_in(text: str, indent: str) -> SyntaxProblem | None:
    """Errors of the statements of a block; None if nothing is."""
    if not indent:
        return _parse(text)[1]
    _, problem = _parse(f"if 1:\n{text}\n{indent}pass")
    if problem is not None:
        length = text.count("\n") + 1
        problem = replace(problem, line=max(1, min(problem.line - 1, length)))
        waits = _WITHOUT_BODY.search(problem.message)
        if waits:
            there = f"on line {int(waits[1]) - 1}"
            problem = replace(problem, message=problem.message.replace(f"on line {waits[1]}", there))
    return problem


def _parse(text: str) -> tuple[ast.Module | None, SyntaxProblem | None]:
    try:
        return ast.parse(text), None
    except SyntaxError as error:
        return None, SyntaxProblem(error.msg, max(1, error.lineno or 1))
    except ValueError as error:
        return None, SyntaxProblem(str(error), 1)
    except (RecursionError, MemoryError):  # how Python's parser says so
        return None, SyntaxProblem("it is nested too deeply", 1)


def _parse_in_parts(text: str) -> tuple[ast.Module | None, SyntaxProblem | None]:
    """As `_parse`; a long text is parsed part by part.

    While the parser is in one call no other thread has a turn. A part begins where a line does that is not indented. If
    that is in a string, in brackets, or behind a decorator, the part before does not parse, and is taken on. The problem of
    a part that reaches to the end is the one that Python tells of the whole text, since all before it parses.
    """
    if len(text) <= PART or text.count("\r") != text.count("\r\n"):
        return _parse(text)
    tree, start, line = ast.Module(body=[], type_ignores=[]), 0, 0
    length, left = PART, 2 * len(text)
    while start < len(text):
        found = _PART_BEGINS.search(text, start + length)
        end = len(text) if found is None or left < 0 else found.end()
        part = text[start:end]
        parsed, problem = _parse("\n" * line + part)
        if parsed is not None:
            tree.body += parsed.body
            start, line, length = end, line + part.count("\n"), PART
            continue
        if end == len(text):
            return None, problem
        # Each attempt is twice as long as the one before; a text that takes many is parsed at once.
        left -= len(part)
        length = 2 * len(part)
    return tree, None


def _repair(text: str, problem: SyntaxProblem) -> str | None:
    """`text` without the statement that `problem` is about; None if that changes nothing."""
    index = LineIndex(text)
    lines = [index.line_text(line) for line in range(index.line_count)]
    if problem.line > len(lines):
        return None
    lonely = _lonely_try(lines, problem) if "'except' or 'finally'" in problem.message else None
    bare = _WITHOUT_BODY.search(problem.message)
    if bare:
        # The header is complete: it only waits for its block.
        header = int(bare[1]) - 1
        end = lex(text).logical_line(index.line_start(header)).end
        last = index.position(end)[0]
        lines[last] = f"{_without_comment(lines[last])} pass"
    elif lonely is not None:
        lines[lonely] = f"{_indent(lines[lonely])}if 1:{lines[lonely].partition(':')[2]}"
    else:
        _remove(text, index, lines, problem.line - 1)
    repaired = "\n".join(lines)
    return None if repaired == text else repaired


def _lonely_try(lines: list[str], problem: SyntaxProblem) -> int | None:
    """The line of the last `try` above a problem that has no handler yet."""
    handled = set[str]()
    for number in range(problem.line - 1, -1, -1):
        words = _TRY.match(lines[number])
        if words is None:
            continue
        if words["word"] != "try":
            handled.add(words["indent"])
        elif words["indent"] in handled:
            handled.remove(words["indent"])
        else:
            return number
    return None


_TRY = re.compile(r"(?P<indent>[ \t]*)(?P<word>try|except|finally)\b")


def _remove(text: str, index: LineIndex, lines: list[str], broken: int) -> None:
    """Replace the logical line around `broken`, and the block it heads, by a statement that does nothing."""
    line = lex(text).logical_line(index.line_start(broken))
    first, last = index.position(line.start)[0], index.position(line.end)[0]
    indent = _indent(lines[first])
    if _HEADER.match(lines[first]):
        # A block without its header would be taken for what it is not: code outside
        # of `no_grad`, of its function, of its condition.
        while last + 1 < len(lines) and _is_deeper(lines[last + 1], indent):
            last += 1
    # An indentation that fits nowhere is not mended by another statement at the same indentation.
    stands = _is_left_out(lines[first]) and first == last
    instead = "" if stands else indent + _statement_for("\n".join(lines[first : last + 1]))
    lines[first : last + 1] = [instead] + [""] * (last - first)


def _is_deeper(line: str, indent: str) -> bool:
    return not line.strip() or (line.startswith(indent) and len(_indent(line)) > len(indent))


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t\f"))]


def _without_comment(line: str) -> str:
    comments = lex(line).comments
    return line[: comments[0].start] if comments else line


_LEFT_OUT: Final = "\0left out: "
"""Begins the text that stands for a statement which is left out, with the names that it may have changed.

It is a statement that does nothing and has no nodes for names, and it differs where the names do: what is remembered of a
tree stays right when the broken statement is edited.
"""

RECEIVER: Final = "()"
"""Behind the name of an object of which the statement calls a method, and which may have become another by that."""

# No operator has more than three characters before its `=`: looking further goes through a long row of them from each one.
_PIECE: Final = re.compile(r"[^\W\d]\w*(?:[ \t]*\.[ \t]*[^\W\d]\w*)*|[^\w\s=()\[\]{}]{0,3}=+|\S")
_COMPARES: Final = frozenset({"==", "!=", "<=", ">="})


def _statement_for(text: str) -> str:
    """The statement that stands for some code which does not parse: `pass`, or a text with the names."""
    found = _names_in(text)
    return repr(_LEFT_OUT + " ".join(found)) if found else "pass"


def _is_left_out(line: str) -> bool:
    """Whether a line is such a statement, and nothing else."""
    return line.strip() == "pass" or line.lstrip().startswith(repr(_LEFT_OUT)[:-1])


def without_names(text: str) -> str:
    """A mended text as people may see it: what is left out is `pass`."""
    return "\n".join(f"{_indent(each)}pass" if _is_left_out(each) else each for each in text.split("\n"))


def names_changed(node: ast.Expr) -> list[str] | None:
    """The names and dotted names that the statement may have changed; None for a statement of the file's own."""
    value = node.value
    if (
        type(value) is not ast.Constant
        or type(value.value) is not str
        or not value.value.startswith(_LEFT_OUT)
    ):
        return None
    return value.value[len(_LEFT_OUT) :].split()


def _names_in(text: str) -> list[str]:
    """In their order, each once."""
    lexed = lex(text)
    code = list(text)
    for each in (*lexed.comments, *lexed.strings):
        code[each.start : each.end] = " " * (each.end - each.start)
    plain = "".join(code)
    found: dict[str, None] = {}
    hidden = -1  # a function that is left out binds its name and no more
    for line in lexed.lines:
        written = plain[line.start : line.end]
        indent = len(written) - len(written.lstrip())
        if not written.strip() or 0 <= hidden < indent:
            continue
        pieces = [re.sub(r"[ \t]", "", each) for each in _PIECE.findall(written)]
        words = [each for each in pieces if each != "async"]
        defines = words[:1] in (["def"], ["class"])
        hidden = indent if defines else -1
        found |= dict.fromkeys(words[1:2] if defines else _of_statement(pieces))
    return [each for each in found if not keyword.iskeyword(each.removesuffix(RECEIVER).partition(".")[0])]


def _of_statement(pieces: list[str]) -> list[str]:
    """Names of one logical line: what is assigned, or bound by a loop or `as`, and whose methods are called."""
    found: list[str] = []
    start = depth = 0
    loop = -1  # where the last `for` stands whose `in` has not come yet
    for number, piece in enumerate(pieces):
        if piece in ("(", "[", "{"):
            depth += 1
        elif piece in (")", "]", "}"):
            depth = max(0, depth - 1)
        elif piece == ";":
            start, depth = number + 1, 0
        elif depth == 0 and piece.endswith("=") and piece not in _COMPARES:
            found += _targets(pieces[start:number])
            start = number + 1
        elif piece == "for":
            loop = number
        elif piece == "in" and loop >= 0:
            found += _targets(pieces[loop + 1 : number])
            loop = -1
        elif piece == "as" and number + 1 < len(pieces):
            found += _targets(pieces[number + 1 : number + 2])
    value = pieces[start:] if start else pieces[:2]
    return found + [
        each.rpartition(".")[0] + RECEIVER
        for before, each, following in zip(["", *value], value, value[1:], strict=False)
        if "." in each[1:] and following == "(" and before != "."
    ]


def _targets(pieces: list[str]) -> list[str]:
    """Names and dotted names in what stands before an equals sign; of an item it is the container's that changes."""
    found: list[str] = []
    depth = 0
    for before, piece in zip(["", *pieces], pieces, strict=False):
        if piece == "[" and (depth or before in (")", "]") or before[-1:].isidentifier()):
            depth += 1
        elif piece == "]":
            depth = max(0, depth - 1)
        elif not depth and before != "." and piece[:1].isidentifier():
            found.append(piece)
    return found
