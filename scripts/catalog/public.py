"""The public callables of torch, each drafted from its native overloads or its Python signature."""

from __future__ import annotations

import inspect
import math
import re
from typing import TYPE_CHECKING, Any

import torch
from torchgen.model import Variant

from catalog.draft import NO_DEFAULT, OTHER_DEFAULT, Draft, DraftParameter
from catalog.merge import merged

if TYPE_CHECKING:
    from catalog.native import Natives

NAMESPACES: dict[str, Any] = {
    "torch": torch,
    "torch.Tensor": torch.Tensor,
    "torch.nn.functional": torch.nn.functional,
    "torch.linalg": torch.linalg,
    "torch.fft": torch.fft,
    "torch.special": torch.special,
    "torch.nn.init": torch.nn.init,
    "torch.nn.utils": torch.nn.utils,
    "torch.nn.utils.rnn": torch.nn.utils.rnn,
    "torch.nn.utils.parametrizations": torch.nn.utils.parametrizations,
    "torch.autograd": torch.autograd,
    "torch.autograd.functional": torch.autograd.functional,
    "torch.utils.checkpoint": torch.utils.checkpoint,
    "torch.utils.dlpack": torch.utils.dlpack,
    "torch.random": torch.random,
    "torch.cuda": torch.cuda,
    "torch.signal.windows": torch.signal.windows,
}

RETURNS = {
    "<class 'torch.Tensor'>": "tensor", "torch.Tensor": "tensor", "Tensor": "tensor", "<class 'int'>": "number",
    "int": "number", "<class 'bool'>": "number", "bool": "number", "float": "number", "<class 'float'>": "number",
    "<class 'str'>": "string", "str": "string", "None": "none", "<class 'NoneType'>": "none",
}  # fmt: skip
OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "true_divide", "div": "div", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "pow", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or",
    "xor": "bitwise_xor", "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
    "eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge",
}  # fmt: skip
UNARY_OPERATORS = {"neg": "neg", "abs": "abs", "invert": "bitwise_not", "pos": "positive"}

# Overload to take the signature from, where the richest is not the usual call.
PRINCIPAL = {
    "max": "", "min": "", "median": "", "nanmedian": "", "std": "correction", "var": "correction",
    "normal": "Tensor_Tensor", "where": "self", "sort": "", "argsort": "", "split": "Tensor", "transpose": "int",
    "unbind": "int", "select": "int", "randint": "low", "repeat_interleave": "self_Tensor", "squeeze": "dim",
    "to": "dtype_layout", "clamp": "Tensor", "random_": "from", "view": "", "quantile": "", "tensor_split": "sections",
    "hsplit": "int", "vsplit": "int", "dsplit": "int", "add": "Tensor", "logspace": "", "linspace": "",
    "all": "dims", "any": "dims", "std_mean": "correction", "var_mean": "correction", "bernoulli": "",
    "cumulative_trapezoid": "x", "trapezoid": "x", "searchsorted": "Tensor",
}  # fmt: skip


def callables() -> list[tuple[str, Any]]:
    """Every public callable of the known namespaces, by canonical name, classes left out."""
    found = []
    for space, holder in NAMESPACES.items():
        for name in sorted(dir(holder)):
            value = getattr(holder, name, None)
            dunder = name.startswith("__")
            if (name.startswith("_") and not (dunder and space == "torch.Tensor")) or not callable(value):
                continue
            module = getattr(value, "__module__", None) or "torch"
            if (
                inspect.isclass(value)
                or inspect.ismodule(value)
                or (not module.startswith("torch") and space != "torch.Tensor")
            ):
                continue
            if space == "torch.Tensor" and dunder and not _is_tensor_operator(name):
                continue
            if space in ("torch.autograd", "torch.cuda", "torch.random") and not module.startswith(space):
                continue
            found.append((f"{space}.{name}", value))
    return found


def _is_tensor_operator(name: str) -> bool:
    inner = name.strip("_")
    plain = re.sub(r"^[ir](?=\w{2})", "", inner)
    host = inner in (
        "bool",
        "float",
        "int",
        "index",
        "complex",
        "len",
        "array",
        "contains",
        "reversed",
        "format",
        "repr",
        "deepcopy",
    )
    return host or inner in OPERATORS or plain in OPERATORS or inner in UNARY_OPERATORS


