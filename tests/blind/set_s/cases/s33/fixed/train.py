import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from checkpoint import Checkpointer


def run_epoch(model, loader, optimizer, device):
    total = 0.0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = F.mse_loss(model(x).squeeze(-1), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return (total / len(loader)).item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(64, 6)
    loader = DataLoader(TensorDataset(x, x.prod(1)), batch_size=16, shuffle=True)
    model = nn.Sequential(nn.Linear(6, 32), nn.SiLU(), nn.Linear(32, 1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    ckpt = Checkpointer()
    for epoch in range(4):
        loss = run_epoch(model, loader, optimizer, device)
        ckpt.save(model, optimizer, epoch, loss)
        print(epoch, round(loss, 4))
    model.load_state_dict(ckpt.best()["model"])


if __name__ == "__main__":
    main()
