import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call


class SineNet(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.net(x)


def adapt(model, weights, x, y, lr, steps):
    fast = weights
    for _ in range(steps):
        loss = F.mse_loss(functional_call(model, fast, (x,)), y)
        grads = torch.autograd.grad(loss, tuple(fast.values()), create_graph=True)
        fast = {name: w - lr * g for (name, w), g in zip(fast.items(), grads)}
    return fast


def sample_task(device, n=10):
    amp = 0.5 + 2 * torch.rand(1, device=device)
    phase = 3 * torch.rand(1, device=device)
    x = torch.rand(2 * n, 1, device=device) * 10 - 5
    y = amp * torch.sin(x + phase)
    return (x[:n], y[:n]), (x[n:], y[n:])


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SineNet().to(device)
    meta = torch.optim.Adam(model.parameters(), lr=1e-3)
    for it in range(6):
        outer = []
        for _ in range(3):
            support, query = sample_task(device)
            fast = adapt(model, dict(model.named_parameters()), *support, lr=0.01, steps=2)
            outer.append(F.mse_loss(functional_call(model, fast, (query[0],)), query[1]))
        loss = torch.stack(outer).mean()
        meta.zero_grad()
        loss.backward()
        meta.step()
    print("meta loss", loss.item())


if __name__ == "__main__":
    main()
