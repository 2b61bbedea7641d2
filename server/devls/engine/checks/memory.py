"""Two names for one memory, where two different contents were meant."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core import moments, priors, program_moments, training_moments
from devls.engine.core.events.protocols import MemoryShared
from devls.engine.core.joins import Contents
from devls.engine.torch.nn import registry
from devls.engine.torch.nn.state_dicts import OUTDATED, taken_of
from devls.syntax.layout import ancestors, block_of
from devls.syntax.nodes import bound_in, walk
from devls.values.history import Site
from devls.values.value import InstanceValue, Mapping, Sequence, Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.events.events import Operand
    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine
    from devls.library.effects import Role

_ONTO_ITSELF: Final = "#copied onto itself"
"""The slot of a parameter that another module shares, although it was given the weights of this one as if it had its own."""

_COMPARES: Final = frozenset(
    {"sub", "rsub", "eq", "ne", "equal", "allclose", "isclose", "dist", "mse_loss", "l1_loss"}
)
"""Operations that say how two tensors differ: of one memory nobody has to ask."""


_ADDS_IN_PLACE: Final = frozenset({"__iadd__", "__isub__"})


@moments.detached.on
def shared(m: Machine, node: ast.AST, tensor: TensorValue, result: TensorValue) -> None:
    """`x.detach()`, `x.data`: the result is the memory of `x`."""
    m.state.set(result, "#memory of", (tensor, m.version(tensor), m.site(node)))


def _owner(m: Machine, tensor: TensorValue) -> tuple[TensorValue, object, Site | None]:
    """The tensor whose memory it is; which write it had seen when it was taken from there, and where that was."""
    version, site = m.version(tensor), None
    for _ in range(3):
        mark = m.state.resolve(m.state.get(tensor, "#memory of"))
        if not isinstance(mark, tuple):
            break
        tensor, version, site = mark
    return tensor, version, site


def put_at(m: Machine, tensor: TensorValue, text: str) -> Site | None:
    """The expression that the list called `text`, or else some other, was given last with this tensor."""
    owner = _owner(m, tensor)[0]
    named = m.state.resolve(m.state.get(owner, f"#put into {text}"))
    mark = m.state.resolve(m.state.get(owner, "#put into"))
    return named if isinstance(named, Site) else mark[3] if isinstance(mark, tuple) else None


_AVERAGES: Final = frozenset({"add_", "lerp_", "copy_"})
"""Operations by which a moving average follows something: of its own memory it follows nothing."""


@moments.computed.on
def averaged(
    m: Machine, node: ast.expr, operation: str, operands: list[tuple[Role, Operand]], *, reads: bool
) -> None:
    """`shadow.add_(p.data)`: is the shadow the memory of `p`, which was taken elsewhere?"""
    del reads
    if operation.rpartition(".")[2] not in _AVERAGES or len(operands) < 2 or m.muted:
        return
    first, second = (each.tensor for _, each in operands[:2])
    one, another = _owner(m, first), _owner(m, second)
    plain = one[2] is None and one[0].is_parameter and one[0].symbol is None
    if plain and _of_two_names(m, node, one[0]):
        return
    if first is second or one[0] is not another[0] or one[0].symbol is not None or one[2] is None:
        return
    if one[2].node in walk(m.frame.statement or node) or m.state.get(one[0], "#optimized") is None:
        return
    (_, shadow), (_, other) = operands[:2]
    m.emit(MemoryShared(m.site(node), m.frame.statement, "averaged", other.text, shadow.text, one[2]))


def _of_two_names(m: Machine, node: ast.expr, parameter: TensorValue) -> bool:
    """Report `target.mul_(0.9).add_(0.1 * online)`, once, if both names stand for this parameter; returns whether they do."""
    receiver: ast.AST = node
    while isinstance(receiver, (ast.Call, ast.Attribute)):
        receiver = receiver.func if isinstance(receiver, ast.Call) else receiver.value
    if not isinstance(node, ast.Call) or not isinstance(receiver, ast.Name):
        return False
    named = [
        each
        for argument in node.args
        for each in walk(argument)
        if isinstance(each, ast.Name) and each.id != receiver.id
    ]
    for each in named:
        value = m.resolve(m.state.get(m.frame.scope, each.id))
        if isinstance(value, TensorValue) and _owner(m, value)[0] is parameter:
            if m.state.get(node, "#averages itself") is None:
                m.state.set(node, "#averages itself", True)
                site = m.site(node)
                m.emit(MemoryShared(site, m.frame.statement, "itself", each.id, receiver.id, site))
            return True
    return False


@training_moments.layer_built.on
def layer_built(m: Machine, instance: InstanceValue, call: Invocation) -> None:
    """`nn.ModuleList([nn.Linear(3, 3)] * 4)`: four names for one layer."""
    node = call.node.args[0] if isinstance(call.node, ast.Call) and call.node.args else None
    node = node.value if isinstance(node, ast.Starred) else node
    if not instance.library.endswith((".ModuleList", ".Sequential")) or not isinstance(node, ast.BinOp):
        return
    listed = next((each for each in (node.left, node.right) if isinstance(each, ast.List)), None)
    if (
        not isinstance(node.op, ast.Mult)
        or listed is None
        or not any(_is_made_there(m, each) for each in listed.elts)
    ):
        return
    contents = m.state.get(instance, "#children")
    held = (*(contents.items or ()), contents.element) if isinstance(contents, Contents) else ()
    layers = [each for each in map(m.resolve, held) if isinstance(each, InstanceValue)]
    if any(registry.parameters(m, each) for each in layers):
        m.emit(MemoryShared(m.site(node), m.frame.statement, "repeated", "", m.text(listed), m.site(node)))


def _is_made_there(m: Machine, node: ast.expr) -> bool:
    """Whether nothing else has the item of a list: it is made there, or its name is read nowhere else."""
    if not isinstance(node, ast.Name) or m.frame.function is None:
        return isinstance(node, ast.Call)
    names = [
        each for each in walk(m.frame.function.node) if isinstance(each, ast.Name) and each.id == node.id
    ]
    return len(names) == len((node, "where it is bound"))


@moments.computed.on
def compared(
    m: Machine, node: ast.expr, operation: str, operands: list[tuple[Role, Operand]], *, reads: bool
) -> None:
    """An operation on two tensors: is one of them what the other was before it changed?"""
    del reads
    if len(operands) != 2 or operation.strip("_") not in _COMPARES or m.muted:
        return
    first, second = (_owner(m, each.tensor) for _, each in operands)
    if first[0] is not second[0] or first[0].symbol is not None:
        return
    (_, one), (_, another) = operands
    now = m.version(first[0])
    for kept, operand, other in ((first, one, another), (second, another, one)):
        if kept[2] is not None and isinstance(kept[1], int) and isinstance(now, int) and kept[1] != now:
            m.emit(
                MemoryShared(m.site(node), m.frame.statement, "compared", other.text, operand.text, kept[2])
            )
            return


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
    """A tensor is put into a list: for the second time, changed in place since the first, or beside what it was added to."""
    if keyed or not isinstance(container, Sequence) or m.muted or value_node is None:
        return
    tensor = m.resolve(value)
    contents = m.state.get(container, "#items")
    held = (*(contents.items or ()), contents.element) if isinstance(contents, Contents) else ()
    if isinstance(tensor, (TensorValue, Symbol)):
        _stored_beside_its_sum(m, node, container, tensor, held)
    if not isinstance(tensor, TensorValue):
        return
    owner, _, _ = _owner(m, tensor)
    if owner.symbol is not None or m.state.get(owner, "grad of") is not None:
        return
    now = m.version(owner)
    before = m.state.resolve(m.state.get(owner, "#put into"))
    place = Site(m.source, value_node, m.frame.calls)
    m.state.set(owner, "#put into", (container, now, tensor, place))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        m.state.set(owner, f"#put into {m.text(node.func.value)}", place)
    if not m.loops or not isinstance(before, tuple) or before[0] is not container:
        return
    if (
        isinstance(before[1], int)
        and isinstance(now, int)
        and before[1] != now
        and any(each is before[2] for each in held)
    ):
        m.emit(
            MemoryShared(m.site(node), m.frame.statement, "stored", m.text(node), m.text(value_node), place)
        )


@program_moments.operator_applied.on
def added(m: Machine, method: str, result: object, left: object, right: object) -> None:
    """`tensor += value`."""
    del result
    if method not in _ADDS_IN_PLACE:
        return
    tensor = m.resolve(left)
    if isinstance(tensor, TensorValue) and m.state.get(tensor, "#put into") is not None:
        m.state.set(tensor, "#added", m.resolve(right))


def _stored_beside_its_sum(
    m: Machine, node: ast.AST, container: Sequence, part: TensorValue | Symbol, held: tuple[object, ...]
) -> None:
    """A part is put beside another one, to which it has been added in place: that one is a sum now."""
    for each in held:
        if not isinstance(each, TensorValue) or m.state.resolve(m.state.get(each, "#added")) is not part:
            continue
        mark = m.state.resolve(m.state.get(each, "#put into"))
        if isinstance(mark, tuple) and mark[0] is container and mark[1] != m.version(each):
            text = " ".join(mark[3].text.split())
            m.emit(MemoryShared(m.site(node), m.frame.statement, "summed", m.text(node), text, mark[3]))


@training_moments.weights_loaded.on
def weights_loaded(
    m: Machine,
    call: Invocation,
    owner: InstanceValue,
    other: object,
    copied: list[tuple[str, TensorValue, TensorValue]],
) -> None:
    """A module is given the weights of another one, of which it shares some: what trains the one changes the other."""
    if not isinstance(other, InstanceValue) or other is owner:
        return
    text = m.text(call.receiver_node or call.node)
    taken = owner.origin or m.site(call.node)
    for name, tensor, source in copied:
        if source.storage is not tensor.storage:
            continue
        event = MemoryShared(m.site(call.node), m.frame.statement, "shared", text, name, taken)
        if m.state.get(tensor, "#optimized") is not None and m.requires_grad(tensor) is True:
            m.emit(event)
            return
        m.state.set(tensor, _ONTO_ITSELF, event)


@program_moments.unseen_code_returned.on
def state_loaded(m: Machine, function: Symbol, arguments: list[object], node: ast.expr | None) -> None:
    """`model.load_state_dict(best)` of what is not seen, where a loop has kept `model.state_dict()` and goes on training the model."""
    key = function.key
    if not isinstance(key, tuple) or key[0] != "attr" or key[2] != "load_state_dict" or m.silent:
        return
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or len(node.args) != 1:
        return
    owner, given = node.func.value, node.args[0]
    if not all(isinstance(each, (ast.Name, ast.Attribute)) for each in (owner, given)):
        return
    taken = next(
        (
            each.site
            for each in m.alternatives(arguments[0])
            if isinstance(each, Symbol) and each.site is not None and _is_state_of(each, key[1])
        ),
        None,
    )
    if taken is None or taken.calls != m.frame.calls or taken.source is not m.source:
        return
    body = m.source.tree if m.frame.function is None else m.frame.function.node
    loops = (each for each in walk(body) if isinstance(each, (ast.For, ast.While)))
    loop = next((each for each in loops if taken.node in walk(each) and node not in walk(each)), None)
    is_model = priors.is_model(m, Symbol(key[1], m.text(owner)))
    if loop is not None and is_model and _is_kept_while_trained(m, loop, taken, owner, given):
        m.emit(MemoryShared(m.site(node), m.frame.statement, "kept", m.text(owner), m.text(given), taken))


def _is_state_of(value: Symbol, owner: object) -> bool:
    """Whether something unknown is what `state_dict()` of this owner has returned."""
    return isinstance(value.key, tuple) and value.key[:2] == ("result", ("attr", owner, "state_dict"))


def _is_kept_while_trained(
    m: Machine, loop: ast.For | ast.While, taken: Site, owner: ast.expr, kept: ast.expr
) -> bool:
    """Whether a loop keeps a state in some of its rounds, and others change the weights of the same module in place."""
    above = [each for each in ancestors(m.source, taken.node) if each in walk(loop)]
    block = next(
        (found for each in above if isinstance(each, ast.stmt) and (found := block_of(m.source, each))), []
    )
    model, name = ast.dump(owner), ast.dump(kept)
    call = taken.node
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and ast.dump(call.func.value) == model
        and not call.args
        and not call.keywords
        and any(isinstance(each, ast.If) for each in above)
        and not any(isinstance(each, (ast.Break, ast.Return, ast.Raise)) for each in block)
        and not _ends_loop(loop, block)
        and not _is_replaced(m, loop, owner)
        and not any(_is_done_with(each, model, name) for each in walk(loop))
        and _is_trained_in(m, loop, model)
    )


def _ends_loop(loop: ast.For | ast.While, block: list[ast.stmt]) -> bool:
    """Whether a block sets what a `while` asks for."""
    asked = (
        {each.id for each in walk(loop.test) if isinstance(each, ast.Name)}
        if isinstance(loop, ast.While)
        else ()
    )
    set_there = (each for statement in block for each in walk(statement) if isinstance(each, ast.Name))
    return any(each.id in asked and isinstance(each.ctx, ast.Store) for each in set_there)


def _is_replaced(m: Machine, loop: ast.AST, owner: ast.expr) -> bool:
    """Whether another module may be under the same name in another round: it is bound in the loop, or an attribute set outside `__init__`."""
    if isinstance(owner, ast.Name):
        return owner.id in bound_in(loop)
    if not isinstance(owner, ast.Attribute) or not isinstance(owner.value, ast.Name):
        return True
    first = [
        inner
        for each in walk(m.source.tree)
        if isinstance(each, ast.FunctionDef) and each.name == "__init__"
        for inner in walk(each)
    ]
    return owner.value.id in bound_in(loop) or any(
        isinstance(each, ast.Attribute)
        and each.attr == owner.attr
        and isinstance(each.ctx, ast.Store)
        and each not in first
        for each in walk(m.source.tree)
    )


_MOVES: Final = frozenset({"to", "cpu", "cuda", "half", "float", "double", "bfloat16"})
"""Methods that may give a module other memory: what was taken before is a copy, then."""

_LOOKS: Final = frozenset({"save", "print", "len"})
"""Functions that leave a state as it is."""


def _is_done_with(node: ast.AST, model: str, kept: str) -> bool:
    """Whether a module is moved, or what was kept is given to something or written to, so that it may be a copy by then."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Store) and ast.dump(node.value) == kept
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr in _MOVES:
        return ast.dump(node.func.value) == model
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name not in _LOOKS and any(ast.dump(each) == kept for each in node.args)


