from dataclasses import dataclass
from typing import List

import torch
from torch import nn

BOS, EOS = 1, 2


class Seq2Seq(nn.Module):
    def __init__(self, vocab=12, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.enc, self.dec = nn.GRU(dim, dim, batch_first=True), nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, vocab)

    def encode(self, src):
        return self.enc(self.emb(src))[1][0]

    def step(self, token, h):
        h = self.dec(self.emb(token), h)
        return self.out(h), h

    def forward(self, src, tgt):
        h, logits = self.encode(src), []
        for t in range(tgt.size(1) - 1):
            o, h = self.step(tgt[:, t], h)
            logits.append(o)
        return torch.stack(logits, dim=1)


@dataclass
class Hypothesis:
    tokens: List[int]
    score: float
    state: torch.Tensor

    @property
    def finished(self):
        return self.tokens[-1] == EOS

    def normalised(self, alpha=0.7):
        return self.score / len(self.tokens) ** alpha


class BeamSearch:
    def __init__(self, model, beam=3, max_len=8):
        self.model, self.beam, self.max_len = model, beam, max_len

    @torch.no_grad()
    def __call__(self, src):
        self.model.eval()
        h = self.model.encode(src[None])[0]
        live, done = [Hypothesis([BOS], 0.0, h)], []
        for _ in range(self.max_len):
            token = torch.tensor([x.tokens[-1] for x in live], device=src.device)
            logits, state = self.model.step(token, torch.stack([x.state for x in live]))
            logp = logits.log_softmax(-1)
            values, index = logp.topk(self.beam, dim=-1)
            grown = []
            for i, (row_v, row_i) in enumerate(zip(values.tolist(), index.tolist())):
                for v, t in zip(row_v, row_i):
                    grown.append(Hypothesis(live[i].tokens + [t], live[i].score + v, state[i]))
            grown.sort(key=lambda x: -x.score)
            done += [x for x in grown[: self.beam] if x.finished]
            live = [x for x in grown[: self.beam] if not x.finished]
            if not live or len(done) >= self.beam:
                break
        return max(done or live, key=Hypothesis.normalised).tokens
