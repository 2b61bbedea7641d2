import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self, series, past, future):
        self.mean, self.std = series.mean(), series.std()
        self.s = torch.as_tensor((series - self.mean) / self.std, dtype=torch.float32)
        self.past, self.future = past, future

    def __len__(self):
        return len(self.s) - self.past - self.future + 1

    def __getitem__(self, i):
        w = self.s[i:i + self.past + self.future]
        return w[:self.past, None], w[self.past:, None]


class Forecaster(nn.Module):
    def __init__(self, hid=24):
        super().__init__()
        self.enc = nn.GRU(1, hid, batch_first=True)
        self.dec = nn.GRUCell(1, hid)
        self.out = nn.Linear(hid, 1)
        self.h0 = nn.Parameter(torch.zeros(1, 1, hid))

    def forward(self, past, horizon, future=None, p_teacher=0.0):
        _, h = self.enc(past, self.h0.expand(-1, past.size(0), -1).contiguous())
        h, y, ys = h[0], past[:, -1], []
        for t in range(horizon):
            h = self.dec(y, h)
            pred = y + self.out(h)
            ys.append(pred)
            use_true = future is not None and torch.rand(()) < p_teacher
            y = future[:, t] if use_true else pred
        return torch.stack(ys, dim=1)


class Fit:
    def __init__(self, series, past=16, future=4):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        cut = int(0.8 * len(series))
        self.train_set, self.test_set = Windows(series[:cut], past, future), Windows(series[cut:], past, future)
        self.future = future
        self.net = Forecaster().to(self.device)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=5e-3)

    def epoch(self, p):
        self.net.train()
        losses = []
        for past, fut in DataLoader(self.train_set, 32, shuffle=True):
            past, fut = past.to(self.device), fut.to(self.device)
            loss = nn.functional.l1_loss(self.net(past, self.future, fut, p), fut)
            self.opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self.opt.step()
            losses.append(loss.item())
        return np.mean(losses)

    @torch.no_grad()
    def predict(self):
        self.net.eval()
        out = [self.net(p.to(self.device), self.future).cpu() for p, _ in DataLoader(self.test_set, 32)]
        y = torch.cat(out).squeeze(-1).numpy()
        return y * self.test_set.std + self.test_set.mean


t = np.arange(160)
fit = Fit(np.sin(t / 5) + 0.1 * np.random.randn(160))
for e in range(2):
    print(e, fit.epoch(p=1.0 - 0.5 * e))
print(np.round(fit.predict()[0], 2))
