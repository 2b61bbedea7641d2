import argparse

import torch
import torch.nn as nn


class Seq2Seq(nn.Module):
    def __init__(self, vocab=25, dim=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.encoder = nn.Linear(dim, dim)
        self.cell = nn.GRUCell(dim, dim)
        self.proj = nn.Linear(dim, vocab)

    def encode(self, src):
        return torch.tanh(self.encoder(self.embed(src).mean(1)))

    def step(self, tok, h):
        h = self.cell(self.embed(tok), h)
        return self.proj(h).log_softmax(-1), h


class BeamSearch:
    def __init__(self, model, beam=3, max_len=6, bos=1, eos=2, device=None):
        self.model, self.beam, self.max_len = model, beam, max_len
        self.bos, self.eos = bos, eos
        self.device = device or next(model.parameters()).device

    def _start(self, h):
        tokens = torch.full((self.beam, 1), self.bos, dtype=torch.long, device=self.device)
        scores = torch.full((self.beam,), float("-inf"), device=self.device)
        scores[0] = 0.0
        return tokens, scores, h.expand(self.beam, -1)

    @torch.no_grad()
    def __call__(self, src):
        tokens, scores, h = self._start(self.model.encode(src)) 
        for _ in range(self.max_len):
            logp, h = self.model.step(tokens[:, -1], h)
            total = scores[:, None] + logp
            scores, flat = total.flatten().topk(self.beam)
            parent = flat // logp.size(1)
            tokens = torch.cat([tokens[parent], (flat % logp.size(1))[:, None]], dim=1)
            h = h[parent]
            if bool((tokens[:, -1] == self.eos).all()):
                break
        return tokens[0].tolist(), scores[0].item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--beam", type=int, default=3)
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = ap.parse_args()
    model = Seq2Seq().to(args.device).eval()
    search = BeamSearch(model, beam=args.beam)
    for _ in range(3):
        src = torch.randint(3, 25, (1, 7)).to(args.device)
        best, score = search(src)
        print(best, round(score, 2))


if __name__ == "__main__":
    main()
