import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class WindowDataset(Dataset):
    """Sliding windows over one long series."""

    def __init__(self, series, window, horizon):
        self.series, self.window, self.horizon = series, window, horizon

    def __len__(self):
        return len(self.series) - self.window - self.horizon + 1

    def __getitem__(self, i):
        past = self.series[i : i + self.window]
        future = self.series[i + self.window : i + self.window + self.horizon]
        return past.unsqueeze(-1), future


class Forecaster(nn.Module):
    def __init__(self, hidden, horizon):
        super().__init__()
        self.rnn = nn.GRU(1, hidden, batch_first=True)
        self.head = nn.Linear(hidden, horizon)

    def forward(self, x):
        _, h = self.rnn(x)
        return self.head(h[-1])


class Trainer:
    def __init__(self, model, device, lr=1e-3):
        self.device = device
        self.model = model.to(device)
        self.criterion = nn.HuberLoss()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)

    def run_epoch(self, loader):
        self.model.train()
        running = 0.0
        for past, future in loader:
            past = past.to(self.device, non_blocking=True)
            future.to(self.device, non_blocking=True)
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(past), future)
            loss.backward()
            self.optimizer.step()
            running += loss.item()
        return running / len(loader)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    t = torch.linspace(0, 12, 120)
    series = torch.sin(t) + 0.05 * torch.randn(120)
    loader = DataLoader(WindowDataset(series, 16, 4), batch_size=32, shuffle=True)
    trainer = Trainer(Forecaster(16, 4), device)
    for epoch in range(2):
        print(epoch, trainer.run_epoch(loader))


if __name__ == "__main__":
    main()
