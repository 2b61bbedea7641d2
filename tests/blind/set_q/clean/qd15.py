import copy
import math

import torch
import torch.nn as nn


class Pointer(nn.Module):
    def __init__(self, d=24):
        super().__init__()
        self.emb = nn.Linear(2, d)
        self.enc = nn.TransformerEncoderLayer(d, 2, 48, dropout=0.0, batch_first=True)
        self.q, self.k = nn.Linear(2 * d, d), nn.Linear(d, d)
        self.first = nn.Parameter(torch.randn(2 * d) / d ** 0.5)

    def forward(self, xy, greedy=False):
        h = self.enc(self.emb(xy))
        keys = self.k(h)
        b, n, d = h.shape
        rows = torch.arange(b, device=xy.device)
        visited = torch.zeros(b, n, dtype=torch.bool, device=xy.device)
        ctx = self.first.expand(b, -1)
        logp, tour = 0.0, []
        for _ in range(n):
            score = (keys @ self.q(ctx).unsqueeze(-1)).squeeze(-1) / math.sqrt(d)
            lp = (10 * score.tanh()).masked_fill(visited, float("-inf")).log_softmax(-1)
            pick = lp.argmax(-1) if greedy else torch.multinomial(lp.detach().exp(), 1).squeeze(1)
            logp = logp + lp[rows, pick]
            visited = visited.scatter(1, pick.unsqueeze(1), True)
            tour.append(pick)
            start = h[rows, tour[0]]
            ctx = torch.cat([start, h[rows, pick]], -1)
        return torch.stack(tour, 1), logp


def length(xy, tour):
    p = xy.gather(1, tour.unsqueeze(-1).expand(-1, -1, 2))
    return (p - p.roll(-1, 1)).norm(dim=-1).sum(1)


class RolloutBaseline:
    def __init__(self, net, xy):
        self.xy = xy
        self._take(net)

    def _take(self, net):
        self.net = copy.deepcopy(net).eval()
        self.best = self(self.xy).mean()

    @torch.no_grad()
    def __call__(self, xy):
        return length(xy, self.net(xy, greedy=True)[0])

    def challenge(self, net):
        net.eval()
        with torch.no_grad():
            cand = length(self.xy, net(self.xy, greedy=True)[0]).mean()
        net.train()
        if cand < self.best:
            self._take(net)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Pointer().to(device)
    baseline = RolloutBaseline(net, torch.rand(32, 6, 2, device=device))
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for epoch in range(2):
        for _ in range(4):
            xy = torch.rand(32, 6, 2, device=device)
            tour, logp = net(xy)
            cost = length(xy, tour)
            loss = ((cost - baseline(xy)) * logp).mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
        baseline.challenge(net)
        print(epoch, cost.mean().item(), baseline.best.item())


if __name__ == "__main__":
    main()
