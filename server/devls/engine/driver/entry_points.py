"""What is run of a file: its body as the main program, then each function by itself."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devls.engine.checks import (
    call_order,
    eval_graph,
    implicit_backward,
    loop_escape,
    missing_detach,
    retained_graphs,
    return_device,
    zero_grad,
)
from devls.engine.core import limits
from devls.engine.core.budget import Allowance
from devls.engine.core.joins import Contents, Entries
from devls.engine.core.machine_types import Frame, OutOfSteps
from devls.engine.driver import assembly as _assembly  # noqa: F401  so that all is registered
from devls.engine.driver import inlining
from devls.engine.driver.isolation import Runs, alone
from devls.engine.driver.run_record import Place
from devls.engine.evidence import (
    argument_facts,
    attribute_summaries,
    batch_provenance,
    global_writes,
    hidden_modules,
    method_effects,
    test_code,
)
from devls.engine.python import calls, classes
from devls.engine.torch import checkpoints
from devls.engine.torch.nn import calls as module_calls
from devls.engine.torch.nn import construction as module_construction
from devls.engine.torch.nn import registry
from devls.engine.torch.tensors.attributes import HINT_AT_TENSORS
from devls.syntax.nodes import of_tree, walk
from devls.values.devices import UNKNOWN_DEVICE, NamedDevice
from devls.values.graph import next_serial
from devls.values.history import Site
from devls.values.state import AMBIENT, MISSING
from devls.values.value import (
    NONE,
    ClassValue,
    Const,
    FunctionValue,
    InstanceValue,
    Mapping,
    Scope,
    Sequence,
    Symbol,
    TupleValue,
)

if TYPE_CHECKING:
    from collections.abc import Hashable

    from devls.engine.core.machine import Machine
    from devls.syntax.source import Source
    from devls.values.state import Layer

_BESIDE_TENSORS: Final = frozenset(
    {"None", "float", "int", "bool", "complex", "Number", "Parameter", "nn.Parameter"}
)

_BASES_ON_THE_HOST: Final = ("Transform", "Dataset", "Sampler", "Collator", "Tokenizer")
"""The same of a base, whose classes are called after what they do; a Module may transform wherever it is moved."""

_SPEAK_OF_DEVICES: Final = ("device", "cuda", "accelerat", "gpu")

_ASKS_FOR_DEVICES: Final = frozenset({"device", "is_cuda", "get_device"})
"""Attributes: a function that asks where a tensor is expects it to be anywhere."""

_QUANTIZES: Final = re.compile(r"backends\.quantized|quantization\.(prepare|convert|quantize_dynamic)")
"""Models that are quantized this way run on the CPU and nowhere else."""

_EVALUATION: Final = ("validation_", "test_", "predict_", "on_validation_", "on_test_", "on_predict_")

_OF_THE_PROGRAM: Final = ("called", "evaluated", "optimizers built", "stepped at", "#synchronized")
"""What the surroundings remember of objects that the program has made and others cannot have."""

_NUMBERS = frozenset({"int", "float", "bool", "complex"})


def run_file(m: Machine, source: Source, runs: Runs | None = None) -> None:
    """Run a file: first as `__main__`, then every function and class by itself on symbols, as far as `runs` asks for it."""
    runs = runs or Runs()
    if runs.nothing_new():
        return
    scope = runs.program(m, source, lambda: _program(m, source), lambda: _neutral(m))
    for name in sorted(scope.names):
        value = classes.own_function(m, scope, name)
        if isinstance(value, FunctionValue) and value.source is source:
            if not isinstance(value.definition, ast.Lambda):
                _function_by_itself(m, runs, name, value)
        elif isinstance(value, ClassValue) and value.source is source:
            with alone(m):
                _class_by_itself(m, runs, name, value)
    runs.end(m)


def _program(m: Machine, source: Source) -> Scope:
    """Run a file as `__main__`."""
    m.allowance = allowance = Allowance(source)
    whole = True
    # Hovers want to know what each expression of the file was: these it is run for, whoever has imported it.
    scope = m.modules.as_program(m, source) if m.recorded is None else None
    if scope is not None:
        m.frames = [Frame(scope, source, ())]
    else:
        scope = Scope("module", source, None, None)
        m.frames = [Frame(scope, source, ())]
        scope.names.add("__name__")
        m.state.set(scope, "__name__", Const("__main__"))
        m.run_ends_at = max(0, m.steps_left - limits.STEPS_PER_FILE // 2)
        allowance.begin_program(m)
        whole = _guarded(m, lambda: m.run(source.statements))
    _guarded(m, lambda: loop_escape.run_ended(m))
    missing_detach.ended(m)
    _guarded(m, lambda: retained_graphs.run_ended(m))
    if whole:
        _guarded(m, lambda: eval_graph.run_ended(m))
    m.evaluations.clear()
    m.keep_values = True
    m.executed_by_program = frozenset(m.executed)
    global_writes.program_ended(m, source, scope)
    m.program_runs = False
    m.frames = m.frames[:1]
    m.loops = []
    _remember_empty(m, scope)
    return scope


def _function_by_itself(
    m: Machine,
    runs: Runs,
    key: Hashable,
    function: FunctionValue,
    made: _Made | None = None,
) -> None:
    """Run a function, or a method on an instance of its class."""
    of_class = function.cls is not None and _prepares_data(m, function.cls)
    place = Place(
        key,
        function.definition,
        on_host=of_class or batch_provenance.works_on_host(function.name),
        acts=inlining.acts(function.source, function.definition, is_method=made is not None),
        needs=None if made is None else made.place.key,
    )

    def run() -> None:
        with alone(m):
            if made is None:
                _by_itself(m, place, function)
            elif made.instance is not None:
                # Lightning evaluates under no_grad.
                evaluates = made.framework and function.name.startswith(_EVALUATION)
                m.state.set(AMBIENT, "framework evaluates", evaluates)
                _by_itself(m, place, function, made.instance, plausible=made.plausible)

    runs.run(m, place, run, None if made is None else lambda: made.ensure(m, runs))


def _guarded(m: Machine, run: object) -> bool:
    """Run something that may use up its steps; True if it came to its end."""
    try:
        run()  # type: ignore[operator]
    except (OutOfSteps, RecursionError):
        return False
    finally:
        m.run_ends_at = 0
        m.muted = 0
    return True


def _budget(m: Machine, place: Place) -> None:
    m.run_ends_at = max(0, m.steps_left - limits.STEPS_PER_RUN)
    if m.allowance is not None:
        m.allowance.begin_run(m, place.length, place.most)


def _by_itself(
    m: Machine,
    place: Place,
    function: FunctionValue,
    receiver: InstanceValue | None = None,
    *,
    plausible: bool | None = None,
) -> None:
    """Run a function on symbols, from the state at the end of the main program; nothing of it stays."""
    if m.steps_left <= 0:
        return
    below = m.state.fork()
    frames, loops = m.frames, m.loops
    _neutral(m)
    frame = _frame_of(m, function, receiver, plausible)
    global_writes.forget_late(m)
    walked = len(m.walked_tensors)
    if receiver is not None:
        attribute_summaries.before_run(m, receiver, function.name)
    _fill_empty(m, function, receiver)
    _bind_symbols(m, frame, function, receiver)
    if receiver is not None:
        method_effects.modules_moved(m, receiver, function)
    _budget(m, place)

    result: object = m.unknown()

    def run() -> None:
        if receiver is not None and function.name == "forward" and registry.is_module(m, receiver):
            module_calls.called(m, receiver, function.node)
        nonlocal result
        result = calls.run_frame(m, frame, function)
        return_device.returned(m, function, result)
        if receiver is not None and registry.is_module(m, receiver):
            implicit_backward.forward_ended(m, function, result)
        if m.through_copies or m.evaluations:  # only these are judged when the run is over
            m.escape(result)
            for _, value in registry.entries(m, receiver) if receiver is not None else ():
                m.escape(value)

    _guarded(m, run)
    if m.allowance is not None:
        m.allowance.end_run(m)
    m.pending.clear()
    missing_detach.ended(m)
    eval_graph.ended_by_itself(m, function, result, trained=len(m.walked_tensors) > walked)
    m.frames, m.loops = frames, loops
    _leave(m, below)


def _leave(m: Machine, below: Layer) -> None:
    """Go back to where a run began; hovers come back to where it has been."""
    if m.recorded is None:
        m.state.abandon(below)
    else:
        m.state.restore(below)


def _unheard(m: Machine, function: FunctionValue, receiver: InstanceValue, plausible: bool | None) -> bool:
    """Run a method on symbols for what it leaves behind, and tell nobody; True if it came to its end.

    The few steps that it may take are beside all accounts: what others may spend does not depend on it.
    """
    frames, loops, began, steps = m.frames, m.loops, m.run_began, m.steps_left
    sets = m.executed, m.built_with, m.called_without_grad
    m.executed, m.built_with, m.called_without_grad = set(sets[0]), set(sets[1]), set(sets[2])
    presumed, untold, ends_at = len(m.presumed_findings), m.untold, m.run_ends_at
    frame = _frame_of(m, function, receiver, plausible)

    def run() -> None:
        m.run_ends_at = max(ends_at, m.steps_left - limits.STEPS_OF_WRITER)
        m.muted += 1
        _bind_symbols(m, frame, function, receiver)
        calls.run_frame(m, frame, function)

    with alone(m):
        whole = _guarded(m, run)
    m.run_ends_at, m.run_began, m.untold, m.steps_left = ends_at, began, untold, steps
    m.executed, m.built_with, m.called_without_grad = sets
    del m.presumed_findings[presumed:]
    m.pending.clear()
    m.frames, m.loops = frames, loops
    return whole


def _frame_of(
    m: Machine, function: FunctionValue, receiver: InstanceValue | None, plausible: bool | None
) -> Frame:
    frame = Frame(
        Scope("function", function.source, function.scope, function.scope.globals),
        function.source,
        (),
        function,
        receiver,
    )
    frame.symbolic = True
    frame.plausible = plausible if plausible is not None else _plausible(m, function)
    frame.scope.function = function
    m.run_began = next_serial()
    m.freed_in_run = set()
    return frame


def _fill_empty(m: Machine, function: FunctionValue, receiver: InstanceValue | None) -> None:
    """A global list or attribute that is empty now will have been filled by somebody when the function is called."""
    known = m.empty_globals.get(function.scope.globals, [])
    for value in (*known, *(_empty(m, [receiver]) if receiver is not None else ())):
        if isinstance(value, Sequence):
            m.state.set(value, "#items", Contents(None, m.unknown()))
            continue
        entries = m.state.get(value, "#entries")
        rest: object = entries.rest if isinstance(entries, Entries) else None
        if isinstance(rest, Sequence):
            rest = m.new_list((), kind=rest.kind)
            m.state.set(rest, "#items", Contents(None, m.unknown()))
        m.state.set(value, "#entries", Entries({}, rest if isinstance(rest, Sequence) else m.unknown()))
        m.state.set(value, "#any key", True)


def _remember_empty(m: Machine, scope: Scope) -> None:
    """Note what is empty where the program has ended: the same for each function, since all begin there."""
    values = [m.state.get(scope, name) for name in sorted(scope.names)]
    owners: list[object] = [scope, *(each for each in values if isinstance(each, InstanceValue))]
    m.empty_globals[scope] = _empty(m, owners)


def _empty(m: Machine, owners: list[object], depth: int = 1) -> list[object]:
    """The lists and dicts among what some objects hold that are empty now, or hold None in all places.

    What these objects have made for themselves may have been filled as well: `self.bus = Bus()`.
    """
    found: list[object] = []
    for owner in owners:
        names = owner.names if isinstance(owner, Scope) else m.state.get(owner, "#names", ())
        for name in names:  # type: ignore[attr-defined]
            value = m.state.get(owner, name)
            if isinstance(value, Sequence):
                contents = m.state.get(value, "#items")
                if isinstance(contents, Contents) and contents.element is None and _holds_nothing(contents):
                    found.append(value)
            elif isinstance(value, Mapping):
                entries = m.state.get(value, "#entries")
                made = m.state.get(value, "#factory") is not None
                if isinstance(entries, Entries) and not entries.known and (entries.rest is None or made):
                    found.append(value)
            elif depth and isinstance(value, InstanceValue) and value.cls is not None:
                found += _empty(m, [value], depth - 1)
    return found


def _holds_nothing(contents: Contents) -> bool:
    """Whether a list has no items, or only places for some: `[None] * 3`."""
    return contents.items is not None and all(each == NONE for each in contents.items)


def _neutral(m: Machine) -> None:
    """What the main program has done to modes does not hold for whoever calls from elsewhere."""
    m.state.set(AMBIENT, "grad", m.state.get(AMBIENT, "framework evaluates") is not True)
    if m.sets_default_device:
        # Whoever calls the function may do so under that device.
        m.state.set(AMBIENT, "device", UNKNOWN_DEVICE)
    m.state.write(_NEUTRAL)


_NEUTRAL: Final[dict[tuple[object, str], object]] = {
    (AMBIENT, "inference"): False,
    (AMBIENT, "open backward"): None,
    **{(AMBIENT, slot): MISSING for slot in _OF_THE_PROGRAM},
    (AMBIENT, "optimizers"): (),
    **{(AMBIENT, slot): None for slot in (*call_order.OF_SCALING, zero_grad.FILLED, zero_grad.STEPPED)},
    ("backward", "last"): None,
}
"""What the surroundings are for whoever calls."""


def asked_of_text(text: str) -> tuple[Hashable, ...]:
    """What the runs of a file ask of its text as a whole."""
    return (_speaks_of_devices(text), "is_tensor" in text, attribute_summaries.set_from_outside(text))


def _plausible(m: Machine, function: FunctionValue) -> bool:
    """Whether the arguments of a function may well be on an accelerator."""
    path = m.source.path.replace("\\", "/").rpartition("/")[2]
    name = function.name
    cls = function.cls.name if function.cls is not None else ""
    if not _meant_for_devices(m, function.source):
        return False
    if _speaks_of_quantizing(function.source) and _QUANTIZES.search(function.source.slice(function.node)):
        return False
    if test_code.helps_tests(m.source) or test_code.of_data(m, m.source):
        return False
    if function.source.mentions(function.node, *_ASKS_FOR_DEVICES) and _asks_where_tensors_are(function.node):
        return True
    return not (
        batch_provenance.works_on_host(name)
        or batch_provenance.works_on_host(cls)
        or batch_provenance.works_on_host(path)
    )


@of_tree(maxsize=64)
def _speaks_of_quantizing(source: Source) -> bool:
    return "quantiz" in source.text


def _meant_for_devices(m: Machine, source: Source) -> bool:
    """Whether a file is meant for several devices: it speaks of them, or is deep inside a library, which others use."""
    found = m.meant_for_devices.get(source)
    if found is None:
        folder = Path(source.path).parent
        found = m.meant_for_devices[source] = (
            _speaks_of_devices(source.text)
            or all(m.modules.workspace.exists(str(each / "__init__.py")) for each in (folder, folder.parent))
            or _is_for_others(source)
        )
    return found


def _speaks_of_devices(text: str) -> bool:
    text = text.lower()
    return any(each in text for each in _SPEAK_OF_DEVICES)


def _is_for_others(source: Source) -> bool:
    """Whether a file defines modules and runs nothing: whoever imports them decides where they compute."""
    bases = [base for each in source.tree.body if isinstance(each, ast.ClassDef) for base in each.bases]
    return checkpoints.only_defines(source.tree) and any(
        ast.unparse(each).rpartition(".")[2] == "Module" for each in bases
    )


@of_tree(maxsize=256)
def _asks_where_tensors_are(node: ast.AST) -> bool:
    """Whether a function looks at the device of one of its arguments: whoever wrote it thought of accelerators."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    spec = node.args
    names = {each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)} - {
        "self",
        "cls",
        "args",
        "opt",
    }
    return any(
        isinstance(each, ast.Attribute)
        and each.attr in _ASKS_FOR_DEVICES
        and isinstance(each.value, ast.Name)
        and each.value.id in names
        for each in walk(node)
    )


