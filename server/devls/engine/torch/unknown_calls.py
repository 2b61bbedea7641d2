"""Calls of what we cannot see: models of which no code is there, other unknown things, bodies that are not run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import library_semantics, priors, program_moments, tensor_facts
from devls.engine.core.joins import Contents, Entries
from devls.engine.core.transfer import CALLS
from devls.engine.python import attributes, classes, narrowing, strings
from devls.engine.torch import checkpoints
from devls.engine.torch.autograd import backward
from devls.engine.torch.nn import registry, train_mode
from devls.library.effects import Result
from devls.syntax.nodes import of_tree, walk
from devls.values.devices import NamedDevice
from devls.values.state import AMBIENT
from devls.values.value import (
    BoundMethod,
    Const,
    FunctionValue,
    InstanceValue,
    Scope,
    Symbol,
    TensorValue,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.values.conditions import Tree


_ON_DEVICE_OF_RECEIVER: Final = frozenset({Result.TENSOR, Result.VIEW, Result.SELF})


@CALLS.of(Symbol, object)
def call_unknown(
    m: Machine,
    function: object,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    """Code that we cannot see: what it is given escapes, what it returns is unknown."""
    del keyword_nodes
    if not isinstance(function, Symbol):
        program_moments.value_called(m, function, node)
    tokenizes = _gives_tensors(keywords)
    is_module, builds = (False, False) if tokenizes else _computes_or_builds(m, function, arguments, node)
    program_moments.unseen_code_called(m, function, is_module=is_module)
    receiver = m.state.get(function, "#receiver")
    if isinstance(receiver, InstanceValue):
        _inherited(m, receiver, node)
    _opened(m, m.state.get(function, attributes.OWNER))
    if isinstance(function, Symbol) and is_module and node is not None:
        return _result_of_model(m, function, arguments, keywords, node, nodes)
    if isinstance(function, Symbol):
        priors.unseen_method_called(m, function, arguments, node, nodes, keywords)
        _updated(m, function, arguments, keywords)
        path = strings.path_of_option(m, function.key, arguments)
        if path is not None:
            return path
    for value in (*arguments, *keywords.values()):
        m.escape(value)
        _called_back(m, value)
    program_moments.unseen_code_given(m, function, [*arguments, *keywords.values()], node)
    if isinstance(function, Symbol):
        train_mode.called(m, function)
        program_moments.unseen_code_returned(m, function, arguments, node)
        checkpoints.called(m, node, function, arguments)
        _state_loaded(m, function, arguments, node)
        blur_graphs(m, arguments)
        _filled(m, arguments, node)
        if node is not None and _is_class(function) and priors.is_part_made(m, node):
            return unseen_module(m, node, function.text, on_cpu=False)
        if node is not None and _is_undefined_class(function) and priors.is_model_made(m, node, arguments):
            return unseen_module(m, node, function.text, on_cpu=_names_no_device(keywords))
        result = Symbol(
            ("result", function.key, m.fresh_number()),
            f"{function.text}(...)",
            hint="number" if _counts(function, arguments) else "",
            site=m.site(node) if node is not None else None,
        )
        if builds:
            m.state.set(result, "is module", True)
        if node is not None and tokenizes:
            priors.tensors_tokenized(m, result, node)
        place = _place_of_result(m, function)
        if place is not None:
            m.state.set(result.key, "#place", place)
        return result
    return m.unknown(node)


def _gives_tensors(keywords: dict[str, object]) -> bool:
    """Whether a tokenizer, or what prepares images, is asked for tensors of torch: `tokenizer(text, return_tensors="pt")`."""
    asked = keywords.get("return_tensors")
    return isinstance(asked, Const) and asked.value == "pt"


def _inherited(m: Machine, receiver: InstanceValue, node: ast.expr | None) -> None:
    """A method of a base class that is not seen: `self.to(device)` moves it, if that is a Module."""
    m.escape(receiver)
    registry.out_of_sight(m, receiver)
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(called, ast.Attribute) and called.attr == "zero_grad":
        backward.clear_unseen(m)


def _state_loaded(m: Machine, function: Symbol, arguments: list[object], node: ast.expr | None) -> None:
    """A state that something unknown loads is used: that of a GradScaler or a scheduler is numbers, which lie nowhere."""
    of_numbers = isinstance(node, ast.Call) and m.text(node.func).endswith(_OF_NUMBERS)
    if arguments and function.text.endswith(".load_state_dict") and not of_numbers:
        checkpoints.used(m, node, arguments[0])


def _place_of_result(m: Machine, function: Symbol) -> Tree | None:
    """Device of a method's result, should that turn out to be a tensor: then so is the receiver, as with `x.reshape(-1)`."""
    if not isinstance(function.key, tuple) or function.key[0] != "attr":
        return None
    _, owner, name = function.key
    operation = m.library.operation(f"torch.Tensor.{name}")
    if operation is None or operation.result not in _ON_DEVICE_OF_RECEIVER:
        return None
    known: Tree | None = m.state.get(owner, "#place")
    if known is not None or not function.named:
        return known
    text = function.text.rpartition(".")[0]
    return NamedDevice(("attr", owner, "device"), f"{text}.device", function.plausible, chosen=False)


