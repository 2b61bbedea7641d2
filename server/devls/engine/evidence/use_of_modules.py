"""Use tells that something is a model or a loss: what the code around calls, asks for parameters, or follows by a backward."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from devls.engine.core import priors
from devls.engine.evidence import naming_priors, use_of_names
from devls.engine.evidence.naming_priors import WELL_KNOWN
from devls.engine.torch.nn import methods, registry
from devls.syntax.layout import dotted, parents
from devls.syntax.nodes import bound_in, of_kind, of_tree, walk
from devls.syntax.source import asked_of, of_file
from devls.values.value import InstanceValue, Symbol

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.library.lookup import Library
    from devls.syntax.source import Source


MADE_UNSEEN: Final = "made unseen"
"""The kind of step that says of a model of an unseen class that it is where it was made."""

_ASKED_OF_MODULES: Final = frozenset(
    "parameters named_parameters state_dict load_state_dict train eval modules zero_grad".split()
)


def is_used_as_module(m: Machine, symbol: Symbol) -> bool:
    """Whether the code around calls something that is asked for its parameters, or of which a loss takes what it returns."""
    return is_called_like_module(m, symbol.text) or _is_module_of_program(m, symbol)


def _is_module_of_program(m: Machine, symbol: Symbol) -> bool:
    """Whether a parameter that is called has the name of a module that the program has moved: `def step(G, x)`, `G = Net().cuda()`."""
    key, function, scope = symbol.key, m.frames[-1].function, m.frames[-1].scope
    if type(key) is not tuple or key[0] != "parameter" or function is None or scope is None:
        return False
    if symbol.text not in scope.globals.names or symbol.text not in _called(function.node):
        return False
    kept = m.resolve(m.state.get(scope.globals, symbol.text))
    if isinstance(kept, Symbol):
        return m.state.get(kept, "#module device") is not None
    return isinstance(kept, InstanceValue) and m.state.get(kept, "#moved") is not None


def is_called_like_module(m: Machine, name: str) -> bool:
    """Whether the code that a name belongs to asks what it holds for its parameters, or takes a loss of what it returns."""
    function, source = m.frames[-1].function, m.frames[-1].source
    if function is not None and function.cls is not None and name.startswith("self."):
        found = name in _called_as_modules(function.cls.source, function.cls.node)
    elif function is None or _is_from_outside(m, name.partition(".")[0]):
        found = _is_called_in(source, name)
    else:
        found = name in _called_as_modules(source, function.node)
    return found and naming_priors.FUNCTION.search(name) is None


def _is_called_in(source: Source, name: str) -> bool:
    """Whether a file, anywhere, calls something like a module."""
    return asked_of(
        source,
        ("called like a module", name),
        lambda: _may_be_called(source, name) and name in _called_as_modules(source, source.unwatched_tree),
    )


def _is_from_outside(m: Machine, name: str) -> bool:
    """Whether a name is no local one of the function that runs."""
    scope = m.frames[-1].scope
    return name.isidentifier() and scope is not None and scope.kind == "function" and name not in scope.names


def is_called_as_model(m: Machine, target: ast.expr, *, moved: bool) -> bool:
    """Whether what is assigned to a name or an attribute is called, and moved, asked for what modules have, or named like one."""
    name = dotted(target)
    function = m.frames[-1].function
    source = m.frames[-1].source
    around: ast.AST | None = None  # the whole file
    if name.startswith("self."):
        if function is not None and function.cls is not None:
            around, source = function.cls.node, function.cls.source
    elif function is not None and name:
        around = function.node
    if not name:
        return False
    named = (
        naming_priors.MODEL.search(name) is not None
        or moved
        or name in use_of_names.kept_where_moved(around or source.unwatched_tree)
    )
    if around is not None:
        return name in (_called(around) if named else _called_as_modules(source, around))
    if not named:
        return _is_called_in(source, name)
    return asked_of(source, ("called", name), lambda: name in _called(source.unwatched_tree))


@priors.is_object_made.answer
def is_object_made(m: Machine, call: ast.expr) -> bool:
    """Going by the function, the class or the file that keeps it: `self.net = make(3)`, `self.net.choose(x)`."""
    frame = m.frames[-1]
    statement, function, source = frame.statement, frame.function, frame.source
    if not isinstance(statement, ast.Assign) or statement.value is not call or len(statement.targets) != 1:
        return False
    name = dotted(statement.targets[0])
    if not name or function is None:
        library = m.library  # the question outlives the machine
        return name != "" and asked_of(
            source, ("object", name), lambda: _asked_of_objects(library, source.unwatched_tree, name)
        )
    kept = name.startswith("self.") and function.cls is not None
    return _asked_of_objects(m.library, function.cls.node if kept and function.cls else function.node, name)


_OF_COMPUTED: Final = frozenset({*dir(dict), *dir(list), "to_tuple"}).union(
    "cdf entropy enumerate_support expand icdf log_prob perplexity rsample sample sample_n".split()
)
"""Methods of what models give beside tensors: containers, and distributions."""


def _asked_of_objects(library: Library, around: ast.AST, name: str) -> bool:
    """Whether something is asked for a method that neither tensors nor other results of computations have."""
    asked = _methods_asked(around).get(name, frozenset()) - _OF_COMPUTED
    return any(library.exists(f"torch.Tensor.{each}") is False for each in asked)


@of_tree(maxsize=256)
def _methods_asked(around: ast.AST) -> dict[str, frozenset[str]]:
    """By what they are called on, the names of methods."""
    found: dict[str, set[str]] = {}
    for each in of_kind(around, ast.Call):
        if isinstance(each.func, ast.Attribute):
            found.setdefault(dotted(each.func.value), set()).add(each.func.attr)
    return {name: frozenset(methods) for name, methods in found.items()}


def is_put_into_list(m: Machine, call: ast.AST) -> bool:
    """Whether a module that is being built puts something into a list of its own whose items its `forward` calls."""
    frame = m.frames[-1]
    instance, statement = frame.receiver, frame.statement
    if not isinstance(instance, InstanceValue) or instance.cls is None or not registry.is_module(m, instance):
        return False
    kept: ast.expr | None = None
    if isinstance(statement, ast.Assign) and isinstance(statement.value, (ast.List, ast.ListComp)):
        inside = statement.value.elts if isinstance(statement.value, ast.List) else [statement.value.elt]
        kept = statement.targets[0] if call in inside else None
    elif (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and call in statement.value.args
    ):
        into = statement.value.func
        kept = into.value if isinstance(into, ast.Attribute) and into.attr == "append" else None
    return kept is not None and dotted(kept) in _items_called(instance.cls.node)


@of_tree(maxsize=256)
def _items_called(cls: ast.AST) -> frozenset[str]:
    """The lists of which `forward` calls what a loop takes of them, alone or beside others: `for conv, norm in zip(...)`."""
    found: set[str] = set()
    for method in getattr(cls, "body", ()):
        if not isinstance(method, ast.FunctionDef) or method.name != "forward":
            continue
        called = _called(method)
        for each in of_kind(method, ast.For):
            if bound_in(each.target) & called:
                walked = [each.iter, *(each.iter.args if isinstance(each.iter, ast.Call) else ())]
                found.update(map(dotted, walked))
    return frozenset(found - {""})


@of_tree(maxsize=256)
def _called(around: ast.AST) -> frozenset[str]:
    return frozenset(dotted(each.func) for each in of_kind(around, ast.Call) if each.args)


def is_never_moved(m: Machine, call: ast.expr | None) -> bool:
    """Whether a name that is called is bound once, and nothing is done with it that may move what it holds."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    frame = m.frames[-1]
    around: ast.AST = frame.source.tree
    if frame.function is not None and call.func.id in bound_in(frame.function.node):
        around = frame.function.node
    return call.func.id in _only_called(frame.source, around)


