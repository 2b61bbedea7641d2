import torch
from torch import nn


def cosine(step, total, base):
    return 0.5 * base * (1 + torch.cos(torch.tensor(torch.pi * step / total)).item())


def iterate(model, optimizer, data, criterion, clip=None):
    history = []
    for x, y in data:
        optimizer.zero_grad()
        out = model(x)
        loss = criterion(out, y)
        loss.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        history.append(loss.item())
    return history


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(3, 16), nn.SiLU(), nn.Linear(16, 1)).to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.02)
    data = [(torch.randn(8, 3, device=device), torch.randn(8, 1, device=device)) for _ in range(6)]
    for epoch in range(3):
        for group in opt.param_groups:
            group["lr"] = cosine(epoch, 3, 0.02)
        losses = iterate(model, opt, data, nn.functional.mse_loss, clip=5.0)
        print(epoch, sum(losses) / len(losses))


if __name__ == "__main__":
    main()