def _bind_symbols(m: Machine, frame: Frame, function: FunctionValue, receiver: InstanceValue | None) -> None:
    spec = function.node.args
    names = [*spec.posonlyargs, *spec.args]
    first_default = len(names) - len(function.defaults)
    is_method = receiver is not None and function.kind != "static"
    in_module = receiver is not None and registry.is_module(m, receiver)
    for index, each in enumerate(names):
        default = function.defaults[index - first_default] if index >= first_default else None
        if index == 0 and is_method:
            value: object = receiver if function.kind != "class" else function.cls
        else:
            value = _symbol(
                m, frame, function, each, default, forward=in_module and function.name == "forward"
            )
        frame.scope.names.add(each.arg)
        m.state.set(frame.scope, each.arg, value)
    for index, each in enumerate(spec.kwonlyargs):
        frame.scope.names.add(each.arg)
        forward = in_module and function.name == "forward"
        value = _symbol(m, frame, function, each, function.keyword_defaults[index], forward=forward)
        m.state.set(frame.scope, each.arg, value)
    if spec.vararg is not None:
        frame.scope.names.add(spec.vararg.arg)
        m.state.set(
            frame.scope,
            spec.vararg.arg,
            Symbol(
                ("arguments", id(function.node)),
                f"*{spec.vararg.arg}",
                named=True,
                plausible=frame.plausible,
                site=Site(function.source, spec.vararg, ()),
            ),
        )
    if spec.kwarg is not None:
        frame.scope.names.add(spec.kwarg.arg)
        m.state.set(frame.scope, spec.kwarg.arg, m.new_dict({}, m.unknown()))


