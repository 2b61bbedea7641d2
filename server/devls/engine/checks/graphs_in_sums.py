"""Sums and queues that carry the graph of each iteration of a loop into the next: `total += loss`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.checks import lost_terms
from devls.engine.checks.graph_candidates import CANDIDATES, PARTS, Candidate, operation_name
from devls.engine.core import limits, moments, program_moments
from devls.engine.python import iteration
from devls.syntax.nodes import walk
from devls.values.conditions import leaves
from devls.values.graph import Node
from devls.values.value import Const, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.core.machine_types import LoopFrame


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
            for each in _loops_outlived_by(m, node.target)
            if (tensor.serial >= each.iteration or _made_since(tensor, each))
            and _is_older_than_iteration(old, each)
            and not iteration.was_there(m, tensor, each.iterable)
        ),
        None,
    )
    if loop is None or _is_reset_at_steps(loop.node, ast.unparse(node.target)):
        return
    CANDIDATES.of(loop).append(
        Candidate(m, node, None, m.text(node.target), tensor, node.value, accumulates=True)
    )


def _is_reset_at_steps(loop: ast.AST, text: str) -> bool:
    """Whether a sum is set anew where an optimizer steps: it is of the few batches whose gradients are added up for a step."""
    for each in walk(loop):
        if isinstance(each, ast.If) and each is not loop:
            names = {ast.unparse(part) for one in each.body for part in _assigned(one)}
            if text in names and any(_steps(part) for one in each.body for part in walk(one)):
                return True
    return False


def _assigned(statement: ast.stmt) -> list[ast.expr]:
    """The targets of an assignment of constants."""
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


def _is_older_than_iteration(old: object, loop: LoopFrame) -> bool:
    """Whether the accumulated name still holds what an earlier iteration put there."""
    # A number was set in this iteration or before the first: the second will find a tensor there.
    made = [getattr(each, "serial", None) for each in leaves(old)]
    return all(serial is not None and serial < loop.iteration for serial in made)


def _loops_outlived_by(m: Machine, target: ast.expr) -> list[LoopFrame]:
    """The loops that what is assigned to may outlive: a local variable ends with its function."""
    return m.loops if not isinstance(target, ast.Name) else m.frame.loops or m.loops[-1:]


def _mentions(node: ast.expr, name: str) -> bool:
    """Whether an expression uses a name; asked of each that a name is bound to."""
    for each in walk(node):  # noqa: SIM110  a generator costs a call for each node
        if type(each) is ast.Name and each.id == name:
            return True
    return False


@program_moments.name_bound.on
def rebinding(m: Machine, target: ast.Name, value: TensorValue, node: ast.expr | None) -> None:
    """`total = total + loss`: a name replaced by something made of itself."""
    graph = value.node
    if not isinstance(graph, Node):
        return
    if any(graph.edges):
        lost_terms.name_bound(m, target, value, node)
    if not m.loops or m.requires_grad(value) is False:
        return
    if node is not None and _mentions(node, target.id):
        # A local variable does not outlive the call, whatever loops are around that.
        frame = m.frames[-1]
        local = frame.function is not None and target.id in frame.scope.names
        old = m.resolve(m.state.get(frame.scope, target.id))
        for each in frame.loops if local else m.loops:
            if _summed(m, target, target.id, old, graph, node, each):
                break
            if _queued(m, target, old, graph, node, each):
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
        holder = m.state.get(m.frame.scope, target.value.id) if isinstance(target.value, ast.Name) else None
        made = getattr(m.resolve(holder), "serial", 0)
        for loop in m.loops:
            if made >= loop.iteration:
                continue  # what holds it is made anew in each round
            if _summed(m, target, m.text(target), old, graph, node, loop):
                break
            if isinstance(target, ast.Attribute) and _queued(m, target, old, graph, node, loop):
                break


def _queued(
    m: Machine, target: ast.Attribute | ast.Name, old: object, graph: Node, node: ast.expr, loop: LoopFrame
) -> bool:
    """Put aside a queue, `self.queue = torch.cat([new, self.queue])[:n]`: the graph of what falls out of it stays as well."""
    if not isinstance(old, TensorValue) or old.serial >= loop.iteration:
        return False
    top, text = graph, m.text(target)
    while operation_name(top) in PARTS and top.edges and isinstance(top.edges[0], Node):
        top = top.edges[0]
    if operation_name(top) not in _JOINS or not (
        old in top.inputs or any(_is_part(m, each, old) for each in top.inputs)
    ):
        return False
    mention = _name_of_new_tensor(m, node, text, loop)
    new = m.resolve(m.state.get(m.frame.scope, mention.id)) if isinstance(mention, ast.Name) else None
    if not isinstance(new, TensorValue):
        return False
    added = _walkable(m, new, loop)
    candidate = Candidate(m, target, None, text, added, mention, accumulates=False, total=graph)
    CANDIDATES.of(loop).append(candidate)
    return True


def _is_part(m: Machine, tensor: TensorValue, whole: TensorValue) -> bool:
    """Whether a tensor is what is left of another one, `queue[n:]`."""
    node = m.node(tensor)
    return isinstance(node, Node) and operation_name(node) in PARTS and whole in node.inputs


def _walkable(m: Machine, tensor: TensorValue, loop: LoopFrame) -> TensorValue:
    """The tensor that another was computed from in this iteration by arithmetic alone: where a backward passes, if it passes anywhere."""
    for _ in range(6):
        node = m.node(tensor)
        if not isinstance(node, Node) or operation_name(node) not in _ARITHMETIC:
            break
        parts = [
            each for each in node.inputs if each.serial >= loop.iteration and m.requires_grad(each) is True
        ]
        if len(parts) != 1 or m.is_leaf(parts[0]) is not False:
            break
        tensor = parts[0]
    return tensor


@moments.write_recorded.on
def write_recorded(
    m: Machine, node: ast.expr | ast.stmt, text: str, tensor: TensorValue, before: Node | None, graph: Node
) -> None:
    """`total.add_(loss)`: what the write of the iteration before has recorded is part of the graph still."""
    statement = m.frame.statement
    if not m.loops or (
        isinstance(statement, ast.AugAssign) and not isinstance(statement.target, ast.Subscript)
    ):
        return
    term = next((each for each in graph.inputs if each is not tensor and m.requires_grad(each) is True), None)
    earlier = before
    for _ in range(limits.GRAPH_WALK):
        if earlier is None or earlier.site.node is node or tensor not in earlier.inputs:
            break
        place = earlier.inputs.index(tensor)
        earlier = earlier.edges[place] if place < len(earlier.edges) else None
    if term is None or earlier is None or earlier.site.node is not node:
        return
    loop = next((each for each in m.loops[::-1] if each.number < earlier.serial < each.iteration), None)
    if loop is not None:
        value = node.args[0] if isinstance(node, ast.Call) and node.args else None
        receiver: ast.AST = node
        while isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Attribute):
            receiver = receiver.func.value  # `e.mul_(0.9).add_(p)` writes to `e`
            text = m.text(receiver)
        CANDIDATES.of(loop).append(Candidate(m, node, None, text, term, value, accumulates=True, total=graph))


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
    term = _term_of(m, node, text) if isinstance(target, ast.Name) else None
    mention = _mention(m, node, added) or _name_of_new_tensor(m, node, text, loop) or _mention_of(node, text)
    mentions = (mention,) if mention is not None else ()
    CANDIDATES.of(loop).append(
        Candidate(m, target, None, text, added, term, accumulates=True, mentions=mentions, total=graph)
    )
    return True


def _arithmetic(node: ast.expr | None) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))


def _term_of(m: Machine, node: ast.expr | None, name: str) -> ast.expr | None:
    """The side of `name + term` that is added, or the only name in it that stands for a graph: `0.5 * loss`."""
    if not isinstance(node, ast.BinOp):
        return None
    for side, other in ((node.left, node.right), (node.right, node.left)):
        if any(isinstance(each, ast.Name) and each.id == name for each in walk(side)):
            names = [each for each in walk(other) if isinstance(each, ast.Name) and _has_graph(m, each)]
            return names[0] if isinstance(other, ast.BinOp) and len(names) == 1 else other
    return None


def _has_graph(m: Machine, name: ast.Name) -> bool:
    value = m.resolve(m.state.get(m.frame.scope, name.id))
    return isinstance(value, TensorValue) and bool(value.node) and m.requires_grad(value) is not False


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
                and not (isinstance(edge, Node) and old in edge.inputs)  # `0.9 * total`
                and (found is None or tensor.serial < found.serial)
            ):
                found = tensor
    return found if met else None


_ARITHMETIC = frozenset(
    {"add", "sub", "mul", "truediv", "div", "radd", "rmul", "rsub", "iadd", "neg", "detach"}
)


def _mention(m: Machine, node: ast.expr | None, tensor: TensorValue) -> ast.expr | None:
    """The name in an expression that stands for a tensor."""
    for each in walk(node) if node is not None else ():
        if isinstance(each, ast.Name) and m.resolve(m.state.get(m.frame.scope, each.id)) is tensor:
            return each
    return None


def _name_of_new_tensor(m: Machine, node: ast.expr | None, text: str, loop: LoopFrame) -> ast.expr | None:
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
