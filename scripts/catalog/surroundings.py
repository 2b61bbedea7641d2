"""Names that are no operations on tensors, by the effect of calling them.

Among them are streams and handles, modes, wrappers, transforms, processes.

Namespaces and names, in groups of one effect; `tests/against_torch/test_catalog_names.py` calls what can be called.
The parameters of these are not described: what they are given does not matter, or is for `torch/table.py` to look at.
"""

from __future__ import annotations

# Effects, in the words of `devls.library.records`, to namespaces and the names in them.
GROUPS: dict[str, dict[str, str]] = {
    # A Python number or bool, or nothing to hold on to.
    "number no": {
        "torch": """get_num_interop_threads is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_cache_enabled
            is_autocast_cpu_enabled is_autocast_ipu_enabled is_autocast_xla_enabled autocast_decrement_nesting
            autocast_increment_nesting sym_float sym_int sym_max sym_min sym_not sym_sqrt sym_sum sym_fresh_size
            profiler_allow_cudagraph_cupti_lazy_reinit_cuda12""",
        "torch.Tensor": """is_cpu is_cuda is_ipu is_leaf is_maia is_meta is_mkldnn is_mps is_mtia is_nested is_quantized is_sparse
            is_sparse_csr is_vulkan is_xla is_xpu itemsize nbytes ndim output_nr requires_grad retains_grad volatile""",
        "torch.nn.functional": "has_torch_function has_torch_function_unary has_torch_function_variadic",
        "torch.nn.utils.parametrize": "is_parametrized",
        "torch.amp": "is_autocast_available",
        "torch.cuda.amp": "amp_definitely_not_available",
        "torch.cuda": "is_bf16_supported is_initialized current_blas_handle current_solver_handle caching_allocator_alloc",
        "torch.mps": """current_allocated_memory device_count driver_allocated_memory is_available recommended_max_memory""",
        "torch.xpu": """can_device_access_peer clock_rate current_device device_count device_memory_used
            get_per_process_memory_fraction initial_seed is_available is_bf16_supported is_current_stream_capturing is_initialized
            is_tf32_supported max_memory_allocated max_memory_reserved memory_allocated memory_reserved memory_usage power_draw
            temperature utilization""",
        "torch.cpu": "device_count is_available is_initialized",
        "torch.accelerator": """current_device_idx current_device_index device_count is_available max_memory_allocated
            max_memory_reserved memory_allocated memory_reserved""",
        "torch.distributed": """get_global_rank get_group_rank get_node_local_rank get_pg_count get_rank get_world_size is_available
            is_backend_available is_gloo_available is_initialized is_mpi_available is_nccl_available is_torchelastic_launched
            is_ucc_available is_xccl_available supports_complex""",
        "torch.jit": "annotate isinstance onednn_fusion_enabled",
        "torch.compiler": "is_compiling is_dynamo_compiling is_exporting set_enable_guard_collectives",
        "torch.serialization": "check_module_version_greater_or_equal get_crc32_options get_default_mmap_options",
    },
    "string no": {
        "torch.cpu": "current_device",
        "torch.distributed": "get_backend get_default_backend_for_device",
        "torch.serialization": "location_tag",
        "torch.xpu": "get_device_name get_gencode_flags",
        "torch.compiler": "get_default_backend",
    },
    "shape no": {"torch": "Size", "torch.Tensor": "shape"},
    # They act on the process, not on tensors.
    "none no": {
        "torch": """clear_autocast_cache init_num_threads set_anomaly_enabled set_autocast_cache_enabled set_autocast_cpu_dtype
            set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype set_autocast_ipu_dtype
            set_autocast_ipu_enabled set_autocast_xla_dtype set_autocast_xla_enabled set_num_interop_threads set_printoptions""",
        "torch.optim.swa_utils": "update_bn",
        "torch.autograd.graph": """increment_version set_override_stale_capture_stream
            set_warn_on_accumulate_grad_stream_mismatch""",
        "torch.cuda": "caching_allocator_delete init ipc_collect set_stream",
        "torch.mps": "empty_cache manual_seed seed set_per_process_memory_fraction set_rng_state",
        "torch.xpu": """change_current_allocator empty_cache init manual_seed manual_seed_all reset_accumulated_memory_stats
            reset_peak_memory_stats seed seed_all set_device set_per_process_memory_fraction set_rng_state set_rng_state_all set_stream""",
        "torch.cpu": "set_device",
        "torch.accelerator": """empty_cache empty_host_cache reset_accumulated_memory_stats reset_peak_memory_stats
            set_device_idx set_device_index set_stream""",
        "torch.distributed": """breakpoint destroy_process_group init_process_group register_rendezvous_handler
            broadcast_object_list gather_object all_gather_object scatter_object_list send_object_list""",
        "torch.jit": "enable_onednn_fusion  save ",
        "torch.compiler": """cudagraph_mark_step_begin reset set_default_backend
            load_cache_artifacts""",
        "torch.serialization": """add_safe_globals clear_safe_globals register_package save set_crc32_options
            set_default_load_endianness validate_cuda_device validate_hpu_device""",
    },
    # They wait for the device.
    "none no sync": {
        "torch.mps": "synchronize",
        "torch.xpu": "synchronize",
        "torch.cpu": "synchronize",
        "torch.accelerator": "synchronize",
        "torch.distributed": "barrier monitored_barrier",
    },
    # Handles, settings, types, exceptions, data sets: no tensors, and nothing happens to those they are given.
    "object no": {
        "torch": """AcceleratorError BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage ComplexFloatStorage
            DeepCopyMemoTable DoubleStorage DispatchKey DispatchKeySet Event FloatStorage Future Generator GradScaler HalfStorage
            IntStorage LongStorage LoggerBase LockingLogger NoopLogger OutOfMemoryError FatalError JITException PyTorchFileReader
            PyTorchFileWriter QInt32Storage QInt8Storage QUInt2x4Storage QUInt4x2Storage QUInt8Storage ShortStorage
            Storage StorageBase Stream SymBool SymFloat SymInt Tag ThroughputBenchmark TypedStorage UntypedStorage
            ScriptModule ScriptFunction ScriptMethod ScriptObject ScriptDict ScriptList ScriptClass CompilationUnit Type
            device dtype finfo iinfo layout memory_format qscheme get_autocast_cpu_dtype get_autocast_dtype
            get_autocast_gpu_dtype get_autocast_ipu_dtype get_autocast_xla_dtype get_default_device get_default_dtype
            get_device_module manual_seed promote_types result_type thread_safe_generator parse_ir parse_schema
            parse_type_comment merge_type_from_type_comment unify_type_list classproperty""",
        "torch.Tensor": """device dtype grad_dtype grad_fn layout name qscheme
            """,
        "torch.nn": "LinearCrossEntropyOptions factory_kwargs",
        "torch.nn.functional": "ScalingType SwizzleType boolean_dispatch handle_torch_function",
        "torch.random": "manual_seed thread_safe_generator",
        "torch.nn.utils.parametrize": "type_before_parametrizations",
        "torch.optim": "Optimizer swap_in_optimizer_params_and_state",
        "torch.optim.lr_scheduler": """ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts CyclicLR ExponentialLR
            LRScheduler LambdaLR LinearLR MultiStepLR MultiplicativeLR OneCycleLR PolynomialLR ReduceLROnPlateau SequentialLR StepLR""",
        "torch.optim.swa_utils": "SWALR get_ema_avg_fn get_ema_multi_avg_fn get_swa_avg_fn get_swa_multi_avg_fn",
        "torch.autograd.graph": "GradientEdge Node get_gradient_edge register_multi_grad_hook",
        "torch.amp": "GradScaler",
        "torch.cuda.amp": "GradScaler",
        "torch.utils.data": """BatchSampler ChainDataset ConcatDataset DFIterDataPipe DataChunk DataLoader Dataset DistributedSampler
            IterDataPipe IterableDataset MapDataPipe RandomSampler Sampler SequentialSampler StackDataset Subset SubsetRandomSampler
            TensorDataset WeightedRandomSampler argument_validation get_worker_info random_split runtime_validation
            functional_datapipe guaranteed_datapipes_determinism non_deterministic""",
        "torch.utils.checkpoint": "CheckpointError CheckpointFunction CheckpointPolicy DefaultDeviceType GraphExecGroup get_device_states",
        "torch.utils.dlpack": "DLDeviceType",
        "torch.cuda": """BFloat16Storage BoolStorage ByteStorage CUDAGraph CUDAPluggableAllocator CharStorage ComplexDoubleStorage
            ComplexFloatStorage CudaError DeferredCudaCallError DoubleStorage Event ExternalStream FloatStorage GreenContext HalfStorage
            IntStorage LongStorage MemPool ShortStorage Stream cudaStatus cudart current_stream default_stream get_arch_list
            get_device_capability get_device_properties get_stream_from_external graph_pool_handle host_memory_stats
            host_memory_stats_as_nested_dict mem_get_info memory_snapshot memory_stats memory_stats_as_nested_dict""",
        "torch.mps": "Event compile_shader load_metallib",
        "torch.xpu": """Event MemPool Stream XPUGraph XPUPluggableAllocator current_stream get_arch_list get_device_capability
            get_device_properties get_stream_from_external graph_pool_handle mem_get_info memory_snapshot memory_stats
            memory_stats_as_nested_dict""",
        "torch.cpu": "Event Stream current_stream get_capabilities",
        "torch.accelerator": """Graph current_accelerator current_stream get_device_capability get_memory_info memory_stats""",
        "torch.distributed": """AllToAllOptions AllreduceCoalescedOptions AllreduceOptions Backend BackendConfig BarrierOptions
            BroadcastOptions DebugLevel DeviceMesh DistBackendError DistError DistNetworkError DistStoreError GatherOptions GroupMember
            GroupName P2POp PrefixStore ProcessGroup ProcessGroupGloo QueueEmptyError ReduceOp ReduceOptions ReduceScatterOptions
            ScatterOptions Store Work batch_isend_irecv get_backend_config get_debug_level get_process_group_ranks group init_device_mesh
            new_group new_subgroups new_subgroups_by_enumeration rendezvous shrink_group split_group recv_object_list""",
        "torch.jit": "export_opnames set_fusion_strategy Attribute CompilationUnit Error Future ScriptFunction ScriptModule ",
        "torch.compiler": "list_backends save_cache_artifacts load_compiled_function",
        "torch.serialization": """LoadEndianness SourceChangeWarning StorageType default_restore_location get_default_load_endianness
            get_safe_globals get_unsafe_globals_in_checkpoint mkdtemp normalize_storage_type storage_to_tensor_type""",
        "torch.nn.utils.rnn": "bind copy_method_params",
    },
    # Context managers, decorators, and switches that are both.
    "mode no": {
        "torch": """DisableTorchFunction DisableTorchFunctionSubclass ExcludeDispatchKeyGuard autocast enable_grad inference_mode no_grad
            set_grad_enabled DeserializationStorageContext SerializationStorageContext""",
        "torch.nn.utils.parametrize": "cached",
        "torch.autograd": """enforce_grad_layout_policy detect_anomaly enable_grad inference_mode no_grad set_detect_anomaly set_grad_enabled
            set_multithreading_enabled""",
        "torch.autograd.graph": """allow_mutation_on_saved_tensors disable_saved_tensors_hooks region_activation_memory_budget save_on_cpu
            saved_tensors_hooks""",
        "torch.amp": "autocast",
        "torch.cuda.amp": "autocast",
        "torch.utils.data": "runtime_validation_disabled",
        "torch.utils.checkpoint": "set_checkpoint_debug_enabled set_checkpoint_early_stop SelectiveCheckpointContext create_selective_checkpoint_contexts noop_context_fn",
        "torch.random": "fork_rng",
        "torch.cuda": "StreamContext caching_allocator_disabled device device_of graph stream use_mem_pool",
        "torch.xpu": "StreamContext device device_of graph stream use_mem_pool",
        "torch.cpu": "StreamContext stream",
        "torch.accelerator": "device_index",
        "torch.distributed": "record_comm",
        "torch.jit": "strict_fusion",
        "torch.compiler": "set_stance nested_compile_region",
        "torch.serialization": "safe_globals set_default_mmap_options skip_data",
    },
    # They return what they are given, or something that does the same: a compiled function, a module in a wrapper.
    "wrapper no": {
        "torch": "compile",
        "torch.nn.parallel": "DataParallel DistributedDataParallel",
        "torch.nn.utils": """convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format remove_spectral_norm
            remove_weight_norm spectral_norm weight_norm""",
        "torch.nn.utils.parametrizations": "orthogonal spectral_norm weight_norm",
        "torch.nn.utils.parametrize": """register_parametrization remove_parametrizations transfer_parametrizations_and_params""",
        "torch.optim.swa_utils": "AveragedModel",
        "torch.amp": "custom_bwd custom_fwd",
        "torch.cuda.amp": "custom_bwd custom_fwd",
        "torch.cuda": "make_graphed_callables",
        "torch.xpu": "make_graphed_callables",
        "torch.jit": """export freeze ignore interface optimize_for_inference script script_if_tracing trace trace_module unused""",
        "torch.compiler": """allow_in_graph assume_constant_result compile disable substitute_in_graph wrap_numpy
            keep_portable_guards_unsafe keep_tensor_guards_unsafe skip_all_guards_unsafe skip_guard_on_all_nn_modules_unsafe
            skip_guard_on_globals_unsafe skip_guard_on_inbuilt_nn_modules_unsafe""",
        "torch.func": "debug_unwrap functionalize replace_all_batch_norm_modules_",
    },
    # They make a function of a function; what it returns is computed from what that one does.
    "transform no": {
        "torch": "vmap",
        "torch.func": "grad grad_and_value hessian jacfwd jacrev vmap",
        "torch.nn.utils.parametrize": "ParametrizationList",
        "torch.autograd": "Function NestedIOFunction",
    },
    # They call what they are given: its result, or its derivatives.
    "call yes": {
        "torch": "cond fork wait while_loop",
        "torch.autograd.functional": "hessian hvp jacobian jvp vhp vjp",
        "torch.utils.checkpoint": "checkpoint checkpoint_sequential",
        "torch.func": "functional_call jvp linearize vjp stack_module_state rearrange",
        "torch.nn.parallel": "data_parallel gather parallel_apply replicate scatter",
        "torch.jit": "fork wait load",
        "torch.nn.utils": "fuse_conv_bn_eval fuse_linear_bn_eval skip_init",
        "torch.utils.data": "default_collate default_convert",
        "torch.nn.utils.rnn": "PackedSequence pack_padded_sequence pack_sequence pad_packed_sequence unpack_sequence",
    },
}

