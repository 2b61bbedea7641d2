"""The abstract values the interpreter computes with.

A value says what is true of an object at one point. An unknown value is a `Symbol`: it has an identity, so that two
reads of the same thing agree, and nothing is ever reported of a symbol alone. No value is ever changed; those that are
made most are not frozen dataclasses all the same, because these take three times as long to make. Objects that change
over time (tensors, instances, lists) are compared by identity; what changes about them is kept in the state.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from devls.syntax.nodes import LOOKED_AT
from devls.values.conditions import IS_NONE, Condition, Either, leaves
from devls.values.devices import UNKNOWN_DEVICE
from devls.values.facts import fact
from devls.values.graph import next_serial
from devls.values.weights import KEY_WEIGHT, LARGEST_SIZE, RANK, TUPLE_DEPTH, TUPLE_WEIGHT

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Hashable

    from devls.syntax.source import Source
    from devls.values.conditions import Tree
    from devls.values.graph import Node, Storage
    from devls.values.history import Site, Step


class Value:
    """Base of all abstract values. A value that depends on conditions is an Either of values."""

    __slots__ = ()


@fact
class Const(Value):
    """A Python constant."""

    value: object

    def __eq__(self, other: object) -> bool:
        # 1 == True == 1.0 in Python, but not here.
        return type(other) is Const and type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


NONE: Final = Const(None)
TRUE: Final = Const(True)
FALSE: Final = Const(False)


@fact
class Computed:
    """Presumption about the graph behind tensors that an unseen model has computed."""

    requires_grad: Tree
    node: Node | None
    step: Step | None = None  # where it was cut from what it was computed of


class Key(tuple[object, ...]):  # noqa: SLOT001  those of a tuple would have to be empty
    """The key of a symbol, with what it weighs: others are made of it."""

    weight: int


_LIGHT: Final = 12  # parts of a key that are counted faster than remembered


def _weight(key: tuple[object, ...]) -> int:
    """How many parts a key has, those of its parts included; of what was weighed before that is known."""
    weight = 1
    for part in key:
        kind = type(part)
        if kind is Key or kind is TupleValue:
            weight += part.weight  # type: ignore[attr-defined]
        elif kind is tuple:
            weight += _weight(part)  # type: ignore[arg-type]
        else:
            weight += 1
    return weight


_OF_LAYERS: Final = frozenset("weight bias running_mean running_var".split())
"""Names that layers give their parameters and buffers."""


class Symbol(Value):
    """Something we do not know, with an identity.

    `named` symbols (a parameter, `args.device`, an attribute of either) stand for what somebody will choose; others are
    merely the result of code that we cannot see. `hint` says what it is likely to be: "tensor", "module", "number", "string",
    "bool", "device", "list", "dtype" or "". `device` is where tensors in it are presumed to be, `part_of` the symbol it was
    unpacked from, `computed` what is known of their graph where a model made them.
    """

    __slots__ = (
        "_is_none",
        "_truth",
        "computed",
        "device",
        "hash",
        "hint",
        "key",
        "named",
        "part_of",
        "plausible",
        "serial",
        "site",
        "text",
    )

    def __init__(
        self,
        key: Hashable,
        text: str,
        *,
        named: bool = False,
        hint: str = "",
        plausible: bool = False,
        site: Site | None = None,
        device: Tree | None = None,
        part_of: Symbol | None = None,
        computed: Computed | None = None,
    ) -> None:
        if type(key) is tuple:
            weight = _weight(key)
            if weight > KEY_WEIGHT:
                key, text, named = ("unknown", next_serial()), "?", False
            elif weight > _LIGHT:
                key = Key(key)
                key.weight = weight
        self.key = key
        self.computed = computed
        self.device = device
        self.part_of = part_of
        self.text = text
        self.named = named
        self.hint = hint
        self.plausible = plausible
        self.site = site
        self.serial = next_serial()
        self.hash = hash(key)
        self._is_none: Condition | None = None
        self._truth: Either | None = None

    @property
    def is_none(self) -> Condition:
        """The test whether it is None."""
        if self._is_none is None:
            self._is_none = Condition((IS_NONE, self.key), "")
        return self._is_none

    @property
    def layer_key(self) -> Hashable | None:
        """The key of the layer whose parameter or buffer this is, going by the attribute it was read as."""
        key = self.key
        is_part = isinstance(key, tuple) and len(key) == 3 and key[0] == "attr" and key[2] in _OF_LAYERS
        return key[1] if is_part else None  # type: ignore[index]

    @property
    def truth(self) -> Either:
        """Whether it is true, as a tree."""
        if self._truth is None:
            self._truth = Either(self.zero_unless or Condition(("truth", self.key), self.text), True, False)
        return self._truth

    @property
    def zero_unless(self) -> Condition | None:
        """The test without which this number is 0, and with which it is 1 or more, if there is one."""
        key = self.key
        return key[1] if isinstance(key, tuple) and len(key) == 2 and key[0] == "zero unless" else None

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Symbol and self.hash == other.hash and self.key == other.key)

    def __repr__(self) -> str:
        return f"Symbol({self.text})"


def unknown() -> Symbol:
    """Something of which nothing is known, and which equals nothing else."""
    return Symbol(("unknown", next_serial()), "?")


@dataclass(frozen=True)
class DeviceValue(Value):
    """A `torch.device`. That of a tensor is made anew at each access, and always has its index."""

    device: Tree
    of_tensor: bool = field(default=False, compare=False)
    origin: Site | None = field(default=None, compare=False)
    step: Step | None = field(default=None, compare=False)  # how that tensor came to be there
    as_text: bool = field(default=False, compare=False)  # `str(device)`: compared with strings as one of them


MANY: Final = 2
"""Of `nonscalar`: there are as many elements as a loss has that somebody asked not to be reduced, one per sample or more."""


class TensorValue(Value):
    """A tensor. Identity matters; `state.py` knows what changed about it since it was made."""

    __slots__ = (
        "device",
        "device_step",
        "dtype",
        "grad_step",
        "inference",
        "is_parameter",
        "leaf",
        "may_share",
        "node",
        "nonscalar",
        "origin",
        "requires_grad",
        "serial",
        "shape",
        "sides",
        "storage",
        "symbol",
        "view_of",
        "written",
    )

    def __init__(
        self,
        *,
        device: Tree = UNKNOWN_DEVICE,
        requires_grad: Tree = None,
        leaf: Tree = None,
        node: Node | None = None,
        dtype: str | None = None,
        shape: tuple[int | None, ...] | None = None,
        nonscalar: int = False,
        storage: Storage | None = None,
        view_of: TensorValue | None = None,
        may_share: TensorValue | None = None,
        sides: Sides | None = None,
        is_parameter: bool = False,
        inference: bool = False,
        origin: Site | None = None,
        device_step: Step | None = None,
        grad_step: Step | None = None,
        symbol: Symbol | None = None,
    ) -> None:
        self.device = device
        self.requires_grad = requires_grad
        self.leaf = leaf
        self.node = node
        self.dtype = dtype
        if shape:
            for size in shape:
                if size is not None and size > LARGEST_SIZE:
                    nonscalar, shape = nonscalar or 1, None  # torch has no such tensors
                    break
            else:
                if len(shape) > RANK:
                    nonscalar, shape = nonscalar or 1, None
        self.shape = shape
        self.nonscalar = nonscalar or bool(shape)  # whether it has dimensions for sure; or MANY
        self.storage = storage
        self.view_of = view_of
        self.may_share = may_share  # a view of that, or a copy: nobody knows (`reshape`, `contiguous`)
        self.sides = sides  # it is one of these: two paths met
        self.is_parameter = is_parameter
        self.inference = inference
        self.origin = origin
        self.device_step = device_step
        self.grad_step = grad_step
        self.symbol = symbol
        self.serial = next_serial()
        self.written = False
        """Whether the state holds anything of it, on whatever path; until then it is as it was made.

        Hardly any tensor is ever changed: without asking the state for the facts of the others an analysis takes 1.6 % less.
        """

    @property
    def rank(self) -> int | None:
        """The number of dimensions, if known."""
        return None if self.shape is None else len(self.shape)


class Sides(NamedTuple):
    """The two tensors of which one is meant: `then` where the condition holds."""

    condition: Condition
    then: TensorValue
    otherwise: TensorValue


@dataclass(eq=False, repr=False)
class TupleValue(Value):
    """A tuple of known length."""

    items: tuple[object, ...]
    fields: tuple[str, ...] = ()  # what torch calls the items
    weight: int = field(default=1, init=False, repr=False)
    depth: int = field(default=1, init=False, repr=False)

    def __post_init__(self) -> None:
        """Keep within bounds: what is nested too deep, or has too much in it, is not known."""
        self.weight = 1 + len(self.items)
        for each in self.items:
            if type(each) is TupleValue or type(each) is Either:
                self._weigh()
                break

    def _weigh(self) -> None:
        inner = [each for item in self.items for each in leaves(item) if type(each) is TupleValue]
        if inner:
            self.weight += sum([each.weight for each in inner])
            self.depth = 1 + max([each.depth for each in inner])
            if self.weight > TUPLE_WEIGHT or self.depth > TUPLE_DEPTH:
                self.weight, self.depth = 1 + len(self.items), 1
                nested = (TupleValue, Either)
                self.items = tuple([unknown() if type(each) in nested else each for each in self.items])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TupleValue) and self.items == other.items

    def __hash__(self) -> int:
        return hash(self.items)


class Object(Value):
    """Something with an identity and mutable contents, which the state keeps."""

    __slots__ = ("kind", "origin", "serial")

    def __init__(self, kind: str, origin: Site | None = None) -> None:
        self.kind = kind
        self.origin = origin
        self.serial = next_serial()


class Sequence(Object):
    """A list, set or iterator. Contents: slot "items" (tuple of values) or "element"."""

    __slots__ = ()


class Mapping(Object):
    """A dict. Contents: slot "entries" ({constant: value}) and "element" for the rest."""

    __slots__ = ()


class Scope(Object):
    """The variables of a function call, a class body or a module."""

    __slots__ = ("captured", "ended", "function", "globals", "names", "parent", "redirects", "source")

    def __init__(self, kind: str, source: Source, parent: Scope | None, globals_: Scope | None) -> None:
        super().__init__(kind)
        self.source = source
        self.parent = parent
        self.globals = globals_ or self
        self.function: FunctionValue | None = None
        self.names: set[str] = set()
        self.captured = False
        self.ended = False  # nobody can ask for its variables any more; only for what the call has returned
        self.redirects = False
        """Whether a `global` or `nonlocal` statement may have run in it."""


class InstanceValue(Object):
    """An instance of a class we can see, or of a library class (`library` names it).

    Its attributes are slots of the state. For `nn.Module`s these are the parameters,
    buffers, submodules and plain attributes together; slot "buffers" names the buffers.
    """

    __slots__ = ("cls", "library", "symbolic")

    def __init__(
        self, cls: ClassValue | None, library: str, origin: Site | None = None, *, symbolic: bool = False
    ) -> None:
        super().__init__("instance", origin)
        self.cls = cls
        self.library = library
        self.symbolic = symbolic


@dataclass(eq=False, repr=False)
class FunctionValue(Value):
    """A function or lambda whose body we can see, with the scope it closes over."""

    definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    """For its name and identity. Whoever looks at the code asks for `node`."""
    scope: Scope
    source: Source
    defaults: tuple[object, ...] = ()
    keyword_defaults: tuple[object | None, ...] = ()
    cls: ClassValue | None = None
    kind: str = "function"  # "function", "static", "class", "property"
    grad_mode: str = ""  # decorated with no_grad, inference_mode or enable_grad
    opaque: bool = False  # decorated with something we do not know

    @property
    def node(self) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda:
        """The code; that it was asked for is remembered."""
        LOOKED_AT.add(self.definition)
        return self.definition

    @property
    def name(self) -> str:
        """The name it was defined under."""
        return getattr(self.definition, "name", "<lambda>")


@fact
class ClassValue(Value):
    """A class whose body we can see; its namespace is `scope`."""

    definition: ast.ClassDef
    """For its name, place and identity. Whoever looks at the code asks for `node`."""
    scope: Scope
    source: Source
    bases: tuple[object, ...] = ()
    dataclass_fields: tuple[tuple[str, ast.expr | None, ast.expr | None], ...] | None = None

    @property
    def node(self) -> ast.ClassDef:
        """The code; that it was asked for is remembered."""
        LOOKED_AT.add(self.definition)
        return self.definition

    @property
    def name(self) -> str:
        """The name it was defined under."""
        return self.definition.name


@dataclass(unsafe_hash=True)
class LibraryName(Value):
    """A dotted name of a library: a module, class, function or constant of torch, numpy, ..."""

    name: str


@dataclass(eq=False, repr=False)
class BoundMethod(Value):
    """A method of an object: a FunctionValue, or a library name, with its receiver."""

    function: object
    receiver: object
    receiver_node: ast.expr | None = None
    name: str = ""


@fact
class PartialValue(Value):
    """`functools.partial`."""

    function: object
    arguments: tuple[object, ...]
    keywords: dict[str, object] = field(default_factory=dict)


@fact
class NativeFunction(Value):
    """Behaviour of the interpreter's own, given a name so that hovers can show it."""

    name: str
    run: Callable[..., object]


@fact
class ModuleValue(Value):
    """An imported project module."""

    name: str
    scope: Scope


@fact
class Deferred(Value):
    """Import of a library: looked up when it is first read, because most of it never is."""

    importer: str  # the path of the file with the import
    module: str
    level: int
    name: str | None  # None for the module itself


@fact
class SuperValue(Value):
    """`super()`: where the search starts, and for whom."""

    cls: ClassValue
    receiver: object
