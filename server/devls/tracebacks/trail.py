"""The way that a value took to a line of a traceback: its definitions, through the calls that the frames show.

It is read from the text alone, so that it says where to look and never that something is wrong there.
"""

from __future__ import annotations

import ast
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from devls.syntax.layout import ancestors
from devls.syntax.nodes import walk
from devls.text.reading import UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from devls.project.workspace import Workspace
    from devls.syntax.source import Source
    from devls.text.edits import Range
    from devls.tracebacks.files import Place

_MOST_LOOKED_AT: Final = 60
"""How many expressions are followed for one line."""
_DEEPEST: Final = 6
"""How many functions that have returned are entered, one inside of the other."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Step:
    """One place on the way of a value."""

    path: str
    range: Range
    line: int
    text: str
    """How the value is called where the way comes from."""


@dataclass(frozen=True)
class _Scope:
    """A function that runs, or the file's own statements, and the call that it was entered by."""

    source: Source
    function: _Function | None
    line: int
    """The line up to which its statements have run."""
    caller: _Scope | None = None
    call: ast.Call | None = None
    depth: int = 0


@dataclass
class _Way:
    """Values followed so far."""

    steps: list[Step] = field(default_factory=list)
    seen: set[tuple[str, int, str]] = field(default_factory=set)
    put_off: set[int] = field(default_factory=set)
    """The attributes that wait until all names are followed."""


def trail(
    workspace: Workspace, calls: Sequence[Place], where: Range | None, *, unmoved: bool, most: int
) -> list[Step]:
    """Bindings of the operands of the innermost call, the nearest first, in `most` places at most.

    `where`: the part of its line that is meant; all of it otherwise. `unmoved`: a value that a line moves to a device
    is not followed behind that line.
    """
    follower = _Follower(workspace, {place.path for place in calls}, unmoved=unmoved)
    scope = follower.scope_of(calls)
    if scope is None:
        return []
    nodes = [
        each
        for each in _smallest(_statements_at(scope.source, scope.line))
        if each.lineno <= scope.line <= (each.end_lineno or each.lineno)
    ]
    if where is not None:
        inside = [each for each in nodes if _within(scope.source.range(each), where)]
        nodes = inside or nodes
    return follower.followed(nodes, scope, most)


def returns_of(workspace: Workspace, calls: Sequence[Place], name: str) -> list[Step]:
    """Return of a custom function's backward, which runs on no line of the user's: torch names the class."""
    follower = _Follower(workspace, {place.path for place in calls}, unmoved=False)
    scope = follower.scope_of(calls)
    way = _Way()
    for source, cls in follower.classes_named(name, scope) if scope is not None and name else ():
        for method in cls.body:
            if isinstance(method, _Function) and method.name == "backward":
                for each in walk(method):
                    if isinstance(each, ast.Return):
                        follower.note(source, each, name, way)
    return way.steps


def _within(place: Range, where: Range) -> bool:
    return where.start <= place.start and place.end <= where.end


def _smallest(statements: Iterable[ast.AST]) -> list[ast.expr]:
    """Names and attributes that statements read, the whole `a.b.c` each, but no names of callees."""
    found: list[ast.expr] = []
    for statement in statements:
        for part in _own_parts(statement):
            found += _read_in(part)
    return found


def _own_parts(statement: ast.AST) -> Iterator[ast.AST]:
    """The expressions of a statement, without the statements inside."""
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield child


def _read_in(part: ast.AST) -> list[ast.expr]:
    if isinstance(part, ast.Call):
        # Of `x.mean()` the receiver counts, of `net(x)` the net, and of `torch.cat(x)` the arguments are before it.
        given = [*part.args, *(each.value for each in part.keywords)]
        func = part.func
        if isinstance(func, ast.Attribute) and not _is_own(func):
            func = func.value
        return [each for node in (*given, func) for each in _read_in(node)]
    if isinstance(part, (ast.Name, ast.Attribute)):
        if not isinstance(part.ctx, ast.Load):
            return []
        root = part
        while isinstance(root, ast.Attribute):
            if not isinstance(root.value, (ast.Name, ast.Attribute)):
                return _read_in(root.value)
            root = root.value
        return [part]
    if isinstance(part, (ast.Lambda, *_DEFINITIONS)):
        return []
    return [each for child in ast.iter_child_nodes(part) for each in _read_in(child)]


def _is_own(node: ast.Attribute) -> bool:
    """Whether it may be a part that is called, `self.part(x)`, rather than a method of a value."""
    return isinstance(node.value, ast.Name) and node.value.id == "self"


