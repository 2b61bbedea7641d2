import os

import torch
from torch import nn

if torch.cuda.is_available() and not os.environ.get("FORCE_CPU"):
    device = torch.device("cuda")
    torch.cuda.manual_seed_all(0)
else:
    device = torch.device("cpu")
    torch.set_num_threads(1)


class LabelSmoothing(nn.Module):
    def __init__(self, size, padding_idx=0, smoothing=0.1):
        super().__init__()
        self.size, self.padding_idx, self.smoothing = size, padding_idx, smoothing
        self.true_dist = None

    def forward(self, logp, target):
        true_dist = torch.full_like(logp, self.smoothing / (self.size - 2))
        true_dist.scatter_(1, target.unsqueeze(1), 1 - self.smoothing)
        true_dist[:, self.padding_idx] = 0
        pad = target == self.padding_idx
        if pad.any():
            true_dist[pad] = 0.0
        self.true_dist = true_dist.detach()
        return -(true_dist * logp).sum() / (~pad).sum()


class NoamOpt:
    def __init__(self, model_size, warmup, optimizer):
        self.optimizer, self.model_size, self.warmup, self._step = optimizer, model_size, warmup, 0

    def step(self):
        self._step += 1
        rate = self.model_size**-0.5 * min(self._step**-0.5, self._step * self.warmup**-1.5)
        for g in self.optimizer.param_groups:
            g["lr"] = rate
        self.optimizer.step()

    def zero_grad(self):
        self.optimizer.zero_grad()


def main():
    model = nn.Sequential(nn.Embedding(12, 8), nn.Linear(8, 12), nn.LogSoftmax(-1)).to(device)
    criterion = LabelSmoothing(12)
    opt = NoamOpt(8, 4, torch.optim.Adam(model.parameters(), lr=0, betas=(0.9, 0.98), eps=1e-9))
    tokens_seen, total = 0, 0.0
    for _ in range(3):
        src = torch.randint(0, 12, (16,)).to(device)
        loss = criterion(model(src), src)
        loss.backward()
        opt.step()
        opt.zero_grad()
        total += loss.data.item() if loss.ndim == 0 else 0.0
        tokens_seen += int((src != 0).sum())
    print(total / 3, tokens_seen)


if __name__ == "__main__":
    main()
