"""Checkpoints: where `torch.load` puts them, and what they are loaded into."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, limits, priors
from devls.engine.core.events.protocols import LoadedUnmapped
from devls.engine.core.joins import Entries
from devls.syntax.layout import ancestors
from devls.syntax.nodes import asked, asked_of_file, of_kind, of_tree, walk
from devls.syntax.source import asked_of
from devls.values.conditions import Either, leaves
from devls.values.devices import CPU, KnownDevice
from devls.values.graph import next_serial
from devls.values.history import Site
from devls.values.state import AMBIENT
from devls.values.value import Const, DeviceValue, InstanceValue, LibraryName, Mapping, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.project.modules import Modules
    from devls.syntax.source import Source
    from devls.values.value import FunctionValue, Scope


CUDA_DEMANDED: Final = "#CUDA demanded"
"""Slot of AMBIENT: True on a path on which the program has used CUDA without asking whether it is there."""

_DELIVERED: Final = "delivered"
"""Begins the key of a path that leads from the place of the code to a file that the code names."""


def path_beside(m: Machine, call: Invocation) -> Symbol | None:
    """`os.path.join(os.path.dirname(__file__), "data/net.pt")`: of a package, such a file comes with it, as its authors saved it."""
    first, *others = (m.resolve(each) for each in call.arguments) if call.arguments else (None,)
    beside = first == LibraryName("builtins.__file__") or (
        isinstance(first, Symbol) and isinstance(first.key, tuple) and first.key[0] == _DELIVERED
    )
    if not beside or not all(isinstance(each, Const) for each in others):
        return None
    return Symbol((_DELIVERED, next_serial()), "?")


def joined_path(m: Machine, call: Invocation) -> Symbol | None:
    """`os.path.join(folder, "net.pt")`: a path that is told by its parts, as far as these are told themselves."""
    parts = [m.resolve(each) for each in call.arguments]
    if not parts or call.keywords or not all(isinstance(each, (Const, Symbol)) for each in parts):
        return None
    return Symbol(("joined", *(path_of(m, each) for each in parts)), m.text(call.node), hint="string")


def _is_delivered(m: Machine, path: object) -> bool:
    """Whether a path is that of a file which a package brings along."""
    symbol = m.resolve(path)
    if not (isinstance(symbol, Symbol) and isinstance(symbol.key, tuple) and symbol.key[0] == _DELIVERED):
        return False
    folder = Path(m.source.path).parent
    return any(m.modules.workspace.exists(str(each / "__init__.py")) for each in (folder, folder.parent))


def loaded(m: Machine, call: Invocation, symbol: Symbol) -> None:
    """`torch.load` without `map_location`: remember where, until it is put to use."""
    if not isinstance(call.node, ast.Call) or "**" in call.keywords or "*" in call.keywords:
        return
    if any(each.arg is None for each in call.node.keywords):
        return  # on another way these may say it
    if _is_delivered(m, call.argument(0, "f")) or _callers_may_say(m, call) or _is_told_apart(m, call.node):
        return
    written = _written(m)
    paths = (path_of(m, call.argument(0, "f")), _spelled(m, call.argument_node(0, "f")))
    if any(path in written for path in paths if path is not None):
        return  # what this very program has saved
    if priors.is_read_back(m.source, call.node, call.argument_node(0, "f")):
        return
    m.state.set(
        symbol, "unmapped load", (m.site(call.node), m.frame.statement, device_here(m, call.node.lineno))
    )


def _is_told_apart(m: Machine, node: ast.Call) -> bool:
    """Whether a handler is ready to load it to another place, or the other side of a test does: `else: torch.load(path, map_location="cpu")`."""
    others: list[ast.AST] = []
    for each in ancestors(m.source, node):
        if isinstance(each, ast.Try):
            others += [handler for handler in each.handlers if node not in walk(handler)]
        elif isinstance(each, ast.If):
            others += each.orelse if any(node in walk(one) for one in each.body) else each.body
    return any(
        isinstance(each, ast.keyword) and each.arg == "map_location" for one in others for each in walk(one)
    )


def _callers_may_say(m: Machine, call: Invocation) -> bool:
    """Whether the place is a parameter of the function, which the call that runs has left out."""
    said, function = call.argument_node(1, "map_location"), m.frame.function
    spec = function.node.args if function is not None else None
    given = [] if spec is None else (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)
    return isinstance(said, ast.Name) and any(each.arg == said.id for each in given)


COPIES: Final = frozenset(
    {"shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.move", "os.rename", "os.replace"}
)
"""Functions that give a file another path: they are given the old one and the new one."""


def saved(m: Machine, call: Invocation) -> None:
    """`torch.save(x, path)`."""
    _remember(m, call, "f")


def copied(m: Machine, call: Invocation) -> None:
    """`shutil.copy(path, other)`: what was saved to one path is at the other, too."""
    written = _written(m)
    paths = (path_of(m, call.argument(0, "src")), _spelled(m, call.argument_node(0, "src")))
    if any(path in written for path in paths if path is not None):
        _remember(m, call, "dst")


def _remember(m: Machine, call: Invocation, keyword: str) -> None:
    paths = path_of(m, call.argument(1, keyword)), _spelled(m, call.argument_node(1, keyword))
    m.state.set(AMBIENT, "saved to", (*_written(m), *paths))


def not_run(m: Machine, function: FunctionValue) -> None:
    """The body of a function is not run: what it saves under a name that is written there, or a method beside it, it may have saved."""
    source, code = function.source, function.node if function.cls is None else function.cls.node
    names = _saved_under(code) if source.mentions(code, "save") else ()
    if names:
        m.state.set(AMBIENT, "saved to", (*_written(m), *names))


@of_tree(maxsize=256)
def _saved_under(code: ast.AST) -> tuple[str, ...]:
    """The names of files that code saves something to: `torch.save(x, "net.pt")`."""
    return tuple(
        each.args[1].value
        for each in of_kind(code, ast.Call)
        if isinstance(each.func, ast.Attribute)
        and each.func.attr == "save"
        and len(each.args) > 1
        and isinstance(each.args[1], ast.Constant)
        and isinstance(each.args[1].value, str)
    )


def _written(m: Machine) -> tuple[object, ...]:
    """The paths that the program has saved something to, on any path that leads here."""
    ways = leaves(m.state.get(AMBIENT, "saved to", ()))
    return tuple(dict.fromkeys(path for way in ways if isinstance(way, tuple) for path in way))


def _spelled(m: Machine, node: ast.expr | None) -> object:
    """A path that is read or made anew each time, by what makes it of the same variables: `folder / "x.pt"`, `paths["best"]`."""
    variables = isinstance(node, (ast.BinOp, ast.JoinedStr, ast.Subscript)) or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    )
    return (m.frame.scope, m.text(node)) if variables and node is not None else None


@library_semantics.path_of.answer
def path_of(m: Machine, value: object) -> object:
    """Identity of a file: its path, or the path's origin; an open file has that of `open`."""
    value = m.resolve(value)
    if isinstance(value, Symbol) and isinstance(value.key, tuple) and value.key[0] == "opened":
        return value.key[1]
    if isinstance(value, Const):
        return value.value
    return value.key if isinstance(value, Symbol) else id(value)


