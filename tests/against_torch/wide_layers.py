"""Layers, modules of one's own and optimizers for `wide_programs`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from against_torch.wide_programs import RISK, Wide

if TYPE_CHECKING:
    from collections.abc import Callable

# Layers that take 2 x 3 x 3 (an unbatched picture of two channels, or a batch of sequences) or 3 x 3, and keep its rank.
_LAYERS = """
nn.Linear(3,3) nn.Linear(3,2) nn.Linear(3,3,bias=False) nn.LayerNorm(3) nn.RMSNorm(3) nn.ReLU() nn.ReLU(inplace=False)
nn.GELU() nn.SiLU() nn.Tanh() nn.Sigmoid() nn.ELU() nn.SELU() nn.CELU() nn.LeakyReLU(0.1) nn.Softplus() nn.PReLU()
nn.Hardtanh() nn.Hardswish() nn.Softmax(dim=-1) nn.LogSoftmax(dim=-1) nn.Dropout(0.3) nn.Dropout() nn.AlphaDropout()
nn.Identity() nn.Flatten(0) nn.Flatten(0,-1) nn.RReLU() nn.Threshold(0.1,0.0) nn.Mish() nn.Softsign() nn.Tanhshrink()
nn.Softmin(dim=0) nn.ReLU6() nn.LogSigmoid() nn.Hardsigmoid() nn.Sequential(nn.Linear(3,3),nn.ReLU(),nn.Linear(3,3))
nn.Sequential(nn.LayerNorm(3),nn.Dropout(0.1),nn.Linear(3,3))
nn.Sequential(nn.Linear(3,3),nn.Sequential(nn.Tanh(),nn.Linear(3,1)))
nn.Sequential(nn.Linear(3,3),nn.ReLU(inplace=True)) nn.Sequential() nn.LSTM(3,3)[0] nn.GRU(3,3)[0] nn.RNN(3,3)[0]
nn.LSTM(3,3,batch_first=True)[0] nn.GRU(3,3,num_layers=2)[0] nn.TransformerEncoderLayer(3,1,8)
nn.TransformerEncoderLayer(3,1,8,batch_first=True)
""".split()
_PICTURES = """
nn.Conv1d(3,4,2) nn.Conv1d(3,3,3,padding=1) nn.BatchNorm1d(3) nn.BatchNorm1d(3,affine=False)
nn.BatchNorm1d(3,track_running_stats=False) nn.InstanceNorm1d(3) nn.InstanceNorm1d(3,affine=True) nn.GroupNorm(3,3)
nn.MaxPool1d(2) nn.AvgPool1d(2) nn.AdaptiveAvgPool1d(1) nn.ConvTranspose1d(3,2,2) nn.AdaptiveMaxPool1d(2)
nn.Conv2d(2,4,2) nn.Conv2d(2,2,3,padding=1,bias=False) nn.MaxPool2d(2) nn.AvgPool2d(2) nn.AdaptiveAvgPool2d(1)
nn.Upsample(scale_factor=2) nn.ConstantPad1d(1,0.0) nn.ZeroPad2d(1) nn.ReflectionPad1d(1) nn.Flatten()
nn.Unflatten(1,(1,3)) nn.Dropout1d() nn.LPPool1d(2,2) nn.Softmax2d() nn.ConvTranspose2d(2,3,2)
nn.Sequential(nn.Conv1d(3,3,1),nn.BatchNorm1d(3),nn.ReLU()) nn.Sequential(nn.Flatten(),nn.Linear(9,2))
nn.Sequential(nn.AdaptiveAvgPool1d(1),nn.Flatten()) nn.utils.spectral_norm(nn.Linear(3,3))
nn.utils.parametrizations.weight_norm(nn.Linear(3,3))
""".split()
_LOSSES = """
nn.MSELoss() nn.L1Loss() nn.SmoothL1Loss() nn.HuberLoss() nn.MSELoss(reduction="sum") nn.MSELoss(reduction="none")
nn.BCEWithLogitsLoss() nn.KLDivLoss(reduction="batchmean") nn.CrossEntropyLoss()
nn.CrossEntropyLoss(label_smoothing=0.1) nn.PoissonNLLLoss() nn.SoftMarginLoss()
""".split()
_OPTIMIZERS = """
SGD(P,lr=0.1) SGD(P,lr=0.1,momentum=0.9) SGD(P,0.1,nesterov=True,momentum=0.9) Adam(P)
Adam(P,lr=1e-3,weight_decay=0.1) Adam(P,amsgrad=True) AdamW(P,lr=1e-3) RMSprop(P)
RMSprop(P,momentum=0.9,centered=True) Adagrad(P) Adadelta(P) Adamax(P) NAdam(P) RAdam(P) ASGD(P) Rprop(P)
""".split()
_SCHEDULERS = """
StepLR(O,1) ExponentialLR(O,0.9) CosineAnnealingLR(O,5) LambdaLR(O,lambda_epoch) MultiStepLR(O,[1])
OneCycleLR(O,0.1,total_steps=9) LinearLR(O) ConstantLR(O)
""".split()


class Layers(Wide):
    """Uses of `torch.nn` and `torch.optim`."""

    def layer_kinds(self) -> list[Callable[[], None]]:
        return [
            self.layer,
            self.layer,
            self.layer,
            self.network,
            self.network,
            self.loss,
            self.optimized,
            self.optimized,
            self.closure_step,
            self.parts,
            self.attention,
            self.hooks,
        ]

    def layer(self) -> None:
        if self.indent:
            return
        text = self.chance.choice((*_LAYERS, *_PICTURES)) if self.often(0.5) else self.chance.choice(_LAYERS)
        pictures = text in _PICTURES
        tensor = self.some("c" if pictures or self.often(0.3) else "m")
        m, out = self.fresh("m"), self.fresh("y")
        text, first, rest = text.rstrip("#"), "", ""
        if text.endswith("[0]"):
            text, rest = text[:-3], self.pick("[0]", "[0]", "[1]")
            if "LSTM" in text and rest == "[1]":
                rest = "[1][0]"
        place = self.pick("to", "device", "to") if tensor.device != "cpu" or self.often(0.2) else ""
        device = tensor.device if not self.often(RISK) else self.chance.choice(self.devices)
        self.say(f"{m} = {text}")
        if place == "to":
            self.say(f"{m}.to('{device}')" if self.often(0.5) else f"{m} = {m}.to('{device}')")
        elif place:
            self.say(f"{m} = {m}.to(torch.device('{device}'))")
        if self.often(0.4):
            self.say(
                self.pick(
                    f"{m}.eval()",
                    f"{m}.train()",
                    f"{m} = {m}.eval()",
                    f"{m}.train(False)",
                    f"{m}.requires_grad_(False)",
                    f"{m}.train(mode=True)",
                    f"{m}.zero_grad()",
                    f"{m}.double().float()",
                    f"{m}.apply(lambda each: None)",
                )
            )
        self.say(f"{out} = {first}{m}({tensor.name}){rest}")
        self.reveal(out)
        if "Linear(" in text and text.startswith("nn.Linear"):
            self.reveal(f"{m}.weight", f"list({m}.parameters())[0]", f"next({m}.parameters())")
        if self.often(0.3):
            self.say(
                f"for p in {m}.parameters():",
                "    reveal_value(p)" if self.often(0.3) else "    p.requires_grad_(False)",
            )
            self.say(f"for name, buffer in {m}.named_buffers():", "    buffer = buffer + 1")
            self.reveal(f"{m}({tensor.name}){rest}")

    def network(self) -> None:
        """A class of one's own, with parts."""
        if self.indent:
            return
        tensor = self.some("m")
        name, m = self.fresh("Net"), self.fresh("m")
        device = tensor.device if not self.often(RISK) else self.chance.choice(self.devices)
        style = self.chance.randrange(4)
        self.say(f"class {name}(nn.Module):")
        if style == 0:
            self.say("    def __init__(self, width=3, depth=2):", f"        super({name}, self).__init__()" if self.often(0.3) else "        super().__init__()",
                     "        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])", f"        self.act = {self.pick('nn.ReLU()', 'torch.tanh', 'F.relu', 'nn.Dropout(0.1)')}",
                     "    def forward(self, x):", "        for layer in self.layers:", f"            x = {self.pick('self.act(layer(x))', 'layer(x) + x', 'self.act(layer(x.detach()))')}", "        return x")  # fmt: skip
            parts = ["layers[0].weight", "layers[1].bias"]
        elif style == 1:
            self.say("    scale = 2", "    def __init__(self):", "        super().__init__()", "        self.parts = nn.ModuleDict({'a': nn.Linear(3, 3), 'b': nn.LayerNorm(3)})", "        self.gain = nn.Parameter(torch.ones(3), requires_grad=" + self.pick("True", "True", "False") + ")",
                     f"        self.register_buffer('mean', torch.zeros(3){self.pick('', ', persistent=False')})", "        self.register_parameter('none', None)",
                     "    def forward(self, x, *, plain=False):", "        if plain:", "            return self.mean", f"        if self.{self.pick('training', 'none is None', 'gain.requires_grad', 'scale > 1')}:", "            x = x * self.gain", f"        return {self.pick('x + self.mean', 'self.parts[chr(97)](x)', 'self.helper(x)', 'x', 'self.mean - x.detach()')}",
                     "    def helper(self, x):", "        return self.parts['b'](x) * self.scale")  # fmt: skip
            parts = ["gain", "mean", "parts['a'].weight", "parts.b.bias"]
        elif style == 2:
            self.say("    def __init__(self):", "        super().__init__()", "        self.one = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))", "        self.two = nn.Linear(3, 3)", f"        self.two.weight = {self.pick('self.one[2].weight' if False else 'self.two.weight', 'nn.Parameter(torch.zeros(3, 3))')}", "        nn.init.normal_(self.two.weight)", f"        self.two.requires_grad_({self.pick('True', 'False')})",
                     "    def forward(self, x):", "        with torch." + self.pick("no_grad()", "enable_grad()", "set_grad_enabled(self.training)") + ":", "            hidden = self.one(x)", f"        return {self.pick('self.two(hidden)', 'hidden', 'hidden * x', '(hidden, self.two(x))[1]')}")  # fmt: skip
            parts = ["one[0].weight", "two.weight", "two.bias"]
        else:
            self.say("    def __init__(self):", "        super().__init__()", "        self.weight = nn.Parameter(torch.empty(3, 3))", "        self.steps = 0", "        self.reset()", "    def reset(self):", "        nn.init.ones_(self.weight)", "    @torch.no_grad()", "    def predict(self, x):", "        return self(x)",
                     "    def forward(self, x):", "        self.steps += 1", "        self.last = x @ self.weight", "        return self.last")  # fmt: skip
            parts = ["weight"]
        self.say(f"{m} = {name}()" + (f".to('{device}')" if device != "cpu" or self.often(0.2) else ""))
        if self.often(0.4):
            self.say(
                self.pick(
                    f"{m}.eval()",
                    f"{m}.train()",
                    f"{m}.requires_grad_(False)",
                    f"{m}.cpu()",
                    f"{m}.load_state_dict({m}.state_dict())",
                    f"{m}.float()",
                    f"for p in {m}.parameters(): p.requires_grad = False",
                )
            )
        self.reveal(*(f"{m}.{each}" for each in parts))
        self.reveal(f"{m}({tensor.name})")
        if style == 3:
            self.reveal(f"{m}.predict({tensor.name})", f"{m}.last")
        if self.often(0.3):
            self.reveal(
                self.pick(
                    f"{m}.state_dict()['{'weight' if style == 3 else 'two.weight' if style == 2 else 'gain' if style == 1 else 'layers.0.weight'}']",
                    f"list({m}.named_parameters())[0][1]",
                    f"sum(p.sum() for p in {m}.parameters())",
                    f"[p for p in {m}.parameters() if p.requires_grad or True][0]",
                )
            )
        if self.often(0.3):
            self.say(
                f"{m}({tensor.name}).sum().backward()"
                if not self.often(0.7)
                else f"out = {m}({tensor.name})\nif out.requires_grad:\n    out.sum().backward()"
            )
            self.say(f"if {m}.{parts[0]}.grad is not None:", f"    reveal_value({m}.{parts[0]}.grad)")

    def loss(self) -> None:
        left = self.some("m")
        right = self.some("m", left.device)
        criterion, name = self.fresh("l"), self.fresh("y")
        target = self.pick(
            right.name,
            f"{right.name}.detach()",
            f"torch.zeros_like({left.name})",
            f"{left.name}.detach().softmax(1)",
        )
        self.say(
            f"{criterion} = {self.chance.choice(_LOSSES)}", f"{name} = {criterion}({left.name}, {target})"
        )
        self.reveal(name)

    def attention(self) -> None:
        if self.indent:
            return
        tensor = self.some("c")
        n, m = tensor.name, self.fresh("m")
        text, calls = self.chance.choice([
            ("nn.MultiheadAttention(3, 1)", [f"{m}({n}, {n}, {n})[0]", f"{m}({n}, {n}, {n})[1]", f"{m}({n}, {n}, {n}, need_weights=False)[0]"]),
            ("nn.MultiheadAttention(3, 1, batch_first=True)", [f"{m}({n}, {n}.detach(), {n})[0]"]),
            ("nn.LSTM(3, 4, bidirectional=True)", [f"{m}({n})[0]", f"{m}({n})[1][0]", f"{m}({n})[1][1]"]), ("nn.GRU(3, 4, batch_first=True)", [f"{m}({n})[0]", f"{m}({n})[1]"]),
            ("nn.LSTMCell(3, 3)", [f"{m}({n}[0])[0]", f"{m}({n}[0], ({n}[0], {n}[1]))[1]"]), ("nn.GRUCell(3, 3)", [f"{m}({n}[0])", f"{m}({n}[0], {n}[1])"]), ("nn.Bilinear(3, 3, 2)", [f"{m}({n}, {n})"]),
            ("nn.Embedding(5, 3)", [f"{m}(torch.tensor([0, 1], device={n}.device))", f"{m}.weight"]), ("nn.Embedding.from_pretrained(torch.rand(4, 3))", [f"{m}(torch.tensor([0, 1], device={n}.device))", f"{m}.weight"]),
            ("nn.EmbeddingBag(5, 3)", [f"{m}(torch.tensor([[0, 1]], device={n}.device))"]), ("nn.CosineSimilarity(dim=1)", [f"{m}({n}, {n})"]), ("nn.PairwiseDistance()", [f"{m}({n}[0], {n}[1])"]),
            ("nn.TransformerEncoder(nn.TransformerEncoderLayer(3, 1, 4), 1)", [f"{m}({n})"]), ("nn.Transformer(3, 1, 1, 1, 4)", [f"{m}({n}, {n})"]), ("nn.TransformerDecoderLayer(3, 1, 4)", [f"{m}({n}, {n})"]), ("nn.ParameterList([torch.ones(3), torch.zeros(3)])", [f"{m}[0]", f"{n} * {m}[1]"]),
            ("nn.ParameterDict({'a': torch.ones(3)})", [f"{m}['a']", f"{n} + {m}['a']"]),
        ])  # fmt: skip
        self.say(f"{m} = {text}" + (f".to('{tensor.device}')" if tensor.device != "cpu" else ""))
        if self.often(0.3):
            self.say(f"{m}.{self.pick('eval()', 'train()', 'requires_grad_(False)')}")
        self.reveal(*calls)

    def optimized(self) -> None:
        """Training steps in their many orders."""
        if self.indent:
            return
        tensor = self.some("m")
        m, o, loss = self.fresh("m"), self.fresh("o"), self.fresh("l")
        self.say(
            f"{m} = {self.pick('nn.Linear(3, 1)', 'nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))', 'nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))')}.to('{tensor.device}')"
        )
        first = "weight" if "Sequential" not in self.lines[-1] else "[0].weight"
        weight = f"{m}.weight" if first == "weight" else f"{m}{first}"
        groups = self.pick(
            f"{m}.parameters()",
            f"list({m}.parameters())",
            f"[{{'params': {m}.parameters(), 'lr': 0.1}}]",
            f"filter(lambda p: p.requires_grad, {m}.parameters())",
        )
        self.say(f"{o} = torch.optim.{self.chance.choice(_OPTIMIZERS).replace('(P', f'({groups}', 1)}")
        schedule = ""
        if self.often(0.3):
            schedule = self.fresh("s")
            self.say(
                "lambda_epoch = lambda epoch: 0.9",
                f"{schedule} = torch.optim.lr_scheduler.{self.chance.choice(_SCHEDULERS).replace('(O', f'({o}', 1)}",
            )
        self.say(f"for epoch in range({self.pick('1', '2', '3')}):", f"    {m}.train()")
        data = tensor.name if not tensor.grad or self.often(0.3) else f"{tensor.name}.detach()"
        steps = [
            f"{o}.zero_grad({self.pick('', 'set_to_none=False', 'set_to_none=True')})",
            f"{loss} = {self.pick(f'{m}({data}).mean()', f'F.mse_loss({m}({data}), torch.zeros(3, 1, device={tensor.name}.device))', f'({m}({data}) ** 2).sum()')}",
            f"{loss}.backward()",
        ]
        if self.often(0.2):
            steps.append(
                f"nn.utils.{self.pick('clip_grad_norm_', 'clip_grad_value_')}({m}.parameters(), 1.0)"
            )
        steps.append(f"{o}.step()")
        if schedule:
            steps.append(f"{schedule}.step()")
        if self.often(0.15):
            self.chance.shuffle(steps)
        elif self.often(0.3):
            steps.append(steps.pop(0))
        self.say(*(f"    {each}" for each in steps))
        self.reveal(loss, weight, f"{m}({tensor.name})")
        self.say(
            f"if {weight}.grad is not None:",
            f"    reveal_value({weight}.grad)",
            f"{m}.eval()",
            "with torch.no_grad():",
            f"    reveal_value({m}({tensor.name}))",
        )
        if self.often(0.2):
            self.say(f"{loss}.backward()")
        if self.often(0.2):
            self.say(
                f"{o}.load_state_dict({o}.state_dict())",
                f"for group in {o}.param_groups:",
                "    group['lr'] = 0.01",
                f"for group in {o}.param_groups:",
                "    for p in group['params']:",
                "        reveal_value(p)",
            )

    def closure_step(self) -> None:
        """`optimizer.step(closure)`, and single tensors that are optimized."""
        if self.indent:
            return
        device = self.chance.choice(self.devices)
        w, o = self.fresh("w"), self.fresh("o")
        self.say(
            f"{w} = torch.{self.pick('ones', 'rand', 'zeros')}(3, device='{device}', requires_grad=True)"
            if self.often(0.6)
            else f"{w} = nn.Parameter(torch.rand(3, device='{device}'))"
        )
        options = self.pick("LBFGS([{}], 0.1, max_iter=2)", "SGD([{}], lr=0.1)", "Adam([{}], lr=0.1)").format(
            w
        )
        self.say(f"{o} = torch.optim.{options}")
        self.say(
            f"def closure_{o}():",
            f"    {o}.zero_grad()",
            f"    loss = ({w} ** 2).sum()",
            "    loss.backward()",
            "    return loss",
        )
        out = self.fresh("l")
        self.say(f"{out} = {o}.step(closure_{o})")
        self.reveal(w, f"{w} * 2")
        self.say(f"if {w}.grad is not None:", f"    reveal_value({w}.grad)")

    def parts(self) -> None:
        """Changes of a model's parts: freezing, copying, swapping."""
        if self.indent:
            return
        tensor = self.some("m")
        m = self.fresh("m")
        self.say(f"{m} = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3)).to('{tensor.device}')")
        self.say(self.pick(
            f"for p in {m}[0].parameters(): p.requires_grad = False", f"{m}[2].weight.requires_grad_(False)", f"{m}[2] = nn.Identity()", f"{m}[0].weight = nn.Parameter(torch.zeros(3, 3, device='{tensor.device}'))", f"{m}.append(nn.Tanh())", f"{m} = {m}[:1]",
            f"{m}.load_state_dict({{k: v.clone() for k, v in {m}.state_dict().items()}})", f"import copy; {m} = copy.deepcopy({m})", f"{m}[0].bias.data.zero_()", f"with torch.no_grad(): {m}[0].weight.copy_({m}[2].weight)", f"{m}.add_module('last', nn.Linear(3, 3).to('{tensor.device}'))",
            f"{m}.eval().requires_grad_(False)", f"{m}[0].weight.data = {m}[2].weight.data.clone()", f"{m}[2].weight = {m}[0].weight", f"{m}[0].bias = None", f"for name, p in {m}.named_parameters(): p.requires_grad = 'bias' in name", f"{m}.half().float()", f"{m}.insert(0, nn.Flatten(0, 0))",
            f"with torch.no_grad():\n    for p in {m}.parameters():\n        p.mul_(0.5)", f"for each in {m}.modules():\n    if isinstance(each, nn.Linear):\n        nn.init.zeros_(each.bias)", f"for child in {m}.children(): child.train(False)", f"{m}[0].requires_grad_(False)\n{m}[0].requires_grad_(True)",
        ))  # fmt: skip
        self.reveal(
            f"{m}[0].weight",
            f"{m}[0](torch.zeros(3, 3, device='{tensor.device}'))",
            f"{m}({tensor.name})",
            f"{m}({tensor.name}.detach())",
            f"next({m}.parameters())",
        )
        self.say(
            f"if {m}({tensor.name}).requires_grad:",
            f"    {m}({tensor.name}).sum().backward()",
            f"if {m}[0].weight.grad is not None:",
            f"    reveal_value({m}[0].weight.grad)",
        )

    def hooks(self) -> None:
        """Hooks, functions with a backward of their own, checkpoints, autocast."""
        if self.indent:
            return
        tensor = self.some("m")
        n, name = tensor.name, self.fresh("u")
        style = self.chance.randrange(4)
        if style == 0:
            self.say(
                f"{name} = {n}.detach().clone().requires_grad_()",
                f"{name}.register_hook(lambda g: {self.pick('g * 2', 'None', 'g.clone()')})",
                f"({name} * {n}.detach()).sum().backward()",
            )
            self.reveal(name, f"{name}.grad")
        elif style == 1:
            self.say(
                f"class {name}(torch.autograd.Function):",
                "    @staticmethod",
                "    def forward(ctx, x, k):",
                "        ctx.k = k",
                f"        {self.pick('ctx.save_for_backward(x)', 'ctx.mark_non_differentiable(x)' if False else 'pass')}",
                f"        return {self.pick('x * k', 'x.exp()', '(x * k).sum()', 'x.clone()')}",
                "    @staticmethod",
                "    def backward(ctx, g):",
                "        return g * ctx.k * torch.ones(3, 3), None",
            )
            self.reveal(f"{name}.apply({n}, 2)", f"{name}.apply({n}.detach(), 2)")
        elif style == 2:
            self.say(
                "import torch.utils.checkpoint",
                f"def {name}(x):",
                f"    return {self.pick('x * 2', 'x.exp().sum()', 'x.detach() * x', 'x.relu() @ x')}",
            )
            self.reveal(
                f"torch.utils.checkpoint.checkpoint({name}, {n}, use_reentrant=False)",
                f"torch.utils.checkpoint.checkpoint({name}, {n}.detach(), use_reentrant=False)",
            )
        else:
            self.say(
                "with torch.autocast('cpu', dtype=torch.bfloat16):",
                f"    {name} = {n} @ {n}",
                f"    {name}b = {n}.detach() * 2",
            )
            self.reveal(name, f"{name}b", f"{name}.float()")
