"""Whether a function does what can go wrong, or what others go wrong on.

A mistake takes somebody who makes a tensor or an object, moves one, reads one on the host, writes into one, cuts or walks a
graph, or changes a mode. Functions that only compute from what they are given run like all others, but there is no need to
follow their calls: whoever is called runs by itself as well. This is read off the text, since it is asked of every function.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import ast

    from devls.syntax.source import Source

_ACTS: Final = re.compile(
    r"\.(?:append|backward|cpu|cuda|data|detach_?|eval|grad|item|load(?:_state_dict)?|new_\w+|numpy|parameters|pin_memory|save"
    r"|state_dict|step|to|tolist|train|type|zero_grad)\b"
    r"|\b(?:arange|as_tensor|empty|eye|from_numpy|full|linspace|normal|ones|rand\w*|tensor|where|zeros|\w+_like|\w*Tensor|Parameter)\("
    r"|(?<!raise )\b_?[A-Z]\w*[a-z]\w*\(|[a-z]_\(|[-+*/@]=|\]\s*=[^=]|device|cuda|optim|criterion|enable_grad|inference_mode|loss|no_grad|register_buffer|requires_grad"
)


def acts(source: Source, function: ast.AST) -> bool:
    """Whether the calls of a function that runs by itself are worth following.

    Those of a `forward` are: tensors that a module has kept meet there what it is given.
    """
    name = getattr(function, "name", "")
    return name == "forward" or _ACTS.search(source.slice(function)) is not None