# They write into the tensors that they are given; what comes back is a handle, or nothing.
COLLECTIVES: dict[str, tuple[str, str]] = {
    f"torch.distributed.{name}": (parameters, f"object no writes={written}" if written else "object no")
    for name, parameters, written in (
        ("all_gather", "tensor_list[];tensor~;group=None;async_op=False", "tensor_list"),
        ("all_gather_coalesced", "output_tensor_lists[];input_tensor_list[];group=None;async_op=False", "output_tensor_lists"),
        ("all_gather_into_tensor", "output_tensor~;input_tensor~;group=None;async_op=False", "output_tensor"),
        ("all_gather_single", "output_tensor~;input_tensor~;group=None;async_op=False", "output_tensor"),
        ("all_reduce", "tensor~;op=...;group=None;async_op=False", "tensor"),
        ("all_reduce_coalesced", "tensors[];op=...;group=None;async_op=False", "tensors"),
        ("all_to_all", "output_tensor_list[];input_tensor_list[];group=None;async_op=False", "output_tensor_list"),
        ("all_to_all_single", "output~;input~;output_split_sizes=None;input_split_sizes=None;group=None;async_op=False", "output"),
        ("broadcast", "tensor~;src=None;group=None;async_op=False;group_src=None", "tensor"),
        ("gather", "tensor~;gather_list[]=None;dst=None;group=None;async_op=False;group_dst=None", "gather_list"),
        ("irecv", "tensor~;src=None;group=None;tag=0;group_src=None", "tensor"),
        ("isend", "tensor~;dst=None;group=None;tag=0;group_dst=None", ""),
        ("recv", "tensor~;src=None;group=None;tag=0;group_src=None", "tensor"),
        ("reduce", "tensor~;dst=None;op=...;group=None;async_op=False;group_dst=None", "tensor"),
        ("reduce_scatter", "output~;input_list[];op=...;group=None;async_op=False", "output"),
        ("reduce_scatter_single", "output~;input~;op=...;group=None;async_op=False", "output"),
        ("reduce_scatter_tensor", "output~;input~;op=...;group=None;async_op=False", "output"),
        ("scatter", "tensor~;scatter_list[]=None;src=None;group=None;async_op=False;group_src=None", "tensor"),
        ("send", "tensor~;dst=None;group=None;tag=0;group_dst=None", ""),
    )
}  # fmt: skip

# Tensors, made by what is no operator: state of generators, classes, removed and built-in-only functions.
TENSORS: dict[str, dict[str, str]] = {
    "cpu-tensor no rank=some dtype=int": {
        "torch.mps": "get_rng_state",
        "torch.xpu": "get_rng_state get_rng_state_all",
        "torch.cuda": "get_rng_state_all",
    },
    "new no": {"torch.cuda": "BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor"},
    "cpu-tensor no": {"torch": "BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor Tensor"},
}  # fmt: skip


def surroundings() -> dict[str, dict[str, str]]:
    """Effects to namespaces to names, in one line each, sorted."""
    found: dict[str, dict[str, str]] = {}
    for effects, spaces in {**GROUPS, **TENSORS}.items():
        lines = {
            space: " ".join(sorted(names.split())) for space, names in sorted(spaces.items()) if names.strip()
        }
        found[effects] = lines
    return dict(sorted(found.items()))