def drafted(name: str, value: Any, natives: Natives) -> Draft | None:
    """The draft of a callable; None if neither torch's declarations nor a signature describe it."""
    space, _, short = name.rpartition(".")
    draft = None
    if space == "torch.Tensor":
        draft = _method(name, short, value, natives)
    elif not inspect.isfunction(value):
        draft = _function(name, space, short, value, natives)
    if draft is None:
        # `boolean_dispatch` hides the signature of the pooling functions; the plain one is beside it.
        hidden = (
            getattr(NAMESPACES[space], f"_{short}", None)
            if "boolean_dispatch" in getattr(value, "__qualname__", "")
            else None
        )
        draft = from_signature(name, hidden or value)
        if draft is not None and hidden is not None:
            draft.result = "tensor"
    return draft


def _method(name: str, short: str, value: Any, natives: Natives) -> Draft | None:
    base = short
    if short.startswith("__"):
        inner = short.strip("_")
        if inner in UNARY_OPERATORS:
            base = UNARY_OPERATORS[inner]
        elif inner in OPERATORS:
            base = OPERATORS[inner]
        elif inner[0] == "r" and inner[1:] in OPERATORS:
            base = OPERATORS[inner[1:]]
        elif inner[0] == "i" and inner[1:] in OPERATORS:
            base = OPERATORS[inner[1:]] + "_"
        else:
            return None
    elif inspect.isfunction(value) and not natives.has(short):
        return None
    overloads = natives.overloads(base, Variant.method)
    if not overloads:
        return None
    found = merged(name, overloads, method=True, principal=PRINCIPAL.get(base.rstrip("_")))
    if inspect.isfunction(value) and not short.startswith("__"):
        names = {
            each.name for each in inspect.signature(value).parameters.values() if each.kind not in (2, 4)
        }
        if not names <= {each.name for each in found.parameters}:
            return None
    return found


def _function(name: str, space: str, short: str, value: Any, natives: Natives) -> Draft | None:
    own = getattr(value, "__name__", short)
    prefix = {"torch.linalg": "linalg_", "torch.fft": "fft_", "torch.special": "special_"}.get(space, "")
    for base in (prefix + short, own, own.replace("_", "", 1) if own.startswith("_") else own, short):
        overloads = natives.overloads(base, Variant.function)
        if overloads:
            return merged(name, overloads, method=False, principal=PRINCIPAL.get(base.rstrip("_")))
    return None


def from_signature(name: str, value: Any) -> Draft | None:
    """A draft with parameters only, from a Python signature; tensor annotations give roles."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    draft = Draft(name, grounds="signature")
    for parameter in signature.parameters.values():
        annotation = str(parameter.annotation)
        role = "other"
        if re.search(r"(?<!Default)\bTensor\b", annotation) and "Callable" not in annotation:
            role = (
                "list" if re.search(r"(list|List|tuple|Tuple|Sequence|Iterable)\[", annotation) else "exact"
            )
        if "type[" in annotation:
            role = "other"
        if parameter.name == "self" or (
            parameter.name == "input" and parameter.annotation is parameter.empty
        ):
            role = "exact"
        passing = {
            parameter.KEYWORD_ONLY: "keyword", parameter.VAR_POSITIONAL: "rest", parameter.VAR_KEYWORD: "keywords",
        }.get(parameter.kind, "either")  # fmt: skip
        draft.parameters.append(DraftParameter(parameter.name, role, passing, constant(parameter.default)))
    draft.result = RETURNS.get(str(signature.return_annotation), "unknown")
    if draft.result in ("number", "string", "none"):
        draft.differentiable, draft.saves = "no", []
    for each in draft.parameters:
        if each.name == "out":
            each.role = "other"
    return draft


def constant(default: Any) -> Any:
    """A default as the catalog keeps it."""
    if default is inspect.Parameter.empty:
        return NO_DEFAULT
    if (
        default is None
        or isinstance(default, (bool, int, str))
        or (isinstance(default, float) and math.isfinite(default))
    ):
        return default
    if isinstance(default, tuple) and all(isinstance(each, (bool, int, float, str)) for each in default):
        return default
    return OTHER_DEFAULT
