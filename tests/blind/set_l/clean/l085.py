import heapq

import torch
import torch.nn as nn


class Translator(nn.Module):
    def __init__(self, vocab=18, dim=20):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.enc = nn.GRU(dim, dim, batch_first=True)
        self.cell = nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, vocab)

    def encode(self, src):
        return self.enc(self.embed(src))[1][0]

    def decode_step(self, tok, h):
        h = self.cell(self.embed(tok), h)
        return self.out(h).log_softmax(-1), h


class Hypothesis:
    __slots__ = ("tokens", "score", "row")

    def __init__(self, tokens, score, row):
        self.tokens, self.score, self.row = tokens, score, row

    def extend(self, token, score, row):
        return Hypothesis(self.tokens + [token], score, row)


class BeamDecoder:
    """Bookkeeping in Python, tensors stay on the model's device."""

    def __init__(self, model, width=3, bos=1, eos=2, max_len=7):
        self.model, self.width, self.bos, self.eos, self.max_len = model, width, bos, eos, max_len

    @torch.no_grad()
    def __call__(self, src):
        device = self.model.out.weight.device
        h = self.model.encode(src.to(device))
        live, done = [Hypothesis([self.bos], 0.0, 0)], []
        for _ in range(self.max_len):
            last = torch.tensor([hyp.tokens[-1] for hyp in live], device=device)
            rows = torch.tensor([hyp.row for hyp in live])
            logp, h = self.model.decode_step(last, h[rows])
            base = torch.tensor([hyp.score for hyp in live], device=device).unsqueeze(1)
            top, flat = (base + logp).flatten().topk(self.width)
            fresh = []
            for s, f in zip(top.tolist(), flat.tolist()):
                row, tok = divmod(f, logp.size(1))
                hyp = live[row].extend(tok, s, row)
                (done if tok == self.eos else fresh).append(hyp)
            live = fresh
            if not live:
                break
        best = heapq.nlargest(1, done + live, key=lambda x: x.score / len(x.tokens))
        return best[0].tokens, best[0].score


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Translator().to(device).eval()
decode = BeamDecoder(model)
for _ in range(3):
    print(decode(torch.randint(3, 18, (1, 6))))