def _in_a_test(m: Machine) -> bool:
    """Whether a test runs: what it loads it has saved, in whatever way, on the same machine."""
    return any(
        each.function is not None
        and priors.is_unit_test(each.function)
        and _speaks_of_saving(each.function.source)
        for each in m.frames
    )


@asked_of_file(maxsize=64)
def _speaks_of_saving(source: Source) -> bool:
    return priors.speaks_of_saving(source.text)


def used(
    m: Machine,
    node: ast.expr | None,
    value: object,
    *,
    with_tensors: bool = False,
    accelerated: bool = False,
    by_optimizer: bool = False,
    whole: bool = False,
) -> None:
    """Something was given to `load_state_dict`, or is used as the module that it was saved as.

    `with_tensors` says that it was called with tensors that are somewhere in particular: whatever else the program does; `whole` that it is
    a module of which that is not known;
    `accelerated` that they may be on an accelerator, `by_optimizer` that an optimizer takes it, which moves to its parameters
    all that belongs there, and leaves its counts of steps where they are.
    """
    mark = _mark(m, value, 4)
    if mark is None or node is None or _in_a_test(m):
        return
    site, statement, target = mark
    call = site.node
    if not isinstance(call, ast.Call):
        return
    program = m.frames[0].source
    sources = {program, site.source, *(each.source for each in site.calls)}
    sources.update(m.modules.imported_by(program.path))
    used_here = any(map(asks_for_accelerators, sources))
    defines = only_defines(program)
    if with_tensors or used_here or (defines and not is_script_on_host(m, program)):
        wanted = "" if by_optimizer else target
        ours = (program.tree, site.source.tree)
        needs_cuda = any(map(_demands_cuda, ours)) and not any(map(_chooses_device, ours))
        if m.state.get(AMBIENT, CUDA_DEMANDED) is True:
            # Of several processes each has a card of its own.
            needs_cuda |= not any(each.says("distributed") for each in (program, site.source))
        m.emit(LoadedUnmapped(site, statement, call, wanted, m.site(node), accelerated, needs_cuda, whole))


