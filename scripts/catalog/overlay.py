"""What torch's declarations do not say, by hand, each group with its reason.

The texts are those of `devls.library.records`: parameters, then effects. `tests/against_torch` runs what can be run.
"""

from __future__ import annotations

# Callables that are hand-coded in torch's binding layer, so that no declaration describes them:
# parameters and effects in full.
WHOLE: dict[str, tuple[str, str]] = {
    # The data may be anything, tensors included (their graph is cut); a tensor's device is not inherited
    # by `torch.tensor` of a list, but is by `torch.tensor(t)`: the engine decides.
    "torch.tensor": ("data;*;dtype=None;device=None;requires_grad=False;pin_memory=False", "new no"),
    "torch.as_tensor": ("data;dtype=None;device=None", "new yes"),
    "torch.asarray": ("obj;*;dtype=None;device=None;copy=None;requires_grad=False", "new yes"),
    "torch.from_numpy": ("ndarray", "cpu-tensor no"),
    "torch.frombuffer": ("buffer;*;dtype;count=-1;offset=0;requires_grad=False", "cpu-tensor no rank=some"),
    "torch.from_file": (
        "filename;shared=None;size=0;*;dtype=None;layout=None;device=None;pin_memory=None;requires_grad=False",
        "new no rank=some dtype=argument",
    ),
    "torch.utils.dlpack.from_dlpack": ("ext_tensor;*;device=None;copy=None", "unknown unknown saves=?"),
    "torch.from_dlpack": ("ext_tensor;*;device=None;copy=None", "unknown unknown saves=?"),
    "torch.numel": ("input~", "number no"),
    "torch.get_device": ("input~", "number no"),
    "torch.spmm": ("input!;mat2!", "tensor yes saves=input,mat2|input,mat2 rank=some"),
    "torch.dsmm": ("input!;mat2!", "tensor yes saves=input,mat2|input,mat2 rank=some"),
    "torch.hsmm": ("input!;mat2!", "tensor yes saves=input,mat2|input,mat2 rank=some"),
    "torch.saddmm": ("input!;mat1!;mat2!;*;beta=1;alpha=1", "tensor yes saves=mat1,mat2|mat1,mat2 rank=some"),
    "torch.to_dlpack": ("tensor~", "unknown no"),
    "torch.utils.dlpack.to_dlpack": ("tensor~", "unknown no"),
    "torch.is_grad_enabled": ("", "number no"),
    "torch.is_inference_mode_enabled": ("", "number no"),
    "torch.is_autocast_enabled": ("device_type=None", "number no"),
    "torch.get_num_threads": ("", "number no"),
    "torch.set_num_threads": ("num", "none no"),
    "torch.get_default_dtype": ("", "unknown no"),
    "torch.set_flush_denormal": ("mode", "number no"),
    "torch.Tensor.size": ("self~;dim=None", "shape no"),
    "torch.Tensor.stride": ("self~;dim=None", "shape no"),
    "torch.Tensor.ndimension": ("self~", "number no"),
    "torch.Tensor.nelement": ("self~", "number no"),
    "torch.Tensor.element_size": ("self~", "number no"),
    "torch.Tensor.data_ptr": ("self~", "number no"),
    "torch.Tensor.const_data_ptr": ("self~", "number no"),
    "torch.Tensor.as_subclass": ("self~;cls", "view yes rank=same dtype=same"),
    "torch.Tensor.new": ("self~;*args;device=None", "like no"),
    "torch.Tensor.new_tensor": (
        "self?;data;*;dtype=None;device=None;requires_grad=False;layout=None;pin_memory=False", "like no",
    ),
    "torch.Tensor.untyped_storage": ("self~", "unknown no"),
    "torch.Tensor.map_": ("self~;tensor~;callable", "self no writes=self rank=same dtype=same"),
    "torch.Tensor.map2_": ("self~;x~;y~;callable", "self no writes=self rank=same dtype=same"),
    "torch.Tensor.apply_": ("self~;callable", "self no writes=self rank=same dtype=same"),
    "torch.Tensor.requires_grad_": ("self~;requires_grad=True", "self yes rank=same dtype=same"),
    "torch.Tensor.detach": ("self~", "view no rank=same dtype=same"),
    "torch.detach": ("input~", "view no rank=same dtype=same"),
    "torch.Tensor.detach_": ("self~", "self no rank=same dtype=same"),
    "torch.detach_": ("input~", "self no rank=same dtype=same"),
    "torch.Tensor.retain_grad": ("self~", "none no"),
    "torch.Tensor.backward": ("self~;gradient?=None;retain_graph=None;create_graph=False;inputs=None", "none no"),
    "torch.Tensor.register_hook": ("self~;hook", "unknown no"),
    "torch.Tensor.register_post_accumulate_grad_hook": ("self~;hook", "unknown no"),
    "torch.Tensor.share_memory_": ("self~", "self yes rank=same dtype=same"),
    "torch.Tensor.is_shared": ("self~", "number no"),
    "torch.Tensor.storage": ("self~", "unknown no"),
    "torch.Tensor.storage_type": ("self~", "unknown no"),
    "torch.Tensor.data": ("self~", "view no rank=same dtype=same"),
    "torch.Tensor.T": ("self~", "view yes rank=same dtype=same"),
    "torch.Tensor.mT": ("self~", "view yes rank=same dtype=same"),
    "torch.Tensor.H": ("self~", "view yes rank=same dtype=same"),
    "torch.Tensor.mH": ("self~", "view yes rank=same dtype=same"),
    "torch.Tensor.real": ("self~", "view yes rank=same dtype=float"),
    "torch.Tensor.imag": ("self~", "view yes rank=same dtype=float"),
    "torch.Tensor.copy_": ("self~;src?;non_blocking=False", "self yes writes=self rank=same dtype=same"),
    "torch.autograd.backward": (
        "tensors[];grad_tensors?=None;retain_graph=None;create_graph=False;grad_variables=None;inputs=None", "none no",
    ),
    "torch.autograd.grad": (
        "outputs[];inputs[];grad_outputs[]=None;retain_graph=None;create_graph=False;only_inputs=True;"
        "allow_unused=None;is_grads_batched=False;materialize_grads=False",
        "tensors unknown saves=?",
    ),
    "torch.is_tensor": ("obj", "number no"),
    "torch.is_storage": ("obj", "number no"),
    "torch.typename": ("obj", "string no"),
    "torch.manual_seed": ("seed", "unknown no"),
    "torch.seed": ("", "number no"),
    "torch.initial_seed": ("", "number no"),
    "torch.get_rng_state": ("", "cpu-tensor no rank=some dtype=int"),
    "torch.set_rng_state": ("new_state", "none no"),
    "torch.save": ("obj;f;pickle_module=...;pickle_protocol=2;_use_new_zipfile_serialization=True;_disable_byteorder_record=False", "none no"),
    "torch.load": ("f;map_location=None;pickle_module=None;*;weights_only=None;mmap=None;**pickle_load_args", "unknown unknown saves=?"),
    "torch.broadcast_shapes": ("*shapes", "shape no"),
}  # fmt: skip

