"""Runs of a file: its body as the main program, then each function by itself."""

from __future__ import annotations

import ast
import functools
from time import thread_time
from typing import TYPE_CHECKING, Any, Final

from devls.engine.core import containment, limits, program_moments
from devls.engine.core.budget import Allowance
from devls.engine.core.machine_types import Frame
from devls.engine.driver import assembly as _  # noqa: F401  registers all checks
from devls.engine.driver import inlining
from devls.engine.driver.initial_state import make_neutral, remember_empty
from devls.engine.driver.isolation import Place, Runs, alone
from devls.engine.driver.symbolic_instances import SymbolicInstance
from devls.engine.driver.symbolic_runs import leave, name_of, run_by_itself
from devls.engine.evidence import (
    attribute_summaries,
    batch_provenance,
    global_writes,
    naming_priors,
)
from devls.engine.evidence.accelerator_use import prepares_data
from devls.engine.python import classes
from devls.values.state import AMBIENT
from devls.values.value import (
    ClassValue,
    Const,
    FunctionValue,
    Scope,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from devls.engine.core.machine import Machine
    from devls.engine.driver.resumption import Walk
    from devls.syntax.live import Change
    from devls.syntax.source import Source

_EVALUATION: Final = ("validation_", "test_", "predict_", "on_validation_", "on_test_", "on_predict_")


def run_file(m: Machine, source: Source, runs: Runs | None = None) -> None:
    """Run a file: first as `__main__`, then every function and class by itself on symbols, as far as `runs` asks for it."""
    runs = runs or Runs()
    m.late_at = thread_time() + limits.SECONDS_PER_FILE
    if runs.nothing_new():
        return
    scope = runs.program(m, source, lambda walk: _program(m, source, walk), lambda: make_neutral(m))
    if scope is None:
        return
    for name in sorted(scope.names):
        containment.contained(
            m, source, None, f"what `{name}` names", functools.partial(_named, m, runs, source, scope, name)
        )
    runs.end(m)
    if m.steps_left <= 0:
        containment.run_out(m, source)


def _named(m: Machine, runs: Runs, source: Source, scope: Scope, name: str) -> None:
    """Run the function, or the class, that a name of the file means."""
    value = classes.own_function(m, scope, name)
    if isinstance(value, FunctionValue) and value.source is source:
        if not isinstance(value.definition, ast.Lambda):
            _function_by_itself(m, runs, name, value)
    elif isinstance(value, ClassValue) and value.source is source:
        with alone(m):
            _class_by_itself(m, runs, name, value)


_PROGRAM: Final = "the main program"


def _statements(m: Machine, source: Source, scope: Scope, walk: Walk[Any] | None) -> bool:
    """Run the statements of the main program, or those that `walk` asks for; True if none was cut."""
    start, number = m.state.layer, 0
    first = 0 if walk is None else walk.first

    def run() -> None:
        nonlocal start, number
        for number, each in enumerate(source.statements[first:], first):
            if walk is not None and walk.before(m, each, number):
                break
            if not isinstance(each, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)):
                start = m.state.layer
                m.state.fork()
            steps = m.steps_left
            goes_on = m.run((each,))
            if steps - m.steps_left <= limits.STEPS_OF_SMALL_STATEMENT:
                # One more of them changes nothing of what others may spend: they need not run again.
                m.calls_end_at -= steps - m.steps_left
            if not goes_on:
                if walk is not None:
                    walk.can_go_on = False  # what stands behind has not run
                break

    if containment.guarded(m, source, None, _PROGRAM, run):
        return True
    rest = source.statements[number:]
    m.frames, m.loops = m.frames[:1], []
    if not m.state.torn:
        m.state.restore(start)
    m.run_ends_at = max(0, m.steps_left - limits.STEPS_PER_MODULE)
    containment.guarded(
        m, source, None, "what follows in the main program", lambda: containment.program_cut(m, scope, rest)
    )
    return False


def _program(m: Machine, source: Source, walk: Walk[Any] | None) -> Scope:
    """Run a file as `__main__`, from where `walk` has come to."""
    begun = walk.begin(m) if walk is not None else None
    if begun is not None:
        scope = begun.scope
        whole = _statements(m, source, scope, walk)
    else:
        whole = _from_the_beginning(m, source, walk)
        scope = m.frames[0].scope
    if walk is not None:
        if walk.given_up:
            return scope
        walk.last(m, whole=whole)
    _end(m, source, scope, whole=whole)
    return scope


