import torch
from torch import nn


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.lam * grad, None


class ClampedExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, low, high):
        y = x.clamp(low, high).exp()
        ctx.save_for_backward(x, y)
        ctx.bounds = low, high
        return y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        low, high = ctx.bounds
        grad_x = None
        if ctx.needs_input_grad[0]:
            grad_x = grad * y * ((x >= low) & (x <= high))
        return grad_x, None, None


class Function:
    """A scalar function with its derivative; plain Python, not autograd's."""

    def __init__(self, f, df):
        self.f, self.df = f, df

    def forward(self, x):
        return self.f(x)

    def backward(self, x):
        return self.df(x)


class Dann(nn.Module):
    def __init__(self):
        super().__init__()
        self.feat = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.label, self.domain = nn.Linear(16, 3), nn.Linear(16, 1)

    def forward(self, x, lam):
        z = self.feat(x)
        return self.label(z), ClampedExp.apply(self.domain(Reverse.apply(z, lam)), -4.0, 4.0)


net = Dann()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
ramp = Function(lambda p: p * p, lambda p: 2 * p)
for i in range(4):
    lam = ramp.forward((i + 1) / 4)
    x, y, d = torch.randn(12, 8), torch.randint(0, 3, (12,)), torch.rand(12, 1)
    logits, rate = net(x, lam)
    loss = nn.functional.cross_entropy(logits, y) + (rate - d * rate.log()).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item(), ramp.backward(1.0))
