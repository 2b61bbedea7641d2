"""hard-coded-device: an accelerator is asked for by name in a program that chooses its device."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.calls import DeviceDemanded
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import parents
from devls.text.edits import Applicability, Edit, Fix, Range

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("hard-coded-device", on=DeviceDemanded, level="warning")
def hard_coded_device(event: DeviceDemanded) -> Iterator[Finding]:
    """Report at the call: a warning where the program chooses its device, an opinion elsewhere."""
    if event.chosen is None:
        yield Finding(
            f"`{event.text}` runs only where CUDA is: let the program choose its device",
            event.site,
            Confidence.CERTAIN,
            level="off",
        )
        return
    if event.how == "autocast":
        said = f"`{event.text}` names one kind of device, but the program may have chosen another, where it has no effect"
    else:
        said = f"`{event.text}` asks for CUDA, whatever device the program has chosen: torch raises on a machine without CUDA"
    yield Finding(
        said,
        event.site,
        Confidence.LIKELY,
        fixes=_fix(event),
        notes=(Note(event.chosen, "here the device is chosen, or asked for"),),
    )


def _fix(event: DeviceDemanded) -> tuple[Fix, ...]:
    source, call = event.site.source, event.site.node
    if not isinstance(call, ast.Call):
        return ()
    if event.how == "torch.cuda":
        if not isinstance(event.statement, ast.Expr):
            return ()
        edit = rewrite.wrap_statement(source, event.statement, "if torch.cuda.is_available():")
        if edit is None:
            return ()
        return fixes(Fix("Do it where CUDA is", edits(edit), Applicability.UNSAFE))
    if not event.target and event.in_constructor and event.how == "cuda()" and event.receiver is not None:
        return _left_to_the_module(event, event.receiver)
    if not event.target:
        return ()
    if event.argument is not None:
        edit = rewrite.replace(source, event.argument, event.target)
    elif isinstance(event.receiver, ast.expr) and not call.args and not call.keywords:
        start, end = source.range(call.func).end, source.range(call).end
        name = source.text.rfind("cuda", source.range(event.receiver).end, start)
        if name < 0:
            return ()
        edit = Edit(Range(name, end), f"to({event.target})")
    else:
        return ()
    return fixes(Fix(f"Use `{event.target}`", edits(edit), Applicability.UNSAFE))


def _left_to_the_module(event: DeviceDemanded, receiver: ast.expr) -> tuple[Fix, ...]:
    """The parts of a module move with it: submodules as they are, tensors where they are registered."""
    source, call = event.site.source, event.site.node
    moved = source.slice(receiver)
    parent = parents(source).get(call)
    if not event.is_module and isinstance(parent, ast.Assign):
        target = parent.targets[0]
        if len(parent.targets) > 1 or not isinstance(target, ast.Attribute):
            return ()  # nothing would move it
        code = f'{source.slice(target.value)}.register_buffer("{target.attr}", {moved}, persistent=False)'
        edit = rewrite.replace(source, parent, code)
        return fixes(Fix(f"Register `{target.attr}` as a buffer", edits(edit), Applicability.UNSAFE))
    if not event.is_module and not isinstance(parent, ast.Call):
        return ()
    edit = rewrite.replace(source, call, moved)
    return fixes(Fix("Leave it to the module's own `.to`", edits(edit), Applicability.UNSAFE))
