"""More random programs, of another style than `random_programs`: many operations, many ways to organise code.

The same seed always gives the same program. Operands have one of a few shapes, so that most operations fit; which device a tensor
is on is remembered roughly, and one program in two uses the CPU alone.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import Final

SHAPES = {"m": "3, 3", "v": "3", "c": "2, 3, 3", "s": "()"}
RISK = 0.04
LENGTH = 13
_OPERAND = re.compile(r"\{([abmnvwcdsik])\}")
_CLASS = {"n": "m", "w": "v", "d": "c"}


@dataclass
class Known:
    """Facts about a tensor: its name, the letter of its shape, its device, whether it may not be written."""

    name: str
    shape: str
    device: str
    leaf: bool = False
    grad: bool = False


@dataclass
class Wide:
    """Lines, and the tensors they have made."""

    seed: int
    lines: list[str] = field(default_factory=list)
    known: list[Known] = field(default_factory=list)
    indent: str = ""
    count: int = 0
    flags: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed * 2 + 1)  # noqa: S311  no secrets
        self.devices = ("cpu",) if self.often(0.5) else ("cpu", "cuda:0")

    # Words

    def say(self, *lines: str) -> None:
        self.lines += [self.indent + each for each in lines]

    def often(self, share: float) -> bool:
        return self.chance.random() < share

    def pick(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def reveal(self, *names: str) -> None:
        self.say(*(f"reveal_value({each})" for each in names))

    def flag(self) -> str:
        """A test that nobody who only reads can decide."""
        number = self.chance.randrange(2)
        if number not in self.flags and not self.indent:
            self.flags.add(number)
            self.say(f'flag{number} = os.environ.get("FLAG{number}") == "1"')
        if number not in self.flags:
            return f'{self.pick("", "not ")}(os.environ.get("FLAG{number}") == "1")'
        return f"{self.pick('', '', 'not ')}flag{number}"

    # Tensors

    def make(self, shape: str = "", device: str = "", *, grad: bool | None = None) -> Known:
        """A new tensor."""
        shape = shape or self.pick("m", "m", "v", "v", "c", "s")
        device = device or self.chance.choice(self.devices)
        grad = self.often(0.5) if grad is None else grad
        made = Known(self.fresh("x"), shape, device, leaf=True, grad=grad)
        options = (f', device="{device}"' if device != "cpu" or self.often(0.2) else "") + (
            ", requires_grad=True" if grad else ""
        )
        size = SHAPES[shape]
        call = self.pick("rand", "randn", "ones", "zeros", "rand", "empty", "full")
        if call == "full":
            size, options = f"({size},)" if shape != "s" else "()", f", 0.5{options}"
        self.say(f"{made.name} = torch.{call}({size}{options})")
        if not self.indent:
            self.known.append(made)
        return made

    def some(self, letter: str = "a", device: str = "") -> Known:
        """A tensor of a shape, mostly on a device."""
        shapes = "mvcs" if letter in "ab" else _CLASS.get(letter, letter)
        fitting = [each for each in self.known if each.shape in shapes]
        if device and not self.often(RISK):
            fitting = [each for each in fitting if each.device == device or each.shape == "s"]
        if not fitting:
            return self.make(self.chance.choice(shapes), device)
        return self.chance.choice(fitting[-5:])

    def fill(self, template: str) -> tuple[str, dict[str, Known]]:
        """A template with operands that go together, mostly; which ones they are."""
        used: dict[str, Known] = {}
        device = ""

        def operand(found: re.Match[str]) -> str:
            nonlocal device
            letter = found[1]
            if letter == "i":
                place = device or self.chance.choice(self.devices)
                return f"torch.tensor([0, 1, 2]{f', device={place!r}' if place != 'cpu' else ''})"
            if letter == "k":
                if "a" not in used:
                    used["a"] = self.some("a", device)
                    device = device or ("" if used["a"].shape == "s" else used["a"].device)
                return f"({used['a'].name} > 0)"
            if letter not in used:
                wanted = used["a"].shape if letter == "b" and "a" in used else letter
                used[letter] = self.some(wanted, device)
                device = device or ("" if used[letter].shape == "s" else used[letter].device)
            return used[letter].name

        return _OPERAND.sub(operand, template), used

    def keep(self, name: str, shape: str, used: dict[str, Known]) -> None:
        """Remember a result."""
        device = next((each.device for each in used.values() if each.shape != "s"), self.devices[0])
        grad = any(each.grad for each in used.values())
        self.known.append(Known(name, shape, device, grad=grad))

    def expression(self) -> tuple[str, str, dict[str, Known]]:
        """An operation, the letter of its result's shape, its operands."""
        table, shape = self.chance.choices(
            [
                (SAME, "a"), (SCALAR, "s"), (VECTOR, "v"), (MATRIX, "m"), (BATCH, "c"),
                (OTHER, "?"), (VIEWS, "?"),
            ],
            weights=(6, 3, 4, 4, 3, 4, 2),
        )[0]  # fmt: skip
        text, used = self.fill(self.chance.choice(table))
        return text, used["a"].shape if shape == "a" and "a" in used else "m" if shape == "a" else shape, used

    def compute(self) -> None:
        """Assign what an operation gives to a new name."""
        text, shape, used = self.expression()
        name = self.fresh("y")
        self.say(f"{name} = {text}")
        self.reveal(name)
        if shape in SHAPES and not self.indent:
            self.keep(name, shape, used)

    def again(self) -> None:
        """Rebind a name."""
        text, shape, used = self.expression()
        target = next((each for each in used.values() if each.shape == shape), None)
        if target is None or self.indent.count(" ") > 4:
            return
        self.say(f"{target.name} = {text}")
        target.leaf = False
        target.grad = any(each.grad for each in used.values())
        self.reveal(target.name)

    def write(self) -> None:
        """Write in place, mostly into what may be written."""
        text, used = self.fill(self.chance.choice((*WRITES, *TARGETS)))
        if any(each.leaf and each.grad for each in used.values()) and not self.often(RISK):
            return
        first = next(iter(used.values()), None)
        self.say(text.replace("+=", " += ").replace("-=", " -= ").replace("*=", " *= "))
        if first is not None:
            first.grad = first.grad or any(each.grad for each in used.values())
            self.reveal(first.name)

    def through_view(self) -> None:
        """Write through a view, or into what was viewed."""
        text, used = self.fill(self.chance.choice(VIEWS))
        base = next(iter(used.values()))
        if base.leaf and base.grad and not self.often(RISK):
            self.say(f"{base.name} = {base.name}{self.pick('.clone()', ' * 1', '.detach()')}")
            base.leaf = False
        view = self.fresh("p")
        self.say(f"{view} = {text}")
        written = self.pick(view, view, base.name)
        value = self.some("s")
        self.say(
            self.pick(
                f"{written}.mul_(2)", f"{written}.zero_()", f"{written} += 1", f"{written}[0] = 0.5", f"{written}[...] = {value.name}",
                f"{written} *= {value.name}", f"{written}.fill_({value.name})", f"{written}.copy_({view}.detach() + 1)", f"{written}.data.add_(1)",
            )
        )  # fmt: skip
        self.reveal(view, base.name)

    def body(self, count: int = 2) -> None:
        """A few plain statements, one level deeper."""
        outer, self.indent = self.indent, self.indent + "    "
        before = len(self.lines)
        for _ in range(count):
            self.chance.choice([self.compute, self.compute, self.again, self.write, self.through_view])()
        if len(self.lines) == before:
            self.say("pass")
        self.indent = outer


