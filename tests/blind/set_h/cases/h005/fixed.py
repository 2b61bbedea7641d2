import math

import torch
from torch import nn


class MelFrontend(nn.Module):
    """Log-mel features from raw audio; subclasses add the classifier."""

    def __init__(self, sample_rate=8000, n_fft=256, n_mels=20):
        super().__init__()
        self.n_fft = n_fft
        self.hop = n_fft // 2
        self.register_buffer("window", torch.hann_window(n_fft), persistent=False)
        self.register_buffer("mean", torch.zeros(n_mels, 1))
        self.register_buffer("fbank", self.build_filters(sample_rate, n_fft, n_mels), persistent=False)

    @staticmethod
    def build_filters(sample_rate, n_fft, n_mels):
        top = 2595 * math.log10(1 + sample_rate / 2 / 700)
        points = 700 * (10 ** (torch.linspace(0, top, n_mels + 2) / 2595) - 1)
        freqs = torch.linspace(0, sample_rate / 2, n_fft // 2 + 1)
        up = (freqs[None] - points[:-2, None]) / (points[1:-1] - points[:-2])[:, None]
        down = (points[2:, None] - freqs[None]) / (points[2:] - points[1:-1])[:, None]
        return torch.minimum(up, down).clamp(min=0)

    def features(self, wave):
        frames = wave.unfold(-1, self.n_fft, self.hop)
        spec = torch.fft.rfft(frames * self.window).abs().pow(2)
        mel = torch.matmul(self.fbank, spec.transpose(1, 2))
        return torch.log(mel + 1e-6) - self.mean


class KeywordSpotter(MelFrontend):
    def __init__(self, classes=6, **kw):
        super().__init__(**kw)
        self.rnn = nn.GRU(20, 32, batch_first=True)
        self.head = nn.Linear(32, classes)

    def forward(self, wave):
        x = self.features(wave).transpose(1, 2)
        _, h = self.rnn(x)
        return self.head(h[-1])


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = KeywordSpotter().to(device)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for step in range(5):
        wave = torch.randn(8, 2000, device=device)
        label = torch.randint(0, 6, (8,), device=device)
        loss = nn.functional.cross_entropy(model(wave), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("final loss", loss.item())


if __name__ == "__main__":
    main()
