import torch
from torch import nn


class SinusoidalTable:
    def __init__(self, dim):
        self.dim, self.tables = dim, {}

    def __call__(self, n, device, dtype):
        key = (device, dtype)
        if key not in self.tables or self.tables[key].size(0) < n:
            pos = torch.arange(n, device=device, dtype=dtype).unsqueeze(1)
            div = torch.exp(torch.arange(0, self.dim, 2, device=device, dtype=dtype) * (-9.2 / self.dim))
            self.tables[key] = torch.cat([torch.sin(pos * div), torch.cos(pos * div)], dim=1)
        return self.tables[key][:n]


class Conformerish(nn.Module):
    def __init__(self, dim=16, classes=6):
        super().__init__()
        self.table = SinusoidalTable(dim)
        self.inp = nn.Linear(10, dim)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1, groups=dim)
        self.att = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.out = nn.Linear(dim, classes)
        self.register_buffer("cmvn_mean", torch.zeros(10))
        self.register_buffer("frames", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def accumulate(self, feats):
        n = feats.shape[0] * feats.shape[1]
        self.frames += n
        self.cmvn_mean += (feats.mean(dim=(0, 1)) - self.cmvn_mean) * (n / self.frames)

    def forward(self, feats):
        if self.training:
            self.accumulate(feats)
        x = self.inp(feats - self.cmvn_mean)
        x = x + self.table(x.size(1), x.device, x.dtype)
        x = x + self.conv(x.transpose(1, 2)).transpose(1, 2)
        x = x + self.att(x, x, x, need_weights=False)[0]
        return self.out(x)


net = Conformerish()
with torch.no_grad():
    print("dry run", tuple(net.eval()(torch.randn(1, 30, 10)).shape))
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net.to(device).train()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for step in range(4):
    feats = torch.randn(4, 20 + step, 10, device=device)
    labels = feats.abs().sum(-1).long().clamp(max=5)
    loss = nn.functional.cross_entropy(net(feats).transpose(1, 2), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item(), net.frames.item())
