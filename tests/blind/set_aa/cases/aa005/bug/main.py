import torch
import torch.nn as nn
import torch.nn.functional as F

from layers import build_layer

CFG = dict(
    dim=12,
    classes=3,
    stack=[dict(type="gated", dim=12, p=0.2), dict(type="gated", dim=12, p=0.2)],
    optim=dict(lr=5e-3, weight_decay=1e-4),
)


class NodeClassifier(nn.Module):
    def __init__(self, cfg, in_dim):
        super().__init__()
        self.embed = nn.Linear(in_dim, cfg["dim"])
        self.stack = nn.ModuleList([build_layer(c) for c in cfg["stack"]])
        self.out = nn.Linear(cfg["dim"], cfg["classes"])

    def forward(self, x, adj):
        h = self.embed(x)
        for layer in self.stack:
            h = F.relu(layer(h, adj))
        return self.out(h)


def random_graph(n=30, p=0.2):
    adj = (torch.rand(n, n) < p).float()
    adj = ((adj + adj.t()) > 0).float()
    adj.fill_diagonal_(1)
    return torch.randn(n, 6), adj, torch.randint(0, 3, (n,))


x, adj, y = random_graph()
model = NodeClassifier(CFG, x.shape[1])
opt = torch.optim.Adam(model.parameters(), **CFG["optim"])
train_mask = torch.rand(len(y)) < 0.7
for epoch in range(5):
    model.train()
    loss = F.cross_entropy(model(x, adj)[train_mask], y[train_mask])
    opt.zero_grad()
    loss.backward()
    opt.step()
model.eval()
with torch.no_grad():
    acc = (model(x, adj).argmax(-1) == y)[~train_mask].float().mean()
print("held-out accuracy", acc.item())