def _opened(m: Machine, owner: object) -> None:
    """A method that torch's class lacks has run: somebody has given it to that class, and it may register modules."""
    if isinstance(owner, InstanceValue):
        layer = m.library.layer(owner.library)
        if layer is None or layer.container:
            m.state.set(owner, "#open", True)
        held = m.state.get(owner, "#children")
        if isinstance(held, Contents) and held.element is None:
            m.state.set(owner, "#children", Contents(held.items, m.unknown()))


def _called_back(m: Machine, value: object) -> None:
    """Unseen code may call a function whenever it likes: what that writes elsewhere is not known from here on."""
    for each in m.alternatives(value):
        function = each.function if isinstance(each, BoundMethod) else each
        if not isinstance(function, FunctionValue):
            continue
        receiver = each.receiver if isinstance(each, BoundMethod) else None
        for name, attribute in _written_elsewhere(function.node):
            holder: object = _scope_of(function, name)
            if attribute:
                first = function.node.args.args[:1]
                is_own = receiver is not None and bool(first) and first[0].arg == name
                holder = m.resolve(receiver if is_own else m.state.get(holder, name))
            if isinstance(holder, Scope if not attribute else InstanceValue):
                written = ("written later", id(holder), attribute or name)
                m.state.set(holder, attribute or name, Symbol(written, attribute or name))


def _scope_of(function: FunctionValue, name: str) -> Scope:
    """Scope of a name that is not a function's own."""
    scope: Scope | None = function.scope
    while scope is not None and name not in scope.names:
        scope = scope.parent
    return function.scope.globals if scope is None else scope


@of_tree(maxsize=256)
def _written_elsewhere(node: ast.AST) -> frozenset[tuple[str, str]]:
    """Writes of a function beside its own names: an attribute of a name, or ("name", "") that is global or nonlocal."""
    inside = walk(node)
    others = {name for each in inside if isinstance(each, (ast.Global, ast.Nonlocal)) for name in each.names}
    found = set[tuple[str, str]]()
    for each in inside:
        if not isinstance(getattr(each, "ctx", None), ast.Store):
            continue
        if isinstance(each, ast.Name) and each.id in others:
            found.add((each.id, ""))
        elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
            found.add((each.value.id, each.attr))
    return frozenset(found)


def _counts(function: Symbol, arguments: list[object]) -> bool:
    """Whether a method gives a number of whatever has it, as those of tensors do: `x.size(0)`, `x.numel()`."""
    key = function.key
    name = key[2] if isinstance(key, tuple) and key[0] == "attr" else ""
    return (name == "size" and len(arguments) == 1) or (name in ("numel", "nelement") and not arguments)


def _is_class(function: Symbol) -> bool:
    """Whether something unknown is a class, by the capital of its name."""
    return function.text.rpartition(".")[2].lstrip("_")[:1].isupper()


def _is_undefined_class(function: Symbol) -> bool:
    """Whether a name that nothing in its file binds is that of a class, by its capital."""
    return narrowing.is_undefined(function) and _is_class(function)


