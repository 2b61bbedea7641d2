import torch
import torch.nn as nn
import torch.nn.functional as F


class SAGEConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.self_lin = nn.Linear(i, o)
        self.nbr_lin = nn.Linear(i, o, bias=False)

    def forward(self, x, edge_index):
        src, dst = edge_index
        agg = torch.zeros_like(x)
        agg.index_add_(0, dst, x[src])
        deg = torch.bincount(dst, minlength=x.size(0)).clamp_(min=1).unsqueeze(1)
        return self.self_lin(x) + self.nbr_lin(agg / deg)


class GNN(nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.convs = nn.ModuleList([SAGEConv(i, h), SAGEConv(h, h)])
        self.att = nn.Linear(2 * h, 1)
        self.out = nn.Linear(h, o)

    def edge_softmax(self, score, dst, n):
        peak = score.new_full((n,), float("-inf"))
        peak = peak.scatter_reduce(0, dst, score.detach(), reduce="amax", include_self=True)
        e = (score - peak[dst]).exp()
        denom = torch.zeros(n, device=score.device).scatter_add_(0, dst, e)
        return e / denom[dst].clamp(min=1e-9)

    def forward(self, x, edge_index):
        for conv in self.convs:
            x = F.relu(conv(x, edge_index))
        src, dst = edge_index
        w = self.edge_softmax(self.att(torch.cat([x[src], x[dst]], -1)).squeeze(-1), dst, x.size(0))
        pooled = torch.zeros_like(x).index_add_(0, dst, w.unsqueeze(-1) * x[src])
        return self.out(x + pooled)


def make_graph(n=60, e=240):
    label = torch.arange(n) % 3
    x = F.one_hot(label, 3).float() + 0.5 * torch.randn(n, 3)
    return x, torch.randint(0, n, (2, e)), label


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x, edges, label = (t.to(device) for t in make_graph())
    train_mask = torch.zeros(len(label), dtype=torch.bool)
    train_mask[:40] = True
    test_mask = ~train_mask
    model = GNN(3, 16, 3).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(20):
        model.train()
        opt.zero_grad()
        loss = F.cross_entropy(model(x, edges)[train_mask], label[train_mask])
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        pred = model(x, edges).argmax(1)
    print((pred[test_mask] == label[test_mask]).float().mean().item())


if __name__ == "__main__":
    main()
