"""Hold the engine against torch on many random programs: `make fuzz`, or `python scripts/fuzz.py --count 20000`.

Prints every contradiction's smallest program, and how often the engine had an opinion and reported what torch raised.
Exit status 1 if anything was contradicted.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

from against_torch import random_programs, scene_programs, wide_programs  # noqa: E402
from against_torch.comparing import Figures, Torch, contradictions, listing  # noqa: E402

BATCH = 250


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000, help="how many programs")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument(
        "--style",
        choices=("training", "wide", "scenes", "mixed"),
        default="mixed",
        help="which generator; mixed: of ten one is wide, and one made of scenes",
    )
    parser.add_argument("--length", type=int, default=14, help="the most statements in a program")
    parser.add_argument("--show", type=int, default=10, help="how many contradictions to print")
    parser.add_argument(
        "--misses", default="", help="also print programs with errors of that kind that devls missed"
    )
    options = parser.parse_args()
    with Torch() as torch:
        return fuzz(options, torch)


def fuzz(options: argparse.Namespace, torch: Torch) -> int:
    """Compare programs; the exit status."""
    figures, wrong, kinds = Figures(), list[tuple[str, str]](), Counter[str]()
    end = options.start + options.count
    starts = range(options.start, end, BATCH)
    batches = (
        {str(seed): program(seed, options) for seed in range(start, min(start + BATCH, end))}
        for start in starts
    )
    coming = next(batches, None)
    if coming is not None:
        torch.send(coming)
    while coming is not None:
        texts, runs, coming = coming, torch.receive(coming), next(batches, None)
        if coming is not None:
            torch.send(coming)  # torch goes on while the engine looks at these
        for seed, text in texts.items():
            found = list(contradictions(text, runs[seed], figures))
            if found:
                wrong.append((text, found[0]))
                kinds[_shape_of(found[0])] += 1
                print(f"seed {seed}: {found[0]}", file=sys.stderr)
        print(f"{figures.programs} programs, {len(wrong)} contradicted", file=sys.stderr)
    smallest = dict[str, tuple[str, str]]()
    for text, message in sorted(wrong, key=lambda each: -len(each[0])):
        smallest[_shape_of(message)] = (text, message)
    chosen = [kind for kind, _ in kinds.most_common(options.show)]
    for text, message in shrink(torch, {kind: smallest[kind] for kind in chosen}).values():
        print(f"{message}\n{listing(text)}\n")
    for kind, count in kinds.most_common(20):
        print(f"{count:6} {kind}")
    report(figures, len(wrong))
    for miss in sorted(figures.missed.get(options.misses, []), key=len)[: options.show]:
        print(miss, end="\n\n")
    return 1 if wrong else 0


def program(seed: int, options: argparse.Namespace) -> str:
    """The program of a seed, by one of the three generators."""
    if options.style == "scenes" or (options.style == "mixed" and seed % 10 == 5):
        return scene_programs.program(seed)
    if options.style == "wide" or (options.style == "mixed" and seed % 10 == 0):
        return wide_programs.program(seed, options.length)
    return random_programs.program(seed, options.length)


def report(figures: Figures, wrong: int) -> None:
    print(
        f"{figures.programs} programs ({figures.clean} run clean), {figures.values} values; {wrong} programs contradicted"
    )
    if figures.died:
        print(f"  left out, because they ended torch's process: {figures.died}")
    for name in ("device", "requires_grad", "is_leaf", "shape", "dtype"):
        print(f"  an opinion on {name}: {figures.opinions[name] / max(1, figures.values):.1%}")
    for kind, count in figures.raised.most_common():
        print(f"  {kind}: {figures.reported[kind]} of {count} reported")


def _shape_of(message: str) -> str:
    """Kind of a contradiction: the rule, or the fact of the value that differs."""
    if message.startswith(("false alarm", "crash")):
        return message.split(",", maxsplit=1)[0]
    first, _, second = message.partition("\n    torch: ")
    true = dict(re.findall(r"'(\w+)': '([^']*)'", second))
    believed = dict(re.findall(r"(\w+)=(\([^)]*\)|\S+)", first))
    wrong = [
        f"{name} {value}" for name, value in believed.items() if "?" not in value and value != true.get(name)
    ]
    return "value " + ", ".join(each for each in wrong if not each.startswith("shape") or len(wrong) == 1)


def shrink(torch: Torch, cases: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Drop lines of (program, message) pairs, by kind, as long as a contradiction of the kind stays."""
    return {kind: _smallest(torch, kind, *case) for kind, case in cases.items()}


def _smallest(torch: Torch, kind: str, text: str, message: str) -> tuple[str, str]:
    """Take away stretches of lines from the end to the beginning, shorter ones each time."""
    lines = text.splitlines()
    for size in (16, 6, 3, 2, 1, 1):
        start = len(lines) - size
        while start >= 0:
            shorter = "\n".join(lines[:start] + lines[start + size :]) + "\n"
            left = _still(torch, kind, shorter)
            if left:
                lines, message = shorter.splitlines(), left
            start -= size if left else max(1, size // 2)
    return "\n".join(lines) + "\n", message


def _still(torch: Torch, kind: str, text: str) -> str:
    """The contradiction of that kind in a program, which has to be one that could be meant; "" for none."""
    try:
        compile(text, "program.py", "exec")
    except SyntaxError:
        return ""
    runs = torch.run({"": text})[""]
    if any("NameError" in run.raised for run in runs):
        return ""
    found = (each for each in contradictions(text, runs, Figures()) if _shape_of(each) == kind)
    return next(found, "")


if __name__ == "__main__":
    sys.exit(main())
