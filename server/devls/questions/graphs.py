"""Experiments for further rules about autograd: copies, hooks, checkpoints, functions with a backward of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from devls.engine.core.events.calls import ComputedForNothing, HookGivesNothing
from devls.engine.core.events.protocols import SampleCut, TermLost
from devls.questions.building import NoQuestionError, raising, showing, warning
from devls.questions.tensors import INTEGERS, name_for

if TYPE_CHECKING:
    from devls.engine.core.events.calls import (
        BackwardKeepsGraph,
        CannotRequireGrad,
        CheckpointVague,
        FunctionMisused,
        GradAskedOfConstant,
        GraphCopiedAsNumbers,
        ResultUnused,
        ViewDetached,
    )
    from devls.engine.core.events.events import OptimizerGiven
    from devls.engine.core.events.protocols import SummandCut
    from devls.engine.core.events.transfers import GraphRetained
    from devls.engine.core.machine import Machine
    from devls.probe.experiment import Experiment
    from devls.questions.building import Builder

_LEAF = "w = torch.ones((2, 2), requires_grad=True)\n"

# Operations whose result differs from what they are given here, with the arguments they need.
_CHANGING = {
    "clamp": "max=0.5",
    "clip": "max=0.5",
    "mul": "2",
    "add": "1",
    "sub": "1",
    "div": "2",
    "masked_fill": "x > 0, 5",
}


def checkpoint_reentrant(event: CheckpointVague, _machine: Machine) -> Experiment:
    """The checkpoint, and what has a gradient afterwards; or the warning."""
    head = "import torch\nfrom torch.utils.checkpoint import checkpoint"
    if event.problem == "no grad":
        made_so = "block, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)\n"
        use = "head(checkpoint(block, torch.ones(1, 2), use_reentrant={})).sum().backward()"
        shown = "block.weight.grad is None"
        return showing(
            made_so + use.format(True), shown, True, control=made_so + use.format(False), head=head
        )
    use = "checkpoint(torch.nn.Linear(2, 2), torch.ones(1, 2){})"
    text = "use_reentrant parameter should be passed explicitly"
    return warning(use.format(""), text, control=use.format(", use_reentrant=False"), head=head)


def copy_of_graph_tensor(event: GraphCopiedAsNumbers, _machine: Machine) -> Experiment:
    """The copy, and torch's advice."""
    x = name_for(event.text, "x", ("w",))
    if event.listed:
        made_so = f"{_LEAF}{x} = [each * 2 for each in w.flatten()]\n"
        text = "Converting a tensor with requires_grad=True to a scalar"
        return warning(
            f"{made_so}copied = torch.tensor({x})", text, control=f"{made_so}copied = torch.stack({x})"
        )
    made_so = f"{_LEAF}{x} = w * 2\n"
    how = event.how if event.how in ("torch.tensor", "torch.Tensor", "torch.as_tensor") else "torch.tensor"
    return warning(
        f"{made_so}copied = {how}({x})",
        "recommended to use",
        control=f"{made_so}copied = {x}.detach().clone()",
    )


def create_graph_backward(_event: BackwardKeepsGraph, _machine: Machine) -> Experiment:
    """The backward, and torch's warning."""
    made_so = f"{_LEAF}loss = (w**3).sum()\n"
    return warning(
        f"{made_so}loss.backward(create_graph=True)",
        "will create a reference cycle",
        control=f"{made_so}torch.autograd.grad(loss, w, create_graph=True)",
    )


def retain_graph_leak(event: GraphRetained, _machine: Machine) -> Experiment:
    """Whether the graph is still there after the backward, and what an iteration walks of those before it."""
    if event.carried is not None:
        loop = (
            "w, h, walks = torch.ones(1, requires_grad=True), torch.zeros(1), []\nfor number in range(3):\n"
            "    h = torch.tanh(w * {} + 1)\n    if number == 0:\n"
            "        hook = h.register_hook(lambda grad: walks.append(1))\n    h.sum().backward(retain_graph=True)"
        )
        return showing(loop.format("h"), "len(walks)", 3, control=loop.format("h.detach()"))
    made_so = f"{_LEAF}loss = (w**3).sum()\n"
    again = "\ntry:\n    loss.backward()\n    kept = True\nexcept RuntimeError:\n    kept = False"
    return showing(
        f"{made_so}loss.backward(retain_graph=True){again}",
        "kept",
        True,
        control=f"{made_so}loss.backward(){again}",
    )


