import argparse
import math

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from codec import Codec


class Waves(Dataset):
    def __init__(self, n, length=12):
        phase = torch.rand(n, 1) * 2 * math.pi
        freq = torch.rand(n, 1) * 3 + 0.5
        self.x = torch.sin(freq * torch.linspace(0, 3, length) + phase)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i]


def snr(x, y):
    return 10 * torch.log10(x.pow(2).mean() / (x - y).pow(2).mean()).item()


parser = argparse.ArgumentParser()
parser.add_argument("--levels", type=int, default=8)
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--lr", type=float, default=3e-3)
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Codec(levels=args.levels).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
loader = DataLoader(Waves(64), batch_size=16, shuffle=True)
for epoch in range(args.epochs):
    for x in loader:
        x = x.to(device)
        loss = F.mse_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(epoch, loss.item(), snr(x, model(x)))
