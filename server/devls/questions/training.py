"""Experiments for the rules about training loops: a small model, one or two steps, and what has become of it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from devls.engine.core.events.calls import DropsInAnyMode, FrozenInTrainMode
from devls.engine.core.events.events import GradientsLost
from devls.engine.core.events.protocols import SchedulerIdle
from devls.questions.building import NoQuestionError, raising, showing
from devls.questions.tensors import name_for

if TYPE_CHECKING:
    from devls.engine.core.events.calls import (
        ForwardNamed,
        ModeForgotten,
        ModuleUninitialized,
        NotCallable,
    )
    from devls.engine.core.events.events import EvalKeepsGraph, Event, NotCalled, StaleStep
    from devls.engine.core.events.protocols import (
        MemoryShared,
        NormalisedElsewhere,
        NumberIndexed,
        ParametersUnreached,
        ScalerMisused,
        SchedulerFirst,
        TrainedInEvalMode,
    )
    from devls.engine.core.machine import Machine
    from devls.probe.experiment import Experiment
    from devls.questions.building import Builder

_MODEL = "model = torch.nn.Linear(2, 1)\n"
_BACKWARD = "model(torch.ones(1, 2)).sum().backward()\n"


def _names(optimizer: str) -> tuple[str, str]:
    """The optimizer's name, and the lines that make a model and it."""
    name = name_for(optimizer.removeprefix("self."), "optimizer", ("model", "before", "scaler"))
    return name, f"{_MODEL}{name} = torch.optim.SGD(model.parameters(), lr=0.1)\n"


def amp_protocol(event: ScalerMisused, _machine: Machine) -> Experiment:
    """The protocol, kept half-way."""
    name, made_so = _names(event.optimizer)
    made_so = f'{made_so}scaler = torch.amp.GradScaler("cpu")\n'
    scaled = "scaler.scale(model(torch.ones(1, 2)).sum()).backward()\n"
    step = f"scaler.step({name})\n"
    if event.problem == "under autocast":
        return _under_autocast()
    if event.problem == "no update":
        return raising(
            made_so + (scaled + step) * 2,
            "RuntimeError",
            "step() has already been called since the last update()",
            control=made_so + (scaled + step + "scaler.update()\n") * 2,
        )
    if event.problem == "unscaled backward":
        return raising(
            made_so + _BACKWARD + step, "AssertionError", "Attempted step", control=made_so + scaled + step
        )
    if event.problem == "update alone":
        return raising(
            made_so + scaled + "scaler.update()",
            "AssertionError",
            "No inf checks",
            control=made_so + scaled + step + "scaler.update()",
        )
    if event.problem == "half":
        halves = "model.half()\nscaler.scale(model(torch.ones(1, 2).half()).sum()).backward()\n"
        return raising(
            made_so + halves + step,
            "ValueError",
            "Attempting to unscale FP16 gradients",
            control=made_so + scaled + step,
        )
    before = "before = model.bias.item()\n"
    if event.problem == "plain step":
        return showing(
            f"{made_so}{before}{scaled}{name}.step()\n",
            "abs(model.bias.item() - before) > 1000",
            True,
            control=f"{made_so}{before}{scaled}{step}",
        )
    clip = "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
    return showing(
        made_so + before + scaled + clip + step,
        "abs(model.bias.item() - before) < 0.001",
        True,
        control=f"{made_so}{before}{scaled}scaler.unscale_({name})\n{clip}{step}",
    )


def _under_autocast() -> Experiment:
    made_so = (
        "torch.manual_seed(0)\nfirst, second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)\nx = first(torch.rand(4, 3))\n"
        'with torch.autocast("cpu", dtype=torch.bfloat16):\n    loss = second(x.tanh()).float().pow(2).mean()\n{}'
        "loss.backward(retain_graph=True)\ngot = first.weight.grad.clone()\nfirst.weight.grad = None\n"
        "loss.backward()"
    )
    shown = "torch.equal(got, first.weight.grad)"
    return showing(made_so.format("    "), shown, False, control=made_so.format(""))


def eval_keeps_graph(event: EvalKeepsGraph, _machine: Machine) -> Experiment:
    """Results of a model."""
    model = name_for(event.model.removeprefix("self."), "model")
    mode = f"{model}.eval()\n" if event.in_eval_mode else ""
    made_so = f"{model} = torch.nn.Linear(2, 1)\n{mode}"
    use = f"result = {model}(torch.ones(1, 2))"
    return showing(
        made_so + use,
        "result.grad_fn is not None",
        True,
        control=f"{made_so}with torch.no_grad():\n    {use}",
    )


