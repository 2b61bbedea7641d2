"""activation-before-loss: a loss is given scores, probabilities or logarithms where it wants others of these."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.core.events.calls import ActivationDoubled
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import parents
from devls.syntax.nodes import of_kind
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source
    from devls.text.edits import Edit

_SAID: Final = {
    "softmax twice": (
        "`{}` applies a softmax itself, but its input has been through one: gradients become tiny, and training is slow or stops. Pass the scores"
    ),
    "sigmoid twice": (
        "`{}` applies a sigmoid itself, but its input has been through one: gradients become tiny, and training is slow or stops. Pass the scores"
    ),
    "sigmoid of softmax": (
        "`{}` applies a sigmoid itself, but is given probabilities: none of them comes out below 0.5, and gradients become tiny. Pass the scores"
    ),
    "no logarithm": (
        "`{}` expects logarithms of probabilities, but is given probabilities: the loss is between -1 and 0, and its"
        " gradients are wrong. Use `log_softmax`"
    ),
    "raw scores": (
        "`{}` expects logarithms of probabilities, but is given scores: the loss falls without end as the scores grow."
        " `cross_entropy` takes scores"
    ),
    "divergence of probabilities": (
        "`{}` expects logarithms of probabilities first, but is given probabilities: equal distributions have a negative"
        " loss, and its gradients are wrong"
    ),
    "divergence of scores": (
        "`{}` expects logarithms of probabilities first, but is given scores: the loss falls without end as the scores grow"
    ),
    "logarithms as target": (
        "`{}` expects probabilities as its target, but is given their logarithms: say `log_target=True`"
    ),
    "bounded scores": (
        "`{}` applies a softmax itself, and is given numbers between 0 and 1: even perfect ones have a large loss. Pass the scores"
    ),
    "scores without sign": (
        "`{}` takes scores of either sign, but these have been through a relu: what is below zero gets no gradient. Pass what goes into it"
    ),
    "sigmoid of relu": (
        "`{}` applies a sigmoid itself, but its input has been through a relu: no probability comes out below 0.5. Pass what goes into it"
    ),
    "other dimension": (
        "`{}` takes the classes along the second dimension, but the softmax is over another one: its probabilities do not add up"
        " to one for a sample"
    ),
    "no signs": "`{}` takes targets of 1 and -1, but is given zeros: a pair with 0 has no gradient, or is not what was meant",
    "no sigmoid": (
        "`{}` expects probabilities, but is given {}: torch raises as soon as one is not between 0 and 1"
    ),
}


@rule("activation-before-loss", on=ActivationDoubled, level="warning")
def activation_before_loss(event: ActivationDoubled) -> Iterator[Finding]:
    """Report at the loss."""
    scores = event.activation == "linear"
    yield Finding(
        _SAID[event.problem].format(event.loss, "scores" if scores else "logarithms"),
        event.site,
        Confidence.CERTAIN,
        fixes=_of_another_loss(event) or repairs.elsewhere(_of_other_values(event), event.site.source),
        notes=_notes(event),
        unit=""
        if event.made is None
        else f"{event.made.source.path}:{event.made.source.range(event.made.node).start}",
    )


_TAKES: Final = {
    "sigmoid twice": {
        "BCEWithLogitsLoss": "BCELoss",
        "binary_cross_entropy_with_logits": "binary_cross_entropy",
    },
    "no sigmoid": {
        "BCELoss": "BCEWithLogitsLoss",
        "binary_cross_entropy": "binary_cross_entropy_with_logits",
    },
    "raw scores": {"NLLLoss": "CrossEntropyLoss", "nll_loss": "cross_entropy"},
}
"""By the problem, and by the loss: the one that takes what it is given."""


def _of_another_loss(event: ActivationDoubled) -> tuple[Fix, ...]:
    """The loss that takes such values, in the place of this one."""
    other = _TAKES.get(event.problem, {}).get(event.loss)
    place = event.built or event.site
    call = place.node
    if (
        other is None
        or (event.problem == "no sigmoid" and event.activation != "linear")
        or not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Attribute)
        or call.func.attr != event.loss
        or any(each.arg in (None, "pos_weight") for each in call.keywords)
    ):
        return ()
    text = f"{place.source.slice(call.func.value)}.{other}"
    edit = rewrite.replace(place.source, call.func, text)
    found = fixes(Fix(f"Use `{other}`, which takes them", edits(edit), Applicability.UNSAFE))
    return repairs.elsewhere(found, event.site.source)


def _of_other_values(event: ActivationDoubled) -> tuple[Fix, ...]:
    """A softmax is left out, or gives logarithms."""
    if event.made is None or event.activation != "softmax" or not isinstance(event.made.node, ast.Call):
        return ()
    call, source = event.made.node, event.made.source
    if event.problem in ("no logarithm", "divergence of probabilities"):
        if (
            not isinstance(call.func, ast.Attribute)
            or call.func.attr != "softmax"
            or not _names_dim(call)
            or len(_uses(source, call)) > 1
        ):
            return ()
        text = f"{repairs.as_receiver(source, call.func.value)}.log_softmax"
        edit = rewrite.replace(source, call.func, text)
        return fixes(Fix("Use `log_softmax`", edits(edit), Applicability.UNSAFE))
    scores = _scores(call)
    if scores is None or event.problem not in ("softmax twice", "sigmoid of softmax"):
        return ()
    changes = _left_out(source, call, scores, event.operand)
    return fixes(Fix("Leave out the softmax", changes, Applicability.UNSAFE))


def _left_out(source: Source, call: ast.Call, scores: ast.expr, operand: ast.expr | None) -> tuple[Edit, ...]:
    """The scores in the place of the softmax, or where the loss is given a name for it."""
    statement = parents(source).get(call)
    if not isinstance(statement, ast.Assign) or not isinstance(scores, ast.Name):
        return edits(repairs.as_itself(source, call, source.slice(scores)))
    uses = _uses(source, call)
    if not isinstance(operand, ast.Name) or operand not in uses or operand.id == scores.id:
        return edits(repairs.as_itself(source, call, scores.id))
    if any(
        each.id == scores.id and isinstance(each.ctx, ast.Store) and each.lineno > call.lineno
        for each in of_kind(_around(source, call), ast.Name)
    ):
        return ()
    passed = rewrite.replace(source, operand, scores.id)
    return edits(passed, *([rewrite.delete_statement(source, statement)] if len(uses) == 1 else []))


def _uses(source: Source, call: ast.Call) -> list[ast.Name]:
    """Where the name is read, in the same function, to which a statement assigns the result of a call."""
    statement = parents(source).get(call)
    bound = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(bound, ast.Name):
        return []
    return [
        each
        for each in of_kind(_around(source, call), ast.Name)
        if each.id == bound.id and isinstance(each.ctx, ast.Load)
    ]


def _around(source: Source, node: ast.AST) -> ast.AST:
    """The function that a node is in, or all of the file."""
    around = parents(source).get(node)
    while around is not None and not isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
        node, around = around, parents(source).get(around)
    return node if around is None else around


def _names_dim(call: ast.Call) -> bool:
    return len(call.args) > 1 or any(each.arg == "dim" for each in call.keywords)


def _scores(call: ast.Call) -> ast.expr | None:
    """The tensor that a softmax goes over: of `F.softmax(x, dim=1)`, `x.softmax(1)`, `self.softmax(x)`."""
    name = (
        call.func.attr
        if isinstance(call.func, ast.Attribute)
        else call.func.id
        if isinstance(call.func, ast.Name)
        else ""
    )
    if name.lower() != "softmax":
        return None
    if call.args and not isinstance(call.args[0], (ast.Constant, ast.UnaryOp, ast.Starred)):
        return call.args[0]
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def _notes(event: ActivationDoubled) -> tuple[Note, ...]:
    if event.made is None:
        return ()
    computed = event.activation == "linear" or event.problem == "no signs"
    return (Note(event.made, "they are computed here" if computed else f"the {event.activation} is here"),)