# They read the values, which on an accelerator waits for it.
HOST: dict[str, tuple[str, str]] = {
    "torch.Tensor.item": ("self~", "host-scalar no sync"),
    "torch.Tensor.__bool__": ("self~", "host-scalar no sync"),
    "torch.Tensor.__float__": ("self~", "host-scalar no sync"),
    "torch.Tensor.__int__": ("self~", "host-scalar no sync"),
    "torch.Tensor.__index__": ("self~", "host-scalar no sync"),
    "torch.Tensor.__complex__": ("self~", "host-scalar no sync"),
    "torch.Tensor.__contains__": ("self~;element~", "host-scalar no sync"),
    "torch.Tensor.__format__": ("self~;format_spec", "string no sync"),
    "torch.Tensor.__repr__": ("self~;*;tensor_contents=None", "string no sync"),
    "torch.Tensor.__len__": ("self~", "number no"),
    "torch.Tensor.tolist": ("self~", "host-list no sync"),
    "torch.Tensor.numpy": ("self~;*;force=False", "host-array no sync"),
    "torch.Tensor.__array__": ("self~;dtype=None", "host-array no sync"),
    "torch.Tensor.is_nonzero": ("self~", "host-scalar no sync"),
    "torch.is_nonzero": ("input~", "host-scalar no sync"),
    "torch.Tensor.equal": ("self!;other!", "host-scalar no sync"),
    "torch.equal": ("input!;other!", "host-scalar no sync"),
    "torch.Tensor.allclose": ("self~;other~;rtol=1e-05;atol=1e-08;equal_nan=False", "host-scalar no sync"),
    "torch.allclose": ("input~;other~;rtol=1e-05;atol=1e-08;equal_nan=False", "host-scalar no sync"),
}

