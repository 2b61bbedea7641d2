import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphBlock(nn.Module):
    """Residual block over a batch of point clouds; additions in place where it is safe."""

    def __init__(self, dim, k=4):
        super().__init__()
        self.k = k
        self.edge = nn.Linear(2 * dim, dim)
        self.node = nn.Linear(dim, dim)
        self.gain = nn.Parameter(torch.zeros(dim))

    @torch.no_grad()
    def neighbours(self, pos):
        d = torch.cdist(pos, pos)
        d.diagonal(dim1=-2, dim2=-1).fill_(float("inf"))
        return d.topk(self.k, largest=False).indices

    def forward(self, h, pos):
        idx = self.neighbours(pos)
        b = torch.arange(len(h), device=h.device)[:, None, None]
        near = h[b, idx]
        mid = h.unsqueeze(2).expand_as(near)
        m = self.edge(torch.cat([mid, near - mid], -1))
        m = F.relu(m, inplace=True)
        pooled = m.amax(2)
        out = self.node(pooled)
        out += h
        out *= 1 + self.gain
        return out


class PointNet(nn.Module):
    def __init__(self, dim=16, depth=2, classes=3):
        super().__init__()
        self.lift = nn.Linear(3, dim)
        self.blocks = nn.ModuleList(GraphBlock(dim) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, pos):
        pos = pos - pos.mean(1, keepdim=True)
        pos /= pos.norm(dim=-1).amax(1)[:, None, None]
        h = self.lift(pos)
        for block in self.blocks:
            h = block(h, pos)
        logits = self.head(h.amax(1))
        return logits.sub_(logits.detach().amax(1, keepdim=True))


def clouds(n, points, device):
    y = torch.randint(0, 3, (n,), device=device)
    x = torch.randn(n, points, 3, device=device)
    x = F.normalize(x, dim=-1)
    stretch = torch.ones(n, 1, 3, device=device)
    stretch[torch.arange(n, device=device), 0, y] = 2.5
    x *= stretch
    x[torch.rand(n, points, device=device) < 0.05] = 0.0
    return x, y


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = PointNet().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    hits = torch.zeros((), device=device)
    for step in range(8):
        x, y = clouds(12, 20, device)
        logits = model(x)
        loss = F.nll_loss(logits.log_softmax(-1), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        hits += (logits.argmax(-1) == y).sum()
    print(loss.item(), hits.item() / (8 * 12))


if __name__ == "__main__":
    main()
