"""optimizer-parameters: an optimizer is given what it cannot train."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devls.engine.core.events.events import OptimizerGiven
from devls.rules import repairs
from devls.rules.rule import Confidence, Finding, Note, edits, fixes, rule
from devls.syntax import rewrite
from devls.syntax.layout import ancestors, block_of
from devls.syntax.nodes import walk
from devls.text.edits import Applicability, Fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devls.syntax.source import Source

_PROBLEMS = {
    "non-leaf": '`{text}` holds a tensor that is no leaf: torch raises "can\'t optimize a non-leaf Tensor"',
    "empty": '`{text}` is empty: torch raises "optimizer got an empty parameter list"',
    "exhausted": '`{text}` is an iterator, and {where} has used it up: torch raises "optimizer got an empty parameter list"',
    "exhausted group": "`{text}` holds an iterator, and {where} has used it up: that group of `{optimizer}` is empty, and nothing in it is trained",
    "nothing clipped": "`{text}` is an iterator, and {where} has used it up: `{optimizer}` clips nothing",
    "left out": "`{text}` gets gradients from the loss, and no optimizer holds its parameters: they never change",
    "added later": "`{text}` is made after `{optimizer}` took the parameters: it gets gradients, and never changes",
    "plain": "`{text}` gets gradients, but is a plain tensor: `parameters()` does not list it, no optimizer holds it, and it never"
    " changes. Make it an `nn.Parameter`",
    "module": "`{text}` is a module, but an optimizer takes parameters: torch raises. Pass `{text}.parameters()`",
    "tensor": "`{text}` is one tensor, but an optimizer takes a list of them: torch raises. Pass `[{text}]`",
    "frozen": "none of the parameters of `{optimizer}` requires grad when it steps: nothing is trained",
    "twice": "`{text}` holds a parameter twice: torch warns of it, and each step changes it twice",
    "unfrozen": "`{text}` is to be trained from here on, but `{optimizer}` was made without it, and it never changes. Add it by"
    " `add_param_group`",
    "made anew": "`{optimizer}` is made anew in each iteration, and steps once: its averages of the gradients begin at zero each time."
    " Make it before the loop",
    "replaced": "`{text}` is replaced after `{optimizer}` took the parameters: the new ones are never updated. Build the optimizer afterwards",
}

_SILENT = frozenset(
    {
        "twice",
        "frozen",
        "exhausted group",
        "nothing clipped",
        "left out",
        "added later",
        "plain",
        "made anew",
        "unfrozen",
    }
)


@rule("optimizer-parameters", on=OptimizerGiven, level="error")
def optimizer_parameters(event: OptimizerGiven) -> Iterator[Finding]:
    """Report at the construction."""
    found: tuple[Fix, ...] = ()
    source = event.site.source
    if isinstance(event.argument, ast.expr):
        if event.problem == "module":
            edit = rewrite.append(source, event.argument, ".parameters()")
            found = fixes(Fix(f"Use `{event.text}.parameters()`", edits(edit), Applicability.SAFE))
        elif event.problem == "tensor":
            edit = rewrite.wrap(source, event.argument, "[", "]")
            found = fixes(Fix(f"Use `[{event.text}]`", edits(edit), Applicability.SAFE))
        elif event.problem == "exhausted":
            found = _listed(event) or _listed_at_once(event, event.argument)
    if event.problem == "replaced":
        found = _takes_the_new(event)
    elif event.problem == "left out":
        found = _taken_in(event)
    elif event.problem in ("exhausted group", "nothing clipped"):
        found = _listed(event, Applicability.UNSAFE)  # it runs, and will do what it has not done
    where = "something before" if event.why is None else event.why.site.line
    yield Finding(
        _PROBLEMS[event.problem].format(text=event.text, optimizer=event.optimizer, where=where),
        event.site,
        Confidence.LIKELY
        if event.problem in ("left out", "added later", "plain", "made anew", "unfrozen")
        else Confidence.CERTAIN,
        fixes=found,
        level="warning" if event.problem in _SILENT else "",
        notes=_notes(event),
    )


def _notes(event: OptimizerGiven) -> tuple[Note, ...]:
    found = [Note(event.why.site, event.why.what)] if event.why is not None else []
    if event.made is not None:
        if event.problem in ("exhausted", "exhausted group", "nothing clipped"):
            found.append(Note(event.made, "it is made here"))
        elif event.problem == "non-leaf":
            found.append(Note(event.made, "it is computed here"))
        elif event.problem in ("left out", "added later", "plain", "unfrozen"):
            found.append(Note(event.made, f"`{event.optimizer}` is made here, without them"))
    return tuple(found)


def _takes_the_new(event: OptimizerGiven) -> tuple[Fix, ...]:
    """The replacement before the optimizer is made, or the optimizer made anew behind it."""
    if event.made is None:
        return ()
    replaced, made = repairs.where_they_part(event.site, event.made)
    source = made.source
    if replaced.source is not source:
        return ()
    changed = repairs.statement_of(source, replaced.node)
    built = repairs.statement_of(source, made.node)
    if changed is None or not isinstance(built, ast.Assign) or changed is built:
        return ()
    first: tuple[Fix, ...] = ()
    between = _between(source, built, changed)
    used = event.trained or _is_called(between, event.text)
    if used and _is_kept(source, built, between):
        return ()  # what has taken the optimizer would go on with the old one
    if not used and _independent(source, built, changed):
        moved = repairs.moved_before(source, changed, built)
        first = fixes(Fix(f"Replace `{event.text}` first", moved, Applicability.UNSAFE))
    again = _by_method(event) or (
        _anew(source, built, changed, event) if made.node is event.made.node else ()
    )
    return (*repairs.elsewhere(first, source), *again)


def _taken_in(event: OptimizerGiven) -> tuple[Fix, ...]:
    """`[*a.parameters(), *b.parameters()]` in the place of `a.parameters()`, where `b` is made above the optimizer."""
    source, made = event.site.source, event.made
    if made is None or made.source is not source or not isinstance(made.node, ast.Call):
        return ()
    left, built = repairs.statement_of(source, event.site.node), repairs.statement_of(source, made.node)
    given = next(iter(made.node.args), None)
    if (
        left is None
        or built is None
        or not isinstance(given, ast.Call)
        or not isinstance(given.func, ast.Attribute)
        or given.func.attr != "parameters"
        or given.args
        or given.keywords
        or event.text not in repairs.bound_by(left)
        or built not in _after(source, left)
    ):
        return ()
    text = f"[*{source.slice(given)}, *{event.text}.parameters()]"
    edit = rewrite.replace(source, given, text)
    return fixes(Fix(f"Give it those of `{event.text}` as well", edits(edit), Applicability.UNSAFE))


def _after(source: Source, statement: ast.stmt) -> list[ast.stmt]:
    block = block_of(source, statement) or []
    return block[block.index(statement) + 1 :] if statement in block else []


def _anew(source: Source, built: ast.stmt, changed: ast.stmt, event: OptimizerGiven) -> tuple[Fix, ...]:
    """The statement that makes the optimizer once more."""
    edit = rewrite.insert_after(source, changed, source.slice(built))
    found = fixes(Fix(f"Make `{event.optimizer}` anew behind it", edits(edit), Applicability.UNSAFE))
    return repairs.elsewhere(found, source)


def _by_method(event: OptimizerGiven) -> tuple[Fix, ...]:
    """The method without arguments that made the optimizer called once more by the method of its class that replaces."""
    if event.made is None:
        return ()
    for call in reversed(event.made.calls):
        source, node = call.source, call.node
        if (
            not isinstance(node, ast.Call)
            or node.args
            or node.keywords
            or not isinstance(node.func, ast.Attribute)
            or not isinstance(node.func.value, ast.Name)
            or node.func.value.id != "self"
        ):
            continue
        owner = _class_around(source, node)
        for place in (*event.site.calls, event.site):
            if place.source is not source or owner is None or _class_around(source, place.node) is not owner:
                continue
            statement = repairs.statement_of(source, place.node)
            if not isinstance(statement, (ast.Expr, ast.Assign)):
                return ()
            again = source.slice(node)
            edit = rewrite.insert_after(source, statement, again)
            title = f"Make `{event.optimizer}` anew behind it: `{again}`"
            return repairs.elsewhere(fixes(Fix(title, edits(edit), Applicability.UNSAFE)), source)
    return ()


def _class_around(source: Source, node: ast.AST) -> ast.ClassDef | None:
    return next((each for each in ancestors(source, node) if isinstance(each, ast.ClassDef)), None)


def _between(source: Source, built: ast.stmt, changed: ast.stmt) -> list[ast.stmt]:
    """The statement that makes the optimizer, and those up to the replacement; none where they are not of one block."""
    block = block_of(source, built)
    if block is None or changed not in block or block.index(changed) < block.index(built):
        return []
    return block[block.index(built) : block.index(changed)]


def _is_called(between: list[ast.stmt], replaced: str) -> bool:
    """Whether the whole of which a part is replaced is called before: `model(x)`, which needs the old part."""
    whole = replaced.rpartition(".")[0]
    calls = (each for part in between[1:] for each in walk(part) if isinstance(each, ast.Call))
    return any(whole != "" and ast.unparse(each.func) in (whole, f"{whole}.forward") for each in calls)


def _is_kept(source: Source, built: ast.Assign, between: list[ast.stmt]) -> bool:
    """Whether something is made of the optimizer that is used behind the replacement: a scheduler."""
    names = {source.slice(each) for each in built.targets}
    kept = [each for each in between[1:] if isinstance(each, ast.Assign) and names & repairs.read_by(each)]
    block = block_of(source, built) or []
    later = block[block.index(built) + len(between) :]
    bound = {name for each in kept for name in repairs.bound_by(each)}
    return any(bound & repairs.read_by(each) for each in later)


def _independent(source: Source, built: ast.stmt, changed: ast.stmt) -> bool:
    """Whether a statement can stand before another one of its block: what lies between them sets nothing that it reads."""
    between = _between(source, built, changed)
    if not between:
        return False
    read = {
        each.id for each in walk(changed) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }
    stored = {
        each.id
        for part in between
        for each in walk(part)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    return not read & stored


def _listed(event: OptimizerGiven, applicability: Applicability = Applicability.SAFE) -> tuple[Fix, ...]:
    """A list where the iterator is made, in whichever file."""
    made = event.made
    if made is None:
        return ()
    source, own = made.source, event.site.source
    steps = (*made.calls, made)
    there = next((each.node for each in reversed(steps) if each.source is own), None)
    if not isinstance(there, ast.expr):
        there = made.node  # it has come as an argument
    if not isinstance(there, ast.expr):
        return ()
    where = own if there is not made.node else source
    text = where.slice(there)
    if isinstance(there, ast.GeneratorExp) and text.startswith("("):
        text = f"[{text[1:-1]}]"
    else:
        text = f"list({text})"
    found = fixes(Fix("Keep them in a list", edits(rewrite.replace(where, there, text)), applicability))
    return found if where is own else repairs.elsewhere(found, where)


def _listed_at_once(event: OptimizerGiven, given: ast.expr) -> tuple[Fix, ...]:
    """`params = list(params)` where the function begins that is given an iterator, and goes through it twice."""
    source = event.site.source
    function = next((each for each in ancestors(source, given) if isinstance(each, ast.FunctionDef)), None)
    if (
        not isinstance(given, ast.Name)
        or function is None
        or given.id not in {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
        or (event.why is not None and function not in ancestors(source, event.why.site.node))
    ):
        return ()
    edit = rewrite.insert_before(source, function.body[0], f"{given.id} = list({given.id})")
    return fixes(Fix("Keep them in a list", edits(edit), Applicability.SAFE))
