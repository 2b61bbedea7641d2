"""Whether gradients may be off where a function runs by itself, and what that says against: who calls it may want numbers only."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from devls.engine.core import priors
from devls.engine.core.events.events import HostRead, LeafWritten
from devls.engine.evidence import batch_provenance, naming_priors
from devls.engine.evidence.presumptions import HALF, against, rests_on
from devls.syntax.nodes import of_tree, walk

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine
    from devls.values.value import FunctionValue


def named_for_evaluation(name: str) -> bool:
    """Whether a function's callers want numbers, going by its name."""
    return naming_priors.EVALUATES.search(name) is not None


@priors.is_evaluation_step.answer
def is_evaluation_step(function: FunctionValue) -> bool:
    """Whether a method is one step of an evaluation: whoever runs it reports what it returns."""
    return naming_priors.EVALUATION_STEP.search(function.name) is not None


@priors.may_be_without_grad.answer
def may_be_without_grad(m: Machine, *, in_packages: bool = False) -> bool:
    """Whether something runs by itself whose callers want numbers: they may have switched gradients off.

    That it does so its name tells, or an option that was asked for on the way (`if fcn_test:`). With `in_packages` only what lies
    in a package and is not called in its own file: who calls it from elsewhere is out of sight. Of that also what is given all
    the data and does not train.
    """
    running = [each.function for each in m.frames if each.function is not None]
    root = next((each for each in m.frames if each.function is not None), None)
    if root is None or not root.symbolic or _goes_back(running[0].node):
        return False
    if in_packages and not m.modules.workspace.exists(str(Path(root.source.path).parent / "__init__.py")):
        return False
    named = [
        each
        for each in running
        if naming_priors.EVALUATES.search(each.name) or (in_packages and _goes_through_data(each.node))
    ]
    if named:
        return not in_packages or not any(each.name in _called_by_others(each.source.tree) for each in named)
    return any(
        value and any(naming_priors.EVALUATES.search(word) for word in naming_priors.WORD.findall(test.text))
        for test, value in m.state.assumptions()
    )


@against(
    HostRead,
    "callers-disable-grad",
    "who calls the function wants numbers, and may have switched gradients off",
    seen="tests/specs/numpy.md:157",
)
def readers_disable_grad(presumed: bool, m: Machine) -> bool:
    """Going by its name: in a package, or where the gradient is presumed."""
    return may_be_without_grad(m, in_packages=not presumed)


@rests_on(
    HostRead,
    "unseen-model-trained",
    "a model of which no code is seen has parameters that require grad",
    weight=HALF,
    seen="tests/specs/fragments.md:318",
)
def unseen_model_trained(presumed: bool, m: Machine) -> int:
    """Nobody has switched gradients off around its call."""
    del m
    return int(presumed)


@rests_on(
    HostRead,
    "nothing-trains-here",
    "such a model is not trained by autograd in this file, and was not frozen elsewhere",
    weight=HALF,
    seen="tests/specs/fragments.md:331",
)
def nothing_trains_here(presumed: bool, m: Machine) -> int:
    """A function that only runs a model may have been given one that needs no gradients: an embedder, a vocoder.

    So has one that hands the gradients on itself, `model.backward(loss.backward(y))`: torch's `backward` gives nothing.
    """
    return int(presumed and (not m.source.says("backward") or _hands_gradients_on(m)))


@against(
    LeafWritten,
    "callers-disable-grad",
    "who calls the function wants numbers, and may have switched gradients off",
    seen="tests/specs/numpy.md:157",
)
def callers_disable_grad(case: object, m: Machine) -> bool:
    """Going by its name, in a package."""
    del case
    return may_be_without_grad(m, in_packages=True)


@against(
    LeafWritten,
    "inside-a-library",
    "a function deep inside a library runs by itself that nobody in its file calls",
    seen="tests/projects/callers:6",
)
def inside_a_library(event: LeafWritten, m: Machine) -> bool:
    """Whether gradients are on there is for those to say who call it from other files."""
    del event
    root = next((each for each in m.frames if each.function is not None), None)
    if root is None or root.function is None or not root.symbolic or root.function.cls is not None:
        return False
    folder = Path(root.source.path).parent
    if not all(m.modules.workspace.exists(str(each / "__init__.py")) for each in (folder, folder.parent)):
        return False
    inside = {id(each) for each in walk(root.function.node)}
    return not any(
        isinstance(each, (ast.Name, ast.Attribute))
        and (each.id if isinstance(each, ast.Name) else each.attr) == root.function.name
        for each in walk(root.source.tree)
        if id(each) not in inside
    )


@of_tree(maxsize=64)
def _called_by_others(tree: ast.Module) -> frozenset[str]:
    """The names of what a file calls: of methods those of other objects than `self`, which only passes on what it is asked."""
    called = (each.func for each in walk(tree) if isinstance(each, ast.Call))
    return frozenset(
        each.attr if isinstance(each, ast.Attribute) else each.id
        for each in called
        if isinstance(each, ast.Name)
        or (
            isinstance(each, ast.Attribute)
            and not (isinstance(each.value, ast.Name) and each.value.id == "self")
            and not isinstance(each.value, ast.Call)
        )
    )


@of_tree(maxsize=256)
def _goes_through_data(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    return any(batch_provenance.gives_data(each.arg) for each in (*node.args.posonlyargs, *node.args.args))


@of_tree(maxsize=256)
def _goes_back(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Attribute) and each.attr in ("backward", "grad") for each in walk(node))


def _hands_gradients_on(m: Machine) -> bool:
    """Whether a function that runs uses what a `backward` gives: its models compute their gradients themselves."""
    return any(_uses_gradients_given(each.function.node) for each in m.frames if each.function is not None)


@of_tree(maxsize=64)
def _uses_gradients_given(function: ast.AST) -> bool:
    dropped = {
        id(each.value) for each in walk(function) if isinstance(each, (ast.Expr, ast.Return, ast.Await))
    }
    return any(
        isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr == "backward"
        and id(each) not in dropped
        for each in walk(function)
    )
