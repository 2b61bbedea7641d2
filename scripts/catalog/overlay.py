"""Facts that torch's declarations lack, by hand, each group with its reason.

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
    "torch.utils.dlpack.from_dlpack": ("ext_tensor;*;device=None;copy=None", "call no"),
    "torch.from_dlpack": ("ext_tensor;*;device=None;copy=None", "call no"),
    "torch.numel": ("input~", "number no"),
    "torch.get_device": ("input~", "number no"),
    "torch.spmm": ("input!;mat2!", "tensor yes saves=input,mat2|input,mat2 rank=some"),
    "torch.dsmm": ("input!;mat2!", "tensor yes saves=input,mat2|input,mat2 rank=some"),
    "torch.hsmm": ("input!;mat2!", "tensor yes saves=input,mat2|input,mat2 rank=some"),
    "torch.saddmm": ("input!;mat1!;mat2!;*;beta=1;alpha=1", "tensor yes saves=mat1,mat2|mat1,mat2 rank=some"),
    "torch.to_dlpack": ("tensor~", "object no"),
    "torch.utils.dlpack.to_dlpack": ("tensor~", "object no"),
    "torch.is_grad_enabled": ("", "number no"),
    "torch.is_inference_mode_enabled": ("", "number no"),
    "torch.is_autocast_enabled": ("device_type=None", "number no"),
    "torch.get_num_threads": ("", "number no"),
    "torch.set_num_threads": ("num", "none no"),
        "torch.set_flush_denormal": ("mode", "number no"),
    "torch.Tensor.size": ("self~;dim=None", "shape no"),
    "torch.Tensor.stride": ("self~;dim=None", "shape no"),
    "torch.Tensor.ndimension": ("self~", "number no"),
    "torch.Tensor.nelement": ("self~", "number no"),
    "torch.Tensor.element_size": ("self~", "number no"),
    "torch.Tensor.data_ptr": ("self~", "number no"),
    "torch.Tensor.const_data_ptr": ("self~", "number no"),
    "torch.Tensor.as_subclass": ("self~;cls", "view yes rank=same dtype=same"),
    "torch.Tensor.dim_order": ("self~;ambiguity_check=False", "shape no"),
    "torch.Tensor.reinforce": ("self~;reward", "none no"),
    "torch.Tensor.coalesce": ("self~", "tensor yes saves=? rank=same dtype=same"),
    # They change what memory a tensor has; torch refuses them for what requires grad.
    "torch.Tensor.resize_": ("self~;*size;memory_format=None", "self yes writes=self dtype=same"),
    "torch.Tensor.resize_as_": ("self~;the_template?;*;memory_format=None", "self yes writes=self dtype=same"),
    "torch.resize_as_": ("input~;the_template?;*;memory_format=None", "self yes writes=input dtype=same"),
    "torch.resize_as_sparse_": ("input!;the_template!", "self yes writes=input dtype=same"),
    "torch.Tensor.resize_as_sparse_": ("self!;the_template!", "self yes writes=self dtype=same"),
    "torch.Tensor.sparse_resize_": ("self!;size;sparse_dim;dense_dim", "self yes writes=self dtype=same"),
    "torch.Tensor.sparse_resize_and_clear_": ("self!;size;sparse_dim;dense_dim", "self yes writes=self dtype=same"),
    "torch.Tensor.set_": ("self~;source?=None;storage_offset=None;size=None;stride=()", "self yes writes=self dtype=same"),
    "torch.Tensor.__deepcopy__": ("self!;memo", "tensor no rank=same dtype=same"),
    **{
        f"torch.sparse_{each}_tensor": (parameters + ";size=None;*;dtype=None;device=None;requires_grad=False", "new no")
        for each, parameters in (
            ("coo", "indices?;values?"), ("csr", "crow_indices?;col_indices?;values?"), ("csc", "ccol_indices?;row_indices?;values?"),
            ("bsr", "crow_indices?;col_indices?;values?"), ("bsc", "ccol_indices?;row_indices?;values?"),
        )
    },
    "torch.Tensor.new": ("self~;*args;device=None", "like no"),
    "torch.Tensor.new_tensor": (
        "self?;data;*;dtype=None;device=None;requires_grad=False;layout=None;pin_memory=False", "like no",
    ),
    "torch.Tensor.untyped_storage": ("self~", "object no"),
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
    "torch.Tensor.register_hook": ("self~;hook", "object no"),
    "torch.Tensor.register_post_accumulate_grad_hook": ("self~;hook", "object no"),
    "torch.Tensor.share_memory_": ("self~", "self yes rank=same dtype=same"),
    "torch.Tensor.is_shared": ("self~", "number no"),
    "torch.Tensor.storage": ("self~", "object no"),
    "torch.Tensor.storage_type": ("self~", "object no"),
    "torch.Tensor.data": ("self~", "view no rank=same dtype=same"),
    "torch.Tensor.T": ("self~", "view yes rank=same dtype=same"),
    "torch.Tensor.mT": ("self~", "view yes rank=same dtype=same"),
    "torch.Tensor.H": ("self~", "view yes rank=same dtype=same"),
    "torch.Tensor.mH": ("self~", "view yes rank=same dtype=same"),
    "torch.Tensor.real": ("self~", "view yes rank=same dtype=real"),
    "torch.Tensor.imag": ("self~", "view yes rank=same dtype=real"),
    "torch.Tensor.copy_": ("self~;src?;non_blocking=False", "self yes writes=self rank=same dtype=same"),
    "torch.autograd.backward": (
        "tensors[];grad_tensors?=None;retain_graph=None;create_graph=False;grad_variables=None;inputs=None", "none no",
    ),
    "torch.autograd.grad": (
        ("outputs[];inputs[];grad_outputs[]=None;retain_graph=None;create_graph=False;only_inputs=True;"
        "allow_unused=None;is_grads_batched=False;materialize_grads=False"),
        "tensors unknown saves=?",
    ),
    "torch.is_tensor": ("obj", "number no"),
    "torch.is_storage": ("obj", "number no"),
    "torch.typename": ("obj", "string no"),
        "torch.seed": ("", "number no"),
    "torch.initial_seed": ("", "number no"),
    "torch.get_rng_state": ("", "cpu-tensor no rank=some dtype=int"),
    "torch.set_rng_state": ("new_state", "none no"),
    "torch.save": ("obj;f;pickle_module=...;pickle_protocol=2;_use_new_zipfile_serialization=True;_disable_byteorder_record=False", "none no"),
    "torch.load": ("f;map_location=None;pickle_module=None;*;weights_only=None;mmap=None;**pickle_load_args", "call no"),
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
            "input!;output_size;return_indices=False",
            "tensors yes outputs=yes,no saves=input,result1 rank=same",
        )
        for each in ("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")
    },
    **{
        f"torch.signal.windows.{each}": (
            "M;*;sym=True;dtype=None;layout=None;device=None;requires_grad=False",
            "new no rank=some dtype=argument",
        )
        for each in ("bartlett", "blackman", "cosine", "hamming", "hann", "nuttall")
    },
    "torch.signal.windows.exponential": (
        "M;*;center=None;tau=1.0;sym=True;dtype=None;layout=None;device=None;requires_grad=False",
        "new no rank=some dtype=argument",
    ),
    "torch.signal.windows.gaussian": (
        "M;*;std=1.0;sym=True;dtype=None;layout=None;device=None;requires_grad=False",
        "new no rank=some dtype=argument",
    ),
    "torch.signal.windows.kaiser": (
        "M;*;beta=12.0;sym=True;dtype=None;layout=None;device=None;requires_grad=False",
        "new no rank=some dtype=argument",
    ),
    "torch.signal.windows.general_cosine": (
        "M;*;a;sym=True;dtype=None;layout=None;device=None;requires_grad=False",
        "new no rank=some dtype=argument",
    ),
    "torch.signal.windows.general_hamming": (
        "M;*;alpha=0.54;sym=True;dtype=None;layout=None;device=None;requires_grad=False",
        "new no rank=some dtype=argument",
    ),
    "torch.einsum": ("equation;*operands!", "tensor yes saves=operands|operands dtype=promoted"),
    "torch.split": ("tensor!;split_size_or_sections;dim=0", "views yes rank=same dtype=same"),
    "torch.Tensor.split": ("self!;split_size;dim=0", "views yes rank=same dtype=same"),
    "torch.norm": (
        "input!;p='fro';dim=None;keepdim=False;out=None;dtype=None",
        "tensor yes saves=input,result rank=reduced dtype=float",
    ),
    "torch.Tensor.norm": (
        "self!;p='fro';dim=None;keepdim=False;dtype=None",
        "tensor yes saves=self,result rank=reduced dtype=float",
    ),
    "torch.cdist": (
        "x1!;x2!;p=2.0;compute_mode='use_mm_for_euclid_dist_if_necessary'",
        "tensor yes saves=? rank=some dtype=float",
    ),
    "torch.tensordot": ("a!;b!;dims=2;out=None", "tensor yes saves=a,b|a,b dtype=promoted"),
    "torch.chain_matmul": ("*matrices!;out=None", "tensor yes saves=?"),
    "torch.meshgrid": ("*tensors[];indexing=None", "views yes rank=some dtype=same"),
    "torch.broadcast_tensors": ("*tensors?", "views yes dtype=same"),
    "torch.atleast_1d": ("*tensors?", "view yes rank=some dtype=same"),
    "torch.atleast_2d": ("*tensors?", "view yes rank=some dtype=same"),
    "torch.atleast_3d": ("*tensors?", "view yes rank=some dtype=same"),
    "torch.block_diag": ("*tensors[]", "tensor yes rank=some dtype=promoted"),
    "torch.cartesian_prod": ("*tensors[]", "tensor yes rank=some dtype=same"),
    "torch.unique": (
        "input!;sorted=True;return_inverse=False;return_counts=False;dim=None",
        "tensor no rank=some dtype=same sync",
    ),
    "torch.unique_consecutive": (
        "input!;return_inverse=False;return_counts=False;dim=None",
        "tensor no rank=some dtype=same sync",
    ),
    "torch.Tensor.unique": (
        "self!;sorted=True;return_inverse=False;return_counts=False;dim=None",
        "tensor no rank=some dtype=same sync",
    ),
    "torch.Tensor.unique_consecutive": (
        "self!;return_inverse=False;return_counts=False;dim=None",
        "tensor no rank=some dtype=same sync",
    ),
    "torch.unravel_index": ("indices!;shape", "tensors no dtype=int"),
    "torch.Tensor.__reversed__": ("self!", "tensor yes rank=same dtype=same"),
    "torch.nn.utils.rnn.pad_sequence": (
        "sequences&;batch_first=False;padding_value=0.0;padding_side='right'",
        "tensor yes rank=some dtype=same",
    ),
    "torch.nn.utils.rnn.pack_padded_sequence": (
        "input!;lengths?;batch_first=False;enforce_sorted=True",
        "unknown unknown saves=?",
    ),
    "torch.nn.utils.rnn.pad_packed_sequence": (
        "sequence;batch_first=False;padding_value=0.0;total_length=None",
        "unknown unknown saves=?",
    ),
    "torch.nn.utils.parameters_to_vector": ("parameters[]", "tensor yes rank=some dtype=same"),
    "torch.nn.utils.clip_grad_norm_": (
        "parameters;max_norm;norm_type=2.0;error_if_nonfinite=False;foreach=None",
        "tensor no rank=scalar dtype=float",
    ),
    "torch.nn.utils.clip_grad_value_": ("parameters;clip_value;foreach=None", "none no"),
    "torch.nn.utils.get_total_norm": (
        "tensors[];norm_type=2.0;error_if_nonfinite=False;foreach=None",
        "tensor yes saves=? rank=scalar dtype=float",
    ),
    "torch.nn.functional.multi_head_attention_forward": (
        (
            "query!;key!;value!;embed_dim_to_check;num_heads;in_proj_weight?;in_proj_bias!;bias_k!;bias_v!;add_zero_attn;"
            "dropout_p;out_proj_weight!;out_proj_bias!;training=True;key_padding_mask!=None;need_weights=True;attn_mask!=None;"
            "use_separate_proj_weight=False;q_proj_weight!=None;k_proj_weight!=None;v_proj_weight!=None;static_k!=None;"
            "static_v!=None;average_attn_weights=True;is_causal=False"
        ),
        "tensors yes outputs=yes,yes saves=?",
    ),
    "torch.stft": (
        (
            "input!;n_fft;hop_length=None;win_length=None;window!=None;center=True;pad_mode='reflect';normalized=False;"
            "onesided=None;return_complex=None;align_to_window=None"
        ),
        "tensor yes saves=? rank=some dtype=float",
    ),
    "torch.lobpcg": (
        "A!;k=None;B!=None;X!=None;n=None;iK!=None;niter=None;tol=None;largest=None;method=None;tracker=None;ortho_iparams=None;ortho_fparams=None;ortho_bparams=None",
        "tensors yes saves=?",
    ),
}
