"""Gradients over time: in-place writes, backward, and what loops leave behind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.interpreter import accumulation, bootstraps, evaluation, graph_checks, limits, presumed, protocols
from devls.interpreter.events import (
    BackwardAgain,
    BackwardOfNonScalar,
    BackwardWithoutGraph,
    GraphCutHidden,
    GraphKept,
    LeafWritten,
    ParameterRebound,
    SavedOverwritten,
    StaleStep,
)
from devls.interpreter.joins import Contents, Entries
from devls.syntax.nodes import walk
from devls.values.conditions import any_of, apply, both, leaves, negation
from devls.values.graph import Node, Saved
from devls.values.history import Site
from devls.values.state import AMBIENT, MISSING
from devls.values.value import Const, InstanceValue, Mapping, Sequence, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from devls.interpreter.events import Operand
    from devls.interpreter.machine import Machine
    from devls.interpreter.machine_types import LoopFrame
    from devls.library.effects import Operation, Role
    from devls.values.conditions import Tree


# In-place writes


def touch(
    m: Machine, tensor: TensorValue, node: ast.AST, *, by_step: bool = False, perhaps: bool = False
) -> None:
    """A tensor's memory changes (or `perhaps` does): what saved it before will notice in backward."""
    m.state.set(tensor.storage, "version", ("perhaps", m.fresh_number()) if perhaps else m.fresh_number())
    m.state.set(tensor.storage, "written", (m.site(node), by_step))
    if not by_step:
        graph_checks.touched(m, tensor, node)


def leaf_written(m: Machine, node: ast.expr | ast.stmt, how: str, text: str, tensor: TensorValue) -> bool:
    """Report an in-place write that torch refuses; True when it does."""
    if m.grad_enabled() is not True:
        return False
    base = tensor.view_of
    if m.requires_grad(tensor) is True and m.is_leaf(tensor) is True and base is None:
        m.emit(LeafWritten(m.site(node), m.frame.statement, text, how, is_view=False, tensor=tensor))
        return True
    if (
        base is not None
        and m.requires_grad(base) is True
        and m.is_leaf(base) is True
        and m.requires_grad(tensor) is True
    ):
        m.emit(LeafWritten(m.site(node), m.frame.statement, text, how, is_view=True, tensor=base))
        return True
    return False


def written(
    m: Machine,
    node: ast.expr,
    how: str,
    target: Operand,
    operation: Operation,
    operands: list[tuple[Role, Operand]],
    needs: Tree,
    saved: list[tuple[str, TensorValue | None]] | None,
) -> TensorValue:
    """An in-place operation: the tensor itself, with a new version and perhaps a graph."""
    tensor = target.tensor
    refused = leaf_written(m, node, how, target.text, tensor)
    owner = m.state.get(tensor, "grad of")
    if isinstance(owner, TensorValue) and "zero" in how:
        m.state.set(owner, "grad", "none")
        if owner.symbol is not None:
            clear_unseen(m)
    touch(m, tensor, node)
    graph_checks.used_in_place(m, node, target.text, tensor)
    if refused or graph_checks.view_written(m, node, how, target.text, tensor, needs=needs is True):
        return tensor
    _stepped_by_hand(m, node, target.text, tensor)
    if m.grad_enabled() is False:
        return tensor
    joined = any_of(m.requires_grad(tensor), needs)
    if joined is not False and needs is not False:
        kept: list[Saved] = []
        for name, each in saved or ():
            held = tensor if each is None else each
            # The overwritten input is saved as it was; the result as it is now.
            version = m.version(held)
            if held.storage is not None and each is not tensor:
                kept.append(Saved(held, held.storage, version, name))
        inputs = tuple(each.tensor for _, each in operands if m.requires_grad(each.tensor) is not False)
        graph = Node(
            operation.name,
            inputs,
            m.site(node),
            tuple(kept),
            None if saved is None else bool(kept),
            any(each.symbol is not None for each in inputs),
            "yes",
            tuple(m.node(each) for each in inputs),  # type: ignore[misc]
        )
        m.state.set(tensor, "node", graph)
        m.state.set(tensor, "requires_grad", joined)
        m.state.set(tensor, "leaf", negation(joined))
        if tensor.view_of is not None:
            _written_through(m, tensor, tensor.view_of, graph, joined)
        elif tensor.may_share is not None:
            _perhaps_written_through(m, tensor.may_share, graph, joined)
    return tensor