def _computes_or_builds(
    m: Machine, function: object, arguments: list[object], node: ast.expr | None
) -> tuple[bool, bool]:
    """Whether something unknown is a model or a loss that computes of what it is given, and whether it is a class of models."""
    if not isinstance(function, Symbol):
        return False, False
    if priors.is_model(m, function) and not _is_given_constant(m, function, arguments):
        builds = _is_class_of_models(m, function, arguments)
        return not builds and not (node is not None and priors.is_object_made(m, node)), builds
    given = arguments[:1]
    if any(_is_computed(m, each) or isinstance(m.resolve(each), Symbol) for each in given) and (
        priors.is_model_called(m, function, node)
    ):
        return True, False
    return priors.is_loss(m, function, arguments, node), False


def _result_of_model(
    m: Machine,
    function: Symbol,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr,
    nodes: list[ast.expr | None],
) -> Symbol:
    """Result of a model without visible code: its device, and its graph."""
    device = priors.device_of_model_result(m, function, arguments, node, nodes, keywords)
    computed = priors.graph_of_model_result(m, function, [*arguments, *keywords.values()], node)
    train_mode.called(m, function)
    program_moments.unseen_code_returned(m, function, arguments, node)
    checkpoints.called(m, node, function, arguments)
    return Symbol(
        ("result", function.key, m.fresh_number()),
        f"{function.text}(...)",
        site=m.site(node),
        device=device,
        computed=computed,
    )


def _is_given_constant(m: Machine, function: Symbol, arguments: list[object]) -> bool:
    """Whether something that is merely named like a model is given a constant or an array, which models compute nothing of."""
    first = m.resolve(arguments[0]) if arguments else None
    of_host = isinstance(first, InstanceValue) and first.library == "numpy.ndarray"
    return (of_host or isinstance(first, Const)) and m.state.get(function, "is module") is None


def _is_class_of_models(m: Machine, function: Symbol, arguments: list[object]) -> bool:
    """Whether something named like a model is a class of models, by its capital: `Net(10)`, of which nothing else says that it is one."""
    return (
        function.text.rpartition(".")[2][:1].isupper()
        and m.state.get(function, "is module") is None
        and not function.hint
        and not any(_is_computed(m, each) for each in arguments)
    )


def _is_computed(m: Machine, value: object) -> bool:
    """Whether something is a tensor, or what a model has computed."""
    found = m.resolve(value)
    return m.tensor_of(found, infer=False) is not None or (
        isinstance(found, Symbol) and found.computed is not None
    )


@CALLS.of(TensorValue)
def call_tensor(
    m: Machine,
    function: TensorValue,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    nodes: list[ast.expr | None],
    keyword_nodes: dict[str, ast.expr],
) -> object:
    """A tensor cannot be called: what was taken for one is a model that was saved as a whole."""
    if function.symbol is None:
        program_moments.value_called(m, function, node)
    statement = m.frame.statement
    if isinstance(statement, ast.Expr) and statement.value is node:
        _perhaps_moves_parts(m, function, [*arguments, *keywords.values()])
    called = m.unknown(node) if function.symbol is None else priors.model_loaded(m, function, function.symbol)
    return call_unknown(m, called, arguments, keywords, node, nodes, keyword_nodes)


def _perhaps_moves_parts(m: Machine, method: TensorValue, given: list[object]) -> None:
    """A method of what is no tensor is called for its effect: `batch.update(moved)`; one that is given a name takes it out."""
    owner = m.state.get(method, tensor_facts.PART_OF)
    if isinstance(owner, TensorValue) and not all(isinstance(m.resolve(each), Const) for each in given):
        tensor_facts.replace_part(m, owner, None, None)