@of_tree(maxsize=256)
def _only_called(source: Source, around: ast.AST) -> frozenset[str]:
    """The names that are bound once, and of which all that is read are results of calls and attributes that move nothing."""
    bound: set[str] = set()
    others: set[str] = set()
    for each in walk(around):
        if isinstance(each, ast.Name):
            if not isinstance(each.ctx, ast.Load):
                (others if each.id in bound else bound).add(each.id)
            elif _may_move_it(source, each):
                others.add(each.id)
    return frozenset(bound - others)


def _may_move_it(source: Source, name: ast.Name) -> bool:
    """Whether a module may be moved by what is done with a name at one place: it is handed on, or asked for a method that moves."""
    holders = parents(source)
    node: ast.AST = name
    above = holders.get(node)
    while isinstance(above, ast.Attribute):
        if above.attr in _MOVES_MODULES:
            return True
        node, above = above, holders.get(above)
    if node is name:
        return not (isinstance(above, ast.Call) and above.func is name)
    return False


_MOVES_MODULES: Final = methods.MOVES_ELSEWHERE | {"apply", "half"}
"""`apply` runs anything; numbers of half precision are what an accelerator is for."""


def _lines(source: Source, around: ast.AST) -> str:
    """The lines of a file, or of a class or function with its decorators."""
    if isinstance(around, ast.Module):
        return source.text
    decorators: list[ast.AST] = getattr(around, "decorator_list", [])
    first, last = (decorators or [around])[0].lineno, around.end_lineno  # type: ignore[attr-defined]
    return source.text[source.index.line_start(first - 1) : source.index.line_start(last)]


