import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Gate(nn.Module):
    def __init__(self, dim, experts):
        super().__init__()
        self.router = nn.Linear(dim, experts)
        self.experts = nn.ModuleList(nn.Linear(dim, dim) for _ in range(experts))
        self.reset()

    @torch.no_grad()
    def reset(self):
        self.router.bias[0] = math.log(2.0)
        self.router.weight *= 0.1
        for e in self.experts:
            e.weight.normal_(0, 0.05)
            e.bias.zero_()

    def forward(self, x):
        logits = self.router(x)
        noise = torch.zeros_like(logits)
        noise[:, 1:] += 0.1 * torch.randn_like(noise[:, 1:])
        mix = (logits + noise).softmax(dim=1)
        outs = torch.stack([e(x) for e in self.experts], dim=1)
        return (mix.unsqueeze(2) * outs).sum(dim=1)


def attack(model, x, y, eps=0.1, rounds=3):
    delta = torch.zeros_like(x).requires_grad_(True)
    for _ in range(rounds):
        loss = F.mse_loss(model(x + delta), y)
        (grad,) = torch.autograd.grad(loss, delta)
        with torch.no_grad():
            delta += eps / rounds * grad.sign()
            delta.clamp_(-eps, eps)
    return (x + delta).detach()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Gate(6, 3).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(5):
        x = torch.randn(10, 6, device=device)
        x[:, 0] = 1.0
        y = x.roll(1, dims=1)
        x_adv = attack(model, x, y)
        optimizer.zero_grad()
        loss = F.mse_loss(model(x_adv), y)
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
