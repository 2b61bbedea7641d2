import torch
from torch import nn


class Quantile(nn.Module):
    def __init__(self, d=4, n=5):
        super().__init__()
        self.net = nn.Linear(d, n)
        self.register_buffer("taus", (torch.arange(n) + 0.5) / n)

    def forward(self, x):
        return self.net(x).cumsum(-1)

    def loss(self, q, y):
        err = y.unsqueeze(-1) - q
        return torch.where(err > 0, self.taus * err, (self.taus - 1) * err).mean()

    @torch.no_grad()
    def interval(self, x):
        q = self(x)
        return q[:, 0].tolist(), q[:, -1].tolist()


def conformal(model, x, y, alpha=0.1):
    lo, hi = (torch.tensor(v) for v in model.interval(x))
    y = y.cpu()
    scores = torch.max(lo - y, y - hi)
    return scores.quantile(1 - alpha).item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Quantile().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(4):
        x = torch.randn(16, 4, device=device)
        y = x.sum(1) + 0.1 * torch.randn(16, device=device)
        loss = model.loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item(), conformal(model, x, y))


if __name__ == "__main__":
    main()
