import torch
import torch.nn as nn


class CRF(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.trans = nn.Parameter(torch.empty(n, n).uniform_(-0.1, 0.1))
        self.start = nn.Parameter(torch.zeros(n))
        self.end = nn.Parameter(torch.zeros(n))

    def score(self, em, tags, mask):
        rows = torch.arange(len(tags), device=tags.device)
        s = self.start[tags[:, 0]] + em[rows, 0, tags[:, 0]]
        for t in range(1, em.size(1)):
            step = self.trans[tags[:, t - 1], tags[:, t]] + em[rows, t, tags[:, t]]
            s = s + step * mask[:, t]
        last = tags[rows, mask.sum(1) - 1]
        return s + self.end[last]

    def partition(self, em, mask):
        a = self.start + em[:, 0]
        for t in range(1, em.size(1)):
            nxt = torch.logsumexp(a.unsqueeze(2) + self.trans + em[:, t].unsqueeze(1), 1)
            a = torch.where(mask[:, t, None], nxt, a)
        return torch.logsumexp(a + self.end, 1)

    def forward(self, em, tags, mask):
        return self.score(em, tags, mask) - self.partition(em, mask)

    @torch.no_grad()
    def viterbi(self, em, mask):
        lengths = mask.sum(1).tolist()
        out = []
        for e, n in zip(em.cpu(), lengths):
            trans, end = self.trans.cpu(), self.end.cpu()
            a, back = self.start.cpu() + e[0], []
            for t in range(1, n):
                best, idx = (a.unsqueeze(1) + trans).max(0)
                a = best + e[t]
                back.append(idx)
            tag = int((a + end).argmax())
            path = [tag]
            for idx in reversed(back):
                tag = int(idx[tag])
                path.append(tag)
            out.append(path[::-1])
        return out
