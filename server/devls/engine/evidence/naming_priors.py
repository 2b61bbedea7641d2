"""Naming conventions: patterns on names of variables, functions, classes and files.

A name is a guess. Each pattern here says what a thing is taken for where nothing else tells; no other module of the engine has any.
"""

from __future__ import annotations

import re
from typing import Final

from devls.engine.core import priors
from devls.text.patterns import deferred

_MODELS: Final = (
    r"model|net|network|module|criterion|encoder|decoder|generator|discriminator|backbone|head|classifier|actor"
    r"|embeddings?|embedder|extractor|predictor|projector|critic|policy|teacher|student|ema|vae|unet|gpt|transformer|net[gd]|gen|disc"
)


MODEL: Final = deferred(rf"(^|[._])({_MODELS})(_\w+|[0-9]*)?$", re.IGNORECASE)
"""Names under which a thing with `.to` is a Module, where nothing else tells."""

MAKES_MODEL: Final = deferred(
    rf"(^|[._])(build|create|make|get|load|init|setup)_(\w+_)?({_MODELS})(_\w+)?\(\.\.\.\)$", re.IGNORECASE
)
"""Functions whose result is a Module, going by what they are called."""

FUNCTION: Final = deferred(
    r"(^|[._])_?(get|fetch|find|load|read|build|create|make|init|setup|set|add|save|compute|calculate)_\w+$"
)
"""Names of functions: what they give may be a module, they are none."""

RUNS_MODEL: Final = deferred(
    r"generate|infer(ence)?|forward_\w+|(encode|decode)(_\w+)?|get_(text|image|audio)_features"
)
"""Methods of models that run them, and so take tensors where the parameters are; who writes `.forward` has a wrapper, often."""

SEARCH_OR_TABLE: Final = deferred(r"(^|[._])(decoder|tokenizer|encoder)$", re.IGNORECASE)
"""Objects that decode or encode by a method of that name: seldom modules, which would be called; rather searches, or
tables of words.
"""

FROZEN_MODEL: Final = deferred(
    r"teacher|target|ema|frozen|(^|[._])(ref|old)(_|$)|reference|pretrained|perceptual|lpips|vgg|clip|vae",
    re.IGNORECASE,
)
"""Models that are often used without being trained, going by what they are called."""

_OPTIMIZER_OF: Final = deferred(
    r"(?:(?P<before>\w+?)_?)?(?:optimi[sz]er|optim|opt)(?:_?(?P<behind>\w+))?", re.IGNORECASE
)


def optimized_by(name: str) -> str:
    """The model, in small letters, that an optimizer's name contains: `g` of `optG`, `g_opt` and `optimizer_G`; "" of none."""
    found = _OPTIMIZER_OF.fullmatch(name)
    parts = (found["before"], found["behind"]) if found else ()
    return "".join(each for each in parts if each).strip("_").lower()


SIZE: Final = deferred(r"(^|_|[io])len(gth)?s?$", re.IGNORECASE)
"""Names of sizes, which `pack_padded_sequence` wants on the CPU."""

INDEX: Final = deferred(r"(^|_)(idx|index(es)?|indices|positions?)$", re.IGNORECASE)
"""Names of places in something, at which it may be read by an index from the CPU."""

LOADER: Final = deferred(
    r"loader|(^|[._ ])(dl|batches|batch_iter\w*|data_iter\w*|train_iter|test_iter)\b", re.IGNORECASE
)
"""Providers of batches: whole tensors, no Python numbers."""

DATA_SOURCE: Final = deferred(r"(^|_)(dataset|data_?loader)s?$", re.IGNORECASE)
"""Arguments that hand out data, which is on the CPU until somebody moves it."""

STATE_DICT: Final = deferred(r"(^|_)state_?dicts?$", re.IGNORECASE)
"""Arguments that hold what a file was loaded to, on the way to a module, which takes it from wherever it is."""

