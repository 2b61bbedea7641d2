import torch
import torch.nn as nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class RoundSTE(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class ClippedExp(Function):
    @staticmethod
    def forward(ctx, x, limit):
        clipped = x.clamp(max=limit)
        y = clipped.exp()
        ctx.save_for_backward(y, (x <= limit).to(x.dtype))
        return y

    @staticmethod
    def backward(ctx, grad):
        y, mask = ctx.saved_tensors
        return grad * y * mask, None


class ScaledMatmul(Function):
    @staticmethod
    def forward(ctx, a, b, alpha=1.0):
        ctx.save_for_backward(a, b)
        ctx.alpha = alpha
        return alpha * (a @ b)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        ga = gb = None
        if ctx.needs_input_grad[0]:
            ga = ctx.alpha * (grad @ b.t())
        if ctx.needs_input_grad[1]:
            gb = ctx.alpha * (a.t() @ grad)
        return ga, gb, None


class GradReverse(Function):
    @staticmethod
    def forward(ctx, x, lambd):
        ctx.lambd = lambd
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad.neg() * ctx.lambd, None


class DomainNet(nn.Module):
    def __init__(self, levels=8):
        super().__init__()
        self.levels = levels
        self.w = nn.Parameter(torch.randn(6, 10) * 0.3)
        self.label = nn.Linear(10, 2)
        self.domain = nn.Linear(10, 2)

    def forward(self, x, lambd):
        h = torch.tanh(ScaledMatmul.apply(x, self.w, 0.5))
        h = RoundSTE.apply(h * self.levels) / self.levels
        return self.label(h), self.domain(GradReverse.apply(h, lambd))


def check():
    x = torch.randn(3, 4, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(lambda t: ClippedExp.apply(t, 50.0), (x,))
    b = torch.randn(4, 2, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(ScaledMatmul.apply, (x, b))


def main():
    torch.manual_seed(0)
    check()
    net = DomainNet()
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    ce = nn.CrossEntropyLoss()
    x, y, d = torch.randn(40, 6), torch.randint(0, 2, (40,)), torch.randint(0, 2, (40,))
    for i in range(20):
        logits, dom = net(x, lambd=i / 20)
        loss = ce(logits, y) + ce(dom, d)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item(), net.w.grad.abs().mean().item())


if __name__ == "__main__":
    main()