# A cast records the graph and returns the tensor itself when there is nothing to do; `TENSOR` is the careful reading
# (moves are the engine's own business, the records give the signatures).
CASTS = {
    "bfloat16": "float", "bool": "bool", "byte": "int", "cdouble": "float", "cfloat": "float", "char": "int",
    "double": "float", "float": "float", "half": "float", "int": "int", "long": "int", "short": "int", "chalf": "float",
}  # fmt: skip
MOVES: dict[str, tuple[str, str]] = {
    "torch.Tensor.to": (
        "self?;device=None;dtype=None;non_blocking=False;copy=False;*;memory_format=None;other?=None",
        "tensor yes rank=same dtype=argument-or-same",
    ),
    "torch.Tensor.cpu": ("self?;memory_format=None", "tensor yes rank=same dtype=same"),
    **{
        f"torch.Tensor.{each}": (
            "self?;device=None;non_blocking=False;memory_format=None", "tensor yes rank=same dtype=same",
        )
        for each in ("cuda", "xpu", "ipu", "mtia")
    },
    "torch.Tensor.type": ("self?;dtype=None;non_blocking=False;**kwargs", "tensor yes rank=same"),
    "torch.Tensor.type_as": ("self?;other?", "tensor yes rank=same"),
    "torch.Tensor.pin_memory": ("self?;device=None", "tensor yes rank=same dtype=same"),
}  # fmt: skip

