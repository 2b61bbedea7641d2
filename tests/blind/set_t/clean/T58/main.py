from dataclasses import dataclass
import torch
from torch import nn
import torch.nn.functional as F
from averaging import WeightAverage


@dataclass
class Settings:
    epochs: int = 3
    batch: int = 16
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


def make_model():
    return nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.SiLU(), nn.Linear(24, 24), nn.BatchNorm1d(24), nn.SiLU(), nn.Linear(24, 1))


def evaluate(model, x, y):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        value = F.mse_loss(model(x), y).item()
    model.train(was_training)
    return value


def main(cfg):
    torch.manual_seed(0)
    x = torch.randn(128, 6).to(cfg.device)
    y = x.prod(1, keepdim=True)
    val_x, val_y = x[96:], y[96:]
    model = make_model().to(cfg.device)
    average = WeightAverage(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, cfg.epochs)
    for epoch in range(cfg.epochs):
        for idx in torch.randperm(96).split(cfg.batch):
            loss = F.mse_loss(model(x[idx]), y[idx])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            average.update()
        schedule.step()
        raw = evaluate(model, val_x, val_y)
        with average.applied() as averaged:
            smooth = evaluate(averaged, val_x, val_y)
        print(f"{epoch}: raw {raw:.3f} averaged {smooth:.3f}")


if __name__ == "__main__":
    main(Settings())