def _symbol(
    m: Machine, frame: Frame, function: FunctionValue, argument: ast.arg, default: object, *, forward: bool
) -> Symbol:
    """A parameter's symbol: its annotation, default and name say what it is likely to be."""
    name = argument.arg
    annotation = _written(argument.annotation) if argument.annotation is not None else ""
    hint = ""
    if _is_tensor(annotation) or annotation.strip("'\"").rpartition(".")[2] == "Parameter":
        hint = "tensor"
    elif annotation in _NUMBERS:
        hint = "number"
    elif annotation == "str":
        hint = "string"
    elif "device" in annotation or name == "device":
        hint = "device"
    elif annotation.removesuffix(" | None").endswith("dtype"):
        hint = "dtype"
    elif "Module" in annotation:
        hint = "module"
    elif annotation.startswith(("list", "List", "dict", "Dict", "tuple", "Tuple", "Sequence", "Callable")):
        hint = ""
    elif (cls := _annotated_class(m, function, annotation)) is not None:
        hint = "module" if classes.is_module_class(m, cls) else "object"
    elif isinstance(default, Const) and default.value is not None and default.value is not ...:
        hint = "string" if isinstance(default.value, str) else "number"
        if isinstance(default.value, str) and default.value.split(":")[0] in ("cpu", "cuda"):
            hint = "device"
    elif (
        not annotation
        and name in _used_as_tensors(function.node)
        and not _of_another_kind(m, function.node, name)
    ) or (forward and not annotation and not isinstance(default, TupleValue)):
        hint = "tensor"
    site = Site(function.source, argument, ())
    return Symbol(
        argument_facts.key_of(function.definition, name),
        name,
        named=True,
        hint=hint,
        plausible=frame.plausible and batch_provenance.is_expected(name),
        site=site,
    )


