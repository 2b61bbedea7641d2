import os
import tempfile

import torch
from torch import nn

import checkpoint
from settings import Settings


def build(cfg):
    model = nn.Sequential(nn.Linear(6, 24), nn.Softplus(), nn.Linear(24, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    model.to(cfg.device)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    return model, optimizer, scheduler


def run(cfg):
    model, optimizer, scheduler = build(cfg)
    path = os.path.join(cfg.workdir, "last.pt")
    first = checkpoint.restore(path, model, optimizer, scheduler)
    for epoch in range(first, cfg.epochs):
        for _ in range(4):
            x = torch.randn(16, 6, device=cfg.device)
            loss = nn.functional.mse_loss(model(x), x.prod(dim=1, keepdim=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        scheduler.step()
        checkpoint.save(path, model, optimizer, scheduler, epoch)
    return first, scheduler.get_last_lr()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(run(Settings(workdir=folder)))
        print(run(Settings(workdir=folder, epochs=4)))
