"""Statements as training code has them: optimizers, chosen devices, checkpoints, updates by hand, helpers that write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from against_torch.random_blocks import Blocks
from against_torch.random_programs import DEVICES, RISK

if TYPE_CHECKING:
    from collections.abc import Callable


class Training(Blocks):
    """Statements of training programs, beside plain arithmetic."""

    def flag(self) -> str:
        """A test that cannot be decided by reading."""
        number = self.chance.randrange(2)
        line = f'flag{number} = os.environ.get("FLAG{number}") == "1"'
        if line not in self.lines:
            self.say(line)
        return f"{self.pick('', 'not ')}flag{number}"

    def chosen_device(self) -> None:
        """A device that is chosen when the program runs, for a tensor, a layer, or what is made on it."""
        if self.indent:
            return
        place, tensor = self.fresh("d"), self.some(ranks=(1, 2))
        choice = self.pick('"cuda:0" if {} else "cpu"', 'torch.device("cuda:0" if {} else "cpu")')
        self.say(f"{place} = {choice.format(self.flag())}")
        moved = self.fresh("v")
        self.say(f"{moved} = {tensor.name}.to({place}{self.pick('', '', ', copy=True', ', torch.float32')})")
        self.reveal(moved)
        how = self.chance.random()
        if how < 0.3:
            layer = self.fresh("m")
            self.say(f"{layer} = nn.Linear(3, 3{self.pick(f').to({place})', f', device={place})')}")
            self.reveal(f"{layer}({moved})")
            self.reveal(f"{layer}.bias")
        elif how < 0.6:
            self.reveal(
                f"{moved} {self.pick('+', '*', '-')} torch.{self.pick('ones', 'zeros')}(3, device={place})"
            )
        elif how < 0.8:
            self.say(
                f"{moved} = {moved}.{self.pick('cpu()', 'detach()', 'clone()', f'to({tensor.name}.device)')}"
            )
            self.reveal(moved)
        else:
            self.say(f"if {moved}.{self.pick('is_cuda', 'requires_grad', 'is_leaf')}:")
            self.say(f"    {moved} = {moved}.{self.pick('cpu()', 'detach()', 'clone()')}")
            self.reveal(moved)

    def checkpointed(self) -> None:
        """`torch.utils.checkpoint`."""
        if self.indent:
            return
        tensor = self.some(ranks=(1, 2))
        if "from torch.utils.checkpoint import checkpoint" not in self.lines:
            self.say("from torch.utils.checkpoint import checkpoint")
        body = self.fresh("f")
        self.say(f"def {body}(a):")
        self.say(
            f"    return {self.pick('a * 2', '(a * a).sum()', 'a.exp() + 1', 'a.detach() * a', 'a.relu()')}"
        )
        self.reveal(f"checkpoint({body}, {tensor.name}, use_reentrant=False)")
        if tensor.grad and self.graph and self.often(0.5):
            self.say(f"checkpoint({body}, {tensor.name}, use_reentrant=False).sum().backward()")
            if tensor.leaf:
                self.say(f"if {tensor.name}.grad is not None:")
                self.say(f"    reveal_value({tensor.name}.grad)")

    def optimizer(self) -> None:
        """Steps of an optimizer over tensors and layers, moves before and after it was made."""
        if self.indent or not self.graph:
            return
        tensor = self.some(ranks=(1, 2))
        model, optimizer = self.fresh("m"), self.fresh("o")
        options = self.pick("lr=0.1", "lr=0.1", "lr=0.1, weight_decay=0.1")
        kind = self.pick(
            "SGD", "SGD", "Adam", "AdamW", "RMSprop", "Adadelta", "Adamax", "NAdam", "RAdam", "Rprop"
        )
        if kind == "Rprop":
            options = "lr=0.1"
        if kind == "SGD" and self.often(0.5):
            options += ", momentum=0.9"
        body = self.pick(
            "nn.Linear(3, 3)", "nn.Sequential(nn.Linear(3, 3), nn.Tanh())", "nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))",
            "nn.LayerNorm(3)",
        )  # fmt: skip
        self.say(f"{model} = {body}")
        late = self.often(0.4)
        if not late:
            self.say(f'{model}.to("{tensor.device}")')
        groups = self.pick(
            f"{model}.parameters()", f"list({model}.parameters())", f'[{{"params": {model}.parameters()}}]',
            f"[p for p in {model}.parameters() if p.requires_grad]",
        )  # fmt: skip
        self.say(f"{optimizer} = torch.optim.{kind}({groups}, {options})")
        if late:
            self.say(f'{model}.to("{tensor.device}")')
        loss = self.fresh("l")
        self.say(f"{loss} = {model}({tensor.name}).{self.pick('sum()', 'pow(2).mean()', 'exp().mean()')}")
        self.reveal(loss)
        clear = self.pick(
            f"{optimizer}.zero_grad()", f"{optimizer}.zero_grad(set_to_none=False)", f"{model}.zero_grad()"
        )
        steps = [clear, f"{loss}.backward({self.pick('', '', 'retain_graph=True')})", f"{optimizer}.step()"]
        if self.often(0.2):
            self.chance.shuffle(steps)
        for step in steps:
            self.say(step)
        if self.often(0.3):
            self.say(f"{loss}.backward()")
        for name, each in (("weight", f"{model}[0]" if "Seq" in body else model),):
            self.reveal(f"{each}.{name}")
            self.say(f"if {each}.{name}.grad is not None:")
            self.say(f"    reveal_value({each}.{name}.grad)")

    def update_by_hand(self) -> None:
        """`w -= rate * w.grad`, in the ways people write it."""
        if self.indent or not self.graph:
            return
        device = self.chance.choice(DEVICES)
        weight = self.new(
            f'torch.rand(3, device="{device}", requires_grad=True)', (3,), device, grad=True, leaf=True
        )
        w = weight.name
        self.say(f"({w} * {self.pick(w, '2', f'{w}.detach()')}).sum().backward()")
        how = self.chance.random()
        if how < 0.4:
            self.say("with torch.no_grad():")
            self.say(f"    {w} {self.pick('-=', '+=', '*=')} 0.1 * {w}.grad")
            if self.often(0.7):
                self.say(f"    {w}.grad{self.pick('.zero_()', ' = None')}")
        elif how < 0.6:
            self.say(f"{w}.data {self.pick('-=', '+=')} 0.1 * {w}.grad")
        elif how < 0.75:
            self.say("with torch.no_grad():")
            self.say(f"    {w} = {w} - 0.1 * {w}.grad")
            weight.grad, weight.leaf = False, True
            if self.often(0.6):
                self.say(f"{w}.requires_grad_()")
                weight.grad = True
        elif how < 0.85:
            self.say(f"{w} = {w} - 0.1 * {w}.grad")
            weight.leaf = False
        elif self.often(2 * RISK):
            self.say(f"{w} -= 0.1 * {w}.grad")
        self.reveal(w)
        if self.often(0.5):
            self.reveal(f"({w} * 2).sum()")

    def viewed_without_graph(self) -> None:
        """A view that is made under no_grad, and then used, or written, outside."""
        if self.indent or not self.graph:
            return
        base = self.some(ranks=(1, 2))
        view = self.fresh("v")
        part = self.pick(
            "[0]", ".view(-1)", "[:2]", ".reshape(-1)", ".contiguous()", ".expand_as({0})", ".detach()"
        )
        self.say(
            f"with torch.{self.pick('no_grad()', 'no_grad()', 'set_grad_enabled(False)', 'enable_grad()')}:"
        )
        self.say(f"    {view} = {base.name}{part.format(base.name)}")
        self.reveal(view)
        how = self.chance.random()
        if how < 0.3:
            self.reveal(f"{view} * 2")
        elif how < 0.5 and (not (base.grad and base.leaf) or self.often(RISK)):
            self.say(f"{base.name}.{self.pick('mul_(2)', 'add_(1)', 'zero_()')}")
            self.reveal(base.name)
            self.reveal(view)
        elif self.often(0.4) and "expand" not in part:
            self.say(f"{view}.{self.pick('mul_(2)', 'add_(1)', 'zero_()')}")
            self.reveal(view)
            self.reveal(base.name)

    def same_or_copy(self) -> None:
        """Calls that may return their operand, a view of it, or a copy, followed by a write."""
        base = self.some(ranks=(1, 2))
        if base.grad and base.leaf and self.graph and not self.often(RISK):
            return
        name = self.fresh("v")
        how = self.pick(
            "reshape(-1)", "contiguous()", "float()", "to('cpu')", "flatten()", "expand_as({0})", "view_as({0})",
            "t().contiguous()", "reshape({0}.shape)", "cpu()", "squeeze()", "clone()", "double()", "to(torch.float32)",
        )  # fmt: skip
        if "t()" in how and len(base.shape) != 2:
            how = "contiguous()"
        self.say(f"{name} = {base.name}.{how.format(base.name)}")
        self.reveal(name)
        written = self.pick(name, base.name, base.name)
        row = self.mate(base)
        if row.grad and row.shape == base.shape and self.graph and written != base.name:
            row = base
        self.say(
            f"{written}{self.pick('.mul_(2)', '.zero_()', ' += 1', f' *= {row.name}' if row.shape in ((), base.shape) else '.add_(1)')}"
        )
        if written == base.name and row.grad and self.graph:
            base.grad, base.leaf = True, False
        self.reveal(name)
        self.reveal(base.name)

    def writing_helper(self) -> None:
        """A function that writes into what it is given, and one that calls it."""
        if self.indent:
            return
        tensor = self.some()
        if tensor.grad and tensor.leaf and not self.often(RISK):
            return
        helper = self.fresh("f")
        write = self.pick(
            "a.mul_(2)",
            "a += 1",
            "a.zero_()",
            "a = a * 2",
            "a = a + b",
            "a.data.add_(1)",
            "a.add_(b.detach())",
        )
        self.say(f"def {helper}(a, b=1.0, *, twice=False):")
        if "detach" in write:
            write = "a.add_(1)"
        self.say(f"    {write}")
        self.say("    if twice:")
        self.say(f"        return {helper}(a, b)")
        self.say("    return a")
        self.reveal(f"{helper}({tensor.name}{self.pick('', ', 2.0', ', twice=True')})")
        self.reveal(tensor.name)

    def frozen(self) -> None:
        """A layer some of whose parameters are switched off."""
        if self.indent:
            return
        tensor = self.some(ranks=(1, 2))
        model = self.fresh("m")
        self.say(
            f'{model} = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3)).to("{tensor.device}")'
        )
        how = self.chance.random()
        if how < 0.4:
            self.say(f"for p in {model}{self.pick('', '[0]', '[2]')}.parameters():")
            self.say(f"    p.{self.pick('requires_grad = False', 'requires_grad_(False)')}")
        elif how < 0.7:
            self.say(f"{model}{self.pick('', '[0]')}.requires_grad_(False)")
        else:
            self.say(f"for name, p in {model}.named_parameters():")
            self.say(f'    if name.endswith("{self.pick("bias", "weight")}"):')
            self.say("        p.requires_grad = False")
        for part in ("[0].weight", "[2].bias"):
            self.reveal(f"{model}{part}")
        self.new(f"{model}({tensor.name})", tensor.shape, tensor.device, grad=True, leaf=False)

    def accumulated(self) -> None:
        """Loops that keep what they make: a list, a sum, a state."""
        if self.indent or not self.graph:
            return
        tensor = self.some(ranks=(1, 2))
        state, kept = self.fresh("s"), self.fresh("k")
        self.say(f"{state} = torch.zeros(3, device={tensor.name}.device)")
        self.say(f"{kept} = []")
        self.say(f"for step in range({self.pick('2', '3', '9')}):")
        self.say(
            f"    {state} = {state}{self.pick('', '', '.detach()')} {self.pick('+', '*')} {tensor.name}{self.pick('', '', '.sum()', '.mean(0)')}"
        )
        if self.often(0.3):
            self.say(f"    if step == {self.pick('0', '1')}:")
            self.say(f"        {self.pick('continue', 'break')}")
        self.say(f"    {kept}.append({state}{self.pick('', '', '.detach()', '.sum()', '.clone()')})")
        self.reveal(state)
        self.say(f"if {kept}:")
        self.say(f"    reveal_value({kept}[{self.pick('0', '-1')}])")
        if tensor.grad and self.often(0.3):
            self.say(f"{state}.sum().backward()")

    def own_function(self) -> None:
        """`torch.autograd.Function`."""
        if self.indent:
            return
        tensor = self.some()
        name = self.fresh("Op")
        self.say(f"class {name}(torch.autograd.Function):")
        self.say("    @staticmethod")
        self.say("    def forward(ctx, a):")
        self.say(f"        {self.pick('ctx.save_for_backward(a)', 'pass')}")
        self.say(f"        return {self.pick('a * 2', 'a.exp()', 'a.clone()')}")
        self.say("    @staticmethod")
        self.say("    def backward(ctx, g):")
        self.say("        return g * 2")
        self.reveal(f"{name}.apply({tensor.name})")

    def indexed_write(self) -> None:
        """Writes through indices, and the operations that do so by name."""
        tensor = self.some(ranks=(1, 2))
        if tensor.grad and tensor.leaf and self.graph and not self.often(RISK):
            return
        n = tensor.name
        device = tensor.device if not self.often(RISK) else self.chance.choice(DEVICES)
        index = f'torch.tensor([0, 1], device="{device}")'
        rest = ", ".join(map(str, (2, *tensor.shape[1:])))
        value = f'torch.{self.pick("ones", "zeros")}({rest}, device="{device}")'
        self.say(
            self.pick(
                f"{n}.index_fill_(0, {index}, 1.0)", f"{n}.index_add_(0, {index}, {value})", f"{n}[{index}] = {value}",
                f"{n}.index_copy_(0, {index}, {value})", f"{n}.masked_fill_({n} > 0, 0.0)", f"{n}[:2] += 1", f"{n}[0] *= 2",
                f"{n}[{n} > 0] = 0.0", f"{n}[..., 0] = 1", f"{n}[::2] = 0", f"{n}[-1] = {n}[0]", f"{n}.clamp_(0, 1)",
                f"{n}[0].zero_()", f"{n}[0].fill_(2.0)", f"{n}.fill_diagonal_(0.0)" if len(tensor.shape) == 2 else f"{n}.fill_(0.0)",
            )
        )  # fmt: skip
        self.reveal(n)

    def retained(self) -> None:
        """Gradients of what is no leaf, several walks, and gradients of gradients."""
        if self.indent or not self.graph:
            return
        tensors = [each for each in self.tensors if each.grad and each.kind == "float"]
        if not tensors:
            return
        tensor = self.chance.choice(tensors)
        made = self.fresh("v")
        self.say(f"{made} = {tensor.name} {self.pick('* 2', '+ 1', '** 2', f'* {tensor.name}')}")
        if self.often(0.5):
            self.say(f"{made}.retain_grad()")
        how = self.chance.random()
        if how < 0.5:
            first = self.pick("", "retain_graph=True", "retain_graph=True", "create_graph=True")
            self.say(f"{made}.sum().backward({first})")
            if self.often(0.4):
                self.say(f"{made}.sum().backward()")
        else:
            gradient = self.fresh("g")
            graph = self.pick("", ", create_graph=True", ", retain_graph=True")
            self.say(f"{gradient} = torch.autograd.grad({made}.sum(), {made}{graph})[0]")
            self.reveal(gradient)
        self.say(f"if {made}.grad is not None:")
        self.say(f"    reveal_value({made}.grad)")

    def more_training(self) -> list[Callable[[], None]]:
        """The methods above, as often as they are to be chosen."""
        return [
            self.chosen_device, self.chosen_device, self.checkpointed, self.optimizer, self.optimizer, self.update_by_hand,
            self.viewed_without_graph, self.same_or_copy, self.same_or_copy, self.writing_helper, self.frozen,
            self.accumulated, self.own_function, self.indexed_write, self.indexed_write, self.retained,
        ]  # fmt: skip