def _is_trained_in(m: Machine, loop: ast.AST, model: str) -> bool:
    """Whether a loop steps, or calls what does: something that is given a module together with an optimizer, or a method that steps."""
    stepping = {
        each.name
        for each in walk(m.source.tree)
        if isinstance(each, ast.FunctionDef) and any(map(_steps, walk(each)))
    }
    for each in walk(loop):
        if not isinstance(each, ast.Call):
            continue
        name = each.func.attr if isinstance(each.func, ast.Attribute) else getattr(each.func, "id", "")
        given = [*each.args, *(keyword.value for keyword in each.keywords)]
        optimized = any(priors.is_named_like_optimizer(m.text(one)) for one in given)
        if _steps(each) or name in stepping or (optimized and any(ast.dump(one) == model for one in given)):
            return True
    return False


def _steps(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "step"
        and priors.is_named_like_optimizer(ast.unparse(node.func.value))
    )


_LOOKED_AT: Final = 8
"""Parameters of an optimizer that are asked which dict they were seen in: a module's are all in one."""


@training_moments.stepped.on
def stepped(m: Machine, optimizer: object, node: ast.expr, text: str) -> None:
    """What a `state_dict` holds is changed by a step."""
    del node, text
    held = m.state.get(optimizer, "#parameters", ()) if isinstance(optimizer, InstanceValue) else ()
    for each in held[:_LOOKED_AT] if isinstance(held, tuple) else ():
        for taken in taken_of(m, each):
            m.state.set(taken, OUTDATED, value=True)


