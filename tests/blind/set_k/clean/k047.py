import torch
import torch.nn as nn
import torch.nn.functional as F


def vector(size, value, device=None):
    return nn.Parameter(torch.full((size,), float(value)).to(device))


class RMSNorm(nn.Module):
    def __init__(self, dim, device=None):
        super().__init__()
        self.gain = vector(dim, 1.0, device)

    def forward(self, x):
        h = x.float()
        h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)
        return h.to(x.dtype) * self.gain.to(x.dtype)


class ScaledBlock(nn.Module):
    """Pre-norm MLP whose residual branch starts nearly closed."""

    def __init__(self, dim, device):
        super().__init__()
        self.norm = RMSNorm(dim, device)
        self.up = nn.Linear(dim, 2 * dim, device=device)
        self.down = nn.Linear(2 * dim, dim, device=device)
        self.gamma = vector(dim, 1e-2, device)

    def forward(self, x):
        h = self.down(F.gelu(self.up(self.norm(x))))
        return x + self.gamma * h


class Net(nn.Module):
    def __init__(self, dim=16, depth=3, classes=4, device=None):
        super().__init__()
        self.blocks = nn.Sequential(*(ScaledBlock(dim, device) for _ in range(depth)))
        self.head = nn.Linear(dim, classes, device=device)
        self.temperature = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return self.head(self.blocks(x)) / self.temperature


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Net(device=device)
    net.to(device)
    decay, rest = [], []
    for name, p in net.named_parameters():
        (decay if p.ndim > 1 else rest).append(p)
    optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}], lr=1e-2)
    for step in range(8):
        x = torch.randn(32, 16, device=device)
        loss = F.cross_entropy(net(x), x[:, :4].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    gains = {n: round(p.detach().cpu().mean().item(), 3) for n, p in net.named_parameters() if n.endswith("gamma")}
    print(f"{loss.item():.3f}", gains)


if __name__ == "__main__":
    main()