def eval_mode_mixed_up(event: TrainedInEvalMode, _machine: Machine) -> Experiment:
    """The mode in which the second iteration trains."""
    model = name_for(event.model.removeprefix("self."), "model", ("modes",))
    loop = f"{model} = torch.nn.Linear(2, 1)\nmodes = []\nfor _ in range(2):\n"
    body = f"    modes.append({model}.training)\n    {model}.eval()"
    return showing(loop + body, "modes", [True, False], control=f"{loop}    {model}.train()\n{body}")


def gradients_cleared_too_early(event: Event, _machine: Machine) -> Experiment:
    """Whether a step changes anything."""
    name, made_so = _names(getattr(event, "optimizer", ""))
    before = "before = model.weight.tolist()\n"
    lost = isinstance(event, GradientsLost)
    code = (
        f"{_BACKWARD}{name}.zero_grad()\n{name}.step()"
        if lost
        else f"{name}.step()\nbefore, _ = before, model(torch.ones(1, 2)).sum().backward()"
    )
    return showing(
        made_so + before + code,
        "model.weight.tolist() == before",
        True,
        control=f"{made_so}{before}{_BACKWARD}{name}.step()",
    )


def method_not_called(event: NotCalled, _machine: Machine) -> Experiment:
    """Changes after the method that was named."""
    method = event.node.attr if isinstance(event.node, ast.Attribute) else ""
    made_so = _names("optimizer")[1] + _BACKWARD
    questions = {
        "step": (
            "before = model.weight.tolist()\n",
            "optimizer.step",
            "model.weight.tolist() == before",
            True,
        ),
        "zero_grad": ("", "optimizer.zero_grad", "model.weight.grad is None", False),
        "backward": (
            "model.zero_grad()\nloss = model(torch.ones(1, 2)).sum()\n",
            "loss.backward",
            "model.weight.grad is None",
            True,
        ),
        "eval": ("", "model.eval", "model.training", True),
        "train": ("model.eval()\n", "model.train", "model.training", False),
        "cuda": ("", "model.cuda", "model.weight.device.type", "cpu"),
        "cpu": ("model.cuda()\n", "model.cpu", "model.weight.device.type", "cuda"),
        "detach_": ("x = model.weight * 2\n", "x.detach_", "x.requires_grad", True),
        "requires_grad_": ("x = torch.ones(2)\n", "x.requires_grad_", "x.requires_grad", False),
        "half": ("", "model.half", "model.weight.dtype", "torch.float32"),
        "double": ("", "model.double", "model.weight.dtype", "torch.float32"),
    }
    if method not in questions:
        raise NoQuestionError(f"nothing is written down for `{method}`")
    more, named, shown, value = questions[method]
    if isinstance(value, str) and value.startswith("torch."):
        shown = f"str({shown})"
    return showing(
        f"{made_so}{more}{named}",
        shown,
        value,
        control=f"{made_so}{more}{named}()",
        accelerator=method in ("cuda", "cpu"),
    )


def missing_zero_grad(event: StaleStep, _machine: Machine) -> Experiment:
    """The gradient of the second step, which is that of both."""
    name, made_so = _names(event.optimizer)
    step = f"{_BACKWARD}{name}.step()\n"
    return showing(
        made_so + step * 2,
        "model.weight.grad.tolist()",
        [[2.0, 2.0]],
        control=f"{made_so}{step}{name}.zero_grad()\n{step}",
    )


def _idle(event: SchedulerIdle) -> Experiment:
    """The learning rate after two epochs of four batches."""
    made_so = f"{_names('optimizer')[1]}other = torch.optim.SGD(model.parameters(), lr=0.1)\n"
    one_cycle = "OneCycleLR({}, 0.1, epochs=2, steps_per_epoch=5)"
    kind = one_cycle if event.problem == "per epoch" else "CosineAnnealingLR({}, 2)"
    made_by = made_so + "scheduler = torch.optim.lr_scheduler." + kind
    batch = "for _ in range(2):\n    for _ in range(4):\n        optimizer.step()\n{}    pass\n{}"
    each, epoch = "        scheduler.step()\n", "    scheduler.step()\n"
    wrong, right = {
        "never": (("", ""), ("", epoch)),
        "other": (("", epoch), ("", epoch)),
        "per batch": ((each, ""), ("", epoch)),
        "per epoch": (("", epoch), (each, "")),
    }[event.problem]
    # A cosine over two steps is back at its beginning after eight of them; a cycle of ten ends near zero.
    shown = "optimizer.param_groups[0]['lr'] > 0.02"
    return showing(
        f"{made_by.format('other' if event.problem == 'other' else 'optimizer')}\n{batch.format(*wrong)}",
        shown,
        True,
        control=f"{made_by.format('optimizer')}\n{batch.format(*right)}",
    )