# Python functions of torch without annotations.
PYTHON: dict[str, tuple[str, str]] = {
    **{
        f"torch.nn.functional.{each}_with_indices": (
            "input!;kernel_size;stride=None;padding=0;dilation=1;ceil_mode=False;return_indices=False",
            "tensors yes outputs=yes,no saves=input,result1 rank=same",
        )
        for each in ("max_pool1d", "max_pool2d", "max_pool3d")
    },
    **{
        f"torch.nn.functional.{each}_with_indices": (
            "input!;output_size;return_indices=False", "tensors yes outputs=yes,no saves=input,result1 rank=same",
        )
        for each in ("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")
    },
    **{f"torch.signal.windows.{each}": ("M;*;sym=True;dtype=None;layout=None;device=None;requires_grad=False", "new no rank=some dtype=argument") for each in ("bartlett", "blackman", "cosine", "hamming", "hann", "nuttall")},
    "torch.signal.windows.exponential": ("M;*;center=None;tau=1.0;sym=True;dtype=None;layout=None;device=None;requires_grad=False", "new no rank=some dtype=argument"),
    "torch.signal.windows.gaussian": ("M;*;std=1.0;sym=True;dtype=None;layout=None;device=None;requires_grad=False", "new no rank=some dtype=argument"),
    "torch.signal.windows.kaiser": ("M;*;beta=12.0;sym=True;dtype=None;layout=None;device=None;requires_grad=False", "new no rank=some dtype=argument"),
    "torch.signal.windows.general_cosine": ("M;*;a;sym=True;dtype=None;layout=None;device=None;requires_grad=False", "new no rank=some dtype=argument"),
    "torch.signal.windows.general_hamming": ("M;*;alpha=0.54;sym=True;dtype=None;layout=None;device=None;requires_grad=False", "new no rank=some dtype=argument"),
    "torch.einsum": ("equation;*operands!", "tensor yes saves=operands|operands dtype=promoted"),
    "torch.split": ("tensor!;split_size_or_sections;dim=0", "views yes rank=same dtype=same"),
    "torch.Tensor.split": ("self!;split_size;dim=0", "views yes rank=same dtype=same"),
    "torch.norm": ("input!;p='fro';dim=None;keepdim=False;out=None;dtype=None", "tensor yes saves=input,result rank=reduced dtype=float"),
    "torch.Tensor.norm": ("self!;p='fro';dim=None;keepdim=False;dtype=None", "tensor yes saves=self,result rank=reduced dtype=float"),
    "torch.cdist": ("x1!;x2!;p=2.0;compute_mode='use_mm_for_euclid_dist_if_necessary'", "tensor yes saves=? rank=some dtype=float"),
    "torch.tensordot": ("a!;b!;dims=2;out=None", "tensor yes saves=a,b|a,b dtype=promoted"),
    "torch.chain_matmul": ("*matrices!;out=None", "tensor yes saves=?"),
    "torch.meshgrid": ("*tensors[];indexing=None", "views yes rank=some dtype=same"),
    "torch.broadcast_tensors": ("*tensors?", "views yes dtype=same"),
    "torch.atleast_1d": ("*tensors?", "view yes rank=some dtype=same"),
    "torch.atleast_2d": ("*tensors?", "view yes rank=some dtype=same"),
    "torch.atleast_3d": ("*tensors?", "view yes rank=some dtype=same"),
    "torch.block_diag": ("*tensors[]", "tensor yes rank=some dtype=promoted"),
    "torch.cartesian_prod": ("*tensors[]", "tensor yes rank=some dtype=same"),
    "torch.unique": ("input!;sorted=True;return_inverse=False;return_counts=False;dim=None", "tensor no rank=some dtype=same sync"),
    "torch.unique_consecutive": ("input!;return_inverse=False;return_counts=False;dim=None", "tensor no rank=some dtype=same sync"),
    "torch.Tensor.unique": ("self!;sorted=True;return_inverse=False;return_counts=False;dim=None", "tensor no rank=some dtype=same sync"),
    "torch.Tensor.unique_consecutive": ("self!;return_inverse=False;return_counts=False;dim=None", "tensor no rank=some dtype=same sync"),
    "torch.unravel_index": ("indices!;shape", "tensors no dtype=int"),
    "torch.Tensor.__reversed__": ("self!", "tensor yes rank=same dtype=same"),
    "torch.nn.utils.rnn.pad_sequence": ("sequences[];batch_first=False;padding_value=0.0;padding_side='right'", "tensor yes rank=some dtype=same"),
    "torch.nn.utils.rnn.pack_padded_sequence": ("input!;lengths?;batch_first=False;enforce_sorted=True", "unknown unknown saves=?"),
    "torch.nn.utils.rnn.pad_packed_sequence": ("sequence;batch_first=False;padding_value=0.0;total_length=None", "unknown unknown saves=?"),
    "torch.nn.utils.parameters_to_vector": ("parameters[]", "tensor yes rank=some dtype=same"),
    "torch.nn.utils.clip_grad_norm_": (
        "parameters;max_norm;norm_type=2.0;error_if_nonfinite=False;foreach=None", "tensor no rank=scalar dtype=float",
    ),
    "torch.nn.utils.clip_grad_value_": ("parameters;clip_value;foreach=None", "none no"),
    "torch.nn.utils.get_total_norm": (
        "tensors[];norm_type=2.0;error_if_nonfinite=False;foreach=None", "tensor yes saves=? rank=scalar dtype=float",
    ),
    "torch.nn.functional.multi_head_attention_forward": (
        "query!;key!;value!;embed_dim_to_check;num_heads;in_proj_weight!;in_proj_bias!;bias_k!;bias_v!;add_zero_attn;"
        "dropout_p;out_proj_weight!;out_proj_bias!;training=True;key_padding_mask!=None;need_weights=True;attn_mask!=None;"
        "use_separate_proj_weight=False;q_proj_weight!=None;k_proj_weight!=None;v_proj_weight!=None;static_k!=None;"
        "static_v!=None;average_attn_weights=True;is_causal=False",
        "tensors yes outputs=yes,yes saves=?",
    ),
    "torch.stft": (
        "input!;n_fft;hop_length=None;win_length=None;window!=None;center=True;pad_mode='reflect';normalized=False;"
        "onesided=None;return_complex=None;align_to_window=None",
        "tensor yes saves=? rank=some dtype=float",
    ),
    "torch.lobpcg": ("A!;k=None;B!=None;X!=None;n=None;iK!=None;niter=None;tol=None;largest=None;method=None;tracker=None;ortho_iparams=None;ortho_fparams=None;ortho_bparams=None", "tensors yes saves=?"),
}

