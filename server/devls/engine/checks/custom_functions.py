"""Custom functions: what an `autograd.Function` gives back, reads, and saves."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core import program_moments, training_moments
from devls.engine.core.events.calls import FunctionMisused
from devls.engine.python import calls, classes
from devls.syntax.nodes import asked_of_file, bound_in, nodes_of, walk
from devls.values.conditions import leaves
from devls.values.history import Site
from devls.values.value import NONE, ClassValue, FunctionValue, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source


@program_moments.run_ended.on
def backward_has_run(m: Machine, function: FunctionValue, result: object) -> None:
    """The `backward` of a custom function has run: torch wants one value for each argument that `forward` has to be given."""
    cls, node = function.cls, function.node
    if cls is None or not isinstance(node, ast.FunctionDef) or node.name != "backward":
        return
    if m.state.get(cls, "#judged") or "torch.autograd.Function" not in classes.library_bases(m, cls):
        return
    forward = classes.class_attribute(m, cls, "forward")
    if not isinstance(forward, FunctionValue) or not isinstance(forward.node, ast.FunctionDef):
        return
    if _marks_its_results(forward.node):
        return  # torch never calls it
    given = forward.node.args
    apart = isinstance(classes.class_attribute(m, cls, "setup_context"), FunctionValue)
    wanted = len(given.posonlyargs) + len(given.args) - len(given.defaults) - (0 if apart else 1)
    returned = {_count(m, each) for each in leaves(m.resolve(result))}
    found = returned.pop() if len(returned) == 1 and given.vararg is None else None
    if found is None or found >= wanted:
        return
    last = [each for each in walk(node) if isinstance(each, ast.Return) and each.value is not None]
    if last:
        place = Site(function.source, last[-1], ())
        m.emit(FunctionMisused(place, None, cls.name, "count", wanted, found, value=last[-1].value))


@training_moments.function_applied.on
def function_applied(m: Machine, call: Invocation) -> None:
    """`MyFunction.apply(...)`: does `backward` return a gradient for each of the arguments?"""
    cls = m.resolve(call.receiver)
    if (
        not isinstance(cls, ClassValue)
        or "*" in call.keywords
        or call.keywords
        or m.state.get(cls, "#judged")
    ):
        return
    m.state.set(cls, "#judged", True)
    function = classes.class_attribute(m, cls, "backward")
    if not isinstance(function, FunctionValue) or isinstance(function.node, ast.Lambda):
        return
    forward = classes.class_attribute(m, cls, "forward")
    if isinstance(forward, FunctionValue) and _marks_its_results(forward.node):
        return  # torch never calls `backward`
    wanted = len(call.arguments) - 1
    spec = function.node.args
    if spec.vararg is not None or spec.kwonlyargs or len(spec.args) < 2:
        return
    below = m.state.fork()
    m.muted += 1
    try:
        ctx = Symbol(("ctx", id(function.node)), "ctx", named=True)
        grads: list[object] = [
            Symbol(("grad", id(function.node), each.arg), each.arg, named=True, hint="tensor")
            for each in spec.args[1:]
        ]
        result = m.resolve(calls.call_function(m, function, [ctx, *grads], {}, call.node))
    finally:
        m.muted -= 1
        m.state.restore(below)
    if isinstance(result, TensorValue) or (isinstance(result, Symbol) and result.hint == "tensor"):
        items: tuple[object, ...] = (result,)
    elif isinstance(result, TupleValue):
        items = result.items
    else:
        return
    extra = [m.resolve(each) for each in items[wanted:]]
    if len(items) == wanted or (
        len(items) > wanted and any(each == NONE or not isinstance(each, TensorValue) for each in extra)
    ):
        return
    returns = [
        each for each in walk(function.node) if isinstance(each, ast.Return) and each.value is not None
    ]
    place = Site(function.source, returns[-1] if returns else function.node, ())
    last = returns[-1].value if returns else None
    m.emit(FunctionMisused(place, None, cls.name, "count", wanted, len(items), m.site(call.node), last))


@program_moments.run_ended.on
def gradient_ignored(m: Machine, function: FunctionValue, result: object) -> None:
    """The `backward` of a custom function gives gradients without reading those that it is given: the chain ends there."""
    del result
    cls, node = function.cls, function.node
    if cls is None or not isinstance(node, ast.FunctionDef) or node.name != "backward":
        return
    if "torch.autograd.Function" not in classes.library_bases(m, cls):
        return
    returned = [each for each in walk(node) if isinstance(each, ast.Return) and not _is_nothing(each.value)]
    if (
        _gradients_given(node)
        and returned
        and not _reads_gradient(node)
        and not set(_kept_outside(node, ast.Load)) & _gradients_handed_on(function.source)
    ):
        place = Site(function.source, returned[-1], ())
        m.emit(FunctionMisused(place, None, cls.name, "gradient ignored", value=returned[-1].value))


@program_moments.run_ended.on
def saved_miscounted(m: Machine, function: FunctionValue, result: object) -> None:
    """The `backward` of a custom function unpacks other than as many tensors as its class has saved for it."""
    del result
    cls, node = function.cls, function.node
    if cls is None or not isinstance(node, ast.FunctionDef) or node.name != "backward" or not node.args.args:
        return
    if "torch.autograd.Function" not in classes.library_bases(m, cls):
        return
    unpacked = None if _is_base(function.source, cls.name) else _unpacked(node, node.args.args[0].arg)
    saved = (
        _saved_by(tuple(each.node for each in classes.linearize(m, cls))) if unpacked is not None else None
    )
    if unpacked is None or saved is None or saved == len(unpacked.elts):
        return
    place = Site(function.source, unpacked, ())
    m.emit(FunctionMisused(place, None, cls.name, "not saved", len(unpacked.elts), saved, value=unpacked))


def _marks_its_results(forward: ast.AST) -> bool:
    """Whether all that a `forward` returns is marked as not differentiable."""
    returned = {
        each.id
        for statement in walk(forward)
        if isinstance(statement, ast.Return) and statement.value is not None
        for each in walk(statement.value)
        if isinstance(each, ast.Name)
    }
    marked = {
        each.id
        for call in walk(forward)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "mark_non_differentiable"
        for argument in call.args
        for each in walk(argument)
        if isinstance(each, ast.Name)
    }
    return bool(returned) and returned <= marked


def _is_base(source: Source, name: str) -> bool:
    """Whether another class of the file takes over what is written here, and may save the tensors."""
    return any(
        isinstance(base, ast.Name) and base.id == name
        for each in source.statements
        if isinstance(each, ast.ClassDef)
        for base in each.bases
    )


def _unpacked(backward: ast.FunctionDef, context: str) -> ast.Tuple | None:
    """The names in `a, b = ctx.saved_tensors`, in the body of a `backward` itself."""
    for each in backward.body:
        target = each.targets[0] if isinstance(each, ast.Assign) else None
        value = each.value if isinstance(each, ast.Assign) else None
        if (
            isinstance(target, ast.Tuple)
            and not any(isinstance(one, ast.Starred) for one in target.elts)
            and value is not None
            and _is_attribute_of(value, context, "saved_tensors")
        ):
            return target
    return None


def _saved_by(definitions: tuple[ast.ClassDef, ...]) -> int | None:
    """Number of tensors that the classes of a custom function save; None where that is not plain."""
    methods = {
        each.name: each
        for definition in reversed(definitions)
        for each in definition.body
        if isinstance(each, ast.FunctionDef)
    }
    method = methods.get("setup_context") or methods.get("forward")
    if method is None or not method.args.args:
        return None
    static = [each.id for each in method.decorator_list if isinstance(each, ast.Name)] == ["staticmethod"]
    context = method.args.args[0].arg
    counts, seen = set[int](), 0
    for each in walk(method):
        if isinstance(each, ast.Name) and each.id == context:
            seen += 1
        elif (
            isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == context
        ):
            # Of results that are not differentiable nobody asks for gradients.
            seen -= each.attr not in ("save_for_backward", "to_save", "mark_non_differentiable")
        elif isinstance(each, ast.Call) and _is_attribute_of(each.func, context, "save_for_backward"):
            seen -= 1
            counts.add(-1 if any(isinstance(one, ast.Starred) for one in each.args) else len(each.args))
    if not static or seen or len(counts) > 1 or -1 in counts:
        return None  # the context is handed on, or tensors are saved in several ways
    return counts.pop() if counts else 0


def _is_attribute_of(called: ast.expr, owner: str, name: str) -> bool:
    return (
        isinstance(called, ast.Attribute)
        and called.attr == name
        and isinstance(called.value, ast.Name)
        and called.value.id == owner
    )


def _gradients_given(backward: ast.FunctionDef) -> set[str]:
    """The arguments of a `backward` behind its context."""
    spec = backward.args
    variadic = {each.arg for each in (spec.vararg, spec.kwarg) if each is not None}
    return {each.arg for each in (*spec.posonlyargs, *spec.args)[1:]} | variadic


def _reads_gradient(backward: ast.FunctionDef) -> bool:
    """Whether a `backward` uses what it is given, or leaves it to that of another class."""
    read = {each.id for each in walk(backward) if isinstance(each, ast.Name)}
    return bool(_gradients_given(backward) & read) or "super" in read


@asked_of_file(maxsize=64)
def _gradients_handed_on(source: Source) -> frozenset[tuple[str, ...]]:
    """The places outside of any call in which a `backward` that reads its gradient leaves something for another one."""
    return frozenset(
        place
        for node in nodes_of(source.unwatched_tree)
        if isinstance(node, ast.FunctionDef) and node.name == "backward" and _reads_gradient(node)
        for place in _kept_outside(node, ast.Store)
    )


def _kept_outside(backward: ast.FunctionDef, context: type[ast.expr_context]) -> Iterator[tuple[str, ...]]:
    """The places that a `backward` reads or writes and that outlive it: `request.tensor`, by its names from the last one on.

    What the context itself holds is of one call only; an object that it holds may be known to another context.
    """
    declared = {name for each in walk(backward) if isinstance(each, ast.Global) for name in each.names}
    own = bound_in(backward) - declared
    contexts = {each.arg for each in (*backward.args.posonlyargs, *backward.args.args)[:1]}
    for each in walk(backward):
        if not isinstance(getattr(each, "ctx", None), context):
            continue
        names: list[str] = []
        place: ast.AST = each
        while isinstance(place, (ast.Attribute, ast.Subscript)):
            names += [place.attr] if isinstance(place, ast.Attribute) else []
            place = place.value
        if isinstance(place, ast.Name) and place.id in contexts:
            if len(names) > 1:
                yield tuple(names)
        elif isinstance(place, ast.Name) and place.id not in own:
            yield (*names, place.id)


def _is_nothing(value: ast.expr | None) -> bool:
    """Whether a `backward` that returns this gives no gradient."""
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    return all(each is None or (isinstance(each, ast.Constant) and each.value is None) for each in parts)


def _count(m: Machine, value: object) -> int | None:
    """The number of gradients in what a `backward` returns; None where that is not known."""
    value = m.resolve(value)
    if isinstance(value, TupleValue):
        return len(value.items)
    is_gradient = isinstance(value, TensorValue) or (isinstance(value, Symbol) and value.hint == "tensor")
    return 1 if is_gradient else None
