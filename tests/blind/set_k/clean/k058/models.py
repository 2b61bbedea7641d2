import torch
import torch.nn as nn


class SeqModel(nn.Module):
    """Safe inside replicas: whatever forward makes follows the input."""

    def __init__(self, vocab=32, dim=16, longest=12):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(longest, dim)
        self.cell = nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, vocab)
        self.dim = dim

    def forward(self, ids):
        b, n = ids.shape
        where = torch.arange(n, device=ids.device)
        h = self.tok(ids) + self.pos(where)
        state = h.new_zeros(b, self.dim)
        steps = []
        for t in range(n):
            state = self.cell(h[:, t], state)
            steps.append(state)
        return self.out(torch.stack(steps, dim=1))
