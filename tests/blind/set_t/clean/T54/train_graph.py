import torch
from torch import nn
import torch.nn.functional as F
from graph import random_graph


class GCN(nn.Module):
    def __init__(self, feats, hidden, classes):
        super().__init__()
        self.a = nn.Linear(feats, hidden)
        self.b = nn.Linear(hidden, classes)
        self.drop = nn.Dropout(0.4)

    def forward(self, graph, x):
        h = F.relu(graph.propagate(self.a(self.drop(x))))
        return graph.propagate(self.b(self.drop(h)))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
graph = random_graph()
x = torch.randn(graph.n, 8).to(device)
y = torch.randint(0, 3, (graph.n,)).to(device)
perm = torch.randperm(graph.n)
train_idx, val_idx = perm[:20], perm[20:]

model = GCN(8, 16, 3).to(device)
opt = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
best, best_state = 0.0, None
for epoch in range(10):
    model.train()
    opt.zero_grad()
    out = model(graph, x)
    F.cross_entropy(out[train_idx], y[train_idx]).backward()
    opt.step()

    model.eval()
    with torch.no_grad():
        acc = (model(graph, x)[val_idx].argmax(1) == y[val_idx]).float().mean().item()
    if acc >= best:
        best = acc
        best_state = {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}
model.load_state_dict(best_state)
print("best validation accuracy", best)
