import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

rng = np.random.default_rng(0)


def make_fleet(n):
    """Variable length sensor logs of n machines."""
    return [rng.normal(size=(int(rng.integers(8, 20)), 5)).astype("float32") for _ in range(n)]


def batches(logs, size):
    for i in range(0, len(logs), size):
        part = logs[i:i + size]
        lens = np.array([len(p) for p in part])
        x = np.zeros((len(part), lens.max(), 5), "float32")
        for row, p in zip(x, part):
            row[: len(p)] = p
        yield torch.from_numpy(x), torch.from_numpy(lens)


class SeqAE(nn.Module):
    def __init__(self, feat=5, hid=12):
        super().__init__()
        self.enc = nn.GRU(feat, hid, batch_first=True)
        self.dec = nn.GRU(hid, hid, batch_first=True)
        self.out = nn.Linear(hid, feat)

    def encode(self, x, n):
        packed = pack_padded_sequence(x, n.cpu(), batch_first=True, enforce_sorted=False)
        _, h = self.enc(packed)
        return h[-1]

    def forward(self, x, n):
        z = self.encode(x, n)
        y, _ = self.dec(z[:, None].expand(-1, x.size(1), -1))
        return self.out(y)


class AnomalyDetector:
    def __init__(self, device=None):
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self.net = SeqAE().to(self.device)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=3e-3)
        self.threshold = float("inf")

    def errors(self, x, n):
        rec = self.net(x, n)
        mask = torch.arange(x.size(1), device=x.device) < n[:, None]
        return ((rec - x).pow(2).mean(-1) * mask).sum(1) / n

    def _move(self, pair):
        return tuple(t.to(self.device) for t in pair)

    def fit(self, logs, epochs=2):
        for _ in range(epochs):
            for pair in batches(logs, 4):
                loss = self.errors(*self._move(pair)).mean()
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
        with torch.no_grad():
            e = torch.cat([self.errors(*self._move(p)) for p in batches(logs, 4)])
        self.threshold = torch.quantile(e, 0.95).item()
        return self


det = AnomalyDetector().fit(make_fleet(10))
print(det.threshold)
