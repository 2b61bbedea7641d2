"""The records of `torch.nn` classes: each is built with small arguments and looked at."""

from __future__ import annotations

import inspect
from typing import Any

import torch
from catalog.encode import parameters_text
from catalog.public import from_signature
from torch import nn

SMALL: dict[str, Any] = {
    "in_features": 3, "out_features": 3, "in1_features": 3, "in2_features": 3, "num_features": 4, "in_channels": 4,
    "out_channels": 4, "kernel_size": 2, "input_size": 3, "hidden_size": 3, "embed_dim": 4, "num_heads": 2, "nhead": 2,
    "d_model": 4, "num_embeddings": 5, "embedding_dim": 3, "normalized_shape": 4, "num_groups": 2, "num_channels": 4,
    "lower": 0.1, "upper": 0.3, "output_size": 2, "padding": 1, "p": 0.5, "threshold": 0.5, "value": 0.5, "groups": 2,
    "upscale_factor": 2, "downscale_factor": 2, "size": 2, "dim": 1, "unflattened_size": (2, 2), "div_value": 2.0,
    "n_classes": 8, "cutoffs": [2, 4], "bias": True, "num_chunks": 2, "num_layers": 1, "scale_factor": 2,
}  # fmt: skip
CONTAINERS = {"Sequential": "sequential", "ModuleList": "list", "ModuleDict": "dict", "ParameterList": "list", "ParameterDict": "dict"}
# Constructor options that take tensors away, with the value that does.
OPTIONS = (
    ("affine", False), ("elementwise_affine", False), ("bias", False), ("track_running_stats", False),
    ("add_bias_kv", True), ("kdim", 6), ("head_bias", True), ("_weight", None),
)  # fmt: skip
# Registered only when the constructor is given a tensor.
GIVEN = ("weight", "pos_weight")


def classes() -> list[tuple[str, type[nn.Module]]]:
    """The public module classes, each under its shortest public name."""
    found = {}
    for name in sorted(dir(nn)):
        value = getattr(nn, name)
        if inspect.isclass(value) and (issubclass(value, nn.Module)) and not name.startswith("_"):
            found[f"torch.nn.{name}"] = value
    return list(found.items())


def built(value: type[nn.Module], **options: Any) -> nn.Module | None:
    """An instance from small arguments; None for a class that cannot be built so."""
    arguments = {}
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
    names = inspect.signature(value.__init__).parameters
    base = _registered(instance)
    texts = []
    with_options = {
        (option, setting): _registered(other)
        for option, setting in OPTIONS
        if option in names and (other := built(value, **{option: setting})) is not None
    }
    everything = dict(base)
    for variant in with_options.values():
        for name, (is_buffer, present) in variant.items():
            everything.setdefault(name, (is_buffer, False))
            if present and not everything[name][1]:
                everything[name] = (is_buffer, False)
    for name, (is_buffer, _) in everything.items():
        present = base.get(name, (is_buffer, False))[1]
        text = name + ("@" if is_buffer else "")
        unless = ""
        for (option, setting), variant in with_options.items():
            there = variant.get(name, (is_buffer, False))[1]
            if present and not there:
                unless += ("|" if unless else "!") + f"{option}={setting!r}"
            if not present and there and option != "kdim":
                default = names[option].default
                unless = f"!{option}={default!r}"
        absent = not present and not unless
        texts.append(text + ("?" if absent else "") + unless)
    return texts


def _registered(instance: nn.Module) -> dict[str, tuple[bool, bool]]:
    found = {name: (False, value is not None) for name, value in instance._parameters.items()}
    found.update({name: (True, value is not None) for name, value in instance._buffers.items()})
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
