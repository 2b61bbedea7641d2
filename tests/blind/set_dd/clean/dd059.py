"""Sharpness-aware minimisation on top of any optimizer."""
import torch
from torch import nn
import torch.nn.functional as F


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base = base(self.param_groups, **kwargs)
        self.param_groups = self.base.param_groups

    def _norm(self):
        norms = [p.grad.norm() for g in self.param_groups for p in g["params"] if p.grad is not None]
        return torch.stack(norms).norm()

    @torch.no_grad()
    def ascend(self):
        norm = self._norm()
        for group in self.param_groups:
            scale = group["rho"] / (norm + 1e-12)
            for p in group["params"]:
                if p.grad is None:
                    continue
                shift = p.grad * scale
                p.add_(shift)
                self.state[p]["shift"] = shift
        self.zero_grad()

    @torch.no_grad()
    def descend(self):
        for group in self.param_groups:
            for p in group["params"]:
                if "shift" in self.state[p]:
                    p.sub_(self.state[p].pop("shift"))
        self.base.step()
        self.zero_grad()

    def step(self, closure):
        with torch.enable_grad():
            first = closure()
            first.backward()
        self.ascend()
        with torch.enable_grad():
            closure().backward()
        self.descend()
        return first.detach()


class KWS(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(10, 16, 5, padding=2), nn.GroupNorm(4, 16), nn.GELU(),
                                 nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(16, classes))

    def forward(self, x):
        return self.net(x)


def fit(steps=5):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = KWS().to(device).train()
    opt = SAM(net.parameters(), torch.optim.SGD, rho=0.05, lr=0.05, momentum=0.9)
    history = []
    for _ in range(steps):
        y = torch.randint(0, 4, (12,), device=device)
        x = torch.randn(12, 10, 20, device=device) + y[:, None, None] * 0.2
        loss = opt.step(lambda: F.cross_entropy(net(x), y))
        history.append(loss.item())
    return history


if __name__ == "__main__":
    print(fit())
