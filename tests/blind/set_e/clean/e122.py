import functools

import torch
from torch import nn


@functools.lru_cache(maxsize=None)
def hann(n, device, dtype=torch.float32):
    return torch.hann_window(n, device=device, dtype=dtype)


@functools.lru_cache(maxsize=None)
def mel_bank(bins, mels, device):
    centres = torch.linspace(0, bins - 1, mels + 2, device=device)
    grid = torch.arange(bins, device=device).float()
    up = (grid[None] - centres[:-2, None]) / (centres[1:-1] - centres[:-2])[:, None]
    down = (centres[2:, None] - grid[None]) / (centres[2:] - centres[1:-1])[:, None]
    return torch.minimum(up, down).clamp(min=0)


def frames(wave, size, hop):
    return wave.unfold(-1, size, hop) * hann(size, wave.device)


class Keyword(nn.Module):
    def __init__(self, size=16, hop=8, mels=5, words=3):
        super().__init__()
        self.size, self.hop, self.mels = size, hop, mels
        self.rnn = nn.RNN(mels, 8, batch_first=True)
        self.fc = nn.Linear(8, words)

    def features(self, wave):
        f = frames(wave, self.size, self.hop)
        basis = torch.cos(torch.arange(9, device=f.device)[:, None] * torch.arange(self.size, device=f.device) * 0.39)
        power = (f @ basis.t()).square()
        return (power @ mel_bank(9, self.mels, f.device).t() + 1e-6).log()

    def forward(self, wave):
        out, _ = self.rnn(self.features(wave))
        return self.fc(out[:, -1])


if __name__ == "__main__":
    model = Keyword()
    model(torch.randn(1, 64))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(2):
        wave, word = torch.randn(4, 64).to(device), torch.randint(0, 3, (4,)).to(device)
        loss = nn.functional.cross_entropy(model(wave), word)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
