import torch
from torch import nn
import torch.nn.functional as F


class Events:
    def __init__(self):
        self.table = {}

    def on(self, name, fn):
        self.table.setdefault(name, []).append(fn)
        return self

    def fire(self, name):
        for fn in self.table.get(name, ()):
            fn()


class GrayscaleHash(nn.Module):
    """Learning to hash: a tanh code pushed towards +-1."""

    def __init__(self, d=20, bits=8):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(d, 32), nn.ReLU(), nn.Linear(32, bits))
        self.activity = None
        self.fc[1].register_forward_hook(self._watch)

    def _watch(self, module, args, output):
        self.activity = (output.detach() > 0).float().mean().item()

    def forward(self, x):
        return torch.tanh(self.fc(x))

    @torch.no_grad()
    def code(self, x):
        return self(x).sign().to(torch.int8).cpu()


def pair_loss(h, y):
    same = (y[:, None] == y[None]).float() * 2 - 1
    return F.mse_loss(h @ h.t() / h.size(1), same) + 0.1 * (h.abs() - 1).pow(2).mean()


def hamming(a, b):
    return (a[:, None] != b[None]).sum(-1)


dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = GrayscaleHash().to(dev)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 1e-2, total_steps=6)
logs = []
events = Events()
events.on("before", opt.zero_grad)
events.on("after", opt.step).on("after", sched.step)
events.on("epoch", net.eval).on("epoch", lambda: logs.append(net.activity)).on("epoch", net.train)

x, y = torch.randn(48, 20).to(dev), torch.randint(0, 4, (48,)).to(dev)
for epoch in range(2):
    for xb, yb in zip(x.split(16), y.split(16)):
        events.fire("before")
        loss = pair_loss(net(xb), yb)
        loss.backward()
        events.fire("after")
    events.fire("epoch")
net.eval()
d = hamming(net.code(x[:4]), net.code(x))
print(logs, d.float().mean().item())