_USES: Final = (
    *"loss crit cross_entropy kl_div backward .parameters .named_parameters .state_dict .load_state_dict".split(),
    *".train .eval .modules .zero_grad .step".split(),
)
"""In small letters, one of them is in all code that asks for what modules have, or calls a loss."""


def _shows_use(text: str) -> bool:
    """Whether the text of some code leaves that something in it is used as a module; most code need not be walked then."""
    text = text.lower()
    return any(each in text for each in _USES)


def _losses_in(source: Source, around: ast.AST) -> frozenset[str]:
    """The same as `losses_called`, of code of a file; without the word, nothing is called on what a loss returned."""
    return losses_called(around) if "backward" in _lines(source, around) else frozenset()


@of_tree(maxsize=256)
def _called_as_modules(source: Source, around: ast.AST) -> frozenset[str]:
    if not _shows_use(_lines(source, around)):
        return frozenset()
    called: set[str] = set()
    asked: set[str] = set()
    stepped: set[str] = set()
    predicted: list[ast.expr] = []
    made: dict[str, list[ast.expr]] = {}
    losses = _losses_in(source, around)
    for call in of_kind(around, ast.Call):
        name = dotted(call.func)
        called.add(name)
        if isinstance(call.func, ast.Attribute) and call.func.attr in _ASKED_OF_MODULES:
            asked.add(dotted(call.func.value))
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "step":
            stepped.add(naming_priors.optimized_by(dotted(call.func.value).rpartition(".")[2]))
        if len(call.args) > 1 and (name in losses or naming_priors.CALLS_LOSS.search(name)):
            predicted.append(call.args[0])
    for assignment in of_kind(around, ast.Assign) if predicted else ():
        if isinstance(assignment.value, ast.Call):
            for target in assignment.targets:
                if isinstance(target, ast.Name):
                    made.setdefault(target.id, []).append(assignment.value)
    asked |= _computes(predicted, made) | _recurrent(around, predicted)
    # `optG.step()` is that of `G`.
    asked |= {each for each in called if each.rpartition(".")[2].lower() in stepped - {""}}
    return frozenset(asked & called - {""})


def _computes(values: list[ast.expr], made: dict[str, list[ast.expr]]) -> set[str]:
    """The callables whose results are among some values, as they are, or as methods and functions of tensors leave them."""
    found: set[str] = set()
    waiting, left = list(values), dict(made)
    while waiting:
        value = waiting.pop()
        if isinstance(value, ast.Name):
            waiting += left.pop(value.id, [])
        elif isinstance(value, ast.Subscript):
            waiting.append(value.value)
        elif isinstance(value, ast.Call):
            if value.args:
                found.add(dotted(value.func))
            if isinstance(value.func, ast.Attribute):
                known = isinstance(value.func.value, ast.Name) and value.func.value.id in WELL_KNOWN
                waiting += value.args[:1] if known else [value.func.value]
    return found


