from typing import Optional, Tuple

import torch
from torch import nn

State = Tuple[torch.Tensor, torch.Tensor]


class StatefulLM(nn.Module):
    """LSTM language model that remembers where it was between segments."""

    def __init__(self, vocab: int, dim: int = 16, layers: int = 1, tie: bool = True):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.lstm = nn.LSTM(dim, dim, layers, batch_first=True)
        self.decoder = nn.Linear(dim, vocab, bias=False)
        if tie:
            self.decoder.weight = self.embed.weight
        self.state: Optional[State] = None

    def reset(self):
        self.state = None

    def _remember(self, state: State):
        self.state = tuple(s.detach() for s in state)

    def forward(self, tokens):
        out, state = self.lstm(self.embed(tokens), self.state)
        self._remember(state)
        return self.decoder(out)