def _from_the_beginning(m: Machine, source: Source, walk: Walk[Any] | None) -> bool:
    """Run the statements of a file; True if none was cut."""
    m.allowance = allowance = Allowance(source)
    whole = True
    # Hovers want to know what each expression of the file was: these it is run for, whoever has imported it.
    scope = m.modules.as_program(m, source) if m.recorded is None else None
    if scope is not None:
        m.frames = [Frame(scope, source, ())]
        if walk is not None:
            walk.can_go_on = False
    else:
        scope = Scope("module", source, None, None)
        m.frames = [Frame(scope, source, ())]
        scope.names.add("__name__")
        m.state.set(scope, "__name__", Const("__main__"))
        m.run_ends_at = max(0, m.steps_left - limits.STEPS_PER_FILE // 2)
        allowance.begin_program(m)
        whole = _statements(m, source, scope, walk)
    return whole


def _end(m: Machine, source: Source, scope: Scope, *, whole: bool) -> None:
    """All statements of the main program have run: judge it, and take note of what the others find."""

    def guarded(run: Callable[[Machine], None]) -> None:
        containment.guarded(m, source, None, "the end of the main program", lambda: run(m))

    for subscriber in program_moments.program_ended.subscribers:
        guarded(functools.partial(subscriber, whole=whole))
    m.notes.drop()
    m.keep_values = True
    m.executed_by_program = frozenset(m.executed)
    guarded(lambda m: global_writes.program_ended(m, source, scope))
    m.program_runs = False
    m.frames = m.frames[:1]
    m.loops = []
    guarded(lambda m: remember_empty(m, scope))


def _function_by_itself(
    m: Machine,
    runs: Runs,
    key: Hashable,
    function: FunctionValue,
    made: SymbolicInstance | None = None,
) -> None:
    """Run a function, or a method on an instance of its class."""
    of_class = function.cls is not None and prepares_data(m, function.cls)
    place = Place(
        key,
        function.definition,
        on_host=of_class or batch_provenance.works_on_host(function.name),
        acts=inlining.acts(function.source, function.definition, is_method=made is not None),
        needs=None if made is None else made.place.key,
    )

    def by_itself() -> None:
        if made is None:
            run_by_itself(m, place, function)
        elif made.instance is not None:
            # Lightning evaluates under no_grad.
            evaluates = made.framework and function.name.startswith(_EVALUATION)
            m.state.set(AMBIENT, "framework evaluates", evaluates)
            run_by_itself(m, place, function, made.instance, plausible=made.plausible)

    def run() -> None:
        with alone(m):
            containment.contained(m, function.source, function.definition, name_of(function), by_itself)

    runs.run(m, place, run, None if made is None else lambda: made.ensure(m, runs))


ASKED: Final[tuple[Callable[[str], Hashable], ...]] = (
    lambda text: "is_tensor" in text,
    attribute_summaries.set_from_outside,
    lambda text: tuple(naming_priors.WELL_KNOWN_BOUND.findall(text)),
)
"""Questions of the runs of a file about its text as a whole. Others stand with who has asked them (`nodes.asked`)."""


def asks_the_same(before: str, after: str, change: Change) -> bool:
    """Whether the runs of a file get the same answers from its text after an edit."""
    # Nothing that is asked for reaches past the next line that says something, so the lines around the edit are
    # compared first, and the whole texts where these differ: looking through them twice was 60 % of an edit of a
    # thousand lines.
    old, new = (_around(each, change.head, len(each) - change.tail) for each in (before, after))
    return all(ask(old) == ask(new) or ask(before) == ask(after) for ask in ASKED)


def _around(text: str, begin: int, end: int) -> str:
    """The lines between two offsets, from the last one before them that is not empty up to the next one behind."""
    begin = text.rfind("\n", 0, begin) + 1
    begin = text.rfind("\n", 0, len(text[:begin].rstrip())) + 1
    behind = text[end:].partition("\n")[2].lstrip()
    return text[begin : len(text) - len(behind.partition("\n")[2])]


def _says_nothing(m: Machine, cls: ClassValue) -> bool:
    """Whether there is no need to look at a class: it prepares data, touches no model and no device, and shows nothing of others."""
    return (
        m.recorded is None
        and not classes.is_module_class(m, cls)
        and not inlining.touches(cls.source, cls.definition)
        and prepares_data(m, cls)
        and not _calls_its_file(m, cls.source, cls.definition)
    )


def _calls_its_file(m: Machine, source: Source, definition: ast.AST) -> bool:
    """Whether something calls a function or class of its file, and so shows what that is given."""
    text, scope = source.slice(definition), m.frame.scope
    return any(
        f"{each}(" in text
        and isinstance(value := classes.own_function(m, scope, each), (FunctionValue, ClassValue))
        and value.source is source
        and value.definition is not definition
        for each in scope.names
    )


def _class_by_itself(m: Machine, runs: Runs, key: str, cls: ClassValue) -> None:
    """Make an instance on symbols, and run each method on it."""
    if m.steps_left <= 0:
        return
    if _says_nothing(m, cls):
        return
    below = m.state.fork()
    make_neutral(m)
    methods = {name: classes.own_function(m, cls.scope, name) for name in sorted(cls.scope.names)}
    # All methods need the instance to be whole.
    place = Place((key, None), cls.definition, halved=True, on_host=prepares_data(m, cls))
    made = SymbolicInstance(cls, place)
    runs.run(
        m,
        place,
        lambda: containment.contained(
            m, cls.source, cls.definition, f"an object of `{cls.name}`", lambda: made.make(m)
        ),
    )
    for name, method in methods.items():
        if (
            isinstance(method, FunctionValue)
            and method.cls is cls
            and name != "__init__"
            and not isinstance(method.definition, ast.Lambda)
            # Code that has run on the way has done so before anything is moved.
            and (name == "forward" or method.definition not in m.built_with)
        ):
            _function_by_itself(m, runs, (key, name), method, made)
    leave(m, below)
