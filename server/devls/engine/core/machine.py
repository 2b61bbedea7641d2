"""The machine: one state, a stack of frames, and what runs code on them."""

from __future__ import annotations

import ast
import functools
import itertools
from typing import TYPE_CHECKING, Final

from devls.engine.core import (
    budget,
    containment,
    library_semantics,
    limits,
    module_effects,
    paths,
    priors,
    program_moments,
    tensor_facts,
)
from devls.engine.core.joins import Contents, Entries, merge, merge_tensors, summary
from devls.engine.core.machine_types import Cancelled, Frame, OutOfSteps, Seen
from devls.engine.core.notes import Notes
from devls.engine.core.transfer import EXPRESSIONS, STATEMENTS
from devls.project.modules import Functions, Ran
from devls.syntax.source import shortened
from devls.values.conditions import (
    Condition,
    Either,
    Tree,
    leaves,
    negation,
)
from devls.values.devices import UNKNOWN_DEVICE, NamedDevice
from devls.values.graph import Storage, next_serial
from devls.values.history import Site, Step
from devls.values.state import AMBIENT, ERROR_EXPECTED, STOPPED, State, resolved
from devls.values.value import (
    NONE,
    Const,
    DeviceValue,
    InstanceValue,
    Mapping,
    Scope,
    Sequence,
    Symbol,
    TensorValue,
    TupleValue,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Sequence as AbstractSequence

    from devls.engine.core.budget import Allowance
    from devls.engine.core.containment import Cut
    from devls.engine.core.events.events import Event
    from devls.engine.core.machine_types import LoopFrame, Yielding
    from devls.library.lookup import Library
    from devls.project.modules import Modules
    from devls.syntax.source import Source
    from devls.values.call_facts import CallFact
    from devls.values.state import Layer
    from devls.values.value import ClassValue

_SOME_OTHER_PATH: Final = functools.partial(Condition.fresh, "some other path")

_NOTHING_TO_HOLD: Final = frozenset({Const, DeviceValue, Symbol})
"""Kinds of values that stay what they are, whoever holds them."""

_NOT_TENSORS: Final = frozenset(
    {"number", "string", "bool", "list", "module", "device", "dtype", "function", "object"}
)


_OF_RUN: Final = tuple(
    "_module allowance alternatives_called calls_end_at frames late_at loops muted notes run_ends_at state steps_left untold".split()
)
"""Attributes of the machine that the body of an imported module has of its own."""


class Machine:
    """Runs one file and what it uses. See ARCHITECTURE.md for the invariants."""

    def __init__(
        self,
        library: Library,
        modules: Modules,
        emit: Callable[[Event], None],
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self.library = library
        self.modules = modules
        self.emit_event = emit
        self.cancelled = cancelled
        self.state = State(modules.base)
        self.frames: list[Frame] = []
        self.loops: list[LoopFrame] = []
        self.steps_left, self.run_ends_at = limits.STEPS_PER_FILE, 0
        self.calls_end_at = 0  # where `steps_left` is when no more bodies of called functions are run
        self.allowance: Allowance | None = None
        self.block: Yielding | None = None  # for the context, or the generator, that is being made
        self.empty_globals: dict[Scope, list[object]] = {}
        self.rebinding = 0  # modules with functions that set names, at the program's end
        self.decorated: dict[
            tuple[Scope, ast.AST | None], int
        ] = {}  # how often a decorator has returned what it was given; steps of all of a scope
        self.class_orders: dict[ClassValue, tuple[list[ClassValue], frozenset[str]]] = {}
        self.beside_data: dict[Source, bool] = {}
        self._module: Source | None = None  # whose body is running, if it is not the program's
        self.values: dict[ast.expr, tuple[object, Layer]] = {}
        self.seen_in: dict[ast.expr, dict[object, Seen]] = {}
        self.recorded: Source | None = None
        self.inferred: dict[Symbol, TensorValue] = {}  # what unknown things were taken for
        self.executed: set[ast.AST] = set()
        self.built_with: set[ast.AST] = set()  # functions that constructors have called
        self.call_facts: set[CallFact] = set()  # what calls have shown
        self.executed_by_program: frozenset[ast.AST] = frozenset()  # before anything is run by itself
        self.program_runs = True  # until each function is run by itself
        self.muted = 0
        self.told = self.told_before = 0  # events of the run under way, and of those that have ended
        self.untold = 0  # what there was to tell while nobody was told
        self.alternatives_called = 0  # calls under way of which the callee is one of several
        self.keeps_gradients = False  # whether each backward is told of, with what it reaches
        self.keeps_silenced = False  # whether findings are told of, too, that presumptions speak against
        self.refused: list[Event] = []  # what torch refuses of the alternative that is called
        self.notes = Notes()  # of the checks
        self.recalled = module_effects.Recalled()
        self.keep_values = False
        self.sets_default_device = False  # whether the program has another default device anywhere
        self.late_at = float("inf")  # in processor seconds of the thread
        self.run_began = 0  # serial of the moment the current run began
        self.freed_in_run: set[object] = set()  # graph nodes that were there before, and that it has freed
        self.cuts: dict[tuple[str, str], Cut] = {}  # by file and name, what was not run to its end

    # Current position

    @property
    def frame(self) -> Frame:
        """The call that is running."""
        return self.frames[-1]

    @property
    def source(self) -> Source:
        """The file whose code is running."""
        return self.frames[-1].source

    def site(self, node: ast.AST) -> Site:
        """The place of a node, with the calls that led there."""
        frame = self.frames[-1]
        return Site(frame.source, node, frame.calls)

    def text(self, node: ast.AST) -> str:
        """The source of a node on one line, shortened for messages."""
        self.state.work += getattr(node, "end_col_offset", 0) // limits.CHARACTERS_OF_WORK
        return shortened(self.frames[-1].source, node)

    def placeholder(self) -> ast.expr:
        """An expression to name the place of a call that Python makes, not the user (`__next__`, `map`)."""
        statement = self.frames[-1].statement
        found: ast.expr = ast.Name("call", ast.Load(), lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
        return found if statement is None else ast.copy_location(found, statement)

    def emit(self, event: Event) -> None:
        """Tell whoever listens."""
        if not self.silent:
            budget.pay_for_event(self)
            self.emit_event(event)

    @property
    def silent(self) -> bool:
        """Whether nobody is told what happens. To be asked last: who asks has something to tell, which is noted."""
        if self.muted:
            self.untold += 1
        return (
            self.muted > 0
            or self.state.get(AMBIENT, ERROR_EXPECTED) is True
            or self.state.get(AMBIENT, STOPPED) is True
        )

    def tick(self) -> None:
        """Pay for one step."""
        self.steps_left -= 1
        if self.steps_left <= self.run_ends_at:
            raise OutOfSteps
        if self.steps_left & limits.STEPS_UNLOOKED == 0:
            budget.look_up(self)

    def pay(self) -> None:
        """Pay in steps for work that no step has paid for; where several paths have met, an item or a body is done with."""
        beyond = self.state.work - limits.FREE_WORK
        if beyond >= limits.WORK_PER_STEP:
            self.steps_left -= beyond // limits.WORK_PER_STEP
            self.state.work = limits.FREE_WORK + beyond % limits.WORK_PER_STEP
            if self.steps_left <= self.run_ends_at:
                raise OutOfSteps
            budget.look_up(self)

    def end(self) -> None:
        """Let go of all that has been made: values refer to their machine, and it to them."""
        vars(self).clear()

    def fresh_number(self) -> int:
        """A number that nothing else has."""
        return next_serial()

    # Running code

    def run(self, body: AbstractSequence[ast.stmt]) -> bool:
        """Run statements; False if none of the paths goes past them."""
        frame = self.frames[-1]
        table = STATEMENTS
        for node in body:
            frame.statement = node
            if self.steps_left - 1 <= self.run_ends_at or self.steps_left & limits.STEPS_UNLOOKED == 1:
                self.tick()
            else:
                self.steps_left -= 1
            if self.state.work > limits.FREE_WORK:
                self.pay()
            if not table[type(node)](self, node):
                return False
        return True

    def eval(self, node: ast.expr) -> object:
        """The value of an expression."""
        value = EXPRESSIONS[type(node)](self, node)
        if self.recorded is not None:
            self.record(node, value)
        return value

    def record(self, node: ast.expr, value: object) -> None:
        """Keep the value of an expression, if it is of the file that values are kept of."""
        if self.frames[-1].source is self.recorded:
            self.remember(node, value)

    def remember(self, node: ast.expr, value: object) -> None:
        """Keep a value for hovers; what the main program computed is more telling than symbols."""
        if self._module is None and not (self.keep_values and node in self.values):
            layer = self.state.moment()
            self.values[node] = (value, layer)
            calls = self.frames[-1].calls
            rounds = tuple((loop.node, loop.passes_started) for loop in self.loops)
            if (calls or rounds) and not self.keep_values:
                ways = self.seen_in.setdefault(node, {})
                way = (*(site.node for site in calls), rounds)
                if way in ways or len(ways) < limits.CALLS_TOLD_APART:
                    ways[way] = Seen(value, layer, calls, rounds)

    # Making values

    def unknown(self, node: ast.AST | None = None, text: str = "") -> Symbol:
        """Something that code we cannot see has returned: an identity and no more."""
        del node
        # Modules are shared by many machines: no two unknown things of theirs may be taken for one.
        return Symbol(("unknown", next_serial()), text or "?")

    def unknown_like(self, *_values: object) -> Symbol:
        """Join of alternatives too many to keep apart."""
        return Symbol(("unknown", next_serial()), "?")

    def fresh_condition(self, text: str) -> Condition:
        """A test that nothing else will ever repeat."""
        return Condition.fresh(text)

    def new_list(
        self, items: tuple[object, ...], node: ast.AST | None = None, kind: str = "list"
    ) -> Sequence:
        """A list (or set) holding `items`."""
        result = Sequence(kind, self.site(node) if node is not None else None)
        contents = Contents(items)
        if len(items) > limits.CONTAINER_ITEMS:
            contents = Contents(None, self.any_of(items, items=True))
        self.state.set(result, "#items", contents)
        return result

    def new_tuple(self, items: tuple[object, ...]) -> TupleValue | Symbol:
        """A tuple of values; something unknown if there are too many."""
        return TupleValue(items) if len(items) <= limits.SEVERAL else self.unknown()

    def new_dict(
        self, known: dict[object, object] | Entries, rest: object = None, node: ast.AST | None = None
    ) -> Mapping:
        """A dict with constant keys, and perhaps others; or one that holds given entries."""
        result = Mapping("dict", self.site(node) if node is not None else None)
        self.state.set(result, "#entries", known if isinstance(known, Entries) else Entries(known, rest))
        return result

    def any_of(self, values: tuple[object, ...], *, items: bool = False) -> object:
        """One value that stands for any of several; `items` if they all are in one list."""
        return summary(self, self.fresh_condition("one of several"), values, items=items)

    # Reading values

    def resolve(self, value: object) -> object:
        """A value without the alternatives that the path has excluded."""
        if type(value) is Either:
            value = resolved(value, self.state.now)
        if (
            type(value) is Symbol
            and value.named
            and value.hash in self.state.taken_for_none
            and self.state.assumed(value.is_none)
        ):
            return NONE
        return value

    def alternatives(self, value: object) -> list[object]:
        """The leaves of a value on this path."""
        if type(value) is Either or type(value) is Symbol:
            value = self.resolve(value)
        if type(value) is not Either:
            return [value]
        found = [self.resolve(each) if type(each) is Symbol else each for each in leaves(value)]
        return list({id(each): each for each in found}.values())

    def tensor_of(self, value: object, *, infer: bool = True) -> TensorValue | None:
        """The tensor that a value is; with `infer`, what could be one is taken for one."""
        kind = type(value)
        if kind is Either or kind is Symbol:
            value = self.resolve(value)
            kind = type(value)
        if kind is TensorValue:
            return value  # type: ignore[return-value]
        if isinstance(value, Symbol):
            if not infer or value.hint in _NOT_TENSORS:
                return None
            return self.as_tensor(value)
        if isinstance(value, Either):
            then = self.tensor_of(value.then, infer=infer)
            otherwise = self.tensor_of(value.otherwise, infer=infer)
            if (then is None) is not (otherwise is None):
                # If one side is a tensor, an unknown other side is one too; None and the like are not.
                then = then or self.tensor_of(value.then)
                otherwise = otherwise or self.tensor_of(value.otherwise)
            if then is None or otherwise is None:
                return then or otherwise
            return then if then is otherwise else merge_tensors(self, value.condition, then, otherwise)
        return None

    def as_tensor(self, symbol: Symbol) -> TensorValue:
        """The tensor that an unknown thing turned out to be."""
        found = self.inferred.get(symbol)
        if found is None:
            device: Tree = self.state.get(symbol.key, "#place", UNKNOWN_DEVICE)
            if symbol.device is not None:
                device = symbol.device
            elif symbol.named:
                layer = symbol.layer_key  # all of a layer is in one place
                owner = symbol.key if layer is None else ("parameter of", layer)
                device = NamedDevice(
                    ("attr", owner, "device"), f"{symbol.text}.device", symbol.plausible, chosen=False
                )
            known = symbol.computed
            step = loaded = None if symbol.part_of is None else priors.as_loaded(self, symbol)
            if step is None and symbol.site is not None:
                told = "comes from the caller" if symbol.device is None else "is where the model computes"
                step = Step(f"`{symbol.text}` {told}", symbol.site, kind="parameter")
            found = TensorValue(
                device=device,
                requires_grad=None if known is None else known.requires_grad,
                leaf=None if known is None else negation(known.requires_grad),
                node=None if known is None else known.node,
                grad_step=None if known is None else known.step,
                storage=Storage(),
                origin=symbol.site,
                device_step=step,
                symbol=symbol,
                nonscalar=symbol.part_of is not None and (loaded is not None or priors.is_batch_part(symbol)),
            )
            self.inferred[symbol] = found
        return found

    # Facts about tensors that change

    device = tensor_facts.device
    requires_grad = tensor_facts.requires_grad
    wants_gradient = tensor_facts.wants_gradient
    is_leaf = tensor_facts.is_leaf
    node = tensor_facts.node
    version = tensor_facts.version
    grad_enabled = tensor_facts.grad_enabled
    default_device = tensor_facts.default_device

    # Values that others hold

    def escape(self, value: object, depth: int = 3) -> None:
        """Code that we cannot see now holds `value`, and may do anything to it later."""
        if depth == 0 or type(value) in _NOTHING_TO_HOLD:
            return
        for each in self.alternatives(value):
            if isinstance(each, (Const, DeviceValue, Symbol)):
                continue
            if isinstance(each, TupleValue):
                for item in each.items:
                    self.escape(item, depth - 1)
            elif isinstance(each, Value) and self.state.get(each, "#escaped") is not True:
                self.state.set(each, "#escaped", True)
                if isinstance(each, InstanceValue):
                    library_semantics.instance_escaped(self, each)
                for item in self._held(each):
                    self.escape(item, depth - 1)

    def _held(self, container: Value) -> tuple[object, ...]:
        """Contents of a list or dict; the tensors that one may be where paths have met."""
        if isinstance(container, TensorValue):
            return container.sides[1:] if container.sides is not None else ()
        if isinstance(container, Sequence):
            contents = self.state.get(container, "#items")
            return (*(contents.items or ()), contents.element) if isinstance(contents, Contents) else ()
        if isinstance(container, Mapping):
            entries = self.state.get(container, "#entries")
            return (*entries.known.values(), entries.rest) if isinstance(entries, Entries) else ()
        return ()

    # Joining paths

    def join(self, layers: list[Layer]) -> None:
        """Continue where any of several paths may have led."""
        self.state.join(layers, functools.partial(merge, self), _SOME_OTHER_PATH)
        if self.state.work > limits.FREE_WORK:
            self.pay()

    branch = paths.branch
    assume = paths.assume
    select = paths.select
    truth = paths.truth

    # Runs

    def run_module(self, source: Source, scope: Scope) -> Ran:
        """Run a module's body in a scope of its own, beside whatever is running.

        It has steps of its own, so that what comes of it does not depend on who imports it first.
        """
        outer = {name: getattr(self, name) for name in _OF_RUN}
        running, state, work = self._module, self.state, self.state.work
        called = self.executed, self.built_with, self.call_facts
        self.executed, self.built_with, self.call_facts = set(), set(), set()
        other_device, self.sets_default_device = self.sets_default_device, False
        self.untold = self.alternatives_called = 0
        self.notes = Notes()  # its body is judged where it is the program
        inferred = len(self.inferred)
        below: Layer | None = None
        if running is None:
            self.state = State(self.modules.base)
        else:
            # A module that is half-way itself: what it has so far can be seen in an import cycle.
            below = self.state.fork()
        self.frames, self.loops, self._module = [Frame(scope, source, ())], [], source
        self.state.set(scope, "__name__", Const("imported"))
        scope.names.add("__name__")
        self.muted += 1
        begun = budget.begin_module(self, source)
        ended = False
        try:
            try:
                self.run(source.statements)
                program_moments.module_ended(self)
                ended = True
            except Cancelled:
                raise
            except Exception as error:  # noqa: BLE001  whatever it is, who imports it goes on
                containment.cut(self, source, None, "the body of the module", error)
            noted = any(self.notes.sizes()) or self.sets_default_device
            quiet = ended and not self.untold and not noted
            functions = Functions(
                self.executed,
                self.built_with,
                self.call_facts,
                dict(itertools.islice(self.inferred.items(), inferred, None)),
                self.sets_default_device,
                self.notes,
            )
            return Ran(self.state.written_since(below), functions, quiet)
        finally:
            self.executed = called[0] | self.executed  # anew: those of the body alone are kept
            self.built_with = called[1] | self.built_with
            self.call_facts = called[2] | self.call_facts
            self.sets_default_device |= other_device
            if below is not None:
                state.restore(below)
                state.work = work
            vars(self).update(outer)
            budget.end_module(self, begun)

    def met_modules(self) -> None:
        """Another module is there for this file, and what that has imported."""
        if self._module is None and not self.program_runs:
            priors.late_names_forgotten(self)

    recall = module_effects.recall
    repeat = module_effects.repeat
