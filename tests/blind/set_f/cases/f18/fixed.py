import math

import torch
import torch.nn as nn


def mel_matrix(n_freqs, n_mels, rate):
    def hz_to_mel(f):
        return 2595.0 * math.log10(1 + f / 700.0)

    edges = torch.linspace(hz_to_mel(0), hz_to_mel(rate / 2), n_mels + 2)
    hz = 700.0 * (10 ** (edges / 2595.0) - 1)
    freqs = torch.linspace(0, rate / 2, n_freqs)
    up = (freqs[:, None] - hz[None, :-2]) / (hz[1:-1] - hz[:-2])
    down = (hz[None, 2:] - freqs[:, None]) / (hz[2:] - hz[1:-1])
    return torch.minimum(up, down).clamp(min=0)


class MelFrontend(nn.Module):
    def __init__(self, rate=8000, n_fft=64, hop=32, n_mels=10):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("fb", mel_matrix(n_fft // 2 + 1, n_mels, rate))
        self.gain = nn.Parameter(torch.ones(n_mels))

    def forward(self, wav):
        frames = wav.unfold(-1, self.n_fft, self.hop) * self.window
        power = torch.fft.rfft(frames).abs().pow(2)
        mel = power @ self.fb
        return torch.log(mel.clamp(min=1e-6)) * self.gain


class KeywordSpotter(nn.Module):
    def __init__(self, words=6):
        super().__init__()
        self.front = MelFrontend()
        self.gru = nn.GRU(10, 16, batch_first=True)
        self.out = nn.Linear(16, words)

    def forward(self, wav):
        _, h = self.gru(self.front(wav))
        return self.out(h[-1])


def main():
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    net = KeywordSpotter().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(2):
        wav = torch.randn(3, 320).to(device)
        y = torch.randint(0, 6, (3,)).to(device)
        loss = nn.functional.cross_entropy(net(wav), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item())


if __name__ == "__main__":
    main()