def scheduler_before_optimizer(event: SchedulerFirst, _machine: Machine) -> Experiment:
    """The warning at the scheduler's first step; or the learning rates of a scheduler that is idle, or out of step."""
    if isinstance(event, SchedulerIdle):
        return _idle(event)
    name, made_so = _names(event.optimizer)
    made_so = (
        f"{made_so}scheduler = torch.optim.lr_scheduler.StepLR({name}, step_size=1)\n{_BACKWARD}"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
    )
    first, second = f"    {name}.step()\n", "    scheduler.step()\n"
    return showing(
        made_so + second + first,
        "[str(each.message)[:63] for each in caught]",
        ["Detected call of `lr_scheduler.step()` before `optimizer.step()`"[:63]],
        control=made_so + first + second,
        head="import warnings\nimport torch",
    )


def eval_mode_forgotten(
    event: ModeForgotten | DropsInAnyMode | FrozenInTrainMode, _machine: Machine
) -> Experiment:
    """Whether two calls of a model with dropout agree, after its weights were loaded; or of the function in eval mode."""
    if isinstance(event, FrozenInTrainMode):
        made_so = "norm = torch.nn.BatchNorm1d(2).requires_grad_(False)\n"
        use = "norm(torch.ones(3, 2))"
        shown = "norm.running_mean.tolist() == [0.0, 0.0]"
        return showing(made_so + use, shown, False, control=f"{made_so}norm.eval()\n{use}")
    if isinstance(event, DropsInAnyMode) and event.is_layer:
        call = "torch.nn.Dropout(0.5){}(torch.ones(64))"
        pair = f"first, second = {call}, {call}"
        control = pair.format(".eval()", ".eval()")
        return showing(pair.format("", ""), "torch.equal(first, second)", False, control=control)
    if isinstance(event, DropsInAnyMode):
        call = "torch.nn.functional.dropout(torch.ones(64), 0.5"
        return showing(
            f"first, second = {call}), {call})",
            "torch.equal(first, second)",
            False,
            control=f"first, second = {call}, training=False), {call}, training=False)",
        )
    model = name_for(event.model.removeprefix("self."), "model", ("first", "second"))
    made_so = (
        f"{model} = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.Dropout(0.5))\n"
        f"{model}.load_state_dict({model}.state_dict())\n"
    )
    use = f"first, second = {model}(torch.ones(1, 2)), {model}(torch.ones(1, 2))"
    return showing(
        made_so + use, "torch.equal(first, second)", False, control=f"{made_so}{model}.eval()\n{use}"
    )


def forward_called_directly(event: ForwardNamed, _machine: Machine) -> Experiment:
    """Whether a hook has run."""
    model = name_for(event.model.removeprefix("self."), "model", ("seen",))
    made_so = (
        f"seen = []\n{model} = torch.nn.Linear(2, 1)\n"
        f"{model}.register_forward_hook(lambda *arguments: seen.append(1))\n"
    )
    return showing(
        f"{made_so}{model}.forward(torch.ones(1, 2))",
        "seen",
        [],
        control=f"{made_so}{model}(torch.ones(1, 2))",
    )


def module_not_initialized(event: ModuleUninitialized, _machine: Machine) -> Experiment:
    """The assignment, before and after `super().__init__()`."""
    name = name_for(event.attribute, "part")
    part = "torch.nn.Linear(2, 1)" if event.what == "module" else "torch.nn.Parameter(torch.ones(2))"
    code = (
        "class Module(torch.nn.Module):\n    def __init__(self):\n{}"
        f"        self.{name} = {part}\n\nModule()"
    )
    return raising(
        code.format(""),
        "AttributeError",
        "before Module.__init__() call",
        control=code.format("        super().__init__()\n"),
    )