def program(seed: int, length: int = LENGTH) -> str:
    """The program of a seed, of four statements to `length`."""
    from against_torch.wide_code import Code  # noqa: PLC0415  it builds on Wide

    return Code(seed).program(length)


# Operations for random programs, as text with operands to fill in


_SAME: Final = """
acos({a}.clamp(-0.9,0.9)) acosh({a}.abs()+1.5) angle({a}) asin({a}*0.1) asinh({a}) atan({a}) atanh({a}*0.1) celu({a})
conj({a}) cosh({a}) deg2rad({a}) digamma({a}.abs()+1) erfc({a}) erfinv({a}*0.1) expm1({a}) lgamma({a}.abs()+1)
log({a}.abs()+1) log10({a}.abs()+1) log2({a}.abs()+1) logit({a}.sigmoid()) nan_to_num({a}) negative({a}) positive({a})
rad2deg({a}) real({a}) selu({a}) sgn({a}) sinc({a}) sinh({a}) tan({a}) xlogy({a}.abs()+1,{b}.abs()+1) ceil({a})
rsqrt({a}.abs()+1) i0({a}) abs({a}) clip({a},0,1) clamp({a},max=0.5) hardshrink({a}) logaddexp({a},{b})
logaddexp2({a},{b}) fmod({a},2) remainder({a},2) fmax({a},{b}) fmin({a},{b}) copysign({a},{b})
float_power({a}.abs()+1,2) nextafter({a},{b}) ldexp({a},{b}) true_divide({a},2) heaviside({a},{b})
add({a},{b},alpha=2) sub({a},{b},alpha=2) rsub({a},2) mul({a},{b}) div({a},{b},rounding_mode="floor")
floor_divide({a},2) pow({a}.abs()+1,{b}) pow(2,{a}) lerp({a},{b},0.5) lerp({a},{b},{b}) addcmul({a},{b},{b},value=0.5)
addcdiv({a},{b},{b}+5) where({k},{a},{b}) where({k},{a},0.0) where({k},1.0,{a}) dropout({a},0.5,True)
dropout({a},0.5,False) feature_dropout({a},0.0,False) bernoulli({a}.sigmoid()) relu({a})
prelu({a},torch.tensor(0.2,device={a}.device)) threshold({a},0.1,0.0) rrelu({a}) square({a}) clone({a}) detach({a})
fix({a}) frac({a}) polygamma(1,{a}.abs()+1) masked_fill({a},{k},1.0) zeros_like({a}) full_like({a},2.0)
empty_like({a}) rand_like({a}) ones_like({a},dtype=torch.float32) flip({a},(0,)) roll({a},1,0) cumsum({a},0)
cumprod({a},0) logcumsumexp({a},0) softmax({a},0) log_softmax({a},-1) sort({a})[0] cummax({a},0)[0]
cummin({a},0).values renorm({m},2,0,1.0) as_tensor({a}) asarray({a}) broadcast_to({a},{a}.shape) special.expit({a})
special.erf({a}) special.log1p({a}.abs()) special.xlog1py({a},{b}.abs()) special.entr({a}.abs()+1)
special.softmax({a},0) fft.fft({a}).real fft.ifft({a}).abs() clamp({a},min={b})
"""

