import torch
import torch.nn as nn
import torch.nn.functional as F


class ODEFunc(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 1, 32), nn.Tanh(), nn.Linear(32, dim))

    def forward(self, t, y):
        return self.net(torch.cat([y, y.new_full((y.shape[0], 1), t)], -1))


class OdeintAdjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, func, y0, ts, *params):
        ctx.func, ctx.ts = func, ts
        with torch.no_grad():
            ys = [y0]
            for t0, t1 in zip(ts[:-1], ts[1:]):
                ys.append(ys[-1] + (t1 - t0) * func(t0, ys[-1]))
            out = torch.stack(ys)
        ctx.save_for_backward(out, *params)
        return out

    @staticmethod
    def backward(ctx, grad_out):
        ys, *params = ctx.saved_tensors
        func, ts = ctx.func, ctx.ts
        adj = grad_out[-1].clone()
        grads = [torch.zeros_like(p) for p in params]
        for i in range(len(ts) - 1, 0, -1):
            with torch.enable_grad():
                y = ys[i - 1].detach().requires_grad_(True)
                step = y + (ts[i] - ts[i - 1]) * func(ts[i - 1], y)
                pulled = torch.autograd.grad(step, (y, *params), adj)
            adj = pulled[0] + grad_out[i - 1]
            for g, new in zip(grads, pulled[1:]):
                g.add_(new)
        return (None, adj, None, *grads)


def odeint(func, y0, ts):
    return OdeintAdjoint.apply(func, y0, ts.tolist(), *func.parameters())


def spiral(ts):
    return torch.stack([torch.exp(-0.3 * ts) * ts.cos(), torch.exp(-0.3 * ts) * ts.sin()], -1)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    ts = torch.linspace(0, 3, 16, device=device)
    truth = spiral(ts).unsqueeze(1)
    func = ODEFunc(2).to(device)
    opt = torch.optim.RMSprop(func.parameters(), lr=1e-3)
    y0 = truth[0]
    for it in range(15):
        opt.zero_grad()
        loss = F.l1_loss(odeint(func, y0, ts), truth)
        loss.backward()
        opt.step()
    print(loss.item())


if __name__ == "__main__":
    main()
