import torch
import torch.nn as nn
import torch.nn.functional as F


class ScalarQuantizer(nn.Module):
    def __init__(self, levels=7):
        super().__init__()
        self.half = (levels - 1) / 2

    def forward(self, z):
        bounded = torch.tanh(z) * self.half
        codes = torch.round(bounded)
        return codes / self.half


class Compressor(nn.Module):
    def __init__(self, dim=32, latent=6, levels=7):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, latent))
        self.quantizer = ScalarQuantizer(levels)
        self.decoder = nn.Sequential(nn.Linear(latent, 32), nn.ReLU(), nn.Linear(32, dim))

    def forward(self, x):
        z = self.encoder(x)
        return self.decoder(self.quantizer(z))


class Signals(torch.utils.data.IterableDataset):
    def __init__(self, count, dim=32):
        self.count, self.dim = count, dim

    def __iter__(self):
        t = torch.linspace(0, 1, self.dim)
        for _ in range(self.count):
            freq, phase = 1 + 3 * torch.rand(()), 6.28 * torch.rand(())
            yield torch.sin(6.28 * freq * t + phase)


def train(epochs=2):
    torch.manual_seed(0)
    model = Compressor()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    loader = torch.utils.data.DataLoader(Signals(64), batch_size=16)
    for epoch in range(epochs):
        total = 0.0
        for batch in loader:
            loss = F.mse_loss(model(batch), batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(epoch, total)
    return model


if __name__ == "__main__":
    train()