_METHODS: Final = """
{a}.abs() {a}.absolute() {a}.addcmul({b},{b}) {a}.clamp(0,1) {a}.clamp_max(1) {a}.clip(max=1) {a}.cos() {a}.cumsum(-1)
{a}.detach() {a}.div({b}+5) {a}.erf() {a}.exp() {a}.expand_as({b}) {a}.float() {a}.fmod(2) {a}.lerp({b},0.3)
{a}.masked_fill({k},0) {a}.maximum({b}) {a}.mul({b}) {a}.multiply(2) {a}.nan_to_num() {a}.neg() {a}.pow(2)
{a}.reciprocal() {a}.relu() {a}.remainder(2) {a}.reshape_as({b}) {a}.round(decimals=1) {a}.rsqrt() {a}.sigmoid()
{a}.softmax(-1) {a}.sub(1) {a}.subtract({b}) {a}.tanh() {a}.true_divide(3) {a}.view_as({b}) {a}.where({k},{b})
{a}.xlogy({b}.abs()+1) {a}.logaddexp({b}) {a}.type_as({b}) {a}.contiguous() {a}.clone() {a}.data {a}.real
{a}.bernoulli() {a}.to({b}) {a}.to({b}.device) {a}.to({b}.dtype) {a}.to(device={b}.device,dtype=torch.float32)
{a}.requires_grad_({b}.requires_grad) {a}.new_tensor([1.0,2.0,3.0]) {a}.new_full({a}.shape,2.0)
{a}.new_zeros({a}.shape) {a}.view({a}.shape) {a}.view({a}.size()) {a}.reshape({b}.shape)
{a}.index_add(0,torch.tensor([0],device={a}.device),{b}[:1]) {a}.index_fill(0,torch.tensor([0],device={a}.device),1.0)
{a}.index_copy(0,torch.tensor([0],device={a}.device),{b}[:1])
{a}.scatter(0,torch.zeros_like({a},dtype=torch.long),{b})
{a}.scatter_add(0,torch.zeros_like({a},dtype=torch.long),{b}) {a}.masked_scatter({k},{b}) {a}.gather(0,{a}.argsort(0))
{a}.sort(0,descending=True)[0] {a}.float_power(2).float() {a}.double().float() {a}.half().float() {a}.cpu() {a}.cuda()
{a}.type(torch.float32) {a}.movedim(0,0) {a}.fill_(1.0) {a}.squeeze(5-5).reshape({a}.shape) {a}.T.T
{a}.unflatten(0,(1,3)).flatten(0,1) {a}.unsqueeze(0).squeeze(0) {a}.unsqueeze(-1).squeeze(-1)
{a}.flatten().view({a}.shape) {a}.positive() {a}.conj() {a}.resolve_conj() {a}.repeat_interleave(1,0)
{a}.tril().triu()
"""

