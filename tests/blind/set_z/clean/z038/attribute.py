import argparse

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from explain import get_explainer


def train(model, loader, device, epochs):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    model.train()
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--method", choices=["saliency", "ig"], default="ig")
    p.add_argument("--epochs", type=int, default=2)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(32, 5)
    ds = TensorDataset(x, (x[:, 2] > 0).long())
    model = nn.Sequential(nn.Linear(5, 12), nn.Softplus(), nn.Linear(12, 2)).to(device)
    train(model, DataLoader(ds, 8, shuffle=True), device, args.epochs)
    model.requires_grad_(False)
    attr = get_explainer(args.method, model).explain_loader(DataLoader(ds, 16), device)
    print({f"f{i}": round(v, 4) for i, v in enumerate(attr.abs().mean(0).tolist())})


if __name__ == "__main__":
    main()
