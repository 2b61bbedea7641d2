"""Beam search over a small GRU decoder."""
from typing import NamedTuple

import torch
from torch import nn

BOS, EOS, VOCAB = 1, 2, 12


class Decoder(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim)
        self.cell = nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, VOCAB)

    def step(self, token, state):
        state = self.cell(self.embed(token), state)
        return self.out(state).log_softmax(dim=-1), state


class Beams(NamedTuple):
    tokens: torch.Tensor
    scores: torch.Tensor
    state: torch.Tensor


class BeamSearch:
    def __init__(self, decoder: Decoder, width: int = 3, max_len: int = 8):
        self.decoder = decoder
        self.width = width
        self.max_len = max_len

    def _initial(self, state: torch.Tensor) -> Beams:
        tokens = torch.full((self.width, 1), BOS, dtype=torch.long, device=state.device)
        scores = torch.tensor([0.0] + [-1e9] * (self.width - 1))
        return Beams(tokens, scores, state.expand(self.width, -1))

    def _advance(self, beams: Beams) -> Beams:
        logp, state = self.decoder.step(beams.tokens[:, -1], beams.state)
        finished = beams.tokens[:, -1] == EOS
        logp = logp.masked_fill(finished.unsqueeze(1), -1e9)
        logp[:, EOS] = torch.where(finished, torch.zeros_like(logp[:, EOS]), logp[:, EOS])
        total = (beams.scores.unsqueeze(1) + logp).flatten()
        scores, flat = total.topk(self.width)
        origin = torch.div(flat, VOCAB, rounding_mode="floor")
        tokens = torch.cat([beams.tokens[origin], (flat % VOCAB).unsqueeze(1)], dim=1)
        return Beams(tokens, scores, state[origin])

    @torch.no_grad()
    def search(self, context: torch.Tensor):
        beams = self._initial(context.unsqueeze(0))
        for _ in range(self.max_len):
            beams = self._advance(beams)
        return beams.tokens[0].tolist()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    decoder = Decoder().to(device).eval()
    searcher = BeamSearch(decoder)
    for context in torch.randn(2, 16, device=device):
        print(searcher.search(context))


if __name__ == "__main__":
    main()
