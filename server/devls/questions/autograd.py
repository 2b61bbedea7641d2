"""Experiments for the rules about autograd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from devls.questions import graphs, operations
from devls.questions.building import NoQuestionError, raising, showing, warning
from devls.questions.device import host_read
from devls.questions.operations import LEAF
from devls.questions.tensors import made, name_for, sizes

if TYPE_CHECKING:
    from devls.engine.core.events.events import (
        BackwardAgain,
        BackwardOfNonScalar,
        BackwardWithoutGraph,
        FlagWithoutEffect,
        GradModeWithoutEffect,
        GradRead,
        GraphCopied,
        GraphCutHidden,
        GraphKept,
        HostRead,
        OptimizerGiven,
    )
    from devls.engine.core.events.protocols import (
        EstimateInGraph,
        FlagOfStateDict,
        GradientZero,
    )
    from devls.engine.core.machine import Machine
    from devls.probe.experiment import Experiment
    from devls.questions.building import Builder

_TWICE = "Trying to backward through the graph a second time"


def backward_on_non_scalar(event: BackwardOfNonScalar, _machine: Machine) -> Experiment:
    """Backward of a result of this shape."""
    loss = name_for(event.root_text, "loss", ("w",))
    number = "torch.ones((), dtype=torch.complex64, requires_grad=True)"
    made_so = f"w = {number if event.is_complex else made(sizes(event.shape, 1), requires_grad=True)}\n"
    return raising(
        f"{made_so}{loss} = w * 2\n{loss}.backward()",
        "RuntimeError",
        "grad can be implicitly created only for",
        control=f"{made_so}{loss} = w * 2\n{loss}.{'abs' if event.is_complex else 'sum'}().backward()",
    )


def backward_twice(event: BackwardAgain, machine: Machine) -> Experiment:
    """The operation that kept something, walked twice."""
    leaf, value = operations.uses(machine, event.freed.operation)
    loss = name_for(event.root_text, "loss", ("w", "layer"))
    made_so = f"{leaf}\n{loss} = ({value}).sum()\n"
    return raising(
        f"{made_so}{loss}.backward()\n{loss}.backward()",
        "RuntimeError",
        _TWICE,
        control=f"{made_so}{loss}.backward(retain_graph=True)\n{loss}.backward()",
    )


def hidden_state_carried(event: BackwardAgain, _machine: Machine) -> Experiment:
    """A state that each iteration computes from the one before."""
    h = name_for(event.carried_name, "h", ("w",))
    step = f"    {h} = torch.tanh({h} * w)\n    {h}.sum().backward()"
    made_so = f"{LEAF}\n{h} = torch.ones((2, 2))\nfor _ in range(2):\n"
    return raising(made_so + step, "RuntimeError", _TWICE, control=f"{made_so}    {h} = {h}.detach()\n{step}")


def backward_without_graph(event: BackwardWithoutGraph, _machine: Machine) -> Experiment:
    """Backward of something that was cut off in the way the finding tells."""
    loss = name_for(event.root_text, "loss", ("w",))
    cut = event.cut.what if event.cut is not None and event.cut.kind == "cut" else ""
    if event.came_before:
        made_so = f"{LEAF}\ny = (w * 2).sum()\n"
        asked = "torch.autograd.grad(y, {})"
        control = made_so + asked.format("w")
        return raising(
            f"{made_so}copied = w.clone()\n{asked.format('copied')}",
            "RuntimeError",
            "appears to not have been used in the graph",
            control=control,
        )
    ok = f"{LEAF}\n{loss} = (w * 2).sum()\n{loss}.backward()"
    if event.is_number:
        code = f"{LEAF}\n{loss} = (w * 2).sum().item()\n{loss}.backward()"
        return raising(code, "AttributeError", "has no attribute 'backward'", control=ok)
    if "grad mode" in cut or "no_grad" in cut:
        code = f"{LEAF}\nwith torch.no_grad():\n    {loss} = (w * 2).sum()\n{loss}.backward()"
    elif "detach" in cut:
        code = f"{LEAF}\n{loss} = (w.detach() * 2).sum()\n{loss}.backward()"
    elif ".data" in cut:
        code = f"{LEAF}\n{loss} = (w.data * 2).sum()\n{loss}.backward()"
    else:
        code = f"w = torch.ones((2, 2))\n{loss} = (w * 2).sum()\n{loss}.backward()"
    return raising(code, "RuntimeError", "does not require grad", control=ok)


def deepcopy_of_graph(event: GraphCopied, _machine: Machine) -> Experiment:
    """A copy of a result, or of what holds one."""
    head = "import copy\nimport torch"
    if not event.attribute:
        x = name_for(event.text, "x", ("w",))
        made_so = f"{LEAF}\n{x} = w * 2\n"
        code, control = f"{made_so}copy.deepcopy({x})", f"{made_so}copy.deepcopy({x}.detach())"
    else:
        name = name_for(event.attribute, "result")
        made_so = f"{LEAF}\nholder = torch.nn.Module()\nholder.{name} = w * 2"
        code, control = f"{made_so}\ncopy.deepcopy(holder)", f"{made_so}.detach()\ncopy.deepcopy(holder)"
        control = (
            f"{LEAF}\nholder = torch.nn.Module()\nholder.{name} = (w * 2).detach()\ncopy.deepcopy(holder)"
        )
    text = "Only Tensors created explicitly by the user"
    return raising(code, "RuntimeError", text, control=control, head=head)


def frozen_in_vain(event: FlagWithoutEffect, _machine: Machine) -> Experiment:
    """The flag, set."""
    module = "module = torch.nn.Linear(2, 2)\n"
    flags = "any(each.requires_grad for each in module.parameters())"
    frozen = f"{module}module.requires_grad_(False)"
    if "of a leaf" in event.problem:
        return raising(
            f"{LEAF}\nx = w * 2\nx.requires_grad = False",
            "RuntimeError",
            "you can only change requires_grad flags of leaf variables",
            control=f"{LEAF}\nx = (w * 2).detach()\nx.requires_grad = False",
        )
    if "flag of its own" in event.problem:
        made_so = "values = torch.ones(2)\nscale = torch.nn.Parameter(values)\n"
        return showing(
            f"{made_so}values.requires_grad = False",
            "scale.requires_grad",
            True,
            control=f"{made_so}scale.requires_grad = False",
        )
    name = name_for(event.attribute, "requires_grad")
    if "module" in event.problem:
        return showing(f"{module}module.{name} = False", flags, True, control=frozen)
    each = f"{module}for parameter in module.parameters():\n    parameter.{name} = False"
    return showing(each, flags, True, control=frozen)


def grad_kept_alive(event: GraphKept, _machine: Machine) -> Experiment:
    """How much of the graphs of three iterations is there after the loop."""
    kept = name_for(event.container, "kept", ("w", "value"))
    value = "(w * 2).sum()"
    if event.accumulates:
        count = (
            "def length(node):\n"
            "    return 0 if node is None else 1 + max([length(each[0]) for each in node.next_functions], default=0)\n"
        )
        made_so = f"{count}{LEAF}\n{kept} = 0\nfor _ in range(3):\n    {kept} = {kept} + {value}"
        return showing(
            made_so, f"length(getattr({kept}, 'grad_fn', None)) > 4", True, control=f"{made_so}.item()"
        )
    made_so = f"{LEAF}\n{kept} = []\nfor _ in range(3):\n    {kept}.append({value}"
    return showing(
        f"{made_so})",
        f"sum(each.grad_fn is not None for each in {kept})",
        3,
        control=f"{made_so}.detach())",
    )


def grad_mode_without_effect(event: GradModeWithoutEffect, _machine: Machine) -> Experiment:
    """The mode, as it is written."""
    mode = (
        event.mode
        if event.mode in ("no_grad", "inference_mode", "enable_grad", "set_grad_enabled")
        else "no_grad"
    )
    argument = "False" if mode == "set_grad_enabled" else ""
    if event.problem == "not called":
        return raising(
            f"with torch.{mode}:\n    pass",
            "TypeError|AttributeError",
            "context manager|__enter__|__exit__",
            control=f"with torch.{mode}({argument}):\n    pass",
        )
    if event.problem == "left off":
        return showing(
            f"{LEAF}\ntorch.set_grad_enabled(False)\nx = w * 2",
            "x.requires_grad",
            False,
            control=f"{LEAF}\nwith torch.set_grad_enabled(False):\n    pass\nx = w * 2",
        )
    off = mode != "enable_grad"
    before = "" if off else "torch.set_grad_enabled(False)\n"
    return showing(
        f"{LEAF}\n{before}torch.{mode}({argument})\nx = w * 2",
        "x.requires_grad",
        off,
        control=f"{LEAF}\n{before}with torch.{mode}({argument}):\n    x = w * 2",
    )


def grad_of_non_leaf(event: GradRead, _machine: Machine) -> Experiment:
    """The gradient of a result, after backward."""
    y = name_for(event.text, "y", ("w",))
    code = f"{LEAF}\n{y} = w * 2\n{{}}{y}.sum().backward()"
    return showing(
        code.format(""),
        f"{y}.grad",
        None,
        control=code.format(f"{y}.retain_grad()\n"),
        head="import warnings\nimport torch\nwarnings.simplefilter('ignore')",
    )


def gradient_always_zero(event: GradientZero, machine: Machine) -> Experiment:
    """The gradient behind the operation."""
    if event.cancels:
        made_so = "w = torch.full((2, 2), 0.7, requires_grad=True)\nhard = torch.ones(2, 2)\n"
        return showing(
            f"{made_so}(hard - w + w).sum().backward()",
            "bool(w.grad.any())",
            False,
            control=f"{made_so}((hard - w).detach() + w).sum().backward()",
        )
    found = operations.find(machine, event.operation.strip("_"))
    if found is None:
        raise NoQuestionError(f"`{event.operation}` is not described")
    first = found.parameters[0].name
    made_so = "w = torch.full((2, 2), 0.7, requires_grad=True)\n"
    code = operations.call(found, {first: "w"}, "w")
    return showing(
        f"{made_so}{code}.sum().backward()",
        "bool(w.grad.any())",
        False,
        control=f"{made_so}(w + ({code} - w).detach()).sum().backward()",
    )


def graph_cut_hidden(event: GraphCutHidden, _machine: Machine) -> Experiment:
    """The gradient behind the cut."""
    loss = name_for(event.text, "loss", ("w",))
    cut = f"{LEAF}\n{loss} = (w * 2).sum().detach()"
    ways = {
        "requires_grad_()": f"{cut}\n{loss}.requires_grad_()",
        "requires_grad = True": f"{cut}\n{loss}.requires_grad = True",
        "Parameter(...)": f"{LEAF}\n{loss} = torch.nn.Parameter((w * 2).sum())",
        "Variable(...)": f"{LEAF}\n{loss} = torch.autograd.Variable((w * 2).sum().detach(), requires_grad=True)",
        "tensor(...)": f"{LEAF}\n{loss} = torch.tensor((w * 2).sum().item(), requires_grad=True)",
    }
    code = ways.get(event.how, ways["requires_grad_()"])
    return showing(
        f"{code}\n{loss}.backward()",
        "w.grad",
        None,
        control=f"{LEAF}\n{loss} = (w * 2).sum()\n{loss}.backward()",
    )


def numpy_on_grad(event: HostRead, machine: Machine) -> Experiment:
    """The conversion, of a tensor that requires grad."""
    return host_read(event, machine, device="cpu")


def _replaced(name: str) -> Experiment:
    """Whether a step changes a layer that was put in after the optimizer was made."""
    taken = f"optimizer = torch.optim.{name}(module.parameters(), lr=0.1)\n"
    put_in = "module[0] = torch.nn.Linear(2, 2)\n"
    step = "before = module[0].weight.detach().clone()\nmodule(torch.ones(1, 2)).sum().backward()\noptimizer.step()"
    made = "module = torch.nn.Sequential(torch.nn.Linear(2, 2))\n"
    unchanged = "torch.equal(module[0].weight, before)"
    return showing(f"{made}{taken}{put_in}{step}", unchanged, True, control=f"{made}{put_in}{taken}{step}")


def optimizer_parameters(event: OptimizerGiven, machine: Machine) -> Experiment:
    """The optimizer, made of such a thing."""
    name = (
        event.optimizer if machine.library.optimizer(f"torch.optim.{event.optimizer}") is not None else "SGD"
    )
    module = "module = torch.nn.Linear(2, 2)\n"
    if event.problem in graphs.SILENT:
        return graphs.never_trained(event)
    if event.problem == "replaced":
        return _replaced(name)
    if event.problem == "twice":
        return warning(
            f"{module}torch.optim.{name}([module.weight, module.weight], lr=0.1)",
            "duplicate parameters",
            control=f"{module}torch.optim.{name}([module.weight, module.bias], lr=0.1)",
        )
    if event.problem == "frozen":
        use = (
            f"module.requires_grad_({{}})\nbefore = module.weight.clone()\noptimizer = torch.optim.{name}(module.parameters(), lr=0.1)\n"
            "module(torch.ones(1, 2, requires_grad=True)).sum().backward()\noptimizer.step()"
        )
        shown = "torch.equal(before, module.weight)"
        return showing(module + use.format(False), shown, True, control=module + use.format(True))
    given = {
        "non-leaf": (
            "w = torch.ones(2, requires_grad=True) * 2\n",
            "[w]",
            "can't optimize a non-leaf Tensor",
        ),
        "empty": ("", "[]", "optimizer got an empty parameter list"),
        "exhausted": (
            f"{module}parameters = module.parameters()\nsum(1 for _ in parameters)\n",
            "parameters",
            "optimizer got an empty parameter list",
        ),
        "module": (module, "module", "Linear|iter"),
        "tensor": ("w = torch.ones(2, requires_grad=True)\n", "w", "should be an iterable"),
    }
    made_so, argument, text = given[event.problem]
    return raising(
        f"{made_so}torch.optim.{name}({argument}, lr=0.1)",
        "ValueError|TypeError",
        text,
        control=f"{module}torch.optim.{name}(module.parameters(), lr=0.1)",
    )


def state_dict_flag(_event: FlagOfStateDict, _machine: Machine) -> Experiment:
    """The flags of what a state_dict holds, and of the parameters themselves."""
    module = "module = torch.nn.Linear(2, 2)\n"
    return showing(
        f"{module}held = module.state_dict()",
        "any(each.requires_grad for each in held.values())",
        False,
        control=f"{module}held = module.state_dict(keep_vars=True)",
    )


def missing_detach(event: EstimateInGraph, _machine: Machine) -> Experiment:
    """Reach of the gradient of a target, or of a weight; what is left of that of a ratio."""
    if event.role == "ratio":
        ratio = (
            "policy, x, act = torch.nn.Linear(2, 2), torch.ones(1, 2), torch.tensor([0])\n"
            "say = lambda: torch.distributions.Categorical(logits=policy(x)).log_prob(act)\n"
            "torch.exp(say() - say(){}).sum().backward()"
        )
        shown = "bool((policy.weight.grad.abs() > 1e-6).any())"
        return showing(ratio.format(""), shown, False, control=ratio.format(".detach()"))
    made_so = "net, critic = torch.nn.Linear(2, 1, bias=False), torch.nn.Linear(2, 1, bias=False)\n"
    if event.role == "copy":
        made_so += "critic.load_state_dict(net.state_dict())\n"
        use = "(net(torch.ones(1, 2)) - critic(torch.ones(1, 2)){} - 1).pow(2).sum().backward()"
        shown = "critic.weight.grad is not None"
    elif event.role == "target":
        # The value is of zeros: any gradient comes through the target.
        use = "(net(torch.zeros(1, 2)) - (1 + 0.9 * net(torch.ones(1, 2))){}).pow(2).sum().backward()"
        shown = "bool(net.weight.grad.any())"
    else:
        use = "(net(torch.ones(1, 2)) * (1 - critic(torch.ones(1, 2))){}).sum().backward()"
        shown = "critic.weight.grad is not None"
    return showing(made_so + use.format(""), shown, True, control=made_so + use.format(".detach()"))


BUILDERS: dict[str, Builder[Any]] = {
    "backward-on-non-scalar": backward_on_non_scalar,
    "backward-twice": backward_twice,
    "backward-without-graph": backward_without_graph,
    "deepcopy-of-graph": deepcopy_of_graph,
    "frozen-in-vain": frozen_in_vain,
    "grad-kept-alive": grad_kept_alive,
    "grad-mode-without-effect": grad_mode_without_effect,
    "grad-of-non-leaf": grad_of_non_leaf,
    "gradient-always-zero": gradient_always_zero,
    "graph-cut-hidden": graph_cut_hidden,
    "hidden-state-carried": hidden_state_carried,
    "missing-detach": missing_detach,
    "numpy-on-grad": numpy_on_grad,
    "optimizer-parameters": optimizer_parameters,
    "state-dict-flag": state_dict_flag,
}
