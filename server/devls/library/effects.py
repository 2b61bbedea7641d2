"""The closed vocabulary in which the library says what an operation does.

Everything the interpreter knows about a library function is one `Operation`;
about an `nn` layer one `Layer`; about an optimizer one `OptimizerKind`.
Exceptions are named in `torch/table.py`, one function each.

Named tuples, because dataclasses take longer to define than the catalog takes to read.
"""

from __future__ import annotations

import enum
from typing import NamedTuple


class _Word(enum.Enum):
    """A word is itself and nothing else: to be looked up it need not spell its name each time."""

    __hash__ = object.__hash__


class Role(_Word):
    """Role of a parameter in the device check of its operation."""

    EXACT = "exact"  # a tensor that must be on the operation's device, whatever its rank
    ELEMENT = "element"  # a tensor that must be, unless it is 0-dim and on the CPU
    LIST = "list"  # a sequence of EXACT tensors (cat, stack)
    COPIES = "copies"  # a sequence of tensors that are copied to where the first of them is (pad_sequence)
    INDEX = "index"  # an index: on the operand's device or on the CPU
    FREE = "free"  # a tensor that may be anywhere: shape only, the source of copy_
    OTHER = "other"  # not a tensor


class Passing(_Word):
    """How an argument reaches a parameter."""

    EITHER = "either"
    KEYWORD = "keyword"
    REST = "rest"  # *args
    KEYWORDS = "keywords"  # **kwargs


REQUIRED = object()
"""The default of a parameter that has none."""


class Parameter(NamedTuple):
    """One parameter; `default` is a Python constant, or REQUIRED, or ... for any other."""

    name: str
    role: Role = Role.OTHER
    passing: Passing = Passing.EITHER
    default: object = REQUIRED


class Result(_Word):
    """Kind of an operation's result."""

    NEW = "new"  # a leaf on `device=`, else on the ambient default device
    LIKE = "like"  # a leaf on `device=`, else on the first tensor operand's device
    TENSOR = "tensor"  # computed from the operands, on their device
    VIEW = "view"  # shares the first operand's storage, in its graph
    SELF = "self"  # the first operand itself (in-place operations, requires_grad_)
    TENSORS = "tensors"  # a tuple of computed tensors, see `outputs`
    VIEWS = "views"  # a tuple or list of views, its length not known
    HOST_ARRAY = "host-array"  # a numpy array: on the host, outside any graph
    HOST_SCALAR = "host-scalar"  # a Python number or bool made of tensor contents
    HOST_LIST = "host-list"  # a nested list of Python numbers
    NUMBER = "number"  # a Python number that needs no tensor contents (dim, numel)
    SHAPE = "shape"  # a torch.Size or a tuple of ints
    RANGE = "range"  # numbers in order, of the arguments of Python's `range` (tqdm.trange)
    STRING = "string"
    NONE = "none"
    OBJECT = "object"  # no tensor: a stream, a hook's handle, a setting, a data set
    MODE = "mode"  # a context manager or decorator, or a switch that is one
    WRAPPER = "wrapper"  # what it is given, or something that does the same (compile, script, DataParallel)
    TRANSFORM = "transform"  # a function made of a function (vmap, grad)
    CALL = "call"  # decided elsewhere: by the function that it calls, or the file that it reads
    MODULE = "module"  # a module whose class we do not see: its parameters are where nobody knows
    CPU_MODULE = "cpu-module"  # the same, made on the CPU
    CPU_TENSOR = "cpu-tensor"  # a leaf on the CPU whatever the ambient device (from_numpy)
    UNKNOWN = "unknown"


class Differentiable(_Word):
    """Effect of an operation on the graph."""

    YES = "yes"
    NO = "no"  # the result never requires grad (argmax, comparisons)
    ZERO = "zero"  # requires grad, and the gradient is always zero (round, sign)
    FAILS = "fails"  # requires grad, and backward raises: not implemented
    UNKNOWN = "unknown"


class Rank(_Word):
    """How the result's number of dimensions follows from the operands'."""

    SAME = "same"  # as the first tensor operand
    BROADCAST = "broadcast"  # the largest of the tensor operands'
    SCALAR = "scalar"  # always 0
    REDUCED = "reduced"  # 0 without `dim`, else unknown
    REDUCTION = "reduction"  # a loss: 0 unless reduction="none"
    SIZES = "sizes"  # given by size arguments
    SOME = "some"  # at least 1
    UNKNOWN = "unknown"


class Dtype(_Word):
    """How the result's dtype class follows."""

    SAME = "same"
    PROMOTED = "promoted"  # type promotion of the operands
    FLOAT = "float"  # floating (or complex) whatever the operands
    COMPLEX = "complex"  # complex, as wide as the operands
    REAL = "real"  # as the first operand; of a complex one its parts'
    INDICES = "indices"  # of several results: those in a graph as the first operand, the others int64
    BOOL = "bool"
    INT = "int"
    ARGUMENT = "argument"  # `dtype=`, else float32
    ARGUMENT_OR_SAME = "argument-or-same"
    UNKNOWN = "unknown"


class Operation(NamedTuple):
    """One library callable.

    `saves` names the parameters (and "result", or "result0", "result1") that
    backward needs unchanged; None means that nobody knows.
    `outputs` has one entry per output of a TENSORS result.
    `writes` names the parameters modified in place.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    result: Result = Result.UNKNOWN
    differentiable: Differentiable = Differentiable.UNKNOWN
    outputs: tuple[Differentiable, ...] = ()
    saves: tuple[str, ...] | None = ()
    saves_only_if_other_requires_grad: bool = False  # mul, matmul: a saved for b's gradient
    saves_for_what_is_put: bool = (
        False  # index_add: nothing but for the gradient of what is put into the first
    )
    writes: tuple[str, ...] = ()
    rank: Rank = Rank.UNKNOWN
    dtype: Dtype = Dtype.UNKNOWN
    synchronizes: bool = False
    deprecated: str = ""  # the replacement, or why
    saves_only_if_itself_requires_grad: tuple[str, ...] = ()  # hypot: each operand, for its own gradient
    fields: tuple[str, ...] = ()  # what the outputs are called, where they come as a named tuple


class LayerTensor(NamedTuple):
    """A parameter or buffer that a layer registers; `unless` names the option that removes it."""

    name: str
    is_buffer: bool = False
    unless: str = ""  # "bias=False": absent when that constructor argument has that value
    default_absent: bool = False  # absent unless the constructor is given it (loss weights)


class Layer(NamedTuple):
    """One `torch.nn` module class.

    `forward` describes a call: its parameters' roles against the layer's own
    tensors. `container` is "sequential", "list", "dict" or "".
    """

    name: str
    constructor: tuple[Parameter, ...] = ()
    tensors: tuple[LayerTensor, ...] = ()
    forward: Operation | None = None
    inplace_option: bool = False  # ReLU(inplace=True) writes its input
    container: str = ""
    submodules: bool = False  # registers further modules of its own (Transformer)


class OptimizerKind(NamedTuple):
    """One `torch.optim` class: `state` is when it allocates per-parameter tensors."""

    name: str
    constructor: tuple[Parameter, ...] = ()
    state: str = "step"  # "constructor" (Adagrad), "step", or "none" (plain SGD)
    needs_closure: bool = False

    @property
    def settings(self) -> frozenset[str]:
        """Names of what it keeps in each of its `param_groups`."""
        return frozenset(each.name for each in self.constructor) - {"params"}