@moments.data_assigned.on
def data_assigned(m: Machine, target: ast.Attribute, tensor: TensorValue, source: TensorValue) -> None:
    """`p.data = q.data`, of two parameters: what trains the one changes the other, which nothing else trains."""
    owner = _owner(m, source)[0]
    if (
        owner is tensor
        or not owner.is_parameter
        or not tensor.is_parameter
        or m.state.get(tensor, "#optimized") is not None
    ):
        return
    text, other = m.text(target.value), m.text(owner_text) if (owner_text := _assigned(m)) is not None else ""
    event = MemoryShared(
        m.site(target), m.frame.statement, "assigned", other or "another one", text, m.site(target)
    )
    if m.state.get(owner, "#optimized") is not None and m.requires_grad(owner) is True:
        m.emit(event)
    else:
        m.state.set(owner, _ONTO_ITSELF, event)


def _assigned(m: Machine) -> ast.expr | None:
    """The right side of the running assignment, without its `.data`."""
    statement = m.frame.statement
    value = statement.value if isinstance(statement, ast.Assign) else None
    return value.value if isinstance(value, ast.Attribute) else value


@training_moments.optimizer_built.on
def optimizer_built(m: Machine, optimizer: InstanceValue, parameters: list[TensorValue]) -> None:
    """An optimizer will change parameters that two modules share."""
    del optimizer
    marks = ((each, m.state.get(each, _ONTO_ITSELF)) for each in parameters)
    shared_by_two = next(
        (event for each, event in marks if isinstance(event, MemoryShared) and m.requires_grad(each)), None
    )
    if shared_by_two is not None:
        m.emit(shared_by_two)
