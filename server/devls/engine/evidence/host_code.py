"""Values on the CPU by the lines of a function, read and not run: of files only looked at for their calls.

Each binding of a name counts, on whatever path it lies. A value not known to be there is not.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devls.engine.evidence import naming_priors
from devls.engine.evidence.use_of_modules import called_by_forward
from devls.syntax.nodes import holders_in, nodes_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devls.syntax.source import Source

_BRINGS: Final = frozenset({"cpu", "numpy"})
"""Methods after which a tensor is on the CPU."""

_KEEPS: Final = frozenset(
    "bool chunk clamp clone contiguous detach double expand flatten float half int long mean permute repeat reshape round"
    " sigmoid sort split squeeze sum t transpose unbind unsqueeze view".split()
)
"""Methods whose result is where their tensor is."""

_KEPT: Final = frozenset({"data", "mT", "T"})

_MAKES: Final = frozenset(
    "arange empty eye from_numpy full linspace logspace ones rand randint randn randperm tensor zeros".split()
)
"""Functions of torch whose result is on the CPU, if nobody says otherwise."""

_JOINS: Final = frozenset({"cat", "concat", "hstack", "stack", "vstack"})

_OF_NUMBERS: Final = frozenset({"bool", "float", "int", "len", "range", "str"})

_DEVICES: Final = ("device", "cuda", "gpu", "rank")


class Code:
    """The code around a call: a function, or a statement that is in none."""

    def __init__(self, source: Source, node: ast.AST) -> None:
        self.node = node
        self.nodes = nodes_of(node)
        self.holders = holders_in(node)
        self.default = not (source.says("set_default_") or source.says("with torch.device"))
        """Whether what torch makes without being told where is on the CPU."""

    def call_of(self, function: ast.expr) -> ast.Call | None:
        """The call of which an expression is the function."""
        above = self.holders.get(function)
        return above if isinstance(above, ast.Call) and above.func is function else None

    def values_of(self, name: str) -> list[ast.expr] | None:
        """All that is bound to a name of a function; None if not each of it is an assignment."""
        if not isinstance(self.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return None
        found: list[ast.expr] = []
        for each in self.nodes:
            if isinstance(each, (ast.Global, ast.Nonlocal)) and name in each.names:
                return None
            if isinstance(each, ast.arg) and each.arg == name:
                return None
            if not (isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)):
                continue
            value = self._assigned(each)
            if value is None:
                return None
            found.append(value)
        return found or None

    def is_parameter(self, name: str) -> bool:
        """Whether a name is that of a parameter of the function, other than its object."""
        return name != "self" and any(isinstance(each, ast.arg) and each.arg == name for each in self.nodes)

    def bound_to(self, name: str, *, is_data: bool) -> list[tuple[ast.expr, bool]]:
        """What is bound to a name, and whether it is data: what a loop goes through."""
        found: list[tuple[ast.expr, bool]] = []
        for each in self.nodes:
            if not (isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)):
                continue
            value = self._assigned(each)
            above = self.holders.get(each)
            while isinstance(above, (ast.Tuple, ast.List)):
                above = self.holders.get(above)
            if value is not None:
                found.append((value, is_data))
            elif isinstance(above, (ast.For, ast.comprehension)):
                found.append((above.iter, True))
        return found

    def _assigned(self, target: ast.expr) -> ast.expr | None:
        above = self.holders.get(target)
        if isinstance(above, (ast.Tuple, ast.List)):
            whole = self._assigned(above)
            if isinstance(whole, (ast.Tuple, ast.List)) and len(whole.elts) == len(above.elts):
                return whole.elts[above.elts.index(target)]
            return whole
        if isinstance(above, (ast.Assign, ast.AnnAssign)):
            return above.value
        return None


def is_on_host(code: Code, node: ast.AST, seen: frozenset[str] = frozenset()) -> bool | None:
    """Whether something is seen to be on the CPU; None if it is no tensor."""
    if isinstance(node, (ast.Constant, ast.JoinedStr)):
        return None
    if isinstance(node, ast.Name):
        values = None if node.id in seen else code.values_of(node.id)
        return False if values is None else _all(code, values, seen | {node.id})
    if isinstance(node, (ast.Tuple, ast.List)):
        return _all(code, node.elts, seen)
    if isinstance(node, ast.BinOp):
        return _all(code, (node.left, node.right), seen)
    if isinstance(node, ast.IfExp):
        return _all(code, (node.body, node.orelse), seen)
    if isinstance(node, ast.UnaryOp):
        return is_on_host(code, node.operand, seen)
    if isinstance(node, ast.Subscript):
        return is_on_host(code, node.value, seen)
    if isinstance(node, ast.Attribute):
        if node.attr == "shape":
            return None
        return node.attr in _KEPT and is_on_host(code, node.value, seen) is True
    return _is_made_on_host(code, node, seen) if isinstance(node, ast.Call) else False


def _all(code: Code, nodes: Iterable[ast.expr], seen: frozenset[str]) -> bool | None:
    found = {is_on_host(code, each, seen) for each in nodes}
    return False if False in found else True if True in found else None


def _is_made_on_host(code: Code, call: ast.Call, seen: frozenset[str]) -> bool | None:
    function = call.func
    if isinstance(function, ast.Name):
        return None if function.id in _OF_NUMBERS else False
    if not isinstance(function, ast.Attribute):
        return False
    name, owner = function.attr, function.value
    if _root(owner) in ("np", "numpy"):
        return True
    if isinstance(owner, ast.Name) and owner.id == "torch":
        if name in _JOINS and call.args:
            return is_on_host(code, call.args[0], seen) is True
        return (
            name in _MAKES
            and code.default
            and all(each.arg not in (None, "device") for each in call.keywords)
        )
    if name in _BRINGS:
        return True
    if name == "to":
        first = call.args[0] if call.args else next((each.value for each in call.keywords), None)
        return isinstance(first, ast.Constant) and first.value == "cpu"
    return name in _KEEPS and is_on_host(code, owner, seen) is True


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def given_back_moved(code: Code, call: ast.Call) -> bool:
    """Whether all that a call returns is moved to a device right there: nobody does so with what is on one."""
    above = code.holders.get(call)
    if isinstance(above, ast.Attribute):
        outer = code.holders.get(above)
        return isinstance(outer, ast.Call) and outer.func is above and _moves(outer)
    while isinstance(above, ast.IfExp):
        above = code.holders.get(above)
    if not isinstance(above, ast.Assign) or len(above.targets) != 1:
        return False
    target = above.targets[0]
    names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return all(isinstance(each, ast.Name) and _is_moved(code, each.id, above.lineno) for each in names)


def _is_moved(code: Code, name: str, line: int) -> bool:
    """Whether a name stands for the same on a device from some line on: `inputs = inputs.to(device)`."""
    return any(
        isinstance(each, ast.Assign)
        and each.lineno > line
        and isinstance(each.targets[0], ast.Name)
        and each.targets[0].id == name
        and isinstance(each.value, ast.Call)
        and _moves(each.value)
        and _root(each.value.func) == name
        for each in code.nodes
    )


def _moves(call: ast.Call) -> bool:
    function = call.func
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr == "cuda":
        return True
    given = [*call.args, *(each.value for each in call.keywords)]
    return function.attr == "to" and any(
        name in ast.unparse(each).lower() for each in given for name in _DEVICES
    )


def may_come_from_model(code: Code, node: ast.expr) -> bool:
    """Whether a value may be what a model gives, or what the function around was given itself, as far as its lines say.

    What a loop goes through is data, unless a model gives it.
    """
    waiting: list[tuple[ast.expr, bool]] = [(node, False)]
    seen = set[str]()
    while waiting:
        each, is_data = waiting.pop()
        if isinstance(each, ast.Call):
            function = each.func
            if isinstance(function, ast.Name) and code.is_parameter(function.id):
                return True
            if isinstance(function, ast.Attribute) and _root(function) == "self":
                return True
            waiting += [(given, is_data) for given in (*each.args, *(one.value for one in each.keywords))]
            if isinstance(function, ast.Attribute):
                waiting.append((function.value, is_data))
        elif isinstance(each, ast.Name):
            if each.id in seen:
                continue
            seen.add(each.id)
            if code.is_parameter(each.id) and not is_data:
                return True
            waiting += code.bound_to(each.id, is_data=is_data)
        else:
            inner = ast.iter_child_nodes(each)
            waiting += [(one, is_data) for one in inner if isinstance(one, ast.expr)]
    return False


def puts_on_device(call: ast.Call) -> bool:
    """Whether a call moves something to a device, or makes it there."""
    return _moves(call) or any(each.arg == "device" for each in call.keywords)


def prepares_data(cls: ast.ClassDef | None, part: ast.AST) -> bool:
    """Whether the names of a class and its method say that they prepare data; a method that `forward` calls runs where its model does."""
    names = [cls.name] if cls is not None else []
    if isinstance(part, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and (
        cls is None or f"self.{part.name}" not in called_by_forward(cls)
    ):
        names.append(part.name)
    return any(map(naming_priors.PREPARES_BATCH.search, names))
