import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

from frontend import HostFeatures


class Tones(Dataset):
    def __init__(self, n=80, length=160):
        self.freq = torch.randint(0, 4, (n,), generator=torch.Generator().manual_seed(1))
        self.time = torch.arange(length) / length

    def __len__(self):
        return len(self.freq)

    def __getitem__(self, i):
        f = self.freq[i]
        return torch.sin(2 * torch.pi * (3 + 5 * f) * self.time), f


class Head(nn.Module):
    def __init__(self, bands=6, classes=4):
        super().__init__()
        self.rnn = nn.LSTM(bands, 24)
        self.out = nn.Linear(24, classes)

    def forward(self, feats):
        _, (h, _) = self.rnn(feats.permute(2, 0, 1))
        return self.out(h[-1])


class Pipeline:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.frontend = HostFeatures()
        self.head = Head().to(self.device)

    def __call__(self, wave):
        feats = self.frontend(wave)
        return self.head(feats.to(self.device))


def main():
    torch.manual_seed(0)
    pipe = Pipeline()
    loader = DataLoader(Tones(), batch_size=16, shuffle=True)
    opt = torch.optim.Adam(pipe.head.parameters(), lr=5e-3)
    for epoch in range(2):
        correct = torch.zeros((), dtype=torch.long)
        for wave, freq in loader:
            logits = pipe(wave)
            loss = nn.functional.cross_entropy(logits, freq.to(pipe.device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            correct += (logits.argmax(1).cpu() == freq).sum()
        print(epoch, loss.item(), correct.item() / 80)


if __name__ == "__main__":
    main()
