import torch
import torch.nn as nn
import torch.nn.functional as F

from ema import EMA


class ScoreNet(nn.Module):
    def __init__(self, d=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d + 1, 32), nn.Softplus(), nn.Linear(32, d))

    def forward(self, x, sigma):
        return self.net(torch.cat([x, sigma.log()], 1)) / sigma


def dsm_loss(model, x):
    sigma = torch.rand(x.size(0), 1, device=x.device) * 0.9 + 0.1
    noise = torch.randn_like(x)
    target = -noise / sigma
    return (sigma**2 * (model(x + sigma * noise, sigma) - target) ** 2).sum(1).mean()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ScoreNet()
    model.to(device)
    ema = EMA(model)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(5):
        x = torch.randn(64, 2).to(device)
        loss = dsm_loss(model, x)
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update(model)
    ema.apply_to(model)
    model.eval()
    with torch.no_grad():
        print("ema loss", dsm_loss(model, torch.randn(64, 2, device=device)).item())
    ema.restore(model)


if __name__ == "__main__":
    main()
