"""The walk of one backward through the graph: what is freed, overwritten, or carried over from an iteration before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import limits
from devls.engine.core.events.events import BackwardAgain, SavedOverwritten
from devls.engine.core.joins import Contents, Entries
from devls.engine.python.names import assigned_names
from devls.engine.torch.nn import registry
from devls.syntax.layout import parents
from devls.syntax.nodes import walk
from devls.values.facts import fact
from devls.values.graph import Node
from devls.values.history import Site
from devls.values.value import InstanceValue, Mapping, Sequence, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import LoopFrame


class Walk:
    """One walk from a root to the leaves."""

    def __init__(self, m: Machine, call: ast.expr, text: str, receiver: ast.expr | None) -> None:
        self.m = m
        self.call = call
        self.text = text
        self.receiver = receiver
        self.seen: dict[Node, None] = {}
        self.leaves: list[TensorValue] = []
        self.open = False
        self.failed = False
        self.wanted: set[Node] | None = None
        self.ahead = False  # backward is not called here, but will be

    def visit(self, start: Node) -> None:
        """Walk all that is behind `start`, and report the first node that was freed or whose operand was overwritten."""
        m = self.m
        sure, unsure = [start], list[Node]()
        while sure or unsure:
            # Nodes certainly behind the root come first: they may be reached on uncertain paths, too.
            certain = bool(sure)
            node = sure.pop() if certain else unsure.pop()
            if node in self.seen:
                continue
            if len(self.seen) >= limits.GRAPH_WALK:
                self.open = True
                return
            self.seen[node] = None
            m.state.work += limits.WORK_OF_NODE
            if node.open:
                self.open = True
            certain = certain and (self.ahead or node.operation not in ("join", "item"))
            if certain and not self.failed:
                freed = m.state.get(node, "freed")
                if freed is not None:
                    freed = m.state.resolve(freed)
                # The program's changes of its graphs came in their turn, not before this function is called.
                of_program = node.serial < m.run_began and node not in m.freed_in_run
                if isinstance(freed, Site) and node.keeps is True and not of_program:
                    self._again(node, freed)
                elif node.serial >= m.run_began:
                    self._check_saved(node)
            for index, tensor in enumerate(node.inputs):
                edge = node.edges[index] if index < len(node.edges) else m.node(tensor)
                if isinstance(edge, Node):
                    # An operand that only may require grad may not be behind the root at all.
                    if self.wanted is None or edge in self.wanted:
                        (sure if certain and m.requires_grad(tensor) is True else unsure).append(edge)
                elif m.requires_grad(tensor) is not False and m.is_leaf(tensor) is True:
                    self.leaves.append(tensor)
                else:
                    self.open = True

    def _check_saved(self, node: Node) -> None:
        m = self.m
        for saved in node.saved:
            if m.version(saved.tensor) == saved.version or m.is_leaf(saved.tensor) is None:
                continue
            found = m.state.get(saved.storage, "written")
            if not (isinstance(found, tuple) and isinstance(found[0], Site)):
                continue
            if not isinstance(m.version(saved.tensor), int) or not isinstance(saved.version, int):
                continue
            m.emit(
                SavedOverwritten(
                    found[0] if self.ahead else m.site(self.call),
                    m.frame.statement,
                    node,
                    saved,
                    found[0],
                    by_step=bool(found[1]),
                    ahead=m.site(self.call) if self.ahead else None,
                )
            )
            self.failed = True
            return

    def _again(self, node: Node, freed: Site) -> None:
        m = self.m
        self.failed = True
        if m.state.get(self.call, "#walked again") is not None:
            return  # told in the iteration before
        m.state.set(self.call, "#walked again", True)
        loop = m.loops[-1] if m.loops else None
        carried = loop is not None and node.serial < loop.iteration
        carrier = Carrier()
        statement: ast.stmt | None = None
        if carried and loop is not None:
            carrier = _carrier(m, loop, node)
            statement = loop.node if isinstance(loop.node, ast.stmt) else None
        stale = _is_stale(m, node)
        shared, unwanted = self._shared(nearest=stale) if not carried else ("", False)
        m.emit(
            BackwardAgain(
                m.site(self.call),
                m.frame.statement,
                node,
                freed,
                self.text,
                self.receiver,
                carried,
                carrier.name,
                statement,
                self.call if isinstance(self.call, ast.Call) else None,
                freed.node,
                carrier.kind,
                before_loop=loop is not None and node.serial < loop.number,
                kept=carrier.kept,
                kept_value=carrier.value,
                outer_name=carrier.outer,
                outer_made=carrier.made,
                shared_name=shared,
                unwanted=unwanted,
                stale=stale,
            )
        )

    def _shared(self, *, nearest: bool) -> tuple[str, bool]:
        """The variable whose graph was walked before, and whether the gradients that it got then are gone.

        The `nearest` one may be made of what was walked.
        """
        m, scope = self.m, self.m.frame.scope
        values = [(name, m.resolve(m.state.get(scope, name))) for name in sorted(scope.names, reverse=True)]
        called = {id(value): name for name, value in values}  # of several names the first
        for node in self.seen:
            if m.state.get(node, "freed") is not None:
                continue
            for tensor, edge in zip(node.inputs, node.edges, strict=False):
                name = called.get(id(tensor), "")
                if name and isinstance(edge, Node) and m.state.get(edge, "freed") is not None:
                    leaves = _leaves(m, edge)
                    unwanted = bool(leaves) and all(
                        m.state.resolve(m.state.get(each, "grad", "none")) == "lost" for each in leaves
                    )
                    return name, unwanted
                if nearest and name and isinstance(edge, Node) and _is_rearranged(m, edge):
                    return name, False
        return "", False


def _is_rearranged(m: Machine, start: Node) -> bool:
    """Whether a value is only made of what was walked before, by operations that keep nothing: rows of it, stacked."""
    seen, stack = set[Node](), [start]
    while stack and len(seen) < limits.GRAPH_WALK:
        node = stack.pop()
        if m.state.get(node, "freed") is not None:
            return True
        if node not in seen and node.keeps is not True:
            seen.add(node)
            m.state.work += limits.WORK_OF_NODE
            stack += [each for each in node.edges if isinstance(each, Node)]
    return False


def _is_stale(m: Machine, start: Node) -> bool:
    """Whether a graph that was freed kept what a step has changed since: it could not be walked again if it was kept."""
    seen, stack = set[Node](), [start]
    while stack and len(seen) < limits.GRAPH_WALK:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        m.state.work += limits.WORK_OF_NODE
        stack += [each for each in node.edges if isinstance(each, Node)]
        for saved in node.saved:
            written = m.state.get(saved.storage, "written")
            now = m.version(saved.tensor)
            counted = isinstance(now, int) and isinstance(saved.version, int)
            if isinstance(written, tuple) and written[1] and counted and now != saved.version:
                return True
    return False


def _leaves(m: Machine, start: Node) -> set[TensorValue]:
    """The leaves that get gradients through an operation."""
    found, seen, stack = set[TensorValue](), set[Node](), [start]
    while stack and len(seen) < limits.GRAPH_WALK:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        m.state.work += limits.WORK_OF_NODE
        stack += [each for each in node.edges if isinstance(each, Node)]
        found.update(
            each for each in node.inputs if m.is_leaf(each) is True and m.requires_grad(each) is True
        )
    return found


@fact
class Carrier:
    """Carrier of a freed graph into an iteration."""

    name: str = ""
    """The variable, or the attribute of one, that the last iteration has set."""
    kind: str = ""
    """Its kind, if it holds tensors."""
    kept: Site | None = None
    """Place at which a module deep in the variable's was given its attribute, and the value."""
    value: ast.expr | None = None
    outer: str = ""
    """The variable that no iteration sets: it was computed before the loop, and where."""
    made: Site | None = None