_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _statements_at(source: Source, line: int) -> list[ast.stmt]:
    """The innermost statement at a line."""
    around = [
        each
        for each in walk(source.tree)
        if isinstance(each, ast.stmt) and each.lineno <= line <= (each.end_lineno or each.lineno)
    ]
    return sorted(around, key=lambda each: (each.end_lineno or each.lineno) - each.lineno)[:1]


class _Follower:
    """Goes from expressions back to what they were bound to."""

    def __init__(self, workspace: Workspace, paths: Iterable[str], *, unmoved: bool) -> None:
        self._workspace = workspace
        self._unmoved = unmoved
        self._sources = [each for path in sorted(paths) if (each := self._source(path)) is not None]

    def _source(self, path: str) -> Source | None:
        try:
            return self._workspace.source(path)
        except UnreadableFileError:
            return None

    def scope_of(self, calls: Sequence[Place]) -> _Scope | None:
        """The function of the innermost call, entered through the others."""
        scope: _Scope | None = None
        for place in calls:
            source = self._source(place.path)
            if source is None:
                return None
            function = _function_at(source, place.line)
            if scope is not None and scope.source is source and scope.line == place.line:
                continue  # the frame of a comprehension
            call = None if scope is None else _call_of(scope, function)
            scope = _Scope(source, function, place.line, scope, call)
        return scope

    def followed(self, nodes: Iterable[ast.expr], scope: _Scope, most: int) -> list[Step]:
        """The places that the values of expressions came by."""
        way = _Way()
        # A name of its own comes and goes; parts of an object are there from the beginning.
        names = deque((each, scope) for each in nodes)
        parts = deque[tuple[ast.expr, _Scope]]()
        for _ in range(_MOST_LOOKED_AT):
            if not (names or parts) or len(way.steps) >= most:
                break
            node, where = (names or parts).popleft()
            if isinstance(node, ast.Attribute) and id(node) not in way.put_off:
                way.put_off.add(id(node))
                parts.append((node, where))
                continue
            names.extend(self._next(node, where, way))
        return way.steps[:most]

    def _next(self, node: ast.expr, scope: _Scope, way: _Way) -> list[tuple[ast.expr, _Scope]]:
        """Values that a name or an attribute was made of, and their places, which are noted."""
        key = (scope.source.path, scope.line, ast.dump(node))
        if key in way.seen:
            return []
        way.seen.add(key)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, scope, way)
        return self._name(node, scope, way) if isinstance(node, ast.Name) else []

    def _attribute(self, node: ast.Attribute, scope: _Scope, way: _Way) -> list[tuple[ast.expr, _Scope]]:
        """Assignments to an attribute of the function's own object, and the origin of that object."""
        found: list[tuple[ast.expr, _Scope]] = []
        owner = _class_of(scope)
        if isinstance(node.value, ast.Name) and owner is not None and node.value.id == _first_of(scope):
            for statement in walk(owner):
                target, value = _binding(statement, node)
                moved = self._unmoved and value is not None and _is_moved(value)
                if target is not None and isinstance(statement, ast.stmt) and not moved:
                    self._note(scope.source, statement, scope.source.slice(node), way)
                    inner = _function_at(scope.source, statement.lineno)
                    if value is not None:
                        there = _Scope(scope.source, inner, statement.lineno, depth=scope.depth + 1)
                        found += self._into(value, there, way)
        return [*found, (node.value, scope)]

    def _name(self, node: ast.Name, scope: _Scope, way: _Way) -> list[tuple[ast.expr, _Scope]]:
        found: list[tuple[ast.expr, _Scope]] = []
        body = scope.function or scope.source.tree
        before = [
            each
            for each in walk(body)
            if isinstance(each, ast.stmt)
            and each.lineno <= scope.line
            and each is not body
            and _function_at(scope.source, each.lineno) is scope.function
        ]
        bound = [
            (each, value)
            for each in before
            for target, value in [_binding(each, node)]
            if target is not None and (each.lineno < scope.line or isinstance(each, (ast.For, ast.With)))
        ]
        last = max(bound, key=lambda each: each[0].lineno, default=None)
        since = 0 if last is None else last[0].lineno
        for each in before:
            # `items.append(x)`, `x.to(device)`: what is done to it since.
            if isinstance(each, ast.Expr) and since < each.lineno < scope.line and _is_done_to(each, node):
                self._note(scope.source, each, node.id, way)
                given = each.value.args if isinstance(each.value, ast.Call) else []
                found += [pair for value in given for pair in self._into(value, scope, way)]
        if last is not None and self._unmoved and last[1] is not None and _is_moved(last[1]):
            return []
        if last is not None:
            statement, value = last
            there = replace(scope, line=statement.lineno)
            if value is None or not self._enters(value, there):
                self._note(scope.source, statement, node.id, way)
            return [*found, *(self._into(value, there, way) if value is not None else ())]
        if scope.function is not None and node.id in _parameters(scope.function):
            passed = _argument(scope, node.id)
            if passed is not None and scope.caller is not None and scope.depth > scope.caller.depth:
                # The way leaves a function that has returned, where it was called.
                for statement in _statements_at(scope.caller.source, passed.lineno):
                    self._note(scope.caller.source, statement, node.id, way)
            return [*found, *([(passed, scope.caller)] if passed is not None and scope.caller else [])]
        if scope.function is not None:
            # A name of the file's: what it is in the end.
            outer = _Scope(scope.source, None, len(scope.source.text), depth=scope.depth)
            found.append((node, outer))
        return found

    def _enters(self, value: ast.expr, scope: _Scope) -> bool:
        """Whether a value is what a function of the project returns."""
        return any(call is value for call, _ in self._entered(value, scope))

    def _entered(self, value: ast.AST, scope: _Scope) -> list[tuple[ast.Call, tuple[Source, _Function]]]:
        """The outermost calls of the project's functions in an expression."""
        if isinstance(value, ast.Call) and scope.depth < _DEEPEST:
            function = self._function_named(value, scope)
            if function is not None:
                return [(value, function)]
        return [pair for child in ast.iter_child_nodes(value) for pair in self._entered(child, scope)]

    def _into(self, value: ast.expr, scope: _Scope, way: _Way) -> list[tuple[ast.expr, _Scope]]:
        """Values that went into another one: results of the project's functions, else the names read in it."""
        found: list[tuple[ast.expr, _Scope]] = []
        for call, (source, function) in self._entered(value, scope):
            for each in walk(function):
                if isinstance(each, ast.Return) and each.value is not None:
                    self._note(source, each, function.name, way)
                    inner = _Scope(source, function, each.lineno, scope, call, scope.depth + 1)
                    found += [(read, inner) for read in _read_in(each.value)]
        return found or [(each, scope) for each in _read_in(value)]

    def _function_named(self, call: ast.Call, scope: _Scope) -> tuple[Source, _Function] | None:
        """The project's only function of the name that is called: of the same file before others."""
        called = call.func
        name = (
            called.id
            if isinstance(called, ast.Name)
            else called.attr
            if isinstance(called, ast.Attribute)
            else ""
        )
        others = [each for each in self._all_sources(scope) if each is not scope.source]
        for sources in ([scope.source], others):
            known = [
                (source, each)
                for source in sources
                for each in walk(source.tree)
                if isinstance(each, _Function) and each.name == name
            ]
            if known:
                return known[0] if len(known) == 1 else None
        return None

    def _all_sources(self, scope: _Scope) -> list[Source]:
        """The files of the traceback, and those of the project that the present one imports from."""
        found = {each.path: each for each in self._sources}
        for source in (scope.source, *self._sources):
            for each in walk(source.tree):
                if isinstance(each, ast.ImportFrom) and each.module:
                    folder = source.path.rpartition("/")[0]
                    path = f"{folder}/{each.module.replace('.', '/')}.py"
                    if path not in found and self._workspace.exists(path):
                        there = self._source(path)
                        found |= {} if there is None else {path: there}
        return [*found.values()]

    def classes_named(self, name: str, scope: _Scope) -> list[tuple[Source, ast.ClassDef]]:
        """The classes of a name in the files of the traceback, and in those that these import from, and so on."""
        known: dict[str, Source] = {}
        left = [scope.source, *self._sources]
        while left:
            source = left.pop()
            if source.path not in known:
                known[source.path] = source
                left += self._all_sources(replace(scope, source=source))
        return [
            (source, each)
            for source in known.values()
            for each in walk(source.tree)
            if isinstance(each, ast.ClassDef) and each.name == name
        ]

    def note(self, source: Source, statement: ast.stmt, text: str, way: _Way) -> None:
        """Take a statement for a place on the way."""
        self._note(source, statement, text, way)

    def _note(self, source: Source, statement: ast.stmt, text: str, way: _Way) -> None:
        first = source.index.line_start(statement.lineno - 1)
        whole = source.range(statement)
        end = min(whole.end, first + len(source.index.line_text(statement.lineno - 1).rstrip()))
        step = Step(source.path, type(whole)(whole.start, end), statement.lineno, text)
        if all((each.path, each.line) != (step.path, step.line) for each in way.steps):
            way.steps.append(step)


