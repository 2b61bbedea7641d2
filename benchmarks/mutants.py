"""Mutants: which edits make a bug of a line of working code, and where that does harm. See mutation_recall.py."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FACTORIES = frozenset(
    "zeros ones full empty eye arange linspace logspace rand randn randint randperm tensor as_tensor".split()
)
MODULE_NAMES = re.compile(
    r"(model|net|network|module|encoder|decoder|backbone|head|unet|vae|ema|critic|actor|policy|criterion|generator"
    r"|discriminator|transform|layer|perceiver|quantizer|vgg|embed|clip)s?\d*$",
    re.IGNORECASE,
)
IN_PLACE_MOVES = re.compile(r"(encoding|inputs|batch|data|graph)$", re.IGNORECASE)
EXAMPLES = re.compile(r"example|dummy|fake_input|get_demo", re.IGNORECASE)


@dataclass(frozen=True)
class Mutant:
    """One edit: what it is, where, and the text after it."""

    kind: str
    path: Path
    line: int
    text: str


class File:
    """A file's tree, who is above whom, and its text by offsets."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")
        self.tree = ast.parse(self.text)
        self.above = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self._lines = [0]
        for line in self.text.encode().splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self.text_bytes = self.text.encode()

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Range of a node, in bytes."""
        start = self._lines[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        return start, self._lines[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def edited(self, start: int, end: int, new: str) -> str:
        """The text with bytes replaced; lines keep their numbers."""
        missing = self.text_bytes[start:end].count(b"\n") - new.count("\n")
        padding = "\\\n" * missing if missing > 0 else ""
        return (self.text_bytes[:start] + padding.encode() + new.encode() + self.text_bytes[end:]).decode()

    def source(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text_bytes[start:end].decode()

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Ancestors of a node, the nearest first."""
        while node in self.above:
            node = self.above[node]
            yield node

    def function(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function around a node."""
        return next(
            (
                each
                for each in self.ancestors(node)
                if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))
            ),
            None,
        )

    def cls(self, node: ast.AST) -> ast.ClassDef | None:
        """The class around a node."""
        return next((each for each in self.ancestors(node) if isinstance(each, ast.ClassDef)), None)


def _text(node: ast.AST | None) -> str:
    return "" if node is None else ast.unparse(node)


def _off(node: ast.expr) -> bool:
    """Whether an expression is a mode without gradients."""
    return bool(re.search(r"\b(no_grad|inference_mode|set_grad_enabled\(False\))", _text(node)))


def _without_grad(file: File, node: ast.AST) -> bool:
    """Whether a place is inside a block or function without gradients."""
    for each in file.ancestors(node):
        if isinstance(each, (ast.With, ast.AsyncWith)) and any(
            _off(item.context_expr) for item in each.items
        ):
            return True
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
            _off(it) for it in each.decorator_list
        ):
            return True
    return False


# One function per kind: sites of a file, harmless ones left out


def factory(file: File) -> Iterator[Mutant]:
    for node in ast.walk(file.tree):
        if not (isinstance(node, ast.Call) and re.fullmatch(r"(torch|th)\.\w+", _text(node.func))):
            continue
        keyword = next((each for each in node.keywords if each.arg == "device"), None)
        function = file.function(node)
        if keyword is None or function is None or _text(node.func).rpartition(".")[2] not in FACTORIES:
            continue
        if function.name in ("__init__", "__new__") or EXAMPLES.search(function.name):
            continue
        if re.fullmatch(r"None|'cpu'|torch\.device\('cpu'\)", _text(keyword.value)):
            continue
        first = node.args[0] if node.args else None
        if _text(node.func).endswith(("tensor",)) and not isinstance(
            first, (ast.List, ast.Tuple, ast.ListComp)
        ):
            continue
        parent = file.above[node]
        if isinstance(parent, ast.Attribute) and parent.attr in (
            "item",
            "tolist",
            "numpy",
            "to",
            "cuda",
            "cpu",
        ):
            continue
        if _only_index(file, function, node, parent):
            continue
        start, end = file.span(keyword)
        before = file.text_bytes[:start].rstrip()
        after = file.text_bytes[end:]
        if before.endswith(b","):
            start = len(before) - 1
        elif after.lstrip().startswith(b","):
            end += len(after) - len(after.lstrip()) + 1
        yield Mutant("factory", file.path, node.lineno, file.edited(start, end, ""))


def _only_index(file: File, function: ast.AST, node: ast.expr, parent: ast.AST) -> bool:
    """Whether a value is an index and nothing else, there or through a name; reshaping it on the way changes nothing."""
    while (
        (isinstance(parent, ast.Subscript) and parent.value is node)
        or (
            isinstance(parent, ast.Attribute)
            and parent.attr in ("unsqueeze", "view", "reshape", "long", "int", "t")
        )
        or (
            isinstance(parent, ast.Call)
            and (parent.func is node or _text(parent.func) in ("rearrange", "repeat"))
        )
    ):
        node, parent = parent, file.above[parent]
    if _is_index(file, node):
        return True
    if not (isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name)):
        return False
    name = parent.targets[0].id
    reads = [
        each
        for each in ast.walk(function)
        if isinstance(each, ast.Name)
        and each.id == name
        and isinstance(each.ctx, ast.Load)
        and not _is_rebound(file, each, name)
    ]
    return all(_is_index(file, read) for read in reads)  # or nobody reads it


def _is_index(file: File, node: ast.expr) -> bool:
    parent = file.above[node]
    if isinstance(parent, ast.Tuple):
        node, parent = parent, file.above[parent]
    return isinstance(parent, ast.Subscript) and parent.slice is node


def _is_rebound(file: File, node: ast.expr, name: str) -> bool:
    """Whether a name is read only to give it another shape: `i = rearrange(i, "b -> b 1")`."""
    statement = next(each for each in file.ancestors(node) if isinstance(each, ast.stmt))
    if not (isinstance(statement, ast.Assign) and _text(statement.targets[0]) == name):
        return False
    return isinstance(statement.value, ast.Call) and _text(statement.value.func) in ("rearrange", "repeat")


def to(file: File) -> Iterator[Mutant]:
    for node in ast.walk(file.tree):
        if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Call)):
            continue
        func, target = node.value.func, _text(node.targets[0])
        if not (
            isinstance(func, ast.Attribute) and _text(func.value) == target and func.attr in ("to", "cuda")
        ):
            continue
        if func.attr == "to" and not re.search(r"device|cuda|\brank\b", _text(node.value)[len(target) :]):
            continue
        if (
            MODULE_NAMES.search(target)
            or IN_PLACE_MOVES.search(target)
            or _made_as_module(file, node, target)
        ):
            continue
        start, end = file.span(node)
        yield Mutant("to", file.path, node.lineno, file.edited(start, end, file.source(node.value)))


def _made_as_module(file: File, node: ast.AST, target: str) -> bool:
    """Whether a name is annotated as a Module, or assigned from something spelled as a class."""
    scope = file.function(node) or file.tree
    for each in ast.walk(scope):
        if isinstance(each, ast.arg) and each.arg == target and "Module" in _text(each.annotation):
            return True
        if (
            isinstance(each, ast.Assign)
            and _text(each.targets[0]) == target
            and isinstance(each.value, ast.Call)
        ):
            name = _text(each.value.func).rpartition(".")[2]
            if name[:1].isupper() or MODULE_NAMES.search(name):
                return True
    return False


def detach(file: File) -> Iterator[Mutant]:
    for node in ast.walk(file.tree):
        if not (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "detach"
        ):
            continue
        if node.args or _without_grad(file, node):
            continue
        receiver, parent, function = node.func.value, file.above[node], file.function(node)
        if isinstance(receiver, ast.Compare) or _text(receiver).endswith(".data"):
            continue
        if isinstance(parent, ast.Attribute) and parent.attr in (
            "item",
            "tolist",
            "shape",
            "size",
            "device",
            "dtype",
        ):
            continue
        statement = next(each for each in file.ancestors(node) if isinstance(each, ast.stmt))
        if function is None or _has_no_history(function, receiver, statement):
            continue
        if not _harms(file, function, [statement], node):
            continue
        _, end = file.span(node)
        start = file.text_bytes.rindex(b".", 0, file.text_bytes.rindex(b"detach", 0, end))
        yield Mutant("detach", file.path, node.end_lineno or node.lineno, file.edited(start, end, ""))


def _has_no_history(
    function: ast.FunctionDef | ast.AsyncFunctionDef, receiver: ast.expr, statement: ast.stmt
) -> bool:
    """An argument that nothing is computed with before: whether it has a history is the caller's affair."""
    while isinstance(receiver, (ast.Call, ast.Attribute)):
        if isinstance(receiver, ast.Call) and (receiver.args or receiver.keywords):
            return False
        receiver = receiver.func if isinstance(receiver, ast.Call) else receiver.value
    if not isinstance(receiver, ast.Name):
        return False
    arguments = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)} - {"self"}
    earlier = [
        each
        for each in ast.walk(function)
        if isinstance(each, ast.Name)
        and each.id == receiver.id
        and isinstance(each.ctx, ast.Store)
        and each.lineno < statement.lineno
    ]
    return receiver.id in arguments and not earlier


