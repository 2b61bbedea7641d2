import torch
import torch.nn.functional as F
from torch import nn


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.ReLU())
        self.heads = nn.ModuleList([nn.Linear(16, 1), nn.Linear(16, 3)])

    def forward(self, x):
        h = self.body(x)
        return [head(h) for head in self.heads]


def project(grads):
    """Removes from each gradient what conflicts with the others."""
    out = []
    for i, g in enumerate(grads):
        g = g.clone()
        for j, other in enumerate(grads):
            dot = g @ other
            if i != j and dot < 0:
                g -= dot / other.pow(2).sum() * other
        out.append(g)
    return torch.stack(out).sum(0)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Shared().to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
shared = list(net.body.parameters())
for step in range(3):
    x = torch.randn(12, 6, device=device)
    y, c = torch.randn(12, 1, device=device), torch.randint(0, 3, (12,), device=device)
    reg, cls = net(x)
    losses = [F.mse_loss(reg, y), F.cross_entropy(cls, c)]
    opt.zero_grad()
    flat = []
    for k, loss in enumerate(losses):
        loss.backward(retain_graph=k + 1 < len(losses))
        flat.append(torch.cat([p.grad.flatten() for p in shared]))
        for p in shared:
            p.grad = None
    merged = project(flat)
    for p, g in zip(shared, merged.split([p.numel() for p in shared])):
        p.grad = g.view_as(p)
    opt.step()
