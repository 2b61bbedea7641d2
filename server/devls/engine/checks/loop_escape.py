"""What outlives an iteration of a loop and keeps its graph alive."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.checks import container_lifetime, dead_updates, eval_graph
from devls.engine.checks.walked_graphs import WalkedGraphs
from devls.engine.core import notes, program_moments
from devls.engine.core.events.events import GraphKept, ParameterRebound
from devls.engine.core.joins import Contents, Entries
from devls.engine.python import iteration
from devls.syntax.nodes import walk
from devls.values.conditions import leaves
from devls.values.graph import Node
from devls.values.value import Const, Mapping, Sequence, Symbol, TensorValue, TupleValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import LoopFrame


class Candidate:
    """A graph-carrying value put where it outlives the iteration; judged later."""

    __slots__ = (
        "accumulates",
        "container",
        "in_forward",
        "in_test",
        "loop",
        "mentions",
        "node",
        "outlives",
        "place",
        "site",
        "statement",
        "tensor",
        "text",
        "total",
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
        total: Node | None = None,
        outlives: LoopFrame | None = None,
    ) -> None:
        self.outlives = (
            outlives  # of what is put into a container the outermost loop that began after that was made
        )
        self.total = total  # of a sum, what it is now
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
        self.in_test = eval_graph.in_unit_test(m)  # which runs for a few steps
        self.loop = m.loops[-1] if m.loops else None
        self.place = _place(m, node, container)

    def event(self) -> GraphKept:
        """What to tell the rules, once it is certain."""
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


@notes.record
class Pending(notes.Record):
    """What loops have left behind, to be judged when all of the program is known."""

    __slots__ = ("candidates",)

    def __init__(self) -> None:
        self.candidates: list[Candidate] = []

    def in_module(self) -> Pending:
        """The body of a module is judged by itself."""
        return Pending()

    def drop(self) -> None:
        """Nothing is judged."""
        self.candidates.clear()


@program_moments.stored.on
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
    loop = _outlived(m, container)
    if loop is None:
        return
    around = _numbering(m, node, loop)
    if around is not None:
        loop = around
    held = _carrying(m, value)
    tensor = m.tensor_of(held) if isinstance(held, Symbol) else held
    if not isinstance(tensor, TensorValue) or m.grad_enabled() is False or tensor.is_parameter:
        return
    mentions: tuple[ast.expr, ...] = ()
    if held is not m.resolve(value):
        mentions = _mentions(m, value_node)
        value_node = None
    elif value_node is not None and _is_carried_on(loop.node, value_node):
        return
    if m.requires_grad(tensor) is False or m.is_leaf(tensor) is True or tensor.serial < loop.iteration:
        return
    if around is not None and _is_part(m, tensor, around):
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
            outlives=loop,
        )
    )


def _numbering(m: Machine, node: ast.AST, outermost: LoopFrame) -> LoopFrame | None:
    """The loop inside another that counts the places items are put at: the next round of the other puts others there."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Name):
        return None
    name = node.slice.id
    for loop in m.loops[m.loops.index(outermost) + 1 :]:
        if isinstance(loop.node, ast.For) and any(
            isinstance(each, ast.Name) and each.id == name for each in walk(loop.node.target)
        ):
            return loop
    return None


def _is_part(m: Machine, tensor: TensorValue, loop: LoopFrame) -> bool:
    """Whether a tensor is a part of one that was there before a loop, whose graph all the parts share."""
    node = m.node(tensor)
    return (
        isinstance(node, Node)
        and _operation(node) in _PARTS
        and bool(node.inputs)
        and node.inputs[0].serial < loop.number
    )