def _written(annotation: ast.expr) -> str:
    """The same as `ast.unparse`; most annotations are short."""
    if isinstance(annotation, ast.Name):
        return annotation.id
    if isinstance(annotation, ast.Attribute) and isinstance(annotation.value, ast.Name):
        return f"{annotation.value.id}.{annotation.attr}"
    if isinstance(annotation, ast.Subscript) and not isinstance(annotation.slice, ast.Tuple):
        return f"{_written(annotation.value)}[{_written(annotation.slice)}]"
    return ast.unparse(annotation)


@functools.cache
def _is_tensor(annotation: str) -> bool:
    """Whether an annotation leaves nothing but tensors, or what tensors can be made of as they are: numbers, None."""
    if "Tensor" not in annotation:
        return False
    inner = annotation.strip("'\"")
    for opening in ("Optional[", "Union["):
        inner = inner.replace(f"typing.{opening}", opening).replace(opening, "").replace("]", "")
    kinds = [each.strip() for each in inner.replace("|", ",").split(",")]
    return all("[" not in each and (each in _BESIDE_TENSORS or "Tensor" in each) for each in kinds)


def _annotated_class(m: Machine, function: FunctionValue, annotation: str) -> ClassValue | None:
    """The class of the project that an annotation names; none where its objects may be tensors."""
    name = annotation.strip("'\"")
    found = m.resolve(m.state.get(function.scope.globals, name)) if name.isidentifier() else None
    if not isinstance(found, ClassValue):
        return None
    bases = classes.library_bases(m, found)
    return None if "?" in bases or any("Tensor" in each for each in bases) else found


