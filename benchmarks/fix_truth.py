"""Effect of fixes on programs that torch runs: cured, silenced, or broken.

usage: fix_truth.py [--every N] [--list KIND] [--bench FOLDER] [--only WORD]

Each regression program, and each of a FOLDER that holds `index.jsonl` and the programs it names, runs on torch with a stand-in
accelerator: as it is, after `--fix`, and after `--fix --unsafe-fixes`. Counted of those with a mistake that was found:

- cured: it raised and runs; or it ran, runs, and nothing that was found is left;
- silenced: torch raises as before, and devls says nothing of it any longer (has to be 0);
- broken: it ran before, and raises after (has to be 0; correct programs that are changed count as well);
- places that are changed in a cured program, and the fixes that were applied to it.

KIND: uncured, silenced, broken, edits, left-out. A program is left out where the one that was meant does not run here.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]

from executed_fixes import ALL, SAFE, WAYS, Story, fixed_stories, is_mistake, run_stories  # noqa: E402
from regression_sets import all_programs, gather  # noqa: E402

KINDS = ("uncured", "silenced", "broken", "edits", "left-out")


def main() -> int:
    """Print the figures; returns whether something is silenced or broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="take every N-th program")
    parser.add_argument("--offset", type=int, default=0, help="begin with this one")
    parser.add_argument("--list", choices=KINDS, action="append", default=[], help="name such programs")
    parser.add_argument("--bench", type=Path, action="append", default=[], help="a folder of more programs")
    parser.add_argument("--only", default="", help="only programs whose id or mistake contains this")
    parser.add_argument("--no-regression", action="store_true", help="only those of the folders")
    options = parser.parse_args()
    cases = [] if options.no_regression else all_programs()
    for folder in options.bench:
        cases += gather(folder.name, folder)
    cases = [each for each in cases if options.only in f"{each.id} {each.mistake}"]
    stories = fixed_stories(cases[options.offset :: options.every])
    run_stories(stories)
    print(table(stories))
    for kind in options.list:
        print(f"\n{kind}:")
        print("\n".join(listed(kind, stories)))
    ran = [each for each in stories if not each.left_out]
    return int(any(each.is_silenced(way) or each.is_broken(way) for each in ran for way in WAYS))


def table(stories: list[Story]) -> str:
    """The figures of all programs, as Markdown."""
    ran = [each for each in stories if not each.left_out]
    found = [each for each in ran if is_mistake(each)]
    raised = [each for each in found if each.before.raised]
    quiet = [each for each in found if not each.before.raised]
    lines = ["| | `--fix` | `--fix --unsafe-fixes` |", "|---|---|---|"]
    for title, some in (("cured", found), ("cured, raised before", raised), ("cured, ran before", quiet)):
        lines.append(f"| {title} | {_shares(some)} |")
    lines.append(f"| silenced | {_numbers(ran, 'is_silenced')} |")
    lines.append(f"| broken | {_numbers(ran, 'is_broken')} |")
    for title, name in (("places changed in a cured program", "edits"), ("fixes applied to it", "applied")):
        lines.append(f"| {title} | {_means(found, name)} |")
    wrong = [each for each in stories if each.case.broken]
    out = [each for each in wrong if each.left_out]
    missed = sum(not each.found for each in wrong if not each.left_out)
    lines.append(
        f"\n{len(wrong)} programs with a mistake: {len(out)} left out, {missed} not found, {len(found)} counted."
        f" {sum(not each.case.broken for each in ran)} correct programs are changed."
    )
    lines.append(_by_mistake(found))
    return "\n".join(lines)


def _shares(stories: list[Story]) -> str:
    counts = [sum(each.is_cured(way) for each in stories) for way in WAYS]
    return " | ".join(f"{count} of {len(stories)} ({count / max(1, len(stories)):.1%})" for count in counts)


def _numbers(stories: list[Story], name: str) -> str:
    return " | ".join(str(sum(getattr(each, name)(way) for each in stories)) for way in WAYS)


def _means(found: list[Story], name: str) -> str:
    means = list[str]()
    for way in WAYS:
        cured = [each for each in found if each.is_cured(way) and each.fixed[way].applied]
        means.append(f"{sum(getattr(each.fixed[way], name) for each in cured) / max(1, len(cured)):.2f}")
    return " | ".join(means)


def _by_mistake(found: list[Story]) -> str:
    counted = Counter(each.case.mistake for each in found)
    cured = Counter(each.case.mistake for each in found if each.is_cured(ALL))
    rows = sorted(counted, key=lambda each: (cured[each] - counted[each], each))
    lines = ["\n| Mistake | programs | not cured |", "|---|---|---|"]
    lines += [f"| {each} | {counted[each]} | {counted[each] - cured[each]} |" for each in rows]
    return "\n".join(lines)


def listed(kind: str, stories: list[Story]) -> list[str]:
    """Lines about the programs of a kind."""
    if kind == "left-out":
        return [f"{each.case.id}: {each.left_out}" for each in stories if each.case.broken and each.left_out]
    ran = [each for each in stories if not each.left_out]
    if kind == "edits":
        many = [each for each in ran if each.is_cured(ALL) and each.fixed[ALL].edits > 1]
        return [
            f"{each.case.id}: {each.fixed[ALL].edits} places, {_rules(each)}: {each.case.mistake}"
            for each in sorted(many, key=lambda each: -each.fixed[ALL].edits)
        ]
    if kind == "uncured":
        return [_told(each, ALL) for each in ran if is_mistake(each) and not each.is_cured(ALL)]
    name = f"is_{kind}"
    return [f"{way}: {_told(each, way)}" for way in (SAFE, ALL) for each in ran if getattr(each, name)(way)]


def _told(story: Story, way: str) -> str:
    after, before = story.after[way], story.before
    return (
        f"{story.case.id} [{story.case.mistake}] {_rules(story)}\n    left: {', '.join(story.fixed[way].rules) or '-'};"
        f" {story.fixed[way].applied} applied\n    before: {before.raised[:110] or 'ran'}\n"
        f"    after:  {(after.raised or after.died)[:110] or 'ran'} ({after.file}:{after.line})"
    )


def _rules(story: Story) -> str:
    return ", ".join(each.rule for each in story.found)


if __name__ == "__main__":
    sys.exit(main())
