import torch
import torch.nn as nn


class CRF(nn.Module):
    def __init__(self, tags):
        super().__init__()
        self.trans = nn.Parameter(torch.randn(tags, tags) * 0.1)
        self.start = nn.Parameter(torch.zeros(tags))

    def _partition(self, emit, mask):
        alpha = self.start + emit[:, 0]
        for t in range(1, emit.size(1)):
            nxt = torch.logsumexp(alpha.unsqueeze(2) + self.trans, 1) + emit[:, t]
            alpha = torch.where(mask[:, t, None], nxt, alpha)
        return torch.logsumexp(alpha, 1)

    def _path(self, emit, tags, mask):
        gold = emit.gather(2, tags.unsqueeze(2)).squeeze(2) * mask
        step = self.trans[tags[:, :-1], tags[:, 1:]] * mask[:, 1:]
        return self.start[tags[:, 0]] + gold.sum(1) + step.sum(1)

    def forward(self, emit, tags, mask):
        return (self._partition(emit, mask) - self._path(emit, tags, mask)).mean()

    @torch.no_grad()
    def decode(self, emit, lengths):
        paths = []
        for e, n in zip(emit, lengths):
            score, back = self.start + e[0], []
            for t in range(1, n):
                best, prev = (score.unsqueeze(1) + self.trans).max(0)
                score = best + e[t]
                back.append(prev.tolist())
            path = [int(score.argmax())]
            for prev in reversed(back):
                path.append(prev[path[-1]])
            paths.append(path[::-1])
        return paths
