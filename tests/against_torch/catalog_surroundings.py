"""Run in a process of its own: call what is no operation on tensors, and say what came of it.

Prints JSON, name to the kind of what came back ("number", "string", "none", "object", "mode", "callable", "tensors"), or to
"! why" where this machine or this build of torch cannot run it.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import signal
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[2] / each) for each in ("server", "tests", "scripts")]

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from torch import nn  # noqa: E402

from devls.library import records  # noqa: E402

# Names that must not be called here: they wait for others, load kernels of devices, end processes, or break this one.
LEFT_OUT = {
    "torch.distributed.breakpoint", "torch.distributed.destroy_process_group", "torch.distributed.recv_object_list",
    "torch.distributed.send_object_list", "torch.cuda.caching_allocator_delete", "torch.xpu.change_current_allocator",
    "torch.distributed.init_process_group", "torch.init_num_threads", "torch.set_num_interop_threads", "torch.cpu.set_device",
    "torch.distributed.record_comm", "torch.ThroughputBenchmark", "torch.autocast_decrement_nesting",
    "torch.autocast_increment_nesting", "torch.distributed.shrink_group", "torch.distributed.rendezvous",
    "torch.autograd.graph.region_activation_memory_budget", "torch.distributed.split_group",
}  # fmt: skip


def _module() -> nn.Module:
    return nn.Linear(3, 3)


def _optimizer() -> torch.optim.Optimizer:
    return torch.optim.SGD(_module().parameters(), lr=0.1)


def _square(x: torch.Tensor) -> torch.Tensor:
    return (x * x).sum()


def _scalar_pair(x: torch.Tensor) -> torch.Tensor:
    return x * 2


X = torch.rand(3)
IR = "graph(%x : Tensor):\n  return (%x)\n"
DATA = torch.utils.data.TensorDataset(torch.rand(4, 2))


def samples() -> dict[str, tuple[Any, ...]]:
    """Arguments where there have to be some."""
    conv, norm = nn.Conv2d(2, 2, 1).eval(), nn.BatchNorm2d(2).eval()
    folder = tempfile.mkdtemp()
    scripted = torch.jit.script(_module())
    torch.jit.save(scripted, f"{folder}/scripted.pt")
    torch.save({"x": X}, f"{folder}/x.pt")
    sequences = [torch.rand(3, 2), torch.rand(2, 2)]
    packed = nn.utils.rnn.pack_sequence(sequences)
    group = dist.group.WORLD
    normed = nn.utils.weight_norm(_module())
    spectral = nn.utils.spectral_norm(_module())
    parametrized = nn.utils.parametrizations.weight_norm(_module())
    optim, schedule = torch.optim, torch.optim.lr_scheduler
    loader = torch.utils.data.DataLoader([torch.rand(2, 3)])
    dataset: Any = [1, 2, 3, 4]
    found: dict[str, tuple[Any, ...]] = {
        "torch.sym_float": (1,), "torch.sym_int": (1.0,), "torch.sym_max": (1, 2), "torch.sym_min": (1, 2), "torch.sym_not": (True,),
        "torch.sym_sqrt": (4.0,), "torch.sym_sum": ([1, 2],), "torch.set_anomaly_enabled": (False,),
        "torch.set_autocast_cache_enabled": (True,), "torch.set_autocast_cpu_dtype": (torch.bfloat16,),
        "torch.set_autocast_cpu_enabled": (False,), "torch.set_autocast_dtype": ("cpu", torch.bfloat16),
        "torch.set_autocast_enabled": ("cpu", False), "torch.get_autocast_dtype": ("cpu",), "torch.promote_types": (torch.int32, torch.float32),
        "torch.result_type": (X, 1), "torch.manual_seed": (0,), "torch.finfo": (torch.float32,), "torch.iinfo": (torch.int32,),
        "torch.device": ("cpu",), "torch.Size": ([1],), "torch.get_device_module": ("cpu",), "torch.parse_schema": ("f(Tensor x) -> Tensor",),
        "torch.parse_ir": (IR,), "torch.UntypedStorage": (4,), "torch.classproperty": (lambda _: 1,),
        "torch.nn.functional.has_torch_function": ([X],), "torch.nn.functional.has_torch_function_unary": (X,),
        "torch.nn.functional.has_torch_function_variadic": (X, X), "torch.nn.utils.parametrize.is_parametrized": (_module(),),
        "torch.nn.utils.parametrize.type_before_parametrizations": (_module(),), "torch.amp.is_autocast_available": ("cpu",),
        "torch.amp.autocast": ("cpu",), "torch.autocast": ("cpu",), "torch.amp.GradScaler": ("cpu",), "torch.GradScaler": ("cpu",),
        "torch.amp.custom_fwd": (_square,), "torch.amp.custom_bwd": (_square,), "torch.cuda.amp.custom_fwd": (_square,),
        "torch.cuda.amp.custom_bwd": (_square,), "torch.set_grad_enabled": (True,), "torch.autograd.set_grad_enabled": (True,),
        "torch.autograd.set_detect_anomaly": (False,), "torch.autograd.set_multithreading_enabled": (True,),
        "torch.autograd.graph.saved_tensors_hooks": (lambda x: x, lambda x: x), "torch.autograd.graph.increment_version": (torch.rand(2),),
        "torch.autograd.graph.disable_saved_tensors_hooks": ("message",), "torch.optim.swa_utils.update_bn": (loader, _module()),
        "torch.autograd.graph.get_gradient_edge": (torch.rand(2, requires_grad=True),),
        "torch.autograd.graph.register_multi_grad_hook": ([torch.rand(2, requires_grad=True)], lambda _: None),
        "torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch": (True,),
        "torch.utils.checkpoint.set_checkpoint_debug_enabled": (None,), "torch.utils.checkpoint.set_checkpoint_early_stop": (True,),
        "torch.utils.checkpoint.checkpoint": (_square, X, "use_reentrant=False"),
        "torch.utils.checkpoint.checkpoint_sequential": ([_module(), _module()], 1, X, "use_reentrant=False"),
        "torch.utils.checkpoint.get_device_states": (X,), "torch.utils.checkpoint.noop_context_fn": (),
        "torch.utils.checkpoint.create_selective_checkpoint_contexts": ([],),
        "torch.jit.isinstance": (1, int), "torch.jit.annotate": (int, 1), "torch.jit.Attribute": (1, int), "torch.jit.export": (_square,),
        "torch.jit.ignore": (_square,), "torch.jit.unused": (_square,), "torch.jit.script": (_module(),),
        "torch.jit.script_if_tracing": (_square,), "torch.jit.trace": (_module(), X), "torch.jit.trace_module": (_module(), {"forward": X}),
        "torch.jit.freeze": (torch.jit.script(_module().eval()),), "torch.jit.optimize_for_inference": (torch.jit.script(_module().eval()),),
        "torch.jit.save": (scripted, f"{folder}/again.pt"), "torch.jit.load": (f"{folder}/scripted.pt",), "torch.jit.interface": (),
        "torch.jit.enable_onednn_fusion": (False,), "torch.jit.export_opnames": (scripted,), "torch.jit.set_fusion_strategy": ([("STATIC", 2)],),
        "torch.jit.fork": (_scalar_pair, X), "torch.jit.wait": (torch.jit.fork(_scalar_pair, X),), "torch.fork": (_scalar_pair, X),
        "torch.wait": (torch.jit.fork(_scalar_pair, X),), "torch.jit.CompilationUnit": (), "torch.CompilationUnit": (),
        "torch.compile": (_square,), "torch.compiler.compile": (_square,), "torch.compiler.disable": (_square,),
        "torch.compiler.allow_in_graph": (_square,), "torch.compiler.assume_constant_result": (_square,),
        "torch.compiler.wrap_numpy": (_square,), "torch.compiler.set_stance": ("default",), "torch.compiler.set_default_backend": ("eager",),
        "torch.compiler.set_enable_guard_collectives": (False,), "torch.compiler.nested_compile_region": (_square,),
        "torch.vmap": (_scalar_pair,), "torch.cond": (True, _scalar_pair, _scalar_pair, (X,)),
        **{f"torch.func.{each}": (_square,) for each in ("grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "vmap", "functionalize", "debug_unwrap")},
        "torch.func.jvp": (_square, (X,), (X,)), "torch.func.vjp": (_square, X), "torch.func.linearize": (_square, X),
        "torch.func.functional_call": (_module(), {}, (X,)), "torch.func.replace_all_batch_norm_modules_": (_module(),),
        "torch.func.stack_module_state": ([_module(), _module()],), "torch.func.rearrange": (torch.rand(2, 3), "a b -> b a"),
        "torch.autograd.functional.hessian": (_square, X), "torch.autograd.functional.jacobian": (_square, X),
        **{f"torch.autograd.functional.{each}": (_square, X, X) for each in ("hvp", "vhp", "jvp")}, "torch.autograd.functional.vjp": (_square, X),
        "torch.optim.Optimizer": (_module().parameters(), {}), "torch.optim.swa_utils.AveragedModel": (_module(),),
        "torch.optim.swa_utils.SWALR": (_optimizer(), 0.1), "torch.optim.lr_scheduler.LambdaLR": (_optimizer(), lambda _: 1.0),
        "torch.optim.lr_scheduler.MultiplicativeLR": (_optimizer(), lambda _: 1.0), "torch.optim.lr_scheduler.StepLR": (_optimizer(), 1),
        "torch.optim.lr_scheduler.MultiStepLR": (_optimizer(), [1]), "torch.optim.lr_scheduler.ConstantLR": (_optimizer(),),
        "torch.optim.lr_scheduler.LinearLR": (_optimizer(),), "torch.optim.lr_scheduler.ExponentialLR": (_optimizer(), 0.9),
        "torch.optim.lr_scheduler.PolynomialLR": (_optimizer(),), "torch.optim.lr_scheduler.CosineAnnealingLR": (_optimizer(), 2),
        "torch.optim.lr_scheduler.CosineAnnealingWarmRestarts": (_optimizer(), 2),
        "torch.optim.lr_scheduler.CyclicLR": (optim.SGD(_module().parameters(), lr=0.1, momentum=0.9), 0.1, 0.2),
        "torch.optim.lr_scheduler.OneCycleLR": (_optimizer(), 0.1, 4), "torch.optim.lr_scheduler.ReduceLROnPlateau": (_optimizer(),),
        "torch.optim.lr_scheduler.LRScheduler": (), "torch.optim.lr_scheduler.ChainedScheduler": ([schedule.StepLR(_optimizer(), 1)],),
        "torch.optim.lr_scheduler.SequentialLR": (o := _optimizer(), [schedule.StepLR(o, 1)], []),
        "torch.utils.data.TensorDataset": (torch.rand(2, 2),), "torch.utils.data.ConcatDataset": ([dataset, dataset],),
        "torch.utils.data.ChainDataset": ([dataset],), "torch.utils.data.StackDataset": (dataset, dataset), "torch.utils.data.Subset": (dataset, [0]),
        "torch.utils.data.DataLoader": (dataset,), "torch.utils.data.RandomSampler": (dataset,), "torch.utils.data.SequentialSampler": (dataset,),
        "torch.utils.data.SubsetRandomSampler": ([0],), "torch.utils.data.WeightedRandomSampler": ([1.0], 1),
        "torch.utils.data.BatchSampler": ([0, 1], 1, False), "torch.utils.data.DistributedSampler": (dataset, 1, 0), "torch.utils.data.random_split": (dataset, [1, 3]),
        "torch.utils.data.default_collate": ([X, X],), "torch.utils.data.default_convert": ([1.0],), "torch.utils.data.DataChunk": ([1],),
        "torch.nn.utils.weight_norm": (_module(),), "torch.nn.utils.spectral_norm": (_module(),), "torch.nn.utils.remove_weight_norm": (normed,),
        "torch.nn.utils.remove_spectral_norm": (spectral,), "torch.nn.utils.parametrizations.weight_norm": (_module(),),
        "torch.nn.utils.parametrizations.spectral_norm": (_module(),), "torch.nn.utils.parametrizations.orthogonal": (_module(),),
        "torch.nn.utils.parametrize.register_parametrization": (_module(), "weight", nn.Identity()),
        "torch.nn.utils.parametrize.remove_parametrizations": (parametrized, "weight"),
        "torch.nn.utils.parametrize.transfer_parametrizations_and_params": (nn.utils.parametrizations.weight_norm(_module()), _module()),
        "torch.nn.utils.convert_conv2d_weight_memory_format": (nn.Conv2d(1, 1, 1), torch.channels_last),
        "torch.nn.utils.convert_conv3d_weight_memory_format": (nn.Conv3d(1, 1, 1), torch.channels_last_3d),
        "torch.nn.utils.fuse_conv_bn_eval": (conv, norm), "torch.nn.utils.fuse_linear_bn_eval": (nn.Linear(2, 2).eval(), nn.BatchNorm1d(2).eval()),
        "torch.nn.utils.skip_init": (nn.Linear, 2, 2), "torch.nn.utils.rnn.pack_sequence": (sequences,),
        "torch.nn.utils.rnn.pack_padded_sequence": (torch.rand(3, 2, 2), torch.tensor([3, 2])), "torch.nn.utils.rnn.pad_packed_sequence": (packed,),
        "torch.nn.utils.rnn.unpack_sequence": (packed,), "torch.nn.utils.rnn.PackedSequence": (torch.rand(3, 2), torch.tensor([2, 1])),
        "torch.nn.DataParallel": (_module(),), "torch.nn.parallel.DataParallel": (_module(),),
        "torch.nn.parallel.DistributedDataParallel": (_module(),),
        "torch.serialization.check_module_version_greater_or_equal": (torch, (1, 0)), "torch.serialization.location_tag": (X.untyped_storage(),),
        "torch.serialization.add_safe_globals": ([],), "torch.serialization.safe_globals": ([],), "torch.serialization.skip_data": (),
        "torch.serialization.set_crc32_options": (True,), "torch.serialization.set_default_mmap_options": (2,),
        "torch.serialization.set_default_load_endianness": (None,), "torch.serialization.save": (X, f"{folder}/y.pt"),
        "torch.serialization.get_unsafe_globals_in_checkpoint": (f"{folder}/x.pt",), "torch.serialization.normalize_storage_type": (torch.FloatStorage,),
        "torch.serialization.storage_to_tensor_type": (torch.FloatStorage(1),), "torch.serialization.default_restore_location": (X.untyped_storage(), "cpu"),
        "torch.serialization.register_package": (99, lambda _: None, lambda *_: None), "torch.random.manual_seed": (0,),
        "torch.cpu.stream": (torch.cpu.Stream(),), "torch.cpu.StreamContext": (torch.cpu.Stream(),), "torch.random.fork_rng": ([],),
        "torch.distributed.get_global_rank": (group, 0), "torch.distributed.get_group_rank": (group, 0), "torch.distributed.is_backend_available": ("gloo",),
        "torch.distributed.supports_complex": (dist.ReduceOp.SUM,), "torch.distributed.get_default_backend_for_device": ("cpu",),
        "torch.distributed.broadcast_object_list": ([1],), "torch.distributed.gather_object": (1, [None]), "torch.distributed.all_gather_object": ([None], 1),
        "torch.distributed.scatter_object_list": ([None], [1]), "torch.distributed.Backend": ("gloo",), "torch.distributed.BackendConfig": (dist.Backend("gloo"),),
        "torch.distributed.PrefixStore": ("p", dist.HashStore()), "torch.distributed.get_process_group_ranks": (group,),
        "torch.distributed.new_subgroups": (1,), "torch.distributed.new_subgroups_by_enumeration": ([[0]],), "torch.distributed.new_group": ([0],),
        "torch.distributed.init_device_mesh": ("cpu", (1,)), "torch.distributed.DeviceMesh": ("cpu", [0]), "torch.distributed.P2POp": (dist.isend, X, 0, group),
        "torch.distributed.ProcessGroup": (0, 1), "torch.distributed.register_rendezvous_handler": ("ours", lambda: None),
        "torch.distributed.GroupName": ("x",), "torch.mps.set_per_process_memory_fraction": (1.0,), "torch.cuda.is_initialized": (),
        "torch.xpu.manual_seed": (0,), "torch.xpu.manual_seed_all": (0,), "torch.mps.manual_seed": (0,), "torch.accelerator.device_index": (None,),
        "torch.set_printoptions": (4,), "torch.is_autocast_enabled": (), "torch.cuda.device": (-1,), "torch.cuda.device_of": (X,),
        "torch.cuda.StreamContext": (None,), "torch.cuda.stream": (None,), "torch.xpu.device": (-1,), "torch.xpu.stream": (None,), "torch.xpu.StreamContext": (None,),
        "torch.xpu.device_of": (X,), "torch.utils.checkpoint.SelectiveCheckpointContext": (), "torch.autograd.Function": (),
        "torch.compiler.substitute_in_graph": (_square,), "torch.nn.factory_kwargs": ({},), "torch.func.hessian": (_square,),
        "torch.merge_type_from_type_comment": (), "torch.optim.swap_in_optimizer_params_and_state": (), "torch.distributed.batch_isend_irecv": (),
        **{f"torch.compiler.{each}": ([],) for each in ("keep_portable_guards_unsafe", "keep_tensor_guards_unsafe", "skip_all_guards_unsafe",
           "skip_guard_on_all_nn_modules_unsafe", "skip_guard_on_globals_unsafe", "skip_guard_on_inbuilt_nn_modules_unsafe")},
        **{f"torch.distributed.{each}": arguments for each, arguments in _collectives().items()},
    }  # fmt: skip
    return found


def _collectives() -> dict[str, tuple[Any, ...]]:
    t = torch.rand
    return {
        "all_gather": ([t(2)], t(2)), "all_gather_into_tensor": (t(2), t(2)), "all_reduce": (t(2),), "all_reduce_coalesced": ([t(2)],),
        "broadcast": (t(2), 0), "gather": (t(2), [t(2)]), "reduce": (t(2), 0), "reduce_scatter": (t(2), [t(2)]), "scatter": (t(2), [t(2)]),
        "reduce_scatter_tensor": (t(2), t(2)), "all_to_all_single": (t(2), t(2)), "all_to_all": ([t(2)], [t(2)]), "all_gather_coalesced": ([[t(2)]], [t(2)]),
        "all_gather_single": (t(2), t(2)), "reduce_scatter_single": (t(2), t(2)),
    }  # fmt: skip


def kind(value: Any) -> str:
    """Kind of a result, in the words of the catalog."""
    if value is None:
        return "none"
    if isinstance(value, (bool, int, float, torch.SymInt)):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, torch.Tensor) or (
        isinstance(value, tuple) and any(isinstance(each, torch.Tensor) for each in value)
    ):
        return "tensors"
    if isinstance(value, torch.Size):
        return "shape"
    if hasattr(value, "__enter__") and not isinstance(value, nn.Module):
        return "mode"
    return "callable" if callable(value) else "object"


def attempt(name: str, value: Any, given: dict[str, tuple[Any, ...]]) -> str:
    """The kind of what a call gives, or why there is none."""
    if name in LEFT_OUT:
        return "! not called: it would wait for others, or change this process"
    arguments = list(given.get(name, ()))
    keywords = dict(
        each.split("=") for each in arguments if isinstance(each, str) and each.startswith("use_reentrant")
    )
    arguments = [
        each for each in arguments if not (isinstance(each, str) and each.startswith("use_reentrant"))
    ]
    if name.startswith("torch.Tensor."):
        return kind(getattr(torch.rand(2), name.rpartition(".")[2]))
    if inspect.isclass(value) and issubclass(value, BaseException):
        return "object"
    try:
        return kind(value(*arguments, **{key: each == "True" for key, each in keywords.items()}))
    except BaseException as error:  # noqa: BLE001  whatever it is, it is why there is no answer
        return f"! {type(error).__name__}: {str(error).splitlines()[0][:90] if str(error) else ''}"


def _found(name: str) -> Any:
    value: Any = torch
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
    return value


def _stop(*_: object) -> None:
    raise TimeoutError("it takes too long")


def main() -> None:
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _stop)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    store = dist.HashStore()
    dist.init_process_group("gloo", store=store, rank=0, world_size=1)
    given = samples()
    names = [*records.surroundings(), *(f"torch.distributed.{each}" for each in _collectives())]
    results = {}
    with contextlib.redirect_stderr(io.StringIO()):
        for name in names:
            signal.alarm(10)
            try:
                results[name] = attempt(name, _found(name), given)
            except TimeoutError:
                results[name] = "! it takes too long"
            finally:
                signal.alarm(0)
    out.write(json.dumps(results) + "\n")
    out.flush()
    os._exit(0)  # threads of process groups may still wait


if __name__ == "__main__":
    main()
