"""Linear-chain CRF tagger."""
import torch
from torch import nn


class CRF(nn.Module):
    def __init__(self, tags):
        super().__init__()
        self.trans = nn.Parameter(torch.empty(tags, tags))
        self.start, self.stop = nn.Parameter(torch.zeros(tags)), nn.Parameter(torch.zeros(tags))
        nn.init.uniform_(self.trans, -0.1, 0.1)
        with torch.no_grad():
            self.trans[:, 0] = -4.0

    def partition(self, emit, mask):
        alpha = self.start + emit[:, 0]
        for t in range(1, emit.size(1)):
            nxt = (alpha.unsqueeze(2) + self.trans).logsumexp(1) + emit[:, t]
            alpha = torch.where(mask[:, t, None], nxt, alpha)
        return (alpha + self.stop).logsumexp(1)

    def score(self, emit, tags, mask):
        rows = torch.arange(emit.size(0), device=emit.device)
        total = self.start[tags[:, 0]] + emit[rows, 0, tags[:, 0]]
        for t in range(1, emit.size(1)):
            step = self.trans[tags[:, t - 1], tags[:, t]] + emit[rows, t, tags[:, t]]
            total = total + step * mask[:, t]
        last = mask.long().sum(1) - 1
        return total + self.stop[tags.gather(1, last[:, None]).squeeze(1)]

    def forward(self, emit, tags, mask):
        return (self.partition(emit, mask) - self.score(emit, tags, mask)).mean()

    @torch.no_grad()
    def decode(self, emit):
        score, back = self.start + emit[:, 0], []
        for t in range(1, emit.size(1)):
            best, idx = (score.unsqueeze(2) + self.trans).max(1)
            score = best + emit[:, t]
            back.append(idx)
        tag = (score + self.stop).argmax(1)
        path = [tag]
        for idx in reversed(back):
            tag = idx.gather(1, tag[:, None]).squeeze(1)
            path.append(tag)
        return torch.stack(path[::-1], 1).tolist()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    emb, crf = nn.Embedding(20, 4).to(device), CRF(4).to(device)
    optimizer = torch.optim.Adam([*emb.parameters(), *crf.parameters()], lr=0.05)
    for _ in range(2):
        ids = torch.randint(0, 20, (3, 5), device=device)
        mask = torch.arange(5, device=device)[None] < torch.tensor([5, 4, 2], device=device)[:, None]
        loss = crf(emb(ids), ids % 4, mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item(), crf.decode(emb(ids))[0])


if __name__ == "__main__":
    main()