def aliasing_without_clone(event: MemoryShared, _machine: Machine) -> Experiment:
    """Result of loading weights that were changed since, or the difference of a tensor from its earlier self."""
    if event.how == "compared":
        code = "x = torch.zeros(2)\nbefore = x.detach(){}\nx += 1"
        return showing(code.format(""), "bool((x == before).all())", True, control=code.format(".clone()"))
    if event.how == "stored":
        code = "x, kept = torch.zeros(2), []\nfor _ in range(2):\n    x += 1\n    kept.append(x{})"
        return showing(
            code.format(""), "bool((kept[0] == kept[1]).all())", True, control=code.format(".clone()")
        )
    if event.how == "assigned":
        code = (
            "one, two = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)\nfor kept, new in zip(one.parameters(), two.parameters()):\n"
            "    kept.data = new.data{}\nwith torch.no_grad():\n    two.weight.fill_(7)"
        )
        shown = "bool((one.weight == 7).all())"
        return showing(code.format(""), shown, True, control=code.format(".clone()"))
    if event.how == "itself":
        code = (
            "import copy\nonline = torch.nn.Linear(2, 2)\ntarget = {}\nwith torch.no_grad():\n"
            "    for kept, new in zip(target.parameters(), online.parameters()):\n        kept.mul_(0.5).add_(0.5 * new)"
        )
        shown = "bool((target.weight == online.weight).all()) and target.weight.data_ptr() == online.weight.data_ptr()"
        return showing(code.format("online"), shown, True, control=code.format("copy.deepcopy(online)"))
    if event.how == "shared":
        code = (
            "import copy\npart = torch.nn.Linear(2, 2)\nonline, target = torch.nn.Sequential(part), torch.nn.Sequential({})\n"
            "target.load_state_dict(online.state_dict())\nwith torch.no_grad():\n    online[0].weight.fill_(7)"
        )
        shown = "bool((target[0].weight == 7).all())"
        return showing(code.format("part"), shown, True, control=code.format("copy.deepcopy(part)"))
    code = (
        "module = torch.nn.Linear(2, 2)\nkept = {{name: value{} for name, value in module.state_dict().items()}}\n"
        "with torch.no_grad():\n    module.weight.fill_(7)\nmodule.load_state_dict(kept)"
    )
    shown = "bool((module.weight == 7).all())"
    return showing(code.format(""), shown, True, control=code.format(".clone()"))


def unreached_parameters(event: ParametersUnreached, _machine: Machine) -> Experiment:
    """Two layers in one optimizer, of which a loss reaches one, or both; or of which one is frozen."""
    made_so = (
        "one, two = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)\n"
        "optimizer = torch.optim.SGD([*one.parameters(), *two.parameters()], lr=0.1)\n"
    )
    if event.frozen:
        step = "one.requires_grad_({})\ntwo(one(torch.ones(1, 2))).sum().backward()\noptimizer.step()"
        shown = "one.weight.grad is None"
        return showing(made_so + step.format("False"), shown, True, control=made_so + step.format("True"))
    step = "two({}).sum().backward()\noptimizer.step()"
    return showing(
        made_so + step.format("one(torch.ones(1, 2)).detach()"),
        "one.weight.grad is None",
        True,
        control=made_so + step.format("one(torch.ones(1, 2))"),
    )


def taken_for_module(event: NotCallable, _machine: Machine) -> Experiment:
    """The call of a tensor, of a flag, or of what `load_state_dict` returns."""
    made_so = "net = torch.nn.Linear(1, 1)\nx = torch.ones(1)\n"
    attribute = event.name if event.name.isidentifier() else "eval"
    wrong, right = {
        "tensor": ("net(x)(x)", "net(x)"),
        "bool": ("x.requires_grad()", "x.requires_grad_()"),
        "wrapped": ("net.load_state_dict(torch.nn.DataParallel(net).state_dict())", "net(x)"),
        "path": ("net.load_state_dict('model.pt')", "net.load_state_dict(net.state_dict())"),
        "loaded": (
            f"net.load_state_dict(net.state_dict()).{attribute}()"
            if event.name
            else "net.load_state_dict({}, False)(x)",
            "net(x)",
        ),
    }[event.kind]
    return raising(made_so + wrong, "TypeError|AttributeError|RuntimeError", "", control=made_so + right)


def zero_dim_index(_event: NumberIndexed, _machine: Machine) -> Experiment:
    """The index of a sum."""
    made_so = "loss = torch.ones(2).sum()\n"
    return raising(made_so + "loss[0]", "IndexError", "", control=made_so + "loss.item()")


def softmax_over_batch(_event: NormalisedElsewhere, _machine: Machine) -> Experiment:
    """Whether the weights of one sample add up to one, and those of the others with them."""
    made_so = "scores = torch.tensor([[[1.0, 2.0]], [[3.0, 4.0]]])\nweights = torch.softmax(scores, dim={})\n"
    shown = "bool((weights.sum(dim=-1) - 1).abs().max() < 0.001)"
    return showing(made_so.format(0), shown, False, control=made_so.format(-1))


BUILDERS: dict[str, Builder[Any]] = {
    "softmax-over-batch": softmax_over_batch,
    "zero-dim-index": zero_dim_index,
    "taken-for-module": taken_for_module,
    "unreached-parameters": unreached_parameters,
    "aliasing-without-clone": aliasing_without_clone,
    "eval-mode-forgotten": eval_mode_forgotten,
    "forward-called-directly": forward_called_directly,
    "module-not-initialized": module_not_initialized,
    "amp-protocol": amp_protocol,
    "eval-keeps-graph": eval_keeps_graph,
    "eval-mode-mixed-up": eval_mode_mixed_up,
    "gradients-cleared-too-early": gradients_cleared_too_early,
    "method-not-called": method_not_called,
    "missing-zero-grad": missing_zero_grad,
    "scheduler-before-optimizer": scheduler_before_optimizer,
}
