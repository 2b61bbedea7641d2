"""Operations whose overloads return, or save, different things: the label, the parameters, the effects.

The record without a label is the usual call; the overloads are tried in this order (`devls.library.catalog.resolve`).
"""

from __future__ import annotations

OVERLOADS: dict[str, list[tuple[str, str, str]]] = {}
for _name, _first in (
    ("torch.max", "input"),
    ("torch.min", "input"),
    ("torch.Tensor.max", "self"),
    ("torch.Tensor.min", "self"),
):
    _out = ";*;out=None" if _first == "input" else ""
    _writes = " writes=out" if _out else ""
    OVERLOADS[_name] = [
        (
            "other",
            f"{_first}~;other~{_out}",
            f"tensor yes saves=other,{_first} rank=broadcast dtype=promoted{_writes}",
        ),
        (
            "dim",
            f"{_first}!;dim;keepdim=False{_out}",
            f"tensors yes outputs=yes,no fields=values,indices saves=result1{_writes} dtype=indices",
        ),
    ]
for _name, _first in (
    ("torch.median", "input"), ("torch.nanmedian", "input"), ("torch.Tensor.median", "self"), ("torch.Tensor.nanmedian", "self"),
):  # fmt: skip
    _out = ";*;out=None" if _first == "input" else ""
    _writes = " writes=out" if _out else ""
    OVERLOADS[_name] = [
        (
            "dim",
            f"{_first}!;dim;keepdim=False{_out}",
            f"tensors yes outputs=yes,no fields=values,indices saves=result1{_writes} dtype=indices",
        )
    ]
for _name, _first in (
    ("torch.unique", "input;sorted=True"), ("torch.Tensor.unique", "self;sorted=True"),
    ("torch.unique_consecutive", "input"), ("torch.Tensor.unique_consecutive", "self"),
):  # fmt: skip
    _head = _first.replace("input", "input!").replace("self", "self!")
    OVERLOADS[_name] = [
        (
            "both",
            f"{_head};*;return_inverse;return_counts;dim=None",
            "tensors fails outputs=fails,no,no sync",
        ),
        ("inverse", f"{_head};*;return_inverse;dim=None", "tensors fails outputs=fails,no sync"),
        ("counts", f"{_head};*;return_counts;dim=None", "tensors fails outputs=fails,no sync"),
    ]
_POOL = ";stride=None;padding=0;dilation=1;ceil_mode=False;*;return_indices"
for _dims in "123":
    OVERLOADS[f"torch.nn.functional.max_pool{_dims}d"] = [
        ("indices", f"input!;kernel_size{_POOL}", "tensors yes outputs=yes,no saves=input,result1 rank=same"),
    ]
    OVERLOADS[f"torch.nn.functional.adaptive_max_pool{_dims}d"] = [
        (
            "indices",
            "input!;output_size;*;return_indices",
            "tensors yes outputs=yes,no saves=input,result1 rank=same",
        ),
    ]
for _name, _first in (("torch.pow", "input"), ("torch.Tensor.pow", "self"), ("torch.Tensor.__pow__", "self")):
    OVERLOADS[_name] = [
        (
            "tensor",
            f"{_first}~;exponent~",
            f"tensor yes saves={_first},exponent,result rank=broadcast dtype=promoted",
        ),
    ]
for _name, _first in (("torch.float_power", "input"), ("torch.Tensor.float_power", "self")):
    OVERLOADS[_name] = [
        ("tensor", f"{_first}~;exponent~", "tensor yes saves=internal,result rank=broadcast dtype=float"),
    ]
for _name in ("torch.Tensor.pow_", "torch.Tensor.__ipow__"):
    OVERLOADS[_name] = [
        ("tensor", "self~;exponent~", "self yes saves=exponent,result writes=self rank=same dtype=same"),
    ]
for _name, _rank in (("trapezoid", ""), ("trapz", ""), ("cumulative_trapezoid", " rank=same")):
    # The distances are factors.
    OVERLOADS[f"torch.{_name}"] = [("x", "y!;x!;*;dim=-1", f"tensor yes saves=internal{_rank} dtype=float")]
_FACTORY = "dtype=None;layout=None;device=None;pin_memory=None;requires_grad=False"
OVERLOADS["torch.normal"] = [
    ("size", f"mean;std;size;*;generator=None;out=None;{_FACTORY}", "new no rank=sizes dtype=argument")
]
OVERLOADS["torch.where"] = [("nonzero", "condition!", "tensors no rank=some dtype=int sync")]
# Difference of `torch.max(x)` from the overloads.
SINGLE = ("max", "min", "median", "nanmedian")