def _is_carried_on(loop: ast.AST, value: ast.expr) -> bool:
    """Whether a value is a link of a chain, `total = reward + decay * total`: its last link keeps all the others anyway."""
    names = {each.id for each in walk(value) if isinstance(each, ast.Name)}
    return any(
        isinstance(each, ast.Assign)
        and isinstance(each.value, ast.BinOp)
        and isinstance(each.targets[0], ast.Name)
        and each.targets[0].id in names
        and not any(isinstance(part, ast.Call) for part in walk(each.value))
        and any(isinstance(part, ast.Name) and part.id == each.targets[0].id for part in walk(each.value))
        for each in walk(loop)
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
    perhaps: Symbol | None = None
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
        if isinstance(found, Symbol) and not found.named and found in m.inferred and perhaps is None:
            perhaps = found
    return value if perhaps is None else perhaps


def _container_text(m: Machine, node: ast.AST) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return m.text(node.func.value)
    if isinstance(node, ast.AugAssign):
        return m.text(node.target)
    if isinstance(node, ast.Subscript):
        return m.text(node.value)
    return m.text(node)


def _outlived(m: Machine, container: Sequence | Mapping) -> LoopFrame | None:
    """The outermost running loop that began after a container, or the dict that it is an entry of, was made."""
    holder = m.state.get(container, "#entry of")
    for loop in m.loops:
        if isinstance(loop.node, ast.For) and isinstance(loop.node.iter, (ast.Tuple, ast.List)):
            continue  # it is written down what it goes through: that is no more than can be read
        if container.serial < loop.number:
            return loop
        if isinstance(holder, Mapping) and holder.serial < loop.number and container.serial < loop.iteration:
            return loop  # the iteration that first asked for the key has made it
    return None


@program_moments.augmenting.on
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
    loop = next(
        (
            each
            for each in _around(m, node.target)
            if (tensor.serial >= each.iteration or _made_since(tensor, each))
            and _survives(old, each)
            and not iteration.was_there(m, tensor, each.iterable)
        ),
        None,
    )
    if loop is None or _begins_with_steps(loop.node, ast.unparse(node.target)):
        return
    loop.candidates.append(
        Candidate(m, node, None, m.text(node.target), tensor, node.value, accumulates=True)
    )


def _begins_with_steps(loop: ast.AST, text: str) -> bool:
    """Whether a sum is set anew where an optimizer steps: it is of the few batches whose gradients are added up for a step."""
    for each in walk(loop):
        if isinstance(each, ast.If) and each is not loop:
            names = {ast.unparse(part) for one in each.body for part in _assigned(one)}
            if text in names and any(_steps(part) for one in each.body for part in walk(one)):
                return True
    return False


def _assigned(statement: ast.stmt) -> list[ast.expr]:
    """What a statement assigns constants to."""
    if not isinstance(statement, ast.Assign):
        return []
    found: list[ast.expr] = []
    for target in statement.targets:
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            pairs = zip(target.elts, statement.value.elts, strict=False)
            found += [each for each, value in pairs if isinstance(value, ast.Constant)]
        elif isinstance(statement.value, ast.Constant):
            found.append(target)
    return found


def _steps(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "step"


def _made_since(tensor: TensorValue, loop: LoopFrame) -> bool:
    return tensor.symbol is not None and tensor.serial >= loop.number


def _survives(old: object, loop: LoopFrame) -> bool:
    """Whether the accumulated name still holds what an earlier iteration put there."""
    # A number was set in this iteration or before the first: the second will find a tensor there.
    made = [getattr(each, "serial", None) for each in leaves(old)]
    return all(serial is not None and serial < loop.iteration for serial in made)


def _around(m: Machine, target: ast.expr) -> list[LoopFrame]:
    """The loops that what is assigned to may outlive: a local variable ends with its function."""
    return m.loops if not isinstance(target, ast.Name) else m.frame.loops or m.loops[-1:]


@program_moments.name_bound.on
def rebinding(m: Machine, target: ast.Name, value: TensorValue, node: ast.expr | None) -> None:
    """`total = total + loss`, `w = w - lr * w.grad`: a name replaced by something made of itself."""
    graph = value.node
    old = m.resolve(m.state.get(m.frame.scope, target.id))
    if isinstance(old, TensorValue) and old is not value and node is not None:
        _parameter_rebound(m, target, old, value, node)
    if not isinstance(graph, Node) or not m.loops or m.requires_grad(value) is False:
        return
    mentions = node is not None and any(
        isinstance(each, ast.Name) and each.id == target.id for each in walk(node)
    )
    if mentions:
        # A local variable does not outlive the call, whatever loops are around that.
        local = m.frame.function is not None and target.id in m.frame.scope.names
        for each in m.frame.loops if local else m.loops:
            if _summed(m, target, target.id, old, graph, node, each):
                break


@program_moments.replaced.on
def replaced(
    m: Machine, target: ast.Attribute | ast.Subscript, old: object, value: object, node: ast.expr
) -> None:
    """`self.total = self.total + loss`, `sums[key] = sums[key] + loss`."""
    value = m.resolve(value)
    if not isinstance(value, TensorValue) or not m.loops:
        return
    graph = value.node
    if isinstance(graph, Node) and m.requires_grad(value) is not False:
        old = m.resolve(old)
        for loop in m.loops:
            if _summed(m, target, m.text(target), old, graph, node, loop):
                break
            if isinstance(target, ast.Attribute) and _joined(m, target, old, graph, node, loop):
                break


def _joined(
    m: Machine, target: ast.Attribute, old: object, graph: Node, node: ast.expr, loop: LoopFrame
) -> bool:
    """Put aside a queue, `self.queue = torch.cat([new, self.queue])[:n]`: the graph of what falls out of it stays as well."""
    if not isinstance(old, TensorValue) or old.serial >= loop.iteration:
        return False
    top, text = graph, m.text(target)
    while _operation(top) in _PARTS and top.edges and isinstance(top.edges[0], Node):
        top = top.edges[0]
    if _operation(top) not in _JOINS or old not in top.inputs:
        return False
    mention = _new_in(m, node, text, loop)
    new = m.resolve(m.state.get(m.frame.scope, mention.id)) if isinstance(mention, ast.Name) else None
    if not isinstance(new, TensorValue):
        return False
    added = _walkable(m, new, loop)
    candidate = Candidate(m, target, None, text, added, mention, accumulates=False, total=graph)
    loop.candidates.append(candidate)
    return True


def _walkable(m: Machine, tensor: TensorValue, loop: LoopFrame) -> TensorValue:
    """What a tensor was computed from in this iteration by arithmetic alone: where a backward passes, if it passes anywhere."""
    for _ in range(6):
        node = m.node(tensor)
        if not isinstance(node, Node) or _operation(node) not in _ARITHMETIC:
            break
        parts = [
            each for each in node.inputs if each.serial >= loop.iteration and m.requires_grad(each) is True
        ]
        if len(parts) != 1 or m.is_leaf(parts[0]) is not False:
            break
        tensor = parts[0]
    return tensor


def _operation(node: Node) -> str:
    return node.operation.rpartition(".")[2].strip("_")


_PARTS = frozenset({"getitem", "select", "narrow", "slice", "unbind"})
_JOINS = frozenset({"cat", "concat", "concatenate"})


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
    loop.candidates.append(
        Candidate(m, target, None, text, added, term, accumulates=True, mentions=mentions, total=graph)
    )
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
        or dead_updates.lost(m, target, node, under_no_grad=m.requires_grad(value) is False)
        or old.serial >= m.loops[-1].iteration  # a leaf of this iteration: the next one makes its own
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


@program_moments.iteration_ended.on
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
            # The next iteration may well begin with another leaf: it is told where the gradient is missed
            # (tensor_attributes). Go on as if it had been updated in place.
            m.state.set(value, "rebound", event)
            m.state.set(value, "requires_grad", True)
            m.state.set(value, "leaf", True)
            m.state.set(value, "node", None)
    loop.candidates = [each for each in loop.candidates if not isinstance(each, tuple)]


@program_moments.loop_ended.on
def loop_ended(m: Machine, loop: LoopFrame) -> None:
    """Judge what was put aside in the loop and already walked by a backward in it."""
    outer = m.loops[-1] if m.loops else None
    walked = m.notes.of(WalkedGraphs)
    for candidate in loop.candidates:
        if not isinstance(candidate, Candidate) or _emptied(m, candidate):
            continue
        total = candidate.total
        if total is not None and total in walked.nodes and m.state.get(total, "freed") is not None:
            continue  # the sum itself was walked and freed, and so begins anew: twice torch would not walk it
        if _certain(m, candidate) and _was_walked(m, candidate):
            if not candidate.in_test:
                m.emit(candidate.event())
        elif outer is not None and _still_outlives(candidate, outer):
            outer.candidates.append(candidate)
        elif not candidate.in_forward:
            m.notes.of(Pending).candidates.append(candidate)
    loop.candidates = []  # they know the loop: memory is freed at once where nothing goes round in a circle


def _was_walked(m: Machine, candidate: Candidate) -> bool:
    walked = m.notes.of(WalkedGraphs)
    if candidate.node is not None and candidate.node in walked.nodes:
        return True
    if candidate.tensor in walked.roots:
        return True
    # `loss / 4`: the quotient itself is not walked, but what lies right under it was.
    if isinstance(candidate.node, Node):
        return (
            any(edge is not None and edge in walked.nodes for edge in candidate.node.edges)
            and candidate.accumulates
        )
    return False


def _place(m: Machine, node: ast.AST, container: object) -> tuple[object, str] | None:
    """The name or attribute that holds a container: `saved` in `saved.append(...)`, `self.saved`."""
    holder = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    if isinstance(holder, ast.Name):
        scope = m.frame.scope
        return (scope, holder.id) if m.resolve(m.state.get(scope, holder.id)) is container else None
    if not isinstance(holder, ast.Attribute) or not isinstance(holder.value, ast.Name):
        return None
    owner = m.resolve(m.state.get(m.frame.scope, holder.value.id))
    return (owner, holder.attr) if m.resolve(m.state.get(owner, holder.attr)) is container else None


def _emptied(m: Machine, candidate: Candidate) -> bool:
    """Whether the container holds nothing any more, or another has taken its place."""
    container = candidate.container
    if candidate.place is not None and m.resolve(m.state.get(*candidate.place)) is not container:
        return True
    contents = m.state.get(container, "#items") if isinstance(container, Sequence) else None
    return isinstance(contents, Contents) and contents.items == () and contents.element is None


def _certain(m: Machine, candidate: Candidate) -> bool:
    """Whether a graph is kept: what somebody has called backward on, or on a sum with it, has one."""
    return m.requires_grad(candidate.tensor) is True or m.state.get(candidate.tensor, "#in a loss") is True


def _still_outlives(candidate: Candidate, outer: LoopFrame) -> bool:
    container = candidate.container
    return isinstance(container, (Sequence, Mapping)) and container.serial < outer.number


def _is_one_computation(m: Machine, candidate: Candidate) -> bool:
    loop, place = candidate.outlives, candidate.place
    return (
        loop is not None
        and place is not None
        and container_lifetime.is_one_computation(m, candidate.node, candidate.site, loop, place)
    )


@program_moments.program_ended.on
def program_ended(m: Machine, *, whole: bool) -> None:
    """The main program is over, whether or not it came to its end."""
    del whole
    run_ended(m)


@program_moments.module_ended.on
def run_ended(m: Machine) -> None:
    """Judge what is left: graphs that nobody ever walked, kept by containers nobody else saw."""
    waiting = m.notes.of(Pending).candidates
    pending = list(waiting)
    graphs = m.notes.of(WalkedGraphs)
    # Walked after the loop: kept on purpose. What the last iteration that is run keeps, the next one walks.
    walked = {each.site.node for each in pending if _was_walked(m, each) or each.node in graphs.kept}
    for candidate in pending:
        if not _certain(m, candidate) or candidate.site.node in walked or candidate.in_test:
            continue
        container = candidate.container
        if container is None or m.state.get(container, "#escaped") is not None:
            continue
        if candidate.accumulates or m.state.get(candidate.tensor, "#escaped") is not None:
            continue
        if candidate.tensor.symbol is not None or _is_one_computation(m, candidate):
            continue
        m.emit(candidate.event())
    waiting.clear()