_DOCUMENTED: Final = re.compile(
    r"^\s*(?::param\s+|-\s*)?\*{0,2}`?(\w+)`?\s*(?::|\()\s*(?::?class:?)?[`~(]*(?:torch\.|th\.)?(?:\w*Tensor|tensor)\b(?!\s+or\b)",
    re.MULTILINE,
)
"""`x: torch.Tensor`, `x (Tensor): ...`, `:param x: (th.Tensor) ...` in a docstring."""


@of_tree(maxsize=256)
def _used_as_tensors(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    """Parameters that are documented as tensors, or of which the body asks what only tensors (and arrays) answer."""
    said = "" if isinstance(node, ast.Lambda) else ast.get_docstring(node) or ""
    documented = set(_DOCUMENTED.findall(said))
    return frozenset(
        documented
        | {
            root.id
            for each in walk(node)
            if isinstance(each, ast.Attribute)
            and each.attr in HINT_AT_TENSORS
            and (root := _computed_from(each.value)) is not None
        }
    )


def _of_another_kind(
    m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str
) -> bool:
    """Whether a parameter is asked for what no tensor has: some class with a `.to` or a `.detach` of its own."""
    attributes, tested = _asked_for(node)
    return name not in tested and any(
        m.library.exists(f"torch.Tensor.{each}") is False for each in attributes.get(name, ())
    )


@of_tree(maxsize=256)
def _asked_for(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> tuple[dict[str, set[str]], frozenset[str]]:
    """The attributes that are read from each name, and the names that the body itself tests for what they are."""
    attributes: dict[str, set[str]] = {}
    tested: set[str] = set()
    others: set[int] = set()
    for each in walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
            if isinstance(each.ctx, ast.Load):
                attributes.setdefault(each.value.id, set()).add(each.attr)
            else:
                tested.add(each.value.id)  # an attribute that is made here
        elif isinstance(each, ast.Call) and isinstance(each.func, ast.Name):
            if each.func.id in ("isinstance", "hasattr", "getattr", "type"):
                tested |= {argument.id for argument in each.args[:1] if isinstance(argument, ast.Name)}
        elif isinstance(each, ast.Assign):
            of_its_own = _computed_by_itself(each.value)
            tested |= {
                target.id  # another value under the same name; `x = x.expand(...)` is of the same kind
                for target in each.targets
                if isinstance(target, ast.Name) and target.id != of_its_own
            }
            others |= {id(target) for target in each.targets}
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and id(each) not in others:
            tested.add(each.id)
    return attributes, frozenset(tested)


def _computed_by_itself(node: ast.expr) -> str:
    """The name of what a method of it gives: `x` of `x.expand(...)`."""
    called = node.func if isinstance(node, ast.Call) else None
    owner = called.value if isinstance(called, ast.Attribute) else None
    return owner.id if isinstance(owner, ast.Name) else ""


def _computed_from(node: ast.expr) -> ast.Name | None:
    """The name that an arithmetic expression with numbers is about: `x`, `(x - 1)`, `-x`."""
    while True:
        if isinstance(node, ast.UnaryOp):
            node = node.operand
        elif isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
            node = node.left
        elif isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant):
            node = node.right
        else:
            return node if isinstance(node, ast.Name) else None


def _made_here(m: Machine, cls: ClassValue) -> bool:
    """Whether the main program makes instances of a class: then it shows where they go."""
    init = classes.class_attribute(m, cls, "__init__")
    return isinstance(init, FunctionValue) and init.definition in m.executed_by_program


def _prepares_data(m: Machine, cls: ClassValue) -> bool:
    """Whether a class works on the host by contract."""
    if (
        batch_provenance.works_on_host(cls.name)
        or test_code.of_data(m, cls.source)
        or test_code.helps_tests(cls.source)
    ):
        return True
    bases = classes.linearize(m, cls)
    if any(each.name.endswith(_BASES_ON_THE_HOST) for each in bases) and not classes.is_module_class(m, cls):
        return True
    return any("Dataset" in base or "transforms" in base for base in classes.library_bases(m, cls))


def _says_nothing(m: Machine, cls: ClassValue) -> bool:
    """Whether there is no need to look at a class: it prepares data, touches no model and no device, and shows nothing of others."""
    return (
        m.recorded is None
        and not classes.is_module_class(m, cls)
        and not inlining.touches(cls.source, cls.definition)
        and _prepares_data(m, cls)
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
    _neutral(m)
    methods = {name: classes.own_function(m, cls.scope, name) for name in sorted(cls.scope.names)}
    # All methods need the instance to be whole.
    place = Place((key, None), cls.definition, halved=True, on_host=_prepares_data(m, cls))
    made = _Made(cls, place)
    runs.run(m, place, lambda: made.make(m))
    for name, method in methods.items():
        if (
            isinstance(method, FunctionValue)
            and method.cls is cls
            and name != "__init__"
            and not isinstance(method.definition, ast.Lambda)
            # What has run on the way has done so before anything is moved.
            and (name == "forward" or method.definition not in m.built_with)
        ):
            _function_by_itself(m, runs, (key, name), method, made)
    _leave(m, below)


class _Made:
    """An instance of a class on symbols, for its methods to run on."""

    def __init__(self, cls: ClassValue, place: Place) -> None:
        self.cls = cls
        self.place = place
        self.instance: InstanceValue | None = None
        self.plausible: bool | None = None
        self.framework = False
        self._is_made = False

    def ensure(self, m: Machine, runs: Runs) -> None:
        """Make it, if that was left out because it is known what comes of it."""
        if not self._is_made:
            runs.again(m, self.place, lambda: self.make(m))

    def make(self, m: Machine) -> None:
        """Make it, in the state of now."""
        self._is_made = True
        cls = self.cls
        frames, loops = m.frames, m.loops
        _budget(m, self.place)
        made: list[InstanceValue] = []
        whole = _guarded(m, lambda: _instance(m, cls, made))
        m.frames, m.loops = frames, loops
        m.pending.clear()
        m.evaluations.clear()
        if made:
            self._is_there(m, made[0], whole=whole)
        if m.allowance is not None:
            m.allowance.end_run(m)

    def _is_there(self, m: Machine, instance: InstanceValue, *, whole: bool) -> None:
        """Let an instance that its constructor has made be where somebody puts it, and as its own methods leave it."""
        cls = self.cls
        self.instance = instance
        m.state.set(instance, "#escaped", True)
        if not whole:
            classes.left_open(m, instance)
        is_module = registry.is_module(m, instance)
        moved = True
        if is_module:
            moved = _meant_for_devices(m, cls.source) or not _made_here(m, cls)
            moved = moved and not batch_provenance.exports(Path(cls.source.path).stem)
            device = NamedDevice(("module", id(instance)), "the module's device", may_accelerate=moved)
            registry.place_symbolically(m, instance, device, cls.definition)
            hidden_modules.moved_meanwhile(m, instance)
            if moved and not self.place.on_host:
                _models_moved(m, instance)
        else:
            if classes.has_unseen_base(m, cls):
                registry.out_of_sight(m, instance)
            method_effects.tensors_moved(m, instance, cls)
        self.plausible = False if self.place.on_host else moved if is_module else None
        self.framework = registry.owned(m, instance)
        if not self.place.on_host:
            attribute_summaries.by_methods(
                m, instance, lambda function, owner: _unheard(m, function, owner, self.plausible)
            )


def _models_moved(m: Machine, instance: InstanceValue) -> None:
    """A model that a module was given when it was built is one of its parts, and is moved with it."""
    for name, value in registry.entries(m, instance):
        if isinstance(value, Symbol) and value.named and not value.plausible and value.hint in ("", "module"):
            m.state.set(
                instance,
                name,
                Symbol(
                    value.key,
                    value.text,
                    named=True,
                    hint=value.hint,
                    plausible=True,
                    site=value.site,
                    device=value.device,
                    part_of=value.part_of,
                    computed=value.computed,
                ),
            )


def _may_be_module(m: Machine, cls: ClassValue) -> bool:
    """Whether a class of which not all bases are seen is one of modules, by what it defines."""
    return classes.has_unseen_base(m, cls) and isinstance(
        classes.class_attribute(m, cls, "forward"), FunctionValue
    )


def _instance(m: Machine, cls: ClassValue, made: list[InstanceValue]) -> None:
    """Make an instance on symbols; it is in `made` even if there are not enough steps to come to the end."""
    bases = classes.library_bases(m, cls)
    instance = InstanceValue(
        cls, next(iter(sorted(bases)), ""), Site(cls.source, cls.definition, ()), symbolic=True
    )
    made.append(instance)
    init = classes.class_attribute(m, cls, "__init__")
    if isinstance(init, FunctionValue):
        frame = Frame(
            Scope("function", init.source, init.scope, init.scope.globals), init.source, (), init, instance
        )
        frame.symbolic = True
        # Modules are built on the CPU, of what is there, and moved afterwards.
        built_on_host = _prepares_data(m, cls) or classes.is_module_class(m, cls) or _may_be_module(m, cls)
        frame.plausible = not built_on_host and _meant_for_devices(m, cls.source)
        frame.scope.function = init
        _bind_symbols(m, frame, init, instance)
        m.frames = [*m.frames[:1], frame][:1]
        calls.run_frame(m, frame, init)
    elif cls.dataclass_fields is not None:
        for name, annotation, _default in cls.dataclass_fields:
            text = ast.unparse(annotation) if annotation is not None else ""
            hint = (
                "tensor"
                if text.endswith("Tensor")
                else "number"
                if text in _NUMBERS
                else "string"
                if text == "str"
                else ""
            )
            m.state.set(
                instance,
                name,
                Symbol(
                    argument_facts.key_of(cls.definition, name),
                    f"self.{name}",
                    named=True,
                    hint=hint,
                    plausible=True,
                ),
            )
    else:
        module_construction.library_init(m, instance, [], {}, None)


__all__ = ["NONE", "run_file"]
