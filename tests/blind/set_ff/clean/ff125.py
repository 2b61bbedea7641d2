import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class ClippedRound(Function):
    """Fake quantisation with a learned step (LSQ)."""

    @staticmethod
    def forward(ctx, x, step, low, high):
        scaled = x / step
        ctx.save_for_backward(scaled, step)
        ctx.bounds = (low, high)
        return scaled.round().clamp(low, high) * step

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        scaled, step = ctx.saved_tensors
        low, high = ctx.bounds
        inside = (scaled >= low) & (scaled <= high)
        grad_x = grad * inside
        slope = torch.where(inside, scaled.round() - scaled, scaled.clamp(low, high))
        grad_step = (grad * slope).sum().view_as(step)
        return grad_x, grad_step, None, None


class Swish(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad_out):
        (x,) = ctx.saved_tensors
        sig = torch.sigmoid(x)
        return grad_out * sig * (1 + x * (1 - sig))


class QLinear(nn.Linear):
    def __init__(self, cin, cout, bits=4):
        super().__init__(cin, cout)
        self.low, self.high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
        with torch.no_grad():
            start = 2 * self.weight.abs().mean() / self.high ** 0.5
        self.step = nn.Parameter(start.clone())

    def forward(self, x):
        weight = ClippedRound.apply(self.weight, self.step, self.low, self.high)
        return nn.functional.linear(x, weight, self.bias)


class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = QLinear(6, 16), QLinear(16, 2)

    def forward(self, x):
        return self.b(Swish.apply(self.a(x)))


def check_swish():
    x = torch.randn(5, dtype=torch.double, requires_grad=True)
    return torch.autograd.gradcheck(Swish.apply, (x,))


def train(steps=5):
    torch.manual_seed(0)
    net = QNet()
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(steps):
        x = torch.randn(32, 6)
        y = (x.sum(1) > 0).long()
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        levels = (net.a.weight / net.a.step).round().clamp(net.a.low, net.a.high).unique().numel()
    return loss.item(), levels


if __name__ == "__main__":
    print(check_swish(), train())