_FUNCTIONAL: Final = """
gelu({a}) silu({a}) elu({a}) leaky_relu({a},0.1) relu6({a}) selu({a}) hardtanh({a}) hardswish({a}) hardsigmoid({a})
softplus({a}) softsign({a}) tanhshrink({a}) softshrink({a}) logsigmoid({a}) mish({a}) celu({a}) normalize({a},dim=0)
softmax({a},dim=-1) log_softmax({a},dim=0) softmin({a},dim=0) gumbel_softmax({a},dim=-1) dropout({a},0.2)
dropout({a},0.2,training=False) alpha_dropout({a},0.2) layer_norm({a},{a}.shape[-1:]) rms_norm({a},{a}.shape[-1:])
relu({a}) tanh({a}) sigmoid({a}) rrelu({a},training=True) threshold({a},0.1,0.2) l1_loss({a},{b},reduction="none")
mse_loss({a},{b},reduction="none") smooth_l1_loss({a},{b},reduction="none") huber_loss({a},{b},reduction="none")
binary_cross_entropy_with_logits({a},{b}.detach().sigmoid(),reduction="none")
linear({m},torch.rand(3,3,device={m}.device))
"""

SAME: Final = (
    *(f"torch.{each}" for each in _SAME.split()),
    *_METHODS.split(),
    *(f"F.{each}" for each in _FUNCTIONAL.split()),
)
"""Results of `{a}`'s shape; some are of `{a}` itself."""

SCALAR: Final = """
{a}.sum() {a}.mean() {a}.max() {a}.min() {a}.amax() {a}.prod() {a}.std() {a}.var() {a}.norm() {a}.norm(1) {a}.median()
{a}.nanmean() {a}.nansum() {a}.flatten()[0] {a}.reshape(-1).select(0,0) torch.sum({a}) torch.mean({a})
torch.linalg.norm({a}) torch.linalg.vector_norm({a}) torch.dist({a},{b}) torch.logsumexp({a}.flatten(),0)
torch.trace({m}) torch.det({m}) torch.logdet({m}@{m}.T+torch.eye(3,device={m}.device)) torch.linalg.det({m})
torch.dot({v},{w}) torch.inner({v},{w}) torch.vdot({v},{w}) {v}@{w} torch.linalg.matrix_norm({m})
torch.einsum("ij,ij->",{m},{n}) torch.nanmedian({a}) F.mse_loss({a},{b}) F.l1_loss({a},{b}) F.smooth_l1_loss({a},{b})
F.huber_loss({a},{b}) F.kl_div({a},{b}.softmax(0),reduction="sum")
F.cross_entropy({m},torch.tensor([0,1,2],device={m}.device))
F.nll_loss({m}.log_softmax(1),torch.tensor([0,1,2],device={m}.device)) F.cross_entropy({m},{n}.softmax(1))
F.binary_cross_entropy({a}.sigmoid(),{b}.detach().sigmoid())
F.binary_cross_entropy_with_logits({a},{b}.detach().sigmoid()) F.gaussian_nll_loss({a},{b},{b}.abs()+1)
F.poisson_nll_loss({a},{b}) F.cosine_embedding_loss({m},{n},torch.ones(3,device={m}.device)) {s}*2 {s}+{s}
F.hinge_embedding_loss({a},torch.ones_like({a})) F.triplet_margin_loss({m},{n},{m}+1)
F.soft_margin_loss({a},torch.ones_like({a})) {s}.exp() {s}.sqrt() F.margin_ranking_loss({v},{w},torch.ones_like({v}))
F.multi_margin_loss({m},torch.tensor([0,1,2],device={m}.device)) torch.squeeze({s}) {s}.view(()) {s}.clone() {v}[0]
{v}[-1] {m}[0,1] {m}[0][2] torch.linalg.cond({m}) {v}.max(0)[0] {v}.max(0).values {v}.median(0).values
torch.corrcoef({m})[0,1] {s}.detach() {v}.argmax()*{s} sum({v}) max({v}) min({v}) abs({s})
torch.count_nonzero({a})*{s} {a}.sum(dim=None) {a}.all()*{s} torch.kthvalue({v},1).values
""".split()

