import torch
from torch import nn

from logbook import LogBook

TASKS = {"depth": 1, "normal": 3, "edge": 1}


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU())
        self.heads = nn.ModuleDict({k: nn.Conv2d(8, c, 1) for k, c in TASKS.items()})
        self.log_var = nn.ParameterDict({k: nn.Parameter(torch.zeros(())) for k in TASKS})

    def forward(self, x):
        f = self.trunk(x)
        return {k: head(f) for k, head in self.heads.items()}

    def loss(self, out, target):
        total = 0.0
        parts = {}
        for k in TASKS:
            parts[k] = nn.functional.l1_loss(out[k], target[k])
            total = total + torch.exp(-self.log_var[k]) * parts[k] + self.log_var[k]
        return total, parts


def fake_batch(device, n=4, size=12):
    x = torch.rand(n, 3, size, size, device=device)
    return x, {"depth": x.mean(1, keepdim=True), "normal": x - 0.5, "edge": x.amax(1, keepdim=True)}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = MultiTask().to(device)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
book = LogBook()
for step in range(6):
    x, target = fake_batch(device)
    loss, parts = net.loss(net(x), target)
    reg = 0.0
    for p in net.heads.parameters():
        reg = reg + p.pow(2).sum()
    loss = loss + 1e-4 * reg
    opt.zero_grad()
    loss.backward()
    opt.step()
    book.add(total=loss, lr=opt.param_groups[0]["lr"], **parts)
print({k: round(book.mean(k), 4) for k in ("total", *TASKS)})
