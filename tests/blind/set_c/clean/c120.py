import torch
from torch import nn


class Scaler:
    """Standardises features; statistics are gathered on the host."""

    @torch.no_grad
    def fit(self, x):
        self.mean, self.std = x.mean(0), x.std(0).clamp(min=1e-6)
        return self

    @torch.no_grad
    def transform(self, x):
        return (x - self.mean) / self.std


class Forecaster(nn.Module):
    def __init__(self, d, horizon):
        super().__init__()
        self.rnn = nn.GRU(d, 12, batch_first=True)
        self.out = nn.Linear(12, horizon)

    def forward(self, x):
        _, h = self.rnn(x)
        return self.out(h[-1])

    @torch.inference_mode
    def predict(self, x):
        was = self.training
        self.eval()
        out = self(x).cpu().numpy()
        self.train(was)
        return out


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    series = torch.randn(40, 6, 2).cumsum(1)
    scaler = Scaler().fit(series.flatten(0, 1))
    x = scaler.transform(series)
    net = Forecaster(2, 3).to(device)
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    for xb in x.split(10):
        loss = nn.functional.l1_loss(net(xb.to(device)), xb[:, -3:, 0].to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(net.predict(x[:2].to(device)).shape, loss.item())
