"""eval-mode-forgotten: a model that was loaded, or has been trained, is used for predictions in train mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devls.engine.core.events.calls import DropsInAnyMode, FrozenInTrainMode, ModeForgotten, ModeUnheeded
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("eval-mode-forgotten", on=ModeUnheeded, level="warning")
def eval_mode_forgotten(event: ModeUnheeded) -> Iterator[Finding]:
    """Report at the call of the model, or of a function that knows no mode."""
    found: tuple[Fix, ...] = ()
    if isinstance(event, DropsInAnyMode):
        yield _in_any_mode(event)
        return
    if isinstance(event, FrozenInTrainMode):
        yield Finding(
            f"the parameters of `{event.layer}` are frozen here, but training runs it in train mode: its running statistics go on"
            " changing. Call `eval()` on what is frozen",
            event.site,
            Confidence.LIKELY,
            notes=(Note(event.called, "it runs here"),),
        )
        return
    if not isinstance(event, ModeForgotten):
        return
    if event.trained:
        yield _after_training(event)
        return
    statement = event.load_statement
    if (
        statement is not None
        and event.loaded.source is event.site.source
        and event.loaded.calls == event.site.calls
    ):
        edit = rewrite.insert_after(event.site.source, statement, f"{event.model}.eval()")
        found = fixes(Fix(f"Call `{event.model}.eval()` after loading", edits(edit), Applicability.UNSAFE))
    yield Finding(
        f"`{event.model}` was loaded to be used, and is still in train mode: its {event.different} behaves as in training",
        event.site,
        Confidence.LIKELY,
        fixes=found,
        notes=(Note(event.loaded, "the weights are loaded here"),),
    )


def _in_any_mode(event: DropsInAnyMode) -> Finding:
    if event.is_layer:
        return Finding(
            f"this `{event.function}` is new in every forward and so in train mode: it drops numbers in eval mode too. Build it in"
            " `__init__`",
            event.site,
            Confidence.CERTAIN,
        )
    edit = rewrite.add_argument(event.site.source, event.call, "training=self.training")
    return Finding(
        f"`{event.function}` drops numbers in eval mode too: it has to be told, by `training=self.training`",
        event.site,
        Confidence.CERTAIN,
        fixes=fixes(Fix("Give it `training=self.training`", edits(edit), Applicability.UNSAFE)),
    )


def _after_training(event: ModeForgotten) -> Finding:
    found: tuple[Fix, ...] = ()
    if event.statement is not None:
        edit = rewrite.insert_before(event.site.source, event.statement, f"{event.model}.eval()")
        found = fixes(Fix(f"Call `{event.model}.eval()` before", edits(edit), Applicability.UNSAFE))
    return Finding(
        f"`{event.model}` is evaluated without gradients and still in train mode: its {event.different} behaves as in"
        " training",
        event.site,
        Confidence.LIKELY,
        fixes=found,
        notes=(Note(event.loaded, "it was trained here, and nothing has called `eval()` since"),),
    )