PREPARES_DATA: Final = deferred(
    r"collat(e|or)|transform(?!er)|augment|preprocess|tokeniz|dataset|dataload|data_load|loader|load_|read_|write_|save|plot|visuali|draw"
    r"|(?<!logits)(?<!logits_)(?<!attn)(?<!attention)(?<!attention_)processor|figure|export|convert|parse|vocab|sampler|prepare_data|^test_|_test$|encode_image|decode_image|to_pil|make_grid|(^|_)cpu(_|$)",
    re.IGNORECASE,
)
"""Functions and classes that prepare data work on the CPU by contract: nothing there is expected on an accelerator."""

EXPORTS_MODEL: Final = deferred(r"(^|_)export|(^|_)to_(onnx|caffe2|torchscript)", re.IGNORECASE)
"""Writers of a model for other programs: it is taken to the CPU before."""

LOADER_OR_DATASET: Final = deferred(r"loader\b|loader\.|dataset\b", re.IGNORECASE)
"""Providers of batches as they were put together: on the CPU, unless somebody has taken care of it."""

EVALUATES: Final = deferred(
    r"eval|valid|(^|_)(val|test|infer\w*|predict\w*|score|accuracy|benchmark)(_|$)", re.IGNORECASE
)
"""Functions whose callers want numbers, going by what they are called."""

EVALUATION_STEP: Final = deferred(r"^_?(val|valid|validation|eval|evaluation|test)_step$")
"""One step of an evaluation: whoever runs it reports what it returns."""

WORD: Final = deferred(r"\w+")
"""The names in the text of a test."""

TEST_FILE: Final = deferred(r"(^|[\\/])((tests?|testing)[\\/]|(test_[^\\/]*|[^\\/]*_test|conftest)\.py$)")
"""Paths of tests."""

PREPARES_BATCH: Final = deferred(
    r"collate|dataset|data_?(load|pars)|augment|tokeniz|preprocess", re.IGNORECASE
)
"""Names of what prepares data, for which nobody moves anything."""

CALLS_BACK: Final = deferred(
    r"(^|[._ ])(call_?backs?|hooks?|handlers?|listeners?|subscribers?|plug_?ins?|events?|observers?|extensions?)"
    r"(_?(list|manager|runner|bus|registry|dispatcher))?([._\[(]|$)",
    re.IGNORECASE,
)
"""Unknown things that call whatever others have given them, going by what they are called."""

CLEARS_NO_GRADIENTS: Final = deferred(
    r"\.(step|unscale_?|update\w*|save\w*|log\w*|watch|add_\w+|clip\w*|backward|load\w*|print\w*)$|^(print|log|save)\w*$"
)
"""Unknown functions that say what they do with a model or an optimizer: they clear no gradients."""

COMPUTES_LOSS: Final = deferred(
    r"(^|[._])(loss|criterion|crit)(_?(fn|func|function|module))?$", re.IGNORECASE
)
"""Unknown things whose call computes a loss and no gradients, going by what they are called."""

CALLS_LOSS: Final = deferred(
    rf"^(F|nn\.functional|torch\.nn\.functional)\.(\w+_loss|cross_entropy|binary_cross_entropy\w*|kl_div)$|{COMPUTES_LOSS.pattern}",
    re.IGNORECASE,
)
"""Calls that compute a loss of what a model predicts, which comes first, and what was to come."""

ACCUMULATION_COUNT: Final = deferred(r"accum|micro_?(step|batch)", re.IGNORECASE)
"""Names of the number of backwards whose gradients make one step."""

OPTIMIZER: Final = deferred(
    r"(^|[._])(opt|optim|optimizer|optimiser)([_\d]|$)|_?optim(izer)?(s?)$|^opt", re.IGNORECASE
)
"""Variables that hold an optimizer."""

NOISE: Final = deferred(r"noise|latent|^z(_|$)|_z$")
"""Variables that hold noise, which nobody trains."""

SPEAKS_OF_DEVICES: Final = deferred(r"device|cuda|mps|gpu| is on ", re.IGNORECASE)
"""Tests that ask for devices."""

SPEAKS_OF_ACCELERATORS: Final = deferred(r"device|cuda|gpu|accelerat|availab|\bcpu\b", re.IGNORECASE)
"""Tests that ask whether an accelerator is there, or is to be used."""

