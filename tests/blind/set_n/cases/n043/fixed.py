import torch
from torch import nn


class GraphConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o)

    def forward(self, adj, x):
        return adj @ self.lin(x)


class GCN(nn.Module):
    def __init__(self, d, h, c, task="multiclass"):
        super().__init__()
        self.task = task
        self.c1, self.c2 = GraphConv(d, h), GraphConv(h, c)

    def forward(self, adj, x):
        return self.c2(adj, self.c1(adj, x).relu())

    def loss(self, logits, y):
        if self.task == "multilabel":
            return nn.BCEWithLogitsLoss()(logits, y.float())
        return nn.functional.cross_entropy(logits, y)


def normalise(a):
    a = a + torch.eye(len(a))
    d = a.sum(1).rsqrt()
    return d[:, None] * a * d[None]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
adj = normalise((torch.rand(20, 20) < 0.2).float()).to(device)
feats = torch.randn(20, 6, device=device)
for task, y in {"multiclass": torch.randint(0, 3, (20,)), "multilabel": torch.randint(0, 2, (20, 3))}.items():
    net = GCN(6, 8, 3, task).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    y = y.to(device)
    for _ in range(3):
        opt.zero_grad()
        loss = net.loss(net(adj, feats), y)
        loss.backward()
        opt.step()
    print(task, loss.item())
