from dataclasses import dataclass
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class TrainConfig:
    lr: float = 1e-3
    epochs: int = 2
    batch_size: int = 8
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


class BaseTrainer:
    def __init__(self, cfg, model):
        self.cfg, self.model = cfg, model.to(cfg.device)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        self.curve = []

    def compute_loss(self, *batch):
        raise NotImplementedError

    def run(self, dataset):
        for epoch in range(self.cfg.epochs):
            value = self.run_epoch(DataLoader(dataset, self.cfg.batch_size, shuffle=True))
            self.curve.append(value)
            print(f"[{epoch}] {value:.4f}")

    def run_epoch(self, loader):
        self.model.train()
        epoch_loss, count = 0.0, 0
        for batch in loader:
            batch = [b.to(self.cfg.device) for b in batch]
            loss = self.compute_loss(*batch)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            epoch_loss = epoch_loss + loss.item() * len(batch[0])
            count += len(batch[0])
        return epoch_loss / count


class DenoisingTrainer(BaseTrainer):
    noise = 0.2

    def compute_loss(self, x):
        return nn.functional.mse_loss(self.model(x + self.noise * torch.randn_like(x)), x)


trainer = DenoisingTrainer(TrainConfig(), nn.Sequential(nn.Linear(5, 20), nn.ReLU(), nn.Linear(20, 5)))
trainer.run(TensorDataset(torch.randn(32, 5)))
