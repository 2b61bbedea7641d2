"""Linear probe over cached features."""
from typing import List, Tuple

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class FeatureBank:
    """Runs the encoder once and keeps what it returned."""

    def __init__(self, encoder: nn.Module):
        self.encoder = encoder.eval()
        self._rows: List[Tuple[torch.Tensor, torch.Tensor]] = []

    @torch.no_grad()
    def build(self, loader):
        self._rows = [(self.encoder(x), y) for x, y in loader]
        return self

    def __len__(self):
        return len(self._rows)

    def __iter__(self):
        return iter(self._rows)


class Probe(nn.Module):
    def __init__(self, dim, classes):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fc = nn.Linear(dim, classes)

    def forward(self, h):
        return self.fc(self.norm(h))


class ProbeTrainer:
    def __init__(self, bank, probe, lr=1e-2):
        self.bank, self.probe = bank, probe
        self.optimizer = torch.optim.SGD(probe.parameters(), lr=lr)
        self.criterion = nn.CrossEntropyLoss()

    def run(self, epochs=2):
        for _ in range(epochs):
            for h, y in self.bank:
                loss = self.criterion(self.probe(h), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()


def main():
    encoder = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 16))
    data = TensorDataset(torch.randn(40, 10), torch.randint(0, 3, (40,)))
    bank = FeatureBank(encoder).build(DataLoader(data, batch_size=10))
    ProbeTrainer(bank, Probe(16, 3)).run() 


if __name__ == "__main__":
    main()
