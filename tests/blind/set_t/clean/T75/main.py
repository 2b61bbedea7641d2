import argparse
import torch
from torch import nn
import torch.nn.functional as F
from saving import CheckpointManager


def get_args():
    ap = argparse.ArgumentParser()
    ap.add_argument("--dir", required=True)
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--lr", type=float, default=1e-2)
    ap.add_argument("--cpu", action="store_true")
    return ap.parse_args()


class Autoencoder(nn.Module):
    def __init__(self, n=12, k=3):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(n, 16), nn.ELU(), nn.Linear(16, k))
        self.dec = nn.Sequential(nn.Linear(k, 16), nn.ELU(), nn.Linear(16, n))

    def forward(self, x):
        return self.dec(self.enc(x))


def session(args, upto):
    device = torch.device("cuda" if torch.cuda.is_available() and not args.cpu else "cpu")
    torch.manual_seed(0)
    model = Autoencoder().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)
    manager = CheckpointManager(args.dir, model=model, optimizer=optimizer, scheduler=scheduler)
    state = manager.restore(device)
    best = state.get("best", float("inf"))
    basis = torch.linspace(-1, 1, 36).view(3, 12)
    for epoch in range(state["step"], upto):
        x = (torch.randn(64, 3) @ basis).to(device)
        loss = F.mse_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        best = min(best, loss.item())
        manager.save(epoch + 1, best=best)
        print(epoch + 1, best, scheduler.get_last_lr())


if __name__ == "__main__":
    args = get_args()
    session(args, 2)
    session(args, args.epochs)