def _carrier(m: Machine, loop: LoopFrame, freed: Node) -> Carrier:
    """Carrier of a freed graph into this iteration."""
    scope = m.frame.scope
    here = m.state.layer
    target = getattr(loop.node, "target", None)
    # A value that the loop itself sets anew carries nothing over.
    bound = {each.id for each in walk(target) if isinstance(each, ast.Name)} if target is not None else set()
    names = sorted(assigned_names(loop.node) - bound)
    found = Carrier()
    owners = {name: m.resolve(m.state.get(scope, name)) for name in sorted(scope.names - set(names))}
    if loop.start is not None:
        m.state.restore(loop.start)
        for name in names:
            value = m.resolve(m.state.get(scope, name))
            kind, tensors = _held(m, value)
            if not any(_is_freed(m, each) for each in tensors):
                continue
            reused = any(
                isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load)
                for each in walk(loop.node)
            )
            if (
                reused
                and not _set_first(loop.node, name)
                and (kind or any(each.nonscalar for each in tensors) or not found.name)
            ):
                found = Carrier(name, kind)
        found = found if found.name else _carrying_attribute(m, owners, freed)
        found = found if found.name else _carrying_from_before(m, loop, owners, freed)
        m.state.restore(here)
    return found


def _held(m: Machine, value: object) -> tuple[str, list[TensorValue]]:
    """The tensors that a variable is or holds; what it is, if it holds nothing else."""
    if isinstance(value, TensorValue):
        return "", [value]
    if isinstance(value, Symbol) and value.computed is not None and value.computed.node is not None:
        made = value.computed  # by a model of which no code is seen
        return "tensor or tuple", [TensorValue(requires_grad=made.requires_grad, leaf=False, node=made.node)]
    kind, held = "", ()  # type: tuple[str, tuple[object, ...]]
    if isinstance(value, TupleValue):
        kind, held = "tuple", value.items
    elif isinstance(value, Sequence):
        contents = m.state.get(value, "#items")
        if isinstance(contents, Contents):
            each = contents.element
            kind, held = "list", (*(contents.items or ()), *([each] if each is not None else []))
    elif isinstance(value, Mapping):
        entries = m.state.get(value, "#entries")
        if isinstance(entries, Entries) and entries.rest is None:
            kind, held = "dict", tuple(entries.known.values())
    tensors = [each for each in map(m.resolve, held) if isinstance(each, TensorValue)]
    return (kind, tensors) if len(tensors) == len(held) else ("", [])


