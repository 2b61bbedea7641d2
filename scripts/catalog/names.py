"""Which names exist: the members of torch's namespaces, and other spellings of public names."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import warnings
from types import ModuleType
from typing import Any

import torch

# Members that torch makes lazily or that only some builds have, which `dir` does not show.
MODULES = [
    "torch", "torch.accelerator", "torch.amp", "torch.amp.autocast_mode", "torch.amp.grad_scaler", "torch.autograd",
    "torch.autograd.forward_ad", "torch.autograd.functional", "torch.autograd.graph", "torch.autograd.profiler",
    "torch.backends", "torch.backends.cpu", "torch.backends.cuda", "torch.backends.cudnn", "torch.backends.mkl",
    "torch.backends.mkldnn", "torch.backends.mps", "torch.backends.openmp", "torch.compiler", "torch.cpu",
    "torch.cpu.amp", "torch.cuda", "torch.cuda.amp", "torch.cuda.comm", "torch.cuda.nvtx", "torch.cuda.random",
    "torch.distributed", "torch.distributions", "torch.fft", "torch.func", "torch.hub", "torch.jit", "torch.library",
    "torch.linalg", "torch.mps", "torch.mtia", "torch.multiprocessing", "torch.nested", "torch.nn",
    "torch.nn.attention", "torch.nn.functional", "torch.nn.init", "torch.nn.parallel", "torch.nn.parameter",
    "torch.nn.utils", "torch.nn.utils.parametrizations", "torch.nn.utils.parametrize", "torch.nn.utils.prune",
    "torch.nn.utils.rnn", "torch.nn.utils.stateless", "torch.optim", "torch.optim.lr_scheduler",
    "torch.optim.swa_utils", "torch.overrides", "torch.profiler", "torch.random", "torch.serialization",
    "torch.signal", "torch.signal.windows", "torch.sparse", "torch.special", "torch.testing", "torch.utils",
    "torch.utils.checkpoint", "torch.utils.data", "torch.utils.data.distributed", "torch.utils.dlpack",
    "torch.utils.hooks", "torch.xpu",
]  # fmt: skip
CLASSES = [
    "torch.Tensor",
    "torch.nn.Module",
    "torch.nn.Parameter",
    "torch.optim.Optimizer",
    "torch.device",
    "torch.dtype",
    "torch.Generator",
]
# torch answers these through `__getattr__`.
LAZY = {"torch": "_dynamo _inductor _export onnx compiler export ao quantization distributed testing"}


MODULE_ALIASES = {
    "torch.functional": "torch", "torch._VF": "torch", "torch._C._nn": "torch.nn.functional",
    "torch._C._linalg": "torch.linalg", "torch._C._fft": "torch.fft", "torch._C._special": "torch.special",
    "torch._tensor": "torch", "torch.nn.modules": "torch.nn", "torch.nn.modules.module": "torch.nn",
    "torch._C.TensorBase": "torch.Tensor", "torch._C._TensorBase": "torch.Tensor",
}  # fmt: skip


def members() -> dict[str, str]:
    """The public names in each namespace, separated by blanks; nobody mistakes private ones."""
    found = {}
    for name in MODULES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = importlib.import_module(name)
        names = {each for each in dir(module) if each.isidentifier()}
        if hasattr(module, "__path__"):
            names |= {info.name for info in pkgutil.iter_modules(module.__path__)}
        public = {each for each in names if not each.startswith("_")}
        found[name] = " ".join(sorted(public | set(LAZY.get(name, "").split())))
    for name in CLASSES:
        value: Any = torch
        for part in name.split(".")[1:]:
            value = getattr(value, part)
        names = set(dir(value)) | set(getattr(value, "__annotations__", {}))
        if name == "torch.nn.Module":
            names |= set(vars(value()))
        if name == "torch.optim.Optimizer":
            names |= {"state", "param_groups", "defaults"}
        found[name] = " ".join(sorted(each for each in names if not each.startswith("_")))
    return found


def aliases() -> dict[str, str]:
    """Modules that define things with a public name elsewhere."""
    found = dict(MODULE_ALIASES)
    public = [name for name in MODULES if name != "torch.nn.parameter"]
    for space in sorted(public, key=lambda each: (each.count("."), each)):
        module = importlib.import_module(space)
        for name in sorted(dir(module)):
            value = getattr(module, name, None)
            if name.startswith("_") or isinstance(value, ModuleType):
                continue
            if not (inspect.isclass(value) or inspect.isfunction(value)):
                continue
            where = f"{value.__module__}.{value.__qualname__}"
            target = f"{space}.{name}"
            if where == target or not where.startswith("torch.") or value.__name__ != name:
                continue
            if where.rpartition(".")[0] in MODULES and where.rpartition(".")[0] != "torch.nn.parameter":
                continue  # public where it is defined as well
            if getattr(sys.modules.get(value.__module__), value.__qualname__, None) is not value:
                continue
            if "<locals>" not in where and "._" not in where.removeprefix("torch._C").removeprefix("torch._"):
                found.setdefault(where, target)
    return _by_module(found)


def _is_module(name: str) -> bool:
    """Whether the last attribute is the module: `torch.autograd.gradcheck` is the function of that module."""
    value: Any = torch
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
    return isinstance(value, ModuleType)


def _by_module(found: dict[str, str]) -> dict[str, str]:
    """One alias for a module whose names all went to the same namespace, single aliases for the rest."""
    spaces: dict[str, set[str]] = {}
    for key, value in found.items():
        head, _, tail = key.rpartition(".")
        same = value.rpartition(".")[2] == tail
        spaces.setdefault(head, set()).add(value.rpartition(".")[0] if same else "")
    whole = {
        head: targets.pop() for head, targets in spaces.items() if len(targets) == 1 and head.count(".") > 1
    }
    whole = {head: target for head, target in whole.items() if target and _is_module(head)}
    whole.update({head: found[head] for head in found if head in MODULE_ALIASES})
    rest = {key: value for key, value in found.items() if key.rpartition(".")[0] not in whole}
    return dict(sorted({**rest, **whole}.items()))
