# multi-horizon electricity load forecasting
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

HORIZONS = {"1h": 1, "6h": 6, "24h": 24}


class LoadSeries(Dataset):
    def __init__(self, n=400, window=48):
        t = np.arange(n, dtype=np.float32)
        self.values = np.sin(t / 24 * 2 * np.pi) + 0.1 * np.random.randn(n).astype(np.float32)
        self.window = window

    def __len__(self):
        return len(self.values) - self.window - max(HORIZONS.values())

    def __getitem__(self, i):
        past = torch.from_numpy(self.values[i:i + self.window]).float().unsqueeze(-1)
        end = i + self.window
        future = {k: torch.from_numpy(self.values[end:end + h]).float() for k, h in HORIZONS.items()}
        return past, future


class Encoder(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.norm = nn.LayerNorm(hidden)

    def forward(self, x):
        _, h = self.gru(x)
        return self.norm(h[-1])


class LoadForecaster(nn.Module):
    def __init__(self, horizons, hidden=16):
        super().__init__()
        self.encoder = Encoder(hidden)
        self.heads = nn.ModuleDict()
        for name, steps in horizons.items():
            self.heads[name] = nn.Sequential(
                nn.Linear(hidden, hidden), nn.GELU(), nn.Linear(hidden, steps))

    def forward(self, past):
        z = self.encoder(past)
        return {name: head(z) for name, head in self.heads.items()}


class Trainer:
    def __init__(self, model, device, lr=1e-3):
        self.device = device
        self.model = model.to(device)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.loss_fn = nn.L1Loss()

    def step(self, past, future):
        past = past.to(self.device)
        future = {k: v.to(self.device) for k, v in future.items()}
        pred = self.model(past)
        loss = sum(self.loss_fn(pred[k], future[k]) for k in pred)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def fit(self, loader, max_steps):
        for i, (past, future) in enumerate(loader):
            value = self.step(past, future)
            if i + 1 == max_steps:
                return value


if __name__ == "__main__":
    trainer = Trainer(LoadForecaster(HORIZONS), torch.device("cpu"))
    print(trainer.fit(DataLoader(LoadSeries(), batch_size=16, shuffle=True), 4))
