import argparse

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from memory_bank import MemoryBank, NCEHead


class Indexed(Dataset):
    def __init__(self, n, dim):
        self.x = torch.randn(n, dim)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], i


class Encoder(nn.Module):
    def __init__(self, dim, out):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 16), nn.ReLU(), nn.Linear(16, out))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--negatives", type=int, default=6)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    ds = Indexed(32, 8)
    encoder = Encoder(8, 6).to(device)
    head = NCEHead(MemoryBank(len(ds), 6), k=args.negatives).to(device)
    opt = torch.optim.Adam(encoder.parameters(), lr=1e-2)
    for epoch in range(args.epochs):
        seen = 0.0
        for x, index in DataLoader(ds, 8, shuffle=True):
            loss = head(encoder(x.to(device)), index)
            opt.zero_grad()
            loss.backward()
            opt.step()
            seen += loss.item()
        print(epoch, seen / 4, head.bank.rows.norm(dim=1).mean().item())


if __name__ == "__main__":
    main()
