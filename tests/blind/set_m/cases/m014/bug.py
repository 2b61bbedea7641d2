import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Linear(24, 1))

    def forward(self, x):
        return self.body(x).squeeze(-1)


class Trainer:
    def __init__(self, model, lr=1e-2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=lr)

    def prepare(self, batch):
        if self.device == "cuda":
            batch = [t.to(self.device, non_blocking=True) for t in batch]
        return batch

    def fit(self, loader, epochs=2):
        self.model.train()
        for epoch in range(epochs):
            for batch in loader:
                x, y = self.prepare(batch)
                loss = nn.functional.mse_loss(self.model(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
            print(f"[{epoch}] {loss.item():.4f}")


def main():
    x = torch.randn(64, 5)
    loader = DataLoader(TensorDataset(x, x.sum(1)), batch_size=16, shuffle=True)
    Trainer(Regressor()).fit(loader)


main()
