"""Instances of classes on symbols, for their methods to run on."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from devls.engine.core import budget, containment
from devls.engine.core.machine_types import Frame
from devls.engine.driver.symbolic_arguments import NUMBERS, bind_symbols
from devls.engine.driver.symbolic_runs import begin_budget, run_unheard
from devls.engine.evidence import (
    argument_facts,
    attribute_summaries,
    batch_provenance,
    hidden_modules,
    method_effects,
)
from devls.engine.evidence.accelerator_use import is_meant_for_devices, prepares_data
from devls.engine.python import calls, classes
from devls.engine.torch.nn import construction as module_construction
from devls.engine.torch.nn import registry
from devls.values.devices import NamedDevice
from devls.values.history import Site
from devls.values.value import (
    ClassValue,
    FunctionValue,
    InstanceValue,
    Scope,
    Symbol,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.engine.driver.isolation import Place, Runs


def is_made_by_program(m: Machine, cls: ClassValue) -> bool:
    """Whether the main program makes instances of a class: then it shows where they go."""
    init = classes.class_attribute(m, cls, "__init__")
    return isinstance(init, FunctionValue) and init.definition in m.executed_by_program


class SymbolicInstance:
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
        begin_budget(m, self.place)
        made: list[InstanceValue] = []
        what = f"the constructor of `{cls.name}`"
        whole = containment.guarded(m, cls.source, cls.definition, what, lambda: _instance(m, cls, made))
        m.frames, m.loops = frames, loops
        m.notes.drop()
        if made:
            self._is_there(m, made[0], whole=whole)
        if m.allowance is not None:
            m.allowance.end_run(m)
        budget.pay_for_told(m)

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
            moved = is_meant_for_devices(m, cls.source) or not is_made_by_program(m, cls)
            moved = moved and not batch_provenance.exports(Path(cls.source.path).stem)
            device = NamedDevice(
                ("module", id(instance)), "the module's device", may_accelerate=moved, by_test=False
            )
            registry.place_symbolically(m, instance, device, cls.definition)
            method_effects.tensors_follow(m, instance, cls, device)
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
                m, instance, lambda function, owner: run_unheard(m, function, owner, self.plausible)
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
        built_on_host = prepares_data(m, cls) or classes.is_module_class(m, cls) or _may_be_module(m, cls)
        frame.plausible = not built_on_host and is_meant_for_devices(m, cls.source)
        frame.scope.function = init
        bind_symbols(m, frame, init, instance)
        m.frames = [*m.frames[:1], frame][:1]
        calls.run_frame(m, frame, init)
    elif cls.dataclass_fields is not None:
        for name, annotation, _default in cls.dataclass_fields:
            text = ast.unparse(annotation) if annotation is not None else ""
            hint = (
                "tensor"
                if text.endswith("Tensor")
                else "number"
                if text in NUMBERS
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
