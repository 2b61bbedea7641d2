"""Functions, classes, control flow and training for `wide_programs`."""

from __future__ import annotations

from against_torch.wide_layers import Layers
from against_torch.wide_programs import RISK

_MODES = (
    "torch.no_grad()", "torch.enable_grad()", "torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)", "torch.inference_mode(False)",
    "torch.autograd.set_grad_enabled(False)", "torch.autograd.no_grad()", "torch.autograd.set_detect_anomaly(False)", "torch.device('cpu')",
)  # fmt: skip


class Code(Layers):
    """Everything that a program is put together from."""

    def program(self, length: int) -> str:
        """The text of the program, of four statements to `length`."""
        self.say(
            "import functools", "import os", "", "import torch", "import torch.nn.functional as F", "from torch import nn", ""
        )  # fmt: skip
        for _ in range(3):
            self.make()
        kinds = [
            *[self.compute] * 10, *[self.write] * 4, *[self.through_view] * 3, self.again, self.again, self.mode, self.mode, self.statement_mode,
            self.branch, self.branch, self.chain, self.loop, self.loop, self.function, self.function, self.closure, self.plain_class, self.comprehension,
            self.unpacking, self.attempt, *[self.backward] * 3, self.gradients, self.leaves, *self.layer_kinds(),
        ]  # fmt: skip
        for _ in range(self.chance.randint(min(4, length), length)):
            self.chance.choice(kinds)()
        return "\n".join(self.lines) + "\n"

    # Modes

    def mode(self) -> None:
        if self.indent:
            return
        mode = self.chance.choice(_MODES)
        if self.often(0.2):
            self.say(f"with {mode}, {self.chance.choice(_MODES)}:")
        else:
            self.say(f"with {mode}:")
        self.body()
        if self.often(0.3):
            self.indent = "    "
            self.say(f"with {self.chance.choice(_MODES)}:")
            self.body()
            self.indent = ""

    def statement_mode(self) -> None:
        if self.indent or self.often(0.6):
            return
        self.say(self.pick("torch.set_grad_enabled(False)", "before = torch.is_grad_enabled()"))
        self.compute()
        self.say("torch.set_grad_enabled(True)")

    # Control flow

    def branch(self) -> None:
        if self.indent:
            return
        tensor = self.some()
        n = tensor.name
        test = self.pick(
            self.flag(), self.flag(), self.flag(), f"{n}.requires_grad", f"{n}.is_leaf", f"{n}.grad_fn is not None", f"{n}.dim() > 1", f"{n}.ndim == 2",
            f"{n}.numel() > 3", f"{n}.is_cuda", f"{n}.device.type == 'cpu'", "torch.is_grad_enabled()", f"isinstance({n}, torch.Tensor)", f"{n}.shape[-1:] == (3,)",
            f"{n}.is_floating_point()", f"len({n}.shape) > 0", f"{n}.dtype is torch.float32",
        )  # fmt: skip
        self.say(f"if {test}:")
        self.body()
        if self.often(0.3):
            self.say(f"elif {n}.{self.pick('requires_grad', 'is_leaf', 'is_cuda')}:")
            self.body(1)
        if self.often(0.6):
            self.say("else:")
            self.body(1)
        name, choice = self.fresh("e"), self.flag()
        self.say(
            f"{name} = {n} if {choice} else {n}{self.pick('.detach()', ' * 2', '.clone()', '.cpu()', '.sum()')}"
        )
        self.reveal(n, name)

    def chain(self) -> None:
        """Methods one after the other."""
        tensor = self.some()
        steps = "".join(
            self.pick(".exp()", ".detach()", ".clone()", ".cpu()", ".to(torch.float32)", ".requires_grad_()", ".sum()", ".mean()", ".float()", ".relu()", "[...]",
                      ".contiguous()", ".view(-1)", ".unsqueeze(0)", ".squeeze()", ".double()", ".abs()", ".data", ".flatten()", ".T")
            for _ in range(self.chance.randint(2, 5))
        )  # fmt: skip
        name = self.fresh("z")
        self.say(f"{name} = {tensor.name}{steps}")
        self.reveal(name)

    def loop(self) -> None:
        if self.indent:
            return
        tensor = self.some()
        n, total = tensor.name, self.fresh("t")
        how = self.chance.randrange(6)
        if how == 0:
            self.say(f"for {self.pick('_', 'i')} in range({self.pick('1', '2', '4', '1, 3')}):")
            self.body()
        elif how == 1:
            self.say(
                f"{total} = {self.pick('0', '0.0', f'torch.zeros_like({n})', f'{n}.detach() * 0', '[]')}"
            )
            listed = self.lines[-1].endswith("[]")
            self.say(f"for i, each in enumerate(({n}, {n} * 2, {n}.detach())):")
            if self.often(0.4):
                self.say(f"    if i == {self.pick('0', '1')}:", f"        {self.pick('continue', 'break')}")
            self.say(
                f"    {total}{'.append(each + 1)' if listed else f' = {total} + each' if self.often(0.7) else ' += each'}"
            )
            self.reveal(f"torch.stack({total})" if listed else total)
        elif how == 2:
            self.say("steps = 0", f"{total} = {n}", f"while steps < {self.pick('1', '2', '3')}:")
            self.say(
                f"    {total} = {total}{self.pick(' * 2', '.detach()', ' + ' + n, '.clone()', '.exp()')}",
                "    steps += 1",
            )
            if self.often(0.3):
                self.say(f"    if {n}.requires_grad:", "        break")
            self.reveal(total)
        elif how == 3:
            self.say(
                f"for left, right in zip([{n}, {n} + 1], ({n}.detach(), {n})):",
                f"    {total} = left {self.pick('*', '+', '-')} right",
                f"    reveal_value({total})",
            )
            self.reveal("left", "right")
        elif how == 4:
            self.say(
                f"table = {{'a': {n}, 'b': {n} * 2}}",
                "for key, value in table.items():",
                f"    table[key] = value{self.pick('.detach()', ' + 1', '.clone()', '.cpu()')}",
            )
            self.reveal("table['a']", "table['b']")
        else:
            self.say(
                f"{total} = []",
                "for i in range(3):",
                "    for j in range(2):",
                f"        {total}.append({n} * {self.pick('2', 'j', 'i')})",
            )
            if self.often(0.5):
                self.say("        if j == i:", "            break")
            self.reveal(f"{total}[0]", f"sum({total})")

    def attempt(self) -> None:
        """`try`, of something that may raise."""
        if self.indent:
            return
        tensor = self.some()
        name = self.fresh("q")
        self.say(f"{name} = {tensor.name}", "try:")
        self.say(
            f"    {name} = {name}{self.pick('.detach()', ' * 2', '.clone()', '.numpy()', '.sum().item()')}"
        )
        if self.often(0.5):
            self.say(
                f"    {name} = {self.pick('None', f'{tensor.name} + undefined', f'{tensor.name}.exp()', f'{tensor.name}.missing')}"
            )
        self.say(
            f"except {self.pick('Exception', '(RuntimeError, NameError, TypeError, AttributeError)', 'Exception as error')}:"
        )
        self.say(f"    {name} = {tensor.name}{self.pick('', ' + 1', '.detach()')}")
        if self.often(0.4):
            self.say(self.pick("else:", "finally:"), f"    {name} = {self.pick(f'{tensor.name} * 3', name)}")
        self.reveal(name)

    # Functions and classes

    def function(self) -> None:
        """Defaults, star arguments, early returns, several results."""
        if self.indent:
            return
        one, two = self.some(), self.some("s")
        name = self.fresh("f")
        style = self.chance.randrange(7)
        step = self.pick(
            "a * b",
            "a + b",
            "(a - b).exp()",
            "a.detach() * b",
            "torch.add(a, b)",
            "a.clone()",
            "a.mul(b).relu()",
            "b * 2 + a",
        )
        a, b, choice = one.name, two.name, self.flag()
        if self.often(0.2):
            self.say(
                self.pick(
                    "@torch.no_grad()",
                    "@torch.enable_grad()",
                    "@torch.no_grad",
                    "@torch.set_grad_enabled(False)",
                    "@functools.lru_cache",
                    "@staticmethod",
                )
                if style != 6
                else "@torch.no_grad()"
            )
        if style == 0:
            self.say(
                f"def {name}(a, b={self.pick('2', b, '0.5', 'None')}, /, *, scale=1):",
                "    if b is None:",
                "        return a.detach()",
                f"    return {step} * scale",
            )
            self.reveal(f"{name}({a})", f"{name}({a}, {b})", f"{name}({a}, 3.0, scale={self.pick('2', b)})")
        elif style == 1:
            self.say(
                f"def {name}(*args, **kwargs):",
                "    a, b = args[0], args[-1]",
                "    if kwargs.get('detach'):",
                "        a = a.detach()",
                f"    return {step}",
            )
            self.reveal(
                f"{name}({a}, {b})",
                f"{name}({a}, {b}, detach={self.pick('True', 'False')})",
                f"{name}(*[{a}, {b}], **{{}})",
            )
        elif style == 2:
            test = self.pick(
                choice, "a.requires_grad", "a.dim() == 2", "torch.is_grad_enabled()", "b.is_leaf"
            )
            self.say(
                f"def {name}(a, b):",
                f"    if {test}:",
                f"        return {step}",
                f"    a = {self.pick('a.detach()', 'a + 1', 'a')}",
                f"    return {self.pick('a', 'b + a', 'a.sum()')}",
            )
            self.reveal(f"{name}({a}, {b})")
        elif style == 3:
            self.say(
                f"def {name}(a, b):",
                f"    return {step}, {self.pick('a.detach()', 'b', 'a', '(a, b)', 'a > b')}",
            )
            self.say(f"r1, r2 = {name}({a}, {b})")
            self.reveal("r1", "r2", f"{name}({a}, {b})[0]")
        elif style == 4:
            self.say(
                f"def {name}(a, b, depth):",
                "    if depth == 0:",
                "        return a",
                f"    return {name}({step}, b, depth - 1)",
            )
            self.reveal(f"{name}({a}, {b}, {self.pick('0', '1', '2')})")
        elif style == 5:
            self.say(
                f"def {name}(a, b):", "    yield a", f"    yield {step}", "    yield from (b, a.detach())"
            )
            self.say(
                f"for each in {name}({a}, {b}):", "    reveal_value(each)", f"first, *rest = {name}({a}, {b})"
            )
            self.reveal("first", "rest[0]", f"next({name}({a}, {b}))", f"sum({name}({a}, {b}))")
        else:
            self.say(
                f"def {name}(a, b):",
                f"    {self.pick('a.mul_(2)', 'a += 1', 'a = a + b', 'a.data.zero_()', 'a[...] = b')}",
                f"    global kept_{name}",
                f"    kept_{name} = {step}",
            )
            if not (one.leaf and one.grad) or self.often(RISK):
                self.say(f"{name}({a}, {b})")
                self.reveal(a, f"kept_{name}")

    def closure(self) -> None:
        """Functions made by functions, lambdas, partials."""
        if self.indent:
            return
        one, two = self.some(), self.some("s")
        a, b, name = one.name, two.name, self.fresh("h")
        style = self.chance.randrange(5)
        if style == 0:
            self.say(
                f"def {name}(scale):",
                f"    inner = scale{self.pick('', '.detach()', ' * 2')}",
                "    def apply(a):",
                f"        return a {self.pick('*', '+')} inner",
                "    return apply",
            )
            self.reveal(f"{name}({b})({a})")
        elif style == 1:
            self.say(f"{name} = lambda a, b={b}: a * b{self.pick('', '.detach()')}")
            self.reveal(f"{name}({a})", f"list(map({name}, [{a}, {b}]))[0]")
        elif style == 2:
            self.say(f"{name} = functools.partial(torch.{self.pick('add', 'mul', 'maximum')}, {b})")
            self.reveal(f"{name}({a})")
        elif style == 3:
            self.say(
                f"def {name}():",
                f"    total = {a}",
                "    def add(value):",
                "        nonlocal total",
                "        total = total + value",
                f"    add({b})",
                f"    add({b}{self.pick('.detach()', '')})",
                "    return total",
            )
            self.reveal(f"{name}()")
        else:
            self.say(f"def {name}(f):", "    def wrapper(*args, **kwargs):", f"        {self.pick('with torch.no_grad():', 'with torch.enable_grad():', 'if True:')}", "            return f(*args, **kwargs)", "    return wrapper",
                     f"@{name}", f"def {name}_inner(a, b):", f"    return a {self.pick('+', '*')} b")  # fmt: skip
            self.reveal(f"{name}_inner({a}, {b})", f"functools.reduce({name}_inner, [{a}, {b}, {a}])")

    def plain_class(self) -> None:
        """Attributes, methods, properties, inheritance, operators."""
        if self.indent:
            return
        one, two = self.some(), self.some("s")
        a, b, name, made = one.name, two.name, self.fresh("Box"), self.fresh("o")
        style = self.chance.randrange(4)
        if style == 0:
            self.say(f"class {name}:", f"    shared = {b}", "    def __init__(self, value):", f"        self.value = value{self.pick('', '.detach()', ' * 2')}", "        self.kept = []",
                     "    def step(self, other):", f"        self.value = self.value {self.pick('+', '*')} other", "        self.kept.append(self.value)", "        return self",
                     "    @property", "    def size(self):", f"        return self.value{self.pick('.sum()', '.detach()', ' * self.shared')}",
                     "    def __call__(self, x):", "        return x * self.value", f"{made} = {name}({a})")  # fmt: skip
            self.reveal(
                f"{made}.value",
                f"{made}.size",
                f"{made}({b})",
                f"{made}.step({b}).value",
                f"{made}.kept[-1]",
                f"{name}.shared",
            )
        elif style == 1:
            self.say("from dataclasses import dataclass", "@dataclass", f"class {name}:", "    one: torch.Tensor", "    two: torch.Tensor = None", "    def both(self):", "        return self.one * (self.two if self.two is not None else 2)",
                     f"{made} = {name}({a}{self.pick('', f', {b}', f', two={b}')})")  # fmt: skip
            self.reveal(f"{made}.one", f"{made}.both()")
            self.say(f"{made}.one = {made}.one{self.pick('.detach()', ' + 1', '.clone()')}")
            self.reveal(f"{made}.one", f"{made}.both()")
        elif style == 2:
            self.say(f"class Base{name}:", "    def run(self, x):", "        return self.step(x) + 1", "    def step(self, x):", "        raise NotImplementedError",
                     f"class {name}(Base{name}):", "    def step(self, x):", f"        return {self.pick('x * 2', 'x.detach()', 'x.exp()', f'x * {b}')}", f"{made} = {name}()")  # fmt: skip
            self.reveal(f"{made}.run({a})", f"Base{name}.run({made}, {a})", f"getattr({made}, 'step')({a})")
        else:
            self.say(f"class {name}:", "    def __init__(self, x):", "        self.x = x", "    def __add__(self, other):", f"        return {name}(self.x + other.x)", "    def __getitem__(self, i):", "        return self.x[i]",
                     "    def __enter__(self):", "        return self.x", "    def __exit__(self, *args):", "        return False", "    @classmethod", "    def of(cls, x):", f"        return cls(x{self.pick('', '.detach()', ' * 2')})",
                     "    @staticmethod", "    def twice(x):", "        return x * 2", f"{made} = {name}.of({a}) + {name}({b})")  # fmt: skip
            self.reveal(f"{made}.x", f"{made}[...]", f"{name}.twice({a})")
            self.say(f"with {made} as inside:", f"    inside = inside{self.pick('', ' + 1', '.detach()')}")
            self.reveal("inside")

    def comprehension(self) -> None:
        tensor, other = self.some(), self.some("s")
        a, b = tensor.name, other.name
        text = self.pick(
            f"[x * 2 for x in ({a}, {b})][0]", f"{{k: v + 1 for k, v in {{'p': {a}, 'q': {b}}}.items()}}['p']", f"sum(x.sum() for x in [{a}, {b}])", f"torch.stack([x.sum() for x in ({a}, {b})])",
            f"[x for x in [{a}, {b}] if x.requires_grad or True][-1]", f"[i * x for i, x in enumerate([{a}, {a}])][1]", f"max([{b}, {b} + 1])", f"sorted([{b}, {b} - 1])[0]", f"list(map(lambda x: x + {b}, [{a}]))[0]",
            f"[(x, y) for x in [{a}] for y in [{b}, {b} * 2]][1][1]", f"next(x for x in ({a}, {b}))", f"tuple(x.detach() for x in ({a}, {b}))[1]", f"dict(one={a}, two={b})['two']", f"[*({a}, {b}), {a}][2]", f"({a}, {b})[::-1][0]",
            f"list(zip([{a}], [{b}]))[0][1]", f"list(reversed([{a}, {b}]))[0]", f"functools.reduce(lambda x, y: x + y, [{a}, {b}])", f"[{a}, {b}].pop()", f"({{'k': {a}}} | {{'k': {b}}})['k']", f"{{**{{'k': {a}}}, 'j': {b}}}['k']",
            f"({a} if {b}.requires_grad else {b})", f"({a} if {b} is None else {b} + 1)", f"(lambda *xs: xs[-1])({a}, {b})", f"({{}}.get('k', {a}))", f"(None or {a})", f"[{a}][0].add({b})", f"(y := {a} * {b}) + y",
        )  # fmt: skip
        name = self.fresh("k")
        self.say(f"{name} = {text}")
        self.reveal(name)

    def unpacking(self) -> None:
        tensor = self.some(self.pick("m", "c", "v"))
        n = tensor.name
        p, q = self.fresh("p"), self.fresh("q")
        call = self.pick(
            f"{n}.max(0)", f"{n}.min(dim=-1)", f"{n}.sort()", f"{n}.topk(2)", f"torch.sort({n}, descending=True)", f"{n}.median(0)", f"{n}.kthvalue(1)", f"{n}.mode()", f"{n}.cummax(0)", f"torch.std_mean({n})", f"torch.var_mean({n}, 0)",
            f"torch.frexp({n})", f"{n}.split([1, {n}.shape[0] - 1])", f"{n}[:2].unbind()", f"{n}[:2]", f"torch.broadcast_tensors({n}, {n}[0])", f"torch.meshgrid({n}.flatten(), {n}.flatten(), indexing='ij')", f"torch.aminmax({n})", f"{n}[:2].chunk(2)",
            f"torch.unique({n}, return_counts=True)", f"({n}, {n}.detach())", f"[{n} * 2, {n} > 0]", f"torch.atleast_1d({n}, {n}[0])", f"{n}.detach()[:2]", f"torch.autograd.grad(({n} * 2).sum() + ({n} ** 2).sum(), [{n}, {n}])", f"torch.max({n}, 0, keepdim=True)",
            *([f"torch.linalg.eigh({n} + {n}.mT)", f"torch.linalg.slogdet({n})", f"torch.linalg.qr({n})", f"torch.lu_unpack(*torch.linalg.lu_factor({n}))[1:]", f"torch.linalg.inv_ex({n})", f"torch.linalg.cholesky_ex({n})"] if tensor.shape != "v" else []),
        )  # fmt: skip
        self.say(f"{p}, {q} = {call}")
        self.reveal(p, q)

    # Gradients

    def backward(self) -> None:
        """A backward pass, once or again, in one of its spellings."""
        if self.indent:
            return
        roots = [each for each in self.known if each.grad]
        if not roots:
            return
        root = self.chance.choice(roots[-4:])
        n = root.name
        options = self.pick("", "", "", "retain_graph=True", "create_graph=True", "retain_graph=False")
        comma = f", {options}" if options else ""
        loss = f"{n}.{self.pick('sum', 'mean')}()" if root.shape != "s" or self.often(0.3) else n
        guard = "" if self.often(3 * RISK) else f"if {n}.requires_grad:"
        if guard:
            self.say(guard)
        space = "    " if guard else ""
        call = self.pick(
            f"{loss}.backward({options})", f"{loss}.backward({options})", f"{n}.backward(torch.ones_like({n}){comma})", f"{n}.backward(gradient=torch.ones_like({n}){comma})", f"torch.autograd.backward({loss}{comma})",
            f"torch.autograd.backward([{loss}, {loss}]{comma})", f"({loss} * 2).backward({options})", f"({loss} + {loss}).backward({options})", f"torch.autograd.backward({n}, torch.ones_like({n}){comma})",
        )  # fmt: skip
        self.say(f"{space}{call}")
        if self.often(0.25):
            self.say(f"{space}{call}")
        leaf = next((each for each in reversed(self.known) if each.leaf and each.grad), None)
        if leaf is not None:
            self.say(f"if {leaf.name}.grad is not None:", f"    reveal_value({leaf.name}.grad)")
            if self.often(0.3):
                self.say(
                    "with torch.no_grad():",
                    f"    {leaf.name} {self.pick('-=', '+=')} 0.1 * (1 if {leaf.name}.grad is None else {leaf.name}.grad)",
                )
                self.say(
                    self.pick(
                        f"{leaf.name}.grad = None",
                        f"if {leaf.name}.grad is not None:\n    {leaf.name}.grad.zero_()",
                    )
                )
                self.reveal(leaf.name)

    def gradients(self) -> None:
        """`torch.autograd.grad` and what is built on it."""
        if self.indent:
            return
        leafs = [each for each in self.known if each.leaf and each.grad]
        if not leafs:
            return
        leaf = self.chance.choice(leafs)
        n, made, got = leaf.name, self.fresh("y"), self.fresh("g")
        self.say(
            f"{made} = {self.pick(f'({n} ** 2).sum()', f'({n} * 2).sum()', f'{n}.exp().mean()', f'({n} * {n}.detach()).sum()')}"
        )
        options = self.pick(
            "",
            ", create_graph=True",
            ", retain_graph=True",
            ", allow_unused=True",
            ", create_graph=True, retain_graph=True",
        )
        self.say(
            self.pick(
                f"{got}, = torch.autograd.grad({made}, {n}{options})",
                f"{got} = torch.autograd.grad({made}, [{n}]{options})[0]",
                f"({got},) = torch.autograd.grad(outputs={made}, inputs=({n},){options})",
            )
        )
        self.reveal(got)
        if self.often(0.4):
            self.say(f"{got}.sum().backward()" if self.often(0.5) else f"{made}.backward()")
            self.say(f"if {n}.grad is not None:", f"    reveal_value({n}.grad)")

    def leaves(self) -> None:
        """Statements about flags and copies."""
        tensor = self.some()
        n, name = tensor.name, self.fresh("w")
        text = self.pick(
            f"nn.Parameter({n}.detach())", f"nn.Parameter({n}.clone().detach(), requires_grad=False)", f"{n}.detach().clone().requires_grad_()", f"{n}.clone().detach().requires_grad_(True)", f"torch.tensor({n}.detach().tolist(), requires_grad=True)",
            f"{n}.detach().requires_grad_({self.pick('True', 'False')})", f"torch.nn.Parameter({n}.data)", f"{n}.new_zeros(3, requires_grad=True)", f"torch.zeros_like({n}, requires_grad=True)", f"torch.autograd.Variable({n}, requires_grad=True)" if not tensor.grad else f"{n}.clone()",
            f"__import__('copy').deepcopy({n}.detach())", f"torch.clone({n})", f"{n}.to('cpu')", f"{n}.detach().cpu()", f"{n}.cpu().detach()", f"torch.empty_like({n}).copy_({n})", f"{n} * 1", f"{n}.data.clone()", f"torch.as_tensor({n})", f"torch.tensor({n})",
        )  # fmt: skip
        self.say(f"{name} = {text}")
        self.reveal(name, f"{name} * 2")