def _stepped_by_hand(m: Machine, node: ast.expr, text: str, tensor: TensorValue) -> None:
    """`w -= lr * w.grad` under no_grad is a step: the gradient has been used."""
    source = m.state.get(tensor, "moved from")
    leaf = source if isinstance(source, TensorValue) else tensor
    if m.state.get(leaf, "#grad read") is None or m.is_leaf(leaf) is not True:
        return
    if m.state.get(leaf, "#optimized") is not None:
        return  # an optimizer makes the steps: this is something else (a perturbation, a constraint)
    m.state.set(leaf, "#grad read", None)
    status = m.state.resolve(m.state.get(leaf, "grad", "none"))
    if status == "mixed" and m.state.get(leaf, "#escaped") is None and m.loops:
        site = m.state.get(leaf, "grad site")
        if isinstance(site, tuple):
            m.emit(StaleStep(m.site(node), m.frame.statement, text, (site[0],), None, None, by_hand=True))
    if status in ("fresh", "mixed"):
        m.state.set(leaf, "grad", "used")


def _written_through(m: Machine, view: TensorValue, base: TensorValue, graph: Node, needs: Tree) -> None:
    """What is written to a view becomes part of its base, and of the base's graph."""
    before = m.node(base)
    whole = Node(
        "torch.Tensor.copy_slices", (view, base), graph.site, (), keeps=False, open=graph.open,
        edges=(graph, before if isinstance(before, Node) else None),
    )  # fmt: skip
    joined = any_of(m.requires_grad(base), needs)
    m.state.set(base, "requires_grad", joined)
    m.state.set(base, "leaf", negation(joined))
    m.state.set(base, "node", whole)


def _perhaps_written_through(m: Machine, base: TensorValue, graph: Node, needs: Tree) -> None:
    """What is written may be a view of `base`, or a copy of it."""
    if m.requires_grad(base) is True and m.is_leaf(base) is not True:
        return  # its graph may be another one, but there is one
    m.state.set(base, "requires_grad", any_of(m.requires_grad(base), both(needs, None)))
    m.state.set(base, "leaf", None if m.is_leaf(base) is not False else False)
    before = m.node(base)
    whole = Node(
        "torch.Tensor.copy_slices", (base,), graph.site, (), keeps=None, open=True,
        edges=(before if isinstance(before, Node) else None,),
    )  # fmt: skip
    m.state.set(base, "node", whole)


# Backward


def backward(
    m: Machine,
    call: ast.expr,
    root: TensorValue,
    receiver: ast.expr | None,
    *,
    retain: Tree,
    has_gradient: bool = False,
    accumulate: bool = True,
    only: list[TensorValue] | None = None,
) -> None:
    """`root.backward()`, or one root of `autograd.backward` / `autograd.grad`; `only` towards some tensors, if given."""
    evaluation.backward_called(m)
    presumed.backward_called(m)
    text = m.text(receiver) if receiver is not None else "the result"
    if accumulate:
        accumulation.backward(m, call, root, text)
    needs = m.requires_grad(root)
    escaped = m.state.get(root, "#escaped") is True
    if needs is False and not escaped and root.symbol is None:
        m.emit(
            BackwardWithoutGraph(
                m.site(call),
                m.frame.statement,
                text,
                m.state.get(root, "grad_step", root.grad_step),  # type: ignore[arg-type]
            )
        )
        open_backward(m, call)  # go on as if it were mended
        return
    if (
        not has_gradient
        and root.shape is not None
        and any(size is not None and size > 1 for size in root.shape)
    ):
        m.emit(BackwardOfNonScalar(m.site(call), m.frame.statement, text, receiver, root.shape))
    if needs is None and root.symbol is not None:
        # Somebody calls backward on it, so it carries a graph.
        m.state.set(root, "requires_grad", True)
        m.state.set(root, "leaf", False)
    walk = _Walk(m, call, text, receiver)
    start = m.node(root)
    if isinstance(start, Node):
        if only is not None:
            walk.wanted = _leading_to(m, start, only)
        if walk.wanted is None or start in walk.wanted:
            walk.visit(start)
    elif m.is_leaf(root) is not True or m.requires_grad(root) is not True:
        walk.open = True  # somebody gave it a graph that we do not see
    elif m.is_leaf(root) is True and accumulate:
        walk.leaves.append(root)
    m.walked.update(walk.seen)
    protocols.walked(m, call, receiver, walk.seen)
    m.walked_tensors.add(root)
    if walk.failed:
        open_backward(m, call)  # go on as if it were mended
        return
    graph_checks.data_writes(m, walk.seen, call)
    bootstraps.check(m, walk.seen, call)
    if isinstance(start, Node) and only is None:
        graph_checks.zero_gradients(m, start, walk.seen, call)
    if retain is not True:
        site = m.site(call)
        for node in walk.seen:
            if retain is False:
                m.state.set(node, "freed", site)
            else:
                m.state.set(node, "freed", None)
    if len(walk.leaves) == 1 and not walk.open and accumulate:
        hidden = m.state.get(walk.leaves[0], "hides a cut")
        if isinstance(hidden, GraphCutHidden):
            m.emit(hidden)
    if accumulate:
        for leaf in walk.leaves:
            accumulated_into(m, leaf, call)
        if walk.open:
            open_backward(m, call)


