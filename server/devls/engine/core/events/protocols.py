"""Events about protocols of torch that were not kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import Event, GradientsUnused
from devls.values.facts import fact

if TYPE_CHECKING:
    import ast

    from devls.values.devices import NamedDevice
    from devls.values.history import Site, Step


@fact
class NoSuchName(Event):
    """A module of torch was asked for a name that it does not have."""

    space: str  # "torch.cuda"
    name: str
    suggestion: str  # the nearest name there is, or ""
    node: ast.Attribute | ast.alias
    lacking: str = ""  # the release that lacks it, which newer ones do not; "" if all do
    only_raises: bool = False  # there is a function of that name, which does nothing else


@fact
class LoadedUnmapped(Event):
    """A value that `torch.load` put wherever it was saved from reaches a module or an optimizer."""

    call: ast.Call
    target: str  # an expression for the device, valid at the call
    used: Site  # where it was loaded into something
    accelerated: bool = False  # it is called as it was loaded, with what may be on an accelerator
    needs_cuda: bool = False  # the program runs on the first card, or not at all
    whole: bool = False  # it is a module that was saved whole, and nothing is known of its inputs


@fact
class TrainedInEvalMode(Event):
    """An iteration trains a module that an earlier one has put into eval mode."""

    model: str
    step: Site
    loop: ast.stmt | None  # where `train()` belongs at the start, if that is in the same function


@fact
class SchedulerFirst(Event):
    """A scheduler steps before its optimizer ever has."""

    scheduler: str
    optimizer: str
    step: Site
    step_statement: ast.stmt | None


@fact
class SchedulerIdle(SchedulerFirst):
    """A scheduler does not do what it was made for: nothing steps it, or it steps for nobody, or at another pace."""

    problem: str = ""
    # "never", "other", "per batch", "per epoch", "made anew"; and, of one that watches a metric, "no metric", "epoch watched"


@fact
class ScalerMisused(Event):
    """A GradScaler is used half-way."""

    problem: str  # "no update", "unscaled backward", "clipped scaled", "unscaled twice", "unscaled each round", "plain step", "update alone", "half"
    scaler: str
    optimizer: str
    related: Site | None = None  # the step, the first of two calls, the backward, or a parameter
    receiver: ast.expr | None = None  # what backward is called on


@fact
class GradientZero(Event):
    """Backward reached leaves only through an operation whose gradient is zero everywhere."""

    operation: str
    call: ast.AST
    leaf: Site | None  # a leaf behind it
    backward: Site
    cancels: bool = False  # it adds what it has subtracted from a constant


@fact
class DataWritten(Event):
    """A value that backward needs was changed through `.data`, unnoticed."""

    text: str
    needed: Site  # the operation that saved it, or whose result was changed
    backward: Site
    of_result: bool = False  # changed between the operation that made it and the one that takes it
    of_parameter: bool = False  # it is a parameter, whose place in a module no other tensor can take


@fact
class InferenceTensorUsed(Event):
    """A tensor made in inference mode is used where torch forbids it."""

    problem: str  # "saved", "written", "requires grad", "given" (to a model of that text)
    text: str
    node: ast.expr | None  # the expression that gave it
    made: Site | None


@fact
class ForbiddenViewWritten(Event):
    """A view that torch does not let be modified in place is."""

    why: str  # "several", "no_grad", "expanded"
    text: str
    made: Site | None
    creation: ast.Call | None  # the call that made the view, when in the same function


@fact
class ResultElsewhere(Event):
    """A function returns what is where its arguments are, and on some path what a factory made on the CPU."""

    text: str  # the call of the factory
    function: str
    other: NamedDevice
    target: str  # an expression for that device, valid at the factory; "" if there is none
    filled: bool = False  # it is the same tensor on all paths, and holds copies of what is there
    takes_device: bool = False  # whether the factory does


@fact
class FlagOfStateDict(Event):
    """`requires_grad` is read of what a state_dict holds, or taken from it: detached tensors, for which it is always False."""

    text: str
    state_dict: Site
    taken: bool = False  # set to False, which it is


@fact
class ClippedTooLate(GradientsUnused):
    """Gradients are clipped after the step that has used them, or before there are any."""

    step: Site  # or the backward that comes later
    step_statement: ast.stmt | None
    early: bool = False  # before the backward


@fact
class NumberIndexed(Event):
    """A tensor without dimensions is indexed by a number."""

    text: str
    indexed: ast.expr
    presumed: bool = False  # whether that is presumed of a loss that is not seen to be computed


@fact
class LossNotScaled(Event):
    """Gradients of several parts of a batch are added up, and nothing divides the losses by their number."""

    loss: str
    count: str
    made: Site | None  # the call that the loss comes from


@fact
class CurrentCardTaken(Event):
    """`.cuda()` or `.type(x.type())` puts a tensor on the current card, where another tensor's card is meant."""

    meant: str  # "x.device"
    back: bool  # whether it was there before
    like: str = ""  # the expression of the tensor whose type is asked for, if that is how