CHOSEN_DEVICE: Final = deferred(
    r"^(self\.)?(\w*(args?|opts?|options|cfg|config|conf|hparams|settings|flags)(\.|\[[\"']))?device([\"']\])?$",
    re.IGNORECASE,
)
"""`device`, `self.device`, `args.device`, `options["device"]`: what others choose; `x.device` is where `x` lies."""

PLACE: Final = deferred(r"device|^(cuda|cpu|to|xpu|is_cuda)$")
"""Names that speak of places."""

ACCELERATOR_SWITCH: Final = deferred(r"^(\w*(?:CUDA|GPU)\w*) *= *False\b", re.MULTILINE)
"""`CUDA_ENABLED = False` in a module: where that stays there is no need for it, so somebody else is to set it."""

TENSOR_ANNOTATION: Final = deferred(r"[Tt]ensor|Any|object")
"""Annotations that may be those of tensors."""

WELL_KNOWN: Final = {
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "optim": "torch.optim",
    "DataLoader": "torch.utils.data.DataLoader",
    "Variable": "torch.autograd.Variable",
    "np": "numpy",
    "pl": "pytorch_lightning",
    "torchvision": "torchvision",
    "GradScaler": "torch.amp.GradScaler",
    "Function": "torch.autograd.Function",
    "Parameter": "torch.nn.Parameter",
    "Dataset": "torch.utils.data.Dataset",
    "TensorDataset": "torch.utils.data.TensorDataset",
    "LambdaLR": "torch.optim.lr_scheduler.LambdaLR",
    "StepLR": "torch.optim.lr_scheduler.StepLR",
    "CosineAnnealingLR": "torch.optim.lr_scheduler.CosineAnnealingLR",
    "pack_padded_sequence": "torch.nn.utils.rnn.pack_padded_sequence",
    "pad_packed_sequence": "torch.nn.utils.rnn.pad_packed_sequence",
    "pad_sequence": "torch.nn.utils.rnn.pad_sequence",
    "clip_grad_norm_": "torch.nn.utils.clip_grad_norm_",
    "defaultdict": "collections.defaultdict",
    "deque": "collections.deque",
    "dataclass": "dataclasses.dataclass",
    "NamedTuple": "typing.NamedTuple",
    "partial": "functools.partial",
    "itertools": "itertools",
    "copy": "copy",
    "math": "math",
    "random": "random",
    "tqdm": "tqdm.tqdm",
}
"""Names that mean the same in nearly all programs with tensors, where a fragment leaves their imports out."""

WELL_KNOWN_BOUND: Final = deferred(
    rf"\b(?:{'|'.join(WELL_KNOWN)})\b(?!\s*[.(])|\b(?:import|def|class)[ \t]+(?:{'|'.join(WELL_KNOWN)})\b|\bimport[ \t]*\(?[ \t]*\*"
)
"""All places in a text at which one of these names may be bound, and others at which it is not."""

SAVES_FILES: Final = deferred(r"save|checkpoint|dump|tmp_?path|tmp_?dir|assert", re.IGNORECASE)
"""Words of a test file that has something to load; code that only runs a trained model is a program."""


@priors.is_named_like_model.answer
def is_named_like_model(name: str) -> bool:
    """Whether a variable holds a model."""
    return MODEL.search(name) is not None


@priors.is_named_like_optimizer.answer
def is_named_like_optimizer(name: str) -> bool:
    """Whether a variable holds an optimizer."""
    return OPTIMIZER.search(name) is not None


@priors.is_named_like_noise.answer
def is_named_like_noise(name: str) -> bool:
    """Whether a variable holds noise."""
    return NOISE.search(name) is not None


@priors.is_named_like_loader.answer
def is_named_like_loader(name: str) -> bool:
    """Whether something hands out batches as they were put together."""
    return LOADER_OR_DATASET.search(name) is not None


@priors.speaks_of_saving.answer
def speaks_of_saving(text: str) -> bool:
    """Whether a file has something to load, going by what it speaks of."""
    return SAVES_FILES.search(text) is not None
