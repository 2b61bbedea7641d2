import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, n=48):
        self.y = torch.randint(0, 3, (n,))
        self.x = torch.randn(n, 1, 8, 8) + self.y.view(-1, 1, 1, 1)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Prefetcher:
    """Moves the next batch while the current one is used."""

    def __init__(self, loader, device):
        self.loader, self.device = loader, device
        self.non_blocking = device.type == "cuda"

    def __len__(self):
        return len(self.loader)

    def _move(self, batch):
        return [t.to(self.device, non_blocking=self.non_blocking) for t in batch]

    def __iter__(self):
        upcoming = None
        for batch in self.loader:
            current, upcoming = upcoming, self._move(batch)
            if current is not None:
                yield current
        if upcoming is not None:
            yield upcoming


class RunningLoss:
    """Sums on the device, reads back once per epoch."""

    def __init__(self, device):
        self.total = torch.zeros((), device=device)
        self.n = 0

    def add(self, loss, n):
        self.total += loss.detach() * n
        self.n += n

    def mean(self):
        return self.total.item() / self.n


def run(model, batches, device, opt=None):
    meter, right = RunningLoss(device), torch.zeros((), dtype=torch.long, device=device)
    model.train(opt is not None)
    with torch.set_grad_enabled(opt is not None):
        for x, y in batches:
            assert x.device.type == device.type
            out = model(x)
            loss = F.cross_entropy(out, y)
            if opt is not None:
                opt.zero_grad()
                loss.backward()
                opt.step()
            meter.add(loss, len(y))
            right += (out.argmax(1) == y).sum()
    return meter.mean(), right.item() / meter.n


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 3)).to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
train = Prefetcher(DataLoader(Images(), batch_size=16, shuffle=True), device)
val = Prefetcher(DataLoader(Images(24), batch_size=12), device)
for epoch in range(2):
    print(epoch, run(net, train, device, opt), run(net, val, device))
