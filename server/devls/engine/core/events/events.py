"""Events of the interpreter: neutral facts, which rules judge."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from devls.syntax.source import shortened
from devls.values.facts import fact

if TYPE_CHECKING:
    import ast

    from devls.syntax.source import Source
    from devls.text.edits import Range
    from devls.values.devices import Comparison
    from devls.values.graph import Node, Saved
    from devls.values.history import Site, Step
    from devls.values.value import TensorValue


@fact
class Evidence:
    """A presumption that was weighed: what is presumed of code that is not there, for a finding or against it."""

    id: str  # in kebab-case
    says: str
    side: str  # "for" or "against"


@fact
class Event:
    """Base of all events: where it happened."""

    evidence: ClassVar[tuple[Evidence, ...]] = ()
    """The presumptions that were weighed, see `evidence/presumptions.py`; each event may have its own."""
    silenced: ClassVar[bool] = False
    """Whether one of these speaks against it, so that nobody is told unless all is asked for."""
    explains_mismatches: ClassVar[bool] = False
    """Whether something may be on the wrong device later on because of it: then both are one mistake."""

    site: Site
    statement: ast.stmt | None
    """The statement of the same file that contains the place."""


@fact
class Operand:
    """One tensor that takes part in an operation, and the expression that gave it (if any)."""

    node: ast.expr | None
    tensor: TensorValue
    device: object
    named: str  # what it is called, if not as its expression spells it
    step: Step | None = None  # how it came to be where it is
    parameter: str = ""  # the parameter of the operation that it was given to
    passed_over: Site | None = None  # where it was put beside tensors that were moved there, and was not
    copied: Site | None = None  # where a copy of it was moved, which did not take its place
    source: Source | None = None  # of the expression, if that is what it is called

    @property
    def text(self) -> str:
        """Its name. Of most operands nobody asks, so that it is not spelled out before."""
        if self.source is None or self.node is None:
            return self.named
        return shortened(self.source, self.node)


class Cause(enum.Enum):
    """Why an operand is on the wrong device, as far as its history tells."""

    LAYER_INPUT = "the input of a layer"
    ATTRIBUTE = "a plain tensor attribute of a module"
    CREATED = "created without a device"
    MODULE = "parameters that were not moved"
    STATE = "the state of an optimizer"
    RENAMED = "a module that was moved under a second name"
    STALE = "taken from a module before that was moved"
    OTHER = "other"


@fact
class MovePlace:
    """Place to move the stray: the call that makes it, the statement after which it is there, or the argument that it is."""

    source: Source
    node: ast.Call | ast.Name | ast.stmt
    names: tuple[str, ...]  # what is moved behind a statement; empty for a call, whose result is
    target: str  # an expression, valid there, as an argument of `.to`
    in_place: bool = False  # these are modules
    first: bool = False  # before the statement, not behind it
    mapping: bool = False  # the name stands for a dict of tensors


@fact
class DevicesMixed(Event):
    """An operation was given tensors on different devices."""

    operation: str
    stray: Operand
    anchor: Operand
    comparison: Comparison
    cause: Cause
    possible: bool = False  # only on some path that nothing speaks for
    target: str = ""  # an expression, valid at the stray, for where it should be
    attribute: str = ""  # the name of the plain attribute, or the second one of a module
    old_name: str = ""
    attribute_site: Site | None = None  # where it was assigned
    attribute_read: Site | None = None  # where a caller of the running function has read it
    creation: ast.Call | None = None  # the factory call, when in the same function
    creation_site: Site | None = None
    creation_target: str = ""  # an expression, valid at the creation
    origin: MovePlace | None = None  # what gave the stray, or the module that it belongs to
    boundary: MovePlace | None = None  # where the batch that the stray is part of comes in
    all_of_list: bool = False  # the stray's expression is a sequence of tensors
    part_of: str = (
        ""  # "tuple", "list", "dict": the stray's expression is one, and holds it; "none": it may be None
    )
    written: bool = False  # the stray is what the operation writes to
    may_be_no_tensor: bool = False  # nobody has shown that the stray is one


@fact
class ResultDiscarded(Event):
    """The result of an operation that changes nothing was dropped."""

    explains_mismatches: ClassVar[bool] = True

    operation: str
    receiver_text: str
    receiver: ast.expr | None
    moved: bool  # it would have been on another device
    tensor: TensorValue
    target: str = ""  # what the statement would have to be assigned to; "" where that would not mend it
    beside: tuple[str, ...] = ()  # modules on the CPU that are called with the receiver below
    on_host: bool = False  # the rest of the function calls modules that stay on the CPU


@fact
class HostRead(Event):
    """A tensor was converted to numpy, or given to code that does so."""

    how: str
    operand: Operand
    off_host: bool
    only_when_accelerated: bool
    needs_grad: bool
    conversion: ast.Call | None  # the `.numpy()` call itself, if it is one
    inside: bool = False  # the operand's expression is a sequence that holds the tensor
    presumed: bool = False  # it requires grad as far as a model that is not seen has parameters to train
    possible: bool = False  # more has to be presumed than that
    put: Site | None = None  # where it was put into such a sequence
    beside_unknown: bool = False  # the call is given other tensors, of which nobody knows where they are


@fact
class BackwardAgain(Event):
    """A graph that was freed is walked again."""

    freed: Node
    freed_at: Site
    root_text: str
    receiver: ast.expr | None
    carried: bool  # the graph was built in an earlier iteration of a loop around
    carried_name: str = ""  # the variable that carried it
    loop: ast.stmt | None = None
    call: ast.Call | None = None
    first_call: ast.AST | None = None
    carried_in: str = ""  # "tuple", "list", "dict": what it is, if it holds tensors
    before_loop: bool = False  # the graph is older than the innermost loop
    kept: Site | None = None  # where a part of a module was assigned that carried it
    kept_value: ast.expr | None = None
    outer_name: str = ""  # the variable that was computed before the loop and carried it into each iteration
    outer_made: Site | None = None
    shared_name: str = ""  # the variable through which both walks reach what was freed,
    unwanted: bool = False  # of which the first one's gradients have been cleared since
    stale: bool = False  # a step has changed since what the freed part would have kept


@fact
class SavedOverwritten(Event):
    """Backward needs a tensor that was changed in place since."""

    node: Node
    saved: Saved
    written_at: Site
    by_step: bool
    ahead: Site | None = None  # where the result is returned, if backward is called somewhere else


@fact
class BackwardWithoutGraph(Event):
    """Backward of something that needs no grad."""

    root_text: str
    cut: Step | None
    is_number: bool = False  # it is no tensor at all
    is_input: bool = False  # `autograd.grad` is asked for its gradient
    came_before: str = ""  # what it is asked of, which was computed before that input was
    made: Site | None = None  # where such an input was computed
    presumed: bool = False  # nobody knows of an operand that most likely carries no graph either


@fact
class BackwardOfNonScalar(Event):
    """Backward of more than one element without a gradient."""

    root_text: str
    receiver: ast.expr | None
    shape: tuple[int | None, ...] | None
    made: Site | None = None  # where its elements were computed
    asked: Site | None = None  # where the loss was made, with a `reduction` of its own
    is_complex: bool = False  # it is one complex number


@fact
class GradRead(Event):
    """`.grad` of a tensor that is no leaf and retains none."""

    text: str
    receiver: ast.expr
    tensor: TensorValue
    backward: ast.stmt | None  # the backward before the read, in the same block of code
    why: Step | None
    lost: str = ""  # the transfer that made it one


@fact
class LeafWritten(Event):
    """A leaf that requires grad (or a view of one) is modified in place."""

    text: str
    how: str
    is_view: bool
    tensor: TensorValue


@fact
class ViewWritten(Event):
    """A view that must not be modified in place is."""

    text: str
    how: str
    why: str


@fact
class GraphKept(Event):
    """A value that outlives the loop keeps the graph of every iteration."""

    container: str
    value_text: str
    value: ast.expr | None
    tensor: TensorValue
    accumulates: bool  # total += loss, rather than losses.append(loss)
    scalar: bool
    mentions: tuple[ast.expr, ...] = ()  # where `.detach()` cuts it, if there is no one expression of it


@fact
class StaleStep(Event):
    """An optimizer steps on gradients of earlier steps added to those of this one."""

    optimizer: str
    backwards: tuple[Site, ...]
    backward_statement: ast.stmt | None
    source_of_backward: Site | None
    by_hand: bool = False  # no optimizer: the parameter itself is updated


@fact
class GradientsUnused(Event):
    """Gradients are cleared, clipped or stepped on at a time when that does nothing."""


@fact
class GradientsLost(GradientsUnused):
    """Gradients are cleared before any step used them."""

    optimizer: str
    backward: Site | None
    step: ast.stmt | None = None
    now_and_then: bool = False  # the optimizer steps in every n-th iteration, and clears in each
    never: bool = False  # the optimizer does not step at all


@fact
class StepWithoutGradients(GradientsUnused):
    """An optimizer steps when none of its parameters has a gradient."""

    optimizer: str
    cut: Step | None = None  # how they were cut from the losses that there were
    backward: Site | None = None  # the last one, which has reached others
    made: Site | None = None  # the optimizer, where another one holds all of the same
    twin: str = ""  # the name of that
    removed: bool = False  # a backward has reached some of them: their gradients were there


@fact
class ModulesUnregistered(Event):
    """A module uses layers or parameters that it keeps in a plain container."""

    attribute: str
    container: str  # "list", "dict", "tuple"
    what: str  # "modules" or "parameters"
    value: ast.expr | None
    assigned: Site | None = None
    named: bool = True  # the keys of a dict are strings, as far as they are seen
    nested: bool = False  # they stand in tuples, and these in the container
    missed: Site | None = None  # where an optimizer is given no parameter for that
    unseen: bool = False  # no code of these modules is seen
    made: Site | None = None  # where the container was made, if that is another place


@fact
class LayerBuiltInForward(Event):
    """A layer with parameters is built and used within one forward."""

    layer: str
    call: ast.AST
    made: Site | None = None  # in a helper of `forward`, perhaps
    on_host: bool = True  # its parameters are on the CPU when it is used


@fact
class ParameterLost(Event):
    """A moved or cast Parameter, which is no Parameter any more, is kept on a module."""

    how: str
    attribute: str
    moved: Site | None = None


@fact
class LeafLost(Event):
    """`.grad` or an optimizer is asked of what moving a leaf has returned."""

    text: str
    how: str
    moved: Site
    made: Step | None = None  # how the leaf was created that was moved


@fact
class OptimizerGiven(Event):
    """An optimizer was built of something it cannot train."""

    optimizer: str
    problem: str  # "non-leaf", "empty", "exhausted", "module", "tensor", "none-trained"
    text: str
    argument: ast.expr | None
    why: Step | None = None
    made: Site | None = None  # the iterator that was used up; the optimizer, where a part was replaced
    trained: bool = False  # what was replaced had gradients before


@fact
class InvalidDevice(Event):
    """torch cannot read this as a device, or the receiver has no such method."""

    problem: str
    suggestion: str = ""
    argument: ast.expr | None = None


@fact
class DeviceCompared(Event):
    """A device compared in a way that never holds."""

    text: str
    problem: str
    replacement: str = ""


@fact
class GradModeWithoutEffect(Event):
    """`with torch.no_grad:`, a bare `torch.no_grad()`, a mode left switched off."""

    problem: str
    mode: str
    node: ast.expr
    back: Site | None = None  # where it is switched on again, if not on each way


@fact
class GraphCutHidden(Event):
    """A result that lost its graph is made to require grad, so that backward runs in vain."""

    how: str
    text: str
    cut: Step | None


@fact
class FlagWithoutEffect(Event):
    """A requires_grad assignment that freezes nothing, or that torch refuses."""

    text: str
    problem: str
    receiver: ast.expr
    attribute: str
    value: ast.expr | None


@fact
class ParameterRebound(Event):
    """A leaf is replaced by the result of its own update."""

    name: str
    value: ast.expr | None
    under_no_grad: bool
    attribute: str = ""  # the parameter of a module, which takes no other tensor
    unread: bool = False  # the name is that of a loop, which binds it anew in each iteration
    missed: Site | None = None  # where its gradient is read, which is None
    computed: bool = False  # what the attribute is given has a graph, which numbers do not keep


@fact
class EvalKeepsGraph(Event):
    """Results of a model in an evaluation carry a graph that nobody uses."""

    model: str
    function: ast.AST | None
    in_eval_mode: bool = True  # or it is called by a function that is named for evaluation
    evaluating: Site | None = (
        None  # a function that has called the model for this one, and evaluates it by itself
    )


@fact
class NotCalled(Event):
    """A method is named as a statement, or computed with, and not called."""

    text: str
    node: ast.expr
    computed: str = ""  # the text of the operation that it takes part in
    used: Site | None = None  # where that is, if it is not where the method is named


@fact
class LossClassCalled(Event):
    """The tensors were given to the constructor of a loss class, or of a layer."""

    name: str
    call: ast.Call
    is_layer: bool = False


@fact
class GraphCopied(Event):
    """deepcopy of a tensor that is no leaf."""

    text: str
    attribute: str = ""  # the attribute of a module or another object that holds it
    argument: ast.expr | None = None  # the argument, when it is the tensor itself
    made: Site | None = None
    kept: Site | None = None  # where the attribute was set
    kept_value: ast.expr | None = None
    held_in: str = ""  # "dict", "list": what the argument is, if it is one and holds the tensor itself
    sent: bool = False  # to another process, in place of a copy


@fact
class Revealed(Event):
    """`reveal_value(expr)`."""

    text: str


@fact
class SilencedNothing(Event):
    """A comment names what is not found where it stands."""

    directive: Range
    text: str


@fact
class UnknownRuleNamed(Event):
    """A comment names no rule and no family, or cannot be understood."""

    name: str  # "" if the comment itself is malformed
    place: Range
    problem: str
    suggestion: str


@dataclass(eq=False, repr=False)
class Trace:
    """Events of one run, kept for those who ask about omissions."""

    events: list[Event] = field(default_factory=list)
