"""aliasing-without-clone: what was kept for later is the memory of something that changes."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.protocols import MemoryShared
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.values.history import Site

_KEPT: Final = re.compile(r"(?i)best|snapshot|backup|saved|orig|init|old|prev|before|kept")
"""Names that programs give weights that they want back. Others fill a `state_dict` in place and load it, which does no
harm.
"""


_NOTES: Final = {
    "compared": "they are compared here",
    "averaged": "it follows its own memory here",
    "summed": "what was added is put into the list here",
}


@rule("aliasing-without-clone", on=MemoryShared, level="warning")
def aliasing_without_clone(event: MemoryShared) -> Iterator[Finding]:
    """Report where it was taken."""
    if event.how in ("loaded", "restored", "kept", "shared"):
        yield from (_shared if event.how == "shared" else _loaded)(event)
        return
    if event.how == "assigned":
        yield _assigned(event)
        return
    if event.how == "itself":
        yield Finding(
            f"`{event.text}` and `{event.other}` are the same parameter: the model that is to follow the trained one is that one"
            " itself. Make it by `copy.deepcopy`",
            event.site,
            Confidence.LIKELY,
        )
        return
    if event.how == "repeated":
        yield Finding(
            f"`{event.text}` is repeated, and all entries are one layer with the same parameters. Make each one in a comprehension",
            event.site,
            Confidence.LIKELY,
        )
        return
    node, text = event.taken.node, event.text
    found: tuple[Fix, ...] = ()
    if isinstance(node, ast.expr):
        edit = rewrite.append(event.taken.source, node, ".clone()")
        found = fixes(Fix("Clone what is kept", edits(edit), Applicability.UNSAFE))
    if event.how == "compared":
        said = (
            f"`{' '.join(event.taken.source.slice(node).split())}` shares the memory of `{event.other}`, so `{text}` has changed"
            f" with it: the two are always equal. Keep a `.clone()`"
        )
    elif event.how == "averaged":
        said = (
            f"`{text}` shares the memory of `{event.other}`, which it is to follow: the parameters themselves are changed. Keep a"
            " `.clone()`"
        )
    elif event.how == "summed":
        said = (
            f"`{text}` is in a list, and other items of that list are added to it in place: the list then holds the sum instead of"
            f" `{text}`. Add to a `.clone()`"
        )
    else:
        said = (
            f"`{text}` is changed in place and put into the same list again: all entries share one memory, and show the last"
            " values. Append a `.clone()`"
        )
    also = _NOTES.get(event.how)
    notes = () if also is None else (Note(event.site, also),)
    yield Finding(said, event.taken, Confidence.CERTAIN, fixes=found, notes=notes)


def _assigned(event: MemoryShared) -> Finding:
    """`p.data = q.data`; the numbers are copied instead."""
    statement, source = event.statement, event.site.source
    found: tuple[Fix, ...] = ()
    if isinstance(statement, ast.Assign):
        edit = rewrite.append(source, statement.value, ".clone()")
        found = fixes(Fix("Clone what is taken over", edits(edit), Applicability.UNSAFE))
    return Finding(
        f"`{event.text}` has the memory of `{event.other}` from here on, which an optimizer changes: each step changes both",
        event.site,
        Confidence.LIKELY,
        fixes=found,
    )


def _shared(event: MemoryShared) -> Iterator[Finding]:
    yield Finding(
        f"`{event.other}` is given the weights of another module, but `{event.text}` is the same tensor in both: each step changes both",
        event.site,
        Confidence.LIKELY,
        notes=(Note(event.taken, f"`{event.other}` is made of a part that the other one has, too"),),
    )


def _receiver(site: Site) -> str:
    """The text of what a method is called on, if that is what stands at a place."""
    node = site.node
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return site.source.slice(node.func.value) if is_method else ""  # type: ignore[attr-defined]


def _loaded(event: MemoryShared) -> Iterator[Finding]:
    asked = event.taken.node
    other = _receiver(event.taken)
    if other and other != event.other and asked in ast.walk(event.site.node):
        yield Finding(
            f"`{event.other}` and `{other}` are the same module: copying its weights onto itself does nothing, and training one"
            " trains the other. Make one a `copy.deepcopy`",
            event.site,
            Confidence.LIKELY,
            notes=_made_one(event, other),
        )
        return
    if event.how in ("loaded", "kept") and not _KEPT.search(event.text):
        return
    call = event.taken.node
    found: tuple[Fix, ...] = ()
    if isinstance(call, ast.Call):
        text = f"{{name: value.clone() for name, value in {event.taken.source.slice(call)}.items()}}"
        edit = rewrite.replace(event.taken.source, call, text)
        found = fixes(Fix("Clone what is kept", edits(edit), Applicability.UNSAFE))
    yield Finding(
        f"`state_dict()` does not copy the weights, so `{event.text}` changes with every step: loading it into"
        f" `{event.other}` later restores nothing. Copy it",
        event.taken,
        Confidence.LIKELY if event.how == "kept" else Confidence.CERTAIN,
        fixes=found,
        notes=(Note(event.site, "it is loaded here"),),
    )


def _made_one(event: MemoryShared, other: str) -> tuple[Note, ...]:
    """Place at which one name was given the module of the other."""
    source, names = event.site.source, {event.other, other}
    for each in ast.walk(source.tree):
        if isinstance(each, ast.Assign) and len(each.targets) == 1:
            texts = {source.slice(each.targets[0]), source.slice(each.value)}
            if texts == names:
                return (Note(type(event.site)(source, each), "it is given its second name here"),)
    return ()
