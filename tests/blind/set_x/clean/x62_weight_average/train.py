import torch
from torch import nn

from ema import EMA


def build(device):
    model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
    model[0].bias.requires_grad_(False)
    model.to(device)
    return model, EMA(model)


def train(steps=6):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, ema = build(device)
    opt = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.05)
    x = torch.randn(64, 5, device=device)
    y = x.sum(dim=1, keepdim=True)
    for _ in range(steps):
        opt.zero_grad()
        (model(x) - y).pow(2).mean().backward()
        opt.step()
        ema.update()
    model.eval()
    with ema.applied() as averaged, torch.no_grad():
        score = (averaged(x) - y).abs().mean()
    print("averaged", score.item(), len(ema.state_dict()))


if __name__ == "__main__":
    train()
