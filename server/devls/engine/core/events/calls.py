"""Events of calls: arguments that torch does not take, or takes otherwise than meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.events import Event
from devls.values.facts import fact

if TYPE_CHECKING:
    import ast

    from devls.engine.core.events.events import Operand
    from devls.values.history import Site, Step
    from devls.values.value import TensorValue


@fact
class HostArgument(Event):
    """An argument that torch takes on the CPU only comes from an accelerator."""

    operation: str  # "pin_memory", "pack_padded_sequence", "tensor_split"
    operand: Operand
    only_when_accelerated: bool


@fact
class GeneratorElsewhere(Event):
    """Random numbers for one device are asked of a generator of another."""

    operation: str
    generator: str  # the text of the argument
    generator_place: object
    place: object
    only_when_accelerated: bool
    made: Site | None
    creation: ast.Call | None  # the call that made the generator, when in the same function
    target: str  # an expression for the device, valid at the creation


@fact
class OldSpelling(Event):
    """A name that torch keeps for old programs."""

    name: str
    advice: str  # what takes its place, in words
    replacement: str  # a dotted name that does, with the arguments of `arguments` first
    arguments: str
    breaks: bool  # without an accelerator, or always
    call: ast.Call
    chosen: bool = False  # the program chooses its device
    without_graph: bool = False  # gradients are off here


@fact
class DeviceDemanded(Event):
    """An accelerator is asked for by name, on a path where nobody knows that there is one."""

    how: str  # "cuda()", "to", "device=", "autocast", "torch.cuda" for a function of that module
    text: str
    receiver: ast.expr | None
    argument: ast.expr | None  # the literal
    chosen: Site | None  # where the program chooses its device
    target: str  # an expression for the chosen device here, or ""
    in_constructor: bool = False  # of a module, which is moved as a whole later
    is_module: bool = False  # what is moved: it moves with the module that holds it


@fact
class ForwardNamed(Event):
    """`forward` of a module is called by its name."""

    model: str
    receiver: ast.expr
    hooked: bool
    past_wrapper: bool = (
        False  # a module that is called, while its wrapper would add up the gradients of all processes
    )


@fact
class ModuleUninitialized(Event):
    """A module is given layers or parameters before `Module.__init__` has run."""

    attribute: str
    function: ast.AST | None
    what: str  # "module", "parameter"
    presumed: bool = False  # whether it is taken for a module because `forward` calls it


@fact
class CheckpointVague(Event):
    """`checkpoint` is not told which of its two ways to take, or takes the old one where nothing needs grad."""

    problem: str  # "unsaid", "no grad"
    call: ast.Call
    argument: ast.expr | None  # of `use_reentrant`


@fact
class FunctionMisused(Event):
    """A `torch.autograd.Function` is not written as torch needs it."""

    name: str
    problem: str  # "not static", "count", "tensor on ctx", "called", "gradient ignored", "not marked", "single precision", "forward", "not saved"
    wanted: int = 0
    found: int = 0
    applied: Site | None = None
    value: ast.expr | None = None  # what `backward` returns


@fact
class GradAskedOfConstant(Event):
    """A hook, or a retained gradient, is asked of a tensor that requires none."""

    method: str
    text: str
    cut: Step | None


@fact
class ViewDetached(Event):
    """`detach_()` of a view."""

    text: str
    receiver: ast.expr | None
    made: Site | None


@fact
class CannotRequireGrad(Event):
    """A tensor without floating point numbers is told to require grad."""

    text: str
    dtype: str
    how: str  # "requires_grad=True", "Parameter", "requires_grad_()"
    call: ast.Call | None
    literal: ast.expr | None  # the numbers, when they are written there


@fact
class WrappedOffDevice(Event):
    """A parallel wrapper runs a module whose parameters are not where it expects them."""

    wrapper: str
    text: str
    wrapped: ast.expr | None
    made: Site | None
    first: str
    here: str  # where the parameters are


@fact
class MetaMoved(Event):
    """Something without storage is asked to bring it along."""

    text: str
    is_module: bool
    call: ast.Call | None


@fact
class ModeUnheeded(Event):
    """A layer behaves as in training where nobody trains."""


@fact
class ModeForgotten(ModeUnheeded):
    """A model that was loaded to be used, or trained before, is used in train mode."""

    model: str
    different: str  # the layer that makes a difference
    loaded: Site  # where it was loaded, or trained
    load_statement: ast.stmt | None
    trained: bool = False


@fact
class FrozenInTrainMode(ModeUnheeded):
    """The parameters of a layer are frozen for good, and it goes on with its running statistics."""

    layer: str
    called: Site


@fact
class DropsInAnyMode(ModeUnheeded):
    """A module drops numbers by a function that it does not tell its mode, or by a layer made anew."""

    function: str
    call: ast.Call
    is_layer: bool = False


@fact
class ActivationDoubled(Event):
    """A loss is given scores, probabilities or their logarithms where it wants others of these."""

    loss: str
    activation: str  # what computed the values; "linear" for scores
    problem: str  # a word for what is wrong with that
    operand: ast.expr | None
    made: Site | None
    built: Site | None = None  # where the loss was created that is called


@fact
class NotCallable(Event):
    """Something is called, or asked for an attribute, as a module or a function is, and is none."""

    text: str
    kind: str  # "tensor", "bool", "loaded", "path", "wrapped", "wrapped silently", "whole"
    name: str  # the attribute that is read, or "" where it is called
    made: Site | None


@fact
class ResultUnused(Event):
    """A computed value is for nobody."""


@fact
class ComputedForNothing(ResultUnused):
    """The result of an operation that changes nothing is thrown away."""

    operation: str
    receiver: ast.expr
    text: str
    tensor: TensorValue


@fact
class HookGivesNothing(ResultUnused):
    """A hook computes something of what it is given, and returns None: torch goes on with what there was."""

    text: str
    function: str


@fact
class GraphCopiedAsNumbers(Event):
    """`torch.tensor(x)` of a tensor in a graph, or of several."""

    how: str
    text: str
    argument: ast.expr
    call: ast.Call
    listed: bool = False


@fact
class BackwardKeepsGraph(Event):
    """A backward is told to keep, or to build, a graph."""

    how: str  # "retain_graph", "create_graph"
    call: ast.Call
    value: ast.expr | None


@fact
class LoaderOffHost(Event):
    """A loader or a sampler draws the order of data under a default device that is not the CPU."""

    place: object
    only_when_accelerated: bool
    where: Site  # where the default device was set
    drawn_by: str = "loader"  # or "sampler"


@fact
class TransferRepeated(Event):
    """The same tensor is moved in each iteration of a loop."""

    text: str
    made: Site | None
