"""Run in a process of its own: each row with its tensors on a pretended accelerator, one of them left on the CPU.

Prints, as JSON, the rows whose roles disagree: name, parameter, role, and whether torch refused the mixture.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path[:0] = [str(Path(__file__).parents[2] / each) for each in ("server", "tests", "scripts")]

import torch  # noqa: E402
from torch.utils._pytree import tree_map  # noqa: E402

from against_torch.catalog_runs import Row, rows  # noqa: E402
from devls.library.effects import Result, Role  # noqa: E402
from devls.probe.standin import pretend  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

REFUSED = (Role.EXACT, Role.ELEMENT, Role.LIST)
SAMPLES = 3


def refused(row: Row, call: Any, cpu: str | None) -> bool | None:
    """Whether torch refuses the call with the tensors of one parameter on the CPU; None when it fails anyhow."""
    inputs = row.draft.parameters
    args, kwargs = list(call.args), dict(call.kwargs)
    for index, value in enumerate(args):
        name = inputs[min(index, len(inputs) - 1)].name
        args[index] = tree_map(_placed(name == cpu), value)
    for name, value in kwargs.items():
        kwargs[name] = tree_map(_placed(name == cpu), value)
    try:
        with torch.no_grad():
            row.function(*args, **kwargs)
    except (RuntimeError, TypeError, NotImplementedError, ValueError) as error:
        return True if "device" in str(error) or "should be the same" in str(error) else None
    return False


def _placed(on_cpu: bool) -> Callable[[Any], Any]:
    def place(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        return value.detach().clone() if on_cpu else value.detach().clone().to("cuda")

    return place


def main() -> None:
    warnings.simplefilter("ignore")
    known = rows()
    found, tried = [], 0
    with pretend():
        for row in known.values():
            if row.operation.result in (Result.NEW, Result.LIKE) or row.name.startswith("torch.nn.init"):
                continue
            for parameter in row.operation.parameters:
                verdicts = set()
                for call, seen in row.runs[:SAMPLES]:
                    ranks = seen.ranks.get(parameter.name, [])
                    sizes = [t.numel() for t in seen.inputs.get(parameter.name, [])]
                    others = [
                        p for p in row.operation.parameters if p.name in seen.ranks and p is not parameter
                    ]
                    if not any(each.role in REFUSED for each in others):
                        continue  # there is nothing to disagree with
                    if not ranks or min(ranks) == 0 or 0 in sizes:
                        continue
                    if refused(row, call, None) is False:
                        verdicts.add(refused(row, call, parameter.name))
                verdicts.discard(None)
                if len(verdicts) == 1:
                    tried += 1
                    verdict = verdicts.pop()
                    if verdict != (parameter.role in REFUSED) and parameter.role is not Role.INDEX:
                        found.append([row.name, parameter.name, parameter.role.value, verdict])
    print(json.dumps({"tried": tried, "disagreements": found}))


if __name__ == "__main__":
    main()