# Binary operators broadcast, whatever the samples' shapes were.
BROADCASTING = {
    f"__{prefix}{each}__" for each in ("add", "sub", "mul", "truediv", "div", "floordiv", "mod", "pow", "and", "or", "xor") for prefix in ("", "r")
} | {f"__{each}__" for each in ("eq", "ne", "lt", "le", "gt", "ge", "lshift", "rshift", "rlshift", "rrshift")}

# A power by a number, the usual one, saves less than a power by a tensor. Attention has several implementations; the
# usual ones keep the three operands.
SAVES: dict[str, list[str]] = {
    "torch.nn.functional.scaled_dot_product_attention": ["query", "key", "value", "internal"],
    "torch.pow": ["input"], "torch.Tensor.pow": ["self"], "torch.Tensor.__pow__": ["self"],
    "torch.Tensor.pow_": ["internal"], "torch.Tensor.__ipow__": ["internal"],
    "torch.float_power": ["internal"], "torch.Tensor.float_power": ["internal"], "torch.Tensor.float_power_": ["internal"],
}  # fmt: skip
# Never in a graph, though their samples cannot show it (they take no tensor that could require grad).
NEVER = {"bincount", "binomial", "int_repr", "get_rng_state", "dequantize", "is_vulkan_available"}

# What is no tensor has no graph.
WITHOUT_GRAPH = ("number", "shape", "string", "none", "host-array", "host-scalar", "host-list")
INIT_RESULT = {"calculate_gain": "number"}

# Roles that the declarations give too strictly, or not at all: (operation, parameter) -> role.
FREE_SECOND = "only its shape, or only its data, is taken; it may be on another device"
ROLES: dict[tuple[str, str], tuple[str, str]] = {
    **{
        (f"torch.Tensor.{each}", "other"): ("free", FREE_SECOND)
        for each in ("view_as", "reshape_as", "expand_as", "type_as", "to")
    },
    ("torch.Tensor.resize_as_", "the_template"): ("free", FREE_SECOND),
    ("torch.resize_as_", "the_template"): ("free", FREE_SECOND),
    ("torch.nn.functional.ctc_loss", "targets"): ("free", "targets and lengths are copied to where they are needed"),
    ("torch.nn.functional.ctc_loss", "input_lengths"): ("free", "as the targets"),
    ("torch.nn.functional.ctc_loss", "target_lengths"): ("free", "as the targets"),
    ("torch.ctc_loss", "targets"): ("free", "targets and lengths are copied to where they are needed"),
    ("torch.ctc_loss", "input_lengths"): ("free", "as the targets"),
    ("torch.ctc_loss", "target_lengths"): ("free", "as the targets"),
    ("torch.nn.functional.binary_cross_entropy_with_logits", "pos_weight"): ("element", "multiplied, element by element"),
    ("torch.binary_cross_entropy_with_logits", "pos_weight"): ("element", "multiplied, element by element"),
    ("torch.nn.functional.interpolate", "size"): ("other", "sizes, read on the host"),
    ("torch.nn.functional.interpolate", "scale_factor"): ("other", "factors, read on the host"),
    **{
        (f"{space}.{each}", "indices"): ("index", "advanced indexing copies CPU indices to the operand's device")
        for space in ("torch", "torch.Tensor") for each in ("index_put", "index_put_")
    },
    **{
        (f"{space}.{each}", "values"): ("element", "a 0-dim CPU value is filled in")
        for space in ("torch", "torch.Tensor") for each in ("index_put", "index_put_")
    },
    **{
        (f"{space}.{each}", "mask"): ("exact", "checked by hand in the kernel's front end")
        for space in ("torch", "torch.Tensor")
        for each in ("masked_fill", "masked_fill_", "masked_select", "masked_scatter", "masked_scatter_")
    },
    ("torch.tensor_split", "tensor_indices_or_sections"): ("free", "has to be on the CPU"),
    ("torch.Tensor.tensor_split", "tensor_indices_or_sections"): ("free", "has to be on the CPU"),
    **{
        (f"{space}.{each}", "value"): ("element", "the value is 0-dim and may come from the CPU")
        for space in ("torch", "torch.Tensor") for each in ("masked_fill", "masked_fill_", "index_fill", "index_fill_", "fill", "fill_")
    },
}  # fmt: skip

