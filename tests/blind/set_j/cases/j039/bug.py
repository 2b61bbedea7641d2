import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, din, dout):
        super().__init__()
        self.w = nn.Linear(din, dout, bias=False)
        self.src = nn.Parameter(torch.randn(dout) * 0.3)
        self.dst = nn.Parameter(torch.randn(dout) * 0.3)

    def scores(self, h):
        return F.leaky_relu((h @ self.src)[:, None] + (h @ self.dst)[None, :], 0.2)

    def forward(self, x, adj):
        h = self.w(x)
        att = torch.softmax(self.scores(h), dim=1)
        att.data.masked_fill_(~adj, 0.0)
        return att @ h


class GAT(nn.Module):
    def __init__(self, din, hidden, classes):
        super().__init__()
        self.l1, self.l2 = GATLayer(din, hidden), GATLayer(hidden, classes)

    def forward(self, x, adj):
        return self.l2(F.elu(self.l1(x, adj)), adj)


def make_graph(n=20, p=0.2):
    adj = torch.rand(n, n) < p
    adj = adj | adj.T | torch.eye(n, dtype=torch.bool)
    y = torch.arange(n) % 2
    x = torch.randn(n, 6) + y[:, None]
    return x, adj, y


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x, adj, y = (t.to(device) for t in make_graph())
    train_mask = torch.zeros(len(y), dtype=torch.bool, device=device)
    train_mask[::2] = True
    model = GAT(6, 8, 2).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=5e-4)
    for epoch in range(5):
        model.train()
        loss = F.cross_entropy(model(x, adj)[train_mask], y[train_mask])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        acc = (model(x, adj).argmax(1) == y)[~train_mask].float().mean()
    print("acc", acc.item())


if __name__ == "__main__":
    main()
