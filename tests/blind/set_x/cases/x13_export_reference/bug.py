"""Trains, compares a CPU reference with the accelerator, and goes on training."""

import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self, inputs=5, hidden=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


class Session:
    def __init__(self, device):
        self.device = device
        self.model = Regressor().to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)

    def reference(self):
        """The model as it will be shipped: on the host, in eval mode."""
        host = self.model.to("cpu")
        return host.eval()

    def train_epoch(self, batches):
        self.model.train()
        for x, y in batches:
            x, y = x.to(self.device), y.to(self.device)
            loss = (self.model(x) - y).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def drift(self, x):
        ref = self.reference()
        self.model.eval()
        with torch.no_grad():
            host = ref(x.cpu())
            here = self.model(x.to(self.device)).cpu()
        return (host - here).abs().max().item()


def make_batches(n=3):
    data = []
    for _ in range(n):
        x = torch.randn(16, 5)
        data.append((x, x.sum(dim=1)))
    return data


if __name__ == "__main__":
    session = Session(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    batches = make_batches()
    for epoch in range(2):
        session.train_epoch(batches) 
        print(epoch, session.drift(batches[0][0]))
