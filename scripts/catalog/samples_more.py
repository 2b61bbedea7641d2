"""More calls by hand: functions below `torch.nn.functional`, sparse tensors, recurrences, `*_copy`, sizes and properties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def _floating(*shape: int, grad: bool = True) -> torch.Tensor:
    return torch.rand(shape).add(0.1).requires_grad_(grad)


def _sparse() -> torch.Tensor:
    return torch.eye(3).to_sparse()


def _quantized() -> torch.Tensor:
    return torch.quantize_per_tensor(torch.rand(3, 3), 0.1, 0, torch.quint8)


def _by_channel() -> torch.Tensor:
    return torch.quantize_per_channel(torch.rand(3, 3), torch.ones(3), torch.zeros(3), 0, torch.quint8)


def more_samples() -> dict[str, list[Arguments]]:
    """Positional and keyword arguments by the canonical name of what to call with them."""
    labels = torch.tensor([0, 2, 1])
    square, image = _floating(3, 3), _floating(1, 2, 4, 4)
    spectrum = torch.rand(3, 2)
    gates: Callable[[int], list[torch.Tensor]] = lambda n: [  # noqa: E731  three sizes of one thing
        _floating(n, 3), _floating(n, 4), _floating(n), _floating(n),
    ]  # fmt: skip
    sequence, state = _floating(5, 2, 3), _floating(1, 2, 4)
    recurrent = (True, 1, 0.0, False, False, False)
    norm = (_floating(2), _floating(2), torch.zeros(2), torch.ones(2))
    found: dict[str, list[tuple[Any, ...]]] = {
        "torch.adaptive_max_pool1d": [(_floating(1, 2, 4), 2)],
        "torch.max_pool1d": [(_floating(1, 2, 4), 2)],
        "torch.max_pool1d_with_indices": [(_floating(1, 2, 4), 2)],
        "torch.max_pool3d": [(_floating(1, 2, 4, 4, 4), 2)],
        "torch.nn.functional.fractional_max_pool2d_with_indices": [(image, 2, 2)],
        "torch.nn.functional.fractional_max_pool3d_with_indices": [(_floating(1, 2, 4, 4, 4), 2, 2)],
        "torch.batch_norm": [(image, *norm, True, 0.1, 1e-5, False), (image, *norm, False, 0.1, 1e-5, False)],
        "torch.instance_norm": [(image, *norm, True, 0.1, 1e-5, False)],
        "torch.cosine_embedding_loss": [(square, _floating(3, 3), torch.ones(3))],
        "torch.poisson_nll_loss": [(square, _floating(3, 3, grad=False), True, False, 1e-8, 1)],
        "torch.ctc_loss": [
            (_floating(5, 1, 3).log_softmax(2), torch.tensor([[1, 2]]), torch.tensor([5]), torch.tensor([2])),
        ],
        "torch.embedding_bag": [(_floating(5, 3), labels, torch.tensor([0, 2]))],
        "torch.grid_sampler": [(image, _floating(1, 2, 2, 2), 0, 0, False)],
        "torch.native_channel_shuffle": [(_floating(1, 4, 2, 2), 2)],
        "torch.nn.functional.native_channel_shuffle": [(_floating(1, 4, 2, 2), 2)],
        "torch.lstm": [(sequence, (state, _floating(1, 2, 4)), gates(16), *recurrent)],
        "torch.gru": [(sequence, state, gates(12), *recurrent)],
        "torch.rnn_tanh": [(sequence, state, gates(4), *recurrent)],
        "torch.rnn_relu": [(sequence, state, gates(4), *recurrent)],
        "torch.rnn_tanh_cell": [(_floating(2, 3), _floating(2, 4), *gates(4))],
        "torch.rnn_relu_cell": [(_floating(2, 3), _floating(2, 4), *gates(4))],
        "torch.norm_except_dim": [(square, 2, 0)],
        "torch.native_norm": [(_sparse(),)],
        "torch.nuclear_norm": [(square,)],
        "torch.frobenius_norm": [(square, [0, 1])],
        "torch.linalg.ldl_factor": [(torch.eye(3).requires_grad_(),)],
        "torch.linalg.ldl_factor_ex": [(torch.eye(3).requires_grad_(),)],
        "torch.pca_lowrank": [(_floating(4, 3), 2)],
        "torch.svd_lowrank": [(_floating(4, 3), 2)],
        "torch.dropout_": [(square, 0.5, True)],
        "torch.alpha_dropout_": [(square, 0.5, True)],
        "torch.feature_alpha_dropout": [(_floating(1, 2, 4), 0.5, True)],
        "torch.feature_alpha_dropout_": [(_floating(1, 2, 4), 0.5, True)],
        "torch.detach_copy": [(square,)],
        "torch.select_copy": [(square, 0, 0)],
        "torch.slice_copy": [(square, 0, 0, 2)],
        "torch.split_copy": [(square, 1)],
        "torch.values_copy": [(_sparse().coalesce(),)],
        "torch.indices_copy": [(_sparse().coalesce(),)],
        "torch.crow_indices_copy": [(torch.eye(3).to_sparse_csr(),)],
        "torch.col_indices_copy": [(torch.eye(3).to_sparse_csr(),)],
        "torch.ccol_indices_copy": [(torch.eye(3).to_sparse_csc(),)],
        "torch.row_indices_copy": [(torch.eye(3).to_sparse_csc(),)],
        "torch.view_as_real_copy": [(torch.view_as_complex(spectrum).requires_grad_(),)],
        "torch.view_as_complex_copy": [(_floating(3, 2),)],
        "torch.resize_as_": [(torch.rand(2, 3), torch.rand(3, 2))],
        "torch.Tensor.resize_as_": [(torch.rand(2, 3), torch.rand(3, 2))],
        "torch.Tensor.resize_": [(torch.rand(2, 3), (3, 2))],
        "torch.Tensor.resize": [(torch.rand(2, 3), 3, 2)],
        "torch.Tensor.resize_as": [(torch.rand(2, 3), torch.rand(3, 2))],
        "torch.Tensor.set_": [(torch.rand(3), torch.rand(2))],
        "torch.Tensor.float_power_": [(torch.rand(3, dtype=torch.float64).requires_grad_(), 2.0)],
        "torch.sspaddmm": [(_sparse(), _sparse(), torch.rand(3, 3))],
        "torch.Tensor.sspaddmm": [(_sparse(), _sparse(), torch.rand(3, 3))],
        "torch.smm": [(_sparse(), torch.rand(3, 3))],
        "torch.Tensor.smm": [(_sparse(), torch.rand(3, 3))],
        "torch.hspmm": [(_sparse(), torch.rand(3, 3))],
        "torch.Tensor.coalesce": [(_sparse(),)],
        "torch.Tensor.to_dense": [(_sparse(),), (square,)],
        "torch.Tensor.to_sparse_coo": [(square,)],
        "torch.Tensor.to_sparse_csr": [(square,)],
        "torch.Tensor.to_sparse_csc": [(square,)],
        "torch.Tensor.to_sparse_bsr": [(_floating(4, 4), (2, 2))],
        "torch.Tensor.to_sparse_bsc": [(_floating(4, 4), (2, 2))],
        "torch.Tensor.sparse_resize_": [(_sparse(), (4, 4), 2, 0)],
        "torch.Tensor.sparse_resize_and_clear_": [(_sparse(), (4, 4), 2, 0)],
        "torch.resize_as_sparse_": [(_sparse(), _sparse())],
        "torch.Tensor.resize_as_sparse_": [(_sparse(), _sparse())],
        "torch.sparse_coo_tensor": [(torch.tensor([[0, 1], [1, 2]]), torch.rand(2), (3, 3))],
        "torch.sparse_csr_tensor": [(torch.tensor([0, 1, 2]), torch.tensor([0, 1]), torch.rand(2), (2, 2))],
        "torch.sparse_csc_tensor": [(torch.tensor([0, 1, 2]), torch.tensor([0, 1]), torch.rand(2), (2, 2))],
        "torch.sparse_bsr_tensor": [(torch.tensor([0, 1]), torch.tensor([0]), torch.rand(1, 2, 2), (2, 2))],
        "torch.sparse_bsc_tensor": [(torch.tensor([0, 1]), torch.tensor([0]), torch.rand(1, 2, 2), (2, 2))],
        "torch.quantize_per_tensor": [(torch.rand(3), 0.1, 0, torch.quint8)],
        "torch.quantize_per_tensor_dynamic": [(torch.rand(3), torch.quint8, False)],
        "torch.quantize_per_channel": [(torch.rand(3, 3), torch.ones(3), torch.zeros(3), 0, torch.quint8)],
        "torch.dequantize": [(_quantized(),)],
        "torch.Tensor.dequantize": [(_quantized(),)],
        "torch.int_repr": [(_quantized(),)],
        "torch.Tensor.int_repr": [(_quantized(),)],
        "torch.q_scale": [(_quantized(),)],
        "torch.Tensor.q_scale": [(_quantized(),)],
        "torch.q_zero_point": [(_quantized(),)],
        "torch.Tensor.q_zero_point": [(_quantized(),)],
        "torch.q_per_channel_scales": [(_by_channel(),)],
        "torch.Tensor.q_per_channel_scales": [(_by_channel(),)],
        "torch.q_per_channel_zero_points": [(_by_channel(),)],
        "torch.Tensor.q_per_channel_zero_points": [(_by_channel(),)],
        "torch.q_per_channel_axis": [(_by_channel(),)],
        "torch.Tensor.q_per_channel_axis": [(_by_channel(),)],
        "torch.fake_quantize_per_tensor_affine": [(square, 0.1, 0, 0, 255)],
        "torch.fake_quantize_per_channel_affine": [
            (square, torch.ones(3), torch.zeros(3, dtype=torch.int32), 0, 0, 255),
        ],
        "torch.quantized_max_pool1d": [(torch.quantize_per_tensor(torch.rand(1, 2, 4), 0.1, 0, torch.quint8), 2)],
        "torch.quantized_max_pool2d": [(torch.quantize_per_tensor(torch.rand(1, 2, 4, 4), 0.1, 0, torch.quint8), 2)],
        "torch.batch_norm_update_stats": [(image, torch.zeros(2), torch.ones(2), 0.1)],
        "torch.nn.utils.rnn.invert_permutation": [(labels,)],
        "torch.nn.utils.rnn.unpad_sequence": [(sequence, torch.tensor([5, 3]))],
        "torch.nn.utils.fuse_conv_bn_weights": [
            (_floating(2, 2, 1, 1), _floating(2), torch.zeros(2), torch.ones(2), 1e-5, _floating(2), _floating(2)),
        ],
        "torch.nn.utils.fuse_linear_bn_weights": [
            (_floating(2, 2), _floating(2), torch.zeros(2), torch.ones(2), 1e-5, _floating(2), _floating(2)),
        ],
        "torch.nn.utils.vector_to_parameters": [(_floating(3), [torch.rand(3)])],
        "torch.broadcast_to": [(_floating(1, 3), (2, 3))],
        "torch.to_dlpack": [(torch.rand(3),)],
        "torch.from_dlpack": [(torch.rand(3),)],
        "torch.utils.dlpack.to_dlpack": [(torch.rand(3),)],
        "torch.utils.dlpack.from_dlpack": [(torch.rand(3),)],
        "torch.nn.functional.grouped_mm": [(_floating(2, 16, 16), _floating(2, 16, 16))],
    }  # fmt: skip
    plain = (
        "dim_order is_coalesced is_complex is_conj is_contiguous is_distributed is_floating_point is_inference is_neg is_pinned"
        " is_same_size is_set_to is_shared is_signed data_ptr dense_dim sparse_dim element_size get_device ndimension nelement"
        " dim numel size stride storage_offset has_names cpu float double half bfloat16 int long bool char byte short cfloat"
        " cdouble chalf untyped_storage storage storage_type detach detach_ share_memory_ requires_grad_ item tolist numpy"
        " __len__ __repr__ __bool__ __int__ __float__ __complex__ __index__ __array__ is_nonzero as_subclass retain_grad"
        " register_hook register_post_accumulate_grad_hook __deepcopy__ backward new new_tensor apply_ map_ map2_ type"
        " __contains__ __format__ __reversed__ align_to align_as refine_names rename rename_ unflatten qscheme const_data_ptr"
        " reinforce data T mT H mH real imag module_load"
    ).split()
    more: dict[str, tuple[Any, ...]] = {
        "is_set_to": (torch.rand(3),), "is_same_size": (torch.rand(3),), "as_subclass": (torch.Tensor,), "__deepcopy__": ({},),
        "register_hook": (lambda grad: grad,), "register_post_accumulate_grad_hook": (lambda _: None,), "new": (3,),
        "new_tensor": ([1.0],), "apply_": (lambda x: x,), "map_": (torch.rand(3), lambda x, _: x), "__contains__": (1.0,),
        "map2_": (torch.rand(3), torch.rand(3), lambda x, _y, _z: x), "__format__": ("",), "unflatten": (0, (3, 1)),
        "module_load": (torch.rand(3),),
    }  # fmt: skip
    needs_leaf = (
        "requires_grad_",
        "retain_grad",
        "register_hook",
        "register_post_accumulate_grad_hook",
        "backward",
    )
    for short in plain:
        scalar = short in (
            "item",
            "__bool__",
            "__int__",
            "__float__",
            "__complex__",
            "__index__",
            "is_nonzero",
            "backward",
            "__format__",
        )
        tensor = (
            torch.tensor(1) if short == "__index__"
            else torch.rand(3, 3) if short in ("T", "mT", "H", "mH")
            else torch.rand(()) if scalar
            else torch.rand(3)
        )  # fmt: skip
        if short in needs_leaf:
            tensor.requires_grad_()
        if short == "qscheme":
            tensor = _quantized()
        found.setdefault(f"torch.Tensor.{short}", [(tensor, *more.get(short, ()))])
    return {name: [(args, {}) for args in several] for name, several in found.items()}
