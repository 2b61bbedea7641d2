import torch
from torch import nn
from torch.func import functional_call

config = dict(inner_lr=0.05, inner_steps=2, tasks=3, outer=3, shots=6)


class Sine(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))

    def forward(self, x):
        return self.net(x)


def task(device, k):
    amp, phase = torch.rand(1, device=device) * 4 + 0.1, torch.rand(1, device=device) * 3
    x = torch.rand(2 * k, 1, device=device) * 10 - 5
    y = amp * torch.sin(x + phase)
    return (x[:k], y[:k]), (x[k:], y[k:])


def adapt(model, weights, support, cfg, second_order=True):
    x, y = support
    for _ in range(cfg["inner_steps"]):
        loss = (functional_call(model, weights, (x,)) - y).pow(2).mean()
        grads = torch.autograd.grad(loss, list(weights.values()), create_graph=second_order)
        weights = {k: w - cfg["inner_lr"] * g for (k, w), g in zip(weights.items(), grads)}
    return weights


def main(cfg):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Sine().to(device)
    meta = torch.optim.Adam(model.parameters(), lr=1e-3)
    for it in range(cfg["outer"]):
        meta.zero_grad()
        value = 0.0
        for _ in range(cfg["tasks"]):
            support, (qx, qy) = task(device, cfg["shots"])
            fast = adapt(model, dict(model.named_parameters()), support, cfg)
            loss = (functional_call(model, fast, (qx,)) - qy).pow(2).mean() / cfg["tasks"]
            loss.backward()
            value += loss.item()
        meta.step()
        print(it, value)

    support, (qx, qy) = task(device, cfg["shots"])
    start = {k: p.detach().clone().requires_grad_() for k, p in model.named_parameters()}
    final = adapt(model, start, support, cfg, second_order=False)
    with torch.no_grad():
        print("after adaptation", (functional_call(model, final, (qx,)) - qy).pow(2).mean().item())


if __name__ == "__main__":
    main(config)
