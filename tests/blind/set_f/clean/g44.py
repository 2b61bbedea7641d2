from functools import wraps

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence


def on_device(fn):
    """Moves the tensors among the arguments to where the owner lives."""
    @wraps(fn)
    def inner(self, *args, **kwargs):
        args = [a.to(self.device) if torch.is_tensor(a) else a for a in args]
        return fn(self, *args, **kwargs)
    return inner


class Acoustic(nn.Module):
    def __init__(self, mels=8, vocab=6):
        super().__init__()
        self.conv = nn.Conv1d(mels, 12, 3, stride=2, padding=1)
        self.out = nn.Linear(12, vocab)

    def forward(self, x):
        return self.out(torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)).log_softmax(-1)

    @staticmethod
    def lengths(n):
        return (n + 1) // 2


class Recogniser:
    def __init__(self, device):
        self.device = torch.device(device)
        self.net = Acoustic()
        self.net.to(self.device)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)

    @on_device
    def train_step(self, x, targets, x_len, y_len):
        logp = self.net(x)
        nll = nn.functional.cross_entropy(logp[:, : targets.size(1)].transpose(1, 2), targets, reduction="none")
        keep = torch.arange(targets.size(1), device=targets.device) < y_len[:, None]
        loss = (nll * keep).sum() / keep.sum()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    @on_device
    @torch.no_grad()
    def greedy(self, x, x_len):
        ids = self.net(x).argmax(-1)
        frames = self.net.lengths(x_len).tolist()
        return [row[:n].unique_consecutive().tolist() for row, n in zip(ids.cpu(), frames)]


def collate(items):
    xs, ys = zip(*items)
    lens = torch.tensor([len(x) for x in xs]), torch.tensor([len(y) for y in ys])
    return pad_sequence(xs, True), pad_sequence(ys, True), *lens


if __name__ == "__main__":
    rec = Recogniser("cuda" if torch.cuda.is_available() else "cpu")
    data = [(torch.randn(10 + i, 8), torch.randint(1, 6, (3 + i,))) for i in range(3)]
    x, y, nx, ny = collate(data)
    for _ in range(2):
        print(rec.train_step(x, y, nx, ny))
    print(rec.greedy(x, nx))
