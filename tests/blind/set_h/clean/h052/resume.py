import tempfile

import torch
from torch import nn

from checkpoints import CheckpointDir


def make(device):
    model = nn.Sequential(nn.Linear(5, 32), nn.Mish(), nn.Linear(32, 1)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 5, gamma=0.5)
    return model, optimizer, scheduler


def train(folder, until, device, every=3):
    model, optimizer, scheduler = make(device)
    store = CheckpointDir(folder)
    start = store.load(model=model, optimizer=optimizer, scheduler=scheduler)
    loss = torch.zeros(())
    for step in range(start, until):
        x = torch.randn(32, 5, device=device)
        loss = nn.functional.mse_loss(model(x), x[:, :1] * x[:, 1:2])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        if (step + 1) % every == 0:
            store.save(step, model=model, optimizer=optimizer, scheduler=scheduler)
    return start, loss.item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with tempfile.TemporaryDirectory() as folder:
        print(train(folder, 6, device))
        print(train(folder, 12, device))
