import torch
import torch.nn as nn
import torch.nn.functional as F

from ensemble import Ensemble


def member(seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))


def fit(model, x, y, device, steps=10):
    model.to(device).train()
    pick = torch.randint(0, len(x), (len(x),))
    bx, by = x[pick].to(device), y[pick].to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(steps):
        loss = F.cross_entropy(model(bx), by)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return model


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(80, 4)
    y = x[:, :3].argmax(1)
    group = Ensemble()
    for seed in range(3):
        group.add(fit(member(seed), x, y, device))
    group.to("cpu")
    probs, doubt = group.predict(x)
    print((probs.argmax(1) == y).float().mean().item(), doubt.mean().item())


if __name__ == "__main__":
    main()
