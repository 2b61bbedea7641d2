from torch import nn


class ResidualMLP(nn.Module):
    def __init__(self, dim, classes, depth=2, p=0.2):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.BatchNorm1d(dim), nn.Linear(dim, dim), nn.ReLU(), nn.Dropout(p)) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return self.head(x)
