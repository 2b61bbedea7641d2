import argparse
import os

import torch
from torch import nn


def get_device(gpu):
    """-1 means the host."""
    if gpu < 0 or not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device("cuda", gpu)


def set_seed(seed):
    os.environ["PYTHONHASHSEED"] = str(seed)
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed(seed)
        torch.backends.cudnn.deterministic = True


class GCN(nn.Module):
    def __init__(self, d, h, c):
        super().__init__()
        self.w1, self.w2 = nn.Linear(d, h), nn.Linear(h, c)

    def forward(self, adj, x):
        x = torch.relu(adj @ self.w1(x))
        x = nn.functional.dropout(x, 0.5, training=self.training)
        return adj @ self.w2(x)


def normalise(adj):
    adj = adj + torch.eye(adj.size(0))
    d = adj.sum(1).rsqrt()
    return d[:, None] * adj * d[None]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpu", type=int, default=0)
    p.add_argument("--epochs", type=int, default=3)
    args = p.parse_args()
    set_seed(0)
    device = get_device(args.gpu)
    n = 12
    adj = (torch.rand(n, n) > 0.7).float()
    adj = normalise(((adj + adj.t()) > 0).float()).to(device)
    x, y = torch.randn(n, 5, device=device), torch.randint(0, 3, (n,), device=device)
    train = torch.zeros(n, dtype=torch.bool)
    train[: n // 2] = True
    model = GCN(5, 8, 3).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    for epoch in range(args.epochs):
        model.train()
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(adj, x)[train], y[train])
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            acc = (model(adj, x).argmax(1)[~train] == y[~train]).float().mean()
        print(f"{epoch} loss {loss:.3f} acc {acc:.3f}")


if __name__ == "__main__":
    main()