# Ranks that samples cannot show: operation's short name -> rank, for every namespace.
RANKS = {
    "unsqueeze": "some", "outer": "some", "ger": "some", "index_select": "same", "gather": "broadcast",
    "masked_fill": "broadcast", "amax": "reduced", "amin": "reduced", "count_nonzero": "reduced", "type_as": "same",
    "narrow": "same", "movedim": "same", "moveaxis": "same", "dot": "scalar", "vdot": "scalar", "stack": "some",
    "vstack": "some", "hstack": "some", "dstack": "some", "nonzero": "some", "argwhere": "some", "bucketize": "same",
    "unfold": "some", "stft": "some", "where": "broadcast", "mm": "some", "bmm": "some", "baddbmm": "some", "addmm": "some",
    "rsub": "broadcast", "mv": "some", "embedding": "some", "repeat_interleave": "some", "flatten": "some", "ravel": "some", "diag": "some",
}  # fmt: skip
# Results that no float input shows.
DTYPES = {
    "one_hot": "int", "randint": "int", "randperm": "int", "tril_indices": "int",
    "triu_indices": "int", "randint_like": "argument-or-same", "full": "unknown", "arange": "unknown", "range": "argument",
}
# Old names and what to write instead.
DEPRECATED = {
    "torch.nn.functional.upsample": "torch.nn.functional.interpolate",
    "torch.nn.functional.upsample_bilinear": "torch.nn.functional.interpolate",
    "torch.nn.functional.upsample_nearest": "torch.nn.functional.interpolate",
    "torch.nn.utils.clip_grad_norm": "torch.nn.utils.clip_grad_norm_",
    "torch.nn.utils.weight_norm": "torch.nn.utils.parametrizations.weight_norm",
    "torch.nn.utils.spectral_norm": "torch.nn.utils.parametrizations.spectral_norm",
    "torch.norm": "torch.linalg.vector_norm",
    "torch.chain_matmul": "torch.linalg.multi_dot",
    "torch.cholesky": "torch.linalg.cholesky",
    "torch.qr": "torch.linalg.qr",
    "torch.svd": "torch.linalg.svd",
    "torch.ger": "torch.outer",
    "torch.range": "torch.arange",
    "torch.lu": "torch.linalg.lu_factor",
    "torch.eig": "torch.linalg.eig",
    "torch.symeig": "torch.linalg.eigh",
    "torch.lstsq": "torch.linalg.lstsq",
    "torch.solve": "torch.linalg.solve",
    "torch.matrix_rank": "torch.linalg.matrix_rank",
    "torch.set_default_tensor_type": "torch.set_default_dtype and torch.set_default_device",
    "torch.cuda.memory_cached": "torch.cuda.memory_reserved",
    "torch.cuda.max_memory_cached": "torch.cuda.max_memory_reserved",
    "torch.cuda.reset_max_memory_allocated": "torch.cuda.reset_peak_memory_stats",
    "torch.cuda.reset_max_memory_cached": "torch.cuda.reset_peak_memory_stats",
    **{
        f"torch.nn.init.{each}": f"torch.nn.init.{each}_"
        for each in (
            "constant", "dirac", "eye", "kaiming_normal", "kaiming_uniform", "normal", "orthogonal", "sparse", "uniform",
            "xavier_normal", "xavier_uniform",
        )
    },
}  # fmt: skip