@fact
class EstimateInGraph(Event):
    """Backward goes through what a loss takes as given: a target or a weight that a model has estimated."""

    role: str  # "target", "weight", "copy", "ratio", "evaluated"
    parts: tuple[str, ...]  # what the target is the sum of; or the weight; or both sides of a ratio
    made: ast.expr  # the sum; or the operand that is the weight
    backward: Site
    other: Site  # where they are compared; or where the weight was computed


@fact
class SummandCut(Event):
    """A term of a loss depends on what is trained, and has no gradients to it."""

    cut: Step
    term: Site  # where the term was computed
    total: Site  # where it is added
    backward: Site
    parameters: tuple[Site, ...]  # where what it depends on was made
    ahead: bool = False  # backward is not called here, but on what is returned


@fact
class SampleCut(SummandCut):
    """A loss is computed of numbers that a distribution has drawn without a graph, and nothing asks how likely they were."""


@fact
class TermLost(SummandCut):
    """A term of a loss is computed with its graph, and no backward goes through it."""

    name: str = ""
    overwritten: bool = False  # by the next iteration of a loop


@fact
class ParametersUnreached(Event):
    """An optimizer holds parameters that no loss has reached."""

    optimizer: str
    cut: Step | None
    parameters: tuple[Site, ...]
    missed: int
    held: int  # 0 if some of them are not seen
    frozen: bool


@fact
class GradientsMixed(Event):
    """An optimizer steps on what the loss of another optimizer has left in its parameters, beside its own loss."""

    optimizer: str
    other: str
    first: Site  # the backward of the other's loss
    last: Site


@fact
class LossBroadcast(Event):
    """A loss compares a column of predictions with a row of targets."""

    column: str
    row: str
    prediction: Site | None
    target: Site | None


@fact
class ParameterTold:
    """Whether one parameter gets a gradient from a loss: None where that is not known."""

    name: str
    gets: bool | None
    why: str
    place: Site | None  # where it was cut
    device: str


@fact
class BackwardTold(Event):
    """A backward ran: nothing is wrong, somebody wants to know what it reaches."""

    loss: str
    parameters: tuple[ParameterTold, ...]


@fact
class MemoryShared(Event):
    """A copy kept for later shares memory with something that has changed since."""

    how: str  # "loaded": into the module itself, "restored": after a step; "shared": with another, of which it is to be a copy;
    # "compared": with what changed; "stored": a second time; "assigned": as the memory of another parameter; "summed": beside what has been added to it;
    # "itself": two names of one parameter in a moving average; "kept": by a module of which no code is seen, in a loop that trains it
    other: str  # the module; what it is compared with; the call that stores it
    text: str  # what was kept
    taken: Site  # where it was taken: a copy belongs there


@fact
class GradientsGone(GradientsUnused):
    """A gradient is used after it was cleared, where it is None."""

    text: str
    cleared: Site


@fact
class ClosureLacking(GradientsUnused):
    """`step` of an optimizer that needs a function which computes the loss again, and returns it."""

    optimizer: str
    problem: str  # "none", "gives nothing"


@fact
class OrderRepeated(Event):
    """A loader that is walked in each epoch takes its data in the order of the first one."""

    loader: Site  # where it is made; the place of the event is that of its sampler


@fact
class NormalisedElsewhere(Event):
    """Numbers that add up to one over the samples of a batch are used along another dimension."""

    softmax: Site
    over: int  # the dimension along which they add up to one
    along: int  # the one along which they are used
    use: str  # "product", "scores"
