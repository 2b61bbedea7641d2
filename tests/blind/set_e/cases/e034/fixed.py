import io

import torch
from torch import nn


def state_of(model, optimizer):
    stream = io.BytesIO()
    torch.save({"m": model.state_dict(), "o": optimizer.state_dict()}, stream)
    stream.seek(0)
    return stream


def train(model, optimizer, device, steps=2):
    for _ in range(steps):
        x = torch.randn(8, 5, device=device)
        loss = nn.functional.mse_loss(model(x).squeeze(1), x.mean(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    train(model, optimizer, torch.device("cpu"))
    saved = torch.load(state_of(model, optimizer), map_location="cpu")

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    resumed = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
    resumed.load_state_dict(saved["m"])
    resumed.to(device)
    opt = torch.optim.Adam(resumed.parameters(), lr=1e-3)
    opt.load_state_dict(saved["o"])
    print(train(resumed, opt, device))


if __name__ == "__main__":
    main()