def freed_by(m: Machine, tensor: TensorValue) -> Site | None:
    """The backward that has freed something behind a tensor that another one would need."""
    stack, seen = [m.node(tensor)], set[Node]()
    while stack and len(seen) < limits.GRAPH_WALK:
        node = stack.pop()
        if not isinstance(node, Node) or node in seen:
            continue
        freed = m.state.resolve(m.state.get(node, "freed"))
        if isinstance(freed, Site) and node.keeps is True:
            return freed
        seen.add(node)
        stack += node.edges
    return None


def _is_freed(m: Machine, tensor: TensorValue) -> bool:
    node = m.node(tensor)
    return isinstance(node, Node) and m.state.get(node, "freed") is not None and node.keeps is not False


def _leads_to(m: Machine, tensor: TensorValue, wanted: Node) -> bool:
    """Whether an operation lies in the graph behind a tensor."""
    stack, seen = [m.node(tensor)], set[Node]()
    while stack and len(seen) < limits.GRAPH_WALK:
        node = stack.pop()
        if node is wanted:
            return True
        if isinstance(node, Node) and node not in seen:
            seen.add(node)
            m.state.work += limits.WORK_OF_NODE
            stack += node.edges
    return False


def _set_first(loop: ast.AST, name: str) -> bool:
    """Whether the body of a loop sets a name before it reads it: then the last iteration's value is gone."""
    for statement in getattr(loop, "body", ()):
        mentions = [each for each in walk(statement) if isinstance(each, ast.Name) and each.id == name]
        if mentions:
            stores = isinstance(statement, ast.Assign) and not any(
                isinstance(each, ast.Name) and each.id == name for each in walk(statement.value)
            )
            return stores and isinstance(mentions[0].ctx, ast.Store)
    return False


