"""Values read on the host: conversions to numpy, off the host or of what requires grad, and indices of single numbers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.checks import memory, mismatch_cause
from devls.engine.core import budget, moments
from devls.engine.core.events.events import HostRead
from devls.engine.core.events.protocols import NumberIndexed
from devls.engine.evidence import judgement, path_conditions, unseen_effects
from devls.engine.evidence.deferred import PresumedFindings
from devls.engine.torch.autograd import backward
from devls.syntax.layout import parents
from devls.syntax.nodes import walk
from devls.values.call_facts import CalledWithoutGrad, Weak
from devls.values.devices import NamedDevice, UnknownDevice, Verdict
from devls.values.state import MISSING
from devls.values.value import Symbol, TensorValue

if TYPE_CHECKING:
    from devls.engine.core.events.events import Operand
    from devls.engine.core.machine import Machine
    from devls.values.devices import Comparison
    from devls.values.value import Scope


@moments.host_read.on
def read(
    m: Machine,
    node: ast.expr,
    how: str,
    operand: Operand,
    comparison: Comparison,
    conversion: ast.Call | None,
    *,
    inside: bool,
) -> None:
    """A tensor is converted to numpy."""
    graded = m.requires_grad(operand.tensor)
    presumed = how == ".numpy()" and unseen_effects.requires_grad_if_trained(
        m, graded, m.node(operand.tensor)
    )
    accelerated = comparison.verdict is Verdict.WHEN_ACCELERATED
    off = comparison.verdict is Verdict.DIFFERENT or accelerated
    if isinstance(comparison.left, NamedDevice) and not comparison.left.chosen:
        off = False  # an argument's own device: whoever calls decides
    needs = (graded is True or presumed) and m.grad_enabled() is True
    if not off and not needs:
        return
    weighed = judgement.NOTHING if off else judgement.judge(m, HostRead, presumed)
    if weighed.silenced and not m.keeps_silenced:
        return
    event = judgement.marked(
        HostRead(
            m.site(node),
            m.frame.statement,
            how,
            mismatch_cause.told(m, operand),
            off,
            accelerated,
            needs,
            conversion,
            inside,
            presumed,
            possible=weighed.weak and not off,
            put=memory.put_at(m, operand.tensor, operand.text) if inside else None,
            beside_unknown=off and _is_beside_unknown(m, operand),
        ),
        weighed,
    )
    root = next((each for each in m.frames if each.function is not None), None)
    if off or weighed.silenced or m.silent or root is None or root.function is None or not root.symbolic:
        m.emit(event)
        return
    premise = CalledWithoutGrad(root.function.node)
    budget.pay_for_event(m)
    m.notes.of(PresumedFindings).waiting.append((Weak(premise) if weighed.weak else premise, event))


def _is_beside_unknown(m: Machine, operand: Operand) -> bool:
    """Whether the call that reads a tensor is given something else by name that may be one, on whichever device: `np.clip(x, low, high)`."""
    node = operand.node
    call = parents(m.source).get(node) if node is not None else None
    if not isinstance(call, ast.Call) or not any(each is node for each in call.args):
        return False
    others = (
        m.resolve(m.eval(each)) for each in call.args if each is not node and isinstance(each, ast.Name)
    )
    return any(_may_be_anywhere(m, each) for each in others)


def _may_be_anywhere(m: Machine, value: object) -> bool:
    if isinstance(value, Symbol):
        return value.hint in ("", "tensor")
    device = m.device(value) if isinstance(value, TensorValue) else None
    return isinstance(device, UnknownDevice) or (isinstance(device, NamedDevice) and not device.chosen)


# Indices of what is one number


@moments.number_indexed.on
def number_indexed(m: Machine, node: ast.Subscript, tensor: TensorValue) -> None:
    """A tensor without dimensions is indexed: torch raises."""
    presumed = tensor.shape is None
    if presumed and (tensor.symbol is None or m.state.get(tensor.symbol, backward.ROOT) is None):
        return
    if not _may_be_caught(m, node):
        weighed = judgement.judge(m, NumberIndexed, presumed)
        event = NumberIndexed(m.site(node), m.frame.statement, m.text(node.value), node.value, presumed)
        judgement.emit(m, weighed, lambda: event)


def _may_be_caught(m: Machine, node: ast.AST) -> bool:
    """Whether a handler is ready for an error, or the code looks at the version of torch."""
    above = parents(m.source)
    outer: ast.AST | None = above.get(node)
    while outer is not None:
        if isinstance(outer, ast.Try) and outer.handlers:
            return True
        if isinstance(outer, ast.If) and _asks_for_release(m, outer.test):
            return True
        outer = above.get(outer)
    return False


def _asks_for_release(m: Machine, test: ast.expr) -> bool:
    """Whether a test looks at the version of a library, or at what was made of it."""
    if "__version__" in m.text(test):
        return True
    names = [each.id for each in walk(test) if isinstance(each, ast.Name)]
    scope: Scope | None = m.frame.scope
    while scope is not None and names:
        # As it was assigned: the test has told by now what it is.
        if any(path_conditions.of_release(m.state.get(scope, each)) for each in names):
            return True
        names = [each for each in names if m.state.get(scope, each, MISSING) is MISSING]
        scope = scope.parent
    return False
