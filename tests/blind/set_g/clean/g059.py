import torch
import torch.nn as nn
import torch.nn.functional as F


class WindowedSpectrum(nn.Module):
    """Keeps several analysis windows of different lengths that should not be in the state dict."""

    def __init__(self, sizes=(8, 16)):
        super().__init__()
        self.sizes = sizes
        self.windows = [torch.hann_window(n) for n in sizes]

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.windows = [fn(w) for w in self.windows]
        return self

    def forward(self, wave):
        out = []
        for n, window in zip(self.sizes, self.windows):
            frames = wave.unfold(-1, n, n // 2) * window
            out.append(frames.pow(2).mean(-1).log1p().mean(-1))
        return torch.stack(out, dim=-1)


class AudioClassifier(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.spec = WindowedSpectrum()
        self.fc = nn.Linear(len(self.spec.sizes), classes)

    def forward(self, wave):
        return self.fc(self.spec(wave))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = AudioClassifier().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(3):
        wave = torch.randn(4, 64, device=device)
        label = torch.randint(0, 3, (4,), device=device)
        loss = F.cross_entropy(model(wave), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
