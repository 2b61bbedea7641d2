"""Statements of random programs: one method for each kind."""

from __future__ import annotations

from against_torch.random_programs import DEVICES, RISK, SHAPES, Shape, Tensor
from against_torch.random_training import Training

_UNARY = (
    "exp sin cos tanh sigmoid relu neg abs clone square sqrt log1p floor round sign softplus_ gelu_ erf reciprocal"
    " contiguous float clamp_min clamp isnan isfinite logical_not silu_ exp2 rsqrt frac trunc"
).split()
_WITH_NUMBER = ("+ 1", "- 1", "* 3", "/ 2", "** 2", "** 0.5", "> 0", "<= 1", "== 0", "% 2", "// 2")
_NUMBER_FIRST = ("1 -", "2 *", "1 /", "3 +", "2 **")
_IN_PLACE = (
    "mul_(2)", "add_(1)", "zero_()", "exp_()", "clamp_(min=0)", "fill_(1.0)", "sub_(1)", "div_(2)", "neg_()", "relu_()",
    "sigmoid_()", "uniform_()", "normal_()", "sqrt_()", "abs_()", "pow_(2)", "tanh_()", "round_()",
)  # fmt: skip
_REDUCE = ("sum()", "mean()", "max()", "min()", "std()", "norm()", "var()", "logsumexp(0)", "argmax()", "any()", "all()",
           "prod()", "numel()", "median()", "count_nonzero()", "amax()", "argmin()")  # fmt: skip


