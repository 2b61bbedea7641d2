"""Operations that the vocabulary of effects cannot say: one named function each."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from devls.engine.python import contexts, instances, iterables, mappings, strings
from devls.engine.torch import distributions, frameworks
from devls.engine.torch.autograd import hooks
from devls.engine.torch.functions import (
    copies,
    custom_functions,
    environment,
    gradients,
    moves,
    multiple_outputs,
    products,
    runners,
    surroundings,
    symbols,
    tensors,
)
from devls.engine.torch.tensors import constructors, host
from devls.library import catalog
from devls.values.value import (
    FALSE,
    BoundMethod,
    ClassValue,
)
from devls.values.weights import NAMES_KEPT

if TYPE_CHECKING:
    from collections.abc import Callable

    from devls.engine.core.invocation import Invocation
    from devls.engine.core.machine import Machine


_TENSOR: dict[str, Callable[[Machine, Invocation], object]] = {
    "to": moves.to,
    "cuda": moves.to,
    "cpu": moves.to,
    "xpu": moves.to,
    "type": moves.type_,
    "view": moves.viewed,
    "type_as": moves.type_as,
    "detach": gradients.detach,
    "detach_": gradients.detach_,
    "requires_grad_": gradients.requires_grad_,
    "retain_grad": gradients.retain_grad,
    "backward": gradients.backward,
    "numpy": moves.numpy_,
    "__array__": moves.numpy_,
    **dict.fromkeys(moves.CASTS, moves.cast),
    "size": moves.size,
    "dim": moves.dim,
    **dict.fromkeys(
        "float double half bfloat16 long int short bool byte char cfloat cdouble".split(), moves.to
    ),
    "new_tensor": tensors.new_tensor,
    "register_hook": hooks.on_tensor,
    "register_post_accumulate_grad_hook": hooks.on_tensor,
    "is_floating_point": tensors.is_kind,
    "is_complex": tensors.is_kind,
    "numel": tensors.numel,
    "nelement": tensors.numel,
}


SPECIAL: dict[str, Callable[[Machine, Invocation], object]] = {
    **constructors.CONSTRUCTORS,
    **{f"torch.Tensor.{name}": run for name, run in _TENSOR.items()},
    "torch.autograd.Variable": tensors.variable,
    "torch.tensor": tensors.tensor_,
    "torch.as_tensor": tensors.as_tensor,
    **dict.fromkeys(
        (f"torch.sparse_{each}_tensor" for each in ("coo", "csr", "csc", "bsr", "bsc", "compressed")),
        tensors.sparse,
    ),
    "torch.asarray": tensors.as_tensor,
    "torch.from_numpy": tensors.from_numpy,
    "torch.meshgrid": multiple_outputs.grid,
    "torch.functional.meshgrid": multiple_outputs.grid,
    "torch.broadcast_tensors": multiple_outputs.broadcast,
    "torch.functional.broadcast_tensors": multiple_outputs.broadcast,
    "torch.einsum": products.einsum,
    "torch.functional.einsum": products.einsum,
    **dict.fromkeys(("torch.atleast_1d", "torch.atleast_2d", "torch.atleast_3d"), multiple_outputs.at_least),
    "torch.nn.utils.fuse_conv_bn_weights": multiple_outputs.fused,
    "torch.nn.utils.fuse_linear_bn_weights": multiple_outputs.fused,
    "torch.detach": gradients.detach,
    "torch.detach_": gradients.detach_,
    "torch.device": environment.device,
    "torch.nn.Parameter": tensors.parameter,
    "torch.nn.parameter.Parameter": tensors.parameter,
    "torch.autograd.grad": gradients.autograd_grad,
    "torch.autograd.backward": gradients.autograd_backward,
    "torch.cuda.is_available": environment.accelerator_present,
    "torch.accelerator.is_available": environment.accelerator_present,
    "torch.backends.mps.is_available": environment.mps_present,
    "torch.mps.is_available": environment.mps_present,
    "torch.cuda.device_count": environment.device_count,
    "torch.accelerator.device_count": environment.device_count,
    "torch.cuda.current_device": environment.current_device,
    "torch.accelerator.current_accelerator": environment.current_accelerator,
    "torch.cuda.set_device": environment.set_cuda_device,
    "torch.set_default_device": environment.set_default_device,
    "torch.set_default_tensor_type": environment.set_default_tensor_type,
    "torch.numel": tensors.numel,
    "torch.is_floating_point": tensors.is_kind,
    "torch.is_complex": tensors.is_kind,
    "torch.is_grad_enabled": gradients.is_grad_enabled,
    "torch.is_tensor": environment.is_tensor,
    "inspect.isfunction": environment.is_function,
    "torch.Generator": environment.instance,
    "torch.Generator.manual_seed": lambda _m, call: call.receiver,
    "torch.nn.Transformer.generate_square_subsequent_mask": tensors.causal_mask,
    "torch.nn.Module.__init__": surroundings.super_init,
    "torch.cuda.device": environment.instance,
    "torch.autocast": environment.instance,
    "torch.amp.autocast": environment.instance,
    "torch.cuda.amp.autocast": environment.instance,
    "torch.amp.autocast_mode.autocast": environment.instance,
    "torch.amp.GradScaler": environment.instance,
    "torch.cuda.amp.GradScaler": environment.instance,
    "torch.amp.grad_scaler.GradScaler": environment.instance,
    "contextlib.nullcontext": environment.instance,
    "contextlib.suppress": environment.instance,
    "pytest.raises": environment.instance,
    "dataclasses.dataclass": environment.instance,
    "dataclasses.field": environment.instance,
    "dataclasses.fields": surroundings.dataclass_fields,
    "pydantic.Field": environment.instance,
    "attr.s": environment.instance,
    "torch.utils.data.DataLoader": surroundings.data_loader,
    "torch.utils.data.DistributedSampler": surroundings.distributed_sampler,
    surroundings.DISTRIBUTED_SAMPLER: surroundings.distributed_sampler,
    "torch.utils.data.RandomSampler": surroundings.random_sampler,
    "torch.utils.data.TensorDataset": surroundings.tensor_dataset,
    "torch.utils.data.random_split": surroundings.random_split,
    "torch.utils.data.Subset": environment.instance,
    "torch.utils.checkpoint.checkpoint": surroundings.checkpoint,
    "torch.compile": surroundings.compile_,
    "torch.jit.script": surroundings.compile_,
    **runners.HANDLERS,
    "torch.hub.load": surroundings.hub_load,
    "tqdm.tqdm": surroundings.first_argument,
    "tqdm.auto.tqdm": surroundings.first_argument,
    "tqdm.notebook.tqdm": surroundings.first_argument,
    "rich.progress.track": surroundings.first_argument,
    "typing.cast": lambda m, call: call.arguments[-1] if call.arguments else m.unknown(call.node),
    "functools.partial": surroundings.partial,
    "functools.wraps": surroundings.identity_decorator,
    "functools.lru_cache": surroundings.identity_decorator,
    "itertools.cycle": surroundings.first_argument,
    "itertools.islice": surroundings.first_argument,
    "itertools.chain": surroundings.chain,
    "contextlib.ExitStack.enter_context": contexts.enter_on_stack,
    "contextlib.AsyncExitStack.enter_context": contexts.enter_on_stack,
    "collections.namedtuple": instances.named_tuple,
    "dataclasses.replace": instances.replaced,
    **dict.fromkeys(mappings.NAMESPACES, mappings.namespace),
    "copy.deepcopy": copies.deepcopy,
    "copy.copy": copies.shallow,
    "collections.OrderedDict": lambda m, call: surroundings.builtin(m, call, "dict"),
    "collections.deque": iterables.queue,
    "random.choice": surroundings.drawn,
    "random.choices": surroundings.several_drawn,
    "random.sample": surroundings.several_drawn,
    "collections.defaultdict": lambda m, call: surroundings.default_dict(m, call),  # noqa: PLW0108  defined below
    "torch.nn.utils.clip_grad_norm_": gradients.clip,
    "torch.nn.utils.clip_grad_value_": gradients.clip,
    "torch.amp.GradScaler.scale": gradients.scaler_scale,
    "torch.cuda.amp.GradScaler.scale": gradients.scaler_scale,
    "torch.amp.GradScaler.step": gradients.scaler_step,
    "torch.cuda.amp.GradScaler.step": gradients.scaler_step,
    "torch.amp.GradScaler.unscale_": surroundings.nothing,
    "torch.cuda.amp.GradScaler.unscale_": surroundings.nothing,
    "torch.amp.GradScaler.update": surroundings.nothing,
    "torch.cuda.amp.GradScaler.update": surroundings.nothing,
    "argparse.ArgumentParser.add_argument": surroundings.add_argument,
    "argparse.ArgumentParser.parse_args": surroundings.parse_args,
    "argparse.ArgumentParser.parse_known_args": surroundings.parse_args,
    "yaml.safe_load": surroundings.loaded_config,
    "yaml.load": surroundings.loaded_config,
    "json.load": surroundings.loaded_config,
    "json.loads": strings.loads,
    "omegaconf.OmegaConf.load": surroundings.loaded_config,
    f"{hooks.HANDLE}.remove": hooks.removed,
    "torch.load": surroundings.load,
    "torch.autograd.gradcheck": custom_functions.gradcheck,
    "torch.autograd.gradcheck.gradcheck": custom_functions.gradcheck,
    "torch.autograd.Function.apply": custom_functions.apply,
    f"{custom_functions.CONTEXT}.mark_non_differentiable": custom_functions.mark_non_differentiable,
    f"{custom_functions.CONTEXT}.save_for_backward": surroundings.nothing,
    f"{custom_functions.CONTEXT}.set_materialize_grads": surroundings.nothing,
    f"{custom_functions.CONTEXT}.mark_dirty": surroundings.nothing,
    "torch.nn.DataParallel": surroundings.data_parallel,
    "torch.nn.parallel.DataParallel": surroundings.data_parallel,
    "torch.nn.parallel.DistributedDataParallel": surroundings.data_parallel,
    "builtins.object.__setattr__": surroundings.object_setattr,
    "super().__init__": surroundings.super_init,
    "torch.manual_seed": surroundings.nothing,
    "torch.cuda.manual_seed_all": surroundings.nothing,
    "torch.cuda.empty_cache": surroundings.nothing,
    "numpy.isscalar": host.is_scalar,
    "torch.cuda.synchronize": surroundings.synchronize,
    "torch.save": surroundings.nothing,
    "builtins.print": surroundings.printed,
    "symbol.to": symbols.symbol_to,
    "symbol.cuda": symbols.symbol_to,
    "symbol.cpu": symbols.symbol_to,
    "symbol.detach": gradients.detach,
    "symbol.eval": symbols.symbol_mode,
    "symbol.train": symbols.symbol_mode,
    "symbol.step": symbols.symbol_step,
    "symbol.zero_grad": symbols.symbol_step,
    "symbol.children": symbols.symbol_children,
    "symbol.modules": symbols.symbol_children,
    "symbol.named_children": symbols.symbol_children,
    "symbol.named_modules": symbols.symbol_children,
    "symbol.parameters": symbols.symbol_parameters,
    "symbol.named_parameters": symbols.symbol_parameters,
    "symbol.synchronize": surroundings.synchronize,
    "symbol.numpy": moves.numpy_,
    "symbol.item": symbols.symbol_item,
    "symbol.tolist": symbols.symbol_item,
}


for _name in (
    "torch.no_grad",
    "torch.inference_mode",
    "torch.enable_grad",
    "torch.set_grad_enabled",
    "torch.autograd.no_grad",
    "torch.autograd.enable_grad",
    "torch.autograd.grad_mode.no_grad",
    "torch.autograd.inference_mode",
    "torch.autograd.set_grad_enabled",
):
    SPECIAL[_name] = gradients.grad_mode
    SPECIAL[f"{_name}.__enter__"] = contexts.enter_by_hand
    SPECIAL[f"{_name}.__exit__"] = contexts.leave_by_hand


SPECIAL.update(frameworks.METHODS)


for _name in (
    "float16 float32 float64 int8 int16 int32 int64 uint8 half single double longdouble intp bool_ complex64 complex128"
).split():
    SPECIAL[f"numpy.{_name}"] = host.scalar

for _name in (
    "torch.jit.is_scripting",
    "torch.jit.is_tracing",
    "torch.compiler.is_compiling",
    "torch.compiler.is_dynamo_compiling",
    "torch.compiler.is_exporting",
    "torch._dynamo.is_compiling",
    "torch._utils.is_compiling",
    "torch.onnx.is_in_onnx_export",
    *(
        f"transformers.utils.{place}{name}"
        for name in ("is_torch_fx_proxy", "is_torchdynamo_compiling")
        for place in ("", "generic.", "import_utils.", "fx.")
    ),
):
    SPECIAL[_name] = environment.not_traced

for _name in ("join", "dirname", "abspath", "realpath", "normpath"):
    SPECIAL[f"os.path.{_name}"] = surroundings.path

SPECIAL[frameworks.ACCELERATOR] = environment.instance


@functools.lru_cache(maxsize=NAMES_KEPT)
def by_prefix(name: str) -> Callable[[Machine, Invocation], object] | None:
    """Families of names that share one treatment."""
    if name.startswith(distributions.PREFIX):
        return distributions.call
    if name.startswith("torch.nn.init."):
        return surroundings.initialize
    if name.startswith("tqdm.") and name.endswith((".tqdm", ".tqdm_notebook")):
        return surroundings.first_argument
    if name.startswith("torch.optim.lr_scheduler."):
        return surroundings.scheduler if name.count(".") == 3 else surroundings.nothing
    if name.endswith(".__init__") and catalog.layer(name.removesuffix(".__init__")) is not None:
        return surroundings.super_init  # `nn.Linear.__init__(self, 3, 4)`
    return None


__all__ = ["FALSE", "SPECIAL", "BoundMethod", "ClassValue", "by_prefix"]
