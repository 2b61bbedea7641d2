"""Whether the result of an operation has dimensions, where nothing else says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.torch.tensors.shapes import result_shape
from devls.library.effects import Operation, Rank

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.value import TensorValue


def shape_of_result(
    m: Machine,
    operation: Operation,
    tensors: list[TensorValue],
    given: dict[str, object],
    *,
    complete: bool,
    layer: bool,
) -> tuple[tuple[int | None, ...] | None, int]:
    """The shape of a result, and whether it has dimensions for sure; `complete`: all operands are seen."""
    shape, nonscalar = result_shape(m, operation, tensors, given, complete=complete)
    if nonscalar or shape is not None:
        return shape, nonscalar
    if layer:
        return shape, operation.rank in (Rank.SAME, Rank.UNKNOWN) and operation.name not in _OF_ANY_RANK
    if operation.rank is Rank.UNKNOWN:
        short = operation.name.rpartition(".")[2]
        return shape, short in _ADD_A_DIMENSION or (
            short not in LOSE_DIMENSIONS and any(each.nonscalar for each in tensors[:1])
        )
    return shape, nonscalar


_OF_ANY_RANK = frozenset({"torch.nn.PReLU.forward"})
"""Other layers with weights raise on 0-dim inputs, or (embeddings) add a dimension: what comes out of them has one."""


_ADD_A_DIMENSION = frozenset(
    {"unsqueeze", "stack", "cat", "concat", "hstack", "vstack", "repeat", "tile", "flatten", "outer"}
)


LOSE_DIMENSIONS = frozenset(
    "squeeze select take item dot vdot inner matmul __matmul__ mv index_select gather max min median mode sum mean prod std var"
    " norm any all argmax argmin einsum tensordot bilinear det logdet trace dist pairwise_distance cosine_similarity unbind"
    " diagonal diag reshape view masked_select forward apply logsumexp amax amin nansum nanmean aminmax quantile kthvalue"
    " matrix_norm frobenius_norm nuclear_norm cond matrix_rank slogdet vecdot multi_dot lstsq corrcoef cov trapezoid trapz"
    " cholesky_ex inv_ex ldl_factor_ex lu_factor_ex solve_ex hash_tensor squeeze_copy unbind_copy slice_inverse resize_as_"
    " new new_tensor".split()
)
"""Operations whose result, or a part of it, may have no dimensions although their operand has some; torch is asked in the tests."""