VECTOR: Final = """
{m}.sum(0) {m}.mean(1) {m}.max(0).values {m}.max(dim=1)[0] {m}.amax(1) {m}.norm(dim=0) {m}[0] {m}[:,1] {m}[-1]
{m}.diagonal() torch.diag({m}) {m}@{v} torch.mv({m},{v}) {v}@{m} torch.matmul({m},{v}) torch.addmv({v},{m},{w})
torch.linalg.eigvalsh({m}@{m}.T) torch.linalg.svdvals({m})
torch.linalg.solve({m}+3*torch.eye(3,device={m}.device),{v}) torch.cross({v},{w},dim=0)
torch.einsum("ij,j->i",{m},{v}) torch.einsum("ii->i",{m}) torch.hstack(({s},{s},{s})) torch.stack([{s},{s},{s}])
torch.cat([{v}[:1],{w}[1:]]) {v}[{i}] {v}.index_select(0,{i}) {v}.take({i}) {v}.gather(0,{i}) {v}.flip(0) {v}.roll(1)
{v}.diff(prepend={w}[:1]) {m}.std(0) {m}.var(1) {m}.prod(0) {m}.logsumexp(1) {m}.select(1,0) {m}.unbind(1)[1]
{m}.unbind()[0] {m}.median(0).values {m}.nanmean(0) {m}.flatten()[:3] {m}.min(0)[0] {m}[1,:] {m}[...,0] {m}[0,...]
{m}.narrow(0,0,1).squeeze(0) {m}.mode(0).values {m}.cumsum(0)[-1] F.linear({v},{m}) F.cosine_similarity({m},{n})
F.pairwise_distance({m},{n}) {v}*{s} {s}*{v} {v}+{s} {v}/2 2-{v} {v}.expand(3) {v}.repeat(1) {v}.tile(1) {v}[None][0]
{v}.view(1,3).view(-1) torch.nn.functional.one_hot({i},3)[0]*{v}
torch.bincount({i}.cpu(),minlength=3).to({v}.device)*{v} torch.searchsorted({v}.sort()[0],{w})*{v}
torch.vmap(torch.sin)({v}) torch.func.grad(torch.sum)({v}) torch.trapezoid({m})
{m}.argmax(0)*{v} {m}.sum(dim=0,keepdim=True)[0] {m}.aminmax(dim=0).max torch.baddbmm({c},{c},{d})[0,0]
""".split()

MATRIX: Final = """
{m}@{n} {m}.mm({n}) torch.matmul({m},{n}) {m}.t() {m}.T {m}.mT {m}.transpose(0,1) {m}.permute(1,0)
torch.addmm({m},{n},{m}) torch.addmm({v},{m},{n}) torch.outer({v},{w}) torch.ger({v},{w}) torch.addr({m},{v},{w})
torch.diag({v}) torch.diag_embed({v}) {m}.tril() {m}.triu(1) torch.inverse({m}+3*torch.eye(3,device={m}.device))
torch.linalg.inv({m}+3*torch.eye(3,device={m}.device)) torch.linalg.pinv({m}) torch.matrix_exp({m})
torch.linalg.matrix_power({m},2) torch.linalg.cholesky({m}@{m}.T+3*torch.eye(3,device={m}.device))
torch.linalg.qr({m})[0] torch.linalg.svd({m})[0] torch.linalg.eigh({m}+{m}.T)[1]
torch.kron({m},torch.ones(1,1,device={m}.device)) torch.cdist({m},{n}) torch.einsum("ik,kj->ij",{m},{n})
torch.einsum("i,j->ij",{v},{w}) torch.einsum("bij->ij",{c}) torch.stack([{v},{w},{v}])
torch.stack(({v},{w},{v}),dim=1) torch.vstack([{v},{w},{v}]) torch.column_stack([{v},{w},{v}])
torch.cat([{m}[:1],{n}[1:]]) torch.cat(({m}[:,:1],{n}[:,1:]),dim=1) {m}[{i}] {m}[:,{i}] {m}.index_select(0,{i})
{m}.index_select(1,{i}) torch.take_along_dim({m},{m}.argsort(1),1) {m}.gather(1,{m}.argsort(1)) {m}[torch.randperm(3)]
F.embedding({i},{m}) {c}[0] {c}.sum(0) {c}.mean(0) {c}.select(0,1) {c}.max(0)[0] {c}.unbind(0)[0] {c}.amax(0) {c}[-1]
{c}.mean(dim=0) {v}[None,:]*{w}[:,None] {v}.unsqueeze(1)+{w} {m}+{v} {m}*{s} {v}-{m} {m}/({v}.abs()+1) {v}.expand(3,3)
{v}.repeat(3,1) {v}.expand(3,-1).clone() {m}.unfold(0,3,1)[0] torch.broadcast_tensors({m},{v})[1]
torch.meshgrid({v},{w},indexing="ij")[0] torch.cov({m}) torch.corrcoef({m})
F.scaled_dot_product_attention({m},{n},{m}) F.linear({m},{n}) F.linear({m},{n},{v})
F.bilinear({m},{n},{c}[:1].expand(3,3,3),{v}) F.batch_norm({m},None,None,training=True) F.softmax({m},1)
torch.block_diag({m}) torch.atleast_2d({m}) torch.cartesian_prod({v},{w})[:3,:1].expand(3,3)
torch.combinations({v},2)[:,:1]*{v} torch.tensordot({m},{n},dims=1) torch.chain_matmul({m},{n})
torch.linalg.multi_dot([{m},{n},{m}]) torch.rot90({m}) torch.fliplr({m}) {m}.flip(0,1) {m}.chunk(3,1)[0]+{m}
torch.vander({v}) torch.triangular_solve({m},{n}.triu()+3*torch.eye(3,device={n}.device))[0]
torch.linalg.solve({m}+3*torch.eye(3,device={m}.device),{n}) torch.linalg.lstsq({m},{n}).solution
torch.func.vmap(torch.exp)({m}) torch.cumulative_trapezoid({m})[:,:1]+{m} {m}.split([1,2])[1][:1]+{m}
torch.tensor_split({m},3)[0]+{m}
""".split()

