"""Optimizers as they are made: the parameters they are given, in groups."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import training_moments
from devls.engine.core.events.events import (
    LeafLost,
    OptimizerGiven,
)
from devls.engine.core.invocation import Invocation
from devls.engine.core.joins import Contents, Entries
from devls.engine.python import classes, iteration
from devls.engine.torch.nn import calls as module_calls
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors.grad_attribute import created_by
from devls.syntax.layout import ancestors
from devls.values.conditions import Either, leaves
from devls.values.history import Site, Step
from devls.values.state import AMBIENT
from devls.values.value import (
    Const,
    InstanceValue,
    Mapping,
    NativeFunction,
    Sequence,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.history import Site


def construct(m: Machine, call: Invocation) -> object:
    """`torch.optim.X(params, ...)`."""
    instance = InstanceValue(None, call.name, m.site(call.node))
    given = call.argument(0, "params")
    node = call.argument_node(0, "params")
    settings: list[tuple[Entries, list[TensorValue]]] = []
    parameters, whole = _parameters(m, call, given, node, settings)
    m.state.set(instance, "#parameters", tuple(parameters))
    owner = registry.unseen_owner(m, m.resolve(given))
    parts = registry.given_parts(m, owner) if owner is not None else ()
    for parameter in (*parameters, *(one for part in parts for one in registry.parameters(m, part))):
        m.state.set(parameter, "#optimized", True)
    training_moments.optimizer_built(m, instance, parameters)
    m.state.set(instance, "#whole", whole)
    m.state.set(instance, "#given", m.resolve(given))
    built = m.state.resolve(m.state.get(AMBIENT, "optimizers built", ()))
    m.state.set(AMBIENT, "optimizers built", (*built, instance) if isinstance(built, tuple) else None)
    m.state.set(instance, "#text", _short_text(m, call))
    groups = m.new_list(
        tuple(_group(m, call, known.known, held, whole=whole) for known, held in settings)
        or (_group(m, call, {}, parameters, whole=whole),),
        call.node,
    )
    m.state.set(instance, "param_groups", groups)
    kind = m.library.optimizer(call.name)
    momentum = call.argument(2, "momentum")
    if (
        momentum is not None
        and m.resolve(momentum) not in (Const(0), Const(0.0))
        and isinstance(m.resolve(momentum), Const)
    ):
        m.state.set(instance, "#momentum", True)
    if kind is not None and kind.state == "constructor":
        for parameter in parameters:
            m.state.set((instance, parameter), "state device", m.device(parameter))
    return instance


_LIBRARY: Final = "torch.optim."


def inherited(m: Machine, optimizer: InstanceValue, call: Invocation) -> None:
    """`super().__init__(params, defaults)` in an optimizer that the program writes itself: its groups.

    Whom it trains and when it steps is up to its own code.
    """
    cls = optimizer.cls
    if cls is None or not any(each.startswith(_LIBRARY) for each in classes.library_bases(m, cls)):
        return
    base = Invocation(
        f"{_LIBRARY}Optimizer",
        call.arguments[1:],
        call.keywords,
        call.node,
        call.nodes[1:],
        call.keyword_nodes,
    )
    settings: list[tuple[Entries, list[TensorValue]]] = []
    given, node = base.argument(0, "params"), base.argument_node(0, "params")
    parameters, whole = _parameters(m, base, given, node, settings)
    entries = m.state.get(m.resolve(base.argument(1, "defaults")), "#entries")
    defaults = entries.known if isinstance(entries, Entries) else {}
    groups = [_group(m, base, {**defaults, **known.known}, held, whole=whole) for known, held in settings]
    groups = groups or [_group(m, base, defaults, parameters, whole=whole)]
    m.state.set(optimizer, "param_groups", m.new_list(tuple(groups), call.node))
    m.state.set(optimizer, _HELD, tuple(parameters))


_HELD: Final = "#held by own code"
"""The slot of the parameters that an optimizer of the program was given."""


def inherited_method(m: Machine, optimizer: InstanceValue, name: str) -> NativeFunction | None:
    """`zero_grad` of `torch.optim.Optimizer`, for an optimizer of the program; None for all else."""
    held = m.state.resolve(m.state.get(optimizer, _HELD))
    if name != "zero_grad" or not isinstance(held, tuple):
        return None

    def run(_arguments: list[object], _keywords: dict[str, object]) -> object:
        for each in held:
            m.state.set(each, "grad", "none")
        return Const(None)

    return NativeFunction(name, run)


def _group(
    m: Machine, call: Invocation, known: dict[object, object], parameters: list[TensorValue], *, whole: bool
) -> Mapping:
    """One of the `param_groups`: its parameters in a list, and settings."""
    held = m.new_list((), call.node)
    # The unseen part of an optimizer's parameters may be in any of its groups.
    m.state.set(held, "#items", Contents(tuple(parameters), None if whole else m.unknown()))
    return m.new_dict({**known, "params": held}, m.unknown(), call.node)


def _short_text(m: Machine, call: Invocation) -> str:
    statement = m.frame.statement
    if isinstance(statement, ast.Assign) and statement.value is call.node:
        return m.text(statement.targets[0])
    return call.short_name


def _is_one_of_many(tensor: TensorValue) -> bool:
    """Whether a tensor stands for all that a comprehension makes: unpacked into several names it is another one in each."""
    made = tensor.origin
    return made is not None and any(
        isinstance(each, (ast.ListComp, ast.GeneratorExp)) for each in ancestors(made.source, made.node)
    )


class _Given:
    """The argument of an optimizer's constructor, and the tensors that are found in it."""

    def __init__(
        self,
        m: Machine,
        call: Invocation,
        given: object,
        node: ast.expr | None,
        groups: list[tuple[Entries, list[TensorValue]]],
    ) -> None:
        self.m = m
        self.call = call
        self.value = m.resolve(given)
        self.node = node
        self.groups = groups
        self.text = m.text(node) if node is not None else "its argument"
        self.found: list[TensorValue] = []
        self.perhaps: set[TensorValue] = set()  # what a list holds on one path, or after some iterations

    def report(self, problem: str, why: Step | None = None, made: Site | None = None) -> None:
        """Tell what is wrong with the argument."""
        value = self.value
        if problem == "exhausted" and isinstance(value, Sequence):
            made = value.origin
        m, call = self.m, self.call
        m.emit(
            OptimizerGiven(
                m.site(call.node),
                m.frame.statement,
                call.short_name,
                problem,
                self.text,
                self.node,
                why,
                made,
            )
        )

    def take(self, tensor: TensorValue) -> None:
        """One tensor to be trained, which has to be a leaf."""
        m = self.m
        self.found.append(tensor)
        if m.is_leaf(tensor) is not False or m.requires_grad(tensor) is not True:
            return
        step = m.state.get(tensor, "grad_step", tensor.grad_step)
        lost = m.state.get(tensor, "leaf lost")
        if isinstance(lost, str) and tensor.origin is not None:
            made = created_by(m, tensor)
            m.emit(LeafLost(m.site(self.call.node), m.frame.statement, self.text, lost, tensor.origin, made))
        else:
            self.report("non-leaf", step if isinstance(step, Step) else None, tensor.origin)

    def take_group(self, entries: object) -> bool:
        """A group of parameters with settings of its own; whether all of its tensors are seen."""
        if not isinstance(entries, Entries) or "params" not in entries.known:
            return False
        inner = self.m.resolve(entries.known["params"])
        if isinstance(inner, TensorValue):
            self.found.append(inner)
            self.groups.append((entries, [inner]))
            return True
        last = _used_up(self.m, inner)
        nested, complete = given_items(self.m, inner, self.perhaps)
        if last is not None and complete and not nested:
            why = Step("gives its last item here", last, kind="ended")
            self.report("exhausted group", why, inner.origin if isinstance(inner, Sequence) else None)
            complete = False  # as if they were there
        held = [tensor for tensor in map(self.m.resolve, nested) if isinstance(tensor, TensorValue)]
        for tensor in held:
            self.take(tensor)
        self.groups.append((entries, held))
        return complete

    def take_item(self, item: object) -> bool:
        """One item of the list that was given; whether all of its tensors are seen."""
        m = self.m
        each = m.resolve(item)
        if isinstance(each, Mapping):
            return self.take_group(m.state.get(each, "#entries"))
        if isinstance(each, TupleValue) and each.items:
            each = m.resolve(each.items[-1])
        if isinstance(each, TensorValue):
            self.take(each)
            return True
        if isinstance(each, Either):
            self.found += [leaf for leaf in m.alternatives(each) if isinstance(leaf, TensorValue)]
        return False

    def is_module(self) -> bool | None:
        """Whether a module was given in place of its parameters; None if what was given is no instance."""
        alternatives = self.m.alternatives(self.value)
        instances = [each for each in alternatives if isinstance(each, InstanceValue)]
        if len(instances) != len(alternatives):
            return None
        return all(registry.is_module(self.m, each) for each in instances) and not any(
            _gives_parameters(self.m, each) for each in instances
        )

    def _kept_unregistered(self) -> bool:
        """Whether the module that was asked for its parameters keeps its layers where torch does not find them."""
        m, node = self.m, self.node
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        name = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
        module = m.resolve(m.state.get(m.frame.scope, name)) if name else None
        return (
            isinstance(module, InstanceValue)
            and registry.is_module(m, module)
            and module_calls.tell_unregistered(m, module, node, m.site(self.call.node))
        )

    def items(self) -> tuple[list[object], bool]:
        """The items of the argument, and whether these are all; tells of a list without any."""
        m, value = self.m, self.value
        if not isinstance(value, Sequence):
            return given_items(m, value, self.perhaps)
        # Asked first: going through an iterator uses it up.
        exhausted = m.state.get(value, "#exhausted") is True
        last = iteration.exhausted_at(m, value)
        items, whole = given_items(m, value, self.perhaps)
        if whole and not items:
            if exhausted:
                why = None if last is None else Step("gives its last item here", last, kind="ended")
                self.report("exhausted", why)
            elif not any(frame.symbolic for frame in m.frames) and not self._kept_unregistered():
                self.report("empty")
        return items, whole


