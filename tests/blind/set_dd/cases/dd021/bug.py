"""Conditional vocoder residual stack with FiLM conditioning on speaker id."""
import torch
from torch import nn
import torch.nn.functional as F


class FiLM(nn.Module):
    def __init__(self, cond, channels):
        super().__init__()
        self.net = nn.Linear(cond, 2 * channels)
        nn.init.zeros_(self.net.weight)
        nn.init.zeros_(self.net.bias)

    def forward(self, c):
        gamma, beta = self.net(c).unsqueeze(-1).chunk(2, dim=1)
        gamma += 1.0
        return gamma, beta


class ResBlock(nn.Module):
    def __init__(self, channels, cond, dilation):
        super().__init__()
        self.film = FiLM(cond, channels)
        self.conv = nn.Conv1d(channels, channels, 3, padding=dilation, dilation=dilation)

    def forward(self, x, c):
        gamma, beta = self.film(c)
        h = gamma * self.conv(F.leaky_relu(x, 0.1)) + beta
        return x + h


class Vocoder(nn.Module):
    def __init__(self, n_mels=10, n_speakers=4, channels=16, cond=8, hop=4):
        super().__init__()
        self.speakers = nn.Embedding(n_speakers, cond)
        self.pre = nn.Conv1d(n_mels, channels, 7, padding=3)
        self.up = nn.Upsample(scale_factor=hop)
        self.blocks = nn.ModuleList([ResBlock(channels, cond, d) for d in (1, 3, 9)])
        self.post = nn.Conv1d(channels, 1, 7, padding=3)

    def forward(self, mel, spk):
        c = self.speakers(spk)
        x = self.up(self.pre(mel))
        for block in self.blocks:
            x = block(x, c)
        return torch.tanh(self.post(x)).squeeze(1)


def spectral_loss(a, b, n_fft=32):
    w = torch.hann_window(n_fft, device=a.device)
    sa, sb = (torch.fft.rfft(s.unfold(-1, n_fft, n_fft // 2) * w).abs() for s in (a, b))
    return F.l1_loss(sa, sb) + F.l1_loss((sa + 1e-5).log(), (sb + 1e-5).log())


dev = "cuda:0" if torch.cuda.is_available() else "cpu"
vocoder = Vocoder().to(dev)
opt = torch.optim.AdamW(vocoder.parameters(), lr=2e-4, betas=(0.8, 0.99))
for it in range(3):
    mel = torch.randn(2, 10, 32).to(dev)
    wav = torch.rand(2, 128).mul(2).sub(1).to(dev)
    spk = torch.randint(0, 4, (2,)).to(dev)
    fake = vocoder(mel, spk)
    loss = spectral_loss(fake, wav)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, loss.item())