def _carrying_from_before(m: Machine, loop: LoopFrame, owners: dict[str, object], freed: Node) -> Carrier:
    """A tensor that the loop reads and never sets: its graph is the same one in each iteration."""
    for name, value in owners.items():
        read = isinstance(value, TensorValue) and any(
            isinstance(each, ast.Name) and each.id == name for each in walk(loop.node)
        )
        if read and isinstance(value, TensorValue) and not value.is_parameter and _leads_to(m, value, freed):
            return Carrier(outer=name, made=value.origin)
    return Carrier()


def _kept_deep(m: Machine, name: str, owner: InstanceValue, freed: Node) -> Carrier:
    """Value of the last iteration kept by a module below one that the loop uses."""
    for path, module in registry.walk_named(m, owner):
        for attribute, value in registry.entries(m, module) if path else ():
            tensor = m.resolve(value)
            made = tensor.origin if isinstance(tensor, TensorValue) and _leads_to(m, tensor, freed) else None
            if made is not None and isinstance(made.node, ast.expr) and _is_assigned(made, attribute):
                return Carrier(f"{name}.{path}.{attribute}", kept=made, value=made.node)
    return Carrier()


def _is_assigned(made: Site, attribute: str) -> bool:
    """Whether an expression is all that is assigned to an attribute of that name."""
    statement = parents(made.source).get(made.node)
    return isinstance(statement, ast.Assign) and any(
        isinstance(each, ast.Attribute) and each.attr == attribute for each in statement.targets
    )


def _carrying_attribute(m: Machine, owners: dict[str, object], freed: Node) -> Carrier:
    """`model.hidden`: what an object that the loop, or a method called in it, uses has kept of the last iteration."""
    for name, owner in owners.items():
        if not isinstance(owner, InstanceValue):
            continue
        for attribute, value in registry.entries(m, owner):
            kind, tensors = _held(m, m.resolve(value))
            nodes = [each for each in map(m.node, tensors) if isinstance(each, Node)]
            if any(m.state.get(each, "freed") is not None for each in nodes):
                pair = not kind and any(".LSTM." in each.operation for each in nodes)
                return Carrier(f"{name}.{attribute}", "tuple" if pair else kind)
        deep = _kept_deep(m, name, owner, freed) if registry.is_module(m, owner) else Carrier()
        if deep.name:
            return deep
    return Carrier()


# Terms of a loss that unseen code has made


TERMS: Final = "#terms"
"""The slot of a result that holds what it is a sum, or a multiple, of."""

_MOST: Final = 16
"""Terms of one loss that are looked at."""


def terms_of(m: Machine, root: TensorValue) -> list[TensorValue]:
    """The terms of a loss of which we do not know whether they carry a graph: results of code that we do not see."""
    found: list[TensorValue] = []
    stack: list[object] = [root]
    seen: set[object] = set()
    while stack and len(found) < _MOST:
        each = stack.pop()
        if each in seen:
            continue  # a sum in place is a term of itself
        seen.add(each)
        m.state.work += limits.WORK_OF_NODE
        terms = m.state.get(each, TERMS, ())
        if isinstance(each, TensorValue) and each.symbol is not None:
            terms = terms or m.state.get(each.symbol, TERMS, ())
        for term in terms if isinstance(terms, tuple) else ():
            stack.append(term)
            tensor = m.tensor_of(term) if not isinstance(term, Symbol) or not term.named else None
            if tensor is not None and m.requires_grad(tensor) is None:
                found.append(tensor)
    return found
