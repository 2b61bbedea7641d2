import torch
import torch.nn as nn
import torch.nn.functional as F


def branch(cin, width, kernel):
    return nn.Sequential(
        nn.Conv1d(cin, width, kernel, padding=kernel // 2), nn.BatchNorm1d(width), nn.ReLU(), nn.AdaptiveMaxPool1d(1)
    )


class MultiScale(nn.Module):
    """Parallel convolutions of several widths over one signal."""

    def __init__(self, cin, kernels=(3, 5, 9), width=8):
        super().__init__()
        self.branches = {k: branch(cin, width, k) for k in kernels}
        self.out_dim = width * len(kernels)

    def forward(self, x):
        return torch.cat([b(x).squeeze(-1) for b in self.branches.values()], dim=1)


class ECGClassifier(nn.Module):
    def __init__(self, leads=2, classes=3):
        super().__init__()
        self.inp = nn.Conv1d(leads, 4, 1)
        self.scales = MultiScale(4)
        self.fc = nn.Linear(self.scales.out_dim, classes)

    def branches_parameters(self):
        for b in self.scales.branches.values():
            yield from b.parameters()

    def forward(self, x):
        return self.fc(self.scales(self.inp(x)))


def batches(n, size=8):
    for _ in range(n):
        y = torch.randint(0, 3, (size,))
        t = torch.linspace(0, 6, 60)
        x = torch.sin(t * (y[:, None, None] + 1)) + 0.1 * torch.randn(size, 2, 60)
        yield x, y


torch.manual_seed(3)
model = ECGClassifier()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step, (x, y) in enumerate(batches(6)):
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
print(f"{sum(p.numel() for p in model.parameters())} parameters")
