import torch
import torch.nn as nn


class Sinkhorn(torch.autograd.Function):
    """Entropic transport cost; the gradient comes from the dual potentials, not from the iterations."""

    @staticmethod
    def forward(ctx, cost, a, b, eps, iters):
        f, g = torch.zeros_like(a), torch.zeros_like(b)
        for _ in range(iters):
            f = -eps * torch.logsumexp((g[None] - cost) / eps + b.log()[None], 1)
            g = -eps * torch.logsumexp((f[:, None] - cost) / eps + a.log()[:, None], 0)
        plan = torch.exp((f[:, None] + g[None] - cost) / eps) * a[:, None] * b[None]
        ctx.save_for_backward(plan)
        return (a * f).sum() + (b * g).sum()

    @staticmethod
    def backward(ctx, grad):
        (plan,) = ctx.saved_tensors
        return grad * plan, None, None, None, None


def ot(x, y, eps=0.1, iters=25):
    cost = torch.cdist(x, y).square()
    a = x.new_full((len(x),), 1 / len(x))
    b = y.new_full((len(y),), 1 / len(y))
    return Sinkhorn.apply(cost, a, b, eps, iters)


def divergence(x, y):
    return ot(x, y) - 0.5 * ot(x, x) - 0.5 * ot(y, y)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    target = torch.randn(60, 2) * torch.tensor([1.0, 0.3])
    target = target.to(device)
    gen = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
    opt = torch.optim.Adam(gen.parameters(), lr=5e-3)
    particles = torch.randn(40, 2, device=device, requires_grad=True)
    for it in range(12):
        loss = divergence(gen(torch.randn(60, 2, device=device)), target)
        opt.zero_grad()
        loss.backward()
        opt.step()

        g, = torch.autograd.grad(divergence(particles, target), particles)
        with torch.no_grad():
            particles -= 0.5 * len(particles) * g
    print(loss.item(), particles.detach().std(0).cpu().numpy(), target.std(0).cpu().numpy())


main()
