import torch
from torch import nn
import torch.nn.functional as F
from torch.autograd import Function, gradcheck


class Softsign2(Function):
    @staticmethod
    def forward(ctx, x, sharp):
        den = 1 + sharp * x.abs()
        ctx.save_for_backward(den)
        return x / den

    @staticmethod
    def backward(ctx, grad):
        den, = ctx.saved_tensors
        return grad / den.pow(2), None


class Quantize(Function):
    """nearest code forward, straight through backward"""

    @staticmethod
    def forward(ctx, z, codes):
        idx = torch.cdist(z, codes).argmin(1)
        ctx.mark_non_differentiable(idx)
        ctx.save_for_backward(idx)
        ctx.n = codes.size(0)
        return codes[idx], idx

    @staticmethod
    def backward(ctx, g, _):
        idx, = ctx.saved_tensors
        gc = g.new_zeros(ctx.n, g.size(1)).index_add_(0, idx, g)
        return g, gc


class VQ(nn.Module):
    def __init__(self, dim=6, k=12):
        super().__init__()
        self.enc = nn.Linear(dim, 4)
        self.codes = nn.Parameter(torch.randn(k, 4))
        self.dec = nn.Linear(4, dim)
        self.register_buffer("usage", torch.zeros(k))

    def forward(self, x):
        z = Softsign2.apply(self.enc(x), 0.5)
        q, idx = Quantize.apply(z, self.codes)
        commit = F.mse_loss(z, self.codes[idx].detach())
        with torch.no_grad():
            self.usage.mul_(0.99).add_(torch.bincount(idx, minlength=self.usage.numel()), alpha=0.01)
        return self.dec(q), commit


def check():
    x = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
    return gradcheck(lambda t: Softsign2.apply(t, 0.5), (x,))


torch.manual_seed(0)
print("gradcheck", check())
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = VQ().to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(5):
    x = torch.randn(32, 6, device=device)
    y, commit = model(x)
    loss = F.mse_loss(y, x) + 0.25 * commit
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item(), (model.usage > 0).sum().item())
