import torch
from torch import nn


class EMA:
    def __init__(self, model, decay=0.99):
        self.model, self.decay = model, decay
        self.shadow = {n: p.detach().clone() for n, p in model.named_parameters()}
        self.backup = {}

    @torch.no_grad()
    def update(self):
        for n, p in self.model.named_parameters():
            self.shadow[n].mul_(self.decay).add_(p, alpha=1 - self.decay)

    @torch.no_grad()
    def __enter__(self):
        for n, p in self.model.named_parameters():
            self.backup[n] = p.clone()
            p.copy_(self.shadow[n])

    @torch.no_grad()
    def __exit__(self, *exc):
        for n, p in self.model.named_parameters():
            p.copy_(self.backup.pop(n))


class ScoreNet(nn.Module):
    def __init__(self, d=2, h=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d + 1, h), nn.Softplus(), nn.Linear(h, d))

    def forward(self, x, sigma):
        return self.net(torch.cat([x, sigma.log()], 1)) / sigma


def dsm(model, x):
    sigma = torch.rand(len(x), 1, device=x.device) + 0.1
    noise = torch.randn_like(x)
    return (model(x + sigma * noise, sigma) * sigma + noise).pow(2).sum(1).mean()


def main(steps=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ScoreNet()
    ema = EMA(model)
    model.to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(steps):
        loss = dsm(model, torch.randn(32, 2, device=device))
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update()
    with ema, torch.no_grad():
        print("ema", dsm(model, torch.randn(64, 2, device=device)).item())


main()
