"""Masked token prediction."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def timing(n, dim, like):
    pos = torch.arange(n, dtype=like.dtype).unsqueeze(1)
    rate = torch.exp(-torch.arange(0, dim, 2) * (9.0 / dim))
    table = torch.cat([torch.sin(pos * rate), torch.cos(pos * rate)], dim=1)
    return table.to(like)


class MaskedPredictor(nn.Module):
    def __init__(self, vocab, dim, rate=0.3, mask_id=0):
        super().__init__()
        self.vocab = vocab
        self.rate = rate
        self.mask_id = mask_id
        self.embed = nn.Embedding(vocab, dim)
        self.mix = nn.Conv1d(dim, dim, 3, padding=1)
        self.head = nn.Linear(dim, vocab)

    def corrupt(self, ids):
        hidden = torch.rand(ids.shape, device=ids.device) < self.rate
        hidden[:, 0] = True
        return ids.masked_fill(hidden, self.mask_id), hidden

    def forward(self, ids):
        x = self.embed(ids)
        x = x + timing(ids.size(1), x.size(2), x)
        x = x * torch.tensor(0.5)
        h = self.mix(x.transpose(1, 2)).transpose(1, 2)
        return self.head(F.gelu(h))

    def loss(self, ids):
        seen, hidden = self.corrupt(ids)
        scores = self(seen)
        target = torch.where(hidden, ids, ids.new_full((), -100))
        rows = torch.randperm(ids.size(0))
        scores, target = scores[rows], target[rows]
        total = scores.new_zeros(())
        for s, t in zip(scores, target):
            total = total + F.cross_entropy(s, t)
        return total / len(rows)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MaskedPredictor(24, 16).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for step in range(3):
        loss = model.loss(torch.randint(1, 24, (4, 10), device=device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())