def walk_ahead(m: Machine, place: ast.expr, root: TensorValue) -> None:
    """Walk the graph of a result for which backward will be called elsewhere; nothing is freed or accumulated."""
    start = m.node(root)
    if not isinstance(start, Node):
        return
    walk = _Walk(m, place, "the result", None)
    walk.ahead = True
    walk.visit(start)
    if not walk.failed:
        graph_checks.data_writes(m, walk.seen, place)
        graph_checks.zero_gradients(m, start, walk.seen, place, ahead=True)


def accumulated_into(m: Machine, leaf: TensorValue, call: ast.AST) -> None:
    """A backward reached a leaf: its `.grad` is filled, or added to."""
    status = m.state.get(leaf, "grad", "none")
    m.state.set(
        leaf,
        "grad",
        apply(lambda each: {"none": "fresh", "lost": "fresh", "used": "mixed"}.get(str(each), each), status),
    )
    m.state.set(leaf, "grad site", (m.site(call), m.frame.statement, m.loops[-1].number if m.loops else 0))


def open_backward(m: Machine, call: ast.AST) -> None:
    """A graph of which we do not know all leaves was walked."""
    m.state.set(AMBIENT, "open backward", (m.site(call), m.frame.statement, 0))
    for optimizer in m.state.get(AMBIENT, "optimizers", ()):  # type: ignore[attr-defined]
        status = m.state.get(optimizer, "grad", "none")
        m.state.set(
            optimizer,
            "grad",
            apply(
                lambda each: {"none": "fresh", "lost": "fresh", "used": "mixed"}.get(str(each), each), status
            ),
        )


def clear_unseen(m: Machine) -> None:
    """Gradients of parameters that we do not see are cleared: whose they are cannot be told."""
    for each in m.state.get(AMBIENT, "optimizers", ()):  # type: ignore[attr-defined]
        m.state.set(each, "grad", "none")
    m.state.set(AMBIENT, "open backward", None)


def _leading_to(m: Machine, start: Node, wanted: list[TensorValue]) -> set[Node]:
    """The nodes of a graph that lie on a way to one of some tensors: autograd runs no others."""
    made_by = {node for each in wanted if isinstance(node := m.node(each), Node)}
    above: dict[Node, list[Node]] = {start: []}
    stack = [start]
    found: list[Node] = []
    while stack:
        node = stack.pop()
        if any(each in wanted for each in node.inputs):
            found.append(node)
        for edge in node.edges:
            if edge is None:
                continue
            if edge in made_by:
                found.append(node)
            if edge not in above:
                above[edge] = []
                stack.append(edge)
            above[edge].append(node)
    leading = set[Node]()
    while found:
        node = found.pop()
        if node not in leading:
            leading.add(node)
            found += above[node]
    return leading


class _Walk:
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
        m = self.m
        stack: list[tuple[Node, bool]] = [(start, True)]
        while stack and not self.failed:
            node, certain = stack.pop()
            if node in self.seen:
                continue
            if len(self.seen) >= limits.GRAPH_WALK:
                self.open = True
                return
            self.seen[node] = None
            if node.open:
                self.open = True
            certain = certain and (self.ahead or node.operation != "join")
            if certain:
                freed = m.state.resolve(m.state.get(node, "freed"))
                if isinstance(freed, Site) and node.keeps is True:
                    self._again(node, freed)
                    return
                self._check_saved(node)
            for index, tensor in enumerate(node.inputs):
                edge = node.edges[index] if index < len(node.edges) else m.node(tensor)
                if isinstance(edge, Node):
                    # An operand that only may require grad may not be behind the root at all.
                    if self.wanted is None or edge in self.wanted:
                        stack.append((edge, certain and m.requires_grad(tensor) is True))
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
        name = ""
        statement: ast.stmt | None = None
        if carried and loop is not None:
            name = _carrier(m, loop)
            statement = loop.node if isinstance(loop.node, ast.stmt) else None
        m.emit(
            BackwardAgain(
                m.site(self.call),
                m.frame.statement,
                node,
                freed,
                self.text,
                self.receiver,
                carried,
                name,
                statement,
                self.call if isinstance(self.call, ast.Call) else None,
                freed.node,
            )
        )


