"""Hand written training loop with gradient noise and manual weight decay."""
import torch
from torch import nn


def add_noise(params, step, eta=0.01, gamma=0.55):
    std = (eta / (1 + step) ** gamma) ** 0.5
    for p in params:
        if p.grad is not None:
            p.grad.add_(torch.randn_like(p.grad), alpha=std)


def decay(params, lr, wd):
    with torch.no_grad():
        for p in params:
            if p.dim() > 1:
                p.mul_(1 - lr * wd)


def zero(params):
    for p in params:
        p.grad = None


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).to(device)
    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(params, lr=0.05)
    best = float("inf")
    for step in range(4):
        zero(params)
        x = torch.randn(16, 4, device=device)
        y = x.prod(1, keepdim=True)
        loss = nn.functional.huber_loss(model(x), y)
        loss.backward()
        add_noise(params, step)
        total = nn.utils.clip_grad_value_(params, 1.0)
        optimizer.step()
        decay(params, 0.05, 0.01)
        best = min(best, loss.item())
        assert total is None
    print(best)


if __name__ == "__main__":
    main()
