"""The records of `torch.nn` classes: each is built with small arguments and looked at."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.testing._internal.common_modules import module_db

from catalog.encode import operation_text, parameters_text
from catalog.observe import Observed, TooSlowError, minds, observe, walked_twice
from catalog.public import from_signature
from catalog.samples import Call, floating
from catalog.settle import settle_runs

if TYPE_CHECKING:
    from catalog.draft import Draft

SMALL: dict[str, Any] = {
    "in_features": 3, "out_features": 3, "in1_features": 3, "in2_features": 3, "num_features": 4, "in_channels": 4,
    "out_channels": 4, "kernel_size": 2, "input_size": 3, "hidden_size": 3, "embed_dim": 4, "num_heads": 2, "nhead": 2,
    "d_model": 4, "num_embeddings": 5, "embedding_dim": 3, "normalized_shape": 4, "num_groups": 2, "num_channels": 4,
    "lower": 0.1, "upper": 0.3, "output_size": 2, "padding": 1, "p": 0.5, "threshold": 0.5, "value": 0.5, "groups": 2,
    "upscale_factor": 2, "downscale_factor": 2, "size": 2, "dim": 1, "unflattened_size": (2, 2), "div_value": 2.0,
    "n_classes": 8, "cutoffs": [2, 4], "bias": True, "num_chunks": 2, "num_layers": 1, "scale_factor": 2,
}  # fmt: skip
CONTAINERS = {
    "Sequential": "sequential",
    "ModuleList": "list",
    "ModuleDict": "dict",
    "ParameterList": "list",
    "ParameterDict": "dict",
}
# Constructor options that add or take away tensors; each is tried the other way round from its default.
OPTIONS = ("affine", "elementwise_affine", "track_running_stats", "bias", "add_bias_kv")
SAMPLES = 8
RECURRENT = ("LSTM", "GRU", "RNN")
# `*args, **kwargs` there.
_RECURRENT = "input_size;hidden_size;num_layers=1;{}bias=True;batch_first=False;dropout=0.0;bidirectional=False;{}device=None;dtype=None"
CONSTRUCTORS = {
    "LSTM": _RECURRENT.format("", "proj_size=0;"),
    "GRU": _RECURRENT.format("", ""),
    "RNN": _RECURRENT.format("nonlinearity='tanh';", ""),
}
# Tensors that the annotations do not show, and those that may be elsewhere.
FORWARD_ROLES = {
    **{(each, "input"): "exact" for each in ("LSTM", "GRU", "RNN")},
    ("LSTM", "hx"): "list", ("GRU", "hx"): "exact", ("RNN", "hx"): "exact",
    ("LSTMCell", "hx"): "list",
    ("CTCLoss", "targets"): "free", ("CTCLoss", "input_lengths"): "free", ("CTCLoss", "target_lengths"): "free",
    ("Identity", "input"): "exact",
}  # fmt: skip
# Options without which the class refuses to be built or called.
PLAIN_OPTIONS: dict[str, dict[str, Any]] = {
    "Upsample": {"scale_factor": 2}, "UpsamplingNearest2d": {"scale_factor": 2}, "UpsamplingBilinear2d": {"scale_factor": 2},
    "FractionalMaxPool2d": {"output_size": 2}, "FractionalMaxPool3d": {"output_size": 2},
    "MaxUnpool1d": {"padding": 0}, "MaxUnpool2d": {"padding": 0}, "MaxUnpool3d": {"padding": 0},
}  # fmt: skip
# For classes that torch's module samples leave out.
PLAIN_INPUTS: dict[str, Any] = {
    "Identity": lambda: (floating(2, 3),), "Flatten": lambda: (floating(2, 3, 4),),
    "Unflatten": lambda: (floating(2, 4),), "Dropout": lambda: (floating(2, 3),), "Dropout1d": lambda: (floating(2, 3, 4),),
    "Dropout2d": lambda: (floating(2, 3, 4, 4),), "Dropout3d": lambda: (floating(2, 3, 4, 4, 4),),
    "AlphaDropout": lambda: (floating(2, 3),), "FeatureAlphaDropout": lambda: (floating(2, 3, 4),),
    "PixelShuffle": lambda: (floating(1, 4, 2, 2),), "PixelUnshuffle": lambda: (floating(1, 1, 4, 4),),
    "ChannelShuffle": lambda: (floating(1, 4, 2, 2),), "Upsample": lambda: (floating(1, 2, 4, 4),),
    "UpsamplingNearest2d": lambda: (floating(1, 2, 4, 4),), "UpsamplingBilinear2d": lambda: (floating(1, 2, 4, 4),),
    "Fold": lambda: (floating(1, 4, 1),), "Unfold": lambda: (floating(1, 2, 4, 4),),
    "CosineSimilarity": lambda: (floating(2, 3), floating(2, 3)), "PairwiseDistance": lambda: (floating(2, 3), floating(2, 3)),
    "Softmax2d": lambda: (floating(1, 2, 3, 3),), "RReLU": lambda: (floating(2, 3),), "GLU": lambda: (floating(2, 4),),
    "LPPool3d": lambda: (floating(1, 1, 4, 4, 4),), "AdaptiveLogSoftmaxWithLoss": lambda: (floating(2, 3), torch.tensor([1, 5])),
    "InstanceNorm1d": lambda: (floating(2, 4, 5),), "RMSNorm": lambda: (floating(2, 4),),
    "SyncBatchNorm": lambda: (floating(2, 4, 5),), "Hardsigmoid": lambda: (floating(2, 3),),
    "EmbeddingBag": lambda: (torch.tensor([[0, 2, 1]]),), "CrossMapLRN2d": lambda: (floating(1, 4, 4, 4),),
    "TripletMarginLoss": lambda: (floating(2, 3), floating(2, 3), floating(2, 3)),
    "TripletMarginWithDistanceLoss": lambda: (floating(2, 3), floating(2, 3), floating(2, 3)),
    "TransformerDecoder": lambda: (floating(3, 2, 4), floating(3, 2, 4)),
    "NLLLoss2d": lambda: (floating(1, 3, 2, 2), torch.zeros(1, 2, 2, dtype=torch.int64)),
    "MaxUnpool1d": lambda: (floating(1, 1, 2), torch.tensor([[[0, 2]]])),
    "MaxUnpool2d": lambda: (floating(1, 1, 1, 1), torch.tensor([[[[0]]]])),
    "MaxUnpool3d": lambda: (floating(1, 1, 1, 1, 1), torch.tensor([[[[[0]]]]])),
    "FractionalMaxPool2d": lambda: (floating(1, 1, 6, 6),), "FractionalMaxPool3d": lambda: (floating(1, 1, 6, 6, 6),),
}  # fmt: skip


def layer_classes() -> list[tuple[str, type[nn.Module]]]:
    """The public module classes, each under its shortest public name."""
    found = {}
    for name in sorted(dir(nn)):
        value = getattr(nn, name)
        if inspect.isclass(value) and (issubclass(value, nn.Module)) and not name.startswith("_"):
            found[f"torch.nn.{name}"] = value
    return list(found.items())


def built(value: type[nn.Module], **options: Any) -> nn.Module | None:
    """An instance from small arguments; None for a class that cannot be built so."""
    arguments: dict[str, Any] = {}
    if value.__name__ in RECURRENT:
        arguments = {"input_size": 3, "hidden_size": 3}
    for name, parameter in inspect.signature(value.__init__).parameters.items():
        if name == "self" or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is parameter.empty and name not in options:
            if name == "encoder_layer":
                arguments[name] = nn.TransformerEncoderLayer(4, 2, 8)
            elif name == "decoder_layer":
                arguments[name] = nn.TransformerDecoderLayer(4, 2, 8)
            elif name == "module":
                arguments[name] = nn.Linear(3, 3)
            elif name in SMALL:
                arguments[name] = _padding(value, SMALL[name]) if name == "padding" else SMALL[name]
            else:
                return None
    if value.__name__ == "AdaptiveLogSoftmaxWithLoss":
        options.setdefault("n_classes", 8)
    if value.__name__ in ("RNNBase", "RNNCellBase"):
        arguments.update({"mode": "LSTM"} if value.__name__ == "RNNBase" else {"num_chunks": 1, "bias": True})
    try:
        return value(**{**arguments, **options})
    except (TypeError, ValueError, RuntimeError, NotImplementedError, AssertionError):
        return None


def _padding(value: type[nn.Module], size: int) -> int:
    del value
    return size


def tensor_texts(value: type[nn.Module]) -> list[str]:
    """The parameters and buffers, as `name`, `@` for a buffer, `?` when absent by default, `!option=value`."""
    instance = built(value)
    if instance is None:
        return []
    defaults = {name: each.default for name, each in inspect.signature(value.__init__).parameters.items()}
    if value.__name__ in RECURRENT:
        defaults["bias"] = True
    base = _registered(instance)
    variants = {
        option: _registered(other)
        for option in OPTIONS
        if isinstance(defaults.get(option), bool)
        and (other := built(value, **{option: not defaults[option]})) is not None
    }
    names = list(base)
    for variant in variants.values():
        names += [name for name in variant if name not in names]
    return [_tensor_text(name, base, variants, defaults) for name in names]


def _tensor_text(
    name: str,
    base: dict[str, tuple[bool, bool]],
    variants: dict[str, dict[str, tuple[bool, bool]]],
    defaults: dict[str, Any],
) -> str:
    is_buffer, present = base.get(name, (False, False))
    absent_with = []
    for option, variant in variants.items():
        is_buffer_there, there = variant.get(name, (False, False))
        is_buffer = is_buffer or is_buffer_there
        if present != there:
            absent_with.append(f"{option}={not defaults[option] if present else defaults[option]!r}")
    absent = not present and not absent_with
    return name + "@" * is_buffer + "?" * absent + ("!" + "|".join(absent_with) if absent_with else "")


def _registered(instance: nn.Module) -> dict[str, tuple[bool, bool]]:
    found = {name: (False, value is not None) for name, value in instance._parameters.items()}
    found.update({name: (True, value is not None) for name, value in instance._buffers.items()})
    return found


def layer_record(value: type[nn.Module]) -> dict[str, Any]:
    """Constructor, tensors, forward and flags of one class."""
    name = value.__name__
    constructor = CONSTRUCTORS.get(name)
    record: dict[str, Any] = {"constructor": constructor_text(value) if constructor is None else constructor}
    tensors = tensor_texts(value)
    if tensors:
        record["tensors"] = " ".join(tensors)
    if name in CONTAINERS:
        record["container"] = CONTAINERS[name]
    if name not in CONTAINERS and name not in ("Module", "Container", "RNNBase", "RNNCellBase"):
        # A lazy class becomes another one when it is first called.
        called: type[nn.Module] = getattr(value, "cls_to_become", None) or value
        draft = forward_draft(called)
        settle_forward(draft, called)
        own = {text.rstrip("@?").partition("!")[0].rstrip("@?") for text in tensors}
        known = own | {each.name for each in draft.parameters} | {"internal", "result"}
        if draft.saves is not None:
            draft.saves = [each for each in draft.saves if each in known or each.startswith("result")]
            draft.conditional = [each for each in draft.conditional if each in draft.saves]
        if called.__name__ == "LSTM":
            draft.outputs = ["yes", "yes"]  # the second is itself a pair
        record["forward"] = operation_text(draft)
    found = flags(value)
    if found:
        record["flags"] = found
    return record


def forward_draft(value: type[nn.Module]) -> Draft:
    """The call of a layer as its signature has it."""
    draft = from_signature(f"{value.__name__}.forward", value.forward)
    if draft is None:
        raise TypeError(f"{value.__name__}.forward has no signature")
    draft.parameters = [each for each in draft.parameters if each.name != "self"]
    for each in draft.parameters:
        each.role = FORWARD_ROLES.get((value.__name__, each.name), each.role)
    draft.grounds = "signature"
    return draft


def settle_forward(draft: Draft, value: type[nn.Module]) -> None:
    """Run the layer in training mode on torch's own module samples."""
    draft.result, draft.differentiable, draft.saves = "unknown", "unknown", None
    runs = [
        (module, call, seen)
        for module, call in forward_calls(value)
        if (seen := observed_call(draft, module, call)) is not None
    ]
    if runs:
        settle_runs(draft, [observed for _, _, observed in runs])
        _forward_saves(draft, runs)
    if "Loss" in value.__name__ and draft.result == "tensor":
        draft.rank = "reduction"


