"""Walking trees, faster than `ast.walk`.

Each analysis asks all nodes of a function, so that a walk must not cost more than the parsing did. Here it looks at
those fields only that can hold nodes, and leaves out the nodes that say nothing by themselves: contexts (`Load`,
`Store`) and operators. Recent walks are remembered, because several ask about the same one.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

_A = TypeVar("_A")
_F = TypeVar("_F", bound="Callable[..., Any]")
_N = TypeVar("_N", bound=ast.AST)
LOOKED_AT: Final[set[ast.AST]] = set()
"""The functions, classes and files whose code was looked at or run since this was last emptied: what depends on what."""


class Asked(ast.AST):
    """A question about a whole file, and what was answered: stands in `LOOKED_AT` where the file would.

    Whoever has asked depends on an edit only if the answer is another one afterwards.
    """

    def __init__(self, key: Hashable, again: Callable[[], object], answer: object) -> None:
        super().__init__()
        self.key = key, answer
        self.answer = answer
        self.again = again

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Asked) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def holds(self) -> bool:
        """Whether the answer is the same now."""
        return self.again() == self.answer


def asked(key: Hashable, ask: Callable[[], _A]) -> _A:
    """Answer of a question about a whole file, which is asked again after each edit; `key` says which one it is."""
    answer = ask()
    LOOKED_AT.add(Asked(key, ask, answer))
    return answer


def questions(looked_at: Iterable[ast.AST]) -> tuple[Asked, ...]:
    """Those among all that was looked at."""
    return tuple(each for each in looked_at if type(each) is Asked)


_NOTHING: Final = object()
"""The answer to a question about code that is not there any more."""

_REMEMBERED: Final[list[Any]] = []


def of_tree(maxsize: int) -> Callable[[_F], _F]:
    """Remember what a function of a node or a Source has returned, until a tree is changed where it stands."""

    def remembering(function: _F) -> _F:
        cached: Any = functools.lru_cache(maxsize=maxsize)(function)
        _REMEMBERED.append(cached)
        return cached  # type: ignore[no-any-return]

    return remembering


def asked_of_file(maxsize: int) -> Callable[[_F], _F]:
    """Remember the answers of a question about a whole Source, as `of_tree` does, and have it asked again after each edit.

    Where others are looked at, or only the first one who asks is known to depend on it. An answer can be hashed.
    """

    def remembering(function: _F) -> _F:
        cached: Any = of_tree(maxsize)(function)

        @functools.wraps(function)
        def asking(source: Any, *more: Any) -> Any:
            answer = cached(source, *more)
            if source.is_edited:
                nodes = [each for each in more if isinstance(each, ast.AST)]
                LOOKED_AT.add(
                    Asked(
                        (function, source.path, more),
                        lambda: _NOTHING if any(map(is_gone, nodes)) else cached(source, *more),
                        answer,
                    )
                )
            return answer

        return asking  # type: ignore[return-value]

    return remembering


def forget_trees() -> None:
    """Forget what was remembered of nodes and Sources: some tree is about to change."""
    for each in _REMEMBERED:
        each.cache_clear()


_GONE: Final = "_gone"


def let_go(nodes: Iterable[ast.AST]) -> None:
    """Take note that some code is not there any more; values that remember it go on doing so."""
    for each in nodes:
        for node in ast.walk(each):
            setattr(node, _GONE, True)


def is_gone(node: ast.AST) -> bool:
    """Whether a node is of code that was edited since."""
    return _GONE in vars(node)


_WITHOUT_NODES: Final = frozenset(
    "arg attr conversion ctx id is_async kind level lineno module n op ops rest s simple tag type_comment".split()
)


_MIXED: Final = frozenset({"keys", "kw_defaults", "kwd_attrs", "names"})
"""Fields whose lists may hold something else: None, or strings."""

_FIELDS: Final[dict[type[ast.AST], tuple[str, ...]]] = {}


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that can hold nodes."""
    if kind is ast.Constant:
        return ()
    named = kind.__name__ == "TypeAlias"  # its name is a node, all others' are strings
    return tuple(each for each in kind._fields if each not in _WITHOUT_NODES and (named or each != "name"))


@of_tree(maxsize=256)
def walk(root: ast.AST) -> tuple[ast.AST, ...]:
    """A node and all that is below it, level by level, without contexts and operators."""
    return tuple(nodes_of(root))


def of_kind(root: ast.AST, kind: type[_N]) -> list[_N]:
    """Those of `walk` that are of exactly one class, in its order: most questions are about calls or assignments alone."""
    return _by_kind(root).get(kind, [])  # type: ignore[return-value]


@of_tree(maxsize=256)
def _by_kind(root: ast.AST) -> dict[type[ast.AST], list[ast.AST]]:
    found: dict[type[ast.AST], list[ast.AST]] = {}
    for node in walk(root):
        kind = type(node)
        if kind in found:
            found[kind].append(node)
        else:
            found[kind] = [node]
    return found


def nodes_of(root: ast.AST) -> list[ast.AST]:
    """The same as `walk`, of what nobody asks about again."""
    found = [root]
    for node in found:
        kind = type(node)
        fields = _FIELDS.get(kind)
        if fields is None:
            fields = _FIELDS[kind] = _fields(kind)
        for field in fields:
            child = getattr(node, field, None)
            if child.__class__ is list:
                found += (
                    child if field not in _MIXED else [each for each in child if isinstance(each, ast.AST)]
                )
            elif child is not None and isinstance(child, ast.AST):
                found.append(child)
    return found


def holders_in(root: ast.AST) -> dict[ast.AST, ast.AST]:
    """From each node below another to the one right above it."""
    found: dict[ast.AST, ast.AST] = {}
    for node in nodes_of(root):
        for field in _FIELDS[type(node)]:
            child = getattr(node, field, None)
            if child.__class__ is list:
                found.update((each, node) for each in child if isinstance(each, ast.AST))
            elif child is not None and isinstance(child, ast.AST):
                found[child] = node
    return found


@of_tree(maxsize=256)
def bound_in(around: ast.AST) -> frozenset[str]:
    """The names that some code binds, in any scope."""
    return frozenset(node.id for node in of_kind(around, ast.Name) if isinstance(node.ctx, ast.Store))
