"""How much of torch the catalog describes, and how much of that was run just now: `make catalog` prints the table.

Public names are those of the namespaces below that do not begin with "_" and are torch's own (`__all__`, where a
namespace has one; `torch.linalg` and its like have none that is true). Of `torch` itself, what belongs to the script compiler
alone is left out: the types and graphs of `torch._C` that no page of torch's documentation is about.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

sys.path[:0] = [str(Path(__file__).parents[2] / each) for each in ("server", "tests", "scripts")]

import torch  # noqa: E402

from devls.library import catalog, records  # noqa: E402
from devls.library.effects import Differentiable, Result  # noqa: E402

SPACES = (
    "torch torch.Tensor torch.nn.functional torch.linalg torch.fft torch.special torch.signal.windows torch.nn torch.nn.init"
    " torch.nn.utils torch.nn.utils.rnn torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.parallel"
    " torch.optim torch.optim.lr_scheduler torch.optim.swa_utils torch.autograd torch.autograd.functional torch.autograd.graph"
    " torch.amp torch.cuda.amp torch.utils.data torch.utils.checkpoint torch.utils.dlpack torch.random torch.cuda torch.mps"
    " torch.xpu torch.cpu torch.accelerator torch.distributed torch.func torch.jit torch.compiler torch.serialization"
).split()
WITHOUT_ALL = ("torch", "torch.Tensor", "torch.linalg", "torch.fft", "torch.special", "torch.nn.functional")
# Types, schemas and executors of the script compiler and of the dispatcher, visible in `torch` by way of `torch._C`.
COMPILER = frozenset(
    """AggregationType AliasDb AnyType Argument ArgumentSpec AwaitType BenchmarkConfig BenchmarkExecutionStats Block BoolType
    BufferDict CallStack Capsule ClassType Code CompleteArgumentSpec ComplexType ConcreteModuleType ConcreteModuleTypeBuilder
    DeviceObjType DictType EnumType ErrorReport ExecutionPlan FileCheck FloatType FunctionSchema FutureType Gradient Graph
    GraphExecutorState IODescriptor InferredType IntType InterfaceType ListType LiteScriptModule ModuleDict Node NoneType
    NumberType OperatorInfo OptionalType ParameterDict PyObjectType RRefType ScriptClassFunction ScriptDictIterator
    ScriptDictKeyIterator ScriptListIterator ScriptModuleSerializer ScriptObjectProperty StaticModule StreamObjType StringType
    SymBoolType SymIntType TensorType TracingState TupleType UnionType Use Value import_ir_module
    import_ir_module_from_buffer""".split()
)


class Row(NamedTuple):
    """A namespace's figures: names."""

    space: str
    public: list[str]
    unclassified: list[str]
    not_run: list[str]


def public_names(space: str) -> list[str]:
    """The public callables (of `torch.Tensor`: attributes and operators too), by full name."""
    holder: Any = torch.Tensor if space == "torch.Tensor" else importlib.import_module(space)
    listed = getattr(holder, "__all__", None)
    found = []
    for name in sorted(dir(holder)):
        value = getattr(holder, name, None)
        if inspect.ismodule(value) or (space == "torch" and name in COMPILER):
            continue
        if space == "torch.Tensor":
            if not name.startswith("_") or catalog.operation(f"{space}.{name}") is not None:
                found.append(f"{space}.{name}")
            continue
        module = getattr(value, "__module__", None) or "torch"
        if name.startswith("_") or not callable(value) or not module.startswith("torch"):
            continue
        if (
            space in WITHOUT_ALL
            or (listed is None and module.startswith(space))
            or (listed is not None and name in listed)
        ):
            if inspect.isclass(value) and space != "torch" and space in WITHOUT_ALL and value is torch.Tensor:
                continue
            found.append(f"{space}.{name}")
    return found


def classified(name: str) -> bool:
    """Whether the catalog says what calling it gives, and what becomes of the graph."""
    if catalog.layer(name) is not None or catalog.optimizer(name) is not None:
        return True
    operation = catalog.operation(name) or catalog.surrounding(name)
    return (
        operation is not None
        and operation.result is not Result.UNKNOWN
        and operation.differentiable is not Differentiable.UNKNOWN
    )


@functools.cache
def surroundings_run() -> dict[str, str]:
    """Results of calling names that are no operations, by name: a kind, or "! why" it cannot be called here."""
    script = Path(__file__).with_name("catalog_surroundings.py")
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)], capture_output=True, text=True, check=True, timeout=300
    )
    answer: dict[str, str] = json.loads(run.stdout.splitlines()[-1])
    return answer


def run_names() -> frozenset[str]:
    """Runs: operations on samples, layers built and called, optimizers stepped, everything else called."""
    from against_torch.catalog_runs import rows  # noqa: PLC0415  half a minute

    called = {name for name, kind in surroundings_run().items() if not kind.startswith("!")}
    overloaded = {name.rpartition(".")[0] for name in rows()}
    return frozenset({*rows(), *overloaded, *records.layers(), *records.optimizers(), *called})


def table() -> list[Row]:
    """One row for each namespace."""
    warnings.simplefilter("ignore")
    run = run_names()
    found = []
    for space in SPACES:
        names = public_names(space)
        same = {name: catalog.canonical(name) for name in names}
        found.append(
            Row(
                space,
                names,
                [name for name in names if not classified(name)],
                [name for name in names if name not in run and same[name] not in run],
            )
        )
    return found


def text(found: list[Row]) -> str:
    """The table as it is printed."""
    lines = [
        f"{'namespace':34}{'public':>8}{'classified':>12}{'run':>8}",
        *(_line(row.space, len(row.public), len(row.unclassified), len(row.not_run)) for row in found),
    ]
    sums = [sum(len(part) for part in parts) for parts in zip(*(row[1:] for row in found), strict=True)]
    return "\n".join([*lines, _line("all", *sums)])


def _line(name: str, public: int, unclassified: int, not_run: int) -> str:
    good, run = public - unclassified, public - not_run
    return f"{name:34}{public:8}{good:6} {good / public:5.0%}{run:6} {run / public:5.0%}"


def main() -> None:
    found = table()
    print(text(found))
    if "-v" in sys.argv:
        for row in found:
            print(
                f"\n{row.space}\n  not classified: {' '.join(each.rpartition('.')[2] for each in row.unclassified)}"
            )
            print(f"  not run: {' '.join(each.rpartition('.')[2] for each in row.not_run)}")
        print("\ncannot be run here:")
        for name, kind in sorted(surroundings_run().items()):
            if kind.startswith("!"):
                print(f"  {name}: {kind[2:]}")


if __name__ == "__main__":
    main()
