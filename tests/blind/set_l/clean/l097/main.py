from dataclasses import dataclass

import torch
import torch.nn as nn

from losses import gaussian_nll, quantile_loss


@dataclass(frozen=True)
class Config:
    past: int = 16
    future: int = 4
    hidden: int = 24
    quantiles: tuple = (0.1, 0.5, 0.9)


class Forecaster(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.net = nn.Sequential(nn.Linear(cfg.past, cfg.hidden), nn.GELU())
        self.gauss = nn.Linear(cfg.hidden, 2 * cfg.future)
        self.quant = nn.Linear(cfg.hidden, cfg.future * len(cfg.quantiles))

    def forward(self, past):
        loc, scale = past.mean(1, keepdim=True), past.std(1, keepdim=True) + 1e-3
        h = self.net((past - loc) / scale)
        mean, log_std = self.gauss(h).chunk(2, 1)
        q = self.quant(h).unflatten(1, (self.cfg.future, -1))
        return loc + scale * mean, log_std.clamp(-4, 4) + scale.log(), loc[..., None] + scale[..., None] * q


def main():
    cfg = Config()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Forecaster(cfg).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    series = torch.sin(torch.arange(300) / 5) + 0.1 * torch.randn(300)
    rows = series.unfold(0, cfg.past + cfg.future, 1)
    for step in range(6):
        batch = rows[torch.randint(0, len(rows), (32,))].to(device)
        past, future = batch.split([cfg.past, cfg.future], 1)
        mean, log_std, q = model(past)
        loss = gaussian_nll(mean, log_std, future) + quantile_loss(q, future, cfg.quantiles)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
