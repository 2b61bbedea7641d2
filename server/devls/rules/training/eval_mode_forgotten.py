"""eval-mode-forgotten: a model that was loaded, or has been trained, is used for predictions in train mode."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.calls import DropsInAnyMode, FrozenInTrainMode, ModeForgotten, ModeUnheeded
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import parents
from devls.syntax.live import Definition
from devls.syntax.nodes import of_kind
from devls.text.edits import Applicability, Edit, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source


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
        source = event.site.source
        before = _evaluation_around(source, event.statement, event.model)
        changes: list[Edit | None] = [rewrite.insert_before(source, before, f"{event.model}.eval()")]
        title = f"Call `{event.model}.eval()` before"
        if _goes_on_training(source, before, event.model):
            changes.append(rewrite.insert_after(source, before, f"{event.model}.train()"))
            title += ", and `train()` after it"
        found = fixes(Fix(title, edits(*changes), Applicability.UNSAFE))
    return Finding(
        f"`{event.model}` is evaluated without gradients and still in train mode: its {event.different} behaves as in"
        " training",
        event.site,
        Confidence.LIKELY,
        fixes=found,
        notes=(Note(event.loaded, "it was trained here, and nothing has called `eval()` since"),),
    )


def _evaluation_around(source: Source, statement: ast.stmt, model: str) -> ast.stmt:
    """The outermost loop that only evaluates: nothing in it may train or bind the model. Without one, the statement itself."""
    owner = model.partition(".")[0]
    found, around = statement, parents(source).get(statement)
    while isinstance(around, ast.stmt) and not isinstance(around, Definition):
        if isinstance(around, ast.For):
            if _may_train(around, owner):
                break
            found = around
        around = parents(source).get(around)
    return found


_OF_TRAINING: Final = frozenset({"backward", "train", "eval", "step"})


def _goes_on_training(source: Source, statement: ast.stmt, model: str) -> bool:
    """Whether a loop around an evaluation trains in its next round, without a call that would put the model back into train mode."""
    around, owner = parents(source).get(statement), model.partition(".")[0]
    while isinstance(around, ast.stmt) and not isinstance(around, Definition):
        if isinstance(around, (ast.For, ast.While)) and _may_train(around, owner):
            called = {source.slice(each.func) for each in of_kind(around, ast.Call)}
            return f"{model}.train" not in called and not isinstance(statement, ast.Return)
        around = parents(source).get(around)
    return False


def _may_train(loop: ast.For | ast.While, owner: str) -> bool:
    """Whether a loop trains, binds the model to another, or calls functions of the project, which may."""
    return (
        any(each.attr in _OF_TRAINING for each in of_kind(loop, ast.Attribute))
        or any(each.id == owner and isinstance(each.ctx, ast.Store) for each in of_kind(loop, ast.Name))
        or any(
            isinstance(each.func, ast.Name) and each.func.id != owner and not hasattr(builtins, each.func.id)
            for each in of_kind(loop, ast.Call)
        )
    )
