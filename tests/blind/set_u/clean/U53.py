import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Averager:
    def __init__(self, model, decay=0.95):
        self.copy = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay = decay

    def to(self, device):
        self.copy.to(device)
        return self

    @torch.no_grad()
    def update(self, model):
        for slow, fast in zip(self.copy.parameters(), model.parameters()):
            slow.lerp_(fast, 1 - self.decay)
        for slow, fast in zip(self.copy.buffers(), model.buffers()):
            slow.copy_(fast)


class Relative(nn.Module):
    """Attention bias by distance; the index table is cached per length and device."""

    def __init__(self, dim=16, span=8):
        super().__init__()
        self.span = span
        self.bias = nn.Parameter(torch.zeros(2 * span + 1))
        self.qk, self.v = nn.Linear(dim, 2 * dim), nn.Linear(dim, dim)
        self._table = {}

    def table(self, n, device):
        key = (n, device)
        if key not in self._table:
            r = torch.arange(n, device=device)
            self._table[key] = (r[:, None] - r[None]).clamp(-self.span, self.span) + self.span
        return self._table[key]

    def forward(self, x):
        q, k = self.qk(x).chunk(2, dim=-1)
        att = q @ k.transpose(1, 2) / q.size(-1) ** 0.5 + self.bias[self.table(x.size(1), x.device)]
        return att.softmax(-1) @ self.v(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Relative()
start = {k: v.clone() for k, v in model.state_dict().items()}
with torch.no_grad():
    print("dry run on the host:", model(torch.randn(1, 6, 16)).shape)
avg = Averager(model)
model.to(device)
avg.to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(4):
    x = torch.randn(4, 6, 16, device=device)
    loss = F.mse_loss(model(x), x.roll(1, dims=1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    avg.update(model)

drift = {k: (v.cpu() - start[k]).norm().item() for k, v in avg.copy.state_dict().items()}
print(loss.item(), drift)
model.load_state_dict(start)