BATCH: Final = """
torch.bmm({c},{d}) {c}@{d} {c}.matmul({m}) torch.baddbmm({c},{d},{c}) torch.stack([{m},{n}])
torch.stack((({m}),({n})),0) {m}.expand(2,3,3) {m}[None].repeat(2,1,1) {m}.unsqueeze(0)+{c} {c}.transpose(1,2)
{c}.permute(0,2,1) {c}.mT {c}.swapaxes(1,2) {c}.movedim(1,2) {c}+{m} {c}*{v} {c}/2 {c}.softmax(-1) {c}.cumsum(1)
{c}.flip(1) torch.einsum("bij,bjk->bik",{c},{d}) torch.einsum("bij,jk->bik",{c},{m}) F.layer_norm({c},(3,))
F.layer_norm({c},(3,),{v},{w}) F.scaled_dot_product_attention({c},{d},{c}) F.linear({c},{m}) F.linear({c},{m},{v})
F.conv1d({c},{c}[:1].expand(3,3,3),padding=1) F.conv1d({c},{c}[:1].expand(3,3,3),{v},padding=1)
F.avg_pool1d({c},3,1,1) F.max_pool1d({c},3,1,1) F.instance_norm({c}) F.group_norm({c},3)
F.batch_norm({c},None,None,{v},{w},True) F.normalize({c},dim=-1) torch.cat([{c}[:1],{d}[1:]])
{c}.view(2,9).view(2,3,3) {c}.flatten(1).unflatten(1,(3,3)) {c}.reshape(6,3).reshape(2,3,3)
torch.dstack([{c}[...,:1],{d}[...,1:]]) {c}.view(-1,3).view(2,3,3) {c}.roll(1,0)
torch.linalg.inv({c}+3*torch.eye(3,device={c}.device))
torch.linalg.cholesky({c}@{c}.mT+3*torch.eye(3,device={c}.device)) torch.cdist({c},{d})
F.interpolate({c},scale_factor=1) F.pad({c},(0,0)) F.dropout1d({c},0.5) F.fold(F.unfold({c}[None],1),(3,3),1)[0]
F.adaptive_avg_pool1d({c},3) F.adaptive_max_pool1d({c},3) F.glu(torch.cat([{c},{d}],2),2)
torch.addbmm({m},{c},{d}).expand(2,3,3)
""".split()

