import argparse
import json

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class AutoEncoder(nn.Module):
    def __init__(self, dim, latent):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, latent))
        self.dec = nn.Sequential(nn.Linear(latent, 32), nn.ReLU(), nn.Linear(32, dim))

    def forward(self, x):
        return self.dec(self.enc(x))


def fit(model, loader, device, epochs):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    mse = nn.MSELoss()
    model.train()
    for _ in range(epochs):
        for (x,) in loader:
            x = x.to(device)
            loss = mse(model(x), x)
            opt.zero_grad()
            loss.backward()
            opt.step()


def anomaly_scores(model, loader, device):
    model.eval()
    scores = []
    for (x,) in loader:
        x = x.to(device)
        recon = model(x)
        scores.append(((recon - x) ** 2).mean(dim=1))
    return torch.cat(scores)


def threshold(scores, q):
    return torch.quantile(scores, q).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--latent", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--quantile", type=float, default=0.95)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    normal = torch.randn(200, 3) @ torch.randn(3, 12)
    odd = torch.randn(20, 12) * 3
    model = AutoEncoder(12, args.latent).to(device)
    fit(model, DataLoader(TensorDataset(normal), batch_size=20, shuffle=True), device, args.epochs)

    limit = threshold(anomaly_scores(model, DataLoader(TensorDataset(normal), batch_size=50), device), args.quantile)
    found = anomaly_scores(model, DataLoader(TensorDataset(odd), batch_size=20), device) > limit
    print(json.dumps({"limit": limit, "recall": found.float().mean().item()}))


if __name__ == "__main__":
    main()
