"""Names that the new text of edits uses, and the scopes that bind them."""

from __future__ import annotations

import ast
import builtins
import functools
import io
import keyword
import re
import tokenize
import unicodedata
from bisect import bisect_left
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from devls.syntax.nodes import asked_of_file, of_tree
from devls.syntax.rewrite import add_import

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from devls.syntax.source import Source
    from devls.text.edits import Edit


def naming_what_is_bound(source: Source, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Edits whose new text names only what is bound where it is put, with `import torch` if that is what is missing.

    No edits where a name is bound in another scope only: the file does not import that at its top on purpose.
    """
    missing = set[str]()
    changes = [(each.range.start, *_change(source, each)) for each in edits]
    made = {name for _, _, new in changes for name in _made_in(new)}
    for start, old, new in changes:
        behind_dot = source.text[max(0, start - 1) : start] == "."
        names = set(_names_in("." + new if behind_dot else new)) - set(_names_in(old)) - made
        missing |= {name for name in names if not _is_bound(source, name, start)}
    if not missing:
        return edits
    if missing != {"torch"} or "torch" in _bound_anywhere(source):
        return ()
    return _under_other_name(source, edits) or (*edits, *add_import(source, "import torch"))


def _under_other_name(source: Source, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits with `torch` as the file calls it: `import torch as t`; no edits where something else may have that name."""
    name = _name_of_torch(source)
    if name is None or any(_is_bound_around(source, name, each.range.start) for each in edits):
        return ()
    found = [(each, *_TORCH.subn(f"{name}.", each.text)) for each in edits]
    if any(count != list(_names_in(edit.text)).count("torch") for edit, _, count in found):
        return ()  # a string or a comment speaks of it
    return tuple(replace(edit, text=text) for edit, text, _ in found)


_TORCH: Final = re.compile(r"(?<![\w.])torch\.")


@asked_of_file(maxsize=4)
def _name_of_torch(source: Source) -> str | None:
    """The only thing that a name of the file's own scope is bound to, if that is torch by another name."""
    names = [
        alias.asname
        for each in source.statements
        if isinstance(each, ast.Import)
        for alias in each.names
        if alias.name == "torch" and alias.asname is not None
    ]
    if len(names) != 1:
        return None
    inside = [_bound_in(source, each)[0] for each in source.statements if not isinstance(each, _SCOPES)]
    bound = [name for each in (*inside, *map(_bound_by, source.statements)) for name in each]
    return names[0] if bound.count(names[0]) == 1 else None


def _change(source: Source, edit: Edit) -> tuple[str, str]:
    """The code before and after an edit; a number stands for long code that stays, with something around it."""
    old = source.text[edit.range.start : edit.range.end]
    return ("", edit.text.replace(old, "0", 1)) if len(old) > _LONG and old in edit.text else (old, edit.text)


_LONG: Final = 500
"""Characters of code that is not looked at where an edit leaves it as it is: each finding in it has such an edit."""


@functools.lru_cache(maxsize=4)
def _tokens(text: str) -> tuple[tokenize.TokenInfo, ...]:
    """The tokens of a piece of code up to where it breaks off, without the layout."""
    found: list[tokenize.TokenInfo] = []
    try:
        for each in tokenize.generate_tokens(io.StringIO(text.strip()).readline):
            if each.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
                found.append(each)  # noqa: PERF401  those before an error count
    except (tokenize.TokenError, SyntaxError):
        pass
    return tuple(found)


def _names_in(text: str) -> Iterator[str]:
    """The names that a piece of code reads: no attributes, and no names of arguments."""
    found = _tokens(text)
    for before, token, after in zip([None, *found], found, [*found[1:], None], strict=False):
        if token.type != tokenize.NAME or keyword.iskeyword(token.string) or hasattr(builtins, token.string):
            continue
        if (before is None or before.string != ".") and (after is None or after.string not in ("=", "as")):
            yield unicodedata.normalize("NFKC", token.string)  # as Python reads it


_BINDING: Final = frozenset({"for", "as", "import", "def", "class", "lambda", "global", "nonlocal"})
"""Words behind which names are bound, up to the next one that ends that."""


def _made_in(text: str) -> Iterator[str]:
    """The names that a piece of code binds itself."""
    binds, line = False, -1
    found = _tokens(text)
    for number, token in enumerate(found):
        binds = token.string in _BINDING or (
            binds and token.start[0] == line and token.string not in ("in", ":")
        )
        line = token.start[0]
        follows = found[number + 1].string if number + 1 < len(found) else ""
        if token.type == tokenize.NAME and (binds or follows in ("=", ":=", ",")):
            yield unicodedata.normalize("NFKC", token.string)


def _is_bound(source: Source, name: str, offset: int) -> bool:
    """Whether a name is bound in the file's own scope, or in a function or class around a place; `import *` may bind any.

    A name that `if __name__ == "__main__"` alone binds is not there for functions that another file may call, unless they read it.
    """
    if name in _bound_in_programs(source) and not _is_bound_around(source, name, offset):
        return name in _globals_read(source)
    # The statement of the place goes first, and imports come before others: few are looked at.
    top = source.statements
    before = bisect_left(top, offset, key=lambda each: source.range(each).start)
    around = top[max(0, before - 1) : before]
    # Of a file that is edited all is asked for: a statement here may go.
    first = () if source.is_edited else top[:_FIRST]
    if any(_binds(source, each, name, offset) for each in chain(around, first)):
        return True
    names = _bound_at_top(source)
    return name in names or "*" in names


_FIRST: Final = 60
"""Statements at the top among which imports are; what is not bound there is looked for in all of them at once."""


def _is_bound_around(source: Source, name: str, offset: int) -> bool:
    """Whether the statement at the top that is around a place binds a name there."""
    around = [each for each in source.statements if _is_around(source, each, offset)]
    return any(not isinstance(each, _SCOPES) or _binds(source, each, name, offset) for each in around)


def _is_program(statement: ast.stmt) -> bool:
    """Whether a statement runs where its file is run as a program only: `if __name__ == "__main__"`."""
    if not (isinstance(statement, ast.If) and isinstance(statement.test, ast.Compare)):
        return False
    return isinstance(statement.test.left, ast.Name) and statement.test.left.id == "__name__"


@asked_of_file(maxsize=4)
def _bound_in_programs(source: Source) -> frozenset[str]:
    """The names of the file's own scope that nothing binds where it is imported."""
    inside, outside = set[str](), set[str]()
    for each in source.statements:
        names = inside if _is_program(each) else outside
        names.update(_bound_by(each))
        if not isinstance(each, _SCOPES):
            names |= _bound_in(source, each)[0]
    return frozenset() if "*" in outside else frozenset(inside - outside)


@asked_of_file(maxsize=4)
def _globals_read(source: Source) -> frozenset[str]:
    """The names that functions of the file read, and neither they nor what is around them binds."""
    found = set[str]()
    waiting: list[tuple[ast.AST, frozenset[str]]] = [
        (each, frozenset()) for each in source.statements if isinstance(each, _SCOPES)
    ]
    while waiting:
        scope, around = waiting.pop()
        names, _, inner = _bound_in(source, scope)
        bound = around | names
        found |= {
            each.id
            for each in ast.walk(scope)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id not in bound
        } - frozenset().union(*(_bound_in(source, each)[0] for each in inner))
        waiting += [(each, around if isinstance(scope, ast.ClassDef) else bound) for each in inner]
    return frozenset(found)


@asked_of_file(maxsize=4)
def _bound_at_top(source: Source) -> frozenset[str]:
    """The names that statements at the top bind in the file's own scope."""
    names = set[str]()
    for each in source.statements:
        names.update(_bound_by(each))
        if not isinstance(each, _SCOPES):
            names |= _bound_in(source, each)[0]
    return frozenset(names)


def _is_around(source: Source, node: ast.AST, offset: int) -> bool:
    found = source.range(node)
    return found.start < offset <= found.end


@asked_of_file(maxsize=4)
def _bound_anywhere(source: Source) -> frozenset[str]:
    """The names that the file binds in whichever scope."""
    return frozenset(name for each in ast.walk(source.unwatched_tree) for name in _bound_by(each))


def _binds(source: Source, statement: ast.AST, name: str, offset: int) -> bool:
    """Whether a statement binds a name, in a scope that a place is in."""
    bound = _bound_by(statement)
    if name in bound or "*" in bound:
        return True
    scope: ast.AST | None = statement
    if isinstance(statement, _SCOPES) and not _is_around(source, statement, offset):
        scope = None
    while scope is not None:
        names, begin, inner = _bound_in(source, scope)
        if name in names or "*" in names:
            return True
        last = bisect_left(begin, offset) - 1
        scope = inner[last] if last >= 0 and _is_around(source, inner[last], offset) else None
    return False


@of_tree(maxsize=1024)
def _bound_in(source: Source, scope: ast.AST) -> tuple[frozenset[str], list[int], list[ast.AST]]:
    """The names bound below a node, but not in scopes there, and these scopes with the places at which they begin."""
    names = set[str]()
    scopes: list[ast.AST] = []
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        names.update(_bound_by(node))
        if isinstance(node, _SCOPES):
            scopes.append(node)
        else:
            waiting += ast.iter_child_nodes(node)
    scopes.sort(key=lambda each: source.range(each).start)
    return frozenset(names), [source.range(each).start for each in scopes], scopes


_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def _bound_by(node: ast.AST) -> Sequence[str]:
    """The names that a node binds by itself."""
    if isinstance(node, ast.alias):
        return (node.asname or node.name.partition(".")[0],)
    if isinstance(node, ast.Name):
        return () if isinstance(node.ctx, ast.Load) else (node.id,)
    if isinstance(node, ast.arg):
        return (node.arg,)
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return node.names
    name = getattr(node, "name", None)
    return (name,) if isinstance(name, str) else ()