def kept(m: Machine, node: ast.expr | None, value: Symbol | TensorValue) -> None:
    """A part of something loaded becomes an attribute of a module, by code that knows a device for it."""
    symbol = value.symbol if isinstance(value, TensorValue) else value
    if symbol is None or not isinstance(symbol.key, tuple) or symbol.key[0] != "item":
        return
    mark = _mark(m, symbol, 1)
    if mark is not None and mark[2]:
        used(m, node, symbol)


def moved(m: Machine, call: Invocation) -> None:
    """A module was loaded whole, and only then moved to where it is wanted: it had to exist where it was saved first."""
    if not is_loaded(m, call.receiver):
        return
    statement = m.frame.statement
    names = [call.receiver_node]
    if isinstance(statement, ast.Assign):
        names += statement.targets
    if any(isinstance(each, ast.Name) and priors.is_named_like_model(each.id) for each in names):
        used(m, call.node, call.receiver)


def called(m: Machine, node: ast.expr | None, function: Symbol, arguments: list[object]) -> None:
    """A module was loaded whole, and is given tensors that are somewhere in particular."""
    for each in map(m.resolve, arguments):
        if isinstance(each, TensorValue) and all(
            isinstance(leaf, KnownDevice) for leaf in leaves(m.device(each))
        ):
            away = any(leaf != CPU for leaf in leaves(m.device(each)))
            used(m, node, function, with_tensors=True, accelerated=away)
            return


def _mark(
    m: Machine, value: object, depth: int, looked: dict[Mapping, int] | None = None
) -> tuple[Site, ast.stmt | None, str] | None:
    """Place at which a value, or the one that it is a part or a mapping of, was loaded.

    `looked` holds how deep each mapping was looked into: mappings may hold one another by the hundred.
    """
    looked = {} if looked is None else looked
    for each in m.alternatives(value):
        if isinstance(each, TensorValue) and each.symbol is not None:
            each = each.symbol  # noqa: PLW2901  looked at as what it was
        found = None
        if isinstance(each, Symbol):
            root = _root(each.key)
            found = m.state.get(Symbol(root, ""), "unmapped load") if root is not None else None
        elif isinstance(each, Mapping) and depth > looked.get(each, 0):
            looked[each] = depth
            entries = m.state.get(each, "#entries")
            if isinstance(entries, Entries):
                found = next(
                    (
                        inner
                        for part in (*entries.known.values(), entries.rest)
                        if (inner := _mark(m, part, depth - 1, looked))
                    ),
                    None,
                )
        if isinstance(found, tuple) and isinstance(found[0], Site):
            return found
    return None


