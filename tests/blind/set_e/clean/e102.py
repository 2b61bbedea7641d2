"""Sharpness-aware minimisation: two backward passes per step."""
import torch
from torch import nn


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kw):
        super().__init__(params, dict(rho=rho, **kw))
        self.base = base(self.param_groups, **kw)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def first_step(self):
        grads = [p.grad.norm() for g in self.param_groups for p in g["params"] if p.grad is not None]
        scale = 0.05 / (torch.stack(grads).norm() + 1e-12)
        for g in self.param_groups:
            for p in g["params"]:
                if p.grad is None:
                    continue
                e = p.grad * scale
                p.add_(e)
                self.state[p]["e"] = e
        self.zero_grad()

    @torch.no_grad()
    def second_step(self):
        for g in self.param_groups:
            for p in g["params"]:
                if "e" in self.state[p]:
                    p.sub_(self.state[p]["e"])
        self.base.step()
        self.zero_grad()

    def step(self, closure=None):
        raise NotImplementedError


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2)).to(device)
    optimizer = SAM(model.parameters(), torch.optim.SGD, lr=0.1)
    for _ in range(3):
        x, y = torch.randn(8, 6, device=device), torch.randint(0, 2, (8,), device=device)
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.first_step()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.second_step()
        print(loss.item())


if __name__ == "__main__":
    main()