def _function_at(source: Source, line: int) -> _Function | None:
    around = [
        each
        for each in walk(source.tree)
        if isinstance(each, _Function) and each.lineno < line <= (each.end_lineno or each.lineno)
    ]
    return max(around, key=lambda each: each.lineno, default=None)


def _class_of(scope: _Scope) -> ast.ClassDef | None:
    if scope.function is None:
        return None
    above = ancestors(scope.source, scope.function)
    return next((each for each in above if isinstance(each, ast.ClassDef)), None)


def _parameters(function: _Function) -> list[str]:
    given = function.args
    return [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _first_of(scope: _Scope) -> str:
    names = _parameters(scope.function) if scope.function is not None else []
    return names[0] if names else ""


def _call_of(scope: _Scope, function: _Function | None) -> ast.Call | None:
    """The call on a scope's line that has entered a function: by its name, else the only one of an object."""
    if function is None:
        return None
    calls = [
        each
        for statement in _statements_at(scope.source, scope.line)
        for each in walk(statement)
        if isinstance(each, ast.Call) and each.lineno <= scope.line <= (each.end_lineno or each.lineno)
    ]
    named = [
        each
        for each in calls
        if (isinstance(each.func, ast.Name) and each.func.id == function.name)
        or (isinstance(each.func, ast.Attribute) and each.func.attr == function.name)
    ]
    return next(iter(named or calls), None)


def _argument(scope: _Scope, name: str) -> ast.expr | None:
    """Arguments for a parameter."""
    if scope.call is None or scope.function is None:
        return None
    for each in scope.call.keywords:
        if each.arg == name:
            return each.value
    names = _parameters(scope.function)
    place = names.index(name)
    called = scope.call.func
    if _class_of(scope) is not None:
        if not place:
            is_method = isinstance(called, ast.Attribute) and called.attr == scope.function.name
            return called.value if is_method and isinstance(called, ast.Attribute) else called
        place -= 1
    return scope.call.args[place] if place < len(scope.call.args) else None


def _binding(statement: ast.AST, node: ast.expr) -> tuple[ast.expr | None, ast.expr | None]:
    """The target in a statement that is the same name or attribute as `node`, and the value it is bound to."""
    pairs: list[tuple[ast.expr, ast.expr | None]] = []
    if isinstance(statement, ast.Assign):
        pairs = [(each, statement.value) for each in statement.targets]
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        pairs = [(statement.target, statement.value)]
    elif isinstance(statement, (ast.For, ast.AsyncFor)):
        pairs = [(statement.target, statement.iter)]
    elif isinstance(statement, (ast.With, ast.AsyncWith)):
        pairs = [(each.optional_vars, each.context_expr) for each in statement.items if each.optional_vars]
    for target, value in _single(pairs):
        for each in walk(target):
            if isinstance(each, type(node)) and _same(each, node) and isinstance(each, ast.expr):
                return each, value
    return None, None


def _single(
    pairs: Iterable[tuple[ast.expr, ast.expr | None]],
) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """Targets with their values, one by one where a tuple is taken apart."""
    for target, value in pairs:
        both = (ast.Tuple, ast.List)
        if isinstance(target, both) and isinstance(value, both) and len(target.elts) == len(value.elts):
            yield from _single(zip(target.elts, value.elts, strict=True))
        else:
            yield target, value


def _is_moved(value: ast.expr) -> bool:
    """Whether a value is moved, or made, on a device that is named; or is a device itself."""
    if isinstance(value, (ast.ListComp, ast.GeneratorExp)):
        return _is_moved(value.elt)
    if isinstance(value, ast.DictComp):
        return _is_moved(value.value)
    if not isinstance(value, ast.Call):
        return False
    called = value.func
    return any(each.arg == "device" for each in value.keywords) or (
        isinstance(called, ast.Attribute) and called.attr in _PLACING
    )


_PLACING: Final = frozenset({"to", "cuda", "device"})
"""Methods of torch that move a tensor or a module, and the class of devices."""


def _same(one: ast.AST, other: ast.AST) -> bool:
    if isinstance(one, ast.Name) and isinstance(other, ast.Name):
        return one.id == other.id
    if isinstance(one, ast.Attribute) and isinstance(other, ast.Attribute):
        return one.attr == other.attr and _same(one.value, other.value)
    return False


def _is_done_to(statement: ast.Expr, node: ast.Name) -> bool:
    """Whether a statement calls a method of what a name means that is given something, or that moves."""
    call = statement.value
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == node.id
        and bool(call.args or call.keywords or call.func.attr in _PLACING)
    )