def _used_up(m: Machine, value: object) -> Site | None:
    """Place at which an iterator has given its last item, if it has."""
    if not isinstance(value, Sequence) or m.state.get(value, "#exhausted") is not True:
        return None
    return iteration.exhausted_at(m, value)


def clipped(m: Machine, call: Invocation) -> None:
    """Gradients of what an iterator gives are clipped: one that has given all gives none."""
    value = m.resolve(call.argument(0, "parameters"))
    last, contents = _used_up(m, value), m.state.get(value, "#items")
    if last is None or contents != Contents(()) or m.silent:
        return
    why = Step("gives its last item here", last, kind="ended")
    node = call.argument_node(0, "parameters")
    text = m.text(node) if node is not None else "its argument"
    m.emit(
        OptimizerGiven(
            m.site(call.node),
            m.frame.statement,
            call.short_name,
            "nothing clipped",
            text,
            node,
            why,
            value.origin if isinstance(value, Sequence) else None,
        )
    )


def _parameters(
    m: Machine,
    call: Invocation,
    argument: object,
    node: ast.expr | None,
    groups: list[tuple[Entries, list[TensorValue]]],
) -> tuple[list[TensorValue], bool]:
    """The tensors that an optimizer was given, and whether these are all of them; `groups` gets those it was given."""
    given = _Given(m, call, argument, node, groups)
    found = given.found
    if isinstance(given.value, TensorValue) and given.value.symbol is None:
        given.report("tensor")
        return found, False
    is_module = given.is_module()
    if is_module is not None:
        if is_module:
            given.report("module")
        return found, False
    items, whole = given.items()
    for item in items:
        whole = given.take_item(item) and whole
    sure = [each for each in found if each not in given.perhaps and not _is_one_of_many(each)]
    if len(set(sure)) < len(sure) and not m.muted and not any(each.symbol is not None for each in found):
        given.report("twice")
    return found, whole


def _gives_parameters(m: Machine, instance: InstanceValue) -> bool:
    """Whether a module can be iterated over for its parameters: a list of them, or one that says how in its class."""
    return (
        instance.library == "torch.nn.ParameterList" or classes.method_of(m, instance, "__iter__") is not None
    )


def given_items(m: Machine, value: object, perhaps: set[TensorValue]) -> tuple[list[object], bool]:
    """The items of what was given, and whether these are all; `perhaps` gets those that may not be in it."""
    if isinstance(value, TupleValue):
        return list(value.items), True
    if isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents):
            items = list(contents.items or ())
            if contents.element is not None:
                items.append(contents.element)
                perhaps.update(
                    each for each in m.alternatives(contents.element) if isinstance(each, TensorValue)
                )
            whole = contents.items is not None and contents.element is None
            if value.kind == "iterator" and whole:
                iteration.exhaust(m, value)
            return items, whole
    return [], False


def name_of(m: Machine, optimizer: InstanceValue, default: str = "the optimizer") -> str:
    """The name that an optimizer was given where it was made; a default where ways differ that made it."""
    names = {each for each in leaves(m.state.get(optimizer, "#text")) if isinstance(each, str)}
    return names.pop() if len(names) == 1 else default
