import torch
import torch.nn as nn


class CharLM(nn.Module):
    """Keeps its recurrent state between calls; `reset` starts a new stream."""

    def __init__(self, vocab, emb=16, hidden=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb)
        self.cell = nn.GRU(emb, hidden, batch_first=True)
        self.decode = nn.Linear(hidden, vocab)
        self.state = None

    def reset(self):
        self.state = None

    def forward(self, ids):
        out, hn = self.cell(self.embed(ids), self.state)
        self.state = hn.detach()
        return self.decode(out)

    @torch.no_grad()
    def generate(self, first, n):
        was, self.state = self.state, None
        ids = [first]
        for _ in range(n):
            logits = self(torch.tensor([[ids[-1]]], device=self.decode.weight.device))
            ids.append(torch.multinomial(logits[0, -1].softmax(-1), 1).item())
        self.state = was
        return ids
