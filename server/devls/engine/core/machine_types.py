"""The parts of the machine that its helpers need at run time, without the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from devls.values.facts import fact

if TYPE_CHECKING:
    import ast

    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source
    from devls.values.conditions import Tree
    from devls.values.history import Site
    from devls.values.state import Layer
    from devls.values.value import FunctionValue, Scope


class Yielding(Protocol):
    """Code that runs where a function yields: the block of a `with`, or the body of a loop."""

    call: ast.expr
    """Caller of the function."""

    def of(self, m: Machine, function: FunctionValue, /) -> Yielding | None:
        """Continuation that a function called for it runs at its yields."""

    def run(self, m: Machine, value: object, /) -> None:
        """Run the code in the frame that it stands in, with what was yielded."""

    def raises(self) -> bool:
        """Whether what ran last has ended by an exception, which is raised where the function yields."""

    def over(self, *, alive: bool) -> None:
        """The function has ended; whether by its end or a `return`, so that no exception leaves it."""


@fact
class Seen:
    """The value of an expression in one of the calls, and of the rounds of loops, that came to it."""

    value: object
    layer: Layer
    calls: tuple[Site, ...]
    rounds: tuple[tuple[ast.AST, int], ...] = ()
    """The loops that were running, each with the number of its round."""


class LoopFrame:
    """One loop that is running."""

    __slots__ = (
        "breaks",
        "continues",
        "exact",
        "iterable",
        "iteration",
        "last_rounds",
        "node",
        "noted",
        "number",
        "others",
        "passes_started",
        "start",
        "trains",
    )

    def __init__(self, node: ast.AST, number: int, *, exact: bool = False) -> None:
        self.node = node
        self.exact = exact  # whether each of its iterations is run
        self.iterable: object = None  # of a `for`, what it goes through
        self.number = number  # serial of the moment the loop began
        self.iteration = number  # serial of the moment the running iteration began
        self.passes_started = 0
        self.start: Layer | None = None  # the point where the running iteration began
        self.breaks: list[Layer] = []
        self.continues: list[Layer] = []
        self.last_rounds: dict[
            ast.If, bool
        ] = {}  # the tests that ask for its last round, and what they say then
        self.others: list[tuple[Tree, bool]] = []  # what they say in all other rounds
        self.trains = False  # whether an optimizer steps in each iteration
        self.noted: dict[object, object] = {}  # by checks, see `notes.LoopNote`


class Frame:
    """One call that is running."""

    __slots__ = (
        "beyond_allowance",
        "block",
        "calls",
        "constructs",
        "function",
        "loops",
        "modes",
        "plausible",
        "receiver",
        "returns",
        "scope",
        "source",
        "statement",
        "symbolic",
        "undecided",
        "yields",
        "yields_in_loop",
    )

    def __init__(
        self,
        scope: Scope,
        source: Source,
        calls: tuple[Site, ...],
        function: FunctionValue | None = None,
        receiver: object = None,
    ) -> None:
        self.scope = scope
        self.source = source
        self.calls = calls
        self.function = function
        self.constructs = function is not None and function.name == "__init__"
        self.receiver = receiver
        self.loops: list[LoopFrame] = []
        self.returns: list[tuple[Layer, object]] = []
        self.block: Yielding | None = None  # what is run where it yields
        self.yields: list[object] = []
        self.yields_in_loop = False  # where the last of them stands
        self.statement: ast.stmt | None = None
        self.modes: dict[str, object] | None = None  # of a context manager, where it yields
        self.undecided = 0  # under how many tests it stands that may come out either way
        self.symbolic = False
        self.plausible = False
        self.beyond_allowance = False  # runs only because its body is short


class Cancelled(Exception):  # noqa: N818  a request to stop, not an error
    """The caller lost interest."""


class OutOfSteps(Exception):  # noqa: N818  a bound reached, not an error
    """The current run has used up its steps."""
