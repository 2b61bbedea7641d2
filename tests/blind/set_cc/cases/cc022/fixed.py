import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self, series, width):
        self.series, self.width = series, width

    def __len__(self):
        return len(self.series) - self.width

    def __getitem__(self, i):
        return self.series[i:i + self.width].unsqueeze(-1), self.series[i + self.width]


class Forecaster(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.rnn = nn.GRU(1, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        states, _ = self.rnn(x)
        return self.out(states[:, -1]).squeeze(-1)


class Runner:
    def __init__(self, model, lr=3e-3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)

    def fit(self, loader, epochs):
        for _ in range(epochs):
            self.model.train()
            for x, y in loader:
                loss = nn.functional.huber_loss(self.model(x.to(self.device)), y.to(self.device))
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
        return self

    def _step(self, x):
        yhat = self.model(x.to(self.device))
        return yhat.float().cpu()

    @torch.no_grad()
    def predict(self, loader):
        self.model.eval()
        outputs, targets = [], []
        for x, y in loader:
            outputs.append(self._step(x))
            targets.append(y)
        return torch.cat(outputs), torch.cat(targets)


if __name__ == "__main__":
    series = torch.sin(torch.arange(160) / 7.0) + 0.05 * torch.randn(160)
    runner = Runner(Forecaster()).fit(DataLoader(Windows(series[:120], 12), 32, shuffle=True), epochs=2)
    yhat, y = runner.predict(DataLoader(Windows(series[120:], 12), 16))
    print(f"mae {(yhat - y).abs().mean():.3f}")