def _carrier(m: Machine, loop: LoopFrame) -> str:
    """The variable that brought a freed graph into this iteration."""
    from devls.interpreter.assignments import assigned_names  # noqa: PLC0415  a cycle otherwise

    scope = m.frame.scope
    here = m.state.layer
    names = sorted(assigned_names(loop.node))
    found = ""
    if loop.start is not None:
        m.state.restore(loop.start)
        for name in names:
            value = m.resolve(m.state.get(scope, name))
            tensor = value if isinstance(value, TensorValue) else None
            node = m.node(tensor) if tensor is not None else None
            if isinstance(node, Node) and m.state.get(node, "freed") is not None and node.keeps is not False:
                reused = any(
                    isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load)
                    for each in walk(loop.node)
                )
                if (
                    reused
                    and tensor is not None
                    and not _set_first(loop.node, name)
                    and (tensor.nonscalar or not found)
                ):
                    found = name
        found = found or _carrying_attribute(m, names)
        m.state.restore(here)
    return found


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


def _carrying_attribute(m: Machine, names: list[str]) -> str:
    """`model.hidden`: what a module that the loop uses has kept of the last iteration."""
    from devls.interpreter import modules  # noqa: PLC0415  a cycle otherwise

    scope = m.frame.scope
    for name in sorted(scope.names - set(names)):
        owner = m.resolve(m.state.get(scope, name))
        if not isinstance(owner, InstanceValue):
            continue
        for attribute, value in modules.entries(m, owner):
            parts = value.items if isinstance(value, TupleValue) else (value,)
            nodes = [m.node(each) for each in map(m.resolve, parts) if isinstance(each, TensorValue)]
            if nodes and any(
                isinstance(each, Node) and m.state.get(each, "freed") is not None for each in nodes
            ):
                pair = isinstance(value, TupleValue) or any(
                    isinstance(each, Node) and ".LSTM." in each.operation for each in nodes
                )
                return f"{name}.{attribute}" + ("(...)" if pair else "")
    return ""


# What outlives an iteration


class Candidate:
    """A graph-carrying value put where it outlives the iteration; judged later."""

    __slots__ = (
        "accumulates",
        "container",
        "in_forward",
        "loop",
        "mentions",
        "node",
        "site",
        "statement",
        "tensor",
        "text",
        "value_node",
    )

    def __init__(
        self,
        m: Machine,
        node: ast.AST,
        container: object,
        text: str,
        tensor: TensorValue,
        value_node: ast.expr | None,
        *,
        accumulates: bool,
        mentions: tuple[ast.expr, ...] = (),
    ) -> None:
        self.site = m.site(node)
        self.statement = m.frame.statement
        self.container = container
        self.text = text
        self.tensor = tensor
        self.node = m.node(tensor)
        self.value_node = value_node
        self.accumulates = accumulates
        self.mentions = mentions
        self.in_forward = any(
            frame.function is not None and frame.function.name == "forward" for frame in m.frames
        )
        self.loop = m.loops[-1] if m.loops else None

    def event(self) -> GraphKept:
        text = self.site.source.slice(self.value_node) if self.value_node is not None else "the value"
        tensor = self.tensor
        return GraphKept(
            self.site,
            self.statement,
            self.text,
            text,
            self.value_node,
            tensor,
            self.accumulates,
            mentions=self.mentions,
            scalar=tensor.shape == () or (tensor.shape is None and not tensor.nonscalar),
        )