OTHER: Final = """
{m}.view(-1) {m}.view(9) {m}.flatten() {m}.reshape(-1,1) {m}[None] {m}[:2] {m}[1:,:2] {m}[::2] {m}[{m}>0]
{m}[{m}.sum(1)>0] {m}.masked_select({m}>0) {m}.topk(2)[0] {m}.topk(2).indices {m}.sort(1)[1] {m}.unique()
torch.unique({v}) {m}.nonzero() torch.nonzero({v}) {m}.repeat(2,2) torch.cat([{m},{n}]) torch.cat([{m},{n}],1)
torch.cat([{m},{v}[None]]) torch.hstack([{m},{n}]) {m}.unsqueeze(-1) {c}.flatten() {c}.flatten(1) {c}.reshape(6,3)
{c}.sum((1,2)) {c}.mean((0,2),keepdim=True) {c}.argmax(-1) torch.tile({v},(2,)) {v}.repeat_interleave(2)
{v}.unfold(0,2,1) F.one_hot({i},4) F.pad({m},(1,1)) F.pad({c},(1,1),value=0.5) F.max_pool2d({c},2) F.avg_pool2d({c},2)
F.max_pool1d({c},2) F.adaptive_avg_pool2d({c},1) F.conv2d({c}[None],torch.rand(4,2,2,2,device={c}.device))
F.interpolate({c},scale_factor=2) F.interpolate({c}[None],size=6,mode="bilinear")
F.pixel_shuffle(torch.cat([{c},{c}])[None],2) F.cross_entropy({m},{i},reduction="none") F.unfold({c}[None],2)
torch.fft.fft({a}) torch.fft.rfft({v}) torch.fft.fft2({m}) torch.complex({a},{b}) torch.polar({a},{b})
torch.view_as_complex({m}[:,:2].contiguous()) torch.view_as_real(torch.complex({a},{b})) torch.linalg.eigvals({m})
torch.linalg.eig({m})[0] torch.linalg.slogdet({m})[1] torch.linalg.lu({m})[1] torch.linalg.qr({m})[1]
torch.linalg.svd({m})[1] torch.histc({a}) torch.bucketize({a},torch.tensor([0.0,1.0],device={a}.device))
torch.argsort({a}) torch.searchsorted({v},{w}) torch.isclose({a},{b}) torch.eq({a},{b}) torch.gt({a},{b})
torch.logical_and({a},{b}) {a}.bool() {a}.long() {a}.int() {a}.isnan() {a}.isinf() {a}.signbit() {a}.ne(0) {a}.lt({b})
{a}>{b} ({a}>0)&({b}>0) ~({a}>0) torch.multinomial({v}.abs()+1,2) torch.randint_like({a},3) {a}.double() {a}.half()
torch.sparse.mm({m}.to_sparse(),{n}) {m}.to_sparse().to_dense() torch.tril_indices(3,3,device={m}.device)
torch.combinations({v}) torch.nn.utils.rnn.pad_sequence([{v},{w}])
torch.nn.utils.rnn.pad_sequence([{v},{w}[:2]],batch_first=True) torch.nn.utils.parameters_to_vector([{v},{m}])
torch.func.jacrev(torch.sin)({v}) torch.autograd.functional.jacobian(torch.sin,{v})
torch.autograd.functional.hessian(torch.sum,{v}) torch.zeros(3,device={a}.device)
torch.empty_like({a},requires_grad=True) torch.ones_like({a},device="cpu") torch.tensor({a}.tolist())
torch.tensor([{s}.item(),1.0]) torch.from_numpy({a}.detach().cpu().numpy())
torch.as_tensor([1.0,2.0],device={a}.device) torch.eye(3,device={m}.device)@{m} torch.arange(3,device={v}.device)*{v}
torch.full((3,),{s}.item()) torch.scalar_tensor(2.0) torch.normal({a},{b}.abs()+1) torch.normal(0.0,{b}.abs()+1)
torch.stack(list({m})) torch.stack(tuple({m}.unbind(0))) torch.cat(list({m}.split(1)))
""".split()

