"""Domain-adversarial training with a gradient reversal and a fused loss."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.autograd.function import once_differentiable


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.strength * grad, None


class Swish(torch.autograd.Function):
    """x * sigmoid(beta * x); only the inputs are kept."""

    @staticmethod
    def forward(ctx, x, beta):
        ctx.save_for_backward(x, beta)
        return x * torch.sigmoid(beta * x)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        x, beta = ctx.saved_tensors
        s = torch.sigmoid(beta * x)
        gx = gb = None
        if ctx.needs_input_grad[0]:
            gx = grad * (s + beta * x * s * (1 - s))
        if ctx.needs_input_grad[1]:
            gb = (grad * x * x * s * (1 - s)).sum_to_size(beta.shape)
        return gx, gb


class LearntSwish(nn.Module):
    def __init__(self):
        super().__init__()
        self.beta = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return Swish.apply(x, self.beta)


class DANN(nn.Module):
    def __init__(self, inputs=6, dim=16, classes=3):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(inputs, dim), LearntSwish())
        self.label = nn.Linear(dim, classes)
        self.domain = nn.Linear(dim, 2)

    def forward(self, x, strength):
        h = self.features(x)
        return self.label(h), self.domain(Reverse.apply(h, strength))


def main(steps=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = DANN().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(steps):
        x = torch.randn(20, 6, device=device)
        y = torch.randint(0, 3, (10,), device=device)
        where = torch.arange(20, device=device) // 10
        label, domain = net(x, strength=step / steps)
        loss = F.cross_entropy(label[:10], y) + F.cross_entropy(domain, where)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