def _unmarked_function(name: str) -> Experiment:
    """Whether what is written in place has a gradient that knows of it."""
    code = (
        f"class {name}(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        {}x.mul_(2)\n        return x\n\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return grad * 2\n\n"
        f"w = torch.ones(2, requires_grad=True)\nx = w * 1\n{name}.apply(x)\nx.sum().backward()"
    )
    return showing(
        code.format(""), "w.grad[0].item()", 1.0, control=code.format("ctx.mark_dirty(x)\n        ")
    )


def _cyclic_function(name: str) -> Experiment:
    """Whether a result is there when nobody holds it any more."""
    code = (
        f"class {name}(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        y = x.exp()\n        {}\n        return y\n\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return grad\n\n"
        f"gc.disable()\nresult = {name}.apply(torch.ones(2, requires_grad=True))\ngone = weakref.ref(result)\ndel result"
    )
    return showing(
        code.format("ctx.y = y"),
        "gone() is None",
        False,
        control=code.format("ctx.save_for_backward(y)"),
        head="import gc, weakref\nimport torch",
    )


def custom_function(event: FunctionMisused, _machine: Machine) -> Experiment:
    """A function of as many arguments, whose backward returns as many gradients; one that is called, or keeps a tensor."""
    if event.problem == "called":
        return _called_function(name_for(event.name, "Function"))
    if event.problem == "result on ctx":
        return _cyclic_function(name_for(event.name, "Function", ("result", "gone")))
    if event.problem == "tensor on ctx":
        return _keeping_function(name_for(event.name, "Function"))
    if event.problem == "single precision":
        check = (
            "x = torch.full((3,), 2.0, dtype={})\nslope = (torch.exp(x + 1e-6) - torch.exp(x - 1e-6)) / 2e-6"
        )
        differs = "not torch.allclose(slope, torch.exp(x), rtol=1e-3)"
        single, double = check.format("torch.float32"), check.format("torch.float64")
        return showing(single, differs, True, control=double)
    if event.problem == "not marked":
        return _unmarked_function(name_for(event.name, "Function"))
    if event.problem == "gradient ignored":
        return _ignoring_function(name_for(event.name, "Function"))
    if event.problem == "not saved":
        return _saving_function(name_for(event.name, "Function"), event.wanted, event.found)
    if not 0 < event.wanted < _MOST or not 0 < event.found < _MOST:
        raise NoQuestionError("it takes too many arguments")
    name = name_for(event.name, "Function")
    parameters = ["x", *(f"option{number}" for number in range(1, event.wanted))]
    code = (
        f"class {name}(torch.autograd.Function):\n"
        f"    @staticmethod\n    def forward(ctx, {', '.join(parameters)}):\n        return x * 2\n\n"
        f"    @staticmethod\n    def backward(ctx, grad):\n        return {{}}\n\n"
        f"{name}.apply(torch.ones(2, requires_grad=True){', 1' * (event.wanted - 1)}).sum().backward()"
    )
    return raising(
        code.format(", ".join(["grad * 2", *["None"] * (event.found - 1)])),
        "RuntimeError",
        "returned an incorrect number of gradients",
        # A further None is let pass.
        control=code.format(", ".join(["grad * 2", *["None"] * (event.wanted - 1)])),
    )


def _called_function(name: str) -> Experiment:
    """A function whose instance is called, beside one that is applied."""
    body = (
        f"class {name}(torch.autograd.Function):\n"
        "    {0}def forward(ctx, x):\n        return x * 2\n\n"
        "    {0}def backward(ctx, grad):\n        return grad * 2\n\n"
        f"{name}{{1}}(torch.ones(2, requires_grad=True))"
    )
    return raising(
        body.format("", "()"),
        "RuntimeError",
        "Legacy autograd function",
        control=body.format("@staticmethod\n    ", ".apply"),
    )


