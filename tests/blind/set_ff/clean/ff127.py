import torch
from torch import nn
from torch.optim import Optimizer


class SAM(Optimizer):
    def __init__(self, params, base, rho=0.05, **kwargs):
        defaults = dict(rho=rho, **kwargs)
        super().__init__(params, defaults)
        self.base = base(self.param_groups, **kwargs)
        self.param_groups = self.base.param_groups

    def _norm(self):
        grads = [p.grad.norm() for g in self.param_groups for p in g["params"] if p.grad is not None]
        return torch.stack(grads).norm()

    @torch.no_grad()
    def climb(self):
        norm = self._norm()
        for group in self.param_groups:
            scale = group["rho"] / (norm + 1e-12)
            for p in group["params"]:
                if p.grad is None:
                    continue
                offset = p.grad * scale
                p.add_(offset)
                self.state[p]["offset"] = offset

    @torch.no_grad()
    def descend(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.sub_(self.state[p]["offset"])
        self.base.step()

    @torch.no_grad()
    def step(self, closure=None):
        closure = torch.enable_grad()(closure)
        self.climb()
        closure()
        self.descend()


class ResidualMLP(nn.Module):
    def __init__(self, dim=8, depth=3, classes=3):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU()) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return self.head(x)


def train(steps=4):
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = ResidualMLP().to(device)
    optimizer = SAM(net.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    for i in range(steps):
        x = torch.randn(32, 8, device=device)
        y = x[:, :3].argmax(1)

        def closure():
            optimizer.zero_grad()
            loss = criterion(net(x), y)
            loss.backward()
            return loss

        first = closure()
        optimizer.step(closure)
        print(i, round(first.item(), 4))


if __name__ == "__main__":
    train()
