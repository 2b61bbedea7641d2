import torch
from torch import nn

from graph import make


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(5, 8)
        self.b = nn.Linear(8, 2)

    def forward(self, g):
        norm = g.adj.sum(1, keepdim=True).clamp(min=1)
        h = torch.relu(self.a(g.adj @ g.x / norm))
        return self.b(g.adj @ h / norm)


device = "cuda" if torch.cuda.is_available() else "cpu"
net = GCN()
net.to(device)
criterion = nn.CrossEntropyLoss(weight=torch.tensor([0.4, 0.6]))
criterion.to(device)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(3):
    g = make()
    g.to(device)
    g.detach()
    loss = criterion(net(g), g.y)
    opt.zero_grad()
    loss.backward()
    opt.step()
net.cpu()
print(loss.item(), next(net.parameters()).device)