def _keeping_function(name: str) -> Experiment:
    """Whether torch notices that a tensor kept for backward has been overwritten."""
    body = (
        f"class {name}(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        {0}\n        return x * x\n\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return 2 * {1} * grad\n\n"
        "w = torch.ones(2, requires_grad=True)\nx = w * 1\n"
        f"y = {name}.apply(x)\nx.zero_()\n"
        "try:\n    y.sum().backward()\nexcept RuntimeError:\n    pass"
    )
    return showing(
        body.format("ctx.x = x", "ctx.x"),
        "w.grad is not None and w.grad.tolist() == [0.0, 0.0]",
        True,
        control=body.format("ctx.save_for_backward(x)", "ctx.saved_tensors[0]"),
    )


def _saving_function(name: str, wanted: int, saved: int) -> Experiment:
    """A function that unpacks other than as many tensors as it has saved."""
    if not 0 < wanted < _MOST or not 0 <= saved < _MOST:
        raise NoQuestionError("it saves too many tensors")
    body = (
        f"class {name}(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward({0})\n        return x * 2\n\n"
        f"    @staticmethod\n    def backward(ctx, grad):\n        {', '.join(f'x{each}' for each in range(wanted))}, ="
        " ctx.saved_tensors\n        return grad * 2\n\n"
        f"{name}.apply(torch.ones(2, requires_grad=True)).sum().backward()"
    )
    texts = [", ".join(["x"] * number) for number in (saved, wanted)]
    return raising(body.format(texts[0]), "ValueError", "values to unpack", control=body.format(texts[1]))


_MOST: Final = 20
"""Tensors in a question about how many are saved."""


def _ignoring_function(name: str) -> Experiment:
    """Whether ten times the result has ten times the gradient, which is 2 by itself."""
    body = (
        f"class {name}(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return {0}\n\n"
        f"w = torch.ones(2, requires_grad=True)\n({name}.apply(w) * 10).sum().backward()"
    )
    return showing(
        body.format("torch.full_like(grad, 2)"),
        "w.grad.tolist()",
        [2.0, 2.0],
        control=body.format("grad * 2"),
    )


def detach_in_place_on_view(event: ViewDetached, _machine: Machine) -> Experiment:
    """The view, detached in place."""
    x = name_for(event.text, "x", ("w",))
    made_so = f"{_LEAF}{x} = (w * 2)[:1]\n"
    return raising(
        f"{made_so}{x}.detach_()",
        "RuntimeError",
        "Can't detach views in-place",
        control=f"{made_so}{x} = {x}.detach()",
    )


SILENT: Final = frozenset({"exhausted group", "nothing clipped", "left out", "added later", "plain"})
"""Parameters that an optimizer misses without an error."""


def never_trained(event: OptimizerGiven) -> Experiment:
    """A layer that no optimizer has, or whose gradients nothing clips."""
    made_so = "one, two = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)\n"
    loss = "two(one(torch.ones(1, 2))).sum().backward()\n"
    if event.problem == "nothing clipped":
        clip = "parameters = {}\nsum(1 for _ in parameters)\ntorch.nn.utils.clip_grad_norm_(parameters, 1e-9)"
        return showing(
            made_so + loss + clip.format("two.parameters()"),
            "two.bias.grad.item() > 0.5",
            True,
            control=made_so + loss + clip.format("list(two.parameters())"),
        )
    use = (
        "optimizer = torch.optim.SGD([{{'params': one.parameters()}}, {{'params': {}}}], lr=0.1)\n"
        f"before = two.bias.item()\n{loss}optimizer.step()"
    )
    return showing(
        made_so + use.format("iter(())"),
        "two.bias.item() == before",
        True,
        control=made_so + use.format("two.parameters()"),
    )