class Statements(Training):
    """Statements over the tensors made so far."""

    def program(self, length: int) -> str:
        """The text of the program, of four statements to `length`."""
        self.lines = [
            "import os",
            "",
            "import torch",
            "import torch.nn.functional as F",
            "from torch import nn",
            "",
        ]
        for _ in range(3):
            self.factory()
        kinds = [
            *[self.binary] * 6, *[self.unary] * 4, *[self.move] * 3, *[self.factory] * 3, *[self.in_place] * 4,
            *[self.cut] * 3, *[self.reduce] * 3, *[self.view] * 4, *[self.index] * 2, *[self.combine] * 2,
            *[self.backward] * 3, *[self.grad_mode] * 2, *[self.loop] * 2, *[self.function] * 2, *[self.layer] * 2,
            *[self.branch] * 2, self.training, self.training, self.module, self.container, self.host, self.gradient, self.dtype,
            self.several, self.guarded, self.alias, *self.more_training(),
        ]  # fmt: skip
        for _ in range(self.chance.randint(min(4, length), length)):
            self.chance.choice(kinds)()
        return "\n".join(self.lines) + "\n"

    def result(
        self,
        expression: str,
        shape: Shape,
        *sources: Tensor,
        kind: str = "float",
        cut: bool = False,
        keep: bool = True,
    ) -> Tensor:
        """An expression computed from `sources`."""
        device = next((each.device for each in sources if each.shape), sources[0].device)
        grad = not cut and kind == "float" and self.graph and any(each.grad for each in sources)
        return self.new(expression, shape, device, kind=kind, grad=grad, keep=keep)

    # Making

    def factory(self) -> None:
        shape, device = self.chance.choice(SHAPES), self.chance.choice(DEVICES)
        grad = self.often(0.5)
        arguments = []
        if device != "cpu" or self.often(0.3):
            arguments.append(f'device="{device}"')
        if grad:
            arguments.append("requires_grad=True")
        options = "".join(f", {each}" for each in arguments)
        which = self.chance.random()
        if which < 0.5:
            sizes = repr(list(shape)) if self.often(0.5) or not shape else ", ".join(map(str, shape))
            self.new(
                f"torch.{self.pick('ones', 'rand', 'randn', 'zeros')}({sizes}{options})",
                shape,
                device,
                grad=grad,
                leaf=True,
            )
        elif which < 0.6:
            data = {0: "1.5", 1: "[1.0, 2.0, 3.0]", 2: f"[[1.0, 2.0, 3.0]] * {shape[0] if shape else 1}"}[
                len(shape)
            ]
            self.new(f"torch.tensor({data}{options})", shape, device, grad=grad, leaf=True)
        elif which < 0.7:
            where = f', device="{device}"' if device != "cpu" else ""
            made = self.pick(
                "torch.arange(3", "torch.tensor([0, 1, 2]", "torch.randint(0, 2, (3,)", "torch.randperm(3"
            )
            self.new(f"{made}{where})", (3,), device, kind="int")
        elif which < 0.8:
            self.new(
                f"torch.{self.pick('linspace(0, 1, 3', 'full((3,), 2.0', 'arange(3.0')}{options})",
                (3,),
                device,
                grad=grad,
                leaf=True,
            )
        elif which < 0.9 and self.tensors:
            like = self.some()
            name = self.pick("zeros_like", "ones_like", "rand_like", "empty_like", "randn_like")
            place = f', device="{device}"' if self.often(0.3) else ""
            self.new(f"torch.{name}({like.name}{place})", like.shape, device if place else like.device)
        elif self.tensors:
            like = self.some()
            self.new(
                f"{like.name}.{self.pick('new_zeros', 'new_ones', 'new_empty')}({list(shape)})",
                shape,
                like.device,
            )

    # Computing

    def binary(self) -> None:
        left = self.some()
        right = self.mate(left)
        if self.often(0.15):
            right = self.mate(left, kind="int")
        shape = left.shape
        how = self.chance.random()
        if how < 0.6:
            self.result(f"{left.name} {self.pick('+', '-', '*', '*', '/')} {right.name}", shape, left, right)
        elif how < 0.8:
            name = self.pick("add", "mul", "sub", "div", "maximum", "minimum", "atan2", "hypot")
            style = (
                f"torch.{name}({left.name}, {right.name})"
                if self.often(0.5)
                else f"{left.name}.{name}({right.name})"
            )
            self.result(style, shape, left, right)
        elif how < 0.9 and len(left.shape) == 2:
            square = [
                each
                for each in self.tensors
                if each.shape == (3, 3) and each.device == left.device and each.kind == "float"
            ]
            other = self.chance.choice(square or [left])
            self.result(
                f"{left.name} {'@'} {other.name}{'' if square else '.t()'}",
                (left.shape[0], 3 if square else left.shape[0]),
                left,
                other,
                keep=bool(square),
            )
        else:
            self.result(
                f"{left.name} {self.pick('>', '<', '==', '>=')} {right.name}", shape, left, right, kind="bool"
            )

    def unary(self) -> None:
        tensor = self.some()
        how = self.chance.random()
        if how < 0.25:
            text = self.chance.choice(_WITH_NUMBER)
            self.result(
                f"{tensor.name} {text}", tensor.shape, tensor, kind="bool" if text[0] in "><=" else "float"
            )
        elif how < 0.35:
            self.result(f"{self.chance.choice(_NUMBER_FIRST)} {tensor.name}", tensor.shape, tensor)
        elif how < 0.4:
            self.result(f"-{tensor.name}", tensor.shape, tensor)
        else:
            name = self.chance.choice(_UNARY)
            kind = "bool" if name in ("isnan", "isfinite", "logical_not") else "float"
            if name.endswith("_"):
                text = f"F.{name[:-1]}({tensor.name})"
            elif name in ("clamp_min", "clamp"):
                text = f"{tensor.name}.{name}({'0' if name == 'clamp_min' else 'min=0, max=1'})"
            elif name not in ("contiguous", "float") and self.often(0.3):
                text = f"torch.{name}({tensor.name})"
            else:
                text = f"{tensor.name}.{name}()"
            self.result(text, tensor.shape, tensor, kind=kind)

    def reduce(self) -> None:
        tensor = self.some()
        how = self.chance.random()
        if tensor.shape and how < 0.3:
            dim = self.chance.randrange(len(tensor.shape))
            keep = self.often(0.3)
            name = self.pick(
                "mean",
                "sum",
                "amax",
                "softmax",
                "cumsum",
                "argmax",
                "std",
                "norm",
                "logsumexp",
                "log_softmax",
                "any",
            )
            same = name in ("softmax", "cumsum", "log_softmax")
            shape = (
                tensor.shape
                if same
                else tensor.shape[:dim] + ((1,) if keep else ()) + tensor.shape[dim + 1 :]
            )
            kind = {"argmax": "int", "any": "bool"}.get(name, "float")
            extra = ", keepdim=True" if keep and not same else ""
            self.result(f"{tensor.name}.{name}(dim={dim}{extra})", shape, tensor, kind=kind, keep=not keep)
        elif tensor.shape and how < 0.4:
            name = self.fresh("v")
            call = self.pick(
                f"{tensor.name}.max(dim=0)",
                f"torch.min({tensor.name}, 0)",
                f"{tensor.name}.sort()",
                f"{tensor.name}.topk(2)",
            )
            self.say(f"{name}a, {name}b = {call}")
            self.reveal(f"{name}a")
            self.reveal(f"{name}b")
        else:
            name = self.chance.choice(_REDUCE)
            kind = {
                "argmax()": "int",
                "any()": "bool",
                "all()": "bool",
                "argmin()": "int",
                "count_nonzero()": "int",
            }.get(name, "float")
            text = (
                f"{tensor.name}.{name}" if name != "logsumexp(0)" or tensor.shape else f"{tensor.name}.sum()"
            )
            if text.endswith("numel()"):
                text = f"{tensor.name} * {tensor.name}.numel()"
                self.result(text, tensor.shape, tensor)
                return
            self.result(text, tensor.shape[1:] if "logsumexp" in text else (), tensor, kind=kind)

    def combine(self) -> None:
        one = self.some(ranks=(1, 2))
        other = self.mate(one, same_shape=True)
        how = self.chance.random()
        if how < 0.3:
            self.result(
                f"torch.cat([{one.name}, {other.name}])",
                (2 * one.shape[0], *one.shape[1:]),
                one,
                other,
                keep=False,
            )
        elif how < 0.5:
            self.result(
                f"torch.stack(({one.name}, {other.name}), dim={self.pick('0', '-1')})",
                (),
                one,
                other,
                keep=False,
            )
        elif how < 0.7:
            self.result(
                f"torch.where({one.name} > 0, {one.name}, {self.pick(other.name, '0.0')})",
                one.shape,
                one,
                other,
            )
        elif how < 0.8:
            self.result(f"F.mse_loss({one.name}, {other.name})", (), one, other)
        elif how < 0.9:
            self.result(
                f"torch.{self.pick('lerp', 'addcmul', 'addcdiv')}({one.name}, {other.name}, {one.name})",
                one.shape,
                one,
                other,
            )
        elif len(one.shape) == 1:
            self.result(f"torch.dot({one.name}, {other.name})", (), one, other)

    # Views, indexing, moving, cutting

    def view(self) -> None:
        tensor = self.some(ranks=(1, 2))
        n, rest = tensor.name, tensor.shape[1:]
        size = tensor.shape[0] * (rest[0] if rest else 1)
        choices: list[tuple[str, Shape]] = [
            (f"{n}[0]", rest), (f"{n}[-1]", rest), (f"{n}[:2]", (2, *rest)), (f"{n}[1:]", (tensor.shape[0] - 1, *rest)),
            (f"{n}[..., 0]", tensor.shape[:-1]), (f"{n}[None]", (1, *tensor.shape)), (f"{n}.view(-1)", (size,)),
            (f"{n}.reshape(-1)", (size,)), (f"{n}.unsqueeze(0)", (1, *tensor.shape)), (f"{n}.flatten()", (size,)),
            (f"{n}.unbind()[0]", rest), (f"{n}.select(0, 0)", rest), (f"{n}.narrow(0, 0, 1)", (1, *rest)),
            (f"{n}.chunk(2)[0]", ()), (f"{n}.split(1)[0]", (1, *rest)), (f"{n}.squeeze()", tensor.shape),
            (f"{n}.view_as({n})", tensor.shape), (f"{n}.expand(2, *{n}.shape)", (2, *tensor.shape)),
            (f"{n}.reshape({n}.shape[0], -1)", (tensor.shape[0], size // tensor.shape[0])), (f"{n}[::2]", ()),
        ]  # fmt: skip
        if rest:
            choices += [
                (f"{n}.t()", rest + tensor.shape[:1]), (f"{n}.T", rest + tensor.shape[:1]), (f"{n}[:, 0]", tensor.shape[:1]),
                (f"{n}.transpose(0, 1)", rest + tensor.shape[:1]), (f"{n}.permute(1, 0)", rest + tensor.shape[:1]),
                (f"{n}[0, 1:]", (2,)), (f"{n}[0, 0]", ()), (f"{n}.diagonal()", ()), (f"{n}.mT", rest + tensor.shape[:1]),
            ]  # fmt: skip
        text, shape = self.chance.choice(choices)
        self.result(
            text,
            shape,
            tensor,
            keep=shape in SHAPES
            and (shape != () or ("chunk" not in text and "::" not in text and "diag" not in text)),
        )

    def index(self) -> None:
        tensor = self.some(ranks=(1, 2))
        n, rest = tensor.name, tensor.shape[1:]
        place = tensor.device if not self.often(RISK) else self.chance.choice(DEVICES)
        where = f', device="{place}"' if place != "cpu" and self.often(0.7) else ""
        index = f"torch.tensor([0, 1, 0]{where})"
        text, shape, keep = self.chance.choice([
            (f"{n}[{index}]", (3, *rest), True), (f"{n}[[0, 1]]", (2, *rest), True), (f"{n}[{n} > 0]", (), False),
            (f"{n}.index_select(0, torch.tensor([0, 1, 0], device={n}.device))", (3, *rest), True),
            (f"{n}.masked_fill({n} > 0, 0.0)", tensor.shape, True), (f"{n}.masked_select({n} > 0)", (), False),
            (f"{n}.gather(0, {n}.argsort(0))", tensor.shape, True), (f"{n}[torch.tensor(0{where})]", rest, True),
            (f"{n}.take(torch.tensor([0]{where}))", (), False), (f"torch.take_along_dim({n}, {n}.argsort(0), 0)", tensor.shape, True),
        ])  # fmt: skip
        self.result(text, shape, tensor, keep=keep and shape in SHAPES)

    def move(self) -> None:
        tensor, device = self.some(self.pick("float", "float", "float", "int")), self.chance.choice(DEVICES)
        how = {
            "cpu": (".cpu()", '.to("cpu")', ".to(torch.device('cpu'))", ".to('cpu', torch.float32)"),
            "cuda:0": ('.cuda("cuda:0")', '.to("cuda:0")', ".to(device='cuda:0')", ".cuda()", ".to('cuda')", ".cuda(0)",
                       ".to('cuda:0', non_blocking=True)"),
        }[device]  # fmt: skip
        text = f"{tensor.name}{self.chance.choice(how)}"
        if self.often(0.15):
            other = self.chance.choice([each for each in self.tensors if each.kind == "float"] or [tensor])
            text, device = (
                self.pick(f"{tensor.name}.to({other.name}.device)", f"{tensor.name}.to({other.name})"),
                other.device,
            )
        kind = "float" if "float32" in text or text.endswith(f"({tensor.name})") else tensor.kind
        if text.endswith(")") and ".to(v" in text and ".device" not in text:
            kind = "float"
        leaf = tensor.leaf and tensor.device == device
        self.new(
            text,
            tensor.shape,
            device,
            kind=kind,
            grad=tensor.grad and self.graph,
            leaf=leaf or not tensor.grad,
        )

    def dtype(self) -> None:
        tensor = self.some(self.pick("float", "float", "int"))
        how, kind = self.chance.choice(
            [(".double()", "float"), (".to(torch.float64)", "float"), (".long()", "int"), (".float()", "float"), (".half()", "float"),
             (".to(dtype=torch.float32)", "float"), (".bool()", "bool"), (".int()", "int"), (".type(torch.float32)", "float"),
             (f".type_as({tensor.name})", tensor.kind), (".to(torch.bfloat16)", "float"), (".to(torch.float32, copy=True)", "float")]
        )  # fmt: skip
        self.result(
            f"{tensor.name}{how}",
            tensor.shape,
            tensor,
            kind=kind,
            keep="32" in how or kind != "float" or how == ".float()",
        )

    def cut(self) -> None:
        tensor = self.some()
        how = self.pick(".detach()", ".data", ".detach().requires_grad_()", ".detach().clone()", ".clone()", ".clone().detach()",
                        ".clone().requires_grad_()", ".detach().to('cpu').requires_grad_()", "?", "?", "??", "P")  # fmt: skip
        if how == "??" and (tensor.leaf or self.often(RISK)):
            flag = self.pick("True", "False")
            self.say(f"{tensor.name}.{self.pick(f'requires_grad = {flag}', f'requires_grad_({flag})')}")
            tensor.grad = flag == "True"
            self.reveal(tensor.name)
        elif how == "P":
            self.new(
                f"nn.Parameter({tensor.name}{self.pick('', '.detach()', '.data', '.clone()')})",
                tensor.shape,
                tensor.device,
                grad=True,
                leaf=True,
            )
        elif how == "?":
            self.say(f"{tensor.name}.detach_()")
            tensor.grad, tensor.leaf = False, True
            self.reveal(tensor.name)
        elif how != "??":
            grad = "requires_grad_" in how or (how == ".clone()" and tensor.grad)
            device = "cpu" if "cpu" in how else tensor.device
            self.new(
                f"{tensor.name}{how}", tensor.shape, device, grad=grad, leaf=how != ".clone()" or not grad
            )

    # Writing

    def in_place(self) -> None:
        legal = [
            each
            for each in self.tensors
            if each.kind == "float" and not (each.grad and each.leaf and self.graph)
        ]
        tensor = self.chance.choice(legal) if legal and not self.often(RISK) else self.some()
        if tensor.kind != "float":
            return
        n, how = tensor.name, self.chance.random()
        mate = self.mate(tensor)
        grad = tensor.grad
        if how < 0.25:
            self.say(f"{n} {self.pick('+=', '*=', '-=', '/=')} {self.pick(mate.name, mate.name, '2')}")
            grad = grad or mate.grad
        elif tensor.shape and how < 0.5:
            row = self.chance.choice(
                [
                    each
                    for each in self.tensors
                    if each.kind == "float" and each.shape in ((), tensor.shape[1:])
                ]
                or [mate]
            )
            target = self.pick("[0]", "[:1]", "[...]", "[-1]", f"[{n} > 0]", "[[0]]")
            value = (
                self.pick("1.0", f"{row.name}", f"{row.name}.detach()", "0") if ">" not in target else "1.0"
            )
            self.say(f"{n}{target} = {value}")
            grad = grad or (row.name == value and row.grad)
        elif how < 0.6:
            source = self.mate(tensor)
            self.say(f"{n}.copy_({source.name})")
            grad = grad or source.grad
        elif how < 0.7:
            self.say(
                self.pick(
                    f"{n}.data.mul_(2)",
                    f"{n}.detach().add_(1)",
                    f"F.relu({n}, inplace=True)",
                    f"torch.relu_({n})",
                    f"nn.init.zeros_({n})",
                    f"{n}.add_({mate.name}, alpha=2)",
                    f"{n}.addcmul_({mate.name}, {mate.name})",
                    f"torch.add({n}, 1, out={n})",
                )
            )
            if ".detach()" not in self.lines[-1] and ".data" not in self.lines[-1]:
                grad = grad or mate.grad
        else:
            self.say(f"{n}.{self.chance.choice(_IN_PLACE)}")
        if self.graph:
            tensor.grad, tensor.leaf = grad, tensor.leaf and not grad
        self.reveal(n)

    def alias(self) -> None:
        """Write through a view, and see what became of its base."""
        base = self.some(ranks=(1, 2))
        if base.grad and base.leaf and not self.often(RISK):
            return
        row = self.chance.choice(
            [each for each in self.tensors if each.kind == "float" and each.shape in ((), base.shape[1:])]
            or [base]
        )
        name = self.fresh("v")
        self.say(
            f"{name} = {base.name}{self.pick('[0]', '.select(0, 0)', '.view(-1)', '.detach()[0]', '.data[0]', '[:1]', '.t()')}"
        )
        self.say(f"{name}{self.pick(f' += {row.name}', '.mul_(2)', '.zero_()', f'.copy_({row.name})')}")
        if row.grad and self.graph:
            base.grad, base.leaf = True, False
        self.reveal(name)
        self.reveal(base.name)


__all__ = ["Statements"]