def _recurrent(around: ast.AST, predicted: list[ast.expr]) -> set[str]:
    """The callables that loops give back a part of what they have returned, where a loss takes another: `out, h = rnn(x, h)`."""
    found: set[str] = set()
    loops = [*of_kind(around, ast.For), *of_kind(around, ast.While)] if predicted else []
    for statement in {each for loop in loops for each in walk(loop) if isinstance(each, ast.Assign)}:
        call, targets = statement.value, statement.targets[0]
        if not isinstance(call, ast.Call) or not isinstance(targets, ast.Tuple):
            continue
        name = dotted(call.func).removeprefix("self.")
        if "." in name and name.rpartition(".")[0] not in _trained(around):
            continue  # a method of something else: `seen, state = env.step(state)`
        bound = {each.id for each in targets.elts if isinstance(each, ast.Name)}
        given = {each.id for each in call.args if isinstance(each, ast.Name)}
        if len(bound) == len(targets.elts) and bound & given and _reaches(around, bound - given, predicted):
            found.add(dotted(call.func))
    return found


@of_tree(maxsize=256)
def _trained(around: ast.AST) -> frozenset[str]:
    """The names, without `self`, of what is asked for its parameters: it computes, and so do its parts."""
    asked = [each.func for each in of_kind(around, ast.Call) if isinstance(each.func, ast.Attribute)]
    return frozenset(
        dotted(each.value).removeprefix("self.")
        for each in asked
        if each.attr in ("parameters", "named_parameters")
    )


def _reaches(around: ast.AST, names: set[str], values: list[ast.expr]) -> bool:
    """Whether some values are computed of one of these names, by way of others."""
    behind: dict[str, list[ast.expr]] = {}
    for each in of_kind(around, ast.Assign):
        for name in (one for target in each.targets for one in bound_in(target)):
            behind.setdefault(name, []).append(each.value)
    waiting = list(values)
    while waiting:
        for read in walk(waiting.pop()):
            if isinstance(read, ast.Name):
                if read.id in names:
                    return True
                waiting += behind.pop(read.id, ())
    return False


def is_called_as_loss(m: Machine, name: str) -> bool:
    """Whether backward is called, in the function that runs, on what a call of something has returned."""
    function, source = m.frames[-1].function, m.frames[-1].source
    return name in _losses_in(source, source.tree if function is None else function.node)


@of_tree(maxsize=256)
def losses_called(around: ast.AST) -> frozenset[str]:
    """The callables whose results go into a backward, alone, scaled, or as a summand."""
    waiting: list[ast.expr] = [
        each.func.value
        for each in of_kind(around, ast.Call)
        if isinstance(each.func, ast.Attribute) and each.func.attr == "backward"
    ]
    if not waiting:
        return frozenset()
    made: dict[str, list[ast.expr]] = {}
    bound = [(target, each.value) for each in of_kind(around, ast.Assign) for target in each.targets]
    bound += [(each.target, each.value) for each in of_kind(around, ast.AugAssign)]
    for target, value in bound:
        if isinstance(target, ast.Name):
            made.setdefault(target.id, []).append(value)
    found: set[str] = set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.Name):
            waiting += made.pop(each.id, [])
        elif isinstance(each, ast.BinOp):
            summed = isinstance(each.op, (ast.Add, ast.Sub))
            # Of two names that are multiplied one is a weight, and nothing tells which.
            waiting += [one for one in (each.left, each.right) if summed or not isinstance(one, ast.Name)]
        elif (
            isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr in _SCALES
        ):
            waiting += (each.func.value, *each.args)
        elif isinstance(each, ast.Call) and each.args:
            found.add(dotted(each.func))
    return frozenset(found - {""})


_SCALES: Final = frozenset({"mean", "sum", "scale"})
"""Methods that give a number of what they are called on, or of what they are given."""


