"""Single fields that declarations and samples get wrong or cannot show, by hand, each group with its reason."""

from __future__ import annotations

# Binary operators broadcast, whatever the samples' shapes were.
BROADCASTING = {
    f"__{prefix}{each}__"
    for each in ("add", "sub", "mul", "truediv", "div", "floordiv", "mod", "pow", "and", "or", "xor")
    for prefix in ("", "r")
} | {f"__{each}__" for each in ("eq", "ne", "lt", "le", "gt", "ge", "lshift", "rshift", "rlshift", "rrshift")}

# A power by a number, the usual one, saves less than a power by a tensor. Attention has several implementations; the
# usual ones (operands of four dimensions) keep the three operands and the result. Cross entropy keeps its targets for the
# gradient of its input, of which it keeps the softmax. Areas between points at equal distances are sums of halves: nothing is kept.
SAVES: dict[str, list[str]] = {
    "torch.nn.functional.scaled_dot_product_attention": ["query", "key", "value", "result", "internal"],
    "torch.nn.functional.cross_entropy": ["target", "weight", "internal"],
    "torch.pow": ["input"], "torch.Tensor.pow": ["self"], "torch.Tensor.__pow__": ["self"],
    "torch.Tensor.pow_": ["internal"], "torch.Tensor.__ipow__": ["internal"],
    "torch.float_power": ["internal"], "torch.Tensor.float_power": ["internal"], "torch.Tensor.float_power_": ["internal"],
    "torch.trapezoid": [], "torch.trapz": [], "torch.cumulative_trapezoid": [],
}  # fmt: skip
# Never in a graph, though their samples cannot show it (they take no tensor that could require grad).
NEVER = {"bincount", "binomial", "int_repr", "get_rng_state", "dequantize", "is_vulkan_available"}

# Random around an operand: the result requires grad, its gradient is zero.
ZERO = {"normal"}

# A value that is no tensor has no graph.
WITHOUT_GRAPH = ("number", "shape", "string", "none", "host-array", "host-scalar", "host-list")
INIT_RESULT = {"calculate_gain": "number"}

# Roles that the declarations give too strictly, or not at all: (operation, parameter) -> role.
FREE_SECOND = "only its shape, or only its data, is taken; it may be on another device"
ROLES: dict[tuple[str, str], tuple[str, str]] = {
    **{
        (f"torch.Tensor.{each}", "other"): ("free", FREE_SECOND)
        for each in ("view_as", "reshape_as", "expand_as", "type_as", "to")
    },
    **{
        (f"{space}.{name}", parameter): ("free", "sizes are compared")
        for space, first in (("torch", "input"), ("torch.Tensor", "self"))
        for name in ("is_same_size",) for parameter in (first, "other")
    },
    **{
        (f"{space}.where", "condition"): ("exact", "the others have to be where it is, a 0-dim one included")
        for space in ("torch", "torch.Tensor")
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
        (f"{space}.{each}", "indices"): ("free", "indices are copied to the operand's device, wherever they are")
        for space in ("torch", "torch.Tensor") for each in ("index_put", "index_put_")
    },
    **{
        (f"{space}.{each}", "values"): ("element", "a 0-dim CPU value is filled in")
        for space in ("torch", "torch.Tensor") for each in ("index_put", "index_put_")
    },
    **{
        (f"{space}.{each}", "mask"): ("exact", "checked by hand in the kernel's front end")
        for space in ("torch", "torch.Tensor") for each in ("masked_select", )
    },
    **{
        (f"{space}.{each}", "mask"): ("element", "a mask of no dimensions may be on the CPU")
        for space in ("torch", "torch.Tensor") for each in ("masked_fill", "masked_fill_", "masked_scatter", "masked_scatter_")
    },
    **{
        (f"torch.nn.functional.{each}", parameter): ("element", "computed element by element")
        for each in (
            "binary_cross_entropy", "binary_cross_entropy_with_logits", "soft_margin_loss", "margin_ranking_loss", "smooth_l1_loss",
            "l1_loss", "mse_loss", "gaussian_nll_loss",
        )
        for parameter in ("input", "target", "input1", "input2", "var")
    },
    **{
        (f"{space}.{each}", parameter): ("element", "computed element by element, or copied")
        for space in ("torch", "torch.Tensor")
        for each, parameters in (
            ("complex", "real imag"), ("polar", "abs angle"), ("isclose", "input self other"), ("dist", "input self other"),
            ("as_strided_scatter", "src"), ("select_scatter", "src"), ("index_fill", "input self"), ("index_fill_", "self"),
            ("put", "input self index source"), ("put_", "self index source"), ("histogram", "input self bins weight"),
        )
        for parameter in parameters.split()
    },
    ("torch.linalg.pinv", "rtol"): ("element", "compared with singular values"),
    ("torch.linalg.pinv", "atol"): ("element", "compared with singular values"),
    ("torch.narrow", "start"): ("free", "read on the host"),
    ("torch.Tensor.narrow", "start"): ("free", "read on the host"),
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
    "one_hot": "int",
    # The samples are of bools alone, or of one dtype.
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), "promoted"),
    "bitwise_not": "same",
    **dict.fromkeys(("cat", "concat", "concatenate"), "promoted"),
    "randint": "int",
    "randperm": "int",
    "tril_indices": "int",
    "triu_indices": "int",
    "randint_like": "argument-or-same",
    "full": "unknown",
    "arange": "unknown",
    "range": "argument",
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
    "torch.cuda.amp.autocast": "torch.amp.autocast",
    "torch.cuda.amp.GradScaler": "torch.amp.GradScaler",
    "torch.cuda.amp.custom_fwd": "torch.amp.custom_fwd",
    "torch.cuda.amp.custom_bwd": "torch.amp.custom_bwd",
    "torch.Tensor.eig": "torch.linalg.eig",
    "torch.Tensor.symeig": "torch.linalg.eigh",
    "torch.Tensor.lstsq": "torch.linalg.lstsq",
    "torch.Tensor.solve": "torch.linalg.solve",
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