@library_semantics.body_not_run.answer
def body_not_run(
    m: Machine,
    function: FunctionValue,
    receiver: object,
    arguments: list[object],
    keywords: dict[str, object],
    node: ast.expr | None,
    *,
    building: bool,
) -> object:
    """A body that we see is not run: it may train, move or clear whatever it is given."""
    given = (*arguments, *keywords.values())
    train_mode.not_run(m, given)
    checkpoints.not_run(m, function)
    # A `forward` computes and seldom trains; some clear what the last round has left.
    if function.name != "forward" or function.source.mentions(function.node, "zero_grad("):
        backward.not_run(m)
    for value in given:
        m.escape(value)
    priors.method_not_run(m, function, receiver, given)
    if building and all(each.receiver is not receiver for each in m.frames):
        m.built_with.add(function.node)  # what a whole constructs calls of a part: that was not moved yet
    if building or function.name == "__init__":
        classes.left_open(m, m.resolve(receiver))
    return priors.result_not_run(m, function, receiver, arguments, node)


_OF_NUMBERS: Final = ("scaler.load_state_dict", "scheduler.load_state_dict")


def _updated(m: Machine, function: Symbol, arguments: list[object], keywords: dict[str, object]) -> None:
    """`batch.update({"image": image.to(device)})`: entries of a dict that we do not see are set."""
    key = function.key
    if not (isinstance(key, tuple) and len(key) == 3 and key[0] == "attr" and key[2] == "update"):
        return
    owner, entries = (
        Symbol(key[1], ""),
        m.state.get(m.resolve(arguments[0]), "#entries") if arguments else None,
    )
    known = entries.known if isinstance(entries, Entries) else {}
    for name, value in (*known.items(), *keywords.items()):
        if not arguments or name in known:
            m.state.set(owner, f"[{name!r}]", value)


_TO_BE_FILLED: Final = frozenset("zeros empty zeros_like empty_like new_zeros new_empty".split())


def _filled(m: Machine, arguments: list[object], node: ast.expr | None) -> None:
    """Code that we cannot see was called for its effect: what is blank and given to it is filled there, graph and all."""
    statement = m.frames[-1].statement
    if not isinstance(statement, ast.Expr) or statement.value is not node or len(arguments) < 2:
        return
    for each in (one for value in arguments for one in m.alternatives(value)):
        made = each.origin.node if isinstance(each, TensorValue) and each.origin is not None else None
        if (
            isinstance(made, ast.Call)
            and isinstance(made.func, ast.Attribute)
            and made.func.attr in _TO_BE_FILLED
            and m.requires_grad(each) is False  # type: ignore[arg-type]
        ):
            m.state.set(each, "requires_grad", None)


@library_semantics.unknown_call.answer
def unknown_call(m: Machine, call: Invocation) -> object:
    """A library function that nobody described."""
    given = (*call.arguments, *call.keywords.values())
    for value in given:
        m.escape(value)
    program_moments.given_to_library(m, given)
    blur_graphs(m, call.arguments)
    if call.name.rpartition(".")[2][:1].isupper():
        if not m.library.surrounds(call.name) and priors.is_part_made(m, call.node):
            return unseen_module(m, call.node, call.short_name, on_cpu=False)
        if not m.library.surrounds(call.name) and priors.is_model_made(m, call.node, call.arguments):
            return unseen_module(m, call.node, call.short_name, on_cpu=_names_no_device(call.keywords))
        # By convention a class: an object of it, whose parts we do not know.
        instance = InstanceValue(None, call.name, m.site(call.node))
        if call.arguments:
            m.state.set(instance, "#argument", call.arguments[0])
        m.state.set(instance, "#escaped", True)
        return instance
    return m.unknown(call.node, f"{call.short_name}(...)")


def _names_no_device(keywords: Iterable[str]) -> bool:
    return not any("device" in each for each in keywords)


def unseen_module(m: Machine, node: ast.expr, name: str, *, on_cpu: bool) -> Symbol:
    """A module whose class we do not see."""
    site = m.site(node)
    made = Symbol(("module", m.fresh_number()), f"{name}(...)", site=site, hint="module")
    if on_cpu:
        m.state.set(made, registry.MADE_ON_CPU, site)
    return made


def blur_graphs(m: Machine, arguments: list[object]) -> None:
    """Unknown code may have run backward on what it was given."""
    for value in arguments:
        for each in m.alternatives(value):
            if isinstance(each, TensorValue) and m.requires_grad(each) is not False:
                m.state.set(each, "#escaped", True)
                if m.state.get(AMBIENT, "open backward") is None:
                    m.state.set(AMBIENT, "open backward", False)
