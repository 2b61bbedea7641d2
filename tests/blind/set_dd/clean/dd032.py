"""Neural vocoder STFT loss module; constants are big, so they stay out of the state dict."""
import torch
from torch import nn
import torch.nn.functional as F


class DFTLoss(nn.Module):
    def __init__(self, sizes=(16, 32, 64)):
        super().__init__()
        self.sizes = sizes
        self.bases = {n: self._basis(n) for n in sizes}

    @staticmethod
    def _basis(n):
        k = torch.arange(n // 2 + 1).float()[:, None]
        t = torch.arange(n).float()[None]
        ang = 2 * torch.pi * k * t / n
        win = torch.hann_window(n)
        return torch.cat([ang.cos() * win, ang.sin() * win]).unsqueeze(1)

    def _apply(self, fn, *args, **kwargs):
        super()._apply(fn, *args, **kwargs)
        self.bases = {n: fn(b) for n, b in self.bases.items()}
        return self

    def magnitude(self, x, n):
        y = F.conv1d(x.unsqueeze(1), self.bases[n], stride=n // 4)
        re, im = y.chunk(2, dim=1)
        return (re.square() + im.square() + 1e-7).sqrt()

    def forward(self, fake, real):
        loss = fake.new_zeros(())
        for n in self.sizes:
            a, b = self.magnitude(fake, n), self.magnitude(real, n)
            loss = loss + (a - b).norm() / b.norm() + F.l1_loss(a.log(), b.log())
        return loss / len(self.sizes)


class Generator(nn.Module):
    def __init__(self, mels=8, hop=8, ch=16):
        super().__init__()
        self.inp = nn.Conv1d(mels, ch, 3, padding=1)
        self.up = nn.ConvTranspose1d(ch, ch, 2 * hop, stride=hop, padding=hop // 2)
        self.out = nn.Conv1d(ch, 1, 7, padding=3)

    def forward(self, mel):
        h = F.leaky_relu(self.inp(mel), 0.1)
        return torch.tanh(self.out(F.leaky_relu(self.up(h), 0.1))).squeeze(1)


class VocoderTask:
    def __init__(self, device):
        self.device = device
        self.gen = Generator().to(device)
        self.stft = DFTLoss().to(device)
        self.opt = torch.optim.AdamW(self.gen.parameters(), lr=1e-3, betas=(0.8, 0.99))

    def train_step(self, mel, wav):
        mel, wav = mel.to(self.device), wav.to(self.device)
        loss = self.stft(self.gen(mel), wav)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


if __name__ == "__main__":
    task = VocoderTask(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    for _ in range(3):
        print(task.train_step(torch.randn(2, 8, 32), torch.randn(2, 256).clamp(-1, 1)))
