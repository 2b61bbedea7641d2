import torch
import torch.nn as nn
import torch.nn.functional as F

from ema import ModelEMA


def build(device):
    net = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
    return net.to(device)


def validate(model, x, y):
    was_training = model.training
    model.eval()
    with torch.inference_mode():
        loss = F.cross_entropy(model(x), y).item()
    model.train(was_training)
    return loss


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = build(device)
    ema = ModelEMA(model)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    vx = torch.randn(16, 4, device=device)
    vy = torch.randint(0, 3, (16,), device=device)
    model.train()
    for step in range(4):
        x = torch.randn(16, 4, device=device)
        y = torch.randint(0, 3, (16,), device=device)
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update(model)
    print("raw", validate(model, vx, vy), "ema", validate(ema.module, vx, vy))


if __name__ == "__main__":
    main()