# Operations whose overloads return different things; the label, the parameters, the effects.
OVERLOADS: dict[str, list[tuple[str, str, str]]] = {}
for _name, _first in (("torch.max", "input"), ("torch.min", "input"), ("torch.Tensor.max", "self"), ("torch.Tensor.min", "self")):
    _out = ";*;out=None" if _first == "input" else ""
    _writes = " writes=out" if _out else ""
    OVERLOADS[_name] = [
        ("other", f"{_first}~;other~{_out}", f"tensor yes saves=other,{_first} rank=broadcast dtype=promoted{_writes}"),
        ("dim", f"{_first}!;dim;keepdim=False{_out}", f"tensors yes outputs=yes,no saves=result1{_writes} dtype=same"),
    ]
for _name, _first in (
    ("torch.median", "input"), ("torch.nanmedian", "input"), ("torch.Tensor.median", "self"), ("torch.Tensor.nanmedian", "self"),
):  # fmt: skip
    _out = ";*;out=None" if _first == "input" else ""
    _writes = " writes=out" if _out else ""
    OVERLOADS[_name] = [("dim", f"{_first}!;dim;keepdim=False{_out}", f"tensors yes outputs=yes,no saves=result1{_writes} dtype=same")]
for _name, _first in (
    ("torch.unique", "input;sorted=True"), ("torch.Tensor.unique", "self;sorted=True"),
    ("torch.unique_consecutive", "input"), ("torch.Tensor.unique_consecutive", "self"),
):  # fmt: skip
    _head = _first.replace("input", "input!").replace("self", "self!")
    OVERLOADS[_name] = [
        ("both", f"{_head};*;return_inverse;return_counts;dim=None", "tensors fails outputs=fails,no,no sync"),
        ("inverse", f"{_head};*;return_inverse;dim=None", "tensors fails outputs=fails,no sync"),
        ("counts", f"{_head};*;return_counts;dim=None", "tensors fails outputs=fails,no sync"),
    ]
_POOL = ";stride=None;padding=0;dilation=1;ceil_mode=False;*;return_indices"
for _dims in "123":
    OVERLOADS[f"torch.nn.functional.max_pool{_dims}d"] = [
        ("indices", f"input!;kernel_size{_POOL}", "tensors yes outputs=yes,no saves=input,result1 rank=same"),
    ]
    OVERLOADS[f"torch.nn.functional.adaptive_max_pool{_dims}d"] = [
        ("indices", "input!;output_size;*;return_indices", "tensors yes outputs=yes,no saves=input,result1 rank=same"),
    ]
for _name, _first in (("torch.pow", "input"), ("torch.Tensor.pow", "self"), ("torch.Tensor.__pow__", "self")):
    OVERLOADS[_name] = [
        ("tensor", f"{_first}~;exponent~", f"tensor yes saves={_first},exponent,result rank=broadcast dtype=promoted"),
    ]
for _name, _first in (("torch.float_power", "input"), ("torch.Tensor.float_power", "self")):
    OVERLOADS[_name] = [
        ("tensor", f"{_first}~;exponent~", "tensor yes saves=internal,result rank=broadcast dtype=float"),
    ]
for _name in ("torch.Tensor.pow_", "torch.Tensor.__ipow__"):
    OVERLOADS[_name] = [
        ("tensor", "self~;exponent~", "self yes saves=exponent,result writes=self rank=same dtype=same"),
    ]
_FACTORY = "dtype=None;layout=None;device=None;pin_memory=None;requires_grad=False"
OVERLOADS["torch.normal"] = [("size", f"mean;std;size;*;generator=None;out=None;{_FACTORY}", "new no rank=sizes dtype=argument")]
OVERLOADS["torch.where"] = [("nonzero", "condition!", "tensors no rank=some dtype=int sync")]
# What `torch.max(x)` takes apart from the overloads.
SINGLE = ("max", "min", "median", "nanmedian")
