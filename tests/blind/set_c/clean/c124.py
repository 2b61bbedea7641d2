import torch
from torch import nn
from torch.func import functional_call


class Sine(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x)


def task(device):
    phase, amp = torch.rand(1, device=device) * 3, torch.rand(1, device=device) + 0.5

    def draw(n):
        x = torch.rand(n, 1, device=device) * 6 - 3
        return x, amp * torch.sin(x + phase)

    return draw


def adapt(model, draw, inner_lr=0.05, steps=2):
    weights = dict(model.named_parameters())
    for _ in range(steps):
        x, y = draw(5)
        loss = nn.functional.mse_loss(functional_call(model, weights, (x,)), y)
        grads = torch.autograd.grad(loss, list(weights.values()), create_graph=True)
        weights = {k: w - inner_lr * g for (k, w), g in zip(weights.items(), grads)}
    return weights


def main(meta_steps=2, tasks=2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Sine().to(device)
    meta = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(meta_steps):
        outer = 0.0
        for _ in range(tasks):
            draw = task(device)
            weights = adapt(model, draw)
            x, y = draw(10)
            outer = outer + nn.functional.mse_loss(functional_call(model, weights, (x,)), y)
        meta.zero_grad()
        (outer / tasks).backward()
        meta.step()
        print(step, outer.item() / tasks)


if __name__ == "__main__":
    main()
