"""Experiments for expressions: the same operation, on operands in the state that the analysis says they are in."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from devls.engine.core.describe import flag
from devls.engine.core.joins import Contents
from devls.library.effects import Differentiable, Result
from devls.probe.experiment import Experiment
from devls.questions.building import NoQuestionError
from devls.questions.tensors import LARGEST, device_name, like, name_for
from devls.values.value import (
    BoundMethod,
    Const,
    DeviceValue,
    InstanceValue,
    LibraryName,
    Sequence,
    TensorValue,
    TupleValue,
)

if TYPE_CHECKING:
    from devls.engine.core.machine import Machine

_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip

# Words that options of torch are: "mean", "cuda:1", "ij,jk->ik". Nothing that could name a file.
_WORD = re.compile(r"[\w:,>\- ]{0,40}", re.ASCII)

_COMPUTED = frozenset(
    {
        Result.NEW,
        Result.LIKE,
        Result.TENSOR,
        Result.VIEW,
        Result.SELF,
        Result.TENSORS,
        Result.VIEWS,
        Result.HOST_ARRAY,
    }
    | {Result.HOST_SCALAR, Result.HOST_LIST, Result.NUMBER, Result.SHAPE}
)


class Program:
    """Lines that make operands, each value once, and expressions for them."""

    def __init__(self, machine: Machine) -> None:
        self.lines: list[str] = []
        self.guessed = False
        self.accelerator = False
        self.needs_grad = False
        self.makes_graph = False
        self._machine = machine
        self._names: dict[object, str] = {}

    def operand(self, node: ast.expr) -> str:
        """An expression for what a node of the program is."""
        value = self._machine.values.get(node, (None,))[0]
        if isinstance(node, ast.Constant):
            value = Const(node.value)
        text = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        return self.value(value, text)

    def value(self, value: object, text: str = "") -> str:
        """An expression for a value; `text` is what the program calls it.

        Raises:
            NoQuestionError: if too little is known of it.
        """
        machine = self._machine
        value = machine.resolve(value)
        tensor = machine.tensor_of(value, infer=False)
        if tensor is not None:
            return self._tensor(tensor, text)
        if isinstance(value, Const):
            return _constant(value.value)
        if isinstance(value, DeviceValue):
            self.accelerator = True
            return f'torch.device("{device_name(value.device)}")'
        if (
            isinstance(value, LibraryName)
            and value.name.startswith("torch.")
            and machine.library.exists(value.name)
        ):
            return value.name
        if isinstance(value, TupleValue):
            return f"({', '.join(map(self.value, value.items))},)"
        if isinstance(value, Sequence):
            contents = machine.state.get(value, "#items")
            if isinstance(contents, Contents) and contents.items is not None and contents.element is None:
                return f"[{', '.join(map(self.value, contents.items))}]"
        raise NoQuestionError("too little is known of an operand")

    def _tensor(self, tensor: TensorValue, text: str) -> str:
        if tensor not in self._names:
            if flag(self._machine.requires_grad(tensor)) == "?" or flag(self._machine.is_leaf(tensor)) == "?":
                self.guessed = True
            self.needs_grad = self.needs_grad or flag(self._machine.requires_grad(tensor)) == "True"
            if tensor.shape is None or None in tensor.shape or _count(tensor.shape) > LARGEST:
                self.guessed = True
            if device_name(self._machine.device(tensor)) != "cpu":
                self.accelerator = True
            name = name_for(text, f"x{len(self._names)}", tuple(self._names.values()))
            self._names[tensor] = name
            self.lines.append(f"{name} = {like(self._machine, tensor)}")
        return self._names[tensor]


def _count(shape: tuple[int | None, ...]) -> int:
    total = 1
    for each in shape:
        total *= each or 1
    return total


def _constant(value: object) -> str:
    if isinstance(value, str) and _WORD.fullmatch(value):
        return repr(value)
    if isinstance(value, bool) or value is None or value is ...:
        return repr(value)
    if isinstance(value, (int, float, complex)) and abs(value) <= LARGEST:
        return repr(value)
    raise NoQuestionError("an operand is large, or text")


def of_expression(node: ast.expr, machine: Machine) -> Experiment:
    """The experiment; without code where an expression is no operation, or too little is known of it."""
    try:
        program = Program(machine)
        shown = _expression(node, machine, program)
    except NoQuestionError as error:
        return Experiment(why_not=str(error))
    result = machine.tensor_of(machine.resolve(machine.values.get(node, (None,))[0]), infer=False)
    # Nothing keeps the mode of that moment, but what came of it tells: this operation is one that makes a graph.
    off = result is not None and program.needs_grad and flag(machine.requires_grad(result)) == "False"
    mode = ("torch.set_grad_enabled(False)",) if off and program.makes_graph else ()
    code = "\n".join(("import torch", *program.lines, *mode, shown))
    # A card that is pretended takes what a real one refuses: `.cuda("cpu")` is asked of torch as it is.
    accelerator = program.accelerator or '"cuda' in code or "'cuda" in code or ".cuda()" in code
    return Experiment(code, accelerator=accelerator, guessed=program.guessed)


def _expression(node: ast.expr, machine: Machine, program: Program) -> str:
    """The statements that bind `r`."""
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        left, right = program.operand(node.left), program.operand(node.right)
        if not program.lines:
            raise NoQuestionError("no tensor takes part")
        program.makes_graph = True
        return f"r = {left} {_SIGNS[type(node.op)]} {right}"
    if not isinstance(node, ast.Call) or any(each.arg is None for each in node.keywords):
        raise NoQuestionError("it is no operation")
    if any(isinstance(each, ast.Starred) for each in node.args):
        raise NoQuestionError("how many operands there are is not known")
    function, receiver = _function(node, machine, program)
    words = [program.operand(each) for each in node.args]
    words += [f"{each.arg}={program.operand(each.value)}" for each in node.keywords]
    called = f"{function}({', '.join(words)})"
    if not receiver:
        return f"r = {called}"
    where = f"{receiver}.weight.device" if receiver == "module" else f"{receiver}.device"
    same = f'"moved is {receiver}": moved is {receiver}'
    return f'moved = {called}\nr = {{{same}, "{receiver} is on": str({where})}}'


def _function(node: ast.Call, machine: Machine, program: Program) -> tuple[str, str]:
    """Callee and receiver of a transfer: the question is whether the receiver comes back."""
    value = machine.resolve(machine.values.get(node.func, (None,))[0])
    if isinstance(value, BoundMethod) and isinstance(node.func, ast.Attribute):
        name = _described(machine, value.function, value.name, program)
        if isinstance(machine.resolve(value.receiver), InstanceValue):
            # A module in place of another one: what moving returns is the same for all.
            program.lines.append("module = torch.nn.Linear(2, 2)")
            return f"module.{name}", "module"
        receiver = program.operand(node.func.value)
        return f"{receiver}.{name}", receiver if name in ("to", "cuda", "cpu") else ""
    if isinstance(value, LibraryName) and value.name.startswith("torch."):
        _described(machine, value, "", program)
        return value.name, ""
    raise NoQuestionError("it is not one of torch's own")


def _described(machine: Machine, function: object, name: str, program: Program) -> str:
    """The last name of an operation that computes something, and does nothing else."""
    full = function.name if isinstance(function, LibraryName) else ""
    if full.startswith("torch.nn.Module.") and name in ("to", "cuda", "cpu"):
        return name
    operation = machine.library.operation(full)
    if operation is None or operation.result not in _COMPUTED or not full.startswith("torch."):
        raise NoQuestionError("it is not one of torch's operations")
    if full.rpartition(".")[2] in ("load", "save", "from_file", "backward"):
        raise NoQuestionError("it does more than compute")
    program.makes_graph = operation.differentiable is Differentiable.YES
    return full.rpartition(".")[2]
