import torch
from torch import nn
import torch.nn.functional as F


class Expert(nn.Sequential):
    def __init__(self, dim, hidden):
        super().__init__(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))


class TopKRouter(nn.Module):
    def __init__(self, dim, experts, k):
        super().__init__()
        self.k = k
        self.gate = nn.Linear(dim, experts, bias=False)

    def forward(self, tokens):
        probs = self.gate(tokens).softmax(dim=-1)
        kth = probs.topk(self.k, dim=-1).values[..., -1:]
        dropped = probs < kth
        probs.data.masked_fill_(dropped, 0.0)
        return probs, dropped


class MoE(nn.Module):
    def __init__(self, dim=16, experts=4, k=2):
        super().__init__()
        self.router = TopKRouter(dim, experts, k)
        self.experts = nn.ModuleList([Expert(dim, 2 * dim) for _ in range(experts)])

    def forward(self, x):
        weights, dropped = self.router(x)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            rows = (~dropped[:, i]).nonzero(as_tuple=True)[0]
            if rows.numel() == 0:
                continue
            out = out.index_add(0, rows, weights[rows, i, None] * expert(x[rows]))
        load = weights.mean(0)
        return out, load.var()


class TabularMoE(nn.Module):
    def __init__(self, features, classes, dim=16):
        super().__init__()
        self.stem = nn.Linear(features, dim)
        self.moe = MoE(dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        h = F.relu(self.stem(x))
        mixed, balance = self.moe(h)
        return self.head(h + mixed), balance


def train(epochs=2, balance_weight=0.01):
    torch.manual_seed(0)
    x, y = torch.randn(64, 8), torch.randint(0, 3, (64,))
    net = TabularMoE(8, 3)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for idx in torch.randperm(64).chunk(4):
            logits, balance = net(x[idx])
            loss = F.cross_entropy(logits, y[idx]) + balance_weight * balance
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"{epoch} {loss.item():.4f}")


if __name__ == "__main__":
    train()
