"""Torch's messages: a table of what each one means, and of the rules whose findings lead to it.

The patterns hold for torch 2.4 to 2.13 and for the older wordings that people still quote;
`tests/against_torch/test_traceback_messages.py` has torch raise them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_PLACES = (
    "tensor-created-off-device",
    "unregistered-tensor",
    "input-off-module-device",
    "discarded-transfer",
    "mixed-devices",
    "unregistered-module",
    "layer-created-in-forward",
    "stale-after-move",
    "optimizer-before-move",
    "result-off-device",
    "module-move-taken-for-copy",
    "hard-coded-device",
    "current-card-taken",
    "data-parallel-device",
    "load-without-map-location",
    "default-device-trap",
    "device-compared-wrongly",
)


@dataclass(frozen=True)
class Family:
    """One mistake as torch words it."""

    id: str
    pattern: re.Pattern[str]
    says: str
    """Meaning of the message, for somebody who meets it for the first time."""
    rules: tuple[str, ...]
    """Those whose findings lead to it, the most usual first."""


def _family(name: str, pattern: str, says: str, *rules: str) -> Family:
    return Family(name, re.compile(pattern, re.IGNORECASE | re.DOTALL), says, rules)


FAMILIES: Final = (
    _family(
        "devices-differ",
        r"on the same device|at the same device|found at least two devices|should be the same|"
        r"expected (?:object|all tensors) (?:of|to be) (?:backend|device|type)|expected device \S+ but got|"
        r"(?:input|weight) type \(.*\) (?:and|should)|on device .* but (?:got|found)|indices should be either on|"
        r"device_ids\[0\]|are on different devices|same device as the indexed",
        "Two tensors of one operation are on different devices. One of them was never moved, or was made on the CPU.",
        *_PLACES,
    ),
    _family(
        "numpy-of-accelerator",
        r"can't convert \S+ (?:device type )?tensor to numpy|can't convert cuda",
        "numpy reads memory of the host only, and the tensor is on an accelerator.",
        "host-read-on-device",
    ),
    _family(
        "numpy-of-graph",
        r"can't call numpy\(\) on (?:tensor|variable) that requires grad",
        "The tensor belongs to a graph; numpy would take its numbers out of it unseen.",
        "numpy-on-grad",
        "missing-detach",
    ),
    _family(
        "backward-twice",
        r"backward through the graph a second time|buffers have already been freed|saved intermediate (?:values|results)",
        "A backward frees its graph. The second one reached a part that an earlier backward had freed.",
        "backward-twice",
        "hidden-state-carried",
        "gradients-cleared-too-early",
        "missing-detach",
        "grad-kept-alive",
    ),
    _family(
        "modified-in-place",
        r"modified by an inplace operation",
        "A value that backward needs was overwritten between its computation and the backward.",
        "inplace-breaks-backward",
        "backward-twice",
        "hidden-state-carried",
        "gradients-cleared-too-early",
        "missing-detach",
    ),
    _family(
        "nothing-to-differentiate",
        r"does not require grad and does not have a grad_fn|one of the differentiated tensors does not require grad|"
        r"none of the inputs? .*require.* grad|can't retain_grad on tensor that has requires_grad",
        "Backward was called on a value without a graph: it was cut, or made where gradients are off.",
        "backward-without-graph",
        "graph-cut-hidden",
        "discarded-result",
        "frozen-in-vain",
        "grad-mode-without-effect",
        "eval-mode-mixed-up",
        "checkpoint-reentrant",
        "parameter-rebound",
    ),
    _family(
        "input-not-used",
        r"differentiated tensors? .*not have been used in the graph",
        "A gradient was asked for of a tensor that the result was not computed from: it may be a copy, or made later.",
        "graph-cut-hidden",
        "copy-of-graph-tensor",
        "unreached-parameters",
    ),
    _family(
        "not-a-scalar",
        r"grad can be implicitly created only for scalar outputs",
        "Backward starts from one number; the loss has several.",
        "backward-on-non-scalar",
    ),
    _family(
        "leaf-written",
        r"leaf variable that requires grad (?:is being used|has been)|leaf variable has been moved into the graph",
        "A parameter was written in place while gradients are on.",
        "inplace-on-leaf",
    ),
    _family(
        "view-written",
        r"is a view and is being modified inplace|is a view .*inplace|view was created in no_grad mode|can't detach views in-place",
        "A view was written in place in a way that autograd cannot follow.",
        "inplace-on-view",
        "detach-in-place-on-view",
    ),
    _family(
        "inference-tensor",
        r"inference tensors? (?:cannot|do not|outside)|inplace update to inference tensor",
        "The tensor was made under `inference_mode`, and autograd cannot use it.",
        "inference-tensor-in-autograd",
    ),
    _family(
        "copied-graph-tensor",
        r"support the deepcopy protocol",
        "Only leaves can be deep-copied; the tensor was computed.",
        "deepcopy-of-graph",
    ),
    _family(
        "optimizer-arguments",
        r"can't optimize a non-leaf tensor|optimizer got an empty parameter list|argument given to the optimizer should be",
        "An optimizer takes the parameters of a module, or other leaves.",
        "optimizer-parameters",
        "leaf-lost-by-transfer",
        "parameter-lost-by-transfer",
        "unregistered-module",
    ),
    _family(
        "flag-of-computed",
        r"you can only change requires_grad flags of leaf variables",
        "What was computed requires grad as its operands do: `.detach()` returns it without its graph.",
        "frozen-in-vain",
    ),
    _family(
        "parameter-in-two-groups",
        r"some parameters appear in more than one parameter group",
        "A parameter is in two groups of an optimizer, and would be changed twice in a step.",
        "optimizer-parameters",
    ),
    _family(
        "integer-grad",
        r"only tensors of floating point (?:and complex )?dtype can require gradients",
        "Gradients need numbers with a fraction: the tensor holds integers.",
        "integer-requires-grad",
    ),
    _family(
        "parameter-replaced",
        r"cannot assign '.*' as parameter|parameters? .* cannot be assigned",
        "The name belongs to a parameter, and takes an `nn.Parameter` or None.",
        "parameter-rebound",
        "parameter-lost-by-transfer",
    ),
    _family(
        "module-not-initialized",
        r"before Module\.__init__\(\) call",
        "The class uses its module before `super().__init__()` has run.",
        "module-not-initialized",
    ),
    _family(
        "generator-elsewhere",
        r"expected an? '\w+' (?:device type )?(?:device type for generator|generator device) but (?:found|got)|generator.* device",
        "Random numbers are drawn on the device of their generator.",
        "generator-device",
        "default-device-trap",
    ),
    _family(
        "lengths-elsewhere",
        r"'lengths' argument should be a 1D CPU",
        "Lengths of packed sequences stay on the CPU.",
        "lengths-on-accelerator",
    ),
    _family(
        "device-named-wrongly",
        r"invalid device string|device type at start of device string|invalid device, must be|device string must not be empty|"
        r"legacy constructor expects device type|received an invalid combination of arguments .*device",
        "Torch does not know the device that is named.",
        "invalid-device",
    ),
    _family(
        "checkpoint-of-accelerator",
        r"deserialize object on a \S+ device",
        "The checkpoint was saved on an accelerator that this machine does not have.",
        "load-without-map-location",
    ),
    _family(
        "no-accelerator",
        r"not compiled with cuda|found no nvidia driver|compiled without cuda|no accelerator|invalid device ordinal",
        "The program asks for an accelerator that this machine does not have.",
        "hard-coded-device",
        "legacy-device-api",
        "load-without-map-location",
    ),
    _family(
        "worker-uses-accelerator",
        r"re-initialize cuda in forked subprocess",
        "A worker process of a DataLoader uses the accelerator; workers are for the CPU.",
        "cuda-in-worker",
    ),
    _family(
        "meta-tensor",
        r"cannot copy out of meta tensor",
        "A tensor on `meta` has no numbers to copy.",
        "meta-transfer",
    ),
    _family(
        "pinned-accelerator",
        r"cannot pin '",
        "Only memory of the host can be pinned.",
        "pinned-accelerator-tensor",
    ),
    _family(
        "mps-double",
        r"mps framework doesn't support float64",
        "MPS has no numbers of 64 bits with a fraction.",
        "mps-dtype",
    ),
    _family(
        "hook-on-constant",
        r"cannot register a hook on a tensor that doesn't require grad",
        "Nothing ever calls the hook: no gradient flows through the tensor.",
        "hook-without-grad",
    ),
    _family(
        "method-not-called",
        r"'(?:builtin_function_or_method|method)' (?:object|and)|"
        r"unsupported operand type\(s\) for .*'(?:builtin_function_or_method|method)'|must be .* not (?:builtin_function_or_method|method)|"
        r"of type '(?:builtin_function_or_method|method)'|but got (?:builtin_function_or_method|method)$",
        "A method was named and not called: the parentheses are missing.",
        "method-not-called",
    ),
    _family(
        "custom-function",
        r"legacy autograd function with non-static forward|function (?P<name>\w+)Backward returned an (?:incorrect number of gradients|invalid gradient)",
        "An `autograd.Function` is used through `apply`, and its backward returns a gradient for each argument of forward.",
        "custom-function",
    ),
    _family(
        "mixed-precision-order",
        r"unscale_\(\) (?:is being|has already been) called|no inf checks were recorded|attempting to unscale fp16",
        "A `GradScaler` scales the loss, unscales the gradients, steps and updates, once each and in this order.",
        "amp-protocol",
        "gradients-cleared-too-early",
        "unreached-parameters",
    ),
    _family(
        "not-a-tensor",
        r"'(?!Tensor'|NoneType')\w+(?:\.\w+)*' object has no attribute '(?:to|cuda|cpu|device|detach|numpy|backward|requires_grad_?|grad)'",
        "The value is no tensor, and has no such attribute.",
        "backward-without-graph",
        "invalid-device",
        "method-not-called",
    ),
    _family(
        "gradient-is-none",
        r"'NoneType' object has no attribute|unsupported operand type\(s\) for .*'NoneType'",
        "Something is None. A gradient is None until a backward reaches its leaf, and for everything that is no leaf.",
        "grad-of-non-leaf",
        "parameter-rebound",
        "leaf-lost-by-transfer",
        "graph-cut-hidden",
        "frozen-in-vain",
        "unreached-parameters",
    ),
    _family(
        "no-such-name",
        r"module 'torch\S*' has no attribute|type object 'torch\S*' has no attribute|'Tensor' object has no attribute",
        "This version of torch has no such name.",
        "no-such-torch-name",
    ),
    _family(
        "loss-class-called",
        r"boolean value of tensor with more than one value is ambiguous",
        "The class of a loss was given the tensors that its object takes.",
        "loss-class-called",
    ),
)
"""The first whose pattern fits names an error."""


def named_in(family: Family, message: str) -> str:
    """Function of the user's that the text of an error names, if its family says that it does."""
    found = family.pattern.search(message)
    return (found.groupdict().get("name") or "") if found is not None else ""


def family_of(message: str) -> Family | None:
    """The family of an error's message; None if it is not one of torch's that devls knows."""
    return next((each for each in FAMILIES if each.pattern.search(message)), None)