def loss_term_cut(event: SummandCut, _machine: Machine) -> Experiment:
    """Two losses of one layer, of which one is cut, or left out, or none."""
    made_so = "one, two = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)\nx = torch.ones(3, 2)\n"
    shown = "two.weight.grad is None"
    if isinstance(event, SampleCut):
        drawn = "torch.distributions.Normal(two(x), 1.0).{}()"
        loss = f"loss = one(x).mean() + one({drawn}.expand(3, 2)).mean()\nloss.backward()"
        return showing(made_so + loss.format("sample"), shown, True, control=made_so + loss.format("rsample"))
    if isinstance(event, TermLost):
        loss = "loss = 0.0\nfor each in (two, one):\n    loss {} each(x).mean()\nloss.backward()"
        return showing(made_so + loss.format("="), shown, True, control=made_so + loss.format("+="))
    loss = "loss = one(x).mean() + two(x){}.mean()\nloss.backward()"
    return showing(made_so + loss.format(".detach()"), shown, True, control=made_so + loss.format(""))


def discarded_result(event: ResultUnused, _machine: Machine) -> Experiment:
    """Whether the receiver has changed, or the gradient that a hook was given."""
    if isinstance(event, HookGivesNothing):
        made_so = "x = torch.ones(2, requires_grad=True)\ndef hook(grad):\n    new = grad * 0\n{}x.register_hook(hook)\n"
        use = "x.sum().backward()"
        control = made_so.format("    return new\n") + use
        return showing(made_so.format("") + use, "x.grad.tolist()", [1.0, 1.0], control=control)
    if not isinstance(event, ComputedForNothing):
        raise NoQuestionError("nothing is written down for this result")
    if event.operation not in _CHANGING:
        raise NoQuestionError(f"nothing is written down for `{event.operation}`")
    call = f"x.{event.operation}({_CHANGING[event.operation]})"
    made_so = "x = torch.ones(2)\n"
    return showing(made_so + call, "x.tolist()", [1.0, 1.0], control=f"{made_so}x = {call}")


def hook_without_grad(event: GradAskedOfConstant, _machine: Machine) -> Experiment:
    """The hook, or the retained gradient, asked of a tensor that requires no grad."""
    x = name_for(event.text, "x")
    argument = "" if event.method == "retain_grad" else "lambda grad: None"
    if event.method not in ("retain_grad", "register_hook", "register_post_accumulate_grad_hook"):
        raise NoQuestionError(f"nothing is written down for `{event.method}`")
    call = f"{x}.{event.method}({argument})"
    return raising(
        f"{x} = torch.ones(2)\n{call}",
        "RuntimeError",
        "requires_grad|require gradient|requires grad",
        control=f"{x} = torch.ones(2, requires_grad=True)\n{call}",
    )


def integer_requires_grad(event: CannotRequireGrad, _machine: Machine) -> Experiment:
    """A tensor of this dtype that is told to require grad."""
    dtype = event.dtype if event.dtype in INTEGERS or event.dtype == "bool" else "int64"
    code = {
        "requires_grad=True": "torch.zeros(2, dtype=torch.{}, requires_grad=True)",
        "requires_grad_()": "torch.zeros(2, dtype=torch.{}).requires_grad_()",
    }.get(event.how, "torch.nn.Parameter(torch.zeros(2, dtype=torch.{}))")
    text = "floating point and complex dtype can require gradients|only floating point"
    return raising(code.format(dtype), "RuntimeError", text, control=code.format("float32"))


BUILDERS: dict[str, Builder[Any]] = {
    "retain-graph-leak": retain_graph_leak,
    "checkpoint-reentrant": checkpoint_reentrant,
    "copy-of-graph-tensor": copy_of_graph_tensor,
    "create-graph-backward": create_graph_backward,
    "custom-function": custom_function,
    "detach-in-place-on-view": detach_in_place_on_view,
    "discarded-result": discarded_result,
    "loss-term-cut": loss_term_cut,
    "hook-without-grad": hook_without_grad,
    "integer-requires-grad": integer_requires_grad,
}
