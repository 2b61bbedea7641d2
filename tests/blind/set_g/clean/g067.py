import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call


class SineNet(nn.Module):
    def __init__(self, width=20):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x)


def sample_task(n, device):
    amp = torch.rand(1, device=device) * 4 + 0.1
    phase = torch.rand(1, device=device) * 3.14
    x = torch.rand(2 * n, 1, device=device) * 10 - 5
    y = amp * torch.sin(x + phase)
    return (x[:n], y[:n]), (x[n:], y[n:])


def adapt(model, support, lr=0.01, steps=2):
    """Fast weights stay functions of the meta parameters."""
    fast = dict(model.named_parameters())
    x, y = support
    for _ in range(steps):
        loss = F.mse_loss(functional_call(model, fast, (x,)), y)
        grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
        fast = {name: w - lr * g for (name, w), g in zip(fast.items(), grads)}
    return fast


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SineNet().to(device)
    meta_opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for it in range(3):
        meta_loss = 0.0
        for _ in range(4):
            support, (qx, qy) = sample_task(5, device)
            fast = adapt(model, support)
            meta_loss = meta_loss + F.mse_loss(functional_call(model, fast, (qx,)), qy)
        meta_opt.zero_grad()
        (meta_loss / 4).backward()
        meta_opt.step()
        print(it, meta_loss.item() / 4)


if __name__ == "__main__":
    main()
