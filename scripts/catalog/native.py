"""Torch's declarations of its native functions: signatures, device checks, views, writes, derivatives.

Source: `native_functions.yaml` and `derivatives.yaml`, which the torch wheel ships for its own code generator.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import torchgen
import yaml
from torchgen.gen import get_grouped_native_functions, parse_native_yaml
from torchgen.model import (
    Argument,
    BaseTy,
    BaseType,
    DeviceCheckType,
    DispatchKey,
    ListType,
    NativeFunction,
    NativeFunctionsGroup,
    OptionalType,
    SchemaKind,
    Variant,
)

from catalog.draft import NO_DEFAULT, OTHER_DEFAULT, Draft, DraftParameter

PACKAGED = Path(torchgen.__file__).parent / "packaged"

# A formula that only asks for these keeps no tensor.
METADATA = re.compile(
    r"\.(sym_)?(sizes?|numel|strides?|scalar_type|options|dim|device|layout|is_\w+|defined|suggest_memory_format"
    r"|storage_offset|toString|requires_grad)\b"
)
NOT_FORMULAS = ("name", "output_differentiability", "result", "dispatch")
CONSTANT_DEFAULTS: dict[str, Any] = {"True": True, "False": False, "None": None}


class Natives:
    """The native functions by base name (`add`, `linalg_norm`), each a list of overloads."""

    def __init__(self) -> None:
        parsed = parse_native_yaml(
            str(PACKAGED / "ATen/native/native_functions.yaml"), str(PACKAGED / "ATen/native/tags.yaml")
        )
        self._kernels = parsed.backend_indices[DispatchKey.CUDA]
        with (PACKAGED / "autograd/derivatives.yaml").open(encoding="utf-8") as file:
            entries = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  a safe loader it is
        self._derivatives = {entry["name"].split("(")[0]: entry for entry in entries}
        self._groups: dict[str, NativeFunctionsGroup] = {}
        for group in get_grouped_native_functions(parsed.native_functions):
            if isinstance(group, NativeFunctionsGroup):
                for function in group.functions():
                    self._groups[str(function.func.name)] = group
        self._overloads: dict[str, list[NativeFunction]] = defaultdict(list)
        for function in parsed.native_functions:
            if not _is_named_dimension(function):
                self._overloads[str(function.func.name.name)].append(function)

    def overloads(self, base: str, variant: Variant | None = None) -> list[tuple[str, Draft]]:
        """The overloads of `base` that Python can call, with their overload names."""
        found = self._overloads.get(base, [])
        outs = [f for f in found if f.func.kind() == SchemaKind.out]
        return [
            (str(f.func.name.overload_name), self._draft(f, outs))
            for f in found
            if f.func.kind() != SchemaKind.out and (variant is None or variant in f.variants)
        ]

    def has(self, base: str) -> bool:
        """Whether there is a native function of that name."""
        return base in self._overloads

    def _draft(self, function: NativeFunction, outs: list[NativeFunction]) -> Draft:
        kind = self._kind(function)
        schema = function.func.arguments
        parameters = [_parameter(a, "either", kind) for a in schema.flat_positional]
        parameters += [_parameter(a, "keyword", kind) for a in schema.flat_kwarg_only]
        if schema.tensor_options is not None:
            names = {each.name for each in parameters}
            parameters += [
                DraftParameter(name, "other", "keyword", default)
                for name, default in (
                    ("dtype", None),
                    ("layout", None),
                    ("device", None),
                    ("pin_memory", False),
                    ("requires_grad", False),
                )
                if name not in names
            ]
            for each in parameters:
                if each.name in ("dtype", "layout", "device", "pin_memory"):
                    each.default = None if each.default is NO_DEFAULT else each.default
        if outs:
            parameters.append(DraftParameter("out", "other", "keyword", None))
        draft = Draft(str(function.func.name), parameters, grounds="declared")
        draft.pointwise = "pointwise" in function.tags
        draft.result = _result(function)
        draft.writes = [
            a.name for a in function.func.schema_order_arguments() if a.annotation and a.annotation.is_write
        ]
        draft.synchronizes = bool(function.tags & {"data_dependent_output", "dynamic_output_shape"})
        self._derivative(function, draft)
        if "reduction" in function.tags:
            draft.rank = "reduced"
        elif draft.pointwise:
            draft.rank = "broadcast" if len(draft.tensors()) > 1 else "same"
        if draft.result in ("new", "like"):
            draft.rank = (
                "same"
                if draft.result == "like" and str(function.func.name.name).endswith("_like")
                else "sizes"
            )
        return draft

    def _kind(self, function: NativeFunction) -> str:
        group = self._groups.get(str(function.func.name))
        structured = group is not None and group.structured
        has_kernel = self._kernels.has_kernel(function) or (
            structured and group is not None and self._kernels.has_kernel(group)
        )
        if function.has_composite_implicit_autograd_kernel or not has_kernel:
            # The check is generated only around kernels; a composite's rule comes from what it calls.
            return "element" if "pointwise" in function.tags else "exact"
        return "exact" if function.device_check == DeviceCheckType.ExactSame else "element"

    def _derivative(self, function: NativeFunction, draft: Draft) -> None:
        name = str(function.func.name)
        entry = self._derivatives.get(name)
        group = self._groups.get(name)
        if entry is None and group is not None and function.func.kind() == SchemaKind.inplace:
            entry = self._derivatives.get(str(group.functional.func.name))
        tensors = [a for a in function.func.schema_order_arguments() if a.type.is_tensor_like()]
        if entry is None:
            # No formula does not mean no graph: composites are as their parts, and a kernel without a formula
            # makes a result that requires grad and fails in backward. Running tells.
            draft.differentiable = "unknown" if tensors else "no"
            draft.saves = None if draft.differentiable == "unknown" else []
            return
        formulas = {key: str(value) for key, value in entry.items() if key not in NOT_FORMULAS}
        for branch in (entry.get("dispatch") or {}).values():
            formulas.update({k: str(v) for k, v in branch.items() if k not in NOT_FORMULAS})
        live = {k: v for k, v in formulas.items() if v not in ("non_differentiable", "not_differentiable")}
        pattern = entry.get("output_differentiability")
        no_output = pattern is not None and not any(each and each != "False" for each in pattern)
        if no_output or not live:
            draft.differentiable = "no"
        elif all("not_implemented" in v for v in live.values()):
            draft.differentiable = "fails"
        elif all("zeros_like" in v for v in live.values()):
            draft.differentiable = "zero"
        else:
            draft.differentiable = "yes"
        if draft.result == "tensors" and draft.differentiable != "no":
            count = len(function.func.returns)
            flags = pattern or [True] * count
            draft.outputs = [draft.differentiable if each and each != "False" else "no" for each in flags]
        draft.saves = _saved(live, tensors, function) if draft.differentiable == "yes" else []


def _saved(formulas: dict[str, str], tensors: list[Argument], function: NativeFunction) -> list[str]:
    outputs: dict[str, str] = {"result": "result"}
    for index, output in enumerate(function.func.returns):
        name = "result" if len(function.func.returns) == 1 else f"result{index}"
        outputs[f"result{index}"] = name
        if output.name:
            outputs[output.name] = name
    words = {**{a.name: a.name for a in tensors}, **outputs}
    text = " ; ".join(formulas.values())
    found = {
        public
        for word, public in words.items()
        for match in re.finditer(rf"(?<![\w.]){re.escape(word)}\b(?!_)", text)
        if not METADATA.match(text, match.end())
    }
    return sorted(found)


def _is_named_dimension(function: NativeFunction) -> bool:
    arguments = function.func.schema_order_arguments()
    return any("Dimname" in str(a.type) for a in arguments)


def _parameter(argument: Any, passing: str, kind: str) -> DraftParameter:
    if not isinstance(argument, Argument):  # the implicit `self` is wrapped
        argument = argument.argument
    kind_of_type = argument.type
    role = "other"
    if argument.type.is_tensor_like():
        inner = kind_of_type.elem if isinstance(kind_of_type, OptionalType) else kind_of_type
        role = "list" if isinstance(inner, ListType) else kind
    if isinstance(kind_of_type, ListType) and passing == "either" and not argument.type.is_tensor_like():
        element = kind_of_type.elem
        if (
            isinstance(element, BaseType)
            and element.name in (BaseTy.int, BaseTy.SymInt)
            and kind_of_type.size is None
        ):
            passing = "rest?"  # a size list may be spread, when it is the only positional argument
    return DraftParameter(argument.name, role, passing, _default(argument.default))


def _default(text: str | None) -> Any:
    if text is None:
        return NO_DEFAULT
    if text in CONSTANT_DEFAULTS:
        return CONSTANT_DEFAULTS[text]
    if re.fullmatch(r"-?[\d.]+(e-?\d+)?", text) or text.startswith(("'", '"')):
        return ast.literal_eval(text)
    if text.startswith("["):
        return tuple(ast.literal_eval(text))
    return OTHER_DEFAULT


def _result(function: NativeFunction) -> str:
    returns = function.func.returns
    tensors = [a for a in function.func.schema_order_arguments() if a.type.is_tensor_like()]
    if not returns:
        return "none"
    if function.func.arguments.tensor_options is not None and all("Tensor" in str(r.type) for r in returns):
        return "like" if tensors else "new"
    if any(r.annotation is not None and r.annotation.is_write for r in returns):
        return "self"
    view = any(r.annotation is not None for r in returns)
    if len(returns) > 1:
        return "views" if view else "tensors"
    text = str(returns[0].type)
    if text == "Tensor":
        return "view" if view else "tensor"
    if text.startswith("Tensor["):
        return "views" if view else "tensors"
    return {
        "Scalar": "host-scalar",
        "bool": "number",
        "int": "number",
        "SymInt": "number",
        "float": "number",
    }.get(text, "unknown")
