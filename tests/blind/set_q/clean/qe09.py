import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalConv(nn.Conv1d):
    def __init__(self, c, dilation):
        super().__init__(c, 2 * c, 2, dilation=dilation)
        self.gap = dilation
        self.queue = None

    def forward(self, x):
        return super().forward(F.pad(x, (self.gap, 0)))

    def start(self, batch):
        self.queue = self.weight.new_zeros(self.gap, batch, self.in_channels)
        self.at = 0

    def one(self, x):
        old = self.queue[self.at].clone()
        self.queue[self.at] = x
        self.at = (self.at + 1) % self.gap
        return F.linear(old, self.weight[..., 0]) + F.linear(x, self.weight[..., 1], self.bias)


class WaveNet(nn.Module):
    def __init__(self, levels=16, c=16, depth=4):
        super().__init__()
        self.levels = levels
        self.emb = nn.Embedding(levels, c)
        self.convs = nn.ModuleList(CausalConv(c, 2 ** i) for i in range(depth))
        self.out = nn.Linear(c, levels)

    @staticmethod
    def gate(y, dim):
        a, b = y.chunk(2, dim)
        return a.tanh() * b.sigmoid()

    def forward(self, ids):
        h = self.emb(ids).transpose(1, 2)
        skip = 0
        for conv in self.convs:
            z = self.gate(conv(h), 1)
            h, skip = h + z, skip + z
        return self.out(skip.relu().transpose(1, 2))

    @torch.no_grad()
    def generate(self, first, n):
        tok = first.to(self.emb.weight.device)
        for conv in self.convs:
            conv.start(len(tok))
        out = [tok]
        for _ in range(n):
            h, skip = self.emb(tok), 0
            for conv in self.convs:
                z = self.gate(conv.one(h), -1)
                h, skip = h + z, skip + z
            tok = self.out(skip.relu()).argmax(-1)
            out.append(tok)
        return torch.stack(out, 1)


def mu_law(x, levels):
    mu = levels - 1
    y = torch.sign(x) * torch.log1p(mu * x.abs()) / torch.log1p(torch.tensor(float(mu)))
    return ((y + 1) / 2 * mu + 0.5).long().clamp_(0, mu)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = WaveNet().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    t = torch.arange(60) / 6.0
    for _ in range(10):
        wave = torch.sin(t + torch.rand(8, 1) * 6)
        ids = mu_law(wave.to(device), net.levels)
        loss = F.cross_entropy(net(ids[:, :-1]).transpose(1, 2), ids[:, 1:])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    fast = net.generate(ids[:2, 0], 6)
    with torch.no_grad():
        slow = net(fast[:, :-1]).argmax(-1)
    print(loss.item(), torch.equal(fast[:, 1:], slow))


main()
