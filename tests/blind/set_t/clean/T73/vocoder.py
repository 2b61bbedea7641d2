import torch
from torch import nn
from spectral import MultiResolution, Spectrogram


class Upsampler(nn.Module):
    def __init__(self, bins=17, width=24, factor=8):
        super().__init__()
        self.pre = nn.utils.parametrizations.weight_norm(nn.Conv1d(bins, width, 3, padding=1))
        self.up = nn.ConvTranspose1d(width, width, 2 * factor, stride=factor, padding=factor // 2)
        self.post = nn.Conv1d(width, 1, 7, padding=3)

    def forward(self, mel):
        return torch.tanh(self.post(nn.functional.leaky_relu(self.up(self.pre(mel)), 0.1)))


class VocoderTask:
    def __init__(self, device):
        self.device = device
        self.front = Spectrogram(32).to(device)
        self.model = Upsampler().to(device)
        self.criterion = MultiResolution().to(device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3, betas=(0.8, 0.99))

    def sample(self, n=4, length=256):
        t = torch.arange(length, device=self.device) / 10
        f = torch.rand(n, 1, 1, device=self.device) * 4 + 1
        return torch.sin(f * t)

    def step(self):
        wave = self.sample()
        mel = self.front(wave).log()
        fake = self.model(mel)
        n = min(fake.size(-1), wave.size(-1))
        loss = self.criterion(fake[..., :n], wave[..., :n])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()


if __name__ == "__main__":
    torch.manual_seed(0)
    task = VocoderTask("cuda" if torch.cuda.is_available() else "cpu")
    losses = torch.stack([task.step() for _ in range(5)])
    print(losses.cpu().numpy().round(3))
