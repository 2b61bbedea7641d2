import copy
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    width: int = 32
    epochs: int = 2
    lr: float = 1e-3
    ema_decay: float = 0.995
    batch_size: int = 16


class WeightAverager:
    def __init__(self, model: nn.Module, decay: float):
        self.decay = decay
        self.shadow = {k: v.detach().clone() for k, v in model.named_parameters()}

    @torch.no_grad()
    def update(self, model: nn.Module):
        for name, param in model.named_parameters():
            self.shadow[name].mul_(self.decay).add_(param, alpha=1 - self.decay)

    def export(self, model: nn.Module) -> nn.Module:
        averaged = copy.deepcopy(model)
        with torch.no_grad():
            for name, param in averaged.named_parameters():
                param.copy_(self.shadow[name])
        return averaged


class Trainer:
    def __init__(self, model: nn.Module, cfg: Config, device: torch.device):
        self.cfg = cfg
        self.device = device
        self.averager = WeightAverager(model, cfg.ema_decay)
        self.model = model.to(device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)

    def fit(self, loader: DataLoader):
        self.model.train()
        for epoch in range(self.cfg.epochs):
            running = 0.0
            for x, y in loader:
                x, y = x.to(self.device), y.to(self.device)
                loss = F.mse_loss(self.model(x), y)
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                self.optimizer.step()
                self.averager.update(self.model)
                running += loss.item() * x.size(0)
            print(f"epoch {epoch}: {running / len(loader.dataset):.4f}")
        return self.averager.export(self.model)


def make_data(n=128, dim=8):
    x = torch.randn(n, dim)
    y = x.pow(2).sum(dim=1, keepdim=True)
    return TensorDataset(x, y)


def main():
    cfg = Config()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(8, cfg.width), nn.GELU(), nn.Linear(cfg.width, 1))
    loader = DataLoader(make_data(), batch_size=cfg.batch_size, shuffle=True)
    averaged = Trainer(net, cfg, device).fit(loader)
    torch.save(averaged.state_dict(), "/tmp/averaged.pt")


if __name__ == "__main__":
    main()
