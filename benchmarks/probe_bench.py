"""How many findings torch confirms, and how long it takes to say so.

    probe_bench.py FOLDER [--python PATH] [--min-confirmed 0.8] [--max-median-ms 150] [-v]

FOLDER holds `index.jsonl` and the programs it names: `cases/<id>/bug.py` or `cases/<id>/bug/*.py`, for each row with
`"kind": "bug"`; its `bug_lines` say where (file to lines). A case is found when a finding, or a place related to one,
stands on such a line, or on the next one where something is missing. It is confirmed when torch confirms such a finding.

Latencies are of questions never asked before, by a worker that is warm.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from devls.analysis import Analysis, Analyzer, Diagnostic
from devls.config import Config
from devls.probe.client import Probe
from devls.probe.experiment import Verdict
from devls.project.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_OMISSIONS = ("missing", "misplaced", "without", "not-called", "incomplete")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--min-confirmed", type=float, default=0.8)
    parser.add_argument("--max-median-ms", type=float, default=150.0)
    parser.add_argument("-v", "--verbose", action="store_true")
    given = parser.parse_args()
    probe = Probe(given.python)
    for accelerator in (False, True):
        probe.ask("import torch; r = torch.ones(2)", accelerator=accelerator)
    if probe.problem:
        print(f"nobody to ask: {probe.problem}")
        return 2
    times: list[float] = []
    verdicts: dict[str, set[Verdict]] = {}
    for row in map(json.loads, (given.folder / "index.jsonl").read_text(encoding="utf-8").splitlines()):
        if row["kind"] != "bug":
            continue
        for found in _findings(given.folder / "cases" / row["id"], row):
            if found.question is None:
                continue
            experiment = found.question
            fresh = not probe.knows(experiment)
            began = time.perf_counter()
            said = probe.conduct(experiment)
            if fresh:
                times.append((time.perf_counter() - began) * 1000)
            verdicts.setdefault(row["id"], set()).add(said.verdict)
            if given.verbose or said.verdict is not Verdict.CONFIRMED:
                print(f"{row['id']}: {found.rule}: {said.verdict.value}: {said.says[:200]}\n{said.snippet}")
    probe.close()
    confirmed = sum(Verdict.CONFIRMED in each for each in verdicts.values())
    refuted = sum(Verdict.REFUTED in each for each in verdicts.values())
    share = confirmed / max(1, len(verdicts))
    median = statistics.median(times) if times else 0.0
    print(
        f"torch {probe.torch}: {confirmed} of {len(verdicts)} found cases confirmed ({share:.0%}), {refuted} refuted"
    )
    print(f"{len(times)} questions, median {median:.0f} ms, slowest {max(times, default=0.0):.0f} ms")
    return int(share < given.min_confirmed or refuted > 0 or median > given.max_median_ms)


def _findings(case: Path, row: dict[str, Any]) -> Iterator[Diagnostic]:
    """The findings that stand where the case says its mistake is."""
    folder = case / "bug" if (case / "bug").is_dir() else case
    files = sorted(folder.glob("*.py")) if folder is not case else [case / "bug.py"]
    slack = int(any(word in row["class"] for word in _OMISSIONS))
    wanted = {
        (Path(name).name, line + step)
        for name, lines in row["bug_lines"].items()
        for line in lines
        for step in range(-slack, slack + 1)
    }
    workspace = Workspace((str(folder),))
    analyzer = Analyzer(workspace, lambda _path: Config(), hovers=False, questions=True)
    for path in files:
        analysis = analyzer.analyze(str(path))
        for found in analysis.diagnostics:
            if any(each in wanted for each in _places(workspace, analysis, found)):
                yield found


def _places(workspace: Workspace, analysis: Analysis, found: Diagnostic) -> Iterator[tuple[str, int]]:
    for path, place in ((found.path, found.range), *((each.path, each.range) for each in found.related)):
        source = analysis.source if path == analysis.path else workspace.source(path)
        yield Path(path).name, source.index.position(place.start)[0] + 1


if __name__ == "__main__":
    sys.exit(main())