def stored(
    m: Machine,
    node: ast.AST,
    container: Sequence | Mapping,
    value: object,
    value_node: ast.expr | None,
    *,
    keyed: bool = False,
) -> None:
    """A value is put into a container that may outlive the loops around."""
    if keyed:
        return  # overwritten in the next iteration
    loop = _outlived(m, container.serial)
    if loop is None:
        return
    tensor = _carrying(m, value)
    if isinstance(tensor, Symbol):
        tensor = m.tensor_of(tensor)
    if not isinstance(tensor, TensorValue) or m.grad_enabled() is False or tensor.is_parameter:
        return
    mentions: tuple[ast.expr, ...] = ()
    if tensor is not m.resolve(value):
        mentions = _mentions(m, value_node)
        value_node = None
    if m.requires_grad(tensor) is False or m.is_leaf(tensor) is True or tensor.serial < loop.iteration:
        return
    loop.candidates.append(
        Candidate(
            m,
            node,
            container,
            _container_text(m, node),
            tensor,
            value_node,
            accumulates=False,
            mentions=mentions,
        )
    )


def _mentions(m: Machine, node: ast.expr | None) -> tuple[ast.expr, ...]:
    """The names in a display (`{"loss": loss, "out": out}`) that stand for tensors with a graph."""
    if not isinstance(node, (ast.Dict, ast.Tuple)):
        return ()
    parts = node.values if isinstance(node, ast.Dict) else node.elts
    found: list[ast.expr] = []
    for each in parts:
        value = m.resolve(m.state.get(m.frame.scope, each.id)) if isinstance(each, ast.Name) else None
        if (
            isinstance(value, TensorValue)
            and m.requires_grad(value) is not False
            and m.is_leaf(value) is not True
        ):
            found.append(each)
    return tuple(found)


def _mention(m: Machine, node: ast.expr | None, tensor: TensorValue) -> ast.expr | None:
    """The name in an expression that stands for a tensor."""
    for each in walk(node) if node is not None else ():
        if isinstance(each, ast.Name) and m.resolve(m.state.get(m.frame.scope, each.id)) is tensor:
            return each
    return None


def _new_in(m: Machine, node: ast.expr | None, text: str, loop: LoopFrame) -> ast.expr | None:
    """A name in an expression for something of this iteration that carries a graph."""
    for each in walk(node) if node is not None else ():
        if isinstance(each, ast.Name) and each.id != text:
            value = m.resolve(m.state.get(m.frame.scope, each.id))
            if (
                isinstance(value, TensorValue)
                and value.serial >= loop.iteration
                and m.requires_grad(value) is True
                and m.is_leaf(value) is False
            ):
                return each
    return None


def _mention_of(node: ast.expr | None, text: str) -> ast.expr | None:
    """The place in an expression where something that has a text is read."""
    for each in walk(node) if node is not None else ():
        if isinstance(each, (ast.Name, ast.Attribute)) and ast.unparse(each) == text:
            return each
    return None


def _carrying(m: Machine, value: object) -> object:
    """A value, or the tensor with a graph in the tuple or dict that it is."""
    value = m.resolve(value)
    items: tuple[object, ...] = ()
    if isinstance(value, TupleValue):
        items = value.items
    elif isinstance(value, Mapping):
        entries = m.state.get(value, "#entries")
        items = tuple(entries.known.values()) if isinstance(entries, Entries) else ()
    for item in items:
        found = m.resolve(item)
        if isinstance(found, TensorValue) and m.requires_grad(found) is True and m.is_leaf(found) is not True:
            return found
    return value


def _container_text(m: Machine, node: ast.AST) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return m.text(node.func.value)
    if isinstance(node, ast.AugAssign):
        return m.text(node.target)
    if isinstance(node, ast.Subscript):
        return m.text(node.value)
    return m.text(node)


def _outlived(m: Machine, serial: int) -> LoopFrame | None:
    """The outermost running loop that began after something was made."""
    for loop in m.loops:
        if serial < loop.number:
            return loop
    return None


def accumulated(m: Machine, node: ast.AugAssign, before: object, value: object) -> None:
    """`total += loss`."""
    if not isinstance(node.op, (ast.Add, ast.Sub)) or not m.loops:
        return
    old = m.resolve(before)
    tensor = m.resolve(value)
    if isinstance(tensor, Symbol) and (isinstance(old, (TensorValue, Const, Symbol))):
        if tensor.hint in ("number", "string", "list"):
            return
        tensor = m.tensor_of(tensor)
    if not isinstance(tensor, TensorValue) or m.grad_enabled() is False:
        return
    if m.requires_grad(tensor) is False or m.is_leaf(tensor) is True:
        return
    loop = m.loops[-1]
    if tensor.serial < loop.iteration and not _made_since(tensor, loop):
        return
    survives = _survives(m, node.target, old, loop)
    if not survives:
        return
    loop.candidates.append(
        Candidate(m, node, None, m.text(node.target), tensor, node.value, accumulates=True)
    )