def _forward_saves(draft: Draft, runs: list[tuple[nn.Module, Call, Observed]]) -> None:
    graphs = [run for run in runs if any(run[2].requires_grad)]
    names = {name for *_, seen in graphs for name in (*seen.inputs, *seen.result_names())}
    draft.saves, draft.conditional = [], []
    for name in sorted(names):
        verdicts = [
            each
            for module, call, _ in graphs
            if (each := _minds(draft, module, call, name, None)) is not None
        ]
        if not verdicts:
            verdicts = [name in seen.saved for *_, seen in graphs if seen.named(name)]
        if 2 * sum(verdicts) < len(verdicts) or not verdicts:
            continue
        draft.saves.append(name)
        with_it = [(m, c) for m, c, o in graphs if any(t.requires_grad for t in o.inputs.get(name, []))][:4]
        alone = [
            each for module, call in with_it if (each := _minds(draft, module, call, name, name)) is not None
        ]
        if alone and not any(alone):
            draft.conditional.append(name)
    again = [
        seen
        for module, call, _ in graphs
        if (seen := observed_call(draft, module, call, hooks=False)) is not None
    ]
    walks = [walked_twice(seen) for seen in again]
    refused = not draft.saves and walks.count(False) > walks.count(True)
    if refused or 2 * sum("internal" in seen.saved for *_, seen in graphs) > len(graphs):
        draft.saves.append("internal")


