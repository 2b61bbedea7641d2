"""How large one value may be: what is built of others grows twofold at each step, if nobody stops it."""

from __future__ import annotations

from typing import Final

KEY_WEIGHT: Final = 200
"""Parts of the key of something unknown. `a = a + a` doubles it each time; the longest that a real program came to had 40.
Keys are hashed and compared whole whenever something is looked up."""

TUPLE_WEIGHT: Final = 4_000
"""Items of a tuple with those of the tuples in it. `t = (t, t)` doubles it each time, and whatever walks it takes as long."""

TUPLE_DEPTH: Final = 24
"""Tuples in tuples. Whatever walks them calls itself as often; batches and states nest three or four."""

SEVERAL: Final = 1_024
"""Items of a tuple, a list or a dict that are kept apart: a model has a few hundred parameters, and each use copies them all."""

RANK: Final = 64
"""Dimensions of a tensor: torch allows no more in most operations, and `torch.ones(*x.shape, *x.shape)` doubles them."""

LARGEST_SIZE: Final = 2**63 - 1
"""Elements along one dimension: torch counts them with 64 bits."""

NAMES_KEPT: Final = 4_096
"""Names, and other texts of programs, of which is kept what they stand for: an editor shows a new one with each keystroke."""