def _made_since(tensor: TensorValue, loop: LoopFrame) -> bool:
    return tensor.symbol is not None and tensor.serial >= loop.number


def _survives(m: Machine, target: ast.expr, old: object, loop: LoopFrame) -> bool:
    """Whether the accumulated name still holds what an earlier iteration put there."""
    del m, target
    # A number was set in this iteration or before the first: the second will find a tensor there.
    made = [getattr(each, "serial", None) for each in leaves(old)]
    return all(serial is not None and serial < loop.iteration for serial in made)


def rebinding(m: Machine, target: ast.Name, value: object, node: ast.expr | None) -> None:
    """`total = total + loss`, `w = w - lr * w.grad`: a name replaced by something made of itself."""
    if not isinstance(value, TensorValue):
        return
    graph = value.node
    old = m.resolve(m.state.get(m.frame.scope, target.id))
    if isinstance(old, TensorValue) and old is not value and node is not None:
        _parameter_rebound(m, target, old, value, node)
    if not isinstance(graph, Node) or not m.loops or m.requires_grad(value) is False:
        return
    m.loops[-1]
    mentions = node is not None and any(
        isinstance(each, ast.Name) and each.id == target.id for each in walk(node)
    )
    if mentions:
        for each in m.loops:
            if _summed(m, target, target.id, old, graph, node, each):
                break


def replaced(
    m: Machine, target: ast.Attribute | ast.Subscript, old: object, value: object, node: ast.expr | None
) -> None:
    """`self.total = self.total + loss`, `sums[key] = sums[key] + loss`."""
    value = m.resolve(value)
    if not isinstance(value, TensorValue) or not m.loops or node is None:
        return
    graph = value.node
    if isinstance(graph, Node) and m.requires_grad(value) is not False:
        for loop in m.loops:
            if _summed(m, target, m.text(target), m.resolve(old), graph, node, loop):
                break


def _summed(
    m: Machine, target: ast.expr, text: str, old: object, graph: Node, node: ast.expr | None, loop: LoopFrame
) -> bool:
    """Put aside a sum that holds what an earlier iteration put there, and a graph of this one."""
    if isinstance(old, TensorValue) and old.serial >= loop.iteration:
        return False
    if not isinstance(old, TensorValue) and (loop is not m.loops[-1] or not _arithmetic(node)):
        return False
    added = _added(m, graph, old, loop)
    if added is None:
        return False
    term = _term_of(node, text) if isinstance(target, ast.Name) else None
    mention = _mention(m, node, added) or _new_in(m, node, text, loop) or _mention_of(node, text)
    mentions = (mention,) if mention is not None else ()
    loop.candidates.append(Candidate(m, target, None, text, added, term, accumulates=True, mentions=mentions))
    return True


def _arithmetic(node: ast.expr | None) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))


def _term_of(node: ast.expr | None, name: str) -> ast.expr | None:
    """The side of `name + term` that is added."""
    if not isinstance(node, ast.BinOp):
        return None
    for side, other in ((node.left, node.right), (node.right, node.left)):
        if any(isinstance(each, ast.Name) and each.id == name for each in walk(side)):
            names = [each for each in walk(other) if isinstance(each, ast.Name)]
            return other if not isinstance(other, ast.BinOp) else next(iter(names), other)
    return None


def _added(m: Machine, graph: Node, old: object, loop: LoopFrame) -> TensorValue | None:
    """A graph-carrying tensor of this iteration near the top of a sum."""
    stack: list[tuple[Node, int]] = [(graph, 0)]
    found: TensorValue | None = None
    met = not isinstance(old, TensorValue)
    while stack:
        node, depth = stack.pop()
        for index, tensor in enumerate(node.inputs):
            if tensor is old:
                met = True
                continue
            if m.requires_grad(tensor) is False or m.is_leaf(tensor) is True:
                continue
            edge = node.edges[index] if index < len(node.edges) else None
            name = node.operation.rpartition(".")[2].strip("_")
            if (
                isinstance(edge, Node)
                and depth < 3
                and edge.operation.rpartition(".")[2].strip("_") in _ARITHMETIC
            ):
                stack.append((edge, depth + 1))
            if (
                tensor.serial >= loop.iteration
                and name in _ARITHMETIC
                and (found is None or tensor.serial < found.serial)
            ):
                found = tensor
    return found if met else None


