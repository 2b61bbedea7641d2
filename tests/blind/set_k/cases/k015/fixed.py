import torch
import torch.nn as nn
import torch.nn.functional as F


class Forecaster(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.rnn = nn.LSTM(1, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, series):
        out, _ = self.rnn(series)
        return self.head(out[:, -1]).squeeze(-1)


def build(model, lr, clip=1.0):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)

    def step(x, y):
        model.train()
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        return loss.item()

    return step


def windows(series, width, batch):
    """Endless supply of (window, next value) pairs."""
    n = len(series) - width
    while True:
        start = torch.randint(0, n, (batch,))
        x = torch.stack([series[s:s + width] for s in start.tolist()])
        yield x.unsqueeze(-1), series[start + width]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    t = torch.linspace(0, 40, 400)
    series = torch.sin(t) + 0.05 * torch.randn_like(t)
    model = Forecaster().to(device)
    step = build(model, lr=0.05)
    source = windows(series, 20, 32)
    for it in range(30):
        x, y = next(source)
        loss = step(x.to(device), y.to(device))
        if it % 10 == 0:
            print(f"{it:3d} {loss:.4f}")


if __name__ == "__main__":
    main()