WRITES: Final = """
{a}.mul_(2) {a}.add_({b}) {a}.add_({b},alpha=2) {a}.sub_({b}) {a}.div_(2) {a}.copy_({b}) {a}.zero_() {a}.fill_(2.0)
{a}.fill_({s}) {a}.exp_() {a}.sin_() {a}.cos_() {a}.sqrt_() {a}.abs_() {a}.neg_() {a}.pow_(2) {a}.tanh_()
{a}.sigmoid_() {a}.relu_() {a}.clamp_(0,1) {a}.clamp_min_(0) {a}.round_() {a}.floor_() {a}.erf_() {a}.reciprocal_()
{a}.square_() {a}.lerp_({b},0.5) {a}.addcmul_({b},{b}) {a}.addcdiv_({b},{b}.abs()+1) {a}.masked_fill_({k},0.5)
{a}.masked_fill_({k},{s}) {a}.masked_scatter_({k},{b}) {a}.index_fill_(0,torch.tensor([0],device={a}.device),1.0)
{a}.index_add_(0,torch.tensor([0],device={a}.device),{b}[:1])
{a}.index_copy_(0,torch.tensor([0],device={a}.device),{b}[:1])
{a}.scatter_(0,torch.zeros_like({a},dtype=torch.long),{b}) {a}.scatter_(0,torch.zeros_like({a},dtype=torch.long),1.0)
{a}.scatter_add_(0,torch.zeros_like({a},dtype=torch.long),{b}) {a}.put_(torch.tensor([0],device={a}.device),{s}[None])
{a}.uniform_() {a}.normal_() {a}.random_(2) {a}.bernoulli_(0.5) {a}.exponential_() {a}.cauchy_() {a}.log_normal_()
{a}.set_({b}) {a}.cumsum_(0) {m}.transpose_(0,1) {m}.tril_() {m}.addmm_({n},{n}) {m}.fill_diagonal_(1.0)
{m}.addr_({v},{w}) {m}.swapaxes_(0,1) {v}.unsqueeze_(0).squeeze_(0) {a}.nan_to_num_() {a}.detach_()
{a}.requires_grad_() {a}.requires_grad_(False) {a}.data.mul_(2) {a}.data.copy_({b}) {a}.detach().zero_()
{a}.data.zero_() F.relu({a},inplace=True) F.relu_({a}) F.elu({a},inplace=True) F.leaky_relu({a},0.1,inplace=True)
F.dropout({a},0.5,inplace=True) F.hardtanh_({a}) F.silu({a},inplace=True) torch.relu_({a}) torch.sigmoid_({a})
torch.exp_({a}) nn.init.normal_({a}) nn.init.constant_({a},0.5) nn.init.xavier_uniform_({m})
nn.init.kaiming_normal_({m}) nn.init.eye_({m}) nn.init.orthogonal_({m}) nn.init.trunc_normal_({a})
torch.add({a},{b},out={a}) torch.mul({b},2,out={a}) torch.exp({b},out={a}) torch.clamp_({a},0,1)
torch.add({b}.detach(),1,out={a}) torch.sum({b}.detach(),0,out=torch.empty(0,device={b}.device))
torch.matmul({m},{n},out={m})
""".split()

TARGETS: Final = """
{m}[0]={v} {m}[:,0]={v} {m}[0]=1.0 {m}[0,0]={s} {m}[0,0]=2 {m}[1:]={n}[1:] {m}[...]={n} {m}[:]=0 {m}[{m}>0]=0.0
{m}[{m}>0]={s} {m}[{i}]={n} {m}[[0,1]]={n}[:2] {m}[None,0]={v} {m}[...,0]={v} {m}[-1]+={v} {m}[0]*=2 {m}[:2]-={n}[:2]
{v}[0]={s} {v}[{i}]={w} {v}[1:]={w}[1:] {v}[{v}>0]={s} {v}[0]=float(1) {c}[0]={m} {c}[:,0]={v} {c}[0,1]={v}
{c}[...,-1]={v} {c}[{c}>0]=0 {v}[0]={v}[1] {m}[0]={m}[1] {m}[:,1]=0.5 {m}[::2]={n}[::2] {m}[0]={m}[0]*2
{a}.data={b}.data {a}.grad={b}.detach() {a}.grad=None {a}.requires_grad=True {a}.requires_grad=False {a}+={b} {a}*={b}
{a}-=0.1 {a}/=2 {a}//=1 {a}%=2 {m}@={n} {v}+={s} {v}*={s} {c}+={m} {c}-={v}
""".split()

VIEWS: Final = """
{m}[0] {m}[:2] {m}[:,0] {m}.t() {m}.view(-1) {m}.reshape(9) {m}.flatten() {m}.select(1,0) {m}.narrow(0,0,2)
{m}.diagonal() {m}.unbind()[0] {m}.split(1)[0] {m}.chunk(2)[1] {m}[None] {m}.unsqueeze(0) {m}.squeeze()
{m}.expand(2,3,3) {m}.permute(1,0) {m}.transpose(0,1) {m}[...] {m}[0:1,1:2] {m}.detach() {m}.data {m}.view_as({n})
{m}.contiguous() {m}.mT {m}.unfold(0,2,1) {m}[1][0] {m}.view(3,3)[0] {m}.T[0] {m}.detach()[0] {m}.view(9)[2:5]
{m}.as_strided((2,2),(1,2)) {m}.real {m}.to(torch.float32) {m}.movedim(0,1) {m}.ravel() {m}.tensor_split(3)[0]
{m}.hsplit(3)[0] {m}.swapdims(0,1) {m}.requires_grad_(False) {c}[0] {c}[0][1] {c}[:,0] {c}.view(6,3) {c}.flatten(1)
{c}.transpose(1,2) {c}[0].view(-1) {c}.unbind(1)[0] {c}.select(0,0).t() {c}[...,0] {v}[0] {v}[:2] {v}.view(3,1)
{v}[None] {v}.expand(3,3) {v}.unsqueeze(1) {v}.detach() {v}.view(-1) {v}.reshape(3,1)[0] {v}[{i}]
""".split()
