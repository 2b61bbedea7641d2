import torch
import torch.nn as nn
import torch.nn.functional as F


class Mel(nn.Module):
    """Fixed filter bank. Kept out of the state dict and moved along with the module."""

    def __init__(self, bins=33, mels=10):
        super().__init__()
        centers = torch.linspace(0, bins - 1, mels + 2)
        freq = torch.arange(bins).float()
        up = (freq - centers[:-2, None]) / (centers[1:-1] - centers[:-2])[:, None]
        down = (centers[2:, None] - freq) / (centers[2:] - centers[1:-1])[:, None]
        self.bank = torch.minimum(up, down).clamp(min=0)
        self.window = torch.hann_window(64)

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.bank = fn(self.bank)
        self.window = fn(self.window)
        return self

    def forward(self, wave):
        frames = wave.unfold(1, 64, 32) * self.window
        power = torch.view_as_real(torch.fft.rfft(frames)).pow(2).sum(-1)
        return (power @ self.bank.T + 1e-6).log()


class Keyword(nn.Module):
    eps = torch.finfo(torch.float32).eps

    def __init__(self, classes=5, mels=10):
        super().__init__()
        self.mel = Mel(mels=mels)
        self.temperature = torch.tensor(2.0)
        self.rnn = nn.GRU(mels, 16, batch_first=True)
        self.fc = nn.Linear(16, classes)

    def forward(self, wave):
        x = self.mel(wave)
        x = (x - x.mean(dim=1, keepdim=True)) / (x.std(dim=1, keepdim=True) + self.eps)
        _, h = self.rnn(x)
        return self.fc(h[-1]) / self.temperature


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Keyword().to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(3):
    wave = torch.randn(6, 640, device=device)
    target = torch.randint(0, 5, (6,), device=device)
    loss = F.cross_entropy(model(wave), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
print([k for k in model.state_dict() if "mel" in k])