@priors.is_part_made.answer
def is_part_made(m: Machine, call: ast.expr) -> bool:
    """Whether a constructor of a module keeps what a call makes as an attribute that `forward` calls with something."""
    frame = m.frames[-1]
    statement, receiver, function = frame.statement, frame.receiver, frame.function
    if (
        not isinstance(statement, ast.Assign)
        or statement.value is not call
        or len(statement.targets) != 1
        or not isinstance(receiver, InstanceValue)
        or receiver.cls is None
        or function is None
        or function.name != "__init__"
        or not registry.is_module(m, receiver)
    ):
        return False
    return dotted(statement.targets[0]) in called_by_forward(receiver.cls.node)


@of_tree(maxsize=256)
def called_by_forward(cls: ast.AST) -> frozenset[str]:
    """The attributes, and names, that the `forward` of a class calls with something."""
    runs = [each for each in getattr(cls, "body", ()) if getattr(each, "name", "") == "forward"]
    return frozenset(dotted(each.func) for run in runs for each in of_kind(run, ast.Call) if each.args) - {""}


@of_tree(maxsize=256)
def parts_called(cls: ast.AST) -> frozenset[str]:
    """The parameters of a constructor that are kept as attributes, and that `forward` calls with something."""
    methods = {each.name: each for each in getattr(cls, "body", ()) if isinstance(each, ast.FunctionDef)}
    builds, called = methods.get("__init__"), called_by_forward(cls)
    if builds is None or not called:
        return frozenset()
    return frozenset(
        each.value.id
        for each in of_kind(builds, ast.Assign)
        if isinstance(each.value, ast.Name) and any(dotted(target) in called for target in each.targets)
    )


@priors.is_object_imported.answer
def is_object_imported(m: Machine, name: str) -> bool:
    """Going by what the file does with it: no function and no class is asked for that, or walked by a loop."""
    source = m.frames[-1].source
    return asked_of(
        source,
        ("imported object", name),
        lambda: _may_be_object(source, name) and name in _objects(source),
    )


_WALKED: Final = re.compile(r"\bin[\s\\(]+((?:[\w.]+\s*\(\s*)*[\w.]+)")
"""`in enumerate(tqdm(loader`: the text of all that a loop can walk, and of other things."""


def _may_be_object(source: Source, name: str) -> bool:
    """Whether the text of a file leaves that it uses an imported name as `_objects` says; most files need not be walked then."""
    return name in _walked_in(source) or (
        _shows_use_anywhere(source) and (f"{name}." in source.text or _may_be_called(source, name))
    )


def _may_be_called(source: Source, name: str) -> bool:
    """Whether the text of a file leaves that it calls something by a name."""
    return f"{name}(" in source.text or f"{name} (" in source.text


@of_tree(maxsize=256)
def _shows_use_anywhere(source: Source) -> bool:
    return _shows_use(source.text)


@of_tree(maxsize=256)
def _walked_in(source: Source) -> frozenset[str]:
    return frozenset(re.sub(r"\s", "", each).rpartition("(")[2] for each in _WALKED.findall(source.text))


_ASKED_OF_OBJECTS: Final = _ASKED_OF_MODULES | {"step"}


@of_file
@of_tree(maxsize=256)
def _objects(source: Source, around: ast.AST) -> frozenset[str]:
    """The names that are asked for what modules and optimizers have, called to compute a loss, or walked by a loop."""
    found = set(_losses_in(source, around)) | _called_as_modules(source, around)
    iterated = [each.iter for each in of_kind(around, ast.For)]
    iterated += [each.iter for each in of_kind(around, ast.AsyncFor)]
    iterated += [each.iter for each in of_kind(around, ast.comprehension)]
    for each in iterated:
        walked = each
        while isinstance(walked, ast.Call) and len(walked.args) > 0:
            walked = walked.args[0]  # `enumerate(tqdm(loader))`
        found.add(dotted(walked))
    for call in of_kind(around, ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in _ASKED_OF_OBJECTS:
            found.add(dotted(call.func.value))
    return frozenset(found - {""})
