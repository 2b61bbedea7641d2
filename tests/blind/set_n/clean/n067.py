import torch
from torch import nn


class LogEnergy(nn.Module):
    def __init__(self, n_fft=64, hop=16, bands=8):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.window = torch.hann_window(n_fft)
        fb = torch.rand(bands, n_fft)
        self.register_buffer("fb", fb / fb.sum(1, keepdim=True), persistent=False)

    def frames(self, wave):
        if self.window.device != wave.device:
            self.window = self.window.to(wave.device)
        return wave.unfold(-1, self.n_fft, self.hop) * self.window

    def forward(self, wave):
        e = self.frames(wave).square() @ self.fb.T
        return torch.log(e + 1e-5)


class KeywordNet(nn.Module):
    def __init__(self, words=6):
        super().__init__()
        self.front = LogEnergy()
        self.rnn = nn.GRU(8, 16, batch_first=True)
        self.out = nn.Linear(16, words)

    def forward(self, wave):
        y, _ = self.rnn(self.front(wave))
        return self.out(y.mean(1))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = KeywordNet().to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(3):
    wave, word = torch.randn(4, 400).to(device), torch.randint(0, 6, (4,)).to(device)
    loss = nn.functional.cross_entropy(model(wave), word, label_smoothing=0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()
