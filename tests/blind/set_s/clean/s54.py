import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
parser.add_argument("--epochs", type=int, default=2)
args = parser.parse_args()


class CodeBook(nn.Module):
    def __init__(self, size=8, dim=4):
        super().__init__()
        self.entries = nn.Embedding(size, dim)

    def forward(self, z):
        if z.device != self.entries.weight.device:
            raise ValueError(f"codes on {self.entries.weight.device}, input on {z.device}")
        nearest = torch.cdist(z, self.entries.weight).argmin(-1)
        q = self.entries(nearest)
        loss = F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
        return z + (q - z).detach(), loss


if args.device == "cuda":
    print("fast path")
device = torch.device(args.device)
on_gpu = device.type == "cuda"
enc, book, dec = nn.Linear(6, 4).to(device), CodeBook().to(device), nn.Linear(4, 6).to(device)
params = [p for m in (enc, book, dec) for p in m.parameters()]
optimizer = torch.optim.Adam(params, lr=1e-2)
loader = DataLoader(TensorDataset(torch.randn(64, 6)), batch_size=16, shuffle=True, num_workers=0)
for epoch in range(args.epochs):
    for (x,) in loader:
        x = x.to(device, non_blocking=on_gpu)
        z, vq_loss = book(enc(x))
        loss = F.mse_loss(dec(z), x) + vq_loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    where = "gpu" if loss.is_cuda else str(loss.device)
    print(epoch, where, loss.item(), x.device == loss.device)
