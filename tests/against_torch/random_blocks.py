"""Statements that hold others, or are about graphs: blocks, functions, layers, training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from against_torch.random_programs import DEVICES, RISK, Maker

if TYPE_CHECKING:
    from collections.abc import Callable


class Blocks(Maker):
    """Control flow, functions, modules, optimizers."""

    def simple(self) -> list[Callable[[], None]]:
        """Statements that may stand in a block."""
        made: list[Callable[[], None]] = [
            getattr(self, name) for name in ("binary", "unary", "in_place", "move", "reduce", "cut", "view")
        ]
        return made

    def block(self, head: str, count: int = 2) -> None:
        """A block; what it makes is forgotten by the generator only where it may not have run."""
        self.say(head)
        outer, self.indent = self.indent, self.indent + "    "
        for _ in range(count):
            before = len(self.lines)
            self.chance.choice(self.simple())()
            if len(self.lines) == before:
                self.say("pass")
        self.indent = outer

    def grad_mode(self) -> None:
        if self.indent:
            return
        mode = self.pick("no_grad()", "no_grad()", "enable_grad()", "set_grad_enabled(False)", "set_grad_enabled(True)", "inference_mode(False)",
                         'device("cuda:0")')  # fmt: skip
        graph = self.graph
        self.graph = not ("no_grad" in mode or "Enabled(False" in mode or "enabled(False" in mode)
        if "device" in mode:
            self.say(f"with torch.{mode}:")
            self.indent = "    "
            self.new("torch.zeros(3)", (3,), "cuda:0")
            self.indent = ""
            return
        self.block(f"with torch.{mode}:")
        self.graph = graph

    def loop(self) -> None:
        if self.indent:
            return
        how = self.chance.random()
        if how < 0.6:
            self.block(f"for _ in range({self.pick('1', '2', '3', '12')}):")
            return
        if how < 0.8:
            tensor = self.some(ranks=(1, 2))
            name, total = self.fresh("r"), self.fresh("t")
            self.say(f"{total} = {self.pick('0', '0.0')}")
            self.say(f"for {name} in {tensor.name}:")
            self.say(f"    reveal_value({name})")
            self.say(f"    {total} = {total} + {name}{self.pick('', ' * 2', '.detach()')}")
            self.say(f"reveal_value({total})")
            return
        tensor = self.some()
        if tensor.grad and tensor.leaf:
            return
        counter = self.fresh("n")
        self.say(f"{counter} = 0")
        self.say(f"while {counter} < {self.pick('1', '2', '3')}:")
        self.say(f"    {tensor.name} = {tensor.name} {self.pick('* 2', '+ 1', '- 1')}")
        self.say(f"    {counter} += 1")
        self.reveal(tensor.name)

    def branch(self) -> None:
        """A test that cannot be decided by reading."""
        if self.indent:
            return
        number = self.chance.randrange(2)
        flag = f"flag{number}"
        if f'{flag} = os.environ.get("FLAG{number}") == "1"' not in self.lines:
            self.say(f'{flag} = os.environ.get("FLAG{number}") == "1"')
            self.flags += 1
        tensor = self.some()
        n = tensor.name
        first = self.pick(f"{n} = {n} * 2", f'{n} = {n}.to("cuda:0")', f"{n} = {n}.detach()", f"{n} = {n}.cpu()", f"{n} = torch.ones(3)",
                          f"{n} = {n}.detach().requires_grad_()", f"{n} = {n}.sum()", "pass")  # fmt: skip
        second = self.pick(
            f"{n} = {n} + 1", f"{n} = {n}.clone()", f'{n} = {n}.to("cpu")', f"{n} = {n}.detach()", "pass", ""
        )
        self.say(f"if {self.pick('', '', 'not ')}{flag}:")
        self.say(f"    {first}")
        if second:
            self.say("else:")
            self.say(f"    {second}")
        self.reveal(n)
        if self.often(0.5):
            self.say(f"if {flag}:")
            self.say(f"    {n} = {self.pick(f'{n}.cpu()', f'{n} * 2', f'{n}.clone()')}")
            self.reveal(n)
        tensor.leaf = False

    def guarded(self) -> None:
        """Tests on what a tensor is."""
        if self.indent:
            return
        tensor = self.some()
        n = tensor.name
        test, then = self.chance.choice(
            [(f"{n}.is_cuda", f"{n} = {n}.cpu()"), (f"{n}.requires_grad", f"{n} = {n}.detach()"), (f"{n}.is_leaf", f"{n} = {n}.clone()"),
             (f'{n}.device.type == "cuda"', f"{n} = {n} * 2"), (f"not {n}.requires_grad", f"{n} = {n}.clone().requires_grad_()"),
             (f"{n}.dim() == 0", f"{n} = {n} + 1"), (f"{n}.grad is None", f"{n} = {n} * 1"), (f"{n}.grad_fn is None", f"{n} = {n}.clone()"),
             (f"{n}.dtype == torch.float32", f"{n} = {n}.clone()"), ("torch.is_grad_enabled()", f"{n} = {n} * 2"),
             (f"torch.is_tensor({n})", f"{n} = {n} - 1")]
        )  # fmt: skip
        self.say(f"if {test}:")
        self.say(f"    {then}")
        self.reveal(n)
        if then.endswith(".cpu()"):
            tensor.device = "cpu"
        tensor.leaf = False

    def backward(self) -> None:
        tensors = [each for each in self.tensors if each.grad]
        tensor = self.chance.choice(tensors) if tensors else self.some()
        if not self.graph or (tensor.kind != "float"):
            return
        how = self.chance.random()
        retain = self.pick("", "", "retain_graph=True")
        root = (
            tensor.name
            if not tensor.shape or self.often(RISK / 2)
            else f"{tensor.name}.{self.pick('sum()', 'mean()', 'pow(2).sum()')}"
        )
        guard = ""
        if not tensor.grad and not self.often(RISK):
            self.say(f"if {tensor.name}.requires_grad:")
            guard = "    "
        if how < 0.7:
            self.say(f"{guard}{root}.backward({retain})")
        elif how < 0.8 and tensor.shape:
            self.say(
                f"{guard}{tensor.name}.backward(torch.ones_like({tensor.name}){', ' + retain if retain else ''})"
            )
        elif how < 0.9:
            self.say(f"{guard}torch.autograd.backward({root}{', ' + retain if retain else ''})")
        else:
            name = self.fresh("g")
            leafs = [each for each in self.tensors if each.grad and each.leaf] or [tensor]
            leaf = self.chance.choice(leafs)
            self.say(
                f"{guard}{name}, = torch.autograd.grad({root}, {leaf.name}, allow_unused=True{', ' + retain if retain else ''})"
            )
            self.say(f"{guard}if {name} is not None:")
            self.say(f"{guard}    reveal_value({name})")

    def gradient(self) -> None:
        leafs = [each for each in self.tensors if each.grad and each.leaf]
        if not leafs:
            return
        leaf = self.chance.choice(leafs)
        if self.often(0.4) and self.graph:
            self.say(f"({leaf.name} * {leaf.name}).sum().backward()")
        self.say(f"if {leaf.name}.grad is not None:")
        self.say(f"    reveal_value({leaf.name}.grad)")
        if self.often(0.3):
            self.say(f"{leaf.name}.grad = None")

    def function(self) -> None:
        if self.indent:
            return
        left = self.some()
        right = self.mate(left)
        name = self.fresh("f")
        body = self.pick(
            "a * b",
            "(a + b).exp()",
            "a.detach() + b",
            "b * 2 - a",
            "a if a.requires_grad else b",
            "helper(a, b)",
            "torch.where(a > 0, a, b)",
        )
        if self.often(0.2):
            self.say(self.pick("@torch.no_grad()", "@torch.enable_grad()", "@torch.inference_mode(False)"))
        scale = self.pick("", ", scale=2")
        self.say(f"def {name}(a, b{scale}):")
        if "helper" in body:
            self.say("    def helper(x, y):")
            self.say("        return x - y")
        if self.often(0.3):
            self.say(f"    if a.dim() == {self.pick('0', '1', '2')}:")
            self.say("        return b + 1")
        if self.often(0.2):
            self.say("    a = a.clone()")
            self.say("    a += 1")
        self.say(f"    return {body}{' * scale' if scale else ''}")
        shape = left.shape if left.shape == right.shape or not right.shape else right.shape
        self.new(
            f"{name}({left.name}, {right.name})",
            shape,
            left.device,
            grad=left.grad or right.grad,
            leaf=False,
            keep=False,
        )

    def layer(self) -> None:
        tensor = self.some(ranks=(1, 2))
        device = tensor.device if not self.often(RISK) else self.chance.choice(DEVICES)
        name = self.fresh("m")
        # The stand-in gives a Linear without bias a dimension too many for one row.
        bias = "False" if len(tensor.shape) == 2 else "True"
        made, shape = self.chance.choice(
            [("nn.Linear(3, 3)", tensor.shape), (f"nn.Linear(3, 3, bias={bias})", tensor.shape), ("nn.LayerNorm(3)", tensor.shape), ("nn.ReLU()", tensor.shape),
             ("nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))", tensor.shape), ("nn.Dropout(0.5)", tensor.shape),
             ("nn.Tanh()", tensor.shape), ("nn.Softmax(dim=-1)", tensor.shape), ("nn.Linear(3, 2)", (*tensor.shape[:-1], 2)),
             ("nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))", tensor.shape), ("nn.PReLU()", tensor.shape),
             ("nn.GELU()", tensor.shape), ("nn.Identity()", tensor.shape), ("nn.Embedding(4, 3)", (3, 3)), ("nn.Flatten(0)", ()),
             ("nn.ModuleList([nn.Linear(3, 3)])", tensor.shape), ("nn.BatchNorm1d(3)", tensor.shape), ("nn.LSTM(3, 3)", tensor.shape),
             ("nn.MSELoss()", ()), ("nn.GRUCell(3, 3)", tensor.shape)]
        )  # fmt: skip
        move = (
            self.pick(f'.to("{device}")', ".cuda()" if device != "cpu" else ".cpu()")
            if device != "cpu" or self.often(0.3)
            else ""
        )
        self.say(f"{name} = {made}{move}")
        if self.often(0.2):
            self.say(f"{name}.{self.pick('requires_grad_(False)', 'eval()', 'train()', 'double().float()')}")
        argument = tensor.name
        if "Embedding" in made:
            argument = f'torch.tensor([0, 1, 2], device="{tensor.device}")'
        if "ModuleList" in made:
            name = f"{name}[0]"
        if "Linear(3, 3" in made and "Seq" not in made:
            self.reveal(f"{name}.weight")
        if "MSELoss" in made:
            other = self.mate(tensor, same_shape=True)
            self.new(
                f"{name}({tensor.name}, {other.name})", (), tensor.device, grad=tensor.grad or other.grad
            )
            return
        if "LSTM" in made:
            out = self.fresh("v")
            self.say(f"{out}, _ = {name}({argument}{'' if len(tensor.shape) == 2 else '[None]'})")
            self.reveal(out)
            return
        good = (
            shape == tensor.shape and not ("BatchNorm" in made and len(shape) == 1) and "Flatten" not in made
        )
        self.new(
            f"{name}({argument})", shape, device, grad="Linear" in made or tensor.grad, leaf=False, keep=good
        )

    def module(self) -> None:
        """A class of one's own."""
        if self.indent:
            return
        tensor = self.some(ranks=(1, 2))
        device = tensor.device if not self.often(RISK) else self.chance.choice(DEVICES)
        name, made = self.fresh("Net"), self.fresh("m")
        plain = self.often(0.2)
        body = self.pick("self.body(x) * self.gain", "self.body(x) + self.mean", "x * self.gain + self.mean", "self.body(x).relu()",
                         "self.body(self.body(x))", "x * self.gain.detach()", "x - self.mean")  # fmt: skip
        self.say(f"class {name}(nn.Module):")
        self.say("    def __init__(self):")
        self.say("        super().__init__()")
        self.say("        self.body = nn.Linear(3, 3)")
        self.say("        self.gain = nn.Parameter(torch.ones(3))")
        self.say(
            "        self.mean = torch.zeros(3)"
            if plain
            else '        self.register_buffer("mean", torch.zeros(3))'
        )
        self.say("    def forward(self, x):")
        self.say(f"        return {body}")
        self.say(f"{made} = {name}()" + (f'.to("{device}")' if device != "cpu" else ""))
        for part in ("gain", "mean", "body.weight"):
            self.reveal(f"{made}.{part}")
        self.new(f"{made}({tensor.name})", tensor.shape, device, grad=True, leaf=False)

    def training(self) -> None:
        """Steps of a training loop, in an order that is mostly right."""
        if self.indent or not self.graph:
            return
        tensor = self.some(ranks=(1, 2))
        model, optimizer, loss = self.fresh("m"), self.fresh("o"), self.fresh("l")
        self.say(f'{model} = nn.Linear(3, 3).to("{tensor.device}")')
        self.say(
            f"{optimizer} = torch.optim.{self.pick('SGD', 'Adam', 'AdamW')}({model}.parameters(), lr=0.1)"
        )
        if self.often(0.3):
            self.say(f"{loss} = {model}({tensor.name}).pow(2).mean()")
        self.say(f"for _ in range({self.pick('1', '2', '3', '20')}):")
        steps = [
            f"{optimizer}.zero_grad()", f"{loss} = {model}({tensor.name}).{self.pick('pow(2).mean()', 'sum()', 'exp().sum()', 'abs().mean()')}",
            f"{loss}.backward({self.pick('', '', '', 'retain_graph=True')})", f"{optimizer}.step()",
        ]  # fmt: skip
        if self.often(0.25):
            one, other = self.chance.sample(range(4), 2)
            steps[one], steps[other] = steps[other], steps[one]
        if self.often(0.15):
            steps.pop(self.chance.randrange(4))
        if not any(
            each.startswith(f"{loss} =")
            for each in steps[: 1 + next((i for i, s in enumerate(steps) if "backward" in s), 3)]
        ) and not any(line.startswith(f"{loss} =") for line in self.lines):
            self.lines.insert(len(self.lines) - 1, f"{loss} = {model}({tensor.name}).sum()")
        for step in steps:
            self.say(f"    {step}")
        self.reveal(loss)
        self.reveal(f"{model}.weight")
        self.say(f"if {model}.weight.grad is not None:")
        self.say(f"    reveal_value({model}.weight.grad)")

    def container(self) -> None:
        tensor, other = self.some(), self.some()
        name = self.fresh("c")
        self.say(
            f"{name} = {self.pick(f'[{tensor.name}, {other.name}]', f'({tensor.name}, {other.name})', f'dict(zip((0, 1), ({tensor.name}, {other.name})))')}"
        )
        which = self.pick("0", "1")
        chosen = tensor if which == "0" else other
        self.new(
            f"{name}[{which}]{self.pick('', ' * 2', '.clone()')}",
            chosen.shape,
            chosen.device,
            grad=chosen.grad,
            leaf=False,
        )

    def several(self) -> None:
        """Comprehensions and unpacking."""
        if self.indent:
            return
        tensor = self.some(ranks=(1, 2))
        parts = self.fresh("p")
        self.say(
            f"{parts} = [each * {self.pick('2', tensor.name)} for each in {self.pick(tensor.name, f'({tensor.name}, {tensor.name})', f'{tensor.name}.unbind(0)')}]"
        )
        self.reveal(f"{parts}[0]")
        self.reveal(
            self.pick(
                f"torch.stack({parts})", f"sum({parts})", f"torch.cat([p.reshape(-1) for p in {parts}])"
            )
        )

    def host(self) -> None:
        tensor = self.some()
        n = tensor.name
        scalar = n if not tensor.shape else f"{n}.sum()"
        name = self.fresh("h")
        how = self.chance.random()
        if how < 0.4:
            self.say(
                f"{name} = {self.pick(f'{scalar}.item()', f'float({scalar})', f'{n}.tolist()', f'{n}.shape', f'len({n}.shape)')}"
            )
            other = self.some()
            if ".item()" in self.lines[-1] or "float(" in self.lines[-1]:
                self.new(f"{other.name} * {name}", other.shape, other.device, grad=other.grad, leaf=False)
        elif how < 0.7:
            self.say(f"{name} = {n}.detach().cpu().numpy()")
            self.new(
                f"torch.from_numpy({name}){self.pick('', '.clone()', f'.to({n}.device)')}",
                tensor.shape,
                "cpu",
                keep=False,
            )
        elif not (tensor.grad or tensor.device != "cpu") or self.often(RISK):
            self.say(f"{name} = {n}.numpy()")