def is_loaded(m: Machine, value: object) -> bool:
    """Whether a value, or what it was read from, came out of `torch.load`."""
    for each in m.alternatives(value):
        symbol = each.symbol if isinstance(each, TensorValue) else each
        if isinstance(symbol, Symbol) and _root(symbol.key) is not None:
            return True
    return False


def is_read_from_load(key: object) -> bool:
    """Whether a symbol of this key came out of `torch.load`."""
    return _root(key) is not None


def _root(key: object) -> tuple[object, ...] | None:
    """The key of the load that a symbol was read from: an item, an attribute, the result of a method."""
    while isinstance(key, tuple) and len(key) > 1:
        if key[0] == "loaded":
            return key
        key = key[1]
    return None


def is_script_on_host(m: Machine, source: Source) -> bool:
    """Whether scripts beside a file, in no package, import it, and neither it nor any of them speaks of an accelerator."""
    modules = m.modules  # a machine is not to be kept by its questions
    return asked(("is script on host", source.path), lambda: _is_script_on_host(modules, source))


def _is_script_on_host(modules: Modules, source: Source) -> bool:
    path = Path(source.path)
    if modules.workspace.exists(str(path.parent / "__init__.py")) or asks_for_accelerators(source):
        return False
    naming = modules.mentions.of(path.stem, source.path) or ()
    beside = [each for each in naming if each is not source and Path(each.path).parent == path.parent]
    return bool(beside) and not any(map(asks_for_accelerators, beside))


_DEFINITIONS: Final = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom)


@asked_of_file(maxsize=256)
def only_defines(source: Source) -> bool:
    """Whether a file runs nothing of what it defines: whoever imports it decides where that computes."""
    return all(isinstance(each, _DEFINITIONS) or _is_constant(each) for each in source.statements)


def _is_constant(statement: ast.stmt) -> bool:
    """Whether a statement is a docstring, or gives a name to something that nothing of this file has computed."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, (ast.Assign, ast.AnnAssign)) and not any(
        isinstance(each, ast.Call) and isinstance(each.func, ast.Name) for each in walk(statement)
    )


def asks_for_accelerators(source: Source) -> bool:
    """Whether a file speaks of an accelerator, or leaves the device to be chosen."""
    return asked_of(source, "uses accelerators", lambda: _uses_accelerators(source.unwatched_tree))


@of_tree(maxsize=32)
def _uses_accelerators(tree: ast.Module) -> bool:
    """Whether a file asks for an accelerator anywhere, or leaves the device to be chosen."""
    return any(_is_about_accelerators(each) for each in walk(tree))


_ABOUT_ACCELERATORS = frozenset(
    {"cuda", "mps", "xpu", "is_available", "accelerator", "device", "DistributedDataParallel"}
)


def _is_about_accelerators(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in _ABOUT_ACCELERATORS
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value.split(":")[0] in ("cuda", "mps", "nccl")
    return isinstance(node, ast.arg) and node.arg == "device"


_CHOOSE = frozenset(
    {"is_available", "map_location", "device", "local_rank", "DistributedDataParallel", "device_count"}
)
"""Names in whose company a program may be on another machine, or on several cards."""


@of_tree(maxsize=32)
def _chooses_device(tree: ast.Module) -> bool:
    """Whether a file may run without CUDA, or on another card than the first: it names a device, or moves on a condition."""
    conditional = _conditional(tree)
    for function in walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            moves = set(filter(_moves_to_cuda, walk(function)))
            if moves - conditional:  # it comes to CUDA whatever else it does there
                conditional -= moves
    fixed = {each.func for each in walk(tree) if isinstance(each, ast.Call) and _is_constant_device(each)}
    return any(
        (each not in fixed and _named(each) in _CHOOSE)
        or (isinstance(each, ast.Constant) and each.value in ("cpu", "nccl", "mps"))
        or (_moves_to_cuda(each) and each in conditional)
        for each in walk(tree)
    )


def _conditional(tree: ast.Module) -> set[ast.AST]:
    """All that stands under a test."""
    return {
        each
        for test in walk(tree)
        if isinstance(test, (ast.If, ast.IfExp)) and not _is_main(test)
        for each in walk(test)
    }


def _named(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return (node.arg or "") if isinstance(node, (ast.arg, ast.keyword)) else ""


def _is_main(test: ast.If | ast.IfExp) -> bool:
    """`if __name__ == "__main__"`."""
    return any(isinstance(each, ast.Name) and each.id == "__name__" for each in walk(test.test))


def _is_constant_device(call: ast.Call) -> bool:
    """`torch.device("cuda")`."""
    first = call.args[0] if len(call.args) == 1 else None
    return isinstance(first, ast.Constant) and first.value in ("cuda", "cuda:0", 0)


def _moves_to_cuda(node: ast.AST) -> bool:
    """`model.cuda()`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cuda"