def _harms(file: File, function: ast.AST, body: list[ast.stmt], node: ast.AST | None = None) -> bool:
    """Whether a graph under what `body` computes (or under `node`, one expression of it) does harm in `function`."""
    if any(isinstance(each, ast.Attribute) and each.attr == "backward" for each in ast.walk(function)):
        return True
    if node is not None:
        up = list(file.ancestors(node))
        up = up[: up.index(body[0]) + 1]
        if any(_keeps(each) for each in up):
            return True
    elif any(_keeps(each) or _writes(each, function) for statement in body for each in ast.walk(statement)):
        return True
    names = {
        each.id
        for statement in body
        for each in ast.walk(statement)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    after = (body[-1].end_lineno or 0) if node is None else body[0].lineno - 1
    return any(
        each.id in names and isinstance(each.ctx, ast.Load) and each.lineno > after and _kept_by(file, each)
        for each in ast.walk(function)
        if isinstance(each, ast.Name)
    )


def _keeps(node: ast.AST) -> bool:
    """Whether a node reads as numpy, or stores where it outlives the statement."""
    if isinstance(node, ast.Attribute):
        return node.attr == "numpy"
    if isinstance(node, ast.Call):
        name = _text(node.func)
        return name.endswith((".append", ".extend")) or name.startswith(("np.", "numpy."))
    if isinstance(node, ast.Assign):
        value = node.value
        holds = not (
            isinstance(value, ast.Constant)
            or (isinstance(value, ast.Call) and _text(value.func).endswith(".item"))
        )
        return holds and any(isinstance(each, ast.Attribute) for each in node.targets)
    return False


def _kept_by(file: File, node: ast.Name) -> bool:
    """Whether the value of a name goes straight into something that keeps it: at most method calls lie between."""
    each: ast.AST = node
    for up in file.ancestors(node):
        if _keeps(up):
            return True
        if not (isinstance(up, ast.Attribute) or (isinstance(up, ast.Call) and up.func is each)):
            return False
        if isinstance(up, ast.Attribute) and up.attr in ("item", "tolist", "shape", "size"):
            return False
        each = up
    return False


def _writes(node: ast.AST, function: ast.AST) -> bool:
    """Whether a node writes in place to something that the function did not make, as parameters are."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and re.search(r"[a-z]_$", node.func.attr)
    ):
        owner: ast.expr = node.func.value
    elif isinstance(node, ast.AugAssign):
        owner = node.target
    else:
        return False
    if re.search(r"\binit\b|\.data\b|\.grad\b", _text(owner)):
        return False
    root = owner
    while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
        root = root.func if isinstance(root, ast.Call) else root.value
    if not isinstance(root, ast.Name) or (isinstance(node, ast.AugAssign) and root is owner):
        return False
    if root.id == "self":
        return bool(re.search(r"weight|bias|param", _text(owner)))
    made = {
        target.id
        for each in ast.walk(function)
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    return root.id not in made and bool(re.search(r"param|weight|bias|^p\b|^w\b", _text(owner)))


def zero_grad(file: File) -> Iterator[Mutant]:
    for node in ast.walk(file.tree):
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            continue
        func = node.value.func
        if not (isinstance(func, ast.Attribute) and func.attr == "zero_grad"):
            continue
        function = file.function(node)
        same = [
            each
            for each in ast.walk(function or file.tree)
            if isinstance(each, ast.Call) and _text(each.func) == _text(func)
        ]
        if function is None or len(same) > 1 or function.name == "zero_grad":
            continue
        start, end = file.span(node)
        yield Mutant("zero_grad", file.path, node.lineno, file.edited(start, end, "pass"))


def no_grad(file: File) -> Iterator[Mutant]:
    for node in ast.walk(file.tree):
        if isinstance(node, ast.With) and len(node.items) == 1 and _is_no_grad(node.items[0].context_expr):
            if _without_grad(file, node) or not _kept(file, node, node.body):
                continue
            start, _ = file.span(node)
            _, end = file.span(node.items[0].context_expr)
            yield Mutant("no_grad", file.path, node.lineno, file.edited(start, end, "if True"))
        elif isinstance(node, ast.FunctionDef):
            for each in node.decorator_list:
                if not _is_no_grad(each) or _without_grad(file, node) or not _kept(file, node, node.body):
                    continue
                start, end = file.span(each)
                yield Mutant("no_grad", file.path, each.lineno, file.edited(start - 1, end, ""))


def _is_no_grad(node: ast.expr) -> bool:
    return bool(re.fullmatch(r"((torch|th)\.)?(no_grad|inference_mode)(\(\))?", _text(node)))


def _kept(file: File, node: ast.AST, body: list[ast.stmt]) -> bool:
    """Whether something that a graph could hang on is computed in a body, and does harm."""
    aside = r"\binit\b|trunc_normal|_init|^(torch|th)\.(zeros|ones|rand|arange|full|tensor)|^(print|len|range|isinstance|super)$"
    if not any(
        isinstance(each, (ast.Call, ast.AugAssign))
        and not re.search(aside, _text(getattr(each, "func", None)))
        for statement in body
        for each in ast.walk(statement)
    ):
        return False
    if isinstance(node, ast.FunctionDef):
        return not _calls_cut(file, node, body) and _harms(file, node, body)
    return not _calls_cut(file, node, body) and _harms(file, file.function(node) or file.tree, body)


def _calls_cut(file: File, node: ast.AST, body: list[ast.stmt]) -> bool:
    """Whether what is computed comes from a function of this file that is itself without gradients."""
    cut = {
        each.name
        for each in ast.walk(file.tree)
        if isinstance(each, ast.FunctionDef)
        and each is not node
        and any(_is_no_grad(it) for it in each.decorator_list)
    }
    return any(
        isinstance(each, ast.Call) and _text(each.func).rpartition(".")[2] in cut
        for statement in body
        for each in ast.walk(statement)
    )


def buffer(file: File) -> Iterator[Mutant]:
    for node in ast.walk(file.tree):
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            continue
        call = node.value
        if (
            _text(call.func) != "self.register_buffer"
            or len(call.args) < 2
            or not isinstance(call.args[0], ast.Constant)
        ):
            continue
        cls, function, name = file.cls(node), file.function(node), str(call.args[0].value)
        value = _text(call.args[1])
        if (
            cls is None
            or function is None
            or re.fullmatch(r"None|(torch\.)?(tensor|Tensor)\((?![\[\(\w]).*\)", value)
        ):
            continue
        if re.fullmatch(r"(torch\.)?tensor\(-?[\d.eE+-]+(, .*)?\)", value):
            continue
        reads = [
            each
            for each in ast.walk(cls)
            if isinstance(each, ast.Attribute) and _text(each) == f"self.{name}"
        ]
        others = [
            each for each in reads if file.function(each) is not function and isinstance(each.ctx, ast.Load)
        ]
        if all(_only_index(file, file.function(each) or cls, each, file.above[each]) for each in others):
            continue
        if any(
            re.match(rf"self\.{name}\.(to|cuda)\(|self\.{name}\.type_as", _text(up))
            for each in reads
            for up in list(file.ancestors(each))[:2]
        ):
            continue
        start, end = file.span(node)
        yield Mutant(
            "buffer", file.path, node.lineno, file.edited(start, end, f"self.{name} = {_text(call.args[1])}")
        )


def modulelist(file: File) -> Iterator[Mutant]:
    for node in ast.walk(file.tree):
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(node.targets) == 1):
            continue
        call, target = node.value, _text(node.targets[0])
        if _text(call.func).rpartition(".")[2] != "ModuleList" or not re.fullmatch(r"self\.\w+", target):
            continue
        cls = file.cls(node)
        if cls is None:
            continue
        text = _text(cls)
        if not call.args and not re.search(
            rf"{re.escape(target)}\.(append|extend|insert)\(|{re.escape(target)} \+=", text
        ):
            continue
        if re.search(rf"Sequential\(\*{re.escape(target)}\)", text):
            continue
        start, end = file.span(call.func)
        yield Mutant("modulelist", file.path, node.lineno, file.edited(start, end, "list"))


KINDS: dict[str, Callable[[File], Iterator[Mutant]]] = {
    each.__name__: each for each in (factory, to, detach, zero_grad, no_grad, buffer, modulelist)
}