_ARITHMETIC = frozenset(
    {"add", "sub", "mul", "truediv", "div", "radd", "rmul", "rsub", "iadd", "neg", "detach"}
)


def _parameter_rebound(
    m: Machine, target: ast.Name, old: TensorValue, value: TensorValue, node: ast.expr
) -> None:
    if (
        m.requires_grad(old) is not True
        or m.is_leaf(old) is not True
        or old.symbol is not None
        or not m.loops
    ):
        return
    uses_grad = any(
        isinstance(each, ast.Attribute)
        and each.attr == "grad"
        and isinstance(each.value, ast.Name)
        and each.value.id == target.id
        for each in walk(node)
    )
    if uses_grad:
        # Whether it becomes a leaf again (`w.requires_grad_()`) is seen where the iteration ends.
        event = ParameterRebound(
            m.site(target), m.frame.statement, target.id, node, under_no_grad=m.requires_grad(value) is False
        )
        m.loops[-1].candidates.append((m.frame.scope, target.id, value, event))


def iteration_ended(m: Machine, loop: LoopFrame) -> None:
    """Between two iterations: what was a leaf before has to be one in the next."""
    for candidate in loop.candidates:
        if not isinstance(candidate, tuple):
            continue
        scope, name, value, event = candidate
        kept = m.resolve(m.state.get(scope, name)) is value and m.state.get(value, "retains") is None
        if not kept or not isinstance(value, TensorValue):
            continue
        if m.requires_grad(value) is False or m.is_leaf(value) is False:
            m.emit(event)
            # Go on as if it had been updated in place.
            m.state.set(value, "requires_grad", True)
            m.state.set(value, "leaf", True)
            m.state.set(value, "node", None)
    loop.candidates = [each for each in loop.candidates if not isinstance(each, tuple)]


def loop_ended(m: Machine, loop: LoopFrame) -> None:
    """Judge what was put aside in the loop and already walked by a backward in it."""
    outer = m.loops[-1] if m.loops else None
    for candidate in loop.candidates:
        if not isinstance(candidate, Candidate) or _emptied(m, candidate):
            continue
        if _certain(m, candidate) and _was_walked(m, candidate):
            m.emit(candidate.event())
        elif outer is not None and _still_outlives(candidate, outer):
            outer.candidates.append(candidate)
        elif not candidate.in_forward:
            m.pending.append(candidate)


def _was_walked(m: Machine, candidate: Candidate) -> bool:
    if candidate.node is not None and candidate.node in m.walked:
        return True
    if candidate.tensor in m.walked_tensors:
        return True
    # `loss / 4`: the quotient itself is not walked, but what lies right under it was.
    if isinstance(candidate.node, Node):
        return (
            any(edge is not None and edge in m.walked for edge in candidate.node.edges)
            and candidate.accumulates
        )
    return False


def _emptied(m: Machine, candidate: Candidate) -> bool:
    """Whether the container holds nothing any more."""
    container = candidate.container
    contents = m.state.get(container, "#items") if isinstance(container, Sequence) else None
    return isinstance(contents, Contents) and contents.items == () and contents.element is None


def _certain(m: Machine, candidate: Candidate) -> bool:
    return m.requires_grad(candidate.tensor) is True


def _still_outlives(candidate: Candidate, outer: LoopFrame) -> bool:
    container = candidate.container
    return isinstance(container, (Sequence, Mapping)) and container.serial < outer.number


def run_ended(m: Machine) -> None:
    """Judge what is left: graphs that nobody ever walked, kept by containers nobody else saw."""
    for candidate in m.pending:
        assert isinstance(candidate, Candidate)  # noqa: S101  for the type checker
        if not _certain(m, candidate):
            continue
        if _was_walked(m, candidate) or candidate.node in m.reached:
            continue  # walked after the loop: kept on purpose
        container = candidate.container
        if container is not None and m.state.get(container, "#escaped") is not None:
            continue
        if candidate.accumulates or m.state.get(candidate.tensor, "#escaped") is not None:
            continue
        if container is None or m.state.get(container, "#returned") is not None:
            continue
        if candidate.tensor.symbol is not None:
            continue
        m.emit(candidate.event())
    m.pending.clear()


__all__ = ["MISSING", "both"]