@of_tree(maxsize=32)
def _demands_cuda(tree: ast.Module) -> bool:
    """Whether a file moves something to CUDA, or names that as a device, whatever is there."""
    return any(
        _moves_to_cuda(each) or (isinstance(each, ast.Call) and _is_constant_device(each))
        for each in walk(tree)
    )


def device_here(m: Machine, line: int) -> str:
    """The expression by which the running code names the device it has chosen, bound before a line; "" if none."""
    frame = m.frame
    scope: Scope | None = frame.scope
    while scope is not None:
        for name in sorted(scope.names, key=lambda each: (each.lower() != "device", each)):
            if _is_choice(m, m.state.get(scope, name)) and (
                scope is not frame.scope or _bound(m, name, line)
            ):
                return name
        # What the object keeps is nearer than a name of the module.
        if scope is frame.scope and _is_kept_by_object(m):
            return "self.device"
        scope = scope.parent
    return _kept_by_another(m, line)


def _is_kept_by_object(m: Machine) -> bool:
    receiver = m.frame.receiver
    return isinstance(receiver, InstanceValue) and _is_choice(m, m.state.get(receiver, "device"))


def _kept_by_another(m: Machine, line: int) -> str:
    """`args.device`: of an object that the running code, or its file, names before a line."""
    scope: Scope | None = m.frame.scope
    while scope is not None:
        for name in sorted(scope.names) if len(scope.names) <= limits.NAMES_TRIED else ():
            owner = m.resolve(m.state.get(scope, name))
            kept = m.state.get(owner, "device") if isinstance(owner, (InstanceValue, Symbol)) else None
            if (
                kept is not None
                and _is_choice(m, kept)
                and (scope is not m.frame.scope or _bound(m, name, line))
            ):
                return f"{name}.device"
        scope = scope.parent
    return ""


def _is_choice(m: Machine, value: object) -> bool:
    value = m.resolve(value)
    if isinstance(value, Symbol):
        return value.hint == "device"
    return isinstance(value, (DeviceValue, Either)) and all(
        isinstance(each, DeviceValue)
        or (isinstance(each, Symbol) and each.hint == "device")
        or (
            isinstance(each, Const)
            and isinstance(each.value, str)
            and each.value.split(":")[0] in ("cpu", "cuda", "mps")
        )
        for each in leaves(value)
    )


def _bound(m: Machine, name: str, line: int) -> bool:
    """Whether the running function or module binds a name before a line, or is given it."""
    function = m.frame.function
    body = function.node if function is not None else m.source.tree
    return any(
        (isinstance(each, ast.arg) and each.arg == name)
        or (
            isinstance(each, ast.Name)
            and isinstance(each.ctx, ast.Store)
            and each.id == name
            and each.lineno < line
        )
        for each in walk(body)
    )