def _minds(draft: Draft, module: nn.Module, call: Call, name: str, only: str | None) -> bool | None:
    seen = observed_call(draft, module, call, only=only, hooks=False)
    return None if seen is None else minds(seen, name)


def observed_call(
    draft: Draft, module: nn.Module, call: Call, *, only: str | None = None, hooks: bool = True
) -> Observed | None:
    """Effects of a call of the layer; None when torch refuses it."""
    own = dict(module.named_parameters(recurse=False)) | dict(module.named_buffers(recurse=False))
    try:
        for tensor in module.parameters():
            tensor.requires_grad_(only is None)
        return observe(module, draft, call, extra=own, only=only, hooks=hooks)
    except (Exception, TooSlowError):  # noqa: BLE001  some samples are there to be refused
        return None


def forward_calls(value: type[nn.Module]) -> list[tuple[nn.Module, Call]]:
    """Instances and calls of a class: torch's module samples, and a plain one where there are none."""
    torch.manual_seed(0)
    found = []
    for info in module_db:
        if info.module_cls is value:
            samples = info.module_inputs_func(
                info, device="cpu", dtype=torch.float32, requires_grad=True, training=True
            )
            for sample in list(samples)[:SAMPLES]:
                arguments, forward = sample.constructor_input, sample.forward_input
                if forward is not None and not arguments.kwargs.get("return_indices"):
                    module = value(*arguments.args, **arguments.kwargs).train()
                    found.append((module, Call(tuple(forward.args), forward.kwargs)))
    if value.__name__ in PLAIN_INPUTS:
        instance = built(value, **PLAIN_OPTIONS.get(value.__name__, {}))
        if instance is not None:
            found.append((instance, Call(PLAIN_INPUTS[value.__name__]())))
    return found


def constructor_text(value: type[nn.Module]) -> str:
    draft = from_signature("constructor", value.__init__)
    if draft is None:
        return ""
    for each in draft.parameters:
        if each.name not in ("weight", "pos_weight", "_weight", "encoder_layer"):
            each.role = "other"
    return parameters_text([each for each in draft.parameters if each.name != "self"])


def flags(value: type[nn.Module]) -> list[str]:
    found = []
    if "inplace" in inspect.signature(value.__init__).parameters:
        found.append("inplace")
    instance = built(value)
    if instance is not None and any(True for _ in instance.children()) and value.__name__ not in CONTAINERS:
        found.append("submodules")
    return found


def is_lazy(value: type[nn.Module]) -> bool:
    return issubclass(value, torch.nn.modules.lazy.LazyModuleMixin)
