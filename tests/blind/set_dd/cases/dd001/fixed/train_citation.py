import argparse

import torch
import torch.nn.functional as F

from models import GCN


def fake_cora(n=60, f=16, c=4):
    x = torch.rand(n, f)
    y = torch.randint(0, c, (n,))
    edge_index = torch.randint(0, n, (2, 5 * n))
    train = torch.rand(n) < 0.5
    return x, y, edge_index, train


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=20)
    ap.add_argument("--hidden", type=int, default=8)
    ap.add_argument("--lr", type=float, default=1e-2)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    x, y, edge_index, train = (t.to(device) for t in fake_cora())
    model = GCN(x.size(1), args.hidden, 4).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=5e-4)
    for epoch in range(args.epochs):
        model.train()
        opt.zero_grad()
        out = model(x, edge_index)
        loss = F.cross_entropy(out[train], y[train])
        loss.backward()
        opt.step()
        print(f"epoch {epoch:03d} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
